"""Models that learn a yes or no from people by pattern: logistic regression and a random forest.

People with the same values are one pattern with a weight, which gives the model that their records
would give; all releases of a method are fitted in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TREES = 25
_NEWTON_STEPS = 60
_HALVINGS = 12
_CONVERGED = 1e-9  # what a further step would gain in log-likelihood


@dataclass(frozen=True)
class Model:
    """A way to learn: from people by pattern and class to a predicted class for every pattern.

    `predict(design, people, rngs)` has a row of predictions for each release.
    """

    title: str
    predict: Callable[[Floats, Floats, Sequence[np.random.Generator]], Bools]
    slow: bool = False


def logistic_regression(
    design: Floats, people: Floats, rngs: Sequence[np.random.Generator]
) -> Bools:
    """Logistic regression with scikit-learn's default penalty: minimises ½‖w‖² plus the negative
    log-likelihood, intercept free of penalty, by Newton's method; nothing in it is random."""
    both = (people.sum(axis=1) > 0).all(axis=1)
    out = np.repeat(_majority(people)[:, None], len(design), axis=1)
    if both.any():
        weights = _newton(design, people[both])
        out[both] = weights[:, :-1] @ design.T + weights[:, -1:] > 0
    return out


def _newton(design: Floats, people: Floats) -> Floats:
    """The penalised maximum-likelihood weights of every release, intercept last."""
    seen = people.sum(axis=(0, 2)) > 0  # patterns that no release has do not matter
    inputs = np.column_stack([design[seen], np.ones(int(seen.sum()))])
    total, positive = people[:, seen].sum(axis=2), people[:, seen, 1]
    penalty = np.r_[np.ones(design.shape[1]), 0.0]

    def loss(weights: Floats) -> Floats:
        score = weights @ inputs.T
        fit = (total * np.logaddexp(0, score) - positive * score).sum(axis=1)
        return np.asarray(fit + 0.5 * (penalty * weights**2).sum(axis=1))

    weights = np.zeros((len(people), inputs.shape[1]))
    present = loss(weights)
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(weights @ inputs.T, -500, 500)))
        slope = (total * chance - positive) @ inputs + penalty * weights
        bend = np.matmul(inputs.T, (total * chance * (1 - chance))[:, :, None] * inputs)
        bend += np.diag(penalty + 1e-12)
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        gain = (step * slope).sum(axis=1)
        if (gain < _CONVERGED).all():
            break
        size = np.ones(len(people))
        for _ in range(_HALVINGS):  # a full step may overshoot: halve it until the loss falls
            tried = loss(weights - size[:, None] * step)
            worse = tried > present + 1e-12 * np.abs(present)
            if not worse.any():
                break
            size[worse] /= 2
        weights = weights - size[:, None] * step
        present = tried
    return weights


def random_forest(
    design: Floats, people: Floats, rngs: Sequence[np.random.Generator]
) -> Bools:
    """A random forest of trees on the values. Each tree sees a bootstrap sample of the records,
    which for patterns is a multinomial draw of their weights."""
    from sklearn import config_context  # takes a second to import
    from sklearn.tree import DecisionTreeClassifier

    inputs = np.concatenate([design, design]).astype(np.float32)
    patterns = inputs[: len(design)]
    classes = np.repeat([0.0, 1.0], len(design))
    out = np.repeat(_majority(people)[:, None], len(design), axis=1)
    # small trees: scikit-learn would spend more time on checking them than on growing them
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for release, rng in enumerate(rngs):
            if not (people[release].sum(axis=0) > 0).all():
                continue
            records = people[release].T.ravel()
            total = int(records.sum())
            votes = np.zeros(len(design))
            for _ in range(TREES):
                weights = rng.multinomial(total, records / total).astype(np.float64)
                drawn = weights > 0
                tree = DecisionTreeClassifier(
                    max_features="sqrt", random_state=int(rng.integers(2**31)))
                tree.fit(inputs[drawn], classes[drawn], weights[drawn], check_input=False)
                chance = tree.predict_proba(patterns, check_input=False)
                votes += chance[:, 1] if chance.shape[1] == 2 else float(tree.classes_[0])
            out[release] = votes > TREES / 2
    return out


def _majority(people: Floats) -> Bools:
    """The class that most people of each release have (with one class only: that one)."""
    by_class = people.sum(axis=1)
    return np.asarray(by_class[:, 1] > by_class[:, 0])


MODELS: Mapping[str, Model] = {
    "logistic": Model("Logistic regression", logistic_regression),
    "forest": Model("Random forest", random_forest, slow=True),
}

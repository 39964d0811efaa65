"""Models that learn a yes or no from people by pattern: logistic regression and a random forest.

People with the same values are one pattern with a weight, which gives the model that their records
would give; all releases of a method are fitted in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.metrics.logistic import Floats, fitted, log_odds, seconds_of_a_fit
from sdc_core.metrics.trees import with_tree

Bools = NDArray[np.bool_]

TREES = 25


@dataclass(frozen=True)
class Model:
    """A way to learn: from people by pattern and class to a predicted class for every pattern.

    `predict(design, people, rngs)` has a row of predictions for each release; generators are made
    as they are asked for. `seconds(patterns, inputs)` is about how long one release takes.
    """

    title: str
    predict: Callable[[Floats, Floats, Iterable[np.random.Generator]], Bools]
    seconds: Callable[[int, int], float]
    slow: bool = False


def logistic_regression(
    design: Floats, people: Floats, rngs: Iterable[np.random.Generator]
) -> Bools:
    """Logistic regression with scikit-learn's default penalty; nothing in it is random."""
    both = (by_class(people) > 0).all(axis=1)
    out = np.repeat(_majority(people)[:, None], len(design), axis=1)
    if both.any():
        out[both] = log_odds(design, fitted(design, people[both])) > 0
    return out


def random_forest(
    design: Floats, people: Floats, rngs: Iterable[np.random.Generator]
) -> Bools:
    """A random forest of trees on the values. Each tree sees a bootstrap sample of the records,
    which for patterns is a multinomial draw of their weights."""
    inputs = design.astype(np.float32)
    out = np.repeat(_majority(people)[:, None], len(design), axis=1)
    for release, rng in enumerate(rngs):
        if not (people[release].sum(axis=0) > 0).all():
            continue
        records = people[release].T
        total = int(records.sum())
        votes = np.zeros(len(design))
        for _ in range(TREES):
            drawn = rng.multinomial(total, records.ravel() / total).astype(np.float64)
            votes += with_tree(inputs, drawn.reshape(records.shape), few_features=True,
                               seed=int(rng.integers(2**31)))
        out[release] = votes > TREES / 2
    return out


def _seconds_of_a_forest(patterns: int, inputs: int) -> float:
    """Each question of a tree looks at the square root of all inputs."""
    return TREES * 3e-7 * patterns * inputs**0.5


def by_class(people: Floats) -> Floats:
    """How many of each release are in either class. As `people.sum(axis=1)`, which takes twenty
    times as long over so short a last axis."""
    return np.asarray(np.einsum("rpc->rc", people))


def _majority(people: Floats) -> Bools:
    """The class that most people of each release have (with one class only: that one)."""
    either = by_class(people)
    return np.asarray(either[:, 1] > either[:, 0])


MODELS: Mapping[str, Model] = {
    "logistic": Model("Logistic regression", logistic_regression, seconds_of_a_fit),
    "forest": Model("Random forest", random_forest, _seconds_of_a_forest, slow=True),
}

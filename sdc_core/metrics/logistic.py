"""Logistic regression on patterns with weights, many data sets in one go.

It stands beside scikit-learn's because one moved slider asks for 180 fits. On the same patterns and
weights scikit-learn's `newton-cholesky` finds the same numbers (see the tests), but it takes data
sets one by one and checks each anew: ten to twenty times as long (see bench/classification.py), two
seconds instead of a tenth. Its default, `lbfgs`, is slower still, and at its default tolerance it
stops early enough to turn some predictions round.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_NEWTON_STEPS = 60
_HALVINGS = 12
_CLOSE = 1e-3  # so close a full step does not overshoot: its loss need not be looked at
_NEARLY = 1e-6  # what a step gains in log-likelihood: the next would gain about its square


def fitted(design: Floats, people: Floats) -> Floats:
    """The weights of every data set, a row each, the constant last.

    `design` has a row for each pattern; `people` says how many have the pattern and are in class 0
    or 1, one layer a data set: (data sets, patterns, 2), both classes in each. Minimises ½‖w‖² plus
    the negative log-likelihood, the constant free of penalty (scikit-learn's default, C = 1), by
    Newton's method; nothing in it is random.
    """
    seen = people.sum(axis=0).any(axis=1)  # patterns that no data set has do not matter
    inputs = sparse.csr_array(np.column_stack([design[seen], np.ones(int(seen.sum()))]))
    by_input, by_product = inputs.T.tocsr(), _products(inputs).T.tocsr()
    # A column each data set, so that what is multiplied cell by cell lies side by side in memory.
    positive = np.ascontiguousarray(people[:, seen, 1].T)
    total = np.ascontiguousarray(people[:, seen, 0].T) + positive
    penalty = np.r_[np.ones(design.shape[1]), 0.0][:, None]

    def loss(weights: Floats, which: Ints) -> Floats:
        score = inputs @ weights
        fit = total[:, which] * _log_of_one_plus_exp(score) - positive[:, which] * score
        return np.asarray(fit.sum(axis=0) + 0.5 * (penalty * weights**2).sum(axis=0))

    # Data sets are releases of the same people, so the fit to their mean is close to each of them.
    start = fitted(design, people.mean(axis=0)[None]) if len(people) > 1 else (
        np.zeros((1, inputs.shape[1])))
    weights = np.repeat(start.T, len(people), axis=1)
    going = np.arange(len(people))  # those that are not there yet
    present = loss(weights, going)
    for _ in range(_NEWTON_STEPS):
        now, everybody = weights[:, going], total[:, going]
        chance = chances(inputs @ now)
        slope = by_input @ (everybody * chance - positive[:, going]) + penalty * now
        bend = _bends(by_product, everybody * chance * (1 - chance), len(penalty))
        bend += np.diag(penalty[:, 0] + 1e-12)
        step = np.linalg.solve(bend, slope.T[:, :, None])[:, :, 0].T
        gain = (step * slope).sum(axis=0)
        if gain.max() < _CLOSE:
            weights[:, going] = now - step
        else:
            weights[:, going], present[going] = _stepped(
                now, step, present[going], functools.partial(loss, which=going))
        going = going[gain >= _NEARLY]
        if not len(going):
            break
    return weights.T


def _log_of_one_plus_exp(score: Floats) -> Floats:
    """As `np.logaddexp(0, score)`, in a fraction of the time."""
    return np.asarray(np.maximum(score, 0) + np.log1p(np.exp(-np.abs(score))))


def _products(inputs: sparse.csr_array) -> sparse.csr_array:
    """For each pattern the products of its inputs, two by two. A pattern has one value of each
    feature, so most inputs are zero, and nearly all of their products."""
    patterns, width = inputs.shape
    filled = np.diff(inputs.indptr)
    most = int(filled.max(initial=0))
    place = np.arange(most) < filled[:, None]
    columns, values = np.zeros((patterns, most), dtype=np.int64), np.zeros((patterns, most))
    columns[place], values[place] = inputs.indices, inputs.data
    one, other = np.triu_indices(most)
    return sparse.csr_array((
        (values[:, one] * values[:, other]).ravel(),
        (width * columns[:, one] + columns[:, other]).ravel(),
        len(one) * np.arange(patterns + 1),
    ), shape=(patterns, width * width))


def _bends(by_product: sparse.csr_array, curvature: Floats, width: int) -> Floats:
    """For each data set Σ curvature · x xᵀ over the patterns: how the loss bends."""
    upper = np.ascontiguousarray((by_product @ curvature).T).reshape(-1, width, width)
    diagonal = np.einsum("rii->ri", upper).copy()
    found = upper + upper.transpose(0, 2, 1)
    np.einsum("rii->ri", found)[:] = diagonal
    return np.asarray(found)


def _stepped(
    weights: Floats, step: Floats, present: Floats, loss: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """The weights a step further, and their loss. A full step may overshoot: it is halved until the
    loss falls."""
    size = np.ones(len(present))
    for _ in range(_HALVINGS):
        tried = loss(weights - size * step)
        worse = tried > present + 1e-12 * np.abs(present)
        if not worse.any():
            break
        size[worse] /= 2
    return weights - size * step, tried


def log_odds(design: Floats, weights: Floats) -> Floats:
    """What the models say of each pattern: above 0 where class 1 is the more likely. A row for each
    data set."""
    return np.asarray(weights[:, :-1] @ design.T + weights[:, -1:])


def chances(odds: Floats) -> Floats:
    """Log-odds as probabilities of class 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))

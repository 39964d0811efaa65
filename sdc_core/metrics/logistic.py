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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdc_core.errors import InputError
from sdc_core.keep import kept_in_visit
from sdc_core.metrics.in_parts import in_parts

Floats = NDArray[np.float64]

_NEWTON_STEPS = 60
_HALVINGS = 12
_CLOSE = 1e-3  # so close a full step does not overshoot: its loss need not be looked at
_WORTH_A_THREAD = 40  # data sets
MOST_INPUTS = 1_500  # as many equations are solved for each fit: 18 MB
MOST_NUMBERS = 25_000_000  # of a design: 200 MB
_AT_ONCE = 4_000_000  # numbers in the equations of several data sets: 32 MB
_NEARLY = 1e-6  # what a step gains in log-likelihood: the next would gain about its square


def fitted(design: Floats, people: Floats) -> Floats:
    """The weights of every data set, a row each, the constant last.

    `design` has a row for each pattern; `people` says how many have the pattern and are in class 0
    or 1, one layer a data set: (data sets, patterns, 2), both classes in each. Minimises ½‖w‖² plus
    the negative log-likelihood, the constant free of penalty (scikit-learn's default, C = 1), by
    Newton's method; nothing in it is random.
    """
    seen = people.sum(axis=0).any(axis=1)  # patterns that no data set has do not matter
    inputs = _prepared(design, seen)
    start = np.zeros((design.shape[1] + 1, 1))
    if len(people) > 1:
        # Data sets are releases of the same people: the fit to their mean is close to each of them.
        start = _newton(inputs, people.mean(axis=0)[seen, :, None], start)
    there = people.transpose(1, 2, 0)[seen]
    number = max(1, _AT_ONCE // (design.shape[1] + 1) ** 2)
    return np.concatenate([
        part for some in (there[:, :, i : i + number] for i in range(0, len(people), number))
        for part in in_parts(
            lambda few, some=some: _newton(inputs, some[:, :, few], start),  # type: ignore[misc]
            some.shape[2], _WORTH_A_THREAD)
    ], axis=1).T


def check_inputs(patterns: int, inputs: int) -> None:
    """One sentence where a model would take more memory than there is for it."""
    if inputs > MOST_INPUTS or patterns * inputs > MOST_NUMBERS:
        raise InputError(
            f"A model that learns from {patterns:,} combinations of values would have {inputs:,} "
            f"inputs, one for each value; there is room for {MOST_INPUTS:,} inputs, and for "
            f"{MOST_NUMBERS // inputs:,} combinations with {inputs:,}. Leave out the feature with "
            "most values, or merge them.")


def seconds_of_a_fit(patterns: int, inputs: int) -> float:
    """About how long one takes on a usual machine; with many inputs their equations are all."""
    return 6e-7 * patterns + 4e-8 * inputs**2 + 1.7e-10 * inputs**3


class _Inputs(NamedTuple):
    """What is multiplied by: patterns by input, the same turned round, and products of inputs."""

    by_pattern: sparse.csr_array
    by_input: sparse.csr_array
    by_product: sparse.csr_array
    penalty: Floats


@kept_in_visit
def _prepared(design: Floats, seen: NDArray[np.bool_]) -> _Inputs:
    """A slider that moves fits the same design again and again."""
    there = design[seen]
    inputs = sparse.csr_array(np.column_stack([there, np.ones(len(there))]))
    penalty = np.r_[np.ones(design.shape[1]), 0.0][:, None]
    return _Inputs(inputs, inputs.T.tocsr(), _products(inputs).T.tocsr(), penalty)


def _newton(inputs: _Inputs, people: Floats, start: Floats) -> Floats:
    """The weights of every data set, a column each, found from where all start; `people` are by
    pattern, class and data set, so that what is multiplied cell by cell lies side by side."""
    by_pattern, by_input, by_product, penalty = inputs
    positive, total = people[:, 1], people[:, 0] + people[:, 1]
    weights = np.repeat(start, people.shape[2], axis=1)
    going, now = np.arange(people.shape[2]), weights  # those that are not there yet
    score = by_pattern @ now
    present = _loss(now, score, total, positive, penalty)
    for _ in range(_NEWTON_STEPS):
        chance = chances(score)
        expected = total * chance
        slope = by_input @ (expected - positive) + penalty * now
        bend = _bends(by_product, expected * (1 - chance), len(penalty))
        bend += np.diag(penalty[:, 0] + 1e-12)
        step = np.linalg.solve(bend, slope.T[:, :, None])[:, :, 0].T
        gain = (step * slope).sum(axis=0)
        if gain.max() < _CLOSE:
            now = now - step
            score = by_pattern @ now
        else:
            now, score, present = _stepped(now, step, present, by_pattern, functools.partial(
                _loss, total=total, positive=positive, penalty=penalty))
        weights[:, going] = now
        further = gain >= _NEARLY
        if not further.any():
            break
        if not further.all():
            going, present = going[further], present[further]
            now, score, total, positive = (
                one[:, further] for one in (now, score, total, positive))
    return weights


def _loss(
    weights: Floats, score: Floats, total: Floats, positive: Floats, penalty: Floats
) -> Floats:
    fit = total * _log_of_one_plus_exp(score) - positive * score
    return np.asarray(fit.sum(axis=0) + 0.5 * (penalty * weights**2).sum(axis=0))


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
    weights: Floats, step: Floats, present: Floats, by_pattern: sparse.csr_array,
    loss: Callable[[Floats, Floats], Floats],
) -> tuple[Floats, Floats, Floats]:
    """The weights a step further, their scores and their loss. A full step may overshoot: it is
    halved until the loss falls."""
    size = np.ones(len(present))
    for _ in range(_HALVINGS):
        new = weights - size * step
        score = by_pattern @ new
        tried = loss(new, score)
        worse = tried > present + 1e-12 * np.abs(present)
        if not worse.any():
            break
        size[worse] /= 2
    return new, score, tried


def log_odds(design: Floats, weights: Floats) -> Floats:
    """What the models say of each pattern: above 0 where class 1 is the more likely. A row for each
    data set."""
    return np.asarray(weights[:, :-1] @ design.T + weights[:, -1:])


def chances(odds: Floats) -> Floats:
    """Log-odds as probabilities of class 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))

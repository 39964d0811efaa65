"""Is a model that learnt from the released records still right about the real people?

As in P0 Figure 4: a classifier is trained on a release and tested on the original. People with the
same values are one pattern with a weight, which gives the model that their records would give, and
all releases of a method are fitted in one go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.classifiers import Bools, Floats, Model

Ints = NDArray[np.int64]

FOLDS = 5
PEOPLE_FOR_A_HEADLINE = 100  # a sentence that names the group hurt most needs so many in it
PEOPLE_FOR_A_RATE = 30  # an error rate among fewer jumps with every single person
_STREAM_OF_FOLDS = 1_000_003  # a repetition number that no release uses


@dataclass(frozen=True)
class Task:
    """What is predicted (`target`, a feature with two values) from what, over a table's cells."""

    domain: Domain
    predictors: tuple[str, ...]
    target: str

    def __post_init__(self) -> None:
        axes = self.domain.axes(self.predictors, "predictors")
        (aim,) = self.domain.axes([self.target], "target")
        values = len(self.domain.features[aim])
        if values != 2:
            raise InputError(
                f"target must have two values, and {self.target} has {values}. Choose another "
                "feature to predict."
            )
        if not axes or aim in axes:
            raise InputError(
                "predictors must be features other than the target. Choose at least one."
            )

    @property
    def class_labels(self) -> tuple[str, str]:
        first, second = self.domain.features[self.domain.names.index(self.target)].labels
        return first, second

    @cached_property
    def pattern(self) -> Ints:
        """Each cell's combination of predictor values."""
        return _combination(self.domain, self.domain.axes(self.predictors, "predictors"))

    @cached_property
    def klass(self) -> Ints:
        """Each cell's side of the target, 0 or 1."""
        return _combination(self.domain, self.domain.axes([self.target], "target"))

    @cached_property
    def design(self) -> Floats:
        """One row a pattern, a 0/1 column for every value of every predictor."""
        shape = [self.domain.shape[a] for a in self.domain.axes(self.predictors, "predictors")]
        values = np.unravel_index(np.arange(math.prod(shape)), shape)
        return np.concatenate(
            [np.eye(size)[codes] for size, codes in zip(shape, values, strict=True)], axis=1)

    def by_class(self, counts: NDArray[np.generic]) -> Floats:
        """People by pattern and class, one layer a release: shape (releases, patterns, 2)."""
        rows = np.atleast_2d(np.asarray(counts, dtype=np.float64))
        size = 2 * len(self.design)
        slot = 2 * self.pattern + self.klass
        summed = [np.bincount(slot, row, size).astype(np.float64) for row in rows]
        return np.stack(summed).reshape(len(rows), -1, 2)


def _combination(domain: Domain, axes: Sequence[int]) -> Ints:
    """For each cell the number of its combination of values along these axes."""
    positions = np.unravel_index(np.arange(domain.size), domain.shape)
    found = np.zeros(domain.size, dtype=np.int64)
    for axis in axes:
        found = found * domain.shape[axis] + positions[axis]
    return found


@dataclass(frozen=True, eq=False)
class Scores:
    """How right models are about the original, one number a release; NaN where a release had no
    records to learn from."""

    accuracy: Floats
    balanced: Floats
    predicted: Bools = field(repr=False)
    one_class: int = 0  # releases in which everybody has the same class
    empty: int = 0  # releases without any records

    @property
    def learnt(self) -> Bools:
        """What the models say that had records to learn from, one row a release."""
        return np.asarray(self.predicted[np.isfinite(self.accuracy)])


def scores(
    truth: Histogram, what: Task, released: NDArray[np.integer], model: Model, seed: int = 7
) -> Scores:
    """Train on every release (a row of people by cell), test on the truth."""
    people = what.by_class(released)
    rngs = [repetition_rng(seed, r) for r in range(len(people))]
    predicted = model.predict(what.design, people, rngs)
    empty = people.sum(axis=(1, 2)) == 0
    one_class = (people.sum(axis=1) > 0).sum(axis=1) == 1
    accuracy, balanced = _right(what.by_class(truth.counts)[0], predicted)
    accuracy[empty] = balanced[empty] = np.nan
    return Scores(accuracy, balanced, predicted, int(one_class.sum()), int(empty.sum()))


def _mean(numbers: Floats) -> float:
    known = numbers[np.isfinite(numbers)]
    return float(known.mean()) if len(known) else math.nan


def _right(people: Floats, predicted: Bools) -> tuple[Floats, Floats]:
    """The share of people whose class is predicted right, and the mean of that share within each
    class (balanced accuracy), which does not reward betting on the larger class."""
    hits = np.stack([~predicted @ people[:, 0], predicted @ people[:, 1]])
    sizes = people.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        recalls = hits / sizes[:, None]
        return hits.sum(axis=0) / sizes.sum(), np.nanmean(recalls, axis=0)


@dataclass(frozen=True, eq=False)
class Trained:
    """A mechanism with the scores of models that were trained on its releases."""

    mechanism: Mechanism
    scores: Scores

    @property
    def accuracy(self) -> float:
        return _mean(self.scores.accuracy)

    @property
    def balanced(self) -> float:
        return _mean(self.scores.balanced)


class Band(NamedTuple):
    """Mean and the middle 80% over the releases, at every point of a line."""

    mean: list[float]
    low: list[float]
    high: list[float]


def band(points: Sequence[Scores], metric: str) -> Band:
    """A metric (`accuracy`, `balanced`) along a line; NaN where no release could be learnt from."""
    runs = np.stack([np.asarray(getattr(s, metric)) for s in points])
    lost = ~np.isfinite(runs).any(axis=1)
    if np.isfinite(runs).all():
        mean, (low, high) = runs.mean(axis=1), np.quantile(runs, [0.1, 0.9], axis=1)
    else:
        runs[lost] = 0.0  # nothing to average there: said below
        mean, (low, high) = np.nanmean(runs, axis=1), np.nanquantile(runs, [0.1, 0.9], axis=1)
        for found in (mean, low, high):
            found[lost] = np.nan
    return Band(mean.tolist(), low.tolist(), high.tolist())


@dataclass(frozen=True, eq=False)
class TruthAndGuessing:
    """What to hold models trained on a release against: trained on the truth, and no model."""

    truth: Scores  # one model, tested on the people it learnt from
    unseen: float  # its accuracy on people that it has not learnt from
    guessing: float  # accuracy of always saying `guess`, the larger class
    guess: str


def truth_and_guessing(
    truth: Histogram, what: Task, model: Model, seed: int = 7
) -> TruthAndGuessing:
    """The model learns from the original and is tested on it, as in P0, which flatters it a little;
    `unseen` is its five-fold cross-validated accuracy, which does not."""
    sizes = what.by_class(truth.counts)[0].sum(axis=0)
    return TruthAndGuessing(
        scores(truth, what, truth.counts[None, :], model, seed),
        _cross_validated(truth, what, model, seed),
        float(sizes.max() / max(1.0, float(sizes.sum()))), what.class_labels[int(sizes.argmax())],
    )


def _cross_validated(truth: Histogram, what: Task, model: Model, seed: int) -> float:
    rng = repetition_rng(seed, _STREAM_OF_FOLDS)
    folds = rng.multinomial(truth.counts, np.full(FOLDS, 1 / FOLDS)).T
    people = what.by_class(truth.counts - folds)
    predicted = model.predict(
        what.design, people, [repetition_rng(seed, _STREAM_OF_FOLDS + 1 + f) for f in range(FOLDS)]
    )
    test = what.by_class(folds)
    right = np.where(predicted, test[:, :, 1], test[:, :, 0]).sum()
    return float(right / max(1, truth.total))


@dataclass(frozen=True, eq=False)
class GroupErrors:
    """The share of each group that is predicted wrong, release by release."""

    labels: tuple[tuple[str, ...], ...]
    people: Ints
    wrong: Floats = field(repr=False)  # one row a release that a model could learn from

    @property
    def mean(self) -> Floats:
        """On average over those releases; NaN if there is none."""
        if not len(self.wrong):
            return np.full(len(self.people), math.nan)
        return np.asarray(self.wrong.mean(axis=0))


def errors_by_group(
    truth: Histogram, what: Task, predicted: Bools, by: Sequence[str]
) -> GroupErrors:
    """Whom is the model wrong about? Groups with people in them, largest first."""
    axes = truth.domain.axes(by, "groups")
    shape = [truth.domain.shape[a] for a in axes]
    group = _combination(truth.domain, axes)
    size = math.prod(shape)
    people = np.bincount(group, truth.counts, size)
    missed = np.zeros((len(predicted), size))
    for found, row in zip(missed, predicted, strict=True):
        found[:] = np.bincount(group, truth.counts * (row[what.pattern] != what.klass), size)
    order = np.argsort(-people, kind="stable")
    order = order[people[order] > 0]
    features = [truth.domain.features[a] for a in axes]
    labels = tuple(
        tuple(f.labels[i] for f, i in zip(features, places, strict=True))
        for places in (np.unravel_index(g, shape) if shape else () for g in order)
    )
    return GroupErrors(labels, people[order].astype(np.int64), missed[:, order] / people[order])


@dataclass(frozen=True)
class GroupShift:
    """The group for which a release costs most: wrong how often, instead of how often."""

    labels: tuple[str, ...]
    wrong: float
    before: float
    people: int


def worst_shift(before: GroupErrors, after: GroupErrors) -> GroupShift | None:
    """Among groups that are large enough to be named, the one whose errors grow most; None where
    there is no such group, or no release to learn from."""
    large = np.flatnonzero(before.people >= PEOPLE_FOR_A_HEADLINE)
    if not len(large) or not len(after.wrong):
        return None
    now, then = after.mean, before.mean
    group = int(large[np.argmax((now - then)[large])])
    return GroupShift(before.labels[group], float(now[group]), float(then[group]),
                      int(before.people[group]))

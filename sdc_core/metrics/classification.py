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
from scipy import sparse

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.classifiers import Bools, Floats, Model, by_class
from sdc_core.metrics.error import PEOPLE_FOR_A_HEADLINE
from sdc_core.metrics.logistic import check_inputs

Ints = NDArray[np.int64]

FOLDS = 5
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
    def size(self) -> tuple[int, int]:
        """How many patterns and inputs the design has."""
        shape = [self.domain.shape[a] for a in self.domain.axes(self.predictors, "predictors")]
        return math.prod(shape), sum(shape)

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
        check_inputs(*self.size)
        shape = [self.domain.shape[a] for a in self.domain.axes(self.predictors, "predictors")]
        values = np.unravel_index(np.arange(math.prod(shape)), shape)
        return np.concatenate(
            [np.eye(size)[codes] for size, codes in zip(shape, values, strict=True)], axis=1)

    def by_class(self, counts: NDArray[np.generic]) -> Floats:
        """People by pattern and class, one layer a release: shape (releases, patterns, 2)."""
        rows = np.atleast_2d(np.asarray(counts, dtype=np.float64))
        return np.ascontiguousarray((self._belongs @ rows.T).T).reshape(len(rows), -1, 2)

    @cached_property
    def _belongs(self) -> sparse.csr_array:
        """Which cells (columns) have which pattern and class."""
        cells = len(self.pattern)
        place = 2 * self.pattern + self.klass
        return sparse.csr_array(
            (np.ones(cells), (place, np.arange(cells))), shape=(2 * len(self.design), cells))


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
    return scores_of_each(truth, what, [released], model, seed)[0]


def scores_of_each(
    truth: Histogram, what: Task, released: Sequence[NDArray[np.integer]], model: Model,
    seed: int = 7,
) -> list[Scores]:
    """The same for releases at several settings; models are fitted to all of them in one go."""
    people = what.by_class(np.concatenate(released))
    rngs = (repetition_rng(seed, r) for rows in released for r in range(len(rows)))
    predicted = model.predict(what.design, people, rngs)
    classes = (by_class(people) > 0).sum(axis=1)
    empty, one_class = classes == 0, classes == 1
    accuracy, balanced = _right(what.by_class(truth.counts)[0], predicted)
    accuracy[empty] = balanced[empty] = np.nan
    ends = np.cumsum([len(rows) for rows in released])
    return [
        Scores(accuracy[here], balanced[here], predicted[here], int(one_class[here].sum()),
               int(empty[here].sum()))
        for here in (slice(end - len(rows), end) for end, rows in zip(ends, released, strict=True))
    ]


class Mean(NamedTuple):
    """A mean over releases, with its standard error (unknown, so without end, from one release)."""

    mean: float
    se: float
    releases: int


def mean_of(runs: Floats) -> Mean:
    """Over the releases that there is a number for."""
    known = runs[np.isfinite(runs)]
    number = len(known)
    if not number:
        return Mean(math.nan, math.inf, 0)
    moved = known - known[0]  # so that what is always the same has an error of exactly zero
    se = float(moved.std(ddof=1)) / math.sqrt(number) if number > 1 else math.inf
    return Mean(float(known.mean()), se, number)


def paired(one: Floats, other: Floats) -> Mean:
    """One minus the other, release by release: release r of every method, and at every setting, is
    drawn from the same random stream."""
    number = min(len(one), len(other))
    return mean_of(one[:number] - other[:number])


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

    @cached_property
    def accuracy(self) -> float:
        return mean_of(self.scores.accuracy).mean

    @cached_property
    def balanced(self) -> float:
        return mean_of(self.scores.balanced).mean


class Band(NamedTuple):
    """Mean and the middle 80% over the releases, at every point of a line."""

    mean: list[float]
    low: list[float]
    high: list[float]


def middle(runs: Floats) -> tuple[Floats, Floats]:
    """Where the middle 80% of each column begin and end. As `np.quantile`, in a quarter of the
    time, which a moved slider asks for a dozen times."""
    ordered = np.sort(runs, axis=0)
    found = []
    for share in (0.1, 0.9):
        place = share * (len(runs) - 1)
        below = int(place)
        one, other = ordered[below], ordered[min(below + 1, len(runs) - 1)]
        rest = place - below
        found.append(one + (other - one) * rest if rest < 0.5 else (
            other - (other - one) * (1 - rest)))
    return found[0], found[1]


def band(points: Sequence[Scores], metric: str) -> Band:
    """A metric (`accuracy`, `balanced`) along a line; NaN where no release could be learnt from."""
    runs = np.stack([np.asarray(getattr(s, metric)) for s in points])
    lost = ~np.isfinite(runs).any(axis=1)
    if np.isfinite(runs).all():
        mean, (low, high) = runs.mean(axis=1), middle(runs.T)
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
    unseen_se: float = 0.0  # of the difference between the two accuracies


def truth_and_guessing(
    truth: Histogram, what: Task, model: Model, seed: int = 7
) -> TruthAndGuessing:
    """The model learns from the original and is tested on it, as in P0, which flatters it a little;
    `unseen` is its five-fold cross-validated accuracy, which does not."""
    sizes = what.by_class(truth.counts)[0].sum(axis=0)
    trained = scores(truth, what, truth.counts[None, :], model, seed)
    unseen, se = _cross_validated(truth, what, model, seed, trained.predicted[0])
    return TruthAndGuessing(
        trained, unseen, float(sizes.max() / max(1.0, float(sizes.sum()))),
        what.class_labels[int(sizes.argmax())], se,
    )


def _cross_validated(
    truth: Histogram, what: Task, model: Model, seed: int, seen: Bools
) -> tuple[float, float]:
    """Accuracy on people that were not learnt from, and the standard error of what it differs by
    from that of `seen`, which rests on the people about whom the two disagree (McNemar)."""
    rng = repetition_rng(seed, _STREAM_OF_FOLDS)
    folds = rng.multinomial(truth.counts, np.full(FOLDS, 1 / FOLDS)).T
    people = what.by_class(truth.counts - folds)
    predicted = model.predict(
        what.design, people, [repetition_rng(seed, _STREAM_OF_FOLDS + 1 + f) for f in range(FOLDS)]
    )
    test = what.by_class(folds)
    right = np.where(predicted, test[:, :, 1], test[:, :, 0]).sum()
    disagree = test.sum(axis=2)[predicted != seen].sum()
    total = max(1, truth.total)
    return float(right / total), math.sqrt(disagree) / total


def rate_error(rate: float, people: int) -> float:
    """The standard error of a share, of one more that is wrong and one more that is right, so that
    it is never zero."""
    share = (rate * people + 1) / (people + 2)
    return math.sqrt(share * (1 - share) / (people + 2))


@dataclass(frozen=True, eq=False)
class GroupErrors:
    """The share of each group that is predicted wrong, release by release."""

    labels: tuple[tuple[str, ...], ...]
    people: Ints
    wrong: Floats = field(repr=False)  # one row a release that a model could learn from

    @cached_property
    def mean(self) -> Floats:
        """On average over those releases; NaN if there is none."""
        if not len(self.wrong):
            return np.full(len(self.people), math.nan)
        return np.asarray(self.wrong.mean(axis=0))

    @property
    def se(self) -> Floats:
        """How far each mean is off by the chance of the releases."""
        return np.array([mean_of(runs).se for runs in self.wrong.T])

    @property
    def chance(self) -> Floats:
        """How far a rate is off by chance in a group of so few people."""
        return np.array([rate_error(*one) for one in zip(self.mean, self.people, strict=True)])


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


@dataclass(frozen=True, eq=False)
class GroupShift:
    """A group for which a release may cost something: wrong how often, instead of how often."""

    labels: tuple[str, ...]
    people: int
    before: float
    runs: Floats = field(repr=False)  # wrong after each release

    @cached_property
    def wrong(self) -> float:
        return float(self.runs.mean())

    @cached_property
    def more(self) -> Mean:
        """How much more often the model is wrong."""
        return mean_of(self.runs - self.before)

    @property
    def chance(self) -> float:
        """How far the difference of two rates is off by chance among so few people."""
        return math.hypot(*(rate_error(rate, self.people) for rate in (self.before, self.wrong)))


def group_shifts(
    before: GroupErrors, after: GroupErrors, least: int = PEOPLE_FOR_A_HEADLINE,
    below: float = math.inf,
) -> list[GroupShift]:
    """Of all groups that are large enough to be named, or have so many people and fewer than that;
    none without a release to learn from."""
    if not len(after.wrong):
        return []
    then = before.mean
    return [
        GroupShift(before.labels[g], int(before.people[g]), float(then[g]), after.wrong[:, g])
        for g in np.flatnonzero((before.people >= least) & (before.people < below))
    ]

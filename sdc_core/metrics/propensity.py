"""Can a classifier tell released records from original ones? Propensity scores and pMSE.

A classifier is shown original records (class 0) and released ones (class 1) and scores each record
by how sure it is that the record was released. Where the release looks like the original, all
scores are near c, the share of released records among all.

    pMSE = 1/N Σ (p_i - c)²        (Woo et al. 2009; Snoke et al. 2018)

Scores are cross-fitted: each record's score comes from a classifier that has not seen it. Records
of the same pattern are alike, so their counts are split over the folds and classifiers are fitted
on patterns with weights, which gives what fitting on records gives.

What a perfect release would score. Snoke's E[pMSE] = (k - 1)(1 - c)² c / N is for logistic
regression fitted and scored on the same records, where the release is a fresh draw; with
cross-fitting and trees it does not hold, and fitted in that way an exact copy scores 0. Here the
reference is the exact copy itself under the same cross-fitting: it scores above 0 only because the
folds of the two sides differ by chance. A second one is a fresh sample (a bootstrap) of the same
people. Both are means over seeded repetitions at equal sizes. For other sizes they are scaled: a
leaf or coefficient deviates from c by c(1 - c)(noise of both sides), whose square goes with
c²(1 - c)²(1/n + 1/m) = c(1 - c)²/n, which is Snoke's factor again. That is a first approximation:
a tree grows with its records, so a copy of everybody many times over drifts above 1.

How people are dealt into folds moves pMSE by chance: with two groups alone an exact copy has a
ratio anywhere between 0.2 and 2.7. So pMSE is the mean over several deals, and the reference says
how far a copy's ratio still strays.

Of many releases each but the first is scored in one of its folds: a random fifth of its records has
the same mean as all of them, and releases differ far more than fifths of one release do, so twenty
releases say more than four in all folds, which take as long.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from sdc_core.errors import InputError
from sdc_core.histogram import Feature
from sdc_core.keep import kept_in_visit
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.logistic import chances, check_inputs, fitted, log_odds, seconds_of_a_fit
from sdc_core.metrics.side_by_side import Ints, SideBySide
from sdc_core.metrics.trees import with_trees

Floats = NDArray[np.float64]

GIVES_AWAY = 0.95  # P2 Fig 2: scores of 95 and more out of 100 are "confidently" called released
FOLDS = 5
DEALS = 10  # how often people are dealt into folds for a ratio that is shown
COPIES = 40  # a copy's pMSE is what all ratios are divided by, so it gets more deals
FRESH_SAMPLES = 10
ENOUGH_IN_A_FOLD = 100  # records of either side: with fewer, all folds are scored
_AT_ONCE = 1 << 19  # numbers in a matrix of folds by patterns: 4 MB
# Streams of their own: the first ones draw the releases, and folds must not follow the noise.
_FOLD_STREAM = 1_000_000
_COPY_STREAM = 2_000_000
_FRESH_STREAM = 4_000_000


class Classifier(Protocol):
    """Something that can be told to separate two weighted sets of patterns."""

    @property
    def title(self) -> str: ...

    def scores(
        self, features: tuple[Feature, ...], codes: Ints, original: Ints, released: Ints
    ) -> Floats:
        """For each pattern the probability that a record like it was released. Both sides have a
        row of people by pattern for each data set, and in each of them both have people."""
        ...

    def seconds(self, features: tuple[Feature, ...], patterns: int) -> float:
        """About how long one data set takes."""
        ...


@dataclass(frozen=True)
class Tree:
    """A decision tree (Gini) on the codes; no leaf with fewer than `leaf` records."""

    depth: int = 12
    leaf: int = 10

    @property
    def title(self) -> str:
        return "Decision tree"

    def scores(
        self, features: tuple[Feature, ...], codes: Ints, original: Ints, released: Ints
    ) -> Floats:
        inputs = codes.astype(np.float32)
        people = np.stack([original, released], axis=1).astype(np.float64)
        leaves = [min(0.5, (self.leaf - 0.5) / float(one.sum())) for one in people]
        return with_trees(inputs, people, self.depth, leaves)

    def seconds(self, features: tuple[Feature, ...], patterns: int) -> float:
        return 1.2e-6 * patterns


@dataclass(frozen=True)
class Logistic:
    """Logistic regression on one column for each value (and one for the position of ordered
    values), with scikit-learn's usual ridge penalty, so that a value only one side has keeps the
    fit finite. Both sides of a pattern are one row with a share released; scikit-learn fitted to
    records gives the same (see the tests).
    """

    @property
    def title(self) -> str:
        return "Logistic regression"

    def scores(
        self, features: tuple[Feature, ...], codes: Ints, original: Ints, released: Ints
    ) -> Floats:
        columns = design(features, codes)
        people = np.stack([original, released], axis=2).astype(np.float64)
        return chances(log_odds(columns, fitted(columns, people)))

    def seconds(self, features: tuple[Feature, ...], patterns: int) -> float:
        return seconds_of_a_fit(patterns, sum(map(len, features)))


CLASSIFIERS: dict[str, Classifier] = {"tree": Tree(), "logistic": Logistic()}


def design(features: tuple[Feature, ...], codes: Ints) -> Floats:
    """A column for each value of each feature; ordered features also as a number from 0 to 1."""
    check_inputs(len(codes), sum(map(len, features)))
    columns = []
    for feature, code in zip(features, codes.T, strict=True):
        columns.append(np.eye(len(feature))[code])
        bins = len(feature) - feature.unordered_tail
        if feature.ordered and bins > 1:
            columns.append(np.where(code < bins, code / (bins - 1), 0.0)[:, None])
    return np.concatenate(columns, axis=1)


@dataclass(frozen=True)
class Reference:
    """Mean pMSE of an exact copy and of a fresh sample, both as large as the original; how far
    single deals of the copy stray from its mean (standard deviation), over how many deals; and how
    far what `propensities` scores of one release strays: a fold, or all of few people."""

    copy: float
    fresh: float
    copy_spread: float = 0.0
    copies: int = COPIES
    release_spread: float = 0.0

    def ratio_spread(self, deals: int) -> float:
        """Standard deviation of an exact copy's ratio over `deals` deals, with what the mean that
        it is divided by adds."""
        if self.copy <= 0:
            return math.nan
        return self.copy_spread / self.copy * math.sqrt(1 / deals + 1 / self.copies)

    def copy_range(self, releases: int) -> tuple[float, float]:
        """Where the mean ratio of so many releases lies nearly always if each is an exact copy: two
        standard deviations either side."""
        if self.copy <= 0:
            return math.nan, math.nan
        reach = 2 / self.copy * math.hypot(
            self.release_spread / math.sqrt(releases), self.copy_spread / math.sqrt(self.copies))
        return max(1 - reach, 0.0), 1 + reach


@dataclass(frozen=True, eq=False)
class Propensity:
    """Scores by fold and pattern, and how many original and released records have each: those of
    the first deal, all folds or one of them. pMSE is the mean over `deals` of them."""

    pair: SideBySide = field(repr=False)
    classifier: Classifier
    scores: Floats = field(repr=False)
    original: Ints = field(repr=False)
    released: Ints = field(repr=False)
    pmse: float
    reference: Reference | None = None
    deals: int = 1

    @property
    def share_released(self) -> float:
        """c: what a classifier that knows nothing would say of every record."""
        return self.pair.released_people / (self.pair.people + self.pair.released_people)

    @functools.cached_property
    def even_scores(self) -> Floats:
        """Scores as they would be if both sides had equally many records: what a record's values
        say, without what the mere size of the release says. A record that says nothing has ½."""
        c = self.share_released
        for_release, for_original = self.scores / c, (1 - self.scores) / (1 - c)
        return for_release / (for_release + for_original)

    def _against(self, expected: float) -> float:
        c = self.share_released
        scaled = expected * 8 * c * (1 - c) ** 2  # 1 where both sides are of one size
        return self.pmse / scaled if scaled > 0 else math.nan

    @property
    def ratio(self) -> float:
        """How many times the pMSE of an exact copy? 1 is as good as can be."""
        return self._against(self.reference.copy) if self.reference else math.nan

    @property
    def fresh_ratio(self) -> float:
        """The ratio that a fresh sample of the same people would have."""
        if self.reference is None or self.reference.copy <= 0:
            return math.nan
        return self.reference.fresh / self.reference.copy

    def distribution(self, bins: int = 25) -> tuple[Floats, Floats, Floats]:
        """Edges from 0 to 100, and the shares of original and of released records in each bin."""
        return np.linspace(0, 100, bins + 1), *self.shares(bins)

    def shares(self, bins: int) -> tuple[Floats, Floats]:
        """The shares of original and of released records in each of so many bins of scores."""
        # the small shift keeps scores that differ from an edge by rounding alone on one side of it
        which = (self.even_scores * bins - 1e-9).astype(np.int64).ravel()
        which = np.minimum(np.maximum(which, 0), bins - 1)
        original, released = (
            np.bincount(which, weights.ravel(), minlength=bins) / weights.sum()
            for weights in (self.original, self.released)
        )
        return original, released

    def given_away(self, threshold: float = GIVES_AWAY) -> Ints:
        """For each pattern, how many released records the classifier is that sure of, of those that
        are scored."""
        return np.where(self.even_scores >= threshold, self.released, 0).sum(axis=0)

    def accused(self, threshold: float = GIVES_AWAY) -> int:
        """How many original records it takes for released ones, just as surely, of those that are
        scored."""
        return int(np.where(self.even_scores >= threshold, self.original, 0).sum())

    @property
    def times_released(self) -> float:
        """How many released records stand behind one that is scored."""
        return self.pair.released_people / float(self.released.sum())

    @property
    def times_original(self) -> float:
        return self.pair.people / float(self.original.sum())


def propensity(
    pair: SideBySide,
    classifier: Classifier,
    folds: int = FOLDS,
    seed: int = 7,
    reference: Reference | None = None,
    deals: int = 1,
    progress: Callable[[float], None] | None = None,
    first_deal: int = 0,
) -> Propensity:
    """How surely can this classifier tell released records from original ones?

    With `folds` = 1 it is fitted and scored on the same records, as SDNist does (its tree is
    `Tree(depth=6, leaf=1)`); otherwise no record takes part in its own score. `deals` is how often
    people are dealt into folds anew, for a pMSE that depends less on the luck of one deal; they are
    counted from `first_deal`, so that each of many releases can have a deal of its own.
    """
    pair.need_people()
    if not 1 <= folds <= 20:
        raise InputError(f"folds must be in [1, 20], got {folds}. Try {FOLDS}.")
    if not 1 <= deals <= 1000:
        raise InputError(f"deals must be in [1, 1000], got {deals}. Try {DEALS}.")
    deals = deals if folds > 1 else 1  # without folds there is nothing to deal
    rngs = [repetition_rng(seed, _FOLD_STREAM + first_deal + deal) for deal in range(deals)]
    held = [range(folds)] * deals
    found = _scored_folds([pair] * deals, classifier, _dealt([pair] * deals, folds, rngs), held,
                          progress)
    return _scored(pair, classifier, found, reference)


Deal = tuple[Ints, Ints]  # original and released people, a row for each fold


def dealt(
    pairs: Sequence[SideBySide | None], seed: int = 7, folds: int = FOLDS
) -> list[Deal | None]:
    """Many releases, each dealt into folds: release r as `propensity` does with `first_deal` = r.
    All classifiers are shown the same deals."""
    rng = np.random.Generator(np.random.PCG64(0))  # set to where each stream is
    return [
        None if pair is None else _dealt_again(pair, folds, seed, _FOLD_STREAM + r, rng)
        for r, pair in enumerate(pairs)
    ]


def _dealt_again(
    pair: SideBySide, folds: int, seed: int, stream: int, rng: np.random.Generator
) -> Deal:
    """As `_dealt`. A pattern that nobody has takes no draw, so the original's people are dealt
    alike beside every release, and a slider that moves asks for the same deals again and again."""
    there = pair.original > 0
    people, state = _original_dealt(pair.original[there], folds, seed, stream)
    original = np.zeros((folds, len(there)), dtype=np.int64)
    original[:, there] = people
    rng.bit_generator.state = state
    return original, _split(pair.released, folds, rng)


@kept_in_visit
def _original_dealt(people: Ints, folds: int, seed: int, stream: int) -> tuple[Ints, Any]:
    """The deal, and where the stream is after it."""
    rng = repetition_rng(seed, stream)
    return _split(people, folds, rng), rng.bit_generator.state


def propensities(
    pairs: Sequence[SideBySide | None],
    classifier: Classifier,
    deals: Sequence[Deal | None],
    reference: Reference | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Propensity | None]:
    """The propensity of many releases over the same patterns. The first that has people is scored
    in all folds, of each other release r fold r modulo their number is. None stands for a release
    without people; at least one has some."""
    there = [r for r, pair in enumerate(pairs) if pair is not None]
    known = [pair for pair in pairs if pair is not None]
    ready = [deal for deal in deals if deal is not None]
    folds = len(ready[0][0])
    held = [
        range(r % folds, r % folds + 1) if number and _enough(pair, folds) else range(folds)
        for number, (r, pair) in enumerate(zip(there, known, strict=True))
    ]
    found: list[Propensity | None] = [None] * len(pairs)
    scored = _scored_folds(known, classifier, ready, held, progress)
    for r, pair, one in zip(there, known, scored, strict=True):
        found[r] = _scored(pair, classifier, [one], reference)
    return found


def _enough(pair: SideBySide, folds: int) -> bool:
    """Are there so many records that one fold tells what all would?"""
    return min(pair.people, pair.released_people) >= folds * ENOUGH_IN_A_FOLD


class Dealt(NamedTuple):
    """Scores, original and released records by fold and pattern, for one deal into folds."""

    scores: Floats
    original: Ints
    released: Ints


def _scored(
    pair: SideBySide, classifier: Classifier, found: Sequence[Dealt], reference: Reference | None
) -> Propensity:
    pmses = [_pmse(pair, one) for one in found]
    pmse = pmses[0] if len(pmses) == 1 else float(np.mean(pmses))
    return Propensity(pair, classifier, *found[0], pmse, reference, len(found))


def _dealt(
    pairs: Sequence[SideBySide], folds: int, rngs: Sequence[np.random.Generator]
) -> list[Deal]:
    """Each of these pairs dealt into folds."""
    return [
        (_split(pair.original, folds, rng), _split(pair.released, folds, rng))
        for pair, rng in zip(pairs, rngs, strict=True)
    ]


def _scored_folds(
    pairs: Sequence[SideBySide], classifier: Classifier, deals: Sequence[Deal],
    held: Sequence[range], progress: Callable[[float], None] | None = None,
) -> list[Dealt]:
    """Each of these pairs, which have the same patterns, scored in the folds that are held out; as
    many at once as fit into memory. Progress is told for each."""
    at_once = max(1, _AT_ONCE // (len(deals[0][0]) * max(len(pairs[0].codes), 1)))
    found: list[Dealt] = []
    for start in range(0, len(pairs), at_once):
        some = slice(start, start + at_once)
        with _threads().limit(limits=1):
            scores = _scores_without(pairs[some], classifier, deals[some], held[some])
        for one, sides, folds in zip(scores, deals[some], held[some], strict=True):
            found.append(Dealt(one, *(side[folds.start : folds.stop] for side in sides)))
            if progress is not None:
                progress(len(found) / len(pairs))
    return found


@functools.cache
def _threads() -> ThreadpoolController:
    """One thread is enough: matrices here are small, and on a busy machine threads would wait for
    each other ten times as long as they compute."""
    return ThreadpoolController()


def _pmse(pair: SideBySide, found: Dealt) -> float:
    """Over the records that are scored."""
    c = pair.released_people / (pair.people + pair.released_people)
    people = found.original + found.released
    return float((((found.scores - c) ** 2) * people).sum() / people.sum())


def _split(counts: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Each person goes to a fold at random: one row a fold."""
    if folds == 1:
        return counts[None, :]
    return rng.multinomial(counts, np.full(folds, 1 / folds)).T


def _scores_without(
    pairs: Sequence[SideBySide], classifier: Classifier, deals: Sequence[Deal],
    held: Sequence[range],
) -> list[Floats]:
    """Scores of all patterns, by pair and fold that is held out, by classifiers that have not seen
    its records."""
    left = [
        np.concatenate([
            (deal[side] if len(deal[side]) == 1 else whole - deal[side][folds.start : folds.stop])
            for whole, deal, folds in zip(wholes, deals, held, strict=True)
        ])
        for side, wholes in enumerate(
            ([pair.original for pair in pairs], [pair.released for pair in pairs]))
    ]
    sides = np.stack([side.sum(axis=1) for side in left])
    patterns = left[0].shape[1]
    # with a handful of people one side may be missing, and that is all there is to say
    scores = np.repeat((sides[1] / np.maximum(sides.sum(axis=0), 1))[:, None], patterns, axis=1)
    both = sides.all(axis=0)
    if both.any():
        scores[both] = classifier.scores(
            pairs[0].features, pairs[0].codes, left[0][both], left[1][both])
    return np.split(scores, np.cumsum([len(folds) for folds in held])[:-1])


def reference_of(
    pair: SideBySide,
    classifier: Classifier,
    folds: int = FOLDS,
    seed: int = 7,
    copies: int = COPIES,
    progress: Callable[[float], None] | None = None,
) -> Reference:
    """What pMSE do an exact copy and a fresh sample of the original have? (Release not used.)"""
    used = pair.original > 0
    original = pair.original[used]
    rngs = [repetition_rng(seed, _COPY_STREAM + r) for r in range(copies)]
    rngs += [repetition_rng(seed, _FRESH_STREAM + r) for r in range(FRESH_SAMPLES)]
    released = [original] * copies
    released += [rng.multinomial(pair.people, original / pair.people) for rng in rngs[copies:]]
    pairs = [SideBySide(pair.features, pair.codes[used], original, row) for row in released]
    found = _scored_folds(
        pairs, classifier, _dealt(pairs, folds, rngs), [range(folds)] * len(pairs), progress)
    pmses = [_pmse(*one) for one in zip(pairs, found, strict=True)]
    copied, fresh = pmses[:copies], pmses[copies:]
    spread = float(np.std(copied, ddof=1)) if copies > 1 else math.nan
    of_a_release = spread
    if _enough(pairs[0], folds):
        of_a_release = float(np.std([
            _pmse(pairs[0], Dealt(one.scores[[f]], one.original[[f]], one.released[[f]]))
            for one in found[:copies] for f in range(folds)
        ], ddof=1))
    return Reference(float(np.mean(copied)), float(np.mean(fresh)), spread, copies, of_a_release)

"""What Told apart finds about the releases of a method, and what to hold it against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.experiment import Progress
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.kmarginal import BEST, KMarginal, kmarginal, kmarginals
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.propensity import (
    CLASSIFIERS,
    Propensity,
    Reference,
    dealt,
    propensities,
    reference_of,
)
from sdc_core.metrics.side_by_side import SideBySide

Floats = NDArray[np.float64]
RELEASES = 20  # of each method
BINS = 20  # of 5 points each, so that the last one is where records give themselves away
MARGINALS = (2, 3)
_FRESH_SAMPLES = 5
_FRESH_STREAM = 3_000_000  # of random numbers, apart from those of releases and folds


@dataclass(frozen=True, eq=False)
class CopyScores:
    """What an exact copy and a fresh sample of the same people would score."""

    references: Mapping[str, Reference]  # by classifier
    fresh_scores: Mapping[int, float]  # k-marginal of a fresh sample, by k


def copy_scores(
    table: Histogram, by: str | None, seed: int, classifiers: Sequence[str] = tuple(CLASSIFIERS),
    progress: Progress | None = None,
) -> CopyScores:
    """They depend on the original alone, so all releases of a table share them."""
    pair = SideBySide.of_table(table, table.counts)
    pair.need_people()
    references = {
        name: reference_of(
            pair, CLASSIFIERS[name], seed=seed, progress=_part(progress, i, len(classifiers)))
        for i, name in enumerate(classifiers)
    }
    fresh = [
        repetition_rng(seed, _FRESH_STREAM + r).multinomial(
            table.total, table.counts / table.total
        )
        for r in range(_FRESH_SAMPLES)
    ]
    scores = {
        k: float(np.mean([_score(table, sample, k, by) for sample in fresh])) for k in MARGINALS
    }
    return CopyScores(references, scores)


def _part(progress: Progress | None, done: int, number: int) -> Progress | None:
    """The progress of one classifier as a part of that of all."""
    if progress is None:
        return None
    return lambda share: progress((done + share) / number)


def _score(table: Histogram, released: NDArray[np.int64], k: int, by: str | None) -> float:
    try:
        return kmarginal(SideBySide.of_table(table, released), k, by).score
    except InputError:  # a table of places alone, which is said where the score would be
        return float("nan")


@dataclass(frozen=True, eq=False)
class Scores:
    """What one classifier makes of the releases of a method: numbers of records, release by
    release, from those that are scored to all; and the scores of one release, whose records are
    listed."""

    first: Propensity = field(repr=False)  # of the first release that has people
    away: OverReleases  # released records that give themselves away
    invented: OverReleases  # those of them in groups that have nobody
    share: OverReleases  # that give themselves away, of all released records
    accused: OverReleases
    pmse: OverReleases
    ratio: OverReleases
    original: Floats = field(repr=False)  # mean share of records in each of BINS ranges of scores
    released: Floats = field(repr=False)

    @classmethod
    def of(cls, found: Sequence[Propensity | None]) -> Scores:
        """None stands for a release that has nobody in it."""
        known = [one for one in found if one is not None]

        def over(number: Callable[[Propensity], float]) -> OverReleases:
            return OverReleases(np.array([np.nan if p is None else number(p) for p in found]))

        shares = np.mean([one.shares(BINS) for one in known], axis=0)
        given_away = {p: p.given_away() for p in known}
        away = over(lambda p: float(given_away[p].sum() * p.times_released))
        nobody = known[0].pair.original == 0  # all releases have the same patterns
        invented = over(lambda p: float(given_away[p][nobody].sum() * p.times_released))
        released = over(lambda p: p.pair.released_people)
        return cls(
            known[0], away, invented, OverReleases(away.each / released.each),
            over(lambda p: p.accused() * p.times_original),
            over(lambda p: p.pmse), over(lambda p: p.ratio), *shares,
        )

    @property
    def beyond_mistakes(self) -> OverReleases:
        """The share of released records that give themselves away, less the share of original ones
        that are taken for released just as surely."""
        return OverReleases(self.share.each - self.accused.each / self.first.pair.people)

    @property
    def invented_share(self) -> float:
        """Of the records that give themselves away: how many are of people who do not exist?"""
        return self.invented.mean / self.away.mean if self.away.mean else 0.0


@dataclass(frozen=True)
class Place:
    """A place, and its score release by release."""

    name: str
    people: int
    released: OverReleases
    score: OverReleases


@dataclass(frozen=True, eq=False)
class Tables:
    """How well tables of k features agree, release by release."""

    first: KMarginal  # of one release, for what all have in common
    score: OverReleases
    invented: OverReleases  # share of people whom the average table puts where nobody is
    places: tuple[Place, ...]

    @classmethod
    def of(cls, found: Sequence[KMarginal | None]) -> Tables:
        known = [one for one in found if one is not None]

        def over(number: Callable[[KMarginal], float]) -> OverReleases:
            return OverReleases(np.array([np.nan if m is None else number(m) for m in found]))

        return cls(
            known[0], over(lambda m: m.score), over(lambda m: m.invented),
            tuple(
                Place(
                    p.name, p.people, over(lambda m, i=i: m.places[i].released),  # type: ignore[misc]
                    over(lambda m, i=i: m.places[i].score),  # type: ignore[misc]
                )
                for i, p in enumerate(known[0].places)
            ),
        )

    @property
    def misplaced(self) -> float:
        return 1 - self.score.mean / BEST


@dataclass(frozen=True, eq=False)
class ToldApart:
    """Releases beside the original. Where something cannot be computed, `problem` says why."""

    mechanism: Mechanism
    released: OverReleases  # people; not a number where there are none
    invented: OverReleases  # those of them in groups that have nobody
    scores: Mapping[str, Scores] = field(repr=False)  # by classifier
    tables: Mapping[int, Tables] = field(repr=False)  # by number of features
    problem: str = ""

    @property
    def releases(self) -> int:
        """How many have people in them."""
        return len(self.released.known)

    @property
    def drawn(self) -> int:
        return len(self.released.each)


def told_apart(
    mechanism: Mechanism,
    table: Histogram,
    rows: NDArray[np.int64],
    against: CopyScores,
    by: str | None,
    seed: int,
    progress: Progress | None = None,
) -> ToldApart:
    """How well can these releases be told from the original, by the classifiers that are held
    `against` copies, and do their small tables agree? Each release is dealt into folds of its own,
    so numbers differ as those of other releases would."""
    people = rows.sum(axis=1)
    somebody = people > 0
    sizes = (
        OverReleases(np.where(somebody, people, np.nan)),
        OverReleases(np.where(somebody, rows[:, table.counts == 0].sum(axis=1), np.nan)),
    )
    if not somebody.any():
        return ToldApart(mechanism, *sizes, {}, {}, _problem(table, rows[0]))
    pairs = [
        pair if pair.released_people else None for pair in SideBySide.of_releases(table, rows)
    ]
    deals = dealt(pairs, seed)
    scores = {
        name: Scores.of(propensities(
            pairs, CLASSIFIERS[name], deals, reference,
            _part(progress, i, len(against.references))))
        for i, (name, reference) in enumerate(against.references.items())
    }
    try:
        known = [pair for pair in pairs if pair is not None]
        found = {k: iter(kmarginals(known, k, by)) for k in MARGINALS}
        tables = {
            k: Tables.of([None if pair is None else next(found[k]) for pair in pairs])
            for k in MARGINALS
        }
    except InputError as problem:
        return ToldApart(mechanism, *sizes, scores, {}, str(problem))
    return ToldApart(mechanism, *sizes, scores, tables)


def _problem(table: Histogram, released: NDArray[np.int64]) -> str:
    try:
        SideBySide.of_table(table, released).need_people()
    except InputError as problem:
        return str(problem)
    return ""

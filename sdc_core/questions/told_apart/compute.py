"""What Told apart finds about one release, and what to hold it against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.experiment import Progress
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.kmarginal import KMarginal, kmarginal
from sdc_core.metrics.propensity import (
    CLASSIFIERS,
    DEALS,
    Propensity,
    Reference,
    propensity,
    reference_of,
)
from sdc_core.metrics.side_by_side import SideBySide

MARGINALS = (2, 3)
_FRESH_SAMPLES = 5
_FRESH_STREAM = 3_000_000  # of random numbers, apart from those of releases and folds


@dataclass(frozen=True, eq=False)
class CopyScores:
    """What an exact copy and a fresh sample of the same people would score."""

    references: Mapping[str, Reference]  # by classifier
    fresh_scores: Mapping[int, float]  # k-marginal of a fresh sample, by k


def copy_scores(
    table: Histogram, by: str | None, seed: int, progress: Progress | None = None
) -> CopyScores:
    """They depend on the original alone, so all releases of a table share them."""
    pair = SideBySide.of_table(table, table.counts)
    pair.need_people()
    references = {
        name: reference_of(pair, one, seed=seed, progress=_part(progress, i))
        for i, (name, one) in enumerate(CLASSIFIERS.items())
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


def _part(progress: Progress | None, done: int) -> Progress | None:
    """The progress of one classifier as a part of that of all."""
    if progress is None:
        return None
    return lambda share: progress((done + share) / len(CLASSIFIERS))


def _score(table: Histogram, released: NDArray[np.int64], k: int, by: str | None) -> float:
    try:
        return kmarginal(SideBySide.of_table(table, released), k, by).score
    except InputError:  # a table of places alone, which is said where the score would be
        return float("nan")


@dataclass(frozen=True, eq=False)
class ToldApart:
    """One release beside the original. Where something cannot be computed, `problem` says why."""

    mechanism: Mechanism
    released: int
    propensities: Mapping[str, Propensity] = field(repr=False)
    marginals: Mapping[int, KMarginal] = field(repr=False)
    problem: str = ""


def told_apart(
    mechanism: Mechanism,
    table: Histogram,
    released: NDArray[np.int64],
    against: CopyScores,
    by: str | None,
    seed: int,
    progress: Progress | None = None,
) -> ToldApart:
    """How well can this release be told from the original, and do its small tables agree?"""
    people = int(released.sum())
    try:
        pair = SideBySide.of_table(table, released)
        found = {
            name: propensity(
                pair, one, seed=seed, reference=against.references[name], deals=DEALS,
                progress=_part(progress, i),
            )
            for i, (name, one) in enumerate(CLASSIFIERS.items())
        }
    except InputError as problem:
        return ToldApart(mechanism, people, {}, {}, str(problem))
    try:
        marginals = {k: kmarginal(pair, k, by) for k in MARGINALS}
    except InputError as problem:
        return ToldApart(mechanism, people, found, {}, str(problem))
    return ToldApart(mechanism, people, found, marginals)

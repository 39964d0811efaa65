"""Do small tables made from the release agree with those made from the original? The k-marginal
score of SDNist (NIST), from 0 to 1000.

For every set of k features, the shares of people in each combination of their values are compared:
D = Σ |share in the original - share in the release|, between 0 and 2. The score is
500 (2 - mean D). D/2 is the share of people who would have to be put elsewhere to make the two
tables agree, so 950 means that 5% are misplaced in the average table. It has two parts: people in
groups that nobody is in (invented), and those who are too many in groups that have people.

With places, each table is split by place as well and shares are of the whole file, so a place that
comes out too small is marked down, too. The score of a place g with the share t_g of the original
is 1000 (1 - mean of min(t_g, D_g) / t_g), D_g being the sum over the cells of the place.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.metrics.side_by_side import SideBySide

Floats = NDArray[np.float64]
BEST = 1000.0


@dataclass(frozen=True)
class PlaceScore:
    """One place (or any other group): its people in both, and its score."""

    name: str
    people: int
    released: int
    score: float


@dataclass(frozen=True)
class KMarginal:
    """The score over all sets of k features, by set, and by place."""

    k: int
    score: float
    invented: float  # the share of released people in groups that have nobody, in the average table
    by_set: tuple[tuple[tuple[str, ...], float], ...]  # titles of the features, and their score
    places: tuple[PlaceScore, ...]

    @property
    def misplaced(self) -> float:
        """The share of people who are in the wrong group of the average table."""
        return 1 - self.score / BEST


def kmarginal(pair: SideBySide, k: int = 2, by: str | None = None) -> KMarginal:
    """How well do all tables of k features agree? `by` names the feature of places, if any.

    As in SDNist, the places' feature is not among the k, and where there are fewer than k other
    features, the one table of them all is compared.
    """
    pair.need_people()
    names = [f.name for f in pair.features]
    if by is not None and by not in names:
        raise InputError(
            f"by names {by!r}, which the table is not counted by. It has: {', '.join(names)}."
        )
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}. Try 2.")
    place = None if by is None else names.index(by)
    others = [j for j in range(len(names)) if j != place]
    if not others:
        raise InputError(
            f"The table is counted by {by} alone: there is no other feature to make tables of. "
            "Count people by at least two features."
        )
    size = 1 if place is None else len(pair.features[place])
    sets = list(itertools.combinations(others, min(k, len(others))))
    found = list(_distances(pair, sets, place, size))
    distances = np.stack([by_place for by_place, _ in found])
    return KMarginal(
        k,
        500 * (2 - float(distances.sum(axis=1).mean())),
        float(np.mean([invented for _, invented in found])),
        tuple(
            (tuple(pair.features[j].title for j in chosen), 500 * (2 - float(row.sum())))
            for chosen, row in zip(sets, distances, strict=True)
        ),
        () if place is None else _places(pair, place, distances),
    )


def _distances(
    pair: SideBySide, sets: list[tuple[int, ...]], place: int | None, places: int
) -> Iterator[tuple[Floats, float]]:
    """For each set of features, D by place, and the part of D that is in groups with nobody."""
    excess = pair.original / pair.people - pair.released / pair.released_people
    sizes = [len(f) for f in pair.features]
    columns = np.ascontiguousarray(pair.codes.T)
    start = np.zeros(len(excess), dtype=np.int64) if place is None else columns[place]
    for chosen in sets:
        cells = math.prod(sizes[j] for j in chosen)
        index = start
        for j in chosen:
            index = index * sizes[j] + columns[j]
        if places * cells > max(1 << 16, 8 * len(excess)):  # mostly empty: number what occurs
            used, index = np.unique(index, return_inverse=True)
            gap, nobody = np.abs(np.bincount(index, excess)), np.bincount(index, pair.original) == 0
            by_place = np.bincount(used // cells, gap, minlength=places).astype(np.float64)
        else:
            gap, people = (
                np.bincount(index, side, minlength=places * cells)
                for side in (excess, pair.original)
            )
            gap, nobody = np.abs(gap), people == 0
            by_place = gap.reshape(places, cells).sum(axis=1)
        yield by_place, float(gap[nobody].sum())


def _places(pair: SideBySide, place: int, distances: Floats) -> tuple[PlaceScore, ...]:
    feature = pair.features[place]
    people, released = (
        np.bincount(pair.codes[:, place], side, minlength=len(feature))
        for side in (pair.original, pair.released)
    )
    found = []
    for i, name in enumerate(feature.labels):
        if not people[i]:
            continue  # not in the original: nothing to score it against
        share = people[i] / pair.people
        lost = float(np.minimum(distances[:, i], share).mean()) / share
        found.append(PlaceScore(name, int(people[i]), int(released[i]), BEST * (1 - lost)))
    return tuple(found)

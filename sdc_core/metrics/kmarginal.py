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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.metrics.side_by_side import Ints, SideBySide

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
    (found,) = kmarginals([pair], k, by)
    return found


def kmarginals(pairs: Sequence[SideBySide], k: int, by: str | None) -> list[KMarginal]:
    """The same for many releases over the same patterns, in one go."""
    for pair in pairs:
        pair.need_people()
    pair = pairs[0]
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
    sets = list(itertools.combinations(others, min(k, len(others))))
    released = np.stack([one.released for one in pairs])
    excess = pair.original / pair.people - released / released.sum(axis=1, keepdims=True)
    found = list(_distances(pair, excess, sets, place))
    distances = np.stack([by_place for by_place, _ in found], axis=1)
    invented = np.stack([share for _, share in found], axis=1).mean(axis=1)
    titles = [tuple(pair.features[j].title for j in chosen) for chosen in sets]
    places = None if place is None else _places(pair, released, place, distances)
    by_set = 500 * (2 - distances.sum(axis=2))
    score, made_up = by_set.mean(axis=1).tolist(), invented.tolist()
    return [
        KMarginal(k, score[r], made_up[r], tuple(zip(titles, scores, strict=True)),
                  () if places is None else places[r])
        for r, scores in enumerate(by_set.tolist())
    ]


def _distances(
    pair: SideBySide, excess: Floats, sets: list[tuple[int, ...]], place: int | None
) -> Iterator[tuple[Floats, Floats]]:
    """For each set of features, D by release and place, and the part of D that is in groups with
    nobody, by release. `excess` is what the original has more, by release and pattern."""
    sizes = [len(f) for f in pair.features]
    places = 1 if place is None else sizes[place]
    columns = np.ascontiguousarray(pair.codes.T)
    start = np.zeros(len(pair.codes), dtype=np.int64) if place is None else columns[place]
    for chosen in sets:
        cells = math.prod(sizes[j] for j in chosen)
        index = start
        for j in chosen:
            index = index * sizes[j] + columns[j]
        used = None
        if places * cells > max(1 << 16, 8 * len(index)):  # mostly empty: number what occurs
            used, index = np.unique(index, return_inverse=True)
        number = places * cells if used is None else len(used)
        gap = np.abs(_summed(index, excess, number))
        nobody = np.bincount(index, pair.original, minlength=number) == 0
        if used is None:
            by_place = gap.reshape(len(gap), places, cells).sum(axis=2)
        else:
            by_place = _summed(used // cells, gap, places)
        yield by_place, gap[:, nobody].sum(axis=1)


def _summed(index: Ints, rows: Floats, number: int) -> Floats:
    """Each row's numbers summed by index."""
    apart = index + number * np.arange(len(rows))[:, None]
    summed = np.bincount(apart.ravel(), rows.ravel(), len(rows) * number).astype(np.float64)
    return summed.reshape(len(rows), number)


def _places(
    pair: SideBySide, released: Ints, place: int, distances: Floats
) -> list[tuple[PlaceScore, ...]]:
    """The places that the original has, release by release: others have nothing to score by."""
    feature = pair.features[place]
    codes = pair.codes[:, place]
    people = np.bincount(codes, pair.original, len(feature))
    there = np.flatnonzero(people)
    shares = people[there] / pair.people
    lost = np.minimum(distances[:, :, there], shares).mean(axis=1) / shares
    numbers = _summed(codes, released.astype(np.float64), len(feature))[:, there]
    known = [(feature.labels[i], int(people[i])) for i in there]
    return [
        tuple(
            PlaceScore(*place, int(number), BEST * (1 - share))
            for place, number, share in zip(known, row, away, strict=True)
        )
        for row, away in zip(numbers.tolist(), lost.tolist(), strict=True)
    ]

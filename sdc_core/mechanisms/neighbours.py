"""Who is near whom: the neighbourhood of each record, exactly or from a part of the records.

A neighbourhood is everybody within a radius, or the k nearest where that is more: the union of
both. A record is never its own neighbour, but others with the same values are. Ties at the k-th
place go by the order of the records. Distances are equal if their squares agree to nine decimals,
so that rounding breaks no tie. (P4 §4.1, and §10 for large data)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_PAIRS = 200_000_000  # of a record and a neighbour: 800 MB
_DECIMALS = 9
_BLOCK_BYTES = 16_000_000
_GROUP = 64  # columns whose least distance stands for them when the k-th nearest is bounded


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The neighbours of record i: `members[starts[i]:starts[i + 1]]`, in the order of records."""

    starts: Ints
    members: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def of(self, record: int) -> NDArray[np.int32]:
        return self.members[self.starts[record] : self.starts[record + 1]]

    @classmethod
    def joined(cls, sizes: Sequence[Ints], members: Sequence[NDArray[np.int32]]) -> Neighbourhoods:
        counts = np.concatenate(sizes)
        return cls(np.concatenate([[0], np.cumsum(counts)]), np.concatenate(members))


def all_neighbours(points: Floats, k: int, radius: float) -> Neighbourhoods:
    """Every record is compared with every other."""
    found = [*_search(points, np.arange(len(points)), np.arange(len(points)), k, radius)]
    return Neighbourhoods.joined([s for s, _ in found], [m for _, m in found])


def from_sample(
    points: Floats, k: int, radius: float, size: int, rng: np.random.Generator
) -> Neighbourhoods:
    """Neighbours come from one random sample of the records (P4 §10.3.1)."""
    number = len(points)
    pool = np.sort(rng.choice(number, min(max(size, k + 1), number), replace=False))
    found = [*_search(points, np.arange(number), pool, k, radius)]
    return Neighbourhoods.joined([s for s, _ in found], [m for _, m in found])


def from_parts(
    points: Floats, k: int, radius: float, size: int, rng: np.random.Generator
) -> Neighbourhoods:
    """The records are divided at random into parts of about this size, and neighbours come from a
    record's own part (P4 §10.3.3)."""
    number = len(points)
    parts = np.array_split(rng.permutation(number), max(1, number // max(size, k + 1)))
    sizes = np.empty(number, dtype=np.int64)
    pieces: list[NDArray[np.int32]] = []
    owners = []
    for part in parts:
        rows = np.sort(part)
        for at, (found, members) in zip(
            _blocks(len(rows), len(rows)), _search(points, rows, rows, k, radius), strict=True
        ):
            sizes[rows[at]] = found
            owners.append(rows[at])
            pieces.append(members)
    return _in_order(sizes, owners, pieces)


def from_pairs(
    points: Floats, k: int, radius: float, partners: int, rng: np.random.Generator
) -> Neighbourhoods:
    """Neighbours come from a random sample of the distances between all pairs (P4 §10.3.2).

    The sample is balanced: in each of partners/2 rounds the records stand in a random circle and
    everybody is compared with both who stand beside, so that nobody is left without partners.
    """
    number = len(points)
    rounds = max(1, -(-min(max(partners, k + 1), number - 1) // 2))
    others = np.empty((number, 2 * rounds), dtype=np.int32)
    for at in range(rounds):
        circle = rng.permutation(number)
        others[circle, 2 * at] = np.roll(circle, 1)
        others[circle, 2 * at + 1] = np.roll(circle, -1)
    others.sort(axis=1)
    sizes, members = [], []
    for block in _blocks(number, 2 * rounds * points.shape[1]):
        drawn = others[block]
        rows = np.arange(number)[block]
        new = np.diff(drawn, axis=1, prepend=-1) != 0  # a pair may be drawn twice
        row, place = np.nonzero(new)
        column = drawn[row, place].astype(np.int64)
        found, kept = _selected(points, rows, row, column, k, radius)
        sizes.append(found)
        members.append(kept)
    return Neighbourhoods.joined(sizes, members)


def _in_order(
    sizes: Ints, owners: Sequence[Ints], pieces: Sequence[NDArray[np.int32]]
) -> Neighbourhoods:
    """Neighbourhoods that were found in another order than that of the records."""
    order = np.concatenate(owners)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    length = sizes[order]
    ends = np.cumsum(length)
    place = np.repeat(starts[order] - (ends - length), length) + np.arange(ends[-1])
    members = np.empty(ends[-1], dtype=np.int32)
    members[place] = np.concatenate(pieces)
    return Neighbourhoods(starts, members)


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, min(rows, _BLOCK_BYTES // (4 * max(width, 1))))
    return (slice(start, min(rows, start + step)) for start in range(0, rows, step))


def _search(
    points: Floats, rows: Ints, pool: Ints, k: int, radius: float
) -> Iterator[tuple[Ints, NDArray[np.int32]]]:
    """For each block of rows: how many neighbours each has in the sorted pool, and who they are.

    Single precision finds whoever may be near enough, by a product of matrices; who really is, is
    decided in double precision. |x - y|² less |x|² is |y|² - 2xy, which orders a row alike.
    """
    here, there = points[rows], points[pool]
    squares = np.einsum("ij,ij->i", there, there)
    left = np.column_stack([-2 * here, np.ones(len(here))]).astype(np.float32)
    right = np.ascontiguousarray(np.column_stack([there, squares]).T, dtype=np.float32)
    own = np.einsum("ij,ij->i", here, here)
    largest = max(float(squares.max(initial=0.0)), float(own.max(initial=0.0)))
    slack = 8 * (points.shape[1] + 4) * 2.0**-24 * largest + 1e-8  # bounds all rounding
    pairs = 0
    for block in _blocks(len(rows), len(pool)):
        distance = left[block] @ right
        itself = np.minimum(np.searchsorted(pool, rows[block]), len(pool) - 1)
        inside = np.flatnonzero(pool[itself] == rows[block])
        distance[inside, itself[inside]] = np.inf
        reach = np.maximum(_kth_bound(distance, k), radius**2 - own[block]) + slack
        flat = np.flatnonzero(distance <= reach[:, None].astype(np.float32))
        row, column = np.divmod(flat, len(pool))
        found, kept = _selected(points, rows[block], row, pool[column], k, radius)
        pairs += len(kept)
        if pairs > MAX_PAIRS:
            raise InputError(
                f"Within a radius of {radius:g} there are more than {MAX_PAIRS:,} pairs of "
                "neighbours. Take a smaller radius, or neighbours from a sample."
            )
        yield found, kept


def _kth_bound(distance: NDArray[np.float32], k: int) -> Floats:
    """At least the k-th smallest of each row, and not much more: the k-th smallest of the least
    ones of groups of columns."""
    columns = distance.shape[1]
    each = columns // _GROUP
    if each < 2 * k:
        return np.partition(distance, k - 1, axis=1)[:, k - 1].astype(np.float64)
    whole = distance[:, : _GROUP * each].reshape(len(distance), _GROUP, each).min(axis=1)
    least = np.concatenate([whole, distance[:, _GROUP * each :]], axis=1)
    return np.partition(least, k - 1, axis=1)[:, k - 1].astype(np.float64)


def _selected(
    points: Floats, rows: Ints, row: Ints, column: Ints, k: int, radius: float
) -> tuple[Ints, NDArray[np.int32]]:
    """Of the candidates (`row` is a position in `rows`, `column` a record, both in order) those
    within the radius or, where these are fewer than k, the k nearest; and how many each row has."""
    squared = np.empty(len(row))
    for part in _blocks(len(row), 4 * points.shape[1]):
        gap = points[rows[row[part]]] - points[column[part]]
        squared[part] = np.einsum("ij,ij->i", gap, gap)
    squared = np.round(squared, _DECIMALS)
    inside = squared <= np.round(radius**2, _DECIMALS)
    enough = np.bincount(row[inside], minlength=len(rows)) >= k
    kept = inside & enough[row]
    few = np.flatnonzero(~enough[row])  # only these have to be put in order of distance
    few = few[np.lexsort((column[few], squared[few], row[few]))]
    start = np.searchsorted(row[few], np.arange(len(rows)))
    kept[few[np.arange(len(few)) - start[row[few]] < k]] = True
    return np.bincount(row[kept], minlength=len(rows)), column[kept].astype(np.int32)

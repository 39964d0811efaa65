"""Two tables that differ in one person, and what could come out of each for sure.

An audit plays a game: a release comes from one of two neighbouring tables, from which? A mechanism
that knows on which tables it gives most away says so (`KnowsWorstNeighbours`); one that knows what
cannot come out of a table says that (`KnowsSupport`). Only the latter makes a proof: what was not
seen in many releases may still occur.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.privacy.guarantee import Facts

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

OTHER = "OTHER"  # a feature that a small table has besides those that a mechanism names
_ROUNDING = 1e-6  # of sums over released counts


@dataclass(frozen=True, eq=False)
class NeighbouringTables:
    """Two tables, and in words what happens to one person between them. `covered`: is it a change
    that the mechanism's promise is about?"""

    before: Histogram
    after: Histogram
    says: str
    covered: bool = True


@dataclass(frozen=True, eq=False)
class Support:
    """What can come out of a table. A release within it may or may not be possible; one outside it
    is impossible.

    Each count lies from `low` to `high`; is one of its `options` (a row a cell, padded with NaN)
    where they are given; and each of `sums`, lists of cells, adds up to its number in `totals`.
    """

    low: Floats
    high: Floats
    options: Floats | None = None
    sums: tuple[tuple[int, ...], ...] = ()
    totals: tuple[float, ...] = ()

    @classmethod
    def of_sums(cls, table: Histogram, sums: Sequence[Sequence[int]]) -> Support:
        """Some sums of counts are published exactly, and nothing else is known."""
        cells = tuple(tuple(int(c) for c in group) for group in sums)
        totals = tuple(float(table.counts[list(group)].sum()) for group in cells)
        ends = np.full(len(table), math.inf)
        return cls(-ends, ends, sums=cells, totals=totals)

    def has(self, rows: Floats) -> Bools:
        """Which of these releases (rows) are not ruled out?"""
        able = ((rows >= self.low) & (rows <= self.high)).all(axis=1)
        if self.options is not None:
            able &= (rows[:, :, None] == self.options).any(axis=2).all(axis=1)
        for cells, total in zip(self.sums, self.totals, strict=True):
            able &= np.abs(rows[:, list(cells)].sum(axis=1) - total) <= _ROUNDING
        return np.asarray(able, dtype=np.bool_)

    def is_apart_from(self, other: Support) -> bool:
        """Is it proven that no release can come from both tables?"""
        if ((self.high < other.low) | (self.low > other.high)).any():
            return True
        if self.options is not None and other.options is not None:
            same = self.options[:, :, None] == other.options[:, None, :]
            if not same.any(axis=(1, 2)).all():
                return True
        elsewhere = dict(zip(other.sums, other.totals, strict=True))
        return any(
            abs(elsewhere[cells] - total) > _ROUNDING
            for cells, total in zip(self.sums, self.totals, strict=True) if cells in elsewhere
        )


@runtime_checkable
class KnowsSupport(Protocol):
    """Mechanisms that know releases which a table cannot lead to."""

    def support(self, table: Histogram) -> Support: ...


@runtime_checkable
class KnowsWorstNeighbours(Protocol):
    """Mechanisms that know on which neighbouring tables they give most away."""

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]: ...


def small_domain(sizes: dict[str, int]) -> Domain:
    """Features of these names with so many values each."""
    return Domain(tuple(
        Feature(name, name, *(tuple(str(i) for i in range(number)),) * 2)
        for name, number in sizes.items()
    ))


def small_table(domain: Domain, *people: tuple[tuple[int, ...], int]) -> Histogram:
    """So many people at each of these positions, and nobody elsewhere; who is at the same position
    is added up."""
    counts = np.zeros(domain.shape, dtype=np.int64)
    for position, number in people:
        counts[position] += number
    return Histogram(counts.reshape(-1), domain)


def counts_alone(
    before: Sequence[int], after: Sequence[int], says: str
) -> NeighbouringTables:
    return NeighbouringTables(
        Histogram.from_counts(before), Histogram.from_counts(after), says)


def cell_neighbours(facts: Facts, threshold: int | None) -> list[NeighbouringTables]:
    """For mechanisms that treat each count by itself: next to zero, next to the threshold, at the
    cap."""
    top = facts.cap
    found = [counts_alone((1, 0), (0, 1), "one person moves from a group of one to an empty one")]
    if top > 1:
        found += [
            counts_alone((2, 0), (1, 1), "one person leaves a group of two for an empty one"),
            counts_alone((top, top - 1), (top - 1, top), "one person moves between the two largest "
                         f"groups, of {top:,} and {top - 1:,}"),
        ]
    if threshold is not None and 1 < threshold < top:
        found.append(counts_alone(
            (threshold, threshold - 1), (threshold - 1, threshold),
            f"one person moves between two groups next to the threshold, {threshold:,}"))
    return found


def record_neighbours(
    altered: Sequence[str], people: int, values: int, other_is_covered: bool = True,
) -> list[NeighbouringTables]:
    """For mechanisms that change some features (`altered`) of records: all people but one are
    alike, and that one changes in an altered feature, in the other one, or in both."""
    domain, at = altered_domain(altered, values)

    def table(value: int, other: int) -> Histogram:
        return small_table(domain, (at(0, 0), people - 1), (at(value, other), 1))

    alike = "everybody else is alike, and" if people > 2 else "there is one more person, and"
    left_alone = "a feature that is left alone" if altered else "one feature"
    found = [
        NeighbouringTables(table(1, 0), table(1, 1), f"{alike} one person, unlike them, changes in "
                           f"{left_alone}", other_is_covered),
        NeighbouringTables(table(1, 0), table(0, 0), f"{alike} one person, unlike them, becomes "
                           "like them"),
        NeighbouringTables(table(1, 1), table(0, 0), f"{alike} one person, unlike them in all "
                           "features, becomes like them", other_is_covered),
    ]
    if values > 2:
        found.append(NeighbouringTables(table(2, 0), table(1, 0), f"{alike} one person, unlike "
                                        "them, takes another value that nobody else has"))
    return found


def altered_domain(
    altered: Sequence[str], values: int
) -> tuple[Domain, Callable[[int, int], tuple[int, ...]]]:
    """A domain with the altered features, the first of so many values, and one other of two; and
    where a person with these two values is in it."""
    names = list(altered) or ["FIRST"]
    domain = small_domain({**{n: values if n == names[0] else 1 for n in names}, OTHER: 2})
    return domain, lambda value, other: (value, *(0,) * (len(names) - 1), other)

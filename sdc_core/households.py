"""Who lives with whom, as far as a table can tell.

A household is a collection of the table's cells, one for each of its members. Households whose
members are in the same cells are of one kind, and only how many there are of each kind is kept: so
what is done to whole households costs by the kind and not by the person. From households to people
is a linear map: a household of some kind adds one person to each of its members' cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Households:
    """Kinds of household: `cells` are the cells of their members, kind after kind and in order
    within each, `starts` where each kind's members begin (and, last, where all end), `counts` how
    many households there are of each kind."""

    cells: Ints
    starts: Ints
    counts: Ints

    @classmethod
    def of(cls, household: NDArray[np.integer], cell: NDArray[np.integer]) -> Households:
        """From each person's household (any number that names it) and cell."""
        order = np.argsort(household, kind="stable")
        begins = np.flatnonzero(np.diff(household[order], prepend=household.min(initial=0) - 1))
        starts = np.append(begins, len(order))
        return cls._merged(cell[order].astype(np.int64), starts, np.ones(len(begins), np.int64))

    @classmethod
    def _merged(cls, cells: Ints, starts: Ints, counts: Ints) -> Households:
        """With members in the order of their cells, and households of one kind counted together."""
        owner = np.repeat(np.arange(len(counts)), np.diff(starts))
        in_order = cells[np.lexsort((cells, owner))]
        which, first = alike(in_order, starts)
        together = np.zeros(len(first), dtype=np.int64)
        np.add.at(together, which, counts)
        return cls(*picked(in_order, starts, first), together)

    @property
    def number(self) -> int:
        """How many households there are."""
        return int(self.counts.sum())

    @cached_property
    def sizes(self) -> Ints:
        """How many people live in a household of each kind."""
        return np.diff(self.starts)

    @property
    def largest(self) -> int:
        return int(self.sizes.max(initial=0))

    @cached_property
    def owner(self) -> Ints:
        """The kind that each entry of `cells` belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.sizes)

    def mapped(self, to: Ints) -> Households:
        """The same households in another table, where cell c is cell to[c]."""
        return self._merged(to[self.cells], self.starts, self.counts)

    def people(self, size: int) -> Ints:
        """The table of people that these households make, of so many cells."""
        found = np.zeros(size, dtype=np.int64)
        np.add.at(found, self.cells, self.counts[self.owner])
        return found


def alike(values: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """Which of these lists are the same? A number for each list, alike for equal ones, and for each
    number the first list that has it. List i is values[starts[i]:starts[i + 1]], in order."""
    sizes = np.diff(starts)
    which = np.zeros(len(sizes), dtype=np.int64)
    first: list[Ints] = []
    seen, most = 0, int(values.max(initial=0)) + 1
    for size in np.unique(sizes):
        lists = np.flatnonzero(sizes == size)
        number, example = np.zeros(len(lists), dtype=np.int64), np.zeros(1, dtype=np.intp)
        for place in range(size):  # lists that were alike so far, told apart by one value more
            number = number * most + values[starts[lists] + place]
            _, example, number = np.unique(number, return_index=True, return_inverse=True)
        which[lists] = seen + number
        first.append(lists[example])
        seen += len(example)
    return which, np.concatenate(first) if first else np.zeros(0, dtype=np.int64)


def picked(values: Ints, starts: Ints, lists: Ints) -> tuple[Ints, Ints]:
    """Some of these lists, in the order asked for: their values, and where each begins."""
    sizes = starts[lists + 1] - starts[lists]
    begins = np.append(0, np.cumsum(sizes))
    places = np.arange(begins[-1]) + np.repeat(starts[lists] - begins[:-1], sizes)
    return values[places], begins

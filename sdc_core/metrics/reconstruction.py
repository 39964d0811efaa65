"""Can hidden or noisy counts be worked out again from what is published about the same people?

Two classic attacks on one two-way table with totals. Differencing: a row (or column) with one
hidden count gives it away, and so on, one after the other. Bounding: the least and the largest
value that a hidden count can have so that all totals come out. A two-way table is a network from
rows to columns, so both are greatest flows, and whole.

Reconstruction asks for the whole table: how many tables fit all that is published, and which comes
nearest, by linear programming on the same network.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csc_array

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

MOST_STEPS = 50_000  # of counting tables; beyond it is only known that there are many


@dataclass(frozen=True, eq=False)
class HiddenTable:
    """A two-way table of which some counts are hidden by a rule that is known: each of them is from
    `low` to `high`. The totals of rows and columns are published exactly."""

    counts: Ints
    hidden: Bools
    low: int
    high: int

    @classmethod
    def below(cls, counts: Ints, k: int, keep_zeros: bool) -> HiddenTable:
        """Counts below k are hidden; zeros are shown where they are kept."""
        hidden = (counts < k) & (counts > 0) if keep_zeros else counts < k
        return cls(counts, hidden, int(keep_zeros), k - 1)

    def left_over(self, axis: int) -> Ints:
        """How many people the hidden counts of each row (axis 1) or column (axis 0) have in all:
        the total less what is shown."""
        return np.asarray(np.where(self.hidden, self.counts, 0).sum(axis=axis), dtype=np.int64)


def by_subtraction(table: HiddenTable) -> Bools:
    """Which hidden counts follow from totals by subtraction alone, one after the other?"""
    unknown = table.hidden.copy()
    while True:
        alone = unknown & ((unknown.sum(axis=1, keepdims=True) == 1)
                           | (unknown.sum(axis=0, keepdims=True) == 1))
        if not alone.any():
            return table.hidden & ~unknown
        unknown &= ~alone


def intervals(table: HiddenTable, totals: bool = True) -> tuple[Ints, Ints]:
    """The least and the largest value that each count can have; what is shown has one."""
    low = np.where(table.hidden, table.low, table.counts)
    high = np.where(table.hidden, table.high, table.counts)
    if not totals or not table.hidden.any():
        return low, high
    known = by_subtraction(table)
    low[known] = high[known] = table.counts[known]
    rows, columns = np.nonzero(table.hidden & ~known)
    counts = table.counts[rows, columns]
    room = _Room(rows, len(table.counts) + columns, counts, table.low, table.high)
    low[rows, columns] = [room.lowest(i) for i in range(len(counts))]
    high[rows, columns] = [room.highest(i) for i in range(len(counts))]
    return low, high


class _Room:
    """How far some counts can be moved if others make up for it in their rows and columns.

    A network: rows and columns are its nodes, a count leads from its row to its column by as much
    as it can rise, and back by as much as it can fall. A count that rises is made up for along a
    way from its column to its row; it is as high as it can be when there is no such way left. And
    the other way round. Every table on the way fits, so whichever count has been at the end of
    its own range need not be moved there again, and where one count has been moved to makes no
    difference to how far another can go.
    """

    def __init__(self, rows: Ints, columns: Ints, counts: Ints, low: int, high: int) -> None:
        self._rows, self._columns, self._low = rows.tolist(), columns.tolist(), low
        self._rise, self._fall = (high - counts).tolist(), (counts - low).tolist()
        self._was_low, self._was_high = (counts == low).tolist(), (counts == high).tolist()
        self._high, self._first_column = high, int(rows.max(initial=-1)) + 1
        self._at = defaultdict[int, list[tuple[int, int]]](list)  # counts, and where they lead
        for one, (row, column) in enumerate(zip(self._rows, self._columns, strict=True)):
            self._at[row].append((one, column))
            self._at[column].append((one, row))

    def highest(self, one: int) -> int:
        if self._was_high[one]:
            return self._high
        self._move(one, self._columns[one], self._rows[one], self._rise, self._fall)
        return self._low + int(self._fall[one])

    def lowest(self, one: int) -> int:
        if self._was_low[one]:
            return self._low
        self._move(one, self._rows[one], self._columns[one], self._fall, self._rise)
        return self._low + int(self._fall[one])

    def _move(self, one: int, start: int, end: int, own: list[int], back: list[int]) -> None:
        """As far as it goes; `own` is how far each count can still go that way."""
        while own[one] and (way := self._way(start, end, one)):
            number = min(own[one], *(there[count] for count, there, _ in way))
            for count, there, other in (*way, (one, own, back)):
                there[count] -= number
                other[count] += number
                self._was_high[count] |= not self._rise[count]
                self._was_low[count] |= not self._fall[count]

    def _way(self, start: int, end: int, one: int) -> list[tuple[int, list[int], list[int]]]:
        """The counts along a shortest way, each with how far it and its opposite can go."""
        came: dict[int, tuple[int, int]] = {start: (one, start)}
        queue = deque([start])
        while queue and end not in came:
            node = queue.popleft()
            room = self._rise if node < self._first_column else self._fall
            for count, there in self._at[node]:
                if room[count] and count != one and there not in came:
                    came[there] = count, node
                    queue.append(there)
        way, node = [], end
        while node in came and node != start:
            count, node = came[node]
            rises = node < self._first_column
            way.append((count, *((self._rise, self._fall) if rises else (self._fall, self._rise))))
        return way


def tables_that_fit(table: HiddenTable) -> int | None:
    """How many tables agree with all that is published: shown counts, totals and the rule? None
    where counting them would take too long.

    Row by row: for every remainder of the columns' totals the number of ways to get there. Each
    count is tried only within its interval.
    """
    low, high = intervals(table)
    ways: dict[tuple[int, ...], int] = {tuple(table.left_over(0).tolist()): 1}
    steps = itertools.count(1)
    for row, rest in enumerate(table.left_over(1).tolist()):
        cells = np.flatnonzero(table.hidden[row]).tolist()
        ends = [(int(low[row, c]), int(high[row, c])) for c in cells]
        after: dict[tuple[int, ...], int] = defaultdict(int)
        for left, number in ways.items():
            room = [(least, min(most, left[c])) for (least, most), c in zip(
                ends, cells, strict=True)]
            for values in _shares(rest, room, steps):
                if values is None:
                    return None
                new = list(left)
                for cell, value in zip(cells, values, strict=True):
                    new[cell] -= value
                after[tuple(new)] += number
        ways = after
    return ways.get((0,) * table.counts.shape[1], 0)


def _shares(
    rest: int, room: list[tuple[int, int]], steps: Iterator[int]
) -> Iterator[tuple[int, ...] | None]:
    """All ways to share so many people among cells with these ends; None when it takes too many
    steps."""
    if not room:
        if rest == 0:
            yield () if next(steps) <= MOST_STEPS else None
        return
    (least, most), others = room[0], room[1:]
    least = max(least, rest - sum(high for _, high in others))
    most = min(most, rest - sum(low for low, _ in others))
    for value in range(least, most + 1):
        for more in _shares(rest - value, others, steps):
            if more is None or next(steps) > MOST_STEPS:
                yield None
                return
            yield value, *more


def best_fits(cells: Floats, rows: Floats, columns: Floats, total: int) -> Ints:
    """The nearest tables of whole people to noisy counts and noisy totals, one a release: the least
    sum of absolute differences, with so many people in all.

    People flow from rows to columns. Between two neighbouring whole numbers the difference from a
    published number is taken to be a straight line, which changes nothing at whole numbers; then it
    is a sum of steps that cost ever more, and a network with whole steps has a whole solution at
    the ends: a linear program finds the best of all whole tables. Releases have nothing to do with
    each other, so one program finds the best table of each.
    """
    number, height, width = cells.shape
    size = height * width
    published = np.concatenate([cells.reshape(number, size), rows, columns], axis=1)
    below = np.floor(published)
    within = np.where(below < 0, 1.0, 1 - 2 * (published - below))
    cost = np.stack([np.full(published.shape, -1.0), within, np.ones(published.shape)], axis=1)
    most = np.stack([
        np.maximum(below, 0), (below >= 0).astype(np.float64),
        np.full(published.shape, np.inf)], axis=1)
    # what a row (a column) has in all is what its counts have, and all rows have all people
    cell = np.arange(size)
    lines = np.r_[cell // width, height + cell % width, np.arange(height + width),
                  np.full(height, height + width)]
    parts = np.r_[cell, cell, size + np.arange(height + width), size + np.arange(height)]
    signs = np.r_[np.ones(2 * size), -np.ones(height + width), np.ones(height)]
    release, step = np.arange(number)[:, None, None], np.arange(3)[:, None]
    of_one, steps = height + width + 1, published.shape[1]
    sums = csc_array((
        np.tile(signs, 3 * number),
        (np.broadcast_to(of_one * release + lines, (number, 3, len(lines))).ravel(),
         (steps * (3 * release + step) + parts).ravel()),
    ), shape=(of_one * number, cost.size))
    found = linprog(
        cost.ravel(), A_eq=sums, b_eq=np.tile(np.r_[np.zeros(height + width), total], number),
        bounds=np.column_stack([np.zeros(most.size), most.ravel()]), method="highs-ds")
    people = found.x.reshape(cost.shape)[:, :, :size].sum(axis=1)
    return np.asarray(np.rint(people).astype(np.int64).reshape(cells.shape))

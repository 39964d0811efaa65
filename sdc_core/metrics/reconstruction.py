"""Can hidden or noisy counts be worked out again from what is published about the same people?

Two classic attacks on one two-way table with totals. Differencing: a row (or column) with one
hidden count gives it away, and so on, one after the other. Bounding: the least and the largest
value that a hidden count can have so that all totals come out, by linear programming. Two-way
tables with whole totals have whole solutions at the ends (their constraints are totally
unimodular), so these bounds are exact for whole people, too.

Reconstruction asks for the whole table: how many tables fit all that is published, and which comes
nearest, by integer programming.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

MOST_STEPS = 50_000  # of counting tables; beyond it is only known that there are many
MOST_NODES = 200  # of one integer program's search: the same on every machine, unlike a time


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
    places = np.argwhere(table.hidden)
    rows, columns = places.T
    number = len(places)
    lines = np.concatenate([rows, len(table.counts) + columns])
    sums = csr_array(
        (np.ones(2 * number), (lines, np.tile(np.arange(number), 2))),
        shape=(sum(table.counts.shape), number),
    )
    wanted = np.concatenate([table.left_over(1), table.left_over(0)])
    known = by_subtraction(table)
    for i, (row, column) in enumerate(places):
        if known[row, column]:
            low[row, column] = high[row, column] = table.counts[row, column]
            continue
        one = np.zeros(number)
        one[i] = 1.0
        ends = [
            linprog(sign * one, A_eq=sums, b_eq=wanted, bounds=(table.low, table.high)).fun
            for sign in (1, -1)
        ]
        low[row, column], high[row, column] = round(ends[0]), round(-ends[1])
    return low, high


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


@dataclass(frozen=True, eq=False)
class Fit:
    """The table of whole people that comes nearest to noisy counts; `best` where that is proven
    within the effort that is allowed."""

    counts: Ints
    best: bool


def best_fit(cells: Floats, rows: Floats, columns: Floats, total: int) -> Fit:
    """The nearest table to noisy counts and noisy totals: the least sum of absolute differences,
    with so many people in all.

    An integer program: x whole and not negative, and for each published number a slack that is at
    least its difference either way.
    """
    height, width = cells.shape
    size = height * width
    published = np.concatenate([cells.reshape(-1), rows, columns])
    sums = np.zeros((len(published), size))
    sums[:size] = np.eye(size)
    for row, column in itertools.product(range(height), range(width)):
        sums[size + row, row * width + column] = 1
        sums[size + height + column, row * width + column] = 1
    slack = np.eye(len(published))
    found = milp(
        np.concatenate([np.zeros(size), np.ones(len(published))]),
        integrality=np.concatenate([np.ones(size), np.zeros(len(published))]),
        bounds=Bounds(0, np.inf),
        constraints=[
            LinearConstraint(np.hstack([sums, slack]), lb=published),
            LinearConstraint(np.hstack([sums, -slack]), ub=published),
            LinearConstraint(
                np.concatenate([np.ones(size), np.zeros(len(published))])[None], total, total),
        ],
        options={"node_limit": MOST_NODES},
    )
    if found.x is None:  # stopped without any table: what was published, as whole people
        return Fit(np.maximum(np.rint(cells), 0).astype(np.int64), False)
    return Fit(np.rint(found.x[:size]).astype(np.int64).reshape(cells.shape), found.status == 0)

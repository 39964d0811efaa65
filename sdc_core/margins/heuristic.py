"""Which further cells are hidden cheaply, one sensitive cell after the other?

For each sensitive cell that is not safe yet, the cheapest way to move it as far as it has to go
while all sums hold; what moves is hidden, and costs the next ones nothing. That is the linear
programming heuristic (J. Kelly, B. Golden and A. Assad, *Networks* 22, 1992). Then cells are
shown again, dearest first, as long as every sensitive cell has another way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from sdc_core.margins.attack import Known
from sdc_core.margins.moves import Moves, Program, Progress, doubled
from sdc_core.margins.rules import Sensitive
from sdc_core.margins.table import Bools, Floats, Ints, MarginTable

_MOVED = 1e-7  # of what a cell has to move: less is noise
_WHOLE_TABLE = 300  # cells that are looked at all at once
_BESIDE = 16  # codes of one parent that are looked at
_FREE = 1e-6  # of the dearest: what moving a hidden cell costs, so that ways are short


class NoWay(Exception):
    """This cell cannot move as far as it has to."""

    def __init__(self, cell: int) -> None:
        super().__init__(cell)
        self.cell = cell


class Task:
    """What has to be protected, of what may be hidden, at what cost."""

    def __init__(
        self, table: MarginTable, sensitive: Sensitive, pools: Sequence[Bools], weights: Floats,
        known: Known,
    ) -> None:
        self.table, self.sensitive, self.weights, self.known = table, sensitive, weights, known
        self.pools = tuple(pools)  # the later ones for cells for which the first will not do
        self.matrix: csc_array = table.sums.tocsc()
        self.down, self.up = table.values - known.low, known.high - table.values  # if hidden
        self.cells = np.flatnonzero(sensitive.cells)
        needs = np.maximum.reduce([sensitive.below, sensitive.above, sensitive.wide])
        self.order = self.cells[np.argsort(-needs[self.cells], kind="stable")]

    def weight(self, hidden: Bools) -> float:
        return float(self.weights[hidden].sum())

    def relevant(self, cells: Ints) -> csc_array:
        """The columns of these cells, and the rows that they are in."""
        part = self.matrix[:, cells].tocsr()
        return part[np.flatnonzero(np.diff(part.indptr))].tocsc()

    def is_safe(self, cell: int, down: float, up: float) -> bool:
        """If it can change so far?"""
        needs_up, needs_down, wide = self.needs(cell)
        slack = 0.5e-6 * max(1.0, abs(float(self.table.values[cell])))  # half of what is allowed
        return (up >= needs_up - slack and down >= needs_down - slack
                and up + down >= wide - slack)

    def needs(self, cell: int) -> tuple[float, float, float]:
        """How far up, how far down and how wide."""
        held = self.sensitive
        return float(held.above[cell]), float(held.below[cell]), float(held.wide[cell])

    def around(self, cell: int, pool: Bools, costs: Floats) -> Ints:
        """The cells of a pool that differ from this one, on each axis, only by what stands above
        it, or beside it or that. Of many codes that stand beside each other only those are taken
        that are cheapest here."""
        if len(self.table) <= _WHOLE_TABLE:
            return np.flatnonzero(pool)
        places = [int(p) for p in np.unravel_index(cell, self.table.shape)]
        near = []
        for at, axis in enumerate(self.table.axes):
            code, found = places[at], [0]
            line = np.arange(len(axis)) * math.prod(self.table.shape[at + 1:])
            line += cell - line[places[at]]
            while code > 0:
                beside = np.array(axis.parts[axis.parents[code]])
                price = np.where(pool[line[beside]], costs[line[beside]], math.inf)
                price[beside == code] = -1.0
                found += beside[np.argsort(price, kind="stable")[:_BESIDE]].tolist()
                code = axis.parents[code]
            near.append(np.array(sorted(found)))
        grid = np.ravel_multi_index(np.meshgrid(*near, indexing="ij"), self.table.shape).ravel()
        return np.asarray(grid[pool[grid]])


class Way(NamedTuple):
    """Cells, and by how much each of them changes."""

    cells: Ints
    change: Floats


class Ways(NamedTuple):
    """For sensitive cells the change that was seen to move each furthest up, and furthest down."""

    up: dict[int, Way]
    down: dict[int, Way]


class Chosen(NamedTuple):
    """What is hidden, and what then can change."""

    hidden: Bools
    ways: Ways


class Hider:
    """Hides what is cheapest to hide, and remembers how far each cell has been seen to move."""

    def __init__(self, task: Task, hidden: Bools, costs: Floats | None = None) -> None:
        self.task, self.hidden = task, hidden.copy()
        self.ways = Ways({}, {})
        self._prices: _Prices | None = None
        self.costs = task.weights if costs is None else costs
        self.least_cost = _FREE * max(float(self.costs.max(initial=0.0)), 1e-12)
        self._pool = task.pools[0]
        self.seen_up, self.seen_down = np.zeros((2, len(task.table)))

    def protect(self, cell: int) -> None:
        """Hide what this cell needs to be safe, from the first pool from which it can be."""
        for number, more in enumerate(self.task.pools, start=1):
            try:
                self._pool = more | self.hidden
                self._protect(cell)
                return
            except NoWay:
                if number == len(self.task.pools):
                    raise

    def _protect(self, cell: int) -> None:
        up, down, wide = self.task.needs(cell)
        most_up, most_down = self.task.up[cell], self.task.down[cell]
        up, down = max(up, wide - most_down), max(down, wide - most_up)
        self._move(cell, up, 1.0)
        self._move(cell, down, -1.0)
        missing = wide - self.seen_up[cell] - self.seen_down[cell]
        if missing > _MOVED * wide:
            # the way that reaches further is as a rule the one upwards
            try:
                self._move(cell, wide - self.seen_down[cell], 1.0)
            except NoWay:
                self._furthest(cell, 1.0)
                self._move(cell, wide - self.seen_up[cell], -1.0)

    def _move(self, cell: int, amount: float, sign: float) -> None:
        """Hide what moves when this cell moves so far."""
        seen = self.seen_up if sign > 0 else self.seen_down
        if amount <= 0 or seen[cell] >= amount * (1 - _MOVED):
            return
        if (self.task.up if sign > 0 else self.task.down)[cell] < amount * (1 - _MOVED):
            raise NoWay(cell)
        near = self.task.around(cell, self._pool, np.where(self.hidden, 0.0, self.costs))
        change = self._cheapest(near, cell, amount, sign)
        if change is None:
            near = np.flatnonzero(self._pool)
            change = self._cheapest(near, cell, amount, sign)
        if change is None:
            raise NoWay(cell)
        self._note(near, change, amount)

    def _note(self, near: Ints, change: Floats, amount: float) -> None:
        moved = np.abs(change) > _MOVED * amount
        self.hidden[near[moved]] = True
        way, sensitive = Way(near, change), self.task.sensitive.cells[near]
        for seen, ways, moves in ((self.seen_up, self.ways.up, change),
                                  (self.seen_down, self.ways.down, -change)):
            further = moves > seen[near]
            seen[near[further]] = moves[further]
            ways.update(dict.fromkeys(near[further & sensitive].tolist(), way))

    def _furthest(self, cell: int, sign: float) -> None:
        """Hide what moves when this cell moves as far as it can."""
        near = np.flatnonzero(self._pool)
        way = Moves(self.task.matrix[:, near], -self.task.down[near], self.task.up[near])
        change = way.furthest(np.flatnonzero(near == cell), np.array([sign]))
        if change is not None:
            self._note(near, change, 1.0)

    def _cheapest(self, near: Ints, cell: int, amount: float, sign: float) -> Floats | None:
        """The cheapest change of these cells that moves this one so far. A cell costs its weight
        once it moves at all: a unit of change costs it by as much as the cell can move."""
        task = self.task
        if self._prices is None or not np.array_equal(self._prices.cells, near):
            self._prices = _Prices(task, near)
        caps = np.concatenate([task.up[near], task.down[near]])
        price = np.where(self.hidden[near], self.least_cost, self.costs[near] + self.least_cost)
        price = np.tile(price, 2) / np.clip(caps, 1e-9 * amount, amount)
        low = np.zeros(len(caps))
        here = np.flatnonzero(near == cell)
        forward, backward = (here, here + len(near))[:: 1 if sign > 0 else -1]
        low[forward], caps[forward], caps[backward] = amount, amount, 0.0
        found = self._prices.cheapest(np.where(caps > 0, price, 0.0), low / amount, caps / amount)
        return None if found is None else found * amount


class _Prices:
    """Changes of some cells at a price, upwards and downwards apart; the next question starts where
    the last one ended."""

    def __init__(self, task: Task, cells: Ints) -> None:
        self.cells = cells
        both = doubled(task.relevant(cells))
        self._every = np.arange(both.shape[1])
        idle, zero = np.zeros(both.shape[1]), np.zeros(both.shape[0])
        self._program = Program(idle, idle.copy(), idle.copy(), both, zero, zero.copy(),
                                presolve=True)

    def cheapest(self, price: Floats, low: Floats, high: Floats) -> Floats | None:
        self._program.costs(self._every, price / price.max())
        self._program.bounds(self._every, low, high)
        if not self._program.solved():
            return None
        up, down = np.split(self._program.columns, 2)
        return np.asarray(up - down)


def chosen(
    task: Task, hidden: Bools, progress: Progress, costs: Floats | None = None,
    cells: Ints | None = None,
) -> Chosen:
    """What is hidden besides, so that every sensitive cell, or each of `cells`, is safe; `costs`
    may lead elsewhere than the weights do."""
    hider = Hider(task, hidden, costs)
    order = task.order if cells is None else cells
    for done, cell in enumerate(order):
        hider.protect(int(cell))
        progress(done / len(order))
    return Chosen(hider.hidden, hider.ways)

"""What is the least that has to be hidden, and how close to it is what was found?

A master program chooses the cheapest cells that satisfy all cuts found so far; the attacker's
programs find cuts that the choice breaks; and so on (M. Fischetti and J. Salazar-González,
*Management Science* 47, 2001). First cells may be hidden in part, which is quick; then wholly or
not at all. The master's optimum never weighs more than any safe choice, so it is a proved bound,
whenever the time is up; and what it nearly hides is cheap for the heuristic.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import highspy
import numpy as np

from sdc_core.margins.cleaning import cleaned
from sdc_core.margins.cuts import Cut, Cutter
from sdc_core.margins.heuristic import Task, chosen
from sdc_core.margins.moves import Progress, silent
from sdc_core.margins.table import Bools, Floats, Ints

_ROUNDS = 60  # of the relaxed master
_ALMOST = 1e-6  # of the weight: closer is the same
_GUIDED = (2, 5)  # rounds after which the heuristic is led by the relaxed master
_CHEAPER = 0.98  # a cell that the relaxed master hides costs that much less


class Found(NamedTuple):
    hidden: Bools
    bound: float


def improved(task: Task, hidden: Bools, seconds: float, progress: Progress) -> Found:
    """A choice at least as good as this safe one, and what none can be below; the same if it is
    the best."""
    search = _Search(task, hidden, time.monotonic() + seconds, seconds, progress)
    search.relaxed()
    search.whole()
    return Found(search.best, min(search.bound, task.weight(search.best)))


class _Search:
    def __init__(
        self, task: Task, hidden: Bools, end: float, seconds: float, progress: Progress
    ) -> None:
        self.task, self.best, self.end = task, hidden, end
        self._seconds, self._progress = seconds, progress
        self._fixed = task.weight(task.sensitive.cells)
        self._whole = bool((task.weights == np.rint(task.weights)).all())
        self.bound = self._fixed
        free = (task.pools[0] | hidden) & ~task.sensitive.cells
        self._cutter = Cutter(task, free)
        self._master = _Master(task, free)

    @property
    def done(self) -> bool:
        """Is the best proved to be the best, or the time up?"""
        left = self.end - time.monotonic()
        self._progress(min(1.0, max(0.0, 1 - left / max(self._seconds, 1e-9))))
        return left <= 0 or self.task.weight(self.best) <= self.bound * (1 + _ALMOST)

    def relaxed(self) -> None:
        """Rounds in which cells may be hidden in part."""
        self._master.add([
            cut for cell in self.task.order for cut in self._cutter.of_single_sums(int(cell))])
        for round_ in range(_ROUNDS):
            if self.done:
                return
            chosen_, weight = self._master.relaxed()
            self._raise_bound(weight)
            short = self._cutter.short(chosen_, lambda: self.done)
            cuts = self._cutter.against_all(chosen_, short)
            more = self._master.add_companions(chosen_)
            if not cuts and not more:
                break
            self._master.add(cuts)
            if round_ in _GUIDED:
                self._guided(chosen_)
        if not self.done:
            self._guided(chosen_)

    def whole(self) -> None:
        """Rounds in which every cell is hidden or not."""
        while not self.done:
            chosen_, weight = self._master.whole(
                max(0.1, self.end - time.monotonic()), self.best)
            self._raise_bound(min(weight, self.task.weight(self.best)))
            if chosen_ is None or self.done:
                return
            chosen_ = np.rint(chosen_)
            short = self._cutter.short(chosen_, lambda: False)
            self._take(chosen_ > 0.5, None, short)
            cuts = self._cutter.against_all(chosen_, short)
            if not cuts and not self._master.add_companions(chosen_):
                return
            self._master.add(cuts)

    def _raise_bound(self, weight: float) -> None:
        weight += self._fixed
        if self._whole:  # as every choice weighs a whole number
            weight = float(np.ceil(weight - _ALMOST * max(1.0, abs(weight))))
        self.bound = max(self.bound, weight)

    def _guided(self, chosen_: Floats) -> None:
        self._take(self.task.sensitive.cells, self.task.weights * (1 - _CHEAPER * chosen_))

    def _take(self, start: Bools, costs: Floats | None, cells: Ints | None = None) -> None:
        """What the heuristic makes of it, if that is better; of `cells` alone if they are given,
        as all others are safe."""
        found = cleaned(self.task, chosen(self.task, start, silent, costs, cells))
        if self.task.weight(found) < self.task.weight(self.best):
            self.best = found


class _Master:
    """The cheapest choice among those that hold all cuts."""

    def __init__(self, task: Task, free: Bools) -> None:
        self._task, self._free = task, free
        self._cells = np.flatnonzero(free)
        self._column = np.full(len(task.table), -1, dtype=np.int32)
        self._column[self._cells] = np.arange(len(self._cells))
        self._solver = highspy.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("parallel", "off"),
                              ("mip_rel_gap", 1e-7), ("mip_abs_gap", 1e-7)):
            self._solver.setOptionValue(option, value)
        number = len(self._cells)
        self._solver.addVars(number, np.zeros(number), np.ones(number))
        self._all = np.arange(number, dtype=np.int32)
        self._solver.changeColsCost(number, self._all, task.weights[self._cells])
        self._rows = abs(task.matrix).tocsr()
        self._paired: set[tuple[int, int]] = set()
        self._relaxed, self._costs = 0.0, np.zeros(number)  # the least, and of a cell more

    def add(self, cuts: list[Cut]) -> None:
        for cut in cuts:
            self._add(1.0, cut.cells, cut.shares)

    def _add(self, least: float, cells: Ints, shares: Floats) -> None:
        self._solver.addRow(
            least, highspy.kHighsInf, len(cells), self._column[cells], shares)

    def add_companions(self, chosen_: Floats) -> int:
        """A further cell that is alone in a sum is known and need not be hidden: so it is hidden
        only with another. Adds what this choice breaks, and says how many."""
        entries, together = self._rows.tocoo(), self._rows @ chosen_
        row, cell = entries.coords
        broken = self._free[cell] & (2 * chosen_[cell] - together[row] > _ALMOST)
        alone = (self._rows @ self._task.sensitive.cells.astype(np.float64)) == 0
        pairs = [(int(r), int(c)) for r, c in zip(row[broken], cell[broken], strict=True)
                 if alone[r] and (int(r), int(c)) not in self._paired]
        for r, c in pairs:
            self._paired.add((r, c))
            cells = self._rows.indices[self._rows.indptr[r] : self._rows.indptr[r + 1]]
            cells = cells[self._free[cells]]
            self._add(0.0, cells, np.where(cells == c, -1.0, 1.0))
        return len(pairs)

    def relaxed(self) -> tuple[Floats, float]:
        """Shares of cells, and what they weigh."""
        self._solver.run()
        solution = self._solver.getSolution()
        self._relaxed = float(self._solver.getObjectiveValue())
        self._costs = np.asarray(solution.col_dual)
        return self._spread(solution.col_value), self._relaxed

    def whole(self, seconds: float, best: Bools) -> tuple[Floats | None, float]:
        """The best choice of whole cells found in so many seconds, or None; and what none is
        below. Cells with which a choice costs more than the best so far are left out: what the
        relaxed master costs, and one more of them by its prices. Its costs and prices belong
        together: beside a bound that was raised since, the prices would say too much."""
        number = len(self._cells)
        room = float(self._task.weights[self._cells][best[self._cells]].sum()) - self._relaxed
        out = (self._costs > room + _ALMOST * max(1.0, room)) & ~best[self._cells]
        self._solver.changeColsBounds(
            number, self._all, np.zeros(number), np.where(out, 0.0, 1.0))
        self._solver.changeColsIntegrality(
            number, self._all, np.full(number, highspy.HighsVarType.kInteger))
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + seconds)
        start = highspy.HighsSolution()
        start.col_value = best[self._cells].astype(np.float64).tolist()
        self._solver.setSolution(start)
        self._solver.run()
        info = self._solver.getInfo()
        if info.primal_solution_status != 2:
            return None, float(info.mip_dual_bound)
        return self._spread(self._solver.getSolution().col_value), float(info.mip_dual_bound)

    def _spread(self, values: list[float]) -> Floats:
        """Over all cells; the sensitive ones are hidden."""
        found = self._task.sensitive.cells.astype(np.float64)
        found[self._cells] = np.clip(np.asarray(values), 0.0, 1.0)
        return found

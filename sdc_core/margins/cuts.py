"""What does every safe choice of hidden cells have to hold?

Any combination of sums says of a sensitive cell that it changes by as much as some others do
together; so those that are hidden among these must be able to change by what it needs. Each such
inequality is true of every safe choice, whichever combination was taken. M. Fischetti and J.
Salazar-González (*Management Science* 47, 2001) take those that the attacker's own linear programs
find, and call them capacity constraints.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sdc_core.margins.attack import pieces
from sdc_core.margins.heuristic import Task
from sdc_core.margins.moves import Moves, Program
from sdc_core.margins.table import Bools, Floats, Ints

_PARTS = 720  # combinations are taken in multiples of one 720th, so that no noise is in them
_SHORT = 1e-4  # of what is needed: falling short by less is no reason for a cut
_NOTHING = 1e-7  # hidden to so small a share is shown
_GLIMPSE = 1e-5  # of each cell that is not hidden at all: the least combination is found


class Cut(NamedTuple):
    """The sum of shares over the cells that are hidden is at least 1."""

    cells: Ints
    shares: Floats


class Cutter:
    """Finds inequalities that a choice, or a mixture of choices, breaks."""

    def __init__(self, task: Task, free: Bools) -> None:
        """`free` are the cells that may be hidden and need not be."""
        self._task, self._free = task, free
        self._rows: csr_array = task.matrix.tocsr()
        self._may = free | task.sensitive.cells

    def of_single_sums(self, cell: int) -> list[Cut]:
        """One for each sum that a sensitive cell is in, and way that it has to go."""
        start, end = self._task.matrix.indptr[cell : cell + 2]
        found = []
        for row, sign in zip(self._task.matrix.indices[start:end],
                             self._task.matrix.data[start:end], strict=True):
            one = np.array([row]), np.array([-round(sign)])
            found += self._cuts(cell, one, (one[0], -one[1]))
        return found

    def against_all(self, chosen: Floats, short: Ints) -> list[Cut]:
        """Those that this choice breaks, for the cells that fall short."""
        found: list[Cut] = []
        label = np.full(len(chosen), -1)
        for number, piece in enumerate(pieces(self._task.table, chosen > _NOTHING)):
            label[piece] = number
        for cell in short:
            found += self.against(int(cell), chosen, label)
        return found

    def short(self, chosen: Floats, stop: Callable[[], bool]) -> Ints:
        """The sensitive cells that cannot move as far as they have to, until it is time to stop."""
        found: list[int] = []
        for piece in pieces(self._task.table, chosen > _NOTHING):
            if stop():
                break
            if self._task.sensitive.cells[piece].any():
                found += self._short(piece, chosen[piece])
        return np.array(found, dtype=np.int64)

    def _short(self, piece: Ints, share: Floats) -> list[int]:
        """In one connected piece. Of cells that are hidden in part nothing is asked that moves them
        by more than what is needed: this is what the cuts say."""
        task, whole = self._task, bool((share > 1 - _NOTHING).all())
        down, up = task.down[piece] * share, task.up[piece] * share
        moves, every = Moves(task.relevant(piece), -down, up), np.arange(len(piece))
        found, limited = [], math.inf
        for place in np.flatnonzero(task.sensitive.cells[piece]):
            cell, reached = int(piece[place]), []
            needs = self.needs(cell)
            for sign, need in ((-1.0, max(needs[1], needs[2])), (1.0, max(needs[0], needs[2]))):
                if not whole and need != limited:
                    moves.limit(every, -np.minimum(task.down[piece], need) * share,
                                np.minimum(task.up[piece], need) * share)
                    limited = need
                change = moves.furthest(np.array([place]), np.array([sign]))
                reached.append(math.inf if change is None else sign * float(change[place]))
            if whole:
                safe = task.is_safe(cell, *reached)
            else:
                safe = all(have >= need * (1 - _SHORT) for have, need in zip(
                    (reached[1], reached[0], sum(reached)), needs, strict=True))
            if not safe:
                found.append(cell)
        return found

    def against(self, cell: int, chosen: Floats, label: Ints) -> list[Cut]:
        """Those that this choice breaks, for one sensitive cell; `label` says which connected
        piece each hidden cell belongs to."""
        up, down, wide = self.needs(cell)
        near = self._near(cell, chosen, label)
        combined = [self._combination(cell, near, chosen, sign, need) for sign, need in (
            (1.0, max(up, wide)), (-1.0, max(down, wide)))]
        return [cut for cut in self._cuts(cell, *combined)
                if float(cut.shares @ chosen[cut.cells]) < 1 - _SHORT]

    def _near(self, cell: int, chosen: Floats, label: Ints) -> Ints:
        """The cells that are looked at for one: those around it, and every piece of hidden cells
        that has a sum with one of these. A sum says something of all its hidden cells."""
        around = self._task.around(cell, self._may, self._task.weights * (1 - chosen))
        rows = np.unique(self._task.matrix[:, around].indices)
        touched = np.zeros(int(label.max()) + 2, dtype=np.bool_)
        touched[label[self._rows[rows].indices]] = True
        touched[label[cell]] = True
        touched[-1] = False  # where cells are that are not hidden
        return np.union1d(around, np.flatnonzero(touched[label]))

    def needs(self, cell: int) -> tuple[float, float, float]:
        """How far up, down and how wide, where the width asks for what one way cannot give."""
        up, down, wide = self._task.needs(cell)
        up = max(up, wide - self._task.down[cell])
        down = max(down, wide - self._task.up[cell])
        return up, down, wide if wide > up + down else 0.0

    def _cuts(
        self, cell: int, upwards: tuple[Ints, Ints] | None, downwards: tuple[Ints, Ints] | None
    ) -> list[Cut]:
        up, down, wide = self.needs(cell)
        above = None if upwards is None else self._reach(cell, 1.0, upwards)
        below = None if downwards is None else self._reach(cell, -1.0, downwards)
        found = []
        if above is not None and up > 0:
            found.append(self._cut(above, up))
        if below is not None and down > 0:
            found.append(self._cut(below, down))
        if above is not None and below is not None and wide > 0:
            found.append(self._cut(above + below, wide))
        return [cut for cut in found if cut is not None]

    def _reach(self, cell: int, sign: float, combination: tuple[Ints, Ints]) -> Floats | None:
        """By how much each cell, if hidden, lets this one go that way, as these sums say."""
        rows, times = combination
        together = self._rows[rows].T @ times.astype(np.float64)
        own = -sign * together[cell]
        if own <= 0:
            return None
        together = together / own
        together[cell] = 0.0
        with np.errstate(invalid="ignore"):
            reach = np.where(together > 0, together * self._task.up, -together * self._task.down)
        return np.where(self._may & (together != 0), reach, 0.0)

    def _cut(self, reach: Floats, need: float) -> Cut | None:
        """What is needed besides the sensitive cells, which are hidden in any case."""
        left = need - float(reach[self._task.sensitive.cells].sum())
        if left <= _SHORT * need:
            return None
        cells = np.flatnonzero(self._free & (reach > 0))
        return Cut(cells, np.minimum(reach[cells] / left, 1.0))

    def _combination(
        self, cell: int, near: Ints, chosen: Floats, sign: float, need: float
    ) -> tuple[Ints, Ints] | None:
        """The sums that keep this cell from moving as far, if it cannot; from cells nearby."""
        if need <= 0:
            return None
        task = self._task
        matrix = task.matrix[:, near].tocsr()
        rows = np.flatnonzero(np.diff(matrix.indptr))
        share = np.maximum(chosen[near], _GLIMPSE)
        low, high = -np.minimum(task.down[near], need), np.minimum(task.up[near], need)
        low, high = low * share / need, high * share / need
        here = np.flatnonzero(near == cell)
        cost = np.zeros(len(near))
        cost[here] = -sign
        low[here], high[here] = -2.0, 2.0
        zero = np.zeros(len(rows))
        program = Program(cost, low, high, matrix[rows].tocsc(), zero, zero.copy())
        if not program.solved(primal=True):
            return None
        times = np.rint(_PARTS * program.duals)
        kept = (times != 0) & np.isfinite(times)
        return (rows[kept], times[kept].astype(np.int64)) if kept.any() else None

"""Which further cells need not be hidden after all?"""

from __future__ import annotations

import numpy as np

from sdc_core.margins.attack import narrowed, pieces
from sdc_core.margins.heuristic import Chosen, Task, Way, Ways
from sdc_core.margins.moves import Moves
from sdc_core.margins.table import Bools, Floats, Ints

_STILL = 1e-7  # of what is needed: a change by less is noise
_ROUNDS = 3  # of bounds that follow from single sums: they tell nearly all that has to stay hidden


def cleaned(task: Task, chosen: Chosen) -> Bools:
    """Hidden cells of which none can be shown while the rest stay hidden: tried dearest first, in
    each connected piece by itself. The sensitive cells are safe before and after."""
    found = task.sensitive.cells.copy()
    for piece in pieces(task.table, chosen.hidden):
        if task.sensitive.cells[piece].any():
            found[piece] |= _Cleaner(task, piece, chosen.ways).needed()
    return found


class _Cleaner:
    """One piece, with a way up and a way down for each of its sensitive cells."""

    def __init__(self, task: Task, piece: Ints, seen: Ways) -> None:
        self._task, self._piece = task, piece
        down, up = task.down[piece], task.up[piece]
        matrix = task.relevant(piece)
        self._matrix, self._below, self._above = matrix.tocsr(), -down, up
        self._moves = Moves(matrix, -down, up, short=True)
        self._places = np.flatnonzero(task.sensitive.cells[piece])
        self._still = np.array([_STILL * max(task.needs(int(c))) for c in piece[self._places]])
        self._ways = np.zeros((2, len(self._places), len(piece)))
        for rank, place in enumerate(self._places):
            cell = int(piece[place])
            for side, known in enumerate(seen):
                if cell in known:
                    self._ways[side, rank] = self._inside(known[cell])
            if not self._is_safe(rank, self._ways):
                for side in range(2):
                    self._ways[side, rank] = self._way(rank, side)

    def _inside(self, way: Way) -> Floats:
        """A change of a connected piece's cells, of one that moves only what is hidden."""
        full = np.zeros(len(self._task.table))
        full[way.cells] = way.change
        return full[self._piece]

    def needed(self) -> Bools:
        task, piece = self._task, self._piece
        kept = np.ones(len(piece), dtype=np.bool_)
        further = np.flatnonzero(~task.sensitive.cells[piece])
        for place in further[np.argsort(-task.weights[piece[further]], kind="stable")]:
            kept[place] = False
            if not self._may_do(kept):
                kept[place] = True
                continue
            at = np.array([place])
            self._moves.limit(at, np.zeros(1), np.zeros(1))
            if not self._safe_without(int(place)):
                kept[place] = True
                self._moves.limit(at, -task.down[piece[at]], task.up[piece[at]])
        return kept

    def _may_do(self, kept: Bools) -> bool:
        """Is this not refuted by single sums already?"""
        low = self._task.table.values.copy()
        high = low.copy()
        below, above = narrowed(
            self._matrix, np.where(kept, self._below, 0.0), np.where(kept, self._above, 0.0),
            _ROUNDS)
        low[self._piece] += below
        high[self._piece] += above
        safe = self._task.sensitive.protects(self._task.table.values, low, high)
        return bool(safe[self._piece].all())

    def _safe_without(self, place: int) -> bool:
        """Is there another way wherever one uses this cell? Keeps those that were found."""
        uses = np.abs(self._ways[:, :, place]) > self._still
        ways = self._ways.copy()
        for rank in np.flatnonzero(uses.any(axis=0)):
            # first what has to change; the other side may have further to go than it needed so far
            for sides in (uses[:, rank], ~uses[:, rank]):
                for side in np.flatnonzero(sides):
                    ways[side, rank] = self._way(int(rank), int(side))
                if self._is_safe(int(rank), ways):
                    break
            else:
                return False
        self._ways = ways
        return True

    def _way(self, rank: int, side: int) -> Floats:
        """The change that moves a sensitive cell furthest up (side 0) or down (side 1), as far as
        it has to go."""
        at = self._places[rank : rank + 1]
        cell = self._piece[at]
        down, up = self._task.down[cell], self._task.up[cell]
        enough = np.full(1, max(self._task.needs(int(cell[0]))))
        self._moves.limit(at, -np.minimum(down, enough), np.minimum(up, enough))
        change = self._moves.furthest(at, np.array([1.0 - 2.0 * side]))
        self._moves.limit(at, -down, up)
        assert change is not None  # limited
        return change

    def _is_safe(self, rank: int, ways: Floats) -> bool:
        place = int(self._places[rank])
        return self._task.is_safe(
            int(self._piece[place]), -ways[1, rank, place], ways[0, rank, place])

"""What does somebody still learn of hidden numbers who knows all the others and can add up?

Every table that agrees with what is shown, and with what was known beforehand, may be the true one.
A hidden number lies between the least and the largest that it is in any of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sdc_core.errors import InputError
from sdc_core.margins.moves import Moves, Progress, silent
from sdc_core.margins.table import Bools, Floats, Ints, MarginTable

_SAME = 1e-7  # of a number: two bounds so close are one
_ROUNDS = 12  # of bounds that follow from single sums
_AT_ONCE = 3  # programs that move all numbers of a piece together, before one after the other


@dataclass(frozen=True, eq=False)
class Known:
    """What an attacker knows beforehand of every hidden number: at least `low`, at most `high`."""

    low: float = 0.0
    high: float = math.inf

    def check(self, table: MarginTable, hidden: Bools) -> None:
        """Is that true of every hidden number?"""
        outside = np.flatnonzero(hidden & ((table.values < self.low) | (table.values > self.high)))
        if len(outside):
            cell = int(outside[0])
            raise InputError(
                f"{table.name(cell)} is {table.values[cell]:,.12g}, but an attacker is taken to "
                f"know that every hidden number is from {self.low:,.12g} to {self.high:,.12g}. "
                "State what is known beforehand so that it is true of all numbers.")


class Intervals(NamedTuple):
    """The least and the largest that each number can be; twice the number itself where shown."""

    low: Floats
    high: Floats


NOTHING_NEGATIVE = Known()
SOMEBODY = Known(low=1.0)  # in a table of people whose zeros are all shown


def by_subtraction(table: MarginTable, hidden: Bools) -> Bools:
    """Which hidden cells follow from sums in which all else is known, one after the other?"""
    matrix = table.sums[:, :]
    matrix.data = np.abs(matrix.data)
    unknown = hidden.astype(np.float64)
    while True:
        alone = (matrix @ unknown == 1).astype(np.float64)
        found = (matrix.T @ alone > 0) & (unknown > 0)
        if not found.any():
            return np.asarray(hidden & (unknown == 0))
        unknown[found] = 0.0


def intervals(
    table: MarginTable, hidden: Bools, known: Known = NOTHING_NEGATIVE, *,
    progress: Progress | None = None,
) -> Intervals:
    """The exact ends of what is possible for every hidden number, over real numbers.

    An end that nothing limits is infinite. Where the numbers are whole and the table is a network
    (at most two axes, at most one of them with a hierarchy) its matrix is totally unimodular, so
    the ends are whole as well, and an attacker who knows that numbers are whole learns no more. In
    other tables the ends may be fractions; such an attacker could move each inwards to a whole
    number at least, and further only where no table of whole numbers reaches that.
    """
    known.check(table, hidden)
    low, high = table.values.copy(), table.values.copy()
    open_ = hidden & ~by_subtraction(table, hidden)
    parts = pieces(table, open_)
    whole = _is_network(table) and _are_whole(table.values, known)
    done, size = 0, max(1, sum(len(p) for p in parts))
    for piece in parts:
        def told(share: float, before: int = done, here: int = len(piece)) -> None:
            if progress is not None:
                progress((before + share * here) / size)

        ends = _Piece(table, piece, known).ends(told)
        low[piece], high[piece] = (np.rint(end) if whole else end for end in ends)
        done += len(piece)
    (progress or silent)(1.0)
    return Intervals(low, high)


def pieces(table: MarginTable, cells: Bools) -> list[Ints]:
    """These cells, apart where no sum connects them."""
    chosen = np.flatnonzero(cells)
    part = abs(table.sums[:, chosen])
    number, label = connected_components(csr_array(part.T @ part), directed=False)
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.arange(1, number))
    return [p for p in np.split(chosen[order], ends) if len(p)]


def _is_network(table: MarginTable) -> bool:
    return len(table.axes) <= 2 and sum(a.depths.max() > 1 for a in table.axes) <= 1


def _are_whole(values: Floats, known: Known) -> bool:
    return all(bool((one == np.rint(one)).all()) for one in (
        values, np.array([end for end in (known.low, known.high) if math.isfinite(end)])))


class _Piece:
    """Hidden numbers that hang together, and how far each has been seen to move."""

    def __init__(self, table: MarginTable, cells: Ints, known: Known) -> None:
        self._values, self._known = table.values[cells], known
        matrix = table.sums[:, cells]
        self._matrix = csr_array(matrix[np.flatnonzero(np.diff(matrix.indptr))])
        self.below, self.above = narrowed(
            self._matrix, known.low - self._values, known.high - self._values)
        self.least, self.most = np.zeros(len(cells)), np.zeros(len(cells))  # seen
        self._moves = Moves(self._matrix.tocsc(), known.low - self._values,
                            known.high - self._values)
        self._same = _SAME * np.maximum(1.0, np.abs(self._values))

    def ends(self, progress: Progress) -> tuple[Floats, Floats]:
        """First many are moved together, since every solution may show ends of several; then each
        that is not yet seen where it cannot go beyond."""
        for sign in (1.0, -1.0):
            for _ in range(_AT_ONCE):
                left = np.flatnonzero(self._away(sign) > self._same)
                if len(left) > 1:
                    self._see(left, sign)
        for part, sign in enumerate((1.0, -1.0)):
            for cell in range(len(self._values)):
                if self._away(sign)[cell] > self._same[cell]:
                    self._see(np.array([cell]), sign)
                    self._settle(cell, sign)
                progress((part + (cell + 1) / len(self._values)) / 2)
        low = np.maximum(self._values + self.least, self._known.low)
        return low, np.minimum(self._values + self.most, self._known.high)

    def _away(self, sign: float) -> Floats:
        """How much further each number may move than it was seen to."""
        with np.errstate(invalid="ignore"):  # both are endless
            return self.above - self.most if sign > 0 else self.least - self.below

    def _see(self, cells: Ints, sign: float) -> None:
        change = self._moves.furthest(cells, np.full(len(cells), sign))
        if change is not None:
            self.least = np.minimum(self.least, change)
            self.most = np.maximum(self.most, change)
        elif len(cells) == 1:
            (self.most if sign > 0 else self.least)[cells] = sign * math.inf

    def _settle(self, cell: int, sign: float) -> None:
        """What has been seen is the end."""
        if sign > 0:
            self.above[cell] = self.most[cell]
        else:
            self.below[cell] = self.least[cell]


def narrowed(
    matrix: csr_array, below: Floats, above: Floats, rounds: int = _ROUNDS
) -> tuple[Floats, Floats]:
    """Bounds of changes for which the product with `matrix` is 0, brought in: no change can go
    beyond what the others of one of its sums can make up for."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    cells, signs = matrix.indices, matrix.data
    for _ in range(rounds):
        least = np.where(signs > 0, below[cells], -above[cells])
        most = np.where(signs > 0, above[cells], -below[cells])
        rest_least, rest_most = _of_others(least, rows), _of_others(most, rows)
        # sign × change = −(what the others of the row add up to)
        before, (below, above) = (below, above), (below.copy(), above.copy())
        np.minimum.at(above, cells, np.where(signs > 0, -rest_least, rest_most))
        np.maximum.at(below, cells, np.where(signs > 0, -rest_most, rest_least))
        if np.array_equal(before[0], below) and np.array_equal(before[1], above):
            break
    return below, above


def _of_others(ends: Floats, rows: Ints) -> Floats:
    """For each entry the sum over all others of its row, where some may be infinite."""
    endless = np.isinf(ends)
    finite = np.where(endless, 0.0, ends)
    number = np.bincount(rows, endless)[rows] - endless
    sign = math.inf if (ends[endless] > 0).any() else -math.inf
    return np.where(number > 0, sign, np.bincount(rows, finite)[rows] - finite)

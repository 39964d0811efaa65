"""In which ways can some numbers of a table change without any sum noticing?

A change of the hidden numbers that leaves every sum as it is makes another table that an attacker
cannot rule out. All of them together are a polytope that holds 0, the true table; how far it
reaches is a linear program, and the next question about it starts where the last one ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import highspy
import numpy as np
from scipy.sparse import csc_array

from sdc_core.margins.table import Floats, Ints

Progress = Callable[[float], object]

_LARGE = 2.0**20  # what numbers are brought below before the program is solved
_EXACT = 1e-9  # by how much a sum may be off, in those numbers
_LITTLE = 1e-3  # all changes together cost at most that much of what is asked for
_DUAL, _PRIMAL = 1, 4  # HiGHS's numbers for the two kinds of simplex


def silent(share: float) -> None:
    """Nobody wants to know how far it is."""


class Program:
    """A linear program that is asked again and again: least cost of columns within bounds, where
    rows lie between bounds."""

    def __init__(
        self, cost: Floats, low: Floats, high: Floats, matrix: csc_array, row_low: Floats,
        row_high: Floats, presolve: bool = False,
    ) -> None:
        self.solver = highspy.Highs()
        for option, value in (
            ("output_flag", False), ("threads", 1), ("parallel", "off"),
            ("presolve", "on" if presolve else "off"), ("primal_feasibility_tolerance", _EXACT),
        ):
            self.solver.setOptionValue(option, value)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = matrix.shape[1], matrix.shape[0]
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, low, high
        lp.row_lower_, lp.row_upper_ = row_low, row_high
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = matrix.shape[1], matrix.shape[0]
        lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr, matrix.indices
        lp.a_matrix_.value_ = matrix.data
        self.solver.passModel(lp)

    def solved(self, primal: bool = False) -> bool:
        """Is there a cheapest solution? Not if it can be made cheaper without end, or none is
        feasible. `primal` is the way to go if the last solution is still feasible."""
        self.solver.setOptionValue("simplex_strategy", _PRIMAL if primal else _DUAL)
        for _ in range(2):
            self.solver.run()
            status = self.solver.getModelStatus()
            if status in _ANSWERS:
                return bool(status == highspy.HighsModelStatus.kOptimal)
            self.solver.clearSolver()  # lost its way in the numbers: from the start
        raise ArithmeticError(f"HiGHS gave up: {self.solver.modelStatusToString(status)}")

    @property
    def columns(self) -> Floats:
        return np.asarray(self.solver.getSolution().col_value, dtype=np.float64)

    @property
    def duals(self) -> Floats:
        """What one more on the right of each row costs."""
        return np.asarray(self.solver.getSolution().row_dual, dtype=np.float64)

    def costs(self, columns: Ints, cost: Floats) -> None:
        self.solver.changeColsCost(len(columns), columns.astype(np.int32), cost)

    def bounds(self, columns: Ints, low: Floats, high: Floats) -> None:
        self.solver.changeColsBounds(len(columns), columns.astype(np.int32), low, high)


_ANSWERS = (
    highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kUnbounded,
    highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible,
)


class Moves:
    """All changes of some numbers, at least `low` (0 or less) and at most `high` (0 or more), for
    which the product with `matrix` (sums by numbers) is 0. Where `short` is wished, changes are
    found that move the others as little as possible."""

    def __init__(
        self, matrix: csc_array, low: Floats, high: Floats, short: bool = False
    ) -> None:
        finite = np.concatenate([-low[low > -math.inf], high[high < math.inf]])
        largest = float(finite.max(initial=0.0))
        self.unit = 2.0 ** max(0.0, math.ceil(math.log2(max(largest, 1.0) / _LARGE)))
        self._low, self._high = low / self.unit, high / self.unit
        self._size, self._short = len(low), short
        least, most, both = self._low, self._high, matrix
        if short:  # upwards and downwards apart, each at a little cost
            most, both = np.concatenate([most, -least]), doubled(matrix)
            least = np.zeros(len(most))
        self._idle = np.full(len(most), _LITTLE / max(1, len(most)) if short else 0.0)
        zero = np.zeros(matrix.shape[0])
        self._program = Program(self._idle, least, most, both, zero, zero.copy())
        self._asked = np.zeros(0, dtype=np.int64)

    def furthest(self, cells: Ints, signs: Floats) -> Floats | None:
        """A change for which the sum of these cells, with these signs, is largest; None if it may
        be as large as one likes."""
        self._program.costs(self._asked, self._idle[self._asked])
        if self._short:
            cells = np.concatenate([cells, cells + self._size])
            signs = np.concatenate([signs, -signs])
        self._program.costs(cells, self._idle[cells] - signs)
        self._asked = cells
        if not self._program.solved(primal=True):
            return None
        found = self._program.columns
        if self._short:
            found = found[: self._size] - found[self._size:]
        return np.clip(found, self._low, self._high) * self.unit

    def limit(self, cells: Ints, low: Floats, high: Floats) -> None:
        """Other bounds for some cells."""
        low, high = low / self.unit, high / self.unit
        self._low[cells], self._high[cells] = low, high
        if self._short:
            cells, low, high = (
                np.concatenate([cells, cells + self._size]), np.zeros(2 * len(cells)),
                np.concatenate([high, -low]))
        self._program.bounds(cells, low, high)


def doubled(matrix: csc_array) -> csc_array:
    """Every column twice, the second time with the other sign."""
    return csc_array(
        (np.concatenate([matrix.data, -matrix.data]),
         np.concatenate([matrix.indices, matrix.indices]),
         np.concatenate([matrix.indptr, matrix.indptr[1:] + matrix.indptr[-1]])),
        shape=(matrix.shape[0], 2 * matrix.shape[1]))

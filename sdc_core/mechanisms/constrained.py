"""From noisy counts to a table that could be true: no negatives, whole numbers, right sums.

Question: which table of whole people is nearest to the measurements and has the sums that are
known? Two steps, as in the Census Bureau's TopDown algorithm (Abowd et al. 2022, §5): least
squares over real numbers, then controlled rounding: every count goes to a whole number next to it
and all sums stay.

A table has rows (combinations of features) and columns (areas); either sums may be known. With one
kind of sums every row (or column) is a problem by itself, and sorting it answers both exactly.
With both kinds least squares is a quadratic programme (Clarabel) and rounding a linear one (HiGHS),
whose corners are whole because row and column sums of a table make a totally unimodular system.
"""

from __future__ import annotations

from typing import Any

import clarabel  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from sdc_core.errors import InputError

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

_WHOLE = 1e-5  # nearer to a whole number than this is one: the solver's last digits are noise
_TIES = 1e-4  # size of the random part of a rounding cost, far above the solver's tolerance


def nearest_table(
    noisy: Floats, row_sums: Whole | None = None, column_sums: Whole | None = None
) -> Floats:
    """The non-negative real table nearest to the noisy one with these sums.

    minimise Σ (x - y)² over x >= 0 with Σ_columns x = row_sums and Σ_rows x = column_sums, where
    they are given. Where no sum is known that is y without its negatives.
    """
    _feasible(noisy.shape, row_sums, column_sums)
    if not noisy.size:
        return np.zeros(noisy.shape)
    if row_sums is None:
        return np.maximum(noisy, 0.0) if column_sums is None else (
            _nearest_rows(noisy.T, column_sums).T)
    if column_sums is None:
        return _nearest_rows(noisy, row_sums)
    rows, columns, row_sums, column_sums = _not_empty(row_sums, column_sums)
    estimate = np.zeros(noisy.shape)
    if len(rows) and len(columns):
        inner = np.ix_(rows, columns)
        estimate[inner] = _least_squares(noisy[inner], row_sums, column_sums)
    return estimate


def round_table(
    estimate: Floats,
    rng: np.random.Generator,
    row_sums: Whole | None = None,
    column_sums: Whole | None = None,
) -> Whole:
    """The nearest whole table next to this one with these sums, ties broken at random.

    Every count is rounded down or up (b says which), and one that is whole stays. Rounding up
    costs 1 - 2f for a fraction f, so the least cost over 0 <= b <= 1 with the sums that are left
    is the least squared change. After least squares whole rows have the same fraction: without the
    random part of the cost the first areas of the list would always be rounded up.
    """
    if estimate.size == 0 or (row_sums is None and column_sums is None):
        return np.rint(estimate).astype(np.int64)
    near = np.rint(estimate)
    lower = np.where(np.abs(estimate - near) < _WHOLE, near, np.floor(estimate))
    fraction = np.maximum(estimate - lower, 0.0)
    cost = 1 - 2 * fraction + _TIES * rng.random(estimate.shape)
    cost[fraction < _WHOLE] = np.inf  # stays
    if column_sums is None:
        return (lower + _cheapest_up(cost, row_sums - lower.sum(axis=1))).astype(np.int64)
    if row_sums is None:
        return (lower + _cheapest_up(cost.T, column_sums - lower.sum(axis=0)).T).astype(np.int64)
    sums, right = _sums(
        estimate.shape,
        row_sums - lower.sum(axis=1), column_sums - lower.sum(axis=0),
    )
    may = np.isfinite(cost).reshape(-1)
    found = linprog(np.where(may, cost.reshape(-1), 0.0), A_eq=sums, b_eq=right,
                    bounds=np.column_stack([np.zeros(len(may)), may]), method="highs-ds")
    if found.x is None:  # an estimate that is nowhere near its sums
        raise RuntimeError(f"Controlled rounding found no table: {found.message}")
    return (lower + np.rint(found.x).reshape(estimate.shape)).astype(np.int64)


def _nearest_rows(noisy: Floats, sums: Whole) -> Floats:
    """Each row less one number of its own, without negatives: the number for which its sum is
    right, found among the largest of the row (the projection onto a simplex)."""
    descending = -np.sort(-noisy, axis=1)
    number = np.arange(1, noisy.shape[1] + 1)
    less = (np.cumsum(descending, axis=1) - sums[:, None]) / number
    held = np.maximum((descending > less).sum(axis=1), 1)  # so many stay above zero
    near = np.maximum(noisy - less[np.arange(len(noisy)), held - 1][:, None], 0.0)
    return np.asarray(np.where(sums[:, None] > 0, near, 0.0))


def _cheapest_up(cost: Floats, number: Floats) -> Whole:
    """Ones where it costs least, as many in each row as are missing from its sum."""
    missing = np.rint(number)
    if (np.abs(missing - number) > _WHOLE).any() or (missing < 0).any() or (
            missing > np.isfinite(cost).sum(axis=1)).any():
        raise RuntimeError("Controlled rounding found no table: the estimate is nowhere near its "
                           "sums.")
    place = np.argsort(np.argsort(cost, axis=1, kind="stable"), axis=1)
    return np.asarray(place < missing[:, None], dtype=np.int64)


def _feasible(
    shape: tuple[int, ...], row_sums: Whole | None, column_sums: Whole | None
) -> None:
    """Is there a table at all? Sums must not be negative, and both kinds must add up alike."""
    for name, given, length in (
        ("row_sums", row_sums, shape[0]), ("column_sums", column_sums, shape[1])
    ):
        if given is None:
            continue
        if len(given) != length:
            raise InputError(f"{name} must have {length} numbers, got {len(given)}.")
        if length and given.min() < 0:
            raise InputError(f"{name} must not be negative, got {given.min()}.")
        if given.any() and not shape[0] * shape[1]:
            raise InputError(f"{name} must be 0 where there is no cell to fill, got {given.max()}.")
    if row_sums is not None and column_sums is not None and row_sums.sum() != column_sums.sum():
        raise InputError(
            f"No table has these sums: rows add up to {row_sums.sum()}, columns to "
            f"{column_sums.sum()}. Give sums of one table."
        )


def _not_empty(
    row_sums: Whole, column_sums: Whole
) -> tuple[NDArray[np.intp], NDArray[np.intp], Whole, Whole]:
    """Rows and columns that may hold anyone: the others are zero, and the solver is spared them."""
    rows, columns = np.flatnonzero(row_sums), np.flatnonzero(column_sums)
    return rows, columns, row_sums[rows], column_sums[columns]


def _least_squares(noisy: Floats, row_sums: Whole, column_sums: Whole) -> Floats:
    """The same without empty rows or columns, in terms of the change d = x - y.

    The change is as small as the noise, however large the counts, which keeps the digits. Noise
    that dwarfs the sums can look infeasible to the solver: then all is solved in a larger unit.
    """
    sums, right = _sums(
        noisy.shape, row_sums - noisy.sum(axis=1), column_sums - noisy.sum(axis=0),
        independent=True,
    )
    large = 2.0 ** np.ceil(np.log2(max(np.abs(noisy).max(), 1.0)))
    for unit in (1.0, large):
        solution = _solved(sums, right / unit, noisy.reshape(-1) / unit)
        if str(solution.status) in ("Solved", "AlmostSolved"):
            change = unit * np.asarray(solution.x).reshape(noisy.shape)
            return np.maximum(noisy + change, 0.0)
    raise RuntimeError(f"Least squares did not converge: {solution.status}.")


def _solved(sums: sparse.csc_array, right: Floats, noisy: Floats) -> Any:
    """The least change with these sums that leaves nothing negative."""
    size = noisy.size
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1  # the same order of sums, so the same digits, every time
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    return clarabel.DefaultSolver(
        sparse.identity(size, format="csc"),
        np.zeros(size),
        sparse.vstack([sums, -sparse.identity(size)], format="csc"),
        np.concatenate([right, noisy]),
        [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(size)],
        settings,
    ).solve()


def _sums(
    shape: tuple[int, ...], row_sums: Floats, column_sums: Floats, independent: bool = False
) -> tuple[sparse.csc_array, Floats]:
    """The sums as a system of equations over the cells in row-major order. One equation follows
    from the others; `independent` leaves it out."""
    count, width = shape
    kept = width - 1 if independent else width
    by_row = sparse.kron(sparse.identity(count), np.ones((1, width)))
    by_column = sparse.kron(np.ones((1, count)), sparse.identity(width), format="csr")[:kept]
    right = np.concatenate([row_sums, column_sums[:kept]]).astype(np.float64)
    return sparse.vstack([by_row, by_column], format="csc"), right

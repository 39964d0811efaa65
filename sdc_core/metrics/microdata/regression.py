"""Least squares on released records: coefficients, R², and which record pulls hardest.

IL₃ is P4's (§9.4): the mean absolute change over all coefficients, the constant among them (its p
variables are one outcome and p − 1 inputs, and with the constant that makes p coefficients). It
mixes units, as P4's does: coefficients of variables with small units weigh most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, Ints, records


@dataclass(frozen=True, eq=False)
class Fit:
    """A least-squares fit: the constant first, then a coefficient for each input."""

    coefficients: Floats
    r_squared: float
    residuals: Floats
    leverage: Floats

    @property
    def cooks_distances(self) -> Floats:
        """How far do all fitted values move if a record is left out? Infinite for a record that
        the fit must go through, where leaving it out leaves no fit."""
        free = len(self.residuals) - len(self.coefficients)
        variance = float(self.residuals @ self.residuals) / free
        if variance == 0:
            return np.zeros(len(self.residuals))
        rest = 1 - self.leverage
        through = rest < 1e-10
        safe = np.where(through, 1.0, rest)
        found = self.residuals**2 * self.leverage / (len(self.coefficients) * variance * safe**2)
        return np.where(through, np.inf, found)


def fit(inputs: ArrayLike, outcome: ArrayLike, what: str = "the records") -> Fit:
    """Least squares with a constant; one sentence where the inputs do not determine it."""
    columns = records(inputs, what)
    wanted = records(outcome, f"the outcome of {what}")[:, 0]
    if len(columns) != len(wanted):
        raise InputError(
            f"There are {len(columns):,} rows of inputs and {len(wanted):,} outcomes.")
    design = np.column_stack([np.ones(len(columns)), columns])
    if len(design) <= design.shape[1]:
        raise InputError(
            f"A regression with {design.shape[1]} coefficients needs more than "
            f"{design.shape[1]} records; in {what} there are {len(design)}."
        )
    if np.ptp(wanted) == 0:
        raise InputError(f"In {what} the outcome is constant, so nothing explains it.")
    # On columns of like size, or a rank would hang on the units that somebody chose.
    size = np.linalg.norm(design, axis=0)
    left, sizes, right = np.linalg.svd(design / np.where(size > 0, size, 1), full_matrices=False)
    if sizes[-1] <= sizes[0] * 1e-10:
        raise InputError(
            f"In {what} some inputs are constant or sums of others, so their coefficients are not "
            "determined; leave one out, or protect less."
        )
    coefficients = (right.T @ ((left.T @ wanted) / sizes)) / size
    residuals = wanted - design @ coefficients
    centred = wanted - wanted.mean()
    r_squared = 1 - float(residuals @ residuals) / float(centred @ centred)
    return Fit(coefficients, r_squared, residuals, (left**2).sum(axis=1))


def coefficient_change(before: Fit, after: Fit) -> float:
    """IL₃: mean absolute change of the coefficients."""
    if len(before.coefficients) != len(after.coefficients):
        raise InputError("The two regressions have different inputs; give the same columns.")
    return float(np.abs(before.coefficients - after.coefficients).mean())


def indicators(codes: ArrayLike, levels: list[str] | None = None) -> tuple[Floats, list[str]]:
    """A categorical variable as columns of 0 and 1, one for each level but the first, and the
    names of those levels. `levels` fixes them beforehand: a release may lack one."""
    texts = np.asarray([str(code) for code in np.asarray(codes).ravel()])
    known = sorted(set(texts)) if levels is None else levels
    unknown = set(texts) - set(known)
    if unknown:
        raise InputError(f"The level {str(min(unknown))!r} is not among {', '.join(known)}.")
    return (texts[:, None] == np.asarray(known[1:])[None, :]).astype(np.float64), known[1:]


def most_exposed(fitted: Fit) -> int:
    """The record with the largest Cook's distance; the first of equals."""
    return int(fitted.cooks_distances.argmax())


@dataclass(frozen=True)
class Followed:
    """One record before and after: how hard it pulls on the fit, and its place among all records
    by that (1: the hardest)."""

    record: int
    before: float
    after: float
    place_before: int
    place_after: int
    largest_after: float  # of all released records, whoever's it is


def follow(record: int, before: Fit, after: Fit) -> Followed:
    """What became of a record's pull in the release? Records keep their places."""
    first, second = before.cooks_distances, after.cooks_distances
    if not 0 <= record < min(len(first), len(second)):
        raise InputError(f"There is no record {record} to follow; there are {len(first):,}.")
    return Followed(
        record, float(first[record]), float(second[record]), _place(first, record),
        _place(second, record), float(second.max()),
    )


def _place(values: Floats, record: int) -> int:
    larger: Ints = np.flatnonzero(values > values[record])
    return 1 + len(larger)

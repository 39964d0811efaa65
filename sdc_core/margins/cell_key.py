"""How are counts shifted so that the same people get the same shift wherever they are counted?

The cell key method (B. Fraser and J. Wooton, *A proposed method for confidentialising tabular
output to protect against differencing*, UNECE 2005; ESSnet, *Harmonised protection of census data*,
2019): every record has a random key; the key of a cell is the sum of its records' keys, the
remainder of it; count and key together are looked up in a table that says by how much to shift. So
a cell has the same shift in whatever table it stands, and asking again gives nothing new. Totals
have keys of their own, so that shifted numbers do not add up.

The table (`PTable`) holds for every count the most even law (maximum entropy) that has no bias, the
wanted variance, no shift larger than wanted, no result below zero, and none of the small results
that are wanted out (G. Marley and V. Leaver, *A method for confidentialising user-defined tables*,
ISI 2011; S. Giessing and J. Höhne 2010; the R package ptable). Empty cells stay empty. Where a
small count cannot have the variance, it has the nearest that it can have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from sdc_core.errors import InputError
from sdc_core.margins.table import Axis, Bools, Floats, Ints, MarginTable

Keys = NDArray[np.uint64]
KEYS = 2**32  # so many different keys; sums of them are exact, in whatever order
_EXPECTED = 5.0  # seen at least so often, or put together with its neighbour, in a chi-square test
_EDGE = 1e-6  # as a share of the possible variances: nearer to the end is the end
_MOST_STEPS = 200
_FLAT = 1e-14


@dataclass(frozen=True)
class PTable:
    """For every count the chances of each shift: at most `spread` to either side, with `variance`,
    and no result from 1 to `least`.

    Counts of at most `least` have to go to zero or above it: where `spread` is too short for that,
    they go as far as it takes.
    """

    spread: int
    variance: float
    least: int = 0

    def __post_init__(self) -> None:
        if self.spread < 1 or self.least < 0 or not self.variance >= 0:
            raise InputError(
                "A lottery of shifts needs a largest shift of at least 1, a variance of at least 0 "
                f"and results of at least 0, got {self.spread}, {self.variance:g} and "
                f"{self.least}. Try 5, 3 and 2.")

    @property
    def reach(self) -> int:
        """The largest shift there is."""
        return max(self.spread, self.least)

    @property
    def alike_from(self) -> int:
        """From this count on all counts have the same law."""
        return self.reach + self.least + 1

    @cached_property
    def shifts(self) -> Ints:
        return np.arange(-self.reach, self.reach + 1)

    @cached_property
    def chances(self) -> Floats:
        """One row a count from 0 to `alike_from`, one column a shift."""
        rows = np.zeros((self.alike_from + 1, len(self.shifts)))
        rows[0, self.reach] = 1.0
        for count in range(1, len(rows)):
            able = self.possible(count)
            rows[count, able] = most_even(self.shifts[able].astype(np.float64), self.variance)
        return rows

    def possible(self, count: int) -> Bools:
        """Which shifts a count may have."""
        result = count + self.shifts
        far = self.reach if 0 < count <= self.least else self.spread
        near = np.abs(self.shifts) <= far
        return np.asarray(near & ((result == 0) | (result > self.least)))

    def rows(self, counts: NDArray[np.number]) -> Ints:
        """Which row of the chances is that of each count?"""
        return np.minimum(np.asarray(counts), self.alike_from).astype(np.int64)

    def moments(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Bias, variance and expected absolute error."""
        bias = self.chances @ self.shifts
        variance = self.chances @ self.shifts**2 - bias**2
        absolute = self.chances @ np.abs(self.shifts)
        at = self.rows(counts)
        return bias[at], variance[at], absolute[at]

    def shift(self, counts: NDArray[np.number], keys: Keys) -> Ints:
        """By how much each count is shifted: the same count with the same key always alike."""
        rows = self.rows(counts)
        found = np.zeros(keys.shape, dtype=np.int64)
        for row in np.unique(rows):
            here = rows == row
            found[here] = self.shifts[np.searchsorted(self._upto[row], keys[here], side="right")]
        return found

    @cached_property
    def _upto(self) -> Keys:
        """Below which key each shift ends, the last one aside, which goes on to the end."""
        shares = np.cumsum(self.chances[:, :-1], axis=1)
        ends = np.rint(np.minimum(shares, 1.0) * KEYS).astype(np.uint64)
        last = self.shifts[None, :-1] >= self._largest[:, None]
        return np.where(last, np.uint64(KEYS), ends)

    @property
    def _largest(self) -> Ints:
        """The largest shift of each row."""
        return np.asarray(self.shifts[-1] - np.argmax(self.chances[:, ::-1] > 0, axis=1))


def most_even(shifts: Floats, variance: float) -> Floats:
    """The most even law on these shifts with mean 0 and this variance, or the nearest that there
    is: exp(a v + b v²) at each v, but for a constant."""
    low, high = _possible_variances(shifts)
    if variance <= low + _EDGE * (high - low):
        return _between(shifts, shifts[shifts <= 0].max(), shifts[shifts >= 0].min())
    if variance >= high - _EDGE * (high - low):
        return _between(shifts, shifts.min(), shifts.max())
    features = np.stack([shifts, shifts**2]) / np.array([[1.0], [shifts.size]])
    wanted = np.array([0.0, variance / shifts.size])
    at = np.zeros(2)
    for _ in range(_MOST_STEPS):
        law, log_sum = _tilted(features, at)
        off = features @ law - wanted
        bent = (features * law) @ features.T - np.outer(features @ law, features @ law)
        step = np.linalg.solve(bent + 1e-15 * np.eye(2), off)
        if off @ step < _FLAT**2:
            break
        size, present = 1.0, log_sum - at @ wanted
        while size > 1e-9:
            tried = at - size * step
            if _tilted(features, tried)[1] - tried @ wanted <= present - 1e-4 * size * (off @ step):
                break
            size /= 2
        if size <= 1e-9:
            break  # no better by rounding
        at = tried
    return _tilted(features, at)[0]


def _tilted(features: Floats, at: Floats) -> tuple[Floats, float]:
    """The law that is exponential in the features, and the logarithm of its constant."""
    height = at @ features
    top = float(height.max())
    raw = np.exp(height - top)
    return raw / raw.sum(), top + math.log(raw.sum())


def _possible_variances(shifts: Floats) -> tuple[float, float]:
    """The least and largest variance of a law on these shifts with mean 0."""
    nearest = -shifts[shifts <= 0].max() * shifts[shifts >= 0].min()
    return float(nearest), float(-shifts.min() * shifts.max())


def _between(shifts: Floats, down: float, up: float) -> Floats:
    """The law on two shifts that has mean 0; on one, where that is 0 itself."""
    law = np.zeros(len(shifts))
    if down == up or down == 0 or up == 0:
        law[shifts == 0] = 1.0
        return law
    law[shifts == down], law[shifts == up] = up / (up - down), -down / (up - down)
    return law


def record_keys(number: int, rng: np.random.Generator) -> Keys:
    """A key for each record."""
    return rng.integers(0, KEYS, number, dtype=np.uint64)


def keys_of_cells(axes: Sequence[Axis], positions: Ints, keys: Keys) -> Keys:
    """The keys of all cells of a table, totals included. `positions` says of each record in which
    inner cell it is counted."""
    leaves = tuple(len(a.leaves) for a in axes)
    found: Keys = np.zeros(math.prod(leaves), dtype=np.uint64)
    np.add.at(found, positions, keys)
    return keys_with_totals(axes, found)


def keys_with_totals(axes: Sequence[Axis], inner: Keys) -> Keys:
    """The keys of all cells from those of the inner ones."""
    found = inner.reshape(tuple(len(a.leaves) for a in axes))
    for place, axis in enumerate(axes):
        added = np.tensordot(axis.holds.astype(np.uint64), found, (1, place))
        found = np.moveaxis(added, 0, place)
    return np.asarray(found.reshape(-1) % np.uint64(KEYS))


def drawn_keys(table: MarginTable, rng: np.random.Generator) -> Keys:
    """Keys of all cells where records are not at hand: a sum of keys is as random as one of them,
    so each inner cell that is not empty draws its own."""
    people = table.contributors[table.inner]
    inner = np.where(people > 0, record_keys(len(people), rng), np.uint64(0))
    return keys_with_totals(table.axes, inner)


def by_cell_key(table: MarginTable, lottery: PTable, keys: Keys) -> Floats:
    """The numbers of a table of people as published: each shifted by its own key, so that totals
    are not the sums of their parts."""
    if not table.counts_people:
        raise InputError(
            f"The lottery is for counts of people, this table is of {table.what}. Take rounding.")
    return np.asarray(table.values + lottery.shift(table.values, keys), dtype=np.float64)


class Agreement(NamedTuple):
    """A chi-square test of shifts that were seen against a table of chances."""

    statistic: float
    freedom: int
    chance: float  # of a statistic at least as large, if the chances are right


def agreement(lottery: PTable, counts: NDArray[np.number], shifts: Ints) -> Agreement:
    """Do shifts of these counts look as if they came from the lottery? Shifts that were to be
    expected seldom are put together with the next ones. One that is impossible settles it."""
    rows = lottery.rows(counts)
    if (np.abs(shifts) > lottery.reach).any() or (
            lottery.chances[rows, shifts + lottery.reach] == 0).any():
        return Agreement(math.inf, 1, 0.0)
    statistic, freedom = 0.0, 0
    for row in np.unique(rows):
        seen = np.bincount(shifts[rows == row] + lottery.reach, minlength=len(lottery.shifts))
        wanted = lottery.chances[row] * seen.sum()
        together = _together(wanted)
        seen_, wanted_ = (np.bincount(together, weights=w) for w in (seen, wanted))
        statistic += float(((seen_ - wanted_) ** 2 / wanted_).sum())
        freedom += len(wanted_) - 1
    return Agreement(statistic, freedom, float(chi2.sf(statistic, freedom)) if freedom else 1.0)


def _together(wanted: Floats) -> Ints:
    """Which of the expected numbers are taken together, so that each is large enough."""
    groups, held = np.zeros(len(wanted), dtype=np.int64), 0.0
    group = 0
    for place, one in enumerate(wanted):
        groups[place] = group
        held += one
        if held >= _EXPECTED and wanted[place + 1:].sum() >= _EXPECTED:
            group, held = group + 1, 0.0
    return groups

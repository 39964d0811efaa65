"""P4 on body measurements (§8, §9.3.2, §9.4): what it releases, and what it measures of that.

Settings that the paper leaves open are those of the notebooks that its first author made public
(noah-perry/RWN-privacy): fourteen measurements are released and the body mass index is worked out
of them afterwards; distances to the closest record are in the units of the file; a loading's sign
is turned round where it comes out the other way; the regression is on variables of mean 0 and
variance 1, without a constant. The intervals' settings are those that the text names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.data.microdata import microdata
from sdc_core.errors import InputError
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.microdata import regression
from sdc_core.metrics.microdata.battery import Original, Task
from sdc_core.metrics.microdata.regression import Fit
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.record_experiment import measure_releases, record_releases
from sdc_core.records import Records

Floats = NDArray[np.float64]

INDICES = 15
EVERY_INDEX = tuple(range(1, INDICES + 1))
# Table 3: index i of one method belongs to index i of the others. A step of each is the same.
RADII = tuple(round(0.25 + 0.05 * i, 2) for i in range(INDICES))
RANGES = tuple(round(0.12 + 0.03 * i, 2) for i in range(INDICES))
CLUSTERS = tuple(float(2 + i) for i in range(INDICES))
ALL_RADII = tuple(round(0.05 * i, 2) for i in range(25))  # §9.3.2: from 0 to 1.2
METHODS = ("rwn", "rank swapping", "microaggregation")
LARGEST = 37  # the observation that stands out, as P4 counts them
MADE_OF_OTHERS = "bmi"
_OUTCOME = {"bodyfat": "siri", "pima": "glucose"}
_POUNDS_PER_SQUARE_INCH = 703.0


@kept_with_first
def people(data: Dataset, with_made: bool = False) -> Records:
    """The measurements that are released: all numbers, without the one that follows from others
    unless it is asked for."""
    found = microdata(data)
    names = [found.names[j] for j in found.numeric_axes]
    return found.select([n for n in names if with_made or n != MADE_OF_OTHERS])


@kept_with_first
def original(data: Dataset, with_made: bool = False) -> Original:
    records = people(data, with_made)
    return Original(records, Task(_OUTCOME.get(data.id, records.names[0])))


def rwn(radius: float, k: int = 5, q: float = 1.0) -> Rwn:
    return Rwn(k=k, q=q, radius=radius)


def at(method: str, index: int, scaling: str = "sd") -> Mechanism:
    """A method of Table 3 at an index, counted from 1."""
    if method == "rwn":
        return rwn(RADII[index - 1])
    if method == "rank swapping":
        return mechanism("rank-swapping", p=RANGES[index - 1])
    return mechanism("microaggregation", k=int(CLUSTERS[index - 1]), scaling=scaling)


@dataclass(frozen=True, eq=False)
class Line:
    """A measure along Table 3: a number of releases at each index that was asked for."""

    over: tuple[OverReleases, ...]

    @property
    def means(self) -> Floats:
        return np.array([one.mean for one in self.over])

    @property
    def errors(self) -> Floats:
        return np.array([one.error for one in self.over])


@kept_with_first
def along(
    data: Dataset, name: str, releases: int, seed: int, with_made: bool = False,
    scaling: str = "sd", indices: tuple[int, ...] = EVERY_INDEX,
) -> Mapping[str, Line]:
    """A measure of the battery for each method along Table 3."""
    whole = original(data, with_made)
    return {
        method: Line(tuple(
            measure_releases(at(method, i, scaling), whole, (name,), releases, seed).over[name]
            for i in indices))
        for method in METHODS
    }


@kept_with_first
def regressions(
    data: Dataset, releases: int, seed: int, indices: tuple[int, ...] = EVERY_INDEX
) -> Mapping[str, tuple[Line, Line]]:
    """IL₃ and R² along Table 3, by method; the coefficients are those of `standard_fit`."""
    before = standard_fit(people(data), original(data).task.outcome)
    found = {}
    for method in METHODS:
        loss, r_squared = [], []
        for i in indices:
            fits = [
                standard_fit(one, original(data).task.outcome)
                for one in record_releases(at(method, i), people(data), releases, seed)]
            loss.append(OverReleases(np.array([_coefficient_change(before, f) for f in fits])))
            r_squared.append(OverReleases(np.array([f.r_squared for f in fits])))
        found[method] = (Line(tuple(loss)), Line(tuple(r_squared)))
    return found


def _coefficient_change(before: Fit, after: Fit) -> float:
    """Without the constant, which is 0 by the standardisation."""
    return float(np.abs(before.coefficients[1:] - after.coefficients[1:]).mean())


def with_bmi(records: Records) -> tuple[Floats, tuple[str, ...]]:
    """All measurements, the body mass index worked out of weight and height where they are."""
    if not {"weight", "height"} <= {*records.names}:
        return records.values, records.names
    made = _POUNDS_PER_SQUARE_INCH * records.column("weight") / records.column("height") ** 2
    return np.column_stack([records.values, made]), (*records.names, MADE_OF_OTHERS)


def standard_fit(records: Records, outcome: str) -> Fit:
    """The outcome explained by all others, everything with mean 0 and variance 1."""
    values, names = with_bmi(records)
    standard = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    place = names.index(outcome)
    return regression.fit(np.delete(standard, place, axis=1), standard[:, place], "the release")


def plain_fit(records: Records, outcome: str) -> Fit:
    """The same in the units of the file; Cook's distances are those of either."""
    values, names = with_bmi(records)
    place = names.index(outcome)
    return regression.fit(np.delete(values, place, axis=1), values[:, place], "the records")


def apart(lines: Mapping[str, Line]) -> Floats:
    """How far the largest of the methods is above the smallest, at each index, as a share."""
    levels = np.array([lines[m].means for m in METHODS])
    return np.asarray(levels.max(axis=0) / levels.min(axis=0) - 1)


def comparable(lines: Mapping[str, Line], limit: float) -> tuple[int, int]:
    """The first and last index of the longest stretch over which the methods lie within `limit` of
    one another."""
    close = [*(apart(lines) <= limit), False]
    best, start = (0, -1), None
    for i, one in enumerate(close):
        if one and start is None:
            start = i
        elif not one and start is not None:
            best = max(best, (start, i - 1), key=lambda span: span[1] - span[0])
            start = None
    if best[1] < best[0]:
        raise InputError("At no index are all methods that close to one another.")
    return best[0] + 1, best[1] + 1


def closest_index(line: Line, level: float) -> int:
    """The index at which a method comes closest to a level, counted from 1."""
    return 1 + int(np.abs(line.means - level).argmin())


def released(
    data: Dataset, method: Mechanism, releases: int, seed: int
) -> Iterator[Records]:
    return record_releases(method, people(data), max(2, releases), seed)

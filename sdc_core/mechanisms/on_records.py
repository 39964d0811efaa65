"""Releases of records by any method: by its own way, or by way of a table.

Methods for tables see each record as one person in a cell: numbers are cut into about equally
filled bins, and a released person gets a random number of the bin. Such records are drawn anew:
none of them belongs to a record of the original. Bin edges are read off the data, which a guarantee
lists among what is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import QUASI, Domain, Feature, Histogram
from sdc_core.mechanisms.base import Floats, Mechanism, Release, ReleasesRecords
from sdc_core.people import expand
from sdc_core.records import Records, Variable

BINS = 8
_MISSING = "N"


@dataclass(frozen=True)
class _Axis:
    """How one variable is a feature of the table; `edges` bound its bins, the outer ones included.
    Without edges its values stand for themselves."""

    feature: Feature
    values: tuple[float, ...] = ()
    edges: tuple[float, ...] = ()
    whole: bool = False

    def coded(self, column: Floats) -> NDArray[np.int64]:
        none = np.isnan(column)
        filled = np.where(none, 0.0, column)
        if self.edges:
            codes = np.searchsorted(self.edges[1:-1], filled, side="right")
        else:
            codes = np.searchsorted(self.values, filled)
        return np.where(none, len(self.feature) - 1, codes)

    def drawn(self, codes: NDArray[np.int64], rng: np.random.Generator) -> Floats:
        missing = (codes == len(self.feature) - 1) & bool(self.feature.unordered_tail)
        inside = np.where(missing, 0, codes)
        if self.edges:
            low, high = np.array(self.edges[:-1])[inside], np.array(self.edges[1:])[inside]
            spread = rng.random(len(codes))
            if self.whole:  # the upper edge belongs to the next bin, but for the last
                last = inside == len(self.edges) - 2
                numbers = low + np.floor(spread * np.maximum(high - low + last, 1))
            else:
                numbers = low + spread * (high - low)
        else:
            numbers = np.array(self.values)[inside]
        return np.where(missing, np.nan, numbers)


@dataclass(frozen=True, eq=False)
class AsTable:
    """Records as a table of counts, and released counts as records again."""

    records: Records
    table: Histogram
    axes: tuple[_Axis, ...]

    @classmethod
    def of(cls, records: Records, bins: int = BINS) -> AsTable:
        if bins < 2:
            raise InputError(f"bins must be at least 2, got {bins}. Try {BINS}.")
        axes = tuple(
            _axis(variable, column, bins)
            for variable, column in zip(records.variables, records.values.T, strict=True)
        )
        domain = Domain(tuple(a.feature for a in axes), read_off=records.names)
        codes = [a.coded(column) for a, column in zip(axes, records.values.T, strict=True)]
        return cls(records, Histogram.from_codes(codes, domain), axes)

    def back(self, people: NDArray[np.int64], rng: np.random.Generator) -> Records:
        """Released people as records: numbers drawn from their bins."""
        codes = expand(people, self.table.domain)
        if not len(codes):
            raise InputError("This release has nobody in it, so there are no records.")
        columns = [axis.drawn(codes[:, j], rng) for j, axis in enumerate(self.axes)]
        return Records(self.records.variables, np.column_stack(columns), in_places=False)


def _axis(variable: Variable, column: Floats, bins: int) -> _Axis:
    role = variable.role or QUASI
    if not variable.numeric:
        levels = variable.levels
        return _Axis(Feature(variable.name, variable.title, levels, variable.labels or levels,
                             role=role), tuple(float(i) for i in range(len(levels))))
    known = column[~np.isnan(column)]
    seen = np.unique(known)
    if len(seen) <= bins:
        values, edges, number = tuple(seen.tolist()), (), len(seen)
    else:
        cuts = np.quantile(known, np.arange(1, bins) / bins, method="higher")
        inner = np.unique(cuts[cuts > seen[0]])
        values, edges = (), (float(seen[0]), *inner.tolist(), float(seen[-1]))
        number = len(inner) + 1
    missing = len(known) < len(column)
    names = (*(str(i) for i in range(number)), *[_MISSING] * missing)
    return _Axis(Feature(variable.name, variable.title, names, names, ordered=True,
                         unordered_tail=int(missing), role=role), values, edges, variable.whole)


def keeps_places(mechanism: Mechanism) -> bool:
    """Is record i of a release what became of record i? Only where records are changed one by one;
    those that come by way of a table are drawn anew."""
    return isinstance(mechanism, ReleasesRecords)


def check_records(mechanism: Mechanism, records: Records, bins: int = BINS) -> None:
    """Raise an InputError if this method cannot release these records."""
    if isinstance(mechanism, ReleasesRecords):
        mechanism.check_records(records)
    else:
        mechanism.check(AsTable.of(records, bins).table)


def draw_records(
    mechanism: Mechanism, records: Records, rngs: Sequence[np.random.Generator], bins: int = BINS
) -> Iterator[Records]:
    """One release a generator, by any method (`keeps_places` says which keep record i record i)."""
    if isinstance(mechanism, ReleasesRecords):
        yield from mechanism.draw_records(records, rngs)
        return
    seen = AsTable.of(records, bins)
    mechanism.check(seen.table)
    for rng in rngs:
        row = mechanism.draw_tables(seen.table, [rng])[0]
        whole = np.rint(row)
        counts = whole.astype(np.int64) if np.array_equal(whole, row) else row
        yield seen.back(Release(mechanism, seen.table, counts, 0).people(), rng)

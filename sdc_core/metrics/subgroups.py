"""Does a relation between two features survive the release, and alike for every group of people?

As in Das et al. (2024, Figure 3) and Das, Tajeddine and Fioretto (Figure 1): a two-way table of
income tenth and education within a group, how many people too many or too few the release puts in
each of its cells, and the straight line through it before and after. The table is counted by the
group features, then y, then x.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.dataset import Dataset
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism

Floats = NDArray[np.float64]
_MOST_LEVELS = 40  # on an axis, or to choose a group from
# Codes of the census excerpts that go up with what they mean; those of race, say, do not.
_ORDERED_CODES = ("PINCP_DECILE", "EDU", "AGE_BIN", "INCOME_50K")
_USUAL_GROUPS = ("RAC1P", "SEX")


@dataclass(frozen=True)
class Line:
    """A least-squares line y = intercept + slope · x."""

    slope: float
    intercept: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


@dataclass(frozen=True, eq=False)
class GroupResult:
    """What a release does to one group: its two-way table and line, before and after.

    `truth` and `released` have a row for every y and a column for every x that is a number.
    `misplaced` is the error in people, summed over those cells without sign.
    """

    name: str
    truth: Floats = field(repr=False)
    released: Floats = field(repr=False)
    true_line: Line | None
    released_line: Line | None
    misplaced: float

    @property
    def people(self) -> int:
        return round(float(self.truth.sum()))

    @property
    def per_thousand(self) -> float | None:
        """Error in people for every 1,000 people of the group."""
        return 1000 * self.misplaced / self.people if self.people else None

    @property
    def slope_change(self) -> float | None:
        """How much steeper the released line is, as a share: −0.5 is half as steep."""
        if self.true_line is None or self.released_line is None:
            return None
        if math.isclose(self.true_line.slope, 0.0, abs_tol=1e-12):
            return None
        return self.released_line.slope / self.true_line.slope - 1


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One mechanism: what it does to each group, and where the numbers come from."""

    mechanism: Mechanism
    how: str  # "exact average", "average of 200 releases", "one release"
    groups: tuple[GroupResult, ...]

    @property
    def slope_gap(self) -> float | None:
        """Disparity: by how much the groups differ in how far their lines turn (a share)."""
        sizes = [abs(g.slope_change) for g in self.groups if g.slope_change is not None]
        return max(sizes) - min(sizes) if len(sizes) > 1 else None

    @property
    def error_gap(self) -> float | None:
        """Disparity: error per 1,000 people in the group hit hardest minus that hit least."""
        rates = [g.per_thousand for g in self.groups if g.per_thousand is not None]
        return max(rates) - min(rates) if len(rates) > 1 else None

    @property
    def error_ratio(self) -> float | None:
        """Disparity: error per 1,000 people in the group hit hardest over that hit least."""
        rates = [g.per_thousand for g in self.groups if g.per_thousand is not None]
        return max(rates) / min(rates) if len(rates) > 1 and min(rates) > 0 else None


def code_numbers(feature: Feature) -> Floats:
    """A feature's codes as numbers; NaN for what is not one ('N', missing). Values that are in
    order stand one step apart."""
    if feature.ordered:
        return _steps(len(feature), feature.unordered_tail)
    return _numbers(feature.values)


@functools.lru_cache(maxsize=256)
def _steps(values: int, tail: int) -> Floats:
    found = np.arange(values, dtype=np.float64)
    found[values - tail :] = math.nan
    found.setflags(write=False)
    return found


@functools.lru_cache(maxsize=256)
def _numbers(values: tuple[str, ...]) -> Floats:
    found = np.array([_number(value) for value in values])
    found.setflags(write=False)
    return found


def is_ordinal(feature: Feature) -> bool:
    """Can its values stand on an axis: at least two different numbers?"""
    numbers = code_numbers(feature)
    return len(np.unique(numbers[np.isfinite(numbers)])) > 1


def ordinal_features(dataset: Dataset) -> list[str]:
    """Features that can stand on an axis: binned numbers, and codes that go up with their meaning.

    Of an uploaded file's codes it is not known what they mean: all that are numbers are offered.
    """
    out = []
    for name in dataset.features:
        feature = _feature(dataset, name)
        if feature is None or not is_ordinal(feature) or len(feature) > _MOST_LEVELS:
            continue
        if feature.ordered or dataset.origin == "own" or name in _ORDERED_CODES:
            out.append(name)
    return out


def unordered_features(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """An uploaded file's categories that could stand on an axis if somebody put them in order: for
    each feature its values as the data lists them, without what is missing."""
    if dataset.origin != "own":
        return {}
    known = ordinal_features(dataset)
    found = {}
    for name in dataset.features:
        feature = _feature(dataset, name)
        if name in known or feature is None or len(feature) > _MOST_LEVELS:
            continue
        missing = dataset.column(name).not_applicable
        values = tuple(v for v, label in zip(feature.values, feature.labels, strict=True)
                       if label != missing)
        if len(values) > 1:
            found[name] = values
    return found


def in_order(table: Histogram, name: str, order: Sequence[str]) -> Histogram:
    """The same people, with one feature's values in the order given, lowest first. Values that are
    not named come last and have no place in the order."""
    (axis,) = table.domain.axes([name], "order")
    feature = table.domain.features[axis]
    unknown = [value for value in order if value not in feature.values]
    if unknown:
        raise InputError(f"{name} has no value {unknown[0]!r}. It has: "
                         f"{', '.join(feature.values)}.")
    if len(set(order)) < max(2, len(order)):
        raise InputError(f"Put at least two different values of {name} in order, lowest first.")
    rest = [value for value in feature.values if value not in order]
    moved = [feature.values.index(value) for value in (*order, *rest)]
    ordered = dataclasses.replace(
        feature, values=tuple(feature.values[i] for i in moved),
        labels=tuple(feature.labels[i] for i in moved), ordered=True, unordered_tail=len(rest),
    )
    features = (*table.domain.features[:axis], ordered, *table.domain.features[axis + 1 :])
    cube = table.counts.reshape(table.domain.shape).take(moved, axis=axis)
    return Histogram(cube.ravel(), Domain(features))


def usual_groups(dataset: Dataset, free: Sequence[str]) -> list[str]:
    """What makes a group unless the user says otherwise: race and sex, or the first feature with
    few values."""
    known = [name for name in _USUAL_GROUPS if name in free]
    if known:
        return known
    few = [n for n in free if (f := _feature(dataset, n)) is not None and len(f) <= _MOST_LEVELS]
    return few[:1]


def largest_groups(table: Histogram, names: Mapping[str, tuple[int, ...]]) -> list[str]:
    """The two groups with most people, of those that have a name here."""
    sizes = table.counts.reshape(*table.domain.shape[:-2], -1).sum(axis=-1)
    return sorted(names, key=lambda name: -int(sizes[names[name]]))[:2]


def _feature(dataset: Dataset, name: str) -> Feature | None:
    try:
        return dataset.coded(name)[1]
    except InputError:
        return None


def fitted_line(counts: Floats, ys: Floats, xs: Floats) -> Line | None:
    """The line of y on x through people who are counted by y (rows) and x (columns).

    slope = Σ n (x − x̄)(y − ȳ) / Σ n (x − x̄)². None where there is nobody, or everybody has the
    same x: then there is no line.
    """
    total = float(counts.sum())
    if not total > 0:
        return None
    by_x, by_y = counts.sum(axis=0), counts.sum(axis=1)
    mean_x, mean_y = float(by_x @ xs) / total, float(by_y @ ys) / total
    spread = float(by_x @ (xs - mean_x) ** 2)
    if not spread > 1e-9 * total * max(1.0, float(np.ptp(xs)) ** 2):
        return None
    slope = float((ys - mean_y) @ counts @ (xs - mean_x)) / spread
    return Line(slope, mean_y - slope * mean_x)


def group_result(
    table: Histogram,
    group: Sequence[int],
    name: str,
    released: NDArray[np.generic],
    absolute_error: Floats | None = None,
) -> GroupResult:
    """One group (positions in the values of the group features) before and after.

    `released` is a count for every cell of the table: one release, or the average over all.
    `absolute_error` is then each cell's expected error; without it, the error of this release.
    """
    y, x = table.domain.features[-2:]
    ys, xs = code_numbers(y), code_numbers(x)
    rows, columns = np.isfinite(ys), np.isfinite(xs)

    def two_way(cells: NDArray[np.generic]) -> Floats:
        cube = np.asarray(cells, dtype=np.float64).reshape(table.domain.shape)
        return cube[tuple(group)][np.ix_(rows, columns)]

    truth, after = two_way(table.counts), two_way(released)
    error = np.abs(after - truth) if absolute_error is None else two_way(absolute_error)
    return GroupResult(
        name, truth, after, fitted_line(truth, ys[rows], xs[columns]),
        fitted_line(after, ys[rows], xs[columns]), float(error.sum()),
    )


def method_result(
    table: Histogram,
    groups: Mapping[str, Sequence[int]],
    mechanism: Mechanism,
    how: str,
    released: NDArray[np.generic],
    absolute_error: Floats | None = None,
) -> MethodResult:
    """One mechanism's release (or average release) as each of the named groups sees it."""
    return MethodResult(mechanism, how, tuple(
        group_result(table, place, name, released, absolute_error)
        for name, place in groups.items()
    ))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan

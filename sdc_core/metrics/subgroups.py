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

from sdc_core.errors import InputError
from sdc_core.histogram import Feature, Histogram
from sdc_core.households import Households
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import Mechanism

Floats = NDArray[np.float64]


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
    `misplaced` is the error in people, summed over those cells without sign; `among_people` is the
    part of it in cells that have people. `invented` are the people that are put into cells that
    have nobody. Standard errors are zero where a number is exact, or is one release's own. All
    people are those that records represent where the table has weights (`weighted`); `records` is
    how many records there are.
    """

    name: str
    truth: Floats = field(repr=False)
    released: Floats = field(repr=False)
    true_line: Line | None
    released_line: Line | None
    misplaced: float
    among_people: float
    invented: float
    slope_se: float = 0.0
    among_people_se: float = 0.0
    invented_se: float = 0.0
    records: int = 0
    weighted: bool = False

    @property
    def people(self) -> int:
        return round(float(self.truth.sum()))

    def of_thousand(self, people: float) -> float | None:
        """A number of people for every 1,000 of the group."""
        return 1000 * people / self.people if self.people else None

    @property
    def per_thousand(self) -> float | None:
        """Error in cells that have people, for every 1,000 people of the group."""
        return self.of_thousand(self.among_people)

    @property
    def per_thousand_se(self) -> float:
        return self.of_thousand(self.among_people_se) or 0.0

    @property
    def slope_change(self) -> float | None:
        """How much steeper the released line is, as a share: −0.5 is half as steep."""
        if self.true_line is None or self.released_line is None:
            return None
        if math.isclose(self.true_line.slope, 0.0, abs_tol=1e-12):
            return None
        return self.released_line.slope / self.true_line.slope - 1

    @property
    def slope_change_se(self) -> float:
        if self.slope_change is None or self.true_line is None:
            return 0.0
        return abs(self.slope_se / self.true_line.slope)


@dataclass(frozen=True, eq=False)
class MethodResult:
    """One mechanism: what it does to each group, and where the numbers come from."""

    mechanism: Mechanism
    how: str  # "exact average", "average of 200 releases", "one release"
    groups: tuple[GroupResult, ...]
    releases: int = 0  # behind an average that is simulated
    varies: bool = False  # the next release may look different

    def numbers(self) -> Floats:
        """What may be simulated: each group's slope, its error in cells that have people, and the
        people put into cells that have nobody."""
        lines = [g.released_line for g in self.groups]
        return np.array([
            (math.nan if line is None else line.slope, g.among_people, g.invented)
            for line, g in zip(lines, self.groups, strict=True)
        ])

    def with_errors(self, errors: Floats) -> MethodResult:
        """The same with standard errors of `numbers`; unknown where there is not always a line."""
        return dataclasses.replace(self, groups=tuple(
            dataclasses.replace(
                g, slope_se=float(np.nan_to_num(slope, nan=math.inf)), among_people_se=float(error),
                invented_se=float(invented))
            for g, (slope, error, invented) in zip(self.groups, errors, strict=True)
        ))

    @property
    def slope_gap(self) -> float | None:
        """Disparity: how far apart the groups' changes of slope are (a share), signs and all: one
        that grows and one that shrinks by as much are not treated alike."""
        ends = self._ends()
        return None if ends is None else (ends[1].slope_change or 0) - (ends[0].slope_change or 0)

    @property
    def slope_gap_se(self) -> float:
        return math.hypot(*(g.slope_change_se for g in self._ends() or ()))

    def _ends(self) -> tuple[GroupResult, GroupResult] | None:
        """The groups with the smallest and the largest change of slope."""
        known = sorted((g for g in self.groups if g.slope_change is not None),
                       key=lambda g: g.slope_change or 0.0)
        return (known[0], known[-1]) if len(known) > 1 else None


@kept_with_first
def code_numbers(feature: Feature) -> Floats:
    """A feature's codes as numbers; NaN for what is not one ('N', missing). Values that are in
    order stand one step apart."""
    if feature.ordered:
        found = np.arange(len(feature), dtype=np.float64)
        found[len(feature) - feature.unordered_tail :] = math.nan
    else:
        found = np.array([_number(value) for value in feature.values])
    found.setflags(write=False)
    return found


def is_ordinal(feature: Feature) -> bool:
    """Can its values stand on an axis: at least two different numbers?"""
    numbers = code_numbers(feature)
    return len(np.unique(numbers[np.isfinite(numbers)])) > 1


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
    cells = np.arange(len(table)).reshape(table.domain.shape).take(moved, axis=axis).ravel()
    weights = table.weights and dataclasses.replace(
        table.weights, people=table.weights.people[cells])
    known = table.find_households and functools.partial(_households, table, np.argsort(cells))
    domain = dataclasses.replace(table.domain, features=features)
    return Histogram(table.counts[cells], domain, weights, known)


def _households(table: Histogram, to: NDArray[np.int64]) -> Households:
    assert table.households is not None
    return table.households.mapped(to)


def largest_groups(table: Histogram, names: Mapping[str, tuple[int, ...]]) -> list[str]:
    """The two groups with most people, of those that have a name here."""
    sizes = table.counts.reshape(*table.domain.shape[:-2], -1).sum(axis=-1)
    return sorted(names, key=lambda name: -int(sizes[names[name]]))[:2]


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

    `released` is a number of people for every cell of the table: one release, or the average over
    all; represented ones, if the table has weights. `absolute_error` is then each cell's expected
    error; without it, the error of this release.
    """
    y, x = table.domain.features[-2:]
    ys, xs = code_numbers(y), code_numbers(x)
    rows, columns = np.isfinite(ys), np.isfinite(xs)

    def two_way(cells: NDArray[np.generic]) -> Floats:
        cube = np.asarray(cells, dtype=np.float64).reshape(table.domain.shape)
        return cube[tuple(group)][np.ix_(rows, columns)]

    truth, after, records = two_way(table.people), two_way(released), two_way(table.counts)
    error = np.abs(after - truth) if absolute_error is None else two_way(absolute_error)
    somebody = records > 0
    return GroupResult(
        name, truth, after, fitted_line(truth, ys[rows], xs[columns]),
        fitted_line(after, ys[rows], xs[columns]), float(error.sum()),
        float(error[somebody].sum()), float(after[~somebody].sum()), records=int(records.sum()),
        weighted=table.weighted,
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

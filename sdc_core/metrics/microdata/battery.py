"""All measures of a release of records, by name: one declaration a measure.

Distances are taken on the scale of the original (numbers from 0 to 1, categories one coordinate a
level), as neighbourhoods are. Correlations, components and intervals look at numbers only; the
regression has all other variables as inputs, categories as 0 and 1. A measure that a release, or
the data, does not allow says why instead of giving a number.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sdc_core.errors import InputError
from sdc_core.metrics.microdata import (
    intervals,
    prediction,
    recognised,
    regression,
    relations,
)
from sdc_core.metrics.microdata.arrays import Floats, Ints
from sdc_core.metrics.microdata.regression import Fit
from sdc_core.metrics.microdata.relations import Components
from sdc_core.records import Records, Scale

_ROUNDING = 1e-12  # what differs by less does not differ
_TREES = 50  # half of P4's: releases are many


@dataclass(frozen=True)
class Task:
    """What somebody does with the records: explain one number by all other variables, and look at
    one coefficient (`age`, or `gender=male`); the first one unless told."""

    outcome: str
    coefficient: str = ""


@dataclass(frozen=True, eq=False)
class Original:
    """The original records, with all that every release is compared with, computed once."""

    records: Records
    task: Task
    coded: Records | None = None  # what methods get where tails are cut off before any of them
    tried: Records | None = None  # people who are in no release, for a forest to be tried on

    @property
    def handed(self) -> Records:
        """What is handed to a method; its release is compared with the records as they were."""
        return self.records if self.coded is None else self.coded

    def __post_init__(self) -> None:
        outcome = self.records.variables[self.records.axes([self.task.outcome], "outcome")[0]]
        if not outcome.numeric:
            raise InputError(f"{outcome.name} is a category; a regression explains a number.")
        if len(self.records.variables) < 2:
            raise InputError("A regression needs a variable besides the outcome.")

    @cached_property
    def scale(self) -> Scale:
        return Scale.of(self.records)

    @cached_property
    def points(self) -> Floats:
        return self.scale.points(self.records)

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """Numbers that differ between people."""
        found = [
            j for j in self.records.numeric_axes if np.ptp(
                self.records.values[~np.isnan(self.records.values[:, j]), j]) > 0]
        if len(found) < 2:
            raise InputError(
                "Correlations and components need two numbers that differ between people; choose "
                "more variables."
            )
        return tuple(found)

    def numbers(self, records: Records) -> Floats:
        return records.values[:, list(self.numeric)]

    @cached_property
    def components(self) -> Components:
        return relations.components(self.numbers(self.records), "the original")

    @cached_property
    def robust_distances(self) -> Floats:
        return intervals.robust_distances(self.numbers(self.records))

    @property
    def fit(self) -> Fit:
        if isinstance(self._fit, str):
            raise InputError(self._fit)
        return self._fit

    @cached_property
    def _fit(self) -> Fit | str:
        """The regression, or why there is none: that is found out once, too."""
        try:
            return self.regression(self.records, "the original")
        except InputError as problem:
            return str(problem)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the regression's inputs, in order."""
        return tuple(
            name for v in self.records.variables if v.name != self.task.outcome
            for name in ([v.name] if v.numeric else [f"{v.name}={e}" for e in v.levels[1:]]))

    @property
    def coefficient(self) -> int:
        """The place of the coefficient that is looked at."""
        wanted = self.task.coefficient or self.inputs[0]
        if wanted not in self.inputs:
            raise InputError(
                f"The regression has no coefficient {wanted!r}. It has: {', '.join(self.inputs)}.")
        return 1 + self.inputs.index(wanted)

    def design(self, records: Records) -> Floats:
        columns: list[Floats] = []
        for variable, column in zip(records.variables, records.values.T, strict=True):
            if variable.name == self.task.outcome:
                continue
            columns += [column] if variable.numeric else [
                (column == level).astype(np.float64) for level in range(1, len(variable.levels))]
        return np.column_stack(columns)

    def regression(self, records: Records, what: str = "the release") -> Fit:
        return regression.fit(self.design(records), records.column(self.task.outcome), what)

    @cached_property
    def edges(self) -> dict[int, tuple[float, float, int]]:
        """Least and largest value and number of bins of each number, for total correlation."""
        count = max(2, math.floor(len(self.records) ** (1 / 3) + 1e-9))
        return {
            j: (float(np.nanmin(column)), float(np.nanmax(column)), count)
            for j, column in enumerate(self.records.values.T) if self.records.variables[j].numeric
        }

    def binned(self, records: Records) -> Ints:
        """Categories as they are and numbers in the original's bins; beyond its range the last."""
        codes = np.zeros(records.values.shape, dtype=np.int64)
        for j, column in enumerate(records.values.T):
            if j not in self.edges:
                codes[:, j] = column
                continue
            low, high, count = self.edges[j]
            share = (column - low) / (high - low) if high > low else np.zeros(len(column))
            known = np.clip(np.nan_to_num(share) * count, 0, count - 1).astype(np.int64)
            codes[:, j] = np.where(np.isnan(column), count, known)
        return codes

    @cached_property
    def total_correlation(self) -> float:
        return relations.total_correlation(self.binned(self.records))


@dataclass(frozen=True, eq=False)
class Pair:
    """The original and one release of it; what several measures need is computed once."""

    original: Original
    released: Records

    @cached_property
    def points(self) -> Floats:
        return self.original.scale.points(self.released)

    @cached_property
    def fit(self) -> Fit:
        return self.original.regression(self.released)

    @cached_property
    def components(self) -> Components:
        return relations.components(self.numbers[1], "the release")

    @cached_property
    def numbers(self) -> tuple[Floats, Floats]:
        return self.original.numbers(self.original.records), self.original.numbers(self.released)


Side = Literal["privacy", "utility"]


@dataclass(frozen=True)
class Measure:
    """One number of a release; `good` is the direction in which it protects more, or is of more
    use, and empty where it only describes."""

    name: str
    title: str
    plain: str  # what it is, in a few words that need no explanation
    side: Side
    good: Literal["up", "down", ""]
    of: Callable[[Pair], float] = dataclasses.field(repr=False, compare=False)
    percent: bool = False
    paired: bool = False  # needs to know which released record is whose
    costly: bool = False  # takes so long that it is measured only where it is asked for


def _loadings(component: int, aligned: bool) -> Callable[[Pair], float]:
    return lambda p: relations.loadings_change(
        p.original.components, p.components, component, aligned)


def _forest(pair: Pair) -> float:
    """Is the outcome above the original's median? Learnt from the release, tried on people who are
    in no release."""
    original, released = pair.original, pair.released
    if original.tried is None:
        raise InputError("Nobody was kept out of the release to try a random forest on.")
    outcome = original.task.outcome
    middle = float(np.median(original.records.column(outcome)))
    return prediction.forest_error(
        original.design(released), released.column(outcome) > middle,
        original.design(original.tried), original.tried.column(outcome) > middle, trees=_TREES)


MEASURES: tuple[Measure, ...] = (
    Measure("pscr", "Self-closest record", "people whose own record is the closest to them",
            "privacy", "down", lambda p: recognised.self_closest_record(
                p.original.points, p.points), percent=True, paired=True),
    Measure("linkage", "Record linkage", "released records that are linked to the right person",
            "privacy", "down", lambda p: recognised.record_linkage(
                p.original.points, p.points), percent=True, paired=True),
    Measure("dcr", "Distance to closest record", "how far the closest released record is",
            "privacy", "up", lambda p: recognised.distance_to_closest(
                p.original.points, p.points)),
    Measure("dcr_units", "Distance to closest record, own units",
            "how far the closest released record is, numbers in the units of the file",
            "privacy", "up", lambda p: recognised.distance_to_closest(*p.numbers)),
    Measure("interval", "Interval risk (deviation)",
            "people all of whose numbers lie within one standard deviation of their record",
            "privacy", "down", lambda p: intervals.by_deviation(*p.numbers), percent=True,
            paired=True),
    Measure("interval_robust", "Interval risk (robust)",
            "people one of whose numbers is next to the released one",
            "privacy", "down", lambda p: intervals.by_robust_distance(
                *p.numbers, distances=p.original.robust_distances), percent=True, paired=True),
    Measure("mka", "Mean k-anonymity", "how many released records are exactly alike",
            "privacy", "up", lambda p: recognised.mean_k_anonymity(p.released.values)),
    Measure("il1", "Change of correlations (IL₁)", "mean change of the correlations",
            "utility", "down", lambda p: relations.correlation_change(*p.numbers)),
    Measure("growth", "Growth of correlations", "how much closer variables go together than before",
            "utility", "", lambda p: relations.correlation_growth(*p.numbers)),
    Measure("il2", "Change of loadings, component 1 (IL₂)",
            "mean change of the first component's loadings, signs as they come",
            "utility", "down", _loadings(1, aligned=False)),
    Measure("il2_aligned", "… signs aligned", "the same with the signs aligned first",
            "utility", "down", _loadings(1, aligned=True)),
    Measure("il2_second", "Change of loadings, component 2 (IL₂)",
            "mean change of the second component's loadings, signs as they come",
            "utility", "down", _loadings(2, aligned=False)),
    Measure("il2_second_aligned", "… signs aligned", "the same with the signs aligned first",
            "utility", "down", _loadings(2, aligned=True)),
    Measure("il3", "Change of coefficients (IL₃)", "mean change of the regression's coefficients",
            "utility", "down", lambda p: regression.coefficient_change(p.original.fit, p.fit)),
    Measure("coefficient", "Change of the chosen coefficient",
            "how far the coefficient that matters is off",
            "utility", "down", lambda p: abs(float(
                p.fit.coefficients[p.original.coefficient]
                - p.original.fit.coefficients[p.original.coefficient]))),
    Measure("r2", "R²", "how much of the outcome the regression explains", "utility", "",
            lambda p: p.fit.r_squared),
    Measure("r2_change", "Change of R²", "how far R² is off", "utility", "down",
            lambda p: abs(p.fit.r_squared - p.original.fit.r_squared)),
    Measure("dependence", "Change of total correlation",
            "how far the dependence among all variables is off, in nats", "utility", "down",
            lambda p: abs(relations.total_correlation(p.original.binned(p.released))
                          - p.original.total_correlation)),
    Measure("forest", "Error of a random forest",
            "people kept out of the release for whom a forest that learnt from it is wrong about "
            "which half the outcome is in", "utility", "down", _forest, percent=True, costly=True),
)
BY_NAME = {measure.name: measure for measure in MEASURES}


def measure(name: str) -> Measure:
    if name not in BY_NAME:
        raise InputError(f"There is no measure {name!r}. Known: {', '.join(BY_NAME)}.")
    return BY_NAME[name]


def measured(
    original: Original, released: Records, names: Sequence[str] = ()
) -> tuple[dict[str, float], dict[str, str]]:
    """Each measure of a release by its name (all unless told), not a number where it is not
    defined; and for those why not. Unless named, costly ones are left out."""
    pair, found, why = Pair(original, released), {}, {}
    wanted = names or [m.name for m in MEASURES if not m.costly]
    for name, one in [(name, measure(name)) for name in wanted]:
        try:
            if one.paired and not released.in_places:
                raise InputError(
                    "These records were drawn anew: none of them belongs to a person of the data.")
            value = one.of(pair)
            found[name] = 0.0 if abs(value) < _ROUNDING else value
        except InputError as problem:
            found[name], why[name] = math.nan, str(problem)
    return found, why

"""The reverse question: which k, which swap rate, which ε meets this wish?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.optimize import minimize_scalar

from sdc_core.calibrate.affordable import affordable, halvings_of, settings_of
from sdc_core.calibrate.declared import measure_named
from sdc_core.calibrate.measures import EVERYBODY, Measure, OfCells, Reading
from sdc_core.calibrate.search import Interval, Wish, feasible, grid, nearest
from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation, Progress, evaluate
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import CellMoments, ChangesInSteps, Mechanism
from sdc_core.parameters import Integer, Real
from sdc_core.privacy.guarantee import Guarantee

STANDARD_ERRORS = 2.0
_AT_ONCE = 121  # settings that are read in one go
_ONE_BY_ONE = 11  # where that is not possible although cells do not hang on others
_WHOLE = 10_000  # whole numbers that are all tried where they cost next to nothing
_CHEAP = 0.5  # seconds that a scan of exact readings may take
_FEWEST = 11


@dataclass(frozen=True, eq=False)
class Setting:
    """One value of the parameter: what the measure is there, and what else it brings."""

    mechanism: Mechanism
    value: float
    reading: Reading
    _table: Histogram = field(repr=False)
    _repetitions: int = 200
    _seed: int = 7

    @cached_property
    def guarantee(self) -> Guarantee:
        return self.mechanism.guarantee(self._table)

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluate(self.mechanism, self._table, self._repetitions, self._seed)


@dataclass(frozen=True, eq=False)
class Solution:
    """The settings that meet a wish, as a union of intervals, and the two that matter most: the
    one that protects most and the one that is most accurate. Where there are none, `nearest` is the
    setting that comes closest.

    `tried` settings were read. If `exhaustive`, nothing can lie between them unseen: all whole
    numbers were tried, or all at which anything changes. `wanted` is the target; it has an error of
    its own where it is another method's simulated number.
    """

    mechanism: Mechanism
    param: Real
    measure: Measure
    whom: str
    wanted: Reading
    at_least: bool
    intervals: tuple[Interval, ...]
    protective: Setting | None
    accurate: Setting | None
    nearest: Setting | None
    tried: int
    exhaustive: bool
    method: str
    repetitions: int
    limits: tuple[float, float]
    whom_words: str = "everybody"

    @property
    def reached(self) -> bool:
        return bool(self.intervals)

    @property
    def just(self) -> Setting | None:
        """Of the most protective and the most accurate setting the one at which the wish is only
        just met: what a wish about error leaves of protection, or one about risk of accuracy."""
        both = [one for one in (self.protective, self.accurate) if one is not None]
        return min(both, default=None,
                   key=lambda one: abs(one.reading.value - self.wanted.value))

    def meets(self, value: float) -> bool:
        return any(one.holds(value) for one in self.intervals)

    def by_chance(self, setting: Setting) -> bool:
        """Can what is read there not be told from the target: is it within two standard errors?"""
        error = math.hypot(setting.reading.error, self.wanted.error)
        return error > 0 and abs(
            setting.reading.value - self.wanted.value) <= STANDARD_ERRORS * error


def solve(
    mechanism: Mechanism,
    data: Histogram | Iterable[int],
    param: str,
    measure: str,
    target: float | None = None,
    *,
    at_least: bool = False,
    same_as: Mechanism | None = None,
    whom: str = EVERYBODY,
    repetitions: int = 200,
    seed: int = 7,
    progress: Progress | None = None,
) -> Solution:
    """For which values of `param`, in its whole legal range, is `measure` at most `target` (or at
    least; or at most what it is under another method, `same_as`)?

    `whom` narrows it down to groups of a size and the like (see `Measure.whom`). Where no closed
    form is known releases are drawn, at a limited number of settings and always with the same
    random streams; `progress` is told the share done, and raising from it cancels.
    """
    declared, asked = tunable(mechanism, param), measure_named(measure)
    table = data if isinstance(data, Histogram) else Histogram.from_counts(data)
    whom = _checked(asked, table, whom)
    _check_target(asked, target, same_as)
    reader = _Reader(mechanism, declared, asked, table, whom, repetitions, seed, progress)
    wanted = Reading(float(target)) if target is not None else Reading(math.nan)
    if same_as is not None:
        number = affordable(same_as, table, repetitions)
        wanted = _of_the_other(asked, same_as, table, whom, number, seed)
    wish = Wish(wanted.value, at_least)
    values, numbers = reader.scan()
    intervals = feasible(
        declared, values, numbers, wish, reader.number, reader.exact, reader.halvings)
    ends = [v for one in intervals for v in dict.fromkeys((one.low, one.high))]
    return Solution(
        mechanism, declared, asked, whom, wanted, at_least, intervals,
        reader.protective(intervals) if ends else None,
        reader.setting(min(ends, key=reader.mean_error)) if ends else None,
        None if ends else reader.setting(nearest(declared, values, numbers, wish, reader.number,
                                                 reader.exact)),
        max(len(reader.seen), len(values)), reader.exhaustive,
        "exact" if reader.exact else "simulated", 0 if reader.exact else reader.repetitions,
        (values[0], values[-1]), asked.whom(table)[whom],
    )


def _of_the_other(
    measure: Measure, method: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
) -> Reading:
    """What another method has, which is then wanted."""
    found = measure.read(method, table, whom, repetitions, seed)
    if not math.isfinite(found.value):
        raise InputError(
            f"{method.label()} has no number for {measure.title}, so nothing can be the same. "
            "Choose another method or another measure."
        )
    return found


class _Reader:
    """Reads the measure along the parameter, each setting once."""

    def __init__(
        self, mechanism: Mechanism, param: Real, measure: Measure, table: Histogram, whom: str,
        repetitions: int, seed: int, progress: Progress | None,
    ) -> None:
        self.mechanism, self.param, self.measure, self.table = mechanism, param, measure, table
        self.whom, self.seed, self.progress = whom, seed, progress
        self.exact = measure.is_exact(mechanism)
        self.seen: dict[float, Reading] = {}
        self._epsilons: dict[float, float] = {}
        self.exhaustive = False
        self.halvings = halvings_of(mechanism)
        self.points = settings_of(mechanism)
        self.repetitions = affordable(mechanism, table, repetitions)
        self._most = self.points + 2 * self.halvings
        self._quick = self._made_quick()

    def _made_quick(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """All settings in one go, where the measure adds up cells that do not hang on others."""
        measure, mechanism = self.measure, self.mechanism
        if not (isinstance(measure, OfCells) and isinstance(mechanism, CellMoments) and self.exact):
            return None
        return measure.along(mechanism, self.table, self.whom, self.param.name)

    def at(self, value: float) -> Mechanism:
        whole = isinstance(self.param, Integer)
        return self.mechanism.replace(**{self.param.name: int(value) if whole else value})

    def read(self, value: float) -> Reading:
        """In full; where the table does not allow a setting, it is not a number."""
        if value not in self.seen:
            try:
                one = self.at(value)
                one.check(self.table)
                self.seen[value] = Reading(self.number(value)) if self._quick else (
                    self.measure.read(
                        one, self.table, self.whom, self.repetitions, self.seed))
            except InputError:
                self.seen[value] = Reading(math.nan)
            if self.progress is not None:
                self.progress(min(1.0, len(self.seen) / self._most))
        return self.seen[value]

    def number(self, value: float) -> float:
        if self._quick is not None:
            return float(self._quick(np.array([value]))[0])
        return self.read(value).value

    def scan(self) -> tuple[list[float], list[float]]:
        if self.exact and isinstance(self.mechanism, ChangesInSteps):
            values = self._steps()
            if values:
                self.exhaustive = True
                return values, [self.number(v) for v in values]
        values = grid(self.param, self._affordable(), self.number)
        whole = isinstance(self.param, Integer)
        self.exhaustive = whole and len(values) == values[-1] - values[0] + 1
        self._most = max(self._most, len(values) + 2 * self.halvings)
        if self._quick is not None:
            return values, self._quick(np.array(values)).tolist()
        return values, [self.number(v) for v in values]

    def _affordable(self) -> int:
        """How many settings are read at first."""
        if not self.exact:
            return self.points
        whole, quick = isinstance(self.param, Integer), self._quick is not None
        if quick and self.param.name in self.mechanism.at_once:  # type: ignore[attr-defined]
            return _WHOLE if whole else _AT_ONCE
        number = int(_CHEAP / max(self.measure.seconds(self.mechanism, self.table), 1e-4))
        most = _WHOLE if whole else _ONE_BY_ONE if quick else self.measure.points
        return max(_FEWEST, min(most, number))

    def _steps(self) -> list[float]:
        """Settings on both sides of every change, where the mechanism knows them."""
        value, values = float(self.param.low), []
        while value <= self.param.high:
            try:
                one = self.at(value)
                one.check(self.table)
            except InputError:
                break  # larger than the table allows
            last = one.same_up_to(self.param.name, self.table)  # type: ignore[attr-defined]
            if last is None:
                return []
            last = min(max(last, value), self.param.high)
            values += [value, last] if last > value else [value]
            self.seen[last] = self.read(value)
            value = last + 1
        return values

    def mean_error(self, value: float) -> float:
        """What accuracy is judged by: how far off a count is on average."""
        mean = measure_named("mean_error")
        if self.measure is mean and self.whom == EVERYBODY:
            return self.read(value).value
        if not mean.whom(self.table):
            return 0.0
        return mean.read(self.at(value), self.table, EVERYBODY, self.repetitions, self.seed).value

    def setting(self, value: float) -> Setting:
        one = self.at(value)
        return Setting(one, value, self.read(value), self.table, self.repetitions, self.seed)

    def protective(self, intervals: tuple[Interval, ...]) -> Setting:
        """By the promise where it hangs on the parameter: with swap rates it is best somewhere in
        the middle, and at both ends of the range there is none. Else, and where the parameter is
        itself what is promised, by the parameter's own direction."""
        up = self.param.stronger == "up"
        stronger = max(one.high for one in intervals) if up else intervals[0].low
        if math.isclose(self._promised(stronger), stronger, rel_tol=1e-8):
            return self.setting(stronger)
        ends = [v for one in intervals for v in (one.low, one.high)]
        candidates = dict.fromkeys([*ends, *map(self._best_within, intervals)])
        return self.setting(min(candidates, key=lambda v: (self._promised(v), -v if up else v)))

    def _promised(self, value: float) -> float:
        """The promised ε, to what rounding leaves of it."""
        if value not in self._epsilons:
            found = self.at(value).guarantee(self.table)
            formal = found.formal and found.epsilon is not None
            self._epsilons[value] = float(f"{found.epsilon:.9g}") if formal else math.inf
        return self._epsilons[value]

    def _best_within(self, one: Interval) -> float:
        """Where between its ends the promise is best; an end where it does not change."""
        ends = {self._promised(one.low), self._promised(one.high)}
        if isinstance(self.param, Integer) or self._promised((one.low + one.high) / 2) in (
                math.inf, *ends):
            return one.low
        found = minimize_scalar(
            self._promised, bounds=(one.low, one.high), method="bounded", options={"xatol": 1e-9})
        return float(found.x)


def tunable_params(mechanism: Mechanism) -> list[Real]:
    """What a mechanism can be tuned by, the one that matters most first."""
    return [p for p in mechanism.relevant_params() if isinstance(p, Real) and p.stronger]


def tunable(mechanism: Mechanism, param: str) -> Real:
    able = tunable_params(mechanism)
    for declared in able:
        if declared.name == param:
            return declared
    names = ", ".join(p.name for p in able) or "nothing"
    raise InputError(f"{mechanism.name} cannot be tuned by {param!r}. Try: {names}.")


def _checked(measure: Measure, table: Histogram, whom: str) -> str:
    """Whom it is about; the first that the table has, unless said otherwise."""
    able = measure.whom(table)
    if not able:
        raise InputError(
            f"This table cannot tell {measure.title} ({measure.name}): count people by more "
            "features, a place among them, or choose another measure."
        )
    if whom in able:
        return whom
    if whom != EVERYBODY:
        raise InputError(f"whom must be one of {', '.join(able)}, got {whom!r}.")
    return next(iter(able))


def _check_target(measure: Measure, target: float | None, same_as: Mechanism | None) -> None:
    if (target is None) == (same_as is None):
        raise InputError("Give a target, or a method to be the same as (same_as): one of the two.")
    if target is not None and not (math.isfinite(target) and target >= measure.least):
        least = "" if math.isinf(measure.least) else f" of at least {measure.least:g}"
        raise InputError(
            f"target must be a number{least}, got {target}. Try {measure.suggested:g}.")

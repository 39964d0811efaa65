"""How much work a search may be, and about how long it takes."""

from __future__ import annotations

from collections.abc import Iterable

from sdc_core.calibrate.measures import Measure
from sdc_core.calibrate.search import grid
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Real

_SIMULATED = 13  # settings at which releases are drawn
_SLOW = 9
_HALVINGS = {False: 6, True: 4}  # of a step of the scan, where readings are simulated; slow or not
_SLOW_RELEASES = 8
_LONGEST = 4.0  # seconds of drawing, about, by what mechanisms say of their effort


def settings_of(mechanism: Mechanism) -> int:
    """At how many settings releases are drawn at first."""
    return _SLOW if mechanism.slow else _SIMULATED


def halvings_of(mechanism: Mechanism) -> int:
    """How often a step of that scan is halved."""
    return _HALVINGS[mechanism.slow]


def affordable(mechanism: Mechanism, table: Histogram, repetitions: int) -> int:
    """How many releases are drawn at each setting: fewer where they take long."""
    if mechanism.slow:
        return min(repetitions, _SLOW_RELEASES)
    seconds = (_SIMULATED + 2 * _HALVINGS[False]) * max(mechanism.effort(table).release, 1e-6)
    return min(repetitions, max(20, int(_LONGEST / seconds)))


def about_seconds(
    mechanism: Mechanism, param: Real, measure: Measure, table: Histogram, repetitions: int
) -> float:
    """About how long `solve` takes. Where the measure is exact but errors are not, they are drawn
    at the ends of what meets the wish."""
    number = affordable(mechanism, table, repetitions)

    def drawing(values: Iterable[float]) -> float:
        tuned = (mechanism.replace(**{param.name: param.validate(v)}) for v in values)
        return sum(number * one.effort(table).release for one in tuned)

    if measure.is_exact(mechanism):
        reading = measure.points * measure.seconds(mechanism, table)
        return reading + (0.0 if mechanism.is_exact else drawing((param.low, param.high)))
    points = settings_of(mechanism)
    scan = drawing(grid(param, points, lambda value: 0.0))
    return scan * (1 + 2 * halvings_of(mechanism) / points)

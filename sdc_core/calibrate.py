"""The reverse question: which k, which ε meets this error?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scipy.optimize import bisect

from sdc_core.errors import InputError
from sdc_core.experiment import SUMMARY, evaluate
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Integer, Real

_GRID = 120
_CLOSE = 1e-12  # how near to the crossing, relatively


@dataclass(frozen=True)
class Solution:
    """The most protective value that meets the target, or None with the best that can be had."""

    param: Real
    metric: str
    target: float
    value: float | None
    achieved: float
    best_value: float
    best: float


def solve(
    mechanism: Mechanism,
    data: Histogram | Iterable[int],
    param: str,
    metric: str,
    target: float,
    repetitions: int = 200,
    seed: int = 7,
) -> Solution:
    """The most protective value of `param` for which `metric` is at most `target`.

    The metric need not be monotone: the whole range is scanned from the most protective end, and
    the first crossing is then closed in on by bisection.
    """
    declared = _tunable(mechanism, param)
    if metric not in SUMMARY:
        raise InputError(f"metric must be one of {', '.join(SUMMARY)}, got {metric!r}.")
    if not (math.isfinite(target) and target >= 0):
        raise InputError(f"target must be a number of at least 0, got {target}.")
    table = data if isinstance(data, Histogram) else Histogram.from_counts(data)

    def measured(value: float) -> float:
        at_value = mechanism.replace(**{param: value})
        return float(getattr(evaluate(at_value, table, repetitions, seed), metric))

    values = sorted(declared.points(_GRID), reverse=declared.stronger == "up")
    seen = [(value, measured(value)) for value in values]
    best_value, best = min(seen, key=lambda pair: pair[1])
    hit = next((i for i, (_, number) in enumerate(seen) if number <= target), None)
    if hit is None:
        return Solution(declared, metric, target, None, math.nan, best_value, best)
    value, achieved = seen[hit]
    if hit > 0 and not isinstance(declared, Integer):
        value = _close_in(measured, seen[hit - 1][0], value, target)
        achieved = measured(value)
    return Solution(declared, metric, target, value, achieved, best_value, best)


def _close_in(
    measured: Callable[[float], float], failing: float, meeting: float, target: float
) -> float:
    """Where the metric crosses the target, on the side that meets it.

    Only the sign is used: a simulated metric moves in steps, which steeper methods than bisection
    do not like.
    """
    root = bisect(lambda value: 1.0 if measured(value) <= target else -1.0, failing, meeting,
                  xtol=_CLOSE * abs(meeting - failing), rtol=_CLOSE)
    step = 4 * _CLOSE * max(abs(root), abs(meeting - failing))
    while measured(root) > target:
        root = min(root + step, meeting) if meeting > failing else max(root - step, meeting)
        step *= 2
    return float(root)


def _tunable(mechanism: Mechanism, param: str) -> Real:
    tunable = [p for p in mechanism.params() if isinstance(p, Real) and p.stronger]
    for declared in tunable:
        if declared.name == param:
            return declared
    names = ", ".join(p.name for p in tunable)
    raise InputError(f"{mechanism.name} cannot be tuned by {param!r}. Try: {names}.")

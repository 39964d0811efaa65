"""Where along a parameter is a wish met? The whole legal range, as a union of intervals.

A measure need not be monotone, so the range is scanned first; where neighbours of the scan differ,
the crossing is closed in on, and where the curve turns round close to the target, the turning point
is looked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from sdc_core.parameters import Integer, Real

Floats = NDArray[np.float64]
Read = Callable[[float], float]
NEAR_AN_END = (1e-9, 1e-6, 1e-4, 1e-3)  # of a share: swap rates do most next to 0 and 1
_MANY = 20  # settings: with fewer, each is dear
_CLOSE = 1e-10  # how near to a crossing, as a share of the step in which it lies
_SETTLED = 1e-9  # what does not change by more has reached its limit
_DOUBLINGS = 60
_STEEP = 0.5  # of the way between neighbours that a turning point may go beyond what was seen


@dataclass(frozen=True)
class Interval:
    """Settings from one to another, both of which meet the wish."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def grid(param: Real, points: int, read: Read) -> list[float]:
    """So many settings over the whole legal range, evenly on the parameter's own scale; of whole
    numbers all, if there are no more."""
    low, high = _ends(param, read)
    if isinstance(param, Integer) and high - low + 1 <= points:
        return [float(v) for v in range(int(low), int(high) + 1)]
    log = param.log or isinstance(param, Integer)  # many whole numbers are told apart by ratio
    spaced = np.geomspace(low, high, points) if log and low > 0 else np.linspace(low, high, points)
    values = {low, high, *spaced[1:-1].tolist()}
    if isinstance(param, Integer):
        values = {float(round(v)) for v in values}
    elif points >= _MANY and (param.low, param.high) == (0.0, 1.0):
        values |= {v for near in NEAR_AN_END for v in (near, 1 - near)}
    return sorted(values)


def _ends(param: Real, read: Read) -> tuple[float, float]:
    """The ends of the legal range. One that does not belong to it is approached, and where there is
    none, the range grows until the measure has settled."""
    first, last = param.slider or (param.default, param.default)
    low, high = float(param.low), float(param.high)
    if param.log and low <= 0:
        low = _grown(read, first, lambda v: v / 2)
    elif not math.isfinite(low):
        low = _grown(read, first, lambda v: v - max(1.0, abs(v)))
    elif not param.fits(low):
        low = math.nextafter(low, math.inf)
    if not math.isfinite(high):
        high = _grown(read, last, lambda v: v + max(1.0, abs(v)))
    elif not param.fits(high):
        high = math.nextafter(high, -math.inf)
    return low, high


def _grown(read: Read, start: float, further: Callable[[float], float]) -> float:
    seen = [read(start)]
    for _ in range(_DOUBLINGS):
        start = further(start)
        seen.append(read(start))
        last = seen[-3:]
        if len(last) == 3 and np.ptp(last) <= _SETTLED * max(1.0, abs(last[-1])):
            break
    return start


@dataclass(frozen=True)
class Wish:
    """At most, or at least, so much."""

    target: float
    at_least: bool = False

    def met(self, value: Any) -> Any:
        """Of a number or of many; never by what is not a number."""
        return value >= self.target if self.at_least else value <= self.target

    def misses(self, values: Sequence[float]) -> Floats:
        """By how much each does not meet it; what is not known misses it by far."""
        short = np.asarray(values) - self.target
        short = np.maximum(-short if self.at_least else short, 0.0)
        return np.where(np.isnan(short), np.inf, short)


def feasible(
    param: Real, values: Sequence[float], numbers: Sequence[float], wish: Wish, read: Read,
    exact: bool, steps: int,
) -> tuple[Interval, ...]:
    """The settings that meet the wish, from a scan (`values` and what was read there). `exact`
    readings are closed in on as far as numbers go, others by so many halvings (`steps`)."""
    places, read_there = np.asarray(values), np.asarray(numbers)
    if exact and not isinstance(param, Integer):
        turned = list(_turning_points(param, places, read_there, wish, read))
        places = np.append(places, turned)
        order = np.argsort(places)
        read_there = np.append(read_there, [read(v) for v in turned])[order]
        places = places[order]
    met = wish.met(read_there)
    ends: list[float] = [float(places[0])] if met[0] else []
    for i in np.flatnonzero(met[1:] != met[:-1]):
        outside, inside = (float(v) for v in places[i : i + 2][:: 1 if met[i + 1] else -1])
        if isinstance(param, Integer):
            ends.append(_last_whole(inside, outside, wish, read))
        elif exact:
            ends.append(_crossing(param, inside, outside, wish, read))
        else:
            ends.append(_halved(param, inside, outside, wish, read, steps))
    ends += [float(places[-1])] if met[-1] else []
    return tuple(Interval(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True))


def nearest(
    param: Real, values: Sequence[float], numbers: Sequence[float], wish: Wish, read: Read,
    exact: bool,
) -> float:
    """Where a wish that no setting meets is missed by least."""
    misses = wish.misses(numbers)
    best = int(np.argmin(misses))
    if not exact or isinstance(param, Integer) or not 0 < best < len(values) - 1:
        return values[best]
    to, back = _scaled(param)
    found = minimize_scalar(
        lambda position: wish.misses([read(back(position))])[0],
        bounds=(to(values[best - 1]), to(values[best + 1])), method="bounded",
        options={"xatol": 1e-9},
    )
    return float(back(found.x)) if found.fun < misses[best] else values[best]


def _last_whole(inside: float, outside: float, wish: Wish, read: Read) -> float:
    """The whole number next to the crossing, on the side that meets the wish."""
    while abs(outside - inside) > 1:
        middle = float((int(inside) + int(outside)) // 2)
        inside, outside = (middle, outside) if wish.met(read(middle)) else (inside, middle)
    return inside


def _scaled(param: Real) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """To the parameter's own scale and back."""
    return (math.log, math.exp) if param.log else (float, float)


def _crossing(param: Real, inside: float, outside: float, wish: Wish, read: Read) -> float:
    """Where the measure crosses the target, on the side that meets the wish. Where it jumps or is
    infinite on the one side, only which side it is counts."""
    to, back = _scaled(param)
    low, high = sorted((to(inside), to(outside)))
    tolerance = _CLOSE * max(high - low, 1e-300)

    ends = {to(inside): inside, to(outside): outside}  # back and forth may miss them by a digit

    def gap(position: float) -> float:
        found = read(ends.get(position, back(position)))
        if math.isfinite(found) and found != wish.target:
            return found - wish.target
        return -1.0 if wish.met(found) != wish.at_least else 1.0

    root = back(brentq(gap, low, high, xtol=tolerance, rtol=8.9e-16, maxiter=200))
    short = float(f"{root:.9g}")  # a crossing at a round number is called by it
    if min(inside, outside) <= short <= max(inside, outside) and wish.met(read(short)):
        return short
    step = 2 * max(math.ulp(root), tolerance * (root if param.log else 1.0))
    towards = math.copysign(1.0, inside - outside)
    while not wish.met(read(root)):
        root = root + towards * step
        step *= 2
        if (inside - root) * towards <= 0:
            return inside
    return root


def _halved(
    param: Real, inside: float, outside: float, wish: Wish, read: Read, steps: int
) -> float:
    to, back = _scaled(param)
    for _ in range(steps):
        middle = back((to(inside) + to(outside)) / 2)
        inside, outside = (middle, outside) if wish.met(read(middle)) else (inside, middle)
    return inside


def _turning_points(
    param: Real, values: Floats, numbers: Floats, wish: Wish, read: Read
) -> Iterator[float]:
    """Settings between those of the scan at which the curve turns round on the other side of the
    target from both neighbours: there an interval, or a gap, would be missed."""
    to, back = _scaled(param)
    far = numbers - wish.target
    size = np.abs(far)
    before, here, after = size[:-2], size[1:-1], size[2:]
    with np.errstate(invalid="ignore"):  # of infinite numbers nothing is asked
        turns = (
            (far[:-2] * far[1:-1] > 0) & (far[1:-1] * far[2:] > 0)
            & (here <= np.minimum(before, after)) & (np.maximum(before, after) > here)
            & (here <= _STEEP * (np.maximum(before, after) - here))
        )
    for i in np.flatnonzero(turns) + 1:
        sign = math.copysign(1.0, far[i])
        found = minimize_scalar(
            lambda position, sign=sign: sign * read(back(position)),
            bounds=(to(values[i - 1]), to(values[i + 1])), method="bounded",
            options={"xatol": 1e-9},
        )
        yield float(back(found.x))

"""Which settings meet a wish, in words: `adding noise needs ε of at least 1.82`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.calibrate import EVERYBODY, Interval, Measure, Setting, Solution
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Integer, Real, short_number
from sdc_core.words.numbers import counted, lowered, percent, sensible

_MOVED = 0.01  # a rounded end may lie so far within the interval, as a share of it


def rounded(param: Real, interval: Interval, upper: bool) -> float:
    """An end in as few digits as will do, rounded inwards, so that what is quoted is itself an
    answer."""
    value, other = (interval.high, interval.low) if upper else (interval.low, interval.high)
    if isinstance(param, Integer) or value in (param.low, param.high) or value == other:
        return value
    room = min(abs(value), 1 - abs(value)) if param.percent else abs(value)
    for digits in range(2, 16):
        near = float(f"{value:.{digits}g}")
        step = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1) if value else 0.0
        if (near > value) if upper else (near < value):
            near = float(f"{near + (-step if upper else step):.{digits}g}")
        if interval.holds(near) and abs(near - value) <= _MOVED * room:
            return near
    return value


def quoted(found: Solution, setting: Setting) -> float:
    """The value as it is written and taken: rounded into the stretch that it ends or lies in."""
    for one in found.intervals:
        if setting.value in (one.low, one.high):
            return rounded(found.param, one, setting.value == one.high)
    if isinstance(found.param, Integer):
        return setting.value
    near = float(f"{setting.value:.3g}")
    return near if found.param.fits(near) and (
        found.meets(near) or not found.intervals) else setting.value


def value_text(param: Real, value: float) -> str:
    """`1.82`, `48.2%`, `7`."""
    if param.percent:
        return f"{short_number(float(f'{100 * value:.10g}'))}%"
    return f"{value:,.0f}" if isinstance(param, Integer) else f"{value:.10g}"


def setting_text(param: Real, value: float) -> str:
    """`ε = 1.82`, `k = 7`, `48.2%`."""
    said = value_text(param, value)
    return said if param.percent or not param.symbol else f"{param.symbol} = {said}"


def _name(param: Real) -> str:
    return lowered(param.title) if param.percent or not param.symbol else param.symbol


def range_text(found: Solution) -> str:
    """`needs ε of at least 1.82`, `allows k up to 7`, `takes k from 3 to 5 or of at least 90`."""
    param, parts, verb = found.param, [], "takes"
    for one in found.intervals:
        low, high = (value_text(param, rounded(param, one, upper)) for upper in (False, True))
        from_start, to_end = (end == limit for end, limit in zip(
            (one.low, one.high), found.limits, strict=True))
        if from_start and to_end:
            return f"may have any {_name(param)}"
        if one.low == one.high:
            parts.append(f"of exactly {low}")
        elif to_end:
            parts, verb = [*parts, f"of at least {low}"], "needs"
        elif from_start:
            parts, verb = [*parts, f"up to {high}"], "allows"
        else:
            parts.append(f"from {low} to {high}")
    verb = verb if len(parts) == 1 else "takes"
    return f"{verb} {_a(param)}{_name(param)} {' or '.join(parts)}"


def _a(param: Real) -> str:
    return "a " if _name(param) != param.symbol else ""


def amount_text(measure: Measure, value: float) -> str:
    """`1 person`, `10%`, `50 people per 1,000`, `8`."""
    if measure.percent:
        return percent(value)
    if measure.unit == "%":
        return f"{sensible(value)}%"
    if measure.unit == "people":
        return counted(value)
    return f"{sensible(value)} {measure.unit}".strip()


def wish_text(found: Solution, like: Mechanism | None = None) -> str:
    """`counts of groups of 1 to 5 to be off by at most 10% on average`; `like` is the method whose
    number it is."""
    bound = "at least" if found.at_least else "at most"
    amount = f"{bound} {amount_text(found.measure, found.wanted.value)}"
    of = "" if found.whom == EVERYBODY else f" of {found.whom_words}"
    said = found.measure.phrase.format(amount=amount, whom=found.whom_words, of=of)
    return said if like is None else f"{said}, as under {like.spoken()}"


def method_clause(found: Solution) -> str:
    """What one method takes, or how close it comes: `adding noise needs ε of at least 1.82`."""
    doing = found.mechanism.spoken(found.param)
    if found.reached:
        return f"{doing} {range_text(found)}{_chance(found, found.just)}"
    nearest = found.nearest
    assert nearest is not None
    if math.isnan(nearest.reading.value):
        return f"of {doing} it is not known"
    if math.isinf(nearest.reading.value):
        return f"{doing} cannot at any setting"
    closest = amount_text(found.measure, nearest.reading.value)
    at = setting_text(found.param, quoted(found, nearest))
    return f"{doing} cannot: the nearest is {closest}, at {at}{_chance(found, nearest)}"


def _chance(found: Solution, setting: Setting | None) -> str:
    if setting is None or not found.by_chance(setting):
        return ""
    return " (give or take: within two standard errors there)"


def answer_sentence(found: Sequence[Solution], like: Mechanism | None = None) -> str:
    """The answer of one method or several that have the same wish."""
    clauses = "; ".join(method_clause(one) for one in found)
    return f"For {wish_text(found[0], like)}, {clauses}."


"""Chance is not a finding: when numbers may be ranked or divided, and what zero of n excludes."""

from __future__ import annotations

import math
from collections.abc import Callable

from sdc_core.words.numbers import percent, sensible

STANDARD_ERRORS = 2.0
_ROUNDED = 0.05  # of a ratio: the numbers as they are written must give it no worse than this
_UNSURE = 0.1  # of a ratio: its standard error must not be more


def differ(
    a: float, error_a: float, b: float, error_b: float, errors: float = STANDARD_ERRORS
) -> bool:
    """May one be called larger? Only beyond two standard errors of the difference, or as many as
    it takes where the two were picked from many (`OF_MANY`)."""
    return abs(a - b) > errors * math.hypot(error_a, error_b)


def at_most(releases: int) -> float:
    """What 0 of so many releases exclude, with 95% confidence: the rule of three."""
    return min(1.0, 3 / releases)


def none_in(releases: int) -> str:
    """Of something that no release had: `in 200 releases (any in at most 1.5% of releases)`."""
    if releases == 1:
        return "in one release, which says little about others"
    if at_most(releases) == 1:
        return f"in {releases} releases, too few to say how often"
    return f"in {releases:,} releases (any in at most {percent(at_most(releases))} of releases)"


def times(
    larger: float, error_larger: float, smaller: float, error_smaller: float,
    written: Callable[[float], str] = sensible,
) -> str:
    """How many times as large: `2.3`. Empty where that is no more than chance, where chance or the
    digits in which the two are written (`written`) would make it another number, or where nobody
    would call it a difference."""
    if smaller <= 0 or larger < 1.1 * smaller:
        return ""
    if not differ(larger, error_larger, smaller, error_smaller):
        return ""
    unsure = math.hypot(error_larger / larger, error_smaller / smaller)
    above, below = (float(written(number).replace(",", "")) for number in (larger, smaller))
    if unsure > _UNSURE or not below or abs(above / below * smaller / larger - 1) > _ROUNDED:
        return ""
    ratio = larger / smaller
    return sensible(float(f"{ratio:.2g}") if unsure else ratio)

"""What chance leaves open in P4's claims: numbers of releases are compared by their standard
errors, and what lies within three of them is no finding."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sdc_core.metrics.over_releases import OverReleases

SURE = 3.0


def above(one: OverReleases | float, other: OverReleases | float) -> bool | None:
    """Is the first above the second? None where chance may have put it there."""
    gap = _mean(one) - _mean(other)
    error = math.hypot(_error(one), _error(other))
    if abs(gap) <= SURE * error:
        return None
    return bool(gap > 0)


def below(one: OverReleases | float, other: OverReleases | float) -> bool | None:
    return above(other, one)


def every(answers: Iterable[bool | None]) -> bool | None:
    """Of several: one that fails decides; else one that is open."""
    found = [None if one is None else bool(one) for one in answers]
    if any(one is False for one in found):
        return False
    return None if any(one is None for one in found) else True


def _mean(one: OverReleases | float) -> float:
    return one.mean if isinstance(one, OverReleases) else one


def _error(one: OverReleases | float) -> float:
    return one.error if isinstance(one, OverReleases) else 0.0

"""Which settings are beaten: by another one that is better in one way and not worse in the other,
beyond chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdc_core.words.chance import STANDARD_ERRORS, differ

Standing = Literal["on", "within chance", "beaten"]
_ROUNDING = 1e-9  # what is closer than this does not differ


@dataclass(frozen=True)
class Place:
    """Error and risk of a setting, each with its standard error; both are never below zero."""

    error: tuple[float, float]
    risk: tuple[float, float]


def beats(one: Place, other: Place, errors: float = STANDARD_ERRORS) -> bool:
    """Is it lower on one axis beyond so many standard errors, and on the other lower beyond them or
    for certain not higher?"""
    pairs = ((one.error, other.error), (one.risk, other.risk))
    below = [_lower(*pair, errors) for pair in pairs]
    return any(below) and all(
        less or _not_higher(*pair) for less, pair in zip(below, pairs, strict=True))


def _lower(one: tuple[float, float], other: tuple[float, float], errors: float) -> bool:
    apart = not math.isclose(one[0], other[0], rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    return apart and one[0] < other[0] and differ(*one, *other, errors)


def _not_higher(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Known, not estimated: nothing is below an exact zero, and exact numbers may be the same."""
    if one[1]:
        return False
    same = math.isclose(one[0], other[0], rel_tol=_ROUNDING, abs_tol=_ROUNDING)
    return one[0] <= _ROUNDING or (same and not other[1])


def _looks_beaten(one: Place, by: Place) -> bool:
    """The same by the numbers alone, whatever chance may have made of them."""
    return beats(_bare(by), _bare(one))


def _bare(one: Place) -> Place:
    return Place((one.error[0], 0.0), (one.risk[0], 0.0))


def standings(places: Sequence[Place]) -> list[Standing]:
    """On the frontier, by chance perhaps on it, or beaten."""
    return [
        "beaten" if any(beats(other, one) for other in places)
        else "within chance" if any(_looks_beaten(one, other) for other in places)
        else "on"
        for one in places
    ]


def beaten_by(one: Place, places: Sequence[Place]) -> list[int]:
    """Which ones beat it."""
    return [i for i, other in enumerate(places) if beats(other, one)]

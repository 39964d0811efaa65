"""Which settings are beaten: by another one that is better in one way and not worse in the other,
beyond chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sdc_core.words.chance import STANDARD_ERRORS

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Standing = Literal["on", "within chance", "beaten"]
_ROUNDING = 1e-9  # what is closer than this does not differ


@dataclass(frozen=True)
class Place:
    """Error and risk of a setting, each with its standard error; both are never below zero."""

    error: tuple[float, float]
    risk: tuple[float, float]


def who_beats(
    places: Sequence[Place], by: Sequence[Place], errors: float = STANDARD_ERRORS
) -> Bools:
    """Which are lower on one axis beyond so many standard errors, and on the other lower beyond
    them or for certain not higher: a row a place, a column each that may beat it."""
    below, not_above = zip(
        *(_compared(_pairs(places, axis), _pairs(by, axis), errors) for axis in ("error", "risk")),
        strict=True)
    return np.asarray((below[0] | below[1]) & not_above[0] & not_above[1])


def _pairs(places: Sequence[Place], axis: str) -> Floats:
    return np.array([getattr(one, axis) for one in places], dtype=np.float64).reshape(-1, 2)


def _compared(places: Floats, by: Floats, errors: float) -> tuple[Bools, Bools]:
    """On one axis: which are lower beyond so many standard errors, and which are that or for
    certain not higher. What is known and not estimated may be the same, and nothing is below an
    exact zero."""
    (other, its_error), (one, own_error) = places.T[:, :, None], by.T[:, None, :]
    gap = np.abs(one - other)
    same = gap <= _ROUNDING * np.maximum(1.0, np.maximum(np.abs(one), np.abs(other)))
    lower = ~same & (one < other) & (gap > errors * np.hypot(own_error, its_error))
    certain = (own_error == 0) & ((one <= _ROUNDING) | (same & (its_error == 0)))
    return lower, lower | certain


def _bare(one: Place) -> Place:
    return Place((one.error[0], 0.0), (one.risk[0], 0.0))


def standings(places: Sequence[Place]) -> list[Standing]:
    """On the frontier, by chance perhaps on it (beaten by the numbers alone), or beaten."""
    bare = [_bare(one) for one in places]
    surely, perhaps = (np.any(who_beats(them, them), axis=1) for them in (places, bare))
    return [
        "beaten" if surely[i] else "within chance" if perhaps[i] else "on"
        for i in range(len(places))
    ]


def beaten_by(one: Place, places: Sequence[Place]) -> list[int]:
    """Which ones beat it."""
    return [int(i) for i in np.flatnonzero(who_beats([one], places)[0])]

"""A theorem as it is printed beside the exact value, and what the two make of it."""

from __future__ import annotations

from dataclasses import dataclass

VALID, TIGHT = "valid", "valid and tight"
LOOSE, SAYS_LITTLE = "valid but loose", "valid but says little"
INVALID, NOT_HERE = "not valid as printed", "does not apply here"
OF_FORMULA = "true of the printed formula alone"  # of what is computed with it, not of the method
NO_NUMBER = "no number is printed"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class TheoremCheck:
    paper: str
    name: str
    sentence: str
    printed: float | None
    exact: float | None
    verdict: str
    reason: str
    setting: str


def of_bound(printed: float, exact: float) -> str:
    """A printed bound must not be below what is true; the nearer, the tighter."""
    slack = _ROUNDING * (1e-9 + abs(exact))
    if exact > printed + slack:
        return INVALID
    return TIGHT if printed <= exact + slack else LOOSE


def of_value(printed: float, exact: float) -> str:
    """A printed value must be the true one."""
    return TIGHT if abs(printed - exact) <= _ROUNDING * (1e-9 + abs(exact)) else INVALID


def of_fact(holds: bool) -> str:
    """What is said without a number."""
    return VALID if holds else INVALID

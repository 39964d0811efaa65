"""Guarantees along ε: what a mechanism promises at every strength."""

from __future__ import annotations

from dataclasses import dataclass

from sdc_core.experiment import sweep_values
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee

_POINTS = 80


@dataclass(frozen=True)
class PrivacyCurve:
    """A mechanism's guarantees along ε; `here` is the ε it is set to now.

    A mechanism without ε as a setting has one guarantee: everywhere, if it promises no ε at all,
    else from the ε it comes to (`here`) upwards.
    """

    mechanism: Mechanism
    epsilons: tuple[float, ...]
    guarantees: tuple[Guarantee, ...]
    here: float | None


def privacy_curve(mechanism: Mechanism, data: Histogram, cap: int | None = None) -> PrivacyCurve:
    """Published and tight guarantee of the mechanism at every ε of the slider's range."""
    epsilons = tuple(float(v) for v in sweep_values(EPSILON, _POINTS))
    here = mechanism.settings().get(EPSILON.name)
    if here is not None:
        found = tuple(
            mechanism.replace(epsilon=epsilon).guarantee(data, cap=cap) for epsilon in epsilons
        )
        return PrivacyCurve(mechanism, epsilons, found, here)
    fixed = mechanism.guarantee(data, cap=cap)
    if fixed.epsilon is not None:  # a promise of this ε says nothing about a smaller one
        epsilons = (fixed.epsilon, *(e for e in epsilons if e > fixed.epsilon))
    return PrivacyCurve(mechanism, epsilons, (fixed,) * len(epsilons), fixed.epsilon)

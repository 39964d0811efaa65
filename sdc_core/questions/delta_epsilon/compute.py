"""Guarantees along ε: what a mechanism promises at every strength."""

from __future__ import annotations

from sdc_core.curves import Curve, sweep
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee

_POINTS = 80


def privacy_curve(
    mechanism: Mechanism, data: Histogram, cap: int | None = None
) -> Curve[Guarantee]:
    """Published and tight guarantee of the mechanism at every ε of the slider's range.

    A mechanism without ε as a setting has one guarantee: everywhere, if it promises no ε at all,
    else from the ε it comes to (`here`) upwards.
    """
    epsilons = EPSILON.points(_POINTS)
    if EPSILON.name in mechanism.settings():
        return sweep(mechanism, EPSILON, lambda m: m.guarantee(data, cap=cap), epsilons)
    fixed = mechanism.guarantee(data, cap=cap)
    if fixed.epsilon is not None:  # a promise of this ε says nothing about a smaller one
        epsilons = (fixed.epsilon, *(e for e in epsilons if e > fixed.epsilon))
    return Curve(mechanism, epsilons, (fixed,) * len(epsilons), fixed.epsilon)

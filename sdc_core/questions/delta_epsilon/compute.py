"""Guarantees along ε: what a mechanism promises at every strength."""

from __future__ import annotations

from sdc_core.curves import Curve, sweep
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.units import Unit, converted

_POINTS = 80


def privacy_curve(
    mechanism: Mechanism, data: Histogram, cap: int | None = None, unit: Unit = Unit.PERSON,
    people: int = 1,
) -> Curve[Guarantee]:
    """Published and true guarantee of the mechanism at every ε of the slider's range, as a promise
    for this unit; without a point where there is none.

    A mechanism without ε as a setting has one guarantee: everywhere, if it promises no ε at all,
    else from the ε it comes to (`here`) upwards.
    """
    def promise(method: Mechanism) -> Guarantee | None:
        return converted(method.guarantee(data, cap=cap), unit, people)

    epsilons = EPSILON.points(_POINTS)
    here = promise(mechanism)
    if here is None:
        return Curve(mechanism, (), (), None)
    if EPSILON.name in mechanism.settings():
        swept = sweep(mechanism, EPSILON, promise, epsilons)
        points = tuple(point for point in swept.points if point is not None)
        return Curve(mechanism, tuple(p.epsilon or 0.0 for p in points), points, here.epsilon)
    if here.epsilon is not None:  # a promise of this ε says nothing about a smaller one
        epsilons = (here.epsilon, *(e for e in epsilons if e > here.epsilon))
    return Curve(mechanism, epsilons, (here,) * len(epsilons), here.epsilon)


def limits(curve: Curve[Guarantee]) -> tuple[str, ...]:
    """In what data must agree for the promise to cover them; nothing where it covers any change of
    a record."""
    points = [g for g in curve.points if g.formal]
    return points[0].own_invariants if points else ()

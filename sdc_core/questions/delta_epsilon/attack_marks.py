"""What an attack shows, as marks on the δ-versus-ε chart: how much is given away at least."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sdc_core.auditing import Audit
from sdc_core.curves import Curve
from sdc_core.figures.theme import FAILURE, MUTED, Style, Trace, safe_label, scatter
from sdc_core.privacy.guarantee import Guarantee, log_rest
from sdc_core.words.numbers import sensible

AT_LEAST = "attack: at least this much"
_IN_FULL = 0.5  # a granted δ above this leaves nothing to bound ε with: δ is bounded instead

Height = Callable[[float, float], float | None]  # of a δ with its ln(1 - δ)


def attack_marks(
    found: Sequence[Audit], curves: Sequence[Curve[Guarantee]], looks: Sequence[Style],
    height: Height, ends: tuple[float, float],
) -> list[Trace]:
    """A mark a method: a triangle that points right where ε is at least so much at the method's δ,
    one that points up where δ is at least so much at its ε; red where that is more than the
    published bound allows."""
    traces: list[Trace] = []
    for curve, look in zip(curves, looks, strict=True):
        for one in found:
            if one.mechanism == curve.mechanism and one.tables.covered:
                traces += _marked(one, curve, look, height, ends)
    for later in traces[1:]:
        later["showlegend"] = False
    return traces


def _marked(
    one: Audit, curve: Curve[Guarantee], look: Style, height: Height, ends: tuple[float, float]
) -> list[Trace]:
    low, here = one.epsilon_low(), curve.here
    sideways = math.isfinite(low) and one.delta < _IN_FULL and not one.best.proven
    if sideways:
        x, delta = max(low, ends[0]), one.delta
        said = f"ε at least {sensible(low)} at δ = {sensible(one.delta)}"
    else:
        x = ends[1] if here is None else here
        delta = one.delta_low(one.allowed or 0.0)
        said = f"δ at least {sensible(delta)}" + ("" if here is None else f" at ε = {sensible(x)}")
    y = height(delta, log_rest(delta))
    if y is None:
        return []
    label = safe_label(curve.mechanism.plain_label())
    tries = f"{one.effort:,} tries" if one.effort else "no tries needed"
    return [scatter(
        x=[x], y=[y], mode="markers", name=AT_LEAST, legendgroup="attack", cliponaxis=False,
        customdata=[said], hovertemplate=f"{label}<br>attack: %{{customdata}}<br>{tries}"
        "<extra></extra>",
        marker={
            "color": FAILURE if one.crosses else look.color, "size": 15,
            "symbol": "triangle-right" if sideways else "triangle-up",
            "line": {"color": MUTED, "width": 1.5},
        },
    )]

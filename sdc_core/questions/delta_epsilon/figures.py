"""The δ-versus-ε chart: what is published, what is true, and where the one fails the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.curves import Curve
from sdc_core.figures.theme import (
    EPSILON_TICKS,
    FAILURE,
    GRID,
    Style,
    Trace,
    figure,
    safe_label,
    scatter,
    styles,
)
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.guarantees import delta_text

View = Literal["delta", "rest"]

FLOOR = -20.0  # log10 at the foot of the δ axis: only an exact zero stands there
_GAP = 2.0  # decades between the foot and the least δ that is drawn as a number


def privacy_table(curves: Sequence[Curve[Guarantee]]) -> pd.DataFrame:
    """Every point of the chart as a row."""
    rows = [
        {
            "mechanism": curve.mechanism.label_without(EPSILON),
            "epsilon": epsilon,
            "delta_published": g.delta_published,
            "delta_true": g.delta_tight,
            "ln(1 - delta_published)": g.log_rest_published,
            "ln(1 - delta_true)": g.log_rest_tight if g.formal else None,
            "holds": {True: "yes", False: "no", None: "nothing published"}[g.holds],
        }
        for curve in curves
        for epsilon, g in zip(curve.values, curve.points, strict=True)
    ]
    return pd.DataFrame(rows)


def privacy_curves(curves: Sequence[Curve[Guarantee]], view: View) -> go.Figure:
    """Published thin, true thick, failures in red, on one log axis.

    View "delta" shows δ itself; view "rest" shows 1 - δ, how much of the promise is left, which
    tells apart the values near one.
    """
    looks = styles([c.mechanism for c in curves])
    floor = FLOOR if view == "delta" else _rest_floor(curves)
    traces: list[Trace] = []
    for curve, look in zip(curves, looks, strict=True):
        new = _curve(curve, look, view, floor)
        for trace in new:  # one entry for all failures, however many curves fail
            if any(t.get("legendgroup") == trace.get("legendgroup") == "fails" for t in traces):
                trace["showlegend"] = False
        traces += new
    ticks = _decades(floor)
    title = (
        "δ: chance that the promise fails" if view == "delta"
        else "1 − δ: how much of the promise is left"
    )
    bottom = "0 (never)" if view == "delta" else "0 (nothing)"
    return figure(
        traces, 460, showlegend=True, margin={"l": 8, "r": 12, "t": 12, "b": 8},
        legend={"orientation": "h", "y": -0.18, "x": 0, "yanchor": "top"},
        xaxis={
            **GRID, "type": "log", "title": {"text": EPSILON.axis_title, "standoff": 6},
            "tickvals": list(EPSILON_TICKS),
            "range": [math.log10(EPSILON_TICKS[0]), math.log10(EPSILON_TICKS[-1])],
        },
        yaxis={
            **GRID, "title": {"text": title}, "range": [floor * 1.04, -floor * 0.03],
            "tickvals": [floor, *ticks], "ticktext": [bottom, *map(_decade_text, ticks)],
        },
    )


def _curve(curve: Curve[Guarantee], look: Style, view: View, floor: float) -> list[Trace]:
    label = safe_label(curve.mechanism.label_without(EPSILON))
    xs = list(curve.values)
    true = [_height(g.delta_tight, g.log_rest_tight, view, floor) for g in curve.points]
    published = [
        _height(g.delta_published, g.log_rest_published, view, floor) for g in curve.points
    ]
    shown = [
        (_said(g.delta_published, g.log_rest_published), _said(g.delta_tight, g.log_rest_tight))
        for g in curve.points
    ]
    hover = f"{label}<br>ε = %{{x:.3g}}<br>published δ: %{{customdata[0]}}<br>" \
            "true δ: %{customdata[1]}<extra></extra>"
    traces = [
        scatter(
            x=xs, y=true, mode="lines", name=label, legendgroup=label, customdata=shown,
            line={"color": look.color, "dash": look.dash, "width": 3.4}, hovertemplate=hover,
        )
    ]
    if any(p is not None for p in published):
        traces.append(
            scatter(
                x=xs, y=published, mode="lines", name=f"{label}, published", customdata=shown,
                legendgroup=label, showlegend=False,
                line={"color": look.color, "dash": "dot", "width": 1.4}, hovertemplate=hover,
            )
        )
    broken = [i for i, g in enumerate(curve.points) if g.holds is False]
    if broken:
        traces.append(
            scatter(
                x=[xs[i] for i in broken], y=[published[i] for i in broken], mode="markers",
                name="published bound fails", legendgroup="fails",
                customdata=[shown[i] for i in broken],
                marker={"color": FAILURE, "symbol": "x", "size": 7}, hovertemplate=hover,
            )
        )
    here = None if curve.here is None else _at(curve.here, xs, true)
    if here is not None:
        traces.append(
            scatter(
                x=[curve.here], y=[here],
                mode="markers", showlegend=False, hoverinfo="skip",
                marker={"color": look.color, "size": 11, "symbol": look.symbol},
            )
        )
    return traces


def _at(epsilon: float, xs: Sequence[float], heights: Sequence[float | None]) -> float | None:
    """The curve's height at the present ε, if it is on the chart there."""
    height = float(np.interp(epsilon, xs, np.array(heights, dtype=float)))
    return height if math.isfinite(height) else None


def _height(
    delta: float | None, log_rest: float | None, view: View, floor: float
) -> float | None:
    """log10 of δ or of 1 - δ; the floor for an exact zero, nothing for what lies out of reach."""
    if delta is None or log_rest is None:
        return None
    if view == "delta":
        height = math.log10(delta) if delta > 0 else -math.inf
    else:
        height = log_rest / math.log(10)
    if height == -math.inf:
        return floor
    return height if height >= floor + _GAP else None


def _rest_floor(curves: Sequence[Curve[Guarantee]]) -> float:
    """Deep enough for the values within reach, but never so deep that nothing can be read."""
    rests = [
        rest / math.log(10)
        for c in curves for g in c.points
        for rest in (g.log_rest_tight, g.log_rest_published)
        if rest is not None and rest > -math.inf
    ]
    return max(-40.0, min([-4.0, *rests]) - 1) - _GAP


def _decades(floor: float) -> list[int]:
    step = 1 if floor > -6 else 3 if floor > -20 else 6
    return [d for d in range(0, int(floor), -step) if d >= floor + _GAP]


def _decade_text(decade: int) -> str:
    return "1" if decade == 0 else f"{10.0 ** decade:g}" if decade >= -3 else f"1e{decade}"


def _said(delta: float | None, log_rest: float | None) -> str:
    return "none" if delta is None or log_rest is None else delta_text(delta, log_rest)

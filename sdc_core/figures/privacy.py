"""The δ-versus-ε chart: what is published, what is true, and where the one fails the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.compare import curve_label
from sdc_core.figures.theme import FAILURE, GRID, Style, figure, safe_label, styles
from sdc_core.mechanisms.base import EPSILON, Mechanism
from sdc_core.narrative import delta_text
from sdc_core.privacy.guarantee import Guarantee

View = Literal["delta", "rest"]

FLOOR = -13.0  # log10 of the least δ drawn; an exact zero sits on the floor


@dataclass(frozen=True)
class PrivacyCurve:
    """A mechanism's guarantees along ε; `here` is the ε now chosen (None if it has none)."""

    mechanism: Mechanism
    epsilons: tuple[float, ...]
    guarantees: tuple[Guarantee, ...]
    here: float | None


def privacy_table(curves: Sequence[PrivacyCurve]) -> pd.DataFrame:
    """Every point of the chart as a row."""
    rows = [
        {
            "mechanism": curve_label(curve.mechanism, EPSILON),
            "epsilon": epsilon,
            "delta_published": g.delta_published,
            "delta_true": g.delta_tight,
            "ln(1 - delta_published)": g.log_rest_published,
            "ln(1 - delta_true)": g.log_rest_tight if g.formal else None,
            "holds": {True: "yes", False: "no", None: "nothing published"}[g.holds],
        }
        for curve in curves
        for epsilon, g in zip(curve.epsilons, curve.guarantees, strict=True)
    ]
    return pd.DataFrame(rows)


def privacy_curves(curves: Sequence[PrivacyCurve], view: View) -> go.Figure:
    """Published thin, true thick, failures in red, on one log axis.

    View "delta" shows δ itself; view "rest" shows 1 - δ, how much of the promise is left, which
    tells apart the values near one.
    """
    looks = styles([c.mechanism for c in curves])
    floor = FLOOR if view == "delta" else _rest_floor(curves)
    traces = []
    for curve, look in zip(curves, looks, strict=True):
        traces += _curve(curve, look, view, floor)
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
            "tickvals": [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
            "range": [math.log10(EPSILON.slider[0]), math.log10(EPSILON.slider[1])]
            if EPSILON.slider else None,
        },
        yaxis={
            **GRID, "title": {"text": title}, "range": [floor * 1.04, -floor * 0.03],
            "tickvals": [floor, *ticks], "ticktext": [bottom, *map(_decade_text, ticks)],
        },
    )


def _curve(curve: PrivacyCurve, look: Style, view: View, floor: float) -> list[go.Scatter]:
    label = safe_label(curve_label(curve.mechanism, EPSILON))
    xs = list(curve.epsilons)
    true = [_height(g.delta_tight, g.log_rest_tight, view, floor) for g in curve.guarantees]
    published = [
        _height(g.delta_published, g.log_rest_published, view, floor) for g in curve.guarantees
    ]
    shown = [
        (_said(g.delta_published, g.log_rest_published), _said(g.delta_tight, g.log_rest_tight))
        for g in curve.guarantees
    ]
    hover = f"{label}<br>ε = %{{x:.3g}}<br>published δ: %{{customdata[0]}}<br>" \
            "true δ: %{customdata[1]}<extra></extra>"
    traces = [
        go.Scatter(
            x=xs, y=true, mode="lines", name=f"{label}, true", customdata=shown,
            line={"color": look.color, "dash": look.dash, "width": 3.4}, hovertemplate=hover,
        )
    ]
    if any(p is not None for p in published):
        traces.append(
            go.Scatter(
                x=xs, y=published, mode="lines", name=f"{label}, published", customdata=shown,
                line={"color": look.color, "dash": "dot", "width": 1.4}, hovertemplate=hover,
            )
        )
    broken = [i for i, g in enumerate(curve.guarantees) if g.holds is False]
    if broken:
        traces.append(
            go.Scatter(
                x=[xs[i] for i in broken], y=[published[i] for i in broken], mode="markers",
                name=f"{label}: published bound fails", customdata=[shown[i] for i in broken],
                marker={"color": FAILURE, "symbol": "x", "size": 7}, hovertemplate=hover,
            )
        )
    if curve.here is not None:
        traces.append(
            go.Scatter(
                x=[curve.here], y=[float(np.interp(curve.here, xs, np.array(true, dtype=float)))],
                mode="markers", showlegend=False, hoverinfo="skip",
                marker={"color": look.color, "size": 11, "symbol": look.symbol},
            )
        )
    return traces


def _height(
    delta: float | None, log_rest: float | None, view: View, floor: float
) -> float | None:
    """log10 of δ or of 1 - δ, held at the floor where it is zero or beyond the chart."""
    if delta is None or log_rest is None:
        return None
    if view == "delta":
        return max(floor, math.log10(delta)) if delta > 0 else floor
    return max(floor, log_rest / math.log(10)) if log_rest > -math.inf else floor


def _rest_floor(curves: Sequence[PrivacyCurve]) -> float:
    """Deep enough for the tight values within reach, but never so deep that nothing can be read."""
    rests = [
        g.log_rest_tight / math.log(10)
        for c in curves for g in c.guarantees if g.log_rest_tight > -math.inf
    ]
    return max(-40.0, min([-4.0, *rests]) - 1)


def _decades(floor: float) -> list[int]:
    step = 1 if floor > -6 else 3 if floor > -20 else 6
    return [d for d in range(0, int(floor), -step) if d > floor + 0.7]


def _decade_text(decade: int) -> str:
    return "1" if decade == 0 else f"{10.0 ** decade:g}" if decade >= -3 else f"1e{decade}"


def _said(delta: float | None, log_rest: float | None) -> str:
    return "none" if delta is None or log_rest is None else delta_text(delta, log_rest)

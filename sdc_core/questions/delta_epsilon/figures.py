"""The δ-versus-ε chart: what is published, what is true, and where the one is below the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.auditing import Audit
from sdc_core.curves import Curve
from sdc_core.figures.theme import (
    EPSILON_TICKS,
    FAILURE,
    GRID,
    Style,
    Trace,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
)
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.delta_epsilon.attack_marks import attack_marks
from sdc_core.questions.delta_epsilon.compute import limits
from sdc_core.questions.delta_epsilon.lanes import Line, on_top
from sdc_core.words.guarantees import delta_text, exceeds_text, true_delta_text

View = Literal["delta", "rest", "loss"]

FLOOR = -20.0  # log10 at the foot of the δ axis: only an exact zero stands there
_GAP = 2.0  # decades between the foot and the least δ that is drawn as a number


_HOLDS = {True: "yes", False: "no", None: "not known"}


def privacy_table(curves: Sequence[Curve[Guarantee]]) -> pd.DataFrame:
    """Every point of the chart as a row."""
    rows = [
        {
            "mechanism": curve.mechanism.plain_label(EPSILON),
            "epsilon": epsilon,
            "delta_published": g.delta_published,
            "delta_true": g.delta_tight,
            "ln(1 - delta_published)": g.log_rest_published,
            "ln(1 - delta_true)": g.log_rest_tight if g.formal else None,
            "delta_true is": "upper bound" if g.is_bound else "exact",
            "only among data that agree in": "; ".join(g.invariants) if g.formal else "",
            "Pr[loss > epsilon]": g.exceeds,
            "Pr is of": "" if g.exceeds is None else (
                "noisy counts" if g.as_drawn else "what is published"),
            "holds": _HOLDS[g.holds] if g.delta_published is not None else "nothing published",
        }
        for curve in curves
        for epsilon, g in zip(curve.values, curve.points, strict=True)
    ]
    return pd.DataFrame(rows)


def privacy_curves(
    curves: Sequence[Curve[Guarantee]], view: View, attacks: Sequence[Audit] = (),
    lines: Sequence[Line] | None = None,
) -> go.Figure:
    """Published thin, true thick, failures in red, on one log axis.

    View "delta" shows δ itself; view "rest" shows 1 - δ, how much of the promise is left, which
    tells apart the values near one; view "loss" shows Pr[loss > ε], where it is known. Attacks are
    marks: so much is given away at least. `lines` are the `drawn_lines`, where they are there.
    """
    looks = styles([c.mechanism for c in curves])
    floor = _rest_floor(curves) if view == "rest" else FLOOR
    lines = drawn_lines(curves, view) if lines is None else lines
    traces: list[Trace] = []
    for i, (line, above) in enumerate(zip(lines, on_top(lines), strict=True)):
        if not line.drawn:
            continue
        again = any(line.is_of_the_same(other) for other in lines[:i])
        pale = any(looks[j].color == looks[i].color for j in above)
        new = _curve(curves[i], line, looks[i], view, floor, len(above), pale, again)
        for trace in new:  # one entry for all failures, however many curves fail
            if any(t.get("legendgroup") == trace.get("legendgroup") == "fails" for t in traces):
                trace["showlegend"] = False
        traces += new
    traces.sort(key=lambda trace: trace.get("legendgroup") == "fails")  # nothing lies on failures
    ticks = _decades(floor)
    title, bottom = _AXES[view]
    furthest = max((max(c.values) for c in curves if c.values), default=0.0)
    end = max(EPSILON_TICKS[-1], furthest)
    if view != "loss":
        traces += attack_marks(
            attacks, curves, looks, lambda delta, rest: _height(delta, rest, view, floor),
            (EPSILON_TICKS[0], end),
        )
    return figure(
        traces, 460, showlegend=True, margin={"l": 8, "r": 12, "t": 12, "b": 8},
        legend={"orientation": "h", "y": -0.18, "x": 0, "yanchor": "top"},
        xaxis={
            **GRID, "type": "log", "title": {"text": EPSILON.axis_title, "standoff": 6},
            "tickvals": [t for t in (*EPSILON_TICKS, 50, 100, 200) if t <= end],
            "range": [math.log10(EPSILON_TICKS[0]), math.log10(end)],
        },
        yaxis={
            **GRID, "title": {"text": title}, "range": [floor * 1.04, -floor * 0.03],
            "tickvals": [floor, *ticks], "ticktext": [bottom, *map(_decade_text, ticks)],
        },
    )


_AXES: dict[View, tuple[str, str]] = {
    "delta": ("δ: slack in the promise", "0 (none)"),
    "rest": ("1 − δ: how much of the promise is left", "0 (nothing)"),
    "loss": ("Pr[loss > ε]: chance that odds move by more than e^ε", "0 (never)"),
}


LIMITED = "only among data that agree in what it keeps exact"  # in a legend
_LIMITED_DASH = "12px,4px,2px,4px,2px,4px"  # dashes with two dots: nothing else has them
_WIDTH, _LANE = 3.4, 4.5  # of a line, and how much wider one is for each that lies on it
_UNDER = 0.5  # how strong a line is under one of its own colour
_CROSSES = 5  # so many points from a cross to the next: they mark a line and do not hide it


def drawn_lines(curves: Sequence[Curve[Guarantee]], view: View) -> list[Line]:
    """What is drawn thick: the true δ, what it leaves, or how often the loss is larger."""
    floor = _rest_floor(curves) if view == "rest" else FLOOR
    return [
        Line.of(curve, [
            _height(g.exceeds, g.log_within, view, floor) if view == "loss" else
            _height(g.delta_tight, g.log_rest_tight, view, floor) for g in curve.points
        ])
        for curve in curves
    ]


def _label(curve: Curve[Guarantee], view: View) -> str:
    label = safe_label(curve.mechanism.plain_label(EPSILON))
    marks = []
    if any(g.is_bound for g in curve.points) and view != "loss":
        marks.append("lower bound" if view == "rest" else "upper bound")
    if any(g.as_drawn for g in curve.points) and view == "loss":
        marks.append("of the noisy counts")
    if limits(curve):
        marks.append(LIMITED)
    return f"{label}: {'; '.join(marks)}" if marks else label


def _curve(
    curve: Curve[Guarantee], line: Line, look: Style, view: View, floor: float, wider: int,
    pale: bool, again: bool,
) -> list[Trace]:
    """The line, `wider` by so many that lie on it, and `pale` where one of them has its colour;
    what is published; failures; the present ε. Of a method that is there again only the last is
    new."""
    label, limited = _label(curve, view), limits(curve)
    xs, true = list(line.xs), list(line.heights)
    published = [
        None if view == "loss" else
        _height(g.delta_published, g.log_rest_published, view, floor) for g in curve.points
    ]
    shown = [
        (_said(g.delta_published, g.log_rest_published), true_delta_text(g), exceeds_text(g))
        for g in curve.points
    ]
    hover = f"{label}<br>ε = %{{x:.3g}}<br>published δ: %{{customdata[0]}}<br>" \
            "true δ: %{customdata[1]}<br>Pr[loss > ε]: %{customdata[2]}<extra></extra>"
    traces = [] if again else [
        scatter(
            x=xs, y=true, mode="lines", name=in_legend(label), legendgroup=label,
            customdata=shown, opacity=_UNDER if pale else 1.0,
            line={"color": look.color, "dash": _LIMITED_DASH if limited else look.dash,
                  "width": _WIDTH + _LANE * wider}, hovertemplate=hover,
        )
    ]
    if any(p is not None for p in published) and not again:
        traces.append(
            scatter(
                x=xs, y=published, mode="lines", name=f"{label}, published", customdata=shown,
                legendgroup=label, showlegend=False,
                line={"color": look.color, "dash": "dot", "width": 1.4}, hovertemplate=hover,
            )
        )
    broken = [
        i for i, g in enumerate(curve.points) if g.holds is False and published[i] is not None
    ][::_CROSSES]
    if broken and not again:
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
                marker={"color": look.color, "size": 11 + _LANE * wider,
                        "symbol": look.hollow if limited else look.symbol},
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
    if view != "rest":
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

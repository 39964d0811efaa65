"""Charts of the Prediction page: accuracy along a parameter, and who is predicted wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    EPSILON_TICKS,
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.metrics.classification import (
    ENOUGH_PEOPLE,
    GroupErrors,
    ScoreCurve,
    Trained,
    Yardsticks,
)
from sdc_core.narrative.classification import percent
from sdc_core.parameters import Real
from sdc_core.words.groups import group_name
from sdc_core.words.numbers import points

METRICS = {"accuracy": "Right about", "balanced": "Right, classes weighed alike"}
_MOST_GROUPS = 14


def summary_bars(trained: Sequence[Trained], yard: Yardsticks, alt: str) -> str:
    """For every method: how many are right, in all and balanced, and what the release costs."""
    base = float(yard.baseline.accuracy[0])
    lost = [base - t.accuracy for t in trained]
    top = max([0.001, *(abs(v) for v in lost if np.isfinite(v))])
    panels = [
        _share_panel("Right", "accuracy on the real people",
                     [t.scores.accuracy for t in trained]),
        _share_panel("Right, classes weighed alike", "balanced accuracy",
                     [t.scores.balanced for t in trained]),
        Panel(
            "Lost against the truth", "accuracy, percentage points",
            [max(v, 0.0) if np.isfinite(v) else 0.0 for v in lost], [0.0] * len(lost),
            ["unknown" if not np.isfinite(v) else points(v) if v >= 0 else f"{points(-v)} gained"
             for v in lost],
            top,
        ),
    ]
    mechanisms = [t.mechanism for t in trained]
    return bars(panels, [m.label() for m in mechanisms], styles(mechanisms), alt)


def _share_panel(title: str, note: str, runs: Sequence[np.ndarray]) -> Panel:
    known = [r[np.isfinite(r)] for r in runs]
    means = [float(r.mean()) if len(r) else 0.0 for r in known]
    spread = [float(r.std()) if len(r) else 0.0 for r in known]
    texts = [percent(m) if len(r) else "unknown" for m, r in zip(means, known, strict=True)]
    return Panel(title, note, means, spread, texts, 1.0)


def accuracy_lines(
    param: Real, curves: Sequence[ScoreCurve], yard: Yardsticks, marked: Sequence[bool]
) -> list[go.Figure]:
    """Accuracy and balanced accuracy along a parameter, with bands over the releases, between what
    the truth gives and what always saying the same gives."""
    looks = styles([c.mechanism for c in curves])
    return [_lines(param, curves, yard, marked, looks, metric) for metric in METRICS]


def _lines(
    param: Real, curves: Sequence[ScoreCurve], yard: Yardsticks, marked: Sequence[bool],
    looks: Sequence[Style], metric: str,
) -> go.Figure:
    traces: list[Trace] = []
    low, high = param.range
    for curve, look, mark in zip(curves, looks, marked, strict=True):
        traces += _banded(param, curve, look, metric, mark)
    top = float(getattr(yard.baseline, metric)[0])
    floor = yard.majority if metric == "accuracy" else 0.5
    lows = [v for c in curves for v in c.band(metric)[1] if np.isfinite(v)]
    bottom = min([floor, *lows])
    room = 0.08 * max(top - bottom, 0.01)
    shapes, notes = [], []
    for level, text in (
        (top, f"trained on the truth, {percent(top)}"),
        (floor, f"always “{yard.majority_label}”, {percent(floor)}"),
    ):
        side, above = _free_spot(param, curves, metric, level, room)
        shapes.append({"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": level,
                       "y1": level, "line": {"color": MUTED, "width": 1.5, "dash": "dot"}})
        notes.append({"xref": "paper", "x": side, "y": level, "text": safe_label(text),
                      "showarrow": False, "xanchor": "right" if side else "left",
                      "yanchor": "bottom" if above else "top",
                      "font": {"size": 12, "color": MUTED}})
    ends = [float(np.log10(low)), float(np.log10(high))] if param.log else [low, high]
    ticks = [t for t in EPSILON_TICKS if low <= t <= high] if param.log else None
    return figure(
        traces, 400, title=titled(METRICS[metric], "share of the real people"),
        showlegend=True, legend={"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"},
        shapes=shapes, annotations=notes,
        xaxis={
            **GRID, "type": "log" if param.log else "linear", "range": ends, "tickvals": ticks,
            "title": {"text": safe_label(param.axis_title), "standoff": 6},
            "tickformat": ".0%" if param.percent else None,
        },
        yaxis={**GRID, "tickformat": ".2~%", "range": [bottom - 1.5 * room, top + 2 * room],
               "zeroline": False},
    )


def _free_spot(
    param: Real, curves: Sequence[ScoreCurve], metric: str, level: float, height: float
) -> tuple[int, bool]:
    """Where the words for a level line are furthest from all bands: at its left (0) or right (1)
    end, above it or below."""
    low, high = param.range

    def scaled(values: Sequence[float | int]) -> NDArray[np.float64]:
        found = np.asarray(values, dtype=np.float64)
        return np.log10(found) if param.log else found

    first, last = scaled([low, high])
    across = np.linspace(first, last, 21)

    def clearance(side: int, above: bool) -> float:
        middle = level + (height / 2 if above else -height / 2)
        under = across[-9:] if side else across[:9]  # a label takes less than half the width
        gaps = []
        for curve in curves:
            xs = scaled(curve.values)
            below, upto = (np.interp(under, xs, band) for band in curve.band(metric)[1:])
            gaps.append(float(np.min(np.maximum(below - middle, middle - upto))))
        return min([1.0, *(g for g in gaps if np.isfinite(g))])

    spots = [(0, True), (1, True), (0, False), (1, False)]
    return max(spots, key=lambda spot: round(clearance(*spot), 6))


def _banded(
    param: Real, curve: ScoreCurve, look: Style, metric: str, mark: bool
) -> list[Trace]:
    label = safe_label(curve.mechanism.label_without(param))
    xs = list(curve.values)
    mean, low, high = curve.band(metric)
    value = "%{x:.0%}" if param.percent else "%{x:.3g}"
    hover = f"{label}<br>{param.symbol} = {value}<br>right: %{{y:.1%}}<extra></extra>"
    out = []
    if max(h - b for h, b in zip(high, low, strict=True)) > 0:
        out.append(scatter(
            x=[*xs, *reversed(xs)], y=[*high, *reversed(low)], mode="lines", fill="toself",
            fillcolor=_pale(look.color), line={"width": 0}, hoverinfo="skip", showlegend=False,
        ))
    out.append(scatter(
        x=xs, y=mean, mode="lines+markers" if len(xs) <= 4 else "lines", name=label,
        line={"color": look.color, "dash": look.dash, "width": 2.4},
        marker={"size": 5, "color": look.color}, hovertemplate=hover,
    ))
    if mark and curve.here is not None:
        out.append(scatter(
            x=[curve.here], y=[float(np.interp(curve.here, xs, mean))], mode="markers",
            showlegend=False, hoverinfo="skip",
            marker={"color": look.color, "size": 10, "symbol": look.symbol},
        ))
    return out


def _pale(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


def sweep_table(param: Real, curves: Sequence[ScoreCurve]) -> pd.DataFrame:
    """One row for every method and value: means and bands."""
    frames = []
    for curve in curves:
        columns: dict[str, Any] = {
            "method": curve.mechanism.label_without(param), param.name: list(curve.values)}
        for metric in METRICS:
            mean, low, high = curve.band(metric)
            columns |= {metric: mean, f"{metric}, 10%": low, f"{metric}, 90%": high}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def group_errors(
    before: GroupErrors, after: Sequence[GroupErrors], trained: Sequence[Trained]
) -> go.Figure:
    """For each group how often the model is wrong: grey when trained on the truth, in colour when
    trained on a release."""
    large = [i for i, n in enumerate(before.people) if n >= ENOUGH_PEOPLE][:_MOST_GROUPS]
    # names stand above their row, not beside it: long ones leave no room on a narrow screen
    names = [
        {"text": f"{safe_label(group_name(before.labels[i]))}, {before.people[i]:,} people",
         "xref": "paper", "x": 0, "xanchor": "left", "y": row, "yshift": 20, "showarrow": False,
         "font": {"size": 12}}
        for row, i in enumerate(large)
    ]
    rows = list(range(len(large)))
    looks = styles([t.mechanism for t in trained])
    base = before.mean[large]
    traces = [scatter(
        x=base.tolist(), y=rows, mode="markers", name="trained on the truth",
        marker={"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": MUTED}},
        hovertemplate="trained on the truth: wrong %{x:.1%}<extra></extra>",
    )]
    width = 0.4 / max(1, len(trained))
    for place, (found, one, look) in enumerate(zip(after, trained, looks, strict=True)):
        if not len(found.wrong):
            continue  # no release to learn from, which the page says
        label = safe_label(one.mechanism.label())
        runs = found.wrong[:, large]
        mean = runs.mean(axis=0)
        low, high = np.quantile(runs, [0.1, 0.9], axis=0)
        traces.append(scatter(
            x=mean.tolist(), y=[r + (place - (len(trained) - 1) / 2) * width for r in rows],
            mode="markers", name=label,
            marker={"color": look.color, "symbol": look.symbol, "size": 9},
            error_x={"type": "data", "symmetric": False, "array": np.maximum(high - mean, 0),
                     "arrayminus": np.maximum(mean - low, 0), "width": 0, "thickness": 2,
                     "color": _pale(look.color).replace("0.15", "0.5")},
            hovertemplate=f"{label}: wrong %{{x:.1%}}<extra></extra>",
        ))
    return figure(
        traces, 150 + 56 * max(1, len(large)), showlegend=True,
        # above the rows: below them it would run into the axis where there are few
        legend={"orientation": "h", "y": 1, "x": 0, "yanchor": "bottom"},
        margin={"l": 8, "r": 12, "t": 12, "b": 8},
        xaxis={**GRID, "tickformat": ".2~%", "zeroline": False,
               "title": {"text": "predicted wrong, share of the group", "standoff": 6}},
        yaxis={**GRID, "tickvals": rows, "showticklabels": False, "zeroline": False,
               "range": [len(large) - 0.55, -0.75]},
        annotations=names,
    )


def group_table(
    before: GroupErrors, after: Sequence[GroupErrors], trained: Sequence[Trained]
) -> pd.DataFrame:
    """Every group, also the small ones."""
    table = pd.DataFrame({
        "group": [group_name(labels) for labels in before.labels], "people": before.people,
        "wrong, trained on the truth": before.mean,
    })
    for i, (found, one) in enumerate(zip(after, trained, strict=True), start=1):
        table[f"wrong, {i}. {one.mechanism.label()}"] = found.mean
    return table


def score_table(trained: Sequence[Trained], yard: Yardsticks) -> pd.DataFrame:
    rows = [
        {"trained on": t.mechanism.label(), "accuracy": t.accuracy,
         "balanced accuracy": t.balanced, "releases": len(t.scores.accuracy)}
        for t in trained
    ]
    rows += [
        {"trained on": "the truth", "accuracy": float(yard.baseline.accuracy[0]),
         "balanced accuracy": float(yard.baseline.balanced[0]), "releases": None},
        {"trained on": "the truth, tested on people it has not seen", "accuracy": yard.unseen,
         "balanced accuracy": None, "releases": None},
        {"trained on": f"nothing: always “{yard.majority_label}”", "accuracy": yard.majority,
         "balanced accuracy": 0.5, "releases": None},
    ]
    return pd.DataFrame(rows)

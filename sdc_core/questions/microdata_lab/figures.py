"""Charts and tables of the microdata lab."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.axes import LEGEND_BELOW
from sdc_core.figures.theme import (
    FAILURE,
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.metrics.microdata.battery import Measure
from sdc_core.questions.microdata_lab.compute import Line, Look, Neighbourhood, Point
from sdc_core.questions.microdata_lab.words import written

# Blue for together, orange for against each other, white for nothing in common.
_DIVERGING = [[0.0, "#D45A22"], [0.5, "#F7F7F7"], [1.0, "#2B7BBA"]]
_LETTERS = "#000000"  # on either end of the scale
_MOST_NUMBERS = 9  # variables up to which a correlation is written into its field


def trade_off(lines: Sequence[Line], shown: Line, privacy: Measure, utility: Measure) -> go.Figure:
    """A path a method: protection across, what is kept up; a mark a setting."""
    looks = styles([one.path.base for one in lines])
    traces = [
        _path(line, look, privacy, utility, line is shown)
        for line, look in zip(lines, looks, strict=True) if line.known
    ]
    return figure(
        traces, 470, showlegend=True, legend=LEGEND_BELOW,
        title=titled(safe_label(utility.title), f"against {safe_label(privacy.title.lower())}"),
        xaxis={**GRID, **_scale(privacy),
               "title": {"text": safe_label(f"{privacy.title}: {_direction(privacy)}"),
                         "standoff": 6}},
        yaxis={**GRID, **_scale(utility)},
    )


def _direction(privacy: Measure) -> str:
    return "more protection to the right" if privacy.good == "up" else (
        "more protection to the left")


def _scale(measure: Measure) -> dict[str, Any]:
    return {"rangemode": "tozero", "tickformat": ".0%" if measure.percent else None}


def _path(
    line: Line, look: Style, privacy: Measure, utility: Measure, shown: bool
) -> Trace:
    points = line.known
    return scatter(
        x=[p.privacy.mean for p in points], y=[p.utility.mean for p in points],
        mode="lines+markers", name=in_legend(safe_label(line.path.base.title)),
        line={"color": look.color, "dash": look.dash, "width": 3.2 if shown else 1.8},
        marker={"color": look.color, "symbol": look.symbol, "size": 9 if shown else 7},
        error_x=_bars([p.privacy.error for p in points], look),
        error_y=_bars([p.utility.error for p in points], look),
        text=[_hover(p, privacy, utility) for p in points],
        hovertemplate="%{text}<extra></extra>",
    )


def _bars(errors: Sequence[float], look: Style) -> dict[str, Any]:
    return {
        "array": [e if math.isfinite(e) else 0.0 for e in errors], "thickness": 1, "width": 0,
        "color": look.color,
    }


def _hover(one: Point, privacy: Measure, utility: Measure) -> str:
    return (
        f"{safe_label(one.mechanism.label())}<br>"
        f"{safe_label(privacy.title)}: {written(privacy, one.privacy.mean)}<br>"
        f"{safe_label(utility.title)}: {written(utility, one.utility.mean)}"
    )


def trade_off_table(lines: Sequence[Line]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "method": line.path.base.title, "setting": line.path.param, "value": one.value,
            "privacy": one.privacy.mean, "privacy, standard error": one.privacy.error,
            "utility": one.utility.mean, "utility, standard error": one.utility.error,
            "releases": len(one.privacy.each),
        }
        for line in lines for one in line.points
    ])


def correlation_charts(seen: Look) -> tuple[go.Figure, ...]:
    """Before and after, side by side and on one scale."""
    return (
        _matrix(seen.before, seen.names, "The original"),
        _matrix(seen.after, seen.names, "This release"),
    )


def _matrix(values: np.ndarray, names: Sequence[str], title: str) -> go.Figure:
    labels = [safe_label(n) for n in names]
    said = np.array([[f"{v:.2f}" for v in row] for row in values])
    trace: Trace = {
        "type": "heatmap", "z": np.round(values, 4), "x": labels, "y": labels, "zmin": -1,
        "zmax": 1, "colorscale": _DIVERGING, "xgap": 1, "ygap": 1,
        "colorbar": {"thickness": 10, "len": 0.9},
        "hovertemplate": "%{y} and %{x}: %{z:.2f}<extra></extra>",
    }
    if len(names) <= _MOST_NUMBERS:
        trace |= {"text": said, "texttemplate": "%{text}", "textfont": {"color": _LETTERS}}
    return figure(
        [trace], 420, title=titled(title, "correlations of all pairs of numbers"),
        xaxis={"automargin": True, "type": "category"},
        yaxis={"automargin": True, "type": "category", "autorange": "reversed"},
    )


def correlation_table(seen: Look) -> pd.DataFrame:
    upper = np.triu_indices(len(seen.names), 1)
    return pd.DataFrame({
        "first": [seen.names[i] for i in upper[0]], "second": [seen.names[j] for j in upper[1]],
        "original": seen.pairs[0], "release": seen.pairs[1],
    })


def scree_chart(seen: Look, look: Style) -> go.Figure:
    """How much of the variance each component has, before and after."""
    at = list(range(1, len(seen.shares_before) + 1))
    traces = [
        scatter(x=at, y=[*shares], mode="lines+markers", name=name,
                line={"color": color, "width": 2.2, "dash": dash}, marker={"size": 7},
                hovertemplate=f"{name}, component %{{x}}: %{{y:.1%}}<extra></extra>")
        for shares, name, color, dash in (
            (seen.shares_before, "the original", MUTED, "dot"),
            (seen.shares_after, "this release", look.color, look.dash))
    ]
    return figure(
        traces, 320, showlegend=True, legend=LEGEND_BELOW,
        title=titled("Share of the variance", "by principal component"),
        xaxis={**GRID, "dtick": 1, "title": {"text": "component", "standoff": 6}},
        yaxis={**GRID, "tickformat": ".0%", "rangemode": "tozero"},
    )


def scree_table(seen: Look) -> pd.DataFrame:
    return pd.DataFrame({
        "component": range(1, len(seen.shares_before) + 1), "original": seen.shares_before,
        "release": seen.shares_after,
    })


def outlier_charts(seen: Look, look: Style) -> tuple[go.Figure, ...]:
    """All records on the original's first two components, the most exposed one marked."""
    both = np.concatenate([seen.scores_before, seen.scores_after])
    low, high = both.min(axis=0), both.max(axis=0)
    pad = 0.06 * (high - low)
    ranges = [[float(a - p), float(b + p)] for a, b, p in zip(low, high, pad, strict=True)]
    after = seen.exposed.record if seen.in_places else None
    return (
        _scores(seen.scores_before, seen.exposed.record, MUTED, "The original", ranges),
        _scores(seen.scores_after, after, look.color, "This release", ranges),
    )


def _scores(
    scores: np.ndarray, record: int | None, color: str, title: str, ranges: list[list[float]]
) -> go.Figure:
    traces = [scatter(
        x=scores[:, 0].round(3).tolist(), y=scores[:, 1].round(3).tolist(), mode="markers",
        marker={"color": color, "size": 5, "opacity": 0.5}, hoverinfo="skip",
    )]
    if record is not None:
        traces.append(scatter(
            x=[float(scores[record, 0])], y=[float(scores[record, 1])], mode="markers",
            cliponaxis=False, marker={"color": FAILURE, "size": 14, "symbol": "triangle-up"},
            hovertemplate="the most exposed record<extra></extra>",
        ))
    return figure(
        traces, 380, title=titled(title, "first and second component of the original"),
        xaxis={**GRID, "range": ranges[0]}, yaxis={**GRID, "range": ranges[1]},
    )


def outlier_table(seen: Look) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for name, scores, cook, place in (
        ("original", seen.scores_before, "before", "place_before"),
        ("release", seen.scores_after, "after", "place_after"),
    ):
        known = seen.followed is not None
        here = name == "original" or seen.in_places
        rows.append({
            "where": name,
            "component 1": scores[seen.exposed.record, 0] if here else math.nan,
            "component 2": scores[seen.exposed.record, 1] if here else math.nan,
            "Cook's distance": getattr(seen.followed, cook) if known else math.nan,
            "place": getattr(seen.followed, place) if known else math.nan,
        })
    return pd.DataFrame(rows)


def neighbourhood_chart(found: Neighbourhood, look: Style) -> go.Figure:
    """How many others each record can borrow from, against how far the closest one is."""
    sizes, closest, method = found.sizes, found.closest, found.mechanism
    top = 1.08 * max(float(closest.max()), method.radius)
    right = 1.05 * float(sizes.max())
    lines = [
        scatter(x=[0, right], y=[method.radius] * 2, mode="lines",
                line={"color": FAILURE, "width": 1.4, "dash": "dash"},
                hovertemplate=f"radius {method.radius:g}<extra></extra>"),
        scatter(x=[method.k] * 2, y=[0, top], mode="lines",
                line={"color": MUTED, "width": 1.4, "dash": "dash"},
                hovertemplate=f"k = {method.k}<extra></extra>"),
    ]
    marks = scatter(
        x=sizes.tolist(), y=closest.round(4).tolist(), mode="markers",
        marker={"color": look.color, "size": 5, "opacity": 0.5},
        hovertemplate="borrows from %{x:,}; the closest is %{y:.3g} away<extra></extra>",
    )
    exposed = scatter(
        x=[int(sizes[found.record])], y=[float(closest[found.record])], mode="markers",
        cliponaxis=False, marker={"color": FAILURE, "size": 14, "symbol": "triangle-up"},
        hovertemplate="the most exposed record<extra></extra>",
    )
    return figure(
        [*lines, marks, exposed], 380,
        title=titled("Distance to the closest other record",
                     "with tails cut off" if found.coded else "in the original"),
        xaxis={**GRID, "range": [0, right], "title": {
            "text": "records that a record can borrow from", "standoff": 6}},
        yaxis={**GRID, "range": [0, top]},
    )


def neighbourhood_table(found: Neighbourhood) -> pd.DataFrame:
    return pd.DataFrame({"records to borrow from": found.sizes, "closest": found.closest})

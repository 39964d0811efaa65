"""How far off swapped tables are over many runs: a box a swap rate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.colour_scale import scale_for
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    SHADES,
    Trace,
    faded,
    figure,
    safe_label,
    scatter,
)
from sdc_core.questions.swapping_changes.compute import Demonstration, Runs
from sdc_core.words.numbers import percent, sensible, signed_text


def change_bars(found: Demonstration, dark: bool) -> go.Figure:
    """How many more or fewer dwellings count as owned in each county, in this release, and as a
    hollow mark on average over all releases; sorted by the average, gains to the right."""
    counties = found.table.domain.features[0].labels
    shape = found.table.domain.shape
    change = (found.released - found.table.counts).reshape(shape)[:, 0]
    usual = found.mechanism.bias(found.table).reshape(shape)[:, 0]
    order = np.argsort(-usual, kind="stable")
    names = [safe_label(counties[i]) for i in order]
    largest = max(float(np.abs(change).max()), float(np.abs(usual).max()), 1.0)
    scale = scale_for("signed", largest, dark)
    fewer, more = scale.stops[0], scale.stops[-1]
    texts = [signed_text(float(change[i])) for i in order]
    return figure(
        [
            {
                "type": "bar", "orientation": "h", "x": [int(change[i]) for i in order],
                "y": names, "name": "this release", "customdata": texts,
                "marker": {"color": [more if change[i] > 0 else fewer for i in order]},
                "hovertemplate": "%{y}: %{customdata} owned in this release<extra></extra>",
            },
            scatter(  # beyond bar and mark, whichever reaches further
                x=[_further(float(change[i]), float(usual[i])) for i in order], y=names,
                mode="text", showlegend=False, text=[f"\u2003{text}\u2003" for text in texts],
                textposition=[f"middle {'right' if change[i] >= 0 else 'left'}" for i in order],
                textfont={"size": 12}, hoverinfo="skip", cliponaxis=False,
            ),
            scatter(
                x=[float(usual[i]) for i in order], y=names, mode="markers",
                name="on average over releases",
                marker={"symbol": "diamond-open", "size": 9, "color": MUTED, "line": {"width": 2}},
                customdata=[signed_text(float(usual[i])) for i in order],
                hovertemplate="%{y}: %{customdata} owned on average over releases<extra></extra>",
            ),
        ],
        96 + 22 * len(names), bargap=0.3, showlegend=True,
        margin={"l": 8, "r": 12, "t": 30, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        xaxis={**GRID, "range": [-1.25 * largest, 1.25 * largest], "zeroline": True,
               "tickformat": ",",
               "title": {"text": "Owned dwellings, after minus before", "standoff": 6}},
        yaxis={**GRID, "type": "category", "categoryorder": "array", "categoryarray": names[::-1],
               "showgrid": False},
    )


def _further(change: float, usual: float) -> float:
    """The end of a row's bar, or its mark if that lies beyond on the same side."""
    return max(change, usual) if change >= 0 else min(change, usual)


def change_frame(found: Demonstration) -> pd.DataFrame:
    counties = found.table.domain.features[0].labels
    shape = found.table.domain.shape
    return pd.DataFrame({
        "county": counties,
        "owned, change in this release": (found.released - found.table.counts).reshape(shape)[:, 0],
        "owned, change on average": found.mechanism.bias(found.table).reshape(shape)[:, 0],
    })


def error_boxes(runs: Runs, rates: Sequence[float], printed: Mapping[float, float]) -> go.Figure:
    """Percentage error at each swap rate: a box over the runs, every run a mark in it, the
    mean dashed and written above.

    `printed` are errors of releases that a paper prints, drawn as diamonds.
    """
    names = [percent(rate) for rate in rates]
    color = SHADES["sdc"][0]
    traces: list[Trace] = []
    labels = []
    for rate, name in zip(rates, names, strict=True):
        values = list(runs.get(rate, ()))
        if not values:
            continue
        traces.append(
            {
                "type": "box", "x": [name] * len(values), "y": values, "name": name,
                "boxmean": True, "boxpoints": "all", "jitter": 0.5, "pointpos": 0, "width": 0.5,
                "fillcolor": faded(color, 0.22), "line": {"color": color, "width": 1.6},
                "marker": {"color": color, "size": 4, "opacity": 0.75},
                "hovertemplate": f"swap rate {name}<br>off by %{{y:.3f}}%<extra></extra>",
            }
        )
        labels.append(
            {
                "x": name, "y": math.log10(max(*values, 1e-3)), "showarrow": False, "yshift": 14,
                "text": f"{sensible(float(np.mean(values)))}%", "font": {"size": 13},
            }
        )
    if printed:
        traces.append(
            scatter(
                x=[percent(rate) for rate in printed], y=list(printed.values()),
                mode="markers", marker={"symbol": "diamond-open", "size": 12, "color": MUTED,
                                        "line": {"width": 2}},
                hovertemplate="printed in the slides (matched on household size)"
                "<br>off by %{y:.3f}%<extra></extra>",
            )
        )
    found = [v for values in runs.values() for v in values if v > 0]
    ticks = [t for d in (0.1, 1.0, 10.0) for t in (d, 2 * d, 5 * d)]
    low, high = (min(found) / 1.6, max(found) * 1.9) if found else (0.1, 50.0)
    return figure(
        traces, 340, annotations=labels, margin={"l": 8, "r": 12, "t": 12, "b": 8},
        xaxis={
            **GRID, "type": "category", "categoryorder": "array", "categoryarray": names,
            "range": [-0.6, len(names) - 0.4], "showgrid": False,
            "title": {"text": "Swap rate (share of dwellings)", "standoff": 6},
        },
        yaxis={
            **GRID, "type": "log", "tickvals": ticks, "ticktext": [f"{t:g}%" for t in ticks],
            "range": [math.log10(low), math.log10(high)],
            "title": {"text": "A count is off by, on average"},
        },
    )


def error_frame(runs: Runs) -> pd.DataFrame:
    """Every run as a row."""
    rows = [
        {"swap rate": rate, "run": run + 1, "mean absolute percentage error": value}
        for rate, values in sorted(runs.items())
        for run, value in enumerate(values)
    ]
    return pd.DataFrame(rows)

"""Error against the share of empty groups: zeros added, ε moved, features added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.axes import LEGEND_BELOW, parameter_axis
from sdc_core.figures.contrast import ink
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    MUTED_TEXT,
    Style,
    Trace,
    faded,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import (
    Crossing,
    CrossingByEpsilon,
    ErrorLine,
    Marginals,
    MarginalTable,
    Measure,
    Sparsity,
    empty_groups,
)
from sdc_core.parameters import EPSILON
from sdc_core.questions.sparsity.words import told_apart
from sdc_core.words.groups import people_word

MEASURES: dict[Measure, tuple[str, str]] = {
    "l1_bias": ("Systematic error, empty groups included", "‖bias‖₁, people"),
    "l1_error": ("Error of a release, empty groups included", "E‖x̃ − x‖₁, people"),
}
_WIDEST = 0.9  # share of empty groups at the right end: beyond, every line that rises rises steeply
_SHARES = tuple(float(s) for s in np.linspace(0.0, 0.98, 99))
_PERCENT: dict[str, Any] = {"tickformat": ".0%", "zeroline": False}


def added_zeros(found: Sparsity) -> go.Figure:
    """Each method's error with the same people and more and more empty groups (Das,
    Tajeddine and Fioretto, Figure 4)."""
    looks = styles([line.mechanism for line in found.lines])
    right = min(0.98, max(_WIDEST, found.share + 0.03))
    traces = [
        _line(line, look, right) for line, look in zip(found.lines, looks, strict=True)
    ]
    top = 1.08 * max((line.at_share(right) for line in found.lines), default=1.0)
    level = max((line.at_share(0.0) for line in found.lines), default=1.0)
    marks = [line.at(found.empty) for line in found.lines]
    top = min(top, max(1.6 * max(marks, default=1.0), 1.6 * level, *_crossing_height(found)))
    traces.append(_vertical(found.share, top))
    traces += [
        _dot(found.share, y, look) for y, look in zip(marks, looks, strict=True)
    ]
    meets = found.crossing.share if found.crossing else math.nan
    here, there = told_apart(found.share, meets)
    notes = [_note(found.share, top, f"this table, {here}")]
    if found.pair and found.crossing and 0 < meets <= right:
        height = found.pair[0].at(found.crossing.empty)
        traces.append(_ring(meets, height))
        notes.append(_crossing_note(meets, height, there))
    return figure(
        traces, 430, title=_titled(found), showlegend=True, legend=LEGEND_BELOW,
        annotations=notes,
        xaxis={
            **GRID, **_PERCENT, "range": [0, right],
            "title": {"text": "share of groups that are empty", "standoff": 6},
        },
        yaxis={
            **GRID, "range": [0, top if top > 0 else 1], "zeroline": False,
            "separatethousands": True,
        },
    )


def _titled(found: Sparsity | Marginals) -> dict[str, Any]:
    """What the error is called, with its unit."""
    title, unit = MEASURES[found.measure]
    return titled(title, unit.replace("people", people_word(found.weighted)))


def _line(line: ErrorLine, look: Style, right: float) -> Trace:
    label = safe_label(line.mechanism.plain_label())
    shares = [s for s in _SHARES if s < right] + [right]
    empty = [empty_groups(s, line.people) for s in shares]
    return scatter(
        x=shares, y=[line.at(z) for z in empty], mode="lines", name=in_legend(label),
        text=[
            f"({round(z):,} groups)<br>{line.at(z):,.4g} {people_word(line.weighted)}: "
            f"{line.occupied:,.4g} in groups that have people, {z * line.per_empty:,.4g} in empty "
            "ones" for z in empty
        ],
        line={"color": look.color, "dash": look.dash, "width": 2.6},
        hovertemplate=f"{label}<br>%{{x:.0%}} empty %{{text}}<extra></extra>",
    )


def _crossing_height(found: Sparsity) -> list[float]:
    if found.pair is None or found.crossing is None or not found.crossing.share > 0:
        return []
    return [1.25 * found.pair[0].at(found.crossing.empty)] if found.crossing.share < 0.95 else []


def _vertical(share: float, top: float) -> Trace:
    return scatter(
        x=[share, share], y=[0, top], mode="lines", showlegend=False, hoverinfo="skip",
        line={"color": MUTED, "width": 1.2, "dash": "dot"},
    )


def _dot(share: float, height: float, look: Style) -> Trace:
    return scatter(
        x=[share], y=[height], mode="markers", showlegend=False, hoverinfo="skip",
        marker={"color": look.color, "size": 9, "symbol": look.symbol},
    )


def _ring(share: float, height: float) -> Trace:
    return scatter(
        x=[share], y=[height], mode="markers", showlegend=False,
        marker={"color": "rgba(0,0,0,0)", "size": 15, "line": {"color": MUTED, "width": 2.2}},
        hovertemplate="equal at %{x:.1%} empty<extra></extra>",
    )


def _note(share: float, top: float, text: str) -> dict[str, Any]:
    left = share > 0.5
    return {
        "x": share, "y": top, "text": text, "showarrow": False, "yanchor": "top",
        "xanchor": "right" if left else "left", "xshift": -5 if left else 5,
        "font": {"size": 12, "color": MUTED_TEXT},
    }


def _crossing_note(share: float, height: float, said: str) -> dict[str, Any]:
    return {
        "x": share, "y": height, "text": f"<b>equal at {said}</b>", "showarrow": False,
        "yanchor": "top", "yshift": -10, "xanchor": "center" if share > 0.2 else "left",
        "font": {"size": 12},
    }


def added_zeros_table(found: Sparsity) -> pd.DataFrame:
    """Error at round shares of empty groups and at the present one: for each method in all groups,
    in those that have people and in empty ones."""
    round_shares = [i / 10 for i in range(10) if i / 10 != found.share]
    points = sorted([
        *((share, empty_groups(share, found.people)) for share in round_shares),
        (found.share, float(found.empty)),
    ])
    rows = []
    for share, empty in points:
        row: dict[str, Any] = {
            "share empty": round(share, 4), "empty groups": round(empty, 1),
            "this table": "yes" if share == found.share else "",
        }
        for i, line in enumerate(found.lines):
            row |= _parts(i, line.mechanism, line.at(empty), line.occupied)
        rows.append(row)
    return pd.DataFrame(rows)


def crossing_chart(found: CrossingByEpsilon) -> go.Figure:
    """Between which shares of empty groups is the first method better, for every ε?"""
    first, second = styles([found.first, found.second])
    between = [c.better_between() for c in found.crossings.points]
    low, high = zip(*between, strict=True)
    name = safe_label(found.first.plain)
    xs = list(found.crossings.values)
    traces = [
        scatter(x=xs, y=list(low), mode="lines", line={"width": 0}, hoverinfo="skip"),
        scatter(
            x=xs, y=list(high), mode="lines", fill="tonexty", name=name,
            fillcolor=faded(first.color, 0.14), line={"color": first.color, "width": 2.6},
            text=[_better_where(*one) for one in between],
            hovertemplate=f"ε = %{{x:.3g}}: {name} %{{text}}<extra></extra>",
        ),
        scatter(
            x=[xs[0], xs[-1]], y=[found.share] * 2, mode="lines", hoverinfo="skip",
            line={"color": MUTED, "width": 1.2, "dash": "dot"},
        ),
    ]
    here = found.crossings.here
    if here is not None and xs[0] <= here <= xs[-1]:
        traces.append(_dot_at(here, found.share, first))
    return figure(
        traces, 430,
        title=titled("Who has less error, at which ε?", "share of groups that are empty"),
        annotations=[
            *_area_name(found.crossings.points, True, f"{name}<br>has less", first.color),
            *_area_name(found.crossings.points, False,
                        f"{safe_label(found.second.plain)}<br>has less", second.color),
        ],
        xaxis=parameter_axis(EPSILON), yaxis={**GRID, **_PERCENT, "range": [0, 1.0]},
    )


def _better_where(low: float, high: float) -> str:
    """Where the first method has less error, where one points."""
    if low >= high:
        return "has less error nowhere"
    if low == 0:
        return f"has less error up to {high:.0%} empty"
    return f"has less error from {low:.0%} empty on"


def _dot_at(x: float, y: float, look: Style) -> Trace:
    return scatter(
        x=[x], y=[y], mode="markers", marker={"color": look.color, "size": 11},
        hovertemplate="this table at ε = %{x:.3g}: %{y:.0%} empty<extra></extra>",
    )


# Corners of the chart (shares of its width and height), those where most charts have room first.
_CORNERS = ((0.97, 0.04), (0.97, 0.96), (0.03, 0.04), (0.03, 0.96))


def _area_name(
    crossings: Sequence[Crossing], better: bool, text: str, color: str
) -> list[dict[str, Any]]:
    """The name of an area in a corner that belongs to it: the first method's where it is better,
    else the second's. An area without a corner has no name."""
    for x, y in _CORNERS if better else _CORNERS[::-1]:
        one = crossings[-1 if x > 0.5 else 0]
        low, high = one.better_between()
        if one.kind != "equal" and (low < y < high) == better:
            side = "right" if x > 0.5 else "left"
            return [{
                "xref": "paper", "yref": "paper", "x": x, "y": y, "text": text, "showarrow": False,
                "xanchor": side, "yanchor": "bottom" if y < 0.5 else "top", "align": side,
                "font": {"size": 12, "color": ink(color)},
            }]
    return []


def crossing_table(found: CrossingByEpsilon) -> pd.DataFrame:
    rows = []
    for epsilon, one in zip(found.crossings.values, found.crossings.points, strict=True):
        low, high = one.better_between()
        rows.append(
            {"epsilon": epsilon, "first is better from share": low, "to share": high,
             "kind": one.kind, "crossing, empty groups": one.empty}
        )
    return pd.DataFrame(rows)


def marginal_chart(found: Marginals) -> go.Figure:
    """Every way of counting the same people as a mark; the path that adds a feature at a time as a
    line."""
    looks = styles(found.mechanisms)
    traces: list[Trace] = []
    for i, (mechanism, look) in enumerate(zip(found.mechanisms, looks, strict=True)):
        label = safe_label(mechanism.plain_label())
        traces += [
            _marks(found, i, label, look), _path(found, i, label, look)
        ]
    return figure(
        traces, 430, title=_titled(found), showlegend=True, legend=LEGEND_BELOW,
        annotations=_path_names(found),
        xaxis={
            **GRID, **_PERCENT, "rangemode": "tozero",
            "title": {"text": "share of groups that are empty", "standoff": 6},
        },
        yaxis={**GRID, "rangemode": "tozero", "separatethousands": True},
    )


def _marks(found: Marginals, i: int, label: str, look: Style) -> Trace:
    known = [t for t in found.tables if t.errors[i] is not None]
    return scatter(
        x=[t.share for t in known], y=[t.errors[i] for t in known], mode="markers",
        showlegend=False, legendgroup=label, text=[_described(t, i, found.weighted) for t in known],
        marker={"color": look.color, "symbol": look.symbol, "size": 7, "opacity": 0.4},
        hovertemplate=f"{label}<br>%{{text}}<extra></extra>",
    )


def _path(found: Marginals, i: int, label: str, look: Style) -> Trace:
    known = [t for t in found.path if t.errors[i] is not None]
    return scatter(
        x=[t.share for t in known], y=[t.errors[i] for t in known], mode="lines+markers",
        name=in_legend(label), legendgroup=label,
        text=[_described(t, i, found.weighted) for t in known],
        line={"color": look.color, "dash": look.dash, "width": 2.2},
        marker={"color": look.color, "symbol": look.symbol, "size": 9},
        hovertemplate=f"{label}<br>%{{text}}<extra></extra>",
    )


def _described(table: MarginalTable, i: int, weighted: bool) -> str:
    whole, people = table.errors[i] or 0.0, table.people_errors[i] or 0.0
    return (
        f"{safe_label(table.title)}<br>{table.empty:,} of {table.groups:,} groups empty<br>"
        f"{whole:,.4g} {people_word(weighted)}: {people:,.4g} in groups that have people, "
        f"{whole - people:,.4g} in empty ones"
    )


def _path_names(found: Marginals) -> list[dict[str, Any]]:
    """How many features, above the highest mark of each step that has room for it."""
    names: list[dict[str, Any]] = []
    for table in found.path:
        heights = [e for e in table.errors if e is not None]
        if not heights or any(abs(n["x"] - table.share) < 0.05 for n in names):
            continue
        features = len(table.names)
        names.append(
            {"x": table.share, "y": max(heights), "yanchor": "bottom", "yshift": 8,
             "text": f"{features} feature{'s' if features > 1 else ''}", "showarrow": False,
             "font": {"size": 12, "color": MUTED_TEXT}}
        )
    return names


def marginal_frame(found: Marginals) -> pd.DataFrame:
    rows = []
    for table in found.tables:
        row: dict[str, Any] = {
            "counted by": table.title, "features": len(table.names), "groups": table.groups,
            "empty": table.empty, "share empty": table.share,
        }
        for i, mechanism in enumerate(found.mechanisms):
            row |= _parts(i, mechanism, table.errors[i], table.people_errors[i])
        rows.append(row)
    return pd.DataFrame(rows)


def _parts(
    i: int, mechanism: Mechanism, whole: float | None, people: float | None
) -> dict[str, float | None]:
    """A method's columns: the error in all groups and its two parts."""
    name = f"{i + 1}. {mechanism.label()}"
    nobody = None if whole is None or people is None else whole - people
    return {name: whole, f"where people are, {name}": people, f"in empty groups, {name}": nobody}

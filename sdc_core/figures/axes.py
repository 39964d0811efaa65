"""Axes and lines that several charts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdc_core.figures.theme import EPSILON_TICKS, GRID, Style, Trace, safe_label, scatter
from sdc_core.parameters import Real

LEGEND_BELOW: dict[str, Any] = {"orientation": "h", "y": -0.2, "x": 0, "yanchor": "top"}


def parameter_axis(param: Real) -> dict[str, Any]:
    """The axis of a chart along a parameter: its range, its scale, its title."""
    low, high = param.range
    return {
        **GRID, "type": "log" if param.log else "linear",
        "range": [float(np.log10(low)), float(np.log10(high))] if param.log else [low, high],
        "tickvals": [t for t in EPSILON_TICKS if low <= t <= high] if param.log else None,
        "title": {"text": safe_label(param.axis_title), "standoff": 6},
        "tickformat": ".0%" if param.percent else None,
    }


def value_format(param: Real) -> str:
    """How a value of the parameter is written where one points."""
    return ".0%" if param.percent else ".3g"


def mark_here(
    here: float | None, xs: Sequence[float], ys: Sequence[float], look: Style
) -> list[Trace]:
    """The mark at the present setting, on the line; nothing for a line without the parameter."""
    if here is None:
        return []
    return [scatter(
        x=[here], y=[float(np.interp(here, xs, ys))], mode="markers", showlegend=False,
        hoverinfo="skip", cliponaxis=False,
        marker={"color": look.color, "size": 10, "symbol": look.symbol},
    )]


def band(
    xs: Sequence[float], low: Sequence[float], high: Sequence[float], fill: str
) -> Trace:
    """The space between two lines."""
    return scatter(
        x=[*xs, *reversed(xs)], y=[*high, *reversed(low)], fill="toself", mode="lines",
        line={"width": 0}, fillcolor=fill, hoverinfo="skip", showlegend=False,
    )

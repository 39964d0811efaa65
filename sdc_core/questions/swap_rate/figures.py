"""ε against the swap rate: one V-shaped curve for each size of the largest group.

On the scale of log-odds both arms are straight lines. The falling arm depends on the group size,
the rising arm, ln o, is the same for all; where they meet is the smallest ε that size can have.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink, ink_on
from sdc_core.figures.theme import GRID, SHADES, Trace, figure, scatter
from sdc_core.privacy.swap_rate import (
    SwapRateEpsilon,
    epsilon_to_swap_rates,
    smallest_epsilon,
    swap_rate_to_epsilon,
)
from sdc_core.questions.swap_rate.words import rate_text
from sdc_core.words.numbers import sensible

STRATUM_SIZES = (2, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)

_SIZE_NAMES = ("2", "10", "100", "1k", "10k", "100k", "1M", "10M")
# One hue from light to dark, each legible on white and on near-black.
_SHADES = (
    "#F0B877", "#EBA75C", "#E59645", "#DD8533", "#D07526", "#BF661D", "#AC5817", "#984B13",
)
_OWN = SHADES["sdc"][1]
_WANTED = SHADES["dp"][0]

_LOWEST, _HIGHEST = 0.001, 0.9999  # the right end shows the turning point of the largest size
_TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
_LEFT, _RIGHT = -3.0, 4.45  # where horizontal lines begin and end, in log10 odds
_NOTE_LEFT, _NOTE_TOP = 1.75, 3.6  # the room under the rising arm, where a note stands
_POINTS = 141
_HEIGHT = 500


def swap_rate_table(stratum_size: int, rate: float, wanted: float) -> pd.DataFrame:
    """Every curve of the chart as rows, the user's own table first."""
    own = _curve(stratum_size)
    marked = [("swap rate chosen", swap_rate_to_epsilon(rate, stratum_size))]
    for crossing in epsilon_to_swap_rates(wanted, stratum_size).rates:
        marked.append(("wanted epsilon", swap_rate_to_epsilon(crossing, stratum_size)))
    rows = [_row(point, what) for what, point in marked]
    rows += [_row(point, "this table") for point in own]
    rows += [_row(point, "example") for size in STRATUM_SIZES for point in _curve(size)]
    return pd.DataFrame(rows)


def swap_rate_curves(stratum_size: int, rate: float, wanted: float) -> go.Figure:
    """The theorem thin and dotted for a range of sizes; the user's own size thick and exact."""
    own = _curve(stratum_size)
    top = max(25.0, own[0].theorem + 1.5, wanted + 2)
    traces = [_example(size, shade) for size, shade in zip(STRATUM_SIZES, _SHADES, strict=True)]
    traces += [_size_names(), _dots(), *_own_curve(own)]
    traces += _wanted_line(stratum_size, wanted)
    traces.append(_own_point(swap_rate_to_epsilon(rate, stratum_size)))
    return figure(
        traces, _HEIGHT, margin={"l": 8, "r": 8, "t": 26, "b": 8},
        annotations=[
            *_facts(wanted, top), *_crossing_names(stratum_size, wanted),
            _wanted_tag(stratum_size, wanted), _own_tag(swap_rate_to_epsilon(rate, stratum_size)),
        ],
        xaxis={
            **GRID, "title": {"text": "Swap rate, % of the group", "standoff": 6},
            "tickvals": [_odds(p) for p in _TICKS], "ticktext": [f"{100 * p:g}" for p in _TICKS],
            "tickangle": 0, "range": [-3.8, _RIGHT], "zeroline": False,
        },
        yaxis={**GRID, "title": {"text": "ε, per unit of distance"}, "range": [-0.6, top]},
    )


def _odds(rate: float) -> float:
    """Where a swap rate stands on the axis: log10 of its odds."""
    return math.log10(rate) - math.log10(1 - rate)


def _turning(stratum_size: int) -> float:
    """The swap rate at which the arms meet."""
    return epsilon_to_swap_rates(smallest_epsilon(stratum_size), stratum_size).rate_at_smallest


def _curve(stratum_size: int) -> list[SwapRateEpsilon]:
    """Points along a curve, the turning points among them so that each V has its tip."""
    log_odds = np.linspace(_odds(_LOWEST), _odds(_HIGHEST), _POINTS)
    rates = {float(r) for r in 1 / (1 + 10.0**-log_odds)}
    found = epsilon_to_swap_rates(smallest_epsilon(stratum_size), stratum_size)
    tips = (found.rate_at_smallest, found.rate_at_smallest_exact)
    rates |= {tip for tip in tips if _LOWEST < tip < _HIGHEST}
    return [swap_rate_to_epsilon(r, stratum_size) for r in sorted(rates)]


def _row(point: SwapRateEpsilon, what: str) -> dict[str, Any]:
    return {
        "what": what, "stratum size": point.stratum_size, "swap rate": point.rate,
        "epsilon, theorem": point.theorem, "epsilon, exact worst case": point.exact,
    }


def _hover(points: list[SwapRateEpsilon]) -> dict[str, Any]:
    return {
        "customdata": [
            (f"{p.stratum_size:,}", rate_text(p.rate), f"{p.theorem:.2f}", f"{p.exact:.2f}")
            for p in points
        ],
        "hovertemplate": "largest group: %{customdata[0]}<br>swap rate: %{customdata[1]}<br>"
                         "ε, theorem: %{customdata[2]}<br>ε, exact worst case: %{customdata[3]}"
                         "<extra></extra>",
    }


def _example(size: int, shade: str) -> Trace:
    points = _curve(size)
    return scatter(
        x=[_odds(p.rate) for p in points], y=[p.theorem for p in points], mode="lines",
        name=f"b = {size:,}", line={"color": shade, "width": 1.5, "dash": "dot"}, **_hover(points),
    )


def _size_names() -> Trace:
    return scatter(
        x=[_odds(_LOWEST) - 0.06] * len(STRATUM_SIZES),
        y=[swap_rate_to_epsilon(_LOWEST, size).theorem for size in STRATUM_SIZES],
        mode="text", text=list(_SIZE_NAMES), textposition="middle left", name="group sizes",
        textfont={"size": 12}, hoverinfo="skip",
    )


def _dots() -> Trace:
    points = [swap_rate_to_epsilon(_turning(size), size) for size in STRATUM_SIZES]
    return scatter(
        x=[_odds(p.rate) for p in points], y=[p.theorem for p in points], mode="markers",
        name="smallest ε of each size", marker={"color": list(_SHADES), "size": 8},
        **_hover(points),
    )


def _own_curve(points: list[SwapRateEpsilon]) -> list[Trace]:
    xs = [_odds(p.rate) for p in points]
    size = points[0].stratum_size
    traces = [
        scatter(
            x=xs, y=[p.exact for p in points], mode="lines", name="this table, exact worst case",
            line={"color": _OWN, "width": 3.4}, **_hover(points),
        ),
        scatter(
            x=xs, y=[p.theorem for p in points], mode="lines", name="this table, theorem",
            line={"color": _OWN, "width": 1.5, "dash": "dot"}, **_hover(points),
        ),
    ]
    if size > 1:
        lowest = swap_rate_to_epsilon(_turning(size), size)
        traces.append(
            scatter(
                x=[_odds(lowest.rate)], y=[lowest.theorem], mode="markers",
                name="smallest ε of this table", marker={"color": _OWN, "size": 11},
                **_hover([lowest]),
            )
        )
        least = epsilon_to_swap_rates(0.0, size)
        tip = swap_rate_to_epsilon(least.rate_at_smallest_exact, size)
        traces.append(
            scatter(
                x=[_odds(tip.rate)], y=[least.smallest_exact], mode="markers",
                name="smallest ε of this table, exact",
                marker={"color": _OWN, "size": 9, "symbol": "circle-open"}, **_hover([tip]),
            )
        )
    return traces


def _wanted_line(stratum_size: int, wanted: float) -> list[Trace]:
    points = _crossings(stratum_size, wanted)
    return [
        scatter(
            x=[_LEFT, _RIGHT if wanted > _NOTE_TOP else _NOTE_LEFT - 0.15], y=[wanted, wanted],
            mode="lines", name="wanted ε",
            hoverinfo="skip", line={"color": _WANTED, "width": 1.6},
        ),
        scatter(
            x=[_odds(p.rate) for p in points], y=[wanted] * len(points), mode="markers",
            name="swap rates with the wanted ε", marker={"color": _WANTED, "size": 11},
            **_hover(points),
        ),
    ]


def _crossings(stratum_size: int, wanted: float) -> list[SwapRateEpsilon]:
    """Where the wanted ε meets the user's own curve, on the part of it that is shown."""
    rates = epsilon_to_swap_rates(wanted, stratum_size).rates
    return [swap_rate_to_epsilon(r, stratum_size) for r in rates if _LOWEST <= r <= _HIGHEST]


def _crossing_names(stratum_size: int, wanted: float) -> list[dict[str, Any]]:
    """The swap rates at the crossings, on the side that the user's own curve leaves free."""
    turning = smallest_epsilon(stratum_size) / math.log(10)
    names = []
    for point in _crossings(stratum_size, wanted):
        x = _odds(point.rate)
        place: dict[str, Any] = {"x": x, "xanchor": "right", "xshift": -4}
        if x > turning:
            near_the_edge = x > _RIGHT - 0.92  # less room than the words need on a phone
            place = {"x": _RIGHT, "xanchor": "right"} if near_the_edge else {
                "x": x, "xanchor": "left", "xshift": -2}
        names.append(
            {**place, "y": wanted, "yanchor": "top", "yshift": -6, "showarrow": False,
             "text": f"<b>{rate_text(point.rate)}</b>", "font": {"color": ink(_WANTED), "size": 12}}
        )
    return names


def _own_point(point: SwapRateEpsilon) -> Trace:
    return scatter(
        x=[_odds(point.rate)], y=[point.theorem], mode="markers", name="this table at this rate",
        marker={"color": _OWN, "size": 14, "symbol": "diamond",
                "line": {"color": "white", "width": 1.5}},
        **_hover([point]),
    )


def _own_tag(point: SwapRateEpsilon) -> dict[str, Any]:
    """The user's point in words, on a ground of its own since it stands among other lines."""
    left = _odds(point.rate) < 1.2
    return {
        **_tag(_OWN), "x": _odds(point.rate), "y": point.theorem, "showarrow": True,
        "arrowhead": 0, "arrowwidth": 1.2, "arrowcolor": _OWN, "standoff": 8, "align": "left",
        "ax": 14 if left else -14, "ay": -44, "xanchor": "left" if left else "right",
        "text": f"this table<br>{rate_text(point.rate)}: ε = {sensible(point.theorem)}",
    }


def _wanted_tag(stratum_size: int, wanted: float) -> dict[str, Any]:
    found = epsilon_to_swap_rates(wanted, stratum_size)
    text = f"wanted: ε = {sensible(wanted)}"
    place: dict[str, Any] = {"x": _LEFT, "xanchor": "left"}
    if not found.reachable_by_theorem:
        reached = wanted >= found.smallest_exact
        whose = "the theorem's " if reached else ""
        text = f"ε = {sensible(wanted)}: out of {whose}reach"
    elif found.rates[1] > _HIGHEST:
        text += f", also at {rate_text(found.rates[1])} →"
        place = {"x": _RIGHT, "xanchor": "right"}
    else:  # in the middle of the rates that do at least as well
        low, high = (_odds(min(max(r, _LOWEST), _HIGHEST)) for r in found.rates)
        place = {"x": (low + high) / 2, "xanchor": "center"}
    return {**_tag(_WANTED), **place, "y": wanted, "showarrow": False, "text": text}


def _tag(color: str) -> dict[str, Any]:
    return {"bgcolor": color, "borderpad": 3, "font": {"color": ink_on(color), "size": 12}}


def _facts(wanted: float, top: float) -> list[dict[str, Any]]:
    """The three facts that surprise, each where the curves leave room and show it."""
    words: dict[str, Any] = {"showarrow": False, "font": {"size": 12}, "align": "left",
                             "xanchor": "left"}
    above = max(wanted + 1, 12.2) if wanted < 15 else 11.8
    return [
        {**words, "x": 0, "xref": "paper", "y": 1, "yref": "paper", "yanchor": "bottom",
         "text": "Largest group, b"},
        {**words, "x": -1.2, "y": top - 0.5, "yanchor": "top",
         "text": "Left of the dots,<br>larger groups have a <b>larger</b> ε"},
        {**words, "x": _RIGHT, "xanchor": "right", "align": "right", "y": above,
         "yanchor": "bottom", "text": "Every larger ε<br>is reached by<br><b>two</b> swap rates"},
        {**words, "x": _NOTE_LEFT, "y": 0.1, "yanchor": "bottom",
         "text": "Dots: for each<br>size, a <b>smallest</b><br>ε exists"},
    ]

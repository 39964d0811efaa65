"""Maps of where each method hurts: filled outlines on plain axes, so they draw without a network,
print sharp and export as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from sdc_core.figures.colour_scale import Kind, Scale, scale_for
from sdc_core.figures.contrast import ink_on
from sdc_core.figures.map_labels import labels
from sdc_core.figures.map_layout import WIDTH, Sheet
from sdc_core.figures.theme import Trace, figure, safe_label, scatter
from sdc_core.metrics.areas import AreaComparison
from sdc_core.questions.map.places import hover_texts, unit_text
from sdc_core.words.numbers import signed_text, size_text

_PIXELS = 0.48  # of a sheet unit, where a laptop's screen shows two maps beside the sidebar
_OF_THREE = 0.32  # and where it shows three
_TALLEST = 720  # pixels of a map of two in a row: of a taller one too little would be seen at once
_HEAD = 90
_CLICKS = "places"
_BORDER = "#7A808A"
_INK = ("#1C2330", "#E8EBF0")  # on a light and on a dark page
_LAND = "rgba(128,128,128,0.10)"


def maps(
    comparison: AreaComparison, sheet: Sheet, dark: bool = False, pinned: str = ""
) -> list[go.Figure]:
    """One map a method on one colour scale, then, of two methods, their difference."""
    hover = dict(zip(comparison.area.values, hover_texts(comparison), strict=True))
    drawn = []
    words = comparison.words
    unit = unit_text(comparison)
    scale = method_scale(comparison, dark)
    for number, (one, values) in enumerate(
        zip(comparison.mechanisms, comparison.values, strict=True), start=1
    ):
        title = _heading(f"{number}. {one.plain_label()}", f"{words.title}, {unit}", dark)
        drawn.append(_map(comparison, sheet, values, scale, title, hover, dark, pinned))
    if len(comparison.values) == 2:
        note = f"{unit}; {_sides(comparison)}"
        title = _heading("Difference, 2 minus 1", note, dark)
        drawn.append(
            _map(comparison, sheet, comparison.difference, difference_scale(comparison, dark),
                 title, hover, dark, pinned)
        )
    return drawn


def method_scale(comparison: AreaComparison, dark: bool) -> Scale:
    """The scale that both methods share."""
    return scale_for("signed" if comparison.words.signed else "size", comparison.largest, dark)


def difference_scale(comparison: AreaComparison, dark: bool) -> Scale:
    """Red is where the second is worse, so higher and lower have the colours of too many and too
    few."""
    kind: Kind = "signed" if comparison.words.signed else "difference"
    return scale_for(kind, float(np.abs(comparison.difference).max()), dark)


def _sides(comparison: AreaComparison) -> str:
    is_ = "came out" if comparison.estimated else "is"  # some of it may be chance
    if comparison.words.signed:
        return f"green where 2 {is_} higher, purple where lower"
    return f"red where 2 {is_} worse, blue where better"


def _map(
    comparison: AreaComparison, sheet: Sheet, values: np.ndarray, scale: Scale,
    title: dict[str, Any], hover: dict[str, str], dark: bool, pinned: str,
) -> go.Figure:
    position = {code: i for i, code in enumerate(comparison.area.values)}
    colours = scale.colours(values)
    fills = [colours[position[area.code]] for area in sheet.areas]
    traces: list[Trace] = [_land(sheet)] if len(sheet.outline[0]) else []
    traces += [_filled(sheet, number, colour) for number, colour in enumerate(fills)]
    traces.append(_clickable(sheet, hover))
    signed = scale.kind != "size"
    texts = [
        signed_text(float(values[position[a.code]])) if signed
        else size_text(float(values[position[a.code]])) for a in sheet.areas
    ]
    names = [comparison.area.labels[position[a.code]] for a in sheet.areas]
    traces.append(_labels(sheet, names, texts, fills, dark))
    traces += [
        _outlined(sheet, number, dark) for number, a in enumerate(sheet.areas) if a.code == pinned
    ]
    traces.append(_colour_bar(scale, comparison))
    return figure(
        traces, map_height(sheet) + _HEAD,
        margin={"l": 4, "r": 4, "t": _HEAD - 4, "b": 4}, dragmode=False,
        xaxis={"range": [-6, WIDTH + 6], "visible": False, "fixedrange": True,
               "constrain": "domain"},
        yaxis={"range": [-8, sheet.height + 8], "visible": False, "fixedrange": True,
               "scaleanchor": "x", "scaleratio": 1, "constrain": "domain",
               "constraintoward": "top"},
        annotations=[title] + [
            {"x": x, "y": y, "text": safe_label(text).replace("\n", "<br>"), "showarrow": False,
             "yanchor": "bottom", "font": {"size": round(10 * _lettering(sheet))},
             "align": "center", "borderpad": 0}
            for x, y, text in sheet.titles
        ],
    )


def _heading(text: str, note: str, dark: bool) -> dict[str, Any]:
    """An annotation, since plotly moves a title out of sight when a colour bar is under it."""
    return {
        "text": f"<b>{safe_label(text)}</b><br><span style='font-size:12px'>{safe_label(note)}"
        "</span>",
        "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "top",
        "yshift": _HEAD - 10, "showarrow": False, "align": "left",
        "font": {"size": 14, "color": _INK[dark]},
    }


def _filled(sheet: Sheet, number: int, colour: str) -> Trace:
    x, y = sheet.filled[number]
    return {
        "type": "scatter", "x": x, "y": y, "mode": "lines", "fill": "toself",
        "name": sheet.areas[number].code, "fillcolor": colour,
        "line": {"color": _BORDER, "width": 0.7}, "hoverinfo": "skip",
    }


def _clickable(sheet: Sheet, hover: dict[str, str]) -> Trace:
    """Unseen points all over the areas: they carry the hover labels and take the clicks."""
    x, y, owners = sheet.clicks
    texts = [hover[area.code] for area in sheet.areas]
    unseen = {"marker": {"opacity": 0}}
    return {
        "type": "scatter", "x": x, "y": y, "mode": "markers", "name": _CLICKS,
        "text": [texts[owner] for owner in owners], "hoverinfo": "text",
        "marker": {"opacity": 0, "size": 14, "color": _BORDER},
        "selected": unseen, "unselected": unseen,
    }


def map_height(sheet: Sheet) -> int:
    """Pixels that a map on this sheet takes, without its heading."""
    return round(sheet.height * _scale(sheet))


def map_width(sheet: Sheet) -> float:
    """The share of a row: a tall sheet is drawn smaller, so that all maps are seen at once."""
    return 0.5 if _scale(sheet) == _PIXELS else 1 / 3


def list_width(sheet: Sheet, methods: int) -> float:
    """The share of a row that a list has beside the maps: what the last row of them leaves."""
    if map_width(sheet) == 0.5:
        return 0.5
    return 2 / 3 if methods == 1 else 1.0


def _lettering(sheet: Sheet) -> float:
    """How much smaller words are on a map that is."""
    return _scale(sheet) / _PIXELS


def _scale(sheet: Sheet) -> float:
    return _PIXELS if sheet.height * _PIXELS <= _TALLEST else _OF_THREE


def spare_on_a_phone(sheet: Sheet) -> int:
    """Pixels that a map's fixed height leaves empty where it is only as wide as a phone."""
    return max(0, round(sheet.height * (_scale(sheet) - 0.35)) - 24)


def clickable_codes(sheet: Sheet) -> tuple[str, ...]:
    """The code of the area that each point belongs to which can be clicked, in their order."""
    return tuple(sheet.areas[owner].code for owner in sheet.clicks[2])


def _land(sheet: Sheet) -> Trace:
    x, y = sheet.land
    return {
        "type": "scatter", "x": x, "y": y, "mode": "lines",
        "fill": "toself", "fillcolor": _LAND, "line": {"color": _BORDER, "width": 0.6},
        "hoverinfo": "skip", "name": "land",
    }


def _outlined(sheet: Sheet, number: int, dark: bool) -> Trace:
    x, y = sheet.filled[number]
    return {
        "type": "scatter", "x": x, "y": y, "mode": "lines", "hoverinfo": "skip", "name": "pinned",
        "line": {"color": _INK[dark], "width": 2.6},
    }


def _labels(
    sheet: Sheet, names: Sequence[str], texts: Sequence[str], fills: Sequence[str], dark: bool
) -> Trace:
    """Numbers and names, as far as there is room for them.

    A halo in the area's colour keeps words readable that reach over its border on a small screen.
    """
    placed = labels(sheet, tuple(names), max(len(text) for text in texts))
    shown = []
    for one in placed:
        lines = [safe_label(line) for line in one.words]
        shown.append("<br>".join([*lines, f"<b>{texts[one.area]}</b>"] if one.number else lines))
    grounds = ["" if one.side else fills[one.area] for one in placed]
    return scatter(
        x=[one.x for one in placed], y=[one.y for one in placed], mode="text",
        text=shown, hoverinfo="skip", name="labels",
        textposition=[f"middle {one.side or 'center'}" for one in placed],
        textfont={
            "size": [one.size * _lettering(sheet) for one in placed],
            "color": [ink_on(ground) if ground else _INK[dark] for ground in grounds],
            "shadow": [
                f"0 0 3px {ground}, 0 0 3px {ground}" if ground else "none" for ground in grounds
            ],
        },
    )


def _colour_bar(scale: Scale, comparison: AreaComparison) -> Trace:
    return {
        "type": "scatter", "x": [None], "y": [None], "mode": "markers", "hoverinfo": "skip",
        "name": "scale",
        "marker": {
            "color": [scale.low], "cmin": scale.low, "cmax": scale.high, "showscale": True,
            "colorscale": scale.plotly,
            "colorbar": {
                "orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom",
                "len": 0.72, "thickness": 9, "ypad": 6, "xpad": 4, "outlinewidth": 0.5,
                "outlinecolor": _BORDER, "nticks": 6, "ticks": "outside", "ticklen": 3,
                "tickfont": {"size": 11},
                "ticksuffix": "%" if comparison.words.unit.startswith("%") else "",
            },
        },
    }

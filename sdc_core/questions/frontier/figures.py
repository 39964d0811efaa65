"""The chart of risk against error, and its table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.theme import (
    GRID,
    MUTED,
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
from sdc_core.questions.frontier.compute import Mark, Path
from sdc_core.questions.frontier.pareto import Standing
from sdc_core.questions.frontier.words import STANDINGS, Found, amount, error_words
from sdc_core.words.evaluations import with_error
from sdc_core.words.guarantees import PromiseWord

FLOOR = 0.01  # people a group: what is less stands at the left edge
KEPT: tuple[PromiseWord, ...] = ("holds", "holds in part")  # promises that fill a mark
_SMALL, _LARGE, _RING = 8, 16, 15
_FAINT = 0.45
_BAND = "rgba(128,128,128,0.55)"
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_LEAST_TOP = 0.01  # of the risk axis: a thousandth must not fill the chart
_HEIGHT = 640  # on a phone the legend takes a good part of it


def frontier_chart(found: Found) -> go.Figure:
    """A mark a setting, faintly joined along each method; the present ones large; the frontier as
    a step line, a ring round what chance alone keeps from it."""
    drawn = list(dict.fromkeys(mark.path for mark in found.marks))
    looks = dict(zip(drawn, styles([path.base for path in drawn]), strict=True))
    places = _places(found)
    along: dict[Path, list[tuple[float, float]]] = {path: [] for path in drawn}
    for mark, place in zip(found.marks, places, strict=True):
        if not mark.slot:
            along[mark.path].append(place)
    traces = [
        *(_joined(path, along[path], looks[path]) for path in drawn),
        _step_line(found), _rings(found),
        *(_named(path, looks[path]) for path in drawn),
        _marks(found, places, [looks[m.path] for m in found.marks]),  # on top: it takes the clicks
    ]
    top = max([_LEAST_TOP, *(mark.what.success.advantage for mark in found.marks)])
    unit = error_words(found.everywhere)
    return figure(
        traces, _HEIGHT,
        title=titled(safe_label(found.said.axis), safe_label(
            f"To the right: off by so many {unit}")),
        showlegend=True, dragmode=False, margin={"l": 8, "r": 20, "t": 52, "b": 8},
        legend={"orientation": "h", "x": 0, "y": -0.1, "yanchor": "top", "font": {"size": 11}},
        xaxis=_error_axis([x for x, _ in places]),
        yaxis={**GRID, "range": [-0.03 * top, 1.05 * top], "fixedrange": True,
               "tickformat": ".0%" if top > 0.1 else ".1%"},
    )


def _places(found: Found) -> list[tuple[float, float]]:
    """Where each mark is drawn."""
    return [(max(place.error[0], FLOOR), place.risk[0]) for place in found.places]


def _error_axis(errors: Sequence[float]) -> dict[str, Any]:
    low, high = min(errors), max([1.0, *errors])
    ticks = [t for t in _TICKS if low <= t <= high]
    every = ticks if len(ticks) < 9 else [t for t in ticks if f"{t:g}".strip("0.") == "1"]
    return {
        **GRID, "type": "log", "fixedrange": True,
        "range": [math.log10(low) - 0.08, math.log10(high) + 0.08],
        "tickvals": every,
        "ticktext": [f"{t:g} or less" if t == FLOOR else f"{t:,g}" for t in every],
    }


def _line(places: Sequence[tuple[float, float]], **look: Any) -> Trace:
    return scatter(x=[x for x, _ in places], y=[y for _, y in places], hoverinfo="skip", **look)


def _joined(path: Path, places: Sequence[tuple[float, float]], look: Style) -> Trace:
    """The settings of one method in their order."""
    return _line(
        places, mode="lines", showlegend=False, name=f"path {path.base.name}",
        line={"color": faded(look.color, _FAINT), "width": 1.4, "dash": look.dash},
    )


def _standing_as(found: Found, wanted: str) -> list[tuple[float, float]]:
    return sorted({place for place, one in zip(_places(found), found.standing, strict=True)
                   if one == wanted})


def _step_line(found: Found) -> Trace:
    """From the least error to the least risk; between two settings, the risk of the left one can
    be had."""
    return _line(
        _standing_as(found, "on"), mode="lines", name="frontier: not beaten",
        line={"color": MUTED, "width": 2.2, "shape": "hv"},
    )


def _rings(found: Found) -> Trace:
    places = _standing_as(found, "within chance")
    return _line(
        places, mode="markers", name="within chance of it", showlegend=bool(places),
        marker={"symbol": "circle-open", "size": _RING, "color": MUTED, "line": {"width": 1.2}},
        cliponaxis=False,
    )


def _named(path: Path, look: Style) -> Trace:
    """A method in the legend, with its shape and line."""
    return scatter(
        x=[None], y=[None], mode="lines+markers", hoverinfo="skip",
        name=in_legend(safe_label(path.base.plain)),
        line={"color": look.color, "width": 1.4, "dash": look.dash},
        marker={"color": look.color, "symbol": look.symbol, "size": _SMALL},
    )


def _marks(
    found: Found, places: Sequence[tuple[float, float]], looks: Sequence[Style]
) -> Trace:
    """All settings in one trace: the place of a mark in it says which setting is clicked."""
    marks = found.marks
    shapes = [look.symbol if m.what.promise in KEPT else look.hollow
              for m, look in zip(marks, looks, strict=True)]
    spread = [2 * place.error[1] for place in found.places]
    bands = [mark.what.success.band for mark in marks]
    shown = {"marker": {"opacity": 1}}
    return {
        "type": "scatter", "mode": "markers", "showlegend": False, "cliponaxis": False,
        "name": "settings", "x": [x for x, _ in places], "y": [y for _, y in places],
        "marker": {
            "color": [look.color for look in looks], "symbol": shapes, "opacity": 1,
            "size": [_LARGE if m.slot else _SMALL for m in marks],
            "line": {"width": [1.5 if "open" in shape else 0 for shape in shapes]},
        },
        "selected": shown, "unselected": shown,
        "error_y": _spread([high - y for (_, high), (_, y) in zip(bands, places, strict=True)],
                           [y - low for (low, _), (_, y) in zip(bands, places, strict=True)]),
        "error_x": _spread(spread, [min(s, x - FLOOR) for s, (x, _) in zip(
            spread, places, strict=True)]),
        "text": [_pointed_at(found, i) for i in range(len(marks))],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _spread(up: Sequence[float], down: Sequence[float]) -> dict[str, Any]:
    return {"type": "data", "symmetric": False, "array": list(up), "arrayminus": list(down),
            "color": _BAND, "thickness": 1, "width": 0, "visible": any(up) or any(down)}


def _pointed_at(found: Found, number: int) -> str:
    mark = found.marks[number]
    return "<br>".join((
        f"<b>{mark.what.named}</b>",
        f"off by {with_error(*found.places[number].error)} {error_words(found.everywhere)}",
        f"{safe_label(found.said.gain)}: {amount(mark.what.success)}",
        f"promise: {mark.what.promise} · {STANDINGS[found.standing[number]]}",
    ))


def frontier_table(found: Found, attack: str) -> pd.DataFrame:
    """Every mark as a row."""
    return pd.DataFrame([_row(mark, attack, standing) for mark, standing in zip(
        found.marks, found.standing, strict=True)])


def _row(mark: Mark, attack: str, standing: Standing) -> dict[str, Any]:
    what, success = mark.what, mark.what.success
    return {
        "method": mark.mechanism.plain, "setting": mark.mechanism.label(),
        "parameter": mark.path.param.name,
        "value": mark.mechanism.settings()[mark.path.param.name],
        "in the method bar": mark.slot or "no",
        "mean error, groups with people": what.where_people_are[0],
        "its standard error": what.where_people_are[1],
        "total error, groups with people": what.total,
        "mean error, all groups": what.everywhere[0],
        "standard error, all groups": what.everywhere[1],
        "people put into empty groups": what.invented[0],
        "attack": attack, "attack gains": success.advantage,
        "standard error of the gain": success.error,
        "right claims": success.hits, "by luck": success.luck,
        "releases, error": what.releases, "releases, attack": success.releases,
        "promise": what.promise, "standing": STANDINGS[standing],
    }

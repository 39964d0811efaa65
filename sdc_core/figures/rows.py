"""One dot plot for what would be the same bars over and over: a row for each thing that is
compared, a mark for each method, and a yardstick in every row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
)

_ROW, _LINE = 54, 15  # pixels: a name and the marks under it; a further line of a name
_LETTERS = 52  # of a name in a line: more would be cut at a phone's edge
_BESIDE = 0.26  # of a row, over which the marks of one group are spread so that none is hidden


@dataclass(frozen=True)
class Dots:
    """One method's marks, one a row; thin lines from `low` to `high` where these are given. What is
    not a number is left out. `said` is shown on touching a mark, and `also` after it."""

    label: str
    look: Style
    xs: Sequence[float]
    said: Sequence[str]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    also: str = ""


@dataclass(frozen=True)
class Yardstick:
    """What to hold the marks of each row against: a grey upright, one a row."""

    name: str
    xs: Sequence[float]


def dot_plot(
    names: Sequence[str], marks: Sequence[Dots], axis: dict[str, Any],
    yardstick: Yardstick | None = None,
) -> go.Figure:
    """Names stand above their row, not beside it: long ones leave no room on a narrow screen."""
    rows = list(range(len(names)))
    wrapped = [textwrap.wrap(name, _LETTERS, break_long_words=False) or [""] for name in names]
    each = _ROW + _LINE * (max((len(lines) for lines in wrapped), default=1) - 1)
    traces: list[Trace] = []
    if yardstick is not None:
        traces.append(scatter(
            x=list(yardstick.xs), y=rows, mode="markers", name=safe_label(yardstick.name),
            marker={"symbol": "line-ns", "size": 20, "line": {"width": 3, "color": MUTED}},
            hovertemplate=f"{safe_label(yardstick.name)}<extra></extra>",
        ))
    for place, one in enumerate(marks):
        beside = (place - (len(marks) - 1) / 2) * _BESIDE / max(1, len(marks))
        traces.append(_marks(one, [row + beside for row in rows]))
    titles = [
        {"text": "<br>".join(safe_label(line) for line in lines), "xref": "paper", "x": 0,
         "xanchor": "left", "xshift": 4, "align": "left", "y": row, "yanchor": "bottom",
         "yshift": 12,
         "showarrow": False, "font": {"size": 12}}
        for row, lines in enumerate(wrapped)
    ]
    legend = sum(1 + str(trace["name"]).count("<br>") for trace in traces)  # lines, on a phone
    return figure(
        traces, 88 + 16 * legend + 4 * len(traces) + each * len(names), showlegend=True,
        # above the rows: below them it would run into the axis where there are few
        legend={"orientation": "h", "y": 1, "x": 0, "yanchor": "bottom"},
        margin={"l": 8, "r": 12, "t": 12, "b": 8},
        xaxis={**GRID, "zeroline": False, **axis},
        yaxis={**GRID, "tickvals": rows, "showticklabels": False, "zeroline": False,
               "range": [len(names) - 0.5, -0.8]},
        annotations=titles,
    )


def _marks(one: Dots, heights: Sequence[float]) -> Trace:
    lines: dict[str, Any] = {}
    if len(one.low):
        lines["error_x"] = {
            "type": "data", "symmetric": False, "width": 0, "thickness": 2,
            "color": faded(one.look.color, 0.5),
            "array": [max(h - x, 0.0) for h, x in zip(one.high, one.xs, strict=True)],
            "arrayminus": [max(x - w, 0.0) for w, x in zip(one.low, one.xs, strict=True)],
        }
    return scatter(
        x=list(one.xs), y=list(heights), mode="markers", name=in_legend(safe_label(one.label)),
        cliponaxis=False,
        marker={"color": one.look.color, "symbol": one.look.symbol, "size": 10}, **lines,
        text=[safe_label(said) for said in one.said],
        hovertemplate=f"%{{text}}{one.also}<extra></extra>",
    )

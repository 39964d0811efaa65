"""One dot plot for what would be the same bars over and over: a row for each thing that is
compared, a mark for each method, a line for the yardstick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from sdc_core.figures.theme import (
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    in_legend,
    safe_label,
    scatter,
    titled,
)

_ROW, _LEGEND_LINE, _FRAME = 46, 21, 92  # pixels
_APART = 0.16  # of a row: marks that would lie on each other are told apart
_INK = "rgba(128,128,128,0.30)"


@dataclass(frozen=True)
class Row:
    """A row: what it is about, how much of it there is, and each method's number as drawn and as
    read. None where a method has no number here."""

    title: str
    note: str
    values: Sequence[float | None]
    texts: Sequence[str]
    errors: Sequence[float] = ()


def dots(
    rows: Sequence[Row], labels: Sequence[str], looks: Sequence[Style], title: str, unit: str,
    least: float = 0.0, line: tuple[float, str] | None = None,
) -> go.Figure:
    """The rows in their order from the top, on one scale from zero to the largest number, or to
    `least` if that is more: a thousandth of a person must not fill the chart. `line` is where the
    yardstick stands, with its name."""
    far = [
        (value, row.errors[i] if row.errors else 0.0)
        for row in rows for i, value in enumerate(row.values) if value is not None
    ]
    top = max([least, *(line[:1] if line else ()), *(value + error for value, error in far)])
    low = min([0.0, *(value - error for value, error in far if value < 0)])
    traces = [
        _method(rows, number, len(labels), label, look, unit)
        for number, (label, look) in enumerate(zip(labels, looks, strict=True))
    ]
    lines = [] if line is None else [_yardstick(line[0], len(rows))]
    below = len(labels)
    return figure(
        [*lines, *traces], _FRAME + _ROW * len(rows) + _LEGEND_LINE * below,
        title=titled(safe_label(title), safe_label(unit)), showlegend=True,
        legend={"orientation": "v", "x": 0, "y": -0.06, "yanchor": "top", "xanchor": "left",
                "yref": "paper", "font": {"size": 12}},
        margin={"l": 8, "r": 20, "t": 52, "b": 8},
        xaxis={**GRID, "range": [low - 0.02 * top, 1.05 * (top or 1.0)], "zeroline": True,
               "zerolinewidth": 1, "side": "top", "separatethousands": True, "fixedrange": True},
        yaxis={
            "range": [len(rows) - 0.45, -0.55], "fixedrange": True, "automargin": True,
            "tickvals": list(range(len(rows))), "ticktext": [_named(row) for row in rows],
            "showgrid": True, "gridcolor": _INK, "zeroline": False,
        },
        annotations=[] if line is None else [_line_name(line)],
    )


def _method(
    rows: Sequence[Row], number: int, methods: int, label: str, look: Style, unit: str
) -> Trace:
    there = [(i, row) for i, row in enumerate(rows) if row.values[number] is not None]
    shift = _APART * (number - (methods - 1) / 2)
    errors = [row.errors[number] if row.errors else 0.0 for _, row in there]
    name = safe_label(label)
    return scatter(
        x=[row.values[number] for _, row in there], y=[i + shift for i, _ in there],
        mode="markers", name=in_legend(name), cliponaxis=False,
        marker={"color": look.color, "symbol": look.symbol, "size": 11, "line": {"width": 0}},
        error_x={"type": "data", "array": errors, "color": look.color, "thickness": 1.6,
                 "width": 4, "visible": any(errors)},
        text=[f"{safe_label(row.title)}: {row.texts[number]}" for _, row in there],
        hovertemplate=f"%{{text}}<br>{safe_label(unit)}<br>{in_legend(name)}<extra></extra>",
    )


def _named(row: Row) -> str:
    note = f"<br><span style='font-size:11px'>{safe_label(row.note)}</span>" if row.note else ""
    return f"{safe_label(row.title)}{note}"


def _yardstick(at: float, rows: int) -> Trace:
    return scatter(
        x=[at, at], y=[-0.5, rows - 0.5], mode="lines", showlegend=False, hoverinfo="skip",
        line={"color": MUTED, "width": 1.6, "dash": "dash"}, name="yardstick",
    )


def _line_name(line: tuple[float, str]) -> dict[str, Any]:
    return {
        "x": line[0], "y": 0, "yref": "paper", "yanchor": "top", "text": safe_label(line[1]),
        "showarrow": False, "xanchor": "auto", "font": {"size": 12, "color": MUTED},
    }

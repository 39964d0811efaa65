"""The table as a yearbook prints it, what it gives away, and what it costs."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink_on
from sdc_core.figures.reading_table import frame_table, sideways
from sdc_core.figures.theme import (
    FAILURE,
    GRID,
    MUTED,
    Trace,
    figure,
    in_legend,
    safe_label,
    styles,
)
from sdc_core.margins.attack import Intervals
from sdc_core.mechanisms import mechanism
from sdc_core.questions.published_tables.against import Off
from sdc_core.questions.published_tables.compute import Published
from sdc_core.words.numbers import percent

ONLY, BOTH = "only × hidden", "× and ○ hidden"
SENSITIVE, FURTHER = "×", "○"  # told apart here; an office prints one sign for both
_LARGE = 10_000.0  # a sum that is shown without decimals
HIDING = "#D45A22"
LIGHTER = "#E9B28F"
COLORS = {"computed back": FAILURE, "known too closely": "#E8871E", "safe": MUTED}
_STYLE = """<style>
.yearbook { overflow-x: auto; max-width: 100%; }
.yearbook table { border-collapse: collapse; font-size: .9rem; line-height: 1.3;
  font-variant-numeric: tabular-nums; margin: 0; }
.yearbook th, .yearbook td { padding: .14rem .7rem; border: 0; text-align: right;
  white-space: nowrap; }
.yearbook thead th { vertical-align: bottom; white-space: normal; max-width: 9rem;
  font-weight: 600; border-bottom: 1px solid rgba(128,128,128,.7); }
.yearbook thead { border-top: 2px solid rgba(128,128,128,.8); }
.yearbook table { border-bottom: 2px solid rgba(128,128,128,.8); }
.yearbook th[scope=row] { text-align: left; font-weight: 400; white-space: normal;
  min-width: 7.5rem; }
.yearbook .part th[scope=row] { padding-left: 1.7rem; opacity: .85; }
.yearbook .group th, .yearbook .group td { font-weight: 600;
  border-top: 1px solid rgba(128,128,128,.25); }
.yearbook .all td, .yearbook .all th { font-weight: 650; }
.yearbook td.total { border-right: 1px solid rgba(128,128,128,.35); }
.yearbook td.no { position: relative; cursor: help; font-weight: 700; }
.yearbook .no > span { position: absolute; right: .1rem; bottom: 100%; z-index: 2; opacity: 0;
  pointer-events: none; padding: .1rem .45rem; border-radius: .25rem; font-weight: 400;
  background: #22262E; color: #fff; }
.yearbook .no:is(:hover, :focus) > span { opacity: 1; }
.yearbook .no i { font-style: normal; }
.yearbook .no:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
""" + sideways(".yearbook") + """
@media print { .yearbook .no > span { position: static; opacity: .8; background: none;
  color: inherit; padding: 0 0 0 .3rem; font-size: .75rem; }
  .yearbook .no i { display: none; } }
</style>"""


def yearbook(found: Published, leaves: Sequence[str], name: str) -> str:
    """Rows with their groups as heads, totals first, hidden numbers as a sign; what a hidden one
    can still be is said where it is pointed at or reached by the keyboard, and in print."""
    values = found.table.values.reshape(found.table.shape)
    hidden = found.hidden.reshape(found.table.shape)
    heads = "".join(
        f'<th scope="col">{html.escape(label)}</th>' for label in found.columns.labels)
    ends = outwards(found.told, found.whole)
    body = "".join(
        _row(found, ends, i, leaves) for i in range(len(found.rows))
        if values[i].any() or hidden[i].any())
    return (
        f'{_STYLE}<div class="yearbook" tabindex="0" role="region" '
        f'aria-label="{html.escape(name)}"><table><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>")


def title(found: Published) -> str:
    if found.table.counts_people:
        return "The table, and what is hidden of it"
    above = " above 0" if found.dropped else ""
    return f"Sums of {found.table.what}{above}, and what is hidden of them"


def _row(found: Published, ends: Intervals, row: int, leaves: Sequence[str]) -> str:
    depth = int(found.rows.depths[row])
    kind = ("all", "group", "part")[depth]
    label = found.rows.labels[row]
    if depth == 2:  # its group stands above it
        label = leaves[int(found.rows.codes[row].partition(".")[2])]
    wide = len(found.columns)
    cells = "".join(_cell(found, ends, row * wide + column, column) for column in range(wide))
    return f'<tr class="{kind}"><th scope="row">{html.escape(label)}</th>{cells}</tr>'


def _cell(found: Published, ends: Intervals, cell: int, column: int) -> str:
    kind = ' class="total"' if not column else ""
    if not found.hidden[cell]:
        return f"<td{kind}>{written(found.table.values[cell], _decimals(found))}</td>"
    sign = SENSITIVE if found.sensitive.cells[cell] else FURTHER
    said = f"<i>can be </i>{can_be(ends, cell)}"
    return f'<td class="no{"" if column else " total"}" tabindex="0">{sign}<span>{said}</span></td>'


def written(value: float, decimals: int = 0) -> str:
    return f"{value:,.{decimals}f}" if value else "–"


def _decimals(found: Published) -> int:
    """As many as it takes to see that small sums add up."""
    size = float(np.abs(found.table.values).max(initial=0.0))
    return 0 if found.whole or size >= _LARGE else 2


def can_be(ends: Intervals, cell: int) -> str:
    """`3 to 9`: what an attacker knows of a hidden number, in whole numbers."""
    low, high = ends.low[cell], ends.high[cell]
    if math.isinf(high):
        return f"{low:,.0f} or more"
    return f"{low:,.0f}" if high <= low else f"{low:,.0f} to {high:,.0f}"


def outwards(told: Intervals, whole: bool) -> Intervals:
    """The whole numbers around what is possible. Where all true numbers are whole, an end that is
    so but for the last digits of its computation stays."""
    slack = 1e-4 if whole else 0.0
    low, high = np.floor(told.low + slack) + 0.0, np.ceil(told.high - slack) + 0.0
    return Intervals(low, np.maximum(low, high))


def legend(found: Published) -> str:
    if not found.hidden.any():
        return ""
    others = f" &nbsp; <b>{FURTHER}</b> hidden to protect those" if found.further.any() else ""
    one = "; an office prints one sign for both" if others else ""
    zero = "nobody" if found.table.counts_people else "0"
    zero += "" if found.whole else ". Sums are rounded"
    return (
        f'<p style="margin:0 0 .3rem"><b>{SENSITIVE}</b> says too much{others}{one} &nbsp; – {zero}'
        '<span class="by-hand">. Point at a sign or touch it: what it can still be.</span></p>')


def published_frame(found: Published) -> pd.DataFrame:
    """Every number as it is published: hidden ones are empty, with what they can still be. Why one
    is hidden is not published, since that says more of it."""
    frame = found.table.frame()
    rows, columns = frame.columns[:2]
    ends = outwards(found.told, found.whole)
    values, hidden = found.table.values, found.hidden
    return pd.DataFrame({
        "row": frame[rows], "column": frame[columns],
        "published": np.where(hidden, np.nan, values),
        "status": np.where(hidden, "hidden", "shown"),
        "at least": np.where(hidden, ends.low, values),
        "at most": np.where(hidden, ends.high, values),
    })


def undone_bars(found: Published) -> go.Figure:
    """Of the sensitive numbers, how many are computed back, known too closely, or safe?"""
    names = [ONLY]
    numbers = [found.undone(found.alone)]
    if found.further.any():
        names.append(BOTH)
        numbers.append(found.undone(found.told))
    traces = [
        {
            "type": "bar", "orientation": "h", "name": kind, "y": names,
            "x": [number[place] for number in numbers], "marker": {"color": color},
            "text": [str(number[place] or "") for number in numbers],
            "insidetextfont": {"color": ink_on(color)},
            "textposition": "inside", "insidetextanchor": "middle", "textangle": 0,
            "hovertemplate": f"%{{y}}: %{{x}} {kind}<extra></extra>",
        }
        for place, (kind, color) in enumerate(COLORS.items())
    ]
    return figure(
        traces, 220, barmode="stack", showlegend=True, margin={"l": 8, "r": 12, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.55, "x": 0, "yanchor": "top", "traceorder": "normal"},
        xaxis={**GRID, "title": {"text": "numbers that say too much", "standoff": 12},
               "rangemode": "tozero"},
        yaxis={"automargin": True, "autorange": "reversed"},
    )


def undone_frame(found: Published) -> pd.DataFrame:
    ways = [(ONLY, found.undone(found.alone))]
    if found.further.any():
        ways.append((BOTH, found.undone(found.told)))
    return pd.DataFrame(
        [{"hidden": way, **dict(zip(COLORS, numbers, strict=True))} for way, numbers in ways])


def group_bars(found: Published) -> go.Figure:
    """What share of each group's numbers is hidden, and why?"""
    groups = [one for one in found.groups if one.numbers]
    names = [in_legend(safe_label(one.name), 30) for one in groups]
    parts = (("say too much", HIDING, [g.sensitive / g.numbers for g in groups]),
             ("protect others", LIGHTER, [g.further / g.numbers for g in groups]))
    traces: list[Trace] = [
        {
            "type": "bar", "orientation": "h", "name": name, "y": names, "x": shares,
            "marker": {"color": color},
            "customdata": [[g.sensitive, g.further, g.numbers] for g in groups],
            "hovertemplate": f"%{{y}}: %{{customdata[{place}]}} of %{{customdata[2]}} numbers "
                             f"{name}<extra></extra>",
        }
        for place, (name, color, shares) in enumerate(parts)
    ]
    traces.append({
        "type": "scatter", "mode": "text", "name": "hidden", "y": names,
        "x": [one.share for one in groups], "textposition": "middle right", "showlegend": False,
        "text": [f" {percent(one.share, 0)}" for one in groups],
        "hoverinfo": "skip", "cliponaxis": False,
    })
    return figure(
        traces, 110 + 34 * len(groups), barmode="stack", showlegend=True,
        margin={"l": 8, "r": 24, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -70 / (34 * len(groups) + 20), "x": 0, "yanchor": "top",
                "traceorder": "normal"},
        xaxis={**GRID, "title": {"text": "share of its numbers hidden",
                                 "standoff": 12}, "range": [0, 1.2], "tickformat": ".0%",
               "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        yaxis={"automargin": True, "autorange": "reversed"},
    )


def group_frame(found: Published) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "group": one.name, "numbers": one.numbers, "hidden, say too much": one.sensitive,
            "hidden, protect others": one.further, "share hidden": one.share,
            "share in hidden inner numbers": one.share_of_people,
        }
        for one in found.groups
    ], columns=["group", "numbers", "hidden, say too much", "hidden, protect others",
                "share hidden", "share in hidden inner numbers"])


# no × or ○: these say in the table why a number is hidden
KINDS = (("all numbers", "every", "diamond"), ("inner numbers", "inner", "square-open"),
         ("hidden numbers", "hidden", "triangle-up-open"))


def off_marks(found: Published, ways: Sequence[Off]) -> go.Figure:
    """How far off a number is on average: a row a way, a mark a kind of numbers; of noise with a
    limit also what is cut off."""
    names = [in_legend(one.way, 24) for one in ways]
    colors = [styles([mechanism(one.mechanism)])[0].color for one in ways]
    shown = [
        (kind, shape, [getattr(one.off, field) for one in ways],
         [2 * getattr(one.se, field) for one in ways])
        for kind, field, shape in (KINDS if found.hidden.any() else KINDS[:2])]
    if any(one.cut for one in ways):
        shown.append(("cut off alone", "line-ns", [one.cut or math.nan for one in ways], []))
    traces = [
        {
            "type": "scatter", "mode": "markers", "name": kind, "y": names, "x": off,
            "legendgroup": kind, "showlegend": False, "marker": _off_mark(shape, colors),
            "error_x": {"type": "data", "array": [error or None for error in errors],
                        "visible": any(errors), "color": MUTED, "thickness": 1,
                        "width": 0},  # else what is exact has a cap
            "hovertemplate": f"%{{y}}, {kind}: off by %{{x:,.3~g}}<extra></extra>",
        }
        for kind, shape, off, errors in shown
    ]
    traces += [  # in the legend a shape is of all methods, so it has the colour of none
        {"type": "scatter", "mode": "markers", "name": kind, "x": [None], "y": [names[0]],
         "legendgroup": kind, "marker": _off_mark(shape, MUTED), "hoverinfo": "skip"}
        for kind, shape, _, _ in shown
    ]
    unit = "people" if found.table.counts_people else found.table.what
    return figure(
        traces, 110 + 34 * max(2, len(ways)), showlegend=True,
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -70 / (34 * max(2, len(ways)) + 20), "x": 0,
                "yanchor": "top"},
        xaxis={**GRID, "rangemode": "tozero",
               "title": {"text": f"off by, on average ({unit})", "standoff": 12}},
        yaxis={**GRID, "automargin": True, "autorange": "reversed"},
    )


def _off_mark(shape: str, color: str | Sequence[str]) -> dict[str, Any]:
    return {"symbol": shape, "size": 11, "color": color, "line": {"width": 2, "color": color}}


def off_frame(found: Published, ways: Sequence[Off]) -> pd.DataFrame:
    """`of` says which numbers these are averages over; below 0 is the share of all there are."""
    rows = [
        {
            "way": one.way, "of": found.which, "off by, inner numbers": one.off.inner,
            "off by, all numbers": one.off.every, "off by, hidden numbers": one.off.hidden,
            "standard error, all numbers": one.se.every, "releases": one.releases,
            "share below 0, zeros included": one.below_zero,
            "cut off, all numbers": one.cut, "noise alone, all numbers": one.noise,
        }
        for one in ways
    ]
    frame = pd.DataFrame(rows)
    return frame if any(one.noise for one in ways) else frame.iloc[:, :-2]


def learnt_table(ways: Sequence[Off]) -> str:
    return frame_table("Whether it adds up, and what is learnt", learnt_frame(ways))


def learnt_frame(ways: Sequence[Off]) -> pd.DataFrame:
    return pd.DataFrame([
        {"way": one.way, "adds up": one.adds_up, "promise": one.promise,
         "an attacker learns": one.learns}
        for one in ways
    ])

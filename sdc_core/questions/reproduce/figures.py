"""Verdicts as bars: every printed number is in one of them."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from sdc_core.figures.contrast import ink_on
from sdc_core.figures.theme import FAILURE, GRID, MUTED, Trace, figure, scatter
from sdc_core.papers.record import Record, Table, good, verdicts
from sdc_core.papers.verdicts import GOOD, Judged, Verdict
from sdc_core.words import reproduction as words
from sdc_core.words.numbers import counted, listed

COLORS = {
    Verdict.MATCH: "#2B7BBA", Verdict.WITHIN: "#8CC9F5", Verdict.ORDER: "#E3D3A6",
    Verdict.DIFFERS: "#E8871E", Verdict.CANNOT_BE: FAILURE, Verdict.NOT_MADE: MUTED,
    Verdict.NOT_JUDGED: "#C5C9D0", Verdict.GIVEN: "#EDEFF2",
}
# What is not judged recedes, and that is darker where the page is dark.
_ON_DARK = {Verdict.NOT_JUDGED: "#4A515D", Verdict.GIVEN: "#2A313C"}
_OWN_BAR = 12  # numbers from which on a table has a bar of its own
_ROW, _HEAD, _AXIS = 23, 30, 58
_PAGE = {False: "#fff", True: "#12161D"}  # shows between the pieces of a bar
_NARROWEST = 0.04  # of the longest bar: a number has room in it

_STYLE = """<style>
.verdicts { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; font-size: .86rem; }
.verdicts span { white-space: nowrap; }
.verdicts i { display: inline-block; width: .8em; height: .8em; margin-right: .35em;
  border-radius: 2px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
</style>"""


@dataclass(frozen=True)
class Bar:
    """A table's numbers, or those of several that print few; `first` is the one to look at."""

    paper: str
    name: str
    judged: tuple[Judged, ...]
    first: Table


def bars_of(found: Record) -> list[Bar]:
    """In the papers' order; what prints few numbers stands together after the others."""
    bars = []
    for paper in dict.fromkeys(one.paper for one in found.tables):
        printing = [one for one in found.tables if one.paper == paper and one.judged]
        large = [one for one in printing if len(one.judged) >= _OWN_BAR]
        small = [one for one in printing if one not in large]
        if len(small) == 1:
            large, small = printing, []
        bars += [Bar(paper, words.short_name(one), one.judged, one) for one in large]
        if small:
            together = tuple(number for one in small for number in one.judged)
            name = f"{len(small)} others" if large else f"{len(small)} passages"
            bars.append(Bar(paper, name, together, small[0]))
    return bars


def verdict_bars(bars: Sequence[Bar], dark: bool = False) -> go.Figure:
    """A bar a table, under the name of its paper; what comes out is read from the left."""
    places, heads, ends = _places(bars)
    longest = max((len(bar.judged) for bar in bars), default=1)
    counts = [verdicts(bar.judged) for bar in bars]
    traces: list[Trace] = [
        {
            "type": "bar", "x": [n[one] for n in counts], "y": places, "name": str(one),
            "orientation": "h", "width": 0.72,
            "marker": {"color": color_of(one, dark), "line": {"width": 1, "color": _PAGE[dark]}},
            "text": [str(n[one]) if n[one] >= _NARROWEST * longest else "" for n in counts],
            "textposition": "inside", "insidetextanchor": "middle", "textangle": 0,
            "insidetextfont": {"color": ink_on(color_of(one, dark)), "size": 12},
            "constraintext": "none",
            "customdata": [f"{bar.paper} {bar.name}" for bar in bars],
            "hovertemplate": f"%{{customdata}}: %{{x}} {one}<extra></extra>",
        }
        for one in Verdict if any(n[one] for n in counts)
    ]
    traces.append(scatter(
        x=[len(bar.judged) for bar in bars], y=places, mode="text", name="come out",
        text=[_how_many(bar) for bar in bars],
        textposition="middle right", hoverinfo="skip", cliponaxis=False, showlegend=False,
    ))
    return figure(
        traces, _AXIS + _HEAD * len(heads) + _ROW * len(bars), barmode="stack",
        margin={"l": 8, "r": 12, "t": 4, "b": 8},
        xaxis={**GRID, "range": [0, 1.16 * longest],
               "title": {"text": "Printed numbers", "standoff": 6}},
        yaxis={**GRID, "range": [ends, -0.2], "tickvals": places,
               "ticktext": [bar.name for bar in bars], "showgrid": False, "zeroline": False},
        annotations=[
            {"x": 0, "y": place, "xref": "paper", "xanchor": "left", "yanchor": "middle",
             "text": text, "showarrow": False, "align": "left", "font": {"size": 13}}
            for place, text in heads
        ],
    )


def _places(bars: Sequence[Bar]) -> tuple[list[float], list[tuple[float, str]], float]:
    """Where each bar stands, counted in bars from the top; each paper's name above its bars, with
    how many of its numbers come out; and where they end."""
    places: list[float] = []
    heads: list[tuple[float, str]] = []
    at, head = 0.0, _HEAD / _ROW
    for number, bar in enumerate(bars):
        if number == 0 or bars[number - 1].paper != bar.paper:
            mine = [one for other in bars if other.paper == bar.paper for one in other.judged]
            fine, every = good(mine)
            name = html.escape(words.paper_name(bar.paper), quote=False)
            heads.append((at + 0.6 * head, f"<b>{bar.paper} {name}</b>: {fine} of {every}"))
            at += head
        places.append(at + 0.5)
        at += 1
    return places, heads, at + 0.2


def _how_many(bar: Bar) -> str:
    """Of results; where there are none, nothing is counted."""
    fine, number = good(bar.judged)
    return f" {fine} of {number}" if number else " none to judge"


def color_of(one: Verdict, dark: bool) -> str:
    return _ON_DARK.get(one, COLORS[one]) if dark else COLORS[one]


def legend(numbers: Sequence[Judged]) -> str:
    """What the colours mean, with how many numbers have it."""
    counts = verdicts(numbers)
    items = "".join(
        f'<span><i style="background:light-dark({COLORS[one]}, {color_of(one, True)})"></i>'
        f"{html.escape(str(one))} {counts[one]}</span>"
        for one in Verdict if counts[one]
    )
    return f'{_STYLE}<div class="verdicts">{items}</div>'


def bars_alt(bars: Sequence[Bar]) -> str:
    if not bars:
        return "No printed number to judge."
    parts = []
    for bar in bars:
        counts = verdicts(bar.judged)
        rest = [f"{one} {counts[one]}" for one in Verdict if counts[one] and one not in GOOD]
        fine, number = good(bar.judged)
        more = f" ({listed(rest)})" if rest else ""
        what = f"{fine} of {counted(number, 'result', 'results')}" if number else "none to judge"
        parts.append(f"{bar.paper} {bar.name} {what}{more}")
    return f"How many printed results match or are within tolerance: {'; '.join(parts)}."

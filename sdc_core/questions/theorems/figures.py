"""Printed over exact for each theorem, and the theorems as a table."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink
from sdc_core.figures.reading_table import reading_table, with_dot
from sdc_core.figures.theme import FAILURE, GRID, MUTED, MUTED_TEXT, Trace, figure, scatter
from sdc_core.questions.theorems.words import times_text
from sdc_core.theorems import Finding, Theorem, Verdict
from sdc_core.words.numbers import in_words

COLORS = {
    Verdict.HOLDS: "#2B7BBA", Verdict.SAYS_LITTLE: MUTED, Verdict.FAILS: FAILURE,
    Verdict.DOES_NOT_APPLY: MUTED,
}
_ROW = 33
_TICKS = (-3, 0, 3, 6, 9, 12)


def ratio_chart(found: Sequence[Finding]) -> go.Figure:
    """A mark a theorem, on a log axis: left of the line at 1 a theorem fails."""
    drawn = [f for f in found if f.ratio is not None and math.isfinite(f.ratio)]
    ratios = [f.ratio or 0.0 for f in drawn]
    low = min([0.1, *(r / 3 for r in ratios if r > 0)])
    high = max([100.0, *(r * 5 for r in ratios)])
    middle = max(1000.0, math.sqrt(low * high))  # words stand on the side where there is room
    names = [f.theorem.title for f in found]
    rest = [f for f in found if f not in drawn]
    traces: list[Trace] = [
        scatter(
            x=[1, 1], y=[names[0], names[-1]], mode="lines", name="printed = exact",
            line={"color": MUTED, "width": 1.5}, hoverinfo="skip", cliponaxis=False,
        ),
        scatter(
            x=[max(r, low) for r in ratios], y=[f.theorem.title for f in drawn],
            mode="markers+text", name="printed over exact",
            textposition=["middle left" if r > middle else "middle right" for r in ratios],
            text=[f" {in_words(r)} " for r in ratios],
            marker={"color": [COLORS[f.verdict] for f in drawn], "size": 12},
            customdata=[_hover(f) for f in drawn], hovertemplate="%{customdata}<extra></extra>",
        ),
        scatter(
            x=[1] * len(rest), y=[f.theorem.title for f in rest], mode="text",
            name="no ratio", text=[f"  {_no_ratio(f)}" for f in rest],
            textposition="middle right", textfont={"color": MUTED_TEXT}, hoverinfo="skip",
        ),
    ]
    bounds = [math.log10(low), math.log10(high)]
    ticks = [t for t in _TICKS if bounds[0] <= t <= bounds[1]]
    return figure(
        traces, 90 + _ROW * len(found), margin={"l": 8, "r": 12, "t": 30, "b": 8},
        xaxis={**GRID, "type": "log", "range": bounds,
               "tickvals": [10.0**t for t in ticks],
               "ticktext": [in_words(10.0**t) for t in ticks],
               "title": {"text": "Printed over exact", "standoff": 6}},
        yaxis={**GRID, "type": "category", "categoryorder": "array", "categoryarray": names[::-1],
               "tickvals": names, "ticktext": [_named(f.theorem) for f in found],
               "showgrid": False},
        annotations=[
            {"x": 0, "y": 1, "yref": "paper", "xanchor": side, "yanchor": "bottom", "text": text,
             "xshift": shift, "showarrow": False, "font": {"color": ink(color), "size": 12}}
            for side, text, shift, color in (
                ("right", "fails", -6, FAILURE), ("left", "holds", 6, COLORS[Verdict.HOLDS]))
        ],
    )


def _named(theorem: Theorem) -> str:
    """What it is about first, where it is printed under it."""
    small = f"<span style='font-size:10.5px'>{theorem.title}</span>"
    return f"{theorem.about}<br>{small}" if theorem.about else theorem.title


def _hover(f: Finding) -> str:
    printed, exact = in_words(f.printed or 0.0), in_words(f.exact or 0.0)
    return f"<b>{f.theorem.title}</b><br>printed {printed}, exact {exact}<br>{f.verdict}"


def _no_ratio(f: Finding) -> str:
    return "does not apply" if f.printed is None else "nothing happens: the exact value is 0"


def theorem_frame(found: Sequence[Finding]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "paper": f.theorem.paper, "theorem": f.theorem.name, "claim": f.theorem.claim,
            "printed": f.printed, "exact": f.exact,
            "printed over exact": None if math.isinf(f.ratio or 0.0) else f.ratio,
            "verdict": str(f.verdict), "reason": f.reason,
        }
        for f in found
    ])


def theorem_table(found: Sequence[Finding]) -> str:
    """The same for reading: sentences need room that a grid of cells does not give."""
    heads = ("Theorem", "What it claims", "Printed", "Exact", "Verdict", "Why")
    return reading_table("Theorem by theorem", heads, map(_row, found))


def _row(f: Finding) -> str:
    numbers = "".join(
        f'<td class="number">{"–" if n is None else in_words(n)}</td>' for n in (f.printed, f.exact)
    )
    return (
        f'<tr><th scope="row" class="keep"><span class="name">{f.theorem.about}</span><br/>'
        f"{f.theorem.title}</th>"
        f"<td>{html.escape(f.theorem.claim)}</td>{numbers}"
        f"<td>{with_dot(f.verdict, COLORS[f.verdict])}</td><td>{html.escape(f.reason)}</td></tr>"
    )


def alt_text(found: Sequence[Finding]) -> str:
    parts = [
        f"{f.theorem.about} ({f.theorem.title}) {f.verdict}, {times_text(f.ratio)} the exact value"
        for f in found if f.ratio is not None and math.isfinite(f.ratio)
    ]
    return f"What is printed over the exact value, one mark a theorem: {'; '.join(parts)}."

"""The table itself with its hidden counts and what follows for them; how many; one place."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink_on
from sdc_core.figures.reading_table import sideways
from sdc_core.figures.theme import FAILURE, GRID, MUTED, figure
from sdc_core.questions.undo.compute import AgainstNoise, Undone

COLORS = {"computed back": FAILURE, "narrowed down": "#E8871E", "nothing learnt": MUTED}
_STYLE = f"""<style>
.undo {{ overflow-x: auto; }}
.undo table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
.undo th, .undo td {{ padding: .18rem .6rem; border-bottom: 1px solid rgba(128,128,128,.25);
  text-align: right; white-space: nowrap; }}
.undo th[scope=row] {{ text-align: left; font-weight: 400; white-space: normal; min-width: 9rem; }}
.undo thead th {{ vertical-align: bottom; white-space: normal; max-width: 9rem; font-weight: 600; }}
.undo .total {{ border-left: 1px solid rgba(128,128,128,.5); opacity: .85; }}
.undo .was {{ opacity: .8; }}
.undo .back {{ border: 2px solid {FAILURE}; font-weight: 700; }}
{sideways(".undo")}
.undo .near {{ border: 2px dotted {COLORS["narrowed down"]}; }}
</style>"""


def hidden_table(found: Undone, name: str, told: bool = True) -> str:
    """Shown counts as they are; a hidden one as × and, if that is `told`, what follows for it."""
    seen = [i for i in range(len(found.rows)) if found.table.counts[i].any()]
    head = "".join(f'<th scope="col">{html.escape(c)}</th>' for c in (*found.columns, "total"))
    body = "".join(
        f'<tr><th scope="row">{html.escape(found.rows[i])}</th>'
        + "".join(_cell(found, i, j, told) for j in range(len(found.columns)))
        + f'<td class="total">{found.table.counts[i].sum():,}</td></tr>'
        for i in seen
    )
    foot = "".join(f"<td>{n:,}</td>" for n in found.table.counts.sum(axis=0))
    total = f'<td class="total">{found.table.counts.sum():,}</td>'
    return (
        f'{_STYLE}<div class="undo" tabindex="0" role="region" aria-label="{html.escape(name)}">'
        f'<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}'
        f'<tr><th scope="row">total</th>{foot}{total}</tr></tbody></table></div>'
    )


def _cell(found: Undone, row: int, column: int, told: bool) -> str:
    if not found.hidden[row, column]:
        return f"<td>{found.table.counts[row, column]:,}</td>"
    low, high = found.low[row, column], found.high[row, column]
    crossed = '<span class="was">×</span>'
    if not told:
        return f"<td>{crossed}</td>"
    if found.known[row, column]:
        return f'<td class="back">{crossed} → {low}</td>'
    kind = ' class="near"' if found.narrowed[row, column] else ""
    return f"<td{kind}>{crossed} {low}–{high}</td>"


def undo_frame(found: Undone) -> pd.DataFrame:
    """Every hidden count as a row."""
    how = np.where(found.known & found.subtracted, "subtraction",
                   np.where(found.known, "no other number fits",
                            np.where(found.narrowed, "narrowed down", "nothing learnt")))
    return pd.DataFrame([
        {
            "group": found.rows[i], "place": found.columns[j],
            "at least": int(found.low[i, j]), "at most": int(found.high[i, j]),
            "without totals at least": found.table.low, "without totals at most": found.table.high,
            "true count": int(found.table.counts[i, j]), "known by": str(how[i, j]),
        }
        for i, j in np.argwhere(found.hidden)
    ], columns=["group", "place", "at least", "at most", "without totals at least",
                "without totals at most", "true count", "known by"])


def undo_bars(found: Undone) -> go.Figure:
    """Of the hidden counts, how many are computed back, without totals and with them?"""
    names = ["without totals", "with totals"]
    numbers = list(zip(found.without_totals(), found.with_totals(), strict=True))
    traces = [
        {
            "type": "bar", "orientation": "h", "name": kind, "y": names, "x": list(pair),
            "marker": {"color": COLORS[kind]}, "text": [str(n) if n else "" for n in pair],
            "insidetextfont": {"color": ink_on(COLORS[kind])}, "textposition": "inside",
            "insidetextanchor": "middle",
            "hovertemplate": f"%{{y}}: %{{x}} {kind}<extra></extra>",
        }
        for kind, pair in zip(COLORS, numbers, strict=True)
    ]
    return figure(
        traces, 220, barmode="stack", showlegend=True, margin={"l": 8, "r": 12, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.55, "x": 0, "yanchor": "top", "traceorder": "normal"},
        xaxis={**GRID, "title": {"text": "number of hidden counts", "standoff": 12},
               "rangemode": "tozero"},
        yaxis={"automargin": True, "autorange": "reversed"},
    )


def block_frame(found: Undone, noise: AgainstNoise) -> pd.DataFrame:
    """One place, count by count: truth, what hiding publishes and gives away, and what the first
    release with noise publishes and its best-fitting table says."""
    rows = []
    for i, j in _with_people(found):
        hidden, known = found.hidden[i, j], found.low[i, j] == found.high[i, j]
        spread = f"{found.low[i, j]} to {found.high[i, j]}"
        rows.append({
            "group": ", ".join((found.rows[i], found.columns[j])),
            "true count": int(found.table.counts[i, j]),
            "published, small ones hidden": "hidden" if hidden else f"{found.table.counts[i, j]:,}",
            "follows from totals": str(found.low[i, j]) if known else spread,
            "published with noise": float(np.round(noise.noisy[i, j], 1)),
            "best-fitting table": int(noise.fitted[i, j]),
        })
    return pd.DataFrame(rows)


def _with_people(found: Undone) -> Sequence[tuple[int, int]]:
    shown = found.hidden | (found.table.counts > 0)
    return [(int(i), int(j)) for i, j in np.argwhere(shown)]

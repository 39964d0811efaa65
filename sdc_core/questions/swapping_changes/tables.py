"""Swapping before and after: tables with what changed in colour and what did not under lock.

A change has the hues of every map that shows too high and too low.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.figures.colour_scale import Scale, scale_for
from sdc_core.figures.theme import SHADES, faded
from sdc_core.histogram import Histogram
from sdc_core.metrics.tables import MarginCheck
from sdc_core.questions.swapping_changes.compute import Example
from sdc_core.words.numbers import sensible

_STRONGEST = 0.45  # opacity at the end of the scale: text stays readable on light and dark
_GREY = "#808080"  # lines that show on light and on dark

# Widths are those of the place a table stands in, which an open sidebar makes narrow too.
STYLE = f"""<style>
.swap-place {{ container-type: inline-size; }}
.swap {{ overflow-x: auto; font-variant-numeric: tabular-nums; font-size: .88rem; }}
.swap table {{ border-collapse: collapse; width: 100%; margin: 0; }}
.swap th, .swap td {{ padding: .22rem .5rem; border: 0;
  border-bottom: 1px solid {faded(_GREY, 0.22)}; text-align: right; white-space: nowrap; }}
.swap th {{ font-weight: 600; vertical-align: bottom; }}
.swap th:first-child, .swap td:first-child, .swap .words {{ text-align: left; }}
.swap .words {{ white-space: normal; }}
.swap .was, .swap .quiet {{ opacity: .72; font-weight: 400; }}
.swap .gap {{ padding-left: 1.4rem; }}
.swap tr.all td {{ font-weight: 600; border-top: 2px solid {faded(_GREY, 0.45)}; }}
.swap .by {{ display: inline-block; min-width: 4.2em; margin-left: .5em; font-size: .8rem; }}
.swap td.moved {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
.swap .lock {{ display: inline-block; position: relative; width: .62em; height: .48em;
  margin-left: .45em; background: currentColor; border-radius: 1px; opacity: .6; }}
.swap .lock::before {{ content: ""; position: absolute; left: .09em; bottom: 92%; width: .44em;
  height: .36em; box-sizing: border-box; border: .1em solid currentColor; border-bottom: 0;
  border-radius: .25em .25em 0 0; }}
.swap .scale {{ display: flex; align-items: center; gap: .5rem; margin: .55rem 0 0; opacity: .85;
  font-size: .8rem; flex-wrap: wrap; }}
.swap .ramp {{ width: 130px; height: 10px; border-radius: 2px;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
.swap tr.chosen td {{ background: {faded(SHADES["sdc"][0], 0.20)}; }}
.swap tr.left td {{ opacity: .6; }}
.swap.pair {{ display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr);
  gap: 1.2rem 2.6rem; align-items: start; }}
.swap h3 {{ font-size: .95rem; font-weight: 650; margin: 0; padding: .28rem .5rem .3rem; }}
.swap.example {{ min-height: 318px; max-width: 720px; }}
@container (max-width: 860px) {{ .swap.pair {{ grid-template-columns: minmax(0, 1fr); }} }}
@container (max-width: 620px) {{
  .swap {{ font-size: .74rem; }} .swap th, .swap td {{ padding: .2rem .12rem; }}
  .swap .gap {{ padding-left: .3rem; }} .swap .lock {{ margin-left: .2em; }}
  .swap h3 {{ padding-left: .12rem; }} .swap .words {{ padding-right: .5rem; }}
  .swap .by {{ display: block; margin-left: 0; min-width: 0; font-size: .68rem; }}
}}
</style>"""


def before_after(
    table: Histogram, released: NDArray[np.int64], margins: Sequence[MarginCheck], alt: str,
    dark: bool = False,
) -> str:
    """The table before and after, and beside it the proof: every total with both numbers."""
    equal = sum(m.equal for m in margins)
    scale = _scale_of(table.counts, released, dark)
    left = _before_after(table, released, margins, scale) + _legend(scale)
    right = f"<h3>Exactly as before: {equal} of {len(margins)} totals</h3>{_proof(margins)}"
    return _framed(f"<div>{left}</div><div>{right}</div>", alt, "pair")


def example_table(example: Example, step: int, alt: str, dark: bool = False) -> str:
    """The eight households as a step has them, and at the end the table they make."""
    if step < 4:
        return _framed(_households(example, step), alt, "example")
    scale = _scale_of(example.table.counts, example.released, dark)
    drawn = _before_after(example.table, example.released, example.margins, scale)
    return _framed(drawn, alt, "example")


def _before_after(
    table: Histogram, released: NDArray[np.int64], margins: Sequence[MarginCheck], scale: Scale
) -> str:
    """A two-way table before and after: inner counts coloured by their change, totals locked.

    Colour is the change in percent of the true count.
    """
    rows, columns = table.domain.features
    true = table.counts.reshape(table.domain.shape)
    after = released.reshape(table.domain.shape)
    percent = _percent_change(true, after)
    by_row = {m.title: m for m in margins if m.by == (rows.name,)}
    by_column = {m.title: m for m in margins if m.by == (columns.name,)}
    total = next(m for m in margins if not m.by)
    groups = "".join(
        f'<th class="gap" colspan="2" scope="colgroup">{html.escape(label)}</th>'
        for label in columns.labels
    )
    pairs = '<th class="gap was" scope="col">before</th><th class="was" scope="col">after</th>'
    head = (
        f'<tr><td></td>{groups}<th class="gap">Total</th></tr>'
        f'<tr><th scope="col">{html.escape(rows.title)}</th>{pairs * len(columns)}'
        '<th class="gap was">unchanged</th></tr>'
    )
    body = ""
    for r, label in enumerate(rows.labels):
        cells = "".join(
            f'<td class="gap was">{true[r, c]:,}</td>'
            f"{_changed(int(true[r, c]), int(after[r, c]), float(percent[r, c]), scale)}"
            for c in range(len(columns))
        )
        body += f"<tr><td>{html.escape(label)}</td>{cells}{_locked(by_row[label])}</tr>"
    foot = "".join(
        f'<td class="gap was">{by_column[label].true:,}</td>{_locked(by_column[label], "")}'
        for label in columns.labels
    )
    body += f'<tr class="all"><td>Total</td>{foot}{_locked(total)}</tr>'
    return f"<table>{head}{body}</table>"


def _proof(margins: Sequence[MarginCheck]) -> str:
    body = "".join(
        f'<tr><td>{html.escape(m.title)}</td><td class="was">{m.true:,}</td><td>{m.after:,}</td>'
        f"<td>{'equal' if m.equal else '<b>changed</b>'}</td></tr>"
        for m in margins
    )
    columns = ("Total of", "before", "after")
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in columns)}<td></td></tr>"
    return f"<table>{head}{body}</table>"


def before_after_frame(
    table: Histogram, released: NDArray[np.int64], margins: Sequence[MarginCheck]
) -> pd.DataFrame:
    """Every inner count and every total, before and after, as rows."""
    features = table.domain.features
    inner = table.cells().astype({f.title: str for f in features})
    inner = inner.rename(columns={"count": "before"}).assign(after=released)
    totals = pd.DataFrame(
        [
            {f.title: m.title if m.by == (f.name,) else "all" for f in features}
            | {"before": m.true, "after": m.after}
            for m in margins
        ]
    )
    both = pd.concat([inner, totals], ignore_index=True)
    percent = _percent_change(both["before"].to_numpy(), both["after"].to_numpy())
    return both.assign(change=both["after"] - both["before"], percent=percent.round(3))


def _households(example: Example, step: int) -> str:
    head = "<tr><th>Household</th><th class='words'>Town</th><th class='words'>Tenure</th>"
    if step >= 2:
        head += "<th class='words'>Selected?</th>"
    if step >= 3:
        head += "<th class='words'>What it receives</th>"
    body = ""
    for one in example.households:
        row = (
            f"<td>{one.number}</td><td class='words'>{html.escape(one.town)}</td>"
            f"<td class='words'>{html.escape(one.tenure)}</td>"
        )
        if step >= 2:
            row += f"<td class='words'>{'selected' if one.selected else 'no'}</td>"
        if step >= 3:
            words = (
                f"← {html.escape(one.new_town)}, from household {one.donor}"
                if one.selected else "keeps its town"
            )
            row += f"<td class='words'>{words}</td>"
        mark = "" if step < 2 else "chosen" if one.selected else "left"
        body += f'<tr class="{mark}">{row}</tr>'
    return f"<table>{head}</tr>{body}</table>"


def round_up(percent: float) -> float:
    """The end of a colour scale: the next round number; 1 where nothing changed."""
    if percent <= 0:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(percent))
    steps = (decade * m for m in (1, 1.5, 2, 3, 4, 5, 6, 8, 10))
    return next(step for step in steps if step >= percent * (1 - 1e-12))


def _scale_of(true: NDArray[np.int64], after: NDArray[np.int64], dark: bool) -> Scale:
    """The colours of changes in percent, up to a round number to both sides."""
    return scale_for("signed", round_up(float(np.abs(_percent_change(true, after)).max())), dark)


def _percent_change(true: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.float64]:
    """In percent of the true count; a group that was empty counts as if it had one."""
    return 100 * (after - true) / np.maximum(true, 1)


def _changed(true: int, after: int, percent: float, scale: Scale) -> str:
    change = after - true
    if not change:
        return f'<td class="moved">{after:,}<span class="by quiet">±0</span></td>'
    strength = round(_STRONGEST * abs(percent) / scale.high, 3)
    tint = faded(scale.stops[-1 if change > 0 else 0], strength)
    words = f"{change:+,}".replace("-", "−")
    hint = f"{percent:+.1f}% of the true count".replace("-", "−")
    return (
        f'<td class="moved" style="background:{tint}" title="{hint}">{after:,}'
        f'<span class="by">{words}</span></td>'
    )


def _locked(margin: MarginCheck, look: str = "gap") -> str:
    if margin.equal:
        lock = '<span class="lock" role="img" aria-label="unchanged" title="unchanged"></span>'
        return f'<td class="{look}">{margin.after:,}{lock}</td>'
    return f'<td class="{look}"><b>{margin.after:,} (was {margin.true:,})</b></td>'


def _legend(scale: Scale) -> str:
    end = sensible(scale.high)
    fewer, none, more = (
        faded(scale.stops[0], _STRONGEST), faded(_GREY, 0.06), faded(scale.stops[-1], _STRONGEST)
    )
    return (
        f'<div class="scale"><span>−{end}%</span><span class="ramp" style="background:'
        f'linear-gradient(90deg,{fewer},{none},{more})"></span><span>+{end}% of the true count'
        '</span><span style="margin-left:1rem">'
        '<span class="lock" style="margin:0 .4em 0 0"></span>unchanged</span></div>'
    )


def _framed(content: str, alt: str, look: str) -> str:
    label = html.escape(alt)
    table = f'<div class="swap {look}" role="group" aria-label="{label}">{content}</div>'
    return f'{STYLE}<div class="swap-place">{table}</div>'

"""Five answers side by side, as plain HTML: a table, and on a narrow screen cards that unfold."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    DASHES,
    GRID,
    MUTED,
    MUTED_TEXT,
    SHADES,
    Style,
    figure,
    scatter,
    styles,
)
from sdc_core.mechanisms.base import FAMILY_TITLES
from sdc_core.privacy.protection import QUESTIONS
from sdc_core.questions.protected.census import CensusSystem, recomputed
from sdc_core.questions.protected.coverage import Coverage
from sdc_core.questions.protected.perverse import Trick
from sdc_core.questions.protected.words import unbroken
from sdc_core.words.guarantees import PromiseWord, promise_word
from sdc_core.words.numbers import sensible

_TABLE_STYLE = """<style>
.five { width: 100%; border-collapse: collapse; font-size: .88rem; line-height: 1.42;
  font-variant-numeric: tabular-nums; table-layout: fixed; }
.five th, .five td { text-align: left; vertical-align: top; padding: .6rem .9rem .6rem 0;
  border: 0; border-bottom: 1px solid rgba(128,128,128,.28); font-weight: 400; }
.five thead th { font-weight: 650; padding-bottom: .4rem; vertical-align: bottom; }
.five tbody th { padding-left: .7rem; border-left: 4px solid var(--family);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.five sup, .folds sup, .systems sup { line-height: 0; }
.five .name { font-weight: 650; font-size: .98rem; display: block; }
.five .kin { display: block; opacity: .7; font-size: .8rem; margin-top: .1rem; }
.five .now { display: block; font-size: .82rem; font-weight: 600; margin-top: .4rem; }
.folds { display: none; font-size: .92rem; line-height: 1.42;
  font-variant-numeric: tabular-nums; }
.folds details { border-left: 4px solid var(--family); padding: .45rem 0 .45rem .8rem;
  margin-bottom: .6rem; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.folds summary { cursor: pointer; }
.folds summary .name { font-weight: 650; }
.folds .kin { display: block; opacity: .7; font-size: .82rem; }
.folds .now { display: block; font-size: .85rem; font-weight: 600; }
.folds .label { display: block; font-weight: 650; font-size: .8rem; opacity: .75;
  margin-top: .5rem; }
@media (max-width: 900px) { .five { display: none; } .folds { display: block; } }
@media print { .five tr { break-inside: avoid; } }
</style>"""

_CENSUS_STYLE = """<style>
.systems { display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr));
  grid-template-rows: repeat(8, auto); gap: 0 2rem; font-size: .9rem; line-height: 1.45;
  font-variant-numeric: tabular-nums; }
.systems > div { display: grid; grid-row: span 8; grid-template-rows: subgrid;
  border-top: 3px solid var(--family); padding-top: .5rem; margin-bottom: 1.4rem;
  break-inside: avoid; }
.systems .name { font-weight: 650; font-size: 1.05rem; }
.systems .role { opacity: .75; padding-bottom: .2rem; }
.systems .label { display: block; font-weight: 650; font-size: .8rem; opacity: .75;
  margin-top: .55rem; }
.systems .source { opacity: .7; font-size: .8rem; margin-top: .7rem; }
.systems b { font-weight: 650; }
</style>"""

_HIGHER = 2 * "<br>\u00a0"  # every other head, to be upright beside the next on a phone
COLUMNS: dict[PromiseWord, str] = {
    "holds": f"holds{_HIGHER}", "holds in part": "holds<br>in part",
    "too slack": f"too slack{_HIGHER}", "nearly empty": "nearly<br>empty",
    "broken": f"broken{_HIGHER}", "none": "none",
}
_ROW, _HEADS = 52, 76  # three short lines: what it does in one or two, and what it is called


def promise_dots(covered: Sequence[Coverage]) -> go.Figure:
    """A row a method, its mark under what its promise comes to; sorted by that. One that does not
    fit the table says so instead."""
    words = list(COLUMNS)
    fitting = [(c, promise_word(c.guarantee)) for c in covered if c.guarantee is not None]
    fitting.sort(key=lambda pair: words.index(pair[1]))
    unfit = [c for c in covered if c.guarantee is None]
    looks = styles([c.method() for c, _ in fitting])
    shown = [*(c for c, _ in fitting), *unfit]
    names = [c.method.title for c in shown]
    marks = scatter(
        x=[words.index(word) for _, word in fitting], y=names[: len(fitting)], mode="markers",
        name="promise",
        marker={"color": [look.color for look in looks], "symbol": [one.symbol for one in looks],
                "size": 13},
        customdata=[(c.method().plain_label(), word, c.in_short) for c, word in fitting],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}: %{customdata[2]}<extra></extra>",
    )
    rest = scatter(
        x=[0] * len(unfit), y=names[len(fitting):], mode="text", name="does not fit",
        text=["does not fit this table"] * len(unfit), textposition="middle right",
        textfont={"color": MUTED_TEXT}, hoverinfo="skip",
    )
    return figure(
        [marks, *([rest] if unfit else [])], _HEADS + _ROW * len(names),
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        xaxis={**GRID, "side": "top", "tickvals": list(range(len(words))),
               "ticktext": list(COLUMNS.values()), "tickfont": {"size": 12}, "tickangle": 0,
               "zeroline": False,
               "range": [-0.6, len(words) - 0.4], "fixedrange": True},
        yaxis={**GRID, "type": "category", "categoryorder": "array", "categoryarray": names[::-1],
               "tickvals": names, "ticktext": [_plain_name(c) for c in shown],
               "tickfont": {"size": 12},
               "fixedrange": True},
    )


def _plain_name(c: Coverage) -> str:
    """What it does, and under it what it is called and how it is set."""
    plain, _, named = c.method().plain_label().rpartition(" (")
    lines = textwrap.wrap(plain, 24)
    return "<br>".join([*lines, f"<span style='font-size:10.5px'>{named[:-1]}</span>"])


def alt_text(covered: Sequence[Coverage]) -> str:
    """The chart for those who do not see it: every method under its word."""
    parts = []
    for word in COLUMNS:
        named = [c.method().plain_label() for c in covered
                 if c.guarantee is not None and promise_word(c.guarantee) == word]
        if named:
            parts.append(f"{word}: {'; '.join(named)}")
    unfit = [c.method().plain_label() for c in covered if c.guarantee is None]
    if unfit:
        parts.append(f"does not fit this table: {'; '.join(unfit)}")
    return f"What each method's promise comes to on this table. {'. '.join(parts)}."


def answers_table(covered: Sequence[Coverage]) -> str:
    """Every method's five answers, with what it promises on the table at hand."""
    heads = "".join(f'<th scope="col" role="columnheader">{q}</th>' for q in QUESTIONS.values())
    rows = "".join(_row(one) for one in covered)
    folds = "".join(_fold(one, opened=i == 0) for i, one in enumerate(covered))
    return (
        f'{_TABLE_STYLE}<table class="five" role="table"><thead role="rowgroup"><tr role="row">'
        f'<th scope="col" role="columnheader">Method</th>{heads}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table><div class="folds">{folds}</div>'
    )


def _row(one: Coverage) -> str:
    method = one.method
    cells = "".join(
        f'<td role="cell">{_words(getattr(method.protection, name))}</td>' for name in QUESTIONS
    )
    return (
        f'<tr role="row" style="--family:{SHADES[method.family][0]}">'
        f'<th scope="row" role="rowheader">{_head(one)}</th>{cells}</tr>'
    )


def _fold(one: Coverage, opened: bool) -> str:
    answers = "".join(
        f'<div><span class="label">{question}</span>'
        f"{_words(getattr(one.method.protection, name))}</div>"
        for name, question in QUESTIONS.items()
    )
    return (
        f'<details{" open" if opened else ""} style="--family:{SHADES[one.method.family][0]}">'
        f"<summary>{_head(one)}</summary>{answers}</details>"
    )


def _head(one: Coverage) -> str:
    return (
        f'<span class="name">{html.escape(one.method.plain)}</span>'
        f'<span class="kin">{html.escape(one.method.title)}</span>'
        f'<span class="kin">{html.escape(FAMILY_TITLES[one.method.family])}</span>'
        f'<span class="now">{_words(one.in_short)}</span>'
    )


def _words(text: str) -> str:
    return html.escape(unbroken(text)).replace("e^ε", "e<sup>ε</sup>")


def census_cards(systems: Sequence[CensusSystem]) -> str:
    """The census's methods side by side, question by question on one line."""
    body = "".join(_system(one) for one in systems)
    return f'{_CENSUS_STYLE}<div class="systems">{body}</div>'


def _system(system: CensusSystem) -> str:
    color = SHADES[system.family][0]
    answers = ""
    for name, question in QUESTIONS.items():
        text = _words(getattr(system.protection, name))
        if name == "how_much":
            text += "".join(
                f"<br>{html.escape(budget.product)}, printed: <b>{_words(budget.printed)}</b>"
                f"<br>recomputed: <b>{_words(recomputed(budget))}</b>"
                for budget in system.budgets
            )
        answers += f'<div><span class="label">{question}</span>{text}</div>'
    return (
        f'<div style="--family:{color}"><div class="name">{html.escape(system.name)}</div>'
        f'<div class="role">{html.escape(system.role)}</div>{answers}'
        f'<div class="source">Source: {html.escape(system.source)}.</div></div>'
    )


def claims_table(ways: Sequence[Trick]) -> pd.DataFrame:
    """Every way to quote ε as a row."""
    return pd.DataFrame(
        [
            {"Way": way.title, "Quoted": claim.label, "Privacy loss (ε)": claim.epsilon}
            for way in ways
            for claim in way.claims
        ]
    )


def trick_bars(trick: Trick) -> str:
    """The ways to quote one ε, the most honest in grey."""
    color = SHADES[trick.family][0]
    looks = [
        Style(MUTED if i == 0 else color, DASHES[trick.family], "circle")
        for i in range(len(trick.claims))
    ]
    values = [claim.epsilon for claim in trick.claims]
    texts = [f"ε = {sensible(value)}" for value in values]
    panel = Panel(
        "Quoted privacy loss, ε", "less looks better", values, [0.0] * len(values), texts,
        max(*values, 1e-9),
    )
    return bars([panel], [claim.label for claim in trick.claims], looks, trick.sentence)

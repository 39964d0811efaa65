"""Charts and tables of Told apart: propensity scores, summary bars, k-marginal scores by place."""

from __future__ import annotations

import html
import itertools
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    FAILURE,
    GRID,
    MUTED,
    Style,
    faded,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.kmarginal import BEST
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.propensity import CLASSIFIERS, GIVES_AWAY
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.questions.told_apart.compute import BINS, MARGINALS, CopyScores, ToldApart
from sdc_core.questions.told_apart.words import is_told
from sdc_core.words.evaluations import releases_text, with_error
from sdc_core.words.numbers import percent, sensible

EDGES = np.linspace(0, 100, BINS + 1)
MOST_PLACES = 40
MOST_LISTED = 12
_LIST_STYLE = """<style>
ul.away.away { list-style: none; margin: 0; padding: 0; font-size: .9rem; display: grid;
  gap: .55rem 1.6rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); }
ul.away.away li { margin: 0; padding: 0; } .away p { margin: 0; }
.away i { font-style: normal; margin-right: 1rem; padding-left: .4rem; border-left: .6rem solid;
  display: inline-block; line-height: 1.1; opacity: .85; }
</style>"""
SHARE_TICKS = (0, 1, 5, 20, 50, 100)


def _height(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares are drawn by their square root: one in a hundred is still seen beside all."""
    return np.sqrt(100 * share)


def score_charts(found: Sequence[ToldApart], classifier: str) -> list[go.Figure]:
    """How sure is the classifier that a record was released? One chart a method, one scale."""
    scored = [one for one in found if one.scores]
    looks = styles([one.mechanism for one in scored])
    scores = [one.scores[classifier] for one in scored]
    top = max((float(max(s.original.max(), s.released.max())) for s in scores), default=1.0)
    return [
        _score_chart(one, classifier, look, top) for one, look in zip(scored, looks, strict=True)
    ]


def _score_chart(one: ToldApart, classifier: str, look: Style, top: float) -> go.Figure:
    scores = one.scores[classifier]
    middle = ((EDGES[1:] + EDGES[:-1]) / 2).tolist()
    traces = [
        scatter(
            x=middle, y=_height(share).tolist(), mode="lines", name=name, fill="tozeroy",
            line={"color": color, "shape": "hvh", "width": 2}, fillcolor=faded(color, strength),
            text=[
                f"{name} records: {100 * s:.2g}%<br>score {a:.0f} to {b:.0f}"
                for s, (a, b) in zip(share, itertools.pairwise(EDGES), strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
        for name, share, color, strength in (
            ("original", scores.original, MUTED, 0.30),
            ("released", scores.released, look.color, 0.22),
        )
    ]
    away = with_error(scores.share.mean, scores.share.error, percent)
    note = f"{away} recognised"  # a quarter of the page holds some 35 letters
    if not is_told(one, classifier):
        note = f"{away}, as many by mistake"
    if not scores.away.mean:
        note = f"none recognised in {releases_text(one.releases)}"
    return figure(
        traces, 320, title=titled(_lines(one.mechanism.plain_label(), 34), note),
        margin={"l": 8, "r": 12, "t": 66, "b": 8}, showlegend=True,
        legend={"orientation": "h", "x": 0, "y": -0.24, "yanchor": "top"},
        shapes=[{
            "type": "rect", "x0": 100 * GIVES_AWAY, "x1": 100, "y0": 0, "y1": 1, "yref": "paper",
            "fillcolor": faded(FAILURE, 0.16), "line": {"width": 0}, "layer": "below",
        }],
        xaxis={
            **GRID, "range": [0, 100], "tickvals": [0, 25, 50, 75, 95], "zeroline": False,
            "title": {"text": "score: how surely released", "standoff": 6},
        },
        yaxis={
            **GRID, "range": [0, float(_height(np.array([top * 1.1]))[0])],
            "tickvals": [float(np.sqrt(t)) for t in SHARE_TICKS],
            "ticktext": [f"{t}%" for t in SHARE_TICKS],
        },
    )


def _lines(text: str, width: int) -> str:
    lines = textwrap.wrap(text, width, break_long_words=False)
    return "<br>".join(safe_label(line) for line in lines)


def score_table(found: Sequence[ToldApart], classifier: str) -> pd.DataFrame:
    """The distributions as numbers: one row a range of scores."""
    rows: dict[str, Any] = {
        "score": [f"{a:.0f} to {b:.0f}" for a, b in itertools.pairwise(EDGES)]
    }
    for i, one in enumerate((one for one in found if one.scores), start=1):
        scores = one.scores[classifier]
        rows[f"original %, {i}. {one.mechanism.label()}"] = 100 * scores.original
        rows[f"released %, {i}. {one.mechanism.label()}"] = 100 * scores.released
    return pd.DataFrame(rows)


class Recognised(NamedTuple):
    """Patterns with records of the first release that give themselves away, the most frequent
    first; and for each method that has some how many, by pattern. `pair` knows their words."""

    pair: SideBySide
    patterns: list[tuple[int, ...]]
    people: dict[tuple[int, ...], int]  # in the data
    records: dict[int, dict[tuple[int, ...], int]]  # by position of the method
    methods: list[Mechanism]

    def who(self, pattern: tuple[int, ...]) -> str:
        return self.pair.in_words(pattern)


def given_away(found: Sequence[ToldApart], classifier: str) -> Recognised:
    """Whose records of the first release give themselves away?"""
    people: dict[tuple[int, ...], int] = {}
    records: dict[int, dict[tuple[int, ...], int]] = {}
    scored = [one for one in found if one.scores]
    for i, one in enumerate(scored):
        scores = one.scores[classifier].first
        away, pair = scores.given_away(), scores.pair
        rows = np.flatnonzero(away)
        codes = list(map(tuple, pair.codes[rows].tolist()))
        people |= zip(codes, pair.original[rows].tolist(), strict=True)
        if len(rows):  # a column of zeros alone says nothing
            records[i] = dict(zip(codes, away[rows].tolist(), strict=True))
    most = {one: max(known.get(one, 0) for known in records.values()) for one in people}
    patterns = sorted(people, key=lambda one: -most[one])
    return Recognised(
        scored[0].scores[classifier].first.pair, patterns, people, records,
        [one.mechanism for one in scored])


def given_away_table(listed: Recognised) -> pd.DataFrame:
    """All of them, in words."""
    columns: dict[str, list[Any]] = {
        "who": [listed.who(one) for one in listed.patterns],
        "people in the data": [listed.people[one] for one in listed.patterns],
    }
    for i, known in listed.records.items():
        columns[f"{i + 1}. {listed.methods[i].label()}"] = [
            known.get(one, 0) for one in listed.patterns]
    return pd.DataFrame(columns)


def given_away_list(listed: Recognised) -> str:
    """The first of them as a list, which is read on a phone as well."""
    looks = styles(listed.methods)
    items = "".join(
        f"<li><p>{html.escape(listed.who(one))}: {listed.people[one] or 'nobody'} in the data</p>"
        + "".join(
            f'<i style="border-color:{looks[i].color}">{known[one]} after '
            f"{html.escape(listed.methods[i].spoken())}</i>"
            for i, known in listed.records.items() if one in known
        ) + "</li>"
        for one in listed.patterns[:MOST_LISTED]
    )
    return f'{_LIST_STYLE}<ul class="away">{items}</ul>'


def summary_bars(
    found: Sequence[ToldApart], against: CopyScores, classifier: str, alt: str
) -> str:
    """Records that are recognised, with values that people and that nobody has, pMSE ratios and the
    k-marginal scores, as bars in family colours."""
    shown = [one for one in found if one.scores]
    panels = [*_spotted(shown, classifier), _ratio(shown, against, classifier)]
    for ways, k in table_sizes(shown).items():
        known = [one.tables[k] if one.tables else None for one in shown]
        lost = [0.0 if t is None else 100 * t.misplaced for t in known]
        panels.append(Panel(
            f"Misplaced in {ways}-way tables",
            f"fresh sample: {_misplaced(against.fresh_scores[k])}", lost,
            [0.0 if t is None else _drawn(t.score.error) / 10 for t in known],
            [_misplaced(float("nan") if t is None else t.score.mean) for t in known],
            max([1.0, *lost]),
        ))
    mechanisms = [one.mechanism for one in shown]
    return bars(panels, [m.plain_label() for m in mechanisms], styles(mechanisms), alt)


def _spotted(shown: Sequence[ToldApart], classifier: str) -> list[Panel]:
    """Records that give themselves away, as a share of all released: in groups that have people,
    and in groups that have nobody. One scale for both."""
    scores = [one.scores[classifier] for one in shown]
    parts = [
        [OverReleases(number(s) / one.released.each) for s, one in zip(scores, shown, strict=True)]
        for number in (lambda s: s.away.each - s.invented.each, lambda s: s.invented.each)
    ]
    top = max([1.0, *(100 * share.mean for part in parts for share in part)])
    model = CLASSIFIERS[classifier].title.lower()
    return [
        Panel(title, f"% of released records, {model}", [100 * share.mean for share in part],
              [100 * _drawn(share.error) for share in part],
              [percent(share.mean) for share in part], top)
        for title, part in zip(
            ("Recognised, values that people have", "Recognised, values that nobody has"), parts,
            strict=True,
        )
    ]


def _ratio(shown: Sequence[ToldApart], against: CopyScores, classifier: str) -> Panel:
    ratios = [one.scores[classifier].ratio for one in shown]
    copy = against.references[classifier]
    fresh = copy.fresh / copy.copy if copy.copy > 0 else float("nan")
    values = [r.mean if np.isfinite(r.mean) else 0.0 for r in ratios]
    return Panel(
        CLASSIFIERS[classifier].title, f"pMSE, copy = 1, fresh sample = {_text(fresh)}", values,
        [_drawn(r.error) for r in ratios], [_text(r.mean) for r in ratios], max([2.0, *values]),
    )


def _drawn(error: float) -> float:
    """A standard error to draw; one release has none."""
    return error if np.isfinite(error) else 0.0


def table_sizes(found: Sequence[ToldApart]) -> dict[int, int]:
    """How many features the small tables really have, and which k asks for them: with few features
    tables of three are those of two, and are shown once."""
    known = [one.tables for one in found if one.tables]
    if not known:
        return {k: k for k in MARGINALS}
    sizes = {len(known[0][k].first.by_set[0][0]): k for k in reversed(MARGINALS)}
    return dict(sorted(sizes.items()))


def _text(number: float) -> str:
    return sensible(number) if np.isfinite(number) else "not defined"


def _misplaced(score: float) -> str:
    if not np.isfinite(score):
        return "not defined"
    return f"{percent(1 - score / BEST)} (score {int(score)})"


def summary_table(found: Sequence[ToldApart], against: CopyScores) -> pd.DataFrame:
    """All summary numbers, means over releases with their standard errors, one row a method."""
    rows = []
    for one in found:
        row: dict[str, Any] = {
            "mechanism": one.mechanism.label(), "releases": one.releases,
            "released people": one.released.mean, "in empty groups": one.invented.mean,
        }
        for name, scores in one.scores.items():
            title = CLASSIFIERS[name].title
            for what, number in (
                ("pMSE", scores.pmse), ("times a copy's", scores.ratio),
                ("give themselves away", scores.away),
                ("of them in empty groups", scores.invented),
                ("give themselves away %", OverReleases(100 * scores.share.each)),
                ("original records accused", scores.accused),
            ):
                row[f"{what}, {title}"] = number.mean
                row[f"standard error, {what}, {title}"] = number.error
        for k, tables in one.tables.items():
            row[f"{k}-marginal score"] = tables.score.mean
            row[f"standard error, {k}-marginal score"] = tables.score.error
            row[f"{k}-marginal, in empty groups %"] = 100 * tables.invented.mean
        row["note"] = one.problem
        rows.append(row)
    fresh: dict[str, Any] = {"mechanism": "a fresh sample"}
    for name, reference in against.references.items():
        fresh[f"pMSE, {CLASSIFIERS[name].title}"] = reference.fresh
        if reference.copy > 0:
            fresh[f"times a copy's, {CLASSIFIERS[name].title}"] = reference.fresh / reference.copy
    fresh |= {f"{k}-marginal score": score for k, score in against.fresh_scores.items()}
    return pd.DataFrame([*rows, fresh])


def worst_places(found: Sequence[ToldApart], k: int) -> set[str]:
    """The places that are drawn: all, or of many those with the lowest score of any method."""
    lowest: dict[str, float] = {}
    for one in found:
        for p in one.tables[k].places if one.tables else ():
            lowest[p.name] = min(p.score.mean, lowest.get(p.name, BEST))
    return set(sorted(lowest, key=lambda name: lowest[name])[:MOST_PLACES])


def left_out_places(found: Sequence[ToldApart], k: int) -> str:
    """What the chart does not show, if anything."""
    total = max((len(one.tables[k].places) for one in found if one.tables), default=0)
    if total <= MOST_PLACES:
        return ""
    return f"Of {total:,} places, the {MOST_PLACES} with the lowest mean scores are shown."


def place_chart(found: Sequence[ToldApart], k: int) -> list[go.Figure]:
    """k-marginal score of each place, one mark a method."""
    shown = [one for one in found if one.tables and one.tables[k].places]
    looks = styles([one.mechanism for one in shown])
    chosen = worst_places(shown, k)
    places = [
        [p for p in one.tables[k].places if p.name in chosen] for one in shown
    ]
    rows = [
        _lines(p.name.replace("–", "– "), 22).replace("– ", "–") for p in (places or [[]])[0]
    ]
    each = 14 + 15 * max((row.count("<br>") + 1 for row in rows), default=1)  # pixels for a row
    tall = each * max(len(rows), 1)
    lowest = min((p.score.mean for one in shown for p in one.tables[k].places), default=BEST)
    traces = [
        scatter(
            x=[p.score.mean for p in drawn], y=rows, mode="markers",
            name=in_legend(safe_label(one.mechanism.plain_label())), cliponaxis=False,
            marker={"color": look.color, "symbol": look.symbol, "size": 11},
            error_x={"type": "data", "array": [_drawn(p.score.error) for p in drawn],
                     "thickness": 1, "width": 3},
            customdata=[[p.people, p.released.mean, _drawn(p.score.error)] for p in drawn],
            hovertemplate=f"{safe_label(one.mechanism.plain_label())}<br>%{{y}}<br>score "
            "%{x:.0f} ± %{customdata[2]:.1f}<br>%{customdata[0]:,} people, %{customdata[1]:,.0f} "
            "released<extra></extra>",
        )
        for one, drawn, look in zip(shown, places, looks, strict=True)
    ]
    return [figure(
        traces, tall + 150, showlegend=True, margin={"l": 8, "r": 16, "t": 8, "b": 8},
        legend={"orientation": "h", "x": 0, "y": -60 / tall, "yanchor": "top"},
        xaxis={**GRID, "range": [min(lowest - 15, 950), 1002], "zeroline": False,
               "title": {"text": f"{k}-marginal score (1000: the same shares)", "standoff": 6}},
        yaxis={**GRID, "autorange": "reversed", "type": "category", "tickfont": {"size": 11}},
    )]


def place_table(found: Sequence[ToldApart], k: int) -> pd.DataFrame:
    return pd.DataFrame([
        {"mechanism": one.mechanism.label(), "place": p.name, "people": p.people,
         "released": p.released.mean, "score": p.score.mean, "standard error": p.score.error}
        for one in found if one.tables for p in one.tables[k].places
    ])

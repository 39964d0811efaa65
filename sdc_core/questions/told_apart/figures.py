"""Charts and tables of Told apart: propensity scores, summary bars, k-marginal scores by place."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

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
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.metrics.kmarginal import BEST
from sdc_core.metrics.propensity import CLASSIFIERS, GIVES_AWAY, Propensity
from sdc_core.questions.told_apart.compute import MARGINALS, CopyScores, ToldApart
from sdc_core.words.numbers import percent, sensible

BINS = 20  # of 5 points each, so that the last one is where records give themselves away
MOST_PLACES = 40
SHARE_TICKS = (0, 1, 5, 20, 50, 100)


def _height(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares are drawn by their square root: one in a hundred is still seen beside all."""
    return np.sqrt(100 * share)


def score_charts(found: Sequence[ToldApart], classifier: str) -> list[go.Figure]:
    """How sure is the classifier that a record was released? One chart a method, one scale."""
    scored = [one for one in found if one.propensities]
    looks = styles([one.mechanism for one in scored])
    distributions = [one.propensities[classifier].distribution(BINS) for one in scored]
    top = max((float(np.max(d[1:])) for d in distributions), default=1.0)
    return [
        _score_chart(one, one.propensities[classifier], look, top)
        for one, look in zip(scored, looks, strict=True)
    ]


def _score_chart(one: ToldApart, scores: Propensity, look: Style, top: float) -> go.Figure:
    edges, original, released = scores.distribution(BINS)
    middle = ((edges[1:] + edges[:-1]) / 2).tolist()
    away = int(scores.given_away().sum())
    traces = [
        scatter(
            x=middle, y=_height(share).tolist(), mode="lines", name=name, fill="tozeroy",
            line={"color": color, "shape": "hvh", "width": 2}, fillcolor=faded(color, strength),
            text=[
                f"{name} records: {100 * s:.2g}%<br>score {a:.0f} to {b:.0f}"
                for s, (a, b) in zip(share, itertools.pairwise(edges), strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
        for name, share, color, strength in (
            ("original", original, MUTED, 0.30), ("released", released, look.color, 0.22),
        )
    ]
    note = f"{away:,} of {one.released:,} records give themselves away" if away else (
        "nobody gives themselves away"
    )
    ticks = [t for t in SHARE_TICKS if t <= 100 * top * 1.3]
    return figure(
        traces, 320, title=titled(_lines(one.mechanism.label(), 38), note),
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
            "tickvals": [float(np.sqrt(t)) for t in ticks], "ticktext": [f"{t}%" for t in ticks],
        },
    )


def _lines(text: str, width: int) -> str:
    lines = textwrap.wrap(text, width, break_long_words=False)
    return "<br>".join(safe_label(line) for line in lines)


def score_table(found: Sequence[ToldApart], classifier: str) -> pd.DataFrame:
    """The distributions as numbers: one row a range of scores."""
    rows: dict[str, Any] = {}
    for i, one in enumerate((one for one in found if one.propensities), start=1):
        edges, original, released = one.propensities[classifier].distribution(BINS)
        rows["score"] = [f"{a:.0f} to {b:.0f}" for a, b in itertools.pairwise(edges)]
        rows[f"original %, {i}. {one.mechanism.label()}"] = 100 * original
        rows[f"released %, {i}. {one.mechanism.label()}"] = 100 * released
    return pd.DataFrame(rows)


def given_away_table(found: Sequence[ToldApart], classifier: str) -> pd.DataFrame:
    """Whose released records give themselves away: patterns in words, the most frequent first."""
    columns: dict[str, dict[tuple[int, ...], int]] = {}
    patterns: dict[tuple[int, ...], tuple[str, int]] = {}
    for i, one in enumerate((one for one in found if one.propensities), start=1):
        scores = one.propensities[classifier]
        away, pair = scores.given_away(), scores.pair
        rows = np.flatnonzero(away)
        codes = [tuple(pattern) for pattern in pair.codes[rows].tolist()]
        people = zip(pair.describe(rows), pair.original[rows].tolist(), strict=True)
        patterns |= dict(zip(codes, people, strict=True))
        if len(rows):  # a column of zeros alone says nothing
            columns[f"{i}. {one.mechanism.label()}"] = dict(
                zip(codes, away[rows].tolist(), strict=True))
    table = pd.DataFrame(list(patterns.values()), columns=["who", "people in the data"])
    for name, known in columns.items():
        table[name] = [known.get(pattern, 0) for pattern in patterns]
    order = table[list(columns)].max(axis=1).sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def summary_bars(found: Sequence[ToldApart], against: CopyScores, alt: str) -> str:
    """pMSE ratios of both classifiers and the k-marginal scores, as bars in family colours."""
    shown = [one for one in found if one.propensities]
    panels = []
    for name, classifier in CLASSIFIERS.items():
        ratios = [one.propensities[name].ratio for one in shown]
        copy = against.references[name]
        fresh = copy.fresh / copy.copy if copy.copy > 0 else float("nan")
        values = [r if np.isfinite(r) else 0.0 for r in ratios]
        panels.append(Panel(
            classifier.title, f"pMSE, copy = 1, fresh sample = {_text(fresh)}", values,
            [0.0] * len(shown), [_text(r) for r in ratios], max([2.0, *values]),
        ))
    for ways, k in table_sizes(shown).items():
        scores = [one.marginals[k].score if one.marginals else float("nan") for one in shown]
        lost = [(BEST - s) / 10 if np.isfinite(s) else 0.0 for s in scores]
        panels.append(Panel(
            f"Misplaced in {ways}-way tables",
            f"fresh sample: {_misplaced(against.fresh_scores[k])}",
            lost, [0.0] * len(shown), [_misplaced(s) for s in scores], max([1.0, *lost]),
        ))
    mechanisms = [one.mechanism for one in shown]
    return bars(panels, [m.label() for m in mechanisms], styles(mechanisms), alt)


def table_sizes(found: Sequence[ToldApart]) -> dict[int, int]:
    """How many features the small tables really have, and which k asks for them: with few features
    tables of three are those of two, and are shown once."""
    known = [one.marginals for one in found if one.marginals]
    if not known:
        return {k: k for k in MARGINALS}
    sizes = {len(known[0][k].by_set[0][0]): k for k in reversed(MARGINALS)}
    return dict(sorted(sizes.items()))


def _text(number: float) -> str:
    return sensible(number) if np.isfinite(number) else "not defined"


def _misplaced(score: float) -> str:
    if not np.isfinite(score):
        return "not defined"
    return f"{percent(1 - score / BEST)} (score {int(score)})"


def summary_table(found: Sequence[ToldApart], against: CopyScores) -> pd.DataFrame:
    """All summary numbers, one row a method."""
    rows = []
    for one in found:
        row: dict[str, Any] = {
            "mechanism": one.mechanism.label(), "released people": one.released,
        }
        for name, scores in one.propensities.items():
            title = CLASSIFIERS[name].title
            row[f"pMSE, {title}"] = scores.pmse
            row[f"times a copy's, {title}"] = scores.ratio
            row[f"give themselves away, {title}"] = int(scores.given_away().sum())
            row[f"original records accused, {title}"] = scores.accused()
        row |= {f"{k}-marginal score": found_k.score for k, found_k in one.marginals.items()}
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
        for p in one.marginals[k].places if one.marginals else ():
            lowest[p.name] = min(p.score, lowest.get(p.name, BEST))
    return set(sorted(lowest, key=lambda name: lowest[name])[:MOST_PLACES])


def left_out_places(found: Sequence[ToldApart], k: int) -> str:
    """What the chart does not show, if anything."""
    total = max((len(one.marginals[k].places) for one in found if one.marginals), default=0)
    if total <= MOST_PLACES:
        return ""
    return f"Of {total:,} places, the {MOST_PLACES} with the lowest scores are shown."


def place_chart(found: Sequence[ToldApart], k: int) -> list[go.Figure]:
    """k-marginal score of each place, one mark a method."""
    shown = [one for one in found if one.marginals and one.marginals[k].places]
    looks = styles([one.mechanism for one in shown])
    chosen = worst_places(shown, k)
    places = [p.name for p in shown[0].marginals[k].places if p.name in chosen] if shown else []
    rows = [_lines(place.replace("–", "– "), 22).replace("– ", "–") for place in places]
    each = 14 + 15 * max((row.count("<br>") + 1 for row in rows), default=1)  # pixels for a row
    tall = each * max(len(rows), 1)
    lowest = min((p.score for one in shown for p in one.marginals[k].places), default=BEST)
    traces = [
        scatter(
            x=[p.score for p in one.marginals[k].places if p.name in chosen], y=rows,
            mode="markers",
            name=safe_label(one.mechanism.label()), cliponaxis=False,
            marker={"color": look.color, "symbol": look.symbol, "size": 11},
            customdata=[
                [p.people, p.released] for p in one.marginals[k].places if p.name in chosen
            ],
            hovertemplate=f"{safe_label(one.mechanism.label())}<br>%{{y}}<br>score %{{x:.0f}}<br>"
            "%{customdata[0]:,} people, %{customdata[1]:,} released<extra></extra>",
        )
        for one, look in zip(shown, looks, strict=True)
    ]
    return [figure(
        traces, tall + 150, showlegend=True, margin={"l": 8, "r": 16, "t": 8, "b": 8},
        legend={"orientation": "h", "x": 0, "y": -60 / tall, "yanchor": "top"},
        xaxis={**GRID, "range": [min(lowest - 15, 950), 1002], "zeroline": False,
               "title": {"text": f"{k}-marginal score (1000: all tables agree)", "standoff": 6}},
        yaxis={**GRID, "autorange": "reversed", "type": "category", "tickfont": {"size": 11}},
    )]


def place_table(found: Sequence[ToldApart], k: int) -> pd.DataFrame:
    return pd.DataFrame([
        {"mechanism": one.mechanism.label(), "place": p.name, "people": p.people,
         "released": p.released, "score": p.score}
        for one in found if one.marginals for p in one.marginals[k].places
    ])

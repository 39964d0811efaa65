"""Who gains and who loses, as HTML bars; who changes sides, as a chart with the threshold in it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink
from sdc_core.figures.theme import (
    FAILURE,
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    safe_label,
    scatter,
    styles,
)
from sdc_core.metrics.decisions import Decisions, Floats, Money, Outcome
from sdc_core.questions.funding.words import dollars, how_often, in_order_of, units
from sdc_core.words.chance import STANDARD_ERRORS, at_most
from sdc_core.words.numbers import percent

MOST_PLACES = 12  # with a bar
MOST_SHARES = 8  # in the chart of the rule, where a place takes more room
_ROW = 21  # pixels between two methods of one place

STYLE = """<style>
.gains { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr));
  gap: 1.4rem 1.5rem; font-variant-numeric: tabular-nums; font-size: .82rem; }
.gains h3 { font-size: .9rem; font-weight: 650; margin: 0 0 .1rem 0; padding: 0; }
.gains .note { opacity: .75; display: block; margin-bottom: .1rem; }
.gains .row { margin-top: .45rem; line-height: 1.25; }
.gains .row p { display: flex; justify-content: space-between; gap: .6rem; margin: 0;
  font-size: .82rem; }
.gains .row b { white-space: nowrap; }
.gains .track { position: relative; height: 13px; margin-top: 2px; }
.gains .track i { position: absolute; display: block; }
.gains .bar { top: 0; height: 13px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.gains .loss { opacity: .55; }
.gains .band { top: 5.5px; height: 2px; background: currentColor; opacity: .55; }
.gains .zero { left: 50%; top: -2px; height: 17px; width: 1px; background: currentColor;
  opacity: .5; }
</style>"""


def most_moved(found: Decisions, most: int = MOST_PLACES) -> list[int]:
    """The places that any method moves most; first those that gain most, where that is no chance.
    """
    gains = [o.money.gain for o in found.outcomes if o.money.releases]
    if not gains:
        return list(range(len(found.places)))[:most]
    largest = np.max(np.abs(gains), axis=0)
    shown = sorted(int(i) for i in np.argsort(-largest, kind="stable")[:most])
    first = in_order_of(found)
    return shown if first is None else sorted(shown, key=lambda i: -float(first.money.gain[i]))


def nearest_threshold(found: Decisions, most: int = MOST_SHARES) -> list[int]:
    """The places whose true share is nearest the threshold, the largest share first."""
    distance = np.nan_to_num(np.abs(found.shares - found.percent / 100), nan=2.0)
    nearest = sorted(int(i) for i in np.argsort(distance, kind="stable")[:most])
    return sorted(nearest, key=lambda i: -float(np.nan_to_num(found.shares[i], nan=-1.0)))


def gains(found: Decisions, alt: str) -> str:
    """One panel a method, one signed bar a place, all on one symmetric scale."""
    reach = [
        np.nanmax(np.abs(np.concatenate([o.money.low, o.money.high, o.money.gain])))
        for o in found.outcomes if o.money.releases
    ]
    top = max([1.0, *(float(r) for r in reach)])
    shown = most_moved(found)
    looks = styles([o.mechanism for o in found.outcomes])
    panels = "".join(
        _panel(found, outcome, look, shown, top)
        for outcome, look in zip(found.outcomes, looks, strict=True)
    )
    return f'{STYLE}<div class="gains" role="group" aria-label="{html.escape(alt)}">{panels}</div>'


def _panel(
    found: Decisions, outcome: Outcome, look: Style, shown: Sequence[int], top: float
) -> str:
    title = f"<h3>{html.escape(outcome.mechanism.plain_label())}</h3>"
    if not outcome.money.releases:
        return f'<div>{title}<span class="note">no release has a member to share by</span></div>'
    notes = [f"{_moved(outcome.money)} to wrong {units(found)}"]
    if any(o.invented > 0 for o in found.outcomes):  # a line in every panel, so that rows align
        notes.append(_without_empty(outcome))
    note = "".join(f'<span class="note">{one}</span>' for one in notes)
    rows = "".join(_gain_row(found, outcome, look, place, top) for place in shown)
    return f"<div>{title}{note}{rows}</div>"


def _without_empty(outcome: Outcome) -> str:
    """What would go to the wrong places if nobody were put into groups that have nobody."""
    if not outcome.invented:
        return "leaves empty groups at 0"
    if outcome.kept is None or not outcome.kept.releases:
        return "moves people into empty groups"
    return f"empty groups at 0: {_moved(outcome.kept)}"


def _moved(money: Money) -> str:
    spread = f" ± {dollars(money.moved_se)}" if money.moved_se >= 0.5 else ""
    return f"{dollars(money.moved)}{spread}"


def _gain_row(found: Decisions, outcome: Outcome, look: Style, place: int, top: float) -> str:
    money = outcome.money
    gain, low, high = (float(v[place]) for v in (money.gain, money.low, money.high))
    fair = float(found.fair[place])
    hint = (
        f"{dollars(fair + gain)} instead of {dollars(fair)}; nine of ten releases: "
        f"{dollars(low, signed=True)} to {dollars(high, signed=True)}"
    )
    start, width = _span(min(0.0, gain), max(0.0, gain), top)
    band_start, band_width = _span(low, high, top)
    band = (
        f'<i class="band" style="left:{band_start:.2f}%;width:{band_width:.2f}%"></i>'
        if band_width > 0.2 else ""
    )
    loss = " loss" if gain < 0 else ""
    return (
        f'<div class="row" title="{html.escape(hint)}"><p><span>'
        f'{html.escape(found.places[place])}</span><b>{dollars(gain, signed=True)}</b></p>'
        f'<div class="track"><i class="bar{loss}" style="left:{start:.2f}%;width:{width:.2f}%;'
        f'background:{look.color}"></i>{band}<i class="zero"></i></div></div>'
    )


def _span(low: float, high: float, top: float) -> tuple[float, float]:
    """Left end and width in per cent of a track whose middle is zero."""
    return 50 + 50 * low / top, 50 * (high - low) / top


def gains_table(found: Decisions) -> pd.DataFrame:
    """Every place: its true amount, and mean gain, error and band under each method, in the order
    of the bars."""
    table: dict[str, Any] = {
        "place": list(found.places), "members": found.members, "people": found.everybody,
        "true amount": found.fair,
    }
    for i, o in enumerate(found.outcomes):
        name = f"{i + 1}. {o.mechanism.label()}"
        table |= {
            f"gain, {name}": _without_dust(o.money.gain, found.pot),
            f"± {name}": _without_dust(o.money.gain_se, found.pot),
            f"5% of releases below, {name}": _without_dust(o.money.low, found.pot),
            f"5% of releases above, {name}": _without_dust(o.money.high, found.pot),
            f"gain with empty groups at 0, {name}": (
                np.full(len(found.places), math.nan) if o.kept is None
                else _without_dust(o.kept.gain, found.pot)
            ),
        }
    return pd.DataFrame(table).iloc[most_moved(found, len(found.places))].reset_index(drop=True)


def _without_dust(amounts: Floats, pot: float) -> Floats:
    """What only rounding in the arithmetic leaves over is nothing."""
    return np.where(np.abs(amounts) < 1e-9 * pot, 0.0, amounts)


def share_chart(found: Decisions) -> go.Figure:
    """True and released shares of each place, the threshold, and the chance of a flip."""
    shown = nearest_threshold(found)
    methods = len(found.outcomes)
    looks = styles([o.mechanism for o in found.outcomes])
    block = methods + 1.6  # rows that a place takes: its name, its methods, a gap
    heads = [i * block for i in range(len(shown))]
    traces = _truths(found, shown, heads, methods)
    for m, (outcome, look) in enumerate(zip(found.outcomes, looks, strict=True)):
        traces += _released(found, outcome, look, shown, [h + m + 1 for h in heads])
    traces.append(_threshold_line(found.percent / 100, heads, block))
    names = [
        _text(0, head, f"<b>{safe_label(found.places[p])}</b>  {percent(found.shares[p], 1)}")
        for p, head in zip(shown, heads, strict=True)
    ]
    flips = [
        _text(1, head + m + 1, _flip_text(outcome, p), looks[m].color)
        for p, head in zip(shown, heads, strict=True)
        for m, outcome in enumerate(found.outcomes)
    ]
    low, high = _reach(found, shown)
    rows = _ROW * block * len(shown)
    return figure(
        traces, int(90 + rows), showlegend=True, margin={"l": 8, "r": 118, "t": 28, "b": 8},
        legend={"orientation": "h", "y": -40 / (60 + rows), "x": 0, "yanchor": "top"},
        annotations=[*names, *flips, _threshold_name(found.percent, low, high)],
        xaxis={**GRID, "tickformat": ".0%", "range": [low, high], "zeroline": False},
        yaxis={**GRID, "range": [len(shown) * block - 0.4, -0.8], "visible": False},
    )


def _threshold_line(line: float, heads: Sequence[float], block: float) -> Trace:
    """In pieces, so that it runs beside the names and not through them."""
    return scatter(
        x=[line, line, None] * len(heads),
        y=[end for head in heads for end in (head + 0.5, head + block - 0.5, None)],
        mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": FAILURE, "width": 1.4, "dash": "dash"},
    )


def _threshold_name(per_cent: float, low: float, high: float) -> dict[str, Any]:
    """Above the line; near an end of the axis it stands on the inner side."""
    line, margin = per_cent / 100, 0.2 * (high - low)
    inside = low + margin < line < high - margin
    return {
        "x": line, "y": -0.7, "text": f"threshold {per_cent:g}%", "showarrow": False,
        "yanchor": "bottom", "font": {"size": 12, "color": ink(FAILURE)},
        "xanchor": "center" if inside else "left" if line < (low + high) / 2 else "right",
    }


def _text(side: int, row: float, text: str, color: str | None = None) -> dict[str, Any]:
    """Words at the left end of a row, or in the margin right of it."""
    font: dict[str, Any] = {"size": 12} | ({"color": ink(color)} if color else {})
    return {
        "xref": "paper", "x": side, "y": row, "text": text, "showarrow": False,
        "xanchor": "left", "yanchor": "middle", "xshift": 6 if side else 0, "font": font,
    }


def _flip_text(outcome: Outcome, place: int) -> str:
    chance = float(outcome.rule.flip[place])
    if math.isnan(chance):
        return "no people"
    if chance == 0:
        return ""
    if chance == 1 and outcome.certain:
        return "always flips"
    said = how_often(outcome, place).removeprefix("in ").removesuffix(" releases")
    return f"flips {said.replace('fewer than', 'under')}"


def _truths(
    found: Decisions, shown: Sequence[int], heads: Sequence[float], methods: int
) -> list[Trace]:
    """A grey upright at each place's true share."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for place, head in zip(shown, heads, strict=True):
        share = float(found.shares[place])
        if not math.isnan(share):
            xs += [share, share, None]
            ys += [head + 0.55, head + methods + 0.45, None]
    return [scatter(x=xs, y=ys, mode="lines", name="true share", hoverinfo="skip",
                    line={"color": MUTED, "width": 3})]


def _released(
    found: Decisions, outcome: Outcome, look: Style, shown: Sequence[int], rows: Sequence[float]
) -> list[Trace]:
    rule, label = outcome.rule, safe_label(outcome.mechanism.plain_label())
    xs: list[float | None] = []
    ys: list[float | None] = []
    dots: list[tuple[float, float, str]] = []
    for place, row in zip(shown, rows, strict=True):
        mean = float(rule.shares[place])
        if math.isnan(mean):
            continue
        xs += [float(rule.low[place]), float(rule.high[place]), None]
        ys += [row, row, None]
        said = (
            f"{safe_label(found.places[place])}<br>{label}: {percent(mean, 1)}, nine of ten "
            f"releases {percent(rule.low[place], 1)} to {percent(rule.high[place], 1)}<br>truth "
            f"{percent(found.shares[place], 1)}, flips {how_often(outcome, place)}"
        )
        dots.append((mean, row, said))
    return [
        scatter(x=xs, y=ys, mode="lines", hoverinfo="skip", showlegend=False, legendgroup=label,
                line={"color": look.color, "width": 2}),
        scatter(
            x=[d[0] for d in dots], y=[d[1] for d in dots], text=[d[2] for d in dots],
            mode="markers", name=label, legendgroup=label, hovertemplate="%{text}<extra></extra>",
            marker={"color": look.color, "symbol": look.symbol, "size": 9},
        ),
    ]


def _reach(found: Decisions, shown: Sequence[int]) -> tuple[float, float]:
    """The ends of the axis: all that is drawn, and a little more."""
    ends = [found.percent / 100, *(float(found.shares[p]) for p in shown)]
    for o in found.outcomes:
        ends += [float(v) for p in shown for v in (o.rule.low[p], o.rule.high[p])]
    known = [e for e in ends if not math.isnan(e)]
    pad = max(0.01, 0.05 * (max(known) - min(known)))
    return min(known) - pad, max(known) + pad


def share_table(found: Decisions) -> pd.DataFrame:
    """Every place: true share and side, and under each method the mean share and flip chance."""
    table: dict[str, Any] = {
        "place": list(found.places), "true share": found.shares,
        f"more than {found.percent:g}%": ["yes" if a else "no" for a in found.above],
    }
    for i, o in enumerate(found.outcomes):
        name = f"{i + 1}. {o.mechanism.label()}"
        table |= {
            f"share, {name}": o.rule.shares, f"chance of a flip, {name}": o.rule.flip,
            f"± {name}": o.rule.flip_se, f"chance of a flip at most, {name}": _at_most(o),
        }
    return pd.DataFrame(table)


def _at_most(outcome: Outcome) -> Floats:
    """How large the chance of a flip may be: two standard errors more, or, where none was seen,
    what so many releases cannot exclude."""
    flip, error = outcome.rule.flip, outcome.rule.flip_se
    if outcome.certain:
        return flip
    known = outcome.releases - outcome.rule.undefined
    unseen = np.array([at_most(int(n)) if n else math.nan for n in known])
    return np.where(flip == 0, unseen, np.minimum(1.0, flip + STANDARD_ERRORS * error))

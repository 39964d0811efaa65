"""One row a method: the whole range of its setting on an axis of its own, the part that meets the
wish filled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from sdc_core.calibrate import Interval, Solution
from sdc_core.figures.theme import (
    MUTED,
    MUTED_TEXT,
    Style,
    Trace,
    figure,
    safe_label,
    scatter,
    styles,
)
from sdc_core.parameters import Integer, Real
from sdc_core.words.guarantees import promise_word
from sdc_core.words.solutions import (
    amount_text,
    quoted,
    range_text,
    rounded,
    setting_text,
    value_text,
)

_ROW, _FRAME = 84, 34  # pixels
_WIDE = 100  # a range whose ends differ by such a factor is drawn by ratio
_CLOSE = 0.15  # of the row: labels nearer than this would lie on each other on a phone
_NEXT_TO = 0.09  # the same of short ones, such as ticks


def position(found: Solution, value: float) -> float:
    """Where on its row, from 0 to 1: on the parameter's own scale."""
    low, high = found.limits
    if by_ratio(found.param, low, high):
        return math.log(value / low) / math.log(high / low)
    return (value - low) / ((high - low) or 1.0)


def by_ratio(param: Real, low: float, high: float) -> bool:
    """On a log scale? Where the parameter is, or where whole numbers reach far."""
    return low > 0 and (param.log or (isinstance(param, Integer) and high >= _WIDE * low))


def marks(found: Sequence[Solution]) -> list[tuple[int, float]]:
    """What can be clicked, in order: row, and value as it is quoted. Ends of stretches, and the
    most protective setting if that lies within one; where there is none, the nearest."""
    out: list[tuple[int, float]] = []
    for row, one in enumerate(found):
        values = {
            rounded(one.param, part, upper) for part in one.intervals for upper in (False, True)}
        values |= {quoted(one, s) for s in (one.protective, one.nearest) if s is not None}
        out += [(row, value) for value in sorted(values)]
    return out


def ranges(found: Sequence[Solution], present: Sequence[float]) -> go.Figure:
    looks = styles([one.mechanism for one in found])
    traces: list[Trace] = []
    for row, (one, look) in enumerate(zip(found, looks, strict=True)):
        traces += _bar(row, one, look)
    traces.append(_present(found, present, looks))
    traces.append(_clickable(found, looks))
    notes: list[dict[str, Any]] = []
    for row, (one, now) in enumerate(zip(found, present, strict=True)):
        notes += [_name(row, one), *_ticks(row, one, position(one, now))]
    return figure(
        traces, _FRAME + _ROW * len(found), margin={"l": 16, "r": 16, "t": 8, "b": 8},
        annotations=notes, dragmode=False,
        xaxis={"range": [-0.02, 1.02], "visible": False, "fixedrange": True},
        yaxis={"range": [len(found) - 0.45, -0.72], "visible": False, "fixedrange": True},
    )


def _bar(row: int, one: Solution, look: Style) -> list[Trace]:
    base = scatter(
        x=[0, 1], y=[row, row], mode="lines", hoverinfo="skip", name="range",
        line={"color": MUTED, "width": 2},
    )
    filled = [
        scatter(
            x=[position(one, part.low), position(one, part.high)], y=[row, row], mode="lines",
            hoverinfo="skip", name="meets the wish", line={"color": look.color, "width": 10},
        )
        for part in one.intervals if part.low < part.high
    ]
    return [base, *filled]


def _present(found: Sequence[Solution], present: Sequence[float], looks: Sequence[Style]) -> Trace:
    return scatter(
        x=[position(one, value) for one, value in zip(found, present, strict=True)],
        y=list(range(len(found))), mode="markers+text", hoverinfo="skip", name="now",
        text=[f"now {value_text(one.param, value)}"
              for one, value in zip(found, present, strict=True)],
        textposition="bottom center", textfont={"size": 11}, cliponaxis=False,
        marker={"symbol": "line-ns", "size": 13,  # else it would reach into what is said above
                "line": {"width": 3, "color": [look.color for look in looks]}},
    )


def _clickable(found: Sequence[Solution], looks: Sequence[Style]) -> Trace:
    there = marks(found)
    xs = [position(found[row], value) for row, value in there]
    return scatter(
        x=xs, y=[row for row, _ in there], mode="markers+text", name="settings",
        cliponaxis=False,
        marker={
            "size": 14, "color": [looks[row].color for row, _ in there],
            "symbol": [looks[row].symbol if found[row].reached else "x-thin-open"
                       for row, _ in there],
            "line": {"width": 1, "color": "rgba(255,255,255,0.85)"},
        },
        text=_labels(found, there, xs), textfont={"size": 12},
        textposition=["top left" if x > 0.94 else "top right" if x < 0.06 else "top center"
                      for x in xs],
        customdata=[_said(found[row], value) for row, value in there],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _labels(
    found: Sequence[Solution], there: Sequence[tuple[int, float]],
    xs: Sequence[float],
) -> list[str]:
    """Values at the marks; those at the ends of the whole range are ticks already. Where two would
    lie on each other that of an end stays, else the first of them."""
    ends = {
        (row, rounded(one.param, part, upper))
        for row, one in enumerate(found) for part in one.intervals for upper in (False, True)
    }
    shown: list[int] = []
    for i in sorted(range(len(there)), key=lambda i: there[i] not in ends):
        row, value = there[i]
        near = any(there[j][0] == row and abs(xs[j] - xs[i]) < _CLOSE for j in shown)
        if not near and not (found[row].reached and value in found[row].limits):
            shown.append(i)
    return [
        f"<b>{safe_label(setting_text(found[row].param, value))}</b>" if i in shown else ""
        for i, (row, value) in enumerate(there)
    ]


def _said(one: Solution, value: float) -> str:
    doing = safe_label(one.mechanism.plain_label(one.param))
    what = "meets the wish" if one.reached else "comes nearest"
    return f"{doing}<br>{safe_label(setting_text(one.param, value))} {what}<br>click to take it"


def _name(row: int, one: Solution) -> dict[str, Any]:
    text = f"<b>{safe_label(one.mechanism.plain_label(one.param))}</b>"
    return {
        "text": text, "xref": "paper", "x": 0, "xanchor": "left", "y": row, "yshift": 34,
        "showarrow": False, "font": {"size": 13},
    }


def _ticks(row: int, one: Solution, now: float) -> list[dict[str, Any]]:
    """Round numbers, but for one that would lie on what is said of the present setting."""
    values = [v for v in tick_values(one) if abs(position(one, v) - now) >= _NEXT_TO]
    return [
        {"text": safe_label(value_text(one.param, value)), "x": position(one, value), "y": row,
         "yshift": -18, "showarrow": False, "font": {"size": 11, "color": MUTED_TEXT}}
        for value in values
    ]


def tick_values(one: Solution) -> list[float]:
    """Round numbers along the row."""
    low, high = one.limits
    if not by_ratio(one.param, low, high):
        return [low + (high - low) * part for part in (0, 0.25, 0.5, 0.75, 1)]
    decades = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    return [10.0**d for d in decades]


def solution_table(found: Sequence[Solution]) -> pd.DataFrame:
    """One row a stretch of settings, with what its method gives where the wish is only just met."""
    rows = []
    for one in found:
        stretches: Sequence[Interval | None] = one.intervals or (None,)
        for part in stretches:
            rows.append({
                "method": one.mechanism.label_without(one.param), "setting": one.param.name,
                "from": None if part is None else part.low,
                "to": None if part is None else part.high, **_at(one),
            })
    return pd.DataFrame(rows)


def _at(one: Solution) -> dict[str, Any]:
    setting = one.just or one.nearest
    assert setting is not None
    seen = setting.evaluation
    accurate = one.accurate.value if one.accurate else None
    return {
        "most protective": one.protective.value if one.protective else None,
        "most accurate": accurate, "nearest": one.nearest.value if one.nearest else None,
        "wanted": one.wanted.value, "at": setting.value, "there": setting.reading.value,
        "± there": setting.reading.error, "promise": promise_word(setting.guarantee),
        "error where people are": seen.people_error, "unfairness": seen.fairness_alpha,
        "people put into empty groups": seen.invented,
        "how": one.method if one.method == "exact" else f"{one.repetitions} releases",
    }


def row_text(one: Solution) -> str:
    """A row for those who do not see it."""
    doing = one.mechanism.plain_label(one.param)
    if one.reached:
        return f"{doing} {range_text(one)}"
    assert one.nearest is not None
    if not math.isfinite(one.nearest.reading.value):
        return f"{doing}: no setting"
    nearest = amount_text(one.measure, one.nearest.reading.value)
    return f"{doing}: no setting, the nearest gives {nearest}"


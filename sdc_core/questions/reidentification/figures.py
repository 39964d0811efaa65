"""Charts and tables of Who can be found?: unique matches along a parameter, risk by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.curves import Curve
from sdc_core.figures.axes import LEGEND_BELOW, band, mark_here, parameter_axis, value_format
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.rows import Dots, Yardstick, dot_plot
from sdc_core.figures.theme import GRID, Trace, faded, figure, safe_label, scatter, styles, titled
from sdc_core.histogram import Histogram
from sdc_core.metrics.outsider import GroupRisk, Risk
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import UniqueMatches
from sdc_core.parameters import Real
from sdc_core.questions.reidentification.words import PEOPLE_FOR_A_ROW
from sdc_core.words.numbers import percent, sensible

_PER_CENT: dict[str, Any] = {"ticksuffix": "%"}


def match_lines(param: Real, curves: Sequence[Curve[UniqueMatches]]) -> list[go.Figure]:
    """Share of unique people who are in the release, and of empty groups that look the same."""
    charts = [
        _lines_chart(param, curves, "share", "Unique people in the release", "% of unique people"),
        _lines_chart(
            param, curves, "made_up_share", "Empty groups shown as if somebody were there",
            "% of the groups that are empty in the data",
        ),
    ]
    return charts if any(c.points[0].empty for c in curves) else charts[:1]


def _lines_chart(
    param: Real, curves: Sequence[Curve[UniqueMatches]], what: str, title: str, note: str
) -> go.Figure:
    looks = styles([curve.mechanism for curve in curves])
    traces: list[Trace] = []
    for curve, look in zip(curves, looks, strict=True):
        label = safe_label(curve.mechanism.plain_label(param))
        xs = list(curve.values)
        ys = [100 * getattr(p, what) for p in curve.points]
        if what == "share" and any(p.method == "simulated" for p in curve.points):
            traces.append(_band(curve, look.color))
        traces.append(
            scatter(
                x=xs, y=ys, mode="lines", name=label, cliponaxis=False,
                line={"color": look.color, "dash": look.dash, "width": 2.4},
                hovertemplate=f"{label}<br>{param.symbol} = %{{x:{value_format(param)}}}<br>"
                "%{y:.3g}%<extra></extra>",
            )
        )
        traces += mark_here(curve.here, xs, ys, look)
    return figure(
        traces, 400, title=titled(title, note), showlegend=True, legend=LEGEND_BELOW,
        xaxis=parameter_axis(param), yaxis={**GRID, "range": [0, 103], "ticksuffix": "%"},
    )


def _band(curve: Curve[UniqueMatches], color: str) -> Trace:
    """Where nine of ten simulated releases lie."""
    scale = [100 / max(p.unique, 1) for p in curve.points]
    up = [s * p.high for s, p in zip(scale, curve.points, strict=True)]
    down = [s * p.low for s, p in zip(scale, curve.points, strict=True)]
    return band(curve.values, down, up, faded(color, 0.15))


def match_table(param: Real, curves: Sequence[Curve[UniqueMatches]]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "mechanism": curve.mechanism.label_without(param), param.name: value,
            "unique people": p.unique, "in the release": p.expected,
            "from (5%)": p.low, "to (95%)": p.high, "standard error": p.error,
            "share %": 100 * p.share, "empty groups": p.empty, "shown all the same": p.made_up,
            "have the person %": 100 * p.real_share, "method": p.method,
        }
        for curve in curves for value, p in zip(curve.values, curve.points, strict=True)
    ])


def risk_bars(found: Sequence[Risk], alt: str) -> str:
    """Apparent matches, how many are right, and right guesses, one bar a method."""
    mechanisms = [r.mechanism for r in found]
    top = max([1.0, *(r.apparent.mean for r in found)])
    hits = [
        _over("Look like a sure hit", f"people, of {found[0].original_unique:,} alone with what "
              "is known", [r.apparent for r in found], top, sensible),
        Panel("Are a sure hit", "all other features agree, too",
              [r.correct.mean for r in found], _errors([r.correct for r in found]),
              [_of(r.correct.mean, r.apparent.mean) for r in found], top),
    ]
    guesses = [
        _right(found, "Right guesses",
               f"% of people; from the data itself {percent(found[0].best, 1)}"),
        Panel("Beyond the most common answer",
              f"percentage points beyond {percent(found[0].base, 1)}",
              [max(100 * r.gain.mean, 0.0) for r in found], _errors([r.gain for r in found], 100),
              [_signed(r.gain.mean) for r in found],
              max([1.0, *(100 * (r.best - r.base) for r in found)])),
    ]
    certain = [
        _over("Answer certain", "people; only one is left above 0, and zeros are real",
              [r.certain for r in found], max(r.certain.mean for r in found), sensible),
    ] if any(r.certain.mean for r in found) else []
    hits = hits if found[0].original_unique else []
    panels = [*hits, *certain, *guesses]
    return bars(panels, [m.plain_label() for m in mechanisms], styles(mechanisms), alt)


def _over(
    title: str, note: str, numbers: Sequence[OverReleases], top: float,
    text: Callable[[float], str],
) -> Panel:
    means = [n.mean for n in numbers]
    return Panel(title, note, means, _errors(numbers), [text(mean) for mean in means], top)


def _errors(numbers: Sequence[OverReleases], times: float = 1.0) -> list[float]:
    """Standard errors to draw; one release has none."""
    return [times * n.error if np.isfinite(n.error) else 0.0 for n in numbers]


def _right(rows: Sequence[GroupRisk], title: str, note: str) -> Panel:
    shares = [row.right for row in rows]
    return Panel(
        title, note, [100 * r.mean for r in shares], _errors(shares, 100),
        [percent(r.mean, 1) for r in shares], 100.0,
    )


def _of(part: float, whole: float) -> str:
    return f"{sensible(part)} ({percent(part / whole, 0)})" if whole > 0 else "0"


def _signed(share: float) -> str:
    """A difference of shares in points; what rounds to none has no minus."""
    return f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−")


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def group_dots(found: Sequence[Risk], by: str) -> go.Figure | None:
    """Right guesses by group: one row a group, one mark a method, and the most common answer as the
    yardstick; where a release adds most first. `by`: `by_size`, `by_group`. None where every group
    is too small to be drawn."""
    rows = [rows for rows in zip(*(getattr(r, by) for r in found), strict=True)
            if rows[0].people >= PEOPLE_FOR_A_ROW]
    if not rows:
        return None
    rows.sort(key=lambda row: -max(g.gain.mean for g in row))
    marks = [
        Dots(
            r.mechanism.plain_label(), look, [100 * g.right.mean for g in own],
            [f"{g.title}: {percent(g.right.mean, 1)} right, {r.mechanism.plain_label()}"
             for g in own],
            [100 * (g.right.mean - error) for g, error in _with_errors(own)],
            [100 * (g.right.mean + error) for g, error in _with_errors(own)],
        )
        for (r, look), own in zip(
            zip(found, styles([r.mechanism for r in found]), strict=True),
            zip(*rows, strict=True), strict=True)
    ]
    names = [f"{g.title[:1].upper()}{g.title[1:]}, {_people(g.people)}" for g, *_ in rows]
    return dot_plot(names, marks, _PER_CENT | {"title": {"text": "right guesses, % of the group"}},
                    Yardstick("most common answer", [100 * g.base for g, *_ in rows]))


def _with_errors(groups: Sequence[GroupRisk]) -> Iterator[tuple[GroupRisk, float]]:
    return zip(groups, _errors([g.right for g in groups]), strict=True)


def unique_dots(
    found: Sequence[UniqueMatches], table: Histogram, axis: int
) -> go.Figure | None:
    """Which part of each group is unique and in the release: one row a group, one mark a method,
    and all who are unique as the yardstick. Groups with nobody unique are left out."""
    each = [m.by_value(table, axis) for m in found]
    rows = [rows for rows in zip(*each, strict=True)
            if rows[0][2] and rows[0][1] >= PEOPLE_FOR_A_ROW]
    if not rows:
        return None
    rows.sort(key=lambda row: -row[0][2] / row[0][1])
    marks = [
        Dots(
            m.mechanism.plain_label(), look, [100 * seen / people for _, people, _, seen in own],
            [f"{label}: {sensible(seen)} of {unique:,} unique people in the release "
             f"({percent(seen / people)} of the group), {m.mechanism.plain_label()}"
             for label, people, unique, seen in own],
        )
        for (m, look), own in zip(
            zip(found, styles([m.mechanism for m in found]), strict=True),
            zip(*rows, strict=True), strict=True)
    ]
    names = [f"{label}: {unique:,} unique of {_people(people)}"
             for (label, people, unique, _), *_ in rows]
    title = {"title": {"text": "unique people in the release, % of the group"},
             "rangemode": "tozero"}
    return dot_plot(names, marks, _PER_CENT | title, Yardstick(
        "all who are unique", [100 * unique / people for (_, people, unique, _), *_ in rows]))


def unique_table(found: Sequence[UniqueMatches], table: Histogram, axis: int) -> pd.DataFrame:
    return pd.DataFrame([
        {"mechanism": m.mechanism.label(), "group": label, "people": people,
         "unique people": unique, "in the release": seen}
        for m in found for label, people, unique, seen in m.by_value(table, axis)
    ])


def risk_table(found: Sequence[Risk]) -> pd.DataFrame:
    """All numbers of the second view, one row a method and group."""
    return pd.DataFrame([
        {
            "mechanism": r.mechanism.label(), "group": g.title, "people": g.people,
            "apparent matches": g.apparent.mean, "of them right": g.correct.mean,
            "right guesses %": 100 * g.right.mean, "most common answer %": 100 * g.base,
            "releases": r.releases, "standard error, apparent matches": g.apparent.error,
            "standard error, of them right": g.correct.error,
            "standard error, right guesses %": 100 * g.right.error,
            "answer certain": g.certain.mean,
        }
        for r in found for g in (r, *r.by_size, *r.by_group)
    ])

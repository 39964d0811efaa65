"""Charts and tables of Matched comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.metrics.microdata.battery import Measure
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.matched.compute import Compared, compared_by
from sdc_core.questions.matched.words import comparable, full_title, verdict
from sdc_core.record_experiment import Scan
from sdc_core.words.evaluations import with_error


def loss_bars(found: Sequence[Compared], name: str, alt: str) -> str:
    """One panel a measure, the chosen one first, one bar a method."""
    ordered = sorted(compared_by(name), key=lambda m: m.name != name)
    mechanisms = [one.mechanism for one in found]
    panels = [_bar_panel(found, measure) for measure in ordered]
    return bars(panels, [m.plain for m in mechanisms], styles(mechanisms), alt)


def _bar_panel(found: Sequence[Compared], measure: Measure) -> Panel:
    over = [one.loss(measure.name) for one in found]
    means = [_known(one.mean) for one in over]
    errors = [_drawn_error(one) for one in over]
    texts = [_text(one) for one in over]
    return Panel(
        full_title(measure), measure.plain, means, errors, texts,
        max([*(mean + error for mean, error in zip(means, errors, strict=True)), 1e-12]),
    )


def _text(one: OverReleases) -> str:
    if not len(one.known):
        return "not defined"
    some = "" if one.complete else f" ({len(one.known)} of {len(one.each)} releases)"
    return with_error(one.mean, one.error) + some


def _known(number: float) -> float:
    return number if math.isfinite(number) else 0.0


def _drawn_error(one: OverReleases) -> float:
    return one.error if math.isfinite(one.error) else 0.0


def loss_table(found: Sequence[Compared], by: Measure, name: str) -> pd.DataFrame:
    rows = []
    for one in found:
        row: dict[str, object] = {
            "method": one.mechanism.label(), "setting": one.path.param, "value": one.value,
            "matched": by.name, "level": one.matched.mean, "standard error": one.matched.error,
            "wanted": one.wanted, "reached": one.reached,
            "releases": one.measured.repetitions,
        }
        for measure in compared_by(name):
            row[measure.name] = one.loss(measure.name).mean
            row[f"{measure.name}, standard error"] = one.loss(measure.name).error
        rows.append(row)
    return pd.DataFrame(rows)


def level_lines(
    scans: Sequence[Scan], found: Sequence[Compared], by: Measure
) -> list[go.Figure]:
    """The matched measure along each method's settings, a chart a method on one scale; the level
    of the first method as a dotted line, the setting that is compared as a mark."""
    looks = styles([one.mechanism for one in found])
    times = 100 if by.percent else 1
    top = 1.08 * times * max(one.mean for each in scans for one in each.seen.values())
    return [
        _level_chart(one, done, look, by, times, top)
        for one, done, look in zip(scans, found, looks, strict=True)
    ]


def _level_chart(
    one: Scan, done: Compared, look: Style, by: Measure, times: float, top: float
) -> go.Figure:
    param = one.path.declared
    seen = dict(sorted({**one.seen, done.value: done.matched}.items()))
    values = list(seen)
    texts = [safe_label(one.path.at(v).label()) for v in values]
    hover = f"%{{customdata}}<br>%{{y:.3g}}{'%' * by.percent}<extra></extra>"
    wide = max(values) > 20 * min(values) > 0
    traces: list[Trace] = [
        scatter(x=[min(values), max(values)], y=[times * done.wanted] * 2, mode="lines",
                line={"color": MUTED, "width": 1.4, "dash": "dot"}, hoverinfo="skip"),
        scatter(x=values, y=[times * seen[v].mean for v in values], mode="lines",
                customdata=texts, hovertemplate=hover,
                line={"color": look.color, "dash": look.dash, "width": 2.4}),
        scatter(x=[done.value], y=[times * done.matched.mean], mode="markers", cliponaxis=False,
                marker={"color": look.color, "size": 11, "symbol": look.symbol},
                customdata=[safe_label(done.mechanism.label())], hovertemplate=hover),
    ]
    return figure(
        traces, 300, title=titled(in_legend(safe_label(done.mechanism.plain), 20)),
        xaxis={**GRID, "title": {"text": safe_label(param.axis_title), "standoff": 6},
               "type": "log" if wide else "linear",
               "tickformat": ".0%" if param.percent else None,
               "tickvals": list(one.path.values)[::2]},
        yaxis={**GRID, "range": [0, top], "ticksuffix": "%" if by.percent else ""},
    )


def level_table(scans: Sequence[Scan]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "method": one.path.base.title, "setting": one.path.param, "value": value,
            "level": one.seen[value].mean, "standard error": one.seen[value].error,
        }
        for one in scans for value in one.path.values
    ])



def turning_table(
    by_measure: Sequence[tuple[Measure, Sequence[Compared]]], name: str
) -> pd.DataFrame:
    """For each measure that is matched, what each method changes; empty where it cannot be set to
    the level."""
    return pd.DataFrame([
        {
            "matched": by.title,
            **{one.mechanism.title: one.loss(name).mean if one in comparable(found) else math.nan
               for one in found},
            "least": verdict(found, name),
        }
        for by, found in by_measure
    ])

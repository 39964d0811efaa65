"""Charts and tables of Matched comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.axes import LEGEND_BELOW
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import GRID, MUTED, Trace, figure, safe_label, scatter, styles, titled
from sdc_core.metrics.microdata.battery import Measure
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.matched.compute import INDICES, UTILITY, Compared
from sdc_core.record_experiment import Scan
from sdc_core.words.evaluations import with_error
from sdc_core.words.numbers import sensible


def loss_bars(found: Sequence[Compared], name: str, alt: str) -> str:
    """One panel a measure, the chosen one first, one bar a method."""
    ordered = sorted(UTILITY, key=lambda m: m.name != name)
    mechanisms = [one.mechanism for one in found]
    panels = [_bar_panel(found, measure) for measure in ordered]
    return bars(panels, [m.label() for m in mechanisms], styles(mechanisms), alt)


def _bar_panel(found: Sequence[Compared], measure: Measure) -> Panel:
    over = [one.loss(measure.name) for one in found]
    means = [_known(one.mean) for one in over]
    texts = [
        with_error(one.mean, one.error) if len(one.known) else "not defined" for one in over]
    return Panel(
        measure.title, measure.plain, means, [_drawn_error(one) for one in over], texts,
        max([*means, 1e-12]),
    )


def _known(number: float) -> float:
    return number if math.isfinite(number) else 0.0


def _drawn_error(one: OverReleases) -> float:
    return one.error if math.isfinite(one.error) else 0.0


def loss_table(found: Sequence[Compared], by: Measure) -> pd.DataFrame:
    rows = []
    for one in found:
        row: dict[str, object] = {
            "method": one.mechanism.label(), "setting": one.path.param, "value": one.value,
            "matched": by.name, "level": one.matched.mean, "standard error": one.matched.error,
            "wanted": one.wanted, "reached": one.reached,
            "releases": one.measured.repetitions,
        }
        for measure in UTILITY:
            row[measure.name] = one.loss(measure.name).mean
            row[f"{measure.name}, standard error"] = one.loss(measure.name).error
        rows.append(row)
    return pd.DataFrame(rows)


def level_lines(
    scans: Sequence[Scan], found: Sequence[Compared], by: Measure, wanted: float, matched: bool
) -> go.Figure:
    """The matched measure along each method's settings; the level that is wanted as a line."""
    looks = styles([one.mechanism for one in found])
    times = 100 if by.percent else 1
    index = list(range(1, INDICES + 1))
    traces: list[Trace] = []
    if matched:
        traces.append(scatter(
            x=[1, INDICES], y=[times * wanted] * 2, mode="lines", name="level of RWN",
            line={"color": MUTED, "width": 1.2, "dash": "dot"}, hoverinfo="skip"))
    for one, done, look in zip(scans, found, looks, strict=True):
        values = list(one.path.values)
        levels = [times * one.seen[v].mean for v in values]
        label = safe_label(done.mechanism.title)
        texts = [safe_label(one.path.at(v).label()) for v in values]
        traces += [
            scatter(
                x=index, y=levels, mode="lines", name=label, customdata=texts,
                line={"color": look.color, "dash": look.dash, "width": 2.4},
                hovertemplate="%{customdata}<br>%{y:.3g}<extra></extra>"),
            scatter(
                x=[float(np.interp(done.value, values, index))], y=[times * done.matched.mean],
                mode="markers", showlegend=False, cliponaxis=False,
                marker={"color": look.color, "size": 11, "symbol": look.symbol},
                customdata=[safe_label(done.mechanism.label())],
                hovertemplate="%{customdata}<br>%{y:.3g}<extra></extra>"),
        ]
    return figure(
        traces, 380, title=titled(by.title, by.plain), showlegend=True, legend=LEGEND_BELOW,
        xaxis={**GRID, "title": {"text": "setting, from weak to strong (index of P4's Table 3)",
                                 "standoff": 6}, "dtick": 2, "range": [0.7, INDICES + 0.3]},
        yaxis={**GRID, "rangemode": "tozero", "ticksuffix": "%" if by.percent else ""},
    )


def level_table(scans: Sequence[Scan]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "method": one.path.base.title, "index": number, "setting": one.path.param,
            "value": value, "level": one.seen[value].mean,
            "standard error": one.seen[value].error,
        }
        for one in scans for number, value in enumerate(one.path.values, start=1)
    ])


def setting_text(one: Compared) -> str:
    return f"{one.mechanism.label()}: {sensible(one.matched.mean)}"

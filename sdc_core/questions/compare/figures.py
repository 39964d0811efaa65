"""Charts of Compare: summary bars, signed bias by group size, and one-parameter sweeps."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.curves import Curve
from sdc_core.experiment import Evaluation
from sdc_core.figures.axes import LEGEND_BELOW, mark_here, parameter_axis, value_format
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    GRID,
    Style,
    figure,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.histogram import Histogram
from sdc_core.parameters import Real
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.evaluations import precision_text
from sdc_core.words.guarantees import delta_text, promise_text
from sdc_core.words.numbers import sensible


@dataclass(frozen=True)
class MetricWords:
    """A summary number as a panel: its title for everybody, its symbol for those who know."""

    title: str
    symbol: str
    unit: str


METRICS: dict[str, MetricWords] = {
    "l1_error": MetricWords("Total error", "E‖x̃ − x‖₁", "people"),
    "l1_bias": MetricWords("Systematic error", "‖bias‖₁", "people"),
    "fairness_alpha": MetricWords("Unfairness", "α", "people"),
    "max_variance": MetricWords("Largest variance", "max Var", "people²"),
}


# Scales never go below half a person: a bias of a millionth must not fill the chart.
NEGLIGIBLE = 0.5


def summary_table(
    evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> pd.DataFrame:
    """All summary numbers, one row a mechanism."""
    rows = []
    for evaluation, guarantee in zip(evaluations, guarantees, strict=True):
        row: dict[str, Any] = {"mechanism": evaluation.mechanism.label()}
        for name, words in METRICS.items():
            row[f"{words.title} ({words.symbol})"] = getattr(evaluation, name)
            if evaluation.method == "simulated":
                row[f"± {words.symbol}"] = getattr(evaluation, f"{name}_se")
        published = guarantee.delta_published
        row["δ published"] = (
            "none"
            if published is None or guarantee.log_rest_published is None
            else delta_text(published, guarantee.log_rest_published)
        )
        row["δ true"] = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
        row["published δ holds"] = {True: "yes", False: "no", None: "–"}[guarantee.holds]
        row["method"] = precision_text(evaluation)
        rows.append(row)
    return pd.DataFrame(rows)


def summary_panels(
    evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> list[Panel]:
    """Five panels, one bar a mechanism: error, bias, unfairness, variance, δ."""
    panels = []
    for metric, words in METRICS.items():
        values = [float(getattr(e, metric)) for e in evaluations]
        errors = [float(getattr(e, f"{metric}_se")) for e in evaluations]
        texts = [
            sensible(v) + (f" ± {sensible(error)}" if error else "")
            for v, error in zip(values, errors, strict=True)
        ]
        top = max([NEGLIGIBLE, *(v + e for v, e in zip(values, errors, strict=True))])
        note = f"{words.symbol}, {words.unit}"
        panels.append(Panel(words.title, note, values, errors, texts, top))
    deltas = [g.delta_tight for g in guarantees]
    shown = [promise_text(g) for g in guarantees]
    panels.append(Panel("Promise fails", "true δ", deltas, [0.0] * len(deltas), shown, 1.0))
    return panels


def summary_bars(
    evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee], alt: str
) -> str:
    """The summary as HTML bars in the colours of the families."""
    mechanisms = [e.mechanism for e in evaluations]
    return bars(
        summary_panels(evaluations, guarantees), [m.label() for m in mechanisms],
        styles(mechanisms), alt,
    )


COUNT_TICKS = (0, 1, 5, 20, 100, 500, 2000, 10_000, 100_000, 1_000_000)


def count_position(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Where a count stands on the axis: logarithmic, with room for zero."""
    return np.log10(np.asarray(counts, dtype=np.float64) + 1)


class Who:
    """Whom some cells are about, in words; kept, since methods group the same cells alike."""

    def __init__(self, table: Histogram) -> None:
        self._table = table
        self._known: dict[tuple[int, ...], str] = {}

    def __call__(self, cells: NDArray[np.int64], examples: int = 3) -> str:
        key = (len(cells), *cells[:examples].tolist())
        if key not in self._known:
            some = self._table.describe_cells(cells[:examples])
            more = len(cells) - len(some)
            self._known[key] = "; ".join(some) + (f"; and {more:,} more" if more else "")
        return self._known[key]


def bias_points(table: Histogram, evaluation: Evaluation, who: Who) -> list[dict[str, Any]]:
    """Cells that have the same count and the same bias as one point, with the people they are."""
    counts = table.counts
    rounded = np.round(evaluation.bias, 3)
    order = np.lexsort((rounded, counts))
    keys = np.stack([counts[order], rounded[order]])
    starts = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
    return [
        {
            "true count": int(counts[cells[0]]),
            "bias": float(evaluation.bias[cells[0]]) + 0.0,  # no minus before a zero
            "groups": len(cells),
            "who": who(cells),
        }
        for cells in np.split(order, starts[1:])
    ]


def bias_by_count(table: Histogram, evaluations: Sequence[Evaluation]) -> list[go.Figure]:
    """Signed bias against the true count, one chart a mechanism, all on the same scale."""
    looks = styles([e.mechanism for e in evaluations])
    limit = 1.2 * max([NEGLIGIBLE, *(float(np.abs(e.bias).max()) for e in evaluations)])
    who = Who(table)
    return [
        _bias_chart(table, evaluation, look, limit, who)
        for evaluation, look in zip(evaluations, looks, strict=True)
    ]


def _bias_chart(
    table: Histogram, evaluation: Evaluation, look: Style, limit: float, who: Who
) -> go.Figure:
    points = bias_points(table, evaluation, who)
    top = max(int(table.counts.max()), 1)
    ticks = [t for t in COUNT_TICKS if t <= top]
    groups = np.array([p["groups"] for p in points])
    marks = scatter(
        x=count_position(np.array([p["true count"] for p in points])).tolist(),
        y=[p["bias"] for p in points], mode="markers", cliponaxis=False,
        marker={
            "color": look.color, "symbol": look.symbol, "opacity": 0.75, "line": {"width": 0},
            "size": 5 + 1.6 * np.sqrt(np.minimum(groups, 80)),
        },
        text=[
            f"true count {p['true count']:,}, groups: {p['groups']:,}<br>bias "
            f"{p['bias']:+.3g} people<br>{_wrapped(p['who'])}"
            for p in points
        ],
        hovertemplate="%{text}<extra></extra>",
    )
    positions = count_position(np.array(ticks))
    return figure(
        [marks], 300, title=titled(safe_label(evaluation.mechanism.label()), "bias, people"),
        xaxis={
            **GRID, "tickvals": positions.tolist(), "ticktext": [f"{t:,}" for t in ticks],
            "range": [-0.14, float(count_position(np.array([top]))[0]) * 1.04],
            "zeroline": False, "title": {"text": "true count, people", "standoff": 6},
        },
        yaxis={
            **GRID, "range": [-limit, limit], "zeroline": True, "zerolinewidth": 1,
        },
    )


@functools.lru_cache(maxsize=4096)
def _wrapped(text: str) -> str:
    """Hover text in lines: plotly does not wrap."""
    return "<br>".join(textwrap.wrap(safe_label(text), 60, break_long_words=False))


def worst_cells(
    table: Histogram, evaluations: Sequence[Evaluation], most: int = 200
) -> pd.DataFrame:
    """The groups that any of the mechanisms moves most, worst first, in words."""
    worst = np.max(np.abs(np.stack([e.bias for e in evaluations])), axis=0)
    order = np.argsort(-worst, kind="stable")[:most]
    frame = pd.DataFrame(
        {"who": table.describe_cells(order), "true count": table.counts[order]}
    )
    for i, evaluation in enumerate(evaluations):
        column = f"bias, {i + 1}. {evaluation.mechanism.label()}"
        frame[column] = evaluation.bias[order] + 0.0
    return frame


def sweep_table(param: Real, curves: Sequence[Curve[Evaluation]]) -> pd.DataFrame:
    """The sweep as a table: one row a mechanism and value."""
    frames = [
        pd.DataFrame(
            {
                "mechanism": curve.mechanism.label_without(param),
                param.name: list(curve.values),
                **{metric: curve.numbers(metric) for metric in METRICS},
                "method": [e.method for e in curve.points],
            }
        )
        for curve in curves
    ]
    return pd.concat(frames, ignore_index=True)


def sweep_lines(
    param: Real, curves: Sequence[Curve[Evaluation]], metrics: Sequence[str], marked: Sequence[bool]
) -> list[go.Figure]:
    """How error and fairness move with one parameter, as in P0 Figure 2.

    `marked` says which curves bear a mark at their present value. A mechanism without the
    parameter is a level line, so that all can be compared at any value.
    """
    looks = styles([curve.mechanism for curve in curves])
    return [_sweep_chart(param, curves, metric, marked, looks) for metric in metrics]


def _sweep_chart(
    param: Real, curves: Sequence[Curve[Evaluation]], metric: str, marked: Sequence[bool],
    looks: Sequence[Style],
) -> go.Figure:
    words = METRICS[metric]
    traces = []
    for curve, look, mark in zip(curves, looks, marked, strict=True):
        label = safe_label(curve.mechanism.label_without(param))
        xs, ys = list(curve.values), curve.numbers(metric)
        traces.append(
            scatter(
                x=xs, y=ys, mode="lines", name=label,
                line={"color": look.color, "dash": look.dash, "width": 2.4},
                hovertemplate=f"{label}<br>{param.symbol} = %{{x:{value_format(param)}}}<br>"
                f"{words.title}: %{{y:,.3g}} {words.unit}<extra></extra>",
            )
        )
        traces += mark_here(curve.here if mark else None, xs, ys, look)
    return figure(
        traces, 400, title=titled(words.title, f"{words.symbol}, {words.unit}"), showlegend=True,
        legend=LEGEND_BELOW, xaxis=parameter_axis(param),
        yaxis={**GRID, "rangemode": "tozero"},
    )

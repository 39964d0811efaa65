"""Charts of the Compare page: summary bars, signed bias by group size, and one-parameter sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.figures.theme import (
    GRID,
    Style,
    figure,
    panel_domains,
    panel_title,
    safe_label,
    styles,
)
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism, Param
from sdc_core.narrative import delta_text, precision_text, sensible
from sdc_core.privacy.guarantee import Guarantee


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


def summary_bars(
    evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> go.Figure:
    """Five small panels, one bar a mechanism: error, bias, unfairness, variance, δ."""
    looks = styles([e.mechanism for e in evaluations])
    names = [f"{i + 1}. {e.mechanism.label()}" for i, e in enumerate(evaluations)]
    panels: list[tuple[str, str, list[float], list[float], list[str]]] = []
    for metric, words in METRICS.items():
        values = [float(getattr(e, metric)) for e in evaluations]
        errors = [float(getattr(e, f"{metric}_se")) for e in evaluations]
        panels.append((words.title, f"{words.symbol}, {words.unit}", values, errors,
                       [sensible(v) for v in values]))
    deltas = [g.delta_tight for g in guarantees]
    shown = [delta_text(g.delta_tight, g.log_rest_tight) for g in guarantees]
    panels.append(("Chance the promise fails", "true δ", deltas, [0.0] * len(deltas), shown))

    traces, layout = [], {}
    for i, (left, right) in enumerate(panel_domains(len(panels), 0.035)):
        title, unit, values, errors, texts = panels[i]
        suffix = "" if i == 0 else str(i + 1)
        traces.append(_bars(names, values, errors, texts, looks, suffix, title, unit))
        layout[f"xaxis{suffix}"] = {
            **GRID, "domain": [left, right], "range": [0, max([*values, 1e-9]) * 1.42],
            "showticklabels": False, "showgrid": False, "anchor": f"y{suffix}",
        }
        layout[f"yaxis{suffix}"] = {
            "autorange": "reversed", "showticklabels": i == 0, "anchor": f"x{suffix}",
            "automargin": True, "ticks": "", "fixedrange": True, "showgrid": False,
        }
    annotations = [
        panel_title(f"<b>{title}</b><br>{unit}", f"x{'' if i == 0 else i + 1}")
        for i, (title, unit, *_) in enumerate(panels)
    ]
    height = 92 + 34 * len(evaluations)
    return figure(traces, height, annotations=annotations,
                  margin={"l": 8, "r": 8, "t": 50, "b": 4}, **layout)


def _bars(
    names: Sequence[str], values: Sequence[float], errors: Sequence[float], texts: Sequence[str],
    looks: Sequence[Style], suffix: str, title: str, unit: str,
) -> go.Bar:
    simulated = any(e > 0 for e in errors)
    return go.Bar(
        x=list(values), y=[safe_label(n) for n in names], orientation="h", text=list(texts),
        textposition="outside", cliponaxis=False,
        marker={"color": [look.color for look in looks]},
        error_x={"type": "data", "array": list(errors), "visible": simulated},
        hovertemplate=f"%{{y}}<br>{title}: %{{text}} ({unit})<extra></extra>",
        xaxis=f"x{suffix}", yaxis=f"y{suffix}",
    )


COUNT_TICKS = (0, 1, 5, 20, 100, 500, 2000, 10_000, 100_000, 1_000_000)


def count_position(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Where a count stands on the axis: logarithmic, with room for zero."""
    return np.log10(np.asarray(counts, dtype=np.float64) + 1)


def bias_points(histogram: Histogram, evaluation: Evaluation, examples: int = 3) -> pd.DataFrame:
    """Cells that have the same count and the same bias as one point, with the people they are."""
    counts = histogram.counts
    rounded = np.round(evaluation.bias, 3)
    order = np.lexsort((rounded, counts))
    keys = np.stack([counts[order], rounded[order]])
    starts = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
    ends = np.r_[starts[1:], len(order)]
    who = []
    for start, end in zip(starts, ends, strict=True):
        some = histogram.describe_cells(order[start : min(end, start + examples)])
        more = end - start - len(some)
        who.append("; ".join(some) + (f"; and {more} more" if more else ""))
    return pd.DataFrame(
        {
            "true count": counts[order][starts],
            "bias": evaluation.bias[order][starts],
            "groups": ends - starts,
            "who": who,
        }
    )


def bias_by_count(histogram: Histogram, evaluations: Sequence[Evaluation]) -> go.Figure:
    """Signed bias against the true count, one panel a mechanism, all on the same scale."""
    looks = styles([e.mechanism for e in evaluations])
    limit = max((float(np.abs(e.bias).max()) for e in evaluations), default=1.0) * 1.15 or 1.0
    top = int(histogram.counts.max())
    ticks = [t for t in COUNT_TICKS if t <= max(top, 1)]
    traces, layout, annotations = [], {}, []
    for i, (left, right) in enumerate(panel_domains(len(evaluations), 0.03)):
        points = bias_points(histogram, evaluations[i])
        suffix = "" if i == 0 else str(i + 1)
        traces.append(
            go.Scatter(
                x=count_position(points["true count"].to_numpy()), y=points["bias"],
                mode="markers", xaxis=f"x{suffix}", yaxis=f"y{suffix}",
                marker={
                    "color": looks[i].color, "symbol": looks[i].symbol, "opacity": 0.75,
                    "size": 5 + 2.2 * np.sqrt(np.minimum(points["groups"], 100)),
                    "line": {"width": 0},
                },
                customdata=np.stack(
                    [points["true count"], points["groups"],
                     [_wrapped(w) for w in points["who"]]], axis=1,
                ),
                hovertemplate="groups of %{customdata[0]}: %{customdata[1]} of them<br>"
                "bias %{y:+.3g} people<br>%{customdata[2]}<extra></extra>",
            )
        )
        layout[f"xaxis{suffix}"] = {
            **GRID, "domain": [left, right], "anchor": f"y{suffix}",
            "tickvals": [float(count_position(np.array([t]))[0]) for t in ticks],
            "ticktext": [f"{t:,}" for t in ticks],
            "range": [-0.12, float(count_position(np.array([max(top, 1)]))[0]) + 0.12],
            "title": {"text": "true count (people)", "standoff": 6},
        }
        layout[f"yaxis{suffix}"] = {
            **GRID, "anchor": f"x{suffix}", "range": [-limit, limit],
            "showticklabels": i == 0, "zeroline": True,
            **({"title": {"text": "bias (people)"}} if i == 0 else {}),
        }
        label = safe_label(evaluations[i].mechanism.label())
        annotations.append(panel_title(f"<b>{label}</b>", f"x{suffix}"))
    return figure(traces, 320, annotations=annotations, **layout)


def _wrapped(text: str, width: int = 60) -> str:
    """Hover text in lines: plotly does not wrap."""
    lines, line = [], ""
    for word in safe_label(text).split(" "):
        if len(line) + len(word) > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "<br>".join([*lines, line])


def worst_cells(
    histogram: Histogram, evaluations: Sequence[Evaluation], most: int = 200
) -> pd.DataFrame:
    """The groups that any of the mechanisms moves most, worst first, in words."""
    worst = np.max(np.abs(np.stack([e.bias for e in evaluations])), axis=0)
    order = np.argsort(-worst, kind="stable")[:most]
    table = pd.DataFrame(
        {"who": histogram.describe_cells(order), "true count": histogram.counts[order]}
    )
    for i, evaluation in enumerate(evaluations):
        column = f"bias, {i + 1}. {evaluation.mechanism.label()}"
        table[column] = evaluation.bias[order]
    return table


def sweep_table(
    param: Param, curves: Sequence[tuple[Mechanism, Sequence[float], Mapping[str, Sequence[float]]]]
) -> pd.DataFrame:
    """The sweep as a table: one row a mechanism and value."""
    frames = [
        pd.DataFrame({"mechanism": curve_label(m, param), param.name: list(values), **numbers})
        for m, values, numbers in curves
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def curve_label(mechanism: Mechanism, param: Param) -> str:
    """The mechanism's label without the parameter that runs along the axis."""
    if param.name not in mechanism.settings():
        return mechanism.label()
    others = [
        f"{p.symbol}={getattr(mechanism, p.name):g}"
        for p in mechanism.relevant_params()
        if p.numeric and p.name != param.name
    ]
    return " ".join([mechanism.title, *others])


def sweep_lines(
    param: Param,
    curves: Sequence[tuple[Mechanism, Sequence[float], Mapping[str, Sequence[float]]]],
    metrics: Sequence[str],
    current: Sequence[float | None],
) -> go.Figure:
    """How error and fairness move with one parameter, as in P0 Figure 2; dots mark today's choice.

    A mechanism without the parameter is a level line, so that all can be compared at any value.
    """
    looks = styles([mechanism for mechanism, _, _ in curves])
    traces, layout, annotations = [], {}, []
    low, high = param.slider or (param.low, param.high)
    for i, (left, right) in enumerate(panel_domains(len(metrics), 0.09)):
        suffix = "" if i == 0 else str(i + 1)
        words = METRICS[metrics[i]]
        for (mechanism, values, numbers), look, here in zip(curves, looks, current, strict=True):
            label = safe_label(curve_label(mechanism, param))
            ys = list(numbers[metrics[i]])
            traces.append(
                go.Scatter(
                    x=list(values), y=ys, mode="lines", name=label, legendgroup=label,
                    showlegend=i == 0, xaxis=f"x{suffix}", yaxis=f"y{suffix}",
                    line={"color": look.color, "dash": look.dash, "width": 2.4},
                    hovertemplate=f"{label}<br>{param.symbol} = %{{x:.3g}}<br>"
                    f"{words.title}: %{{y:,.3g}} {words.unit}<extra></extra>",
                )
            )
            if here is not None:
                at = float(np.interp(here, list(values), ys))
                traces.append(
                    go.Scatter(
                        x=[here], y=[at], mode="markers", showlegend=False, hoverinfo="skip",
                        xaxis=f"x{suffix}", yaxis=f"y{suffix}",
                        marker={"color": look.color, "size": 10, "symbol": look.symbol},
                    )
                )
        axis_range = [np.log10(low), np.log10(high)] if param.log else [low, high]
        layout[f"xaxis{suffix}"] = {
            **GRID, "domain": [left, right], "anchor": f"y{suffix}",
            "type": "log" if param.log else "linear", "range": axis_range,
            "title": {"text": safe_label(param.axis_title), "standoff": 6},
            **({"tickvals": [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]} if param.log else {}),
        }
        layout[f"yaxis{suffix}"] = {
            **GRID, "anchor": f"x{suffix}", "rangemode": "tozero",
        }
        annotations.append(
            panel_title(f"<b>{words.title}</b> ({words.symbol}), {words.unit}", f"x{suffix}")
        )
    legend = {"orientation": "h", "y": -0.24, "x": 0, "yanchor": "top"}
    return figure(traces, 380, annotations=annotations, showlegend=True, legend=legend, **layout)

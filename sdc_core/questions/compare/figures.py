"""Charts of Compare: how far off counts are, by size of group and in all, signed bias by group
size, and one-parameter sweeps."""

from __future__ import annotations

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
from sdc_core.figures.rows import Dots, dot_plot
from sdc_core.figures.rows import Yardstick as Upright
from sdc_core.figures.theme import (
    GRID,
    Style,
    figure,
    in_legend,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_in_visit
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.error import BANDS, band_title
from sdc_core.metrics.sampling import Yardstick
from sdc_core.parameters import Real
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.evaluations import mean_is_exact, or_none_seen, precision_text, with_error
from sdc_core.words.groups import people_word
from sdc_core.words.guarantees import delta_text, true_delta_text
from sdc_core.words.numbers import counted, percent, sensible


@dataclass(frozen=True)
class MetricWords:
    """A summary number as a panel: its title for everybody, its symbol for those who know."""

    title: str
    symbol: str
    unit: str

    def note(self, weighted: bool) -> str:
        """Symbol and unit: `E Σ|x̃ − x|, x > 0, people represented`."""
        return f"{self.symbol}, {self.unit_of(weighted)}"

    def unit_of(self, weighted: bool) -> str:
        """In people represented, squares are of those: (people represented)²."""
        if not weighted:
            return self.unit
        people = people_word(weighted)
        return self.unit.replace("people", f"({people})" if "²" in self.unit else people)


METRICS: dict[str, MetricWords] = {
    "people_error": MetricWords("Error where people are", "E Σ|x̃ − x|, x > 0", "people"),
    "people_bias": MetricWords("Systematic error where people are", "Σ|bias|, x > 0", "people"),
    "invented": MetricWords("People put into empty groups", "Σ bias, x = 0", "people"),
    "fairness_alpha": MetricWords("Unfairness", "α, all groups", "people"),
    "max_variance": MetricWords("Largest variance", "max Var, all groups", "people²"),
}

# Known exactly where the average release is, though the rest is simulated.
OF_THE_MEAN = ("people_bias", "invented", "fairness_alpha")

# Both kinds of group together, as the papers sum them: in tables only.
TOGETHER: dict[str, MetricWords] = {
    "l1_error": MetricWords("Total error", "E‖x̃ − x‖₁", "people"),
    "l1_bias": MetricWords("Systematic error", "‖bias‖₁", "people"),
}


# Scales never go below half a person: a bias of a millionth must not fill the chart.
NEGLIGIBLE = 0.5


def summary_table(
    evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> pd.DataFrame:
    """All summary numbers, one row a mechanism."""
    rows = []
    for evaluation, guarantee in zip(evaluations, guarantees, strict=True):
        row: dict[str, Any] = {"mechanism": evaluation.mechanism.label()} | _counted(evaluation)
        for name, words in {**METRICS, **TOGETHER}.items():
            symbol = words.symbol.removesuffix(", all groups")
            row[f"{words.title} ({symbol})"] = getattr(evaluation, name)
            if evaluation.method == "simulated":
                row[f"± {symbol}"] = getattr(evaluation, f"{name}_se")
        published = guarantee.delta_published
        row["δ published"] = (
            "none"
            if published is None or guarantee.log_rest_published is None
            else delta_text(published, guarantee.log_rest_published)
        )
        row["δ true"] = true_delta_text(guarantee)
        row["published δ holds"] = {True: "yes", False: "no", None: "–"}[guarantee.holds]
        row["method"] = precision_text(evaluation)
        rows.append(row)
    return pd.DataFrame(rows)


# Added up and in people, so that they can stand on one scale; the other numbers are in the table.
SUMS = {
    "people_error": "in one release", "people_bias": "when many releases are averaged",
    "invented": "who do not exist, on balance",
}


def _text(evaluation: Evaluation, metric: str) -> str:
    value, error = getattr(evaluation, metric), getattr(evaluation, f"{metric}_se")
    if metric in OF_THE_MEAN and mean_is_exact(evaluation):
        return with_error(value, error)
    return or_none_seen(evaluation, value, error)


def _counted(evaluation: Evaluation) -> dict[str, str]:
    """A column that says in what a table is told, where that is not records."""
    return {"counted as": people_word(True)} if evaluation.weighted else {}


@dataclass(frozen=True)
class Row:
    """A row: what it is about, how much of it there is, and each method's number as drawn and as
    read; not a number where a method has none here."""

    title: str
    note: str
    values: Sequence[float]
    texts: Sequence[str]
    errors: Sequence[float] = ()


def _dots(
    rows: Sequence[Row], mechanisms: Sequence[Mechanism], what: str, unit: str,
    line: tuple[float, str] | None = None,
) -> go.Figure:
    """On one scale from zero, which does not end before half a person: a thousandth must not fill
    the chart. `line` is where the yardstick stands, with its name."""
    errors = np.array([row.errors or [0.0] * len(mechanisms) for row in rows])
    values = np.array([row.values for row in rows])
    least = min(float(np.nanmin(values - errors)), 0.0)
    top = max(float(np.nanmax(values + errors)), line[0] if line else NEGLIGIBLE)
    marks = []
    for i, (one, look) in enumerate(zip(mechanisms, styles(mechanisms), strict=True)):
        around = (values[:, i] - errors[:, i], values[:, i] + errors[:, i])
        low, high = (end.tolist() if errors[:, i].any() else () for end in around)
        marks.append(Dots(
            one.plain_label(), look, values[:, i].tolist(),
            [f"{row.title}: {row.texts[i]}" for row in rows], low, high,
            f"<br>{safe_label(unit)}<br>{in_legend(safe_label(one.plain_label()))}",
        ))
    axis = {"range": [1.05 * least, 1.05 * top], "zeroline": True, "zerolinewidth": 1,
            "separatethousands": True, "fixedrange": True,
            "title": {"text": safe_label(f"{what}, {unit}"), "standoff": 6}}
    names = [f"{row.title} ({row.note})" for row in rows]
    at = None if line is None else Upright(line[1], [line[0]] * len(rows))
    return dot_plot(names, marks, axis, at)


def size_rows(table: Histogram, evaluations: Sequence[Evaluation]) -> list[Row]:
    """By how much one count is off on average: of all groups that have people, of those of about
    one size, and of those that have nobody."""
    counts, people = table.counts, table.people
    some = [("All groups that have people", counts > 0)]
    for low, high in BANDS[1:]:
        inside = (counts >= low) & (counts <= (np.inf if high is None else high))
        some.append((band_title(low, high).capitalize() + " records" * table.weighted, inside))
    some.append(("Groups that have nobody", counts == 0))
    rows = []
    for title, inside in some:
        if not inside.any():
            continue
        share = people[inside].sum() / max(people.sum(), 1e-300)
        of_all = f", {percent(float(share))} of people" if 0 < share < 1 else ""
        note = f"{counted(int(inside.sum()), 'group', 'groups')}{of_all}"
        rows.append(_mean_row(title, note, evaluations, inside))
    return rows


def _mean_row(
    title: str, note: str, evaluations: Sequence[Evaluation], inside: NDArray[np.bool_]
) -> Row:
    def mean(bias: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(error[inside].mean())

    values = [float(mean(e.bias, e.absolute_error)) for e in evaluations]
    errors = [float(e.error_of(mean)) for e in evaluations]
    texts = [or_none_seen(*one) for one in zip(evaluations, values, errors, strict=True)]
    return Row(title, note, values, texts, errors)


def size_dots(table: Histogram, evaluations: Sequence[Evaluation]) -> go.Figure:
    return _dots(
        size_rows(table, evaluations), [e.mechanism for e in evaluations],
        "a count is off by, on average", people_word(table.weighted),
    )


def size_table(table: Histogram, evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    return pd.DataFrame([
        {"groups of": row.title, "groups": row.note.split(" ")[0], "mechanism": e.mechanism.label(),
         **_counted(e), "a count is off by": value, "±": error}
        for row in size_rows(table, evaluations)
        for e, value, error in zip(evaluations, row.values, row.errors, strict=True)
    ])


def sum_rows(table: Histogram, evaluations: Sequence[Evaluation]) -> list[Row]:
    """Error and systematic error where people are, and people put where nobody is, if there is
    such a group: that nobody was put into none is no finding."""
    some_empty = bool((table.counts == 0).any())
    return [
        Row(METRICS[metric].title, note,
            [float(getattr(e, metric)) for e in evaluations],
            [_text(e, metric) for e in evaluations],
            [float(getattr(e, f"{metric}_se")) for e in evaluations])
        for metric, note in SUMS.items() if some_empty or metric != "invented"
    ]


def sum_dots(rows: Sequence[Row], evaluations: Sequence[Evaluation]) -> go.Figure:
    weighted = any(e.weighted for e in evaluations)
    return _dots(rows, [e.mechanism for e in evaluations], "added up over groups",
                 people_word(weighted))


def sampling_dots(found: Sequence[tuple[Evaluation, Yardstick]]) -> go.Figure:
    """A row a size of group: each method's error as a multiple of the survey's own."""
    rows = []
    for place, size in enumerate(found[0][1].sizes):
        ratios = [one.sizes[place].ratio for _, one in found]
        rows.append(Row(
            size.title.capitalize() + " records" * found[0][0].weighted,
            counted(size.groups, "group", "groups"),
            [ratio if np.isfinite(ratio) else np.nan for ratio in ratios],
            [sensible(ratio) for ratio in ratios],
        ))
    return _dots(
        rows, [e.mechanism for e, _ in found], "error of a release", "times the sampling error",
        (1.0, "the survey's own error"),
    )


def sampling_table(found: Sequence[tuple[Evaluation, Yardstick]]) -> pd.DataFrame:
    return pd.DataFrame([
        {"mechanism": e.mechanism.label(), "groups of": size.title, "groups": size.groups,
         "error as a multiple of the sampling error": size.ratio}
        for e, one in found for size in one.sizes
    ])


COUNT_TICKS = (0, 1, 5, 20, 100, 500, 2000, 10_000, 100_000, 1_000_000)


def count_position(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Where a count stands on the axis: logarithmic, with room for zero."""
    return np.log10(np.asarray(counts, dtype=np.float64) + 1)


@kept_in_visit
def _who(table: Histogram, some: tuple[int, ...], groups: int) -> str:
    """Whom so many groups are about, of which these are some: in lines, since plotly does not
    wrap. Kept, since methods group the same cells alike."""
    said = table.describe_cells(np.array(some))
    more = groups - len(said)
    text = "; ".join(said) + (f"; and {more:,} more" if more else "")
    return "<br>".join(textwrap.wrap(safe_label(text), 60, break_long_words=False))


def bias_points(
    table: Histogram, evaluation: Evaluation, limit: float = 1.0
) -> list[dict[str, Any]]:
    """Cells that have the same count and the same bias as one point, with the people they are.

    Weights make every cell's bias another one: there those are one point that cannot be told apart
    on an axis up to `limit`, and the first of them stands for all.
    """
    counts = table.counts
    step = 0.01 * limit if evaluation.weighted else 1.0
    rounded = np.round(evaluation.bias / step, 3 - 3 * evaluation.weighted)
    order = np.lexsort((rounded, counts))
    keys = np.stack([counts[order], rounded[order]])
    starts = np.flatnonzero(np.r_[True, np.any(keys[:, 1:] != keys[:, :-1], axis=0)])
    return [
        {
            "true count": int(counts[cells[0]]),
            "bias": float(evaluation.bias[cells[0]]) + 0.0,  # no minus before a zero
            "groups": len(cells),
            "who": _who(table, tuple(cells[:3].tolist()), len(cells)),
        }
        for cells in np.split(order, starts[1:])
    ]


def bias_by_count(table: Histogram, evaluations: Sequence[Evaluation]) -> list[go.Figure]:
    """Signed bias against the true count, one chart a mechanism, all on the same scale."""
    looks = styles([e.mechanism for e in evaluations])
    limit = 1.2 * max([NEGLIGIBLE, *(float(np.abs(e.bias).max()) for e in evaluations)])
    return [
        _bias_chart(table, evaluation, look, limit)
        for evaluation, look in zip(evaluations, looks, strict=True)
    ]


def _bias_chart(
    table: Histogram, evaluation: Evaluation, look: Style, limit: float
) -> go.Figure:
    people, weighted = people_word(table.weighted), table.weighted
    top = max(int(table.counts.max()), 1)
    ticks = [t for t in COUNT_TICKS if t <= top]
    at, sizes = _bias_marks(table, evaluation, limit if evaluation.weighted else 1.0)
    marks = scatter(
        x=at["x"], y=at["y"], mode="markers", cliponaxis=False,
        marker={
            "color": look.color, "symbol": look.symbol, "opacity": 0.75, "line": {"width": 0},
            "size": sizes,
        },
        text=at["text"], hovertemplate="%{text}<extra></extra>",
    )
    positions = count_position(np.array(ticks))
    name = in_legend(safe_label(evaluation.mechanism.plain_label()))
    return figure(
        [marks], 300, title=titled(name, f"bias, {people}"),
        xaxis={
            **GRID, "tickvals": positions.tolist(), "ticktext": [f"{t:,}" for t in ticks],
            "range": [-0.14, float(count_position(np.array([top]))[0]) * 1.04],
            "zeroline": False, "title": {
                "text": f"true count, {'records' if weighted else 'people'}", "standoff": 6},
        },
        yaxis={
            **GRID, "range": [-limit, limit], "zeroline": True, "zerolinewidth": 1,
        },
    )


@kept_in_visit  # one method is moved, and the charts of the others stay as they are
def _bias_marks(
    table: Histogram, evaluation: Evaluation, limit: float
) -> tuple[dict[str, list[Any]], NDArray[np.float64]]:
    """Where the points of a chart stand with what they say, and how large they are."""
    points = bias_points(table, evaluation, limit)
    people, weighted = people_word(table.weighted), table.weighted
    groups = np.array([p["groups"] for p in points])
    at = {
        "x": count_position(np.array([p["true count"] for p in points])).tolist(),
        "y": [p["bias"] for p in points],
        "text": [
            f"true count {p['true count']:,}{' records' * weighted}, groups: {p['groups']:,}<br>"
            f"bias {p['bias']:+.3g} {people}<br>{p['who']}"
            for p in points
        ],
    }
    return at, 5 + 1.6 * np.sqrt(np.minimum(groups, 80))


def worst_cells(
    table: Histogram, evaluations: Sequence[Evaluation], most: int = 200
) -> pd.DataFrame:
    """The groups that have people and that any of the mechanisms moves most, worst first, in words,
    with their share of all people; where a bias is simulated, its standard error beside it."""
    there = np.flatnonzero(table.counts)
    worst = np.max(np.abs(np.stack([e.bias[there] for e in evaluations])), axis=0)
    order = there[np.argsort(-worst, kind="stable")[:most]]
    people = table.people
    frame = pd.DataFrame({
        "who": table.describe_cells(order), "true count": table.counts[order],
        **({people_word(True): people[order]} if table.weighted else {}),
        "% of all people": 100 * people[order] / max(people.sum(), 1e-300),
    })
    for number, evaluation in enumerate(evaluations, start=1):
        name = f"{number}. {evaluation.mechanism.label()}"
        frame[f"bias, {name}"] = evaluation.bias[order] + 0.0
        errors = evaluation.error_of(lambda bias, _: bias)
        if errors.any():
            frame[f"± {name}"] = errors[order]
    return frame


def sweep_table(param: Real, curves: Sequence[Curve[Evaluation]]) -> pd.DataFrame:
    """The sweep as a table: one row a mechanism and value."""
    frames = [
        pd.DataFrame(
            {
                "mechanism": curve.mechanism.label_without(param), **_counted(curve.points[0]),
                param.name: list(curve.values),
                **{metric: curve.numbers(metric) for metric in (*METRICS, *TOGETHER)},
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
    words, weighted = METRICS[metric], any(e.weighted for c in curves for e in c.points)
    traces = []
    for curve, look, mark in zip(curves, looks, marked, strict=True):
        label = safe_label(curve.mechanism.plain_label(param))
        xs, ys = list(curve.values), curve.numbers(metric)
        traces.append(
            scatter(
                x=xs, y=ys, mode="lines", name=in_legend(label),
                line={"color": look.color, "dash": look.dash, "width": 2.4},
                hovertemplate=f"{label}<br>{param.symbol} = %{{x:{value_format(param)}}}<br>"
                f"{words.title}: %{{y:,.3g}} {words.unit_of(weighted)}<extra></extra>",
            )
        )
        traces += mark_here(curve.here if mark else None, xs, ys, look)
    return figure(
        traces, 400, title=titled(words.title, words.note(weighted)), showlegend=True,
        legend=LEGEND_BELOW, xaxis=parameter_axis(param),
        yaxis={**GRID, "rangemode": "tozero"},
    )

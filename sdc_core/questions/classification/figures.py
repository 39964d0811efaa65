"""Charts of the Prediction page: accuracy along a parameter, and who is predicted wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.curves import Curve
from sdc_core.figures import axes
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    Style,
    Trace,
    faded,
    figure,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.metrics.classification import (
    PEOPLE_FOR_A_RATE,
    Band,
    GroupErrors,
    Mean,
    Scores,
    Trained,
    TruthAndGuessing,
    band,
    mean_of,
)
from sdc_core.parameters import Real
from sdc_core.questions.classification.words import MOST_GROUPS, apart_as_shown
from sdc_core.words.groups import group_name
from sdc_core.words.numbers import counted, percent

_SHORTEST_SCALE = 0.01  # one point: less must not look like much
METRICS = {"accuracy": "Right about", "balanced": "Right, both answers counted alike"}


def summary_bars(trained: Sequence[Trained], against: TruthAndGuessing, alt: str) -> str:
    """For every method: how many are right, in all and balanced, and what the release costs."""
    lost = [float(against.truth.accuracy[0]) - t.accuracy for t in trained]
    unsure = [_error(mean_of(t.scores.accuracy)) for t in trained]
    panels = [
        _share_panel("Right", "accuracy on the real people",
                     [t.scores.accuracy for t in trained]),
        _share_panel("Right, both answers counted alike", "balanced accuracy",
                     [t.scores.balanced for t in trained]),
        Panel(
            "Lost against the truth", "accuracy, percentage points",
            [max(v, 0.0) if np.isfinite(v) else 0.0 for v in lost], unsure,
            [_lost_text(float(against.truth.accuracy[0]), t.accuracy) for t in trained],
            max([_SHORTEST_SCALE, *(abs(v) + e for v, e in zip(lost, unsure, strict=True)
                          if np.isfinite(v))]),
        ),
    ]
    mechanisms = [t.mechanism for t in trained]
    return bars(panels, [m.label() for m in mechanisms], styles(mechanisms), alt)


def _share_panel(title: str, note: str, runs: Sequence[NDArray[np.float64]]) -> Panel:
    known = [mean_of(r) for r in runs]
    means = [m.mean if m.releases else 0.0 for m in known]
    texts = [percent(m.mean, 1) if m.releases else "unknown" for m in known]
    return Panel(title, note, means, [_error(m) for m in known], texts, 1.0)


def _error(found: Mean) -> float:
    """For a thin line on a bar; none where it is not known."""
    return found.se if np.isfinite(found.se) else 0.0


def _lost_text(truth: float, right: float) -> str:
    """The difference of the two as they are written."""
    if not np.isfinite(right):
        return "unknown"
    gained = f"{100 * right:.1f}" != f"{100 * truth:.1f}" and right > truth
    return f"{apart_as_shown(right, truth)} gained" if gained else apart_as_shown(truth, right)


def accuracy_lines(
    param: Real, curves: Sequence[Curve[Scores]], against: TruthAndGuessing
) -> list[go.Figure]:
    """Accuracy and balanced accuracy along a parameter, with bands over the releases, between what
    the truth gives and what always saying the same gives."""
    return [_lines(param, curves, against, metric) for metric in METRICS]


def _lines(
    param: Real, curves: Sequence[Curve[Scores]], against: TruthAndGuessing, metric: str
) -> go.Figure:
    bands = [band(c.points, metric) for c in curves]
    traces: list[Trace] = []
    for curve, found, look in zip(
        curves, bands, styles([c.mechanism for c in curves]), strict=True
    ):
        traces += _banded(param, curve, found, look)
    top = float(getattr(against.truth, metric)[0])
    floor = against.guessing if metric == "accuracy" else 0.5
    bottom = min([floor, *(v for b in bands for v in b.low if np.isfinite(v))])
    room = 0.08 * max(top - bottom, 0.01)
    highest = max([top + 2 * room, *(v for b in bands for v in b.high if np.isfinite(v))])
    levels = (
        (top, f"trained on the truth, {percent(top, 1)}"),
        (floor, f"always “{against.guess}”, {percent(floor, 1)}"),
    )
    places = [(_scaled(param, c.values), b) for c, b in zip(curves, bands, strict=True)]
    ends = _scaled(param, param.range)
    return figure(
        traces, 400, title=titled(METRICS[metric], "share of the real people"),
        showlegend=True, legend=axes.LEGEND_BELOW,
        shapes=[_level_line(level) for level, _ in levels],
        annotations=[
            _level_words(level, text, *_free_spot(ends, places, level, room))
            for level, text in levels
        ],
        xaxis=axes.parameter_axis(param),
        yaxis={**GRID, "tickformat": ".2~%", "range": [bottom - 1.5 * room, highest],
               "zeroline": False},
    )


def _level_line(level: float) -> dict[str, Any]:
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": level, "y1": level,
            "line": {"color": MUTED, "width": 1.5, "dash": "dot"}}


def _level_words(level: float, text: str, side: int, above: bool) -> dict[str, Any]:
    return {"xref": "paper", "x": side, "y": level, "text": safe_label(text), "showarrow": False,
            "xanchor": "right" if side else "left", "yanchor": "bottom" if above else "top",
            "font": {"size": 12, "color": MUTED}}


def _scaled(param: Real, values: Sequence[float | int]) -> NDArray[np.float64]:
    """Places on the parameter's axis."""
    found = np.asarray(values, dtype=np.float64)
    return np.log10(found) if param.log else found


def _free_spot(
    ends: NDArray[np.float64], bands: Sequence[tuple[NDArray[np.float64], Band]], level: float,
    height: float,
) -> tuple[int, bool]:
    """Where the words for a level line are furthest from all bands: at its left (0) or right (1)
    end, above it or below."""
    across = np.linspace(ends[0], ends[1], 21)

    def clearance(side: int, above: bool) -> float:
        middle = level + (height / 2 if above else -height / 2)
        under = across[-9:] if side else across[:9]  # a label takes less than half the width
        gaps = []
        for xs, found in bands:
            below, upto = np.interp(under, xs, found.low), np.interp(under, xs, found.high)
            gaps.append(float(np.min(np.maximum(below - middle, middle - upto))))
        return min([1.0, *(g for g in gaps if np.isfinite(g))])

    spots = [(0, True), (1, True), (0, False), (1, False)]
    return max(spots, key=lambda spot: round(clearance(*spot), 6))


def _banded(param: Real, curve: Curve[Scores], found: Band, look: Style) -> list[Trace]:
    label = safe_label(curve.mechanism.label_without(param))
    xs = list(curve.values)
    out = []
    if any(high > low for low, high in zip(found.low, found.high, strict=True)):
        out.append(axes.band(xs, found.low, found.high, faded(look.color, 0.15)))
    out.append(scatter(
        x=xs, y=found.mean, mode="lines+markers" if len(xs) <= 4 else "lines", name=label,
        line={"color": look.color, "dash": look.dash, "width": 2.4},
        marker={"size": 5, "color": look.color},
        hovertemplate=f"{label}<br>{param.symbol} = %{{x:{axes.value_format(param)}}}<br>"
        "right: %{y:.1%}<extra></extra>",
    ))
    return out + axes.mark_here(curve.here, xs, found.mean, look)


def sweep_table(param: Real, curves: Sequence[Curve[Scores]]) -> pd.DataFrame:
    """One row for every method and value: means and bands."""
    frames = []
    for curve in curves:
        columns: dict[str, Any] = {
            "method": curve.mechanism.label_without(param), param.name: list(curve.values)}
        for metric in METRICS:
            mean, low, high = band(curve.points, metric)
            columns |= {metric: mean, f"{metric}, 10%": low, f"{metric}, 90%": high}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def group_errors(
    before: GroupErrors, after: Sequence[GroupErrors], trained: Sequence[Trained]
) -> go.Figure | None:
    """For each group how often the model is wrong: grey when trained on the truth, in colour when
    trained on a release. None where no group is large enough."""
    large = [i for i, n in enumerate(before.people) if n >= PEOPLE_FOR_A_RATE][:MOST_GROUPS]
    if not large:
        return None
    rows = np.arange(len(large), dtype=np.float64)
    looks = styles([t.mechanism for t in trained])
    traces = [scatter(
        x=before.mean[large].tolist(), y=rows.tolist(), mode="markers",
        name="trained on the truth",
        marker={"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": MUTED}},
        hovertemplate="trained on the truth: wrong %{x:.1%}<extra></extra>",
    )]
    width = 0.4 / max(1, len(trained))
    for place, (found, one, look) in enumerate(zip(after, trained, looks, strict=True)):
        if len(found.wrong):  # else no release to learn from, which the page says
            beside = (place - (len(trained) - 1) / 2) * width
            traces.append(_group_marks(found.wrong[:, large], rows + beside, one, look))
    # names stand above their row, not beside it: long ones leave no room on a narrow screen
    names = [
        {"text": f"{safe_label(group_name(before.labels[i]))}, {counted(int(before.people[i]))}",
         "xref": "paper", "x": 0, "xanchor": "left", "y": row, "yshift": 20, "showarrow": False,
         "font": {"size": 12}}
        for row, i in enumerate(large)
    ]
    return figure(
        traces, 150 + 56 * len(large), showlegend=True,
        # above the rows: below them it would run into the axis where there are few
        legend={"orientation": "h", "y": 1, "x": 0, "yanchor": "bottom"},
        margin={"l": 8, "r": 12, "t": 12, "b": 8},
        xaxis={**GRID, "tickformat": ".2~%", "zeroline": False,
               "title": {"text": "predicted wrong, share of the group", "standoff": 6}},
        yaxis={**GRID, "tickvals": rows.tolist(), "showticklabels": False, "zeroline": False,
               "range": [len(large) - 0.55, -0.75]},
        annotations=names,
    )


def _group_marks(
    runs: NDArray[np.float64], heights: NDArray[np.float64], one: Trained, look: Style
) -> Trace:
    """A mark a group at the mean of the releases, with a line over the middle 80% of them."""
    label = safe_label(one.mechanism.label())
    mean = runs.mean(axis=0)
    low, high = np.quantile(runs, [0.1, 0.9], axis=0)
    return scatter(
        x=mean.tolist(), y=heights.tolist(), mode="markers", name=label,
        marker={"color": look.color, "symbol": look.symbol, "size": 9},
        error_x={"type": "data", "symmetric": False, "array": np.maximum(high - mean, 0),
                 "arrayminus": np.maximum(mean - low, 0), "width": 0, "thickness": 2,
                 "color": faded(look.color, 0.5)},
        hovertemplate=f"{label}: wrong %{{x:.1%}}<extra></extra>",
    )


def group_table(
    before: GroupErrors, after: Sequence[GroupErrors], trained: Sequence[Trained]
) -> pd.DataFrame:
    """Every group, also the small ones."""
    table = pd.DataFrame({
        "group": [group_name(labels) for labels in before.labels], "people": before.people,
        "wrong, trained on the truth": before.mean,
    })
    for i, (found, one) in enumerate(zip(after, trained, strict=True), start=1):
        table[f"wrong, {i}. {one.mechanism.label()}"] = found.mean
        table[f"wrong, {i}. {one.mechanism.label()}, standard error"] = found.se
    return table


def score_table(trained: Sequence[Trained], against: TruthAndGuessing) -> pd.DataFrame:
    rows = [
        {"trained on": t.mechanism.label(), "accuracy": t.accuracy,
         "balanced accuracy": t.balanced, "releases": len(t.scores.accuracy),
         "accuracy, standard error": mean_of(t.scores.accuracy).se,
         "balanced accuracy, standard error": mean_of(t.scores.balanced).se}
        for t in trained
    ]
    rows += [
        {"trained on": "the truth", "accuracy": float(against.truth.accuracy[0]),
         "balanced accuracy": float(against.truth.balanced[0]), "releases": None},
        {"trained on": "the truth, tested on people it has not seen", "accuracy": against.unseen,
         "balanced accuracy": None, "releases": None},
        {"trained on": f"nothing: always “{against.guess}”", "accuracy": against.guessing,
         "balanced accuracy": 0.5, "releases": None},
    ]
    return pd.DataFrame(rows)

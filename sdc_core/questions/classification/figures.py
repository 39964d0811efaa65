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
from sdc_core.figures.rows import Dots, Yardstick, dot_plot
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    MUTED_TEXT,
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
    middle,
)
from sdc_core.parameters import Real
from sdc_core.questions.classification.words import MOST_GROUPS, apart_as_shown, tenths
from sdc_core.words.groups import group_name
from sdc_core.words.numbers import counted, percent

_SHORTEST_SCALE = 1.0  # point: less must not look like much
METRICS = {"accuracy": "Right about people", "balanced": "Right, both answers counted alike"}


def right_against_truth(trained: Sequence[Trained], against: TruthAndGuessing) -> go.Figure:
    """How much more or less often models are right that learnt from a release than the one that
    learnt from the truth: tenths of a point are seen only as differences. How often they are right
    stands beside their names."""
    known = [t for t in trained if np.isfinite(t.accuracy)]
    truths = [float(getattr(against.truth, metric)[0]) for metric in METRICS]
    marks = [
        _against(t, look, truths)
        for t, look in zip(known, styles([t.mechanism for t in known]), strict=True)
    ]
    names = [f"{title}: {percent(truth, 1)} when trained on the truth"
             for title, truth in zip(METRICS.values(), truths, strict=True)]
    return dot_plot(names, marks, _points_axis(marks, "right more or less often"),
                    Yardstick("trained on the truth", [0.0] * len(names)))


def _against(one: Trained, look: Style, truths: Sequence[float]) -> Dots:
    found = [mean_of(getattr(one.scores, metric)) for metric in METRICS]
    gaps = [100 * (m.mean - truth) for m, truth in zip(found, truths, strict=True)]
    errors = [100 * _error(m) for m in found]
    label = f"{one.mechanism.plain_label()}: {tenths(one.accuracy)} right"
    return Dots(
        label, look, gaps,
        [f"{one.mechanism.plain_label()}: {percent(m.mean, 1)}, {_lost_text(truth, m.mean)}"
         for m, truth in zip(found, truths, strict=True)],
        [gap - error for gap, error in zip(gaps, errors, strict=True)],
        [gap + error for gap, error in zip(gaps, errors, strict=True)],
    )


def _points_axis(marks: Sequence[Dots], what: str) -> dict[str, Any]:
    """Percentage points around zero, at least one to either side: less must not look like much."""
    reach = max([_SHORTEST_SCALE, *(abs(x) for one in marks for x in (*one.low, *one.high))])
    return {"range": [-1.08 * reach, 1.08 * reach], "zeroline": True, "tickformat": "+~g",
            "title": {"text": f"{what}, percentage points", "standoff": 6}}


def _error(found: Mean) -> float:
    """For a thin line; none where it is not known."""
    return found.se if np.isfinite(found.se) else 0.0


def _lost_text(truth: float, right: float) -> str:
    """The difference of the two as they are written."""
    if f"{100 * right:.1f}" == f"{100 * truth:.1f}":
        return "as often"
    return f"{apart_as_shown(right, truth)} more" if right > truth else (
        f"{apart_as_shown(truth, right)} less")


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
            "font": {"size": 12, "color": MUTED_TEXT}}


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
    edges = [(np.interp(across, xs, found.low), np.interp(across, xs, found.high))
             for xs, found in bands]

    def clearance(side: int, above: bool) -> float:
        middle = level + (height / 2 if above else -height / 2)
        under = slice(-9, None) if side else slice(9)  # a label takes less than half the width
        gaps = [float(np.min(np.maximum(low[under] - middle, middle - high[under])))
                for low, high in edges]
        return min([1.0, *(g for g in gaps if np.isfinite(g))])

    spots = [(0, True), (1, True), (0, False), (1, False)]
    return max(spots, key=lambda spot: round(clearance(*spot), 6))


def _banded(param: Real, curve: Curve[Scores], found: Band, look: Style) -> list[Trace]:
    label = safe_label(curve.mechanism.plain_label(param))
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
    """For each group how much more often the model is wrong that learnt from a release than the one
    that learnt from the truth; thin lines hold the middle 80% of the releases. Those that change
    most come first. None where no group is large enough."""
    large = [i for i, n in enumerate(before.people) if n >= PEOPLE_FOR_A_RATE][:MOST_GROUPS]
    if not large:
        return None
    truths = before.mean
    change = [max([0.0, *(abs(a.mean[i] - truths[i]) for a in after if len(a.wrong))])
              for i in large]
    large = [i for _, i in sorted(zip(change, large, strict=True), key=lambda pair: -pair[0])]
    marks = [
        _group_marks(found.wrong[:, large], truths[large], one, look)
        for found, one, look in zip(
            after, trained, styles([t.mechanism for t in trained]), strict=True)
        if len(found.wrong)  # else no release to learn from, which the page says
    ]
    names = [
        f"{group_name(before.labels[i])}, {counted(int(before.people[i]))}: wrong "
        f"{percent(truths[i], 1)}" for i in large
    ]
    truth = Yardstick("trained on the truth: wrong as often as its name says", [0.0] * len(names))
    return dot_plot(names, marks, _points_axis(marks, "wrong more or less often"), truth)


def _group_marks(
    runs: NDArray[np.float64], truths: NDArray[np.float64], one: Trained, look: Style
) -> Dots:
    """A mark a group at the mean of the releases, with a line over the middle 80% of them."""
    label = one.mechanism.plain_label()
    mean, (low, high) = runs.mean(axis=0), middle(runs)
    return Dots(
        label, look, (100 * (mean - truths)).tolist(),
        [f"{label}: wrong {percent(m, 1)}, trained on the truth {percent(t, 1)}"
         for m, t in zip(mean, truths, strict=True)],
        (100 * (low - truths)).tolist(), (100 * (high - truths)).tolist(),
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

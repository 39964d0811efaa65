"""Charts of Subgroups: heat maps of signed error with the lines, and bars of disparity."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.colour_scale import Scale, scale_for
from sdc_core.figures.theme import (
    GRID,
    MUTED,
    Style,
    Trace,
    figure,
    safe_label,
    scatter,
    styles,
    titled,
)
from sdc_core.histogram import Feature
from sdc_core.keep import kept_in_visit
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.subgroups import GroupResult, Line, MethodResult, code_numbers
from sdc_core.questions.subgroups.words import slope_text, spoken_values, tenths
from sdc_core.words.groups import people_word
from sdc_core.words.numbers import sensible

Measure = Callable[[GroupResult], float | None]
_PANEL = 235  # pixels of height
_SMALLEST_LIMIT = 0.5  # people: less than that must not fill the scale


def colour_limit(results: Sequence[MethodResult]) -> float:
    """The end of the one colour scale, in people: the largest error of all panels."""
    largest = [float(np.abs(g.released - g.truth).max(initial=0.0))
               for r in results for g in r.groups]
    return max([_SMALLEST_LIMIT, *largest])


def shade(error: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Where an error stands on the colour scale: its square root, with its sign. An error of 5
    people stays visible beside one of 100."""
    return np.sign(error) * np.sqrt(np.abs(error))


def error_scale(results: Sequence[MethodResult], dark: bool) -> Scale:
    """The colours of all panels alike: too few on one side of zero, too many on the other."""
    return scale_for("signed", float(shade(colour_limit(results))), dark)


class _Axis:
    """The values of a feature that are numbers: where they stand and what they are called."""

    def __init__(self, feature: Feature) -> None:
        all_numbers = code_numbers(feature)
        kept = np.flatnonzero(np.isfinite(all_numbers))
        # the tables' rows and columns are in the data's order: sort them by number
        self.within = np.argsort(all_numbers[kept], kind="stable")
        order = kept[self.within]
        self.numbers = all_numbers[order]
        self.labels = tuple(feature.labels[i] for i in order)
        self.spoken = tuple(spoken_values(feature)[i] for i in order)
        ranks = np.arange(1, len(order) + 1)
        numbers = [f"{v:g}" for v in self.numbers]
        # where codes are 0, 1, 2, … and have words of their own, people count from one
        steady = bool(np.array_equal(np.diff(self.numbers), np.ones(len(ranks) - 1)))
        speak = any(label != number for label, number in zip(self.labels, numbers, strict=True))
        self.ticks = [str(r) for r in ranks] if steady and speak else numbers
        self.title = feature.title

    def words(self) -> str:
        if self.labels[0].lower().startswith(self.title.lower()):
            return self.title
        first, last = (
            label if label == tick else f"{tick} {label}"
            for label, tick in ((self.labels[i], self.ticks[i]) for i in (0, -1))
        )
        return f"{self.title} ({first} … {last})"

    def settings(self) -> dict[str, Any]:
        step = max(1, round(len(self.ticks) / 7))
        numbers = self.numbers
        half = float(np.diff(numbers).min()) / 2 if len(numbers) > 1 else 0.5
        return {
            **GRID, "showgrid": False, "zeroline": False, "tickvals": numbers[::step].tolist(),
            "ticktext": self.ticks[::step], "tickfont": {"size": 11},
            "range": [float(numbers[0]) - half, float(numbers[-1]) + half],
        }


def heat_map(
    result: MethodResult, look: Style, upwards: Feature, across: Feature, scale: Scale
) -> go.Figure:
    """One panel a group: released minus true, with the true line (grey) and the released one (in
    the mechanism's colour)."""
    y, x, panels = _Axis(upwards), _Axis(across), len(result.groups)
    traces: list[Trace] = []
    layout: dict[str, Any] = {}
    notes = []
    share = 1 / panels
    for i, group in enumerate(result.groups):
        tail = "" if i == 0 else str(i + 1)
        top = 1 - i * share
        layout[f"xaxis{tail}"] = x.settings() | {
            "anchor": f"y{tail}", "showticklabels": i == panels - 1}
        layout[f"yaxis{tail}"] = y.settings() | {
            "domain": [top - share + 0.11 * share, top - 0.09 * share], "anchor": f"x{tail}",
        }
        traces += _panel(group, y, x, look, scale, tail)
        notes.append({
            "text": f"<b>{safe_label(group.name)}</b>  {_slopes(group)}", "showarrow": False,
            "xref": "paper", "yref": "paper", "x": 0, "y": top - 0.08 * share, "xanchor": "left",
            "yanchor": "bottom", "font": {"size": 12}, "align": "left",
        })
    layout[f"xaxis{'' if panels == 1 else panels}"]["title"] = {
        "text": safe_label(x.title), "standoff": 4, "font": {"size": 12}}
    return figure(
        traces, 60 + _PANEL * panels, title=_name_and_settings(result.mechanism),
        annotations=notes, margin={"l": 8, "r": 8, "t": 50, "b": 8}, **layout,
    )


def _name_and_settings(mechanism: Mechanism) -> dict[str, Any]:
    """What it does, and below it what it is called and its settings: a panel is narrow and a title
    does not wrap."""
    called = mechanism.plain_label().removeprefix(mechanism.plain).strip()[1:-1]
    return titled(safe_label(mechanism.plain), safe_label(called))


def _panel(
    group: GroupResult, y: _Axis, x: _Axis, look: Style, scale: Scale, tail: str
) -> list[Trace]:
    axes = {"xaxis": f"x{tail}", "yaxis": f"y{tail}"}
    grid = np.ix_(y.within, x.within)
    truth, released = group.truth[grid], group.released[grid]
    error = released - truth
    heat: Trace = {
        "type": "heatmap", "z": np.round(shade(error), 3), "x": x.numbers, "y": y.numbers,
        "zmin": scale.low, "zmax": scale.high, "colorscale": scale.plotly, "showscale": False,
        "xgap": 1, "ygap": 1,
        "customdata": np.round(np.stack([truth, released, error], axis=-1), 2), **axes,
        "text": _who(y.spoken, x.spoken), "hoverongaps": False,
        "hovertemplate": "%{text}<br>true %{customdata[0]:,}, released %{customdata[1]:,}<br>"
                         f"%{{customdata[2]:+,}} {people_word(group.weighted)}<extra></extra>",
    }
    return [heat, *_line(group.true_line, x.numbers, MUTED, "solid", "true line", axes),
            *_line(group.released_line, x.numbers, look.color, look.dash, "released line", axes)]


@kept_in_visit
def _who(rows: tuple[str, ...], columns: tuple[str, ...]) -> NDArray[np.object_]:
    """Whom each cell is about; an array, which plotly does not walk through."""
    return np.array(
        [[f"{safe_label(r)}, {safe_label(c)}" for c in columns] for r in rows], dtype=object)


def _line(
    line: Line | None, xs: NDArray[np.float64], color: str, dash: str, name: str,
    axes: dict[str, str],
) -> list[Trace]:
    """A line with a pale rim, so that it is seen on every colour under it, its own included."""
    if line is None:
        return []
    ends = [float(xs[0]), float(xs[-1])]
    path = {"x": ends, "y": [line.at(v) for v in ends], "mode": "lines", **axes}
    return [
        scatter(**path, line={"color": "rgba(255,255,255,0.6)", "width": 6}, hoverinfo="skip"),
        scatter(
            **path, line={"color": color, "dash": dash, "width": 3}, name=name,
            hovertemplate=f"{name}: slope {slope_text(line.slope)}<extra></extra>",
        ),
    ]


def _slopes(group: GroupResult) -> str:
    true = slope_text(group.true_line.slope) if group.true_line else "no line"
    released = slope_text(group.released_line.slope) if group.released_line else "no line"
    return f"slope {true} → {released}"


def legend(results: Sequence[MethodResult], y: Feature, x: Feature, scale: Scale) -> str:
    """What the colours, lines and axes mean, as a strip of HTML above the panels."""
    axes = f"Across: {_Axis(x).words()}. Upwards: {_Axis(y).words()}."
    limit = sensible(colour_limit(results))
    people = people_word(any(g.weighted for r in results for g in r.groups))
    stops = ",".join(scale.stops)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;align-items:center;'
        'font-size:.84rem;font-variant-numeric:tabular-nums">'
        f'<span>{limit} {people} too few <span style="display:inline-block;width:150px;height:12px;'
        f'vertical-align:-1px;background:linear-gradient(90deg,{stops});border-radius:2px;'
        f'print-color-adjust:exact"></span> {limit} too many</span>'
        f'<span><span style="display:inline-block;width:26px;border-top:3px solid {MUTED};'
        'vertical-align:4px"></span> true line</span>'
        "<span>line in the method's colour: released</span>"
        f"<span>{html.escape(axes)}</span></div>"
    )


def disparity_bars(results: Sequence[MethodResult], alt: str) -> str:
    """For each group how far its slope changes, how far counts of people are off and how many are
    invented, on scales that the groups share; last, the gap between the groups."""
    names = [g.name for g in results[0].groups]
    every = [[r.groups[i] for r in results] for i in range(len(names))]
    measures: list[tuple[str, str, Measure, Measure, float, str]] = [
        ("Slope changes by", "{}", lambda g: g.slope_change, lambda g: g.slope_change_se, 100, "%"),
        ("Counts off by", "{}, of every 1,000, in cells that have people",
         lambda g: g.per_thousand, lambda g: g.per_thousand_se, 1, ""),
        ("Invented", "{}, for every 1,000, in cells that have nobody",
         lambda g: g.of_thousand(g.invented), lambda g: 0.0, 1, ""),
    ]
    panels = []
    for title, note, value, error, factor, unit in measures:
        scale = [(value(g), error(g)) for row in every for g in row]
        panels += [
            _panel_of(title, note.format(name), [value(g) for g in row], [error(g) for g in row],
                      factor, unit, scale)
            for name, row in zip(names, every, strict=True)
        ]
    gaps, unsure = [r.slope_gap for r in results], [r.slope_gap_se for r in results]
    if len(names) > 1:
        panels.append(_panel_of(
            "Gap between groups", "how far apart changes of slope are, points", gaps, unsure, 100,
            "", list(zip(gaps, unsure, strict=True))))
    looks = styles([r.mechanism for r in results])
    return bars(panels, [r.mechanism.plain_label() for r in results], looks, alt)


def _panel_of(
    title: str, note: str, values: Sequence[float | None], errors: Sequence[float | None],
    factor: float, unit: str, scale: Sequence[tuple[float | None, float | None]],
) -> Panel:
    """`scale` are all values, with their errors, that share the end of the bars."""
    top = max([1e-9, *(factor * (abs(v) + _finite(e)) for v, e in scale if v is not None)])
    sign = "+" if unit else ""
    texts = [
        "unknown" if v is None
        else f"{sign if v > 0 else ''}{tenths(factor * v)}{unit}"
        for v in values
    ]
    return Panel(title, note, [abs(factor * (v or 0.0)) for v in values],
                 [factor * _finite(e) for e in errors], texts, top)


def _finite(error: float | None) -> float:
    """For a thin line on a bar; none where it is not known."""
    return error if error is not None and np.isfinite(error) else 0.0


def subgroup_table(results: Sequence[MethodResult]) -> pd.DataFrame:
    """One row for every method and group: slopes, their change, and the error."""
    rows = [
        {
            "method": r.mechanism.label(), "group": g.name, "people": g.people,
            **({"counted as": people_word(True), "records": g.records} if g.weighted else {}),
            "released people": float(g.released.sum()),
            "true slope": g.true_line.slope if g.true_line else None,
            "released slope": g.released_line.slope if g.released_line else None,
            "change of slope, %": None if g.slope_change is None else 100 * g.slope_change,
            "error per 1,000 people": g.of_thousand(g.misplaced),
            "error per 1,000 people, cells with people": g.per_thousand,
            "people put into empty cells": g.invented,
            "released slope, standard error": g.slope_se if g.released_line else None,
            "error per 1,000 people, cells with people, standard error": g.per_thousand_se,
            "how": r.how,
        }
        for r in results for g in r.groups
    ]
    return pd.DataFrame(rows)


def cell_table(results: Sequence[MethodResult], y: Feature, x: Feature) -> pd.DataFrame:
    """Every cell of the heat maps, in words."""
    ys, xs = _Axis(y), _Axis(x)
    frames = []
    for result in results:
        for group in result.groups:
            grid = np.ix_(ys.within, xs.within)
            frames.append(pd.DataFrame({
                "method": result.mechanism.label(), "group": group.name,
                y.title: np.repeat(ys.labels, len(xs.labels)),
                x.title: np.tile(xs.labels, len(ys.labels)),
                "true": group.truth[grid].ravel(), "released": group.released[grid].ravel(),
            }))
    return pd.concat(frames, ignore_index=True)

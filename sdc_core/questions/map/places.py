"""The numbers of a map without the map: texts for its labels, bars, the worst places, the table."""

from __future__ import annotations

import html
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from sdc_core.figures.theme import GRID, Trace, figure, safe_label, styles
from sdc_core.keep import kept_in_visit
from sdc_core.metrics.areas import AreaComparison
from sdc_core.words.groups import people_word
from sdc_core.words.numbers import lowered, percent, signed_text, size_text

MOST_BARS = 40
_HEIGHT_OF_A_PLACE = 62  # pixels in the list of the worst


def unit_text(comparison: AreaComparison) -> str:
    """The unit, and whether records or the people they stand for are meant."""
    unit = comparison.words.unit
    return unit.replace("people", people_word(comparison.weighted))


def hover_texts(comparison: AreaComparison) -> list[str]:
    """For each area its name and its figures under both methods, for a hover label."""
    texts = []
    for i, name in enumerate(comparison.area.labels):
        lines = [f"<b>{_wrapped(name)}</b>"]
        for number, one in enumerate(comparison.mechanisms):
            value = value_text(comparison, number, i)
            lines.append(
                f"{number + 1}. {safe_label(one.plain)}: {value}"
                f"{_invented_text(comparison, number, i)}"
            )
        if len(comparison.values) == 2:
            lines.append(f"difference: {signed_text(float(comparison.difference[i]))}")
        kind = "people represented" if comparison.weighted else "people counted"
        lines.append(f"{comparison.people[i]:,.0f} {kind}, {share_text(comparison, i)}")
        if comparison.measure == "group_bias" and comparison.group:
            group = safe_label(", ".join(comparison.group))
            lines.append(f"{comparison.group_people[i]:,.0f} of them {group}")
        texts.append("<br>".join(lines))
    return texts


def _invented_text(comparison: AreaComparison, method: int, area: int) -> str:
    """`, and 60 invented`; short, since a map repeats it wherever one can point."""
    if not comparison.words.split:
        return ""
    invented = size_text(float(comparison.invented[method][area]))
    part = comparison.measure == "l1_bias"
    return f", {invented} of them invented" if part else f", and {invented} invented"


def share_text(comparison: AreaComparison, area: int) -> str:
    share = float(comparison.people[area]) / max(float(comparison.people.sum()), 1e-300)
    return f"{percent(share)} of all"


def value_text(comparison: AreaComparison, method: int, area: int) -> str:
    if comparison.measure == "hidden_share" and not comparison.hides[method]:
        return "hides no counts"
    text, unit = _number_text(comparison, method, area), unit_text(comparison)
    return f"{text}{unit}" if unit.startswith("%") else f"{text} {unit}"


def _number_text(comparison: AreaComparison, method: int, area: int) -> str:
    """`63`, `+0.4`, or `63 ± 2` where it is a mean over releases."""
    value = float(comparison.values[method][area])
    text = signed_text(value) if comparison.words.signed else size_text(value)
    error = float(comparison.errors[method][area])
    return text + (f" ± {size_text(error)}" if error else "")


def worst_title(comparison: AreaComparison) -> str:
    """Who is worst is not known from estimates, only whose number came out largest."""
    return "Places with the largest numbers" if comparison.estimated else "Worst places"


def _rank(comparison: AreaComparison, area: int) -> str:
    """`3. `: two places are worse. Places that are equal share a number, and those whose numbers
    are estimated have none."""
    if comparison.estimated:
        return ""
    size = np.max(np.abs(np.stack(comparison.values)), axis=0)
    return f"{int((size > size[area] * (1 + 1e-9) + 1e-12).sum()) + 1}. "


@kept_in_visit
def _wrapped(text: str) -> str:
    return "<br>".join(textwrap.wrap(safe_label(text), 44, break_long_words=False))


def area_bars(comparison: AreaComparison) -> go.Figure:
    """The same numbers as bars, worst place on top, both methods on one axis."""
    order = comparison.worst_first()[:MOST_BARS][::-1]
    names = [_ellipsis(comparison.area.labels[i], 34) for i in order]
    rows = np.arange(len(order))
    hover = hover_texts(comparison)
    looks = styles(comparison.mechanisms)
    thick = 0.8 / len(comparison.values)
    traces: list[Trace] = [
        {
            "type": "bar", "orientation": "h", "x": values[order], "width": thick,
            "y": rows + thick * ((len(looks) - 1) / 2 - number),
            "name": safe_label(one.plain_label()),
            "marker": {"color": look.color}, "hoverinfo": "text",
            "hovertext": [hover[i] for i in order],
        }
        for number, (one, values, look) in enumerate(
            zip(comparison.mechanisms, comparison.values, looks, strict=True)
        )
    ]
    return figure(
        traces, 80 + 30 * len(order), showlegend=True, barmode="overlay",
        legend={"orientation": "h", "y": 1, "x": 0, "yanchor": "bottom"},
        xaxis={**GRID, "title": {"text": safe_label(
            f"{comparison.words.title}, {unit_text(comparison)}"), "standoff": 6}},
        yaxis={"tickvals": rows, "ticktext": [safe_label(n) for n in names], "automargin": True,
               "range": [-0.6, len(order) - 0.4], "zeroline": False},
    )


def _ellipsis(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


_WORST_STYLE = """<style>
.worst { font-size: .86rem; font-variant-numeric: tabular-nums; line-height: 1.25; }
.worst .place { margin: .6rem 0 0 0; font-weight: 600; }
.worst .place span { font-weight: 400; opacity: .72; }
.worst .row { display: grid; grid-template-columns: 1fr 4.6em; align-items: center; gap: .5em; }
.worst .bar { height: 9px; border-radius: 0 2px 2px 0; min-width: 1px;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.worst .key { display: flex; flex-wrap: wrap; gap: .1rem 1rem; }
.worst .key i { display: inline-block; width: .8em; height: .8em; border-radius: 2px;
  margin-right: .35em; }
</style>"""


def worst_list(comparison: AreaComparison, beside: int = 0, pinned: str = "") -> str:
    """The worst places with a bar a method, as HTML; the pinned one is always among them.

    As many as fit beside something of this height in pixels.
    """
    most = int(np.clip(beside / _HEIGHT_OF_A_PLACE, 6, 12))
    order = [int(i) for i in comparison.worst_first()]
    shown = order[:most]
    codes = comparison.area.values
    if pinned in codes and codes.index(pinned) not in shown:
        shown = [*shown[: most - 1], codes.index(pinned)]
    looks = styles(comparison.mechanisms)
    top = comparison.largest or 1.0
    key = "".join(
        f'<span><i style="background:{look.color}"></i>{html.escape(one.plain_label())}</span>'
        for one, look in zip(comparison.mechanisms, looks, strict=True)
    )
    body = []
    for i in shown:
        mark = f" · {share_text(comparison, i)} people"
        mark += " · pinned" if codes[i] == pinned else ""
        body.append(
            f'<p class="place">{_rank(comparison, i)}{html.escape(comparison.area.labels[i])}'
            f"<span>{mark}</span></p>"
        )
        for number, (values, look) in enumerate(zip(comparison.values, looks, strict=True)):
            value = float(values[i])
            text = _number_text(comparison, number, i)
            body.append(
                f'<div class="row"><div class="bar" style="width:{100 * abs(value) / top:.1f}%;'
                f'background:{look.color}"></div><span>{text}</span></div>'
            )
    unit = html.escape(f"{comparison.words.title}, {unit_text(comparison)}")
    return (
        f'{_WORST_STYLE}<div class="worst" role="group" aria-label="{worst_title(comparison)}">'
        f'<div class="key">{key}</div><div style="opacity:.72">{unit}</div>{"".join(body)}</div>'
    )


def area_table(comparison: AreaComparison) -> pd.DataFrame:
    """Every area with its figures, worst first."""
    order = comparison.worst_first()
    table: dict[str, Any] = {
        "place": [comparison.area.labels[i] for i in order],
        "code": [comparison.area.values[i] for i in order],
        "people": np.rint(comparison.people[order]).astype(np.int64),
        "% of all people": 100 * comparison.people[order] / max(comparison.people.sum(), 1e-300),
    }
    if comparison.measure == "group_bias" and comparison.group:
        members = np.rint(comparison.group_people[order]).astype(np.int64)
        table[", ".join(comparison.group)] = members
    for number, (one, values) in enumerate(
        zip(comparison.mechanisms, comparison.values, strict=True), start=1
    ):
        table[f"{number}. {one.label()}, {_column(comparison)}"] = values[order]
        errors = comparison.errors[number - 1]
        if errors.any():
            table[f"± {number}"] = errors[order]
    if len(comparison.values) == 2:
        table["difference"] = comparison.difference[order]
    if comparison.words.split:
        for number, one in enumerate(comparison.mechanisms, start=1):
            people = people_word(comparison.weighted)
            column = f"{number}. {one.label()}, {people} put into empty groups"
            table[column] = comparison.invented[number - 1][order]
    return pd.DataFrame(table)


def _column(comparison: AreaComparison) -> str:
    return f"{lowered(comparison.words.title)}, {unit_text(comparison)}"

"""One palette and one look for every chart.

A method has one colour and one shape on every page, whatever else is chosen. Colour says the
family: differential privacy is blue to teal, traditional disclosure control orange to vermilion, DP
versions of traditional methods purple. Traditional lines are dashed. Shades are told apart by
readers with any of the common kinds of colour blindness (a test simulates them), on light and dark
backgrounds.
"""

from __future__ import annotations

import functools
import html
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from sdc_core.figures.contrast import ink, rim
from sdc_core.keep import kept_in_visit
from sdc_core.mechanisms import mechanisms
from sdc_core.mechanisms.base import Family, Mechanism

SHADES: dict[Family, tuple[str, ...]] = {
    "dp": ("#2B7BBA", "#64BDF6", "#1A9F97", "#0F6C69", "#8AB7D2", "#254B5D"),
    "sdc": ("#E8871E", "#D45A22", "#A33409", "#BA664C", "#C9A977", "#EB9F58", "#C68979", "#7A5C2E",
            "#E7AF97", "#4F483B", "#C2B9AD"),
    "dp-sdc": ("#B871F3", "#D82BBB", "#6C0ED2", "#7B0982"),
}
DASHES: dict[Family, str] = {"dp": "solid", "sdc": "dash", "dp-sdc": "solid"}
SYMBOLS = (
    "circle", "triangle-down", "diamond", "square", "triangle-up", "star", "cross", "hexagon",
)
# Dash and shape of the same method again, set otherwise.
_REPEATED = (("dashdot", "-dot"), ("longdashdot", "-open-dot"), ("longdash", "-open"))
FAILURE = "#C6263E"
MUTED = "#8A8F98"
MUTED_TEXT = ink(MUTED)


@dataclass(frozen=True)
class Style:
    color: str
    dash: str
    symbol: str

    @property
    def hollow(self) -> str:
        """The symbol in outline."""
        if "-open" in self.symbol:
            return self.symbol
        shape, dot, _ = self.symbol.partition("-dot")
        return f"{shape}-open{dot}"


@functools.cache
def _looks() -> dict[str, Style]:
    """Of each mechanism, by where it stands in the registry and in its family: one that is added at
    the end changes no other."""
    declared = mechanisms()
    out = {}
    for position, one in enumerate(declared):
        shades = SHADES[one.family]
        shade = sum(other.family == one.family for other in declared[:position])
        out[one.name] = Style(shades[shade % len(shades)], DASHES[one.family],
                              SYMBOLS[position % len(SYMBOLS)])
    return out


def styles(chosen: Sequence[Mechanism]) -> list[Style]:
    """The look of each mechanism. One that is there several times keeps its colour and shape, with
    a dot in it or in outline; its line is broken in another way."""
    out = []
    for position, one in enumerate(chosen):
        look = _looks()[one.name]
        earlier = sum(other.name == one.name for other in chosen[:position])
        if earlier:
            dash, mark = _REPEATED[(earlier - 1) % len(_REPEATED)]
            look = Style(look.color, dash, f"{look.symbol}{mark}")
        out.append(look)
    return out


def faded(color: str, strength: float) -> str:
    """A colour (#rrggbb) that lets through what lies under it."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def safe_label(text: str) -> str:
    """Text that plotly shows as it is: labels may come from an uploaded file."""
    return html.escape(text, quote=False)


@kept_in_visit  # most names stay as they are when a slider moves
def in_legend(label: str, letters: int = 40) -> str:
    """A long name in several lines: a legend does not wrap, and a phone is narrow."""
    return "<br>".join(textwrap.wrap(label, letters, break_long_words=False))


Trace = dict[str, Any]

_LONG = 40
_HEX = re.compile("#[0-9A-Fa-f]{6}")

# The look is set here and by whoever shows the figure; plotly's own template, copied several times
# for every figure, would be most of a figure's cost and size.
_BARE: dict[str, Any] = {"layout": {}}


def scatter(**settings: Any) -> Trace:
    return {"type": "scatter", **_packed(settings)}


def _packed(settings: dict[str, Any]) -> dict[str, Any]:
    """Long data as arrays: plotly copies and walks lists element by element, arrays in one go."""
    data = {
        name: np.asarray(value)
        for name, value in settings.items()
        if name in ("x", "y", "text", "customdata") and len(value) > _LONG and None not in value
    }
    return {**settings, **data}


class DescribedFigure(go.Figure):
    """A figure that stays a plain description, which is how plotly sends it to the browser anyway.

    plotly's objects, with validation, would be most of what a moved slider costs; they are made
    when somebody reads `data` or `layout`, as the tests do. Display and export go by `to_dict`.

    It cannot be changed: what plotly's own methods would do to it could not be seen, so they
    refuse. `it.changeable()` is a figure with objects.
    """

    _CHANGES = ("update", "add_", "append_", "for_each_", "set_", "plotly_", "batch_")

    def __getattribute__(self, name: str) -> Any:
        if name.startswith(DescribedFigure._CHANGES):
            raise AttributeError(
                f"A described figure cannot be changed by {name}; use changeable()."
            )
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"A described figure cannot be changed ({name}); use changeable().")

    def __setitem__(self, name: str, value: Any) -> None:
        self.__setattr__(name, value)

    def changeable(self) -> go.Figure:
        return go.Figure(self.to_dict())

    def __init__(self, traces: Sequence[Trace], layout: dict[str, Any]) -> None:
        # plotly's own initialisation is left out: it makes the objects
        object.__setattr__(self, "_description", {"data": list(traces), "layout": layout})

    def to_be_shown(self) -> DescribedFigure:
        """The same for somebody who only reads it, as a page does: its parts are not copied."""
        return _Shown(**self._description)

    def to_dict(self) -> dict[str, Any]:
        return {"data": _copied(self._description["data"]),
                "layout": _copied(self._description["layout"])}

    @property
    def data(self) -> Any:
        return go.Figure(self.to_dict()).data

    @property
    def layout(self) -> Any:
        return go.Figure(self.to_dict()).layout


class _Shown(DescribedFigure):
    def __init__(self, data: list[Trace], layout: dict[str, Any]) -> None:
        object.__setattr__(self, "_description", {"data": data, "layout": layout})

    def to_dict(self) -> dict[str, Any]:
        return dict(self._description)


def _copied(value: Any) -> Any:
    """A copy that whoever gets it may fill in; arrays are shared, nobody writes into them."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    nested = any(isinstance(part, (dict, list, tuple)) for part in value)  # most are numbers
    return [_copied(part) for part in value] if nested else list(value)


def figure(traces: Sequence[Trace], height: int, **layout: Any) -> go.Figure:
    """A figure in the project's look."""
    defaults: dict[str, Any] = {
        "height": height,
        "template": _BARE,
        "margin": {"l": 8, "r": 12, "t": 48, "b": 8},
        "showlegend": False,
        "hoverlabel": {"align": "left"},
        "hovermode": "closest",
        "font": {"size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }
    return DescribedFigure([_rimmed(trace) for trace in traces], {**defaults, **layout})


def _rimmed(trace: Trace) -> Trace:
    """Marks and bars too pale or too dark for a page have a rim of their own hue. Clouds of small
    see-through marks are seen as a cloud, and would be seen as rims."""
    marker = trace.get("marker") or {}
    color: Any = marker.get("color")
    solid = "line" not in marker and "opacity" not in marker and color is not None
    if not solid or not (trace["type"] == "bar" or "markers" in trace.get("mode", "")):
        return trace
    several = not isinstance(color, str)
    each = list(color) if several else [color]
    if not all(isinstance(one, str) and _HEX.fullmatch(one) for one in each):
        return trace
    rims = [rim(one) for one in each]
    if rims == each:
        return trace
    line = {"width": 1.2, "color": rims if several else rims[0]}
    return {**trace, "marker": {**marker, "line": line}}


GRID: dict[str, Any] = {
    "gridcolor": "rgba(128,128,128,0.18)",
    "zerolinecolor": "rgba(128,128,128,0.45)",
    "automargin": True,
}

EPSILON_TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


def titled(text: str, note: str = "") -> dict[str, Any]:
    """A left-aligned title above a chart, with a quieter note under it."""
    more = f"<br><span style='font-weight:400;font-size:12px'>{note}</span>" if note else ""
    return {
        "text": f"<b>{text}</b>{more}", "x": 0, "xanchor": "left", "xref": "container",
        "y": 1, "yanchor": "top", "yref": "container", "font": {"size": 14},
        "pad": {"l": 4, "t": 14},
    }

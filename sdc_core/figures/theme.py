"""One palette and one look for every chart.

Colour says the family, everywhere: differential privacy is blue to teal, traditional disclosure
control orange to vermilion, DP versions of traditional methods purple. Traditional lines are
dashed. Shades were chosen to be told apart by colour-blind readers and on both light and dark
backgrounds.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from sdc_core.mechanisms.base import Family, Mechanism

SHADES: dict[Family, tuple[str, ...]] = {
    "dp": ("#2B7BBA", "#12A29A", "#7FB2E5", "#0B5C78"),
    "sdc": ("#E8871E", "#D1491D", "#F2B366", "#9C3210"),
    "dp-sdc": ("#8A55B8", "#B48AD6", "#5E3591", "#C77FB2"),
}
DASHES: dict[Family, str] = {"dp": "solid", "sdc": "dash", "dp-sdc": "solid"}
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
FAILURE = "#C6263E"
MUTED = "#8A8F98"


@dataclass(frozen=True)
class Style:
    color: str
    dash: str
    symbol: str


def styles(mechanisms: Sequence[Mechanism]) -> list[Style]:
    """For each mechanism the next shade and the dash of its family, and a symbol of its own."""
    used: dict[Family, int] = {}
    out = []
    for position, mechanism in enumerate(mechanisms):
        shade = used.get(mechanism.family, 0)
        used[mechanism.family] = shade + 1
        colors = SHADES[mechanism.family]
        out.append(
            Style(
                colors[shade % len(colors)], DASHES[mechanism.family],
                SYMBOLS[position % len(SYMBOLS)],
            )
        )
    return out


def faded(color: str, strength: float) -> str:
    """A colour (#rrggbb) that lets through what lies under it."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def safe_label(text: str) -> str:
    """Text that plotly shows as it is: labels may come from an uploaded file."""
    return html.escape(text, quote=False)


def in_legend(label: str) -> str:
    """A long name in several lines: a legend does not wrap, and a phone is narrow."""
    return "<br>".join(textwrap.wrap(label, 40, break_long_words=False))


Trace = dict[str, Any]

_LONG = 40

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

    def to_dict(self) -> dict[str, Any]:
        return {"data": _copied(self._description["data"]),
                "layout": _copied(self._description["layout"])}

    @property
    def data(self) -> Any:
        return go.Figure(self.to_dict()).data

    @property
    def layout(self) -> Any:
        return go.Figure(self.to_dict()).layout


def _copied(value: Any) -> Any:
    """A copy that whoever gets it may fill in; arrays are shared, nobody writes into them."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, (list, tuple)) else value


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
    return DescribedFigure(traces, {**defaults, **layout})


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

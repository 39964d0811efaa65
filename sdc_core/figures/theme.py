"""One palette and one look for every chart.

Colour says the family, everywhere: differential privacy is blue to teal, traditional disclosure
control orange to vermilion, DP versions of traditional methods purple. Traditional lines are
dashed. Shades were chosen to be told apart by colour-blind readers and on both light and dark
backgrounds.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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


def safe_label(text: str) -> str:
    """Text that plotly shows as it is: labels may come from an uploaded file."""
    return html.escape(text, quote=False)


def figure(traces: Sequence[Any], height: int, **layout: Any) -> go.Figure:
    """A figure in the project's look."""
    defaults: dict[str, Any] = {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 28, "b": 8},
        "showlegend": False,
        "hoverlabel": {"align": "left"},
        "hovermode": "closest",
        "bargap": 0.35,
        "font": {"size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }
    return go.Figure(data=list(traces), layout={**defaults, **layout})


GRID: dict[str, Any] = {
    "gridcolor": "rgba(128,128,128,0.18)",
    "zerolinecolor": "rgba(128,128,128,0.45)",
    "automargin": True,
}


def panel_domains(count: int, gap: float) -> list[tuple[float, float]]:
    """Left and right ends of `count` panels side by side."""
    width = (1 - gap * (count - 1)) / count
    return [(i * (width + gap), i * (width + gap) + width) for i in range(count)]


def panel_title(text: str, axis: str, y: float = 1.0) -> dict[str, Any]:
    """A left-aligned title above a panel."""
    return {
        "text": text, "xref": f"{axis} domain", "yref": "paper", "x": 0, "y": y,
        "xanchor": "left", "yanchor": "bottom", "showarrow": False, "font": {"size": 13},
        "align": "left",
    }

"""Text in charts that can be read on the page, light or dark. A drawing does not know its page."""

from __future__ import annotations

from sdc_core.figures.contrast import DARK_PAGE, LIGHT_PAGE, ink
from sdc_core.figures.theme import FAILURE, MUTED, SHADES

# Streamlit draws axes and labels in this grey on a light page: 3.7 to 1 where 4.5 is needed.
_STREAMLITS = "#808495"


def _drawn_in(color: str) -> str:
    """How the browser writes down what plotly has set."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f'.stPlotlyChart text[style*="fill: rgb({red}, {green}, {blue})"]'


def _read_on_dark(color: str) -> str:
    return (f"{_drawn_in(ink(color))} {{ fill: light-dark({ink(color)}, {ink(color, DARK_PAGE)}) "
            "!important; }")


# What stands over a line has the page around its letters; what has a ground of its own does not.
_HALO = """.stPlotlyChart rect.bg[style*="fill-opacity: 0;"] ~ text.annotation-text {
  paint-order: stroke; stroke: light-dark(%s, %s); stroke-width: 4px; stroke-linejoin: round; }"""

STYLE = "\n".join((
    "<style>",
    f"{_drawn_in(_STREAMLITS)} {{ fill: {ink(_STREAMLITS)} !important; }}",
    *map(_read_on_dark, (FAILURE, MUTED, *(one for shades in SHADES.values() for one in shades))),
    _HALO % (LIGHT_PAGE, DARK_PAGE),
    "</style>",
))

"""How a test reads a drawing back: HTML bars as elements, styles as numbers, traces by name."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any
from xml.etree.ElementTree import Element

from sdc_core.questions.answer import Panel


def markup(drawing: Any) -> Element:
    """A drawing in HTML as a tree, without its style sheet."""
    assert isinstance(drawing, str)
    return ElementTree.fromstring(drawing.split("</style>")[1])


def look(element: Element) -> dict[str, str]:
    """An element's own style: `{"left": "50.00%", "background": "#2B7BBA"}`."""
    pairs = (part.split(":") for part in element.attrib["style"].split(";"))
    return {name.strip(): value.strip() for name, value in pairs}


def share(element: Element, name: str) -> float:
    """A length in per cent of the track."""
    text = look(element)[name]
    assert text.endswith("%")
    return float(text[:-1])


def only(panel: Panel) -> Any:
    """The one figure of a panel."""
    (figure,) = panel.figures
    return figure


def traces(figure: Any, **wanted: Any) -> list[Any]:
    """Traces with these properties: `traces(figure, mode="markers", marker__color="#C6263E")`."""
    return [t for t in figure.data if all(_at(t, path) == v for path, v in wanted.items())]


def _at(trace: Any, path: str) -> Any:
    for name in path.split("__"):
        trace = getattr(trace, name)
    return trace

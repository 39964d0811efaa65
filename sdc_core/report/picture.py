"""A panel as a picture that can be shown elsewhere: 16:9 and white, with its title, its first
words, what it was made from and how it was set.

This module says what is in a picture; `picture.js` draws it. The page runs that script in the
reader's own browser, the command in one that kaleido finds (`pictures.py`), on the same
description: a number cannot differ between them.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
import plotly
from plotly.io.json import to_json_plotly

from sdc_core.questions.answer import Answer, ColumnLook, Panel, Provenance, TableView
from sdc_core.words.numbers import Sentences, sensible

SCRIPT = Path(__file__).with_name("picture.js")
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
WIDE, HIGH = 1600, 900  # of a picture, and so of the window in which it is laid out
_PAGE = 900  # pixels: how wide a whole row of a page is on a small laptop
_BY_HAND = re.compile(r'<span class="by-hand">.*?</span>')  # what nobody can do to a picture
_MOST_ROWS = 20


@dataclass(frozen=True)
class Picture:
    """All that a picture shows. `footer` are lines with a name; `wide` is how many pixels a chart
    has on the page, so that it is drawn with at least as much room."""

    name: str
    title: str
    said: str
    footer: tuple[tuple[str, str], ...]
    alt: str = ""
    legend: str = ""
    html: str = ""
    figures: tuple[dict[str, Any], ...] = ()
    wide: int = _PAGE

    def to_json(self) -> str:
        text: str = to_json_plotly(asdict(self))
        return text


def pictures(found: Answer) -> tuple[Picture, ...]:
    """Of every panel that has something to look at; panels that belong together are one."""
    made = (picture(found, panel) for panel in found.panels
            if panel.drawing is not None and panel.pictured)
    return tuple({one.name: one for one in made}.values())


def picture(found: Answer, panel: Panel) -> Picture:
    """Of one panel and those that belong together with it."""
    group = together(found, panel)
    figures = tuple(_visible(figure.to_dict()) for p in group for figure in p.figures)
    words = [text for p in group for text in (p.caption, *p.prose) if text]
    return Picture(
        panel.together or panel.name,
        _title(found, group),
        _first_sentence(words[0]) if words else "",
        tuple(footer(found.provenance)) if found.provenance else (),
        panel.alt, "".join(_BY_HAND.sub("", p.legend) for p in group),
        "".join(_html(p) for p in group), figures,
        round(_PAGE * panel.width * len(group) / max(len(figures), 1)),
    )


def together(found: Answer, panel: Panel) -> list[Panel]:
    """The panel, and those that are one picture with it, in reading order."""
    return [
        p for p in found.panels
        if p is panel or (panel.together and p.together == panel.together)
    ]


def _title(found: Answer, group: Sequence[Panel]) -> str:
    """Its own title, that of the panel it follows, or the answer itself."""
    last = found.panels.index(group[-1])
    before = (p.title for p in reversed(found.panels[: last + 1]) if p.title)
    return next((p.title for p in group if p.title), next(before, found.headline))


def _visible(figure: dict[str, Any]) -> dict[str, Any]:
    """Without marks that are there only to be pointed at."""
    seen = [t for t in figure["data"] if (t.get("marker") or {}).get("opacity") != 0]
    return {"data": seen, "layout": figure["layout"]}


def _html(panel: Panel) -> str:
    drawing = panel.drawing
    if isinstance(drawing, TableView):
        return table_html(drawing, min(drawing.most or _MOST_ROWS, _MOST_ROWS))
    return drawing if isinstance(drawing, str) else ""


def footer(facts: Provenance) -> Iterator[tuple[str, str]]:
    """Data and where they come from; how it was set; how the numbers came about."""
    source = "" if facts.own_data else f" Source: {facts.dataset.source}."
    yield "Data:", f"{facts.about}.{source}"
    how = f"numbers {facts.computed}{f', seed {facts.seed}' * facts.seeded}"
    yield "Settings:", f"{'; '.join((*facts.settings, how))}."


def _first_sentence(text: str) -> str:
    if isinstance(text, Sentences):
        text = text.parts[0]
    found = re.match(r".+?[.!?](?=\s+[A-ZΑ-Ω“(\d]|$)", text, re.DOTALL)
    return found[0] if found else text


def table_html(view: TableView, most: int) -> str:
    """A table as HTML: numbers as the page writes them, and what is left out is said."""
    frame = view.frame.head(most)
    looks = {str(name): view.looks.get(str(name), ColumnLook()) for name in frame.columns}
    numeric = {n: pd.api.types.is_numeric_dtype(frame[n].dtype) for n in frame.columns}
    head = "".join(
        f"<th{_side(numeric[n])}>{html.escape(looks[str(n)].title or str(n))}</th>"
        for n in frame.columns
    )
    rows = "".join(
        "<tr>" + "".join(
            f"<td{_side(numeric[n])}>{html.escape(written(value, looks[str(n)].format))}</td>"
            for n, value in zip(frame.columns, row, strict=True)
        ) + "</tr>"
        for row in frame.itertuples(index=False, name=None)
    )
    left_out = len(view.frame) - len(frame)
    note = (f"<p>The first {len(frame)} of {len(view.frame):,} rows; the table as CSV has all.</p>"
            if left_out else "")
    return (f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
            f"{note}</div>")


def _side(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def written(value: Any, form: str | None = None) -> str:
    """What stands in a cell of a table, as a page writes it."""
    if isinstance(value, str):  # most are: they are not asked what else they might be
        return value
    if value is None or pd.isna(value):
        return "–"
    if not pd.api.types.is_number(value):
        return str(value)
    if form not in (None, "localized"):
        return form % value
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,}" if form else sensible(float(value))


@cache
def font_face() -> str:
    """The style that embeds the font of every picture: Source Sans, whose licence (SIL Open Font
    License) allows it, from whichever of the installed packages brings it along."""
    files = sorted(
        Path(str(file.locate())) for package in metadata.distributions()
        for file in package.files or () if file.match("SourceSansVF-Upright*.woff2")
    )
    if not files:
        return ""
    data = base64.b64encode(files[0].read_bytes()).decode()
    return (
        "@font-face { font-family: 'Source Sans 3'; font-weight: 200 900; "
        f"src: url(data:font/woff2;base64,{data}) format('woff2'); }}"
    )


def workshop(plotly_url: str) -> str:
    """The document in which pictures are made; `plotly_url` is where it finds the library that
    draws charts, once there is one to draw."""
    script = SCRIPT.read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en" data-plotly="{html.escape(plotly_url)}"><head>'
        f'<meta charset="utf-8"><title>Pictures</title><style id="font">{font_face()}</style>'
        f"<script>{script}</script></head><body></body></html>"
    )

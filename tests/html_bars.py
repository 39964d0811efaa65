"""How a test reads HTML bars back: panels with their titles, notes and rows, lengths as numbers."""

from __future__ import annotations

import html
import re
from typing import Any, NamedTuple


class Bar(NamedTuple):
    text: str
    label: str
    length: float  # per cent of the track
    colour: str


class Bars(NamedTuple):
    title: str
    note: str
    rows: list[Bar]


def read_bars(drawing: Any) -> list[Bars]:
    """All panels in their order; whatever is not understood makes the counts differ."""
    body = str(drawing).split("</style>")[1]
    found = []
    for part in body.split("<h3>")[1:]:
        title, note, rows = re.fullmatch(
            r'(.*?) <span class="note">(.*?)</span></h3>(.*)', part, re.DOTALL).groups()
        bars = re.findall(
            r'<div class="row"><b>(.*?)</b> (.*?)<div class="track"><div class="bar" '
            r'style="width:([\d.]+)%;background:(#\w{6});box-shadow:[^"]*">', rows)
        assert len(bars) == rows.count('class="row"')
        found.append(Bars(html.unescape(title), html.unescape(note), [
            Bar(html.unescape(text), html.unescape(label), float(length), colour)
            for text, label, length, colour in bars
        ]))
    return found


def aria_label(drawing: Any) -> str:
    """What somebody who does not see the bars is told."""
    return html.unescape(re.search(r'aria-label="(.*?)"', str(drawing)).group(1))

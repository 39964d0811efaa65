"""Pictures of a brief's panels, for files that cannot hold a chart that moves.

They are drawn by the Chrome, Edge or Chromium of the machine. Where there is none, files come with
the charts' tables in their place, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdc_core.errors import InputError
from sdc_core.report.brief import Document, Item
from sdc_core.report.picture import picture
from sdc_core.report.pictures import drawn

WITHOUT = (
    "The charts stand here as tables: drawing them into a file needs a Chrome, Edge or Chromium on "
    "the machine, and none was found."
)


@dataclass(frozen=True)
class Drawn:
    """PNGs by the item's place in the brief; `missing` says why there are none."""

    images: dict[int, bytes]
    missing: str = ""


def pictures_of(document: Document) -> Drawn:
    """One PNG for each pinned panel that has something to look at."""
    wanted = {i: item for i, item in enumerate(document.items) if _has_drawing(item)}
    try:
        made = drawn([picture(item.answer, item.panel) for item in wanted.values() if item.panel])
    except InputError as problem:
        return Drawn({}, WITHOUT if "none was found" in str(problem) else str(problem))
    return Drawn(dict(zip(wanted, made, strict=True)))


def _has_drawing(item: Item) -> bool:
    return item.panel is not None and item.panel.drawing is not None

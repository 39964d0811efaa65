"""How a test has pictures drawn in a real Chromium, and how it reads them back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Page, sync_playwright

from sdc_core.report.picture import PLOTLY, Picture, workshop
from tests import chromium

SVG = "{http://www.w3.org/2000/svg}"
Draw = Callable[..., dict[str, str]]


@contextmanager
def drawing(folder: Path) -> Iterator[tuple[Page, Draw]]:
    """A page to look at pictures in, and what makes one: `draw(picture, "png")`. The document in
    which they are made is not used for anything else."""
    file = folder / "workshop.html"
    file.write_text(workshop(PLOTLY.as_uri()), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1600, "height": 900})
        page.goto(file.as_uri())

        def draw(picture: Picture, *kinds: str) -> dict[str, str]:
            made: dict[str, str] = page.evaluate(
                f"makePicture({picture.to_json()}, {json.dumps(kinds)})")
            return made

        yield browser.new_page(viewport={"width": 1600, "height": 900}), draw
        browser.close()


def texts(svg: str) -> list[str]:
    """What is written in a picture, one entry a line of text, in the order of drawing."""
    tree = ElementTree.fromstring(svg)
    return [" ".join(one.itertext()) for one in tree.iter(f"{SVG}text")]


def words(listed: list[str] | str) -> list[str]:
    """Words, also those of a name with dashes, after which a line may end."""
    text = " ".join(listed) if isinstance(listed, list) else listed
    return [word for word in re.split(r"[\s–-]+", text) if word]


class _Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._unseen = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._unseen = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._unseen = False

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.found.append(data)


def words_of_html(markup: str) -> list[str]:
    """The words of HTML as they stand in it, without its style sheet."""
    reader = _Seen()
    reader.feed(markup)
    return words(reader.found)


def comparable(svg: str) -> str:
    """A picture with its attributes in order, and without the names that plotly draws by lot for
    each chart."""
    names = dict.fromkeys(re.findall(r"(?:defs-|clip|trace)([0-9a-f]{6})", svg))
    for number, name in enumerate(names):
        svg = svg.replace(name, f"chart{number}")
    return ElementTree.canonicalize(svg)

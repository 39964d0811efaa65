"""The Picture button in a real browser: what a reader saves is what the engine describes, on a dark
page and on a phone as well."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from sdc_core.report.picture import pictures
from tests import chromium
from tests.usual import usual_answer
from tests.workshop import Draw, comparable, drawing

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Draw]]:
    with drawing(tmp_path_factory.mktemp("workshop")) as open_now:
        yield open_now


@pytest.fixture(scope="module")
def tab(shop: tuple[Page, Draw]) -> Iterator[Page]:
    """One for all pages: what was compiled for one is there for the next."""
    browser = shop[0].context.browser
    assert browser is not None
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def saved(page: Page, kind: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=kind, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@pytest.mark.parametrize("question, panel, scheme, width", [
    ("compare", "summary", "dark", 1440),  # bars in HTML
    ("compare", "sweep", "light", 390),  # charts, side by side though the phone stacks them
    ("map", "map-first", "dark", 1440),  # colours that a dark page has otherwise
    ("map", "map-first", "light", 390),  # on a phone the map reaches under the button
    ("swap_rate", "published-1940", "light", 1440),  # a table
])
def test_what_is_saved_is_what_the_engine_describes(
    address: str, shop: tuple[Page, Draw], tab: Page, question: str, panel: str, scheme: str,
    width: int,
) -> None:
    page, asked = tab, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{address}/{question}?data=ma2019-twin")
    page.locator(f".st-key-keep-{panel} button").click(timeout=60_000)
    expect(page.get_by_role("link", name="PNG", exact=True)).to_be_visible(timeout=60_000)
    expect(page.locator(".picture img")).to_be_visible()
    answer = usual_answer(question)
    shown = answer.panel(panel)
    (described,) = (p for p in pictures(answer) if p.name == (shown.together or shown.name))
    name, svg = saved(page, "SVG")
    assert name == f"{described.name}.svg"
    assert comparable(svg.decode()) == comparable(shop[1](described)["svg"])
    name, png = saved(page, "PNG")
    assert name == f"{described.name}.png"
    assert Image.open(io.BytesIO(png)).size == (3200, 1800)
    assert all(url.startswith((address, address.replace("http", "ws"), "data:", "blob:"))
               for url in asked)

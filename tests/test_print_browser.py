"""Printing: Chromium prints every page, and the PDF is read back."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

import sdc_core as sdc
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import TableView
from sdc_core.words.glossary import explained
from tests import chromium
from tests.test_browser import TWIN, browser  # noqa: F401

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
A4 = (595, 842)
DRAWN = """() => [...document.querySelectorAll(
  '.stPlotlyChart, [class*=st-key-chart-], [class*=st-key-pick-]')].every(c =>
  c.querySelector('.main-svg'))"""
SAID = """() => [...document.querySelectorAll(
  "[data-testid=stMain] :is(h1, h2, h3, .answer-more, .stamp, [data-testid=stCaptionContainer])")]
  .filter(e => e.checkVisibility() && !e.closest(
    ".st-key-method-bar, .st-key-own-controls, .stExpander, [data-testid=stPopoverBody], " +
    "[class*=st-key-offers-]"))
  .map(e => e.innerText)"""


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """One for all pages: what was compiled for one is there for the next."""
    page = browser.new_context(reduced_motion="reduce").new_page()
    yield page
    page.context.close()


def opened(page: Page, url: str, scheme: str = "light") -> Page:
    page.emulate_media(media="null", color_scheme=scheme)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(url)
    page.wait_for_selector(".on-paper:has-text('About these numbers')", state="attached",
                           timeout=60_000)  # the last thing that is drawn
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=60_000)
    page.wait_for_function(DRAWN, timeout=30_000)
    return page


def squeezed(text: str) -> str:
    """Letters and digits alone: a PDF breaks lines and spaces where it likes."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text))


def printed(page: Page) -> str:
    """What stands on paper."""
    from pypdf import PdfReader, apply_configuration

    found = PdfReader(io.BytesIO(page.pdf(format="A4", print_background=True)))
    sizes = {tuple(round(float(n)) for n in one.mediabox[2:]) for one in found.pages}
    assert len(sizes) == 1 and all(abs(a - b) <= 2 for a, b in zip(*sizes, A4, strict=True))
    # every mark of a chart is a form to the reader, and a chart may have thousands
    with apply_configuration(xform_maximum_invocations_per_extraction=1_000_000):
        return squeezed("".join(one.extract_text() for one in found.pages))


@pytest.mark.parametrize("name", [q.address for q in QUESTIONS])
def test_a_printed_page_says_what_the_screen_says_and_how_it_was_set(
    name: str, address: str, tab: Page
) -> None:
    page = opened(tab, f"{address}/{name}?{TWIN}")
    said, charts = page.evaluate(SAID), page.locator(".stPlotlyChart").count()
    text = printed(page)
    assert len(said) > 2 and squeezed(page.locator("h1.answer").inner_text()) in text
    # what stands side by side is read line by line: so word by word
    missing = {word for one in said for word in one.split() if squeezed(word) not in text}
    assert missing == set()
    assert "AboutthesenumbersData" in text and "Settings" in text
    for source in question(name).sources:
        assert squeezed(source) in text
    for control in ("CSV", "Saveorpin", "Addamethod", "Useyourowndata", "Reset", "Settingslink"):
        assert control not in text, control
    assert page.locator(".printed-chart").count() == 0  # the screen is as it was
    assert page.locator(".stPlotlyChart").count() == charts


def test_methods_and_words_are_on_paper(address: str, tab: Page) -> None:
    page = opened(tab, f"{address}/?{TWIN}&m1.epsilon=0.5&m4.k=9")
    text = printed(page)
    for setting in ("Add noise (Laplace, ε = 0.5)", "suppression, k = 9", "promise: broken",
                    "empty groups left at 0", "Synthetic twin"):
        assert squeezed(setting) in text, setting
    assert squeezed(explained("ε").means) in text


def test_all_rows_and_what_is_folded_are_on_paper(address: str, tab: Page) -> None:
    page = opened(tab, f"{address}/your_data?{TWIN}")
    text = printed(page)
    columns = sdc.load_dataset("ma2019-twin").columns
    assert len(columns) > 10 and all(squeezed(c.name) in text for c in columns)
    page = opened(tab, f"{address}/protected?{TWIN}")
    text = printed(page)
    study = sdc.Study(sdc.load_dataset("ma2019-twin"))
    folded = [p for p in sdc.ask("protected", study).panels if p.folded]
    assert folded
    for panel in folded:
        assert isinstance(panel.drawing, TableView) and squeezed(panel.title) in text
        for value in panel.drawing.frame.iloc[:, 1]:
            assert squeezed(str(value)) in text


ON_PAPER = """() => [...document.querySelectorAll(".printed-chart")].map(c => {
  const {left, right, height} = c.getBoundingClientRect();
  return {left, right, height, breaks: getComputedStyle(c).breakInside,
    marks: c.querySelectorAll(".trace path, .trace text, .points path, .bars path, path").length};
})"""
INK = """() => ["h1", ".answer-more", "[data-testid=stCaptionContainer] p"].map(s =>
  getComputedStyle(document.querySelector(`[data-testid=stMain] ${s}`)).color)"""


@pytest.mark.parametrize("name", ["compare", "subgroups", "delta_epsilon"])
def test_charts_are_whole_and_ink_is_dark_on_white_also_of_a_dark_page(
    name: str, address: str, tab: Page
) -> None:
    page = opened(tab, f"{address}/{name}?{TWIN}", "dark")
    charts = page.locator(".stPlotlyChart").count()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 688, "height": 1000})  # A4 without its margins
    copies = page.evaluate(ON_PAPER)
    assert len(copies) == charts > 0
    for one in copies:
        assert one["left"] >= 0 and one["right"] <= 689 and one["height"] > 80
        assert one["breaks"] == "avoid" and one["marks"] > 5
    assert set(page.evaluate(INK)) == {"rgb(28, 35, 48)"}
    white = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert page.evaluate(white) == "rgb(255, 255, 255)"
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed-chart").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_on_a_mark_keeps_its_colour_and_all_else_is_ink(
    scheme: str, address: str, tab: Page
) -> None:
    page = opened(tab, f"{address}/reproduce?{TWIN}", scheme)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    fills = """(inside) => [...new Set([...document.querySelectorAll(".printed-chart svg text")]
      .filter(t => t.textContent && t.classList.contains("bartext-inside") === inside)
      .map(t => getComputedStyle(t).fill))].sort()"""
    assert page.evaluate(fills, False) == ["rgb(28, 35, 48)"]
    assert page.evaluate(fills, True) == ["rgb(16, 19, 24)", "rgb(255, 255, 255)"]
    dots = page.evaluate("""() => new Set([...document.querySelectorAll('td span[aria-hidden]')]
      .filter(e => e.textContent === "●").map(e => getComputedStyle(e).color)).size""")
    assert dots > 2
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")


def test_a_brief_is_printed_without_what_makes_it(address: str, tab: Page) -> None:
    page = tab
    page.emulate_media(media="null", color_scheme="light")
    page.goto(f"{address}/brief?{TWIN}")
    page.wait_for_selector("text=What this cannot say", timeout=60_000)
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=60_000)
    page.wait_for_function(DRAWN, timeout=30_000)
    title, made_by = page.locator(".st-key-edit-brief input").first, page.locator(".answer")
    expect(title).to_be_visible()
    said = made_by.inner_text()
    page.emulate_media(media="print")
    expect(title).to_be_hidden()
    expect(made_by).to_be_hidden()
    text = printed(page)
    assert squeezed("What is promised") in text and squeezed(said) not in text


def test_a_table_that_is_edited_on_screen_leaves_no_gap_on_paper(
    address: str, tab: Page
) -> None:
    page = opened(tab, f"{address}/your_data?{TWIN}")
    page.emulate_media(media="print")
    heights = page.evaluate("""() => [...document.querySelectorAll('.stDataFrame')].map(
      e => e.closest('[data-testid=stElementContainer]').getBoundingClientRect().height)""")
    assert heights and set(heights) == {0}

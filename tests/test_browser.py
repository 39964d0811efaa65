"""A real headless Chromium: the habits people bring. Every page at two widths, light and dark, is
in test_every_page_browser.

Skipped only where there is no Chromium; the reason names the command that would enable it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from sdc_core.questions import QUESTIONS
from sdc_core.words.glossary import explained
from tests import chromium

TWIN = "data=ma2019-twin"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium.find(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking",
                  "--disable-component-update", "--disable-sync", "--no-first-run"],
        )
        yield launched
        launched.close()


EMPTY_CHARTS = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')].filter(c =>
  c.querySelectorAll('.trace path, .trace text, .scatterlayer path, .barlayer path, ' +
    '.heatmaplayer image').length === 0
).length"""


# The script has ended, none is asked for, and for a moment nothing in the page has changed. A
# slider tells the server after 200 ms.
AT_REST = """() => new Promise((rested) => {
  let waiting;
  const ended = () => document.querySelector('[data-test-script-state=notRunning]');
  const changes = new MutationObserver(() => begin());
  const begin = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ended() ? (changes.disconnect(), rested(true)) : begin(), 300);
  };
  changes.observe(document, {subtree: true, childList: true, attributes: true});
  begin();
})"""


class Visit:
    """A page that is open, with what it asked of the network and what went wrong in it.

    To open another one in the same tab takes half the time, since what was compiled is there; and a
    browser without a graphics card draws whatever fades or slides with the processor."""

    def __init__(
        self, browser: Browser, width: int, scheme: str, motion: str = "reduce"
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True,
            reduced_motion=motion)
        self.page: Page = context.new_page()
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, request) -> None:  # type: ignore[no-untyped-def]
        if not request.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, url: str) -> Page:
        self.page.goto(url)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until the script has run and the charts have been drawn."""
        self.page.wait_for_selector(".answer", timeout=30_000)
        expect(self.page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=30_000)
        self.page.wait_for_function(f"({EMPTY_CHARTS})() === 0", timeout=30_000)
        self.page.wait_for_function(AT_REST, timeout=60_000)

    def answer(self) -> str:
        return self.page.locator(".answer").inner_text()


CUT_OFF = """() => {
  const wide = document.documentElement.clientWidth;
  const seen = [...document.querySelectorAll(
    '[data-testid=stMain] p, [data-testid=stMain] .answer, [data-testid=stMain] .gtitle, ' +
    '[data-testid=stMain] .annotation-text, [data-testid=stMain] .xtick text, ' +
    '[data-testid=stMain] .ytick text, [data-testid=stBadge]')];
  return seen.filter(e => {
    const b = e.getBoundingClientRect();
    return b.width > 0 && (b.left < -1 || b.right > wide + 1);
  }).map(e => e.textContent.slice(0, 60));
}"""


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Visit]:
    opened = Visit(browser, 1440, "light")
    yield opened
    opened.page.context.close()


@pytest.fixture
def visit(tab: Visit) -> Visit:
    """A visit in the tab in which others were before."""
    for another in tab.page.context.pages[1:]:
        another.close()
    tab.page.goto("about:blank")
    tab.page.emulate_media(color_scheme="light")
    tab.page.set_viewport_size({"width": 1440, "height": 900})
    tab.page.mouse.move(0, 0)
    tab.outside.clear()
    tab.errors.clear()
    return tab


def test_a_slider_moves_the_answer_and_back_undoes_it(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}")
    before = visit.answer()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".answer")).to_contain_text("ε = 1.1")
    page.wait_for_url("**m1.epsilon=1.1**")
    page.go_back()
    expect(page.locator(".answer")).to_have_text(before)


def test_the_methods_go_along_to_the_other_page(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}&m1.epsilon=0.5")
    menu = page.locator("[data-testid=stSidebarNav]")
    menu.get_by_role("link", name="δ versus ε").click()
    expect(page.locator(".answer")).to_contain_text("ε = 0.5")
    page.wait_for_url("**/delta_epsilon?**m1.epsilon=0.5**")


def test_a_sentence_leads_to_another_page_with_the_methods(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}&m1.epsilon=0.5&m3=dp-suppression")
    page.get_by_role("link", name="Why a published guarantee is not true").click()
    expect(page.locator(".answer")).to_contain_text("ε = 0.5")
    page.wait_for_url("**/delta_epsilon?**m1.epsilon=0.5**")
    assert len(page.context.pages) == 1  # the same visit, with the reader's file


def test_the_first_visitor_may_come_by_a_pages_file_name(address: str, visit: Visit) -> None:
    """Streamlit offers /compare for pages/compare.py until the router has run once."""
    page = visit.page
    page.goto(f"{address}/compare")
    page.wait_for_selector(".answer", timeout=30_000)
    assert page.locator("[data-testid=stException]").count() == 0


def test_swapping_joins_the_comparison(address: str, visit: Visit) -> None:
    """Few pairs: with 25% of records a slow machine asks before it goes on."""
    methods = "m1=dp-swapping&m2=swapping&m2.paired=true&m2.swap_rate=0.02&m3=none&m4=none"
    page = visit.open(f"{address}/?{TWIN}&{methods}")
    assert page.locator("[data-testid=stException]").count() == 0
    expect(page.locator(".answer")).to_contain_text("swapping similar records (2%")
    page.wait_for_function(f"({EMPTY_CHARTS})() === 0", timeout=30_000)


def test_the_first_page_opens_at_its_own_address_and_no_page_is_folded_away(
    address: str, visit: Visit
) -> None:
    page = visit.open(f"{address}/{QUESTIONS[0].address}?{TWIN}")
    assert page.get_by_text("Page not found").count() == 0
    menu = page.locator("[data-testid=stSidebarNavLink]")
    assert [text.split("\n")[-1] for text in menu.all_inner_texts()] == [
        "Start", *(q.title for q in QUESTIONS), "Brief", "Teach", "Glossary"]


def test_table_and_csv_under_a_chart(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}")
    page.get_by_role("button", name="Save or pin").first.click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    header, *rows = text.splitlines()
    assert header.startswith("groups of,groups,mechanism,a count is off by")
    assert len({row.split(",")[0] for row in rows}) * 4 == len(rows)  # four methods a size
    page.keyboard.press("Escape")
    page.get_by_text("Table", exact=True).first.click()
    expect(page.locator("[data-testid=stDataFrame]").first).to_be_visible(timeout=15_000)


def test_charts_are_described_for_those_who_do_not_see_them(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}")
    described = page.locator("[data-testid=stPlotlyChart][aria-label], "
                             "[data-testid=stPlotlyChart] [aria-label]")
    assert described.count() >= page.locator("[data-testid=stPlotlyChart]").count()


def test_link_and_code_can_be_copied(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}&m1.epsilon=0.5")
    page.get_by_role("button", name="Link").click()
    expect(page.locator("[data-testid=stPopoverBody] code")).to_contain_text("m1.epsilon=0.5")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Code").click()
    expect(page.locator("[data-testid=stPopoverBody]").last).to_contain_text("epsilon=0.5")


def test_a_word_is_explained_by_pointer_key_and_link(address: str, visit: Visit) -> None:
    page = visit.open(f"{address}/?{TWIN}&m1.epsilon=0.5")
    word, box = page.locator('.answer a[href="glossary#epsilon"]'), page.locator("#word")
    word.hover()
    expect(box).to_be_visible()
    expect(box).to_contain_text(explained("ε").means)
    page.mouse.move(2, 2)
    expect(box).to_be_hidden()
    word.focus()
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    with page.context.expect_page() as opening:
        word.press("Enter")
    listed = opening.value
    listed.wait_for_selector("#epsilon")
    listed.wait_for_function("document.querySelector('#epsilon').getBoundingClientRect().top < 600")
    assert page.url.count("m1.epsilon=0.5") == 1  # the visit is where it was
    assert visit.outside == [] and visit.errors == []


def test_a_tap_explains_a_word_and_leads_nowhere(address: str, browser: Browser) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True,
        reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}/?{TWIN}")
    box = page.locator("#word")
    for word in page.locator(".answer a[href^='glossary#']").all():
        word.tap()
        expect(box).to_be_visible()
        edges = box.bounding_box()
        assert edges and edges["x"] >= 0 and edges["x"] + edges["width"] <= 390
    page.locator(".answer-more").first.tap(position={"x": 2, "y": 2})
    expect(box).to_be_hidden()
    assert len(context.pages) == 1
    context.close()

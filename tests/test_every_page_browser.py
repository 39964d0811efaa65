"""Every page in a real headless Chromium, at two widths, light and dark: nothing is cut off, empty
or broken, nothing is asked of another machine, axe-core finds no fault of ours, and headings make
one outline.

A page is opened twice, in one tab for all of them: light on a desk, and then made as narrow as a
phone; dark on a phone, and then made as wide as a desk. axe-core comes with
axe-playwright-python, a package of its script alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from sdc_core.questions import QUESTIONS
from tests import chromium
from tests.test_browser import CUT_OFF, EMPTY_CHARTS, TWIN, Visit, browser  # noqa: F401
from ui import start

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
# every page, and of Teach the overview, a running step with its answer and one on the wall
_STEP = "teach?lesson=seven-people&step=5&answer=true"
ASKED = [q.address for q in QUESTIONS]
ADDRESSES = [*ASKED, "glossary", start.ADDRESS, "brief", "teach", _STEP,
             "teach?lesson=epsilon&step=5&answer=true&present=true"]
DESK, PHONE = 1440, 390

# What is not ours to mend: axe's rule, the part of Streamlit in which it may be broken, and why.
STREAMLITS = {
    # The menu is a list whose sections stand between it and its items.
    "list": "[data-testid=stSidebarNav]",
    "listitem": "[data-testid=stSidebarNav]",
    # The place where a file is dropped has no role, but a name.
    "presentation-role-conflict": "[data-testid=stFileUploaderDropzone]",
}
VIOLATIONS = """async (streamlits) => {
  const found = await axe.run(document, {elementRef: true, resultTypes: ["violations"]});
  return found.violations.flatMap(({id, nodes}) => nodes
    .filter(({element}) => !(streamlits[id] && element.closest(streamlits[id])))
    .map(({html, failureSummary}) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
}"""
OUTLINE = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")]
  .filter(e => e.checkVisibility())
  .map(e => [Number(e.ariaLevel ?? e.tagName[1]), e.textContent.trim()])"""
DRAWN = """() => [...document.querySelectorAll(
  '.stPlotlyChart, [class*=st-key-chart-], [class*=st-key-pick-]')].every(c =>
  c.querySelector('.main-svg'))"""
TRUNCATED = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stBadge] *')]
  .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow === 'hidden')
  .map(e => e.textContent)"""


@pytest.fixture(scope="module")
def axe() -> str:
    found = find_spec("axe_playwright_python")
    assert found and found.origin, "make test installs it: requirements-dev.lock"
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Visit]:  # noqa: F811
    opened = Visit(browser, DESK, "light")
    yield opened
    opened.page.context.close()


def link_to(address: str, name: str) -> str:
    """The first screen has no settings: with them it would be Compare, as in old links."""
    if name == start.ADDRESS:
        return address
    more = "&m3.keep_zeros=true&cap=12" if name in ASKED else ""
    return f"{address}/{name}{'&' if '?' in name else '?'}{TWIN}{more}"


def opened(visit: Visit, url: str, width: int, scheme: str, axe: str) -> Page:
    page = visit.page
    visit.outside.clear()
    visit.errors.clear()
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    visit.open(url)
    page.wait_for_function(DRAWN, timeout=30_000)
    page.evaluate(axe)
    return page


def sized(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.settle()


# one page after the other, each with all its tests: the tab shows one at a time
@pytest.fixture(scope="module", params=ADDRESSES)
def light(request: pytest.FixtureRequest, address: str, tab: Visit, axe: str) -> Visit:
    """The page light on a desk; its tests stand in the order in which they look at it."""
    opened(tab, link_to(address, request.param), DESK, "light", axe)
    return tab


@pytest.fixture(scope="module", params=ADDRESSES)
def dark(request: pytest.FixtureRequest, address: str, tab: Visit, axe: str) -> Visit:
    opened(tab, link_to(address, request.param), PHONE, "dark", axe)
    return tab


def left(page: Page, script: str) -> list[str]:
    """What the script finds and goes on finding: a large chart follows a new width later."""
    found: list[str] = page.evaluate(script)
    for _ in range(20):
        if not found:
            break
        page.wait_for_timeout(250)
        found = page.evaluate(script)
    return found


def is_whole(visit: Visit, scheme: str) -> None:
    """Nothing is cut off, empty or broken; it is as bright as it should be."""
    page = visit.page
    assert page.locator("[data-testid=stException]").count() == 0
    page.wait_for_function(f"({EMPTY_CHARTS})() === 0", timeout=15_000)  # else: it never is
    assert left(page, CUT_OFF) == []
    assert left(page, TRUNCATED) == []
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    background = page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )
    brightness = sum(int(part) for part in background.strip("rgba()").split(",")[:3]) / 3
    assert brightness < 60 if scheme == "dark" else brightness > 240
    assert visit.outside == []
    assert visit.errors == []


def faults(visit: Visit) -> list[str]:
    """What axe-core finds, but for what is Streamlit's."""
    found: list[str] = visit.page.evaluate(VIOLATIONS, STREAMLITS)
    return found


def test_light_on_a_desk_a_page_is_whole(light: Visit) -> None:
    is_whole(light, "light")


def test_light_on_a_desk_axe_finds_no_fault_of_ours(light: Visit) -> None:
    assert faults(light) == []


def test_the_answer_is_the_only_first_heading_and_comes_first(light: Visit) -> None:
    """And no level is left out."""
    headings = light.page.evaluate(OUTLINE)
    levels = [level for level, _ in headings]
    answer = light.page.locator(".answer").inner_text()
    assert levels[0] == 1 and levels.count(1) == 1 and headings[0][1] == answer
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_made_as_narrow_as_a_phone_it_is_whole_and_without_fault(light: Visit) -> None:
    sized(light, PHONE)
    is_whole(light, "light")
    assert faults(light) == []


def test_dark_on_a_phone_a_page_is_whole(dark: Visit) -> None:
    is_whole(dark, "dark")


def test_made_as_wide_as_a_desk_it_is_whole_and_without_fault(dark: Visit) -> None:
    sized(dark, DESK)
    is_whole(dark, "dark")
    assert faults(dark) == []

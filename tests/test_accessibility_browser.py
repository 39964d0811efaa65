"""For those who see little, hear the page or use no mouse: axe-core on every page, light, dark and
on a phone; one outline; every control by keyboard.

axe-core comes with axe-playwright-python, a package of its script alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from sdc_core.questions import QUESTIONS
from tests import chromium
from ui import start

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
# every page, and of Teach the overview, a running step with its answer and one on the wall
_STEP = "teach?lesson=seven-people&step=5&answer=true"
ADDRESSES = [*(q.address for q in QUESTIONS), "glossary", "start", "brief", "teach", _STEP,
             "teach?lesson=epsilon&step=5&answer=true&present=true"]

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
RULES_BROKEN = """async () => (await axe.run(document, {resultTypes: ["violations"]}))
  .violations.map(({id}) => id)"""
OUTLINE = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")]
  .filter(e => e.checkVisibility())
  .map(e => [Number(e.ariaLevel ?? e.tagName[1]), e.textContent.trim()])"""
DRAWN = """() => [...document.querySelectorAll(
  '.stPlotlyChart, [class*=st-key-chart-], [class*=st-key-pick-]')].every(c =>
  c.querySelector('.main-svg'))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def axe() -> str:
    found = find_spec("axe_playwright_python")
    assert found and found.origin, "make test installs it: requirements-dev.lock"
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


def opened(browser: Browser, url: str, scheme: str, axe: str) -> Page:
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("h1.answer", timeout=60_000)
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=60_000)
    page.wait_for_function(DRAWN, timeout=30_000)
    page.wait_for_timeout(400)  # styles that come with the page have taken hold
    page.evaluate(axe)
    return page


def link_to(address: str, name: str) -> str:
    """The first screen has no settings: with them it would be Compare, as in old links."""
    if name == start.ADDRESS:
        return address
    return f"{address}/{name}{'&' if '?' in name else '?'}data=ma2019-twin"


@pytest.mark.parametrize("name", ADDRESSES)
def test_no_fault_of_ours_on_any_page_light_dark_and_on_a_phone(
    name: str, address: str, browser: Browser, axe: str
) -> None:
    for scheme in ("light", "dark"):
        page = opened(browser, link_to(address, name), scheme, axe)
        assert page.evaluate(VIOLATIONS, STREAMLITS) == [], scheme
        if scheme == "light":
            _has_one_outline(page.evaluate(OUTLINE), page.locator(".answer").inner_text())
            page.set_viewport_size({"width": 390, "height": 844})
            page.wait_for_timeout(500)
            assert page.evaluate(VIOLATIONS, STREAMLITS) == [], "phone"
        page.context.close()


def _has_one_outline(headings: list[tuple[int, str]], answer: str) -> None:
    """The answer is the only first heading, and comes first; no level is left out."""
    levels = [level for level, _ in headings]
    assert levels[0] == 1 and levels.count(1) == 1 and headings[0][1] == answer
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_what_is_left_to_streamlit_is_still_there(
    address: str, browser: Browser, axe: str
) -> None:
    """A rule that Streamlit keeps again is taken off the list."""
    page = opened(browser, f"{address}/your_data?data=ma2019-twin", "light", axe)
    assert set(page.evaluate(RULES_BROKEN)) == set(STREAMLITS)
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_fault_in_what_opens(
    scheme: str, address: str, browser: Browser, axe: str
) -> None:
    page = opened(browser, f"{address}/?data=ma2019-twin", scheme, axe)
    page.locator(".st-key-method-bar button").first.click()
    expect(page.locator("[data-testid=stPopoverBody]")).to_be_visible()
    page.wait_for_timeout(500)
    assert page.evaluate(VIOLATIONS, STREAMLITS) == []
    page.keyboard.press("Escape")
    page.get_by_text("Table", exact=True).first.click()
    expect(page.locator("[data-testid=stDataFrame]").first).to_be_visible(timeout=15_000)
    assert page.evaluate(VIOLATIONS, STREAMLITS) == []
    page.context.close()


# Of a group of choices the tab key reaches one, and arrows the others. What only shows on hover
# over a chart repeats what the browser and the keyboard can do otherwise.
CONTROLS = """() => {
  const one = e => e.closest("[role=radiogroup], [role=group], [role=grid]") ?? e;
  window.waiting = new Set([...document.querySelectorAll(
    "button, input, textarea, summary, a[href], [role=slider], [role=combobox]")]
    .filter(e => e.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    .filter(e => !e.disabled && e.offsetParent && !e.closest(".modebar, [aria-hidden=true]"))
    .filter(e => e.tabIndex >= 0 || !e.matches("a, input[type=hidden]")).map(one));
  window.begun = waiting.size;
  document.addEventListener("focusin", e => {
    for (let at = e.target; at; at = at.parentElement) waiting.delete(at);
    for (const left of waiting) if (left.contains(e.target)) waiting.delete(left);
  });
  return begun;
}"""
LEFT = """() => [...waiting].filter(e => e.isConnected && e.tabIndex >= -1 && e.offsetParent)
  .map(e => e.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("name", ["compare", "subgroups", "your_data"])
def test_every_control_is_reached_by_keyboard(
    name: str, address: str, browser: Browser, axe: str
) -> None:
    page = opened(browser, f"{address}/{name}?data=ma2019-twin", "light", axe)
    number = page.evaluate(CONTROLS)
    assert number > 20
    for _ in range(3 * number):
        page.keyboard.press("Tab")
        if not page.evaluate("waiting.size"):
            break
    assert page.evaluate(LEFT) == []
    page.context.close()

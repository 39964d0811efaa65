"""For those who hear the page or use no mouse: axe-core on what opens, and every control by
keyboard. axe-core on every page is in test_every_page_browser.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests import chromium
from tests.test_browser import Visit, browser  # noqa: F401
from tests.test_every_page_browser import (  # noqa: F401
    DESK,
    STREAMLITS,
    VIOLATIONS,
    axe,
    opened,
    tab,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
RULES_BROKEN = """async () => (await axe.run(document, {resultTypes: ["violations"]}))
  .violations.map(({id}) => id)"""


def test_what_is_left_to_streamlit_is_still_there(
    address: str, tab: Visit, axe: str  # noqa: F811
) -> None:
    """A rule that Streamlit keeps again is taken off the list."""
    page = opened(tab, f"{address}/your_data?data=ma2019-twin", DESK, "light", axe)
    assert set(page.evaluate(RULES_BROKEN)) == set(STREAMLITS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_fault_in_what_opens(
    scheme: str, address: str, tab: Visit, axe: str  # noqa: F811
) -> None:
    page = opened(tab, f"{address}/?data=ma2019-twin", DESK, scheme, axe)
    page.locator(".st-key-method-bar button").first.click()
    expect(page.locator("[data-testid=stPopoverBody]")).to_be_visible()
    tab.settle()
    assert page.evaluate(VIOLATIONS, STREAMLITS) == []
    page.keyboard.press("Escape")
    page.get_by_text("Table", exact=True).first.click()
    expect(page.locator("[data-testid=stDataFrame]").first).to_be_visible(timeout=15_000)
    assert page.evaluate(VIOLATIONS, STREAMLITS) == []


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
    name: str, address: str, tab: Visit, axe: str  # noqa: F811
) -> None:
    page = opened(tab, f"{address}/{name}?data=ma2019-twin", DESK, "light", axe)
    number = page.evaluate(CONTROLS)
    assert number > 20
    for _ in range(3 * number):
        page.keyboard.press("Tab")
        if not page.evaluate("waiting.size"):
            break
    assert page.evaluate(LEFT) == []

"""A file with hostile names on every page, in a real headless Chromium: nothing is asked of any
other machine, and nothing leads there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from sdc_core.questions import QUESTIONS
from tests import chromium
from tests.hostile_file import ELSEWHERE, HEADER, NAME, hostile_file
from tests.test_browser import Visit, browser  # noqa: F401
from tests.test_your_data_browser import PAGE, drop

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
LEADS_ELSEWHERE = f"""() => [...document.querySelectorAll('a, img, iframe, image, use, link')]
  .filter(e => [e.href, e.src, e.getAttribute('xlink:href')].some(
    a => /^(\\w+:[/][/]|mailto:)[^/?#]*{ELSEWHERE}/.test(String(a?.baseVal ?? a ?? ''))))
  .map(e => e.outerHTML.slice(0, 200))"""
OPEN_ALL = """() => {
  for (const one of document.querySelectorAll('details:not([open]) > summary')) one.click();
  document.querySelector('.st-key-popover\\\\.features button, [class*=st-key-popover-features] \
button')?.click();
}"""


def test_a_hostile_header_loads_and_links_nothing_on_any_page(
    address: str, browser: Browser, tmp_path: Path  # noqa: F811
) -> None:
    file = tmp_path / NAME
    file.write_bytes(hostile_file())
    visit = Visit(browser, 1440, "light")
    visit.open(f"{address}{PAGE}")
    page = drop(visit, file)
    for question in QUESTIONS:
        page.get_by_role("link", name=question.title, exact=True).first.click()
        page.wait_for_url(f"**/{question.address}?**")
        visit.settle()
        page.evaluate(OPEN_ALL)
        visit.settle()
        assert page.locator("[data-testid=stException]").count() == 0, question.address
        assert page.evaluate(LEADS_ELSEWHERE) == [], question.address
        page.keyboard.press("Escape")  # what is open lies over the menu
    assert visit.outside == []
    shown = page.locator("body").inner_text().replace("\u2060", "")
    assert any(name in shown for name in HEADER)  # as it stands in the file
    page.context.close()

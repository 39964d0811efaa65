"""Habits people bring, in a real Chromium: Back, and a phone in one hand. Here things fade and
slide as most people have it; elsewhere tests ask for less motion."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import chromium
from tests.test_browser import TWIN, Visit, browser  # noqa: F401
from ui import habits

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]


def shown(page: Page) -> tuple[str, str]:
    """Which page, and the ε of its first method."""
    parts = urlparse(page.url)
    return parts.path, parse_qs(parts.query).get("m1.epsilon", [""])[0]


def waited_for(page: Page, path: str, epsilon: str) -> None:
    """The address says so, and so does the slider."""
    page.wait_for_function(
        "([path, epsilon]) => location.pathname === path"
        " && new URLSearchParams(location.search).get('m1.epsilon') === epsilon",
        arg=[path, epsilon], timeout=30_000)
    slider = page.locator(".st-key-slot-m1").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", epsilon, timeout=30_000)


@pytest.fixture
def desk(browser: Browser) -> Iterator[Visit]:  # noqa: F811
    opened = Visit(browser, 1440, "light", motion="no-preference")
    yield opened
    opened.page.context.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    yield context.new_page()
    context.close()


def test_back_undoes_one_thing_with_one_press(address: str, desk: Visit) -> None:
    """A page, a slider, another page; and back again, a press each, out to where one came from."""
    page = desk.page
    page.goto("about:blank")
    desk.open(f"{address}/compare?{TWIN}")  # an address that the page completes
    page.get_by_role("link", name="δ versus ε", exact=True).click()
    waited_for(page, "/delta_epsilon", "1")
    desk.settle()
    page.locator(".st-key-slot-m1").get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    waited_for(page, "/delta_epsilon", "1.1")
    desk.settle()
    page.get_by_role("link", name="Sparse tables", exact=True).click()
    waited_for(page, "/sparsity", "1.1")
    desk.settle()
    for path, epsilon in (("/delta_epsilon", "1.1"), ("/delta_epsilon", "1"), ("/compare", "1")):
        page.go_back()
        waited_for(page, path, epsilon)
        desk.settle()
    page.go_forward()
    waited_for(page, "/delta_epsilon", "1")
    page.go_back()
    waited_for(page, "/compare", "1")
    page.go_back()
    page.wait_for_url("about:blank", timeout=30_000)  # an entry left behind is passed over first


def test_forward_and_back_again_at_once_leads_nowhere_else(address: str, desk: Visit) -> None:
    """The page gone forward to is still being made when one is back; its address comes too late."""
    page = desk.page
    desk.open(f"{address}/compare?{TWIN}")
    headline = desk.answer()
    page.get_by_role("link", name="δ versus ε", exact=True).click()
    waited_for(page, "/delta_epsilon", "1")
    desk.settle()
    assert desk.answer() != headline
    page.go_back()
    waited_for(page, "/compare", "1")
    desk.settle()
    entries = page.evaluate("history.length")
    for moment in (20, 60, 20, 120, 20, 200, 300):
        page.evaluate(
            "(ms) => { history.forward(); setTimeout(() => history.back(), ms); }", moment)
        page.wait_for_timeout(moment + 200)
        desk.settle()
        assert shown(page) == ("/compare", "1"), moment
        assert desk.answer() == headline
        assert page.evaluate("history.length") == entries
    page.go_forward()
    waited_for(page, "/delta_epsilon", "1")
    desk.settle()
    assert desk.answer() != headline


def test_what_makes_a_new_entry_in_the_history(address: str, desk: Visit) -> None:
    """The server's messages in every order, on a page that sends none by itself."""
    page = desk.page
    page.goto(f"{address}/_stcore/health")
    page.evaluate(habits.SCRIPT.removeprefix("<script>").removesuffix("</script>"))

    def entries_after(told: str) -> tuple[int, str]:
        before = page.evaluate("history.length")
        page.evaluate(f"history.pushState(null, '', '{told}')")
        return page.evaluate("history.length") - before, page.evaluate(
            "location.pathname + location.search")

    page.keyboard.press("Tab")
    assert entries_after("/one?a=1") == (1, "/one?a=1")
    assert entries_after("/one?a=1&b=2") == (0, "/one?a=1&b=2")  # completed
    page.keyboard.press("Tab")
    assert entries_after("/one?c=3") == (1, "/one?c=3")  # of the next page, before its name
    assert entries_after("/two?c=3") == (0, "/two?c=3")
    page.keyboard.press("Tab")
    assert entries_after("/three?c=3") == (1, "/three?c=3")  # another page with the same settings
    page.evaluate("history.go(-2)")
    page.wait_for_function("location.pathname === '/one'")
    assert page.evaluate("location.search") == "?a=1&b=2"
    assert entries_after("/two?c=3") == (0, "/one?a=1&b=2")  # comes too late
    assert entries_after("/one?a=4") == (0, "/one?a=4")  # an old link brought up to date
    page.keyboard.press("Tab")
    page.evaluate("history.pushState(null, '', '/two?d=5')")
    assert page.evaluate("location.pathname") == "/two"
    page.evaluate("history.back()")
    page.wait_for_function("location.search === '?a=4'")


def test_the_page_one_is_on_keeps_its_address_when_it_is_chosen_again(
    address: str, desk: Visit
) -> None:
    page = desk.page
    desk.open(f"{address}/compare?{TWIN}&m1.epsilon=2")
    before, entries = page.url, page.evaluate("history.length")
    page.get_by_role("link", name="Compare", exact=True).click()
    page.wait_for_timeout(500)
    desk.settle()
    assert page.url == before and page.evaluate("history.length") == entries
    page.locator(".st-key-slot-m1").get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    waited_for(page, "/compare", "2.2")
    desk.settle()
    page.go_back()
    waited_for(page, "/compare", "2")


def test_on_a_phone_the_menu_closes_after_a_choice(address: str, phone: Page) -> None:
    phone.goto(f"{address}/?{TWIN}")
    phone.wait_for_selector(".answer", timeout=30_000)
    phone.get_by_test_id("stExpandSidebarButton").click()
    entry = phone.get_by_role("link", name="Sparse tables", exact=True)
    expect(entry).to_be_in_viewport()
    entry.click()
    phone.wait_for_url("**/sparsity?**")
    expect(entry).not_to_be_in_viewport()
    expect(phone.locator(".answer")).to_be_in_viewport()


def test_on_a_phone_the_methods_are_a_list_that_opens(address: str, phone: Page) -> None:
    """A line a method; opened, it stays open while a slider moves, and the list follows."""
    phone.goto(f"{address}/?{TWIN}&m4.k=6")
    phone.wait_for_selector(".answer", timeout=30_000)
    lines = phone.locator(".methods li")
    expect(lines).to_have_count(4)
    expect(lines.nth(3)).to_contain_text("k = 6")
    slider = phone.locator(".st-key-slot-m4").get_by_role("slider")
    expect(slider).not_to_be_visible()
    opener = phone.get_by_text("Change methods and settings")
    opener.tap()
    expect(slider).to_be_visible()
    slider.focus()
    phone.keyboard.press("ArrowRight")
    expect(lines.nth(3)).to_contain_text("k = 7")
    expect(slider).to_be_visible()
    widths = [one.bounding_box()["width"] for one in phone.locator("[class*=st-key-slot-]").all()]
    assert min(widths) > 300  # one under the other, as wide as the hand is
    opener.tap()
    expect(slider).not_to_be_visible()

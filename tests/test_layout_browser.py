"""Picture first, in pixels: what a reader sees of every page before scrolling, in a real Chromium.

One server and one browser for all pages; each page is opened once and looked at in three sizes. It
is opened as a visitor does, without a link, on whatever data there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sdc_core.questions import QUESTIONS
from sdc_core.questions.question import SLOTS, Question
from tests import chromium
from tests.test_browser import browser  # noqa: F401

DESK, LAPTOP, PHONE = (1440, 900), (1280, 720), (390, 844)
LATEST_START, SHARE_IN_SIGHT, SCREENS_ON_A_PHONE = 430, 0.6, 1.5
HIGHEST_BAR, MOST_LINES = 130, 2
FIRST_DRAWING = "[data-testid=stMain] [class*=st-key-drawing-]"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    opened = browser.new_context(reduced_motion="reduce").new_page()
    yield opened
    opened.context.close()


class Box(NamedTuple):
    """Where something stands, in pixels from the top of the page before any scrolling."""

    top: float
    height: float
    right: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


def box(found: Locator) -> Box:
    b = found.bounding_box()
    assert b is not None, f"{found} is not to be seen"
    return Box(b["y"], b["height"], b["x"] + b["width"])


def sized(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(250)


def opened(page: Page, url: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(url)
    settled(page)


def settled(page: Page) -> None:
    """The script has run, and what it drew stands still."""
    page.wait_for_selector(".answer", timeout=60_000)
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=60_000)
    page.wait_for_selector(FIRST_DRAWING, timeout=60_000)
    expect(page.locator("[data-stale=true]")).to_have_count(0, timeout=60_000)
    before = None
    for _ in range(40):
        now = page.locator(FIRST_DRAWING).first.bounding_box()
        if now == before and now is not None and now["height"] > 30:
            return
        before = now
        page.wait_for_timeout(150)
    raise AssertionError("the first picture does not come to rest")


def first_drawing(page: Page) -> Box:
    """The first one in reading order, whichever kind it is: a chart, HTML or a table."""
    return box(page.locator(FIRST_DRAWING).first)


def lines_of(page: Page) -> float:
    """How many lines the headline takes."""
    found: float = page.locator(".answer").evaluate(
        "e => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight)")
    return found


class Seen(NamedTuple):
    """What was measured of a page: its first picture in three sizes and after a method was moved,
    its headline, its bar's height and slots by size, and the foot of what the sidebar offers."""

    first: Box
    moved: Box | None
    on_a_phone: Box
    lines: float
    bars: dict[tuple[int, int], tuple[float, list[Box]]]
    actions: dict[str, float]


def look(page: Page, url: str) -> Seen:
    opened(page, url, DESK)
    first, lines, bars = first_drawing(page), lines_of(page), {DESK: bar_of(page)}
    actions = {name: box(page.locator(".st-key-actions").get_by_role("button", name=name)).bottom
               for name in ("Link", "Save", "Code", "Reset")}
    sized(page, LAPTOP)
    bars[LAPTOP] = bar_of(page)
    sized(page, PHONE)
    settled(page)
    on_a_phone = first_drawing(page)
    sized(page, DESK)
    settled(page)
    return Seen(first, after_a_move(page), on_a_phone, lines, bars, actions)


def bar_of(page: Page) -> tuple[float, list[Box]]:
    slots = [box(one) for one in page.locator("[class*=st-key-slot-]").all()]
    return (box(page.locator(".st-key-method-bar")).height if slots else 0.0, slots)


def after_a_move(page: Page) -> Box | None:
    """The first picture once a method's slider has been moved; None where there is none."""
    slider = page.locator(".st-key-slots").get_by_role("slider").first
    if slider.count() == 0:
        return None
    before = page.url
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => location.href !== before", arg=before, timeout=60_000)
    settled(page)
    return first_drawing(page)


@pytest.fixture(scope="module")
def seen(address: str, page: Page) -> Callable[[Question], Seen]:
    """Each page is opened once for all tests."""
    kept: dict[str, Seen] = {}

    def of(question: Question) -> Seen:
        name = question.address
        if name not in kept:
            kept[name] = look(page, f"{address}/{name}")
        return kept[name]

    return of


Look = Callable[[Question], Seen]


@every_question
def test_the_first_picture_is_seen_without_scrolling(seen: Look, question: Question) -> None:
    first = seen(question).first
    assert first.top <= LATEST_START
    in_sight = min(first.bottom, DESK[1]) - first.top
    # what is longer than a screen is read by scrolling: it fills the rest of this one
    assert in_sight >= SHARE_IN_SIGHT * first.height or first.height > DESK[1]


@every_question
def test_the_headline_has_two_lines_at_most(seen: Look, question: Question) -> None:
    assert 0 < round(seen(question).lines, 2) <= MOST_LINES


@every_question
def test_on_a_phone_the_picture_starts_soon(seen: Look, question: Question) -> None:
    assert 0 < seen(question).on_a_phone.top <= SCREENS_ON_A_PHONE * PHONE[1]


@every_question
def test_nothing_jumps_when_a_method_changes(seen: Look, question: Question) -> None:
    found = seen(question)
    assert (found.moved is None) == (not found.bars[DESK][1])
    if found.moved is not None:
        assert found.moved.top == found.first.top


@every_question
def test_four_methods_stand_in_one_low_row(seen: Look, question: Question) -> None:
    for size, (height, slots) in seen(question).bars.items():
        assert len(slots) in (0, len(SLOTS))  # none where it is not about methods of one's choice
        assert height <= HIGHEST_BAR
        assert len({round(one.top) for one in slots}) <= 1
        edges = [one.right for one in slots]
        assert edges == sorted(set(edges)) and all(edge <= size[0] for edge in edges)


@every_question
def test_link_save_code_and_reset_are_on_the_first_screen(seen: Look, question: Question) -> None:
    assert all(0 < foot <= DESK[1] for foot in seen(question).actions.values())

"""Five people's questions, answered from the first screen of some page (1440 × 900, nothing
opened): the words stand there, and their numbers are those of the tables that `sdc.ask` gives. What
a reader then says is in docs/reading.md."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

import sdc_core as sdc
from sdc_core.questions.answer import Answer
from sdc_core.words.numbers import sensible
from tests import chromium
from tests.test_browser import browser  # noqa: F401
from tests.test_layout_browser import DESK, FIRST_DRAWING, opened

TWIN = "ma2019-twin"
READING = Path(__file__).parents[1] / "docs" / "reading.md"
USUAL = (
    sdc.mechanism("laplace", epsilon=1.0), sdc.mechanism("discrete-gaussian", epsilon=1.0),
    sdc.mechanism("dp-suppression", epsilon=1.0, k=6), sdc.mechanism("suppression", k=6),
)
LAPLACE, HIDING = USUAL[0].label(), USUAL[3].label()

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]


class Reading(NamedTuple):
    """A question, the page that answers it (and the rest of its link), the words that are read on
    its first screen, and a name that is read in its first picture."""

    asked: str
    page: str
    link: str
    words: tuple[str, ...]
    pictured: str


@cache
def answer(page: str, k: int = 6) -> Answer:
    """What the page's question answers in Python; the last method hides counts below `k`."""
    methods = (*USUAL[:3], sdc.mechanism("suppression", k=k))
    return sdc.ask(page, sdc.Study(sdc.load_dataset(TWIN), methods=methods))


def table(page: str, panel: str, k: int = 6) -> Any:
    found = answer(page, k).panel(panel).table
    assert found is not None
    return found


def off_by(label: str, k: int = 6) -> str:
    """How far off a count is on average, where there are people."""
    rows = table("compare", "sizes", k).set_index(["groups of", "mechanism"])
    number = rows.loc[("All groups that have people", label), "a count is off by"]
    return sensible(float(f"{number:.3g}"))


def who_is_hurt() -> Reading:
    """The group about which the model is wrong more often, by how much, and for how many it is
    right."""
    right = table("classification", "prediction").set_index("trained on")["accuracy"]
    rows = table("classification", "prediction-groups").set_index("group")
    more = 100 * (rows[f"wrong, 1. {LAPLACE}"] - rows["wrong, trained on the truth"])
    return Reading(
        "Who is hurt?", "classification", "", (
            f"right for {100 * right[LAPLACE]:.1f}% of people instead of "
            f"{100 * right['the truth']:.1f}%",
            f"{more['Asian women']:.1f} points more often wrong about Asian women"),
        "Right about people",
    )


def is_it_safe() -> Reading:
    return Reading(
        "Is it safe?", "delta_epsilon", "", (
            f"at most a factor of {math.exp(1):.2f}", "hiding small counts (k = 6) promises nothing"
        ), "Add noise (Laplace)",
    )


def which_for_my_city() -> Reading:
    rows = table("map", "map").set_index("place")
    noise, hiding = (
        rows[f"{i}. {label}, error of a release, people"] for i, label in
        ((1, LAPLACE), (2, HIDING)))
    worse, widest = int((noise > hiding).sum()), (noise - hiding).idxmax()
    assert worse == len(rows)
    return Reading(
        "Which is better for my city?", "map", "", (
            f"adding noise (ε = 1) is worse than hiding small counts (k = 6) in all {worse} places",
            f"widest in {widest} ({noise[widest]:.0f} people off instead of "
            f"{hiding[widest]:.0f})"),
        "Salem",
    )


def can_i_trust_it() -> Reading:
    return Reading(
        "Can I trust this number?", "compare", "", (
            f"hiding small counts (k = 6) puts a count off by {off_by(HIDING)} on average, "
            f"adding noise (ε = 1) by {off_by(LAPLACE)}",),
        "All groups that have people",
    )


def what_if_k_were_10() -> Reading:
    hiding = off_by(sdc.mechanism("suppression", k=10).label(), 10)
    return Reading(
        "What if k were 10?", "compare", "&m4.k=10", (
            f"adding noise (ε = 1) puts a count off by {off_by(LAPLACE, 10)} on average, "
            f"hiding small counts (k = 10) by {hiding}",),
        "Groups of 1 to 5",
    )


READINGS = (who_is_hurt, is_it_safe, which_for_my_city, can_i_trust_it, what_if_k_were_10)
every_reading = pytest.mark.parametrize("make", READINGS, ids=lambda one: one.__name__)


def in_first_screen(page: Page, selector: str) -> str:
    """All text under a selector that stands within the screen, as one line."""
    found: list[str] = page.locator(selector).evaluate_all("""(all, screen) => all.filter((one) => {
      const {bottom, height} = one.getBoundingClientRect();
      return height > 0 && bottom <= screen;
    }).map((one) => one.textContent)""", DESK[1])
    return re.sub(r"\s+", " ", " ".join(found))


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """One for all pages: what was compiled for one is there for the next."""
    opened_now = browser.new_context(reduced_motion="reduce").new_page()
    yield opened_now
    opened_now.context.close()


@every_reading
def test_the_answer_is_on_the_first_screen(
    make: Any, address: str, tab: Page
) -> None:
    one: Reading = make()
    page = tab
    opened(page, f"{address}/{one.page}?data={TWIN}{one.link}", DESK)
    said = in_first_screen(page, ".answer, .answer-more")
    for words in one.words:
        assert words in said
    assert not page.locator("[role=tooltip], [data-testid=stPopoverBody]").count()
    page.locator(f"{FIRST_DRAWING} svg text").first.wait_for(timeout=60_000)
    assert one.pictured in in_first_screen(page, f"{FIRST_DRAWING} svg text")


@every_reading
def test_the_page_on_reading_has_these_words(make: Any) -> None:
    """docs/reading.md says what is read: the same words, with the same numbers."""
    one: Reading = make()
    (row,) = [line for line in READING.read_text("utf-8").splitlines()
              if line.startswith(f"| {one.asked} ")]
    assert f"{one.page}{'?' if one.link else ''}{one.link.removeprefix('&')}" in row
    for words in one.words:
        assert words in row

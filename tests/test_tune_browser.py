"""From the first page to a setting that does what is wanted, in at most four clicks each."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator, expect

import sdc_core as sdc
from tests import chromium
from tests.test_browser import TWIN, Visit, browser, tab, visit  # noqa: F401

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
MOST_CLICKS = 4
PATIENCE = 300_000  # drawing from a model at many settings takes a while


class Clicks:
    """A visit that counts."""

    def __init__(self, visit: Visit) -> None:  # noqa: F811
        self.visit, self.page, self.number = visit, visit.page, 0

    def on(self, what: Locator) -> None:
        what.click()
        self.number += 1
        self.visit.settle()

    def on_button(self, name: str) -> None:
        self.on(self.page.get_by_role("button", name=name))

    def says(self, pattern: str) -> None:
        expect(self.page.locator(".answer")).to_have_text(re.compile(pattern), timeout=PATIENCE)
        assert self.number <= MOST_CLICKS

    def link(self, name: str) -> str:
        return parse_qs(urlparse(self.page.url).query).get(name, [""])[0]


@pytest.fixture
def clicks(request: pytest.FixtureRequest, address: str, visit: Visit) -> Clicks:  # noqa: F811
    visit.open(f"{address}/?{TWIN}{getattr(request, 'param', '')}")
    counted = Clicks(visit)
    counted.on(counted.page.get_by_role("link", name="Tune", exact=True))
    return counted


def test_mean_error_below_one_and_the_setting_goes_along(clicks: Clicks) -> None:
    clicks.says(r"off by at most 1 person on average, adding noise needs ε of at least [\d.]+; "
                r"hiding small counts allows k up to \d+\.")
    take = clicks.page.get_by_role("button", name="Take ε = ").first
    epsilon = re.search(r"ε = ([\d.]+):", take.inner_text())[1]
    clicks.on(take)
    assert clicks.link("m1.epsilon") == epsilon
    clicks.on(clicks.page.get_by_role("link", name="Compare", exact=True))
    slider = clicks.page.locator(".st-key-slot-m1").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", epsilon)
    assert clicks.number <= MOST_CLICKS


def test_a_click_on_a_mark_takes_its_setting(clicks: Clicks) -> None:
    """The last mark is the largest k that hiding small counts allows."""
    k = re.search(r"k up to (\d+)", clicks.visit.answer())[1]
    mark = clicks.page.locator(".st-key-drawing-settings .scatterlayer .trace").last.locator(
        ".points path").last
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    clicks.page.mouse.move(x, y)  # a layer of plotly's lies over its marks
    clicks.page.mouse.click(x, y)
    clicks.page.wait_for_function(
        "k => new URLSearchParams(location.search).get('m4.k') === k", arg=k, timeout=30_000)


def test_smallest_groups_within_ten_per_cent(clicks: Clicks) -> None:
    clicks.on_button("Smallest groups within 10%")
    clicks.says(r"groups of 1 to 5 to be off by at most 10% on average, adding noise needs ε of at "
                r"least [\d.]+")


def test_which_epsilon_is_as_inaccurate_as_hiding_counts_below_six(clicks: Clicks) -> None:
    clicks.on_button("Which ε is as inaccurate as hiding counts below 6?")
    clicks.says(r"as under hiding small counts \(k = 6\), adding noise needs ε of at least [\d.]+")


def test_which_swap_rate_has_epsilon_eight(clicks: Clicks) -> None:
    clicks.on_button("Which swap rate has ε = 8?")
    clicks.says(r"ε to be at most 8, shuffling among matches takes a share of records swapped from "
                r"[\d.]+% to [\d.]+%")
    assert clicks.link("m1") == "permutation-swapping"


# drawing from a model of five features takes a minute and more
@pytest.mark.parametrize("clicks", ["&features=RAC1P,SEX,OWN_RENT"], indirect=True)
def test_k_anonymity_or_aim(clicks: Clicks) -> None:
    clicks.on_button("k-anonymity or AIM?")
    clicks.says(r"merging small groups allows k up to [\d,]+")
    clicks.page.get_by_role("button", name="Look along AIM synthetic data").click()
    clicks.number += 1
    clicks.says(r"merging small groups allows k up to [\d,]+; .*ε")


def test_a_click_on_a_mark_of_risk_and_error_goes_to_the_bar_and_is_explained(
    address: str, visit: Visit  # noqa: F811
) -> None:
    """The least ε of bell-shaped noise, where no other mark covers it."""
    features = ("RAC1P", "SEX", "OWN_RENT")
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), features)
    marks = sdc.ask("frontier", study).tables()["frontier"]
    ours = marks[marks["method"] == "Add bell-shaped noise"]
    number = int(ours["mean error, groups with people"].idxmax())
    epsilon = marks["value"][number]
    page = visit.page
    page.goto(f"{address}/frontier?{TWIN}&features={','.join(features)}")
    page.wait_for_selector(".answer", timeout=PATIENCE)
    visit.settle()
    mark = page.locator(".st-key-drawing-frontier .scatterlayer .trace").last.locator(
        ".points path").nth(number)
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    page.wait_for_function(
        "e => Number(new URLSearchParams(location.search).get('m2.epsilon')) === e",
        arg=epsilon, timeout=PATIENCE)
    said = f"Promise: Adding bell-shaped noise (ε = {epsilon:g})"
    told = page.locator("[data-testid=stMain]").get_by_text(said).first
    expect(told).to_be_visible(timeout=PATIENCE)
    slider = page.locator(".st-key-slot-m2").get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", f"{epsilon:g}")

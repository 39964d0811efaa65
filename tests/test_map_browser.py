"""The map in a real headless Chromium without a network: as many areas as there are places, in the
colours that follow from the table beside it, with the schematic and with the real boundaries."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sdc_core.figures.colour_scale import scale_for
from tests import chromium
from tests.map_towns import mixed
from tests.serving import serving
from tests.test_browser import CUT_OFF, Visit, browser, tab, visit  # noqa: F401

PLACES = {"ma2019": 5, "tx2019": 6, "national2019": 20, "all2019": 31}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]

FIRST = ".st-key-pick-map-first-0"
LAST = ".st-key-pick-map-difference-0 .js-fill"  # when it is there, all maps are

# plotly keeps each trace's data on its SVG group: that says which area a filled path belongs to.
FILLS = """(chart) => [...document.querySelectorAll(
    `.st-key-pick-map-${chart}-0 .scatterlayer .trace`)]
  .filter(t => t.querySelector('.js-fill'))
  .map(t => [t.__data__[0].trace.name, getComputedStyle(t.querySelector('.js-fill')).fill])
  .filter(([name, _]) => name !== 'land')"""

# A point on the screen well within an area of the first map.
SPOT = """(code) => {
  const t = [...document.querySelectorAll('.st-key-pick-map-first-0 .trace')]
    .find(t => t.__data__[0].trace.name === code).querySelector('.js-fill');
  const b = t.getBoundingClientRect();
  for (let i = 0.2; i < 0.8; i += 0.05) {
    const [x, y] = [b.x + 0.5 * b.width, b.y + i * b.height];
    const seen = t.ownerSVGElement.createSVGPoint();
    [seen.x, seen.y] = [x, y];
    if (t.isPointInFill(seen.matrixTransform(t.getScreenCTM().inverse()))) return [x, y];
  } }"""


@pytest.fixture(scope="module", params=["schematic", "real"])
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Which boundaries, and the address of an app that has them."""
    environment = dict(os.environ)
    if request.param == "schematic":
        environment.pop("SDC_DATA_DIR", None)
    elif "SDC_DATA_DIR" not in environment:
        pytest.skip("SDC_DATA_DIR is not set, so the real boundaries cannot be found.")
    elif not (Path(environment["SDC_DATA_DIR"]) / "pumas31.geojson").is_file():
        pytest.fail("SDC_DATA_DIR is set, but pumas31.geojson is not in that folder.")
    with serving(environment=environment) as base:
        yield request.param, base


def table_beside(page: Page) -> dict[str, list[float]]:
    """The CSV of the table beside the maps: a code, and the numbers of 1, 2 and difference."""
    page.get_by_role("button", name="Save or pin").last.click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    return {
        row["code"]: [float(row[c].lstrip("'")) for c in row if c[:2] in ("1.", "2.", "di")]
        for row in csv.DictReader(io.StringIO(text))
    }


def test_every_area_has_the_colour_of_its_number(
    served: tuple[str, str], visit: Visit  # noqa: F811
) -> None:
    kind, base = served
    for data, places in PLACES.items():
        page = visit.page
        page.goto(f"{base}/map?data={data}{'-twin' * (kind == 'schematic')}")
        page.wait_for_selector(LAST, timeout=60_000, state="attached")
        visit.settle()
        said = page.locator("[data-testid=stMain]").inner_text()
        label = "Schematic boundaries" if kind == "schematic" else "pumas31.geojson"
        assert label in said
        numbers = table_beside(page)
        assert len(numbers) == places
        top = max(abs(v) for row in numbers.values() for v in row[:2])
        spread = max(abs(row[2]) for row in numbers.values())
        for column, (chart, low, high) in enumerate(
            [("first", 0.0, top), ("second", 0.0, top), ("difference", -spread, spread)]
        ):
            stops = scale_for("size" if column < 2 else "difference", high, dark=False).stops
            fills = dict(page.evaluate(FILLS, chart))
            assert set(fills) == set(numbers)
            for code, fill in fills.items():
                seen = [int(part) for part in re.findall(r"\d+", fill)[:3]]
                share = (numbers[code][column] - low) / (high - low)
                expected = mixed(stops, share)
                assert max(abs(a - b) for a, b in zip(seen, expected, strict=True)) <= 2, (
                    chart, code, fill, expected)
        assert page.evaluate(CUT_OFF) == []
        assert visit.outside == [] and visit.errors == []


def test_hover_names_the_place_and_a_click_pins_it(
    served: tuple[str, str], visit: Visit  # noqa: F811
) -> None:
    _, base = served
    page = visit.page
    page.goto(f"{base}/map?data=ma2019-twin")
    page.wait_for_selector(LAST, timeout=60_000, state="attached")
    visit.settle()
    chart = page.locator(FIRST)
    chart.scroll_into_view_if_needed()
    spot = page.evaluate(SPOT, "25-00703")
    page.mouse.move(spot[0] - 2, spot[1])
    page.mouse.move(*spot)
    label = page.locator(f"{FIRST} .hoverlayer .hovertext")
    expect(label).to_contain_text("Salem–Beverly–Gloucester", timeout=15_000)
    expect(label).to_contain_text("Hide small counts")
    expect(label).to_contain_text("invented")
    page.mouse.click(*spot)
    page.wait_for_url("**map_place=25-00703**", timeout=30_000)
    expect(page.get_by_role("heading", name="Who in Salem–Beverly–Gloucester?")).to_be_visible(
        timeout=30_000)
    expect(page.locator(".answer")).to_contain_text("Salem–Beverly–Gloucester")
    assert visit.outside == [] and visit.errors == []


def test_on_a_phone_one_tap_pins_that_place_and_a_swipe_scrolls(
    served: tuple[str, str], browser: Browser  # noqa: F811
) -> None:
    _, base = served
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True,
        reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{base}/map?data=ma2019-twin")
    page.wait_for_selector(LAST, timeout=60_000, state="attached")
    page.wait_for_timeout(1500)
    for code in ("25-00503", "25-00703", "25-01000"):
        page.locator(FIRST).scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        page.touchscreen.tap(*page.evaluate(SPOT, code))
        page.wait_for_url(f"**map_place={code}**", timeout=30_000)
        page.wait_for_timeout(1500)  # nothing else is pinned afterwards
        assert f"map_place={code}" in page.url
    x, y = page.evaluate(SPOT, "25-00703")
    finger = context.new_cdp_session(page)
    for kind, down in [("touchStart", 0), *(("touchMove", 10 * i) for i in range(1, 16))]:
        finger.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y - down}]})
        page.wait_for_timeout(16)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(500)
    assert page.evaluate(SPOT, "25-00703")[1] < y - 60
    assert "map_place=25-01000" in page.url
    context.close()

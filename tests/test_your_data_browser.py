"""Your data in a real headless Chromium: a file is dropped, a cell is edited, Back takes it back, a
run is saved and opened; wide, narrow and dark."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from sdc_core.data.catalogue import load_dataset
from sdc_core.data.editing import described
from tests import chromium
from tests.own_people import own_people
from tests.test_browser import CUT_OFF, Visit, browser, tab, visit  # noqa: F401

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
PAGE = "/your_data?data=ma2019-twin"
ROW = 35  # pixels of a row of the table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    own_people().to_csv(path, index=False)
    return path


def drop(visit: Visit, file: Path, where: str = "stMain") -> Page:  # noqa: F811
    page = visit.page
    page.locator(f"[data-testid={where}] input[type=file]").first.set_input_files(str(file))
    page.wait_for_url("**data=own-**")
    visit.settle()
    return page


def type_title(page: Page, row: int, text: str) -> None:
    """Type into the second cell of a row of the table of columns."""
    grid = page.locator("[data-testid=stDataFrame] canvas").first
    grid.scroll_into_view_if_needed()
    box = grid.bounding_box()
    assert box is not None
    editor = page.locator("#portal textarea")
    for wait in (100, 300, 1000, 3000):  # a busy machine may open the first cell, which is fixed
        page.mouse.click(box["x"] + 20, box["y"] + ROW * (row + 1.5))
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(wait)
        page.keyboard.press("Enter")
        expect(editor).to_be_visible()
        if editor.is_enabled():
            break
        page.keyboard.press("Escape")
    editor.fill(text)
    page.keyboard.press("Enter")


def until_changed(page: Page, before: str) -> None:
    page.wait_for_function(
        "before => new URL(location).searchParams.get('schema') !== before", arg=before)


def schema(page: Page) -> str:
    return str(page.evaluate("new URL(location).searchParams.get('schema')"))


def test_a_cell_is_edited_and_back_takes_it_back(
    address: str, visit: Visit, file: Path  # noqa: F811
) -> None:
    visit.open(f"{address}{PAGE}")
    page = drop(visit, file)
    expect(page.locator(".answer")).to_contain_text("mine.csv has 600 records and 6 columns")
    first = schema(page)
    row = list(described(load_dataset(file))["column"]).index("town")
    type_title(page, row, "Home town")
    until_changed(page, first)
    expect(page.locator(".answer-more")).to_contain_text("Counted by home town")
    second = schema(page)
    visit.settle()
    type_title(page, row, "Where they live")
    until_changed(page, second)
    expect(page.locator(".answer-more")).to_contain_text("Counted by where they live")
    visit.settle()
    page.go_back()
    expect(page.locator(".answer-more")).to_contain_text("Counted by home town")
    visit.settle()
    page.go_back()
    expect(page.locator(".answer-more")).to_contain_text("Counted by town")
    assert schema(page) == first and visit.errors == [] and visit.outside == []


def test_a_run_is_saved_and_opened_in_another_visit(
    address: str, visit: Visit, browser: Browser, file: Path, tmp_path: Path  # noqa: F811
) -> None:
    visit.open(f"{address}{PAGE}")
    page = drop(visit, file)
    before = schema(page)
    type_title(page, 0, "Home town")
    until_changed(page, before)
    visit.settle()
    page.get_by_role("link", name="Sparse tables", exact=True).click()
    page.wait_for_url("**/sparsity?**")
    visit.settle()
    page.locator("[data-testid=stSidebar]").get_by_role("button", name="Save").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save this run").click()
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)
    assert saved.name == "sparsity-mine.run.json"
    assert json.loads(saved.read_text())["study"]["schema"]["columns"][0]["title"] == "Home town"
    said, url = visit.answer(), page.url
    other = Visit(browser, 1440, "light")
    there = other.open(f"{address}/?data=ma2019-twin")
    there.locator("[data-testid=stSidebar]").get_by_role("button", name="Save").click()
    there.locator("[data-testid=stPopoverBody] input[type=file]").set_input_files(str(saved))
    expect(there.get_by_text("The run was made with mine.csv")).to_be_visible()
    there.keyboard.press("Escape")
    there.get_by_text("Use your own data").click()
    drop(other, file, "stSidebar")
    expect(there.locator(".answer")).to_have_text(said)
    other.settle()  # the link is written last
    said_by = [dict(parse_qsl(urlsplit(one).query)) for one in (there.url, url)]
    said_by[0].pop("count", None)  # a run says it also of data without weights, a page does not
    assert said_by[0] == said_by[1]
    there.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "light"), (1440, "dark")])
def test_nothing_is_cut_off_with_a_file(
    address: str, visit: Visit, file: Path, width: int, scheme: str  # noqa: F811
) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=scheme)
    visit.open(f"{address}{PAGE}")
    page = drop(visit, file)
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    grid = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    assert grid is not None and grid["height"] >= ROW * 7  # all six columns and the header
    assert visit.errors == [] and visit.outside == []

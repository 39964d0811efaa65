"""Two of the jobs that people come for, from the first screen, in a real Chromium: a brief on paper
and a running lesson. The clicks are counted."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pypdf
import pytest
from playwright.sync_api import Page, expect

from tests import chromium
from tests.test_browser import TWIN, Visit, browser, tab, visit  # noqa: F401

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]


@pytest.fixture
def desk(visit: Visit) -> Visit:  # noqa: F811
    visit.page.set_default_timeout(60_000)
    return visit


def saved(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_from_the_first_screen_to_a_brief_on_paper(
    address: str, desk: Visit, tmp_path: Path
) -> None:
    page = desk.page
    page.goto(address)
    expect(page.locator("h1")).to_contain_text("published numbers")
    page.get_by_role("button", name="Make a brief").click()  # 1
    expect(page.locator("h1")).to_contain_text("ready to hand out")
    file = saved(page, "Web page", tmp_path)  # 2
    reader = page.context.new_page()
    reader.context.set_offline(True)
    reader.goto(file.as_uri())  # 3: open it; 4 and 5: print, and yes
    reader.wait_for_function("document.querySelectorAll('.plotly-graph-div .main-svg').length")
    paper = pypdf.PdfReader(io.BytesIO(reader.pdf(prefer_css_page_size=True)))
    assert 1 <= len(paper.pages) <= 2
    text = " ".join(sheet.extract_text() for sheet in paper.pages)
    assert "Who is hurt" in text and "What is promised" in text and "Recommendation" in text
    reader.context.set_offline(False)
    reader.close()


def test_a_pinned_answer_is_in_the_brief_and_comes_back_from_its_page(
    address: str, desk: Visit, tmp_path: Path
) -> None:
    page = desk.page
    desk.open(f"{address}/swap_rate?{TWIN}")
    headline = page.locator("h1").inner_text()
    page.locator(".st-key-pin-headline button").first.click()
    expect(page.locator(".st-key-pin-headline button").first).to_contain_text("Pinned")
    page.get_by_role("link", name=re.compile(r"Brief \(1\)")).click()
    expect(page.locator("h1")).to_contain_text("A brief of 1 answer,")
    expect(page.locator(".st-key-pinned-0")).to_contain_text(headline.split("(")[0].strip())
    page.get_by_label("Title").fill("For the board")
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_role("heading", name="For the board")).to_be_visible()
    file = saved(page, "Web page", tmp_path)
    page.locator(".st-key-remove-0 button").click()
    expect(page.locator("h1")).to_contain_text("A brief of 2 answers")
    expect(page.locator("[data-test-script-state=running]")).to_have_count(0)  # or it is drawn anew
    page.get_by_text("Open a brief").click()
    page.locator(".st-key-upload-brief input[type=file]").set_input_files(file)
    expect(page.locator("h1")).to_contain_text("A brief of 1 answer,")
    expect(page.get_by_role("heading", name="For the board")).to_be_visible()


def test_a_lesson_runs_after_two_clicks_and_goes_by_the_arrow_keys(
    address: str, desk: Visit
) -> None:
    page = desk.page
    page.goto(address)
    page.get_by_role("button", name="Hold a lesson").click()  # 1
    page.get_by_role("button", name="Start").first.click()  # 2
    expect(page.locator("h1")).to_have_text("Seven people")
    expect(page.locator(".step-answer")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".step-answer")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("h1")).to_have_text("Hide small counts")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("h1")).to_have_text("Seven people")
    page.get_by_role("button", name="For the projector").click()
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()


def test_an_old_link_to_the_root_is_compare_and_one_step_back(
    address: str, desk: Visit
) -> None:
    page = desk.page
    page.goto(f"{address}/teach?lesson=epsilon&step=2&answer=true")
    expect(page.locator("img.dots")).to_be_visible()  # a page that cleans HTML has not dropped it
    assert page.locator("img.dots").evaluate("one => one.naturalWidth") > 0
    page.goto(f"{address}/?{TWIN}&m1.epsilon=0.5")
    expect(page.locator(".st-key-method-bar")).to_be_visible()
    page.wait_for_function("new URLSearchParams(location.search).has('features')")
    desk.settle()
    page.go_back()
    expect(page.locator("h1")).to_have_text("After the table")

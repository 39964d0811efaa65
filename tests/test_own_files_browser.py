"""Two files of one's own through every page, in a real headless Chromium.

A mixed file as an analyst brings it (accents, 800 postcodes that begin with zeros, incomes with
gaps and decimal commas, dates, households, a weight), and an excerpt of another year. Every page
answers; types are right, a correction goes along from page to page, and what is shown is counted
again with pandas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import sdc_core as sdc
from sdc_core.questions import QUESTIONS
from sdc_core.questions.question import Question
from tests import chromium
from tests.mixed_file import NAME, mixed_file
from tests.test_browser import EMPTY_CHARTS, Visit, browser  # noqa: F401
from tests.test_your_data_browser import PAGE, drop, schema, type_title, until_changed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET),
]
NOT_ANSWERED = "cannot be answered on this data"


def _opened(address: str, browser: Browser, file: Path) -> Visit:  # noqa: F811
    visit = Visit(browser, 1440, "light")
    visit.open(f"{address}{PAGE}")
    drop(visit, file)
    return visit


@pytest.fixture(scope="module")
def mixed(
    address: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory  # noqa: F811
) -> Iterator[Visit]:
    """The mixed file is open, and one title has been put right."""
    file = tmp_path_factory.mktemp("own") / NAME
    file.write_bytes(mixed_file().content)
    visit = _opened(address, browser, file)
    before = schema(visit.page)
    type_title(visit.page, 2, "Sex of the person")
    until_changed(visit.page, before)
    yield visit
    visit.page.context.close()


@pytest.fixture(scope="module")
def other_year(
    address: str, browser: Browser, tmp_path_factory: pytest.TempPathFactory  # noqa: F811
) -> Iterator[Visit]:
    """The same format as the excerpts, other people."""
    twin = sdc.load_dataset("tx2019-twin")
    names = [n for n in twin.raw.names if n not in ("INCOME_50K", "AGE_BIN")]
    file = tmp_path_factory.mktemp("own") / "tx2018.csv"
    twin.raw.table.select(names).to_pandas().sample(3000, random_state=8).to_csv(file, index=False)
    visit = _opened(address, browser, file)
    yield visit
    visit.page.context.close()


def _go(visit: Visit, title: str, where: str) -> Page:
    page = visit.page
    visit.settle()
    page.get_by_role("link", name=title, exact=True).first.click()
    page.wait_for_url(re.compile(rf"^http://[^/]+/{where}\?.*data=own-"))
    visit.settle()
    assert page.locator("[data-testid=stException]").count() == 0
    page.wait_for_function(f"({EMPTY_CHARTS})() === 0", timeout=30_000)
    assert NOT_ANSWERED not in visit.answer()
    assert visit.errors == [] and visit.outside == []
    return page


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q.address)
def test_the_mixed_file_on_every_page(mixed: Visit, asked: Question) -> None:
    page = _go(mixed, asked.title, asked.address)
    main = page.locator("[data-testid=stMain]").inner_text()
    for mistake in ("1067.0", "1.067", "1067,0", "nan"):  # a code that was taken for a number
        assert mistake not in main
    if asked.address == "compare":
        truth = mixed_file().truth
        assert f"{len(truth):,} people" in main
    if not asked.own_data and not asked.own_table:  # the correction has come along
        assert "sex of the person" in page.locator("[data-testid=stApp]").inner_text().lower()


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q.address)
def test_an_excerpt_of_another_year_on_every_page(
    other_year: Visit, asked: Question
) -> None:
    _go(other_year, asked.title, asked.address)


def test_what_compare_shows_of_the_other_year_is_what_pandas_counts(other_year: Visit) -> None:
    page = _go(other_year, "Compare", "compare")
    twin = sdc.load_dataset("tx2019-twin").records.sample(3000, random_state=8)
    five = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
    filled = int((twin.groupby(five, observed=True).size() > 0).sum())
    groups = 6 * 9 * 2 * 3 * 2
    main = page.locator("[data-testid=stMain]").inner_text()
    assert "3,000 people counted, without survey weights" in main
    assert f"in {groups:,} groups, {groups - filled:,} of them empty" in main

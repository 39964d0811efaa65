"""What one visitor opens, no other gets: not by a link, a guess, a key of anything kept, nor an
address; and nothing of it is left when its visitor has gone.

The file has a mark in its values and another one in the name of a column, and all that the program
shows or holds on to is searched for them.
"""

from __future__ import annotations

import gc
import sys
import urllib.error
import urllib.request
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from sdc_core import keep
from sdc_core.data import Dataset, load_dataset
from tests import chromium
from tests.page_driver import TWIN, link, opened, uploaded
from tests.test_browser import Visit, browser  # noqa: F401
from tests.test_your_data_browser import PAGE, drop
from ui import leaving, own_data, progress

# put together here, so that the marks are in no constant of this file
MARK, COLUMN = ("".join(reversed(text)) for text in ("eulavqz", "nmulocqz"))
PAGES = ("compare", "map", "told_apart", "classification", "subgroups", "reidentification",
         "protected", "your_data", "sparsity", "delta_epsilon")


def people() -> bytes:
    rng = np.random.default_rng(2)
    return pd.DataFrame({
        COLUMN: [f"{MARK}{v}" for v in rng.integers(0, 8, 400)],
        "sex": rng.choice([f"{MARK}f", f"{MARK}m"], 400), "age": rng.integers(18, 90, 400),
        "income": rng.gamma(2, 20, 400).round(1),
    }).to_csv(index=False).encode()


def all_pages(app: AppTest) -> Iterator[AppTest]:
    """One visit, from page to page."""
    for address in PAGES:
        app._page_hash = next(
            page for page, known in app._registered_pages.items()
            if known.get("url_pathname") == address)
        app.run()
        assert not app.exception, [e.value for e in app.exception]
        yield app


def seen(app: AppTest) -> str:
    """All that was sent to the browser."""
    found, left = [], [app._tree]
    while left:
        node = left.pop()
        left += list(getattr(node, "children", {}).values())
        proto = getattr(node, "proto", None)
        if proto is not None:
            found.append(proto.SerializeToString().decode("utf-8", "replace"))
    return "".join(found)


def without_features(link: dict[str, str]) -> dict[str, str]:
    """A link that somebody puts together: what stands in an address names columns."""
    return {n: text for n, text in link.items() if COLUMN not in text}


def test_the_marks_are_seen_by_who_opened_the_file() -> None:
    app = uploaded(opened(TWIN), people())
    shown = [seen(one) for one in all_pages(app)]
    assert sum(MARK in one for one in shown) >= 4 and all(COLUMN in one for one in shown)


def test_neither_link_nor_guess_leads_to_another_visitors_file() -> None:
    mine = uploaded(opened(TWIN), people())
    for _ in all_pages(mine):
        pass
    own = mine.session_state["own-data"]
    address = link(mine)
    assert address["data"] == own.id and MARK not in str(address)
    guesses = [
        address, without_features(address), {"data": own.id}, {"data": "own"},
        {"data": own.dataset.file_sha256}, {"data": f"own-{own.dataset.file_sha256}"},
        {"data": own.dataset.id}, {"data": own.dataset.title},
        {"data": own.id, own_data.SCHEMA: own.schema_id},
    ]
    for guess in guesses:
        for page in (None, "your_data"):
            yours = opened(guess, page)
            assert MARK not in seen(yours), guess
            assert COLUMN not in seen(yours).replace(address[own_data.FEATURES], ""), guess
            assert "own-data" not in yours.session_state


def test_what_was_found_for_one_is_not_kept_for_another() -> None:
    """All that is kept with bundled data, or for everybody, is searched."""
    mine = uploaded(opened(TWIN), people())
    for _ in all_pages(mine):
        pass
    shared = [keep._FOR_ALL, *(
        part for one in gc.get_objects() if isinstance(one, Dataset) and one.origin != "own"
        for part in (one._kept, keep.keep_of(one)))]
    assert len(shared) > 2 and any(one.size for one in shared)
    assert not [text for one in shared for text in texts_in(one) if MARK in text or COLUMN in text]


def texts_in(start: keep.Keep) -> Iterator[str]:
    """All that it holds on to, but for modules, classes, code and whoever else holds on to things
    (what is kept for one is a part of what all are listed in)."""
    done, left = {id(start)}, [key_and_made for one in start._made.items()
                               for key_and_made in (one[0], one[1].made)]
    while left:
        one = left.pop()
        if id(one) in done or isinstance(one, (type, type(sys), type(seen), keep.Keep)):
            continue
        done.add(id(one))
        if isinstance(one, (str, bytes)):
            yield one if isinstance(one, str) else one.decode("latin-1")
        left += gc.get_referents(one)


def left_over() -> list[tuple[str, str]]:
    """Everything in the process that holds a text with a mark, but for this file's own."""
    own = {id(MARK), id(COLUMN)}
    found = []
    gc.unfreeze()  # what is frozen is not listed
    for holder in gc.get_objects():
        if holder is globals():
            continue
        for text in gc.get_referents(holder):
            if isinstance(text, (str, bytes)) and id(text) not in own and len(text) < 10**7:
                said = text if isinstance(text, str) else text.decode("latin-1")
                if MARK in said or COLUMN in said:
                    found.append((type(holder).__name__, said[:60]))
    return found


def test_nothing_is_left_when_its_visitor_has_gone() -> None:
    """Neither data, nor tables, nor words: all that the process holds on to is searched."""
    def visited() -> list[weakref.ref[Any]]:
        mine = uploaded(opened(TWIN), people())
        for _ in all_pages(mine):
            pass
        data: Dataset = mine.session_state["own-data"].dataset
        table = data.histogram(data.default_features)
        return [weakref.ref(one) for one in (data, table, mine.session_state["kept"])]

    refs = visited()
    opened(TWIN)  # files to be downloaded go with the next run: here all visits have one name
    leaving.let_go()
    assert [ref() for ref in refs] == [None] * 3
    assert left_over() == []


# ---------------------------------------------------------------- addresses of the server


def asked(url: str, method: str = "GET") -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(
                urllib.request.Request(url, method=method), timeout=20) as found:
            return found.status, found.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


@pytest.mark.browser
@pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET)
def test_no_address_of_the_server_gives_away_another_visitors_file(
    address: str, browser: Browser, tmp_path: Any  # noqa: F811
) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(people())
    mine, known = Visit(browser, 1440, "light"), list[str]()
    mine.page.on("request", lambda request: known.append(request.url))
    mine.open(f"{address}{PAGE}")
    drop(mine, file)
    assert MARK in mine.page.content() or COLUMN in mine.page.content()
    uploads = [url for url in known if "upload_file" in url]
    assert uploads  # where the file went: who knows that may not read it
    digest = mine.page.url.split("own-")[1].split("&")[0]
    tried = [
        *uploads, *(url.rsplit("/", 1)[0] for url in uploads), f"{address}/media",
        f"{address}/media/", f"{address}/media/{digest}.csv", f"{address}/media/mine.csv",
        f"{address}/media/{'0' * 56}.csv", f"{address}/app/static/mine.csv",
        f"{address}/app/static/../mine.csv", f"{address}/component/", f"{address}/_stcore/metrics",
        f"{address}/_stcore/upload_file", f"{address}/_stcore/host-config",
        f"{address}/_stcore/bidi-components/", f"{address}/{digest}", f"{address}/mine.csv",
    ]
    for url in tried:
        status, body = asked(url)
        said = body.decode("latin-1")
        assert MARK not in said and COLUMN not in said, (url, status)
    yours = Visit(browser, 1440, "light")
    yours.page.goto(mine.page.url)
    yours.page.wait_for_selector(".answer", timeout=30_000)
    yours.page.wait_for_timeout(1000)
    assert MARK not in yours.page.content()
    for visit in (mine, yours):
        visit.page.context.close()


# ---------------------------------------------------------------- who has left


class Loop:
    def __init__(self) -> None:
        self.planned: list[tuple[Any, ...]] = []

    def call_later(self, seconds: float, function: Any, *args: Any) -> None:
        self.planned.append((seconds, function, args))


def test_somebody_who_leaves_is_noticed_and_only_then_all_is_looked_through(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, looked = Loop(), list[int]()
    there = [SimpleNamespace(session=SimpleNamespace(id=name)) for name in "ab"]
    runtime: Any = SimpleNamespace(
        _session_mgr=SimpleNamespace(list_sessions=lambda: there),
        _get_async_objs=lambda: SimpleNamespace(eventloop=loop))
    monkeypatch.setattr(leaving, "let_go", lambda: looked.append(len(there)))
    leaving._look(runtime, set())
    leaving._look(*loop.planned[-1][2])
    assert looked == []
    there.pop()
    leaving._look(*loop.planned[-1][2])
    assert looked == [1]
    leaving._look(*loop.planned[-1][2])
    assert looked == [1] and [seconds for seconds, _, _ in loop.planned] == [leaving.EVERY] * 4


@pytest.mark.parametrize(("own_data_open", "file_given"), [
    (False, False), (True, False), (False, True),
])
def test_only_what_is_made_of_bundled_data_alone_is_shared(
    own_data_open: bool, file_given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map of one's own over bundled data is as much the visitor's as data of their own."""
    mine, data = keep.Keep(), load_dataset("ma2019-twin")
    monkeypatch.setattr(progress, "kept", lambda: mine)
    monkeypatch.setattr(progress.own_data, "is_open", lambda _: own_data_open)
    monkeypatch.setattr(progress.uploads, "any_given", lambda: file_given)
    shared = not (own_data_open or file_given)
    assert progress.work(data).keep is (keep.keep_of(data) if shared else mine)
    assert progress.work().keep is mine

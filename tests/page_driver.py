"""How a test opens a page, reads what it says and gives it a file."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from sdc_core.data import Dataset
from sdc_core.questions.question import MOVED, SLOTS
from tests.marks import unmarked

ENTRY = str(Path(__file__).with_name("app_entry.py"))
_ANSWERS = '<h1 class="answer', '<p class="answer'
TWIN = {"data": "ma2019-twin"}

# Which packages bring components is looked up once, as a served app does, and not for every visit:
# reading what is said of all packages takes longer than most pages.
manifest_scanner.scan_component_manifests = functools.cache(
    manifest_scanner.scan_component_manifests)

# what opens on a click and is drawn only then
CLOSED = ("more", "presets", "own-settings", "popover.features",
          *(f"method.{slot}" for slot in SLOTS))


def opened(
    link: dict[str, str] | None = None, page: str | None = None, unfolded: bool = True
) -> AppTest:
    """A page as somebody sees it who has opened all that holds controls, or nothing yet."""
    app = AppTest.from_file(ENTRY, default_timeout=60)
    if unfolded:
        unfold(app)
    if page:
        _switch(app.run(), page)
        if unfolded:  # what the first page did not have was forgotten
            unfold(app)
        app.query_params.clear()  # the link says all there is to say
    for key, value in (link or {}).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def unfold(app: AppTest) -> AppTest:
    """Open all that holds controls; it shows at the next run."""
    for key in CLOSED:
        app.session_state[key] = True
    return app


def followed(app: AppTest) -> AppTest:
    """The page once it was asked to follow a control whose every move takes long."""
    for button in [one for one in app.button if one.key == f"run.{MOVED}"]:
        button.click().run()
    return app


def _switch(app: AppTest, page: str) -> None:
    """To a page's file; a question without one is known to the harness by its address only."""
    if (Path(ENTRY).parent / page).is_file():
        app.switch_page(page)
        return
    app._page_hash = next(
        page_hash for page_hash, known in app._registered_pages.items()
        if known.get("url_pathname") == Path(page).stem
    )


def answer(app: AppTest) -> str:
    """The page's headline and what follows it."""
    bodies = [h.proto.body for h in app.get("html")]
    said = unmarked(" ".join(body for body in bodies if body.startswith(_ANSWERS)))
    return said.replace('</p> <p class="answer-more">', " ")  # before and after the first picture


def said(app: AppTest) -> str:
    """All other text of the page, without Markdown's backslashes."""
    blocks = [*app.markdown, *app.caption, *app.info]
    return unmarked(" ".join(b.value for b in blocks)).replace("\\", "")


def link(app: AppTest) -> dict[str, str]:
    return dict(app.query_params)


def declared(data: Dataset) -> Dataset:
    """The same data with all values that occur declared, as if they had been known beforehand."""
    return data.with_columns(
        data.column(name).redeclared(", ".join(data.coded(name, "observed")[1].values))
        for name in data.features
    )


def uploaded(app: AppTest, content: pd.DataFrame | bytes, name: str = "mine.csv") -> AppTest:
    """The page after somebody has given it a file of their own."""
    if isinstance(content, pd.DataFrame):
        content = content.to_csv(index=False).encode()
    app.file_uploader(key="upload").set_value((name, content, "text/csv")).run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def edit(app: AppTest, cells: dict[str, dict[str, Any]], editor: int = 0) -> AppTest:
    """Type into cells of a table that can be edited: by the first cell of a row, and by column."""
    table = app.data_editor[editor]
    rows = {list(table.value.iloc[:, 0]).index(name): typed for name, typed in cells.items()}
    app.session_state[table.key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app

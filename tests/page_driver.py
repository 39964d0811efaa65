"""How a test opens a page, reads what it says and gives it a file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

ENTRY = str(Path(__file__).with_name("app_entry.py"))
TWIN = {"data": "ma2019-twin"}


def opened(link: dict[str, str] | None = None, page: str | None = None) -> AppTest:
    app = AppTest.from_file(ENTRY, default_timeout=60)
    if page:
        _switch(app.run(), page)
    for key, value in (link or {}).items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [e.value for e in app.exception]
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
    return next(body for body in bodies if 'class="answer"' in body)


def said(app: AppTest) -> str:
    """All other text of the page, without Markdown's backslashes."""
    blocks = [*app.markdown, *app.caption, *app.info]
    return " ".join(b.value for b in blocks).replace("\\", "")


def link(app: AppTest) -> dict[str, str]:
    return dict(app.query_params)


def uploaded(app: AppTest, content: pd.DataFrame | bytes, name: str = "mine.csv") -> AppTest:
    """The page after somebody has given it a file of their own."""
    if isinstance(content, pd.DataFrame):
        content = content.to_csv(index=False).encode()
    app.file_uploader(key="upload").set_value((name, content, "text/csv")).run()
    assert not app.exception, [e.value for e in app.exception]
    return app

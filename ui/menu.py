"""Where the pages are, and how one gets to them from code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

import streamlit as st

from ui.terms import plain

PAGES = Path(__file__).parents[1] / "pages"
Menu = dict[str, list[st.Page]]
_MENU = "menu"


def file_of(address: str) -> Path:
    return PAGES / f"{address}.py"


def menu(make: Callable[[], Menu]) -> Menu:
    """The menu, made once a visit: Streamlit looks for the file of every page that it is given."""
    if _MENU not in st.session_state:
        st.session_state[_MENU] = make()
    found: Menu = st.session_state[_MENU]
    return found


def link_to(address: str, label: str, icon: str) -> None:
    """A link within the visit, to the page as the menu has it: no file has to be looked for."""
    pages = (page for section in st.session_state[_MENU].values() for page in section)
    st.page_link(next(page for page in pages if page.url_path == address), label=plain(label),
                 icon=icon)


def open_link(address: str, link: Mapping[str, str]) -> NoReturn:
    """The page as if somebody had opened a link to it."""
    st.switch_page(file_of(address), query_params=dict(link))

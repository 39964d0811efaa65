"""Where the pages are, and how one gets to them from code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import streamlit as st

PAGES = Path(__file__).parents[1] / "pages"


def file_of(address: str) -> Path:
    return PAGES / f"{address}.py"


def open_link(address: str, link: Mapping[str, str]) -> NoReturn:
    """The page as if somebody had opened a link to it."""
    st.switch_page(file_of(address), query_params=dict(link))

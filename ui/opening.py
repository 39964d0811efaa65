"""Files that are opened: read once each, with a sign that they are being read, and with the reason
said where one cannot be."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from sdc_core.data import Dataset, entry, load_dataset
from sdc_core.engines import source_of
from sdc_core.errors import InputError
from ui import own_data, state
from ui.terms import plain

SERVED = "records"  # the id of what the app was started with
TYPES = ("csv", "tsv", "txt", "tab", "parquet", "xlsx", "xlsm", "sav", "zsav", "dta")


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def _read(dataset_id: str, versions: tuple[tuple[str, int, int], ...]) -> Dataset:
    return load_dataset(dataset_id)


def catalogue_dataset(dataset_id: str) -> Dataset:
    """A data set of the catalogue, read once per file version, for all visitors."""
    return _read(dataset_id, tuple(_version(path) for path in entry(dataset_id).paths()))


def _version(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
        return str(path), found.st_mtime_ns, found.st_size
    except OSError:  # gone a moment ago: reading says so
        return str(path), 0, 0


def served_dataset() -> Dataset | None:
    """Records that the app was started with (SDC_DATA): a path or a pattern, which is never typed
    into a page. They stay where they are and are opened once for all visitors; what is wrong with
    them is said on every page, and other data can be chosen."""
    said = os.environ.get("SDC_DATA", "")
    if not said:
        return None
    try:
        return _served(said, _as_it_is(said))
    except InputError as problem:
        state.add_problem(f"What the app was started with cannot be opened: {problem}")
        return None


@st.cache_data(ttl=10, show_spinner=False)
def _as_it_is(said: str) -> str:
    """Changes when a file does; looked at now and then."""
    return source_of(said).fingerprint


@st.cache_resource(max_entries=1, show_spinner="Opening the records …")
def _served(said: str, as_it_is: str) -> Dataset:
    return load_dataset(said, engine="duckdb")


def own_file() -> None:
    """Where one's own file is dropped."""
    once(
        "upload", "A CSV, Parquet, Excel, SPSS or Stata file", TYPES, own_data.take,
        "Read on this machine only: nothing is sent anywhere, and it is kept in memory only, until "
        "you leave.",
    )


def once(
    key: str, label: str, types: Sequence[str], take: Callable[[bytes, str], None], help: str = ""
) -> None:
    """A place to drop a file. What is dropped is taken once; what is wrong with it stays in sight
    until the next one."""
    seen, wrong = f"{key}-seen", f"{key}-problem"
    file = st.file_uploader(plain(label), type=list(types), key=key,
                            help=plain(help) or None)
    if file is None:
        st.session_state.pop(seen, None)
        st.session_state.pop(wrong, None)
        return
    if st.session_state.get(seen) != file.file_id:
        st.session_state[seen] = file.file_id
        st.session_state.pop(wrong, None)
        try:
            with st.spinner(plain(f"Reading {file.name} …")):
                take(file.getvalue(), file.name)
        except InputError as problem:
            st.session_state[wrong] = str(problem)
        else:
            st.rerun()
    if wrong in st.session_state:
        st.error(plain(st.session_state[wrong]), icon=":material/error:")

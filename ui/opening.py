"""Files that are opened: read once each, with a sign that they are being read, and with the reason
said where one cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from sdc_core.data import Dataset, entry, load_dataset
from sdc_core.errors import InputError
from ui import own_data
from ui.terms import plain

TYPES = ("csv", "tsv", "txt", "tab", "parquet", "xlsx", "xlsm", "sav", "zsav", "dta")


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def _read(dataset_id: str, path: str, changed: float) -> Dataset:
    return load_dataset(dataset_id)


def catalogue_dataset(dataset_id: str) -> Dataset:
    """A data set of the catalogue, read once per file version, for all visitors."""
    path = entry(dataset_id).path()
    return _read(dataset_id, str(path), path.stat().st_mtime if path else 0.0)


def own_file() -> None:
    """Where one's own file is dropped."""
    once(
        "upload", "A CSV, Parquet, Excel, SPSS or Stata file", TYPES, own_data.take,
        "Read on this machine only: nothing is sent anywhere, and it is kept in memory only, until "
        "the app stops.",
    )


def once(
    key: str, label: str, types: Sequence[str], take: Callable[[bytes, str], None], help: str = ""
) -> None:
    """A place to drop a file. What is dropped is taken once; what is wrong with it stays in sight
    until the next one."""
    seen, wrong = f"{key}-seen", f"{key}-problem"
    file = st.file_uploader(label, type=list(types), key=key, help=help or None)
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

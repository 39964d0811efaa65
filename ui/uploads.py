"""Files that a reader gives: read once, with the reason said where one cannot be read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.parameters import File
from ui import state
from ui.terms import plain


def given(param: File) -> Any:
    """What the file that was given last holds; None without one, or with one that cannot be read.
    The widget stands in an expander of its own."""
    with st.expander(plain(param.title), icon=":material/upload_file:"):
        file = st.file_uploader(plain(param.note), key=f"upload.{param.name}",
                                type=list(param.types), help=plain(param.help))
        if file is None:  # never given, or taken away again
            st.session_state.pop(_key(param), None)
            return None
        _, content, problem = _read(param, file)
        if problem:
            st.error(plain(problem), icon=":material/error:")
    return content


def _key(param: File) -> str:
    return f"uploaded.{param.name}"


def _read(param: File, file: Any) -> tuple[str, Any, str]:
    """The file's id, what was read, and what was wrong; kept, since pages run again and again.
    A file that cannot be read leaves the one before it in place."""
    key = _key(param)
    before: tuple[str, Any, str] = st.session_state.get(key, ("", None, ""))
    if before[0] != file.file_id:
        try:
            before = (file.file_id, param.read(file.name, file.getvalue()), "")
            for name, text in param.sets.items():
                state.give(name, text)
        except InputError as problem:
            before = (file.file_id, before[1], str(problem))
        st.session_state[key] = before
    return before

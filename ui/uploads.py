"""Files that a reader gives: read once, with the reason said where one cannot be read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.parameters import File
from ui import state
from ui.terms import plain

_GIVEN = "uploaded"
_Read = tuple[str, Any, str]  # a file's id, what was read, and what was wrong


def given(param: File) -> Any:
    """What the file that was given last holds; None without one, or with one that cannot be read.
    The widget stands in an expander of its own."""
    with st.expander(plain(param.title), icon=":material/upload_file:"):
        file = st.file_uploader(plain(param.note), key=f"upload.{param.name}",
                                type=list(param.types), help=plain(param.help))
        if file is None:  # never given, or taken away again
            _all_given().pop(param.name, None)
            return None
        _, content, problem = _read(param, file)
        if problem:
            st.error(plain(problem), icon=":material/error:")
    return content


def any_given() -> bool:
    """Has this visit given a file to any page?"""
    return bool(_all_given())


def _all_given() -> dict[str, _Read]:
    found: dict[str, _Read] = st.session_state.setdefault(_GIVEN, {})
    return found


def _read(param: File, file: Any) -> _Read:
    """Kept, since pages run again and again. A file that cannot be read leaves the one before it in
    place."""
    before = _all_given().get(param.name, ("", None, ""))
    if before[0] != file.file_id:
        try:
            before = (file.file_id, param.read(file.name, file.getvalue()), "")
            for name, text in param.sets.items():
                state.give(name, text)
        except InputError as problem:
            before = (file.file_id, before[1], str(problem))
        _all_given()[param.name] = before
        st.rerun()  # what is made of it is the visit's own, from the first moment on
    return before

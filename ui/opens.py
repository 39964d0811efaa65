"""What opens on a click. Its content is drawn once it is open, so that what is closed costs nothing
when a slider moves; the values of controls in it are settled all the same (`ui/state.py`)."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from ui import state
from ui.terms import plain


def popover(label: str, key: str, icon: str, **look: Any) -> PopoverContainer:
    """A popover that says whether it is `open`.

    To Streamlit it is another one, a closed one, as soon as its label or its sign changes, as they
    do when a method is exchanged in it: it stays as it was.
    """
    if state.says_otherwise(key, label, icon):
        st.session_state[key] = bool(st.session_state.get(key))
    return st.popover(plain(label), key=key, icon=icon, on_change=state.touched, **look)

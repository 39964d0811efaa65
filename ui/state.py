"""The URL is the state: every control has a name there, and opening the link elsewhere shows the
same numbers.

Streamlit can bind a widget to the URL by itself, but it then writes the widget's label instead of
its value, leaves defaults out (so a link would mean one thing where the real data is installed and
another where it is not), and drops a value it does not like without a word. So the few lines here
do it: the state is a dictionary of texts that outlives page changes, widgets are filled from it,
and it is written to the URL in full at the end of every run. A control is a `Param`: its
declaration says how a text is read, what becomes of it when options change, and what to draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from sdc_core.parameters import Param
from ui import widgets

_STORE = "url-state"
_IN_URL = "url-in-url"
_USED = "url-used"
_LAST = "url-last"
_PAGE = "url-page"
_PROBLEMS = "url-problems"
_PREFIX = "url."


def begin(page: str) -> None:
    """Take over what the URL says, if it is not what it said last."""
    in_url = st.query_params.to_dict()
    memory = st.session_state
    if _STORE not in memory:
        memory.update({_STORE: {}, _PROBLEMS: [], _USED: {}, _IN_URL: None, _PAGE: ""})
    memory[_PROBLEMS] = []  # said once: whoever moves a control has read it
    if in_url and in_url != memory[_IN_URL]:
        memory[_STORE].update(in_url)
        _forget_widgets()
    if memory[_PAGE] != page:
        _forget_widgets()  # a widget of another page is another widget, even under the same name
    memory[_IN_URL] = in_url
    memory[_LAST] = memory[_USED] if memory[_PAGE] == page else None
    memory[_PAGE] = page
    memory[_USED] = {}


def finish() -> None:
    """Write the controls that were on screen into the URL, if one of them or the page has changed.

    Otherwise the URL is left alone, above all when the Back button led to an older one: writing
    again would make a step forward of every step back.
    """
    used = dict(st.session_state[_USED])
    st.session_state[_STORE].update(used)
    if used not in (st.session_state[_LAST], st.query_params.to_dict()):
        st.query_params.from_dict(used)
        st.session_state[_IN_URL] = used


def reset(kept: Iterable[str]) -> None:
    """This page's controls back to their defaults, but for those that are kept (a button's
    callback); other pages stay as they are."""
    used, store = st.session_state[_USED], st.session_state[_STORE]
    st.session_state[_STORE] = {k: v for k, v in store.items() if k not in used or k in kept}
    st.session_state[_PROBLEMS] = []
    _forget_widgets()


def put(name: str, text: str) -> None:
    """Set a control from a callback, as if the user had."""
    st.session_state[_STORE][name] = text
    st.session_state.pop(_PREFIX + name, None)


def add_problem(sentence: str) -> None:
    st.session_state[_PROBLEMS].append(sentence)


def problems() -> list[str]:
    """What was wrong with the link that was opened, a sentence each."""
    return list(st.session_state.get(_PROBLEMS, []))


def full_link() -> str:
    """The address of what is on screen, with nothing left to defaults."""
    base = str(st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(st.session_state[_USED])}"


def _forget_widgets() -> None:
    for key in [k for k in st.session_state if str(k).startswith(_PREFIX)]:
        del st.session_state[key]


def settled(name: str, param: Param) -> Any:
    """The value of the control of this name: what its widget holds, else what the link says, else
    the default. The widget can be drawn later, or not at all."""
    memory, key = st.session_state, _PREFIX + name
    value = param.carried_over(memory[key]) if key in memory else _from_link(name, param)
    held = list(value) if isinstance(value, tuple) else value
    if key not in memory or memory[key] != held:  # else the widget would be set back while it moves
        memory[key] = held
    memory[_USED][name] = param.text(value)
    return value


def _from_link(name: str, param: Param) -> Any:
    text = st.session_state[_STORE].get(name)
    if text is None:
        return param.default
    value, problems = param.salvage(text)
    if problems and name in st.query_params:
        for problem in problems:
            add_problem(f"In the link, {name} {problem.removeprefix(f'{param.name} ')}")
    elif problems:  # chosen on another page of this visit, for other data: it starts anew
        value = value or param.default
    return value


def draw(name: str, param: Param) -> None:
    """The widget of a control that is settled."""
    key = _PREFIX + name
    widgets.draw(param, key, st.session_state[key])


def control(name: str, param: Param) -> Any:
    """The value of a control, and its widget drawn here."""
    value = settled(name, param)
    draw(name, param)
    return value

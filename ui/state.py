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

import functools
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from sdc_core.parameters import Param
from ui import widgets

Link = dict[str, str]
UpToDate = tuple[Link, list[str]]

_STORE = "url-state"
_IN_URL = "url-in-url"
_USED = "url-used"
_LAST = "url-last"
_ASKED = "url-asked"  # names in the link that was opened: what is wrong with them is said
_PAGE = "url-page"
_TOUCHED = "url-touched"  # was this run started by a control?
_OVERWRITTEN = "url-overwritten"  # URLs that a browser may not yet know to be old ones
_PROBLEMS = "url-problems"
_HELD = "url-held"  # the values of this page's controls, drawn or not
_PREFIX = "url."


def begin(page: str, up_to_date: Callable[[Link], UpToDate] = lambda link: (link, [])) -> None:
    """Take over what the URL says, if it is not what it said last. `up_to_date` gives what an older
    link means today, and sentences on what it cannot say any more."""
    in_url = st.query_params.to_dict()
    memory = st.session_state
    if _STORE not in memory:
        memory.update({
            _STORE: {}, _PROBLEMS: [], _USED: {}, _ASKED: set(), _IN_URL: None, _PAGE: "",
            _OVERWRITTEN: [], _HELD: {},
        })
    memory[_PROBLEMS] = []  # said once: whoever moves a control has read it
    # A control that is moved before the browser knows the URL of the move before comes with an old
    # one: that is not somebody who went back.
    late = memory.pop(_TOUCHED, False) and in_url in memory[_OVERWRITTEN]
    if late:
        in_url = memory[_IN_URL]
    else:
        memory[_OVERWRITTEN] = []
    adopted = True  # is what the URL says what is shown?
    if in_url and in_url != memory[_IN_URL]:
        link, changed = up_to_date(in_url)
        adopted = link == in_url
        memory[_STORE].update(link)
        memory[_PROBLEMS] += changed
        memory[_ASKED] = set(link)
        _forget_widgets()
    if memory[_PAGE] != page:
        _forget_widgets()  # a widget of another page is another widget, even under the same name
    memory[_IN_URL] = in_url
    memory[_LAST] = memory[_USED] if memory[_PAGE] == page and adopted else None
    memory[_PAGE] = page
    memory[_USED] = {}


def finish() -> None:
    """Write the controls that were on screen into the URL, if one of them or the page has changed.

    Otherwise the URL is left alone, above all when the Back button led to an older one: writing
    again would make a step forward of every step back.
    """
    used, in_url = dict(st.session_state[_USED]), st.query_params.to_dict()
    st.session_state[_STORE].update(used)
    if used not in (st.session_state[_LAST], in_url):
        st.session_state[_OVERWRITTEN].append(in_url)
        st.query_params.from_dict(used)
        st.session_state[_IN_URL] = used


def touched() -> None:
    """Something was moved, opened or pressed (its callback)."""
    st.session_state[_TOUCHED] = True


def _moved(name: str) -> None:
    """A control was moved (its callback)."""
    touched()
    st.session_state[_HELD][name] = st.session_state[_PREFIX + name]


def reset(kept: Iterable[str]) -> None:
    """This page's controls back to their defaults, but for those that are kept (a button's
    callback); other pages stay as they are."""
    touched()
    used, store = st.session_state[_USED], st.session_state[_STORE]
    st.session_state[_STORE] = {k: v for k, v in store.items() if k not in used or k in kept}
    st.session_state[_PROBLEMS] = []
    _forget_widgets()


def put(name: str, text: str) -> None:
    """Set a control from a callback, as if the user had."""
    touched()
    give(name, text)


def give(name: str, text: str) -> None:
    """Set a control that is not yet on screen."""
    st.session_state[_STORE][name] = text
    st.session_state[_HELD].pop(name, None)


def shown() -> dict[str, str]:
    """The texts of the controls that were on screen last."""
    return dict(st.session_state[_USED])


def note(name: str, text: str) -> None:
    """What is no control, but belongs into the link."""
    st.session_state[_USED][name] = text


def used(name: str) -> str | None:
    """What the link says for a control of this run, or of the last one in a callback."""
    found: str | None = st.session_state.get(_USED, {}).get(name)
    return found


def stored(name: str) -> str | None:
    """What was chosen last for a control, on whichever page."""
    found: str | None = st.session_state.get(_STORE, {}).get(name)
    return found


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
    st.session_state[_HELD] = {}
    for key in [k for k in st.session_state if str(k).startswith(_PREFIX)]:
        del st.session_state[key]


def settled(name: str, param: Param) -> Any:
    """The value of the control of this name: what its widget was moved to, else what the link says,
    else the default. The widget can be drawn later, or not at all: Streamlit forgets what a widget
    holds that is not drawn, so it is held here."""
    memory = st.session_state
    held = memory[_HELD]
    value = param.carried_over(held[name]) if name in held else _from_link(name, param)
    held[name] = list(value) if isinstance(value, tuple) else value
    memory[_USED][name] = param.text(value)
    return value


def _from_link(name: str, param: Param) -> Any:
    text = st.session_state[_STORE].get(name)
    if text is None:
        return param.default
    value, problems = param.salvage(text)
    if problems and name in st.session_state[_ASKED]:
        for problem in problems:
            add_problem(f"In the link, {name} {problem.removeprefix(f'{param.name} ')}")
    elif problems:  # chosen on another page of this visit, for other data: it starts anew
        value = value or param.default
    return value


def draw(name: str, param: Param) -> None:
    """The widget of a control that is settled."""
    memory, key = st.session_state, _PREFIX + name
    held = memory[_HELD][name]
    if key not in memory or memory[key] != held:  # else the widget would be set back while it moves
        memory[key] = held
    widgets.draw(param, key, held, functools.partial(_moved, name))


def control(name: str, param: Param) -> Any:
    """The value of a control, and its widget drawn here."""
    value = settled(name, param)
    draw(name, param)
    return value

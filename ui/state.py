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
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from sdc_core.parameters import Param
from ui import widgets

Link = dict[str, str]
UpToDate = tuple[Link, list[str]]

_STORE = "url-state"
_VISIT = "url-visit"
_PREFIX = "url."
_NOTHING = object()  # equal to no value of a control


@dataclass
class _Visit:
    """What a visit remembers of its controls. It is one entry of Streamlit's memory: a move looks
    at it a hundred times, and Streamlit walks through all its entries for some widgets."""

    store: Link = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    used: Link = field(default_factory=dict)
    last: Link | None = None
    asked: set[str] = field(default_factory=set)  # in the link that was opened: mistakes are said
    in_url: Link | None = None
    page: str = ""
    touched: bool = False  # was this run started by a control?
    overwritten: list[Link] = field(default_factory=list)  # a browser may not yet know them as old
    held: dict[str, Any] = field(default_factory=dict)  # this page's controls, drawn or not
    said: dict[str, tuple[str, str]] = field(default_factory=dict)  # labels and signs of popovers


# A run of a page has a thread of its own, and asks some fifty times.
_OF_THIS_RUN: ContextVar[_Visit | None] = ContextVar("of this run", default=None)


def _visit() -> _Visit:
    return _OF_THIS_RUN.get() or _remembered()


def _remembered() -> _Visit:
    found: _Visit | None = st.session_state.get(_VISIT)
    if found is None:
        st.session_state[_VISIT] = found = _Visit()
        st.session_state[_STORE] = found.store
    return found


def begin(page: str, up_to_date: Callable[[Link], UpToDate] = lambda link: (link, [])) -> None:
    """Take over what the URL says, if it is not what it said last. `up_to_date` gives what an older
    link means today, and sentences on what it cannot say any more."""
    in_url: Link | None = st.query_params.to_dict()
    visit = _remembered()
    _OF_THIS_RUN.set(visit)
    visit.problems = []  # said once: whoever moves a control has read it
    # A control that is moved before the browser knows the URL of the move before comes with an old
    # one: that is not somebody who went back.
    late = visit.touched and in_url in visit.overwritten
    visit.touched = False
    if late:
        in_url = visit.in_url
    else:
        visit.overwritten = []
    # Is what is shown what the URL says? It is empty when the page that one is on is chosen again.
    adopted = bool(in_url)
    if in_url and in_url != visit.in_url:
        link, changed = up_to_date(in_url)
        adopted = link == in_url
        visit.store.update(link)
        visit.problems += changed
        visit.asked = set(link)
        _forget_widgets()
    if visit.page != page:
        _forget_widgets()  # a widget of another page is another widget, even under the same name
    visit.in_url = in_url
    visit.last = visit.used if visit.page == page and adopted else None
    visit.page = page
    visit.used = {}


def finish() -> None:
    """Write the controls that were on screen into the URL, if one of them or the page has changed.

    Otherwise the URL is left alone, above all when the Back button led to an older one: writing
    again would make a step forward of every step back.
    """
    visit = _visit()
    used, in_url = dict(visit.used), st.query_params.to_dict()
    visit.store.update(used)
    if used not in (visit.last, in_url):
        visit.overwritten.append(in_url)
        st.query_params.from_dict(used)
        visit.in_url = used


def touched() -> None:
    """Something was moved, opened or pressed (its callback)."""
    _visit().touched = True


def _moved(name: str) -> None:
    """A control was moved (its callback)."""
    touched()
    if _PREFIX + name in st.session_state:  # else the page is left, and its controls are forgotten
        _visit().held[name] = st.session_state[_PREFIX + name]


def reset(kept: Iterable[str]) -> None:
    """This page's controls back to their defaults, but for those that are kept (a button's
    callback); other pages stay as they are."""
    touched()
    visit = _visit()
    for name in set(visit.used).difference(kept):
        visit.store.pop(name, None)
    visit.problems = []
    _forget_widgets()


def put(name: str, text: str) -> None:
    """Set a control from a callback, as if the user had."""
    touched()
    give(name, text)


def give(name: str, text: str) -> None:
    """Set a control that is not yet on screen."""
    visit = _visit()
    visit.store[name] = text
    visit.held.pop(name, None)


def shown() -> dict[str, str]:
    """The texts of the controls that were on screen last."""
    return dict(_visit().used)


def note(name: str, text: str) -> None:
    """What is no control, but belongs into the link."""
    _visit().used[name] = text


def used(name: str) -> str | None:
    """What the link says for a control of this run, or of the last one in a callback."""
    return _visit().used.get(name)


def stored(name: str) -> str | None:
    """What was chosen last for a control, on whichever page."""
    return _visit().store.get(name)


def add_problem(sentence: str) -> None:
    _visit().problems.append(sentence)


def problems() -> list[str]:
    """What was wrong with the link that was opened, a sentence each."""
    return list(_visit().problems)


def full_link() -> str:
    """The address of what is on screen, with nothing left to defaults."""
    base = str(st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(_visit().used)}"


def says_otherwise(popover: str, label: str, icon: str) -> bool:
    """Does this popover say something else than in the last run? What it says now is noted."""
    said = _visit().said
    before = said.get(popover, (label, icon))
    said[popover] = label, icon
    return before != (label, icon)


def _forget_widgets() -> None:
    _visit().held = {}
    for key in [k for k in st.session_state if str(k).startswith(_PREFIX)]:
        del st.session_state[key]


def settled(name: str, param: Param) -> Any:
    """The value of the control of this name: what its widget was moved to, else what the link says,
    else the default. The widget can be drawn later, or not at all: Streamlit forgets what a widget
    holds that is not drawn, so it is held here."""
    visit = _visit()
    held = visit.held
    value = param.carried_over(held[name]) if name in held else _from_link(name, param, visit)
    held[name] = list(value) if isinstance(value, tuple) else value
    visit.used[name] = param.text(value)
    return value


def _from_link(name: str, param: Param, visit: _Visit) -> Any:
    text = visit.store.get(name)
    if text is None:
        return param.default
    value, problems = param.salvage(text)
    if problems and name in visit.asked:
        for problem in problems:
            add_problem(f"In the link, {name} {problem.removeprefix(f'{param.name} ')}")
    elif problems:  # chosen on another page of this visit, for other data: it starts anew
        value = value or param.default
    return value


def draw(name: str, param: Param) -> None:
    """The widget of a control that is settled."""
    memory, key = st.session_state, _PREFIX + name
    held = _visit().held[name]
    known = memory.get(key, _NOTHING) == held
    if not known:  # else the widget would be set back while it moves
        memory[key] = held
    widgets.draw(param, key, held, functools.partial(_moved, name), known)


def control(name: str, param: Param) -> Any:
    """The value of a control, and its widget drawn here."""
    value = settled(name, param)
    draw(name, param)
    return value

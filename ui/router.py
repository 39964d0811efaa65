"""The router: the menu from the registry of questions, and the shared sidebar around each page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import streamlit as st

from sdc_core.data.readers.apart import still_wanted
from sdc_core.keep import visiting
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.question import Question
from ui import (
    brief,
    chart_ink,
    habits,
    layout,
    leaving,
    old_links,
    own_data,
    page,
    paper,
    progress,
    render,
    sidebar,
    start,
    state,
    teach,
    terms,
    turns,
    words,
)
from ui import menu as places

# in one line: Streamlit looks at each line of a text whenever the page runs
_STYLE = " ".join("".join(
    one.STYLE for one in (render, layout, chart_ink, terms, paper)).split())
_ROUTED = "routed"
_YOURS = "Yours"  # the section of what is not a question


def run() -> None:
    """One run of the app, when its turn has come."""
    still_wanted.set(_still_there)
    with turns.PAGES.turn():
        _run()


def _run() -> None:
    """Menu, sidebar, the page that was asked for."""
    st.set_page_config(
        page_title="Disclosure control and differential privacy", page_icon="⚖️", layout="wide",
    )
    chosen = st.navigation(places.menu(_menu), expanded=True)
    # until the first screen had doors, the root was Compare: links to it still mean that
    old_link = chosen.title == start.TITLE and bool(st.query_params)
    asked = QUESTIONS[0] if old_link else next(
        (one for one in QUESTIONS if one.title == chosen.title), None)
    st.html(_STYLE)
    with st.container(key="scripts"):  # takes no room
        st.html(habits.SCRIPT + terms.SCRIPT + paper.SCRIPT, unsafe_allow_javascript=True)
    state.begin(chosen.url_path, lambda link: _meant(link, asked))
    if asked is not None:
        own_data.tell()
        sidebar.draw(asked)
    st.session_state[_ROUTED] = True
    try:
        with visiting(progress.kept()):
            page.show(asked) if old_link and asked else chosen.run()
    finally:
        st.session_state[_ROUTED] = False
    if asked is not None:
        sidebar.notices()
    state.finish()


def _still_there() -> None:
    """Whoever looks at the state of a visit that is over, or starts anew, is stopped there."""
    st.session_state.get(_ROUTED)


def _menu() -> places.Menu:
    """The first screen, the questions by section, and what is not a question."""
    # the first screen is at the root; it is found under its own name, too
    by_name = st.Page(start.show, title=start.TITLE, url_path=start.ADDRESS, visibility="hidden")
    menu = {"": [_without_question(start, "root", default=True), by_name]}
    for one in QUESTIONS:
        menu.setdefault(one.section, []).append(st.Page(
            _script(one), title=one.title, icon=f":material/{one.icon}:", url_path=one.address,
        ))
    menu.setdefault(_YOURS, []).extend(map(_without_question, (brief, teach, words)))
    return menu


class _Place(Protocol):
    """A page that is not about a question: a module with what the menu says, and what it shows."""

    ADDRESS: str
    TITLE: str
    ICON: str

    def show(self) -> None: ...


def _without_question(place: _Place, path: str = "", default: bool = False) -> st.Page:
    return st.Page(
        places.file_of(place.ADDRESS), title=place.TITLE, icon=f":material/{place.ICON}:",
        url_path=path or place.ADDRESS, default=default,
    )


def _meant(link: state.Link, asked: Question | None) -> state.UpToDate:
    """What a link means today and here; the list of words asks nothing."""
    if asked is None:
        return link, []
    new, changed = old_links.brought_up_to_date(link, asked.old_slots)
    here, problems = own_data.linked(new, asked.address)
    return here, [*(changed if here else []), *problems]


def _script(one: Question) -> Path | Callable[[], None]:
    """The question's file in pages, by which Streamlit finds its address before the router has run;
    a question without one is found as soon as it has."""
    file = places.file_of(one.address)
    return file if file.exists() else lambda: open_page(one.address)


_PLACES: dict[str, _Place] = {one.ADDRESS: one for one in (start, brief, teach, words)}


def open_page(address: str) -> None:
    """What a page's file does. Until the router has run once, Streamlit takes a folder named pages
    for an app of the old kind and runs a page's file by itself: then the router is run from here,
    and comes back for the page."""
    if not st.session_state.get(_ROUTED):
        run()
    elif address in _PLACES:
        _PLACES[address].show()
    else:
        page.show(question(address))


# What is loaded stays until the app ends: to look for garbage in it takes a tenth of a second.
leaving.let_go()
leaving.watch()

"""The router: the menu from the registry of questions, and the shared sidebar around each page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.question import Question
from ui import (
    habits,
    layout,
    old_links,
    own_data,
    page,
    paper,
    render,
    sidebar,
    state,
    terms,
    words,
)
from ui import menu as places

_ROUTED = "routed"


def run() -> None:
    """One run of the app: menu, sidebar, the page that was asked for."""
    st.set_page_config(
        page_title="Disclosure control and differential privacy", page_icon="⚖️", layout="wide",
    )
    menu: dict[str, list[st.Page]] = {}
    first = QUESTIONS[0]
    for one in QUESTIONS:
        menu.setdefault(one.section, []).append(st.Page(
            _script(one), title=one.title, icon=f":material/{one.icon}:",
            url_path="start" if one is first else one.address, default=one is first,
        ))
    # Streamlit serves the first page at the root only; its own address must open it as well
    menu[first.section].append(st.Page(
        lambda: open_page(first.address), title=first.title, url_path=first.address,
        visibility="hidden",
    ))
    menu[words.SECTION] = [st.Page(
        places.file_of(terms.ADDRESS), title=words.TITLE, icon=f":material/{words.ICON}:",
        url_path=terms.ADDRESS,
    )]
    chosen = st.navigation(menu, expanded=True)
    asked = next((one for one in QUESTIONS if one.title == chosen.title), None)
    render.style()
    layout.style()
    with st.container(key="scripts"):  # takes no room
        habits.prepare()
        terms.prepare()
        paper.prepare()
    state.begin(chosen.url_path, lambda link: _meant(link, asked))
    if asked is not None:
        own_data.tell()
        sidebar.draw(asked)
    st.session_state[_ROUTED] = True
    try:
        chosen.run()
    finally:
        st.session_state[_ROUTED] = False
    if asked is not None:
        sidebar.notices()
    state.finish()


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


def open_page(address: str) -> None:
    """What a page's file does. Until the router has run once, Streamlit takes a folder named pages
    for an app of the old kind and runs a page's file by itself: then the router is run from here,
    and comes back for the page."""
    if not st.session_state.get(_ROUTED):
        run()
    elif address == terms.ADDRESS:
        words.show()
    else:
        page.show(question(address))

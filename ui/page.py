"""Any question as a page: its controls, the methods, and its answer."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.errors import InputError
from sdc_core.parameters import File, Param
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import (
    Chosen,
    Control,
    Given,
    Methods,
    Question,
    cannot_answer,
    complete,
    settle,
)
from ui import cards, progress, render, sidebar, state, uploads


class Visit:
    """Where a visit's values come from: widgets, the link, the cards. A control that belongs to a
    panel is settled at once and drawn when the panel is."""

    def __init__(self, question: Question) -> None:
        self.top = st.container()
        before = _rows(question, after_methods=False)
        self._cards = st.container()
        self._places = {**before, **_rows(question, after_methods=True)}
        self.waiting = st.container()
        self.body = st.container()
        self._files = st.container()
        self._at_panels: dict[str, tuple[Control, Param]] = {}

    def value(self, control: Control, param: Param) -> Any:
        if isinstance(param, File):
            with self._files:
                return uploads.given(param)
        if control.at_panel:
            self._at_panels[param.name] = control, param
            return state.settled(param.name, param)
        with self._places[control].container(width=control.width):
            return state.control(param.name, param)

    def methods(self, suggested: Methods, given: Given, question: Question) -> list[Chosen]:
        if not suggested:
            return []
        with self._cards:
            return cards.draw(suggested, given.table, lambda m: question.guarantee(given, m))

    def settled(self) -> None:
        return None

    def draw_control(self, name: str) -> None:
        if name in self._at_panels:
            control, param = self._at_panels[name]
            with st.container(width=control.width):
                state.draw(name, param)


def _rows(question: Question, after_methods: bool) -> dict[Control, DeltaGenerator]:
    """A place for each control, those of one row side by side."""
    rows: dict[int, DeltaGenerator] = {}
    places = {}
    for control in question.controls:
        if control.after_methods == after_methods and not control.at_panel:
            if control.row not in rows:
                rows[control.row] = st.container(horizontal=True, vertical_alignment="bottom")
            places[control] = rows[control.row]
    return places


def show(question: Question) -> None:
    """The whole page."""
    visit = Visit(question)
    given = Given(sidebar.study(), progress.work(), st.context.theme.type == "dark")
    found = _answered(question, given, visit)
    if given.work.started:
        st.rerun()  # what was asked for is kept: the page is drawn as if it had always been there
    with visit.waiting:
        progress.run_buttons(found.waiting)
    with visit.top:
        render.headline(found)
    with visit.body:
        render.notices(found.notices)
        render.panels(found.panels, visit.draw_control)
    with st.expander(question.method_title):
        st.markdown(f"{question.method}\n\nSources: {'; '.join(question.sources)}.")
    sidebar.footer(found.code)


def _answered(question: Question, given: Given, visit: Visit) -> Answer:
    try:
        settle(question, given, visit)
        with visit.waiting:
            return complete(question, given)
    except InputError as problem:
        return cannot_answer(problem)

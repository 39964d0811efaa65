"""Any question as a page: its controls, the methods, and its answer."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

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
from ui import (
    ledger,
    method_bar,
    opens,
    paper,
    progress,
    render,
    sidebar,
    state,
    uploads,
    your_data,
)
from ui.terms import fixed, plain


class Visit:
    """Where a visit's values come from: widgets, the link, the method bar. A control that
    belongs to a panel is settled at once and drawn when the panel is."""

    def __init__(self, question: Question) -> None:
        self.top = st.container(gap=None, key="answer")
        with st.container(key="frame", gap=None):
            self._list = st.container(gap=None)
            bar = st.container(horizontal=True, gap="small", key="method-bar")
            self._slots = bar.container(horizontal=True, gap="small", key="slots")
            self._aside = bar.container(width="content", gap=None, key="aside")
        self.in_sight = st.container(
            horizontal=True, vertical_alignment="bottom", gap="small", key="own-controls"
        )
        self._settings = _settings(question, self._aside)
        self.problems = st.container()
        self.progress = st.container(key="progress")
        self.body = st.container()
        self._at_panels: dict[str, tuple[Control, Param]] = {}

    def value(self, control: Control, param: Param) -> Any:
        if isinstance(param, File):
            return uploads.given(param)  # below the body, which is there by now
        if control.at_panel:
            self._at_panels[param.name] = control, param
            return state.settled(param.name, param)
        place = self.in_sight if control.prominent else self._settings or self.in_sight
        if place is self._settings and not self._settings.open:
            return state.settled(param.name, param)
        with place.container(width=control.width if control.prominent else "stretch"):
            return state.control(param.name, param)

    def methods(self, suggested: Methods, given: Given, question: Question) -> list[Chosen]:
        if not suggested:
            return []
        with self._slots:
            by_slot = method_bar.draw(
                suggested, given, lambda m: question.guarantee(given, m), self.problems)
        chosen = list(by_slot.values())
        given.chosen, given.in_slots = tuple(chosen), tuple(by_slot)
        with self._list:
            method_bar.listed_for_phones(chosen)
        with self._aside:
            method_bar.draw_presets(question.presets(given), given, tuple(suggested))
        return chosen

    def settled(self) -> None:
        return None

    def draw_control(self, name: str) -> None:
        if name in self._at_panels:
            control, param = self._at_panels[name]
            with st.container(width=control.width):
                state.draw(name, param)


def _settings(question: Question, place: DeltaGenerator) -> PopoverContainer | None:
    """Where controls open that are not in sight at once; nothing if there are none."""
    folded = [c for c in question.controls if not (c.prominent or c.at_panel)]
    if not folded:
        return None
    with place:
        return opens.popover("Settings", "own-settings", ":material/tune:", type="tertiary")


def show(question: Question) -> None:
    """The whole page."""
    visit = Visit(question)
    study = sidebar.study()
    given = Given(study, progress.work(study.dataset), st.context.theme.type == "dark")
    found = _answered(question, given, visit)
    ledger.note(given)
    if given.work.started:
        st.rerun()  # what was asked for is kept: the page is drawn as if it had always been there
    on_white = functools.partial(_on_white, question, given, found)
    with visit.top:
        render.stamp(found, on_white)
        render.headline(found)
    with visit.problems:
        render.notices([one for one in found.notices if one.tone == "error"])
    with visit.in_sight:
        progress.run_buttons([job for job in found.waiting if job.at_controls])
    with visit.body:
        around = render.Around(
            visit.draw_control, your_data.EDITORS,
            on_white=on_white, answer=found,
        )
        render.panels(found.panels, around, lambda: _rest(found))
    with st.expander(plain(question.method_title)):
        st.markdown(fixed(f"{question.method}\n\nSources: {'; '.join(question.sources)}."))
        render.see(question.see)
    paper.about(found, question.sources)
    sidebar.actions(found, given)


def _rest(found: Answer) -> None:
    """What is read once the first picture has been seen: nothing of it may push that down."""
    render.more(found.further)
    render.see(found.see)
    progress.run_buttons([
        job for job in found.waiting if not (job.at_controls or job.panel)])
    render.notices([one for one in found.notices if one.tone != "error"])


def _on_white(question: Question, given: Given, found: Answer) -> Answer:
    """The answer for a picture: a page may be dark, a picture is not."""
    if not given.dark:
        return found
    return complete(question, dataclasses.replace(given, dark=False))


def _answered(question: Question, given: Given, visit: Visit) -> Answer:
    try:
        settle(question, given, visit)
        with visit.progress, progress.place(given.work):
            return complete(question, given)
    except InputError as problem:
        return cannot_answer(problem)

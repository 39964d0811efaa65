"""Lessons on the wall and on laptops: one step at a time, the answer on demand.

Where one is (lesson, step, what is revealed, seed, ε, presenting) is the link, so a lesson can be
sent to a class; arrow keys, and the clickers that send them, go from step to step.
"""

from __future__ import annotations

import dataclasses
import html

import streamlit as st

from sdc_core.data import Dataset, default_id
from sdc_core.errors import InputError
from sdc_core.lessons import LESSONS, Lesson, Scene, Shown, Step, filled, lesson
from sdc_core.lessons.sheet import as_html
from sdc_core.parameters import Choice, Flag, Integer, Real
from sdc_core.questions.study import SEED, next_seed
from sdc_core.report.pictures import can_draw, printed
from ui import opening, progress, render, state, terms
from ui.terms import plain

ADDRESS, TITLE, ICON = "teach", "Teach", "school"
_NONE = "none"
_LESSON = Choice(name="lesson", title="Lesson", default=_NONE,
                 choices=(_NONE, *(one.name for one in LESSONS)))
_SHOW = Flag(name="answer", title="Answer", default=False)
_PRESENT = Flag(name="present", title="For the projector", default=False)
_SEED = dataclasses.replace(SEED, name="lesson_seed", title="Roll")
_EPSILON = Real(name="lesson_epsilon", title="Privacy loss", symbol="ε", default=1.0, low=0.0,
                high=100.0, closed="right", slider=(0.05, 20.0), log=True)

_STYLE = """<style>
.step { min-height: 10rem; }  /* buttons stay where they are from step to step */
.step-says { font-size: 1.15rem; line-height: 1.5; max-width: 48em; margin: 0 0 .5rem; }
.step-asks { font-size: 1.25rem; line-height: 1.4; font-weight: 600; max-width: 44em; margin: 0; }
.step-answer { font-size: 1.15rem; line-height: 1.5; max-width: 48em; margin: 0;
  border-left: 4px solid #1F6AA5; padding-left: .8rem; }
</style>"""
_PROJECTOR = """<style>
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stExpandSidebarButton"], header { display: none !important; }
[data-testid="stMainBlockContainer"] { max-width: 1700px; font-size: 1.2rem; }
.answer { font-size: 2.3rem; } .step-says, .step-answer { font-size: 1.6rem; }
.step { min-height: 12.5rem; } .step-asks { font-size: 1.8rem; }
table.seven { font-size: 1.5rem !important; } img.dots { width: 100% !important; max-height: 40vh; }
</style>"""
# Arrow keys and page keys press the buttons; not while somebody types, and Enter not while it is
# on a button that somebody went to by keyboard. Escape leaves the projector, then the lesson. A key
# that comes while a step is being drawn, when its button may still be the one of the step before,
# waits for it.
_KEYS = """<script>
if (!window.lessonKeys) {
  window.lessonKeys = true;
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, [role=slider], [contenteditable]")) return;
    if (event.key === "Enter" && event.target.closest(":is(a, button, summary):focus-visible"))
      return;
    const leave = document.querySelector(".step.projected") ? "present" : "leave";
    const name = {ArrowRight: "next", PageDown: "next", ArrowLeft: "back", PageUp: "back",
      Enter: "reveal", Escape: leave}[event.key];
    if (!name || !document.querySelector(".st-key-lesson-leave")) return;
    event.preventDefault();
    const press = (tries) => {
      const button = document.querySelector(`.st-key-lesson-${name} button`);
      const drawing = document.querySelector('[data-test-script-state="running"]');
      if (button && !button.disabled && !drawing) button.click();
      else if (tries > 0 && (drawing || !button)) setTimeout(() => press(tries - 1), 50);
    };
    press(100);
  });
}
</script>"""


def show() -> None:
    chosen = state.settled(_LESSON.name, _LESSON)
    if chosen == _NONE:
        _overview()
    else:
        _run(lesson(chosen))


def _overview() -> None:
    st.html('<h1 class="answer">Four lessons of about 45 minutes</h1><p class="answer-more">Each '
            "step shows something, asks the class, and reveals the answer when you are ready. "
            "Every number is computed on the spot.</p>")
    places = [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]
    for number, (place, one) in enumerate(zip(places, LESSONS, strict=True), start=1):
        with place.container(border=True, height="stretch"):
            st.markdown(f"## {plain(f'{number}. {one.title}')}", anchors=False)
            st.markdown(plain(one.goal))
            st.caption(plain(f"{len(one.steps)} steps, about {one.minutes} minutes: "
                             + " · ".join(step.title for step in one.steps)))
            st.button("Start", key=f"lesson.{one.name}", type="primary", on_click=_go,
                      args=(one.name, 1), icon=":material/play_arrow:")


def _go(name: str, step: int, reveal: bool = False) -> None:
    state.put(_LESSON.name, name)
    state.put("step", str(step))
    state.put(_SHOW.name, _SHOW.text(reveal))


def _run(one: Lesson) -> None:
    steps = Integer(name="step", title="Step", default=1, low=1, high=len(one.steps))
    number: int = state.settled(steps.name, steps)
    reveal, present = state.settled(_SHOW.name, _SHOW), state.settled(_PRESENT.name, _PRESENT)
    step = one.steps[number - 1]
    st.html(_STYLE + (_PROJECTOR if present else ""))
    st.html(_KEYS, unsafe_allow_javascript=True)
    seed, epsilon = state.settled(_SEED.name, _SEED), state.settled(_EPSILON.name, _EPSILON)
    dark = st.context.theme.type == "dark"
    try:
        dataset = _dataset()
        scene = Scene(dataset, seed, epsilon, progress.work(dataset), dark)
    except InputError as problem:  # a file that cannot be read
        st.error(plain(str(problem)), icon=":material/error:")
        _end()
        return
    terms.begin()
    top = st.container()
    _controls(one, number, step, scene, reveal)
    try:
        with st.container(key="progress"):
            shown: Shown | None = step.show(scene)
    except InputError as problem:  # other steps may still be shown
        shown = None
        st.error(plain(str(problem)), icon=":material/error:")
    with top:
        _told(one, number, shown, present)
    if shown is not None:
        _stage(step, shown, reveal)
    _around(one, scene, present)


def _told(one: Lesson, number: int, shown: Shown | None, present: bool) -> None:
    """Where we are, what is told and what is asked."""
    step = one.steps[number - 1]
    said = "" if shown is None else (
        f'<p class="step-says">{terms.in_html(filled(step.says, shown.facts))}</p>'
        f'<p class="step-asks">{terms.in_html(filled(step.asks, shown.facts))}</p>')
    st.html(f'<div class="step{" projected" * present}"><p class="stamp">{html.escape(one.title)} '
            f"· step {number} of {len(one.steps)} · about {step.minutes} minutes</p>"
            f'<h1 class="answer">{html.escape(step.title)}</h1>{said}</div>')


def _controls(one: Lesson, number: int, step: Step, scene: Scene, reveal: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _press("back", "Back", "arrow_back", number == 1, one.name, number - 1)
        _press("reveal", "Hide the answer" if reveal else "Show the answer",
               "visibility_off" if reveal else "visibility", False, one.name, number, not reveal)
        _press("next", "Next", "arrow_forward", number == len(one.steps), one.name, number + 1)
        if step.rolls:
            st.button("Roll again", key="lesson-roll", icon=":material/casino:",
                      on_click=_roll, args=(scene.seed,), disabled=not reveal,
                      help="Chance decides anew, and another table comes out.")
        if step.tunes:
            with st.container(width=320):
                state.draw(_EPSILON.name, _EPSILON)


def _press(key: str, label: str, icon: str, disabled: bool, name: str, step: int,
           reveal: bool = False) -> None:
    st.button(plain(label), key=f"lesson-{key}", icon=f":material/{icon}:", disabled=disabled,
              on_click=_go, args=(name, step, reveal),
              type="primary" if key == "reveal" else "secondary")


def _roll(seed: int) -> None:
    state.put(_SEED.name, _SEED.text(next_seed(seed)))


def _stage(step: Step, shown: Shown, reveal: bool) -> None:
    if reveal:
        said = terms.in_html(filled(step.answer, shown.facts))
        st.html(f'<p class="step-answer">{said}</p>')
    panels = [shown.after, shown.beside] if reveal else [shown.before]
    seen = [panel for panel in panels if panel is not None]
    for place, panel in zip(st.columns(max(len(seen), 1)), seen, strict=False):
        with place:
            if panel.title:
                st.markdown(f"## {plain(panel.title)}", anchors=False)
            render.drawing(panel, f"lesson.{panel.name}")
            if panel.caption:
                st.caption(terms.in_markdown(panel.caption))
    if reveal and shown.see is not None:
        render.see([shown.see])


def _around(one: Lesson, scene: Scene, present: bool) -> None:
    with st.container(horizontal=True, gap="small"):
        _end()
        st.button("Back to the desk" if present else "For the projector", key="lesson-present",
                  on_click=state.put, args=(_PRESENT.name, _PRESENT.text(not present)),
                  type="tertiary", icon=":material/present_to_all:")
        if not present:  # the class need not see the key
            for key, label in ((False, "Exercise sheet"), (True, "Key")):
                _sheet(one, scene, key, label)


def _end() -> None:
    st.button("End the lesson", key="lesson-leave", on_click=_leave, type="tertiary",
              icon=":material/close:")


def _leave() -> None:
    _go(_NONE, 1)
    state.put(_PRESENT.name, _PRESENT.text(False))


def _sheet(one: Lesson, scene: Scene, key: bool, label: str) -> None:
    """As a PDF where this machine has a browser that prints, else as a page to be printed."""
    as_pdf = can_draw()
    name = f"{one.name}-{'key' if key else 'sheet'}{'.pdf' if as_pdf else '.html'}"

    def make() -> bytes:
        page = as_html(one, dataclasses.replace(scene, dark=False), key)
        return printed(page) if as_pdf else page.encode()

    st.download_button(
        plain(label), data=make, file_name=name, key=f"sheet.{label}", on_click="ignore",
        mime="application/pdf" if as_pdf else "text/html", icon=":material/download:",
        type="tertiary")


def _dataset() -> Dataset:
    chosen = state.stored("data")
    known = chosen if chosen and not chosen.startswith("own") else default_id("ma2019")
    return opening.catalogue_dataset(known)


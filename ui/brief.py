"""The page on which pinned answers become a brief: order, words, and files to take away.

Nothing is computed here: the document comes from `sdc_core/report/brief.py`, and what is shown is
what every export says.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from sdc_core.data import Dataset, default_id
from sdc_core.errors import InputError
from sdc_core.questions import Study, ask, question
from sdc_core.questions.answer import Answer
from sdc_core.report.brief import Document, Item, answers_of, compose, suggested
from sdc_core.report.brief_file import MOST_BYTES, MOST_TEXT, TEXTS, Brief
from sdc_core.report.briefs import FORMS, Form
from sdc_core.report.picture import together
from ui import opening, own_data, pins, progress, render, state
from ui.pins import Pinned
from ui.terms import plain

ADDRESS, TITLE, ICON = "brief", "Brief", "description"
USUAL = ("compare", "map")  # what a brief starts with
_TEXTS = "brief-texts"
_FILES = "brief-files"
_LABELS = {
    "title": "Title", "asked": "The question it answers", "hurt": "Who is hurt",
    "promised": "What is promised", "limits": "What this cannot say",
    "recommendation": "Your recommendation",
}
_PARAGRAPHS = "\n\n"  # between paragraphs, as everywhere where somebody writes


def show() -> None:
    """The whole page."""
    pinned = pins.all_pins()
    try:
        with st.container(key="progress"):
            document, shown = _document(pinned)
    except InputError as problem:
        st.html('<h1 class="answer">As it is, this brief cannot be made.</h1>')
        st.error(plain(str(problem)), icon=":material/error:")
        _remove_all(pinned)
        _open_saved()
        return
    number, data = len(document.items), "; ".join(document.stamps)
    with st.container(key="about-brief"):
        st.html(
            f'<h1 class="answer">A brief of {number} answer{"s" * (number != 1)}, ready to hand '
            f'out</h1><p class="answer-more">{html.escape(data)}. '
            + ("Suggested answers, with the usual methods; what you pin on any page takes their "
               "place." if not pinned else "Order and words are yours; numbers are the answers’ "
               "own.") + "</p>"
        )
        _take_away(document)
    edit, preview = st.columns([2, 3], gap="medium")
    with edit, st.container(key="edit-brief"):
        _edit(document, shown)
    with preview:
        _preview(document)


def _document(pinned: Sequence[Pinned]) -> tuple[Document, list[Pinned]]:
    """The document, and the pins that it shows: the reader's own, or those that are suggested."""
    work = progress.work()
    texts = st.session_state.setdefault(_TEXTS, {})
    if not pinned:
        study = Study(_dataset())
        asked = [question(address) for address in USUAL]
        found = [ask(one.address, study, work=work) for one in asked]
        start = suggested(asked, found)
        brief = Brief(texts.get("title", ""), texts.get("asked") or start.asked, start.pins,
                      {name: texts.get(name, "") for name in TEXTS})
        return compose(brief, found, work), [
            Pinned(pin, answer) for pin, answer in zip(start.pins, found, strict=True)]
    brief = Brief(texts.get("title", ""), texts.get("asked", ""),
                  tuple(one.pin for one in pinned), {name: texts.get(name, "") for name in TEXTS})
    missing = [one for one in pinned if one.answer is None]
    if missing:
        again = iter(_asked_again(Brief(pins=tuple(one.pin for one in missing))))
        pins.put([one if one.answer else Pinned(one.pin, next(again)) for one in pinned])
    answers: list[Answer] = [one.answer for one in pins.all_pins() if one.answer is not None]
    return compose(brief, answers, work), pins.all_pins()


def _asked_again(brief: Brief, dark: bool = False) -> list[Answer]:
    own = own_data.current()
    return answers_of(brief, own.dataset if own else None, progress.work(), dark)


def _dataset() -> Dataset:
    own = own_data.current()
    chosen = state.stored("data")
    if own and chosen == own.id:
        return own.dataset
    return opening.catalogue_dataset(chosen if chosen and not chosen.startswith(own_data.OWN)
                                     else default_id(question(USUAL[0]).data))


def _take_away(document: Document) -> None:
    """Files. Those that a browser has to draw are made on request, and then offered."""
    ready: dict[str, bytes] = st.session_state.setdefault(_FILES, {})
    key = document.brief.to_json()
    if ready.get("of") != key.encode():
        ready.clear()
        ready["of"] = key.encode()
    with st.container(horizontal=True, gap="small", key="take-away"):
        for form in FORMS:
            content = ready.get(form.ending)
            if not form.drawn or content is not None:
                st.download_button(
                    plain(form.title), data=content if content is not None else form.make(document),
                    file_name=f"brief{form.ending}", mime=form.mime, on_click="ignore",
                    key=f"brief.{form.ending}", icon=":material/download:",
                    type="primary" if form is FORMS[0] else "secondary",
                )
            elif st.button(plain(f"Make {form.title}"), key=f"make.{form.ending}",
                           icon=":material/draw:"):
                _make(form, document, ready)
    st.caption("The web page needs no network, prints on one or two sheets of A4, and opens here "
               "again with everything in it.")


def _make(form: Form, document: Document, ready: dict[str, bytes]) -> None:
    try:
        with st.spinner(plain(f"Drawing the charts for {form.title} …")):
            ready[form.ending] = form.make(document)
    except InputError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    st.rerun()


def _edit(document: Document, shown: list[Pinned]) -> None:
    texts = st.session_state[_TEXTS]
    for name in ("title", "asked"):
        st.text_input(
            plain(_LABELS[name]), texts.get(name, ""), key=f"brief.{name}", max_chars=300,
            placeholder=getattr(document, name), on_change=_typed, args=(name, f"brief.{name}", ""))
    for place, item in enumerate(document.items):
        with st.container(border=True, key=f"pinned.{place}", gap="xsmall"):
            st.markdown(f"**{plain(f'{place + 1}. {item.title}')}**")
            _edit_pin(place, item, shown)
    for name in TEXTS:
        section = next((s for s in document.sections if s.name == name), None)
        _area(_LABELS[name], f"brief.{name}", texts.get(name, ""),
              _PARAGRAPHS.join(section.computed) if section else "", _typed, name)
    _open_saved()


def _area(
    label: str, name: str, own: str, computed: str, take: Callable[..., None], *first: Any
) -> None:
    """What is computed, to be changed in place; whoever leaves nothing of it gets it back. A text
    that is computed anew has a box of its own."""
    key = f"{name}.{hashlib.sha256(computed.encode()).hexdigest()[:12]}"
    st.text_area(plain(label), own or computed, key=key, height="content", max_chars=MOST_TEXT,
                 placeholder=computed or "Left blank for you.", on_change=take,
                 args=(*first, key, computed))


def _words(key: str, computed: str) -> str:
    """What somebody wrote, unless it is what is computed anyway."""
    text: str = st.session_state[key]
    return "" if text.strip() == computed.strip() else text


def _typed(name: str, key: str, computed: str) -> None:
    """Before the page is drawn again, so that it shows what was typed."""
    st.session_state[_TEXTS][name] = _words(key, computed)


def _reworded(shown: list[Pinned], place: int, key: str, computed: str) -> None:
    pins.adopt(shown)
    pins.reword(place, _words(key, computed))


def _moved(shown: list[Pinned], place: int, step: int) -> None:
    pins.adopt(shown)
    pins.move(place, step)


def _removed(shown: list[Pinned], place: int) -> None:
    pins.adopt(shown)
    pins.remove(place)


def _edit_pin(place: int, item: Item, shown: list[Pinned]) -> None:
    _area("In your words", f"words.{place}.{item.title}", shown[place].pin.words,
          _PARAGRAPHS.join(item.computed), _reworded, shown, place)
    with st.container(horizontal=True, gap="small"):
        st.button("Up", key=f"up.{place}", on_click=_moved, args=(shown, place, -1),
                  icon=":material/arrow_upward:", type="tertiary", disabled=place == 0)
        st.button("Down", key=f"down.{place}", on_click=_moved, args=(shown, place, 1),
                  icon=":material/arrow_downward:", type="tertiary",
                  disabled=place == len(shown) - 1)
        st.button("Remove", key=f"remove.{place}", on_click=_removed, args=(shown, place),
                  icon=":material/close:", type="tertiary")


def _remove_all(pinned: Sequence[Pinned]) -> None:
    """A brief that cannot be made is no trap."""
    if pinned:
        st.button("Start anew", key="brief-anew", on_click=pins.put, args=([],),
                  icon=":material/restart_alt:")


def _open_saved() -> None:
    with st.expander("Open a brief", icon=":material/folder_open:", type="compact"):
        opening.once("upload.brief", "A brief that was saved: its web page or its file",
                     ["html", "json"], _take)


def _take(content: bytes, name: str) -> None:
    if len(content) > MOST_BYTES:
        raise InputError(f"{name} is too large for a brief.")
    try:
        brief = Brief.from_text(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not a text file. Open a brief that was saved here.") from None
    pins.put([Pinned(pin, None) for pin in brief.pins])
    st.session_state[_TEXTS] = {"title": brief.title, "asked": brief.asked, **brief.texts}
    for key in [k for k in st.session_state if str(k).startswith(("brief.", "words."))]:
        del st.session_state[key]


def _preview(document: Document) -> None:
    """What is on the paper, drawn by the page."""
    st.html(f'<p class="stamp">{html.escape("; ".join(document.stamps))}</p>'
            f'<h2>{html.escape(document.title)}</h2>'
            f'<p class="answer-more">{html.escape(document.asked)}</p>')
    dark = st.context.theme.type == "dark"
    seen = _asked_again(document.brief, dark) if dark else [one.answer for one in document.items]
    for place, (item, answer) in enumerate(zip(document.items, seen, strict=True)):
        st.markdown(f"### {plain(item.title)}", anchors=False)
        if item.panel is not None:
            _pictures(place, answer, item.panel.name)
        _paragraphs(item.said)
    for section in document.sections:
        st.markdown(f"### {plain(section.title)}", anchors=False)
        if section.to_fill:
            st.markdown("*To be written by you.*")
        _paragraphs(section.said)


def _pictures(place: int, answer: Answer, name: str) -> None:
    """Panels that are one picture stand together here, too, two in a row."""
    group = together(answer, answer.panel(name))
    for start in range(0, len(group), 2):
        columns = st.columns(min(len(group), 2))
        for column, panel in zip(columns, group[start:start + 2], strict=False):
            with column:
                render.drawing(panel, f"brief.{place}.{panel.name}")


def _paragraphs(said: Sequence[str]) -> None:
    for text in said:
        for part in text.split(_PARAGRAPHS):
            st.markdown(plain(part))

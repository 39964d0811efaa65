"""Runs: what is on screen as a file that can be kept, and such a file on screen again."""

from __future__ import annotations

import itertools
from pathlib import Path

import streamlit as st

from sdc_core.data import CATALOGUE
from sdc_core.errors import InputError
from sdc_core.parameters import Several
from sdc_core.questions import question
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import SLOTS
from sdc_core.questions.rerun import changed_words, reservations
from sdc_core.questions.run_file import MOST_BYTES, Run
from sdc_core.questions.study import IN_LINK
from ui import menu, opening, own_data
from ui.method_bar import NONE
from ui.state import Link


def popover(found: Answer) -> None:
    """Save what is on screen, or open what was saved."""
    place = st.popover("Save", icon=":material/save:", on_change="rerun", key="popover.save",
                       type="tertiary")
    if not place.open:
        return
    with place:
        st.caption(
            "A run file says which data, what its columns mean, and every setting. This page and "
            "`python -m sdc_core run FILE` give the same numbers from it. Records are not in it."
        )
        run = found.run
        if run is not None:
            st.download_button(
                "Save this run", data=lambda: run.to_json().encode(), file_name=file_name(run),
                mime="application/json", on_click="ignore", icon=":material/download:",
                key="save.run",
            )
        opening.once("upload.run", "Open a run", ["json"], take)


def file_name(run: Run) -> str:
    return f"{run.question}-{Path(str(run.data)).stem}.run.json"


def take(content: bytes, name: str) -> None:
    """Go to the page of a saved run, with all that it says."""
    if len(content) > MOST_BYTES:
        raise InputError(f"{name} is too large for a run file.")
    try:
        run = Run.from_json(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{name} is not a text file. Open a run that a page has saved.") from None
    question(run.question)
    link = link_to(run)
    here = any(e.id == run.data.id and e.path() for e in CATALOGUE)
    changed = changed_words(run.data, opening.catalogue_dataset(run.data.id)) if here else ""
    for notice in reservations(run, changed):
        own_data.say(notice.text)
    if len(run.methods) > len(SLOTS):
        own_data.say(f"A page shows {len(SLOTS)} methods; the run has {len(run.methods)}.")
    if not run.data.id:
        _, sentences = own_data.linked(link, run.question, f"The run was made with {run.data.name}")
        for sentence in sentences:
            own_data.say(sentence)
        if sentences:
            return
    menu.open_link(run.question, link)


def link_to(run: Run) -> Link:
    """The link that shows what a run says."""
    features = Several(name="features", title="").text(run.features)
    if run.data.id:
        link = {"data": run.data.id, "features": features}
    else:
        link = {"data": own_data.own_id(run.data.sha256), own_data.FEATURES: features}
        link |= run.data.read_as
        if run.schema is not None:
            link[own_data.SCHEMA] = own_data.remember(run.data.sha256, run.schema)
    link |= {IN_LINK[name]: str(value) for name, value in run.settings.items()}
    for slot, one in itertools.zip_longest(SLOTS, run.methods[: len(SLOTS)]):
        link[slot] = one.name if one else NONE
        for param in one.params() if one else ():
            link[f"{slot}.{param.name}"] = param.text(one.settings()[param.name])
    return {**link, **run.controls}

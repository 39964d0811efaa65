"""What is being done, how long it takes, a way to stop it; and work that waits for a click."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.data import Dataset
from sdc_core.experiment import Progress
from sdc_core.keep import Keep, keep_of
from sdc_core.questions.answer import Job
from sdc_core.questions.work import Work
from ui import own_data, turns, uploads
from ui.terms import plain

_KEEP = "kept"
_RUN = "run."
_STARTED = "started"  # the key of the job whose button was just pressed
_PATIENCE = 0.5  # seconds before a progress bar appears
WAITING = ("Others are computing, as many as this machine can bear at once. This begins when one "
           "of them is done.")
_NUMBER = itertools.count()  # two pieces of work may be called alike, their buttons may not


def kept() -> Keep:
    """What this visit has computed; it goes when the visit does."""
    memory = st.session_state
    if _KEEP not in memory:
        memory[_KEEP] = Keep()
    found: Keep = memory[_KEEP]
    return found


def work(dataset: Dataset | None = None) -> Work:
    """What the questions of this visit compute with; jobs whose button was just pressed may run.

    What is made of bundled data is kept with them: the next who asks alike, whoever it is, has it
    at once. What is made of a file of the visit's own stays in the visit.
    """
    own = dataset is None or own_data.is_open(dataset) or uploads.any_given()
    return Work(kept() if own else keep_of(dataset), _bar, st.session_state.pop(_STARTED, ()),
                visit=kept())


@contextmanager
def place(asked: Work) -> Iterator[None]:
    """Room for what this visit computes. What was asked for with a button takes long, so only so
    many of these run at once, and the others are told; leaving or clicking gives up."""
    if not asked.started:
        yield
        return
    said = st.empty()

    def wait() -> None:
        said.info(plain(WAITING), icon=":material/hourglass_top:")

    with turns.JOBS.place(wait):
        said.empty()
        yield


def _start(key: str) -> None:
    """A job's button was pressed (its callback)."""
    st.session_state[_STARTED] = (key,)


@contextmanager
def _bar(words: str) -> Iterator[Progress]:
    """A bar after a moment's patience. Whatever is clicked starts the page anew, without what was
    going on; what is done is kept."""
    start, places = time.monotonic(), list[DeltaGenerator]()

    def show(share: float) -> None:
        spent = time.monotonic() - start
        if spent <= _PATIENCE:
            return
        if not places:
            places.extend((st.empty(), st.empty()))
            places[0].button("Cancel", icon=":material/close:", key=f"cancel.{next(_NUMBER)}")
        left = spent * (1 - share) / max(share, 1e-3)
        more = f", about {math.ceil(left)} s left" if left > 1 and spent > 1 else ""
        places[1].progress(min(share, 1.0), plain(f"{words}{more}"))

    yield show
    for place in places:
        place.empty()


def run_buttons(jobs: Sequence[Job]) -> None:
    """What takes long starts on request; moving any control cancels it."""
    for job in jobs:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(plain(job.label), key=f"{_RUN}{job.key}", icon=":material/play_arrow:",
                      type="primary", on_click=_start, args=(job.key,))
            st.caption(plain(job.note))

"""Pins: answers that this visit keeps for its brief, as they were when they were pinned."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from sdc_core.questions.answer import Answer
from sdc_core.report.brief_file import HEADLINE, MOST_PINS, Pin
from ui.terms import plain

_PINS = "pins"


@dataclass(frozen=True, eq=False)
class Pinned:
    """A pin and its answer; an answer that is not there yet (a brief was opened) is None."""

    pin: Pin
    answer: Answer | None


def all_pins() -> list[Pinned]:
    found: list[Pinned] = st.session_state.setdefault(_PINS, [])
    return found


def put(pins: list[Pinned]) -> None:
    st.session_state[_PINS] = pins


def has(found: Answer, panel: str) -> bool:
    """Is this answer or panel kept for the brief?"""
    return found.run is not None and bool(all_pins()) and (
        Pin(found.run, panel).same in {one.pin.same for one in all_pins()})


def button(found: Answer, panel: str, make: Callable[[], Answer] | None) -> None:
    """Keep this answer or panel for the brief, or let go of it again. `make` gives the answer as it
    looks on paper."""
    if found.run is None or make is None:
        return
    there = has(found, panel)
    full = not there and len(all_pins()) >= MOST_PINS
    words = f"A brief has room for {MOST_PINS} answers." if full else (
        "In your brief; click to take it out." if there else "Keep this for a brief to hand out.")
    st.button(
        "Pinned" if there else "Pin", key=f"pin.{panel or 'headline'}", type="tertiary",
        icon=":material/keep:" if there else ":material/keep_public:", help=plain(words),
        disabled=full, on_click=_turn, args=(panel, make),
    )


def _turn(panel: str, make: Callable[[], Answer]) -> None:
    found = make()
    if found.run is None:
        return
    new = Pin(found.run, panel)
    kept = [one for one in all_pins() if one.pin.same != new.same]
    put(kept if len(kept) < len(all_pins()) else [*kept, Pinned(new, found)])


def adopt(shown: list[Pinned]) -> None:
    """Answers that were suggested become the reader's own, once something about them is changed."""
    if not all_pins():
        put(list(shown))


def move(place: int, step: int) -> None:
    """One place up or down (a button's callback)."""
    pins = all_pins()
    other = place + step
    if 0 <= other < len(pins):
        pins[place], pins[other] = pins[other], pins[place]


def remove(place: int) -> None:
    del all_pins()[place]


def reword(place: int, words: str) -> None:
    one = all_pins()[place]
    all_pins()[place] = Pinned(dataclasses.replace(one.pin, words=words), one.answer)


__all__ = ["HEADLINE", "Pinned", "adopt", "all_pins", "button", "has", "move", "put", "remove",
           "reword"]

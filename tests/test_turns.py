"""Who computes when: one page after the other, those that take long beside the others, and of what
was asked for with a button only so many at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from ui import turns
from ui.turns import Places, Turns


def busy(seconds: float) -> None:
    """Work, not sleep."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Room:
    """Pages that begin one by one, as soon as the one before stands in the queue, and when they
    were computed."""

    def __init__(self, turn: Callable[[], AbstractContextManager[None]]) -> None:
        self.turn, self.spans = turn, dict[str, tuple[float, float]]()
        self._threads: list[threading.Thread] = []

    def page(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            with self.turn():
                start = time.monotonic()
                work()
                self.spans[name] = start, time.monotonic()

        thread = threading.Thread(target=run)
        thread.start()
        self._threads.append(thread)
        time.sleep(0.02)

    def done(self) -> dict[str, tuple[float, float]]:
        for one in self._threads:
            one.join(20)
            assert not one.is_alive()
        return self.spans


def test_pages_are_computed_one_after_the_other_in_the_order_they_came() -> None:
    room = Room(Turns().turn)
    for name in "abcdef":
        room.page(name, lambda: busy(0.05))
    spans = room.done()
    assert sorted(spans, key=lambda one: spans[one]) == list("abcdef")
    for one, after in zip("abcde", "bcdef", strict=True):
        assert spans[one][1] <= spans[after][0]


@pytest.mark.parametrize("work", [lambda: busy(0.8), lambda: time.sleep(1.6)])
def test_what_takes_long_stops_nobody_for_more_than_a_second(work: Callable[[], None]) -> None:
    """Whether it works or waits for something, such as a process that reads a file."""
    room = Room(Turns().turn)
    room.page("long", work)
    begun = time.monotonic()
    room.page("next", lambda: busy(0.01))
    spans = room.done()
    assert spans["next"][1] < spans["long"][1]
    assert turns.A_MOMENT / 2 < spans["next"][0] - begun <= turns.A_SECOND + 0.2


def test_who_is_held_up_by_others_has_not_had_its_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a room that is busy would let everybody in at once, which holds up everybody."""
    monkeypatch.setattr(turns, "A_SECOND", 30.0)
    going = True

    def hold_up() -> None:
        while going:
            pass

    others = [threading.Thread(target=hold_up) for _ in range(3)]
    for one in others:
        one.start()
    try:
        room = Room(Turns().turn)
        room.page("slow", lambda: busy(0.2))  # about 0.8 s beside three others
        room.page("next", lambda: None)
        spans = room.done()
    finally:
        going = False
        for one in others:
            one.join()
    assert spans["slow"][1] - spans["slow"][0] > turns.A_MOMENT
    assert spans["next"][0] >= spans["slow"][1]


def test_a_page_that_fails_or_gives_up_leaves_its_turn() -> None:
    room = Turns()
    with pytest.raises(ValueError, match="broken"), room.turn():
        raise ValueError("broken")
    begun = time.monotonic()
    with room.turn():
        assert time.monotonic() - begun < 0.1


def test_so_many_jobs_at_once_and_the_others_are_told() -> None:
    places, said, together, most = Places(2), list[str](), list[int](), [0]
    lock = threading.Lock()

    def job(name: str) -> None:
        with places.place(lambda: said.append(name), every=0.02):
            with lock:
                together.append(1)
                most[0] = max(most[0], len(together))
            time.sleep(0.15)
            with lock:
                together.pop()

    jobs = [threading.Thread(target=job, args=(f"job {n}",)) for n in range(5)]
    for one in jobs:
        one.start()
        time.sleep(0.005)
    for one in jobs:
        one.join(20)
    assert most[0] == 2
    assert set(said) == {"job 2", "job 3", "job 4"}


def test_giving_up_takes_no_place() -> None:
    places = Places(1)

    def leave() -> None:
        raise KeyboardInterrupt

    with places.place(lambda: None), pytest.raises(KeyboardInterrupt), (
            places.place(leave, every=0.01)):
        raise AssertionError("there was no place")
    with places.place(leave):
        pass


def test_a_visitor_who_has_to_wait_reads_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it begins when a place is free, without another click."""
    def page() -> None:
        import streamlit as st

        from sdc_core.questions.work import Work
        from ui import progress

        with progress.place(Work(started=("train",))):
            st.text("computed")
        with progress.place(Work(started=())):
            st.text("at once")

    told, places = list[str](), Places(1)
    somebody = places.place(lambda: None)

    def tell(self: DeltaGenerator, text: str, **look: str) -> None:
        told.append(text)
        if len(told) == 2:  # somebody is done
            somebody.__exit__(None, None, None)

    monkeypatch.setattr(turns, "JOBS", places)
    monkeypatch.setattr(DeltaGenerator, "info", tell)
    somebody.__enter__()
    app = AppTest.from_function(page, default_timeout=20).run()
    assert not app.exception
    assert [one.value for one in app.text] == ["computed", "at once"]
    assert len(told) == 2 and "begins when one of them is done" in told[0].replace("\\", "")

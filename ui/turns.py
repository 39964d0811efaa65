"""Visitors take turns. Python runs one piece of Python at a time: pages that are computed side by
side hold each other up at every message they send, and a room of 25 waits five times as long as it
would in a row. So each page is computed in one go, first come, first served. One that takes longer
than a moment lets the others go on beside it, and of those that were asked for with a button only
so many run at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

A_MOMENT = 0.3  # seconds of work after which the next page begins beside this one
A_SECOND = 1.0  # and after so long in any case: it may be waiting for something
_CORES = os.cpu_count() or 1
Clock = Callable[[], float]


def _work_of_this_thread() -> Clock:
    """A clock, to be read by any thread, of how long this one has worked: one that is held up by
    others has not had its moment. Where there is none, time that has passed."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)


class _Turn:
    """Whose turn it is, and until when."""

    def __init__(self) -> None:
        self._work = _work_of_this_thread()
        self._work_ends, self._ends = self._work() + A_MOMENT, time.monotonic() + A_SECOND

    def left(self) -> float:
        """At least so long it lasts, unless it is done before."""
        return min(self._work_ends - self._work(), self._ends - time.monotonic())


class Turns:
    """First come, first served; whoever has had a moment makes way for the next, and goes on."""

    def __init__(self) -> None:
        self._queue: deque[object] = deque()
        self._now: _Turn | None = None
        self._changed = threading.Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        me = object()
        with self._changed:
            self._queue.append(me)
            try:
                while self._queue[0] is not me or self._left() > 0:
                    self._changed.wait(self._left() if self._queue[0] is me else None)
            finally:
                self._queue.remove(me)
                self._changed.notify_all()  # another is first now
            mine = self._now = _Turn()
        try:
            yield
        finally:
            with self._changed:
                if self._now is mine:
                    self._now = None
                    self._changed.notify_all()

    def _left(self) -> float:
        return self._now.left() if self._now else 0.0


class Places:
    """So many at once; whoever comes later waits for a place."""

    def __init__(self, number: int) -> None:
        self._free = threading.Semaphore(number)

    @contextmanager
    def place(self, waiting: Callable[[], None], every: float = 0.5) -> Iterator[None]:
        """`waiting` is called again and again while there is none; raising from it gives up."""
        while not self._free.acquire(timeout=every):
            waiting()
        try:
            yield
        finally:
            self._free.release()


PAGES = Turns()
JOBS = Places(_CORES)

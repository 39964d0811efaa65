"""Visitors take turns. Python runs one piece of Python at a time: pages that are computed side by
side hold each other up at every message they send, and a room of 25 waits five times as long as it
would in a row. So each page is computed in one go, first come, first served. One that takes longer
than a moment lets the others go on beside it, and of those that were asked for with a button only so
many run at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

A_MOMENT = 0.3  # seconds that a page may be computed before the next one begins beside it
_CORES = os.cpu_count() or 1


class Turns:
    """First come, first served; whoever has had `a_moment` makes way for the next, and goes on."""

    def __init__(self, a_moment: float = A_MOMENT) -> None:
        self._a_moment = a_moment
        self._queue: deque[object] = deque()
        self._quick_until = 0.0  # whose turn it is has made way by then, or is done
        self._now: object = None
        self._changed = threading.Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        me = object()
        with self._changed:
            self._queue.append(me)
            while self._queue[0] is not me or self._wait() > 0:
                self._changed.wait(self._wait() if self._queue[0] is me else None)
            self._queue.popleft()
            self._now, self._quick_until = me, time.monotonic() + self._a_moment
            self._changed.notify_all()  # the next is first in the queue now
        try:
            yield
        finally:
            with self._changed:
                if self._now is me:
                    self._now, self._quick_until = None, 0.0
                    self._changed.notify_all()

    def _wait(self) -> float:
        return self._quick_until - time.monotonic()


class Places:
    """So many at once; whoever comes later waits for a place."""

    def __init__(self, number: int) -> None:
        self.number = number
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

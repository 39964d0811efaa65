"""Many pieces of work on all cores, where what is called lets go of Python's lock."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")
_CORES = os.cpu_count() or 1


def in_parts(make: Callable[[slice], Made], number: int, least: int) -> list[Made]:
    """What `make` gives for each part of so many pieces, in their order. A part has at least
    `least` pieces: fewer are done before another thread has started."""
    parts = max(1, min(_CORES, number // least))
    ends = [number * part // parts for part in range(parts + 1)]
    first, *others = (slice(*two) for two in itertools.pairwise(ends))
    started = [_threads().submit(make, part) for part in others]
    return [make(first), *(one.result() for one in started)]


@functools.cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_CORES, "parts")

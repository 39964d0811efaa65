"""A room full: how long a moved slider takes when 10, 25 and 50 people use the app at once, against
one alone. Everybody has a visit and a question of their own, moves one of the methods' sliders to
any value, looks for two seconds at what came, and moves on. Visitors are on the same cores."""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Iterator

from bench.measure import Figure, milliseconds
from tests.serving import AS_MAKE_APP, serving
from tests.visitors import Visitor

LOOKS = 2.0  # seconds between an answer and the next move
SECONDS = 40.0
PAGES = ("compare", "delta_epsilon", "map", "told_apart", "reidentification", "frontier")
LIMITS = {10: 3.0, 25: 3.0, 50: 8.0}
SEVERAL = (sys.executable, "-m", "sdc_core", "app", "--processes", "2", "--port")


def figures() -> Iterator[Figure]:
    for what, command, rooms in (
        ("one process", AS_MAKE_APP, (10, 25, 50)),
        ("two processes behind nginx", SEVERAL, (25, 50)),
    ):
        with serving(command) as base:
            for page in PAGES:  # the first of a room finds what those before have asked
                with Visitor(base) as visitor:
                    visitor.open(page, data="ma2019-twin")
            alone = _median(base, len(PAGES), one_by_one=True)
            for number in rooms:
                ours = _median(base, number)
                limit = None if number == 50 and command is AS_MAKE_APP else LIMITS[number]
                yield Figure(
                    f"A slider move while {number} visitors move one every two seconds, {what}, "
                    "median", milliseconds(ours), f"one visitor alone, {milliseconds(alone)}",
                    ours / alone, limit,
                )


def _median(base: str, visitors: int, one_by_one: bool = False) -> float:
    """The median over all moves of all visitors, at once or one after the other."""
    seconds: list[float] = []
    each = SECONDS / visitors if one_by_one else SECONDS
    threads = [threading.Thread(target=_visit, args=(base, n, each, seconds))
               for n in range(visitors)]
    for one in threads:
        one.start()
        if one_by_one:
            one.join()
    for one in threads:
        one.join()
    return statistics.median(seconds)


def _visit(base: str, number: int, lasts: float, seconds: list[float]) -> None:
    rng = random.Random(number)
    with Visitor(base) as visitor:
        visitor.open(PAGES[number % len(PAGES)], data="ma2019-twin")
        time.sleep(rng.random() * LOOKS)
        end = time.perf_counter() + lasts
        while time.perf_counter() < end:
            slider = rng.choice([one for one in visitor.sliders() if one.startswith("url.m")])
            run = visitor.set(slider, rng.choice(visitor.values(slider)))
            if run.exceptions:
                raise AssertionError(run.exceptions)
            seconds.append(run.seconds)
            time.sleep(LOOKS)

"""A room full: how long a moved slider takes when 10, 25 and 50 people use the app at once, against
one alone. Each has a visit of their own, looks at what came for two seconds and moves on."""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from bench.measure import Figure, milliseconds
from tests.serving import serving
from tests.visitors import Visitor

LOOKS = 2.0  # seconds between an answer and the next move
SECONDS = 40
QUESTIONS = ("compare", "delta_epsilon", "map", "told_apart", "reidentification", "frontier")


def one_visitor(base: str, number: int, until: float, out: list[float], questions) -> None:
    rng = random.Random(number)
    with Visitor(base) as visitor:
        visitor.open(questions[number % len(questions)], data="ma2019-twin")
        time.sleep(rng.random() * LOOKS)
        while time.perf_counter() < until:
            key = rng.choice([one for one in visitor.sliders() if one.startswith("url.m")])
            out.append(visitor.set(key, rng.choice(visitor.values(key))).seconds)
            time.sleep(LOOKS)


def moves(base: str, visitors: int, seconds: float, questions) -> list[float]:
    out: list[float] = []
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=one_visitor, args=(base, n, until, out, questions)) for n in range(visitors)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return out

if __name__ == "__main__":
    import os
    qs = sys.argv[1].split(",")
    def cpu():
        import subprocess
        return float(sum(os.times()[:2]))
    with serving() as base:
        for n in map(int, sys.argv[2].split(",")):
            a = cpu(); t0=time.perf_counter()
            found = moves(base, n, SECONDS if n > 1 else 30, qs)
            w=time.perf_counter()-t0
            print(n, len(found), "median", statistics.median(found), "p90", sorted(found)[int(.9*len(found))], "max", max(found), "client cpu/move", (cpu()-a)/len(found), flush=True)

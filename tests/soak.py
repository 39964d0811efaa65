"""A class of visitors at one app for an hour: `make soak VISITORS=50 SECONDS=3600`.

They open questions, move sliders, think, change the question, bring a small file of their own now
and then, leave, and others come. Nobody may see an error or anything of another visitor, everybody
sees what they have set, the server says nothing of an exception, and its memory at the end is
within a tenth of what it was after ten minutes (a sixth of a shorter time). Written to test-output:
memory every ten seconds (soak.csv) and what the server said (soak.log).
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import signal
import statistics
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sdc_core.questions import QUESTIONS
from tests.serving import ROOT, started
from tests.visitors import Run, Visitor

OUT = ROOT / "test-output"
TWIN = "ma2019-twin"
SETTLED = 600.0  # seconds after which memory should no longer grow
MOST_GROWTH = 0.10
PATIENCE = 300.0  # seconds for an answer; fifty at once on two cores may have to wait
_MINE = re.compile(rb"visitor-(\d+)-")
_EPSILON = "url.m1.epsilon"
_WRONG = re.compile(r"Traceback|Exception|Error\b", re.MULTILINE)


@dataclass
class Soak:
    """What is known so far; visitors write into it at once."""

    seconds: list[float] = field(default_factory=list)  # of every move
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds, MB
    lock: threading.Lock = field(default_factory=threading.Lock)
    closed: threading.Event = field(default_factory=threading.Event)  # the app has ended

    def note(self, what: str, run: Run) -> None:
        with self.lock:
            self.counts[what] += 1
            self.seconds.append(run.seconds)

    def problem(self, sentence: str) -> None:
        with self.lock:
            self.problems.append(sentence[:2_000])
        print(f"problem: {sentence[:600]}", flush=True)


class Guest:
    """Somebody with a number, a seed and an ε of their own, by which what is theirs is known."""

    def __init__(self, address: str, number: int, dice: random.Random, soak: Soak) -> None:
        self.number, self.dice, self.soak = number, dice, soak
        self.visitor = Visitor(address, PATIENCE)
        self.seed = str(1_000 + number)

    def stay(self, end: float, think: float) -> None:
        """Until the time is over, or until they have seen enough."""
        with self.visitor:
            self._open()
            while time.monotonic() < end:
                time.sleep(min(self.dice.expovariate(1 / think), 5 * think))
                what = self.dice.random()
                if what < 0.04:
                    return
                if what < 0.08 and "upload" in self.visitor.widgets:
                    self._bring_a_file()
                elif what < 0.28:
                    self._change_the_question()
                else:
                    self._move()

    def _open(self) -> None:
        asked = self.dice.choice(QUESTIONS).address
        self._seen("opened", asked, self.visitor.open(asked, data=TWIN, seed=self.seed))

    def _change_the_question(self) -> None:
        """Another one, or once more the one that they are on."""
        asked = self.dice.choice(QUESTIONS).address
        self._seen("other question", asked, self.visitor.open(asked))

    def _move(self) -> None:
        sliders = self.visitor.sliders()
        if not sliders:
            return self._change_the_question()
        key = _EPSILON if _EPSILON in sliders and self.dice.random() < 0.5 else (
            self.dice.choice(sliders))
        value = self.dice.choice(self.visitor.values(key))
        self._seen("moved", key, self.visitor.set(key, value))
        if key == _EPSILON and self.visitor.link.get("m1.epsilon") != value:
            self._wrong(f"ε was set to {value}, the link says {self.visitor.link}")
        if key == _EPSILON and f"ε={value}" not in _methods(self.visitor.page):
            self._wrong(f"ε was set to {value}, the methods are {_methods(self.visitor.page)}")

    def _bring_a_file(self) -> None:
        towns = [f"visitor-{self.number}-{name}" for name in ("Ash", "Elm", "Oak")]
        rows = [f"{self.dice.choice(towns)},{self.dice.choice('fm')},{self.dice.randint(1, 9)}"
                for _ in range(200)]
        content = "\n".join(["town,sex,rooms", *rows]).encode()
        run = self.visitor.upload("upload", f"visitor-{self.number}-.csv", content)
        self._seen("brought a file", "upload", run)
        if not self.visitor.link.get("data", "").startswith("own-"):
            self._wrong(f"the file was not taken: {self.visitor.link}")

    def _seen(self, what: str, where: str, run: Run) -> None:
        """Is it theirs, all of it, and without a mistake?"""
        self.soak.note(what, run)
        on_own_file = self.visitor.link.get("data", "").startswith("own-")
        for trouble in (*run.exceptions, *(() if on_own_file else run.errors)):
            self._wrong(f"{what} {where}: {trouble}")
        if not (run.headline or run.errors):  # a small file cannot answer everything, and says so
            self._wrong(f"{what} {where}: no answer")
        content = b"".join(message.SerializeToString() for message in run.messages)
        others = {int(found) for found in _MINE.findall(content)} - {self.number}
        if others:
            self._wrong(f"{what} {where}: has something of {sorted(others)}")
        if self.visitor.link.get("seed", self.seed) not in (self.seed, "7"):
            self._wrong(f"{what} {where}: the seed is {self.visitor.link['seed']}")

    def _wrong(self, sentence: str) -> None:
        self.soak.problem(f"visitor {self.number}: {sentence} ({self.visitor.link})")


def _methods(run: Run) -> str:
    """The list of methods with their settings, as the page has computed with them."""
    return next((one.body for one in run.of("html") if 'class="methods"' in one.body), "").replace(
        " = ", "=")


def as_make_app() -> dict[str, str]:
    """The environment in which the app is started by `make app`."""
    line = re.search(r"^GIVE_BACK := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert line is not None
    return {**os.environ, **dict(one.split("=") for one in line[1].split())}


def memory_of(process: int) -> float:
    """Resident memory of a process and of those that it started, in MB."""
    parents, used = dict[int, int](), dict[int, float]()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines()
                         if ":\t" in line)
        except OSError:  # it has just ended
            continue
        parents[int(lines["Pid"])] = int(lines["PPid"])
        used[int(lines["Pid"])] = float(lines.get("VmRSS", "0 kB").split()[0]) / 1024
    family = {process}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(one, 0) for one in family)


def _seat(address: str, place: int, end: float, think: float, seed: int, soak: Soak,
          numbers: list[int]) -> None:
    """A place in the room: when one has left it, the next one comes."""
    dice = random.Random(f"{seed} {place}")
    time.sleep(dice.uniform(0, min(30, (end - time.monotonic()) / 6)))  # not all in one moment
    while time.monotonic() < end and not soak.closed.is_set():
        with soak.lock:
            numbers.append(len(numbers))
            number = numbers[-1]
        try:
            Guest(address, number, dice, soak).stay(end, think)
        except Exception as problem:
            soak.problem(f"visitor {number}: {type(problem).__name__}: {problem}")
            time.sleep(1)


def soaked(visitors: int, seconds: float, seed: int, think: float, out: Path = OUT) -> Soak:
    """The whole of it; what was found is in `problems`."""
    soak, numbers = Soak(), list[int]()
    out.mkdir(exist_ok=True)
    with (out / "soak.log").open("wb") as log, started(
        environment=as_make_app(), says=log
    ) as (address, server), (out / "soak.csv").open("w", newline="") as file:
        table, start = csv.writer(file), time.monotonic()
        table.writerow(["seconds", "MB", "visitors so far", "answers"])
        end = start + seconds
        seats = [threading.Thread(target=_seat, args=(address, place, end, think, seed, soak,
                                                      numbers)) for place in range(visitors)]
        for seat in seats:
            seat.start()
        while time.monotonic() < end:
            time.sleep(min(10, max(end - time.monotonic(), 0.1)))
            now, used = time.monotonic() - start, memory_of(server.pid)
            soak.memory.append((now, used))
            table.writerow([f"{now:.0f}", f"{used:.1f}", len(numbers), len(soak.seconds)])
            file.flush()
            if server.poll() is not None:
                soak.problem(f"the server ended with exit code {server.poll()}")
                soak.closed.set()
                break
        for seat in seats:
            seat.join()
    soak.counts["visitors"] = len(numbers)
    said = (out / "soak.log").read_text(encoding="utf-8", errors="replace")
    soak.problems += [f"the server said: {said[max(0, found.start() - 200):found.end() + 800]}"
                      for found in list(_WRONG.finditer(said))[:5]]
    return soak


def levels(soak: Soak) -> tuple[float, float]:
    """Memory once settled and at the end, in MB: medians of a minute, or of what there is of it."""
    total = soak.memory[-1][0]
    settled = min(SETTLED, total / 6)
    around = min(60.0, total / 6)
    first = [used for now, used in soak.memory if settled <= now <= settled + around]
    last = [used for now, used in soak.memory if now >= total - around]
    return statistics.median(first or [soak.memory[0][1]]), statistics.median(last)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # the app it started ends with it
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--think", type=float, default=5, help="seconds between moves, on average")
    options = parser.parse_args()
    soak = soaked(options.visitors, options.seconds, options.seed, options.think)
    before, after = levels(soak)
    times = sorted(soak.seconds)
    print(", ".join(f"{number:,} {what}" for what, number in sorted(soak.counts.items())))
    if times:
        print(f"answers: median {statistics.median(times):.2f} s, 95% within "
              f"{times[int(0.95 * len(times))]:.2f} s, longest {times[-1]:.2f} s")
    print(f"memory: {before:.0f} MB once settled, {after:.0f} MB at the end "
          f"({after / before - 1:+.1%}), highest {max(used for _, used in soak.memory):.0f} MB")
    if after > before * (1 + MOST_GROWTH):
        soak.problems.append(f"memory grew from {before:.0f} to {after:.0f} MB")
    for problem in soak.problems:
        print(f"problem: {problem}")
    print(f"{len(soak.problems)} problems")
    return 1 if soak.problems else 0


if __name__ == "__main__":
    sys.exit(main())

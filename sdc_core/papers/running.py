"""A run over the papers: items, claims and theorems one by one, on as many cores as there are. What
is done is kept on the disk, so a run that was stopped goes on where it was."""

from __future__ import annotations

import datetime
import functools
import hashlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from sdc_core.data.catalogue import CATALOGUE
from sdc_core.errors import InputError
from sdc_core.folders import cache_folder
from sdc_core.papers import record, theorems
from sdc_core.papers.every import CLAIMS, ITEMS, PAPERS
from sdc_core.papers.item import Attempt, find
from sdc_core.papers.record import THEOREMS, Part, Record
from sdc_core.version import __version__
from sdc_core.whole_file import write_whole

PACKAGE = Path(__file__).resolve().parents[1]
USUAL_SECONDS, LEAST_SECONDS = 1.0, 0.01  # of a part that was never run, and of any
QUICK_SHARE = 0.1  # of the time of a full run that a quick one takes, about
# Tells what was finished, how many of how many are, and about how many seconds are left.
Tell = Callable[[str, int, int, float], None]


def known_parts(full: bool = True) -> list[str]:
    """Ids of all that a run does."""
    claims = [one.id for one in CLAIMS if full or not one.slow]
    return [*(one.id for one in ITEMS), *claims, THEOREMS]


def chosen_parts(wanted: Iterable[str], paper: str = "", full: bool = True) -> list[str]:
    """The ids that are meant: an item goes with its claims, a paper is all of it; nothing named is
    everything."""
    known = known_parts(full)
    named = list(wanted)
    if paper and paper not in PAPERS:
        raise InputError(f"There is no paper {paper!r}. Known: {', '.join(PAPERS)}.")
    for one in named:
        if one not in known_parts():
            items = ", ".join([*(i.id for i in ITEMS), THEOREMS])
            raise InputError(f"There is no item {one!r}. Known: {items}.")
    if paper:
        named += [one for one in known if one.startswith(f"{paper.lower()}-")]
    of_items = {c.id for c in CLAIMS for i in ITEMS
                if i.id in named and (c.paper, c.item) == (i.paper, i.name)}
    everything = not named and not paper
    return [one for one in known if everything or one in named or one in of_items]


def make(part: str, attempt: Attempt) -> Part:
    start = time.perf_counter()
    for item in ITEMS:
        if item.id == part:
            made, problem = item.made(attempt)
            return Part(time.perf_counter() - start, tuple(made), problem)
    for claim in CLAIMS:
        if claim.id == part:
            found = find(claim, attempt)
            return Part(time.perf_counter() - start, tried=found.tried)
    checked = theorems.checks(attempt)
    return Part(time.perf_counter() - start, checks=tuple(checked))


def run(
    parts: Iterable[str], attempt: Attempt, tell: Tell = lambda *said: None,
    workers: int | None = None, kept: Path | None = None,
) -> Record:
    """All these parts. Those that were finished before, by the same program on the same data, are
    taken from the folder `kept`; a part that cannot be made on this machine says so."""
    start, listed = time.perf_counter(), list(parts)
    keeping = _Kept((kept or _folder()) / _fingerprint(attempt))
    done = {one: found for one in listed if (found := keeping.get(one))}
    cores = workers or os.cpu_count() or 1
    left = _Left(listed, done, cores, attempt.full)
    tell("", len(done), len(listed), left.seconds(done))

    def finished(one: str, part: Part) -> None:
        done[one] = part
        keeping.put(one, part)
        tell(one, len(done), len(listed), left.seconds(done))

    if cores == 1 or len(left.order) < 2:
        for one in left.order:
            finished(one, make(one, attempt))
    else:
        _side_by_side(left.order, replace(attempt, tell=_silent), min(cores, len(left.order)),
                      finished)
    return Record(
        {one: done[one] for one in listed}, datetime.date.today().isoformat(), __version__,
        attempt.full, attempt.seed, sum(part.seconds for part in done.values()) / cores
        if len(listed) > len(left.order) else time.perf_counter() - start,
        _real(listed, attempt),
        whole=set(known_parts(attempt.full)) <= set(listed),
    )


def _real(parts: list[str], attempt: Attempt) -> tuple[str, ...]:
    """The real data that these parts are made on."""
    wanted = {name for one in ITEMS if one.id in parts for name in one.data}
    wanted |= {name for one in CLAIMS if one.id in parts for name in (*one.about, *one.tried_on)}
    return tuple(one.id for one in CATALOGUE
                 if one.id in wanted and one.origin == "real" and attempt.has(one.id))


class _Left:
    """What is still to be done, and about how long it takes: as long as in the last full run, in
    the proportion of what was seen since."""

    def __init__(
        self, listed: list[str], done: Mapping[str, Part], cores: int, full: bool
    ) -> None:
        before = record.last_run().parts
        self._cost = {one: max(before[one].seconds, LEAST_SECONDS) if one in before
                      else USUAL_SECONDS for one in listed if one not in done}
        self._share = (1.0 if full else QUICK_SHARE) / cores
        self._cores = cores
        # the longest first, so that no core waits for another at the end
        self.order = sorted(self._cost, key=lambda one: -self._cost[one])

    def seconds(self, done: Mapping[str, Part]) -> float:
        seen = [one for one in self.order if one in done]
        undone = sum(cost for one, cost in self._cost.items() if one not in done)
        if not seen:
            return undone * self._share
        taken = sum(done[one].seconds for one in seen)
        return undone * taken / sum(self._cost[one] for one in seen) / self._cores


def _silent(share: float) -> None:
    """A process of its own cannot tell."""


def _side_by_side(
    left: list[str], attempt: Attempt, workers: int, finished: Callable[[str, Part], None]
) -> None:
    context = multiprocessing.get_context("spawn")  # threads of this process stay its own
    pool = ProcessPoolExecutor(workers, context, _one_thread)
    with _deaf_to_ctrl_c():
        waiting: dict[Future[Part], str] = {pool.submit(make, one, attempt): one for one in left}
    try:
        while waiting:
            ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                finished(waiting.pop(future), future.result())
    except BrokenProcessPool:
        raise InputError(
            "A part of the run was ended from outside, as happens where memory runs out. What was "
            "done is kept: the same command goes on from there.") from None
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()


def _end(pool: ProcessPoolExecutor) -> None:
    """Nobody waits for what is being made: who stops a run wants it to stop."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for one in processes:
        one.terminate()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that begin within take no notice of Ctrl-C, also while they load libraries: it is
    for the one that began them. Only a main thread can see to that, and only it gets Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _one_thread() -> None:
    """As many processes as cores: each keeps to one."""
    threadpool_limits(1)


def _folder() -> Path:
    asked = os.environ.get("SDC_RUNS", "")
    return Path(asked) if asked else cache_folder() / "reproduce"


class _Kept:
    """Finished parts, a file each, in a folder that is named by all that they hang on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, part: str) -> Part | None:
        try:
            text = (self._folder / f"{part}.json").read_text(encoding="utf-8")
            return record.read(text).parts[part]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, part: str, found: Part) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / f"{part}.json", Record({part: found}).to_json().encode())
        except OSError:
            return  # a run that cannot be kept is still a run


def _fingerprint(attempt: Attempt) -> str:
    said = (attempt.full, attempt.seed, attempt.twins_only, _files(), _program())
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def _files() -> Mapping[str, tuple[float, int]]:
    found = {}
    for one in CATALOGUE:
        for path in one.paths():
            facts = path.stat()
            found[str(path)] = (facts.st_mtime, facts.st_size)
    return found


@functools.cache
def _program() -> str:
    """Of all that could change a number; what is printed only changes verdicts."""
    said = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        said.update(path.read_bytes())
    return said.hexdigest()

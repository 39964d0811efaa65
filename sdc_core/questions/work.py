"""What a question computes with: results are kept, long work says how far it is, and what takes
long may wait until it is asked for. Nothing waits on the command line and in Python."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdc_core.curves import Curve, sweep
from sdc_core.experiment import Evaluation, Progress, evaluate, released_people
from sdc_core.histogram import Histogram
from sdc_core.keep import Keep
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Real
from sdc_core.questions.answer import Job
from sdc_core.words.evaluations import releases_text

FITTED_REPETITIONS = 20  # releases of a method whose every release takes long
PATIENCE = 2.0  # seconds that a method may take before a page asks whether to start
UNASKED = 10.0  # seconds of a processor after which a page asks whether to go on, whatever was said
POINTS = 30  # of a line
MOST_RELEASED = 4_000_000  # counts of one method's releases: 32 MB
LONGEST_LINE = 30.0  # seconds that a line may take before it is left out
METHODS = "methods"  # the key of the job that runs methods which take long
Made = TypeVar("Made")
Report = Callable[[str], AbstractContextManager[Progress]]


@contextmanager
def _silent(words: str) -> Iterator[Progress]:
    yield lambda share: None


class Released(NamedTuple):
    """A method and its released people, one row a release."""

    mechanism: Mechanism
    rows: NDArray[np.int64]


class TakesLong(Exception):
    """Work that nobody has asked for has taken long, and would take about so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"about {seconds:.0f} seconds")
        self.seconds = seconds


@dataclass
class Work:
    """`started` are the keys of jobs that may run now; None means all of them. `report` shows what
    is being done: it is given words and gives back what to tell the progress."""

    keep: Keep = field(default_factory=Keep)
    report: Report = _silent
    started: Collection[str] | None = None
    waiting: list[Job] = field(default_factory=list)
    releases_seen: int = 0  # the most releases behind a number, for the provenance
    computed_as: str = ""  # how numbers came about that were not computed now
    begun: float = field(default_factory=time.thread_time)
    visit: Keep | None = None  # of this visit alone, where `keep` is shared with others

    def may_start(self, key: str) -> bool:
        return self.started is None or key in self.started

    def wait_for(self, job: Job) -> None:
        """This has to be asked for first."""
        if job not in self.waiting:
            self.waiting.append(job)

    def kept(self, make: Callable[..., Made], *args: Any, **kwargs: Any) -> Made:
        return self.keep(make, *args, **kwargs)

    def told(self, words: str, make: Callable[..., Made], *args: Any, **kwargs: Any) -> Made:
        """Kept work that takes a moment; `make` has an argument `progress`."""
        return self.keep.telling(lambda: self._telling(words), make, *args, **kwargs)

    @contextmanager
    def _telling(self, words: str) -> Iterator[Progress]:
        """What to tell the progress. Where nothing was asked for, it ends work that has taken long,
        whatever was expected of it; what is done is kept."""
        with self.report(words) as progress:
            start = time.thread_time()

            def told(share: float) -> None:
                progress(share)
                now = time.thread_time()
                asked = self.started is None or self.started
                if not asked and share < 1 and now - self.begun > UNASKED:
                    raise TakesLong(now - self.begun + (now - start) * (1 / max(share, 1e-3) - 1))

            yield told

    def each(
        self, words: Callable[[int], str], make: Callable[..., Made],
        calls: Sequence[tuple[Any, ...]], seconds: Sequence[float] | None = None,
    ) -> list[Made]:
        """One kept result a call, with progress over those that are missing; what is done stays
        when the rest is cancelled. `words` is given the number of the call, `seconds` say about how
        long each takes, where some take much longer than others."""
        missing = [i for i, call in enumerate(calls) if not self.keep.holds(make, *call)]
        if missing:
            each = [1.0 if seconds is None else max(seconds[i], 1e-6) for i in missing]
            with self._telling(words(missing[0])) as progress:
                for done, i in enumerate(missing, start=1):
                    self.keep(make, *calls[i])
                    progress(sum(each[:done]) / sum(each))
        return [self.keep(make, *call) for call in calls]

    def by_method(
        self, methods: Sequence[Mechanism], make: Callable[..., Made], table: Histogram,
        repetitions: int, *rest: Any, exact: bool = False,
    ) -> list[tuple[Mechanism, Made]]:
        """Each method with what `make` gives for it, the table, a number of releases and the rest;
        methods that have to be asked for first are left out. `exact`: `make` takes a closed form
        where there is one."""
        found = []
        for one in self._ready(methods, make, table, repetitions, rest, exact):
            number = affordable(one, table, repetitions, exact)
            words = f"{one.label()}: {number} releases"
            found.append((one, self.told(words, make, one, table, number, *rest)))
        return found

    def evaluate(
        self, methods: Sequence[Mechanism], table: Histogram, seed: int, repetitions: int = 200,
        simulate: bool = False,
    ) -> list[Evaluation]:
        """How each method treats the table; those that have to be asked for first are left out."""
        made = self.by_method(
            methods, evaluate, table, repetitions, seed, simulate, exact=not simulate)
        found = [one for _, one in made]
        self.saw(*(one.repetitions for one in found))
        return found

    def releases(
        self, methods: Sequence[Mechanism], table: Histogram, seed: int, repetitions: int
    ) -> list[Released]:
        """Released people of each method, as many releases as fit into memory; methods that have
        to be asked for first are left out."""
        repetitions = min(repetitions, max(FITTED_REPETITIONS, MOST_RELEASED // len(table)))
        made = self.by_method(methods, released_people, table, repetitions, seed)
        found = [Released(*one) for one in made]
        for one in found:  # shared by all that is made of them
            one.rows.setflags(write=False)
        self.saw(*(len(one.rows) for one in found))
        return found

    def saw(self, *releases: int) -> None:
        """So many releases stand behind a number."""
        self.releases_seen = max(self.releases_seen, *releases, 0)

    def curve(
        self, method: Mechanism, table: Histogram, param: Real, seed: int, repetitions: int
    ) -> Curve[Evaluation]:
        """How the method treats the table, along one parameter."""
        return self.along(evaluated_along, method, param, table, seed, repetitions)

    def along(
        self, make: Callable[..., Curve[Made]], method: Mechanism, param: Real, *args: Any
    ) -> Curve[Made]:
        """A curve, made by `make` (given the method, the parameter and `args`). It does not depend
        on where the parameter stands now, so it is kept while that slider moves."""
        has_it = param.name in method.settings()
        base = method.replace(**{param.name: param.default}) if has_it else method
        words = f"{method.title} along {param.title.lower()}"
        kept = self.told(words, make, base, param, *args)
        here = float(method.settings()[param.name]) if has_it else None
        return replace(kept, mechanism=method, here=here)

    def _ready(
        self, methods: Sequence[Mechanism], make: Callable[..., Any], table: Histogram,
        repetitions: int, rest: tuple[Any, ...], exact: bool,
    ) -> list[Mechanism]:
        """Methods that are quick, computed already or asked for; the others become a job."""
        waiting = [
            m for m in methods
            if takes_long(m, table, repetitions, exact) and not self.may_start(METHODS)
            and not self.keep.holds(
                make, m, table, affordable(m, table, repetitions, exact), *rest)
        ]
        if waiting:
            names = ", ".join(m.title for m in waiting)
            numbers = {m: affordable(m, table, repetitions, exact) for m in waiting}
            number = max(numbers.values())
            take = "releases take" if number > 1 else "release takes"
            seconds = sum(_seconds(m, table, n, exact) for m, n in numbers.items())
            self.wait_for(Job(
                METHODS, f"Run {names}",
                f"{names}: {number} {take} {about(seconds)}. Moving any control cancels.",
            ))
        return [m for m in methods if m not in waiting]

    @property
    def computed(self) -> str:
        """How the numbers came about, for the provenance."""
        if self.computed_as:
            return self.computed_as
        if not self.releases_seen:
            return "exact"
        return f"simulated, up to {releases_text(self.releases_seen)} a method"


def takes_long(
    method: Mechanism, table: Histogram, repetitions: int, exact: bool = False
) -> bool:
    """Does it take so long that a page asks first: by its nature, or on a table of this size?
    `exact`: a closed form is taken where there is one."""
    return method.slow or _seconds(method, table, repetitions, exact) > PATIENCE


def affordable(
    method: Mechanism, table: Histogram, repetitions: int, exact: bool = False
) -> int:
    """How many releases are drawn: fewer where it takes long."""
    long = takes_long(method, table, repetitions, exact)
    return min(repetitions, FITTED_REPETITIONS) if long else repetitions


def can_be_drawn(
    method: Mechanism, table: Histogram, points: int, repetitions: int, exact: bool = False
) -> bool:
    """Can it be drawn along a line of so many points?"""
    return not method.slow and points * _seconds(
        method, table, repetitions, exact) <= LONGEST_LINE


def _seconds(method: Mechanism, table: Histogram, repetitions: int, exact: bool) -> float:
    return method.effort(table).of(0 if exact and method.is_exact else repetitions)


def about(seconds: float) -> str:
    """`some seconds`, `about 40 seconds`, `about 3 minutes`: no more than is known."""
    if seconds < 10:
        return "some seconds"
    if seconds < 90:
        return f"about {10 * round(seconds / 10)} seconds"
    return f"about {round(seconds / 60)} minutes" if seconds < 5400 else "hours"


def evaluated_along(
    base: Mechanism, param: Real, table: Histogram, seed: int, repetitions: int,
    progress: Progress | None = None,
) -> Curve[Evaluation]:
    """A mechanism evaluated at points along one parameter. Only the sums are drawn: thirty times
    all single cells would be too much to keep."""
    values, none = param.points(POINTS), np.empty(0)
    point = counted(
        lambda one: replace(evaluate(one, table, repetitions, seed), bias=none, variance=none,
                            absolute_error=none, left_out=None),
        len(values), progress,
    )
    return sweep(base, param, point, values)


def counted(
    point: Callable[[Mechanism], Made], points: int, progress: Progress | None
) -> Callable[[Mechanism], Made]:
    """The point of a curve, telling the progress after each."""
    done = itertools.count(1)

    def told(one: Mechanism) -> Made:
        found = point(one)
        if progress is not None:
            progress(min(1.0, next(done) / points))
        return found

    return told

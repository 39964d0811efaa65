"""From a method and records to numbers: measures over releases, and settings that match.

A method is asked for releases of records, by its own way or by way of a table. Repetition r always
has the same random stream, whatever the method and its settings: differences between methods are
taken release by release.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.on_records import check_records, draw_records
from sdc_core.metrics.microdata.battery import Original, measure, measured
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.parameters import Integer, Real
from sdc_core.records import Records

Progress = Callable[[float], None]
_CLOSER = 6  # halvings of the step of a path in which the wanted setting lies


@dataclass(frozen=True, eq=False)
class Measured:
    """Measures of a method's releases by name, one number a release; and why one is lacking."""

    mechanism: Mechanism
    over: Mapping[str, OverReleases]
    why: Mapping[str, str]

    @property
    def repetitions(self) -> int:
        return max((len(one.each) for one in self.over.values()), default=0)

    def mean(self, name: str) -> float:
        return self.over[name].mean


def record_releases(
    mechanism: Mechanism, records: Records, repetitions: int, seed: int
) -> Iterator[Records]:
    """Releases one after the other. Where the first two are the same in every value nothing in the
    method is random, and those two are all."""
    if repetitions < 2:
        raise InputError(f"repetitions must be at least 2, got {repetitions}. Try 20.")
    check_records(mechanism, records)
    first: Records | None = None
    for number in range(repetitions):
        (made,) = draw_records(mechanism, records, [repetition_rng(seed, number)])
        yield made
        if number == 0:
            first = made
        elif number == 1 and first is not None and np.array_equal(
                made.values, first.values, equal_nan=True):
            return


def measure_releases(
    mechanism: Mechanism, original: Original, names: Sequence[str] = (), repetitions: int = 20,
    seed: int = 7, progress: Progress | None = None,
) -> Measured:
    """The measures (all unless named) of so many releases."""
    rows: list[dict[str, float]] = []
    why: dict[str, str] = {}
    for released in record_releases(mechanism, original.handed, repetitions, seed):
        with _threads().limit(limits=1):
            found, lacking = measured(original, released, names)
        rows.append(found)
        why |= {name: text for name, text in lacking.items() if name not in why}
        if progress is not None:
            progress(min(1.0, len(rows) / repetitions))
    over = {name: OverReleases(np.array([row[name] for row in rows])) for name in rows[0]}
    return Measured(mechanism, over, why)


@functools.cache
def _threads() -> ThreadpoolController:
    """One thread is enough: matrices here are narrow, and on a busy machine threads would wait for
    each other fifty times as long as they compute."""
    return ThreadpoolController()


@dataclass(frozen=True)
class Path:
    """A method from weak to strong: one of its parameters along these values."""

    base: Mechanism
    param: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        self.declared  # noqa: B018  (says so if there is none)
        if len(self.values) < 2:
            raise InputError(f"A path of {self.base.name} needs two settings or more.")

    @property
    def declared(self) -> Real:
        found = next((p for p in self.base.params() if p.name == self.param), None)
        if not isinstance(found, Real):
            raise InputError(f"{self.base.name} has no number {self.param!r} to go along.")
        return found

    def at(self, value: float) -> Mechanism:
        whole = isinstance(self.declared, Integer)
        return self.base.replace(**{self.param: round(value) if whole else value})


@dataclass(frozen=True, eq=False)
class Scan:
    """One measure at every setting of a path."""

    path: Path
    original: Original
    name: str
    repetitions: int
    seed: int
    seen: Mapping[float, OverReleases] = field(repr=False)

    def at(self, value: float) -> OverReleases:
        """Measured before, or now: a setting between those of the path."""
        return self.seen[value] if value in self.seen else measure_releases(
            self.path.at(value), self.original, [self.name], self.repetitions, self.seed,
        ).over[self.name]


def scan(
    path: Path, original: Original, name: str, repetitions: int = 5, seed: int = 7,
    progress: Progress | None = None,
) -> Scan:
    """Goes along a path from weak to strong."""
    measure(name)
    found = Scan(path, original, name, repetitions, seed, {})
    seen: dict[float, OverReleases] = {}
    for value in path.values:
        seen[value] = found.at(value)
        if progress is not None:
            progress(len(seen) / len(path.values))
    return dataclasses.replace(found, seen=seen)


@dataclass(frozen=True, eq=False)
class Match:
    """The setting at which a measure comes closest to what is wanted, and what it is there.

    `reached` is False where the wanted value lies beyond both ends of the path.
    """

    path: Path
    value: float
    achieved: OverReleases
    wanted: float
    reached: bool

    @property
    def mechanism(self) -> Mechanism:
        return self.path.at(self.value)

    @property
    def off(self) -> float:
        """How far from what is wanted, as a share of it."""
        return abs(self.achieved.mean - self.wanted) / abs(self.wanted) if self.wanted else (
            abs(self.achieved.mean))


def match(scanned: Scan, wanted: float) -> Match:
    """Halves the step of the path in which the measure crosses the wanted value, and takes the
    setting that came closest. Of whole numbers there may be none that is close."""
    found = {value: one for value, one in scanned.seen.items() if np.isfinite(one.mean)}
    path = scanned.path
    if not found:
        raise InputError(
            f"{path.base.title}: {measure(scanned.name).title.lower()} cannot be measured at any "
            "setting."
        )
    step = _crossing([(value, one.mean - wanted) for value, one in found.items()])
    if step is not None:
        (below, above), whole = step, isinstance(path.declared, Integer)
        side = found[below].mean - wanted
        for _ in range(_CLOSER):
            middle = float((below + above) // 2) if whole else (
                float(f"{(below + above) / 2:.3g}"))  # no more digits than a label can show
            if middle in found:  # no whole number lies between
                break
            found[middle] = scanned.at(middle)
            same = (found[middle].mean - wanted) * side > 0
            below, above = (middle, above) if same else (below, middle)
    best = min(found, key=lambda value: abs(found[value].mean - wanted))
    reached = step is not None or found[best].mean == wanted
    return Match(path, best, found[best], wanted, reached)


def _crossing(seen: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The first step of the path over which the difference changes its sign."""
    for (one, before), (other, after) in itertools.pairwise(seen):
        if before == 0 or before * after < 0:
            return one, other
    return None

"""From a method and records to numbers: measures over releases, and settings that match.

A method is asked for releases of records (`ReleasesRecords`). Repetition r always has the same
random stream, whatever the method and its settings: differences between methods are taken release
by release.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.microdata.battery import Original, measure, measured
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.parameters import Integer, Real
from sdc_core.records import Records

Progress = Callable[[float], None]
_CLOSER = 6  # halvings of the step of a path in which the wanted setting lies


@runtime_checkable
class ReleasesRecords(Protocol):
    """Methods that turn records into records, row by row in the order of the file."""

    def check_records(self, records: Records) -> None: ...

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]: ...


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
    if not isinstance(mechanism, ReleasesRecords):
        raise InputError(f"{mechanism.label()} releases tables, not records like these.")
    if repetitions < 2:
        raise InputError(f"repetitions must be at least 2, got {repetitions}. Try 20.")
    mechanism.check_records(records)
    first: Records | None = None
    for number in range(repetitions):
        (made,) = mechanism.draw_records(records, [repetition_rng(seed, number)])
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
    for released in record_releases(mechanism, original.records, repetitions, seed):
        found, lacking = measured(original, released, names)
        rows.append(found)
        why |= {name: text for name, text in lacking.items() if name not in why}
        if progress is not None:
            progress(min(1.0, len(rows) / repetitions))
    over = {name: OverReleases(np.array([row[name] for row in rows])) for name in rows[0]}
    return Measured(mechanism, over, why)


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
class Match:
    """The setting at which a measure comes closest to what is wanted, and what it is there.

    `reached` is False where the wanted value lies beyond both ends of the path, or cannot be
    measured anywhere on it.
    """

    path: Path
    value: float
    achieved: OverReleases
    wanted: float
    reached: bool
    tried: Mapping[float, OverReleases] = field(repr=False)

    @property
    def mechanism(self) -> Mechanism:
        return self.path.at(self.value)

    @property
    def off(self) -> float:
        """How far from what is wanted, as a share of it."""
        return abs(self.achieved.mean - self.wanted) / abs(self.wanted) if self.wanted else (
            abs(self.achieved.mean))


def match(
    path: Path, original: Original, name: str, wanted: float, repetitions: int = 5, seed: int = 7,
    progress: Progress | None = None,
) -> Match:
    """Tries every setting of the path, then halves the step in which the measure crosses the
    wanted value, and takes the setting that came closest."""
    measure(name)
    tried: dict[float, OverReleases] = {}

    def at(value: float) -> float:
        if value not in tried:
            tried[value] = measure_releases(
                path.at(value), original, [name], repetitions, seed).over[name]
        return tried[value].mean - wanted

    for number, value in enumerate(path.values):
        at(value)
        if progress is not None:
            progress((number + 1) / (len(path.values) + 1))
    crossing = _crossing([(value, at(value)) for value in path.values])
    if crossing is not None and not isinstance(path.declared, Integer):
        below, above = crossing
        for _ in range(_CLOSER):
            middle = (below + above) / 2
            below, above = (middle, above) if at(middle) * at(below) > 0 else (below, middle)
    known = [value for value in tried if np.isfinite(at(value))]
    if not known:
        raise InputError(
            f"{path.base.title}: {measure(name).title.lower()} cannot be measured at any setting.")
    best = min(known, key=lambda value: abs(at(value)))
    reached = crossing is not None or at(best) == 0
    return Match(path, best, tried[best], wanted, reached, tried)


def _crossing(seen: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The first step of the path over which the difference changes its sign."""
    for (one, before), (other, after) in itertools.pairwise(seen):
        if before == 0 or before * after < 0:
            return one, other
    return None

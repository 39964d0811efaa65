"""Methods along their settings, and one release looked at closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.on_records import draw_records
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.microdata import relations
from sdc_core.metrics.microdata.battery import Original
from sdc_core.metrics.microdata.regression import Followed, follow, most_exposed
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.lab_methods import by_table
from sdc_core.record_experiment import Path, measure_releases
from sdc_core.records import Records, Scale

Floats = NDArray[np.float64]

LEVELS = 8
# What RWN is moved along: P4 varies the radius (§9.3.2), k and q (§9.3.1).
RWN_PATHS = {
    "radius": Path(mechanism("rwn", q=1.0, k=5), "radius",
                   (0.0, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2)),
    "k": Path(mechanism("rwn", q=0.5), "k", (5.0, 10.0, 15.0, 25.0, 40.0, 50.0, 60.0, 75.0)),
    "q": Path(mechanism("rwn", k=5), "q", (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)),
}
_ON_NUMBERS = (
    Path(mechanism("rank-swapping"), "p", (0.02, 0.05, 0.1, 0.15, 0.21, 0.3, 0.42, 0.54)),
    Path(mechanism("microaggregation"), "k", (2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0, 32.0)),
    Path(mechanism("noise-addition"), "share", (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0)),
)


def paths(along: str, original: Original) -> tuple[Path, ...]:
    """Every method from weak to strong; RWN first."""
    return (RWN_PATHS[along], *_ON_NUMBERS, *by_table(original))


@dataclass(frozen=True, eq=False)
class Point:
    """A method at one setting: the two measures over its releases."""

    mechanism: Mechanism
    value: float
    privacy: OverReleases
    utility: OverReleases
    lacking: Mapping[str, str]  # which of them every release does not have, and why

    @property
    def known(self) -> bool:
        """Does every release have both? Those that lack one are not just any releases."""
        return self.privacy.complete and self.utility.complete


def point(
    path: Path, value: float, original: Original, privacy: str, utility: str, releases: int,
    seed: int,
) -> Point:
    found = measure_releases(path.at(value), original, (privacy, utility), releases, seed)
    return Point(
        found.mechanism, value, found.over[privacy], found.over[utility],
        found.why,
    )


@dataclass(frozen=True, eq=False)
class Line:
    """A method's points along its path."""

    path: Path
    points: tuple[Point, ...]
    undefined: str = ""  # why there are no points

    @property
    def why(self) -> str:
        """Why nothing is known."""
        return self.undefined or next(iter(self.lacking.values()), "")

    @property
    def lacking(self) -> Mapping[str, str]:
        """Measures that the first point without them lacks, and why."""
        return next((p.lacking for p in self.points if p.lacking), {})

    @property
    def known(self) -> tuple[Point, ...]:
        return tuple(p for p in self.points if p.known)


class Exposed(NamedTuple):
    """The record that is easiest to find: the one that pulls hardest on the regression or, where
    that is not determined, the one farthest from its closest other (`alone`)."""

    record: int
    alone: bool


def exposed(original: Original) -> Exposed:
    try:
        return Exposed(most_exposed(original.fit), False)
    except InputError:
        return Exposed(int(closest_others(original.records).argmax()), True)


def closest_others(records: Records) -> Floats:
    """How far the closest other of each record is."""
    nearest = Rwn(k=1).neighbourhoods(records)  # with those who are just as close
    points = Scale.of(records).points(records)
    gaps = points - points[nearest.members[nearest.starts[:-1]]]
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", gaps, gaps)))


@dataclass(frozen=True, eq=False)
class Look:
    """One release beside the original: correlations, components and the most exposed record."""

    mechanism: Mechanism
    names: tuple[str, ...]
    before: Floats
    after: Floats
    shares_before: Floats
    shares_after: Floats
    scores_before: Floats  # of all records on the original's first two components
    scores_after: Floats
    exposed: Exposed
    in_places: bool
    followed: Followed | None

    @property
    def pairs(self) -> tuple[Floats, Floats]:
        upper = np.triu_indices(len(self.names), 1)
        return self.before[upper], self.after[upper]


def look(method: Mechanism, original: Original, seed: int, found: Exposed) -> Look:
    """What one release shows: the one that belongs to this seed. `found` is whom it follows."""
    released = next(draw_records(method, original.handed, [repetition_rng(seed, 0)]))
    here, there = original.numbers(original.records), original.numbers(released)
    components = original.components
    followed = None
    if released.in_places:
        try:
            followed = follow(found.record, original.fit, original.regression(released))
        except InputError:  # the original or the release does not determine the regression
            followed = None
    titles = tuple(original.records.variables[j].title for j in original.numeric)
    return Look(
        method, titles, relations.correlations(here, "the original"),
        relations.correlations(there, "the release"), components.shares,
        relations.components(there, "the release").shares,
        components.scores(here)[:, :2], components.scores(there)[:, :2], found,
        released.in_places, followed,
    )


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """For each record: how many others it may borrow from, and how far the closest one is."""

    mechanism: Rwn
    sizes: NDArray[np.int64]
    closest: Floats
    record: int
    coded: bool = False  # tails were cut off before


def neighbourhood(
    method: Rwn, original: Original, found: Exposed, closest: Floats
) -> Neighbourhood:
    return Neighbourhood(
        method, method.neighbourhoods(original.handed).sizes, closest, found.record,
        original.coded is not None)


def ends(line: Line) -> tuple[Point, Point]:
    """The weakest and the strongest setting that could be measured."""
    known: Sequence[Point] = line.known
    return known[0], known[-1]

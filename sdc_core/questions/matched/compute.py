"""Which settings match, and what do releases with those settings keep?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.battery import MEASURES, Measure, Original
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.p4_body import CLUSTERS, RADII, RANGES
from sdc_core.questions.lab_methods import by_table
from sdc_core.record_experiment import Measured, Path, Progress, Scan, match, measure_releases

SCAN_RELEASES = 3  # of each setting of a path, to find where it matches
UTILITY: tuple[Measure, ...] = tuple(m for m in MEASURES if m.side == "utility" and m.good)


def table_3() -> tuple[Path, ...]:
    """The methods of Table 3 at its settings, RWN first: it sets the level."""
    return (
        Path(mechanism("rwn", q=1.0, k=5), "radius", RADII),
        Path(mechanism("rank-swapping"), "p", RANGES),
        Path(mechanism("microaggregation"), "k", CLUSTERS),
    )


def wide_paths(original: Original) -> tuple[Path, ...]:
    """The same methods, and those that P4 does not run, from hardly anything to very much."""
    return (
        Path(mechanism("rwn", q=1.0, k=5), "radius", (RADII[0], 0.45, 0.65, RADII[-1])),
        Path(mechanism("rank-swapping"), "p", (0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0)),
        Path(mechanism("microaggregation"), "k", (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)),
        Path(mechanism("noise-addition"), "share", (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)),
        *by_table(original),
    )


def compared_by(name: str) -> tuple[Measure, ...]:
    """What releases are measured by: all that is quick, and what they are ranked by."""
    return tuple(one for one in UTILITY if not one.costly or one.name == name)


@dataclass(frozen=True, eq=False)
class Compared:
    """One method at its matched setting: the measure that was matched and what is kept there."""

    mechanism: Mechanism
    path: Path
    value: float
    matched: OverReleases
    wanted: float
    reached: bool
    measured: Measured

    @property
    def off(self) -> float:
        """How far the matched measure is from what is wanted, as a share of it."""
        gap = abs(self.matched.mean - self.wanted)
        return gap / abs(self.wanted) if self.wanted else gap

    def loss(self, name: str) -> OverReleases:
        return self.measured.over[name]


def level_at(first: Scan, radius: float) -> float:
    """The level that RWN has there, and all others are to have."""
    return first.at(radius).mean


def at_level(
    one: Scan, wanted: float, setting: float | None, releases: int, names: Sequence[str],
    progress: Progress | None = None,
) -> Compared:
    """A method at this setting or, where there is none, at the one that comes closest to the wanted
    level; and what its releases keep there."""
    best = match(one, wanted) if setting is None else None
    value = best.value if best is not None else setting or 0.0
    method = one.path.at(value)
    return Compared(
        method, one.path, value, one.at(value) if best is None else best.achieved, wanted,
        best is None or best.reached,
        measure_releases(method, one.original, names, releases, one.seed, progress),
    )

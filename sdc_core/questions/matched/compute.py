"""Which settings match, and what do releases with those settings keep?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.battery import MEASURES, Measure, Original
from sdc_core.metrics.microdata.battery import measure as measure_of
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.record_experiment import Measured, Path, Progress, Scan, match, measure_releases

INDICES = 15
SCAN_RELEASES = 4  # of each setting of a path, to find where it matches
UTILITY: tuple[Measure, ...] = tuple(m for m in MEASURES if m.side == "utility" and m.good)
# P4's Table 3: index i of one method belongs to index i of the others.
_STEPS = range(INDICES)
RADII = tuple(round(0.25 + 0.05 * i, 2) for i in _STEPS)
RANGES = tuple(round(0.12 + 0.03 * i, 2) for i in _STEPS)
CLUSTERS = tuple(float(2 + i) for i in _STEPS)
NOISE = tuple(round(0.1 + 0.1 * i, 2) for i in _STEPS)  # not in P4


def paths() -> tuple[Path, ...]:
    """The methods of Table 3, RWN first (it sets the level), and noise, which P4 does not run."""
    return (
        Path(mechanism("rwn", q=1.0, k=5), "radius", RADII),
        Path(mechanism("rank-swapping"), "p", RANGES),
        Path(mechanism("microaggregation"), "k", CLUSTERS),
        Path(mechanism("noise-addition"), "share", NOISE),
    )


IN_TABLE_3 = 3  # of the paths


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


def compared(
    scans: Sequence[Scan], level: int, match_them: bool, releases: int,
    progress: Progress | None = None,
) -> list[Compared]:
    """Each method at the setting that matches the first one's at this index, or at its own setting
    of the same index."""
    reference = scans[0]
    wanted = reference.seen[reference.path.values[level - 1]].mean
    found = []
    for number, one in enumerate(scans):
        at_index = one.path.values[level - 1]
        as_listed = number == 0 or not match_them
        best = None if as_listed else match(one, wanted)
        value = at_index if best is None else best.value
        method = one.path.at(value)
        found.append(Compared(
            method, one.path, value, one.at(value), wanted,
            True if best is None else best.reached,
            measure_releases(method, one.original, [m.name for m in UTILITY], releases, one.seed),
        ))
        if progress is not None:
            progress((number + 1) / len(scans))
    return found


def original_value(original: Original, name: str) -> float:
    """What a described quantity is in the original: the coefficient, R², for a caption."""
    measure_of(name)
    fit = original.fit
    return float(fit.coefficients[original.coefficient] if name == "coefficient" else fit.r_squared)

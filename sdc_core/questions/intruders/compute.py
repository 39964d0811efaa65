"""What do the three intruders get out of releases of each method, and what do these keep?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, ReleasesRecords
from sdc_core.mechanisms.on_records import AsTable
from sdc_core.mechanisms.tail_coding import code_tails
from sdc_core.metrics.microdata import intruders, relations
from sdc_core.metrics.microdata.battery import Original
from sdc_core.metrics.microdata.intruders import OUTCOMES, Known, Outcome
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.record_experiment import Progress, record_releases
from sdc_core.records import Records

RELEASES = 20
MOST_GROUPS = 20_000  # of a table that records are turned into: beyond it a release takes seconds
TOP = 0.02  # share of the largest numbers that top-coding cuts off
_SPLIT = 2024
# Light, medium, strong: P4's Table 3 at indices 1, 6 and 12; ε for the method that has one.
STRENGTHS = ("light", "medium", "strong")
_SETTINGS: dict[str, tuple[float, int, float]] = {
    # rank range, cluster size (and k), ε; the radius of RWN beside them
    "light": (0.12, 2, 10.0), "medium": (0.27, 7, 1.0), "strong": (0.45, 13, 0.1),
}
_RADIUS = {"light": 0.25, "medium": 0.5, "strong": 0.8}


def methods(strength: str, records: Records) -> list[Mechanism]:
    """Four traditional methods, and one with a promise."""
    share, size, epsilon = _SETTINGS[strength]
    most = len(records) // 2
    return [
        mechanism("rwn", q=1.0, k=min(5, most), radius=_RADIUS[strength]),
        mechanism("rank-swapping", p=share),
        mechanism("microaggregation", k=min(size, most)),
        mechanism("k-anonymity", k=min(size, most), quasi_identifiers=records.names),
        mechanism("mst", epsilon=epsilon),
    ]


def able(wanted: Sequence[Mechanism], records: Records) -> tuple[list[Mechanism], list[Mechanism]]:
    """Methods that can release these records, and those that cannot: a table of so many variables
    has too many groups."""
    fit = [one for one in wanted if _fits(one, records)]
    return fit, [one for one in wanted if one not in fit]


def _fits(method: Mechanism, records: Records) -> bool:
    try:
        if not isinstance(method, ReleasesRecords):
            return len(AsTable.of(records).table) <= MOST_GROUPS
        method.check_records(records)
    except InputError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Scene:
    """Who is in the data and who is not, and what the intruders know and want."""

    members: Records
    others: Records
    known: Known
    extreme: str
    top_coded: bool

    @property
    def protected(self) -> Records:
        """What a method is given."""
        return code_tails(self.members, top=TOP) if self.top_coded else self.members


def scene(
    original: Original, known: tuple[str, ...], wanted: str, extreme: str, top_coded: bool
) -> Scene:
    """Half of the records, drawn once, are in the data; the others are not."""
    records = original.records
    order = np.random.default_rng(_SPLIT).permutation(len(records))
    half = len(records) // 2
    members, others = (records.rows(np.sort(part)) for part in (order[:half], order[half:]))
    return Scene(
        members, others, intruders.known_by(members, known, wanted), extreme, top_coded)


@dataclass(frozen=True, eq=False)
class Attacked:
    """One method: what the intruders get right over releases, what is kept, the first release."""

    mechanism: Mechanism | None  # none: the records as they are
    cells: Mapping[Outcome, OverReleases]
    extreme: Mapping[Outcome, OverReleases]
    membership: OverReleases
    correlations: OverReleases
    answered: OverReleases  # share of the small cells that a query gets an answer for
    categories: float  # share of categories that differ from the person's own; none if drawn anew
    impossible: float  # share of numbers that are not whole or negative where all were
    first: Records = field(repr=False)

    @property
    def doing(self) -> str:
        return "leaving the records as they are" if self.mechanism is None else self.mechanism.doing

    @property
    def label(self) -> str:
        return "The records as they are" if self.mechanism is None else self.mechanism.label()


def attacked(
    method: Mechanism | None, at: Scene, repetitions: int, seed: int,
    progress: Progress | None = None,
) -> Attacked:
    rows: list[dict[str, float]] = []
    first: Records | None = None
    releases = [at.members] * 2 if method is None else record_releases(
        method, at.protected, repetitions, seed)
    for released in releases:
        rows.append(_measured(at, released))
        first = released if first is None else first
        if progress is not None:
            progress(min(1.0, len(rows) / repetitions))
    assert first is not None
    over = {name: OverReleases(np.array([row[name] for row in rows])) for name in rows[0]}
    return Attacked(
        method, {o: over[f"cell {o}"] for o in OUTCOMES},
        {o: over[f"extreme {o}"] for o in OUTCOMES}, over["membership"], over["il1"],
        over["answered"], over["categories"].mean, over["impossible"].mean, first,
    )


def _measured(at: Scene, released: Records) -> dict[str, float]:
    cells = intruders.small_cells(at.members, released, at.known)
    seen = intruders.extreme(at.members, released, at.extreme, at.known.wanted).outcome
    return {
        **{f"cell {name}": share for name, share in cells.items()},
        **{f"extreme {name}": float(seen == name) for name in OUTCOMES},
        "membership": intruders.membership(at.members, at.others, released),
        "il1": _correlation_change(at.members, released),
        "answered": 1 - cells["nobody"],
        "categories": _categories_changed(at.members, released),
        "impossible": _impossible(at.members, released),
    }


def _correlation_change(members: Records, released: Records) -> float:
    axes = [j for j in members.numeric_axes if np.ptp(members.values[:, j]) > 0
            and np.ptp(released.values[:, j]) > 0]
    return relations.correlation_change(
        members.values[:, axes], released.values[:, axes]) if len(axes) > 1 else float("nan")


def _categories_changed(members: Records, released: Records) -> float:
    held = [j for j, v in enumerate(members.variables) if not v.numeric]
    if not held or not released.in_places:
        return float("nan")
    return float((members.values[:, held] != released.values[:, held]).mean())


def _impossible(members: Records, released: Records) -> float:
    """Numbers below zero where none was, or with decimals where all were whole."""
    wrong = []
    for j in members.numeric_axes:
        before, after = members.values[:, j], released.values[:, j]
        bad = np.zeros(len(after), dtype=bool)
        if before.min() >= 0:
            bad |= after < 0
        if (before == np.rint(before)).all():
            bad |= np.abs(after - np.rint(after)) > 1e-9
        wrong.append(bad.mean())
    return float(np.mean(wrong))

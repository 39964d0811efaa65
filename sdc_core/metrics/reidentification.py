"""Which unique people does a release show as they are? Unique exact matches.

A person is alone in the data with a combination of values. Is somebody with exactly these values in
the release? SDNist counts those who occur in it at least once; P0 (§7) reads it as singletons of
both, that is occurring exactly once. What an outsider makes of a release is in `outsider`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.people import marginal

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rule = Literal["at-least-once", "exactly-once"]
RULES: dict[Rule, str] = {"at-least-once": "at least once", "exactly-once": "exactly once"}
BAND = (5, 95)  # percentiles of the releases, for the band around a simulated mean


@runtime_checkable
class KnowsSmallCounts(Protocol):
    """Mechanisms that know the chance of no person and of one person in each released count."""

    def chance_of_none_or_one(self, data: Histogram) -> tuple[Floats, Floats]: ...


def knows_chances(mechanism: Mechanism) -> TypeGuard[KnowsSmallCounts]:
    """Are these chances known under the present settings, so that no release need be drawn?"""
    # asked of the class, which is looked up once
    return issubclass(type(mechanism), KnowsSmallCounts) and mechanism.is_exact


def chances_of_match(
    mechanism: Mechanism, table: Histogram, rule: Rule
) -> Floats | None:
    """For each cell the exact chance that it is in the release, or None where it is not known."""
    if not knows_chances(mechanism):
        return None
    none, one = mechanism.chance_of_none_or_one(table)
    return 1 - none if rule == "at-least-once" else one


def matches(released: Ints, rule: Rule) -> NDArray[np.bool_]:
    """Which cells are in the release, by the rule?"""
    return released >= 1 if rule == "at-least-once" else released == 1


@dataclass(frozen=True, eq=False)
class UniqueMatches:
    """How many of the people who are unique in the data are in the release, on average."""

    mechanism: Mechanism
    rule: Rule
    method: Literal["exact", "simulated"]
    repetitions: int
    people: int
    unique: int
    expected: float
    low: float  # of BAND over the releases; the expected value itself where exact
    high: float
    empty: int  # groups with nobody in them
    made_up: float  # those of them that the release shows in the same way, on average
    by_cell: Floats = field(repr=False)  # chance of a match, one for each unique person
    cells: Ints = field(repr=False)
    error: float = 0.0  # standard error of `expected`; none where exact
    made_up_error: float = 0.0
    represented: float = 0.0  # people that the unique records stand for, where there are weights
    expected_represented: float = 0.0  # those that the records in the release stand for
    represented_error: float = 0.0  # standard error of that

    @property
    def share(self) -> float:
        """Of the unique people."""
        return self.expected / self.unique if self.unique else 0.0

    @property
    def share_error(self) -> float:
        return self.error / self.unique if self.unique else 0.0

    @property
    def real_share(self) -> float:
        """Of the groups that are shown and have one person or nobody: how many have the person?"""
        shown = self.expected + self.made_up
        return self.expected / shown if shown else float("nan")

    @property
    def made_up_share(self) -> float:
        """Of the empty groups: what the same rule finds where there is nobody to find."""
        return self.made_up / self.empty if self.empty else 0.0

    def by_value(self, table: Histogram, axis: int) -> list[tuple[str, int, int, float]]:
        """For each value of a feature: its label, people, unique people, and how many of those are
        in the release on average."""
        feature = table.domain.features[axis]
        people = marginal(table.counts, table.domain, (axis,))
        codes = np.unravel_index(self.cells, table.domain.shape)[axis]
        unique = np.bincount(codes, minlength=len(feature))
        found = np.bincount(codes, self.by_cell, minlength=len(feature))
        return [
            (label, int(people[i]), int(unique[i]), float(found[i]))
            for i, label in enumerate(feature.labels) if people[i]
        ]


def unique_matches(
    mechanism: Mechanism, table: Histogram, rule: Rule, released: Ints | None = None
) -> UniqueMatches:
    """How many unique people does a release show as they are? Exact where the mechanism knows the
    law of its counts; otherwise the mean over `released` (rows of whole people)."""
    cells, empty = np.flatnonzero(table.counts == 1), table.counts == 0
    facts, stand_for = (table.total, len(cells)), table.per_record[cells]
    chance = chances_of_match(mechanism, table, rule)
    if chance is not None:
        each = chance[cells]
        total = float(each.sum())
        return UniqueMatches(
            mechanism, rule, "exact", 0, *facts, total, total, total, int(empty.sum()),
            float(chance[empty].sum()), each, cells, represented=float(stand_for.sum()),
            expected_represented=float(each @ stand_for),
        )
    if released is None:
        raise InputError(
            f"{mechanism.label()} has no closed form for this; give releases from released_people."
        )
    found = matches(released[:, cells], rule)
    shown, made_up, people = (
        OverReleases(each.sum(axis=1).astype(np.float64))
        for each in (found, matches(released[:, empty], rule), found * stand_for)
    )
    low, high = np.percentile(shown.each, BAND)
    return UniqueMatches(
        mechanism, rule, "simulated", len(released), *facts, shown.mean, float(low), float(high),
        int(empty.sum()), made_up.mean, found.mean(axis=0), cells, shown.error, made_up.error,
        float(stand_for.sum()), people.mean, people.error,
    )


def count_unique_matches(truth: Ints, released: Ints) -> tuple[int, int]:
    """SDNist's two numbers for one release: unique people who are in it, and unique people."""
    alone = truth == 1
    return int(np.count_nonzero(released[alone])), int(np.count_nonzero(alone))

"""What would a decision look like if it were taken on the released counts?

Two decisions that are taken on census counts every year: a fixed pot of money shared among places
in proportion to the people of some group, and a rule that applies to places where the group makes
up more than x% of the people.

With m_a members and t_a people in place a, released as m̃_a and t̃_a,
    gain_a = pot (m̃_a / Σ m̃ − m_a / Σ m),     misallocated = ½ Σ_a |gain_a|,
    flip_a = [m̃_a / t̃_a > x] ≠ [m_a / t_a > x].
Shares are ratios of random numbers, so there is no closed form: all is averaged over releases.
Where the table has weights, members and people are those that the counts represent.

Some of the released members are in groups that have nobody. Where a method treats every count by
itself, money is also shared by the same releases with those groups left at 0, to show what they do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.data.dataset import DomainChoice
from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms.base import CellMoments, ExactMoments, Mechanism
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.people import marginal

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[Any]  # of people: whole, unless they are represented by others

BAND = (0.05, 0.95)  # of the releases, between which nine in ten lie
_MOST_NUMBERS = 4_000_000  # released counts that are kept for one method (32 MB)
_FEWEST_RELEASES = 20
_ROUNDING = 1e-12  # of a share: what only the arithmetic leaves over
MOST_GROUPS = _MOST_NUMBERS // _FEWEST_RELEASES


@dataclass(frozen=True)
class Group:
    """People who have, for each of these features, one of these values; nothing named: everybody.

    Values of one feature are alternatives (Black or Asian), features add up (Black and renting).
    """

    wanted: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, chosen: Iterable[tuple[str, str]]) -> Group:
        """From pairs of feature and value."""
        wanted: dict[str, list[str]] = {}
        for feature, value in chosen:
            wanted.setdefault(feature, []).append(value)
        return cls(tuple((feature, tuple(values)) for feature, values in wanted.items()))

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(feature for feature, _ in self.wanted)

    def members(self, domain: Domain) -> NDArray[np.bool_]:
        """Which cells of the table are members?"""
        inside = np.ones(domain.shape, dtype=bool)
        for name, values in self.wanted:
            (axis,) = domain.axes([name], "group")
            known = domain.features[axis].values
            for value in values:
                if value not in known:
                    raise InputError(
                        f"group asks for {name} = {value!r}, which does not occur. It has: "
                        f"{', '.join(known)}."
                    )
            chosen = np.array([value in values for value in known])
            shape = [1] * len(domain.shape)
            shape[axis] = len(known)
            inside &= chosen.reshape(shape)
        return inside.ravel()


@dataclass(frozen=True)
class Condition:
    """One value of one feature, with the words for both."""

    feature: str
    value: str
    title: str


def conditions(
    dataset: Dataset, area: str, domain: DomainChoice = "dictionary"
) -> dict[str, Condition]:
    """What can define a group: every value of every feature but the place, by its short name.

    The features that the data set is counted by elsewhere come first.
    """
    found = {}
    for name in dict.fromkeys((*dataset.default_features, *dataset.features)):
        if name == area:
            continue
        try:
            feature = dataset.feature(name, domain)
        except InputError:
            continue  # such as too many values: cannot be counted by
        for value, label in zip(feature.values, feature.labels, strict=True):
            found[f"{name}={value}"] = Condition(name, value, f"{feature.title}: {label}")
    return found


@dataclass(frozen=True, eq=False)
class AreaCounts:
    """Members of the group, people altogether, and those of the members who were put into groups
    that have nobody; one row a release, one column a place."""

    members: Numbers
    everybody: Numbers
    invented: Numbers


def area_counts(
    counts: NDArray[np.integer], table: Histogram, area: str, group: Group
) -> AreaCounts:
    """How many members and people does each release of this table put in each place?"""
    rows, domain = np.atleast_2d(counts), table.domain
    axes = domain.axes([area], "area")
    inside = group.members(domain)
    people = rows * table.per_record if table.weighted else rows
    kind = np.float64 if table.weighted else np.int64
    members, everybody, invented = (
        marginal(np.where(cells, people, 0), domain, axes).astype(kind)
        for cells in (inside, np.ones_like(inside), inside & (table.counts == 0))
    )
    return AreaCounts(members, everybody, invented)


def affordable_releases(groups: int, wanted: int) -> int:
    """How many releases of a table with so many groups fit into memory?"""
    if groups > MOST_GROUPS:
        raise InputError(
            f"This table has {groups:,} groups; releases are drawn for at most {MOST_GROUPS:,}. "
            "Count people by fewer features, such as place and group only."
        )
    return min(wanted, max(_FEWEST_RELEASES, _MOST_NUMBERS // groups))


@dataclass(frozen=True, eq=False)
class Money:
    """Who gains and who loses, over the releases in which there is anybody to share by."""

    gain: Floats  # mean, one a place
    gain_se: Floats
    low: Floats
    high: Floats
    moved: float  # mean over releases of what goes to the wrong place
    moved_se: float
    releases: int
    undefined: int  # releases without a single member: the pot cannot be shared
    each: Floats  # gains, one row a release; NaN where it cannot be shared

    @property
    def moved_each(self) -> Floats:
        """What goes to the wrong place, one a release."""
        return np.asarray(np.abs(self.each).sum(axis=1) / 2)


@dataclass(frozen=True, eq=False)
class Rule:
    """Which places change sides. A release without people in a place says nothing about it."""

    shares: Floats  # mean released share, one a place; NaN where never defined
    low: Floats
    high: Floats
    flip: Floats  # chance, one a place; NaN where never defined
    flip_se: Floats
    flips: float  # places flipped, mean over releases
    any_flip: float  # share of releases that flip at least one place
    undefined: Ints  # releases without people, one a place
    each: Floats  # places flipped, one a release


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one method's releases would do to both decisions."""

    mechanism: Mechanism
    releases: int
    money: Money
    rule: Rule
    extra_members: float  # released minus true members, all places together, mean
    extra_members_se: float  # infinite where one release says nothing about others
    invented: float  # members in groups that have nobody, all places together, mean
    kept: Money | None  # with those groups left at 0; None where it moves people between groups
    unchanged: bool  # no release changed a single number that the decisions look at
    untouched: bool  # nor could it: it alters other features than those
    certain: bool  # nothing is left to chance: every release is the same


@dataclass(frozen=True, eq=False)
class Decisions:
    """The question and every method's answer; places in the order of the data."""

    area: str  # what the places are, in words
    is_place: bool  # or values of something else
    places: tuple[str, ...]
    pot: float
    percent: float
    members: Numbers
    everybody: Numbers
    empty: int  # groups of members that have nobody
    outcomes: tuple[Outcome, ...]
    weighted: bool = False  # are people those that records represent?

    @property
    def fair(self) -> Floats:
        """What each place gets by its true count."""
        return self.pot * self.members / self.members.sum()

    @property
    def shares(self) -> Floats:
        """The group's true share of each place's people; NaN where nobody lives."""
        return _shares(self.members, self.everybody)

    @property
    def above(self) -> NDArray[np.bool_]:
        return above(self.members, self.everybody, self.percent)


def decide(
    table: Histogram, area: str, group: Group, pot: float, percent: float,
    released: Sequence[tuple[Mechanism, AreaCounts]],
) -> Decisions:
    """What do pot and rule do under each method's releases of this table?"""
    if not (math.isfinite(pot) and pot > 0):
        raise InputError(f"pot must be above 0, got {pot}. Try 1000000.")
    if not 0 <= percent <= 100:
        raise InputError(f"threshold must be in [0, 100] per cent, got {percent}. Try 20.")
    truth = area_counts(table.counts, table, area, group)
    members, everybody = truth.members[0], truth.everybody[0]
    if members.sum() == 0:
        raise InputError(
            "Nobody in this data belongs to the group, so there is nothing to share by and no "
            "share to compare. Choose another group."
        )
    (axis,) = table.domain.axes([area], "area")
    outcomes = []
    for mechanism, counts in released:
        same = _same(counts.members, members) and _same(counts.everybody, everybody)
        altered = mechanism.altered_features
        untouched = bool(same and altered and not {area, *group.features} & set(altered))
        alone = isinstance(mechanism, CellMoments)
        certain = untouched or _is_certain(mechanism, counts, table)
        extra = OverReleases(counts.members.sum(axis=1) - float(members.sum()))
        outcomes.append(Outcome(
            mechanism, len(counts.members), share_money(members, counts.members, pot),
            apply_rule(members, everybody, counts, percent),
            extra.mean, 0.0 if certain else extra.error,
            float(counts.invented.sum(axis=1).mean()),
            share_money(members, counts.members - counts.invented, pot) if alone else None,
            bool(same), untouched, certain,
        ))
    where = table.domain.features[axis]
    empty = int((table.counts[group.members(table.domain)] == 0).sum())
    return Decisions(
        where.title, where.role == Role.PLACE, where.labels, pot, percent, members, everybody,
        empty, tuple(outcomes), table.weighted,
    )


def _same(released: Numbers, truth: Numbers) -> bool:
    """Is every number the true one? Up to rounding, where numbers are not whole."""
    if truth.dtype.kind == "i":
        return bool((released == truth).all())
    return bool(np.allclose(released, truth, rtol=1e-9, atol=0.0))


def _is_certain(mechanism: Mechanism, counts: AreaCounts, table: Histogram) -> bool:
    """Are all releases the same, not only those that were drawn?"""
    if any((rows != rows[0]).any() for rows in (counts.members, counts.everybody)):
        return False
    return (
        isinstance(mechanism, ExactMoments) and mechanism.is_exact
        and not mechanism.exact_moments(table)[1].any()
    )


def share_money(members: Numbers, released: Numbers, pot: float) -> Money:
    """Gains against the true sharing, release by release."""
    totals = released.sum(axis=1)
    usable = released[totals > 0]
    undefined = int((totals == 0).sum())
    if not len(usable):
        nothing = np.full(len(members), math.nan)
        each = np.full(released.shape, math.nan)
        return Money(nothing, nothing, nothing, nothing, math.nan, math.nan, 0, undefined, each)
    shift = usable / usable.sum(axis=1, keepdims=True) - members / members.sum()
    gain = pot * np.where(np.abs(shift) < _ROUNDING, 0.0, shift)
    moved = np.abs(gain).sum(axis=1) / 2
    low, high = np.quantile(gain, BAND, axis=0)
    each = np.full(released.shape, math.nan)
    each[totals > 0] = gain
    return Money(
        gain.mean(axis=0), _standard_error(gain), low, high,
        float(moved.mean()), float(_standard_error(moved[:, None])[0]), len(usable), undefined,
        each,
    )


def above(members: Numbers, everybody: Numbers, percent: float) -> NDArray[np.bool_]:
    """Is the group more than x% of the people? Beyond rounding, so that 30% of 10 is exactly 3."""
    return np.asarray(100 * members - percent * everybody > 1e-12 * everybody)


def apply_rule(
    members: Numbers, everybody: Numbers, released: AreaCounts, percent: float
) -> Rule:
    """Which places would be on the other side of the threshold, and how often?"""
    known = (released.everybody > 0) & (everybody > 0)
    changed = above(released.members, released.everybody, percent) != above(
        members, everybody, percent
    )
    flipped = changed & known
    times = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        flip = np.where(times > 0, flipped.sum(axis=0) / np.maximum(times, 1), math.nan)
        flip_se = np.sqrt(flip * (1 - flip) / np.maximum(times, 1))
    shares = _shares(released.members, released.everybody)
    low, mean, high = (np.full(len(members), math.nan) for _ in range(3))
    for place in np.flatnonzero((released.everybody > 0).any(axis=0)):
        seen = shares[released.everybody[:, place] > 0, place]
        mean[place] = seen.mean()
        low[place], high[place] = np.quantile(seen, BAND)
    return Rule(
        mean, low, high, flip, flip_se, float(flipped.sum(axis=1).mean()),
        float(flipped.any(axis=1).mean()), (released.everybody == 0).sum(axis=0),
        flipped.sum(axis=1).astype(np.float64),
    )


def _shares(members: Numbers, everybody: Numbers) -> Floats:
    return np.where(everybody > 0, members / np.where(everybody > 0, everybody, 1), math.nan)


def _standard_error(rows: Floats) -> Floats:
    """Of the mean over releases; zero where there is only one, for then nothing is known."""
    if len(rows) < 2:
        return np.zeros(rows.shape[1])
    return np.asarray(rows.std(axis=0, ddof=1) / math.sqrt(len(rows)))

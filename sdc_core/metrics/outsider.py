"""What does an outsider learn from a release who knows some features of everybody?

- Apparent match: the outsider finds exactly one record with somebody's known values in the release.
  If the data has exactly one such person too, it looks like a hit; it is right if the other
  features agree as well.
- Attribute inference: the outsider takes the most frequent value of a sensitive feature among such
  records of the release. How often is that right, and how often would the most frequent value of
  all the data have been? That one is the same whatever the release.
- Certain answer: where a release shows 0 only if nobody is there, a value at 0 is ruled out.
  Whoever has known values with which only one answer is left above 0 has that one, for sure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms.base import CellMechanism, ExactMoments, Mechanism
from sdc_core.metrics.error import BANDS, band_title
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import knows_chances
from sdc_core.people import marginal

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GroupRisk:
    """A group of people: how often an outsider's guess about one of them is right."""

    title: str
    people: int
    right: OverReleases  # share, guessing from the release
    base: float  # share, guessing the most frequent value of all the data
    apparent: OverReleases  # how many look like a unique hit
    correct: OverReleases  # how many of those are one
    certain: OverReleases  # how many people have one answer left, where zeros are real

    @cached_property
    def gain(self) -> OverReleases:
        """Right guesses beyond those of the most frequent value, as a share."""
        return OverReleases(self.right.each - self.base)


@dataclass(frozen=True)
class Risk(GroupRisk):
    """Apparent matches and attribute inference for one mechanism, release by release, for all
    people and by groups of them."""

    mechanism: Mechanism
    empty: int  # releases without anybody in them; they are left out
    original_unique: int
    alone_certain: OverReleases  # of them: how many have one answer left, where zeros are real
    fixed: bool  # nothing is drawn: every release is the same
    best: float  # share of right guesses from the original itself: no release can do better
    by_size: tuple[GroupRisk, ...]
    by_group: tuple[GroupRisk, ...]

    @property
    def releases(self) -> int:
        return len(self.right.known)


@dataclass(frozen=True)
class Knowledge:
    """What the outsider knows and wants: positions of features in the domain."""

    known: tuple[int, ...]
    sensitive: int
    group: int | None  # the feature by which risk is broken down

    @classmethod
    def of(
        cls, domain: Domain, quasi_identifiers: Sequence[str], sensitive: str, group: str | None
    ) -> Knowledge:
        if len(domain.features) < 2:
            raise InputError(
                "The table is counted by one feature only: there is nothing to infer from it. "
                "Count people by at least two features."
            )
        known = domain.axes(quasi_identifiers, "quasi_identifiers")
        if not known:
            raise InputError("Choose at least one thing the outsider knows.")
        (wanted,) = domain.axes([sensitive], "sensitive")
        if wanted in known:
            raise InputError(
                f"{domain.features[wanted].title} is known to the outsider already. Choose "
                "something else to find out, or take it out of what is known."
            )
        by = None if group is None else domain.axes([group], "group")[0]
        return cls(tuple(sorted(known)), wanted, by)


def zeros_are_real(mechanism: Mechanism, table: Histogram) -> bool:
    """Does a released 0 prove that nobody is there, as far as the law of a count can tell?"""
    if not isinstance(mechanism, CellMechanism) or not knows_chances(mechanism):
        return False
    somebody = Histogram.from_counts(np.arange(1, int(table.counts.max(initial=1)) + 1))
    return not mechanism.chance_of_none_or_one(somebody)[0].any()


def is_fixed(mechanism: Mechanism, table: Histogram) -> bool:
    """Is every release the same, so that more of them say no more than one?"""
    exact = isinstance(mechanism, ExactMoments) and mechanism.is_exact
    return exact and not mechanism.variance(table).any()  # type: ignore[attr-defined]


def risk(mechanism: Mechanism, table: Histogram, released: Ints, knows: Knowledge) -> Risk:
    """What does somebody who knows the identifying features learn from these releases?"""
    domain = table.domain
    somebody = released.sum(axis=1) > 0
    if not somebody.any():
        raise InputError(
            f"No release of {mechanism.label()} has people in it, so there is nobody to be found. "
            "Use a larger ε or another setting."
        )
    groups = _combinations(domain, knows)
    split = _with_group(table, knows, groups)
    truth = split.sum(axis=1)  # by identifying values and sensitive value
    sizes = truth.sum(axis=1)
    shown = _answers(table, released[somebody], knows, groups)
    ruled_out = zeros_are_real(mechanism, table)
    learnt = _Learnt(
        somebody, *_apparent(table, released[somebody], knows, groups, sizes),
        _guesses(shown), _most_frequent(truth.sum(axis=0)),
        ((shown > 0).sum(axis=2) == 1) & ruled_out,
    )
    return Risk(
        *learnt.about("everybody", truth), mechanism, int((~somebody).sum()),
        int((sizes == 1).sum()), learnt.certain(np.where(sizes == 1, sizes, 0)),
        is_fixed(mechanism, table), _best(truth),
        by_size=learnt.by(
            (f"people in {band_title(low, high)}", np.where(
                ((sizes >= low) & (sizes <= (np.inf if high is None else high)))[:, None], truth, 0
            ))
            for low, high in BANDS if low > 0
        ),
        by_group=() if knows.group is None else learnt.by(
            (label, split[:, i]) for i, label in enumerate(domain.features[knows.group].labels)
        ),
    )


def right_guesses(
    table: Histogram, released: Ints, knows: Knowledge
) -> tuple[Floats, float, float]:
    """Of `risk` the shares of right guesses alone: from each release (not a number where it has
    nobody), by the most frequent value of all the data, and from the original itself."""
    groups = _combinations(table.domain, knows)
    truth = _answers(table, table.counts[None, :], knows, groups)[0]
    somebody = released.sum(axis=1) > 0
    right = np.full(len(released), np.nan)
    right[somebody] = _share_right(
        _guesses(_answers(table, released[somebody], knows, groups)), truth)
    return right, _base(_most_frequent(truth.sum(axis=0)), truth), _best(truth)


def _combinations(domain: Domain, knows: Knowledge) -> int:
    """Of identifying values."""
    return int(np.prod([domain.shape[j] for j in knows.known]))


def _share_right(guess: Floats, people: Floats) -> Floats:
    """Of people by combination and sensitive value, by release."""
    total = max(float(people.sum()), 1.0)
    return np.asarray(guess.reshape(len(guess), -1) @ people.ravel() / total)


def _base(common: Floats, people: Floats) -> float:
    return float((people @ common).sum() / max(float(people.sum()), 1.0))


def _best(truth: Floats) -> float:
    return float((truth * _most_frequent(truth)).sum() / max(truth.sum(), 1.0))


@dataclass(frozen=True, eq=False)
class _Learnt:
    """What each release with people in it (`somebody` says which) tells the outsider."""

    somebody: NDArray[np.bool_]
    hit: NDArray[np.bool_]  # (releases, combinations): looks like a unique hit
    same: NDArray[np.bool_]  # and is one
    guess: Floats  # (releases, combinations, values): the chance of guessing this value
    common: Floats  # the same for the most frequent value of all the data
    one_left: NDArray[np.bool_]  # (releases, combinations): all answers but one are ruled out

    def about(
        self, title: str, people: Floats
    ) -> tuple[str, int, OverReleases, float, OverReleases, OverReleases, OverReleases]:
        """The fields of a `GroupRisk`; people are given by combination and sensitive value. An
        apparent match is one person, so it belongs to the group that this person is in."""
        inside = people.sum(axis=1) > 0
        return (
            title, int(people.sum()), self._over(_share_right(self.guess, people)),
            _base(self.common, people),
            self._over(self.hit[:, inside].sum(axis=1)),
            self._over(self.same[:, inside].sum(axis=1)), self.certain(people.sum(axis=1)),
        )

    def certain(self, people: Floats) -> OverReleases:
        """Whose answer is certain? People are given by combination."""
        return self._over(self.one_left @ people)

    def by(self, groups: Iterable[tuple[str, Floats]]) -> tuple[GroupRisk, ...]:
        return tuple(GroupRisk(*self.about(*group)) for group in groups if group[1].any())

    def _over(self, numbers: NDArray[np.generic]) -> OverReleases:
        each = np.full(len(self.somebody), np.nan)
        each[self.somebody] = numbers
        return OverReleases(each)


def _apparent(
    table: Histogram, rows: Ints, knows: Knowledge, groups: int, sizes: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """By release and combination of identifying values: does it look like a match, and is it?"""
    domain = table.domain
    rest = tuple(j for j in range(len(domain.shape)) if j not in knows.known)
    truth, shown = (
        marginal(c, domain, (*knows.known, *rest)).reshape(len(c), groups, -1)
        for c in (table.counts[None, :], rows)
    )
    hit = (shown.sum(axis=2) == 1) & (sizes == 1)[None, :]
    return hit, hit & (shown == truth).all(axis=2)


def _answers(table: Histogram, rows: Ints, knows: Knowledge, groups: int) -> Floats:
    """Released people by release, combination of identifying values and sensitive value."""
    domain = table.domain
    order = (*knows.known, knows.sensitive)
    return marginal(rows, domain, order).reshape(len(rows), groups, domain.shape[knows.sensitive])


def _guesses(shown: Floats) -> Floats:
    """What is guessed from each release for each combination; a tie is a toss, an unseen
    combination is guessed like everybody in that release."""
    overall = _most_frequent(shown.sum(axis=1))
    return np.where(
        shown.sum(axis=2, keepdims=True) > 0, _most_frequent(shown), overall[:, None, :]
    )


def _with_group(table: Histogram, knows: Knowledge, groups: int) -> Floats:
    """The original by identifying values, group and sensitive value."""
    domain = table.domain
    order = (*knows.known, knows.sensitive)
    truth = marginal(table.counts, domain, order).reshape(groups, -1)
    if knows.group is None:
        return truth[:, None, :]
    count = domain.shape[knows.group]
    if knows.group == knows.sensitive:
        return truth[:, :, None] * np.eye(count)[None]
    if knows.group not in knows.known:
        order = (*knows.known, knows.group, knows.sensitive)
        return marginal(table.counts, domain, order).reshape(groups, count, -1)
    shape = tuple(domain.shape[j] for j in knows.known)
    code = np.unravel_index(np.arange(groups), shape)[knows.known.index(knows.group)]
    return np.eye(count)[code][:, :, None] * truth[:, None, :]


def _most_frequent(counts: Floats) -> Floats:
    """Along the last axis: 1 for the largest, shared equally among ties."""
    top = counts == counts.max(axis=-1, keepdims=True)
    return top / top.sum(axis=-1, keepdims=True)

"""What does an outsider learn from a release who knows some features of everybody?

- Apparent match: the outsider finds exactly one record with somebody's known values in the release.
  If the data has exactly one such person too, it looks like a hit; it is right if the other
  features agree as well.
- Attribute inference: the outsider takes the most frequent value of a sensitive feature among such
  records of the release. How often is that right, and how often would the most frequent value of
  all have been?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.error import BANDS, band_title
from sdc_core.people import marginal

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GroupRisk:
    """A group of people: how often an outsider's guess about one of them is right."""

    title: str
    people: int
    right: float  # share, guessing from the release
    base: float  # share, guessing the most frequent value of all
    apparent: float  # how many look like a unique hit, on average
    correct: float  # how many of those are one


@dataclass(frozen=True)
class Risk:
    """Apparent matches and attribute inference for one mechanism, averaged over its releases."""

    mechanism: Mechanism
    releases: int
    empty: int  # releases without anybody in them; they are left out
    people: int
    released_unique: float  # records alone with their identifying values in the release
    original_unique: int
    apparent: float
    correct: float
    right: float
    base: float
    best: float  # share of right guesses from the original itself: no release can do better
    by_size: tuple[GroupRisk, ...]
    by_group: tuple[GroupRisk, ...]

    @property
    def gain(self) -> float:
        """Right guesses beyond those that the overall distribution gives, as a share."""
        return self.right - self.base


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


def risk(mechanism: Mechanism, table: Histogram, released: Ints, knows: Knowledge) -> Risk:
    """What does somebody who knows the identifying features learn from these releases?"""
    domain = table.domain
    rows = released[released.sum(axis=1) > 0]
    if not len(rows):
        raise InputError(
            f"No release of {mechanism.label()} has people in it, so there is nobody to be found. "
            "Use a larger ε or another setting."
        )
    rest = tuple(j for j in range(len(domain.shape)) if j not in knows.known)
    order = (*knows.known, *rest)
    groups = int(np.prod([domain.shape[j] for j in knows.known]))
    truth, shown = (
        marginal(c, domain, order).reshape(len(c), groups, -1)
        for c in (table.counts[None, :], rows)
    )
    sizes = truth[0].sum(axis=1)
    apparent, correct, alone = _apparent(truth[0], shown, sizes)
    guess = _right_guesses(table, rows, knows, groups)
    return Risk(
        mechanism, len(rows), len(released) - len(rows), table.total, alone,
        int((sizes == 1).sum()), float(apparent.sum()), float(correct.sum()),
        *guess.shares(None),
        by_size=_broken_down(_size_masks(sizes, guess), guess, apparent, correct),
        by_group=_broken_down(_group_masks(domain, knows, guess), guess, apparent, correct),
    )


def _apparent(truth: Floats, shown: Floats, sizes: Floats) -> tuple[Floats, Floats, float]:
    """By combination of identifying values: the chance of an apparent match, and of a right one;
    and how many records are alone in the release."""
    alone = shown.sum(axis=2) == 1
    hit = alone & (sizes == 1)[None, :]
    same = hit & (shown == truth[None]).all(axis=2)
    return hit.mean(axis=0), same.mean(axis=0), float(alone.sum(axis=1).mean())


@dataclass(frozen=True, eq=False)
class _Guesses:
    """People by identifying values and group, and how many of them are guessed right."""

    people: Floats  # (combinations, group values)
    right: Floats
    base: Floats
    best: Floats

    def shares(self, mask: NDArray[np.bool_] | None) -> tuple[float, float, float]:
        chosen = np.ones(self.people.shape, dtype=bool) if mask is None else mask
        total = max(self.people[chosen].sum(), 1.0)
        return (
            float(self.right[chosen].sum() / total), float(self.base[chosen].sum() / total),
            float(self.best[chosen].sum() / total),
        )


def _right_guesses(table: Histogram, rows: Ints, knows: Knowledge, groups: int) -> _Guesses:
    """Everybody's sensitive value is guessed from the release; a tie is a toss, an unseen
    combination is guessed like everybody."""
    domain = table.domain
    values = domain.shape[knows.sensitive]
    order = (*knows.known, knows.sensitive)
    truth = marginal(table.counts, domain, order).reshape(groups, values)
    shown = marginal(rows, domain, order).reshape(len(rows), groups, values)
    overall = _most_frequent(shown.sum(axis=1))  # (releases, values)
    guess = np.where(
        shown.sum(axis=2, keepdims=True) > 0, _most_frequent(shown), overall[:, None, :]
    ).mean(axis=0)
    base = overall.mean(axis=0)
    best = _most_frequent(truth)
    split = _with_group(table, knows, groups, truth)  # (combinations, group values, values)
    return _Guesses(
        split.sum(axis=2), np.einsum("qgv,qv->qg", split, guess), split @ base,
        np.einsum("qgv,qv->qg", split, best),
    )


def _with_group(table: Histogram, knows: Knowledge, groups: int, truth: Floats) -> Floats:
    """The original by identifying values, group and sensitive value."""
    domain = table.domain
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


Masks = list[tuple[str, NDArray[np.bool_]]]


def _size_masks(sizes: Floats, guess: _Guesses) -> Masks:
    """By how many people share the identifying values; empty combinations have nobody at risk."""
    return [
        (
            f"people in {band_title(low, high)}",
            np.repeat(
                ((sizes >= low) & (sizes <= (np.inf if high is None else high)))[:, None],
                guess.people.shape[1], axis=1,
            ),
        )
        for low, high in BANDS if low > 0
    ]


def _group_masks(domain: Domain, knows: Knowledge, guess: _Guesses) -> Masks:
    if knows.group is None:
        return []
    return [
        (label, np.tile(np.arange(guess.people.shape[1]) == i, (len(guess.people), 1)))
        for i, label in enumerate(domain.features[knows.group].labels)
    ]


def _broken_down(
    masks: Masks, guess: _Guesses, apparent: Floats, correct: Floats
) -> tuple[GroupRisk, ...]:
    """An apparent match is one person, so it belongs to the group that this person is in."""
    rows = []
    for title, mask in masks:
        people = float(guess.people[mask].sum())
        if people:
            right, base, _ = guess.shares(mask)
            inside = (guess.people * mask).sum(axis=1) > 0
            rows.append(
                GroupRisk(
                    title, int(people), right, base, float(apparent[inside].sum()),
                    float(correct[inside].sum()),
                )
            )
    return tuple(rows)

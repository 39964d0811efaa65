"""Three attacks that can be tried on any release, whatever method made it.

Each is a fixed rule with a yardstick that does not hang on the method, and its success is what it
gains over that: hits minus luck. A release that has nothing to do with the data gains nothing, the
data themselves gain all there is to gain.

- `found`: the intruder knows the combination of somebody who is alone with it, and claims that this
  person is in the data if the release shows anybody with it. Hits: how many people who are one of a
  kind are claimed. Luck: how many combinations that nobody has.
- `inferred`: the intruder knows all but one answer and takes the most frequent one among those who
  look alike in the release (`outsider`). Luck: always saying what most people in the data say.
- `membership`: the intruder knows everybody else in the data, and claims that a person is there,
  too, if the release shows more people with the person's combination than halfway between the count
  without and with the person (of a method that publishes a share of the records: that share of it).
  Hits: of those who are there. Luck: of those who are not. For noise with one peak no other rule
  gains more; hits minus luck is then the total variation distance of the two laws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import CellMechanism, Mechanism, repetition_rng
from sdc_core.metrics.outsider import Knowledge, is_fixed, right_guesses
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import Rule, chances_of_match, matches
from sdc_core.people import whole_people

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
RULE: Rule = "at-least-once"
OUTSIDE = 0.02  # of the people are left out in turn, where membership has no closed form
TURNS, DRAWS = 10, 4  # so often, and so many releases each time
_UNSEEN = 0.025  # the chance of seeing no other outcome than the one seen


@dataclass(frozen=True)
class Success:
    """How often an attack is right: `hits` where the claim is true, `luck` where it is not (or
    without the release). `error` is the standard error of the difference, over so many `releases`;
    both are zero where it is exact."""

    hits: float
    luck: float
    error: float = 0.0
    releases: int = 0

    @property
    def advantage(self) -> float:
        """What the release adds. An attack that does worse than luck would not be tried."""
        return max(self.hits - self.luck, 0.0)

    @property
    def band(self) -> tuple[float, float]:
        """Two standard errors to both sides, as far as there can be any."""
        reach = 2 * self.error
        return max(self.advantage - reach, 0.0), min(self.advantage + reach, 1.0)


def over(hits: Floats, luck: Floats, fixed: bool = False, most: float = 1.0) -> Success:
    """From releases, one number each. Where all are alike although they need not be (`fixed`), so
    few exclude others only so far: no other one in n releases leaves up to 1 - 0.025^(1/n) of all
    releases (Clopper and Pearson), in which the attack may gain anything up to `most`."""
    gap, number = OverReleases(hits - luck), len(hits)
    means = float(hits.mean()), float(luck.mean())
    if 0 < gap.error < math.inf:
        return Success(*means, gap.error, number)
    if fixed:
        return Success(*means)
    return Success(*means, most * (1 - _UNSEEN ** (1 / number)) / 2, number)


def can_be_found(table: Histogram) -> bool:
    """Is there somebody to be found, and anywhere to be wrong?"""
    return bool((table.counts == 1).any() and (table.counts == 0).any())


def found(mechanism: Mechanism, table: Histogram, released: Ints | None = None) -> Success:
    """Is a person who is one of a kind seen in the release? Exact where the chance of an empty
    group is known, else over `released` (rows of whole people)."""
    alone, nobody = table.counts == 1, table.counts == 0
    chance = chances_of_match(mechanism, table, RULE)
    if chance is not None:
        return Success(float(chance[alone].mean()), float(chance[nobody].mean()))
    assert released is not None, f"{mechanism.name} has no closed form: releases are needed"
    hits, luck = (matches(released[:, cells], RULE).mean(axis=1) for cells in (alone, nobody))
    return over(hits, luck, is_fixed(mechanism, table))


def inferred(
    mechanism: Mechanism, table: Histogram, released: Ints, knows: Knowledge
) -> Success:
    """How often is a sensitive answer guessed from the release, beyond the base rate of the data?
    A release without anybody in it leaves the base rate."""
    if not released.any():
        return Success(0.0, 0.0)
    right, base, best = right_guesses(table, released, knows)
    right[np.isnan(right)] = base
    return over(right, np.full(len(right), base), is_fixed(mechanism, table), best - base)


@runtime_checkable
class KnowsCountLaw(Protocol):
    """Mechanisms that know the law of each released count."""

    def chance_at_most(self, people: Floats, x: Floats) -> Floats: ...


def membership(mechanism: Mechanism, table: Histogram, seed: int) -> Success:
    """Can somebody who knows everybody else tell whether a person is in the data? A mean over all
    people. Exact where counts are treated one by one and their law is known; else a few people in a
    hundred are left out at a time, and those in and out of what is left are compared."""
    if isinstance(mechanism, CellMechanism) and isinstance(mechanism, KnowsCountLaw):
        return _exact_membership(mechanism, table)
    turns = [_turn(mechanism, *each) for each in _parts(table, seed)]
    hits, luck = np.array(turns).T
    return over(hits, luck, is_fixed(mechanism, table))


def _exact_membership(mechanism: KnowsCountLaw, table: Histogram) -> Success:
    """P(Y >= x) with the person (true count x) and without (x - 1), weighted by people."""
    sizes, groups = np.unique(table.counts[table.counts > 0], return_counts=True)
    x, people = sizes.astype(np.float64), sizes * groups
    hits, luck = (
        float((1 - mechanism.chance_at_most(x - 1, truth)) @ people / people.sum())
        for truth in (x, x - 1)
    )
    return Success(hits, luck)


def _parts(table: Histogram, seed: int) -> Iterator[
    tuple[Histogram, Ints, list[np.random.Generator]]
]:
    """The table without a few people, how many are out of each cell, and streams for releases."""
    for turn in range(TURNS):
        rng = repetition_rng(seed, turn)
        outside = rng.multivariate_hypergeometric(
            table.counts, max(1, round(OUTSIDE * table.total)))
        part = Histogram(table.counts - outside, table.domain)
        yield part, outside, [repetition_rng(seed, turn * DRAWS + i) for i in range(DRAWS)]


def _turn(
    mechanism: Mechanism, part: Histogram, outside: Ints, rngs: list[np.random.Generator]
) -> tuple[float, float]:
    """Claims about those who are in (the others are one fewer) and about those who are out."""
    mechanism.check(part)
    released = whole_people(mechanism.draw_tables(part, rngs))
    share = mechanism.share_of_records(part)
    claimed = (released > share * (part.counts - 0.5)) @ part.counts / part.total
    wrongly = (released > share * (part.counts + 0.5)) @ outside / outside.sum()
    return float(claimed.mean()), float(wrongly.mean())

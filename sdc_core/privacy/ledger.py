"""What several releases promise together.

Question: if all tables that somebody has looked at were published, which ε and δ would hold for the
whole? Basic composition adds up ε and δ (Dwork et al. 2006). zCDP adds up ρ and then asks which ε
holds at a chosen δ (Bun and Steinke 2016): far less for many releases. A method without a ρ enters
the second way with its own ε and δ, since promises of two parts add up, too. All must be about the
same two data sets: where one promise compares none nearer than so many records, so do all, and
where one is about whole households, as many records as may live in them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sdc_core.privacy.guarantee import PEOPLE_IF_UNKNOWN, Guarantee, Neighbours
from sdc_core.privacy.units import group_slack
from sdc_core.privacy.zcdp import rho_of_pure, zcdp_epsilon

DELTA = 1e-6  # at which zCDP is read
# What the rest of an entry says already: one person's record, or invariants and a distance.
_SAID = (
    Neighbours.ONE_RECORD, Neighbours.SAME_INVARIANTS, Neighbours.SAME_HOUSEHOLD_INVARIANTS,
)


@dataclass(frozen=True)
class Entry:
    """One table as if published: by what people are counted, the method, and what it promises.

    `rho` is None where zCDP does not know the method; `within` is what two data sets must have in
    common for the promise to cover them, `step` how else they may differ where that is less than
    one person's record, and `distance` in how many units the nearest of them do. A unit is a
    record, or a household of at most `together` records. `is_bound` says that the true δ may be
    smaller, `among` how many people the data have, if known.
    """

    what: str
    method: str
    epsilon: float
    delta: float
    rho: float | None = None
    within: tuple[str, ...] = ()
    step: str = ""
    distance: int = 1
    together: int = 1
    is_bound: bool = False
    among: int | None = None

    @classmethod
    def of(
        cls, what: str, method: str, guarantee: Guarantee, rho: float | None = None,
        largest_household: int = 1,
    ) -> Entry:
        """From what a method truly promises: a published δ that fails does not count, nor one that
        is true only as long as no count grows (without an end to counts it is 1)."""
        epsilon = guarantee.epsilon if guarantee.epsilon is not None else 0.0
        if guarantee.delta_tight == 0:
            pure = rho_of_pure(epsilon)
            rho = pure if rho is None else min(rho, pure)
        return cls(
            what, method, epsilon, 1.0 if guarantee.if_none_larger else guarantee.delta_tight, rho,
            guarantee.invariants,
            "" if guarantee.neighbours in _SAID else str(guarantee.neighbours), guarantee.distance,
            largest_household if guarantee.per_household else 1, guarantee.is_bound,
            guarantee.records,
        )

    def times(self, steps: int) -> Entry:
        """The same promise for data that differ in so many units (group privacy)."""
        if steps == 1:
            return self
        epsilon, rho = steps * self.epsilon, self.rho
        if rho is not None:
            rho = rho_of_pure(epsilon) if self.delta == 0 else steps**2 * rho
        return dataclasses.replace(
            self, epsilon=epsilon, delta=group_slack(self.delta, self.epsilon, steps), rho=rho)

    def steps(self, records: int) -> int:
        """In how many units data differ that differ in so many records."""
        return max(self.distance, -(-records // self.together))

    @property
    def promises(self) -> bool:
        return self.delta < 1


@dataclass(frozen=True)
class Total:
    """All entries together. `without` promise nothing and are in no total; where there are any, the
    totals are about the rest alone. A δ of one promises nothing."""

    counted: tuple[Entry, ...]
    without: tuple[Entry, ...]
    epsilon: float
    delta: float
    zcdp_epsilon: float
    zcdp_delta: float

    @property
    def units(self) -> int:
        """In how many of their units the nearest data sets differ that all of them compare."""
        return max((one.distance for one in self.counted), default=1)

    @property
    def together(self) -> int:
        """How many records may live in such a unit: one, unless a promise is about households."""
        return max((one.together for one in self.counted), default=1)

    @property
    def people(self) -> int:
        """Over how many people a δ is judged."""
        return max((one.among or 0 for one in self.counted), default=0) or PEOPLE_IF_UNKNOWN

    @property
    def steps(self) -> tuple[str, ...]:
        """How else data sets may differ for the total to cover them."""
        return tuple(dict.fromkeys(one.step for one in self.counted if one.step))

    @property
    def within(self) -> tuple[str, ...]:
        """What data sets must have in common for the total to cover them."""
        return tuple(dict.fromkeys(text for one in self.counted for text in one.within))

    @property
    def promises(self) -> bool:
        """Is anything promised for the whole, without exception of a release?"""
        return not self.without and min(self.delta, self.zcdp_delta) < 1


def total(entries: Sequence[Entry], delta: float = DELTA) -> Total:
    """What do these releases of the same data promise together? zCDP is read at `delta`."""
    counted = tuple(one for one in entries if one.promises)
    records = max((one.distance * one.together for one in counted), default=1)
    taken = [one.times(one.steps(records)) for one in counted]
    known = [one for one in taken if one.rho is not None]
    others = [one for one in taken if one.rho is None]
    rho = math.fsum(one.rho or 0.0 for one in known)
    sharp = zcdp_epsilon(rho, delta) if rho > 0 else 0.0
    return Total(
        counted, tuple(one for one in entries if not one.promises),
        math.fsum(one.epsilon for one in taken), _at_most_one(taken),
        sharp + math.fsum(one.epsilon for one in others),
        min(1.0, (delta if rho > 0 else 0.0) + _at_most_one(others)),
    )


def _at_most_one(entries: Sequence[Entry]) -> float:
    return min(1.0, math.fsum(one.delta for one in entries))

"""How does one lower ε without adding noise? Four tricks, each with the numbers it produces.

After the perverse guide in Bailie, Gong and Meng (P3): add invariants, make the unit smaller,
measure more kindly; and, not on their slide, quote one table at a time. In each, the quoted ε
falls and nobody is better protected: that is why an ε means nothing before the other four
questions are answered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms.base import Family
from sdc_core.parameters import short_number
from sdc_core.privacy.discrete_gaussian import epsilon_at
from sdc_core.privacy.swap_rate import largest_stratum, swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_to_epsilon
from sdc_core.words.numbers import listed, odds_factor, percent, sensible

STRICT_DELTA = 1e-10
LAX_DELTA = 0.1
DAYS = 365


@dataclass(frozen=True)
class Claim:
    """One way to quote the privacy loss."""

    label: str
    epsilon: float


@dataclass(frozen=True)
class Trick:
    """Ways to quote ε, from the largest to the smallest, and what to think of them. `family` is
    that of the method whose ε it is."""

    key: str
    title: str
    family: Family
    sentence: str
    claims: tuple[Claim, ...]

    @property
    def before(self) -> Claim:
        return self.claims[0]

    @property
    def after(self) -> Claim:
        return self.claims[-1]


def add_invariants(table: Histogram, rate: float) -> Trick:
    """(a) Match on more features, so that more is published exactly and strata get smaller.

    The first feature of the table is swapped (in the census data, where people live), among
    records that agree on none, one, two, ... of the others. ε(p, b) has b, the largest stratum.
    Exact stay the counts by what is swapped and matched, and those by all that is not swapped.
    With a match on all the others the swap changes no count at all.
    """
    swapped, *others = table.domain.features
    claims, strata, exact = [], [], []
    for matched in range(len(others) + 1):
        strata.append(largest_stratum(table, [f.name for f in others[:matched]]).size)
        by_place = len(swapped) * math.prod(len(f) for f in others[:matched])
        exact.append(min(by_place + math.prod(len(f) for f in others), len(table)))
        label = f"{_match_words(others[:matched])}: {exact[-1]:,} counts stay exact"
        claims.append(Claim(label, swap_rate_to_epsilon(rate, strata[-1]).theorem))
    sentence = (
        f"Swap {swapped.title} for {percent(rate)} of the records. If they must match on "
        f"{listed([f.title for f in others])}, {_smaller(strata, claims)} all {exact[-1]:,} counts "
        f"of the table are published exactly{_instead(f'{exact[-1]:,}', f'{exact[0]:,}', ',')}. "
        "Nobody is better protected: by then no count is protected at all."
        if others
        else "With one feature there is nothing to match on. Count people by two features or more "
        "to see this trick; nobody is better protected by it."
    )
    return Trick("invariants", "Publish more exactly", "sdc", sentence, tuple(claims))


def _smaller(strata: Sequence[int], claims: Sequence[Claim]) -> str:
    """What matching does to the largest stratum and to ε; here and there it does nothing."""
    first, last = strata[0], strata[-1]
    before, after = (sensible(claim.epsilon) for claim in (claims[0], claims[-1]))
    people = f"{last:,} {'person' if last == 1 else 'people'}"
    if first == last:
        return (
            f"the largest group of exchangeable records stays as it is here, {people}, and so does "
            f"ε, {after}: the trick gains nothing on this table. Then"
        )
    return (
        f"the largest group of exchangeable records has {people} instead of {first:,}, and ε is "
        f"{after}{_instead(after, before)}. But then"
    )


def _instead(now: str, before: str, comma: str = "") -> str:
    """` instead of 12`, where a reader would see a difference."""
    return "" if now == before else f"{comma} instead of {before}"


def smaller_unit(epsilon: float, household: int) -> Trick:
    """(b) Promise per person and not per household, per day and not per year.

    One release, three units. A change of h people costs hε, and noise on counts does reach that
    (all h in the same group). A year of daily tables that share ε equally is ε/365 a day.
    """
    daily = epsilon / DAYS
    people, alike = "1 person", ""
    if household > 1:
        people, alike = f"{household} people", " who answer alike"
    claims = (
        Claim(f"for a household of {people}", household * epsilon),
        Claim("for one person", epsilon),
        Claim("for one person's data of one day in a year", daily),
    )
    sentence = (
        f"Quoted for one person, ε = {sensible(epsilon)}: odds move by at most "
        f"{odds_factor(epsilon)}. For a household of {people}{alike}, the same release is ε = "
        f"{sensible(household * epsilon)}, {_odds(household * epsilon)}. If it is made of {DAYS} "
        f"daily tables, it can be called ε = {sensible(daily)} for each person and day. The same "
        "tables in print, so nobody is better protected."
    )
    return Trick("unit", "Make the unit smaller", "dp", sentence, claims)


def kinder_measure(sigma: float, delta: float, people: int) -> Trick:
    """(c) Allow a larger δ: the same discrete Gaussian noise σ, read off at another (ε, δ)."""
    rho = 1 / sigma**2
    deltas = sorted({STRICT_DELTA, delta, LAX_DELTA})
    found = {d: epsilon_at(d, sigma) for d in deltas}
    strict = short_number(STRICT_DELTA)
    converted = zcdp_to_epsilon(rho, STRICT_DELTA)
    claims = (
        Claim(f"zCDP ρ = {sensible(rho)}, converted at δ = {strict}", converted),
        *(Claim(f"exact, at δ = {short_number(d)}", found[d]) for d in deltas),
    )
    exposed = delta * people
    careless = "less than one person" if exposed < 1 else f"about {sensible(round(exposed))}"
    sentence = (
        f"No finite ε holds for this noise (σ = {sensible(sigma)}) without slack. Allow a slack of "
        f"δ = {strict}, and ε is "
        f"{sensible(found[STRICT_DELTA])}; allow δ = {short_number(delta)}, and it is "
        f"{sensible(found[delta])}. By that δ one may also print whole records of people drawn "
        f"at random, {careless} of {people:,} on average. The noise is the same, so nobody is "
        "better protected."
    )
    return Trick("measure", "Measure more kindly", "dp", sentence, claims)


def one_table_at_a_time(epsilon: float, features: Sequence[str]) -> Trick:
    """(d) Quote ε per table: all tables by one and by two of the features, ε each."""
    n = len(features)
    tables = n + n * (n - 1) // 2
    total = tables * epsilon
    claims = (
        Claim(f"for all {tables} tables together" if tables > 1 else "for the one table", total),
        Claim("for each table", epsilon),
    )
    sentence = (
        f"Your {n} features make {tables} tables by one or two of them. With ε = "
        f"{sensible(epsilon)} for each, what counts for a person who is in all of them is the sum, "
        f"ε = {sensible(total)}: odds move by {_odds(total)} instead of {_odds(epsilon)}. Quoting "
        "the tables one by one changes none of them, so nobody is better protected."
        if n > 1
        else f"With one feature there is one table, and ε = {sensible(epsilon)} is all there is. "
        "With more tables the sum counts; nobody is better protected by quoting them one by one."
    )
    return Trick("tables", "Quote one table at a time", "dp", sentence, claims)


def _match_words(features: Sequence[Feature]) -> str:
    """The last feature of a growing match; the ones before it stand in the lines above."""
    if not features:
        return "no match"
    return f"{'match on' if len(features) == 1 else '… and'} {features[-1].title}"


def _odds(epsilon: float) -> str:
    return "a factor of more than a million" if epsilon > math.log(1e6) else odds_factor(epsilon)

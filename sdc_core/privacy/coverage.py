"""Whom does each method's promise cover, on this table, with its default settings?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import FAMILY_TITLES, Mechanism
from sdc_core.parameters import Several
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.perverse import Trick
from sdc_core.privacy.protection import QUESTIONS, Budget, CensusSystem, zcdp_to_epsilon
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.words.guarantees import guarantee_chip
from sdc_core.words.numbers import listed, odds_factor, sensible


@dataclass(frozen=True)
class Coverage:
    """A method and its guarantee on the table, or why it has none there."""

    method: type[Mechanism]
    guarantee: Guarantee | None
    problem: str = ""

    @property
    def kept(self) -> bool:
        """Does a promise hold, but for a chance below one in a hundred?"""
        g = self.guarantee
        return g is not None and g.epsilon is not None and g.delta_tight < 0.01 and bool(g.holds)

    @property
    def whole(self) -> bool:
        """And for all that a person answered, with nothing published exactly?"""
        return self.kept and self.guarantee is not None and not self.guarantee.invariants

    @property
    def in_short(self) -> str:
        """The promise in a few words."""
        if self.guarantee is None:
            return "Does not fit this table"
        return guarantee_chip(self.guarantee).text


def coverage(methods: Iterable[type[Mechanism]], table: Histogram) -> list[Coverage]:
    found = []
    for method in methods:
        try:
            found.append(Coverage(method, _fitted(method, table).guarantee(table)))
        except InputError as problem:
            found.append(Coverage(method, None, str(problem)))
    return found


def _fitted(method: type[Mechanism], table: Histogram) -> Mechanism:
    """With default settings; lists of features keep those that the table has, or take the first."""
    names = table.domain.names
    settings: dict[str, Any] = {}
    for param in method.params():
        if isinstance(param, Several):
            known = tuple(name for name in param.default if name in names)
            settings[param.name] = known or (names[:1] if param.least > 0 else ())
    return method(**settings)


def coverage_sentences(covered: Sequence[Coverage], trick: Trick) -> tuple[str, str]:
    """The answer of the page: who protects everything, who a part, and why ε alone says little."""
    whole = [c for c in covered if c.whole]
    part = [c for c in covered if c.kept and not c.whole]
    rest = [c for c in covered if not c.kept and c.guarantee is not None]
    of = f"{len(whole)} of {len(covered)} methods" if len(covered) > 1 else "the one method shown"
    if whole:
        largest = max(c.guarantee.epsilon or 0.0 for c in whole if c.guarantee)
        headline = (
            f"{_and(whole)} ({of}) {_s(whole, 'protects', 'protect')} everything a person "
            f"answered: odds move by at most {odds_factor(largest)}{_except(whole)}."
        )
    else:
        headline = f"No method shown protects everything a person answered (0 of {len(covered)})."
    parts = []
    if part:
        parts.append(
            f"{_and(part)} {_s(part, 'keeps its', 'keep their')} promise for a part of the answers "
            f"only and {_s(part, 'publishes', 'publish')} others exactly."
        )
    if rest:
        parts.append(
            f"{_and(rest)} {_s(rest, 'makes', 'make')} no promise that holds for everyone."
        )
    if len(trick.claims) > 1:
        parts.append(
            "And ε alone says little: by publishing more exactly, the ε of swapping on this table "
            f"goes from {sensible(trick.before.epsilon)} to {sensible(trick.after.epsilon)}, and "
            "nobody is better protected."
        )
    return headline, " ".join(parts)


def coverage_table(covered: Sequence[Coverage]) -> pd.DataFrame:
    """The five answers of each method, one row each."""
    return pd.DataFrame(
        [
            {
                "Method": c.method.title,
                "Family": FAMILY_TITLES[c.method.family],
                **{q: getattr(c.method.protection, name) for name, q in QUESTIONS.items()},
                "On this table": c.in_short,
                "Source": c.method.citation,
            }
            for c in covered
        ]
    )


def recomputed(budget: Budget) -> str:
    """The budget computed again from its own formula, in the words of the printed one."""
    if budget.rho is not None and budget.delta is not None:
        epsilon = zcdp_to_epsilon(budget.rho, budget.delta)
        return f"ε = {epsilon:.2f} at δ = {budget.delta:g}"
    epsilons = [swap_rate_to_epsilon(p, b).theorem for p, b in budget.swaps]
    return f"ε between {min(epsilons):.2f} and {max(epsilons):.2f}"


def household_epsilon(rho: float, delta: float, people: int) -> float:
    """zCDP for a group: h people who change together have ρ h², here as ε at this δ."""
    return zcdp_to_epsilon(rho * people**2, delta)


def census_sentence(systems: Sequence[CensusSystem], people: int) -> str:
    """Why the census's ε cannot be set side by side: the loudest and the quietest of them."""
    noise = [(s, b) for s in systems for b in s.budgets if b.rho is not None]
    first, budget = noise[0]
    rho, delta = budget.rho or 0.0, budget.delta or 0.0
    least = min(
        swap_rate_to_epsilon(p, b).theorem
        for system in systems for budget in system.budgets for p, b in budget.swaps
    )
    return (
        f"ε = {sensible(zcdp_to_epsilon(rho, delta))} for {first.name} beside ε = "
        f"{sensible(least)} for swapping looks like a clear case. But the one is for a person and "
        "the other for a household, and swapping keeps more counts exact. For a household of "
        f"{people}, {first.name} would read ε = {sensible(household_epsilon(rho, delta, people))}; "
        "and with nothing exempted, neither of the two has a finite ε."
    )


def _except(found: Sequence[Coverage]) -> str:
    chance = max(c.guarantee.delta_tight for c in found if c.guarantee)
    return f", except with a chance of {sensible(chance)} at most" if chance > 0 else ""


def _s(found: Sequence[Coverage], one: str, several: str) -> str:
    return one if len(found) == 1 else several


def _and(found: Sequence[Coverage]) -> str:
    return listed([c.method.title for c in found])

"""Who protects everything, who a part, and why two ε cannot be set side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_to_epsilon
from sdc_core.questions.protected.census import CensusSystem, household_epsilon
from sdc_core.questions.protected.coverage import Coverage
from sdc_core.questions.protected.perverse import Trick
from sdc_core.words.numbers import listed, odds_factor, sensible

Promises = Sequence[tuple[type[Mechanism], Guarantee]]


def unbroken(text: str) -> str:
    """`ε = 1` and the like kept on one line."""
    return re.sub(r"([εδρσ]²?) = (?=\S)", "\\1\u00a0=\u00a0", text)


def coverage_sentences(covered: Sequence[Coverage], trick: Trick) -> tuple[str, str]:
    """The answer of the page: who protects everything, who a part, and why ε alone says little."""
    fitting = [(c.method, c.guarantee) for c in covered if c.guarantee is not None]
    whole = [(m, g) for m, g in fitting if g.reliable]
    part = [(m, g) for m, g in fitting if g.reliable_in_part]
    rest = [(m, g) for m, g in fitting if not (g.reliable or g.reliable_in_part)]
    of = f"{len(whole)} of {len(covered)} methods" if len(covered) > 1 else "the one method shown"
    if whole:
        largest = max(g.epsilon or 0.0 for _, g in whole)
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


def census_sentence(systems: Sequence[CensusSystem], people: int) -> str:
    """Why the census's ε cannot be set side by side: its first noise beside the least for
    swapping."""
    first, rho, delta = next(
        (s, b.rho, b.delta) for s in systems for b in s.budgets
        if b.rho is not None and b.delta is not None
    )
    least = min(
        swap_rate_to_epsilon(p, largest).theorem
        for system in systems for budget in system.budgets for p, largest in budget.swaps
    )
    return (
        f"ε = {sensible(zcdp_to_epsilon(rho, delta))} for {first.name} beside ε = "
        f"{sensible(least)} for swapping looks like a clear case. But the one is for a person and "
        "the other for a household, and swapping keeps more counts exact. For a household of "
        f"{people}, {first.name} would read ε = {sensible(household_epsilon(rho, delta, people))}; "
        "and with nothing exempted, neither of the two has a finite ε."
    )


def _except(found: Promises) -> str:
    chance = max(g.delta_tight for _, g in found)
    return f", except with a chance of {sensible(chance)} at most" if chance > 0 else ""


def _s(found: Promises, one: str, several: str) -> str:
    return one if len(found) == 1 else several


def _and(found: Promises) -> str:
    return listed([method.title for method, _ in found])

"""Who protects everything, who a part, and why two ε cannot be set side by side."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import short_number
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_to_epsilon
from sdc_core.questions.protected.census import CensusSystem, household_epsilon
from sdc_core.questions.protected.coverage import Coverage
from sdc_core.questions.protected.perverse import Trick
from sdc_core.words.guarantees import PromiseWord, no_limit, promise_word
from sdc_core.words.numbers import Sentences, at_the_start, listed, odds_factor, sensible

Promises = Sequence[tuple[type[Mechanism], Guarantee]]


def unbroken(text: str) -> str:
    """`ε = 1` and the like kept on one line."""
    return re.sub(r"([εδρσ]²?) = (?=\S)", "\\1\u00a0=\u00a0", text)


def coverage_sentences(covered: Sequence[Coverage], trick: Trick) -> tuple[str, str]:
    """The answer of the page: how many keep a promise; then who protects everything, who a part,
    and why ε alone says little."""
    fitting = [(c.method, c.guarantee) for c in covered if c.guarantee is not None]
    trusted = [(m, g) for m, g in fitting if g.reliable or g.reliable_in_part]
    real = [(m, g) for m, g in trusted if not no_limit(g)]
    whole = [(m, g) for m, g in real if g.reliable or g.only_read_off]
    part = [(m, g) for m, g in real if not (g.reliable or g.only_read_off)]
    boundless = [(m, g) for m, g in trusted if no_limit(g)]
    rest = [(m, g) for m, g in fitting if not (g.reliable or g.reliable_in_part)]
    loose = [(m, g) for m, g in rest if promise_word(g) == "too slack"]
    rest = [pair for pair in rest if pair not in loose]
    if whole:
        largest = max(g.epsilon or 0.0 for _, g in whole)
        of = f"{len(whole)} of {len(covered)}" if len(covered) > 1 else "The one method shown"
        first = (
            f"{of} {_s(whole, 'protects', 'protect')} everything a person "
            f"answered{_but_for(whole)}: odds {_limit(whole)} {odds_factor(largest)}"
            f"{_slack(whole)}."
        )
    else:
        first = f"No method shown protects everything a person answered (0 of {len(covered)})."
    parts = [first]
    if part:
        parts.append(
            f"{_and(part)} {_s(part, 'keeps its', 'keep their')} promise for a part of the answers "
            f"only and {_s(part, 'publishes', 'publish')} others exactly."
        )
    if boundless:
        least = min(g.distance * (g.epsilon or 0.0) for _, g in boundless)
        parts.append(
            f"{_and(boundless)} {_s(boundless, 'has', 'have')} an ε so large that it limits "
            f"nothing in practice: odds may move by {odds_factor(least)}"
            f"{' or more' * (len(boundless) > 1)}."
        )
    if loose:
        parts.append(
            f"{_and(loose)} {_s(loose, 'keeps its', 'keep their')} promise only"
            f"{_slack(loose).removeprefix(',')}, not below one over the number of people: too much "
            "to rely on, since it would allow to print a record or more as it is."
        )
    if rest:
        parts.append(
            f"{_and(rest)} {_s(rest, 'makes', 'make')} no promise that everyone can rely on."
        )
    if len(trick.claims) > 1 and sensible(trick.before.epsilon) != sensible(trick.after.epsilon):
        parts.append(
            "And ε alone says little: by publishing more exactly, the ε of swapping on this table "
            f"goes from {sensible(trick.before.epsilon)} to {sensible(trick.after.epsilon)}, and "
            "nobody is better protected."
        )
    return _counted(covered), Sentences(*parts)


# What so many methods do, said of one and of several.
_DO: dict[PromiseWord, tuple[str, str]] = {
    "holds": ("keeps a promise to everyone", "keep a promise to everyone"),
    "holds in part": ("keeps one in part", "keep one in part"),
    "too slack": ("leaves too much slack", "leave too much slack"),
    "nearly empty": ("promises next to nothing", "promise next to nothing"),
    "broken": ("breaks the published one", "break the published one"),
    "none": ("promises nothing", "promise nothing"),
}


def _counted(covered: Sequence[Coverage]) -> str:
    """`6 of 14 methods keep a promise to everyone, 1 keeps one in part and 7 promise nothing.`"""
    numbers = Counter(promise_word(c.guarantee) for c in covered if c.guarantee is not None)
    if len(covered) == 1 and numbers:
        does, _ = _DO[next(iter(numbers))]
        return f"The one method shown {does.replace(' one ', ' a promise ')}."
    keep = numbers.pop("holds", 0)
    parts = [f"{keep or 'None'} of {len(covered)} methods {_DO['holds'][keep > 1]}"]
    parts += [f"{numbers[word]} {_DO[word][numbers[word] > 1]}" for word in _DO if numbers[word]]
    unfit = sum(c.guarantee is None for c in covered)
    if unfit:
        parts.append(f"{unfit} {'does' if unfit == 1 else 'do'} not fit")
    return f"{listed(parts)}."


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


def _but_for(found: Promises) -> str:
    """What is read off the data, and so shows in the shape of every table."""
    facts = list(dict.fromkeys(fact for _, g in found for fact in g.read_off))
    if not facts:
        return ""
    return f", except what is read off the data and published as it is ({listed(facts)})"


def _limit(found: Promises) -> str:
    """With slack they may move further now and then, so `at most` would say too much."""
    return "are held to" if any(g.delta_tight > 0 for _, g in found) else "move by at most"


def _slack(found: Promises) -> str:
    """The largest δ, rounded up: `at most` must stay true."""
    slack = max(g.delta_tight for _, g in found)
    if slack == 0:
        return ""
    unit = 10.0 ** (math.floor(math.log10(slack)) - 1)
    above = short_number(round(math.ceil(slack / unit) * unit, 20))
    return f", with a slack of δ = {above} at most"


def _s(found: Promises, one: str, several: str) -> str:
    return one if len(found) == 1 else several


def _and(found: Promises) -> str:
    return at_the_start(listed([method.doing for method, _ in found]))

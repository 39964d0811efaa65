"""What a ledger of releases comes to, in sentences."""

from __future__ import annotations

import math

from sdc_core.privacy.guarantee import log_rest
from sdc_core.privacy.ledger import Total
from sdc_core.words.guarantees import IN_NAME_ONLY, delta_text
from sdc_core.words.numbers import NO_LIMIT, counted, listed, odds_factor, sensible

_MOST = 4  # names in a sentence


def total_sentences(found: Total) -> list[str]:
    """What all of it would promise together, and what it would not."""
    if not found.counted and not found.without:
        return ["Nothing has been drawn yet."]
    said = []
    if found.counted:
        said.append(_together(found))
        if found.within:
            said.append(
                f"This holds only between data that agree on: {'; '.join(found.within)}."
            )
        said += [f"It compares data that differ like this: {step}." for step in found.steps]
        said += [_apart(found)] * (found.units > 1)
    if found.without:
        methods = list(dict.fromkeys(one.method for one in found.without))
        rest = "The total is about the others alone: for" if found.counted else "For"
        one_only = len(methods) == 1
        said.append(
            f"{listed(methods, _MOST)} promise{'s' * one_only} nothing to speak of (δ is 1, or "
            "rounds to it, or is smaller only as long as no count grows) and "
            f"{'is' if one_only else 'are'} left out. {rest} the whole, nothing is promised."
        )
    return said


def _apart(found: Total) -> str:
    """How often every ε counts, where no data are compared that differ in one record alone."""
    units = found.units
    if found.together == 1:
        return (
            f"The nearest such data differ in {units} records, so every ε of the list counts "
            f"{units} times."
        )
    return (
        f"The nearest such data differ in {units} households of up to {found.together} people, so "
        f"an ε per household counts {units} times and any other {units * found.together} times."
    )


def _together(found: Total) -> str:
    number = len(found.counted)
    tables = "this table" if number == 1 else f"these {number} tables"
    basic = found.delta < 1
    too_much = found.delta * found.people >= 1 > found.zcdp_delta * found.people
    sharp = found.zcdp_delta < 1 and (
        not basic or too_much or found.zcdp_epsilon < found.epsilon)
    if not basic and not sharp:
        return (
            f"If {tables} were published, the slacks (δ) would add up to 1 or more, so adding up "
            "shows no promise for them together."
        )
    ways = []
    if basic:
        ways.append(f"{_promise(found.epsilon, found.delta)} (added up)")
    if sharp:
        ways.append(f"{_promise(found.zcdp_epsilon, found.zcdp_delta)} (by zCDP)")
    epsilon, delta = (found.zcdp_epsilon, found.zcdp_delta) if sharp else (
        found.epsilon, found.delta)
    together = "it" if number == 1 else "together they"
    by = "by the last, odds" if len(ways) > 1 else "odds"
    return (
        f"If {tables} were published, {together} would promise {' or '.join(ways)}: {by} may move "
        f"by {odds_factor(epsilon)}{' and, within the slack, further' * (delta > 0)}."
        f"{_judgement(epsilon, delta, found.people)}"
    )


def _promise(epsilon: float, delta: float) -> str:
    return f"ε = {sensible(epsilon)} with δ = {delta_text(delta, log_rest(delta))}"


def _judgement(epsilon: float, delta: float, people: int) -> str:
    """Where the numbers sound like more than they are."""
    said = ""
    if delta > IN_NAME_ONLY:
        said = " With so much slack it is a promise in name only."
    elif delta * people >= 1:
        said = f" That slack is not below one over {counted(people)}: too much to rely on."
    return said + " So large a factor limits nothing in practice." * (epsilon >= math.log(NO_LIMIT))

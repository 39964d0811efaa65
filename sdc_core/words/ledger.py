"""What a ledger of releases comes to, in sentences."""

from __future__ import annotations

import math

from sdc_core.privacy.ledger import Total
from sdc_core.words.numbers import NO_LIMIT, listed, odds_factor, sensible

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
        said += [f"It compares data where this differs: {step}." for step in found.steps]
        if found.records > 1:
            said.append(
                f"The nearest such data differ in {found.records} records, so every ε of the list "
                f"counts {found.records} times."
            )
    if found.without:
        methods = list(dict.fromkeys(one.method for one in found.without))
        rest = "The total is about the others alone: for" if found.counted else "For"
        one_only = len(methods) == 1
        said.append(
            f"{listed(methods, _MOST)} promise{'s' if one_only else ''} nothing to speak of (δ is "
            f"1, or rounds to it) and {'is' if one_only else 'are'} left out. {rest} the whole, "
            "nothing is promised."
        )
    return said


def _together(found: Total) -> str:
    number = len(found.counted)
    tables = "this table" if number == 1 else f"these {number} tables"
    basic = found.delta < 1
    sharp = found.zcdp_delta < 1 and (not basic or found.zcdp_epsilon < found.epsilon)
    if not basic and not sharp:
        return (
            f"If {tables} were published, the slacks (δ) would add up to 1 or more, so adding up "
            "shows no promise for them together."
        )
    ways = []
    if basic:
        ways.append(
            f"ε = {sensible(found.epsilon)} with δ = {sensible(found.delta)} (added up)"
        )
    if sharp:
        ways.append(
            f"ε = {sensible(found.zcdp_epsilon)} with δ = {sensible(found.zcdp_delta)} (by zCDP)"
        )
    epsilon = found.zcdp_epsilon if sharp else found.epsilon
    together = "it" if number == 1 else "together they"
    limit = " So large a factor limits nothing in practice." * (epsilon >= math.log(NO_LIMIT))
    return (
        f"If {tables} were published, {together} would promise {' or '.join(ways)}: odds may move "
        f"by {odds_factor(epsilon)}.{limit}"
    )

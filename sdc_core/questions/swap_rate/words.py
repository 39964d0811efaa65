"""What a swap rate promises, in words: computed sentences, plain text without markup."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.parameters import short_number
from sdc_core.privacy.swap_rate import (
    LargestStratum,
    SwapRateEpsilon,
    SwapRates,
    largest_stratum,
    swap_rate_to_epsilon,
)
from sdc_core.words.numbers import listed, lowered, odds_factor, percent, sensible


def swap_rate_sentences(
    match: Sequence[str],
    swap: str,
    hold: Sequence[str],
    stratum: LargestStratum,
    found: SwapRateEpsilon,
    wanted: SwapRates,
) -> tuple[str, str]:
    """What does this swap rate promise on this table, what does it leave open, which rate else?

    `match`, `swap` and `hold` are the titles of the features that are matched on, exchanged, and
    left with their record.
    """
    matched = f"matched on {_listed(match)}" if match else "not matched on anything"
    if stratum.size == 1:
        return (
            f"With people {matched}, no two people are in one group: nobody can be swapped, and "
            "ε is 0 although every record is released as it is.",
            f"{invariant_sentence(match, swap, hold)} Here that is everything, which is why a "
            "small ε alone says little.",
        )
    headline = (
        f"With people {matched}, the largest group has b = {stratum.size:,}; swapping "
        f"{rate_text(found.rate)} of it means ε = {sensible(found.theorem)}, and no swap rate "
        f"gets below {sensible(wanted.smallest_epsilon)}."
    )
    who = f"That group is {stratum.words}. " if match else ""
    odds = (
        f"Exchanging one person's {lowered(swap)} for another's can change the odds of a release "
        f"by up to {_factor(2 * found.theorem)} (two units of distance)."
    )
    return headline, f"{who}{odds} {wanted_sentence(wanted)}"


def wanted_sentence(wanted: SwapRates) -> str:
    """Which swap rates give the ε somebody asks for?"""
    asked = f"ε = {sensible(wanted.epsilon)}"
    if wanted.reachable:
        low, high = (rate_text(rate) for rate in wanted.rates)
        return f"For {asked}, swap {low} or {high}; any rate in between gives a smaller ε."
    return (
        f"{asked} is out of reach: the least, {sensible(wanted.smallest_epsilon)}, comes from "
        f"swapping {rate_text(wanted.rate_at_smallest)}."
    )


def invariant_sentence(match: Sequence[str], swap: str, hold: Sequence[str]) -> str:
    """What does swapping release untouched, outside the promise of ε?"""
    first = _listed([*match, swap])
    kept = [*match, *hold]
    second = f", and by {_listed(kept)}" if kept else ""
    return f"Released untouched, and outside this ε: how many people there are by {first}{second}."


def finer_matching_sentence(
    table: Histogram, match: Sequence[str], swap: str, rate: float
) -> str:
    """What happens to ε, and to what is revealed, if all other features are matched on as well?

    `match` and `swap` are names of features of the table.
    """
    others = [name for name in table.domain.names if name != swap]
    if set(others) <= set(match):
        return (
            "As it is matched now, these counts are the whole table of this page: it is released "
            "exactly, whatever ε says."
        )
    size = largest_stratum(table, others).size
    epsilon = swap_rate_to_epsilon(rate, size).theorem
    return (
        f"Matched on all the other features too, the largest group would have b = {size:,} and ε "
        f"would be {sensible(epsilon)}, yet the whole table of this page would be released exactly."
    )


def rate_text(rate: float) -> str:
    """A swap rate in %, with digits where they matter: 5%, 43%, 0.12%, 99.97%, 99.9999%."""
    if rate <= 0.9:
        return percent(rate)
    rest = 100 * (1 - rate)
    decimals = 0
    while decimals < 12 and rest > 0 and round(rest, decimals) < 2 * 10.0**-decimals:
        decimals += 1
    text = f"{100 * rate:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _factor(epsilon: float) -> str:
    """e^ε in words that can be read aloud: a factor of 55, of 1.84 billion, of 3e25."""
    decades = min(epsilon / math.log(10), 300.0)
    for power, word in ((3, "thousand"), (6, "million"), (9, "billion"), (12, "trillion")):
        if max(power, 4) <= decades < power + 3:
            return f"a factor of {sensible(10 ** (decades - power))} {word}"
    if decades < 4:
        return odds_factor(epsilon)
    return f"a factor of {short_number(float(f'{10**decades:.0e}'))}"


def _listed(titles: Sequence[str]) -> str:
    return listed([lowered(title) for title in titles])

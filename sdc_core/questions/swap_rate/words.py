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
from sdc_core.words.numbers import (
    NO_LIMIT,
    Sentences,
    listed,
    lowered,
    odds_factor,
    percent,
    sensible,
)

_MOST = 2  # features that a headline names


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
    among = f"people with the same {_listed(match, _MOST)}" if match else "all people"
    everything = "Here that is everything, which is why ε alone says little."
    if stratum.size == 1:
        alone = f"No two people have the same {_listed(match, _MOST)}" if match else (
            "The data have one person")
        return (
            f"{alone}, so nobody can be swapped: ε is 0 although every record is released as it "
            "is.",
            Sentences(invariant_sentence(match, swap, hold), everything),
        )
    if not hold:
        return (
            f"Swapping {lowered(swap)} among {among} changes no count of this table: it is "
            "released exactly, whatever ε is.",
            Sentences(f"By the theorem, ε is {sensible(found.theorem)} all the same.",
                      invariant_sentence(match, swap, hold), everything,
                      exact_sentence(found, wanted), wanted_sentence(wanted)),
        )
    headline = (
        f"By the theorem, swapping {rate_text(found.rate)} among {among} means a privacy loss of ε "
        f"= {sensible(found.theorem)}, and no swap rate gets below "
        f"{sensible(wanted.smallest_epsilon)}."
    )
    who = f": {stratum.words}" if match else ""
    return headline, Sentences(
        _odds_sentence(swap, found), exact_sentence(found, wanted),
        f"{_grows(found)} the largest group of people who may exchange, which has "
        f"{stratum.size:,} (b){who}.",
        wanted_sentence(wanted),
    )


def _grows(found: SwapRateEpsilon) -> str:
    """Where most people are swapped, ε is the odds of that, whatever the size of the group."""
    larger = swap_rate_to_epsilon(found.rate, 2 * found.stratum_size)
    grows = larger.theorem > found.theorem
    return "ε grows with" if grows else "At so high a rate, ε does not grow with"


def exact_sentence(found: SwapRateEpsilon, wanted: SwapRates) -> str:
    """What is true where a reader would see that the theorem is on the safe side."""
    parts = []
    if sensible(found.exact) != sensible(found.theorem):
        parts.append(f"ε is {sensible(found.exact)}")
    if sensible(wanted.smallest_exact) != sensible(wanted.smallest_epsilon):
        parts.append(f"no swap rate gets below {sensible(wanted.smallest_exact)}")
    return f"Exactly, {' and '.join(parts)}: the theorem is on the safe side." if parts else ""


def _odds_sentence(swap: str, found: SwapRateEpsilon) -> str:
    """What ε means for an exchange between two people, in plain words first where it is nothing."""
    odds = (
        f"xchanging one person's {lowered(swap)} for another's can change the chance of a release "
        f"by up to {_factor(2 * found.theorem)}"
    )
    if sensible(found.theorem) != sensible(found.exact):
        exactly = f"exactly by up to {_factor(2 * found.exact)}" if found.exact > 0 else (
            "exactly it does not change at all")
        odds += f" by the theorem; {exactly}"
    if 2 * found.exact >= math.log(NO_LIMIT):
        return f"So large an ε limits nothing in practice: e{odds}."
    return f"E{odds}."


def wanted_sentence(wanted: SwapRates) -> str:
    """Which swap rates give the ε somebody asks for?"""
    wish, least = _told_apart(wanted.epsilon, wanted.smallest_epsilon)
    asked = f"ε = {wish}"
    if wanted.reachable_by_theorem:
        low, high = _rates_apart(*wanted.rates)
        if low == high:
            return f"For {asked}, the least there is, swap {low}."
        return f"For {asked}, swap {low} or {high}; any rate in between gives a smaller ε."
    exact = _told_apart(wanted.smallest_exact, wanted.epsilon)[0]
    at = rate_text(wanted.rate_at_smallest)
    reached = wanted.reachable_exactly
    if sensible(wanted.smallest_epsilon) == sensible(wanted.smallest_exact) and not reached:
        return f"{asked} is out of reach: the least, {least}, comes from swapping {at}."
    where = "does not reach it either"
    if reached:
        where = " to ".join(dict.fromkeys(rate_text(rate) for rate in wanted.exact_rates))
        where = f"does reach it, for swap rates of {where}"
    return (
        f"{asked} is out of the theorem's reach: its least, {least}, comes from swapping {at}. The "
        f"exact worst case {where}: its least, {exact}, comes from swapping "
        f"{rate_text(wanted.rate_at_smallest_exact)}."
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
    found = swap_rate_to_epsilon(rate, size)
    return (
        f"Matched on all the other features too, the largest group would have b = {size:,} and ε "
        f"would be {_both(found.theorem, found.exact)}, yet the whole table of this page would be "
        "released exactly."
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


def _both(theorem: float, exact: float) -> str:
    """The theorem's ε, and the exact one where a reader would see a difference."""
    said, truly = sensible(theorem), sensible(exact)
    return said if said == truly else f"{said} (exactly {truly})"


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ."""
    texts, digits = (sensible(one), sensible(other)), 4
    while texts[0] == texts[1] and one != other and digits < 16:
        texts, digits = (f"{one:.{digits}g}", f"{other:.{digits}g}"), digits + 1
    return texts


def _rates_apart(low: float, high: float) -> tuple[str, str]:
    """Two swap rates with as many digits as it takes to see that they differ."""
    texts, decimals = (rate_text(low), rate_text(high)), 1
    while texts[0] == texts[1] and decimals < 12:
        texts = (f"{100 * low:.{decimals}f}%", f"{100 * high:.{decimals}f}%")
        decimals += 1
    return texts if texts[0] != texts[1] else (rate_text(low), rate_text(high))


def _factor(epsilon: float) -> str:
    """e^ε in words that can be read aloud: a factor of 55, of 1.84 billion, of 3e25."""
    decades = min(epsilon / math.log(10), 300.0)
    for power, word in ((3, "thousand"), (6, "million"), (9, "billion"), (12, "trillion")):
        if max(power, 4) <= decades < power + 3:
            return f"a factor of {sensible(10 ** (decades - power))} {word}"
    if decades < 4:
        return odds_factor(epsilon)
    return f"a factor of {short_number(float(f'{10**decades:.0e}'))}"


def _listed(titles: Sequence[str], most: int | None = None) -> str:
    return listed([lowered(title) for title in titles], most)

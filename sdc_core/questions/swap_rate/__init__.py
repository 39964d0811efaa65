"""Swap rate and ε: which ε does a swap rate buy, and why not less?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdc_core.data.schema import Role
from sdc_core.parameters import Choice, Percentage, Several, Typed
from sdc_core.privacy import published_swap_tables as slides
from sdc_core.privacy.swap_rate import (
    LargestStratum,
    epsilon_to_swap_rates,
    largest_stratum,
    swap_rate_to_epsilon,
)
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, Panel, See
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.swap_rate import figures, published, words
from sdc_core.questions.swap_rate.method import METHOD


def match(given: Given) -> Several:
    titles, features = _titles(given), given.table.domain.features
    return Several(
        name="match", title="Swap only between people with the same",
        default=tuple(columns.with_role(features, Role.PLACE, Role.QUASI, *Role)[:1]),
        choices=tuple(titles), titles=titles,
        help="The match variables. People who agree on them form a group; values are exchanged "
        "inside a group only.",
    )


def swap_variable(given: Given) -> Choice | None:
    free = [f for f in given.table.domain.features if f.name not in given["match"]]
    if not free:
        return None
    return Choice(
        name="swap_variable", title="What is exchanged",
        default=columns.with_role(free, Role.PLACE, Role.QUASI, *Role)[0],
        choices=tuple(f.name for f in free), titles=_titles(given),
        help="The swap variable. It does not enter ε, only what is released untouched.",
    )


def rate(given: Given) -> Percentage:
    return Percentage(
        name="rate", title="Swap rate", symbol="p", default=5.0, low=0.1, high=99.9,
        help="The chance of each person to be selected for swapping.",
    )


def wanted(given: Given) -> Typed:
    return Typed(
        name="wanted", title="Wanted ε", default=8.0, low=0.0, high=30.0, step=0.5, format="%.4g",
        help="Which swap rates would promise this ε?",
    )


def _titles(given: Given) -> dict[str, str]:
    return {f.name: f.title for f in given.table.domain.features}


@dataclass(frozen=True)
class Scheme:
    """Who is swapped with whom and how often: the titles of what is matched on, exchanged and left
    with its record, the largest group, the swap rate and the ε that is wanted."""

    match: tuple[str, ...]
    swap: str
    hold: tuple[str, ...]
    largest: LargestStratum
    rate: float
    wanted: float


def scheme(given: Given) -> Scheme | None:
    """What the controls say; None where every feature is matched on."""
    titles, matched, swap = _titles(given), given["match"], given.get("swap_variable")
    if swap is None:
        return None
    return Scheme(
        tuple(titles[name] for name in matched), titles[swap],
        tuple(titles[name] for name in titles if name not in matched and name != swap),
        largest_stratum(given.table, matched), given["rate"] / 100, given["wanted"],
    )


def answer(given: Given) -> Answer:
    chosen = scheme(given)
    if chosen is None:
        return Answer(
            "Every feature is matched on, so nothing is left to exchange.",
            "Choose fewer features to match on, or count people by more features.",
            tuple(published_tables()),
        )
    headline, more = words.swap_rate_sentences(
        chosen.match, chosen.swap, chosen.hold, chosen.largest,
        swap_rate_to_epsilon(chosen.rate, chosen.largest.size),
        epsilon_to_swap_rates(chosen.wanted, chosen.largest.size),
    )
    return Answer(headline, more, (
        along_the_rate(chosen, f"{headline} {more}"), not_covered(given, chosen),
        *published_tables(),
    ))


def along_the_rate(chosen: Scheme, said: str) -> Panel:
    settings = (chosen.largest.size, chosen.rate, chosen.wanted)
    return Panel(
        "swap-rate", "ε along the swap rate",
        "Thin dotted lines are the published theorem for groups of 2 to 10 million, the thick line "
        "is the exact worst case for the largest group of this table. Dots are the theorem's "
        "smallest ε; in small groups the exact one, a ring, is lower. The scale stretches rates "
        "near 0 and near 100%. Swapping almost everybody has a large ε too: a released value is "
        "then almost surely not the person's own, which also tells something.",
        (figures.swap_rate_curves(*settings),), lambda: figures.swap_rate_table(*settings),
        alt=f"ε against the swap rate for several sizes of the largest group. {said}",
    )


def not_covered(given: Given, chosen: Scheme) -> Panel:
    finer = words.finer_matching_sentence(
        given.table, given["match"], given["swap_variable"], chosen.rate
    )
    return Panel(
        "not-covered", "What this ε does not cover",
        prose=(
            f"{words.invariant_sentence(chosen.match, chosen.swap, chosen.hold)} ε compares only "
            "data sets that agree on all of these counts (the invariants), per unit of Hamming "
            "distance, which is the number of records that differ.",
            "Matching on more features can make groups smaller, and with them ε, but releases more "
            f"counts untouched: a smaller ε does not mean that less is revealed. {finer}",
        ),
        see=(See("protected", "What else makes ε look small"),),
    )


def published_tables() -> Iterator[Panel]:
    """What the slides print, and what the formula gives."""
    one = slides.MASSACHUSETTS_1940
    yield Panel(
        "published-1940", "Two published examples, recomputed",
        f"The 1940 census of Massachusetts: {one.swap} exchanged between households of the same "
        f"{one.match}; the largest group are the {one.stratum_size:,} {one.largest_stratum}.",
        published.massachusetts_1940_table(),
    )
    yield Panel(
        "published-2020", "",
        "What if the 2020 census had been swapped? ε of six schemes at swap rates of 5% and 50%. "
        "The wider the area within which households are exchanged, the larger ε.",
        published.census_2020_table(),
        note=f"{published.agreement_sentence()} Source: {slides.SOURCE}.",
    )


QUESTION = Question(
    address="swap_rate", title="Swap rate and ε", section="What is promised", icon="swap_horiz",
    asks="which ε does a swap rate buy, and why not less?",
    sentence="By the theorem, swapping 5% among people with the same X means a privacy loss of "
    "ε = 15.4, and no swap rate gets below 6.2.",
    answer=answer, method=METHOD, sources=(sources.P3,),
    method_title="What does ε mean here, and how is it computed?",
    controls=(
        Control(match, prominent=True), Control(swap_variable, prominent=True),
        Control(rate, prominent=True), Control(wanted, width=130, prominent=True),
    ),
    methods=no_methods, uses=frozenset({"data"}),
)

"""What is protected? What, to where, for whom, measured how, and how much?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sdc_core.mechanisms import FOR_TABLES
from sdc_core.parameters import Choice, Integer, Real
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel, See, TableView
from sdc_core.questions.protected import figures, perverse
from sdc_core.questions.protected.census import CENSUS_SYSTEMS, RHO_NOTE
from sdc_core.questions.protected.coverage import Coverage, coverage, coverage_table
from sdc_core.questions.protected.method import METHOD
from sdc_core.questions.protected.words import census_sentence, coverage_sentences, unbroken
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.study import EMPTY_GROUPS, EmptyGroups

FAMILIES = {"all": "All", "dp": "DP", "sdc": "Traditional", "dp-sdc": "DP versions"}
SIGMA = math.sqrt(20)  # the discrete Gaussian of P0's Table 1 at ε = 1
EPSILON = 1.0  # of one person, and of one table
HOUSEHOLD = 3


def family(given: Given) -> Choice:
    return Choice(
        name="family", title="Methods", default="all", choices=tuple(FAMILIES), titles=FAMILIES,
        segments=True,
    )


def rate(given: Given) -> Real:
    return Real(
        name="p_rate", title="Share of records swapped", symbol="p", default=0.05, low=0.0,
        high=0.5, closed="right", slider=(0.01, 0.5), percent=True,
        help="Each record is chosen with this chance. Real swap rates are mostly secret; a few per "
        "cent is usual.",
    )


def household(given: Given) -> Integer:
    return Integer(
        name="p_household", title="People in the household", symbol="h", default=HOUSEHOLD, low=1,
        high=20, slider=(1, 10),
        help="They answer alike, so they are all in the same group.",
    )


def delta(given: Given) -> Real:
    return Real(
        name="p_delta", title="Slack that is allowed", symbol="δ", default=0.001,
        low=perverse.STRICT_DELTA, high=0.5, slider=(perverse.STRICT_DELTA, 0.2), log=True,
        help="Common practice is well below one over the number of people.",
    )


def answer(given: Given) -> Answer:
    empty = EmptyGroups(given.study.empty_groups)
    every = given.work.kept(coverage, FOR_TABLES, given.table, empty)
    covered = [c for c in every if given["family"] in ("all", c.method.family)]
    ways = tricks(given)
    headline, more = coverage_sentences(covered, ways[0])
    return Answer(
        headline, more,
        (at_a_glance(covered, empty), five_questions(covered), census(), *guide(ways),
         claims(ways)),
    )


def at_a_glance(covered: Sequence[Coverage], empty: EmptyGroups) -> Panel:
    said = EMPTY_GROUPS.titles.get(empty, "")
    where = f"; empty groups are {said} where counts are hidden" if said else ""
    return Panel(
        "promises", "What each promise comes to",
        f"On the table you have chosen, with default settings{where}. In part: not for what is "
        "published exactly. Too slack: δ is not below one over the number of people. Nearly empty: "
        "what it allows excludes hardly anything. Broken: less holds than was published.",
        (figures.promise_dots(covered),), lambda: coverage_table(covered),
        alt=figures.alt_text(covered),
        notices=tuple(
            Notice(f"{c.method.title}: {c.problem}", "quiet") for c in covered if c.problem
        ),
    )


def five_questions(covered: Sequence[Coverage]) -> Panel:
    return Panel(
        "protection", "Five questions to every method",
        "Two values of ε can be compared only where the other four answers agree. Under each name: "
        "what the method promises on this table.",
        figures.answers_table(covered), lambda: coverage_table(covered),
    )


def census() -> Panel:
    return Panel(
        "census", "The US Census, asked the same questions",
        prose=(unbroken(census_sentence(CENSUS_SYSTEMS, HOUSEHOLD)),),
        drawing=figures.census_cards(CENSUS_SYSTEMS), note=unbroken(RHO_NOTE),
    )


def tricks(given: Given) -> tuple[perverse.Trick, ...]:
    table = given.table
    return (
        perverse.add_invariants(table, given["p_rate"]),
        perverse.smaller_unit(EPSILON, given["p_household"]),
        perverse.kinder_measure(SIGMA, given["p_delta"], table.total),
        perverse.one_table_at_a_time(EPSILON, table.domain.names),
    )


def guide(ways: Sequence[perverse.Trick]) -> Iterator[Panel]:
    """The four ways, two and two, each with its control where it has one."""
    yield Panel(
        "tricks", "How to make ε look small without protecting anyone better",
        "Four ways to know when you read an ε in a report. Grey is where each begins.",
    )
    controls = (("p_rate",), ("p_household",), ("p_delta",), ())
    for number, (one, own) in enumerate(zip(ways, controls, strict=True), start=1):
        yield Panel(
            f"trick-{one.key}", f"{number}. {one.title}", prose=(unbroken(one.sentence),),
            drawing=figures.trick_bars(one), alt=one.sentence, controls=own, width=0.5, minor=True,
        )


def claims(ways: Sequence[perverse.Trick]) -> Panel:
    return Panel(
        "claims", "The numbers of the four ways", drawing=TableView(figures.claims_table(ways)),
        folded=True, icon="table",
    )


QUESTION = Question(
    address="protected", title="What is protected?", section="What is promised",
    icon="shield_question", asks="what, to where, for whom, measured how, and how much?",
    sentence="So many methods keep a promise to everyone and so many promise nothing; and this is "
    "how ε can be made to look small without protecting anybody better.",
    answer=answer, method=METHOD,
    sources=(
        f"{sources.P3}, slides", "Abowd et al. 2022 (TopDown), as cited there",
        "Tumult Labs 2022 (SafeTab), as cited there",
    ),
    method_title="What do the five questions mean, and how are the numbers computed?",
    controls=(
        Control(family, prominent=True),
        Control(rate, at_panel=True), Control(household, at_panel=True),
        Control(delta, at_panel=True),
    ),
    methods=no_methods, see=(See("delta_epsilon", "What each method promises along ε"),),
    uses=frozenset({"data", "empty", "domain"}),
)

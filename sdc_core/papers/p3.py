"""P3, Bailie, Gong and Meng 2023: the slides' tables made again.

What is made again: ε from swap rate p and largest stratum b, TopDown's ε from its ρ, sums that
swapping must leave as they are, the mean of all swapped releases of Massachusetts 1940, and the
example of four households. What is not: counts of the 1940 and 2020 censuses and budgets that the
Census Bureau chose. They are what the rest is computed from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator

import numpy as np

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import ExactBias
from sdc_core.mechanisms.neighbour_tables import small_domain, small_table
from sdc_core.papers import p3_claims
from sdc_core.papers.item import Attempt, Item
from sdc_core.papers.p3_1940 import counties, county_swapping, one_release_strays, printed
from sdc_core.papers.published import Entry, published
from sdc_core.papers.verdicts import Ours
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_epsilon, zcdp_to_epsilon

DELTA = 1e-10  # of TopDown's ε on the slide
RATES_2020 = {"epsilon_p5pct": 0.05, "epsilon_p50pct": 0.5}
SIMPLE, SHARPEST = "simple conversion of zCDP", "sharpest conversion of zCDP"
STATE_ALONE = "matched on the state alone"
BY_SUMS = "as the sums leave it"


def theorem(rate: float, stratum: float) -> float:
    return swap_rate_to_epsilon(rate, int(stratum)).theorem


# Budgets of the censuses --------------------------------------------------------------------------

def _table_1(attempt: Attempt) -> Iterator[Ours]:
    rho = printed("table1", "topdown", "rho_squared")
    how = f"from ρ = {rho:g} as printed, δ = {DELTA:g}"
    yield Ours("topdown", "epsilon", zcdp_to_epsilon(rho, DELTA), how, convention=SIMPLE)
    yield Ours("topdown", "epsilon", zcdp_epsilon(rho, DELTA), how, convention=SHARPEST)
    all_of_2020 = [one.value for one in _table_2(attempt)]
    how = "of the twelve ε of the table on 2020, from b and p"
    yield Ours("swapping", "epsilon_min", min(all_of_2020), f"smallest {how}")
    yield Ours("swapping", "epsilon_max", max(all_of_2020), f"largest {how}")


def _table_2(attempt: Attempt) -> Iterator[Ours]:
    for one in published("P3", "table2", "b"):
        for column, rate in RATES_2020.items():
            yield Ours(one.row, column, theorem(rate, one.value), f"from b = {one.value:,.0f}")


def _table_3(attempt: Attempt) -> Iterator[Ours]:
    (largest,) = published("P3", "text-1940", "b")
    for one in published("P3", "table3"):
        rate = float(one.row.removeprefix("p="))
        yield Ours(one.row, one.column, theorem(rate, largest.value),
                   f"from b = {largest.value:,.0f}")


# Massachusetts 1940 -------------------------------------------------------------------------------

def _table_4(attempt: Attempt) -> Iterator[Ours]:
    table = counties()
    yield from _sums(table)
    yield from _left_by_sums(table)
    swapping = county_swapping(0.5)
    yield from _sums(Histogram(swapping.release(table, attempt.seed).counts, table.domain), True)
    assert isinstance(swapping, ExactBias)
    mean = (table.counts + swapping.bias(table)).reshape(-1, 2)
    names = table.domain.features[0].labels
    for name, both, strays in zip(names, mean, one_release_strays(table, 0.5), strict=True):
        for column, value in zip(("owned_swapped", "rented_swapped"), both, strict=True):
            yield Ours(
                name, column, float(value), f"mean of all releases; one strays by {strays:.0f}",
                convention=STATE_ALONE,
                why="farther than three standard deviations. Theirs was swapped among households "
                    "of the same size, which may be why; sizes are not printed")


def _sums(table: Histogram, swapped: bool = False) -> Iterator[Ours]:
    """The totals of each county and of the state."""
    kind = "_swapped" if swapped else ""
    what = "a release of ours" if swapped else "the counts as printed"
    square, how = table.counts.reshape(-1, 2), f"sum over {what}"
    for name, total in zip(table.domain.features[0].labels, square.sum(axis=1), strict=True):
        yield Ours(name, f"total{kind}", float(total), how)
    for tenure, total in zip(("owned", "rented", "total"), (*square.sum(axis=0), table.total),
                             strict=True):
        yield Ours("total", f"{tenure}{kind}", float(total), how)


def _left_by_sums(table: Histogram) -> Iterator[Ours]:
    """A count as the state's total and all other counties leave it: it checks an input, and is no
    second source of it."""
    square = table.counts.reshape(-1, 2)
    for column, tenure in enumerate(("owned", "rented")):
        whole = printed("table4", "total", tenure)
        for name, own in zip(table.domain.features[0].labels, square[:, column], strict=True):
            yield Ours(name, tenure, whole - float(square[:, column].sum() - own),
                       "the state's total less all other counties", convention=BY_SUMS)


def _among_counties(entry: Entry) -> str:
    return "state" if entry.row == "total" else "counties"


# Four households ----------------------------------------------------------------------------------

WHERE = {  # state, place and race; adults, children and age are among the printed numbers
    "record 1": ("MA", "Cambridge", "White"), "record 2": ("TX", "Houston", "Hispanic"),
    "record 3": ("WA", "Tacoma", "Asian"), "record 4": ("MA", "Somerville", "Black"),
}
NUMBERS = ("adults", "children", "age1")


def households() -> Histogram:
    """The four households before swapping, a record each."""
    people = [(*where, *(int(printed("table5", row, column)) for column in NUMBERS))
              for row, where in WHERE.items()]
    values = [sorted(set(of_all), key=str) for of_all in zip(*people, strict=True)]
    names = ("state", "place", "race", *NUMBERS)
    domain = small_domain({n: len(v) for n, v in zip(names, values, strict=True)})
    at = [tuple(v.index(x) for v, x in zip(values, one, strict=True)) for one in people]
    return small_table(domain, *((position, 1) for position in at))


def swapped_households(rate: float = 1.0) -> Histogram:
    """All are selected, so whoever has a match trades places with it."""
    method = mechanism("permutation-swapping", swap_rate=rate,
                       match=("state", "adults", "children"), swap=("place",),
                       hold=("race", "age1"))
    table = households()
    return Histogram(method.release(table, 0).counts, table.domain)


def _values(number: int) -> list[str]:
    """The values of a place's or a race's axis, in the order of the table."""
    return sorted({where[number] for where in WHERE.values()})


def _table_6(attempt: Attempt) -> Iterator[Ours]:
    after = swapped_households()
    codes = np.argwhere(after.counts.reshape(after.domain.shape))
    for row, (_, _, race) in WHERE.items():
        (found,) = codes[codes[:, 2] == _values(2).index(race)]
        for column, code in zip(NUMBERS, found[3:], strict=True):
            values = sorted({int(e.value) for e in published("P3", "table5", column)}, key=str)
            yield Ours(row, column, float(values[code]),
                       "the four records of before, swapped by our mechanism")


def _table_7(attempt: Attempt) -> Iterator[Ours]:
    shape = households().domain.shape
    before, after = (
        t.counts.reshape(shape).sum(axis=(0, 3, 4, 5)) for t in (households(), swapped_households())
    )
    for one in published("P3", "table7"):
        race = one.column.removeprefix("change_").capitalize()
        cell = _values(1).index(one.row), _values(2).index(race)
        yield Ours(one.row, one.column, float(after[cell] - before[cell]),
                   "after less before, the four records swapped by our mechanism")


# Invariants ---------------------------------------------------------------------------------------

def margins(table: tuple[int, ...]) -> tuple[int, ...]:
    """What swapping leaves as it is, in a table of two rows and two columns."""
    a, b, c, d = table
    return a + b, c + d, a + c, b + d


def largest_log_ratio(
    law: Callable[[tuple[int, ...]], dict[Hashable, float]], people: int = 6
) -> float:
    """ε of a release over all pairs of two-by-two tables of so many people that have the same
    margins: the largest log-ratio of the probabilities of any outcome."""
    tables = [t for t in itertools.product(range(people + 1), repeat=4) if sum(t) == people]
    worst = 0.0
    for one, other in itertools.combinations(tables, 2):
        if margins(one) != margins(other):
            continue
        first, second = law(one), law(other)
        for outcome in {*first, *second}:
            p, q = first.get(outcome, 0.0), second.get(outcome, 0.0)
            worst = max(worst, abs(math.log(p / q)) if p and q else math.inf)
    return worst


def _theorem_on_invariants(attempt: Attempt) -> Iterator[Ours]:
    yield Ours("release of the invariants alone", "epsilon",
               largest_log_ratio(lambda table: {margins(table): 1.0}),
               "over all two-by-two tables of six people with the same margins")


_COUNTED = ("counts of the census, which are not here by household: they are what ε is computed "
            "from, so they are not made again.")
_CHOSEN = ("The budgets ρ were chosen by the Census Bureau: they are what ε is computed from, so "
           "they are not made again.")
_ILLUSTRATION = ("An example that the slides make up: it is what the tables after swapping are "
                 "made from, so it is not made again.")
_SCHEME = "match: household size; swap: county; hold: tenure"

ITEMS = (
    Item("P3", "table1", "Examples from the US decennial censuses: budgets",
         "TopDown's ε from its ρ at δ = 1e-10, and the range of ε over all swapping schemes for "
         "2020, from the table on 2020. With the slides' divergence, which takes a root, ρ² is "
         "what others call ρ.", _table_1, missing=_CHOSEN, see="protected"),
    Item("P3", "table2", "What if the 2020 Census used swapping? ε by scheme and swap rate",
         "ε = ln(b + 1) − ln(p/(1 − p)) from the largest stratum b as printed.", _table_2,
         missing=f"The largest strata b are {_COUNTED}", see="swap_rate"),
    Item("P3", "table3", "The 1940 Census of Massachusetts: ε by swap rate",
         "ε from b = 264,331 by the slides' formula.", _table_3, see="swap_rate"),
    Item("P3", "text-1940", "The largest stratum of Massachusetts 1940",
         "The number of two-person households, from which ε by swap rate is computed.",
         missing=f"It is one of the {_COUNTED}"),
    Item("P3", "table4", "Massachusetts 1940: tenure by county, before and after swapping",
         "Totals are added up, before swapping and in a release of ours; owned and rented "
         "dwellings after swapping stand beside the mean of all our releases at p = 50%. Theirs is "
         "one draw, so three standard deviations of a draw are allowed. Totals cannot change by "
         "swapping: that they match checks sums alone. Owned and rented add up to a fixed total, "
         "so each county is one finding, not two. Their own scheme "
         f"({_SCHEME}) cannot be run: household sizes are not printed.",
         _table_4, compared=_among_counties,
         missing="A count of the 1940 census: all else is computed from it, and sums check it.",
         see="swapping_changes"),
    Item("P3", "table5", "Swapping visualised: four households before", "Four made-up households.",
         missing=_ILLUSTRATION),
    Item("P3", "table6", "Swapping visualised: four households after",
         "The four households with all selected: the two that match trade places, and no other "
         "number changes. So these are the numbers from before, and a match says no more.",
         _table_6, see="swapping_changes"),
    Item("P3", "table7", "Swapping visualised: what changes in the table of place and race",
         "Counts by place and race after the same swap, less those before.", _table_7,
         see="swapping_changes"),
    Item("P3", "thm-tda", "TopDown satisfies DP subject to its invariants: its budgets",
         "Two budgets of the 2020 Census.", missing=_CHOSEN, see="protected"),
    Item("P3", "thm-invariants-1", "Invariants alone cost nothing among data that agree on them",
         "All small tables, listed.", _theorem_on_invariants),
    Item("P3", "fig-rates", "Swap rate and ε at several b",
         "The figure is not in the text that we have; what its three notes say is tried.",
         see="swap_rate"),
    Item("P3", "fig-mape", "Massachusetts 1940: mean absolute percentage error by swap rate",
         "Box plots without a number in the text.",
         missing="Its runs need the 1940 full count by household size, which is not here. Nearest: "
         "twenty runs of ours at each rate, matched on the state alone, beside the one release "
         "that is printed.", see="swapping_changes"),
)
CLAIMS = p3_claims.CLAIMS

"""What swapping changes, shown on two tables: 1940 Massachusetts, and a class of eight households.

Facts and sentences for the page of that name; everything random comes from a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.census1940 import massachusetts_1940
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.derangement import swap_partners
from sdc_core.mechanisms.permutation import PermutationSwapping
from sdc_core.metrics.tables import (
    MarginCheck,
    PercentageError,
    check_margins,
    mean_absolute_percentage_error,
)
from sdc_core.words.numbers import sensible

RATES = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)  # of P3's box plots
RUNS = 20

Runs = Mapping[float, Sequence[float]]  # swap rate -> percentage error of each run


def massachusetts_swapping(rate: float) -> PermutationSwapping:
    """Dwellings change county; the printed table has nothing to match on but the state."""
    return PermutationSwapping(rate, match=(), swap=("COUNTY",), hold=("TENURE",))


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A table before and after swapping, how far they are apart, and which totals agree."""

    mechanism: PermutationSwapping
    table: Histogram
    released: NDArray[np.int64]
    error: PercentageError
    margins: tuple[MarginCheck, ...]


def swap_massachusetts(rate: float, seed: int) -> Demonstration:
    """What does one swapped release of the 1940 table look like?"""
    table = massachusetts_1940()
    mechanism = massachusetts_swapping(rate)
    released = mechanism.release(table, seed).counts
    return Demonstration(
        mechanism, table, released, mean_absolute_percentage_error(table.counts, released),
        tuple(check_margins(table, released, [("COUNTY",), ("TENURE",), ()])),
    )


def percentage_error_of_run(rate: float, seed: int, run: int) -> float:
    """By what percentage is a count off, on average, in this run?"""
    table = massachusetts_1940()
    released = massachusetts_swapping(rate).draw_tables(table, [repetition_rng(seed, run)])[0]
    return mean_absolute_percentage_error(table.counts, released).percent


def massachusetts_sentences(found: Demonstration) -> tuple[str, str]:
    """The answer of the page: what moved and where, what did not, and what that promises."""
    table = found.table
    shape = table.domain.shape
    true = table.counts.reshape(shape)
    change = found.released.reshape(shape) - true
    counties = table.domain.features[0].labels
    county = int(np.abs(change[:, 0]).argmax())
    way = "from rented to owned" if change[county, 0] > 0 else "from owned to rented"
    rate = sensible(100 * found.mechanism.swap_rate)
    owned = int(true[:, 0].sum())
    kept = all(margin.equal for margin in found.margins)
    headline = (
        f"Swapping {rate}% of dwellings moved a net {abs(int(change[county, 0])):,} {way} in "
        f"{counties[county]}, "
        + (
            f"yet every county total and the state's total of {owned:,} owned dwellings are "
            "exactly as before." if kept else "and changed some totals as well."
        )
    )
    share = change / true
    worst = np.unravel_index(int(np.abs(share).argmax()), shape)
    tenure = table.domain.features[1].labels[int(worst[1])].lower()
    side = "high" if share[worst] > 0 else "low"
    promise = found.mechanism.guarantee(table)
    more = (
        f"In percent, {counties[int(worst[0])]} is hit hardest: its {tenure} dwellings come out "
        f"{sensible(100 * abs(float(share[worst])))}% too {side}. A count is off by "
        f"{sensible(found.error.percent)}% on average."
    )
    if promise.epsilon is not None:
        more += (
            f" As a privacy promise this is ε = {sensible(promise.epsilon)}, and only among tables "
            "that agree in all these totals."
        )
    return headline, more


def runs_sentence(runs: Runs) -> str:
    """How does the error grow with the swap rate, and how much does it vary from run to run?"""
    done = {rate: values for rate, values in sorted(runs.items()) if values}
    if not done:
        return ""
    parts = [
        f"{sensible(float(np.median(values)))}% at a swap rate of {sensible(100 * rate)}%"
        for rate, values in (list(done.items())[:1] + list(done.items())[-1:])[: len(done)]
    ]
    last, values = list(done.items())[-1]
    return (
        f"A count is off by {' and by '.join(parts)} (medians). Between runs it hardly moves: at "
        f"{sensible(100 * last)}% from {sensible(min(values))}% to {sensible(max(values))}%."
    )


# Eight households --------------------------------------------------------------------------------

EXAMPLE_RATE = 0.5
_TOWNS = ("Boston", "Cambridge", "Somerville")
_TENURES = ("owned", "rented")
_HOUSEHOLDS = (  # town and tenure of each
    (0, 1), (0, 1), (0, 0), (1, 0), (1, 0), (1, 1), (2, 0), (2, 1),
)


@dataclass(frozen=True)
class Household:
    """One household of the class, and what swapping did to it."""

    number: int
    town: str
    tenure: str
    selected: bool
    donor: int | None  # the number of the household whose town it receives
    new_town: str


@dataclass(frozen=True, eq=False)
class Example:
    """Eight households of one stratum (four people each, Massachusetts), swapped at 50%."""

    households: tuple[Household, ...]
    table: Histogram
    released: NDArray[np.int64]
    margins: tuple[MarginCheck, ...]


def eight_households(seed: int) -> Example:
    """Who is selected, who receives whose town, and what does the table of towns say then?"""
    towns, tenures = (np.array(column) for column in zip(*_HOUSEHOLDS, strict=True))
    selected, donors = swap_partners(len(_HOUSEHOLDS), EXAMPLE_RATE, repetition_rng(seed, 0))
    new_towns = towns.copy()
    new_towns[selected] = towns[donors]
    given = dict(zip(selected.tolist(), donors.tolist(), strict=True))
    households = tuple(
        Household(
            i + 1, _TOWNS[towns[i]], _TENURES[tenures[i]], i in given,
            given[i] + 1 if i in given else None, _TOWNS[new_towns[i]],
        )
        for i in range(len(_HOUSEHOLDS))
    )
    domain = Domain(
        (
            Feature("TOWN", "Town", _TOWNS, _TOWNS),
            Feature("TENURE", "Tenure", _TENURES, tuple(t.capitalize() for t in _TENURES)),
        )
    )
    table = Histogram.from_codes([towns, tenures], domain)
    released = Histogram.from_codes([new_towns, tenures], domain).counts
    margins = check_margins(table, released, [("TOWN",), ("TENURE",), ()])
    return Example(households, table, released, tuple(margins))


STEPS = {
    "1": "1 · The households", "2": "2 · Who is selected", "3": "3 · The exchange",
    "4": "4 · The new table",
}


def step_sentence(example: Example, step: str) -> str:
    """What happens at this step, with the numbers of this draw."""
    selected = [h for h in example.households if h.selected]
    if step == "1":
        return (
            "Eight households of four people in Massachusetts. They agree on everything that is "
            "matched, so any of them may exchange places with any other."
        )
    if step == "2":
        if not selected:
            return "A coin is tossed for each household. This time nobody was selected."
        return (
            f"A coin is tossed for each household (swap rate {100 * EXAMPLE_RATE:.0f}%): "
            f"{len(selected)} of 8 were selected. Had it been one alone, all coins would be tossed "
            "again."
        )
    if step == "3":
        stayed = sum(h.town == h.new_town for h in selected)
        text = (
            "The selected hand round their towns so that nobody gets back their own. All such "
            "ways are equally likely. Tenure stays with the household."
        )
        if not selected:
            return "Nobody was selected, so nothing is exchanged."
        if stayed:
            who = "One household receives" if stayed == 1 else f"{stayed} households receive"
            text += f" {who} a town of the same name from another: that changes nothing."
        return text
    changed = int((example.released != example.table.counts).sum())
    kept = sum(margin.equal for margin in example.margins)
    return (
        f"{changed or 'None'} of the {len(example.released)} inner counts changed. "
        f"{'All' if kept == len(example.margins) else kept} {len(example.margins)} totals, by "
        "town, by tenure and of all households, are as before."
    )

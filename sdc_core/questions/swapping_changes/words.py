"""What swapping changed and what not, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.questions.swapping_changes.compute import (
    EXAMPLE_RATE,
    RATES,
    RUNS,
    Demonstration,
    Example,
    Runs,
)
from sdc_core.words.chance import differ
from sdc_core.words.guarantees import promise_sentence
from sdc_core.words.numbers import Sentences, percent, sensible, signed_text


def massachusetts_sentences(found: Demonstration) -> tuple[str, str]:
    """The answer of the page: what moved and where, what did not, and what that promises.

    Which county is named follows from the averages over all releases, which are known exactly, and
    not from this release: at low swap rates chance decides who moved most in one of them.
    """
    table = found.table
    shape = table.domain.shape
    true = table.counts.reshape(shape)
    change = found.released.reshape(shape) - true
    usual = found.mechanism.bias(table).reshape(shape)
    counties = table.domain.features[0].labels
    county = int(np.abs(usual[:, 0]).argmax())
    kept = all(margin.equal for margin in found.margins)
    net = int(change[county, 0])
    headline = (
        f"In one release of Massachusetts 1940, swapping {percent(found.mechanism.swap_rate)} of "
        f"dwellings counts {_net(net)} as owned in {counties[county]}"
        + (f"{_elsewhere(net)}; every total stays exact." if kept
           else " and changes some totals as well.")
    )
    promise = found.mechanism.guarantee(table)
    promised = "" if promise.epsilon is None else (
        f"As a privacy promise this is ε = {sensible(promise.epsilon)} for each record that "
        f"differs. {promise_sentence('Swapping', promise)}"
    )
    return headline, Sentences(
        *_on_average(found, usual),
        f"The {true.size} counts of this release are off by {sensible(found.error.percent)}% on "
        "average.",
        promised,
    )


def changes_in_words(found: Demonstration) -> str:
    """The bars for those who do not see them: every county's change."""
    shape = found.table.domain.shape
    change = (found.released - found.table.counts).reshape(shape)[:, 0]
    parts = [
        f"{county} {signed_text(float(by))}"
        for county, by in zip(found.table.domain.features[0].labels, change, strict=True)
    ]
    return f"Owned dwellings in this release, after minus before: {', '.join(parts)}."


def _net(change: int) -> str:
    """`1,761 more`: no dwelling changes tenure, they change county."""
    if not change:
        return "as many as before"
    return f"{abs(change):,} {'more' if change > 0 else 'fewer'}"


def _elsewhere(change: int) -> str:
    """Where the total of owned dwellings is kept, the others make up for it."""
    if not change:
        return ""
    many = "one" if abs(change) == 1 else "as many"
    return f" and {many} {'fewer' if change > 0 else 'more'} elsewhere"


def _on_average(found: Demonstration, usual: NDArray[np.float64]) -> tuple[str, str]:
    """Whom swapping changes most, over all releases: exact, and why."""
    counties, tenures = (feature.labels for feature in found.table.domain.features)
    true = found.table.counts.reshape(usual.shape)
    county = int(np.abs(usual[:, 0]).argmax())
    share = usual / true
    row, column = (int(i) for i in np.unravel_index(int(np.abs(share).argmax()), usual.shape))
    here = (found.released.reshape(usual.shape) - true)[row, column] / true[row, column]
    mix = percent(float(true[:, 0].sum() / true.sum()), 0)
    return (
        f"On average over releases swapping draws every county towards the state's mix, {mix} "
        f"owned; the number of owned dwellings changes most in {counties[county]} "
        f"({sensible(abs(float(usual[county, 0])))} dwellings).",
        f"In percent the {tenures[column].lower()} dwellings of {counties[row]} are changed most: "
        f"{_too(float(share[row, column]))} on average, {_too(float(here))} in this release."
    )


def _too(share: float) -> str:
    return f"{percent(abs(share))} too {'high' if share > 0 else 'low'}" if share else "unchanged"


RUNS_PLANNED = (
    f"{RUNS} swapped releases at each of {len(RATES)} swap rates, from {percent(RATES[0])} to "
    f"{percent(RATES[-1])}: as many as in the slides."
)
PRINTED = (
    "The diamond is the one release printed in the slides, at 50%. It was swapped among households "
    "of the same size, so it is not one of these runs."
)


def runs_sentence(runs: Runs) -> str:
    """How far off are counts at the least and at the largest swap rate, and how sure is that?"""
    done = [(rate, values) for rate, values in sorted(runs.items()) if values]
    if not done:
        return ""
    ends = done if len(done) == 1 else [done[0], done[-1]]
    said = f"On average a count is off by {' and by '.join(_mean(*end) for end in ends)}."
    if any(len(values) > 1 for _, values in ends):
        said += " ± is one standard error of the mean."
    if len(ends) == 2:
        said += _apart(*ends)
    spreads = [
        f"from {sensible(min(values))}% to {sensible(max(values))}% at {percent(rate)}"
        for rate, values in ends if len(values) > 1
    ]
    return f"{said} Single runs go {' and '.join(spreads)}." if spreads else said


def _mean(rate: float, values: Sequence[float]) -> str:
    """`0.27% ± 0.01% at a swap rate of 1% (20 runs)`."""
    spread = f" ± {sensible(standard_error(values))}%" if len(values) > 1 else ""
    number = "one run" if len(values) == 1 else f"{len(values)} runs"
    return (
        f"{sensible(float(np.mean(values)))}%{spread} at a swap rate of {percent(rate)} ({number})"
    )


def _apart(low: tuple[float, Sequence[float]], high: tuple[float, Sequence[float]]) -> str:
    """Nothing that chance could have done, or that one run alone says, is called a difference."""
    (one, few), (other, many) = low, high
    if min(len(few), len(many)) < 2 or not differ(
        float(np.mean(few)), standard_error(few), float(np.mean(many)), standard_error(many)
    ):
        return f" These runs do not tell swap rates of {percent(one)} and {percent(other)} apart."
    return ""


def standard_error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def progress_sentence(runs: Runs) -> str:
    """How many runs stand behind the boxes?"""
    done, all_runs = sum(map(len, runs.values())), RUNS * len(RATES)
    return f"{f'All {done}' if done == all_runs else f'{done} of {all_runs}'} swaps are done."


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
            f"A coin is tossed for each household (swap rate {percent(EXAMPLE_RATE)}): "
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
        f"{'All' if kept == len(example.margins) else f'{kept} of the'} {len(example.margins)} "
        "totals, by town, by tenure and of all households, are as before."
    )

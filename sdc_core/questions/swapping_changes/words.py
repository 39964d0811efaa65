"""What swapping changed and what not, in words."""

from __future__ import annotations

import numpy as np

from sdc_core.questions.swapping_changes.compute import (
    EXAMPLE_RATE,
    RATES,
    RUNS,
    Demonstration,
    Example,
    Runs,
)
from sdc_core.words.numbers import percent, sensible


def massachusetts_sentences(found: Demonstration) -> tuple[str, str]:
    """The answer of the page: what moved and where, what did not, and what that promises."""
    table = found.table
    shape = table.domain.shape
    true = table.counts.reshape(shape)
    change = found.released.reshape(shape) - true
    counties = table.domain.features[0].labels
    county = int(np.abs(change[:, 0]).argmax())
    way = "from rented to owned" if change[county, 0] > 0 else "from owned to rented"
    owned = int(true[:, 0].sum())
    kept = all(margin.equal for margin in found.margins)
    headline = (
        f"Swapping {percent(found.mechanism.swap_rate)} of dwellings moved a net "
        f"{abs(int(change[county, 0])):,} {way} in {counties[county]}, "
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
        f"{percent(abs(float(share[worst])))} too {side}. A count is off by "
        f"{sensible(found.error.percent)}% on average."
    )
    if promise.epsilon is not None:
        more += (
            f" As a privacy promise this is ε = {sensible(promise.epsilon)}, and only among tables "
            "that agree in all these totals."
        )
    return headline, more


HARDLY = 0.1  # between runs that differ by no more than this share, the error hardly moves
RUNS_PLANNED = (
    f"{RUNS} swapped releases at each of {len(RATES)} swap rates, from {percent(RATES[0])} to "
    f"{percent(RATES[-1])}, as in the slides."
)


def runs_sentence(runs: Runs) -> str:
    """How does the error grow with the swap rate, and how much does it vary from run to run?"""
    done = {rate: values for rate, values in sorted(runs.items()) if values}
    if not done:
        return ""
    parts = [
        f"{sensible(float(np.median(values)))}% at a swap rate of {percent(rate)}"
        for rate, values in (list(done.items())[:1] + list(done.items())[-1:])[: len(done)]
    ]
    said = f"A count is off by {' and by '.join(parts)} (medians)."
    last, values = list(done.items())[-1]
    if len(values) == 1:
        return said
    low, high = min(values), max(values)
    moves = "hardly moves" if high - low <= HARDLY * float(np.median(values)) else "moves"
    return (
        f"{said} Between runs it {moves}: at {percent(last)} from {sensible(low)}% to "
        f"{sensible(high)}%."
    )


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

"""What P3 says in words: of swap rate and ε, of what swapping leaves as it is, and of invariants.

On the census excerpts people exchange their place with people of the same sex and income class, and
tenure stays with them. (The slides match on household size, which the data do not say.) "The
formula" is the slides'; "the exact worst case" is what it bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.neighbour_tables import KnowsSupport
from sdc_core.metrics.tables import check_margins, mean_absolute_percentage_error
from sdc_core.papers.item import EVERYWHERE, PRINTED, Case, Claim, Found
from sdc_core.papers.p3_1940 import counties, county_swapping
from sdc_core.papers.published import published
from sdc_core.privacy.swap_rate import (
    epsilon_to_swap_rates,
    largest_stratum,
    smallest_epsilon,
    smallest_exact_epsilon,
    swap_rate_to_epsilon,
)

MATCH, PLACE, TENURE = ("SEX", "INCOME_50K"), "PUMA", "OWN_RENT"
SLIDES_RATES = (0.01, 0.05, 0.1, 0.5)
BOX_RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)  # of the box plots
RUNS = 20
SMALLEST = (2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100)  # strata tried beside those of the data

Formula = Callable[[float, int], float]


def by_theorem(rate: float, stratum: int) -> float:
    return swap_rate_to_epsilon(rate, stratum).theorem


def in_truth(rate: float, stratum: int) -> float:
    return swap_rate_to_epsilon(rate, stratum).exact


def strata(case: Case) -> list[int]:
    """Sizes of groups that swap among themselves, smallest first; of two records or more."""
    if case.dataset == "2020":
        found = [int(one.value) for one in published("P3", "table2", "b")]
    elif case.dataset == "1940":  # matched on household size, and on the state alone
        (largest,) = published("P3", "text-1940", "b")
        found = [int(largest.value), counties().total]
    else:
        table = _table(case)
        sizes = table.counts.reshape(table.domain.shape).sum(axis=(2, 3))
        found = [int(size) for size in sizes.ravel()]
    return sorted({size for size in found if size > 1})


def _table(case: Case) -> Histogram:
    return case.data.histogram((*MATCH, PLACE, TENURE))


def _swapping() -> Mechanism:
    return mechanism("permutation-swapping", swap_rate=0.5, match=MATCH, swap=(PLACE,))


# Swap rate and ε ----------------------------------------------------------------------------------

def _smallest_is_above_zero(formula: Formula, smallest: Callable[[int], float]) -> Callable[
        [Case], Found]:
    rates = 1 / (1 + np.exp(-np.linspace(-12, 12, 241)))

    def test(case: Case) -> Found:
        sizes = sorted({*SMALLEST, *strata(case)})
        least = {b: smallest(b) for b in sizes}
        reached = all(min(formula(float(p), b) for p in rates) >= least[b] - 1e-9 for b in sizes)
        none = [b for b in sizes if not least[b] > 0]
        return Found(reached and not none, (
            f"No swap rate makes ε less than {least[sizes[-1]]:.2f} at b = {sizes[-1]:,}"
            + (f"; at b = {none[0]} it is 0 where a pair is as likely swapped as not." if none
               else f", and than {least[2]:.2f} at b = 2.")))
    return test


def _two_rates(formula: Formula, exactly: bool) -> Callable[[Case], Found]:
    def both(epsilon: float, b: int) -> tuple[float, ...]:
        found = epsilon_to_swap_rates(epsilon, b)
        return found.exact_rates if exactly else found.rates

    def test(case: Case) -> Found:
        smallest = smallest_exact_epsilon if exactly else smallest_epsilon
        holds = True
        for b in (*SMALLEST, *strata(case)):
            for more in (0.01, 0.1, 1.0, 3.0):
                wanted = smallest(b) + more
                rates = both(wanted, b)
                holds &= len(rates) == 2 and rates[0] < rates[1]
                holds &= all(abs(formula(p, b) - wanted) < 1e-4 * wanted for p in rates)
        b = strata(case)[-1]
        low, high = both(smallest(b) + 1, b)
        return Found(holds, f"At b = {b:,}, ε = {smallest(b) + 1:.2f} is that of p = {low:.2%} and "
                            f"of {high:.4%}.")
    return test


def _larger_is_worse(formula: Formula, rates: Sequence[float]) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        pairs = [(p, *two) for p in rates for two in itertools.pairwise(strata(case))]
        flat = [(p, b, c) for p, b, c in pairs if formula(p, c) <= formula(p, b)]
        p, smaller, larger = (flat or pairs)[0]
        return Found(not flat, (
            f"At p = {p:g} ε is {formula(p, smaller):.2f} at b = {smaller:,} and "
            f"{formula(p, larger):.2f} at b = {larger:,}."))
    return test


def _bounded(case: Case) -> Found:
    rates = (*SLIDES_RATES, 0.7, 0.9, 0.99)
    pairs = [(by_theorem(p, b), in_truth(p, b)) for b in (*SMALLEST, *strata(case)) for p in rates]
    b = strata(case)[-1]
    return Found(all(exact <= bound + 1e-12 for bound, exact in pairs), (
        f"At p = 5%, b = {b:,}: {by_theorem(0.05, b):.4f} by the formula, "
        f"{in_truth(0.05, b):.4f} in truth; at b = 4 {by_theorem(0.05, 4):.2f} and "
        f"{in_truth(0.05, 4):.2f}."))


def _more_invariants(case: Case) -> Found:
    """Coarse and fine matches side by side, with the same share swapped."""
    if case.dataset in PRINTED:
        sizes = strata(case)[::-1] if case.dataset == "1940" else [
            int(one.value) for one in published("P3", "table2", "b")]
        pairs = list(zip(sizes[::2], sizes[1::2], strict=True))
    else:
        by = [largest_stratum(_table(case), match).size for match in ((), MATCH[:1], MATCH)]
        pairs = [(by[0], by[1]), (by[1], by[2])]
    each = [(by_theorem(p, coarse), by_theorem(p, fine)) for coarse, fine in pairs
            for p in SLIDES_RATES]
    coarse, fine = pairs[0]
    return Found(all(a > b for a, b in each), (
        f"One more match lowers b from {coarse:,} to {fine:,} and so ε at p = 5% from "
        f"{by_theorem(0.05, coarse):.2f} to {by_theorem(0.05, fine):.2f}."))


# What stays as it is ------------------------------------------------------------------------------

def _moved(table: Histogram) -> Histogram:
    """The same people, but one of them lives elsewhere: from the first count that has somebody."""
    cube = table.counts.reshape(table.domain.shape).copy()
    *match, place, tenure = (int(i) for i in np.argwhere(cube)[0])
    cube[*match, place, tenure] -= 1
    cube[*match, (place + 1) % cube.shape[2], tenure] += 1
    return Histogram(cube.reshape(-1), table.domain)


def _releases(method: Mechanism, table: Histogram, seed: int, number: int = 5) -> Iterator[
        np.ndarray]:
    yield from method.draw_tables(table, [repetition_rng(seed, r) for r in range(number)])


def _never_the_same(method: Mechanism, case: Case, what: str) -> Found:
    """No release of one table can come from the other."""
    table, other = _table(case), _moved(_table(case))
    assert isinstance(method, KnowsSupport)
    apart = method.support(table).is_apart_from(method.support(other))
    own = all(
        bool(method.support(t).has(row[None, :])[0])
        for t in (table, other) for row in _releases(method, t, case.attempt.seed))
    return Found(apart and own, (
        f"With one of {table.total:,} people in another place, {what} differ in two places in "
        f"every release: {'no release' if apart else 'some release'} is common to both."))


def _not_without_invariants(case: Case) -> Found:
    return _never_the_same(_swapping(), case, "numbers by sex, income and place")


def _not_with_fewer(case: Case) -> Found:
    return _never_the_same(_topdown(), case, "numbers by place")


def _topdown() -> Mechanism:
    return mechanism("topdown", epsilon=1.0, geography=(PLACE,), invariants="areas")


MARGINS = ((*MATCH, PLACE), (*MATCH, TENURE), (PLACE, TENURE), (PLACE,), MATCH, (TENURE,))


def _kept(method: Mechanism, table: Histogram, seed: int) -> set[tuple[str, ...]]:
    """Which margins are as before in every one of five releases."""
    found = set(MARGINS)
    for row in _releases(method, table, seed):
        found = {one for one in found if all(m.equal for m in check_margins(table, row, [one]))}
    return found


def _in_words(margin: tuple[str, ...]) -> str:
    words = {"SEX": "sex", "INCOME_50K": "income", PLACE: "place", TENURE: "tenure"}
    return " × ".join(words[name] for name in margin)


def _inner_cells_alone(case: Case) -> Found:
    table = _table(case)
    kept = _kept(_swapping(), table, case.attempt.seed)
    changed = [one for one in MARGINS if one not in kept]
    moved = np.mean([np.count_nonzero(row - table.counts)
                     for row in _releases(_swapping(), table, case.attempt.seed)])
    return Found({MARGINS[0], MARGINS[1]} <= kept and changed == [MARGINS[2]] and bool(moved), (
        f"Of five releases at p = 50% each changes {moved:.0f} of {len(table)} counts on average; "
        f"kept: {', '.join(_in_words(one) for one in MARGINS if one in kept)}; changed: "
        f"{', '.join(map(_in_words, changed)) or 'none'}."))


def _more_than_topdown(case: Case) -> Found:
    table, seed = _table(case), case.attempt.seed
    swapped, topdown = (_kept(m, table, seed) for m in (_swapping(), _topdown()))
    return Found(topdown < swapped, (
        f"Swapping keeps {len(swapped)} of {len(MARGINS)} margins exactly, TopDown "
        f"{len(topdown)} ({', '.join(_in_words(one) for one in MARGINS if one in topdown)})."))


def _printed_totals(case: Case) -> Found:
    before, after = (counties(kind).counts.reshape(-1, 2) for kind in ("", "_swapped"))
    same = [np.array_equal(before.sum(axis=a), after.sum(axis=a)) for a in (0, 1)]
    return Found(all(same), (
        f"{'All' if same[1] else 'Not all'} {len(before)} counties and "
        f"{'both' if same[0] else 'not both'} tenures add up to the same before and after, while "
        f"{np.count_nonzero(before - after)} of {before.size} counts differ."))


def _is_one_run_at_half(case: Case) -> Found:
    """Its percentage error lies among those of our runs at 50%, and of no other rate."""
    table, after = counties(), counties("_swapped")
    printed = mean_absolute_percentage_error(table.counts, after.counts).percent
    boxes = {
        rate: [mean_absolute_percentage_error(table.counts, row).percent
               for row in _releases(county_swapping(rate), table, case.attempt.seed, RUNS)]
        for rate in BOX_RATES
    }
    among = [rate for rate, runs in boxes.items() if min(runs) <= printed <= max(runs)]
    said = ", ".join(f"{min(r):.1f} to {max(r):.1f}% at {p:.0%}" for p, r in boxes.items())
    return Found(among == [0.5], (
        f"On average a printed count is {printed:.1f}% off. {RUNS} runs of ours, matched on the "
        f"state alone: {said}."))


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    about: tuple[str, ...] = PRINTED, tried_on: tuple[str, ...] = EVERYWHERE, slow: bool = False,
) -> Claim:
    """Empty groups make no difference to swapping."""
    return Claim("P3", number, item, where, sentence, test, about, tried_on, ("",), slow)


_NOTES = "slide on swap rate and ε, note"
_EXACT = "(the slide means the formula; here the exact worst case)"
_DEMONSTRATION = "slides on the 1940 census"
CLAIMS = (
    _claim(1, "fig-rates", f"{_NOTES} 1", "For every stratum size b of two or more there is a "
           "smallest ε that can be reached, and it is above zero.",
           _smallest_is_above_zero(by_theorem, smallest_epsilon)),
    _claim(2, "fig-rates", f"{_NOTES} 1", "For every stratum size b of two or more there is a "
           f"smallest ε that can be reached, and it is above zero {_EXACT}.",
           _smallest_is_above_zero(in_truth, smallest_exact_epsilon)),
    _claim(3, "fig-rates", f"{_NOTES} 2",
           "Every ε above the smallest is met by two different swap rates.",
           _two_rates(by_theorem, False)),
    _claim(4, "fig-rates", f"{_NOTES} 2",
           f"Every ε above the smallest is met by two different swap rates {_EXACT}.",
           _two_rates(in_truth, True)),
    _claim(5, "fig-rates", f"{_NOTES} 3",
           "At the same swap rate, of those in the slides' tables, a larger b has a larger ε.",
           _larger_is_worse(by_theorem, SLIDES_RATES)),
    _claim(6, "fig-rates", f"{_NOTES} 3", "At the same swap rate, of those in the slides' tables, "
           f"a larger b has a larger ε {_EXACT}.", _larger_is_worse(in_truth, SLIDES_RATES)),
    _claim(7, "fig-rates", f"{_NOTES} 3",
           "At the same swap rate, whichever it is up to 99.9%, a larger b has a larger ε.",
           _larger_is_worse(by_theorem, (*SLIDES_RATES, 0.9, 0.99, 0.999))),
    _claim(8, "fig-rates", "theorem on permutation swapping",
           "Permutation swapping loses no more than the ε of the formula, subject to its "
           "invariants.", _bounded),
    _claim(9, "table2", "Perverse guide, 1",
           "More invariants make ε smaller without any more records being swapped.",
           _more_invariants),
    _claim(10, "text", "slide on swapping and DP",
           "Without restricting the data to those that agree on the invariants, swapping is not "
           "differentially private for any ε.", _not_without_invariants, EVERYWHERE[:1]),
    _claim(11, "thm-tda", "theorem on TopDown, part 2",
           "With fewer invariants named than it keeps, TopDown has no finite budget.",
           _not_with_fewer, EVERYWHERE[:1], slow=True),
    _claim(12, "table7", "slide on what swapping changes",
           "Swapping changes inner counts alone: counts by match and hold, and by match and swap, "
           "stay as they are.", _inner_cells_alone, EVERYWHERE[:1]),
    _claim(13, "table1", "table of examples", "Swapping keeps more exactly than TopDown (ours "
           "keeps the number of people in each place, the census's that of each state).",
           _more_than_topdown, EVERYWHERE[:1], slow=True),
    _claim(14, "table4", _DEMONSTRATION, "Dwellings by county and by tenure are the same after "
           "swapping, in the printed table.", _printed_totals, ("1940",), ()),
    _claim(15, "fig-mape", _DEMONSTRATION,
           "The printed swapped table is one run at a swap rate of 50%: of the rates tried, it "
           "looks like that one alone.", _is_one_run_at_half,
           ("1940",), ()),
)

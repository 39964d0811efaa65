"""P3 beside ours: plain formulas, small cases listed in full, and verdicts that flip."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.papers import p3, p3_claims
from sdc_core.papers.every import CLAIMS, item
from sdc_core.papers.item import Attempt, Case, Finding, find
from sdc_core.papers.p3_1940 import counties, county_swapping, one_release_strays
from sdc_core.papers.published import Entry, published
from sdc_core.papers.verdicts import GOOD, Judged, Verdict, judged

published_module = importlib.import_module("sdc_core.papers.published")
QUICK = Attempt(full=False, twins_only=True)
RATES = {"epsilon_p5pct": 0.05, "epsilon_p50pct": 0.5}


def verdicts(name: str) -> dict[tuple[str, str], Judged]:
    return {(j.entry.row, j.entry.column): j for j in item(name).judge(QUICK)}


def found(number: int) -> Finding:
    (claim,) = (c for c in CLAIMS if c.id == f"p3-claim-{number}")
    return find(claim, QUICK)


def holds(number: int) -> set[bool | None]:
    return {one.holds for one in found(number).tried}


@pytest.fixture
def reprint(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Print another number in the paper."""
    def change(item_name: str, row: str, column: str, **values: str) -> None:
        entries = published_module._entries()
        before = next(e for e in entries if (e.paper, e.item, e.row, e.column) == (
            "P3", item_name, row, column))
        after = tuple(replace(e, **values) if e is before else e for e in entries)
        monkeypatch.setattr(published_module, "_entries", lambda: after)

    return change


def plain_epsilon(rate: float, b: float) -> float:
    """The slide's formula up to one half."""
    return math.log(b + 1) - math.log(rate / (1 - rate))


# Budgets ------------------------------------------------------------------------------------------

def test_every_epsilon_of_2020_and_of_1940_is_printed_as_the_plain_formula_has_it() -> None:
    sizes = {e.row: e.value for e in published("P3", "table2", "b")}
    seen = 0
    for (row, column), one in verdicts("p3-table2").items():
        if column == "b":
            assert one.ours is None and one.verdict is Verdict.GIVEN
            continue
        ours = plain_epsilon(RATES[column], sizes[row])
        assert one.ours is not None and one.ours.value == pytest.approx(ours, abs=1e-12)
        assert one.verdict is Verdict.MATCH and f"{ours:.2f}" == one.entry.printed
        seen += 1
    for (row, _), one in verdicts("p3-table3").items():
        ours = plain_epsilon(float(row[2:]), 264_331)
        assert one.ours is not None and one.ours.value == pytest.approx(ours, abs=1e-12)
        assert one.verdict is Verdict.MATCH
        seen += 1
    assert seen == 16


def test_the_range_of_swapping_is_that_of_the_table_on_2020() -> None:
    found = verdicts("p3-table1")
    low, high = plain_epsilon(0.5, 11_691), plain_epsilon(0.05, 13_680_081)
    for column, value in (("epsilon_min", low), ("epsilon_max", high)):
        one = found["swapping", column]
        assert one.verdict is Verdict.MATCH and one.ours is not None
        assert one.ours.value == pytest.approx(value, abs=1e-12)


def test_topdown_is_as_far_off_as_two_printed_digits_explain() -> None:
    one = verdicts("p3-table1")["topdown", "epsilon"]
    by_hand = [rho + 2 * math.sqrt(rho * 10 * math.log(10)) for rho in (15.285, 15.29, 15.295)]
    assert one.ours is not None and one.ours.value == pytest.approx(by_hand[1], abs=1e-12)
    assert one.verdict is Verdict.WITHIN
    # what the rounding of ρ and of ε can do together, and no more
    most = by_hand[2] - by_hand[1] + 0.005
    assert most < one.entry.leeway + 1e-3 and one.entry.leeway <= most
    (sharpest,) = one.others
    assert sharpest.value < one.ours.value - 1


def test_another_number_in_print_flips_the_verdict(reprint: Callable[..., None]) -> None:
    reprint("table3", "p=0.10", "epsilon", printed="14.69")
    assert verdicts("p3-table3")["p=0.10", "epsilon"].verdict is Verdict.DIFFERS
    reprint("text-1940", "two-person households of Massachusetts", "b", printed="274331")
    assert {v.verdict for v in verdicts("p3-table3").values()} == {Verdict.DIFFERS}
    reprint("table2", "match=block group swap=block", "b", printed="11000")
    found = verdicts("p3-table2")
    assert found["match=block group swap=block", "epsilon_p5pct"].verdict is Verdict.DIFFERS
    assert found["match=state swap=county", "epsilon_p5pct"].verdict is Verdict.MATCH
    assert verdicts("p3-table1")["swapping", "epsilon_min"].verdict is Verdict.DIFFERS


def test_another_convention_flips_the_verdict(reprint: Callable[..., None]) -> None:
    reprint("table1", "topdown", "epsilon", convention=p3.SHARPEST)
    assert verdicts("p3-table1")["topdown", "epsilon"].verdict is Verdict.DIFFERS
    reprint("table4", "Norfolk", "owned_swapped", convention="matched on household size")
    assert verdicts("p3-table4")["Norfolk", "owned_swapped"].verdict is Verdict.NOT_MADE


def test_inputs_have_no_number_of_ours() -> None:
    """A number that is only repeated is not a match."""
    inputs = {
        (i.name, j.entry.row, j.entry.column): j
        for i in p3.ITEMS for j in i.judge(QUICK) if j.ours is None
    }
    assert all(j.verdict is Verdict.GIVEN and j.reason for j in inputs.values())
    counts = {name: sum(key[0] == name for key in inputs) for name in
              ("table1", "table2", "text-1940", "table4", "table5", "thm-tda")}
    assert counts == {"table1": 2, "table2": 6, "text-1940": 1, "table4": 28, "table5": 12,
                      "thm-tda": 2}
    assert len(inputs) == sum(counts.values())


# Massachusetts 1940 -------------------------------------------------------------------------------

def test_totals_match_and_swapping_keeps_them() -> None:
    totals = [j for (row, column), j in verdicts("p3-table4").items()
              if row == "total" or column.startswith("total")]
    assert len(totals) == 2 * 14 + 6 and {j.verdict for j in totals} == {Verdict.GIVEN}
    assert all(j.ours is not None and j.entry.is_printed_as(j.ours.value) for j in totals)


def test_the_mean_of_all_releases_is_that_of_plain_arithmetic() -> None:
    """A selected dwelling takes the place of any other: of N - 1 others n_c are in county c."""
    judged_cells, table = verdicts("p3-table4"), counties()
    owned, rented = table.counts.reshape(-1, 2).T.astype(float)
    for i, name in enumerate(table.domain.features[0].labels):
        here = owned[i] + rented[i]
        leave = 0.5 * owned[i] * (table.total - here) / (table.total - 1)
        come = 0.5 * (owned.sum() - owned[i]) * here / (table.total - 1)
        one = judged_cells[name, "owned_swapped"]
        assert one.ours is not None
        assert one.ours.value == pytest.approx(owned[i] - leave + come, abs=1e-6)


def test_only_suffolk_is_beyond_chance() -> None:
    swapped = {key: j for key, j in verdicts("p3-table4").items()
               if key[0] != "total" and key[1] in ("owned_swapped", "rented_swapped")}
    beyond = {row for (row, _), j in swapped.items() if j.verdict not in GOOD}
    assert len(swapped) == 28 and beyond == {"Suffolk"}
    suffolk = swapped["Suffolk", "owned_swapped"]
    assert suffolk.verdict is Verdict.ORDER and "household" in suffolk.reason


def test_tolerances_are_three_deviations_of_a_release() -> None:
    table = counties()
    allowed = [e.leeway for e in published("P3", "table4", "owned_swapped") if e.row != "total"]
    assert allowed == [math.ceil(3 * s) for s in one_release_strays(table, 0.5)]


def test_how_far_a_release_strays_is_what_swapping_records_one_by_one_does() -> None:
    """Two thousand dwellings in four counties, selected and deranged with nothing but numpy."""
    table = Histogram(
        np.array([300, 100, 150, 450, 60, 40, 500, 400]),
        replace(counties().domain, features=(
            replace(counties().domain.features[0], values=tuple("abcd"), labels=tuple("abcd")),
            counties().domain.features[1])))
    place = np.repeat(np.arange(8) // 2, table.counts)
    owned = np.repeat(np.arange(8) % 2 == 0, table.counts)
    rng, drawn = np.random.default_rng(3), []
    for _ in range(1500):
        chosen = np.flatnonzero(rng.random(2000) < 0.5)
        order = rng.permutation(len(chosen))
        while (order == np.arange(len(chosen))).any():
            order = rng.permutation(len(chosen))
        after = place.copy()
        after[chosen] = place[chosen[order]]
        drawn.append(np.bincount(after[owned], minlength=4))
    simulated = np.std(drawn, axis=0, ddof=1)  # each to about 2%
    assert one_release_strays(table, 0.5) == pytest.approx(simulated, rel=0.08)


def test_sums_check_the_inputs(reprint: Callable[..., None]) -> None:
    def differ() -> set[str]:
        return {
            row for (row, column), j in verdicts("p3-table4").items() for o in j.others
            if o.convention == p3.BY_SUMS and o.value != j.entry.value}

    assert not differ()
    reprint("table4", "Dukes", "owned", printed="1208")
    assert len(differ()) == 14  # a slip in one county shows in all
    assert verdicts("p3-table4")["Dukes", "total"].verdict not in GOOD


def test_another_swap_rate_flips_the_county_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p3, "county_swapping", lambda rate: county_swapping(rate / 2))
    swapped = [j.verdict for (row, column), j in verdicts("p3-table4").items()
               if row != "total" and column == "owned_swapped"]
    assert sum(v in GOOD for v in swapped) < 4


# The example and the invariants -------------------------------------------------------------------

def test_the_example_comes_out_and_would_not_without_a_swap(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number, said in (
            ("p3-table6", 12, Verdict.GIVEN), ("p3-table7", 4, Verdict.MATCH)):
        assert [j.verdict for j in verdicts(name).values()] == [said] * number
        assert all(j.ours is not None and j.entry.is_printed_as(j.ours.value)
                   for j in verdicts(name).values())
    without = p3.swapped_households(rate=0.0)
    monkeypatch.setattr(p3, "swapped_households", lambda: without)
    assert {j.verdict for j in verdicts("p3-table7").values()} == {Verdict.DIFFERS}


def test_the_invariants_alone_cost_nothing_and_more_than_them_does() -> None:
    (entry,) = published("P3", "thm-invariants-1")
    (one,) = item("p3-thm-invariants-1").judge(QUICK)
    assert one.verdict is Verdict.MATCH and one.ours is not None and one.ours.value == 0
    assert p3.largest_log_ratio(lambda t: {(p3.margins(t), t[0]): 1.0}) == math.inf

    def noisy(table: tuple[int, ...]) -> dict[object, float]:
        """The margins, and the first count by a coin that falls wrong once in four times."""
        even = table[0] % 2
        return {(p3.margins(table), even): 0.75, (p3.margins(table), 1 - even): 0.25}

    leaking = p3.largest_log_ratio(noisy)
    assert leaking == pytest.approx(math.log(3))
    made = replace(one.ours, value=leaking)
    assert judged([entry], [made])[0].verdict is Verdict.DIFFERS


# Claims -------------------------------------------------------------------------------------------

def law_of(size: int, rate: float) -> dict[tuple[int, ...], float]:
    """The chance of each permutation of so many records, by selecting and deranging."""
    chances: dict[tuple[int, ...], float] = {}
    for selected in itertools.product((False, True), repeat=size):
        who = [i for i, s in enumerate(selected) if s]
        if len(who) == 1:
            continue
        options = [o for o in itertools.permutations(who) if all(
            a != b for a, b in zip(o, who, strict=True))]
        weight = rate ** len(who) * (1 - rate) ** (size - len(who))
        for option in options:
            order = list(range(size))
            for i, j in zip(who, option, strict=True):
                order[i] = j
            chances[tuple(order)] = weight / len(options)
    whole = sum(chances.values())
    return {order: chance / whole for order, chance in chances.items()}


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("rate", [0.05, 0.5, 0.9])
def test_the_exact_worst_case_is_that_of_all_pairs_of_outcomes(size: int, rate: float) -> None:
    law, worst = law_of(size, rate), 0.0
    orders = list(itertools.permutations(range(size)))
    for change in orders[1:]:
        moved = sum(i != j for i, j in enumerate(change))
        for order in orders:
            p, q = law.get(order, 0.0), law.get(tuple(order[i] for i in change), 0.0)
            if p or q:
                worst = max(worst, abs(math.log(p / q)) / moved if p and q else math.inf)
    assert p3_claims.in_truth(rate, size) == pytest.approx(worst, abs=1e-9)
    assert worst <= p3_claims.by_theorem(rate, size) + 1e-12


@pytest.mark.parametrize(("number", "expected"), [
    (1, {True}), (2, {False}), (3, {True}), (4, {True}), (5, {True}), (6, {True}), (8, {True}),
    (9, {True}), (10, {True}), (12, {True}), (14, {True}), (15, {True}),
])
def test_claims_on_print_and_twins(number: int, expected: set[bool]) -> None:
    """By hand: the smallest ε is ½ ln(b + 1) > 0, but in truth a pair swapped with p = ½ is a coin
    that says nothing; two rates, o and (b + 1)/o, have the same ε."""
    assert holds(number) == expected


def test_a_larger_stratum_is_no_worse_at_the_highest_rates() -> None:
    """Where o² > b + 1, ε is ln o whatever b is: of the 2020 strata the two smallest, at 99.9%."""
    assert math.sqrt(21_535 + 1) < 0.999 / 0.001
    tried = {one.dataset: one for one in found(7).tried}
    assert tried["2020"].holds is False and "6.91" in tried["2020"].numbers  # ln 999 = 6.907
    assert tried["1940"].holds is True  # √264,332 = 514, but the other is beyond 999: √1.1e6 = 1070


def test_another_mechanism_flips_the_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = mechanism("geometric", epsilon=1.0)
    monkeypatch.setattr(p3_claims, "_swapping", lambda: noise)
    assert holds(12) == {False}
    without = mechanism("topdown", epsilon=1.0, invariants="none")
    case = Case(QUICK, "ma2019-twin")
    assert not p3_claims._never_the_same(without, case, "numbers by place").holds
    monkeypatch.setattr(p3_claims, "county_swapping", lambda rate: county_swapping(rate / 2))
    assert holds(15) == {False}


def test_a_printed_total_that_is_not_kept_flips_a_claim(reprint: Callable[..., None]) -> None:
    reprint("table4", "Essex", "owned_swapped", printed="52632")
    assert holds(14) == {False}


def test_every_item_of_the_file_is_an_item_here() -> None:
    names = {e.item for e in published("P3")}
    assert names <= {i.name for i in p3.ITEMS}
    entries: list[Entry] = [e for i in p3.ITEMS for e in i.entries]
    assert len(entries) == len(published("P3"))
    assert len({c.number for c in p3.CLAIMS}) == len(p3.CLAIMS)
    assert {c.item for c in p3.CLAIMS} <= {*(i.name for i in p3.ITEMS), "text"}

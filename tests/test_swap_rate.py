"""Swap rate and ε: the published figures, the law enumerated on small groups, the command."""

from __future__ import annotations

import json
import math
from itertools import permutations

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.privacy.swap_rate import (
    derangements,
    epsilon_to_swap_rates,
    largest_stratum,
    smallest_epsilon,
    smallest_exact_epsilon,
    swap_rate_to_epsilon,
)

RATES = (0.02, 0.2, 0.45, 0.5, 0.55, 0.7, 0.9, 0.99)
SIZES = (2, 3, 4, 5, 10, 21, 22, 1_000, 264_331, 10**8)


# The published figures (Bailie, Gong and Meng 2023, P3, slides), to the two decimals printed.

@pytest.mark.parametrize(
    ("rate", "printed"), [(0.01, 17.08), (0.05, 15.43), (0.10, 14.68), (0.50, 12.48)]
)
def test_massachusetts_1940(rate: float, printed: float) -> None:
    assert swap_rate_to_epsilon(rate, 264_331).theorem == pytest.approx(printed, abs=0.005)


@pytest.mark.parametrize(
    ("size", "at_5", "at_50"),
    [
        (13_680_081, 19.38, 16.43), (3_653_802, 18.06, 15.11), (3_445_076, 18.00, 15.05),
        (853_003, 16.60, 13.66), (21_535, 12.92, 9.98), (11_691, 12.31, 9.37),
    ],
)
def test_census_2020(size: int, at_5: float, at_50: float) -> None:
    assert swap_rate_to_epsilon(0.05, size).theorem == pytest.approx(at_5, abs=0.005)
    assert swap_rate_to_epsilon(0.50, size).theorem == pytest.approx(at_50, abs=0.005)


# The law of the method, enumerated. If all hold values and all swap values of a group differ, a
# data set is a permutation, and so is an outcome; values in common only merge outcomes and so never
# make the worst case worse.

def outcome_law(n: int, p: float) -> dict[tuple[int, ...], float]:
    """Probability of every rearrangement, by following the algorithm: select, derange."""
    law = dict.fromkeys(permutations(range(n)), 0.0)
    by_moved: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for sigma in law:
        by_moved.setdefault(tuple(i for i in range(n) if sigma[i] != i), []).append(sigma)
    selections = {}
    for mask in range(2**n):
        selected = tuple(i for i in range(n) if mask >> i & 1)
        if len(selected) != 1:  # exactly one: selected again
            selections[selected] = p ** len(selected) * (1 - p) ** (n - len(selected))
    total = sum(selections.values())
    for selected, weight in selections.items():
        for sigma in by_moved[selected]:
            law[sigma] += weight / total / len(by_moved[selected])
    return law


def worst_case(n: int, p: float) -> float:
    """Largest log-ratio per record that differs, over all outcomes and all pairs of data sets.

    Renaming records and values changes nothing, so one data set of each pair may be the identity.
    """
    law = outcome_law(n, p)
    outcomes = list(law)
    number = {sigma: i for i, sigma in enumerate(outcomes)}
    logs = np.log([law[sigma] for sigma in outcomes])
    worst = 0.0
    for other in outcomes[1:]:
        distance = sum(other[i] != i for i in range(n))
        back = np.argsort(other)
        # From the data set `other`, the outcome sigma is reached by sigma ∘ other^-1.
        seen = [number[tuple(sigma[i] for i in back)] for sigma in outcomes]
        worst = max(worst, float(np.abs(logs - logs[seen]).max()) / distance)
    return worst


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.slow
def test_the_exact_worst_case_is_what_enumeration_finds(n: int) -> None:
    for p in RATES if n < 6 else RATES[1::3]:
        found = swap_rate_to_epsilon(p, n)
        assert found.exact == pytest.approx(worst_case(n, p), abs=1e-9)
        assert 0 <= found.exact <= found.theorem + 1e-12


def test_the_enumerated_law_has_the_published_form() -> None:
    """P(σ moving j of n) = p^j (1-p)^(n-j) / (D_j (1 - n p (1-p)^(n-1)))."""
    n, p = 5, 0.3
    law = outcome_law(n, p)
    assert sum(law.values()) == pytest.approx(1)
    for sigma, probability in law.items():
        j = sum(sigma[i] != i for i in range(n))
        again = 1 - n * p * (1 - p) ** (n - 1)
        expected = p**j * (1 - p) ** (n - j) / (derangements(j) * again)
        assert probability == pytest.approx(expected)


def test_a_wrong_exact_formula_would_be_caught() -> None:
    """The enumeration tells the theorem, and the case of large groups, from the truth."""
    assert swap_rate_to_epsilon(0.2, 4).theorem > worst_case(4, 0.2) + 0.1
    careless = 0.5 * math.log(3 * 2) - math.log(0.25)  # b(b-1) in place of D_b / D_{b-2}, b = 3
    assert abs(careless - worst_case(3, 0.2)) > 0.1


@pytest.mark.parametrize("b", [2, 3, 4, 5, 8, 13, 21, 22, 40])
def test_no_pair_of_distances_does_worse_in_larger_groups(b: int) -> None:
    """Outcomes move j records of one data set and k of the other, |j - k| at most the distance."""
    moved = [j for j in range(b + 1) if j != 1]
    for rate in RATES:
        log_odds = math.log(rate / (1 - rate))
        weight = {j: j * log_odds - math.log(derangements(j)) for j in moved}
        worst = max(
            (weight[j] - weight[k]) / max(2, abs(j - k))
            for j in moved for k in moved
            if j != k
        )
        assert swap_rate_to_epsilon(rate, b).exact == pytest.approx(worst, abs=1e-9)


def test_derangements() -> None:
    assert [derangements(n) for n in range(9)] == [1, 0, 1, 2, 9, 44, 265, 1854, 14833]
    for b in (21, 22, 23, 60):  # where the short form takes over it makes no difference
        exact = math.log(derangements(b)) - math.log(derangements(b - 2))
        assert 2 * (swap_rate_to_epsilon(0.5, b).exact) == pytest.approx(exact, rel=1e-14)


# Shape and limits of the curve, and back again.

@pytest.mark.parametrize("b", SIZES)
def test_smallest_epsilon_is_where_the_arms_meet(b: int) -> None:
    least = smallest_epsilon(b)
    assert least == pytest.approx(math.log(b + 1) / 2)
    at = epsilon_to_swap_rates(least, b).rate_at_smallest
    assert at / (1 - at) == pytest.approx(math.sqrt(b + 1))
    assert swap_rate_to_epsilon(at, b).theorem == pytest.approx(least)
    grid = [swap_rate_to_epsilon(p, b).theorem for p in np.linspace(0.001, 0.999, 400)]
    assert min(grid) >= least - 1e-12
    below = epsilon_to_swap_rates(least * 0.999, b)
    assert not below.reachable_by_theorem
    assert below.rates == ()
    assert below.smallest_epsilon == least


@pytest.mark.parametrize("b", [2, 3, 4, 5, 30, 1000])
@pytest.mark.parametrize("more", [1e-4, 0.1, 1.0, 4.0])
def test_the_rates_that_reach_an_epsilon_in_truth(b: int, more: float) -> None:
    """All between the two ends and none outside, by trying."""
    wanted = smallest_exact_epsilon(b) + more
    found = epsilon_to_swap_rates(wanted, b)
    assert found.reachable_exactly
    low, high = found.exact_rates
    for rate in (low, high):
        assert swap_rate_to_epsilon(rate, b).exact == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    inside = [p for p in np.linspace(0.0005, 0.9995, 999)
              if swap_rate_to_epsilon(p, b).exact <= wanted]
    assert all(low <= p <= high for p in inside)
    assert len(inside) == sum(low <= p <= high for p in np.linspace(0.0005, 0.9995, 999))
    below = epsilon_to_swap_rates(smallest_exact_epsilon(b) * 0.999 - 1e-12, b) if b > 2 else None
    assert below is None or (not below.reachable_exactly and below.exact_rates == ())


@pytest.mark.parametrize("b", SIZES)
def test_every_larger_epsilon_has_two_swap_rates(b: int) -> None:
    for more in (1e-6, 0.3, 2, 9):
        wanted = smallest_epsilon(b) + more
        found = epsilon_to_swap_rates(wanted, b)
        low, high = found.rates
        assert found.reachable_by_theorem
        assert low < found.rate_at_smallest < high
        for rate in (low, high):
            assert swap_rate_to_epsilon(rate, b).theorem == pytest.approx(wanted, rel=1e-7)
        assert swap_rate_to_epsilon((low + high) / 2, b).theorem < wanted


@pytest.mark.parametrize(
    ("b", "exact", "theorem"), [(2, 0.0, 0.55), (3, 0.23, 0.69), (4, 0.55, 0.80)]
)
def test_the_exact_minimum_is_below_the_theorems(b: int, exact: float, theorem: float) -> None:
    found = epsilon_to_swap_rates(0, b)
    assert found.smallest_exact == pytest.approx(exact, abs=0.005)
    assert found.smallest_epsilon == pytest.approx(theorem, abs=0.005)
    if b == 2:
        assert found.rate_at_smallest_exact == 0.5


@pytest.mark.parametrize("b", SIZES)
def test_the_exact_minimum_is_the_least_over_all_rates(b: int) -> None:
    found = epsilon_to_swap_rates(0, b)
    at = swap_rate_to_epsilon(found.rate_at_smallest_exact, b)
    assert at.exact == pytest.approx(found.smallest_exact, abs=1e-7)
    odds = np.linspace(-12, 12, 2401)
    grid = [swap_rate_to_epsilon(float(1 / (1 + math.exp(-x))), b).exact for x in odds]
    assert found.smallest_exact - 1e-9 <= min(grid) <= found.smallest_exact + 0.02
    assert found.smallest_exact <= found.smallest_epsilon


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_exact_minimum_by_enumeration(n: int) -> None:
    found = epsilon_to_swap_rates(0, n)
    at_best = worst_case(n, found.rate_at_smallest_exact)
    assert at_best == pytest.approx(found.smallest_exact, abs=1e-9)
    for rate in (0.1, 0.3, 0.45, 0.5, 0.55, 0.6, 0.7, 0.9):
        assert worst_case(n, rate) >= found.smallest_exact - 1e-9


def test_larger_groups_have_a_larger_epsilon_at_the_same_rate() -> None:
    for rate in RATES:
        for found in ("theorem", "exact"):
            along = [getattr(swap_rate_to_epsilon(rate, b), found) for b in SIZES]
            assert along == sorted(along)
    assert swap_rate_to_epsilon(0.05, 10).theorem < swap_rate_to_epsilon(0.05, 11).theorem


def test_theorem_bounds_the_exact_worst_case_and_meets_it_in_large_groups() -> None:
    for b in SIZES:
        for rate in RATES:
            found = swap_rate_to_epsilon(rate, b)
            assert 0 <= found.exact <= found.theorem + 1e-12
            assert found.theorem - found.exact < 2.1 / b + (b < 4)


def test_limits() -> None:
    for rate in (0.0, 0.3, 1.0):
        alone = swap_rate_to_epsilon(rate, 1)
        assert (alone.theorem, alone.exact) == (0, 0)
    for b in (2, 3, 50):
        for rate in (0, 1):
            assert swap_rate_to_epsilon(rate, b).theorem == math.inf
            assert swap_rate_to_epsilon(rate, b).exact == math.inf
        assert swap_rate_to_epsilon(1e-300, b).theorem == pytest.approx(
            math.log(b + 1) + 300 * math.log(10)
        )
        near = swap_rate_to_epsilon(math.nextafter(1, 0), b)
        assert near.theorem == near.exact == pytest.approx(53 * math.log(2))
    anything = epsilon_to_swap_rates(0, 1)
    assert anything.reachable_by_theorem
    assert anything.rates == (0, 1)
    assert epsilon_to_swap_rates(math.inf, 5).rates == (0, 1)
    low, high = epsilon_to_swap_rates(900, 5).rates  # beyond what a float can tell from 0 and 1
    assert 0 < low < high < 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: swap_rate_to_epsilon(1.4, 10), "rate must be in [0, 1], got 1.4. Try 0.05"),
        (lambda: swap_rate_to_epsilon(-0.1, 10), "rate must be"),
        (lambda: swap_rate_to_epsilon(math.nan, 10), "rate must be"),
        (lambda: swap_rate_to_epsilon("half", 10), "rate must be"),
        (lambda: swap_rate_to_epsilon(0.1, 0), "stratum_size must be a whole number"),
        (lambda: swap_rate_to_epsilon(0.1, 2.5), "stratum_size must be"),
        (lambda: swap_rate_to_epsilon(0.1, math.inf), "stratum_size must be"),
        (lambda: epsilon_to_swap_rates(-1, 10), "epsilon must be"),
        (lambda: epsilon_to_swap_rates(math.nan, 10), "epsilon must be"),
        (lambda: epsilon_to_swap_rates(1, True), "stratum_size must be"),
        (lambda: smallest_epsilon(-3), "stratum_size must be"),
    ],
)
def test_bad_input_is_a_sentence(call: object, words: str) -> None:
    with pytest.raises(InputError) as problem:
        call()  # type: ignore[operator]
    assert words in str(problem.value)


# The data.

def small_table() -> Histogram:
    place = Feature("PLACE", "Place", ("1", "2"), ("Uptown", "Downtown"))
    sex = Feature("SEX", "Sex", ("1", "2"), ("male", "female"))
    tenure = Feature("TENURE", "Tenure", ("1", "2", "3"), ("owning", "renting", "other"))
    counts = np.array([5, 1, 0, 2, 2, 2, 3, 9, 0, 1, 4, 1], dtype=np.int64)
    return Histogram(counts, Domain((place, sex, tenure)))


def test_largest_stratum_in_numbers_and_words() -> None:
    table = small_table()
    place = largest_stratum(table, ["PLACE"])
    assert (place.size, place.words, place.strata) == (18, "Downtown", 2)
    both = largest_stratum(table, ["TENURE", "PLACE"])
    assert (both.size, both.words, both.strata) == (13, "Downtown, renting", 6)
    assert largest_stratum(table, []).size == table.total == 30
    assert largest_stratum(table, []).words == "everyone"
    full = largest_stratum(table, table.domain.names)
    assert (full.size, full.strata) == (9, 10)
    with pytest.raises(InputError, match="match names 'AGE'"):
        largest_stratum(table, ["AGE"])
    empty = Histogram(np.zeros(12, dtype=np.int64), table.domain)
    with pytest.raises(InputError, match="counts nobody"):
        largest_stratum(empty, ["PLACE"])


# The command line.

def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["swap-rate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "--rate", "0.05", "--stratum-size", "264331")
    assert found["theorem"] == pytest.approx(15.4294, abs=1e-4)
    assert found["exact"] == sdc.swap_rate_to_epsilon(0.05, 264_331).exact
    assert found["stratum_size"] == 264_331
    both = answer(capsys, "--epsilon", "8", "--stratum-size", "1000")
    assert both["reachable_by_theorem"] is True
    assert both["rates"] == list(sdc.epsilon_to_swap_rates(8, 1000).rates)
    none = answer(capsys, "--epsilon", "2", "--stratum-size", "1000")
    assert none["reachable_by_theorem"] is False
    assert none["rates"] == []
    assert none["smallest_epsilon"] == pytest.approx(3.4544, abs=1e-4)
    assert answer(capsys, "--rate", "0", "--stratum-size", "5")["theorem"] is None
    # what the theorem cannot reach and swapping can: b = 3, whose exact least is ln 2 / 3
    small = answer(capsys, "--epsilon", "0.6", "--stratum-size", "3")
    assert (small["reachable_by_theorem"], small["rates"]) == (False, [])
    assert small["smallest_exact"] == pytest.approx(math.log(2) / 3) and small["reachable_exactly"]
    low, high = small["exact_rates"]
    for rate in (low, (low + high) / 2, high):
        assert answer(capsys, "--rate", str(rate), "--stratum-size", "3")["exact"] <= 0.6 + 1e-12
    least = answer(capsys, "--epsilon", "0.1", "--stratum-size", "3")
    assert not least["reachable_exactly"] and least["exact_rates"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--stratum-size", "10"], ["--rate", "0.1"], ["--rate", "2", "--stratum-size", "10"],
        ["--rate", "0.1", "--epsilon", "1", "--stratum-size", "10"],
        ["--rate", "0.1", "--stratum-size", "2.5"], ["--rate", "x", "--stratum-size", "2"],
        ["--epsilon", "-1", "--stratum-size", "2"],
    ],
)
def test_command_line_refuses_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    try:
        code = main(["swap-rate", *arguments])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1

"""Every mechanism answers the five questions, and the tricks that lower ε are computed rightly.

Proven here: all answers are declared, and agree with what the guarantee says about invariants;
the census facts convert as printed; every number of the perverse guide against a computation of
its own; every sentence carries its numbers and says that nobody is better protected.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant

import sdc_core as sdc
from sdc_core.figures.protection import answers_table, census_cards, trick_bars, unbroken
from sdc_core.mechanisms import REGISTRY
from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy import perverse, protection
from sdc_core.privacy.coverage import (
    census_sentence,
    coverage,
    coverage_sentences,
    coverage_table,
    household_epsilon,
    recomputed,
)
from sdc_core.words.numbers import sensible

FEATURES = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
SIGMA = math.sqrt(20)


@pytest.fixture(scope="module")
def data() -> sdc.Dataset:
    return sdc.load_dataset("ma2019-twin")


@pytest.fixture(scope="module")
def table(data: sdc.Dataset) -> sdc.Histogram:
    return data.histogram(FEATURES)


@pytest.mark.parametrize("cls", REGISTRY, ids=lambda c: c.name)
def test_every_mechanism_answers_all_five(cls: type[Mechanism]) -> None:
    answers = dataclasses.asdict(cls.protection)
    assert list(answers) == list(protection.QUESTIONS)
    for question, text in answers.items():
        assert len(text) > 9 and text == text.strip() and text.endswith("."), question
        assert len(text) < 190, f"{question} is too long for its column"
    assert len(set(answers.values())) == 5


def test_answers_agree_with_the_guarantees(table: sdc.Histogram) -> None:
    """Nobody claims to reach everything and publishes something exactly; no two methods with
    different scope give the same answer to where it reaches, or what is protected."""
    found = coverage(REGISTRY, table)
    whole = {c.method.protection.where for c in found if c.whole}
    others = [c.method.protection for c in found if not c.whole]
    assert all(text.startswith("All the way") for text in whole)
    assert not any(p.where.startswith("All the way") for p in others)
    assert not {c.method.protection.what for c in found if c.whole} & {p.what for p in others}
    # a unit of one person means that all the person's answers may change
    for c in found:
        if c.guarantee is not None and c.guarantee.invariants:
            assert not c.method.protection.unit.startswith("One person")


def test_answers_are_not_shared_by_mistake() -> None:
    assert max(Counter(cls.protection for cls in REGISTRY).values()) == 1


def test_who_protects_everything(table: sdc.Histogram) -> None:
    found = coverage(REGISTRY, table)
    whole = [c.method.name for c in found if c.whole]
    assert {"laplace", "geometric", "discrete-gaussian"} <= set(whole)
    assert not {"suppression", "dp-suppression"} & set(whole)
    trick = perverse.add_invariants(table, 0.05)
    headline, more = coverage_sentences(found, trick)
    assert f"{len(whole)} of {len(REGISTRY)} methods" in headline and "a factor of 2.72" in headline
    assert sensible(trick.after.epsilon) in more and "nobody is better protected" in more
    none, _ = coverage_sentences([c for c in found if c.method.family == "sdc"], trick)
    assert "No method shown" in none
    shown = coverage_table(found)
    assert list(shown["Method"]) == [c.title for c in REGISTRY]
    html = answers_table(found)
    assert html.count("<tr") == len(REGISTRY) + 1 and html.count("<details") == len(REGISTRY)


def test_a_table_without_the_usual_features_is_no_error(data: sdc.Dataset) -> None:
    for cover in coverage(REGISTRY, data.histogram(["OWN_RENT"])):
        assert cover.guarantee is not None or cover.problem
        assert cover.in_short


def test_zcdp_conversion() -> None:
    assert protection.zcdp_to_epsilon(15.29, 1e-10) == pytest.approx(
        15.29 + 2 * math.sqrt(15.29 * 10 * math.log(10))
    )
    # Hand computation behind the formula: the best Rényi order α for ε = αρ + ln(1/δ)/(α - 1).
    for rho, delta in [(0.05, 1e-6), (1.0, 1e-10), (15.29, 1e-10)]:
        orders = 1 + np.geomspace(1e-3, 1e4, 400_001)
        best = (orders * rho + math.log(1 / delta) / (orders - 1)).min()
        assert protection.zcdp_to_epsilon(rho, delta) == pytest.approx(best, rel=1e-8)
        # and dp_accounting's conversion, which is a little sharper, stays below it
        some = list(1 + np.geomspace(1e-2, 1e3, 4000))
        sharper, _ = rdp_privacy_accountant.compute_epsilon(some, [a * rho for a in some], delta)
        assert 0.8 * best < sharper <= best
    assert protection.zcdp_to_epsilon(0.0, 1e-6) == 0
    for rho, delta in [(-1.0, 0.1), (math.nan, 0.1), (1.0, 0.0), (1.0, 1.0)]:
        with pytest.raises(sdc.InputError, match="must be"):
            protection.zcdp_to_epsilon(rho, delta)


def test_census_systems_as_printed_and_recomputed() -> None:
    topdown, safetab, swapping = protection.CENSUS_SYSTEMS
    assert "52.83" in topdown.budgets[0].printed
    assert recomputed(topdown.budgets[0]) == "ε = 52.82 at δ = 1e-10"
    # ρ is printed with two decimals: the printed ε is within what that leaves open.
    low, high = (protection.zcdp_to_epsilon(15.29 + d, 1e-10) for d in (-0.005, 0.005))
    assert low - 0.005 < 52.83 < high + 0.005
    assert recomputed(safetab.budgets[0]) == "ε = 62.45 at δ = 1e-10"
    assert recomputed(swapping.budgets[0]) == swapping.budgets[0].printed
    assert [s.protection.unit for s in protection.CENSUS_SYSTEMS] == [
        "One person.", "One person.", "One household."
    ]
    assert all("(P3)" in s.source for s in protection.CENSUS_SYSTEMS)
    together = household_epsilon(15.29, 1e-10, 3)
    assert together == pytest.approx(9 * 15.29 + 6 * math.sqrt(15.29 * math.log(1e10)))
    words = census_sentence(protection.CENSUS_SYSTEMS, 3)
    assert "52.8" in words and "9.37" in words and sensible(together) in words
    html = census_cards(protection.CENSUS_SYSTEMS)
    assert html.count("Source:") == 3 and "52.82" in html


def test_more_invariants_lower_epsilon(data: sdc.Dataset, table: sdc.Histogram) -> None:
    rate = 0.05
    trick = perverse.add_invariants(table, rate)
    records = data.records[FEATURES].astype(str)
    for matched, claim in enumerate(trick.claims):
        by = FEATURES[1 : 1 + matched]
        largest = int(records.groupby(by).size().max()) if by else len(records)
        assert claim.epsilon == pytest.approx(math.log(largest + 1) - math.log(rate / (1 - rate)))
        assert f"{largest:,}" in trick.sentence or 0 < matched < len(FEATURES) - 1
    assert trick.after.epsilon < trick.before.epsilon
    assert f"all {len(table):,} counts" in trick.sentence
    assert_said(trick)
    one = perverse.add_invariants(data.histogram(["SEX"]), rate)
    assert len(one.claims) == 1 and "nobody is better protected" in one.sentence


@pytest.mark.parametrize("household", [1, 3, 10])
def test_a_smaller_unit_lowers_epsilon(household: int) -> None:
    trick = perverse.smaller_unit(1.0, household)
    assert [c.epsilon for c in trick.claims] == pytest.approx([household, 1, 1 / 365])
    assert_said(trick)


def test_a_household_reaches_its_bound() -> None:
    """Geometric noise on two counts, h people move: some outcome has odds of exactly e^(hε)."""
    epsilon, household = 0.7, 3
    q = math.exp(-epsilon / 2)
    z = np.arange(-60, 61)
    before, after = q ** np.abs(z), q ** np.abs(z - household)
    worst = np.log(before / after).max() + np.log(after / before).max()
    assert worst == pytest.approx(household * epsilon)


@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3, 0.1])
def test_a_larger_delta_lowers_epsilon(delta: float) -> None:
    """ε at δ, with δ(ε) from a plain convolution of the two noises."""
    z = np.arange(-120, 121)
    law = np.exp(-(z**2) / (2 * SIGMA**2))
    law /= law.sum()
    w = np.arange(-240, 241)
    loss = (1 - w) / SIGMA**2
    epsilon = perverse.epsilon_at(delta, SIGMA)
    exact = (np.convolve(law, law) * np.maximum(-np.expm1(epsilon - loss), 0)).sum()
    assert exact == pytest.approx(delta, rel=1e-5)
    trick = perverse.kinder_measure(SIGMA, delta, 7634)
    assert epsilon in [c.epsilon for c in trick.claims]
    epsilons = [c.epsilon for c in trick.claims]
    assert epsilons == sorted(epsilons, reverse=True)
    assert sensible(epsilon) in trick.sentence and "better protected" in trick.sentence
    assert trick.before.epsilon == pytest.approx(0.05 + 2 * math.sqrt(0.05 * math.log(1e10)))


def test_with_a_large_delta_even_zero_can_be_claimed() -> None:
    assert perverse.epsilon_at(0.2, SIGMA) == 0
    assert "it is 0." in perverse.kinder_measure(SIGMA, 0.2, 7634).sentence
    with pytest.raises(sdc.InputError, match="delta"):
        perverse.epsilon_at(0.0, SIGMA)


def test_tables_add_up() -> None:
    trick = perverse.one_table_at_a_time(0.5, FEATURES)
    tables = [*combinations(FEATURES, 1), *combinations(FEATURES, 2)]
    assert trick.before.epsilon == pytest.approx(0.5 * len(tables))
    assert trick.after.epsilon == 0.5
    assert f"{len(tables)} tables" in trick.sentence
    assert_said(trick)
    assert perverse.one_table_at_a_time(0.5, ["SEX"]).before.epsilon == 0.5


def assert_said(trick: perverse.Trick) -> None:
    """The sentence has the first and last number, and the moral; the bars have every claim."""
    assert sensible(trick.before.epsilon) in trick.sentence
    assert sensible(trick.after.epsilon) in trick.sentence
    assert "obody is better protected" in trick.sentence
    html = trick_bars(trick, "dp")
    assert all(f"ε = {sensible(c.epsilon)}" in html for c in trick.claims)


def test_symbols_stay_with_their_numbers() -> None:
    assert unbroken("at δ = 1e-10, ρ² = 3") == "at δ\u00a0=\u00a01e-10, ρ²\u00a0=\u00a03"

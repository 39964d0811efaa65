"""Every mechanism answers the five questions, and the numbers behind promises convert rightly.

Proven here: all answers are declared, and agree with what the guarantee says about invariants; zCDP
converts as by hand and never below dp_accounting; ε at a δ against a plain convolution; what makes
a promise one to rely on; how each relation between neighbours is said.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant

import sdc_core as sdc
from sdc_core.mechanisms import FOR_TABLES, REGISTRY
from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy import protection
from sdc_core.privacy.discrete_gaussian import epsilon_at
from sdc_core.privacy.guarantee import Guarantee, Neighbours
from sdc_core.privacy.zcdp import zcdp_to_epsilon

FEATURES = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
SIGMA = math.sqrt(20)


@pytest.mark.parametrize("cls", REGISTRY, ids=lambda c: c.name)
def test_every_mechanism_answers_all_five(cls: type[Mechanism]) -> None:
    answers = dataclasses.asdict(cls.protection)
    assert list(answers) == list(protection.QUESTIONS)
    for question, text in answers.items():
        assert len(text) > 9 and text == text.strip() and text.endswith("."), question
        assert len(text) < 190, f"{question} is too long for its column"
    assert len(set(answers.values())) == 5


def test_answers_are_not_shared_by_mistake() -> None:
    assert max(Counter(cls.protection for cls in REGISTRY).values()) == 1


def test_answers_agree_with_the_guarantees() -> None:
    """Nobody claims to reach everything and publishes something exactly; no two methods with
    different scope give the same answer to where it reaches, or what is protected."""
    seen = sdc.load_dataset("ma2019-twin").histogram(FEATURES)
    table = sdc.Histogram(seen.counts, sdc.Domain(seen.domain.features))  # declared beforehand
    found = [(cls.protection, cls().guarantee(table, cap=1000)) for cls in FOR_TABLES]
    found += [(cls.protection, cls().guarantee()) for cls in REGISTRY if cls not in FOR_TABLES]
    whole = [p for p, g in found if g.delta_tight < 0.01 and not g.invariants]
    others = [p for p, g in found if p not in whole]
    assert len(whole) > 3 and len(others) > 3
    assert all(p.where.startswith("All the way") for p in whole)
    assert not any(p.where.startswith("All the way") for p in others)
    assert not {p.what for p in whole} & {p.what for p in others}
    # a unit of one person means that all the person's answers may change
    assert not any(p.unit.startswith("One person") for p, g in found if g.invariants)
    # and odds are what is measured exactly where there is an ε
    for p, g in found:
        assert (p.measured.startswith("Not at all")) is (g.epsilon is None)


# ---- conversions ------------------------------------------------------------------------------


def test_zcdp_conversion() -> None:
    assert zcdp_to_epsilon(15.29, 1e-10) == pytest.approx(
        15.29 + 2 * math.sqrt(15.29 * 10 * math.log(10))
    )
    # Hand computation behind the formula: the best Rényi order α for ε = αρ + ln(1/δ)/(α - 1).
    for rho, delta in [(0.05, 1e-6), (1.0, 1e-10), (15.29, 1e-10)]:
        orders = 1 + np.geomspace(1e-3, 1e4, 400_001)
        best = (orders * rho + math.log(1 / delta) / (orders - 1)).min()
        assert zcdp_to_epsilon(rho, delta) == pytest.approx(best, rel=1e-8)
        # and dp_accounting's conversion, which is a little sharper, stays below it
        some = list(1 + np.geomspace(1e-2, 1e3, 4000))
        sharper, _ = rdp_privacy_accountant.compute_epsilon(some, [a * rho for a in some], delta)
        assert 0.8 * best < sharper <= best
    assert zcdp_to_epsilon(0.0, 1e-6) == 0
    for rho, delta in [(-1.0, 0.1), (math.nan, 0.1), (1.0, 0.0), (1.0, 1.0)]:
        with pytest.raises(sdc.InputError, match="must be"):
            zcdp_to_epsilon(rho, delta)


def convolved_delta(epsilon: float, sigma: float) -> float:
    """δ of two noisy counts that change by one each, by convolving the noise with itself."""
    reach = math.ceil(27 * sigma) + 3
    z = np.arange(-reach, reach + 1)
    law = np.exp(-(z**2) / (2 * sigma**2))
    law /= law.sum()
    loss = (1 - np.arange(-2 * reach, 2 * reach + 1)) / sigma**2
    return float((np.convolve(law, law) * np.maximum(-np.expm1(epsilon - loss), 0)).sum())


@pytest.mark.parametrize("sigma", [0.4, 1.0, SIGMA, 12.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-6, 1e-3, 0.05])
def test_epsilon_at_a_delta_is_the_least_and_on_the_safe_side(delta: float, sigma: float) -> None:
    epsilon = epsilon_at(delta, sigma)
    if epsilon == 0:
        assert convolved_delta(0.0, sigma) <= delta
        return
    assert convolved_delta(epsilon, sigma) <= delta * (1 + 1e-12)
    assert convolved_delta(epsilon - 1e-9 * max(1, epsilon), sigma) > delta


def test_with_a_large_delta_even_zero_can_be_claimed() -> None:
    assert convolved_delta(0.0, SIGMA) < 0.2
    assert epsilon_at(0.2, SIGMA) == 0
    assert epsilon_at(convolved_delta(0.0, SIGMA) * 0.999, SIGMA) > 0
    for delta in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(sdc.InputError, match="delta must be in"):
            epsilon_at(delta, SIGMA)


def test_epsilon_at_the_least_of_deltas_is_found() -> None:
    """Far below what a difference from δ(0) could tell, where the exact δ all but underflows."""
    epsilon = epsilon_at(1e-300, SIGMA)
    assert epsilon_at(1e-100, SIGMA) < epsilon <= zcdp_to_epsilon(1 / 20, 1e-300)


def test_a_household_reaches_its_bound() -> None:
    """Geometric noise on two counts, h people move: some outcome has odds of exactly e^(hε)."""
    epsilon, household = 0.7, 3
    q = math.exp(-epsilon / 2)
    z = np.arange(-60, 61)
    before, after = q ** np.abs(z), q ** np.abs(z - household)
    worst = np.log(before / after).max() + np.log(after / before).max()
    assert worst == pytest.approx(household * epsilon)


# ---- promises ---------------------------------------------------------------------------------


def promise(
    published: float | None, tight: float, invariants: tuple[str, ...] = (),
    people: int | None = 100, **more: Any,
) -> Guarantee:
    return Guarantee.of_delta(
        1.0, published, tight, neighbours=Neighbours.ONE_RECORD, invariants=invariants,
        citation="", remark="", records=people, **more,
    )


@pytest.mark.parametrize(
    ("found", "for_everyone", "in_part"),
    [
        (promise(0.0, 0.0), True, False),
        (promise(0.0099, 0.0099), True, False),
        (promise(0.01, 0.01), False, False),  # one of 100 people is too much
        (promise(0.0099, 0.0099, people=102), False, False),
        (promise(0.0099, 0.0099, people=None), False, False),  # as if a million
        (promise(9e-7, 9e-7, people=None), True, False),
        (promise(0.001, 0.0099, is_bound=True), True, False),  # may hold: not known to be broken
        (promise(None, 0.001), True, False),  # true without a theorem
        (promise(0.001, 0.002), False, False),  # small, but not what was published
        (promise(0.0, 0.0, ("the total",)), False, True),
        (promise(0.01, 0.01, ("the total",)), False, False),
        (promise(0.001, 0.002, ("the total",)), False, False),
        (promise(1.0, 1.0, ("the total",)), False, False),
    ],
)
def test_a_promise_to_rely_on(found: Guarantee, for_everyone: bool, in_part: bool) -> None:
    assert (found.reliable, found.reliable_in_part) == (for_everyone, in_part)


def test_neighbours_are_said_in_words() -> None:
    found = sdc.mechanism("laplace").guarantee()
    said = "one person's record changes, so two counts change by one each"
    assert f"{found.neighbours}" == said and json.dumps(found.neighbours) == f'"{said}"'
    combined = Neighbours.SAME_AREA_AND_COMBINATIONS
    assert combined.startswith("one person's record changes, but not its area; ")
    assert combined.endswith("the same combinations occur before and after")
    assert len(set(Neighbours)) == len(Neighbours.__members__)  # no two are said alike

"""Synthetic data by MST and AIM: the fit, the rows, the budget, and what the budget buys.

Proven here: exact marginals are fitted; drawn rows are the model, rounded; a changed record moves
marginals and scores by no more than the noise is made for; noise and choices follow their laws;
dp_accounting, given every look at the data, arrives at the promised (ε, δ); and the synthetic table
comes closer to the true one as ε grows.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.joint_model import Measurement, draw_rows, fit_joint, marginal
from sdc_core.mechanisms.synthesis import (
    L1_SENSITIVITY,
    L2_SENSITIVITY,
    Aim,
    Mst,
    Run,
)
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.privacy.zcdp import zcdp_delta, zcdp_rho, zcdp_to_epsilon
from tests import agreement

RealData = Callable[[str], sdc.Dataset]
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
SHAPE = (3, 2, 4)
both = pytest.mark.parametrize("cls", [Mst, Aim], ids=lambda c: c.name)


def table_of(counts: Any) -> sdc.Histogram:
    counts = np.asarray(counts, dtype=np.int64)
    features = tuple(
        sdc.Feature(f"F{i}", f"Feature {i}", values, values)
        for i, values in enumerate(tuple(str(v) for v in range(n)) for n in counts.shape)
    )
    return sdc.Histogram(counts.reshape(-1).copy(), sdc.Domain(features))


def some_counts(shape: tuple[int, ...] = SHAPE, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 300, shape)


def pairs(dimensions: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations(range(dimensions), 2))


def total_variation(first: np.ndarray, second: np.ndarray) -> float:
    return 0.5 * float(np.abs(first / first.sum() - second / second.sum()).sum())


def independent(table: sdc.Histogram) -> np.ndarray:
    """The table if its features had nothing to do with each other."""
    counts = table.counts.reshape(table.domain.shape) / table.total
    alone = [marginal(counts, (i,)) for i in range(counts.ndim)]
    product = alone[0]
    for one in alone[1:]:
        product = np.multiply.outer(product, one)
    return product.reshape(-1)


# ---- the joint model --------------------------------------------------------------------------


def exactly(counts: np.ndarray, wanted: list[tuple[int, ...]]) -> list[Measurement]:
    return [Measurement(axes, marginal(counts, axes).astype(float), 0.1) for axes in wanted]


@pytest.mark.parametrize("seed", range(5))
def test_exact_marginals_are_fitted(seed: int) -> None:
    counts = some_counts(seed=seed)
    measured = exactly(counts, [*pairs(3), (1,)])
    joint = fit_joint(SHAPE, float(counts.sum()), measured, tolerance=1e-6)
    assert joint.sum() == pytest.approx(1) and (joint >= 0).all()
    for axes in pairs(3):
        assert total_variation(marginal(joint, axes), marginal(counts, axes)) < 1e-3


def test_without_a_link_features_come_out_independent() -> None:
    """From uniform, single features lead to their product; a chain of pairs leads to the chain."""
    rng = np.random.default_rng(2)
    first = rng.dirichlet(np.ones(4))
    second, third = rng.dirichlet(np.ones(3), size=4), rng.dirichlet(np.ones(5), size=3)
    chain = 1e4 * first[:, None, None] * second[:, :, None] * third[None, :, :]
    joint = fit_joint(chain.shape, 1e4, exactly(chain, [(0, 1), (1, 2)]), tolerance=1e-6)
    assert total_variation(joint, chain) < 0.01
    alone = fit_joint(chain.shape, 1e4, exactly(chain, [(0,), (1,), (2,)]), tolerance=1e-6)
    product = np.einsum("i,j,k->ijk", *(marginal(chain, (i,)) for i in range(3)))
    assert total_variation(alone, product) < 0.01


def test_better_measurements_count_for_more() -> None:
    """Two measurements of one feature: their mean, weighted by 1/σ²."""
    measured = [
        Measurement((0,), np.array([60.0, 40.0]), 1.0), Measurement((0,), np.array([90.0, 10]), 2.0)
    ]
    joint = fit_joint((2, 3), 100.0, measured, tolerance=1e-9)
    np.testing.assert_allclose(marginal(joint, (0,)), [0.66, 0.34], atol=1e-4)


def test_impossible_measurements_are_met_half_way() -> None:
    """Negative counts and wrong totals, as noise makes them; the fit stays a probability."""
    values = np.array([-30.0, 80.0, 70.0])
    joint = fit_joint((3,), 100.0, [Measurement((0,), values, 5.0)], tolerance=1e-9)
    np.testing.assert_allclose(joint, [0.0, 0.55, 0.45], atol=1e-4)


def test_rows_are_the_model_rounded() -> None:
    rng = np.random.default_rng(3)
    joint = rng.dirichlet(np.full(60, 0.2)).reshape(3, 4, 5)
    for total in (0, 1, 7, 1000):
        rows = draw_rows(joint, total, rng).reshape(joint.shape)
        assert rows.sum() == total and (rows == np.rint(rows)).all() and (rows >= 0).all()
        for k in (1, 2, 3):
            for axes in itertools.combinations(range(3), k):
                cells = joint.size / marginal(joint, axes).size
                gap = np.abs(marginal(rows, axes) - total * marginal(joint, axes))
                assert gap.max() < (1 if axes in ((0,), (0, 1)) else cells) + 1e-9


def test_rows_have_the_right_mean_and_none_where_there_is_no_chance() -> None:
    joint = np.array([0.31, 0.0, 0.002, 0.688, 0.0])
    rngs = [np.random.default_rng((4, i)) for i in range(4000)]
    drawn = np.stack([draw_rows(joint, 10, rng) for rng in rngs])
    for cell, p in enumerate(joint):
        part = 10 * p % 1
        assert agreement.mean_agrees(drawn[:, cell], 10 * p, part * (1 - part), 1.0)
    many = np.stack([draw_rows(joint, 10, rng, "multinomial") for rng in rngs])
    assert (many.sum(axis=1) == 10).all() and not many[:, [1, 4]].any()
    assert agreement.mean_agrees(many[:, 0], 3.1, 10 * 0.31 * 0.69, 7.0)
    assert agreement.variance_agrees(many[:, 0], 3.1, 10 * 0.31 * 0.69, 7.0)


# ---- the budget -------------------------------------------------------------------------------


def test_what_one_record_can_do() -> None:
    """Over all moves of one record in a small table: marginals and scores change by no more than
    the noise is made for, and by that much in the worst case."""
    counts = some_counts((2, 3, 2)) + 1.0
    wanted = [c for k in (1, 2, 3) for c in itertools.combinations(range(3), k)]
    model = np.random.default_rng(5).dirichlet(np.ones(counts.size)).reshape(counts.shape)
    rng = np.random.default_rng(0)
    gaps = Run(counts, 1.0, rng).gaps(wanted, model)
    worst = np.zeros(3)
    for source, goal in itertools.permutations(np.ndindex(counts.shape), 2):
        changed = counts.copy()
        changed[source] -= 1
        changed[goal] += 1
        moves = [marginal(changed - counts, axes) for axes in wanted]
        scores = np.abs(Run(changed, 1.0, rng).gaps(wanted, model) - gaps).max()
        found = [max(np.abs(m).sum() for m in moves), max(np.linalg.norm(m) for m in moves), scores]
        worst = np.maximum(worst, found)
    expected = [L1_SENSITIVITY, L2_SENSITIVITY, L1_SENSITIVITY]
    np.testing.assert_allclose(worst, expected, atol=1e-9)


def test_noise_on_a_marginal_has_the_variance_it_is_paid_for() -> None:
    counts = np.full((200, 100), 7.0)
    run = Run(counts, 0.5, np.random.default_rng(6))
    run.measure((0, 1), 0.04)  # ρ = 1/σ², so σ = 5
    noise = (run.measured[0].values - counts).reshape(-1)
    assert run.measured[0].sigma == pytest.approx(5) and run.left == pytest.approx(0.46)
    assert agreement.mean_agrees(noise, 0.0, 25.0, 5.0)
    assert agreement.variance_agrees(noise, 0.0, 25.0, 35.0)
    # the noise for records that are added or removed has half of that variance: told apart
    assert not agreement.variance_agrees(noise, 0.0, 12.5, 35.0)


def test_choices_follow_the_exponential_mechanism() -> None:
    counts = some_counts((2, 3, 2)).astype(float)
    model = np.full(counts.shape, 1 / counts.size)
    candidates, weights, penalties = pairs(3), [1.0, 3.0, 2.0], [10.0, 20.0, 5.0]
    run, rho = Run(counts, 1.0, np.random.default_rng(7)), 5e-4  # a law steep enough to test
    drawn = []
    for _ in range(20_000):
        chosen = run.choose(candidates, model, rho, weights, penalties)
        run.steps.clear()
        drawn.append(candidates.index(chosen))
    score = np.array(weights) * (run.gaps(candidates, model) - penalties)

    def law(epsilon: float) -> np.ndarray:
        exponent = epsilon * score / (2 * 2 * 3)  # sensitivity 2, times the largest weight
        return np.exp(exponent - exponent.max())

    epsilon = math.sqrt(8 * rho)
    assert agreement.law_agrees(drawn, range(3), law(epsilon))
    for wrong in (0.8, 1.2):
        assert not agreement.law_agrees(drawn, range(3), law(wrong * epsilon))


def test_what_is_not_paid_for_is_not_seen() -> None:
    run = Run(np.ones((2, 2)), 0.1, np.random.default_rng(8))
    run.measure((0,), 0.06)
    with pytest.raises(RuntimeError, match="budget does not cover"):
        run.measure((1,), 0.06)
    with pytest.raises(RuntimeError, match="budget does not cover"):
        run.choose([(0, 1)], run.joint, 0.06)
    assert len(run.measured) == len(run.steps) == 1


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01, 0.3])
@pytest.mark.parametrize("epsilon", [0.001, 0.25, 1.0, 4.0, 20.0, 100.0])
def test_zcdp_converts_as_dp_accounting_does(epsilon: float, delta: float) -> None:
    """To 0.1%, with 20,000 Rényi orders there and the best one here; never above the simple
    conversion ε = ρ + 2√(ρ ln(1/δ))."""
    rho = zcdp_rho(epsilon, delta)
    assert delta * (1 - 1e-6) <= zcdp_delta(rho, epsilon) <= delta
    assert zcdp_delta(rho * (1 + 1e-6), epsilon) > delta
    orders = list(1 + np.geomspace(0.0101, 1e6, 20_000))
    theirs, _ = rdp_privacy_accountant.compute_delta(orders, [a * rho for a in orders], epsilon)
    assert zcdp_delta(rho, epsilon) == pytest.approx(theirs, rel=1e-3)
    assert zcdp_to_epsilon(rho, delta) >= epsilon


@both
@pytest.mark.parametrize("epsilon", [0.25, 4.0])
def test_dp_accounting_finds_the_promised_guarantee(cls: Any, epsilon: float) -> None:
    """Every look at the data, handed to dp_accounting one by one: δ at ε within 1% of the target
    (its orders are a grid), so the budget is kept and used up."""
    mechanism = cls(epsilon=epsilon, delta=1e-7)
    run = mechanism.fitted(table_of(some_counts((4, 3, 2, 2))), repetition_rng(7, 0))
    accountant = rdp_privacy_accountant.RdpAccountant(
        list(1 + np.geomspace(0.1, 1e4, 4000)), dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    for step in run.steps:
        if step.sigma is not None:  # the multiplier is σ over the ℓ2 distance of two marginals
            event: Any = dp_accounting.GaussianDpEvent(step.sigma / math.sqrt(2))
        else:
            assert step.epsilon is not None
            event = dp_accounting.ZCDpEvent(step.epsilon**2 / 8)
        accountant.compose(event)
    guarantee = mechanism.guarantee()
    assert accountant.get_delta(epsilon) == pytest.approx(1e-7, rel=0.01)
    assert guarantee.delta_published == 1e-7 and guarantee.epsilon == epsilon
    assert guarantee.delta_tight == pytest.approx(1e-7, rel=1e-6) and guarantee.holds
    assert guarantee.invariants == () and guarantee.neighbours is Neighbours.ONE_RECORD


# ---- releases ---------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    "counts",
    [[5, 0, 9], [[3, 4], [0, 8]], [[[3, 4], [0, 8]]], [[[7]]], np.zeros((2, 3), dtype=int),
     some_counts((2, 3, 2, 2))],
    ids=["one feature", "two", "one of one value", "one cell", "nobody", "four"],
)
def test_releases_are_people_and_as_many(cls: Any, counts: Any) -> None:
    table = table_of(counts)
    for epsilon in (0.01, 1.0, 100.0):
        release = cls(epsilon=epsilon).release(table, seed=7)
        assert release.counts.dtype.kind == "i" and (release.counts >= 0).all()
        assert release.counts.sum() == table.total == len(release.records)
    np.testing.assert_array_equal(table.counts, np.asarray(counts).reshape(-1))


@both
def test_same_seed_same_release_and_more_repetitions_change_nothing(cls: Any) -> None:
    table, mechanism = table_of(some_counts()), cls(epsilon=1.0)
    first, again, other = (mechanism.release(table, seed=s).counts for s in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    together = mechanism.draw_tables(table, [repetition_rng(7, r) for r in range(3)])
    np.testing.assert_array_equal(together[0], first)
    alone = mechanism.draw_tables(table, [repetition_rng(7, 2)])[0]
    np.testing.assert_array_equal(together[2], alone)


@both
def test_a_domain_too_large_is_refused_by_name(cls: Any) -> None:
    features = tuple(
        sdc.Feature(name, name, *((tuple(str(v) for v in range(n)),) * 2))
        for name, n in (("SEX", 2), ("PLACE", 2000), ("AGE", 100), ("RACE", 9))
    )
    domain = sdc.Domain(features)
    table = sdc.Histogram(np.zeros(domain.size, dtype=np.int64), domain)
    for refused in (lambda: cls().release(table, 7), lambda: cls().guarantee(table)):
        with pytest.raises(sdc.InputError, match=r"3,600,000.*dropping RACE leaves 400,000"):
            refused()


def test_mst_links_what_belongs_together() -> None:
    """Four features, linked 0-2, 2-3 and 3-1: with budget to spare the tree is that chain."""
    rng = np.random.default_rng(9)
    codes = {0: rng.integers(0, 3, 20_000)}
    for old, new in ((0, 2), (2, 3), (3, 1)):
        codes[new] = np.where(rng.random(20_000) < 0.6, codes[old], rng.integers(0, 3, 20_000))
    domain = table_of(np.zeros((3,) * 4)).domain
    table = sdc.Histogram.from_codes([codes[i] for i in range(4)], domain)
    run = Mst(epsilon=20.0).fitted(table, repetition_rng(7, 0))
    assert {m.axes for m in run.measured if len(m.axes) == 2} == {(0, 2), (2, 3), (1, 3)}
    assert total_variation(run.joint.reshape(-1), table.counts) < 0.05


# ---- what the budget buys ---------------------------------------------------------------------


def distances(table: sdc.Histogram, cls: Any, epsilon: float, repetitions: int = 3) -> float:
    """Mean five-way total variation of synthetic tables."""
    rngs = [repetition_rng(7, r) for r in range(repetitions)]
    drawn = cls(epsilon=epsilon).draw_tables(table, rngs)
    return float(np.mean([total_variation(row, table.counts) for row in drawn]))


def check_utility(table: sdc.Histogram, bounds: dict[float, float], cls: Any) -> None:
    found = [distances(table, cls, epsilon) for epsilon in (4.0, 1.0, 0.25)]
    assert found == sorted(found)
    for tv, bound in zip(found, bounds.values(), strict=True):
        assert tv <= bound
    assert found[0] < 0.5 * total_variation(independent(table), table.counts)


@both
@pytest.mark.slow
def test_more_budget_is_closer_on_the_twin(cls: Any) -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    check_utility(table, {4.0: 0.08, 1.0: 0.10, 0.25: 0.18}, cls)


@both
@pytest.mark.slow
def test_more_budget_is_closer_on_the_real_table(cls: Any, real_data: RealData) -> None:
    """And AIM is within 5% of all people at ε = 4, in seconds."""
    table = real_data("ma2019").histogram(FIVE)
    check_utility(table, {4.0: 0.05 if cls is Aim else 0.07, 1.0: 0.09, 0.25: 0.16}, cls)
    began = time.process_time()
    cls(epsilon=4.0).release(table, seed=7)
    assert time.process_time() - began < 2.8


@both
def test_almost_no_noise_is_almost_the_truth(cls: Any) -> None:
    """At ε = 100 AIM's three-way marginals are all of a three-way table; MST has its tree only."""
    table = table_of(some_counts((3, 4, 2)))
    tv = distances(table, cls, 100.0)
    pair_only = fit_joint(
        table.domain.shape, float(table.total),
        exactly(table.counts.reshape(table.domain.shape), pairs(3)),
    )
    assert tv < (0.02 if cls is Aim else 0.3)
    assert cls is Mst or tv < total_variation(pair_only.reshape(-1), table.counts)

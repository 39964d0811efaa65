"""TopDown: every invariant exactly, whole people only, and a budget that adds up.

Proven here: least squares against an independent solver and controlled rounding against all
roundings; on random tables the release has whole non-negative counts, areas that add up to the
upper level, and every invariant; without noise it is the truth; post-processing sees nothing of
the truth but the invariants; the exact δ equals a double sum and dp_accounting's; more ε means
less error; what cannot be done is refused by name.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.constrained import nearest_table, round_table
from sdc_core.mechanisms.topdown import (
    MAX_TOPDOWN_CELLS,
    Measurements,
    TopDown,
    composed_delta,
    composed_exceeds,
)
from sdc_core.mechanisms.work import Level, Work
from sdc_core.privacy.discrete_gaussian import delta_tight, loss_exceeds
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.questions.compare.words import work_sentence
from sdc_core.words.guarantees import exceeds_sentence, published_text

FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
CHOICES = [(i, z) for i in ("none", "total", "areas") for z in (False, True)]
every_choice = pytest.mark.parametrize(("invariants", "zeros"), CHOICES)


def table_of(counts: Any) -> sdc.Histogram:
    """Counts by race, place and sex: the geography is neither the first nor the last feature."""
    counts = np.asarray(counts, dtype=np.int64)
    features = tuple(
        sdc.Feature(name, name.title(), tuple(str(i) for i in range(n)),
                    tuple(f"{name} {i}" for i in range(n)))
        for name, n in zip(("race", "place", "sex"), counts.shape, strict=True)
    )
    return sdc.Histogram(counts.reshape(-1).copy(), sdc.Domain(features))


@st.composite
def tables(draw: st.DrawFn) -> sdc.Histogram:
    shape = tuple(draw(st.integers(1, 4)) for _ in range(3))
    some = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 5000))
    size = math.prod(shape)
    counts = draw(st.lists(some, min_size=size, max_size=size))
    return table_of(np.reshape(counts, shape))


@pytest.fixture(scope="module")
def twin() -> sdc.Histogram:
    return sdc.load_dataset("ma2019-twin").histogram(FIVE)


def cube(table: sdc.Histogram, counts: np.ndarray) -> np.ndarray:
    return counts.reshape(table.domain.shape)


# ---- estimation and rounding ------------------------------------------------------------------


@pytest.mark.parametrize("known", ["rows", "columns", "both"])
@pytest.mark.parametrize("seed", range(4))
def test_least_squares_agrees_with_another_solver(known: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 12, (3, 4))
    noisy = truth + rng.normal(0, 5, truth.shape)
    rows = truth.sum(axis=1) if known != "columns" else None
    columns = truth.sum(axis=0) if known != "rows" else None
    sums = []
    if rows is not None:
        sums.append({"type": "eq", "fun": lambda x: x.reshape(3, 4).sum(axis=1) - rows})
    if columns is not None:
        free = slice(0, 3 if rows is not None else 4)  # the last follows from the others
        sums.append(
            {"type": "eq", "fun": lambda x: (x.reshape(3, 4).sum(axis=0) - columns)[free]}
        )
    other = minimize(
        lambda x: ((x - noisy.reshape(-1)) ** 2).sum(), truth.reshape(-1).astype(float),
        jac=lambda x: 2 * (x - noisy.reshape(-1)), bounds=[(0, None)] * 12, constraints=sums,
        method="SLSQP", options={"ftol": 1e-12, "maxiter": 500},
    )
    assert other.success
    np.testing.assert_allclose(
        nearest_table(noisy, rows, columns), other.x.reshape(3, 4), atol=1e-4
    )


def test_noise_that_dwarfs_the_people_still_has_a_nearest_table() -> None:
    """At the smallest ε noise is thousands on 7,634 people, which the solver took for infeasible.
    With one sum the answer is known: all counts less the same number, and none below zero."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        noisy, people = rng.normal(0, 5000, 540), 7634
        ordered = np.sort(noisy)[::-1]
        less = (np.cumsum(ordered) - people) / np.arange(1, 541)
        known = np.maximum(noisy - less[np.flatnonzero(ordered > less)[-1]], 0)
        assert known.sum() == pytest.approx(people)
        found = nearest_table(noisy[None], row_sums=np.array([people]))[0]
        np.testing.assert_allclose(found, known, atol=1e-6)


@pytest.mark.parametrize("known", ["rows", "columns", "both"])
@pytest.mark.parametrize("seed", range(6))
def test_rounding_is_the_best_of_all_roundings(known: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, (2, 4))
    rows = truth.sum(axis=1) if known != "columns" else None
    columns = truth.sum(axis=0) if known != "rows" else None
    estimate = nearest_table(truth + rng.normal(0, 2, truth.shape), rows, columns)
    found = round_table(estimate, rng, rows, columns)
    best = min(
        ((up - estimate) ** 2).sum()
        for bits in itertools.product((0, 1), repeat=8)
        for up in [np.floor(estimate) + np.reshape(bits, (2, 4))]
        if (rows is None or (up.sum(axis=1) == rows).all())
        and (columns is None or (up.sum(axis=0) == columns).all())
    )
    assert found.dtype == np.int64 and np.abs(found - estimate).max() < 1
    # random ties may cost a few times their size, 1e-4
    assert ((found - estimate) ** 2).sum() == pytest.approx(best, abs=2e-3)


def test_ties_favour_nobody() -> None:
    """Two of four halves go up: each in about half of the draws, not always the first two."""
    half, two = np.full((1, 4), 0.5), np.array([2])
    ups = np.array(
        [round_table(half, repetition_rng(1, r), two)[0] for r in range(150)]
    )
    assert (ups.sum(axis=1) == 2).all()
    assert np.abs(ups.mean(axis=0) - 0.5).max() < 5.5 * 0.5 / math.sqrt(150)


@pytest.mark.parametrize("known", ["rows", "columns", "both"])
def test_large_counts_keep_their_digits(known: str) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, (20, 15)) * rng.integers(0, 10**9, (20, 15))
    rows = truth.sum(axis=1) if known != "columns" else None
    columns = truth.sum(axis=0) if known != "rows" else None
    found = round_table(nearest_table(truth + 0.0, rows, columns), rng, rows, columns)
    np.testing.assert_array_equal(found, truth)


# ---- the release ------------------------------------------------------------------------------


@every_choice
@settings(max_examples=25)
@given(table=tables(), seed=st.integers(0, 1000), epsilon=st.sampled_from([0.05, 1.0, 10.0]))
def test_a_release_keeps_every_promise(
    invariants: str, zeros: bool, table: sdc.Histogram, seed: int, epsilon: float
) -> None:
    method = TopDown(
        epsilon=epsilon, geography=("place",), invariants=invariants, structural_zeros=zeros
    )
    details = method.release_details(table, seed)
    truth, found = cube(table, table.counts), cube(table, details.counts)
    assert details.counts.dtype == np.int64 and details.counts.min() >= 0
    np.testing.assert_array_equal(found.sum(axis=1).reshape(-1), details.upper)
    np.testing.assert_array_equal(details.lower.sum(axis=1), details.upper)
    if invariants != "none":
        assert found.sum() == truth.sum()
    if invariants == "areas":
        np.testing.assert_array_equal(found.sum(axis=(0, 2)), truth.sum(axis=(0, 2)))
    if zeros:
        empty = truth.sum(axis=1) == 0
        assert not found.sum(axis=1)[empty].any()
    np.testing.assert_array_equal(method.release(table, seed).counts, details.counts)


@every_choice
@settings(max_examples=25)
@given(table=tables())
def test_without_noise_it_is_the_truth(
    invariants: str, zeros: bool, table: sdc.Histogram
) -> None:
    method = TopDown(geography=("place",), invariants=invariants, structural_zeros=zeros)
    truth = method.levels(table).astype(float)
    details = method.settle(
        table, Measurements(truth.sum(axis=1), truth), np.random.default_rng(0)
    )
    np.testing.assert_array_equal(details.counts, table.counts)
    np.testing.assert_allclose(details.upper_estimate, truth.sum(axis=1), atol=1e-4)
    np.testing.assert_allclose(details.lower_estimate, truth, atol=1e-4)


@pytest.mark.parametrize("invariants", ["none", "total", "areas"])
def test_post_processing_sees_the_invariants_only(invariants: str) -> None:
    """From the same measurements, tables that agree on the invariants give the same release."""
    one = table_of([[[3, 0], [5, 2]], [[4, 1], [0, 9]]])
    other = {
        "none": table_of([[[0, 0], [0, 1]], [[2, 0], [7, 0]]]),
        "total": table_of([[[0, 24], [0, 0]], [[0, 0], [0, 0]]]),
        "areas": table_of([[[8, 0], [0, 0]], [[0, 0], [0, 16]]]),
    }[invariants]
    method = TopDown(geography=("place",), invariants=invariants)
    measured = method.measure(one, repetition_rng(5, 0))
    first, second = (
        method.settle(t, measured, np.random.default_rng(1)).counts for t in (one, other)
    )
    np.testing.assert_array_equal(first, second)


def test_same_seed_same_release_and_repetitions_are_their_own(twin: sdc.Histogram) -> None:
    method = TopDown()
    before = twin.counts.copy()
    first, again, other = (method.release(twin, seed=s).counts for s in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other) and first.dtype == np.int64
    np.testing.assert_array_equal(twin.counts, before)
    together = method.draw_tables(twin, [repetition_rng(7, r) for r in range(3)])
    np.testing.assert_array_equal(together[0], first)
    np.testing.assert_array_equal(
        together[2], method.draw_tables(twin, [repetition_rng(7, 2)])[0]
    )
    assert method.release(twin, seed=7).records.shape == (twin.total, 5)


def test_invariants_do_not_touch_the_measurements(twin: sdc.Histogram) -> None:
    several = [
        TopDown(invariants=i, structural_zeros=z).measure(twin, repetition_rng(7, 0))
        for i, z in CHOICES
    ]
    for measured in several:
        np.testing.assert_array_equal(measured.upper, several[0].upper)
        np.testing.assert_array_equal(measured.lower, several[0].lower)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_noise_has_the_size_that_the_budget_says(twin: sdc.Histogram, share: float) -> None:
    method = TopDown(share=share)
    truth = method.levels(twin)
    draws = [method.measure(twin, repetition_rng(3, r)) for r in range(60)]
    noise = (
        np.array([m.upper - truth.sum(axis=1) for m in draws]),
        np.array([m.lower - truth for m in draws]),
    )
    for level, sigma in zip(noise, method.sigmas, strict=True):
        spread = math.sqrt(2 / level.size)  # relative, of the variance of a bell-shaped law
        assert level.var() / sigma**2 == pytest.approx(1, abs=5.5 * spread)
        assert 5.5 * spread < 0.2  # so that noise of another size would be noticed
        assert abs(level.mean()) < 5.5 * sigma / math.sqrt(level.size)


def test_more_budget_less_error(twin: sdc.Histogram) -> None:
    errors = [
        sdc.evaluate(TopDown(epsilon=e), twin, repetitions=6).l1_error for e in (0.1, 1.0, 10.0)
    ]
    assert errors[0] > 2 * errors[1] and errors[1] > 2 * errors[2] > 0


def test_share_moves_error_between_the_levels(twin: sdc.Histogram) -> None:
    truth = TopDown().levels(twin)

    def errors(share: float) -> tuple[float, float]:
        found = [TopDown(share=share).release_details(twin, s) for s in range(8)]
        return (
            float(np.mean([np.abs(d.upper - truth.sum(axis=1)).sum() for d in found])),
            float(np.mean([np.abs(d.lower - truth).sum() for d in found])),
        )

    (upper_little, lower_much), (upper_much, lower_little) = errors(0.1), errors(0.9)
    assert upper_much < upper_little and lower_much < lower_little


# ---- the guarantee ----------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0, 100.0])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_budget_adds_up_and_is_used(epsilon: float, share: float) -> None:
    method = TopDown(epsilon=epsilon, share=share)
    upper, lower = (1 / sigma**2 for sigma in method.sigmas)
    assert upper + lower == pytest.approx(method.rho)
    assert upper / method.rho == pytest.approx(share)
    found = method.guarantee()
    assert found.delta_published == 1e-6 and found.delta_tight <= 1e-6 and found.holds
    # never less than what zCDP's own conversion gives away, and no more than (ε, δ) allows
    assert method.rho + 2 * math.sqrt(method.rho * math.log(1e6)) >= epsilon * (1 - 1e-9)
    less_noise = [sigma / 1.01 for sigma in method.sigmas]
    assert composed_delta(epsilon, *less_noise) > 1e-6


@pytest.mark.parametrize(("upper", "lower"), [(0.4, 0.7), (1.0, 1.0), (2.5, 1.3), (8.0, 6.0)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exact_delta_equals_the_double_sum(epsilon: float, upper: float, lower: float) -> None:
    laws = []
    for sigma in (upper, lower):
        reach = math.ceil(12 * sigma) + 2
        z = np.arange(-reach, reach + 1)
        one = np.exp(-(z**2) / (2 * sigma**2))
        law = np.convolve(one, one) / one.sum() ** 2
        laws.append((law, (1 - np.arange(-2 * reach, 2 * reach + 1)) / sigma**2))
    (p, loss), (other_p, other_loss) = laws
    total = loss[:, None] + other_loss[None, :]
    excess = -np.expm1(np.minimum(epsilon - total, 0.0))
    brute = float((p[:, None] * other_p[None, :] * excess).sum())
    assert composed_delta(epsilon, upper, lower) == pytest.approx(brute, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize(("upper", "lower"), [(0.4, 0.7), (1.0, 1.0), (2.5, 1.3), (8.0, 6.0)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_how_often_the_loss_of_both_levels_is_above_epsilon(
    epsilon: float, upper: float, lower: float
) -> None:
    laws = []
    for sigma in (upper, lower):
        reach = math.ceil(12 * sigma) + 2
        z = np.arange(-reach, reach + 1)
        one = np.exp(-(z**2) / (2 * sigma**2))
        law = np.convolve(one, one) / one.sum() ** 2
        laws.append((law, (1 - np.arange(-2 * reach, 2 * reach + 1)) / sigma**2))
    (p, loss), (other_p, other_loss) = laws
    above = loss[:, None] + other_loss[None, :] > epsilon * (1 + 1e-9)
    brute = float((p[:, None] * other_p[None, :])[above].sum())
    assert composed_exceeds(epsilon, upper, lower) == pytest.approx(brute, rel=1e-8, abs=1e-14)


def test_the_chance_of_a_larger_loss_is_the_worst_over_the_records_that_are_compared() -> None:
    """Who moves only to another area changes nothing above; with exact areas nobody may."""
    method = TopDown(epsilon=1.0, share=0.01, delta=1e-3)
    upper, lower = method.sigmas
    both, below = composed_exceeds(1.0, upper, lower), loss_exceeds(1.0, lower)
    assert method.guarantee().exceeds == pytest.approx(max(both, below), rel=1e-9)
    areas = method.replace(invariants="areas").guarantee()
    assert areas.exceeds == pytest.approx(both, rel=1e-9)
    assert both > method.guarantee().delta_tight


def test_what_holds_for_the_measurements_is_a_bound_for_the_table_made_from_them() -> None:
    """Where all people are in one cell and their number is exact, every release is the same: its
    true δ is 0, and what is said of it can only be a bound."""
    domain = sdc.Domain((sdc.Feature("area", "Area", ("a",), ("A",)),))
    table = sdc.Histogram(np.array([9]), domain)
    method = TopDown(epsilon=1.0, geography=("area",))
    assert {method.release(table, seed).counts[0] for seed in range(5)} == {9}
    found = method.guarantee(table)
    assert 0 < found.delta_tight <= 1e-6 and found.is_bound and found.as_drawn
    assert "true δ at most 1e-6 (upper bound): the published bound holds" in published_text(found)
    assert "for the noisy counts, and what is made of them can make it larger" in (
        exceeds_sentence(found))
    assert "upper bound for the table made from them" in found.remark


def test_with_nothing_exact_a_person_who_is_added_is_covered_and_no_worse_off() -> None:
    """One count moves by one at each level, instead of two: by summing over both noises."""
    method = TopDown(epsilon=1.0, invariants="none", delta=1e-3)
    found = method.guarantee()
    assert found.added_epsilon == 1.0
    laws = []
    for sigma in method.sigmas:
        z = np.arange(-math.ceil(12 * sigma), math.ceil(12 * sigma) + 1)
        law = np.exp(-(z**2) / (2 * sigma**2))
        laws.append((law / law.sum(), (1 - 2 * z) / (2 * sigma**2)))
    (p, loss), (other_p, other_loss) = laws
    beyond = np.maximum(loss[:, None] + other_loss[None, :] - 1.0, 0.0)
    exact = float((p[:, None] * other_p[None, :] * -np.expm1(-beyond)).sum())
    assert 0 < exact < found.delta_tight
    assert all(method.replace(invariants=kept).guarantee().added_epsilon is None
               for kept in ("total", "areas"))


def test_a_level_with_next_to_no_budget_adds_nothing() -> None:
    assert composed_delta(1.0, 1e4, 5.0) == pytest.approx(delta_tight(1.0, 5.0), rel=1e-3)
    assert composed_delta(1.0, 5.0, 3.0) > max(delta_tight(1.0, 5.0), delta_tight(1.0, 3.0))


@pytest.mark.parametrize(("epsilon", "share"), [(0.5, 0.5), (1.0, 0.3), (4.0, 0.8)])
@pytest.mark.slow
def test_guarantee_agrees_with_dp_accounting(epsilon: float, share: float) -> None:
    """Four counts change by one: twice the upper noise, twice the lower, composed."""
    method = TopDown(epsilon=epsilon, share=share, delta=1e-5)
    upper, lower = (
        pld.from_discrete_gaussian_mechanism(
            sigma, sensitivity=1, value_discretization_interval=2e-5
        ).self_compose(2)
        for sigma in method.sigmas
    )
    theirs = upper.compose(lower).get_delta_for_epsilon(epsilon)
    assert method.guarantee().delta_tight == pytest.approx(theirs, rel=0.01)
    assert method.guarantee().delta_tight <= theirs  # theirs errs on the safe side


def test_what_is_exact_is_named(twin: sdc.Histogram) -> None:
    titles = {f.name: f.title for f in twin.domain.features}
    plain = TopDown(invariants="none").guarantee(twin)
    assert plain.invariants == () and not plain.conditional
    assert "Nothing is published exactly" in plain.remark
    total = TopDown().guarantee(twin)
    # the number of people is the same in all tables that are compared: as for MST and AIM
    assert total.invariants == () and not total.conditional and "agree on" not in total.remark
    mst = sdc.mechanism("mst").guarantee(twin)
    said = "The number of people is public: it is the same in both tables when a record changes."
    assert said in total.remark and said in mst.remark and mst.invariants == ()
    areas = TopDown(invariants="areas", structural_zeros=True).guarantee(twin)
    assert areas.conditional and len(areas.invariants) == 2
    assert titles["PUMA"] in areas.invariants[0] and titles["SEX"] in areas.invariants[1]
    assert "not protected" in areas.remark
    assert areas.delta_tight == plain.delta_tight  # the same noise, promised to fewer
    assert TopDown(invariants="areas").guarantee().invariants == ("the number of people by PUMA",)


@pytest.mark.parametrize(
    ("invariants", "zeros", "compared"),
    [
        ("none", False, Neighbours.ONE_RECORD), ("total", False, Neighbours.ONE_RECORD),
        ("none", True, Neighbours.SAME_COMBINATIONS), ("total", True, Neighbours.SAME_COMBINATIONS),
        ("areas", False, Neighbours.SAME_AREA),
        ("areas", True, Neighbours.SAME_AREA_AND_COMBINATIONS),
    ],
)
def test_only_tables_that_agree_on_what_is_exact_are_compared(
    invariants: str, zeros: bool, compared: Neighbours
) -> None:
    found = TopDown(invariants=invariants, structural_zeros=zeros).guarantee()
    assert found.neighbours is compared


# ---- the work shown ---------------------------------------------------------------------------


@every_choice
def test_work_lists_what_was_measured_and_what_became_of_it(invariants: str, zeros: bool) -> None:
    table = table_of(np.arange(24).reshape(3, 4, 2) % 7)
    method = TopDown(geography=("place",), invariants=invariants, structural_zeros=zeros)
    work = method.work(table, seed=5)
    shown, details = work.table(), method.release_details(table, seed=5)
    assert list(shown.columns) == ["Place", "group", "true", "measured", "released"]
    top, areas = shown[:6], shown[6:]
    assert set(top["Place"]) == {"all areas together"} and len(areas) == 24
    cells = table.cells()
    words = cells["Race"].astype(str) + ", " + cells["Sex"].astype(str)
    for (place, group), row in areas.set_index(["Place", "group"]).iterrows():
        (cell,) = np.flatnonzero((cells["Place"].astype(str) == place) & (words == group))
        assert row["true"] == table.counts[cell] and row["released"] == details.counts[cell]
    np.testing.assert_array_equal(areas["measured"], details.measured.lower.reshape(-1))
    for column in ("true", "released"):  # areas add up to the whole, measurements need not
        sums = areas.groupby("group", sort=False)[column].sum()
        np.testing.assert_array_equal(sums, top[column])
    kept = {"none": 0, "total": 1, "areas": 1}[invariants] + zeros
    assert len(work.exact) == kept and set(method.published_exactly(table)) <= set(work.exact)


def test_work_in_words_by_hand() -> None:
    """Two groups in two areas: one of six measurements is negative."""
    upper = Level("all areas together", ("all",), np.array([[4], [6]]), np.array([[5.0], [4.0]]),
                  np.array([[4], [6]]))
    lower = Level("single areas", ("a", "b"), np.array([[1, 3], [6, 0]]),
                  np.array([[1.0, 2.0], [8.0, -1.0]]), np.array([[1, 3], [6, 0]]))
    work = Work((upper, lower), ("x", "y"), "Place", ("the number of people",))
    assert work_sentence(work, 7) == (
        "1 of 6 measured counts were negative in the release of seed 7; none is after "
        "post-processing. Counts for all areas together were off by 1.5 on average as measured "
        "and by 0 as released. Counts for single areas were off by 1 on average as measured and by "
        "0 as released. There are 10 people; the measured counts for all areas "
        "together add up to 9, the released ones to 10. Taken from the data without noise: the "
        "number of people."
    )
    free = Work((upper,), ("x", "y"), "Place", ())
    assert "None of 2 measured counts was negative" in work_sentence(free, 7)
    assert work_sentence(free, 7).endswith("Nothing was taken from the data without noise.")


def test_a_table_of_areas_alone_has_one_group_of_everybody() -> None:
    place = sdc.Feature("place", "Place", ("0", "1"), ("north", "south"))
    table = sdc.Histogram(np.array([30, 50]), sdc.Domain((place,)))
    work = TopDown(geography=("place",)).work(table, seed=1)
    assert set(work.table()["group"]) == {"everybody"} and len(work.table()) == 3


# ---- what cannot be done ----------------------------------------------------------------------


def test_bad_input_is_refused_by_name(twin: sdc.Histogram) -> None:
    with pytest.raises(sdc.InputError, match=r"geography names 'COUNTY'.*PUMA"):
        TopDown(geography=("COUNTY",)).release(twin, seed=1)
    with pytest.raises(sdc.InputError, match=r"geography names 'PUMA'"):
        TopDown().release([1, 2, 3], seed=1)
    with pytest.raises(sdc.InputError, match="geography must be one feature, got PUMA, SEX"):
        TopDown(geography=("PUMA", "SEX"))
    with pytest.raises(sdc.InputError, match="geography must name at least one"):
        TopDown(geography=())
    with pytest.raises(sdc.InputError, match="share must be in"):
        TopDown(share=1.0)
    wide = table_of(np.zeros((MAX_TOPDOWN_CELLS // 2 + 1, 2, 1)))
    with pytest.raises(sdc.InputError, match=r"topdown can treat 50,000 cells.*50,002"):
        TopDown(geography=("place",)).release(wide, seed=1)


def test_sums_of_no_table_are_refused_with_their_values() -> None:
    noisy, rng = np.ones((2, 2)), np.random.default_rng(0)
    with pytest.raises(sdc.InputError, match="rows add up to 5, columns to 4"):
        nearest_table(noisy, np.array([2, 3]), np.array([2, 2]))
    with pytest.raises(sdc.InputError, match="row_sums must not be negative, got -1"):
        nearest_table(noisy, np.array([-1, 3]))
    with pytest.raises(sdc.InputError, match="column_sums must have 2 numbers, got 3"):
        nearest_table(noisy, None, np.array([1, 1, 1]))
    with pytest.raises(sdc.InputError, match=r"row_sums must be 0 where there is no cell.*got 5"):
        nearest_table(np.ones((1, 0)), np.array([5]))
    for sums in ((np.array([9, 9]),), (None, np.array([9, 9])),
                 (np.array([9, 9]), np.array([9, 9]))):
        with pytest.raises(RuntimeError, match="no table"):
            round_table(noisy, rng, *sums)


def test_real_table_with_every_invariant(real_data: Callable[[str], sdc.Dataset]) -> None:
    """The national excerpt by five features, 2,160 cells, with every invariant."""
    table = real_data("national2019").histogram(FIVE)
    method = TopDown(invariants="areas", structural_zeros=True)
    details = method.release_details(table, seed=7)
    truth = method.levels(table)
    np.testing.assert_array_equal(details.lower.sum(axis=0), truth.sum(axis=0))
    assert details.lower.min() >= 0 and not details.lower[truth.sum(axis=1) == 0].any()

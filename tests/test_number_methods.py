"""Rank swapping, microaggregation and noise on the numbers of records.

Proven: rank swapping keeps every column's values with the tails off, moves none beyond its range,
draws partners with the chances that its rule says, sets the range from R0 and K0 as its formulas,
and replaces tails by their means; MDAV is that of a plain implementation, its clusters hold k to
2k - 1 records and keep the means; noise has the covariance it is said to have, also where that is
singular; bad input is one sentence.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.mdav import mdav
from sdc_core.mechanisms.microaggregation import Microaggregation
from sdc_core.mechanisms.noise_addition import NoiseAddition
from sdc_core.mechanisms.on_numbers import NumberMechanism
from sdc_core.mechanisms.rank_swapping import (
    RankSwapping,
    by_buckets,
    by_distribution,
    within_range,
)
from sdc_core.records import Records


def people(number: int = 400, seed: int = 1) -> Records:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, number).astype(float)
    pay = np.exp(rng.normal(8, 1, number)) + 50 * age
    pay[rng.random(number) < 0.05] = np.nan
    return Records.of(pd.DataFrame({
        "age": age, "pay": pay, "sex": rng.choice(["f", "m"], number),
        "always": np.full(number, 7.0),
    }))


def drawn(method: NumberMechanism, records: Records, seed: int = 7) -> np.ndarray:
    return next(method.draw_records(records, [repetition_rng(seed, 0)])).values


# ---- rank swapping ----------------------------------------------------------------------------


@pytest.mark.parametrize("settings_", [
    {"p": 0.05}, {"p": 1.0}, {"p": 0.0}, {"rule": "correlation", "r0": 0.5},
    {"rule": "mean", "k0": 0.2}, {"rule": "distribution", "p": 0.2}, {"rule": "buckets"},
])
def test_with_the_tails_off_every_column_keeps_its_values(settings_: dict) -> None:
    records = people()
    method = RankSwapping(**settings_, top=0.0, bottom=0.0, variables=("age", "pay"))
    out = drawn(method, records)
    for j in (0, 1):
        np.testing.assert_array_equal(np.sort(out[:, j]), np.sort(records.values[:, j]))
        np.testing.assert_array_equal(np.isnan(out[:, j]), np.isnan(records.values[:, j]))
    np.testing.assert_array_equal(out[:, 2:], records.values[:, 2:])


@settings(max_examples=80, deadline=None)
@given(number=st.integers(1, 60), width=st.floats(0, 70), seed=st.integers(0, 10**6))
def test_no_value_moves_further_than_its_range(number: int, width: float, seed: int) -> None:
    """Fewer than `width` ranks away, in pairs; and nobody stays who had a free place in reach."""
    partner = within_range(number, width, np.random.default_rng(seed))
    np.testing.assert_array_equal(partner[partner], np.arange(number))
    assert np.abs(partner - np.arange(number)).max() <= max(int(width) - 1, 0)
    stayed = np.flatnonzero(partner == np.arange(number))
    gaps = np.diff(stayed)
    assert (gaps > int(width) - 1).all()


def exact_chances(number: int, reach: int) -> dict[tuple[int, ...], Fraction]:
    """Every way to pair ranks, going down the list, with its chance."""
    out: Counter[tuple[int, ...]] = Counter()

    def go(place: int, partner: tuple[int, ...], chance: Fraction) -> None:
        if place == number:
            out[partner] += chance
            return
        able = [t for t in range(place + 1, min(number, place + reach + 1)) if partner[t] == t]
        if partner[place] != place or not able:
            go(place + 1, partner, chance)
            return
        for there in able:
            new = list(partner)
            new[place], new[there] = there, place
            go(place + 1, tuple(new), chance / len(able))

    go(0, tuple(range(number)), Fraction(1))
    return dict(out)


def test_partners_are_drawn_with_equal_chances_from_those_that_are_free() -> None:
    chances = exact_chances(6, 3)
    assert sum(chances.values()) == 1
    rng, draws = np.random.default_rng(5), 20_000
    seen = Counter(tuple(within_range(6, 4.0, rng).tolist()) for _ in range(draws))
    assert set(seen) == set(chances)
    for partner, chance in chances.items():
        error = math.sqrt(float(chance * (1 - chance)) / draws)
        assert seen[partner] / draws == pytest.approx(float(chance), abs=4.5 * error)


def test_ranges_set_by_correlation_and_mean_follow_their_formulas() -> None:
    """By hand, on 0..100: with tails of 10 values each the middle runs from 10 to 90; its variance
    is (81² - 1)/12, its mean 50, and the span that of the tails' nearest values, 9 to 91."""
    values = np.arange(101.0)
    inner = values[10:91]
    span = 91.0 - 9.0
    wanted = math.sqrt(2 * (81**2 - 1) / 12 * 0.5) / span
    found = RankSwapping(rule="correlation", r0=0.5)
    assert found.range_of(inner, span, "x") == pytest.approx(wanted)
    found = RankSwapping(rule="mean", k0=0.2)
    assert found.range_of(inner, span, "x") == pytest.approx(math.sqrt(8 / 3) * 0.2 * 50 / span)
    # and the records feel it: no value moves further, some nearly as far
    records = Records.of(np.random.default_rng(1).permutation(values)[:, None])
    out = drawn(RankSwapping(rule="correlation", r0=0.5, top=0.1, bottom=0.1), records)[:, 0]
    middle = (records.values[:, 0] >= 10) & (records.values[:, 0] <= 90)
    moved = np.abs(out - records.values[:, 0])[middle]
    assert int(wanted * 81) - 8 < moved.max() <= int(wanted * 81) - 1


def test_tails_become_their_means_and_change_places_with_nobody() -> None:
    values = np.random.default_rng(2).permutation(np.arange(100.0))
    out = drawn(RankSwapping(p=0.3, top=0.05, bottom=0.1), Records.of(values[:, None]))[:, 0]
    assert set(out[values >= 95]) == {97.0} and set(out[values < 10]) == {4.5}
    np.testing.assert_array_equal(np.sort(out[(values >= 10) & (values < 95)]), np.arange(10., 95.))
    assert (out != values)[(values >= 10) & (values < 95)].mean() > 0.9


def test_of_equal_values_the_last_are_in_the_top_tail_and_the_first_in_the_bottom_tail() -> None:
    """As in sdcMicro's code. Ten fifties and a hundred: a top tail of four takes the last three of
    the fifties; ten ones and a nought likewise, from the first on. P is 0, so nobody else moves."""
    values = np.array([50.0] * 10 + [100.0] + [20.0, 21.0, 22.0, 23.0] + [0.0] + [1.0] * 10)
    out = drawn(RankSwapping(p=0.0, top=4 / 26, bottom=4 / 26), Records.of(values[:, None]))[:, 0]
    assert np.flatnonzero(out == 62.5).tolist() == [7, 8, 9, 10]
    assert np.flatnonzero(out == 0.75).tolist() == [15, 16, 17, 18]
    others = [i for i in range(26) if i not in (7, 8, 9, 10, 15, 16, 17, 18)]
    np.testing.assert_array_equal(out[others], values[others])


def test_equal_values_between_the_tails_stand_in_the_order_of_the_file() -> None:
    """With a range of two ranks the largest changes places with the next: of two equals the first
    in the file."""
    out = drawn(RankSwapping(p=0.7, top=0.0, bottom=0.0), Records.of(np.array([[2.], [1.], [1.]])))
    assert out[:, 0].tolist() == [1.0, 2.0, 1.0]


def test_the_variants_reach_further_than_the_fixed_range() -> None:
    """p-distribution: moves have a mean of about half of the range and some are beyond it.
    p-buckets: half of the moves stay in the bucket, fewer and fewer go further."""
    number, width = 20_000, 1000.0
    first = by_distribution(number, width, np.random.default_rng(1))
    np.testing.assert_array_equal(first[first], np.arange(number))
    moves = np.abs(first - np.arange(number))[: number // 2]
    assert (moves > width).mean() > 0.05 and (moves == 0).mean() < 0.01
    second = by_buckets(number, 10, np.random.default_rng(1))
    np.testing.assert_array_equal(second[second], np.arange(number))
    bucket = np.arange(number) // 2000
    ahead = np.abs(bucket[second] - bucket)
    shares = np.bincount(ahead, minlength=10) / number
    assert all(a > b for a, b in itertools.pairwise(shares[:5])) and shares[0] > 0.4
    one = by_buckets(50, 1, np.random.default_rng(1))
    np.testing.assert_array_equal(one[one], np.arange(50))


def test_more_range_means_less_correlation() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=2000)
    records = Records.of(np.column_stack([x, x + 0.3 * rng.normal(size=2000)]))
    kept = [np.corrcoef(drawn(RankSwapping(p=p, top=0, bottom=0), records).T)[0, 1]
            for p in (0.02, 0.2, 0.8)]
    assert kept[0] > 0.9 > kept[1] > kept[2] and kept[2] < 0.5


# ---- microaggregation -------------------------------------------------------------------------


def plain_mdav(points: np.ndarray, k: int) -> list[list[int]]:
    """As one would write it down; squared distances to nine decimals, ties by order."""
    left, out = list(range(len(points))), []

    def far(i: int, to: np.ndarray) -> float:
        return round(float(((points[i] - to) ** 2).sum()), 9)

    def take(end: int) -> int:
        other = max(left, key=lambda i: (far(i, points[end]), -i))
        near = sorted(left, key=lambda i: (far(i, points[end]), i))[:k]
        out.append(sorted(near))
        for i in near:
            left.remove(i)
        return other

    while len(left) >= 2 * k:
        both = len(left) >= 3 * k
        centre = points[left].mean(axis=0)
        end = max(left, key=lambda i: (far(i, centre), -i))
        other = take(end)
        if both:
            take(other)
    out.append(sorted(left))
    return out


@pytest.mark.parametrize(("number", "k", "width"), [
    (100, 3, 2), (101, 7, 3), (60, 20, 1), (41, 14, 2), (40, 40, 2), (39, 20, 2), (300, 15, 5)])
def test_clusters_are_those_of_a_plain_mdav(number: int, k: int, width: int) -> None:
    points = np.random.default_rng(number).normal(size=(number, width))
    labels = mdav(points, k)
    found = [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]
    assert found == plain_mdav(points, k)


def test_ties_and_duplicates_go_by_the_order_of_records() -> None:
    rng = np.random.default_rng(9)
    points = rng.integers(0, 4, (120, 2)).astype(float)
    labels = mdav(points, 4)
    found = [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]
    assert found == plain_mdav(points, 4)
    alike = mdav(np.ones((10, 2)), 3)
    assert sorted(np.bincount(alike).tolist()) == [3, 3, 4]


@settings(max_examples=60, deadline=None)
@given(number=st.integers(1, 80), k=st.integers(1, 80), seed=st.integers(0, 10**6))
def test_clusters_hold_k_to_twice_k_less_one_and_keep_means(
    number: int, k: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    records = Records.of(np.column_stack([rng.normal(size=number), rng.integers(0, 3, number)]))
    method = Microaggregation(k=k)
    if k > number:
        with pytest.raises(sdc.InputError, match=f"at most the number of records, {number}"):
            method.check_records(records)
        return
    sizes = np.bincount(method.clusters(records))
    assert sizes.min() >= k and sizes.max() <= 2 * k - 1
    out = drawn(method, records)
    np.testing.assert_allclose(out.mean(axis=0), records.values.mean(axis=0), atol=1e-9)
    assert Counter(map(tuple, out.round(9).tolist())).most_common()[-1][1] >= k
    if k == 1:
        np.testing.assert_allclose(out, records.values)


def test_scaling_decides_who_is_similar() -> None:
    """A variable in cents and in euros is the same one by the standard deviation, not by the
    variance."""
    values = np.random.default_rng(4).normal(size=(60, 2))
    euros, cents = (Records.of(values * [factor, 1.0]) for factor in (1.0, 100.0))
    same = Microaggregation(k=3)
    np.testing.assert_array_equal(same.clusters(euros), same.clusters(cents))
    other = same.replace(scaling="variance")
    assert not np.array_equal(other.clusters(euros), other.clusters(cents))


def test_records_that_lack_a_number_are_grouped_among_themselves() -> None:
    records = people()
    method = Microaggregation(k=5, variables=("age", "pay"))
    out = drawn(method, records)
    lacking = np.isnan(records.values[:, 1])
    np.testing.assert_array_equal(np.isnan(out[:, 1]), lacking)
    for rows in (lacking, ~lacking):
        assert out[rows, 0].mean() == pytest.approx(records.values[rows, 0].mean())
    few = records.values.copy()
    few[:, 1] = np.where(np.arange(len(few)) < 3, np.nan, 1.0)
    with pytest.raises(sdc.InputError, match="at most the number of records, 3 that lack the same"):
        method.check_records(records.with_values(few))


# ---- noise ------------------------------------------------------------------------------------


def test_noise_has_the_covariance_it_is_said_to_have() -> None:
    """Over many records: independent noise adds to variances alone, correlated noise multiplies the
    whole matrix by 1 + c², and shrunk noise keeps it."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=40_000)
    values = np.column_stack([3 * x + 50, x + rng.normal(size=40_000)])
    records = Records.of(values)
    before = np.cov(values, rowvar=False)
    for structure, wanted in (
        ("independent", before + 0.25 * np.diag(np.diag(before))),
        ("correlated", 1.25 * before), ("preserving", before),
    ):
        out = drawn(NoiseAddition(share=0.5, structure=structure), records)
        np.testing.assert_allclose(np.cov(out, rowvar=False), wanted, rtol=0.03)
        np.testing.assert_allclose(out.mean(axis=0), values.mean(axis=0), atol=0.05)
    same = drawn(NoiseAddition(share=0.0), records)
    np.testing.assert_array_equal(same, values)


def test_variables_that_follow_from_others_still_do() -> None:
    """A singular covariance: the third is the sum of the first two, before and after."""
    rng = np.random.default_rng(7)
    values = rng.normal(size=(200, 2))
    records = Records.of(np.column_stack([values, values.sum(axis=1), np.full(200, 4.0)]))
    out = drawn(NoiseAddition(share=1.0, structure="correlated"), records)
    np.testing.assert_allclose(out[:, 0] + out[:, 1], out[:, 2], atol=1e-9)
    np.testing.assert_allclose(out[:, 3], 4.0, atol=1e-6)
    assert np.abs(out[:, 0] - values[:, 0]).max() > 0.5


def test_missing_stays_missing_and_a_covariance_needs_records() -> None:
    records = people()
    for structure in ("independent", "correlated", "preserving"):
        out = drawn(NoiseAddition(structure=structure), records)
        np.testing.assert_array_equal(np.isnan(out), np.isnan(records.values))
    apart = Records.of(np.array([[1.0, np.nan], [np.nan, 2.0], [3.0, np.nan]]))
    with pytest.raises(sdc.InputError, match="Fewer than two records have all"):
        drawn(NoiseAddition(structure="correlated"), apart)


# ---- bad input --------------------------------------------------------------------------------


def test_a_constant_column_sets_no_range() -> None:
    with pytest.raises(sdc.InputError, match="always is the same for everybody"):
        drawn(RankSwapping(rule="correlation"), people())
    two = Records.of(np.array([[1.0, 5.0], [2.0, 9.0]]))
    np.testing.assert_array_equal(
        np.sort(drawn(RankSwapping(p=1.0), two), axis=0), two.values)

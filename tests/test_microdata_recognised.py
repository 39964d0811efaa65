"""Records that can be recognised: brute force over all pairs, and cases counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sdc_core.errors import InputError
from sdc_core.metrics.microdata import intervals, recognised
from sdc_core.metrics.microdata.arrays import scaled


def made_up(rows: int, width: int, seed: int, digits: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Rounded, so that there are ties and duplicates."""
    rng = np.random.default_rng(seed)
    original = rng.normal(size=(rows, width)).round(digits)
    return original, (original + rng.normal(scale=0.5, size=(rows, width))).round(digits)


def brute_force_chances(wanted: np.ndarray, here: np.ndarray) -> dict[str, list[float]]:
    """Each search by looking at every candidate, in whole tenths so that ties are exact."""
    found: dict[str, list[float]] = {"share": [], "unique": [], "any": []}
    for i, record in enumerate(np.rint(wanted * 10).astype(int)):
        squares = [int(((record - other) ** 2).sum()) for other in np.rint(here * 10).astype(int)]
        equal = [j for j, square in enumerate(squares) if square == min(squares)]
        right = i in equal
        found["share"].append(right / len(equal))
        found["unique"].append(float(right and len(equal) == 1))
        found["any"].append(float(right))
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ties", ["share", "unique", "any"])
def test_self_closest_record_is_what_looking_at_every_pair_finds(seed: int, ties) -> None:
    original, released = made_up(60, 2, seed)
    released[:8] = released[8:16]  # duplicates among the released
    wanted = brute_force_chances(original, released)[ties]
    assert recognised.closest(original, released).chances(ties) == pytest.approx(wanted)
    assert recognised.self_closest_record(original, released, ties) == pytest.approx(
        np.mean(wanted))


def test_ties_are_there_and_bound_one_another() -> None:
    original, released = made_up(80, 2, 1)
    found = recognised.closest(original, released)
    assert (found.tied > 1).any() and (found.tied == 0).any()
    assert (found.chances("unique") <= found.chances("share")).all()
    assert (found.chances("share") <= found.chances("any")).all()
    assert found.chances("unique").sum() < found.chances("share").sum() < found.chances("any").sum()


def test_nobody_is_told_apart_from_people_who_are_just_like_them() -> None:
    crowd = np.ones((5, 2))
    assert recognised.self_closest_record(crowd, crowd) == pytest.approx(1 / 5)
    assert recognised.self_closest_record(crowd, crowd, "unique") == 0
    assert recognised.self_closest_record(crowd, crowd, "any") == 1


def test_released_as_they_are_people_are_recognised_and_far_shuffled_ones_are_not() -> None:
    original = np.arange(10.0)[:, None]
    assert recognised.self_closest_record(original, original) == 1
    assert recognised.self_closest_record(original, original[::-1]) == 0


def test_record_linkage_searches_the_other_way_round() -> None:
    original = np.array([[0.0], [10.0], [11.0]])
    released = np.array([[6.0], [10.4], [10.4]])
    # From 0 the closest released is 6: right; from 10 and 11 a tie of two. From 6 the closest
    # person is 10: wrong; from 10.4 it is 10, right once and wrong once.
    assert recognised.self_closest_record(original, released) == pytest.approx(2 / 3)
    assert recognised.record_linkage(original, released) == pytest.approx(1 / 3)


def test_record_linkage_by_some_columns_looks_at_no_other() -> None:
    original, released = made_up(50, 3, 3)
    released[:, 2] += 1000
    known = np.array([0, 1])
    wanted = np.mean(brute_force_chances(released[:, :2], original[:, :2])["share"])
    assert recognised.record_linkage(original, released, known) == pytest.approx(wanted)
    with pytest.raises(InputError, match="knows no variable"):
        recognised.record_linkage(original, released, np.array([], dtype=int))


def test_distance_to_closest_record_is_the_smallest_of_all_and_needs_no_pairing() -> None:
    original, released = made_up(40, 3, 7)
    released = released[:23]
    wanted = [min(np.linalg.norm(a - b) for b in released) for a in original]
    assert recognised.distances_to_closest(original, released) == pytest.approx(wanted)
    assert recognised.distance_to_closest(original, released) == pytest.approx(np.mean(wanted))
    with pytest.raises(InputError, match="23 records and the original 40"):
        recognised.self_closest_record(original, released)


def test_mean_k_anonymity_counts_equal_records() -> None:
    # three alike, two alike, one alone: (9 + 4 + 1) / 6
    people = [["a", 1], ["a", 1], ["b", 2], ["a", 1], ["b", 2], ["a", 2]]
    assert recognised.class_sizes(np.array(people, dtype=object)).tolist() == [3, 3, 2, 3, 2, 1]
    assert recognised.mean_k_anonymity(np.array(people, dtype=object)) == pytest.approx(14 / 6)
    assert recognised.mean_k_anonymity(np.arange(9)) == 1


def test_scales_put_both_on_the_original_and_leave_constants_out() -> None:
    original = np.array([[0.0, 5, 3], [10, 5, 7]])
    released = np.array([[5.0, 9, 11], [20, 1, 3]])
    first, second = scaled(original, released)
    assert first.tolist() == [[0, 0], [1, 1]]
    assert second.tolist() == [[0.5, 2], [2, 0]]  # beyond the original's range is beyond 1
    assert scaled(original, released, "sd")[0][1] == pytest.approx([np.sqrt(2), np.sqrt(2)])
    assert np.ptp(scaled(original, released, "none")[1], axis=0).tolist() == [15, 8]
    with pytest.raises(InputError, match="Every variable of the original is constant"):
        scaled(np.ones((4, 2)), np.ones((4, 2)))


def test_within_a_deviation_means_all_variables_and_the_releases_deviation() -> None:
    released = np.array([[0.0, 0.0], [2.0, 20.0], [4.0, 40.0]])  # deviations 2 and 20
    original = np.array([[2.0, -20.0], [0.0, 41.0], [6.5, 40.0]])
    # first: both at the edge, which is inside; second: 21 > 20; third: 2.5 > 2
    assert intervals.within_deviations(original, released).tolist() == [True, False, False]
    assert intervals.by_deviation(original, released) == pytest.approx(1 / 3)
    assert intervals.by_deviation(original, released, forgiven=1) == 1
    assert intervals.by_deviation(original, released, k=0.5) == 0


def test_robust_risk_counts_records_with_any_value_kept() -> None:
    rng = np.random.default_rng(2)
    original = rng.normal(size=(300, 3))
    far = rng.permutation(original)  # same means and deviations, so a kept value stays put
    kept = far.copy()
    kept[:90, 1] = original[:90, 1]
    kept[90:, 1] = rng.permutation(original[90:, 1])
    by_hand = 0
    reach = intervals.robust_distances(original)
    for i in range(300):
        by_hand += any(
            abs(kept[i, j] - original[i, j]) / original[:, j].std(ddof=1) < 0.01 * 0.05 * reach[i]
            for j in range(3)
        )
    found = intervals.by_robust_distance(original, kept, distances=reach)
    assert found == pytest.approx(by_hand / 300) and 0.3 <= found < 0.4
    assert intervals.by_robust_distance(original, original) == 1


def test_robust_distances_are_not_masked_by_the_outliers_themselves() -> None:
    rng = np.random.default_rng(3)
    values = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=200)
    values[:30] = rng.normal([6, -6], 0.1, size=(30, 2))
    standardised = (values - values.mean(0)) / values.std(0, ddof=1)
    classical = np.sqrt(np.einsum(
        "ij,jk,ik->i", standardised, np.linalg.inv(np.cov(standardised.T)), standardised))
    found = intervals.robust_distances(values)
    assert found[:30].min() > 2.5 * classical[:30].max()
    # Where nothing is odd both agree.
    clean = values[30:]
    fair = (clean - clean.mean(0)) / clean.std(0, ddof=1)
    plain = np.sqrt(np.einsum("ij,jk,ik->i", fair, np.linalg.inv(np.cov(fair.T)), fair))
    assert np.median(intervals.robust_distances(clean) / plain) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(("values", "says"), [
    (np.c_[np.arange(30.0), np.ones(30)], "column 2 is constant"),
    (np.c_[np.arange(30.0), 2 * np.arange(30.0)], "sums of others"),
    (np.c_[np.arange(30.0), np.r_[np.zeros(24), np.arange(6)]], "Half of the records or more"),
    (np.random.default_rng(0).normal(size=(5, 4)), "needs more than 8 records, and there are 5"),
    (np.c_[np.arange(30.0), np.full(30, np.nan)], "column 2 has no values at all"),
    (np.c_[np.arange(30.0), np.r_[np.nan, np.arange(29)]], "column 2 lacks 1 of 30"),
    (np.ones((2, 2)), "there are 2 rows, and this measure needs at least 3"),
])
def test_a_robust_covariance_that_does_not_exist_is_one_sentence(values, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        intervals.robust_distances(values)
    assert str(caught.value).count(". ") == 0 and str(caught.value).endswith(".")


@pytest.mark.parametrize(("original", "released", "says"), [
    (np.ones((4, 2)), np.ones((4, 3)), "2 variables and the release 3"),
    (np.ones((4, 0)), np.ones((4, 0)), "no variable"),
    (np.array([["a"], ["b"]]), np.ones((2, 1)), "text where numbers are needed"),
    (np.ones((1, 2)), np.ones((1, 2)), "1 rows, and this measure needs at least 2"),
])
def test_what_cannot_be_compared_is_one_sentence(original, released, says: str) -> None:
    with pytest.raises(InputError, match=says):
        intervals.by_deviation(original, released)

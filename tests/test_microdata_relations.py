"""What can be learnt from released records: against statsmodels, scikit-learn, scipy, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import entropy, pearsonr
from sklearn.decomposition import PCA
from statsmodels.stats.outliers_influence import OLSInfluence

from sdc_core.errors import InputError
from sdc_core.metrics.microdata import prediction, regression, relations


def made_up(rows: int = 120, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Four variables that go together, in very different units, and a noisy release of them."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(rows, 1))
    original = (base + rng.normal(size=(rows, 4)) * [0.3, 0.6, 1, 2]) * [1, 100, 0.01, 1e4] + 5
    return original, original + rng.normal(size=(rows, 4)) * original.std(axis=0)


def test_correlation_change_is_the_mean_over_pairs() -> None:
    original, released = made_up()
    change, growth = [], []
    for i in range(4):
        for j in range(i):
            before = pearsonr(original[:, i], original[:, j]).statistic
            after = pearsonr(released[:, i], released[:, j]).statistic
            change.append(abs(before - after))
            growth.append(abs(after) - abs(before))
    assert relations.correlation_change(original, released) == pytest.approx(np.mean(change))
    assert relations.correlation_growth(original, released) == pytest.approx(np.mean(growth))
    assert np.mean(growth) < 0  # noise makes variables go together less
    assert relations.correlation_change(original, original) == 0


def test_growth_is_of_strength_whatever_the_sign() -> None:
    x = np.array([1.0, 2, 3, 4, 5, 6])
    weak, strong = np.c_[x, [0, -4, -1, -5, -2, -6]], np.c_[x, -x]
    assert relations.correlation_growth(weak, strong) > 0
    assert relations.correlation_growth(strong, weak) == pytest.approx(
        -relations.correlation_growth(weak, strong))


def test_components_are_those_of_scikit_learn_on_standardised_variables() -> None:
    original, _ = made_up()
    standardised = (original - original.mean(0)) / original.std(0, ddof=1)
    theirs, ours = PCA().fit(standardised), relations.components(original)
    assert ours.variances == pytest.approx(theirs.explained_variance_)
    assert ours.shares == pytest.approx(theirs.explained_variance_ratio_)
    assert np.abs(ours.loadings) == pytest.approx(np.abs(theirs.components_.T))
    assert np.abs(ours.scores(original)) == pytest.approx(np.abs(theirs.transform(standardised)))
    assert ours.variances.sum() == pytest.approx(4)  # four variables of variance 1


def test_a_component_turned_round_is_a_loss_without_alignment_and_none_with_it() -> None:
    original, _ = made_up()
    found = relations.components(original)
    turned = relations.Components(
        found.loadings * [-1, 1, 1, 1], found.variances, found.centre, found.spread)
    assert relations.loadings_change(found, turned) == pytest.approx(
        2 * np.abs(found.loadings[:, 0]).mean())
    assert relations.loadings_change(found, turned, aligned=True) == 0
    assert relations.loadings_change(found, turned, component=2) == 0


def test_loadings_change_of_a_release_by_hand() -> None:
    original, released = made_up()
    loadings = []
    for values in (original, released):
        sizes, vectors = np.linalg.eigh(np.corrcoef(values.T))
        second = vectors[:, np.argsort(sizes)[-2]]
        loadings.append(second * np.sign(second[np.abs(second).argmax()]))
    best = min(np.abs(loadings[0] - s * loadings[1]).mean() for s in (1, -1)
               if (loadings[0] @ loadings[1]) * s >= 0)
    assert relations.loadings_change(original, released, 2, aligned=True) == pytest.approx(best)
    assert relations.loadings_change(original, released, 2) >= best - 1e-12


def test_total_correlation_against_scipy_and_at_its_ends() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 500)
    second = (first + rng.integers(0, 2, 500)) % 4
    third = rng.integers(0, 3, 500)
    codes = np.c_[first, second, third]
    joint = np.zeros((4, 4, 3))
    np.add.at(joint, (first, second, third), 1)
    wanted = sum(entropy(np.bincount(c)) for c in codes.T) - entropy(joint.ravel())
    assert relations.total_correlation(codes) == pytest.approx(wanted)
    every = np.array([[a, b] for a in range(3) for b in range(5)])
    assert relations.total_correlation(every) == pytest.approx(0, abs=1e-12)
    assert relations.total_correlation(np.c_[first, first]) == pytest.approx(
        entropy(np.bincount(first)))


def test_bins_are_of_equal_width_and_by_default_the_cube_root() -> None:
    assert relations.bins([0, 1, 2, 3, 4], 2).tolist() == [0, 0, 1, 1, 1]
    assert set(relations.bins(np.arange(27.0))) == {0, 1, 2}  # ∛27 = 3, not 2
    assert set(relations.bins(np.arange(20_090.0))) == set(range(27))
    assert relations.bins([7.0, 7, 7]).tolist() == [0, 0, 0]


def test_regression_is_that_of_statsmodels() -> None:
    original, _ = made_up()
    theirs = sm.OLS(original[:, 0], sm.add_constant(original[:, 1:])).fit()
    influence = OLSInfluence(theirs)
    ours = regression.fit(original[:, 1:], original[:, 0])
    assert ours.coefficients == pytest.approx(theirs.params)
    assert ours.r_squared == pytest.approx(theirs.rsquared)
    assert ours.leverage == pytest.approx(influence.hat_matrix_diag)
    assert ours.cooks_distances == pytest.approx(influence.cooks_distance[0])
    assert regression.most_exposed(ours) == int(influence.cooks_distance[0].argmax())


def test_cooks_distance_is_what_leaving_a_record_out_does() -> None:
    original, _ = made_up(rows=15)
    whole = regression.fit(original[:, 1:], original[:, 0])
    design = np.column_stack([np.ones(15), original[:, 1:]])
    variance = (whole.residuals**2).sum() / (15 - 4)
    for left_out in (0, 7):
        rest = np.arange(15) != left_out
        without = regression.fit(original[rest, 1:], original[rest, 0])
        moved = design @ (whole.coefficients - without.coefficients)
        assert whole.cooks_distances[left_out] == pytest.approx((moved**2).sum() / (4 * variance))


def test_coefficient_change_counts_the_constant() -> None:
    before, after = (
        regression.Fit(np.array(c), 0.5, np.zeros(9), np.zeros(9)) for c in ([3.0, 1], [0, 2]))
    assert regression.coefficient_change(before, after) == 2


def test_a_followed_record_has_a_place_before_and_after() -> None:
    x = np.r_[np.arange(10.0), 30]
    y = np.array([0, 1.1, 1.9, 3.2, 4, 4.8, 6.1, 7, 8.1, 8.9, 0])
    before = regression.fit(x, y)
    assert regression.most_exposed(before) == 10
    moved_x, moved_y = x.copy(), y.copy()
    moved_x[10], moved_y[10] = 4.5, 4.5  # in the middle, on the line
    moved_y[0] = 9  # and somebody else stands out
    found = regression.follow(10, before, regression.fit(moved_x, moved_y))
    assert (found.place_before, found.before) == (1, before.cooks_distances[10])
    assert found.place_after > 1 and found.after < 0.1 * found.before
    assert found.largest_after == regression.fit(moved_x, moved_y).cooks_distances[0]
    with pytest.raises(InputError, match="no record 11"):
        regression.follow(11, before, before)


def test_indicators_leave_the_first_level_out_and_keep_levels_that_a_release_lacks() -> None:
    found, names = regression.indicators(["b", "a", "c", "a"])
    assert names == ["b", "c"] and found.tolist() == [[1, 0], [0, 0], [0, 1], [0, 0]]
    found, names = regression.indicators(["a", "a"], ["a", "b"])
    assert names == ["b"] and found.tolist() == [[0], [0]]
    with pytest.raises(InputError, match="'z' is not among a, b"):
        regression.indicators(["z"], ["a", "b"])


def test_a_forest_learns_the_release_and_is_tried_on_the_truth() -> None:
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=(400, 2))
    classes = (inputs[:, 0] > 0).astype(int)
    fair = prediction.forest_error(inputs[:300], classes[:300], inputs[300:], classes[300:])
    turned = prediction.forest_error(inputs[:300], 1 - classes[:300], inputs[300:], classes[300:])
    assert fair < 0.06 and turned > 0.94
    from sklearn.ensemble import RandomForestClassifier
    theirs = RandomForestClassifier(min_samples_leaf=5, random_state=0).fit(
        inputs[:300], classes[:300])
    assert fair == pytest.approx((theirs.predict(inputs[300:]) != classes[300:]).mean())


def test_what_is_kept_out_is_never_learnt_from() -> None:
    for rows, size in ((20_090, 1000), (768, 153), (2000, 1000), (1999, 399)):
        learnt, out = prediction.kept_out(rows, seed=1)
        assert len(out) == size
        assert sorted([*learnt, *out]) == list(range(rows))
    seen = []

    def protect(rows, repetition):
        seen.append((repetition, rows))
        return inputs[rows], classes[rows]

    inputs = np.random.default_rng(1).normal(size=(60, 2))
    classes = np.arange(60) % 2
    found = prediction.forest_errors(inputs, classes, protect, repetitions=3, trees=5)
    assert [r for r, _ in seen] == [0, 1, 2] and len(found.each) == 3
    assert not np.array_equal(seen[0][1], seen[1][1])


@pytest.mark.parametrize(("ask", "says"), [
    (lambda: relations.correlations(np.c_[np.arange(9.0), np.ones(9)]), "column 2 is constant"),
    (lambda: relations.correlation_change(np.arange(9.0), np.arange(9.0)), "at least two"),
    (lambda: relations.components(np.ones((2, 2))), "2 rows"),
    (lambda: relations.loadings_change(made_up()[0], made_up()[1], 5), "components 1 to 4 here"),
    (lambda: relations.total_correlation([]), "several variables"),
    (lambda: regression.fit(np.ones((9, 1)), np.arange(9.0)), "constant or sums of others"),
    (lambda: regression.fit(made_up()[0][:, [0, 0]], made_up()[0][:, 1]), "sums of others"),
    (lambda: regression.fit(made_up()[0][:3], made_up()[0][:3, 0]), "needs more than 5 records"),
    (lambda: regression.fit(np.arange(9.0), np.ones(9)), "outcome is constant"),
    (lambda: regression.fit(np.arange(9.0), np.full(9, math.nan)), "no values at all"),
    (lambda: prediction.kept_out(5, 0), "5 records are too few"),
    (lambda: prediction.forest_error(np.eye(3), [1, 1, 1], np.eye(3), [1, 1, 1]), "of one class"),
])
def test_bad_input_is_one_sentence(ask, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        ask()
    assert str(caught.value).count(". ") == 0 and str(caught.value).endswith(".")


def test_units_do_not_decide_whether_a_regression_is_determined() -> None:
    rng = np.random.default_rng(8)
    inputs = rng.normal(size=(50, 2)) * [1e-9, 1e9]
    outcome = inputs @ [1e9, 1e-9] + rng.normal(size=50)
    theirs = sm.OLS(outcome, sm.add_constant(inputs * [1e9, 1e-9])).fit()
    ours = regression.fit(inputs, outcome)
    assert ours.coefficients * [1, 1e-9, 1e9] == pytest.approx(theirs.params, rel=1e-6)

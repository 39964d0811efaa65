"""Propensity: weighted patterns equal records (scikit-learn), nobody scores themselves, a copy
scores 1, a release that stands out does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics.propensity import (
    CLASSIFIERS,
    DEALS,
    Logistic,
    Reference,
    Tree,
    dealt,
    design,
    propensities,
    propensity,
    reference_of,
)
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.people import expand
from tests import agreement as stats

ROOT = Path(__file__).parents[1]


def feature(name: str, size: int, ordered: bool = False, tail: int = 0) -> Feature:
    values = tuple(str(i) for i in range(size))
    return Feature(name, name, values, values, ordered, tail)


def table(counts: object, shape: tuple[int, ...]) -> Histogram:
    domain = Domain(tuple(feature(f"f{j}", s) for j, s in enumerate(shape)))
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), domain)


def random_pair(seed: int = 1, shape: tuple[int, ...] = (4, 3, 5)) -> tuple[Histogram, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    return table(rng.poisson(20, size), shape), rng.poisson(20, size).astype(np.int64)


def on_records(model: object, truth: Histogram, released: np.ndarray, one_hot: bool) -> np.ndarray:
    """Scores of all patterns by a model fitted to one row a person, the usual way."""
    people = [expand(c, truth.domain) for c in (truth.counts, released)]
    rows = np.concatenate(people)
    labels = np.r_[np.zeros(len(people[0])), np.ones(len(people[1]))]
    cells = np.stack(np.unravel_index(np.arange(len(truth)), truth.domain.shape), axis=1)
    if one_hot:
        sizes = truth.domain.shape
        rows, cells = (
            np.concatenate([np.eye(s)[m[:, j]] for j, s in enumerate(sizes)], axis=1)
            for m in (rows, cells)
        )
    model.fit(rows, labels)  # type: ignore[attr-defined]
    return np.asarray(model.predict_proba(cells)[:, 1])  # type: ignore[attr-defined]


def test_logistic_on_patterns_equals_logistic_on_records() -> None:
    truth, released = random_pair()
    found = propensity(SideBySide.of_table(truth, released), Logistic(), folds=1)
    expected = on_records(
        LogisticRegression(tol=1e-10, max_iter=5000), truth, released, one_hot=True
    )
    used = (truth.counts > 0) | (released > 0)
    np.testing.assert_allclose(found.scores[0], expected[used], atol=1e-5)


@pytest.mark.parametrize(("depth", "leaf"), [(6, 1), (12, 10), (2, 40)])
def test_tree_on_patterns_equals_tree_on_records(depth: int, leaf: int) -> None:
    """In-sample with depth 6 and no least leaf it is SDNist's classifier."""
    truth, released = random_pair(5)
    found = propensity(SideBySide.of_table(truth, released), Tree(depth, leaf), folds=1)
    expected = on_records(
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0),
        truth, released, one_hot=False,
    )
    used = (truth.counts > 0) | (released > 0)
    np.testing.assert_allclose(found.scores[0], expected[used], atol=1e-12)


def test_pmse_by_hand() -> None:
    """One feature, two values. Original 3 and 1, released 1 and 3: scores ¼ and ¾, c = ½."""
    truth = table([3, 1], (2,))
    found = propensity(SideBySide.of_table(truth, np.array([1, 3])), Tree(3, 1), folds=1)
    np.testing.assert_allclose(found.scores[0], [0.25, 0.75])
    assert found.pmse == pytest.approx(1 / 16)


def test_no_record_scores_itself() -> None:
    """People are partitioned over folds, and a fold's scores do not depend on who is in it."""
    truth, released = random_pair(2)
    pair = SideBySide.of_table(truth, released)
    found = propensity(pair, Tree(6, 1), folds=4, seed=3)
    np.testing.assert_array_equal(found.original.sum(axis=0), pair.original)
    np.testing.assert_array_equal(found.released.sum(axis=0), pair.released)
    for fold in range(4):
        used = np.flatnonzero((truth.counts > 0) | (released > 0))
        original, others = truth.counts.copy(), released.copy()
        original[used] -= found.original[fold]
        others[used] -= found.released[fold]
        rest = Histogram(original, truth.domain)
        expected = on_records(
            DecisionTreeClassifier(max_depth=6, random_state=0), rest, others, one_hot=False
        )
        np.testing.assert_allclose(found.scores[fold], expected[used], atol=1e-12)


@pytest.mark.parametrize("at_once", [1 << 19, 1])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_many_releases_in_one_go_are_each_as_it_is_alone(
    name: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all patterns, with one release that has nobody and one that is nearly empty. The first
    and the nearly empty one are scored in all folds, the last in its own alone."""
    monkeypatch.setattr("sdc_core.metrics.propensity._AT_ONCE", at_once)
    truth, _ = random_pair(3)
    rng = np.random.default_rng(4)
    rows = np.stack([rng.poisson(size, len(truth)) for size in (20, 1, 0, 60)])
    rows[3, :30] = 0
    pairs = [
        pair if pair.released_people else None for pair in SideBySide.of_releases(truth, rows)
    ]
    seen: list[float] = []
    together = propensities(pairs, CLASSIFIERS[name], dealt(pairs, 5), progress=seen.append)
    assert rows[1].sum() < 500 < min(rows[3].sum(), truth.total)
    assert together[2] is None and seen == pytest.approx([1 / 3, 2 / 3, 1])
    for r, folds in ((0, slice(5)), (1, slice(5)), (3, slice(3, 4))):
        pair, one = SideBySide.of_table(truth, rows[r]), together[r]
        alone = propensity(pair, CLASSIFIERS[name], seed=5, first_deal=r)
        assert one is not None
        there = (one.pair.original > 0) | (one.pair.released > 0)
        np.testing.assert_array_equal(one.original[:, there], alone.original[folds])
        np.testing.assert_array_equal(one.released[:, there], alone.released[folds])
        np.testing.assert_allclose(one.scores[:, there], alone.scores[folds], atol=1e-6)
        off = (alone.scores - alone.share_released) ** 2
        people = alone.original + alone.released
        assert one.pmse == pytest.approx(np.average(off[folds], weights=people[folds]), rel=1e-5)
        sure = alone.even_scores[folds] >= 0.95
        assert one.given_away().sum() == alone.released[folds][sure].sum()
        assert one.times_released == pytest.approx(rows[r].sum() / alone.released[folds].sum())
        assert one.times_original == pytest.approx(truth.total / alone.original[folds].sum())


@pytest.mark.slow
def test_a_fold_of_each_release_has_the_mean_of_all_folds() -> None:
    """For a score of 60 or more, which chance gives to some."""
    truth, _ = random_pair(3)
    rows = np.random.default_rng(9).poisson(truth.counts + 2.0, (60, len(truth)))
    pairs = SideBySide.of_releases(truth, rows)
    some = [p for p in propensities(pairs, Tree(), dealt(pairs, 5)) if p is not None]
    every = [propensity(pair, Tree(), seed=5, first_deal=r) for r, pair in enumerate(pairs)]
    for number in (lambda p: p.pmse, lambda p: p.given_away(0.6).sum() * p.times_released,
                   lambda p: p.accused(0.6) * p.times_original):
        gap = np.array([number(a) - number(b) for a, b in zip(some, every, strict=True)])
        assert gap[0] == 0 and gap[1:].any()
        assert abs(gap.mean()) < 4 * gap.std(ddof=1) / np.sqrt(len(gap))


def test_a_record_seen_once_cannot_recognise_itself() -> None:
    """A released person in a group of their own gives themselves away in-sample, and only there:
    fitted to the others, there is nothing to know them by."""
    counts = np.zeros(40, dtype=np.int64)
    counts[:20] = 30
    truth = table(counts, (40,))
    released = counts.copy()
    released[39] = 1
    pair = SideBySide.of_table(truth, released)
    assert propensity(pair, Tree(40, 1), folds=1).given_away().sum() == 1
    assert propensity(pair, Tree(40, 1), folds=5).given_away().sum() == 0


@pytest.mark.slow
def test_a_copy_and_a_fresh_sample_score_what_theory_says() -> None:
    """Two cells of x people each, a tree with two leaves, five folds. In the training part the two
    sides differ by d; a score strays from ½ by d/(3.2 x). For a copy Var d = 2·0.16 x (both are
    random fifths left out), so pMSE is 1/(32 x); for a fresh sample, a Poisson draw, Var d =
    (0.16 + 0.8) x, three times as much (less the one degree that its fixed size takes)."""
    x = 4000
    truth = table([x, x, x, x], (4,))
    rng = np.random.default_rng(11)
    copies, fresh = [], []
    for seed in range(150):
        copies.append(propensity(
            SideBySide.of_table(truth, truth.counts), Tree(), seed=seed).pmse * 32 * x)
        sample = rng.multinomial(4 * x, np.full(4, 0.25))
        drawn = SideBySide.of_table(truth, sample)
        fresh.append(propensity(drawn, Tree(), seed=seed).pmse * 32 * x)
    # An average over four cells (nearly independent) of squares of normals: variance 2/4.
    assert stats.mean_agrees(copies, 1.0, 0.5, 2.0)
    expected = (0.16 + 0.16 * 1 + 0.64 * 0.75) / 0.32  # thinning is free, the total is not
    assert stats.mean_agrees(fresh, expected, 0.5 * expected**2, 2 * expected)
    assert not stats.mean_agrees(fresh, 1.0, 0.5, 2.0)  # the two can be told apart


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CLASSIFIERS))
def test_a_perfect_copy_has_a_ratio_of_about_one(name: str) -> None:
    """Whatever its size: a copy of everybody, everybody twice, everybody four times."""
    truth, _ = random_pair(8)
    classifier = CLASSIFIERS[name]
    reference = reference_of(SideBySide.of_table(truth, truth.counts), classifier)
    for times in (1, 2, 4):
        pair = SideBySide.of_table(truth, times * truth.counts)
        ratios = [
            propensity(pair, classifier, seed=100 + s, reference=reference).ratio
            for s in range(40)
        ]
        # 0.1: above the variance that the ratio of one copy has over folds
        assert stats.mean_agrees(ratios, 1.0, 0.1, 0.5)
    fresh = reference.fresh / reference.copy
    assert fresh > 1.5 and not stats.mean_agrees(np.full(40, fresh), 1.0, 0.1, 0.5)


@pytest.mark.slow
def test_more_deals_are_means_over_new_deals() -> None:
    """n times the mean of n deals less (n - 1) times the mean before is the nth deal: none repeats
    another, and they have the mean that theory gives a copy (see above), so 1 / (32 x)."""
    x = 4000
    pair = SideBySide.of_table(table([x] * 4, (4,)), np.full(4, x))
    means = [propensity(pair, Tree(), deals=n).pmse for n in range(1, 26)]
    deals = np.diff(np.r_[0, np.arange(1, 26) * means])
    assert (deals > 0).all() and len(set(np.round(deals * 32 * x, 6))) == 25
    assert stats.mean_agrees(deals * 32 * x, 1.0, 0.5, 2.0)
    assert propensity(pair, Tree(), folds=1, deals=5).deals == 1


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2,), (5,), (5, 2)])
def test_an_exact_copy_strays_as_far_as_is_said(shape: tuple[int, ...]) -> None:
    """Few groups are the worst case: one deal alone strays by half its mean. Ratios of the page
    stay about 1, and a fresh sample is told from a copy."""
    truth = table(np.full(int(np.prod(shape)), 2000), shape)
    pair = SideBySide.of_table(truth, truth.counts)
    reference = reference_of(pair, Tree())
    one, shown = reference.ratio_spread(1), reference.ratio_spread(DEALS)
    assert 0.2 < one < 1.5 and shown == pytest.approx(one * np.sqrt(0.125 / 1.025))
    ratios = [
        propensity(pair, Tree(), seed=100 + s, reference=reference, deals=DEALS).ratio
        for s in range(20)
    ]
    assert stats.mean_agrees(ratios, 1.0, shown**2, 0.5)
    assert not stats.mean_agrees(np.add(ratios, 1.5), 1.0, shown**2, 0.5)
    many = [pair] * 81  # the first in all folds, the others in one each, which strays further
    found = propensities(many, Tree(), dealt(many, 55), reference)[1:]
    spread = np.std([p.ratio for p in found if p is not None], ddof=1)
    assert 0.6 < spread / (reference.release_spread / reference.copy) < 1.6
    assert reference.release_spread > 1.6 * reference.copy_spread


@pytest.mark.parametrize("name", list(CLASSIFIERS))
def test_a_release_that_stands_out_does_not(name: str) -> None:
    """A copy whose columns were shuffled (for the tree), or whose values were (for both)."""
    rng = np.random.default_rng(4)
    truth = table(np.outer([200, 5, 200], [5, 200, 5]) // 20 + np.eye(3, dtype=int) * 300, (3, 3))
    pair = SideBySide.of_table(truth, truth.counts)
    reference = reference_of(pair, CLASSIFIERS[name])
    people = expand(truth.counts, truth.domain)
    shuffled = np.stack([rng.permutation(column) for column in people.T], axis=1)
    counts = np.bincount(np.ravel_multi_index(shuffled.T, (3, 3)), minlength=9)
    other = np.roll(truth.counts.reshape(3, 3), 1, axis=0).ravel()
    moved = propensity(SideBySide.of_table(truth, other), CLASSIFIERS[name], reference=reference)
    assert moved.ratio > 20
    if name == "tree":  # the regression has no terms for pairs of values
        found = propensity(SideBySide.of_table(truth, counts), Tree(), reference=reference)
        assert found.ratio > 20


def test_made_up_people_give_themselves_away_whatever_the_size_of_the_release() -> None:
    """100 people in a group that is empty in the data; the others as they are, or ten times."""
    truth = table([400, 300, 300, 0], (4,))
    for times in (1, 10):
        released = times * truth.counts
        released[3] = 100
        found = propensity(SideBySide.of_table(truth, released), Tree())
        np.testing.assert_array_equal(found.given_away(), [0, 0, 0, 100])
        assert found.accused() == 0
        edges, original, share = found.distribution(20)
        assert share[-1] == pytest.approx(100 / released.sum())
        assert original.sum() == pytest.approx(1) and share.sum() == pytest.approx(1)
        assert original[8:12].sum() == pytest.approx(1)  # a record that says nothing is at 50
        assert edges[-2] == 95


def test_ordered_features_are_numbers_too() -> None:
    features = (feature("a", 4, ordered=True, tail=1), feature("b", 2))
    columns = design(features, np.array([[0, 1], [1, 0], [2, 0], [3, 1]]))
    np.testing.assert_array_equal(columns[:, :4], np.eye(4))
    np.testing.assert_array_equal(columns[:, 4], [0, 0.5, 1, 0])  # missing has no position
    np.testing.assert_array_equal(columns[:, 5:], [[0, 1], [1, 0], [1, 0], [0, 1]])


@pytest.mark.parametrize("name", list(CLASSIFIERS))
@pytest.mark.parametrize(("counts", "released"), [([7], [9]), ([1, 0], [0, 1]), ([1], [1])])
def test_one_pattern_and_a_handful_of_people(
    name: str, counts: list[int], released: list[int]
) -> None:
    truth = table(counts, (len(counts),))
    found = propensity(SideBySide.of_table(truth, np.array(released)), CLASSIFIERS[name])
    assert np.isfinite(found.scores).all() and 0 <= found.pmse <= 1


def test_same_seed_same_scores_and_input_unchanged() -> None:
    truth, released = random_pair(6)
    pair = SideBySide.of_table(truth, released)
    before = pair.original.copy(), pair.released.copy()
    one, two, three = (propensity(pair, Tree(), seed=s).pmse for s in (1, 1, 2))
    assert one == two != three
    np.testing.assert_array_equal(before[0], pair.original)
    np.testing.assert_array_equal(before[1], pair.released)


def test_bad_input_is_a_sentence() -> None:
    truth = table([3, 4], (2,))
    with pytest.raises(sdc.InputError, match="no people in it"):
        propensity(SideBySide.of_table(truth, np.array([0, 0])), Tree())
    empty = table([0, 0], (2,))
    with pytest.raises(sdc.InputError, match="data has no people"):
        propensity(SideBySide.of_table(empty, np.array([1, 0])), Tree())
    with pytest.raises(sdc.InputError, match="folds must be in"):
        propensity(SideBySide.of_table(truth, truth.counts), Tree(), folds=0)
    with pytest.raises(sdc.InputError, match="deals must be in"):
        propensity(SideBySide.of_table(truth, truth.counts), Tree(), deals=0)


def test_an_undefined_ratio_is_not_a_number() -> None:
    truth = table([3, 4], (2,))
    pair = SideBySide.of_table(truth, truth.counts)
    assert np.isnan(propensity(pair, Tree(), folds=1).ratio)
    assert np.isnan(propensity(pair, Tree(), folds=1, reference=Reference(0.0, 0.0)).ratio)


def test_scikit_learn_is_not_loaded_before_it_is_needed() -> None:
    """The questions are all imported at start; a second for one of them would be paid by each."""
    code = "import sys, sdc_core.metrics.propensity; print('sklearn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

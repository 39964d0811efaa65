"""Models trained on releases: toys by hand, scikit-learn on expanded records, perfect and shuffled
copies."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.preprocessing import OneHotEncoder

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics import classification as metrics
from sdc_core.metrics.classifiers import MODELS, TREES, Model
from sdc_core.people import expand

LOGISTIC, FOREST = MODELS["logistic"], MODELS["forest"]
PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
FEATURES = (*PREDICTORS, "INCOME_50K")

HOME = Feature("HOME", "Home", ("1", "2"), ("owning", "renting"))
SEX = Feature("SEX", "Sex", ("1", "2"), ("male", "female"))
RICH = Feature("RICH", "Rich", ("0", "1"), ("poor", "rich"))
DOMAIN = Domain((HOME, SEX, RICH))
#                     owning: men    women   renting: men   women
TOY = Histogram(np.array([10, 90, 30, 60, 80, 20, 50, 10], dtype=np.int64), DOMAIN)
TASK = metrics.Task(DOMAIN, ("HOME",), "RICH")


def test_a_toy_by_hand() -> None:
    """From the home alone: owners 40 poor, 150 rich; renters 130 poor, 30 rich. The model says
    rich for owners: right for 150 + 130 of 350. Recalls: 130/170 of the poor, 150/180 of the rich.
    It is wrong about 10 + 20 of 200 men and 30 + 10 of 150 women."""
    against = metrics.truth_and_guessing(TOY, TASK, LOGISTIC)
    assert against.truth.accuracy[0] == pytest.approx(280 / 350)
    assert against.truth.balanced[0] == pytest.approx((130 / 170 + 150 / 180) / 2)
    assert against.guessing == pytest.approx(180 / 350) and against.guess == "rich"
    assert against.unseen == pytest.approx(280 / 350)  # no fold is so lopsided that it turns
    errors = metrics.errors_by_group(TOY, TASK, against.truth.predicted, ["SEX"])
    assert errors.labels == (("male",), ("female",)) and errors.people.tolist() == [200, 150]
    assert errors.wrong[0] == pytest.approx([30 / 200, 40 / 150])
    everybody = metrics.errors_by_group(TOY, TASK, against.truth.predicted, [])
    assert everybody.wrong == pytest.approx(np.array([[70 / 350]]))


@pytest.fixture(scope="module")
def twin() -> Histogram:
    return sdc.load_dataset("ma2019-twin").histogram(FEATURES)


@pytest.fixture(scope="module")
def what(twin: Histogram) -> metrics.Task:
    return metrics.Task(twin.domain, PREDICTORS, "INCOME_50K")


def test_weighted_patterns_equal_scikit_learn_on_single_records(
    twin: Histogram, what: metrics.Task
) -> None:
    """Train on the expanded records of a release with scikit-learn, test on those of the truth."""
    released = sdc.released_people(sdc.mechanism("laplace", epsilon=0.3), twin, 3)
    found = metrics.scores(twin, what, released, LOGISTIC)
    encoder = OneHotEncoder(categories=[np.arange(n) for n in twin.domain.shape[:-1]])
    truth = expand(twin.counts, twin.domain)
    test = encoder.fit_transform(truth[:, :-1])
    for r, row in enumerate(released):
        records = expand(row, twin.domain)
        model = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000)
        model.fit(encoder.transform(records[:, :-1]), records[:, -1])
        guess = model.predict(test)
        assert found.accuracy[r] == pytest.approx(accuracy_score(truth[:, -1], guess))
        assert found.balanced[r] == pytest.approx(balanced_accuracy_score(truth[:, -1], guess))
        again = found.predicted[r][np.ravel_multi_index(
            tuple(truth[:, :-1].T), twin.domain.shape[:-1])]
        assert (again == guess).all()
    errors = metrics.errors_by_group(twin, what, found.predicted[2:], ["RAC1P", "SEX"])
    wrong = guess != truth[:, -1]
    for labels, people, rate in zip(errors.labels, errors.people, errors.wrong[0], strict=True):
        race = twin.domain.features[0].labels.index(labels[0])
        sex = twin.domain.features[2].labels.index(labels[1])
        some = (truth[:, 0] == race) & (truth[:, 2] == sex)
        assert people == some.sum() and rate == pytest.approx(wrong[some].mean())


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_perfect_copy_is_as_right_as_the_baseline(
    twin: Histogram, what: metrics.Task, model: Model
) -> None:
    against = metrics.truth_and_guessing(twin, what, model)
    copy = metrics.scores(twin, what, twin.counts[None, :], model)
    assert copy.accuracy == pytest.approx(against.truth.accuracy)
    assert against.truth.accuracy[0] > against.guessing + 0.05
    assert against.unseen <= against.truth.accuracy[0] + 0.01
    best = what.by_class(twin.counts)[0].max(axis=1).sum() / twin.total
    assert against.truth.accuracy[0] <= best


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_shuffled_copy_is_as_right_as_the_majority(
    twin: Histogram, what: metrics.Task, model: Model
) -> None:
    """Income handed round at random (here: spread evenly, exactly) teaches the majority only."""
    people = twin.counts.reshape(-1, 2)
    share = people.sum(axis=0) / people.sum()
    shuffled = np.rint(1000 * people.sum(axis=1, keepdims=True) * share).astype(np.int64)
    found = metrics.scores(twin, what, shuffled.reshape(1, -1), model)
    assert found.accuracy[0] == pytest.approx(share.max())
    assert found.balanced[0] == pytest.approx(0.5)


def test_every_release_has_the_fit_it_would_have_alone(
    twin: Histogram, what: metrics.Task
) -> None:
    released = sdc.released_people(sdc.mechanism("laplace", epsilon=0.1), twin, 5)
    together = metrics.scores(twin, what, released, LOGISTIC)
    for r in range(5):
        alone = metrics.scores(twin, what, released[r : r + 1], LOGISTIC)
        assert (alone.predicted[0] == together.predicted[r]).all()


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_one_class_and_no_records(model: Model) -> None:
    released = np.zeros((3, 8), dtype=np.int64)
    released[0, 1::2] = 5  # everybody is rich
    released[2] = TOY.counts
    found = metrics.scores(TOY, TASK, released, model)
    assert found.accuracy[0] == pytest.approx(180 / 350) and found.balanced[0] == 0.5
    assert math.isnan(found.accuracy[1])
    assert found.accuracy[2] == pytest.approx(280 / 350)
    assert (found.one_class, found.empty) == (1, 1)
    trained = metrics.Trained(sdc.mechanism("laplace"), found)
    assert trained.accuracy == pytest.approx((180 + 280) / 700)
    assert trained.balanced == pytest.approx((0.5 + (130 / 170 + 150 / 180) / 2) / 2)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("empty", [(0,), (1, 2), (0, 1, 2, 3)])
def test_empty_releases_count_for_no_group(model: Model, empty: tuple[int, ...]) -> None:
    """Errors by group are those of the releases with people in them alone, as accuracy is."""
    released = sdc.released_people(sdc.mechanism("laplace", epsilon=0.05), TOY, 4)
    released[list(empty)] = 0
    kept = [r for r in range(4) if r not in empty]
    found = metrics.scores(TOY, TASK, released, model)
    before = metrics.errors_by_group(
        TOY, TASK, metrics.truth_and_guessing(TOY, TASK, model).truth.learnt, ["SEX"])
    after = metrics.errors_by_group(TOY, TASK, found.learnt, ["SEX"])
    assert len(after.wrong) == len(kept)
    if not kept:
        assert np.isnan(after.mean).all() and metrics.group_shifts(before, after) == []
        return
    assert after.mean @ after.people / TOY.total == pytest.approx(
        1 - metrics.Trained(sdc.mechanism("laplace"), found).accuracy)
    men = np.unravel_index(np.arange(8), DOMAIN.shape)[1] == 0
    by_hand = [
        (TOY.counts * men * (found.predicted[r][TASK.pattern] != TASK.klass)).sum() / 200
        for r in kept
    ]
    assert after.labels[0] == ("male",) and after.mean[0] == pytest.approx(np.mean(by_hand))


def test_a_band_is_the_middle_of_the_releases() -> None:
    """Of 0, 0.1, ..., 1 the middle 80% are 0.1 to 0.9; releases without records do not count, and
    where there are no others nothing is known."""
    steps = np.linspace(0, 1, 11)
    full = metrics.Scores(steps, steps / 2, np.zeros((11, 1), dtype=bool))
    holes = metrics.Scores(np.r_[0.4, 0.6, np.full(9, np.nan)], steps, full.predicted)
    none = metrics.Scores(np.full(11, np.nan), steps, full.predicted)
    mean, low, high = metrics.band([full, holes, none], "accuracy")
    assert mean[:2] == pytest.approx([0.5, 0.5]) and math.isnan(mean[2])
    assert low[:2] == pytest.approx([0.1, 0.42]) and math.isnan(low[2])
    assert high[:2] == pytest.approx([0.9, 0.58]) and math.isnan(high[2])
    assert np.ravel(metrics.band([full], "balanced")) == pytest.approx([0.25, 0.05, 0.45])


def test_tasks_are_told_apart_by_what_they_ask() -> None:
    """So that what was trained for one is never taken for another."""
    assert metrics.Task(DOMAIN, ("HOME",), "RICH") == TASK
    assert hash(metrics.Task(DOMAIN, ("HOME",), "RICH")) == hash(TASK)
    assert metrics.Task(DOMAIN, ("SEX",), "RICH") != TASK
    assert metrics.Task(DOMAIN, ("HOME",), "SEX") != TASK


def test_patterns_and_classes_of_a_task() -> None:
    """Cells of HOME × SEX × RICH: the pattern of (SEX, HOME) counts SEX first."""
    both = metrics.Task(DOMAIN, ("SEX", "HOME"), "RICH")
    assert both.pattern.tolist() == [0, 0, 2, 2, 1, 1, 3, 3]
    assert both.klass.tolist() == [0, 1] * 4 and both.class_labels == ("poor", "rich")
    assert both.design.tolist() == [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]]
    assert both.by_class(TOY.counts).tolist() == [[[10, 90], [80, 20], [30, 60], [50, 10]]]


def test_bad_tasks_are_refused_in_a_sentence() -> None:
    with pytest.raises(sdc.InputError, match="not counted by"):
        metrics.Task(DOMAIN, ("AGE",), "RICH")
    with pytest.raises(sdc.InputError, match="at least one"):
        metrics.Task(DOMAIN, (), "RICH")
    with pytest.raises(sdc.InputError, match="other than the target"):
        metrics.Task(DOMAIN, ("RICH",), "RICH")
    wide = dataclasses.replace(RICH, values=("0", "1", "2"), labels=("a", "b", "c"))
    with pytest.raises(sdc.InputError, match="two values"):
        metrics.Task(Domain((HOME, wide)), ("HOME",), "RICH")


def test_the_forests_bootstrap_is_one_of_records() -> None:
    """Every tree's weights add up to the number of records, and no absent pattern gets any."""
    seen = []

    class Spy(np.random.Generator):
        def multinomial(self, n, p, *rest):  # type: ignore[no-untyped-def, override]
            drawn = super().multinomial(n, p, *rest)
            seen.append((int(drawn.sum()), bool((drawn[np.asarray(p) == 0] == 0).all())))
            return drawn

    people = TASK.by_class(TOY.counts)
    FOREST.predict(TASK.design, people, [Spy(np.random.PCG64(1))])
    assert seen == [(350, True)] * TREES


def test_how_much_more_often_large_groups_are_wrong() -> None:
    before = metrics.GroupErrors(
        (("White", "male"), ("Black", "female"), ("Asian", "male")), np.array([500, 100, 99]),
        np.array([[0.2, 0.3, 0.0]]))
    after = dataclasses.replace(before, wrong=np.array([[0.22, 0.4, 1.0], [0.22, 0.44, 1.0]]))
    white, black = metrics.group_shifts(before, after)  # 99 are too few
    assert (black.labels, black.people) == (("Black", "female"), 100)
    assert (black.wrong, black.before) == pytest.approx((0.42, 0.3))
    assert black.more == pytest.approx((0.12, 0.04 / math.sqrt(2) / math.sqrt(2), 2))
    assert white.more == pytest.approx((0.02, 0.0, 2))
    nothing = dataclasses.replace(before, wrong=np.zeros((0, 3)))
    assert metrics.group_shifts(before, nothing) == []


def test_means_and_their_errors() -> None:
    """Against numpy; releases that taught nothing do not count, and pairs go by release."""
    runs = np.array([0.7, 0.8, math.nan, 0.72, 0.5])
    known = runs[[0, 1, 3, 4]]
    assert metrics.mean_of(runs) == pytest.approx((known.mean(), known.std(ddof=1) / 2, 4))
    assert metrics.mean_of(np.full(7, 0.1)) == (pytest.approx(0.1), 0.0, 7)
    assert metrics.mean_of(runs[:1]) == (0.7, math.inf, 1)
    none = metrics.mean_of(runs[2:3])
    assert math.isnan(none.mean) and none[1:] == (math.inf, 0)
    other = np.array([0.6, math.nan, 0.9, 0.7])  # fewer releases, one without records
    assert metrics.paired(runs, other) == pytest.approx((0.06, 0.08 / math.sqrt(2) ** 2, 2))


def test_the_error_of_a_rate_in_a_small_group_is_never_zero() -> None:
    """9 of 30 wrong: 10 of 32, so √(10/32 · 22/32 / 32); 0 of 30: √(1/32 · 31/32 / 32)."""
    found = metrics.GroupErrors((("a",), ("b",)), np.array([30, 30]), np.array([[0.3, 0.0]]))
    assert found.chance == pytest.approx([math.sqrt(220 / 32**3), math.sqrt(31 / 32**3)])


def test_the_test_on_unseen_people_has_an_error(twin: Histogram, what: metrics.Task) -> None:
    """Over 60 splits, the flattery scatters no more than its standard error says."""
    found = [metrics.truth_and_guessing(twin, what, LOGISTIC, seed) for seed in range(60)]
    lost = np.array([f.truth.accuracy[0] - f.unseen for f in found])
    said = np.array([f.unseen_se for f in found])
    assert 0 < np.std(lost, ddof=1) < 1.2 * said.mean()
    assert metrics.truth_and_guessing(TOY, TASK, LOGISTIC).unseen_se == 0  # all folds agree


def test_the_papers_finding_on_the_real_data(real_data) -> None:  # type: ignore[no-untyped-def]
    """P0 Figure 4 (MA, k = 6, 25%): with empty groups treated like any other, Laplace at ε of 1 and
    more is ahead of DP suppression and close to the baseline; DP suppression hangs little on ε. DP
    swapping of race and sex is behind Laplace, too, as long as a donor must differ: where it may be
    alike, most swaps change nothing and the model learns as from the truth."""
    table = real_data("ma2019").histogram(FEATURES)
    what = metrics.Task(table.domain, PREDICTORS, "INCOME_50K")
    against = metrics.truth_and_guessing(table, what, LOGISTIC)
    assert against.guessing == pytest.approx(4636 / 7634)
    found = {}
    alike = "dp-swapping, donor may be alike"
    for name in ("laplace", "dp-suppression", "dp-swapping", alike):
        for epsilon in (0.5, 1.0, 2.0, 4.0):
            free = {"require_different": False} if name == alike else {}
            one = sdc.mechanism(name.split(",")[0], epsilon=epsilon, **free)
            rows = sdc.released_people(one, table, 100)
            found[name, epsilon] = metrics.Trained(
                one, metrics.scores(table, what, rows, LOGISTIC))
    base = float(against.truth.accuracy[0])
    for epsilon in (1.0, 2.0, 4.0):
        noise, hiding = found["laplace", epsilon], found["dp-suppression", epsilon]
        lead = metrics.paired(noise.scores.accuracy, hiding.scores.accuracy)
        assert lead.mean > max(0.003, 4 * lead.se)
        assert noise.balanced > hiding.balanced + 0.015
        assert abs(noise.accuracy - base) < 0.004
        assert noise.accuracy > found["dp-swapping", epsilon].accuracy + 0.004
        assert abs(found[alike, epsilon].accuracy - base) < 0.004
    hidden = [found["dp-suppression", e].accuracy for e in (0.5, 1.0, 2.0, 4.0)]
    assert max(hidden) - min(hidden) < 0.01


@pytest.mark.parametrize("number", [1, 2, 3, 6, 11, 20, 100])
def test_the_middle_is_what_numpy_finds(number: int) -> None:
    """To the last digit, ties and all."""
    rng = np.random.default_rng(number)
    runs = rng.random((number, 9))
    runs[rng.random(runs.shape) < 0.3] = 0.5
    expected = np.quantile(runs, [0.1, 0.9], axis=0)
    np.testing.assert_array_equal(metrics.middle(runs), expected)

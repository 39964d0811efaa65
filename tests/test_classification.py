"""Prediction: toys by hand, scikit-learn on expanded records, perfect and shuffled copies."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import plotly.graph_objects as go
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.preprocessing import OneHotEncoder

import sdc_core as sdc
from sdc_core.figures import classification as figures
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics import classification as metrics
from sdc_core.metrics.classifiers import MODELS, TREES, Model, logistic_regression
from sdc_core.narrative import classification as words
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
TASK = metrics.task(DOMAIN, ("HOME",), "RICH")


def test_a_toy_by_hand() -> None:
    """From the home alone: owners 40 poor, 150 rich; renters 130 poor, 30 rich. The model says
    rich for owners: right for 150 + 130 of 350. Recalls: 130/170 of the poor, 150/180 of the rich.
    It is wrong about 10 + 20 of 200 men and 30 + 10 of 150 women."""
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    assert yard.baseline.accuracy[0] == pytest.approx(280 / 350)
    assert yard.baseline.balanced[0] == pytest.approx((130 / 170 + 150 / 180) / 2)
    assert yard.majority == pytest.approx(180 / 350) and yard.majority_label == "rich"
    assert yard.unseen == pytest.approx(280 / 350)  # no fold is so lopsided that it turns
    errors = metrics.errors_by_group(TOY, TASK, yard.baseline.predicted, ["SEX"])
    assert errors.labels == (("male",), ("female",)) and errors.people.tolist() == [200, 150]
    assert errors.wrong[0] == pytest.approx([30 / 200, 40 / 150])
    everybody = metrics.errors_by_group(TOY, TASK, yard.baseline.predicted, [])
    assert everybody.wrong == pytest.approx(np.array([[70 / 350]]))


@pytest.fixture(scope="module")
def twin() -> Histogram:
    return sdc.load_dataset("ma2019-twin").histogram(FEATURES)


@pytest.fixture(scope="module")
def what(twin: Histogram) -> metrics.Task:
    return metrics.task(twin.domain, PREDICTORS, "INCOME_50K")


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
    yard = metrics.yardsticks(twin, what, model)
    copy = metrics.scores(twin, what, twin.counts[None, :], model)
    assert copy.accuracy == pytest.approx(yard.baseline.accuracy)
    assert yard.baseline.accuracy[0] > yard.majority + 0.05
    assert yard.unseen <= yard.baseline.accuracy[0] + 0.01
    best = what.by_class(twin.counts)[0].max(axis=1).sum() / twin.total
    assert yard.baseline.accuracy[0] <= best


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


def test_separable_and_huge_counts_converge() -> None:
    design = np.eye(2)
    for scale in (1.0, 1e3, 1e6):
        people = scale * np.array([[[5.0, 0.0], [0.0, 7.0]]])
        assert logistic_regression(design, people, []).tolist() == [[False, True]]


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
    first, second = words.release_notes([trained])
    assert "1 of 3 releases" in first and "no records" in first
    assert "always says that class" in second


def test_nothing_but_empty_releases_is_said() -> None:
    found = metrics.scores(TOY, TASK, np.zeros((2, 8), dtype=np.int64), LOGISTIC)
    trained = [metrics.Trained(sdc.mechanism("laplace"), found)]
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    assert "nothing can be learnt" in words.prediction_sentences(trained, yard, [None])[0]
    assert "unknown" in figures.summary_bars(trained, yard, "words")
    curve = metrics.ScoreCurve(trained[0].mechanism, (1.0, 2.0), (found, found), 1.0)
    assert all(math.isnan(v) for v in curve.band("accuracy")[0])


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("empty", [(0,), (1, 2), (0, 1, 2, 3)])
def test_empty_releases_count_for_no_group(model: Model, empty: tuple[int, ...]) -> None:
    """Errors by group are those of the releases with people in them alone, as accuracy is."""
    released = sdc.released_people(sdc.mechanism("laplace", epsilon=0.05), TOY, 4)
    released[list(empty)] = 0
    kept = [r for r in range(4) if r not in empty]
    yard = metrics.yardsticks(TOY, TASK, model)
    found = metrics.scores(TOY, TASK, released, model)
    trained = [metrics.Trained(sdc.mechanism("laplace"), found)]
    before, (after,), (shift,) = metrics.group_shifts(TOY, TASK, yard, trained, ["SEX"])
    assert len(after.wrong) == len(kept)
    table = figures.group_table(before, [after], trained)
    chart = figures.group_errors(before, [after], trained)
    assert len(go.Figure(chart.to_dict()).data) == 1 + bool(kept)
    said = words.group_sentence(before, [shift], trained)
    if not kept:
        assert shift is None and "Hurt most" not in said
        assert table.iloc[:, -1].isna().all()
        return
    everybody = after.mean @ after.people / TOY.total
    assert everybody == pytest.approx(1 - trained[0].accuracy)
    by_hand = []
    for r in kept:
        guess = found.predicted[r][TASK.pattern]
        men = np.unravel_index(np.arange(8), DOMAIN.shape)[1] == 0
        by_hand.append((TOY.counts * men * (guess != TASK.klass)).sum() / 200)
    assert after.mean[0] == pytest.approx(np.mean(by_hand))
    assert table.iloc[:, -1].to_numpy() == pytest.approx(after.mean)


def test_methods_that_cost_the_same_are_not_ranked() -> None:
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    names = ("suppression", "laplace", "geometric")
    level = [metrics.Trained(sdc.mechanism(n), yard.baseline) for n in names]
    _, more = words.prediction_sentences(level, yard, [None] * 3)
    assert "costs least" not in more and "most" not in more
    assert "Suppression k=6, Laplace ε=1 and Geometric ε=1 cost the same" in more
    assert "(80.0% right)" in more
    worse = dataclasses.replace(yard.baseline, accuracy=yard.baseline.accuracy - 0.01)
    apart = [*level[:2], metrics.Trained(sdc.mechanism("geometric"), worse)]
    _, more = words.prediction_sentences(apart, yard, [None] * 3)
    assert "and Geometric ε=1 most (79.0%)" in more


def test_bad_tasks_are_refused_in_a_sentence() -> None:
    with pytest.raises(sdc.InputError, match="not counted by"):
        metrics.task(DOMAIN, ("AGE",), "RICH")
    with pytest.raises(sdc.InputError, match="at least one"):
        metrics.task(DOMAIN, (), "RICH")
    with pytest.raises(sdc.InputError, match="other than the target"):
        metrics.task(DOMAIN, ("RICH",), "RICH")
    wide = dataclasses.replace(RICH, values=("0", "1", "2"), labels=("a", "b", "c"))
    with pytest.raises(sdc.InputError, match="two values"):
        metrics.task(Domain((HOME, wide)), ("HOME",), "RICH")


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


def test_groups_that_are_hurt_are_found() -> None:
    before = metrics.GroupErrors(
        (("White", "male"), ("Black", "female"), ("Asian", "male")), np.array([500, 140, 90]),
        np.array([[0.2, 0.3, 0.0]]))
    after = dataclasses.replace(before, wrong=np.array([[0.22, 0.4, 1.0], [0.22, 0.44, 1.0]]))
    shift = metrics.worst_shift(before, after)
    assert shift is not None and shift.labels == ("Black", "female")  # 90 are too few
    assert shift.wrong == pytest.approx(0.42) and shift.before == pytest.approx(0.3)
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    trained = [metrics.Trained(sdc.mechanism("laplace"), yard.baseline)]
    headline, _ = words.prediction_sentences(trained, yard, [shift])
    assert "right for 80.0% of people, against 80.0%" in headline
    assert "51.4% by always saying “rich”" in headline
    assert ("for Black women (140 people) it is wrong 12 points more often (42.0% instead of "
            "30.0%)") in headline
    other, _ = words.prediction_sentences(
        trained, yard, [dataclasses.replace(shift, labels=("renting",))])
    assert "for people listed as “renting” (140 people) it is wrong" in other


def test_figures_are_valid_and_carry_the_numbers(twin: Histogram, what: metrics.Task) -> None:
    methods = [sdc.mechanism("laplace"), sdc.mechanism("suppression")]
    param = next(p for p in methods[0].params() if p.name == "epsilon")
    yard = metrics.yardsticks(twin, what, LOGISTIC)
    trained = [
        metrics.Trained(m, metrics.scores(twin, what, sdc.released_people(m, twin, 4), LOGISTIC))
        for m in methods
    ]
    curves = [
        metrics.ScoreCurve(t.mechanism, (0.5, 1.0), (t.scores, t.scores), here)
        for t, here in zip(trained, (1.0, None), strict=True)
    ]
    charts = figures.accuracy_lines(param, curves, yard, [True, True])
    assert len(charts) == 2
    for chart in charts:
        assert len(go.Figure(chart.to_dict()).data) == len(chart.data)
    lines = [t for t in charts[0].data if "lines" in t["mode"] and t["fill"] is None]
    assert lines[0]["y"] == pytest.approx([trained[0].accuracy] * 2)
    levels = [s["y0"] for s in charts[0].layout.shapes]
    assert levels == pytest.approx([yard.baseline.accuracy[0], yard.majority])
    before, after, shifts = metrics.group_shifts(twin, what, yard, trained, ["RAC1P", "SEX"])
    groups = figures.group_errors(before, after, trained)
    assert len(go.Figure(groups.to_dict()).data) == 3
    assert len(figures.group_table(before, after, trained)) == len(before.people)
    assert len(figures.sweep_table(param, curves)) == 4
    assert len(figures.score_table(trained, yard)) == 5
    assert words.group_sentence(before, shifts, trained).startswith("Even trained on the truth")
    for few in (True, False):
        values = metrics.sweep_points(param, few)
        assert list(values) == sorted(values)
    assert metrics.sweep_points(param, True) == (0.5, 1.0, 2.0, 4.0)


def test_words_for_a_level_line_stay_clear_of_the_bands() -> None:
    """Releases at small ε scatter from 40% to 90% and agree on 80% at large ε: what always saying
    the same gives (51%) is written at the right end; turned round, at the left."""
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    wide, narrow = (
        dataclasses.replace(yard.baseline, accuracy=np.array(runs), balanced=np.array(runs))
        for runs in ([0.4, 0.9] * 5, [0.8] * 10)
    )
    laplace = sdc.mechanism("laplace")
    param = next(p for p in laplace.params() if p.name == "epsilon")
    low, high = param.range
    values = tuple(np.geomspace(low, high, 9).tolist())
    for scores, side in (((wide,) * 4 + (narrow,) * 5, 1), ((narrow,) * 5 + (wide,) * 4, 0)):
        curves = [metrics.ScoreCurve(laplace, values, scores, 1.0)]
        chart = figures.accuracy_lines(param, curves, yard, [True])[0]
        (note,) = [a for a in chart.layout.annotations if a.text.startswith("always")]
        assert note.x == side and note.xanchor == ("right" if side else "left")


def test_the_legend_of_few_groups_is_not_below_the_axis() -> None:
    before = metrics.GroupErrors((("owning",), ("renting",)), np.array([500, 140]),
                                 np.array([[0.2, 0.3]]))
    yard = metrics.yardsticks(TOY, TASK, LOGISTIC)
    trained = [metrics.Trained(sdc.mechanism("laplace"), yard.baseline)]
    legend = figures.group_errors(before, [before], trained).layout.legend
    assert legend.y >= 1 and legend.yanchor == "bottom"


def test_the_papers_finding_on_the_real_data(real_data) -> None:  # type: ignore[no-untyped-def]
    """P0 Figure 4 (MA, k = 6, 25%): at ε of 1 and more Laplace is ahead of DP suppression and
    close to the baseline; DP suppression hangs little on ε. Unlike P0, DP swapping of race and sex
    is not behind Laplace: it leaves the other features in place."""
    table = real_data("ma2019").histogram(FEATURES)
    what = metrics.task(table.domain, PREDICTORS, "INCOME_50K")
    yard = metrics.yardsticks(table, what, LOGISTIC)
    assert yard.majority == pytest.approx(4636 / 7634)
    found = {}
    for name in ("laplace", "dp-suppression", "dp-swapping"):
        for epsilon in (0.5, 1.0, 2.0, 4.0):
            one = sdc.mechanism(name, epsilon=epsilon)
            rows = sdc.released_people(one, table, 20)
            found[name, epsilon] = metrics.Trained(
                one, metrics.scores(table, what, rows, LOGISTIC))
    base = float(yard.baseline.accuracy[0])
    for epsilon in (1.0, 2.0, 4.0):
        noise, hiding = found["laplace", epsilon], found["dp-suppression", epsilon]
        assert noise.accuracy > hiding.accuracy + 0.004
        assert noise.balanced > hiding.balanced + 0.015
        assert abs(noise.accuracy - base) < 0.004
        assert abs(found["dp-swapping", epsilon].accuracy - base) < 0.004
    hidden = [found["dp-suppression", e].accuracy for e in (0.5, 1.0, 2.0, 4.0)]
    assert max(hidden) - min(hidden) < 0.01
    said = words.papers_sentence([found[n, 1.0] for n in ("laplace", "dp-suppression")], yard)
    assert "Here Laplace ε=1 is 0.6 points ahead of DP suppression ε=1 k=6" in said

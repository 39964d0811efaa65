"""One logistic regression: closed forms, scikit-learn on patterns and on records, hard cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sdc_core.metrics import in_parts
from sdc_core.metrics.logistic import Floats, chances, fitted, log_odds

# three patterns: a yes-or-no, and a number
DESIGN = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, 0.5], [1.0, 0.0, 0.9], [0.0, 1.0, 0.0]])
DATA_SETS = np.array([
    [[12, 3], [4, 9], [1, 30], [8, 8]],
    [[0, 5], [7, 0], [0, 2], [9, 0]],  # separable
    [[1, 0], [0, 1], [0, 0], [0, 0]],  # two people
    [[90_000, 1], [5, 40_000], [7, 3], [60_000, 60_001]],
], dtype=np.float64)


def test_without_inputs_the_constant_is_the_log_odds() -> None:
    """A column that is the same for all takes no weight: the constant has no penalty."""
    people = np.array([[[30.0, 10.0]], [[2.0, 8.0]]])
    weights = fitted(np.zeros((1, 1)), people)
    assert weights == pytest.approx(np.array([[0, np.log(10 / 30)], [0, np.log(4)]]))


def test_the_slope_of_the_penalised_loss_is_zero() -> None:
    """What a minimum is, written down anew: observed minus expected equals the weight, and nothing
    is left for the constant."""
    weights = fitted(DESIGN, DATA_SETS)
    assert weights.shape == (4, 4)
    for found, people in zip(weights, DATA_SETS, strict=True):
        expected = people.sum(axis=1) * expit(DESIGN @ found[:-1] + found[-1])
        surplus = people[:, 1] - expected
        assert DESIGN.T @ surplus == pytest.approx(found[:-1], abs=1e-4)
        assert surplus.sum() == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("people", DATA_SETS, ids=["usual", "separable", "two", "many"])
def test_it_is_scikit_learns_on_the_same_patterns(people: Floats) -> None:
    rows, classes, weights = np.r_[DESIGN, DESIGN], np.repeat([0, 1], 4), people.T.ravel()
    there = weights > 0
    model = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000)
    model.fit(rows[there], classes[there], weights[there])
    found = fitted(DESIGN, people[None])
    assert found[0] == pytest.approx(np.r_[model.coef_[0], model.intercept_], abs=1e-5)
    assert log_odds(DESIGN, found)[0] == pytest.approx(model.decision_function(DESIGN), abs=1e-5)
    assert chances(log_odds(DESIGN, found))[0] == pytest.approx(
        model.predict_proba(DESIGN)[:, 1], abs=1e-6)


def test_it_is_scikit_learns_on_single_records() -> None:
    people = DATA_SETS[0].astype(int)
    rows = np.repeat(np.r_[DESIGN, DESIGN], people.T.ravel(), axis=0)
    classes = np.repeat([0, 1], people.sum(axis=0))
    model = LogisticRegression(tol=1e-10, max_iter=5000).fit(rows, classes)
    assert fitted(DESIGN, DATA_SETS[:1])[0] == pytest.approx(
        np.r_[model.coef_[0], model.intercept_], abs=1e-4)


def test_every_data_set_has_the_fit_it_would_have_alone() -> None:
    together = fitted(DESIGN, DATA_SETS)
    for r in range(len(DATA_SETS)):
        assert fitted(DESIGN, DATA_SETS[r : r + 1])[0] == pytest.approx(together[r], abs=1e-5)


def test_a_step_that_overshoots_is_shortened() -> None:
    """Full Newton steps from zero run away on these people; the minimum is found all the same."""
    design = np.array([[6.0, -9.0], [-9.0, 5.0], [1.0, 9.0], [-3.0, 2.0]])
    people = np.array([[0.0, 10.0], [1.0, 0.0], [240.0, 0.0], [0.0, 223.0]])
    (found,) = fitted(design, people[None])
    surplus = people[:, 1] - people.sum(axis=1) * expit(design @ found[:-1] + found[-1])
    assert design.T @ surplus == pytest.approx(found[:-1], abs=1e-4)
    assert surplus.sum() == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_separable_and_huge_counts_converge(scale: float) -> None:
    odds = log_odds(np.eye(2), fitted(np.eye(2), scale * np.array([[[5.0, 0.0], [0.0, 7.0]]])))
    assert odds[0, 0] < 0 < odds[0, 1]


def test_chances_of_any_odds() -> None:
    odds = np.array([-2000.0, -3.0, 0.0, 3.0, 2000.0])
    assert chances(odds) == pytest.approx(expit(odds), abs=1e-200)


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_many_data_sets_are_fitted_as_each_alone(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On as many cores as there are, with patterns that only some of them have, and twice: the
    second time what belongs to the design is known."""
    monkeypatch.setattr(in_parts, "_CORES", cores)
    rng = np.random.default_rng(5)
    people = rng.poisson(rng.gamma(0.5, 20, (130, 4, 2))).astype(np.float64) + [[1, 1]] * 4
    people[:, 2] *= rng.random((130, 1)) < 0.5
    for design in (DESIGN, DESIGN[:, ::-1].copy(), DESIGN):
        alone = np.concatenate([fitted(design, one[None]) for one in people])
        assert fitted(design, people) == pytest.approx(alone, abs=1e-5)

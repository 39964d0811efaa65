"""A tree on patterns with weights is the one that scikit-learn's class grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from sdc_core.metrics import in_parts
from sdc_core.metrics.trees import with_tree, with_trees

SHAPE = (5, 9, 2, 3, 2)
INPUTS = np.stack(np.unravel_index(np.arange(540), SHAPE), axis=1).astype(np.float32)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("ours", "theirs"), [
    ({}, {}),
    ({"depth": 4}, {"max_depth": 4}),
    ({"depth": 12, "leaf": 0.003}, {"max_depth": 12, "min_weight_fraction_leaf": 0.003}),
    ({"few_features": True}, {"max_features": "sqrt"}),
])
def test_it_is_scikit_learns_tree(ours: dict[str, Any], theirs: dict[str, Any], seed: int) -> None:
    """To the last digit: which of equally good questions comes first is by the seed, too."""
    rng = np.random.default_rng(seed)
    people = rng.poisson(rng.gamma(0.5, 4, (2, 540))).astype(np.float64)
    weights = people.ravel()
    there = weights > 0
    model = DecisionTreeClassifier(random_state=seed, **theirs).fit(
        np.r_[INPUTS, INPUTS][there], np.repeat([0, 1], 540)[there], weights[there])
    expected = model.predict_proba(INPUTS)[:, 1]
    assert len(set(expected)) > 5
    np.testing.assert_array_equal(with_tree(INPUTS, people, seed=seed, **ours), expected)


@pytest.mark.parametrize("only", [0, 1])
def test_one_class_alone_is_certain(only: int) -> None:
    people = np.zeros((2, 540))
    people[only, :7] = 3
    assert with_tree(INPUTS, people).tolist() == [float(only)] * 540


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
@pytest.mark.parametrize("number", [1, 7, 8, 13])
def test_many_trees_are_those_grown_one_by_one(
    cores: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of cores: in their order, and each with its own leaf."""
    monkeypatch.setattr(in_parts, "_CORES", cores)
    rng = np.random.default_rng(number)
    people = rng.poisson(rng.gamma(0.5, 4, (number, 2, 540))).astype(np.float64)
    leaves = rng.uniform(0.001, 0.1, number).tolist()
    expected = [with_tree(INPUTS, one, 6, leaf) for one, leaf in zip(people, leaves, strict=True)]
    np.testing.assert_array_equal(with_trees(INPUTS, people, 6, leaves), expected)


def test_work_in_parts_keeps_its_order_and_its_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_parts, "_CORES", 3)
    every = list(range(100, 110))
    parts = in_parts.in_parts(lambda some: every[some], len(every), 3)
    assert len(parts) == 3 and [one for part in parts for one in part] == every
    assert in_parts.in_parts(lambda some: every[some], len(every), 6) == [every]
    with pytest.raises(ZeroDivisionError):
        in_parts.in_parts(lambda some: 1 // (len(every) - some.stop), len(every), 3)

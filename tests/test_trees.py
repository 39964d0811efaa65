"""A tree on patterns with weights is the one that scikit-learn's class grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from sdc_core.metrics.trees import with_tree

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

"""Prediction: how often is a random forest wrong that learnt from released records?

It learns from the release and is tried on original records that were kept out of it (P4 §9.5). P4
names no settings: on its census file scikit-learn's defaults give .682 and a smallest leaf of 5
gives .630, beside the printed .628; `LEAF` is that, and a page says so. P4 keeps 1,000 records out;
where there are too few for that (Pima's 768 rows), a fifth is kept out here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, Ints, records
from sdc_core.metrics.over_releases import OverReleases

LEAF = 5
TREES = 100
KEPT_OUT = 1000


def forest_error(
    learnt: ArrayLike, classes: ArrayLike, tried: ArrayLike, truth: ArrayLike, leaf: int = LEAF,
    trees: int = TREES, seed: int = 0,
) -> float:
    """Share of the tried records whose class the forest gets wrong."""
    from sklearn.ensemble import RandomForestClassifier  # heavy, so only when it is needed

    inputs, new = records(learnt, "the release"), records(tried, "the records kept out", least=1)
    target, right = np.asarray(classes).ravel(), np.asarray(truth).ravel()
    if len(target) != len(inputs) or len(right) != len(new):
        raise InputError("Every record needs one class; there are more of the one than the other.")
    if inputs.shape[1] != new.shape[1]:
        raise InputError("The forest learns from other variables than it is tried on.")
    if len(np.unique(target)) < 2:
        raise InputError("All records are of one class, so there is nothing to predict.")
    forest = RandomForestClassifier(trees, min_samples_leaf=leaf, random_state=seed)
    return float((forest.fit(inputs, target).predict(new) != right).mean())


def kept_out(rows: int, seed: int, wanted: int = KEPT_OUT) -> tuple[Ints, Ints]:
    """Which records are learnt from and which are kept out: `wanted` of them, or a fifth where
    that would be more than half."""
    if rows < 10:
        raise InputError(f"{rows} records are too few to keep some out; a forest needs 10.")
    size = wanted if wanted <= rows // 2 else rows // 5
    order = np.random.default_rng(seed).permutation(rows)
    return np.sort(order[size:]), np.sort(order[:size])


def forest_errors(
    inputs: Floats, classes: ArrayLike, protect: Callable[[Ints, int], tuple[Floats, ArrayLike]],
    repetitions: int = 25, leaf: int = LEAF, trees: int = TREES,
) -> OverReleases:
    """The error over splits: `protect(rows, repetition)` gives the released inputs and classes of
    the rows that are learnt from."""
    target = np.asarray(classes).ravel()
    found = []
    for repetition in range(repetitions):
        rows, out = kept_out(len(inputs), repetition)
        released, released_classes = protect(rows, repetition)
        found.append(forest_error(
            released, released_classes, inputs[out], target[out], leaf, trees, repetition))
    return OverReleases(np.array(found))

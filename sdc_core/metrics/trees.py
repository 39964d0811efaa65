"""One decision tree on patterns with weights, grown by scikit-learn's own builder.

It is the tree that scikit-learn's `DecisionTreeClassifier` grows (see the tests). On a few hundred
patterns that class spends most of its time on checking what it is given, and a moved slider asks
for a hundred trees; so the builder behind it is called as `DecisionTreeClassifier.fit` calls it.
That is not a public interface, which is why the version of scikit-learn is pinned.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdc_core.metrics.in_parts import in_parts

Floats = NDArray[np.float64]
Inputs = NDArray[np.float32]

NO_LIMIT = np.iinfo(np.int32).max  # of depth
_CLASSES = np.array([2])


class _Draw(NamedTuple):
    """All that a tree asks of its random state: one number, when it starts."""

    number: int

    def randint(self, low: int, high: int) -> int:
        return self.number


@functools.lru_cache(maxsize=32)
def _first_draw(seed: int) -> int:
    """Making a random state is a sixth of a small tree's time, and most trees have one seed."""
    from sklearn.utils import check_random_state

    return int(check_random_state(seed).randint(0, np.iinfo(np.int32).max))


def with_tree(
    inputs: Inputs, people: Floats, depth: int = NO_LIMIT, leaf: float = 0.0,
    few_features: bool = False, seed: int = 0,
) -> Floats:
    """The chance of class 1 for each pattern, by a tree fitted to `people` (classes, patterns): no
    more than `depth` questions, no leaf with less than the share `leaf` of all people. With
    `few_features` each question chooses among the square root of all, as a forest's do."""
    from sklearn.tree._criterion import Gini  # takes a second: not at every start
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    kind, pattern = np.nonzero(people)
    weights, features = people[kind, pattern], inputs.shape[1]
    smallest = leaf * weights.sum()
    tried = max(1, math.isqrt(features)) if few_features else features
    tree = Tree(features, _CLASSES, 1)
    splitter = BestSplitter(
        Gini(1, _CLASSES), tried, 1, smallest, _Draw(_first_draw(seed)), None)
    DepthFirstTreeBuilder(splitter, 2, 1, smallest, depth, 0.0).build(
        tree, inputs[pattern], kind[:, None].astype(np.float64), weights)
    return np.asarray(tree.predict(inputs)[:, 1])


_WORTH_A_THREAD = 4  # trees


def with_trees(inputs: Inputs, people: Floats, depth: int, leaves: Sequence[float]) -> Floats:
    """The same for each of these data sets (data sets, classes, patterns), with a leaf of its own.
    The builder lets go of Python's lock."""

    def grown(some: slice) -> Floats:
        return np.stack([
            with_tree(inputs, one, depth, leaf)
            for one, leaf in zip(people[some], leaves[some], strict=True)
        ])

    return np.concatenate(in_parts(grown, len(people), _WORTH_A_THREAD))

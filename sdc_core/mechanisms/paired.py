"""Mutual exchange between closest records (P1 Alg 3), on patterns with multiplicities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdc_core.mechanisms.moves import Patterns


def exchange_pairs(
    patterns: Patterns, share: float, require_different: bool, rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many records of each pattern end with which quasi-identifiers: ⌊share·m/2⌋ times, a
    random record that has not been swapped yet and the closest other one exchange theirs; ties are
    broken at random.

    Records of one pattern are alike, so only how many of each are left is kept.
    """
    left = patterns.sizes.astype(np.int64).copy()
    columns = patterns.columns
    released = np.zeros((len(left), patterns.n_q), dtype=np.int64)
    for _ in range(math.floor(share * left.sum() / 2 + 1e-9)):  # 0.29·200/2 is 29, not 28
        if left.sum() < 2:
            break
        one = _pick(left, rng)
        left[one] -= 1
        open_to = left > 0
        if require_different:
            open_to = open_to & (columns != columns[one])
        if not open_to.any():
            released[one, columns[one]] += 1
            continue
        distance = np.where(open_to, patterns.distances[one], np.inf)
        other = _pick(np.where(distance == distance.min(), left, 0), rng)
        left[other] -= 1
        released[one, columns[other]] += 1
        released[other, columns[one]] += 1
    released[np.arange(len(left)), columns] += left
    return released


def _pick(weights: NDArray[np.int64], rng: np.random.Generator) -> int:
    running = np.cumsum(weights)
    return int(np.searchsorted(running, rng.random() * running[-1], side="right"))

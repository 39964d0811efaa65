"""Random derangements: permutations that leave nothing in its place.

Two ways to draw the same law, both by drawing a permutation and trying again until nobody stays:
one goes record by record, the other only asks how many records of each kind receive from each kind,
so that its cost depends on the kinds and not on the records. A permutation is a derangement with
probability about 1/e, so about e = 2.7 tries are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError

Ints = NDArray[np.int64]

_TERMS = 24  # of an alternating series below 1/j!: the rest is under 1e-23


def uniform_derangement(n: int, rng: np.random.Generator) -> Ints:
    """Who receives from whom, if nobody may keep their own? Position i receives from result[i].

    Uniform over all derangements of n; there is none of one.
    """
    if n == 1:
        raise InputError("One record alone cannot change places: n must be 0 or at least 2, got 1.")
    places = np.arange(n)
    while True:
        order = rng.permutation(n)
        if not (order == places).any():
            return order


def deranged_flows(kinds: Ints, rng: np.random.Generator) -> Ints:
    """How many records of kind r receive from kind c, under a uniform derangement of all records?

    `kinds` holds how many records there are of each kind. The flows of a uniform permutation are
    drawn row by row (multivariate hypergeometric). Only the f records of a kind that receive from
    their own kind can have stayed in place, so the flows are accepted with the probability that
    none of them has; accepted flows have exactly the law of a derangement's.
    """
    while True:
        left = kinds.copy()
        flows = np.empty((len(kinds), len(kinds)), dtype=np.int64)
        for row, receivers in enumerate(kinds[:-1]):
            flows[row] = rng.multivariate_hypergeometric(left, receivers, method="marginals")
            left -= flows[row]
        flows[-1] = left
        if rng.random() < nobody_stays(kinds, np.diagonal(flows)).prod():
            return flows


def nobody_stays(size: Ints, within: Ints) -> NDArray[np.float64]:
    """If f of a kind's k records receive from the same kind, how likely is it never from itself?

    Σ_j (-1)^j C(f, j) / (k (k-1) … (k-j+1)), by inclusion and exclusion; D_k / k! where f = k.
    """
    k, f = size.astype(np.float64), within.astype(np.float64)
    term, total = np.ones_like(k), np.ones_like(k)
    for j in range(1, _TERMS):
        term = -term * np.maximum(f - j + 1, 0) / (j * np.maximum(k - j + 1, 1))
        total += term
    return np.clip(total, 0.0, 1.0)


def swap_partners(n: int, rate: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Which of n records are selected, and from which record does each of them receive?

    Each is selected with probability `rate`; if exactly one is, all over again (P3, lines 5 to 13).
    """
    if n < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    while True:
        selected = np.flatnonzero(rng.random(n) < rate)
        if len(selected) != 1:
            return selected, selected[uniform_derangement(len(selected), rng)]

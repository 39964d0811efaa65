"""Permute-and-flip, by groups of candidates with the same score.

Question: which candidate wins when each gets its score plus exponential noise of rate λ and the
largest is taken? (McKenna and Sheldon 2020; used for donors in P0 §5.) Candidates with the same
score win alike, so only the groups' sizes matter, and cost does not grow with the candidates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_ENOUGH = 45.0  # exp(-45) of the mass lies beyond the range of integration


def win_probabilities(scores: Floats, sizes: NDArray[np.int64], rate: float) -> Floats:
    """For each row of group sizes, the probability that the winner comes from each group.

    P(g) = ∫₀¹ c_g a_g (1 - a_g s)^(c_g - 1) Π_{h≠g} (1 - a_h s)^(c_h) ds with
    a_g = e^(λ (q_g - q*)), q* the best score present. The integrand is smooth and falls like
    e^(-s Σ c a), so Gauss-Legendre over the part that matters is exact to rounding. `rate` is λ.
    """
    present = sizes > 0
    if not present.any(axis=1).all():
        raise ValueError("every row needs a candidate")
    best = np.where(present, scores, -np.inf).max(axis=1, keepdims=True)
    a = np.where(present, np.exp(np.minimum(rate * (scores - best), 0.0)), 0.0)
    weight = sizes * a
    reach = np.minimum(1.0, _ENOUGH / weight.sum(axis=1))
    wins = np.zeros(sizes.shape)
    for node, node_weight in zip(_NODES, _WEIGHTS, strict=True):
        s = (reach * (node + 1) / 2)[:, None]
        none_yet = np.exp((sizes * np.log1p(-a * s)).sum(axis=1, keepdims=True))
        wins += node_weight * weight / (1 - a * s) * none_yet
    wins *= (reach / 2)[:, None]
    return wins / wins.sum(axis=1, keepdims=True)

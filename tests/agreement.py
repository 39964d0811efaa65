"""One false-positive budget for all tests of randomised code, and the tests that spend from it.

A run in which every mechanism is right goes red with probability at most BUDGET. Each comparison
gets an equal part of it (Bonferroni), LEVEL = BUDGET / COMPARISONS, and every comparison is counted
as it is made: more than were declared is an error, so the budget cannot be overdrawn unseen.

The critical values come from inequalities that hold at every sample size (Bernstein, Maurer and
Pontil, Agrawal), not from limit theorems, which say little about tails of 1e-10. The one exception
is stated in `variance_agrees`. All functions return whether the data agree; a caller asserts it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

BUDGET = 1e-6
COMPARISONS = 5_000
LEVEL = BUDGET / COMPARISONS
# A two-sided Chernoff bound of size LEVEL: 2 exp(-z²/2) = LEVEL. (6.8; the normal quantile is 6.4.)
Z = math.sqrt(2 * math.log(2 / LEVEL))

_made = 0


def comparisons_made() -> int:
    """How many comparisons this process has counted so far."""
    return _made


def _spend(comparisons: int = 1) -> None:
    global _made
    _made += comparisons
    if _made > COMPARISONS:
        raise RuntimeError(f"More than {COMPARISONS} comparisons: declare more, which widens Z.")


def mean_tolerance(variance: float, reach: float, size: int) -> float:
    """How far the mean of `size` draws may lie from its expectation: z·SE and a small correction.

    Bernstein: z σ/√n + z² reach/(2n). `reach` is the largest possible deviation or, where the tail
    is exponential, a scale with E|X|^j <= j!/2 σ² reach^(j-2); it only matters for rare events.
    Size: at most LEVEL, exactly, for every n.
    """
    return Z * math.sqrt(variance / size) + Z**2 * reach / (2 * size)


def mean_agrees(sample: ArrayLike, mean: float, variance: float, reach: float) -> bool:
    """Two-sided test of the mean of independent draws with known variance. Size: LEVEL."""
    _spend()
    values = np.asarray(sample, dtype=np.float64)
    rounding = 1e-12 * (1 + abs(mean))  # of the sum, where nothing is random
    gap = abs(values.mean() - mean)
    return bool(gap <= mean_tolerance(variance, reach, values.size) + rounding)


def variance_agrees(sample: ArrayLike, mean: float, variance: float, reach: float) -> bool:
    """Two-sided test of the variance of independent draws around their known mean.

    The squares (Y - mean)² are tested for their mean with their own empirical spread: z·SE plus
    7 z² reach²/(6n), with 4 exp(-z²/2) = LEVEL (Maurer and Pontil 2009, Thm 4, on both sides).
    Size: at most LEVEL where the draws stay within `reach` of the mean. For exponential tails it is
    a moderate-deviation approximation: the squares of Laplace noise have skewness 6.6, so at
    n = 100,000 the size may be off by a factor of about exp(6.6 z³/(6√n)) = 3 per comparison.
    """
    _spend()
    squares = (np.asarray(sample, dtype=np.float64) - mean) ** 2
    z = math.sqrt(2 * math.log(4 / LEVEL))
    error = squares.std(ddof=1) / math.sqrt(squares.size)
    tolerance = z * error + 7 * z**2 * reach**2 / (6 * (squares.size - 1))
    return bool(abs(squares.mean() - variance) <= tolerance + 1e-12 * (1 + variance))


def critical_entropy(degrees: int, level: float = LEVEL) -> float:
    """The y at which exp(-y) (e y/d)^d = level: the critical value of n·KL(sample ‖ law).

    Agrawal 2020, 'Finite-sample concentration of the multinomial in relative entropy', Thm I.2,
    with d = bins - 1. It holds for every n and every law; no expected count is too small for it.
    """
    def excess(y: float) -> float:
        return -y + degrees * (1 + math.log(y / degrees)) - math.log(level)

    return float(brentq(excess, degrees, 20 * degrees + 10 * abs(math.log(level))))


def pool_tails(
    probabilities: NDArray[np.float64], size: int, least: float = 20.0
) -> NDArray[np.int64]:
    """A bin number for each point of an ordered law, both tails pooled until `least` are expected.

    Pooling is for power (each bin costs a degree of freedom), not for validity. Points inside the
    tails that expect fewer than `least` join the bin on their left.
    """
    bins = np.zeros(len(probabilities), dtype=np.int64)
    current, held, left = 0, 0.0, 1.0
    for i, p in enumerate(probabilities):
        bins[i] = current
        held, left = held + p, left - p
        if held * size >= least and left * size >= least:
            current, held = current + 1, 0.0
    return bins


def law_agrees(
    sample: ArrayLike, support: Sequence[int] | NDArray[np.integer], probabilities: ArrayLike
) -> bool:
    """G test of a law on consecutive integers, tails pooled. Size: at most LEVEL, for every n.

    The first and last point of the support stand for everything beyond them. The statistic is
    n·KL(observed ‖ law) over the pooled bins, compared with `critical_entropy`.
    """
    _spend()
    points = np.asarray(support)
    law = np.asarray(probabilities, dtype=np.float64)
    law = law / law.sum()
    values = np.asarray(sample)
    if np.any(values != np.rint(values)):
        return False
    positions = np.clip(values.astype(np.int64), points[0], points[-1]) - points[0]
    bins = pool_tails(law, values.size)
    expected = np.bincount(bins, weights=law) * values.size
    observed = np.bincount(bins[positions], minlength=expected.size)
    if expected.size == 1:
        raise ValueError("The law has one bin only: the sample is too small to test anything.")
    return entropy_distance(observed, expected) <= critical_entropy(expected.size - 1)


def entropy_distance(observed: NDArray[np.integer], expected: NDArray[np.float64]) -> float:
    """n·KL(observed ‖ expected) = Σ o ln(o/e), half the G statistic."""
    seen = observed > 0
    return float((observed[seen] * np.log(observed[seen] / expected[seen])).sum())


def same_law(first: ArrayLike, second: ArrayLike, edges: ArrayLike) -> bool:
    """Two-sample G test over bins cut at fixed edges. Size: at most LEVEL, for all sample sizes.

    The statistic, both samples against their mixture, is never larger than both against the true
    law, and the bound of `critical_entropy` adds up over independent samples: twice the degrees.
    """
    _spend()
    cuts = np.asarray(edges)
    counts = [
        np.bincount(np.searchsorted(cuts, np.asarray(s), side="right"), minlength=cuts.size + 1)
        for s in (first, second)
    ]
    share = (counts[0] + counts[1]) / (counts[0].sum() + counts[1].sum())
    distance = sum(entropy_distance(c, share * c.sum()) for c in counts)
    return distance <= critical_entropy(2 * cuts.size)

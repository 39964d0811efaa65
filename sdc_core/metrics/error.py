"""How wrong is a released table, and for whom?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

Floats = NDArray[np.float64]
PEOPLE_FOR_A_HEADLINE = 100  # in a group that a sentence names for what happens to it


def l1_bias(bias: Floats) -> float:
    """‖bias‖₁: by how many people are the counts wrong on average, added over all groups?"""
    return float(np.abs(bias).sum())


def fairness_alpha(bias: Floats) -> float:
    """α = max bias - min bias: how differently are the best and worst treated groups moved?

    Zero means that every group is shifted alike. (P0 Def 1.)
    """
    return float(bias.max() - bias.min())


def max_variance(variance: Floats) -> float:
    """The largest variance of any cell (P0 Table 1)."""
    return float(variance.max())


def l1_bias_of_averages(bias: Floats, variance: Floats, repetitions: int) -> float:
    """What ‖bias‖₁ comes out as when it is estimated from the mean of R repetitions?

    The papers average 200 releases and add up the absolute differences. Averaging leaves noise of
    variance/R in each cell, and an absolute value turns noise into error, so the estimate is too
    large even where the bias is zero. For each cell the mean is close to normal, so the expected
    absolute value is that of a folded normal: σ√(2/π) e^(-μ²/2σ²) + μ (1 - 2Φ(-μ/σ)).
    """
    sigma = np.sqrt(variance / repetitions)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(sigma > 0, np.abs(bias) / sigma, np.inf)
    folded = sigma * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) + np.abs(bias) * (1 - 2 * ndtr(-z))
    return float(folded.sum())


_STEPS = 2001  # of an integral whose integrand is smooth


def fairness_alpha_of_averages(bias: Floats, variance: Floats, repetitions: int) -> float:
    """What α comes out as when it is estimated from the mean of R repetitions?

    Averaging leaves noise of variance/R in each cell, and a range finds the cells in which it is
    largest. For cells that are independent and means that are close to normal, the expected range
    is the integral of 1 - Pr[all below t] - Pr[all above t] over t.
    """
    cells = np.stack([bias, np.sqrt(variance / repetitions)], axis=1)
    (mean, sigma), number = (found := np.unique(cells, axis=0, return_counts=True))[0].T, found[1]
    sigma = np.maximum(sigma, 1e-9 * max(1.0, float(np.ptp(bias))))
    reach = 9 * sigma
    t = np.linspace((mean - reach).min(), (mean + reach).max(), _STEPS)
    z = (t[:, None] - mean) / sigma
    all_below, all_above = np.exp(log_ndtr(z) @ number), np.exp(log_ndtr(-z) @ number)
    return float(np.trapezoid(1 - all_below - all_above, t))


BANDS: tuple[tuple[int, int | None], ...] = (
    (0, 0), (1, 5), (6, 19), (20, 99), (100, None),
)


def band_title(low: int, high: int | None) -> str:
    if high == 0:
        return "empty groups"
    return f"groups of {low} to {high}" if high is not None else f"groups of {low} or more"


@dataclass(frozen=True)
class GroupSize:
    """Groups of about the same size, and what happens to them on average."""

    title: str
    groups: int
    people: int
    mean_bias: float
    mean_error: float


def by_group_size(
    counts: NDArray[np.int64], bias: Floats, absolute_error: Floats
) -> list[GroupSize]:
    """Who bears the error? Mean signed bias and mean absolute error, by size of the true group."""
    rows = []
    for low, high in BANDS:
        inside = (counts >= low) & (counts <= high) if high is not None else counts >= low
        groups = int(np.count_nonzero(inside))
        if groups:
            rows.append(
                GroupSize(
                    band_title(low, high), groups, int(counts[inside].sum()),
                    float(bias[inside].mean()), float(absolute_error[inside].mean()),
                )
            )
    return rows

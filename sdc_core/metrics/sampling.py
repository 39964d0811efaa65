"""Is a method's error large beside what the survey itself does not know?

The data are a sample: another sample of the same size would have had other counts. The standard
error of a count x out of n records is √(x (1 - x/n)) under simple random sampling; unequal weights
w make it √deff times as large, deff = n Σw²/(Σw)² (Kish 1965).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.metrics.error import BANDS, band_title

Floats = NDArray[np.float64]


def design_effect(weights: Floats) -> float:
    """By how much do unequal weights increase the sampling variance? 1 where all are alike."""
    if not len(weights) or not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError("Survey weights must be numbers of at least 0, one a record.")
    if not weights.any():
        raise InputError("All survey weights are 0: nobody is represented.")
    return float(len(weights) * (weights**2).sum() / weights.sum() ** 2)


def sampling_error(counts: NDArray[np.int64], deff: float = 1.0) -> Floats:
    """The survey's own standard error of each count of a table of all its records."""
    x = counts.astype(np.float64)
    share = x / max(float(x.sum()), 1.0)
    return np.sqrt(deff * x * (1 - share))


@dataclass(frozen=True)
class SizeRatio:
    """The method's error over the survey's own, for the middle one of groups of about one size."""

    title: str
    groups: int
    ratio: float


@dataclass(frozen=True)
class Yardstick:
    """A method's error beside the sampling error, over all groups that have anybody.

    `smaller` of the `groups` have an error below the survey's own; `smaller_from` is the smallest
    size from which on all have (None: not even the largest), `larger_below` says whether none of
    the groups below that size has.
    """

    sizes: tuple[SizeRatio, ...]
    groups: int
    smaller: int
    smaller_from: int | None
    larger_below: bool


def yardstick(
    counts: NDArray[np.int64], bias: Floats, variance: Floats, deff: float = 1.0
) -> Yardstick:
    """The root of a method's mean squared error, over the survey's own error of the same count.

    Empty groups are left out: the formula has no error for them, which is not what a survey knows.
    """
    ratio = _ratios(counts, bias, variance, deff)
    there = counts > 0
    sizes = []
    for low, high in BANDS:
        inside = there & (counts >= low) & (counts <= (np.inf if high is None else high))
        if inside.any():
            sizes.append(SizeRatio(
                band_title(low, high), int(inside.sum()), float(np.median(ratio[inside]))
            ))
    small = there & (ratio < 1)
    worst = int(counts[there & ~small].max(initial=0))
    beyond = counts[there & (counts > worst)]
    start = int(beyond.min()) if len(beyond) else None
    below = there & (counts < (start if start is not None else np.inf))
    return Yardstick(
        tuple(sizes), int(there.sum()), int(small.sum()), start, not small[below].any()
    )


def _ratios(
    counts: NDArray[np.int64], bias: Floats, variance: Floats, deff: float
) -> Floats:
    """No error is no multiple of anything; any error is too much for a count that is certain."""
    error, own = np.sqrt(bias**2 + variance), sampling_error(counts, deff)
    certain = np.where(error > 0, np.inf, 0.0)
    return np.where(own > 0, error / np.where(own > 0, own, 1.0), certain)

"""A number that every release has: its mean, and how far the mean of other releases may lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OverReleases:
    """One number a release, in the order of their random streams; not a number where a release has
    nobody in it."""

    each: Floats

    @property
    def known(self) -> Floats:
        return self.each[np.isfinite(self.each)]

    @property
    def mean(self) -> float:
        return float(self.known.mean()) if len(self.known) else math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean. One release tells nothing about others: infinite."""
        known = self.known
        if len(known) < 2:
            return math.inf
        if np.allclose(known, known[0], rtol=1e-12, atol=0):  # the same, but for rounding
            return 0.0
        return float(known.std(ddof=1) / math.sqrt(len(known)))

    def minus(self, other: OverReleases) -> OverReleases:
        """Release by release; what differs by rounding alone does not differ."""
        same = np.isclose(self.each, other.each, rtol=1e-12, atol=0)
        return OverReleases(np.where(same, 0.0, self.each - other.each))

"""A number that every release has: its mean, and how far the mean of other releases may lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OverReleases:
    """One number a release, in the order of their random streams; not a number where a release has
    nobody in it."""

    each: Floats

    @cached_property
    def known(self) -> Floats:
        return self.each[np.isfinite(self.each)]

    @property
    def complete(self) -> bool:
        """Does every release have it?"""
        return bool(np.isfinite(self.each).all())

    @cached_property
    def mean(self) -> float:
        return float(self.known.mean()) if len(self.known) else math.nan

    @cached_property
    def error(self) -> float:
        """Standard error of the mean. One release tells nothing about others: infinite."""
        known = self.known
        if len(known) < 2:
            return math.inf
        if _same(known, known[0]).all():
            return 0.0
        return float(known.std(ddof=1) / math.sqrt(len(known)))

    def minus(self, other: OverReleases) -> OverReleases:
        """Release by release; what differs by rounding alone does not differ."""
        same = _same(self.each, other.each)
        return OverReleases(np.where(same, 0.0, self.each - other.each))


def _same(one: Floats, other: Floats | np.float64) -> NDArray[np.bool_]:
    """But for rounding. As `np.isclose`, whose checks take ten times as long."""
    return np.asarray(np.abs(one - other) <= 1e-12 * np.abs(other))

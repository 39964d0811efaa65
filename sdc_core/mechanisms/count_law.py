"""Mechanisms on counts that know the law of what they release, count by count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from sdc_core.histogram import Histogram, as_counts
from sdc_core.mechanisms.base import Floats


class CountLaw(ABC):
    """Mixin: the law of a released count, as whole people, hangs on the true count only."""

    @abstractmethod
    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        """P(a count whose true value is x comes out as at most so many people), for people >= 0."""

    def chance_of_none_or_one(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats]:
        """P(no person) and P(one person) in each released count, as whole people."""
        x = as_counts(data).astype(np.float64)
        none, upto_one = (self.chance_at_most(np.full_like(x, n), x) for n in (0.0, 1.0))
        return none, upto_one - none

"""How often more than ε is given away once negative counts are set to 0.

Removing negatives reveals nothing more, so δ grows no larger. But draws that come out alike, as a
0, share one loss, and that can lift many of them above ε: Pr[loss > ε] can grow.

One record moves: one count falls from a to a - 1 and another rises from b to b + 1, both with
discrete Gaussian noise. Draws z₁ > -a and z₂ > -b keep their losses (2z₁ + 1)/(2σ²) and
(1 - 2z₂)/(2σ²). All others are a 0, whose loss is ln P(Z >= a)/P(Z >= a - 1) in the first count and
ln P(Z >= b)/P(Z >= b + 1) in the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdc_core.privacy.discrete_gaussian import TIES, DiscreteGaussian, loss_exceeds

Floats = NDArray[np.float64]
_MOST_SIGMA = 200  # for larger noise the search for the worst counts takes too long
_NO_PART = 1e-10  # of a chance: what could add less is not looked for


def loss_exceeds_clipped(epsilon: float, sigma: float) -> float | None:
    """Pr[loss > ε] after negatives are set to 0, the largest over all counts a and b; None for
    noise so large that the search would take too long."""
    if sigma > _MOST_SIGMA:
        return None
    moved = _MovedRecord(DiscreteGaussian(sigma), epsilon * (1 + TIES))
    worst = max(float(moved.with_a_large_count().max()), loss_exceeds(epsilon, sigma))
    a = 1
    while moved.at_most_added(a) > _NO_PART * worst:
        worst = max(worst, float(moved.with_count(a).max()))
        a += 1
    return worst


@dataclass(frozen=True)
class _MovedRecord:
    """Chances that the loss is above the limit, for a count a that falls and each b that rises."""

    noise: DiscreteGaussian
    limit: float

    @property
    def _square(self) -> float:
        return self.noise.sigma**2

    @cached_property
    def _loss_of_risen_zero(self) -> Floats:
        """For b = 0, 1, ...: it grows with b, until the chance of a 0 is too small for a number."""
        chances = self.noise.at_least(np.arange(len(self.noise.law[0]) // 2 + 2))
        chances = chances[: np.count_nonzero(chances) + 1]
        with np.errstate(divide="ignore"):
            return np.log(chances[:-1]) - np.log(chances[1:])

    def _loss_of_fallen_zero(self, a: int) -> float:
        return math.log(self.noise.at_least(a)) - math.log(self.noise.at_least(a - 1))

    def _least_draw(self, missing: Any) -> Any:
        """The least z₁ whose loss is above what is missing."""
        far = len(self.noise.law[0])
        draws = np.minimum(np.maximum(self._square * missing - 0.5, -far), far)
        return np.floor(draws).astype(np.int64) + 1

    @cached_property
    def _beside_draws(self) -> Any:
        """The least z₁ that is enough beside each z₂: in whole numbers, since ties count."""
        return math.floor(self._square * self.limit) + self.noise.law[0]

    @cached_property
    def _beside_zeros(self) -> Any:
        return self._least_draw(self.limit - self._loss_of_risen_zero)

    def with_a_large_count(self) -> Floats:
        """Where the falling count never comes out as a 0."""
        at_least = self.noise.at_least
        return self._for_each_b(at_least(self._beside_draws), at_least(self._beside_zeros))

    def with_count(self, a: int) -> Floats:
        at_least, zero, lost = self.noise.at_least, 1 - a, self._loss_of_fallen_zero(a)
        return self._for_each_b(
            at_least(np.maximum(self._beside_draws, zero))
            + at_least(a) * (lost + self._gained > self.limit),
            at_least(np.maximum(self._beside_zeros, zero))
            + at_least(a) * (lost + self._loss_of_risen_zero > self.limit),
        )

    @cached_property
    def _gained(self) -> Floats:
        """The loss of each z₂."""
        return np.asarray((1 - 2 * self.noise.law[0]) / (2 * self._square))

    def _for_each_b(self, beside_draws: Floats, beside_zeros: Floats) -> Floats:
        """Sums over z₂ > -b, and over all below, which are one 0."""
        above = np.append(np.cumsum((self.noise.law[1] * beside_draws)[::-1])[::-1], 0.0)
        place, zero = self._risen
        return np.asarray(above[place] + zero * beside_zeros)

    @cached_property
    def _risen(self) -> tuple[NDArray[np.int64], Floats]:
        """For b = 0, 1, ...: from where z₂ > -b, and the chance of a 0."""
        b = np.arange(len(self._loss_of_risen_zero))
        return len(self.noise.law[0]) // 2 + 1 - b, self.noise.at_least(b)

    def at_most_added(self, a: int) -> float:
        """What the 0 of the falling count can add: its chance, times the chance that the other
        count makes up for its loss, by a draw or by its own 0."""
        if self.noise.at_least(a) == 0:
            return 0.0
        missing = self.limit - self._loss_of_fallen_zero(a)
        zero = np.searchsorted(self._loss_of_risen_zero, missing, side="right")
        made_up = max(self.noise.at_least(self._least_draw(missing)), self.noise.at_least(zero))
        return float(self.noise.at_least(a) * made_up)

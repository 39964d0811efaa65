"""One shared noisy threshold for the whole table (P1 Alg 2).

T = k + Lap(b) with b = 2/ε; a count x < T is hidden and replaced by T/2, rounded down if so wished.
Cells share T and are therefore correlated, but each cell's own moments are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.privacy.discrete_gaussian import TIES

Floats = NDArray[np.float64]

_NEGLIGIBLE = 60.0  # scales beyond which nothing is left: exp(-60) is below 1e-26


@dataclass(frozen=True)
class NoisyThreshold:
    k: int
    scale: float
    rounded_down: bool

    def filler(self, threshold: Floats) -> Floats:
        return np.floor(threshold / 2) if self.rounded_down else threshold / 2

    def survival(self, u: Floats) -> Floats:
        """S(u) = Pr(T > u)."""
        z = (u - self.k) / self.scale
        return np.where(z >= 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def chance_of_filler_at_most(self, people: Floats, x: Floats) -> Floats:
        """Pr(T > x, and what is filled in comes to no more whole people)."""
        beyond = 2 * people + (2.0 if self.rounded_down else 1.0)
        return np.maximum(self.survival(x) - self.survival(beyond), 0.0)

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Bias, variance, expected absolute error of a cell with count x >= 0."""
        s = self.survival(x)
        first, second, above = self._rounded(x, s) if self.rounded_down else self._halves(x, s)
        bias = first - x * s
        square = second - 2 * x * first + x * x * s
        return bias, np.maximum(square - bias**2, 0.0), 2 * above - bias

    def _rounded(self, x: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
        """E[f; T>x], E[f²; T>x], E[(f-x)+] for f = floor(T/2), by sums over Pr(f >= j) = S(2j)."""
        half = np.floor(x / 2)
        plain, weighted = self._tails
        last = len(plain) - 1

        def beyond(table: Floats, j: Floats) -> Floats:
            return table[np.minimum(j, last).astype(np.int64)]

        first = half * s + beyond(plain, half + 1)
        second = half**2 * s + beyond(weighted, half + 1)
        return first, second, beyond(plain, x + 1)

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        """Sums over i >= j of S(2i) and of (2i - 1) S(2i), for j = 0, 1, ...; the last is zero."""
        reach = math.ceil((self.k + _NEGLIGIBLE * self.scale) / 2) + 2
        j = np.arange(reach, dtype=np.float64)
        s = self.survival(2 * j)
        plain = np.append(np.cumsum(s[::-1])[::-1], 0.0)
        weighted = np.append(np.cumsum(((2 * j - 1) * s)[::-1])[::-1], 0.0)
        return plain, weighted

    def _halves(self, x: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
        """E[f; T>x], E[f²; T>x], E[(f-x)+] for f = T/2, in closed form."""
        first = (x * s + self._integral(x)) / 2
        second = (x * x * s + self._weighted_integral(x)) / 4
        return first, second, self._integral(2 * x) / 2

    def _integral(self, u: Floats) -> Floats:
        """The integral of S from u to infinity."""
        return np.maximum(self.k - u, 0.0) + self.scale / 2 * np.exp(
            -np.abs(u - self.k) / self.scale
        )

    def _weighted_integral(self, u: Floats) -> Floats:
        """The integral of 2v S(v) from u to infinity."""
        k, b = self.k, self.scale
        e = np.exp(-np.abs(u - k) / b)
        above = (u * b + b * b) * e
        below = k * k - u * u + 2 * b * b - b * (b - u) * e
        return np.where(u >= k, above, below)

    def log_overlap(self, cap: int, keep_zeros: bool) -> float:
        """ln(1 - δ) of the tight guarantee: neighbours look alike only if both counts are hidden.

        1 - δ = Pr(T > B). With zeros left alone, (0, 2) and (1, 1) never look alike; only for B = 1
        and rounding down may both groups show 0, when 1 < T < 2.
        """
        if not keep_zeros:
            z = (cap - self.k) / self.scale
            return -z - math.log(2) if z >= 0 else math.log1p(-0.5 * math.exp(z))
        if cap == 1 and self.rounded_down:
            ends = self.survival(np.array([1.0, 2.0]))
            return math.log(float(ends[0] - ends[1]))
        return -math.inf

    def log_within(self, cap: int, keep_zeros: bool, epsilon: float) -> float:
        """ln of the least chance that the loss is at most ε.

        It is 1 - δ = Pr(T > B), less what finite losses take away. Rounded down, T is known to two
        only, and two outcomes then can have a loss above ε that is not infinite:
        - both counts hidden by a T from a to a + 2 (a even), where the neighbour's a + 1 needs
          T > a + 1: all of these T are within ε or none;
        - counts (a, a), shown or filled in by a T from 2a to 2a + 2, where the neighbour
          (a - 1, a + 1) has to be filled in.
        Beyond k, Pr(T > a) falls faster than the second adds: only a at the top and up to k count.
        """
        if keep_zeros or not self.rounded_down:
            return self.log_overlap(cap, keep_zeros)
        limit = epsilon * (1 + TIES)
        found = [self.log_overlap(cap, keep_zeros)]
        both = {*range(1, min(cap, self.k + 3)), *range(max(1, cap - 5), cap)}
        if both:
            a = np.array(sorted(both), dtype=np.float64)
            hidden = self._log_mass(a + 1, a + 2)
            known = np.logaddexp(self._log_mass(a, a + 1), hidden)
            either = np.where(known - hidden > limit, a + 2, a)
            least = self._log_survival(np.where(a % 2 == 0, either, a + 1))
            filled = self._log_mass(2 * a, 2 * a + 2)
            shown = np.logaddexp(self._log_at_most(a), filled) - filled > limit
            found += list(least + np.where(shown, np.log1p(-np.exp(filled - least)), 0.0))
        return float(min(found))

    def _log_survival(self, u: Floats) -> Floats:
        z = (u - self.k) / self.scale
        return np.where(z >= 0, -z - math.log(2), np.log1p(-0.5 * np.exp(np.minimum(z, 0.0))))

    def _log_at_most(self, u: Floats) -> Floats:
        z = (u - self.k) / self.scale
        return np.where(z <= 0, z - math.log(2), np.log1p(-0.5 * np.exp(-np.maximum(z, 0.0))))

    def _log_mass(self, low: Floats, high: Floats) -> Floats:
        """ln Pr(low < T < high)."""
        below, above = self._log_survival(low), self._log_survival(high)
        return below + np.log(-np.expm1(above - below))

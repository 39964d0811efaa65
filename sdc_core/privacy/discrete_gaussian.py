"""The discrete Gaussian: its law, its exact privacy, and the least noise for a wanted (ε, δ)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from sdc_core.errors import InputError
from sdc_core.privacy.crossing import nearest_that_holds
from sdc_core.privacy.whole_noise import WholeGaussian
from sdc_core.privacy.zcdp import zcdp_to_epsilon

# Beyond this many standard deviations the law has less than 1e-80 of its mass.
_TAIL = 20
_SMALL_SIGMAS = np.geomspace(0.05, 1.5, 1500)
_CLOSE = 1e-12  # to which a wanted ε is found
TIES = 1e-9  # losses this close to ε are ε
_ROUNDING = 1e-14  # and this close they differ by rounding alone


@dataclass(frozen=True)
class DiscreteGaussian:
    """P(Z = z) proportional to exp(-z²/(2σ²)) on the integers."""

    sigma: float

    @cached_property
    def _half(self) -> NDArray[np.float64]:
        """P(Z = 0), P(Z = 1), ... up to where nothing is left."""
        z = np.arange(_reach(self.sigma) + 1)
        weights = np.exp(-(z**2) / (2 * self.sigma**2))
        return weights / (2 * weights.sum() - weights[0])

    @cached_property
    def _tail(self) -> NDArray[np.float64]:
        """P(Z >= j) for j = 0, 1, ... (summed from the far end, to keep small digits)."""
        return np.cumsum(self._half[::-1])[::-1]

    @cached_property
    def absolute(self) -> float:
        return float(2 * (np.arange(len(self._half)) @ self._half))

    @cached_property
    def square(self) -> float:
        z = np.arange(len(self._half), dtype=np.float64)
        return float(2 * (z * z @ self._half))

    def shortfall(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """A(x) = E[(Z - x)+] = sum over j > x of P(Z >= j), for whole x >= 0."""
        return _at_beyond(self._beyond, x)

    @cached_property
    def _beyond(self) -> NDArray[np.float64]:
        return _sums_beyond(self._tail)

    def square_shortfall(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """D(x) = E[(Z² - x²) 1{Z > x}] = sum over j > x of (2j - 1) P(Z >= j)."""
        return _at_beyond(self._squares_beyond, x)

    @cached_property
    def _squares_beyond(self) -> NDArray[np.float64]:
        return _sums_beyond((2 * np.arange(len(self._tail)) - 1) * self._tail)

    @cached_property
    def _tail_of_both_sides(self) -> NDArray[np.float64]:
        """P(Z >= j) from j = 2 - len(_tail), where it is 1, to len(_tail), where it is 0."""
        return np.concatenate([1 - self._tail[:1:-1], self._tail, [0.0]])

    def at_least(self, j: Any) -> Any:
        """P(Z >= j) for whole j of either sign, with all its digits where it is small."""
        whole = self._tail_of_both_sides
        first, last = len(self._tail) - 2, len(whole) - 1
        if isinstance(j, int):  # asked for a hundred times in a row, one by one
            return whole[min(max(j + first, 0), last)]
        return whole[np.minimum(np.maximum(np.asarray(j) + first, 0), last)]

    @cached_property
    def law(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All z that have a chance to speak of, and P(Z = z)."""
        far = len(self._half) - 1
        return np.arange(-far, far + 1), np.concatenate([self._half[:0:-1], self._half])

    def at_most(self, j: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(Z <= j) for whole j of either sign."""
        sums = _sums_beyond(self._half)
        beyond = _at_beyond(sums, np.where(j >= 0, j, -j - 1))  # P(Z > |..|), by symmetry
        return np.where(j >= 0, 1 - beyond, beyond)

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """From the law itself, in whole numbers."""
        return self._exact.draw(rng, size).astype(np.float64)

    @cached_property
    def _exact(self) -> WholeGaussian:
        return WholeGaussian(self.sigma)


def _reach(sigma: float) -> int:
    return math.ceil(_TAIL * sigma) + 2


def _sums_beyond(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """At each place the sum of the terms from there on; zero at the end."""
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


def _at_beyond(sums: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each x the sum of the terms over j > x; zero where x lies beyond the table."""
    return sums[np.minimum(x.astype(np.int64) + 1, len(sums) - 1)]


def delta_tight(epsilon: float, sigma: float) -> float:
    """Exact δ at ε when one record moves two counts by one each, both with this noise.

    The privacy loss is (1 - w)/σ² with w = z₁ - z₂. The law of w is known in closed form:
    P(w) = exp(-w²/(4σ²)) θ(w mod 2)/N², where θ(0) and θ(1) sum exp(-z²/σ²) over the integers and
    over the half-integers, so no convolution is needed and the far tail keeps its digits.
    """
    return float(_deltas(epsilon, np.array([sigma]))[0])


def loss_exceeds(epsilon: float, sigma: float) -> float:
    """Pr[loss > ε] for the same two counts as drawn: the chance that 1 - w is above ε σ².

    With σ² = 20/ε a loss of exactly ε has a chance of its own and does not count, so rounding must
    not push it over.
    """
    w, law = _loss_law(np.array([sigma]))
    return float(law[0, 1 - w > epsilon * sigma**2 * (1 + TIES)].sum())


def _deltas(epsilon: float, sigmas: NDArray[np.float64]) -> NDArray[np.float64]:
    """`delta_tight` for several σ at once; best of about the same size."""
    w, law = _loss_law(sigmas)
    beyond = (1 - w) / sigmas[:, None] ** 2 - epsilon
    excess = -np.expm1(-np.where(beyond > _ROUNDING * epsilon, beyond, 0.0))
    return (law * excess).sum(axis=1)


def _loss_law(
    sigmas: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All w with a positive loss, and P(w) for each σ in a row."""
    reach = _reach(float(sigmas.max()))
    square = sigmas[:, None] ** 2
    w = np.arange(-2 * reach, 2)  # positive loss needs w < 1
    z = np.arange(-reach, reach + 1)
    even = np.exp(-(z**2) / square).sum(axis=1, keepdims=True)
    odd = np.exp(-((z - 0.5) ** 2) / square).sum(axis=1, keepdims=True)
    normaliser = np.exp(-(z**2) / (2 * square)).sum(axis=1, keepdims=True)
    return w, np.exp(-(w**2) / (4 * square)) * np.where(w % 2 == 0, even, odd) / normaliser**2


def epsilon_at(delta: float, sigma: float) -> float:
    """The least ε at which this noise has an exact δ no larger than the wanted one.

    The tight δ falls as ε grows, and zCDP's own conversion always is enough (a discrete Gaussian
    has the zCDP of a Gaussian, here ρ = 1/σ²), so the crossing lies between 0 and that. What the
    search leaves open is added, to be on the safe side. Zero if even δ(0), the total variation
    distance, is small enough.
    """
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}. Try 0.001.")
    if delta_tight(0.0, sigma) <= delta:
        return 0.0
    enough = zcdp_to_epsilon(1 / sigma**2, delta)
    crossing = brentq(
        lambda epsilon: delta_tight(epsilon, sigma) - delta, 0.0, enough, xtol=_CLOSE
    )
    return min(float(crossing) + 2 * _CLOSE * max(1.0, enough), enough)


def delta_by_zcdp(epsilon: float, sigma: float) -> float:
    """The paper's δ: zCDP with ρ = 2/σ² (ℓ2 distance taken as 2), then the usual conversion.

    ρ = ε/10 at σ² = 20/ε (Table 1) and ε²/2 at σ² = 4/ε² (the text). Where ε <= ρ the conversion
    says nothing, that is δ = 1.
    """
    rho = 2 / sigma**2
    return math.exp(-((epsilon - rho) ** 2) / (4 * rho)) if epsilon > rho else 1.0


def smallest_sigma(epsilon: float, delta: float) -> float:
    """The least σ whose exact δ at ε is at most the wanted δ.

    For small σ the whole-number noise makes δ go up and down as σ grows, so small σ are scanned
    and the first that will do is closed in on; for larger ones δ falls steadily.
    """
    enough = np.flatnonzero(_deltas(epsilon, _SMALL_SIGMAS) <= delta)
    if len(enough):
        first = int(enough[0])
        high = float(_SMALL_SIGMAS[first])
        low = float(_SMALL_SIGMAS[first - 1]) if first else high / 2
    else:
        low, high = float(_SMALL_SIGMAS[-1]), 2 * float(_SMALL_SIGMAS[-1])
        while delta_tight(epsilon, high) > delta:
            low, high = high, 2 * high
    return nearest_that_holds(lambda sigma: delta_tight(epsilon, sigma) - delta, low, high)

"""zCDP: privacy measured by an average over the odds, and what it comes to as (ε, δ)."""

from __future__ import annotations

import functools
import math

from scipy.optimize import brentq

from sdc_core.errors import InputError
from sdc_core.privacy.crossing import nearest_that_holds


def zcdp_to_epsilon(rho: float, delta: float) -> float:
    """Which ε does zCDP with this ρ promise at this δ? ε = ρ + 2 √(ρ ln(1/δ)).

    Bun and Steinke 2016, Prop. 1.3. Simple and a little loose: the exact ε is smaller.
    """
    if not rho >= 0:
        raise InputError(f"rho must be at least 0, got {rho}. Try 0.05.")
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}. Try 1e-10.")
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def zcdp_delta(rho: float, epsilon: float) -> float:
    """Which δ does zCDP with this ρ promise at ε?

    The least over Rényi orders a > 1 of exp((a - 1)(aρ - ε)) (1 - 1/a)^a/(a - 1) (Canonne, Kamath
    and Steinke 2020, Prop. 12), and never more than √(1 - e^-ρ), the most that total variation can
    be. The best order solves (2a - 1)ρ - ε + ln(1 - 1/a) = 0.
    """
    if rho <= 0:
        return 0.0

    def slope(log_order: float) -> float:
        rest = math.exp(log_order)  # a - 1, on a log scale: it may be tiny or huge
        return (2 * rest + 1) * rho - epsilon + math.log(rest / (1 + rest))

    low, high = -1.0, 1.0
    while slope(low) > 0:
        low *= 2
    while slope(high) < 0:
        high += 1
    rest = math.exp(brentq(slope, low, high, xtol=1e-13))
    order = 1 + rest
    log_delta = rest * (order * rho - epsilon) + rest * math.log(rest / order) - math.log(order)
    return min(math.exp(min(log_delta, 0.0)), math.sqrt(-math.expm1(-rho)))


@functools.lru_cache(maxsize=1024)
def zcdp_rho(epsilon: float, delta: float) -> float:
    """The largest ρ that promises (ε, δ): `zcdp_delta` inverted, from below."""
    low, high = 0.0, 1.0
    while zcdp_delta(high, epsilon) <= delta:
        low, high = high, 2 * high
    return nearest_that_holds(lambda rho: zcdp_delta(rho, epsilon) - delta, high, low)


def zcdp_epsilon(rho: float, delta: float) -> float:
    """The smallest ε that zCDP with this ρ promises at δ: `zcdp_delta` inverted, from above."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}. Try 1e-6.")
    if zcdp_delta(rho, 0.0) <= delta:
        return 0.0
    return nearest_that_holds(
        lambda epsilon: zcdp_delta(rho, epsilon) - delta, 0.0, zcdp_to_epsilon(rho, delta)
    )


def rho_of_pure(epsilon: float) -> float:
    """zCDP of a method that promises ε without exception: ε tanh(ε/2), at most ε²/2.

    The worst such method answers one yes-or-no question truthfully with odds of e^ε; its Rényi
    divergence of order a, over a, is largest as a goes to 1, where it is this.
    """
    return epsilon * math.tanh(epsilon / 2)

"""zCDP: privacy measured by an average over the odds, and what it comes to as (ε, δ)."""

from __future__ import annotations

import math

from sdc_core.errors import InputError


def zcdp_to_epsilon(rho: float, delta: float) -> float:
    """Which ε does zCDP with this ρ promise at this δ? ε = ρ + 2 √(ρ ln(1/δ)).

    Bun and Steinke 2016, Prop. 1.3. Simple and a little loose: the exact ε is smaller.
    """
    if not rho >= 0:
        raise InputError(f"rho must be at least 0, got {rho}. Try 0.05.")
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}. Try 1e-10.")
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))

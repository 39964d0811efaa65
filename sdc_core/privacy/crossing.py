"""Where a promise begins to hold, found on the side where it does."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

_PRECISION = 1e-12


def nearest_that_holds(excess: Callable[[float], float], fails: float, holds: float) -> float:
    """The value nearest to `fails` at which a promise still holds.

    `excess` is by how much the promise is exceeded: above zero at `fails`, not so at `holds`.
    Brent's method may end on either side of the crossing, so what fails is stepped back from.
    """
    found = float(
        brentq(excess, fails, holds, xtol=math.ulp(0.0), rtol=_PRECISION, maxiter=1000)
    )
    step = math.copysign(_PRECISION * abs(found), holds - fails)
    while excess(found) > 0:
        found = found + step if abs(step) < abs(holds - found) else holds
        step *= 2
    return found

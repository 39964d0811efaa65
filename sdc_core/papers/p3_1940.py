"""Massachusetts 1940 as P3 prints it, before and after swapping, and the swapping that its printed
counts allow."""

from __future__ import annotations

import numpy as np

from sdc_core.data.census1940 import massachusetts_1940
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.papers.published import published


def printed(item: str, row: str, column: str) -> float:
    """A number of the slides that others are computed from."""
    (found,) = (e for e in published("P3", item, column) if e.row == row)
    return found.value


def county_swapping(rate: float) -> Mechanism:
    """Dwellings change county; of what the slides match on, only the state is printed."""
    return mechanism(
        "permutation-swapping", swap_rate=rate, match=(), swap=("COUNTY",), hold=("TENURE",))


def counties(kind: str = "") -> Histogram:
    """Owned and rented dwellings by county as the slides print them; `_swapped` after swapping."""
    domain = massachusetts_1940().domain
    names, tenures = (f.labels for f in domain.features)
    counts = [printed("table4", name, f"{tenure.lower()}{kind}")
              for name in names for tenure in tenures]
    return Histogram(np.array(counts, dtype=np.int64), domain)


def one_release_strays(table: Histogram, rate: float) -> list[float]:
    """Standard deviation of a county's number of owned dwellings over all releases.

    With r the share that is owned and f the county's share of all dwellings: who is selected moves
    the mean, and which of the selected places come back is a draw without replacement.
    """
    owned, rented = table.counts.reshape(-1, 2).T.astype(np.float64)
    all_owned, all_rented = owned.sum(), rented.sum()
    r, f = all_owned / table.total, (owned + rented) / table.total
    here = owned * (1 - r) ** 2 + rented * r**2
    elsewhere = (all_owned - owned) * (1 - r) ** 2 + (all_rented - rented) * r**2
    selecting = rate * (1 - rate) * (here * (1 - f) ** 2 + elsewhere * f**2)
    dealing = rate * (owned + rented) * (1 - f) * r * (1 - r)
    return [float(one) for one in np.sqrt(selecting + dealing)]

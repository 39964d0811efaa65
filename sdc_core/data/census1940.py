"""Massachusetts in 1940: owned and rented dwellings by county, as printed in P3.

Published facts: Bailie, Gong and Meng 2023 (P3), from the 1940 US Census full count. The printed
table has no household size. The slides swap among households of the same size (largest stratum:
264,331 two-person households), and that scheme cannot be rebuilt from printed counts; here the
match key is the state alone, so all 1,144,424 dwellings are one stratum.
"""

from __future__ import annotations

import numpy as np

from sdc_core.histogram import Domain, Feature, Histogram

SOURCE = "Bailie, Gong and Meng 2023 (P3), from the 1940 US Census full count"
LARGEST_STRATUM_BY_SIZE = 264_331  # two-person households, in the slides' own scheme
PRINTED_RATE = 0.5  # the swap rate of the release that the slides print

# county: owned, rented; owned and rented in the release that the slides print (p = 50%, swapped
# among households of the same size)
_COUNTIES: dict[str, tuple[int, int, int, int]] = {
    "Barnstable": (7461, 3825, 5907, 5379),
    "Berkshire": (14736, 18417, 13770, 19383),
    "Bristol": (33747, 63931, 35537, 62141),
    "Dukes": (1207, 534, 946, 795),
    "Essex": (53936, 81300, 52631, 82605),
    "Franklin": (7433, 6442, 6337, 7538),
    "Hampden": (30597, 58166, 32267, 56496),
    "Hampshire": (9427, 8630, 8145, 9912),
    "Middlesex": (104144, 147687, 100372, 151459),
    "Nantucket": (593, 432, 471, 554),
    "Norfolk": (44885, 40285, 38566, 46604),
    "Plymouth": (24857, 23882, 21549, 27190),
    "Suffolk": (49656, 176553, 67357, 158852),
    "Worcester": (53126, 78535, 51950, 79711),
}

_DOMAIN = Domain(
    (
        Feature("COUNTY", "County", tuple(_COUNTIES), tuple(_COUNTIES)),
        Feature("TENURE", "Tenure", ("owned", "rented"), ("Owned", "Rented")),
    )
)


def massachusetts_1940() -> Histogram:
    """How many dwellings of each county were owned, how many rented?"""
    return _table(0)


def massachusetts_1940_printed_release() -> Histogram:
    """The one swapped release that the slides print, at p = 50%, matched on household size."""
    return _table(2)


def _table(first: int) -> Histogram:
    counts = np.array([row[first : first + 2] for row in _COUNTIES.values()], dtype=np.int64)
    return Histogram(counts.ravel(), _DOMAIN)

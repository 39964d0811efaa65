"""The published tables of swap rate and ε, as facts with their source, and recomputed beside them.

Bailie, Gong and Meng 2023 (P3), slides: "Numerical demonstration: 1940 Census full count data" and
"What if the 2020 Census used swapping?".
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from sdc_core.privacy.swap_rate import CITATION, swap_rate_to_epsilon

SOURCE = f"{CITATION}, slides"


@dataclass(frozen=True)
class PublishedScheme:
    """A swapping scheme of the slides: what is matched and swapped, b, and ε by swap rate."""

    match: str
    swap: str
    largest_stratum: str
    stratum_size: int
    epsilon_by_rate: dict[float, float]


MASSACHUSETTS_1940 = PublishedScheme(
    "state × household size", "county", "two-person households of Massachusetts", 264_331,
    {0.01: 17.08, 0.05: 15.43, 0.10: 14.68, 0.50: 12.48},
)

CENSUS_2020 = (
    PublishedScheme("state", "county", "California", 13_680_081, {0.05: 19.38, 0.50: 16.43}),
    PublishedScheme("state × household size", "county", "California, 3-household",
                    3_653_802, {0.05: 18.06, 0.50: 15.11}),
    PublishedScheme("county", "tract", "LA County", 3_445_076, {0.05: 18.00, 0.50: 15.05}),
    PublishedScheme("county × household size", "tract",
                    "LA County, 3-household", 853_003,
                    {0.05: 16.60, 0.50: 13.66}),
    PublishedScheme("block group", "block", "a FL block group", 21_535,
                    {0.05: 12.92, 0.50: 9.98}),
    PublishedScheme("block group × household size", "block",
                    "a FL block group, 3-household", 11_691,
                    {0.05: 12.31, 0.50: 9.37}),
)


def massachusetts_1940_table() -> pd.DataFrame:
    """Does the formula give the slide's ε for the 1940 census? One row a swap rate."""
    return pd.DataFrame(
        [
            {
                "Swap rate": f"{rate:.0%}", "ε, slide": printed, "ε, here": ours,
                "Difference": ours - printed,
            }
            for rate, printed in MASSACHUSETTS_1940.epsilon_by_rate.items()
            for ours in [_recomputed(MASSACHUSETTS_1940, rate)]
        ]
    )


def census_2020_table() -> pd.DataFrame:
    """Does the formula give the slide's ε for the six schemes of 2020? One row a scheme.

    The schemes keep the slide's order.
    """
    rows = []
    for scheme in CENSUS_2020:
        row: dict[str, object] = {
            "Matched on": scheme.match, "Swapped": scheme.swap,
            "Largest group": scheme.largest_stratum, "b": scheme.stratum_size,
        }
        for rate, printed in scheme.epsilon_by_rate.items():
            ours = _recomputed(scheme, rate)
            row |= {
                f"{rate:.0%}, slide": printed, f"{rate:.0%}, here": ours,
                f"{rate:.0%}, diff.": ours - printed,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def agreement_sentence() -> str:
    """How many of the printed figures does the formula give, to the digits printed?"""
    differences = [
        _recomputed(scheme, rate) - printed
        for scheme in (MASSACHUSETTS_1940, *CENSUS_2020)
        for rate, printed in scheme.epsilon_by_rate.items()
    ]
    agreeing = sum(abs(d) <= 0.005 for d in differences)
    return (
        f"{agreeing} of the {len(differences)} published figures come out the same to both "
        f"decimals; no difference is larger than {max(map(abs, differences)):.3f}."
    )


def _recomputed(scheme: PublishedScheme, rate: float) -> float:
    return swap_rate_to_epsilon(rate, scheme.stratum_size).theorem

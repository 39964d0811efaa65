"""The published tables of swap rate and ε, as facts with their source.

Bailie, Gong and Meng 2023 (P3), slides: "Numerical demonstration: 1940 Census full count data" and
"What if the 2020 Census used swapping?".
"""

from __future__ import annotations

from dataclasses import dataclass

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

    def recomputed(self, rate: float) -> float:
        """ε of the scheme by the formula, whatever the slide prints."""
        return swap_rate_to_epsilon(rate, self.stratum_size).theorem


MASSACHUSETTS_1940 = PublishedScheme(
    "state × household size", "county", "two-person households of Massachusetts", 264_331,
    {0.01: 17.08, 0.05: 15.43, 0.10: 14.68, 0.50: 12.48},
)

CENSUS_2020 = (  # in the slide's order
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

"""The slides' tables of swap rate and ε, recomputed beside what they print."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sdc_core.privacy.published_swap_tables import CENSUS_2020, MASSACHUSETTS_1940
from sdc_core.questions.answer import ColumnLook, TableView
from sdc_core.words.numbers import percent

_EPSILON, _DIFFERENCE = ColumnLook(format="%.2f"), ColumnLook(format="%.3f")


def massachusetts_1940_table() -> TableView:
    """Does the formula give the slide's ε for the 1940 census? One row a swap rate."""
    rows = [
        {
            "Swap rate": percent(rate), "ε, slide": printed, "ε, here": ours,
            "Difference": ours - printed,
        }
        for rate, printed in MASSACHUSETTS_1940.epsilon_by_rate.items()
        for ours in [MASSACHUSETTS_1940.recomputed(rate)]
    ]
    looks = {"ε, slide": _EPSILON, "ε, here": _EPSILON, "Difference": _DIFFERENCE}
    return TableView(pd.DataFrame(rows), looks, width=460)


def census_2020_table() -> TableView:
    """Does the formula give the slide's ε for the six schemes of 2020? One row a scheme."""
    rows, looks = [], {"b": ColumnLook(format="localized")}
    for scheme in CENSUS_2020:
        row: dict[str, Any] = {
            "Matched on": scheme.match, "Swapped": scheme.swap,
            "Largest group": scheme.largest_stratum, "b": scheme.stratum_size,
        }
        for rate, printed in scheme.epsilon_by_rate.items():
            ours, at = scheme.recomputed(rate), percent(rate)
            row |= {f"{at}, slide": printed, f"{at}, here": ours, f"{at}, diff.": ours - printed}
            looks |= {
                f"{at}, slide": _EPSILON, f"{at}, here": _EPSILON, f"{at}, diff.": _DIFFERENCE,
            }
        rows.append(row)
    return TableView(pd.DataFrame(rows), looks)


def agreement_sentence() -> str:
    """How many of the printed figures does the formula give, to the digits printed?"""
    differences = [
        scheme.recomputed(rate) - printed
        for scheme in (MASSACHUSETTS_1940, *CENSUS_2020)
        for rate, printed in scheme.epsilon_by_rate.items()
    ]
    agreeing = sum(abs(d) <= 0.005 for d in differences)
    return (
        f"{agreeing} of the {len(differences)} published figures come out the same to both "
        f"decimals; no difference is larger than {max(map(abs, differences)):.3f}."
    )

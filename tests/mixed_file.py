"""A file as an analyst brings it, and the truth about it.

Accents, 800 postcodes that begin with zeros, incomes with gaps and decimal commas, dates, household
numbers and weights; written as a German spreadsheet does: Windows-1252, semicolons, decimal commas.
The same seed gives the same people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

NAME = "befragung.csv"
POSTCODES = 800


@dataclass(frozen=True)
class MixedFile:
    """Its bytes, and what is in it: codes as text, numbers as floats, dates as dates."""

    content: bytes
    truth: pd.DataFrame


def mixed_file(
    rows: int = 6000, seed: int = 12, encoding: str = "cp1252", separator: str = ";",
    decimal: str = ",",
) -> MixedFile:
    """The people and the file that they are in."""
    truth = people(rows, seed)
    return MixedFile(written(truth, separator, decimal).encode(encoding), truth)


def people(rows: int, seed: int) -> pd.DataFrame:
    """Who is in the file. A household is in one place; every postcode occurs if there are
    households enough."""
    rng = np.random.default_rng(seed)
    # 01067 and 10670: without zeros and with one too many they would be mistaken for each other
    others = np.setdiff1d(np.arange(1001, 99_999), [1067, 10_670])
    codes = np.append(rng.choice(others, POSTCODES - 2, replace=False), [1067, 10_670])
    _, household = np.unique(np.sort(rng.integers(0, max(1, rows // 2), rows)), return_inverse=True)
    homes = int(household[-1]) + 1
    where = rng.permutation(np.concatenate([
        np.arange(min(homes, POSTCODES)), rng.integers(0, POSTCODES, max(0, homes - POSTCODES)),
    ]))[household]
    born = np.datetime64("1930-01-01") + rng.integers(0, 85 * 365, rows).astype("timedelta64[D]")
    sex = rng.choice(["weiblich", "männlich", "divers"], rows, p=[0.51, 0.48, 0.01])
    income = np.round(np.exp(rng.normal(7.6, 0.6, rows)), 2)
    income[rng.random(rows) < 0.12] = np.nan
    return pd.DataFrame({
        "Haushalt": [f"H{h:06d}" for h in household + 1],
        "PLZ": [f"{code:05d}" for code in codes[where]],
        "Geschlecht": sex,
        "Familienstand": rng.choice(
            ["ledig", "verheiratet", "geschieden", "verwitwet", "Lebensgemeinschaft für Ältere"],
            rows, p=[0.4, 0.4, 0.1, 0.07, 0.03]),
        "Geburtsdatum": born,
        "Kinder": rng.choice([0, 1, 2, 3, 4], rows, p=[0.5, 0.2, 0.2, 0.08, 0.02]).astype(float),
        "Einkommen": income,
        "Gewicht": np.round(rng.gamma(4.0, 30.0, rows) + 5, 2),
    })


def written(truth: pd.DataFrame, separator: str, decimal: str) -> str:
    """The file's text: dates as 31.12.1999, no value where there is none."""
    texts = pd.DataFrame({
        "Haushalt": truth["Haushalt"], "PLZ": truth["PLZ"], "Geschlecht": truth["Geschlecht"],
        "Familienstand": truth["Familienstand"],
        "Geburtsdatum": truth["Geburtsdatum"].dt.strftime("%d.%m.%Y"),
        "Kinder": [f"{n:.0f}" for n in truth["Kinder"]],
        "Einkommen": ["" if np.isnan(x) else f"{x:.2f}".replace(".", decimal)
                      for x in truth["Einkommen"]],
        "Gewicht": [f"{x:.2f}".replace(".", decimal) for x in truth["Gewicht"]],
    })
    lines = [separator.join(row) for row in [list(texts.columns), *texts.to_numpy().tolist()]]
    return "\r\n".join(lines) + "\r\n"

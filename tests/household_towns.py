"""Synthetic people who live together: no real data here says who does. Seeded, so that a test finds
the same people every time."""

from __future__ import annotations

import numpy as np
import pandas as pd

import sdc_core as sdc
from sdc_core.data import Dataset

TOWNS = ("Aston", "Barton", "Corby", "Derby")
AGES = ("child", "adult", "old")
LIVING = ("town", "sex", "age")


def people(households: int = 120, seed: int = 3, largest: int = 6) -> pd.DataFrame:
    """Households of 1 to `largest` people, each in one town and with one weight a person; children
    live with others."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(households):
        size = int(rng.integers(1, largest + 1)) if number else largest
        town = rng.choice(TOWNS, p=(0.4, 0.3, 0.2, 0.1))
        for member in range(size):
            age = rng.choice(AGES[1:] if member == 0 else AGES)
            rows.append((f"h{number:04d}", town, rng.choice(["f", "m"]), age,
                         int(rng.integers(5, 90))))
    found = pd.DataFrame(rows, columns=["hhid", "town", "sex", "age", "weight"])
    return found.sample(frac=1, random_state=seed, ignore_index=True)  # nobody stands beside theirs


def schema(records: pd.DataFrame) -> sdc.Schema:
    """What the columns mean, declared: who lives together, for how many each stands."""
    values = {"town": TOWNS, "sex": ("f", "m"), "age": AGES}
    roles = {"hhid": "household id", "weight": "weight", "town": "place"}
    return sdc.Schema(tuple(
        sdc.Column(
            name, name.title(), sdc.Role(roles.get(name, "quasi-identifier")),
            sdc.Type.WHOLE if name == "weight" else sdc.Type.CODE,
            {value: value for value in values.get(name, ())},
        )
        for name in map(str, records.columns)
    ))


def living(records: pd.DataFrame | None = None) -> Dataset:
    found = people() if records is None else records
    return sdc.load_dataset(found, schema=schema(found))

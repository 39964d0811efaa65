"""A file of one's own, with columns that have to be put right, for tests of runs and of code."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd

import sdc_core as sdc


def own_people() -> pd.DataFrame:
    """Places, sexes, jobs with gaps, ages, incomes in thousands, and a code that looks like a
    number."""
    rng = np.random.default_rng(11)
    people = 600
    return pd.DataFrame({
        "town": rng.choice(["Ash", "Elm, upper", "Oak"], people, p=[0.6, 0.3, 0.1]),
        "sex": rng.choice(["1", "2"], people), "age": rng.integers(18, 90, people),
        "job": rng.choice(["a", "b", "c", ""], people, p=[0.5, 0.3, 0.15, 0.05]),
        "income": (rng.gamma(2, 20, people)).round(1),
        "branch": rng.choice([f"0{i}" for i in range(10, 40)], people),
    })


def put_right(data: sdc.Dataset) -> sdc.Dataset:
    """Corrections that change numbers: sexes with words, four ages, incomes declared, another
    role, a branch that is read as a number."""
    sex, age = data.column("sex"), data.column("age")
    return data.with_columns([
        dataclasses.replace(sex, title="Sex", values={"1": "men", "2": "women"}, declared=True),
        age.redeclared("30, 45, 60"),
        data.column("income").redeclared("20, 50.5"),
        dataclasses.replace(data.column("job"), role=sdc.Role.SENSITIVE),
        dataclasses.replace(
            data.column("branch"), type=sdc.Type.WHOLE, edges=(20.0, 30.0), declared=True, note=""),
    ])

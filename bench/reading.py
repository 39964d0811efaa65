"""Speed of reading somebody's file: from its path to the first exact numbers of a chart."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import sdc_core as sdc
from bench.measure import Figure, medians_taking_turns, milliseconds

ROWS = 5_000_000
RUNS = 3


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return [
            _figure(_survey(), Path(folder) / "survey.parquet", "codes and numbers"),
            _figure(_register(), Path(folder) / "register.parquet", "with ids and dates"),
        ]


def _survey() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    areas = np.array([f"{code:05d}" for code in rng.choice(99_999, 40, replace=False)])
    income = np.round(np.exp(rng.normal(10, 0.7, ROWS)), 2)
    income[rng.random(ROWS) < 0.1] = np.nan
    return pd.DataFrame({
        "area": areas[rng.integers(0, 40, ROWS)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, ROWS)],
        "age": rng.integers(0, 100, ROWS), "education": rng.integers(1, 13, ROWS),
        "income": income, "weight": rng.integers(5, 400, ROWS),
    })


def _register() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    postcodes = np.array([f"{code:05d}" for code in rng.choice(99_999, 800, replace=False)])
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, ROWS).astype("timedelta64[D]")
    return pd.DataFrame({
        "id": np.arange(ROWS) + 10_000_000,
        "household": pd.Series(np.arange(ROWS) // 3).astype(str).radd("H"),
        "born": born.astype("datetime64[ns]"), "postcode": postcodes[rng.integers(0, 800, ROWS)],
        "sex": np.array(["f", "m"])[rng.integers(0, 2, ROWS)],
        "income": rng.integers(0, 200_000, ROWS).astype(np.float64),
    })


def _figure(frame: pd.DataFrame, path: Path, what: str) -> Figure:
    frame.to_parquet(path)
    data = sdc.load_dataset(path)
    features = data.default_features
    edges = {n: data.column(n).edges for n in features if data.column(n).is_number}
    table = data.histogram(features)
    if sorted(table.counts[table.counts > 0]) != sorted(_counted(path, features, edges)):
        raise AssertionError("the two counts differ")

    def ours() -> sdc.Evaluation:
        table = sdc.load_dataset(path).histogram(features)
        return sdc.evaluate(sdc.mechanism("suppression"), table)

    measured, peer = medians_taking_turns(RUNS, ours, lambda: _counted(path, features, edges))
    return Figure(
        f"From a Parquet file of {ROWS // 1_000_000} million rows × {len(frame.columns)} columns "
        f"({what}) to the exact evaluation of a first table ({', '.join(features)}), types, roles "
        "and bins guessed", milliseconds(measured),
        f"pandas reading it and counting the same groups, {milliseconds(peer)}",
        measured / peer, 4,
    )


def _counted(
    path: Path, features: tuple[str, ...], edges: dict[str, tuple[float, ...]]
) -> list[int]:
    """How many people pandas finds in each group that has any; numbers in the same bins."""
    frame = pd.read_parquet(path)
    for name, inner in edges.items():
        values = frame[name]
        if values.dtype.kind == "M":
            values = (values - pd.Timestamp(0)).dt.days
        bins = np.searchsorted(inner, values, side="right")
        frame[name] = np.where(values.isna(), -1, bins)
    found = frame.groupby(list(features), dropna=False).size()
    return [int(count) for count in found]

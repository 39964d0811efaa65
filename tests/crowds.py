"""Records in files, for tests of what stays in a database, and how a release is read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism

FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
QI = ("RAC1P", "SEX")
# Every way in which records are handed new values, with settings under which all of it happens.
METHODS: dict[str, Mechanism] = {
    "swapping": sdc.mechanism("swapping", quasi_identifiers=QI),
    "swapping-in-pairs": sdc.mechanism(
        "swapping", quasi_identifiers=QI, paired=True, swap_rate=0.002),
    "dp-swapping": sdc.mechanism("dp-swapping", quasi_identifiers=QI),
    "dp-swapping-uniform": sdc.mechanism("dp-swapping-uniform", quasi_identifiers=QI),
    "dp-swapping-uniform-cell": sdc.mechanism(
        "dp-swapping-uniform", quasi_identifiers=QI, unit="cell"),
    "permutation-swapping": sdc.mechanism("permutation-swapping"),
    "k-anonymity": sdc.mechanism("k-anonymity", quasi_identifiers=("PUMA", *QI), k=50),
    "k-anonymity-relaxed": sdc.mechanism(
        "k-anonymity", quasi_identifiers=("PUMA", *QI), k=50, cuts="relaxed"),
    "k-anonymity-full-domain": sdc.mechanism(
        "k-anonymity", quasi_identifiers=("PUMA", *QI), k=50, algorithm="full-domain"),
    "dp-k-anonymity": sdc.mechanism("dp-k-anonymity", quasi_identifiers=("PUMA", *QI), k=50),
    "rwn": sdc.mechanism("rwn", variables=QI),
}
DRAWN_ANEW: dict[str, Mechanism] = {
    "geometric": sdc.mechanism("geometric", postprocess="clip"),
    "mst": sdc.mechanism("mst", epsilon=4.0),
}


def write(folder: Path, files: Sequence[Mapping[str, Sequence[Any]]], kind: str = "parquet") -> str:
    """Files with these columns, numbered from 0; the pattern that means them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, columns in enumerate(files):
        table = pa.table({name: pa.array(list(values)) for name, values in columns.items()})
        path = folder / f"part-{number:05d}.{kind}"
        if kind == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            table.to_pandas().to_csv(path, index=False)
    return str(folder / f"*.{kind}")


def people(rows: int, seed: int = 1, start: int = 0) -> dict[str, list[Any]]:
    """Made-up people: codes, numbers, gaps."""
    rng = np.random.default_rng(seed)
    return {
        "id": list(range(start, start + rows)),
        "town": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]).tolist(),
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "job": [None if one == "none" else one for one in rng.choice(
            ["cook", "smith", "none"], rows, p=[0.6, 0.3, 0.1])],
        "age": rng.integers(0, 95, rows).tolist(),
    }


def released(folder: Path, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """All records of a release, in the order of its files."""
    parts = [pyarrow.parquet.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    table = pa.concat_tables(parts, promote_options="default")
    return list(zip(*(table[name].to_pylist() for name in columns), strict=True))


def counted(folder: Path, columns: Sequence[str]) -> Counter[tuple[Any, ...]]:
    return Counter(released(folder, columns))

"""How faithful is a twin to its original, and does it repeat anybody?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from sdc_core.build.twins import COLUMNS, NUMERIC, as_number, band_labels, decile_starts


@dataclass(frozen=True)
class Fidelity:
    """How far is a twin from its original, and does it repeat anybody?"""

    rows: int
    five_feature_distance: float  # sum of |twin - real| over the histogram, per row
    zero_share_real: float
    zero_share_twin: float
    worst_pair: tuple[str, str]
    worst_pair_distance: float  # total variation
    mean_pair_distance: float
    repeated_share: float  # twin records equal to a real record on all columns


def fidelity(real: pd.DataFrame, twin: pd.DataFrame) -> Fidelity:
    """How close is the twin on the five-feature histogram, on all pairs, and record by record?"""
    real_cells, twin_cells = _five_features(real), _five_features(twin)
    cells = pd.MultiIndex.from_product([real_cells[name].unique() for name in real_cells])
    real_counts = real_cells.value_counts().reindex(cells, fill_value=0)
    twin_counts = twin_cells.value_counts().reindex(cells, fill_value=0)
    # People outside the original's observed values count as distance too.
    distance = (real_counts - twin_counts).abs().sum() + len(twin) - twin_counts.sum()
    pairs = _pair_distances(real, twin)
    worst_pair = max(pairs, key=lambda pair: pairs[pair])
    return Fidelity(
        rows=len(twin),
        five_feature_distance=float(distance / len(real)),
        zero_share_real=float((real_counts == 0).mean()),
        zero_share_twin=float((twin_counts == 0).mean()),
        worst_pair=worst_pair,
        worst_pair_distance=pairs[worst_pair],
        mean_pair_distance=float(np.mean(list(pairs.values()))),
        repeated_share=_repeated_share(real, twin),
    )


def _five_features(table: pd.DataFrame) -> pd.DataFrame:
    """In which cell of the five-feature histogram does each person lie?"""
    rich = as_number(table["PINCP"]) >= 50_000
    return table[["PUMA", "RAC1P", "SEX", "OWN_RENT"]].assign(INCOME_50K=rich)


def _pair_distances(real: pd.DataFrame, twin: pd.DataFrame) -> dict[tuple[str, str], float]:
    """How much probability lies elsewhere in each two-way table, numbers cut at real deciles?"""
    real, twin = real.loc[:, list(COLUMNS)].copy(), twin.loc[:, list(COLUMNS)].copy()
    for name in NUMERIC:
        starts = np.concatenate([[-np.inf], decile_starts(as_number(real[name]))])
        real[name], twin[name] = (band_labels(table[name], starts) for table in (real, twin))
    distances = {}
    for pair in combinations(COLUMNS, 2):
        shares = (table.value_counts(list(pair), normalize=True) for table in (real, twin))
        distances[pair] = float(next(shares).sub(next(shares), fill_value=0).abs().sum() / 2)
    return distances


def _repeated_share(real: pd.DataFrame, twin: pd.DataFrame) -> float:
    """How many twin records equal a real record on all columns, 5000 and 5000.0 being the same?"""
    records = []
    for table in (real, twin):
        income = as_number(table["PINCP"]).fillna(np.inf)
        records.append(pd.MultiIndex.from_frame(table[list(COLUMNS)].assign(PINCP=income)))
    return float(records[1].isin(records[0]).mean())


def fidelity_table(results: dict[str, Fidelity]) -> str:
    """How does the measured fidelity read in the data folder's README?"""
    lines = [
        "| data set | rows | five-feature distance | zero cells, real | zero cells, twin "
        "| worst pair | its distance | mean over pairs | repeated records |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for name, f in results.items():
        lines.append(
            f"| {name} | {f.rows:,} | {f.five_feature_distance:.1%} | {f.zero_share_real:.1%} "
            f"| {f.zero_share_twin:.1%} | {' × '.join(f.worst_pair)} | {f.worst_pair_distance:.3f} "
            f"| {f.mean_pair_distance:.3f} | {f.repeated_share:.2%} |"
        )
    return "\n".join(lines)

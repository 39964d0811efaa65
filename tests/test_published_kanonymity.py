"""P1's Table 1 for DP k-anonymity, with a plain implementation on records of what P1 leaves open.

P1 does not say what its quasi-identifiers are, where it cuts, or what bias is measured against.
With age among the quasi-identifiers, cuts below the median of the codes (as common Mondrian
programs do) and the kept records as the truth, its numbers come out in order, trend and about in
size.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms.base import repetition_rng

RealData = Callable[[str], sdc.Dataset]
PUBLISHED = {0.5: 2337.8, 1.0: 3297.4, 2.0: 4175.5, 4.0: 4590.7}
K = 6
REPETITIONS = 8


def classes(codes: np.ndarray) -> list[np.ndarray]:
    """Rows of each class: cut below the median of the feature that spreads most, while both sides
    keep k records."""
    scale = np.maximum(codes.max(axis=0) - codes.min(axis=0), 1)
    done, open_ = [], [np.arange(len(codes))]
    while open_:
        rows = open_.pop()
        own = codes[rows]
        for j in np.argsort(-(own.max(axis=0) - own.min(axis=0)) / scale):
            below = own[:, j] < np.median(own[:, j])
            if K <= below.sum() <= len(rows) - K:
                open_ += [rows[below], rows[~below]]
                break
        else:
            done.append(rows)
    return done


def drawn_back(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every record draws each feature from the values of its class, all alike."""
    out = codes.copy()
    for rows in classes(codes):
        assert len(rows) >= K
        for j in range(codes.shape[1]):
            out[rows, j] = rng.choice(np.unique(codes[rows, j]), len(rows))
    return out


@pytest.mark.slow
def test_published_size_order_and_trend_against_the_sample(real_data: RealData) -> None:
    data = real_data("ma2019")
    coded = [data.coded(name) for name in FIVE_FEATURES]
    shape = [len(feature) for _, feature in coded]
    ages = data.records["AGEP"].to_numpy().astype(np.int64)
    records = np.column_stack([codes for codes, _ in coded] + [ages]).astype(np.int64)

    def table(rows: np.ndarray) -> np.ndarray:
        cells = np.ravel_multi_index(tuple(rows[:, :5].T), shape)
        return np.bincount(cells, minlength=math.prod(shape))

    found = {}
    for epsilon in PUBLISHED:
        shift = np.zeros(math.prod(shape))
        for r in range(REPETITIONS):
            rng = repetition_rng(7, r)
            kept = records[rng.random(len(records)) < -math.expm1(-epsilon)]
            shift += (table(drawn_back(kept, rng)) - table(kept)) / REPETITIONS
        found[epsilon] = float(np.abs(shift).sum())
    ours = list(found.values())
    assert ours == sorted(ours)  # rises with ε, as printed
    for epsilon, printed in PUBLISHED.items():
        assert found[epsilon] == pytest.approx(printed, rel=0.25), found

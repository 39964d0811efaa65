"""P1's DP k-anonymity as its program seems to have done it, which its text leaves open.

It names a public program for Mondrian, and features, among them age. Tried were: which features are
cut and counted, age in years or in groups, codes cut as numbers or as lists, values drawn alike or
bell-shaped, the sample or all records as the truth, and the error of the average release or the
average error of a release. One reading comes near the printed numbers in all three tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.error import fairness_alpha, l1_bias
from sdc_core.papers.p1_coding import ipums_columns

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
K = 6
YEARS = 3  # in an age group


@dataclass(frozen=True, eq=False)
class Coded:
    """Records as codes, a column a feature; all features are cut, the `counted` ones make the
    table. Features that are not `listed` are cut as numbers."""

    codes: Ints
    listed: tuple[bool, ...]
    counted: tuple[int, ...]

    def table(self, rows: Ints) -> Ints:
        """How many records have each combination of the counted features."""
        shape = [int(self.codes[:, j].max()) + 1 for j in self.counted]
        cells = np.ravel_multi_index(tuple(rows[:, j] for j in self.counted), shape)
        return np.bincount(cells, minlength=int(np.prod(shape)))


def with_age_groups(data: Dataset, draw: int = 0) -> Coded:
    """IPUMS's codes and age in groups of three years, all of them counted; age cut as a number."""
    age = (_age(data) // YEARS).astype(np.int64)
    columns = [*(codes for codes, _ in ipums_columns(data, draw)), age]
    return Coded(np.column_stack(columns).astype(np.int64), (True,) * 5 + (False,), tuple(range(6)))


def with_age_cut_but_not_counted(data: Dataset) -> Coded:
    """The excerpt's five features counted, age in years among what is cut, all as numbers."""
    columns = [*(data.coded(name)[0] for name in FIVE_FEATURES), _age(data)]
    return Coded(np.column_stack(columns).astype(np.int64), (False,) * 6, tuple(range(5)))


def _age(data: Dataset) -> Ints:
    return data.records["AGEP"].to_numpy().astype(np.int64)


def classes(codes: Ints, listed: Sequence[bool], k: int = K) -> list[Ints]:
    """Rows of each class: cut the feature that spreads most, as long as both sides keep k records.

    Numbers are cut below their median; lists are cut in two halves, values in the order in which
    they occur.
    """
    scale = [max(_spread(codes[:, j], one), 1) for j, one in enumerate(listed)]
    done, open_ = [], [np.arange(len(codes))]
    while open_:
        rows = open_.pop()
        own = codes[rows]
        spread = [_spread(own[:, j], one) / scale[j] for j, one in enumerate(listed)]
        for j in sorted(range(len(listed)), key=lambda j: -spread[j]):
            first = _first_side(own[:, j], listed[j])
            if k <= first.sum() <= len(rows) - k:
                open_ += [rows[first], rows[~first]]
                break
        else:
            done.append(rows)
    return done


def _spread(values: Ints, listed: bool) -> int:
    """Different values, or from the least to the greatest."""
    if listed:
        return len(_present(values))
    return int(values.max() - values.min())


def _first_side(values: Ints, listed: bool) -> Bools:
    if not listed:
        return np.asarray(values < np.median(values))
    found = _present(values)
    first = np.zeros(int(found[-1]) + 1, dtype=np.int64)
    first[values[::-1]] = np.arange(len(values))[::-1]  # the first of each is written last
    place = np.empty(len(first), dtype=np.int64)
    place[found[np.argsort(first[found])]] = np.arange(len(found))
    return np.asarray(place[values] < len(found) // 2)


def _present(values: Ints) -> Ints:
    return np.flatnonzero(np.bincount(values))


def drawn_back(records: Coded, kept: Ints, rng: np.random.Generator) -> Ints:
    """Every record draws each feature from the values of its class, all alike (P1 Alg. 5)."""
    out = kept.copy()
    for rows in classes(kept, records.listed):
        for j in range(kept.shape[1]):
            values = _present(kept[rows, j])
            if len(values) > 1:
                out[rows, j] = values[rng.integers(len(values), size=len(rows))]
    return out


@dataclass(frozen=True, eq=False)
class Moved:
    """How releases differ from the samples that they were made of: one row a release."""

    by: Floats

    @property
    def errors(self) -> Floats:
        """The error of each release."""
        return np.abs(self.by).sum(axis=1)

    @property
    def ranges(self) -> Floats:
        """How far apart the best and the worst treated group of each release are."""
        return np.ptp(self.by, axis=1)

    @property
    def bias(self) -> Floats:
        return np.asarray(self.by.mean(axis=0))

    def of_the_average(self) -> tuple[float, float]:
        return l1_bias(self.bias), fairness_alpha(self.bias)


def released(records: Coded, epsilon: float, repetitions: int, seed: int) -> Moved:
    """Releases of DP k-anonymity against the records that each of them kept."""
    rows = []
    for number in range(repetitions):
        rng = repetition_rng(seed, number)
        kept = records.codes[rng.random(len(records.codes)) < -np.expm1(-epsilon)]
        back = drawn_back(records, kept, rng)
        rows.append((records.table(back) - records.table(kept)).astype(np.float32))
    return Moved(np.array(rows))

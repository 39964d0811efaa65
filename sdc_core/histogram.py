"""Domain and Histogram: how many people are in each combination of values.

A histogram counts over a declared domain, zeros included, because an empty group is also
information: what a mechanism does to zeros is half of the story in sparse tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError

MAX_CELLS = 1 << 24
MAX_COUNT = 10**15  # beyond it floating point cannot tell neighbouring counts apart
_CHUNK = 1 << 17  # rows whose running index stays in the processor's cache


@dataclass(frozen=True)
class Feature:
    """One axis of a domain: its values in order, and the words for them."""

    name: str
    title: str
    values: tuple[str, ...]
    labels: tuple[str, ...]
    ordered: bool = False  # bins of a number: neighbours are closer than others
    unordered_tail: int = 0  # how many values at the end (missing) are not in that order

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Domain:
    """The product of the features' values; cell 0 has the first value of every feature."""

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if self.size > MAX_CELLS:
            widest = sorted(self.features, key=len, reverse=True)[:2]
            names = " or ".join(f"{f.name} ({len(f)} values)" for f in widest)
            raise InputError(
                f"These features span {self.size:,} groups; the limit is {MAX_CELLS:,}. "
                f"Drop {names}, or use fewer bins."
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(f) for f in self.features)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.features)

    def axes(self, names: Iterable[str], role: str) -> tuple[int, ...]:
        """Positions of these features; `role` (a parameter's name) goes into the error."""
        found = []
        for name in names:
            if name not in self.names:
                raise InputError(
                    f"{role} names {name!r}, which the table is not counted by. It has: "
                    f"{', '.join(self.names)}."
                )
            found.append(self.names.index(name))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts (int64, one per cell of the domain, in row-major order)."""

    counts: NDArray[np.int64]
    domain: Domain

    def __post_init__(self) -> None:
        if self.counts.shape != (self.domain.size,):
            raise InputError(
                f"counts has shape {self.counts.shape} but the domain has {self.domain.size} cells."
            )
        self.counts.setflags(write=False)

    @classmethod
    def from_counts(cls, counts: Iterable[int]) -> Histogram:
        """A histogram of anonymous cells, for formulas and small examples."""
        checked = as_counts(counts)
        names = tuple(str(i) for i in range(len(checked)))
        labels = tuple(f"cell {i + 1}" for i in range(len(checked)))
        return cls(checked.copy(), Domain((Feature("cell", "Cell", names, labels),)))

    @classmethod
    def from_codes(cls, columns: Sequence[NDArray[np.integer]], domain: Domain) -> Histogram:
        """Count coded records: column j holds positions in the values of feature j."""
        return cls(count_codes(columns, domain.shape), domain)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def __len__(self) -> int:
        return self.domain.size

    def cells(self) -> pd.DataFrame:
        """Every cell with its values in words and its count."""
        positions = np.unravel_index(np.arange(self.domain.size), self.domain.shape)
        titles = _distinct(["count", *(f.title for f in self.domain.features)])
        columns = {
            title: pd.Categorical.from_codes(
                np.asarray(codes), categories=list(_distinct(feature.labels))
            )
            for title, feature, codes in zip(
                titles[1:], self.domain.features, positions, strict=True
            )
        }
        return pd.DataFrame({**columns, "count": self.counts})

    def describe_cells(self, indices: Iterable[int]) -> list[str]:
        """Whom a cell is about, in words: `Black alone, renting, ...`."""
        wanted = np.asarray(list(indices), dtype=np.int64)
        positions = np.unravel_index(wanted, self.domain.shape)
        return [
            ", ".join(
                f.labels[int(column[row])]
                for f, column in zip(self.domain.features, positions, strict=True)
            )
            for row in range(len(wanted))
        ]


def count_codes(
    columns: Sequence[NDArray[np.integer]], shape: Sequence[int]
) -> NDArray[np.int64]:
    """How many rows have each combination of codes, in one pass over the rows.

    Rows are taken in chunks that fit the cache: the running mixed-radix index is then never
    written to main memory, which for many millions of rows is the greater part of the cost.
    """
    size = math.prod(shape)
    rows = len(columns[0])
    chunk = max(_CHUNK, size)  # adding up the tables must not cost more than filling them
    counts = np.zeros(size, dtype=np.int64)
    for start in range(0, rows, chunk):
        index = columns[0][start : start + chunk].astype(np.intp)
        for codes, radix in zip(columns[1:], shape[1:], strict=True):
            index *= radix
            index += codes[start : start + chunk]
        counts += np.bincount(index, minlength=size)
    return counts


def as_counts(data: Histogram | Iterable[int]) -> NDArray[np.int64]:
    """Counts as int64, or a sentence saying what is wrong with them."""
    if isinstance(data, Histogram):
        return data.counts
    try:
        values = np.asarray(data if isinstance(data, np.ndarray) else list(data))
    except (TypeError, ValueError):  # lists of different lengths
        values = np.empty(0)
    if values.ndim != 1 or values.size == 0:
        raise InputError("counts must be a non-empty list of whole numbers, such as 0,1,4,20.")
    if values.dtype.kind not in "iuf" or np.any(values != np.floor(values)):
        raise InputError("counts must be whole numbers, such as 0,1,4,20.")
    if np.any(values < 0):
        raise InputError(f"counts must not be negative, got {values.min():g}.")
    if np.any(values > MAX_COUNT):
        raise InputError(f"counts must be at most {MAX_COUNT:,}, got {values.max():g}.")
    return values.astype(np.int64)


def _distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels made different from each other, as a categorical needs."""
    seen: dict[str, int] = {}
    out = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        out.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(out)

"""Domain and Histogram: how many people are in each combination of values.

A histogram counts over a declared domain, zeros included, because an empty group is also
information: what a mechanism does to zeros is half of the story in sparse tables.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.households import Households
from sdc_core.weights import Weights

MAX_CELLS = 1 << 24
MAX_COUNT = 10**15  # beyond it floating point cannot tell neighbouring counts apart
QUASI = "quasi-identifier"  # what a feature is unless somebody says otherwise
_MARKED = 1 << 16  # counts up to here are told apart by marking them, however few cells there are
_CHUNK = 1 << 17  # rows whose running index stays in the processor's cache


@dataclass(frozen=True)
class Feature:
    """One axis of a domain: its values in order, and the words for them. `role` is what the schema
    says it is to somebody who wants to find a person."""

    name: str
    title: str
    values: tuple[str, ...]
    labels: tuple[str, ...]
    ordered: bool = False  # bins of a number: neighbours are closer than others
    unordered_tail: int = 0  # how many values at the end (missing) stand in no order
    role: str = QUASI

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Domain:
    """The product of the features' values; cell 0 has the first value of every feature.

    `read_off` names the features whose values (or bin edges) were read off the data itself instead
    of being declared beforehand: the shape of every release then tells which values occur.
    """

    features: tuple[Feature, ...]
    read_off: tuple[str, ...] = ()

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


def fewer_features(
    domain: Domain, most: int, left: Callable[[tuple[int, ...]], int] | None = None
) -> str:
    """What would make a table small enough, in a sentence: the fewest features to drop, and of
    those the ones that leave most, the place and what is sensitive only where nothing else will do.
    `left` says what is left of the axes that are kept; by itself the number of groups."""
    def groups(kept: tuple[int, ...]) -> int:
        return math.prod(domain.shape[axis] for axis in kept)

    axes = range(len(domain.features))
    for number in range(len(domain.features) - 1, 0, -1):
        able = {kept: size for kept in itertools.combinations(axes, number)
                if (size := (left or groups)(kept)) <= most}
        if able:
            kept = max(able, key=lambda one: (
                sum(domain.features[a].role != QUASI for a in one), able[one]))
            dropped = [domain.features[a].title for a in axes if a not in kept]
            return (
                f"Count by fewer features: dropping {' and '.join(dropped)} leaves "
                f"{able[kept]:,}."
            )
    return "Use fewer bins, or merge values."


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts (int64, one per cell of the domain, in row-major order).

    `weights` say for how many people its records stand, where errors and sums are to be told in
    people represented; mechanisms act on the counts of records all the same. `find_households` says
    who lives with whom, where the data know it; it is asked when somebody wants to know.
    """

    counts: NDArray[np.int64]
    domain: Domain
    weights: Weights | None = None
    find_households: Callable[[], Households] | None = field(default=None, repr=False)

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
    def from_codes(
        cls, columns: Sequence[NDArray[np.integer]], domain: Domain,
        find_households: Callable[[], Households] | None = None,
    ) -> Histogram:
        """Count coded records: column j holds positions in the values of feature j."""
        return cls(count_codes(columns, domain.shape), domain, None, find_households)

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """The different counts, and which of them each cell has: where cells are many, they are
        few, and what hangs on a count alone is computed for them only."""
        largest = int(self.counts.max(initial=0))
        if largest > _MARKED + 4 * len(self.counts):
            found, which = np.unique(self.counts, return_inverse=True)
            return found, which
        there = np.zeros(largest + 1, dtype=np.bool_)  # small numbers: marking is faster
        there[self.counts] = True
        return np.flatnonzero(there), (np.cumsum(there) - 1)[self.counts]

    @property
    def weighted(self) -> bool:
        """Are errors and sums told in people represented, and not in records?"""
        return self.weights is not None

    @cached_property
    def per_record(self) -> NDArray[np.float64]:
        """For how many people a record of each cell counts: one, or as the weights say."""
        if self.weights is None:
            return np.ones(len(self))
        return self.weights.per_record(self.counts)

    @property
    def people(self) -> NDArray[np.float64]:
        """How many people each cell stands for: its records, or whom they represent."""
        return self.counts * self.per_record

    @cached_property
    def in_records(self) -> Histogram:
        """The same table, told in records."""
        if self.weights is None:
            return self
        return Histogram(self.counts, self.domain, None, self.find_households)

    @cached_property
    def households(self) -> Households | None:
        """Who lives with whom; None where the data do not say."""
        return None if self.find_households is None else self.find_households()

    def __len__(self) -> int:
        return self.domain.size

    def cells(self) -> pd.DataFrame:
        """Every cell with its values in words and its count."""
        positions = np.unravel_index(np.arange(self.domain.size), self.domain.shape)
        titles = distinct(["count", *(f.title for f in self.domain.features)])
        columns = {
            title: pd.Categorical.from_codes(
                np.asarray(codes), categories=list(distinct(feature.labels))
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


def distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels made different from each other, as columns and categories must be: the second of two
    that are alike gets a (2) behind it, or the first number that no other label has."""
    taken, seen, out = set(labels), set[str](), []
    for label in labels:
        unlike = label
        if label in seen:
            numbers = (f"{label} ({i})" for i in itertools.count(2))
            unlike = next(name for name in numbers if name not in taken)
            taken.add(unlike)
        seen.add(unlike)
        out.append(unlike)
    return tuple(out)

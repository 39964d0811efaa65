"""The original and a release over the same patterns: what every look at both together starts from.

A pattern is a combination of values that occurs in at least one of the two; how often is all that
matters, so cost grows with the number of patterns, not with the number of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Feature, Histogram

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """`codes`: one row a pattern, one column a feature (positions in its values)."""

    features: tuple[Feature, ...]
    codes: Ints
    original: Ints
    released: Ints

    @classmethod
    def of_table(cls, table: Histogram, released: NDArray[np.integer]) -> SideBySide:
        """Original counts and released people over the table's domain; empty cells fall away."""
        counts = np.asarray(released)
        if counts.shape != table.counts.shape or (counts < 0).any() or counts.dtype.kind != "i":
            raise InputError(
                f"released must be {len(table):,} whole counts of at least 0, one for each cell; "
                "use released_people."
            )
        (found,) = cls.of_releases(table, counts[None, :])
        return found

    @classmethod
    def of_releases(cls, table: Histogram, rows: NDArray[np.integer]) -> list[SideBySide]:
        """The original beside each release, all over the same patterns: those that occur in any,
        so that models can be fitted to all releases in one go."""
        used = np.flatnonzero((table.counts > 0) | (rows > 0).any(axis=0))
        codes = np.stack(np.unravel_index(used, table.domain.shape), axis=1)
        original, released = table.counts[used], rows[:, used].astype(np.int64)
        return [cls(table.domain.features, codes, original, row) for row in released]

    @classmethod
    def of_codes(
        cls,
        features: Sequence[Feature],
        original: Sequence[NDArray[np.integer]],
        released: Sequence[NDArray[np.integer]],
    ) -> SideBySide:
        """From coded records, one column a feature: for more features than a table can have."""
        columns = [np.concatenate(pair) for pair in zip(original, released, strict=True)]
        keys = _row_keys(columns, [len(f) for f in features])
        which = pd.factorize(keys)[0]
        first = np.flatnonzero(np.diff(np.maximum.accumulate(which), prepend=-1))
        people = len(original[0])
        return cls(
            tuple(features),
            np.array([column[first] for column in columns], dtype=np.int64).T,
            np.bincount(which[:people], minlength=len(first)),
            np.bincount(which[people:], minlength=len(first)),
        )

    @cached_property
    def people(self) -> int:
        return int(self.original.sum())

    @cached_property
    def released_people(self) -> int:
        return int(self.released.sum())

    def need_people(self) -> None:
        """Raise where one side is empty: there is nothing to compare then."""
        if not self.released_people:
            raise InputError(
                "This release has no people in it, so there is nothing to compare with. Use a "
                "larger ε or another setting."
            )
        if not self.people:
            raise InputError("The data has no people in it. Choose other data.")

    def in_words(self, pattern: Sequence[int]) -> str:
        """Whom a pattern is about."""
        return ", ".join(
            f.labels[code] for f, code in zip(self.features, pattern, strict=True))


def _row_keys(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> Ints:
    """One number for every row, the same for the same row: mixed radix, made dense whenever the
    next digit would not fit into 63 bits."""
    keys, reach = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        if reach * size >= 1 << 62:
            keys = pd.factorize(keys)[0].astype(np.int64)  # by hashing: sorting takes longer
            reach = len(keys)
        keys = keys * size + column
        reach *= size
    return keys

"""What becomes of each record: a small table from cells to what is published of their records.

Question: how is a method that works on counts carried out on records, wherever they are? The
records of a cell are alike in all that a method looks at, so it is enough to say where they go:
each by itself with certain chances, or so many of them here and so many there, drawn beforehand.
Which of them is then a matter of chance alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms.moves import Patterns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OUT = -1  # the target of records that are left out


@dataclass(frozen=True, eq=False)
class RecordMoves:
    """Row i: records of `cells[i]` go to row `targets[i]` of `places` (positions in the values of
    the published `features`), each by itself with chance `shares[i]`, or exactly `numbers[i]` of
    them: one of the two is given. Rows are in the order of the cells and cover all their records;
    those who stay come last, and those who are left out after them."""

    features: tuple[Feature, ...]
    places: Ints
    cells: Ints
    targets: Ints
    shares: Floats | None = None
    numbers: Ints | None = None

    @classmethod
    def of_patterns(
        cls, patterns: Patterns, shares: Floats | None = None, numbers: Ints | None = None
    ) -> RecordMoves:
        """From patterns to combinations of the features that may change; the others stay."""
        given = shares if numbers is None else numbers
        assert given is not None
        which, column = np.nonzero(given > 0)
        cells, ends = patterns.cells[which], patterns.numbers[patterns.rows[which], column]
        taken = given[which, column]
        return cls._over(patterns.table, cells, ends, *(
            (taken, None) if numbers is None else (None, taken)))

    @classmethod
    def of_movers(
        cls, table: Histogram, moved: Iterable[tuple[Ints, Ints, Ints]]
    ) -> RecordMoves:
        """From how many records go from a cell to another (or the same); all others stay."""
        found = list(moved)
        none = np.zeros(0, dtype=np.int64)
        start, end, number = (np.concatenate([none, *parts]) for parts in (
            zip(*found, strict=True) if found else ((), (), ())))
        own = np.flatnonzero(table.counts)
        stay = table.counts[own] - np.bincount(start, number, minlength=len(table))[own].astype(
            np.int64)
        pair, which = np.unique(
            np.r_[start, own] * len(table) + np.r_[end, own], return_inverse=True)
        numbers = np.bincount(which, np.r_[number, stay]).astype(np.int64)
        cells, ends = np.divmod(pair, len(table))
        return cls._over(table, cells[numbers > 0], ends[numbers > 0], None, numbers[numbers > 0])

    @classmethod
    def _over(
        cls, table: Histogram, cells: Ints, ends: Ints, shares: Floats | None, numbers: Ints | None
    ) -> RecordMoves:
        reached, targets = np.unique(ends, return_inverse=True)
        places = np.stack(np.unravel_index(reached, table.domain.shape), axis=1).astype(np.int64)
        order = np.lexsort((ends, cells == ends, cells))
        return cls(
            table.domain.features, places, cells[order], targets.reshape(-1)[order],
            None if shares is None else shares[order], None if numbers is None else numbers[order])

    @classmethod
    def of_numbers(
        cls, table: Histogram, features: tuple[Feature, ...], places: Ints, cells: Ints,
        targets: Ints, numbers: Ints,
    ) -> RecordMoves:
        """To rows that are published in place of cells; what is not accounted for is left out."""
        own = np.flatnonzero(table.counts)
        out = table.counts[own] - np.bincount(cells, numbers, minlength=len(table))[own].astype(
            np.int64)
        cells = np.r_[cells, own[out > 0]]
        targets = np.r_[targets, np.full(int((out > 0).sum()), OUT)]
        order = np.lexsort((targets, targets == OUT, cells))
        return cls(features, places, cells[order], targets[order],
                   numbers=np.r_[numbers, out[out > 0]][order])

"""What stands behind the counts of a table: for how many people its records stand, and who lives
with whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.raw import Raw
from sdc_core.data.schema import Column
from sdc_core.households import Households
from sdc_core.weights import Weights

Codes = NDArray[np.integer]


def weights(raw: Raw, column: Column, codes: Sequence[Codes], shape: tuple[int, ...]) -> Weights:
    """The survey weights of a table's cells; `codes` are the records' positions in its features."""
    return Weights.of(raw.numbers(column), _cells(codes, shape), int(np.prod(shape)), column.name)


def households(
    raw: Raw, column: Column, codes: Sequence[Codes], shape: tuple[int, ...]
) -> Households:
    """Who lives with whom, in a table's cells."""
    return Households.of(_homes(raw, column), _cells(codes, shape))


def largest_household(raw: Raw, column: Column) -> int:
    """How many people live in the largest household."""
    return int(np.bincount(_homes(raw, column)).max(initial=0))


def _homes(raw: Raw, column: Column) -> NDArray[np.int64]:
    """A number for each record, alike for those who live together. A record without a household id
    is a household of its own."""
    named = raw.distinct(column.name).without(column.missing).codes.astype(np.int64)
    alone = named < 0
    named[alone] = named.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return named


def _cells(codes: Sequence[Codes], shape: tuple[int, ...]) -> NDArray[np.intp]:
    return np.ravel_multi_index(tuple(c.astype(np.intp) for c in codes), shape)

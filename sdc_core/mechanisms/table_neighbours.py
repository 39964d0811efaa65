"""Neighbourhoods of the records behind a table of counts, pattern by pattern.

The records of a table are taken to stand in the order of its cells. Those of one cell are alike, so
what matters is how many of a cell's records are in a neighbourhood, not which.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Feature
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.moves import Floats, Patterns
from sdc_core.records import Records, Scale, Variable

_DECIMALS = 9


@kept_with_first
def points_of(patterns: Patterns) -> Floats:
    """A point for each pattern, on the scale that the records themselves would set."""
    records = records_of(patterns)
    return Scale.of(records).points(records)


def records_of(patterns: Patterns) -> Records:
    """One record for each pattern: bins of a number by their position, all else as categories."""
    codes = np.unravel_index(cells_of(patterns), patterns.table.domain.shape)
    found = [
        _variable(feature, np.asarray(code))
        for feature, code in zip(patterns.table.domain.features, codes, strict=True)
    ]
    return Records(tuple(v for v, _ in found), np.column_stack([c for _, c in found]))


def _variable(feature: Feature, codes: NDArray[np.integer]) -> tuple[Variable, Floats]:
    bins = len(feature) - feature.unordered_tail
    numbers = np.where(codes < bins, codes, np.nan).astype(np.float64)
    if feature.ordered and not np.isnan(numbers).all():
        return Variable(feature.name, feature.title, "numeric", whole=True), numbers
    return Variable(
        feature.name, feature.title, "categorical", feature.values, feature.labels,
    ), codes.astype(np.float64)


def cells_of(patterns: Patterns) -> NDArray[np.intp]:
    """The cell of each pattern in the table's own order."""
    cells = np.zeros(patterns.matrix.shape)
    cells[patterns.rows, patterns.columns] = np.arange(len(patterns.sizes)) + 1
    flat = patterns.back(cells).astype(np.intp)
    place = np.empty(len(patterns.sizes), dtype=np.intp)
    held = np.flatnonzero(flat)
    place[flat[held] - 1] = held
    return place


@kept_with_first
def shares_of_neighbours(patterns: Patterns, k: int, radius: float) -> Floats:
    """For a record of each pattern, which share of its neighbours is of each pattern."""
    points, sizes, cells = points_of(patterns), patterns.sizes, cells_of(patterns)
    squares = np.einsum("ij,ij->i", points, points)
    squared = np.round(squares[:, None] + squares[None] - 2 * points @ points.T, _DECIMALS)
    np.fill_diagonal(squared, 0.0)
    others = np.tile(sizes, (len(sizes), 1))
    np.fill_diagonal(others, sizes - 1)  # nobody is their own neighbour
    order = np.lexsort((np.tile(cells, (len(cells), 1)), squared), axis=1)
    ordered = np.take_along_axis(others, order, axis=1)
    before = np.cumsum(ordered, axis=1) - ordered
    nearest = np.empty_like(others)
    np.put_along_axis(nearest, order, np.clip(k - before, 0, ordered), axis=1)
    taken = np.where(squared <= np.round(radius**2, _DECIMALS), others, nearest)
    return taken / taken.sum(axis=1, keepdims=True)

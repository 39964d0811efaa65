"""Records that keep their other features and may change their quasi-identifiers.

A table is seen as a matrix: a row for every combination of the other features, a column for every
combination of quasi-identifiers. A swap moves a record along its row. Where records move
independently, everything about the released table follows from each pattern's transition
probabilities, so it is exact and costs by the pattern, not by the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_AT_ONCE = 2_000_000  # complex numbers: 32 MB


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct records of a table: how many there are, and where each stands in the matrix."""

    table: Histogram
    qi_axes: tuple[int, ...]

    @classmethod
    def of(cls, table: Histogram, quasi_identifiers: Sequence[str]) -> Patterns:
        axes = table.domain.axes(quasi_identifiers, "quasi_identifiers")
        if len(axes) == len(table.domain.features):
            raise InputError(
                "quasi_identifiers names every feature of the table: nothing would be left for "
                "them to be swapped against. Leave at least one feature out."
            )
        return cls(table, axes)

    @cached_property
    def _order(self) -> tuple[int, ...]:
        rest = tuple(i for i in range(len(self.table.domain.shape)) if i not in self.qi_axes)
        return rest + self.qi_axes

    @property
    def n_q(self) -> int:
        """How many combinations of quasi-identifiers the domain has."""
        return int(np.prod([self.table.domain.shape[i] for i in self.qi_axes]))

    @cached_property
    def matrix(self) -> Ints:
        """Counts with the other features down and the quasi-identifiers across."""
        cube = self.table.counts.reshape(self.table.domain.shape)
        return cube.transpose(self._order).reshape(-1, self.n_q)

    def back(self, matrix: Floats) -> Floats:
        """A matrix of that shape as counts over the table's own domain."""
        shape = self.table.domain.shape
        cube = matrix.reshape(*matrix.shape[:-2], *(shape[i] for i in self._order))
        lead = matrix.ndim - 2
        inverse = [*range(lead), *(lead + i for i in np.argsort(self._order))]
        return cube.transpose(inverse).reshape(*matrix.shape[:-2], -1)

    @cached_property
    def rows(self) -> Ints:
        return np.nonzero(self.matrix)[0]

    @cached_property
    def columns(self) -> Ints:
        return np.nonzero(self.matrix)[1]

    @cached_property
    def sizes(self) -> Ints:
        return self.matrix[self.rows, self.columns]

    @cached_property
    def numbers(self) -> Ints:
        """Which cell of the table stands where in the matrix."""
        cube = np.arange(len(self.table)).reshape(self.table.domain.shape)
        return cube.transpose(self._order).reshape(-1, self.n_q)

    @property
    def cells(self) -> Ints:
        """Which cell of the table each pattern is."""
        return self.numbers[self.rows, self.columns]

    @cached_property
    def row_starts(self) -> Ints:
        """Where each row's patterns begin (patterns are in the order of rows)."""
        return np.flatnonzero(np.r_[len(self.rows) > 0, np.diff(self.rows) != 0])

    @cached_property
    def distances(self) -> Floats:
        """d_swap between patterns: a mismatch counts one, bins of a number by how far apart."""
        cells = np.flatnonzero(self.matrix.reshape(-1))
        order = [self.table.domain.features[i] for i in self._order]
        codes = np.unravel_index(cells, tuple(len(f) for f in order))
        total = np.zeros((len(cells), len(cells)))
        for feature, code in zip(order, codes, strict=True):
            one, other = code[:, None], code[None, :]
            bins = len(feature) - feature.unordered_tail
            if feature.ordered and bins > 1:
                steps = np.abs(one - other) / (bins - 1)
                outside = (one >= bins) | (other >= bins)  # missing is as far as can be from a bin
                total += np.where(outside, one != other, steps)
            else:
                total += one != other
        return np.round(total, 9)

    @cached_property
    def score_groups(self) -> tuple[Floats, Ints]:
        """The different scores (minus distance), and which one each pair of patterns has."""
        scores, which = np.unique(-self.distances, return_inverse=True)
        return scores, which.reshape(self.distances.shape)

    @property
    def distinct_qis(self) -> int:
        """How many combinations of quasi-identifiers really occur."""
        return int(np.count_nonzero(self.matrix.sum(axis=0)))

    def by_fewer(self, axes: tuple[int, ...]) -> int:
        """How many different records would there be if people were counted by these axes only?"""
        cube = self.table.counts.reshape(self.table.domain.shape)
        others = tuple(i for i in range(cube.ndim) if i not in axes)
        return int(np.count_nonzero(cube.sum(axis=others)))

    def sum_rows(self, by_pattern: Floats) -> Floats:
        """Add patterns of the same row: from (..., patterns, columns) to the full matrix."""
        out = np.zeros((*by_pattern.shape[:-2], *self.matrix.shape), dtype=by_pattern.dtype)
        if len(self.sizes):
            used = self.rows[self.row_starts]
            out[..., used, :] = np.add.reduceat(by_pattern, self.row_starts, axis=-2)
        return out


def expected_and_variance(patterns: Patterns, moves: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of each released count when each record moves by itself.

    `moves[p, q]` is the probability that a record of pattern p ends with quasi-identifiers q. A
    count is a sum of independent yes-or-no variables: variance Σ n π (1 - π).
    """
    sizes = patterns.sizes[:, None]
    mean = patterns.sum_rows(sizes * moves)
    variance = patterns.sum_rows(sizes * moves * (1 - moves))
    return patterns.back(mean), patterns.back(variance)


def expected_absolute_error(patterns: Patterns, moves: Floats) -> Floats:
    """E|Y - x| of each count, exactly: the law of Y by its Fourier transform.

    Y is a sum of independent binomials over the patterns of its row. Its law is wanted only within
    a window around the mean that holds all but e^(-40) of it, so a short transform will do, the
    shorter the surer the count.
    """
    mean = patterns.sum_rows(patterns.sizes[:, None] * moves)
    variance = patterns.sum_rows(patterns.sizes[:, None] * moves * (1 - moves))
    truth = patterns.matrix
    reach = 10 * np.sqrt(variance) + 30
    lengths = (2 ** np.ceil(np.log2(2 * reach))).astype(np.int64)
    out = np.abs(truth - mean)  # right where nothing can vary
    ends = np.r_[patterns.row_starts[1:], len(patterns.sizes)][: len(patterns.row_starts)]
    for start, end in zip(patterns.row_starts, ends, strict=True):
        row = patterns.rows[start]
        sizes = patterns.sizes[start:end, None, None]
        for length in np.unique(lengths[row]):
            alike = np.flatnonzero((lengths[row] == length) & (variance[row] > 0))
            for cells in _portions(alike, (end - start) * (int(length) // 2 + 1)):
                law = _law(sizes, moves[start:end, cells, None], int(length))
                centre = np.rint(mean[row, cells]).astype(np.int64)[:, None]
                values = centre + np.arange(-(length // 2), length - length // 2)
                weights = np.take_along_axis(law, values % length, axis=1)
                error = np.abs(values - truth[row, cells][:, None])
                out[row, cells] = (np.maximum(weights, 0.0) * error).sum(axis=1)
    return patterns.back(out)


def _portions(cells: NDArray[np.intp], each: int) -> list[NDArray[np.intp]]:
    """Cells in portions that need not too many numbers at once; `each` cell needs so many."""
    step = max(1, MAX_AT_ONCE // each)
    return [cells[at : at + step] for at in range(0, len(cells), step)]


def _law(sizes: Ints, probability: Floats, length: int) -> Floats:
    """The law of a sum of binomials, one a pattern, modulo the length: one row a cell."""
    reached = (probability > 0).any(axis=(1, 2))  # the others add nothing
    z = np.exp(-2j * np.pi * np.arange(length // 2 + 1) / length)
    terms = sizes[reached] * np.log1p(probability[reached] * (z - 1))
    return np.fft.irfft(np.exp(terms.sum(axis=0)), n=length, axis=1)


def draw_independent(
    patterns: Patterns, moves: Floats, rngs: Sequence[np.random.Generator]
) -> Floats:
    """Released tables, one per generator: a multinomial draw for every pattern."""
    if not len(patterns.sizes):
        return np.zeros((len(rngs), len(patterns.table)))
    drawn = np.stack([rng.multinomial(patterns.sizes, moves) for rng in rngs])
    return patterns.back(patterns.sum_rows(drawn.astype(np.float64)))


def cells_that_stay(patterns: Patterns) -> list[list[int]]:
    """The cells of each combination of features that stay: their sum is published exactly."""
    return patterns.numbers.tolist()


def counts_that_stay(table: Histogram | None, moved: Sequence[str]) -> tuple[str, ...]:
    """Counts by all features that stay with their record, by name where a table is given."""
    if table is None:
        return (f"counts by all features other than {', '.join(moved)}",)
    staying = [f.title for f in table.domain.features if f.name not in moved]
    return (f"counts by {' × '.join(staying)}" if staying else "the number of people",)

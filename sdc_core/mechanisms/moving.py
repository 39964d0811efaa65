"""Mechanisms under which each record moves by itself, with known chances from cell to cell.

Whatever decides where a record may go, a closest neighbour or a whole neighbourhood, the released
table then follows from each pattern's chances: mean, variance and expected error are exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, fewer_features
from sdc_core.mechanisms.base import Effort, Floats, Mechanism
from sdc_core.mechanisms.moves import (
    Patterns,
    cells_that_stay,
    draw_independent,
    expected_absolute_error,
    expected_and_variance,
)
from sdc_core.mechanisms.neighbour_tables import Support
from sdc_core.mechanisms.record_moves import RecordMoves

MAX_PATTERNS = 4000  # distances between all pairs: 128 MB, and seconds for each ε
MAX_MOVES = 10_000_000  # chances of each pattern to end with each combination of values: 80 MB


@dataclass(frozen=True)
class Moving(Mechanism):
    """Each record moves along its row of the table (the features that stay), by itself."""

    acts_on = "records"

    @abstractmethod
    def patterns(self, table: Histogram) -> Patterns:
        """The different records, and which of their features may change."""

    @abstractmethod
    def moves(self, patterns: Patterns) -> Floats:
        """The probability that a record of each pattern ends with each combination of values."""

    def support(self, table: Histogram) -> Support:
        """A cell has at least those who can only be there and at most those who can get there."""
        patterns = self.patterns(table)
        able = self.moves(patterns) > 0
        sizes = patterns.sizes[:, None].astype(np.float64)
        only = able & (able.sum(axis=1) == 1)[:, None]
        low, high = (patterns.back(patterns.sum_rows(sizes * who)) for who in (only, able))
        known = Support.of_sums(table, cells_that_stay(patterns))
        return Support(low, high, None, known.sums, known.totals)

    def effort(self, table: Histogram) -> Effort:
        """Each pattern is compared with each; the law of a count is summed over its row."""
        patterns = self.patterns(table)
        number = len(patterns.sizes)
        moves = number * patterns.n_q
        return Effort(4e-8 * moves, 3e-6 * moves, 2e-7 * min(number, MAX_PATTERNS) ** 2)

    def _refuse_many(self, patterns: Patterns) -> None:
        if len(patterns.sizes) > MAX_PATTERNS:
            remedy = fewer_features(patterns.table.domain, MAX_PATTERNS, patterns.by_fewer)
            raise InputError(
                f"The table has {len(patterns.sizes):,} different records; {self.name} compares "
                f"each with each and stops at {MAX_PATTERNS:,}. {remedy}"
            )

    def _refuse_wide(self, patterns: Patterns) -> None:
        if len(patterns.sizes) * patterns.n_q > MAX_MOVES:
            features = patterns.table.domain.features
            raise InputError(
                f"{len(patterns.sizes):,} different records and {patterns.n_q:,} combinations of "
                f"{', '.join(features[i].name for i in patterns.qi_axes)} are too many to follow "
                f"each record to each combination (up to {MAX_MOVES:,} in all). Let fewer features "
                "change."
            )

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        self._need(self.is_exact)
        table = named_table(self.name, data)
        patterns = self.patterns(table)
        moves = self.moves(patterns)
        mean, variance = expected_and_variance(patterns, moves)
        return mean - table.counts, variance, expected_absolute_error(patterns, moves)

    def _need(self, known: bool) -> None:
        if not known:
            raise InputError(
                f"{self.label()} has no closed form for this with these settings; use evaluate, "
                "which simulates."
            )

    def bias(self, data: Histogram | Iterable[int]) -> Floats:
        self._need(self.knows_mean)
        table = named_table(self.name, data)
        patterns = self.patterns(table)
        return expected_and_variance(patterns, self.moves(patterns))[0] - table.counts

    def variance(self, data: Histogram | Iterable[int]) -> Floats:
        return self.exact_moments(data)[1]

    def absolute_error(self, data: Histogram | Iterable[int]) -> Floats:
        return self.exact_moments(data)[2]

    def chance_of_none_or_one(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats]:
        """P(no person) and P(one person) in each released count: Π (1 - π)^n over the patterns of
        the cell's row, and that times Σ n π/(1 - π)."""
        self._need(self.is_exact)
        patterns = self.patterns(named_table(self.name, data))
        sizes = patterns.sizes[:, None].astype(np.float64)
        moves = np.minimum(self.moves(patterns), 1 - 1e-12)  # to divide by what is left
        none = np.exp(patterns.sum_rows(sizes * np.log1p(-moves)))
        one = none * patterns.sum_rows(sizes * moves / (1 - moves))
        return patterns.back(none), patterns.back(one)

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        patterns = self.patterns(table)
        return draw_independent(patterns, self.moves(patterns), rngs)

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves:
        """Each record by itself, so only chances are known beforehand: the seed is for those who
        draw."""
        patterns = self.patterns(table)
        return RecordMoves.of_patterns(patterns, shares=self.moves(patterns))


def named_table(name: str, data: Histogram | Iterable[int]) -> Histogram:
    if isinstance(data, Histogram):
        return data
    raise InputError(f"{name} needs a table with named features, not bare counts.")

"""The two attacks on one table: what totals give away of hidden counts, and what noise leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.reconstruction import (
    HiddenTable,
    best_fits,
    by_subtraction,
    intervals,
    tables_that_fit,
)
from sdc_core.words.groups import group_name

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
RELEASES = 10  # with noise, that are reconstructed


@dataclass(frozen=True, eq=False)
class Undone:
    """A table with hidden counts, groups down and places (or answers) across, and what follows for
    each of them if totals are published: `low` to `high`."""

    table: HiddenTable
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    subtracted: Bools
    low: Ints
    high: Ints

    @property
    def hidden(self) -> Bools:
        return self.table.hidden

    @property
    def known(self) -> Bools:
        """Hidden counts that follow from totals for sure."""
        return self.hidden & (self.low == self.high)

    @property
    def narrowed(self) -> Bools:
        """Hidden counts of which totals say something, but not all."""
        width = self.table.high - self.table.low
        return self.hidden & ~self.known & (self.high - self.low < width)

    @property
    def known_by_rule(self) -> bool:
        """Is one value alone possible for any hidden count, by the rule itself?"""
        return self.table.low == self.table.high

    def without_totals(self) -> tuple[int, int, int]:
        """Computed, narrowed down, nothing learnt."""
        number = int(self.hidden.sum())
        return (number, 0, 0) if self.known_by_rule else (0, 0, number)

    def with_totals(self) -> tuple[int, int, int]:
        known, narrowed = int(self.known.sum()), int(self.narrowed.sum())
        return known, narrowed, int(self.hidden.sum()) - known - narrowed


def undone(table: Histogram, k: int, keep_zeros: bool) -> Undone:
    """The first feature across, combinations of all others down."""
    across, *down = table.domain.features
    counts = table.counts.reshape(len(across), -1).T
    positions = np.unravel_index(np.arange(len(counts)), tuple(len(f) for f in down))
    names = [group_name([f.labels[int(code[i])] for f, code in zip(down, positions, strict=True)])
             for i in range(len(counts))]
    return _undone(counts, tuple(names), across.labels, k, keep_zeros)


def block(table: Histogram, place: int, k: int, keep_zeros: bool) -> Undone:
    """One place by itself: the second feature down, all others across."""
    _, down, *across = table.domain.features
    counts = table.counts.reshape(table.domain.shape)[place].reshape(len(down), -1)
    labels = across[0].labels if across else ("people",)
    return _undone(counts, down.labels, labels, k, keep_zeros)


def _undone(
    counts: Ints, rows: tuple[str, ...], columns: tuple[str, ...], k: int, keep_zeros: bool
) -> Undone:
    hidden = HiddenTable.below(counts, k, keep_zeros)
    low, high = intervals(hidden)
    return Undone(hidden, rows, columns, by_subtraction(hidden), low, high)


def fitting(found: Undone) -> int | None:
    return tables_that_fit(found.table)


@dataclass(frozen=True, eq=False)
class AgainstNoise:
    """How far the best-fitting tables of some releases with noise are off: of each release the
    share of counts that are right and the mean absolute error; and the first release's own."""

    right: NDArray[np.float64]
    error: NDArray[np.float64]
    noisy: NDArray[np.float64]
    fitted: Ints


def against_noise(counts: Ints, epsilon: float, seed: int) -> AgainstNoise:
    """Counts, row totals and column totals with Laplace noise, a third of ε for each of the three;
    the number of people is known."""
    noise = mechanism("laplace", epsilon=epsilon / 3, postprocess="none")
    rngs = [repetition_rng(seed, release) for release in range(RELEASES)]
    parts = (counts.reshape(-1), counts.sum(axis=1), counts.sum(axis=0))
    cells, rows, columns = (
        noise.draw_tables(Histogram.from_counts(part), rngs) for part in parts)
    noisy = cells.reshape(RELEASES, *counts.shape)
    fits = best_fits(noisy, rows, columns, int(counts.sum()))
    return AgainstNoise(
        (fits == counts).mean(axis=(1, 2)), np.abs(fits - counts).mean(axis=(1, 2)),
        noisy[0], fits[0])

"""Suppression in a table with totals: small counts are hidden, and others so that nobody can
subtract.

Question: what does hiding small counts cost where row totals, column totals and the total of all
are published too? Hidden counts alone could be worked out from them, so more has to be hidden (see
sdc_core.margins.hide). Totals are published as far as they can be: one that is small, or that would
give a small count away, is hidden as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, as_counts, fewer_features
from sdc_core.keep import kept_with_first
from sdc_core.margins.hide import Hiding, hide
from sdc_core.margins.rules import Sensitive, Threshold
from sdc_core.margins.table import Axis, MarginTable
from sdc_core.mechanisms.base import Bools, Doing, Effort, Floats, Mechanism, MomentsInOneGo
from sdc_core.mechanisms.neighbour_tables import (
    OTHER,
    NeighbouringTables,
    Support,
    small_domain,
    small_table,
)
from sdc_core.mechanisms.suppression import KEEP_ZEROS
from sdc_core.parameters import THRESHOLD, Several
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

MOST_CELLS = 1_000  # up to about 10 s where most of them are small
ACROSS = Several(
    name="across", title="Columns", default=("PUMA",), roles=(Role.PLACE, Role.QUASI), most=1,
    least=1,
    help="The feature whose values are the columns of the table; all others together are its rows. "
    "Totals of rows, of columns and of all are published beside it.",
)


class _Treated(NamedTuple):
    """What is published of each inner cell, and which of them are hidden."""

    hidden: Bools
    published: Floats


@dataclass(frozen=True)
class ProtectedSuppression(MomentsInOneGo, Mechanism):
    """What does hiding every count below k do, with as many others as it takes? (Fischetti and
    Salazar-Gonzalez 2001)

    In place of a hidden count stands the middle of what it can be, for whoever knows all that is
    published and can add up, rounded down. Nothing is random: the bias is all of the error.
    """

    name = "protected-suppression"
    does = Doing.HIDING
    title = "Protected suppression"
    plain = "Hide small counts and what gives them away"
    doing = "hiding small counts and what gives them away"
    family = "sdc"
    acts_on = "cells"
    summary = "Hides every count below k, and others so that totals do not give it away."
    citation = "Fischetti and Salazar-Gonzalez 2001; Hundepool et al. 2012, chapter 4"
    protection = Protection(
        what="Small counts only: how many there are in a group of fewer than k people, also from "
        "whoever adds up these rows and columns and sees that no zero is hidden.",
        where="Not to larger groups, unless they are hidden to protect others: all other counts "
        "and totals are published exactly.",
        unit="A small group, not a person in it, and nobody in a larger one.",
        measured="Not at all: what is hidden follows from the data by a fixed rule.",
        how_much="k people: as wide stays what a hidden small count can be, for readers of this "
        "table alone. There is no ε; some tables that differ in one person are always told apart.",
    )
    slow: ClassVar[bool] = True  # on tables with many small counts

    k: int = THRESHOLD.field()
    across: tuple[str, ...] = ACROSS.field()
    keep_zeros: bool = KEEP_ZEROS.field()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.across) != 1:
            raise InputError(
                f"across must be one feature, got {', '.join(self.across)}. Try PUMA.")

    def effort(self, table: Histogram) -> Effort:
        return Effort(1e-7 * len(table), 1e-7 * len(table), 0.01 * len(table))

    def check(self, table: Histogram) -> None:
        table.domain.axes(self.across, "across")
        if len(table) > MOST_CELLS:
            raise InputError(
                f"{self.name} can treat {MOST_CELLS:,} cells, this table has {len(table):,}. "
                f"{fewer_features(table.domain, MOST_CELLS)}")

    def hiding(self, table: Histogram) -> Hiding:
        """The table with its totals, and what of it is hidden."""
        self.check(table)
        return _hiding(table, self.k, self.across[0], self.keep_zeros)

    def hidden(self, data: Histogram | Iterable[int]) -> Floats:
        return self._treated(data).hidden.astype(np.float64)

    def hidden_in(self, data: Histogram | Iterable[int], seed: int) -> Bools:
        """The rule is fixed, so the seed changes nothing."""
        return self._treated(data).hidden

    def log_rest_marked(self, cap: int) -> float:
        """Some neighbours are told apart for sure, marks or not."""
        return -math.inf

    def support(self, table: Histogram) -> Support:
        published = self._treated(table).published
        return Support(published, published)

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """Large groups, of which nothing is hidden: whoever moves is seen."""
        domain, large = small_domain({self.across[0]: 2, OTHER: 2}), 2 * self.k

        def people(place: int) -> Histogram:
            groups = (((row, column), large) for row in (0, 1) for column in (0, 1))
            return small_table(domain, *groups, ((place, 0), 1))

        return [NeighbouringTables(
            people(0), people(1), f"one person moves between two groups of {large:,}")]

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        return np.tile(self._treated(table).published, (len(rngs), 1))

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        off = self._treated(data).published - as_counts(data)
        return off, np.zeros_like(off), np.abs(off)

    def _treated(self, data: Histogram | Iterable[int]) -> _Treated:
        """Of a table; counts alone have no totals, so that nothing gives them away."""
        if not isinstance(data, Histogram):
            x = as_counts(data).astype(np.float64)
            small = (x < self.k) & ((x > 0) | (not self.keep_zeros))
            return _Treated(small, np.where(small, self.k // 2, x))
        self.check(data)
        return _treated(data, self.k, self.across[0], self.keep_zeros)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark="No formal guarantee: the rule is fixed, so some tables that differ in one "
            "person never look alike, and whoever knows everybody else can tell them apart for "
            "sure.",
        )

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return ("every count and total that is not hidden", *["every 0"] * self.keep_zeros)


@kept_with_first
def _treated(table: Histogram, k: int, across: str, keep_zeros: bool) -> _Treated:
    found = _hiding(table, k, across, keep_zeros)
    inner = found.table.inner
    low, high, hidden = found.low[inner], found.high[inner], found.hidden[inner]
    middle = np.where(np.isfinite(high), np.floor((low + high) / 2), np.maximum(low, k // 2))
    published = np.where(hidden, middle, found.table.values[inner])
    axis, shape = _columns(table, across)
    back = [_as_counts(one, axis, shape) for one in (hidden, published)]
    return _Treated(back[0].astype(np.bool_), back[1].astype(np.float64))


@kept_with_first
def _hiding(table: Histogram, k: int, across: str, keep_zeros: bool) -> Hiding:
    axis, shape = _columns(table, across)
    matrix = np.moveaxis(table.counts.reshape(shape), axis, -1).reshape(-1, shape[axis])
    names = [str(row) for row in range(len(matrix))]
    rows = Axis.flat("rows", "all others together", names, names)
    columns = Axis.of_feature(table.domain.features[axis])
    whole = MarginTable.of_leaves((rows, columns), matrix.reshape(-1).astype(np.float64))
    found = hide(whole, _small(whole, k, keep_zeros), method="heuristic",
                 hide_zeros=not keep_zeros)
    for array in (found.hidden, found.low, found.high):
        array.setflags(write=False)
    return found


def _small(table: MarginTable, k: int, keep_zeros: bool) -> Sensitive:
    """Counts of fewer than k people, zeros among them unless they are left alone."""
    small = Threshold(k).sensitive(table)
    if keep_zeros:
        return small
    cells = table.contributors < k
    return Sensitive(
        cells, np.zeros(len(table)), np.zeros(len(table)), np.where(cells, float(k), 0.0))


def _columns(table: Histogram, across: str) -> tuple[int, tuple[int, ...]]:
    (axis,) = table.domain.axes((across,), "across")
    return axis, table.domain.shape


def _as_counts(
    inner: NDArray[np.generic], axis: int, shape: tuple[int, ...]
) -> NDArray[np.generic]:
    """From rows by columns back to the order of the table's own cells."""
    others = shape[:axis] + shape[axis + 1:]
    return np.moveaxis(inner.reshape(*others, shape[axis]), -1, axis).reshape(-1)

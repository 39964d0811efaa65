"""Swapping quasi-identifiers: some records take those of their closest neighbour.

Question: what happens to the table when some records take the race and sex (or whatever counts as
identifying) of another, similar record? The records' other features stay in place, so every count
by those is published exactly, which is also the limit of what swapping can protect. (P0 §3; P1
§5.2, App B.2.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import Doing, Floats, repetition_rng
from sdc_core.mechanisms.donors import mixed, nearest_donors
from sdc_core.mechanisms.moves import Patterns, cells_that_stay, counts_that_stay
from sdc_core.mechanisms.moving import Moving
from sdc_core.mechanisms.neighbour_tables import (
    NeighbouringTables,
    Support,
    record_neighbours,
)
from sdc_core.mechanisms.paired import exchange_pairs
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.parameters import Flag, Real, Several
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

QUASI_IDENTIFIERS = Several(
    name="quasi_identifiers", title="Swapped features", symbol="Q",
    default=("RAC1P", "SEX"), roles=(Role.QUASI, Role.PLACE), least=1, alters=True,
    help="The features that could identify a person and are exchanged between records. All other "
    "features stay with their record, and counts by them are published exactly.",
)
SWAP_RATE = Real(
    name="swap_rate", title="Share of records swapped", symbol="rate", default=0.25,
    low=0.0, high=1.0, slider=(0.01, 0.99), percent=True, stronger="up",
    help="Each record is chosen with this chance and then takes another record's values. Real "
    "swap rates are mostly secret; a few per cent is usual.",
)
PAIRED = Flag(
    name="paired", title="Exchange in pairs", tag="in pairs",
    default=False,
    help="Two records exchange their values (P1, Algorithm 3), instead of one taking the other's. "
    "The closest two mostly agree in everything else, and then the exchange changes no count.",
)
REQUIRE_DIFFERENT = Flag(
    name="require_different", title="Donor must differ", default=True, tag="(any donor)",
    help="Without this the closest donor is mostly an identical record, and nothing changes.",
)
MAX_PAIRS = 1_000_000  # that records are handed out for: half a minute

@dataclass(frozen=True)
class QiSwapping(Moving):
    """What swapping and its DP versions share: a record's quasi-identifiers may change."""

    def patterns(self, table: Histogram) -> Patterns:
        return _patterns(table, self.settings()["quasi_identifiers"])

    def check(self, table: Histogram) -> None:
        patterns = self.patterns(table)
        self._refuse_many(patterns)
        self._refuse_wide(patterns)
        if patterns.distinct_qis < 2:
            names = ", ".join(self.settings()["quasi_identifiers"])
            raise InputError(
                f"All records have the same {names}: there is nothing to swap. Choose other "
                "quasi_identifiers."
            )

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return counts_that_stay(table, self.settings()["quasi_identifiers"])

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """One person unlike all the others, whose values everybody may take over."""
        found = record_neighbours(
            self.settings()["quasi_identifiers"], max(2, facts.records), values=3)
        return [  # where all have the same values there is nothing to swap
            pair for pair in found
            if all(self.patterns(one).distinct_qis > 1 for one in (pair.before, pair.after))
        ]


@dataclass(frozen=True)
class Swapping(QiSwapping):
    """What does taking the closest record's values do? (P0 §3; `paired`: P1 Alg 3)

    Each record is chosen with the swap rate and takes the quasi-identifiers of the closest other
    record (distance: mismatches, bins of numbers by how far apart), ties broken at random.
    """

    name = "swapping"
    does = Doing.SWAPPING
    title = "Swapping"
    plain = "Swap similar records"
    doing = "swapping similar records"
    family = "sdc"
    summary = "Gives a share of records the identifying features of their closest neighbour."
    citation = "Dalenius and Reiss 1982; Das et al. 2024 (P0) §3; Zhu et al. 2023 (P1) Alg. 3"
    protection = Protection(
        what="Only quasi-identifiers: the features that are swapped.",
        where="Not to the other features: counts by all features that are not swapped come out "
        "exactly. A record that is not swapped is published as it is.",
        unit="One record, and only its quasi-identifiers.",
        measured="Not at all: the donor is the closest record, a fixed rule apart from ties, so "
        "no bound on odds follows.",
        how_much="The swap rate, a share of records. There is no ε; δ = 1.",
    )

    swap_rate: float = SWAP_RATE.field()
    quasi_identifiers: tuple[str, ...] = QUASI_IDENTIFIERS.field()
    paired: bool = PAIRED.field()
    require_different: bool = REQUIRE_DIFFERENT.field()

    @property
    def is_exact(self) -> bool:
        return not self.paired  # an exchange depends on all exchanges before it

    @property
    def knows_mean(self) -> bool:
        return not self.paired

    def moves(self, patterns: Patterns) -> Floats:
        nearest = nearest_donors(patterns, self.require_different)
        return mixed(patterns, nearest, self.swap_rate)

    def support(self, table: Histogram) -> Support:
        if not self.paired:
            return super().support(table)
        return Support.of_sums(table, cells_that_stay(self.patterns(table)))

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        if not self.paired:
            return super().draw_tables(table, rngs)
        patterns = self.patterns(table)
        return np.stack([
            patterns.back(patterns.sum_rows(self._paired(patterns, r).astype(np.float64)))
            for r in rngs
        ])

    def _paired(self, patterns: Patterns, rng: np.random.Generator) -> NDArray[np.int64]:
        return exchange_pairs(patterns, self.swap_rate, self.require_different, rng)

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves:
        if not self.paired:
            return super().record_moves(table, seed)
        patterns = self.patterns(table)
        if table.total * self.swap_rate > 2 * MAX_PAIRS:
            raise InputError(
                f"Exchanging in pairs goes pair by pair, up to {MAX_PAIRS:,} of them; "
                f"{table.total:,} records are too many. Set paired=false."
            )
        return RecordMoves.of_patterns(
            patterns, numbers=self._paired(patterns, repetition_rng(seed, 0)))

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark="No formal guarantee: the donor is fixed by the data, and counts by all other "
            "features are published exactly, so some changes of one record always show."
            + (" Exchanging between records that agree in everything else changes no count at all: "
               "a table that comes out unchanged protects nobody." if self.paired else ""),
        )


# Kept while a slider moves: patterns depend on the table, not on the swap rate.
@kept_with_first
def _patterns(table: Histogram, quasi_identifiers: tuple[str, ...]) -> Patterns:
    return Patterns.of(table, quasi_identifiers)

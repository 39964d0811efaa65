"""Swapping quasi-identifiers: some records take those of their closest neighbour.

Question: what happens to the table when some records take the race and sex (or whatever counts as
identifying) of another, similar record? The records' other features stay in place, so every count
by those is published exactly, which is also the limit of what swapping can protect. (P0 §3; P1
§5.2, App B.2.)
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, fewer_features
from sdc_core.mechanisms.base import Doing, Effort, Floats, Mechanism
from sdc_core.mechanisms.donors import mixed, nearest_donors
from sdc_core.mechanisms.moves import (
    Patterns,
    counts_that_stay,
    draw_independent,
    expected_absolute_error,
    expected_and_variance,
)
from sdc_core.mechanisms.paired import exchange_pairs
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
MAX_PATTERNS = 4000  # distances between all pairs: 128 MB, and seconds for each ε
MAX_MOVES = 10_000_000  # chances of each pattern to end with each combination of values: 80 MB


@dataclass(frozen=True)
class QiSwapping(Mechanism):
    """What swapping and its DP versions share: each record moves along its row of the table, by
    itself."""

    acts_on = "records"

    @abstractmethod
    def moves(self, patterns: Patterns) -> Floats:
        """The probability that a record of each pattern ends with each combination of values."""

    def patterns(self, table: Histogram) -> Patterns:
        return _patterns(table, self.settings()["quasi_identifiers"])

    def effort(self, table: Histogram) -> Effort:
        """Each pattern is compared with each; the law of a count is summed over its row."""
        patterns = self.patterns(table)
        number = len(patterns.sizes)
        donors = 3e-7 * min(number, MAX_PATTERNS) ** 2
        return Effort(donors + 1e-7 * number * patterns.n_q, donors + 1e-5 * number * patterns.n_q)

    def check(self, table: Histogram) -> None:
        patterns = self.patterns(table)
        if len(patterns.sizes) > MAX_PATTERNS:
            remedy = fewer_features(table.domain, MAX_PATTERNS, patterns.by_fewer)
            raise InputError(
                f"The table has {len(patterns.sizes):,} different records; swapping compares each "
                f"with each and stops at {MAX_PATTERNS:,}. {remedy}"
            )
        self._refuse_wide(patterns)
        if patterns.distinct_qis < 2:
            names = ", ".join(self.settings()["quasi_identifiers"])
            raise InputError(
                f"All records have the same {names}: there is nothing to swap. Choose other "
                "quasi_identifiers."
            )

    def _refuse_wide(self, patterns: Patterns) -> None:
        if len(patterns.sizes) * patterns.n_q > MAX_MOVES:
            raise InputError(
                f"{len(patterns.sizes):,} different records and {patterns.n_q:,} combinations of "
                f"{', '.join(self.settings()['quasi_identifiers'])} are too many to follow each "
                f"record to each combination (up to {MAX_MOVES:,} in all). Swap fewer features."
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

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return counts_that_stay(table, self.settings()["quasi_identifiers"])


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

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        if not self.paired:
            return super().draw_tables(table, rngs)
        patterns = self.patterns(table)
        return np.stack(
            [exchange_pairs(patterns, self.swap_rate, self.require_different, r) for r in rngs]
        )

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark="No formal guarantee: the donor is fixed by the data, and counts by all other "
            "features are published exactly, so some changes of one record always show."
            + (" Exchanging between records that agree in everything else changes no count at all: "
               "a table that comes out unchanged protects nobody." if self.paired else ""),
        )


def named_table(name: str, data: Histogram | Iterable[int]) -> Histogram:
    if isinstance(data, Histogram):
        return data
    raise InputError(f"{name} needs a table with named features, not bare counts.")


# Kept while a slider moves: patterns depend on the table, not on the swap rate. With distances
# between all pairs they may be large: as many as a page has methods.
@functools.lru_cache(maxsize=4)
def _patterns(table: Histogram, quasi_identifiers: tuple[str, ...]) -> Patterns:
    return Patterns.of(table, quasi_identifiers)

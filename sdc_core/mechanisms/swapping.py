"""Swapping quasi-identifiers: closest donors, and two differentially private versions.

Question: what happens to the table when some records take the race and sex (or whatever counts as
identifying) of another, similar record? The records' other features stay in place, so every count
by those is published exactly, which is also the limit of what swapping can protect. (P0 §3, §5;
P1 §5.2, App B.2.)
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing, Floats, Mechanism
from sdc_core.mechanisms.moves import (
    Patterns,
    draw_independent,
    expected_absolute_error,
    expected_and_variance,
)
from sdc_core.mechanisms.paired import exchange_pairs
from sdc_core.mechanisms.permute_and_flip import win_probabilities
from sdc_core.parameters import EPSILON, Choice, Flag, Real, Several
from sdc_core.privacy import protection as answers
from sdc_core.privacy.guarantee import ONE_RECORD_CHANGES, Facts, Guarantee

QUASI_IDENTIFIERS = Several(
    name="quasi_identifiers", title="Swapped features", symbol="Q",
    default=("RAC1P", "SEX"), least=1,
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
    name="require_different", title="Donor must differ", default=True,
    help="Without this the closest donor is mostly an identical record, and nothing changes.",
)
MAX_PATTERNS = 4000  # distances between all pairs: 128 MB, and seconds for each ε

UNIT = Choice(
    name="unit", title="What moves", default="record",
    choices=("record", "cell"),
    titles={"record": "each record by itself", "cell": "a whole group at once"},
    help="P1's tables look like whole groups being moved; moving records one by one is gentler.",
)


@dataclass(frozen=True)
class _QiSwapping(Mechanism):
    """What all three share: records move along their row of the table, by themselves."""

    acts_on = "records"

    @abstractmethod
    def moves(self, patterns: Patterns) -> Floats:
        """The probability that a record of each pattern ends with each combination of values."""

    def patterns(self, table: Histogram) -> Patterns:
        return _patterns(table, self.settings()["quasi_identifiers"])

    def check(self, table: Histogram) -> None:
        patterns = self.patterns(table)
        if len(patterns.sizes) > MAX_PATTERNS:
            raise InputError(
                f"The table has {len(patterns.sizes):,} different records; swapping compares each "
                f"with each and stops at {MAX_PATTERNS:,}. Count by fewer features, or use bins."
            )
        if patterns.distinct_qis < 2:
            names = ", ".join(self.settings()["quasi_identifiers"])
            raise InputError(
                f"All records have the same {names}: there is nothing to swap. Choose other "
                "quasi_identifiers."
            )

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        self._need(self.is_exact)
        table = _named_table(self.name, data)
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
        table = _named_table(self.name, data)
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
        patterns = self.patterns(_named_table(self.name, data))
        sizes = patterns.sizes[:, None].astype(np.float64)
        moves = np.minimum(self.moves(patterns), 1 - 1e-12)  # to divide by what is left
        none = np.exp(patterns.sum_rows(sizes * np.log1p(-moves)))
        one = none * patterns.sum_rows(sizes * moves / (1 - moves))
        return patterns.back(none), patterns.back(one)

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        patterns = self.patterns(table)
        return draw_independent(patterns, self.moves(patterns), rngs)

    def invariants(self, facts: Facts) -> tuple[str, ...]:
        """Counts by all features that stay with their record, by name where a table is given."""
        swapped = self.settings()["quasi_identifiers"]
        if facts.table is None:
            return (f"counts by all features other than {', '.join(swapped)}",)
        kept = [f.title for f in facts.table.domain.features if f.name not in swapped]
        return (f"counts by {' × '.join(kept)}",)


@dataclass(frozen=True)
class Swapping(_QiSwapping):
    """What does taking the closest record's values do? (P0 §3; `paired`: P1 Alg 3)

    Each record is chosen with the swap rate and takes the quasi-identifiers of the closest other
    record (distance: mismatches, bins of numbers by how far apart), ties broken at random.
    """

    name = "swapping"
    does = Doing.SWAPPING
    title = "Swapping"
    family = "sdc"
    summary = "Gives a share of records the identifying features of their closest neighbour."
    citation = "Dalenius and Reiss 1982; Das et al. 2024 (P0) §3; Zhu et al. 2023 (P1) Alg. 3"
    protection = answers.SWAPPING

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
        nearest = _nearest_donors(patterns, self.require_different)
        return _mixed(patterns, nearest, self.swap_rate)

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        if not self.paired:
            return super().draw_tables(table, rngs)
        patterns = self.patterns(table)
        return np.stack(
            [exchange_pairs(patterns, self.swap_rate, self.require_different, r) for r in rngs]
        )

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=ONE_RECORD_CHANGES,
            invariants=self.invariants(facts), citation=self.citation,
            remark="No formal guarantee: the donor is fixed by the data, and counts by all other "
            "features are published exactly, so some changes of one record always show."
            + (" Exchanging between records that agree in everything else changes no count at all: "
               "a table that comes out unchanged protects nobody." if self.paired else ""),
        )


@dataclass(frozen=True)
class DpSwapping(_QiSwapping):
    """What does a random donor change? Permute-and-flip on closeness (P0 §5, eq 2, Thm 3).

    With the swap rate a record takes the values of a donor drawn by permute-and-flip with score
    -distance and noise rate λ = ε/(2d), d the number of features (the range of the score).
    """

    name = "dp-swapping"
    does = Doing.SWAPPING
    title = "DP swapping"
    family = "dp-sdc"
    counterpart = "swapping"
    summary = "Like swapping, but the donor is drawn at random, closer ones more often."
    citation = "Das et al. 2024 (P0) eq. 2, Thm 3; McKenna and Sheldon 2020"
    protection = answers.DP_SWAPPING

    epsilon: float = EPSILON.field()
    swap_rate: float = SWAP_RATE.field()
    quasi_identifiers: tuple[str, ...] = QUASI_IDENTIFIERS.field()

    def moves(self, patterns: Patterns) -> Floats:
        return _mixed(patterns, _random_donors(patterns, self.epsilon), self.swap_rate)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        gamma = 1 - self.swap_rate
        loss = math.exp(-self.epsilon / 2) / facts.records
        kept = 2 * gamma * (1 - gamma) * loss + 3 * (1 - gamma) ** 2 * loss**2
        return Guarantee.of_log_rest(
            self.epsilon, math.log(kept) if kept > 0 else -math.inf, -math.inf,
            neighbours=ONE_RECORD_CHANGES, invariants=self.invariants(facts),
            citation=self.citation,
            remark="Counts by the features that are not "
            "swapped are published exactly, so a record that differs in one of them is told apart "
            "for sure: the true δ is 1. Even among records that differ in swapped features only "
            "it fails: with two records, 25% swapped and ε = 0.1 the true δ is 0.8125, the "
            "theorem says 0.7792.",
        )


@dataclass(frozen=True)
class DpSwappingUniform(_QiSwapping):
    """What if new values are drawn from all combinations alike? (P1 eq 4, Prop 1, Thm 3)

    Values are kept with γ = e^ε/(e^ε + n_Q - 1), else uniform over the other n_Q - 1.
    """

    name = "dp-swapping-uniform"
    does = Doing.SWAPPING
    title = "Uniform DP swapping"
    family = "dp-sdc"
    counterpart = "swapping"
    summary = "Keeps a record's identifying features with a chance set by ε, else draws any others."
    citation = "Zhu et al. 2023 (P1) eq. 4, Prop. 1, Thm 3"
    protection = answers.DP_SWAPPING_UNIFORM

    epsilon: float = EPSILON.field()
    quasi_identifiers: tuple[str, ...] = QUASI_IDENTIFIERS.field()
    unit: str = UNIT.field()

    @property
    def is_exact(self) -> bool:
        return self.unit == "record"

    def variance(self, data: Histogram | Iterable[int]) -> Floats:
        """Exact for both units: a group that moves as one adds the square of its size."""
        if self.unit == "record":
            return super().variance(data)
        patterns = self.patterns(_named_table(self.name, data))
        moves = self.moves(patterns)
        squares = patterns.sizes[:, None].astype(np.float64) ** 2
        return patterns.back(patterns.sum_rows(squares * moves * (1 - moves)))

    def check(self, table: Histogram) -> None:
        if self.patterns(table).n_q < 2:
            raise InputError(
                f"{', '.join(self.quasi_identifiers)} has one value only: there is nothing to "
                "swap. Choose other quasi_identifiers."
            )

    def _keep(self, n_q: int) -> float:
        return 1 / (1 + (n_q - 1) * math.exp(-self.epsilon))

    def moves(self, patterns: Patterns) -> Floats:
        n_q = patterns.n_q
        keep = self._keep(n_q)
        moves = np.full((len(patterns.sizes), n_q), (1 - keep) / (n_q - 1))
        moves[np.arange(len(patterns.sizes)), patterns.columns] = keep
        return moves

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        if self.unit == "record":
            return super().draw_tables(table, rngs)
        patterns = self.patterns(table)
        whole = np.ones(len(patterns.sizes), dtype=np.int64)
        moves = self.moves(patterns)
        drawn = np.stack([rng.multinomial(whole, moves) for rng in rngs]).astype(np.float64)
        return patterns.back(patterns.sum_rows(drawn * patterns.sizes[:, None]))

    def guarantee_from(self, facts: Facts) -> Guarantee:
        n_q = facts.qi_domain_size if facts.table is None else self.patterns(facts.table).n_q
        keep = self._keep(n_q)
        other = (1 - keep) / (n_q - 1)
        published = 1 - (1 - keep**2) / (n_q - 1) - other**2
        corrected = 1 - (1 - keep**2) / (n_q - 1) + other**2
        if self.unit == "record":
            tight, why = 0.0, (
                "Moving records one by one keeps the promise of ε exactly, for records that "
                "differ in swapped features only."
            )
        else:
            tight, why = corrected, (
                "The published formula has a wrong sign in its last term: the true δ is larger "
                "than printed, for records that differ in swapped features only."
            )
        return Guarantee.of_delta(
            self.epsilon, published, tight,
            neighbours="one person's record changes, in swapped features only",
            invariants=self.invariants(facts), citation=self.citation,
            remark=f"{why} For a record that differs in any other feature δ is 1, since counts by "
            "those are published exactly.",
        )


def _mixed(patterns: Patterns, donors: Floats, rate: float) -> Floats:
    """Donor's values with the swap rate, else one's own."""
    moves = rate * donors
    moves[np.arange(len(moves)), patterns.columns] += 1 - rate
    return np.minimum(moves, 1.0)  # a sum of probabilities may exceed one in its last digit


def _named_table(name: str, data: Histogram | Iterable[int]) -> Histogram:
    if isinstance(data, Histogram):
        return data
    raise InputError(f"{name} needs a table with named features, not bare counts.")


# Kept while a slider moves: patterns and donors depend on the table, not on the swap rate.
@functools.lru_cache(maxsize=16)
def _patterns(table: Histogram, quasi_identifiers: tuple[str, ...]) -> Patterns:
    return Patterns.of(table, quasi_identifiers)


@functools.lru_cache(maxsize=16)
def _nearest_donors(patterns: Patterns, require_different: bool) -> Floats:
    """For each pattern, how the closest other record's quasi-identifiers are distributed."""
    others = _other_records(patterns)
    if require_different:
        others = np.where(patterns.columns[:, None] != patterns.columns[None, :], others, 0)
    distance = np.where(others > 0, patterns.distances, np.inf)
    nearest = np.where(distance == distance.min(axis=1, keepdims=True), others, 0)
    return _by_column(patterns, nearest)


@functools.lru_cache(maxsize=48)
def _random_donors(patterns: Patterns, epsilon: float) -> Floats:
    """For each pattern, how a permute-and-flip donor's quasi-identifiers are distributed."""
    others = _other_records(patterns)
    scores, which = patterns.score_groups
    count = len(others)
    flat = (np.arange(count)[:, None] * len(scores) + which).reshape(-1)
    sizes = np.bincount(flat, others.reshape(-1), minlength=count * len(scores))
    sizes = sizes.reshape(count, len(scores)).astype(np.int64)
    alone = sizes.sum(axis=1) == 0  # a single record in the whole table has no donor
    sizes[alone, -1] = 1
    rate = epsilon / (2 * len(patterns.table.domain.features))
    each = win_probabilities(scores, sizes, rate) / np.maximum(sizes, 1)
    return _by_column(patterns, others * np.take_along_axis(each, which, axis=1))


def _other_records(patterns: Patterns) -> Floats:
    """How many other records of each pattern there are, seen from each pattern."""
    others = np.tile(patterns.sizes.astype(np.float64), (len(patterns.sizes), 1))
    others[np.diag_indices(len(others))] -= 1
    return others


def _by_column(patterns: Patterns, weights: Floats) -> Floats:
    """Donors' weights added up by their quasi-identifiers; without a donor one's own are kept."""
    total = weights.sum(axis=1, keepdims=True)
    own = np.zeros((len(weights), patterns.n_q))
    own[np.arange(len(weights)), patterns.columns] = 1.0
    return np.where(total > 0, (weights / np.where(total > 0, total, 1)) @ own, own)

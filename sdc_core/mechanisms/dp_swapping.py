"""Two differentially private versions of swapping: a donor drawn by closeness, or any values.

Question: does a random donor instead of the closest one keep the promise that is printed for it?
(P0 §5; P1 §5.2, App B.2.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing, Effort, Floats, repetition_rng
from sdc_core.mechanisms.donors import mixed, random_donors
from sdc_core.mechanisms.moves import Patterns
from sdc_core.mechanisms.moving import named_table
from sdc_core.mechanisms.neighbour_tables import (
    NeighbouringTables,
    altered_domain,
    small_table,
)
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.mechanisms.swapping import (
    QUASI_IDENTIFIERS,
    REQUIRE_DIFFERENT,
    SWAP_RATE,
    QiSwapping,
)
from sdc_core.parameters import EPSILON, Choice
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

UNIT = Choice(
    name="unit", title="What moves", default="record",
    choices=("record", "cell"),
    titles={"record": "each record by itself", "cell": "a whole group at once"},
    help="P1's tables look like whole groups being moved; moving records one by one is gentler.",
)
# As Das et al. 2024 (P0) define and use it: a quarter of the records, and any other record may be
# the donor (eq. 2), also one with the same quasi-identifiers.
AS_IN_DAS_2024: dict[str, Any] = {"swap_rate": 0.25, "require_different": False}


@dataclass(frozen=True)
class DpSwapping(QiSwapping):
    """What does a random donor change? Permute-and-flip on closeness (P0 §5, eq 2, Thm 3).

    With the swap rate a record takes the values of a donor drawn by permute-and-flip with score
    -distance and noise rate λ = ε/(2d), d the number of features (the range of the score).
    """

    name = "dp-swapping"
    does = Doing.SWAPPING
    title = "DP swapping"
    plain = "Swap with a random donor"
    doing = "swapping with a random donor"
    family = "dp-sdc"
    counterpart = "swapping"
    summary = "Like swapping, but the donor is drawn at random, closer ones more often."
    citation = "Das et al. 2024 (P0) eq. 2, Thm 3; McKenna and Sheldon 2020"
    protection = Protection(
        what="Only quasi-identifiers: they may come from another record, nearer ones more often.",
        where="Not to the other features: counts by all of them are released exactly "
        "(invariants). For a person who differs in one of those, δ = 1.",
        unit="One record, and only its quasi-identifiers.",
        measured="By odds with slack, among tables that agree on all other features: no set of "
        "tables is more than e^ε times as likely, plus δ.",
        how_much="ε and the swap rate together, with δ near 1. The δ printed in the paper is too "
        "small in some cases.",
    )

    epsilon: float = EPSILON.field()
    swap_rate: float = SWAP_RATE.field()
    quasi_identifiers: tuple[str, ...] = QUASI_IDENTIFIERS.field()
    require_different: bool = REQUIRE_DIFFERENT.field()

    def moves(self, patterns: Patterns) -> Floats:
        donors = random_donors(patterns, self.epsilon, self.require_different)
        return mixed(patterns, donors, self.swap_rate)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        gamma = 1 - self.swap_rate
        loss = math.exp(-self.epsilon / 2) / facts.records
        rest = 2 * gamma * (1 - gamma) * loss + 3 * (1 - gamma) ** 2 * loss**2
        return Guarantee.of_log_rest(
            self.epsilon, math.log(rest) if rest > 0 else -math.inf, -math.inf,
            neighbours=Neighbours.ONE_RECORD, invariants=self.published_exactly(facts.table),
            citation=self.citation,
            remark="Counts by the features that are not "
            "swapped are published exactly, so a record that differs in one of them is told apart "
            "for sure: the true δ is 1. Even among records that differ in swapped features only "
            "it fails: with two records, 25% swapped and ε = 0.1 the true δ is 0.8125, the "
            "theorem says 0.7792."
            + (" Where the donor must differ, it fails for larger ε too, since somebody unlike all "
               "the others gives their values to many: with ten records and ε = 1 the true δ is "
               "0.9812, the theorem says 0.9766." if self.require_different else ""),
        )


@dataclass(frozen=True)
class DpSwappingUniform(QiSwapping):
    """What if new values are drawn from all combinations alike? (P1 eq 4, Prop 1, Thm 3)

    Values are kept with γ = e^ε/(e^ε + n_Q - 1), else uniform over the other n_Q - 1.
    """

    name = "dp-swapping-uniform"
    does = Doing.REDRAWING
    title = "Uniform DP swapping"
    plain = "Redraw values at random"
    doing = "redrawing values at random"
    family = "dp-sdc"
    counterpart = "swapping"
    summary = "Keeps a record's identifying features with a chance set by ε, else draws any others."
    citation = "Zhu et al. 2023 (P1) eq. 4, Prop. 1, Thm 3"
    protection = Protection(
        what="Only quasi-identifiers: they are kept, or replaced by any other combination with "
        "equal chance.",
        where="Not to the other features: counts by all of them are released exactly "
        "(invariants). For a person who differs in one of those, δ = 1.",
        unit="One record's quasi-identifiers, or a whole cell's, if cells are moved as one.",
        measured="By odds, among tables that agree on all other features: a factor of e^ε; with "
        "slack δ if whole cells are moved.",
        how_much="ε, which sets the share that is kept. The δ printed for moving cells has a sign "
        "error.",
    )

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
        patterns = self.patterns(named_table(self.name, data))
        moves = self.moves(patterns)
        squares = patterns.sizes[:, None].astype(np.float64) ** 2
        return patterns.back(patterns.sum_rows(squares * moves * (1 - moves)))

    def effort(self, table: Histogram) -> Effort:
        """Nobody is compared with anybody."""
        patterns = self.patterns(table)
        moves = len(patterns.sizes) * patterns.n_q
        return Effort(4e-8 * moves, 3e-6 * moves)

    def check(self, table: Histogram) -> None:
        patterns = self.patterns(table)
        if patterns.n_q < 2:
            raise InputError(
                f"{', '.join(self.quasi_identifiers)} has one value only: there is nothing to "
                "swap. Choose other quasi_identifiers."
            )
        self._refuse_wide(patterns)

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
        drawn = np.stack([self._whole(patterns, rng) for rng in rngs]).astype(np.float64)
        return patterns.back(patterns.sum_rows(drawn))

    def _whole(self, patterns: Patterns, rng: np.random.Generator) -> NDArray[np.int64]:
        """How many records of each pattern end with which values, if they move as one."""
        one = np.ones(len(patterns.sizes), dtype=np.int64)
        return rng.multinomial(one, self.moves(patterns)) * patterns.sizes[:, None]

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves:
        if self.unit == "record":
            return super().record_moves(table, seed)
        patterns = self.patterns(table)
        return RecordMoves.of_patterns(
            patterns, numbers=self._whole(patterns, repetition_rng(seed, 0)))

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """One person alone, or two groups that move as one; and a change that is not covered."""
        domain, at = altered_domain(self.quasi_identifiers, self._n_q(facts))
        sizes, says = ((1, 0), "there is one person, who takes another value") if (
            self.unit == "record") else ((10, 20), "one person moves from a group of 10 to one of "
                                         "20")
        before, after = (
            small_table(domain, (at(0, 0), sizes[0] - moved), (at(1, 0), sizes[1] + moved))
            for moved in (0, 1)
        )
        other = small_table(
            domain, (at(0, 0), sizes[0] - 1), (at(1, 0), sizes[1]), (at(0, 1), 1))
        return [
            NeighbouringTables(before, after, says),
            NeighbouringTables(before, other, "one person changes in a feature that is left alone",
                               covered=False),
        ]

    def _n_q(self, facts: Facts) -> int:
        return facts.qi_domain_size if facts.table is None else self.patterns(facts.table).n_q

    def guarantee_from(self, facts: Facts) -> Guarantee:
        n_q = self._n_q(facts)
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
            neighbours=Neighbours.SWAPPED_FEATURES,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark=f"{why} For a record that differs in any other feature δ is 1, since counts by "
            "those are published exactly.", log_within=self._log_within(n_q),
        )

    def _log_within(self, n_q: int) -> float | None:
        """ln Pr[loss <= ε] where whole cells move; the rest follows from δ = 0.

        The worst is a person who leaves a group for an empty one. The group lands where it was or
        in the other place; the neighbour's two groups have to land there together, which is e^ε
        times rarer, or, in the other place, 1/γ times. With three places or more other groups may
        land on top and make chances equal by accident: then it is not known.
        """
        if self.unit == "record" or n_q > 2:
            return None
        keep = self._keep(n_q)
        return math.log1p(-keep) if -math.log(keep) <= self.epsilon else -math.inf

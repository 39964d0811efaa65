"""Controlled rounding: counts become multiples of a base, and totals still add up.

Question: what does rounding change, where row totals, column totals and the total of all are
rounded to multiples next to them as well? The table is that of the first feature by all others
together (see sdc_core.margins.rounding).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, fewer_features
from sdc_core.margins.rounding import round_two_way, rounding_moments
from sdc_core.mechanisms.base import CellMoments, Doing, Effort, Floats, Mechanism
from sdc_core.mechanisms.count_law import CountLaw
from sdc_core.mechanisms.neighbour_tables import Support
from sdc_core.parameters import Integer
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

MOST_CELLS = 1_000_000  # about 6 s
BASE = Integer(
    name="base", title="Counts become multiples of", symbol="base", default=5, low=3, high=100,
    slider=(3, 20), unit="people", stronger="up",
    help="Every count becomes the multiple below or above it, at random, the nearer one more "
    "often; what is a multiple stays. Statistical offices commonly use 3, 5 or 10.",
)


@dataclass(frozen=True)
class ControlledRounding(CountLaw, CellMoments, Mechanism):
    """How wrong are counts that are rounded at random so that totals add up? (Cox 1987)

    A count that is r above a multiple of b goes up with chance r/b, so it is right on average;
    variance r (b - r), expected absolute error 2 r (b - r) / b. Counts are not rounded each by
    itself: their sums are rounded too.
    """

    name = "controlled-rounding"
    does = Doing.ROUNDING
    title = "Controlled rounding"
    plain = "Round so that it adds up"
    doing = "rounding so that it adds up"
    family = "sdc"
    acts_on = "cells"
    summary = "Rounds counts and their totals to multiples of a base so that all adds up."
    citation = "Cox 1987, Journal of the American Statistical Association"
    protection = Protection(
        what="How many exactly are in a group: with one person more or fewer it may look the same, "
        "the more often the larger the base.",
        where="To every count and its row, column and overall total; other sums of counts are not "
        "rounded, and a total may show more than its parts.",
        unit="A count, not a person. Whoever knows all others may learn the last one for sure.",
        measured="Not at all: only some multiples can come out, so odds have no limit.",
        how_much="The base: a published number is off by fewer people than that. There is no ε.",
    )

    base: int = BASE.field()

    @property
    def at_once(self) -> tuple[str, ...]:
        return ("base",)

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        found = rounding_moments(x, self.base)
        return found.bias, found.variance, found.absolute

    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        above = np.mod(x, self.base)
        upper = x - above + self.base
        return np.where(people >= upper, 1.0, (people >= x - above) * (1 - above / self.base))

    def support(self, table: Histogram) -> Support:
        """Each count is one of its neighbours."""
        x = table.counts.astype(np.float64)
        lower = x - np.mod(x, self.base)
        upper = np.where(lower == x, np.nan, lower + self.base)
        ends = np.full(len(x), np.inf)
        return Support(-ends, ends, np.stack([lower, upper], axis=1))

    def effort(self, table: Histogram) -> Effort:
        return Effort(4e-6 * len(table), 3e-8 * len(table))

    def check(self, table: Histogram) -> None:
        if len(table) > MOST_CELLS:
            raise InputError(
                f"{self.name} can treat {MOST_CELLS:,} cells, this table has {len(table):,}. "
                f"{fewer_features(table.domain, MOST_CELLS)}")

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        self.check(table)
        matrix = table.counts.reshape(table.domain.shape[0], -1)
        rows = [round_two_way(matrix, self.base, rng).reshape(-1) for rng in rngs]
        return np.stack(rows).astype(np.float64)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -np.inf, neighbours=Neighbours.ONE_RECORD, is_bound=True,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark=f"No formal guarantee: a group of {self.base} that one person joins comes out "
            f"as {2 * self.base} with chance 1/{self.base}, as it cannot without that person. So, "
            "whatever ε, whoever knows everybody else sometimes knows for sure.",
        )

"""The cell key method: counts are shifted by a lottery whose draw belongs to the people counted.

Question: what do small random shifts change that are never larger than a few people, and that give
the same result whenever the same people are counted? (B. Fraser and J. Wooton 2005; see
sdc_core.margins.cell_key.) Every release here has new record keys: an office keeps them, so that
the same count looks the same in all its tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.keep import kept_for_all
from sdc_core.margins.cell_key import PTable, record_keys
from sdc_core.mechanisms.base import CellMechanism, CellMoments, Doing, Effort, Floats
from sdc_core.mechanisms.count_law import CountLaw
from sdc_core.mechanisms.neighbour_tables import Support
from sdc_core.parameters import Integer, Real, short_number
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

SPREAD = Integer(
    name="spread", title="Largest shift", symbol="D", default=5, low=1, high=20, slider=(1, 10),
    unit="people", stronger="up",
    help="No count is shifted by more, but for small ones that must not be published and so have "
    "to leave further. Which shifts are how likely follows from it, the variance and which small "
    "counts are never published: the most even law there is.",
)
VARIANCE = Real(
    name="shift_variance", title="Variance of the shifts", symbol="V", default=3.0, low=0.01,
    high=100.0, slider=(0.5, 10.0), log=True, stronger="up",
    help="How much counts jump. No count can have every variance: small ones cannot be shifted far "
    "down, and none further than the largest shift. They get the nearest one.",
)
LEAST = Integer(
    name="least", title="Small counts never published", symbol="js", default=2, low=0, high=10,
    slider=(0, 5), unit="people", stronger="up",
    help="No count from 1 to this number comes out: such counts become 0 or a larger one. 0 lets "
    "all counts be published.",
)


@dataclass(frozen=True)
class CellKey(CountLaw, CellMoments, CellMechanism):
    """How wrong are counts that a lottery shifts by a few people? (Fraser and Wooton 2005)

    A count has the law of its row in the lottery's table. Cells have no people in common and so
    independent keys; where nobody is, nothing is shifted.
    """

    name = "cell-key"
    does = Doing.SHIFTING
    title = "Cell key"
    plain = "Shift counts by a fixed lottery"
    doing = "shifting counts by a fixed lottery"
    family = "sdc"
    summary = "Shifts every count that is not zero by a few people, as a lottery table says."
    citation = "Fraser and Wooton 2005; Marley and Leaver 2011; ESSnet 2019 (EU census)"
    protection = Protection(
        what="How many exactly are in a group, and whether one person more is there; the same "
        "group looks the same in every table.",
        where="To every count that is not zero. Empty groups stay empty; a small one may come out "
        "as empty too.",
        unit="A count. One person more may move it beyond what was possible before.",
        measured="Not at all: shifts have a largest size, so that odds have no limit.",
        how_much="The largest shift D and the variance V. There is no ε.",
    )

    spread: int = SPREAD.field()
    shift_variance: float = VARIANCE.field()
    least: int = LEAST.field()

    @property
    def lottery(self) -> PTable:
        return _lottery(self.spread, self.shift_variance, self.least)

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        return self.lottery.moments(x)

    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        lottery = self.lottery
        upto = np.concatenate(
            [np.zeros((len(lottery.chances), 1)), np.cumsum(lottery.chances, axis=1)], axis=1)
        shift = np.floor(people - x).astype(np.int64) + lottery.reach + 1
        return np.asarray(upto[lottery.rows(x), np.clip(shift, 0, upto.shape[1] - 1)])

    def support(self, table: Histogram) -> Support:
        """Each count is one of those that its row has a chance for."""
        lottery, x = self.lottery, table.counts
        able = lottery.chances[lottery.rows(x)] > 0
        options = np.where(able, x[:, None] + lottery.shifts.astype(np.float64), np.nan)
        ends = np.full(len(x), np.inf)
        return Support(-ends, ends, options)

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        table = np.empty((len(rngs), len(counts)))
        for row, rng in zip(table, rngs, strict=True):
            row[:] = counts + self.lottery.shift(counts, record_keys(len(counts), rng))
        return table

    def effort(self, table: Histogram) -> Effort:
        return Effort(1e-7 * len(table), 3e-8 * len(table))

    @property
    def told_for_sure(self) -> float:
        """The chance of a release that rules one of two tables out, which differ in one person: the
        largest over all such tables."""
        chances, shifts = self.lottery.chances, self.lottery.shifts
        size = len(chances) + 1  # one row more, which is like the last

        def shared(count: int, other: int) -> float:
            """The chance that this count comes out as the other could."""
            row, its = (chances[min(c, len(chances) - 1)] for c in (count, other))
            possible = {other + int(s) for s in shifts[its > 0]}
            return float(sum(p for s, p in zip(shifts, row, strict=True)
                             if count + int(s) in possible))

        leaves = min(shared(count, count - 1) for count in range(1, size))
        joins = min(shared(count, count + 1) for count in range(size))
        return 1 - leaves * joins

    def guarantee_from(self, facts: Facts) -> Guarantee:
        chance = short_number(float(f"{self.told_for_sure:.2g}"))
        return Guarantee.of_log_rest(
            None, None, -np.inf, neighbours=Neighbours.ONE_RECORD, is_bound=True,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark="No formal guarantee: shifts have a largest size, so a release can rule out one "
            "of two tables that differ in one person, whatever ε, and whoever knows everybody else "
            f"then knows for sure. That happens with a chance of up to {chance}.",
        )

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return ("every 0",)


@kept_for_all
def _lottery(spread: int, variance: float, least: int) -> PTable:
    return PTable(spread, variance, least)

"""TopDown: noisy counts for the whole and for every area, made into one consistent table.

Question: what does a table look like that was protected as the 2020 US Census was? The table is
measured twice with noise, once for all areas together and once for each area. Then, from the top
down, the nearest table is found that has no negatives, whole people, areas that add up to the
whole, and whatever has to be exact (invariants). The last is not covered by the promise of ε.
(Abowd et al. 2022; Bailie, Gong and Meng, P3, "TDA satisfies DP, subject to its invariants".)

This is TopDown with two levels and one query per level, for study, not for production release.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram, fewer_features
from sdc_core.keep import kept_for_all, kept_with_first
from sdc_core.mechanisms.base import Doing, Effort, Floats, Mechanism, repetition_rng
from sdc_core.mechanisms.constrained import nearest_table, round_table
from sdc_core.mechanisms.neighbour_tables import (
    OTHER,
    NeighbouringTables,
    Support,
    small_domain,
    small_table,
)
from sdc_core.mechanisms.noise import TARGET_DELTA
from sdc_core.mechanisms.work import Level, Work
from sdc_core.parameters import EPSILON, Choice, Flag, Real, Several
from sdc_core.privacy.discrete_gaussian import TIES, DiscreteGaussian, loss_exceeds
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours, log_rest
from sdc_core.privacy.protection import ODDS_AND_SLACK, Protection

MAX_TOPDOWN_CELLS = 50_000  # with exact areas about 7 s; twice as many take minutes

GEOGRAPHY = Several(
    name="geography", title="Areas", default=("PUMA",), roles=(Role.PLACE, Role.QUASI), most=1,
    least=1,
    help="The feature that says where a person lives. All areas together are measured first, then "
    "every area by itself, and areas always add up to the whole.",
)
SHARE = Real(
    name="share", title="Budget for all areas together", symbol="share", default=0.5,
    low=0.01, high=0.99, slider=(0.05, 0.95), percent=True,
    help="The part of the privacy budget that is spent on counts for all areas together. The rest "
    "is spent on counts for each area: more for one means more noise in the other.",
)
INVARIANTS = Choice(
    name="invariants", title="Published exactly", default="total", tag="(exact: {})",
    choices=("none", "total", "areas"),
    titles={"none": "nothing", "total": "how many people", "areas": "how many people in each area"},
    help="What must come out exactly. The promise of ε does not cover it: with exact numbers for "
    "each area, where a person lives is not protected.",
)
STRUCTURAL_ZEROS = Flag(
    name="structural_zeros", title="Keep empty combinations",
    default=False,
    help="Combinations that nobody has in any area stay at zero. That publishes exactly which "
    "combinations occur, and the promise of ε does not cover it. The Census does so only for "
    "combinations that cannot occur.",
)


@dataclass(frozen=True, eq=False)
class Measurements:
    """The noisy counts, which is all that post-processing sees apart from the invariants.

    `upper`: one count per combination of the other features; `lower`: the same for each area, in
    columns.
    """

    upper: Floats
    lower: Floats


@dataclass(frozen=True, eq=False)
class TopDownDetails:
    """How a release came about: measured, estimated (real numbers), rounded (what is published).

    `counts` is `lower` in the order of the table's own cells.
    """

    measured: Measurements
    upper_estimate: Floats
    upper: NDArray[np.int64]
    lower_estimate: Floats
    lower: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True)
class TopDown(Mechanism):
    """How wrong is a table protected top down, and what does keeping numbers exact change?

    Discrete Gaussian noise with σ² = 1/ρ at each level: one record moves two counts by one each
    (ℓ2 distance √2), so a level with noise σ costs ρ = 1/σ². The levels' ρ are `share` and
    1 - `share` of the total, which is the largest whose exact δ at ε is at most the wanted one.
    """

    name = "topdown"
    does = Doing.REPAIRING
    title = "TopDown"
    proper_name = True
    plain = "Add noise that adds up"
    doing = "adding noise that adds up"
    family = "dp"
    acts_on = "cells"
    summary = "Adds noise for the whole and for each area, then finds a consistent table."
    citation = "Abowd et al. 2022, Harvard Data Science Review; Bailie, Gong and Meng (P3)"
    protection = Protection(
        what="All answers of a person, as far as no choice of yours publishes them exactly.",
        where="All the way, unless more than the number of people is kept exact: how many live in "
        "each area, or which combinations nobody has. Then only among tables that agree on it.",
        unit="A person, whose answers may change; with exact numbers for each area, all answers "
        "but the area.",
        measured=f"{ODDS_AND_SLACK} Underneath zCDP's ρ, which adds up over the levels.",
        how_much="ε at the wanted δ, one budget for both levels: all areas together and each area.",
    )
    slow: ClassVar[bool] = True

    epsilon: float = EPSILON.field()
    delta: float = TARGET_DELTA.field()
    geography: tuple[str, ...] = GEOGRAPHY.field()
    share: float = SHARE.field()
    invariants: str = INVARIANTS.field()
    structural_zeros: bool = STRUCTURAL_ZEROS.field()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.geography) != 1:
            raise InputError(
                f"geography must be one feature, got {', '.join(self.geography)}. Try PUMA."
            )

    @property
    def rho(self) -> float:
        """The whole budget in zCDP's measure."""
        return _largest_rho(self.epsilon, self.delta, self.share)

    @property
    def sigmas(self) -> tuple[float, float]:
        """The noise of the upper and of the lower level."""
        return _sigmas(self.rho, self.share)

    def effort(self, table: Histogram) -> Effort:
        size = len(table)  # with exact areas no row is a problem by itself
        release = 4e-3 + 4e-6 * size if self.invariants == "areas" else 3e-4 + 2e-7 * size
        return Effort(release, math.inf)

    def check(self, table: Histogram) -> None:
        table.domain.axes(self.geography, "geography")
        if len(table) > MAX_TOPDOWN_CELLS:
            raise InputError(
                f"topdown can treat {MAX_TOPDOWN_CELLS:,} cells, this table has {len(table):,}. "
                f"{fewer_features(table.domain, MAX_TOPDOWN_CELLS)}"
            )

    def levels(self, table: Histogram) -> NDArray[np.int64]:
        """The table with combinations of the other features as rows and areas as columns."""
        self.check(table)
        (axis,) = table.domain.axes(self.geography, "geography")
        moved = np.moveaxis(table.counts.reshape(table.domain.shape), axis, -1)
        return moved.reshape(-1, moved.shape[-1])

    def measure(self, table: Histogram, rng: np.random.Generator) -> Measurements:
        """Both levels with their noise: whole numbers, some of them negative."""
        truth = self.levels(table)
        upper, lower = (_noise(sigma) for sigma in self.sigmas)
        return Measurements(
            truth.sum(axis=1) + upper.draw(rng, len(truth)),
            truth + lower.draw(rng, truth.size).reshape(truth.shape),
        )

    def settle(
        self, table: Histogram, measured: Measurements, rng: np.random.Generator
    ) -> TopDownDetails:
        """The consistent table for these measurements; of the truth it sees the invariants only.

        `rng` breaks ties in rounding.
        """
        truth = self.levels(table)
        upper_sum = None if self.invariants == "none" else np.array([truth.sum()])
        area_sums = truth.sum(axis=0) if self.invariants == "areas" else None
        possible = truth.any(axis=1) if self.structural_zeros else np.ones(len(truth), dtype=bool)
        upper_estimate = np.zeros(len(truth))
        upper = np.zeros(len(truth), dtype=np.int64)
        row = nearest_table(measured.upper[None, possible], upper_sum)
        upper_estimate[possible] = row[0]
        upper[possible] = round_table(row, rng, upper_sum)[0]
        lower_estimate = nearest_table(measured.lower, upper, area_sums)
        lower = round_table(lower_estimate, rng, upper, area_sums)
        (axis,) = table.domain.axes(self.geography, "geography")
        shape = list(table.domain.shape)
        areas = shape.pop(axis)
        counts = np.moveaxis(lower.reshape(*shape, areas), -1, axis).reshape(-1)
        return TopDownDetails(measured, upper_estimate, upper, lower_estimate, lower, counts)

    def release_details(self, table: Histogram, seed: int) -> TopDownDetails:
        """The release of this seed with all that it was made from."""
        return self._details(table, repetition_rng(seed, 0))

    def work(self, table: Histogram, seed: int) -> Work:
        """True, measured and released counts of both levels, for the release of this seed."""
        return _work(table, self, seed)

    def _details(self, table: Histogram, rng: np.random.Generator) -> TopDownDetails:
        return self.settle(table, self.measure(table, rng), rng)

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        return np.stack([self._details(table, rng).counts for rng in rngs]).astype(np.float64)

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """The only person with an answer changes it and, unless areas are published exactly, moves;
        where it is published which combinations occur, somebody else keeps the answer. And a change
        that is not covered."""
        domain = small_domain({self.geography[0]: 2, OTHER: 2})
        stay = int(self.structural_zeros)

        def people(area: int, answer: int) -> Histogram:
            return small_table(domain, ((0, 0), 3), ((1, 1), stay), ((area, answer), 1))

        before, moves = people(1, 1), "one of a few people changes area and answer"
        if self.invariants != "areas":
            return [NeighbouringTables(before, people(0, 0), moves)]
        return [
            NeighbouringTables(before, people(1, 0), "one of a few people changes an answer"),
            NeighbouringTables(before, people(0, 0), moves, covered=False),
        ]

    def support(self, table: Histogram) -> Support:
        """The number of people, of all or of each area, where it is published; no more than that in
        any group; nobody with a combination that is published as empty."""
        numbers = np.arange(len(table)).reshape(table.domain.shape)
        (axis,) = table.domain.axes(self.geography, "geography")
        by_area = np.moveaxis(numbers, axis, 0).reshape(table.domain.shape[axis], -1)
        sums: dict[str, list[list[int]]] = {
            "none": [], "total": [list(range(len(table)))], "areas": by_area.tolist()}
        known = Support.of_sums(table, sums[self.invariants])
        high = np.full(len(table), math.inf)
        if self.structural_zeros:
            high[by_area[:, ~table.counts[by_area].any(axis=0)]] = 0.0
        return Support(np.zeros(len(table)), high, None, known.sums, known.totals)

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        """Without the number of people: it is the same for all tables that are compared."""
        return self._kept(table, number=False)

    def _kept(self, table: Histogram | None, number: bool = True) -> tuple[str, ...]:
        (area,) = self.geography
        others = "all other features"
        if table is not None:
            titles = {f.name: f.title for f in table.domain.features}
            area = titles.pop(area, area)
            others = " × ".join(titles.values()) or others
        numbers = {"none": (), "total": ("the number of people",) * number,
                   "areas": (f"the number of people by {area}",)}[self.invariants]
        empty = (f"which combinations of {others} nobody has",) * self.structural_zeros
        return (*numbers, *empty)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        upper, lower = self.sigmas
        return Guarantee.of_delta(
            self.epsilon, self.delta, composed_delta(self.epsilon, upper, lower),
            neighbours=self._neighbours, invariants=self.published_exactly(facts.table),
            citation=self.citation, remark=self._remark(), log_within=self._log_within(),
            is_bound=True, as_drawn=True,  # both are known for the noisy measurements
            # without an exact number of people: one count changes at each level, not two
            added_epsilon=self.epsilon if self.invariants == "none" else None,
        )

    def _log_within(self) -> float:
        """A record may change its area alone, and then nothing moves at the upper level."""
        upper, lower = self.sigmas
        both = composed_exceeds(self.epsilon, upper, lower)
        if self.invariants == "areas":
            return log_rest(both)
        return log_rest(max(both, loss_exceeds(self.epsilon, lower)))

    @property
    def _neighbours(self) -> Neighbours:
        """Which records may change, so that what is published exactly stays as it is."""
        if self.invariants == "areas":
            return (Neighbours.SAME_AREA_AND_COMBINATIONS if self.structural_zeros
                    else Neighbours.SAME_AREA)
        return Neighbours.SAME_COMBINATIONS if self.structural_zeros else Neighbours.ONE_RECORD

    def _remark(self) -> str:
        upper, lower = self.sigmas
        parts = [
            f"Both measurements together cost ρ = {self.rho:.3g} (σ = {upper:.3g} for all areas "
            f"together, {lower:.3g} for each). δ is exact for the noisy measurements and an upper "
            "bound for the table made from them, which reveals no more. How often the loss is "
            "above ε is known for the measurements alone."
        ]
        if self.invariants == "none" and not self.structural_zeros:
            parts.append("Nothing is published exactly.")
        elif self.published_exactly(None):
            parts.append(
                "The promise covers only tables that agree on what is published exactly; between "
                "tables that differ in it no ε holds, however large (P3)."
            )
        if self.invariants == "total":
            parts.append(
                "The number of people is public: it is the same in both tables when a record "
                "changes."
            )
        if self.invariants == "areas":
            parts.append("So where a person lives is not protected, only what they answered.")
        if self.structural_zeros:
            parts.append(
                "Empty combinations are read off the data: the only person with a combination is "
                "told to exist."
            )
        return " ".join(parts)


@kept_with_first  # a page asks again whenever any of its controls moves
def _work(table: Histogram, chosen: TopDown, seed: int) -> Work:
    truth, details = chosen.levels(table), chosen.release_details(table, seed)
    (axis,) = table.domain.axes(chosen.geography, "geography")
    area = table.domain.features[axis]
    rest = Domain(tuple(f for f in table.domain.features if f is not area))
    groups = ["everybody"]
    if rest.features:
        groups = Histogram(truth.sum(axis=1), rest).describe_cells(range(len(truth)))
    upper = Level(
        "all areas together", ("all areas together",), truth.sum(axis=1)[:, None],
        details.measured.upper[:, None], details.upper[:, None],
    )
    lower = Level("single areas", area.labels, truth, details.measured.lower, details.lower)
    return Work((upper, lower), tuple(groups), area.title, chosen._kept(table))


@kept_for_all
def _noise(sigma: float) -> DiscreteGaussian:
    return DiscreteGaussian(sigma)


def _sigmas(rho: float, share: float) -> tuple[float, float]:
    return 1 / math.sqrt(share * rho), 1 / math.sqrt((1 - share) * rho)


@functools.lru_cache(maxsize=1024)
def _largest_rho(epsilon: float, delta: float, share: float) -> float:
    """The largest ρ for (ε, δ), to one part in 10⁴, on the safe side.

    The search starts where zCDP's own conversion ε = ρ + 2 √(ρ ln(1/δ)) puts it, which always
    will do (a discrete Gaussian has the zCDP of a Gaussian), and goes on while the exact δ allows.
    """
    log = math.log(1 / delta)
    low = (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
    high = 2 * low
    while composed_delta(epsilon, *_sigmas(high, share)) <= delta:
        low, high = high, 2 * high
    while high / low > 1 + 1e-4:
        middle = math.sqrt(low * high)
        if composed_delta(epsilon, *_sigmas(middle, share)) <= delta:
            low = middle
        else:
            high = middle
    return low


def composed_delta(epsilon: float, upper: float, lower: float) -> float:
    """Exact δ at ε when one record moves two counts by one each at both levels.

    The privacy losses (1 - w)/σ² of the levels add up, with w the difference of two draws (see
    `discrete_gaussian.delta_tight`). A record that only changes its area moves nothing at the
    upper level, which is never worse. Summed over the lower level by its distribution function:
    δ = Σ_u [P(u) P(loss > ε - loss_u) - e^ε Q(u) Q(loss > ε - loss_u)].
    """
    w, log_law = _log_law(upper)
    loss = (1 - w) / upper**2
    other, other_log_law = _log_law(lower)
    other_loss = (1 - other) / lower**2
    beyond = np.searchsorted(other, 1 - lower**2 * (epsilon - loss), side="left")
    p = np.append(0.0, np.cumsum(np.exp(other_log_law)))[beyond]
    q = np.append(0.0, np.cumsum(np.exp(other_log_law - other_loss)))[beyond]
    excess = np.exp(log_law) * p - np.exp(np.minimum(epsilon + log_law - loss, 700.0)) * q
    return float(min(max(np.maximum(excess, 0.0).sum(), 0.0), 1.0))


def composed_exceeds(epsilon: float, upper: float, lower: float) -> float:
    """Pr[loss > ε] for the same: the losses of both levels together."""
    w, log_law = _log_law(upper)
    other, other_log_law = _log_law(lower)
    missing = epsilon * (1 + TIES) - (1 - w) / upper**2
    beyond = np.searchsorted(other, 1 - lower**2 * missing, side="left")
    chance = np.append(0.0, np.cumsum(np.exp(other_log_law)))[beyond]
    return float(min((np.exp(log_law) * chance).sum(), 1.0))


def _log_law(sigma: float) -> tuple[Floats, Floats]:
    """The law of the difference w of two discrete Gaussian draws, as ln P(w)."""
    reach = math.ceil(17 * sigma) + 4  # twelve standard deviations of w: less than 1e-32 is left
    w = z = np.arange(-reach, reach + 1)
    even, odd = (np.exp(-((z - half) ** 2) / sigma**2).sum() for half in (0.0, 0.5))
    one = np.exp(-(z**2) / (2 * sigma**2)).sum()
    law = -(w**2) / (4 * sigma**2) + np.log(np.where(w % 2 == 0, even, odd)) - 2 * np.log(one)
    return w.astype(np.float64), law

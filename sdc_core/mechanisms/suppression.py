"""Cell suppression and its differentially private versions.

Question: what happens to small groups when counts below k are hidden and filled in with one fixed
number c, and what does a random threshold add? (P0 Def 3, eq 1, Thm 1; P1 eq 2, Alg 1 and 2; P2
Def 2, eq 1.) P1's Def 3, max(x, k/2), contradicts its own Alg 1 and is not used.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram, as_counts
from sdc_core.mechanisms.base import (
    Bools,
    CellMechanism,
    CellMoments,
    Doing,
    Floats,
    repetition_rng,
)
from sdc_core.mechanisms.count_law import CountLaw
from sdc_core.mechanisms.neighbour_tables import Support
from sdc_core.mechanisms.noisy_threshold import NoisyThreshold
from sdc_core.parameters import EPSILON, THRESHOLD, Choice, Flag
from sdc_core.privacy.discrete_gaussian import TIES
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import ODDS_AND_SLACK, Protection

IMPUTATION = Choice(
    name="imputation", title="Hidden counts become", symbol="c", default="floor",
    choices=("floor", "half"),
    titles={"floor": "k/2, rounded down", "half": "k/2"},
    help="The number published in place of a hidden count.",
)
KEEP_ZEROS = Flag(
    name="keep_zeros", title="Leave empty groups at 0", of_study=True, default=False,
    help="Offices usually do not touch zeros. For the DP version this breaks the guarantee: a "
    "zero then proves that nobody is there.",
)
VARIANT = Choice(
    name="variant", title="Version", default="P0", tag="({})",
    choices=("P0", "P1-noisy-threshold", "P2"),
    titles={
        "P0": "noise for each count", "P1-noisy-threshold": "one noisy threshold",
        "P2": "small counts always hidden",
    },
    help="Three papers, three rules. Das et al. 2024: a count is hidden if count plus noise is "
    "below k. Zhu et al. 2023: one noisy threshold for the whole table. Das, Tajeddine and "
    "Fioretto: every count below k is hidden, and by noise some above it.",
)


class _Hiding(CountLaw, CellMoments):
    """A count x is replaced by c with probability p(x), each cell by itself.

    bias (c - x) p, variance p (1 - p) (c - x)², expected absolute error |c - x| p.
    """

    k: int
    imputation: str
    keep_zeros: bool

    @property
    def imputed(self) -> float:
        """The number c that is published in place of a hidden count."""
        return self.k // 2 if self.imputation == "floor" else self.k / 2

    @abstractmethod
    def hide_probability(self, x: Floats) -> Floats:
        """p(x) before zeros are exempted."""

    def _p(self, x: Floats) -> Floats:
        p = self.hide_probability(x)
        return np.where(x == 0, 0.0, p) if self.keep_zeros else p

    def hidden(self, data: Histogram | Iterable[int]) -> Floats:
        """With what chance is each count hidden? p(x), zeros exempted if so wished."""
        return self._p(as_counts(data).astype(np.float64))

    def log_rest_marked(self, cap: int) -> float:
        """ln(1 - δ) where the release also says which counts are hidden.

        As in `log_overlap`, but then a count that is c itself looks hidden only if it is: s = p.
        """
        with np.errstate(divide="ignore"):
            top, below = self._log_p(np.array([cap, cap - 1], dtype=np.float64))
            first = self._log_p(np.zeros(1))[0]  # zeros may be exempt
        return float(top + min(below, first))

    def support(self, table: Histogram) -> Support:
        """A count comes out as it is, unless it is always hidden, or as c, unless it never is."""
        x = table.counts.astype(np.float64)
        with np.errstate(divide="ignore"):
            never = self._log_p(x) == -math.inf
        shown = np.where(self._always_hidden(x) & ~never, np.nan, x)
        options = np.stack([shown, np.where(never, np.nan, self.imputed)], axis=1)
        ends = np.full(len(x), math.inf)
        return Support(-ends, ends, options)

    @abstractmethod
    def _always_hidden(self, x: Floats) -> Bools:
        """Which counts are hidden whatever the noise, before zeros are exempted?"""

    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        p = self._p(x)
        return p * (np.rint(self.imputed) <= people) + (1 - p) * (x <= people)

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        p = self._p(x)
        gap = self.imputed - x
        return gap * p, p * (1 - p) * gap**2, np.abs(gap) * p

    def log_overlap(self, cap: int) -> float:
        """ln(1 - δ) of the tight guarantee, with counts up to the cap.

        A cell with count a shows c with probability s(a), where s(a) = p(a), or 1 if a is c itself.
        Neighbours have no other output in common, so for a pair of moving counts
        1 - δ = min(s(a₁) s(a₂), e^ε s(a₁ - 1) s(a₂ + 1)); over all pairs the least is the product
        of the least s on 1..B and on 0..B-1, whatever ε.
        """
        # p falls as counts grow, so the least is at the top (or next to it, where the top is c
        # itself), or at zero if zeros are exempt: a few counts stand for all.
        a = np.array(sorted({x for x in (0, 1, cap - 2, cap - 1, cap) if x >= 0}), dtype=np.float64)
        log_s = self._log_shown(a)
        return float(log_s[a >= 1].min() + log_s[a <= cap - 1].min())

    def log_within(self, cap: int, epsilon: float, within: float) -> float:
        """ln of the least chance that the loss is at most ε; `within` is ln(1 - δ).

        All outcomes but the common one have an infinite loss, so it is 1 - δ, unless the common
        outcome of some pair has itself a loss above ε: then nothing is within. Its loss
        ln s(a₁)/s(a₁ - 1) + ln s(a₂)/s(a₂ + 1) is largest where a count is c itself, next to k,
        at the ends or next to zero; elsewhere p changes more slowly.
        """
        if within == -math.inf:
            return within
        c = math.floor(self.imputed)
        near = {near + step for near in (1, c, self.k, cap) for step in (-2, -1, 0, 1)}
        a = np.array(sorted(x for x in near if 0 <= x <= cap), dtype=np.float64)
        leaving, joining = a[a >= 1], a[a <= cap - 1]
        losses = []
        for before, after in ((leaving, leaving - 1), (joining, joining + 1)):
            here, there = self._log_shown(before), self._log_shown(after)
            losses.append(np.where(here == -math.inf, -math.inf, here - there).max())
        return -math.inf if sum(losses) > epsilon * (1 + TIES) else within

    def _log_shown(self, x: Floats) -> Floats:
        """ln s(x): the chance that a count shows c."""
        with np.errstate(divide="ignore"):
            return np.where(x == self.imputed, 0.0, self._log_p(x))

    def _log_p(self, x: Floats) -> Floats:
        return np.log(self._p(x))


@dataclass(frozen=True)
class Suppression(_Hiding, CellMechanism):
    """What does hiding every count below k do? x stays if x >= k, else it becomes c. (P0 Def 3)"""

    name = "suppression"
    does = Doing.HIDING
    title = "Suppression"
    plain = "Hide small counts"
    doing = "hiding small counts"
    family = "sdc"
    summary = "Hides every count below k and publishes about k/2 instead."
    citation = "Kelly, Golden and Assad 1992; Das et al. 2024 (P0) Def. 3"
    protection = Protection(
        what="Small counts only: how many there are in a group of fewer than k people.",
        where="Not to larger groups: every count of k or more is published exactly. A hidden "
        "count can often be worked out from totals.",
        unit="A small group, not a person. People in larger groups are not a unit of anything.",
        measured="Not at all: the rule is fixed and nothing is random, so there are no odds.",
        how_much="k people. There is no ε; some tables that differ in one person can always be "
        "told apart (δ = 1).",
    )

    k: int = THRESHOLD.field()
    imputation: str = IMPUTATION.field()
    keep_zeros: bool = KEEP_ZEROS.field()

    @property
    def at_once(self) -> tuple[str, ...]:
        return ("k",)

    def hide_probability(self, x: Floats) -> Floats:
        return self._always_hidden(x).astype(np.float64)

    def _always_hidden(self, x: Floats) -> Bools:
        return np.asarray(x < self.k)

    def hidden_in(self, data: Histogram | Iterable[int], seed: int) -> Bools:
        """The rule is fixed, so the seed changes nothing."""
        return self.hidden(data) > 0

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        row = np.where(self.hidden(counts) > 0, self.imputed, counts)
        return np.tile(row.astype(np.float64), (len(rngs), 1))

    def guarantee_from(self, facts: Facts) -> Guarantee:
        # That no count reaches k is a fact only if it was declared: seen in the data it is what
        # one person more would change.
        nothing_varies = not facts.cap_from_data and self.log_overlap(facts.cap) == 0.0
        remark = (
            f"Every table with counts up to {facts.cap:,} comes out the same, so nothing is "
            "revealed, and nothing is learned either."
            if nothing_varies
            else "No formal guarantee: the rule is fixed, so some tables that differ in one person "
            "never look alike, and whoever knows everybody else can tell them apart for sure."
        )
        return Guarantee.of_log_rest(
            None, None, 0.0 if nothing_varies else -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=() if nothing_varies else self.published_exactly(facts.table),
            citation=self.citation, remark=remark,
        )

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return (f"every count of {self.k} or more", *["every 0"] * self.keep_zeros)


@dataclass(frozen=True)
class DpSuppression(_Hiding, CellMechanism):
    """What do suppression's DP versions do? A count is hidden if count plus noise is below k.

    p(x) = Pr(x + Lap(2/ε) < k); variant P2 has p = 1 below k; variant P1-noisy-threshold draws
    one shared k + Lap(2/ε) and fills in half of that (see NoisyThreshold).
    """

    name = "dp-suppression"
    does = Doing.HIDING
    title = "DP suppression"
    plain = "Hide below a noisy limit"
    doing = "hiding below a noisy limit"
    family = "dp-sdc"
    counterpart = "suppression"
    summary = "Hides counts that fall below k after noise; publishes all others exactly."
    citation = "Das et al. 2024 (P0) eq. 1, Thm 1; Zhu et al. 2023 (P1) Alg. 2; P2 eq. 1"
    protection = Protection(
        what="Meant to be everything a person answered; in effect, whether a count is shown or "
        "hidden.",
        where="To counts that happen to be hidden. All others, nearly always those of large "
        "groups, are published exactly.",
        unit="One person, whose answers may change; how many people there are counts as known.",
        measured=ODDS_AND_SLACK,
        how_much="ε in name, with δ near 1 for people in large groups; exactly 1 where empty "
        "groups are left at zero.",
    )

    epsilon: float = EPSILON.field()
    k: int = THRESHOLD.field()
    variant: str = VARIANT.field()
    imputation: str = IMPUTATION.field()
    keep_zeros: bool = KEEP_ZEROS.field()

    @property
    def at_once(self) -> tuple[str, ...]:
        return ("epsilon", "k") if self._shared is None else ()

    @property
    def _shared(self) -> NoisyThreshold | None:
        """The shared threshold of P1's algorithm, where that variant is on."""
        if self.variant != "P1-noisy-threshold":
            return None
        return NoisyThreshold(self.k, 2 / self.epsilon, self.imputation == "floor")

    def hide_probability(self, x: Floats) -> Floats:
        return np.exp(self._log_hide(x))

    def _always_hidden(self, x: Floats) -> Bools:
        return np.asarray((x < self.k) & (self.variant == "P2"))

    def support(self, table: Histogram) -> Support:
        if self._shared is None:
            return super().support(table)
        # What stands in hangs on the threshold that was drawn: only exempt zeros are known.
        ends = np.where((table.counts == 0) & self.keep_zeros, 0.0, math.inf)
        return Support(-ends, ends)

    def _log_hide(self, x: Floats) -> Floats:
        """ln p(x), exact far above k, where p itself would underflow."""
        gap = (self.k - x) * self.epsilon / 2
        below = np.log1p(-0.5 * np.exp(-np.maximum(gap, 0.0)))
        log_p = np.where(gap > 0, below, np.minimum(gap, 0.0) - math.log(2))
        return np.where(x < self.k, 0.0, log_p) if self.variant == "P2" else log_p

    def _log_p(self, x: Floats) -> Floats:
        log_p = self._log_hide(x)
        return np.where(x == 0, -math.inf, log_p) if self.keep_zeros else log_p

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        if self._shared is None:
            return super().moments(x)
        touched = (x > 0).astype(np.float64) if self.keep_zeros else np.ones_like(x)
        bias, variance, absolute = self._shared.moments(x)
        return bias * touched, variance * touched, absolute * touched

    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        if self._shared is None:
            return super().chance_at_most(people, x)
        touched = (x > 0).astype(np.float64) if self.keep_zeros else np.ones_like(x)
        shown = 1 - self.hide_probability(x) * touched
        filled = self._shared.chance_of_filler_at_most(people, x)
        return shown * (x <= people) + touched * filled

    def hidden_in(self, data: Histogram | Iterable[int], seed: int) -> Bools:
        """Drawn as the release of this seed draws it."""
        hidden, _ = self._drawn(as_counts(data), [repetition_rng(seed, 0)])
        return np.asarray(hidden[0], dtype=np.bool_)

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        hidden, filler = self._drawn(counts, rngs)
        return np.where(hidden, filler, counts.astype(np.float64))

    def _drawn(
        self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]
    ) -> tuple[Bools, Floats]:
        """Which counts are hidden, and what stands in for them: one row a generator."""
        scale = 2 / self.epsilon
        shape = (len(rngs), len(counts))
        if self._shared is not None:
            threshold = np.array([[self.k + rng.laplace(0.0, scale)] for rng in rngs])
            hidden = counts < threshold
            filler = np.broadcast_to(self._shared.filler(threshold), shape)
        else:
            hidden = np.stack([rng.laplace(0.0, scale, len(counts)) for rng in rngs])
            hidden = hidden + counts < self.k
            if self.variant == "P2":
                hidden |= counts < self.k
            filler = np.full(shape, self.imputed, dtype=np.float64)
        if self.keep_zeros:
            hidden &= counts > 0
        return hidden, filler

    def log_rest_marked(self, cap: int) -> float:
        if self._shared is None:
            return super().log_rest_marked(cap)
        return -math.inf if self.keep_zeros else self._shared.log_overlap(cap, False)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        cap = facts.cap
        shared = self._shared
        if shared is None:
            tight = self.log_overlap(cap)
            within = self.log_within(cap, self.epsilon, tight)
        else:
            tight = shared.log_overlap(cap, self.keep_zeros)
            within = shared.log_within(cap, self.keep_zeros, self.epsilon)
        # Thm 1 assumes k < B; beyond that the formula says nothing.
        published = math.log(0.25) - self.epsilon * (cap - self.k) if self.k < cap else None
        return Guarantee.of_log_rest(
            self.epsilon, published, tight, neighbours=Neighbours.ONE_RECORD, invariants=(),
            citation=self.citation, remark=self._remark(published, tight, cap),
            log_within=within, added_epsilon=self.epsilon,
        )

    def _remark(self, published: float | None, tight: float, cap: int) -> str:
        silent = "Theorem 1 assumes that k is below the largest count, which is not so here"
        if self.keep_zeros and tight == -math.inf:
            before, after = ("(0, 2)", "(1, 1)") if cap > 1 else ("(0, 1)", "(1, 0)")
            fails = f"{silent}; and nothing at all holds" if published is None else (
                "The published guarantee fails")
            return (
                f"{fails} when empty groups are left at 0, because a 0 then proves that nobody is "
                f"there: two groups with the counts {before} and, after one person has moved, "
                f"{after} never come out alike. The true δ is 1."
            )
        if published is None:
            return f"{silent}; the tight δ needs no such assumption."
        return (
            "Valid but nearly empty: large counts are almost always published exactly, which gives "
            "away people in large groups. The tight δ is lower because "
            + ("the threshold is drawn once for the whole table, not for each count."
               if self._shared is not None else "the paper's proof is conservative.")
        )

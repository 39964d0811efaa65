"""Synthetic data with differential privacy: MST and AIM.

Question: how good can a whole synthetic table be if only a few of its marginals are looked at, each
through noise? Both methods choose marginals, measure them with Gaussian noise, fit a joint table
and draw rows from it. Written from the papers' ideas: McKenna, Miklau and Sheldon 2021 (MST),
McKenna, Mullins, Sheldon and Miklau 2022 (AIM).

Neighbours: one record changes to any other, n stays. Then a marginal has two counts that change by
one each: ℓ1 distance 2, ℓ2 distance √2. So Gaussian noise σ on a marginal costs ρ = 2/(2σ²) = 1/σ²
in zCDP; the papers, which add or remove a record, write 1/(2σ²). The exponential mechanism with
parameter ε costs ε²/8 (Cesar and Rogers 2021), and a score that is an ℓ1 distance to the true
marginal has sensitivity 2. Costs add up, also where later budgets depend on earlier answers, as
long as the sum stays within what was set aside (Feldman and Zrnic 2021).

The noise is continuous and computed in floating point: for study, not for production release.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing, Effort, Floats, Mechanism
from sdc_core.mechanisms.joint_model import (
    Axes,
    Measurement,
    draw_rows,
    fit_joint,
    marginal,
    refuse_large,
)
from sdc_core.mechanisms.noise import TARGET_DELTA
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import EVERYTHING, PERSON, Protection
from sdc_core.privacy.zcdp import zcdp_delta, zcdp_rho

L1_SENSITIVITY = 2.0  # of a marginal's counts, one record changing
L2_SENSITIVITY = math.sqrt(2)
_ROUNDS_PER_FEATURE = 16
_MEASURING = 0.9  # the share of a round's budget that goes to measuring, the rest to choosing
_MEAN_ABSOLUTE = math.sqrt(2 / math.pi)  # E|Z| of a standard normal


@dataclass(frozen=True)
class Step:
    """One look at the data: Gaussian noise σ on a marginal, or a choice with parameter ε."""

    axes: Axes
    sigma: float | None = None
    epsilon: float | None = None

    @property
    def rho(self) -> float:
        if self.sigma is not None:
            return L2_SENSITIVITY**2 / (2 * self.sigma**2)
        return (self.epsilon or 0.0) ** 2 / 8


@dataclass(eq=False)
class Run:
    """The only way to the data: every look is noisy, is written down, and is paid for."""

    truth: Floats
    rho: float
    rng: np.random.Generator
    steps: list[Step] = field(default_factory=list)
    measured: list[Measurement] = field(default_factory=list)
    joint: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.joint = np.full(self.truth.shape, 1 / self.truth.size)
        self.total = float(self.truth.sum())  # public: neighbours have the same number of records

    @property
    def left(self) -> float:
        return self.rho - math.fsum(step.rho for step in self.steps)

    @property
    def axes(self) -> tuple[int, ...]:
        """Features that have anything to tell."""
        return tuple(i for i, n in enumerate(self.truth.shape) if n > 1)

    def _pay(self, step: Step) -> None:
        if step.rho > self.left + 1e-9 * self.rho:
            raise RuntimeError(f"The privacy budget does not cover {step}.")
        self.steps.append(step)

    def measure(self, axes: Axes, rho: float) -> None:
        """The marginal with Gaussian noise, σ = √2/√(2ρ)."""
        sigma = L2_SENSITIVITY / math.sqrt(2 * rho)
        self._pay(Step(axes, sigma=sigma))
        exact = marginal(self.truth, axes)
        self.measured.append(
            Measurement(axes, exact + sigma * self.rng.standard_normal(exact.shape), sigma)
        )

    def choose(
        self, candidates: Sequence[Axes], model: Floats, rho: float,
        weights: ArrayLike = 1.0, penalties: ArrayLike = 0.0,
    ) -> Axes:
        """A candidate by the exponential mechanism, P ∝ exp(ε score/(2 Δ)), ε = √(8ρ).

        Score: weight · (‖true marginal - model's‖₁ - penalty). Model, weights and penalties do not
        depend on the data but for what was released before, so Δ = 2 · largest weight.
        """
        epsilon = math.sqrt(8 * rho)
        w = np.asarray(weights, dtype=np.float64)
        scores = w * (self.gaps(candidates, model) - np.asarray(penalties))
        exponents = epsilon * scores / (2 * L1_SENSITIVITY * float(w.max()))
        gumbel = self.rng.gumbel(size=len(candidates))  # the largest sum is that choice
        chosen = candidates[int(np.argmax(exponents + gumbel))]
        self._pay(Step(chosen, epsilon=epsilon))
        return chosen

    def gaps(self, candidates: Sequence[Axes], model: Floats) -> Floats:
        """How far the model is from the data in each marginal, in people. Not to be published."""
        difference = self.truth - self.total * model
        return np.array([float(np.abs(marginal(difference, c)).sum()) for c in candidates])

    def fit(self) -> None:
        self.joint = fit_joint(self.truth.shape, self.total, self.measured, start=self.joint)


@dataclass(frozen=True)
class _Synthesis(Mechanism):
    """What both share: a budget in zCDP, a fitted joint table, rows drawn from it."""

    family = "dp"
    acts_on = "records"
    slow: ClassVar[bool] = True

    epsilon: float = EPSILON.field()
    delta: float = TARGET_DELTA.field()

    @property
    def rho(self) -> float:
        return zcdp_rho(self.epsilon, self.delta)

    def effort(self, table: Histogram) -> Effort:
        return Effort(self._fits * (0.01 + 1e-4 * len(table)), math.inf)

    @property
    def _fits(self) -> float:
        """How many times as long as a single fit all of them take."""
        return 1.0

    def check(self, table: Histogram) -> None:
        refuse_large(table.domain)

    @abstractmethod
    def _synthesise(self, run: Run) -> None:
        """Spend the budget and leave a fitted joint table."""

    def fitted(self, table: Histogram, rng: np.random.Generator) -> Run:
        """The model, and every look at the data that it took (for tests and figures)."""
        self.check(table)
        truth = table.counts.reshape(table.domain.shape).astype(np.float64)
        run = Run(truth, self.rho, rng)
        if run.axes and run.total > 0:
            self._synthesise(run)
        return run

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        return np.stack(
            [draw_rows(self.fitted(table, rng).joint, table.total, rng) for rng in rngs]
        )

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_delta(
            self.epsilon, self.delta, zcdp_delta(self.rho, self.epsilon),
            neighbours=Neighbours.ONE_RECORD, invariants=(), citation=self.citation,
            remark=f"All looks at the data together cost ρ = {self.rho:.4g} in zCDP, which "
            "promises this ε and δ; the true δ is not known, only that it is no larger. The "
            "number of people is public: it is the same in both tables when a record changes. The "
            "noise is not for production release.",
            is_bound=True,
        )


@dataclass(frozen=True)
class Mst(_Synthesis):
    """How far do the strongest links between pairs of features go? (McKenna et al. 2021)

    A third of ρ measures every feature alone; a third chooses a spanning tree, one pair at a time,
    preferring pairs that the independent model gets wrong; a third measures the chosen pairs.
    """

    name = "mst"
    does = Doing.FITTING
    title = "MST synthetic data"
    plain = "Draw records from a simple model"
    doing = "drawing records from a simple model"
    summary = "Draws new records from a model of single features and a tree of pairs, with noise."
    citation = "McKenna, Miklau and Sheldon 2021 (MST)"
    protection = Protection(
        what=f"{EVERYTHING} Nothing in the published records is anyone's own.",
        where="All the way: single features and the chosen pairs are seen through noise only, and "
        "so is the choice of pairs. Which values can occur counts as known.",
        unit=PERSON,
        measured="zCDP, an average over the odds, summed over all looks at the data; then turned "
        "into a factor of e^ε with slack δ.",
        how_much="ε and δ, set directly; one budget for all tables made from the synthetic "
        "records.",
    )

    def _synthesise(self, run: Run) -> None:
        axes = run.axes
        pairs: list[Axes] = list(itertools.combinations(axes, 2))
        thirds = min(len(pairs), 2) + 1  # one feature: no pairs; two: nothing to choose
        for axis in axes:
            run.measure((axis,), run.rho / thirds / len(axes))
        run.fit()
        independent = run.joint
        tree: list[Axes] = []
        part = {axis: axis for axis in axes}
        while len(set(part.values())) > 1:
            open_pairs = [pair for pair in pairs if part[pair[0]] != part[pair[1]]]
            chosen = open_pairs[0]
            if len(pairs) > 1:
                chosen = run.choose(open_pairs, independent, run.rho / thirds / (len(axes) - 1))
            tree.append(chosen)
            old, new = part[chosen[0]], part[chosen[1]]
            part = {axis: new if home == old else home for axis, home in part.items()}
        for pair in tree:
            run.measure(pair, run.rho / thirds / len(tree))
        run.fit()


@dataclass(frozen=True)
class Aim(_Synthesis):
    """Which marginals are worth their noise? (McKenna et al. 2022)

    Round after round: choose the marginal of up to three features that the model gets most wrong,
    beyond what its noise would; measure it; fit again. When a round teaches less than its noise,
    later ones get four times the budget.
    """

    name = "aim"
    does = Doing.FITTING
    title = "AIM synthetic data"
    plain = "Draw records from a fitted model"
    doing = "drawing records from a fitted model"
    summary = "Draws new records from a model that is improved where it is most wrong, with noise."
    citation = "McKenna, Mullins, Sheldon and Miklau 2022 (AIM)"
    protection = Protection(
        what=f"{EVERYTHING} Published records are drawn from a model.",
        where="All the way: every marginal is seen through noise only, and so is the choice of "
        "which to look at. Which values can occur counts as known.",
        unit=PERSON,
        measured="zCDP, an average over the odds, summed over all rounds, however they go; then "
        "turned into a factor of e^ε with slack δ.",
        how_much="ε and δ, set directly; one budget for all rounds and for all tables made from "
        "the synthetic records.",
    )

    @property
    def _fits(self) -> float:
        return 2.5 * math.sqrt(self.epsilon)  # with more budget fewer rounds end early

    def _synthesise(self, run: Run) -> None:
        axes = run.axes
        workload = [c for k in (1, 2, 3) for c in itertools.combinations(axes, k)]
        cells = np.array([math.prod(run.truth.shape[a] for a in c) for c in workload])
        # a marginal counts by how much it shares with each one that is wanted
        weights = [sum(len(set(c) & set(w)) for w in workload) for c in workload]
        per_round = run.rho / (_ROUNDS_PER_FEATURE * len(axes))
        for axis in axes:
            run.measure((axis,), _MEASURING * per_round)
        run.fit()
        while run.left > 1e-9 * run.rho:
            if run.left < 2 * per_round:
                per_round = run.left
            sigma = L2_SENSITIVITY / math.sqrt(2 * _MEASURING * per_round)
            noise = _MEAN_ABSOLUTE * sigma * cells
            chosen = run.choose(workload, run.joint, (1 - _MEASURING) * per_round, weights, noise)
            run.measure(chosen, _MEASURING * per_round)
            before = marginal(run.joint, chosen)
            run.fit()
            moved = run.total * float(np.abs(marginal(run.joint, chosen) - before).sum())
            if moved <= noise[workload.index(chosen)]:
                per_round *= 4

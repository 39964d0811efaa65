"""Additive noise on counts: Laplace, two-sided geometric, discrete Gaussian.

Question: how wrong is each count, on average and in spread, when noise is added and the result is
made presentable again? Making it presentable (no negative people) is what causes the bias: noise
itself has none, but a small count that is pushed below zero is pulled back up.

All three share one piece of algebra. Let Z be the noise after rounding and W = -Z. Releasing
Y = max(x + Z, 0) instead of x + Z gives, with the shortfalls
    A(x) = E[(W - x)+]            and   D(x) = E[(W² - x²) 1{W > x}],
    bias = E[Z] + A,   E[(Y - x)²] = E[Z²] - D,   E|Y - x| = E|Z| - A.
"""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.keep import kept_for_all
from sdc_core.mechanisms.base import CellMechanism, CellMoments, Doing, Floats
from sdc_core.mechanisms.count_law import CountLaw
from sdc_core.parameters import EPSILON, Choice, Param, Real, short_number
from sdc_core.privacy.clipped import loss_exceeds_clipped
from sdc_core.privacy.discrete_gaussian import (
    DiscreteGaussian,
    delta_by_zcdp,
    delta_tight,
    loss_exceeds,
    smallest_sigma,
)
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours, log_rest
from sdc_core.privacy.protection import EVERYTHING, ODDS, ODDS_AND_SLACK, PERSON, Protection
from sdc_core.privacy.whole_noise import TwoSidedGeometric


@dataclass(frozen=True)
class NoiseMoments:
    """E[Z], E|Z|, E[Z²] of the noise, and its shortfalls A(x), D(x) (zero when unclipped)."""

    mean: float
    absolute: float
    square: float
    shortfall: Floats
    square_shortfall: Floats


class _AdditiveNoise(CountLaw, CellMoments):
    """Moments of x + Z after post-processing, from the five numbers above."""

    @abstractmethod
    def noise_moments(self, x: Floats) -> NoiseMoments: ...

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        noise = self.noise_moments(x)
        bias = noise.mean + noise.shortfall
        variance = noise.square - noise.square_shortfall - bias**2
        return bias, np.maximum(variance, 0.0), noise.absolute - noise.shortfall

    @abstractmethod
    def noise_at_most(self, j: Floats) -> Floats:
        """P(Z <= j) of the noise as whole people, for whole j."""

    def chance_at_most(self, people: Floats, x: Floats) -> Floats:
        return self.noise_at_most(people - x)


def _postprocess(choices: tuple[str, ...], default: str) -> Param:
    titles = {
        "none": "as drawn",
        "clip": "no negatives",
        "round": "round, no negatives",
        "floor": "round down, no negatives",
    }
    return Choice(
        name="postprocess", title="After adding noise", default=default,
        choices=choices, titles={c: titles[c] for c in choices},
        help="What is done to noisy counts before they are published. Removing negative counts "
        "makes the table presentable and biases small groups upwards. The papers' tables round "
        "and then remove negatives.",
    )


@dataclass(frozen=True)
class Laplace(_AdditiveNoise, CellMechanism):
    """How wrong are counts with Laplace noise of scale 2/ε? (P0 §3, Thm 7; P1 Thm 9)

    With b = 2/ε, v = ε/4, q = e^(-ε/2), t = q^x. Scale 2/ε because changing one record moves two
    counts by one each, an ℓ1 distance of 2.
    """

    name = "laplace"
    does = Doing.NOISE
    title = "Laplace"
    proper_name = True
    plain = "Add noise"
    doing = "adding noise"
    family = "dp"
    summary = "Adds Laplace noise to every count, empty groups included."
    citation = "Dwork et al. 2006; Das et al. 2024 (P0) §3"
    protection = Protection(
        what=EVERYTHING,
        where="All the way: every count gets noise, empty groups and totals included. Nothing is "
        "published exactly.",
        unit=PERSON,
        measured=ODDS,
        how_much="ε, set directly; δ = 0. A second table about the same people adds its own ε.",
    )

    epsilon: float = EPSILON.field()
    postprocess: str = _postprocess(("none", "clip", "round", "floor"), "round").field()

    @property
    def at_once(self) -> tuple[str, ...]:
        return ("epsilon",)

    def noise_moments(self, x: Floats) -> NoiseMoments:
        b = 2.0 / self.epsilon
        q = np.exp(-self.epsilon / 2)
        one_minus_q = -np.expm1(-self.epsilon / 2)
        t = np.exp(-self.epsilon * x / 2)
        if self.postprocess == "none":
            zero = np.zeros_like(x)
            return NoiseMoments(0.0, b, 2 * b * b, zero, zero)
        if self.postprocess == "clip":
            return NoiseMoments(0.0, b, 2 * b * b, b * t / 2, (b * b + x * b) * t)
        if self.postprocess == "round":
            # P(round(noise) >= j) = ½ q^(j - ½) for j >= 1
            half = np.sqrt(q)
            a = half * t / (2 * one_minus_q)
            return NoiseMoments(
                0.0,
                half / one_minus_q,
                half * (1 + q) / one_minus_q**2,
                a,
                a * (2 * x + (1 + q) / one_minus_q),
            )
        # floor: P(floor(noise) <= -j) = ½ q^(j - 1), so half a person is lost on average
        a = t / (2 * one_minus_q)
        return NoiseMoments(
            -0.5,
            (1 + q) / (2 * one_minus_q),
            (1 + q) ** 2 / (2 * one_minus_q**2),
            a,
            a * (2 * x + (1 + q) / one_minus_q),
        )

    def noise_at_most(self, j: Floats) -> Floats:
        # whole people are rounded, so half a person more is still at most j
        upto = (j + (1.0 if self.postprocess == "floor" else 0.5)) * self.epsilon / 2
        tail = 0.5 * np.exp(-np.abs(upto))
        return np.where(upto < 0, tail, 1 - tail)

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        table = np.empty((len(rngs), len(counts)))
        for row, rng in zip(table, rngs, strict=True):
            row[:] = rng.laplace(0.0, 2.0 / self.epsilon, len(counts))
        if self.postprocess == "round":
            np.rint(table, out=table)
        elif self.postprocess == "floor":
            np.floor(table, out=table)
        table += counts
        return table if self.postprocess == "none" else np.maximum(table, 0.0, out=table)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return _pure(self.epsilon, self.citation)


@dataclass(frozen=True)
class Geometric(_AdditiveNoise, CellMechanism):
    """How wrong are counts with two-sided geometric noise? Laplace's whole-number relative.

    P(Z = z) = (1-q)/(1+q) q^|z| with q = e^(-ε/2), so P(Z <= -j) = q^j/(1+q) for j >= 1.
    """

    name = "geometric"
    does = Doing.NOISE
    title = "Geometric"
    plain = "Add whole-number noise"
    doing = "adding whole-number noise"
    family = "dp"
    summary = "Adds whole-number noise with geometric tails to every count."
    citation = "Ghosh, Roughgarden and Sundararajan 2009"
    protection = Protection(
        what=EVERYTHING,
        where="All the way: every count gets whole-number noise, empty groups and totals "
        "included. Nothing is published exactly.",
        unit=PERSON,
        measured=ODDS,
        how_much="ε, set directly; δ = 0. A second table about the same people adds its own ε.",
    )

    epsilon: float = EPSILON.field()
    postprocess: str = _postprocess(("none", "clip"), "clip").field()

    @property
    def at_once(self) -> tuple[str, ...]:
        return ("epsilon",)

    def noise_moments(self, x: Floats) -> NoiseMoments:
        q = np.exp(-self.epsilon / 2)
        one_minus_q = -np.expm1(-self.epsilon / 2)
        a = q ** (x + 1) / (one_minus_q * (1 + q))
        if self.postprocess == "none":
            a = np.zeros_like(x)
        return NoiseMoments(
            0.0,
            2 * q / (one_minus_q * (1 + q)),
            2 * q / one_minus_q**2,
            a,
            a * (2 * x + (1 + q) / one_minus_q),
        )

    def noise_at_most(self, j: Floats) -> Floats:
        q = math.exp(-self.epsilon / 2)
        return np.where(j < 0, q ** np.abs(j), 1 + q - q ** (np.maximum(j, 0) + 1)) / (1 + q)

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        table = np.empty((len(rngs), len(counts)))
        noise = _two_sided_geometric(self.epsilon / 2)
        for row, rng in zip(table, rngs, strict=True):
            row[:] = noise.draw(rng, len(counts))
        table += counts
        return table if self.postprocess == "none" else np.maximum(table, 0.0, out=table)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return _pure(self.epsilon, self.citation)


CALIBRATION = Choice(
    name="calibration", title="Noise size", default="table1",
    choices=("table1", "printed", "analytic"),
    titles={
        "table1": "as in the paper's table", "printed": "as printed in the text",
        "analytic": "least noise for (ε, δ)",
    },
    help="The paper's text prints variance 4/ε², but its table was made with 20/ε. 'Least noise' "
    "finds the smallest noise that meets a wanted (ε, δ) exactly.",
)
TARGET_DELTA = Real(
    name="delta", title="Slack in the promise", symbol="δ", default=1e-6,
    low=1e-15, high=0.5, slider=(1e-12, 0.1), log=True,
    help="How far the chance of any set of releases may lie above e^ε times what it is when one "
    "person's record changes. It is not how often the odds move by more than e^ε, which happens "
    "more often. Common practice: well below one over the number of people.",
)


@dataclass(frozen=True)
class DiscreteGaussianNoise(_AdditiveNoise, CellMechanism):
    """How wrong are counts with discrete Gaussian noise? (P0 §3, Table 1)

    Calibrations: `table1` σ² = 20/ε (what P0's Table 1 was made with), `printed` σ² = 4/ε² (what
    its text says), `analytic` the smallest σ whose exact δ is at most the wanted one.
    """

    name = "discrete-gaussian"
    does = Doing.NOISE
    title = "Discrete Gaussian"
    plain = "Add bell-shaped noise"
    doing = "adding bell-shaped noise"
    family = "dp"
    summary = "Adds whole-number bell-shaped noise to every count."
    citation = "Canonne, Kamath and Steinke 2020; Das et al. 2024 (P0) §3, Table 1"
    protection = Protection(
        what=EVERYTHING,
        where="All the way: every count gets bell-shaped whole-number noise, empty groups "
        "included. Nothing is published exactly.",
        unit=PERSON,
        measured=f"{ODDS_AND_SLACK} The noise has its own measure as well, zCDP's ρ = 1 / σ².",
        how_much="The noise σ fixes a whole curve of pairs (ε, δ). Which pair is quoted is a "
        "choice: the larger δ, the smaller ε.",
    )

    epsilon: float = EPSILON.field()
    calibration: str = CALIBRATION.field()
    delta: float = TARGET_DELTA.field()
    postprocess: str = _postprocess(("none", "clip"), "clip").field()

    @property
    def sigma(self) -> float:
        if self.calibration == "table1":
            return math.sqrt(20 / self.epsilon)
        if self.calibration == "printed":
            return 2 / self.epsilon
        return _analytic_sigma(self.epsilon, self.delta)

    @property
    def rho(self) -> float:
        """In zCDP's measure: neighbours are √2 apart, so 2/(2σ²)."""
        return 1 / self.sigma**2

    def relevant_params(self) -> tuple[Param, ...]:
        wants_delta = self.calibration == "analytic"
        return tuple(p for p in self.params() if wants_delta or p.name != "delta")

    def noise_moments(self, x: Floats) -> NoiseMoments:
        noise = _discrete_gaussian(self.sigma)
        if self.postprocess == "none":
            zero = np.zeros_like(x)
            return NoiseMoments(0.0, noise.absolute, noise.square, zero, zero)
        return NoiseMoments(
            0.0, noise.absolute, noise.square, noise.shortfall(x), noise.square_shortfall(x)
        )

    def noise_at_most(self, j: Floats) -> Floats:
        return _discrete_gaussian(self.sigma).at_most(j)

    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        noise = _discrete_gaussian(self.sigma)
        table = np.empty((len(rngs), len(counts)))
        for row, rng in zip(table, rngs, strict=True):
            row[:] = noise.draw(rng, len(counts))
        table += counts
        return table if self.postprocess == "none" else np.maximum(table, 0.0, out=table)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        sigma = self.sigma
        remark = (
            "The paper's conversion takes the ℓ2 distance of neighbours as 2; it is √2, since two "
            "counts change by one each. So the true δ is smaller than the published one."
        )
        if self.calibration == "printed" and self.epsilon >= 2:
            remark = (
                "With the printed noise the paper's own conversion promises nothing (δ = 1) at "
                "ε of 2 or more; the exact δ still can be read off."
            )
        drawn = loss_exceeds(self.epsilon, sigma)
        exceeds = drawn if self.postprocess == "none" else _exceeds_clipped(self.epsilon, sigma)
        if self.postprocess != "none":
            remark += (
                " Removing negatives reveals nothing more (δ stays), but all that comes out as 0 "
                "shares one loss, so next to zero it can be above ε more often than for counts as "
                f"drawn, for which the chance is {short_number(float(f'{drawn:.3g}'))}."
            )
        return Guarantee.of_delta(
            self.epsilon, delta_by_zcdp(self.epsilon, sigma), delta_tight(self.epsilon, sigma),
            neighbours=Neighbours.ONE_RECORD, invariants=(), citation=self.citation, remark=remark,
            log_within=log_rest(drawn if exceeds is None else exceeds), as_drawn=exceeds is None,
            added_epsilon=self.epsilon,  # one of the two counts changes: it cannot be worse
        )


def _pure(epsilon: float, citation: str) -> Guarantee:
    return Guarantee.of_delta(
        epsilon, 0.0, 0.0, neighbours=Neighbours.ONE_RECORD, invariants=(), citation=citation,
        added_epsilon=epsilon / 2,  # one count changes instead of two
        remark="Exact: the chance of any output moves by at most e^ε. Rounding and "
        "removing negatives cannot weaken it.",
    )


@kept_for_all
def _two_sided_geometric(rate: float) -> TwoSidedGeometric:
    return TwoSidedGeometric(rate)


@kept_for_all
def _discrete_gaussian(sigma: float) -> DiscreteGaussian:
    return DiscreteGaussian(sigma)


@functools.lru_cache(maxsize=1024)
def _exceeds_clipped(epsilon: float, sigma: float) -> float | None:
    return loss_exceeds_clipped(epsilon, sigma)


@functools.lru_cache(maxsize=1024)
def _analytic_sigma(epsilon: float, delta: float) -> float:
    return smallest_sigma(epsilon, delta)

"""The samplers draw from the laws that the closed forms describe; broken samplers are caught.

Size: every comparison spends from the one budget of tests/agreement.py (1e-6 for the whole run).

Power: a G test on n = 50,000 draws sees a scale that is off by a factor s by its relative entropy,
n·KL. For Laplace and geometric noise KL is about ln s + 1/s - 1, for Gaussian noise
ln s + 1/(2s²) - ½, so n·KL is at least 768 for s = 1.2 and 1305 for s = .8 (rounding included),
against critical values of at most 219 (129 bins) and standard deviations of at most 56: missing it
is a 15σ event. For suppression a draw is a coin: ε off by 20% moves p(x) by .029 or more at the
counts used, k off by one by more, against a tolerance of Z √(p(1-p)/n) = .014.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import opendp.prelude as dp
import pytest
from scipy import stats

import sdc_core as sdc
from sdc_core.mechanisms.base import CellMechanism, Declaration, Floats, Mechanism
from sdc_core.mechanisms.noise import Geometric, Laplace
from sdc_core.mechanisms.suppression import DpSuppression, Suppression
from sdc_core.parameters import Choice, Flag
from tests.agreement import law_agrees, mean_agrees, same_law, variance_agrees

COUNTS = np.array([0, 1, 2, 3, 5, 6, 7, 10, 25])
DRAWS = 50_000
dp.enable_features("contrib")


def draws(mechanism: Mechanism, counts: np.ndarray, size: int, seed: int = 1) -> Floats:
    """`size` independent releases of each count, as rows.

    Where cells are drawn by themselves, one long table does; a shared threshold needs many tables.
    """
    rng = np.random.default_rng(seed)
    if getattr(mechanism, "variant", "") == "P1-noisy-threshold":
        return mechanism.draw(counts, [rng] * size)
    return mechanism.draw(np.tile(counts, size), [rng])[0].reshape(size, len(counts))


def reach(mechanism: Mechanism, x: int) -> float:
    """The scale of rare events, for `mean_agrees`: the noise's, or the jump when x is hidden."""
    noise = 2 * 2 / getattr(mechanism, "epsilon", math.inf) + 1
    if mechanism.name == "discrete-gaussian":
        return 2 * mechanism.sigma + 1
    jump = abs(x - mechanism.k / 2) + 1 if hasattr(mechanism, "k") else 0.0
    return jump if getattr(mechanism, "variant", "P1") in ("P0", "P2") else noise + jump


def moment_faults(mechanism: Mechanism, size: int = DRAWS) -> list[str]:
    """Where simulated means or variances are further than z·SE from the closed forms."""
    table = draws(mechanism, COUNTS, size)
    faults = []
    for x, sample, bias, variance in zip(
        COUNTS, table.T, mechanism.bias(COUNTS), mechanism.variance(COUNTS), strict=True
    ):
        far = reach(mechanism, int(x))
        if not mean_agrees(sample, x + bias, variance, far):
            faults.append(f"mean at {x}")
        if not variance_agrees(sample, x + bias, variance, far):
            faults.append(f"variance at {x}")
    return faults


def options(**choices: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(choices, c, strict=True)) for c in itertools.product(*choices.values())]


EPSILON = (0.2, 1.0, 4.0)
YES_NO = (False, True)
SETTINGS = [
    *(("laplace", o) for o in options(
        epsilon=EPSILON, postprocess=("none", "clip", "round", "floor"))),
    *(("geometric", o) for o in options(epsilon=EPSILON, postprocess=("none", "clip"))),
    *(("discrete-gaussian", o) for o in options(
        epsilon=EPSILON, calibration=("table1", "printed", "analytic"),
        postprocess=("none", "clip"))),
    *(("suppression", o) for o in options(
        k=(1, 6, 7), imputation=("floor", "half"), keep_zeros=YES_NO)),
    *(("dp-suppression", o) for o in options(
        epsilon=EPSILON, k=(6, 7), variant=("P0", "P1-noisy-threshold", "P2"),
        imputation=("floor", "half"), keep_zeros=YES_NO)),
]


def treats_each_count(declared: Declaration) -> bool:
    """Is each count drawn by itself, with closed forms? Those that treat a whole table are sampled
    in tests/test_table_mechanisms.py."""
    return declared.exact and isinstance(sdc.mechanism(declared.name), CellMechanism)


def other_settings() -> Iterator[tuple[str, dict[str, Any]]]:
    """Mechanisms that are not listed above: by default, and with each value of each option."""
    for declared in sdc.mechanisms():
        listed = any(name == declared.name for name, _ in SETTINGS)
        if treats_each_count(declared) and not listed:
            yield declared.name, {}
            for param in declared.params:
                values = param.choices if isinstance(param, Choice) else YES_NO
                if isinstance(param, (Choice, Flag)):
                    yield from ((declared.name, {param.name: v}) for v in values)


SETTINGS += list(other_settings())


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_moments_of_draws(name: str, settings: dict[str, Any]) -> None:
    assert moment_faults(sdc.mechanism(name, **settings)) == []


def test_every_mechanism_on_cells_is_sampled_here() -> None:
    """With all values of its options."""
    for declared in sdc.mechanisms():
        if not treats_each_count(declared):
            continue
        used = [o for name, o in SETTINGS if name == declared.name]
        assert used, f"{declared.name} is not sampled"
        for param in declared.params:
            wanted = set(param.choices) if isinstance(param, Choice) else set()
            wanted |= {False, True} if isinstance(param, Flag) else set()
            missing = wanted - {o.get(param.name, param.default) for o in used}
            assert not missing, f"{declared.name}: {param.name} is not sampled at {missing}"


WIDE = np.arange(-400, 401)


def true_noise(name: str, settings: dict[str, Any], factor: float = 1.0) -> np.ndarray:
    """The law of the (rounded) noise on WIDE, with its scale multiplied by a factor."""
    scale = factor * 2 / settings["epsilon"]
    if name == "geometric":
        return stats.dlaplace(1 / scale).pmf(WIDE)
    if name == "discrete-gaussian":
        sigma = factor * math.sqrt(20 / settings["epsilon"])
        weights = np.exp(-(WIDE**2) / (2 * sigma**2))
        return weights / weights.sum()
    low = WIDE - (0.5 if settings["postprocess"] == "round" else 0)
    return np.diff(stats.laplace(0, scale).cdf(np.append(low, low[-1] + 1)))


NOISES = [
    ("laplace", {"epsilon": 0.2, "postprocess": "round"}),
    ("laplace", {"epsilon": 1.0, "postprocess": "round"}),
    ("laplace", {"epsilon": 1.0, "postprocess": "floor"}),
    ("geometric", {"epsilon": 0.2, "postprocess": "none"}),
    ("geometric", {"epsilon": 1.0, "postprocess": "none"}),
    ("discrete-gaussian", {"epsilon": 0.5, "postprocess": "none"}),
    ("discrete-gaussian", {"epsilon": 4.0, "postprocess": "none"}),
]
FAR_FROM_ZERO = 10_000  # removing negatives does nothing here


def noise_of(mechanism: Mechanism, size: int = DRAWS) -> Floats:
    return draws(mechanism, np.array([FAR_FROM_ZERO]), size)[:, 0] - FAR_FROM_ZERO


@pytest.mark.parametrize(("name", "settings"), NOISES)
def test_noise_has_its_law_and_not_that_of_20_percent_more_or_less(
    name: str, settings: dict[str, Any]
) -> None:
    sample = noise_of(sdc.mechanism(name, **settings))
    assert law_agrees(sample, WIDE, true_noise(name, settings))
    assert not law_agrees(sample, WIDE, true_noise(name, settings, 0.8))
    assert not law_agrees(sample, WIDE, true_noise(name, settings, 1.2))


@pytest.mark.parametrize("postprocess", ["none", "clip"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_continuous_laplace_has_its_law(epsilon: float, postprocess: str) -> None:
    """Raw draws are binned at multiples of a tenth of the scale, then tested like whole numbers."""
    scale = 2 / epsilon
    sample = noise_of(sdc.mechanism("laplace", epsilon=epsilon, postprocess=postprocess))
    binned = np.floor(sample * 10 / scale)
    for factor, same in ((1.0, True), (0.8, False), (1.2, False)):
        law = np.diff(stats.laplace(0, 10 * factor).cdf(np.append(WIDE, WIDE[-1] + 1)))
        assert law_agrees(binned, WIDE, law) is same


@pytest.mark.parametrize("variant", ["P0", "P1-noisy-threshold", "P2"])
@pytest.mark.parametrize("x", [7, 8])
def test_counts_are_hidden_as_often_as_they_should_be(variant: str, x: int) -> None:
    """Pr(hidden) = ½ e^(-ε(x-k)/2) above k = 6; ε off by 20% or k by one is not accepted."""
    mechanism = sdc.mechanism("dp-suppression", epsilon=1.0, k=6, variant=variant)
    hidden = draws(mechanism, np.array([x]), DRAWS)[:, 0] != x

    def accepted(epsilon: float, k: int) -> bool:
        p = 0.5 * math.exp(-epsilon * (x - k) / 2)
        return mean_agrees(hidden, p, p * (1 - p), 1.0)

    assert accepted(1.0, 6)
    assert not accepted(0.8, 6) and not accepted(1.2, 6)
    assert not accepted(1.0, 7) and not accepted(1.0, 5)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("name", ["geometric", "discrete-gaussian"])
@pytest.mark.slow
def test_integer_noise_agrees_with_opendp(name: str, epsilon: float) -> None:
    """Two samples of 20,000; both sides: the same scale agrees, 1.3 times and 1/1.3 of it do not.

    Power: both samples against their mixture are 268 apart or more at a factor of 1.3, against a
    critical value of at most 67 (11 bins) and a standard deviation of about √(2·268) = 23: 9σ.
    """
    size = 20_000
    scale = 2 / epsilon if name == "geometric" else math.sqrt(20 / epsilon)
    ours = noise_of(sdc.mechanism(name, epsilon=epsilon, postprocess="none"), size)
    law = stats.laplace if name == "geometric" else stats.norm
    edges = np.unique(np.round(law(0, scale).ppf(np.arange(1, 11) / 11)) + 0.5)
    vectors = dp.vector_domain(dp.atom_domain(T=int))

    def theirs(factor: float) -> np.ndarray:
        if name == "geometric":
            noise = dp.m.make_laplace(vectors, dp.l1_distance(T=int), scale=scale * factor)
        else:
            noise = dp.m.make_gaussian(vectors, dp.l2_distance(T=float), scale=scale * factor)
        return np.array(noise([0] * size))

    assert same_law(ours, theirs(1.0), edges)
    assert not same_law(ours, theirs(1.3), edges)
    assert not same_law(ours, theirs(1 / 1.3), edges)


@dataclass(frozen=True)
class NoNoise(Laplace):
    """Forgot to add noise."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return np.tile(counts.astype(float), (len(rngs), 1))


@dataclass(frozen=True)
class TooMuchLaplace(Laplace):
    """Scale 1.3 times what it should be."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return Laplace(self.epsilon / 1.3, self.postprocess).draw(counts, rngs)


@dataclass(frozen=True)
class TooMuchGeometric(Geometric):
    """Scale 1.3 times what it should be."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return Geometric(self.epsilon / 1.3, self.postprocess).draw(counts, rngs)


@dataclass(frozen=True)
class OffByOne(Laplace):
    """Counts start at one."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return super().draw(counts + 1, rngs)


@dataclass(frozen=True)
class ForgotClipping(Laplace):
    """Rounds, but leaves negative counts."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return super().draw(counts + FAR_FROM_ZERO, rngs) - FAR_FROM_ZERO


@dataclass(frozen=True)
class HidesTheThresholdToo(Suppression):
    """x <= k in place of x < k."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        row = np.where(counts <= self.k, self.imputed, counts)
        return np.tile(row.astype(float), (len(rngs), 1))


@dataclass(frozen=True)
class HidesTheThresholdTooP2(DpSuppression):
    """The same slip in P2's version: all of x <= k, and by noise some above."""

    def draw(self, counts: np.ndarray, rngs: Any) -> Floats:
        return np.where(counts <= self.k, float(self.imputed), super().draw(counts, rngs))


@pytest.mark.parametrize(
    ("broken", "where"),
    [(NoNoise(1.0), "mean at 0"), (TooMuchLaplace(1.0), "variance at 25"),
     (TooMuchLaplace(1.0, "none"), "variance at 0"), (TooMuchGeometric(1.0), "variance at 25"),
     (OffByOne(1.0), "mean at 25"), (ForgotClipping(1.0), "mean at 0"),
     (HidesTheThresholdToo(6), "mean at 6"),
     (HidesTheThresholdTooP2(1.0, 6, "P2"), "mean at 6")],
    ids=lambda value: type(value).__name__ if isinstance(value, Mechanism) else str(value),
)
def test_broken_samplers_are_caught(broken: Mechanism, where: str) -> None:
    """Test of the tests: each slip is found, at a count where it must show."""
    assert where in moment_faults(broken)
    if not hasattr(broken, "k") and not isinstance(broken, ForgotClipping):
        settings = {"epsilon": broken.epsilon, "postprocess": broken.postprocess}
        if broken.postprocess != "none" or broken.name == "geometric":
            assert not law_agrees(noise_of(broken), WIDE, true_noise(broken.name, settings))

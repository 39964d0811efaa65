"""Closed forms of bias, variance and absolute error against the law of the output itself.

Proven here: for every mechanism, option and small count the engine's three numbers are the moments
of the law that the mechanism's definition gives. That law is written down again from scratch
(scipy's Laplace and discrete Laplace, high-precision sums for the discrete Gaussian, quadrature for
continuous outputs) and summed term by term; nothing of the engine's algebra is used. Then the
printed numbers of the formula sheet, and properties that hold for all parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, Integer, Real, Several

COUNTS = np.arange(31)
EPSILONS = (0.05, 0.5, 1.0, 4.0, 20.0)
THRESHOLDS = (1, 2, 3, 6, 7, 10)
FAR = 60.0  # scales: e^-60 of the mass lies beyond
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)

Law = tuple[np.ndarray, np.ndarray]  # values and their probabilities


def moments_of(law: Law, x: int) -> np.ndarray:
    """Bias, variance and expected absolute error of an output law, by summing over it."""
    values, weights = law
    error = values - x
    bias = math.fsum(weights * error)
    spread = math.fsum(weights * (error - bias) ** 2)
    return np.array([bias, spread, math.fsum(weights * np.abs(error))])


def check_moments(mechanism: Mechanism, law_of: Callable[[int], Law], scale: float) -> None:
    """The engine agrees with the law to 1e-9, or to rounding of the numbers that were added up."""
    got = np.array(
        [mechanism.bias(COUNTS), mechanism.variance(COUNTS), mechanism.absolute_error(COUNTS)]
    ).T
    want = np.array([moments_of(law_of(int(x)), int(x)) for x in COUNTS])
    unit = np.array([scale, scale**2, scale])
    np.testing.assert_array_less(np.abs(got - want), 1e-9 * np.abs(want) + 1e-12 * unit)


def laplace_mass(low: np.ndarray, high: np.ndarray, centre: float, scale: float) -> np.ndarray:
    """Pr(low < centre + Lap(scale) < high), from the tail that keeps the digits."""
    law = stats.laplace(centre, scale)
    left, right = law.cdf(high) - law.cdf(low), law.sf(low) - law.sf(high)
    return np.where(np.asarray(low) >= centre, right, left)


def laplace_pieces(centre: float, scale: float, cuts: tuple[float, ...]) -> Law:
    """A Laplace law as quadrature points: 24-point Gauss-Legendre between the cuts and kinks.

    The density is an exponential between the panels' ends, no panel is longer than the scale, and
    what is averaged is a polynomial there, so the rule is exact to rounding.
    """
    grid = centre + scale * np.arange(-FAR, FAR + 1)
    edges = np.unique(np.concatenate([grid, [c for c in cuts if grid[0] < c < grid[-1]]]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    points = (middle[:, None] + half[:, None] * NODES).ravel()
    weights = (half[:, None] * WEIGHTS).ravel() * stats.laplace(centre, scale).pdf(points)
    return points, weights


def laplace_law(x: int, epsilon: float, postprocess: str) -> Law:
    scale = 2 / epsilon
    if postprocess in ("none", "clip"):
        points, weights = laplace_pieces(x, scale, (0.0, x))
        return (points if postprocess == "none" else np.maximum(points, 0.0)), weights
    reach = math.ceil(FAR * scale) + 1
    noise = np.arange(-reach, reach + 1)
    low = noise - 0.5 if postprocess == "round" else noise
    return np.maximum(x + noise, 0), laplace_mass(low, low + 1, 0.0, scale)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("postprocess", ["none", "clip", "round", "floor"])
def test_laplace(epsilon: float, postprocess: str) -> None:
    mechanism = sdc.mechanism("laplace", epsilon=epsilon, postprocess=postprocess)
    check_moments(mechanism, lambda x: laplace_law(x, epsilon, postprocess), 2 / epsilon + 1)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("postprocess", ["none", "clip"])
def test_geometric(epsilon: float, postprocess: str) -> None:
    reach = math.ceil(FAR * 2 / epsilon) + 1
    noise = np.arange(-reach, reach + 1)
    weights = stats.dlaplace(epsilon / 2).pmf(noise)

    def law(x: int) -> Law:
        return (x + noise if postprocess == "none" else np.maximum(x + noise, 0)), weights

    mechanism = sdc.mechanism("geometric", epsilon=epsilon, postprocess=postprocess)
    check_moments(mechanism, law, 2 / epsilon + 1)


def discrete_gaussian_pmf(sigma: float) -> Law:
    """exp(-z²/(2σ²)) over its sum, with 40 digits."""
    with mpmath.workdps(40):
        reach = math.ceil(14 * sigma) + 3
        half = [mpmath.exp(-mpmath.mpf(z) ** 2 / (2 * mpmath.mpf(sigma) ** 2)) for z in
                range(reach + 1)]
        total = 2 * mpmath.fsum(half) - half[0]
        positive = [float(w / total) for w in half]
    return np.arange(-reach, reach + 1), np.array(positive[:0:-1] + positive)


SIGMA = {"table1": lambda e: math.sqrt(20 / e), "printed": lambda e: 2 / e}


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("postprocess", ["none", "clip"])
@pytest.mark.parametrize("calibration", ["table1", "printed", "analytic"])
def test_discrete_gaussian(epsilon: float, postprocess: str, calibration: str) -> None:
    """For `analytic` the σ is taken as given; test_guarantees.py proves that it meets its δ."""
    mechanism = sdc.mechanism(
        "discrete-gaussian", epsilon=epsilon, postprocess=postprocess, calibration=calibration
    )
    sigma = SIGMA[calibration](epsilon) if calibration in SIGMA else mechanism.sigma
    noise, weights = discrete_gaussian_pmf(sigma)

    def law(x: int) -> Law:
        return (x + noise if postprocess == "none" else np.maximum(x + noise, 0)), weights

    check_moments(mechanism, law, sigma + 1)


def hidden_with(p: float, c: float, x: int) -> Law:
    return np.array([c, x]), np.array([p, 1 - p])


@pytest.mark.parametrize("k", THRESHOLDS)
@pytest.mark.parametrize("imputation", ["floor", "half"])
@pytest.mark.parametrize("keep_zeros", [False, True])
def test_suppression(k: int, imputation: str, keep_zeros: bool) -> None:
    c = math.floor(k / 2) if imputation == "floor" else k / 2

    def law(x: int) -> Law:
        return hidden_with(float(x < k and not (keep_zeros and x == 0)), c, x)

    settings = {"k": k, "imputation": imputation, "keep_zeros": keep_zeros}
    check_moments(sdc.mechanism("suppression", **settings), law, k)


def shared_threshold_law(x: int, k: int, scale: float, imputation: str) -> Law:
    """P1 Alg 2: T = k + Lap; the cell shows x if T <= x, else T/2 or floor(T/2)."""
    shown = float(stats.laplace(k, scale).cdf(x))
    if imputation == "half":
        points, weights = laplace_pieces(k, scale, (float(x), 2.0 * x))
        weights = np.where(points > x, weights, 0.0)
        return np.append(points / 2, x), np.append(weights, shown)
    last = math.ceil(k + x + FAR * scale)
    pieces = np.arange(x, last, dtype=np.float64)  # floor(T/2) is constant between whole numbers
    weights = laplace_mass(pieces, pieces + 1, k, scale)
    return np.append(np.floor(pieces / 2), x), np.append(weights, shown)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("imputation", ["floor", "half"])
@pytest.mark.parametrize("variant", ["P0", "P1-noisy-threshold", "P2"])
def test_dp_suppression(epsilon: float, imputation: str, variant: str) -> None:
    """All thresholds, with zeros perturbed and left alone."""
    for k in THRESHOLDS:
        scale = 2 / epsilon
        c = math.floor(k / 2) if imputation == "floor" else k / 2

        def law(x: int, k: int = k, c: float = c, scale: float = scale) -> Law:
            if variant == "P1-noisy-threshold":
                return shared_threshold_law(x, k, scale, imputation)
            p = 1.0 if variant == "P2" and x < k else float(stats.laplace(x, scale).cdf(k))
            return hidden_with(p, c, x)

        def law_with_zeros(x: int, law: Callable[[int], Law] = law) -> Law:
            return law(x) if x > 0 else (np.array([0.0]), np.array([1.0]))

        settings = {"epsilon": epsilon, "k": k, "variant": variant, "imputation": imputation}
        plain = sdc.mechanism("dp-suppression", **settings)
        check_moments(plain, law, k + scale + 30)
        keeps = sdc.mechanism("dp-suppression", **settings, keep_zeros=True)
        check_moments(keeps, law_with_zeros, k + scale + 30)


def test_rounded_laplace_moves_an_empty_cell_by_the_printed_amount() -> None:
    """1/(4 sinh ¼) = .989659 (formula sheet, Laplace, round)."""
    assert sdc.mechanism("laplace", epsilon=1.0).bias([0])[0] == pytest.approx(0.989659, abs=5e-7)


def test_theorem_2_as_printed_fails_for_odd_k_rounded_down() -> None:
    """P0 Thm 2 with k/2 in it: 1.0117 at x = 9, k = 7, ε = 1; the exact ‖bias‖₁ is 1.1036."""
    bias = sdc.mechanism("dp-suppression", epsilon=1.0, k=7).bias([9])[0]
    p = 0.5 * math.exp(-1.0)  # Pr(9 + Lap(2) < 7)
    assert abs(bias) == pytest.approx(1.1036, abs=5e-5)
    assert (9 - 7 / 2) * p == pytest.approx(1.0117, abs=5e-5)
    assert abs(bias) > (9 - 7 / 2) * p
    real_half = sdc.mechanism("dp-suppression", epsilon=1.0, k=7, imputation="half").bias([9])[0]
    assert abs(real_half) == pytest.approx((9 - 7 / 2) * p, rel=1e-12)


def test_fairness_bound_of_suppression_fails_when_zeros_are_left_alone() -> None:
    """P0 Thm 5: bound 1.0236 for x = (0, 1), k = 6, ε = 1; exact α 1.9179 with keep_zeros."""
    keeps = sdc.mechanism("dp-suppression", epsilon=1.0, k=6, keep_zeros=True)
    result = sdc.evaluate(keeps, [0, 1])
    assert result.fairness_alpha == pytest.approx(1.9179, abs=5e-5)
    perturbs = sdc.evaluate(sdc.mechanism("dp-suppression", epsilon=1.0, k=6), [0, 1])
    assert perturbs.fairness_alpha <= 1.0236 < result.fairness_alpha


def test_suppression_can_be_fairer_than_clipped_laplace() -> None:
    """P0 Thm 8 compares bounds, not truths: x = (3, 1000), k = 6, ε = 1: α ≈ 0 against .223."""
    hidden = sdc.evaluate(sdc.mechanism("dp-suppression", epsilon=1.0, k=6), [3, 1000])
    noisy = sdc.evaluate(sdc.mechanism("laplace", epsilon=1.0, postprocess="clip"), [3, 1000])
    assert hidden.fairness_alpha < 1e-100
    assert noisy.fairness_alpha == pytest.approx(0.223, abs=5e-4)


epsilons = st.floats(0.001, 100.0)
count_lists = st.lists(st.integers(0, 3000), min_size=1, max_size=20)


@st.composite
def any_mechanism(draw: st.DrawFn) -> Mechanism:
    """Any cell mechanism with closed forms, at any setting its declaration allows; those that ask
    for features have none to be asked of counts alone."""
    exact = [d for d in sdc.mechanisms() if d.exact and d.acts_on == "cells"
             and not any(isinstance(p, Several) for p in d.params)]
    declared = draw(st.sampled_from(exact))
    settings = {}
    for p in declared.params:
        if isinstance(p, Real) and not isinstance(p, Integer):
            settings[p.name] = draw(st.floats(p.low, p.high))
        elif isinstance(p, Integer):
            settings[p.name] = draw(st.integers(int(p.low), int(p.high)))
        else:
            listed = p.choices if isinstance(p, Choice) else (False, True)
            settings[p.name] = draw(st.sampled_from(listed))
    return sdc.mechanism(declared.name, **settings)


@given(any_mechanism(), count_lists)
def test_moments_are_finite_and_consistent(mechanism: Mechanism, counts: list[int]) -> None:
    """Variance >= 0, |bias| <= E|error| (Jensen), E|error|² <= E[error²] (Jensen again)."""
    bias, variance = mechanism.bias(counts), mechanism.variance(counts)
    absolute = mechanism.absolute_error(counts)
    assert np.isfinite(bias).all() and np.isfinite(variance).all() and np.isfinite(absolute).all()
    assert (variance >= 0).all()
    slack = 1e-9 * (1 + max(counts) + absolute)
    assert (np.abs(bias) <= absolute + slack).all()
    assert (absolute**2 <= variance + bias**2 + slack**2 + slack * absolute).all()


@given(epsilons, count_lists)
def test_raw_laplace_is_unbiased_with_variance_8_over_epsilon_squared(
    epsilon: float, counts: list[int]
) -> None:
    raw = sdc.mechanism("laplace", epsilon=epsilon, postprocess="none")
    assert (raw.bias(counts) == 0).all()
    np.testing.assert_allclose(raw.variance(counts), 8 / epsilon**2, rtol=1e-12)


@given(epsilons, st.sampled_from(["laplace", "geometric", "discrete-gaussian"]))
def test_removing_negatives_helps_larger_counts_less(epsilon: float, name: str) -> None:
    """Bias of clipped noise is positive and never grows with the count; raw noise has none."""
    bias = sdc.mechanism(name, epsilon=epsilon, postprocess="clip").bias(np.arange(200))
    assert bias[0] > 0
    assert (bias >= 0).all() and (np.diff(bias) <= 0).all()
    assert (sdc.mechanism(name, epsilon=epsilon, postprocess="none").bias([0, 5]) == 0).all()


@given(st.floats(0.01, 20.0), count_lists)
def test_fairness_of_clipped_laplace(epsilon: float, counts: list[int]) -> None:
    """Exact α = (e^(-εx₁/2) - e^(-εxₙ/2))/ε; the printed bound (P0 Thm 7) is valid but loose."""
    low, high = min(counts), max(counts)
    clipped = sdc.mechanism("laplace", epsilon=epsilon, postprocess="clip")
    fairness_alpha = sdc.evaluate(clipped, counts).fairness_alpha
    exact = (math.exp(-epsilon * low / 2) - math.exp(-epsilon * high / 2)) / epsilon
    assert fairness_alpha == pytest.approx(exact, rel=1e-9, abs=1e-12)
    assert fairness_alpha <= math.exp(-epsilon * low / 2) / 2 * (high - low) + 1e-12

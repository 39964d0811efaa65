"""The papers' tables, made again on the real Massachusetts excerpt.

Proven here: 200 repetitions of rounded Laplace noise and of DP suppression (P0's version, k = 6,
zeros perturbed) on the five-feature histogram give the figures known for this excerpt; what the
papers print, which is from an earlier extract, lies near; and the exact moments alone predict what
200 repetitions will show, Monte-Carlo noise included.

Tolerances. A figure from 200 repetitions is itself one random draw. Its standard deviation is
measured here on RUNS independent runs of 200; a single published draw must lie within FAR of those
from their mean (chance of failing by bad luck about 6e-7 each), and the mean of the runs itself is
√RUNS times sharper. The citations are P0 = Das et al. 2024 and P1 = Zhu et al. 2023, Table 1 each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.error import l1_bias_of_averages

FIVE = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
EPSILONS = (0.5, 1.0, 2.0, 4.0)
REPETITIONS = 200
RUNS = 40
FAR = 5.0  # standard deviations
RealData = Callable[[str], sdc.Dataset]

# Known for this excerpt, one draw of 200 repetitions each, printed to the digit shown.
LAPLACE_L1 = dict(zip(EPSILONS, (690, 323, 146, 63), strict=True))
LAPLACE_ALPHA = dict(zip(EPSILONS, (4.2, 1.9, 1.0, 0.46), strict=True))
SUPPRESSION_L1 = dict(zip(EPSILONS, (873, 928, 945, 945), strict=True))
# Printed in the papers, on an earlier extract.
P0_LAPLACE_L1 = dict(zip(EPSILONS, (763.77, 342.88, 154.78, 67.34), strict=True))
P0_LAPLACE_ALPHA = dict(zip(EPSILONS, (3.65, 1.84, 0.90, 0.46), strict=True))
P1_SUPPRESSION_L1 = dict(zip(EPSILONS, (935.525, 1003.035, 1018.335, 1014.63), strict=True))

each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)


@pytest.fixture
def counts(real_data: RealData) -> tuple[int, ...]:
    return tuple(real_data("ma2019").histogram(FIVE, "observed").counts.tolist())


def laplace(epsilon: float) -> Mechanism:
    return sdc.mechanism("laplace", epsilon=epsilon, postprocess="round")


def dp_suppression(epsilon: float) -> Mechanism:
    return sdc.mechanism("dp-suppression", epsilon=epsilon, k=6, variant="P0", keep_zeros=False)


@functools.cache
def runs(mechanism: Mechanism, counts: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The summary of each of RUNS simulations of 200 repetitions, seeds 0, 1, ..."""
    simulated = [
        sdc.evaluate(mechanism, counts, REPETITIONS, seed, simulate=True) for seed in range(RUNS)
    ]
    assert all(s.method == "simulated" for s in simulated)
    return {
        name: np.array([getattr(s, name) for s in simulated])
        for name in ("l1_bias", "l1_bias_se", "fairness_alpha")
    }


def deviation_of_l1(bias: np.ndarray, variance: np.ndarray) -> float:
    """Standard deviation of Σ|m_i| for independent normal m_i: the variance of folded normals."""
    sigma = np.sqrt(variance / REPETITIONS)
    z = np.abs(bias) / np.where(sigma > 0, sigma, 1.0)
    folded = sigma * 2 * norm.pdf(z) + np.abs(bias) * (1 - 2 * norm.cdf(-z))
    return float(np.sqrt((bias**2 + sigma**2 - folded**2).clip(0).sum()))


def expected_range(bias: np.ndarray, variance: np.ndarray) -> float:
    """E[max - min] of independent normals: ∫ (1 - ΠF) - Π(1 - F), by the trapezoid rule."""
    sigma = np.sqrt(variance / REPETITIONS)
    reach = np.linspace((bias - 8 * sigma).min(), (bias + 8 * sigma).max(), 4001)
    log_below = norm.logcdf((reach[:, None] - bias) / sigma).sum(axis=1)
    log_above = norm.logsf((reach[:, None] - bias) / sigma).sum(axis=1)
    return float(np.trapezoid(1 - np.exp(log_below) - np.exp(log_above), reach))


@each_epsilon
@pytest.mark.parametrize(
    ("make", "known"), [(laplace, LAPLACE_L1), (dp_suppression, SUPPRESSION_L1)],
    ids=["laplace", "dp-suppression"],
)
def test_l1_bias_of_200_repetitions(
    make: Callable[[float], Mechanism], known: dict[float, float], epsilon: float,
    counts: tuple[int, ...],
) -> None:
    """Near the known figure by FAR standard deviations and its rounding: 4% for Laplace at ε = .5,
    down to 0.3% for suppression. The known 928 is an unlucky draw, 4 deviations below the mean of
    931.5; other readings of suppression (noise rounded, `<=` for `<`, P2's version) are 15 away.
    """
    l1 = runs(make(epsilon), counts)["l1_bias"]
    assert abs(l1.mean() - known[epsilon]) <= FAR * l1.std(ddof=1) + 0.5
    one_run = sdc.evaluate(make(epsilon), counts, REPETITIONS, simulate=True)
    assert abs(one_run.l1_bias - known[epsilon]) <= FAR * np.sqrt(2) * one_run.l1_bias_se + 0.5


@each_epsilon
def test_fairness_alpha_of_200_repetitions(epsilon: float, counts: tuple[int, ...]) -> None:
    """Known figure and P0 Table 1 (α barely depends on the extract), each one draw; and both are
    mostly Monte-Carlo noise: the exact α is half as large."""
    drawn = runs(laplace(epsilon), counts)["fairness_alpha"]
    assert abs(drawn.mean() - LAPLACE_ALPHA[epsilon]) <= FAR * drawn.std(ddof=1) + 0.05
    assert abs(drawn.mean() - P0_LAPLACE_ALPHA[epsilon]) <= FAR * drawn.std(ddof=1) + 0.005
    exact = sdc.evaluate(laplace(epsilon), counts).fairness_alpha
    assert exact < drawn.mean() - FAR * drawn.std(ddof=1)
    assert exact == pytest.approx(1 / (4 * np.sinh(epsilon / 4)), rel=1e-9)  # empty against large


@each_epsilon
@pytest.mark.parametrize("make", [laplace, dp_suppression])
def test_exact_moments_predict_the_simulated_figure(
    make: Callable[[float], Mechanism], epsilon: float, counts: tuple[int, ...]
) -> None:
    """‖bias‖₁ within FAR standard errors of the mean of all runs, and 0.1% for taking a mean of 200
    as normal. The plain exact ‖bias‖₁ of Laplace is 3 to 13% lower: that is the noise."""
    exact = sdc.evaluate(make(epsilon), counts)
    predicted = l1_bias_of_averages(exact.bias, exact.variance, REPETITIONS)
    l1 = runs(make(epsilon), counts)["l1_bias"]
    standard_error = deviation_of_l1(exact.bias, exact.variance) / np.sqrt(RUNS)
    assert abs(l1.mean() - predicted) <= FAR * standard_error + 0.001 * predicted
    if make is laplace:
        assert 0.85 * predicted < exact.l1_bias < 0.97 * predicted
        assert exact.l1_bias < l1.mean() - FAR * l1.std(ddof=1) / np.sqrt(RUNS)


@each_epsilon
def test_exact_moments_predict_the_simulated_alpha(
    epsilon: float, counts: tuple[int, ...]
) -> None:
    """The range of 480 independent normal means, within FAR standard errors and 4%: the mean of 200
    clipped counts is still skewed to the right, which an extreme value feels."""
    exact = sdc.evaluate(laplace(epsilon), counts)
    drawn = runs(laplace(epsilon), counts)["fairness_alpha"]
    standard_error = drawn.std(ddof=1) / np.sqrt(RUNS)
    predicted = expected_range(exact.bias, exact.variance)
    assert abs(drawn.mean() - predicted) <= FAR * standard_error + 0.04 * predicted


@each_epsilon
@pytest.mark.parametrize("make", [laplace, dp_suppression])
def test_jackknife_error_is_the_spread_between_runs(
    make: Callable[[float], Mechanism], epsilon: float, counts: tuple[int, ...]
) -> None:
    """Within a quarter below (the spread of 40 runs is known to 11%) and a half above: a jackknife
    overstates where absolute values of near-zero means have a kink."""
    result = runs(make(epsilon), counts)
    ratio = result["l1_bias_se"].mean() / result["l1_bias"].std(ddof=1)
    assert 0.75 < ratio < 1.75


@each_epsilon
@pytest.mark.parametrize(
    ("make", "printed"), [(laplace, P0_LAPLACE_L1), (dp_suppression, P1_SUPPRESSION_L1)],
    ids=["P0 laplace", "P1 dp-suppression"],
)
def test_printed_figures_of_the_earlier_extract(
    make: Callable[[float], Mechanism], printed: dict[float, float], epsilon: float,
    counts: tuple[int, ...],
) -> None:
    """P0 Table 1 (Lap) and P1 Table 1 (DP Suppression): 4 to 11% above ours at every ε.

    Both figures add up over empty and small cells, of which the earlier extract had a few more, so
    the ratio must be above one, small, and nearly the same at all ε; 12% is the stated limit.
    """
    ratio = printed[epsilon] / runs(make(epsilon), counts)["l1_bias"].mean()
    assert 1.0 < ratio < 1.12

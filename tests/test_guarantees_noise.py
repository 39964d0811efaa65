"""Additive noise: `delta_tight` is the exact hockey-stick divergence of two noisy counts.

Proven here: with the noise's law written down again and summed over all pairs of outputs, moving
one record between two cells costs exactly the stated (ε, δ). Noise is the same for every count, so
one pair of tables stands for all; removing negatives afterwards is post-processing, and its δ
reaches the tight one only in the limit of large counts. dp_accounting is the second witness.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

import sdc_core as sdc


def moved_record_delta(law: np.ndarray, epsilon: float) -> float:
    """Hockey-stick of two cells with additive noise when one record moves between them.

    `law` is the noise on consecutive integers, wide enough that nothing is left at its ends.
    """
    padded = np.pad(law, 1)
    here = np.outer(law, law)
    there = np.outer(padded[2:], padded[:-2])  # (z₁ + 1, z₂ - 1)
    return float(np.maximum(here - math.exp(epsilon) * there, 0.0)[1:-1, 1:-1].sum())


def moved_record_exceeds(law: np.ndarray, epsilon: float) -> float:
    """Pr[loss > ε] of the same two cells; a loss of ε itself does not count."""
    padded = np.pad(law, 1)
    inside = slice(1, -1), slice(1, -1)
    here = np.outer(law, law)[inside]
    there = np.outer(padded[2:], padded[:-2])[inside]
    return float(here[here > math.exp(epsilon) * (1 + 1e-9) * there].sum())


def integer_noise(name: str, epsilon: float) -> np.ndarray:
    reach = math.ceil(30 * 2 / epsilon)
    z = np.arange(-reach, reach + 1)
    if name == "geometric":
        return stats.dlaplace(epsilon / 2).pmf(z)
    low = z - 0.5 if name == "round" else z
    noise = stats.laplace(0, 2 / epsilon)
    left, right = noise.cdf(low + 1) - noise.cdf(low), noise.sf(low) - noise.sf(low + 1)
    return np.where(low >= 0, right, left)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("noise", ["geometric", "round", "floor"])
def test_integer_noise_meets_epsilon_and_no_less(noise: str, epsilon: float) -> None:
    """δ(ε) = 0 as the guarantee says, and δ > 0 for 1% less: ε itself is exact."""
    name, postprocess = ("geometric", "none") if noise == "geometric" else ("laplace", noise)
    law = integer_noise(noise, epsilon)
    guarantee = sdc.mechanism(name, epsilon=epsilon, postprocess=postprocess).guarantee()
    assert (guarantee.epsilon, guarantee.delta_tight, guarantee.holds) == (epsilon, 0.0, True)
    assert moved_record_delta(law, epsilon) < 1e-14
    assert moved_record_delta(law, 0.99 * epsilon) > 1e-5
    assert guarantee.exceeds == 0.0
    assert moved_record_exceeds(law, epsilon) == 0.0 < moved_record_exceeds(law, 0.99 * epsilon)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_raw_laplace_meets_epsilon_and_no_less(epsilon: float) -> None:
    """The largest log ratio of densities over a grid that holds the kinks is ε itself."""
    points = np.linspace(-5, 5, 101)
    noise = stats.laplace(0, 2 / epsilon)
    ratio = noise.logpdf(points) - noise.logpdf(points - 1)
    back = noise.logpdf(points) - noise.logpdf(points + 1)
    guarantee = sdc.mechanism("laplace", epsilon=epsilon, postprocess="none").guarantee()
    assert ratio.max() + back.max() == pytest.approx(guarantee.epsilon, rel=1e-12)
    assert guarantee.delta_tight == 0.0


def discrete_gaussian(sigma: float) -> np.ndarray:
    reach = math.ceil(14 * sigma) + 3
    weights = [math.exp(-z * z / (2 * sigma * sigma)) for z in range(-reach, reach + 1)]
    return np.array(weights) / math.fsum(weights)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 10.0])
@pytest.mark.parametrize("calibration", ["table1", "printed"])
def test_discrete_gaussian_by_enumeration(epsilon: float, calibration: str) -> None:
    sigma = math.sqrt(20 / epsilon) if calibration == "table1" else 2 / epsilon
    guarantee = sdc.mechanism(
        "discrete-gaussian", epsilon=epsilon, calibration=calibration, postprocess="none"
    ).guarantee()
    true = moved_record_delta(discrete_gaussian(sigma), epsilon)
    assert guarantee.delta_tight == pytest.approx(true, rel=1e-9)
    exceeds = moved_record_exceeds(discrete_gaussian(sigma), epsilon)
    assert guarantee.exceeds == pytest.approx(exceeds, rel=1e-9)
    assert guarantee.exceeds > guarantee.delta_tight
    assert guarantee.holds is (guarantee.delta_published >= true)


@pytest.mark.parametrize(
    ("epsilon", "published", "digit", "tight"),
    [(0.5, 0.363, 5e-4, 1.24952e-3), (1, 0.132, 5e-4, 1.06959e-4),
     (2, 0.0174, 5e-5, 8.59453e-7), (4, 0.000304, 5e-7, 6.0184e-11)],
)
def test_discrete_gaussian_of_table_1(
    epsilon: float, published: float, digit: float, tight: float
) -> None:
    """P0 Table 1's δ column to its printed digits; the tight δ; and dp_accounting's bounds.

    dp_accounting rounds each of two privacy losses to multiples of 1e-4, up or down, so its two
    answers enclose the truth; they differ by less than 0.3% of δ.
    """
    guarantee = sdc.mechanism("discrete-gaussian", epsilon=epsilon).guarantee()
    assert guarantee.delta_published == pytest.approx(published, abs=digit)
    assert guarantee.delta_tight == pytest.approx(tight, rel=1e-5)
    assert guarantee.holds is True
    above, below = (
        pld.from_discrete_gaussian_mechanism(
            math.sqrt(20 / epsilon), sensitivity=1, pessimistic_estimate=pessimistic
        ).self_compose(2).get_delta_for_epsilon(epsilon)
        for pessimistic in (True, False)
    )
    assert below <= guarantee.delta_tight <= above <= 1.003 * below


@pytest.mark.parametrize(
    ("epsilon", "delta", "exceeds"),
    [(0.1, 0.009, 0.165), (0.5, 0.0012, 0.0146), (1.0, 1.1e-4, 1.0e-3)],
)
def test_delta_is_not_how_often_the_loss_is_above_epsilon(
    epsilon: float, delta: float, exceeds: float
) -> None:
    """P0's noise, to the digits known; at ε = 1 the loss is above it nine times as often as δ."""
    found = sdc.mechanism("discrete-gaussian", epsilon=epsilon, postprocess="none").guarantee()
    assert found.delta_tight == pytest.approx(delta, rel=0.05)
    assert found.exceeds == pytest.approx(exceeds, rel=0.02)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-6), (4.0, 0.1), (10.0, 0.05), (20.0, 1e-3)]
)
def test_analytic_calibration_is_the_least_noise(epsilon: float, delta: float) -> None:
    """It meets δ, and no σ below it does (a fine grid down to a twentieth of it)."""
    mechanism = sdc.mechanism(
        "discrete-gaussian", epsilon=epsilon, calibration="analytic", delta=delta
    )
    assert moved_record_delta(discrete_gaussian(mechanism.sigma), epsilon) <= delta * (1 + 1e-9)
    assert mechanism.guarantee().delta_tight <= delta
    smaller = mechanism.sigma * np.geomspace(0.05, 1 - 1e-6, 400)
    enough = [s for s in smaller if moved_record_delta(discrete_gaussian(s), epsilon) <= delta]
    assert not enough, f"σ = {enough[0]:.6f} is enough, but {mechanism.sigma:.6f} was chosen"


def clipped_exceeds(sigma: float, epsilon: float, a: int, b: int) -> float:
    """Pr[loss > ε] for the counts (a, b) and their neighbour (a - 1, b + 1), negatives set to 0, by
    enumerating all pairs of published counts."""
    noise = discrete_gaussian(sigma)
    reach = len(noise) // 2
    tables = []
    for counts in ((a, b), (a - 1, b + 1)):
        law = [np.bincount(np.maximum(np.arange(-reach, reach + 1) + x, 0), weights=noise,
                           minlength=reach + 1 + max(a, b + 1)) for x in counts]
        tables.append(np.outer(*law))
    here, there = tables
    return float(here[here > math.exp(epsilon) * (1 + 1e-9) * there].sum())


@pytest.mark.parametrize(
    ("epsilon", "calibration", "known"),
    [(1.0, "table1", 0.00117), (4.0, "table1", 6.9e-10), (8.0, "table1", None),
     (4.0, "printed", None), (2.0, "printed", None), (0.9, "printed", None),
     (20.0, "table1", None)],
)
def test_the_loss_of_published_counts_by_enumeration(
    epsilon: float, calibration: str, known: float | None
) -> None:
    """Negatives are removed: the worst of all small tables is what is said, and more than for the
    noise alone; no table has more (counts beyond those tried are hardly ever cut off)."""
    sigma = math.sqrt(20 / epsilon) if calibration == "table1" else 2 / epsilon
    method = sdc.mechanism("discrete-gaussian", epsilon=epsilon, calibration=calibration)
    found = method.guarantee()
    most = math.ceil(6 * sigma) + 3
    large = math.ceil(14 * sigma)
    worst = max(clipped_exceeds(sigma, epsilon, a, b)
                for a in (*range(1, most), large) for b in range(most))
    assert found.exceeds == pytest.approx(worst, rel=1e-6) and not found.as_drawn
    drawn = method.replace(postprocess="none").guarantee()
    assert worst >= drawn.exceeds * (1 - 1e-9)
    assert drawn.delta_tight == found.delta_tight  # δ is that of large counts in both
    if known:
        assert worst == pytest.approx(known, rel=0.01)
        assert worst > 1.1 * drawn.exceeds


def test_for_very_large_noise_only_the_counts_as_drawn_are_known() -> None:
    found = sdc.mechanism("discrete-gaussian", epsilon=0.002, calibration="printed").guarantee()
    assert found.as_drawn and found.exceeds > found.delta_tight


def test_clipping_reveals_no_more_and_the_tight_delta_is_its_supremum() -> None:
    """Discrete Gaussian at ε = 1, two cells with counts (x, x): below the bound, then reaching it.

    Removing negatives puts all mass below zero onto zero.
    """
    guarantee = sdc.mechanism("discrete-gaussian", epsilon=1.0, postprocess="clip").guarantee()
    noise = discrete_gaussian(math.sqrt(20))
    reach = len(noise) // 2

    def clipped(x: int) -> np.ndarray:
        values = np.maximum(np.arange(-reach, reach + 1) + x, 0)
        return np.bincount(values, weights=noise, minlength=2 * reach + 70)

    deltas = [
        np.maximum(np.outer(clipped(x), clipped(x))
                   - math.e * np.outer(clipped(x - 1), clipped(x + 1)), 0).sum()
        for x in (1, 5, 20, 60)
    ]
    assert deltas == sorted(deltas) and deltas[0] < 0.5 * guarantee.delta_tight
    assert deltas[-1] == pytest.approx(guarantee.delta_tight, rel=1e-9)

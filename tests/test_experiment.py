"""Errors of people apart from invented people, and how sure simulated numbers are: by enumerating
every release of small tables, and by leaving groups of releases out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.experiment import SUMMARY, Evaluation
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.questions.work import evaluated_along

SPLIT = ("people_bias", "people_error", "invented")
COUNTS = (0, 4, 0, 11)


def outcomes(method: Mechanism, x: int) -> dict[int, float]:
    """Every count that can come out for x, with its probability."""
    settings = method.settings()
    if method.name == "geometric":  # P(noise = j) = (1 - q) / (1 + q) q^|j|, no negatives
        q = math.exp(-settings["epsilon"] / 2)
        found: dict[int, float] = {}
        for j in range(-200, 201):
            y = max(x + j, 0)
            found[y] = found.get(y, 0.0) + (1 - q) / (1 + q) * q ** abs(j)
        return found
    k = settings["k"]
    gap = (k - x) * settings.get("epsilon", math.inf) / 2
    hidden = 1 - math.exp(-gap) / 2 if gap > 0 else math.exp(gap) / 2
    if method.name == "suppression":
        hidden = float(x < k)
    if settings["keep_zeros"] and x == 0:
        hidden = 0.0
    return {k // 2: hidden, x: 1 - hidden} if x != k // 2 else {x: 1.0}


@pytest.mark.parametrize(
    "method",
    [
        sdc.mechanism("geometric", epsilon=0.8),
        sdc.mechanism("suppression", k=6), sdc.mechanism("suppression", k=6, keep_zeros=True),
        sdc.mechanism("dp-suppression", epsilon=0.7, k=6),
        sdc.mechanism("dp-suppression", epsilon=0.7, k=6, keep_zeros=True),
    ],
    ids=lambda m: m.code(),
)
@pytest.mark.parametrize("counts", [COUNTS, (0, 0, 0), (3, 9), (5,)])
def test_people_and_invented_people_by_enumeration(
    method: Mechanism, counts: tuple[int, ...]
) -> None:
    expected = dict.fromkeys(SPLIT, 0.0)
    both = {"l1_bias": 0.0, "l1_error": 0.0}
    for x in counts:
        law = outcomes(method, x)
        assert sum(law.values()) == pytest.approx(1)
        bias = sum(p * (y - x) for y, p in law.items())
        error = sum(p * abs(y - x) for y, p in law.items())
        both["l1_bias"] += abs(bias)
        both["l1_error"] += error
        if x:
            expected["people_bias"] += abs(bias)
            expected["people_error"] += error
        else:
            expected["invented"] += bias
    found = sdc.evaluate(method, counts)
    assert {n: getattr(found, n) for n in SPLIT} == pytest.approx(expected, abs=1e-9)
    assert {n: getattr(found, n) for n in both} == pytest.approx(both, abs=1e-9)
    # nobody comes out negative, so what is not about people is about invented ones
    assert found.l1_error == pytest.approx(found.people_error + found.invented, abs=1e-9)
    assert found.method == "exact"
    assert all(getattr(found, f"{n}_se") == 0 for n in SUMMARY)
    assert not found.error_of(lambda bias, _: bias).any()


def test_noise_as_drawn_invents_nobody_on_average_but_errs_in_empty_groups() -> None:
    """Scale 2/ε = 2 a group: two groups have people, two do not."""
    found = sdc.evaluate(sdc.mechanism("laplace", epsilon=1, postprocess="none"), COUNTS)
    assert (found.invented, found.people_bias) == (0, 0)
    assert (found.people_error, found.l1_error) == pytest.approx((4, 8))


def by_leaving_out(releases: np.ndarray, counts: np.ndarray, groups: int) -> dict[str, float]:
    """Delete-a-group jackknife, each group of releases left out in turn."""
    bounds = np.linspace(0, len(releases), groups + 1).astype(int)
    there = counts > 0
    found: dict[str, list[float]] = {n: [] for n in SPLIT}
    for a, b in itertools.pairwise(bounds):
        error = np.delete(releases, slice(a, b), axis=0) - counts
        bias = error.mean(axis=0)
        found["people_bias"].append(np.abs(bias[there]).sum())
        found["people_error"].append(np.abs(error[:, there]).mean(axis=0).sum())
        found["invented"].append(bias[~there].sum())
    return {
        n: math.sqrt((groups - 1) / groups * sum((v - np.mean(values)) ** 2 for v in values))
        for n, values in found.items()
    }


@pytest.mark.parametrize("repetitions", [2, 7, 200, 203])
@pytest.mark.parametrize("seed", [0, 7])
def test_standard_errors_are_those_of_leaving_groups_out(repetitions: int, seed: int) -> None:
    method = sdc.mechanism("laplace", epsilon=1, postprocess="clip")
    counts = np.array(COUNTS)
    releases = np.stack([
        np.maximum(counts + repetition_rng(seed, r).laplace(0.0, 2.0, 4), 0)
        for r in range(repetitions)
    ])
    found = sdc.evaluate(method, COUNTS, repetitions, seed, simulate=True)
    expected = by_leaving_out(releases, counts, min(20, repetitions))
    assert {n: getattr(found, f"{n}_se") for n in SPLIT} == pytest.approx(expected)
    assert found.invented == pytest.approx(releases[:, counts == 0].mean(axis=0).sum())
    own = {
        "people_bias": lambda b, a: np.abs(b[counts > 0]).sum(),
        "people_error": lambda b, a: a[counts > 0].sum(),
        "invented": lambda b, a: b[counts == 0].sum(),
    }
    assert {n: float(found.error_of(f)) for n, f in own.items()} == pytest.approx(expected)


def test_errors_take_into_account_that_cells_depend_on_each_other() -> None:
    """One noisy threshold for all: every small count moves together, so the mean over them is as
    unsure as one of them. Variances of cells taken for independent would say a quarter."""
    method = sdc.mechanism("dp-suppression", epsilon=1, k=6, variant="P1-noisy-threshold")
    counts = [1] * 16

    def mean_bias(bias: np.ndarray, absolute: np.ndarray) -> np.ndarray:
        return bias.mean()

    runs = [sdc.evaluate(method, counts, 200, seed, simulate=True) for seed in range(40)]
    spread = np.std([run.bias.mean() for run in runs], ddof=1)
    told = np.mean([float(run.error_of(mean_bias)) for run in runs])
    assert told == pytest.approx(spread, rel=0.35)  # a spread of 40 is known to about 11%
    independent = np.mean([math.sqrt(run.variance.sum() / 200) / 16 for run in runs])
    assert independent < 0.5 * spread


def test_a_mean_that_is_known_has_no_error() -> None:
    data = sdc.load_dataset("ma2019-twin").histogram(["RAC1P", "SEX", "OWN_RENT"])
    method = sdc.mechanism("permutation-swapping", match=("SEX",), swap=("RAC1P",))
    found = sdc.evaluate(method, data, 40)
    assert found.method == "simulated" and found.people_error_se > 0
    assert found.people_bias_se == found.invented_se == 0
    assert not found.error_of(lambda bias, _: bias).any()
    assert found.error_of(lambda _, absolute: absolute).any()
    there = data.counts > 0
    assert found.invented == pytest.approx(method.bias(data)[~there].sum())


def test_points_of_a_curve_keep_their_summary_only() -> None:
    method = sdc.mechanism("swapping", quasi_identifiers=("SEX",), paired=True)
    data = sdc.load_dataset("ma2019-twin").histogram(["SEX", "OWN_RENT"])
    param = next(p for p in method.params() if p.name == "swap_rate")
    curve = evaluated_along(method, param, data, 7, 2)
    point: Evaluation = curve.points[-1]
    assert point.method == "simulated" and point.people_error_se >= 0 and point.left_out is None
    with pytest.raises(ValueError, match="do not keep"):
        point.error_of(lambda bias, _: bias)

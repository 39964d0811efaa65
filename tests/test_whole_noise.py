"""Whole-number noise has its law exactly: steps against masses added up with a hundred digits, the
doubtful case forced, draws against rejection sampling in whole numbers (Canonne, Kamath and Steinke
2020, written here) and against the mass function; test_sampling sets OpenDP's beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from sdc_core.privacy.whole_noise import TwoSidedGeometric, WholeGaussian, WholeNoise, _steps

LAWS: list[WholeNoise] = [
    *(TwoSidedGeometric(rate) for rate in (0.0005, 0.05, 0.5, 2.0, 50.0)),
    *(WholeGaussian(sigma) for sigma in (0.05, 0.3, 1.0, 4.472135954999579, 200.0)),
]


def weight(law: WholeNoise, z: int) -> Decimal:
    if isinstance(law, TwoSidedGeometric):
        return (-Decimal(law.rate) * abs(z)).exp()
    assert isinstance(law, WholeGaussian)
    return (-Decimal(z * z) / (2 * Decimal(law.sigma) ** 2)).exp()


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_every_step_lies_where_the_law_puts_it(law: WholeNoise) -> None:
    """Each mass by itself with a hundred digits, added up; at most one value of U is in doubt."""
    certain, possible, first = _steps(law, 64)
    reach = law.reach(64)
    with localcontext(prec=100):
        far = min(3 * reach, reach + 200_000)
        masses = [weight(law, z) for z in range(far + 1)]
        whole = 2 * sum(masses) - masses[0]
        below, tail = {}, Decimal(0)
        for z in range(far, 0, -1):
            tail += masses[z]
            below[1 - z], below[z] = tail / whole, 1 - tail / whole  # P(Z < z)
        for place in range(0, 2 * reach, max(1, reach // 50)):
            exact = 2**64 * below[first + 1 + place]
            assert possible[place] <= exact <= certain[place] + 1, place
            assert certain[place] + 1 - possible[place] <= 1, place


class Bits:
    """A generator whose words are given."""

    def __init__(self, words: list[int]) -> None:
        self.words = words

    def integers(self, low: int, high: int, size: int | None = None, **kind: object) -> object:
        taken, self.words = self.words[:size or 1], self.words[size or 1:]
        return np.array(taken, np.uint64) if size else taken[0]


@pytest.mark.parametrize("law", [one for one in LAWS if one != WholeGaussian(0.05)], ids=repr)
def test_where_64_bits_do_not_decide_further_ones_do(law: WholeNoise) -> None:
    """U begins as the chance itself does: its next bits put it below or above."""
    certain, possible, first = _steps(law, 64)
    finer = _steps(law, 192)
    place = len(certain) // 2  # the step from 0 to 1
    doubtful = possible[place]
    there = finer.possible[first + place - finer.first]
    assert there >> 128 == doubtful
    rest = there & (2**128 - 1)
    for beyond, expected in ((-2, 0), (2, 1)):
        words = divmod(rest + beyond, 2**64)
        drawn = law.draw(Bits([doubtful, *words, 0, 0]), 1)  # type: ignore[arg-type]
        assert drawn[0] == first + place + expected
    for word, sign in ((0, -1), (2**64 - 1, 1)):  # both ends: further out than 64 bits can say
        end = law.draw(Bits([word, *[2**63 + 1] * 40]), 1)[0]  # type: ignore[arg-type]
        assert sign * end >= 0 and abs(end) <= law.reach(128)


def bernoulli_exp(gamma: Fraction, rng: np.random.Generator) -> bool:
    """True with chance e^-γ, by whole numbers alone."""
    while gamma > 1:
        if not bernoulli_exp(Fraction(1), rng):
            return False
        gamma -= 1
    k = 1
    while int(rng.integers(0, gamma.denominator * k)) < gamma.numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(t: int, rng: np.random.Generator) -> int:
    while True:
        u = int(rng.integers(0, t))
        if not bernoulli_exp(Fraction(u, t), rng):
            continue
        v = 0
        while bernoulli_exp(Fraction(1), rng):
            v += 1
        negative, found = bool(rng.integers(0, 2)), u + t * v
        if not (negative and found == 0):
            return -found if negative else found


def discrete_gaussian(sigma: int, rng: np.random.Generator) -> int:
    t = sigma + 1
    while True:
        y = discrete_laplace(t, rng)
        if bernoulli_exp(Fraction((abs(y) * t - sigma**2) ** 2, 2 * sigma**2 * t**2), rng):
            return y


@pytest.mark.parametrize(("law", "other"), [
    (TwoSidedGeometric(0.25), lambda rng: discrete_laplace(4, rng)),
    (TwoSidedGeometric(1.0), lambda rng: discrete_laplace(1, rng)),
    (WholeGaussian(2.0), lambda rng: discrete_gaussian(2, rng)),
    (WholeGaussian(5.0), lambda rng: discrete_gaussian(5, rng)),
], ids=["geometric 1/4", "geometric 1", "gaussian 2", "gaussian 5"])
def test_draws_are_alike_those_of_rejection_sampling(
    law: WholeNoise, other: Callable[[np.random.Generator], int]
) -> None:
    """And a tenth more spread is told apart by the same test."""
    rng = np.random.default_rng(18)
    theirs = np.array([other(rng) for _ in range(6_000)])
    assert p_alike(law.draw(rng, 60_000), theirs) > 1e-4
    wider = type(law)(getattr(law, "rate", 0) / 1.1 or getattr(law, "sigma", 0) * 1.1)  # type: ignore[call-arg]
    assert p_alike(wider.draw(rng, 60_000), theirs) < 1e-4


def p_alike(one: np.ndarray, other: np.ndarray) -> float:
    far = int(np.quantile(np.abs(other), 0.98))
    tables = [np.bincount(np.clip(z, -far, far) + far, minlength=2 * far + 1) for z in (one, other)]
    return float(stats.chi2_contingency(np.array(tables) + 0.5).pvalue)


@pytest.mark.parametrize("law", LAWS[2:4] + LAWS[6:9], ids=repr)
def test_draws_follow_the_mass_function(law: WholeNoise) -> None:
    drawn = law.draw(np.random.default_rng(5), 200_000)
    span = range(-60, 61)
    masses = np.array([float(weight(law, z)) for z in span])
    expected = 200_000 * masses / masses.sum()
    seen = np.bincount(np.clip(drawn, -60, 60) + 60, minlength=121)
    some = expected >= 5
    observed = np.append(seen[some], seen[~some].sum())
    wanted = np.append(expected[some], expected[~some].sum())
    keep = wanted > 0
    statistic = ((observed - wanted)[keep] ** 2 / wanted[keep]).sum()
    assert stats.chi2.sf(statistic, keep.sum() - 1) > 1e-4
    assert math.isclose(drawn.mean(), 0, abs_tol=5 * drawn.std() / math.sqrt(200_000) + 1e-12)


def test_a_discrete_gaussian_of_a_seed_is_what_it_was() -> None:
    """By inverting a table in floating point, which is how it was drawn: the same for all but one
    seed in a thousand million million."""
    z = np.arange(-100, 101)
    law = np.exp(-(z**2) / (2 * 4.5**2))
    before = z[np.searchsorted(np.cumsum(law / law.sum()), np.random.default_rng(3).random(10_000),
                               side="right")]
    assert (WholeGaussian(4.5).draw(np.random.default_rng(3), 10_000) == before).all()

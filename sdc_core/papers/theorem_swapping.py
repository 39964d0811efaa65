"""What P3 says of swap rates and invariants, and P4 of neighbourhoods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.neighbour_tables import (
    KnowsSupport,
    KnowsWorstNeighbours,
    small_domain,
    small_table,
)
from sdc_core.mechanisms.topdown import TopDown
from sdc_core.papers.p3_claims import SLIDES_RATES
from sdc_core.papers.theorem_check import (
    OF_FORMULA,
    TIGHT,
    TheoremCheck,
    of_bound,
    of_fact,
    of_value,
)
from sdc_core.privacy.guarantee import Facts
from sdc_core.privacy.published_swap_tables import MASSACHUSETTS_1940
from sdc_core.privacy.swap_rate import (
    epsilon_to_swap_rates,
    smallest_epsilon,
    smallest_exact_epsilon,
    swap_rate_to_epsilon,
)
from sdc_core.privacy.zcdp import zcdp_epsilon, zcdp_to_epsilon

Floats = NDArray[np.float64]
_B = 10  # a stratum that is small enough to see a difference
_NEAR_1 = 0.999


def on_swap_rates() -> Iterator[TheoremCheck]:
    large = MASSACHUSETTS_1940.stratum_size
    apart = swap_rate_to_epsilon(0.05, large)
    for rate, formula, why in (
        (0.5, "ε = ln(b + 1) − ln o for swap rates of at most a half",
         "The ratio of the numbers of derangements is bounded by (b + 1)²; exact is D_b/D_(b−2). "
         f"At b = {large:,} the two agree to {apart.theorem - apart.exact:.0e}."),
        (0.9, "ε = max{ln o, ln(b + 1) − ln o} for larger swap rates",
         "Nobody swapped against somebody swapped is the worst, and it gives ln o. Our text of "
         "the slide breaks off before this case: the formula is filled in here."),
    ):
        found = swap_rate_to_epsilon(rate, _B)
        yield TheoremCheck(
            "P3", f"Theorem on permutation swapping, p {'≤' if rate <= 0.5 else '>'} ½",
            f"Permutation swapping has {formula}, subject to its invariants.", found.theorem,
            found.exact, of_bound(found.theorem, found.exact), why, f"b = {_B}, p = {rate:g}")
    least, exact = smallest_epsilon(_B), smallest_exact_epsilon(_B)
    yield TheoremCheck(
        "P3", "Note 1 on p and ε", "No swap rate gets below ε_b = ln(b + 1)/2, which is above 0.",
        least, exact, OF_FORMULA if exact < least else TIGHT,
        "True of the formula. The exact worst case gets lower: to ln(D_b/D_(b−2))/4, and for b = 2 "
        f"to {smallest_exact_epsilon(2):g}, at p = ½.", f"b = {_B}")
    rates = epsilon_to_swap_rates(3.0, _B).rates
    back = [swap_rate_to_epsilon(rate, _B).theorem for rate in rates]
    yield TheoremCheck(
        "P3", "Note 2 on p and ε", "Every ε above ε_b is met by two swap rates.", 2.0,
        float(len(rates)), of_fact(len(rates) == 2 and np.allclose(back, 3.0)),
        f"They are {' and '.join(f'{rate:.4f}' for rate in rates)}; between them ε is smaller.",
        f"b = {_B}, ε = 3")
    def rises(rate: float) -> bool:
        sizes = [swap_rate_to_epsilon(rate, b) for b in (4, 10, 100, 10_000, large)]
        return all(a.exact < b.exact and a.theorem < b.theorem
                   for a, b in itertools.pairwise(sizes))

    yield TheoremCheck(
        "P3", "Note 3 on p and ε", "At the same swap rate, of those in the slides' tables, a "
        "larger b has a larger ε.", None, None, of_fact(all(map(rises, SLIDES_RATES))),
        "By the formula and in truth, at these swap rates. " + (
            "At every rate it holds, too." if rises(_NEAR_1) else
            f"Not at every rate: at p = {_NEAR_1:.1%} small strata have the same ε."),
        f"p = 1%, 5%, 10% and 50%, b from 4 to {large:,}")


def on_invariants() -> Iterator[TheoremCheck]:
    swapping = mechanism("permutation-swapping", swap_rate=0.5, match=("MATCH",), swap=("SWAP",))
    assert isinstance(swapping, KnowsSupport)
    domain = small_domain({"MATCH": 2, "SWAP": 2, "HOLD": 2})
    people = [((0, 0, 0), 3), ((0, 1, 1), 2), ((1, 1, 0), 2)]
    before = small_table(domain, *people, ((0, 0, 1), 1))
    apart = all(
        swapping.support(before).is_apart_from(swapping.support(small_table(domain, *people, one)))
        for one in (((0, 1, 1), 1), ((0, 0, 0), 1), ((1, 0, 1), 1)))
    yield TheoremCheck(
        "P3", "Invariants, in general", "Tables that differ in an invariant have no release in "
        "common, so no ε in the usual sense.", 1.0, 1.0 if apart else None, of_fact(apart),
        "Counts by match and swap features, and by match and hold features, come out exactly.",
        "δ of seven people, one of whom changes a swapped, a held or a match feature")
    top = mechanism("topdown", epsilon=1.0)
    assert isinstance(top, TopDown)
    upper, lower = top.sigmas
    exact = 1 / upper**2 + 1 / lower**2
    yield TheoremCheck(
        "P3", "TDA satisfies DP, part 1", "With its invariants, TopDown has the ρ of its noisy "
        "counts.", top.rho, exact, of_value(top.rho, exact),
        "What is made of noisy counts and of invariants costs nothing more among tables that agree "
        "on the invariants. The census's own ρ, 2.63 and 15.29, cannot be checked from outside.",
        f"TopDown with two levels, as here, at ε = 1, δ = {top.delta:g}")
    yield TheoremCheck(
        "P3", "TDA satisfies DP, part 2", "With fewer invariants than it keeps, TopDown has no "
        "finite ρ.", None, None, of_fact(_apart_by_area()),
        "Two tables that differ in the people of an area have no release in common.",
        "a few people, one of whom moves")
    printed, converted = 52.83, zcdp_to_epsilon(15.29, 1e-10)
    tighter = zcdp_epsilon(15.29, 1e-10)
    yield TheoremCheck(
        "P3", "ε of TopDown", "ρ = 15.29 is ε = 52.83 at δ = 1e-10.", printed, tighter,
        of_bound(printed, tighter),
        f"ρ + 2√(ρ ln(1/δ)) gives {converted:.2f}; the tighter conversion is {tighter:.2f}. The "
        "table prints ρ² where the theorem prints ρ; with the slides' divergence it is ρ².",
        "ρ = 15.29, δ = 1e-10")


def _apart_by_area() -> bool:
    top = mechanism("topdown", epsilon=1.0, invariants="areas")
    assert isinstance(top, KnowsSupport) and isinstance(top, KnowsWorstNeighbours)
    facts = Facts.of("topdown", None, None, 10, None, None)
    moved = [pair for pair in top.worst_neighbours(facts) if not pair.covered]
    return bool(moved) and all(
        top.support(one.before).is_apart_from(top.support(one.after)) for one in moved)


# ---- P4: values drawn one by one from a neighbourhood -------------------------------------------

CORRELATION = 0.8
_STEP, _REACH = 0.025, 4.5
_RADII = (1.0, 0.5, 0.25, 0.125)


def on_neighbourhoods() -> Iterator[TheoremCheck]:
    printed = 0.25 + math.asin(CORRELATION) / (2 * math.pi)
    found = {radius: both_below_zero(radius) for radius in _RADII}
    gaps = [abs(one - printed) for one in found.values()]
    shrink = gaps[-1] < 0.002 and all(b < a for a, b in itertools.pairwise(gaps))
    said = ", ".join(f"{value:.4f} at radius {radius:g}" for radius, value in found.items())
    yield TheoremCheck(
        "P4", "Theorem of §7", "Values drawn one by one from the neighbours of a record have, as "
        "the neighbourhood shrinks, the joint distribution of the data.", printed,
        found[_RADII[-1]], of_fact(shrink),
        f"Valid in the limit, not at a given radius: {said}. It is about unlimited data; where a "
        "small radius holds the record alone, nothing is changed.",
        "chance that both of two normal variables, correlated 0.8, are below 0")


def both_below_zero(radius: float) -> float:
    """P(U ≤ 0 and V ≤ 0), U and V drawn independently within the radius of a record, by sums over a
    fine grid."""
    axis = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
    x, y = axis[:, None], axis[None, :]
    density = np.exp(-(x**2 - 2 * CORRELATION * x * y + y**2) / (2 * (1 - CORRELATION**2)))
    density /= density.sum()
    near = np.arange(-int(radius / _STEP), int(radius / _STEP) + 1) * _STEP
    disc = (near[:, None] ** 2 + near[None, :] ** 2 <= radius**2 + 1e-9).astype(np.float64)

    def around(cells: Floats) -> Floats:
        return np.maximum(fftconvolve(cells, disc, mode="same"), 0.0)

    half = np.where(axis < -_STEP / 2, 1.0, np.where(axis > _STEP / 2, 0.0, 0.5))
    whole = np.maximum(around(density), 1e-300)
    left = np.minimum(around(density * half[:, None]) / whole, 1.0)
    below = np.minimum(around(density * half[None, :]) / whole, 1.0)
    return float((density * left * below).sum())

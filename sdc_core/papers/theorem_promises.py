"""Theorems that promise an ε and a δ (P0, P1, P2), beside the exact δ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.count_law import CountLaw
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.mechanisms.neighbour_tables import small_domain, small_table
from sdc_core.mechanisms.swapping import QiSwapping
from sdc_core.papers.theorem_check import (
    INVALID,
    LOOSE,
    NO_NUMBER,
    TIGHT,
    TheoremCheck,
    of_bound,
)
from sdc_core.privacy.discrete_gaussian import delta_by_zcdp, delta_tight, loss_exceeds
from sdc_core.privacy.guarantee import Guarantee

TABLE_1_SIGMA = math.sqrt(20.0)  # of discrete Gaussian noise at ε = 1
_CAP, _SMALL = 10, "ε = 1, k = 6, no count above 10"
_LEMMA = "If outcomes with a loss above ε have a chance of at most δ, then (ε, δ) holds."
_THEOREM_1 = "DP suppression has δ = 1 − e^(−ε(B−k))/4."


def on_privacy() -> Iterator[TheoremCheck]:
    yield from _lemmas()
    yield from _noise()
    yield from _suppression()
    yield donors_theorem()
    yield _uniform_theorem()
    yield _sampling_theorem()


def _lemmas() -> Iterator[TheoremCheck]:
    printed, exact = loss_exceeds(1.0, TABLE_1_SIGMA), delta_tight(1.0, TABLE_1_SIGMA)
    why = ("It counts every outcome beyond ε in full; δ counts only what goes beyond e^ε times the "
           "other chance. That is why the δ derived from it are too large.")
    setting = "discrete Gaussian noise of Table 1 at ε = 1: Pr[loss > ε], and δ"
    for paper, more in (("P0", ""), ("P1", " The last line of its proof has lost an e^ε.")):
        yield TheoremCheck(paper, "Lemma 1", _LEMMA, printed, exact, of_bound(printed, exact),
                           why + more, setting)


def _noise() -> Iterator[TheoremCheck]:
    for paper, name in (("P0", "§3, Laplace"), ("P2", "§2.3, Laplace histogram")):
        exact = largest_loss(mechanism("laplace", epsilon=1.0))
        yield TheoremCheck(
            paper, name, "Laplace noise of scale 2/ε on every count is ε-DP.", 1.0, exact,
            of_bound(1.0, exact), "The largest loss, of one count up and one down, is ε itself.",
            "ε = 1, rounded, no negatives; counts 5 and 4 against 4 and 5")
    delta, sigma = 1e-6, 2.0
    epsilon = 0.5 + math.sqrt(2 * math.log(1 / delta))
    exact = delta_tight(epsilon, sigma)
    yield TheoremCheck(
        "P0", "§3, discrete Gaussian",
        "Discrete Gaussian noise of variance 4/ε² has (ε²/2 + ε√(2 ln(1/δ)), δ).", delta, exact,
        of_bound(delta, exact),
        "It takes neighbours as 2 apart in length; they are √2 apart, as two counts change by one. "
        "4/ε² is read as the variance, though the paper calls it the standard deviation.",
        f"ε = 1, δ = 1e-6, so a promise of {epsilon:.3f}")
    printed, exact = delta_by_zcdp(1.0, TABLE_1_SIGMA), delta_tight(1.0, TABLE_1_SIGMA)
    yield TheoremCheck(
        "P0", "Table 1, δ of discrete Gaussian",
        "The δ column is what δ = e^(−(ε−ρ)²/(4ρ)) gives with ρ = ε/10 (found here; the paper does "
        "not say).", printed, exact,
        of_bound(printed, exact),
        "The conversion by way of zCDP with neighbours 2 apart: the exact δ is a thousandth of it.",
        "ε = 1, variance 20/ε, which fits the table's errors")


def largest_loss(method: Mechanism, most: int = 80) -> float:
    """ε of a method for single counts, from its law: counts (5, 4) against (4, 5)."""
    assert isinstance(method, CountLaw)

    def law(x: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        at_most = method.chance_at_most(
            np.arange(most, dtype=np.float64), np.full(most, float(x)))
        return np.diff(at_most, prepend=0.0)

    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(law(5)) - np.log(law(4))
    known = ratio[:20]  # beyond, chances are sums that floating point has rounded away
    return float(known.max() - known.min())


def _suppression() -> Iterator[TheoremCheck]:
    settings: dict[str, Any] = {"epsilon": 1.0, "k": 6}
    both = ("Its proof gives two large counts the chance of the largest; one of them is one less.")
    for paper, name, changed, why in (
        ("P0", "Theorem 1", {}, both),
        ("P0", "Theorem 1, zeros left alone as in Table 1", {"keep_zeros": True},
         "The theorem is about eq. 1, which has no exception for zeros. With it a 0 proves that "
         "nobody is there: groups of 0 and 2 never look like groups of 1 and 1."),
        ("P1", "Theorem 1", {"imputation": "half"}, both),
        ("P1", "Theorem 1 for Algorithm 2", {"variant": "P1-noisy-threshold"},
         "One threshold for all counts hides both at once, so the exact δ is lower than for noise "
         "on each count."),
    ):
        method = mechanism("dp-suppression", **settings, **changed)
        yield _promise(paper, name, _THEOREM_1, method.guarantee(cap=_CAP), why, _SMALL)
    for keep_zeros, name in ((False, "eq. 1"), (True, "eq. 1, zeros left alone as in Def. 2")):
        found = mechanism("dp-suppression", **settings, variant="P2",
                          keep_zeros=keep_zeros).guarantee(cap=_CAP)
        yield TheoremCheck(
            "P2", name, "DP cell suppression approximates suppression and is differentially "
            "private.", None, found.delta_tight, INVALID if found.delta_tight == 1 else NO_NUMBER,
            "As printed, eq. 1 fills zeros; with zeros left alone, as in §3.4, δ is 1."
            if keep_zeros else
            "The paper prints no δ for its own rule; the exact one is near one.", _SMALL)


def _promise(
    paper: str, name: str, sentence: str, found: Guarantee, why: str, setting: str
) -> TheoremCheck:
    """δ near one is compared by what is left of it."""
    assert found.log_rest_published is not None
    same = math.isclose(found.log_rest_published, found.log_rest_tight, rel_tol=1e-6)
    verdict = INVALID if found.holds is False else TIGHT if same else LOOSE
    return TheoremCheck(paper, name, sentence, found.delta_published, found.delta_tight, verdict,
                        why, setting)


# ---- swapping with donors, by enumeration -------------------------------------------------------


def donors_theorem(epsilon: float = 0.1) -> TheoremCheck:
    method = mechanism("dp-swapping", epsilon=epsilon, quasi_identifiers=("RAC1P",),
                       **AS_IN_DAS_2024)
    assert isinstance(method, QiSwapping)
    domain = small_domain({"RAC1P": 3, "OTHER": 1})
    before = small_table(domain, ((0, 0), 1), ((2, 0), 1))
    after = small_table(domain, ((0, 0), 1), ((1, 0), 1))
    printed = method.guarantee(before).delta_published or 0.0
    exact = max(delta_between(method, before, after, epsilon),
                delta_between(method, after, before, epsilon))
    return TheoremCheck(
        "P0", "Theorem 3", "DP swapping has δ = 1 − 2γ(1−γ)L − 3(1−γ)²L², L = e^(−ε/2)/m.", printed,
        exact, of_bound(printed, exact),
        "Two records that differ in race alone share too few outcomes with their neighbours; and "
        "for a record that differs in a feature that is not swapped δ is 1.",
        f"two records, γ = 0.75, ε = {epsilon:g}, all outcomes enumerated")


def delta_between(method: QiSwapping, one: Histogram, other: Histogram, epsilon: float) -> float:
    """The exact δ of these two tables."""
    first, second = release_law(method, one), release_law(method, other)
    return sum(max(0.0, p - math.exp(epsilon) * second.get(o, 0.0)) for o, p in first.items())


def release_law(method: QiSwapping, table: Histogram) -> dict[tuple[int, ...], float]:
    """The chance of each released table: where every single record may end."""
    patterns = method.patterns(table)
    moves = np.repeat(method.moves(patterns), patterns.sizes, axis=0)
    rows = np.repeat(patterns.rows, patterns.sizes)
    found: dict[tuple[int, ...], float] = {}
    for ends in itertools.product(range(patterns.n_q), repeat=len(moves)):
        chance = float(np.prod([own[end] for own, end in zip(moves, ends, strict=True)]))
        released = np.zeros_like(patterns.matrix)
        np.add.at(released, (rows, np.array(ends)), 1)
        key = tuple(released.reshape(-1).tolist())
        found[key] = found.get(key, 0.0) + chance
    return found


def _uniform_theorem() -> TheoremCheck:
    found = mechanism("dp-swapping-uniform", epsilon=1.0, unit="cell").guarantee(qi_domain_size=9)
    return _promise(
        "P1", "Theorem 3", "Uniform DP swapping of whole groups has δ = 1 − (1−γ²)/(n_Q−1) − "
        "((1−γ)/(n_Q−1))².", found,
        "The last term has the wrong sign; with a plus it is the exact value.",
        "ε = 1, n_Q = 9 races, neighbours that differ in race")


def _sampling_theorem() -> TheoremCheck:
    found = mechanism("dp-k-anonymity", epsilon=1.0, k=1).guarantee()
    return _promise(
        "P1", "Theorem 5", "Keeping each record with β = 1 − e^(−ε), as in Algorithm 6, has δ = "
        "1 − min over w of Pr[Bin(w, β) ≤ ⌊βw⌋]².", found,
        "It bounds how often the loss is above ε; the exact δ of the sample is β. k enters "
        "neither.", "ε = 1, of the sample")

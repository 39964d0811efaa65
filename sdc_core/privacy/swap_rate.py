"""Swap rate and ε: what does swapping a share p of the records promise, and which p gives an ε?

Permutation swapping (Bailie, Gong and Meng 2023, P3): records that agree on the match variables
form a stratum. In each stratum every record is selected with probability p (exactly one selected:
select again), and the swap variable of the selected records is deranged, uniformly at random. With
the odds o = p / (1 - p) and the size b of the largest stratum, the released records are ε-DP
*subject to their invariants*: ε bounds the log-ratio of the probabilities of any outcome, per unit
of Hamming distance, between two data sets that agree on everything the method leaves untouched.

Pure functions of p and b; only `largest_stratum` looks at data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram

CITATION = "Bailie, Gong and Meng 2023 (P3)"

# From here on D_n = n!/e to far beyond double precision, so that ratios of D are ratios of n!.
_FACTORIAL_FROM = 22
_MOST_RECORDS = 10**15


@dataclass(frozen=True)
class SwapRateEpsilon:
    """What a swap rate promises: ε by the theorem, and the exact worst case (never larger)."""

    rate: float
    stratum_size: int
    theorem: float
    exact: float


@dataclass(frozen=True)
class SwapRates:
    """Which swap rates give an ε, by the theorem and in truth.

    If `reachable_by_theorem`, `rates` are the two for which the theorem says just this ε, the low
    one first; for every rate between them it says less. If not, it says more for every swap rate,
    and `smallest_epsilon`, at `rate_at_smallest`, is the least. The exact worst case is lower, in
    small groups a good deal: down to `smallest_exact`, at `rate_at_smallest_exact`. If it
    reaches the ε (`reachable_exactly`), it does so for all rates from the first of `exact_rates` to
    the last.
    """

    epsilon: float
    stratum_size: int
    reachable_by_theorem: bool
    rates: tuple[float, ...]
    smallest_epsilon: float
    rate_at_smallest: float
    reachable_exactly: bool
    exact_rates: tuple[float, ...]
    smallest_exact: float
    rate_at_smallest_exact: float


@dataclass(frozen=True)
class LargestStratum:
    """The largest group of records that agree on the match variables, in numbers and words."""

    size: int
    words: str
    strata: int  # how many groups have anybody in them


def swap_rate_to_epsilon(rate: float, stratum_size: int) -> SwapRateEpsilon:
    """Which ε does a swap rate promise, in strata of at most this many records?

    Theorem: ln(b+1) - ln o for 0 < p ≤ 1/2, max{ln o, ln(b+1) - ln o} for 1/2 < p < 1; 0 if b ≤ 1;
    no finite ε at p = 0 or 1. Exact: see `_exact`.
    """
    p, b = _valid_rate(rate), _valid_size(stratum_size)
    if b == 1:
        return SwapRateEpsilon(p, b, 0.0, 0.0)  # nobody to swap with: the invariants say it all
    if p in (0.0, 1.0):
        return SwapRateEpsilon(p, b, math.inf, math.inf)
    log_odds = math.log(p) - math.log1p(-p)
    falling = math.log1p(b) - log_odds
    theorem = falling if p <= 0.5 else max(log_odds, falling)
    return SwapRateEpsilon(p, b, theorem, _exact(log_odds, b))


def epsilon_to_swap_rates(epsilon: float, stratum_size: int) -> SwapRates:
    """Which swap rates promise this ε by the theorem, and which in truth?

    The theorem's curve falls as ln(b+1) - ln o until it meets ln o and rises with ln o from there,
    so every ε above the meeting point is reached twice: at o = (b+1) e^(-ε) and at o = e^ε. The
    exact curve rises alike and falls as `_exact` has it.
    """
    wanted, b = _valid_epsilon(epsilon), _valid_size(stratum_size)
    if b == 1:  # every rate promises 0, swapping nobody included
        every = (0.0, 1.0)
        return SwapRates(wanted, b, True, every, 0.0, 0.0, True, every, 0.0, 0.0)
    found: list[tuple[bool, tuple[float, ...], float, float]] = []
    for least, low in (
        (smallest_epsilon(b), math.log1p(b) - wanted),
        (smallest_exact_epsilon(b), _least_log_odds(wanted, b)),
    ):
        reached = wanted >= least
        rates = (_rate_of_log_odds(low), _rate_of_log_odds(wanted)) if reached else ()
        found.append((reached, rates, least, _rate_of_log_odds(least)))
    return SwapRates(wanted, b, *found[0], *found[1])


def _least_log_odds(epsilon: float, b: int) -> float:
    """The least ln o at which the exact worst case is at most ε: where it still falls."""
    if b == 2:
        return -epsilon
    if b == 3:
        return max(math.log(2) / 3 - epsilon, math.log(2) - 2 * epsilon)
    return _log_derangement_ratio(b) / 2 - epsilon


def smallest_epsilon(stratum_size: int) -> float:
    """Below which ε does no swap rate get (theorem)? ½ ln(b+1), at o = √(b+1)."""
    b = _valid_size(stratum_size)
    return 0.0 if b == 1 else math.log1p(b) / 2


def smallest_exact_epsilon(stratum_size: int) -> float:
    """Below which ε does the exact worst case not get? It is found at ln o = ε, where the falling
    part meets ln o: 0 for b = 2 (at p = 1/2), ln 2 / 3 for b = 3, ¼ ln(D_b / D_{b-2}) from 4 on."""
    b = _valid_size(stratum_size)
    if b < 4:
        return math.log(2) / 3 if b == 3 else 0.0
    return _log_derangement_ratio(b) / 4


def largest_stratum(table: Histogram, match: Iterable[str]) -> LargestStratum:
    """How large is the largest group that agrees on these features, and who is it?

    Without match features all records are one group.
    """
    kept = table.domain.axes(match, "match")
    shape = table.domain.shape
    others = tuple(axis for axis in range(len(shape)) if axis not in kept)
    sizes = np.add.reduce(table.counts.reshape(shape), axis=others)
    position = np.unravel_index(int(np.argmax(sizes)), np.shape(sizes))
    size = int(np.max(sizes))
    if size < 1:
        raise InputError("The table counts nobody, so there is no group to swap in.")
    # The sum keeps the table's own order of axes, whatever the order of the match features.
    features = [table.domain.features[axis] for axis in sorted(kept)]
    words = [f.labels[int(i)] for f, i in zip(features, position, strict=True)]
    return LargestStratum(size, ", ".join(words) or "everyone", int(np.count_nonzero(sizes)))


def _exact(log_odds: float, b: int) -> float:
    """The largest log-ratio per unit of distance over all pairs of data sets and all outcomes.

    An outcome that moves j of b records has probability in proportion to o^j / D_j, with D_j the
    number of derangements. Two data sets at distance d see j and j' records moved, |j - j'| ≤ d;
    distance 2 with j = b and j' = b - 2 is the worst (b ≥ 4), or j = 0 and j' = d, which gives
    ln o. No derangement moves exactly one record, hence the different forms for b = 2 and 3. Never
    negative, for either direction of a pair counts.
    """
    if b == 2:
        return abs(log_odds)
    if b == 3:
        return max(log_odds, math.log(2) / 3 - log_odds, (math.log(2) - log_odds) / 2)
    return max(log_odds, _log_derangement_ratio(b) / 2 - log_odds)


def _log_derangement_ratio(b: int) -> float:
    """ln(D_b / D_{b-2}), to double precision for any b ≥ 4."""
    if b >= _FACTORIAL_FROM:
        return math.log(b) + math.log(b - 1)
    return math.log(derangements(b)) - math.log(derangements(b - 2))


def derangements(n: int) -> int:
    """D_n: in how many ways can n values be given back so that nobody keeps their own?"""
    before, current = 0, 1  # D_{-1} (never used), D_0
    for i in range(1, n + 1):
        before, current = current, (i - 1) * (current + before)
    return current


def _rate_of_log_odds(log_odds: float) -> float:
    """p with ln(p / (1-p)) = log_odds; only an infinite log-odds gives 0 or 1.

    Rounding to 0 or 1 would turn a finite ε into none at all.
    """
    if math.isinf(log_odds):
        return 1.0 if log_odds > 0 else 0.0
    if log_odds < 0:
        odds = math.exp(log_odds)
        return max(odds / (1 + odds), math.ulp(0.0))
    return min(1 / (1 + math.exp(-log_odds)), math.nextafter(1.0, 0.0))


def _valid_rate(rate: float) -> float:
    number = _number(rate)
    if number is None or not 0 <= number <= 1:  # also refuses NaN
        raise InputError(f"rate must be in [0, 1], got {rate!r}. Try 0.05 for 5%.")
    return number


def _valid_size(stratum_size: int) -> int:
    number = _number(stratum_size)
    if number is None or not 1 <= number <= _MOST_RECORDS or number != math.floor(number):
        raise InputError(
            "stratum_size must be a whole number of records, at least 1 and at most 1e15, got "
            f"{stratum_size!r}. Try 1000."
        )
    return int(number)


def _valid_epsilon(epsilon: float) -> float:
    number = _number(epsilon)
    if number is None or not number >= 0:
        raise InputError(f"epsilon must be a number of at least 0, got {epsilon!r}. Try 8.")
    return number


def _number(value: object) -> float | None:
    """The value as a number, or nothing if it is none; a truth value is none."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None

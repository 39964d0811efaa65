"""The papers' theorems on error and fairness, each beside the exact value on a table.

Question: does what is printed hold here, and does it say anything? Errors are ‖bias‖₁ in people,
unfairness is α = largest minus smallest bias (P0 Def 1). P0 is Das et al. 2024, P1 Zhu et al. 2023.
Verdicts are computed, never declared: a bound below the exact value fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import ExactBias
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.metrics.error import fairness_alpha, l1_bias

Floats = NDArray[np.float64]
# A bound, a value that is claimed to be exact, or one unfairness claimed to be below others.
Kind = Literal["bound", "value", "comparison"]

SAYS_LITTLE = 10.0  # a bound more than so many times the exact value
ROUNDING = 1e-9


class Verdict(StrEnum):
    HOLDS = "holds"
    SAYS_LITTLE = "holds but says little"
    FAILS = "fails"
    DOES_NOT_APPLY = "does not apply"


@dataclass(frozen=True, eq=False)
class Setting:
    """A table and the methods' parameters, with the exact biases that the theorems are about."""

    table: Histogram
    epsilon: float = 1.0
    k: int = 6
    swap_rate: float = AS_IN_DAS_2024["swap_rate"]  # 1 - γ
    quasi_identifiers: tuple[str, ...] = ("RAC1P", "SEX")
    keep_zeros: bool = False
    require_different: bool = AS_IN_DAS_2024["require_different"]

    @property
    def x(self) -> Floats:
        return self.table.counts.astype(np.float64)

    @property
    def smallest(self) -> float:
        return float(self.x.min())

    @property
    def largest(self) -> float:
        return float(self.x.max())

    @property
    def people(self) -> float:
        return float(self.table.total)

    def hidden(self, x: float | Floats) -> Floats:
        """p: the chance that a count with noise is below k, as the theorems write it."""
        gap = (self.k - np.asarray(x)) * self.epsilon / 2
        above = 1 - 0.5 * np.exp(-np.maximum(gap, 0.0))
        return np.where(gap > 0, above, 0.5 * np.exp(np.minimum(gap, 0.0)))

    @cached_property
    def laplace(self) -> Floats:
        """Set to zero where negative, as the proof has it."""
        return self._bias("laplace", epsilon=self.epsilon, postprocess="clip")

    @cached_property
    def suppression(self) -> Floats:
        """P0's eq. 1: hidden counts become k/2, rounded down."""
        return self._suppression("floor")

    @cached_property
    def suppression_by_half(self) -> Floats:
        """P1's eq. 2: hidden counts become k/2."""
        return self._suppression("half")

    def _suppression(self, imputation: str) -> Floats:
        return self._bias(
            "dp-suppression", epsilon=self.epsilon, k=self.k, imputation=imputation,
            keep_zeros=self.keep_zeros,
        )

    @cached_property
    def swapping(self) -> Floats:
        return self._bias(
            "dp-swapping", epsilon=self.epsilon, swap_rate=self.swap_rate,
            quasi_identifiers=self.quasi_identifiers, require_different=self.require_different,
        )

    @cached_property
    def uniform_swapping(self) -> Floats:
        return self._bias(
            "dp-swapping-uniform", epsilon=self.epsilon, quasi_identifiers=self.quasi_identifiers,
        )

    def _bias(self, name: str, **settings: object) -> Floats:
        chosen = mechanism(name, **settings)
        chosen.check(self.table)
        assert isinstance(chosen, ExactBias)
        bias = chosen.bias(self.table)
        return np.where(np.abs(bias) > ROUNDING, bias, 0.0)  # as many come as go: not 1e-16

    @cached_property
    def rows(self) -> Floats:
        return self.by_row(self.x)

    def by_row(self, cells: Floats) -> Floats:
        """With all combinations of swapped features across: a row is P1's index set I."""
        shape = self.table.domain.shape
        swapped = self.table.domain.axes(self.quasi_identifiers, "quasi_identifiers")
        order = [a for a in range(len(shape)) if a not in swapped] + list(swapped)
        across = math.prod(shape[a] for a in swapped)
        return cells.reshape(shape).transpose(order).reshape(-1, across)

    @property
    def spread_out(self) -> float:
        """e^ε + n_Q - 1: what P1's formulas for swapping divide by."""
        return math.exp(self.epsilon) + self.rows.shape[1] - 1


@dataclass(frozen=True)
class Finding:
    """A theorem on a table: what is printed, what is true, and whether the one fits the other."""

    theorem: Theorem
    printed: float | None
    exact: float | None
    verdict: Verdict
    reason: str

    @property
    def ratio(self) -> float | None:
        """Printed over exact: below one the theorem fails. Infinite where nothing happens, that is
        no more than rounding; a formula that gives the exact value is one times it."""
        if self.printed is None or self.exact is None:
            return None
        if self.theorem.kind == "value" and self.verdict is Verdict.HOLDS:
            return 1.0
        if self.exact <= ROUNDING:
            return 1.0 if self.printed <= ROUNDING else math.inf
        return self.printed / self.exact


@dataclass(frozen=True)
class Theorem:
    """A printed claim. `values` gives what is printed and what is true; `needs` says what a table
    lacks for it; `why` is one sentence on why the two differ, `why_fails` on a failure; `about` is
    which method's what it bounds, in a few plain words."""

    paper: str
    name: str
    claim: str
    kind: Kind
    values: Callable[[Setting], tuple[float, float]]
    why: str
    why_fails: str = "The formula is wrong here."
    needs: Callable[[Setting], str] = lambda setting: ""
    about: str = ""

    @property
    def title(self) -> str:
        return f"{self.paper} {self.name}"

    def on(self, setting: Setting) -> Finding:
        try:
            lacks = self.needs(setting)
            printed, exact = (math.nan, math.nan) if lacks else self.values(setting)
        except InputError as problem:
            lacks = str(problem)
        if lacks:
            return Finding(self, None, None, Verdict.DOES_NOT_APPLY, lacks)
        verdict = _verdict(self.kind, printed, exact)
        fails = self.why_fails.format(half=setting.k / 2, filler=setting.k // 2)
        equal = self.kind == "bound" and abs(printed - exact) <= _rounding_of(exact)
        reason = fails if verdict is Verdict.FAILS else _EQUAL if equal else self.why
        return Finding(self, printed, exact, verdict, reason)


def _rounding_of(exact: float) -> float:
    return ROUNDING * (1 + abs(exact))


def _verdict(kind: Kind, printed: float, exact: float) -> Verdict:
    slack = _rounding_of(exact)
    if exact > printed + slack or (kind == "value" and abs(exact - printed) > slack):
        return Verdict.FAILS
    if kind == "bound" and printed > SAYS_LITTLE * exact + slack:
        return Verdict.SAYS_LITTLE
    return Verdict.HOLDS


def findings(setting: Setting) -> list[Finding]:
    """Every theorem on this table."""
    return [one.on(setting) for one in THEOREMS]


# ---- what is printed ----------------------------------------------------------------------------


def _suppression_error(s: Setting) -> float:
    return float(np.linalg.norm(s.k / 2 - s.x) * np.linalg.norm(s.hidden(s.x)))


def _suppression_unfairness(s: Setting) -> float:
    first, last = float(s.hidden(s.smallest)), float(s.hidden(s.largest))
    farthest = max(abs(s.k / 2 - s.smallest), abs(s.k / 2 - s.largest))
    return (s.largest - s.smallest) * first + farthest * (first - last)


def _laplace_unfairness(s: Setting) -> float:
    return math.exp(-s.epsilon * s.smallest / 2) / 2 * (s.largest - s.smallest)


def _swapping_error(s: Setting) -> float:
    return s.swap_rate * s.people**3


def _swapping_bias(s: Setting) -> tuple[float, float]:
    """The side of the two-sided bound that the exact biases come nearer to."""
    bias = s.swapping
    least = math.exp(-s.epsilon / 2) / s.people
    upper = (s.swap_rate * s.people**2, max(float(bias.max()), 0.0))
    lower = (s.swap_rate * (s.people**2 - least), max(float(-bias.min()), 0.0))
    return max(upper, lower, key=lambda side: side[1] / side[0] if side[0] else math.inf)


def _uniform_bias(s: Setting) -> tuple[float, float]:
    """At the count where they differ most; where they agree all over, at the one moved most."""
    printed = (s.rows.sum(axis=1, keepdims=True) - s.rows.shape[1] * s.rows) / s.spread_out
    exact = s.by_row(s.uniform_swapping)
    apart = np.abs(printed - exact)
    apart = np.where(apart > ROUNDING * (1 + np.abs(exact)), apart, 0.0)
    at = np.argmax(apart if apart.any() else np.abs(exact))
    return float(np.abs(printed.flat[at])), float(np.abs(exact.flat[at]))


def _uniform_error(s: Setting) -> tuple[float, float]:
    """Every row counts once for each of its n_Q cells, with its mean absolute deviation."""
    across = s.rows.shape[1]
    deviation = np.abs(s.rows - s.rows.mean(axis=1, keepdims=True)).mean(axis=1)
    return across / s.spread_out * float(across * deviation.sum()), l1_bias(s.uniform_swapping)


def _uniform_unfairness(s: Setting) -> tuple[float, float]:
    printed = 2 * s.rows.shape[1] / s.spread_out * (s.largest - s.smallest)
    return printed, fairness_alpha(s.uniform_swapping)


def _merged(s: Setting) -> tuple[float, float]:
    """Groups of at least k that have fewer in the sample, added up: the printed sum, which counts
    who is left out, against the chance that fewer than k are drawn."""
    kept = -math.expm1(-s.epsilon)
    large = s.x[s.x >= s.k]
    sizes, groups = np.unique(large, return_counts=True)
    printed = sum(
        n * float(binom.pmf(np.arange(x - s.k + 1, x + 1), x, 1 - kept).sum())
        for x, n in zip(sizes, groups, strict=True)
    )
    return printed, float(binom.cdf(s.k - 1, large, kept).sum())


def _against_both(swapping: str, suppression: str) -> Callable[[Setting], tuple[float, float]]:
    """The smaller true unfairness of the other two, and that of Laplace noise."""

    def values(s: Setting) -> tuple[float, float]:
        others = [fairness_alpha(getattr(s, one)) for one in (suppression, swapping)]
        return min(others), fairness_alpha(s.laplace)

    return values


def _small_but_not_too_small(s: Setting) -> str:
    if s.smallest < 2:
        return f"It needs at least 2 people in every group; the smallest here has {s.smallest:.0f}."
    if s.smallest > s.k:
        return f"It needs a group of at most k people; the smallest here has {s.smallest:,.0f}."
    return ""


def _and_enough_swaps(s: Setting) -> str:
    enough = s.largest / (2 * s.people**3) if s.people else math.inf
    few = "It needs a larger share of swapped records." if s.swap_rate < enough else ""
    return _small_but_not_too_small(s) or few


# ---- the theorems, in the order of the papers ---------------------------------------------------

_NORMS = (
    "It multiplies the sizes of large groups, which are hardly ever hidden, with the chances of "
    "small ones."
)
_ENDS = (
    "It gives one group both the size of the largest and the chance of the smallest to be hidden."
)
_STEEPEST = "It follows the slope at the smallest count all the way to the largest."
_POWERS = (
    "Only the swapped records can be counted elsewhere, which bounds it by twice their number; a "
    "power of the number of people is printed instead."
)
_EXACT = "The formula is the exact value."
_EQUAL = "On this table the bound is reached."
_BOUNDS = (
    "It is derived from two bounds, not from the methods; printed is here the smaller true "
    "unfairness of the other two."
)
_COMPARED = (
    "It compares the bound for one method with the bound for another, and of these it is true; the "
    "true unfairness of Laplace noise is larger than that of one of the others."
)
_ODD_K = (
    "It reckons with k/2 = {half:g} for a hidden count, but as k is odd the method fills in "
    "{filler}."
)
_ZEROS = (
    "It takes empty groups to be treated like all others; left at 0, they have no error at all "
    "while small groups have."
)
_SUPPRESSION_ERROR = "The error of DP suppression is at most ‖k/2 − x‖ times ‖p‖."
_SUPPRESSION_UNFAIRNESS = (
    "The unfairness of DP suppression is at most (xₙ − x₁) p₁ plus the largest |k/2 − x| times "
    "(p₁ − pₙ)."
)
_LAPLACE_UNFAIRNESS = (
    "The unfairness of Laplace noise without negative counts is at most e^(−εx₁/2) (xₙ − x₁)/2."
)

_DAS, _ZHU = "Das et al. 2024", "Zhu et al. 2023"

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        _DAS, "Theorem 2", _SUPPRESSION_ERROR, "bound",
        lambda s: (_suppression_error(s), l1_bias(s.suppression)), _NORMS, _ODD_K,
        about="Noisy limit: error",
    ),
    Theorem(
        _DAS, "Proposition 1",
        "DP swapping moves a count by at most m² times the swap rate on average.", "bound",
        _swapping_bias, _POWERS,
        about="Swapping: error of one count",
    ),
    Theorem(
        _DAS, "Theorem 4", "The error of DP swapping is at most m³ times the swap rate.", "bound",
        lambda s: (_swapping_error(s), l1_bias(s.swapping)), _POWERS,
        about="Swapping: error",
    ),
    Theorem(
        _DAS, "Theorem 5", _SUPPRESSION_UNFAIRNESS, "bound",
        lambda s: (_suppression_unfairness(s), fairness_alpha(s.suppression)), _ENDS, _ZEROS,
        about="Noisy limit: unfairness",
    ),
    Theorem(
        _DAS, "Theorem 6", "The unfairness of DP swapping is at most m³ times the swap rate.",
        "bound", lambda s: (_swapping_error(s), fairness_alpha(s.swapping)), _POWERS,
        about="Swapping: unfairness",
    ),
    Theorem(
        _DAS, "Theorem 7", _LAPLACE_UNFAIRNESS, "bound",
        lambda s: (_laplace_unfairness(s), fairness_alpha(s.laplace)), _STEEPEST,
        about="Noise: unfairness",
    ),
    Theorem(
        _DAS, "Theorem 8",
        "Laplace noise is no less fair than DP suppression and DP swapping, if every group has 2 "
        "people or more, the smallest at most k, and not too few records are swapped.",
        "comparison", _against_both("swapping", "suppression"), _BOUNDS,
        _COMPARED, _and_enough_swaps,
        about="Noise fairer than both?",
    ),
    Theorem(
        _ZHU, "Theorem 2", _SUPPRESSION_ERROR, "bound",
        lambda s: (_suppression_error(s), l1_bias(s.suppression_by_half)), _NORMS,
        about="Noisy limit: error",
    ),
    Theorem(
        _ZHU, "Proposition 1",
        "Uniform DP swapping moves each count towards the mean of its row, by a share that ε sets.",
        "value", _uniform_bias, _EXACT,
        about="Redrawing: error of one count",
    ),
    Theorem(
        _ZHU, "Theorem 4",
        "The error of uniform DP swapping is n_Q/(e^ε + n_Q − 1) times the mean deviation of each "
        "count's row, added up over all counts.", "value", _uniform_error, _EXACT,
        about="Redrawing: error",
    ),
    Theorem(
        _ZHU, "Theorem 6",
        "DP k-anonymity merges a group of k or more people, because of its sample alone, with the "
        "chance that fewer than k of them are drawn.", "value", _merged, _EXACT,
        about="Sampling: groups merged",
    ),
    Theorem(
        _ZHU, "Theorem 7", _SUPPRESSION_UNFAIRNESS, "bound",
        lambda s: (_suppression_unfairness(s), fairness_alpha(s.suppression_by_half)), _ENDS,
        _ZEROS,
        about="Noisy limit: unfairness",
    ),
    Theorem(
        _ZHU, "Theorem 8",
        "The unfairness of uniform DP swapping is at most 2 n_Q (xₙ − x₁)/(e^ε + n_Q − 1).",
        "bound", _uniform_unfairness,
        "It adds the widest spread of counts of two rows, as if each had the largest and the "
        "smallest count of all.",
        about="Redrawing: unfairness",
    ),
    Theorem(
        _ZHU, "Theorem 9", _LAPLACE_UNFAIRNESS, "bound",
        lambda s: (_laplace_unfairness(s), fairness_alpha(s.laplace)), _STEEPEST,
        about="Noise: unfairness",
    ),
    Theorem(
        _ZHU, "Theorem 10",
        "Laplace noise is no less fair than DP suppression and uniform DP swapping, if every group "
        "has 2 people or more and the smallest at most k.", "comparison",
        _against_both("uniform_swapping", "suppression_by_half"), _BOUNDS, _COMPARED,
        _small_but_not_too_small,
        about="Noise fairer than both?",
    ),
)

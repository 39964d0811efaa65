"""From a mechanism and a table to numbers: exact where there is a closed form, else simulated.

`evaluate` is the one place that decides between the two, and says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import ExactBias, ExactMoments, Mechanism, repetition_rng
from sdc_core.metrics.error import fairness_alpha, l1_bias, max_variance
from sdc_core.people import whole_people

Floats = NDArray[np.float64]
Method = Literal["exact", "simulated"]
Progress = Callable[[float], None]

SUMMARY = ("l1_bias", "fairness_alpha", "max_variance", "l1_error")
MAX_REPETITIONS = 100_000
_GROUPS = 20  # of repetitions, for the jackknife
_BLOCK_NUMBERS = 1 << 18  # numbers drawn at a time: a block stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How a mechanism treats a table: four numbers with standard errors, and the cells behind them.

    With method "exact" the standard errors are zero. With "simulated" they are delete-a-group
    jackknife errors over the repetitions (for α, a range, they are on the safe side, up to twice
    the true spread), and ‖bias‖₁ and α contain Monte-Carlo noise, as in the papers: they come out
    too large, the more so the fewer repetitions.
    """

    mechanism: Mechanism
    method: Method
    repetitions: int
    l1_bias: float
    fairness_alpha: float
    max_variance: float
    l1_error: float
    l1_bias_se: float
    fairness_alpha_se: float
    max_variance_se: float
    l1_error_se: float
    bias: Floats = field(repr=False)
    variance: Floats = field(repr=False)
    absolute_error: Floats = field(repr=False)

    def numbers(self) -> dict[str, Any]:
        """The summary without the arrays, for tables and JSON."""
        out: dict[str, Any] = {"mechanism": self.mechanism.name, **self.mechanism.settings()}
        out |= {"method": self.method, "repetitions": self.repetitions}
        for key in SUMMARY:
            out[key] = getattr(self, key)
            out[f"{key}_se"] = getattr(self, f"{key}_se")
        return out


def evaluate(
    mechanism: Mechanism,
    data: Histogram | Iterable[int],
    repetitions: int = 200,
    seed: int = 7,
    simulate: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """How does this mechanism treat this table? Exact where it can be, or where it must: simulated.

    `progress` is called with the share done while simulating; raising from it cancels.
    """
    if isinstance(data, Histogram):
        mechanism.check(data)
    if isinstance(mechanism, ExactMoments) and mechanism.is_exact and not simulate:
        return _evaluation(
            mechanism, "exact", 0, np.zeros(len(SUMMARY)), *mechanism.exact_moments(data)
        )
    if not 2 <= repetitions <= MAX_REPETITIONS:
        raise InputError(
            f"repetitions must be in [2, {MAX_REPETITIONS}], got {repetitions}. Try 200."
        )
    table = data if isinstance(data, Histogram) else Histogram.from_counts(data)
    return _simulate(mechanism, table, repetitions, seed, progress, simulate)


def released_people(
    mechanism: Mechanism,
    table: Histogram,
    repetitions: int,
    seed: int = 7,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """How many people does each release put in each group? One row a release.

    Row r is the same however many are asked for. `progress` is called with the share done; raising
    from it cancels.
    """
    if not 1 <= repetitions <= MAX_REPETITIONS:
        raise InputError(
            f"repetitions must be in [1, {MAX_REPETITIONS}], got {repetitions}. Try 20."
        )
    mechanism.check(table)
    per_block = 1 if mechanism.slow else max(1, _BLOCK_NUMBERS // len(table))
    rows = []
    for start in range(0, repetitions, per_block):
        stop = min(start + per_block, repetitions)
        rngs = [repetition_rng(seed, r) for r in range(start, stop)]
        rows.append(whole_people(mechanism.draw_tables(table, rngs)))
        if progress is not None:
            progress(stop / repetitions)
    return np.concatenate(rows)


def _simulate(
    mechanism: Mechanism,
    table: Histogram,
    repetitions: int,
    seed: int,
    progress: Progress | None,
    everything: bool,
) -> Evaluation:
    """Sums over groups of repetitions: memory does not grow with their number.

    Where the mean is known exactly it is used (with a standard error of zero), unless everything
    is to be simulated.
    """
    counts = table.counts
    groups = min(_GROUPS, repetitions)
    sums = np.zeros((3, groups, len(counts)))  # of error, squared error, absolute error
    members = np.zeros(groups)
    per_block = max(1, _BLOCK_NUMBERS // len(counts))
    bounds = np.linspace(0, repetitions, groups + 1).astype(int)
    for group in range(groups):
        for start in range(bounds[group], bounds[group + 1], per_block):
            stop = min(start + per_block, bounds[group + 1])
            rngs = [repetition_rng(seed, r) for r in range(start, stop)]
            error = mechanism.draw_tables(table, rngs)
            error -= counts
            sums[0, group] += error.sum(axis=0)
            np.abs(error, out=error)
            sums[2, group] += error.sum(axis=0)
            sums[1, group] += np.einsum("rc,rc->c", error, error)
            members[group] += stop - start
        if progress is not None:
            progress(bounds[group + 1] / repetitions)
    total = sums.sum(axis=1)
    bias, variance, absolute = _moments_from_sums(total, repetitions)
    left_out = np.array(
        [
            _summary(*_moments_from_sums(total - sums[:, g], repetitions - members[g]))
            for g in range(groups)
        ]
    )
    spread = left_out - left_out.mean(axis=0)
    errors = np.sqrt((groups - 1) / groups * (spread**2).sum(axis=0))
    if isinstance(mechanism, ExactBias) and mechanism.knows_mean and not everything:
        bias = mechanism.bias(table)
        errors[:2] = 0.0
    return _evaluation(mechanism, "simulated", repetitions, errors, bias, variance, absolute)


def _evaluation(
    mechanism: Mechanism,
    method: Method,
    repetitions: int,
    errors: Floats,
    bias: Floats,
    variance: Floats,
    absolute: Floats,
) -> Evaluation:
    numbers = _summary(bias, variance, absolute)
    named = dict(zip(SUMMARY, numbers, strict=True))
    named |= {f"{name}_se": float(e) for name, e in zip(SUMMARY, errors, strict=True)}
    return Evaluation(
        mechanism, method, repetitions, **named,
        bias=bias, variance=variance, absolute_error=absolute,
    )


def _moments_from_sums(sums: Floats, repetitions: float) -> tuple[Floats, Floats, Floats]:
    mean = sums[0] / repetitions
    spare = max(repetitions - 1, 1)
    variance = np.maximum(sums[1] - repetitions * mean**2, 0.0) / spare
    return mean, variance, sums[2] / repetitions


def _summary(bias: Floats, variance: Floats, absolute: Floats) -> tuple[float, float, float, float]:
    return l1_bias(bias), fairness_alpha(bias), max_variance(variance), float(absolute.sum())

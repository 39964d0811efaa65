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
from sdc_core.histogram import Histogram, as_counts
from sdc_core.mechanisms.base import ExactBias, ExactMoments, Mechanism, repetition_rng
from sdc_core.metrics.error import fairness_alpha, l1_bias, max_variance
from sdc_core.people import whole_people

Floats = NDArray[np.float64]
Method = Literal["exact", "simulated"]
Progress = Callable[[float], None]

SUMMARY = (
    "l1_bias", "fairness_alpha", "max_variance", "l1_error", "people_bias", "people_error",
    "invented",
)
_KNOWN_WITH_THE_MEAN = [SUMMARY.index(n) for n in SUMMARY if n not in (
    "max_variance", "l1_error", "people_error")]
MAX_REPETITIONS = 100_000
_GROUPS = 20  # of repetitions, for the jackknife
_FEWEST_GROUPS = 5
_MOST_SUMS = 4_000_000  # cells times groups: sums of all of them are kept at once
_BLOCK_NUMBERS = 1 << 18  # numbers drawn at a time: a block stays in the processor's cache


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How a mechanism treats a table: numbers with standard errors, and the cells behind them.

    Sums over all groups (l1_bias, l1_error) mix two things that are kept apart as well: what
    happens to people, in groups that have any (people_bias, people_error), and how many people the
    average release puts into groups that have nobody (invented).

    All numbers are in people represented where the table has weights (`weighted`), cells and
    standard errors alike, else in records: an error of one record counts for as many people as a
    record of that cell stands for.

    With method "exact" the standard errors are zero. With "simulated" they are delete-a-group
    jackknife errors over the repetitions (for α, a range, they are on the safe side, up to twice
    the true spread), and ‖bias‖₁ and α contain Monte-Carlo noise, as in the papers: they come out
    too large, the more so the fewer repetitions. `left_out` is what those errors are made of: the
    cells' bias and absolute error without each group of repetitions.
    """

    mechanism: Mechanism
    method: Method
    repetitions: int
    l1_bias: float
    fairness_alpha: float
    max_variance: float
    l1_error: float
    people_bias: float
    people_error: float
    invented: float
    l1_bias_se: float
    fairness_alpha_se: float
    max_variance_se: float
    l1_error_se: float
    people_bias_se: float
    people_error_se: float
    invented_se: float
    bias: Floats = field(repr=False)
    variance: Floats = field(repr=False)
    absolute_error: Floats = field(repr=False)
    left_out: Floats | None = field(default=None, repr=False)
    weighted: bool = False

    def error_of(self, statistic: Callable[[Floats, Floats], Floats]) -> Floats:
        """Standard errors of numbers that follow from the cells' bias and absolute error.

        Zero where those are exact. Else by the same jackknife as the summary: cells of one release
        depend on each other, so their variances would not do.
        """
        found = np.asarray(statistic(self.bias, self.absolute_error), dtype=np.float64)
        if self.method == "exact":
            return np.zeros_like(found)
        if self.left_out is None:
            raise ValueError("Points of a curve do not keep what errors of cells are made of.")
        return _jackknife(np.array([statistic(*cells) for cells in self.left_out]))

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

    The mechanism acts on records; if the table has weights, what it does to them is told in the
    people that they represent. `progress` is called with the share done while simulating; raising
    from it cancels.
    """
    table = data if isinstance(data, Histogram) else None
    if table is not None:
        mechanism.check(table)
    if isinstance(mechanism, ExactMoments) and mechanism.is_exact and not simulate:
        moments = mechanism.exact_moments(data)
        if table is not None and table.weighted:
            each = table.per_record
            moments = (each * moments[0], each**2 * moments[1], each * moments[2])
        return _evaluation(
            mechanism, "exact", 0, np.zeros(len(SUMMARY)), as_counts(data) > 0, *moments,
            weighted=table is not None and table.weighted,
        )
    if not 2 <= repetitions <= MAX_REPETITIONS:
        raise InputError(
            f"repetitions must be in [2, {MAX_REPETITIONS}], got {repetitions}. Try 200."
        )
    whole = data if isinstance(data, Histogram) else Histogram.from_counts(data)
    return _simulate(mechanism, whole, repetitions, seed, progress, simulate)


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
    groups = min(_GROUPS, repetitions, max(_FEWEST_GROUPS, _MOST_SUMS // len(counts)))
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
            if table.weighted:
                error *= table.per_record
            sums[0, group] += error.sum(axis=0)
            np.abs(error, out=error)
            sums[2, group] += error.sum(axis=0)
            sums[1, group] += np.einsum("rc,rc->c", error, error)
            members[group] += stop - start
        if progress is not None:
            progress(bounds[group + 1] / repetitions)
    total = sums.sum(axis=1)
    bias, variance, absolute = _moments_from_sums(total, repetitions)
    left_out = [
        _moments_from_sums(total - sums[:, g], repetitions - members[g]) for g in range(groups)
    ]
    errors = _jackknife(np.array([_summary(counts > 0, *moments) for moments in left_out]))
    if isinstance(mechanism, ExactBias) and mechanism.knows_mean and not everything:
        bias = mechanism.bias(table) * table.per_record
        errors[_KNOWN_WITH_THE_MEAN] = 0.0
        left_out = [(bias, spread, absent) for _, spread, absent in left_out]
    return _evaluation(
        mechanism, "simulated", repetitions, errors, counts > 0, bias, variance, absolute,
        np.array([(mean, absent) for mean, _, absent in left_out]), table.weighted,
    )


def _jackknife(without: Floats) -> Floats:
    """Standard errors of statistics, each row of which leaves one group of repetitions out."""
    groups = len(without)
    moved = without - without[0]  # so that what is always the same has an error of exactly zero
    spread = moved - moved.mean(axis=0)
    return np.asarray(np.sqrt((groups - 1) / groups * (spread**2).sum(axis=0)))


def _evaluation(
    mechanism: Mechanism,
    method: Method,
    repetitions: int,
    errors: Floats,
    somebody: NDArray[np.bool_],
    bias: Floats,
    variance: Floats,
    absolute: Floats,
    left_out: Floats | None = None,
    weighted: bool = False,
) -> Evaluation:
    numbers = _summary(somebody, bias, variance, absolute)
    named = dict(zip(SUMMARY, numbers, strict=True))
    named |= {f"{name}_se": float(e) for name, e in zip(SUMMARY, errors, strict=True)}
    return Evaluation(
        mechanism, method, repetitions, **named,
        bias=bias, variance=variance, absolute_error=absolute, left_out=left_out,
        weighted=weighted,
    )


def _moments_from_sums(sums: Floats, repetitions: float) -> tuple[Floats, Floats, Floats]:
    mean = sums[0] / repetitions
    spare = max(repetitions - 1, 1)
    variance = np.maximum(sums[1] - repetitions * mean**2, 0.0) / spare
    return mean, variance, sums[2] / repetitions


def _summary(
    somebody: NDArray[np.bool_], bias: Floats, variance: Floats, absolute: Floats
) -> tuple[float, ...]:
    """The numbers of SUMMARY; `somebody` says which groups have people."""
    return (
        l1_bias(bias), fairness_alpha(bias), max_variance(variance), float(absolute.sum()),
        l1_bias(bias[somebody]), float(absolute[somebody].sum()), float(bias[~somebody].sum()),
    )

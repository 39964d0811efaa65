"""How far may a number of P1's tables be from ours although both are right?

P1 used another extract of the same survey, in IPUMS's coding, and averages of 200 releases. So
people, the races that the excerpts do not tell apart and the releases are drawn anew, and the
tolerance in the published file is twice the standard deviation of what comes out, as a share of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.experiment import evaluate
from sdc_core.metrics.error import fairness_alpha, l1_bias
from sdc_core.papers.p1_coding import ipums_table
from sdc_core.papers.p1_kanonymity import Coded, released, with_age_groups
from sdc_core.papers.p1_tables import METHODS, REPETITIONS, moments, swapping

Floats = NDArray[np.float64]
K_ANONYMITY_RELEASES = 20  # its printed numbers are multiples of a twentieth


def drawn_anew(data: Dataset, method: str, epsilon: float, times: int, seed: int) -> Floats:
    """‖bias‖₁ and α, a row each time; for k-anonymity of a single release, twice the rows."""
    rows = []
    for number in range(times):
        rng = np.random.default_rng([seed, number])
        people = rng.integers(len(data), size=len(data))
        if method == "dp-kanon":
            whole = with_age_groups(data, seed + number)
            some = Coded(whole.codes[people], whole.listed, whole.counted)
            moved = released(some, epsilon, 2, seed + number)
            rows += list(zip(moved.errors, moved.ranges, strict=True))
            continue
        table = ipums_table(data, seed + number, people)
        if method == "dp-swap":
            found = evaluate(swapping(epsilon, "RACE"), table, REPETITIONS, seed + number,
                             simulate=True)
            rows.append((found.l1_bias, found.fairness_alpha))
            continue
        bias, variance = moments(METHODS[method](epsilon), table)
        averages = rng.normal(bias, np.sqrt(variance / REPETITIONS))
        rows.append((l1_bias(averages), fairness_alpha(averages)))
    return np.array(rows)


def spread(data: Dataset, method: str, epsilon: float, times: int = 60, seed: int = 0) -> Floats:
    """Standard deviations of ‖bias‖₁ and α as shares of their means."""
    found = drawn_anew(data, method, epsilon, times, seed)
    if method == "dp-kanon":
        pairs = found.reshape(times, 2, 2)
        of_releases = pairs.var(axis=1, ddof=1).mean(axis=0)
        of_people = np.maximum(pairs.mean(axis=1).var(axis=0, ddof=1) - of_releases / 2, 0)
        variance = of_people + of_releases / K_ANONYMITY_RELEASES
    else:
        variance = found.var(axis=0, ddof=1)
    return np.asarray(np.sqrt(variance) / found.mean(axis=0))


def tolerance(share: float) -> str:
    """Twice a standard deviation, in tenths of a percent, rounded up."""
    return f"{math.ceil(2000 * share) / 10:g}%"

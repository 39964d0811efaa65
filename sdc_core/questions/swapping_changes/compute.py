"""What swapping changes, shown on two tables: 1940 Massachusetts, and a class of eight households.

Everything random comes from a seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.census1940 import massachusetts_1940
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.derangement import swap_partners
from sdc_core.mechanisms.permutation import PermutationSwapping
from sdc_core.metrics.tables import (
    MarginCheck,
    PercentageError,
    check_margins,
    mean_absolute_percentage_error,
)

RATES = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)  # of P3's box plots
RUNS = 20

Runs = Mapping[float, Sequence[float]]  # swap rate -> percentage error of each run


def massachusetts_swapping(rate: float) -> PermutationSwapping:
    """Dwellings change county; the printed table has nothing to match on but the state."""
    return PermutationSwapping(rate, match=(), swap=("COUNTY",), hold=("TENURE",))


@dataclass(frozen=True, eq=False)
class Demonstration:
    """A table before and after swapping, how far they are apart, and which totals agree."""

    mechanism: PermutationSwapping
    table: Histogram
    released: NDArray[np.int64]
    error: PercentageError
    margins: tuple[MarginCheck, ...]


def swap_massachusetts(rate: float, seed: int) -> Demonstration:
    """What does one swapped release of the 1940 table look like?"""
    table = massachusetts_1940()
    mechanism = massachusetts_swapping(rate)
    released = mechanism.release(table, seed).counts
    return Demonstration(
        mechanism, table, released, mean_absolute_percentage_error(table.counts, released),
        tuple(check_margins(table, released, [("COUNTY",), ("TENURE",), ()])),
    )


def percentage_error_of_run(rate: float, seed: int, run: int) -> float:
    """By what percentage is a count off, on average, in this run?"""
    table = massachusetts_1940()
    released = massachusetts_swapping(rate).draw_tables(table, [repetition_rng(seed, run)])[0]
    return mean_absolute_percentage_error(table.counts, released).percent


# Eight households --------------------------------------------------------------------------------

EXAMPLE_RATE = 0.5
_TOWNS = ("Boston", "Cambridge", "Somerville")
_TENURES = ("owned", "rented")
_HOUSEHOLDS = (  # town and tenure of each
    (0, 1), (0, 1), (0, 0), (1, 0), (1, 0), (1, 1), (2, 0), (2, 1),
)


@dataclass(frozen=True)
class Household:
    """One household of the class, and what swapping did to it."""

    number: int
    town: str
    tenure: str
    selected: bool
    donor: int | None  # the number of the household whose town it receives
    new_town: str


@dataclass(frozen=True, eq=False)
class Example:
    """Eight households of one stratum (four people each, Massachusetts), swapped at 50%."""

    households: tuple[Household, ...]
    table: Histogram
    released: NDArray[np.int64]
    margins: tuple[MarginCheck, ...]


def eight_households(seed: int) -> Example:
    """Who is selected, who receives whose town, and what does the table of towns say then?"""
    towns, tenures = (np.array(column) for column in zip(*_HOUSEHOLDS, strict=True))
    selected, donors = swap_partners(len(_HOUSEHOLDS), EXAMPLE_RATE, repetition_rng(seed, 0))
    new_towns = towns.copy()
    new_towns[selected] = towns[donors]
    given = dict(zip(selected.tolist(), donors.tolist(), strict=True))
    households = tuple(
        Household(
            i + 1, _TOWNS[towns[i]], _TENURES[tenures[i]], i in given,
            given[i] + 1 if i in given else None, _TOWNS[new_towns[i]],
        )
        for i in range(len(_HOUSEHOLDS))
    )
    domain = Domain(
        (
            Feature("TOWN", "Town", _TOWNS, _TOWNS),
            Feature("TENURE", "Tenure", _TENURES, tuple(t.capitalize() for t in _TENURES)),
        )
    )
    table = Histogram.from_codes([towns, tenures], domain)
    released = Histogram.from_codes([new_towns, tenures], domain).counts
    margins = check_margins(table, released, [("TOWN",), ("TENURE",), ()])
    return Example(households, table, released, tuple(margins))

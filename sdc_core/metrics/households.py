"""Which households can be recognised? By a member who is one of a kind, or by who lives in them.

A household with a member who is alone in the table with a combination of values is itself one of a
kind; the other way round it need not be: everybody in it may be common, and the household as a
whole is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.households import Households
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import Rule, matches


@dataclass(frozen=True)
class HouseholdRisk:
    """Households of one size, or all: how many have a member who is one of a kind, and how many are
    themselves one of a kind by who lives in them."""

    size: int | None
    households: int
    people: int
    with_unique: int
    unique: int


def household_risks(table: Histogram) -> tuple[HouseholdRisk, ...]:
    """All households first, then by size; none where the data do not say who lives together."""
    found = table.households
    if found is None:
        return ()
    exposed = _has_unique(table, found)
    everybody = np.ones(len(found.counts), dtype=bool)
    sizes = [int(size) for size in np.unique(found.sizes)]
    return tuple(
        HouseholdRisk(
            size, int(found.counts[inside].sum()),
            int((found.counts * found.sizes)[inside].sum()),
            int(found.counts[inside & exposed].sum()),
            int(found.counts[inside & (found.counts == 1)].sum()),
        )
        for size, inside in ((None, everybody), *((s, found.sizes == s) for s in sizes))
    )


def households_shown(
    table: Histogram, released: NDArray[np.int64], rule: Rule
) -> OverReleases:
    """Of the households with a member who is one of a kind: how many have one whom the release
    shows as they are? One number a release (a row of `released`)."""
    found = table.households
    alone = None if found is None else np.flatnonzero(table.counts[found.cells] == 1)
    if found is None or alone is None or not len(alone):
        return OverReleases(np.zeros(len(released)))
    shown = matches(released[:, found.cells[alone]], rule)
    starts = np.flatnonzero(np.diff(found.owner[alone], prepend=-1))
    each = np.logical_or.reduceat(shown, starts, axis=1)
    return OverReleases(each.sum(axis=1).astype(np.float64))


def _has_unique(table: Histogram, found: Households) -> NDArray[np.bool_]:
    """Which kinds of household have a member who is one of a kind?"""
    alone = table.counts[found.cells] == 1
    return np.bincount(found.owner, alone, minlength=len(found.counts)) > 0

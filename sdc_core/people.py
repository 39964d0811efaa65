"""Released counts as people: the step that every look at records has in common.

A mechanism that acts on counts releases records by expanding them: each group's values as often as
its count says. Counts that are not whole or below zero are first rounded and cut off at zero, which
costs no privacy since it looks at the release alone, but does shift small groups upwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature

Ints = NDArray[np.int64]
MAX_PEOPLE = 50_000_000


@dataclass(frozen=True, eq=False)
class Groups:
    """People who are known by groups of values: one row for all who look alike.

    `features` are the domain's, with what is published in place of their values: a value, a range,
    a list or any, as codes and in words. `members[j][i]` are the domain's values that published
    value i of feature j stands for. Row r has `sizes[r]` people and stands at `places[r, j]` in
    feature j. Rows are in the order of what is published, which says nothing else about anybody.
    `left_out` people are not published.
    """

    features: tuple[Feature, ...]
    members: tuple[tuple[tuple[str, ...], ...], ...]
    places: Ints
    sizes: Ints
    left_out: int = 0


def whole_people(counts: NDArray[np.generic]) -> Ints:
    """Counts as people: rounded (halves to even) and never below zero."""
    return np.maximum(np.rint(np.asarray(counts, dtype=np.float64)), 0.0).astype(np.int64)


def expand(counts: NDArray[np.integer], domain: Domain) -> Ints:
    """One row for every person, one column for every feature: positions in the feature's values."""
    return np.stack(np.unravel_index(_repeated(counts), domain.shape), axis=1)


def as_records(counts: NDArray[np.integer], domain: Domain, labels: bool = False) -> pd.DataFrame:
    """One row for every person, with codes as the data has them, or with words."""
    positions = np.unravel_index(_repeated(counts), domain.shape)
    return pd.DataFrame(
        {
            feature.name: np.asarray(
                feature.labels if labels else feature.values, dtype=object
            )[codes]
            for feature, codes in zip(domain.features, positions, strict=True)
        }
    )


def marginal(
    counts: NDArray[np.generic], domain: Domain, axes: Sequence[int]
) -> NDArray[np.float64]:
    """Counts by some of the features only, in the order asked for; leading axes (releases) stay."""
    lead = counts.shape[:-1]
    cube = np.asarray(counts, dtype=np.float64).reshape(*lead, *domain.shape)
    rest = tuple(len(lead) + i for i in range(len(domain.shape)) if i not in axes)
    summed = cube.sum(axis=rest)
    kept = sorted(axes)
    order = [*range(len(lead)), *(len(lead) + kept.index(axis) for axis in axes)]
    return summed.transpose(order)


def _repeated(counts: NDArray[np.integer]) -> NDArray[np.intp]:
    if counts.sum() > MAX_PEOPLE:
        raise InputError(
            f"This release has {int(counts.sum()):,} people; records are made for at most "
            f"{MAX_PEOPLE:,}. Use a larger ε."
        )
    return np.repeat(np.arange(len(counts)), counts)

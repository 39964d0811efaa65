"""For how many people do a table's records stand? A survey's weights, cell by cell.

A record of weight w stands for w people. A cell with n records whose weights add up to W stands for
W people, so one of its records for W/n on average, and a released count n' for n' W/n: an error of
one record there is an error of W/n people. A cell without records has no weights of its own;
whoever is wrongly put there is taken to stand for as many as the average record of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weights:
    """What the records of a table stand for: `people` in each cell (the sum of its weights), the
    `mean` and the `largest` weight of any record, and the `column` that says so."""

    people: Floats
    mean: float
    largest: float
    column: str

    def __post_init__(self) -> None:
        self.people.setflags(write=False)

    @classmethod
    def of(cls, weights: Floats, cells: NDArray[np.integer], size: int, column: str) -> Weights:
        """From each record's weight and its cell, of `size` cells."""
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise InputError(
                f"{column} must be a number of at least 0 in every row to be used as a weight. "
                "Count records instead."
            )
        if not weights.any():
            raise InputError(
                f"{column} is 0 in every row: nobody is represented. Count records instead."
            )
        people = np.bincount(cells, weights=weights, minlength=size).astype(np.float64)
        return cls(people, float(weights.mean()), float(weights.max()), column)

    def per_record(self, counts: NDArray[np.int64]) -> Floats:
        """How many people one record of each cell stands for; the overall mean where there is
        none."""
        return np.where(counts > 0, self.people / np.maximum(counts, 1), self.mean)

"""How far is one table from another, and which of its totals are the same?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram


@dataclass(frozen=True)
class PercentageError:
    """The mean over cells of |released - true| / true, in percent; empty cells cannot take part."""

    percent: float
    cells: int
    left_out: int  # cells with a true count of zero


def mean_absolute_percentage_error(truth: ArrayLike, release: ArrayLike) -> PercentageError:
    """By what percentage is a count off, averaged over the cells? (MAPE, as in P3.)

    Cells with a true count of 0 are left out, and it is said how many. Every cell weighs the same,
    however many people it has.
    """
    true, released = (np.asarray(v, dtype=np.float64).ravel() for v in (truth, release))
    if true.shape != released.shape:
        raise InputError(f"The tables have {true.size} and {released.size} cells; they must agree.")
    used = true > 0
    if not used.any():
        raise InputError("Every true count is 0, so there is no percentage to speak of.")
    share = np.abs(released[used] - true[used]) / true[used]
    return PercentageError(100 * float(share.mean()), int(used.sum()), int((~used).sum()))


@dataclass(frozen=True)
class MarginCheck:
    """One total, before and after."""

    by: tuple[str, ...]  # names of the features it is counted by
    title: str
    true: int | float
    after: int | float

    @property
    def equal(self) -> bool:
        return self.true == self.after


def check_margins(
    table: Histogram, released: ArrayLike, margins: Iterable[Sequence[str]]
) -> list[MarginCheck]:
    """Which totals did a release keep? One row for every value of each margin.

    A margin is named by the features it is counted by; no feature means the grand total. Numbers
    are compared exactly, without tolerance.
    """
    domain = table.domain
    after_all = np.asarray(released).reshape(domain.shape)
    found = []
    for by in margins:
        axes = domain.axes(by, "margin")
        others = tuple(a for a in range(len(domain.shape)) if a not in axes)
        true = table.counts.reshape(domain.shape).sum(axis=others)
        after = after_all.sum(axis=others)
        # The sums keep the domain's order of features, whatever order they were named in.
        features = [domain.features[a] for a in sorted(axes)]
        for codes in np.ndindex(true.shape):
            words = [f.labels[c] for f, c in zip(features, codes, strict=True)]
            found.append(
                MarginCheck(
                    tuple(f.name for f in features), ", ".join(words) or "Total",
                    true[codes].item(), after[codes].item(),
                )
            )
    return found

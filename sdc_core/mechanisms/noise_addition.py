"""Noise on the numbers of records, each variable by itself or all together.

Question: what happens when a random number is added to every number? P4 runs no such experiment:
this is an addition, for comparison with what it does run (P4 §3 and §6.3; Kim 1986; Brand 2002).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Doing, Floats
from sdc_core.mechanisms.on_numbers import NUMBERS, NumberMechanism
from sdc_core.parameters import Choice, Real
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

SHARE = Real(
    name="share", title="Noise", symbol="c", default=0.2, low=0.0, high=10.0, slider=(0.0, 2.0),
    percent=True, stronger="up",
    help="The noise's standard deviation as a share of the variable's own.",
)
STRUCTURE = Choice(
    name="structure", title="Noise of different variables", default="independent", tag="({})",
    choices=("independent", "correlated", "preserving"),
    titles={
        "independent": "independent", "correlated": "correlated like the data",
        "preserving": "correlated, then shrunk",
    },
    help="Independent noise weakens correlations. Noise with the data's own correlations keeps "
    "them, but not the variances: all covariances grow by the factor 1 + c². Shrunk towards the "
    "means by √(1 + c²) afterwards, covariances are kept as well, on average.",
)


@dataclass(frozen=True)
class NoiseAddition(NumberMechanism):
    """What does a bell-shaped error on every number do? Means are kept on average; covariances as
    `structure` says. Whole numbers do not stay whole, and nothing keeps a number positive."""

    name = "noise-addition"
    does = Doing.BLURRING
    title = "Noise on records"
    plain = "Add noise to numbers"
    doing = "adding noise to numbers"
    summary = "Adds a bell-shaped random number to every number of every record."
    citation = "Kim 1986; Tendick 1991; Brand 2002"
    protection = Protection(
        what="The exact numbers, for variables that get noise.",
        where="As far as the noise reaches: outliers stay outliers, because everybody's noise is "
        "of the same size.",
        unit="One number of one record.",
        measured="Not at all: the noise has the data's own spread, and bell-shaped noise of a size "
        "that one record can change bounds no odds.",
        how_much="The share c of a standard deviation. There is no ε; δ = 1 over all possible "
        "data.",
    )

    share: float = SHARE.field()
    structure: str = STRUCTURE.field()
    variables: tuple[str, ...] = NUMBERS.field()

    def draw_columns(
        self, columns: Floats, names: Sequence[str], rng: np.random.Generator
    ) -> Floats:
        if self.structure == "independent":
            noise = rng.normal(size=columns.shape) * np.nanstd(columns, axis=0, ddof=1)
            return columns + self.share * noise
        noise = rng.normal(size=columns.shape) @ _root(_covariance(columns)).T
        noisy = columns + self.share * noise
        if self.structure == "correlated":
            return noisy
        centre = np.nanmean(columns, axis=0)
        return centre + (noisy - centre) / math.sqrt(1 + self.share**2)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(None), citation=self.citation,
            remark="No formal guarantee: the size of the noise follows from the data, and a number "
            "may lie as far out as it likes, so that no noise of this size hides it."
            + (" With c = 0 every record is published as it is." * (self.share == 0)),
        )


def _covariance(columns: Floats) -> Floats:
    """Of the records that have all of these numbers."""
    whole = columns[~np.isnan(columns).any(axis=1)]
    if len(whole) < 2:
        raise InputError(
            "Fewer than two records have all of these numbers, so their covariance is not known. "
            "Leave out a variable that is often missing, or take independent noise."
        )
    return np.atleast_2d(np.cov(whole, rowvar=False))


def _root(covariance: Floats) -> Floats:
    """A matrix whose square is this one, also where it is singular: variables that follow from
    others get noise that follows in the same way."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))

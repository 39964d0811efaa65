"""Microaggregation: groups of similar records share the means of their numbers.

Question: what happens when everybody's numbers are replaced by the mean of at least k similar
records? Groups are made by MDAV (Domingo-Ferrer and Mateo-Sanz 2002; Hundepool et al.): from both
ends of the cloud of records, k at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Doing, Floats
from sdc_core.mechanisms.mdav import mdav
from sdc_core.mechanisms.on_numbers import NUMBERS, NumberMechanism
from sdc_core.parameters import Choice, Integer
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection
from sdc_core.records import Records

CLUSTER = Integer(
    name="k", title="Smallest cluster", symbol="k", default=3, low=1, high=100_000,
    slider=(2, 30), unit="records", stronger="up",
    help="Every released record has the same numbers as at least k − 1 others. Clusters have k to "
    "2k − 1 records; k = 1 changes nothing.",
)
SCALING = Choice(
    name="scaling", title="Numbers are made comparable", default="sd", tag="({})", advanced=True,
    choices=("sd", "variance"),
    titles={"sd": "by the standard deviation", "variance": "by the variance"},
    help="By the standard deviation, squared differences are divided by the variance: this is what "
    "sdcMicro's code computes. By the variance, the numbers themselves are divided by it, so that "
    "variables with small numbers count for more.",
)


@dataclass(frozen=True)
class Microaggregation(NumberMechanism):
    """What does sharing the mean of k similar records do? (P4 §4.3)

    The groups follow from the data by a fixed rule, so there is only one release. Ties are broken
    by the order of the records. Records that lack a number are grouped with those that lack the
    same ones.
    """

    name = "microaggregation"
    does = Doing.AVERAGING
    title = "Microaggregation"
    plain = "Average similar records"
    doing = "averaging similar records"
    summary = "Replaces the numbers of k or more similar records by their means."
    citation = "Domingo-Ferrer and Mateo-Sanz 2002; Templ, Kowarik and Meindl 2015 (sdcMicro)"
    protection = Protection(
        what="Only which record is whose, for the variables that are averaged: k or more look "
        "alike.",
        where="Not to variables that are not averaged, which may single a record out again, and "
        "not to the means: they come out exactly.",
        unit="A cluster of k records or more, not a person.",
        measured="Not at all: the clusters follow from the data by a fixed rule.",
        how_much="k records. There is no ε; whoever knows everybody else can tell (δ = 1).",
    )

    k: int = CLUSTER.field()
    scaling: str = SCALING.field()
    variables: tuple[str, ...] = NUMBERS.field()

    def check_records(self, records: Records) -> None:
        columns = records.values[:, list(self.changed_axes(records))]
        for rows in _alike_missing(columns):
            if len(rows) < self.k:
                lacking = "" if len(rows) == len(columns) else (
                    " that lack the same numbers; leave out the variable that is missing, or those "
                    "records")
                raise InputError(
                    f"k must be at most the number of records, {len(rows):,}{lacking}; got "
                    f"{self.k:,}."
                )

    def clusters(self, records: Records) -> NDArray[np.int64]:
        """Which cluster each record is in."""
        self.check_records(records)
        return self._labels(records.values[:, list(self.changed_axes(records))])

    def draw_columns(
        self, columns: Floats, names: Sequence[str], rng: np.random.Generator
    ) -> Floats:
        """The rule is fixed, so the generator changes nothing."""
        labels = self._labels(columns)
        sizes = np.bincount(labels)
        means = [np.bincount(labels, weights=column) / sizes for column in columns.T]
        return np.column_stack([mean[labels] for mean in means])

    def _labels(self, columns: Floats) -> NDArray[np.int64]:
        labels = np.empty(len(columns), dtype=np.int64)
        used = 0
        spread = np.nanvar(columns, axis=0)
        divisor = np.sqrt(spread) if self.scaling == "sd" else spread
        scaled = columns / np.where(divisor > 0, divisor, 1.0)
        for rows in _alike_missing(columns):
            known = ~np.isnan(columns[rows[0]])
            found = mdav(scaled[rows][:, known], self.k)
            labels[rows] = found + used
            used += int(found.max()) + 1
        return labels

    def published_exactly(self, table: object) -> tuple[str, ...]:
        return (*super().published_exactly(None), "the mean of every variable")

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(None), citation=self.citation,
            remark="No formal guarantee: clusters and means follow from the data by a fixed rule, "
            "so whoever knows all other records can work out the last one."
            + (" With k = 1 every record is published as it is." * (self.k == 1)),
        )


def _alike_missing(columns: Floats) -> list[NDArray[np.int64]]:
    """Records that lack the same numbers, the first such group first."""
    missing = np.isnan(columns)
    _, first, which = np.unique(missing, axis=0, return_index=True, return_inverse=True)
    return [np.flatnonzero(which.reshape(-1) == group) for group in np.argsort(first)]

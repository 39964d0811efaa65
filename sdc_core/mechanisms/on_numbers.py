"""Mechanisms that change the numbers of records: a table of counts has none to change.

A subclass writes `draw_columns`: the columns of the chosen variables, without those that are
missing taken care of, as they come out. All other variables stay with their record.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Floats, Mechanism
from sdc_core.parameters import Several
from sdc_core.records import Records

NUMBERS = Several(
    name="variables", title="Variables that are changed", symbol="V", default=(), alters=True,
    placeholder="all numbers",
    help="Numbers that are changed; all other variables stay with their record as they are. Empty: "
    "all numbers.",
)


@dataclass(frozen=True)
class NumberMechanism(Mechanism):
    """What they share: which variables are changed, and that a table of counts is refused."""

    acts_on = "numbers"
    family = "sdc"

    def check(self, table: Histogram) -> None:
        raise InputError(
            f"{self.title} changes the numbers of records, and a table of counts has none. It is "
            "for records, as in the microdata lab."
        )

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        self.check(table)
        raise AssertionError  # never reached: every table is refused

    def changed_axes(self, records: Records) -> tuple[int, ...]:
        """The variables that are changed: those named, else all numbers."""
        named = records.axes(self.settings()["variables"], "variables")
        for j in named:
            if not records.variables[j].numeric:
                raise InputError(
                    f"variables names {records.variables[j].name!r}, a category. {self.title} "
                    "changes numbers only."
                )
        axes = named or records.numeric_axes
        if not axes:
            raise InputError(f"These records have no numbers, and {self.title} changes nothing "
                             "else.")
        return axes

    def check_records(self, records: Records) -> None:
        """Raise an InputError if these records cannot be treated with these settings."""
        self.changed_axes(records)

    @abstractmethod
    def draw_columns(
        self, columns: Floats, names: Sequence[str], rng: np.random.Generator
    ) -> Floats:
        """The columns as released; what is missing (NaN) stays missing."""

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]:
        """One release a generator, record by record in the order of the file."""
        self.check_records(records)
        axes = list(self.changed_axes(records))
        names = [records.names[j] for j in axes]
        for rng in rngs:
            values = records.values.copy()
            values[:, axes] = self.draw_columns(records.values[:, axes], names, rng)
            yield records.with_values(values)

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return ("every variable that is not changed, record by record",)

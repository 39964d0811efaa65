"""Which cells say too much about somebody, and how wide must an attacker's interval stay?

Three rules of statistical offices (A. Hundepool and others, *Statistical Disclosure Control*, 2012,
chapter 4): few contributors; the n largest have more than k percent; the second largest can work
out the largest to within p percent. Each says of every cell whether it is sensitive, and how far
below and above the true number what an attacker thinks possible has to reach, or how wide it must
be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sdc_core.errors import InputError
from sdc_core.margins.table import Bools, Floats, MarginTable


@dataclass(frozen=True, eq=False)
class Sensitive:
    """Which cells must not be published, and what has to stay possible for an attacker: at least
    `below` less and `above` more than the number, and `wide` from the least to the largest."""

    cells: Bools
    below: Floats
    above: Floats
    wide: Floats

    def __post_init__(self) -> None:
        for one in (self.below, self.above, self.wide):
            one[~self.cells] = 0.0

    @classmethod
    def none(cls, table: MarginTable) -> Sensitive:
        return cls(np.zeros(len(table), dtype=np.bool_), *np.zeros((3, len(table))))

    def or_else(self, other: Sensitive) -> Sensitive:
        """Sensitive by either; protected as both ask."""
        return Sensitive(self.cells | other.cells, *(
            np.maximum(mine, yours) for mine, yours in (
                (self.below, other.below), (self.above, other.above), (self.wide, other.wide))))

    def protects(self, values: Floats, low: Floats, high: Floats) -> Bools:
        """Which cells are as safe as they have to be, with these intervals? Up to rounding in the
        last digits."""
        slack = 1e-6 * np.maximum(1.0, np.abs(values))
        kept = ((values - low >= self.below - slack) & (high - values >= self.above - slack)
                & (high - low >= self.wide - slack))
        return np.asarray(~self.cells | kept)


class Rule(Protocol):
    """A rule about single cells."""

    def sensitive(self, table: MarginTable) -> Sensitive: ...

    def sentence(self) -> str: ...


@dataclass(frozen=True)
class Threshold:
    """Fewer than `k` contributors. In a table of people what is possible has to be `wide` people
    wide, by itself k. In a table of sums it has to reach `share` of the number below it, and above
    it that share of the number or of what a contributor has on average, whichever is more: a sum of
    nothing is protected as well."""

    k: int
    wide: float | None = None
    share: float = 0.15

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"k must be at least 1, got {self.k}. Try 6.")

    def sensitive(self, table: MarginTable) -> Sensitive:
        cells = (table.contributors > 0) & (table.contributors < self.k)
        if table.counts_people:
            wide = float(self.k if self.wide is None else self.wide)
            zero = np.zeros(len(table))
            return Sensitive(cells, zero, zero.copy(), np.where(cells, wide, 0.0))
        size = np.abs(table.values)
        typical = size[0] / max(1, int(table.contributors[0]))
        return _around(table, cells, self.share * size, self.share * np.maximum(size, typical))

    def sentence(self) -> str:
        return f"fewer than {self.k:,} contributor{'s' * (self.k != 1)}"


@dataclass(frozen=True)
class Dominance:
    """The `n` largest contributions are more than `k` percent of the number. Protected if an
    attacker cannot bound them by k percent: (100/k) × their sum less the number, to either side."""

    n: int
    k: float

    def __post_init__(self) -> None:
        if self.n < 1 or not 0 < self.k < 100:
            raise InputError(f"(n, k) must be a whole number and a percentage below 100, got "
                             f"({self.n}, {self.k:g}). Try (1, 75).")

    def sensitive(self, table: MarginTable) -> Sensitive:
        top = _largest(table, self.n, f"({self.n}, {self.k:g}) dominance").sum(axis=1)
        cells = (top > self.k / 100 * table.values) & (top > 0)
        away = 100 / self.k * top - table.values
        return _around(table, cells, away, away)

    def sentence(self) -> str:
        who = "the largest contributor has" if self.n == 1 else (
            f"the {self.n} largest contributors have")
        return f"{who} more than {self.k:g}%"


@dataclass(frozen=True)
class PPercent:
    """All others but the largest and the second largest contributor have less than `p` percent of
    what the largest has: the second can then bound the largest that closely. `coalition` others
    may put their heads together."""

    p: float
    coalition: int = 1

    def __post_init__(self) -> None:
        if self.p <= 0 or self.coalition < 1:
            raise InputError(f"p must be above 0, with at least one who looks on, got {self.p:g} "
                             f"and {self.coalition}. Try 10 and 1.")

    def sensitive(self, table: MarginTable) -> Sensitive:
        top = _largest(table, 1 + self.coalition, f"{self.p:g} percent rule")
        away = self.p / 100 * top[:, 0] - (table.values - top.sum(axis=1))
        cells = (away > 1e-9 * np.abs(table.values)) & (top[:, 0] > 0)
        return _around(table, cells, away, away)

    def sentence(self) -> str:
        who = "one other" if self.coalition == 1 else f"{self.coalition} others together"
        return f"{who} can work out the largest contribution to within {self.p:g}%"


def _around(table: MarginTable, cells: Bools, below: Floats, above: Floats) -> Sensitive:
    """To be protected so far to either side; downwards no sum need reach below zero."""
    reach = np.where(table.values >= 0, np.minimum(below, table.values), below)
    return Sensitive(cells, np.where(cells, reach, 0.0), np.where(cells, above, 0.0),
                     np.zeros(len(table)))


def by_rules(table: MarginTable, rules: Sequence[Rule]) -> Sensitive:
    """Sensitive by any of the rules."""
    found = Sensitive.none(table)
    for rule in rules:
        found = found.or_else(rule.sensitive(table))
    return found


def _largest(table: MarginTable, number: int, rule: str) -> Floats:
    """The so many largest contributions to each cell, or why they are not known."""
    if table.counts_people:
        raise InputError(f"The {rule} is about sums of money or the like; in a table of people "
                         "each counts as one. Take a threshold.")
    if table.largest is None or table.largest.shape[1] < number:
        raise InputError(f"The {rule} needs the {number} largest contributions to each number, "
                         "which this table does not have.")
    if (table.largest < 0).any():
        raise InputError(f"The {rule} says nothing of contributions below zero. Take a threshold, "
                         "or their amounts without the sign.")
    return np.asarray(table.largest[:, :number])

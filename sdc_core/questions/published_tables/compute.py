"""A yearbook table with what has to be hidden in it, and what somebody who adds up still learns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from sdc_core.data import Dataset
from sdc_core.data.coding import DomainChoice
from sdc_core.errors import InputError
from sdc_core.experiment import Progress
from sdc_core.histogram import Histogram
from sdc_core.margins.attack import (
    NOTHING_NEGATIVE,
    SOMEBODY,
    Intervals,
    Known,
    by_subtraction,
    intervals,
)
from sdc_core.margins.hide import Hiding, hide
from sdc_core.margins.rules import Rule, Sensitive, Threshold
from sdc_core.margins.table import Axis, Bools, Floats, Ints, MarginTable
from sdc_core.words.groups import group_name
from sdc_core.words.numbers import lowered

Method = Literal["best", "heuristic"]
SECONDS = 5.0  # that the search for the least to hide may take
LARGEST = 3  # contributions to each sum that are known to the office


@dataclass(frozen=True, eq=False)
class Published:
    """A table, what is sensitive in it, and what else is hidden; where no choice protects it,
    `why_not` says so and nothing but the sensitive is hidden. `alone` is what an attacker finds
    out if only the sensitive numbers are hidden, `subtracted` what of it takes subtraction alone,
    `beyond` are sensitive numbers that stay known even if all that can be is hidden; `dropped`
    records have an amount below zero, which counts as nothing. With `searched` it was looked for
    whether less would do."""

    table: MarginTable
    sensitive: Sensitive
    alone: Intervals
    subtracted: Bools
    hiding: Hiding | None
    beyond: Bools
    why_not: str = ""
    zeros: bool = False  # are numbers that are 0 small, too?
    dropped: int = 0
    searched: bool = False

    @property
    def rows(self) -> Axis:
        return self.table.axes[0]

    @property
    def columns(self) -> Axis:
        return self.table.axes[1]

    @cached_property
    def hidden(self) -> Bools:
        return self.sensitive.cells if self.hiding is None else self.hiding.hidden

    @cached_property
    def further(self) -> Bools:
        return np.asarray(self.hidden & ~self.sensitive.cells)

    @cached_property
    def told(self) -> Intervals:
        """What an attacker finds out of what is published in the end."""
        return self.alone if self.hiding is None else Intervals(self.hiding.low, self.hiding.high)

    @property
    def whole(self) -> bool:
        return bool((self.table.values == np.rint(self.table.values)).all())

    @cached_property
    def counts(self) -> Bools:
        """The numbers that all shares and errors are about: shown zeros hide nothing."""
        return np.asarray((self.table.values != 0) | self.zeros | self.hidden)

    @cached_property
    def which(self) -> str:
        """What these numbers are called: `numbers above 0`."""
        if self.zeros:
            return "numbers"
        return f"numbers above 0{'' if self.table.values[self.hidden].all() else ' or hidden'}"

    @cached_property
    def shown(self) -> Bools:
        """Numbers that are not 0 and can be read."""
        return np.asarray(~self.hidden & (self.table.values != 0))

    @property
    def looked_for_less(self) -> bool:
        """Is more known about the least than that what says too much has to be hidden?"""
        size = np.abs(self.table.values)
        smallest = size[size > 0].min(initial=np.inf)
        says = np.where(size > 0, size, smallest)[self.sensitive.cells].sum()
        return self.hiding is not None and self.hiding.bound > says * (1 + 1e-6)

    def share_hidden(self, among: Bools | None = None) -> float:
        counted = self.counts if among is None else self.counts & among
        return float(self.hidden[counted].mean()) if counted.any() else 0.0

    def undone(self, told: Intervals) -> tuple[int, int, int]:
        """Of the sensitive numbers: known exactly, known too closely, safe."""
        cells = self.sensitive.cells
        exact = cells & exactly(told, self.table.values)
        safe = cells & ~exact & self.sensitive.protects(self.table.values, *told)
        found = int(exact.sum()), int(safe.sum())
        return found[0], int(cells.sum()) - sum(found), found[1]

    @cached_property
    def middle(self) -> Floats:
        """What a reader takes a number for: itself, or the middle of what it can be. That is not
        a number where nothing limits it from above."""
        middle = (self.told.low + self.told.high) / 2
        middle[np.isinf(middle)] = np.nan
        return np.where(self.hidden, middle, self.table.values)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What is hidden of whom, in the order of the table."""
        return tuple(self._group(code) for code in self.rows.parts.get(0, ()))

    def _group(self, code: int) -> Group:
        shape = self.table.shape
        mine = np.zeros(shape, dtype=np.bool_)
        mine[[code, *self.rows.parts.get(code, ())]] = True
        cells, inner = mine.ravel(), mine.ravel() & ~self.table.is_total
        people = self.table.values
        lost = float(people[inner & self.hidden].sum())
        counted = cells & self.counts
        return Group(
            self.rows.labels[code], int(counted.sum()),
            int((counted & self.sensitive.cells).sum()), int((counted & self.further).sum()),
            float(people[inner].sum()), lost, not self.hidden[code * shape[1]],
            bool((cells & ~self.hidden & (people == 0)).any()))


@dataclass(frozen=True)
class Group:
    """How many numbers a group has (shown zeros aside), how many of them are hidden as sensitive
    or beyond; and how many people (or how much of the sum) stand in its inner numbers, and in the
    hidden ones of those, which can be told only where its total is shown."""

    name: str
    numbers: int
    sensitive: int
    further: int
    amount: float
    hidden_amount: float
    total_shown: bool
    zeros_shown: bool

    @property
    def share_of_people(self) -> float:
        """In hidden inner numbers; not a number where that would give the total away."""
        if not self.total_shown:
            return math.nan
        return self.hidden_amount / self.amount if self.amount else 0.0

    @property
    def share(self) -> float:
        return (self.sensitive + self.further) / self.numbers if self.numbers else 0.0


def exactly(told: Intervals, values: Floats) -> Bools:
    """Which numbers can be only one?"""
    return np.asarray(told.high - told.low <= 1e-6 * np.maximum(1.0, np.abs(values)))


def row_axis(table: Histogram) -> Axis:
    """The groups of the second feature, each with its parts by the third."""
    _, first, second = table.domain.features
    codes, labels, parents = ["total"], ["Total"], [-1]
    for i, name in enumerate(first.labels):
        above = len(codes)
        codes.append(str(i))
        labels.append(name)
        parents.append(0)
        for j, part in enumerate(second.labels):
            codes.append(f"{i}.{j}")
            labels.append(group_name([name, part]))
            parents.append(above)
    title = f"{first.title} and {lowered(second.title)}"
    return Axis("rows", title, tuple(codes), tuple(labels), tuple(parents))


def leaf_names(table: Histogram) -> tuple[str, ...]:
    """What a row is called below its group."""
    return table.domain.features[2].labels


def of_people(table: Histogram) -> MarginTable:
    across = table.domain.features[0]
    inner = table.counts.reshape(len(across), -1).T.ravel()
    return MarginTable.of_leaves((row_axis(table), Axis.of_feature(across)), inner)


def seconds_for(table: Histogram, k: int, zeros: bool) -> float:
    """About how long it takes to find what has to be hidden: a program for each small number, which
    takes longer in a large table."""
    counts = of_people(table).contributors
    small = (counts < k) & ((counts > 0) | zeros)
    return 3e-5 * len(counts) * float(small.sum())


class Amounts(NamedTuple):
    """Sums, how many amounts below zero count as nothing, and which share of the amounts is cut."""

    table: MarginTable
    dropped: int
    cut: float


def of_amounts(
    table: Histogram, dataset: Dataset, column: str, domain: DomainChoice, most: float = math.inf
) -> Amounts:
    """Sums of a number over the people of each cell, where nobody counts with more than `most`.
    Who has no number contributes nowhere."""
    features, title = table.domain.features, lowered(dataset.column(column).title)
    amounts = dataset.raw.numbers(dataset.column(column))
    there = np.isfinite(amounts)
    if not (amounts[there] > 0).any():
        raise InputError(
            f"No amount of {title} is above 0, so that there is nothing to add up. Choose another "
            "number, or count people.")
    codes = [dataset.coded(f.name, domain)[0].astype(np.int64) for f in features]
    across, first, second = (one[there] for one in codes)
    positions: tuple[Ints, Ints] = (first * len(features[2]) + second, across)
    made = MarginTable.of_sums(
        (row_axis(table), Axis.of_feature(features[0])), positions,
        np.clip(amounts[there], 0.0, most), title, LARGEST)
    return Amounts(made, int((amounts[there] < 0).sum()), float((amounts[there] > most).mean()))


def published(
    counts: Histogram, dataset: Dataset, column: str, domain: DomainChoice, rule: Rule,
    zeros: bool, method: Method, progress: Progress | None = None,
) -> Published:
    """The table as it would be published; `column` names what is added up, people if empty."""
    table, dropped, _ = of_amounts(counts, dataset, column, domain) if column else (
        of_people(counts), 0, 0.0)
    sensitive = rule.sensitive(table)
    if zeros and isinstance(rule, Threshold):
        sensitive = sensitive.or_else(_empty(table, rule))
    hiding, why_not, beyond = None, "", np.zeros(len(table), dtype=np.bool_)
    try:
        hiding = hide(table, sensitive, method=method, seconds=SECONDS, hide_zeros=zeros,
                      progress=progress)
    except InputError as problem:
        why_not, beyond = str(problem), _beyond(table, sensitive)
    known = _as_seen(table, sensitive.cells, zeros) if hiding is None else hiding.known
    return Published(
        table, sensitive, intervals(table, sensitive.cells, known),
        by_subtraction(table, sensitive.cells), hiding, beyond, why_not, zeros, dropped,
        searched=method == "best")


def _as_seen(table: MarginTable, hidden: Bools, zeros: bool) -> Known:
    """Who sees every zero knows that there is somebody behind each hidden number."""
    seen = table.counts_people and not zeros and bool(table.values[hidden].all())
    return SOMEBODY if seen else NOTHING_NEGATIVE


def _beyond(table: MarginTable, sensitive: Sensitive) -> Bools:
    """Which numbers are not safe even in a table of which everything is hidden?"""
    everything = np.ones(len(table), dtype=np.bool_)
    return np.asarray(~sensitive.protects(table.values, *intervals(table, everything)))


def _empty(table: MarginTable, rule: Threshold) -> Sensitive:
    """Nobody is fewer than k people, too, where empty groups are treated like any other. A sum that
    nobody contributes to has to look as if it might be what one contributes on average."""
    cells = table.contributors == 0
    wide = float(rule.k if rule.wide is None else rule.wide) if table.counts_people else (
        abs(float(table.values[0])) / max(1, int(table.contributors[0])))
    zero = np.zeros(len(table))
    return Sensitive(cells, zero, zero.copy(), np.where(cells, wide, 0.0))

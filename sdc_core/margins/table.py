"""A table as offices publish it: inner cells with all totals, over variables with hierarchies.

An axis lists the codes of one variable, its total first; every other code is part of one that
stands before it (a town of its county, the county of the state). A table has a number for every
combination of codes, totals included, so each code that has parts gives one sum for every
combination of the other axes' codes: what a reader, and an attacker, can add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sdc_core.errors import InputError
from sdc_core.hierarchy import Ladder
from sdc_core.histogram import Feature, Histogram

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

MOST_CELLS = 200_000  # with totals
PEOPLE = "people"
_TOTAL = "total"


@dataclass(frozen=True)
class Axis:
    """The codes of one variable; `parents[i]` is where the code stands that code i is part of, -1
    for the first, the total."""

    name: str
    title: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(set(self.codes)) < len(self.codes):
            twice = next(c for c in self.codes if self.codes.count(c) > 1)
            raise InputError(f"{self.title} has the code {twice!r} twice. Give each a name of its "
                             "own.")
        if [i for i, parent in enumerate(self.parents) if not -1 <= parent < i] or (
                [i for i, parent in enumerate(self.parents) if parent < 0] != [0]):
            raise InputError(
                f"{self.title} has no single total that stands first, with every code after the "
                "one it is part of.")
        lonely = next((parts[0] for parts in self.parts.values() if len(parts) == 1), None)
        if lonely is not None:
            raise InputError(
                f"{self.labels[self.parents[lonely]]!r} of {self.title} has one part alone, "
                f"{self.labels[lonely]!r}, which is the same number twice. Leave out one of them.")

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def flat(cls, name: str, title: str, codes: Sequence[str], labels: Sequence[str]) -> Axis:
        """Values that add up to one total; a single value is its own total."""
        if len(codes) == 1:
            return cls(name, title, tuple(codes), tuple(labels), (-1,))
        total = next(t for t in (_TOTAL, "TOTAL", "__total__") if t not in codes)
        return cls(name, title, (total, *codes), ("Total", *labels), (-1, *[0] * len(codes)))

    @classmethod
    def of_feature(cls, feature: Feature, ladder: Ladder | None = None) -> Axis:
        """The values of a feature, grouped as its ladder says; a group of one is the value."""
        flat = cls.flat(feature.name, feature.title, feature.values, feature.labels)
        if ladder is None or len(feature) == 1:
            return flat
        codes, labels, parents = [flat.codes[0]], [flat.labels[0]], [-1]

        def add(held: Ints, level: int, parent: int) -> None:
            """Codes for what is held together, from this level of the ladder down."""
            for group in np.unique(ladder.steps[level, held]):
                inside = held[ladder.steps[level, held] == group]
                if len(inside) == len(held) and level:  # the same group as the one above
                    add(inside, level - 1, parent)
                    continue
                first = int(inside[0])
                if len(inside) == 1:
                    codes.append(feature.values[first])
                    labels.append(feature.labels[first])
                    parents.append(parent)
                    continue
                codes.append(_unlike(f"{feature.values[first]}+{level}", feature.values))
                labels.append(ladder.name(level, first)
                              or f"{feature.labels[first]} to {feature.labels[int(inside[-1])]}")
                parents.append(parent)
                add(inside, level - 1, len(codes) - 1)

        add(np.arange(len(feature)), len(ladder) - 1, 0)
        return cls(feature.name, feature.title, tuple(codes), tuple(labels), tuple(parents))

    @cached_property
    def parts(self) -> dict[int, tuple[int, ...]]:
        """For each code that has parts, where they stand."""
        found: dict[int, list[int]] = {}
        for code, parent in enumerate(self.parents[1:], start=1):
            found.setdefault(parent, []).append(code)
        return {code: tuple(parts) for code, parts in sorted(found.items())}

    @cached_property
    def leaves(self) -> Ints:
        """Where the codes without parts stand, in their order."""
        return np.array([i for i in range(len(self)) if i not in self.parts], dtype=np.int64)

    @cached_property
    def depths(self) -> Ints:
        """How far below the total each code stands."""
        depths = [0] * len(self)
        for code in range(1, len(self)):
            depths[code] = depths[self.parents[code]] + 1
        return np.array(depths, dtype=np.int64)

    @cached_property
    def above(self) -> Ints:
        """For each depth (rows) the code of that depth that each leaf (columns) is part of; the
        leaf itself where it stands higher."""
        rows = [self.leaves]
        while (rows[0] > 0).any():
            step = rows[0].copy()
            deepest = self.depths[step] == self.depths[step].max()
            step[deepest] = np.array(self.parents)[step[deepest]]
            rows.insert(0, step)
        return np.stack(rows)

    @cached_property
    def holds(self) -> Bools:
        """Which leaves (columns) belong to each code (rows)?"""
        found = np.zeros((len(self), len(self.leaves)), dtype=np.bool_)
        found[self.above, np.arange(len(self.leaves))] = True
        return found


def _unlike(code: str, taken: Iterable[str]) -> str:
    while code in taken:
        code += "+"
    return code


@dataclass(frozen=True, eq=False)
class MarginTable:
    """Numbers for all combinations of the axes' codes, totals included, in row-major order.

    `contributors` are the people (or firms) in each cell. `largest` are the largest contributions
    to it, one column each, largest first, where a rule asks for them; in a table of people it is
    not needed, since each counts as one.
    """

    axes: tuple[Axis, ...]
    values: Floats
    contributors: Ints
    largest: Floats | None = None
    what: str = PEOPLE

    def __post_init__(self) -> None:
        if self.values.shape != (math.prod(self.shape),):
            raise InputError(f"The table needs {math.prod(self.shape):,} numbers, one for every "
                             f"combination, got {self.values.size:,}.")
        if not np.isfinite(self.values).all():
            missing = int(np.argmin(np.isfinite(self.values)))
            raise InputError(f"{self.name(missing)} has no number.")
        self._check_sums()
        for array in (self.values, self.contributors, self.largest):
            if array is not None:
                array.setflags(write=False)

    def _check_sums(self) -> None:
        """The first total that is not the sum of its parts, in a sentence."""
        off = self.sums @ self.values
        size = np.abs(self.sums) @ np.abs(self.values)
        wrong = np.flatnonzero(np.abs(off) > 1e-9 * size + 1e-6)
        if len(wrong):
            start, end = self.sums.indptr[wrong[0] : wrong[0] + 2]
            cells, signs = self.sums.indices[start:end], self.sums.data[start:end]
            total = int(cells[signs > 0][0])
            parts = float(self.values[cells[signs < 0]].sum())
            raise InputError(
                f"The table does not add up: {self.name(total)} is {self.values[total]:,.12g}, its "
                f"parts are {parts:,.12g} together. {len(wrong):,} of {len(off):,} totals are off.")

    @classmethod
    def of_counts(
        cls, histogram: Histogram, ladders: Mapping[str, Ladder] | None = None
    ) -> MarginTable:
        """The people of a table of counts, with all totals."""
        axes = tuple(Axis.of_feature(f, (ladders or {}).get(f.name))
                     for f in histogram.domain.features)
        counts = with_totals(axes, histogram.counts.astype(np.float64))
        return cls(axes, counts, counts.astype(np.int64))

    @classmethod
    def of_leaves(
        cls, axes: Sequence[Axis], values: Iterable[float],
        contributors: Iterable[int] | None = None, what: str = PEOPLE,
    ) -> MarginTable:
        """A table from its inner cells: totals are added up. Who contributes is, unless it is said,
        as many as the number itself, as in a table of people."""
        axes = tuple(axes)
        found = with_totals(axes, np.asarray(values, dtype=np.float64))
        people = found if contributors is None else with_totals(
            axes, np.asarray(contributors, dtype=np.float64))
        return cls(axes, found, np.rint(people).astype(np.int64), None, what)

    @classmethod
    def of_sums(
        cls, axes: Sequence[Axis], positions: Sequence[Ints], amounts: Floats, what: str,
        most: int = 3,
    ) -> MarginTable:
        """Sums of what each record contributes, and the `most` largest contributions to each cell.
        `positions[a]` is each record's place among the leaves of axis a."""
        axes = tuple(axes)
        shape = tuple(len(a) for a in axes)
        _check_size(shape)
        cells = math.prod(shape)
        values, contributors = np.zeros(cells), np.zeros(cells, dtype=np.int64)
        largest = np.zeros((cells, most))
        order = np.argsort(-amounts, kind="stable")
        amounts = amounts[order]
        placed = [np.asarray(p)[order] for p in positions]
        for depth in np.ndindex(*(len(a.above) for a in axes)):
            index = np.ravel_multi_index(
                [a.above[d][p] for a, d, p in zip(axes, depth, placed, strict=True)], shape)
            values_here = np.bincount(index, amounts, minlength=cells)
            number = np.bincount(index, minlength=cells)
            there = number > 0
            values[there], contributors[there] = values_here[there], number[there]
            by_cell = np.argsort(index, kind="stable")  # within a cell still the largest first
            rank = np.arange(len(index)) - (np.cumsum(number) - number)[index[by_cell]]
            top = rank < most
            largest[index[by_cell][top], rank[top]] = amounts[by_cell][top]
        return cls(axes, values, contributors, largest, what)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis) for axis in self.axes)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def counts_people(self) -> bool:
        return self.what == PEOPLE

    @cached_property
    def sums(self) -> csr_array:
        """One row for each total and its parts, which is zero: +1 at the total, -1 at each part."""
        _check_size(self.shape)
        numbers = np.arange(math.prod(self.shape)).reshape(self.shape)
        rows, cells, signs, start = [], [], [], 0
        for axis, codes in enumerate(self.axes):
            for total, parts in codes.parts.items():
                group = np.take(numbers, (total, *parts), axis=axis)
                group = np.moveaxis(group, axis, -1).reshape(-1, 1 + len(parts))
                rows.append(np.repeat(np.arange(start, start + len(group)), group.shape[1]))
                cells.append(group.ravel())
                signs.append(np.tile(np.r_[1.0, -np.ones(len(parts))], len(group)))
                start += len(group)
        size = (start, numbers.size)
        if not rows:
            return csr_array(size)
        built = coo_array(
            (np.concatenate(signs), (np.concatenate(rows), np.concatenate(cells))), shape=size)
        return built.tocsr()

    @cached_property
    def inner(self) -> Ints:
        """Which cells are no totals, in row-major order: as `Histogram.counts`."""
        numbers = np.arange(len(self)).reshape(self.shape)
        return numbers[np.ix_(*(a.leaves for a in self.axes))].ravel()

    @cached_property
    def is_total(self) -> Bools:
        found = np.ones(len(self), dtype=np.bool_)
        found[self.inner] = False
        return found

    def codes(self, cell: int) -> tuple[str, ...]:
        places = np.unravel_index(cell, self.shape)
        return tuple(a.codes[int(p)] for a, p in zip(self.axes, places, strict=True))

    def name(self, cell: int) -> str:
        """In words: `Salem, renting`; totals are left out, except where there is nothing else."""
        places = [int(p) for p in np.unravel_index(cell, self.shape)]
        said = [a.labels[p] for a, p in zip(self.axes, places, strict=True) if p or len(a) == 1]
        return ", ".join(said) or "the total"

    def replace_values(self, values: Floats) -> MarginTable:
        """The same table with other numbers that add up."""
        return MarginTable(self.axes, values, self.contributors, self.largest, self.what)

    def frame(self, columns: Mapping[str, Sequence[object]] | None = None) -> pd.DataFrame:
        """One row a cell: its codes in words, its number, and whatever else stands beside it."""
        places = np.unravel_index(np.arange(len(self)), self.shape)
        words = {a.title: [a.labels[int(p)] for p in place]
                 for a, place in zip(self.axes, places, strict=True)}
        return pd.DataFrame({**words, self.what: self.values, **(columns or {})})


def with_totals(axes: Sequence[Axis], inner: Floats) -> Floats:
    """All numbers of a table whose inner cells are given; any number of tables, one a row, at
    once."""
    shape = tuple(len(a) for a in axes)
    _check_size(shape)
    leaves = tuple(len(a.leaves) for a in axes)
    if inner.shape[-1] != math.prod(leaves):
        raise InputError(f"The table has {math.prod(leaves):,} inner cells, got "
                         f"{inner.shape[-1]:,} numbers for them.")
    found = inner.reshape(-1, *leaves)
    for place, axis in enumerate(axes, start=1):
        added = np.tensordot(axis.holds.astype(np.float64), found, (1, place))
        found = np.moveaxis(added, 0, place)
    return np.asarray(found.reshape(*inner.shape[:-1], math.prod(shape)))


def _check_size(shape: tuple[int, ...]) -> None:
    if math.prod(shape) > MOST_CELLS:
        raise InputError(
            f"With its totals the table has {math.prod(shape):,} numbers; the limit is "
            f"{MOST_CELLS:,}. Leave out a variable, or merge values.")

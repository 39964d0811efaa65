"""Records of numbers and categories as one matrix, and how far apart two of them are.

A row is a record, a column a variable. A number stands as it is, not a number (NaN) where it is
missing; a category stands as its position in the variable's levels, and what is missing is a level
of its own. Methods for microdata take such records and give such records back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError

Floats = NDArray[np.float64]
Kind = Literal["numeric", "categorical"]

MAX_LEVELS = 1000
MAX_COORDINATES = 400_000_000  # 3.2 GB
_MISSING_LEVEL = "(missing)"


@dataclass(frozen=True)
class Variable:
    """One column: a number, or a category with its levels (codes) and the words for them."""

    name: str
    title: str
    kind: Kind
    levels: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    whole: bool = False  # a number that is always a whole one
    role: str = ""  # what the schema says it is to somebody who wants to find a person

    @property
    def numeric(self) -> bool:
        return self.kind == "numeric"


@dataclass(frozen=True, eq=False)
class Records:
    """Records in the order of the file. `values[i, j]` is variable j of record i.

    Of a release, `in_places` says whether record i is what became of record i of the original;
    records that were drawn anew belong to nobody.
    """

    variables: tuple[Variable, ...]
    values: Floats
    in_places: bool = True

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != len(self.variables):
            raise InputError(
                f"{len(self.variables)} variables need a matrix with as many columns, not one of "
                f"shape {self.values.shape}."
            )
        if not self.variables or not len(self.values):
            raise InputError("There are no records: at least one column and one row are needed.")
        for variable, column in zip(self.variables, self.values.T, strict=True):
            _check(variable, column)
        self.values.setflags(write=False)

    @classmethod
    def of(cls, data: pd.DataFrame | NDArray[np.generic], names: Sequence[str] = ()) -> Records:
        """From a DataFrame (columns of numbers are numbers, all others categories) or from a matrix
        of numbers."""
        if isinstance(data, pd.DataFrame):
            found = [_column(str(name), data[name]) for name in data.columns]
            if not found:
                raise InputError("There are no records: the table has no columns.")
            return cls(tuple(v for v, _ in found), np.column_stack([c for _, c in found]))
        matrix = np.array(data, dtype=np.float64)
        if matrix.ndim != 2:
            raise InputError(f"Records are a matrix with two axes; this one has {matrix.ndim}.")
        called = [*names] or [f"x{j + 1}" for j in range(matrix.shape[1])]
        return cls(tuple(Variable(n, n, "numeric") for n in called), matrix)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    @cached_property
    def numeric_axes(self) -> tuple[int, ...]:
        return tuple(j for j, v in enumerate(self.variables) if v.numeric)

    def axes(self, names: Iterable[str], role: str = "variables") -> tuple[int, ...]:
        """Positions of these variables; `role` (a parameter's name) goes into the error."""
        wanted = [*names]
        for name in wanted:
            if name not in self.names:
                raise InputError(
                    f"{role} names {name!r}, which the records do not have. They have: "
                    f"{', '.join(self.names)}."
                )
        return tuple(self.names.index(name) for name in wanted)

    def column(self, name: str) -> Floats:
        return self.values[:, self.axes([name])[0]]

    def with_values(self, values: Floats) -> Records:
        """The same variables with other values, and perhaps another number of records."""
        return dataclasses.replace(self, values=values)

    def select(self, names: Iterable[str]) -> Records:
        """Some of the variables, in the order asked for."""
        axes = self.axes(names)
        return Records(tuple(self.variables[j] for j in axes), self.values[:, axes])

    def rows(self, which: NDArray[np.generic]) -> Records:
        """Some of the records."""
        return self.with_values(self.values[which])

    def frame(self, labels: bool = False) -> pd.DataFrame:
        """One row a record: numbers, and codes (or words) for categories."""
        return pd.DataFrame({
            v.name: column if v.numeric else np.asarray(
                v.labels if labels and v.labels else v.levels, dtype=object)[column.astype(np.intp)]
            for v, column in zip(self.variables, self.values.T, strict=True)
        })


@dataclass(frozen=True, eq=False)
class Scale:
    """How records become points: read off one set of records, so that others (a release of it) can
    be measured on the same scale.

    A category has a coordinate for each of its levels, 1 for its own and 0 for all others: two that
    differ are √2 apart. A number goes to [0, 1], its least value to 0 and its largest to 1. Where a
    number may be missing, that is a category, too: a missing one stands at the middle of the range
    and is at least √2 from every number. Variables that are the same for all records have no
    coordinate.
    """

    variables: tuple[Variable, ...]
    low: Floats  # least number of each variable (categories: 0)
    span: Floats  # largest less least (categories: number of levels); 0 where nothing varies
    missing: NDArray[np.bool_]  # is there a record without this number?

    @classmethod
    def of(cls, records: Records) -> Scale:
        low, span, missing = [], [], []
        for variable, column in zip(records.variables, records.values.T, strict=True):
            none = np.isnan(column)
            least, most = float(np.nanmin(column)), float(np.nanmax(column))
            varies = most > least
            low.append(least if variable.numeric else 0.0)
            width = most - least if variable.numeric else float(len(variable.levels))
            span.append(width if varies else 0.0)
            missing.append(bool(none.any()))
        return cls(records.variables, np.array(low), np.array(span), np.array(missing))

    @property
    def constant(self) -> tuple[str, ...]:
        """Variables that say nothing about distance: the same number or category for everybody."""
        return tuple(
            v.name for v, span, none in zip(self.variables, self.span, self.missing, strict=True)
            if span == 0 and not none)

    def points(self, records: Records) -> Floats:
        """One point a record; the distance between two is their Euclidean distance."""
        if records.variables != self.variables:
            raise InputError("These records have other variables than those that set the scale.")
        width = sum(
            (1 if v.numeric else len(v.levels)) + 2 * bool(none) for v, none in
            zip(self.variables, self.missing, strict=True))
        if width * len(records) > MAX_COORDINATES:
            raise InputError(
                f"{len(records):,} records with {width:,} coordinates each (one for every level of "
                f"a category) are more than {MAX_COORDINATES:,}. Leave out the variable with most "
                "levels."
            )
        blocks = [
            block for j, variable in enumerate(self.variables)
            for block in self._coordinates(j, variable, records.values[:, j])
        ]
        if not blocks:
            raise InputError(
                "All records are the same in every variable, so there is no distance between them."
            )
        return np.concatenate(blocks, axis=1)

    def _coordinates(self, j: int, variable: Variable, column: Floats) -> list[Floats]:
        if not variable.numeric:
            return [_one_hot(column.astype(np.intp), len(variable.levels))] if self.span[j] else []
        none = np.isnan(column)
        found = []
        if self.span[j]:
            scaled = (column - self.low[j]) / self.span[j]
            found.append(np.where(none, 0.5, scaled)[:, None])
        if self.missing[j]:
            found.append(_one_hot(none.astype(np.intp), 2))
        return found


def _one_hot(codes: NDArray[np.intp], levels: int) -> Floats:
    out = np.zeros((len(codes), levels))
    out[np.arange(len(codes)), codes] = 1.0
    return out


def _check(variable: Variable, column: Floats) -> None:
    if variable.numeric:
        if np.isinf(column).any():
            raise InputError(f"{variable.name} holds a number that is not finite.")
        if np.isnan(column).all():
            raise InputError(f"{variable.name} has no numbers in it. Leave it out.")
        return
    if len(variable.levels) > MAX_LEVELS:
        raise InputError(
            f"{variable.name} has {len(variable.levels):,} different values; a category may have "
            f"{MAX_LEVELS:,}. Leave it out, or merge values."
        )
    whole = column == np.rint(column)
    if not (whole & (column >= 0) & (column < len(variable.levels))).all():
        raise InputError(f"{variable.name} holds a code that is none of its levels.")


def _column(name: str, series: pd.Series) -> tuple[Variable, Floats]:
    if pd.api.types.is_numeric_dtype(series) and not pd.api.types.is_bool_dtype(series):
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        known = numbers[~np.isnan(numbers)]
        return Variable(name, name, "numeric", whole=bool((known == np.rint(known)).all())), numbers
    codes, levels = pd.factorize(series, sort=True)
    texts = [str(level) for level in levels]
    if (codes < 0).any():
        texts.append(_MISSING_LEVEL)
        codes = np.where(codes < 0, len(levels), codes)
    return Variable(name, name, "categorical", tuple(texts), tuple(texts)), codes.astype(np.float64)

"""Columns of a data set as records of numbers and categories, as the schema reads them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sdc_core.data.dataset import Dataset
from sdc_core.data.schema import Column, Role, Type
from sdc_core.errors import InputError
from sdc_core.records import Floats, Records, Variable


def microdata(data: Dataset, names: Iterable[str] = ()) -> Records:
    """Records of these columns, by themselves of all that can be measured: numbers as numbers
    (dates as days), codes as categories. Weights are no answers of anybody and are left out."""
    wanted = tuple(names) or measurable(data)
    if not wanted:
        raise InputError(f"{data.title} has no column of numbers or codes.")
    if len(set(wanted)) < len(wanted):
        raise InputError(f"A column is named twice: {', '.join(wanted)}.")
    found = [_read(data, data.column(name)) for name in wanted]
    return Records(tuple(v for v, _ in found), np.column_stack([column for _, column in found]))


def measurable(data: Dataset) -> tuple[str, ...]:
    """Columns with numbers or categories, in the order of the file."""
    return tuple(n for n in data.features if data.column(n).role is not Role.WEIGHT)


def _read(data: Dataset, column: Column) -> tuple[Variable, Floats]:
    if column.kind == "numeric":
        numbers = data.raw.numbers(column)
        return Variable(
            column.name, column.title, "numeric", whole=column.type is not Type.NUMBER,
            role=column.role,
        ), numbers
    codes, feature = data.coded(column.name, "observed")
    return Variable(
        column.name, column.title, "categorical", feature.values, feature.labels, role=column.role,
    ), codes.astype(np.float64)

"""Somebody's table as a data set: the columns as declared, as a dictionary says, or as it seems."""

from __future__ import annotations

import functools

import pandas as pd
import pyarrow as pa

from sdc_core.data.dataset import Dataset
from sdc_core.data.described import Dictionary
from sdc_core.data.inference import inferred, usual_features
from sdc_core.data.raw import Raw, moment_text, number_text
from sdc_core.data.readers import Reading, check_header
from sdc_core.data.schema import Schema
from sdc_core.errors import InputError


def read_own_data(
    table: pa.Table | pd.DataFrame, name: str, schema: Schema | Dictionary | None = None,
    file_sha256: str = "", reading: Reading | None = None, dictionary: Dictionary | None = None,
) -> Dataset:
    """A user's table as a data set, with what its columns mean as declared, else as it seems;
    `dictionary` is what the file itself says about them."""
    if isinstance(table, pd.DataFrame):
        table = _from_frame(table, name)
    if table.num_rows == 0 or table.num_columns == 0:
        raise InputError(f"{name} has no rows. A table needs a header line and some rows.")
    check_header(table.column_names, name)
    raw = Raw(table)
    propose = functools.cache(functools.partial(fitted, raw, dictionary, name))
    known = propose() if schema is None else fitted(raw, schema, name)
    found = Dataset(
        "own", name, "own", name, raw, known, usual_features(raw, known), file_sha256, reading,
        propose=propose,
    )
    if not found.features:
        first = found.columns[0]
        raise InputError(
            f"{name}: there is nothing to count by; column {first.name!r}, for one: "
            f"{first.note or f'its role is {first.role}'}."
        )
    return found


def fitted(raw: Raw, said: Schema | Dictionary | None, name: str) -> Schema:
    """The schema of this file: the one given, or a proposal with the words of a dictionary."""
    if isinstance(said, Schema):
        return said.for_columns(raw.names, name)
    return inferred(raw, said.about(raw.names, name) if said else {})


def _from_frame(frame: pd.DataFrame, name: str) -> pa.Table:
    """A DataFrame's columns; what holds different kinds of values is written as text."""
    columns = {}
    check_header([str(c) for c in frame.columns], name)
    for column in frame.columns:
        values = frame[column]
        if values.dtype == object:
            plain = [v for v in values if v is not None and v is not pd.NA and v == v]
            if any(isinstance(v, (list, dict, set, tuple, bytes)) or not _hashable(v)
                   for v in plain):
                raise InputError(
                    f"{name}: column {str(column)!r} holds lists or the like, not plain values. "
                    "Leave it out."
                )
            values = values.map(_as_text)
        try:
            columns[str(column)] = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            columns[str(column)] = pa.array(
                [_as_text(v) for v in values], pa.string())
    return pa.table(columns)


def _as_text(value: object) -> str | None:
    """A value among others of another kind, written as in a column of its own kind."""
    if value is None or value is pd.NA or value != value:
        return None
    return number_text(value) if isinstance(value, float) else moment_text(value)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True

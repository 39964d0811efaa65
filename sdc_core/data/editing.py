"""A schema as one table, and changes to it as its owner makes them, cell by cell.

A change that cannot be made is one sentence, and nothing has changed. What was read one way, then
another, and then the first way again is what it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdc_core.data.coding import natural, round_edges
from sdc_core.data.column_types import decimal_sign, usual_decimal
from sdc_core.data.dataset import Dataset
from sdc_core.data.inference import with_proposed_edges
from sdc_core.data.raw import as_texts
from sdc_core.data.schema import MAX_LEVELS, MISSING, Column, Schema, Type, parts, quoted, shortened

DOMAIN, MISSING_CODES, DIFFERENT = "values or bin edges", "missing codes", "different values"
EDITABLE = ("title", "role", "type", DOMAIN, MISSING_CODES, "declared", "note")
_LONGEST_CELL = 20_000  # letters; a longer list is better edited in the schema's file
_READING = ("values", "edges", "bins", "may_be_missing", "declared", "decimal")


def described(data: Dataset) -> pd.DataFrame:
    """What each column means, one row a column."""
    rows = []
    for column in data.columns:
        different, common = _seen(data, column)
        rows.append({
            "column": column.name, "title": column.title, "role": str(column.role),
            "type": str(column.type), DOMAIN: domain_text(data, column),
            MISSING_CODES: ", ".join(map(quoted, column.missing)),
            "declared": column.has_domain, DIFFERENT: different,
            "example": shortened(common), "note": column.note,
        })
    return pd.DataFrame(rows)


def _seen(data: Dataset, column: Column) -> tuple[int, str]:
    """How many different values there are, and the most common one; of numbers that were numbers in
    the file already the first one, since writing millions of them as text takes long."""
    raw, name = data.raw, column.name
    if not column.missing and raw.is_numeric(name) and raw.count(name) > MAX_LEVELS:
        first = raw.table.column(name).drop_null()[:1].combine_chunks()
        return raw.count(name), as_texts(first)[0].as_py()
    found = raw.distinct(name).without(column.missing)
    counts = found.counts()
    return len(counts), found.texts[int(np.argmax(counts))].as_py() if counts.size else ""


def domain_text(data: Dataset, column: Column) -> str:
    """The values or edges that are declared, else those that a table has, as one writes them;
    empty where the column cannot be counted by."""
    if column.kind == "identifier":
        return ""
    text = column.declaration or declared_as_seen(data, column).declaration
    return text if len(text) <= _LONGEST_CELL else f"{len(_in_use(data, column)):,} values"


def undeclared(data: Dataset, column: Column) -> list[str]:
    """Values that occur although a declaration does not know them."""
    if not column.has_domain or column.kind == "identifier":
        return []
    if column.is_number:
        gaps = not column.may_be_missing and not np.isfinite(data.raw.numbers(column)).all()
        return [MISSING] if gaps else []
    found = data.raw.distinct(column.name).without(column.missing)
    gaps = not column.may_be_missing and bool((found.codes < 0).any())
    others = sorted(set(found.texts.to_pylist()) - set(column.values), key=natural)
    return [*others, *[MISSING] * gaps]


def _in_use(data: Dataset, column: Column) -> dict[str, str]:
    """Codes and their labels: those that are named, then those that occur besides; none where they
    are too many to be groups."""
    texts = data.raw.distinct(column.name).without(column.missing).texts
    if len(texts) > MAX_LEVELS + len(column.values):
        return {}
    others = sorted(set(texts.to_pylist()) - set(column.values), key=natural)
    return {**column.values, **{v: shortened(v) for v in others}}


def declared_as_seen(data: Dataset, column: Column) -> Column:
    """With the values or edges that a table has now, declared; as it is where that cannot be."""
    if column.kind == "identifier":
        return column
    if column.is_number:
        numbers = data.raw.numbers(column)
        there = numbers[np.isfinite(numbers)]
        edges = column.edges or tuple(float(e) for e in round_edges(there, column))
        missing = len(there) < len(numbers)
        return dataclasses.replace(
            column, edges=edges, declared=True, may_be_missing=column.may_be_missing or missing)
    values = _in_use(data, column)
    if not values or len(values) > MAX_LEVELS:
        return column
    missing = bool((data.raw.distinct(column.name).without(column.missing).codes < 0).any())
    return dataclasses.replace(
        column, values=values, declared=True, may_be_missing=column.may_be_missing or missing)


def all_declared(data: Dataset) -> Schema:
    """The whole schema with what is seen as what may be."""
    return data.schema.with_columns(declared_as_seen(data, column) for column in data.columns)


def edited(
    data: Dataset, name: str, cells: Mapping[str, Any], past: Sequence[Schema] = ()
) -> Schema:
    """The schema after some cells of a column's row have changed. `past` are earlier schemas, the
    newest last: a type that it had before brings back how it was read then."""
    column = data.column(name)
    shown = {key: "" if value is None else value for key, value in cells.items()}
    if "title" in shown:
        column = dataclasses.replace(column, title=str(shown["title"]).strip() or name)
    if "note" in shown:
        column = dataclasses.replace(column, note=str(shown["note"]).strip())
    if MISSING_CODES in shown:
        codes, _ = parts(str(shown[MISSING_CODES]))
        column = dataclasses.replace(column, missing=tuple(dict.fromkeys(codes)))
    if "role" in shown:
        column = dataclasses.replace(column, role=shown["role"])  # type: ignore[arg-type]
    if "type" in shown:
        column = _read_as(data, column, shown["type"], past)
    if not column.has_domain:
        column = _proposed(data, column)
    if DOMAIN in shown:
        column = _with_domain(data, column, str(shown[DOMAIN]))
    if "declared" in shown:
        column = declared_as_seen(data, column) if shown["declared"] else dataclasses.replace(
            column, declared=False)
    return data.with_columns([column]).schema


def _read_as(data: Dataset, column: Column, wanted: str, past: Sequence[Schema]) -> Column:
    """The column with another type: as it was when it last had it, else as is proposed."""
    new = dataclasses.replace(column, type=wanted)  # type: ignore[arg-type]  # checked there
    if new.type is column.type:
        return column
    guess = data.proposed.column(column.name)
    if guess is not None and column.note == guess.note:
        new = dataclasses.replace(new, note="")  # it said why the column was read as it was
    for earlier in (schema.column(column.name) for schema in reversed(past)):
        if earlier and earlier.type is new.type and earlier.missing == new.missing:
            reading = {field: getattr(earlier, field) for field in _READING}
            return dataclasses.replace(new, note=new.note or earlier.note, **reading)
    texts = data.raw.distinct(column.name).without(new.missing).texts
    sign = decimal_sign(texts, usual_decimal(data.raw)) if new.type is not Type.DATE else ""
    return _proposed(data, dataclasses.replace(
        new, values={}, edges=(), declared=False, may_be_missing=False,
        decimal=sign or column.decimal,
    ))


def _proposed(data: Dataset, column: Column) -> Column:
    """A number without declared edges gets those that are proposed."""
    return with_proposed_edges(data.raw, column)


def _with_domain(data: Dataset, column: Column, text: str) -> Column:
    """These values or edges, or, where there are none, as seen; labels stay."""
    if text.strip() == domain_text(data, column):
        return column
    if parts(text)[0]:
        return column.redeclared(text)
    seen = {} if column.is_number else _in_use(data, dataclasses.replace(column, values={}))
    labels = {v: column.values.get(v, label) for v, label in seen.items()}
    kept = labels if column.values else {}
    return _proposed(data, dataclasses.replace(
        column, values=kept, edges=(), declared=False, may_be_missing=False))


def labels_of(data: Dataset, name: str) -> dict[str, str]:
    """The words for each code of a column, and for what is missing."""
    column = declared_as_seen(data, data.column(name))
    named = {v: label or v for v, label in column.values.items()}
    return {**named, MISSING: column.missing_label} if column.may_be_missing else named


def relabelled(data: Dataset, name: str, labels: Mapping[str, str]) -> Schema:
    """The schema with other words for some codes of a column; without words a code is its own."""
    column = data.column(name)
    values = {
        v: shortened(labels.get(v, label).strip() or v)
        for v, label in _in_use(data, column).items()
    }
    missing = labels.get(MISSING, column.missing_label).strip() or "missing"
    return data.with_columns([
        dataclasses.replace(column, values=values, missing_label=missing)]).schema


def labelled_columns(columns: Iterable[Column]) -> tuple[str, ...]:
    """The columns whose codes can have words."""
    return tuple(c.name for c in columns if c.kind == "categorical")

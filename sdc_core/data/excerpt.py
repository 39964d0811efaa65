"""The census excerpts' format: known by its columns, whatever the year.

Two columns are derived from others, as the papers do: income of $50,000 or more ('N' counts as no),
and age in five groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc_core.data.dictionary import AGES, COLUMNS, NOT_APPLICABLE, PLACES
from sdc_core.data.raw import Raw
from sdc_core.data.schema import Column, Schema

_DERIVED = ("INCOME_50K", "AGE_BIN")
_ALWAYS = ("PUMA", "RAC1P", "SEX", "AGEP", "PINCP")  # without them it is something else
_STATES = ("25", "48")  # excerpts of one state; the third one is of all others


def is_excerpt(names: Sequence[str]) -> bool:
    """Are these the columns of an excerpt?"""
    return all(name in COLUMNS for name in names) and all(name in names for name in _ALWAYS)


def derived_among(names: Sequence[str]) -> tuple[str, ...]:
    """Which of an excerpt's columns are derived; none where the columns are not an excerpt's."""
    return tuple(n for n in _DERIVED if n in names) if is_excerpt(names) else ()


def with_derived(table: pa.Table) -> pa.Table:
    """The table with the derived columns at its end, where they are not in it."""
    raw = Raw(table)
    income = raw.numbers(_column("PINCP", ()))
    age = raw.numbers(_column("AGEP", ()))
    new = {
        "INCOME_50K": np.where(income >= 50_000, "1", "0"),
        "AGE_BIN": np.searchsorted(AGES, age, side="right").astype(str),
    }
    for name in _DERIVED:
        if name not in table.column_names:
            table = table.append_column(name, pa.array(new[name], pa.string()))
    return table


def excerpt_schema(table: pa.Table) -> Schema:
    """The schema of an excerpt of any year: of the places that are together in one excerpt, those
    of which it holds any."""
    here = {part_of(code) for code in pc.unique(table.column("PUMA").cast(pa.string())).to_pylist()
            if code in PLACES}
    return described_columns(
        [*table.column_names, *(n for n in _DERIVED if n not in table.column_names)],
        [code for code in PLACES if part_of(code) in here],
    )


def part_of(place: str) -> str:
    """The excerpt that a place belongs to: its state, or the rest of the nation."""
    state = place.split("-")[0]
    return state if state in _STATES else ""


def described_columns(names: Iterable[str], places: Iterable[str]) -> Schema:
    """Columns of an excerpt, with the words of the dictionary."""
    return Schema(tuple(_column(name, places) for name in names))


def _column(name: str, places: Iterable[str]) -> Column:
    words = COLUMNS[name]
    values = dict(words.values)
    if name == "PUMA":
        here = set(places)
        values = {code: text for code, text in values.items() if code in here}
    return Column(
        name, words.title, words.role, words.type, values, words.edges,
        missing=() if NOT_APPLICABLE in values else ("", NOT_APPLICABLE),
        missing_label=words.not_applicable, may_be_missing=words.may_be_missing, unit=words.unit,
        note=words.note,
    )

"""What a database groups by for a column: the column itself, or the bin of a number.

A code is grouped by as it stands; which text it is, and which value of the domain, is decided here
in Python as for any file, on the different values alone. A number is cut into its bins in the
database, since its different values may be as many as there are records; the bin is written as one
number that lies in it, so that from there on it is read like any other number.
"""

from __future__ import annotations

import datetime
import math

import pyarrow as pa

from sdc_core.data.raw import Raw
from sdc_core.data.schema import Column, Type
from sdc_core.engines.statements import name, text
from sdc_core.errors import InputError

_EPOCH = datetime.date(1970, 1, 1)


def key_of(column: Column, raw: Raw) -> str:
    """The expression to group by; `raw` knows the types of the columns."""
    if not column.is_number:
        return name(column.name)
    if not column.edges:
        raise InputError(f"{column.name} has no edges between bins. Declare some in the schema.")
    value = _value(column, raw)
    literal = _day if column.type is Type.DATE else _number
    cases = [f"WHEN {_is_missing(column, raw, value)} THEN NULL"]
    inside = [column.edges[0] - 1, *column.edges]  # one number of each bin
    for edge, one in zip(column.edges, inside, strict=False):
        cases.append(f"WHEN {value} < {literal(edge)} THEN {literal(one)}")
    return f"CASE {' '.join(cases)} ELSE {literal(inside[-1])} END"


def oddity_of(column: Column, raw: Raw) -> str:
    """A text that should be a number or a date and is none; nothing where all is well. Empty where
    the database knows the type itself."""
    if not column.is_number or not pa.types.is_string(_kind(column, raw)):
        return ""
    given = name(column.name)
    return (
        f"CASE WHEN {given} IS NULL OR {_among(f'trim({given})', column)} OR "
        f"{_value(column, raw)} IS NOT NULL THEN NULL ELSE {given} END"
    )


def _kind(column: Column, raw: Raw) -> pa.DataType:
    kind = raw.type_of(column.name)
    return pa.string() if pa.types.is_large_string(kind) else kind


def _value(column: Column, raw: Raw) -> str:
    """The number or the day that a record has."""
    given, kind = name(column.name), _kind(column, raw)
    if column.type is Type.DATE:
        if pa.types.is_string(kind):
            return f"TRY_CAST(trim({given}) AS DATE)"
        if not raw.is_moment(column.name):
            raise InputError(f"{column.name} holds no dates that the database knows as such.")
        return f"CAST({given} AS DATE)"
    if pa.types.is_string(kind):
        plain = f"trim({given})" if column.decimal == "." else f"replace(trim({given}), ',', '.')"
        return f"TRY_CAST({plain} AS DOUBLE)"
    if not raw.is_numeric(column.name):
        raise InputError(f"{column.name} cannot be read as a {column.type}: it holds {kind}.")
    return f"CAST({given} AS DOUBLE)"


def _is_missing(column: Column, raw: Raw, value: str) -> str:
    found = [f"{value} IS NULL"]
    if column.type is not Type.DATE:
        most = "1.7976931348623157E308"
        found += [f"isnan({value})", f"{value} > {most}", f"{value} < -{most}"]
        codes = [code for one in column.missing if (code := _code(one)) is not None]
        if codes:
            found.append(f"{value} IN ({', '.join(map(_number, codes))})")
    if pa.types.is_string(_kind(column, raw)) and column.missing:
        found.append(_among(f"trim({name(column.name)})", column))
    return " OR ".join(found)


def _among(value: str, column: Column) -> str:
    known = [one.strip() for one in column.missing]
    return f"{value} IN ({', '.join(map(text, ['', *known]))})"


def _code(one: str) -> float | None:
    try:
        number = float(one)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _number(value: float) -> str:
    return f"CAST({value!r} AS DOUBLE)"


def _day(value: float) -> str:
    return f"DATE '{(_EPOCH + datetime.timedelta(days=int(value))).isoformat()}'"

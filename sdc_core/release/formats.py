"""Rows as CSV or Parquet, and back: the same release gives the same bytes.

CSV is UTF-8 with a byte order mark (else a spreadsheet takes accents for something else), commas
and quotes; what would be a formula is guarded (see `data/export.py`) and unguarded when it is read
here. Parquet needs no guard: nothing in it is run, and text is text.

A row is written once and repeated for all people who look alike: the cost is by the group.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from sdc_core.data.export import guarded, unguarded
from sdc_core.errors import InputError

Format = Literal["csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_BOM = b"\xef\xbb\xbf"
_LINE = "\r\n"
_NEEDS_QUOTES = re.compile(r'[",\r\n]')
_ROWS = 1 << 16  # taken at a time, so that memory stays bounded
_PARQUET_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Text by place: row i holds `texts[places[i]]`."""

    header: str
    texts: Sequence[str]
    places: NDArray[Any]


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """Numbers, with nothing where `missing`."""

    header: str
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None


Columns = Sequence[TextColumn | NumberColumn]


def format_of(name: str) -> Format:
    """CSV or Parquet, as the file's name ends."""
    for known in FORMATS:
        if name.lower().endswith(f".{known}"):
            return known
    raise InputError(f"A release is written as .csv or .parquet; {name!r} ends in neither.")


def write(columns: Columns, times: NDArray[Any] | None, kind: Format, out: IO[bytes]) -> None:
    """All rows; `times` says how often each is repeated."""
    if kind == "csv":
        for chunk in _csv_chunks(columns, times):
            out.write(chunk)
    else:
        _write_parquet(columns, times, out)


def _csv_chunks(columns: Columns, times: NDArray[Any] | None) -> Iterator[bytes]:
    yield _BOM + (",".join(_field(c.header, len(columns)) for c in columns) + _LINE).encode()
    quoted = {
        c.header: np.array([_field(text, len(columns)) for text in c.texts], dtype=object)
        for c in columns if isinstance(c, TextColumn)
    }
    for start in range(0, _length(columns), _ROWS):
        part = slice(start, start + _ROWS)
        texts = [
            _numbers(c, part) if isinstance(c, NumberColumn) else quoted[c.header][c.places[part]]
            for c in columns
        ]
        lines = (f"{','.join(row)}{_LINE}" for row in zip(*texts, strict=True))
        if times is None:
            yield "".join(lines).encode()
        else:
            yield from _repeated(lines, times[part])


def _repeated(lines: Iterator[str], times: NDArray[Any]) -> Iterator[bytes]:
    for line, number in zip(lines, times.tolist(), strict=True):
        one = line.encode()
        for start in range(0, number, _ROWS):
            yield one * min(_ROWS, number - start)


def _field(text: str, columns: int) -> str:
    """A cell: guarded, and in quotes where it needs them. A lone empty cell would be no line."""
    safe = guarded(text)
    if _NEEDS_QUOTES.search(safe) or (not safe and columns == 1):
        return '"' + safe.replace('"', '""') + '"'
    return safe


def _numbers(column: NumberColumn, part: slice) -> list[str]:
    """Each number so that it reads back as the very same; nothing where one is missing."""
    texts = [repr(value) for value in column.values[part].tolist()]
    if column.missing is None:
        return texts
    return ["" if gone else text for text, gone in zip(texts, column.missing[part], strict=True)]


def _length(columns: Columns) -> int:
    first = columns[0]
    return len(first.places if isinstance(first, TextColumn) else first.values)


def _write_parquet(columns: Columns, times: NDArray[Any] | None, out: IO[bytes]) -> None:
    rows = np.arange(_length(columns))
    if times is not None:
        rows = np.repeat(rows, times)
    schema = pa.schema([
        (c.header, pa.string() if isinstance(c, TextColumn) else pa.from_numpy_dtype(
            c.values.dtype)) for c in columns
    ])
    with pyarrow.parquet.ParquetWriter(out, schema) as writer:
        for start in range(0, len(rows), _PARQUET_ROWS) or [0]:
            part = rows[start : start + _PARQUET_ROWS]
            writer.write_table(pa.table([_array(c, part) for c in columns], schema=schema))


def _array(column: TextColumn | NumberColumn, rows: NDArray[Any]) -> Any:
    if isinstance(column, NumberColumn):
        gone = None if column.missing is None else column.missing[rows]
        return pa.array(column.values[rows], mask=gone)
    texts = pa.array(list(column.texts), pa.string())
    return texts.take(pa.array(column.places[rows].astype(np.int64)))


# ---- back -------------------------------------------------------------------------------------


def read(content: bytes, kind: Format, name: str) -> list[tuple[str, Any]]:
    """The columns of a file that was written here: header and values, those of CSV as text."""
    try:
        if kind == "parquet":
            # No threads: one that still runs when a short command ends takes it down with it.
            table = pyarrow.parquet.read_table(
                pa.BufferReader(content), use_threads=False, pre_buffer=False)
            return list(zip(table.column_names, table.columns, strict=True))
        return _read_csv(content)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{name} cannot be read as a release; write it again.") from None


def _read_csv(content: bytes) -> list[tuple[str, Any]]:
    """Everything as it stands: no word is taken for a gap, no digits for a number."""
    content = content.removeprefix(_BOM)
    header = next(csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="")), [])
    table = pyarrow.csv.read_csv(
        pa.BufferReader(content),
        read_options=pa.csv.ReadOptions(use_threads=False, block_size=1 << 24),
        parse_options=pa.csv.ParseOptions(newlines_in_values=True),
        convert_options=pa.csv.ConvertOptions(
            column_types={name: pa.string() for name in header}, strings_can_be_null=False,
            null_values=[],
        ),
    )
    return [(unguarded(one), column) for one, column in zip(header, table.columns, strict=True)]


def places_of(column: Any, texts: Sequence[str], kind: Format, name: str) -> NDArray[np.int64]:
    """Where each row stands among these texts."""
    encoded = column.combine_chunks().dictionary_encode()
    known = {text: place for place, text in enumerate(texts)}
    found = [
        unguarded(text) if kind == "csv" else text for text in encoded.dictionary.to_pylist()
    ]
    strange = [text for text in found if text not in known]
    if strange:
        raise InputError(
            f"{name}: {strange[0]!r} is not among the values that its provenance lists."
        )
    lookup = np.array([known[text] for text in found], dtype=np.int64)
    return lookup[encoded.indices.to_numpy()] if len(found) else np.zeros(0, dtype=np.int64)


def numbers_of(column: Any, whole: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Numbers, with 0 where there is none, and where that is."""
    values = column.combine_chunks()
    if pa.types.is_string(values.type):
        values = pa.compute.if_else(pa.compute.equal(values, ""), None, values)
    gone = values.is_null().to_numpy(zero_copy_only=False)
    kind = pa.int64() if whole else pa.float64()
    filled = values.cast(kind).fill_null(0)
    return filled.to_numpy(zero_copy_only=False), gone

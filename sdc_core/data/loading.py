"""Reading a file that somebody gives us: CSV or Parquet, treated as hostile.

Nothing is evaluated or unpickled, sizes are limited before memory is, and every way of being wrong
has one sentence that says what to do about it.
"""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sdc_core.data.dataset import MAX_LEVELS, Column, Dataset
from sdc_core.data.dictionary import Kind
from sdc_core.errors import InputError

MAX_BYTES = 200_000_000
MAX_UNPACKED_BYTES = 2_000_000_000
MAX_ROWS = 20_000_000
MAX_COLUMNS = 500

_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
_FEW_LEVELS = 20


def read_table(content: bytes, name: str) -> pd.DataFrame:
    """The table in a CSV or Parquet file, all CSV columns as text."""
    if not content.strip():
        raise InputError(f"{name} is empty. A table needs a header line and some rows.")
    if len(content) > MAX_BYTES:
        raise InputError(
            f"{name} has {len(content) / 1e6:,.0f} MB; the limit is {MAX_BYTES / 1e6:,.0f} MB. "
            "Keep only the columns you need."
        )
    table = _read_parquet(content, name) if content[:4] == b"PAR1" else _read_csv(content, name)
    _check_header(table.column_names, name)
    if table.num_rows == 0:
        raise InputError(f"{name} has a header but no rows.")
    return table.to_pandas()


def _read_parquet(content: bytes, name: str) -> pa.Table:
    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(content))
        meta = file.metadata
        unpacked = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        _check_size(meta.num_rows, meta.num_columns, unpacked, name)
        table = file.read()
    except (pa.ArrowException, OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(f"{name} looks like Parquet but cannot be read; it may be cut off.") from (
            None
        )
    for field in table.schema:
        if pa.types.is_nested(field.type) or pa.types.is_binary(field.type):
            raise InputError(
                f"{name}: column {field.name!r} holds lists or raw bytes, not plain values. "
                "Leave it out."
            )
    return table


def _read_csv(content: bytes, name: str) -> pa.Table:
    if b"\x00" in content[:100_000]:
        raise InputError(f"{name} is not a text file. Give a CSV or Parquet file.")
    try:
        content[:3].decode("utf-8-sig")
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise InputError(
            f"{name} is not UTF-8 text (line {line} holds another encoding). In a spreadsheet, "
            "save it as 'CSV UTF-8'."
        ) from None
    content = content.removeprefix(b"\xef\xbb\xbf")
    header = content.split(b"\n", 1)[0]
    delimiter = max(",;\t|", key=lambda mark: header.count(mark.encode()))
    if header.count(delimiter.encode()) == 0:
        raise InputError(
            f"{name} has only one column. A table needs at least two, separated by commas."
        )
    ragged: list[pa.csv.InvalidRow] = []

    def remember(row: pa.csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    try:
        names = _header_names(header, delimiter)
        table = pa.csv.read_csv(
            io.BytesIO(content),
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=1 << 24),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter, invalid_row_handler=remember, newlines_in_values=True
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types={column: pa.string() for column in names},
                strings_can_be_null=True, null_values=_MISSING,
            ),
        )
    except pa.ArrowException as problem:
        if ragged:
            row = ragged[0]
            where = f"Line {row.number}" if row.number else "A line"
            raise InputError(
                f"{name}: {where.lower()} has {row.actual_columns} values where the header has "
                f"{row.expected_columns}. Check for stray separators or quotes."
            ) from None
        first = str(problem).splitlines()[0]
        raise InputError(f"{name} cannot be read as CSV: {first}") from None
    _check_size(table.num_rows, table.num_columns, table.nbytes, name)
    return table


def _header_names(header: bytes, delimiter: str) -> list[str]:
    text = header.decode("utf-8").strip("\r")
    return [part.strip().strip('"') for part in text.split(delimiter)]


def _check_header(names: list[str], name: str) -> None:
    if len(names) < 2:
        raise InputError(f"{name} has only one column. A table needs at least two.")
    if any(not column.strip() for column in names):
        raise InputError(f"{name} has a column without a name. Give every column a header.")
    seen: set[str] = set()
    for column in names:
        if column in seen:
            raise InputError(f"{name} has two columns named {column!r}. Rename one of them.")
        seen.add(column)


def _check_size(rows: int, columns: int, unpacked: int, name: str) -> None:
    if rows > MAX_ROWS or unpacked > MAX_UNPACKED_BYTES:
        raise InputError(
            f"{name} has {rows:,} rows ({unpacked / 1e6:,.0f} MB unpacked); the limit is "
            f"{MAX_ROWS:,} rows and {MAX_UNPACKED_BYTES / 1e6:,.0f} MB. Take a sample."
        )
    if columns > MAX_COLUMNS:
        raise InputError(
            f"{name} has {columns:,} columns; the limit is {MAX_COLUMNS}. Keep those you need."
        )


def read_own_data(records: pd.DataFrame, name: str) -> Dataset:
    """A user's table as a data set, with the kinds of its columns guessed."""
    if len(records) == 0 or records.shape[1] == 0:
        raise InputError(f"{name} has no rows. A table needs a header line and some rows.")
    _check_header([str(c) for c in records.columns], name)
    table = records.copy(deep=False)
    table.columns = [str(c) for c in records.columns]
    columns = []
    for column in table.columns:
        kind, values, note = _guess(table[column])
        table[column] = values
        columns.append(Column(column, column, kind, note=note))
    usable = [c.name for c in columns if c.kind != "identifier"]
    if not usable:
        raise InputError(
            f"{name}: every column has more than {MAX_LEVELS:,} different values; there is nothing "
            "to count by."
        )
    chosen = _default_features(table, usable)
    return Dataset("own", name, "own", name, table, tuple(columns), chosen)


def _guess(values: pd.Series) -> tuple[Kind, pd.Series, str]:
    """Numeric if all are numbers and many differ; an identifier if nearly nothing repeats."""
    numbers = pd.to_numeric(values, errors="coerce")
    given = values.notna()
    levels = values.nunique()
    all_numbers = bool(given.any()) and bool(numbers[given].notna().all())
    finite = bool(np.isfinite(numbers[given].astype(np.float64)).all()) if all_numbers else False
    if all_numbers and finite and levels > _FEW_LEVELS:
        return "numeric", numbers.astype(np.float64), ""
    text = values.astype(object).where(given, None)
    text = text.map(lambda v: None if v is None else str(v))
    if levels > MAX_LEVELS:
        return "identifier", text, f"{levels:,} different values; too many for a group"
    if levels == 0:
        return "identifier", text, "all values are missing"
    return "categorical", text.astype("category"), ""


def _default_features(table: pd.DataFrame, usable: list[str]) -> tuple[str, ...]:
    """Up to three features with few values, so that the first chart is readable and quick."""
    few = sorted(usable, key=lambda c: table[c].nunique() if table[c].nunique() > 1 else 10_000)
    chosen = set(few[:3])
    return tuple(c for c in usable if c in chosen)

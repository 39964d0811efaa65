"""Reading a file that somebody gives us: CSV or Parquet, treated as hostile.

Nothing is evaluated or unpickled, sizes are limited before memory is, and every way of being wrong
has one sentence that says what to do about it.
"""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pandas.api.types import is_hashable

from sdc_core.data.dataset import MAX_LEVELS, Column, Dataset, place_among
from sdc_core.data.dictionary import Kind
from sdc_core.errors import InputError

MAX_BYTES = 200_000_000
MAX_UNPACKED_BYTES = 2_000_000_000
MAX_ROWS = 20_000_000
MAX_COLUMNS = 500

_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
_FEW_PLACES = 60  # more would make the first table large
_FEW_LEVELS = 20
_HEADER_REACH = 1_000_000  # characters within which the header must end
_RAW_BYTES = (
    pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)


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
    return table.to_pandas(ignore_metadata=True)


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
        if pa.types.is_nested(field.type) or any(is_raw(field.type) for is_raw in _RAW_BYTES):
            raise InputError(
                f"{name}: column {field.name!r} holds lists or raw bytes, not plain values. "
                "Leave it out."
            )
    return table


def _read_csv(content: bytes, name: str) -> pa.Table:
    if b"\x00" in content[:100_000]:
        raise InputError(f"{name} is not a text file. Give a CSV or Parquet file.")
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise InputError(
            f"{name} is not UTF-8 text (line {line} holds another encoding). In a spreadsheet, "
            "save it as 'CSV UTF-8'."
        ) from None
    if not content.endswith(b"\n"):
        content += b"\n"  # else pyarrow does not know a lone header for one
    delimiter, header = _header(text, name)
    if len(header) < 2:
        raise InputError(
            f"{name} has only one column. A table needs at least two, separated by commas."
        )
    _check_header(header, name)
    try:
        table = pa.csv.read_csv(
            io.BytesIO(content),
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=1 << 24),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types={column: pa.string() for column in header},
                strings_can_be_null=True, null_values=_MISSING,
            ),
        )
    except pa.ArrowException as problem:
        raise InputError(_what_is_wrong(text, delimiter, len(header), name, problem)) from None
    _check_size(table.num_rows, table.num_columns, table.nbytes, name)
    return table


def _header(text: str, name: str) -> tuple[str, list[str]]:
    """The separator that makes most columns of the first line that is not blank, and the names."""
    best: tuple[str, list[str]] = (",", [])
    for delimiter in ",;\t|":
        reader = csv.reader(io.StringIO(text[:_HEADER_REACH], newline=""), delimiter=delimiter)
        try:
            names = next((row for row in reader if row), [])
        except csv.Error:
            raise InputError(f"{name}: quotes in the header are opened and never closed.") from None
        if len(names) > len(best[1]):
            best = (delimiter, names)
    return best


def _what_is_wrong(
    text: str, delimiter: str, columns: int, name: str, problem: Exception
) -> str:
    """Where the first row with too many or too few values starts, counted as an editor does."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    start = 1
    try:
        for row in reader:
            if row and len(row) != columns:
                values = "1 value" if len(row) == 1 else f"{len(row)} values"
                return (
                    f"{name}: line {start} has {values} where the header has {columns}. "
                    "Check for stray separators or quotes."
                )
            start = reader.line_num + 1
    except csv.Error:
        return f"{name}: quotes are opened in line {start} and never closed."
    return f"{name} cannot be read as CSV: {str(problem).splitlines()[0]}"


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
        if table[column].dtype == object and not table[column].map(is_hashable).all():
            raise InputError(
                f"{name}: column {column!r} holds lists or the like, not plain values. Leave it "
                "out."
            )
        kind, values, note = _guess(table[column])
        table[column] = values
        columns.append(Column(column, column, kind, note=note))
    usable = [c.name for c in columns if c.kind != "identifier"]
    if not usable:
        raise InputError(
            f"{name}: there is nothing to count by; column {columns[0].name!r}, for one: "
            f"{columns[0].note}."
        )
    chosen = _default_features(table, usable)
    return Dataset("own", name, "own", name, table, tuple(columns), chosen)


def _guess(values: pd.Series) -> tuple[Kind, pd.Series, str]:
    """Numeric if all are numbers and many differ; an identifier if nearly nothing repeats."""
    if pd.api.types.is_datetime64_any_dtype(values):
        values = values.dt.strftime("%Y-%m-%d")  # a day is a group; a number of nanoseconds is not
    try:
        numbers = pd.to_numeric(values, errors="coerce")
    except OverflowError:  # whole numbers too large for any computer's number type are names
        numbers = pd.Series(np.nan, index=values.index)
    given = values.notna()
    levels = values.nunique()
    all_numbers = bool(given.any()) and bool(numbers[given].notna().all())
    finite = bool(np.isfinite(numbers[given].astype(np.float64)).all()) if all_numbers else False
    if all_numbers and finite and levels > _FEW_LEVELS:
        return "numeric", numbers.astype(np.float64), ""
    text = values.astype(object).where(given, None)
    text = text.map(lambda v: None if v is None else str(v))
    if levels > MAX_LEVELS:
        return "identifier", text, f"{levels:,} different values, too many for a group"
    if levels == 0:
        return "identifier", text, "all values are missing"
    return "categorical", text.astype("category"), ""


def _default_features(table: pd.DataFrame, usable: list[str]) -> tuple[str, ...]:
    """Up to three features with few values, so that the first chart is readable and quick; one of
    them is the place, if there is one."""
    levels = {c: table[c].nunique() for c in usable}
    few = sorted(usable, key=lambda c: levels[c] if levels[c] > 1 else 10_000)
    place = place_among(c for c in usable if 1 < levels[c] <= _FEW_PLACES)
    first = [place] if place else []
    chosen = set([*first, *(c for c in few if c != place)][:3])
    return tuple(c for c in usable if c in chosen)

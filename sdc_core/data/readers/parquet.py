"""Parquet: sizes are looked at before values, and texts that repeat are kept once."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet

from sdc_core.data.readers.limits import FileContents, Reading, check_size
from sdc_core.errors import InputError

_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_RAW_BYTES = (
    pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)


def read_parquet(content: bytes, name: str) -> FileContents:
    """The table in a Parquet file, each column of the type it has there."""
    try:
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
        schema = file.schema_arrow
        _check_types(schema, name)
        _check_size(file.metadata, schema, name)
        # a long text that repeats is small in the file and would be large when written out
        texts = [f.name for f in schema if any(is_text(f.type) for is_text in _TEXTS)]
        file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
        table = file.read()
        table.validate(full=True)  # texts that are none, places in a list beyond its end
        return FileContents(table, Reading("Parquet"))
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        raise InputError(
            f"{name} looks like Parquet but cannot be read; it may be cut off or damaged."
        ) from None


def _check_types(schema: pa.Schema, name: str) -> None:
    for field in schema:
        if pa.types.is_nested(field.type) or any(is_raw(field.type) for is_raw in _RAW_BYTES):
            raise InputError(
                f"{name}: column {field.name!r} holds lists or raw bytes, not plain values. "
                "Leave it out."
            )


def _check_size(meta: pyarrow.parquet.FileMetaData, schema: pa.Schema, name: str) -> None:
    """By what the file says of its parts, or, where values repeat, by what they take in memory."""
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    rows = max(meta.num_rows, sum(group.num_rows for group in groups))
    taken = rows * sum(_bytes_of(field.type) for field in schema)
    unpacked = max(taken, sum(group.total_byte_size for group in groups))
    check_size(rows, len(schema), unpacked, name)


def _bytes_of(kind: pa.DataType) -> int:
    """What one value takes; of a text its place among the different ones."""
    try:
        return max(1, kind.bit_width // 8)
    except ValueError:
        return 4

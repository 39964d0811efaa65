"""Reads a Parquet file from standard input and writes what is in it to standard output.

A program of its own, run under limits (`limited.py`): a kilobyte of Parquet can unpack to more than
any machine has. Written first is one line of JSON (what is wrong, if anything is), then the table
as an Arrow stream. It is run by its path and imports nothing of the project.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_RAW_BYTES = (
    pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)


def main(most_rows: int, most_columns: int, most_bytes: int) -> None:
    content = pa.BufferReader(sys.stdin.buffer.read())
    file = pq.ParquetFile(content)
    schema, meta = file.schema_arrow, file.metadata
    for field in schema:
        if pa.types.is_nested(field.type) or any(is_raw(field.type) for is_raw in _RAW_BYTES):
            _write({"problem": "no plain values", "column": field.name})
            return
    groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
    rows = max(meta.num_rows, sum(group.num_rows for group in groups))
    taken = rows * sum(_bytes_of(field.type) for field in schema)
    unpacked = max(taken, sum(group.total_byte_size for group in groups))
    size = {"rows": rows, "columns": len(schema), "unpacked": unpacked}
    if rows > most_rows or len(schema) > most_columns or unpacked > most_bytes:
        _write({"problem": "size", **size})
        return
    # A long text that repeats is small in the file and would be large when written out.
    texts = [f.name for f in schema if any(is_text(f.type) for is_text in _TEXTS)]
    content.seek(0)
    file = pq.ParquetFile(content, read_dictionary=texts)
    parts, held = [], 0
    for number in range(len(groups)):  # what the file says of its size need not be true
        parts.append(file.read_row_group(number))
        held += parts[-1].nbytes
        if held > most_bytes:
            _write({"problem": "size", **size, "unpacked": held})
            return
    table = pa.concat_tables(parts) if parts else file.read()
    table.validate(full=True)  # texts that are none, places in a list beyond its end
    _write({})
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)


def _bytes_of(kind: pa.DataType) -> int:
    """What one value takes; of a text its place among the different ones."""
    try:
        return max(1, kind.bit_width // 8)
    except ValueError:
        return 4


def _write(said: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))

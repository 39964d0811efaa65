"""Parquet: read by a process under limits, and texts that repeat are kept once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from sdc_core.data.readers import limits
from sdc_core.data.readers.apart import SECONDS, Unreadable, read_apart
from sdc_core.data.readers.limits import FileContents, Reading, check_size
from sdc_core.data.schema import shortened
from sdc_core.errors import InputError

_READER = Path(__file__).with_name("parquet_process.py")
_MEMORY = 5_000_000_000
_SECONDS = SECONDS


def read_parquet(content: bytes, name: str) -> FileContents:
    """The table in a Parquet file, each column of the type it has there."""
    most = (limits.MAX_ROWS, limits.MAX_COLUMNS, limits.MAX_UNPACKED_BYTES)
    try:
        said, stream = read_apart(
            _READER, list(map(str, most)), content, _MEMORY, _SECONDS, ["pyarrow.parquet"])
        if not said:
            with pa.ipc.open_stream(stream) as opened:
                return FileContents(opened.read_all(), Reading("Parquet"))
    except (Unreadable, pa.ArrowException, OSError, ValueError):
        raise InputError(
            f"{name} looks like Parquet but cannot be read; it may be cut off or damaged, or "
            f"unpack to more than {_MEMORY / 1e9:g} GB."
        ) from None
    if said["problem"] == "size":
        check_size(said["rows"], said["columns"], said["unpacked"], name)
    raise InputError(
        f"{name}: column {shortened(str(said.get('column')))!r} holds lists or raw bytes, not "
        "plain values. Leave it out."
    )

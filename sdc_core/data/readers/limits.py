"""What every reader of a file shares: how large it may be, what its header must be like, and what
is said about how it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet

from sdc_core.data.described import Dictionary
from sdc_core.data.schema import shortened
from sdc_core.errors import InputError
from sdc_core.whole_file import read_whole

MAX_BYTES = 200_000_000
MAX_UNPACKED_BYTES = 2_000_000_000
MAX_ROWS = 20_000_000
MAX_COLUMNS = 500

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
ENCODINGS = {  # those that a reader of files is offered; any other that Python knows will do, too
    "utf-8": "UTF-8", "cp1252": "Windows-1252", "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 (LE)", "utf-16-be": "UTF-16 (BE)", "iso-8859-1": "ISO 8859-1",
    "iso-8859-15": "ISO 8859-15", "cp1250": "Windows-1250", "iso-8859-2": "ISO 8859-2",
    "cp1251": "Windows-1251", "cp1253": "Windows-1253", "cp1254": "Windows-1254",
    "cp850": "DOS 850", "mac-roman": "Mac Roman", "shift_jis": "Shift JIS", "gb18030": "GB 18030",
}


@dataclass(frozen=True)
class Reading:
    """How a file was read, for its owner to see and to change: what kind of file it is, its
    encoding and separator where it has them, and what else should be known."""

    format: str
    encoding: str = ""
    separator: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """`CSV, read as Windows-1252, separated by semicolons`."""
        said = [self.format]
        if self.encoding:
            said.append(f"read as {ENCODINGS.get(self.encoding, self.encoding)}")
        if self.separator:
            said.append(f"separated by {SEPARATORS.get(self.separator, repr(self.separator))}")
        return ", ".join(said)


class FileContents(NamedTuple):
    """What is in a file: its values as they stand there, how they were read, and what the file
    itself says about its columns."""

    table: pa.Table
    reading: Reading
    dictionary: Dictionary | None = None


def fits_into_memory(path: Path) -> bool:
    """Is it small enough to be read whole? What a database can count in place need not be."""
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet", ".pq"):
        return True  # of another kind: the reader says what is too large
    if path.stat().st_size > MAX_BYTES:
        return False
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"PAR1":
                return True
        return bool(pyarrow.parquet.read_metadata(path).num_rows <= MAX_ROWS)
    except (OSError, pa.ArrowException):
        return True  # the reader says what is wrong


def content_of(path: Path) -> bytes:
    """All of a file, if it is not too large: that is looked at before it is read."""
    try:
        _check_length(path.stat().st_size, path.name)
        return read_whole(path, MAX_BYTES)
    except OSError as problem:
        raise InputError(
            f"{path.name} cannot be read: {problem.strerror or 'unknown reason'}. Look "
            "whether it is still there and may be read."
        ) from None


def check_bytes(content: bytes, name: str) -> None:
    """Before anything is read: is there something, and not too much?"""
    if not content.strip():
        raise InputError(f"{name} is empty. A table needs a header line and some rows.")
    _check_length(len(content), name)


def _check_length(length: int, name: str) -> None:
    if length > MAX_BYTES:
        raise InputError(
            f"{name} has {length / 1e6:,.0f} MB; the limit is {MAX_BYTES / 1e6:,.0f} MB. "
            "Keep only the columns you need."
        )


def check_header(names: Sequence[str], name: str) -> None:
    """Two columns at least, each with a name of its own."""
    if len(names) < 2:
        raise InputError(f"{name} has only one column. A table needs at least two.")
    check_columns(len(names), name)
    if any(not column.strip() for column in names):
        raise InputError(f"{name} has a column without a name. Give every column a header.")
    seen: set[str] = set()
    for column in names:
        if column in seen:
            raise InputError(
                f"{name} has two columns named {shortened(column)!r}. Rename one of them."
            )
        seen.add(column)


def check_columns(columns: int, name: str) -> None:
    if columns > MAX_COLUMNS:
        raise InputError(
            f"{name} has {columns:,} columns; the limit is {MAX_COLUMNS}. Keep those you need."
        )


def check_size(rows: int, columns: int, unpacked: int, name: str) -> None:
    """Is it small enough to be held in memory?"""
    if rows > MAX_ROWS or unpacked > MAX_UNPACKED_BYTES:
        raise InputError(
            f"{name} has {rows:,} rows ({unpacked / 1e6:,.0f} MB unpacked); the limit is "
            f"{MAX_ROWS:,} rows and {MAX_UNPACKED_BYTES / 1e6:,.0f} MB. Take a sample."
        )
    check_columns(columns, name)

"""What an engine can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, get_args

import pyarrow as pa

EngineName = Literal["duckdb", "spark"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


@dataclass(frozen=True)
class Part:
    """Some of the records, written in one go: what its file is called, from which files they are
    (all if none is named), the first row and how many."""

    name: str
    files: tuple[Path, ...]
    first: int
    rows: int


class Engine(Protocol):
    """Runs the statements on a source, whose records are the table `records`."""

    name: EngineName
    says: str  # what it is, for the provenance
    ids: str  # how records are told apart, for the provenance

    def rows(self, sql: str) -> pa.Table:
        """A small result."""
        ...

    def put(self, name: str, table: pa.Table) -> None:
        """A small table to join with, in place of one of the same name."""
        ...

    def sample(self, number: int) -> pa.Table:
        """About so many records from all over the source, as they stand there."""
        ...

    def parts(self) -> Sequence[Part]:
        """Parts that are worth a file of their own; all records are in exactly one."""
        ...

    def look_at(self, part: Part) -> None:
        """Make the table `part` these records."""
        ...

    def write(self, sql: str, columns: Sequence[str], folder: Path, part: Part) -> None:
        """A result that has a column h as Parquet in the folder, in the order of h and without it:
        files whose names begin with that of the part. A file is there whole or not at all."""
        ...

    def close(self) -> None: ...

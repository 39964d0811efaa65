"""DuckDB: the engine that comes along. It reads files in place, on all cores, within a limit of
memory; what does not fit is put aside on disk."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from sdc_core.engines.engine import EngineName, Part
from sdc_core.engines.ids import BY_CONTENT, BY_FILE, BY_ROW, by_column, content_id, file_id
from sdc_core.engines.source import Source, columns_of, sample_of_files, unreadable
from sdc_core.engines.statements import DRAW, ID, OURS, name, text
from sdc_core.errors import InputError

MEMORY = "1500MB"
ROWS_A_PART = 5_000_000  # sorted in memory, and a second or two until the next word of progress
_FILE, _ROW = f"{OURS}file", f"{OURS}row"


class DuckDb:
    """A connection of its own, in memory: nothing is kept but what is asked to be written."""

    name: EngineName = "duckdb"

    def __init__(self, source: Source, id_column: str = "", memory: str = MEMORY) -> None:
        self._source, self._id = source, id_column
        self._one_at_a_time = threading.RLock()  # visitors of the app share a connection
        self._aside = tempfile.TemporaryDirectory(prefix="sdc-")
        self._connection = duckdb.connect(config={
            "memory_limit": memory, "temp_directory": self._aside.name,
            # no extension is fetched, by whatever name it is asked for
            "autoinstall_known_extensions": False, "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        })
        self.says = f"DuckDB {duckdb.__version__}"
        with self._told():
            self._open()

    def _open(self) -> None:
        kind, files = self._source.kind, self._source.files
        if kind == "duckdb":
            self._connection.execute(f"ATTACH {text(str(files[0]))} AS source (READ_ONLY)")
            table = self._table()
            self._from = f"(SELECT *, rowid AS {name(_ROW)} FROM source.main.{name(table)})"
            row_id, self.ids = f"CAST({name(_ROW)} AS STRING)", BY_ROW
        elif kind == "parquet":
            self._from = f"(SELECT *, filename AS {name(_FILE)}, file_row_number AS {name(_ROW)} " \
                         f"FROM read_parquet({_list(files)}, file_row_number = true, " \
                         "filename = true, hive_partitioning = false))"
            row_id, self.ids = file_id(
                self._source, f"parse_filename({name(_FILE)})", name(_ROW)), BY_FILE
        else:
            self._from = self._csv(files)
            row_id, self.ids = "", BY_CONTENT
        self._hidden = [c for c in (_FILE, _ROW, "filename", "file_row_number")
                        if c in self._names(self._from)]
        self.columns = [c for c in self._names(self._from) if c not in self._hidden]
        if self._id:
            row_id, self.ids = by_column(self._id, self.columns)
        if not row_id:
            row_id, self.ids = content_id(self.columns), BY_CONTENT
        self._row_id = row_id
        self._view("records", self._from)

    def _csv(self, files: Sequence[Path]) -> str:
        """Everything as text: codes keep their zeros. What is empty is nothing."""
        names = list(columns_of(self._source, files[0]))
        typed = ", ".join(f"{text(n)}: 'VARCHAR'" for n in names)
        listed = ", ".join(f"nullif({name(n)}, '') AS {name(n)}" for n in names)
        return (
            f"(SELECT {listed} FROM read_csv({_list(files)}, header = true, auto_detect = false, "
            f"delim = {text(self._source.separator)}, quote = '\"', escape = '\"', "
            f"columns = {{{typed}}}))"
        )

    def _table(self) -> str:
        known = [row[0] for row in self._connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'source' AND "
            "schema_name = 'main' ORDER BY 1").fetchall()]
        wanted = self._source.table or (known[0] if len(known) == 1 else "")
        if wanted not in known:
            listed = ", ".join(known) or "none"
            raise InputError(
                f"{self._source.files[0].name} has no table {wanted!r}. It has: {listed}."
                if wanted else
                f"Say which table of {self._source.files[0].name} to count: {listed}.")
        return wanted

    def _names(self, table: str) -> list[str]:
        return [row[0] for row in self._connection.execute(
            f"DESCRIBE SELECT * FROM {table}").fetchall()]

    def _view(self, view: str, table: str) -> None:
        own = ", ".join(map(name, self.columns))
        self._connection.execute(
            f"CREATE OR REPLACE TEMP VIEW {view} AS "
            f"SELECT {own}, {self._row_id} AS {name(ID)} FROM {table}")

    def rows(self, sql: str) -> pa.Table:
        with self._told():
            return self._connection.sql(sql).to_arrow_table()

    def put(self, name: str, table: pa.Table) -> None:
        with self._told():
            self._connection.register("given", table)
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM given")
            self._connection.unregister("given")

    def sample(self, number: int) -> pa.Table:
        if self._source.kind != "duckdb":
            return sample_of_files(self._source, number)
        own = ", ".join(map(name, self.columns))
        return self.rows(f"SELECT {own} FROM {self._from} WHERE {name(_ROW)} < {number}")

    def parts(self) -> Sequence[Part]:
        if self._source.kind == "parquet" and self.ids != BY_CONTENT:
            return _parts_of_files(self._source)
        every = int(self.rows("SELECT count(*) AS n FROM records")["n"][0].as_py())
        if self._source.kind != "duckdb":  # only the whole says which rows are alike
            return [Part("part-00000", (), 0, every)]
        starts = range(0, max(every, 1), ROWS_A_PART)
        return [Part(f"part-{i:05d}", (), start, min(ROWS_A_PART, every - start))
                for i, start in enumerate(starts)]

    def look_at(self, part: Part) -> None:
        found = self._from
        rows = f"{name(_ROW)} BETWEEN {part.first} AND {part.first + part.rows - 1}"
        if part.files:
            found += f" WHERE {name(_FILE)} = {text(str(part.files[0]))} AND {rows}"
        elif self._source.kind == "duckdb":
            found += f" WHERE {rows}"
        with self._told():
            self._view("part", found)

    def write(self, sql: str, columns: Sequence[str], folder: Path, part: Part) -> None:
        target = folder / f"{part.name}.parquet"
        half = folder / f".{part.name}.{uuid.uuid4().hex}.half"
        sorted_ = f"SELECT {', '.join(map(name, columns))} FROM ({sql}) ORDER BY {name(DRAW)}"
        try:
            with self._told(half):
                self._connection.execute(
                    f"COPY ({sorted_}) TO {text(str(half))} "
                    "(FORMAT parquet, ROW_GROUP_SIZE 500000)")
            with open(half, "rb") as file:
                os.fsync(file.fileno())
            os.replace(half, target)
        except OSError as problem:
            raise _no_room(problem.strerror or str(problem)) from None
        finally:
            half.unlink(missing_ok=True)

    def close(self) -> None:
        self._connection.close()
        self._aside.cleanup()

    @contextlib.contextmanager
    def _told(self, written: Path | None = None) -> Iterator[None]:
        """What goes wrong in the database, as one sentence."""
        try:
            with self._one_at_a_time:
                yield
        except duckdb.Error as problem:
            raise _in_words(problem, self._source, written) from None


def _parts_of_files(source: Source) -> list[Part]:
    """Large files are cut; small ones stay one part each."""
    found: list[Part] = []
    for path, rows in zip(source.files, source.rows_of_files, strict=True):
        for first in range(0, rows, ROWS_A_PART):
            found.append(Part(f"part-{len(found):05d}", (path,), first,
                              min(ROWS_A_PART, rows - first)))
    return found


def _list(files: Sequence[Path]) -> str:
    return f"[{', '.join(text(str(path)) for path in files)}]"


def _no_room(reason: str) -> InputError:
    return InputError(f"The release cannot be written: {reason}. Choose a folder that may be "
                      "written to and has room, or make room.")


def _in_words(problem: Any, source: Source, written: Path | None) -> InputError:
    said = str(problem).splitlines()[0]
    if written is not None and written.name in str(problem):
        reason = re.search(r"(?<=: )[A-Z][^:()\"]*$", said.strip().rstrip('."'))
        return _no_room(reason[0].strip() if reason else said)
    if "No space left" in str(problem) or "max_temp_directory_size" in str(problem):
        return _no_room("there is no room left on the disk")
    if isinstance(problem, duckdb.OutOfMemoryException):
        return InputError(
            "There are more different combinations than fit into memory. Count by fewer features."
        )
    if isinstance(problem, (duckdb.IOException, duckdb.InvalidInputException)) and source.files:
        return unreadable(
            next((p for p in source.files if p.name in str(problem)), source.files[0]),
            OSError(0, said))
    return InputError(f"The database could not do it: {said}")

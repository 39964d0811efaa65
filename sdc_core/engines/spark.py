"""Spark: the engine of clusters. The same statements, run by as many workers as there are."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sdc_core.engines.engine import EngineName, Part
from sdc_core.engines.ids import BY_CONTENT, BY_FILE, by_column, content_id, file_id
from sdc_core.engines.source import Source, sample_of_files, unreadable
from sdc_core.engines.statements import DRAW, ID, OURS, name
from sdc_core.errors import InputError

ROWS_A_PART = 50_000_000  # enough to keep the workers of a small cluster busy
LOCAL = "local[*]"
_FILE, _ROW = f"{OURS}file", f"{OURS}row"
_MASTER = re.compile(r"spark://([^:/]+):(\d+)")
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",  # the same text as in other databases
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": str(1 << 30),  # moves are small beside the records
    "spark.log.level": "ERROR",
}


class Spark:
    """A session on a master, or on the cores of this machine."""

    name: EngineName = "spark"

    def __init__(self, source: Source, id_column: str = "", master: str = "") -> None:
        self._source = source
        self._session, self._ours = _session(master)
        self.says = f"Spark {self._session.version}"
        with self._told():
            self._open(id_column)

    def _open(self, id_column: str) -> None:
        if self._source.kind == "spark":
            self._frame = self._session.table(self._source.table)
        else:
            self._frame = self._read(self._source.files)
        self.columns = [c for c in self._frame.columns if not c.startswith(OURS)]
        row_id, self.ids = "", BY_CONTENT
        if self._source.kind == "parquet":
            row_id, self.ids = file_id(self._source, name(_FILE), name(_ROW)), BY_FILE
        if id_column:
            row_id, self.ids = by_column(id_column, self.columns)
        if not row_id:
            row_id, self.ids = content_id(self.columns), BY_CONTENT
        self._row_id = row_id
        self._view("records", self._frame)

    def _read(self, files: Sequence[Path]) -> Any:
        reader = self._session.read
        paths = [path.as_uri() for path in files]
        if self._source.kind == "parquet":
            found = reader.parquet(*paths)
            # a name with a point would be taken for a part of a column
            own = [f"`{c.replace('`', '``')}`" for c in found.columns]
            return found.select(*own, "_metadata.file_name", "_metadata.row_index").toDF(
                *found.columns, _FILE, _ROW)
        found = reader.option("header", True).option("sep", self._source.separator).option(
            "escape", '"').option("mode", "FAILFAST").option("enforceSchema", False).csv(paths)
        listed = ", ".join(f"nullif({name(c)}, '') AS {name(c)}" for c in found.columns)
        found.createOrReplaceTempView("sdc_csv")
        return self._session.sql(f"SELECT {listed} FROM sdc_csv")

    def _view(self, view: str, frame: Any) -> None:
        frame.createOrReplaceTempView("sdc_source")
        own = ", ".join(map(name, self.columns))
        self._session.sql(
            f"SELECT {own}, {self._row_id} AS {name(ID)} FROM sdc_source"
        ).createOrReplaceTempView(view)

    def rows(self, sql: str) -> pa.Table:
        with self._told():
            return self._session.sql(sql).toArrow()

    def put(self, name: str, table: pa.Table) -> None:
        with self._told():
            self._session.createDataFrame(table).createOrReplaceTempView(name)

    def sample(self, number: int) -> pa.Table:
        if self._source.files:
            return sample_of_files(self._source, number)
        own = ", ".join(map(name, self.columns))
        return self.rows(f"SELECT {own} FROM records LIMIT {number}")

    def parts(self) -> Sequence[Part]:
        if self._source.kind != "parquet" or self.ids == BY_CONTENT:
            every = int(self.rows("SELECT count(*) AS n FROM records")["n"][0].as_py())
            return [Part("part-00000", (), 0, every)]
        found: list[Part] = []
        files: list[Path] = []
        rows = 0
        for path, here in zip(self._source.files, self._source.rows_of_files, strict=True):
            files, rows = [*files, path], rows + here
            if rows >= ROWS_A_PART or path == self._source.files[-1]:
                found.append(Part(f"part-{len(found):05d}", tuple(files), 0, rows))
                files, rows = [], 0
        return found

    def look_at(self, part: Part) -> None:
        with self._told():
            self._view("part", self._read(part.files) if part.files else self._frame)

    def write(self, sql: str, columns: Sequence[str], folder: Path, part: Part) -> None:
        half = folder / f".{part.name}.{uuid.uuid4().hex}.half"
        try:
            with self._told():
                found = self._session.sql(sql).sortWithinPartitions(f"`{DRAW}`")
                found.select(*(f"`{c.replace('`', '``')}`" for c in columns)).write.parquet(
                    half.as_uri())
            for number, path in enumerate(sorted(half.glob("*.parquet"))):
                os.replace(path, folder / f"{part.name}-{number:05d}.parquet")
        except OSError as problem:
            raise _no_room(problem.strerror or str(problem)) from None
        finally:
            shutil.rmtree(half, ignore_errors=True)

    def close(self) -> None:
        if self._ours:  # a session that was there before is not ours to end
            self._session.stop()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong on the cluster, as one sentence."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            yield
        except (PySparkException, Py4JError) as problem:
            raise _in_words(problem, self._source) from None


def _session(master: str) -> tuple[Any, bool]:
    """A session, and whether it was started here. One that runs already (spark-submit, a notebook)
    is taken as it is, unless another master is asked for."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise InputError(
            "Spark needs Java 17 or newer, which is not on this machine. Install it (on Debian: "
            "apt-get install openjdk-17-jre-headless), or take engine duckdb."
        )
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError(
            "Spark is not installed here. Install it with 'pip install -r requirements-scale.txt', "
            "or take engine duckdb."
        ) from None
    _check_reached(master)
    running = SparkSession.getActiveSession()
    if running is not None:
        if master not in ("", running.sparkContext.master):
            raise InputError(
                f"Spark is running here already, on {running.sparkContext.master}. Stop that "
                "session, or leave the master out."
            )
        for key, value in _SETTINGS.items():
            if key.startswith("spark.sql."):
                running.conf.set(key, value)
        return running, False
    builder = SparkSession.builder.appName("sdc_core")
    if master or "PYSPARK_GATEWAY_PORT" not in os.environ:  # there spark-submit has said it
        builder = builder.master(master or LOCAL)
    settings = dict(_SETTINGS)
    if not master or (_MASTER.fullmatch(master) and "127.0.0.1" in master):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate(), True


def _check_reached(master: str) -> None:
    """Spark itself would try for minutes."""
    at = _MASTER.fullmatch(master)
    if at is None:
        return
    try:
        socket.create_connection((at[1], int(at[2])), timeout=5).close()
    except OSError as problem:
        reason = problem.strerror or "no answer within 5 seconds"
        raise InputError(
            f"The Spark master {master} cannot be reached: {reason}. Start it, or check the "
            "address."
        ) from None


def _no_room(reason: str) -> InputError:
    return InputError(f"The release cannot be written: {reason}. Choose a folder that all workers "
                      "may write to and that has room.")


def _in_words(problem: Exception, source: Source) -> InputError:
    said = str(problem)
    if "No space left" in said:
        return _no_room("there is no room left on the disk")
    missing = re.search(r"TABLE_OR_VIEW_NOT_FOUND", said)
    if missing and source.kind == "spark":
        return InputError(f"Spark has no table {source.table!r}.")
    damaged = next((p for p in source.files if p.name in said), None)
    if damaged is not None:
        return unreadable(damaged, ValueError())
    return InputError(f"Spark could not do it: {said.splitlines()[0] if said else 'no reason'}")

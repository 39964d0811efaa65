"""A million records in DuckDB and on a Spark cluster of two workers: the same release, row by row,
also if a worker is killed in the middle.

The cluster is real (a master and two workers on 127.0.0.1, from pyspark's own classes). Without
Java there is none, and these tests are skipped, saying so.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import sdc_core as sdc
from sdc_core.build.cluster import Cluster, cluster
from sdc_core.data.large import LargeDataset
from sdc_core.data.population import write_population
from sdc_core.release.at_scale import write_folder
from tests.crowds import DRAWN_ANEW, FEATURES, METHODS, people, released, write

ROWS = 1_000_000
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("java") is None, reason="no Java on this machine; on Debian: "
                       "apt-get install openjdk-17-jre-headless"),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    like = sdc.load_dataset("ma2019-twin")
    return str(write_population(like, ROWS, tmp_path_factory.mktemp("town") / "town", files=8))


@pytest.fixture(scope="module")
def workers() -> Iterator[Cluster]:
    with cluster() as found:
        yield found


@pytest.fixture(scope="module")
def on_spark(source: str, workers: Cluster) -> Iterator[LargeDataset]:
    found = sdc.load_dataset(source, engine="spark", spark_master=workers.master)
    assert isinstance(found, LargeDataset)
    yield found
    found.engine.close()


@pytest.fixture(scope="module")
def in_duckdb(source: str) -> LargeDataset:
    found = sdc.load_dataset(source)
    assert isinstance(found, LargeDataset)
    return found


def differing(one: Path, other: Path, columns: tuple[str, ...]) -> tuple[int, int]:
    """How many records two releases have, and how many of the first the second has not."""
    listed = ", ".join(f'"{name}"' for name in columns)
    first, second = (f"(SELECT {listed} FROM read_parquet('{folder}/*.parquet'))"
                     for folder in (one, other))
    sql = f"SELECT count(*) FROM ({first} EXCEPT ALL {second})"
    here, there = (duckdb.sql(f"SELECT count(*) FROM {one}").fetchall()[0][0]
                   for one in (first, second))
    assert here == there
    return here, duckdb.sql(sql).fetchall()[0][0]


def test_both_count_the_same(on_spark: LargeDataset, in_duckdb: LargeDataset) -> None:
    for features in (FEATURES, ("AGEP", "SEX"), ("PUMA",)):
        one, other = on_spark.histogram(features), in_duckdb.histogram(features)
        assert one.counts.tolist() == other.counts.tolist() and one.total == ROWS


@pytest.mark.parametrize("name", [*METHODS, *DRAWN_ANEW])
def test_the_same_release_row_by_row(
    on_spark: LargeDataset, in_duckdb: LargeDataset, tmp_path: Path, name: str
) -> None:
    method = {**METHODS, **DRAWN_ANEW}[name]
    carried = ["record"] if name in METHODS else []
    one, other = (
        write_folder(data, method, tmp_path / data.engine.name, FEATURES, 5, carried=carried)
        for data in (on_spark, in_duckdb))
    number, wrong = differing(one.folder, other.folder, (*FEATURES, *carried))
    assert wrong == 0
    assert number == one.provenance["file"]["rows"] == other.provenance["file"]["rows"]
    assert name.startswith("dp-k") or name in DRAWN_ANEW or number > 0.9 * ROWS
    said = [dict(found.provenance) for found in (one, other)]
    for document in said:
        document.pop("file"), document.pop("records"), document.pop("says"), document.pop("private")
    assert said[0] == said[1]


def test_csv_and_odd_names_are_read_alike(workers: Cluster, tmp_path: Path) -> None:
    """Quotes, commas, gaps, codes with zeros; no column tells records apart, so their content
    does."""
    odd = {**people(300, 9), "co,de": ["007", 'a "b"', None] * 100, "it's": ["x|y", "z"] * 150}
    del odd["id"]
    source = write(tmp_path / "in", [odd, odd], "csv")
    features = ("town", "co,de", "it's")
    out = {}
    for engine, options in (("duckdb", {}), ("spark", {"spark_master": workers.master})):
        data = sdc.load_dataset(source, engine=engine, **options)
        assert isinstance(data, LargeDataset)
        method = sdc.mechanism("swapping", quasi_identifiers=("co,de",))
        found = write_folder(data, method, tmp_path / engine, features, 2, carried=["age"])
        out[engine] = sorted(released(found.folder, (*features, "age")))
        assert data.histogram(features).total == 600
        data.engine.close()
    assert out["duckdb"] == out["spark"]


def test_a_table_of_spark_and_one_that_is_not_there(workers: Cluster, tmp_path: Path) -> None:
    from pyspark.sql import SparkSession

    source = write(tmp_path / "in", [people(200, 9)])
    opened = sdc.load_dataset(source, engine="spark", spark_master=workers.master)
    session = SparkSession.getActiveSession()
    assert session is not None and isinstance(opened, LargeDataset)
    session.read.parquet(str(tmp_path / "in")).createOrReplaceTempView("people")
    found = sdc.load_dataset("", spark_master=workers.master, table="people")
    assert found.histogram(["town", "sex"]).counts.tolist() == opened.histogram(
        ["town", "sex"]).counts.tolist()
    with pytest.raises(sdc.InputError, match="Spark has no table 'pets'"):
        sdc.load_dataset("", spark_master=workers.master, table="pets")
    opened.engine.close()


def test_a_worker_killed_in_the_middle_changes_nothing(
    on_spark: LargeDataset, workers: Cluster, in_duckdb: LargeDataset, tmp_path: Path
) -> None:
    """kill -9 of a worker and of the executor that it runs, while records are written. The last
    test of this file: one worker is left."""
    method, options = METHODS["swapping"], {"seed": 6, "carried": ["record"]}
    killing = threading.Thread(target=_kill, args=(workers, tmp_path / "out.unfinished"))
    killing.start()
    one = write_folder(on_spark, method, tmp_path / "out", FEATURES, **options)
    killing.join()
    assert workers.workers[0].poll() == -signal.SIGKILL and workers.workers[1].poll() is None
    other = write_folder(in_duckdb, method, tmp_path / "whole", FEATURES, **options)
    assert differing(one.folder, other.folder, (*FEATURES, "record")) == (ROWS, 0)


def _kill(found: Cluster, aside: Path) -> None:
    """Once the first rows are on their way."""
    until = time.monotonic() + 120
    while time.monotonic() < until and not list(aside.glob(".part-*.half/_temporary/0/*/*")):
        time.sleep(0.02)
    worker = found.workers[0]
    children = _descendants(worker.pid)
    for process in (worker.pid, *children):
        os.kill(process, signal.SIGKILL)


def _descendants(parent: int) -> list[int]:
    found, wanted = [], [parent]
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.parent.name)] = int(fields[1])
    while wanted:
        above = wanted.pop()
        below = [process for process, of in parents.items() if of == above]
        found += below
        wanted += below
    return found

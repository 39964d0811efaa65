"""How time and memory grow with records, patterns and cells.

Each figure runs in a process of its own, so that its memory is its own. `SDC_BENCH_ROWS=1e7` makes
it smaller. The curves are drawn into scale.png.
"""

from __future__ import annotations

import functools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from sdc_core.data.population import write_population
from sdc_core.histogram import Domain, Feature
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import CellMoments, ExactBias, ExactMoments, Mechanism
from sdc_core.mechanisms.moving import Moving

ROWS = int(float(os.environ.get("SDC_BENCH_ROWS", 1e8)))
SPARK_ROWS = ROWS // 5
FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
PICTURE = ("scale.png", "Seconds against records, patterns and cells, on logarithmic axes")
ROOT = Path(__file__).resolve().parents[1]
_CHILD = """
import json, resource, sys, time
import bench.scale
began = time.perf_counter()
found = getattr(bench.scale, sys.argv[1])(*json.loads(sys.argv[2]))
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([found if isinstance(found, float) else seconds, peak]))
"""


def _apart(action: Callable[..., Any], *arguments: Any, kept: str = "off") -> tuple[float, float]:
    """Seconds and largest memory of a call in a new process."""
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, action.__name__, json.dumps(arguments)], cwd=ROOT,
        capture_output=True, text=True, env={**os.environ, "SDC_COUNTS": kept})
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    seconds, peak = json.loads(ran.stdout.splitlines()[-1])
    return seconds, peak


# ---- what is timed, each in a process of its own -------------------------------------------------


def count(folder: str, features: list[str]) -> float:
    began = time.perf_counter()
    found = sdc.load_dataset(folder, engine="duckdb").histogram(features)
    assert found.total > 0
    return time.perf_counter() - began


def count_by_hand(folder: str, features: list[str]) -> float:
    import duckdb

    listed = ", ".join(f'"{name}"' for name in features)
    began = time.perf_counter()
    duckdb.sql(f"SELECT {listed}, count(*) FROM read_parquet('{folder}/*.parquet') "
               f"GROUP BY {listed}").fetchall()
    return time.perf_counter() - began


def release(folder: str, out: str) -> float:
    from sdc_core.data.large import LargeDataset
    from sdc_core.release.at_scale import write_folder

    began = time.perf_counter()
    data = sdc.load_dataset(folder, engine="duckdb")
    assert isinstance(data, LargeDataset)
    write_folder(data, sdc.mechanism("swapping"), out, FEATURES, carried=["record", "AGEP"])
    return time.perf_counter() - began


def copy(folder: str, out: str) -> float:
    import duckdb

    Path(out).mkdir()
    began = time.perf_counter()
    for path in sorted(Path(folder).glob("*.parquet")):
        duckdb.sql(f"COPY (SELECT * FROM read_parquet('{path}')) TO '{out}/{path.name}' "
                   "(FORMAT parquet)")
    return time.perf_counter() - began


def first_chart(folder: str) -> float:
    import sdc_core.questions  # noqa: F401 (the app has it loaded)

    began = time.perf_counter()
    sdc.ask("compare", sdc.Study(sdc.load_dataset(folder, engine="duckdb")))
    return time.perf_counter() - began


def spark(folder: str, out: str, workers: int, plain: bool) -> float:
    from sdc_core.build.cluster import cluster
    from sdc_core.data.large import LargeDataset
    from sdc_core.release.at_scale import write_folder

    with cluster(workers, memory="3g") as found:
        data = sdc.load_dataset(folder, engine="spark", spark_master=found.master)
        assert isinstance(data, LargeDataset)
        data.histogram(FEATURES)  # workers are warm, and what is counted is known
        method = sdc.mechanism("swapping")
        began = time.perf_counter()
        if plain:
            from pyspark.sql import SparkSession

            session = SparkSession.getActiveSession()
            assert session is not None
            session.read.parquet(f"{folder}/*.parquet").write.parquet(out)
        else:
            write_folder(data, method, out, FEATURES, carried=["record", "AGEP"])
        seconds = time.perf_counter() - began
        data.engine.close()
    return seconds


# ---- figures -------------------------------------------------------------------------------------


def figures() -> Iterator[Figure]:
    curves: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(dir=os.environ.get("SDC_BENCH_DIR")) as folder:
        here = Path(folder)
        like = sdc.load_dataset("ma2019-twin")
        crowds = {}
        for rows in (ROWS // 100, ROWS // 10, ROWS):
            crowds[rows] = str(write_population(
                like, rows, here / f"rows-{rows}", files=max(2, min(20, rows // 500_000))))
        yield from _counting(crowds, curves)
        yield from _chart(crowds[ROWS], here)
        yield from _releasing(crowds[ROWS], here)
        yield _patterns(here, curves)
        yield from _on_spark(like, here)
    yield from _cells(curves)
    _draw(curves)


def _counting(
    crowds: dict[int, str], curves: dict[str, list[tuple[float, float]]]
) -> Iterator[Figure]:
    times = {rows: min(_apart(count, folder, FEATURES)[0] for _ in range(3))
             for rows, folder in crowds.items()}
    curves["counting records (5 features)"] = list(times.items())
    turns = [(_apart(count, crowds[ROWS], FEATURES), _apart(count_by_hand, crowds[ROWS], FEATURES))
             for _ in range(3)]
    ours, hand = (min(one[side][0] for one in turns) for side in (0, 1))
    yield Figure(f"Histogram of {ROWS:,} records × 5 features, Parquet, with opening",
                 milliseconds(ours), f"DuckDB's own GROUP BY typed by hand, {milliseconds(hand)}",
                 ours / hand, 1.3)
    peak = max(one[0][1] for one in turns)
    yield Figure("The same: largest memory of the process", f"{peak / 1e9:.2f} GB",
                 "limit of 2 GB", peak / 2e9, 1)
    yield Figure(f"Time against records, {ROWS // 100:,} to {ROWS:,}: exponent",
                 f"{_exponent(times):.2f}", "a straight line, 1", _exponent(times), 1.05)


def _exponent(times: dict[int, float]) -> float:
    x, y = np.log(list(times)), np.log(list(times.values()))
    return float(np.polyfit(x, y, 1)[0])


def _chart(folder: str, here: Path) -> Iterator[Figure]:
    kept = str(here / "kept")
    first, _ = _apart(first_chart, folder, kept=kept)
    again, _ = _apart(first_chart, folder, kept=kept)
    hand, _ = _apart(count_by_hand, folder, FEATURES)
    yield Figure(f"First exact chart on {ROWS:,} records, libraries loaded", milliseconds(first),
                 f"counting typed by hand, {milliseconds(hand)}, and 1 s", first / (hand + 1), 1)
    yield Figure("Second opening, counts kept on disk", milliseconds(again), "limit of 1 s", again,
                 1)


def _releasing(folder: str, here: Path) -> Iterator[Figure]:
    plain, _ = _apart(copy, folder, str(here / "copy"))
    ours, peak = _apart(release, folder, str(here / "swapped"))
    yield Figure(f"Release of {ROWS:,} records by swapping, to Parquet, counted and checked",
                 milliseconds(ours), f"a plain copy of the files by DuckDB, {milliseconds(plain)}",
                 ours / plain, 6)
    yield Figure("The same: largest memory of the process", f"{peak / 1e9:.2f} GB",
                 "limit of 4 GB", peak / 4e9, 1)


def _patterns(here: Path, curves: dict[str, list[tuple[float, float]]]) -> Figure:
    """Two codes whose combinations are as many as wanted, in a tenth of the records."""
    import duckdb

    times = {}
    for patterns in (100, 10_000, 1_000_000):
        side = math.isqrt(patterns)
        folder = here / f"patterns-{patterns}"
        folder.mkdir()
        duckdb.sql(
            f"COPY (SELECT CAST(hash(i) % {side} AS VARCHAR) AS a, "
            f"CAST(hash(i + 1000000007) % {side} AS VARCHAR) AS b FROM range({ROWS // 10}) t(i)) "
            f"TO '{folder}/part-0.parquet' (FORMAT parquet)")
        times[patterns] = _apart(count, str(folder), ["a", "b"])[0]
    curves[f"counting {ROWS // 10:,} records, by patterns"] = list(times.items())
    listed = ", ".join(f"{n:,}: {milliseconds(t)}" for n, t in times.items())
    return Figure("Time against patterns, 100 to 1,000,000 (two columns): exponent",
                  f"{_exponent(times):.2f}", listed, _exponent(times), None)


def _on_spark(like: sdc.Dataset, here: Path) -> Iterator[Figure]:
    folder = str(write_population(like, SPARK_ROWS, here / "for-spark", files=8))
    two, _ = _apart(spark, folder, str(here / "spark-2"), 2, False)
    one, _ = _apart(spark, folder, str(here / "spark-1"), 1, False)
    plain, _ = _apart(spark, folder, str(here / "spark-copy"), 2, True)
    yield Figure(f"Release of {SPARK_ROWS:,} records on Spark with two workers of one core",
                 milliseconds(two), f"one worker, {milliseconds(one)}", one / two, 1.4,
                 at_least=True)
    yield Figure("The same with two workers", milliseconds(two),
                 f"a plain copy by Spark, {milliseconds(plain)}", two / plain, 3)


def _cells(curves: dict[str, list[tuple[float, float]]]) -> Iterator[Figure]:
    """Exact moments of every mechanism that has them, on tables that grow."""
    for cls in FOR_TABLES:
        if issubclass(cls, CellMoments):
            sizes, limit, why = (10**4, 10**5, 10**6, 10**7), 1.1, "cells"
        elif issubclass(cls, Moving):
            # each different record is compared with each, up to 4,000 of them
            sizes, limit, why = (500, 1000, 2000, 4000), None, "compares each pattern with each"
        elif issubclass(cls, ExactBias):
            sizes, limit, why = (10**3, 10**4, 10**5), 1.1, "cells"
        else:
            continue
        times = {}
        for size in sizes:
            table = _table(size)
            method = cls(**{name: ("q",) for name in ("quasi_identifiers", "swap") if name in {
                p.name for p in cls.params()}}).suited_to(table)
            exact = isinstance(method, ExactMoments) and method.is_exact
            times[size] = best_of(3, functools.partial(_anew, method, table, exact))
        curves[f"{'moments' if exact else 'mean'}, {cls.name}"] = list(times.items())
        yield Figure(
            f"Exact {'moments' if exact else 'mean'} against cells, {sizes[0]:,} to "
            f"{sizes[-1]:,}, {cls.name}: exponent", f"{_exponent(times):.2f}",
            f"{sizes[-1]:,} {why} in {milliseconds(times[sizes[-1]])}", _exponent(times), limit)


def _anew(method: Mechanism, table: sdc.Histogram, exact: bool) -> None:
    """From nothing: patterns and classes are kept by table, so it gets a new one."""
    fresh = sdc.Histogram(table.counts.copy(), table.domain)
    method.exact_moments(fresh) if exact else method.bias(fresh)  # type: ignore[attr-defined]


def _table(cells: int) -> sdc.Histogram:
    """Counts of a sparse table: a feature to change, one to match by, and others that stay."""
    wide = {"q": 10, "m": 5}
    rest = cells // 50
    for name in ("r", "s", "t"):
        wide[name] = min(rest, 500)
        rest = max(1, rest // 500)
    features = tuple(
        Feature(name, name, tuple(map(str, range(n))), tuple(map(str, range(n))))
        for name, n in wide.items())
    domain = Domain(features)
    rng = np.random.default_rng(1)
    return sdc.Histogram(1 + rng.negative_binomial(0.3, 0.01, domain.size), domain)


def _draw(curves: dict[str, list[tuple[float, float]]]) -> None:
    import plotly.graph_objects as go
    from plotly import colors

    figure = go.Figure([
        go.Scatter(x=[x for x, _ in points], y=[y for _, y in points], name=what,
                   mode="lines+markers", line={"dash": "dot" if "moments" in what else "solid"})
        for what, points in curves.items()])
    figure.update_layout(
        template="plotly_white", width=1200, height=675, font={"size": 15},
        title="How time grows with records, patterns and cells", colorway=colors.qualitative.Dark24,
        xaxis={"type": "log", "title": "records, patterns or cells", "exponentformat": "power"},
        yaxis={"type": "log", "title": "seconds", "exponentformat": "power"})
    figure.write_image(ROOT / "bench" / PICTURE[0], scale=1)

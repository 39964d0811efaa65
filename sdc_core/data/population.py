"""Made-up populations of any size, to try things out on: records like a twin's, streamed to files.

Question: how does this behave with as many records as a country has? Each record is one of the
twin's drawn at random, with a place drawn anew now and then, so that rare combinations occur as
they do in large data. Nobody in them is real.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from sdc_core.data.dataset import Dataset
from sdc_core.data.raw import Distinct
from sdc_core.data.schema import Column, Role, Schema, Type
from sdc_core.engines import SCHEMA_OF_FOLDER
from sdc_core.errors import InputError
from sdc_core.whole_file import PART, write_whole

MOST_ROWS = 10**9
ID = "record"
_MOVED = 0.02  # share of records whose place is drawn anew
_PARTS = "part-*.parquet"
_CHUNK = 1_000_000


def write_population(
    like: Dataset, rows: int, folder: str | Path, files: int = 8, seed: int = 7,
    columns: tuple[str, ...] = (), tell: Callable[[int, int], None] = lambda done, of: None,
) -> Path:
    """So many records like those of a data set, in a new folder of Parquet files with a schema.

    Columns are the data set's usual features and its numbers, unless they are named, and `record`,
    a running number. The same seed gives the same population, whatever the number of files.
    """
    if like.origin == "real":
        raise InputError("A population is made like a twin, not like real people.")
    if not 1 <= rows <= MOST_ROWS:
        raise InputError(f"rows must be in [1, {MOST_ROWS:,}], got {rows:,}.")
    if not 1 <= files <= rows:
        raise InputError(f"files must be in [1, {rows:,}], got {files:,}.")
    if seed < 0:
        raise InputError(f"seed must be a whole number and at least 0, got {seed}. Try 7.")
    target = Path(folder)
    if target.exists():
        raise InputError(f"{str(target)!r} is there already. Take another name.")
    names = columns or _usual(like)
    for name in names:
        like.column(name)
    aside = target.with_name(f"{target.name}.unfinished")
    aside.mkdir(parents=True, exist_ok=True)
    _tidy(aside)  # a run may have been killed
    try:
        _write_parts(like, rows, aside, files, seed, names, tell)
        write_whole(aside / SCHEMA_OF_FOLDER, _schema(like, names).to_json().encode())
        os.replace(aside, target)
    except BaseException:  # Ctrl-C, too: a disk that is full is not left so
        _tidy(aside)
        raise
    return target


def _tidy(aside: Path) -> None:
    for left in [*aside.glob(_PARTS), *aside.glob(f".*{PART}")]:
        left.unlink()


def _write_parts(
    like: Dataset, rows: int, aside: Path, files: int, seed: int, names: tuple[str, ...],
    tell: Callable[[int, int], None],
) -> None:
    own = {name: like.raw.distinct(name) for name in names}
    bounds = [rows * i // files for i in range(files + 1)]
    done = 0
    for number in range(files):
        path = aside / _PARTS.replace("*", f"{number:05d}")
        with pyarrow.parquet.ParquetWriter(path, _fields(names), compression="snappy") as writer:
            start = bounds[number]
            while start < bounds[number + 1]:
                stop = min((start // _CHUNK + 1) * _CHUNK, bounds[number + 1])
                writer.write_table(_some(like, own, names, start, stop, seed))
                done, start = done + stop - start, stop
                tell(done, rows)


def _usual(like: Dataset) -> tuple[str, ...]:
    """The features that are counted by at first, and an age where there is one."""
    further = [n for n in ("AGEP",) if n in like.features and n not in like.default_features]
    return (*like.default_features, *further)


def _fields(names: tuple[str, ...]) -> pa.Schema:
    return pa.schema([(ID, pa.int64()), *((name, pa.string()) for name in names)])


def _some(
    like: Dataset, own: Mapping[str, Distinct], names: tuple[str, ...], start: int, stop: int,
    seed: int,
) -> pa.Table:
    """Records from one number up to another. Each million has a stream of its own, and each record
    its place in it."""
    first = start // _CHUNK * _CHUNK
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(first // _CHUNK,)))
    donor, moved, other = (rng.integers(0, len(like), _CHUNK), rng.random(_CHUNK) < _MOVED,
                           rng.integers(0, len(like), _CHUNK))
    wanted = slice(start - first, stop - first)
    columns = [pa.array(np.arange(start, stop))]
    for name in names:
        which = np.where(moved, other, donor) if name == like.place else donor
        codes = own[name].codes[which[wanted]]
        columns.append(own[name].texts.take(pa.array(codes, mask=codes < 0)))
    return pa.table(columns, schema=_fields(names))


def _schema(like: Dataset, names: tuple[str, ...]) -> Schema:
    return Schema((
        Column(ID, "Record", Role.PERSON, Type.WHOLE, note="a running number"),
        *(dataclasses.replace(like.column(name)) for name in names),
    ))

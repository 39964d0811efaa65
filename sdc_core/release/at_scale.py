"""A release of records that stay where they are: a folder of Parquet files, made part by part.

Question: how does a protected file of a hundred million records come about? The method says on the
table of counts what becomes of the records of each cell (`RecordMoves`); a database hands each
record its new values by one join. The draw of a record is a hash of the seed and of what tells it
apart, so the release is the same whatever the engine, its workers or the order of the rows.

The folder appears when all is done, in one step. Until then the work lies beside it, and the same
command goes on where it was stopped.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from sdc_core.as_json import plain
from sdc_core.data.large import LargeDataset, Patterns
from sdc_core.data.schema import Role
from sdc_core.engines import SCHEMA_OF_FOLDER, Part, Source, opened, statements
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Generalises, Mechanism, MovesRecords, Release
from sdc_core.mechanisms.record_moves import OUT, RecordMoves
from sdc_core.release import formats, intervals
from sdc_core.release.content import Content
from sdc_core.release.formats import TextColumn
from sdc_core.release.writing import ReleaseFile, as_text
from sdc_core.version import __version__
from sdc_core.whole_file import PART, beside, put, write_whole

UNFINISHED = ".unfinished"
ROWS_A_PART = 5_000_000  # of records that are drawn anew
PROVENANCE = "_provenance.json"  # databases pass over names that begin so
_JOB, _DONE = "job.json", ".done"


@dataclass(frozen=True)
class Progress:
    """How far the work is: records, and seconds since it began (or went on, after `before`)."""

    done: int
    of: int
    before: int
    seconds: float

    @property
    def a_second(self) -> float:
        return (self.done - self.before) / max(self.seconds, 1e-9)

    @property
    def left(self) -> float:
        """Seconds."""
        return (self.of - self.done) / max(self.a_second, 1e-9)


def progress_words(progress: Progress) -> str:
    """`12,000,000 of 100,000,000 records, 1,400,000 a second, about 63 s left`."""
    left = progress.left
    rest = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min"
    return (f"{progress.done:,} of {progress.of:,} records, {progress.a_second:,.0f} a second, "
            f"about {rest} left")


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class WrittenFolder:
    """Where a release went, and what stands in its provenance."""

    folder: Path
    provenance: dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Job:
    """What is to be released, and how: everything that the result hangs on."""

    dataset: LargeDataset
    table: Histogram
    patterns: Patterns
    method: Mechanism
    seed: int
    carried: tuple[str, ...]
    labels: bool

    def settings(self, parts: Sequence[Part]) -> dict[str, Any]:
        return plain({
            "data": self.dataset.digest, "ids": self.dataset.engine.ids,
            "engine": self.dataset.engine.name, "method": self.method.code(), "seed": self.seed,
            "features": self.table.domain.names, "read_off": self.table.domain.read_off,
            "carried": self.carried, "labels": self.labels, "version": __version__,
            "parts": [[part.name, part.rows] for part in parts],
        })


def write_folder(
    dataset: LargeDataset, method: Mechanism, folder: str | Path, features: Sequence[str] = (),
    seed: int = 7, domain: Any = "dictionary", carried: Sequence[str] = (), labels: bool = False,
    tell: Tell = lambda progress: None,
) -> WrittenFolder:
    """Release all records of a data set into a new folder, and say how it came about.

    `carried` are columns that go along with each record as they are: the method says nothing about
    them, and they are listed as published exactly. If it is stopped, the same call goes on.
    """
    target = Path(folder)
    if target.exists():
        raise InputError(f"{str(target)!r} is there already, so it is left as it is. Take another "
                         "name.")
    names = tuple(features) or dataset.default_features
    table = dataset.histogram(names, domain)
    method = method.suited_to(table)
    method.check(table)
    job = _Job(dataset, table, dataset.patterns(names, domain), method, seed,
               _carried(dataset, table, carried), labels)
    try:
        return _Work(job, target, tell).run()
    except OSError as problem:
        raise InputError(
            f"{str(target)!r} cannot be written: {problem.strerror or problem}. Choose a folder "
            "that may be written to and has room, or make room: the same command then goes on."
        ) from None


def _carried(
    dataset: LargeDataset, table: Histogram, wanted: Sequence[str]
) -> tuple[str, ...]:
    for name in wanted:
        dataset.column(name)
        if name in table.domain.names:
            raise InputError(f"{name} is a feature of the table, so it cannot be carried along "
                             "as it is. Leave it out of one of the two.")
    return tuple(wanted)


class _Work:
    """One release, from what is known of the table to a folder that is there."""

    def __init__(self, job: _Job, target: Path, tell: Tell) -> None:
        self._job, self._target, self._tell = job, target, tell
        self._aside = target.with_name(target.name + UNFINISHED)

    def run(self) -> WrittenFolder:
        job = self._job
        if isinstance(job.method, MovesRecords):
            moves = job.method.record_moves(job.table, job.seed)
            parts = list(job.dataset.engine.parts())
            self._begin(parts)
            self._write_all(parts, self._by_joining(moves))
            content = self._written_content(moves)
        else:
            if job.carried:
                raise InputError(
                    f"{job.method.name} draws its records anew, so nothing can be carried along "
                    "with them. Leave the columns out."
                )
            content = _drawn_anew(job)
            parts = _parts_of(content)
            self._begin(parts)
            self._write_all(parts, lambda part: self._write_drawn(content, part))
        return self._finish(content)

    def _begin(self, parts: Sequence[Part]) -> None:
        """Beside the folder: a new start, or what an earlier call has left of the same work."""
        settings = self._job.settings(parts)
        known = self._aside / _JOB
        if self._aside.exists():
            try:
                before = json.loads(known.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                before = None
            if before is not None and before != settings:
                raise InputError(
                    f"{str(self._aside)!r} holds another release that was not finished (other data "
                    "or settings). Finish that one, delete the folder, or take another name."
                )
            ours = (self._aside / PROVENANCE).exists()  # killed just before it had its name
            if before is None and not ours and any(
                    p.suffix != PART for p in self._aside.iterdir()):
                raise InputError(f"{str(self._aside)!r} is in the way. Delete it, or take another "
                                 "name.")
        self._aside.mkdir(parents=True, exist_ok=True)
        write_whole(known, json.dumps(settings, ensure_ascii=False).encode())
        done = {path.stem for path in self._aside.glob(f"*{_DONE}")}
        for path in self._aside.iterdir():  # of parts that were not finished
            if path != known and path.suffix != _DONE and _part_of(path) not in done:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _write_all(self, parts: Sequence[Part], write: Callable[[Part], int]) -> None:
        every = sum(part.rows for part in parts)
        done = before = sum(p.rows for p in parts if self._done(p).exists())
        began = time.monotonic()
        for part in parts:
            if self._done(part).exists():
                continue
            rows = write(part)
            write_whole(self._done(part), json.dumps({"rows": rows}).encode())
            done += part.rows
            self._tell(Progress(done, every, before, time.monotonic() - began))

    def _done(self, part: Part) -> Path:
        return self._aside / f"{part.name}{_DONE}"

    def _files(self, part: str = "") -> list[Path]:
        return sorted(p for p in self._aside.glob(f"{part}*.parquet"))

    def _by_joining(self, moves: RecordMoves) -> Callable[[Part], int]:
        job = self._job
        engine, keys = job.dataset.engine, job.patterns.keys
        with_gaps = [i for i in range(len(keys))
                     if job.patterns.rows[statements.key(i)].null_count]
        headers = self._headers(moves)
        statement = statements.released(
            job.seed, keys, with_gaps, list(headers), job.carried)
        engine.put("patterns", _patterns(job.patterns))
        ends = self._ends(moves, with_gaps)
        texts = {statements.out(i): known for i, known in enumerate(headers.values())}
        engine.put("moves", intervals.as_table(moves, ends, texts))

        def write(part: Part) -> int:
            engine.look_at(part)
            engine.write(statement, [*headers, *job.carried], self._aside, part)
            rows = _rows_in(self._files(part.name))
            if OUT not in moves.targets and rows != part.rows:
                raise InputError(
                    f"{part.rows - rows:,} records of {part.name} are not among those that were "
                    "counted: they were changed in between. Start again."
                )
            return rows

        return write

    def _headers(self, moves: RecordMoves) -> dict[str, list[str]]:
        """What each published column is called, and its texts."""
        content = Content(
            Release(self._job.method, self._job.table, np.zeros(0, np.int64), self._job.seed),
            "records", moves.features, tuple(moves.places.T), np.zeros(len(moves.places), np.int64))
        made = ReleaseFile("records.parquet", content, self._job.dataset, self._job.labels)
        return {column.header: list(column.texts) for column, _ in made.columns()
                if isinstance(column, TextColumn)}

    def _ends(self, moves: RecordMoves, with_gaps: Sequence[int]) -> intervals.Draws:
        if moves.shares is not None:
            return intervals.by_chance(moves)
        job, engine = self._job, self._job.dataset.engine
        cells, places = intervals.wanted_places(moves)
        if not len(cells):  # nobody is drawn: all records of a cell go to one place
            none = np.zeros(0, dtype=np.int64)
            return intervals.by_place(moves, none, none, none.astype(np.uint64))
        engine.put("bounds", pa.table({"cell": cells, "place": places}))
        statement = statements.ranked(job.seed, job.patterns.keys, with_gaps)
        for look in (intervals.worth_looking, _everywhere):
            upto = look(moves, job.patterns.cells)
            movable = _patterns(job.patterns).append_column(
                statements.UPTO, intervals.as_texts(upto))
            engine.put("patterns", movable.filter(pa.array(upto > 0)))
            found = engine.rows(statement)
            if found.num_rows == len(cells):
                break
        engine.put("patterns", _patterns(job.patterns))
        return intervals.by_place(
            moves, found["cell"].to_numpy(), found["place"].to_numpy().astype(np.int64),
            intervals.as_draws(found["draw"].to_pylist()))

    def _write_drawn(self, content: Content, part: Part) -> int:
        ends = np.cumsum(content.counts)
        inside = np.clip(np.minimum(ends, part.first + part.rows) - np.maximum(
            ends - content.counts, part.first), 0, None)
        chosen = np.flatnonzero(inside)
        made = ReleaseFile("records.parquet", content, self._job.dataset, self._job.labels)
        columns = [dataclasses.replace(column, places=column.places[chosen])
                   for column, _ in made.columns() if isinstance(column, TextColumn)]
        target = self._aside / f"{part.name}.parquet"
        with beside(target) as file:
            formats.write(columns, inside[chosen], "parquet", file)
            put(file, target)
        return part.rows

    def _written_content(self, moves: RecordMoves) -> Content:
        """What the files hold, read off them: they are counted once more."""
        job, headers = self._job, self._headers(moves)
        counter = opened(Source("parquet", "", tuple(self._files())), "duckdb")
        try:
            found = counter.rows(statements.counted(
                [statements.name(one) for one in headers], job.table.domain.size))
        finally:
            counter.close()
        places = tuple(
            formats.places_of(found[statements.key(i)], texts, "parquet", "the release")
            for i, texts in enumerate(headers.values()))
        counts = found[statements.COUNT].to_numpy().astype(np.int64)
        order = np.lexsort(places[::-1])
        places, counts = tuple(one[order] for one in places), counts[order]
        if moves.numbers is not None:
            _check_numbers(moves, places, counts)
        release = Release(job.method, job.table, counts, job.seed)
        groups = job.method.published_groups(job.table, job.seed) if isinstance(
            job.method, Generalises) else None
        return Content(release, "records", moves.features, places, counts, groups=groups)

    def _finish(self, content: Content) -> WrittenFolder:
        job, files = self._job, self._files()
        made = ReleaseFile(f"{self._target.name}.parquet", content, job.dataset, job.labels)
        found = made.provenance_of({
            "name": self._target.name, "bytes": sum(p.stat().st_size for p in files),
            "files": [{"name": p.name, "sha256": _sha256(p)} for p in files],
        })
        found = _with_carried(found, job)
        write_whole(self._aside / PROVENANCE, as_text(found).encode())
        write_whole(self._aside / SCHEMA_OF_FOLDER, made.file_schema().to_json().encode())
        for path in [*self._aside.glob(f"*{_DONE}"), self._aside / _JOB]:
            path.unlink()
        os.replace(self._aside, self._target)
        return WrittenFolder(self._target, found)


def _everywhere(moves: RecordMoves, cells: intervals.Ints) -> intervals.Draws:
    return np.full(len(cells), 2**64 - 1, dtype=np.uint64)


def _patterns(patterns: Patterns) -> pa.Table:
    keys = [statements.key(i) for i in range(len(patterns.keys))]
    return patterns.rows.select(keys).append_column(statements.CELL, pa.array(patterns.cells))


def _drawn_anew(job: _Job) -> Content:
    """Counts as people, in the order of the groups, which says nothing else about anybody."""
    counts = job.method.release(job.table, job.seed).people()
    cells = np.flatnonzero(counts)
    release = Release(job.method, job.table, counts, job.seed)
    places = tuple(np.asarray(code) for code in np.unravel_index(cells, job.table.domain.shape))
    return Content(release, "records", job.table.domain.features, places, counts[cells])


def _parts_of(content: Content) -> list[Part]:
    return [Part(f"part-{i:05d}", (), first, min(ROWS_A_PART, content.rows - first))
            for i, first in enumerate(range(0, content.rows, ROWS_A_PART))]


def _check_numbers(moves: RecordMoves, places: tuple[Any, ...], counts: Any) -> None:
    """As many of each as were drawn. Two equal draws of 64 bits at the end of an interval would
    make a difference of one."""
    shape = tuple(len(f) for f in moves.features)
    there = moves.targets != OUT
    assert moves.numbers is not None
    wanted = np.bincount(moves.targets[there], moves.numbers[there], minlength=len(moves.places))
    expected = dict(zip(np.ravel_multi_index(tuple(moves.places.T), shape).tolist(),
                        wanted.astype(np.int64).tolist(), strict=True))
    found = dict(zip(np.ravel_multi_index(places, shape).tolist(), counts.tolist(), strict=True))
    if found != {cell: number for cell, number in expected.items() if number}:
        raise InputError(
            "The records are not those that were counted, or two of them had the same draw. Start "
            "again, with another seed if nothing was changed."
        )


def _with_carried(found: dict[str, Any], job: _Job) -> dict[str, Any]:
    """What only a release of this kind says."""
    engine = job.dataset.engine
    drawn = isinstance(job.method, MovesRecords)
    out = {**found, "records": {
        "engine": engine.says,
        "told_apart": engine.ids if drawn else "not at all: they are drawn anew",
        "draw": f"the first {statements.DIGITS} digits of md5 of the seed, a colon, and what tells "
                "a record apart" if drawn else "none: counts are drawn, and records made of them",
        "order": "by the draw within each file or part of one, so it says nothing about anybody"
                 if drawn else "by group",
        "carried_along": list(job.carried),
    }}
    if job.carried:
        known = (Role.PERSON, Role.HOUSEHOLD)
        ids = [n for n in job.carried if job.dataset.column(n).role in known]
        out["published_exactly"] = [
            *found["published_exactly"], f"the columns {', '.join(job.carried)}, as they stand"]
        out["records"]["warning"] = (
            "The promise says nothing about columns that are carried along: together with them "
            "records may be recognised." + (
                f" {', '.join(ids)} names people: this is a working file, not one to publish."
                if ids else ""))
    return out


def _part_of(path: Path) -> str:
    """The part that a file belongs to, by its name."""
    return "-".join(path.name.lstrip(".").partition(".")[0].split("-")[:2])


def _rows_in(files: Sequence[Path]) -> int:
    return sum(pyarrow.parquet.read_metadata(path).num_rows for path in files)


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for block in _blocks(file):
            found.update(block)
    return found.hexdigest()


def _blocks(file: Any) -> Iterator[bytes]:
    while block := file.read(1 << 22):
        yield block

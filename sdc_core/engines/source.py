"""Where records too many for memory are: files of one kind, or a table of a database.

Question: which records does a path, a pattern or a table's name mean, and are they one table? Files
are listed and looked at (columns, types, numbers in their names) before anything is counted, so
that a file that is missing or does not belong is one sentence and not a wrong sum.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from sdc_core.errors import InputError

Kind = Literal["parquet", "csv", "duckdb", "spark"]
_ENDINGS: dict[str, Kind] = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".duckdb": "duckdb",
}
SCHEMA_OF_FOLDER = "_schema.json"  # databases pass over names that begin so
_WILD = re.compile(r"[*?\[]")
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)$")
_FILES_LOOKED_AT = 16
_ENDS = 1 << 16  # bytes at both ends of a file that are looked at to know it again


@dataclass(frozen=True)
class Source:
    """Records somewhere else: `files` of one kind in the order of their names, or a `table` of the
    DuckDB file or of Spark's catalogue. `said` is how the reader named it."""

    kind: Kind
    said: str
    files: tuple[Path, ...] = ()
    table: str = ""
    separator: str = ","

    @property
    def title(self) -> str:
        """What it is called on a page."""
        if self.kind == "spark":
            return self.table
        if self.kind == "duckdb":
            return f"{self.files[0].stem}.{self.table}" if self.table else self.files[0].stem
        if len(self.files) == 1:
            return self.files[0].name
        return f"{self.files[0].parent.name or self.files[0].stem}, {len(self.files)} files"

    @functools.cached_property
    def fingerprint(self) -> str:
        """Differs if a file was changed: name, size, time of the last change and the bytes at both
        ends of each. Empty where there are no files to look at."""
        if not self.files:
            return ""
        found = hashlib.sha256(json.dumps([self.kind, self.table, self.separator]).encode())
        for path in self.files:
            try:
                known = path.stat()
                with open(path, "rb") as file:
                    head = file.read(_ENDS)
                    file.seek(max(0, known.st_size - _ENDS))
                    tail = file.read(_ENDS)
            except OSError as problem:
                raise unreadable(path, problem) from None
            found.update(json.dumps([path.name, known.st_size, known.st_mtime_ns]).encode())
            found.update(head + tail)
        return found.hexdigest()

    @functools.cached_property
    def rows_of_files(self) -> tuple[int, ...]:
        """How many rows each file has, where files say so themselves (Parquet)."""
        if self.kind != "parquet":
            return ()
        return tuple(_metadata(path).num_rows for path in self.files)


def unreadable(path: Path, problem: Exception) -> InputError:
    reason = getattr(problem, "strerror", None) or "it is cut off or damaged"
    return InputError(f"{str(path)!r} cannot be read: {reason}.")


def is_elsewhere(said: str) -> bool:
    """Does this name records that are not one file: a pattern, a list, a folder or a database?"""
    path = Path(said)
    return path.suffix == ".duckdb" or path.is_dir() or (
        bool(_WILD.search(said) or "," in said) and not path.is_file())


def source_of(said: str, table: str = "", separator: str = "") -> Source:
    """The files that a path, a folder, a pattern or a list of them (with commas) means."""
    if Path(said).suffix == ".duckdb":
        return Source("duckdb", said, (_one_file(said),), table)
    named = "," in said and not Path(said).exists()
    files = [p for part in (said.split(",") if named else [said]) for p in _listed(part.strip())]
    kinds = {_ENDINGS.get(path.suffix.lower()) for path in files}
    if len(kinds) > 1 or not kinds <= {"parquet", "csv"}:
        odd = next((p for p in files if _ENDINGS.get(p.suffix.lower()) not in ("parquet", "csv")),
                   files[-1])
        raise InputError(
            f"{said!r} means {odd.name!r} among others: all files have to be Parquet, or all CSV."
        )
    kind = kinds.pop()
    assert kind is not None
    if not named:
        _refuse_gap(files)
    tab = "\t" if files[0].suffix.lower() == ".tsv" else ","
    found = Source(kind, said, tuple(files), table, separator or tab)
    _check_alike(found)
    return found


def _one_file(said: str) -> Path:
    path = Path(said)
    if not path.is_file():
        raise InputError(f"There is no file {said!r}.")
    return path.resolve()


def _listed(part: str) -> list[Path]:
    path = Path(part)
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.suffix.lower() in (".parquet", ".pq", ".csv"))
    elif _WILD.search(part) and not path.exists():
        found = sorted(Path(p) for p in glob.glob(part))
    else:
        found = [_one_file(part)]
    found = [p.resolve() for p in found if p.is_file() and not p.name.startswith((".", "_"))]
    if not found:
        raise InputError(f"No file of records is there for {part!r}. Check the path.")
    return found


def _refuse_gap(files: Sequence[Path]) -> None:
    """Files that are numbered from one end to the other, but for some: a part was probably left
    behind, and the sums would be too small without a word."""
    parts = [_NUMBERED.match(path.stem) for path in files]
    if len(files) < 2 or not all(parts) or len({(m[1], m[3]) for m in parts if m}) > 1:
        return
    numbers = [int(m[2]) for m in parts if m]
    missing = sorted(set(range(min(numbers), max(numbers) + 1)) - set(numbers))
    if missing and len(missing) < len(numbers):
        number = max(n for n in numbers if n < missing[0])
        raise InputError(
            f"After {files[numbers.index(number)].name!r} number {missing[0]} is missing. Put the "
            "file there, or name the files one by one, with commas, if it is not to be counted."
        )


def _check_alike(source: Source) -> None:
    """The same columns of the same types in every file."""
    first = columns_of(source, source.files[0])
    for path in source.files[1:]:
        here = columns_of(source, path)
        for name in [*first, *(n for n in here if n not in first)]:
            if name not in here or name not in first:
                raise InputError(
                    f"{path.name if name not in here else source.files[0].name} has no column "
                    f"{name!r}, other files have. All files need the same columns."
                )
            if first[name] != here[name]:
                raise InputError(
                    f"Column {name!r} is {here[name]} in {path.name} and {first[name]} in "
                    f"{source.files[0].name}. All files need the same types."
                )


def columns_of(source: Source, path: Path) -> dict[str, str]:
    """The columns of one file, and their types."""
    if source.kind == "parquet":
        schema = _metadata(path).schema.to_arrow_schema()
        odd = next((f for f in schema if pa.types.is_nested(f.type)
                    or pa.types.is_binary(f.type) or pa.types.is_large_binary(f.type)), None)
        if odd is not None:
            raise InputError(
                f"{path.name}: column {odd.name!r} holds lists or raw bytes, not plain values."
            )
        return {f.name: _plain_type(f.type) for f in schema}
    try:
        with pyarrow.csv.open_csv(
            path, parse_options=pyarrow.csv.ParseOptions(delimiter=source.separator)
        ) as file:
            return dict.fromkeys(file.schema.names, "text")
    except (pa.ArrowException, OSError, StopIteration) as problem:
        raise unreadable(path, problem) from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8, which a database needs of CSV files. Save it as UTF-8."
        ) from None


def sample_of_files(source: Source, number: int) -> pa.Table:
    """About so many records as they stand in the files: the first ones of each of several files,
    so always the same."""
    few = source.files[:: max(1, len(source.files) // _FILES_LOOKED_AT)]
    each = max(1, number // len(few))
    found = [_first(source, path, each) for path in few]
    return pa.concat_tables(found, promote_options="default")  # gaps in some files only


def _first(source: Source, path: Path, number: int) -> pa.Table:
    try:
        if source.kind == "parquet":
            file = pyarrow.parquet.ParquetFile(path)
            batch = next(file.iter_batches(batch_size=number), None)
            return file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches(
                [batch])
        names = list(columns_of(source, path))
        with pyarrow.csv.open_csv(
            path, parse_options=pyarrow.csv.ParseOptions(delimiter=source.separator),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, null_values=[""],
                strings_can_be_null=True),
        ) as lines:
            return pa.Table.from_batches([lines.read_next_batch()]).slice(0, number)
    except (pa.ArrowException, OSError, StopIteration) as problem:
        raise unreadable(path, problem) from None


def _plain_type(kind: pa.DataType) -> str:
    """Without how it is stored."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return "text" if pa.types.is_large_string(kind) or pa.types.is_string(kind) else str(kind)


@functools.lru_cache(maxsize=4096)
def _metadata_at(path: Path, size: int, changed: int) -> pyarrow.parquet.FileMetaData:
    return pyarrow.parquet.read_metadata(path)


def _metadata(path: Path) -> pyarrow.parquet.FileMetaData:
    try:
        known = path.stat()
        return _metadata_at(path, known.st_size, known.st_mtime_ns)
    except (pa.ArrowException, OSError) as problem:
        raise unreadable(path, problem) from None

"""The data sets the project knows, and where their files are looked for."""

from __future__ import annotations

import dataclasses
import hashlib
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from sdc_core.data.dataset import Dataset, Origin
from sdc_core.data.described import Dictionary
from sdc_core.data.dictionary import FIVE_FEATURES, PLACES
from sdc_core.data.excerpt import (
    described_columns,
    excerpt_schema,
    is_excerpt,
    part_of,
    with_derived,
)
from sdc_core.data.lab_files import BODYFAT, PEF, PIMA, SVCENSUS, Described
from sdc_core.data.large import load_large
from sdc_core.data.loading import fitted, read_own_data
from sdc_core.data.raw import Raw
from sdc_core.data.readers import content_of, fits_into_memory, read_file
from sdc_core.data.readers.limits import MAX_BYTES
from sdc_core.data.readers.text import as_separator
from sdc_core.data.schema import Schema
from sdc_core.data.schema_file import schema_from
from sdc_core.engines import (
    SCHEMA_OF_FOLDER,
    EngineName,
    Source,
    is_elsewhere,
    source_of,
)
from sdc_core.errors import InputError
from sdc_core.folders import bundled, fetched, shown
from sdc_core.whole_file import read_whole, write_whole

NIST_DIRECTORY = fetched("nist")
TWIN_DIRECTORY = bundled("data/twins")

# The excerpts as NIST publishes them, pinned to one commit so that the checksums stay true.
NIST_ADDRESS = (
    "https://raw.githubusercontent.com/usnistgov/SDNist/"
    "76b74a1ed2725f35980b786b8f00764117cd9bdb/BenchmarkData/ACSDataExcerpts/"
)

PROPOSED = "proposed"  # instead of a schema: as guessed, whatever lies beside the file


@dataclass(frozen=True)
class Entry:
    """One data set of the catalogue: a file, or `parts` (other entries) one under the other.

    What is `described` says itself what its columns mean; all others are census excerpts. Real
    files with a `folder` can be fetched from NIST's repository.
    """

    id: str
    title: str
    origin: Origin
    file: str
    rows: int
    folder: str = ""
    sha256: str = ""
    parts: tuple[str, ...] = ()
    described: Described | None = field(default=None, repr=False)

    @property
    def twin(self) -> str:
        """The id of the bundled data to show where this is not here: its own twin, else the twin
        of a file of the same kind."""
        kind = "svcensus" if self.described else "ma2019"
        return next(
            e.id for name in (self.id, kind) for e in CATALOGUE
            if e.origin == "twin" and e.id.removesuffix("-twin") == name.removesuffix("-twin"))

    @property
    def how_to_get(self) -> str:
        """What to do for a real file that is not on this machine."""
        if self.described:
            return f"{' or '.join(self.files)} ({self.described.source}) has to be put into the " \
                   "folder that SDC_DATA_DIR names"
        return f"Put it in {shown(NIST_DIRECTORY)} or in the folder SDC_DATA_DIR names, or run " \
               "'python -m sdc_core datasets fetch'"

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that it is read from."""
        return tuple(one.file for one in self.pieces)

    @property
    def pieces(self) -> tuple[Entry, ...]:
        """The entries that it is read from, one a file."""
        return tuple(entry(part) for part in self.parts) or (self,)

    def paths(self) -> tuple[Path, ...]:
        """Where its files are; empty if this machine lacks one of them."""
        found = [path for one in self.pieces if (path := one._own_path())]
        return tuple(found) if len(found) == len(self.pieces) else ()

    def path(self) -> Path | None:
        """Where its (first) file is, or None if this machine does not have all of them."""
        return next(iter(self.paths()), None)

    def check_content(self, body: bytes) -> None:
        """Is it the file that the catalogue means? How its lines end makes no difference."""
        if self.sha256 and _sha256(body.replace(b"\r\n", b"\n")) != self.sha256:
            self.check_rows(body.count(b"\n") - 1)
            raise self._another("its checksum is not the one that is known")

    def check_rows(self, rows: int) -> None:
        if rows != self.rows:
            raise self._another(
                f"it has {max(rows, 0):,} rows instead of {self.rows:,}, so it is cut off or "
                "of another kind")

    def _another(self, why: str) -> InputError:
        """Numbers from it would be wrong in silence."""
        if self.origin == "twin":
            return InputError(f"{self.file} is not as it comes with the program: {why}. Install or "
                              "check out the program anew.")
        fetch = "run 'python -m sdc_core datasets fetch'"
        get = fetch if self.folder else "put the right one there"
        return InputError(
            f"{self.file} is not {self.title}: {why}. Remove it and {get}, use {self.twin}, or "
            "open it under another name as a file of your own.")

    def _own_path(self) -> Path | None:
        if self.origin == "twin":
            return TWIN_DIRECTORY / self.file
        paths = (directory / self.file for directory in _real_directories())
        return next((path for path in paths if _is_there(path, int(time.monotonic()))), None)


CATALOGUE: tuple[Entry, ...] = (
    Entry("ma2019", "Massachusetts 2019", "real", "ma2019.csv", 7634, "massachusetts",
          "5489f7d45bccad8ae591dfe9011638def521b3f8641edf169bb45fea2c62fb44"),
    Entry("tx2019", "Texas 2019", "real", "tx2019.csv", 9276, "texas",
          "0dab7a8b745232c622d7d3bc0b7fdeaf7f8ecdb3a5653a73fd2867f5f116ed96"),
    Entry("national2019", "National 2019", "real", "national2019.csv", 27253, "national",
          "9e039c8e47c9e998d60f66fd50ec620fc2d0703decdc21f3069c9844fbef979b"),
    Entry("all2019", "All 31 places 2019", "real", "", 44163,
          parts=("ma2019", "tx2019", "national2019")),
    Entry("ma2019-twin", "Massachusetts 2019 twin", "twin", "ma2019-twin.csv", 7634,
          sha256="f9f5962d3a85130b0e228dc17b1c5d58605b1614af7aba6f94dbcc8a6a682719"),
    Entry("tx2019-twin", "Texas 2019 twin", "twin", "tx2019-twin.csv", 9276,
          sha256="f462c494aaef531438bfa308c2d9f772eabc5755d0ec7e379af3503b62a870c8"),
    Entry("national2019-twin", "National 2019 twin", "twin", "national2019-twin.csv", 27253,
          sha256="072730637a9dd32779fc1f50cc7ced3e031d144935249a39f176be9d487c5eb6"),
    Entry("all2019-twin", "All 31 places 2019 twin", "twin", "", 44163,
          parts=("ma2019-twin", "tx2019-twin", "national2019-twin")),
    Entry("svcensus", "Engineers 2000", "real", "svcensus_qeML.csv", 20090, described=SVCENSUS),
    Entry("pef", "Engineers 2000 (pef)", "real", "pef_regtools.csv", 20090, described=PEF),
    Entry("bodyfat", "Body measurements", "real", "bodyfat_mfp.csv", 241, described=BODYFAT),
    Entry("pima", "Pima diabetes study", "real", "pima_mlbench.csv", 768, described=PIMA),
    Entry("svcensus-twin", "Engineers 2000 twin", "twin", "svcensus-twin.csv", 3000,
          sha256="1c6945d59098b48d6433f845a06c17e7ea762ee9e30321f9e9e0740ec301efb7",
          described=SVCENSUS),
)


@lru_cache(maxsize=100)
def _is_there(path: Path, second: int) -> bool:
    """Looked up once a second: every move of a slider asks for all files."""
    return os.path.isfile(path)  # also in a folder that may not be looked into


def _real_directories() -> list[Path]:
    given = os.environ.get("SDC_DATA_DIR")
    return [Path(given), NIST_DIRECTORY] if given else [NIST_DIRECTORY]


def entry(dataset_id: str) -> Entry:
    for known in CATALOGUE:
        if known.id == dataset_id:
            return known
    raise InputError(
        f"There is no data set {dataset_id!r}. Known: {', '.join(e.id for e in CATALOGUE)}; "
        "or give the path of a CSV, Parquet, Excel, SPSS or Stata file."
    )


def default_id(wanted: str = "ma2019") -> str:
    """The data a page starts on: the real excerpt if it is here, else its twin."""
    return wanted if entry(wanted).path() else entry(wanted).twin


def load_dataset(
    source: str | Path | pd.DataFrame,
    schema: Schema | Dictionary | Mapping[str, Any] | str | Path | None = None,
    encoding: str | None = None, separator: str | None = None,
    engine: EngineName | None = None, table: str = "", id_column: str = "", spark_master: str = "",
) -> Dataset:
    """A data set by catalogue id, by the path of a file, or from a DataFrame.

    What its columns mean comes from `schema` (a `Schema`, its JSON, or the path of one, or of a
    dictionary), else from `mydata.schema.json` beside `mydata.csv`, else it is guessed;
    `"proposed"` always guesses. Encoding and separator of a text file are detected unless they are
    given. A file that is not in the current folder is looked for in the one SDC_DATA_DIR names.

    Records too many for memory stay where they are: a folder or a pattern of Parquet or CSV files
    (`census/*.parquet`), a DuckDB file with its `table`, a table of Spark (`spark_master` and
    `table`), or any file for which an `engine` is named. `id_column` tells records apart in a
    release.
    """
    known = next((e for e in CATALOGUE if isinstance(source, str) and e.id == source), None)
    if (encoding or separator) and (known or isinstance(source, pd.DataFrame)):
        raise InputError("Only a file has an encoding and a separator; leave them out.")
    if isinstance(source, pd.DataFrame):
        return read_own_data(source, "your data", as_schema(schema))
    if known:
        paths = known.paths()
        if not paths:
            raise InputError(
                f"The real file {' or '.join(known.files)} is not on this machine. "
                f"{known.how_to_get}, or use {known.twin}."
            )
        read = _load_described if known.described else _load_excerpt
        found, declared = read(known, paths), as_schema(schema)
        return found if declared is None else found.with_schema(
            fitted(found.raw, declared, known.id))
    if engine or table or spark_master or _is_elsewhere(str(source)):
        return _load_large(str(source), schema, separator, engine, table, id_column, spark_master)
    path = own_file(source)
    if not fits_into_memory(path):
        return _load_large(str(path), schema, separator, engine, table, id_column, spark_master)
    if id_column:
        raise InputError("An id column is for records that stay in a database: name an engine.")
    beside = path.with_suffix(".schema.json")
    if schema is None and os.path.isfile(beside):  # its name may be too long to be one
        schema = beside
    found = own_dataset(content_of(path), path.name, as_schema(schema), encoding, separator)
    return dataclasses.replace(found, path=str(path))


def _load_large(
    said: str, schema: Any, separator: str | None, engine: EngineName | None, table: str,
    id_column: str, master: str,
) -> Dataset:
    """Records that stay where they are; a schema may lie in their folder or beside it."""
    if master and table and not said:
        where = Source("spark", f"{master} {table}", table=table)
    else:
        found = said if _is_elsewhere(said) else str(own_file(said))
        where = source_of(found, table, as_separator(separator) if separator else "")
    if schema is None and where.files:
        schema = next((path for path in _schemas_beside(where) if path.is_file()), None)
    return load_large(where, as_schema(schema), engine, id_column, master)


def _is_elsewhere(said: str) -> bool:
    try:
        return is_elsewhere(said)
    except OSError:  # too long for a path, or in a folder that may not be looked into
        return False


def _schemas_beside(where: Source) -> list[Path]:
    first = where.files[0]
    own, home = first.with_suffix(".schema.json"), first.parent
    shared = [home / SCHEMA_OF_FOLDER, home.with_name(f"{home.name}.schema.json")]
    return [own, *shared] if len(where.files) == 1 else shared


def own_file(source: str | Path) -> Path:
    """Where a file is: at its path, or, if it is only a name, in the folder of own data."""
    path, folder = Path(source), os.environ.get("SDC_DATA_DIR")
    places = [path, *([Path(folder) / path] if folder and path.name == str(source) else [])]
    found = next((place for place in places if os.path.isfile(place)), None)
    if found is None and not path.suffix:
        entry(str(source))  # says which ids there are
    if found is None:
        raise InputError(
            f"There is no file {str(source)!r}, neither here nor in a folder that SDC_DATA_DIR "
            f"names. Give its whole path, or an id: {', '.join(e.id for e in CATALOGUE)}."
        )
    return found.resolve()


def own_dataset(
    content: bytes, name: str, schema: Schema | Dictionary | None = None,
    encoding: str | None = None, separator: str | None = None,
) -> Dataset:
    """Somebody's file as a data set. An excerpt of another year is known by its columns, and gets
    the labels and the domain of those in the catalogue."""
    table, reading, dictionary = read_file(content, name, encoding, separator)
    digest = hashlib.sha256(content).hexdigest()
    asked = {"encoding": encoding or "", "separator": separator or ""}
    read_as = {key: value for key, value in asked.items() if value}
    if not is_excerpt(table.column_names):
        found = read_own_data(table, name, schema, digest, reading, dictionary)
        return dataclasses.replace(found, read_as=read_as)
    known = excerpt_schema(table)
    found = read_own_data(with_derived(table), name, schema or known, digest, reading)
    return dataclasses.replace(found, read_as=read_as, propose=lambda: known)


def as_schema(
    given: Schema | Dictionary | Mapping[str, Any] | str | Path | None
) -> Schema | Dictionary | None:
    """A schema, or what a dictionary says, however it is given; None where it is to be guessed."""
    if given is None or isinstance(given, (Schema, Dictionary)):
        return given
    if given == PROPOSED:
        return None
    if isinstance(given, Mapping):
        return schema_from(json.dumps(given))
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return schema_from(given)
    try:
        return schema_from(read_whole(given, MAX_BYTES), f"The schema {str(given)!r}")
    except (OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        reason = getattr(problem, "strerror", None) or "not a path"
        raise InputError(f"The schema {str(given)!r} cannot be read: {reason}.") from None


def _load_excerpt(known: Entry, paths: Sequence[Path]) -> Dataset:
    tables, content = [], hashlib.sha256()
    for one, path in zip(known.pieces, paths, strict=True):
        body = content_of(path)
        content.update(body)
        one.check_content(body)
        tables.append(read_file(body, path.name).table)
    whole = with_derived(pa.concat_tables(tables))
    kind = "NIST Diverse Community Excerpt of the 2019 American Community Survey"
    source = kind if known.origin == "real" else f"Synthetic twin of the {kind}"
    schema = described_columns(whole.column_names, _places(known))
    return Dataset(
        known.id, known.title, known.origin, source, Raw(whole), schema, FIVE_FEATURES,
        content.hexdigest(), propose=lambda: schema,
    )


def _load_described(known: Entry, paths: Sequence[Path]) -> Dataset:
    assert known.described is not None
    body = content_of(paths[0])
    known.check_content(body)
    table, schema = known.described.read(read_file(body, paths[0].name).table, paths[0].name)
    known.check_rows(table.num_rows)
    what = f"{known.described.source} ({known.described.terms})"
    source = f"{what[:1].upper()}{what[1:]}" if known.origin == "real" else (
        f"Synthetic twin of {what}")
    return Dataset(
        known.id, known.title, known.origin, source, Raw(table), schema, known.described.features,
        hashlib.sha256(body).hexdigest(), propose=lambda: schema, sample=known.described.sample,
    )


def _places(known: Entry) -> list[str]:
    """The places that a data set is about, whoever is in it."""
    names = known.parts or (known.id,)
    return [code for code in PLACES if any(_is_in(code, name) for name in names)]


def _is_in(place: str, data: str) -> bool:
    states = {"ma2019": "25", "tx2019": "48"}
    wanted = states.get(data.removesuffix("-twin"))
    return part_of(place) == (wanted or "")


def fetch_real_files(
    say: Callable[[str], None], directory: Path = NIST_DIRECTORY, address: str = NIST_ADDRESS
) -> list[Path]:
    """Download the real excerpts from NIST's public repository and check them.

    Nothing half-downloaded or altered is ever left behind under the real name.
    """
    directory.mkdir(parents=True, exist_ok=True)
    fetched = []
    for known in (e for e in CATALOGUE if e.origin == "real" and e.folder):
        target = directory / known.file
        if target.is_file() and _sha256(target.read_bytes()) == known.sha256:
            say(f"{known.file}: already here")
            fetched.append(target)
            continue
        try:
            with urllib.request.urlopen(
                f"{address}{known.folder}/{known.file}", timeout=30
            ) as answer:
                body = answer.read(50_000_000)
        except (urllib.error.URLError, http.client.HTTPException, OSError) as problem:
            reason = " ".join(str(getattr(problem, "reason", problem)).split())
            raise InputError(
                f"Could not download {known.file} from NIST's repository ({reason}). Check the "
                f"network, or put the file into {shown(directory)} by hand; the twins work "
                "without it."
            ) from None
        if _sha256(body) != known.sha256:
            raise InputError(
                f"{known.file} was downloaded but its checksum is not the expected one; it was "
                f"thrown away. Put the 2019 excerpt into {shown(directory)} by hand."
            )
        try:
            write_whole(target, body)
        except OSError as problem:
            raise InputError(
                f"{known.file} was downloaded but cannot be written to {shown(directory)}: "
                f"{problem.strerror or problem}. Nothing was changed there."
            ) from None
        say(f"{known.file}: downloaded, checksum right")
        fetched.append(target)
    return fetched


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()

"""The data sets the project knows, and where their files are looked for."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from sdc_core.data.dataset import (
    DEFAULT_BINS,
    Column,
    Dataset,
    Origin,
    bin_labels,
    described_columns,
    equal_count_edges,
    to_numbers,
)
from sdc_core.data.dictionary import COLUMNS, NOT_APPLICABLE
from sdc_core.data.loading import read_own_data, read_table
from sdc_core.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
NIST_DIRECTORY = ROOT / "data" / "nist"
TWIN_DIRECTORY = ROOT / "data" / "twins"

# The excerpts as NIST publishes them, pinned to one commit so that the checksums stay true.
NIST_ADDRESS = (
    "https://raw.githubusercontent.com/usnistgov/SDNist/"
    "76b74a1ed2725f35980b786b8f00764117cd9bdb/BenchmarkData/ACSDataExcerpts/"
)

FIVE_FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")


@dataclass(frozen=True)
class Entry:
    """One data set of the catalogue: a file, or `parts` (other entries) one under the other."""

    id: str
    title: str
    origin: Origin
    file: str
    rows: int
    folder: str = ""
    sha256: str = ""
    parts: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that it is read from."""
        return tuple(entry(part).file for part in self.parts) or (self.file,)

    def paths(self) -> tuple[Path, ...]:
        """Where its files are; empty if this machine lacks one of them."""
        whole = [entry(part) for part in self.parts] or [self]
        found = [path for one in whole if (path := one._own_path())]
        return tuple(found) if len(found) == len(whole) else ()

    def path(self) -> Path | None:
        """Where the file is, or None if this machine does not have it; of several files the one
        that changed last."""
        return max(self.paths(), key=lambda path: path.stat().st_mtime, default=None)

    def _own_path(self) -> Path | None:
        if self.origin == "twin":
            return TWIN_DIRECTORY / self.file
        for directory in _real_directories():
            if (directory / self.file).is_file():
                return directory / self.file
        return None


CATALOGUE: tuple[Entry, ...] = (
    Entry("ma2019", "Massachusetts 2019", "real", "ma2019.csv", 7634, "massachusetts",
          "5489f7d45bccad8ae591dfe9011638def521b3f8641edf169bb45fea2c62fb44"),
    Entry("tx2019", "Texas 2019", "real", "tx2019.csv", 9276, "texas",
          "0dab7a8b745232c622d7d3bc0b7fdeaf7f8ecdb3a5653a73fd2867f5f116ed96"),
    Entry("national2019", "National 2019", "real", "national2019.csv", 27253, "national",
          "9e039c8e47c9e998d60f66fd50ec620fc2d0703decdc21f3069c9844fbef979b"),
    Entry("all2019", "All 31 places 2019", "real", "", 44163,
          parts=("ma2019", "tx2019", "national2019")),
    Entry("ma2019-twin", "Massachusetts 2019 twin", "twin", "ma2019-twin.csv", 7634),
    Entry("tx2019-twin", "Texas 2019 twin", "twin", "tx2019-twin.csv", 9276),
    Entry("national2019-twin", "National 2019 twin", "twin", "national2019-twin.csv", 27253),
    Entry("all2019-twin", "All 31 places 2019 twin", "twin", "", 44163,
          parts=("ma2019-twin", "tx2019-twin", "national2019-twin")),
)


def _real_directories() -> list[Path]:
    given = os.environ.get("SDC_DATA_DIR")
    return [Path(given), NIST_DIRECTORY] if given else [NIST_DIRECTORY]


def entry(dataset_id: str) -> Entry:
    for known in CATALOGUE:
        if known.id == dataset_id:
            return known
    raise InputError(
        f"There is no data set {dataset_id!r}. Known: {', '.join(e.id for e in CATALOGUE)}; "
        "or give the path of a CSV or Parquet file."
    )


def default_id(wanted: str = "ma2019") -> str:
    """The data a page starts on: the real excerpt if it is here, else its twin."""
    return wanted if entry(wanted).path() else f"{wanted}-twin"


def load_dataset(source: str | Path | pd.DataFrame) -> Dataset:
    """A data set by catalogue id, by CSV or Parquet path, or from a DataFrame."""
    if isinstance(source, pd.DataFrame):
        return read_own_data(source, "your data")
    if isinstance(source, str) and any(e.id == source for e in CATALOGUE):
        known = entry(source)
        paths = known.paths()
        if not paths:
            raise InputError(
                f"The real file {' or '.join(known.files)} is not on this machine. Put it in "
                "data/nist or in the folder SDC_DATA_DIR names, run 'python -m sdc_core datasets "
                f"fetch', or use {known.id}-twin."
            )
        return _load_excerpt(known, paths)
    path = Path(source)
    if not path.is_file():
        entry(str(source))  # says which ids there are
    return read_own_data(read_table(path.read_bytes(), path.name), path.name)


def _load_excerpt(known: Entry, paths: Sequence[Path]) -> Dataset:
    tables = []
    for path in paths:
        table = read_table(path.read_bytes(), path.name)
        unknown = [name for name in table.columns if name not in COLUMNS]
        if unknown or "PUMA" not in table.columns:
            raise InputError(
                f"{path.name} is not the NIST excerpt: column {unknown[:1] or 'PUMA'}."
            )
        tables.append(table)
    records = pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]
    for name in records.columns:
        if COLUMNS[str(name)].kind == "numeric":
            records[name] = to_numbers(records[name], str(name))
        else:
            records[name] = records[name].astype("category")
    records["INCOME_50K"] = (records["PINCP"] >= 50_000).map({True: "1", False: "0"})
    records["INCOME_50K"] = records["INCOME_50K"].astype("category")
    ages = records["AGEP"].to_numpy()
    edges = equal_count_edges(ages, DEFAULT_BINS)
    group = pd.Series(edges.searchsorted(ages, side="right"), index=records.index)
    records["AGE_BIN"] = group.astype(str).astype("category")
    columns = [
        _with_age_labels(c, bin_labels(ages, edges)) if c.name == "AGE_BIN" else c
        for c in described_columns(records, records["PUMA"].unique())
    ]
    kind = "NIST Diverse Community Excerpt of the 2019 American Community Survey"
    source = kind if known.origin == "real" else f"Synthetic twin of the {kind}"
    return Dataset(
        known.id, known.title, known.origin, source, records, tuple(columns), FIVE_FEATURES
    )


def _with_age_labels(column: Column, labels: list[str]) -> Column:
    words = {str(i): f"aged {label}" for i, label in enumerate(labels)}
    return Column(column.name, column.title, column.kind, words,
                  not_applicable=NOT_APPLICABLE, unit="years")


def fetch_real_files(
    say: Callable[[str], None], directory: Path = NIST_DIRECTORY, address: str = NIST_ADDRESS
) -> list[Path]:
    """Download the real excerpts from NIST's public repository and check them.

    Nothing half-downloaded or altered is ever left behind under the real name.
    """
    directory.mkdir(parents=True, exist_ok=True)
    fetched = []
    for known in (e for e in CATALOGUE if e.origin == "real" and not e.parts):
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
                "network, or put the file into data/nist by hand; the twins work without it."
            ) from None
        if _sha256(body) != known.sha256:
            raise InputError(
                f"{known.file} was downloaded but its checksum is not the expected one; it was "
                "thrown away. Put the 2019 excerpt into data/nist by hand."
            )
        target.write_bytes(body)
        say(f"{known.file}: downloaded, checksum right")
        fetched.append(target)
    return fetched


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()

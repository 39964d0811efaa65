"""A data set whose records stay where they are: a database counts them, and only counts come back.

What its columns mean is declared in a schema, or guessed from some thousand records, as for any
file. A table of counts is made from patterns: the different combinations of values, each with how
many records have it. From there on nothing knows how many records there are.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sdc_core.data import counts_kept
from sdc_core.data.coding import DomainChoice, as_declared, coded
from sdc_core.data.dataset import Dataset
from sdc_core.data.described import Dictionary
from sdc_core.data.inference import usual_features, with_proposed_edges
from sdc_core.data.large_keys import key_of, oddity_of
from sdc_core.data.loading import fitted
from sdc_core.data.raw import Raw
from sdc_core.data.readers import Reading, check_header
from sdc_core.data.schema import Column, Schema, shortened
from sdc_core.engines import Engine, EngineName, Source, opened, statements
from sdc_core.errors import InputError
from sdc_core.histogram import MAX_CELLS, Domain, Feature, Histogram
from sdc_core.weights import Weights

MOST_PATTERNS = MAX_CELLS // 4  # that come back from a database
SAMPLE = 50_000  # records by which columns are judged


class _Elsewhere(Raw):
    """A few records, to be looked at; whoever needs them all is told that they are not here."""

    def __init__(self, table: pa.Table, rows: int) -> None:
        super().__init__(table)
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def _refuse(self, *_: Any) -> NoReturn:
        raise InputError(
            f"This needs single records, and {self._rows:,} are more than are read into memory. "
            "Questions about counts work, such as Compare, Map or Tune; for this one take a sample "
            "of the records."
        )

    distinct = numbers = fingerprint = count = _refuse  # type: ignore[assignment]


@dataclass(frozen=True)
class Patterns:
    """The different combinations of some columns' values: `keys` are the expressions that they are
    grouped by, `rows` the combinations with their counts, and `cells` where each stands in a table.
    Several may stand in one cell, such as two texts for a missing value."""

    keys: tuple[str, ...]
    rows: pa.Table
    counts: NDArray[np.int64]
    cells: NDArray[np.int64]
    domain: Domain


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeDataset(Dataset):
    """`seen` are some records, by which columns are judged, `rows` is how many there are in all."""

    engine: Engine
    where: Source
    seen: Raw
    rows: int

    @property
    def looked_at(self) -> Dataset:
        return Dataset(
            self.id, self.title, self.origin, self.source, self.seen, self.schema,
            self.default_features, self.file_sha256, self.reading, self.path)

    @property
    def household(self) -> None:
        """Who lives with whom is not followed at this size."""
        return None

    @property
    def records(self) -> pd.DataFrame:
        self.raw.distinct(self.schema.names[0])
        raise AssertionError("refused before")

    def with_schema(self, schema: Schema) -> Dataset:
        return dataclasses.replace(
            self, schema=_with_edges(self.seen, schema),
            default_features=usual_features(self.seen, schema))

    def feature(self, name: str, domain: DomainChoice = "dictionary") -> Feature:
        return self.patterns((name,), domain).domain.features[0]

    def patterns(
        self, names: tuple[str, ...], domain: DomainChoice, weight: str = ""
    ) -> Patterns:
        """The different records of these columns, and where they stand in the table by them; with
        sums of a weight, where one is asked for. Found once."""
        return self._kept(self._patterns, names, domain, weight)

    def _patterns(self, names: tuple[str, ...], domain: DomainChoice, weight: str) -> Patterns:
        columns = [self.column(name) for name in names]
        keys = [self._key(column) for column in columns]
        odd = {c.name: one for c in columns if (one := oddity_of(c, self.seen))}
        found = self._counted(statements.counted([*keys, *odd.values()], MOST_PATTERNS, weight))
        counts = found[statements.COUNT].to_numpy().astype(np.int64)
        for i, name in enumerate(odd):
            self._refuse_odd(name, found[statements.key(len(keys) + i)], counts)
        features, codes = [], []
        for i, column in enumerate(columns):
            code, feature = self._coded(column, found[statements.key(i)], counts, domain)
            codes.append(code.astype(np.int64))
            features.append(feature)
        read_off = tuple(
            c.name for c, feature in zip(columns, features, strict=True)
            if domain == "observed" or not as_declared(c, feature))
        whole = Domain(tuple(features), read_off)
        return Patterns(tuple(keys), found, counts, np.ravel_multi_index(
            tuple(codes), whole.shape).astype(np.int64), whole)

    def _key(self, column: Column) -> str:
        if column.kind == "identifier":
            raise InputError(
                f"{column.name} cannot be counted by: {column.note or f'its role is {column.role}'}"
                "."
            )
        return key_of(column, self.seen)

    def _coded(
        self, column: Column, values: pa.ChunkedArray, counts: NDArray[np.int64],
        domain: DomainChoice,
    ) -> tuple[NDArray[np.integer], Feature]:
        """Values as positions in the feature. Bins stand as they are in the schema: the database
        has used their edges already, and what is missing is no number any more."""
        raw = Raw(pa.table({column.name: values}))
        if column.is_number:
            codes, feature = coded(raw, dataclasses.replace(column, missing=()), "dictionary")
        else:
            codes, feature = coded(raw, column, domain)
        if domain == "dictionary" and column.has_domain and not as_declared(column, feature):
            self._refuse_undeclared(column, feature, codes, counts)
        return codes, feature

    def _refuse_undeclared(
        self, column: Column, feature: Feature, codes: NDArray[np.integer],
        counts: NDArray[np.int64],
    ) -> NoReturn:
        """Of a small file, what was not declared is a group more, and said to be read off. Here a
        wrong value among a hundred million is a mistake, more likely than not."""
        known = len(column.edges) + 1 if column.is_number else len(column.values)
        records = int(counts[codes >= known].sum())
        first = int(codes[codes >= known].min())
        missing = feature.unordered_tail and first == len(feature) - 1
        what = "no value" if missing else repr(shortened(feature.values[first]))
        remedy = "say in the schema that it may be missing" if missing else (
            "add it to its values in the schema, or to its missing codes")
        raise InputError(
            f"{column.name} has {what}, which is not declared, in {records:,} of {self.rows:,} "
            f"records. Mend the records, or {remedy}."
        )

    def _refuse_odd(
        self, name: str, texts: pa.ChunkedArray, counts: NDArray[np.int64]
    ) -> None:
        wrong = np.array([one is not None for one in texts.to_pylist()], dtype=bool)
        if wrong.any():
            example = texts[int(np.argmax(wrong))].as_py()
            raise InputError(
                f"{name} cannot be read as a {self.column(name).type} in "
                f"{int(counts[wrong].sum()):,} of {self.rows:,} records, such as "
                f"{shortened(example)!r}. Mend them, or add it to its missing codes in the schema."
            )

    def _histogram(self, names: tuple[str, ...], domain: DomainChoice) -> Histogram:
        self._check_names(names, domain)
        found = self.patterns(names, domain)
        return Histogram(_summed(found.cells, found.counts, found.domain.size), found.domain)

    def _represented(self, names: tuple[str, ...], domain: DomainChoice) -> Histogram:
        table, column = self.histogram(names, domain), self._weight_column()
        value = statements.name(column)
        if not self.seen.is_numeric(column):
            value = f"TRY_CAST({value} AS DOUBLE)"
        found = self.patterns(names, domain, value)
        sums, least, most, known = (
            found.rows[one].cast(pa.float64()).to_numpy()
            for one in (statements.SUM, statements.LEAST, statements.MOST, statements.KNOWN))
        if (known < found.counts).any() or not (least >= 0).all():
            sums = np.full(len(sums), np.nan)  # some record has none, or less than nothing
        made = Weights.of(sums, found.cells, len(table), column)
        return dataclasses.replace(table, weights=dataclasses.replace(
            made, mean=float(sums.sum()) / self.rows, largest=float(most.max())))

    def _counted(self, statement: str) -> pa.Table:
        """From the disk if it was counted before and nothing has changed since."""
        name = counts_kept.name_of(self.where.fingerprint, statement)
        found = counts_kept.kept(name) if self.where.fingerprint else None
        if found is None:
            found = self.engine.rows(statement)
            if found.num_rows > MOST_PATTERNS:
                raise InputError(
                    f"These columns have more than {MOST_PATTERNS:,} different combinations. Count "
                    "by fewer features, or use bins."
                )
            if self.where.fingerprint:
                counts_kept.keep(name, found)
        return found

    @functools.cached_property
    def digest(self) -> str:
        """Names the source as it is now, and how it is read: records are not read for it."""
        known = self.where.fingerprint or f"{self.where.said} {self.where.table} {self.rows}"
        return hashlib.sha256(f"{self.schema.to_json()}{known}".encode()).hexdigest()


def _summed(
    cells: NDArray[np.int64], counts: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, cells, counts)
    return found


def load_large(
    where: Source, schema: Schema | Dictionary | None = None, engine: EngineName | None = None,
    id_column: str = "", master: str = "",
) -> LargeDataset:
    """The records of a source as a data set: a few are read, the others stay where they are."""
    running = opened(where, engine, id_column, master)
    sample = running.sample(SAMPLE)
    check_header(sample.column_names, where.title)
    ours = next((n for n in sample.column_names if n.startswith(statements.OURS)), None)
    if ours is not None:
        raise InputError(f"Column {ours!r} has a name that is used here. Rename it.")
    rows = sum(where.rows_of_files) if where.rows_of_files else int(
        running.rows("SELECT count(*) AS n FROM records")["n"][0].as_py())
    if not rows:
        raise InputError(f"{where.title} has no records.")
    if id_column:
        _check_ids(running, id_column, rows)
    seen = Raw(sample)
    known = _with_edges(seen, fitted(seen, schema, where.title))
    kind = {"parquet": "Parquet", "csv": "CSV", "duckdb": "DuckDB", "spark": "Spark table"}
    asked = {"engine": engine or "", "table": where.table, "id_column": id_column}
    return LargeDataset(
        "own", f"{where.title} ({rows:,} records)", "own", where.title,
        _Elsewhere(sample, rows), known, usual_features(seen, known), where.fingerprint,
        Reading(kind[where.kind], notes=(
            f"{rows:,} records stay where they are and are counted there; columns were judged by "
            f"{sample.num_rows:,} of them.",)),
        path=where.said, read_as={key: value for key, value in asked.items() if value},
        propose=functools.cache(functools.partial(fitted, seen, None, where.title)),
        engine=running, where=where, seen=seen, rows=rows,
    )


def _check_ids(engine: Engine, column: str, rows: int) -> None:
    """Does a column tell records apart? Two with one id would have one draw. Different ones are
    counted about, within a few per cent, which any database does at once."""
    one = statements.name(column)
    found = engine.rows(
        f"SELECT count({one}) AS known, approx_count_distinct({one}) AS different FROM records")
    known, different = (int(found[n][0].as_py()) for n in ("known", "different"))
    if known < rows:
        raise InputError(
            f"{column} is missing in {rows - known:,} of {rows:,} records, so it cannot tell them "
            "apart."
        )
    if different < 0.8 * rows:
        raise InputError(
            f"{column} has about {different:,} different values for {rows:,} records, so it cannot "
            "tell them apart."
        )


def _with_edges(seen: Raw, schema: Schema) -> Schema:
    """Numbers without edges get some, by the records that were looked at."""
    return Schema(tuple(
        with_proposed_edges(seen, column) if column.kind == "numeric" and not column.edges
        else column for column in schema))

"""A data set: records, what its columns mean, and histograms of any features."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.data import behind_counts
from sdc_core.data.coding import DomainChoice, as_declared, coded
from sdc_core.data.inference import inferred, usual_features
from sdc_core.data.raw import Raw
from sdc_core.data.readers.limits import Reading
from sdc_core.data.schema import Column, Role, Schema, Type
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.keep import Keep

Origin = Literal["real", "twin", "own"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records as they stand in a file, with the meaning of their columns.

    `file_sha256` names the file that they were read from, where there is one, `path` says where it
    is, if that is known, `reading` how it was read, and `read_as` which encoding and separator were
    asked for. `propose` gives what the columns mean if nobody says otherwise.
    """

    id: str
    title: str
    origin: Origin
    source: str
    raw: Raw
    schema: Schema
    default_features: tuple[str, ...] = ()
    file_sha256: str = ""
    reading: Reading | None = None
    path: str = ""
    read_as: Mapping[str, str] = field(default_factory=dict)
    propose: Callable[[], Schema] | None = field(default=None, repr=False)
    sample: bool = True  # were the people drawn from a population? (of own data nobody knows)
    held_elsewhere: ClassVar[bool] = True  # by whoever opened it
    _kept: Keep = field(default_factory=Keep, repr=False, init=False)

    def __post_init__(self) -> None:
        if self.propose is None:
            guess = functools.cache(functools.partial(inferred, self.raw))
            object.__setattr__(self, "propose", guess)

    @property
    def proposed(self) -> Schema:
        """What the columns mean if nobody says otherwise; made when asked for, and once."""
        assert self.propose is not None
        return self.propose()

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def looked_at(self) -> Dataset:
        """The records by which columns are judged: all of them, where they are in memory."""
        return self

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.schema.columns

    @property
    def features(self) -> tuple[str, ...]:
        """Columns that can be an axis of a histogram."""
        return tuple(c.name for c in self.columns if c.kind != "identifier")

    @property
    def place(self) -> str | None:
        """The column that says where people are; None if none does."""
        return next((n for n in self.schema.by_role(Role.PLACE) if n in self.features), None)

    @property
    def weight(self) -> str | None:
        """The column that says for how many people a record stands; None if there is none."""
        found = self.schema.by_role(Role.WEIGHT)
        return found[0] if found else None

    @property
    def household(self) -> str | None:
        """The column that says who lives together; None if there is none."""
        found = self.schema.by_role(Role.HOUSEHOLD)
        return found[0] if found else None

    @functools.cached_property
    def largest_household(self) -> int | None:
        """How many people live in the largest household; None where no column says who does."""
        if self.household is None:
            return None
        return behind_counts.largest_household(self.raw, self.column(self.household))

    @property
    def is_survey(self) -> bool:
        """Are the records known to be a sample? Of own data that is not known."""
        return self.sample and self.origin != "own"

    def column(self, name: str) -> Column:
        found = self.schema.column(name)
        if found is None:
            raise InputError(
                f"{self.id} has no column {name!r}. It has: {', '.join(self.features)}."
            )
        return found

    def with_columns(self, changed: Iterable[Column]) -> Dataset:
        """The same records read differently (another type, another domain)."""
        return self.with_schema(self.schema.with_columns(changed))

    def with_schema(self, schema: Schema) -> Dataset:
        """The same records, as this schema reads them; one sentence where they cannot be."""
        for column in schema:
            if column != self.schema.column(column.name) and column.is_number:
                self._check_numbers(column)
        return dataclasses.replace(
            self, schema=schema, default_features=usual_features(self.raw, schema))

    def _check_numbers(self, column: Column) -> None:
        """Can all values be read as the column says? `18 to 34` would be a lie about 34.5."""
        numbers = self.raw.numbers(column)
        broken = numbers[np.isfinite(numbers) & (numbers != np.rint(numbers))]
        if column.type is Type.WHOLE and broken.size:
            raise InputError(
                f"{column.name} cannot be read as whole numbers: it holds {broken[0]:g}. Read it "
                "as a number."
            )

    @functools.cached_property
    def records(self) -> pd.DataFrame:
        """One row a record: codes as text, numbers as floats with NaN where a value is missing or
        does not apply, dates as dates."""
        return pd.DataFrame({c.name: self._typed(c) for c in self.columns})

    def _typed(self, column: Column) -> Any:
        if column.is_number:
            numbers = self.raw.numbers(column)
            if column.type is not Type.DATE:
                return numbers
            days = np.where(np.isfinite(numbers), numbers, 0).astype("datetime64[D]")
            return np.where(np.isfinite(numbers), days, np.datetime64("NaT"))
        texts, codes = self.raw.distinct(column.name).without(column.missing)
        return pd.Categorical.from_codes(codes, categories=pd.Index(texts.to_pylist(), dtype=str))

    def histogram(
        self, features: Iterable[str], domain: DomainChoice = "dictionary",
        represented: bool = False,
    ) -> Histogram:
        """How many people have each combination of these features' values?

        `dictionary`: the product of all values that are declared beforehand, as far as they are;
        `observed`: of those that occur in the data. `represented`: the records are counted all the
        same, but the table knows for how many people they stand. The same features give the same
        object.
        """
        if represented:
            return self._kept(self._represented, tuple(features), domain)
        return self._kept(self._histogram, tuple(features), domain)

    def _represented(self, names: tuple[str, ...], domain: DomainChoice) -> Histogram:
        table, weight = self.histogram(names, domain), self._weight_column()
        codes = [self.coded(name, domain)[0] for name in names]
        return dataclasses.replace(table, weights=behind_counts.weights(
            self.raw, self.column(weight), codes, table.domain.shape))

    def _weight_column(self) -> str:
        if self.weight is None:
            raise InputError(
                f"{self.title} has no weight column, so nobody knows for how many people its "
                "records stand. Count records, or give a column the role weight."
            )
        return self.weight

    def _check_names(self, names: tuple[str, ...], domain: DomainChoice) -> None:
        if not names:
            raise InputError("Choose at least one feature to count by.")
        if len(set(names)) < len(names):
            raise InputError(f"A feature is named twice: {', '.join(names)}.")
        if domain not in ("observed", "dictionary"):
            raise InputError(f"domain must be observed or dictionary, got {domain!r}.")

    def _histogram(self, names: tuple[str, ...], domain: DomainChoice) -> Histogram:
        self._check_names(names, domain)
        found = [self.coded(name, domain) for name in names]
        read_off = tuple(
            name for name, (_, feature) in zip(names, found, strict=True)
            if domain == "observed" or not as_declared(self.column(name), feature)
        )
        full = Domain(tuple(feature for _, feature in found), read_off)
        codes = [codes for codes, _ in found]
        home = None if self.household is None else self.column(self.household)
        return Histogram.from_codes(codes, full, None if home is None else functools.partial(
            behind_counts.households, self.raw, home, codes, full.shape))

    def feature(self, name: str, domain: DomainChoice = "dictionary") -> Feature:
        """The values that a column may have, as an axis of a table."""
        return self.coded(name, domain)[1]

    def coded(
        self, name: str, domain: DomainChoice = "dictionary"
    ) -> tuple[NDArray[np.integer], Feature]:
        """A column as positions in a feature's values (kept, since pages ask again and again)."""
        return self._kept(self._code, name, domain)

    def _code(self, name: str, domain: DomainChoice) -> tuple[NDArray[np.integer], Feature]:
        return coded(self.raw, self.column(name), domain)

    @functools.cached_property
    def digest(self) -> str:
        """Names the content: columns, how they are read, and every value."""
        found = hashlib.sha256(self.schema.to_json().encode())
        for name in self.raw.names:
            for part in self.raw.fingerprint(name):
                found.update(part)
        return found.hexdigest()

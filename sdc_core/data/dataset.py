"""A data set: records, what its columns mean, and histograms of any features."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.data.dictionary import COLUMNS, NOT_APPLICABLE, Kind
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.keep import Keep

Origin = Literal["real", "twin", "own"]
DomainChoice = Literal["observed", "dictionary"]

MAX_LEVELS = 1000
DEFAULT_BINS = 5
MAX_BINS = 100
# Words for places, the likeliest first.
_PLACE_WORDS = (
    "puma", "area", "place", "region", "district", "county", "municipality", "commune", "town",
    "city", "ward", "tract", "province", "state", "canton", "zip", "postcode", "location", "nuts",
)
_LONGEST_LABEL = 60
_NAMES_FOR_MISSING = ("", "(missing)", *(f"(missing {i})" for i in range(2, MAX_LEVELS + 3)))


@dataclass(frozen=True)
class Column:
    """How a column is to be read: its kind, its words, and for numbers how many bins."""

    name: str
    title: str
    kind: Kind
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    bins: int = DEFAULT_BINS
    not_applicable: str = "missing"
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if not 2 <= self.bins <= MAX_BINS:
            raise InputError(
                f"{self.name}: bins must be in [2, {MAX_BINS}], got {self.bins}. Try 5."
            )


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records with the meaning of their columns.

    Categorical columns of `records` hold codes as text; numeric ones hold floats, with NaN where a
    value is missing or does not apply.
    """

    id: str
    title: str
    origin: Origin
    source: str
    records: pd.DataFrame
    columns: tuple[Column, ...]
    default_features: tuple[str, ...] = ()
    _kept: Keep = field(default_factory=Keep, repr=False, init=False)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def features(self) -> tuple[str, ...]:
        """Columns that can be an axis of a histogram."""
        return tuple(c.name for c in self.columns if c.kind != "identifier")

    @property
    def place(self) -> str | None:
        """The column that says where people are, as far as its name tells; None if none does."""
        return place_among([c.name for c in self.columns if c.kind == "categorical"])

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(
            f"{self.id} has no column {name!r}. It has: {', '.join(self.features)}."
        )

    def with_columns(self, changed: Iterable[Column]) -> Dataset:
        """The same records read differently (another kind, other bins)."""
        new = {c.name: c for c in changed}
        columns = tuple(new.get(c.name, c) for c in self.columns)
        records = self.records.copy(deep=False)
        for column in columns:
            if column.kind == "numeric" and not pd.api.types.is_numeric_dtype(records[column.name]):
                records[column.name] = to_numbers(records[column.name], column.name)
        return dataclasses.replace(self, records=records, columns=columns)

    def histogram(
        self, features: Iterable[str], domain: DomainChoice = "observed"
    ) -> Histogram:
        """How many people have each combination of these features' values?

        `observed`: the product of the values that occur; `dictionary`: of all values the data
        dictionary knows (places: those of this data set). The same features give the same object.
        """
        return self._kept(self._histogram, tuple(features), domain)

    def _histogram(self, names: tuple[str, ...], domain: DomainChoice) -> Histogram:
        if not names:
            raise InputError("Choose at least one feature to count by.")
        if len(set(names)) < len(names):
            raise InputError(f"A feature is named twice: {', '.join(names)}.")
        if domain not in ("observed", "dictionary"):
            raise InputError(f"domain must be observed or dictionary, got {domain!r}.")
        coded = [self.coded(name, domain) for name in names]
        full = Domain(tuple(feature for _, feature in coded))
        return Histogram.from_codes([codes for codes, _ in coded], full)

    def coded(
        self, name: str, domain: DomainChoice = "observed"
    ) -> tuple[NDArray[np.integer], Feature]:
        """A column as positions in a feature's values (kept, since pages ask again and again)."""
        return self._kept(self._code, name, domain)

    def _code(self, name: str, domain: DomainChoice) -> tuple[NDArray[np.integer], Feature]:
        column = self.column(name)
        if column.kind == "identifier":
            raise InputError(f"{name} cannot be counted by: {column.note or 'too many values'}")
        coder = _code_numeric if column.kind == "numeric" else _code_categorical
        return coder(self.records[name], column, domain)

    @functools.cached_property
    def digest(self) -> str:
        """Names the content: columns, how they are read, and every value."""
        found = hashlib.sha256(repr([(c.name, c.kind, c.bins) for c in self.columns]).encode())
        found.update(pd.util.hash_pandas_object(self.records, index=False).to_numpy().tobytes())
        return found.hexdigest()


def place_among(names: Iterable[str]) -> str | None:
    """The first of these names that reads like a place."""
    parts = {name: set(re.split(r"[^a-z]+", name.lower())) for name in names}
    return next((name for word in _PLACE_WORDS for name in parts if word in parts[name]), None)


def _code_categorical(
    values: pd.Series, column: Column, domain: DomainChoice
) -> tuple[NDArray[np.integer], Feature]:
    codes, found = pd.factorize(values.astype(object), use_na_sentinel=True)
    missing = codes < 0
    levels = [str(v) for v in found]
    known = list(column.values)
    order = [v for v in known if domain == "dictionary" or v in set(levels)]
    order += sorted((v for v in levels if v not in column.values), key=_natural)
    if len(order) > MAX_LEVELS:
        raise InputError(
            f"{column.name} has {len(order):,} different values; a feature may have {MAX_LEVELS:,}."
            " Read it as a number with bins, or leave it out."
        )
    labels = [column.values.get(v, _shortened(v)) for v in order]
    if missing.any():
        order.append(next(n for n in _NAMES_FOR_MISSING if n not in order))
        labels.append(column.not_applicable)
    position = {v: i for i, v in enumerate(order)}
    lookup = np.array([position[v] for v in levels] + [len(order) - 1], dtype=np.int16)
    feature = Feature(column.name, column.title, tuple(order), tuple(labels))
    return lookup[codes], feature


def _code_numeric(
    values: pd.Series, column: Column, domain: DomainChoice
) -> tuple[NDArray[np.integer], Feature]:
    """Equal-count bins; what is missing or does not apply is a level of its own."""
    numbers = values.to_numpy(dtype=np.float64)
    missing = ~np.isfinite(numbers)
    if missing.all():
        raise InputError(f"{column.name} has no numbers in it.")
    edges = equal_count_edges(numbers[~missing], column.bins)
    codes = np.searchsorted(edges, numbers, side="right").astype(np.int16)
    labels = [f"{column.title.lower()} {text}" for text in bin_labels(numbers[~missing], edges)]
    names = [str(i) for i in range(len(labels))]
    if missing.any():
        codes[missing] = len(labels)
        labels.append(column.not_applicable)
        names.append(NOT_APPLICABLE)
    return codes, Feature(
        column.name, column.title, tuple(names), tuple(labels), ordered=True,
        unordered_tail=int(missing.any()),
    )


def equal_count_edges(numbers: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Inner edges that cut the numbers into about equally filled bins; a value equal to an edge
    goes up. Ties can make bins fewer, never empty."""
    wanted = np.quantile(numbers, np.arange(1, bins) / bins, method="inverted_cdf")
    edges = np.unique(wanted)
    return edges[edges > numbers.min()]


def bin_labels(numbers: NDArray[np.float64], edges: NDArray[np.float64]) -> list[str]:
    """`0–17`, `18–35`, ...: the smallest and largest number that really fall in each bin."""
    inside = np.searchsorted(edges, numbers, side="right")
    labels = []
    for i in range(len(edges) + 1):
        members = numbers[inside == i]
        low, high = members.min(), members.max()
        labels.append(_number(low) if low == high else f"{_number(low)}–{_number(high)}")
    return labels


def _number(value: float) -> str:
    """`1,341,000`, `-4,600`, `2.55`: never an exponent that a reader must decode."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def to_numbers(values: pd.Series, name: str) -> pd.Series:
    """Text read as numbers; one clear sentence where that fails."""
    text = values.astype(object).where(values.notna(), None)
    text = text.where(text != NOT_APPLICABLE, None)
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    bad = numbers.isna() & text.notna()
    if bad.any():
        raise InputError(f"{name} cannot be read as a number: it holds {text[bad].iloc[0]!r}.")
    return numbers


def described_columns(records: pd.DataFrame, places: Iterable[str]) -> tuple[Column, ...]:
    """Columns of a census excerpt, with the words of the dictionary."""
    out = []
    for name in records.columns:
        words = COLUMNS[str(name)]
        values = dict(words.values)
        if name == "PUMA":
            here = set(places)
            values = {code: text for code, text in values.items() if code in here}
        note = "too many codes; use the industry categories" if words.kind == "identifier" else ""
        out.append(
            Column(str(name), words.title, words.kind, values,
                   not_applicable=words.not_applicable, unit=words.unit, note=note)
        )
    return tuple(out)


def _shortened(label: str) -> str:
    """A value as a label that fits a sentence and a chart."""
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1].rstrip()}…"


def _natural(value: str) -> tuple[int, float, str]:
    """Numbers in order of size, then words."""
    try:
        return (0, float(value), value)
    except ValueError:
        return (1, 0.0, value)

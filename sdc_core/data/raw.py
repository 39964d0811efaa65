"""The values of a file as they stand in it: nothing is converted, so that a column can be read one
way, then another, and be what it was. Everything is done on distinct values, which are few where
records are many."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sdc_core.data.parsing import days, parse_numbers
from sdc_core.data.schema import Column, Type

_EPOCH = datetime.date(1970, 1, 1)
_FIRST_DAY = (datetime.date.min - _EPOCH).days  # that a calendar has
_LAST_DAY = (datetime.date.max - _EPOCH).days


class Distinct(NamedTuple):
    """The different values of a column as text, and which of them each record has (-1: none)."""

    texts: pa.StringArray
    codes: NDArray[np.int32]

    def counts(self) -> NDArray[np.int64]:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def without(self, missing: Collection[str]) -> Distinct:
        """With these texts as no value at all."""
        if not missing:
            return self
        gone = pc.is_in(self.texts, value_set=pa.array(list(missing), pa.string()))
        gone = gone.to_numpy(zero_copy_only=False)
        if not gone.any():
            return self
        new = np.where(gone, -1, np.cumsum(~gone) - 1).astype(np.int32)
        codes = np.append(new, np.int32(-1))[self.codes]
        return Distinct(self.texts.filter(pa.array(~gone)), codes)


class Raw:
    """A table as it was read. Distinct values are found once, whatever the columns are read as."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self._distinct: dict[str, Distinct] = {}
        self._count: dict[str, int] = {}

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def names(self) -> list[str]:
        return list(self.table.column_names)

    def type_of(self, name: str) -> pa.DataType:
        """The type of its values, also where each is kept once."""
        kind = self.table.schema.field(name).type
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    def distinct(self, name: str) -> Distinct:
        if name not in self._distinct:
            self._distinct[name] = _distinct(self.table.column(name))
        return self._distinct[name]

    def count(self, name: str) -> int:
        """How many different values there are, without writing them as text."""
        if name not in self._count:
            column = self.table.column(name)
            self._count[name] = len(self.distinct(name).texts) if pa.types.is_dictionary(
                column.type) else _count(column)
        return self._count[name]

    def is_numeric(self, name: str) -> bool:
        """Were its values numbers in the file already?"""
        kind = self.type_of(name)
        return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)

    def is_moment(self, name: str) -> bool:
        """Were its values dates, or dates with a time, in the file already?"""
        kind = self.type_of(name)
        return pa.types.is_date(kind) or pa.types.is_timestamp(kind)

    def numbers(self, column: Column) -> NDArray[np.float64]:
        """The column as numbers (a date: days since 1970), not a number where there is none."""
        if column.type is not Type.DATE and self.is_numeric(column.name):
            found = self._plain(column.name).cast(pa.float64(), safe=False).to_numpy().copy()
            for code in column.missing:
                number = _float(code)
                if number is not None:
                    found[found == number] = np.nan
            found[~np.isfinite(found)] = np.nan
            return found
        if column.type is Type.DATE and self.is_moment(column.name) and not column.missing:
            moments = _local(self._plain(column.name))
            whole = moments.cast(pa.date32(), safe=False).cast(pa.int32()).cast(pa.float64())
            found = whole.to_numpy().copy()
            found[(found < _FIRST_DAY) | (found > _LAST_DAY)] = np.nan
            return found
        texts, codes = self.distinct(column.name).without(column.missing)
        parsed = days(texts, column.name) if column.type is Type.DATE else parse_numbers(
            texts, column.decimal, column.name)
        return np.append(parsed, np.nan)[codes]

    def fingerprint(self, name: str) -> Iterator[bytes]:
        """Bytes that differ if any value of the column does."""
        if self.is_numeric(name) and not pa.types.is_decimal(self.type_of(name)):
            column = self._plain(name)
            yield f"{column.type}".encode()
            yield pc.is_null(column).to_numpy().tobytes()
            yield pc.fill_null(column, 0).to_numpy().tobytes()
            return
        texts, codes = self.distinct(name)
        for text in texts.to_pylist():
            yield text.encode() + b"\0"
        yield codes.tobytes()

    def _plain(self, name: str) -> pa.ChunkedArray:
        """The column with every value written out."""
        column = self.table.column(name)
        return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else (
            column)


def _count(column: pa.ChunkedArray) -> int:
    if pa.types.is_integer(column.type) and not pa.types.is_uint64(column.type):
        low, high = pc.min_max(column).as_py().values()
        if low is not None and high - low < 4 * len(column):
            seen = np.zeros(high - low + 1, dtype=bool)  # close together: marking is faster
            seen[pc.drop_null(column).to_numpy().astype(np.int64) - low] = True
            return int(seen.sum())
    if pa.types.is_floating(column.type):  # sorting is faster than looking each one up
        values = np.sort(pc.drop_null(column).to_numpy())
        values = values[~np.isnan(values)]
        return int((np.diff(values) != 0).sum()) + bool(len(values))
    return int(pc.count_distinct(column, mode="only_valid").as_py())


def _distinct(column: pa.ChunkedArray) -> Distinct:
    if pa.types.is_dictionary(column.type):
        encoded = column.unify_dictionaries().combine_chunks()
    else:
        encoded = column.dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # no rows, or more than one array can hold
        encoded = pa.concat_arrays(encoded.chunks)
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    texts, kind = as_texts(encoded.dictionary), encoded.dictionary.type
    if not (pa.types.is_string(kind) or pa.types.is_integer(kind)) or texts.null_count:
        again = texts.dictionary_encode()  # 0 and -0, or all that is not a number, written alike
        new = again.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        codes = np.append(new, np.int32(-1))[codes]
        texts = again.dictionary
    return _occurring(texts, codes)


def _occurring(texts: pa.StringArray, codes: NDArray[np.int32]) -> Distinct:
    """Without values that a dictionary lists and no record has."""
    used = np.zeros(len(texts) + 1, dtype=bool)
    used[codes] = True  # the last one stands for none
    used = used[:-1]
    if used.all():
        return Distinct(texts, codes)
    new = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    return Distinct(texts.filter(pa.array(used)), np.append(new, np.int32(-1))[codes])


def as_texts(values: pa.Array) -> pa.StringArray:
    """Values as one would write them: 7 and not 7.0, 2019-05-01 and not a number of nanoseconds."""
    kind = values.type
    if pa.types.is_string(kind):
        return values
    if pa.types.is_floating(kind):
        return _number_texts(values)
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind) or (
        pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    ):
        return values.cast(pa.string())
    local = _local(values)
    try:
        listed = local.to_pylist()
    except (OverflowError, ValueError):  # a date that no calendar has
        return local.cast(pa.string())
    return pa.array([None if v is None else moment_text(v) for v in listed], pa.string())


def _number_texts(values: pa.Array) -> pa.StringArray:
    numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    whole = (numbers == np.round(numbers)) & (np.abs(numbers) < 2**53)
    as_whole = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(pa.string())
    texts = pc.if_else(pa.array(whole), as_whole, pa.array(numbers).cast(pa.string()))
    return pc.if_else(pa.array(np.isnan(numbers)), pa.scalar(None, pa.string()), texts)


def number_text(value: float) -> str:
    """One number as it is written in a column of them."""
    return str(_number_texts(pa.array([value], pa.float64()))[0].as_py())


def moment_text(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _local(moments: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Moments as clocks show them where they belong to; in a zone that nobody knows, as in UTC."""
    kind = moments.type
    if not pa.types.is_timestamp(kind) or kind.tz is None:
        return moments
    try:
        return pc.local_timestamp(moments)
    except pa.ArrowInvalid:
        return moments.cast(pa.timestamp(kind.unit))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

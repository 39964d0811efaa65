"""How the values of a column are to be read: as codes, texts, numbers or dates.

Codes stay codes: leading zeros, one width, or whole numbers that repeat a lot are names, not
quantities. Distinct values are looked at, never records, and a sample of them first.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sdc_core.data.name_words import CODES, WEIGHTS, YEARS, words
from sdc_core.data.parsing import are_dates, looks_numeric, parse_numbers
from sdc_core.data.raw import Distinct, Raw
from sdc_core.data.schema import Column, Type

# What files write where there is no value; whether it means that here is for the owner to say.
MISSING_TEXTS = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A", "#DIV/0!",
    "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!",
)
_MISSING_WORDS = (  # among numbers only
    "N", ".", "-", "..", "*", "?", "x", "n.a.", "k.A.", "k. A.", "keine Angabe", "missing",
    "unknown", "refused",
)
_MISSING_NUMBERS = ("-9", "-99", "-999", "-9999")  # where nothing else is below zero
FEW_LEVELS = 20
_MOST_DATES = 200_000  # different texts that are tried as dates
_LONG_TEXT = 40  # letters on average: sentences, not names
_MOST_DIGITS = 15  # what floating point tells apart
_SAMPLE = 5000
_JUDGED = 50_000  # records by which it is judged whether values repeat: in millions, all do


def usual_decimal(raw: Raw) -> str:
    """The decimal sign of the file, by columns that can be read in one way only; empty if they
    disagree or there are none."""
    found = {_clear_sign(raw.distinct(name)) for name in raw.names if _is_text(raw, name)} - {""}
    return found.pop() if len(found) == 1 else ""


def typed(raw: Raw, name: str, usual: str = "", known: Collection[str] = ()) -> Column:
    """What the values of a column say about it: type, missing codes, decimal sign. `usual` is the
    decimal sign of the file, `known` are texts that are said to stand for no value."""
    column = Column(name, name, missing=tuple(known), declared=False)
    if raw.is_numeric(name):
        return _numeric(raw, column)
    if raw.is_moment(name):
        few = raw.count(name) <= FEW_LEVELS  # a day is a group; a year's bin would hide it
        return dataclasses.replace(column, type=Type.CODE if few else Type.DATE)
    found = raw.distinct(name)
    missing = list(dict.fromkeys([*known, *_among(found, MISSING_TEXTS)]))
    words_too = list(dict.fromkeys([*missing, *_among(found, _MISSING_WORDS)]))
    decimal = decimal_sign(found.without(words_too).texts, usual)
    if decimal:
        missing = words_too
        numbers = found.without(missing)
        below = _among(numbers, _MISSING_NUMBERS)
        rest = numbers.without(below).texts
        if below and len(rest) and (parse_numbers(rest, decimal, name) >= 0).all():
            missing = [*missing, *below]
    column = dataclasses.replace(column, missing=tuple(missing), decimal=decimal or ".")
    found = found.without(missing)
    if decimal:
        percent = pc.all(pc.match_substring_regex(found.texts, r"%\s*$")).as_py()
        column = dataclasses.replace(column, unit="%" if percent else "")
        return _number_or_code(column, _Texts(found))
    return _date_text_or_code(column, found)


def _date_text_or_code(column: Column, found: Distinct) -> Column:
    if FEW_LEVELS < len(found.texts) <= _MOST_DATES and are_dates(found.texts):
        return dataclasses.replace(column, type=Type.DATE)
    lengths = pc.mean(pc.utf8_length(found.texts)).as_py() or 0
    if lengths > _LONG_TEXT and len(found.texts) > FEW_LEVELS:
        return dataclasses.replace(column, type=Type.TEXT, note="sentences, not groups")
    return column


def decimal_sign(texts: pa.StringArray, usual: str = "") -> str:
    """The decimal sign with which all texts are numbers; empty if they are not. `usual` is the
    file's, where `1,234` and `1.234` leave open whether three digits are a group."""
    if not len(texts):
        return ""
    point, comma = looks_numeric(texts, "."), looks_numeric(texts, ",")
    if not (point and comma):
        return "." if point else "," if comma else ""
    signs = [sign for sign in (",", ".") if pc.any(pc.match_substring(texts, sign)).as_py()]
    if not signs:
        return "."
    if len(signs) == 1:
        sign = signs[0]
        other = "." if sign == "," else ","
        if pc.any(pc.match_substring_regex(texts, r"^\s*[+-]?0[.,]")).as_py():
            return sign  # no group begins with a lone zero
        plain = texts.filter(pc.invert(pc.match_substring(texts, sign)))
        if len(plain):  # thousands without a group beside them, or only what is below
            return sign if np.abs(parse_numbers(plain, ".", "")).max() >= 1000 else usual or other
    return usual or "."


def _clear_sign(found: Distinct) -> str:
    """The sign of a column of numbers that can be read in one way only."""
    texts = found.without([*_among(found, MISSING_TEXTS), *_among(found, _MISSING_WORDS)]).texts
    if not len(texts):
        return ""
    point, comma = looks_numeric(texts, "."), looks_numeric(texts, ",")
    return "" if point == comma else "." if point else ","


def _is_text(raw: Raw, name: str) -> bool:
    return not raw.is_numeric(name) and not raw.is_moment(name)


def _among(found: Distinct, wanted: tuple[str, ...]) -> list[str]:
    """Those of the values that are one of these, blanks around them aside; in the order wanted."""
    trimmed = pc.utf8_trim_whitespace(found.texts)
    here = found.texts.filter(pc.is_in(trimmed, value_set=pa.array(list(wanted)))).to_pylist()
    return sorted(here, key=lambda text: wanted.index(text.strip()))


def _numeric(raw: Raw, column: Column) -> Column:
    """A column that held numbers in the file already."""
    numbers = raw.numbers(dataclasses.replace(column, type=Type.NUMBER))
    numbers = numbers[np.isfinite(numbers)]
    low = numbers[numbers < 0]
    codes = np.array([float(code) for code in _MISSING_NUMBERS])
    if len(low) and len(low) < len(numbers) and np.isin(low, codes).all():
        found = set(low.tolist())
        column = dataclasses.replace(column, missing=(
            *column.missing, *(code for code in _MISSING_NUMBERS if float(code) in found)))
        numbers = numbers[numbers >= 0]
    if not len(numbers):
        return column
    return _number_or_code(column, _Numbers(numbers))


class _Texts:
    """What can be seen of numbers that are written as text."""

    def __init__(self, found: Distinct) -> None:
        self._texts = pc.utf8_trim_whitespace(found.texts)
        self._codes = found.codes
        self.few = len(found.texts) <= FEW_LEVELS

    def _all(self, pattern: str) -> bool:
        return bool(pc.all(pc.match_substring_regex(self._texts, pattern)).as_py())

    @property
    def begins_with_zero(self) -> bool:
        return bool(pc.any(pc.match_substring_regex(self._texts, r"^0\d")).as_py())

    @property
    def whole(self) -> bool:
        return self._all(r"^[+-]?\d+$")

    @functools.cached_property
    def _widths(self) -> tuple[int, int]:
        widths = pc.min_max(pc.utf8_length(self._texts)).as_py()
        return widths["min"], widths["max"]

    @property
    def longest(self) -> int:
        return self._widths[1]

    @property
    def one_width(self) -> bool:
        return self._widths[0] == self._widths[1] >= 4

    @property
    def years(self) -> bool:
        return self._all(r"^(1[89]|20)\d\d$")

    @property
    def rounded(self) -> bool:
        return self._all(r"0$")

    @property
    def dates(self) -> bool:
        many = len(self._texts) > _MOST_DATES
        return self._widths == (8, 8) and not many and are_dates(self._texts)

    @property
    def repeated(self) -> bool:
        return _repeat(self._codes[self._codes >= 0])


class _Numbers:
    """The same of numbers that were numbers already, without writing them as text."""

    begins_with_zero = False

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        self._all = numbers

    @functools.cached_property
    def whole(self) -> bool:
        head = self._all[:_SAMPLE]
        return bool((head == np.round(head)).all() and (self._all == np.round(self._all)).all())

    @functools.cached_property
    def _different(self) -> NDArray[np.float64]:
        return pc.unique(pa.array(self._all)).to_numpy(zero_copy_only=False)

    @property
    def few(self) -> bool:
        return len(np.unique(self._all[:_SAMPLE])) <= FEW_LEVELS >= len(self._different)

    @functools.cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self._all.min()), float(self._all.max())

    @property
    def longest(self) -> int:
        return max(len(f"{end:.0f}") for end in self._ends)

    @property
    def one_width(self) -> bool:
        low, high = self._ends
        return low >= 1000 and len(f"{low:.0f}") == len(f"{high:.0f}")

    @property
    def years(self) -> bool:
        return self._ends[0] >= 1800 and self._ends[1] < 2100

    @property
    def rounded(self) -> bool:
        return bool((self._all[:_SAMPLE] % 10 == 0).all() and (self._all % 10 == 0).all())

    @property
    def dates(self) -> bool:
        low, high = self._ends
        if not (low >= 18_000_101 and high <= 20_991_231) or len(self._different) > _MOST_DATES:
            return False
        return are_dates(pa.array(self._different.astype(np.int64)).cast(pa.string()))

    @property
    def repeated(self) -> bool:
        return _repeat(self._all)


def _repeat(values: NDArray[np.generic]) -> bool:
    """Does a value occur three times or more, on average over records from the whole file?"""
    some = values[:: max(1, len(values) // _JUDGED)]
    return len(np.unique(some)) * 3 <= len(some)


def _number_or_code(column: Column, seen: _Texts | _Numbers) -> Column:
    """Digits are a code if they begin with zeros, are all of one width and repeat, or are few."""
    named = set(words(column.name))
    if seen.begins_with_zero:
        return dataclasses.replace(column, note="begins with zeros: a code")
    if not seen.whole:
        return dataclasses.replace(column, type=Type.NUMBER)
    if seen.longest > _MOST_DIGITS:
        return dataclasses.replace(column, note="too long for a number: a code")
    if named & set(WEIGHTS):
        return dataclasses.replace(column, type=Type.WHOLE)
    if seen.few:
        return column
    year = named & set(YEARS)
    if named & set(CODES) and not year:
        return dataclasses.replace(column, note="named like a code")
    if seen.dates:
        return dataclasses.replace(column, type=Type.DATE)
    if seen.one_width and seen.repeated and not (year or seen.years or seen.rounded):
        return dataclasses.replace(column, note="all of one width, and repeated: a code")
    return dataclasses.replace(column, type=Type.WHOLE)

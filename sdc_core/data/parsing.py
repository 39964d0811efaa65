"""Texts as numbers and as dates: whether they are, and which."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sdc_core.data.schema import shortened
from sdc_core.errors import InputError

_EPOCH = datetime.date(1970, 1, 1).toordinal()
_SAMPLE = 1000  # texts that are looked at first: most columns are no numbers, and say so at once
_LONGEST_NUMBER = 300  # letters of one that is surely not too large, unless it has an exponent
_MONEY = "[$€£¥]"
_SPACES = r" \x{a0}\x{202f}\x{2009}"


def _number_pattern(decimal: str, between: str) -> str:
    """Whole digits, or groups of three with one of the signs `between` them; a decimal part, an
    exponent; perhaps money or per cent."""
    digits = rf"(\d{{1,3}}([{between}]\d{{3}})+|\d+)([{decimal}]\d*)?|[{decimal}]\d+"
    return (
        rf"^([+-]?{_MONEY}?|{_MONEY} ?[+-]?)({digits})([eE][+-]?\d+)?"
        rf"([{_SPACES}]?({_MONEY}|%))?$"
    )


_BETWEEN = {".": f",'{_SPACES}", ",": f".'{_SPACES}"}
_NUMBERS = {decimal: _number_pattern(decimal, signs) for decimal, signs in _BETWEEN.items()}
_TIME = r"(?:[T ]\d[\d:.+Z-]*)?"
_DATES = {  # which part of the match is the year, the month, the day
    rf"(\d{{4}})-(\d{{1,2}})-(\d{{1,2}}){_TIME}": (0, 1, 2),
    rf"(\d{{4}})/(\d{{1,2}})/(\d{{1,2}}){_TIME}": (0, 1, 2),
    r"((?:18|19|20)\d{2})([01]\d)([0-3]\d)": (0, 1, 2),
    rf"(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}}){_TIME}": (2, 1, 0),
    rf"(\d{{1,2}})/(\d{{1,2}})/(\d{{4}}){_TIME}": (2, 1, 0),  # day or month first: see below
    rf"(\d{{1,2}})-(\d{{1,2}})-(\d{{4}}){_TIME}": (2, 1, 0),
}
_COMPILED = {pattern: re.compile(pattern, re.ASCII) for pattern in _DATES}


def looks_numeric(texts: pa.StringArray, decimal: str) -> bool:
    """Is every text a number that can be counted with, with this decimal sign?"""
    if len(texts) > _SAMPLE and not looks_numeric(texts[:_SAMPLE], decimal):
        return False
    fits = pc.match_substring_regex(pc.utf8_trim_whitespace(texts), _NUMBERS[decimal])
    if not pc.all(fits, min_count=0).as_py():
        return False
    large = pc.greater(pc.binary_length(texts), _LONGEST_NUMBER)
    for exponent in "eE":
        large = pc.or_(large, pc.match_substring(texts, exponent))
    try:
        parse_numbers(texts.filter(large), decimal, "")
    except InputError:
        return False
    return True


def parse_numbers(texts: pa.StringArray, decimal: str, name: str) -> NDArray[np.float64]:
    """Texts as numbers; one clear sentence where that fails."""
    trimmed = pc.utf8_trim_whitespace(texts)
    fits = pc.match_substring_regex(trimmed, _NUMBERS[decimal])
    bad = texts.filter(pc.invert(fits))
    if len(bad):
        raise InputError(
            f"{name} cannot be read as a number: it holds {shortened(bad[0].as_py())!r}. Read it "
            "as a code, or say that this value means missing."
        )
    plain = pc.replace_substring_regex(trimmed, f"[{_BETWEEN[decimal]}+$€£¥%]", "")
    found = pc.cast(pc.replace_substring(plain, decimal, "."), pa.float64()).to_numpy(
        zero_copy_only=False).copy()
    if not np.isfinite(found).all():
        raise InputError(f"{name} holds a number that is too large to count with.")
    return found + 0.0


def days(texts: pa.StringArray, name: str) -> NDArray[np.float64]:
    """Texts as dates, in days since 1970; one clear sentence where that fails."""
    listed = texts.to_pylist()
    for found in _readings(listed):
        if found is not None:
            return np.array(found, dtype=np.float64)
    raise InputError(
        f"{name} cannot be read as dates such as 2019-05-31, 31.05.2019 or 31/05/2019, all written "
        "alike. Read it as a code."
    )


def are_dates(texts: pa.StringArray) -> bool:
    """Can all texts be read as dates that are written alike?"""
    if len(texts) > _SAMPLE and not _patterns(texts[:_SAMPLE].to_pylist()):
        return False
    return any(found is not None for found in _readings(texts.to_pylist()))


def _patterns(listed: list[str]) -> list[str]:
    """The ways of writing a date in which all of these are written."""
    return [p for p in _DATES if listed and all(
        _COMPILED[p].fullmatch(text.strip()) for text in listed)]


def _readings(listed: list[str]) -> Iterator[list[int] | None]:
    """All texts as days, in one way of writing; day or month first only where that is clear."""
    for pattern in _patterns(listed):
        order, compiled = _DATES[pattern], _COMPILED[pattern]
        matches = [compiled.fullmatch(text.strip()) for text in listed]
        parts = [tuple(int(part) for part in m.groups()) for m in matches if m is not None]
        if order[0] == 0 or "." in pattern.replace(_TIME, ""):
            yield _as_days(parts, order)
        else:
            first, second = (max(p[i] for p in parts) > 12 for i in (0, 1))
            if first != second:
                yield _as_days(parts, (2, 1, 0) if first else (2, 0, 1))


def _as_days(parts: list[tuple[int, ...]], order: tuple[int, int, int]) -> list[int] | None:
    year, month, day = order
    try:
        return [datetime.date(p[year], p[month], p[day]).toordinal() - _EPOCH for p in parts]
    except ValueError:
        return None

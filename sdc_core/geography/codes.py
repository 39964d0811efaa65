"""Which rows of a boundary file are the areas that are wanted?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

_NAME_COLUMNS = ("namelsad", "name")


@dataclass(frozen=True)
class Match:
    """Rows per code found, names from the file, and an example if no code was found."""

    rows: Mapping[str, tuple[int, ...]]
    names: Mapping[str, str]
    example: tuple[str, str] | None


def match_codes(columns: pd.DataFrame, wanted: Sequence[str]) -> Match:
    """The rows whose code is wanted, by the column and spelling that find most codes.

    A code may be spelt as it is, without its punctuation (2500503 for 25-00503), or as a number
    that lost its leading zeros. A spelling that makes two wanted codes equal is not used. State
    and PUMA in two columns, as in Census Bureau files, are also tried together.
    """
    texts = _text_columns(columns)
    best: dict[str, tuple[int, ...]] = {}
    for spelling in (_as_is, _without_punctuation, _without_zeros):
        spelt = {spelling(code): code for code in wanted}
        if len(spelt) < len(wanted) or "" in spelt or len(best) == len(wanted):
            continue
        for values in texts.values():
            rows: dict[str, list[int]] = {}
            for i, value in enumerate(values):
                code = spelt.get(spelling(value))
                if code is not None:
                    rows.setdefault(code, []).append(i)
            if len(rows) > len(best):
                best = {code: tuple(found) for code, found in rows.items()}
    names = {code: name for code, rows in best.items() if (name := _name(columns, rows[0]))}
    return Match(best, names, _example(texts))


def _text_columns(columns: pd.DataFrame) -> dict[str, list[str]]:
    """Every column as text, and state + PUMA pairs of columns joined as in 25-00503."""
    texts = {str(name): [as_text(value) for value in columns[name]] for name in columns}
    joined = {}
    states = [n for n in texts if re.fullmatch(r"(?i)st|state(_?fp)?(10|20)?", n)]
    for state in states[:3]:
        for puma in [n for n in texts if "puma" in n.lower()][:3]:
            pairs = zip(texts[state], texts[puma], strict=True)
            joined[f"{state}-{puma}"] = [
                f"{s:0>2}-{p:0>5}" if s and p else "" for s, p in pairs
            ]
    return texts | joined


def as_text(value: object) -> str:
    """A cell as text; 2500503.0, as tables write whole numbers with gaps, without its .0."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().encode("utf-8", "replace").decode()  # half a letter is none


def _as_is(code: str) -> str:
    return code.strip()


def _without_punctuation(code: str) -> str:
    return "".join(c for c in code if c.isalnum()).casefold()


def _without_zeros(code: str) -> str:
    return _without_punctuation(code).lstrip("0")


def _name(columns: pd.DataFrame, row: int) -> str:
    for wanted in _NAME_COLUMNS:
        for column in columns:
            if re.fullmatch(rf"(?i){wanted}(10|20)?", str(column)):
                return as_text(columns[column].iloc[row])[:80]
    return ""


def _example(texts: Mapping[str, list[str]]) -> tuple[str, str] | None:
    """A value to show when nothing matches, from a column that looks like a code if one does."""
    looks = [n for n in texts if re.search(r"(?i)puma|geoid|code|^id$|fips", n)]
    for name in [*looks, *texts]:
        value = next((v for v in texts[name] if v), None)
        if value is not None:
            return name, value[:60]
    return None

"""What tells records apart, so that each has its own draw: a column, or where a record stands.

The draw of a record is a hash of the seed and this text. So a release does not hang on the engine,
on how many workers it has, or on the order in which they look at records.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sdc_core.engines.source import Source
from sdc_core.engines.statements import name
from sdc_core.errors import InputError

BY_FILE = "each record by the name of its file and its row there, counted from 0"
BY_ROW = "each record by its row in the table as it is stored"
BY_CONTENT = "each record by its values and, among records that are alike, by a running number"
_PLAIN = re.compile(r"[\w.=-]+")


def by_column(column: str, columns: Sequence[str]) -> tuple[str, str]:
    """The expression, and the words, for a column that names records."""
    if column not in columns:
        raise InputError(
            f"The records have no column {column!r} to tell them apart by. They have: "
            f"{', '.join(columns)}."
        )
    return f"CAST({name(column)} AS STRING)", f"each record by its {column}"


def file_id(source: Source, file: str, row: str) -> str:
    """A record by its file's name and its row in it."""
    names = [path.name for path in source.files]
    odd = next((n for n in names if not _PLAIN.fullmatch(n) or names.count(n) > 1), None) if (
        len(set(names)) < len(names) or not all(map(_PLAIN.fullmatch, names))) else None
    if odd is not None:
        return ""
    return f"concat({file}, ':', CAST({row} AS STRING))"


def content_id(columns: Sequence[str]) -> str:
    """A record by its values, and a number among those that are alike: any order of them gives the
    same release."""
    texts = ", '|', ".join(f"coalesce(CAST({name(c)} AS STRING), '')" for c in columns)
    alike = ", ".join(map(name, columns))
    return (f"concat({texts}, '#', CAST(row_number() OVER (PARTITION BY {alike} ORDER BY "
            f"{name(columns[0])}) AS STRING))")

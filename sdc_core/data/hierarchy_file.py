"""Hierarchies from files as other tools write them: on each line a value and its groups.

    1,White,any
    2,Not White,any
    6,Not White,any

Commas, semicolons or tabs; a first line that starts with the feature's name is a heading.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sdc_core.errors import InputError
from sdc_core.hierarchy import Group, Line, text_of
from sdc_core.whole_file import read_whole

_MOST_BYTES = 10_000_000


def hierarchy_from_csv(path: str | Path, feature: str) -> str:
    """The text of the parameter `hierarchies` for this feature, from such a file."""
    try:
        lines = read_whole(path, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "not a text file in UTF-8"
        raise InputError(
            f"hierarchies: the file {str(path)!r} cannot be read: {reason}."
        ) from None
    first = lines[0] if lines else ""
    delimiter = max(";,\t", key=first.count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter) if row]
    if rows and rows[0][0] == feature:
        rows = rows[1:]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {1}:
        raise InputError(
            f"hierarchies: the file {str(path)!r} must have a value and its groups on every line, "
            "as many on each. Try lines such as 3,Other."
        )
    values = [row[0] for row in rows]
    levels = tuple(_level(values, [row[i] for row in rows]) for i in range(1, widths.pop()))
    return text_of([Line(feature, levels)])


def _level(values: list[str], groups: list[str]) -> tuple[Group, ...]:
    """Values by their group; a group that is called like a value of another one has no name."""
    members: dict[str, list[str]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(value)
    return tuple(
        Group("" if name == "*" or (name in values and held != [name]) else name, tuple(held))
        for name, held in members.items()
    )


def with_files(text: str) -> str:
    """The text with every line `FEATURE: @file.csv` replaced by what the file says."""
    lines = []
    for line in text.replace("\n", ";").split(";"):
        feature, _, rest = line.partition(":")
        name, path = feature.strip(), rest.strip()
        lines.append(hierarchy_from_csv(path[1:], name) if path.startswith("@") else line)
    return "; ".join(lines)

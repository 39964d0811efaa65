"""A table with totals as a CSV file, as it is published, and back.

One column a variable, with `Total` for its total; where there are subtotals, one column more that
says what a code is part of. Then the number, blank where it is hidden, and the status: S for what
is sensitive, H for what is hidden to protect others. A spreadsheet runs nothing in it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from sdc_core.data.export import to_safe_csv, unguarded
from sdc_core.errors import InputError
from sdc_core.margins.table import MOST_CELLS, PEOPLE, Axis, Bools, Floats, Ints, MarginTable
from sdc_core.whole_file import read_whole

MOST_BYTES = 50_000_000
TOTAL = "Total"
STATUS = "status"
CONTRIBUTORS = "contributors"
_PART_OF = " (part of)"
_SENSITIVE, _FURTHER = "S", "H"


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A table as its file has it: nothing (NaN) where a number is hidden."""

    axes: tuple[Axis, ...]
    values: Floats
    contributors: Ints
    what: str
    hidden: Bools
    sensitive: Bools

    def table(self) -> MarginTable:
        """The whole table, where nothing of it is hidden."""
        if self.hidden.any():
            raise InputError(
                f"{int(self.hidden.sum()):,} of {len(self.hidden):,} numbers are hidden. Take a "
                "file that has them all.")
        return MarginTable(self.axes, self.values.copy(), self.contributors, None, self.what)


def to_csv(
    table: MarginTable, hidden: Bools | None = None, sensitive: Bools | None = None
) -> bytes:
    """The file. What is hidden is not in it, and nobody's number of contributors either."""
    nothing = np.zeros(len(table), dtype=np.bool_)
    hidden = nothing if hidden is None else hidden
    sensitive = nothing if sensitive is None else sensitive
    open_ = (sensitive & ~hidden).nonzero()[0]
    if len(open_):
        raise InputError(
            f"{table.name(int(open_[0]))} is sensitive and not hidden. Hide it, or leave out what "
            "is sensitive.")
    columns: dict[str, object] = {}
    places = np.unravel_index(np.arange(len(table)), table.shape)
    for axis, place in zip(table.axes, places, strict=True):
        texts = _texts(axis)
        columns[axis.title] = [texts[p] for p in place]
        if len(axis.parts) > 1:
            above = ["" if p < 0 else texts[p] for p in axis.parents]
            columns[axis.title + _PART_OF] = [above[p] for p in place]
    columns[table.what] = _numbers(table.values, hidden)
    if not table.counts_people:
        columns[CONTRIBUTORS] = _numbers(table.contributors.astype(np.float64), hidden)
    columns[STATUS] = np.where(sensitive, _SENSITIVE, np.where(hidden, _FURTHER, ""))
    wanted = sum(2 if len(a.parts) > 1 else 1 for a in table.axes) + (
        2 if table.counts_people else 3)
    if len(columns) < wanted:
        raise InputError("Two columns of the file would have the same name. Rename a variable.")
    return to_safe_csv(pd.DataFrame(columns)).encode("utf-8-sig")


def from_csv(content: bytes) -> PublishedTable:
    """What such a file says. All combinations have to be there, and all sums without hidden numbers
    have to add up; the first that is missing or off is named."""
    header, rows = _rows(content)
    what, names = _columns(header)
    axes = tuple(
        _axis(name, [row[name] for row in rows], [row.get(name + _PART_OF) for row in rows])
        for name in names)
    shape = tuple(len(axis) for axis in axes)
    if np.prod([float(n) for n in shape]) > MOST_CELLS:
        raise InputError(f"The table has more than {MOST_CELLS:,} numbers. Leave out a variable.")
    size = int(np.prod(shape))
    values, people = np.full(size, np.nan), np.zeros(size)
    status = np.full(size, "?", dtype=object)
    find = [{text: at for at, text in enumerate(axis.codes)} for axis in axes]
    for row in rows:
        at = int(np.ravel_multi_index(
            [index[row[n]] for index, n in zip(find, names, strict=True)], shape))
        named = ", ".join(row[n] for n in names)
        if status[at] != "?":
            raise InputError(f"{named} is in the file twice. Leave one of them.")
        status[at] = _status(row.get(STATUS, ""), row[what], named)
        if not status[at]:
            values[at] = _number(row[what], named)
            people[at] = values[at] if what == PEOPLE else _number(row[CONTRIBUTORS], named)
    missing = np.flatnonzero(status == "?")
    if len(missing):
        raise InputError(
            f"{_name(axes, int(missing[0]))} is not in the file. A table needs a number for every "
            f"combination, totals included; {len(missing):,} of {size:,} are missing.")
    hidden = status != ""
    _check_sums(axes, values, hidden)
    return PublishedTable(axes, values, np.rint(people).astype(np.int64), what, hidden,
                          status == _SENSITIVE)


def read_csv(path: str | Path) -> PublishedTable:
    """The table in a file."""
    try:
        return from_csv(read_whole(path, MOST_BYTES))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def _texts(axis: Axis) -> list[str]:
    """The codes in words, each another one: a label that is taken has its code beside it."""
    root = TOTAL if len(axis) > 1 else axis.labels[0]
    texts = [root, *(
        label if axis.labels[1:].count(label) == 1 and label != TOTAL and label
        else f"{label} ({code})" for code, label in zip(axis.codes[1:], axis.labels[1:],
                                                        strict=True))]
    if len(set(texts)) < len(texts):
        twice = next(t for t in texts if texts.count(t) > 1)
        raise InputError(f"{axis.title} has {twice!r} twice. Give each value a name of its own.")
    return texts


def _numbers(values: Floats, hidden: Bools) -> list[str]:
    return ["" if out else str(int(v)) if v == int(v) else repr(float(v))
            for v, out in zip(values, hidden, strict=True)]


def _rows(content: bytes) -> tuple[list[str], list[dict[str, str]]]:
    """The header and the rows by it."""
    if len(content) > MOST_BYTES:
        raise InputError(f"The file is larger than {MOST_BYTES / 1e6:g} MB. Leave out a variable.")
    try:
        read = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise InputError("The file is no CSV in UTF-8. Save it as that.") from None
    lines = [[unguarded(cell) for cell in line] for line in read if any(line)]
    if len(lines) < 2:
        raise InputError("The file has no rows. It needs a header and one row for each number.")
    header = lines[0]
    if len(set(header)) < len(header):
        raise InputError("Two columns have the same name. Rename one of them.")
    odd = next((n for n, line in enumerate(lines, start=1) if len(line) != len(header)), None)
    if odd is not None:
        raise InputError(f"Row {odd:,} has {len(lines[odd - 1]):,} columns, the header has "
                         f"{len(header):,}.")
    return header, [dict(zip(header, line, strict=True)) for line in lines[1:]]


def _columns(header: Sequence[str]) -> tuple[str, list[str]]:
    """Which column has the numbers, and which are variables."""
    known = {STATUS, CONTRIBUTORS, *(h for h in header if h.endswith(_PART_OF))}
    others = [h for h in header if h not in known]
    what = PEOPLE if PEOPLE in others else others[-1] if others else ""
    if len(others) < 2:
        raise InputError("The file needs a column for at least one variable and one for the "
                         "numbers.")
    if what != PEOPLE and CONTRIBUTORS not in header:
        raise InputError(
            f"{what!r} are no people, so the file needs a column {CONTRIBUTORS!r}: how many are in "
            "each number.")
    return what, [h for h in others if h != what]


def _axis(name: str, texts: list[str], above: Sequence[str | None]) -> Axis:
    """The codes of a variable in the order of the file, its total first."""
    parent_of: dict[str, str | None] = {}
    for text, parent in zip(texts, above, strict=True):
        if parent_of.setdefault(text, parent) != parent:
            raise InputError(f"{text!r} of {name} is part of two things. Say of one only.")
    if TOTAL not in parent_of:
        if len(parent_of) == 1:
            return Axis(name, name, (texts[0],), (texts[0],), (-1,))
        raise InputError(f"{name} has no rows for its total, {TOTAL!r}. Add them.")
    codes = _from_the_top(name, {
        text: parent or TOTAL for text, parent in parent_of.items() if text != TOTAL})
    at = {text: place for place, text in enumerate(codes)}
    parents = (-1, *(at[parent_of[text] or TOTAL] for text in codes[1:]))
    return Axis(name, name, tuple(codes), tuple(codes), parents)


def _from_the_top(name: str, parent_of: Mapping[str, str]) -> list[str]:
    """The codes, each after the one it is part of, and otherwise in their order."""
    left, codes = dict(parent_of), [TOTAL]
    known = {TOTAL}
    while left:
        text = next((one for one, parent in left.items() if parent in known), None)
        if text is None:
            text, parent = next(iter(left.items()))
            raise InputError(
                f"{text!r} of {name} is part of {parent!r}, which leads to no total. Correct it.")
        codes.append(text)
        known.add(text)
        del left[text]
    return codes


def _status(status: str, number: str, named: str) -> str:
    found = status.strip()
    if found not in ("", _SENSITIVE, _FURTHER):
        raise InputError(
            f"The status of {named} is {found!r}. It must be {_SENSITIVE}, {_FURTHER} or nothing.")
    if bool(found) is bool(number.strip()):
        raise InputError(
            f"{named} has the status {found} and a number. Leave out one of them." if found else
            f"{named} has neither a number nor a status. Give one of them.")
    return found


def _number(text: str, named: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{text[:40]!r} of {named} is no number.")
    return value


def _name(axes: Sequence[Axis], cell: int) -> str:
    places = np.unravel_index(cell, tuple(len(a) for a in axes))
    return ", ".join(a.labels[int(p)] for a, p in zip(axes, places, strict=True))


def _check_sums(axes: tuple[Axis, ...], values: Floats, hidden: Bools) -> None:
    """The first sum without hidden numbers that is off."""
    nothing = np.zeros(len(values))
    sums = MarginTable(axes, nothing, nothing.astype(np.int64)).sums
    whole = np.abs(sums) @ hidden.astype(np.float64) == 0
    shown = np.where(hidden, 0.0, values)
    off = np.abs(sums @ shown)
    wrong = np.flatnonzero(whole & (off > 1e-9 * (np.abs(sums) @ np.abs(shown)) + 1e-6))
    if len(wrong):
        start, end = sums.indptr[wrong[0] : wrong[0] + 2]
        total = int(sums.indices[start:end][sums.data[start:end] > 0][0])
        raise InputError(
            f"The table does not add up: {_name(axes, total)} is {values[total]:,.12g}, its parts "
            f"are off by {off[wrong[0]]:,.12g}. {len(wrong):,} of {int(whole.sum()):,} totals are "
            "off.")

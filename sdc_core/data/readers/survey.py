"""SPSS and Stata files, with what they say about their columns: titles, labels of values, and what
stands for no value."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sdc_core.data.described import Described, Dictionary
from sdc_core.data.raw import as_texts, number_text
from sdc_core.data.readers.apart import Unreadable, read_apart
from sdc_core.data.readers.limits import (
    FileContents,
    Reading,
    check_columns,
    check_header,
    check_size,
)
from sdc_core.data.schema import Type, shortened
from sdc_core.errors import InputError

MAX_CELLS = 60_000_000  # a minute or so
_SECONDS = 300
_MEMORY = 8_000_000_000
_READER = Path(__file__).with_name("survey_process.py")
_STATA_OLD = range(0x69, 0x74)  # the first byte before Stata 13: 105 to 115
_COUNTED_FROM_1960 = {"%tm": "months", "%tq": "quarters", "%tw": "weeks", "%th": "half-years"}


def survey_format(content: bytes) -> str:
    """SPSS or Stata, by how the file begins; empty if it is neither."""
    if content[:4] in (b"$FL2", b"$FL3"):
        return "SPSS"
    old = len(content) > 4 and content[0] in _STATA_OLD and content[1] in (1, 2) and (
        content[2:4] == b"\x01\x00")
    return "Stata" if content.startswith(b"<stata_dta>") or old else ""


def read_survey(content: bytes, name: str, encoding: str | None = None) -> FileContents:
    """The table in an SPSS or Stata file: codes, and what they mean."""
    kind = survey_format(content)
    said, stream = _run(kind, content, name, encoding or "", metadata_only=False)
    check_header(said["names"], name)
    with pa.ipc.open_stream(stream) as opened:
        parts = opened.read_all()
    check_size(parts.num_rows, len(said["names"]), parts.nbytes, name)
    table = pa.table({
        column: _whole_column(parts, place) for place, column in enumerate(said["names"])
    })
    columns = tuple(_described(said, column, table.column(column)) for column in said["names"])
    notes = [] if said["dates_kept"] else [
        "A date lies outside every calendar, so dates are left as the numbers they are kept as."]
    reading = Reading(kind, (encoding or said["encoding"]).lower(), "", tuple(notes))
    return FileContents(table, reading, Dictionary(columns))


def dictionary_of(content: bytes, name: str) -> Dictionary:
    """Only what the file says about its columns, to be used with another file."""
    said, _ = _run(survey_format(content), content, name, "", metadata_only=True)
    check_columns(len(said["names"]), name)
    return Dictionary(tuple(_described(said, column, None) for column in said["names"]))


def _run(
    kind: str, content: bytes, name: str, encoding: str, metadata_only: bool
) -> tuple[dict[str, Any], pa.Buffer]:
    """Have it read by a process of its own: see there why."""
    asked = [kind, encoding, str(MAX_CELLS), "metadata" if metadata_only else "all"]
    try:
        said, stream = read_apart(
            _READER, asked, content, _MEMORY, _SECONDS, ["pandas", "pyarrow", "pyreadstat"])
        problem = said.get("problem", "")
    except Unreadable:
        said, problem = {}, "unreadable"
    if problem:
        raise InputError(_refusal(kind, name, encoding, problem, said))
    return said, stream


def _refusal(kind: str, name: str, encoding: str, problem: str, said: dict[str, Any]) -> str:
    if problem == "size":
        size = f" ({said['rows']:,} rows, {said['columns']:,} columns)" if said.get("rows") else ""
        return (
            f"{name} is too large{size}; the limit for {kind} is {MAX_CELLS:,} values. Keep only "
            "the columns you need, or save it as Parquet or CSV."
        )
    if problem == "letters" or "character set" in said.get("reason", ""):
        return (
            f"{name} has letters that its encoding does not know. Give its encoding, such as "
            f"{'UTF-8' if encoding else 'cp1252'}, or save it again in a newer {kind}."
        )
    return (
        f"{name} looks like {kind} but cannot be read; it may be damaged or cut off. Save it "
        "again, or as CSV with labels."
    )


def _whole_column(parts: pa.Table, place: int) -> pa.Array:
    """A column with its letters for missing values, `.a` as Stata writes them."""
    column = parts.column(str(place)).combine_chunks()
    if f"{place}.letters" not in parts.column_names:
        return column
    letters = parts.column(f"{place}.letters").combine_chunks()
    return pc.coalesce(pc.binary_join_element_wise(".", letters, ""), as_texts(column))


def _described(said: dict[str, Any], name: str, column: pa.ChunkedArray | None) -> Described:
    """What the file says about a column, with codes as they stand in its values."""
    is_text, ranges = name in said["texts"], said["missing"].get(name, [])
    labels = {_code(code, is_text): shortened(str(label))
              for code, label in said["labels"].get(name, []) if str(label).strip()}
    silent = column is None or not (labels or ranges or said["letters"].get(name))
    seen = [] if silent else as_texts(pc.drop_null(pc.unique(column))).to_pylist()
    listed = [_code(low, is_text) for low, high in ranges if low == high and low is not None]
    missing = [code for code in dict.fromkeys([*listed, *labels, *seen])
               if code in listed or _is_missing(ranges, code, is_text)]
    values = {code: text for code, text in labels.items() if code not in missing}
    whole = all(code in values for code in seen if code not in missing)
    nominal = said["measures"].get(name) in ("nominal", "ordinal")
    is_code = bool(values) and (nominal or whole) and said["measures"].get(name) != "scale"
    words = [labels[code] for code in missing if code in labels]
    return Described(
        name, shortened(said["titles"].get(name) or ""), Type.CODE if is_code else None,
        values if is_code else {}, tuple(missing), words[0] if len(words) == 1 else "",
        may_be_missing=bool(missing), note=_note(said, name, {} if is_code else values),
    )


def _note(said: dict[str, Any], name: str, some: dict[str, str]) -> str:
    """What is not said otherwise: labels of a few numbers, and time since 1960."""
    unit = _COUNTED_FROM_1960.get((said["formats"].get(name) or "")[:3])
    if unit:
        return f"{unit} since 1960"
    return shortened("; ".join(f"{code}: {label}" for code, label in some.items()))


def _code(value: object, is_text: bool) -> str:
    """A value as it stands in the table: 1 and not 1.0; Stata's letters with their point."""
    if isinstance(value, (int, float)):
        return number_text(float(value))
    return str(value) if is_text else f".{value}"


def _is_missing(ranges: list[list[Any]], code: str, is_text: bool) -> bool:
    """Does it lie where the file says that there is no value? Open ends are None. Of a number that
    is a letter it is always so."""
    if is_text:
        return False  # what is listed is listed
    try:
        number = float(code)
    except ValueError:
        return code.startswith(".")
    return any(
        (-math.inf if low is None else low) <= number <= (math.inf if high is None else high)
        for low, high in ranges
    )

"""Text tables: which encoding, which separator, and every value as it stands there.

Both are detected, said, and can be given instead. Nothing is converted: all columns are text.
"""

from __future__ import annotations

import codecs
import csv
import io
import re

import pyarrow as pa
import pyarrow.csv

from sdc_core.data.readers.limits import (
    ENCODINGS,
    SEPARATORS,
    FileContents,
    Reading,
    check_header,
    check_size,
)
from sdc_core.data.schema import shortened
from sdc_core.errors import InputError

_HEADER_REACH = 1_000_000  # characters within which the header must end
_SAMPLED_ROWS = 200  # by which the separator is judged
_SAMPLED_BYTES = 100_000
_BOMS = (  # the longer first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_IN_TEXT = bytes({*range(32)} - {*b"\t\n\r\f\x1a\x1b"})
_SPREADSHEET_HINT = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # a first line that Excel obeys
_SEPARATOR_NAMES = {
    "comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|",
}


def read_text(
    content: bytes, name: str, encoding: str | None = None, separator: str | None = None
) -> FileContents:
    """The table in a CSV file, in the encoding and with the separator given or detected."""
    text, used, notes = _decoded(content, name, encoding)
    hint = _SPREADSHEET_HINT.match(text)
    if hint:
        text = "\n" + text[hint.end():]  # a blank line, so that lines are counted as an editor does
    given = as_separator(separator) if separator else hint[1] if hint else None
    found, header = _header(text, name, given)
    if len(header) < 2:
        raise InputError(
            f"{name} has only one column. A table needs at least two, separated by "
            f"{'commas, semicolons, tabs or bars' if given is None else repr(given)}."
        )
    check_header(header, name)
    encoded = text.encode("utf-8")
    if not encoded.endswith(b"\n"):
        encoded += b"\n"  # else pyarrow does not know a lone header for one
    try:
        table = pa.csv.read_csv(
            io.BytesIO(encoded),
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=1 << 24),
            parse_options=pa.csv.ParseOptions(delimiter=found, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types={column: pa.string() for column in header},
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as problem:
        raise InputError(_what_is_wrong(text, found, len(header), name, problem)) from None
    check_size(table.num_rows, table.num_columns, table.nbytes, name)
    return FileContents(table, Reading("CSV", used, found, notes))


def as_separator(given: str) -> str:
    """A separator as it is typed: the character, or its name."""
    found = _SEPARATOR_NAMES.get(given.strip().lower(), given)
    if len(found) != 1 or not found.isascii() or found in '"\r\n\0' or found.isalnum():
        raise InputError(
            f"The separator must be one sign, such as comma, semicolon, tab or bar; got "
            f"{shortened(given)!r}."
        )
    return found


def _decoded(content: bytes, name: str, given: str | None) -> tuple[str, str, tuple[str, ...]]:
    """The text, its encoding by the name under which it is offered, and what to know about it."""
    encoding, notes = (given, ()) if given else _encoding(content, name)
    try:
        known = codecs.lookup(encoding).name
        text = content.decode(encoding).removeprefix("\ufeff")
        text.encode("utf-8")
    except LookupError:
        raise InputError(
            f"There is no encoding {shortened(encoding)!r}. Try one of: {', '.join(ENCODINGS)}."
        ) from None
    except (UnicodeError, ValueError) as problem:
        line = content[: getattr(problem, "start", 0)].count(b"\n") + 1
        raise InputError(
            f"{name} is not {ENCODINGS.get(encoding, encoding)} text (line {line} holds another "
            "encoding). Give another one, or in a spreadsheet save it as 'CSV UTF-8'."
        ) from None
    if "\x00" in text:
        line = text[: text.index("\x00")].count("\n") + 1
        raise InputError(
            f"{name} is not a text file: line {line} holds a zero byte. Give a CSV file, or one of "
            "Parquet, Excel (.xlsx), SPSS (.sav) or Stata (.dta)."
        )
    offered = next((e for e in ENCODINGS if codecs.lookup(e).name == known), encoding)
    return text, offered, notes


def _encoding(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """By the mark at its start; else UTF-16 if every other byte is 0; else UTF-8 if it is that;
    else Windows-1252, the commonest of those that cannot be told apart."""
    for mark, marked in _BOMS:
        if content.startswith(mark):
            return marked, ()
    if b"\x00" in content:
        return _utf_16_without_mark(content, name), ()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
    else:
        return "utf-8", ()
    sample = content[:_SAMPLED_BYTES]
    if len(sample) - len(sample.translate(None, _NOT_IN_TEXT)) > len(sample) // 100:
        raise InputError(_not_text(name))
    _check_not_broken_utf_8(content, line, name)
    note = (
        f"Not UTF-8 (line {line}): read as {{}}. If accents look wrong, choose another encoding."
    )
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:  # five bytes mean nothing in Windows-1252
        return "iso-8859-1", (note.format(ENCODINGS["iso-8859-1"]),)
    return "cp1252", (note.format(ENCODINGS["cp1252"]),)


def _check_not_broken_utf_8(content: bytes, line: int, name: str) -> None:
    """Where most letters beyond ASCII are UTF-8, a single one that is not is damage, and reading
    all of them as something else would spoil those that are right."""
    text = content.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    if sum(map(len, re.findall(r"[^\x00-\x7f]+", text))) > 2 * wrong:
        raise InputError(
            f"{name} is not UTF-8 text throughout: line {line} holds another encoding, while the "
            "rest is right. Put that line right, or say which encoding it is."
        )


def _utf_16_without_mark(content: bytes, name: str) -> str:
    """Western text in UTF-16 has a 0 in every other byte, and seldom one in the others."""
    sample = content[:_SAMPLED_BYTES]
    half = len(sample) / 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > 0.5 * half and others < 0.02 * half:
            return encoding
    if even + odd > 0.01 * half or content.index(b"\x00") < 4:
        raise InputError(_not_text(name))
    return "utf-8"  # a stray zero: said where it stands


def _not_text(name: str) -> str:
    return (
        f"{name} is not a text file. Give a CSV, Parquet, Excel (.xlsx), SPSS (.sav) or Stata "
        "(.dta) file."
    )


def _header(text: str, name: str, given: str | None) -> tuple[str, list[str]]:
    """The separator with which the first rows are most nearly of one length, and the names."""
    best: tuple[str, list[str]] = (given or ",", [])
    most = (-1.0, 0, False)
    for separator in [given] if given else SEPARATORS:
        rows = _first_rows(text, separator)
        names = rows[0] if rows else []
        alike = sum(len(row) == len(names) for row in rows) / len(rows) if len(names) > 1 else 0.0
        # decimal commas may stand in every row: of two that fit, the rarer sign is the separator
        worth = (alike, len(names), separator != ",")
        if worth > most:
            best, most = (separator, names), worth
    if not best[1]:
        raise InputError(
            f"{name}: quotes in the header are opened and never closed, or it is longer than "
            f"{_HEADER_REACH:,} letters."
        )
    return best


def _first_rows(text: str, separator: str) -> list[list[str]]:
    """The header and the rows after it, blank lines left out; a last one that is cut off, too."""
    reader = csv.reader(io.StringIO(text[:_HEADER_REACH], newline=""), delimiter=separator)
    rows: list[list[str]] = []
    whole = len(text) <= _HEADER_REACH
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > _SAMPLED_ROWS:
                whole = True
                break
    except csv.Error:
        whole = True  # what could not be read is not among them
    return rows if whole else rows[:-1]


def _what_is_wrong(
    text: str, separator: str, columns: int, name: str, problem: Exception
) -> str:
    """Where the first row with too many or too few values starts, counted as an editor does."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    start = 1
    try:
        for row in reader:
            if row and len(row) != columns:
                values = "1 value" if len(row) == 1 else f"{len(row)} values"
                return (
                    f"{name}: line {start} has {values} where the header has {columns}. "
                    "Check for stray separators or quotes."
                )
            start = reader.line_num + 1
    except csv.Error:
        return f"{name}: quotes are opened in line {start} and never closed."
    return f"{name} cannot be read as CSV: {shortened(str(problem).splitlines()[0])}"

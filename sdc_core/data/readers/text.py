"""Text tables: which encoding, which separator, and every value as it stands there.

Both are detected, said, and can be given instead. Nothing is converted: all columns are text.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator

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

MAX_CELLS = 60_000_000  # some seconds
_HEADER_REACH = 1_000_000  # bytes within which the header must end
_CHUNK = 1 << 24  # bytes that are looked at in one go
_SAMPLED_ROWS = 200  # by which the separator is judged
_SAMPLED_BYTES = 100_000
_BOMS = (  # the longer first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_IN_TEXT = bytes({*range(32)} - {*b"\t\n\r\f\x1a\x1b"})
_NOT_IN_CP1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
_QUOTED = re.compile(rb'"[^"]*"')
_SPREADSHEET_HINT = re.compile(  # a first line that Excel obeys
    rb"sep=([\x01-\x7f])\r?\n", re.IGNORECASE)
_SEPARATOR_NAMES = {
    "comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "pipe": "|",
}


def read_text(
    content: bytes, name: str, encoding: str | None = None, separator: str | None = None
) -> FileContents:
    """The table in a CSV file, in the encoding and with the separator given or detected."""
    encoded, used, notes = _as_utf_8(content, name, encoding)
    hint = _SPREADSHEET_HINT.match(encoded)
    if hint:
        encoded = b"\n" + encoded[hint.end():]  # a blank line, so that lines are counted as before
    given = as_separator(separator) if separator else hint[1].decode() if hint else None
    found, header = _header(encoded, name, given)
    if len(header) < 2:
        raise InputError(
            f"{name} has only one column. A table needs at least two, separated by "
            f"{'commas, semicolons, tabs or bars' if given is None else repr(given)}."
        )
    check_header(header, name)
    _check_cells(encoded, found, len(header), name)
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
        raise InputError(_what_is_wrong(encoded, found, len(header), name, problem)) from None
    check_size(table.num_rows, table.num_columns, table.nbytes, name)
    _check_closed(table, encoded, found, name)
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


def _as_utf_8(content: bytes, name: str, given: str | None) -> tuple[bytes, str, tuple[str, ...]]:
    """The text in UTF-8, its encoding by the name under which it is offered, and what to know
    about it."""
    encoding, notes = (given, ()) if given else _encoding(content, name)
    try:
        "".encode(encoding)  # some names are of other things than texts
        known = codecs.lookup(encoding).name
        if known == "utf-8":
            for _ in _pieces(content, encoding):  # looked at, and taken as it stands
                pass
        text = content if known == "utf-8" else b"".join(_pieces(content, encoding))
        text = text.removeprefix(codecs.BOM_UTF8)
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
    if b"\x00" in text:
        line = text[: text.index(b"\x00")].count(b"\n") + 1
        raise InputError(
            f"{name} is not a text file: line {line} holds a zero byte. Give a CSV file, or one of "
            "Parquet, Excel (.xlsx), SPSS (.sav) or Stata (.dta)."
        )
    offered = next((e for e in ENCODINGS if codecs.lookup(e).name == known), encoding)
    return text, offered, notes


def _pieces(content: bytes, encoding: str) -> Iterator[bytes]:
    """The text in UTF-8, piece by piece: as Python's text it may take four times the room. What is
    wrong is placed in the whole content."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(content), _CHUNK):
        try:
            text = decoder.decode(content[start:start + _CHUNK], start + _CHUNK >= len(content))
        except UnicodeDecodeError as problem:
            problem.start += start
            raise
        yield text.encode("utf-8")


def _encoding(content: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """By the mark at its start; else UTF-16 if every other byte is 0; else UTF-8 if it is that;
    else Windows-1252, the commonest of those that cannot be told apart."""
    for mark, marked in _BOMS:
        if content.startswith(mark):
            return marked, ()
    if b"\x00" in content:
        return _utf_16_without_mark(content, name), ()
    try:
        for _ in _pieces(content, "utf-8"):
            pass
    except UnicodeDecodeError as problem:
        wrong = problem.start
    else:
        return "utf-8", ()
    line = content[:wrong].count(b"\n") + 1
    sample = content[:_SAMPLED_BYTES]
    if len(sample) - len(sample.translate(None, _NOT_IN_TEXT)) > len(sample) // 100:
        raise InputError(_not_text(name))
    _check_not_broken_utf_8(content[max(0, wrong - _CHUNK): wrong + _CHUNK], line, name)
    note = (
        f"Not UTF-8 (line {line}): read as {{}}. If accents look wrong, choose another encoding."
    )
    nothing = any(byte in content for byte in _NOT_IN_CP1252)
    found = "iso-8859-1" if nothing else "cp1252"
    return found, (note.format(ENCODINGS[found]),)


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


def _check_cells(text: bytes, separator: str, columns: int, name: str) -> None:
    """Before it is parsed: are there not too many values? Signs are counted, which is quick; only
    where they are many, those within quotes are left out."""
    if text.count(separator.encode()) + text.count(b"\n") <= MAX_CELLS:
        return
    plain = _QUOTED.sub(b"", text) if b'"' in text else text
    rows = max(plain.count(b"\n"), plain.count(b"\r"))
    if rows * columns > MAX_CELLS:
        raise InputError(
            f"{name} has {rows:,} rows and {columns:,} columns, {rows * columns:,} values in all; "
            f"the limit for text is {MAX_CELLS:,}. Keep only the columns you need."
        )


def _header(text: bytes, name: str, given: str | None) -> tuple[str, list[str]]:
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


def _first_rows(text: bytes, separator: str) -> list[list[str]]:
    """The header and the rows after it, blank lines left out; a last one that is cut off, too."""
    head = text[:_HEADER_REACH].decode("utf-8", "ignore")  # a letter may be cut in two
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
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


def _check_closed(table: pa.Table, text: bytes, separator: str, name: str) -> None:
    """A quote that is never closed takes all that follows for one value, down to the last line end:
    only where the last value has that, it is looked for."""
    last = table.column(table.num_columns - 1)
    if not len(last) or not str(last[-1]).endswith(("\n", "\r")):
        return
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator, strict=True)
    start = 1
    try:
        for _ in reader:
            start = reader.line_num + 1
    except csv.Error as problem:
        if "unexpected end" in str(problem):
            raise InputError(
                f"{name}: quotes are opened in line {start} and never closed.") from None


def _what_is_wrong(
    text: bytes, separator: str, columns: int, name: str, problem: Exception
) -> str:
    """Where the first row with too many or too few values starts, counted as an editor does."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    reader = csv.reader(lines, delimiter=separator)
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

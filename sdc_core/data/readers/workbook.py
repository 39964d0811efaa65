"""Excel workbooks (.xlsx): values as a spreadsheet shows them, as text.

Whole numbers stay whole, dates are dates, `007` stays `007`, and of a formula its last result is
taken. A workbook is a zip archive of XML, which can be tiny and unpack to anything: its sizes are
looked at before it is opened.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from sdc_core.data.raw import moment_text
from sdc_core.data.readers import limits
from sdc_core.data.readers.limits import FileContents, Reading
from sdc_core.data.schema import shortened
from sdc_core.errors import InputError

MAX_UNPACKED_BYTES = 1_000_000_000
MAX_PARTS = 10_000
MAX_CELLS = 50_000_000
_MOST_ROWS = 1_048_576  # of any sheet
_PADDED = re.compile(r"0{2,20}")  # a number format that shows 7 as 007
_NO_RESULT = re.compile(  # unless it is a text: of that, nothing is a result
    rb'<(?:\w+:)?c(?![^>]*t="str")[^>]*><(?:\w+:)?f(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)'
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_CHUNK = 1 << 22
_LONGEST_CELL = 20_000  # bytes of a formula and what is around it


def read_workbook(content: bytes, name: str) -> FileContents:
    """The table on the first sheet that has anything on it."""
    import openpyxl  # takes a moment to load, and few files are workbooks

    archive = _checked(content, name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that matter to nobody here
            book = openpyxl.load_workbook(
                io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
            rows, notes = _first_table(book, name)
    except InputError:
        raise
    except Exception as problem:  # XML can be wrong in any way
        reason = "it has a password" if isinstance(problem, RuntimeError) else "it may be damaged"
        raise InputError(
            f"{name} looks like an Excel workbook but cannot be read; {reason}. Save it again as "
            ".xlsx, or as CSV."
        ) from None
    if _has_formulas_without_result(archive):
        notes.append(
            "Some formulas have no stored result and are read as missing; open and save the "
            "workbook in a spreadsheet program, if that is wrong."
        )
    return FileContents(_table(rows, name), Reading("Excel", notes=tuple(notes)))


def _checked(content: bytes, name: str) -> zipfile.ZipFile:
    """The archive, if it is a workbook and not too large when unpacked. What an entry says of its
    size is true: reading it ends there."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise InputError(
            f"{name} looks like an Excel workbook but cannot be read; it may be cut off."
        ) from None
    parts = {entry.filename for entry in entries}
    if "xl/workbook.bin" in parts or "mimetype" in parts:
        raise InputError(f"{name} is a spreadsheet of another kind. Save it as .xlsx or as CSV.")
    if not any(part.startswith("xl/") for part in parts):
        raise InputError(f"{name} is a zip archive. Unpack it, and give the file that is in it.")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_UNPACKED_BYTES or len(entries) > MAX_PARTS:
        raise InputError(
            f"{name} unpacks to {unpacked / 1e6:,.0f} MB in {len(entries):,} parts; the limit is "
            f"{MAX_UNPACKED_BYTES / 1e6:,.0f} MB and {MAX_PARTS:,}. Save the sheet as CSV."
        )
    return archive


def _first_table(book: Any, name: str) -> tuple[list[list[str | None]], list[str]]:
    """The rows of the first sheet that is not empty, the header first, and what else there is."""
    rows: list[list[str | None]] = []
    title, others = "", []
    for sheet in book.worksheets:
        if rows:
            others += [sheet.title] * (next(_rows(sheet, name), None) is not None)
        else:
            title, rows = sheet.title, list(_rows(sheet, name))
    if not rows:
        raise InputError(f"{name} has no values in it. A table needs a header line and some rows.")
    left_out = ", ".join(repr(shortened(other)) for other in others[:3])
    notes = [f"Sheet {shortened(title)!r} was read, and {left_out} left out."] if others else []
    return rows, notes


def _rows(sheet: Any, name: str) -> Iterator[list[str | None]]:
    """The rows that are not empty, each up to its last value.

    Cells are taken as they come: what a sheet says of its own size is not believed, and what is
    not there (millions of empty rows or columns) costs nothing.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    book = sheet.parent
    formats: dict[int, str] = {}
    count = 0
    with sheet._get_source() as source:
        cells_by_row = WorkSheetParser(
            source, sheet._shared_strings, data_only=True, epoch=book.epoch,
            date_formats=book._date_formats, timedelta_formats=book._timedelta_formats,
        ).parse()
        for number, (_, cells) in enumerate(cells_by_row):
            texts: list[str | None] = []
            for cell in cells:
                if cell["value"] is None or cell["value"] == "":
                    continue
                limits.check_columns(cell["column"], name)
                texts += [None] * (cell["column"] - 1 - len(texts))
                texts.append(_text(cell, sheet, formats))
            count += len(texts)
            if number >= min(_MOST_ROWS, limits.MAX_ROWS + 1) or count > MAX_CELLS:
                raise InputError(
                    f"{name} has more than {number:,} rows ({count:,} values), too many for a "
                    "workbook. Save the sheet as CSV, or take a sample."
                )
            if texts:
                yield texts


def _table(rows: list[list[str | None]], name: str) -> pa.Table:
    header, *records = rows
    width = max(len(row) for row in rows)
    names = [text or "" for text in header] + [""] * (width - len(header))
    limits.check_header(names, name)
    limits.check_size(len(records), width, 4 * width * len(records), name)
    return pa.table({
        column: pa.array(
            [record[place] if place < len(record) else None for record in records], pa.string())
        for place, column in enumerate(names)
    })


def _text(cell: dict[str, Any], sheet: Any, formats: dict[int, str]) -> str:
    """A value as a spreadsheet shows it."""
    value, style = cell["value"], cell["style_id"]
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (datetime.date, datetime.time)):
        return moment_text(value)
    if isinstance(value, datetime.timedelta):
        return str(value)
    text = f"{value:.0f}" if value == round(value) and abs(value) < 2**53 else repr(value)
    if style not in formats:
        from openpyxl.cell.read_only import ReadOnlyCell

        formats[style] = ReadOnlyCell(sheet, **cell).number_format
    if _PADDED.fullmatch(formats[style]) and text.isdigit():
        return text.zfill(len(formats[style]))
    return text


def _has_formulas_without_result(archive: zipfile.ZipFile) -> bool:
    """Programs that write formulas without computing them leave the result out."""
    for entry in archive.infolist():
        if not entry.filename.startswith("xl/worksheets/sheet"):
            continue
        with archive.open(entry) as part:
            rest = b""
            while chunk := part.read(_CHUNK):
                if _NO_RESULT.search(rest + chunk):
                    return True
                rest = chunk[-_LONGEST_CELL:]
    return False

"""Reading a file that somebody gives us, treated as hostile.

What kind of file it is is seen from how it begins, not from its name. Nothing is evaluated or
unpickled, sizes are limited before memory is, and every way of being wrong has one sentence that
says what to do about it.
"""

from __future__ import annotations

from sdc_core.data.readers.limits import (
    ENCODINGS,
    SEPARATORS,
    FileContents,
    Reading,
    check_bytes,
    check_header,
    content_of,
    fits_into_memory,
)
from sdc_core.data.readers.parquet import read_parquet
from sdc_core.data.readers.survey import dictionary_of, read_survey, survey_format
from sdc_core.data.readers.text import read_text
from sdc_core.data.readers.workbook import read_workbook
from sdc_core.errors import InputError

__all__ = [
    "ENCODINGS", "SEPARATORS", "FileContents", "Reading", "check_header", "content_of",
    "dictionary_of", "fits_into_memory", "read_file", "survey_format",
]

_OTHERS = {  # how files begin that cannot be read, and what would help
    b"\xd0\xcf\x11\xe0": "is an old Excel workbook (.xls), or one with a password. Save it as "
    ".xlsx without a password, or as CSV",
    b"\x1f\x8b": "is packed (gzip). Unpack it first",
    b"BZh91AY&SY": "is packed (bzip2). Unpack it first",
    b"\xfd7zXZ": "is packed (xz). Unpack it first",
    b"7z\xbc\xaf'\x1c": "is packed (7z). Unpack it first",
    b"(\xb5/\xfd": "is packed (zstandard). Unpack it first",
    b"%PDF-": "is a PDF. Save the table in it as CSV",
    b"HEADER RECORD*******": "is a SAS transport file. Save it as CSV, Stata (.dta) or SPSS (.sav)",
    b"ARROW1\x00": "is an Arrow file. Save it as Parquet",
}


def read_file(
    content: bytes, name: str, encoding: str | None = None, separator: str | None = None
) -> FileContents:
    """What is in a CSV, Parquet, Excel, SPSS or Stata file, as it stands there; `encoding` and
    `separator` are detected unless they are given."""
    check_bytes(content, name)
    for start, words in _OTHERS.items():
        if content.startswith(start):
            raise InputError(f"{name} {words}.")
    survey = survey_format(content)
    if survey:
        _check_not_given(survey, name, separator=separator)
        found = read_survey(content, name, encoding)
    elif content[:4] == b"PAR1":
        _check_not_given("Parquet", name, encoding, separator)
        found = read_parquet(content, name)
    elif content[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        _check_not_given("Excel", name, encoding, separator)
        found = read_workbook(content, name)
    else:
        found = read_text(content, name, encoding, separator)
    check_header(found.table.column_names, name)
    if found.table.num_rows == 0:
        raise InputError(f"{name} has a header but no rows.")
    return found


def _check_not_given(
    kind: str, name: str, encoding: str | None = None, separator: str | None = None
) -> None:
    for what, given in (("encoding", encoding), ("separator", separator)):
        if given:
            raise InputError(f"{name} is {kind}, which has no {what} to choose. Leave it out.")

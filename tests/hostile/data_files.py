"""Data files of every kind that is read: odd ones that are right, and wrong ones.

What is right are the values, column by column, as text; None where there is none.
"""

from __future__ import annotations

import bz2
import csv
import datetime
import decimal
import gzip
import io
import lzma
import random
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

from tests.hostile import Case

Table = dict[str, list[Any]]
SEX, AGE = ["m", "f", "m", "f", "m", "f"], ["30", "40", "30", "50", "30", "40"]
PEOPLE: Table = {"sex": SEX, "age": AGE}


def text_of(table: Table, separator: str = ",", end: str = "\r\n", quoting: Any = 0) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue()


def with_values(*values: str) -> Table:
    """The people, with a column of these values."""
    return {**PEOPLE, "x": [values[i % len(values)] for i in range(6)]}


def texts() -> list[Case]:
    def plain(table: Table = PEOPLE, encoding: str = "utf-8", **how: Any) -> Callable[[], bytes]:
        return lambda: text_of(table, **how).encode(encoding)

    accents = with_values("café", "Łódź", "naïve")
    western = with_values("café", "naïve", "Zürich")
    values: dict[str, tuple[str, ...]] = {
        "leading zeros": ("007", "01"), "formulas": ("=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0"),
        "numbers beyond any": ("1e400", "-1e400"), "400 digits": ("9" * 400, "1"),
        "no numbers": ("NaN", "inf", "-inf"), "words for nothing": ("NULL", "NA", "None"),
        "kinds mixed": ("1", "x", "2019-01-01", "1.5"), "truths": ("true", "FALSE"),
        "days that never were": ("2019-02-30", "0000-00-00", "9999-99-99"),
        "days in two ways": ("01/02/2019", "31.12.2019"), "a day before all": ("0001-01-01", "x"),
        "Markdown": ("![x](http://e.invalid/x.png)", "<script>alert(1)</script>", "$x$"),
        "pictures": ("😀", "👩‍👩‍👧"), "right to left": ("\u202eabc", "שלום"),
        "invisible letters": ("\u200b", "\ufeffx", "a\u0301"),
        "line breaks": ("a\nb", "c\r\nd", "e"), "separators": ("a,b", "c;d", "e\tf|g"),
        "quotes": ('say ""', '"', "'"), "controls": ("a\x1bb", "\x0c", "\x1a"),
        "spaces": (" a", "a ", " "), "minus nothing": ("-0", "0", "+0"),
        "decimal commas": ("1,5", "2,25"), "backslashes": ("\\", "\\n", "\\\""),
        "a long text": ("x" * 1_000_000, "y"), "money": ("$1,000", "2 %"),
        "exponents": ("1e5", "1E-5", "0x10"), "an identifier's zeros": ("1.0", "1.00"),
    }
    names: dict[str, str] = {
        "a line break": "a\nb", "Markdown": "![x](http://e.invalid/x.png)", "spaces": " x ",
        "a thousand letters": "x" * 1_000, "a comma": "a,b", "a quote": 'a"b', "a sign": "=1+1",
        "a mark": "a\ufeffb", "an emoji": "😀", "a reserved word": "__class__", "a path": "../x",
    }
    good: dict[str, tuple[str, Callable[[], bytes], Table]] = {
        "plain": ("a.csv", plain(), PEOPLE),
        "byte order mark": ("a.csv", plain(encoding="utf-8-sig"), PEOPLE),
        "UTF-16": ("a.csv", plain(accents, "utf-16"), accents),
        "UTF-16 LE without mark": ("a.csv", plain(encoding="utf-16-le"), PEOPLE),
        "UTF-16 BE without mark": ("a.csv", plain(encoding="utf-16-be"), PEOPLE),
        "UTF-32": ("a.csv", plain(accents, "utf-32"), accents),
        "Windows-1252": ("a.csv", plain(western, "cp1252"), western),
        "semicolons": ("a.csv", plain(separator=";"), PEOPLE),
        "tabs": ("a.tsv", plain(separator="\t"), PEOPLE),
        "bars": ("a.txt", plain(separator="|"), PEOPLE),
        "line feeds": ("a.csv", plain(end="\n"), PEOPLE),
        "all quoted": ("a.csv", plain(quoting=csv.QUOTE_ALL), PEOPLE),
        "no last line end": ("a.csv", lambda: plain()().rstrip(), PEOPLE),
        "blank lines": ("a.csv", lambda: plain(end="\n\n")() + b"\n\n\n", PEOPLE),
        "a hint for Excel": ("a.csv", lambda: b"sep=;\r\n" + plain(separator=";")(), PEOPLE),
        "one row": ("a.csv", lambda: b"sex,age\nm,30\n", {"sex": ["m"], "age": ["30"]}),
        "500 columns": ("a.csv", plain(_wide(500)), _wide(500)),
        "an empty column": ("a.csv", plain(with_values("")), with_values("")),
        "called Parquet": ("a.parquet", plain(), PEOPLE),
        "called Excel": ("a.xlsx", plain(), PEOPLE),
        "called Stata": ("a.dta", plain(), PEOPLE), "called nothing": ("a", plain(), PEOPLE),
        **{f"values: {kind}": ("a.csv", plain(with_values(*some)), with_values(*some))
           for kind, some in values.items()},
        **{f"a name with {kind}": ("a.csv", plain({**PEOPLE, name: SEX}), {**PEOPLE, name: SEX})
           for kind, name in names.items()},
    }
    either: dict[str, tuple[str, Callable[[], bytes], Table]] = {
        "carriage returns alone": ("a.csv", plain(end="\r"), PEOPLE),
        "another mark in the middle": (
            "a.csv", lambda: plain()().replace(b"m,", b"\xef\xbb\xbfm,", 1),
            {**PEOPLE, "sex": ["\ufeffm", *SEX[1:]]}),
    }
    bad: dict[str, tuple[str, Callable[[], bytes]]] = {
        "empty": ("a.csv", lambda: b""), "spaces": ("a.csv", lambda: b" \n\t\n"),
        "only a mark": ("a.csv", lambda: b"\xef\xbb\xbf"), "a header": ("a.csv", lambda: b"a,b\n"),
        "a header without line end": ("a.csv", lambda: b"a,b"),
        "one column": ("a.csv", lambda: b"a\n1\n2\n"),
        "two columns of one name": ("a.csv", lambda: b"a,a\n1,2\n"),
        "a column without name": ("a.csv", lambda: b"a,,c\n1,2,3\n"),
        "a name of spaces": ("a.csv", lambda: b"a, \n1,2\n"),
        "too many values": ("a.csv", lambda: b"a,b\n1,2\n1,2,3\n"),
        "too few values": ("a.csv", lambda: b"a,b\n1,2\n1\n"),
        "a ragged end": ("a.csv", lambda: plain()() + b"m"),
        "quotes never closed": ("a.csv", lambda: b'a,b\n1,"2\n3,4\n'),
        "quotes in the header never closed": ("a.csv", lambda: b'"a,b\n1,2\n'),
        "a zero byte": ("a.csv", lambda: plain()().replace(b"30", b"3\0", 1)),
        "zeros": ("a.csv", lambda: bytes(5_000)), "noise": ("a.csv", _noise),
        "broken UTF-8": ("a.csv", lambda: text_of(accents).encode().replace(
            "é".encode(), b"\xe9", 1)),
        "half a letter": ("a.csv", lambda: text_of(accents).encode("utf-16") + b"\x00\xd8,\x00"),
        "an odd byte": ("a.csv", lambda: text_of(accents).encode("utf-16") + b"\x00"),
        "501 columns": ("a.csv", plain(_wide(501))),
        "100,000 columns": ("a.csv", lambda: b",".join(b"%d" % i for i in range(100_000)) + b"\n"),
        "a header of 3 MB": ("a.csv", lambda: b"a" * 3_000_000 + b",b\n1,2\n"),
        "JSON": ("a.csv", lambda: b'{"a": 1}\n'),
        "a list of numbers": ("a.csv", lambda: b"1\n2\n3\n"),
        "gzip": ("a.csv.gz", lambda: gzip.compress(plain()(), mtime=0)),
        "bzip2": ("a.csv", lambda: bz2.compress(plain()())),
        "xz": ("a.csv", lambda: lzma.compress(plain()())),
        "zstandard": ("a.csv", lambda: b"(\xb5/\xfd" + bytes(40)),
        "7z": ("a.csv", lambda: b"7z\xbc\xaf'\x1c" + bytes(40)),
        "a zip bomb": ("a.zip", lambda: _zip({"a.csv": bytes(50_000_000)})),
        "zip in zip": ("a.zip", lambda: _zip({"a.zip": _zip({"a.csv": b"a,b\n1,2\n"})})),
        "PDF": ("a.csv", lambda: b"%PDF-1.7\n" + bytes(40)),
        "old Excel": ("a.xls", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        "SAS": ("a.xpt", lambda: b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!"),
        "Arrow": ("a.arrow", lambda: b"ARROW1\x00\x00" + bytes(60)),
        "a database": ("a.db", lambda: b"SQLite format 3\x00" + bytes(4000)),
        "a picture": ("a.png", lambda: b"\x89PNG\r\n\x1a\n" + _noise()),
        "a program": ("a.csv", lambda: b"\x7fELF\x02\x01\x01" + bytes(60) + _noise()),
        "a pickle": ("a.csv", lambda: b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00]\x94(K\x01e."),
    }
    return [
        *(Case(f"text: {k}", name, f, right) for k, (name, f, right) in good.items()),
        *(Case(f"text: {k}", name, f, right, True) for k, (name, f, right) in either.items()),
        *(Case(f"text: {k}", name, f) for k, (name, f) in bad.items()),
    ]


def _wide(columns: int) -> Table:
    return {f"c{i}": SEX for i in range(columns)}


def _noise() -> bytes:
    return random.Random(2).randbytes(4_000)


def _zip(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


# ---------------------------------------------------------------------------------------- Parquet


def parquet(columns: dict[str, Any] | pa.Table, **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **how)
    return out.getvalue()


def parquets() -> list[Case]:
    utc = datetime.UTC
    arrays: dict[str, tuple[Any, list[Any]]] = {
        "numbers with gaps": (pa.array([1, None, 3, 1, None, 3]), ["1", None, "3"] * 2),
        "no numbers": (pa.array([1.5, float("nan"), 2.0] * 2), ["1.5", None, "2"] * 2),
        "the largest whole number": (
            pa.array([2**64 - 1, 0, 1] * 2, pa.uint64()), [str(2**64 - 1), "0", "1"] * 2),
        "truths": (pa.array([True, False, None] * 2), ["True", "False", None] * 2),
        "days": (pa.array([datetime.date(2019, 5, 1), None] * 3), ["2019-05-01", None] * 3),
        "moments": (pa.array([datetime.datetime(2019, 5, 1, 12, 30)] * 6, pa.timestamp("ns")),
                    ["2019-05-01T12:30:00"] * 6),
        "moments elsewhere": (
            pa.array([datetime.datetime(2019, 5, 1, tzinfo=utc)] * 6,
                     pa.timestamp("us", "Europe/Berlin")), ["2019-05-01T02:00:00"] * 6),
        "amounts": (pa.array([decimal.Decimal("1.50"), None] * 3), ["1.50", None] * 3),
        "kept once": (pa.array(["a", "b", None] * 2).dictionary_encode(), ["a", "b", None] * 2),
        "large texts": (pa.array(["a", "b"] * 3, pa.large_string()), ["a", "b"] * 3),
        "nothing": (pa.nulls(6), [None] * 6),
        "empty texts": (pa.array(["", "x"] * 3), ["", "x"] * 3),
        "half numbers": (pa.array([1.5, 2.0] * 3, pa.float32()), ["1.5", "2"] * 3),
        "formulas": (pa.array(["=1+1", "@x"] * 3), ["=1+1", "@x"] * 3),
    }
    people = {"sex": pa.array(SEX), "age": pa.array([int(a) for a in AGE])}
    whole = parquet({**people, "n": pa.array(range(6))})
    long = "x" * 20_000
    repeated = pa.DictionaryArray.from_arrays(pa.array(np.zeros(3_000, np.int32)), [long])
    good: dict[str, tuple[str, Callable[[], bytes], Table]] = {
        **{kind: ("a.parquet", lambda one=one: parquet({**people, "x": one}),
                  {**PEOPLE, "x": right})
           for kind, (one, right) in arrays.items()},
        "called CSV": ("a.csv", lambda: parquet(people), PEOPLE),
        "groups of one row": ("a.parquet", lambda: parquet(people, row_group_size=1), PEOPLE),
        "brotli": ("a.parquet", lambda: parquet(people, compression="brotli"), PEOPLE),
        "a name of Markdown": ("a.parquet", lambda: parquet({**people, "![x](//e)": pa.array(SEX)}),
                               {**PEOPLE, "![x](//e)": SEX}),
        "a long text 3,000 times": (
            "a.parquet", lambda: parquet(
                {"x": repeated, "sex": pa.array(SEX * 500)}, store_schema=False),
            {"x": [long] * 3_000, "sex": SEX * 500}),
    }
    either: dict[str, tuple[Callable[[], bytes], Table]] = {
        "a day beyond all calendars": (lambda: parquet(
            {**people, "x": pa.array([10**6, 10**7] * 3, pa.date32())}),
            {**PEOPLE, "x": [str(np.datetime64(10**6, "D")), str(np.datetime64(10**7, "D"))] * 3}),
        "hours": (lambda: parquet({**people, "x": pa.array([datetime.time(1, 2)] * 6)}),
                  {**PEOPLE, "x": ["01:02:00"] * 6}),
        "a byte changed in the values": (lambda: _changed(whole, 40), {
            **PEOPLE, "n": [str(i) for i in range(6)]}),
    }
    bad: dict[str, Callable[[], bytes]] = {
        "four letters": lambda: b"PAR1", "letters twice": lambda: b"PAR1PAR1",
        "cut off": lambda: whole[:-10], "its first half": lambda: whole[: len(whole) // 2],
        "no end": lambda: whole[:-4] + b"XXXX", "another end": lambda: whole[:-4] + b"PARE",
        "an end that is too long": lambda: whole[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1",
        "an end of zeros": lambda: whole[:-60] + bytes(52) + whole[-8:],
        "zeros in the middle": lambda: b"PAR1" + bytes(2_000) + b"PAR1",
        "lists": lambda: parquet({**people, "x": pa.array([[1], [2]] * 3)}),
        "records in records": lambda: parquet({**people, "x": pa.array([{"a": 1}] * 6)}),
        "raw bytes": lambda: parquet({**people, "x": pa.array([b"\xff"] * 6)}),
        "no rows": lambda: parquet(pa.table(people).slice(0, 0)),
        "one column": lambda: parquet({"sex": pa.array(SEX)}),
        "no columns": lambda: parquet(pa.table({})),
        "501 columns": lambda: parquet({f"c{i}": pa.array(SEX) for i in range(501)}),
        "two columns of one name": lambda: parquet(pa.table(
            [pa.array(SEX), pa.array(SEX)], names=["a", "a"])),
        "a column without name": lambda: parquet({"": pa.array(SEX), "b": pa.array(SEX)}),
        "texts that are none": lambda: parquet(pa.table(
            {**people, "x": pa.array([b"\xff\xfe"] * 6).view(pa.string())})),
    }
    rows = 21_000_000
    many = Case("parquet: 21 million rows in some kilobytes", "a.data", lambda: parquet(
        {"a": pa.array(np.zeros(rows, np.int8)), "b": pa.nulls(rows)}))
    return [
        *(Case(f"parquet: {k}", name, f, right) for k, (name, f, right) in good.items()),
        *(Case(f"parquet: {k}", "a.parquet", f, r, True) for k, (f, r) in either.items()),
        *(Case(f"parquet: {k}", "a.parquet", f) for k, f in bad.items()), many,
    ]


def _changed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1:]


# ------------------------------------------------------------------------------------------ Excel


def workbook(rows: Sequence[Sequence[Any]], sheets: int = 1, formats: dict[str, str] | None = None
             ) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    for place, shown in (formats or {}).items():
        sheet[place].number_format = shown
    for i in range(1, sheets):
        book.create_sheet(f"more {i}").append(["x", "y"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


_SHEET = "xl/worksheets/sheet1.xml"
_ROWS = [list(PEOPLE), *map(list, zip(SEX, map(int, AGE), strict=True))]


def rewritten(part: str, change: Callable[[bytes], bytes], content: bytes | None = None) -> bytes:
    """The workbook with one part changed."""
    old = zipfile.ZipFile(io.BytesIO(content or workbook(_ROWS)))
    return _zip({name: change(old.read(name)) if name == part else old.read(name)
                 for name in old.namelist()})


def workbooks() -> list[Case]:
    def with_cells(*cells: Any, **how: Any) -> bytes:
        return workbook([[*_ROWS[0], "x"], *([*row, cells[i % len(cells)]]
                                             for i, row in enumerate(_ROWS[1:]))], **how)

    def x(*texts: str | None) -> Table:
        return {**PEOPLE, "x": [texts[i % len(texts)] for i in range(6)]}

    laughs = (b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        b'<!ENTITY %c "%s">' % (c, b"&%c;" % (c - 1) * 10) for c in range(ord("b"), ord("j")))
        + b"]><worksheet><sheetData><row><c><v>&i;</v></c></row></sheetData></worksheet>")
    good: dict[str, tuple[str, Callable[[], bytes], Table]] = {
        "plain": ("a.xlsx", lambda: workbook(_ROWS), PEOPLE),
        "called CSV": ("a.csv", lambda: workbook(_ROWS), PEOPLE),
        "two sheets": ("a.xlsx", lambda: workbook(_ROWS, 2), PEOPLE),
        "truths": ("a.xlsx", lambda: with_cells(True, False), x("TRUE", "FALSE")),
        "days": ("a.xlsx", lambda: with_cells(datetime.date(2019, 5, 1)), x("2019-05-01")),
        "gaps": ("a.xlsx", lambda: with_cells(None, "a"), x(None, "a")),
        "codes as text": ("a.xlsx", lambda: with_cells("007", "01"), x("007", "01")),
        "broken numbers": ("a.xlsx", lambda: with_cells(1.5, 2), x("1.5", "2")),
        "a claim of size": ("a.xlsx", lambda: rewritten(_SHEET, lambda b: b.replace(
            b'<dimension ref="A1:B7"', b'<dimension ref="A1:XFD1048576"')), PEOPLE),
        "formulas that are texts": ("a.xlsx", lambda: with_cells("x=1", "@y"), x("x=1", "@y")),
    }
    bad: dict[str, Callable[[], bytes]] = {
        "entities in entities": lambda: rewritten(_SHEET, lambda _: laughs),
        "an entity that is a file": lambda: rewritten(_SHEET, lambda _: (
            b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c>'
            b"<v>&a;</v></c></row></sheetData></worksheet>")),
        "a sheet cut off": lambda: rewritten(_SHEET, lambda b: b[:-40]),
        "no sheet": lambda: _zip({"xl/workbook.xml": b"<x/>"}),
        "nothing in it": lambda: workbook([]), "a header": lambda: workbook([["a", "b"]]),
        "a title over it": lambda: workbook([["Survey"], *_ROWS]),
        "600 columns": lambda: workbook([[f"c{i}" for i in range(600)], list(range(600))]),
        "two columns of one name": lambda: workbook([["a", "a"], [1, 2]]),
        "binary": lambda: _zip({"xl/workbook.bin": b"x", "[Content_Types].xml": b"<x/>"}),
        "OpenDocument": lambda: _zip({"mimetype": b"application/vnd.oasis.opendocument"}),
        "Word": lambda: _zip({"word/document.xml": b"<x/>", "[Content_Types].xml": b"<x/>"}),
        "cut off": lambda: workbook(_ROWS)[:-50],
        "10,001 parts": lambda: _zip({"xl/workbook.xml": b"", **{
            f"xl/{i}": b"" for i in range(10_001)}}),
        "a bomb": lambda: _zip({"xl/workbook.xml": b"<x/>", "xl/a": bytes(1_234_567)}).replace(
            (1_234_567).to_bytes(4, "little"), (2_000_000_000).to_bytes(4, "little")),
        "texts that are not there": lambda: rewritten(_SHEET, lambda b: re.sub(
            rb"<row .*</row>", b'<row><c r="A1" t="s"><v>99</v></c></row>', b, flags=re.DOTALL)),
    }
    return [
        *(Case(f"excel: {k}", name, f, right) for k, (name, f, right) in good.items()),
        *(Case(f"excel: {k}", "a.xlsx", f) for k, f in bad.items()),
    ]


# --------------------------------------------------------------------------------- SPSS and Stata


def survey(kind: str, **how: Any) -> bytes:
    frame = pd.DataFrame({"sex": SEX, "age": [float(a) for a in AGE]})
    write = pyreadstat.write_dta if kind == "dta" else pyreadstat.write_sav
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind}"
        write(frame, path, **how)
        return path.read_bytes()


def surveys() -> list[Case]:
    labels = {"age": {30.0: "thirty", 40.0: "forty", 50.0: "fifty"}}
    cases = []
    for kind in ("sav", "dta"):
        whole, name = survey(kind), f"a.{kind}"
        cases += [
            Case(f"{kind}: plain", name, lambda whole=whole: whole, PEOPLE),
            Case(f"{kind}: called CSV", "a.csv", lambda whole=whole: whole, PEOPLE),
            Case(f"{kind}: labels", name,
                 lambda kind=kind: survey(kind, variable_value_labels=labels), PEOPLE),
            Case(f"{kind}: Markdown for a title", name, lambda kind=kind: survey(
                kind, column_labels=["![x](http://e.invalid)", "y\nz"]), PEOPLE),
            Case(f"{kind}: its head alone", name, lambda whole=whole: whole[:64]),
            Case(f"{kind}: half of it", name, lambda whole=whole: whole[: len(whole) // 2]),
            Case(f"{kind}: its letters and noise", name,
                 lambda whole=whole: whole[:12] + _noise()),
            Case(f"{kind}: its letters and zeros", name,
                 lambda whole=whole: whole[:12] + bytes(4_000)),
        ]
    sav = survey("sav")
    cases += [
        Case("sav: packed", "a.zsav", lambda: survey("sav", compress=True), PEOPLE),
        Case("sav: more rows than there are", "a.sav",
             lambda: sav[:80] + struct.pack("<i", 2**31 - 1) + sav[84:], PEOPLE, True),
        Case("sav: more columns than there are", "a.sav",
             lambda: sav[:68] + struct.pack("<i", 2**31 - 1) + sav[72:], PEOPLE, True),
        Case("sav: fewer rows than none", "a.sav",
             lambda: sav[:80] + struct.pack("<i", -7) + sav[84:], PEOPLE, True),
        Case("dta: a version that nobody knows", "a.dta", lambda: re.sub(
            rb"<release>...", b"<release>999", survey("dta"))),
        Case("dta: an old one of noise", "a.dta", lambda: b"\x72\x02\x01\x00" + _noise()),
        Case("dta: tags that never end", "a.dta", lambda: survey("dta").replace(b"</", b"<<")),
    ]
    return cases


CASES = [*texts(), *parquets(), *workbooks(), *surveys()]

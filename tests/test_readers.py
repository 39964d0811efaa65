"""Files of every kind are read without changing a value, or refused in one sentence.

Proven here: any table of texts is the same after being written as CSV in any encoding and with any
separator; realistic files are detected rightly, and what was detected is said; Excel, SPSS, Stata
and Parquet give the same records as the truth they were written from, with their labels; and files
made to do harm are refused before they do.
"""

from __future__ import annotations

import csv
import datetime
import io
import random
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core import Role, Type
from sdc_core.data.catalogue import own_dataset
from sdc_core.data.readers import (
    ENCODINGS,
    apart,
    limits,
    parquet,
    read_file,
    survey,
    text,
    workbook,
)
from tests.mixed_file import NAME, mixed_file, people
from tests.test_own_data import one_sentence

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
GIVEN_ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "cp1252", "iso-8859-1", "cp1250", "gb18030"]


def refusal(content: bytes, name: str = "mine.dat", **how: str) -> str:
    with pytest.raises(sdc.InputError) as caught:
        read_file(content, name, **how)
    text = one_sentence(caught.value)
    assert name in text and len(text) < 400
    return text


# ------------------------------------------------------------------------------------------- text


def letters_of(encoding: str) -> st.SearchStrategy[str]:
    """Any letter that the encoding has, and those that matter to CSV more often."""
    codec = encoding if encoding in ("cp1252", "cp1250", "iso-8859-1") else "utf-8"
    any_letter = st.characters(codec=codec, exclude_characters="\x00\ufeff")
    return st.one_of(st.sampled_from([*"0179 ,;|\t\"'\n\r.N-", "\r\n"]), any_letter)


@st.composite
def tables(draw: st.DrawFn, encoding: str) -> list[list[str]]:
    width = draw(st.integers(2, 4))
    cell = st.lists(letters_of(encoding), max_size=6).map("".join)
    name = cell.filter(lambda text: text.strip() != "" and not text.startswith("sep="))
    header = draw(st.lists(name, min_size=width, max_size=width, unique=True))
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=6))
    return [header, *rows]


def as_csv(rows: list[list[str]], separator: str, quoting: Any = csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, quoting=quoting).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("encoding", GIVEN_ENCODINGS)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), separator=st.sampled_from(list(SEPARATORS)), everything=st.booleans())
def test_any_table_of_texts_is_the_same_after_csv(
    encoding: str, data: st.DataObject, separator: str, everything: bool
) -> None:
    """Written by Python's own CSV writer, which is not what reads it here."""
    rows = data.draw(tables(encoding))
    quoting = csv.QUOTE_ALL if everything else csv.QUOTE_MINIMAL
    content = as_csv(rows, separator, quoting).encode(encoding)
    assume(content.strip())
    table, reading, _ = read_file(content, "mine.csv", encoding, separator)
    assert table.column_names == rows[0]
    assert [list(row.values()) for row in table.to_pylist()] == rows[1:]
    assert reading.separator == separator and reading.encoding == encoding


@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig", "utf-16"])
@settings(max_examples=40, deadline=None)
@given(data=st.data(), separator=st.sampled_from(list(SEPARATORS)))
def test_unicode_is_known_by_itself(mark: str, data: st.DataObject, separator: str) -> None:
    """The encoding is not given: what is Unicode cannot be mistaken."""
    rows = data.draw(tables("utf-8"))
    content = as_csv(rows, separator).encode(mark)
    table, reading, _ = read_file(content, "mine.csv", separator=separator)
    assert [list(row.values()) for row in table.to_pylist()] == rows[1:]
    assert reading.encoding == mark.removesuffix("-sig") and reading.notes == ()


@pytest.mark.parametrize(
    ("encoding", "separator", "decimal", "said"),
    [
        ("cp1252", ";", ",", "CSV, read as Windows-1252, separated by semicolons"),
        ("utf-16", "\t", ",", "CSV, read as UTF-16, separated by tabs"),
        ("utf-8-sig", ";", ",", "CSV, read as UTF-8, separated by semicolons"),
        ("utf-8", ",", ".", "CSV, read as UTF-8, separated by commas"),
        ("utf-16-le", ";", ",", "CSV, read as UTF-16 (LE), separated by semicolons"),
        ("utf-16-be", ",", ".", "CSV, read as UTF-16 (BE), separated by commas"),
        ("iso-8859-1", "|", ".", "CSV, read as Windows-1252, separated by bars"),
    ],
)
def test_a_realistic_file_is_detected_and_its_values_are_the_truth(
    encoding: str, separator: str, decimal: str, said: str
) -> None:
    file = mixed_file(2000, 3, encoding, separator, decimal)
    data = own_dataset(file.content, NAME)
    assert str(data.reading) == said
    assert bool(data.reading and data.reading.notes) == (encoding in ("cp1252", "iso-8859-1"))
    check_truth(data, file.truth)
    assert data.column("Einkommen").decimal == decimal == data.column("Gewicht").decimal


def check_truth(data: sdc.Dataset, truth: pd.DataFrame) -> None:
    """Every value, column by column, and what the columns are."""
    records = data.records
    for name in ("Haushalt", "PLZ", "Geschlecht", "Familienstand"):
        assert records[name].astype(str).tolist() == truth[name].tolist(), name
    assert records["Kinder"].astype(float).tolist() == truth["Kinder"].tolist()
    for name in ("Einkommen", "Gewicht"):
        np.testing.assert_array_equal(records[name], truth[name])
    assert (pd.to_datetime(records["Geburtsdatum"]) == truth["Geburtsdatum"]).all()
    assert (data.place, data.weight, data.household) == ("PLZ", "Gewicht", "Haushalt")
    assert data.column("Einkommen").role is Role.SENSITIVE
    assert data.column("Geburtsdatum").type is Type.DATE


def test_the_separator_is_the_one_that_makes_rows_alike() -> None:
    """Not the one that cuts the header into most pieces, and not the decimal comma."""
    for content, separator, columns in (
        (b"income, net, monthly;zip\n1234,5;01067\n99,5;01069\n", ";", 2),
        (b"income, net;zip\n1234,50;01067\n99,50;01069\n", ";", 2),
        (b"a|b,c\nx,1\ny,2\n", ",", 2),
        (b'"a;b",c\n"x;y",1\n"p;q",2\n', ",", 2),
        (b"a\tb, c\n1\tx, y\n2\tz\n", "\t", 2),
        (b"sep=|\na,x|b\n1|2\n", "|", 2),
        (b"sep=;\r\na;b;c\r\n1;2;3\r\n", ";", 3),
    ):
        table, reading, _ = read_file(content, "mine.csv")
        assert (reading.separator, table.num_columns) == (separator, columns), content


def test_lines_are_counted_from_the_first_one_of_the_file() -> None:
    assert "line 4 has 3 values" in refusal(b"sep=;\na;b\n1;2\n1;2;3\n")


def test_what_was_detected_can_be_changed() -> None:
    """Polish text in Windows-1250: it cannot be told from Windows-1252, so somebody says it."""
    text = "powiat;płeć\nŁódź;kobieta\nŚrem;mężczyzna\n"
    content = text.encode("cp1250")
    guessed, said, _ = read_file(content, "mine.csv")
    assert guessed["powiat"].to_pylist() != ["Łódź", "Śrem"] and "Windows-1252" in said.notes[0]
    right, reading, _ = read_file(content, "mine.csv", encoding="windows-1250")
    assert right["powiat"].to_pylist() == ["Łódź", "Śrem"] and right.column_names[1] == "płeć"
    assert (reading.encoding, reading.notes) == ("cp1250", ())
    for separator in ("semicolon", ";"):
        assert read_file(content, "mine.csv", separator=separator).table.num_columns == 2
    odd = read_file(b"a~b\n1,5~2\n", "mine.csv", separator="~")
    assert odd.table.to_pylist() == [{"a": "1,5", "b": "2"}]
    assert str(odd.reading) == "CSV, read as UTF-8, separated by '~'"


@pytest.mark.parametrize(
    ("content", "how", "words"),
    [
        (b"a,b\n1,2\n", {"encoding": "nonsense"}, "no encoding 'nonsense'"),
        (b"a,b\n1,2\n", {"encoding": "hex"}, "no encoding 'hex'"),
        (b"a,b\n1,2\n", {"separator": "ab"}, "separator must be one sign"),
        (b"a,b\n1,2\n", {"separator": '"'}, "separator must be one sign"),
        (b"a,b\n1,2\n", {"separator": ";"}, "only one column"),
        ("é,b\n1,2\n".encode("cp1252"), {"encoding": "utf-8"}, "is not UTF-8 text (line 1"),
        (b"a,b\n1,2\n3,4", {"encoding": "utf-16"}, "is not UTF-16 text"),
    ],
)
def test_a_wrong_encoding_or_separator_is_refused(
    content: bytes, how: dict[str, str], words: str
) -> None:
    with pytest.raises(sdc.InputError) as caught:
        read_file(content, "mine.csv", **how)
    assert words in one_sentence(caught.value)


def test_every_encoding_that_is_offered_exists() -> None:
    for encoding in ENCODINGS:
        content = "a,b\nx,1\n".encode(encoding)
        _, reading, _ = read_file(content, "mine.csv", encoding, ",")
        assert reading.encoding == encoding


# ------------------------------------------------------------------------------- binary formats


def xlsx(rows: list[list[Any]], formats: dict[str, str] | None = None) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cell, number_format in (formats or {}).items():
        book.active[cell].number_format = number_format
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def saved(write: Callable[..., None], ending: str, tmp_path: Path, *args: Any, **how: Any) -> bytes:
    path = tmp_path / f"x.{ending}"
    write(*args[:1], path, *args[1:], **how)
    return path.read_bytes()


def in_format(ending: str, truth: pd.DataFrame, tmp_path: Path) -> bytes:
    if ending == "xlsx":
        out = io.BytesIO()
        truth.to_excel(out, index=False)
        return out.getvalue()
    if ending == "parquet":
        out = io.BytesIO()
        truth.to_parquet(out)
        return out.getvalue()
    dates = truth.assign(Geburtsdatum=truth["Geburtsdatum"].dt.date)  # else its writer loses them
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}.get(ending)
    if write is None:
        return saved(pyreadstat.write_sav, "zsav", tmp_path, dates, compress=True)
    return saved(write, ending, tmp_path, dates)


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "sav", "zsav", "dta"])
def test_every_format_gives_the_same_records(ending: str, tmp_path: Path) -> None:
    """Codes with leading zeros, accents, gaps, dates and cents, all as in the truth."""
    truth = people(1500, 4)
    data = own_dataset(in_format(ending, truth, tmp_path), f"mine.{ending}")
    check_truth(data, truth)
    wanted = {"xlsx": "Excel", "parquet": "Parquet", "dta": "Stata"}.get(ending, "SPSS")
    assert data.reading is not None and data.reading.format == wanted


@pytest.mark.parametrize("ending", ["xlsx", "sav", "dta", "parquet", "csv"])
def test_codes_with_zeros_and_whole_numbers_survive(ending: str, tmp_path: Path) -> None:
    """200 codes as hypothesis would draw them, in one file: starting a reader takes a moment."""
    rng = random.Random(9)
    drawn = [rng.choice([f"{rng.randrange(100_000)}", f"{rng.randrange(1000):05d}", "N",
                         f"{rng.randrange(100):02d}"]) for _ in range(200)]
    numbers = [rng.randrange(-10**6, 10**9) for _ in range(200)]
    frame = pd.DataFrame({"code": drawn, "n": numbers, "x": [n / 8 for n in numbers]})
    if ending == "csv":
        content = frame.to_csv(index=False).encode()
    elif ending in ("sav", "dta"):
        write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
        content = saved(write, ending, tmp_path, frame)
    else:
        content = in_format(ending, frame, tmp_path)
    data = own_dataset(content, f"mine.{ending}")
    texts, places = data.raw.distinct("code")
    assert [texts.to_pylist()[place] for place in places] == drawn
    as_numbers = dict.fromkeys(("n", "x"), Type.NUMBER)
    for name, kind in as_numbers.items():
        column = sdc.Column(name, name, type=kind)
        np.testing.assert_array_equal(data.raw.numbers(column), frame[name])
    written, places = data.raw.distinct("n")
    assert [written.to_pylist()[place] for place in places] == [str(n) for n in numbers]


def test_a_workbook_is_read_as_it_is_shown() -> None:
    content = xlsx(
        [["code", "n", "x", "day", "moment", "yes", "pad"],
         ["007", 7, 7.5, datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 1, 8, 30), True,
          67],
         ["7", 7.0, 1e-7, datetime.date(1899, 12, 31), None, False, 12345],
         [None, None, None, None, None, None, None],
         ["é", -3, 0.1, None, None, None, 1]],
        {"G2": "00000", "G3": "00000", "G5": "00000"},
    )
    table, reading, _ = read_file(content, "mine.xlsx")
    assert reading.format == "Excel" and reading.notes == ()
    columns = {name: table[name].to_pylist() for name in table.column_names}
    assert columns["code"] == ["007", "7", "é"] and columns["n"] == ["7", "7", "-3"]
    assert [float(x) for x in columns["x"]] == [7.5, 1e-7, 0.1]
    assert columns["day"][0] == "2020-02-29" and columns["day"][2] is None
    assert columns["moment"][0] == "2020-01-01T08:30:00"
    assert columns["yes"] == ["TRUE", "FALSE", None]
    assert columns["pad"] == ["00067", "12345", "00001"]


def test_the_first_sheet_with_anything_on_it_is_read_and_others_are_named() -> None:
    book = openpyxl.Workbook()
    book.active.title = "empty"
    for title, value in (("people", 1), ("notes", 2)):
        sheet = book.create_sheet(title)
        sheet.append(["a", "b"])
        sheet.append([value, value])
    out = io.BytesIO()
    book.save(out)
    table, reading, _ = read_file(out.getvalue(), "mine.xlsx")
    assert table["a"].to_pylist() == ["1"]
    assert reading.notes == ("Sheet 'people' was read, and 'notes' left out.",)


def test_formulas_without_a_result_are_not_silently_missing() -> None:
    """This writer never computes; a spreadsheet program stores the result, which is then read."""
    content = xlsx([["a", "b"], [1, "=A2+1"], [2, 5]])
    table, reading, _ = read_file(content, "mine.xlsx")
    assert table["b"].to_pylist() == [None, "5"]
    assert "formulas have no stored result" in reading.notes[0]
    stored = rewritten(content, "xl/worksheets/sheet1.xml",
                       lambda part: part.replace(b"</f><v />", b"</f><v>2</v>").replace(
                           b"</f><v></v>", b"</f><v>2</v>"))
    table, reading, _ = read_file(stored, "mine.xlsx")
    assert table["b"].to_pylist() == ["2", "5"] and reading.notes == ()


def rewritten(content: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """The archive with one part changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.infolist():
            body = old.read(entry)
            new.writestr(entry.filename, change(body) if entry.filename == part else body,
                         zipfile.ZIP_DEFLATED)
    return out.getvalue()


def labelled_people() -> pd.DataFrame:
    return pd.DataFrame({
        "plz": ["01067", "10115", "99999", ""] * 15,
        "sex": [1.0, 2.0, 9.0, np.nan] * 15,
        "satisfied": [1.0, 2.0, 3.0, 4.0] * 15,
        "inc": [100.5 + i for i in range(57)] + [-9.0, -8.0, np.nan],
        "age": [float(20 + i % 50) for i in range(59)] + [90.0],
    })


LABELS: dict[str, dict[Any, str]] = {
    "sex": {1: "männlich", 2: "weiblich", 9: "keine Angabe"},
    "satisfied": {1: "very", 2: "quite", 3: "hardly", 4: "not", 5: "cannot say"},
    "inc": {-9: "refused", -8: "does not know"}, "age": {90: "90 or more"},
}
TITLES = {"plz": "Postleitzahl", "sex": "Geschlecht", "inc": "Monatseinkommen"}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_of_spss_and_stata_become_a_declared_domain(ending: str, tmp_path: Path) -> None:
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    ranges = {"sex": [9], "inc": [{"lo": -99, "hi": -1}]}
    content = saved(write, ending, tmp_path, labelled_people(), column_labels=TITLES,
                    variable_value_labels=LABELS,
                    **({"missing_ranges": ranges} if ending == "sav" else {}))
    data = own_dataset(content, f"mine.{ending}")
    assert {c.name: c.title for c in data.columns} == {
        "plz": "Postleitzahl", "sex": "Geschlecht", "satisfied": "satisfied",
        "inc": "Monatseinkommen", "age": "age",
    }
    satisfied = data.column("satisfied")
    assert satisfied.type is Type.CODE and satisfied.has_domain
    assert list(satisfied.values.items()) == [
        ("1", "very"), ("2", "quite"), ("3", "hardly"), ("4", "not"), ("5", "cannot say")]
    table = data.histogram(["satisfied"])
    assert table.counts.tolist() == [15, 15, 15, 15, 0] and table.domain.read_off == ()
    sex = data.column("sex")
    if ending == "sav":
        assert (sex.missing, sex.missing_label) == (("9",), "keine Angabe")
        assert data.histogram(["sex"]).counts.tolist() == [15, 15, 30]
        assert set(data.column("inc").missing) == {"-9", "-8"}
        assert np.isnan(data.records["inc"]).sum() == 3
        assert data.histogram(["sex"]).domain.features[0].labels == (
            "männlich", "weiblich", "keine Angabe")
    else:
        assert sex.values == {"1": "männlich", "2": "weiblich", "9": "keine Angabe"}
    age = data.column("age")
    assert age.type is Type.WHOLE and age.note == "90: 90 or more" and age.values == {}
    assert data.place == "plz"


def test_the_letters_of_stata_stand_for_no_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, "a", "b", 2.5] * 8, "b": list("xyxyx") * 8})
    content = saved(pyreadstat.write_dta, "dta", tmp_path, frame,
                    missing_user_values={"a": ["a", "b"]},
                    variable_value_labels={"a": {"a": "refused"}})
    data = own_dataset(content, "mine.dta")
    column = data.column("a")
    assert set(column.missing) == {".a", ".b"} and column.missing_label == "refused"
    assert column.type is Type.NUMBER
    np.testing.assert_array_equal(data.records["a"], [1, 2, np.nan, np.nan, 2.5] * 8)


def test_dates_of_stata_in_any_format_are_dates(tmp_path: Path) -> None:
    days = [datetime.date(1960, 1, 1) + datetime.timedelta(days=d) for d in range(0, 9000, 300)]
    frame = pd.DataFrame({"d": [(d - datetime.date(1960, 1, 1)).days for d in days],
                          "m": range(len(days)), "s": list("xy") * 15})
    content = saved(pyreadstat.write_dta, "dta", tmp_path, frame,
                    variable_format={"d": "%tdDD/NN/CCYY", "m": "%tm"})
    data = own_dataset(content, "mine.dta")
    assert data.column("d").type is Type.DATE
    assert pd.to_datetime(data.records["d"]).dt.date.tolist() == days
    assert data.column("m").note == "months since 1960"


@pytest.mark.parametrize(
    ("array", "texts", "kind"),
    [
        (pa.array([1, None, 3], pa.int64()), ["1", None, "3"], Type.CODE),
        (pa.array([1.0, None, 3.0]), ["1", None, "3"], Type.CODE),
        (pa.array([0.0, -0.0, 2.5]), ["0", "0", "2.5"], Type.NUMBER),
        (pa.array(["01", "1", None]).dictionary_encode(), ["01", "1", None], Type.CODE),
        (pa.array([True, False, None]), ["True", "False", None], Type.CODE),
        (pa.array([datetime.date(2020, 1, 2), None, None]), ["2020-01-02", None, None], Type.CODE),
        (pa.array([1_577_836_800_000] * 3, pa.timestamp("ms", tz="Europe/Berlin")),
         ["2020-01-01T01:00:00"] * 3, Type.CODE),
        (pa.array([1_577_836_800_000] * 3, pa.timestamp("ms", tz="Nowhere/Town")),
         ["2020-01-01"] * 3, Type.CODE),
        (pa.array(["1.50", "0.07", "-2.00"]).cast(pa.decimal128(9, 2)), ["1.50", "0.07", "-2.00"],
         Type.NUMBER),
        (pa.array([2**63, 1, 2], pa.uint64()), ["9223372036854775808", "1", "2"], Type.CODE),
        (pa.array([-100, 100, None], pa.int8()), ["-100", "100", None], Type.CODE),
        (pa.array([1.5, None, 2.0], pa.float16()), ["1.5", None, "2"], Type.NUMBER),
        (pa.nulls(3), [None, None, None], Type.CODE),
        (pa.array([datetime.time(8, 30)] * 3), ["08:30:00"] * 3, Type.CODE),
    ],
    ids=str,
)
def test_columns_of_parquet_by_type(array: pa.Array, texts: list[str | None], kind: Type) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"a": array, "b": ["x", "y", "x"]}), out)
    data = own_dataset(out.getvalue(), "mine.parquet")
    written, places = data.raw.distinct("a")
    assert [None if p < 0 else written.to_pylist()[p] for p in places] == texts
    assert data.column("a").type is kind
    if kind is Type.NUMBER:
        wanted = [np.nan if v is None else float(v) for v in array.to_pylist()]
        np.testing.assert_array_equal(data.records["a"], wanted)


def test_categories_that_nobody_has_are_no_values() -> None:
    """A frame that was cut down keeps its categories."""
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 20, ["w", "x", "y"]), "b": ["u"] * 40})
    out = io.BytesIO()
    frame.to_parquet(out)
    assert own_dataset(out.getvalue(), "mine.parquet").histogram(["a"]).counts.tolist() == [20, 20]


# -------------------------------------------------------------------------------------- hostile


def zip_of(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return out.getvalue()


SMALL_BOOK = xlsx([["a", "b"], [1, 2]])
SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">' + b"".join(
    b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 12)
) + b"]><worksheet><sheetData><row><c t='str'><v>&a11;</v></c></row></sheetData></worksheet>"


def sheet_of(rows: bytes) -> bytes:
    space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    return rewritten(SMALL_BOOK, SHEET, lambda _: (
        b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (space, rows)))


def cell(place: str, value: str = "1") -> bytes:
    return f'<c r="{place}" t="str"><v>{value}</v></c>'.encode()


HOSTILE = {
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "Save it as .xlsx"),
    "gzip": (b"\x1f\x8b\x08" + b"x" * 50, "Unpack it"),
    "PDF": (b"%PDF-1.7\n" + b"x" * 50, "is a PDF"),
    "SAS": (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "SAS"),
    "zip": (zip_of({"mine.csv": b"a,b\n1,2\n"}), "is a zip archive. Unpack it"),
    "OpenDocument": (zip_of({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}),
                     "Save it as .xlsx or as CSV"),
    "cut-off workbook": (SMALL_BOOK[:-40], "cut off"),
    "no workbook in it": (zip_of({"xl/other.xml": b"<x/>"}), "may be damaged"),
    "broken sheet": (rewritten(SMALL_BOOK, SHEET, lambda part: part[:-30]), "may be damaged"),
    "billion laughs": (rewritten(SMALL_BOOK, SHEET, lambda _: LAUGHS), "may be damaged"),
    "no values": (sheet_of(b""), "no values"),
    "a title over the table": (
        sheet_of(b"<row>" + cell("A1", "Survey") + b"</row><row>" + cell("A2") + cell("B2")
                 + b"</row>"), "a column without a name"),
    "10,000 columns": (sheet_of(b"<row>" + cell("A1") + cell("NTP1") + b"</row>"),
                       "10,000 columns; the limit is 500"),
    "cells beyond any sheet": (sheet_of(b'<row r="99999999999">' + cell("A1") + b"</row><row>"
                                        + cell("ZZZZZZ2") + b"</row>"), "may be damaged"),
    "10,000 columns of text": (b",".join(b"c%d" % i for i in range(10_000)) + b"\n", "10,000"),
    "huge header": (b"a" * 3_000_000 + b",b\n1,2\n", "header"),
    "huge name": (b"a" * 120_000 + b"," + b"a" * 120_000 + b"\n1,2\n", "two columns named"),
    "no SPSS": (b"$FL2" + b"\xff" * 3000, "looks like SPSS but cannot be read"),
    "no Stata": (b"<stata_dta><header><release>118</release>" + b"\xff" * 300, "looks like Stata"),
    "old Stata": (b"\x72\x02\x01\x00" + b"\xff" * 300, "looks like Stata"),
}


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_hostile_files_are_refused_in_one_sentence(kind: str) -> None:
    content, words = HOSTILE[kind]
    assert words in refusal(content)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 KB that would be 200 MB; the limit is lowered to keep the test cheap, and reading any
    part of it fails the test."""
    bomb = rewritten(SMALL_BOOK, SHEET, lambda part: part + b" " * 200_000_000)
    assert len(bomb) < 1_000_000
    monkeypatch.setattr(workbook, "MAX_UNPACKED_BYTES", 100_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    assert "unpacks to 200 MB" in refusal(bomb)


def test_an_entry_that_lies_about_its_size_is_refused() -> None:
    """The sizes in the archive's index are what is checked, so they must be what is read."""
    honest = rewritten(SMALL_BOOK, SHEET, lambda part: part + b" " * 5_000_000)
    sizes = [e.file_size for e in zipfile.ZipFile(io.BytesIO(honest)).infolist()]
    lying = honest.replace(max(sizes).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != honest
    assert "cannot be read" in refusal(lying)


def test_a_wide_text_file_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """150 MB of 500 columns are 75 million values: counting signs takes a moment, reading them took
    a minute and gigabytes."""
    line = b",".join([b"1"] * 500) + b"\n"
    content = b",".join(b"c%d" % i for i in range(500)) + b"\n" + line * 150_000
    monkeypatch.setattr(text.pa.csv, "read_csv", lambda *_, **__: pytest.fail("it was parsed"))
    begun = time.process_time()
    said = refusal(content)
    assert "150,001 rows and 500 columns, 75,000,500 values in all; the limit for text is " in said
    assert time.process_time() - begun < 5


def test_separators_within_quotes_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_CELLS", 10)
    content = b'a,b\n"1,,,,,\n,,,,","2 ""x"", y"\n3,4\n'
    assert read_file(content, "mine.csv").table.num_rows == 2
    assert "the limit for text is 10" in refusal(content + b"5,6\n" * 3)


def test_a_letter_across_two_pieces_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is turned into UTF-8 piece by piece; where a piece ends makes no difference."""
    rows = [["näme", "日本"], ["é", "𝄞"], ["ü", "x"]]
    for encoding in ("utf-8", "utf-16", "gb18030"):
        for size in (3, 4, 5):
            monkeypatch.setattr(text, "_CHUNK", size)
            table = read_file(as_csv(rows, ",").encode(encoding), "mine.csv", encoding).table
            assert [table.column_names, *map(list, zip(*table.to_pydict().values(), strict=True))
                    ] == rows
        cut = as_csv(rows, ",").encode("utf-8").replace("ü".encode(), b"\xfc")
        assert "(line 3 holds another encoding)" in refusal(cut, encoding="utf-8")


def test_too_many_rows_and_cells_of_a_workbook(monkeypatch: pytest.MonkeyPatch) -> None:
    content = xlsx([["a", "b"], *([i, i] for i in range(30))])
    monkeypatch.setattr(workbook, "MAX_CELLS", 20)
    assert "too many for a workbook" in refusal(content)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_damaged_files_of_spss_and_stata_never_end_the_program(kind: str, tmp_path: Path) -> None:
    """Cut off anywhere, or with single bytes changed, some of which are known to crash the library
    that reads them: one sentence, or a table."""
    frame = labelled_people()
    write = pyreadstat.write_sav if kind == "sav" else pyreadstat.write_dta
    whole = saved(write, kind, tmp_path, frame, variable_value_labels=LABELS)
    refused = 0
    rng = random.Random(3)
    damaged = [whole[: len(whole) * part // 5] for part in range(1, 5)]
    for _ in range(6):
        body = bytearray(whole)
        for _ in range(3):
            body[rng.randrange(8, 400)] = rng.choice([0, 255, 127])
        damaged.append(bytes(body))
    for content in damaged:
        try:
            assert read_file(content, "mine.dat").table.num_rows > 0
        except sdc.InputError as problem:
            assert "mine.dat" in one_sentence(problem)
            refused += 1
    assert refused >= 4


def test_a_reader_that_crashes_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever becomes of the process that reads: killed, silent, or talking nonsense."""
    content = saved(pyreadstat.write_sav, "sav", tmp_path, labelled_people())
    for program in ("import os; os.kill(os.getpid(), 11)", "pass", "print('[1')",
                    "print('{}'); raise SystemExit(3)"):
        reader = tmp_path / "reader.py"
        reader.write_text(program, encoding="utf-8")
        monkeypatch.setattr(survey, "_READER", reader)
        assert "may be damaged or cut off" in refusal(content)


GREEDY = {
    "memory": "x = bytearray(3_000_000_000); print('{}')",
    "time": "while True: pass",
    "output": "import sys\nwhile True: sys.stdout.buffer.write(bytes(1_000_000))",
}


@pytest.mark.parametrize("what", list(GREEDY))
def test_a_file_that_takes_all_it_can_get_costs_its_reader_one_sentence(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a file makes the library do: the process has only so much of everything."""
    reader = tmp_path / "reader.py"
    reader.write_text(GREEDY[what], encoding="utf-8")
    monkeypatch.setattr(parquet, "_READER", reader)
    monkeypatch.setattr(parquet, "_MEMORY", 1_000_000_000)
    monkeypatch.setattr(apart, "_MOST_WRITTEN", 10_000_000)
    monkeypatch.setattr(parquet, "_SECONDS", 1)
    begun = time.monotonic()
    assert "unpack to more than 1 GB" in refusal(b"PAR1" + bytes(100))
    assert time.monotonic() - begun < 20


def test_an_unpacked_text_column_beyond_all_memory_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that are all different by their last letters alone pack well and cannot be kept once:
    a megabyte becomes 200. The memory that may be had is lowered to keep the test cheap."""
    out = io.BytesIO()
    texts = pa.array([f"{'x' * 20_000}{i}" for i in range(10_000)])
    pq.write_table(pa.table({"a": texts, "b": range(10_000)}), out, compression="zstd",
                   use_dictionary=False)
    assert len(out.getvalue()) < 2_000_000
    assert read_file(out.getvalue(), "mine.dat").table.num_rows == 10_000
    small = io.BytesIO()
    pq.write_table(pa.table({"a": texts[:3], "b": range(3)}), small)
    monkeypatch.setattr(parquet, "_MEMORY", 500_000_000)
    assert read_file(small.getvalue(), "mine.dat").table.num_rows == 3
    assert "cannot be read" in refusal(out.getvalue())


def test_too_many_values_of_spss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = saved(pyreadstat.write_sav, "sav", tmp_path, labelled_people())
    monkeypatch.setattr(survey, "MAX_CELLS", 100)
    assert "60 rows, 5 columns); the limit for SPSS is 100 values" in refusal(content)


def test_parquet_that_is_small_in_the_file_and_large_in_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A million times the same number takes a kilobyte in the file; the limit is lowered to keep
    the test cheap."""
    out = io.BytesIO()
    column = pa.array(np.zeros(1_000_000))
    pq.write_table(pa.table({f"c{i}": column for i in range(20)}), out)
    assert len(out.getvalue()) < 100_000 and read_file(out.getvalue(), "mine.dat")
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 100_000_000)
    assert "160 MB unpacked" in refusal(out.getvalue())


def test_a_long_text_that_repeats_is_kept_once() -> None:
    """Written out, these 100 KB would be 400 MB."""
    out = io.BytesIO()
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(4_000, np.int32)), ["x" * 100_000])
    pq.write_table(pa.table({"a": long, "b": [1] * 4_000}), out, store_schema=False)
    assert pq.read_schema(io.BytesIO(out.getvalue())).field("a").type == pa.string()
    table = read_file(out.getvalue(), "mine.parquet").table
    assert table.nbytes < 1_000_000 and table.num_rows == 4_000


def test_formats_without_encoding_or_separator_say_so() -> None:
    assert "is Excel, which has no encoding" in refusal(SMALL_BOOK, encoding="utf-8")
    assert "is Excel, which has no separator" in refusal(SMALL_BOOK, separator=";")

"""A file that somebody gives us: read rightly, or refused in exactly one sentence.

Proven here: every way of being wrong that we know gives one InputError which names the file and
says what to do, with no newline and no word of a traceback in it; and every reasonable dialect of
CSV, Parquet and DataFrame is read without changing a value.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.data.catalogue import own_dataset
from sdc_core.data.inference import place_among
from sdc_core.data.loading import read_own_data
from sdc_core.data.readers import limits, read_file
from sdc_core.data.readers.limits import MAX_COLUMNS

CODE_WORDS = ("Traceback", "Error:", "Exception", "pyarrow", "pandas", "numpy", "object at 0x")


def parquet(columns: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def read_table(content: bytes, name: str) -> pa.Table:
    return read_file(content, name).table


def load(content: bytes, name: str = "mine.csv") -> sdc.Dataset:
    return read_own_data(read_table(content, name), name)


def one_sentence(problem: BaseException) -> str:
    text = str(problem)
    assert text.strip() == text and len(text) > 15 and "\n" not in text
    assert not [word for word in CODE_WORDS if word in text], text
    return text


def refusal(content: bytes, name: str = "mine.csv") -> str:
    with pytest.raises(sdc.InputError) as caught:
        load(content, name)
    text = one_sentence(caught.value)
    assert name in text
    return text


GOOD_PARQUET = parquet({"a": ["x", "y"] * 50, "b": [1, 2] * 50})
WIDE = ",".join(f"c{i}" for i in range(MAX_COLUMNS + 1))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \r\n\t \n", "is empty"),
        (b"a,b\n", "header but no rows"),
        (b"a,b", "no rows"),
        (b"a\n1\n2\n", "only one column"),
        (b"a,b\n1,2\n1,2,3\n1,2\n", "line 3 has 3 values where the header has 2"),
        (b"a,b,c\n1,2,3\n1,2,3\n1,2\n", "line 4 has 2 values where the header has 3"),
        (b"a,b\n" + b"1,2\n" * 30_000 + b"1\n", "line 30002 has 1 value"),
        (b"a,b\n1,2\n\n\n1,2,3\n", "line 5 has 3 values"),
        (b'a,b\n"two\nlines",2\n1,2,3\n', "line 4 has 3 values"),
        (b'a,b\n"never closed,2\n1,2\n1,2\n', "line 2 has 1 value"),
        (b'a,b\n"never closed,2\n' + b"1,2\n" * 100_000, "quotes"),
        (b'"never closed,b\n' + b"1,2\n" * 100_000, "quotes"),
        (bytes(range(256)) * 20, "not a text file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        ("a,b\ncafé,1\nnaïve,2\n".encode() + b"fa\xe7ade,3\n", "line 4 holds another encoding"),
        (b"a,b\nx,1\n\x00,2\n" + b"x,1\n" * 400, "line 3 holds a zero byte"),
        ("a,b\nx,\x00\n".encode("utf-16"), "line 2 holds a zero byte"),
        (b"a,b\n\x01\xfe\x02\x03,1\n", "not a text file"),
        (b"a,b,a\n1,2,3\n", "two columns named 'a'"),
        (b"a,,c\n1,2,3\n", "a column without a name"),
        (GOOD_PARQUET[:-20], "may be cut off"),
        (GOOD_PARQUET[:60], "may be cut off"),
        (b"PAR1", "may be cut off"),
        (parquet({"a": [[1], [2]], "b": ["x", "y"]}), "column 'a' holds lists"),
        (parquet({"a": pa.array([b"1"], pa.large_binary()), "b": [1]}), "column 'a' holds"),
        (parquet({"a": ["x", "y"]}), "only one column"),
        (parquet({"a": pa.array([], pa.string()), "b": pa.array([], pa.string())}), "no rows"),
        (f"{WIDE}\n{WIDE}\n".encode(), f"{MAX_COLUMNS + 1} columns; the limit is {MAX_COLUMNS}"),
        (parquet({f"c{i}": [1] for i in range(MAX_COLUMNS + 1)}), f"limit is {MAX_COLUMNS}"),
        (b"a,b\n,\nNA,nan\n", "missing"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(content: bytes, words: str) -> None:
    """Lines are counted as an editor does, and a record is on the line where it starts."""
    assert words in refusal(content)


@pytest.mark.parametrize(
    "content", [b"a,b\n" + b"1,2\n" * 50, GOOD_PARQUET], ids=["csv", "parquet"]
)
def test_oversize_is_refused(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes, in rows and unpacked, with the limits lowered to make it cheap."""
    for limit, words in (("MAX_BYTES", "the limit is 0 MB"), ("MAX_ROWS", "the limit is 10 rows"),
                         ("MAX_UNPACKED_BYTES", "the limit is 20,000,000 rows and 0 MB")):
        with monkeypatch.context() as lowered:
            lowered.setattr(limits, limit, 10)
            assert words in refusal(content)
    assert len(load(content)) > 0


def test_a_column_with_ten_thousand_levels_is_read_but_cannot_be_counted_by() -> None:
    lines = "".join(f"person-{i},{'fm'[i % 2]}\n" for i in range(10_000))
    data = load(f"name,sex\n{lines}".encode())
    assert data.column("name").kind == "identifier" and data.features == ("sex",)
    with pytest.raises(sdc.InputError) as caught:
        data.histogram(["name", "sex"])
    text = one_sentence(caught.value)
    assert "name" in text and "10,000" in text


def test_an_empty_column_is_read_but_cannot_be_counted_by() -> None:
    data = load(b"a,b\nx,\ny,NA\n")
    assert data.features == ("a",)
    with pytest.raises(sdc.InputError) as caught:
        data.histogram(["b"])
    assert "b cannot be counted by: all values are missing" in one_sentence(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"a,b\n007,08\n10,1\n", b"a;b\n007;08\n10;1\n", b"a\tb\n007\t08\n10\t1\n",
     b"a|b\n007|08\n10|1\n", b"\xef\xbb\xbfa,b\n007,08\n10,1\n", b"a,b\r\n007,08\r\n10,1\r\n",
     b'"a","b"\n"007","08"\n10,1\n', b"a,b\n007,08\n10,1", b"a, b\n007,08\n10,1\n",
     b"\r\n\na,b\n007,08\n\n10,1\n\n", b"a,b\r007,08\r10,1\r"],
    ids=["comma", "semicolon", "tab", "bar", "BOM", "CRLF", "quoted", "no last newline", "blank",
         "empty lines", "CR"],
)
def test_dialects_of_csv_are_read_alike_and_codes_stay_text(content: bytes) -> None:
    """Leading zeros matter in codes: a column of text must not become numbers."""
    table = read_table(content, "mine.csv")
    assert [name.strip() for name in table.column_names] == ["a", "b"]
    assert [list(row.values()) for row in table.to_pylist()] == [["007", "08"], ["10", "1"]]
    assert load(content).histogram([table.column_names[0]]).counts.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("header", "names"),
    [(b'"age, years",sex', ["age, years", "sex"]), (b'"say ""hi""",sex', ['say "hi"', "sex"]),
     (b'"a;b;c",sex', ["a;b;c", "sex"]), (b'"two\nlines",sex', ["two\nlines", "sex"]),
     ("größe,sex".encode(), ["größe", "sex"]), ("aaé,sex".encode(), ["aaé", "sex"])],
)
def test_quotes_and_separators_in_the_header(header: bytes, names: list[str]) -> None:
    """The header's own marks neither mislead the separator nor turn codes into numbers."""
    table = read_table(header + b"\n007,f\n010,m\n", "mine.csv")
    assert table.column_names == names
    assert table[names[0]].to_pylist() == ["007", "010"]


def test_quoted_separators_in_values() -> None:
    table = read_table(b'a,b\n"x, y",1\n"say ""no""",2\n', "mine.csv")
    assert table["a"].to_pylist() == ["x, y", 'say "no"']


def test_text_beyond_ascii_survives_at_every_position() -> None:
    """A letter of two or more bytes may start anywhere, also across the file's third byte."""
    for pad in range(6):
        table = read_table(f"{'a' * pad}é,b\n東京,ß\n".encode(), "mine.csv")
        assert table.column_names == [f"{'a' * pad}é", "b"]
        assert list(table.to_pylist()[0].values()) == ["東京", "ß"]


def test_missing_values_are_a_level_of_their_own() -> None:
    data = load(b"a,b\nx,1\n,2\nNA,1\ny,null\n")
    histogram = data.histogram(["a"])
    assert histogram.domain.features[0].labels == ("x", "y", "missing")
    assert histogram.counts.tolist() == [1, 1, 2]
    assert data.histogram(["a", "b"]).total == 4


def test_missing_and_empty_text_in_a_frame_do_not_share_a_name() -> None:
    data = sdc.load_dataset(pd.DataFrame({"a": ["", None, "x", ""], "b": list("pqpq")}))
    feature = data.histogram(["a"]).domain.features[0]
    assert len(set(feature.values)) == len(feature.values)
    assert sorted(data.histogram(["a"]).counts.tolist()) in ([1, 1, 2], [1, 3])


def test_bins_of_numbers_can_be_changed() -> None:
    values = np.arange(100) / 4
    data = load(("a,b\n" + "".join(f"{v},x\n" for v in values)).encode())
    column = data.column("a")
    assert column.kind == "numeric"
    five = data.histogram(["a"])
    four = data.with_columns([dataclasses.replace(column, bins=4, edges=())]).histogram(["a"])
    # quarters from 0 to 24.75; the edges are whole numbers near the quantiles, and go up
    assert five.counts.tolist() == [20] * 5 and four.counts.tolist() == [24, 24, 24, 28]
    assert four.domain.features[0].labels == (
        "a under 6", "a 6 to under 12", "a 12 to under 18", "a 18 or more")
    assert data.histogram(["a"]).counts.tolist() == five.counts.tolist()  # not read anew
    for bins in (1, 101):
        with pytest.raises(sdc.InputError, match=rf"a: bins must be in \[2, 100\], got {bins}"):
            dataclasses.replace(column, bins=bins)


def test_text_cannot_be_declared_a_number() -> None:
    data = load(b"a,b\nx,1\ny,2\n")
    with pytest.raises(sdc.InputError, match="a cannot be read as a number: it holds 'x'"):
        data.with_columns([dataclasses.replace(data.column("a"), type=sdc.Type.NUMBER)])


def test_a_frame_is_read_and_not_changed() -> None:
    frame = pd.DataFrame({"sex": ["f", "m", None] * 20, "age": range(60), 3: ["x"] * 60})
    before = frame.copy(deep=True)
    data = sdc.load_dataset(frame)
    assert data.origin == "own" and len(data) == 60 and data.features == ("sex", "age", "3")
    assert data.histogram(["sex"]).counts.tolist() == [20, 20, 20]
    data.records.loc[0, "sex"] = "m"
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [], "b": []}), pd.DataFrame(),
     pd.DataFrame([[1, 2]], columns=["a", "a"]),
     pd.DataFrame({"a": [[1], [2]], "b": ["x", "y"]}),
     pd.DataFrame({"a": ["x", [2]], "b": ["x", "y"]}),
     pd.DataFrame({"a": [None, None], "b": [np.nan, np.nan]})],
    ids=["one column", "no rows", "nothing", "same name", "lists", "one list", "all missing"],
)
def test_bad_frames_are_refused_in_one_sentence(frame: pd.DataFrame) -> None:
    with pytest.raises(sdc.InputError) as caught:
        sdc.load_dataset(frame)
    assert "1,000 different values" not in one_sentence(caught.value)


@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_is_read(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"a,b\nx,1\ny,2\n")
    data = sdc.load_dataset(str(path) if as_text else path)
    assert data.title == "mine.csv" and len(data) == 2


def test_parquet_keeps_every_column_also_one_that_was_an_index(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    frame = pd.DataFrame({"area": ["n", "s", "n"], "sex": ["f", "m", "m"], "n": [1, 2, 3]})
    frame.set_index("area").to_parquet(path)
    data = sdc.load_dataset(path)
    assert set(data.features) == {"area", "sex", "n"}
    assert data.histogram(["area"]).counts.tolist() == [2, 1]


def test_days_are_groups_not_numbers() -> None:
    days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-01", None])
    data = sdc.load_dataset(pd.DataFrame({"day": days, "sex": list("fmfm")}))
    assert data.histogram(["day"]).domain.features[0].labels == (
        "2024-01-01", "2024-01-02", "missing",
    )


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (["sex", "area", "age"], "area"), (["home_county", "sex"], "home_county"),
        (["PUMA", "region"], "PUMA"), (["estate", "parea"], None), ([], None),
        (["State of health", "district"], "district"),
    ],
)
def test_the_place_is_known_by_its_name(names: list[str], place: str | None) -> None:
    assert place_among(names) == place


def test_the_place_is_among_the_first_features() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({
        "sex": rng.choice(["f", "m"], 300), "home": rng.choice(["own", "rent"], 300),
        "work": rng.choice(["yes", "no"], 300), "area": rng.choice(list("abcdefgh"), 300),
    })
    data = sdc.load_dataset(table)
    assert data.place == "area" and "area" in data.default_features
    assert len(data.default_features) == 3


def test_a_very_long_value_has_a_short_label() -> None:
    long = "x" * 500
    table = pd.DataFrame({"a": [long, "short"] * 5, "b": ["u", "v"] * 5})
    feature = sdc.load_dataset(table).coded("a")[1]
    assert sorted(len(label) for label in feature.labels) == [5, 60]
    assert long in feature.values  # the value itself stays


# Texts as files hold them: codes with leading zeros and mixed widths, 'N', numbers of both kinds,
# dates, gaps, accents, anything.
KINDS: list[st.SearchStrategy[str]] = [
    st.integers(0, 9999).map(str), st.integers(0, 999).map(lambda n: f"{n:04d}"),
    st.integers(0, 99).map(lambda n: f"{n:02d}"), st.sampled_from(["N", "", "NA", " 1", "-9", "é"]),
    st.decimals(-999, 9999, places=2).map(str), st.decimals(0, 99, places=1).map(
        lambda d: str(d).replace(".", ",")),
    st.dates().map(str), st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufeff"),
                                 max_size=6),
]


@st.composite
def text_tables(draw: st.DrawFn) -> dict[str, list[str]]:
    """Columns of one kind of entry or of several, and one that can always be counted by."""
    rows = draw(st.integers(2, 40))
    kinds = st.sampled_from([st.one_of(KINDS), *KINDS])
    found = {
        f"c{place}": draw(st.lists(draw(kinds), min_size=rows, max_size=rows))
        for place in range(draw(st.integers(1, 3)))
    }
    return {**found, "always": ["x", "y"] * (rows // 2) + ["x"] * (rows % 2)}


def as_file(columns: dict[str, list[str]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode()


def texts_of(data: sdc.Dataset, name: str) -> list[str | None]:
    texts, codes = data.raw.distinct(name)
    listed = texts.to_pylist()
    return [None if code < 0 else listed[code] for code in codes]


@settings(max_examples=120, deadline=None)
@given(text_tables())
def test_any_table_is_the_same_after_saving_and_loading_its_schema(
    columns: dict[str, list[str]],
) -> None:
    """Table, schema, JSON, schema, table: every value is the text that was written, every number
    and every group that was read before is read again."""
    content = as_file(columns)
    data = own_dataset(content, "mine.csv")
    again = own_dataset(content, "mine.csv", sdc.Schema.from_json(data.schema.to_json()))
    assert again.schema == data.schema and again.digest == data.digest
    for name, written in columns.items():
        assert texts_of(again, name) == written
        column = again.column(name)
        if not column.is_number:
            kept = [None if text in column.missing else text for text in written]
            assert [None if pd.isna(v) else v for v in again.records[name]] == kept
    assert again.records.equals(data.records)
    for name in data.features:
        assert again.histogram([name]).counts.tolist() == data.histogram([name]).counts.tolist()


@settings(max_examples=120, deadline=None)
@given(text_tables(), st.sampled_from(sdc.Type), st.sampled_from(sdc.Role))
def test_any_column_turned_to_another_type_and_back_is_what_it_was(
    columns: dict[str, list[str]], kind: sdc.Type, role: sdc.Role
) -> None:
    """Also where the other type does not fit: that is one sentence, and nothing has changed."""
    data = own_dataset(as_file(columns), "mine.csv")
    before, column = data.digest, data.column("c0")
    other = dataclasses.replace(column, type=kind, role=role, values={}, edges=())
    try:
        turned = data.with_columns([other])
        _ = turned.records
    except sdc.InputError as problem:
        one_sentence(problem)
        turned = data
    back = turned.with_columns([column])
    assert back.digest == before and back.schema == data.schema
    assert back.records.equals(data.records)
    assert texts_of(back, "c0") == columns["c0"]

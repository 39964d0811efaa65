"""A file that somebody gives us: read rightly, or refused in exactly one sentence.

Proven here: every way of being wrong that we know gives one InputError which names the file and
says what to do, with no newline and no word of a traceback in it; and every reasonable dialect of
CSV, Parquet and DataFrame is read without changing a value.
"""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sdc_core as sdc
from sdc_core.data import loading
from sdc_core.data.dataset import place_among
from sdc_core.data.loading import MAX_COLUMNS, read_own_data, read_table

CODE_WORDS = ("Traceback", "Error:", "Exception", "pyarrow", "pandas", "numpy", "object at 0x")


def parquet(columns: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


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
        ("a,b\nx,1\ncafé,2\n".encode("latin-1"), "not UTF-8 text (line 3"),
        ("é,b\nx,1\n".encode("latin-1"), "not UTF-8 text (line 1"),
        ("a,b\nx,1\n".encode("utf-16"), "not a text file"),
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
            lowered.setattr(loading, limit, 10)
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
    assert [name.strip() for name in table.columns] == ["a", "b"]
    assert table.to_numpy().tolist() == [["007", "08"], ["10", "1"]]
    assert load(content).histogram([table.columns[0]]).counts.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("header", "names"),
    [(b'"age, years",sex', ["age, years", "sex"]), (b'"say ""hi""",sex', ['say "hi"', "sex"]),
     (b'"a;b;c",sex', ["a;b;c", "sex"]), (b'"two\nlines",sex', ["two\nlines", "sex"]),
     ("größe,sex".encode(), ["größe", "sex"]), ("aaé,sex".encode(), ["aaé", "sex"])],
)
def test_quotes_and_separators_in_the_header(header: bytes, names: list[str]) -> None:
    """The header's own marks neither mislead the separator nor turn codes into numbers."""
    table = read_table(header + b"\n007,f\n010,m\n", "mine.csv")
    assert list(table.columns) == names
    assert table[names[0]].tolist() == ["007", "010"]


def test_quoted_separators_in_values() -> None:
    table = read_table(b'a,b\n"x, y",1\n"say ""no""",2\n', "mine.csv")
    assert table["a"].tolist() == ["x, y", 'say "no"']


def test_text_beyond_ascii_survives_at_every_position() -> None:
    """A letter of two or more bytes may start anywhere, also across the file's third byte."""
    for pad in range(6):
        table = read_table(f"{'a' * pad}é,b\n東京,ß\n".encode(), "mine.csv")
        assert list(table.columns) == [f"{'a' * pad}é", "b"]
        assert table.iloc[0].tolist() == ["東京", "ß"]


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
    four = data.with_columns([dataclasses.replace(column, bins=4)]).histogram(["a"])
    for histogram, bins in ((five, 5), (four, 4)):
        assert len(histogram) == bins and histogram.total == 100
        assert np.abs(histogram.counts - 100 / bins).max() <= 1  # a value on an edge goes up
        assert histogram.domain.features[0].labels[0].startswith("a 0–")
    assert data.histogram(["a"]).counts.tolist() == five.counts.tolist()  # not read anew
    for bins in (1, 101):
        with pytest.raises(sdc.InputError, match=rf"a: bins must be in \[2, 100\], got {bins}"):
            dataclasses.replace(column, bins=bins)


def test_text_cannot_be_declared_a_number() -> None:
    data = load(b"a,b\nx,1\ny,2\n")
    with pytest.raises(sdc.InputError, match="a cannot be read as a number: it holds 'x'"):
        data.with_columns([dataclasses.replace(data.column("a"), kind="numeric")])


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

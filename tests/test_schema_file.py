"""Schemas and dictionaries from files: ours, NIST's, csvw, SPSS and Stata.

Proven here: each is recognised by what is in it, its words, values and missing codes arrive in the
schema of the file it is used with, roles and what it does not say come from the data, and anything
else is refused in one sentence.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import sdc_core as sdc
from sdc_core import Role, Schema, Type
from sdc_core.cli import _build_parser, _loaded, main
from sdc_core.data.described import Dictionary
from sdc_core.data.schema_file import schema_from
from tests.mixed_file import mixed_file
from tests.test_own_data import one_sentence

NIST = {
    "TOWN": {"description": "Town code", "values": {"01-1": "Northtown", "02-1": "Southtown"}},
    "AGE": {"description": "Person's age", "values": {"min": 0, "max": 99}},
    "MSP": {"description": "Marital status", "values": {"N": "under 15", "1": "married"}},
    "INCOME": {"description": "Income", "values": {"N": "N/A (under 15)", "min": -9e3, "max": 1e6}},
    "POV": {"description": "Poverty", "values": {"N": "N/A", "min": 0, "max": 500, "501": "above"}},
    "INDP": {"description": "Industry", "details": "many codes", "link": "somewhere"},
    "NOT_HERE": {"description": "of another file", "values": {"1": "yes"}},
}


def census(rows: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame({
        "TOWN": rng.choice(["01-1", "02-1"], rows), "AGE": rng.integers(0, 90, rows),
        "MSP": rng.choice(["N", "1"], rows),
        "INCOME": rng.choice(["N", *map(str, range(1000, 90_000, 777))], rows),
        "POV": rng.choice(["N", *map(str, range(0, 502, 3))], rows),
        "INDP": rng.choice(["0170", "7860", "N"], rows), "EXTRA": rng.choice(["u", "v"], rows),
    })


def test_a_nist_dictionary_gives_words_values_and_ranges() -> None:
    frame = census()
    data = sdc.load_dataset(frame, NIST)
    found = {c.name: (c.title, c.type, c.has_domain) for c in data.columns}
    assert found == {
        "TOWN": ("Town code", Type.CODE, True), "AGE": ("Person's age", Type.WHOLE, False),
        "MSP": ("Marital status", Type.CODE, True), "INCOME": ("Income", Type.NUMBER, False),
        "POV": ("Poverty", Type.WHOLE, False), "INDP": ("Industry", Type.CODE, False),
        "EXTRA": ("EXTRA", Type.CODE, False),
    }
    assert data.place == "TOWN" and data.column("INCOME").role is Role.SENSITIVE
    income = data.column("INCOME")
    assert (income.missing, income.missing_label) == (("N",), "N/A (under 15)")
    assert int(np.isnan(data.records["INCOME"]).sum()) == int((frame["INCOME"] == "N").sum())
    assert data.column("POV").note == "501: above"
    table = data.histogram(["MSP"])
    assert table.domain.features[0].labels == ("under 15", "married")
    assert table.counts.tolist() == [(frame["MSP"] == v).sum() for v in ("N", "1")]
    assert table.domain.read_off == ()


def test_nists_own_dictionary_reads_nists_own_file() -> None:
    """The real one where it is; what it says about the excerpts agrees with the project's words."""
    folder = os.environ.get("SDC_DATA_DIR")
    path = Path(folder) / "data_dictionary.json" if folder else None
    if path is None or not path.is_file():
        written = json.dumps(NIST)
        known = schema_from(written)
        assert isinstance(known, Dictionary) and len(known.columns) == len(NIST)
        return
    known = schema_from(path.read_bytes(), path.name)
    assert isinstance(known, Dictionary)
    ours = sdc.load_dataset("ma2019-twin")
    data = ours.with_schema(sdc.load_dataset("ma2019-twin", path).schema)
    for name in ("RAC1P", "SEX", "MSP", "HISP", "HOUSING_TYPE", "OWN_RENT", "EDU", "INDP_CAT"):
        if name in ours.raw.names:
            assert set(data.column(name).values) == set(ours.column(name).values), name
            assert data.histogram([name]).counts.sum() == len(ours)
    for name in ("AGEP", "PINCP", "POVPIP"):
        assert data.column(name).type is Type.WHOLE
        np.testing.assert_array_equal(data.records[name], ours.records[name])
    assert data.place == "PUMA" and data.weight == "PWGTP"


CSVW = {
    "@context": "http://www.w3.org/ns/csvw", "url": "people.csv", "null": "NA",
    "tableSchema": {"columns": [
        {"name": "town", "titles": {"en": "Town", "de": "Ort"}, "datatype": "string",
         "dc:description": "Where the person lives"},
        {"name": "sex", "titles": "sex", "datatype": {"base": "string", "format": "^(f|m|x)$"}},
        {"titles": ["income", "Einkommen"], "null": ["-", "NA"],
         "datatype": {"base": "decimal", "format": {"decimalChar": ","}}},
        {"name": "works", "datatype": {"base": "boolean", "format": "Y|N"}},
        {"name": "born", "datatype": "date"},
        {"name": "langs", "separator": "+"},
        {"name": "made_up", "virtual": True},
    ]},
}


def test_csvw_metadata_gives_types_values_and_what_is_missing() -> None:
    rows = 60
    frame = pd.DataFrame({
        "Town": ["01", "02", "NA"] * 20, "sex": ["f", "m"] * 30,
        "income": [f"1,{100 + i}" for i in range(59)] + ["-"], "works": ["Y", "N"] * 30,
        "born": [f"19{50 + i % 40}-01-01" for i in range(rows)], "langs": ["de+en", "fr"] * 30,
    })
    data = sdc.load_dataset(frame, json.dumps(CSVW))
    kinds = {c.name: c.type for c in data.columns}
    assert kinds == {"Town": Type.CODE, "sex": Type.CODE, "income": Type.NUMBER,
                     "works": Type.CODE, "born": Type.DATE, "langs": Type.CODE}
    assert data.column("Town").title == "Where the person lives" and data.place == "Town"
    assert data.column("Town").missing == ("NA",)
    assert data.histogram(["sex"]).counts.tolist() == [30, 30, 0]
    assert data.histogram(["works"]).domain.read_off == ()
    income = data.records["income"]
    assert data.column("income").title == "Einkommen" and np.isnan(income.iloc[-1])
    np.testing.assert_allclose(income[:59], [1 + (100 + i) / 1000 for i in range(59)])
    assert data.column("langs").note == "several values in one cell, separated by '+'"


def test_csvw_with_several_tables_and_columns_known_by_name_or_title() -> None:
    tables = {"tables": [{"url": "a.csv", "tableSchema": {"columns": [
        {"name": "a", "titles": "A title", "datatype": "integer"}]}}, {"url": "b.csv",
        "tableSchema": {"columns": [{"name": "b", "datatype": "string"}]}}]}
    known = schema_from(json.dumps(tables))
    assert isinstance(known, Dictionary)
    assert [(c.name, c.type) for c in known.columns] == [
        ("A title", Type.WHOLE), ("b", Type.CODE)]
    frame = pd.DataFrame({"b": [str(v) for v in range(40)] * 2, "A title": range(80)})
    data = sdc.load_dataset(frame, tables)
    assert data.column("b").type is Type.CODE  # a string is no number, whatever it looks like


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_an_spss_or_stata_file_is_a_dictionary_for_another(ending: str, tmp_path: Path) -> None:
    write = pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta
    path = tmp_path / f"book.{ending}"
    write(pd.DataFrame({"sex": [1.0], "q": [2.0]}), path, column_labels={"sex": "Gender"},
          variable_value_labels={"sex": {1: "men", 2: "women"}})
    data = tmp_path / "mine.csv"
    data.write_text("sex,q\n" + "1,5\n2,6\n" * 20, encoding="utf-8")
    found = sdc.load_dataset(data, path)
    assert found.column("sex").title == "Gender"
    assert found.histogram(["sex"]).domain.features[0].labels == ("men", "women")


def test_a_dictionary_that_the_values_do_not_bear_out_gives_way() -> None:
    frame = pd.DataFrame({"AGE": ["young", "old"] * 30, "MSP": ["1", "N"] * 30})
    data = sdc.load_dataset(frame, NIST)
    assert data.column("AGE").type is Type.CODE and data.column("AGE").title == "Person's age"
    assert "its values are not" in data.column("AGE").note


def test_our_own_schema_is_a_schema() -> None:
    schema = sdc.load_dataset(census()).schema
    for given in (schema.to_json(), schema.to_json().encode(), b"\xef\xbb\xbf"
                  + schema.to_json().encode()):
        assert schema_from(given) == schema


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "not JSON"), (b"\xff\xfe\x00", "give JSON (UTF-8)"), ("[]", "neither a schema"),
        ("3", "neither a schema"), ("{}", "neither a schema"), ('{"a": 1}', "neither a schema"),
        ('{"a": {"title": "x"}}', "neither a schema"), ('{"a": {"values": 3}}', "neither a schema"),
        ('{"columns": [{"title": "x"}]}', "objects with a name"),
        ('{"tableSchema": {}}', "csvw metadata without columns"),
        ('{"tableSchema": {"columns": 3}}', "csvw metadata without columns"),
        ('{"tables": [3]}', "csvw metadata without columns"),
        ("[" * 100_000, "nested too deeply"), ('{"x":' * 50_000, "nested too deeply"),
        (b"$FL2" + b"\xff" * 100, "looks like SPSS but cannot be read"),
        (b"PK\x03\x04" + b"\x00" * 10, "not JSON"),
    ],
)
def test_what_is_no_schema_is_refused_in_one_sentence(given: str | bytes, words: str) -> None:
    with pytest.raises(sdc.InputError) as caught:
        schema_from(given, "book.json")
    assert words in one_sentence(caught.value)


def test_a_dictionary_of_another_file_is_refused() -> None:
    with pytest.raises(sdc.InputError, match="describes none of the columns of your data; it begi"):
        sdc.load_dataset(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}), NIST)


def test_a_schema_that_is_not_there_is_one_sentence() -> None:
    for given in ("no/such/file.json", "x\x00y", Path("no-such.json")):
        with pytest.raises(sdc.InputError) as caught:
            sdc.load_dataset(pd.DataFrame({"a": ["x"], "b": ["y"]}), given)
        assert "cannot be read" in one_sentence(caught.value)


COMMANDS = {
    "ask": ["compare"], "guarantee": ["laplace"], "evaluate": ["--mechanism", "laplace"],
    "release": ["--mechanism", "laplace"], "audit": ["laplace"],
    "solve": ["--mechanism", "laplace", "--param", "epsilon", "--target", "1"],
    "schema": [], "protect": [],
}


def test_every_command_that_takes_data_is_known_here() -> None:
    """A new one cannot be forgotten below."""
    choices = next(a.choices for a in _build_parser()._actions if a.dest == "command")
    assert choices is not None
    taking = {name for name, sub in choices.items() if "--dataset" in sub.format_help()}
    assert taking == set(COMMANDS)


def test_every_command_that_takes_data_takes_how_to_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Polish in Windows-1250 with ~ between values, and a dictionary: only as said is it right."""
    text = "miasto~płeć\n" + "Łódź~k\nŚrem~m\nŁódź~m\n" * 20
    path, book = tmp_path / "dane.csv", tmp_path / "book.json"
    path.write_bytes(text.encode("cp1250"))
    book.write_text(json.dumps({"płeć": {"description": "Sex", "values": {
        "k": "women", "m": "men"}}}), encoding="utf-8")
    how = ["--dataset", str(path), "--schema", str(book), "--encoding", "cp1250", "--separator",
           "~"]
    for command, needed in COMMANDS.items():
        data = _loaded(_build_parser().parse_args([command, *needed, *how]))
        table = data.histogram(["miasto", "płeć"])
        assert dict(zip(table.describe_cells(range(4)), table.counts.tolist(), strict=True)) == {
            "Łódź, women": 20, "Łódź, men": 20, "Śrem, women": 0, "Śrem, men": 20}
    assert main(["guarantee", "laplace", *how, "--features", "miasto,płeć"]) == 0
    assert main(["evaluate", "--mechanism", "suppression", "--dataset", "ma2019-twin",
                 "--encoding", "utf-8"]) == 2
    assert "Only a file has an encoding" in capsys.readouterr().err


def test_the_mixed_file_is_the_same_with_its_schema_saved_and_loaded(tmp_path: Path) -> None:
    file = mixed_file(800, 2)
    path = tmp_path / "befragung.csv"
    path.write_bytes(file.content)
    guessed = sdc.load_dataset(path)
    (tmp_path / "befragung.schema.json").write_text(guessed.schema.to_json(), encoding="utf-8")
    again = sdc.load_dataset(path)
    assert isinstance(again.schema, Schema) and again.schema == guessed.schema
    assert again.digest == guessed.digest and again.records.equals(guessed.records)

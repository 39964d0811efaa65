"""What the columns of a file mean: declared, saved, guessed.

Proven here: a schema is the same after saving and loading, whatever is in it; a wrong one is
refused in one sentence; guesses are right on columns whose meaning is plain (and codes stay codes);
bins are round, never empty, and those that are declared hang on nobody.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core import Column, Role, Schema, Type
from sdc_core.data.coding import bin_labels, round_edges
from sdc_core.data.inference import words

names = st.text(min_size=1, max_size=8)
labels = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=4)
numbers = st.lists(st.floats(-1e9, 1e9), unique=True, max_size=5).map(lambda v: tuple(sorted(v)))


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    kind = draw(st.sampled_from(Type))
    single = (Role.WEIGHT, Role.HOUSEHOLD, Role.PERSON)
    role = draw(st.sampled_from([r for r in Role if r not in single]))
    days = st.lists(st.integers(-100_000, 100_000), unique=True, max_size=4)
    edges = draw(days.map(lambda v: tuple(float(d) for d in sorted(v)))
                 if kind is Type.DATE else numbers)
    return Column(
        name, draw(names), role, kind, draw(labels), edges, draw(st.integers(2, 100)),
        tuple(draw(st.lists(st.text(max_size=3), max_size=3))), draw(names), draw(st.booleans()),
        draw(st.booleans()), draw(names), draw(names), draw(st.sampled_from(".,")),
    )


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    chosen = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    return Schema(tuple(draw(columns(name)) for name in chosen))


@settings(max_examples=150, deadline=None)
@given(schemas())
def test_a_schema_is_the_same_after_saving_and_loading(schema: Schema) -> None:
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert [list(c.values.items()) for c in again] == [list(c.values.items()) for c in schema]
    assert again.to_json() == schema.to_json()


def columns_json(**column: object) -> str:
    return json.dumps({"columns": [{"name": "a", **column}]})


@pytest.mark.parametrize(("text", "said"), [
    ("", "not JSON"), ("[1]", "list of columns"), ("{}", "list of columns"),
    ('{"columns": []}', "list of columns"), ('{"columns": [3]}', "objects with a name"),
    ('{"columns": [{"title": "x"}]}', "objects with a name"),
    ('{"format": "csvw", "columns": [{"name": "a"}]}', "not sdc-schema version 1"),
    ('{"version": 2, "columns": [{"name": "a"}]}', "not sdc-schema version 1"),
    ('{"columns": [{"name": "a"}, {"name": "a"}]}', "names column 'a' twice"),
    (columns_json(role="place", kind="x"), "knows no 'kind'"),
    (columns_json(role="somebody"), "the role must be one of quasi-identifier, sensitive"),
    (columns_json(type="float"), "the type must be one of code, text"),
    (columns_json(values=3), "values are codes"), (columns_json(values={"a": [1]}), "not text"),
    (columns_json(edges=3), "edges must be a list"),
    (columns_json(type="number", edges=[2, 1]), "edges must rise"),
    (columns_json(type="number", edges=["x"]), "edges between bins are numbers"),
    (columns_json(type="date", edges=["1.5.2019"]), "edges between bins are dates"),
    (columns_json(type="number", edges=[float("inf")]), "all finite"),
    (columns_json(bins=1), "bins must be in"), (columns_json(bins="5"), "bins cannot be '5'"),
    (columns_json(declared=1), "declared cannot be '1'"), (columns_json(decimal=";"), "decimal"),
    (columns_json(missing="N"), "missing must be a list"), ("[" * 100_000, "not JSON"),
    ('{"columns": [{"name": "a", "role": "weight"}, {"name": "b", "role": "weight"}]}',
     "Only one column can be the weight; the schema has a and b"),
])
def test_a_wrong_schema_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(sdc.InputError) as caught:
        Schema.from_json(text)
    sentence = str(caught.value)
    assert said in sentence and "\n" not in sentence and len(sentence) < 400


def test_a_list_of_codes_is_a_declaration_with_the_codes_as_words() -> None:
    (column,) = Schema.from_json(columns_json(values=["n", "s", 7]))
    assert column.values == {"n": "n", "s": "s", "7": "7"} and column.declaration == "n, s, 7"


def people(rows: int = 600) -> pd.DataFrame:
    """Columns whose meaning is plain, as an office would have them."""
    rng = np.random.default_rng(5)
    postcodes = [f"{p:05d}" for p in rng.choice(np.arange(1_000, 99_999), 150, replace=False)]
    day = datetime.date(1940, 1, 1)
    return pd.DataFrame({
        "Person_ID": [f"P{i:06d}" for i in range(rows)],
        "HaushaltsID": [f"H{i // 3:05d}" for i in range(rows)],
        "PLZ": rng.choice(postcodes, rows),
        "Filiale": rng.choice([str(z) for z in range(10_115, 10_180)], rows),
        "Geschlecht": rng.choice(["m", "w"], rows),
        "Alter": rng.integers(0, 95, rows),
        "Geburtsjahr": rng.integers(1930, 2015, rows),
        "Einkommen": [f"{v:.2f}".replace(".", ",") if v > 300 else ""
                      for v in rng.lognormal(7, 0.8, rows)],
        "geboren": [(day + datetime.timedelta(days=int(d))).strftime("%d.%m.%Y")
                    for d in rng.integers(0, 20_000, rows)],
        "Gewicht": np.round(rng.gamma(4.0, 30.0, rows) + 5, 2),
        "Bemerkung": [f"eine längere Bemerkung über die Person Nummer {i} im Ort" for i in
                      range(rows)],
        "Code": rng.choice(["1", "2", "3", "N"], rows),
        "Kinder": rng.choice(["0", "1", "2", "3", "-9"], rows),
    })


def test_columns_are_read_by_what_they_are() -> None:
    schema = sdc.load_dataset(people()).schema
    found = {c.name: (c.role, c.type) for c in schema}
    assert found == {
        "Person_ID": (Role.PERSON, Type.CODE), "HaushaltsID": (Role.HOUSEHOLD, Type.CODE),
        "PLZ": (Role.PLACE, Type.CODE), "Filiale": (Role.QUASI, Type.CODE),
        "Geschlecht": (Role.QUASI, Type.CODE), "Alter": (Role.QUASI, Type.WHOLE),
        "Geburtsjahr": (Role.QUASI, Type.WHOLE), "Einkommen": (Role.SENSITIVE, Type.NUMBER),
        "geboren": (Role.QUASI, Type.DATE), "Gewicht": (Role.WEIGHT, Type.NUMBER),
        "Bemerkung": (Role.IGNORED, Type.TEXT), "Code": (Role.QUASI, Type.CODE),
        "Kinder": (Role.QUASI, Type.CODE),
    }
    income = schema.column("Einkommen")
    assert income is not None and income.decimal == "," and income.missing == ("",)
    assert not any(c.declared for c in schema)


def test_what_is_read_is_what_stands_in_the_file() -> None:
    frame = people()
    data = sdc.load_dataset(frame)
    assert data.records["PLZ"].astype(str).tolist() == frame["PLZ"].tolist()
    assert data.records["Alter"].tolist() == frame["Alter"].tolist()
    wanted = pd.to_numeric(frame["Einkommen"].str.replace(",", ".", regex=False))
    np.testing.assert_array_equal(data.records["Einkommen"], wanted)
    born = pd.to_datetime(frame["geboren"], format="%d.%m.%Y")
    assert (pd.to_datetime(data.records["geboren"]) == born).all()
    assert data.weight == "Gewicht" and data.household == "HaushaltsID" and data.place == "PLZ"


def test_leading_zeros_are_not_lost_and_do_not_merge() -> None:
    data = sdc.load_dataset(pd.DataFrame({"zip": ["01234", "1234", "01573"] * 20, "b": ["x"] * 60}))
    feature = data.histogram(["zip"]).domain.features[0]
    assert set(feature.values) == {"01234", "1234", "01573"}
    assert data.histogram(["zip"]).counts.tolist() == [20, 20, 20]


def test_another_type_and_back_is_what_it_was() -> None:
    data = sdc.load_dataset(pd.DataFrame({"a": ["007", "7", "12", "N"] * 9, "b": list("xy") * 18}))
    column = data.column("a")
    number = dataclasses.replace(column, type=Type.WHOLE, missing=("N",))
    there = data.with_columns([number])
    assert np.nansum(there.records["a"]) == 9 * (7 + 7 + 12)
    back = there.with_columns([column])
    assert back.digest == data.digest and back.records.equals(data.records)


def test_a_schema_beside_the_file_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("town,age\n" + "n,30\ns,71\n" * 20, encoding="utf-8")
    guessed = sdc.load_dataset(path)
    declared = guessed.schema.with_columns([
        dataclasses.replace(guessed.column("town"), role=Role.PLACE).redeclared("n, s, w"),
        dataclasses.replace(guessed.column("age"), type=Type.WHOLE).redeclared("18, 65"),
    ])
    (tmp_path / "mine.schema.json").write_text(declared.to_json(), encoding="utf-8")
    for found in (sdc.load_dataset(path), sdc.load_dataset(path, declared.to_dict()),
                  sdc.load_dataset(path, declared), sdc.load_dataset(path, declared.to_json())):
        assert found.schema == declared and found.place == "town"
        table = found.histogram(["town", "age"])
        assert table.domain.read_off == ()
        assert table.counts.tolist() == [0, 20, 0, 0, 0, 20, 0, 0, 0]
    assert guessed.histogram(["town", "age"]).domain.read_off == ("town", "age")


def test_columns_that_the_schema_does_not_name_are_ignored(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": list("xy") * 9, "b": list("uv") * 9})
    only = {"columns": [{"name": "a", "values": ["x", "y"]}]}
    data = sdc.load_dataset(frame, only)
    assert data.features == ("a",) and data.column("b").role is Role.IGNORED
    with pytest.raises(sdc.InputError, match="names column 'c', which your data does not have"):
        sdc.load_dataset(frame, {"columns": [{"name": "c"}]})


def test_an_excerpt_of_another_year_is_known_by_its_columns(tmp_path: Path) -> None:
    twin = sdc.load_dataset("tx2019-twin")
    names = [n for n in twin.raw.names if n not in ("INCOME_50K", "AGE_BIN")]
    frame = twin.raw.table.select(names).to_pandas().sample(500, random_state=3)
    path = tmp_path / "tx2018.csv"
    frame.to_csv(path, index=False)
    found = sdc.load_dataset(path)
    assert found.origin == "own" and found.schema == twin.schema
    assert found.default_features == twin.default_features
    table = found.histogram(found.default_features)
    assert table.domain == twin.histogram(twin.default_features).domain
    white = (frame["RAC1P"] == "1") & (frame["SEX"] == "2")
    by_hand = int(white.sum())
    cells = found.histogram(["RAC1P", "SEX"])
    assert int(cells.counts.reshape(9, 2)[0, 1]) == by_hand


whole = Column("x", "X", type=Type.WHOLE)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-10**6, 10**6), min_size=1, max_size=60), st.integers(2, 8))
def test_bins_are_round_and_never_empty(values: list[int], bins: int) -> None:
    column = dataclasses.replace(whole, bins=bins)
    found = np.array(values, dtype=np.float64)
    edges = round_edges(found, column)
    filled = np.bincount(np.searchsorted(edges, found, side="right"), minlength=len(edges) + 1)
    assert len(edges) < bins and (filled > 0).all() and (np.diff(edges) > 0).all()
    assert all(edge == round(edge) for edge in edges)
    if len(np.unique(found)) > bins and len(edges):
        spread = np.ptp(np.quantile(found, np.arange(1, bins) / bins, method="inverted_cdf"))
        if spread >= 80:  # rounded to a tenth of a power of ten at the least
            assert all(edge % 10 ** (len(str(int(spread / 8))) - 1) == 0 for edge in edges)


@pytest.mark.parametrize(("edges", "kind", "wanted"), [
    ((20_000, 40_000, 60_000), Type.WHOLE,
     ["under 20,000", "20,000 to 39,999", "40,000 to 59,999", "60,000 or more"]),
    ((1, 2), Type.WHOLE, ["under 1", "1", "2 or more"]),
    ((0.5, 2.25), Type.NUMBER, ["under 0.5", "0.5 to under 2.25", "2.25 or more"]),
    ((12_345.5,), Type.NUMBER, ["under 12,345.5", "12,345.5 or more"]),
    ((-3652, 0), Type.DATE, ["before 1960", "1960 to 1969", "1970 or later"]),
    ((-3653, 0), Type.DATE, ["before 1960", "1960 to 1969", "1970 or later"]),
    ((31,), Type.DATE, ["before 1970-02-01", "1970-02-01 or later"]),
    ((), Type.WHOLE, ["(any)"]),
])
def test_labels_of_bins(edges: tuple[float, ...], kind: Type, wanted: list[str]) -> None:
    if edges == (-3652, 0):
        wanted = ["before 1960-01-02", "1960-01-02 to before 1970-01-01", "1970-01-01 or later"]
    assert bin_labels(np.array(edges, dtype=float), kind) == wanted


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**7), min_size=30, max_size=60), st.integers(0, 29),
       st.integers(0, 10**9))
def test_declared_bins_do_not_move_with_any_one_record(
    incomes: list[int], who: int, other: int
) -> None:
    """Nor do their names: the largest income stands in no label."""
    frame = pd.DataFrame({"income": incomes, "sex": ["f", "m"] * (len(incomes) // 2) + ["f"] * (
        len(incomes) % 2)})
    data = sdc.load_dataset(frame)
    declared = data.schema.with_columns([
        dataclasses.replace(data.column("income"), type=Type.WHOLE).redeclared("20000, 40000"),
        data.column("sex").redeclared("f, m"),
    ])
    changed = frame.assign(income=[other if i == who else v for i, v in enumerate(incomes)])
    tables = [sdc.load_dataset(f, declared).histogram(["income", "sex"]) for f in (frame, changed)]
    assert tables[0].domain == tables[1].domain and tables[0].domain.read_off == ()
    assert np.abs(tables[0].counts - tables[1].counts).sum() <= 2


@pytest.mark.parametrize(("name", "wanted"), [
    ("PLZ_Wohnort", ["plz", "wohnort", "plzwohnort"]), ("codePostal", ["code", "postal",
     "codepostal"]), ("Größe", ["grosse"]), ("Année", ["annee"]), ("x", ["x"]), ("123", []),
])
def test_words_of_a_name(name: str, wanted: list[str]) -> None:
    assert words(name) == wanted

"""Changes to a schema, cell by cell: made, or refused in one sentence; and back again.

Proven here: a declaration is read back as it was written, whatever is in its values; a type that
is changed and changed back leaves everything as it was; what is declared as shown is what a table
had; and the schema that is saved, loaded or written as code is the same schema.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.data import editing
from sdc_core.data.editing import DOMAIN, MISSING_CODES, edited
from sdc_core.data.schema import MISSING, Column, Role, Schema, Type, parts, quoted

anything = st.text(st.sampled_from('ab ,"\n()mising-9é'), max_size=8)


def mixed() -> sdc.Dataset:
    """Codes with leading zeros, numbers with gaps, a code that is no number, dates."""
    return sdc.load_dataset(pd.DataFrame({
        "plz": ["01234", "1234", "99999", "01234"] * 15,
        "age": [str(18 + i) for i in range(60)],
        "income": [str(500.5 * i) for i in range(58)] + ["NA", "12 or 13"],
        "born": [f"19{50 + i % 40}-05-01" for i in range(60)],
        "sex": ["f", "m, w"] * 30,
    }))


@settings(max_examples=300)
@given(values=st.lists(anything, max_size=5), missing=st.booleans())
def test_parts_are_read_as_they_were_written(values: list[str], missing: bool) -> None:
    text = ", ".join([*map(quoted, values), *[MISSING] * missing])
    assert parts(text) == (values, missing)


@settings(max_examples=200)
@given(codes=st.lists(anything, max_size=5, unique=True), missing=st.booleans())
def test_a_declaration_is_read_back_whatever_the_values_are(
    codes: list[str], missing: bool
) -> None:
    column = Column("a", "A", values={c: f"[{c}]" for c in codes}, may_be_missing=missing)
    if codes:
        assert column.redeclared(column.declaration) == column


@settings(max_examples=200)
@given(column=st.builds(
    Column, name=st.text(min_size=1), title=st.text(), role=st.sampled_from(Role),
    type=st.sampled_from([Type.CODE, Type.NUMBER]),
    values=st.dictionaries(st.text(), st.text(), max_size=4),
    edges=st.lists(st.floats(-1e9, 1e9), unique=True, max_size=4).map(lambda e: tuple(sorted(e))),
    missing=st.lists(st.text(), max_size=3).map(tuple), declared=st.booleans(),
    may_be_missing=st.booleans(), note=st.text(), decimal=st.sampled_from(".,"),
))
def test_code_and_json_make_the_same_column(column: Column) -> None:
    assert eval(column.code(), {"sdc": sdc}) == column  # noqa: S307  # our own text
    schema = Schema((column,))
    assert Schema.from_json(schema.to_json()) == schema
    assert Schema.from_json(schema.to_json()).digest == schema.digest


@pytest.mark.parametrize("name", ["plz", "age", "income", "born", "sex"])
@pytest.mark.parametrize("other", list(Type))
def test_a_type_changed_and_changed_back_is_what_it_was(name: str, other: Type) -> None:
    """Also after something was declared, and also by way of a third type."""
    data = mixed()
    first = edited(data, name, {"declared": True, "title": "Words"})
    data = data.with_schema(first)
    try:
        second = edited(data, name, {"type": str(other)}, [first])
    except sdc.InputError as problem:
        assert f"{name} cannot be read as" in str(problem)  # and nothing has changed
        return
    there = data.with_schema(second)
    third = edited(there, name, {"type": "text"}, [first, second])
    back = edited(
        there.with_schema(third), name, {"type": str(data.column(name).type)},
        [first, second, third],
    )
    assert back == first and back.digest == first.digest
    counted = [c.name for c in data.columns if c.kind != "identifier"]
    for one in counted:
        before, after = data.histogram([one]), there.with_schema(back).histogram([one])
        assert before.counts.tolist() == after.counts.tolist()


def test_codes_that_are_read_as_numbers_and_back_keep_their_zeros() -> None:
    data = mixed()
    as_numbers = edited(data, "plz", {"type": "whole number"})
    assert len(data.with_schema(as_numbers).histogram(["plz"])) <= 2  # 01234 and 1234 are one
    back = data.with_schema(edited(data.with_schema(as_numbers), "plz", {"type": "code"},
                                   [data.schema, as_numbers]))
    assert dict(zip(back.coded("plz")[1].values, back.histogram(["plz"]).counts.tolist(),
                    strict=True)) == {"01234": 30, "1234": 15, "99999": 15}


def test_a_text_is_a_number_once_its_stray_values_mean_missing() -> None:
    """NA was found by itself; `12 or 13` has to be said. Two of 60 have no income then."""
    data = mixed()
    assert data.column("income").type is Type.CODE and data.column("income").missing == ("NA",)
    with pytest.raises(sdc.InputError, match="cannot be read as a number: it holds '12 or 13'"):
        edited(data, "income", {"type": "number"})
    schema = edited(data, "income", {"type": "number", MISSING_CODES: "NA, 12 or 13"})
    numbers = data.with_schema(schema).records["income"]
    assert int(numbers.isna().sum()) == 2 and numbers.max() == 57 * 500.5


def test_a_decimal_comma_is_found_when_a_code_becomes_a_number() -> None:
    data = sdc.load_dataset(pd.DataFrame({
        "size": ["1,5", "2,25", "unknown"] * 20, "sex": ["f", "m", "f"] * 20}))
    schema = edited(data, "size", {MISSING_CODES: "unknown", "type": "number"})
    assert data.with_schema(schema).records["size"].dropna().unique().tolist() == [1.5, 2.25]


@pytest.mark.parametrize(
    ("name", "cells", "words"),
    [
        ("sex", {"role": "king"}, "sex: the role must be one of"),
        ("sex", {"type": "king"}, "sex: the type must be one of"),
        ("age", {DOMAIN: "18, many"}, "age: edges between bins are whole numbers"),
        ("age", {DOMAIN: "65, 18"}, "age: edges must rise"),
        ("born", {DOMAIN: "1970"}, "born: edges between bins are dates"),
        ("plz", {"type": "date"}, "plz cannot be read as dates"),
        ("income", {MISSING_CODES: "NA, 12 or 13", "type": "whole number"},
         "income cannot be read as whole numbers: it holds 500.5"),
    ],
)
def test_what_cannot_be_is_one_sentence(name: str, cells: dict[str, Any], words: str) -> None:
    with pytest.raises(sdc.InputError) as caught:
        edited(mixed(), name, cells)
    assert str(caught.value).startswith(words) and "\n" not in str(caught.value)


def test_one_weight_only() -> None:
    data = mixed().with_columns([dataclasses.replace(mixed().column("age"), role=Role.WEIGHT)])
    with pytest.raises(sdc.InputError, match="Only one column can be the weight"):
        edited(data, "plz", {"role": "weight"})


def test_declared_as_shown_is_what_a_table_had() -> None:
    """The same groups with the same people; but now they are declared, so that nothing is read off
    the data, and one person more or less changes no group."""
    data = mixed()
    features = ["sex", "age", "born"]
    before = data.histogram(features)
    declared = data.with_schema(editing.all_declared(data))
    after = declared.histogram(features)
    assert before.domain.read_off == tuple(features) and after.domain.read_off == ()
    assert after.counts.tolist() == before.counts.tolist()
    assert [f.labels for f in after.domain.features] == [f.labels for f in before.domain.features]
    again = edited(declared, "sex", {"declared": False})
    assert declared.with_schema(again).histogram(["sex"]).domain.read_off == ("sex",)


def test_an_emptied_declaration_is_as_proposed_and_labels_stay() -> None:
    data = mixed()
    named = data.with_schema(editing.relabelled(data, "sex", {"f": "women"}))
    declared = named.with_schema(edited(named, "sex", {DOMAIN: 'f, "m, w", x'}))
    assert declared.coded("sex")[1].labels == ("women", "m, w", "x")
    emptied = declared.with_schema(edited(declared, "sex", {DOMAIN: None}))
    assert emptied.coded("sex")[1].labels == ("women", "m, w")
    assert not emptied.column("sex").has_domain
    edges = data.column("age").edges
    changed = data.with_schema(edited(data, "age", {DOMAIN: "30, 40"}))
    assert changed.column("age").edges == (30.0, 40.0) and changed.column("age").has_domain
    assert edited(changed, "age", {DOMAIN: ""}).column("age").edges == edges  # type: ignore[union-attr]


def test_labels_and_the_word_for_missing() -> None:
    data = sdc.load_dataset(pd.DataFrame({"sex": ["f", "m", None] * 20, "b": ["u", "v", "u"] * 20}))
    assert editing.labels_of(data, "sex") == {"f": "f", "m": "m", MISSING: "missing"}
    named = data.with_schema(editing.relabelled(data, "sex", {"m": "men", MISSING: "not asked"}))
    assert named.coded("sex")[1].labels == ("f", "men", "not asked")
    assert named.histogram(["sex"]).counts.tolist() == data.histogram(["sex"]).counts.tolist()
    back = named.with_schema(editing.relabelled(named, "sex", {"m": " "}))
    assert back.coded("sex")[1].labels == ("f", "m", "not asked")  # without words its own


def test_titles_notes_and_missing_codes() -> None:
    data = mixed()
    schema = edited(
        data, "sex", {"title": " Sex ", "note": "as asked", MISSING_CODES: '"m, w", ""'})
    column = schema.column("sex")
    assert column is not None and (column.title, column.note) == ("Sex", "as asked")
    assert column.missing == ("m, w", "")
    assert edited(data, "sex", {"title": ""}).column("sex").title == "sex"  # type: ignore[union-attr]


def test_what_was_said_by_the_guess_goes_with_the_guess() -> None:
    """'Begins with zeros: a code' is no note on a number."""
    data = mixed()
    assert "zeros" in data.column("plz").note
    schema = edited(data, "plz", {"type": "number"}, [data.schema])
    assert schema.column("plz").note == ""  # type: ignore[union-attr]

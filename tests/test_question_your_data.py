"""Your data: the sentence says how much there is, who knows what, and where groups come from.

Every number in it is counted here by hand from a table whose columns are known.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.editing import DIFFERENT, DOMAIN, MISSING_CODES
from sdc_core.questions.answer import Answer
from tests.contract import Contract

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("label_of",),
    columns={
        "columns": ("column", "title", "role", "type", DOMAIN, MISSING_CODES, "declared",
                    DIFFERENT, "example", "note"),
        "labels": ("code", "label"),
    },
)

PEOPLE = pd.DataFrame({
    "town": ["Ash"] * 25 + ["Elm"] * 15, "sex": ["f", "m"] * 20,
    "age": [str(20 + i) for i in range(40)], "income": [str(1000 * i) for i in range(39)] + ["NA"],
})


def data(**declared: str) -> sdc.Dataset:
    found = sdc.load_dataset(PEOPLE)
    return found.with_columns(
        found.column(name).redeclared(text) for name, text in declared.items())


def asked(dataset: sdc.Dataset, features: list[str], domain: str = "dictionary") -> Answer:
    return sdc.ask("your_data", sdc.Study(dataset, features, domain=domain))  # type: ignore[arg-type]


def test_records_columns_and_roles_are_counted() -> None:
    """town is a place and so known as sex and age are; income is named like something sensitive."""
    found = asked(data(), ["town", "sex"])
    assert found.headline == (
        "Your data has 40 records and 4 columns; 3 of them are what an outsider may know, 1 is "
        "sensitive; the groups of the table are read off the data.")
    two = data().with_columns([sdc.Column("age", "age", role=sdc.Role.SENSITIVE)])
    assert "2 of them are what an outsider may know, 2 are sensitive" in asked(
        two, ["sex"]).headline
    none = data().with_columns([sdc.Column("income", "income", role=sdc.Role.IGNORED)])
    assert "3 of them are what an outsider may know, none is sensitive" in asked(
        none, ["sex"]).headline
    every = data().with_columns(
        sdc.Column(n, n, role=sdc.Role.SENSITIVE) for n in ("town", "sex", "age"))
    assert "none of them is what an outsider may know, 4 are sensitive" in asked(
        every, ["sex"]).headline


def test_a_census_excerpt_has_columns_that_its_file_has_not() -> None:
    """Two columns are derived from others: the sentence counts them, and says so."""
    twin = sdc.load_dataset("ma2019-twin")
    file = Path(sdc.data.catalogue.TWIN_DIRECTORY / "ma2019-twin.csv").read_text().splitlines()
    width = len(file[0].split(","))
    headline = sdc.ask("your_data", sdc.Study(twin)).headline
    assert f"{len(file) - 1:,} records and {width + 2} columns (with 2 derived from others)" in (
        headline)


def test_where_the_groups_come_from() -> None:
    """Declared, partly, or not: by the columns of the table alone."""
    declared = data(town="Ash, Elm", sex="f, m")
    found = asked(declared, ["town", "sex"])
    assert found.headline.endswith("; the groups of the table are declared.")
    assert found.more == "Counted by town and sex, there are 4 groups, whoever is in the data."
    partly = asked(data(town="Ash, Elm, Oak"), ["town", "sex"])
    assert partly.headline.endswith("the groups of the table are partly read off the data.")
    assert "there are 6 groups" in partly.more and (
        "They are partly read off the data, because of sex:" in partly.more)
    seen = asked(declared, ["town", "sex"], "observed")
    assert seen.headline.endswith("the groups of the table are read off the data.")
    assert "because groups are to exist as seen" in seen.more
    assert "there are 2 groups. They are read off the data, because town is not declared" in (
        asked(data(), ["town"]).more)
    neither = asked(data(), ["town", "sex"]).more
    assert "because none of these columns is declared" in neither
    one = asked(data(town="Ash"), ["town"])
    assert "Counted by town, there " in one.more and "there are 1 " not in one.more


def test_a_table_that_cannot_be_made_is_no_reason_not_to_see_the_columns() -> None:
    many = pd.DataFrame({"name": [f"n{i % 1500}" for i in range(3000)], "sex": ["f", "m"] * 1500})
    found = sdc.load_dataset(many).with_columns([sdc.Column("name", "name")])
    told = asked(found, ["name", "sex"])
    assert told.headline.endswith("the table that is asked for cannot be made.")
    assert ["1,500 different values" in n.text for n in told.notices] == [True]
    assert list(told.panel("columns").table["column"]) == ["name", "sex"]


def test_what_occurs_but_is_not_declared_is_said() -> None:
    """The table counts it all the same, so the groups are not declared."""
    found = asked(data(town="Ash"), ["town"])
    assert found.headline.endswith("read off the data.")
    assert [n.text.split(".")[0] for n in found.notices] == [
        "town: 'Elm' occurs in the file and is not among what is declared"]
    gap = asked(data(income="10000, 20000"), ["income"])
    assert [n.text.split(".")[0] for n in gap.notices] == [
        "income: '(missing)' occurs in the file and is not among what is declared"]
    assert not asked(data(income="10000, 20000, (missing)"), ["income"]).notices


def test_the_table_of_columns_says_what_is_in_the_file() -> None:
    table = asked(data(sex="f, m, x"), ["sex"]).panel("columns").table.set_index("column")
    assert table.loc["sex", DOMAIN] == "f, m, x" and bool(table.loc["sex", "declared"])
    assert table.loc["town", DOMAIN] == "Ash, Elm" and not table.loc["town", "declared"]
    assert list(table[DIFFERENT]) == [2, 2, 40, 39]
    assert table.loc["town", "example"] == "Ash"  # what most people have, not somebody's own value
    assert table.loc["income", MISSING_CODES] == "NA"
    assert table.loc["income", DOMAIN].endswith("(missing)")


def test_records_are_in_no_file() -> None:
    """The first records are for the page alone: text, JSON and CSV do not have them."""
    found = asked(data(), ["sex"])
    assert found.panel("rows").table is None and set(found.tables()) == {"columns", "labels"}


def test_words_for_the_codes_of_a_column() -> None:
    labelled = data().with_columns([
        sdc.Column("sex", "Sex", values={"f": "women", "m": "men"}, declared=False)])
    study = sdc.Study(labelled, ["town"])
    table = sdc.ask("your_data", study, label_of="sex").panel("labels").table
    assert table.to_dict("list") == {"code": ["f", "m"], "label": ["women", "men"]}
    with pytest.raises(sdc.InputError, match="label_of must be one of town, sex"):
        sdc.ask("your_data", study, label_of="income")

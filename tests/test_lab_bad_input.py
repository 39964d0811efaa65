"""Records that nothing, or not everything, can be said about: one clear sentence from each question
about single records, and never a wrong number in silence. Columns are declared as numbers here:
what the program proposes by itself would often be codes."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.microdata import microdata
from sdc_core.mechanisms.on_records import check_records
from sdc_core.questions.answer import Answer
from sdc_core.records import Records

QUESTIONS = ("microdata_lab", "matched", "intruders")


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "age": rng.integers(20, 70, rows), "pay": rng.normal(3000, 400, rows).round(),
        "height": rng.normal(170, 9, rows).round(1), "sex": rng.choice(["f", "m"], rows)})


def declared(frame: pd.DataFrame) -> sdc.Dataset:
    data = sdc.load_dataset(frame)
    return data.with_columns([
        dataclasses.replace(data.column(name), type=sdc.Type.NUMBER, role=sdc.Role.QUASI, values={})
        for name in ("age", "pay", "height")])


def asked(question: str, frame: pd.DataFrame, **controls: str) -> Answer:
    usual = {"lab_vars": "age,pay,height,sex", "lab_outcome": "pay"}
    if question != "intruders":
        usual["lab_methods"] = "rank-swapping,microaggregation"
    if question == "matched":
        usual["mc_releases"] = "10"
    return sdc.ask(question, sdc.Study(declared(frame)), **{**usual, **controls})


@pytest.mark.parametrize(("frame", "says"), [
    (people().assign(height=np.nan), "height has no numbers in it. Leave it out."),
    (people(2), "There are only 2 records, and 10 are needed here."),
    (people().assign(height=[1.5, np.nan] * 30, pay=[np.nan, 2.5] * 30),
     "Only 0 records have all of these variables; leave out one that is often missing."),
    (pd.concat([people(1)] * 60, ignore_index=True),
     "All records are the same in every variable, so there is no distance between them."),
    (people().assign(height=170.0, age=40),
     "Correlations and components need two numbers that differ between people; choose more "
     "variables."),
])
@pytest.mark.parametrize("question", QUESTIONS)
def test_where_nothing_can_be_said_that_is_the_headline(
    question: str, frame: pd.DataFrame, says: str
) -> None:
    found = asked(question, frame)
    assert found.headline == says and found.panels == ()


def test_a_constant_among_others_is_named_and_the_rest_is_answered() -> None:
    found = asked("microdata_lab", people().assign(height=170.0))
    assert any(n.text.startswith("height is the same for everybody") for n in found.notices)
    names = found.panel("lab-correlations").table
    assert names is not None and set(names["first"]) | set(names["second"]) == {"age", "pay"}


def test_variables_that_follow_from_others_are_said_where_they_matter() -> None:
    frame = people().assign(height=2.0 * people()["age"])
    robust = asked("microdata_lab", frame, ml_privacy="interval_robust")
    assert "interval risk (robust) here: some variables are sums of others" in robust.headline
    assert "goes from" in asked("microdata_lab", frame).headline  # correlations are there


def test_a_text_with_thousands_of_levels_is_no_variable() -> None:
    frame = pd.concat([people(60)] * 100, ignore_index=True)
    frame["note"] = [f"t{i % 5000}" for i in range(6000)]
    with pytest.raises(sdc.InputError, match="lab_vars has no 'note'"):
        asked("microdata_lab", frame, lab_vars="age,pay,note")
    with pytest.raises(sdc.InputError, match="note has 5,000 different values; a category may"):
        Records.of(frame)


def test_more_neighbours_than_records_and_a_radius_of_nothing() -> None:
    few = microdata(declared(people(12)))
    with pytest.raises(sdc.InputError, match="k must be at most the number of other records, 11"):
        check_records(sdc.mechanism("rwn", k=12), few)
    with pytest.raises(sdc.InputError, match="k must be at most the number of records, 12"):
        check_records(sdc.mechanism("microaggregation", k=13), few)
    near = sdc.mechanism("rwn", k=3, radius=0.0).neighbourhoods(few)
    assert set(near.sizes) == {3}  # the k nearest are left
    along_k = asked("microdata_lab", people(12), ml_along="k").panel("lab-trade-off").table
    assert along_k is not None  # only settings that twelve records allow
    assert along_k[along_k["method"] == "RWN borrowing"]["value"].max() == 10

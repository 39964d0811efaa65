"""How columns are taken: codes, numbers, dates, texts, and what stands for no value.

Proven here on small columns whose meaning is plain to a person: each is read as that person would,
and a number is the number that is written there, with either decimal sign.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core import Column, Role, Type
from sdc_core.data.column_types import decimal_sign, typed, usual_decimal
from sdc_core.data.microdata import measurable
from sdc_core.data.parsing import looks_numeric, parse_numbers
from sdc_core.data.raw import Raw

ROWS = 600
rng = np.random.default_rng(8)


def column_of(values: Sequence[object], name: str = "v") -> Column:
    return typed(Raw(pa.table({name: values})), name)


def repeated(texts: Sequence[str], rows: int = ROWS) -> list[str]:
    return [texts[i] for i in rng.integers(0, len(texts), rows)]


def different(low: int, high: int, count: int) -> list[int]:
    return [int(v) for v in rng.choice(np.arange(low, high), count, replace=False)]


POSTCODES = [str(v) for v in different(10_115, 99_000, 100)]
PLAIN = [
    ("postcodes that repeat", repeated(POSTCODES), Type.CODE),
    ("some begin with zeros", repeated([f"{v:05d}" for v in different(1, 99_999, 90)]), Type.CODE),
    ("zeros, mixed widths and N", repeated(["0170", "770", "1", "01", "N"] * 9), Type.CODE),
    ("trades, with zeros and points", repeated([f"{v / 100:05.2f}" for v in
                                                different(100, 9_900, 80)]), Type.CODE),
    ("blanks around codes", repeated([f" 0{v} " for v in range(10, 60)]), Type.CODE),
    ("too long for a number", repeated([f"{10**17 + v}" for v in range(50)]), Type.CODE),
    ("few whole numbers", repeated(["0", "1", "2", "3", "10"]), Type.CODE),
    ("yes and no", repeated(["yes", "no"]), Type.CODE),
    ("one value", ["7"] * ROWS, Type.CODE),
    ("only missing", ["", "NA"] * (ROWS // 2), Type.CODE),
    ("digits of another script", repeated([f"{chr(0x661)}{chr(0x660 + i % 10)}{i}" for i in
                                           range(60)]), Type.CODE),
    ("ages", repeated([str(v) for v in range(100)]), Type.WHOLE),
    ("signed", repeated([str(v) for v in range(-50, 50)]), Type.WHOLE),
    ("with a plus", repeated([f"+{v}" for v in range(5, 60)]), Type.WHOLE),
    ("years", repeated([str(v) for v in range(1931, 2015)]), Type.WHOLE),
    ("rounded sums", repeated([str(v * 100) for v in range(10, 99)]), Type.WHOLE),
    ("incomes", [str(v) for v in different(10_000, 99_999, ROWS)], Type.WHOLE),
    ("points", repeated([f"{v / 4}" for v in range(99)]), Type.NUMBER),
    ("exponents", repeated([f"{v}e5" for v in range(30, 90)] + ["1.5e-3"]), Type.NUMBER),
    ("per cent", repeated([f"{v / 2} %" for v in range(60)]), Type.NUMBER),
    ("money", repeated([f"${v},{v % 900 + 100}.50" for v in range(1, 80)]), Type.NUMBER),
    ("ISO dates", repeated([f"19{v}-05-{v % 28 + 1:02d}" for v in range(10, 99)]), Type.DATE),
    ("dates with a time", repeated([f"{v % 28 + 1}.05.19{v} 00:00" for v in range(10, 99)]),
     Type.DATE),
    ("dates without signs", repeated([f"19{v}05{v % 28 + 1:02d}" for v in range(10, 99)]),
     Type.DATE),
    ("day first", repeated([f"{v % 28 + 1:02d}/05/19{v}" for v in range(10, 99)]), Type.DATE),
    ("no telling day from month", repeated([f"{v % 12 + 1:02d}/05/19{v}" for v in range(10, 99)]),
     Type.CODE),
    ("no dates", repeated([f"19{v}-15-40" for v in range(10, 99)]), Type.CODE),
    ("sentences", [f"what somebody wrote here, at length, number {i}" for i in range(ROWS)],
     Type.TEXT),
    ("names", repeated([f"town {v}" for v in range(80)]), Type.CODE),
]


@pytest.mark.parametrize(("values", "kind"), [p[1:] for p in PLAIN], ids=[p[0] for p in PLAIN])
def test_columns_are_read_as_a_person_would(values: list[str], kind: Type) -> None:
    assert column_of(values).type is kind


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.int32])
def test_numbers_that_were_numbers_already_are_read_alike(kind: type) -> None:
    """The same rules without any text: postcodes, ages, years, sums, few values, running ids."""
    for values, wanted in (
        (repeated(POSTCODES), Type.CODE), (repeated([str(v) for v in range(100)]), Type.WHOLE),
        (repeated([str(v) for v in range(1931, 2015)]), Type.WHOLE),
        (repeated([str(v * 100) for v in range(10, 99)]), Type.WHOLE),
        (repeated(["1", "2", "3"]), Type.CODE),
        ([str(v) for v in different(10_000, 99_999, ROWS)], Type.WHOLE),
        (repeated([f"19{v}05{v % 28 + 1:02d}" for v in range(10, 99)]), Type.DATE),
    ):
        numbers = np.array(values).astype(np.float64).astype(kind)
        assert column_of(numbers).type is wanted is column_of(values).type, values[:3]
    assert column_of([10**16 + i for i in range(60)]).type is Type.CODE
    assert column_of(np.arange(60) / 4).type is Type.NUMBER


def test_salaries_of_a_large_file_are_no_codes_though_all_have_five_digits() -> None:
    """Among 300,000 records any number repeats; among as many postcodes each does, often."""
    salaries = np.clip(rng.lognormal(10.3, 0.4, 300_000), 10_000, 99_999).astype(np.int64)
    assert column_of(salaries).type is Type.WHOLE
    assert column_of(np.array(POSTCODES, np.int64)[rng.integers(0, 100, 300_000)]).type is Type.CODE


@pytest.mark.parametrize("as_text", [True, False])
def test_codes_for_missing_stand_out(as_text: bool) -> None:
    """-9 is no value where nothing else is below zero, and a value where other things are."""
    ages = [*range(60), -9, -99]
    values = [str(v) for v in ages] if as_text else ages
    assert set(column_of(values).missing) == {"-9", "-99"}
    changes = [*range(-30, 30), -99]
    assert column_of([str(v) for v in changes] if as_text else changes).missing == ()


def test_words_for_missing_among_numbers_only() -> None:
    assert column_of([*map(str, range(60)), "N", "k.A.", " NA "]).missing == (" NA ", "N", "k.A.")
    assert column_of(["N", "S", "W", "x", "missing"]).missing == ()
    assert column_of(["a", "", "  ", "#DIV/0!"]).missing == ("", "  ", "#DIV/0!")


@pytest.mark.parametrize(
    ("texts", "usual", "sign"),
    [
        (["1.5", "2"], "", "."), (["1,5", "2"], "", ","), (["x"], "", ""), ([], "", ""),
        (["1", "22"], ",", "."),  # nothing to decide
        (["1.234,5", "2"], "", ","), (["1,234.5", "2"], "", "."), (["1.234.567"], "", ","),
        (["1,234,567"], "", "."), (["1 234,5"], "", ","), (["1'234.5"], "", "."),
        (["0,123", "1,234"], "", ","), (["0.123", "1.234"], "", "."),
        (["1,234", "1234"], "", ","),  # a thousand without a group: the comma is none either
        (["1.234", "1234"], "", "."),
        (["1.234", "999", "5"], "", ","), (["1,234", "999", "5"], "", "."),  # thousands in groups
        (["1.234", "2.345"], "", "."), (["1,234", "2,345"], "", "."),
        (["1.234", "2.345"], ",", ","), (["1,234", "2,345"], ",", ","),  # as the file does
        (["1,234", "2.345"], ",", ","), (["1,234", "2.345"], "", "."),
    ],
)
def test_the_decimal_sign(texts: list[str], usual: str, sign: str) -> None:
    assert decimal_sign(pa.array(texts, pa.string()), usual) == sign


def test_a_file_has_one_decimal_sign() -> None:
    """`1,234` alone is a thousand; beside `12,50` it is one and a quarter or so."""
    prices = [f"{v},50" for v in range(30)]
    weights = [f"{v % 9 + 1},{v + 100}" for v in range(30)]
    alone, together = Raw(pa.table({"w": weights})), Raw(pa.table({"w": weights, "p": prices}))
    assert (usual_decimal(alone), usual_decimal(together)) == ("", ",")
    assert typed(alone, "w", "").decimal == "." and typed(together, "w", ",").decimal == ","
    both = Raw(pa.table({"p": prices, "q": [f"{v}.25" for v in range(30)]}))
    assert usual_decimal(both) == ""


@settings(max_examples=200, deadline=None)
@given(st.decimals(-10**9, 10**9, places=3), st.sampled_from(".,"), st.booleans())
def test_numbers_are_those_that_are_written(number: object, sign: str, grouped: bool) -> None:
    """Python writes the number, with or without groups; the text is read as the same number."""
    text = f"{number:,f}" if grouped else f"{number:f}"
    if sign == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    texts = pa.array([text])
    assert looks_numeric(texts, sign)
    assert parse_numbers(texts, sign, "x")[0] == float(str(number))


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("+5", 5), ("-5", -5), (".5", 0.5), ("5.", 5), ("1e5", 1e5), ("1E-2", 0.01),
     ("1e+2", 100), (" 7 ", 7), ("12 %", 12), ("12%", 12), ("$1,200.50", 1200.5), ("-$3", -3),
     ("5 €", 5), ("1\u00a0234", 1234), ("0", 0), ("-0", 0)],
)
def test_ways_to_write_a_number(text: str, value: float) -> None:
    found = parse_numbers(pa.array([text]), ".", "x")[0]
    assert found == value and bool(np.signbit(found)) == (value < 0)


@pytest.mark.parametrize(
    "text", ["", "x", "1,23", "12 34", "1.2.3", "0x10", "1e", "--5", "%", "$", "nan", "inf",
             "\u0661", "1_000", "5 kg", "1,2345"],
)
def test_what_is_no_number(text: str) -> None:
    assert not looks_numeric(pa.array([text]), ".")
    with pytest.raises(sdc.InputError, match="x cannot be read as a number"):
        parse_numbers(pa.array([text]), ".", "x")


def test_a_number_too_large_is_refused() -> None:
    with pytest.raises(sdc.InputError, match="too large"):
        parse_numbers(pa.array(["1e999"]), ".", "x")


def test_per_cent_is_a_unit() -> None:
    column = column_of([f"{v}%" for v in range(50)])
    assert (column.type, column.unit) == (Type.NUMBER, "%")
    assert column_of([f"{v}%" for v in range(50)] + ["7"]).unit == ""




@pytest.mark.parametrize(
    ("name", "wanted"),
    [("sex", None), ("Geschlecht", None), ("marital_state", None), ("state", "state"),
     ("health status", None), ("Bundesland", "Bundesland"), ("commune", "commune"),
     ("floor area", None)],
)
def test_the_place_is_never_something_else(name: str, wanted: str | None) -> None:
    frame = pd.DataFrame({name: ["a", "b"] * 30, "answer": ["x", "y", "z"] * 20})
    assert sdc.load_dataset(frame).place == wanted


def test_weights_are_weights_also_where_they_are_few_or_whole() -> None:
    for values in ([1, 2, 3] * 20, [1.5, 2.5, 3.5] * 20, [1] * 60):
        data = sdc.load_dataset(pd.DataFrame({"weight": values, "sex": ["f", "m"] * 30}))
        assert data.weight == "weight"
    data = sdc.load_dataset(pd.DataFrame({"weight_kg": range(60), "sex": ["f", "m"] * 30}))
    assert data.weight is None


@pytest.mark.parametrize(("name", "beside", "mean", "spread", "wanted"), [
    ("weight", "sex", 300.0, 200.0, True),  # of a survey: one stands for hundreds
    ("weight", "sex", 1.0, 0.4, True),  # divided by its mean
    ("weight", "sex", 78.0, 14.0, False),  # kilograms, as far as can be told
    ("wt", "sex", 172.0, 30.0, False),  # pounds
    ("weight", "height", 300.0, 200.0, False),  # a kin of a body's weight is beside it
    ("Gewicht", "Körpergröße", 300.0, 200.0, False),
    ("weight", "horsepower", 2970.0, 800.0, False),  # a car's
    ("PWGTP", "height", 78.0, 14.0, True),  # means one thing only
    ("survey_weight", "height", 78.0, 14.0, True),
    ("birth_weight", "sex", 3300.0, 500.0, False),
])
def test_a_weight_is_a_surveys_only_where_there_is_no_doubt(
    name: str, beside: str, mean: float, spread: float, wanted: bool
) -> None:
    rng = np.random.default_rng(1)
    shape = (mean / spread) ** 2
    frame = pd.DataFrame({
        name: rng.gamma(shape, mean / shape, 400).round(2), "age": rng.integers(18, 90, 400),
        beside: rng.integers(150, 200, 400) if beside != "sex" else rng.choice(["f", "m"], 400)})
    data = sdc.load_dataset(frame)
    assert data.weight == (name if wanted else None)
    assert (name in measurable(data)) is not wanted


def test_a_household_weight_is_no_variable_of_the_census() -> None:
    data = sdc.load_dataset("ma2019-twin")
    assert not {"WGTP", "PWGTP"} & set(measurable(data))


def test_moments_of_the_day_are_days_when_read_as_dates() -> None:
    """In the time zone they belong to: half past eleven in New York is tomorrow in London."""
    start = pd.Timestamp("2020-01-01 23:30", tz="America/New_York")
    frame = pd.DataFrame({"t": [start + pd.Timedelta(days=d) for d in range(40)], "b": ["x"] * 40})
    data = sdc.load_dataset(frame)
    assert data.column("t").type is Type.DATE
    wanted = [datetime.date(2020, 1, 1) + datetime.timedelta(days=d) for d in range(40)]
    assert pd.to_datetime(data.records["t"]).dt.date.tolist() == wanted


def test_ids_are_ids_and_sums_are_not() -> None:
    frame = pd.DataFrame({
        "nr": range(5000, 5000 + ROWS), "sum": different(1_000, 9_000, ROWS),
        "hash": [f"{i * 7919 % 1_000_003:x}-{i}" for i in range(ROWS)],
        "sex": ["f", "m"] * (ROWS // 2),
    })
    roles = {c.name: c.role for c in sdc.load_dataset(frame).columns}
    assert roles == {"nr": Role.PERSON, "sum": Role.QUASI, "hash": Role.IGNORED, "sex": Role.QUASI}

"""Records as a matrix: what they hold, how far apart they are, and what is refused.

Proven: distances are those of the declared rule (categories √2 apart, numbers on [0, 1], missing a
category of its own, constant columns silent), also for a release measured on the original's scale;
a data set's columns become records as its schema reads them; bad input is one clear sentence.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.microdata import microdata
from sdc_core.records import Records, Scale, Variable

FRAME = pd.DataFrame({
    "age": [20, 30, 60, 40], "sex": ["f", "m", "m", None], "town": ["a", "a", "a", "a"],
    "pay": [1.5, np.nan, 3.5, 2.5],
})


def distances(records: Records) -> np.ndarray:
    points = Scale.of(records).points(records)
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def test_a_frame_becomes_numbers_and_categories() -> None:
    found = Records.of(FRAME)
    assert [v.kind for v in found.variables] == ["numeric", "categorical", "categorical", "numeric"]
    assert found.variables[1].levels == ("f", "m", "(missing)")
    assert [v.whole for v in found.variables] == [True, False, False, False]
    assert found.numeric_axes == (0, 3) and len(found) == 4
    np.testing.assert_array_equal(found.column("sex"), [0, 1, 1, 2])
    again = found.frame()
    assert again["sex"].tolist() == ["f", "m", "m", "(missing)"]
    np.testing.assert_array_equal(again["pay"], FRAME["pay"])
    picked = found.select(["pay", "age"]).rows(np.array([2, 0]))
    np.testing.assert_array_equal(picked.values, [[3.5, 60.0], [1.5, 20.0]])


def test_distances_follow_the_declared_rule() -> None:
    """By hand: age spans 40 years, pay 2; records 0 and 2 have no missing value, record 1 lacks pay
    and so stands in the middle of its range, one category away; town says nothing."""
    found = distances(Records.of(FRAME))
    assert found[0, 2] == pytest.approx(math.sqrt(1.0 + 2.0 + 1.0))
    assert found[0, 3] == pytest.approx(math.sqrt(0.25 + 2.0 + 0.25))
    assert found[0, 1] == pytest.approx(math.sqrt(0.25**2 + 2.0 + 0.5**2 + 2.0))
    assert found[1, 2] == pytest.approx(math.sqrt(0.75**2 + 0.5**2 + 2.0))
    assert Scale.of(Records.of(FRAME)).constant == ("town",)
    only_sex = distances(Records.of(FRAME[["sex"]]))
    assert only_sex[0, 1] == pytest.approx(math.sqrt(2)) and only_sex[1, 2] == 0.0


def test_a_release_is_measured_on_the_scale_of_the_original() -> None:
    original = Records.of(FRAME[["age", "sex"]])
    values = original.values.copy()
    values[0] = [100.0, 1.0]  # beyond the range: two ranges away
    points = Scale.of(original).points(original.with_values(values))
    assert points[0, 0] == pytest.approx(2.0)
    np.testing.assert_array_equal(points[0, 1:], [0.0, 1.0, 0.0])
    with pytest.raises(sdc.InputError, match="other variables"):
        Scale.of(original).points(Records.of(FRAME[["age"]]))


def test_records_cannot_be_changed_behind_ones_back() -> None:
    found = Records.of(FRAME)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0, 0] = 1.0


def test_a_data_set_becomes_records_as_its_schema_reads_it() -> None:
    data = sdc.load_dataset("ma2019-twin")
    found = microdata(data, ["AGEP", "SEX", "PINCP"])
    assert [(v.kind, v.whole) for v in found.variables] == [
        ("numeric", True), ("categorical", False), ("numeric", True)]
    np.testing.assert_array_equal(found.column("AGEP"), data.records["AGEP"])
    np.testing.assert_array_equal(np.isnan(found.column("PINCP")), data.records["PINCP"].isna())
    assert found.frame()["SEX"].tolist() == data.records["SEX"].tolist()
    assert data.weight not in microdata(data).names
    with pytest.raises(sdc.InputError, match="named twice"):
        microdata(data, ["SEX", "SEX"])
    with pytest.raises(sdc.InputError, match="no column 'HEIGHT'"):
        microdata(data, ["HEIGHT"])


@pytest.mark.parametrize(("frame", "said"), [
    (pd.DataFrame({"x": [1.0, np.inf]}), "x holds a number that is not finite"),
    (pd.DataFrame({"x": [np.nan, np.nan]}), "x has no numbers in it"),
    (pd.DataFrame({"t": [f"text {i}" for i in range(5000)]}), "t has 5,000 different values"),
    (pd.DataFrame({"x": []}, dtype=float), "no records"),
    (pd.DataFrame(), "no columns"),
])
def test_bad_input_is_one_sentence(frame: pd.DataFrame, said: str) -> None:
    with pytest.raises(sdc.InputError, match=said) as caught:
        Records.of(frame)
    assert "\n" not in str(caught.value)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(sdc.InputError, match="as many columns"):
        Records((Variable("x", "x", "numeric"),), np.zeros((3, 2)))
    with pytest.raises(sdc.InputError, match="none of its levels"):
        Records((Variable("s", "s", "categorical", ("f", "m")),), np.array([[0.0], [2.0]]))
    same = Records.of(pd.DataFrame({"x": [1.0, 1.0], "s": ["f", "f"]}))
    with pytest.raises(sdc.InputError, match="All records are the same"):
        Scale.of(same).points(same)

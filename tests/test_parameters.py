"""Every kind of parameter: which values it takes, how a link writes it, what it asks to draw.

One declaration serves the widget, the link, the command line and the checks, so each kind is tried
for all of them: what is written can be read back, what is refused is refused by name, and what is
drawn can hold the value it shows.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdc_core.errors import InputError
from sdc_core.histogram import Feature
from sdc_core.parameters import (
    EPSILON,
    THRESHOLD,
    Choice,
    File,
    Flag,
    Integer,
    IntegerOrAuto,
    ManyOf,
    Number,
    OneOf,
    Percentage,
    Real,
    Several,
    Slider,
    Steps,
    Toggle,
    Typed,
    TypedInteger,
)

SHARE = Real(
    name="share",
    title="Share",
    default=0.25,
    low=0.0,
    high=1.0,
    percent=True,
    slider=(0.01, 0.99),
    symbol="p",
)
RATE = Percentage(name="rate", title="Swap rate", default=5, low=0.1, high=99.9)
WANTED = Typed(
    name="wanted", title="Wanted ε", default=8.0, low=0, high=30, step=0.5, format="%.4g"
)
SEED = TypedInteger(name="seed", title="Seed", default=7, low=0, high=100)
CAP = IntegerOrAuto(name="cap", title="Largest count", low=1, high=1000, otherwise="513, from data")
WAY = Choice(
    name="way",
    title="Way",
    default="up",
    choices=("up", "down"),
    titles={"up": "upwards", "down": "downwards"},
)
PAIRED = Flag(name="paired", title="In pairs", default=False, tag="paired")
NAMES = Several(name="names", title="Names", default=("a", "b"), choices=("a", "b", "c, d", "50%"))
FREE = Several(name="features", title="Features", default=("SEX", "RAC1P"), least=1)


@pytest.mark.parametrize(
    ("param", "value", "text"),
    [
        (EPSILON, 0.25, "0.25"),
        (EPSILON, 1e-3, "0.001"),
        (THRESHOLD, 12, "12"),
        (SHARE, 0.1234567, "0.1234567"),
        (RATE, 99.85, "99.85"),
        (WANTED, 8.5, "8.5"),
        (SEED, 9, "9"),
        (CAP, 12, "12"),
        (CAP, None, "auto"),
        (WAY, "down", "down"),
        (PAIRED, True, "true"),
        (PAIRED, False, "false"),
        (NAMES, ("c, d", "a"), "c%2C d,a"),
        (NAMES, ("50%",), "50%25"),
        (NAMES, (), ""),
    ],
)
def test_what_a_link_says_is_read_back(param: Any, value: Any, text: str) -> None:
    assert param.text(value) == text
    assert param.validate(text) == value and type(param.validate(text)) is type(value)
    assert param.salvage(text) == (value, ())


@given(st.floats(0.001, 100.0))
def test_any_epsilon_survives_its_link_to_ten_digits(epsilon: float) -> None:
    assert EPSILON.validate(EPSILON.text(epsilon)) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("param", "text", "words"),
    [
        (EPSILON, "0", ["epsilon", "[0.001, 100]", "Try 1."]),
        (EPSILON, "many", ["'many'"]),
        (THRESHOLD, "6.5", ["k must be a whole number"]),
        (SHARE, "1.4", ["share", "[0, 1]"]),
        (CAP, "0", ["cap", "[1, 1000]", "empty"]),
        (WAY, "left", ["way", "up, down", "'left'"]),
        (PAIRED, "perhaps", ["paired", "true or false", "'perhaps'"]),
        (NAMES, "a,z", ["names", "'z'"]),
    ],
)
def test_what_is_wrong_is_said_by_name_and_the_default_taken(
    param: Any, text: str, words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        param.validate(text)
    assert all(word in str(caught.value) for word in words)
    value, problems = param.salvage(text)
    assert value == (("a",) if param is NAMES else param.default)  # known names are kept
    assert len(problems) == 1 and not param.fits(text)


def test_a_whole_number_beyond_its_slider_stretches_it() -> None:
    assert THRESHOLD.salvage("500") == (500, ()) and THRESHOLD.salvage("1") == (1, ())
    assert THRESHOLD.salvage("1001")[0] == 6 and THRESHOLD.salvage("1001").problems
    assert THRESHOLD.widget(500) == Slider(2, 500, 1) and THRESHOLD.widget(1) == Slider(1, 30, 1)
    assert THRESHOLD.widget(6) == Slider(2, 30, 1)
    assert CAP.salvage("900") == (900, ())


def test_open_ends_do_not_belong() -> None:
    half = Real(name="p", title="p", default=0.5, low=0, high=1, closed="right")
    assert half.allowed == "(0, 1]" and half.validate(1) == 1
    for bad in (0, -1, 1.1, math.nan):
        with pytest.raises(InputError, match=r"\(0, 1\]"):
            half.validate(bad)


def test_a_list_of_names() -> None:
    assert NAMES.validate(["b", "c, d"]) == ("b", "c, d")
    with pytest.raises(InputError, match="twice: a, a"):
        NAMES.validate("a,a")
    with pytest.raises(InputError, match=r"at least one feature\. Try SEX,RAC1P"):
        FREE.validate(())
    with pytest.raises(InputError, match="must be a list"):
        NAMES.validate(3)
    assert NAMES.salvage("z,b,a,b") == (("b", "a"), ("names has no 'z' in this data set.",))


def test_options_that_change() -> None:
    """What is still there stays; when nothing is left, it starts anew; nothing chosen stays so."""
    assert NAMES.carried_over(["b", "gone"]) == ("b",)
    assert NAMES.carried_over(["gone"]) == ("a", "b")
    assert NAMES.carried_over([]) == ()
    assert WAY.carried_over("gone") == "up" and WAY.carried_over("down") == "down"
    assert SHARE.carried_over(0.7) == 0.7


def axes(**roles: str) -> list[Feature]:
    """Features with these names and roles."""
    return [Feature(n, n.title(), ("a", "b"), ("a", "b"), role=r) for n, r in roles.items()]


QUASI, SECRET, PLACE = "quasi-identifier", "sensitive", "place"


def test_features_of_a_table() -> None:
    offered = FREE.offered(axes(AGE=QUASI, SEX=QUASI, PUMA=PLACE))
    assert offered.choices == ("AGE", "SEX", "PUMA") and offered.default == ("SEX",)
    assert offered.titles["PUMA"] == "Puma"
    assert FREE.offered(axes(AGE=QUASI, PUMA=PLACE)).default == ("AGE",)  # at least one
    both = FREE.offered(axes(SEX=QUASI, RAC1P=QUASI))
    assert both.default == ("SEX",)  # something stays as it is
    optional = Several(name="hold", title="Hold", default=("X",))
    assert optional.offered(axes(AGE=QUASI)).default == ()


def test_features_of_a_table_that_has_none_of_the_usual_ones_are_known_by_role() -> None:
    known = dataclasses.replace(FREE, roles=(QUASI, PLACE))
    table = axes(town=PLACE, ill=SECRET, age=QUASI, factor="weight", job=QUASI)
    assert known.offered(table).default == ("town", "age", "job")  # as the table has them
    assert known.offered(axes(ill=SECRET, SEX=QUASI, age=QUASI)).default == ("SEX",)  # as usual
    assert known.offered(axes(age=QUASI, job=QUASI)).default == ("age",)  # something stays
    assert known.offered(axes(ill=SECRET, factor="weight")).default == ("ill",)  # at least one
    one = dataclasses.replace(known, roles=(PLACE, QUASI), most=1)
    assert one.offered(table).default == ("town",)  # the first role first
    assert one.offered(axes(ill=SECRET, age=QUASI, job=QUASI)).default == ("age",)
    spared = dataclasses.replace(known, least=0, spare=2)
    assert spared.offered(axes(age=QUASI, job=QUASI, sex=QUASI)).default == ("age",)
    assert spared.offered(axes(age=QUASI, job=QUASI)).default == ()


def test_what_a_name_says() -> None:
    assert (EPSILON.short(0.5), SHARE.short(0.25), EPSILON.short(1e-6)) == (
        "ε=0.5",
        "25%",
        "ε=1e-6",
    )
    assert WAY.in_name("up") == "" and WAY.in_name("down") == "downwards"
    assert PAIRED.in_name(False) == "" and PAIRED.in_name(True) == "paired"
    usual = Flag(name="differ", title="Donor must differ", default=True, tag="(any donor)")
    assert usual.in_name(False) == "(any donor)" and usual.in_name(True) == ""
    kept = Choice(name="kept", title="Kept", default="a", choices=("a", "b"),
                  titles={"b": "nothing"}, tag="(exact: {})")
    assert kept.in_name("a") == "" and kept.in_name("b") == "(exact: nothing)"
    plain = Flag(name="own", title="Own Way", default=False)
    assert plain.in_name(True) == "own way"


def test_axis_titles() -> None:
    assert EPSILON.axis_title == "Privacy loss (ε)"
    assert THRESHOLD.axis_title == "Smallest count published (k, people)"
    assert SHARE.axis_title == "Share"
    assert Real(name="x", title="Size", default=1, unit="m").axis_title == "Size, m"


def test_points_of_a_curve() -> None:
    """Evenly on the parameter's own scale, both ends of the slider included."""
    logarithmic = EPSILON.points(5)
    ratios = [b / a for a, b in itertools.pairwise(logarithmic)]
    assert (logarithmic[0], logarithmic[-1]) == (0.05, 20.0)
    assert ratios == pytest.approx([400**0.25] * 4, rel=1e-3)
    assert SHARE.points(3) == (0.01, 0.5, 0.99)
    assert THRESHOLD.points(29) == tuple(range(2, 31))
    assert THRESHOLD.points(100) == tuple(range(2, 31))  # no value twice


def test_widgets_can_hold_the_value_they_show() -> None:
    steps = EPSILON.widget(0.123)
    assert isinstance(steps, Steps) and 0.123 in steps.values
    assert steps.values == tuple(sorted(steps.values)) and len(set(steps.values)) == len(
        steps.values
    )
    assert (steps.values[0], steps.values[-1]) == (0.05, 20.0)
    assert {0.1, 0.5, 1.0, 1.1, 5.5, 10.0} <= set(steps.values)
    assert steps.say(0.5) == "0.5" and len({steps.say(v) for v in steps.values}) == len(
        steps.values
    )
    beyond = EPSILON.widget(50.0)
    assert isinstance(beyond, Steps) and beyond.values[-1] == 50.0
    slider = SHARE.widget(0.25)
    assert slider == Slider(0.01, 0.99, (0.99 - 0.01) / 98, True)
    assert SHARE.widget(0.999) == Slider(0.01, 0.999, (0.99 - 0.01) / 98, True)
    assert THRESHOLD.widget(6) == Slider(2, 30, 1)
    assert WANTED.widget(8.0) == Number(0, 30, 0.5, format="%.4g")
    assert SEED.widget(7) == Number(0, 100, 1)
    assert CAP.widget(None) == Number(1, 1000, 1, "513, from data")
    assert WAY.widget("up") == OneOf(("up", "down"), WAY.titles)
    assert NAMES.widget(()) == ManyOf(("a", "b", "c, d", "50%"), {}, "")
    assert PAIRED.widget(True) == Toggle()


def test_per_cents_are_as_fine_near_100_as_near_0() -> None:
    shown = RATE.widget(7.77)
    assert isinstance(shown, Steps) and 7.77 in shown.values and shown.say(99.5) == "99.5%"
    rest = sorted(round(100 - v, 4) for v in shown.values if v != 7.77)
    assert rest == [v for v in shown.values if v != 7.77]
    assert (shown.values[0], shown.values[-1]) == (0.1, 99.9)
    narrow = Percentage(name="r", title="r", default=5, low=1, high=50).widget(5)
    assert isinstance(narrow, Steps) and (narrow.values[0], narrow.values[-1]) == (1.0, 50.0)


def test_a_file_is_a_path_on_the_command_line(tmp_path: Path) -> None:
    lengths = File(
        name="file", title="File", types=("txt",), read=lambda n, c: (Path(n).name, len(c))
    )
    (tmp_path / "a.txt").write_bytes(b"12345")
    assert lengths.validate(str(tmp_path / "a.txt")) == ("a.txt", 5)
    assert lengths.validate(None) is None and not lengths.linked
    with pytest.raises(InputError, match=r"nowhere\.txt' cannot be read"):
        lengths.validate(str(tmp_path / "nowhere.txt"))


def test_allowed_values_for_a_list_of_parameters() -> None:
    assert PAIRED.allowed == ["false", "true"] and WAY.allowed == ["up", "down"]
    assert NAMES.allowed == ["a", "b", "c, d", "50%"] and "features" in FREE.allowed
    assert Integer(name="n", title="n", default=1, low=1, high=5, closed="left").allowed == "[1, 5)"

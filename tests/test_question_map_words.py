"""The Map's sentences: who is worse than whom, in how many places and where most."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.histogram import Feature
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import MEASURES, AreaComparison, Measure, compare_areas
from sdc_core.questions.map.words import at_other_epsilon, map_sentences, weight_sentence
from sdc_core.words import numbers

LAPLACE = sdc.mechanism("laplace", epsilon=1.0)
DP_HIDES = sdc.mechanism("dp-suppression", epsilon=1.0)
HIDES = sdc.mechanism("suppression", k=6)
TOWNS = ("Aston", "Barton", "Corby", "Derby")


def compared(
    *values: Sequence[float], methods: Sequence[Mechanism] = (LAPLACE, DP_HIDES),
    measure: Measure = "l1_bias", group: tuple[str, ...] = (), weighted: bool = False,
    hides: tuple[bool, ...] = (False, True),
) -> AreaComparison:
    """Numbers for each town under each method, as if they had been measured."""
    towns = TOWNS[: len(values[0])]
    area = Feature("town", "Town", tuple(t[0].lower() for t in towns), towns)
    members = np.array([1.0, 20.0, 300.0, 4000.0])[: len(towns)]
    return AreaComparison(
        area, measure, tuple(methods[: len(values)]), tuple(np.array(v) for v in values),
        np.full(len(towns), 9.0), weighted, group, members, hides,
    )


@pytest.mark.parametrize(
    ("value", "size", "signed"),
    [(187.4, "187", "+187"), (-12.6, "−13", "−13"), (9.996, "10", "+10"), (0.0104, "0.01", "+0.01"),
     (-0.0004, "0", "0"), (2.5, "2.5", "+2.5"), (0.0, "0", "0"), (1234.5, "1,234", "+1,234")],
)
def test_numbers_have_the_digits_a_reader_can_use(value: float, size: str, signed: str) -> None:
    assert numbers.size_text(value) == size
    assert numbers.signed_text(value) == signed


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([0.1, 0.4], [0.0, 0.2],
         "neither Laplace nor DP suppression is off by a noticeable amount in any place"),
        ([0.5, 0.1], [0.0, 0.0],
         "Laplace is worse than DP suppression in 1 of 2 places; the gap is widest in Aston (0.5 "
         "people off instead of 0)"),
        ([187.1, 40.0], [187.4, 40.3], "they are about equally good everywhere"),
        ([5.0, 5.0], [5.3, 5.4], "they are about equally good everywhere"),
        ([5.0, 5.0], [5.0, 5.5],
         "DP suppression is worse than Laplace in 1 of 2 places; the gap is widest in Barton (5.5 "
         "people off instead of 5)"),
        ([187.1, 40.0], [187.4, 60.0],
         "DP suppression is worse than Laplace in 1 of 2 places; the gap is widest in Barton (60 "
         "people off instead of 40)"),
        ([30.0, 40.0], [20.0, 60.0],
         "DP suppression is worse than Laplace in 1 of 2 places, better in 1; the gap is widest in "
         "Barton (60 people off instead of 40)"),
        ([60.0, 40.0], [20.0, 60.0],
         "Laplace is worse than DP suppression in 1 of 2 places, better in 1; the gap is widest in "
         "Aston (60 people off instead of 20)"),
        ([30.0, 40.0], [20.0, 10.0],
         "Laplace is worse than DP suppression in both places; the gap is widest in Barton (40 "
         "people off instead of 10)"),
        ([30.0, 40.0, 9.0], [50.0, 45.0, 20.0],
         "DP suppression is worse than Laplace in all 3 places; the gap is widest in Aston (50 "
         "people off instead of 30)"),
        ([30.0, 40.0, 9.0, 90.0], [50.0, 45.0, 20.0, 10.0],
         "DP suppression is worse than Laplace in 3 of 4 places, better in 1; the gap is widest in "
         "Aston (50 people off instead of 30)"),
        ([30.0], [50.0], "DP suppression is worse than Laplace in Aston (50 people off instead of "
                         "30)"),
    ],
)
def test_who_is_worse_by_hand(first: list[float], second: list[float], said: str) -> None:
    headline, more = map_sentences(compared(first, second))
    assert headline.startswith("At ε = 1, ") and said in headline and headline.endswith(".")
    assert more == ""
    turned = map_sentences(compared(second, first, methods=(DP_HIDES, LAPLACE)))[0]
    if "neither" not in said and "equally" not in said:
        assert turned == headline  # the order of the cards says nothing about who is worse


@pytest.mark.parametrize(
    ("measure", "first", "second", "said"),
    [
        ("error_rate", [10.0, 40.0], [20.0, 60.0],
         "the gap is widest in Barton (60 people off for every 1,000 instead of 40)"),
        ("hidden_share", [0.0, 0.0], [20.0, 60.0],
         "DP suppression hides more counts than Laplace in both places; the gap is widest in "
         "Barton (60% of the counts hidden instead of none)"),
        ("hidden_share", [10.0, 40.0], [20.0, 30.0],
         "DP suppression hides more counts than Laplace in 1 of 2 places, fewer in 1"),
        ("group_bias", [0.3, -0.1], [-0.9, -0.2],
         "for people counted as Black, renting, DP suppression is worse than Laplace in both "
         "places; the gap is widest in Aston (a count 0.9 people too low instead of 0.3 too high)"),
        ("group_bias", [0.3, 0.0], [0.9, 0.0],
         "in 1 of 2 places; the gap is widest in Aston (a count 0.9 people too high instead of "
         "0.3)"),
        ("group_bias", [0.0, 0.0], [0.9, 0.0], "a count 0.9 people too high instead of none"),
        ("group_bias", [0.01, 0.04], [0.02, -0.04],
         "neither Laplace nor DP suppression puts counts noticeably too high or too low"),
        ("hidden_share", [0.0, 0.4], [0.0, 0.2],
         "neither Laplace nor DP suppression hides a noticeable share of the counts"),
    ],
)
def test_who_is_worse_in_other_measures(
    measure: Measure, first: list[float], second: list[float], said: str
) -> None:
    group = ("Black", "renting") if measure == "group_bias" else ()
    assert said in map_sentences(compared(first, second, measure=measure, group=group))[0]


def test_weighted_numbers_are_people_represented() -> None:
    said = map_sentences(compared([10.0, 4.0], [20.0, 6.0], weighted=True))[0]
    assert "20 people represented off instead of 10" in said
    pinned = map_sentences(compared([10.0, 4.0], [20.0, 6.0], weighted=True), pinned="b")[0]
    assert "Laplace is off by 4 people represented in Barton" in pinned


def test_a_pinned_place_comes_first() -> None:
    found = compared([61.0, 58.0], [188.0, 178.0])
    headline, more = map_sentences(found, pinned="b")
    assert headline == (
        "At ε = 1, Laplace is off by 58 people in Barton and DP suppression by 178.")
    assert more == (
        "DP suppression is worse than Laplace in both places; the gap is widest in Aston (188 "
        "people off instead of 61).")
    assert map_sentences(found, pinned="a")[1] == (
        "DP suppression is worse than Laplace in both places, and the gap is widest there.")
    assert map_sentences(found, pinned="x") == map_sentences(found)


def test_the_other_epsilon_is_told_of_the_same_place() -> None:
    """At ε = 4 the gap would be widest in Aston; what is told is about Barton, as before."""
    fours = [m.replace(epsilon=4.0) for m in (LAPLACE, DP_HIDES)]
    now, then = compared([10.0, 10.0], [20.0, 40.0]), compared([90.0, 3.0], [5.0, 8.0],
                                                               methods=fours)
    assert map_sentences(now, then)[1] == (
        "At ε = 4, Laplace is off by 3 people there and DP suppression by 8; Laplace is worse than "
        "DP suppression in 1 of 2 places, better in 1.")
    pinned = map_sentences(now, then, pinned="a")[1]
    assert pinned.endswith(
        "At ε = 4, Laplace is off by 90 people in Aston and DP suppression by 5; Laplace is worse "
        "than DP suppression in 1 of 2 places, better in 1.")


def test_the_size_of_the_group_there_is_told() -> None:
    found = compared([0.3, -0.1], [-0.9, -0.2], measure="group_bias", group=("Black",))
    assert map_sentences(found)[1].startswith("The group has one person in Aston.")
    pinned = map_sentences(found, pinned="b")
    assert pinned[1].startswith("The group has 20 people in Barton.")
    assert "puts a count 0.1 people too low in Barton and DP suppression puts a count 0.2 people " \
           "too low, for people counted as Black" in pinned[0]


def test_one_method() -> None:
    one = map_sentences(compared([7.0, 60.0, 3.0]))
    assert one == (
        "At ε = 1, Laplace is off by 60 people in Barton; in Corby it is off by 3 people.", "")
    assert map_sentences(compared([7.0, 60.0, 3.0]), pinned="a")[0] == (
        "At ε = 1, Laplace is off by 7 people in Aston; in Corby it is off by 3 people.")
    assert map_sentences(compared([0.0, 0.0]))[0].count("off by 0 people") == 1
    group = compared([0.5, -2.0], measure="group_bias", group=("Black", "renting"))
    assert map_sentences(group)[0] == (
        "At ε = 1, Laplace puts a count 2 people too low in Barton, for people counted as Black, "
        "renting; in Aston it puts a count 0.5 people too high.")
    hidden = compared([70.0, 20.0], methods=[HIDES], measure="hidden_share", hides=(True,))
    assert map_sentences(hidden)[0] == (
        "Suppression hides 70% of the counts in Aston; in Barton it hides 20% of the counts.")
    assert map_sentences(None) == ("Choose a method to see where it hurts.", "")


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        ([LAPLACE, DP_HIDES.replace(epsilon=2.0)],
         ("Laplace ε=1", "DP suppression ε=2 k=6")),  # no ε in common: each says its own
        ([HIDES, LAPLACE], ("Suppression k=6", "Laplace ε=1")),
        ([HIDES, HIDES.replace(k=9)], ("Suppression k=6", "Suppression k=9")),
        ([HIDES, HIDES], ("Suppression k=6 (1)", "Suppression k=6 (2)")),
        ([HIDES, sdc.mechanism("k-anonymity")], ("Suppression", "k-anonymity")),
    ],
)
def test_methods_are_named_so_that_they_are_told_apart(
    methods: list[Mechanism], names: tuple[str, str]
) -> None:
    said = map_sentences(compared([30.0, 50.0], [10.0, 20.0], methods=methods))[0]
    assert said.startswith(f"{names[0]} is worse than {names[1]} in both places")


@pytest.mark.parametrize("measure", list(MEASURES))
@pytest.mark.parametrize("features", [("PUMA",), ("PUMA", "SEX"), FIVE_FEATURES])
@pytest.mark.parametrize("epsilons", [(1.0, 1.0), (4.0, 4.0), (0.3, 8.0)])
def test_nobody_is_called_worse_by_what_nobody_can_see(
    measure: Measure, features: tuple[str, ...], epsilons: tuple[float, float]
) -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(features)
    methods = [m.replace(epsilon=e) for m, e in zip((LAPLACE, DP_HIDES), epsilons, strict=True)]
    found = compare_areas(table, "PUMA", [sdc.evaluate(m, table) for m in methods], measure)
    first, second = (np.abs(v) for v in found.values)
    least = 0.05 if measure == "group_bias" else 0.5
    written = [[numbers.size_text(x) for x in v] for v in (first, second)]
    differ = np.array([a != b for a, b in zip(*written, strict=True)])
    ahead = int((differ & (first - second >= least)).sum())
    behind = int((differ & (second - first >= least)).sum())
    headline = map_sentences(found)[0]
    if max(first.max(), second.max()) < least:
        assert "neither Laplace" in headline and "noticeabl" in headline
        assert "worse" not in headline and "more counts" not in headline
    elif not ahead and not behind:
        assert "about equally good everywhere" in headline and "worse" not in headline
    else:
        most = max(ahead, behind)
        many = "all 5 places" if most == 5 else f"{most} of 5 places"
        does = "hides more counts" if measure == "hidden_share" else "is worse"
        sums = float(np.where(differ & (np.abs(second - first) >= least), second - first, 0).sum())
        lead = behind - ahead or sums
        loser, other = ("DP suppression", "Laplace")[:: 1 if lead >= 0 else -1]
        assert re.search(rf"{loser}[^;]* {does} than {other}[^;]* in {many}", headline)


def test_the_other_epsilon() -> None:
    both = (LAPLACE, DP_HIDES)
    assert [m.settings()["epsilon"] for m in at_other_epsilon(both)] == [4.0, 4.0]
    fours = [m.replace(epsilon=4.0) for m in both]
    assert [m.settings()["epsilon"] for m in at_other_epsilon(fours)] == [1.0, 1.0]
    twos = [m.replace(epsilon=2.0) for m in both]
    assert [m.settings()["epsilon"] for m in at_other_epsilon(twos)] == [4.0, 4.0]
    assert at_other_epsilon([HIDES, DP_HIDES]) == (HIDES, DP_HIDES.replace(epsilon=4.0))
    assert at_other_epsilon([LAPLACE, fours[1]]) == ()  # no ε in common
    assert at_other_epsilon([HIDES, HIDES]) == ()  # no ε at all
    assert at_other_epsilon([LAPLACE]) == ()  # nothing to compare
    assert at_other_epsilon([LAPLACE, sdc.mechanism("topdown", epsilon=1.0)]) == ()  # simulated


def test_what_is_counted_is_told() -> None:
    plain, heavy = compared([1.0, 2.0]), compared([1.0, 2.0], weighted=True)
    assert weight_sentence(plain, "PWGTP") == (
        "Persons as recorded, without survey weights (18 in all).")
    assert "PWGTP; 18 people in all" in weight_sentence(heavy, "PWGTP")
    assert "play no part" in weight_sentence(compared([1.0], measure="hidden_share"), "PWGTP")

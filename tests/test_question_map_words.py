"""The Map's sentences: who is worse than whom, in how many places and where most."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.histogram import Feature
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import MEASURES, AreaComparison, Measure, compare_areas
from sdc_core.questions.answer import Answer
from sdc_core.questions.map import words
from sdc_core.questions.map.captions import weight_sentence, yardstick_text
from sdc_core.questions.map.names import at_other_epsilon
from sdc_core.questions.map.words import map_sentences as sentences_of
from sdc_core.words import numbers
from tests.shorthand import short, shortened


def map_sentences(*given: Any, **settings: Any) -> tuple[str, str]:
    """What the map says, methods written short."""
    headline, more = sentences_of(*given, **settings)
    return short(headline), short(more)


@pytest.fixture(autouse=True)
def in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said, however long; that a long headline is divided is a test of its own."""
    monkeypatch.setattr(words, "_TWO_LINES", 1000)


LAPLACE = sdc.mechanism("laplace", epsilon=1.0)
DP_HIDES = sdc.mechanism("dp-suppression", epsilon=1.0)
HIDES = sdc.mechanism("suppression", k=6)
TOWNS = ("Aston", "Barton", "Corby", "Derby")


def compared(
    *values: Sequence[float], methods: Sequence[Mechanism] = (LAPLACE, DP_HIDES),
    measure: Measure = "people_error", group: tuple[str, ...] = (), weighted: bool = False,
    hides: tuple[bool, ...] = (False, True), members: Sequence[float] = (1.0, 20.0, 300.0, 4000.0),
    invented: tuple[Sequence[float], ...] = (), errors: tuple[Sequence[float], ...] = (),
    noise: tuple[Sequence[float], ...] = (), drawn: tuple[int, ...] = (),
    invented_errors: tuple[Sequence[float], ...] = (),
) -> AreaComparison:
    """Numbers for each town under each method, as if they had been measured."""
    towns = TOWNS[: len(values[0])]
    area = Feature("town", "Town", tuple(t[0].lower() for t in towns), towns)
    return AreaComparison(
        area, measure, tuple(methods[: len(values)]), tuple(np.array(v) for v in values),
        np.full(len(towns), 9.0), weighted, group, np.array(members[: len(towns)]), hides,
        *(tuple(np.array(v) for v in more) for more in (invented, errors, noise)), drawn=drawn,
        invented_errors=tuple(np.array(v) for v in invented_errors),
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
         "neither Laplace nor DP suppression k=6 is off by a noticeable amount in any place"),
        ([0.5, 0.1], [0.0, 0.0],
         "Laplace is worse than DP suppression k=6 in 1 of 2 places, about alike in 1; the gap is "
         "widest in Aston (0.5 people off instead of 0)"),
        ([187.1, 40.0], [187.4, 40.3], "they are about equally good everywhere"),
        ([5.0, 5.0], [5.3, 5.4], "they are about equally good everywhere"),
        ([5.0, 5.0], [5.0, 5.5],
         "DP suppression k=6 is worse than Laplace in 1 of 2 places, about alike in 1; the gap is "
         "widest in Barton (5.5 people off instead of 5)"),
        ([187.1, 40.0], [187.4, 60.0],
         "DP suppression k=6 is worse than Laplace in 1 of 2 places, about alike in 1; the gap is "
         "widest in Barton (60 people off instead of 40)"),
        ([30.0, 40.0], [20.0, 60.0],
         "DP suppression k=6 is worse than Laplace in 1 of 2 places, better in 1; the gap is "
         "widest in Barton (60 people off instead of 40)"),
        ([60.0, 40.0], [20.0, 60.0],
         "Laplace is worse than DP suppression k=6 in 1 of 2 places, better in 1; the gap is "
         "widest in Aston (60 people off instead of 20)"),
        ([30.0, 40.0], [20.0, 10.0],
         "Laplace is worse than DP suppression k=6 in both places; the gap is widest in Barton (40 "
         "people off instead of 10)"),
        ([30.0, 40.0, 9.0], [50.0, 45.0, 20.0],
         "DP suppression k=6 is worse than Laplace in all 3 places; the gap is widest in Aston (50 "
         "people off instead of 30)"),
        ([30.0, 40.0, 9.0, 90.0], [50.0, 45.0, 20.0, 10.0],
         "DP suppression k=6 is worse than Laplace in 3 of 4 places, better in 1; the gap is "
         "widest in Aston (50 people off instead of 30)"),
        ([30.0], [50.0], "DP suppression k=6 is worse than Laplace in Aston (50 people off "
                         "instead of 30)"),
    ],
)
def test_who_is_worse_by_hand(first: list[float], second: list[float], said: str) -> None:
    headline, more = map_sentences(compared(first, second))
    assert headline.startswith("At ε = 1, in groups that have people, ")
    assert said in headline and headline.endswith(".")
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
         "DP suppression k=6 hides more counts than Laplace in both places; the gap is widest in "
         "Barton (60% of the counts hidden instead of none)"),
        ("hidden_share", [10.0, 40.0], [20.0, 30.0],
         "DP suppression k=6 hides more counts than Laplace in 1 of 2 places, fewer in 1"),
        ("group_bias", [0.3, -0.1], [-0.9, -0.2],
         "for people counted as Black, renting, DP suppression k=6 leans further to one side than "
         "Laplace in both places; the gap is widest in Aston (a count on balance 0.9 people too "
         "low instead of 0.3 too high)"),
        ("group_bias", [0.3, 0.0], [0.9, 0.0],
         "in 1 of 2 places, about alike in 1; the gap is widest in Aston (a count on balance 0.9 "
         "people too high instead of 0.3)"),
        ("group_bias", [0.0, 0.0], [0.9, 0.0], "a count on balance 0.9 people too high instead "
                                               "of none"),
        ("group_bias", [0.01, 0.04], [0.02, -0.04],
         "neither Laplace nor DP suppression k=6 on balance puts counts noticeably too high or too "
         "low"),
        ("hidden_share", [0.0, 0.4], [0.0, 0.2],
         "neither Laplace nor DP suppression k=6 hides a noticeable share of the counts"),
        ("people_bias", [10.0, 40.0], [20.0, 60.0],
         "At ε = 1, averaged over many releases, in groups that have people, DP suppression k=6 "
         "is worse than Laplace in both places; the gap is widest in Barton (60 people off "
         "instead of 40)"),
        ("l1_bias", [10.0, 40.0], [20.0, 60.0],
         "At ε = 1, averaged over many releases and with empty groups, DP suppression k=6 is "
         "worse than Laplace in both places"),
        ("invented", [0.0, 0.0], [20.0, 60.0],
         "At ε = 1, DP suppression k=6 puts more people into empty groups than Laplace in both "
         "places; the gap is widest in Barton (60 people instead of nobody)"),
        ("invented", [30.0, 10.0], [20.0, 60.0],
         "DP suppression k=6 puts more people into empty groups than Laplace in 1 of 2 places, "
         "fewer in 1; the gap is widest in Barton (60 people instead of 10)"),
        ("invented", [30.0, 10.0], [30.2, 10.3],
         "Laplace puts 30 people into empty groups in Aston and DP suppression k=6 puts 30 people "
         "there; they put about as many people there everywhere"),
        ("invented", [0.0, 0.1], [0.2, 0.0],
         "neither Laplace nor DP suppression k=6 puts a noticeable number of people into empty "
         "groups"),
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
    assert headline == ("At ε = 1, in groups that have people, Laplace is off by 58 people in "
                        "Barton and DP suppression k=6 by 178.")
    assert more == (
        "DP suppression k=6 is worse than Laplace in both places; the gap is widest in Aston (188 "
        "people off instead of 61).")
    assert map_sentences(found, pinned="a")[1] == (
        "DP suppression k=6 is worse than Laplace in both places, and the gap is widest there.")
    assert map_sentences(found, pinned="x") == map_sentences(found)


def test_the_other_epsilon_is_told_of_the_same_place() -> None:
    """At ε = 4 the gap would be widest in Aston; what is told is about Barton, as before."""
    fours = [m.replace(epsilon=4.0) for m in (LAPLACE, DP_HIDES)]
    now, then = compared([10.0, 10.0], [20.0, 40.0]), compared([90.0, 3.0], [5.0, 8.0],
                                                               methods=fours)
    assert map_sentences(now, then)[1] == (
        "With a weaker promise, at ε = 4, in groups that have people, Laplace is off by 3 people "
        "there and DP suppression k=6 by 8; Laplace is worse than DP suppression k=6 in 1 of 2 "
        "places, better in 1.")
    pinned = map_sentences(now, then, pinned="a")[1]
    assert pinned.endswith(
        "at ε = 4, in groups that have people, Laplace is off by 90 people in Aston and DP "
        "suppression k=6 by 5; Laplace is worse than DP suppression k=6 in 1 of 2 places, better "
        "in 1.")


def test_the_size_of_the_group_there_is_told() -> None:
    found = compared([0.3, -0.1], [-0.9, -0.2], measure="group_bias", group=("Black",))
    assert map_sentences(found)[1].startswith("The group has one person in Aston.")
    pinned = map_sentences(found, pinned="b")
    assert "The group has 20 people in Barton." in pinned[1]
    assert "Laplace on balance puts a count 0.1 people too low in Barton and DP suppression k=6 " \
           "on balance puts a count 0.2 people too low, for people counted as Black" in pinned[0]


def test_invented_people_are_a_sentence_of_their_own() -> None:
    """Of the place that is told about, whatever the measure; none where nobody is invented."""
    values, somebody = ([10.0, 40.0], [20.0, 60.0]), ([3.0, 1.0], [0.0, 144.2])
    assert map_sentences(compared(*values, invented=somebody))[1] == (
        "In Barton, Laplace also puts one person into groups that have nobody, and DP suppression "
        "k=6 puts 144 people there.")
    pinned = map_sentences(compared(*values, invented=somebody), pinned="a")[1]
    assert pinned.endswith(
        "In Aston, Laplace also puts 3 people into groups that have nobody, and DP suppression "
        "k=6 puts nobody there.")
    part = map_sentences(compared(*values, measure="l1_bias", invented=somebody))[1]
    assert part == ("Of that, Laplace puts one person into groups that have nobody in Barton, "
                    "and DP suppression k=6 puts 144 people there.")
    group = compared([0.3, -0.1], [-0.9, -0.2], measure="group_bias", group=("Black",),
                     invented=somebody)
    assert map_sentences(group)[1] == (
        "The group has one person in Aston. In Aston, Laplace also puts 3 people into its empty "
        "groups, and DP suppression k=6 puts nobody there.")
    heavy = compared(*values, invented=somebody, weighted=True)
    assert "DP suppression k=6 puts 144 people represented there." in map_sentences(heavy)[1]
    for measure in ("invented", "hidden_share"):
        assert "nobody" not in map_sentences(compared(
            *values, measure=measure, invented=somebody))[1]  # type: ignore[arg-type]
    assert map_sentences(compared(*values, invented=([0.2, 0.1], [0.0, 0.4])))[1] == ""
    elsewhere = map_sentences(compared(*values, invented=([3.0, 0.0], [2.0, 0.0])))[1]
    assert elsewhere == ("In Aston, Laplace also puts 3 people into groups that have nobody, "
                         "and DP suppression k=6 puts 2 people there.")
    one = map_sentences(compared([7.0, 60.0], invented=([3.0, 5.0],)))[1]
    assert one == "In Barton, Laplace also puts 5 people into groups that have nobody."


def test_what_stays_on_average_is_told_beside_the_error_of_a_release() -> None:
    """Laplace is worse in one release and better on average."""
    now = compared([84.0, 80.0], [30.0, 28.0], methods=(LAPLACE, HIDES))
    average = compared([9.0, 8.0], [30.0, 28.0], methods=(LAPLACE, HIDES), measure="people_bias")
    headline, more = map_sentences(now, averaged=average)
    assert headline == (
        "In groups that have people, Laplace ε=1 is worse than Suppression k=6 in both places; the "
        "gap "
        "is widest in Aston (84 people off instead of 30).")
    assert more == (
        "Averaged over many releases, again without empty groups, Suppression k=6 is worse than "
        "Laplace ε=1 in both places.")
    level = compared([0.1, 0.0], [0.2, 0.0], methods=(LAPLACE, HIDES), measure="people_bias")
    assert map_sentences(now, averaged=level)[1] == (
        "Averaged over many releases, again without empty groups, neither Laplace ε=1 nor "
        "Suppression k=6 is off by a noticeable amount in any place.")


@pytest.mark.parametrize(
    ("first", "second", "errors", "noise", "said"),
    [
        # three standard errors of the difference: 3 √(3² + 4²) = 15
        ([10.0, 10.0], [24.0, 24.0], ([3.0, 3.0], [4.0, 4.0]), (),
         "they cannot be told apart from so few releases in any place."),
        ([10.0, 10.0], [24.0, 26.0], ([3.0, 3.0], [4.0, 4.0]), (),
         "DP suppression k=6 is worse than Laplace in 1 of 2 places, and 1 cannot be told from so "
         "few releases; the gap is among the widest in Barton (26 ± 4 people off instead of 10 ± "
         "3)."),
        ([10.0, 10.0], [24.0, 10.1], ([3.0, 3.0], [4.0, 4.0]), (),
         "they cannot be told apart from so few releases in 1 of 2 places and are about alike in "
         "the others."),
        ([10.0], [24.0], ([3.0], [4.0]), (), "they cannot be told apart from so few releases."),
        # noise alone makes the larger one up to 12 too large
        ([10.0, 10.0], [23.0, 21.0], ([0.0, 0.0], [0.1, 0.1]), ([9.0, 9.0], [12.0, 12.0]),
         "DP suppression k=6 is worse than Laplace in 1 of 2 places, and 1 cannot be told"),
    ],
)
def test_chance_is_no_finding(
    first: list[float], second: list[float], errors: tuple[list[float], ...],
    noise: tuple[list[float], ...], said: str,
) -> None:
    assert said in map_sentences(compared(first, second, errors=errors, noise=noise))[0]


def test_the_same_method_twice_is_hardly_ever_called_worse_than_itself() -> None:
    """Two seeds of one simulated method differ by chance alone. Of 12 × 4 maps of five places,
    three standard errors are passed in one or two; a careless version ranks nearly all."""
    table = sdc.load_dataset("ma2019-twin").histogram(("PUMA", "RAC1P", "SEX"))
    method = sdc.mechanism("laplace", epsilon=1.0)
    exact = sdc.evaluate(method, table)
    called, careless, two_would = 0, 0, 0
    for seed in range(12):
        runs = [sdc.evaluate(method, table, 40, s, simulate=True) for s in (seed, seed + 100)]
        for measure in ("people_error", "people_bias", "invented", "l1_bias"):
            found = compare_areas(table, "PUMA", runs, measure)  # type: ignore[arg-type]
            apart = np.abs(found.excess)
            careless += bool((apart >= 0.5).any())
            two_would += bool((apart > np.maximum(2 * np.hypot(*found.errors), 0.5)).any())
            headline = map_sentences(found)[0]
            called += "worse" in headline or "more people" in headline
        # noise makes a simulated sum of absolute averages larger, which is no finding either
        said = map_sentences(compare_areas(table, "PUMA", [exact, runs[0]], "people_bias"))[0]
        assert "worse" not in said and "cannot be told apart" in said
    assert called <= 3 < two_would < careless and careless >= 40


def test_a_group_that_has_nobody_there() -> None:
    group = compared([0.5, 0.0], [-2.0, 0.0], measure="group_bias", group=("Black", "renting"),
                     members=(4.0, 0.0), invented=([0.0, 3.0], [0.0, 0.0]))
    assert map_sentences(group, pinned="b") == (
        "Nobody counted as Black, renting lives in Barton.",
        "In Barton, Laplace puts 3 people into its empty groups, and DP suppression k=6 puts "
        "nobody there.")
    alone = compared([0.5, 0.0, 0.4], measure="group_bias", group=("Black",), members=(4.0, 0.0, 9))
    assert map_sentences(alone)[0].endswith("in Corby it on balance puts a count 0.4 people too "
                                            "high.")


def test_places_where_nobody_of_the_group_lives_are_not_counted() -> None:
    """Worse in both places that have any, and not `in 2 of 3`, as if the third were alike."""
    found = compared([0.5, 0.0, 0.1], [-2.0, 0.0, 0.9], measure="group_bias", group=("Black",),
                     members=(4.0, 0.0, 3.0))
    assert "leans further to one side than Laplace in both places that have any; " in (
        map_sentences(found)[0])
    one = compared([0.5, 0.0], [-2.0, 0.0], measure="group_bias", group=("Black",),
                   members=(4.0, 0.0))
    assert "than Laplace in the one place that has any; " in map_sentences(one)[0]


def test_what_no_release_had_is_not_called_none() -> None:
    """Permutation swapping was off nowhere in 200 releases, and so was nobody invented."""
    found = compared([4.0, 3.0], [0.0, 0.0], methods=(LAPLACE, HIDES), drawn=(0, 200),
                     invented=([9.0, 2.0], [0.0, 0.0]))
    headline, more = map_sentences(found)
    assert "(4 people off instead of 0 in 200 releases)" in headline
    assert more.endswith("and Suppression k=6 puts nobody in 200 releases there.")
    pinned = map_sentences(found, pinned="b")[0]
    assert pinned.endswith(
        "Laplace ε=1 is off by 3 people in Barton and Suppression k=6 by 0 in 200 releases.")
    alone = map_sentences(compared([0.0, 0.0], methods=[HIDES], drawn=(20,)))[0]
    assert alone.endswith("Suppression k=6 was off by nobody in 20 releases in every place.")
    exact = map_sentences(compared([4.0, 3.0], [0.0, 0.0], methods=(LAPLACE, HIDES)))[0]
    assert "(4 people off instead of 0)" in exact


def test_people_who_are_invented_have_their_error() -> None:
    found = compared([40.0, 3.0], [4.0, 5.0], invented=([9.0, 2.0], [7.0, 0.4]),
                     invented_errors=([0.0, 0.0], [1.5, 0.1]))
    assert ("In Aston, Laplace also puts 9 people into groups that have nobody, and DP suppression "
            "k=6 puts 7 ± 1.5 people there.") in map_sentences(found)[1]


def test_one_method_that_is_alike_everywhere_names_no_place() -> None:
    said = map_sentences(compared([0.0, 0.0], methods=[HIDES], measure="invented"))[0]
    assert said == "Suppression k=6 puts nobody into empty groups in every place."


def test_another_epsilon_is_told_only_where_it_changes_something() -> None:
    """Laplace hides no counts, whatever its ε."""
    fours = [LAPLACE.replace(epsilon=4.0), HIDES]
    hidden = [compared([0.0, 0.0], [60.0, 20.0], methods=methods, measure="hidden_share")
              for methods in ((LAPLACE, HIDES), fours)]
    assert map_sentences(*hidden)[1] == ""
    none = compared([0.0, 0.0], [0.0, 0.0], methods=(LAPLACE, sdc.mechanism("geometric")),
                    measure="hidden_share", hides=(False, False))
    assert map_sentences(none)[0] == (
        "At ε = 1, neither Laplace nor Geometric hides counts in any place.")


def test_one_method() -> None:
    one = map_sentences(compared([7.0, 60.0, 3.0]))
    assert one == (
        "At ε = 1, in groups that have people, Laplace is off by 60 people in Barton; in Corby it "
        "is off by 3 people.", "")
    assert map_sentences(compared([7.0, 60.0, 3.0]), pinned="a")[0] == (
        "At ε = 1, in groups that have people, Laplace is off by 7 people in Aston; in Corby it is "
        "off "
        "by 3 people.")
    assert map_sentences(compared([0.0, 0.0]))[0].count("off by 0 people") == 1
    group = compared([0.5, -2.0], measure="group_bias", group=("Black", "renting"))
    assert map_sentences(group)[0] == (
        "At ε = 1, Laplace on balance puts a count 2 people too low in Barton, for people "
        "counted as "
        "Black, renting; in Aston it on balance puts a count 0.5 people too high.")
    hidden = compared([70.0, 20.0], methods=[HIDES], measure="hidden_share", hides=(True,))
    assert map_sentences(hidden)[0] == (
        "Suppression k=6 hides 70% of the counts in Aston; in Barton it hides 20% of the counts.")
    assert map_sentences(None) == ("Choose a method to see where it hurts.", "")


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        ([LAPLACE, DP_HIDES.replace(epsilon=2.0)],
         ("Laplace ε=1", "DP suppression ε=2 k=6")),  # no ε in common: each says its own
        ([HIDES, LAPLACE], ("Suppression k=6", "Laplace ε=1")),
        ([HIDES, HIDES.replace(k=9)], ("Suppression k=6", "Suppression k=9")),
        ([HIDES, sdc.mechanism("k-anonymity")], ("Suppression k=6", "k-anonymity k=6")),
        ([sdc.mechanism("permutation-swapping", swap_rate=0.5),
          sdc.mechanism("swapping", swap_rate=0.05)],
         ("Permutation swapping 50%", "Swapping 5%")),
        ([sdc.mechanism("k-anonymity", k=20), HIDES.replace(k=3)],
         ("k-anonymity k=20", "Suppression k=3")),
    ],
)
def test_methods_are_named_so_that_they_are_told_apart(
    methods: list[Mechanism], names: tuple[str, str]
) -> None:
    said = map_sentences(compared([30.0, 50.0], [10.0, 20.0], methods=methods))[0]
    assert said.startswith(
        f"In groups that have people, {names[0]} is worse than {names[1]} in both places")


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
        assert "neither laplace" in headline.lower() and "noticeabl" in headline
        assert "worse" not in headline and "more counts" not in headline
    elif not ahead and not behind:
        alike = {"invented": "about as many", "group_bias": "lean about equally far"}.get(
            measure, "about equally good")
        assert alike in headline and "everywhere" in headline and "worse" not in headline
    else:
        most = max(ahead, behind)
        many = "all 5 places" if most == 5 else f"{most} of 5 places"
        does = {"hidden_share": "hides more counts",
                "invented": "puts more people into empty groups",
                "group_bias": "leans further to one side"}.get(measure, "is worse")
        sums = float(np.where(differ & (np.abs(second - first) >= least), second - first, 0).sum())
        lead = behind - ahead or sums
        loser, other = ("DP suppression", "Laplace")[:: 1 if lead >= 0 else -1]
        assert re.search(rf"{loser}[^;]* {does} than {other}[^;]* in {many}", headline)
    assert measure != "group_bias" or "worse" not in headline
    assert ("in groups that have people" in headline.lower()) == (
        measure in ("people_error", "people_bias", "error_rate"))


def test_the_widest_gap_is_named_only_where_it_is_one() -> None:
    """A tie, a hair more, and gaps that chance may have put in this order."""
    for second, said in (([20.0, 30.0], "widest in Barton"), ([20.0, 20.0], "among the widest in")):
        assert f"the gap is {said}" in map_sentences(compared([10.0, 10.0], second))[0]
    tied = compared([10.0, 10.0], [20.0, 20.0])
    assert map_sentences(tied, pinned="a")[1].startswith(
        "DP suppression k=6 is worse than Laplace in both places, and the gap is among the widest")
    for error, said in ((0.1, "is widest in Barton"), (3.0, "is among the widest in Barton")):
        drawn = compared([10.0, 10.0], [40.0, 45.0], errors=([0.0, 0.0], [error, error]))
        assert said in map_sentences(drawn)[0]  # 3 √(3² + 3²) > 5


def test_errors_that_cancel_are_not_called_none_and_nobody_is_worse_by_them() -> None:
    """Counts of 1 and 5 become 3: +2 and −2, on balance nothing."""
    rows = [(town, who, room) for town in "AB" for who, room, n in (
        ("x", "u", 1), ("x", "v", 5), ("y", "u", 20), ("y", "v", 20)) for _ in range(n)]
    data = sdc.load_dataset(pd.DataFrame(rows, columns=["town", "who", "room"]))
    alone = sdc.ask("map", sdc.Study(data, methods=[HIDES]), map_area="town",
                    map_measure="group_bias")
    assert "on balance puts counts neither too high nor too low" in alone.headline
    both = shortened(sdc.ask("map", sdc.Study(data, methods=[LAPLACE, HIDES]), map_area="town",
                             map_measure="group_bias"))
    assert "worse" not in both.headline and "better" not in both.headline
    assert "leans further to one side than Suppression" in both.headline


@pytest.mark.parametrize("weighted", [False, True])
def test_the_survey_is_a_yardstick_for_errors_of_people_alone(weighted: bool) -> None:
    for measure in MEASURES:
        found = yardstick_text(compared([1.0, 2.0], measure=measure, weighted=weighted), "Smaller.")
        fits = not weighted and measure in ("people_error", "error_rate")  # of one release
        assert found == ("Smaller. Empty groups are left out there." if fits else "")


def test_why_hiding_is_nearer_is_said_from_what_it_publishes_and_promises() -> None:
    noise = LAPLACE.guarantee(cap=9)
    hiding, broken = HIDES.guarantee(cap=9), DP_HIDES.guarantee(cap=9)
    found = compared([30.0, 40.0], [10.0, 10.0], methods=(LAPLACE, HIDES))
    exact = " and ".join(hiding.invariants)
    assert map_sentences(found, promised=[noise, hiding])[1].startswith(
        f"Suppression k=6 publishes {exact} exactly, and promises nothing.")
    assert "every count of 6 or more" in exact
    turned = compared([3.0, 4.0], [10.0, 10.0], methods=(LAPLACE, HIDES))  # noise is nearer
    assert "promises nothing" not in map_sentences(turned, promised=[noise, hiding])[1]
    level = compared([3.0, 4.0], [3.0, 4.0], methods=(LAPLACE, HIDES))
    assert "promises nothing" not in map_sentences(level, promised=[noise, hiding])[1]
    assert broken.formal and "promises nothing" not in map_sentences(
        compared([30.0, 40.0], [10.0, 10.0]), promised=[noise, broken])[1]


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


# ---------------------------------------------------------------- at which settings, with which δ


def asked_on_twin(methods: Sequence[Mechanism], **settings: Any) -> Answer:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), methods=methods, **settings)
    return shortened(sdc.ask("map", study, map_view="bars"))


@pytest.mark.parametrize(
    ("methods", "names"),
    [
        ([sdc.mechanism("swapping", swap_rate=0.05),
          sdc.mechanism("permutation-swapping", swap_rate=0.5)],
         ("Swapping 5%", "Permutation swapping 50%")),
        ([sdc.mechanism("k-anonymity", k=20), HIDES.replace(k=3)],
         ("k-anonymity k=20", "Suppression k=3")),
        ([LAPLACE, DP_HIDES.replace(variant="P2")],
         ("Laplace", "DP suppression k=6 (small counts always hidden)")),
    ],
)
def test_a_comparison_says_its_settings(
    methods: list[Mechanism], names: tuple[str, str]
) -> None:
    """Rates, k and rules stand in the headline, and numbers in every sentence after it: at other
    settings the verdict may be another."""
    found = asked_on_twin(methods, empty_groups="treated")
    assert all(name in found.headline for name in names)
    for title, setting in (("Swapping", "5%"), ("Permutation swapping", "50%"),
                           ("k-anonymity", "k=20"), ("Suppression", "k=3"),
                           ("DP suppression", "k=6")):
        for said in re.findall(rf"\b{title}[^a-z]", f"{found.headline} {found.more}"):
            assert said == f"{title} ", said
        if any(m.title == title for m in methods):
            whole = f"{found.headline} {found.more}"
            assert whole.count(title) == whole.count(f"{title} {setting}") > 0


def test_one_epsilon_with_two_deltas_is_not_one_promise() -> None:
    """Suppression's DP version hides a count x above k with the chance ½ e^((k − x)/2), so the
    largest group and one person less show with a δ of 1 − ¼ e^(k − B + ½): all but 1."""
    found = asked_on_twin([LAPLACE, DP_HIDES], empty_groups="treated")
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE_FEATURES)
    log_rest = math.log(1 / 4) + (6 - int(table.counts.max()) + 0.5)
    assert log_rest < -100  # nothing is left of the promise
    assert found.headline.startswith(
        "At ε = 1, in groups that have people, Laplace promise holds is worse than DP suppression "
        "k=6 promise nearly empty in all 5 places; ")
    assert found.more.startswith(
        "DP suppression k=6 hides small counts, and its promise is nearly empty (δ is almost 1). "
        "The promise of ε = 1 comes with δ = 0 for Laplace and almost 1 for DP suppression k=6. ")
    broken = asked_on_twin([LAPLACE, DP_HIDES])  # empty groups left at 0: δ is 1
    assert "DP suppression k=6 promise broken in all" in broken.headline
    assert broken.more.startswith(
        "DP suppression k=6 hides small counts, and promises nothing. The promise of ε = 1 comes "
        "with δ = 0 for Laplace and 1 for DP suppression k=6. ")
    alike = asked_on_twin([LAPLACE, sdc.mechanism("geometric")])
    assert "promise" not in alike.headline and "comes with" not in alike.more
    noisy = asked_on_twin([LAPLACE, sdc.mechanism("discrete-gaussian")])  # both hold
    assert "promise" not in noisy.headline
    assert noisy.more.startswith(
        "The promise of ε = 1 comes with δ = 0 for Laplace and 1e-4 for Discrete Gaussian. ")
    part = asked_on_twin([LAPLACE, sdc.mechanism("dp-swapping-uniform")])
    assert "Uniform DP swapping promise holds in part is worse than Laplace promise holds" in (
        part.headline)
    # a δ of a quarter covers everybody, but would allow to print every fourth record
    loose = sdc.mechanism("discrete-gaussian", calibration="analytic", epsilon=1, delta=0.25)
    assert 1 / 100 < loose.guarantee().delta_tight <= 0.25
    assert "promise too slack" in asked_on_twin([LAPLACE, loose]).headline


def test_a_long_headline_says_where_the_gap_is_widest_next(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two lines at 1440 pixels: what does not fit is the first thing after them."""
    monkeypatch.undo()
    found = compared([30.0, 40.0], [50.0, 45.0])
    whole = map_sentences(found)[0]
    long = compared([30.0, 40.0], [50.0, 45.0], measure="people_bias")
    headline, more = map_sentences(long)
    assert "; the gap is widest in Aston (50 people off instead of 30)." in whole
    assert headline.endswith("DP suppression k=6 is worse than Laplace in both places.")
    assert more.startswith("The gap is widest in Aston (50 people off instead of 30).")
    for methods in itertools.permutations((LAPLACE, DP_HIDES, HIDES, sdc.mechanism("mst"),
                                           sdc.mechanism("dp-k-anonymity")), 2):
        for measure in MEASURES:
            said = sentences_of(compared([30.0, 40.0], [50.0, 45.0], methods=methods,
                                         measure=measure))[0]
            assert len(said) <= 184, said


def test_a_release_of_a_part_of_the_records_is_said_to_be_one() -> None:
    """At ε = 1 each record is kept with the chance 1 − 1/e, and counts are not scaled up."""
    sample = sdc.mechanism("dp-k-anonymity")
    kept = 1 - math.exp(-1)
    for methods in ([sdc.mechanism("k-anonymity"), sample], [sample]):
        found = asked_on_twin(methods)
        assert found.headline.endswith(
            f"k=6 publishes {100 * kept:.0f}% of the records, not scaled up.")
    assert "scaled" not in asked_on_twin([sdc.mechanism("k-anonymity")]).headline


def test_which_way_a_method_leans_further() -> None:
    """3 and −3 against 1 and −1: further to one side in two places, less far in one."""
    headline, _ = map_sentences(compared(
        [3.0, -3.0, 0.2, 1.0], [1.0, -1.0, 2.0, 1.0], measure="group_bias",
        methods=(HIDES, LAPLACE), hides=(True, False)))
    assert ("Suppression k=6 leans further to one side than Laplace ε=1 in 2 of 4 places, less far "
            "in 1, about alike in 1; ") in headline
    assert "people too high instead of 1" in headline and "Aston" in headline


@pytest.mark.parametrize("weighted", [True, False])
def test_what_an_error_of_one_record_counts_for(weighted: bool) -> None:
    said = weight_sentence(compared([3.0, 1.0], weighted=weighted), "PWGTP")
    assert ("an error of one record counts as many people as a record of that group stands for"
            in said) is weighted
    assert ("in an empty group, the average record's" in said) is weighted
    assert ("without survey weights" in said) is not weighted
    assert "18 people in all" in said or "(18 in all)" in said  # nine in each town

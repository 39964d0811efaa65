"""Sentences and charts that only some data bring about: nobody selected, nobody unique, the one
household, a frontier of one setting, places without a name on the map."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.auditing.game import Bound
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.neighbour_tables import NeighbouringTables
from sdc_core.mechanisms.work import Level
from sdc_core.mechanisms.work import Work as Measured
from sdc_core.metrics.households import HouseholdRisk
from sdc_core.metrics.reidentification import unique_matches
from sdc_core.questions.compare.words import work_sentence
from sdc_core.questions.delta_epsilon.attack import attack_sentence, attack_summary
from sdc_core.questions.delta_epsilon.lanes import Line, on_top, shared
from sdc_core.questions.delta_epsilon.words import household_size_sentence
from sdc_core.questions.frontier import words as frontier_words
from sdc_core.questions.funding.words import _amount, gains_told
from sdc_core.questions.map.words import _one_method
from sdc_core.questions.reidentification import households
from sdc_core.questions.reidentification.represented import represented_sentence
from sdc_core.questions.reidentification.words import (
    _alone,
    empty_sentence,
    left_out_sentence,
    too_small_sentence,
    unique_group_sentence,
)
from sdc_core.questions.swapping_changes.compute import eight_households
from sdc_core.questions.swapping_changes.words import step_sentence
from sdc_core.questions.yardstick import weights_make
from tests.test_question_funding import by_releases, town
from tests.test_question_map_words import compared
from tests.test_sentences import exact, settings_at

LAPLACE = sdc.mechanism("laplace", postprocess="none")

# ---------------------------------------------------------------- what is promised


@pytest.mark.parametrize(("together", "largest", "said"), [
    (3, None, ""), (3, 1, ""),
    (5, 5, "h = 5 is the largest household here: read off the data, so one household can change "
     "it."),
    (2, 2, "h = 2 is the largest household here: read off the data, so one household can change "
     "it."),
    (6, 5, "h = 6 is larger than the largest household here, 5 people."),
    (4, 5, "h = 4 is smaller than the largest household here, 5 people."),
])
def test_where_the_number_of_people_who_change_together_comes_from(
    together: int, largest: int | None, said: str
) -> None:
    assert household_size_sentence(together, largest) == said


def line(name: str, *points: tuple[float, float | None], epsilon: float = 1.0) -> Line:
    return Line(sdc.mechanism(name, epsilon=epsilon), tuple(x for x, _ in points),
                tuple(y for _, y in points))


def test_lines_lie_on_each_other_only_where_both_are_drawn() -> None:
    left, right = line("laplace", (1, 2.0), (2, 2.0)), line("geometric", (3, 2.0), (4, 2.0))
    assert not left.lies_on(right) and not right.lies_on(left)  # at one height, side by side
    meeting = line("geometric", (2, 2.0), (4, 2.0))
    assert left.lies_on(meeting) and meeting.lies_on(left)  # at one point
    nowhere = line("geometric", (1, None), (2, None))
    assert not left.lies_on(nowhere) and not nowhere.lies_on(left) and not nowhere.drawn
    apart = line("geometric", (1, 2.0), (2, 3.0))  # half of it near, not most of it
    assert not left.lies_on(apart)
    partly = line("geometric", (1, 9.0), (1.5, 2.1), (2, 1.9))
    assert partly.lies_on(left)


def test_of_lines_on_each_other_the_earlier_is_wider_and_all_are_named_once() -> None:
    points = ((1.0, 2.0), (2.0, 2.0))
    lines = [line("laplace", *points), line("laplace", *points, epsilon=3.0),
             line("geometric", *points), line("discrete-gaussian", (1, 5.0), (2, 5.0))]
    assert on_top(lines) == [[2], [2], [], []]  # the same method is one line with two marks
    assert [[m.name for m in group] for group in shared(lines)] == [["laplace", "geometric"]]


def audit(bound: Bound, covered: bool = True, effort: int = 4000) -> Any:
    table = Histogram.from_counts([3, 0])
    return sdc.auditing.Audit(
        LAPLACE, NeighbouringTables(table, table, "one person more", covered), (bound,), effort,
        0.999, 0.0, LAPLACE.guarantee(table))


def test_an_attack_that_shows_nothing_proves_nothing() -> None:
    none = audit(Bound(0.4, 0.5, False, ""))
    said = attack_sentence(none)
    assert "could not tell two tables apart (one person more). That proves nothing" in said
    assert f"odds of e^{none.most_shown:.2f} at most" in said and "fewer than " in said
    assert attack_summary([none])["the attack shows"].tolist() == ["nothing"]


def test_odds_are_said_with_what_the_promise_allows() -> None:
    one = audit(Bound(0.5, 0.25, False, ""))
    said = attack_sentence(one)
    assert f"odds of at least e^{math.log(2):.2f}" in said and "a factor of 2 (" in said
    assert "The promise allows e^1." in said and "does not cover" not in said
    assert "the promise does not cover this" in attack_sentence(
        audit(Bound(0.5, 0.25, False, ""), covered=False))
    shown = attack_summary([one]).iloc[0]
    assert shown["promised"] == "ε = 1" and shown["tries"] == "4,000"
    assert shown["covered by the promise"] == "yes" and shown["more than published"] == "no"


# ---------------------------------------------------------------- the frontier


def test_a_frontier_of_one_setting_is_called_so() -> None:
    found = settings_at([exact(1.0, 0.2), exact(2.0, 0.6)], ["holds", "none"])
    said = frontier_words.ends_sentence(found)
    assert said.startswith("The frontier is one setting: adding noise (ε = 20) (off by 1, 20%")
    two = frontier_words.ends_sentence(
        settings_at([exact(1.0, 0.6), exact(2.0, 0.2)], ["holds", "none"]))
    assert two.startswith("The frontier goes from adding noise (ε = 20) (off by 1, 60%")
    assert " to hiding small counts (k = 4) (off by 2, 20%" in two
    assert two.endswith(" and is made of adding noise and hiding small counts.")


def test_who_wins_by_risk_alone_is_off_by_about_as_much() -> None:
    low, high = exact(1.001, 0.2), exact(1.002, 0.6)
    assert frontier_words._error_gap(low, high) == "off by about as much (1 a group)"
    assert frontier_words._error_gap(exact(0.4, 0), exact(0.73, 0)) == (
        "off by 0.4, not 0.73 a group")


@pytest.mark.parametrize(("promises", "said"), [
    (["none", "broken"], "Adding noise (ε = 20) and hiding small counts (k = 4) promise nothing:"),
    (["holds", "broken"], "Hiding small counts (k = 4) promises nothing:"),
    (["holds", "holds in part"], "An attack that fails is no promise:"),
])
def test_who_is_on_the_frontier_and_promises_nothing_is_named(
    promises: list[str], said: str
) -> None:
    found = settings_at([exact(1.0, 0.6), exact(2.0, 0.2)], promises, bar=2)
    assert frontier_words.promise_sentence(found).startswith(said)
    outside = settings_at([exact(1.0, 0.6), exact(2.0, 0.2)], promises, bar=0)
    assert frontier_words.promise_sentence(outside).startswith("An attack that fails is no")


# ---------------------------------------------------------------- who can be found


TWO_TOWNS = Histogram(np.array([4, 3, 1, 1]), sdc.load_dataset(
    pd.DataFrame({"town": ["a", "b"], "sex": ["f", "m"]})).histogram(["town", "sex"]).domain)


def test_who_is_unique_is_said_by_group_or_that_nobody_is() -> None:
    matches = unique_matches(LAPLACE, TWO_TOWNS, "strict")
    assert unique_group_sentence(matches, TWO_TOWNS, 0) == (
        "None of 7 people with “a” is one of a kind (0%), but all 2 with “b” are (100%).")
    nobody = Histogram(np.array([4, 3, 2, 2]), TWO_TOWNS.domain)
    assert unique_group_sentence(unique_matches(LAPLACE, nobody, "strict"), nobody, 0) == (
        "Nobody is unique in this table.")
    assert represented_sentence([unique_matches(LAPLACE, nobody, "strict")]) == ""
    assert left_out_sentence(matches, TWO_TOWNS, 0).startswith(
        "1 group with nobody who is one of a kind is left out.")


@pytest.mark.parametrize(("row", "word", "said"), [
    (("x", 1, 0), " people", "None of 1 person with “x”"),
    (("x", 70, 0), " people", "None of 70 people with “x”"),
    (("x", 1, 1), "", "The only one with “x”"), (("x", 3, 3), "", "All 3 with “x”"),
    (("x", 6658, 1), " people", "1 of 6,658 people with “x”"), (("x", 2, 1), "", "1 of 2 with “x”"),
])
def test_how_many_are_alone_of_how_many(row: tuple[str, int, int], word: str, said: str) -> None:
    assert _alone(row, word) == said


@pytest.mark.parametrize(("sizes", "said"), [
    ([4, 9], ""), ([3, 9], "One group of fewer than 4 people is in the table only."),
    ([3, 1, 9], "2 groups of fewer than 4 people are in the table only.")])
def test_groups_that_would_show_their_people_are_not_drawn(sizes: list[int], said: str) -> None:
    assert too_small_sentence(sizes) == said


@pytest.mark.parametrize(("empty", "said"), [
    (0, ""), (40, "Adding noise (ε = 1): None of 40 releases has people in it."),
    (39, "Adding noise (ε = 1): 1 of 40 releases has people in it."),
    (38, "Adding noise (ε = 1): 2 of 40 releases have people in them.")])
def test_releases_with_nobody_are_counted(empty: int, said: str) -> None:
    assert empty_sentence(sdc.mechanism("laplace"), empty, 40) == said


@pytest.mark.parametrize(("with_unique", "numbers", "start"), [
    (0, ["1 after A"], ""), (1, [], ""), (1, ["0.5 after A"], "In which share of the releases"),
    (2, ["1.5 after A", "1 after B"], "So many of these still show such a member"),
])
def test_households_that_a_release_still_shows(
    with_unique: int, numbers: list[str], start: str
) -> None:
    found = HouseholdRisk(None, 10, 25, with_unique, 4)
    said = households.shown_sentence(found, numbers, " by its size")
    assert said.startswith(start) and bool(said) == bool(start)
    assert not said or (said.endswith(f" {' and '.join(numbers)}.") and "size" in said)


@pytest.mark.parametrize(("found", "said"), [
    (HouseholdRisk(None, 1, 2, 1, 1), "Of one household, 1 (100%) has at least one member who is "
     "one of a kind, and 1 (100%) is itself one of a kind by who lives in it."),
    (HouseholdRisk(None, 10, 25, 2, 4), "Of 10 households, 2 (20%) have at least one member who is "
     "one of a kind, and 4 (40%) are themselves one of a kind by who lives in them: whoever knows "
     "a whole household can recognise it where no single person stands out."),
])
def test_one_household_and_several(found: HouseholdRisk, said: str) -> None:
    assert households.households_sentence(found) == said


# ---------------------------------------------------------------- money, maps and swaps


@pytest.mark.parametrize(("moved", "said"), [
    (0.0, "nothing"), (0.4, "less than $1"), (0.6, "$1"), (7.0, "$7")])
def test_what_is_less_than_a_dollar(moved: float, said: str) -> None:
    (outcome,) = by_releases(town([4, 9], [8, 11]), [[4, 9]] * 2, [[12, 20]] * 2).outcomes
    money = dataclasses.replace(outcome.money, moved=moved)
    assert _amount(dataclasses.replace(outcome, certain=True, money=money)) == said


def test_one_release_tells_nothing_of_places_unless_all_are_alike() -> None:
    (outcome,) = by_releases(town([4, 9], [8, 11]), [[9, 4]], [[12, 20]]).outcomes
    for certain in (True, False):
        one = dataclasses.replace(outcome, certain=certain)
        assert gains_told(one).tolist() == [certain] * 2


@pytest.mark.parametrize(("values", "place", "end"), [
    ([9.0, 5.0, 2.0], 0, "by 9 people in Aston; in Corby it is off by 2 people"),
    ([2.0, 5.0, 9.0], 2, "by 9 people in Corby; in Aston it is off by 2 people"),
    ([5.0, 5.0, 5.0], 0, " in every place"), ([5.0], 0, " in Aston")])
def test_one_method_is_told_by_its_worst_place_and_its_best(
    values: list[float], place: int, end: str
) -> None:
    said = _one_method(compared(values), place)
    assert end in said and ("; in " in said) == ("; in " in end)


def test_where_nobody_was_selected_nothing_is_exchanged() -> None:
    example = eight_households(1)
    nobody = dataclasses.replace(example, households=tuple(
        dataclasses.replace(h, selected=False, donor=None, new_town=h.town)
        for h in example.households))
    assert step_sentence(nobody, "2").endswith("This time nobody was selected.")
    assert step_sentence(nobody, "3") == "Nobody was selected, so nothing is exchanged."


@pytest.mark.parametrize(("same", "said"), [
    (0, ""), (1, "One household receives a town of the same name"),
    (2, "2 households receive a town of the same name")])
def test_who_receives_a_town_of_the_same_name(same: int, said: str) -> None:
    example = eight_households(1)
    made = [dataclasses.replace(h, selected=i < 4, new_town=h.town if i < same else "elsewhere")
            for i, h in enumerate(example.households)]
    told = step_sentence(dataclasses.replace(example, households=tuple(made)), "3")
    assert said in told and ("of the same name" in told) == bool(said)
    assert "4 of 8 were selected" in step_sentence(
        dataclasses.replace(example, households=tuple(made)), "2")


@pytest.mark.parametrize(("true", "are"), [([1, 0], "There is 1 person;"),
                                           ([3, 1], "There are 4 people;")])
def test_what_was_measured_and_what_was_taken_as_it_is(true: list[int], are: str) -> None:
    level = Level("all areas together", ("all",), np.array([true]).T, np.array([[-1.0], [3.0]]),
                  np.array([[0], [2]]))
    said = work_sentence(Measured((level,), ("f", "m"), "town", ()), 7)
    assert said.startswith("1 of 2 measured counts were negative in the release of seed 7; none is")
    sums = "the measured counts for all areas together add up to 2, the released ones to 2."
    assert f"{are} {sums}" in said
    off = [abs(a - b) for a, b in zip(true, (-1, 3), strict=True)]
    assert f"off by {sum(off) / 2:g} on average as measured" in said
    assert said.endswith("Nothing was taken from the data without noise.")
    taken = work_sentence(Measured((level,), ("f", "m"), "town", ("the total", "sizes")), 7)
    assert taken.endswith("Taken from the data without noise: the total; sizes.")


def test_data_without_weights_have_no_design_effect() -> None:
    plain = sdc.load_dataset(pd.DataFrame({"sex": list("fmfm"), "home": list("rrss")}))
    assert weights_make(plain) == 1.0
    weighted = cast(Any, SimpleNamespace(
        weight="w", records=pd.DataFrame({"w": [1.0, 3.0, np.nan, 2.0]})))
    known = np.array([1.0, 3.0, 2.0])
    assert weights_make(weighted) == pytest.approx(3 * (known**2).sum() / known.sum() ** 2)

"""Pages about single records at their edges: shares exactly at a limit, one method or several, a
column that a release has made constant, records that were left out, dots in their rows."""

from __future__ import annotations

import base64
import re
import types
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.microdata import microdata
from sdc_core.lessons.drawings import dots
from sdc_core.metrics.microdata.battery import Original, Task
from sdc_core.metrics.microdata.intruders import Known, Reading
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions import intruders, lab
from sdc_core.questions.intruders import words
from sdc_core.questions.intruders.compute import (
    Attacked,
    _categories_changed,
    _correlation_change,
    _impossible,
)
from sdc_core.questions.matched import words as matched_words
from sdc_core.questions.microdata_lab import compute as microdata_lab
from sdc_core.questions.microdata_lab import words as lab_words
from sdc_core.questions.microdata_lab.words import correlations_caption
from sdc_core.questions.question import Given
from sdc_core.questions.work import Work
from sdc_core.records import Records
from tests.test_question_matched import made

THREE = pd.DataFrame({"a": [1.0, 2, 3, 5], "b": [2.0, 1, 4, 3], "c": [7.0, 1, 2, 8],
                      "kind": ["x", "y", "x", "y"]})


def over(*each: float) -> OverReleases:
    return OverReleases(np.array(each))


def attacked(first: Records | None = None, **how: Any) -> Attacked:
    """One method with these results; all others are nothing."""
    shares = {name: over(0, 0, 0) for name in ("right", "wrong", "several", "nobody")}
    usual: dict[str, Any] = {
        "cells": shares, "extreme": shares, "membership": over(0.5, 0.5, 0.5),
        "correlations": over(0, 0), "answered": over(1, 1), "categories": 0.0, "impossible": 0.0}
    return Attacked(sdc.mechanism("rank-swapping"), **(usual | how),
                    first=first or Records.of(THREE))


# --------------------------------------------------------------------------------------- intruders


@pytest.mark.parametrize(("share", "said"), [
    (0.0, "yes (0%)"), (0.1, "yes (10%)"), (0.11, "in part (11%)"), (0.5, "in part (50%)"),
    (0.51, "no (51%)"), (1.0, "no (100%)"), (float("nan"), "not to be said")])
def test_a_criterion_is_met_up_to_a_tenth_and_in_part_up_to_a_half(share: float, said: str) -> None:
    assert words.verdict(share) == said
    if share == share:
        assert words.answered(1 - share).split(" (")[0] == said.split(" (")[0]


def test_relations_are_kept_up_to_a_twentieth() -> None:
    for change, said in ((0.05, "yes (0.05)"), (0.06, "no (0.06)"), (np.nan, "not to be said")):
        assert words.relations_kept(attacked(correlations=over(change, change))) == said


@pytest.mark.parametrize(("columns", "categories", "impossible", "said"), [
    (["a", "b"], 0.0, 0.0, "there are no categories"),
    (["a", "kind"], 0.0, 0.005, "changes numbers only"),
    (["a", "kind"], 0.2, 0.25, "changes numbers and categories; 25% impossible"),
    (["a", "b"], float("nan"), 0.01, "there are no categories; 1% impossible")])
def test_mixed_data_are_numbers_and_categories(
    columns: list[str], categories: float, impossible: float, said: str
) -> None:
    one = attacked(Records.of(THREE[columns]), categories=categories, impossible=impossible)
    assert words.mixed(one) == said


def test_what_an_intruder_reads_is_named() -> None:
    for matches, read, truth, said in (
        (1, 7.0, 7.0, "reads 7, the truth"), (1, 7.0, 7.5, "reads 7, within 10% of the truth"),
        (2, 7.0, 8.0, "reads 7, more than 10% off the truth"),
        (1, 7.0, 0.0, "reads 7, more than 10% off the truth"), (1, 0.0, 0.0, "reads 0, the truth"),
        (0, float("nan"), 7.0, "finds nobody"),
        (2, float("nan"), 7.0, "finds several that differ"),
    ):
        assert words.outcome_text(Reading(matches, read, truth)) == said


def test_releases_are_counted_and_one_that_was_looked_at_twice_is_one() -> None:
    for each, said in (((1, 0, 1), "2 of 3"), ((1, 1), "1 of 1"), ((0, 0), "0 of 1")):
        assert words.in_releases(over(*each)) == said


def test_who_is_looked_for_is_described_by_what_is_known() -> None:
    records = Records.of(pd.DataFrame({"Age": [44.4, 30.0], "kind": ["x", "y"]}))
    known = Known(("kind", "Age"), "Age", (0.0, 5.0))
    assert words.person_text(records, known, 0) == "x, age 45"
    exact = Known(("Age",), "Age", (0.0,))
    assert words.person_text(records, exact, 1) == "age 30"


def test_members_are_told_only_beyond_chance_and_clearly_above_a_guess() -> None:
    sure, close, unsure = (attacked(membership=over(*each)) for each in (
        (0.7, 0.71, 0.69), (0.519, 0.52, 0.521), (0.4, 0.7, 0.6)))
    assert "70% after" in words._members([sure, close, unsure])
    assert words._members([sure, close, unsure]).count(" after ") == 1
    assert "can hardly be told" in words._members([close, unsure])
    assert "a chance of 52% to 57% " in words._members([close, unsure])


def test_methods_that_cannot_be_shown_are_it_or_them() -> None:
    one, two = (sdc.mechanism(name) for name in ("mst", "k-anonymity"))
    assert re.search(r" works on a table.* to see it\.$", words.left_out_sentence([one]))
    assert re.search(r" work on a table.* to see them\.$", words.left_out_sentence([one, two]))


def test_correlations_are_of_the_numbers_that_both_have() -> None:
    """A column that is the same for everybody, before or after, goes together with nothing."""
    before = Records.of(THREE[["a", "b", "c"]])
    values = np.array([[1.0, 2, 7], [2, 4, 7], [3, 1, 7], [5, 3, 7]])
    after = Records(before.variables, values)
    for here, there in ((before, after), (after, before)):
        r = [np.corrcoef(one.values[:, :2].T)[0, 1] for one in (here, there)]
        assert _correlation_change(here, there) == pytest.approx(abs(r[0] - r[1]))
    flat = Records(before.variables, np.array([[1.0, 7, 7], [2, 7, 7], [3, 7, 7], [5, 7, 7]]))
    assert np.isnan(_correlation_change(before, flat))


def test_impossible_numbers_are_below_zero_or_broken_where_none_was() -> None:
    before = Records.of(pd.DataFrame({"whole": [0.0, 2, 3, 4], "any": [-1.5, 2, 0, 1]}))
    after = Records(before.variables, np.array([[-1.0, -9], [2.5, 0.5], [3, 0], [4, 1]]))
    assert _impossible(before, after) == pytest.approx((2 / 4 + 0) / 2)


def test_categories_count_as_changed_where_they_differ() -> None:
    before = Records.of(THREE[["a", "kind"]])
    values = before.values.copy()
    values[0, 1] = 1 - values[0, 1]
    assert _categories_changed(before, Records(before.variables, values)) == 0.25
    numbers = Records.of(THREE[["a", "b"]])
    assert np.isnan(_categories_changed(numbers, numbers))


# ------------------------------------------------------------------------------- what is compared


def notices(frame: pd.DataFrame, found: Original) -> list[str]:
    data = sdc.load_dataset(frame)
    given = types.SimpleNamespace(dataset=data, work=Work(), get=None)
    asked = cast(Given, _Asked(given, tuple(frame.columns)))
    return [one.text for one in lab.about_records(asked, found)]


class _Asked:
    """What was given: the data, and that all columns were chosen."""

    def __init__(self, given: Any, names: tuple[str, ...]) -> None:
        self.dataset, self.work, self._names = given.dataset, given.work, names

    def __getitem__(self, name: str) -> tuple[str, ...]:
        assert name == "lab_vars"
        return self._names


def test_records_that_are_left_out_are_counted() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=60).round(3), "b": rng.normal(size=60).round(3)})
    whole = lab._original(sdc.load_dataset(frame), ("a", "b"), "a", "b")
    assert notices(frame, whole) == []
    holes = frame.copy()
    holes.loc[:8, "a"] = np.nan
    data = sdc.load_dataset(holes)
    found = lab._original(data, ("a", "b"), "a", "b")
    assert notices(holes, found) == ["Records: 51 of 60 records have all of these variables."]
    drawn = Original(found.records.rows(np.arange(40)), Task("a", "b"))
    (said,) = notices(holes, drawn)
    assert "51 of 60 records" in said and "40 of 51 are taken, drawn once at random" in said
    (said,) = notices(frame, Original(whole.records.rows(np.arange(40)), Task("a", "b")))
    assert "have all of these" not in said and "40 of 60 are taken" in said
    kept = Original(whole.records.rows(np.arange(45)), Task("a", "b"), None,
                    whole.records.rows(np.arange(45, 60)))
    assert notices(frame, kept) == [
        "Records: 15 are kept out of all releases, to try the random forest on."]


def test_what_is_the_same_for_everybody_is_said_to_be() -> None:
    frame = pd.DataFrame({"a": np.arange(60.0), "b": 3.0, "c": 4.0, "d": np.arange(60.0) ** 2})
    for names, start in ((["a", "b", "d"], "b is the same"), (["a", "b", "c"], "b and c are the")):
        records = Records.of(frame[names])
        (said,) = notices(frame[names], Original(records, Task("a", "b")))
        assert said.lower().startswith(start)


def test_up_to_four_categories_are_named() -> None:
    """Of five the first three are, and how many more there are."""
    frame = pd.DataFrame({"n": np.arange(80) + 0.5, **{k: ["x", "y"] * 40 for k in "ABCDE"}})
    found = made({"rwn": [0.3] * 4, "rank-swapping": [0.2] * 4})
    for kinds, said in (("ABCD", "may change A, B, C and D;"), ("ABCDE", "A, B, C and 2 more;"),
                        ("A", "may change A;")):
        records = microdata(sdc.load_dataset(frame), ("n", *kinds))
        assert said in matched_words._categories(Original(records, Task("n", "n")), found)
    frame["m"] = np.arange(80) ** 2 + 0.5
    numbers = microdata(sdc.load_dataset(frame), ("n", "m"))
    assert matched_words._categories(Original(numbers, Task("n", "n")), found) == ""


def test_a_neighbourhood_knows_whether_tails_were_cut_off() -> None:
    records = Records.of(THREE[["a", "b"]])
    for coded in (None, records):
        found = microdata_lab.neighbourhood(
            cast(Any, sdc.mechanism("rwn", k=2)), Original(records, Task("a", "b"), coded),
            microdata_lab.Exposed(0, False), np.ones(4))
        assert found.coded == (coded is not None)


@pytest.mark.parametrize(("before", "after", "said"), [
    ([0.5, 0.2, 0.1], [0.5, 0.2, 0.1], "as closely as in the original"),
    ([0.5, 0.2, 0.1], [0.4, 0.2, 0.1], "Of 3 pairs of numbers 1 goes together less closely"),
    ([0.5, 0.2, 0.1], [0.4, 0.1, -0.3], "2 go together less closely than in the original and 1 "
     "more closely; of 1 the sign is another; the mean strength |r| is 0.27 and was 0.27."),
    ([0.5], [0.6], "Of 1 pair of numbers none goes together less closely")])
def test_weaker_and_stronger_pairs_are_counted(
    before: list[float], after: list[float], said: str
) -> None:
    seen = types.SimpleNamespace(pairs=(np.array(before), np.array(after)),
                                 mechanism=sdc.mechanism("rwn"))
    assert said in correlations_caption(cast(Any, seen))


# --------------------------------------------------------------------------------------- the rest


def test_dots_fill_row_by_row_from_the_left() -> None:
    for number, per_row in ((100, 25), (101, 200), (10_000, 200)):
        markup = dots(((2.25, "#111111"), (per_row - 2, "#222222")), number, "So many.")
        packed = re.search(r"base64,([^\"]+)", markup)
        assert packed and 'alt="So many."' in markup
        drawn = base64.b64decode(packed[1]).decode()
        size, rows = 450 / per_row, -(-number // per_row)
        assert f'viewBox="0 0 450 {rows * size:g}"' in drawn
        seen = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)" fill="(#\d+)"', drawn)
        places = [(round(float(x) / size - 0.5), round(float(y) / size - 0.5)) for x, y, *_ in seen]
        first = [place for place, one in zip(places, seen, strict=True) if one[3] == "#111111"]
        assert first == [(0, 0), (1, 0), (2, 0)]
        if number > per_row:
            assert places[-1] == (0, 1)  # the first of the second row
        whole, part = float(seen[0][2]), float(seen[2][2])
        assert (part / whole) ** 2 == pytest.approx(0.25, abs=0.01)  # by its area
        assert size * 0.3 < whole < size / 2


def test_the_only_person_who_is_alone_can_be_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    at = types.SimpleNamespace(members=Records.of(THREE), known=Known(("a",), "b", (0.0,)))
    monkeypatch.setattr(lab, "problem", lambda given: "")
    monkeypatch.setattr(intruders, "scene_of", lambda given: at)
    for people, offered in (([2], ("2",)), ([3, 1], ("3", "1")), ([], None)):
        monkeypatch.setattr(intruders, "alone", lambda *_, people=people: np.array(people))
        found = intruders.whom(cast(Given, None))
        assert (None if found is None else tuple(found.choices)) == offered
        assert found is None or found.default == str(people[0])


@pytest.mark.parametrize(("beyond", "slow", "said"), [
    (0, True, False), (1, True, True), (1, False, False)])
def test_fewer_releases_are_said_where_fewer_were_made(
    beyond: int, slow: bool, said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_words, "additions", lambda paths: "")
    monkeypatch.setattr(lab_words, "promises", lambda paths: "")
    line = types.SimpleNamespace(
        known=(1,), path=types.SimpleNamespace(base=types.SimpleNamespace(slow=slow)))
    privacy, utility = (types.SimpleNamespace(title="T", good="up") for _ in range(2))
    releases = lab_words.FITTED_REPETITIONS + beyond
    text = lab_words.more(cast(Any, [line]), cast(Any, line), cast(Any, privacy),
                          cast(Any, utility), releases)
    assert f"the mean of {releases} releases" in text and ("where one takes long" in text) == said

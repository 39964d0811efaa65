"""Three intruders, as shown: shares, readings and criteria read back and computed another way."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.on_records import draw_records
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.microdata.recognised import class_sizes
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.answer import Answer
from sdc_core.questions.intruders import words
from sdc_core.questions.intruders.compute import Attacked, Scene, methods, scene
from sdc_core.questions.lab import _original
from tests.contract import Contract
from tests.html_bars import read_bars

CONTRACT = Contract(
    slots=(),
    controls=("in_strength", "in_coded", "lab_vars", "lab_outcome", "in_known", "in_extreme",
              "in_play", "in_person"),
    columns={
        "intruders": (
            "method", "releases", *(f"small cell: {o} %" for o in intruders.OUTCOMES),
            "small cell: right, standard error", *(f"extreme: {o} %" for o in intruders.OUTCOMES),
            "extreme: right, standard error", "membership %", "membership, standard error"),
        "intruders-play": ("method", "records that match", "the intruder", "truth"),
        "intruders-criteria": (
            "method", "mixed data", "answers about small cells", "keeps correlations",
            "A: small cells", "B: extreme record", "C: who is in it", "a person can understand"),
    },
    quick={"lab_vars": "AGEP,SEX,PINCP", "lab_outcome": "PINCP", "in_known": "AGEP,SEX",
           "in_extreme": "AGEP"},
    fewer={"intruders.RELEASES": 4},
)


def people(rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(12)
    age = rng.integers(20, 66, rows) + rng.random(rows).round(2)
    job = rng.choice(["smith", "baker", "clerk"], rows, p=[0.6, 0.3, 0.1])
    sex = rng.choice(["f", "m"], rows)
    wage = (900 * age + 9000 * (sex == "m") + rng.normal(0, 9000, rows)).round(1)
    return pd.DataFrame({"age": age, "sex": sex, "job": job, "wage": wage})


DATA = sdc.load_dataset(people())
NAMES = ("age", "sex", "job", "wage")


@functools.cache
def asked(**controls: Any) -> Answer:
    return sdc.ask("intruders", sdc.Study(DATA), **controls)


@functools.cache
def at(top_coded: bool = False) -> Scene:
    return scene(_original(DATA, NAMES, "wage", ""), ("sex", "job", "age"), "wage", "age",
                 top_coded)


def table(answer: Answer, name: str) -> pd.DataFrame:
    found = next(p for p in answer.panels if p.name == name).table
    assert found is not None
    return found


def test_half_are_in_the_data_and_nobody_is_in_both() -> None:
    keys = [{tuple(row) for row in part.values} for part in (at().members, at().others)]
    assert len(at().members) == len(at().others) == 120 and not keys[0] & keys[1]
    assert "120 records are protected and released; 120 others are people who are not" in (
        asked().notices[0].text)


def test_shares_are_those_of_releases_drawn_again() -> None:
    shown = table(asked(), "intruders")
    assert shown["releases"].tolist() == [20, 20, 2, 20, 20]
    for number, method in enumerate(methods("medium", at().members)):
        if number in (0, 3):  # by its own way, and by way of a table
            row = shown.iloc[number]
            assert row["method"] == method.label()
            released = [
                next(iter(draw_records(method, at().members, [repetition_rng(7, r)])))
                for r in range(20)]
            cells = [[
                intruders.small_cell(at().members, one, at().known, int(i)).outcome
                for i in intruders.alone(at().members, at().known)] for one in released]
            for outcome in intruders.OUTCOMES:
                shares = [each.count(outcome) / len(each) for each in cells]
                assert row[f"small cell: {outcome} %"] == pytest.approx(100 * np.mean(shares))
            seen = [intruders.extreme(at().members, one, "age", "wage").outcome
                    for one in released]
            assert row["extreme: right %"] == pytest.approx(100 * np.mean(
                [one == "right" for one in seen]))
            members = [intruders.membership(at().members, at().others, one) for one in released]
            assert row["membership %"] == pytest.approx(100 * np.mean(members))


def test_bars_and_headline_say_what_the_table_says() -> None:
    answer = asked()
    shown = table(answer, "intruders")
    for panel, column in zip(
        read_bars(answer.panels[0].drawing),
        ("small cell: right %", "extreme: right %", "membership %"), strict=True,
    ):
        assert [bar.label for bar in panel.rows] == [
            "Borrow values from similar records", "Swap values of close rank",
            "Average similar records", "Merge small groups", "Draw records from a simple model"]
        for bar, value in zip(panel.rows, shown[column], strict=True):
            assert bar.length == pytest.approx(value, abs=0.01)
            assert bar.text == f"{value:.1f}%"
    right = shown["small cell: right %"]
    number = len(intruders.alone(at().members, at().known))
    assert answer.headline.startswith(
        f"Of {number:,} people an intruder can single out, the wage is read to within 10% for")
    assert len(answer.headline) <= 195
    said = re.search(
        r"within 10% for (.+?)% after (.+), and (\d.*?)% after (.+)\.", answer.headline)
    assert said is not None
    errors = shown["small cell: right, standard error"]
    for end, number, names in (("idxmin", said[1], said[2]), ("idxmax", said[3], said[4])):
        top = getattr(right, end)()
        alike = [i for i in right.index  # all that chance may put there, too
                 if abs(right[i] - right[top]) <= 2 * np.hypot(errors[i], errors[top])]
        span = sorted({round(right[i]) for i in alike})
        assert [float(n.strip("% ")) for n in number.split("to")] == pytest.approx(
            [span[0], span[-1]] if len(span) > 1 else span, abs=0.51)
        others = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
        assert names == methods("medium", at().members)[alike[0]].doing + others


def test_without_protection_the_played_intruders_succeed() -> None:
    for intruder, success in (("cell", ", the truth"), ("extreme", ", the truth"),
                              ("member", "nearly sure")):
        shown = table(asked(in_play=intruder), "intruders-play")
        assert shown["method"][0] == "The records as they are" and len(shown) == 6
        assert success in shown["the intruder"][0]


def test_a_played_person_is_looked_for_in_the_first_release() -> None:
    person = int(intruders.alone(at().members, at().known)[3])
    shown = table(asked(in_person=str(person)), "intruders-play")
    assert (shown["truth"] == at().members.column("wage")[person]).all()
    for row, method in zip(shown.index[1:], methods("medium", at().members), strict=True):
        (first,) = draw_records(method, at().members, [repetition_rng(7, 0)])
        reading = intruders.small_cell(at().members, first, at().known, person)
        assert shown["records that match"][row] == reading.matches
        said = {"right": "the truth", "wrong": "more than 10% off the truth",
                "several": "several that differ", "nobody": "nobody"}[reading.outcome]
        assert shown["the intruder"][row].endswith(said)
    member = table(asked(in_person=str(person), in_play="member"), "intruders-play")
    (first,) = draw_records(methods("medium", at().members)[1], at().members,
                            [repetition_rng(7, 0)])
    inside, outside = intruders.distances(at().members, at().others, first)
    assert member["closest record at"][2] == pytest.approx(inside[person])
    assert member["people not in it who are as close %"][2] == pytest.approx(
        100 * np.mean([one <= inside[person] for one in outside]))


def test_who_is_looked_for_is_said_roughly() -> None:
    person = int(intruders.alone(at().members, at().known)[0])
    said = asked(in_person=str(person)).panels[1].caption
    values = at().members.frame().iloc[person]
    step = at().known.steps[2]
    assert f"{values['sex']}, {values['job']}, age {round(values['age'] / step) * step:g}" in said


def test_top_coding_takes_the_extreme_away() -> None:
    """Of ages in two decimals one is the largest; cut off at 2%, three people share it."""
    released = at(True).protected
    assert (released.column("age") == released.column("age").max()).sum() == 3
    assert "were cut off before each method" in asked(in_coded=True).more
    plain, coded = (table(asked(in_coded=c), "intruders") for c in (False, True))
    rwn = plain["extreme: several %"][0], coded["extreme: several %"][0]
    assert rwn[1] >= rwn[0]


def test_criteria_follow_from_the_numbers() -> None:
    shown, numbers = (table(asked(), n) for n in ("intruders-criteria", "intruders"))
    assert shown["mixed data"][1] == shown["mixed data"][2] == "changes numbers only"
    assert shown["mixed data"][3] == shown["mixed data"][4] == "changes numbers and categories"
    # Two categories that differ are √2 apart: everybody has five neighbours with the same ones here
    assert class_sizes(at().members.values[:, [1, 2]]).min() > 5
    assert shown["mixed data"][0] == "changes numbers only"
    rare = DATA.records.assign(job=[*["smith"] * 236, *["smith", "judge"] * 2])
    mixed = table(sdc.ask("intruders", sdc.Study(sdc.load_dataset(rare))), "intruders-criteria")
    assert mixed["mixed data"][0] == "changes numbers and categories"
    for i in range(5):
        for column, value in (("A: small cells", numbers["small cell: right %"][i]),
                              ("B: extreme record", numbers["extreme: right %"][i]),
                              ("C: who is in it", max(0, 2 * numbers["membership %"][i] - 100))):
            word, share = re.fullmatch(r"(yes|in part|no) \((\S+)%\)", shown[column][i]).groups()
            assert float(share) == pytest.approx(value, abs=0.51)
            assert word == ("yes" if value <= 10 else "in part" if value <= 50 else "no")
        assert shown["a person can understand"][i] == methods(
            "medium", at().members)[i].protection.how_much


def test_stronger_settings_help_against_the_first_intruder() -> None:
    """RWN and microaggregation; with ε near 0.1 a synthetic file has hardly anything to tell."""
    light, strong = (table(asked(in_strength=s), "intruders") for s in ("light", "strong"))
    for row in (0, 2):
        assert strong["small cell: right %"][row] < light["small cell: right %"][row]
        assert strong["membership %"][row] < light["membership %"][row]
    assert strong["membership %"][4] == pytest.approx(50, abs=4)


def test_with_too_many_variables_methods_by_way_of_a_table_are_left_out() -> None:
    rng = np.random.default_rng(1)
    wide = sdc.load_dataset(pd.DataFrame(
        rng.normal(size=(60, 10)), columns=[f"x{i}" for i in range(10)]))
    found = sdc.ask("intruders", sdc.Study(wide))
    assert len(table(found, "intruders")) == 3
    assert set(table(found, "intruders-criteria")["mixed data"]) == {"there are no categories"}
    assert any(n.text.startswith(
        "Merging small groups and drawing records from a simple model work on a table")
        for n in found.notices)


@pytest.mark.parametrize(("frame", "says"), [
    (people()[["sex", "job"]], "at least two variables that are numbers"),
    (people().head(4), "There are only 4 records"),
])
def test_what_cannot_be_attacked_is_one_sentence(frame: pd.DataFrame, says: str) -> None:
    found = sdc.ask("intruders", sdc.Study(sdc.load_dataset(frame)))
    assert says in found.headline and found.panels == ()


def test_where_nobody_is_alone_that_is_said() -> None:
    twice = pd.concat([people(60)] * 2)
    found = sdc.ask("intruders", sdc.Study(sdc.load_dataset(twice)), in_known="sex")
    assert "Nobody is alone with what this intruder knows" in found.headline
    assert found.panels[1].caption == "Nobody is alone with what the intruder knows."
    largest = sdc.ask("intruders", sdc.Study(sdc.load_dataset(twice)), in_known="sex",
                      in_play="extreme").panels[1]
    assert largest.caption.startswith("Looked for: whoever has the largest ")
    assert len(table(found, "intruders")) == len(largest.table) - 1


# Sentences where a careless version is false ------------------------------------------------------


def made(rights: dict[str, list[float]], member: float = 0.5) -> list[Attacked]:
    found = []
    for name, each in rights.items():
        over = OverReleases(np.array(each))
        same = OverReleases(np.full(len(each), member))
        found.append(Attacked(
            sdc.mechanism(name), dict.fromkeys(intruders.OUTCOMES, over),
            dict.fromkeys(intruders.OUTCOMES, over), same, over, over, 0.0, 0.0, at().members))
    return found


def test_what_chance_explains_is_not_told_apart() -> None:
    noisy = made({"rwn": [0.1, 0.3, 0.2], "rank-swapping": [0.2, 0.1, 0.35]})
    assert words.headline(noisy, at(), 9, "Wage").endswith(
        "for 20% to 22% after every method, differences that may be chance.")
    level = made({"rwn": [0.1, 0.3, 0.2], "rank-swapping": [0.3, 0.1, 0.2]})
    assert "for 20% after every method." in words.headline(level, at(), 9, "Wage")
    one = words.headline(level[:1], at(), 1, "Wage")  # nobody to compare with, nobody else alone
    assert one.startswith("Of 1 person an intruder can single out") and one.endswith(
        "20% after borrowing values from similar records.")
    near = made({"rwn": [0.201] * 3, "rank-swapping": [0.2] * 3})  # written alike: not ranked
    assert words.headline(near, at(), 9, "Wage").endswith("for 20% after every method.")
    three = made({"rwn": [0.1] * 3, "rank-swapping": [0.4, 0.6, 0.5], "mst": [0.5, 0.4, 0.56]})
    assert words.headline(three, at(), 9, "Wage").endswith(
        "for 10% after borrowing values from similar records, and 49% to 50% after "
        "swapping values of close rank and 1 more.")
    clear = made({"rwn": [0.1, 0.1, 0.1], "rank-swapping": [0.5, 0.5, 0.5]})
    assert ("10% after borrowing values from similar records, and 50% after "
            "swapping values of close rank") in words.headline(
        clear, at(), 9, "Wage")


def test_releases_are_counted_and_one_release_is_one() -> None:
    assert words.in_releases(OverReleases(np.array([1.0] * 3 + [0.0] * 17))) == "3 of 20"
    assert words.in_releases(OverReleases(np.array([1.0, 1.0]))) == "1 of 1"
    assert words.in_releases(OverReleases(np.zeros(2))) == "0 of 1"


def test_a_guess_is_not_called_a_chance_to_tell() -> None:
    said = words.more(made({"rwn": [0.0] * 3}, member=0.51), at(), "Wage")
    assert "can hardly be told" in said and "with a chance of 51% (50% is a guess)" in said
    assert "can hardly" not in words.more(made({"rwn": [0.0] * 3}, member=0.6), at(), "Wage")
    assert "60% after borrowing values from similar records" in words.more(
        made({"rwn": [0.0] * 3}, member=0.6), at(), "Wage")


def test_a_number_that_no_release_gave_away_says_what_that_excludes() -> None:
    """None in 20 releases: any in at most 3 of 20; two releases are one that is not random."""
    drawn, fixed, some = made({
        "rwn": [0.0] * 20, "microaggregation": [0.0] * 2, "mst": [0.0] * 19 + [0.1]})
    said = words.more([drawn, fixed, some], at(), "Wage").parts[0]
    assert said == (
        "None is read off after borrowing values from similar records in 20 releases (any in at "
        "most 15% of releases).")
    assert not words.more([fixed, some], at(), "Wage").startswith("None")


def test_in_how_many_releases_the_extreme_is_read_off() -> None:
    found = made({"rwn": [1.0] * 3 + [0.0] * 17, "microaggregation": [1.0] * 2})
    assert ("The wage of whoever has the largest age is read off rightly in so many releases: 3 of "
            "20 after borrowing values from similar records and 1 of 1 after averaging similar "
            "records.") in words.more(found, at(), "Wage")


def test_answers_are_the_share_that_is_answered() -> None:
    assert [words.answered(s) for s in (0.95, 0.7, 0.3)] == [
        "yes (95%)", "in part (70%)", "no (30%)"]
    shown, numbers = (table(asked(), n) for n in ("intruders-criteria", "intruders"))
    for said, nobody in zip(shown["answers about small cells"], numbers["small cell: nobody %"],
                            strict=True):
        assert float(re.search(r"\((\S+)%\)", said)[1]) == pytest.approx(100 - nobody, abs=0.51)
    for change, said in ((0.04, "yes (0.04)"), (0.06, "no (0.06)"), (float("nan"), "not to be")):
        one = made({"rwn": [change] * 3})[0]
        assert words.relations_kept(one).startswith(said)


@pytest.mark.parametrize(("names", "verb", "them"), [
    (["mst"], "works", "it"), (["mst", "k-anonymity"], "work", "them")])
def test_what_is_left_out_is_one_or_several(names: list[str], verb: str, them: str) -> None:
    said = words.left_out_sentence([sdc.mechanism(n) for n in names])
    assert f" {verb} on a table" in said and said.endswith(f"choose fewer to see {them}.")


def test_verdicts_at_their_limits() -> None:
    assert [words.verdict(s) for s in (0.1, 0.11, 0.5, 0.51, float("nan"))] == [
        "yes (10%)", "in part (11%)", "in part (50%)", "no (51%)", "not to be said"]

"""Three intruders: cases counted by hand, and all against one by one."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sdc_core.errors import InputError
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.microdata.intruders import Known
from sdc_core.records import Records

PEOPLE = Records.of(pd.DataFrame({
    "sex": ["f", "f", "m", "m", "m"], "age": [30.2, 43.0, 30.0, 30.4, 60.0],
    "wage": [100.0, 200.0, 300.0, 400.0, 500.0],
}))
BY = Known(("sex", "age"), "wage", (0.0, 1.0))


def test_alone_are_those_whom_nobody_shares_what_is_known_with() -> None:
    assert intruders.alone(PEOPLE, BY).tolist() == [0, 1, 4]  # two men of 30


def test_a_release_as_it_is_gives_everybody_away() -> None:
    assert intruders.small_cells(PEOPLE, PEOPLE, BY) == {
        "right": 1, "wrong": 0, "several": 0, "nobody": 0}
    assert intruders.small_cell(PEOPLE, PEOPLE, BY, 1).outcome == "right"


def changed(**columns: list[float]) -> Records:
    values = PEOPLE.values.copy()
    for name, column in columns.items():
        values[:, PEOPLE.names.index(name)] = column
    return PEOPLE.with_values(values)


def test_every_outcome_by_hand() -> None:
    # 0: still alone, wage 109 for 100: within a tenth; 1: nobody of 43 is left; 4: two men of 60
    released = changed(age=[30, 44, 30, 60.2, 59.9], wage=[109, 200, 300, 400, 500])
    assert intruders.small_cells(PEOPLE, released, BY) == pytest.approx(
        {"right": 1 / 3, "wrong": 0, "several": 1 / 3, "nobody": 1 / 3})
    found = [intruders.small_cell(PEOPLE, released, BY, i) for i in (0, 1, 4)]
    assert [one.outcome for one in found] == ["right", "nobody", "several"]
    assert [one.matches for one in found] == [1, 0, 2]
    assert found[0].read == 109 and math.isnan(found[1].read) and found[2].truth == 500
    wrong = changed(wage=[111, 200, 300, 400, 500])
    assert intruders.small_cell(PEOPLE, wrong, BY, 0).outcome == "wrong"


@pytest.mark.parametrize("seed", range(3))
def test_all_people_at_once_are_each_by_themselves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "sex": rng.choice(["f", "m"], 200), "age": rng.integers(20, 70, 200).astype(float),
        "wage": rng.normal(50_000, 9000, 200)})
    original = Records.of(frame)
    values = original.values.copy()
    values[:, 1] = np.where(rng.random(200) < 0.3, rng.permutation(values[:, 1]), values[:, 1])
    values[:, 2] *= rng.normal(1, 0.1, 200)
    released = original.with_values(values).rows(rng.permutation(200)[:180])
    known = intruders.known_by(original, ("sex", "age"), "wage")
    each = [intruders.small_cell(original, released, known, int(i)).outcome
            for i in intruders.alone(original, known)]
    found = intruders.small_cells(original, released, known)
    assert len(each) > 20 and len(set(each)) == 4
    for outcome, share in found.items():
        assert share == pytest.approx(each.count(outcome) / len(each))


def test_several_records_that_agree_give_the_number_away() -> None:
    """As in a cluster that shares its mean, or a group in which all answers are the same."""
    alike = changed(age=[30, 44, 30, 60.2, 59.9], wage=[100, 200, 300, 480, 480])
    found = intruders.small_cell(PEOPLE, alike, BY, 4)
    assert (found.matches, found.read, found.outcome) == (2, 480, "right")
    assert intruders.small_cells(PEOPLE, alike, BY)["right"] == pytest.approx(2 / 3)
    top = changed(age=[30, 60, 30, 30, 60], wage=[100, 510, 300, 400, 510])
    assert intruders.extreme(PEOPLE, top, "age", "wage").outcome == "right"


def test_nobody_alone_is_no_number() -> None:
    twins = PEOPLE.rows(np.array([0, 0, 1, 1]))
    assert math.isnan(intruders.small_cells(twins, twins, BY)["right"])


def test_numbers_are_known_to_round_steps() -> None:
    frame = pd.DataFrame({"age": [16.0, 93], "wage": [0.0, 325_000], "wrist": [15.8, 21.4],
                          "same": [1.0, 1]})
    known = intruders.known_by(Records.of(frame), ("age", "wage", "wrist"), "same")
    assert known.steps == (2.0, 5000.0, 0.1)
    assert intruders.known_by(Records.of(frame), ("same",), "age").steps == (0.0,)
    for names, wanted, says in ((("age",), "age", "already"), ((), "age", "knows nothing"),
                                (("size",), "age", "'size'"), (("age",), "size", "'size'")):
        with pytest.raises(InputError, match=says):
            intruders.known_by(Records.of(frame), names, wanted)


def test_the_extreme_record_is_taken_for_the_person_who_has_it() -> None:
    found = intruders.extreme(PEOPLE, PEOPLE, "age", "wage")
    assert (found.outcome, found.read, found.truth) == ("right", 500, 500)
    moved = changed(age=[30, 90, 30, 30, 60])  # somebody else stands out now
    found = intruders.extreme(PEOPLE, moved, "age", "wage")
    assert (found.outcome, found.read, found.truth) == ("wrong", 200, 500)
    coded = changed(age=[30, 50, 30, 30, 50])  # cut off at 50: two have the largest value
    assert intruders.extreme(PEOPLE, coded, "age", "wage").outcome == "several"


def test_membership_is_the_chance_to_tell_two_people_apart() -> None:
    members = Records.of(np.array([[0.0], [10.0]]))
    others = Records.of(np.array([[2.0], [5.0]]))
    assert intruders.membership(members, others, members) == 1
    # distances of members 1 and 1, of others 1 and 4
    released = Records.of(np.array([[1.0], [9.0]]))
    by_hand = np.mean([1.0 if a < b else 0.5 if a == b else 0.0 for a in (1, 1) for b in (1, 4)])
    assert intruders.membership(members, others, released) == by_hand == 0.75
    rng = np.random.default_rng(4)
    crowd = [Records.of(rng.normal(size=(400, 3))) for _ in range(3)]
    assert intruders.membership(*crowd) == pytest.approx(0.5, abs=0.06)
    assert intruders.membership(crowd[0], crowd[1], crowd[0]) == 1

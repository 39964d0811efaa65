"""What is said and drawn at the edge of a condition: one step to this side and one to the other."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.experiment import Evaluation
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.lessons import seven_people
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.battery import Original, Task
from sdc_core.privacy.protection import QUESTIONS
from sdc_core.questions import delta_epsilon
from sdc_core.questions.compare.empty_words import invented_sentence
from sdc_core.questions.compare.figures import METRICS, worst_cells
from sdc_core.questions.delta_epsilon.attack import granted
from sdc_core.questions.funding import pot
from sdc_core.questions.funding.words import _ranking, _so_far, threshold_remark
from sdc_core.questions.lab import _original
from sdc_core.questions.matched import words as matched_words
from sdc_core.questions.microdata_lab.compute import exposed
from sdc_core.questions.protected.census import CENSUS_SYSTEMS
from sdc_core.questions.protected.figures import _system, _words
from sdc_core.questions.question import Given
from sdc_core.questions.reidentification.line_words import _noisier
from sdc_core.questions.swapping_changes.words import runs_sentence
from sdc_core.questions.tune.wish import AT_MOST, PRESETS, sense
from sdc_core.questions.undo import one_place
from sdc_core.questions.work import about
from sdc_core.records import Records
from tests.test_question_funding import by_releases, town
from tests.test_question_matched import BY, made, original
from tests.test_question_reidentification import curve

LAPLACE = sdc.mechanism("laplace")
AT_ZERO = Histogram.from_counts([0, 0, 9, 30])


def drawn(error: float, spread: float) -> Evaluation:
    """Laplace as drawn: both empty groups together are off by `error`, with about this standard
    error of it."""
    one = sdc.evaluate(LAPLACE, AT_ZERO, 40, simulate=True)
    assert one.left_out is not None
    absolute = np.array([error / 2, error / 2, 1.0, 1.0])
    left_out = np.array(one.left_out, copy=True)
    groups = len(left_out)
    wiggle = np.resize([1.0, -1.0], groups) * spread / 2 / np.sqrt(groups - 1)
    left_out[:, 1] = absolute
    left_out[:, 1, :2] += wiggle[:, None]
    return dataclasses.replace(
        one, absolute_error=absolute, left_out=left_out, invented=0.0, invented_se=0.0)


@pytest.mark.parametrize(("spread", "hardly"), [(0.01, True), (0.4, False)])
def test_hardly_anybody_is_said_only_where_the_error_leaves_no_doubt(
    spread: float, hardly: bool
) -> None:
    """0.3 people, below half a person: with 2 × 0.01 it surely is, with 2 × 0.4 it may be 1.1."""
    found = drawn(0.3, spread)
    seen = float(found.error_of(lambda _, error: np.asarray(error[:2].sum())))
    assert seen == pytest.approx(spread, rel=0.1)
    assert ("hardly anybody" in invented_sentence(AT_ZERO, [found])) == hardly


def test_no_bias_has_no_sign() -> None:
    exact = sdc.evaluate(LAPLACE, AT_ZERO)
    table = worst_cells(AT_ZERO, [dataclasses.replace(exact, bias=np.array([0.0, 0.0, -0.0, 2.0]))])
    biases = table["bias, 1. Laplace ε=1"].to_numpy()
    assert sorted(biases) == [0.0, 2.0] and not np.signbit(biases).any()


class Settled(dict[str, Any]):
    """What is settled already, and the largest household of the data."""

    def __init__(self, household: int | None, **values: object) -> None:
        super().__init__(values)
        self.dataset = types.SimpleNamespace(largest_household=household)
        self.table: Histogram | None = None
        self.methods: tuple[Mechanism, ...] = ()


def test_for_whom_a_promise_is_shown_says_what_it_is() -> None:
    titles = delta_epsilon.unit(cast(Given, Settled(None))).titles
    assert titles is not None
    said = dict(titles)
    (person,) = [n for n, text in said.items() if text == "a person whose record changes"]
    (added,) = [n for n, text in said.items() if "added or left out" in text]
    (several,) = [n for n, text in said.items() if text.startswith("several people")]
    assert (person, added, several) == ("person", "added", "household")


@pytest.mark.parametrize(("household", "start"), [(2, 2), (5, 5), (None, 3)])
def test_several_people_are_as_many_as_the_largest_household(
    household: int | None, start: int
) -> None:
    found = delta_epsilon.people(cast(Given, Settled(household, unit="household")))
    assert found is not None and found.default == start


def test_an_attack_is_granted_the_true_slack_where_that_is_known_else_the_published() -> None:
    table = Histogram.from_counts([3, 8, 40, 1])
    exact = sdc.mechanism("discrete-gaussian").guarantee(table)
    assert not exact.is_bound and exact.delta_tight != exact.delta_published
    assert granted(exact) == exact.delta_tight
    bound = dataclasses.replace(exact, is_bound=True)
    assert granted(bound) == exact.delta_published
    assert granted(dataclasses.replace(bound, delta_published=None)) == 0.0


def test_the_pot_is_at_most_a_trillion() -> None:
    money = pot(cast(Given, Settled(None)))
    assert money.validate(10**12) == 10**12
    with pytest.raises(sdc.InputError):
        money.validate(10**12 + 1)


def test_a_rule_of_one_per_cent_is_like_any_other() -> None:
    found = by_releases(town([4, 9], [8, 11]), [[4, 9]], [[12, 20]], percent=1)
    assert threshold_remark(found, "renters") == ""


def test_never_so_far_counts_the_releases_that_every_place_has() -> None:
    """Of 60 releases one place has people in 20 alone: only those exclude anything there, and no
    flip in 20 leaves up to 3 in 20."""
    (outcome,) = by_releases(town([4, 9], [8, 11]), [[4, 9]] * 60, [[12, 20]] * 60).outcomes
    rule = dataclasses.replace(outcome.rule, undefined=np.array([0, 40]))
    few = dataclasses.replace(outcome, rule=rule, certain=False, releases=60)
    assert "No flip in 20 releases: the chance of one is below 15%." in _so_far([few])


PEOPLE = pd.DataFrame({"age": np.arange(20, 60), "pay": np.arange(40) ** 2.0})


@pytest.mark.parametrize(("tails", "coded"), [
    ((0.0, 0.0), False), ((0.1, 0.0), True), ((0.0, 0.1), True), ((0.1, 0.1), True)])
def test_one_tail_is_cut_off_by_itself(tails: tuple[float, float], coded: bool) -> None:
    data = sdc.load_dataset(pd.concat([PEOPLE] * 3))
    found = _original(data, ("age", "pay"), "pay", "age", tails)
    assert (found.coded is not None) == coded
    if found.coded is None:
        return
    pay, real = found.coded.column("pay"), PEOPLE["pay"]
    assert (pay.max() < real.max()) == (tails[1] > 0) and (pay.min() > real.min()) == (tails[0] > 0)


def test_a_ranking_stands_where_methods_are_matched_or_alike_by_themselves() -> None:
    """A level of 0.7 instead of 0.5 is too far for an index of a table, and a match says so."""
    losses = {"rwn": [0.3] * 4, "rank-swapping": [0.2] * 4}
    for level, matched, ranked in ((0.5, True, True), (0.5, False, True), (0.7, True, True),
                                   (0.7, False, False)):
        found = made(losses | {"microaggregation": [0.4] * 4}, level={"microaggregation": level})
        said = matched_words.more(found, BY, "il1", original(), matched)
        assert ("measures of what is kept" in said) == ranked, (level, matched)


def test_powers_of_e_are_set_as_powers() -> None:
    assert _words("at most e^ε times") == "at most e<sup>ε</sup> times"


@pytest.mark.parametrize(("low", "high", "noisier"), [
    ("discrete-gaussian", "laplace", True), ("laplace", "discrete-gaussian", False),
    ("laplace", "laplace", False), ("topdown", "laplace", False), ("laplace", "topdown", False)])
def test_the_noise_is_called_the_cause_only_where_it_is_known_to_be_larger(
    low: str, high: str, noisier: bool
) -> None:
    """Noise that is made to add up has no closed form, so nothing is said of it."""
    lines = [curve(sdc.mechanism(name), (0.2, 0.3, 0.4)) for name in (low, high)]
    assert _noisier(*lines) == noisier


def test_the_sign_for_an_error_is_explained_wherever_one_stands() -> None:
    one, several = [2.0], [1.0, 2.0, 4.0]
    for runs, explained in (
        ({0.05: one, 0.5: several}, True), ({0.05: several, 0.5: one}, True),
        ({0.05: one, 0.5: one}, False), ({0.05: several}, True),
    ):
        said = runs_sentence(runs)
        assert ("% ± " in said) == ("± is one standard error" in said) == explained


@pytest.mark.parametrize(("seconds", "said"), [
    (3, "some seconds"), (9.9, "some seconds"), (10, "about 10 seconds"), (44, "about 40 seconds"),
    (89, "about 90 seconds"), (90, "about 2 minutes"), (200, "about 3 minutes"),
    (5399, "about 90 minutes"), (5400, "hours")])
def test_how_long_it_takes_is_said_in_words(seconds: float, said: str) -> None:
    assert about(seconds) == said


def test_wishes_of_one_click_say_at_most_so_much_of_what() -> None:
    within = next(one for one in PRESETS if one.label == "Smallest groups within 10%").sets
    assert within["wish_relative_error"] == "10" and "1-5" in within.values()
    assert [name for name, value in within.items() if value == AT_MOST] == ["wish_sense"]


def test_a_column_is_reconstructed_that_has_most_small_counts() -> None:
    people = pd.DataFrame({
        "place": ["a"] * 31 + ["b"] * 6 + ["c"] * 60,
        "kind": ["x"] * 30 + ["y"] + ["x", "y", "y", "z", "z", "z"] + ["x"] * 30 + ["y"] * 30})
    table = sdc.load_dataset(people).histogram(["place", "kind"])
    settled = Settled(None, undo_k=6)  # small: one count of a, three of b, none of c
    settled.table = table
    assert one_place(cast(Given, settled)).default == "b"


def test_units_are_people_or_people_represented_and_squares_of_those() -> None:
    seen = set()
    for one in METRICS.values():
        plain, weighted = one.unit_of(False), one.unit_of(True)
        assert "represented" not in plain
        if "people" in plain:
            square = "²" in plain
            seen.add(square)
            assert ("(people represented)²" if square else "people represented") in weighted
    assert seen == {True, False}


def test_the_seven_are_named_by_all_that_is_known_of_them() -> None:
    counts = Histogram.from_codes(np.array([[0, 1], [1, 0]]), Domain((
        Feature("block", "Block", ("1", "2"), ("Block 1", "Block 2")),
        Feature("sex", "Sex", ("f", "m"), ("woman", "man")))))
    said = seven_people.names(counts)
    assert said == ["Block 1, woman", "Block 1, man", "Block 2, woman", "Block 2, man"]


def test_without_methods_nothing_can_be_the_same_as_one() -> None:
    for methods, choices in (((), ("at-most", "at-least")),
                             ((LAPLACE,), ("at-most", "at-least", "same"))):
        settled = Settled(None)
        settled.methods = methods
        assert tuple(sense(cast(Given, settled)).choices) == choices


def test_budgets_of_the_census_stand_once_under_how_much() -> None:
    for one in CENSUS_SYSTEMS:
        text = _system(one)
        assert text.count("recomputed:") == len(one.budgets)
        answers = text.split('<span class="label">')[1:]
        (with_budget,) = [a for a in answers if "recomputed:" in a] or [""]
        assert with_budget.startswith(QUESTIONS["how_much"]) == bool(one.budgets)


def test_where_no_line_can_be_fitted_whoever_is_farthest_from_all_is_followed() -> None:
    """Two numbers that are one: no regression. Far from everybody is the last, by hand."""
    age = np.array([30.0, 31.0, 32.0, 33.0, 34.0, 90.0] * 2)
    age[-1] = 200.0  # 110 from the next, who is 56 from the one after
    records = Records.of(pd.DataFrame({"age": age, "months": 12 * age, "pay": 7.0}))
    found = exposed(Original(records, Task("pay", "age")))
    assert found.alone and found.record == len(age) - 1


@pytest.mark.parametrize(("moved", "said"), [
    (0.0, "nothing"), (0.4, "less than $1"), (0.9, "$1"), (1.2, "$1")])
def test_less_than_a_dollar_is_less_than_half_of_one(moved: float, said: str) -> None:
    (outcome,) = by_releases(town([4, 9], [8, 11]), [[4, 9]] * 2, [[12, 20]] * 2).outcomes
    one = dataclasses.replace(
        outcome, certain=True, money=dataclasses.replace(outcome.money, moved=moved))
    text, _ = _ranking([one])
    assert text.split(" misdirects ")[1].startswith(said)
    assert ("less than" in text) == (said == "less than $1")

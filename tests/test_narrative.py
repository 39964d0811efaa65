"""Sentences say what the numbers say, in the digits a reader can use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sdc_core.narrative import words

import sdc_core as sdc
from sdc_core.questions.compare.words import burden_sentence, compare_sentences, diversity_sentence
from sdc_core.questions.delta_epsilon.words import privacy_sentences
from sdc_core.words.guarantees import delta_text, guarantee_chip
from sdc_core.words.numbers import odds_factor, sensible


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (763.4, "763"), (12345.6, "12,346"), (20.0, "20"), (4.2, "4.2"), (1.0, "1"),
        (0.36, "0.36"), (0.0174, "0.017"), (0.0998, "0.1"), (0.05, "0.05"),
        (3.04e-4, "3e-4"), (-2.5, "−2.5"), (99.99, "100"),
        (math.inf, "∞"), (6.0184e-11, "6e-11"),
    ],
)
def test_sensible_digits(number: float, text: str) -> None:
    assert sensible(number) == text


@pytest.mark.parametrize(
    ("log_rest", "text"),
    [
        (0.0, "0"), (math.log(1 - 0.36), "0.36"), (math.log(0.00062), "0.9994"),
        (math.log(1e-7), "1 − 1e-7"), (-511.386, "1 − 8e-223"), (-math.inf, "1"),
    ],
)
def test_delta_keeps_its_distance_from_one(log_rest: float, text: str) -> None:
    assert delta_text(-math.expm1(log_rest), log_rest) == text


def test_odds_in_words() -> None:
    assert odds_factor(0.1) == "10.5%"
    assert odds_factor(1) == "a factor of 2.72"


def test_headline_sets_the_two_worlds_against_each_other() -> None:
    """Unrounded Laplace at ε = 1 is off by 2/ε = 2 a cell; suppression at k = 6 turns 0 into 3."""
    table = sdc.Histogram.from_counts([0, 0, 3, 100])
    chosen = [sdc.mechanism("laplace", epsilon=1, postprocess="none"),
              sdc.mechanism("suppression", k=6)]
    evaluations = [sdc.evaluate(m, table) for m in chosen]
    guarantees = [m.guarantee(table) for m in chosen]
    headline, more = compare_sentences(table, evaluations, guarantees)
    assert headline == (
        "Suppression k=6 puts a count off by 1.5 on average, Laplace ε=1 as drawn by 2 "
        "(1.33 times as much)."
    )
    assert more.startswith("For the one group of 1 to 5 people (2.91% of all people), ")
    assert "Laplace ε=1 as drawn keeps its privacy promise for everyone" in more
    assert "Suppression k=6 makes no promise" in more
    assert burden_sentence(table, evaluations[1:]) == (
        "On average Suppression k=6 adds 3 people to empty groups."
    )
    assert burden_sentence(table, evaluations[:1]) == (
        "On average Laplace ε=1 as drawn moves no group size."
    )


def test_nothing_chosen_is_said_plainly() -> None:
    table = sdc.Histogram.from_counts([1, 2])
    assert compare_sentences(table, [], [])[0].startswith("Choose a method")
    assert privacy_sentences([], [])[0].startswith("Choose a method")


def test_chips_tell_a_promise_from_a_failure() -> None:
    table = sdc.Histogram.from_counts([0, 3, 12])
    tones = {
        name: guarantee_chip(sdc.mechanism(name, **settings).guarantee(table)).tone
        for name, settings in {
            "laplace": {}, "dp-suppression": {}, "suppression": {},
        }.items()
    }
    assert tones == {"laplace": "strong", "dp-suppression": "weak", "suppression": "none"}
    broken = sdc.mechanism("dp-suppression", keep_zeros=True)
    assert guarantee_chip(broken.guarantee(table)).tone == "broken"
    _, more = privacy_sentences([broken], [broken.guarantee(table)])
    assert "does not hold" in more


def test_a_promise_that_nearly_always_fails_is_called_so() -> None:
    weak = sdc.mechanism("dp-suppression", epsilon=1, k=6)
    headline, _ = privacy_sentences([weak], [weak.guarantee(cap=12)])
    assert "fails with probability 0.9990" in headline
    assert "in name only" in headline


def test_a_promise_within_invariants_is_not_called_one_for_everyone() -> None:
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("a", "b")) for n in ("place", "race"))
    table = sdc.Histogram(np.array([3, 2, 1, 4]), sdc.Domain(features))
    uniform = sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("race",))
    found = uniform.guarantee(table)
    assert guarantee_chip(found).tone == "weak"
    headline, _ = privacy_sentences([uniform], [found])
    assert "leaves untouched" in headline and "promises nothing" in headline
    assert found.invariants == ("counts by place",)
    _, more = compare_sentences(table, [sdc.evaluate(uniform, table)], [found])
    assert "for everyone" not in more and "only about" in more


def test_groups_that_give_a_value_away_are_said_to() -> None:
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("a", "b")) for n in ("sex", "ill"))
    telling = sdc.Histogram(np.array([5, 0, 0, 5]), sdc.Domain(features))
    chosen = sdc.mechanism("k-anonymity", k=5, quasi_identifiers=("sex",))
    said = diversity_sentence(chosen.diversity(telling, "ill"))
    assert "gives the value away" in said and "50%" in said
    mixed = sdc.Histogram(np.array([3, 2, 2, 3]), sdc.Domain(features))
    said = diversity_sentence(chosen.diversity(mixed, "ill"))
    assert "at least 2 values" in said


@pytest.mark.parametrize(
    ("names", "most", "text"),
    [
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c", "d"], 4, "a, b, c and d"),
        (["a", "b", "c", "d", "e"], 4, "a, b, c and 2 more"),
    ],
)
def test_lists_read_as_people_write_them(names: list[str], most: int | None, text: str) -> None:
    assert words.listed(names, most) == text


def test_titles_and_differences_inside_a_sentence() -> None:
    assert words.lowered("Housing tenure") == "housing tenure"
    assert words.lowered("PUMA") == "PUMA"
    found = [words.points(x) for x in (0.01, 0.0043, -0.1)]
    assert found == ["1 point", "0.4 points", "−10 points"]

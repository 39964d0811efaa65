"""Words that all questions share: numbers with the digits a reader can use, lists as people write
them, and what a guarantee or an evaluation comes to."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

import sdc_core as sdc
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.evaluations import precision_sentence, precision_text
from sdc_core.words.guarantees import (
    delta_text,
    delta_words,
    guarantee_chip,
    promise_sentence,
    promise_text,
    published_text,
)
from sdc_core.words.numbers import (
    listed,
    lowered,
    odds_factor,
    percent,
    points,
    sensible,
    signed_text,
    size_text,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (763.4, "763"), (12345.6, "12,346"), (20.0, "20"), (4.2, "4.2"), (1.0, "1"),
        (0.36, "0.36"), (0.0174, "0.017"), (0.0998, "0.1"), (0.05, "0.05"), (14.25, "14.2"),
        (3.04e-4, "3e-4"), (-3.04e-4, "−3e-4"), (-2.5, "−2.5"), (99.99, "100"), (9.994, "9.99"),
        (9.996, "10"), (math.inf, "∞"), (-math.inf, "−∞"), (6.0184e-11, "6e-11"), (0.001, "0.001"),
    ],
)
def test_sensible_digits(number: float, text: str) -> None:
    assert sensible(number) == text


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.5314, None, "53.1%"), (0.0036, None, "0.36%"), (0.5314, 0, "53%"), (0.5314, 1, "53.1%"),
        (0.004, 0, "0.4%"), (0.996, 0, "99.6%"), (0.0, 0, "0%"), (1.0, 0, "100%"),
        (0.0, 1, "0.0%"), (0.00004, 1, "0.0%"), (math.nan, 0, "–"), (math.nan, None, "–"),
    ],
)
def test_shares_in_per_cent(share: float, decimals: int | None, text: str) -> None:
    """Whole per cents do not say that nothing or everything is left where something is."""
    assert percent(share, decimals) == text


@pytest.mark.parametrize(
    ("value", "size", "signed"),
    [
        (0.0, "0", "0"), (-0.004, "0", "0"), (0.004, "0", "0"), (1.5, "1.5", "+1.5"),
        (-1.25, "−1.25", "−1.25"), (9.994, "9.99", "+9.99"), (9.996, "10", "+10"),
        (12.6, "13", "+13"), (-1234.4, "−1,234", "−1,234"),
    ],
)
def test_sizes_on_a_map(value: float, size: str, signed: str) -> None:
    assert (size_text(value), signed_text(value)) == (size, signed)


def test_odds_titles_and_differences_inside_a_sentence() -> None:
    assert [odds_factor(e) for e in (0.1, 0.4, 0.41, 1, 4)] == [
        "10.5%", "49.2%", "a factor of 1.51", "a factor of 2.72", "a factor of 54.6"]
    assert [lowered(t) for t in ("Housing tenure", "PUMA", "x", "")] == [
        "housing tenure", "PUMA", "x", ""]
    assert [points(x) for x in (0.01, 0.0043, -0.1, 0)] == [
        "1 point", "0.4 points", "−10 points", "0 points"]


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
    assert listed(names, most) == text


# ---------------------------------------------------------------- guarantees


def promised(
    epsilon: float | None, published: float | None, tight: float, *invariants: str
) -> Guarantee:
    return Guarantee.of_delta(epsilon, published, tight, neighbours="", invariants=invariants,
                              citation="", remark="")


PURE = promised(1.0, 0.0, 0.0)
RARE = promised(0.4, 1e-4, 3e-5)
SHAKY = promised(2.0, 0.3, 0.25)
PART = promised(1.0, None, 0.0, "counts by place")
EMPTY = Guarantee.of_log_rest(1.0, math.log(0.00062), math.log(0.00102), neighbours="",
                              invariants=(), citation="", remark="")
BROKEN = promised(1.0, 0.9, 1.0)
NOTHING = promised(None, None, 1.0)
CONSTANT = promised(None, None, 0.0)


@pytest.mark.parametrize(
    ("log_rest", "text"),
    [
        (0.0, "0"), (math.log(1 - 0.36), "0.36"), (math.log(1 - 0.985), "0.98"),
        (math.log(0.0062), "0.9938"), (math.log(0.00062), "0.9994"),
        (math.log(1e-7), "1 − 1e-7"), (math.log(9.7e-8), "1 − 1e-7"), (-511.386, "1 − 8e-223"),
        (-math.inf, "1"),
    ],
)
def test_delta_keeps_its_distance_from_one(log_rest: float, text: str) -> None:
    assert delta_text(-math.expm1(log_rest), log_rest) == text


@pytest.mark.parametrize(
    ("guarantee", "chip", "tone", "short", "bar"),
    [
        (PURE, "ε = 1, δ = 0", "strong", "0", "0 at ε=1"),
        (RARE, "ε = 0.4, δ = 3e-5", "strong", "3e-5", "3e-5 at ε=0.4"),
        (SHAKY, "ε = 2, δ = 0.25", "weak", "0.25", "0.25 at ε=2"),
        (PART, "ε = 1, δ = 0, in part", "weak", "0", "0 at ε=1, in part"),
        (EMPTY, "ε = 1, δ = 0.9990", "weak", "0.9990", "0.9990 at ε=1"),
        (BROKEN, "Bound fails: δ = 1", "broken", "1", "1 at ε=1"),
        (NOTHING, "No formal guarantee", "none", "1", "1"),
        (CONSTANT, "Reveals nothing", "none", "0", "0"),
    ],
)
def test_a_guarantee_in_a_few_words(
    guarantee: Guarantee, chip: str, tone: str, short: str, bar: str
) -> None:
    assert guarantee_chip(guarantee).text == chip
    assert guarantee_chip(guarantee).tone == tone
    assert delta_words(guarantee) == short and promise_text(guarantee) == bar


def test_a_delta_next_to_one_is_called_so() -> None:
    near = Guarantee.of_log_rest(1.0, None, math.log(1e-9), neighbours="", invariants=(),
                                 citation="", remark="")
    assert delta_words(near) == "almost 1" and promise_text(near) == "almost 1 at ε=1"
    assert delta_words(NOTHING) == "1"  # nothing is promised: not almost


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (PURE, "X lets the odds of any outcome move by at most a factor of 2.72 when one person's "
         "record changes, always."),
        (RARE, "at most 49.2% when one person's record changes, except with probability 3e-5."),
        (SHAKY, "at most a factor of 7.39 when one person's record changes, except with "
         "probability 0.25."),
        (PART, "only between tables that agree on the counts it leaves untouched; about those it "
         "promises nothing."),
        (EMPTY, "for some people that promise fails with probability 0.9990: it is a promise in "
         "name only."),
        (NOTHING, "X promises nothing: whoever knows everybody else"),
        (BROKEN, "X promises nothing: whoever knows everybody else"),
        (CONSTANT, "X publishes the same table whatever the data, so it reveals nothing."),
    ],
)
def test_what_a_promise_means(guarantee: Guarantee, said: str) -> None:
    assert said in promise_sentence("X", guarantee)


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (SHAKY, "Published δ = 0.3, true δ = 0.25: the published bound holds."),
        (BROKEN, "Published δ = 0.9, true δ = 1: the published bound does not hold."),
        (EMPTY, "Published δ = 0.9994, true δ = 0.9990: the published bound holds."),
        (PART, "No paper claims a δ; the true δ is 0."),
    ],
)
def test_published_and_true_beside_each_other(guarantee: Guarantee, said: str) -> None:
    assert published_text(guarantee) == said


# ---------------------------------------------------------------- evaluations


def test_how_numbers_came_about() -> None:
    counts = [0, 3, 12]
    exact = sdc.evaluate(sdc.mechanism("laplace"), counts)
    forty: Any = sdc.evaluate(sdc.mechanism("laplace"), counts, 40, simulate=True)
    twenty = dataclasses.replace(forty, repetitions=20)
    assert (precision_text(exact), precision_text(forty)) == ("exact", "mean of 40 releases")
    assert precision_sentence([exact, exact], 7) == "Numbers are exact, not simulated."
    assert precision_sentence([forty], 3).startswith(
        "Numbers are means over 40 releases (seed 3), ± one standard error.")
    assert precision_sentence([exact, forty], 3).startswith(
        "Numbers are exact; those with ± are means over 40 releases (seed 3),")
    assert "means over 20 or 40 releases" in precision_sentence([forty, twenty], 3)

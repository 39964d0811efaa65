"""Words that all questions share: numbers with the digits a reader can use, lists as people write
them, and what a guarantee or an evaluation comes to."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

import sdc_core as sdc
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.chance import at_most, differ, none_in, times
from sdc_core.words.conventions import (
    empty_groups_clause,
    former_clause,
    share_aside,
    share_clause,
)
from sdc_core.words.evaluations import (
    precision_sentence,
    precision_text,
    releases_text,
    too_large_sentence,
    with_error,
)
from sdc_core.words.groups import people_text, sized, who_is_counted
from sdc_core.words.guarantees import (
    because_sentence,
    delta_text,
    delta_words,
    deltas_text,
    exceeds_sentence,
    exceeds_text,
    guarantee_chip,
    means_something,
    no_limit,
    outside_sentences,
    promise_sentence,
    promise_text,
    promise_word,
    published_text,
)
from sdc_core.words.numbers import (
    at_the_start,
    counted,
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
    assert math.exp(13.8) < 1e6 < math.exp(13.9)
    assert [odds_factor(e) for e in (13.8, 13.9, 21, 30, 35, 100, 99 * math.log(10))] == [
        "a factor of 984,609", "a factor of 1.09 million", "a factor of 1.32 billion",
        "a factor of 10.7 trillion", "a factor of 2 × 10¹⁵", "a factor of 3 × 10⁴³",
        "a factor of 10⁹⁹"]
    assert odds_factor(5000) == "a factor of 3 × 10²¹⁷¹" and odds_factor(math.inf) == "any factor"
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
    epsilon: float | None, published: float | None, tight: float, *invariants: str, **more: Any
) -> Guarantee:
    more = {"records": 1000, **more}
    return Guarantee.of_delta(epsilon, published, tight, neighbours="", invariants=invariants,
                              citation="", remark="", **more)


PURE = promised(1.0, 0.0, 0.0)
RARE = promised(0.4, 1e-4, 3e-5)
SHAKY = promised(2.0, 0.3, 0.25)
PART = promised(1.0, None, 0.0, "counts by place")
EMPTY = Guarantee.of_log_rest(1.0, math.log(0.00062), math.log(0.00102), neighbours="",
                              invariants=(), citation="", remark="")
BROKEN = promised(1.0, 0.9, 1.0)
HALF_BROKEN = promised(2.0, 0.2, 0.25)
NOTHING = promised(None, None, 1.0)
CONSTANT = promised(None, None, 0.0)
NOISY = promised(1.0, 0.132, 1.07e-4, log_within=math.log1p(-1.01e-3))
PERMUTED = promised(5.9, 0.0, 0.0, "counts by place", distance=2)
CENSUS = promised(1.0, 1e-6, 1e-6, "counts by place", log_within=math.log1p(-2e-5))
BOUND = promised(1.0, 0.9, 0.63, is_bound=True)
ABOVE = promised(1.0, 0.3, 0.63, is_bound=True)
HUGE = promised(100.0, 0.0, 0.0)
RACES = "which values of race occur"
SEEN = promised(1.0, 0.0, 0.0, RACES, read_off=(RACES,))
MANY = "which values of place, race and sex occur"
BOTH = promised(1.0, 0.0, 0.0, "counts by place", RACES, "the largest count, 40",
                read_off=(RACES, "the largest count, 40"))
NOT_LARGER = promised(1.0, 0.0, 0.0, "the largest count, 40", read_off=("the largest count, 40",),
                      if_none_larger=True)
BOTH_SEEN = promised(1.0, 0.0, 0.0, RACES, "the largest count, 40",
                     read_off=(RACES, "the largest count, 40"), if_none_larger=True)


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
        (promised(1.0, None, 1.0), "No formal guarantee", "none", "1", "1 at ε=1"),
        (CONSTANT, "Reveals nothing", "none", "0", "0"),
        (NOISY, "ε = 1, δ = 1e-4", "strong", "1e-4", "1e-4 at ε=1"),
        (dataclasses.replace(NOISY, records=10_000), "ε = 1, δ = 1e-4", "weak", "1e-4",
         "1e-4 at ε=1"),
        (PERMUTED, "ε = 2 × 5.9, δ = 0, in part", "weak", "0", "0 at ε=2 × 5.9, in part"),
        (BOUND, "ε = 1, δ ≤ 0.63", "weak", "0.63", "at most 0.63 at ε=1"),
        (ABOVE, "ε = 1, δ ≤ 0.63", "weak", "0.63", "at most 0.63 at ε=1"),
        (HUGE, "ε = 100, δ = 0", "weak", "0", "0 at ε=100"),
        (SEEN, "ε = 1, δ = 0, values as seen", "weak", "0", "0 at ε=1, values as seen"),
        (BOTH, "ε = 1, δ = 0, in part", "weak", "0", "0 at ε=1, in part"),
        (NOT_LARGER, "ε = 1, δ = 0, counts as seen", "weak", "0", "0 at ε=1, counts as seen"),
        (BOTH_SEEN, "ε = 1, δ = 0, counts as seen", "weak", "0", "0 at ε=1, counts as seen"),
    ],
)
def test_a_guarantee_in_a_few_words(
    guarantee: Guarantee, chip: str, tone: str, short: str, bar: str
) -> None:
    assert guarantee_chip(guarantee).text == chip
    assert guarantee_chip(guarantee).tone == tone
    assert delta_words(guarantee) == short and promise_text(guarantee) == bar


@pytest.mark.parametrize(
    ("word", "guarantees"),
    [
        ("holds", (PURE, RARE, NOISY, CONSTANT, promised(1.0, None, 0.99 / 1000))),
        ("holds in part", (PART, PERMUTED, SEEN, BOTH)),
        ("too slack", (SHAKY, dataclasses.replace(NOISY, records=10_000),
                       *(promised(1.0, None, delta) for delta in (1 / 1000, 0.25, 0.5)),
                       promised(1.0, None, 0.25, "counts by place"))),
        ("nearly empty", (EMPTY, BOUND, ABOVE, HUGE, NOT_LARGER, BOTH_SEEN)),
        ("broken", (BROKEN,)),
        ("none", (NOTHING, promised(1.0, None, 1.0))),
    ],
)
def test_a_promise_in_a_word(word: str, guarantees: tuple[Guarantee, ...]) -> None:
    assert [promise_word(one) for one in guarantees] == [word] * len(guarantees)


@pytest.mark.parametrize(
    ("words", "said"),
    [("hiding small counts (k = 6)", "Hiding small counts (k = 6)"), ("a", "a"), ("", ""),
     ("k-anonymity", "k-anonymity"), ("ε = 1", "ε = 1"), ("5 of 7", "5 of 7")],
)
def test_what_begins_a_sentence(words: str, said: str) -> None:
    assert at_the_start(words) == said


def test_a_delta_next_to_one_is_called_so() -> None:
    near = Guarantee.of_log_rest(1.0, None, math.log(1e-9), neighbours="", invariants=(),
                                 citation="", remark="")
    assert delta_words(near) == "almost 1" and promise_text(near) == "almost 1 at ε=1"
    assert delta_words(NOTHING) == "1"  # nothing is promised: not almost


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (PURE, "X lets the chance of any outcome move by at most a factor of 2.72 when one "
         "person's record changes, always."),
        (RARE, "X keeps odds within 49.2% when one person's record changes, with a slack of δ = "
         "3e-5."),
        (SHAKY, "X keeps odds within a factor of 7.39 when one person's record changes, with a "
         "slack of δ = 0.25. That slack is not below one over the 1,000 people: too much to "
         "rely on."),
        (dataclasses.replace(RARE, records=None), "with a slack of δ = 3e-5. That slack is not "
         "below one over a million people, if there are so many: too much to rely on."),
        (NOISY, "a factor of 2.72 when one person's record changes, with a slack of δ = 1e-4; in "
         "the worst tables they move further with a chance of 0.001."),
        (dataclasses.replace(NOISY, as_drawn=True), "with a chance of 0.001 for the noisy "
         "counts, and what is made of them can make it larger."),
        (dataclasses.replace(NOISY, records=10_000), "one over the 10,000 people: too much"),
        (PERMUTED, f"at most a factor of {math.exp(11.8):,.0f} between the nearest tables it "
         "compares, in which 2 records differ: 2ε = 11.8 (δ = 0), but only between tables"),
        (CENSUS, "with a slack of δ = 1e-6; in the worst tables they move further with a "
         "chance of 2e-5, but only between tables that agree"),
        (BOUND, "with a slack of at most δ = 0.63. No smaller slack is known, and with so much it "
         "is a promise in name only."),
        (HUGE, "at most a factor of 3 × 10⁴³ when one person's record changes, always. So large a "
         "factor limits nothing in practice."),
        (SEEN, "when one person's record changes (δ = 0). But which values of race occur is read "
         "off the data and published as it is: one person alone can change that, and be seen"),
        (promised(1.0, 0.0, 0.0, MANY, read_off=(MANY,)), f"But {MANY} is read off the data and "
         "published as it is: one person alone"),
        (BOTH, "about those it promises nothing. But which values of race occur is read off the "
         "data and published as it is: one person alone can change that, and be seen by it. The "
         "printed δ is for the largest count, 40, which is read off the data."),
        (NOT_LARGER, "record changes (δ = 0). But the largest count, 40, is read off the data: one "
         "more person can make a larger one, about which this says nothing. So it is a promise to "
         "nobody."),
        (BOTH_SEEN, "and be seen by it. And the largest count, 40, is read off the data: one more "
         "person can make a larger one"),
        (PART, "only between tables that agree on the counts it leaves untouched; about those it "
         "promises nothing."),
        (EMPTY, "with a slack of δ = 0.9990. With so much slack it is a promise in name only."),
        (NOTHING, "X promises nothing: whoever knows everybody else"),
        (BROKEN, "X breaks its published promise (ε = 1 with δ = 0.9) and so promises nothing: "
         "whoever knows everybody else"),
        (HALF_BROKEN, "too much to rely on. It breaks its published promise: ε = 2 with δ = 0.2 is "
         "too small a δ."),
        (CONSTANT, "X publishes the same table whatever the data, so it reveals nothing."),
    ],
)
def test_what_a_promise_means(guarantee: Guarantee, said: str) -> None:
    assert said in promise_sentence("X", guarantee)
    if guarantee.delta_tight:  # there are outcomes whose odds move further
        assert "any outcome" not in promise_sentence("X", guarantee)


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (SHAKY, "Published δ = 0.3, true δ = 0.25: the published bound holds."),
        (BROKEN, "Published δ = 0.9, true δ = 1: the published bound does not hold."),
        (EMPTY, "Published δ = 0.9994, true δ = 0.9990: the published bound holds."),
        (PART, "No paper claims a δ; the true δ is 0."),
        (BOUND, "Published δ = 0.9, true δ at most 0.63 (upper bound): the published bound holds."),
        (ABOVE, "Published δ = 0.3, true δ at most 0.63 (upper bound): whether the published bound "
         "holds is not known."),
        (promised(1.0, None, 0.63, is_bound=True),
         "No paper claims a δ; the true δ is at most 0.63."),
        (promised(1.0, 0.9364, 0.9381), "Published δ = 0.936, true δ = 0.938: the published bound "
         "does not hold."),
        (promised(1.0, 0.3101, 0.31012), "Published δ = 0.31010, true δ = 0.31012: the published "
         "bound does not hold."),
    ],
)
def test_published_and_true_beside_each_other(guarantee: Guarantee, said: str) -> None:
    assert published_text(guarantee) == said


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (PURE, "The odds never move by more than e^ε: Pr[loss > ε] = 0."),
        (PART, "Among data that agree in what is published exactly, the odds never move by more "
         "than e^ε: Pr[loss > ε] = 0."),
        (SEEN, "Among data that agree in what is published exactly, the odds never move by more "
         "than e^ε: Pr[loss > ε] = 0."),
        (PERMUTED, "Between the nearest tables it compares, in which 2 records differ, the odds "
         "never move by more than e^(2ε): Pr[loss > 2ε] = 0."),
        (NOISY, "In the worst tables the odds move by more than e^ε with a chance of 0.001: "
         "Pr[loss > ε]."),
        (CENSUS, "In the worst tables, of those that agree in what is published exactly, the odds "
         "move by more than e^ε with a chance of 2e-5: Pr[loss > ε]."),
        (NOTHING, "In the worst tables the odds move by more than e^ε with a chance of 1: "
         "Pr[loss > ε]."),
        (BOUND, "How often the odds move by more than e^ε is not known."),
        (CONSTANT, "What is published does not hang on anybody's record, so no odds ever move."),
    ],
)
def test_how_often_the_odds_move_further(guarantee: Guarantee, said: str) -> None:
    assert exceeds_sentence(guarantee) == said


NEAR = Guarantee.of_log_rest(1.0, None, -511.4, neighbours="", invariants=(), citation="",
                             remark="")  # 1 − δ is 8e-223


@pytest.mark.parametrize(
    ("best", "worst", "said"),
    [
        (NOTHING, PURE, "X hides small counts, and promises nothing."),
        (dataclasses.replace(NOTHING, invariants=("every 0",)), PURE,
         "X publishes every 0 exactly, and promises nothing."),
        (NEAR, PURE, "X hides small counts, and its promise is nearly empty (δ is almost 1)."),
        (BOUND, PURE, "X hides small counts, and its promise is nearly empty (δ is at most 0.63)."),
        (HUGE, PURE, "X hides small counts, and its promise limits nothing in practice (a factor "
         "of 3 × 10⁴³)."),
        (PURE, NOTHING, ""), (PURE, PURE, ""), (RARE, PURE, ""),
        (NOTHING, NEAR, ""), (NEAR, BROKEN, ""), (NOTHING, HUGE, ""),  # neither is one
    ],
)
def test_a_promise_that_is_nearly_empty_is_not_one(
    best: Guarantee, worst: Guarantee, said: str
) -> None:
    assert because_sentence("X", "hides small counts", best, worst) == said
    assert means_something(best) is (best in (PURE, RARE))


def test_the_same_epsilon_with_two_slacks_is_told_apart() -> None:
    names = ["A", "B"]
    assert deltas_text(names, [PURE, NEAR]) == "with δ = 0 for A and almost 1 for B"
    assert deltas_text(names, [PURE, BOUND]) == "with δ = 0 for A and at most 0.63 for B"
    assert deltas_text(names, [PURE, PART]) == "with δ = 0 for A and 0 (in part) for B"
    assert deltas_text(names, [PURE, PURE]) == "" == deltas_text(names, [SEEN, PURE])


def test_who_of_two_sides_does_what_the_other_does_not() -> None:
    fill = ("fills", "fill")
    assert former_clause([True], [False], fill) == "; only the former fills"
    assert former_clause([False], [True, True], fill) == "; only the latter fill"
    assert former_clause([True, True], [False], fill) == "; only the former fill"
    assert former_clause([True], [True], fill) == "" == former_clause([False], [False], fill)
    assert former_clause([True, False], [False], fill) is None
    assert share_aside(0.632) == ", keeping 63% of the records," and share_aside(1.0) == ""


def test_what_a_promise_leaves_out_is_a_sentence_each() -> None:
    assert outside_sentences(BOTH) == [
        "Published as it is, without protection: counts by place.",
        "Published as it is, without protection: which values of race occur.",
        "Read off the data, not declared: the largest count, 40."]
    assert outside_sentences(PURE) == []
    seen = promised(None, None, 0.0, RACES, read_off=(RACES,))
    assert promise_sentence("X", seen).startswith(
        "X publishes the same table whatever the data, so it reveals nothing else. But which "
        "values of race occur is read off the data")
    assert because_sentence("X", "hides small counts", NOT_LARGER, PURE) == (
        "X hides small counts, and promises nothing once a count grows beyond the largest of the "
        "data.")
    assert exceeds_text(BOUND) == "not known" and exceeds_text(NOISY) == "0.001"
    assert "can, in some cases, tell for sure what one person's record says" in (
        promise_sentence("X", NOTHING))


def test_who_is_counted_is_said_of_records_and_people() -> None:
    twin = sdc.load_dataset("ma2019-twin")
    plain = sdc.Study(twin, ["SEX"]).table
    told = sdc.Study(twin, ["SEX"], counted_as="represented").table
    stand_for = twin.records["PWGTP"].sum()
    assert who_is_counted(plain, "PWGTP") == (
        f"{len(twin.records):,} people counted, without survey weights,")
    assert who_is_counted(plain, None) == f"{len(twin.records):,} people"
    assert who_is_counted(told, "PWGTP") == (
        f"{len(twin.records):,} records, which stand for {stand_for:,.0f} people,")
    assert (people_text(1, True), people_text(2.5, True), people_text(3)) == (
        "1 person represented", "2.5 people represented", "3 people")


def test_conventions_that_differ_are_a_clause() -> None:
    puts = ("puts", "put")
    assert empty_groups_clause(["A", "B"], ["C"], puts) == "; A and B put, C leaves those at 0"
    assert empty_groups_clause(["A"], ["B", "C"], puts) == "; A puts, B and C leave those at 0"
    assert empty_groups_clause(["A"], [], puts) == "" == empty_groups_clause([], ["B"], puts)
    assert share_clause([("A", 0.632), ("B", 1.0), ("C", 0.996)]) == (
        "; A publishes 63% of the records, not scaled up")
    assert share_clause([("A", 1.0)]) == ""


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1 person"), (1.0, "1 person"), (0.999, "1 person"), (0, "0 people"), (2, "2 people"),
     (0.5, "0.5 people"), (7634, "7,634 people"), ("1 ± 0.2", "1 ± 0.2 people")],
)
def test_one_is_not_many(number: Any, text: str) -> None:
    assert counted(number) == text
    assert counted(1, "group", "groups") == "1 group" and counted(3, "group", "groups") == (
        "3 groups")
    assert sized("men", 1) == "men (1 person)" and sized("men (old)", 2) == "men (old; 2 people)"


# ---------------------------------------------------------------- evaluations


def test_how_numbers_came_about() -> None:
    counts = [0, 3, 12]
    noise = sdc.mechanism("laplace")
    exact = sdc.evaluate(noise, counts)
    forty: Any = sdc.evaluate(noise, counts, 40, simulate=True)
    twenty = sdc.evaluate(sdc.mechanism("geometric"), counts, 20, simulate=True)
    assert (precision_text(exact), precision_text(forty)) == ("exact", "mean of 40 releases")
    assert precision_sentence([exact, exact], 7) == "Numbers are exact, not simulated."
    assert too_large_sentence([exact, forty]) == (
        "Averages of so few releases are still noisy, which makes their systematic error, "
        "unfairness and largest variance come out too large.")
    assert precision_sentence([forty], 3) == (
        "Numbers are means over 40 releases (seed 3), ± one standard error.")
    assert precision_sentence([exact, forty], 3).startswith(
        "Numbers are exact; those with ± are means over 40 releases (seed 3),")
    # each method with its own number of releases
    for same in ([forty, twenty, exact], [forty, forty, twenty, exact]):
        assert precision_sentence(same, 3) == (
            "Numbers are exact; those with ± are means over releases (seed 3), ± one standard "
            "error: 40 of adding noise (ε = 1) and 20 of adding whole-number noise (ε = 1).")


def test_only_what_is_noisy_is_called_so() -> None:
    hiding = sdc.evaluate(sdc.mechanism("suppression"), [0, 3, 12], 40, simulate=True)
    assert too_large_sentence([hiding]) == ""  # always the same
    table = sdc.load_dataset("ma2019-twin").histogram(["SEX", "RAC1P", "OWN_RENT"])
    swapped = sdc.mechanism("permutation-swapping", match=("SEX",), swap=("RAC1P",))
    known = sdc.evaluate(swapped, table, 40)  # its mean is exact, its spread is not
    assert known.l1_bias_se == 0 < known.max_variance_se
    assert too_large_sentence([known]).endswith(
        "which makes their largest variance come out too large.")


def test_a_number_and_its_error() -> None:
    assert with_error(164.0, 0.0) == "164" and with_error(390.4, 1.876) == "390 ± 1.88"
    assert with_error(164.0, math.inf) == "164"  # one release
    assert with_error(0.031, 0.001, percent) == "3.1% ± 0.1%"
    assert (releases_text(1), releases_text(2000)) == ("one release", "2,000 releases")


# ---------------------------------------------------------------- chance


@pytest.mark.parametrize(
    ("a", "error_a", "b", "error_b", "told"),
    [
        (2.0, 0.0, 2.0, 0.0, False), (2.0, 0.0, 2.0001, 0.0, True),
        (10.0, 3.0, 20.0, 4.0, False),  # two standard errors of the difference are 10
        (10.0, 3.0, 20.1, 4.0, True), (20.1, 4.0, 10.0, 3.0, True), (0.0, 1.0, 1.9, 0.0, False),
    ],
)
def test_what_may_be_ranked(
    a: float, error_a: float, b: float, error_b: float, told: bool
) -> None:
    assert differ(a, error_a, b, error_b) is told


@pytest.mark.parametrize("releases", [3, 20, 200])
def test_what_zero_of_n_excludes(releases: int) -> None:
    """With that chance a release, none of n is seen in about one case of twenty."""
    chance = at_most(releases)
    assert chance == pytest.approx(3 / releases)
    assert 0.95 <= 1 - (1 - chance) ** releases <= 1
    assert at_most(1) == at_most(2) == 1


def test_none_of_n_in_words() -> None:
    assert none_in(200) == "in 200 releases (any in at most 1.5% of releases)"
    assert none_in(1_000) == "in 1,000 releases (any in at most 0.3% of releases)"
    assert none_in(1) == "in one release, which says little about others"
    assert none_in(3) == "in 3 releases, too few to say how often"  # 3 of 3 excludes nothing


@pytest.mark.parametrize(("larger", "error_larger", "smaller", "error_smaller", "said"), [
    (10.0, 0.0, 4.0, 0.0, "2.5"), (10.0, 0.0, 10.0, 0.0, ""), (10.0, 0.0, 9.5, 0.0, ""),
    (10.0, 0.0, 0.0, 0.0, ""), (0.0, 0.0, 0.0, 0.0, ""),
    (3.0, 0.0, 2.4e-8, 0.0, ""),  # written 2e-8: a reader would divide by another number
    (3.0, 0.0, 0.0024, 0.0, ""), (3.0, 0.0, 0.00204, 0.0, "1,471"),
    (10.0, 1.0, 8.0, 1.0, ""),  # chance
    (10.0, 0.2, 4.0, 0.1, "2.5"), (10.1, 0.2, 4.0, 0.1, "2.5"),  # 2.525: two digits are known
    (10.0, 0.2, 0.01, 0.01, ""),  # 1,000 times, or infinitely many
    (10.0, 2.0, 2.0, 0.1, ""),
])
def test_a_ratio_of_what_is_known_and_can_be_read(
    larger: float, error_larger: float, smaller: float, error_smaller: float, said: str
) -> None:
    assert times(larger, error_larger, smaller, error_smaller) == said


def test_a_ratio_is_that_of_the_numbers_as_they_are_written() -> None:
    def tenths(number: float) -> str:
        return f"{number:.1f}"

    assert times(13.2, 0.0, 0.01, 0.0, tenths) == ""  # written 0.0
    assert times(1.04, 0.0, 0.26, 0.0, tenths) == ""  # 4 times, but 1.0 is 3.3 times 0.3
    assert times(8.0, 0.0, 2.0, 0.0, tenths) == "4"


@pytest.mark.parametrize(("epsilon", "distance", "wide"), [
    (8.0, 1, False), (8.0, 2, True),  # e^8 is 3,000, but the nearest tables are two steps apart
    (13.8, 1, False), (13.9, 1, True), (6.9, 2, False), (6.95, 2, True),  # ln 1,000,000 = 13.816
])
def test_a_promise_is_too_wide_by_what_it_lets_the_nearest_tables_do(
    epsilon: float, distance: int, wide: bool
) -> None:
    promise = dataclasses.replace(PERMUTED, epsilon=epsilon, distance=distance)
    assert no_limit(promise) is wide
    assert ("limits nothing in practice" in promise_sentence("It", promise)) is wide

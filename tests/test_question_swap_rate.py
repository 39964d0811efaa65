"""Swap rate and ε: what the answer says, shows and lists, read back against plain formulas.

Closed forms of the published theorem, with odds o = p / (1 - p): ln(b + 1) - ln o, from p = 1/2 on
the larger of that and ln o; the least is half of ln(b + 1).
"""

from __future__ import annotations

import colorsys
import contextlib
import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.privacy.published_swap_tables import CENSUS_2020
from sdc_core.privacy.swap_rate import (
    LargestStratum,
    epsilon_to_swap_rates,
    swap_rate_to_epsilon,
)
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import Given, Question
from sdc_core.questions.swap_rate import QUESTION, published
from sdc_core.questions.swap_rate.words import (
    rate_text,
    swap_rate_sentences,
    wanted_sentence,
)
from sdc_core.questions.swapping_changes import QUESTION as SWAPPING_CHANGES
from sdc_core.words.numbers import Sentences
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("match", "swap_variable", "rate", "wanted"),
    columns={
        "swap-rate": (
            "what", "stratum size", "swap rate", "epsilon, theorem", "epsilon, exact worst case",
        ),
    },
)

PAGE = "../pages/swap_rate.py"
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
SIZES = (2, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)

# 12 people in Uptown and 18 in Downtown, 13 of whom rent; 9 of these are men.
COUNTS = {
    ("Uptown", "male"): (5, 1, 0), ("Uptown", "female"): (2, 2, 2),
    ("Downtown", "male"): (3, 9, 0), ("Downtown", "female"): (1, 4, 1),
}
PEOPLE = pd.DataFrame(
    [
        (place, sex, tenure)
        for (place, sex), numbers in COUNTS.items()
        for tenure, number in zip(("owning", "renting", "other"), numbers, strict=True)
        for _ in range(number)
    ],
    columns=["Place", "Sex", "Tenure"],
)


def asked(people: pd.DataFrame = PEOPLE, **controls: Any) -> Answer:
    return sdc.ask("swap_rate", sdc.Study(sdc.load_dataset(people)), **controls)


def theorem(p: float, b: int) -> float:
    log_odds = math.log(p / (1 - p))
    falling = math.log(b + 1) - log_odds
    return falling if p <= 0.5 else max(falling, log_odds)


def exact(p: float, b: int) -> float:
    """The worst case for b from 4 on, with the derangements counted by inclusion and exclusion."""
    d = [
        sum((-1) ** k * math.factorial(n) // math.factorial(k) for k in range(n + 1))
        for n in range(b + 1)
    ]
    log_odds = math.log(p / (1 - p))
    return max(log_odds, math.log(d[b] / d[b - 2]) / 2 - log_odds)


def place(p: float) -> float:
    """Where a swap rate stands on the axis."""
    return math.log10(p / (1 - p))


def rate_at(x: float) -> float:
    return 1 / (1 + 10.0**-x)


# Headline and what follows it ---------------------------------------------------------------------

def test_the_headline_has_the_largest_group_its_epsilon_and_the_least() -> None:
    found = asked(match=["Place"], rate=5, wanted=0.5)
    assert found.headline == (
        "By the theorem, swapping 5% among people with the same place means a privacy loss of ε = "
        f"{math.log(19 * 19):.2f}, and no swap rate gets below {math.log(19) / 2:.2f}."
    )
    assert (f"Exactly, ε is {exact(0.05, 18):.2f} and no swap rate gets below "
            f"{math.log(18 * 17) / 4:.2f}: the theorem is on the safe side.") in found.more
    assert "people who may exchange, which has 18 (b): Downtown. " in found.more
    assert found.first.startswith("Exchanging one person's") and ". " not in found.first
    assert "Exchanging one person's sex for another's" in found.more
    # e^(2 · 2 ln 19) = 19^4 = 130 thousand
    assert f"up to a factor of {19**4 / 1000:.0f} thousand" in found.more
    best = math.sqrt(19) / (1 + math.sqrt(19))
    tip = (18 * 17) ** 0.25  # the odds at which the exact worst case is least
    assert (
        f"ε = 0.5 is out of the theorem's reach: its least, {math.log(19) / 2:.2f}, comes from "
        f"swapping {100 * best:.1f}%. The exact worst case does not reach it either: its least, "
        f"{math.log(tip):.2f}, comes from swapping {100 * tip / (1 + tip):.1f}%."
    ) in found.more


@pytest.mark.parametrize(
    ("size", "least", "truly"), [(2, "0.55", "0"), (3, "0.69", "0.23"), (4, "0.8", "0.55")]
)
def test_in_small_groups_the_exact_minimum_is_lower_and_said(
    size: int, least: str, truly: str
) -> None:
    """0.6 at b = 3 is what the theorem cannot reach and swapping can."""
    people = pd.DataFrame({"Place": ["here"] * size + ["there"],
                           "Sex": ["m"] * (size // 2) + ["f"] * (size - size // 2 + 1),
                           "Age": ["old", "young"] * (size // 2) + ["old"] * (1 + size % 2)})
    found = asked(people, match=["Place"], swap_variable="Sex", rate=50, wanted=0.6)
    assert found.headline.endswith(f"no swap rate gets below {least}.")
    assert f"no swap rate gets below {truly}: the theorem is on the safe side." in found.more
    by_theorem, truth = math.log(size + 1), {2: 0.0, 3: math.log(2) / 2, 4: math.log(9) / 2}[size]
    truth_text = "0" if size == 2 else f"{truth:.2f}".rstrip("0")
    assert f"loss of ε = {by_theorem:.2f}".rstrip("0") in found.headline
    assert f"Exactly, ε is {truth_text} and no swap rate" in found.more
    if size == 2:
        assert "out of" not in found.more
    else:
        assert "ε = 0.6 is out of the theorem's reach" in found.more
        odds = [max(2 ** (1 / 3) / math.exp(0.6), 2 / math.exp(1.2)) if size == 3
                else 3 / math.exp(0.6), math.exp(0.6)]
        rates = " to ".join(f"{100 * o / (1 + o):.1f}%" for o in odds)
        assert (f"does reach it, for swap rates of {rates}: its least, {truly}, comes from swapping"
                in found.more)
    drawn = go.Figure(found.panel("swap-rate").figures[0].to_dict())
    ring = {t.name: t for t in drawn.data}["smallest ε of this table, exact"]
    assert ring.y[0] == pytest.approx({2: 0, 3: math.log(2) / 3, 4: math.log(9) / 4}[size])
    assert ring.x[0] == pytest.approx(ring.y[0] / math.log(10), abs=1e-9)
    thick = {t.name: t for t in drawn.data}["this table, exact worst case"]
    assert min(thick.y) == pytest.approx(ring.y[0], abs=1e-9)  # the thick line has its tip
    tag = "ε = 0.6: out of the theorem's reach"
    assert (tag in {a.text for a in drawn.layout.annotations}) is (size > 2)


def test_without_a_match_all_people_are_one_group() -> None:
    found = asked(match=[], swap_variable="Tenure", rate=50, wanted=8)
    assert "swapping 50% among all people means a privacy loss of ε = " in found.headline
    assert f"ε = {math.log(31):.2f}," in found.headline
    assert "which has 30 (b)." in found.more
    assert "one person's tenure" in found.more
    low = 31 * math.exp(-8)
    assert f"For ε = 8, swap {100 * low / (1 + low):.2f}% or {100 / (1 + math.exp(-8)):.2f}%; " \
        "any rate in between gives a smaller ε." in found.more


def test_matching_on_two_features_finds_the_largest_combination() -> None:
    older = sdc.load_dataset(PEOPLE.assign(Age=["old", "young"] * (len(PEOPLE) // 2)))
    study = sdc.Study(older, ["Place", "Sex", "Tenure", "Age"])
    found = sdc.ask("swap_rate", study, match=["Tenure", "Place"])
    assert "among people with the same tenure and place means" in found.headline
    largest = PEOPLE.groupby(["Place", "Tenure"]).size().max()
    assert f"which has {largest} (b): Downtown, renting. " in found.more


@pytest.mark.parametrize(
    ("rate", "words"), [(0.1, "0.1%"), (2.35, "2.35%"), (91, "91%"), (99.9, "99.9%")]
)
def test_the_rate_is_in_percent(rate: float, words: str) -> None:
    found = asked(rate=rate)
    epsilon = theorem(rate / 100, 18)
    assert f"swapping {words} among people" in found.headline
    assert f"loss of ε = {epsilon:.2f}," in found.headline


def test_above_one_half_epsilon_rises_again() -> None:
    """With b = 18 the arms meet at odds √19, which is 81%."""
    rates = (5, 80, 85, 99)
    said_so = [asked(rate=r).headline.split("ε = ")[1] for r in rates]
    values = [float(words.split()[0].strip(",")) for words in said_so]
    assert values == [round(theorem(r / 100, 18), 2) for r in rates]
    assert values[0] > values[1] < values[2] < values[3]


def test_people_who_are_alone_cannot_be_swapped() -> None:
    alone = pd.DataFrame({"Number": ["a", "b", "c"], "Sex": ["m", "f", "f"]})
    found = asked(alone, match=["Number"], swap_variable="Sex")
    assert found.headline.startswith(
        "No two people have the same number, so nobody can be swapped: ε is 0 although every "
        "record is released")
    assert "Here that is everything" in found.more
    assert "by number and sex, and by number." in found.more
    chart = found.panel("swap-rate").figures[0]
    own = {t.name: t for t in chart.data}["this table, exact worst case"]
    assert set(own.y) == {0}
    assert "smallest ε of this table" not in {t.name for t in chart.data}


def test_one_person_alone_has_nobody_to_exchange_with() -> None:
    headline, more = swap_rate_sentences(
        [], "Sex", ["Age"], LargestStratum(1, "everyone", 1), swap_rate_to_epsilon(0.05, 1),
        epsilon_to_swap_rates(8, 1))
    assert headline.startswith("The data have one person, so nobody can be swapped: ε is 0")
    assert "by sex, and by age." in more


@pytest.mark.parametrize("size", [1, 2, 3, 18, 500, 10**7])
@pytest.mark.parametrize("rate", [0.001, 0.05, 0.5, 0.999])
@pytest.mark.parametrize("hold", [[], ["Age"]])
def test_headlines_fit_two_lines(size: int, rate: float, hold: list[str]) -> None:
    """Long names of features too; the size of the largest group and digits beyond what a reader
    can use come after it."""
    titles = ["Housing tenure", "Income of $50,000 or more", "Place", "Marital status"]
    headline, more = swap_rate_sentences(
        titles, "Ethnicity and race", hold, LargestStratum(size, "Downtown", 4),
        swap_rate_to_epsilon(rate, size), epsilon_to_swap_rates(3, size))
    assert len(headline) <= 165, headline
    assert not re.search(r"b = |\de-\d|exactly \d", headline), headline
    assert isinstance(more, Sentences) and more.parts[0].count(". ") == 0


def test_matching_on_everything_leaves_nothing_to_exchange() -> None:
    found = asked(match=["Place", "Sex", "Tenure"])
    assert "nothing is left to exchange" in found.headline
    assert [p.name for p in found.panels] == ["published-1940", "published-2020"]


@pytest.mark.parametrize(
    ("rate", "words"),
    [(0.05, "5%"), (0.0012, "0.12%"), (0.43068, "43.1%"), (0.9, "90%"), (0.951, "95%"),
     (0.999, "99.9%"), (0.9996646, "99.97%"), (0.99999, "99.999%"), (1.0, "100%"), (0.0, "0%")],
)
def test_rates_have_digits_where_they_matter(rate: float, words: str) -> None:
    assert rate_text(rate) == words


@pytest.mark.parametrize(
    ("rate", "factor"),
    [
        (95, "a factor of 361"),  # 19², on the rising arm
        (50, "a factor of 361"),  # 19²
        (5, "a factor of 130 thousand"),  # 19⁴
        (0.5, "a factor of 14.3 million"),  # (19 · 199)²
        (0.1, "a factor of 360 million"),  # (19 · 999)²
    ],
)
def test_the_odds_of_two_units_can_be_read_aloud(rate: float, factor: str) -> None:
    said = asked(match=["Place"], rate=rate).more
    assert re.search(rf"{factor}[ .,;]", said) and "units" not in said


@pytest.mark.parametrize(
    ("size", "factor"),
    [
        (1, "is 0 although"), (99, "of 10 thousand"), (9_999, "of 100 million"),
        (49_999, "of 2.5 billion"), (1_999_999, "of 4 trillion"), (79_999_999, "of 6e15"),
        (10**12, "of 1e24"),
    ],
)
def test_large_groups_have_large_odds(size: int, factor: str) -> None:
    """At a swap rate of one half they are (b + 1)²."""
    headline, more = swap_rate_sentences(
        ["Place"], "Sex", ["Age"], LargestStratum(size, "Uptown", 1),
        swap_rate_to_epsilon(0.5, size),
        epsilon_to_swap_rates(8, size),
    )
    assert re.search(rf"{factor}[ .,;]", f"{headline} {more}")
    assert more.startswith("So large an ε limits nothing in practice: exchanging") is (
        (size + 1) ** 2 >= 1e6)


def test_where_theorem_and_truth_differ_the_odds_are_said_of_both() -> None:
    """Two people at one half: exchanged or not with equal chances, so a release says nothing."""
    def more(size: int, rate: float = 0.5) -> str:
        return swap_rate_sentences(
            ["Place"], "Sex", ["Age"], LargestStratum(size, "Uptown", 1),
            swap_rate_to_epsilon(rate, size), epsilon_to_swap_rates(8, size))[1]

    assert ("by up to a factor of 9 by the theorem; exactly it does not "
            "change at all.") in more(2)
    assert "by up to a factor of 16 by the theorem; exactly by up to a " \
        "factor of 2." in more(3)
    assert "by the theorem" not in more(10**6)


def test_a_wish_just_out_of_reach_does_not_read_like_the_least() -> None:
    size = 2_250
    least = epsilon_to_swap_rates(8, size).smallest_epsilon
    said_so = wanted_sentence(epsilon_to_swap_rates(least - 1e-5, size))
    wish = re.search(r"ε = ([\d.]+) is out", said_so)
    reach = re.search(r"least, ([\d.]+),", said_so)
    assert wish is not None and reach is not None
    assert float(wish.group(1)) < float(reach.group(1))


@pytest.mark.parametrize(("size", "wish"), [(402, 3.0), (19, 1.5), (147, 2.5), (2_979, 4.0)])
def test_two_swap_rates_never_read_as_one(size: int, wish: float) -> None:
    """ε just above the least: both rates round to the same per cent, but one is not the other."""
    odds = ((size + 1) * math.exp(-wish), math.exp(wish))
    said_so = wanted_sentence(epsilon_to_swap_rates(wish, size))
    low, high = (float(rate) for rate in re.findall(r"([\d.]+)%", said_so))
    assert low < high
    for shown, o in zip((low, high), odds, strict=True):
        assert shown == pytest.approx(100 * o / (1 + o), abs=0.5)


@pytest.mark.parametrize("rate", [5.0, 50.0, 80.0, 99.0])
def test_epsilon_is_said_to_grow_with_the_group_only_where_it_does(rate: float) -> None:
    """Twice the people: 18 and 36 in the largest place. From odds of √(2b + 1) on, ε is ln o."""
    found = asked(match=("Place",), swap_variable="Sex", rate=rate).more
    grows = theorem(rate / 100, 36) > theorem(rate / 100, 18)
    assert grows == (rate < 87)
    not_said = "At so high a rate, ε does not grow with the"
    assert ("ε grows with the largest group" in found, not_said in found) == (grows, not grows)
    assert ("who may exchange, which has 18 (b)") in found


def test_notes_on_the_chart_are_true_of_its_lines() -> None:
    """Left of a size's dot every larger size has a larger ε, right of it not."""
    notes = " ".join(a.text for a in chart().layout.annotations)
    assert "Left of the dots,<br>larger groups have a <b>larger</b> ε" in notes
    assert "Every larger ε<br>is reached by<br><b>two</b> swap rates" in notes
    for small, large in itertools.pairwise(SIZES):
        dot = math.sqrt(large + 1) / (1 + math.sqrt(large + 1))
        assert all(theorem(p, large) > theorem(p, small) for p in (0.01, 0.5, 0.999 * dot))
        high = 1 - (1 - dot) / 2
        assert theorem(high, large) == theorem(high, small)
    areas = ("state", "county", "block group")
    by_match = {row.match: row.recomputed for row in CENSUS_2020}
    for more in ("", " × household size"):  # `the wider the area …, the larger ε`
        for rate in (0.05, 0.5):
            found = [by_match[f"{area}{more}"](rate) for area in areas]
            assert found == sorted(found, reverse=True)
    assert "The wider the area within which households are exchanged, the larger ε." in (
        asked().panel("published-2020").caption)


def test_what_is_said_beside_the_chart_is_true_of_this_table() -> None:
    found = asked(match=("Place",), swap_variable="Sex")
    panel, (_, text) = found.panel("swap-rate"), found.panel("not-covered").prose
    assert panel.alt.startswith("ε against the swap rate for several sizes of the largest group. ")
    assert ("Dots are the theorem's smallest ε; in small groups the exact one, a ring, is lower."
            in panel.caption)
    drawn = curves(match=("Place",), swap_variable="Sex")
    own = drawn["this table, exact worst case"]
    assert all(y <= theorem(rate_at(x), 18) + 1e-9 for x, y in zip(own.x, own.y, strict=True))
    assert "Swapping almost everybody has a large ε too" in panel.caption
    assert own.y[-1] > min(own.y) + 1
    # matched on more, groups are smaller and ε, too; and more counts are released as they are
    finer = asked(match=("Place", "Tenure"), swap_variable="Sex")
    b = int(PEOPLE.groupby(["Place", "Tenure"]).size().max())
    assert b < 18 and theorem(0.05, b) < theorem(0.05, 18)
    assert "can make groups smaller, and with them ε, but releases more counts untouched" in text
    assert f"the largest group would have b = {b} and ε would be" in text
    assert "yet the whole table of this page would be released exactly" in text
    assert "these counts are the whole table of this page: it is released exactly" in (
        finer.panel("not-covered").prose[1])


def test_one_swap_rate_alone_gives_the_least() -> None:
    least = epsilon_to_swap_rates(0, 8).smallest_epsilon  # ln 9 / 2 = ln 3, at odds of 3
    said_so = wanted_sentence(epsilon_to_swap_rates(least, 8))
    assert said_so == "For ε = 1.1, the least there is, swap 75%."


def test_where_no_count_changes_no_epsilon_is_sold_as_one() -> None:
    """All is matched or exchanged: the release has every count of the table."""
    found = asked(match=["Place", "Tenure"], swap_variable="Sex", rate=50)
    assert found.headline == (
        "Swapping sex among people with the same place and tenure changes no count of this table: "
        "it is released exactly, whatever ε is.")
    assert found.first == f"By the theorem, ε is {math.log(14):.2f} all the same."
    assert f"Exactly, ε is {exact(0.5, 13):.2f} and" in found.more
    table = sdc.load_dataset(PEOPLE).histogram(["Place", "Sex", "Tenure"])
    swapping = sdc.mechanism("permutation-swapping", swap_rate=0.5, match=("Place", "Tenure"),
                             swap=("Sex",))
    assert (swapping.release(table, 3).counts == table.counts).all()
    assert "may" not in found.headline and "b = " not in found.headline


def test_matching_on_more_is_not_said_to_shrink_what_it_does_not() -> None:
    """With one sex in the largest place, matching on it leaves the group, and ε, as they are."""
    people = pd.DataFrame({"Place": ["a"] * 9 + ["b"], "Sex": ["f"] * 9 + ["m"],
                           "Tenure": list("oorrooroor")})
    said_so = asked(people, match=["Place"], swap_variable="Tenure", rate=5).panel("not-covered")
    assert "b = 9" in said_so.prose[1] and "can make groups smaller" in said_so.prose[1]


# What is left out ---------------------------------------------------------------------------------

def test_what_is_released_untouched_is_named() -> None:
    """The table by match and swap, and the table without the swap variable."""
    first, second = asked(match=["Place"], swap_variable="Sex").panel("not-covered").prose
    assert first.startswith(
        "Released untouched, and outside this ε: how many people there are by place and sex, and "
        "by place and tenure. "
    )
    renting_downtown = 13
    assert f"the largest group would have b = {renting_downtown} and ε would be " \
        f"{math.log(14 * 19):.2f} (exactly {exact(0.05, 13):.2f}), yet the whole table" in second
    first, _ = asked(match=[], swap_variable="Place").panel("not-covered").prose
    assert "by place, and by sex and tenure." in first


def test_finer_matching_follows_the_rate_and_what_is_exchanged() -> None:
    other = asked(match=["Place"], swap_variable="Tenure", rate=50).panel("not-covered").prose[1]
    assert f"b = 12 and ε would be {math.log(13):.2f}" in other  # the 12 men of Downtown
    all_matched = asked(match=["Place", "Tenure"], swap_variable="Sex").panel("not-covered")
    assert "these counts are the whole table" in all_matched.prose[1]
    assert "would be" not in all_matched.prose[1]


# The chart ----------------------------------------------------------------------------------------

def curves(**controls: Any) -> dict[str, Any]:
    return {t.name: t for t in chart(**controls).data}


def chart(**controls: Any) -> go.Figure:
    (drawn,) = asked(**controls).panel("swap-rate").figures
    return go.Figure(drawn.to_dict())  # validates, which the engine leaves out for speed


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)[1]


def test_thin_dotted_lines_are_the_theorem_for_each_size() -> None:
    named = curves()
    for size in SIZES:
        line = named[f"b = {size:,}"]
        assert line.line.dash == "dot" and line.mode == "lines"
        expected = [theorem(rate_at(x), size) for x in line.x]
        assert list(line.y) == pytest.approx(expected, rel=1e-9)
        assert line.x[0] == pytest.approx(place(0.001))
        assert line.x[-1] == pytest.approx(place(0.9999))
        assert list(line.x) == sorted(line.x) and len(line.x) > 100
        assert min(line.y) == pytest.approx(math.log(size + 1) / 2)  # the V has its tip
    shades = [named[f"b = {size:,}"].line.color for size in SIZES]
    assert [lightness(s) for s in shades] == sorted(map(lightness, shades), reverse=True)


def test_names_and_dots_stand_at_their_own_lines() -> None:
    named = curves()
    sizes = named["group sizes"]
    assert list(sizes.text) == ["2", "10", "100", "1k", "10k", "100k", "1M", "10M"]
    assert list(sizes.y) == pytest.approx([math.log((b + 1) * 999) for b in SIZES])
    assert all(x < place(0.001) for x in sizes.x) and sizes.textposition == "middle left"
    dots = named["smallest ε of each size"]
    assert list(dots.y) == pytest.approx([math.log(b + 1) / 2 for b in SIZES])
    assert list(dots.x) == pytest.approx([math.log10(math.sqrt(b + 1)) for b in SIZES])
    assert list(dots.marker.color) == [named[f"b = {b:,}"].line.color for b in SIZES]


def test_the_thick_line_is_the_exact_worst_case_of_this_table() -> None:
    named = curves(match=["Place"])
    thick, thin = named["this table, exact worst case"], named["this table, theorem"]
    rates = [rate_at(x) for x in thick.x]
    assert list(thick.y) == pytest.approx([exact(p, 18) for p in rates])
    assert list(thin.y) == pytest.approx([theorem(p, 18) for p in rates])
    assert thick.line.width > 2 > thin.line.width == named["b = 10"].line.width
    assert thick.line.dash is None and thin.line.dash == "dot"
    assert thick.line.color == thin.line.color
    lowest = named["smallest ε of this table"]
    assert (lowest.x[0], lowest.y[0]) == pytest.approx((math.log10(19) / 2, math.log(19) / 2))
    mark = named["this table at this rate"]
    assert (mark.x[0], mark.y[0]) == pytest.approx((place(0.05), math.log(19 * 19)))
    assert mark.marker.symbol == "diamond" and mark.marker.color == thick.line.color


def test_pointing_at_a_line_tells_size_rate_and_both_epsilons() -> None:
    named = curves(match=["Place"])
    for name, size in (("this table, exact worst case", 18), ("b = 10", 10)):
        trace = named[name]
        shown = trace.customdata[0]
        assert list(shown) == [
            str(size), "0.1%", f"{theorem(0.001, size):.2f}", f"{exact(0.001, size):.2f}"
        ]
        order = ("largest group: %{customdata[0]}", "swap rate: %{customdata[1]}",
                 "ε, theorem: %{customdata[2]}", "ε, exact worst case: %{customdata[3]}")
        assert "<br>".join(order) in trace.hovertemplate
    assert named["b = 1,000"].customdata[0][0] == "1,000"


def test_the_axes_say_what_they_are() -> None:
    drawn = chart(wanted=30)
    xs, ys = drawn.layout.xaxis, drawn.layout.yaxis
    assert xs.title.text == "Swap rate, % of the group"
    assert ys.title.text == "ε, per unit of distance"
    assert list(xs.tickvals) == pytest.approx([place(float(t) / 100) for t in xs.ticktext])
    assert {"0.1", "1", "50", "99", "99.99"} <= set(xs.ticktext)
    for trace in drawn.data:  # nothing lies outside
        assert all(ys.range[0] <= y <= ys.range[1] for y in trace.y)
        assert all(xs.range[0] <= x <= xs.range[1] for x in trace.x)


def tags(drawn: go.Figure) -> dict[str, Any]:
    return {a.text: a for a in drawn.layout.annotations}


def test_the_wanted_epsilon_is_a_line_with_the_rates_where_it_crosses() -> None:
    drawn = chart(match=["Place"], wanted=6)
    named = {t.name: t for t in drawn.data}
    assert list(named["wanted ε"].y) == [6, 6]
    low = 19 * math.exp(-6)
    rates = [low / (1 + low), 1 / (1 + math.exp(-6))]
    crossing = named["swap rates with the wanted ε"]
    assert list(crossing.x) == pytest.approx([place(p) for p in rates])
    assert list(crossing.y) == [6, 6]
    assert crossing.marker.color == named["wanted ε"].line.color
    assert crossing.marker.color != named["this table, theorem"].line.color
    words = tags(drawn)
    left, right = (words[f"<b>{t}</b>"] for t in (f"{100 * rates[0]:.1f}%", "99.8%"))
    assert (left.x, left.xanchor) == (pytest.approx(place(rates[0])), "right")
    assert (right.x, right.xanchor) == (pytest.approx(place(rates[1])), "left")
    assert left.y == right.y == 6
    middle = words["wanted: ε = 6"]
    assert middle.x == pytest.approx(sum(map(place, rates)) / 2) and middle.y == 6
    own = words[f"this table<br>5%: ε = {math.log(361):.2f}"]
    assert (own.x, own.y) == pytest.approx((place(0.05), math.log(361)))


def test_a_wanted_epsilon_that_nothing_reaches_crosses_nowhere() -> None:
    drawn = chart(match=["Place"], wanted=1.4)
    assert "ε = 1.4: out of reach" in tags(drawn)
    assert not {t.name: t for t in drawn.data}["swap rates with the wanted ε"].x
    assert "ε = 1.5: out of reach" not in tags(chart(match=["Place"], wanted=1.5))


def test_a_second_rate_beyond_the_chart_is_told() -> None:
    drawn = chart(match=["Place"], wanted=11)
    (tag,) = [a for text, a in tags(drawn).items() if text.startswith("wanted: ε = 11")]
    assert tag.text == f"wanted: ε = 11, also at {100 / (1 + math.exp(-11)):.3f}% →"
    assert tag.xanchor == "right"
    assert not {t.name: t for t in drawn.data}["swap rates with the wanted ε"].x  # 0.03%: off, too


@pytest.mark.parametrize(("rate", "side"), [(5, "left"), (99, "right")])
def test_the_tag_of_this_table_leans_into_the_chart(rate: float, side: str) -> None:
    (tag,) = [a for text, a in tags(chart(rate=rate)).items() if text.startswith("this table")]
    assert tag.xanchor == side and (tag.ax > 0) == (side == "left")


@pytest.mark.parametrize(
    ("people", "rate", "wanted"), [(1, 5, 8), (2, 99.9, 0), (2, 50, 30), (50, 50, 1), (50, 90, 12)]
)
def test_small_groups_and_ends_of_the_scales_are_drawn(
    people: int, rate: float, wanted: float
) -> None:
    table = pd.DataFrame({"Place": ["here"] * people + ["there"],
                          "Sex": ["m"] * (people // 2) + ["f"] * (people - people // 2 + 1)})
    found = asked(table, match=["Place"], rate=rate, wanted=wanted)
    drawn = go.Figure(found.panel("swap-rate").figures[0].to_dict())
    low, high = drawn.layout.yaxis.range
    assert all(low <= y <= high for trace in drawn.data for y in trace.y)
    assert f"b = {people:,}" in {t.name for t in drawn.data} or people not in SIZES
    assert "released" in found.headline  # as it is: everything is matched or exchanged


# The numbers of the chart -------------------------------------------------------------------------

def test_the_table_lists_the_choice_the_wanted_and_every_curve() -> None:
    table = asked(match=["Place"], rate=20, wanted=6).tables()["swap-rate"]
    assert list(table.columns) == [
        "what", "stratum size", "swap rate", "epsilon, theorem", "epsilon, exact worst case",
    ]
    assert list(dict.fromkeys(table["what"])) == [
        "swap rate chosen", "wanted epsilon", "this table", "example",
    ]
    first = table.iloc[0]
    assert first["swap rate"] == 0.2 and first["stratum size"] == 18
    assert first["epsilon, theorem"] == pytest.approx(math.log(19 * 4))
    assert first["epsilon, exact worst case"] == pytest.approx(exact(0.2, 18))
    wanted = table[table["what"] == "wanted epsilon"]
    assert list(wanted["epsilon, theorem"]) == pytest.approx([6, 6])
    assert wanted["swap rate"].is_monotonic_increasing and len(wanted) == 2
    own = table[table["what"] == "this table"]
    assert set(own["stratum size"]) == {18}
    assert list(own["epsilon, exact worst case"]) == pytest.approx(
        [exact(p, 18) for p in own["swap rate"]]
    )
    examples = table[table["what"] == "example"]
    assert tuple(examples["stratum size"].unique()) == SIZES
    assert list(examples["epsilon, theorem"]) == pytest.approx(
        [theorem(p, b) for p, b in zip(examples["swap rate"], examples["stratum size"],
                                       strict=True)]
    )


# The slides beside us (the numbers are typed from them) -------------------------------------------

SLIDE_1940 = {"1%": 17.08, "5%": 15.43, "10%": 14.68, "50%": 12.48}
SLIDE_2020 = [
    ("state", "county", 13_680_081, 19.38, 16.43),
    ("state × household size", "county", 3_653_802, 18.06, 15.11),
    ("county", "tract", 3_445_076, 18.00, 15.05),
    ("county × household size", "tract", 853_003, 16.60, 13.66),
    ("block group", "block", 21_535, 12.92, 9.98),
    ("block group × household size", "block", 11_691, 12.31, 9.37),
]


def test_the_1940_table_stands_beside_the_slide() -> None:
    panel = asked().panel("published-1940")
    table = panel.table
    assert table is not None
    assert dict(zip(table["Swap rate"], table["ε, slide"], strict=True)) == SLIDE_1940
    ours = [theorem(float(p[:-1]) / 100, 264_331) for p in SLIDE_1940]
    assert list(table["ε, here"]) == pytest.approx(ours, rel=1e-12)
    assert list(table["Difference"]) == pytest.approx(
        [a - b for a, b in zip(ours, SLIDE_1940.values(), strict=True)]
    )
    assert "county exchanged between households of the same state × household size" in panel.caption
    assert "the 264,331 two-person households of Massachusetts" in panel.caption


def test_the_2020_table_stands_beside_the_slide() -> None:
    panel = asked().panel("published-2020")
    table = panel.table
    assert table is not None
    printed = table[["Matched on", "Swapped", "b", "5%, slide", "50%, slide"]]
    assert list(printed.itertuples(index=False, name=None)) == SLIDE_2020
    for at, p in (("5%", 0.05), ("50%", 0.5)):
        ours = [theorem(p, b) for _, _, b, _, _ in SLIDE_2020]
        assert list(table[f"{at}, here"]) == pytest.approx(ours, rel=1e-12)
        assert list(table[f"{at}, diff."]) == pytest.approx(ours - table[f"{at}, slide"].to_numpy())
    largest = list(table["Largest group"])
    assert largest[0] == "California" and largest[3] == "LA County, 3-household"
    everywhere = [*table["5%, diff."], *table["50%, diff."],
                  *asked().tables()["published-1940"]["Difference"]]
    assert "16 of the 16 published figures come out the same to both decimals" in panel.note
    assert f"no difference is larger than {np.abs(everywhere).max():.3f}" in panel.note


@pytest.mark.parametrize("shift", [0.006, -0.006])
def test_a_figure_that_did_not_agree_would_not_be_counted(
    monkeypatch: pytest.MonkeyPatch, shift: float
) -> None:
    first, *rest = published.CENSUS_2020
    off = type(first)(first.match, first.swap, first.largest_stratum, first.stratum_size,
                      {0.05: theorem(0.05, first.stratum_size) + shift, 0.5: 16.43})
    monkeypatch.setattr(published, "CENSUS_2020", (off, *rest))
    assert "15 of the 16" in published.agreement_sentence()
    assert "larger than 0.006" in published.agreement_sentence()


def test_differences_are_written_finer_than_epsilons() -> None:
    for name in ("published-1940", "published-2020"):
        view = asked().panel(name).drawing
        for column, look in view.looks.items():
            expected = "%.3f" if "iff" in column else "localized" if column == "b" else "%.2f"
            assert look.format == expected
        numbers = view.frame.select_dtypes("number").columns
        assert set(view.looks) == set(numbers)


# The question's own controls ----------------------------------------------------------------------

def offered(people: pd.DataFrame = PEOPLE, **controls: Any) -> dict[str, str]:
    provenance = asked(people, **controls).provenance
    assert provenance is not None
    return dict(provenance.controls)


def test_the_controls_start_with_the_place_and_the_first_free_feature() -> None:
    assert offered() == {"match": "Place", "swap_variable": "Sex", "rate": "5", "wanted": "8"}
    assert offered(match=["Sex"])["swap_variable"] == "Place"
    assert "swap_variable" not in offered(match=["Place", "Sex", "Tenure"])
    renamed = PEOPLE.rename(columns={"Tenure": "PUMA"})
    assert offered(renamed)["match"] == "PUMA"


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        ({"rate": 0.05}, r"rate must be in \[0.1, 99.9\]"), ({"rate": 100}, "rate must be in"),
        ({"wanted": 31}, r"wanted must be in \[0, 30\]"), ({"wanted": -1}, "wanted must be"),
        ({"match": ["AGE"]}, "'AGE'"), ({"match": ["Sex"], "swap_variable": "Sex"}, "one of"),
    ],
)
def test_what_does_not_fit_is_refused(controls: dict[str, Any], words: str) -> None:
    with pytest.raises(sdc.InputError, match=words):
        asked(**controls)


def test_the_numbers_are_exact_and_need_no_methods() -> None:
    found = asked()
    assert found.provenance is not None and found.provenance.computed == "exact"
    assert found.provenance.methods == () and not found.waiting
    other = sdc.ask("swap_rate", sdc.Study(sdc.load_dataset(PEOPLE), seed=99))
    assert other.headline == found.headline


def test_the_rate_is_one_control_for_both_questions_about_swapping() -> None:
    """The same name and range, so that it is kept on the way from one page to the other."""
    study = sdc.Study(sdc.load_dataset(PEOPLE))

    def rate(question: Question) -> Sequence[Any]:
        given = Given(study, values={"match": ()})
        (param,) = [p for c in question.controls if (p := c.offer(given)).name == "rate"]
        return (param.low, param.high, param.default, type(param))

    assert rate(QUESTION) == rate(SWAPPING_CHANGES)


# The page -----------------------------------------------------------------------------------------

def twin_sentence(match: list[str], p: float) -> tuple[str, str, str]:
    people = sdc.load_dataset("ma2019-twin").records
    b = int(people.groupby(match).size().max())
    return (f"which has {b:,} (b)", f"ε = {theorem(p, b):.3g}", f"below {math.log(b + 1) / 2:.3g}")


def test_the_page_opens() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    for words in ("swapping 5% among people with the same place", *twin_sentence(["PUMA"], 0.05)):
        assert words in answer(app)
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe) == 2
    assert "16 of the 16 published figures" in said(app)
    assert link(app) == {**TWIN, "features": ",".join(FIVE), "seed": "7", "match": "PUMA",
                         "swap_variable": "RAC1P", "rate": "5", "wanted": "8",
                         "empty": "left", "domain": "dictionary"}


def test_a_deep_link_opens_to_the_same_page() -> None:
    wanted = {"match": "SEX,RAC1P", "swap_variable": "PUMA", "rate": "2.35", "wanted": "3.25"}
    app = opened({**TWIN, **wanted}, PAGE)
    for words in ("with the same sex and race", "2.35%", *twin_sentence(["SEX", "RAC1P"], 0.0235)):
        assert words in answer(app)
    assert "ε = 3.25 is out of reach" in answer(app)
    found = link(app)
    assert wanted.items() <= found.items()
    again = opened(found, PAGE)
    assert answer(again) == answer(app)
    assert link(again) == found


def test_what_is_changed_is_in_the_link() -> None:
    app = opened(TWIN, PAGE)
    app.select_slider(key="url.rate").set_value(97.5)
    app.number_input(key="url.wanted").set_value(12.5)
    app.multiselect(key="url.match").set_value(["PUMA", "SEX"])
    app.selectbox(key="url.swap_variable").set_value("OWN_RENT")
    app.run()
    assert not app.exception
    found = link(app)
    chosen = {"rate": "97.5", "wanted": "12.5", "match": "PUMA,SEX", "swap_variable": "OWN_RENT"}
    assert chosen.items() <= found.items()
    assert answer(opened(found, PAGE)) == answer(app)


def test_the_page_with_everything_or_nothing_matched() -> None:
    everything = opened({**TWIN, "match": ",".join(FIVE)}, PAGE)
    assert "nothing is left to exchange" in answer(everything)
    assert not everything.get("plotly_chart")
    assert "among all people" in answer(opened({**TWIN, "match": ""}, PAGE))


def test_the_swap_variable_gives_way_when_it_is_matched_on() -> None:
    app = opened({**TWIN, "swap_variable": "SEX"}, PAGE)
    app.multiselect(key="url.match").set_value(["PUMA", "SEX"])
    app.run()
    assert not app.exception
    assert link(app)["swap_variable"] == "RAC1P"


def test_a_bad_link_is_explained() -> None:
    app = opened({**TWIN, "rate": "140", "wanted": "many", "match": "AGEP_NOT",
                  "swap_variable": "SEX"}, PAGE)
    warned = " ".join(w.value.replace("\\", "") for w in app.warning)
    for word in ("rate must be in", "many", "AGEP_NOT"):
        assert word in warned
    assert "swapping 5%" in answer(app)
    assert link(app)["swap_variable"] == "SEX"


def test_the_code_prints_the_same_headline() -> None:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), FIVE)
    found = sdc.ask("swap_rate", study, match=["SEX"], rate=12.0, wanted=3.0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(found.code, "code", "exec"), {})  # noqa: S102
    assert printed.getvalue().startswith(f"{found.headline}\n\n{found.more}\n")

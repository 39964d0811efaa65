"""What is protected? What the question shows is what the engine promises, read back and recomputed.

Proven here, on a small table of 52 people: who is said to protect everything, a part or nothing;
every answer in the cell of its method and question; what each method promises on the table; the
census's budgets from their formulas; every quoted ε of the four tricks from counts of the records
or a closed form, in sentences, bars (length, colour, order) and table; and the page with its link.
"""

from __future__ import annotations

import html
import math
import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.figures.theme import styles
from sdc_core.questions.answer import Answer, Panel, TableView
from sdc_core.questions.protected.coverage import Coverage, coverage
from sdc_core.questions.protected.perverse import Trick
from sdc_core.questions.protected.words import coverage_sentences, unbroken
from sdc_core.questions.study import EmptyGroups
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said
from tests.reading import only

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("family", "p_rate", "p_household", "p_delta"),
    columns={
        "protection": (
            "Method", "Family", "What can be protected?", "To where does it reach?",
            "Who is the unit?", "How is it measured?", "How much?", "On this table", "Source",
        ),
    },
)

PAGE = "../pages/protected.py"
BLUE, ORANGE, PURPLE, GREY = "#2B7BBA", "#E8871E", "#B871F3", "#8A8F98"
FAMILIES = {
    "dp": (BLUE, "Differential privacy"), "sdc": (ORANGE, "Traditional disclosure control"),
    "dp-sdc": (PURPLE, "DP version of a traditional method"),
}
FIELDS = {
    "What can be protected?": "what", "To where does it reach?": "where",
    "Who is the unit?": "unit", "How is it measured?": "measured", "How much?": "how_much",
}
# The methods that these tests know by heart; others may join the registry without a word here.
REGISTRY = tuple(type(sdc.mechanism(name)) for name in (
    "laplace", "geometric", "discrete-gaussian", "suppression", "dp-suppression", "swapping",
    "dp-swapping", "dp-swapping-uniform", "permutation-swapping", "k-anonymity", "dp-k-anonymity",
    "topdown", "mst", "aim",
))
WHOLE = ["Laplace", "Geometric", "Discrete Gaussian", "TopDown", "MST synthetic data",
         "AIM synthetic data"]
PART = ["Uniform DP swapping", "Permutation swapping"]
REST = ["Suppression", "DP suppression", "Swapping", "DP swapping", "k-anonymity", "DP k-anonymity"]


SEEN = ", values as seen"  # own data have no dictionary: the values are read off


@pytest.fixture(autouse=True)
def known_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc_core.questions.protected.FOR_TABLES", REGISTRY)


PEOPLE = pd.DataFrame(
    [
        *[("North", "Black", "yes")] * 3, *[("North", "White", "yes")] * 12,
        *[("North", "White", "no")] * 20, *[("South", "Black", "no")] * 7,
        *[("South", "White", "no")] * 9, ("West", "White", "no"),
    ],
    columns=["town", "race", "ill"],
)


def study(people: pd.DataFrame = PEOPLE, *features: str, empty: str = "left") -> sdc.Study:
    return sdc.Study(sdc.load_dataset(people), features=features, empty_groups=empty)


def asked(people: pd.DataFrame = PEOPLE, empty: str = "left", **controls: object) -> Answer:
    return sdc.ask("protected", study(people, empty=empty), **controls)


def swap_epsilon(rate: float, largest: int) -> float:
    """P3's theorem for a rate up to one half."""
    return math.log(largest + 1) - math.log(rate / (1 - rate))


def noise_delta(epsilon: float) -> float:
    """δ of discrete Gaussian noise with σ² = 20 on two counts, by convolving it with itself."""
    z = np.arange(-130, 131)
    law = np.exp(-(z**2) / 40)
    law /= law.sum()
    loss = (1 - np.arange(-260, 261)) / 20
    return float((np.convolve(law, law) * np.maximum(-np.expm1(epsilon - loss), 0)).sum())


def small(number: float) -> str:
    """`1e-4`"""
    return f"{number:.0e}".replace("e-0", "e-")


def text(fragment: str) -> str:
    """What a reader sees of HTML."""
    plain = re.sub(r"<[^>]+>", "", fragment.replace("<sup>ε</sup>", "^ε").replace("<br>", "\n"))
    return html.unescape(plain).replace("\u00a0", " ")


def words(panel: Panel) -> str:
    return " ".join(panel.prose).replace("\u00a0", " ")


def named(sentence: str) -> list[str]:
    """The methods at the beginning of `Doing this, doing that and doing more do something`."""
    begins = r"(?:^|, | and )"
    ends = r"(?=, | and | \(| protects? | keeps? | makes? | has | have )"
    return [cls.title for cls in REGISTRY
            if re.search(f"{begins}{re.escape(cls.doing)}{ends}", sentence, re.IGNORECASE)]


# ---- the answer -------------------------------------------------------------------------------


def test_headline_tells_apart_all_part_and_nothing() -> None:
    found = asked()
    assert found.headline == (  # own data: which values occur shows, so none covers everything
        f"None of {len(REGISTRY)} methods keeps a promise to everyone, {len(WHOLE) + len(PART)} "
        "keep one in part, 1 promises next to nothing, 2 break the published one and 3 "
        "promise nothing.")
    assert found.first.startswith(f"6 of {len(REGISTRY)} protect everything a person answered")
    assert "(which values of town, race and ill occur): odds are held to" in found.first
    assert f"held to a factor of {math.e:.2f}, " in found.first
    worst = noise_delta(1.0)  # of the six, the discrete Gaussian has the largest
    assert 1e-6 < worst < 1 / len(PEOPLE)
    shown = re.search(r"with a slack of δ = (\S+) at most\.$", found.first)
    assert shown is not None and worst <= float(shown.group(1)) < 1.1 * worst
    part, rest, alone = found.further.split(". ", 2)
    assert named(part) == PART and "for a part of the answers only" in part
    assert "publish others exactly" in part
    assert named(rest) == REST and "make no promise that everyone can rely on" in rest
    assert "ε alone says little" in alone
    assert sorted([*WHOLE, *PART, *REST]) == sorted(cls.title for cls in REGISTRY)


def test_headline_follows_the_swap_rate() -> None:
    """From all 52 people in one group to the 30 White people who are not ill."""
    largest = int(PEOPLE.groupby(["race", "ill"]).size().max())
    for rate in (0.05, 0.3):
        before, after = swap_epsilon(rate, len(PEOPLE)), swap_epsilon(rate, largest)
        more = asked(p_rate=rate).more
        assert f"goes from {before:.2f} to {after:.2f}, and nobody is better protected." in more
        assert "by publishing more exactly, the ε of swapping on this table goes" in more


@pytest.mark.parametrize("family", ["all", "dp", "sdc", "dp-sdc"])
def test_family_chooses_the_methods(family: str) -> None:
    found = asked(family=family)
    shown = [cls for cls in REGISTRY if family in ("all", cls.family)]
    assert [row.name for row in rows(found)] == [cls.title for cls in shown]
    table = found.panel("protection").table
    assert table is not None and list(table["Method"]) == [cls.title for cls in shown]
    whole = [cls.title for cls in shown if cls.title in WHOLE]
    if whole:
        assert found.first.startswith(f"{len(whole)} of {len(shown)} protect everything")
    else:
        assert found.first == (
            f"No method shown protects everything a person answered (0 of {len(shown)})."
        )
    assert f"of {len(shown)} methods" in found.headline
    for listed in (PART, REST):
        mine = [name for name in listed if name in {cls.title for cls in shown}]
        sentences = [named(s) for s in found.further.split(". ") if not s.startswith("And")]
        assert (mine in sentences) is bool(mine)


def test_one_method_is_spoken_of_as_one() -> None:
    table = study().table
    ways = Trick("", "", "sdc", "", ())
    by_name = {cls.name: cls for cls in REGISTRY}
    left = EmptyGroups.LEFT_AT_ZERO
    headline, one = coverage_sentences(coverage([by_name["laplace"]], table, left), ways)
    assert headline == "The one method shown keeps a promise in part."
    assert one.startswith("The one method shown protects everything")
    assert "slack" not in one and one.count(". ") == 0  # Laplace noise has none
    declared = sdc.Histogram(table.counts, sdc.Domain(table.domain.features))
    headline, one = coverage_sentences(coverage([by_name["laplace"]], declared, left), ways)
    assert headline == "The one method shown keeps a promise to everyone."
    assert "answered: odds" in one and "read off" not in one  # declared beforehand
    _, more = coverage_sentences(coverage([by_name["permutation-swapping"]], table, left), ways)
    assert more.startswith("No method shown")
    assert "Shuffling among matches keeps its promise" in more
    assert "publishes others exactly" in more


def test_a_promise_in_part_that_often_fails_is_none() -> None:
    """Uniform swapping of whole groups: within its invariants δ is still near one half."""
    method = next(cls for cls in REGISTRY if cls.name == "dp-swapping-uniform")
    weak = method(quasi_identifiers=("town",), unit="cell").guarantee(study().table)
    assert weak.conditional and weak.delta_tight > 0.3
    none = Trick("", "", "sdc", "", ())
    _, more = coverage_sentences([Coverage(method, weak)], none)
    assert more.endswith(". Redrawing values at random makes no promise that everyone can rely on.")
    noise = next(cls for cls in REGISTRY if cls.name == "discrete-gaussian")
    loose = noise(calibration="analytic", delta=0.25).guarantee(study().table)
    assert 1 / len(PEOPLE) < loose.delta_tight <= 0.25
    said, more = coverage_sentences([Coverage(noise, loose)], none)
    assert said == "The one method shown leaves too much slack." and "rely on" in more


def test_a_promise_with_more_slack_than_one_person_in_all_is_said_to_have_it() -> None:
    """Noise with δ = 1.1e-4 for 20,800 people: above 1/n, so that headline, chart and sentence say
    that it is too slack; for 52 people it is small."""
    delta = noise_delta(1.0)
    for times, kept in ((1, True), (400, False)):
        people = pd.concat([PEOPLE] * times)
        assert (delta < 1 / len(people)) is kept
        found = asked(people, family="dp")
        loose = [s for s in found.more.split(". ") if "not below one over the number" in s]
        assert bool(loose) is not kept
        assert dots(found)["Discrete Gaussian"] == ("holds in part" if kept else "too slack")
        if loose:
            assert named(loose[0]) == ["Discrete Gaussian"] and "too much to rely on" in loose[0]
            assert loose[0].endswith("allow to print a record or more as it is")
            shown = re.search(r"with a slack of δ = (\S+) at most, not below", loose[0])
            assert shown and delta <= float(shown[1]) < 1.1 * delta
            rest = [s for s in found.more.split(". ") if "can rely on" in s]
            assert not [s for s in rest if "Discrete Gaussian" in named(s)]
    caption = found.panel("promises").caption
    for word, meaning in (("In part", "published exactly"), ("Too slack", "one over the number"),
                          ("Broken", "less holds than was publ"),
                          ("Nearly empty", "excludes hardly anything")):
        assert meaning in caption.split(f"{word}: ")[1].split(". ")[0]


@pytest.mark.parametrize(("empty", "said"), [("left", "left at 0"), ("treated", "like any other")])
def test_the_caption_says_what_becomes_of_empty_groups(empty: str, said: str) -> None:
    assert f"{said} where counts are hidden" in asked(empty=empty).panel("promises").caption


def test_an_epsilon_that_limits_nothing_is_not_a_promise_that_is_kept() -> None:
    """Ten times the people: the largest group of matching records makes 2ε more than ln(10^6)."""
    many = pd.concat([PEOPLE] * 10)
    found = asked(many)
    method = sdc.mechanism("permutation-swapping").suited_to(study(many).table)
    twice = 2 * swap_epsilon(0.05, int(many.groupby(list(method.match)).size().max()))
    assert twice > math.log(1e6)
    said = next(s for s in found.more.split(". ") if s.startswith("Shuffling among matches"))
    assert "has an ε so large that it limits nothing in practice" in said
    assert said.endswith(f"odds may move by a factor of {math.exp(twice) / 1e6:.0f} million")
    assert "keeps its promise" not in said
    assert named(next(s for s in found.more.split(". ") if " part of " in s)) == [PART[0]]


def test_of_several_boundless_promises_the_least_is_said() -> None:
    """e^16 and e^20 are 8.89 and 485 million: odds may move by the former or more."""
    each = [Coverage(type(m), m.guarantee(study().table)) for m in (
        sdc.mechanism("laplace", epsilon=20.0), sdc.mechanism("geometric", epsilon=16.0))]
    for some, number in ((each, "8.89 million or more."), (each[:1], "485 million.")):
        assert coverage_sentences(some, Trick("", "", "sdc", "", ()))[1].endswith(
            f"limits nothing in practice: odds may move by a factor of {number}")


def test_swapping_that_changes_no_count_keeps_no_promise() -> None:
    """With one feature there is nothing that stays with a record: the table comes out as it was."""
    found = sdc.ask("protected", study(PEOPLE, "town"))
    assert promises(found)["Permutation swapping"] == "No formal guarantee"
    assert "for a part of the answers" not in found.more
    rest = next(s for s in found.more.split(". ") if "no promise" in s)
    assert "Permutation swapping" in named(rest)


def test_a_method_that_shows_nothing_so_far_promises_nothing() -> None:
    """All counts are below k today; that they are is read off the data."""
    few = PEOPLE.groupby(["town", "race", "ill"]).head(4)
    assert few.value_counts().max() < 6
    for empty in ("left", "treated"):
        found = sdc.ask("protected", sdc.Study(sdc.load_dataset(few), empty_groups=empty))
        assert promises(found)["Suppression"] == "No formal guarantee"
        assert "the largest count" not in f"{found.headline} {found.first}"
        assert "Suppression" in [n for s in found.more.split(". ") for n in named(s)]


# ---- at a glance ------------------------------------------------------------------------------


def dots(found: Answer) -> dict[str, str]:
    """Under which word each method's mark stands, read off the drawing."""
    chart = only(found.panel("promises"))
    assert chart.layout.xaxis.tickangle == 0  # upright on a phone, too
    columns = [t.replace("<br>", " ").strip() for t in chart.layout.xaxis.ticktext]
    marks = next(t for t in chart.data if t.mode == "markers")
    return {name: columns[x] for name, x in zip(marks.y, marks.x, strict=True)}


@pytest.mark.parametrize("features", [(), ("town",)])
@pytest.mark.parametrize("family", ["all", "dp", "sdc", "dp-sdc"])
def test_the_chart_counts_as_the_headline_does(features: tuple[str, ...], family: str) -> None:
    found = sdc.ask("protected", study(PEOPLE, *features), family=family)
    shown = dots(found)
    patterns = {"holds in part": "keeps? one in part", "too slack": "leaves? too much slack",
                "broken": "breaks? the published one",
                "nearly empty": "promises? next to nothing", "none": "promises? nothing"}
    for word, pattern in patterns.items():
        number = list(shown.values()).count(word)
        hit = re.search(rf"(\d+) {pattern}", found.headline)
        assert (int(hit.group(1)) if hit else 0) == number, (word, found.headline)
    assert len(found.headline) <= 165 and not re.search("δ|ε|e-", found.headline)
    assert found.first.count(". ") == 0
    for name, now in promises(found).items():
        if now == "Does not fit this table":
            assert name not in shown
        elif now == "No formal guarantee":
            assert shown[name] == "none"
        elif now.startswith("Bound fails"):
            assert shown[name] == "broken"
        else:
            assert shown[name] in ("holds", "holds in part", "too slack", "nearly empty")


def test_marks_have_each_methods_look_plain_name_first_and_the_numbers_a_tap_away() -> None:
    found = asked()
    chart = only(found.panel("promises"))
    (marks,) = chart.data
    by_title = {cls.title: cls for cls in REGISTRY}
    labels = dict(zip(chart.layout.yaxis.tickvals, chart.layout.yaxis.ticktext, strict=True))
    for title, colour, symbol, data in zip(
            marks.y, marks.marker.color, marks.marker.symbol, marks.customdata, strict=True):
        (look,) = styles([by_title[title]()])
        assert (colour, symbol) == (look.color, look.symbol)
        assert data[0] == by_title[title]().plain_label() and data[2] == promises(found)[title]
        label = text(labels[title].replace("<br>", " "))
        assert label.startswith(by_title[title].plain) and title.lower() in label.lower()
        assert data[0] in found.panel("promises").alt
    order = [dots(found)[name] for name in marks.y]
    words_ = ["holds", "holds in part", "too slack", "nearly empty", "broken", "none"]
    assert order == sorted(order, key=words_.index)


# ---- five answers of every method -------------------------------------------------------------


class Row(NamedTuple):
    colour: str
    name: str
    kin: str
    now: str
    cells: dict[str, str]


def head(fragment: str) -> list[str]:
    """The method's name, its family and its promise; what it does stands before them."""
    (plain,), names, (now,) = (re.findall(rf'<span class="{part}">(.*?)</span>', fragment)
                               for part in ("name", "kin", "now"))
    (method,) = [cls for cls in REGISTRY if cls.title == text(names[0])]
    assert text(plain) == method.plain
    return [text(names[0]), text(names[1]), text(now)]


def rows(found: Answer) -> list[Row]:
    """The wide table, read back."""
    drawn = found.panel("protection").drawing
    assert isinstance(drawn, str)
    titles = [text(t) for t in re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", drawn)]
    assert titles[0] == "Method"
    out = []
    for colour, first, rest in re.findall(
        r'<tr role="row" style="--family:(.*?)"><th[^>]*>(.*?)</th>(.*?)</tr>', drawn
    ):
        cells = [text(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", rest)]
        out.append(Row(colour, *head(first), dict(zip(titles[1:], cells, strict=True))))
    return out


def promises(found: Answer) -> dict[str, str]:
    return {row.name: row.now for row in rows(found)}


def folds(found: Answer) -> list[Row]:
    """The same on a narrow screen."""
    drawn = found.panel("protection").drawing
    assert isinstance(drawn, str)
    out = []
    for colour, body in re.findall(r'<details[^>]*--family:(.*?)">(.*?)</details>', drawn):
        cells = re.findall(r'<span class="label">(.*?)</span>(.*?)</div>', body)
        out.append(Row(colour, *head(body), {text(q): text(a) for q, a in cells}))
    return out


def test_every_answer_stands_with_its_method_and_question() -> None:
    found = asked()
    table = found.panel("protection").table
    assert table is not None
    for read in (rows(found), folds(found)):
        assert len(read) == len(REGISTRY)
        for row, cls, line in zip(read, REGISTRY, table.to_dict("records"), strict=True):
            assert row.name == line["Method"] == cls.title
            assert (row.colour, row.kin) == FAMILIES[cls.family] == (row.colour, line["Family"])
            assert list(row.cells) == list(FIELDS)
            for question, field in FIELDS.items():
                assert row.cells[question] == line[question] == getattr(cls.protection, field)
            assert row.now == line["On this table"] and line["Source"] == cls.citation
    drawn = found.panel("protection").drawing
    assert isinstance(drawn, str) and drawn.count("<details open") == 1
    assert drawn.index("<details open") == drawn.index("<details")  # the first is unfolded


@pytest.mark.parametrize("empty", ["left", "treated"])
def test_what_each_method_promises_on_this_table(empty: str) -> None:
    """By hand: counts go up to 20, k is 6 and ε is 1 by default; the place is swapped among people
    of one race, and 42 are White. With empty groups left at 0 a move from an empty group always
    shows, so that DP suppression fails."""
    assert 0.5 * math.exp(-(20 - 6) / 2) < 0.001  # a count of 20 is all but never hidden
    hiding = {"left": "Bound fails: δ = 1", "treated": "ε = 1, δ = almost 1, counts as seen"}[empty]
    assert promises(asked(empty=empty)) == {
        "Laplace": f"ε = 1, δ = 0{SEEN}", "Geometric": f"ε = 1, δ = 0{SEEN}",
        "Discrete Gaussian": f"ε = 1, δ = {small(noise_delta(1.0))}{SEEN}",
        "Suppression": "No formal guarantee",
        "DP suppression": hiding, "Swapping": "No formal guarantee",
        "DP swapping": "Bound fails: δ = 1", "Uniform DP swapping": "ε = 1, δ = 0, in part",
        "Permutation swapping": f"ε = 2 × {swap_epsilon(0.05, 42):.2f}, δ = 0, in part",
        "k-anonymity": "No formal guarantee",
        "DP k-anonymity": f"ε = 1, δ ≤ {1 - math.exp(-1):.2f}{SEEN}",
        "TopDown": f"ε = 1, δ ≤ 1e-6{SEEN}", "MST synthetic data": f"ε = 1, δ ≤ 1e-6{SEEN}",
        "AIM synthetic data": f"ε = 1, δ ≤ 1e-6{SEEN}",
    }


def test_what_was_computed_for_one_table_is_not_shown_for_another() -> None:
    work = Work()
    for people in (PEOPLE, PEOPLE.head(40)):
        found = sdc.ask("protected", study(people), work=work)
        swapped = swap_epsilon(0.05, int(people["race"].value_counts().max()))
        assert promises(found)["Permutation swapping"].startswith(f"ε = 2 × {swapped:.2f},")


def test_methods_that_do_not_fit_say_why_and_are_not_judged() -> None:
    found = sdc.ask("protected", study(PEOPLE, "town"))
    unfit = {"Swapping", "DP swapping", "Uniform DP swapping"}  # nothing is left to stay in place
    notices = found.panel("promises").notices
    assert {n.text.split(": ")[0] for n in notices} == unfit
    assert all(n.tone == "quiet" and len(n.text.split(": ", 1)[1]) > 30 for n in notices)
    for name, now in promises(found).items():
        assert (now == "Does not fit this table") is (name in unfit)
    judged = {n for s in found.further.split(". ") for n in named(s)}
    assert not judged & unfit and judged >= {"Suppression", "k-anonymity"}
    assert f"of {len(REGISTRY)} methods" in found.headline
    assert found.headline.endswith(" and 3 do not fit.")
    told = found.panel("promises").alt.split("does not fit this table: ")[1]
    assert {cls.title for cls in REGISTRY if cls().plain_label() in told} == unfit


def test_methods_are_set_as_their_cards_start() -> None:
    """With features that all count as identifying one stays as it is, so that the other can be
    swapped; a feature has one role."""
    people = PEOPLE.rename(columns={"race": "RAC1P", "town": "SEX"}).drop(columns="ill")
    found = asked(people)
    assert found.panel("protection").notices == ()
    assert promises(found)["Uniform DP swapping"] == "ε = 1, δ = 0, in part"
    # nothing is matched: one feature is swapped, and one stays for it to be swapped against
    assert promises(found)["Permutation swapping"] == (
        f"ε = 2 × {swap_epsilon(0.05, len(people)):.2f}, δ = 0, in part"
    )


def test_labels_cannot_break_out_of_the_page() -> None:
    people = PEOPLE.rename(columns={"race": "<b>race</b> & \"more\""})
    found = asked(people)
    drawn, census = (found.panel(n).drawing for n in ("trick-invariants", "census"))
    assert isinstance(drawn, str) and isinstance(census, str)
    assert "on top of TopDown&#x27;s" in census
    assert "<b>race" not in drawn and "&lt;b&gt;race&lt;/b&gt; &amp; &quot;more&quot;" in drawn


# ---- the US Census ----------------------------------------------------------------------------


def test_census_budgets_as_printed_and_recomputed() -> None:
    panel = asked().panel("census")
    assert isinstance(panel.drawing, str)
    cards = panel.drawing.split('<div style="--family:')[1:]
    assert [card[:7] for card in cards] == [BLUE, BLUE, ORANGE]
    read = [text("<" + card) for card in cards]
    assert [re.findall(r'class="name">(.*?)<', card)[0] for card in cards] == [
        "TopDown", "SafeTab", "Swapping"
    ]
    topdown, safetab = (
        rho + 2 * math.sqrt(rho * math.log(1e10)) for rho in (15.29, 19.776)
    )
    least, most = swap_epsilon(0.5, 11_691), swap_epsilon(0.05, 13_680_081)
    for card, printed, recomputed in zip(
        read,
        ("ρ² = 15.29; ε = 52.83 at δ = 1e-10", "ρ² = 19.776; no ε given",
         "ε between 9.37 and 19.38"),
        (f"ε = {topdown:.2f} at δ = 1e-10", f"ε = {safetab:.2f} at δ = 1e-10",
         f"ε between {least:.2f} and {most:.2f}"),
        strict=True,
    ):
        assert f"printed: {printed}\nrecomputed: {recomputed}" in card
        assert [q for q in FIELDS if q in card] == list(FIELDS) and "(P3)" in card
    # ρ is printed with two decimals: the printed ε is within what that leaves open
    low, high = (r + 2 * math.sqrt(r * math.log(1e10)) for r in (15.285, 15.295))
    assert low - 0.005 < 52.83 < high + 0.005
    assert f"is {52.83 - round(topdown, 2):.2f} below the printed one" in panel.note
    units = [re.findall(r"Who is the unit\?</span>(.*?)<", card)[0] for card in cards]
    assert units == ["One person.", "One person.", "One household."]
    reach = [re.findall(r"does it reach\?</span>(.*?)<", card)[0] for card in cards]
    assert [r.startswith("All the way") for r in reach] == [False, True, False]


def test_census_sentence_sets_a_person_against_a_household() -> None:
    panel = asked().panel("census")
    person = 15.29 + 2 * math.sqrt(15.29 * math.log(1e10))
    three = 9 * 15.29 + 2 * math.sqrt(9 * 15.29 * math.log(1e10))
    sentence, swapping = words(panel), swap_epsilon(0.5, 11_691)
    assert f"ε = {person:.1f} for TopDown beside ε = {swapping:.2f} for swapping" in sentence
    assert f"For a household of 3, TopDown would read ε = {three:.0f};" in sentence
    assert "ρ² = 15.29" in panel.note.replace("\u00a0", " ")


# ---- the four tricks --------------------------------------------------------------------------


class Bar(NamedTuple):
    epsilon: str
    label: str
    width: float
    colour: str


def drawn_bars(panel: Panel) -> list[Bar]:
    assert isinstance(panel.drawing, str)
    assert "Quoted privacy loss, ε" in panel.drawing and "less looks better" in panel.drawing
    return [
        Bar(html.unescape(number), html.unescape(label), float(width), colour)
        for number, label, width, colour in re.findall(
            r'<b>(.*?)</b> (.*?)<div class="track"><div class="bar" '
            r'style="width:([\d.]+)%;background:(#\w+);', panel.drawing,
        )
    ]


def check_trick(found: Answer, key: str, colour: str, quoted: dict[str, float]) -> None:
    """Bars, their order, lengths and colours, and the table, against numbers of the test."""
    panel = found.panel(f"trick-{key}")
    bars = drawn_bars(panel)
    assert [bar.label for bar in bars] == list(quoted)
    values = list(quoted.values())
    assert values == sorted(values, reverse=True)
    for bar, value in zip(bars, values, strict=True):
        number = float(bar.epsilon.removeprefix("ε = "))
        assert number == pytest.approx(value, rel=0.006, abs=5e-4 if value else 0)
        assert bar.width == pytest.approx(100 * value / values[0], abs=0.006)
    assert [bar.colour for bar in bars] == [GREY, *[colour] * (len(bars) - 1)]
    assert "obody is better protected" in words(panel)
    assert panel.alt.replace("\u00a0", " ") == words(panel)
    table = found.panel("claims").table
    assert table is not None
    own = table[table["Way"] == panel.title[3:]]
    assert list(own["Quoted"]) == list(quoted)
    np.testing.assert_allclose(own["Privacy loss (ε)"], values, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("rate", [0.05, 0.2, 0.5])
def test_more_invariants_lower_epsilon(rate: float) -> None:
    largest = [len(PEOPLE), *(
        int(PEOPLE.groupby(by).size().max()) for by in (["race"], ["race", "ill"])
    )]
    found = asked(p_rate=rate)
    by_rest = len(PEOPLE.groupby(["race", "ill"]).size())  # never swapped: 4 counts more
    labels = (f"no match: {3 + by_rest} counts stay exact",
              f"match on race: {6 + by_rest} counts stay exact", "… and ill: 12 counts stay exact")
    assert by_rest == 4
    quoted = {name: swap_epsilon(rate, b) for name, b in zip(labels, largest, strict=True)}
    check_trick(found, "invariants", ORANGE, quoted)
    sentence = words(found.panel("trick-invariants"))
    assert sentence.startswith(f"Swap town for {100 * rate:g}% of the records.")
    assert "must match on race and ill" in sentence
    assert f"has {largest[-1]} people instead of {largest[0]}" in sentence
    first, *_, last = quoted.values()
    assert f"ε is {last:.2f} instead of {first:.2f}" in sentence
    assert "all 12 counts of the table are published exactly, instead of 7." in sentence


@pytest.mark.parametrize("people", [1, 2, 30])
def test_a_trick_that_gains_nothing_is_not_said_to(people: int) -> None:
    """All are of one race and ill: matched on both they are as many as before, and so is ε."""
    some = pd.DataFrame(
        [(f"t{i % 3}", "Black", "yes") for i in range(people)], columns=["town", "race", "ill"])
    found = sdc.ask("protected", study(some, "town", "race", "ill"))
    epsilon = swap_epsilon(0.05, people) if people > 1 else 0.0
    bars = drawn_bars(found.panel("trick-invariants"))
    assert {bar.epsilon for bar in bars} == {f"ε = {epsilon:.2f}" if epsilon else "ε = 0"}
    assert "ε alone" not in found.more and "nobody is better protected" not in found.more
    sentence = words(found.panel("trick-invariants"))
    size = "1 person" if people == 1 else f"{people} people"
    assert f"stays as it is here, {size}, and so does ε" in sentence
    assert "the trick gains nothing on this table" in sentence and "instead of" not in sentence


def test_a_trick_that_gains_a_little_is_said_with_both_numbers() -> None:
    """29 of 30 match: ε falls, and the sentence has both."""
    some = pd.DataFrame([("t1", "Black")] * 29 + [("t2", "White")], columns=["town", "race"])
    found = asked(some)
    before, after = swap_epsilon(0.05, 30), swap_epsilon(0.05, 29)
    assert f"{before:.2f}" != f"{after:.2f}"
    assert f"goes from {before:.2f} to {after:.2f}, and nobody is better protected." in found.more


def test_with_one_feature_there_is_nothing_to_match_on_and_one_table() -> None:
    found = sdc.ask("protected", study(PEOPLE, "race"), p_rate=0.1)
    alone = swap_epsilon(0.1, len(PEOPLE))
    check_trick(found, "invariants", ORANGE, {"no match: 2 counts stay exact": alone})
    assert "nothing to match on" in words(found.panel("trick-invariants"))
    assert "ε alone" not in found.more
    tables = found.panel("trick-tables")
    assert [b.label for b in drawn_bars(tables)] == ["for the one table", "for each table"]
    assert "ε = 1 is all there is" in words(tables)


@pytest.mark.parametrize("household", [1, 3, 10])
def test_a_smaller_unit_lowers_epsilon(household: int) -> None:
    found = asked(p_household=household)
    people = "1 person" if household == 1 else f"{household} people"
    check_trick(found, "unit", BLUE, {
        f"for a household of {people}": household, "for one person": 1,
        "for one person's data of one day in a year": 1 / 365,
    })
    sentence = words(found.panel("trick-unit"))
    assert "Quoted for one person, ε = 1: odds move by at most a factor of 2.72." in sentence
    odds = {1: "2.72", 3: "20.1", 10: "22,026"}[household]  # e, e³, e¹⁰
    alike = "" if household == 1 else " who answer alike"
    assert (
        f"For a household of {people}{alike}, the same release is ε = {household}, a factor of "
        f"{odds}."
    ) in sentence
    assert "365 daily tables, it can be called ε = 0.003" in sentence


def test_odds_beyond_a_million_are_not_spelled_out() -> None:
    """e^13 is less than a million, e^14 more."""
    assert math.exp(13) < 1e6 < math.exp(14)
    assert "a factor of 442,413." in words(asked(p_household=13).panel("trick-unit"))
    assert "a factor of more than a million." in words(asked(p_household=14).panel("trick-unit"))


def solved(delta: float) -> float:
    """ε at δ by halving, on the convolution."""
    low, high = 0.0, 8.0
    if noise_delta(low) <= delta:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if noise_delta(middle) > delta else (low, middle)
    return high


@pytest.mark.parametrize(
    ("delta", "deltas"),
    [
        (1e-10, ["1e-10", "0.1"]), (1e-6, ["1e-10", "1e-6", "0.1"]),
        (0.001, ["1e-10", "0.001", "0.1"]), (0.1, ["1e-10", "0.1"]),
        (0.2, ["1e-10", "0.1", "0.2"]),
    ],
)
def test_a_larger_delta_lowers_epsilon(delta: float, deltas: list[str]) -> None:
    found = asked(p_delta=delta)
    exact = {f"exact, at δ = {d}": solved(float(d)) for d in deltas}
    converted = 0.05 + 2 * math.sqrt(0.05 * math.log(1e10))
    check_trick(found, "measure", BLUE, {
        "zCDP ρ = 0.05, converted at δ = 1e-10": converted, **exact,
    })
    sentence = words(found.panel("trick-measure"))
    here = next(d for d in deltas if float(d) == delta)
    assert f"σ = {math.sqrt(20):.2f}" in sentence
    strict, wanted = (float(re.findall(pattern, sentence)[0]) for pattern in (
        r"Allow a slack of δ = 1e-10, and ε is ([\d.]+);",
        rf"allow δ = {re.escape(here)}, and it is ([\d.]+)\. ",
    ))
    assert strict == pytest.approx(solved(1e-10), abs=0.006)
    assert wanted == pytest.approx(solved(delta), abs=0.006)


@pytest.mark.parametrize(
    ("delta", "exposed"),
    [(0.001, "less than one person of 52"), (0.019, "less than one person of 52"),
     (0.02, "about 1 of 52"), (0.2, "about 10 of 52")],
)
def test_what_a_careless_delta_would_allow(delta: float, exposed: str) -> None:
    """δ times 52 people: 0.05, 0.99, 1.04 and 10.4."""
    assert f"{exposed} on average" in words(asked(p_delta=delta).panel("trick-measure"))


def test_tables_add_up() -> None:
    """Three features: three tables by one of them, three by two."""
    found = asked()
    check_trick(found, "tables", BLUE, {"for all 6 tables together": 6, "for each table": 1})
    sentence = words(found.panel("trick-tables"))
    assert "Your 3 features make 6 tables" in sentence
    assert f"the sum, ε = 6: odds move by a factor of {math.exp(6):.0f} instead of" in sentence


def test_panels_stand_two_and_two_with_their_controls() -> None:
    found = asked()
    assert [p.name for p in found.panels] == [
        "promises", "protection", "census", "tricks", "trick-invariants", "trick-unit",
        "trick-measure", "trick-tables", "claims",
    ]
    ways = found.panels[4:8]
    assert [p.title for p in ways] == [
        "1. Publish more exactly", "2. Make the unit smaller", "3. Measure more kindly",
        "4. Quote one table at a time",
    ]
    assert [p.controls for p in ways] == [("p_rate",), ("p_household",), ("p_delta",), ()]
    assert all(p.width == 0.5 and p.minor for p in ways)
    claims = found.panel("claims")
    assert claims.folded and isinstance(claims.drawing, TableView)


def test_controls_take_what_they_can_mean() -> None:
    for control, good, bad in (
        ("p_rate", ["0.5", 0.001], [0, 0.51, "many"]), ("p_household", ["1", 20], [0, 21, 2.5]),
        ("p_delta", [1e-10, 0.5], [1e-11, 0.6]), ("family", ["dp"], ["magic"]),
    ):
        for value in good:
            assert asked(**{control: value}).headline
        for value in bad:
            with pytest.raises(sdc.InputError, match=control):
                asked(**{control: value})


def test_code_and_provenance_say_what_was_set() -> None:
    found = sdc.ask("protected", sdc.Study(sdc.load_dataset("ma2019-twin")), p_household=4)
    assert "sdc.ask('protected', study, p_household=4)" in found.code
    assert "mechanism(" not in found.code  # it is not about methods of one's own choice
    assert found.provenance is not None and found.provenance.computed == "exact"
    assert found.provenance.controls["p_household"] == "4"


def test_symbols_stay_with_their_numbers() -> None:
    assert unbroken("at δ = 1e-10, ρ² = 3") == "at δ\u00a0=\u00a01e-10, ρ²\u00a0=\u00a03"
    assert unbroken("k = 3") == "k = 3"


# ---- the page ---------------------------------------------------------------------------------


def bodies(app: object) -> str:
    return " ".join(h.proto.body for h in app.get("html"))  # type: ignore[attr-defined]


def test_page_shows_the_answer_and_writes_its_link() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("protected", sdc.Study(sdc.load_dataset("ma2019-twin")))
    for sentence in (found.headline, found.more):
        assert html.escape(sentence) in answer(app)
    for panel in found.panels:
        if isinstance(panel.drawing, str):
            assert panel.drawing in bodies(app)
        assert all(sentence in said(app) for sentence in panel.prose)
    defaults = {"family": "all", "p_rate": "0.05", "p_household": "3", "p_delta": "0.001"}
    assert {k: v for k, v in link(app).items() if k in defaults} == defaults
    assert not app.dataframe
    app.session_state["open.claims"] = True
    assert app.run().dataframe[0].value.equals(found.panel("claims").table)


def test_deep_link_sets_filter_and_sliders() -> None:
    wanted = {"family": "sdc", "p_rate": "0.2", "p_household": "5", "p_delta": "0.1"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert '<span class="name">Add noise</span>' not in bodies(app)
    assert '<span class="name">Hide small counts</span>' in bodies(app)
    assert "20% of the records" in said(app) and "household of 5 people" in said(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.slider(key="url.p_household").set_value(4).run()
    assert not app.exception and link(app)["p_household"] == "4"
    assert "household of 4 people" in said(app)


def test_bad_link_and_one_feature_are_explained() -> None:
    app = opened({**TWIN, "family": "magic", "p_rate": "0.8", "features": "SEX"}, PAGE)
    warned = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "magic" in warned and "p_rate must be in (0, 0.5]" in warned
    assert "nothing to match on" in said(app) and link(app)["p_rate"] == "0.05"
    assert "Swapping: quasi_identifiers names every feature" in said(app)

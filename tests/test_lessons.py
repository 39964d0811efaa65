"""Lessons: what a text says is what the numbers say, on twin and real data; no number stands in a
text by itself; and whoever knows no statistics meets no undefined word."""

from __future__ import annotations

import base64
import math
import re
import string
from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.lessons import LESSONS, Lesson, Scene, Shown, Step, filled, lesson, seven_people
from sdc_core.lessons.drawings import dots, table_panel
from sdc_core.lessons.epsilon import DOTS, IN_USE, surest
from sdc_core.lessons.sheet import as_html
from sdc_core.questions.answer import Panel
from sdc_core.questions.work import Work
from tests.page_driver import opened
from tests.test_glossary import unexplained

TWIN = sdc.load_dataset("ma2019-twin")
WORK = Work()
every_lesson = pytest.mark.parametrize("one", LESSONS, ids=lambda one: one.name)


def scene(seed: int = 7, epsilon: float = 1.0, data: sdc.Dataset = TWIN) -> Scene:
    return Scene(data, seed, epsilon, WORK)


def texts(step: Step) -> tuple[str, str, str]:
    return step.says, step.asks, step.answer


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@every_lesson
def test_no_number_stands_in_a_text_and_every_blank_is_filled(one: Lesson) -> None:
    for step in one.steps:
        shown = step.show(scene())
        for text in texts(step):
            assert not re.search(r"\d", text), text
            assert blanks(text) <= set(shown.facts), step.title
            assert "{" not in filled(text, shown.facts)
        assert shown.after is not None and len(shown.after.alt) > 20, step.title
        assert step.asks.endswith("?") or "?" in step.asks


@every_lesson
def test_lessons_on_the_real_data(
    one: Lesson, real_data: Callable[[str], sdc.Dataset]
) -> None:
    for step in one.steps:
        shown = step.show(scene(data=real_data("ma2019")))
        assert all(filled(text, shown.facts) for text in texts(step))


@every_lesson
def test_panels_have_a_name_for_the_page_and_a_title_for_people(one: Lesson) -> None:
    for step in one.steps:
        shown = step.show(scene())
        for panel in (shown.before, shown.after, shown.beside):
            if panel is not None:
                assert re.fullmatch(r"[a-z0-9-]+", panel.name), step.title
                assert not panel.title or panel.title[0].isupper(), step.title


def test_even_odds_fill_half_of_the_dots() -> None:
    even = [
        panel.table for step in lesson("epsilon").steps for shown in (step.show(scene()),)
        for panel in (shown.before, shown.after, shown.beside)
        if panel is not None and re.search(r"Even odds|toss-up|Before the table", panel.title)
    ]
    assert len(even) == 3
    assert all(table is not None and table.filled[0] == DOTS / 2 for table in even)


def test_a_small_table_is_read_aloud_row_by_row() -> None:
    frame = pd.DataFrame({"who": ["Ann", "Ben"], "age": [31, 45], "votes": ["yes", "no"]})
    panel = table_panel("seven", "Seven", frame)
    assert panel.alt == "who, age, votes. Ann: 31, yes; Ben: 45, no."


def test_lessons_take_about_45_minutes() -> None:
    assert all(40 <= one.minutes <= 50 for one in LESSONS)
    assert lesson("epsilon") is LESSONS[1]
    with pytest.raises(InputError, match="There is no lesson 'none'"):
        lesson("none")


@pytest.mark.parametrize("one", LESSONS[:2], ids=lambda one: one.name)
def test_no_undefined_word_in_the_first_two_lessons(one: Lesson) -> None:
    for step in one.steps:
        said = " ".join(filled(text, step.show(scene()).facts) for text in texts(step))
        assert not unexplained(said), step.title


# Zhu et al. 2023, Figure 1: the histogram, and the same after hiding counts below 2
PRINTED = {("M", "1", "yes"): 1, ("M", "1", "no"): 0, ("F", "1", "yes"): 2, ("F", "1", "no"): 0,
           ("M", "2", "yes"): 1, ("M", "2", "no"): 2, ("F", "2", "yes"): 1, ("F", "2", "no"): 0}
HIDDEN = {("M", "1", "yes"): 1, ("M", "1", "no"): 1, ("F", "1", "yes"): 2, ("F", "1", "no"): 1,
          ("M", "2", "yes"): 1, ("M", "2", "no"): 2, ("F", "2", "yes"): 1, ("F", "2", "no"): 1}


def in_order(printed: dict[tuple[str, str, str], int]) -> list[int]:
    return [printed[g, b, v] for g in "MF" for b in "12" for v in ("yes", "no")]


def test_the_seven_people_are_those_of_the_paper() -> None:
    table = seven_people.table()
    assert table.counts.tolist() == in_order(PRINTED) and table.total == 7
    assert seven_people.SUPPRESSION.release(table, 7).counts.tolist() == in_order(HIDDEN)


def facts(number: int, **given: float) -> dict[str, str]:
    seed, epsilon = int(given.get("seed", 7)), given.get("epsilon", 1.0)
    return dict(LESSONS[0].steps[number].show(scene(seed, epsilon)).facts)


def test_what_is_said_of_hiding() -> None:
    true, after = np.array(in_order(PRINTED)), np.array(in_order(HIDDEN))
    assert facts(0) == {"people": "7", "groups": "8", "alone": str((true == 1).sum()),
                        "empty": str((true == 0).sum()), "men": "1", "known": "may vote"}
    told = facts(1)
    assert told["hidden"] == str((true < 2).sum()) and told["stand_in"] == "1"
    assert told["invented"] == f"{after[true == 0].sum()} people"
    assert told["right"] == str(((true < 2) & (after == true)).sum())
    assert told["total"] == str(after.sum())


@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_of_swapping_and_noise(seed: int) -> None:
    true = np.array(in_order(PRINTED))
    step = LESSONS[0].steps[2].show(scene(seed))
    assert step.after is not None and step.after.table is not None
    after = step.after.table["published"].to_numpy()
    assert after.sum() == 7 and step.facts["kept"] == "exactly as before"
    assert np.array_equal(after.reshape(2, 4).sum(axis=0), true.reshape(2, 4).sum(axis=0))
    assert step.facts["wrong"] == str((after != true).sum()) and step.facts["share"] == "30%"
    noise = LESSONS[0].steps[4].show(scene(seed, 0.5))
    assert noise.after is not None and noise.after.table is not None
    drawn = noise.after.table["published"].to_numpy()
    assert noise.facts["wrong"] == str((drawn != true).sum())
    assert noise.facts["total"] == str(int(drawn.sum())) and noise.facts["epsilon"] == "0.5"
    assert noise.after.drawing.count('class="changed"') == (drawn != true).sum()  # type: ignore[union-attr]


def test_what_is_said_of_merging_and_of_all_four() -> None:
    merged = LESSONS[0].steps[3].show(scene())
    assert merged.after is not None and merged.after.table is not None
    published = merged.after.table
    assert published["published"].sum() == 7 and published["published"].min() >= 2
    assert merged.facts["smallest"] == str(published["published"].min())
    # the paper merges men and women: what is left is who lives where and may vote
    by_hand = Counter((b, v) for _, b, v in seven_people.PEOPLE)
    assert merged.facts["lost"] == "gender"
    assert sorted(published["published"]) == sorted(by_hand.values())
    assert all(group.startswith("man or woman") for group in published["group"])
    in_first = {v for _, b, v in seven_people.PEOPLE if b == "1"}
    assert in_first == {"yes"} and merged.facts["known"] == "may vote"
    assert merged.facts["alike"] == "block 1" and merged.facts["size"] == "3"
    last = LESSONS[0].steps[5].show(scene())
    assert last.facts["which"] == "adding noise (ε = 1)"
    assert last.facts["most"] == "Adding noise (ε = 1)"
    assert last.after is not None and last.after.table is not None and last.before is not None
    assert last.after.table["promise"].tolist()[:3] == ["none"] * 3
    together = last.before.table["merged"]  # type: ignore[index]
    assert [text.split()[0] for text in together] == [
        str(by_hand[b, v]) if by_hand[b, v] else "none"
        for _ in "MF" for b in "12" for v in ("yes", "no")]


def test_steps_and_summary_of_the_four_ways_say_the_same_errors() -> None:
    """What a step says in all is what the last step says in two parts."""
    last = LESSONS[0].steps[5].show(scene(epsilon=0.5)).after
    assert last is not None and last.table is not None
    parts = last.table[["off where people are", "invented where nobody is"]].astype(float)
    for step, row in ((2, 1), (4, 3)):
        assert float(facts(step, epsilon=0.5)["error"]) == pytest.approx(
            parts.sum(axis=1)[row], abs=0.06)
    noised = facts(4, epsilon=0.5)
    true = seven_people.table()
    noise = sdc.mechanism("laplace", epsilon=0.5)
    many = sdc.evaluate(noise, Histogram(true.counts * 1000, true.domain))
    assert noised["many"] == "7,000" and noised["later"] == f"{100 * many.l1_error / 7000:.2f}%"
    assert noised["share"] == f"{100 * sdc.evaluate(noise, true).l1_error / 7:.0f}%"


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_how_sure_somebody_can_become(epsilon: float) -> None:
    """By brute force: two tables that differ in your answer, every outcome of noise on both
    counts; the surest guess after a toss-up."""
    q, z = math.exp(-epsilon / 2), np.arange(-60, 61)  # two counts move by one each
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    here, there = np.outer(law, law), np.outer(np.roll(law, 1), np.roll(law, -1))
    inner = slice(20, -20)
    sure = (here / (here + there))[inner, inner].max()
    assert sure == pytest.approx(surest(epsilon), rel=1e-9)
    told = LESSONS[1].steps[1].show(scene(epsilon=epsilon))
    assert float(told.facts["sure"]) == pytest.approx(100 * sure, rel=5e-3)
    assert told.after is not None
    assert drawn_dots(told.after) == pytest.approx([100 * sure], rel=1e-3)


def drawn_dots(panel: Panel) -> list[float]:
    """How many dots there are of each colour, read off the picture: by their areas."""
    assert isinstance(panel.drawing, str)
    packed = re.search(r"base64,([^\"]+)", panel.drawing)
    assert packed
    picture = base64.b64decode(packed[1]).decode()
    whole = float(re.search(r'<circle [^>]*r="([\d.]+)"', picture)[1])  # type: ignore[index]
    found: dict[str, float] = {}
    for radius, color in re.findall(r'r="([\d.]+)" fill="(#\w+)"/>', picture):
        found[color] = found.get(color, 0.0) + (float(radius) / whole) ** 2
    return list(found.values())


def test_dots_and_the_numbers_in_print() -> None:
    def drawn(parts: list[tuple[float, str]], number: int = 100) -> list[float]:
        return drawn_dots(Panel("dots", drawing=dots(parts, number, "some")))

    assert drawn([(0, "#000000")]) == []
    assert drawn([(2.25, "#000000")]) == pytest.approx([2.25], rel=1e-3)
    assert drawn([(1.5, "#000000"), (2.25, "#ffffff")], 10_000) == pytest.approx(
        [1.5, 2.25], rel=1e-2)
    assert [epsilon for epsilon, _, _ in IN_USE] == [19.61, 52.83] and DOTS == 100
    told = LESSONS[1].steps[3].show(scene())
    assert told.facts["odds"] == f"{math.exp(19.61) / 1e6:.0f} million"
    assert 10 ** (int(told.facts["digits"]) - 1) <= math.exp(52.83) < 10 ** int(
        told.facts["digits"])
    beyond = LESSONS[1].steps[4].show(scene(epsilon=0.5))
    promised = sdc.mechanism("discrete-gaussian", epsilon=0.5).guarantee()
    more, slack = 1e4 * (promised.exceeds or 0), 1e4 * promised.delta_tight
    assert float(beyond.facts["beyond"]) == pytest.approx(more, rel=5e-3)
    assert float(beyond.facts["delta"]) == pytest.approx(slack, rel=5e-3)
    assert beyond.before is not None and beyond.after is not None
    assert drawn_dots(beyond.before) == pytest.approx([more], rel=1e-2)
    assert drawn_dots(beyond.after) == pytest.approx([slack, more - slack], rel=1e-2)


@pytest.mark.parametrize("epsilon, odds, filled_in", [
    (0.1, "1.11", "52.5"), (4.0, "54.6", "98.2"), (8.0, "2,981", "99.97"),
    (20.0, "485 million", "nearly 100"),
])
def test_odds_and_dots_never_say_all(epsilon: float, odds: str, filled_in: str) -> None:
    assert float(f"{math.exp(epsilon):.3g}") == pytest.approx(
        float(odds.split()[0].replace(",", "")) * (1e6 if "million" in odds else 1), rel=5e-3)
    told = LESSONS[1].steps[2].show(scene(epsilon=epsilon))
    assert told.facts["factor"] == odds
    assert LESSONS[1].steps[1].show(scene(epsilon=epsilon)).facts["sure"] == filled_in
    assert told.after is not None and told.after.table is not None
    assert f"{odds} to 1" in told.after.table["even odds become at most"].tolist()


# Numbers that are written as words, lesson and step: what they count, as it is shown.
SPELLED: dict[tuple[str, int], Callable[[Shown], dict[str, int]]] = {
    ("seven-people", 1): lambda shown: {"seven": len(seven_people.PEOPLE)},
    ("seven-people", 6): lambda shown: {"four": rows(shown.after)},
    ("epsilon", 4): lambda shown: {"two": len(IN_USE)},
    ("epsilon", 5): lambda shown: {"two": rows(shown.after)},
    ("attack", 3): lambda shown: {"three": rows(shown.before)},
    ("who-pays", 2): lambda shown: {"two": rows(shown.before)},
}
WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "hundred",
         "thousand", "million")


def rows(panel: Panel | None) -> int:
    assert panel is not None and panel.table is not None
    return len(panel.table)


@every_lesson
def test_a_number_that_is_written_as_a_word_counts_what_is_shown(one: Lesson) -> None:
    for number, step in enumerate(one.steps, start=1):
        text = " ".join((step.title, *texts(step))).lower()
        found = {word for word in WORDS if re.search(rf"\b{word}\b", text)}
        known = SPELLED.get((one.name, number), lambda shown: {})(step.show(scene()))
        assert found == set(known), step.title
        assert all(WORDS.index(word) + 2 == count for word, count in known.items())


@every_lesson
def test_every_step_shows_something_before_and_after_that_a_page_can_show(one: Lesson) -> None:
    for step in one.steps:
        shown = step.show(scene())
        for panel in (shown.before, shown.after):
            assert panel is not None and panel.alt, step.title
            # a page cleans HTML: an SVG that stands in it would not be seen
            assert "<svg" not in str(panel.drawing), step.title


def test_who_pays_says_what_the_tables_say() -> None:
    study = sdc.Study(TWIN)
    sizes = sdc.ask("compare", study, work=WORK).panel("sizes").table
    off = sizes[sizes["groups of"] == "Groups of 1 to 5"]["a count is off by"]  # type: ignore[index]
    told = LESSONS[3].steps[0].show(scene()).facts["by_size"]
    assert all(f"by {value:.2f} and" in told for value in off) and told.count("after") == len(off)
    groups = LESSONS[3].steps[2].show(scene()).facts["by_group"]
    table = sdc.ask("subgroups", study, work=WORK).panel("disparity").table
    for name, people in (("White men", 2675), ("Black men", 75)):
        errors = table[table["group"] == name]["error per 1,000 people, cells with people"]  # type: ignore[index]
        said = re.search(rf"{name} \({people:,} in the data\) by ([\d.,]+) to ([\d.,]+\d)", groups)
        assert said and float(said[1]) == pytest.approx(errors.min(), rel=3e-3)
        assert float(said[2].replace(",", "")) == pytest.approx(errors.max(), rel=3e-3)
    maps = LESSONS[3].steps[1].show(scene())
    assert maps.after and maps.beside and (maps.after.name, maps.beside.name) == (
        "map-first", "map-second")


def test_the_class_gets_the_table_to_work_on_and_not_its_solution() -> None:
    shown = LESSONS[2].steps[1].show(scene())
    assert shown.before is not None and shown.after is not None
    before, after = str(shown.before.drawing), str(shown.after.drawing)
    hidden = len(shown.after.table)  # type: ignore[arg-type]
    assert before.count("×") == after.count("×") == hidden
    assert "→" in after and "→" not in before and "–5</td>" not in before
    assert re.findall(r'"total">[\d,]+<', before) == re.findall(r'"total">[\d,]+<', after)


@every_lesson
def test_sheet_and_key(one: Lesson) -> None:
    sheet, key = (as_html(one, scene(), with_key) for with_key in (False, True))
    for step in one.steps:
        said = step.show(scene()).facts
        assert filled(step.title, said) in sheet
    assert sheet.count('class="line"') == 3 * len(one.steps) and 'class="line"' not in key
    scripts = r"(?s)<script.*?</script>"
    assert not re.search(r'(?:src|href)="(?!data:)', re.sub(scripts, "", sheet + key))
    assert key.count("plotly-graph-div") >= sum(
        len(panel.figures) for step in one.steps if (panel := step.show(scene()).after))
    tables = re.findall(r'<table class="seven">.*?</table>', sheet)
    assert len(tables) == len(set(tables))  # none twice
    assert sheet.count('class="apart"') == sum(step.apart for step in one.steps)


def button(app: AppTest, key: str) -> object:
    return next(b for b in app.button if b.key == key)


def test_a_lesson_is_a_link_and_the_answer_waits() -> None:
    app = opened({"lesson": "seven-people", "step": "2"}, "../pages/teach.py")
    assert not app.exception

    def page() -> str:
        return " ".join(str(h.proto.body) for h in app.get("html"))

    assert "How many counts are hidden" in page() and "6 counts are hidden" not in page()
    button(app, "lesson-reveal").click().run()  # type: ignore[attr-defined]
    assert "6 counts are hidden" in page() and app.query_params["answer"] == "true"
    button(app, "lesson-next").click().run()  # type: ignore[attr-defined]
    assert app.query_params["step"] == "3" and "exactly as before" not in page()
    button(app, "lesson-leave").click().run()  # type: ignore[attr-defined]
    assert app.query_params["lesson"] == "none"

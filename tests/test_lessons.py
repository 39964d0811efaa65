"""Lessons: what a text says is what the numbers say, on twin and real data; no number stands in a
text by itself; and whoever knows no statistics meets no undefined word."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.lessons import LESSONS, Lesson, Scene, Step, filled, lesson, seven_people
from sdc_core.lessons.epsilon import DOTS, IN_USE, dots, surest
from sdc_core.lessons.sheet import as_html
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
                        "empty": str((true == 0).sum())}
    told = facts(1)
    assert told["hidden"] == str((true < 2).sum()) and told["stand_in"] == "1"
    assert told["invented"] == f"{after[true == 0].sum()} invented people"
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
    assert step.facts["moved"].startswith(str(np.abs(after - true).sum() // 2))
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
    assert merged.facts["lost"] == "block" and all("any" in g for g in published["group"])
    last = LESSONS[0].steps[5].show(scene())
    assert last.facts["which"] == "Add noise (Laplace, ε = 1)" == last.facts["most"]
    assert last.after is not None and last.after.table is not None
    assert last.after.table["promise"].tolist()[:3] == ["none"] * 3


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
    filled_in = told.after.drawing.count("fill=\"#")  # type: ignore[union-attr]
    assert filled_in == math.ceil(100 * sure)


def test_dots_and_the_numbers_in_print() -> None:
    assert dots(0, "#000000", "none").count("#000000") == 0
    assert dots(2.25, "#000000", "some").count("#000000") == 3
    assert [epsilon for epsilon, _, _ in IN_USE] == [19.61, 52.83]
    told = LESSONS[1].steps[3].show(scene())
    assert told.facts["odds"] == f"{math.exp(19.61):,.0f}"
    beyond = LESSONS[1].steps[4].show(scene(epsilon=0.5))
    promised = sdc.mechanism("discrete-gaussian", epsilon=0.5).guarantee()
    assert float(beyond.facts["beyond"]) == pytest.approx(1e4 * (promised.exceeds or 0), rel=5e-3)
    assert float(beyond.facts["delta"]) < float(beyond.facts["beyond"]) / 1e4 and DOTS == 100


@every_lesson
def test_sheet_and_key(one: Lesson) -> None:
    sheet, key = (as_html(one, scene(), with_key) for with_key in (False, True))
    for step in one.steps:
        said = step.show(scene()).facts
        assert filled(step.title, said) in sheet
    assert sheet.count('class="line"') == 3 * len(one.steps) and 'class="line"' not in key
    assert "http" not in re.sub(r"data:[^)]*", "", sheet).replace("http://www.w3.org", "")


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

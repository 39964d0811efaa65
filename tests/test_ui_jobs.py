"""Start, Brief, pins and Teach without a browser: every button and text does what it says."""

from __future__ import annotations

import dataclasses
import html
import re
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.lessons import LESSONS, seven_people
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import Answer
from sdc_core.report.brief_file import MOST_PINS, Brief, Pin
from sdc_core.report.briefs import FORMS, Form
from tests.page_driver import answer, opened, said
from ui import brief, menu, start, teach
from ui.pins import Pinned
from ui.router import _PLACES

HOSTILE = '<img src=x onerror=alert(1)> [a](http://example.org) *b*'
TWIN = sdc.load_dataset("ma2019-twin")


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    """Three quick ones."""
    study = sdc.Study(TWIN)
    return [sdc.ask("swap_rate", study), sdc.ask("protected", study),
            sdc.ask("swap_rate", sdc.Study(TWIN, seed=8))]


def pinned(found: list[Answer]) -> list[Pinned]:
    return [Pinned(Pin(one.run), one) for one in found if one.run is not None]


def page_of(app: AppTest) -> str:
    return " ".join(str(h.proto.body) for h in app.get("html"))


def button(app: AppTest, key: str) -> Any:
    return next(b for b in app.button if b.key == key)


def keys(app: AppTest) -> list[str]:
    return [str(b.key) for b in app.button]


# ------------------------------------------------------------------------------------- first screen


def test_the_first_screen_says_what_this_is_and_leads_to_every_question() -> None:
    app = opened()
    page = page_of(app)
    assert page.count("<h1") == 1 and page.count('class="answer-more"') == 1
    links = re.findall(r'<p><a href="([^"]+)" target="_self">([^<]+)</a>: ([^<]+)</p>', page)
    assert [(a, html.unescape(t), html.unescape(w)) for a, t, w in links] == [
        (one.address, one.title, one.asks) for one in
        sorted(QUESTIONS, key=lambda q: [s.section for s in QUESTIONS].index(q.section))]
    assert re.findall(r"<h3>([^<]+)</h3>", page) == list(
        dict.fromkeys(html.escape(one.section) for one in QUESTIONS))
    headings = [m.value for m in app.markdown if m.value.startswith("## :")]
    assert [h.split(": ")[1] for h in headings] == ["Brief", "Teach", "Tune"]


@pytest.mark.parametrize("door", start.DOORS, ids=lambda door: door.page)
def test_a_door_leads_where_it_says(door: start.Door, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[object] = []
    app = opened()
    monkeypatch.setattr(st, "switch_page", went.append)
    assert button(app, f"door.{door.page}").label == door.button
    button(app, f"door.{door.page}").click().run()
    assert went == [menu.file_of(door.page)] and menu.file_of(door.page).is_file()
    assert {"brief": "Brief", "teach": "Teach", "tune": "Tune"}[door.page] == door.title
    assert f'<p class="door">{html.escape(door.gives)}</p>' in page_of(app)


def test_the_way_behind_each_door_is_made_of_pages_that_there_are() -> None:
    for door in start.DOORS:
        assert len(door.way) >= 3
        for title, link in door.way:
            address, _, settings = link.partition("?")
            if settings:  # a lesson
                name = re.fullmatch(r"lesson=(.+)&step=1", settings)
                assert name and title == sdc.lessons.lesson(name[1]).title and address == "teach"
            elif address in _PLACES:
                assert title == _PLACES[address].TITLE
            else:
                assert title == question(address).title
    assert [link for _, link in start.DOORS[0].way] == [*brief.USUAL, "delta_epsilon", "brief"]
    page = page_of(opened())
    assert 'href="teach?lesson=epsilon&amp;step=1"' in page and 'href="frontier"' in page


# --------------------------------------------------------------------------------------------- pins


def test_pin_keeps_an_answer_and_lets_go_of_it(answers: list[Answer]) -> None:
    app = opened({"data": "ma2019-twin"}, "../pages/swap_rate.py")
    assert button(app, "pin.headline").label == "Pin"
    assert "Keep this" in button(app, "pin.headline").help
    button(app, "pin.headline").click().run()
    assert button(app, "pin.headline").label == "Pinned"
    assert "take it out" in button(app, "pin.headline").help
    one = app.session_state["pins"][0]
    assert one.pin.panel == "" and one.answer.headline == answers[0].headline
    assert not {"pin.swap-rate", "csv.swap-rate"} & {*keys(app), *saved(app)}  # closed
    app.session_state["keep.swap-rate"] = True
    app.run()
    assert "csv.swap-rate" in saved(app)
    other = "pin.swap-rate"
    assert button(app, other).label == "Pin"  # a panel is another thing to pin
    assert signs(app) == {"download"}
    button(app, other).click().run()
    assert signs(app) == {"keep", "download"}  # what is pinned shows without being opened
    assert [p.pin.panel for p in app.session_state["pins"]] == ["", other.removeprefix("pin.")]
    button(app, "pin.headline").click().run()
    assert [p.pin.panel for p in app.session_state["pins"]] == [other.removeprefix("pin.")]
    assert button(app, "pin.headline").label == "Pin"


def test_a_full_brief_takes_no_more_but_lets_go(answers: list[Answer]) -> None:
    others = pinned(answers[1:2]) * MOST_PINS
    app = opened({"data": "ma2019-twin"}, "../pages/swap_rate.py")
    for number, off in ((MOST_PINS, True), (MOST_PINS - 1, False)):
        app.session_state["pins"] = others[:number]
        app.run()
        assert button(app, "pin.headline").disabled is off
    app.session_state["pins"] = [*others[1:], *pinned(answers[:1])]
    app.run()
    assert button(app, "pin.headline").label == "Pinned"
    assert not button(app, "pin.headline").disabled


# -------------------------------------------------------------------------------------------- brief


def brief_of(found: list[Answer]) -> AppTest:
    app = opened(None, "../pages/teach.py")  # a page that is quick, to have a visit
    app.session_state["pins"] = pinned(found)
    app.switch_page("../pages/brief.py")
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def titles(app: AppTest) -> list[str]:
    """In the list of pinned answers, and on the paper: they are the same."""
    listed = [m.value.strip("*").replace("\\", "") for m in app.markdown
              if m.value.startswith("**")]
    shown = [m.value.removeprefix("### ").replace("\\", "") for m in app.markdown
             if m.value.startswith("### ")]
    assert [text.split(". ", 1)[1] for text in listed] == shown[: len(listed)]
    assert [text.split(".")[0] for text in listed] == [str(i + 1) for i in range(len(listed))]
    return shown[: len(listed)]


def test_order_and_removal(answers: list[Answer]) -> None:
    app = brief_of(answers[:2])
    first, second = (one.headline for one in answers[:2])
    assert "A brief of 2 answers, ready" in answer(app) and "Order and words" in answer(app)
    assert "Synthetic twin: " in answer(app) and titles(app) == [first, second]
    assert [button(app, k).disabled for k in ("up.0", "down.0", "up.1", "down.1")] == [
        True, False, False, True]
    button(app, "down.0").click().run()
    assert titles(app) == [second, first]
    button(app, "up.1").click().run()
    assert titles(app) == [first, second]
    button(app, "remove.0").click().run()
    assert titles(app) == [second] and "A brief of 1 answer, ready" in answer(app)
    assert button(app, "up.0").disabled and button(app, "down.0").disabled


def area(app: AppTest, start_of_key: str) -> Any:
    return next(t for t in app.text_area if str(t.key).startswith(start_of_key))


def test_texts_are_edited_in_place_and_come_back(answers: list[Answer]) -> None:
    app = brief_of(answers[:2])
    computed = answers[1].first
    assert area(app, "words.1.").value == computed and computed in said(app)
    area(app, "words.1.").set_value(f"First.\n\n{HOSTILE}").run()
    pins_now = app.session_state["pins"]
    assert [one.pin.words for one in pins_now] == ["", f"First.\n\n{HOSTILE}"]
    assert pins_now[1].answer is not None
    shown = [m.value for m in app.markdown]
    assert "First\\." in shown and any(v.startswith("\\<img") for v in shown)
    assert not [v for v in shown if "[a](" in v or "<img" in v.replace("\\<img", "")]
    assert computed not in said(app)
    button(app, "up.1").click().run()  # words go with their answer
    assert area(app, "words.0.").value.startswith("First.")
    assert area(app, "words.1.").value == answers[0].first
    area(app, "words.0.").set_value("").run()
    assert app.session_state["pins"][0].pin.words == "" and computed in said(app)
    area(app, "words.0.").set_value(f" {computed} ").run()  # as it was: not the author's words
    assert app.session_state["pins"][0].pin.words == ""


def test_title_question_and_sections(answers: list[Answer]) -> None:
    app = brief_of(answers[:1])
    fields = {t.label: t for t in app.text_input}
    assert list(fields) == ["Title", "The question it answers"]
    assert [t.label for t in app.text_area][-4:] == [
        "Who is hurt", "What is promised", "What this cannot say", "Your recommendation"][-4:]
    fields["Title"].set_value(HOSTILE).run()
    assert f"<h2>{html.escape(HOSTILE)}</h2>" in page_of(app)
    {t.label: t for t in app.text_input}["The question it answers"].set_value("Why <b>?").run()
    assert "Why &lt;b&gt;?" in page_of(app) and "<b>?" not in page_of(app)
    limits = area(app, "brief.limits.")
    assert "that is the reader's to decide" in limits.value and "\n\n" in limits.value
    assert area(app, "brief.recommendation.").value == ""
    assert "*To be written by you.*" in [m.value for m in app.markdown]
    limits.set_value("Mine alone.").run()
    area(app, "brief.recommendation.").set_value("Do it.").run()
    texts = app.session_state["brief-texts"]
    assert texts["limits"] == "Mine alone." and texts["recommendation"] == "Do it."
    assert "Mine alone." in said(app) and "Do it." in said(app)
    assert "*To be written by you.*" not in [m.value for m in app.markdown]
    assert "reader's to decide" not in said(app)


def test_suggested_answers_become_the_reader_s_own_once_they_are_changed(
    answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brief, "USUAL", ("swap_rate", "protected"))
    app = opened(None, "../pages/brief.py")
    assert "Suggested answers" in answer(app) and app.session_state["pins"] == []
    first, second = (one.headline for one in answers[:2])
    assert titles(app) == [first, second]
    assert page_of(app).count(html.escape(question("protected").asks[1:])) >= 1
    button(app, "down.0").click().run()
    assert titles(app) == [second, first] and len(app.session_state["pins"]) == 2
    assert "Order and words are yours" in answer(app)
    for _ in range(2):
        button(app, "remove.0").click().run()
    assert "Suggested answers" in answer(app) and titles(app) == [first, second]
    area(app, "words.1.").set_value("Mine.").run()
    assert [one.pin.words for one in app.session_state["pins"]] == ["", "Mine."]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What is offered to be taken away."""
    offered: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(st, "download_button", lambda label, **how: offered.append((label, how)))
    return offered


def test_files_are_offered_and_those_that_must_be_drawn_are_made_on_request(
    answers: list[Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> bytes:
        raise InputError("None was *found*.")

    real = [f for f in FORMS if not f.drawn]
    assert [f.title for f in real] == ["Web page", "Projector page", "Brief file"]
    web = Form("Web page", ".html", "text/html", lambda d: d.title.encode(), drawn=False)
    drawn = Form("PDF", ".pdf", "application/pdf", lambda d: b"%PDF " + d.title.encode())
    monkeypatch.setattr(brief, "FORMS", (web, drawn, Form("Word", ".docx", "x/y", fails)))
    offered = recorded(monkeypatch)
    app = brief_of(answers[:1])
    assert [(label, how["file_name"], how["mime"], how["type"]) for label, how in offered] == [
        ("Web page", "brief.html", "text/html", "primary")]
    assert offered[0][1]["data"].decode() == "How protecting these data changes them"
    assert [b.label for b in app.button if str(b.key).startswith("make.")] == [
        "Make PDF", "Make Word"]
    offered.clear()
    button(app, "make..pdf").click().run()
    assert ("PDF", "brief.pdf", "secondary") in [
        (label, how["file_name"], how["type"]) for label, how in offered]
    assert offered[-1][1]["data"].startswith(b"%PDF ") and "make..pdf" not in keys(app)
    button(app, "make..docx").click().run()
    assert [e.value for e in app.error] == ["None was \\*found\\*\\."] and "make..docx" in keys(app)
    offered.clear()
    {t.label: t for t in app.text_input}["Title"].set_value("Other").run()
    assert "make..pdf" in keys(app)  # what was made says the old title
    assert [label for label, _ in offered] == ["Web page"]
    assert offered[0][1]["data"] == b"Other"


def test_a_saved_brief_is_opened_and_a_file_that_is_none_is_one_sentence(
    answers: list[Answer]
) -> None:
    app = brief_of(answers[:1])
    one = pinned(answers[1:2])[0].pin
    saved = Brief("A title", "Asked", (Pin(one.run, "", "My words"),), {"limits": "Mine."})
    uploader = next(u for u in app.file_uploader if u.key == "upload.brief")
    uploader.upload("a.brief.json", saved.to_json().encode(), "application/json").run()
    assert not app.exception and titles(app) == [answers[1].headline]
    assert "My words" in said(app) and "Mine." in said(app) and "<h2>A title</h2>" in page_of(app)
    assert {t.label: t.value for t in app.text_input} == {
        "Title": "A title", "The question it answers": "Asked"}
    assert area(app, "words.0.").value == "My words" and area(app, "brief.limits").value == "Mine."
    for content, reason in ((b"\xff\xfe\x00", "not a text file"), (b"{}", "not a brief")):
        uploader = next(u for u in app.file_uploader if u.key == "upload.brief")
        uploader.upload("b.json", content, "application/json").run()
        assert reason in app.error[0].value.replace("\\", "")
    assert titles(app) == [answers[1].headline]  # and all stays as it was


def test_a_brief_that_cannot_be_made_is_no_trap(answers: list[Answer]) -> None:
    app = brief_of(answers[:1])
    broken = Pin(pinned(answers[:1])[0].pin.run, "nowhere")
    app.session_state["pins"] = [Pinned(broken, answers[0])]
    app.run()
    assert "cannot be made" in answer(app)
    assert "no panel 'nowhere'" in app.error[0].value.replace("\\", "")
    assert [u.key for u in app.file_uploader] == ["upload.brief"]
    button(app, "brief-anew").click().run()
    assert app.session_state["pins"] == [] and "A brief of 2 answers" in answer(app)


# -------------------------------------------------------------------------------------------- teach


def lesson_at(**link: str) -> AppTest:
    return opened({"lesson": "seven-people", **link}, "../pages/teach.py")


def test_the_overview_starts_each_lesson_at_its_first_step() -> None:
    app = opened(None, "../pages/teach.py")
    assert "Four lessons" in answer(app) and len(LESSONS) == 4
    told = said(app)
    for number, one in enumerate(LESSONS, start=1):
        assert f"## {number}. {one.title}" in told and one.goal in told
        assert f"{len(one.steps)} steps, about {one.minutes} minutes: {one.steps[0].title}" in told
    button(app, "lesson.epsilon").click().run()
    assert app.query_params["lesson"] == "epsilon" and app.query_params["step"] == "1"
    assert ">A toss-up</h1>" in page_of(app) and app.query_params["answer"] == "false"


def test_steps_end_where_the_lesson_ends() -> None:
    last = len(LESSONS[0].steps)
    app = lesson_at(step="1")
    assert button(app, "lesson-back").disabled and not button(app, "lesson-next").disabled
    assert [button(app, f"lesson-{key}").label for key in ("back", "next")] == ["Back", "Next"]
    button(app, "lesson-next").click().run()
    assert app.query_params["step"] == "2" and not button(app, "lesson-back").disabled
    button(app, "lesson-reveal").click().run()
    assert button(app, "lesson-reveal").label == "Hide the answer"
    button(app, "lesson-back").click().run()
    assert app.query_params["step"] == "1" and app.query_params["answer"] == "false"
    assert button(app, "lesson-reveal").label == "Show the answer"
    app = lesson_at(step=str(last), answer="true")
    assert button(app, "lesson-next").disabled and not button(app, "lesson-back").disabled
    assert f"step {last} of {last}" in page_of(app) and 'class="step-answer"' in page_of(app)
    button(app, "lesson-reveal").click().run()
    assert app.query_params["answer"] == "false" and app.query_params["step"] == str(last)
    assert 'class="step-answer"' not in page_of(app)


def published(app: AppTest) -> list[int]:
    table = re.search(r'<table class="seven">.*?</table>', page_of(app))
    assert table
    return [int(row) for row in re.findall(r"<td[^>]*>(\d+)</td></tr>", table[0])]


def test_a_link_restores_the_step_and_rolling_changes_the_seed_and_the_table() -> None:
    link = {"step": "5", "answer": "true", "lesson_seed": "3", "lesson_epsilon": "0.5"}
    app = lesson_at(**link)
    noise = sdc.mechanism("laplace", epsilon=0.5)
    assert published(app) == list(noise.release(seven_people.table(), 3).counts)
    assert {k: app.query_params[k] for k in link} == link
    seen = [published(app)]
    for _ in range(3):
        button(app, "lesson-roll").click().run()
        seed = int(app.query_params["lesson_seed"])
        assert published(app) == list(noise.release(seven_people.table(), seed).counts)
        seen.append(published(app))
    assert len({tuple(one) for one in seen}) == 4  # chance shows
    assert app.query_params["answer"] == "true" and app.query_params["step"] == "5"


def test_what_belongs_to_a_step_is_offered_there_only() -> None:
    for number, step in enumerate(LESSONS[0].steps, start=1):
        app = lesson_at(step=str(number))
        assert ("lesson-roll" in keys(app)) is step.rolls
        assert (len(app.slider) + len(app.select_slider) > 0) is step.tunes
        if step.rolls:
            assert button(app, "lesson-roll").disabled  # nothing to be seen yet
        assert f"about {step.minutes} minutes" in page_of(app)
        assert "Before" in said(app) or number in (1, 6)


def test_a_step_that_the_link_gets_wrong_is_the_first() -> None:
    app = lesson_at(step="99")
    assert "step 1 of 6" in page_of(app)


def test_projector_and_leaving() -> None:
    app = lesson_at(step="3")
    assert 'class="step"' in page_of(app) and "sheet.Key" in downloads(app)
    button(app, "lesson-present").click().run()
    assert app.query_params["present"] == "true" and "display: none !important" in page_of(app)
    assert 'class="step projected"' in page_of(app) and downloads(app) == []
    assert button(app, "lesson-present").label == "Back to the desk"
    button(app, "lesson-present").click().run()
    assert app.query_params["present"] == "false" and 'class="step"' in page_of(app)
    button(app, "lesson-present").click().run()
    button(app, "lesson-leave").click().run()
    assert app.query_params["lesson"] == "none" and "Four lessons" in answer(app)
    button(app, "lesson.attack").click().run()
    assert app.query_params["present"] == "false"


def saved(app: AppTest) -> list[str]:
    return [one.key for one in app.get("download_button")]


def signs(app: AppTest) -> set[str]:
    """On what opens to save or pin a panel."""
    found, rest = set(), list(app.main.children.values())
    while rest:
        node = rest.pop()
        rest += getattr(node, "children", {}).values()
        if node.type == "popover" and node.proto.popover.label == "Save or pin":
            found.add(node.proto.popover.icon.strip(":").removeprefix("material/"))
    return found


def downloads(app: AppTest) -> list[str]:
    return [str(d.proto.id).split("-")[-1] for d in app.get("download_button")]


@pytest.mark.parametrize("browser", [True, False])
def test_sheet_and_key_are_offered_under_their_names(
    browser: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = recorded(monkeypatch)
    monkeypatch.setattr(teach, "can_draw", lambda: browser)
    monkeypatch.setattr(teach, "printed", lambda page: b"%PDF" + page.encode())
    lesson_at(step="1", lesson_seed="5")
    found = dict(offered[-2:])
    ending, mime = ("pdf", "application/pdf") if browser else ("html", "text/html")
    assert {label: (how["file_name"], how["mime"]) for label, how in found.items()} == {
        "Exercise sheet": (f"seven-people-sheet.{ending}", mime),
        "Key": (f"seven-people-key.{ending}", mime)}
    sheet, key = (found[label]["data"]().decode() for label in ("Exercise sheet", "Key"))
    assert sheet.startswith("%PDF") is key.startswith("%PDF") is browser
    assert 'class="line"' in sheet and 'class="line"' not in key and "seed 5" in key


def test_a_step_that_cannot_be_shown_leaves_the_way_to_the_others(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise InputError("Not with *these* data.")

    one = LESSONS[0]
    broken = dataclasses.replace(one.steps[1], show=fails)
    monkeypatch.setattr(teach, "lesson", lambda name: dataclasses.replace(
        one, steps=(one.steps[0], broken, *one.steps[2:])))
    app = lesson_at(step="2")
    assert [e.value for e in app.error] == ["Not with \\*these\\* data\\."]
    assert f">{broken.title}</h1>" in page_of(app)
    assert {"lesson-back", "lesson-next", "lesson-leave"} <= set(keys(app))
    button(app, "lesson-next").click().run()
    assert not app.error and f">{one.steps[2].title}</h1>" in page_of(app)


def test_keys_of_the_keyboard_press_the_buttons_they_are_for() -> None:
    pressed = re.search(r"const name = \{(.*?)\}\[event.key\]", teach._KEYS, re.DOTALL)
    assert pressed
    by_key = dict(re.findall(r"(\w+): \"?(\w+)\"?", pressed[1]))
    assert by_key == {"ArrowRight": "next", "PageDown": "next", "ArrowLeft": "back",
                      "PageUp": "back", "Enter": "reveal", "Escape": "leave"}
    assert '(".step.projected") ? "present" : "leave"' in teach._KEYS
    assert {"lesson-next", "lesson-back", "lesson-reveal", "lesson-leave", "lesson-present"} <= set(
        keys(lesson_at(step="2")))

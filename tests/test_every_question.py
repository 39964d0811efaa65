"""What holds for every question of the registry, whatever it asks.

Each page answers by default and by a deep link; a change of any control within one visit shows what
a fresh visit with the same link shows (nothing kept although something changed, nothing read under
another name); the page's answer is the one that `ask` gives; and every panel can be read by those
who do not see it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.parameters import (
    Choice,
    File,
    Flag,
    Integer,
    Number,
    Param,
    Real,
    Several,
    Steps,
)
from sdc_core.questions import QUESTIONS
from sdc_core.questions import question as question_of
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import SHARED, Given, Question, no_methods
from tests import shown
from tests.contract import contract, generic, hurry
from tests.page_driver import TWIN, followed, link, opened
from tests.usual import STUDY, usual_answer

every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)
SEED = 5  # of one's own: a link that says no more than what is there anyway is left as it is


@contextmanager
def in_less_time(address: str) -> Iterator[dict[str, str]]:
    """The question does less of the same meanwhile; given are its quick settings."""
    with pytest.MonkeyPatch.context() as patch:
        yield hurry(address, patch)


@functools.cache
def visited(address: str) -> tuple[AppTest, Given, Answer]:
    """A visit that has set nothing but the seed and what makes a slow page quick, what its page was
    asked and its answer."""
    with in_less_time(address) as quick, shown.answers_of_pages() as answers:
        app = opened({**TWIN, "seed": str(SEED), **quick}, page_of(question_of(address)))
    return app, *answers[-1]


@functools.cache
def asked_alike(address: str) -> Answer:
    """What Python gives where it is asked what the page of that visit was."""
    question, given = question_of(address), visited(address)[1]
    seed = {} if question.own_data and "seed" not in question.uses else {"seed": SEED}
    study = replace(STUDY.with_methods(given.methods), **seed)
    with in_less_time(address):
        return sdc.ask(address, study, given.texts())


def page_of(question: Question) -> str:
    return f"../pages/{question.address}.py"


def newest(seen: list[Any]) -> dict[str, Any]:
    return shown.of(seen[-1][1]) if seen else {}


WIDGETS = ("selectbox", "multiselect", "slider", "select_slider", "toggle", "number_input",
           "text_area", "button_group")


def another(param: Param, value: Any) -> Any:
    """A value that the control does not have now, as its widget would give it."""
    shown_as = param.widget(value)
    if isinstance(param, Choice):
        return param.choices[(param.choices.index(value) + 1) % len(param.choices)]
    if isinstance(param, Several):
        missing = [c for c in param.choices or () if c not in value]
        return list(value[:-1]) if len(value) > 2 or not missing else [*value, missing[0]]
    if isinstance(param, Flag):
        return not value
    if isinstance(shown_as, Steps):
        place = shown_as.values.index(value)
        return shown_as.values[place + 1 if place + 1 < len(shown_as.values) else place - 1]
    if isinstance(shown_as, Number):
        return 12 if value is None else value + 1
    if isinstance(param, Integer):
        return value + 1 if value < param.range[1] else value - 1
    if isinstance(param, Real):
        low, high = param.range
        return float(np.round((low + high) / 2 if value < (low + high) / 2 else low, 4))
    return "SEX: Any sex = 1, 2"


def widget_of(app: AppTest, name: str) -> Any:
    """The widget of a control, if it is on screen."""
    found = [e for kind in WIDGETS for e in app.get(kind) if e.key == f"url.{name}"]
    return found[0] if found else None


@every_question
def test_a_change_of_any_control_shows_what_a_fresh_visit_shows(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One visit in which every control is changed, one after the other and without going back;
    switches last, since some make all that follows slow."""
    quick = {"features": "RAC1P,SEX,OWN_RENT", **hurry(question.address, monkeypatch)}
    with shown.answers_of_pages() as answers, shown.controls_of_pages() as seen:
        app = opened({**TWIN, **quick}, page_of(question))
        done: set[str] = set()
        moved = 0
        while waiting := [n for n in seen if n not in done and n != "data"]:
            name = min(waiting, key=lambda n: isinstance(seen[n][0], Flag))
            done.add(name)
            widget = widget_of(app, name)
            if widget is None:
                continue
            declared, value = seen[name]
            widget.set_value(another(declared, value))
            before = link(app)
            seen.clear()
            answers.clear()
            followed(app.run())
            assert not app.exception, (name, [e.value for e in app.exception])
            here, after = newest(answers), link(app)
            assert after[name] != before[name], f"{name} did not move"
            if app.error:  # the same mistake, said the same way
                problems = [e.value for e in app.error]
                assert [e.value for e in opened(after, page_of(question)).error] == problems, name
            answers.clear()
            opened(after, page_of(question))
            there = newest(answers)
            assert here.keys() == there.keys(), name
            for part, value in here.items():
                assert value == there[part], f"after {name} moved, {part} is not that of its link"
            moved += 1
        assert moved >= 3


@every_question
def test_the_page_shows_the_answer_that_python_gives(question: Question) -> None:
    on_page = visited(question.address)[2]
    here, there = shown.of(on_page), shown.of(asked_alike(question.address))
    if on_page.waiting:  # in Python nothing waits
        assert here.keys() <= there.keys()
    else:
        assert here == there


@every_question
def test_every_panel_can_be_read(question: Question) -> None:
    answer = usual_answer(question.address)
    names = [p.name for p in answer.panels]
    assert len(names) == len(set(names)) and len(answer.headline) > 20
    for panel in answer.panels:
        if panel.figures:
            assert len(panel.alt) > 20, f"{panel.name} has no words for those who do not see it"
        for figure in panel.figures:
            figure.changeable()  # plotly's own validation
        if panel.table is not None:
            assert len(set(panel.table.columns)) == len(panel.table.columns), panel.name


# One of something called many; a number that is none; a comma before the verb.
STRAY = re.compile(
    r"(?<![=.,\d±] )(?<![=.,\d])\b1 (people|groups|records|places|releases|cells|tables)\b"
    r"|e-\d\d in all|occur, (is|are)|\bnot donor|\bnan\b|  "
)
FEW = pd.DataFrame({
    "town": ["Ash"] * 7 + ["Birch"], "sex": list("fmfmfffm"), "rent": list("ynynyyyn"),
    "income": ["low", "high"] * 4,
})


@every_question
@pytest.mark.parametrize("methods", [
    None, [sdc.mechanism("laplace", epsilon=20), sdc.mechanism("dp-suppression", k=2, epsilon=20)],
    [sdc.mechanism("suppression", k=2), sdc.mechanism("suppression", k=3)],
], ids=["usual", "hardly any error", "one group hidden"])
def test_no_stray_words_where_there_are_few(question: Question, methods: Any) -> None:
    """Eight people, some alone in their group, and errors of one person or next to none."""
    answer = sdc.ask(question.address, sdc.Study(sdc.load_dataset(FEW), methods=methods))
    assert len(answer.headline) > 20
    said = [answer.headline, answer.more, *(n.text for n in answer.notices)]
    for panel in answer.panels:
        said += [panel.title, panel.caption, panel.note, *panel.prose]
    assert not [found for text in said for found in STRAY.findall(text)], said


@every_question
def test_links_and_csv_files_keep_their_names(question: Question) -> None:
    app, given, answer = visited(question.address)
    agreed, found = contract(question.address), list(link(app))
    shared = ["data", *([] if question.own_table else ["features"]),
              *(["seed"] if not question.own_data or "seed" in question.uses else []),
              *([] if question.own_data else ["empty", "domain"]),
              *(["count"] if question.weighted else [])]
    settings = [k for k in found if "." in k and k.split(".")[0] in agreed.slots]
    assert sorted(found) == sorted([*shared, *agreed.slots, *settings, *agreed.controls])
    tables = {n: generic(t.columns, given.methods) for n, t in answer.tables().items()}
    assert {n: tables[n] for n in agreed.columns} == agreed.columns


def test_slots_hold_the_parameters_of_their_method() -> None:
    found = link(opened({**TWIN, "m1": "swapping"}))
    declared = {p.name for p in sdc.mechanism("swapping").params()}
    assert {k.split(".")[1] for k in found if k.startswith("m1.")} == declared


@every_question
def test_controls_stand_where_they_are_declared_to(question: Question) -> None:
    """A control at a panel is named by one, all others by none; each is on screen once."""
    app, given, answer = visited(question.address)
    at_panels = [name for panel in answer.panels for name in panel.controls]
    assert len(at_panels) == len(set(at_panels))
    declared: list[str] = []
    for control in question.controls:
        offered = control.offer(given)
        for param in [offered] if isinstance(offered, Param) else offered or ():
            declared.append(param.name)
            if not isinstance(param, File):
                assert (param.name in at_panels) == control.at_panel, param.name
                assert widget_of(app, param.name) is not None, param.name
    for panel in answer.panels:
        shown_there = [name for name in panel.controls if name in declared]
        assert shown_there == sorted(shown_there, key=declared.index), panel.name


@every_question
def test_the_declaration_is_complete(question: Question) -> None:
    for words in (question.title, question.section, question.icon, question.asks,
                  question.sentence, question.method):
        assert len(words.strip()) > 2
    assert question.sources and question.method_title.endswith("?")
    # a line that happens to begin with `1.` becomes a list in the middle of a sentence
    assert not re.search(r"^\s*(\d+[.)]|[+>#]+) ", question.method, re.MULTILINE)


def seen_of(question: Question, empty: str, **by_hand: bool) -> dict[str, Any]:
    """All that a reader sees with empty groups treated so, without the lines that repeat the
    setting; `by_hand` is set on the methods themselves."""
    hiding = [sdc.mechanism(name, **by_hand) for name in ("dp-suppression", "suppression")]
    methods = [sdc.mechanism("laplace"), *hiding]
    study = sdc.Study(STUDY.dataset, ["RAC1P", "SEX", "OWN_RENT"], methods=methods,
                      empty_groups=empty)
    quick = contract(question.address).quick if question.methods is no_methods else {}
    found = shown.of(sdc.ask(question.address, study, quick))
    return {part: value for part, value in found.items() if part not in ("code", "provenance")}


@every_question
def test_what_is_not_in_sight_makes_no_difference(question: Question) -> None:
    """A setting that all pages share is shown where the answer hangs on it; elsewhere it stays in
    the link, so that it is there on the next page."""
    quick = {"features": "RAC1P,SEX,OWN_RENT", **contract(question.address).quick}
    other = {"data": "tx2019-twin", "empty": "treated", "domain": "observed", "seed": "8"}
    assert question.uses <= other.keys() == SHARED
    with shown.answers_of_pages() as answers:
        before = opened({**TWIN, **quick}, page_of(question))
        here = newest(answers)
        for name in other:
            assert (widget_of(before, name) is not None) == (name in question.uses), name
        hidden = {n: text for n, text in other.items() if n not in question.uses}
        after = opened({**TWIN, **quick, **hidden}, page_of(question))
        there = newest(answers)
    for found in (here, there):  # these say how it was asked
        found.pop("provenance"), found.pop("code")
    assert here == there
    after.switch_page("../pages/compare.py").run()
    kept = link(after)
    assert {n: kept[n] for n in hidden} == hidden


@every_question
def test_what_becomes_of_empty_groups_is_one_setting_of_all_pages(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that says anything about suppression says something else once empty groups are treated
    like any other; and it is what the methods do if they are set so one by one. What is published
    (own data) names suppression as its papers set it."""
    hurry(question.address, monkeypatch)
    left, treated = (seen_of(question, empty) for empty in ("left", "treated"))
    drawn = [[(p["drawing"], p["table"]) for name, p in seen.items() if name.startswith("panel")]
             for seen in (left, treated)]
    hangs_on_it = "uppression" in str(left) and not question.own_data
    assert hangs_on_it is (drawn[0] != drawn[1])
    if question.methods is not no_methods:
        assert seen_of(question, "as-set", keep_zeros=True) == left
        assert seen_of(question, "as-set", keep_zeros=False) == treated


@every_question
def test_the_code_gives_the_same_answer(
    question: Question, capsys: pytest.CaptureFixture[str]
) -> None:
    """With nothing set; where that takes long, with all that the page has set, and less of it."""
    agreed = contract(question.address)
    slow = agreed.quick or agreed.fewer
    answer = (asked_alike if slow else usual_answer)(question.address)
    with in_less_time(question.address):
        exec(compile(answer.code, "code", "exec"), {})  # noqa: S102
    printed = capsys.readouterr().out
    assert printed.startswith(answer.headline)
    assert printed.strip() == str(answer).strip()

"""Study, Question, Answer: one way to an answer, the same for Python, command line and page.

Tried with a small question made for the purpose, whose numbers can be counted by hand, and through
the command line with a real one.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.build.readme import README, with_questions
from sdc_core.cli import main
from sdc_core.data import to_safe_csv
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, Flag, Integer, Param
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import Answer, Job, Notice, Panel, Pick, TableView
from sdc_core.questions.question import (
    Arguments,
    Chosen,
    Control,
    Given,
    Question,
    cannot_answer,
    complete,
    move_along,
    no_methods,
    settle,
)
from sdc_core.questions.study import DOMAIN, EMPTY_GROUPS, EmptyGroups, Study
from sdc_core.questions.work import METHODS, Work

PEOPLE = pd.DataFrame({"town": ["A"] * 5 + ["B"] * 3, "sex": list("ffmmmfff")})
DATA = sdc.load_dataset(PEOPLE)


def town(given: Given) -> Choice:
    return Choice(name="town-name", title="Town", default="A", choices=("A", "B"))


def twice(given: Given) -> list[Param]:
    """One control for each method, so it can only be offered when they are known."""
    return [Flag(name=f"{m.name}.twice", title="Twice", default=False) for m in given.methods]


def answer(given: Given) -> Answer:
    row = given.table.domain.features[0].values.index(given["town-name"])
    people = int(given.table.counts.reshape(given.table.domain.shape)[row].sum())
    factor = 2 if any(v is True for v in given.values.values()) else 1
    table = pd.DataFrame({"town": [given["town-name"]], "people": [people * factor]})
    return Answer(
        f"{people * factor} people live in {given['town-name']}.",
        panels=(Panel("people", "How many?", make_table=lambda: table),),
    )


COUNTING = Question(
    address="counting",
    title="Counting",
    section="Test",
    icon="add",
    asks="how many?",
    sentence="So many people live there.",
    answer=answer,
    method="Counting.",
    sources=("none",),
    controls=(Control(town), Control(twice, after_methods=True)),
    methods=lambda given: {"c1": sdc.mechanism("laplace"), "c2": sdc.mechanism("suppression")},
)


def asked(study: Study, work: Work | None = None, **controls: Any) -> tuple[Given, Answer]:
    given = Given(study, work or Work())
    settle(COUNTING, given, Arguments({k.replace("__", "."): v for k, v in controls.items()}))
    return given, complete(COUNTING, given)


def test_an_answer_is_a_function_of_the_study_and_its_controls() -> None:
    assert asked(Study(DATA))[1].headline == "5 people live in A."
    given, found = asked(Study(DATA), town_name="B")  # - and _ are one
    assert found.headline == "3 people live in B."
    assert found.tables()["people"].to_dict("records") == [{"town": "B", "people": 3}]
    assert given.texts() == {
        "town-name": "B",
        "laplace.twice": "false",
        "suppression.twice": "false",
    }
    assert asked(Study(DATA), laplace__twice="true")[1].headline == "10 people live in A."


def test_methods_are_the_studys_or_those_that_are_suggested() -> None:
    assert [m.name for m in asked(Study(DATA))[0].methods] == ["laplace", "suppression"]
    own = Study(DATA, methods=[sdc.mechanism("geometric", epsilon=2.0)])
    given, found = asked(own)
    assert given.methods == (sdc.mechanism("geometric", epsilon=2.0),)
    assert given.guarantee(given.methods[0]).epsilon == 2.0
    assert found.provenance is not None and len(found.provenance.methods) == 1
    assert found.provenance.methods[0].startswith("sdc.mechanism('geometric', epsilon=2.0")
    assert asked(Study(DATA, methods=[]))[0].methods == ()


def test_a_question_without_methods_of_ones_own_choice_has_none() -> None:
    given = Given(Study(DATA, methods=[sdc.mechanism("laplace")]))
    settle(dataclasses.replace(COUNTING, methods=no_methods), given, Arguments({}))
    assert given.methods == ()


def test_what_is_wrong_is_one_sentence() -> None:
    with pytest.raises(sdc.InputError, match=r"There is no control 'twon'\. It has: town-name"):
        asked(Study(DATA), twon="A")
    with pytest.raises(sdc.InputError, match="town-name must be one of A, B, got 'C'"):
        asked(Study(DATA), town_name="C")
    with pytest.raises(sdc.InputError, match="There is no question 'why'"):
        question("why")
    with pytest.raises(sdc.InputError, match="empty_groups must be one of left, treated, as-set"):
        Study(DATA, empty_groups="maybe")
    with pytest.raises(sdc.InputError, match="every feature"):
        asked(
            Study(
                DATA,
                features=["sex"],
                methods=[sdc.mechanism("swapping", quasi_identifiers=("sex",))],
            )
        )
    said = cannot_answer(sdc.InputError("No such thing."))
    assert "cannot be answered" in said.headline
    assert said.notices == (Notice("No such thing.", "error", "error"),)


@pytest.mark.parametrize(
    ("rule", "kept"),
    [("as-set", (True, False)), ("left", (True, True)), ("treated", (False, False))],
)
def test_empty_groups_are_treated_alike_for_all_methods_that_can(
    rule: str, kept: tuple[bool, bool]
) -> None:
    methods: list[Mechanism] = [
        sdc.mechanism("suppression", keep_zeros=True),
        sdc.mechanism("dp-suppression"),
        sdc.mechanism("laplace"),
    ]
    given, found = asked(Study(DATA, methods=methods, empty_groups=rule))
    assert tuple(m.settings()["keep_zeros"] for m in given.methods[:2]) == kept
    assert given.methods[2] == methods[2]
    assert found.provenance is not None and found.provenance.empty_groups == rule
    assert isinstance(Study(DATA, empty_groups=rule).empty_groups, EmptyGroups)
    warned = [n.text for n in found.notices if "Empty groups" in n.text]
    assert len(warned) == (rule == "as-set")
    for text in warned:
        assert f"{given.methods[0].label()} leaves them at 0" in text
        assert f"{given.methods[1].label()} treats them like any other" in text


def test_empty_groups_are_left_at_zero_and_groups_declared_unless_told_otherwise() -> None:
    study = Study(DATA)
    assert (study.empty_groups, study.domain) == ("left", "dictionary")
    assert study.treated(sdc.mechanism("suppression")).settings()["keep_zeros"] is True
    assert EMPTY_GROUPS.default == study.empty_groups and DOMAIN.default == study.domain
    code = sdc.ask("compare", study).code
    assert "empty_groups='left'" in code and "domain='dictionary'" in code


def test_all_questions_share_one_set_of_methods() -> None:
    """Whatever a page is about, it starts with the same methods, under the same names in a link."""
    study = Study(sdc.load_dataset("ma2019-twin"))
    usual = {"m1": "laplace", "m2": "discrete-gaussian", "m3": "dp-suppression",
             "m4": "suppression"}
    about = []
    for one in QUESTIONS:
        given = Given(study)
        settle(one, given, Arguments({}))
        suggested = one.methods(given)
        if suggested:
            about.append(one.address)
            assert {slot: m.name for slot, m in suggested.items() if m} == usual, one.address
            kept = [m.settings().get("keep_zeros") for m in given.methods]
            assert kept == [None, None, True, True], one.address
    assert len(about) >= 8


def test_presets_bring_a_papers_methods_and_conventions() -> None:
    study = Study(sdc.load_dataset("ma2019-twin"), ["SEX", "RAC1P"])
    names = set()
    for one in QUESTIONS:
        given = Given(study)
        settle(one, given, Arguments({}))
        for preset in one.presets(given):
            assert preset.name not in names
            names.add(preset.name)
            applied = preset.applied(study)
            assert (applied.empty_groups, applied.domain) == (preset.empty_groups, preset.domain)
            assert not preset.is_on(study, given.methods)
            treated = [applied.treated(m) for m in preset.methods]
            for method in treated:
                if method.name == "dp-swapping":  # equation 2: any other record may be the donor
                    assert "Das et al. 2024" in preset.title
                    assert method.settings()["require_different"] is False
            assert preset.is_on(applied, treated)
            assert not preset.is_on(applied, treated[:-1])
    zhu = sdc.ask("compare", study, as_in="zhu-2023-table-1")
    assert zhu.provenance is not None
    assert (zhu.provenance.empty_groups, zhu.provenance.domain) == ("treated", "observed")
    assert "keep_zeros=False" in zhu.code and "empty_groups='treated'" in zhu.code
    with pytest.raises(sdc.InputError, match=r"no preset 'x' for compare\. Known: das-2024"):
        sdc.ask("compare", study, as_in="x")


def test_the_table_is_counted_by_the_studys_features() -> None:
    study = Study(DATA, features=["sex"])
    assert study.table.counts.tolist() == [5, 3]
    assert Study(DATA).table.domain.names == ("town", "sex")
    assert study.count(["town"]).counts.tolist() == [5, 3]
    assert study.count(["town"]) is study.count(("town",))  # the same object, so results are kept


def test_provenance_says_where_an_answer_comes_from() -> None:
    facts = asked(Study(DATA, seed=11), town_name="B")[1].provenance
    assert facts is not None
    said = facts.facts()
    assert said["seed"] == 11 and said["features"] == ["town", "sex"] and said["rows"] == 8
    assert said["controls"]["town-name"] == "B" and said["computed"] == "exact"
    assert said["versions"]["sdc_core"] == sdc.__version__
    changed = sdc.load_dataset(PEOPLE.assign(sex=list("fffmmfff")))
    same = sdc.load_dataset(PEOPLE.copy())
    assert said["sha256"] == same.digest != changed.digest
    twin = sdc.ask("compare", Study(sdc.load_dataset("ma2019-twin"))).provenance
    assert twin is not None and not twin.real and facts.real
    assert "Synthetic" in twin.facts()["origin"]


def test_simulated_numbers_say_so() -> None:
    found = sdc.ask("compare", Study(DATA, methods=[sdc.mechanism("laplace")]), simulate=True)
    assert found.provenance is not None
    assert found.provenance.computed == "simulated, up to 200 releases a method"


def test_code_repeats_what_was_changed() -> None:
    given = Given(
        Study(DATA, features=["town", "sex"], seed=3, methods=[sdc.mechanism("suppression", k=2)])
    )
    settle(COUNTING, given, Arguments({"town-name": "B", "suppression.twice": True}))
    code = complete(COUNTING, given).code
    assert "features=['town', 'sex']" in code and "seed=3" in code
    assert "sdc.mechanism('suppression', k=2," in code
    assert "**{'town-name': 'B', 'suppression.twice': True}" in code
    assert "methods=[\n    ]" in asked(Study(DATA, methods=[]))[1].code
    assert "twice" not in asked(Study(DATA))[1].code  # defaults are left out


def test_slow_methods_wait_until_they_are_asked_for() -> None:
    table = sdc.load_dataset(
        pd.DataFrame({"PUMA": ["1", "2", "2"] * 4, "sex": list("ffmm") * 3})
    ).histogram(["PUMA", "sex"])
    slow, quick = sdc.mechanism("topdown"), sdc.mechanism("laplace")
    assert slow.slow and not quick.slow
    waiting = Work(started=())
    assert [e.mechanism for e in waiting.evaluate([slow, quick], table, 7)] == [quick]
    assert waiting.waiting == [Job(METHODS, "Run TopDown", waiting.waiting[0].note)]
    assert "20 releases take" in waiting.waiting[0].note
    started = Work(waiting.keep, started={METHODS})
    found = started.evaluate([slow, quick], table, 7)
    assert [e.mechanism for e in found] == [slow, quick] and found[0].repetitions == 20
    assert started.waiting == [] and started.computed == "simulated, up to 20 releases a method"
    again = Work(waiting.keep, started=())  # what is computed does not wait
    assert len(again.evaluate([slow, quick], table, 7)) == 2 and again.waiting == []
    rows = Work().releases([slow, quick], table, 7, 40)
    assert [(r.mechanism, len(r.rows)) for r in rows] == [(slow, 20), (quick, 40)]
    one = Work(started=())
    assert one.releases([slow], table, 7, 1) == [] and "1 release takes" in one.waiting[0].note


def test_long_work_is_told_and_kept() -> None:
    from contextlib import contextmanager

    told: list[Any] = []

    @contextmanager
    def report(words: str) -> Any:
        told.append(words)
        yield told.append

    work = Work(report=report)
    table = DATA.histogram(["town", "sex"])
    swapping = sdc.mechanism("swapping", quasi_identifiers=("sex",), paired=True)
    work.evaluate([swapping], table, 7, 50)
    assert told[0].endswith(": 50 releases") and told[-1] == 1.0
    told.clear()
    work.evaluate([swapping], table, 7, 50)
    assert told == []
    work.evaluate([swapping], table, 8, 50)
    assert told != []
    told.clear()
    halves = work.each(lambda i: f"number {i}", divmod, [(4, 2), (7, 2), (4, 2)])
    assert halves == [(2, 0), (3, 1), (2, 0)] and told[0] == "number 0"
    told.clear()
    assert work.each(lambda i: f"number {i}", divmod, [(7, 2), (9, 2)]) == [(3, 1), (4, 1)]
    assert told == ["number 1", 1.0]
    told.clear()
    work.each(lambda i: "", divmod, [(9, 2), (9, 4), (9, 5)], [8.0, 1.0, 3.0])  # one is kept
    assert told == ["", 0.25, 1.0]


def test_a_curve_does_not_depend_on_where_its_parameter_stands() -> None:
    work, table = Work(), DATA.histogram(["town", "sex"])
    param = next(p for p in sdc.mechanism("suppression").params() if p.name == "k")
    assert isinstance(param, Integer)
    one = work.curve(sdc.mechanism("suppression", k=4), table, param, 7, 40)
    other = work.curve(sdc.mechanism("suppression", k=9), table, param, 7, 40)
    assert other.points is one.points and (one.here, other.here) == (4.0, 9.0)
    assert other.mechanism == sdc.mechanism("suppression", k=9)
    for value, point in zip(one.values, one.points, strict=True):
        assert (
            point.l1_error
            == sdc.evaluate(sdc.mechanism("suppression", k=int(value)), table).l1_error
        )
    level = work.curve(sdc.mechanism("laplace"), table, param, 7, 40)
    assert level.here is None and len({p.l1_error for p in level.points}) == 1


def test_charts_move_along_what_the_methods_have() -> None:
    control = move_along("tune", [sdc.mechanism("suppression"), sdc.mechanism("laplace")])
    assert control is not None
    assert control.choices == ("k", "epsilon") and control.default == "k"
    assert control.titles["epsilon"] == "Privacy loss (ε)"
    assert move_along("tune", []) is None


def test_panels_and_picks() -> None:
    frame = pd.DataFrame({"a": [1]})
    assert Panel("x", drawing=TableView(frame)).table is frame
    assert Panel("x", drawing="<b>1</b>").table is None
    pick = Pick("place", ("n", "s"), "n", "*")
    assert [pick.text_of(i) for i in (-1, 0, 1, 2)] == ["", "n", "s", ""]
    panel = Panel("x", make_table=lambda: pd.DataFrame({"a": [2]}))
    assert panel.table is panel.table
    found = Answer("Said.", "More.", (panel, Panel("y", "Title", prose=("Words.",))))
    assert found.panel("y").title == "Title" and list(found.tables()) == ["x"]
    assert str(found).split("\n\n")[:2] == ["Said.", "More."]
    assert "TITLE\nWords." in str(found)


def test_the_registry_and_the_menu() -> None:
    addresses = [q.address for q in QUESTIONS]
    assert len(set(addresses)) == len(addresses) and addresses[0] == "compare"
    pages = {p.stem: p.read_text() for p in (Path(__file__).parents[1] / "pages").glob("*.py")}
    assert set(pages) - {"start", "brief", "teach", "glossary"} <= set(addresses)
    for address, text in pages.items():
        assert text == f'from ui.router import open_page\n\nopen_page("{address}")\n'
    sections = [q.section for q in QUESTIONS]
    assert sections == sorted(sections, key=sections.index)  # a section is not interrupted


def test_the_readme_lists_every_question() -> None:
    text = README.read_text(encoding="utf-8")
    assert all(f"| {q.title} | {q.asks} |\n" in text for q in QUESTIONS), "make readme"
    assert with_questions(text) == text, "make readme"


def test_the_command_gives_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "ask",
        "compare",
        "--dataset",
        "ma2019-twin",
        "--features",
        "SEX,RAC1P",
        "--method",
        "laplace epsilon=0.5",
        "--method",
        "suppression k=4",
        "--tune",
        "k",
        "--simulate=false",
    ]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    study = Study(
        sdc.load_dataset("ma2019-twin"),
        ["SEX", "RAC1P"],
        methods=[sdc.mechanism("laplace", epsilon=0.5), sdc.mechanism("suppression", k=4)],
    )
    same = sdc.ask("compare", study, tune="k")
    assert text.startswith(same.headline) and text.strip() == str(same).strip()
    assert main([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["headline"] == same.headline and document["more"] == same.more
    assert document["provenance"]["sha256"] == study.dataset.digest
    assert document["code"] == same.code and "suppression" in document["code"]
    named = {p["name"]: p for p in document["panels"]}
    for name, table in same.tables().items():
        assert next(list(row) for row in named[name]["table"]) == list(table.columns)
        assert len(named[name]["table"]) == len(table)


def test_the_command_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    html, folder = tmp_path / "a.html", tmp_path / "tables"
    assert (
        main(
            [
                "ask",
                "compare",
                "--dataset",
                "ma2019-twin",
                "--features",
                "SEX,RAC1P",
                "--html",
                str(html),
                "--csv",
                str(folder),
            ]
        )
        == 0
    )
    study = Study(sdc.load_dataset("ma2019-twin"), ["SEX", "RAC1P"])
    same = sdc.ask("compare", study)
    for name, table in same.tables().items():
        written = (folder / f"{name}.csv").read_bytes()
        assert written == to_safe_csv(table).encode("utf-8-sig")
    assert same.headline.split(" puts")[0] in html.read_text(encoding="utf-8")
    assert (
        main(["ask", "compare", "--dataset", "ma2019-twin", "--html", str(tmp_path / "no" / "x")])
        == 2
    )
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--simulat", "true"], "no control 'simulat'"),
        (["--simulate"], "--simulate needs a value"),
        (["stray"], "--name value"),
        (["--method", "laplace eps=1"], "no parameter 'eps'"),
        (["--method", "laplace epsilon"], "name=value"),
        (["--features", "NOPE"], "NOPE"),
    ],
)
def test_bad_commands_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", "compare", "--dataset", "ma2019-twin", *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err and said.err.count("\n") == 1 and said.out == ""


def test_other_commands_have_no_flags_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["mechanisms", "--tune", "k"])
    assert stopped.value.code == 2 and "--tune" in capsys.readouterr().err


def test_chosen_methods_carry_their_promise() -> None:
    methods = [sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("suppression", k=2)]
    given = asked(Study(DATA, methods=methods, empty_groups="treated"))[0]
    assert all(isinstance(c, Chosen) for c in given.chosen)
    assert given.guarantee(methods[0]).epsilon == 2.0
    assert given.guarantee(methods[1]).delta_tight == 1.0

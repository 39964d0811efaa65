"""Three intruders: what do they get out of a release of records?"""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.intruders import alone
from sdc_core.parameters import Choice, Flag, Param, Several
from sdc_core.questions import lab, sources
from sdc_core.questions.answer import Answer, ColumnLook, Notice, Panel, TableView
from sdc_core.questions.intruders import figures, words
from sdc_core.questions.intruders.compute import (
    RELEASES,
    STRENGTHS,
    Attacked,
    Scene,
    able,
    attacked,
    methods,
    scene,
)
from sdc_core.questions.intruders.method import METHOD
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.words.numbers import counted, lowered

MOST_TARGETS = 12


def strength(given: Given) -> Choice:
    return Choice(
        name="in_strength", title="Protection", default="medium", choices=STRENGTHS, segments=True,
        help="How strongly every method protects; what that is for each is under the question mark "
        "below.",
    )


def top_coding(given: Given) -> Flag:
    return Flag(
        name="in_coded", title="Cut off the largest 2% first", default=False,
        help="Top-coding: before any method, the largest 2% of every number become the next one "
        "below.",
    )


def what_is_known(given: Given) -> list[Param]:
    """What intruders know and want; nothing where there are no numbers."""
    if lab.problem(given):
        return []
    names, titles = tuple(given["lab_vars"]), {c.name: c.title for c in given.dataset.columns}
    wanted = given["lab_outcome"]
    numbers = [n for n in names if given.dataset.column(n).kind == "numeric" and n != wanted]
    records = lab.original(given, "").records
    stands_out = min(numbers, key=lambda n: int(
        (records.column(n) == records.column(n).max()).sum()))  # fewest share the largest value
    known = [n for n in names if n not in numbers and n != wanted] + numbers[:1]
    return [
        Several(name="in_known", title="The first intruder knows", default=tuple(known),
                choices=tuple(n for n in names if n != wanted), titles=titles, least=1,
                help="Of somebody who is the only one with these values. Numbers are known "
                "roughly."),
        Choice(name="in_extreme", title="The second knows who has the largest",
               default=stands_out, choices=(wanted, *numbers), titles=titles),
    ]


def which_intruder(given: Given) -> Choice | None:
    return None if lab.problem(given) else Choice(
        name="in_play", title="Intruder", default=words.CELL, choices=tuple(words.INTRUDERS),
        titles=words.INTRUDERS, segments=True, label_hidden=True,
    )


def whom(given: Given) -> Choice | None:
    """Some of the people who are alone with what is known."""
    if lab.problem(given):
        return None
    at = scene_of(given)
    people = [int(i) for i in alone(at.members, at.known)[:MOST_TARGETS]]
    if not people:
        return None
    return Choice(
        name="in_person", title="Who is looked for", default=str(people[0]),
        choices=tuple(str(i) for i in people),
        titles={str(i): words.person_text(at.members, at.known, i) for i in people},
    )


def scene_of(given: Given) -> Scene:
    return given.work.kept(
        scene, lab.original(given, ""), tuple(given["in_known"]), given["lab_outcome"],
        given["in_extreme"], given["in_coded"])


def table(given: Given) -> Histogram:
    """Nothing is counted here, but every question has a table."""
    return given.study.count(given.study.features[:1])


def answer(given: Given) -> Answer:
    if problem := lab.problem(given):
        return Answer(problem)
    at = scene_of(given)
    chosen, left_out = able(methods(given["in_strength"], at.protected), at.protected)
    found = [
        given.work.told(f"{one.label()}: {RELEASES} releases", attacked, one, at, RELEASES,
                        given.seed)
        for one in chosen
    ]
    given.work.saw(RELEASES)
    people = len(alone(at.members, at.known))
    wanted = words.variable(at.members, at.known.wanted).title
    headline = words.headline(found, at, people, wanted)
    return Answer(
        headline, words.more(found, at, wanted),
        (how_often(found, headline), play(given, found, at), criteria(found)),
        (Notice(
            f"{counted(len(at.members), 'record', 'records')} are protected and released; "
            f"{counted(len(at.others), 'other', 'others')} are people who are not in the data.",
            "quiet", "group"), *lab.about_records(given, lab.original(given, "")),
         *left_out_notice(left_out)),
    )


def left_out_notice(methods: Sequence[Mechanism]) -> list[Notice]:
    return [Notice(words.left_out_sentence(methods), "quiet", "table")] if methods else []


def how_often(found: list[Attacked], headline: str) -> Panel:
    return Panel(
        "intruders", "What do three intruders get right?",
        "Shorter is safer; for the third intruder 50% is a guess. Means of 20 releases (one where "
        "nothing is random), thin lines are one standard error.",
        figures.success_bars(found, headline), lambda: figures.success_table(found), alt=headline,
    )


def play(given: Given, found: list[Attacked], at: Scene) -> Panel:
    """One intruder, one person, the first release of each method."""
    title, controls = "Play it: one person, one release of each method", ("in_play", "in_person")
    plain = given.work.kept(attacked, None, at, 2, given.seed)
    intruder, person = given["in_play"], given.get("in_person")
    if person is None and intruder != words.EXTREME:  # who looks for the largest needs nobody
        return Panel("intruders-play", title, "Nobody is alone with what the intruder knows.",
                     controls=controls)
    shown = figures.played([plain, *found], at, intruder, int(person or 0))
    who = words.person_text(at.members, at.known, int(person or 0))
    said = {
        words.CELL: f"Looked for: the only record with {who}.",
        words.EXTREME: "Looked for: whoever has the largest "
        f"{lowered(words.variable(at.members, at.extreme).title)} of all.",
        words.MEMBER: f"Asked: is this person in the data ({who}, and all other values)?",
    }[intruder]
    looks = {c: ColumnLook(format="%.3g") for c in shown.columns if c.startswith(("people", "cl"))}
    return Panel(
        "intruders-play", title, f"{said} The first row is what there would be to read without "
        "protection.", TableView(shown, {"truth": ColumnLook(format="localized"), **looks}),
        alt=said, controls=controls,
    )


def criteria(found: list[Attacked]) -> Panel:
    return Panel(
        "intruders-criteria", "Which method meets which of P4's criteria?",
        "Computed on these records with these settings, but for what a person can understand: that "
        "is what the method says of its parameter. In brackets: the share of small cells that get "
        "an answer, the mean change of correlations, the share that is read off rightly (A, B) and "
        "how far telling is beyond a guess (C, 100% is certain).",
        figures.criteria_table(found), lambda: figures.criteria(found),
        alt="P4's criteria, a row a method.",
    )


QUESTION = Question(
    address="intruders", title="Three intruders", section="Single records", icon="visibility",
    asks="what could somebody who knows a person read off the released records?",
    sentence="Of the people an intruder can single out, the wage is read to within 10% for so many "
    "after method A and for so many after method B.",
    answer=answer, method=METHOD, sources=(f"{sources.P4} §2, §6", sources.SDCMICRO),
    controls=(
        Control(strength, prominent=True), Control(top_coding, prominent=True),
        Control(lab.variables), Control(lab.outcome), Control(what_is_known),
        Control(which_intruder, at_panel=True), Control(whom, at_panel=True, width=420),
    ),
    table=table, methods=no_methods, data="svcensus", own_table=True,
    uses=frozenset({"data", "seed"}),
)

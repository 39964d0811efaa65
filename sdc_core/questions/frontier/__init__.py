"""Risk against error: which settings of which methods are not beaten by another one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdc_core.experiment import evaluate
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.attacks import Success
from sdc_core.parameters import Choice, Flag
from sdc_core.questions import sources
from sdc_core.questions.answer import (
    Action,
    Answer,
    ColumnLook,
    Job,
    Notice,
    Panel,
    PickSettings,
    See,
    TableView,
)
from sdc_core.questions.frontier import compute, figures, why, words
from sdc_core.questions.frontier.compute import (
    Assessed,
    Attack,
    Mark,
    Path,
    assessed,
    attacked,
    releases_of,
)
from sdc_core.questions.frontier.method import METHOD
from sdc_core.questions.frontier.pareto import Place, standings
from sdc_core.questions.frontier.words import Found
from sdc_core.questions.question import SLOTS, Chosen, Control, Given, Question
from sdc_core.questions.work import about
from sdc_core.words.numbers import counted, listed, lowered

SLOW = "frontier-slow"  # the job that runs methods which take long


def attack(given: Given) -> Choice | None:
    """What the intruder tries; only what can be tried on the table."""
    able = {str(one): words.TITLES[one] for one in compute.offered(given.table)}
    if not able:
        return None
    return Choice(
        name="f_attack", title="An intruder wants to", default=next(iter(able)),
        choices=tuple(able), titles=able,
        help="The same attack is tried on the releases of every method. See below how.",
    )


def error(given: Given) -> Choice:
    return Choice(
        name="f_error", title="Error", default="people", choices=("people", "all"),
        titles={"people": "in groups that have people", "all": "empty ones included"},
        segments=True, help="The mean over groups of how far off one count is. Methods that add "
        "noise put people into empty groups, too; offices that hide counts usually do not.",
    )


def slow(given: Given) -> Flag:
    return Flag(
        name="f_slow", title="Methods that take a minute or more, too", default=False,
        help="Methods that fit a model or a consistent table; they run once you start them.",
    )


def why_which(given: Given) -> Choice | None:
    """Which method of the bar is explained."""
    places = [str(i + 1) for i in range(len(given.chosen))]
    if not places:
        return None
    return Choice(
        name="f_why", title="Explain", default="1", choices=tuple(places), label_hidden=True,
        titles={p: one.plain_label() for p, one in zip(places, given.methods, strict=True)},
    )


def answer(given: Given) -> Answer:
    able = compute.offered(given.table)
    if not able:
        return Answer("There are too few people in this table for an intruder to look for any.")
    every = compute.paths(given)
    found = settings_found(given, every)
    if not found.marks:
        return Answer("No method that is quick enough fits this table: start one below, or count "
                      "by fewer features.")
    left_out = words.not_offered(given.table, able)
    notices = (Notice(left_out, "quiet"),) if left_out else ()
    headline = words.headline(found)
    panels = (risk_and_error(given, found, headline, every), *why_here(given, found))
    return Answer(
        headline, words.more(found), panels, notices,
        see=(See("reidentification", "Who can be found, and by what"),
             See("compare", "Who is put off"), See("delta_epsilon", "What is promised")),
    )


def settings_found(given: Given, every: Sequence[Path]) -> Found:
    """All settings that are quick or asked for, and where they stand."""
    everywhere = given["f_error"] == "all"
    wanted = wanted_settings(given, every)
    kept = run(given, [method for method, _, _ in wanted])
    marks = [Mark(kept[method], path, slot) for method, path, slot in wanted if method in kept]
    given.work.saw(*(max(m.what.releases, m.what.success.releases) for m in marks))
    places = [
        Place(m.what.off(everywhere), (m.what.success.advantage, m.what.success.error))
        for m in marks
    ]
    return Found(marks, places, standings(places), everywhere, given.table,
                 words.attack_words(Attack(given["f_attack"]), sensitive(given)))


def sensitive(given: Given) -> str:
    """What the intruder wants to infer, in words."""
    knows = compute.knowledge(given.table)
    return lowered(given.table.domain.features[knows.sensitive].title) if knows else ""


def wanted_settings(
    given: Given, every: Sequence[Path]
) -> list[tuple[Mechanism, Path, str]]:
    """Each setting with its path; those of the bar come last and carry their slot."""
    table = given.table
    out = [
        (method, path, "") for path in every
        if compute.quick(path, table) or given["f_slow"]
        for method in given.work.kept(compute.fitting, path, table)
    ]
    by_base = {path.base: path for path in every}
    for one, slot in zip(given.methods, given.slots, strict=True):
        param = compute.main_param(one)
        if param is not None:
            out.append((one, by_base[one.replace(**{param.name: param.default})], slot))
    return out


def run(given: Given, methods: Sequence[Mechanism]) -> dict[Mechanism, Assessed]:
    """Settings assessed and kept, with progress; those of slow methods once they are asked for."""
    rest = (given.table, Attack(given["f_attack"]), given.seed)
    every = list(dict.fromkeys(methods))
    waiting = [
        m for m in every if m.slow and not given.work.may_start(SLOW)
        and not given.work.keep.holds(assessed, m, *rest)
    ]
    if waiting:
        names = listed(list(dict.fromkeys(m.title for m in waiting)))
        number = counted(len(waiting), "setting", "settings")
        seconds = sum(compute.seconds(m, given.table, rest[1]) for m in waiting)
        given.work.wait_for(Job(
            SLOW, f"Run {names}", f"{number}, {about(seconds)} in all. Moving any control cancels; "
            "what is done is kept."))
    ready = [m for m in every if m not in waiting]
    missing = [m for m in ready if not given.work.keep.holds(assessed, m, *rest)]
    given.work.each(
        lambda i: counted(len(missing), "setting", "settings"), assessed,
        [(m, *rest) for m in missing], [compute.seconds(m, given.table, rest[1]) for m in missing])
    made = [given.work.kept(assessed, m, *rest) for m in ready]
    return dict(zip(ready, made, strict=True))


def risk_and_error(
    given: Given, found: Found, headline: str, every: Sequence[Path]
) -> Panel:
    chart = figures.frontier_chart(found)
    simulated = any(m.what.success.releases for m in found.marks)
    bands = " Thin lines: two standard errors to both sides." if simulated else ""
    missing = not_shown(found, every)
    return Panel(
        "frontier", "Risk against error",
        "Down and left is better. Small marks are settings of each method along the parameter it "
        "is tuned by, large ones the method bar; filled marks have a promise that holds, hollow "
        f"ones none to rely on.{found.said.limits}{bands} A click takes a setting to the method "
        "bar (of a method that is not there, in place of the last one if all are taken) and "
        f"explains it below.{missing}",
        (chart,), lambda: figures.frontier_table(found, given["f_attack"]),
        alt=f"{found.said.axis}, against the error, a mark a setting. {headline}",
        actions=tuple(slow_action(given, every)), pick=pick(given, found),
    )


def slow_action(given: Given, every: Sequence[Path]) -> list[Action]:
    names = [path.base.title for path in every if not compute.quick(path, given.table)]
    if not names or given["f_slow"]:
        return []
    said = listed(names) if len(names) < 4 else f"{len(names)} methods that take longer"  # a phone
    return [Action(f"Add {said}", {"f_slow": "true"}, "add")]


def not_shown(found: Found, every: Sequence[Path]) -> str:
    """Methods that no setting is shown of."""
    here = {m.path.base for m in found.marks}
    names = [path.base.doing for path in every if path.base not in here]
    return f" Not shown, since they take longer or do not fit: {listed(names)}." if names else ""


def pick(given: Given, found: Found) -> PickSettings:
    """A click on a mark: its setting goes to the bar, and is the one that is explained."""
    clicks = [clicked(given, mark) for mark in found.marks]
    return PickSettings(tuple({**sets, "f_why": place} for place, sets in clicks))


def clicked(given: Given, mark: Mark) -> tuple[str, Mapping[str, str]]:
    """Where in the bar the setting goes, and what that sets."""
    free = next((slot for slot in SLOTS if slot not in given.slots), SLOTS[-1])
    slot = mark.slot or mark.path.slot or free
    place = str(sorted({*given.slots, slot}).index(slot) + 1)
    sets = {f"{slot}.{name}": text for name, text in mark.what.texts.items()}
    return place, {slot: mark.mechanism.name, **sets}


def why_here(given: Given, found: Found) -> list[Panel]:
    """The setting of the bar that was clicked or chosen, explained."""
    if not given.chosen:
        return []
    chosen: Chosen = given.chosen[int(given["f_why"]) - 1]
    number = next((i for i in found.present if found.marks[i].mechanism == chosen.mechanism), None)
    title, controls = "Why here?", ("f_why",)
    if number is None:
        return [Panel("why", title, "This method takes long: start it above.", controls=controls)]
    said = why.sentences(found, number, chosen.guarantee, tried(given, chosen), sensitive(given))
    evaluation = given.work.kept(
        evaluate, chosen.mechanism, given.table, releases_of(chosen.mechanism), given.seed)
    looks = {name: ColumnLook(format="%.2f") for name in (
        "off by, on average", "too high or low, on average")}
    return [Panel(
        "why", title, "How far off counts are, by the size of the group.",
        TableView(why.size_table(given.table, evaluation), looks), alt=said[0], prose=said,
        controls=controls,
    )]


def tried(given: Given, chosen: Chosen) -> dict[Attack, Success]:
    """All attacks on this one setting; of a slow method the one that is shown."""
    able = compute.offered(given.table)
    if chosen.mechanism.slow:
        able = [Attack(given["f_attack"])]
    return {
        one: given.work.kept(attacked, chosen.mechanism, given.table, one, given.seed)
        for one in able
    }


def seconds(given: Given) -> float:
    """All quick paths together, on a large table."""
    quick = [p.base for p in compute.paths(given) if compute.quick(p, given.table)]
    return compute.SETTINGS * sum(compute.seconds(one, given.table) for one in quick)


QUESTION = Question(
    address="frontier", title="Risk and error", section="What follows", icon="stacked_line_chart",
    asks="which settings are beaten, if every method faces the same attack?",
    sentence="At the error of hiding counts below 6, no method shown lets an intruder find fewer "
    "people who are one of a kind; or this one does.",
    answer=answer, method=METHOD, sources=(f"{sources.P0} §7", sources.SDNIST),
    controls=(
        Control(attack, after_methods=True, prominent=True, width=330),
        Control(error, after_methods=True, prominent=True, width="content"),
        Control(slow, after_methods=True),
        Control(why_which, after_methods=True, at_panel=True, width=380),
    ),
    most_cells=200_000, seconds=seconds,
)

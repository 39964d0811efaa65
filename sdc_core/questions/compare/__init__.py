"""Compare: how far off are the counts, who pays for it, and what is promised?"""

from __future__ import annotations

from collections.abc import Iterator

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.mechanisms import with_counterparts
from sdc_core.mechanisms.base import Generalises, Mechanism
from sdc_core.mechanisms.work import ShowsWork
from sdc_core.parameters import Choice, Flag
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel, TableView
from sdc_core.questions.compare import figures, words
from sdc_core.questions.compare.method import METHOD
from sdc_core.questions.question import Control, Given, Question, move_along, tunable_params
from sdc_core.words.evaluations import precision_sentence
from sdc_core.words.numbers import listed

REPETITIONS = 200  # as in the papers
CURVE_REPETITIONS = 40  # enough for a line, where there is no exact one


def simulate(given: Given) -> Flag:
    return Flag(
        name="simulate", title=f"Simulate {REPETITIONS} releases instead of exact formulas",
        default=False, help="The papers average 200 random releases. Exact formulas give what "
        "infinitely many would.",
    )


def tune(given: Given) -> Choice | None:
    return move_along("tune", given.methods)


def sensitive_features(given: Given) -> list[Choice]:
    """For each method that merges people, the feature that an outsider would like to know."""
    features = given.table.domain.features
    return [
        Choice(
            name=f"{own}.sensitive", title="Sensitive feature", default=features[-1].name,
            choices=tuple(f.name for f in features), titles={f.name: f.title for f in features},
            help="What an outsider would like to know about a member of a group.",
        )
        for own, one in own_names(given.methods).items() if isinstance(one, Generalises)
    ]


def own_names(methods: tuple[Mechanism, ...]) -> dict[str, Mechanism]:
    """A name for each method in keys and the link, also where two are the same one."""
    names = [one.name for one in methods]
    earlier = [names[:i].count(name) for i, name in enumerate(names)]
    return {
        f"{name}-{n + 1}" if n else name: one
        for name, n, one in zip(names, earlier, methods, strict=True)
    }


def answer(given: Given) -> Answer:
    evaluations = given.work.evaluate(
        given.methods, given.table, given.seed, REPETITIONS, given["simulate"]
    )
    guarantees = [given.guarantee(e.mechanism) for e in evaluations]
    headline, more = words.compare_sentences(given.table, evaluations, guarantees)
    if not evaluations:
        return Answer(headline, more)
    panels = [
        how_far_off(given, evaluations, headline),
        who_is_moved(given, evaluations),
        *tuned_differently(given, evaluations),
        *published_groups(given, evaluations),
        *one_release_worked_out(given, evaluations),
    ]
    return Answer(headline, more, tuple(panels))


def how_far_off(given: Given, evaluations: list[Evaluation], headline: str) -> Panel:
    table = given.table
    guarantees = [given.guarantee(e.mechanism) for e in evaluations]
    alt = (
        "Bars for each method: total error, systematic error, unfairness, largest variance, and "
        f"the chance that its privacy promise fails. {headline}"
    )
    return Panel(
        "summary", "How far off are the counts?",
        f"{table.total:,} people in {len(table):,} groups, {int((table.counts == 0).sum()):,} of "
        f"them empty. {precision_sentence(evaluations, given.seed)}",
        figures.summary_bars(evaluations, guarantees, alt),
        lambda: figures.summary_table(evaluations, guarantees), alt,
    )


def who_is_moved(given: Given, evaluations: list[Evaluation]) -> Panel:
    burden = words.burden_sentence(given.table, evaluations)
    return Panel(
        "bias-by-count", "Who is counted too high or too low?",
        f"{burden} Each mark is one or more groups; larger marks are more groups. Point at one to "
        "see who they are; the table lists the worst first.",
        tuple(figures.bias_by_count(given.table, evaluations)),
        lambda: figures.worst_cells(given.table, evaluations),
        alt=f"Signed bias against the true count, one panel a method on one scale. {burden}",
    )


def tuned_differently(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    title = "What if it were tuned differently?"
    chosen = [e.mechanism for e in evaluations]
    param = tunable_params(given.methods).get(given.get("tune") or "")
    if param is None:
        return
    shown = [one for one in with_counterparts(chosen) if not one.slow]
    if not shown:
        yield Panel("sweep", title, "These methods take too long to be drawn along a line.",
                    controls=("tune",))
        return
    curves = [
        given.work.curve(one, given.table, param, given.seed, CURVE_REPETITIONS) for one in shown
    ]
    slow = [one.title for one in chosen if one.slow]
    left_out = f" {listed(slow)}: a line would take too long and is left out." if slow else ""
    yield Panel(
        "sweep", title, "Marks show the present setting. DP versions are drawn beside the "
        "traditional method they imitate; a method without this parameter is a level "
        f"line.{left_out}",
        tuple(figures.sweep_lines(
            param, curves, ("l1_error", "fairness_alpha"), [one in chosen for one in shown]
        )),
        lambda: figures.sweep_table(param, curves),
        alt=f"Total error and unfairness as {param.title} changes, one line a method.",
        controls=("tune",),
    )


def published_groups(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    """What a method that merges people really publishes: the groups, and what they still give
    away about a sensitive feature."""
    for own, one in own_names(tuple(e.mechanism for e in evaluations)).items():
        if not isinstance(one, Generalises):
            continue
        groups = given.work.kept(one.generalised_table, given.table, given.seed)
        sentences = [given.work.kept(one.groups_sentence, given.table, given.seed)]
        notices: tuple[Notice, ...] = ()
        control = f"{own}.sensitive"
        if not groups.empty:
            try:
                sentences.append(words.diversity_sentence(given.work.kept(
                    one.diversity, given.table, given[control], given.seed)))
            except InputError as problem:  # the feature is itself generalised
                notices = (Notice(str(problem)),)
        yield Panel(
            f"groups-{own}", f"The groups that {one.label()} publishes", prose=tuple(sentences),
            drawing=None if groups.empty else TableView(groups), notices=notices,
            controls=() if groups.empty else (control,), folded=True, icon="groups",
        )


def one_release_worked_out(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    """What a method measured, and what its post-processing made of it."""
    for own, one in own_names(tuple(e.mechanism for e in evaluations)).items():
        if isinstance(one, ShowsWork):
            work = given.work.kept(one.work, given.table, given.seed)
            yield Panel(
                f"work-{own}", f"How one release of {one.label()} came about",
                prose=(words.work_sentence(work, given.seed),),
                drawing=TableView(given.work.kept(work.table)), folded=True, icon="construction",
            )


QUESTION = Question(
    address="compare", title="Compare", section="Compare", icon="compare_arrows",
    asks="how far off are the counts, who is counted too high or too low, what if it were tuned "
    "differently?",
    sentence="On this table, method A is off by so much and method B by so much; A keeps its "
    "privacy promise and B does not; and these are the people who pay for it.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1, sources.P2),
    controls=(
        Control(simulate, after_methods=True),
        Control(tune, after_methods=True, at_panel=True),
        Control(sensitive_features, after_methods=True, at_panel=True),
    ),
)

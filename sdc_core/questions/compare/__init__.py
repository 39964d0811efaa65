"""Compare: how far off are the counts, who pays for it, and what is promised?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism, with_counterparts
from sdc_core.mechanisms.base import Doing, Generalises, Mechanism
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.mechanisms.work import ShowsWork
from sdc_core.parameters import Choice, Flag
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel, See, TableView
from sdc_core.questions.columns import sensitive_of
from sdc_core.questions.compare import figures, words
from sdc_core.questions.compare.method import METHOD
from sdc_core.questions.question import (
    Control,
    Given,
    Preset,
    Question,
    move_along,
    tunable_params,
)
from sdc_core.questions.study import EmptyGroups
from sdc_core.questions.work import POINTS, can_be_drawn
from sdc_core.questions.yardstick import yardstick_words, yardsticks
from sdc_core.words.evaluations import precision_sentence, too_large_sentence
from sdc_core.words.groups import who_is_counted
from sdc_core.words.guarantees import household_sentence
from sdc_core.words.numbers import Sentences, listed, lowered

REPETITIONS = 200  # as in the papers
CURVE_REPETITIONS = 40  # enough for a line, where there is no exact one
RACE = "RAC1P"


def simulate(given: Given) -> Flag:
    return Flag(
        name="simulate", title=f"Simulate {REPETITIONS} releases instead of exact formulas",
        default=False, help="The papers average 200 random releases. Exact formulas give what "
        "infinitely many would.",
    )


def presets(given: Given) -> list[Preset]:
    """The papers' tables, with what they do to empty groups; DP k-anonymity, the fifth method of
    the second, has no card left, and its swapping hands race round alone."""
    three = (mechanism("laplace"), mechanism("discrete-gaussian"), mechanism("dp-suppression"))
    found = [Preset(
        "das-2024-table-1", "As in Das et al. 2024, Table 1",
        (*three, mechanism("dp-swapping", **AS_IN_DAS_2024).suited_to(given.table)),
        EmptyGroups.LEFT_AT_ZERO,
    )]
    if RACE in given.table.domain.names:
        found.append(Preset(
            "zhu-2023-table-1", "As in Zhu et al. 2023, Table 1, without DP k-anonymity",
            (*three, mechanism("dp-swapping-uniform", quasi_identifiers=(RACE,), unit="cell")),
        ))
    return found


def tune(given: Given) -> Choice | None:
    """Parameters of methods whose line is drawn: along another one, all lines would be level."""
    return move_along("tune", [m for m in given.methods if drawable(given, m)] or given.methods)


def drawable(given: Given, method: Mechanism) -> bool:
    """Is it quick enough to be drawn along a line?"""
    return can_be_drawn(method, given.table, POINTS, CURVE_REPETITIONS, exact=True)


def sensitive_features(given: Given) -> list[Choice]:
    """For each method that merges people, the feature that an outsider would like to know."""
    features = given.table.domain.features
    return [
        Choice(
            name=f"{own}.sensitive", title="Sensitive feature", default=sensitive_of(features),
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
    if given.dataset.largest_household is not None:
        named = [(e.mechanism.spoken(), g) for e, g in zip(evaluations, guarantees, strict=True)]
        more = Sentences(
            *more.parts, household_sentence(named, given.dataset.largest_household))
    if not evaluations:
        return Answer(headline, more)
    panels = [
        how_far_off(given, evaluations, headline), added_up(given, evaluations),
        *beside_the_survey(given, evaluations),
        who_is_moved(given, evaluations),
        *tuned_differently(given, evaluations),
        *published_groups(given, evaluations),
        *one_release_worked_out(given, evaluations),
    ]
    return Answer(headline, more, tuple(panels), see=tuple(leads_on(given, guarantees)))


def leads_on(given: Given, guarantees: Sequence[Guarantee]) -> Iterator[See]:
    """Where a reader of the sentences would ask on."""
    if any(one.holds is False for one in guarantees):
        yield See("delta_epsilon", "Why a published guarantee is not true")
    if (given.table.counts == 0).any():
        yield See("sparsity", "What empty groups cost")


def how_far_off(given: Given, evaluations: list[Evaluation], headline: str) -> Panel:
    table = given.table
    return Panel(
        "sizes", "How far off is a count?",
        f"{who_is_counted(table, given.dataset.weight)} in {number_of_groups(table)}. "
        f"{precision_sentence(evaluations, given.seed)}",
        (figures.size_dots(table, evaluations),), lambda: figures.size_table(table, evaluations),
        f"A row a size of group, a mark a method: how far off one count is on average. {headline}",
        width=0.55,
    )


def added_up(given: Given, evaluations: list[Evaluation]) -> Panel:
    guarantees = [given.guarantee(e.mechanism) for e in evaluations]
    said = words.totals_sentence(evaluations)
    noisy = too_large_sentence(evaluations)
    rows = figures.sum_rows(given.table, evaluations)
    return Panel(
        "summary", "And in all?",
        f"{said} The table has unfairness, variance and the slack δ in the promise as "
        f"well.{f' {noisy}' if noisy else ''}",
        (figures.sum_dots(rows, evaluations),),
        lambda: figures.summary_table(evaluations, guarantees),
        f"{listed([row.title for row in rows])}, a mark a method. {said}", width=0.45,
    )


def number_of_groups(table: Histogram) -> str:
    """`540 groups, 316 of them empty`."""
    if len(table) == 1:
        return "one group"
    empty = int((table.counts == 0).sum())
    return f"{len(table):,} groups, {f'{empty:,}' if empty else 'none'} of them empty"


def beside_the_survey(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    found = yardsticks(given, evaluations)
    if not found:
        return
    said = yardstick_words(found, given.table.weighted)
    drawn = list(dict.fromkeys(e.mechanism.spoken() for e in evaluations if e.method != "exact"))
    missing = f" Left out, since its errors are estimated: {listed(drawn)}." if drawn else ""
    yield Panel(
        "sampling", "Is that much, beside what the survey itself does not know?",
        f"{said} The data are a sample: another one would have had other counts. Marks: a method's "
        "error in one release as a multiple of that sampling error, for the middle one of all "
        f"groups of a size; at 1 both are equal. Groups that have nobody are left out.{missing}",
        (figures.sampling_dots(found),), lambda: figures.sampling_table(found), said,
    )


def who_is_moved(given: Given, evaluations: list[Evaluation]) -> Panel:
    burden = words.burden_sentence(given.table, evaluations)
    caption = (
        burden, "Each mark is one or more groups; larger marks are more groups. Point at one to "
        "see who they are; the table lists the groups that have people, the largest bias first.",
        words.chance_sentence(evaluations),
    )
    return Panel(
        "bias-by-count", "Who is counted too high or too low?", " ".join(filter(None, caption)),
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
    shown = [one for one in with_counterparts(chosen) if drawable(given, one)]
    if not shown:
        yield Panel("sweep", title, "These methods take too long to be drawn along a line.",
                    controls=("tune",))
        return
    curves = [
        given.work.curve(one, given.table, param, given.seed, CURVE_REPETITIONS) for one in shown
    ]
    slow = list(dict.fromkeys(one.spoken(param) for one in chosen if one not in shown))
    left_out = f" Left out, since a line would take too long: {listed(slow)}." if slow else ""
    drawn = list(dict.fromkeys(
        c.mechanism.spoken(param) for c in curves if any(e.method != "exact" for e in c.points)
    ))
    if drawn:
        left_out += f" Means over {CURVE_REPETITIONS} releases a point: {listed(drawn)}."
    yield Panel(
        "sweep", title, "Marks show the present setting. DP versions are drawn beside the "
        "traditional method they imitate; a method without this parameter is a level "
        f"line.{left_out}",
        tuple(figures.sweep_lines(
            param, curves, ("people_error", "fairness_alpha"), [one in chosen for one in shown]
        )),
        lambda: figures.sweep_table(param, curves),
        alt="Error of the counts of groups that have people, and unfairness over all groups, as "
        f"{lowered(param.title)} changes, one line a method.",
        controls=("tune",),
    )


def published_groups(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    """What a method that merges people really publishes: the groups, and what they still give
    away about a sensitive feature."""
    for own, one in own_names(tuple(e.mechanism for e in evaluations)).items():
        if not isinstance(one, Generalises):
            continue
        groups = given.work.kept(one.generalised_table, given.table, given.seed)
        said = given.work.kept(one.groups_sentence, given.table, given.seed)
        sentences = [*in_records(given.table), *of_one_release(one, given.seed), said]
        notices: tuple[Notice, ...] = ()
        control = f"{own}.sensitive"
        if not groups.empty:
            try:
                sentences.append(words.diversity_sentence(given.work.kept(
                    one.diversity, given.table, given[control], given.seed)))
            except InputError as problem:  # the feature is itself generalised
                notices = (Notice(str(problem)),)
        yield Panel(
            f"groups-{own}", f"The groups that {one.spoken()} publishes", prose=tuple(sentences),
            drawing=None if groups.empty else TableView(groups), notices=notices,
            controls=() if groups.empty else (control,), folded=True, icon="groups",
        )


def of_one_release(method: Mechanism, seed: int) -> list[str]:
    """Groups of records that were drawn are those of one release, and no finding."""
    drawn = method.does is Doing.SAMPLING
    return [f"These are the groups of one release (seed {seed}); another one has others."] * drawn


def in_records(table: Histogram) -> list[str]:
    """Of what a method publishes or measures, whatever results are told in."""
    return ["Counts here are of records, on which the method acts."] * table.weighted


def one_release_worked_out(given: Given, evaluations: list[Evaluation]) -> Iterator[Panel]:
    """What a method measured, and what its post-processing made of it."""
    for own, one in own_names(tuple(e.mechanism for e in evaluations)).items():
        if isinstance(one, ShowsWork):
            work = given.work.kept(one.work, given.table, given.seed)
            yield Panel(
                f"work-{own}", f"How one release of {one.spoken()} came about",
                prose=(*in_records(given.table), words.work_sentence(work, given.seed)),
                drawing=TableView(given.work.kept(work.table)), folded=True, icon="construction",
            )


QUESTION = Question(
    address="compare", title="Compare", section="Compare", icon="compare_arrows",
    asks="how far off are the counts, who is counted too high or too low, what if it were tuned "
    "differently?",
    sentence="In groups that have people, method A is off by so much and method B by so much; so "
             "many "
    "are put where nobody is; A keeps its privacy promise and B does not; and these are the people "
    "who pay for it.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1, sources.P2), presets=presets,
    see=(See("delta_epsilon", "How far and how often the odds move"),), weighted=True,
    controls=(
        Control(simulate, after_methods=True),
        Control(tune, after_methods=True, at_panel=True),
        Control(sensitive_features, after_methods=True, at_panel=True),
    ),
)

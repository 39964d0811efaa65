"""Prediction: how good is a model that learnt from the release, and for whom is it wrong?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

from sdc_core.data.schema import Role
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.metrics.classification import (
    PEOPLE_FOR_A_RATE,
    GroupErrors,
    GroupShift,
    Task,
    Trained,
    TruthAndGuessing,
    errors_by_group,
    group_shifts,
    truth_and_guessing,
)
from sdc_core.metrics.classifiers import MODELS, Model
from sdc_core.metrics.error import PEOPLE_FOR_A_HEADLINE
from sdc_core.metrics.logistic import check_inputs
from sdc_core.parameters import Choice, Several
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.classification import compute, figures, words
from sdc_core.questions.classification.method import METHOD
from sdc_core.questions.question import (
    Control,
    Given,
    Methods,
    Preset,
    Question,
    move_along,
    tunable_params,
    usual_methods,
)
from sdc_core.questions.study import EmptyGroups
from sdc_core.questions.work import can_be_drawn
from sdc_core.words.numbers import listed, lowered

PAPERS_DATA = "ma2019"
TARGET = "INCOME_50K"  # these as in the paper
PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
GROUPS = ("RAC1P", "SEX")


def target(given: Given) -> Choice | None:
    """What is predicted; None where the data has nothing to predict."""
    found = given.work.kept(columns.yes_or_no, given.dataset)
    if not found or len(given.dataset.features) < 2:
        return None
    usual = given.work.kept(columns.to_predict, given.dataset, tuple(found), TARGET)
    return columns.one_of_them("p_target", "Predict", found, usual)


def predictors(given: Given) -> Several | None:
    return _features(given, "p_from", "From", _usual_predictors(given), least=1)


def groups(given: Given) -> Several | None:
    return _features(given, "p_by", "Errors by", columns.groups_among(_able(given), GROUPS))


def also_counted(given: Given) -> Several | None:
    return _features(
        given, "p_also", "The released table also counts by", [],
        help="The finer the released table, the more it is disturbed.",
    )


def model(given: Given) -> Choice | None:
    if not given.get("p_target"):
        return None
    return Choice(
        name="p_model", title="Model", default="logistic", choices=tuple(MODELS),
        titles={name: one.title for name, one in MODELS.items()},
    )


def tune(given: Given) -> Choice | None:
    return move_along("p_tune", drawable(given))


def drawable(given: Given) -> list[Mechanism]:
    """Methods that are quick enough to be drawn along a line."""
    return [
        one for one in given.methods
        if can_be_drawn(one, given.table, compute.MANY_POINTS, compute.REPETITIONS)
    ]


def _free(given: Given) -> list[str]:
    """Features that are not what is predicted."""
    return [n for n in given.dataset.features if n != given.get("p_target")]


def _able(given: Given) -> list[Feature]:
    return [f for f in columns.features(given.dataset) if f.name != given.get("p_target")]


def _usual_predictors(given: Given) -> list[str]:
    """What an outsider may know, as far as the table stays small; the place last."""
    able = _able(given)
    known = columns.with_role(able, Role.QUASI, Role.PLACE, *Role, usual=PREDICTORS)
    return columns.small_enough(able, known, columns.MOST_CELLS)


def _features(
    given: Given, name: str, title: str, usual: list[str], least: int = 0, help: str = ""
) -> Several | None:
    if not given.get("p_target"):
        return None
    return Several(
        name=name, title=title, default=tuple(usual), choices=tuple(_free(given)),
        titles=columns.titles(given.dataset), least=least, help=help,
    )


def table(given: Given) -> Histogram:
    """People counted by all that the models and the groups need; without anything to predict by
    one feature alone, of which nothing is shown."""
    if not given.get("p_target"):
        return given.study.count(given.study.features[:1])
    read = given.work.kept(columns.in_two, given.dataset, given["p_target"])
    counted = dataclasses.replace(given.study, dataset=read).count(dict.fromkeys(
        (*given["p_from"], *given["p_by"], *given["p_also"], given["p_target"])
    ))
    counted = given.work.kept(compute.who_answered, counted, given["p_target"])
    task(given, counted)  # what is wrong with it is said before any method is chosen
    return counted


def task(given: Given, counted: Histogram) -> Task:
    return given.work.kept(Task, counted.domain, given["p_from"], given["p_target"])


def methods(given: Given) -> Methods:
    return usual_methods(given) if given.get("p_target") else {}


def presets(given: Given) -> list[Preset]:
    """As in the paper: k = 6, zeros left alone, and 25% of the records swapped; ε is one of its
    four."""
    if not given.get("p_target"):
        return []
    return [Preset(
        "das-2024-figure-4", "As in Das et al. 2024, Figure 4",
        (
            mechanism("laplace"), mechanism("discrete-gaussian"), mechanism("dp-suppression", k=6),
            mechanism("dp-swapping", **AS_IN_DAS_2024).suited_to(given.table),
        ),
        EmptyGroups.LEFT_AT_ZERO,
    )]


def seconds(given: Given) -> float:
    """Of models fitted to releases, at the present settings and, unless they are asked for, along
    lines."""
    if not given.get("p_target"):
        return 0.0
    one, size = MODELS[given["p_model"]], task(given, given.table).size
    check_inputs(*size)  # before anybody waits for it
    lines = 0 if one.slow else compute.MANY_POINTS * compute.REPETITIONS * len(drawable(given))
    releases = compute.releases_at_once(one) * len(given.methods) + lines
    return releases * one.seconds(*size)


class Found(NamedTuple):
    """Models trained on the truth and on releases, and whom they are wrong about."""

    what: Task
    model: Model
    against: TruthAndGuessing
    trained: list[Trained]
    before: GroupErrors
    after: list[GroupErrors]
    shifts: list[list[GroupShift]]
    small: list[list[GroupShift]]  # of groups with too few people for a headline

    @property
    def once(self) -> Found:
        """For sentences: a method that is chosen twice is one."""
        first = {t.mechanism: i for i, t in reversed(list(enumerate(self.trained)))}
        kept = sorted(first.values())
        return self._replace(
            trained=[self.trained[i] for i in kept], after=[self.after[i] for i in kept],
            shifts=[self.shifts[i] for i in kept], small=[self.small[i] for i in kept])


def find(given: Given) -> Found:
    """Without features to group by, everybody is one group, and nobody is singled out."""
    work, counted, by = given.work, given.table, given["p_by"]
    what, chosen = task(given, counted), MODELS[given["p_model"]]
    trained = compute.trained_now(work, given.methods, counted, given.seed, what, chosen)
    against = work.kept(truth_and_guessing, counted, what, chosen, given.seed)
    before = work.kept(errors_by_group, counted, what, against.truth.learnt, by)
    after = [work.kept(errors_by_group, counted, what, t.scores.learnt, by) for t in trained]
    shifts = [work.kept(group_shifts, before, found) if by else [] for found in after]
    small = [
        work.kept(group_shifts, before, found, PEOPLE_FOR_A_RATE, PEOPLE_FOR_A_HEADLINE)
        if by else [] for found in after
    ]
    return Found(what, chosen, against, trained, before, after, shifts, small)


def answer(given: Given) -> Answer:
    if not given.get("p_target"):
        nothing = given.get("p_target") is None
        return Answer(words.NOTHING_TO_PREDICT if nothing else words.NOTHING_WORTH)
    found = find(given)
    if not found.trained:
        return Answer(words.NO_METHOD)
    empty = int((given.table.counts == 0).sum())
    once = found.once
    headline, more = words.prediction_sentences(once.trained, once.against, once.shifts, empty)
    panels = [
        how_often_right(given, found, headline),
        *whom_it_is_wrong_about(given, found),
        *tuned_differently(given, found),
    ]
    notices = [Notice(note, "info", "info") for note in words.release_notes(once.trained)]
    notices += [Notice(note, "quiet") for note in unanswered(given)]
    return Answer(headline, more, tuple(panels), tuple(notices))


def unanswered(given: Given) -> Iterator[str]:
    """Whose answer is missing cannot be predicted, and is not in the table."""
    left_out = len(given.dataset) - given.table.total
    if left_out:
        what = given.dataset.column(given["p_target"]).title
        yield (f"{left_out:,} of {len(given.dataset):,} people are left out: their {lowered(what)} "
               "is missing.")


def is_the_papers(given: Given) -> bool:
    """Is all as in the paper: data, task, model, methods, conventions?"""
    task = ("p_target", "p_from", "p_also", "p_model")
    return (
        given.dataset.id == PAPERS_DATA
        and all(given[name] == given.params[name].default for name in task)
        and any(one.is_on(given.study, given.methods) for one in presets(given))
    )


def how_often_right(given: Given, found: Found, headline: str) -> Panel:
    precision = words.precision_note(found.once.trained, found.against, given.table.total)
    papers = words.papers_sentence(found.trained) if is_the_papers(given) else ""
    return Panel(
        "prediction", "How often is the model right?", f"{precision} {papers}".strip(),
        (figures.right_against_truth(found.trained, found.against),),
        lambda: figures.score_table(found.trained, found.against), headline,
    )


def whom_it_is_wrong_about(given: Given, found: Found) -> Iterator[Panel]:
    if not given["p_by"]:
        return
    once = found.once
    said = words.group_sentence(once.before, once.shifts, once.trained, once.small)
    chart = figures.group_errors(found.before, found.after, found.trained)
    yield Panel(
        "prediction-groups", "Whom is it wrong about?",
        f"{said} {words.left_to_the_table(found.before)}",
        None if chart is None else (chart,),
        lambda: figures.group_table(found.before, found.after, found.trained),
        alt=f"Error rates by group. {said}",
    )


def tuned_differently(given: Given, found: Found) -> Iterator[Panel]:
    name, title = "prediction-sweep", "What if it were tuned differently?"
    shown = drawable(given)
    param = tunable_params(shown).get(given.get("p_tune") or "")
    if not shown:
        yield Panel(name, title, "These methods take too long to be drawn along a line.")
    if param is None:
        return
    curves = compute.trained_along(
        given.work, shown, param, given.table, given.seed, found.what, found.model
    )
    if curves is None:
        waits = "The lines are drawn once their models are trained: see the button above."
        yield Panel(name, title, waits, controls=("p_tune",))
        return
    said = words.sweep_sentence(param, curves)
    slow = list(dict.fromkeys(m.label_without(param) for m in given.methods if m not in shown))
    left_out = f" {listed(slow)}: a line would take too long and is left out." if slow else ""
    yield Panel(
        name, title,
        f"{said} Bands hold the middle 80% of {compute.REPETITIONS} releases. Marks show the "
        f"present setting; a method without this parameter is a level line.{left_out}",
        tuple(figures.accuracy_lines(param, curves, found.against)),
        lambda: figures.sweep_table(param, curves),
        alt=f"Accuracy and balanced accuracy along {param.title}. {said}", controls=("p_tune",),
    )


QUESTION = Question(
    address="classification", title="Prediction", section="Is it still true?",
    icon="model_training",
    asks="how good is a model that learnt from the release, and for whom is it wrong?",
    sentence="A model trained on a release of Laplace is on average right for so many people, "
    "against so many when trained on the truth and so many by always saying the same; for this "
    "group it is wrong more often.",
    answer=answer, method=METHOD, sources=(sources.P0,),
    method_title="What is learnt from what, and how is it computed?",
    controls=(
        Control(target, width=220, prominent=True), Control(predictors), Control(groups),
        Control(model, width=220, prominent=True), Control(also_counted),
        Control(tune, after_methods=True, at_panel=True),
    ),
    table=table, methods=methods, presets=presets, own_table=True,
    old_slots=("p1", "p2", "p3", "p4"),
    most_cells=100_000, seconds=seconds,  # 180 releases along a line, several times: 1 GB
)

"""Prediction: how good is a model that learnt from the release, and for whom is it wrong?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.swapping import QUASI_IDENTIFIERS
from sdc_core.metrics.classification import (
    GroupErrors,
    GroupShift,
    Task,
    Trained,
    TruthAndGuessing,
    errors_by_group,
    truth_and_guessing,
    worst_shift,
)
from sdc_core.metrics.classifiers import MODELS, Model
from sdc_core.parameters import Choice, Several
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.classification import compute, figures, words
from sdc_core.questions.classification.method import METHOD
from sdc_core.questions.question import (
    Control,
    Given,
    Methods,
    Question,
    move_along,
    tunable_params,
)
from sdc_core.words.numbers import listed

TARGET = "INCOME_50K"  # these as in the paper
PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
GROUPS = ("RAC1P", "SEX")


def target(given: Given) -> Choice | None:
    """What is predicted; None where the data has nothing to predict."""
    found = compute.two_valued(given.dataset)
    if not found or len(given.dataset.features) < 2:
        return None
    return Choice(
        name="p_target", title="Predict", default=TARGET if TARGET in found else found[-1],
        choices=found, titles=_titles(given),
    )


def predictors(given: Given) -> Several | None:
    return _features(given, "p_from", "From", _usual_predictors(given), least=1)


def groups(given: Given) -> Several | None:
    usual = [n for n in GROUPS if n in _free(given)] or _usual_predictors(given)[:1]
    return _features(given, "p_by", "Errors by", usual)


def also_counted(given: Given) -> Several | None:
    return _features(
        given, "p_also", "The released table also counts by", [],
        help="The finer the released table, the more it is disturbed.",
    )


def model(given: Given) -> Choice | None:
    if given.get("p_target") is None:
        return None
    return Choice(
        name="p_model", title="Model", default="logistic", choices=tuple(MODELS),
        titles={name: one.title for name, one in MODELS.items()},
    )


def tune(given: Given) -> Choice | None:
    return move_along("p_tune", [one for one in given.methods if not one.slow])


def _titles(given: Given) -> dict[str, str]:
    return {c.name: c.title for c in given.dataset.columns}


def _free(given: Given) -> list[str]:
    """Features that are not what is predicted."""
    return [n for n in given.dataset.features if n != given.get("p_target")]


def _usual_predictors(given: Given) -> list[str]:
    free = _free(given)
    return (
        [n for n in PREDICTORS if n in free]
        or [n for n in given.dataset.default_features if n in free] or free[:3]
    )


def _features(
    given: Given, name: str, title: str, usual: list[str], least: int = 0, help: str = ""
) -> Several | None:
    if given.get("p_target") is None:
        return None
    return Several(
        name=name, title=title, default=tuple(usual), choices=tuple(_free(given)),
        titles=_titles(given), least=least, help=help,
    )


def table(given: Given) -> Histogram:
    """People counted by all that the models and the groups need."""
    if given.get("p_target") is None:
        return given.study.table
    counted = given.study.count(dict.fromkeys(
        (*given["p_from"], *given["p_by"], *given["p_also"], given["p_target"])
    ))
    task(given, counted)  # what is wrong with it is said before any method is chosen
    return counted


def task(given: Given, counted: Histogram) -> Task:
    return Task(counted.domain, given["p_from"], given["p_target"])


def methods(given: Given) -> Methods:
    """As in the paper: k = 6, and 25% of the records swapped."""
    if given.get("p_target") is None:
        return {}
    swapped = QUASI_IDENTIFIERS.offered({f.name: f.title for f in given.table.domain.features})
    return {
        "p1": mechanism("laplace", epsilon=1.0),
        "p2": mechanism("discrete-gaussian", epsilon=1.0),
        "p3": mechanism("dp-suppression", epsilon=1.0, k=6),
        "p4": mechanism(
            "dp-swapping", epsilon=1.0, swap_rate=0.25, quasi_identifiers=swapped.default
        ),
    }


class Found(NamedTuple):
    """Models trained on the truth and on releases, and whom they are wrong about."""

    what: Task
    model: Model
    against: TruthAndGuessing
    trained: list[Trained]
    before: GroupErrors
    after: list[GroupErrors]
    shifts: list[GroupShift | None]


def find(given: Given) -> Found:
    """Without features to group by, everybody is one group, and nobody is singled out."""
    work, counted, by = given.work, given.table, given["p_by"]
    what, chosen = task(given, counted), MODELS[given["p_model"]]
    trained = compute.trained_now(work, given.methods, counted, given.seed, what, chosen)
    against = work.kept(truth_and_guessing, counted, what, chosen, given.seed)
    before = work.kept(errors_by_group, counted, what, against.truth.learnt, by)
    after = [work.kept(errors_by_group, counted, what, t.scores.learnt, by) for t in trained]
    shifts = [worst_shift(before, found) if by else None for found in after]
    return Found(what, chosen, against, trained, before, after, shifts)


def answer(given: Given) -> Answer:
    if given.get("p_target") is None:
        return Answer(words.NOTHING_TO_PREDICT)
    found = find(given)
    if not found.trained:
        return Answer(words.NO_METHOD)
    headline, more = words.prediction_sentences(found.trained, found.against, found.shifts)
    panels = [
        how_often_right(found, headline),
        *whom_it_is_wrong_about(given, found),
        *tuned_differently(given, found),
    ]
    notices = [Notice(note, "info", "info") for note in words.release_notes(found.trained)]
    return Answer(headline, more, tuple(panels), tuple(notices))


def how_often_right(found: Found, headline: str) -> Panel:
    precision = words.precision_note(found.against, compute.releases_at_once(found.model))
    papers = words.papers_sentence(found.trained, found.against)
    return Panel(
        "prediction", "How often is the model right?", f"{precision} {papers}".strip(),
        figures.summary_bars(found.trained, found.against, headline),
        lambda: figures.score_table(found.trained, found.against), headline,
    )


def whom_it_is_wrong_about(given: Given, found: Found) -> Iterator[Panel]:
    if not given["p_by"]:
        return
    said = words.group_sentence(found.before, found.shifts, found.trained)
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
    shown = [one for one in given.methods if not one.slow]
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
    slow = [one.title for one in given.methods if one.slow]
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
    sentence="A model trained on Laplace's release is right for so many people, against so many "
    "when trained on the truth and so many by always saying the same; for this group it is wrong "
    "more often.",
    answer=answer, method=METHOD, sources=(sources.P0,),
    method_title="What is learnt from what, and how is it computed?",
    controls=(
        Control(target, width=220), Control(predictors), Control(groups),
        Control(model, row=1, width=220), Control(also_counted, row=1),
        Control(tune, after_methods=True, at_panel=True),
    ),
    table=table, methods=methods, own_table=True,
)

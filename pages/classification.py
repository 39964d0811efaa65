"""Prediction: "A model trained on Laplace's release is right for so many people, against so many
when trained on the truth and so many by always saying the same; for this group it is wrong more
often."
"""

import streamlit as st

from sdc_core import mechanism
from sdc_core.errors import InputError
from sdc_core.figures import classification as figures
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import classification as metrics
from sdc_core.metrics.classifiers import MODELS
from sdc_core.narrative import classification as words
from ui import cards, compute, layout, sidebar, state
from ui.training import REPETITIONS, Training

SLOTS = {  # as in the paper: k = 6, and 25% of the records swapped
    "p1": mechanism("laplace", epsilon=1.0),
    "p2": mechanism("discrete-gaussian", epsilon=1.0),
    "p3": mechanism("dp-suppression", epsilon=1.0, k=6),
    "p4": mechanism("dp-swapping", epsilon=1.0, swap_rate=0.25),
}
PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
TARGET = "INCOME_50K"
GROUPS = ("RAC1P", "SEX")

study = sidebar.study()
dataset = study.dataset
titles = {c.name: c.title for c in dataset.columns}


def choose_task(targets: list[str]) -> tuple[str, list[str], list[str], list[str], str]:
    """What is predicted, from what, for whom, from which table, and how."""
    first, second, third = st.columns([1.2, 2.2, 1.6])
    with first:
        target = state.choose("p_target", "Predict", targets,
                              TARGET if TARGET in targets else targets[-1], titles)
    free = [n for n in dataset.features if n != target]
    usual = [n for n in PREDICTORS if n in free] or [
        n for n in dataset.default_features if n != target] or free[:3]
    with second:
        predictors = state.choose_many("p_from", "From", free, usual, titles)
    with third:
        by = state.choose_many(
            "p_by", "Errors by", free, [n for n in GROUPS if n in free] or usual[:1], titles)
    first, second = st.columns([1.2, 3.8])
    with first:
        model = state.choose(
            "p_model", "Model", list(MODELS), "logistic",
            {n: m.title for n, m in MODELS.items()})
    with second:
        also = state.choose_many(
            "p_also", "The released table also counts by", free, [], titles,
            help="The finer the released table, the more it is disturbed.")
    return target, predictors, by, also, model


def summary() -> None:
    said = words.papers_sentence(trained, yard)
    layout.chart(
        "prediction", "How often is the model right?",
        f"{words.precision_note(yard, training.repetitions)} {said}".strip(),
        figures.summary_bars(trained, yard, headline),
        lambda: figures.score_table(trained, yard), headline,
    )


def for_whom() -> None:
    layout.chart(
        "prediction-groups", "Whom is it wrong about?",
        words.group_sentence(before, shifts, trained)
        + f" Groups of fewer than {metrics.ENOUGH_PEOPLE} people are in the table only.",
        [figures.group_errors(before, after, trained)],
        lambda: figures.group_table(before, after, trained),
        alt=f"Error rates by group. {words.group_sentence(before, shifts, trained)}",
    )


def tuned_differently() -> None:
    methods = [m for m in drawn if not m.costly]
    st.markdown("#### What if it were tuned differently?")
    param = cards.move_along("p_tune", methods)
    if param is None:
        return
    curves = training.curves(methods, param, metrics.sweep_points(param, training.model.slow))
    if curves is None:
        return
    said = words.sweep_sentence(param.axis_title, [
        (c.mechanism.label_without(param), c.values, c.band("accuracy")[0])
        for c in curves if c.here is not None])
    layout.chart(
        "prediction-sweep", "", f"{said} Bands hold the middle 80% of {REPETITIONS} releases. "
        "Marks show the present setting; a method without this parameter is a level line.",
        figures.accuracy_lines(param, curves, yard, [True] * len(curves)),
        lambda: figures.sweep_table(param, curves),
        alt=f"Accuracy and balanced accuracy along {param.title}. {said}",
    )


top = st.container()
targets = metrics.binary_features(dataset)
drawn: list[Mechanism] = []
code = "import sdc_core as sdc"
if not targets or len(dataset.features) < 2:
    with top:
        layout.answer(words.NOTHING_TO_PREDICT)
else:
    target, predictors, by, also, model_name = choose_task(targets)
    try:
        features = tuple(dict.fromkeys((*predictors, *by, *also, target)))
        table = compute.histogram_of(dataset, study.key, features)
        what = metrics.task(table.domain, predictors, target)
    except InputError as problem:
        st.error(layout.plain(str(problem)), icon=":material/error:")
    else:
        training = Training((study.key, features), table, what, model_name, study.seed)
        drawn, _ = cards.draw(table, lambda m: m.guarantee(table), SLOTS)
        with st.container():  # progress bars come and go in it without moving what follows
            trained = training.present(drawn)
        yard = training.yardsticks()
        before, after, shifts = metrics.group_shifts(table, what, yard, trained, by)
        headline, more = words.prediction_sentences(trained, yard, shifts)
        with top:
            layout.answer(headline, more)
        for note in words.release_notes(trained):
            st.info(layout.plain(note), icon=":material/info:")
        if trained:
            summary()
            if by:
                for_whom()
            tuned_differently()
        code = words.prediction_code(dataset, features, predictors, target, model_name, drawn,
                                     training.repetitions, study.seed)
    with st.expander("What is learnt from what, and how is it computed?"):
        st.markdown(words.METHOD)
sidebar.footer(code)

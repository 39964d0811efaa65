"""The page Prediction opens, says what the engine says, trains on request, bears bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.metrics import classification as metrics
from sdc_core.metrics import classifiers
from sdc_core.narrative import classification as words
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from ui import training

PAGE = "../pages/classification.py"
PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
ONE = {"p2": "none", "p3": "none", "p4": "none"}


def test_default_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    table = sdc.load_dataset("ma2019-twin").histogram([*PREDICTORS, "INCOME_50K"])
    what = metrics.task(table.domain, PREDICTORS, "INCOME_50K")
    model = classifiers.MODELS["logistic"]
    methods = [sdc.mechanism(n) for n in
               ("laplace", "discrete-gaussian", "dp-suppression", "dp-swapping")]
    trained = [
        metrics.Trained(
            m, metrics.scores(table, what, sdc.released_people(m, table, 20), model))
        for m in methods
    ]
    yard = metrics.yardsticks(table, what, model)
    before, _, shifts = metrics.group_shifts(table, what, yard, trained, ["RAC1P", "SEX"])
    headline, more = words.prediction_sentences(trained, yard, shifts)
    assert headline in answer(app) and more in answer(app)
    assert words.precision_note(yard, 20) in said(app)
    assert words.papers_sentence(trained, yard) in said(app)
    assert words.group_sentence(before, shifts, trained) in said(app)
    assert "Along this range of Privacy loss" in said(app)
    assert len(app.get("plotly_chart")) == 3  # groups, accuracy, balanced accuracy


def test_deep_link() -> None:
    wanted = {**TWIN, **ONE, "p_target": "SEX", "p_from": "RAC1P,INCOME_50K", "p_by": "OWN_RENT",
              "p_also": "PUMA", "p_tune": "swap_rate", "p1": "swapping", "p1.swap_rate": "0.5"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    table = sdc.load_dataset("ma2019-twin").histogram(
        ["RAC1P", "INCOME_50K", "OWN_RENT", "PUMA", "SEX"])
    what = metrics.task(table.domain, ("RAC1P", "INCOME_50K"), "SEX")
    one = sdc.mechanism("swapping", swap_rate=0.5, quasi_identifiers=("RAC1P", "SEX"))
    rows = sdc.released_people(one, table, 20)
    found = metrics.scores(table, what, rows, classifiers.MODELS["logistic"])
    assert f"is right for {words.percent(float(found.accuracy.mean()))} of people" in answer(app)
    assert "always saying “female”" in answer(app) or "always saying “male”" in answer(app)


def test_a_forest_shows_few_releases_at_once_and_trains_on_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "REPETITIONS", 2)
    monkeypatch.setattr(classifiers, "TREES", 2)
    app = opened({**TWIN, **ONE, "p_model": "forest"}, PAGE)
    assert "Averages of 3 releases" in said(app)
    assert len(app.get("plotly_chart")) == 1
    assert app.button(key="training-run").label == "Train 8 models"
    app.button(key="training-run").click().run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 3
    app.run()  # kept: the button does not come back
    assert len(app.get("plotly_chart")) == 3
    assert not [b for b in app.button if b.key == "training-run"]


def test_a_bad_link_and_no_predictors_are_explained() -> None:
    app = opened({**TWIN, "p_target": "RAC1P", "p_model": "oracle"}, PAGE)
    problems = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "p_target must be one of" in problems and "p_model must be one of" in problems
    app.multiselect(key="url.p_from").set_value([]).run()
    assert not app.exception
    assert "Choose at least one" in app.error[0].value


def test_a_release_without_records_or_with_one_class() -> None:
    """One cell each of two classes: hiding everything below 30 leaves nobody or everybody alike."""
    frame = pd.DataFrame({"kind": ["a"] * 60 + ["b"] * 60, "yes": ["n"] * 118 + ["y"] * 2})
    app = uploaded(opened(TWIN, PAGE), frame)
    app.selectbox(key="url.p_target").set_value("yes").run()
    app.selectbox(key="url.p1").set_value("dp-k-anonymity").run()
    assert not app.exception
    app.selectbox(key="url.p1").set_value("laplace").run()
    app.select_slider(key="url.p1.epsilon").set_value(20.0).run()
    assert not app.exception and "by always saying “n”" in answer(app)


@pytest.mark.parametrize(
    "columns", [{"x": list("abc") * 20, "y": list("defg") * 15},
                {"x": list("abcd") * 20, "n": np.arange(80) % 3}])
def test_data_with_nothing_to_predict_is_told_so(columns: dict[str, list[object]]) -> None:
    app = uploaded(opened(TWIN, PAGE), pd.DataFrame(columns))
    assert words.NOTHING_TO_PREDICT in answer(app)
    assert not app.get("plotly_chart")

"""The page Told apart opens, says what the engine says, lives in its link, survives bad input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.told_apart import told_apart, yardsticks
from sdc_core.narrative.told_apart import told_apart_sentences
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from ui import compute

PAGE = "../pages/told_apart.py"
FEATURES = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def sentences(
    data: sdc.Dataset, chosen: Sequence[Mechanism], classifier: str
) -> tuple[str, str]:
    table = data.histogram(FEATURES)
    against = yardsticks(table, "PUMA", 7)
    found = [
        told_apart(m, table, sdc.released_people(m, table, 1)[0], against, "PUMA", 7)
        for m in chosen
    ]
    return told_apart_sentences(found, classifier)


def test_default_says_what_the_engine_says_and_the_costly_method_waits() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    headline, more = sentences(
        sdc.load_dataset("ma2019-twin"),
        [sdc.mechanism("laplace", epsilon=4.0), sdc.mechanism("dp-suppression", epsilon=4.0),
         sdc.mechanism("suppression", keep_zeros=True)],
        "tree",
    )
    assert headline in answer(app) and more in answer(app)
    assert any("Run AIM" in b.label for b in app.button)
    assert len(app.get("plotly_chart")) == 3 + 1
    assert {"t1", "t1.epsilon", "t4", "classifier", "t_k"} <= set(link(app))
    away = app.dataframe[0].value
    assert len(away) and (away["people in the data"] == 0).any()


def test_deep_link_and_the_other_classifier() -> None:
    wanted = {"t1": "geometric", "t1.epsilon": "0.5", "t2": "none", "t3": "none", "t4": "none",
              "classifier": "logistic", "t_k": "3"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    headline, _ = sentences(
        sdc.load_dataset("ma2019-twin"), [sdc.mechanism("geometric", epsilon=0.5)], "logistic"
    )
    assert headline in answer(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    words = " ".join(c.value for c in app.caption).replace("\\", "")
    assert "average table of 3 features" in words


def test_one_feature_only_and_no_place() -> None:
    """Without places there is no score by place; with places alone there are no tables to make."""
    others = {"t2": "none", "t3": "none", "t4": "none"}
    app = opened({**TWIN, **others, "features": "SEX"}, PAGE)
    assert not app.error
    words = " ".join(c.value for c in app.caption)
    assert "not counted by place" in words and "add “Place” in the sidebar" in words
    assert "In the table of sex, " in words
    assert "1-way tables" in " ".join(h.proto.body for h in app.get("html"))
    app = opened({**TWIN, **others, "features": "PUMA"}, PAGE)
    assert not app.error
    assert "at least two features" in " ".join(c.value for c in app.caption)
    assert "decision tree" in answer(app)


def test_own_data_has_its_own_places() -> None:
    """A column that reads like a place is one; where there is none, none is asked for."""
    rng = np.random.default_rng(3)
    mine = pd.DataFrame({n: rng.choice(list("ABC"), 400) for n in ("school", "town", "home")})
    others = {"t2": "none", "t4": "none"}
    app = uploaded(opened({**TWIN, **others}, PAGE), mine)
    assert not app.error
    assert "t_k" not in link(app)  # two features beside the place make tables of two alone
    assert "by town" in said(app) and "Suppression k=6 zeros kept stray" in said(app)
    assert len(app.get("plotly_chart")) == 2 + 1
    app = uploaded(opened({**TWIN, **others}, PAGE), mine.drop(columns="town"))
    assert not app.error
    assert "No column of this data reads like a place" in said(app)
    assert "sidebar" not in said(app).split("No column of this data")[1][:80]


def test_a_release_with_nobody_in_it_leaves_the_others_standing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_for_laplace(one: Mechanism, *rest: Any) -> Any:
        people = sdc.released_people(one, *rest)
        return people * (one.name != "laplace")

    monkeypatch.setattr(compute, "released_people", none_for_laplace)
    app = opened({**TWIN, "t4": "none"}, PAGE)
    assert not app.error
    said = " ".join(w.value for w in app.warning)
    assert "Laplace" in said and "no people in it" in said
    assert "DP suppression" in answer(app)
    assert len(app.get("plotly_chart")) == 2 + 1
    app = opened({**TWIN, "t2": "none", "t3": "none", "t4": "none"}, PAGE)
    assert "no release to tell apart" in answer(app) and not app.get("plotly_chart")


def test_bad_link_is_explained() -> None:
    app = opened({**TWIN, "classifier": "magic", "t_k": "7", "features": "SEX,NOPE"}, PAGE)
    said = " ".join(w.value for w in app.warning)
    assert "magic" in said and "NOPE" in said


def test_default_shows_what_p2_found(real_data: Callable[[str], sdc.Dataset]) -> None:
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    assert "records released by DP suppression" in answer(app)
    assert "it spots none of those by Suppression k=6 zeros kept" in answer(app)
    assert "pMSE" not in answer(app)
    words = " ".join(c.value for c in app.caption).replace("\\", "")
    assert "P2" not in words
    assert "of them in empty groups, which it fills)" in words
    assert "So hiding is easier to recognise than noise only where it fills empty groups." in words
    assert words.count("between 0.9") and "by chance alone would be between" in words

"""The page Who can be found? opens, says what the engine says, and lives in its link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import Knowledge, risk
from sdc_core.metrics.reidentification import unique_matches
from sdc_core.narrative.outsider import risk_sentence
from sdc_core.narrative.reidentification import found_sentences
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from ui import compute

PAGE = "../pages/reidentification.py"
FEATURES = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def captions(app: object) -> str:
    return " ".join(c.value for c in app.caption).replace("\\", "")  # type: ignore[attr-defined]


def test_default_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    table = sdc.load_dataset("ma2019-twin").histogram(FEATURES)
    chosen = [sdc.mechanism("laplace"), sdc.mechanism("discrete-gaussian"),
              sdc.mechanism("dp-swapping"), sdc.mechanism("suppression", keep_zeros=True)]
    knows = Knowledge.of(table.domain, FEATURES[:4], "INCOME_50K", "RAC1P")
    risks = [risk(m, table, sdc.released_people(m, table, 40), knows) for m in chosen]
    matches = [unique_matches(m, table, "at-least-once") for m in chosen]
    headline, more = found_sentences(matches, risks)
    assert headline in answer(app) and more in answer(app)
    titles = {f.name: f.title for f in table.domain.features}
    assert risk_sentence(
        risks, [titles[n] for n in FEATURES[:4]], titles["INCOME_50K"]) in captions(app)
    assert "Why this flatters hiding" in " ".join(m.value for m in app.markdown)
    assert {"r1", "r_rule", "r_tune", "r_known", "r_sensitive", "r_group"} <= set(link(app))


def test_deep_link() -> None:
    wanted = {"r1": "permutation-swapping", "r1.swap_rate": "0.2", "r2": "none", "r3": "none",
              "r4": "suppression", "r4.k": "4", "r_rule": "exactly-once", "r_tune": "k",
              "r_known": "SEX,RAC1P", "r_sensitive": "OWN_RENT", "r_group": "SEX"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    assert "exactly once" in answer(app)
    assert "knows sex and race" in captions(app)


def test_what_cannot_be_asked_is_said_and_the_rest_stays() -> None:
    app = opened({**TWIN, "features": "RAC1P", "r3": "none"}, PAGE)  # nothing to swap it against
    assert not app.error
    assert "one feature only" in " ".join(i.value for i in app.info)
    assert len(app.get("plotly_chart")) == 1  # no group is empty, so none can be shown as not
    app = opened({**TWIN, "r_sensitive": "RAC1P"}, PAGE)
    assert "known to the outsider already" in " ".join(i.value for i in app.info)
    assert len(app.get("plotly_chart")) == 2
    app = opened({**TWIN, "r_known": "SEX,NOPE", "r_group": "magic"}, PAGE)
    said = " ".join(w.value for w in app.warning)
    assert "NOPE" in said and "magic" in said


def test_where_nobody_is_unique_nothing_is_compared() -> None:
    """Two sexes, thousands of each: no chart of shares of nobody, but features to add."""
    app = opened({**TWIN, "features": "SEX,OWN_RENT"}, PAGE)
    assert not app.error and not app.warning
    assert "Nobody is one of a kind" in answer(app)
    assert "such as place, race or income" in answer(app)
    assert not app.get("plotly_chart")
    text = said(app)
    assert "How many people who are one of a kind" not in text
    assert "Nobody is alone with their sex" in text and "sure hit (of 0" not in text
    assert "Unique people in the release by" not in text


def test_own_data_starts_with_something_known() -> None:
    rng = np.random.default_rng(3)
    names = ("town", "school", "home")
    mine = pd.DataFrame({n: rng.choice(list("ABCD"), 300) for n in names})
    app = uploaded(opened(TWIN, PAGE), mine)
    assert not app.error and not app.warning
    assert "town and school" in captions(app)
    app.multiselect(key="url.r_known").set_value([]).run()
    assert "Choose at least one thing the outsider knows." in said(app)
    assert "quasi" not in said(app)


def test_a_release_with_nobody_in_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_for_laplace(one: Mechanism, *rest: Any) -> Any:
        people = sdc.released_people(one, *rest)
        return people * (one.name != "laplace")

    monkeypatch.setattr(compute, "released_people", none_for_laplace)
    app = opened(TWIN, PAGE)
    assert not app.error
    assert "Laplace ε=1: None of 40 releases" in " ".join(
        w.value for w in app.warning).replace("\\", "")
    assert len(app.get("plotly_chart")) == 2 and "Suppression" in captions(app)


def test_default_shows_what_p0_found(real_data: Callable[[str], sdc.Dataset]) -> None:
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    assert "P0" not in captions(app) and "SDNist" not in captions(app)
    assert "In Das et al. 2024 (Figure 5), DP swapping shows more than noise" in captions(app)
    assert "Here DP swapping 25% hardly moves and shows more than Laplace" in captions(app)
    assert "Discrete Gaussian shows fewer than Laplace" in captions(app)
    assert "Everyone who is one of a kind (54 of 54) is" in answer(app)
    assert "about half (" in answer(app)

"""The page Sparse tables opens, says what the engine says, and lives in its link."""

from __future__ import annotations

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import crossing_by_epsilon, sparsity
from sdc_core.narrative.sparsity import sparsity_sentences
from tests.page_driver import TWIN, answer, link, opened

PAGE = "../pages/sparsity.py"
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def said_by_engine(features: list[str], chosen: list[Mechanism], measure: str) -> str:
    table = sdc.load_dataset("ma2019-twin").histogram(features)
    found = sparsity(chosen, table, measure)  # type: ignore[arg-type]
    return sparsity_sentences(found, crossing_by_epsilon(found, table))[0]


def test_default_is_the_papers_comparison() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    chosen = [sdc.mechanism("laplace"), sdc.mechanism("suppression", keep_zeros=True)]
    assert said_by_engine(FIVE, chosen, "l1_bias") in answer(app)
    assert {"z1", "z4", "z4.keep_zeros", "z_measure"} <= set(link(app))
    assert link(app)["z4.keep_zeros"] == "true"
    assert len(app.get("plotly_chart")) == 3


def test_deep_link_sets_methods_measure_and_features() -> None:
    wanted = {"z1.epsilon": "0.5", "z4.k": "11", "z_measure": "l1_error", "features": "SEX,RAC1P"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    chosen = [sdc.mechanism("laplace", epsilon=0.5),
              sdc.mechanism("suppression", k=11, keep_zeros=True)]
    assert said_by_engine(["SEX", "RAC1P"], chosen, "l1_error") in answer(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.select_slider(key="url.z1.epsilon").set_value(4.0).run()
    assert not app.exception and link(app)["z1.epsilon"] == "4"


def test_methods_that_do_not_fit_leave_the_rest_standing() -> None:
    wanted = {"z1": "swapping", "z2": "topdown", "z3": "none", "z4": "none"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert "Choose a method that treats every count by itself" in answer(app)
    said = " ".join(c.value for c in app.caption).replace("\\", "")
    assert "Swapping 25% and TopDown" in said
    assert "no exact error is known" in said
    nothing = opened({**TWIN, "z1": "none", "z2": "none", "z3": "none", "z4": "none"}, PAGE)
    assert "Choose a method" in answer(nothing)
    bad = opened({**TWIN, "z_measure": "beauty"}, PAGE)
    assert any("beauty" in w.value for w in bad.warning)
    assert "less systematic error" in answer(bad)

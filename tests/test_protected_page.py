"""The page What is protected? opens, says what the engine says, and lives in its link."""

from __future__ import annotations

import sdc_core as sdc
from sdc_core.mechanisms import REGISTRY
from sdc_core.privacy import perverse
from sdc_core.privacy.coverage import coverage, coverage_sentences
from tests.page_driver import TWIN, answer, link, opened

PAGE = "../pages/protected.py"
FEATURES = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def bodies(app: object) -> str:
    return " ".join(h.proto.body for h in app.get("html"))  # type: ignore[attr-defined]


def test_default_answers_for_every_method() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    table = sdc.load_dataset("ma2019-twin").histogram(FEATURES)
    for sentence in coverage_sentences(
        coverage(REGISTRY, table), perverse.add_invariants(table, 0.05)
    ):
        assert sentence in answer(app)
    for method in REGISTRY:
        assert f'<span class="name">{method.title}</span>' in bodies(app)
    for name in ("TopDown", "SafeTab", "52.82", "52.83"):
        assert name in bodies(app)
    assert {"family", "p_rate", "p_household", "p_delta"} <= set(link(app))


def test_deep_link_sets_filter_and_sliders() -> None:
    wanted = {"family": "sdc", "p_rate": "0.2", "p_household": "5", "p_delta": "0.1"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert '<span class="name">Laplace</span>' not in bodies(app)
    assert '<span class="name">Suppression</span>' in bodies(app)
    words = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert "20% of the records" in words
    assert "household of 5 people" in words
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.slider(key="url.p_household").set_value(4).run()
    assert not app.exception and link(app)["p_household"] == "4"


def test_bad_link_and_one_feature_are_explained() -> None:
    app = opened({**TWIN, "family": "magic", "p_rate": "0.8", "features": "SEX"}, PAGE)
    said = " ".join(w.value for w in app.warning)
    assert "magic" in said and "p\\_rate" in said
    words = " ".join(m.value for m in app.markdown)
    assert "nothing to match on" in words

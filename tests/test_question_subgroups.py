"""The page Subgroups opens, says what the engine says, lives in its link, and bears bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.metrics import subgroups as metrics
from sdc_core.narrative import subgroups as words
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

PAGE = "../pages/subgroups.py"
NATIONAL = {"data": "national2019-twin"}


def test_default_says_what_the_engine_says() -> None:
    app = opened(NATIONAL, PAGE)
    assert not app.error and not app.warning
    table = sdc.load_dataset("national2019-twin").histogram(["RAC1P", "SEX", "PINCP_DECILE", "EDU"])
    groups = {"White men": (0, 0), "Black men": (1, 0)}
    methods = [
        sdc.mechanism("laplace", epsilon=2.0),
        sdc.mechanism("suppression", k=10, keep_zeros=True),
        sdc.mechanism("dp-suppression", epsilon=2.0, k=10, keep_zeros=True),
        sdc.mechanism("dp-swapping", epsilon=2.0, swap_rate=0.25, quasi_identifiers=("RAC1P",)),
    ]
    results = []
    for one in methods:
        found = sdc.evaluate(one, table)
        results.append(metrics.method_result(
            table, groups, one, "exact", table.counts + found.bias, found.absolute_error))
    headline, more = words.subgroup_sentences(results, *table.domain.features[-2:])
    assert headline in answer(app) and more in answer(app)
    assert words.disparity_sentence(results) in said(app)
    assert words.papers_sentence(results) in said(app)
    assert len(app.get("plotly_chart")) == 4
    assert not [b for b in app.button if b.label == "Show the national data"]


def test_other_data_offers_the_national_one() -> None:
    app = opened(TWIN, PAGE)
    assert "the papers show the national data" in said(app)
    next(b for b in app.button if b.label == "Show the national data").click().run()
    assert not app.exception
    assert link(app)["data"].startswith("national2019")


def test_deep_link_and_one_release() -> None:
    wanted = {**NATIONAL, "g_y": "EDU", "g_x": "AGE_BIN", "g_by": "SEX", "groups": "2,1",
              "g_view": "one", "seed": "3", "s1": "geometric", "s1.epsilon": "0.5", "s2": "none",
              "s3": "none", "s4": "none"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    table = sdc.load_dataset("national2019-twin").histogram(["SEX", "EDU", "AGE_BIN"])
    one = sdc.mechanism("geometric", epsilon=0.5)
    rows = sdc.released_people(one, table, 1, seed=3)
    result = metrics.method_result(table, {"women": (1,), "men": (0,)}, one, "", rows[0])
    axes = table.domain.features[-2:]
    assert words.subgroup_sentences([result], *axes)[0] in answer(app)


def test_a_costly_method_waits_for_its_button() -> None:
    app = opened({**TWIN, "s4": "mst", "g_by": "SEX", "groups": "1"}, PAGE)
    assert any(b.label.startswith("Run MST") for b in app.button)
    assert len(app.get("plotly_chart")) == 3


def test_a_bad_link_is_explained() -> None:
    app = opened({**TWIN, "groups": "99~1", "g_y": "RAC1P"}, PAGE)
    problems = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "groups has no '99~1'" in problems and "g_y must be one of" in problems
    assert not app.exception and "no line to compare" in answer(app)


def test_four_groups_at_most() -> None:
    app = opened({**TWIN, "g_by": "AGE_BIN", "groups": "0,1,2,3,4"}, PAGE)
    assert "The first 4 are shown" in said(app)


def test_empty_and_tiny_groups_in_own_data() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "income": rng.integers(0, 5, 200), "school": rng.integers(1, 4, 200),
        "town": ["big"] * 197 + ["tiny"] * 3, "kind": ["a"] * 100 + ["b"] * 100,
    })
    app = uploaded(opened(TWIN, PAGE), frame)
    app.multiselect(key="url.g_by").set_value(["town", "kind"]).run()
    app.multiselect(key="url.groups").set_value(["big~a", "tiny~a", "tiny~b"]).run()
    assert not app.exception
    assert "no tiny, a with both values" in said(app)
    assert "Only 3 tiny, b" in said(app) or "All 3 tiny, b" in said(app)
    assert len(app.get("plotly_chart")) == 4


@pytest.mark.parametrize(
    "columns", [{"town": list("ab") * 40, "kind": list("cdef") * 20},
                {"n": [1, 2] * 40, "t": list("xy") * 40}])
def test_data_without_ordered_features_is_told_so(columns: dict[str, list[object]]) -> None:
    app = uploaded(opened(TWIN, PAGE), pd.DataFrame(columns))
    assert "needs two features" in answer(app)
    assert ("n is one, one more is needed" in answer(app)) == ("n" in columns)
    assert not app.get("plotly_chart")
    next(b for b in app.button if b.label == "Show the national data").click().run()
    assert not app.exception and link(app)["data"].startswith("national2019")


def test_categories_of_own_data_can_be_put_in_order() -> None:
    rng = np.random.default_rng(2)
    schools = ["none", "school", "college", "university"]
    level = rng.integers(0, 4, 800)
    frame = pd.DataFrame({
        "education": [schools[i] for i in level], "housing": rng.choice(["own", "rent"], 800),
        "income": 20_000 + 8_000 * level + rng.normal(0, 9_000, 800),
    })
    app = uploaded(opened({**TWIN, "s4": "none"}, PAGE), frame)
    assert "income is one, one more is needed" in answer(app).lower()
    app.multiselect(key="url.g_order").set_value(["education"]).run()
    assert not app.exception
    assert "merely how the data lists education" in said(app)
    app.multiselect(key="url.g_x_order").set_value(schools).run()
    app.multiselect(key="url.g_by").set_value(["housing"]).run()
    app.multiselect(key="url.groups").set_value(["own", "rent"]).run()
    assert not app.exception and not app.error
    assert "none < school < college < university" in said(app)
    assert "merely" not in said(app)
    assert link(app)["g_x_order"] == "none,school,college,university"
    assert len(app.get("plotly_chart")) == 3
    owners = int((frame["housing"] == "own").sum())
    assert f"own ({owners} people)" in answer(app)
    app.multiselect(key="url.g_x_order").set_value(["none"]).run()
    assert any("at least two" in e.value for e in app.error)


def test_it_starts_on_the_national_data_unless_the_reader_has_chosen() -> None:
    def went_to(page: str) -> str:
        app.switch_page(page)
        app.query_params.clear()  # as a browser does when a page is chosen in the menu
        return link(app.run())["data"]

    app = opened()
    assert link(app)["data"].startswith("ma2019")
    assert went_to(PAGE).startswith("national2019")
    assert went_to("../pages/sparsity.py").startswith("ma2019")  # nobody has chosen
    app.selectbox(key="url.data").set_value("tx2019-twin").run()
    assert went_to(PAGE) == "tx2019-twin"

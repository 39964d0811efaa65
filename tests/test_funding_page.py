"""The page Money and thresholds opens, says what the engine says, and lives in its link."""

from __future__ import annotations

import pandas as pd

import sdc_core as sdc
from sdc_core.metrics.decisions import Group, area_counts, decide
from sdc_core.narrative.decisions import decision_sentences
from tests.page_driver import TWIN, answer, link, opened, uploaded

PAGE = "../pages/funding.py"
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
QUIET = {"f2": "none", "f3": "none", "f4": "none"}


def captions(app: object) -> str:
    return " ".join(c.value for c in app.caption).replace("\\", "")  # type: ignore[attr-defined]


def test_default_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning and not app.info
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    renters = Group.of([("OWN_RENT", "2")])
    methods = [
        sdc.mechanism("laplace"), sdc.mechanism("dp-suppression"),
        sdc.mechanism("suppression", keep_zeros=True),
        sdc.mechanism("swapping", quasi_identifiers=("PUMA",)),
    ]
    released = [
        (m, area_counts(sdc.released_people(m, table, 200, 7), table.domain, "PUMA", renters))
        for m in methods
    ]
    for sentence in decision_sentences(
        decide(table, "PUMA", renters, 1_000_000, 25, released), "renters"
    ):
        assert sentence in answer(app)
    assert "means of 200 releases" in captions(app)
    assert link(app)["group"] == "OWN_RENT%3D2"
    assert {"area", "pot", "threshold", "counted"} <= set(link(app))
    assert "features" not in link(app)


def test_deep_link_sets_the_question() -> None:
    wanted = {"group": "RAC1P%3D2,AGE_BIN%3D0", "pot": "5000", "threshold": "2",
              "counted": "small", "area": "PUMA", "f1.epsilon": "0.5"}
    app = opened({**TWIN, **QUIET, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert "If $5,000 is shared by the number of people listed as “Black” and “aged" in answer(app)
    assert "place, race, age, five groups" in captions(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.number_input(key="url.pot").set_value(7000).run()
    assert not app.exception and "$7,000" in answer(app)


def test_rules_that_decide_nothing_are_said_and_the_money_stays() -> None:
    for threshold, words in (("0", "whether there is anybody"), ("100", "nothing can flip")):
        app = opened({**TWIN, **QUIET, "threshold": threshold}, PAGE)
        assert any(words in i.value for i in app.info)
        assert "If $1 million is shared" in answer(app)
    everybody = opened({**TWIN, **QUIET, "group": ""}, PAGE)
    assert any("Choose a group" in i.value for i in everybody.info)
    assert "by the number of people in each place" in answer(everybody)
    bad = opened({**TWIN, **QUIET, "threshold": "130", "pot": "much"}, PAGE)
    said = " ".join(w.value for w in bad.warning)
    assert "130" in said and "much" in said


def test_a_group_that_nobody_belongs_to() -> None:
    nobody = "AGE_BIN%3D0,INCOME_50K%3D1,MSP%3D3"  # widowed children with a high income
    app = opened({**TWIN, **QUIET, "group": nobody, "counted": "small"}, PAGE)
    assert any("Nobody in this data belongs" in e.value for e in app.error)
    assert app.selectbox(key="url.f1").value == "laplace"  # the cards are still there
    assert link(app)["group"] == nobody
    app.multiselect(key="url.group").set_value(["OWN_RENT=2"]).run()
    assert not app.error and "renters" in answer(app)


def test_swapping_what_is_not_counted_moves_nothing() -> None:
    app = opened({**TWIN, **QUIET, "f1": "swapping", "f1.quasi_identifiers": "RAC1P"}, PAGE)
    assert "Swapping 25% moves nothing" in answer(app)
    assert "changes none of these numbers" in captions(app)


def test_own_data_without_places() -> None:
    numbers = pd.DataFrame({"x": [i * 1.5 for i in range(200)], "y": [i % 97 for i in range(200)]})
    app = opened(TWIN, PAGE)
    uploaded(app, numbers.to_csv(index=False).encode(), "numbers.csv")
    assert not app.exception
    assert any("no column of categories" in e.value for e in app.error)
    towns = pd.DataFrame({"town": ["north", "south", "south", "west"] * 50,
                          "renting": ["yes", "no"] * 100})
    uploaded(app, towns.to_csv(index=False).encode(), "towns.csv")
    assert not app.exception
    assert app.selectbox(key="url.area").value == "town"
    assert "shared by the number of people in each place" in answer(app)
    later = towns[["renting", "town"]]  # a name that reads like a place goes before the first
    assert uploaded(opened(TWIN, PAGE), later).selectbox(key="url.area").value == "town"
    app.selectbox(key="url.area").set_value("renting").run()
    assert "in each category of renting" in answer(app)
    app.selectbox(key="url.area").set_value("town").run()
    app.multiselect(key="url.group").set_value(["renting=yes"]).run()
    assert not app.exception and "people listed as “yes”" in answer(app)

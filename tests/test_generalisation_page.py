"""Compare with k-anonymity and TopDown: their own settings, their tables, and bad input.

Proven here: hierarchies, full-domain and the limit live in the link and do what the engine does;
a mistake is said on its card, names the value, and everything typed is still there afterwards;
the expanders show the groups that are published and the work behind a TopDown release.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.mechanisms.kanonymity import KAnonymity
from sdc_core.mechanisms.topdown import TopDown
from sdc_core.questions.compare.words import work_sentence
from tests.page_driver import TWIN, link, opened
from tests.test_pages import DELTA

FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
OWN = "RAC1P: White | Other = 2, 3, 5, 6, 7, 8, 9"
REST = {"m2": "none", "m3": "none", "m4": "none"}
ONE = {**TWIN, **REST, "m1": "k-anonymity", "m1.k": "9"}


def errors(app: AppTest) -> str:
    return " ".join(e.value for e in app.error).replace("\\", "")


def tables(app: AppTest) -> list[list[str]]:
    return [list(frame.value.columns) for frame in app.dataframe]


def test_a_hierarchy_in_the_link_is_the_engines() -> None:
    app = opened({**ONE, "m1.hierarchies": OWN, "m1.quasi_identifiers": "RAC1P,SEX"})
    assert not app.error and not app.warning
    assert app.text_area(key="url.m1.hierarchies").value == OWN
    assert link(app)["m1.hierarchies"] == OWN
    app.session_state["open.groups-k-anonymity"] = True
    app.run()
    assert not app.exception
    expected = KAnonymity(k=9, hierarchies=OWN).generalised_table(
        sdc.load_dataset("ma2019-twin").histogram(FIVE)
    )
    assert "Other" in set(expected["Race"])
    assert any(frame.value.equals(expected) for frame in app.dataframe)
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    said = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert KAnonymity(k=9, hierarchies=OWN).groups_sentence(table) in said


def test_a_sensitive_feature_that_is_generalised_itself_is_said() -> None:
    app = opened({**ONE, "m1.quasi_identifiers": "INCOME_50K"})
    app.session_state["open.groups-k-anonymity"] = True
    app.run()
    assert not app.exception and not app.error
    assert any("must not be a quasi" in i.value.replace("\\", "") for i in app.info)
    assert any("count" in frame.value for frame in app.dataframe)  # the groups are there


BAD = [
    ({"m1.hierarchies": OWN.replace(", 9", "")}, "RAC1P leaves out '9' (Two or more races)."),
    ({"m1.hierarchies": OWN + ", 2"}, "RAC1P names '2' (Black) more than once"),
    ({"m1.hierarchies": OWN + ", 12"}, "RAC1P has no value '12'"),
    ({"m1.hierarchies": "HAIR: 1, 2"}, "hierarchies names 'HAIR'"),
    ({"m1.hierarchies": "RAC1P 1, 2"}, "does not say which feature"),
    ({"m1.quasi_identifiers": ""}, "quasi_identifiers must name at least one feature"),
]


@pytest.mark.parametrize(("settings", "words"), BAD)
def test_a_mistake_is_said_and_nothing_is_lost(settings: dict[str, str], words: str) -> None:
    wanted = {**ONE, "m1.algorithm": "full-domain", "m1.suppression_limit": "0.1",
              "m2": "laplace", "m2.epsilon": "0.5", **settings}
    app = opened(wanted)
    assert words in errors(app)
    found = link(app)
    assert {name: found.get(name) for name in wanted} == wanted
    assert app.slider(key="url.m1.k").value == 9
    assert app.select_slider(key="url.m2.epsilon").value == 0.5  # the other card is compared
    app.slider(key="url.m1.k").set_value(11).run()
    assert words in errors(app) and link(app) == {**found, "m1.k": "11"}
    app.multiselect(key="url.m1.quasi_identifiers").set_value(["RAC1P", "SEX"])
    app.text_area(key="url.m1.hierarchies").set_value(OWN).run()
    assert not app.error and not app.exception and link(app)["m1.k"] == "11"


def test_k_larger_than_the_data_and_k_of_one() -> None:
    app = opened({**ONE, "m1.k": "1"})
    assert "k is shown from 2 to 30, got 1" in " ".join(w.value for w in app.warning)
    small = "SEX,AGE\n" + "1,20\n2,30\n" * 3
    app = opened({**REST, "m1": "k-anonymity", "m1.k": "9"})
    app.file_uploader[0].upload("few.csv", small.encode(), "text/csv").run()
    assert not app.exception
    assert "k must be at most the number of records, 6, got 9" in errors(app)


def test_full_domain_offers_its_limit_and_hides_the_cuts() -> None:
    app = opened(ONE)
    keys = set(link(app))
    assert "m1.cuts" in keys and "m1.suppression_limit" not in keys
    app.selectbox(key="url.m1.algorithm").set_value("full-domain").run()
    keys = set(link(app))
    assert "m1.cuts" not in keys and link(app)["m1.suppression_limit"] == "0.05"
    app.session_state["open.groups-k-anonymity"] = True
    app.slider(key="url.m1.suppression_limit").set_value(0.1).run()
    assert not app.exception and not app.error
    (shown,) = (frame.value for frame in app.dataframe if "Race" in frame.value)
    assert shown["Race"].iloc[-1] == "not published: groups smaller than k"
    again = opened(link(app), DELTA)
    assert again.slider(key="url.m1.suppression_limit").value == 0.1 and not again.error


def test_two_cards_may_show_the_same_method() -> None:
    app = opened({**ONE, "m2": "k-anonymity", "m2.algorithm": "full-domain"})
    for own in ("k-anonymity", "k-anonymity-2"):
        app.session_state[f"open.groups-{own}"] = True
    app.run()
    assert not app.exception and not app.error
    assert {"k-anonymity.sensitive", "k-anonymity-2.sensitive"} <= set(link(app))


def test_the_work_behind_a_topdown_release() -> None:
    app = opened({**TWIN, **REST, "m1": "topdown", "seed": "3", "m1.invariants": "areas"})
    next(b for b in app.button if b.label.startswith("Run")).click().run()
    app.session_state["open.work-topdown"] = True
    app.run()
    assert not app.exception and not app.error
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    work = TopDown(invariants="areas").work(table, 3)
    words = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert work_sentence(work, 3) in words
    assert any(frame.value.equals(work.table()) for frame in app.dataframe)
    assert ["Place", "group", "true", "measured", "released"] in tables(app)

"""The app in general: links, sidebar, cards, reset, own data; what is the same on every page."""

from __future__ import annotations

import gc
import io
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdc_core.questions import QUESTIONS
from tests.page_driver import TWIN, answer, link, opened, uploaded

DELTA = "../pages/delta_epsilon.py"
FUNDING = "../pages/funding.py"


def test_the_link_holds_the_whole_state() -> None:
    """Whatever is changed is in the link, and the link opens to the same page in a new session."""
    app = opened(TWIN)
    app.select_slider(key="url.m1.epsilon").set_value(0.5)
    app.slider(key="url.m4.k").set_value(11)
    app.segmented_control(key="url.empty").set_value("treated")
    app.selectbox(key="url.m2").set_value("geometric")
    app.run()
    found = link(app)
    assert found["m1.epsilon"] == "0.5"
    assert found["m4.k"] == "11"
    assert found["empty"] == "treated"
    assert found["m2"] == "geometric"
    assert found["data"] == "ma2019-twin"
    again = opened(found)
    assert answer(again) == answer(app)
    assert link(again) == found


def test_the_other_page_keeps_the_methods() -> None:
    app = opened({**TWIN, "m1.epsilon": "0.5"})
    app.switch_page(DELTA).run()
    assert not app.exception
    assert app.select_slider(key="url.m1.epsilon").value == 0.5
    factor = f"a factor of {math.exp(0.5):.2f}"
    assert f"Adding noise (ε = 0.5) lets the odds about a person move by at most {factor}" in (
        answer(app))
    assert link(app)["m1.epsilon"] == "0.5"


def test_a_bad_link_is_explained_and_the_rest_is_kept() -> None:
    app = opened({**TWIN, "m1.epsilon": "-3", "m4.k": "many", "m2": "magic", "m3.k": "9"})
    told = [w.value.replace("\\", "") for w in app.warning]
    assert len(told) == 3
    for name, got in (("m1.epsilon", "got -3"), ("m4.k", "got 'many'"), ("m2", "got 'magic'")):
        assert any(f"In the link, {name} must be " in one and got in one for one in told)
    assert app.select_slider(key="url.m1.epsilon").value == 1.0
    assert app.slider(key="url.m4.k").value == 6
    assert app.selectbox(key="url.m2").value == "discrete-gaussian"
    assert app.slider(key="url.m3.k").value == 9
    assert "puts a count off by" in answer(app)


def test_a_link_to_real_data_that_is_not_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The twin is shown, and it is said that numbers will differ."""
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.setattr("sdc_core.data.catalogue.NIST_DIRECTORY", tmp_path)
    app = opened({"data": "tx2019"})
    assert any("numbers will differ" in w.value for w in app.warning)
    assert app.selectbox(key="url.data").value == "tx2019-twin"
    assert link(app)["data"] == "tx2019-twin"


def test_no_features_is_a_sentence_not_a_crash() -> None:
    app = opened(TWIN)
    app.multiselect(key="url.features").set_value([]).run()
    assert not app.exception
    assert [e.value for e in app.error] == ["Choose at least one feature to count by\\."]
    app.multiselect(key="url.features").set_value(["SEX"]).run()
    assert not app.error
    assert "puts a count off by" in answer(app)


def test_swapping_is_chosen_by_the_features_of_the_table() -> None:
    app = opened({**TWIN, "m1": "dp-swapping", "m1.quasi_identifiers": "OWN_RENT",
                  "m1.swap_rate": "0.4"})
    assert app.multiselect(key="url.m1.quasi_identifiers").value == ["OWN_RENT"]
    assert link(app)["m1.swap_rate"] == "0.4"
    shown = " ".join([answer(app), *(c.value for c in app.caption)])
    assert "swapping with a random donor (ε = 1, 40%)" in shown


def test_a_card_that_does_not_fit_the_table_says_so_and_the_rest_stays() -> None:
    app = opened({**TWIN, "m1": "swapping", "features": "SEX", "m2": "laplace", "m3": "none",
                  "m4": "none"})
    assert len({e.value for e in app.error}) == 1  # on the card and within its options
    assert "every feature" in app.error[0].value
    assert "Adding noise (ε = 1) puts a count off" in answer(app)


def test_every_step_of_a_slider_can_be_told_from_the_next() -> None:
    """Two steps with the same words would be one to Streamlit: the wrong number would be used."""
    app = opened({**TWIN, "m1": "discrete-gaussian", "m1.calibration": "analytic"})
    for slider in (app.select_slider(key="url.m1.delta"), app.select_slider(key="url.m1.epsilon")):
        assert len(set(slider.options)) == len(slider.options)
    assert app.select_slider(key="url.m1.delta").value == 1e-6
    assert link(app)["m1.delta"] == "1e-06"


def test_no_method_at_all() -> None:
    app = opened({**TWIN, "m1": "none", "m2": "none", "m3": "none", "m4": "none"})
    assert "Choose a method" in answer(app)
    assert link(app)["m1"] == "none"


def test_reset_returns_to_the_defaults() -> None:
    app = opened({**TWIN, "m1.epsilon": "0.5", "m4.k": "12"})
    next(b for b in app.button if b.label == "Reset").click().run()
    assert app.select_slider(key="url.m1.epsilon").value == 1.0
    assert app.slider(key="url.m4.k").value == 6
    assert link(app)["data"] == TWIN["data"]  # the data stays


def test_reset_leaves_other_pages_as_they_are() -> None:
    """What a page has of its own; methods are shared, so they are reset for all."""
    app = opened({**TWIN, "m1.epsilon": "0.5", "pot": "5000"}, FUNDING)
    app.switch_page("../pages/compare.py").run()
    next(b for b in app.button if b.label == "Reset").click().run()
    app.switch_page(FUNDING).run()
    assert app.number_input(key="url.pot").value == 5000
    assert app.select_slider(key="url.m1.epsilon").value == 1.0


def test_what_another_page_chose_is_no_mistake_in_the_link() -> None:
    app = opened({**TWIN, "view": "rest"}, DELTA)
    assert not app.warning
    app.switch_page("../pages/compare.py")
    app.query_params.clear()
    app.session_state["url-state"]["m1.epsilon"] = "strange"
    app.run()
    assert not app.warning and not app.exception
    assert app.select_slider(key="url.m1.epsilon").value == 1.0


def own_table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "region": rng.choice(["north", "south", "<b>east</b>"], 400),
            "sex": rng.choice(["f", "m"], 400),
            "age": rng.integers(0, 90, 400),
        }
    )


def test_own_data_is_used_and_its_link_says_so() -> None:
    app = uploaded(opened(TWIN), own_table().to_csv(index=False).encode(), "mine.csv")
    assert app.selectbox(key="url.data").value == link(app)["data"]
    assert link(app)["data"].startswith("own-")
    assert app.multiselect(key="url.own_features").value == ["region", "sex", "age"]
    assert "400 people in 30 groups" in " ".join(c.value for c in app.caption)


def test_a_bad_file_is_explained_and_nothing_on_screen_is_lost() -> None:
    app = opened({**TWIN, "m1.epsilon": "0.5"})
    before = answer(app)
    buffer = io.BytesIO()
    own_table().to_parquet(buffer)
    for name, content, word in [
        ("empty.csv", b" ", "empty"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "header has 2"),
        ("twice.csv", b"a,a\n1,2\n", "two columns"),
        ("photo.csv", b"\x89PNG\x00\x00", "not a text file"),
        ("cut.parquet", buffer.getvalue()[:300], "Parquet"),
    ]:
        uploaded(app, content, name)
        assert len(app.error) == 1
        assert word in app.error[0].value
        assert answer(app) == before


def test_a_column_name_with_a_comma_is_one_name() -> None:
    table = own_table().rename(columns={"region": "Größe, $a$ & b"})
    app = uploaded(opened(TWIN), table.to_csv(index=False).encode(), "mine.csv")
    assert not app.warning
    assert "Größe, $a$ & b" in app.multiselect(key="url.own_features").value
    assert not opened({**TWIN}).warning


def test_a_link_with_one_wrong_feature_keeps_the_right_ones() -> None:
    app = opened({**TWIN, "features": "SEX,BLA,OWN_RENT,SEX"})
    assert app.multiselect(key="url.features").value == ["SEX", "OWN_RENT"]
    assert ["BLA" in w.value for w in app.warning] == [True]
    app.select_slider(key="url.m1.epsilon").set_value(0.5).run()
    assert not app.warning  # said once


def test_a_link_to_somebodys_own_file_says_so() -> None:
    app = opened({"data": "own"})
    assert any("Open that file" in w.value for w in app.warning)
    assert "puts a count off by" in answer(app)


def test_swapping_recovers_when_its_features_leave_the_table_and_return() -> None:
    app = opened({**TWIN, "features": "PUMA,SEX,OWN_RENT", "m1": "swapping",
                  "m1.quasi_identifiers": "SEX", "m2": "none", "m3": "none", "m4": "none"})
    assert not app.error
    app.multiselect(key="url.features").set_value(["PUMA", "OWN_RENT"]).run()
    assert not app.error  # another feature is swapped instead
    app.multiselect(key="url.features").set_value(["PUMA", "SEX", "OWN_RENT"]).run()
    assert not app.error
    assert "puts a count off by" in answer(app)


def test_two_cards_that_differ_in_an_option_have_two_names() -> None:
    app = opened({**TWIN, "m1": "dp-suppression", "m2": "dp-suppression",
                  "m2.variant": "P2", "m3": "none", "m4": "none"})
    assert "limit (ε = 1, k = 6, small counts always hidden)" in answer(app)
    assert "is not true" in answer(app)  # its published guarantee


def test_pieces_of_work_that_are_called_alike_can_all_be_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has a bar and a button of its own, also two lines of one method."""
    monkeypatch.setattr("ui.progress._PATIENCE", -1.0)
    app = opened({**TWIN, "m1": "laplace", "m2": "laplace", "m2.postprocess": "none",
                  "m3": "none", "m4": "none"})
    assert "adding noise (ε = 1, as drawn)" in answer(app)
    assert not [b for b in app.button if b.label == "Cancel"]  # all is done


def test_every_question_has_a_page_at_its_address() -> None:
    files = {path.stem for path in (Path(__file__).parents[1] / "pages").glob("*.py")}
    addresses = [one.address for one in QUESTIONS]
    assert set(addresses) <= files
    # the router finds the question by its title
    assert len(set(addresses)) == len(addresses) == len({one.title for one in QUESTIONS})


def test_what_is_loaded_is_not_searched_for_garbage() -> None:
    """Streamlit looks for garbage after every run, while nothing is sent: not in plotly, pandas and
    the like, which are more than a hundred thousand objects."""
    opened(TWIN)
    assert gc.get_freeze_count() > 100_000

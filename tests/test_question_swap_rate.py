"""The page on swap rate and ε says what the engine says and lives in its link."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.privacy.swap_rate import largest_stratum, smallest_epsilon
from sdc_core.words.numbers import sensible

ENTRY = str(Path(__file__).with_name("app_entry.py"))
PAGE = "../pages/swap_rate.py"
TWIN = {"data": "ma2019-twin"}
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def opened(link: dict[str, str] | None = None) -> AppTest:
    app = AppTest.from_file(ENTRY, default_timeout=60)
    app.run().switch_page(PAGE)
    for key, value in {**TWIN, **(link or {})}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def answer(app: AppTest) -> str:
    return next(h.proto.body for h in app.get("html") if 'class="answer"' in h.proto.body)


def link(app: AppTest) -> dict[str, str]:
    return dict(app.query_params)


def expected(match: list[str], rate: float) -> tuple[str, str, str]:
    stratum = largest_stratum(sdc.load_dataset("ma2019-twin").histogram(FIVE), match)
    return (
        f"b = {stratum.size:,}",
        f"ε = {sensible(sdc.swap_rate_to_epsilon(rate, stratum.size).theorem)}",
        f"no swap rate gets below {sensible(smallest_epsilon(stratum.size))}",
    )


def test_the_page_opens_and_says_what_the_engine_says() -> None:
    app = opened()
    assert not app.error
    assert not app.warning
    for words in ("With people matched on place", "swapping 5%", *expected(["PUMA"], 0.05)):
        assert words in answer(app)
    assert len(app.get("plotly_chart")) == 1
    assert len(app.dataframe) == 2
    assert "16 of the 16 published figures" in " ".join(
        c.value.replace("\\", "") for c in app.caption
    )


def test_a_deep_link_opens_to_the_same_page() -> None:
    asked = {"match": "SEX,RAC1P", "swap_variable": "PUMA", "rate": "2.35", "wanted": "3.25"}
    app = opened(asked)
    for words in ("matched on sex and race", "2.35%", *expected(["SEX", "RAC1P"], 0.0235)):
        assert words in answer(app)
    assert "ε = 3.25 is out of reach" in answer(app)
    found = link(app)
    assert {key: found[key] for key in asked} == asked
    again = opened(found)
    assert answer(again) == answer(app)
    assert link(again) == found


def test_what_is_changed_is_in_the_link() -> None:
    app = opened()
    app.select_slider(key="url.rate").set_value(97.5)
    app.number_input(key="url.wanted").set_value(12.5)
    app.multiselect(key="url.match").set_value(["PUMA", "SEX"])
    app.selectbox(key="url.swap_variable").set_value("OWN_RENT")
    app.run()
    assert not app.exception
    found = link(app)
    assert found["rate"] == "97.5"
    assert found["wanted"] == "12.5"
    assert found["match"] == "PUMA,SEX"
    assert found["swap_variable"] == "OWN_RENT"
    assert answer(opened(found)) == answer(app)


def test_matching_on_everything_or_nothing() -> None:
    everything = opened({"match": ",".join(FIVE)})
    assert "nothing is left to exchange" in answer(everything)
    assert not everything.get("plotly_chart")
    nothing = opened({"match": ""})
    assert "not matched on anything" in answer(nothing)
    all_but_one = opened({"match": ",".join(FIVE[1:])})
    words = " ".join(m.value.replace("\\", "") for m in all_but_one.markdown)
    assert "these counts are the whole table" in words


def test_the_swap_variable_gives_way_when_it_is_matched_on() -> None:
    app = opened({"swap_variable": "SEX"})
    app.multiselect(key="url.match").set_value(["PUMA", "SEX"])
    app.run()
    assert not app.exception
    assert link(app)["swap_variable"] == "RAC1P"


def test_a_bad_link_is_explained() -> None:
    app = opened({"rate": "140", "wanted": "many", "match": "AGEP_NOT", "swap_variable": "SEX"})
    said = " ".join(w.value.replace("\\", "") for w in app.warning)
    for word in ("rate must be in", "many", "AGEP_NOT"):
        assert word in said
    assert "swapping 5%" in answer(app)
    assert link(app)["swap_variable"] == "SEX"


def test_the_code_prints_the_same_numbers() -> None:
    from ui.explain import swap_rate_code

    code = swap_rate_code(sdc.load_dataset("ma2019-twin"), FIVE, ["PUMA"], 0.05, 8.0)
    found: dict[str, object] = {}
    exec(compile(code.replace("print(", "str("), "code", "exec"), found)  # noqa: S102
    assert found["largest"] == largest_stratum(found["table"], ["PUMA"])  # type: ignore[arg-type]

"""Widgets, link and cards: what a person is offered, and what becomes of it, read back.

Widgets are drawn from declarations alone, so each kind is drawn once and compared with its
declaration; the link is the state, so every way in and out of it is tried.
"""

from __future__ import annotations

import dataclasses
import re
from html import escape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.mechanisms.base import FAMILY_TITLES
from sdc_core.words.guarantees import guarantee_chip
from tests.page_driver import CLOSED, TWIN, answer, link, opened, unfold
from ui.terms import plain


def _controls() -> None:
    import streamlit as st

    from sdc_core.parameters import (
        Choice,
        Flag,
        Integer,
        IntegerOrAuto,
        Real,
        Several,
        Typed,
        TypedInteger,
    )
    from ui import state

    state.begin("test")
    declared = [
        Real(name="epsilon", title="Loss", symbol="ε", default=1.0, low=0.01, high=100,
             slider=(0.1, 10.0), log=True, help="Help on loss."),
        Real(name="rate", title="Rate", symbol="p", default=0.5, low=0, high=1, percent=True,
             slider=(0.02, 1.0)),
        Integer(name="k", title="Least", symbol="k", default=6, low=1, high=99, slider=(2, 30)),
        Typed(name="wanted", title="Wanted", default=8.0, low=0, high=30, step=0.5),
        TypedInteger(name="seed", title="Seed", default=7, low=0, high=50),
        IntegerOrAuto(name="cap", title="Cap", low=1, high=100, otherwise="9, from the data"),
        Choice(name="way", title="Way", default="b", choices=("a", "b"),
               titles={"a": "Alpha", "b": "Beta"}),
        Choice(name="view", title="View", default="x", choices=("x", "y"), segments=True,
               label_hidden=True),
        Several(name="names", title="Names", default=("n",), choices=("m", "n"),
                titles={"m": "Em", "n": "En"}, placeholder="nobody"),
        Flag(name="flag", title="Flag", default=True),
    ]
    values = {p.name: state.control(p.name, p) for p in declared}
    st.json({k: v if not isinstance(v, tuple) else list(v) for k, v in values.items()})
    st.text("|".join(state.problems()))
    st.text(state.full_link())
    st.button("Reset", on_click=state.reset, args=(("k",),))
    st.button("Put", on_click=state.put, args=("way", "a"))
    state.finish()


def controls(**in_link: str) -> AppTest:
    app = AppTest.from_function(_controls, default_timeout=30)
    for name, text in in_link.items():
        app.query_params[name] = text
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def values(app: AppTest) -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(app.json[0].value)
    return found


def test_each_kind_is_drawn_as_declared() -> None:
    app = controls()
    loss = app.select_slider(key="url.epsilon")
    assert (loss.label, loss.value, loss.help) == ("Loss, ε", 1.0, r"Help on loss\.")
    assert loss.options[0] == "0.1" and loss.options[-1] == "10"
    rate = app.slider(key="url.rate")
    assert (rate.label, rate.value, rate.min, rate.max) == ("Rate", 0.5, 0.02, 1.0)
    assert rate.step == pytest.approx(0.98 / 98) and rate.proto.format == "percent"
    least = app.slider(key="url.k")
    assert (least.label, least.value, least.min, least.max, least.step) == ("Least, k", 6, 2, 30, 1)
    wanted = app.number_input(key="url.wanted")
    assert (wanted.label, wanted.value, wanted.min, wanted.max, wanted.step) == (
        "Wanted", 8.0, 0.0, 30.0, 0.5)
    seed, cap = app.number_input(key="url.seed"), app.number_input(key="url.cap")
    assert (seed.value, seed.min, seed.max, cap.value) == (7, 0, 50, None)
    assert cap.placeholder == "9, from the data"
    empty = [n.proto.HasField("default") for n in (seed, cap)]
    assert empty == [True, False]  # a seed cannot be left out
    way = app.selectbox(key="url.way")
    assert (way.label, way.value, list(way.options)) == ("Way", "b", ["Alpha", "Beta"])
    names = app.multiselect(key="url.names")
    assert (names.value, list(names.options)) == (["n"], ["Em", "En"])
    assert names.proto.placeholder == "nobody"
    view = next(g for g in app.get("button_group") if g.key == "url.view")
    assert view.value == "x" and app.toggle(key="url.flag").value is True


def test_the_link_is_written_in_full_and_read_back() -> None:
    app = controls()
    assert link(app) == {
        "epsilon": "1", "rate": "0.5", "k": "6", "wanted": "8", "seed": "7", "cap": "auto",
        "way": "b", "view": "x", "names": "n", "flag": "true",
    }
    given = {"epsilon": "2.5", "rate": "0.25", "k": "9", "wanted": "4.5", "seed": "8", "cap": "12",
             "way": "a", "view": "y", "names": "m,n", "flag": "false"}
    app = controls(**given)
    assert link(app) == given
    assert values(app) == {"epsilon": 2.5, "rate": 0.25, "k": 9, "wanted": 4.5, "seed": 8,
                           "cap": 12, "way": "a", "view": "y", "names": ["m", "n"], "flag": False}
    assert app.text[1].value.split("?")[1].split("&")[:3] == ["epsilon=2.5", "rate=0.25", "k=9"]


def test_a_moved_control_is_in_the_link() -> None:
    app = controls(k="9")
    app.slider(key="url.k").set_value(12)
    app.multiselect(key="url.names").set_value(["m"])
    app.number_input(key="url.cap").set_value(5)
    app.run()
    assert {n: link(app)[n] for n in ("k", "names", "cap", "way")} == {
        "k": "12", "names": "m", "cap": "5", "way": "b"}
    assert values(app)["k"] == 12


def test_another_link_in_the_same_visit_is_taken_over() -> None:
    """What the Back button does."""
    app = controls(k="9")
    app.slider(key="url.k").set_value(12).run()
    app.query_params["k"] = "9"
    app.run()
    assert values(app)["k"] == 9 and app.slider(key="url.k").value == 9


def test_mistakes_in_a_link_are_said_once_and_by_name() -> None:
    app = controls(k="many", names="m,z", way="b", epsilon="-1")
    said = app.text[0].value.split("|")
    assert [s.split(" must")[0].split(" has")[0] for s in said] == [
        "In the link, epsilon", "In the link, k", "In the link, names"]
    assert values(app)["k"] == 6 and values(app)["names"] == ["m"]
    app.toggle(key="url.flag").set_value(False).run()
    assert app.text[0].value == ""


def test_reset_keeps_what_it_is_told_to() -> None:
    app = controls(k="9", way="a", seed="3")
    next(b for b in app.button if b.label == "Reset").click().run()
    assert (values(app)["k"], values(app)["way"], values(app)["seed"]) == (9, "b", 7)


def test_a_button_can_set_a_control() -> None:
    app = controls()
    next(b for b in app.button if b.label == "Put").click().run()
    assert values(app)["way"] == "a" and link(app)["way"] == "a"
    assert app.selectbox(key="url.way").value == "a"


def blocks(node: Any) -> list[Any]:
    """All parts of a page below this one."""
    found = []
    for child in getattr(node, "children", {}).values():
        found += [child, *blocks(child)]
    return found


def test_cards_say_what_each_method_is_and_promises() -> None:
    chosen = {"m1": "laplace", "m2": "swapping", "m3": "dp-suppression", "m4": "none"}
    app = opened({**TWIN, **chosen, "m3.keep_zeros": "true", "m1.epsilon": "0.5"})
    table = sdc.load_dataset("ma2019-twin").histogram(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"])
    columns = [b for b in blocks(app.main) if re.search(r"-slot-m\d$", getattr(b.proto, "id", ""))]
    assert [c.get("selectbox")[0].label for c in columns] == ["Method"] * 4
    built = [sdc.mechanism("laplace", epsilon=0.5), sdc.mechanism("swapping"),
             sdc.mechanism("dp-suppression", keep_zeros=True)]
    signs = ("verified_user", "remove_moderator", "gpp_bad")
    for column, one, sign in zip(columns, built, signs, strict=False):
        opened_from = next(b.proto.popover for b in blocks(column) if b.type == "popover")
        assert (opened_from.label, opened_from.icon) == (one.plain, f":material/{sign}:")
        captions = [c.value for c in column.get("caption")]
        assert captions[0] == plain(f"{FAMILY_TITLES[one.family]}. {one.summary}")
        chip = guarantee_chip(one.guarantee(table)).text
        badges = [m.value for m in column.get("markdown") if "badge" in m.value]
        assert len(badges) == 1 and chip.split(":")[0] in badges[0].replace("\\", "")
    tones = ["green", "gray", "red"]
    for column, tone in zip(columns, tones, strict=False):
        badge = next(m.value for m in column.get("markdown") if "badge" in m.value)
        assert f":{tone}-badge[" in badge
    assert next(b.proto.popover.label for b in blocks(columns[3]) if b.type == "popover") == (
        "Add a method")
    sliders = [*app.main.slider, *app.main.select_slider]
    in_sight = ("url.m1.epsilon", "url.m2.swap_rate", "url.m3.epsilon")
    assert [next(s.label for s in sliders if s.key == key) for key in in_sight] == [
        "Laplace, ε", "Swapping", "DP suppression, ε"]  # by the method's own name
    assert columns[1].get("multiselect")[0].value == ["RAC1P", "SEX"]  # what is swapped


def test_what_is_closed_is_not_drawn_and_says_the_same() -> None:
    """Link and answer are those of a page with everything open; of the methods' controls only the
    sliders in sight are drawn."""
    closed, whole = opened(TWIN, unfolded=False), opened(TWIN)
    assert link(closed) == link(whole) and answer(closed) == answer(whole)
    sliders = {one.key for one in (*closed.slider, *closed.select_slider)}
    assert sliders == {"url.m1.epsilon", "url.m2.epsilon", "url.m3.epsilon", "url.m4.k"}
    assert [one.key for one in closed.selectbox] == ["url.data"]
    assert not closed.multiselect and not closed.number_input


def test_what_was_set_in_a_popover_stays_when_it_is_closed() -> None:
    """It stays open while its own label changes, and nothing that was set there comes undone when
    it is closed and opened again."""
    app = unfold(opened(TWIN, unfolded=False)).run()
    app.selectbox(key="url.m1").set_value("suppression")
    app.number_input(key="url.seed").set_value(8)
    app.run()
    app.selectbox(key="url.m1.imputation").set_value("half").run()  # still open
    for key in CLOSED:
        app.session_state[key] = False
    for _ in range(2):  # the run that closes it, and one more
        app.run()
        assert [one.key for one in app.selectbox] == ["url.data"]
        now = link(app)
        assert (now["m1"], now["m1.imputation"], now["seed"]) == ("suppression", "half", "8")
    unfold(app).run()
    assert app.selectbox(key="url.m1").value == "suppression"
    assert app.selectbox(key="url.m1.imputation").value == "half"
    assert app.number_input(key="url.seed").value == 8


def test_a_method_is_removed_and_changes_places_with_its_settings() -> None:
    app = opened({**TWIN, "m1": "laplace", "m1.epsilon": "0.5", "m2": "suppression", "m2.k": "9",
                  "m3": "none", "m4": "none"})
    app.button(key="move.m1.Right").click().run()
    now = link(app)
    assert (now["m1"], now["m1.k"], now["m2"], now["m2.epsilon"]) == (
        "suppression", "9", "laplace", "0.5")
    assert app.button(key="move.m1.Left").disabled
    app.button(key="remove.m2").click().run()
    assert link(app)["m2"] == "none" and "Laplace" not in answer(app)


def test_empty_groups_are_one_setting_for_all_methods_on_every_page() -> None:
    app = opened({**TWIN, "m1": "suppression", "m2": "dp-suppression", "m3": "none", "m4": "none"})
    assert link(app)["empty"] == "left" and link(app)["domain"] == "dictionary"
    assert not any("keep_zeros" in name for name in link(app))
    study = app.session_state["study"]
    methods = [sdc.mechanism("suppression"), sdc.mechanism("dp-suppression")]
    assert escape(sdc.ask("compare", study.with_methods(methods)).headline) in answer(app)
    app.segmented_control(key="url.empty").set_value("treated").run()
    assert link(app)["empty"] == "treated"
    filled = [m.replace(keep_zeros=False) for m in methods]
    again = sdc.Study(study.dataset, study.features, 7, filled, "as-set")
    found = sdc.ask("compare", again)
    assert found.code.count("keep_zeros=False") == 2
    assert escape(found.headline) in answer(app)
    app.switch_page("../pages/told_apart.py").run()
    assert link(app)["empty"] == "treated"
    assert (link(app)["m1"], link(app)["m2"]) == ("suppression", "dp-suppression")


def test_a_preset_is_one_click_and_says_that_it_is_on() -> None:
    app = opened(TWIN)
    button = next(b for b in app.main.button if "Zhu et al" in b.label)
    button.click().run()
    assert (link(app)["empty"], link(app)["domain"]) == ("treated", "observed")
    assert [link(app)[f"m{i}"] for i in (1, 2, 3, 4)] == [
        "laplace", "discrete-gaussian", "dp-suppression", "dp-swapping-uniform"]
    (chosen,) = (b for b in app.main.button if "Zhu et al" in b.label)
    presets = next(b.proto.popover for b in blocks(app.main)
                   if b.type == "popover" and "presets" in b.proto.id)
    assert chosen.disabled and "Zhu et al" in presets.label
    app.segmented_control(key="url.empty").set_value("left").run()
    assert not any(b.disabled for b in app.main.button if "Zhu et al" in b.label)


@pytest.mark.parametrize(("old", "new", "said"), [
    ({"t1": "laplace", "t1.epsilon": "4", "t2": "none", "t3": "none", "t4": "none"},
     {"m1": "laplace", "m1.epsilon": "4", "m2": "none", "domain": "dictionary"}, False),
    ({"data": "ma2019-twin", "seed": "3", "t1": "suppression", "t1.keep_zeros": "false"},
     {"m1": "suppression", "empty": "treated", "domain": "observed"}, False),
    ({"t1": "suppression", "t1.keep_zeros": "true", "t2": "dp-suppression",
      "t2.keep_zeros": "false"}, {"m2": "dp-suppression", "empty": "left"}, True),
])
def test_older_links_open_and_say_what_has_changed(
    old: dict[str, str], new: dict[str, str], said: bool
) -> None:
    app = opened({**TWIN, **old}, "../pages/told_apart.py")
    now = link(app)
    assert {k: now.get(k) for k in new} == new
    assert not any(re.match(r"t\d|.*keep_zeros", name) for name in now)
    warned = [w.value for w in app.warning]
    assert any("one setting for all methods" in w for w in warned) is said
    assert len(warned) == said


def test_an_older_link_of_the_map_sets_its_two_methods_against_each_other() -> None:
    old = {"map1": "laplace", "map1.epsilon": "2", "map2": "suppression", "map2.k": "4"}
    app = opened({**TWIN, **old}, "../pages/map.py")
    now = link(app)
    assert [now[f"m{n}"] for n in (1, 2, 3, 4)] == ["laplace", "suppression", "none", "none"]
    assert "map_one" not in now
    assert "adding noise (ε = 2)" in answer(app) and "hiding small counts (k = 4)" in answer(app)


def test_the_sidebar_says_what_data_it_is() -> None:
    app = opened(TWIN)
    badges = [m.value for m in app.sidebar.markdown]
    assert any("Synthetic twin" in b and ":violet-badge" in b for b in badges)
    assert app.sidebar.multiselect(key="url.features").label == "Count people by"
    assert [b.label for b in app.sidebar.button] == ["Reset", "Release", "Re-roll"]
    more = next(e for e in app.sidebar.get("expander") if e.label == "More")
    assert [b.label for b in more.get("button")] == ["Re-roll"]
    assert {n.key for n in [*more.get("number_input"), *more.get("button_group")]} == {
        "url.seed", "url.domain", "url.count"}
    before = link(app)["seed"]
    next(b for b in app.sidebar.button if b.label == "Re-roll").click().run()
    assert link(app)["seed"] != before and app.number_input(key="url.seed").value != int(before)


@pytest.mark.parametrize(("page", "name", "kind"), [
    ("compare", "Massachusetts 2019 twin", "Synthetic twin"),
    ("swapping_changes", "Massachusetts 1940", "Published numbers"),
])
def test_the_answer_says_what_data_it_is_about(page: str, name: str, kind: str) -> None:
    app = opened(TWIN, f"../pages/{page}.py")
    bodies = [h.proto.body for h in app.get("html")]
    (stamp,) = (body for body in bodies if 'class="stamp' in body)
    place = next(i for i, body in enumerate(bodies) if '<h1 class="answer"' in body)
    assert bodies[place - 1] == stamp and f"<b>{kind}</b> {name}" in stamp


def test_a_stamp_tells_real_from_synthetic_from_ones_own() -> None:
    twin = sdc.ask("compare", sdc.Study(sdc.load_dataset("ma2019-twin"))).provenance
    assert twin is not None
    kinds = {}
    for origin in ("real", "twin", "own"):
        data = dataclasses.replace(twin.dataset, origin=origin)
        kinds[origin] = dataclasses.replace(twin, dataset=data).stamp[1]
    assert "Synthetic" in kinds["twin"] and "Real" in kinds["real"] and "Your" in kinds["own"]


def test_link_and_code_are_those_of_the_page() -> None:
    app = opened({**TWIN, "m1.epsilon": "0.5"})
    app.session_state["popover.code"] = app.session_state["popover.link"] = True
    app.run()
    address, code = (block.value for block in app.code)
    assert "m1.epsilon=0.5" in address and "data=ma2019-twin" in address
    assert code.startswith("import sdc_core as sdc") and "epsilon=0.5" in code
    assert code.endswith("print(sdc.ask('compare', study))")


def test_a_control_that_is_moved_before_the_browser_knows_of_the_move_before() -> None:
    """The second move comes with the URL from before the first: both hold. Without a move, the
    same URL is the Back button."""
    app = controls()
    before = dict(app.query_params)
    app.slider(key="url.k").set_value(9).run()
    assert values(app)["k"] == 9 and dict(app.query_params) != before
    for name, text in before.items():
        app.query_params[name] = text
    app.selectbox(key="url.way").set_value("a").run()
    assert values(app)["k"] == 9 and values(app)["way"] == "a"
    assert app.query_params["k"] == "9" and app.query_params["way"] == "a"
    for name, text in before.items():
        app.query_params[name] = text
    app.run()
    assert values(app)["k"] == 6 and values(app)["way"] == "b"


def test_a_button_that_is_pressed_before_the_browser_knows_of_a_move() -> None:
    app = controls()
    before = dict(app.query_params)
    app.slider(key="url.k").set_value(9).run()
    for name, text in before.items():
        app.query_params[name] = text
    next(b for b in app.button if b.label == "Put").click().run()
    assert values(app)["k"] == 9 and values(app)["way"] == "a"


def test_a_job_waits_for_its_button_and_is_then_done() -> None:
    app = opened({**TWIN, "features": "PUMA,SEX", "m1": "topdown", "m2": "laplace", "m3": "none",
                  "m4": "none"})
    assert [b.label for b in app.main.button if "Run" in b.label] == ["Run TopDown"]
    assert any("20 releases take some seconds" in c.value for c in app.main.caption)
    next(b for b in app.button if b.label == "Run TopDown").click().run()
    assert not app.exception
    assert not [b.label for b in app.main.button if "Run" in b.label]
    assert "that adds up" in next(h.proto.body for h in app.get("html") if "answer" in h.proto.body)


def test_the_menu_is_the_registry() -> None:
    from sdc_core.questions import QUESTIONS

    seen: dict[str, list[Any]] = {}

    def noted(menu: dict[str, list[Any]], **look: Any) -> Any:
        seen.update(menu)
        return original(menu, **look)

    from ui import router

    original = router.st.navigation
    router.st.navigation = noted
    try:
        opened(TWIN)
    finally:
        router.st.navigation = original
    pages = [(section, p) for section, some in seen.items() for p in some]
    listed = [(section, p.title, p.icon) for section, p in pages if p.visibility == "visible"]
    hidden = [(p.title, p.url_path) for _, p in pages if p.visibility != "visible"]
    assert listed[0][:2] == ("", "Start") and hidden == [("Start", "start")]  # under its name, too
    assert [one[:2] for one in listed[-3:]] == [  # after all questions
        ("Yours", "Brief"), ("Yours", "Teach"), ("Yours", "Glossary")]
    assert listed[1:-3] == [(q.section, q.title, f":material/{q.icon}:") for q in QUESTIONS]

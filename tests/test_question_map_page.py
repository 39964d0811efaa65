"""The Map's page: it shows the answer, lives in its link, takes clicks, taps and files."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.questions.answer import Panel, Pick
from tests.map_towns import TOWNS, people, squares
from tests.marks import unmarked
from tests.page_driver import ENTRY, TWIN, answer, link, opened
from ui import picking, state

PAGE = "../pages/map.py"


def captions(app: AppTest) -> str:
    return unmarked(" ".join(c.value for c in app.caption)).replace("\\", "")


def bodies(app: AppTest) -> list[str]:
    return [h.proto.body for h in app.get("html")]


def test_the_page_shows_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin")))
    assert found.headline in answer(app) and found.more in answer(app)
    assert found.panel("map-view").caption in captions(app)
    assert "Schematic boundaries" in captions(app) and "Numbers are exact" in captions(app)
    assert len(app.get("plotly_chart")) == 3
    assert sum('class="worst"' in body for body in bodies(app)) == 1
    seen = link(app)
    assert [seen[f"m{n}"] for n in (1, 2, 3, 4)] == [
        "laplace", "discrete-gaussian", "dp-suppression", "suppression"]
    assert {k: v for k, v in seen.items() if k.startswith("map_")} == {
        "map_one": "1", "map_other": "4", "map_measure": "people_error",
        "map_place": "*", "map_view": "map"}
    assert seen["count"] == "records"  # shared by all pages that can count so
    assert not {"measure", "place", "view", "area"} & set(seen)  # other pages have such


def test_choices_are_called_what_they_do() -> None:
    app = opened({**TWIN, "map_measure": "group_bias"}, PAGE)
    chosen = {
        key: app.selectbox(key=f"url.{key}")
        for key in ("map_measure", "map_place", "map_group.RAC1P", "map_group.OWN_RENT")
    }
    assert chosen["map_measure"].options == [
        "Error of a release, people", "Systematic error, people",
        "Error of a release, people per 1,000", "People put into empty groups, people",
        "One group too high or too low, people per count", "Hidden counts, % of counts",
        "Systematic error, empty groups included, people"]
    assert chosen["map_place"].options[0] == "none: click one"
    assert "Woburn–Melrose–Saugus" in chosen["map_place"].options
    assert chosen["map_group.RAC1P"].options[:2] == ["any", "White"]
    assert (chosen["map_group.RAC1P"].value, chosen["map_group.OWN_RENT"].value) == ("2", "2")
    assert "map_group.PUMA" not in link(app)  # the area is no part of a group
    groups = {one.key: one.options for one in app.get("button_group")}
    assert groups["url.count"] == ["people counted", "people represented"]
    assert groups["url.map_view"] == ["Map", "Tiles", "Bars"]


def test_deep_link_pins_a_place_and_shows_its_cells() -> None:
    wanted = {
        "map_measure": "group_bias", "map_group.RAC1P": "6", "map_group.OWN_RENT": "*",
        "map_place": "25-02800", "count": "represented", "m3.epsilon": "2", "map_other": "3",
        "map_view": "tiles",
    }
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    assert "people counted as Asian" in answer(app)
    assert "hiding below a noisy limit (ε = 2" in answer(app)
    assert "hiding small counts (k = 6)" not in answer(app)
    assert "Woburn–Melrose–Saugus" in answer(app)
    assert "PWGTP" in captions(app)
    assert "Equal tiles" in captions(app)
    table = app.dataframe[-1].value
    assert list(table.columns[:3]) == ["who", "true count", "people represented"]
    assert len(table) == 9 * 2 * 3 * 2
    again = opened(link(app), PAGE)
    assert answer(again) == answer(app)


def test_a_link_from_when_the_map_had_its_own_weights_still_opens() -> None:
    old = opened({**TWIN, "map_count": "weighted"}, PAGE)
    assert not old.warning and link(old)["count"] == "represented" and "map_count" not in link(old)
    assert answer(old) == answer(opened({**TWIN, "count": "represented"}, PAGE))
    assert "people represented" in answer(old)
    plain = opened({**TWIN, "map_count": "persons"}, PAGE)
    assert not plain.warning and link(plain)["count"] == "records"
    assert answer(plain) == answer(opened(TWIN, PAGE))


def test_all_31_places_on_the_page() -> None:
    app = opened({"data": "all2019-twin"}, PAGE)
    assert "all 31 places" in answer(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    areas = [t for t in spec["data"] if t.get("fill") == "toself" and t["name"] != "land"]
    assert len(areas) == 31


def test_bad_link_is_explained_and_the_rest_is_kept() -> None:
    bad = {"map_measure": "beauty", "map_place": "99-99999", "map_view": "globe",
           "count": "twice", "m1.epsilon": "-1", "m4.k": "9", "map_one": "7"}
    app = opened({**TWIN, **bad}, PAGE)
    said = " ".join(w.value for w in app.warning).replace("\\", "")
    for word in ("beauty", "99-99999", "globe", "twice", "epsilon", "map_one"):
        assert word in said
    assert app.slider(key="url.m4.k").value == 9
    assert len(app.get("plotly_chart")) == 3


def test_no_method_and_one_method() -> None:
    nothing = {f"m{n}": "none" for n in (1, 2, 3, 4)}
    none = opened({**TWIN, **nothing}, PAGE)
    assert "Choose a method" in answer(none) and not none.get("plotly_chart")
    one = opened({**TWIN, **nothing, "m1": "laplace"}, PAGE)
    assert len(one.get("plotly_chart")) == 1 and "adding noise" in answer(one)
    assert "map_one" not in link(one)  # nothing to choose between


def test_a_link_to_all_groups_together_still_shows_them() -> None:
    """What every map showed before people and invented people were told apart."""
    app = opened({**TWIN, "map_measure": "l1_bias", "empty": "treated"}, PAGE)
    assert not app.error and not app.warning and link(app)["map_measure"] == "l1_bias"
    assert "with empty groups, " in answer(app) and "Of that, adding noise" in answer(app)


def test_costly_methods_wait_for_run() -> None:
    app = opened({**TWIN, "m4": "mst"}, PAGE)
    assert [b.label for b in app.button if b.label.startswith("Run")] == ["Run MST synthetic data"]
    assert len(app.get("plotly_chart")) == 1


def test_taps_pick_only_where_there_are_maps() -> None:
    """One script for all charts whose marks can be picked; on a phone they leave no empty space."""
    with_maps = bodies(opened(TWIN, PAGE))
    assert sum("touchstart" in body for body in with_maps) == 1
    (style,) = (body for body in with_maps if "margin-bottom: -" in body and "st-key-pick" in body)
    spare = sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin"))).panel("map-first")
    for name in ("first", "second", "difference"):
        rule = f"[class*='st-key-pick-map-{name}-'] {{ margin-bottom: -{spare.spare_on_a_phone}px"
        assert rule in style
    assert "@media (max-width: 640px)" in style
    assert not any("touchstart" in b for b in bodies(opened({**TWIN, "map_view": "bars"}, PAGE)))


@pytest.mark.parametrize(
    ("present", "mark", "set_to"),
    [("", 1, "b"), ("a", 1, "b"), ("b", 1, "*"), ("a", 0, "*"), ("a", 9, None), ("a", None, None)],
)
def test_a_click_sets_the_control_and_a_second_lets_go(
    present: str, mark: int | None, set_to: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [] if mark is None else [{"point_index": mark}]
    memory = {"pick.x": {"selection": {"points": points}}}
    put: dict[str, str] = {}
    monkeypatch.setattr(picking, "st", SimpleNamespace(session_state=memory))
    monkeypatch.setattr(state, "put", put.__setitem__)
    picking._picked("pick.x", Pick("map_place", ("a", "b"), present, "*"))
    assert put == ({} if set_to is None else {"map_place": set_to})


def test_nothing_is_prepared_for_panels_without_a_pick(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(picking, "st", SimpleNamespace(
        html=lambda body, unsafe_allow_javascript=False: drawn.append(body)))
    picking.prepare([Panel("plain", spare_on_a_phone=9)])
    assert drawn == []
    picking.prepare([Panel("one", pick=Pick("c", (), "", "*"))])
    assert len(drawn) == 1 and "<script>" in drawn[0]


# --- own files on the page -------------------------------------------------------------------

UPLOAD = "upload.map_boundaries"


def own(boundary: tuple[str, bytes] | None, view: str | None = None) -> AppTest:
    """The page with a table of towns, in a view, and perhaps with a boundary file."""
    app = AppTest.from_file(ENTRY, default_timeout=60).run().switch_page(PAGE).run()
    body = people().drop(columns="PWGTP").to_csv(index=False).encode()
    app.file_uploader(key="upload").upload("towns.csv", body, "text/csv").run()
    assert not app.exception, [e.value for e in app.exception]
    if view:
        app.query_params["map_view"] = view
        app.run()
    if boundary:
        app.file_uploader(key=UPLOAD).upload(*boundary, "application/json").run()
        assert not app.exception, [e.value for e in app.exception]
    return app


def test_own_data_without_shapes_has_bars() -> None:
    app = own(None)
    assert not app.error
    assert link(app)["map_area"] == "town"  # the column that reads like a place
    assert len(app.get("plotly_chart")) == 1 and "3 places" in answer(app)
    assert not any('class="worst"' in body for body in bodies(app))
    app.query_params["map_view"] = "tiles"
    app.run()
    assert len(app.get("plotly_chart")) == 3
    app.query_params["map_view"] = "map"
    app.run()
    assert any("no boundaries" in w.value for w in app.warning)
    assert len(app.get("plotly_chart")) == 1  # bars instead of a blank map


def test_own_data_with_a_boundary_file_has_a_map() -> None:
    app = own(("towns.geojson", squares(TOWNS)), view="tiles")
    assert link(app)["map_view"] == "map"  # whoever gives shapes wants to see them
    assert not app.error and not app.warning
    assert "towns.geojson" in captions(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert sum(t.get("fill") == "toself" for t in spec["data"]) == 3


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [("broken.geojson", b"{]", "broken"), ("other.geojson", squares(["x", "y"]), "No area")],
)
def test_a_bad_boundary_file_is_one_sentence(name: str, content: bytes, word: str) -> None:
    app = own((name, content))
    app.query_params["map_view"] = "map"
    app.run()
    said = [e.value.replace("\\", "") for e in [*app.error, *app.warning]]
    assert sum(word in one for one in said) == 1
    assert len(app.get("plotly_chart")) == 1  # bars
    assert "3 places" in answer(app)


def test_a_file_that_cannot_be_read_leaves_the_one_before_unless_that_was_taken_away() -> None:
    app = own(("towns.geojson", squares(TOWNS)))
    app.file_uploader(key=UPLOAD).set_value(("broken.geojson", b"{]", "application/json")).run()
    assert "towns.geojson" in captions(app) and len(app.error) == 1
    app = own(("towns.geojson", squares(TOWNS)))
    app.file_uploader(key=UPLOAD).set_value(None).run()
    assert "towns.geojson" not in captions(app) and not app.error
    app.file_uploader(key=UPLOAD).set_value(("broken.geojson", b"{]", "application/json")).run()
    assert "towns.geojson" not in captions(app) and len(app.error) == 1


def test_areas_that_are_missing_are_listed() -> None:
    app = own(("two.geojson", squares(["Aston", "Corby"])))
    assert "1 of 3 areas is missing: Barton" in captions(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert [t["name"] for t in spec["data"] if t.get("fill") == "toself"] == ["Aston", "Corby"]

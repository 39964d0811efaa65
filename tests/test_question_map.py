"""The Map page: its figures say what the table says, its sentences what the engine says, and it
lives in its link."""

from __future__ import annotations

import io
import itertools
import json
import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core import geography
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.figures import map as figures
from sdc_core.figures import places
from sdc_core.figures.colour_scale import ink_on, scale_for
from sdc_core.figures.map_labels import labels
from sdc_core.figures.map_layout import Sheet, sheet_of, tile_sheet
from sdc_core.histogram import Feature
from sdc_core.metrics.areas import MEASURES, AreaComparison, compare_areas
from sdc_core.narrative import words
from sdc_core.narrative.map import at_other_epsilon, map_sentences, weight_sentence
from tests.page_driver import ENTRY, answer, link, opened
from ui.map_explain import METHOD

PAGE = "../pages/map.py"
TWIN = {"data": "ma2019-twin"}
DEFAULTS = (
    sdc.mechanism("laplace", epsilon=1.0), sdc.mechanism("dp-suppression", epsilon=1.0),
)


def compared(
    data: str = "ma2019-twin", measure: str = "l1_bias", methods=DEFAULTS,  # type: ignore
    **more: object,
) -> AreaComparison:
    table = sdc.load_dataset(data).histogram(FIVE_FEATURES)
    evaluations = [sdc.evaluate(m, table) for m in methods]
    return compare_areas(table, "PUMA", evaluations, measure, **more)  # type: ignore[arg-type]


def sheet_for(data: str, monkeypatch: pytest.MonkeyPatch) -> Sheet:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    codes = sdc.load_dataset(data).coded("PUMA")[1].values
    return sheet_of(geography.boundaries(codes))


def mixed(stops: tuple[str, ...], share: float) -> tuple[int, ...]:
    """A colour on the way through the stops, worked out channel by channel."""
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    return tuple(
        round(int(stops[low][i : i + 2], 16) * (1 - place + low)
              + int(stops[low + 1][i : i + 2], 16) * (place - low))
        for i in (1, 3, 5)
    )


# --- colours and figures ---------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("data", "areas"), [("ma2019-twin", 5), ("tx2019-twin", 6), ("national2019-twin", 20),
                        ("all2019-twin", 31)],
)
@pytest.mark.parametrize("measure", list(MEASURES))
def test_fill_colours_follow_from_the_table(
    data: str, areas: int, measure: str, dark: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = compared(data, measure, group={"RAC1P": "2"})
    drawn = figures.maps(found, sheet_for(data, monkeypatch), dark, pinned=found.area.values[0])
    table = places.area_table(found).set_index("code")
    numbers = table[[c for c in table.columns if c[:2] in ("1.", "2.")]]
    top = float(numbers.abs().to_numpy().max()) or 1.0
    signed = MEASURES[measure].signed  # type: ignore[index]
    spread = float(table["difference"].abs().max()) or 1.0
    columns = [(numbers.iloc[:, 0], 0.0 if not signed else -top, top),
               (numbers.iloc[:, 1], 0.0 if not signed else -top, top),
               (table["difference"], -spread, spread)]
    for fig, (values, low, high) in zip(drawn, columns, strict=True):
        checked = go.Figure(fig.to_dict())  # plotly's own validation
        bar = next(t for t in checked.data if t.name == "scale").marker
        assert (bar.cmin, bar.cmax) == (low, high)
        stops = tuple(colour for _, colour in bar.colorscale)
        filled = [t for t in checked.data if t.fill == "toself" and t.name != "land"]
        assert len(filled) == areas
        for trace in filled:
            share = (values[trace.name] - low) / (high - low)
            seen = tuple(int(trace.fillcolor[i : i + 2], 16) for i in (1, 3, 5))
            assert np.abs(np.subtract(seen, mixed(stops, share))).max() <= 1


def test_both_maps_share_one_scale_and_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared()
    first, second, difference = figures.maps(found, sheet_for("ma2019-twin", monkeypatch))
    assert first.layout.xaxis == second.layout.xaxis == difference.layout.xaxis
    assert first.layout.yaxis == second.layout.yaxis == difference.layout.yaxis
    assert first.layout.yaxis.scaleanchor == "x" and first.layout.yaxis.scaleratio == 1
    scales = [next(t for t in f.data if t.name == "scale").marker for f in (first, second)]
    assert scales[0] == scales[1]


def test_hover_names_the_place_and_both_methods() -> None:
    found = compared()
    text = places.hover_texts(found)[found.area.values.index("25-02800")]
    assert text.startswith("<b>Woburn–Melrose–Saugus</b>")
    for number, one in enumerate(found.mechanisms):
        value = float(found.values[number][found.area.values.index("25-02800")])
        assert f"{one.label()}: {value:.0f} people" in text
    hidden = compared(measure="hidden_share")
    assert "Laplace ε=1: hides no counts" in places.hover_texts(hidden)[0]


def test_every_area_can_be_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared("all2019-twin")
    sheet = sheet_for("all2019-twin", monkeypatch)
    fig = figures.maps(found, sheet)[0]
    trace = next(t for t in fig.data if t.mode == "markers" and t.name != "scale")
    hover = dict(zip(found.area.values, places.hover_texts(found), strict=True))
    clicked = [figures.clicked_area(sheet, i) for i in range(len(trace.text))]
    assert set(clicked) == set(found.area.values)
    assert [hover[code] for code in clicked] == list(trace.text)
    assert min(clicked.count(code) for code in hover) >= 2  # its middle and its tile at least
    assert figures.clicked_area(sheet, len(clicked)) == ""


def test_click_points_lie_within_their_own_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    shapely = pytest.importorskip("shapely")
    sheet = sheet_for("ma2019-twin", monkeypatch)
    for area in sheet.areas:
        gaps = np.flatnonzero(np.isnan(area.x))
        rings = [
            np.column_stack(part) for part in zip(
                np.split(area.x[~np.isnan(area.x)], gaps - np.arange(len(gaps))),
                np.split(area.y[~np.isnan(area.y)], gaps - np.arange(len(gaps))), strict=True)
        ]
        shape = shapely.Polygon(rings[0])
        for ring in rings[1:]:
            shape = shape.symmetric_difference(shapely.Polygon(ring))
        points = shapely.points(area.click_x, area.click_y)
        assert shapely.contains(shape.buffer(0.5), points).all()
        assert len(points) > 20


def test_tiles_do_not_overlap_and_keep_their_order() -> None:
    codes = [str(i) for i in range(23)]
    sheet = tile_sheet(codes, [f"Place {i}" for i in codes])
    boxes = [(a.x.min(), a.y.min(), a.x.max(), a.y.max()) for a in sheet.areas]
    assert [a.code for a in sheet.areas] == codes
    for i, (left, low, right, high) in enumerate(boxes):
        assert right - left == pytest.approx(high - low, rel=1e-4)
        for other in boxes[i + 1 :]:
            apart = other[0] >= right or other[2] <= left or other[1] >= high or other[3] <= low
            assert apart
        title = sheet.titles[i]
        assert title[1] >= high and left <= title[0] <= right


def test_all_31_places_are_small_to_send(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = figures.maps(compared("all2019-twin"), sheet_for("all2019-twin", monkeypatch))
    assert sum(len(f.to_json()) for f in drawn) < 400_000


def test_a_map_exports_to_html_that_needs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared()
    fig = figures.maps(found, sheet_for("ma2019-twin", monkeypatch))[1]
    page = fig.to_html(include_plotlyjs=True)
    assert page.count('"fill":"toself"') == 5
    assert "<script src=" not in page and "cdn.plot.ly/plotly-" not in page
    for colour in figures.method_scale(found, False).colours(found.values[1]):
        assert colour in page


@pytest.mark.parametrize(
    ("value", "size", "signed"),
    [(187.4, "187", "+187"), (-12.6, "−13", "−13"), (9.996, "10", "+10"), (0.0104, "0.01", "+0.01"),
     (-0.0004, "0", "0"), (2.5, "2.5", "+2.5"), (0.0, "0", "0"), (1234.5, "1,234", "+1,234")],
)
def test_numbers_have_the_digits_a_reader_can_use(value: float, size: str, signed: str) -> None:
    assert words.size_text(value) == size
    assert words.signed_text(value) == signed


def test_bars_and_list_show_the_same_numbers() -> None:
    found = compared()
    bars = places.area_bars(found)
    go.Figure(bars.to_dict())  # plotly's own validation
    for trace, values in zip(bars.data, found.values, strict=True):
        assert sorted(trace.x) == sorted(values)
    assert bars.layout.yaxis.ticktext[-1] == found.area.labels[int(found.worst_first()[0])]
    worst = found.area.labels[int(found.worst_first()[0])]
    html = places.worst_list(found, 0, pinned=found.area.values[2])
    assert html.index(worst) < html.index("2. ")
    assert "pinned" in html


def test_names_from_a_file_are_shown_as_they_are() -> None:
    records = pd.DataFrame({"town": ["<b>a</b>", "b"] * 20, "sex": ["m", "f", "f", "m"] * 10})
    table = sdc.load_dataset(records).histogram(["town", "sex"])
    found = compare_areas(table, "town", [sdc.evaluate(DEFAULTS[0], table)])
    sheet = tile_sheet(found.area.values, found.area.labels)
    fig = figures.maps(found, sheet)[0]
    assert "&lt;b&gt;a" in places.hover_texts(found)[0]
    assert any("&lt;b&gt;a" in a.text for a in fig.layout.annotations)
    assert "<b>a" not in places.worst_list(found)


@pytest.mark.parametrize("kind", ["size", "signed", "difference"])
@pytest.mark.parametrize("dark", [False, True])
def test_lightness_alone_tells_the_order(kind: str, dark: bool) -> None:
    """So that colour-blind readers and black-and-white prints lose nothing of the size."""
    scale = scale_for(kind, 2.0, dark)  # type: ignore[arg-type]

    def lightness(value: float) -> float:
        colour = scale.colours(np.array([value]))[0]
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for side in (1,) if kind == "size" else (1, -1):
        steps = [lightness(side * v) for v in np.linspace(0, 2, 9)]
        assert all((b > a) == dark for a, b in itertools.pairwise(steps))
    assert ink_on("#FFFFFF") != ink_on("#000000")


# --- names on the map ------------------------------------------------------------------------


def written(data: str, monkeypatch: pytest.MonkeyPatch, letters: int = 3) -> dict[str, str]:
    """What is written for each area, a # for its number."""
    sheet = sheet_for(data, monkeypatch)
    feature = sdc.load_dataset(data).coded("PUMA")[1]
    titles = dict(zip(feature.values, feature.labels, strict=True))
    names = tuple(titles[a.code] for a in sheet.areas)
    found: dict[str, str] = {}
    for one in labels(sheet, names, letters):
        code = sheet.areas[one.area].code
        text = " ".join([*one.words, *["#"] * one.number])
        found[code] = f"{found[code]} {text}" if code in found else text
    return found


def test_every_place_of_a_state_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = written("ma2019-twin", monkeypatch)
    assert len(found) == 5
    for code, first in {"25-00503": "Waltham", "25-00703": "Salem", "25-01000": "Peabody",
                        "25-01300": "Billerica", "25-02800": "Woburn"}.items():
        assert first in found[code] and "#" in found[code]


def test_parts_of_an_inset_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = written("national2019-twin", monkeypatch)
    for code, name in {"17-03529": "Hyde Park", "17-03531": "Auburn Gresham", "36-03710": "Bronx",
                       "36-04010": "Brooklyn", "51-51255": "Alexandria"}.items():
        assert name in found[code]
    assert found["08-00803"] == "#"  # the title over it says Boulder


def test_words_within_an_area_stay_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shapely = pytest.importorskip("shapely")
    sheet = sheet_for("ma2019-twin", monkeypatch)
    feature = sdc.load_dataset("ma2019-twin").coded("PUMA")[1]
    for one in labels(sheet, feature.labels, 3):
        area = sheet.areas[one.area]
        cut = [*np.flatnonzero(np.isnan(area.x)), len(area.x)][0]
        shape = shapely.Polygon(np.column_stack([area.x[:cut], area.y[:cut]]))
        lines = [len(line) for line in one.words] + [3] * one.number
        wide, high = max(lines) * 5 / 0.42, len(lines) * one.size / 0.42
        block = shapely.box(one.x - wide / 2, one.y - high / 2, one.x + wide / 2, one.y + high / 2)
        if not one.side:
            assert block.intersection(shape).area > 0.93 * block.area, one


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_on_a_dark_page_the_worse_is_red_and_the_better_blue(side: float) -> None:
    colour = scale_for("difference", 1.0, dark=True).colours(np.array([side]))[0]
    red, _, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    assert (red - blue) * side > 120


# --- sentences -------------------------------------------------------------------------------


def test_the_answer_is_computed() -> None:
    found = compared()
    headline, more = map_sentences(found, compared(methods=at_other_epsilon(DEFAULTS)))
    gap = found.values[1] - found.values[0]
    worst = int(np.argmax(gap))
    assert (gap > 1).all()
    assert headline == (
        "At ε = 1, DP suppression is worse than Laplace in all 5 places; the gap is widest in "
        f"{found.area.labels[worst]} ({found.values[1][worst]:.0f} people off instead of "
        f"{found.values[0][worst]:.0f})."
    )
    assert more.startswith("At ε = 4, Laplace is off by ")
    turned = map_sentences(compared(methods=DEFAULTS[::-1]))[0]
    assert turned == headline


def test_a_pinned_place_comes_first() -> None:
    found = compared()
    place = found.area.values.index("25-02800")
    first, second = (float(v[place]) for v in found.values)
    headline, more = map_sentences(found, pinned="25-02800")
    assert headline == (
        f"At ε = 1, Laplace is off by {first:.0f} people in Woburn–Melrose–Saugus and "
        f"DP suppression by {second:.0f}."
    )
    widest = found.area.values[int(np.argmax(found.values[1] - found.values[0]))]
    assert more.startswith("DP suppression is worse than Laplace in all 5 places; the gap is ")
    assert map_sentences(found, pinned=widest)[1] == (
        "DP suppression is worse than Laplace in all 5 places, and the gap is widest there.")


def test_sentences_for_every_measure_and_one_or_no_method() -> None:
    group = {"RAC1P": "2", "OWN_RENT": "2"}
    said = {m: map_sentences(compared(measure=m, group=group))[0] for m in MEASURES}
    assert "for every 1,000" in said["error_rate"]
    assert "people counted as Black, renting" in said["group_bias"]
    assert "of the counts hidden instead of none" in said["hidden_share"]
    one = map_sentences(compared(methods=DEFAULTS[1:]))[0]
    assert one.startswith("At ε = 1, DP suppression is off by ")
    assert map_sentences(None)[0].startswith("Choose a method")
    same = map_sentences(compared(methods=(DEFAULTS[0], DEFAULTS[0])))[0]
    assert "equally good" in same


@pytest.mark.parametrize("measure", list(MEASURES))
@pytest.mark.parametrize("features", [("PUMA",), ("PUMA", "SEX"), FIVE_FEATURES])
@pytest.mark.parametrize("epsilons", [(1.0, 1.0), (4.0, 4.0), (0.3, 8.0)])
def test_nobody_is_called_worse_by_what_nobody_can_see(
    measure: str, features: tuple[str, ...], epsilons: tuple[float, float]
) -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(features)
    methods = [m.replace(epsilon=e) for m, e in zip(DEFAULTS, epsilons, strict=True)]
    evaluations = [sdc.evaluate(m, table) for m in methods]
    found = compare_areas(table, "PUMA", evaluations, measure)  # type: ignore[arg-type]
    first, second = (np.abs(v) for v in found.values)
    least = 0.05 if measure == "group_bias" else 0.5
    written = [[words.size_text(x) for x in v] for v in (first, second)]
    differ = np.array([a != b for a, b in zip(*written, strict=True)])
    ahead = int((differ & (first - second >= least)).sum())
    behind = int((differ & (second - first >= least)).sum())
    headline = map_sentences(found)[0]
    if max(first.max(), second.max()) < least:
        assert "neither Laplace" in headline and "noticeabl" in headline
        assert "worse" not in headline and "more counts" not in headline
    elif not ahead and not behind:
        assert "about equally good everywhere" in headline and "worse" not in headline
    else:
        most = max(ahead, behind)
        many = "all 5 places" if most == 5 else f"{most} of 5 places"
        does = "hides more counts" if measure == "hidden_share" else "is worse"
        names = ["Laplace", "DP suppression"]
        loser = names[behind > ahead] if ahead != behind else ".*"
        assert re.search(rf"{loser}.* {does} than .* in {many}", headline)


def toy_comparison(first: list[float], second: list[float]) -> AreaComparison:
    area = Feature("town", "Town", ("a", "b"), ("Aston", "Barton"))
    return AreaComparison(
        area, "l1_bias", DEFAULTS, (np.array(first), np.array(second)), np.array([9.0, 9.0]), False)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([0.1, 0.4], [0.0, 0.2], "neither Laplace nor DP suppression is off by a noticeable"),
        ([187.1, 40.0], [187.4, 40.3], "they are about equally good everywhere"),
        ([5.0, 5.0], [5.3, 5.4], "they are about equally good everywhere"),
        ([187.1, 40.0], [187.4, 60.0],
         "DP suppression is worse than Laplace in 1 of 2 places; the gap is widest in Barton (60 "
         "people off instead of 40)"),
        ([30.0, 40.0], [20.0, 60.0],
         "DP suppression is worse than Laplace in 1 of 2 places, better in 1; the gap is widest in "
         "Barton"),
        ([30.0, 40.0], [20.0, 10.0],
         "Laplace is worse than DP suppression in both places; the gap is widest in Barton (40 "
         "people off instead of 10)"),
    ],
)
def test_who_is_worse_by_hand(first: list[float], second: list[float], said: str) -> None:
    assert said in map_sentences(toy_comparison(first, second))[0]


def test_one_method_that_does_no_harm_is_not_compared_with_itself() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(("PUMA",))
    found = compare_areas(table, "PUMA", [sdc.evaluate(DEFAULTS[0], table)], "l1_bias")
    assert map_sentences(found)[0].count("off by 0 people") == 1


def test_the_paper_is_cited_for_what_it_says() -> None:
    text = " ".join(METHOD.split())
    assert "§3.4 says that suppression does not touch them" in text
    assert "P2's figure leaves" not in text


def test_the_other_epsilon() -> None:
    assert [m.settings()["epsilon"] for m in at_other_epsilon(DEFAULTS)] == [4.0, 4.0]
    fours = [m.replace(epsilon=4.0) for m in DEFAULTS]
    assert [m.settings()["epsilon"] for m in at_other_epsilon(fours)] == [1.0, 1.0]
    assert at_other_epsilon([DEFAULTS[0], fours[1]]) == ()
    assert at_other_epsilon([sdc.mechanism("suppression")]) == ()


def test_weights_are_explained() -> None:
    assert "without survey weights" in weight_sentence(compared(), "PWGTP")
    weights = np.full(480, 3.0)
    assert "PWGTP" in weight_sentence(compared(weights=weights), "PWGTP")
    assert "play no part" in weight_sentence(compared(measure="hidden_share"), "PWGTP")


# --- the page --------------------------------------------------------------------------------


def captions(app: AppTest) -> str:
    return " ".join(c.value for c in app.caption).replace("\\", "")


def test_default_is_the_papers_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    headline, more = map_sentences(compared(), compared(methods=at_other_epsilon(DEFAULTS)))
    assert headline in answer(app) and more in answer(app)
    assert "Schematic boundaries" in captions(app)
    assert "Numbers are exact" in captions(app)
    assert len(app.get("plotly_chart")) == 3
    found = link(app)
    assert found["map1"] == "laplace" and found["map2"] == "dp-suppression"
    assert found["map1.epsilon"] == found["map2.epsilon"] == "1"
    assert {"map_measure", "map_count", "map_place", "map_view"} <= set(found)
    assert not {"measure", "count", "place", "view", "area"} & set(found)  # other pages have such


def test_deep_link_pins_a_place_and_shows_its_cells() -> None:
    wanted = {
        "map_measure": "group_bias", "map_group.RAC1P": "6", "map_group.OWN_RENT": "*",
        "map_place": "25-02800", "map_count": "weighted", "map2.epsilon": "2",
        "map_view": "tiles",
    }
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    assert "people counted as Asian" in answer(app)
    assert "Woburn–Melrose–Saugus" in answer(app)
    assert "PWGTP" in captions(app)
    assert "Equal tiles" in captions(app)
    cells = app.dataframe[-1].value
    assert list(cells.columns[:2]) == ["who", "true count"] and len(cells) == 96
    again = opened(link(app), PAGE)
    assert answer(again) == answer(app)


def test_all_31_places_on_the_page() -> None:
    app = opened({"data": "all2019-twin"}, PAGE)
    assert "all 31 places" in answer(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    filled = [t for t in spec["data"] if t.get("fill") == "toself" and t["name"] != "land"]
    assert len(filled) == 31


def test_a_table_without_the_place_is_counted_by_it_all_the_same() -> None:
    app = opened({**TWIN, "features": "SEX,OWN_RENT"}, PAGE)
    assert not app.error
    table = sdc.load_dataset("ma2019-twin").histogram(["PUMA", "SEX", "OWN_RENT"])
    found = compare_areas(table, "PUMA", [sdc.evaluate(m, table) for m in DEFAULTS])
    assert map_sentences(found)[0] in answer(app)


def test_bad_link_is_explained_and_the_rest_is_kept() -> None:
    bad = {"map_measure": "beauty", "map_place": "99-99999", "map_view": "globe",
           "map_count": "twice", "map1.epsilon": "-1", "map2.k": "9"}
    app = opened({**TWIN, **bad}, PAGE)
    said = " ".join(w.value for w in app.warning).replace("\\", "")
    for word in ("beauty", "99-99999", "globe", "twice", "epsilon"):
        assert word in said
    assert app.slider(key="url.map2.k").value == 9
    assert len(app.get("plotly_chart")) == 3


def test_no_method_and_one_method() -> None:
    none = opened({**TWIN, "map1": "none", "map2": "none"}, PAGE)
    assert "Choose a method" in answer(none)
    one = opened({**TWIN, "map2": "none"}, PAGE)
    assert len(one.get("plotly_chart")) == 1 and "Laplace" in answer(one)


def test_costly_methods_wait_for_run() -> None:
    app = opened({**TWIN, "map2": "mst"}, PAGE)
    assert any("Run" in b.label for b in app.button)
    assert len(app.get("plotly_chart")) == 1


def squares(codes: list[str]) -> bytes:
    features = [
        {
            "type": "Feature", "properties": {"code": code},
            "geometry": {"type": "Polygon", "coordinates": [
                [[i, 0], [i + 1, 0], [i + 1, 1], [i, 1], [i, 0]]]},
        }
        for i, code in enumerate(codes)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def own(boundary: tuple[str, bytes] | None) -> AppTest:
    """The page with a table of towns, and perhaps a boundary file, both uploaded."""
    towns = ["north", "south", "east"] * 40
    sexes = ["m", "f", "f", "m", "m"] * 24
    csv = pd.DataFrame({"hand": ["l", "r", "r", "r"] * 30, "sex": sexes, "town": towns})
    app = AppTest.from_file(ENTRY, default_timeout=60).run().switch_page(PAGE).run()
    body = io.BytesIO(csv.to_csv(index=False).encode()).getvalue()
    app.file_uploader(key="upload").upload("towns.csv", body, "text/csv").run()
    assert not app.exception, [e.value for e in app.exception]
    if boundary:
        app.file_uploader(key="map-upload").upload(*boundary, "application/json").run()
        assert not app.exception, [e.value for e in app.exception]
    return app


def test_own_data_without_shapes_has_bars() -> None:
    app = own(None)
    assert not app.error
    assert len(app.get("plotly_chart")) == 1
    assert "all 3 places" in answer(app)
    app.query_params["map_view"] = "tiles"
    app.run()
    assert len(app.get("plotly_chart")) == 3
    app.query_params["map_view"] = "map"
    app.run()
    assert any("no boundaries" in w.value for w in app.warning)
    assert len(app.get("plotly_chart")) == 1  # bars instead of a blank map


def test_bars_are_drawn_once() -> None:
    app = opened({**TWIN, "map_view": "bars"}, PAGE)
    assert len(app.get("plotly_chart")) == 1
    assert not any('class="worst"' in h.proto.body for h in app.get("html"))
    assert any('class="worst"' in h.proto.body for h in opened(TWIN, PAGE).get("html"))


def test_own_data_starts_with_the_column_that_reads_like_a_place() -> None:
    app = own(None)
    assert link(app)["map_area"] == "town"


def test_own_data_with_a_boundary_file_has_a_map() -> None:
    app = own(("towns.geojson", squares(["north", "south", "east"])))
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
    said = " ".join(e.value for e in [*app.error, *app.warning]).replace("\\", "")
    assert word in said
    assert len(app.get("plotly_chart")) == 1  # bars
    assert "all 3 places" in answer(app)


def test_half_of_the_areas_missing_are_listed() -> None:
    app = own(("two.geojson", squares(["north", "south"])))
    app.query_params["map_view"] = "map"
    app.run()
    assert "1 of 3 areas is missing: east" in captions(app)
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert sum(t.get("fill") == "toself" for t in spec["data"]) == 2

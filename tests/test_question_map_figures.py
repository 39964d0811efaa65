"""The Map's pictures read back: which number, name, colour and click stands at which place."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import shapely

import sdc_core as sdc
from sdc_core.metrics.areas import MEASURES
from sdc_core.questions import question
from sdc_core.questions.answer import Answer
from sdc_core.words.numbers import size_text
from tests.map_towns import (
    SEEN,
    TITLES,
    TOWNS,
    UNITS,
    asked,
    by_hand,
    figure,
    filled,
    mixed,
    numbers,
    owner,
    people,
    study,
    trace,
)
from tests.test_map_drawing import luminance

# --- the maps --------------------------------------------------------------------------------


def check_colours(found: Answer, measure: str) -> int:
    """Every area has the colour that stands at its number on the bar above it."""
    table = found.panel("map").table.set_index("code")
    columns = [c for c in table if c[:2] in ("1.", "2.")][:2]
    top = float(table[columns].abs().to_numpy().max()) or 1.0
    spread = float(table["difference"].abs().max()) or 1.0
    low = -top if measure == "group_bias" else 0.0
    for name, column, ends in (
        ("first", columns[0], (low, top)), ("second", columns[1], (low, top)),
        ("difference", "difference", (-spread, spread)),
    ):
        fig = figure(found, name)
        bar = trace(fig, "scale").marker
        assert (bar.cmin, bar.cmax) == pytest.approx(ends) and bar.showscale
        assert bar.colorbar.ticksuffix == ("%" if measure == "hidden_share" else "")
        stops = tuple(colour for _, colour in bar.colorscale)
        for code, area in filled(fig).items():
            share = (table.loc[code, column] - ends[0]) / (ends[1] - ends[0])
            seen = tuple(int(area.fillcolor[i : i + 2], 16) for i in (1, 3, 5))
            assert np.abs(np.subtract(seen, mixed(stops, share))).max() <= 1
    return len(filled(fig))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("measure", list(MEASURES))
def test_colours_follow_from_the_numbers(
    measure: str, dark: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_colours(asked(map_measure=measure, dark=dark), measure) == 3
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    for data, areas in (("ma2019-twin", 5), ("tx2019-twin", 6), ("national2019-twin", 20)):
        twin = sdc.Study(sdc.load_dataset(data))
        assert check_colours(sdc.ask("map", twin, map_measure=measure, dark=dark), measure) == areas


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_worst_stands_out_and_red_is_where_the_second_is_worse(dark: bool) -> None:
    found = asked(dark=dark)
    ground = 0.0 if dark else 1.0
    away = {
        name: {t: abs(luminance(a.fillcolor) - ground)
               for t, a in filled(figure(found, name)).items()}
        for name in ("first", "second")
    }
    expected = by_hand("people_error")
    for number, name in enumerate(("first", "second")):
        order = sorted(TOWNS, key=lambda town: expected[town][number])
        assert sorted(TOWNS, key=lambda town: away[name][town]) == order
    for town, area in filled(figure(found, "difference")).items():
        red, _, blue = (int(area.fillcolor[i : i + 2], 16) for i in (1, 3, 5))
        if abs(expected[town][1] - expected[town][0]) > 0.5:
            assert (red > blue) == (expected[town][1] > expected[town][0])
    heading = figure(found, "difference").layout.annotations[0]
    assert "Difference, 2 minus 1" in heading.text
    assert "red where 2 is worse, blue where better" in heading.text
    assert (luminance(heading.font.color) > 0.7) == dark
    signed = figure(asked(map_measure="group_bias"), "difference").layout.annotations[0].text
    assert "green where 2 is higher, purple where lower" in signed
    assert "worse" not in signed and "red" not in signed  # red is where the second is worse


@pytest.mark.parametrize("measure", list(MEASURES))
def test_numbers_names_and_clicks_stand_where_their_place_is(measure: str) -> None:
    found = asked(map_measure=measure)
    expected = by_hand(measure)
    for index, name in enumerate(("first", "second", "difference")):
        fig, panel = figure(found, name), found.panel(f"map-{name}")
        shown = {
            town: value for town, pair in expected.items()
            for value in [(*pair, pair[1] - pair[0])[index]]
        }
        labels = trace(fig, "labels")
        assert len(labels.text) == 3
        for x, y, text in zip(numbers(labels.x), numbers(labels.y), labels.text, strict=True):
            (town,) = owner(fig, x, y)
            digits = text.removeprefix("<b>").removesuffix("</b>").replace("−", "-")
            value = shown[town]
            assert float(digits) == pytest.approx(value, abs=0.5 if abs(value) >= 9.995 else 0.0051)
            sign = "+" if index == 2 or measure == "group_bias" else ""
            assert digits.startswith("+") == (bool(sign) and float(digits) > 0)
        titles = {a.text: (a.x, a.y) for a in fig.layout.annotations[1:]}
        assert set(titles) == set(TOWNS)
        for town, (x, y) in titles.items():
            assert owner(fig, x, y - 20) == [town]
        clicks = trace(fig, "places")
        assert set(panel.pick.texts) == set(TOWNS)
        for i, (x, y) in enumerate(zip(numbers(clicks.x), numbers(clicks.y), strict=True)):
            (town,) = owner(fig, x, y)
            assert panel.pick.text_of(i) == town
            assert clicks.text[i].startswith(f"<b>{town}</b><br>1. Hide small counts: ")
        assert panel.pick.text_of(len(clicks.text)) == panel.pick.text_of(-1) == ""


def test_places_of_a_state_have_their_names_and_numbers_on_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    found = sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin")))
    off = found.panel("map").table.set_index("code").filter(like="2. ").iloc[:, 0]
    fig = figure(found, "second")
    shapes = {
        code: shapely.Polygon(np.column_stack([numbers(t.x), numbers(t.y)])[
            : int(np.append(np.flatnonzero(np.isnan(numbers(t.x))), len(numbers(t.x)))[0])])
        for code, t in filled(fig).items()
    }
    labels = trace(fig, "labels")
    seen = {}
    inks = labels.textfont.color
    for x, y, text, ink in zip(labels.x, labels.y, labels.text, inks, strict=True):
        (code,) = (c for c, shape in shapes.items() if shape.contains(shapely.Point(x, y)))
        pair = sorted([luminance(ink), luminance(filled(fig)[code].fillcolor)])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4.5  # can be read on the area's colour
        assert text.endswith(f"<b>{off[code]:.0f}</b>")
        seen[code] = text.split("–")[0].split("<br>")[0]
    assert seen == {"25-00503": "Waltham", "25-00703": "Salem", "25-01000": "Peabody",
                    "25-01300": "Billerica", "25-02800": "Woburn"}


def test_hover_says_both_numbers_and_the_difference() -> None:
    hover = dict(zip(asked().panel("map-second").pick.texts, trace(
        figure(asked(), "second"), "places").text, strict=True))
    first, second = by_hand("people_error")["Aston"]
    one, two = by_hand("invented")["Aston"]
    assert hover["Aston"] == (
        f"<b>Aston</b><br>1. Hide small counts: {first:g} people, and {one:g} invented<br>2. Hide "
        "below a noisy limit: "
        f"{second:.2f} people, and {two:.2f} invented<br>difference: +{second - first:.2f}<br>30 "
        "people counted, 30.6% of all"
    )
    both = trace(figure(asked(map_measure="l1_bias"), "second"), "places").text
    assert any(f": {first + one:g} people, {one:g} of them invented<br>" in text for text in both)
    only = trace(figure(asked(map_measure="invented"), "second"), "places").text
    assert not any("invented" in text for text in only)
    drawn = study(methods=[sdc.mechanism("swapping", quasi_identifiers=("sex",), paired=True)])
    unsure = sdc.ask("map", drawn, map_view="tiles")
    error = unsure.panel("map").table.set_index("code")["± 1"]
    for code, text in zip(unsure.panel("map-first").pick.texts, trace(
            figure(unsure, "first"), "places").text, strict=True):
        if error[code]:
            told = re.search(r": [\d.]+ ± ([\d.]+) people, and", text)
            assert told is not None and float(told[1]) == pytest.approx(error[code], abs=0.0051)
    assert error.any()
    noise = study(methods=[sdc.mechanism("laplace", epsilon=1.0)])
    hidden = sdc.ask("map", noise, map_measure="hidden_share", map_view="tiles")
    assert "1. Add noise: hides no counts<br>" in trace(figure(hidden, "first"), "places").text[0]


@pytest.mark.parametrize("measure", list(MEASURES))
def test_headings_say_which_method_and_in_what(measure: str) -> None:
    found = asked(map_measure=measure)
    title = TITLES[measure]
    for name, method in (("first", f"1. {SEEN[0]}"), ("second", f"2. {SEEN[1]}")):
        layout = figure(found, name).layout
        heading = layout.annotations[0]
        assert heading.text.startswith(f"<b>{method}</b>")
        assert f">{title}, {UNITS[measure]}<" in heading.text
        assert heading.visible is not False and 0 < heading.yshift <= layout.margin.t
    colour = "green" if measure == "group_bias" else "red"
    assert f">{UNITS[measure]}; {colour}" in (
        figure(found, "difference").layout.annotations[0].text)
    assert [p.alt for p in found.panels if p.figures] == [found.headline] * 3
    widths = {p.name: p.width for p in found.panels}
    assert widths == {"map-view": 1, "map-first": 0.5, "map-second": 0.5, "map-difference": 0.5,
                      "map": 0.5}


def test_a_pinned_place_is_outlined_and_clicked_again_let_go() -> None:
    found = asked(map_place="Corby")
    for name in ("first", "second", "difference"):
        fig, pick = figure(found, name), found.panel(f"map-{name}").pick
        outline = trace(fig, "pinned")
        assert numbers(outline.x).tolist() == numbers(filled(fig)["Corby"].x).tolist()
        assert outline.line.width > 2 * filled(fig)["Corby"].line.width
        assert (pick.control, pick.present, pick.otherwise) == ("map_place", "Corby", "*")
    free = asked()
    assert not [t for t in figure(free, "first").data if t.name == "pinned"]
    assert free.panel("map-first").pick.present == ""


def test_both_maps_share_one_scale_and_one_frame() -> None:
    found = asked()
    first, second, difference = (figure(found, n) for n in ("first", "second", "difference"))
    assert first.layout.xaxis == second.layout.xaxis == difference.layout.xaxis
    assert first.layout.yaxis == second.layout.yaxis == difference.layout.yaxis
    assert first.layout.yaxis.scaleanchor == "x" and first.layout.yaxis.scaleratio == 1
    assert trace(first, "scale").marker == trace(second, "scale").marker


def test_on_a_phone_what_follows_moves_up_but_not_into_the_map() -> None:
    for found in (asked(), sdc.ask("map", sdc.Study(sdc.load_dataset("all2019-twin")))):
        panel = found.panel("map-first")
        layout = figure(found, "first").layout
        unit = (390 - 2 * 16) / (layout.xaxis.range[1] - layout.xaxis.range[0])  # pixels
        needed = layout.margin.t + unit * (layout.yaxis.range[1] - layout.yaxis.range[0])
        # a tall sheet has no room to spare, and is drawn a little narrower than the phone
        assert panel.spare_on_a_phone > 0 or layout.height > 0.85 * needed
        assert layout.height - panel.spare_on_a_phone - needed < 60
        assert panel.spare_on_a_phone == 0 or layout.height - panel.spare_on_a_phone >= needed


def test_a_tall_sheet_is_drawn_small_enough_to_be_seen_at_once() -> None:
    """31 places: three maps in a row of which 60% are within 470 pixels. Few: two in a row."""
    tall = sdc.ask("map", sdc.Study(sdc.load_dataset("all2019-twin")))
    for name in ("first", "second", "difference"):
        assert tall.panel(f"map-{name}").width == pytest.approx(1 / 3)
        assert 0.6 * figure(tall, name).layout.height <= 500
    assert tall.panel("map").width == 1
    few = asked()
    assert few.panel("map-first").width == few.panel("map").width == 0.5
    alone = sdc.ask("map", sdc.Study(sdc.load_dataset("all2019-twin"),
                                     methods=[sdc.mechanism("suppression")]))
    assert alone.panel("map-first").width + alone.panel("map").width == pytest.approx(1)


def test_the_map_opens_on_all_31_places() -> None:
    assert question("map").data == "all2019"


def test_all_31_places_can_be_clicked_and_are_small_to_send(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    found = sdc.ask("map", sdc.Study(sdc.load_dataset("all2019-twin")))
    texts = found.panel("map-first").pick.texts
    assert len(set(texts)) == 31
    assert min(map(texts.count, set(texts))) >= 2  # its middle and its tile at least
    hover = trace(figure(found, "first"), "places").text
    names = found.panel("map").table.set_index("code")["place"]
    for code, text in zip(texts, hover, strict=True):
        said = text.split("</b>")[0].removeprefix("<b>").replace("<br>", " ").replace("&amp;", "&")
        assert said == names[code]
    drawn = [found.panel(f"map-{n}").figures[0] for n in ("first", "second", "difference")]
    assert sum(len(f.to_json()) for f in drawn) < 400_000


def test_a_map_exports_to_html_that_needs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    found = sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin")))
    page = found.panel("map-second").figures[0].to_html(include_plotlyjs=True)
    assert page.count('"fill":"toself"') == 5
    assert "<script src=" not in page and "cdn.plot.ly/plotly-" not in page
    for area in filled(figure(found, "second")).values():
        assert area.fillcolor in page


# --- the worst places ------------------------------------------------------------------------


def read_list(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str, list[Any]]]]:
    """The key (colour, method), and each place: rank and name, a mark, its bars (per cent wide,
    colour, number)."""
    key = re.findall(r'background:(#\w+)"></i>([^<]+)</span>', text)
    places = re.findall(
        r'<p class="place">([^<]+)<span>([^<]*)</span></p>(.*?)(?=<p class|</div>$)', text)
    bar = r'width:([\d.]+)%;background:(#\w+)"></div><span>([^<]+)</span>'
    return key, [(name, mark, re.findall(bar, bars)) for name, mark, bars in places]


@pytest.mark.parametrize("measure", list(MEASURES))
def test_the_list_has_a_bar_a_method_as_long_as_its_number(measure: str) -> None:
    key, listed = read_list(asked(map_measure=measure, map_place="Corby").panel("map").drawing)
    assert [method for _, method in key] == SEEN
    assert key[0][0] != key[1][0]
    expected = by_hand(measure)
    order = sorted(TOWNS, key=lambda town: -max(map(abs, expected[town])))
    longest = max(abs(v) for pair in expected.values() for v in pair)
    sizes = {town: max(map(abs, expected[town])) for town in TOWNS}
    ranks = {t: 1 + sum(other > sizes[t] + 1e-9 for other in sizes.values()) for t in TOWNS}
    assert [name for name, _, _ in listed] == [f"{ranks[t]}. {t}" for t in order]  # ties share one
    for name, mark, bars in listed:
        assert ("pinned" in mark) == name.endswith("Corby")
        living = {"Aston": 30, "Barton": 13, "Corby": 55}[name[3:]]
        assert f" · {100 * living / 98:.1f}% of all people" in mark
        assert [colour for _, colour, _ in bars] == [colour for colour, _ in key]
        for (wide, _, text), value in zip(bars, expected[name[3:]], strict=True):
            assert float(wide) == pytest.approx(100 * abs(value) / longest, abs=0.051)
            assert float(text.replace("−", "-")) == pytest.approx(
                value, abs=0.5 if abs(value) >= 9.995 else 0.0051)
            assert text.startswith("+") == (measure == "group_bias" and round(value, 2) > 0)


def test_places_whose_numbers_are_estimated_have_no_rank() -> None:
    """20 releases would put other places first: numbers with their errors, and no 1, 2, 3."""
    data = study(("town", "sex"), [sdc.mechanism("mst")], many_towns(6))
    found = sdc.ask("map", data, map_view="tiles")
    _, listed = read_list(found.panel("map").drawing)
    table = found.panel("map").table
    assert [name for name, _, _ in listed] == list(table["place"])
    for (_, _, bars), error in zip(listed, table["± 1"], strict=True):
        assert error > 0 and bars[0][2].split(" ± ")[1] == size_text(error)


@pytest.mark.parametrize("drawn", [False, True])
def test_the_worst_are_called_so_only_where_that_is_known(drawn: bool) -> None:
    """Of means over releases the largest number is by chance somebody's, and the second method's
    difference, too."""
    methods = [sdc.mechanism("laplace"), sdc.mechanism("mst" if drawn else "suppression")]
    few, many = (study(("town", "sex"), methods, many_towns(n)) for n in (6, 62))
    tiles = sdc.ask("map", few, map_view="tiles")
    panel = tiles.panel("map")
    assert panel.title == ("Places with the largest numbers" if drawn else "Worst places")
    assert f'aria-label="{panel.title}"' in panel.drawing
    notes = " ".join(a.text for a in figure(tiles, "difference").layout.annotations)
    assert f"red where 2 {'came out' if drawn else 'is'} worse, blue where better" in notes
    signed = sdc.ask("map", few, map_view="tiles", map_measure="group_bias")
    notes = " ".join(a.text for a in figure(signed, "difference").layout.annotations)
    assert f"green where 2 {'came out' if drawn else 'is'} higher, purple where lower" in notes
    bars = sdc.ask("map", few, map_view="bars").panel("map-view").caption
    assert ("Largest number on top." in bars, "Worst place on top." in bars) == (drawn, not drawn)
    if not drawn:
        return
    shown = sdc.ask("map", many, map_view="tiles").panel("map-view").caption
    assert "The 60 with the largest numbers, of 62." in shown and "worst" not in shown


def many_towns(number: int) -> pd.DataFrame:
    """Town i has i men and 100 women: only men are hidden from k = 1000, women too."""
    rows = [(f"t{i:03}", "m") for i in range(1, number + 1) for _ in range(i)]
    rows += [(f"t{i:03}", "f") for i in range(1, number + 1) for _ in range(40)]
    return pd.DataFrame(rows, columns=["town", "sex"])


def test_of_many_places_the_worst_are_tiles_and_the_pinned_one_is_always_listed() -> None:
    """Counts below 30 become 15, so that t001 and t029 are off by 14, t015 by 0, and t030 and
    later by 0 as well."""
    off = {f"t{i:03}": abs(15 - i) if i < 30 else 0 for i in range(1, 63)}
    order = sorted(off, key=lambda town: -off[town])
    asking = study(("town", "sex"), [sdc.mechanism("suppression", k=30)], many_towns(62))
    found = sdc.ask("map", asking, map_view="tiles", map_place="t030")
    assert "The 60 worst of 62." in found.panel("map-view").caption
    assert sorted(filled(figure(found, "first"))) == sorted(order[:60])
    _, listed = read_list(found.panel("map").drawing)
    names = [name for name, _, _ in listed]
    ranks = {t: 1 + sum(other > off[t] for other in off.values()) for t in order}
    assert (ranks["t001"], ranks["t029"], ranks["t002"]) == (1, 1, 3)
    assert names[:-1] == [f"{ranks[t]}. {t}" for t in order[: len(names) - 1]]
    assert names[-1] == f"{ranks['t030']}. t030" and "pinned" in listed[-1][1]
    layout = figure(found, "first").layout
    place = 16 * (0.6 + 3 * 0.86 * 1.25)  # pixels of a place in the list: a gap and three lines
    assert len(names) == int((layout.height - layout.margin.t) / place) == 11
    few = sdc.ask("map", study(("town", "sex"), [sdc.mechanism("suppression", k=30)],
                               many_towns(60)), map_view="tiles")
    assert "worst of" not in few.panel("map-view").caption
    assert len(filled(figure(few, "first"))) == 60
    bars = sdc.ask("map", asking).panel("map").figures[0].to_dict()
    assert len(bars["data"][0]["x"]) == 40 and bars["layout"]["yaxis"]["ticktext"][-1] == order[0]


@pytest.mark.parametrize("measure", list(MEASURES))
def test_bars_have_the_worst_place_on_top_and_the_first_method_above(measure: str) -> None:
    found = asked("bars", map_measure=measure)
    assert [p.name for p in found.panels] == ["map", "map-view"]
    fig = go.Figure(found.panel("map").figures[0].to_dict())
    expected = by_hand(measure)
    order = sorted(TOWNS, key=lambda town: -max(map(abs, expected[town])))
    ticks = dict(zip(fig.layout.yaxis.tickvals, fig.layout.yaxis.ticktext, strict=True))
    assert [ticks[y] for y in sorted(ticks, reverse=True)] == order
    assert [t.name for t in fig.data] == SEEN
    for number, bars in enumerate(fig.data):
        assert bars.orientation == "h"
        for y, value, hover in zip(bars.y, bars.x, bars.hovertext, strict=True):
            town = ticks[round(y)]
            assert value == pytest.approx(expected[town][number])
            assert hover.startswith(f"<b>{town}</b>")
            assert (y > round(y)) == (number == 0)
    key, _ = read_list(asked(map_measure=measure).panel("map").drawing)
    assert [(t.marker.color, t.name) for t in fig.data] == key
    assert fig.layout.xaxis.title.text.endswith(f", {UNITS[measure]}")
    assert found.panel("map-view").caption.count("Worst place on top.") == 1
    assert found.panel("map").width == 1


def test_names_from_a_file_are_shown_as_they_are() -> None:
    records = people().replace({"town": {"Aston": "<b>a</b>"}})
    found = sdc.ask("map", study(records=records), map_view="tiles")
    fig = figure(found, "first")
    assert any("&lt;b&gt;a" in text for text in trace(fig, "places").text)
    assert any("&lt;b&gt;a" in a.text for a in fig.layout.annotations)
    assert "&lt;b&gt;a" in found.panel("map").drawing and "<b>a" not in found.panel("map").drawing

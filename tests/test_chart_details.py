"""Details of charts that only some numbers show: tiles of maps and where they are clicked, which
side is drawn in which colour, where lines begin, how far an axis reaches."""

from __future__ import annotations

import base64
import itertools
from typing import Any

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.figures.map_labels import _forms
from sdc_core.figures.map_layout import Sheet, tile_sheet
from sdc_core.histogram import Feature
from sdc_core.metrics.sparsity import ErrorLine, Sparsity
from sdc_core.metrics.subgroups import GroupResult, MethodResult
from sdc_core.questions.map import figures
from sdc_core.questions.sparsity.words import _apart
from sdc_core.questions.subgroups.error_words import _told
from sdc_core.questions.subgroups.figures import _Axis
from sdc_core.questions.swapping_changes import compute
from sdc_core.questions.swapping_changes.figures import change_bars, error_boxes


def unpacked(numbers: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(numbers["bdata"]), dtype=np.float32)


def tiles(number: int) -> Sheet:
    codes = [str(i) for i in range(number)]
    return tile_sheet(codes, [f"Place {i}" for i in codes])


@pytest.mark.parametrize(("places", "across"), [(2, 3), (9, 3), (10, 4), (64, 8), (100, 8)])
def test_tiles_stand_in_a_square_of_three_to_eight_columns(places: int, across: int) -> None:
    lefts = {round(float(area.x.min())) for area in tiles(places).areas}
    assert len(lefts) == min(across, places)
    widths = {round(float(np.ptp(area.x))) for area in tiles(places).areas}
    assert len(widths) == 1 and min(widths) * across < 1000


def test_a_click_anywhere_on_a_tile_is_a_click_on_it() -> None:
    """Points are 40 apart, so that one is at most as far from anywhere."""
    for area in tiles(4).areas:
        xs, ys = (np.linspace(v.min(), v.max(), 30) for v in (area.x, area.y))
        x, y = (g.ravel() for g in np.meshgrid(xs, ys))
        far = np.hypot(x[:, None] - area.click_x, y[:, None] - area.click_y).min(axis=1)
        assert far.max() <= 40
        assert (area.click_x > area.x.min()).all() and (area.click_x < area.x.max()).all()
        assert (area.click_y > area.y.min()).all() and (area.click_y < area.y.max()).all()


def test_a_tile_of_the_overview_is_a_square_around_its_middle() -> None:
    """Beside the area's own shape, parted by a gap."""
    plain = tiles(4)
    sheet = Sheet(plain.areas, {"2": (300.0, 500.0)}, 60.0, plain.outline, plain.titles, 700.0)
    for number, area in enumerate(sheet.areas):
        x, y = (unpacked(part) for part in sheet.filled[number])
        if area.code != "2":
            np.testing.assert_array_equal(x, area.x)
            continue
        assert np.isnan(x[len(area.x)]) and np.isnan(y[len(area.y)])
        corners = list(zip(x[-5:].tolist(), y[-5:].tolist(), strict=True))
        assert corners[0] == corners[-1]
        assert set(corners) == {(270, 470), (330, 470), (330, 530), (270, 530)}
        turns = [abs(a[0] - b[0]) + abs(a[1] - b[1])
                 for a, b in itertools.pairwise(corners)]
        assert turns == [60] * 4  # along the sides, not across
    owners = sheet.clicks[2]
    at = [i for i, owner in enumerate(owners) if owner == 2]
    assert (unpacked(sheet.clicks[0])[at[-1]], unpacked(sheet.clicks[1])[at[-1]]) == (300, 500)


def test_a_name_is_tried_in_full_then_in_short_then_in_small_each_in_few_lines_first() -> None:
    forms = _forms("Great Barrington Town–North Adams, west", "Great Barrington Town")
    sizes = [size for _, size in forms]
    assert sizes == sorted(sizes, reverse=True)
    small = [len(lines) for lines, size in forms if size == min(sizes)]
    assert small == sorted(small) and len(small) > 1
    assert " ".join(forms[0][0]).endswith("North Adams") and "Adams" not in str(forms[-1])


def test_the_worst_place_is_the_top_bar() -> None:
    found = sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin")), map_view="bars")
    panel = found.panels[0]
    (chart,) = panel.figures
    low, high = chart.layout.yaxis.range
    rows = dict(zip(chart.layout.yaxis.ticktext, chart.layout.yaxis.tickvals, strict=True))
    assert low < min(rows.values()) < max(rows.values()) < high
    worst = {name: max(abs(trace.x[row]) for trace in chart.data) for name, row in rows.items()}
    assert max(rows, key=rows.__getitem__) == max(worst, key=worst.__getitem__)
    first, other = chart.data[:2]  # the first method above the second
    assert first.y[0] > other.y[0]


def test_names_on_a_map_leave_room_for_the_longest_number(monkeypatch: Any) -> None:
    rooms: list[int] = []

    def noted(sheet: Sheet, names: tuple[str, ...], longest: int) -> tuple[()]:
        rooms.append(longest)
        return ()

    monkeypatch.setattr(figures, "labels", noted)
    figures._labels(tiles(2), ["Ash", "Elm"], ["7", "12,345"], ["#ffffff", "#000000"], False)
    assert rooms == [len("12,345")]


def swapped(change: list[int]) -> compute.Demonstration:
    found = compute.swap_massachusetts(0.05, 1)
    released = found.table.counts.copy().reshape(found.table.domain.shape)
    released[: len(change), 0] = found.table.counts.reshape(
        found.table.domain.shape)[: len(change), 0] + np.array(change)
    return compute.Demonstration(found.mechanism, found.table, released.ravel(), found.error,
                                 found.margins)


def test_one_more_is_in_the_colour_of_more_and_one_fewer_in_that_of_fewer() -> None:
    chart = change_bars(swapped([1, -1, 40, -40]), dark=False)
    bar = chart.data[0]
    colours: dict[int, set[str]] = {}
    for x, colour in zip(bar.x, bar.marker.color, strict=True):
        if x:
            colours.setdefault(int(np.sign(x)), set()).add(colour)
    assert {1, -1, 40, -40} <= set(bar.x) and all(len(found) == 1 for found in colours.values())
    assert colours[1] != colours[-1]
    low, high = chart.layout.xaxis.range
    assert low == -high and high > max(map(abs, bar.x)) and chart.layout.xaxis.zeroline
    assert list(chart.layout.yaxis.categoryarray) == list(bar.y)[::-1]  # the first on top


def test_every_box_has_its_mean_in_it_and_above_it() -> None:
    runs = {0.01: [1.0, 2.0, 6.0], 0.5: [10.0, 30.0]}
    chart = error_boxes(runs, (0.01, 0.1, 0.5), {0.1: 4.0})
    boxes = [t for t in chart.data if t.type == "box"]
    assert [(box.name, box.boxmean, box.boxpoints) for box in boxes] == [
        ("1%", True, "all"), ("50%", True, "all")]
    words = {note.x: (note.text, note.y) for note in chart.layout.annotations}
    assert words["1%"] == ("3%", pytest.approx(np.log10(6))) and words["50%"][0] == "20%"
    (printed,) = [t for t in chart.data if t.type == "scatter"]
    assert (printed.x, printed.y) == (("10%",), (4.0,))


@pytest.mark.parametrize("wanted", ["1", "8"])
def test_the_line_of_the_wanted_epsilon_begins_at_the_smallest_rate(wanted: str) -> None:
    found = sdc.ask("swap_rate", sdc.Study(sdc.load_dataset("ma2019-twin")), wanted=wanted)
    chart = found.panels[0].figures[0]
    (line,) = [t for t in chart.data if t.name == "wanted ε"]
    assert set(line.y) == {float(wanted)}
    assert line.x[0] == pytest.approx(np.log10(0.001 / 0.999), abs=1e-3)
    marks = [t for t in chart.data if t.name == "swap rates with the wanted ε"]
    assert all(line.x[0] <= x for mark in marks for x in mark.x)


def test_an_axis_of_codes_ends_half_a_step_beyond_them() -> None:
    """By the smallest step, so that no cell of the heat map is cut off or floats."""
    axis = _Axis(Feature("size", "size", ("1", "2", "4"), ("1", "2", "4")))
    assert axis.settings()["range"] == [0.5, 4.5]
    assert axis.settings()["tickvals"] == [1, 2, 4] and axis.settings()["ticktext"] == [
        "1", "2", "4"]
    assert _Axis(Feature("size", "size", ("3",), ("3",))).settings()["range"] == [2.5, 3.5]


@pytest.mark.parametrize(("chosen", "title", "unit"), [
    ("l1_bias", "Systematic error", "‖bias‖₁, people"),
    ("l1_error", "Error of a release", "E‖x̃ − x‖₁, people"),
])
def test_what_the_error_is_called_stands_above_its_symbol(
    chosen: str, title: str, unit: str
) -> None:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ["RAC1P", "SEX", "OWN_RENT"])
    charts = [c for p in sdc.ask("sparsity", study, z_measure=chosen).panels for c in p.figures]
    above, _, below = charts[0].layout.title.text.partition("<br>")
    assert above.startswith(f"<b>{title}") and unit in below


@pytest.mark.parametrize(("each", "said"), [
    (0.25, "puts 10 people into the 40 groups"), (0.0001, ""), (0.001, "puts 0.04")])
def test_people_in_empty_groups_are_added_up(each: float, said: str) -> None:
    """So many in each of forty groups; next to nobody is not worth a sentence."""
    lines = (ErrorLine(sdc.mechanism("laplace"), 5, 3.0, 1.0, invented=each),
             ErrorLine(sdc.mechanism("suppression"), 5, 4.0, 0.0))
    found = Sparsity("l1_bias", 5, 40, lines, (), lines, None)
    told = " ".join(_apart(found))
    assert said in told and ("puts" in told) == bool(said)


def drawn(off: float, error: float) -> MethodResult:
    """A method that is so far off for every 1,000 of the people of one group."""
    group = GroupResult("men", np.array([[1000.0]]), np.array([[1000.0]]), None, None, off, off,
                        0.0, among_people_se=error, records=1000)
    return MethodResult(sdc.mechanism("laplace"), "average", (group,), releases=200)


@pytest.mark.parametrize(("first", "second"), [(0.0, 5.0), (5.0, 0.0), (4.0, 4.0)])
def test_what_either_releases_chance_explains_is_not_told_apart(
    first: float, second: float
) -> None:
    """Ten apart: within two standard errors of 5.7, beyond two of 0."""
    assert not _told(drawn(20.0, first), drawn(30.0, second))
    assert _told(drawn(20.0, 0.0), drawn(30.0, 4.9))
    assert _told(drawn(20.0, 4.9), drawn(30.0, 0.0))

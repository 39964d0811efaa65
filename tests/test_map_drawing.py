"""What all maps are drawn with: colours, sheets of shapes or tiles, and words on them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely

import sdc_core as sdc
from sdc_core import geography
from sdc_core.figures import map_labels
from sdc_core.figures.colour_scale import scale_for
from sdc_core.figures.contrast import ink_on
from sdc_core.figures.map_labels import labels
from sdc_core.figures.map_layout import Placed, Sheet, sheet_of, tile_sheet


def sheet_for(data: str, monkeypatch: pytest.MonkeyPatch) -> Sheet:
    """The schematic map of a data set's places."""
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    codes = sdc.load_dataset(data).coded("PUMA")[1].values
    return sheet_of(geography.boundaries(codes))


def luminance(colour: str) -> float:
    """How light a colour is to the eye (WCAG relative luminance)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- colours ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["size", "signed", "difference"])
@pytest.mark.parametrize("dark", [False, True])
def test_lightness_alone_tells_the_order(kind: str, dark: bool) -> None:
    """So that colour-blind readers and black-and-white prints lose nothing of the size."""
    scale = scale_for(kind, 2.0, dark)  # type: ignore[arg-type]
    for side in (1,) if kind == "size" else (1, -1):
        steps = [luminance(c) for c in scale.colours(side * np.linspace(0, 2, 9))]
        assert all((b > a) == dark for a, b in itertools.pairwise(steps))


@pytest.mark.parametrize("dark", [False, True])
def test_ends_and_middle_of_a_scale(dark: bool) -> None:
    size, signed = scale_for("size", 8.0, dark), scale_for("signed", 8.0, dark)
    assert (size.low, size.high) == (0.0, 8.0)
    assert (signed.low, signed.high) == (-8.0, 8.0)
    below, low, quarter, high, above = size.colours(np.array([-3.0, 0.0, 2.0, 8.0, 9.0]))
    assert below == low == size.stops[0].lower() and high == above == size.stops[-1].lower()
    ends = [[int(size.stops[n][i : i + 2], 16) for i in (1, 3, 5)] for n in (1, 2)]
    seen = [int(quarter[i : i + 2], 16) for i in (1, 3, 5)]  # of six steps, one and a half
    assert np.abs(np.mean(ends, axis=0) - seen).max() <= 0.5
    middle = len(signed.stops) // 2
    assert signed.colours(np.array([0.0]))[0] == signed.stops[middle].lower()
    nothing = scale_for("difference", 0.0, dark)  # two methods that are equal everywhere
    assert nothing.colours(np.array([0.0]))[0] == nothing.stops[middle].lower()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_worse_is_red_and_the_better_blue(side: float, dark: bool) -> None:
    colour = scale_for("difference", 1.0, dark).colours(np.array([side]))[0]
    red, _, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    assert (red - blue) * side > 120


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_too_high_is_green_and_too_low_purple(side: float) -> None:
    colour = scale_for("signed", 1.0, dark=False).colours(np.array([side]))[0]
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    assert (green - (red + blue) / 2) * side > 40


@pytest.mark.parametrize("grey", ["00", "33", "66", "99", "cc", "ff"])
def test_ink_is_the_one_that_is_easier_to_read(grey: str) -> None:
    def contrast(ink: str) -> float:
        pair = sorted([luminance(ink), luminance(f"#{grey * 3}")])
        return (pair[1] + 0.05) / (pair[0] + 0.05)

    light, dark = ink_on("#000000"), ink_on("#ffffff")
    assert luminance(light) > 0.9 and luminance(dark) < 0.05
    assert contrast(ink_on(f"#{grey * 3}")) == max(contrast(light), contrast(dark))


# --- sheets ----------------------------------------------------------------------------------


def shape_of(area: Placed) -> shapely.Geometry:
    """The area's outline as a shape, a ring within a ring being a hole."""
    gaps = np.flatnonzero(np.isnan(area.x))
    rings = [
        np.column_stack([x[~np.isnan(x)], y[~np.isnan(y)]])
        for x, y in zip(np.split(area.x, gaps), np.split(area.y, gaps), strict=True)
    ]
    shape = shapely.Polygon(rings[0])
    for ring in rings[1:]:
        shape = shape.symmetric_difference(shapely.Polygon(ring))
    return shape


def test_click_points_lie_within_their_own_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    for area in sheet_for("ma2019-twin", monkeypatch).areas:
        points = shapely.points(area.click_x, area.click_y)
        assert shapely.contains(shape_of(area).buffer(0.5), points).all()
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
        x, y, title = sheet.titles[i]
        assert title == f"Place {i}" and y >= high and left <= x <= right
    reading = sorted(range(23), key=lambda i: (-boxes[i][1], boxes[i][0]))
    assert reading == list(range(23))  # row by row from the top, from left to right


# --- words on the map ------------------------------------------------------------------------


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
        assert first in found[code] and found[code].count("#") == 1


def test_parts_of_an_inset_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = written("national2019-twin", monkeypatch)
    for code, name in {"17-03529": "Hyde Park", "17-03531": "Auburn Gresham", "36-03710": "Bronx",
                       "36-04010": "Brooklyn", "51-51255": "Alexandria"}.items():
        assert name in found[code]
    assert found["08-00803"] == "#"  # the title over it says Boulder


def test_words_within_an_area_stay_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = sheet_for("ma2019-twin", monkeypatch)
    feature = sdc.load_dataset("ma2019-twin").coded("PUMA")[1]
    within = [one for one in labels(sheet, feature.labels, 3) if not one.side]
    assert len(within) == 5
    for one in within:
        shape = shape_of(sheet.areas[one.area])
        lines = [len(line) for line in one.words] + [3] * one.number
        wide, high = max(lines) * 5 / 0.42, len(lines) * one.size / 0.42
        block = shapely.box(one.x - wide / 2, one.y - high / 2, one.x + wide / 2, one.y + high / 2)
        assert block.intersection(shape).area > 0.93 * block.area, one


FRAME = (0.0, 0.0, 100.0, 60.0)


@pytest.mark.parametrize(("box", "free"), [
    ((10, 10, 28, 20), True), ((-1, 10, 28, 20), False), ((80, 10, 101, 20), False),
    ((10, -9, 30, 5), True), ((10, -11, 30, 5), False), ((10, 50, 30, 69), True),
    ((10, 50, 30, 71), False), ((55, 22, 65, 28), False), ((61, 31, 70, 40), True),
    ((35, 15, 45, 19), False), ((50, 35, 58, 45), True),
])
def test_words_beside_keep_clear_of_frame_words_and_shapes(
    box: tuple[float, float, float, float], free: bool
) -> None:
    """Another label stands at 40 to 60 across and 20 to 30 up, a shape at 30 to 50 and 10 to 18."""
    taken = [(40.0, 20.0, 60.0, 30.0)]
    shape = [(np.array([30.0, 50, 50, 30, 30]), np.array([10.0, 10, 18, 18, 10]))]
    assert map_labels._is_free(box, FRAME, [shape], taken) is free


def test_the_outline_of_words_is_as_wide_and_high_as_they_are() -> None:
    """Two lines of 10 and 4 letters, 11 pixels a letter: about their common middle."""
    x, y = map_labels._outline([10, 4], 11)
    wide = 0.54 * 11 * 10 / 2 / 0.42
    high = 1.28 * 11 / 0.42
    first, second = np.split(x, 2)
    assert (first.min(), first.max()) == pytest.approx((-wide, wide))
    assert (second.min(), second.max()) == pytest.approx((-0.4 * wide, 0.4 * wide))
    above, below = np.split(y, 2)
    assert (above.min(), above.max()) == pytest.approx((0.1 * high, 0.9 * high))
    assert (below.min(), below.max()) == pytest.approx((-0.9 * high, -0.1 * high))


def test_each_way_to_write_a_name_is_tried_once() -> None:
    forms = map_labels._forms("Salem", "Salem")
    assert len(forms) == len(set(forms)) == 2  # large and small; it has but one line

"""Where everything goes on a map without a base map: shapes, insets, overview, or plain tiles.

All of it is placed on one sheet in sheet units (the sheet is 1,000 wide, y grows upwards), so that
one pair of axes with equal steps is enough, whatever the number of insets.
"""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.dictionary import PLACES
from sdc_core.keep import kept_with_first

if TYPE_CHECKING:  # see sheet_of
    from sdc_core.geography import Area, Boundaries, Overview, Panel

Line = NDArray[np.float32]
Packed = dict[str, str]

WIDTH = 1000.0
_SINGLE_HEIGHT = 800.0
_ACROSS = 4  # insets in a row
_TITLE = 62.0  # two lines of text over an inset
_GAP = 26.0
_SPECK = 0.03  # of the box of an area's largest part
# Between points that take a click: within an inset, and on a map that has the sheet to itself. A
# pointer finds the nearest within twenty pixels or so.
_CLICK_STEP, _FINE_CLICK_STEP = 40.0, 26.0


@dataclass(frozen=True, eq=False)
class Placed:
    """One area on the sheet: its outline, where its number goes, and points that take a click."""

    code: str
    x: Line
    y: Line
    label: tuple[float, float]
    click_x: Line
    click_y: Line
    named: bool  # by a label of its own, since no title over it does
    frame: tuple[float, float, float, float]  # left, low, right, high: where its label may be


@dataclass(frozen=True, eq=False)
class Sheet:
    """All that is drawn: areas, the tiles of the overview, its outline, and titles of insets."""

    areas: tuple[Placed, ...]
    tiles: Mapping[str, tuple[float, float]]
    tile_side: float
    outline: tuple[Line, Line]
    titles: tuple[tuple[float, float, str], ...]
    height: float

    @cached_property
    def filled(self) -> tuple[tuple[Packed, Packed], ...]:
        """For each area its shape and, with an overview, its tile there, as one filled outline."""
        half = self.tile_side / 2
        across = np.array([np.nan, -half, half, half, -half, -half], dtype=np.float32)
        upright = np.array([np.nan, -half, -half, half, half, -half], dtype=np.float32)
        out = []
        for area in self.areas:
            x, y = area.x, area.y
            if area.code in self.tiles:
                middle = np.array(self.tiles[area.code], dtype=np.float32)
                x = np.concatenate([x, across + middle[0]])
                y = np.concatenate([y, upright + middle[1]])
            out.append((packed(x), packed(y)))
        return tuple(out)

    @cached_property
    def clicks(self) -> tuple[Packed, Packed, tuple[int, ...]]:
        """Points all over the areas and their tiles, and the number of the area of each."""
        xs, ys, owners = [], [], []
        for number, area in enumerate(self.areas):
            tile = np.array(
                [self.tiles[area.code]] if area.code in self.tiles else np.zeros((0, 2)),
                dtype=np.float32,
            )
            xs += [area.click_x, tile[:, 0]]
            ys += [area.click_y, tile[:, 1]]
            owners += [number] * (len(area.click_x) + len(tile))
        return packed(np.concatenate(xs)), packed(np.concatenate(ys)), tuple(owners)

    @cached_property
    def land(self) -> tuple[Packed, Packed]:
        return packed(self.outline[0]), packed(self.outline[1])


def packed(numbers: Line) -> Packed:
    """Numbers as plotly sends them. Done once: plotly would do it again for every figure, and that
    would be most of what a moved slider costs."""
    return {"dtype": "f4", "bdata": base64.b64encode(numbers.tobytes()).decode("ascii")}


_NOTHING = np.zeros(0, dtype=np.float32)


def map_sheet(
    boundaries: Boundaries, drawings: Sequence[Panel], country: Overview | None
) -> Sheet:
    """Neighbouring shapes large on one sheet; if there are several drawings, the overview on top
    and every drawing below it, those with many areas twice as wide."""
    if len(drawings) == 1:
        height = _fitting_height([_mainland(boundaries.area(c)) for c in drawings[0].codes])
        areas = _fitted(
            boundaries, drawings[0].codes, (0.0, 0.0, WIDTH, height), _FINE_CLICK_STEP
        )
        return Sheet(tuple(areas), {}, 0.0, (_NOTHING, _NOTHING), (), height)
    boxes, depth = _shelves(drawings)
    top = _overview_height(country)
    height = top + depth
    areas, titles = [], []
    for panel, (left, down, width, tall) in zip(drawings, boxes, strict=True):
        base = depth - down - tall
        titles.append((left + width / 2, base + tall - _TITLE + 4, _inset_title(panel, width)))
        areas += _fitted(boundaries, panel.codes, (left, base, width, tall - _TITLE), _CLICK_STEP)
    if country is None:
        return Sheet(tuple(areas), {}, 0.0, (_NOTHING, _NOTHING), tuple(titles), height)
    placed = {area.code for area in areas}
    return Sheet(
        tuple(areas), *_placed_overview(country, placed, depth + _GAP, top - _GAP),
        tuple(titles), height,
    )


def tile_sheet(codes: Sequence[str], names: Sequence[str]) -> Sheet:
    """No shapes are known: equal squares in reading order, each with its name over it."""
    across = min(max(3, int(np.ceil(np.sqrt(len(codes))))), 8)
    pitch = WIDTH / across
    side, title = pitch * 0.86, _TITLE
    rows = -(-len(codes) // across)
    height = rows * (side + title + 10)
    areas, titles = [], []
    for i, (code, name) in enumerate(zip(codes, names, strict=True)):
        left = (i % across) * pitch + (pitch - side) / 2
        low = height - (i // across + 1) * (side + title + 10)
        x = np.array([0, side, side, 0, 0], dtype=np.float32) + np.float32(left)
        y = np.array([0, 0, side, side, 0], dtype=np.float32) + np.float32(low)
        areas.append(
            Placed(code, x, y, (left + side / 2, low + side / 2),
                   *_click_points([(x, y)], _CLICK_STEP), named=False,
                   frame=(left, low, left + side, low + side))
        )
        titles.append((left + side / 2, low + side + 6, _short(name, int(pitch / 11), 2)))
    return Sheet(tuple(areas), {}, 0.0, (_NOTHING, _NOTHING), tuple(titles), height)


def _shelves(drawings: Sequence[Panel]) -> tuple[list[tuple[float, float, float, float]], float]:
    """Left, depth, width and height of each drawing, filled row by row from the top."""
    unit = (WIDTH - (_ACROSS - 1) * _GAP) / _ACROSS
    wide = 2 * unit + _GAP
    boxes, x, y = [], 0, 0.0
    tall = 0.0
    for panel in drawings:
        span = 2 if len(panel.codes) > 3 else 1
        needed = _TITLE + (0.72 * wide if span == 2 else 0.86 * unit)
        if x + span > _ACROSS or (tall and needed != tall):
            x, y, tall = 0, y + tall + _GAP, 0.0
        tall = needed
        boxes.append((x * (unit + _GAP), y, wide if span == 2 else unit, tall))
        x += span
    return boxes, y + tall


def _fitting_height(areas: Sequence[Area]) -> float:
    width, height = _extent(areas)[2:]
    return float(np.clip(WIDTH * height / width, 450.0, _SINGLE_HEIGHT))


def _extent(areas: Sequence[Area]) -> tuple[float, float, float, float]:
    x = np.concatenate([a.x for a in areas])
    y = np.concatenate([a.y for a in areas])
    left, low = float(np.nanmin(x)), float(np.nanmin(y))
    return left, low, float(np.nanmax(x)) - left, float(np.nanmax(y)) - low


def _fitted(
    boundaries: Boundaries, codes: Sequence[str], box: tuple[float, float, float, float],
    click_step: float,
) -> list[Placed]:
    """The areas of one drawing, as large as its box (left, low, width, height) allows and in the
    middle of it."""
    left, low, width, height = box
    areas = [_mainland(boundaries.area(code)) for code in codes]
    x0, y0, wide, tall = _extent(areas)
    scale = min(width / max(wide, 1e-9), height / max(tall, 1e-9))
    dx = left + (width - scale * wide) / 2 - scale * x0
    dy = low + (height - scale * tall) / 2 - scale * y0
    placed = []
    frame = (left - _GAP / 2, low, left + width + _GAP / 2, low + height)
    # Of several drawings, one of a single area has the area's name for its title.
    named = len(codes) > 1 or width == WIDTH
    for area in areas:
        rings = [
            ((scale * x + dx).astype(np.float32), (scale * y + dy).astype(np.float32))
            for x, y in area.rings
        ]
        label = (scale * area.centre[0] + dx, scale * area.centre[1] + dy)
        placed.append(
            Placed(
                area.code, (scale * area.x + dx).astype(np.float32),
                (scale * area.y + dy).astype(np.float32), label,
                *_click_points(rings, click_step, label), named=named, frame=frame,
            )
        )
    return placed


def _mainland(area: Area) -> Area:
    """The area without specks: rings much smaller than its largest, often islands far out, would
    make everything else small."""
    sizes = [float(np.ptp(x) * np.ptp(y)) for x, y in area.rings]
    kept = tuple(
        ring for ring, size in zip(area.rings, sizes, strict=True) if size >= _SPECK * max(sizes)
    )
    return area if len(kept) == len(area.rings) else replace(area, rings=kept)


def _click_points(
    rings: Sequence[tuple[Line, Line]], step: float, label: tuple[float, float] | None = None
) -> tuple[Line, Line]:
    """Points on a grid within the area, so that a click anywhere in it is a click on it."""
    x = np.concatenate([r[0] for r in rings])
    y = np.concatenate([r[1] for r in rings])
    # Between the borders by half a step, so that no point lies on one.
    xs = np.arange(x.min() + step / 2, x.max(), step)
    ys = np.arange(y.min() + step / 2, y.max(), step)
    grid_x, grid_y = (g.ravel() for g in np.meshgrid(xs, ys))
    inside = within(rings, grid_x, grid_y)
    middle = label or (float(x.min() + x.max()) / 2, float(y.min() + y.max()) / 2)
    return (
        np.append(middle[0], grid_x[inside]).astype(np.float32),
        np.append(middle[1], grid_y[inside]).astype(np.float32),
    )


def within(
    rings: Sequence[tuple[Line, Line]], x: NDArray[np.floating], y: NDArray[np.floating]
) -> NDArray[np.bool_]:
    """Which points lie inside? By the even-odd rule, so a ring within a ring is a hole."""
    inside = np.zeros(len(x), dtype=bool)
    for ring_x, ring_y in rings:
        x1, y1, x2, y2 = (
            side[:, None] for side in (ring_x[:-1], ring_y[:-1], ring_x[1:], ring_y[1:])
        )
        with np.errstate(divide="ignore", invalid="ignore"):  # level sides are never crossed
            left_of = x < x1 + (y - y1) / (y2 - y1) * (x2 - x1)
        crossed = ((y1 > y) != (y2 > y)) & left_of
        inside ^= crossed.sum(axis=0) % 2 == 1
    return inside


def _overview_height(country: Overview | None) -> float:
    if country is None:
        return 0.0
    _, _, wide, tall = _overview_extent(country)
    return WIDTH * tall / wide + _GAP


def _overview_extent(country: Overview) -> tuple[float, float, float, float]:
    half = country.side / 2
    places = np.array(list(country.tiles.values()))
    lines = [ring[0] for ring in country.outline], [ring[1] for ring in country.outline]
    x = np.concatenate([*lines[0], places[:, 0] - half, places[:, 0] + half])
    y = np.concatenate([*lines[1], places[:, 1] - half, places[:, 1] + half])
    return float(x.min()), float(y.min()), float(np.ptp(x)), float(np.ptp(y))


def _placed_overview(
    country: Overview, drawn: set[str], low: float, height: float
) -> tuple[dict[str, tuple[float, float]], float, tuple[Line, Line]]:
    x0, y0, wide, tall = _overview_extent(country)
    scale = min(WIDTH / wide, height / tall)
    dx, dy = (WIDTH - scale * wide) / 2 - scale * x0, low - scale * y0
    xs: list[NDArray[np.floating]] = []
    ys: list[NDArray[np.floating]] = []
    for ring_x, ring_y in country.outline:
        xs += [scale * ring_x + dx, np.array([np.nan])]
        ys += [scale * ring_y + dy, np.array([np.nan])]
    outline = (
        np.concatenate(xs or [_NOTHING]).astype(np.float32),
        np.concatenate(ys or [_NOTHING]).astype(np.float32),
    )
    tiles = {
        code: (float(scale * x + dx), float(scale * y + dy))
        for code, (x, y) in country.tiles.items() if code in drawn
    }
    return tiles, scale * country.side, outline


def _inset_title(panel: Panel, width: float) -> str:
    return _short(panel.title, int(width / 10.5), 2)


def _short(text: str, line: int, lines: int) -> str:
    """Text in at most so many lines, with an ellipsis if it does not fit."""
    wrapped = textwrap.wrap(
        text.replace("–", "– "), max(line, 6), max_lines=lines, placeholder=" …"
    )
    return "\n".join(wrapped).replace("– ", "–")


_MOST_INSETS = 24


@kept_with_first
def sheet_of(boundaries: Boundaries) -> Sheet:
    """The sheet for these boundaries, made once: they are kept, and equal only to themselves.

    So many scattered areas that insets would not help are one drawing. The overview is for the
    places that the country's outline is known for.
    """
    # Libraries for shapes take a second to load, and whoever draws no map can do without.
    from sdc_core.geography import Panel, overview, panels

    drawings = panels(boundaries)
    codes = tuple(area.code for area in boundaries.areas)
    if len(drawings) > _MOST_INSETS:
        drawings = (Panel("", codes),)
    known = len(drawings) > 1 and all(code in PLACES for code in codes)
    return map_sheet(boundaries, drawings, overview(codes) if known else None)

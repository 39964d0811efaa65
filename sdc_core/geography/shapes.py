"""What does an area look like on the plane?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon

from sdc_core.errors import InputError

Kind = Literal["file", "official", "folder", "schematic"]
Ring = tuple[NDArray[np.float64], NDArray[np.float64]]
Shape: TypeAlias = Polygon | MultiPolygon

# A screen shows about this many points along the longer side of a map that is drawn large; what is
# smaller than a fraction of one of them cannot be seen.
_DOTS_ACROSS = 700
_POINTS_PER_AREA = 65
_MANY_AREAS = 40
_OFF = 0.05  # by which part an area may be drawn too large or too small, to have fewer points


@dataclass(frozen=True, eq=False)
class Area:
    """One area: its code, its name in words, its outline in kilometres with north up."""

    code: str
    name: str
    rings: tuple[Ring, ...]
    centre: tuple[float, float]

    @cached_property
    def x(self) -> NDArray[np.float64]:
        """All rings one after the other with a gap between them, for a trace filled "toself"."""
        return _joined([ring[0] for ring in self.rings])

    @cached_property
    def y(self) -> NDArray[np.float64]:
        """As x."""
        return _joined([ring[1] for ring in self.rings])


@dataclass(frozen=True, eq=False)
class Boundaries:
    """The areas that can be drawn, where they come from, and what has to be said about them."""

    kind: Kind
    label: str
    areas: tuple[Area, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    def area(self, code: str) -> Area:
        """The area with this code."""
        for area in self.areas:
            if area.code == code:
                return area
        raise InputError(
            f"{self.label} have no area {code!r}; they have "
            f"{', '.join(a.code for a in self.areas[:5])}{' …' if len(self.areas) > 5 else ''}."
        )


def _joined(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    pieces: list[NDArray[np.float64]] = []
    for part in parts:
        pieces += [part, np.array([np.nan])]
    return np.concatenate(pieces[:-1])


class Outline(NamedTuple):
    """The rings of an area, and where its label has most room."""

    rings: tuple[Ring, ...]
    centre: tuple[float, float]


def outline(shape: Shape, digits: int) -> Outline:
    """Of a shape: rings rounded to what can be seen, a label point well inside.

    Holes run the other way round than outer rings, so that a browser leaves them unfilled.
    """
    polygons = sorted(shapely.get_parts(shapely.orient_polygons(shape)), key=lambda p: -p.area)
    rings = []
    for polygon in polygons:
        for line in (polygon.exterior, *polygon.interiors):
            points = np.round(shapely.get_coordinates(line), digits)
            rings.append((points[:, 0], points[:, 1]))
    return Outline(tuple(rings), _label_point(polygons[0], digits))


def _label_point(polygon: Polygon, digits: int) -> tuple[float, float]:
    """The middle of (about) the largest circle that fits inside, where a label has most room."""
    width = _extent([polygon])
    middle = shapely.get_coordinates(shapely.maximum_inscribed_circle(polygon, width / 100))[0]
    return round(float(middle[0]), digits), round(float(middle[1]), digits)


def _extent(shapes: Sequence[Shape]) -> float:
    """The longer side of the box around all shapes."""
    left, low, right, high = shapely.total_bounds(np.asarray(shapes, dtype=object))
    return float(max(right - left, high - low))


def digits_for(shapes: Sequence[Shape]) -> int:
    """To how many digits of a kilometre do coordinates matter on a map of these shapes?"""
    dot = _extent(shapes) / (4 * _DOTS_ACROSS)
    return int(np.clip(np.ceil(-np.log10(dot)), 0, 6)) if dot > 0 else 6


def simplified(shapes: Sequence[Shape]) -> list[Shape]:
    """The same map with no more points than can be seen; neighbours keep touching.

    Islands that would be smaller than a dot are left out, never an area's largest part. If the
    tolerance of half a dot leaves too many points, it grows until they are few enough, unless an
    area would not be as large any more as it is.
    """
    dot = _extent(shapes) / _DOTS_ACROSS
    visible = [_without_specks(shape, (2 * dot) ** 2) for shape in shapes]
    allowed = _POINTS_PER_AREA * max(len(shapes), 2)
    if len(shapes) > _MANY_AREAS:
        allowed = _POINTS_PER_AREA * _MANY_AREAS + 12 * (len(shapes) - _MANY_AREAS)
    tolerance = dot / 2
    drawn = _coverage_simplified(visible, tolerance)
    for _ in range(11):
        if sum(shapely.get_num_coordinates(shape) for shape in drawn) <= allowed:
            break
        tolerance *= 1.5
        simpler = _coverage_simplified(visible, tolerance)
        if not _as_large(visible, simpler):
            break
        drawn = simpler
    return drawn


def _as_large(shapes: Sequence[Shape], drawn: Sequence[Shape]) -> bool:
    true, found = (shapely.area(np.asarray(one, dtype=object)) for one in (shapes, drawn))
    return bool((np.abs(found - true) <= _OFF * true).all())


def _without_specks(shape: Shape, smallest: float) -> Shape:
    parts = sorted(shapely.get_parts(shape), key=lambda p: -p.area)
    kept = [
        Polygon(p.exterior, [h for h in p.interiors if Polygon(h).area >= smallest])
        for i, p in enumerate(parts) if i == 0 or p.area >= smallest
    ]
    return kept[0] if len(kept) == 1 else MultiPolygon(kept)


def _coverage_simplified(shapes: Sequence[Shape], tolerance: float) -> list[Shape]:
    """Shared borders are simplified once for both sides, if the shapes fit together at all.

    A shape that comes out broken, because the file's areas overlap, is simplified alone instead.
    """
    together = shapely.coverage_simplify(np.asarray(shapes, dtype=object), tolerance)
    drawn: list[Shape] = []
    for shape, simple in zip(shapes, together, strict=True):
        if not is_drawable(simple):
            simple = shapely.simplify(shape, tolerance, preserve_topology=True)
        drawn.append(simple if is_drawable(simple) else shape)
    return drawn


def is_drawable(shape: object) -> bool:
    """A valid polygon (or several) that covers something?"""
    return (
        isinstance(shape, (Polygon, MultiPolygon)) and not shape.is_empty and shape.is_valid
        and shape.area > 0
    )

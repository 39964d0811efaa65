"""Which areas can be read together on one map?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from shapely import MultiPolygon, Polygon

from sdc_core.geography.shapes import Area, Boundaries, Shape
from sdc_core.geography.states import STATES
from sdc_core.keep import kept_with_first

# Two areas share a map if the gap between them is at most half the width of the smaller; or, within
# one city region, at most 4.5 times: the smaller is then still about a seventh of the drawing.
_NEAR = 0.5
_SAME_REGION = 4.5
_REGION_KM = 20.0


@dataclass(frozen=True)
class Panel:
    """One drawing: a state's map, or one inset beside the overview."""

    title: str
    codes: tuple[str, ...]


@kept_with_first
def panels(b: Boundaries) -> tuple[Panel, ...]:
    """The drawings needed so that every area can be read, those with most areas first."""
    shapes = [_outline(area) for area in b.areas]
    names = {area.code: area.name for area in b.areas}
    found = []
    for members in clusters(shapes):
        codes = tuple(b.areas[i].code for i in members)
        found.append(Panel(_title(codes, [names[c] for c in codes]), codes))
    return tuple(sorted(found, key=lambda panel: -len(panel.codes)))


def _outline(area: Area) -> Shape:
    """The area's shape from its rings; a hole only makes gaps smaller, so it may count as land."""
    return MultiPolygon([Polygon(np.column_stack(ring)) for ring in area.rings])


def clusters(shapes: Sequence[Shape]) -> list[list[int]]:
    """Groups of areas near each other (single linkage), as indices in the order given."""
    if not len(shapes):
        return []
    boxes = shapely.bounds(np.asarray(shapes, dtype=object))
    widths = np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    joined = np.zeros((len(shapes), len(shapes)), dtype=bool)
    for i, shape in enumerate(shapes):
        smaller = np.minimum(widths[i], widths[i + 1:])
        reach = np.maximum(_NEAR * smaller, np.minimum(_SAME_REGION * smaller, _REGION_KM))
        near = np.flatnonzero(_box_gaps(boxes, i) <= reach) + i + 1
        if len(near):  # by an index: the distance itself would compare all points with all
            shapely.prepare(shape)
            others = [shapes[j] for j in near.tolist()]
            joined[i, near] = shapely.dwithin(shape, others, reach[near - i - 1])
            shapely.destroy_prepared(shape)
    _, group = connected_components(joined, directed=False)
    return [np.flatnonzero(group == g).tolist() for g in dict.fromkeys(group.tolist())]


def _box_gaps(boxes: NDArray[np.float64], i: int) -> NDArray[np.float64]:
    """Gap between the box of shape i and those of all later ones: never more than the true gap."""
    later = boxes[i + 1:]
    sideways = np.maximum(later[:, 0] - boxes[i, 2], boxes[i, 0] - later[:, 2])
    upwards = np.maximum(later[:, 1] - boxes[i, 3], boxes[i, 1] - later[:, 3])
    return np.hypot(np.maximum(sideways, 0), np.maximum(upwards, 0))


def _title(codes: Sequence[str], names: Sequence[str]) -> str:
    """The name of a lone area; else the city all names begin with; else the state or states."""
    if len(names) == 1:
        return names[0]
    cities = {name.split(" (")[0] for name in names}
    if len(cities) == 1:
        return cities.pop()
    states = dict.fromkeys(STATES.get(code.partition("-")[0], "") for code in codes)
    if all(states) and len(states) <= 3:
        return _and(list(states))
    return _and(names) if len(names) <= 3 else f"{len(names)} areas"


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

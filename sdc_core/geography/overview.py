"""Where in the country is each area, if every area is to be equally large?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from sdc_core.geography.shapes import Boundaries, Ring
from sdc_core.geography.sources import schematic_outline, schematic_places
from sdc_core.keep import kept_in_visit

SIDE_KM = 190.0
_GAP = 0.06  # of a side, left free between tiles


@dataclass(frozen=True, eq=False)
class Overview:
    """An outline of the country and one square per area near its place, none overlapping."""

    outline: tuple[Ring, ...]
    tiles: Mapping[str, tuple[float, float]]
    side: float


def overview(codes: Iterable[str], found: Boundaries | None = None) -> Overview:
    """The lower 48 states with a tile per area; places come from `found`, else the bundled map.

    Tiles sit on a square grid, and together they are as near to their places as they can be: the
    sum of squared distances is the smallest possible (an assignment problem). Areas whose place is
    not known stand in rows below; if no place is known there is no outline.
    """
    wanted = tuple(dict.fromkeys(codes))
    places = dict(schematic_places())
    if found is not None:
        places |= {area.code: area.centre for area in found.areas}
    return _overview(wanted, tuple(places.get(code) for code in wanted))


@kept_in_visit
def _overview(
    codes: tuple[str, ...], places: tuple[tuple[float, float] | None, ...]
) -> Overview:
    known = [(c, p) for c, p in zip(codes, places, strict=True) if p is not None]
    lost = [c for c, p in zip(codes, places, strict=True) if p is None]
    if not known:
        return Overview((), _rows(lost, int(np.ceil(np.sqrt(len(lost)))), 0.0, 0.0), SIDE_KM)
    outline = schematic_outline()
    tiles = _nearest_free_squares([c for c, _ in known], np.array([p for _, p in known]))
    left = min(float(x.min()) for x, _ in outline)
    low = min(min(float(y.min()) for _, y in outline), min(y for _, y in tiles.values()))
    tiles |= _rows(lost, 20, left + SIDE_KM, low - 1.5 * SIDE_KM)
    return Overview(outline, tiles, SIDE_KM)


def _nearest_free_squares(codes: list[str], places: np.ndarray) -> dict[str, tuple[float, float]]:
    pitch = SIDE_KM * (1 + _GAP)
    reach = int(np.ceil(np.sqrt(len(codes)))) + 1
    steps = np.arange(-reach, reach + 1)
    around = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    nearest = np.round(places / pitch).astype(int)
    squares = np.unique((nearest[:, None, :] + around).reshape(-1, 2), axis=0) * pitch
    cost = ((places[:, None, :] - squares[None, :, :]) ** 2).sum(axis=2)
    rows, columns = linear_sum_assignment(cost)
    return {
        codes[i]: (round(float(squares[j, 0]), 2), round(float(squares[j, 1]), 2))
        for i, j in zip(rows, columns, strict=True)
    }


def _rows(codes: list[str], across: int, left: float, top: float) -> dict[str, tuple[float, float]]:
    pitch = SIDE_KM * (1 + _GAP)
    return {
        code: (left + (i % across) * pitch, top - (i // across) * pitch)
        for i, code in enumerate(codes)
    }

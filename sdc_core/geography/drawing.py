"""How is each area drawn: turned north up, with no more points than can be seen?"""

from __future__ import annotations

from collections.abc import Sequence

import shapely
from pyproj import CRS

from sdc_core.errors import InputError
from sdc_core.geography.panels import clusters
from sdc_core.geography.planes import north_up
from sdc_core.geography.shapes import Outline, Shape, digits_for, outline, simplified

MOST_POINTS = 100_000  # that a browser is given


def outlines(pieces: Sequence[Sequence[Shape]], plane: CRS) -> list[Outline]:
    """The outline of each area, whose pieces lie on this plane; areas near each other are one
    drawing."""
    shapes = [one[0] if len(one) == 1 else shapely.union_all(one) for one in pieces]
    found: dict[int, Outline] = {}
    for members in clusters(shapes):
        together = simplified(north_up([shapes[i] for i in members], plane))
        digits = digits_for(together)
        found |= {i: outline(s, digits) for i, s in zip(members, together, strict=True)}
    points = sum(len(x) for one in found.values() for x, _ in one.rings)
    if points > MOST_POINTS:
        raise InputError(
            f"The boundaries have {points:,} points that can be seen; the limit is "
            f"{MOST_POINTS:,}. Simplify them or keep only the areas you need."
        )
    return [found[i] for i in range(len(shapes))]

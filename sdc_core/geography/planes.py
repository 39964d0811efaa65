"""How do degrees, or another plane, become kilometres on a plane that keeps areas?"""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import shapely
from pyproj import CRS, Transformer
from shapely import MultiPolygon, Polygon
from shapely.affinity import rotate

from sdc_core.geography.shapes import Shape

# Albers equal area for the conterminous United States: areas are true, so colours weigh honestly.
US_PLANE = "EPSG:5070"
_LONGEST_DEGREES = 0.5  # that a line may be without a point on it
_US_BOX = (-180.0, 15.0, -60.0, 72.0)


def to_kilometres(shapes: gpd.GeoSeries) -> gpd.GeoSeries:
    """Shapes in any coordinate system, in kilometres on an equal-area plane.

    The plane is Albers for the United States; for places elsewhere it is Lambert's azimuthal
    equal-area projection around their middle, since Albers would squeeze them.
    """
    if shapes.crs.is_geographic:  # a line along a circle of latitude is no straight line on a plane
        shapes = shapes.segmentize(_LONGEST_DEGREES)
    # The median, since islands across the 180th meridian would pull the middle of a box to Africa.
    corners = shapely.get_coordinates(shapely.envelope(shapes.to_crs("EPSG:4326").to_numpy()))
    middle = np.median(corners, axis=0)
    west, south, east, north = _US_BOX
    if west <= middle[0] <= east and south <= middle[1] <= north:
        plane = CRS.from_user_input(US_PLANE)
    else:
        plane = CRS.from_proj4(
            f"+proj=laea +lon_0={middle[0]:.4f} +lat_0={middle[1]:.4f} +datum=WGS84 +units=m"
        )
    metres = shapes.to_crs(plane)
    return gpd.GeoSeries(
        shapely.transform(metres.to_numpy(), lambda xy: xy / 1000), index=shapes.index, crs=plane
    )


def north_up(shapes: list[Shape], plane: CRS) -> list[Shape]:
    """The shapes of one drawing turned about their common middle until north is up.

    Far from its central meridian a national plane is tilted (Massachusetts by about 16°). Turning
    changes no size and no distance within the drawing.
    """
    box = shapely.total_bounds(np.asarray(shapes, dtype=object))
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    to_degrees = Transformer.from_crs(plane, "EPSG:4326", always_xy=True)
    to_plane = Transformer.from_crs("EPSG:4326", plane, always_xy=True)
    longitude, latitude = to_degrees.transform(x * 1000, y * 1000)
    north = to_plane.transform(longitude, latitude + 0.01)
    tilt = np.degrees(np.arctan2(north[0] / 1000 - x, north[1] / 1000 - y))
    return [rotate(shape, float(tilt), origin=(x, y)) for shape in shapes]


def only_polygons(shape: object) -> Shape | None:
    """The polygons in a shape of any type; None if there are none."""
    if shape is None:
        return None
    parts = [
        p for p in shapely.get_parts(shapely.get_parts(shapely.force_2d(shape)))
        if isinstance(p, Polygon) and not p.is_empty
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def repaired(shape: Shape) -> Shape | None:
    """A valid shape: itself, or rebuilt from its rings (a figure eight becomes its two loops, holes
    take away what they cover); None if nothing is left."""
    if shape.is_valid:
        return shape
    whole = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    return only_polygons(shapely.union_all(shapely.get_parts(whole)))

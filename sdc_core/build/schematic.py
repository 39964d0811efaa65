"""`make schematic`: build the project's own map of the areas from public facts.

Areas of whole counties are unions of county shapes. Any other area is made of cells around its
places (see schematic_places.py), clipped to their counties. A cell is the ground that is nearer to
its place than to any other, where distance allows for the places' sizes: the power diagram,
|x − p|² − r² with πr² the place's land area (Aurenhammer 1987). County and state shapes are the US
Census Bureau's (public domain), read from the package plotly-geo, which only this script needs.

The same inputs give the same bytes.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import Transformer
from shapely import Polygon

from sdc_core.build.schematic_places import REGIONS, WHOLE_COUNTIES, Region
from sdc_core.data.dictionary import PLACES
from sdc_core.whole_file import write_whole

PLANE = "EPSG:5070"
_FAR = 5_000_000.0  # metres: farther than any county reaches
_DIGITS = 4  # of a degree: about ten metres
_DETAIL = 1 / 250  # of an area's width, below which county borders are straightened
_SMALLEST_ISLAND = 0.004  # of an area
_OUTLINE_TOLERANCE = 9_000.0  # metres, on a map 4,600 km wide
_NOT_LOWER_48 = {"02", "15", "60", "66", "69", "72", "78"}


def read_census_shapes(kind: str) -> gpd.GeoDataFrame:
    """County or state shapes on the equal-area plane, by their number."""
    spec = importlib.util.find_spec("_plotly_geo")
    if spec is None or spec.origin is None:
        raise SystemExit("This needs the package plotly-geo: pip install plotly-geo==1.0.0")
    folder = Path(spec.origin).parent / "package_data"
    frame = gpd.read_file(folder / f"cb_2016_us_{kind}_500k.shp").set_crs("EPSG:4269")
    return frame.set_index("GEOID").to_crs(PLANE)


def cells(sites: NDArray[np.float64], sizes: NDArray[np.float64]) -> list[Polygon]:
    """The power diagram: for each site the ground where |x − p|² − r² is smallest."""
    found = []
    for i, (site, size) in enumerate(zip(sites, sizes, strict=True)):
        cell = np.array([[-_FAR, -_FAR], [_FAR, -_FAR], [_FAR, _FAR], [-_FAR, _FAR]]) + site
        for j, (other, other_size) in enumerate(zip(sites, sizes, strict=True)):
            if i != j:
                # |x − p|² − r² ≤ |x − q|² − s²  ⇔  2 (q − p)·x ≤ |q|² − |p|² + r² − s²
                normal = 2 * (other - site)
                limit = other @ other - site @ site + (size - other_size) / np.pi
                cell = _cut(cell, normal, float(limit))
        found.append(Polygon(cell) if len(cell) > 2 else Polygon())
    return found


def _cut(
    polygon: NDArray[np.float64], normal: NDArray[np.float64], limit: float
) -> NDArray[np.float64]:
    """The part of a convex polygon where normal · x ≤ limit."""
    kept: list[NDArray[np.float64]] = []
    for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        a, b = float(normal @ start) - limit, float(normal @ end) - limit
        if a <= 0:
            kept.append(start)
        if a * b < 0:
            kept.append(start + (end - start) * a / (a - b))
    return np.array(kept).reshape(-1, 2)


def region_shapes(region: Region, counties: gpd.GeoDataFrame) -> dict[str, Any]:
    """The areas of a region: the cells of their places, joined and clipped to the counties."""
    owners = [code for code, places in region.places.items() for _ in places]
    places = [place for listed in region.places.values() for place in listed]
    to_plane = Transformer.from_crs("EPSG:4326", PLANE, always_xy=True)
    x, y = to_plane.transform([p[2] for p in places], [p[1] for p in places])
    drawn = cells(np.column_stack([x, y]), np.array([p[3] * 1e6 for p in places]))
    for place, cell in zip(places, drawn, strict=True):
        if cell.is_empty:
            raise SystemExit(f"{place[0]} has no cell: its neighbours swallow it.")
    land = shapely.union_all(counties.loc[list(region.counties), "geometry"].to_numpy())
    joined = {
        code: shapely.union_all([c for c, o in zip(drawn, owners, strict=True) if o == code])
        for code in region.places if code
    }
    return {code: shapely.intersection(shape, land) for code, shape in joined.items()}


def schematic_shapes(counties: gpd.GeoDataFrame) -> gpd.GeoSeries:
    """Every area's shape in longitude and latitude, neighbours touching."""
    shapes: dict[str, Any] = {}
    cut = [region_shapes(region, counties) for region in REGIONS]
    pieces = {code: shape for part in cut for code, shape in part.items()}
    divided = {county for region in REGIONS for county in region.counties}
    for code in sorted(PLACES):
        whole = [c for c in WHOLE_COUNTIES.get(code, ()) if c not in divided]
        parts = list(counties.loc[whole, "geometry"])
        parts += [pieces[code]] if code in pieces else []
        shapes[code] = _tidy(shapely.union_all(parts))
    return gpd.GeoSeries(_straightened(shapes), crs=PLANE).to_crs("EPSG:4326")


def _tidy(shape: Any) -> Any:
    """Without slivers and islands too small to see."""
    parts = [p for p in shapely.get_parts(shape) if p.geom_type == "Polygon"]
    kept = [p for p in parts if p.area >= _SMALLEST_ISLAND * shape.area]
    return shapely.union_all(kept)


def _straightened(shapes: dict[str, Any]) -> dict[str, Any]:
    """Fewer points, the detail following each group of touching areas; shared borders stay one."""
    codes = list(shapes)
    result = dict(shapes)
    for state in sorted({code[:2] for code in codes}):
        group = [code for code in codes if code[:2] == state]
        widths = [max(np.ptp(shapely.get_coordinates(shapes[c]), axis=0)) for c in group]
        simple = shapely.coverage_simplify([shapes[c] for c in group], min(widths) * _DETAIL)
        result |= dict(zip(group, simple, strict=True))
    return result


def outline_shape(states: gpd.GeoDataFrame) -> gpd.GeoSeries:
    """The lower 48 states as one simple shape."""
    inside = states.loc[[number not in _NOT_LOWER_48 for number in states.index], "geometry"]
    parts = shapely.get_parts(shapely.union_all(inside.to_numpy()))
    large = shapely.union_all([p for p in parts if p.area > 2e9])
    simple = shapely.simplify(large, _OUTLINE_TOLERANCE)
    return gpd.GeoSeries([simple], crs=PLANE).to_crs("EPSG:4326")


def as_geojson(shapes: gpd.GeoSeries, properties: list[dict[str, str]], about: str) -> bytes:
    """One feature a line, so that a change can be read in a diff."""
    rounded = shapely.set_precision(shapes.to_numpy(), 10.0**-_DIGITS)
    lines = []
    for shape, said in zip(rounded, properties, strict=True):
        rings = [
            [[[round(x, _DIGITS), round(y, _DIGITS)] for x, y in ring.coords]
             for ring in (part.exterior, *part.interiors)]
            for part in shapely.get_parts(shape)
        ]
        single = len(rings) == 1
        geometry = {
            "type": "Polygon" if single else "MultiPolygon",
            "coordinates": rings[0] if single else rings,
        }
        feature = {"type": "Feature", "properties": said, "geometry": geometry}
        lines.append(json.dumps(feature, ensure_ascii=False, separators=(",", ":")))
    head = f'{{"type":"FeatureCollection","name":{json.dumps(about)},"features":[\n'
    return (head + ",\n".join(lines) + "\n]}\n").encode()


def build() -> dict[str, bytes]:
    """Both files by name."""
    shapes = schematic_shapes(read_census_shapes("county"))
    named = [{"PUMA": str(code)} for code in shapes.index]
    outline = outline_shape(read_census_shapes("state"))
    return {
        "schematic.geojson": as_geojson(shapes, named, "schematic boundaries"),
        "us-outline.geojson": as_geojson(
            outline, [{"name": "lower 48 states"}], "schematic outline"
        ),
    }


def main() -> None:
    """Write the files into data/geo."""
    folder = Path(__file__).resolve().parents[2] / "data" / "geo"
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in build().items():
        write_whole(folder / name, body)
        print(f"{name}: {len(body) / 1000:,.1f} kB")


if __name__ == "__main__":
    main()

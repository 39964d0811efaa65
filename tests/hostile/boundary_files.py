"""Boundary files: GeoJSON, GeoPackages and zipped shapefiles that are wrong in every way we know.

What is right is the ground that the area with the code CODE covers, in square kilometres, computed
here on the ellipsoid and not on the plane that the program draws on.
"""

from __future__ import annotations

import io
import json
import math
import random
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
import shapely
from shapely import MultiPolygon, Point, Polygon, box

from tests.hostile import Case

CODE = "25-00503"
SQUARE = box(-71.6, 42.3, -71.5, 42.4)
EAST = box(-71.5, 42.3, -71.4, 42.4)
_WGS84 = pyproj.Geod(ellps="WGS84")
_ENDLESS = "with recursive r(n) as (select 1 union all select n from r) select "


def ground(*shapes: Any) -> float:
    """Square kilometres on the ellipsoid."""
    return sum(abs(_WGS84.geometry_area_perimeter(one)[0]) for one in shapes) / 1e6


RIGHT = ground(SQUARE)


# ---------------------------------------------------------------------------------------- GeoJSON


def feature(geometry: Any = SQUARE, **properties: Any) -> dict[str, Any]:
    if isinstance(geometry, shapely.Geometry):
        geometry = shapely.geometry.mapping(geometry)
    return {"type": "Feature", "properties": properties or {"PUMA": CODE}, "geometry": geometry}


def collection(*features: Any, **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features), **more}).encode()


def square(**more: Any) -> bytes:
    return collection(feature(), **more)


def ring(*points: Any) -> bytes:
    return collection(feature({"type": "Polygon", "coordinates": [list(points)]}))


def number(text: str) -> bytes:
    """The square with one coordinate written like this."""
    return square().replace(b"-71.5,", text.encode() + b",", 1)


def digits(count: int) -> bytes:
    return number("1" * count)


def in_system(code: int, scale: float = 1, shape: Polygon = SQUARE) -> bytes:
    system = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:EPSG::{code}"}}
    return collection(feature(shapely.transform(shape, lambda xy: xy * scale)), crs=system)


def star(corners: int) -> bytes:
    """A ring that crosses itself as often as it can."""
    turns = [2 * math.pi * i * (corners // 2) / corners for i in range(corners)]
    points = [(round(-71 + math.cos(t), 4), round(42 + math.sin(t), 4)) for t in turns]
    return ring(*points, points[0])


def star_outline(corners: int) -> Polygon:
    """What lies within it: corners at 1 and, between them, where neighbouring lines cross."""
    k = corners // 2
    inner = math.cos(math.pi * k / corners) / math.cos(math.pi * (k - 1) / corners)
    return Polygon([
        (-71 + r * math.cos(math.pi * i / corners), 42 + r * math.sin(math.pi * i / corners))
        for i in range(2 * corners) for r in [1 if i % 2 == 0 else inner]
    ])


def zigzag(points: int) -> bytes:
    across = np.linspace(-72, -71, points // 2)
    up = 42 + 0.5 * (np.arange(points // 2) % 2)
    whole = np.vstack([np.column_stack([across, up + 0.001]),
                       np.column_stack([across, up - 0.001])[::-1]]).tolist()
    return ring(*whole, whole[0])


def comb(teeth: int) -> Polygon:
    """Valid, and every other point far from the one before."""
    x = np.linspace(-71.6, -71.5, 2 * teeth)
    y = np.where(np.arange(2 * teeth) // 2 % 2, 42.31, 42.4)
    return Polygon([(-71.6, 42.3), *zip(x, y, strict=True), (-71.5, 42.3)])


def spiral(points: int) -> Polygon:
    t = np.linspace(1, 12, points)
    inner, outer = (np.column_stack([-71.5 + w * t * np.cos(2 * np.pi * t),
                                     42.35 + w * t * np.sin(2 * np.pi * t)]) for w in (.004, .0043))
    return Polygon([*inner, *outer[::-1]])


def nested(depth: int) -> bytes:
    inner = json.dumps(shapely.geometry.mapping(SQUARE))
    begin = '{"type": "GeometryCollection", "geometries": ['
    text = begin * depth + inner + "]}" * depth
    return collection(feature()).replace(json.dumps(
        shapely.geometry.mapping(SQUARE)).encode(), text.encode())


_EIGHT = [(-71, 42), (-70.8, 42.2), (-70.8, 42), (-71, 42.2), (-71, 42)]
_HALF = ground(Polygon([(-71, 42), (-70.9, 42.1), (-71, 42.2)]),
               Polygon([(-70.8, 42), (-70.9, 42.1), (-70.8, 42.2)]))
_CAP = 2 * math.pi * 6378.137**2 * (1 - math.cos(math.radians(1)))  # within a degree of a pole
_HOLE = box(-71.57, 42.33, -71.53, 42.37)


def geojson() -> list[Case]:
    good: dict[str, tuple[Callable[[], bytes], float]] = {
        "byte order mark": (lambda: b"\xef\xbb\xbf" + square(), RIGHT),
        "a lone feature": (lambda: json.dumps(feature()).encode(), RIGHT),
        "leading spaces": (lambda: b"\n\t " * 100 + square(), RIGHT),
        "an open ring": (lambda: ring(*list(SQUARE.exterior.coords)[:-1]), RIGHT),
        "the other way round": (lambda: collection(feature(SQUARE.reverse())), RIGHT),
        "a figure eight": (lambda: ring(*_EIGHT), _HALF),
        "every point twice": (
            lambda: ring(*[p for p in SQUARE.exterior.coords for _ in range(2)]), RIGHT),
        "heights": (lambda: collection(feature(shapely.force_3d(SQUARE, 7.5))), RIGHT),
        "a spike": (lambda: ring((-71.6, 42.3), (-71.5, 42.3), (-71.5, 42.4), (-71.4, 42.4),
                                 (-71.5, 42.4), (-71.6, 42.4), (-71.6, 42.3)), RIGHT),
        "a collection of shapes": (lambda: nested(1), RIGHT),
        "points among areas": (
            lambda: collection(feature(Point(-71, 42), PUMA="p"), feature()), RIGHT),
        "an area without shape": (lambda: collection(feature(None, PUMA="p"), feature()), RIGHT),
        "two pieces": (lambda: collection(feature(), feature(EAST)), ground(SQUARE, EAST)),
        "the same twice": (lambda: collection(feature(), feature()), RIGHT),
        "parts on top of each other": (
            lambda: collection(feature(MultiPolygon([SQUARE, SQUARE]))), RIGHT),
        "a hole": (lambda: collection(feature(SQUARE.difference(_HOLE))),
                   ground(SQUARE) - ground(_HOLE)),
        "id as code": (lambda: collection({**feature(x="y"), "id": CODE}), RIGHT),
        "code as number": (lambda: collection(feature(GEOID=2500503)), RIGHT),
        "code as float": (lambda: collection(feature(GEOID=2500503.0)), RIGHT),
        "lists among columns": (lambda: collection(feature(PUMA=CODE, a=[1, {"b": None}])), RIGHT),
        "a column called geometry": (
            lambda: square().replace(b'"PUMA"', b'"geometry": 3, "PUMA"'), RIGHT),
        "a column without name": (lambda: collection(feature(PUMA=CODE, **{"": 1})), RIGHT),
        "columns like Markdown": (
            lambda: collection(feature(PUMA=CODE, **{"![x](http://e.invalid)\n\0": "<b>"})), RIGHT),
        "half a letter": (
            lambda: square().replace(b'"PUMA"', b'"a\\ud800": "\\udfff", "PUMA"'), RIGHT),
        "a million letters": (lambda: collection(feature(PUMA=CODE, a="x" * 10**6)), RIGHT),
        "a truth and nothing": (lambda: collection(feature(PUMA=CODE, a=True, b=None)), RIGHT),
        "no number as value": (
            lambda: square().replace(b'"PUMA"', b'"a": NaN, "b": Infinity, "PUMA"'), RIGHT),
        "EPSG:4326": (lambda: in_system(4326), RIGHT),
        "no system": (lambda: square(crs=None), RIGHT),
        "EPSG:3857": (lambda: in_system(3857, shape=_in(3857)), RIGHT),
        "EPSG:26986": (lambda: in_system(26986, shape=_in(26986)), RIGHT),
        "2,000 areas": (lambda: collection(feature(), *(
            feature(box(i / 50, j / 50, i / 50 + 0.01, j / 50 + 0.01), PUMA=f"{i}-{j}")
            for i in range(40) for j in range(50))), RIGHT),
        "a comb": (lambda: collection(feature(comb(300))), ground(comb(300))),
        "a star": (lambda: star(201), ground(star_outline(201))),
        "a spiral": (lambda: collection(feature(spiral(4000))), ground(spiral(4000))),
        "500 squares on one another": (lambda: collection(*(
            feature(box(-71.6, 42.3, -71.5 - i / 1e4, 42.4)) for i in range(500))), RIGHT),
    }
    either: dict[str, tuple[Callable[[], bytes], float]] = {
        "UTF-16": (lambda: square().decode().encode("utf-16"), RIGHT),
        "another encoding": (
            lambda: square().replace(b'"PUMA"', b'"a": "\xe9", "PUMA"'), RIGHT),
        "keys twice": (lambda: square().replace(
            b'"type": "Feature"', b'"type": "Feature", "geometry": null', 1), RIGHT),
        "the wrong way round": (lambda: collection(feature(shapely.transform(
            SQUARE, lambda xy: xy[:, ::-1]))), ground(box(42.3, -71.6, 42.4, -71.5))),
        "degrees called metres": (lambda: in_system(3857), 1e-8),
        "collections in collections": (lambda: nested(3), RIGHT),
        "200 collections in collections": (lambda: nested(200), RIGHT),
        "at the pole": (lambda: collection(feature(box(-170, 89, 170, 90))), 340 / 360 * _CAP),
        "the whole earth": (lambda: collection(feature(box(-180, -90, 180, 90))), 5.1e8),
        "across the date line": (
            lambda: collection(feature(box(179.9, 51, 180.1, 51.1))), ground(
                box(179.9, 51, 180.1, 51.1))),
        "a hole beside its area": (lambda: collection(feature(
            Polygon(SQUARE.exterior, [EAST.exterior.coords]))), RIGHT),
        "a 400-digit value": (lambda: square().replace(
            b'"PUMA"', b'"a": %s, "PUMA"' % (b"9" * 400)), RIGHT),
        "values in values": (lambda: square().replace(
            b'"PUMA"', b'"a": %s, "PUMA"' % (b"[" * 800 + b"]" * 800)), RIGHT),
        "mixed heights": (lambda: ring(*[
            (*p, 5)[: 2 + i % 2] for i, p in enumerate(SQUARE.exterior.coords)]), RIGHT),
    }
    bad: dict[str, Callable[[], bytes]] = {
        "empty": lambda: b"", "only spaces": lambda: b" \n" * 50, "cut off": lambda: square()[:-40],
        "text after the end": lambda: square() + b"}",
        "nested 100,000 deep": lambda: b'{"a":' * 100_000,
        "lists 100,000 deep": lambda: square().replace(b"[[[", b"[" * 100_000),
        "shapes 5,000 deep": lambda: nested(5_000), "no features": lambda: collection(),
        "features of nothing": lambda: b'{"type": "FeatureCollection", "features": null}',
        "features as a dictionary": lambda: b'{"type": "FeatureCollection", "features": {"a": 1}}',
        "features as numbers": lambda: collection(1, 2),
        "a type of its own": lambda: square().replace(b"FeatureCollection", b"Featurecollection"),
        "a bare shape": lambda: json.dumps(shapely.geometry.mapping(SQUARE)).encode(),
        "TopoJSON": lambda: b'{"type": "Topology", "objects": {}, "arcs": []}',
        "properties as text": lambda: square().replace(b'{"PUMA": "25-00503"}', b'"PUMA"'),
        "no shapes at all": lambda: collection(feature(None)),
        "a shape of an unknown kind": lambda: square().replace(b'"Polygon"', b'"Circle"'),
        "a shape as text": lambda: collection({**feature(), "geometry": "POLYGON((0 0,1 1,1 0))"}),
        "points": lambda: collection(feature(Point(-71, 42))),
        "lines": lambda: collection(feature(SQUARE.exterior)),
        "no coordinates": lambda: collection(feature({"type": "Polygon", "coordinates": []})),
        "an empty ring": lambda: ring(), "one point": lambda: ring((-71, 42)),
        "two points": lambda: ring((-71, 42), (-70, 42)),
        "all in a line": lambda: ring((-71, 42), (-71, 42.1), (-71, 42.2), (-71, 42)),
        "one point four times": lambda: ring(*[(-71, 42)] * 4),
        "a hole as large as its area": lambda: collection(feature(
            Polygon(SQUARE.exterior, [SQUARE.exterior.coords]))),
        "not a number": lambda: number("NaN"), "infinity": lambda: number("Infinity"),
        "less than infinity": lambda: number("-Infinity"), "1e400": lambda: number("1e400"),
        "400 digits": lambda: digits(400), "5,000 digits": lambda: digits(5_000),
        "1e300": lambda: number("1e300"), "a text for a number": lambda: number('"x"'),
        "a list for a number": lambda: number("[1]"),
        "nothing for a number": lambda: number("null"),
        "latitude 91": lambda: square().replace(b"42.4", b"91.0"),
        "longitude 181": lambda: square().replace(b"-71.5", b"-181.0"),
        "EPSG:4978": lambda: in_system(4978), "EPSG:99999": lambda: in_system(99999),
        "EPSG:5703 (heights)": lambda: in_system(5703),
        "metres called degrees": lambda: in_system(4326, shape=_in(3857)),
        "metres called nothing": lambda: collection(feature(_in(3857))),
        "a system that is a path": lambda: square(
            crs={"type": "name", "properties": {"name": "+init=/etc/passwd:x"}}),
        "a system that is a list": lambda: square(crs=[1, 2]),
        "a system that is an address": lambda: square(
            crs={"type": "link", "properties": {"href": "http://elsewhere.invalid/"}}),
        "20,001 areas": lambda: b'{"type": "FeatureCollection", "features": [%s]}' % b",".join(
            [json.dumps(feature()).encode()] * 20_001),
        "201 columns": lambda: collection(feature(**{f"c{i}": i for i in range(201)})),
        "a star of 2,001 corners": lambda: star(2_001),
    }
    return [
        *(Case(f"geojson: {k}", "mine.geojson", f, right) for k, (f, right) in good.items()),
        *(Case(f"geojson: {k}", "mine.geojson", f, r, True) for k, (f, r) in either.items()),
        *(Case(f"geojson: {k}", "mine.geojson", f) for k, f in bad.items()),
    ]


def _in(code: int) -> Polygon:
    return gpd.GeoSeries([SQUARE], crs=4326).to_crs(code).iloc[0]


# ------------------------------------------------------------------------------------- GeoPackage


def geopackage(*statements: str, frame: gpd.GeoDataFrame | None = None) -> bytes:
    """A GeoPackage with one layer, after these statements."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "areas.gpkg"
        given = frame if frame is not None else gpd.GeoDataFrame(
            {"PUMA": [CODE]}, geometry=[SQUARE], crs=4326)
        given.to_file(path, layer="areas", engine="pyogrio")
        database = sqlite3.connect(path)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        return path.read_bytes()


_COLUMNS = {
    "gpkg_contents": "'areas' as table_name, 'features' as data_type, n as identifier, '' as "
    "description, '' as last_change, 0 as min_x, 0 as min_y, 1 as max_x, 1 as max_y, 4326 as "
    "srs_id",
    "gpkg_spatial_ref_sys": "'x' as srs_name, n as srs_id, 'EPSG' as organization, 4326 as "
    "organization_coordsys_id, '' as definition, '' as description",
    "gpkg_geometry_columns": "'areas' as table_name, 'geom' as column_name, 'POLYGON' as "
    "geometry_type_name, 4326 as srs_id, 0 as z, 0 as m",
}


def geopackage_with_endless(table: str) -> bytes:
    """One of the format's own tables is a view whose first row never comes."""
    return geopackage(f"alter table {table} rename to hidden",
                      f"create view {table} as {_ENDLESS}{_COLUMNS[table]} from r where n = 2")


def blob(body: bytes) -> str:
    """The one shape of the layer, as these bytes after the format's head."""
    head = b"GP\x00\x01" + struct.pack("<i", 4326)
    return f"update areas set geom = x'{(head + body).hex()}'"


_UNGUARDED = ("drop trigger if exists rtree_areas_geom_update6",
              "drop trigger if exists rtree_areas_geom_update7",
              "drop trigger if exists rtree_areas_geom_update1",
              "drop trigger if exists rtree_areas_geom_update2",
              "drop trigger if exists rtree_areas_geom_update3",
              "drop trigger if exists rtree_areas_geom_update4",
              "drop trigger if exists rtree_areas_geom_update5")


def geopackages() -> list[Case]:
    good: dict[str, tuple[Callable[[], bytes], float]] = {
        "plain": (geopackage, RIGHT),
        "a trigger that calls itself": (lambda: geopackage(
            "create trigger t after insert on areas begin insert into areas (PUMA) "
            "values ('x'); end"), RIGHT),
        "a view that never ends beside the layer": (lambda: geopackage(
            f"create view v as {_ENDLESS} n from r"), RIGHT),
        "columns like Markdown": (lambda: geopackage(
            'alter table areas add column "![x](http://e.invalid)" text'), RIGHT),
        "no index": (lambda: geopackage("drop table rtree_areas_geom"), RIGHT),
        "a layer beside it": (lambda: geopackage("create table other (a, b)"), RIGHT),
        "EPSG:3857": (lambda: geopackage(frame=gpd.GeoDataFrame(
            {"PUMA": [CODE]}, geometry=[_in(3857)], crs=3857)), RIGHT),
    }
    either: dict[str, tuple[Callable[[], bytes], float]] = {
        "no triggers": (lambda: geopackage(*_UNGUARDED), RIGHT),
        "two lists of layers": (lambda: geopackage(
            "create table GPKG_CONTENTS2 as select * from gpkg_contents"), RIGHT),
        "another page size said": (lambda: _patched(geopackage(), 16, b"\x00\x01"), RIGHT),
        "said to be written elsewhere": (lambda: _patched(geopackage(), 18, b"\x02\x02"), RIGHT),
        "a newer version": (lambda: _patched(geopackage(), 60, b"\xff\xff\xff\xff"), RIGHT),
        "a system that nobody knows": (lambda: geopackage(
            "update gpkg_spatial_ref_sys set organization_coordsys_id = 99999, definition = 'x' "
            "where srs_id = 4326"), RIGHT),
    }
    bad: dict[str, Callable[[], bytes]] = {
        **{f"endless {table}": (lambda table=table: geopackage_with_endless(table))
           for table in _COLUMNS},
        "an endless layer": lambda: geopackage(
            "alter table areas rename to hidden",
            f"create view areas as {_ENDLESS} n as fid, null as geom, 'x' as PUMA from r"),
        "a virtual layer": lambda: geopackage(
            "drop table rtree_areas_geom", "drop table areas",
            "create virtual table areas using rtree(fid, a, b)"),
        "only its head": lambda: b"SQLite format 3\x00", "cut off": lambda: geopackage()[:30_000],
        "zeros after its head": lambda: geopackage()[:100] + bytes(40_000),
        "another kind of database": lambda: _database("create table t (a)"),
        "no layers": lambda: geopackage("delete from gpkg_contents"),
        "an empty layer": lambda: geopackage("delete from areas"),
        "a layer that is not there": lambda: geopackage(
            "drop table rtree_areas_geom", "drop table areas"),
        "a shape of nonsense": lambda: geopackage(*_UNGUARDED, blob(b"\xff" * 40)),
        "a shape of 2 thousand million points": lambda: geopackage(
            *_UNGUARDED, blob(struct.pack("<BIII", 1, 3, 1, 2**31 - 1) + bytes(64))),
        "a shape of 2 thousand million rings": lambda: geopackage(
            *_UNGUARDED, blob(struct.pack("<BII", 1, 3, 2**31 - 1) + bytes(64))),
        "shapes 20,000 deep": lambda: geopackage(
            *_UNGUARDED, blob(struct.pack("<BII", 1, 7, 1) * 20_000)),
        "coordinates that are no numbers": lambda: geopackage(*_UNGUARDED, blob(struct.pack(
            "<BIII", 1, 3, 1, 4) + struct.pack("<8d", *[math.nan] * 8))),
        "points": lambda: geopackage(frame=gpd.GeoDataFrame(
            {"PUMA": [CODE]}, geometry=[Point(-71, 42)], crs=4326)),
        "text for a shape": lambda: geopackage(*_UNGUARDED, "update areas set geom = 'POLYGON'"),
        "names that are statements": lambda: geopackage(
            """update gpkg_contents set table_name = 'areas"; drop table areas; --'"""),
    }
    return [
        *(Case(f"geopackage: {k}", "mine.gpkg", f, right) for k, (f, right) in good.items()),
        *(Case(f"geopackage: {k}", "mine.gpkg", f, r, True) for k, (f, r) in either.items()),
        *(Case(f"geopackage: {k}", "mine.gpkg", f) for k, f in bad.items()),
    ]


def _patched(content: bytes, place: int, body: bytes) -> bytes:
    return content[:place] + body + content[place + len(body):]


def _database(*statements: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(Path(folder) / "x")
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()
        return (Path(folder) / "x").read_bytes()


# -------------------------------------------------------------------------------------- shapefile


def shapefile(frame: gpd.GeoDataFrame | None = None) -> dict[str, bytes]:
    """The parts of a shapefile, by their endings."""
    given = frame if frame is not None else gpd.GeoDataFrame(
        {"PUMA": [CODE]}, geometry=[SQUARE], crs=4326)
    with tempfile.TemporaryDirectory() as folder:
        given.to_file(Path(folder) / "areas.shp", engine="pyogrio")
        return {path.suffix: path.read_bytes() for path in Path(folder).iterdir()}


def zipped(parts: dict[str, bytes], stem: str = "areas", how: int = zipfile.ZIP_STORED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        for ending, body in parts.items():
            archive.writestr(f"{stem}{ending}", body)
    return packed.getvalue()


def changed(**parts: Callable[[bytes], bytes | None]) -> bytes:
    """The zipped shapefile with some parts changed, or left out."""
    whole: dict[str, bytes | None] = dict(shapefile())
    for ending, change in parts.items():
        whole[f".{ending}"] = change(whole.get(f".{ending}") or b"")
    return zipped({ending: body for ending, body in whole.items() if body is not None})


def shapefiles() -> list[Case]:
    def gone(_: bytes) -> None:
        return None

    good: dict[str, tuple[Callable[[], bytes], float]] = {
        "plain": (lambda: zipped(shapefile()), RIGHT),
        "packed": (lambda: zipped(shapefile(), how=zipfile.ZIP_DEFLATED), RIGHT),
        "in a folder": (lambda: zipped(shapefile(), "some folder/a b/areas"), RIGHT),
        "names that climb": (lambda: zipped(shapefile(), "../../../../../tmp/escaped"), RIGHT),
        "names from the root": (lambda: zipped(shapefile(), "/etc/escaped"), RIGHT),
        "names of Windows": (lambda: zipped(shapefile(), "C:\\Windows\\areas"), RIGHT),
        "accents": (lambda: zipped(shapefile(), "Gemeinden_Zürich_é"), RIGHT),
        "capitals": (lambda: zipped({k.upper(): v for k, v in shapefile().items()}), RIGHT),
        "no system": (lambda: changed(prj=gone), RIGHT),
        "an unknown encoding": (lambda: changed(cpg=lambda _: b"no-such-encoding"), RIGHT),
        "a readme beside it": (lambda: zipped({**shapefile(), ".txt": b"x"}), RIGHT),
    }
    either: dict[str, tuple[Callable[[], bytes], float]] = {
        "a system of nonsense": (lambda: changed(prj=lambda _: b"\x00nonsense"), RIGHT),
        "a system with a name of a megabyte": (lambda: changed(
            prj=lambda text: text.replace(b"GCS_WGS_1984", b"x" * 1_000_000)), RIGHT),
        "a table of more rows than there are": (lambda: changed(
            dbf=lambda b: _patched(b, 4, struct.pack("<I", 2**31 - 1))), RIGHT),
        "parts twice": (lambda: _twice(zipped(shapefile())), RIGHT),
        "a table that ends early": (lambda: changed(dbf=lambda b: b[:-5]), RIGHT),
        "a head that says it is huge": (lambda: changed(
            shp=lambda b: _patched(b, 24, struct.pack(">i", 2**31 - 1))), RIGHT),
        "a box that is no number": (lambda: changed(
            shp=lambda b: _patched(b, 36, struct.pack("<4d", *[math.nan] * 4))), RIGHT),
    }
    bad: dict[str, Callable[[], bytes]] = {
        "no index": lambda: changed(shx=gone), "no table": lambda: changed(dbf=gone),
        "no shapes": lambda: changed(shp=gone),
        "shapes cut off": lambda: changed(shp=lambda b: b[:120]),
        "only the head of the shapes": lambda: changed(shp=lambda b: b[:60]),
        "an index of nonsense": lambda: changed(shx=lambda b: b[:100] + b"\xff" * 8),
        "an index without end": lambda: changed(
            shx=lambda b: _patched(b, 24, struct.pack(">i", 2**31 - 1))[:100]),
        "2 thousand million points": lambda: changed(
            shp=lambda b: _patched(b, 100 + 8 + 4 + 32 + 4, struct.pack("<i", 2**31 - 1))),
        "2 thousand million parts": lambda: changed(
            shp=lambda b: _patched(b, 100 + 8 + 4 + 32, struct.pack("<i", 2**31 - 1))),
        "fewer than no points": lambda: changed(
            shp=lambda b: _patched(b, 100 + 8 + 4 + 32 + 4, struct.pack("<i", -5))),
        "coordinates that are no numbers": lambda: changed(
            shp=lambda b: b[:-80] + struct.pack("<10d", *[math.nan] * 10)),
        "coordinates without end": lambda: changed(
            shp=lambda b: b[:-80] + struct.pack("<10d", *[math.inf] * 10)),
        "points": lambda: zipped(shapefile(gpd.GeoDataFrame(
            {"PUMA": [CODE]}, geometry=[Point(-71, 42)], crs=4326))),
        "two of them": lambda: _with(zipped(shapefile()), **{"b.shp": b"x"}),
        "none": lambda: zipped({".txt": b"hello"}),
        "GeoJSON in it": lambda: zipped({".geojson": square()}),
        "a zip in it": lambda: zipped({".zip": zipped(shapefile())}),
        "201 files": lambda: _with(zipped(shapefile()), **{f"{i}.txt": b"" for i in range(201)}),
        "a bomb": lambda: zipped({**shapefile(), ".shp": bytes(250_000_000)},
                                 how=zipfile.ZIP_DEFLATED),
        "a lie about its size": lambda: _lying(zipped(
            {**shapefile(), ".shp": bytes(3_000_000)}, how=zipfile.ZIP_DEFLATED)),
        "cut off": lambda: zipped(shapefile())[:300],
        "a password": lambda: _flagged(zipped(shapefile())),
        "an unknown way of packing": lambda: _method(zipped(shapefile()), 99),
        "only an end": lambda: b"PK\x05\x06" + bytes(18),
        "a link for the shapes": lambda: _link(),
        "a folder called areas.shp": lambda: zipped({".shp/": b"", ".dbf": b"x"}),
        "shapes that are a web page": lambda: changed(shp=lambda _: b"<html>" * 100),
        "metres called degrees": lambda: changed(shp=lambda _: shapefile(gpd.GeoDataFrame(
            {"PUMA": [CODE]}, geometry=[_in(3857)], crs=3857))[".shp"]),
    }
    return [
        *(Case(f"shapefile: {k}", "mine.zip", f, right) for k, (f, right) in good.items()),
        *(Case(f"shapefile: {k}", "mine.zip", f, r, True) for k, (f, r) in either.items()),
        *(Case(f"shapefile: {k}", "mine.zip", f) for k, f in bad.items()),
    ]


def _with(content: bytes, **more: bytes) -> bytes:
    packed = io.BytesIO(content)
    with zipfile.ZipFile(packed, "a") as archive:
        for name, body in more.items():
            archive.writestr(name, body)
    return packed.getvalue()


def _twice(content: bytes) -> bytes:
    packed = io.BytesIO(content)
    with zipfile.ZipFile(packed, "a") as archive:
        names = {name: archive.read(name) for name in archive.namelist()}
        archive.NameToInfo.clear()  # else the second one is warned of
        for name, body in names.items():
            archive.writestr(name, body)
    return packed.getvalue()


def _lying(content: bytes) -> bytes:
    return content.replace((3_000_000).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))


def _flagged(content: bytes) -> bytes:
    """Every entry says that it has a password."""
    body = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = body.find(mark)
        while at >= 0:
            body[at + place] |= 1
            at = body.find(mark, at + 4)
    return bytes(body)


def _method(content: bytes, number: int) -> bytes:
    body = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = body.find(mark)
        while at >= 0:
            body[at + place: at + place + 2] = number.to_bytes(2, "little")
            at = body.find(mark, at + 4)
    return bytes(body)


def _link() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for ending, body in shapefile().items():
            entry = zipfile.ZipInfo(f"areas{ending}")
            if ending == ".shp":
                entry.external_attr = 0o120777 << 16
                body = b"/etc/passwd"
            archive.writestr(entry, body)
    return packed.getvalue()


# ----------------------------------------------------------------------------------- other things


def others() -> list[Case]:
    made: dict[str, tuple[str, bytes]] = {
        "KML": ("a.kml", b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>'),
        "GML": ("a.gml", b'<?xml version="1.0"?><gml:FeatureCollection/>'),
        "a driver that opens other files": (
            "a.vrt", b"<OGRVRTDataSource><SrcDataSource>/etc/passwd</SrcDataSource>"),
        "a bomb of entities": ("a.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'),
        "a picture": ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50)),
        "the shapes of a shapefile alone": ("a.shp", b"\x00\x00\x27\x0a" + bytes(96)),
        "gzip": ("a.geojson.gz", b"\x1f\x8b\x08" + bytes(50)),
        "a table": ("a.csv", b"PUMA,x\n25-00503,1\n"),
        "Parquet": ("a.parquet", b"PAR1" + bytes(100)),
        "text of shapes": ("a.wkt", b"POLYGON ((0 0, 1 0, 1 1, 0 0))"),
        "zeros": ("a.geojson", bytes(10_000)),
        "noise": ("a.gpkg", random.Random(1).randbytes(10_000)),
        "a web page": ("a.geojson", b"<!DOCTYPE html><html><body>404</body></html>"),
        "a list": ("a.geojson", b"[" + square() + b"]"),
        "a path in its name": ("../../etc/<b>x</b>|*.geojson", b"[]"),
        "a name of 5,000 letters": ("x" * 5_000 + ".geojson", b"nothing"),
        "a name with lines in it": ("a\nb\r\x00c.geojson", b"nothing"),
    }
    return [Case(f"other: {kind}", name, lambda body=body: body)
            for kind, (name, body) in made.items()]


CASES = [*geojson(), *geopackages(), *shapefiles(), *others()]

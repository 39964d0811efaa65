"""Reading the bytes of a boundary file that somebody gives us, treated as hostile.

GeoJSON is parsed here and never handed to a driver that guesses formats (one of them reads other
files that the content names). GeoPackage and shapefile are recognised by their first bytes and
written to a fresh folder under a fixed name, so names in the file or archive decide nothing.
"""

from __future__ import annotations

import io
import json
import re
import sqlite3
import tempfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import geopandas as gpd
import pyogrio
import shapely
from pyproj import CRS
from pyproj.exceptions import CRSError

from sdc_core.errors import InputError
from sdc_core.geography.codes import as_text

MAX_UNPACKED_BYTES = 200_000_000
MAX_MEMBERS = 200
MAX_SHAPES = 20_000
MAX_COLUMNS = 200

FORMATS = "Give GeoJSON, GeoPackage (.gpkg) or a zipped shapefile."
BROKEN = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, CRSError,
    shapely.errors.ShapelyError,
)
_DATABASE = b"SQLite format 3\x00"
_SHAPEFILE_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")


def read_shapes(name: str, content: bytes) -> tuple[gpd.GeoDataFrame, list[str]]:
    """What the file holds, by its first bytes, whatever its name says."""
    if content.startswith(_DATABASE):
        return _from_driver(name, {".gpkg": content})
    if content.startswith(b"PK\x03\x04"):
        return _from_driver(name, _shapefile_parts(name, content))
    if content.startswith(b"\x00\x00\x27\x0a"):
        raise InputError(
            f"{name} is one part of a shapefile. Put its .shp, .shx, .dbf and .prj files "
            "into one zip file and give that."
        )
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _from_geojson(name, content)
    raise InputError(f"{name} is not a geographic file that can be read here. {FORMATS}")


def _from_geojson(name: str, content: bytes) -> tuple[gpd.GeoDataFrame, list[str]]:
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InputError(f"{name} looks like GeoJSON but cannot be read; it may be cut off.") from (
            None
        )
    if document.get("type") == "Feature":
        document = {"type": "FeatureCollection", "features": [document]}
    features = document.get("features")
    if document.get("type") != "FeatureCollection" or not isinstance(features, list):
        raise InputError(
            f"{name} is JSON but not GeoJSON: it has no list of features. {FORMATS}"
        )
    if not features:
        raise InputError(f"{name} holds no areas at all. {FORMATS}")
    try:
        properties = [_properties(f) for f in features]
        _check_table(len(properties), len(set().union(*properties)), name)
        frame = gpd.GeoDataFrame(
            properties,
            geometry=[_geometry(f) for f in features], crs=_declared_crs(document),
        )
    except (RecursionError, *BROKEN) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            f"{name}: the coordinates of an area, or the coordinate system, cannot be "
            "understood. Save it again as GeoJSON in longitude and latitude."
        ) from None
    return frame, []


def _properties(feature: Any) -> dict[str, Any]:
    """The columns of a feature; its id counts as one, since codes often stand there."""
    given = feature.get("properties") or {}
    own = {} if feature.get("id") is None else {"id": feature["id"]}
    # A column called geometry would take the place of the shape.
    return {as_text(k) if k != "geometry" else "geometry_": as_text(v)
            for k, v in (own | given).items()}


def _geometry(feature: Any) -> Any:
    return None if feature.get("geometry") is None else shapely.geometry.shape(feature["geometry"])


def _declared_crs(document: dict[str, Any]) -> CRS | None:
    """The older GeoJSON's coordinate system: a registered number, never a text to interpret."""
    if document.get("crs") is None:
        return None
    said = str(document["crs"]["properties"]["name"])
    if said.endswith("CRS84"):
        return CRS.from_epsg(4326)
    number = re.search(r"EPSG:(?:[\d.]*:)?(\d{4,6})$", said)
    if number is None:
        raise ValueError(said)
    return CRS.from_epsg(int(number[1]))


def _shapefile_parts(name: str, content: bytes) -> dict[str, bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        members = [m for m in archive.infolist() if not m.is_dir()]
        if len(members) > MAX_MEMBERS or sum(m.file_size for m in members) > MAX_UNPACKED_BYTES:
            raise InputError(
                f"{name} unpacks to {sum(m.file_size for m in members) / 1e6:,.0f} MB in "
                f"{len(members):,} files; the limit is {MAX_UNPACKED_BYTES / 1e6:,.0f} MB in "
                f"{MAX_MEMBERS}. Keep only the shapefile's own parts."
            )
        parts = [
            m for m in members
            if m.filename.lower().endswith(_SHAPEFILE_PARTS) and "__MACOSX" not in m.filename
        ]
        main = [m for m in parts if m.filename.lower().endswith(".shp")]
        if len(main) != 1:
            raise InputError(
                f"{name} holds {len(main) or 'no'} shapefile{'s' if main else ''}; a zip file "
                "must hold the parts (.shp, .shx, .dbf, .prj) of exactly one."
            )
        stem = main[0].filename[:-4]
        found = {
            m.filename[-4:].lower(): archive.read(m) for m in parts if m.filename[:-4] == stem
        }
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError,
            zlib.error) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            f"{name} is a zip file that cannot be unpacked: it is cut off, damaged or has a "
            "password. Zip the shapefile again."
        ) from None
    lost = [part for part in (".shx", ".dbf") if part not in found]
    if lost:
        raise InputError(
            f"{name}: the shapefile's {' and '.join(lost)} part is missing; the zip file needs "
            ".shp, .shx, .dbf and .prj."
        )
    return found


def _from_driver(name: str, parts: dict[str, bytes]) -> tuple[gpd.GeoDataFrame, list[str]]:
    """GeoPackage or shapefile through GDAL, from a fresh folder that is removed again."""
    with tempfile.TemporaryDirectory(prefix="boundaries-") as folder:
        for ending, body in parts.items():
            (Path(folder) / f"areas{ending}").write_bytes(body)
        path = Path(folder) / f"areas{'.gpkg' if '.gpkg' in parts else '.shp'}"
        try:
            if ".gpkg" in parts:
                _check_database(path, name)
            layers = [
                str(layer) for layer, shape in pyogrio.list_layers(path)
                if shape is not None and ("Polygon" in shape or shape == "Unknown")
            ] or [str(layer) for layer, _ in pyogrio.list_layers(path)]
            info = pyogrio.read_info(path, layer=layers[0])
            if info["features"] == 0:
                raise InputError(f"{name} holds no areas at all. {FORMATS}")
            _check_table(info["features"], len(info["fields"]), name)
            frame = gpd.read_file(path, layer=layers[0], engine="pyogrio", rows=MAX_SHAPES + 1)
        except InputError:
            raise
        except (RuntimeError, OSError, sqlite3.Error, *BROKEN):
            raise InputError(
                f"{name} cannot be read; it is cut off, damaged or not a map. {FORMATS}"
            ) from None
    if not isinstance(frame, gpd.GeoDataFrame):
        raise InputError(f"{name} is a table without shapes. {FORMATS}")
    notes = [f"Of the layers in {name}, {layers[0][:60]} is drawn."] if len(layers) > 1 else []
    return frame, notes


def _check_database(path: Path, name: str) -> None:
    """Its lists of layers, and the layers, must be stored tables: a view could compute for ever."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        stored = {
            str(table).casefold() for table, text in database.execute(
                "select name, sql from sqlite_master where type = 'table'")
            if not str(text).casefold().startswith("create virtual")
        }
        named = [str(part).casefold() for (part,) in database.execute(
            "select name from sqlite_master where name like 'gpkg!_%' escape '!' "
            "and type in ('table', 'view')")]
        if set(named) <= stored and "gpkg_contents" in stored:
            layers = database.execute("select table_name from gpkg_contents").fetchmany(1000)
            named += [str(layer).casefold() for (layer,) in layers]
    if not set(named) <= stored:
        raise InputError(f"{name} has a layer that is no stored table. Save it as a table.")


def _check_table(rows: int, columns: int, name: str) -> None:
    if rows > MAX_SHAPES or columns > MAX_COLUMNS:
        raise InputError(
            f"{name} has {rows:,} areas with {columns:,} columns; the limit is {MAX_SHAPES:,} "
            f"areas with {MAX_COLUMNS}. Keep only those you need."
        )

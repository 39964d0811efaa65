"""What does a boundary file hold, repaired and in kilometres?

A file that somebody gives is read and drawn by a process of its own (`process.py`): a few kilobytes
can keep the libraries for shapes busy for ever, or crash them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from sdc_core.errors import InputError
from sdc_core.geography.formats import BROKEN, FORMATS, read_shapes
from sdc_core.geography.planes import only_polygons, repaired, to_kilometres

MAX_BYTES = 60_000_000
MAX_POINTS = 3_000_000


@dataclass(frozen=True)
class BoundaryFile:
    """A file's polygons in kilometres, its columns as text, and what was done to them."""

    name: str
    digest: str
    columns: pd.DataFrame = field(compare=False, repr=False)
    shapes: gpd.GeoSeries = field(compare=False, repr=False)
    notes: tuple[str, ...] = field(compare=False, default=())


def read_here(name: str, content: bytes) -> BoundaryFile:
    """The polygons in a GeoJSON, GeoPackage or zipped shapefile, read by this process: for files
    that come with the program, and for the process that reads others."""
    name = plain_name(name)
    check_content(name, content)
    frame, notes = read_shapes(name, content)
    if len(frame) == 0:
        raise InputError(f"{name} holds no areas at all. {FORMATS}")
    _check_points(frame, name)
    frame, more = _polygons(frame, name)
    shapes, even_more = _projected(frame, name)
    columns = pd.DataFrame(frame.drop(columns=frame.geometry.name))
    columns.columns = [str(c) for c in columns.columns]
    digest = sha256(content).hexdigest()
    return BoundaryFile(name, digest, columns, shapes, tuple(notes + more + even_more))


def check_content(name: str, content: bytes) -> None:
    """What is seen without reading it."""
    if not content.strip():
        raise InputError(f"{name} is empty. {FORMATS}")
    if len(content) > MAX_BYTES:
        raise InputError(
            f"{name} has {len(content) / 1e6:,.0f} MB; the limit is {MAX_BYTES / 1e6:,.0f} MB. "
            "Simplify the boundaries or keep only the areas you need."
        )


def plain_name(name: str) -> str:
    """The last part of a path, printable and short: it is shown, never opened."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    shown = "".join(c for c in last if c.isprintable() and c not in "<>&`*[]|").strip()
    return shown[:80] or "The boundary file"


def _check_points(frame: gpd.GeoDataFrame, name: str) -> None:
    points = shapely.get_coordinates(frame.geometry.to_numpy())
    if len(points) > MAX_POINTS:
        raise InputError(
            f"{name} has {len(points):,} points; the limit is {MAX_POINTS:,}. Simplify the "
            "boundaries or keep only the areas you need."
        )
    if not np.isfinite(points).all():
        raise InputError(f"{name} has coordinates that are not numbers. Save it again.")


def _polygons(frame: gpd.GeoDataFrame, name: str) -> tuple[gpd.GeoDataFrame, list[str]]:
    """The rows with a polygon, repaired where its lines cross."""
    shapes = [only_polygons(shape) for shape in frame.geometry]
    kept = np.array([shape is not None for shape in shapes])
    if not kept.any():
        kinds = sorted({str(t) for t in frame.geometry.geom_type.dropna()}) or ["nothing"]
        raise InputError(
            f"{name} holds no areas, only {' and '.join(kinds)}: areas must be polygons. "
            f"{FORMATS}"
        )
    notes = []
    if (~kept).any():
        notes.append(f"{_count(int((~kept).sum()), 'row')} of {name} without a polygon left out.")
    frame = frame.loc[kept].reset_index(drop=True)
    given = [shape for shape in shapes if shape is not None]
    whole = [repaired(shape) for shape in given]
    broken = sum(not shape.is_valid for shape in given)
    if broken:
        notes.append(f"{_count(broken, 'polygon')} of {name} crossed itself and was repaired."
                     if broken == 1 else
                     f"{_count(broken, 'polygon')} of {name} crossed themselves and were repaired.")
    good = np.array([shape is not None for shape in whole])
    if not good.any():
        raise InputError(f"{name}: no polygon covers any ground. {FORMATS}")
    frame = frame.set_geometry(gpd.GeoSeries(whole, crs=frame.crs)).loc[good]
    return frame.reset_index(drop=True), notes


def _projected(frame: gpd.GeoDataFrame, name: str) -> tuple[gpd.GeoSeries, list[str]]:
    """The shapes in kilometres; without a coordinate system they must look like degrees."""
    shapes, notes = frame.geometry, []
    box = shapes.total_bounds
    degrees = bool(np.all(np.abs(box) <= [180, 90, 180, 90]))
    if shapes.crs is None:
        if not degrees:
            raise InputError(
                f"{name} does not say its coordinate system and its numbers (such as "
                f"{box[0]:,.0f}, {box[1]:,.0f}) are not longitude and latitude. Save it with its "
                "coordinate system, or as longitude and latitude."
            )
        shapes = shapes.set_crs("EPSG:4326")
    elif shapes.crs.is_geographic and not degrees:
        raise InputError(
            f"{name} says its numbers are longitude and latitude, but they are not (such as "
            f"{box[0]:,.0f}, {box[1]:,.0f}). Save it with its true coordinate system."
        )
    elif not (shapes.crs.is_geographic or shapes.crs.is_projected):
        raise InputError(
            f"{name}: its coordinate system ({shapes.crs.name[:60]}) is no map of the earth's "
            "surface. Save it as longitude and latitude."
        )
    elif not shapes.crs.is_geographic:
        code = shapes.crs.to_epsg()
        words = f"EPSG:{code}" if code else shapes.crs.name[:60]
        notes.append(f"Reprojected from {words}.")
    try:
        flat = to_kilometres(shapes)
    except (RuntimeError, *BROKEN):
        flat = None
    if flat is None or not np.isfinite(flat.total_bounds).all():
        raise InputError(
            f"{name}: its coordinates do not fit its coordinate system ({shapes.crs.name[:60]}). "
            "Save it as longitude and latitude."
        )
    valid = [repaired(shape) for shape in flat]
    if any(shape is None for shape in valid):
        raise InputError(
            f"{name}: an area covers no ground once it is drawn on a plane. Look at its "
            "coordinates, or leave it out."
        )
    return gpd.GeoSeries(valid, crs=flat.crs), notes


def _count(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"

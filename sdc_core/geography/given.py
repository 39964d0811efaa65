"""A boundary file that somebody gives: read and drawn by a process of its own, which has only so
much time and memory. The worst file costs whoever gave it one sentence."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
from pyproj import CRS

from sdc_core.data.readers.apart import Unreadable, read_apart
from sdc_core.errors import InputError
from sdc_core.geography.files import BoundaryFile, check_content, plain_name
from sdc_core.geography.shapes import Outline, Shape

SECONDS = 30  # of a processor
_MEMORY = 3_000_000_000
_PROGRAM = Path(__file__).with_name("process.py")


def read_boundary_file(name: str, content: bytes) -> BoundaryFile:
    """The polygons in a GeoJSON, GeoPackage or zipped shapefile."""
    name = plain_name(name)
    check_content(name, content)
    with tempfile.TemporaryDirectory(prefix="boundaries-") as folder:  # gone also if it is killed
        said, stream = _apart(name, ["read", name, folder], content)
    with pa.ipc.open_stream(stream) as opened:
        table = opened.read_all()
    columns = table.drop_columns(["shapes"]).to_pandas()
    columns.columns = said["names"]
    shapes = gpd.GeoSeries.from_wkb(table.column("shapes").to_pylist(),
                                    crs=CRS.from_wkt(said["plane"]))
    return BoundaryFile(name, said["digest"], columns, shapes, tuple(said["notes"]))


def outlines_apart(name: str, pieces: Sequence[Sequence[Shape]], plane: CRS) -> list[Outline]:
    """As `drawing.outlines`, of areas from a file of this name."""
    table = pa.table({"pieces": [[piece.wkb for piece in one] for one in pieces]})
    given = pa.BufferOutputStream()
    with pa.ipc.new_stream(given, table.schema) as stream:
        stream.write_table(table)
    _, answer = _apart(name, ["draw", plane.to_wkt()], given.getvalue().to_pybytes())
    with pa.ipc.open_stream(answer) as opened:
        drawn = opened.read_all()
    return [
        Outline(tuple(zip(map(np.array, one["x"]), map(np.array, one["y"]), strict=True)),
                (one["centre"][0], one["centre"][1]))
        for one in drawn.to_pylist()
    ]


def _apart(name: str, arguments: list[str], content: bytes) -> tuple[dict[str, Any], pa.Buffer]:
    try:
        said, rest = read_apart(
            _PROGRAM, arguments, content, _MEMORY, SECONDS, ["sdc_core.geography"])
    except Unreadable:
        raise InputError(
            f"{name} cannot be drawn: that takes more than {SECONDS} seconds or "
            f"{_MEMORY / 1e9:g} GB, or it is damaged. Simplify the boundaries, or keep only the "
            "areas you need."
        ) from None
    if "problem" in said:
        raise InputError(said["problem"])
    return said, rest

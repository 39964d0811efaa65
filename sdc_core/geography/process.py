"""Reads a boundary file, or draws some of its areas, from standard input to standard output.

A program of its own, run under limits (`data/readers/limited.py`): whatever a file makes the
libraries for shapes do ends this process and no other. Written first is one line of JSON (what is
wrong, if anything is), then a table as an Arrow stream.

    process.py read NAME FOLDER    a boundary file; a database is unpacked into that folder
    process.py draw PLANE          a table of pieces of areas, as `drawing.py` takes them
"""

from __future__ import annotations

import json
import sys
import tempfile
from typing import Any

import pyarrow as pa
import shapely
from pyproj import CRS

from sdc_core.errors import InputError
from sdc_core.geography.codes import as_text
from sdc_core.geography.drawing import outlines
from sdc_core.geography.files import read_here


def read(name: str, folder: str) -> tuple[dict[str, Any], pa.Table]:
    """Columns as text, each by its place, and shapes as bytes."""
    tempfile.tempdir = folder
    found = read_here(name, sys.stdin.buffer.read())
    table: dict[str, Any] = {
        str(place): [as_text(value) for value in found.columns.iloc[:, place]]
        for place in range(found.columns.shape[1])
    }
    table["shapes"] = pa.array(shapely.to_wkb(found.shapes.to_numpy()), pa.binary())
    names = [as_text(name) for name in found.columns]
    said = {"names": names, "notes": found.notes, "digest": found.digest,
            "plane": CRS.from_user_input(found.shapes.crs).to_wkt()}
    return said, pa.table(table)


def draw(plane: str) -> tuple[dict[str, Any], pa.Table]:
    """The outline of each area and where its label stands."""
    with pa.ipc.open_stream(sys.stdin.buffer) as opened:
        pieces = opened.read_all().column("pieces").to_pylist()
    areas = outlines([list(shapely.from_wkb(one)) for one in pieces], CRS.from_wkt(plane))
    return {}, pa.table({
        "x": [[ring[0].tolist() for ring in area.rings] for area in areas],
        "y": [[ring[1].tolist() for ring in area.rings] for area in areas],
        "centre": [list(area.centre) for area in areas],
    })


def main(work: str, *arguments: str) -> None:
    table = None
    try:
        said, table = read(*arguments) if work == "read" else draw(*arguments)
    except InputError as problem:
        said = {"problem": str(problem)}
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")
    if table is not None:
        with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
            stream.write_table(table)


if __name__ == "__main__":
    main(*sys.argv[1:])

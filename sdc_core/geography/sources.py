"""Which boundaries are there for these areas, and which is the best source?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import shapely
from pyproj import CRS

from sdc_core.data.dictionary import PLACES
from sdc_core.errors import InputError
from sdc_core.folders import bundled, fetched
from sdc_core.geography.codes import Match, match_codes
from sdc_core.geography.drawing import outlines
from sdc_core.geography.files import BoundaryFile, read_here
from sdc_core.geography.given import outlines_apart
from sdc_core.geography.shapes import Area, Boundaries, Kind, Ring
from sdc_core.keep import kept_with_first

GEO_DIRECTORY = bundled("data/geo")
OFFICIAL_DIRECTORY = fetched("geo")
SCHEMATIC = "schematic.geojson"
OUTLINE = "us-outline.geojson"
OFFICIAL = "official-{year}.geojson"
FOLDER_FILE = "pumas31.geojson"


class KnownFile(NamedTuple):
    """A boundary file that is on this machine, as it was last changed."""

    kind: Kind
    label: str
    path: Path
    changed: int

    def read(self) -> BoundaryFile:
        return _read_once(self.path, self.changed)


def known_files() -> tuple[KnownFile, ...]:
    """The boundary files that are here now, the best first. Cheap: none of them is opened."""
    found: list[tuple[Kind, str, Path]] = []
    for path in sorted(OFFICIAL_DIRECTORY.glob(OFFICIAL.format(year="*")), reverse=True):
        year = path.stem.rpartition("-")[2]
        found.append(("official", f"US Census Bureau boundaries {year}", path))
    folder = os.environ.get("SDC_DATA_DIR")
    if folder and (Path(folder) / FOLDER_FILE).is_file():
        label = f"boundaries from {FOLDER_FILE} in the data folder"
        found.append(("folder", label, Path(folder) / FOLDER_FILE))
    found.append(("schematic", "schematic boundaries", GEO_DIRECTORY / SCHEMATIC))
    return tuple(KnownFile(*one, one[-1].stat().st_mtime_ns) for one in found)


def boundaries(
    codes: Iterable[str], file: BoundaryFile | None = None,
    known: Sequence[KnownFile] | None = None,
) -> Boundaries:
    """Shapes for the areas with these codes, from the best source that has them.

    The order: the file that the user gives; official boundaries that were fetched; the data
    folder; the schematic map that comes with the project. Of the last three (`known`, which are
    those on this machine) the first that has all areas is taken, else the first that has any.
    """
    wanted = tuple(dict.fromkeys(str(code) for code in codes))
    if not wanted:
        raise InputError("A map needs at least one area, got none. Choose a data set with areas.")
    if file is not None:
        return _drawn(file, "file", f"boundaries from {file.name}", wanted)
    sources = [(one, one.read()) for one in (known_files() if known is None else known)]
    for enough in (len(wanted), 1):
        for one, source in sources:
            if len(match_codes(source.columns, wanted).rows) >= enough:
                return _drawn(source, one.kind, one.label, wanted)
    raise InputError(
        f"There are no boundaries for {wanted[0]!r}"
        f"{f' and {len(wanted) - 1} other areas' if len(wanted) > 1 else ''}. Give a boundary "
        "file with these codes; bars and tiles need none."
    )


def _read(path: Path) -> BoundaryFile:
    return _read_once(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _read_once(path: Path, changed: int) -> BoundaryFile:
    return read_here(path.name, path.read_bytes())


@kept_with_first
def _drawn(source: BoundaryFile, kind: Kind, label: str, wanted: tuple[str, ...]) -> Boundaries:
    """The map of these areas, projected, simplified and turned north up: done once."""
    match = match_codes(source.columns, wanted)
    if not match.rows:
        raise InputError(_no_match(source.name, match, wanted))
    here = [code for code in wanted if code in match.rows]
    missing = tuple(code for code in wanted if code not in match.rows)
    notes = list(source.notes)
    split = sum(len(match.rows[code]) > 1 for code in here)
    if split:
        notes.append(
            f"{split} area{'s are' if split > 1 else ' is'} in several pieces in {source.name}; "
            "they were joined."
        )
    if missing:
        names = [PLACES.get(code, code) for code in missing]
        listed = "; ".join(names[:10]) + (f"; and {len(names) - 10} more" * (len(names) > 10))
        verb = "is" if len(missing) == 1 else "are"
        notes.append(f"{len(missing)} of {len(wanted)} areas {verb} missing: {listed}.")
    pieces = [[source.shapes.iloc[i] for i in match.rows[code]] for code in here]
    plane = CRS.from_user_input(source.shapes.crs)
    drawn = outlines_apart(source.name, pieces, plane) if kind == "file" else (
        outlines(pieces, plane))
    areas = tuple(
        Area(code, PLACES.get(code) or match.names.get(code) or code, *one)
        for code, one in zip(here, drawn, strict=True)
    )
    return Boundaries(kind, label, areas, missing, tuple(notes))


def _no_match(name: str, match: Match, wanted: tuple[str, ...]) -> str:
    if not match.example:
        return (
            f"{name} has shapes but no column with codes; the areas wanted are named like "
            f"{wanted[0]!r}. Add a column with these codes."
        )
    column, value = match.example
    return (
        f"No area of {name} has a code that is wanted: its column {column[:60]!r} holds values "
        f"like {value!r}, wanted are codes like {wanted[0]!r}. Add a column with these codes."
    )


@lru_cache(maxsize=1)
def schematic_places() -> Mapping[str, tuple[float, float]]:
    """Where is the middle of each bundled area on the national plane, in kilometres?"""
    source = _read(GEO_DIRECTORY / SCHEMATIC)
    middles = shapely.centroid(source.shapes.to_numpy())
    return MappingProxyType({
        str(code): (float(p.x), float(p.y))
        for code, p in zip(source.columns["PUMA"], middles, strict=True)
    })


@lru_cache(maxsize=1)
def schematic_outline() -> tuple[Ring, ...]:
    """The outline of the lower 48 states in kilometres."""
    source = _read(GEO_DIRECTORY / OUTLINE)
    parts = shapely.get_parts(source.shapes.to_numpy())
    rings = [np.round(shapely.get_coordinates(p.exterior), 1) for p in parts]
    return tuple((ring[:, 0], ring[:, 1]) for ring in rings)

"""The map: which boundaries are drawn, are they true in size, and what happens to bad files?"""

from __future__ import annotations

import importlib.util
import io
import json
import math
import os
import sqlite3
import sys
import types
import zipfile
from pathlib import Path

import geopandas as gpd
import numpy as np
import plotly.graph_objects as go
import pytest
import shapely
from shapely import Polygon, box

from sdc_core.build import schematic
from sdc_core.cli import main
from sdc_core.data.dictionary import PLACES
from sdc_core.errors import InputError
from sdc_core.geography import (
    Area,
    Boundaries,
    boundaries,
    fetch_official,
    files,
    formats,
    overview,
    panels,
    read_boundary_file,
    sources,
)

DATA_FOLDER = os.environ.get("SDC_DATA_DIR")
MA = [code for code in PLACES if code.startswith("25")]
TX = [code for code in PLACES if code.startswith("48")]
NATIONAL = [code for code in PLACES if code[:2] not in ("25", "48")]
# Six squares of a tenth of a degree in a row, west to east, near Boston.
SIX = {f"25-0000{i}": box(-71.6 + i / 10, 42.3, -71.5 + i / 10, 42.4) for i in range(6)}


@pytest.fixture(autouse=True)
def only_the_bundled_map(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No data folder and no fetched boundaries, whatever this machine has."""
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.setattr(sources, "OFFICIAL_DIRECTORY", tmp_path)
    return tmp_path


def frame(shapes: dict[str, Polygon] = SIX, crs: str | None = "EPSG:4326") -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame({"PUMA": list(shapes)}, geometry=list(shapes.values()), crs=crs)


def geojson(shapes: dict[str, Polygon] = SIX, **more: object) -> bytes:
    features = [
        {"type": "Feature", "properties": {"PUMA": code}, "geometry": shapely.geometry.mapping(s)}
        for code, s in shapes.items()
    ]
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def zipped_shapefile(given: gpd.GeoDataFrame, folder: Path, leave_out: str = "") -> bytes:
    folder.mkdir(exist_ok=True)
    given.to_file(folder / "towns.shp")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.glob("towns.*")):
            if path.suffix != leave_out:
                archive.write(path, f"some folder/{path.name}")
    return packed.getvalue()


def shape_of(area: Area) -> Polygon:
    """The drawn shape, outer rings minus holes, rebuilt from what a figure gets."""
    whole = Polygon()
    for x, y in area.rings:
        whole = whole.symmetric_difference(Polygon(np.column_stack([x, y])))
    return whole


def same_picture(one: Boundaries, other: Boundaries) -> bool:
    pairs = zip(one.areas, other.areas, strict=True)
    return all(
        shape_of(a).symmetric_difference(shape_of(b)).area < 0.002 * shape_of(a).area
        for a, b in pairs
    )


# Which boundaries


def test_without_any_other_source_the_schematic_map_has_every_area_in_the_order_asked() -> None:
    found = boundaries(reversed(PLACES))
    assert (found.kind, found.label) == ("schematic", "schematic boundaries")
    assert [area.code for area in found.areas] == list(reversed(PLACES))
    assert {area.code: area.name for area in found.areas} == PLACES
    assert found.missing == () and found.notes == ()


def test_a_file_beats_official_beats_the_data_folder_beats_the_schematic_map(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    codes = list(SIX)
    own_places = {"25-00503": box(-71.3, 42.4, -71.2, 42.5)}
    assert boundaries(MA[:1]).kind == "schematic"
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SDC_DATA_DIR", str(folder))
    assert boundaries(MA[:1]).kind == "schematic"
    (folder / "pumas31.geojson").write_bytes(geojson(SIX | own_places))
    assert boundaries(MA[:1]).kind == "folder"
    assert "pumas31.geojson" in boundaries(codes).label
    (tmp_path / "official-2019.geojson").write_bytes(geojson(SIX | own_places))
    official = boundaries(codes)
    assert (official.kind, official.label) == ("official", "US Census Bureau boundaries 2019")
    given = boundaries(codes, read_boundary_file("my towns.geojson", geojson()))
    assert (given.kind, given.label) == ("file", "boundaries from my towns.geojson")
    # A better source that lacks areas does not push out one that has them all.
    assert boundaries(PLACES).kind == "schematic"


def test_a_source_is_read_again_when_its_file_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "official-2019.geojson"
    path.write_bytes(geojson())
    before = boundaries(["25-00000"]).areas[0].x
    wider = {"25-00000": box(-71.6, 42.3, -71.3, 42.4)}
    path.write_bytes(geojson(wider))
    after = boundaries(["25-00000"]).areas[0].x
    assert np.ptp(after) > 2.5 * np.ptp(before)


def test_areas_no_source_knows_are_one_clear_sentence() -> None:
    with pytest.raises(InputError, match=r"no boundaries for 'Leeds' and 1 other.*boundary file"):
        boundaries(["Leeds", "York"])
    with pytest.raises(InputError, match="at least one area"):
        boundaries([])


def test_an_area_can_be_asked_for_by_its_code() -> None:
    found = boundaries(MA)
    assert found.area("25-01300").name == PLACES["25-01300"]
    with pytest.raises(InputError, match="schematic boundaries have no area '48-02101'"):
        found.area("48-02101")


# The schematic map


@pytest.mark.parametrize("codes", [MA, TX, NATIONAL, list(PLACES)])
def test_every_schematic_area_is_a_sound_shape_and_none_overlap(codes: list[str]) -> None:
    found = boundaries(codes)
    shapes = [shape_of(area) for area in found.areas]
    for area, shape in zip(found.areas, shapes, strict=True):
        assert shape.is_valid and shape.area > 3, area.code
        assert shape.contains(shapely.Point(area.centre)), area.code
        assert np.isnan(area.x).sum() == len(area.rings) - 1
        assert np.array_equal(np.isnan(area.x), np.isnan(area.y))
    for panel in panels(found):
        members = [shapes[codes.index(code)] for code in panel.codes]
        together = shapely.union_all(members).area
        # Coordinates are rounded to what can be seen, so a border may be off by a hair.
        assert together == pytest.approx(sum(m.area for m in members), rel=1e-3)


def test_neighbours_share_a_border_on_the_schematic_map() -> None:
    found = boundaries(PLACES)
    for one, other in [
        ("25-00503", "25-01300"), ("25-00503", "25-02800"), ("25-01000", "25-02800"),
        ("25-01000", "25-01300"), ("25-00703", "25-01000"), ("48-02101", "48-02102"),
        ("48-02515", "48-02516"), ("30-00600", "38-00100"),
    ]:
        a, b = shape_of(found.area(one)), shape_of(found.area(other))
        touching = a.buffer(0.5).intersection(b)
        assert touching.length > 2, (one, other)


def test_the_plane_keeps_areas() -> None:
    """Ellis and Johnson County are 951.7 and 734.5 square miles, water included (Census Bureau)."""
    found = boundaries(TX)
    assert shape_of(found.area("48-02101")).area == pytest.approx(951.7 * 2.589988, rel=0.01)
    assert shape_of(found.area("48-02102")).area == pytest.approx(734.5 * 2.589988, rel=0.01)


def test_north_is_up_and_lengths_are_kilometres() -> None:
    """A square of a tenth of a degree is 11.1 km tall and 11.1 km · cos(latitude) wide."""
    given = boundaries(SIX, read_boundary_file("six.geojson", geojson()))
    square = given.area("25-00002")
    assert np.ptp(square.y) == pytest.approx(11.12, rel=0.02)
    assert np.ptp(square.x) == pytest.approx(11.12 * math.cos(math.radians(42.35)), rel=0.02)
    across = [given.area(code).centre[0] for code in SIX]
    assert across == sorted(across)
    assert np.ptp([given.area(code).centre[1] for code in SIX]) < 0.5


def test_all_31_areas_are_a_small_figure() -> None:
    found = boundaries(PLACES)
    drawn = go.Figure([go.Scatter(x=a.x, y=a.y, fill="toself") for a in found.areas])
    assert len(drawn.to_json()) < 120_000
    lists = json.dumps([[a.x.tolist(), a.y.tolist()] for a in found.areas])
    assert len(lists) < 120_000


def test_the_bundled_files_are_small() -> None:
    folder = Path(schematic.__file__).resolve().parents[2] / "data" / "geo"
    assert sum((folder / n).stat().st_size for n in (sources.SCHEMATIC, sources.OUTLINE)) < 100_000


@pytest.mark.skipif(
    importlib.util.find_spec("_plotly_geo") is None, reason="plotly-geo is not installed"
)
@pytest.mark.slow
def test_the_script_rebuilds_the_bundled_files() -> None:
    """The same areas in the same order, to a five-hundredth of their ground: which corner a line is
    simplified to hangs on the last digit, and that on the processor."""
    folder = Path(schematic.__file__).resolve().parents[2] / "data" / "geo"
    for name, body in schematic.build().items():
        bundled, rebuilt = (json.loads(text) for text in ((folder / name).read_bytes(), body))
        assert bundled.keys() == rebuilt.keys()
        for old, new in zip(bundled["features"], rebuilt["features"], strict=True):
            assert old["properties"] == new["properties"]
            ground, again = (shapely.geometry.shape(f["geometry"]) for f in (old, new))
            assert ground.symmetric_difference(again).area < 0.002 * ground.area, name


def test_cells_are_the_ground_with_the_smallest_power_distance() -> None:
    sites = np.array([[0.0, 0.0], [10_000.0, 0.0], [3_000.0, 8_000.0]])
    sizes = np.array([20e6, 5e6, 60e6])
    drawn = schematic.cells(sites, sizes)
    grid = np.stack(np.meshgrid(np.linspace(-9e3, 19e3, 41), np.linspace(-9e3, 19e3, 43)), -1)
    for point in grid.reshape(-1, 2):
        power = ((point - sites) ** 2).sum(axis=1) - sizes / math.pi
        assert drawn[int(power.argmin())].distance(shapely.Point(point)) < 1e-6
    assert shapely.union_all(drawn).area == pytest.approx(sum(c.area for c in drawn))


# Panels and overview


def titles_of(codes: list[str]) -> dict[str, set[str]]:
    return {panel.title: set(panel.codes) for panel in panels(boundaries(codes))}


def test_a_state_is_one_panel() -> None:
    assert titles_of(MA) == {"Massachusetts": set(MA)}
    assert titles_of(TX) == {"Texas": set(TX)}


def test_national_areas_near_each_other_share_a_panel_and_others_stand_alone() -> None:
    found = titles_of(NATIONAL)
    assert found["Chicago"] == {"17-03529", "17-03531"}
    assert found["New York"] == {"36-03710", "36-04010"}
    assert found["Maryland and Virginia"] == {"24-01004", "51-01301", "51-51255"}
    assert found["Montana and North Dakota"] == {"30-00600", "38-00100"}
    assert found[PLACES["08-00803"]] == {"08-00803"}
    assert len(found) == 15
    codes = [code for panel in panels(boundaries(NATIONAL)) for code in panel.codes]
    assert sorted(codes) == sorted(NATIONAL)


def test_all_31_areas_are_the_panels_of_their_parts() -> None:
    parts = titles_of(MA) | titles_of(TX) | titles_of(NATIONAL)
    assert titles_of(list(PLACES)) == parts


def test_every_area_can_be_read_in_its_panel() -> None:
    found = boundaries(PLACES)
    for panel in panels(found):
        shapes = [shape_of(found.area(code)) for code in panel.codes]
        left, low, right, high = shapely.total_bounds(shapes)
        for shape in shapes:
            x0, y0, x1, y1 = shape.bounds
            assert max(x1 - x0, y1 - y0) > max(right - left, high - low) / 12


@pytest.mark.parametrize("codes", [MA, TX, NATIONAL, list(PLACES)])
def test_tiles_never_overlap_and_stay_near_their_place(codes: list[str]) -> None:
    seen = overview(codes)
    assert list(seen.tiles) == codes
    places = sources.schematic_places()
    centres = np.array([seen.tiles[code] for code in codes])
    for i, centre in enumerate(centres):
        apart = np.abs(centres[i + 1:] - centre).max(axis=1)
        assert (apart >= seen.side).all()
        away = math.dist(centre, places[codes[i]])
        assert away < 2.5 * seen.side, codes[i]


def test_the_outline_is_the_lower_48_states() -> None:
    """3.12 million square miles of land and inland water; every tile's place lies inside."""
    outline = max((Polygon(np.column_stack(r)) for r in overview(MA).outline), key=lambda p: p.area)
    assert outline.area == pytest.approx(3.12e6 * 2.589988, rel=0.04)
    for code, place in sources.schematic_places().items():
        assert outline.distance(shapely.Point(place)) < 15, code


def test_areas_without_a_place_still_get_a_tile() -> None:
    only_own = overview(["north", "south", "east"])
    assert only_own.outline == ()
    mixed = overview([*MA, "north", "south"])
    for seen in (only_own, mixed):
        centres = np.array(list(seen.tiles.values()))
        gaps = np.abs(centres[:, None] - centres[None]).max(axis=2) + np.eye(len(centres)) * 1e9
        assert gaps.min() >= seen.side


# Files


def test_formats_and_coordinate_systems_all_give_the_same_picture(tmp_path: Path) -> None:
    want = boundaries(SIX, read_boundary_file("six.geojson", geojson()))
    assert want.notes == ()
    for crs in ("EPSG:4326", "EPSG:4269", "EPSG:3857", "EPSG:26986"):
        given = frame().to_crs(crs)
        given.to_file(tmp_path / "six.gpkg")
        package = read_boundary_file("six.gpkg", (tmp_path / "six.gpkg").read_bytes())
        zipped = read_boundary_file("six.zip", zipped_shapefile(given, tmp_path / "shp"))
        code = crs.partition(":")[2]
        coordinates = dict(zip(SIX, given.geometry, strict=True))
        old_style = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:EPSG::{code}"}}
        text = read_boundary_file("six.json", geojson(coordinates, crs=old_style))
        for file in (package, zipped, text):
            found = boundaries(SIX, file)
            assert same_picture(found, want), (crs, file.name)
            projected = crs in ("EPSG:3857", "EPSG:26986")
            assert bool(found.notes) == projected
            if projected:
                assert found.notes[0].startswith("Reprojected from ")


def test_a_shapefile_without_coordinate_system_is_taken_for_degrees_if_it_can_be(
    tmp_path: Path,
) -> None:
    want = boundaries(SIX, read_boundary_file("six.geojson", geojson()))
    bare = zipped_shapefile(frame(), tmp_path / "a", leave_out=".prj")
    assert same_picture(boundaries(SIX, read_boundary_file("six.zip", bare)), want)
    metres = zipped_shapefile(frame().to_crs(3857), tmp_path / "b", leave_out=".prj")
    with pytest.raises(InputError, match="does not say its coordinate system"):
        read_boundary_file("six.zip", metres)


def test_numbers_that_cannot_be_degrees_are_not_taken_for_degrees() -> None:
    metres = dict(zip(SIX, frame().to_crs(3857).geometry, strict=True))
    with pytest.raises(InputError, match="not longitude and latitude"):
        read_boundary_file("six.json", geojson(metres))
    said = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    with pytest.raises(InputError, match="says its numbers are longitude and latitude"):
        read_boundary_file("six.json", geojson(metres, crs=said))


@pytest.mark.parametrize(
    "columns",
    [
        {"PUMA": ["25-00503", "01-01301"]},
        {"PUMACE10": ["00503", "01301"], "STATEFP10": ["25", "01"]},
        {"ST": [25, 1], "PUMA": [503, 1301]},
        {"GEOID10": ["2500503", "0101301"]},
        {"GEOID": [2500503, 101301]},
        {"number": [2500503.0, 101301.0]},
        {"anything": ["x", "y"], "my code": [" 25-00503 ", "01-01301"]},
    ],
)
def test_codes_are_found_in_any_sensible_column(columns: dict[str, list[object]]) -> None:
    squares = list(SIX.values())[:2]
    features = [
        {"type": "Feature", "properties": {k: v[i] for k, v in columns.items()},
         "geometry": shapely.geometry.mapping(squares[i])}
        for i in range(2)
    ]
    body = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    found = boundaries(["01-01301", "25-00503"], read_boundary_file("a.json", body))
    assert [area.code for area in found.areas] == ["01-01301", "25-00503"]
    assert found.area("01-01301").centre[0] > found.area("25-00503").centre[0]
    assert found.area("25-00503").name == PLACES["25-00503"]


def test_codes_that_differ_only_in_spelling_are_kept_apart() -> None:
    two = {"A-1": SIX["25-00000"], "A1": SIX["25-00001"]}
    found = boundaries(["A1", "A-1"], read_boundary_file("a.json", geojson(two)))
    assert found.area("A-1").centre[0] < found.area("A1").centre[0]
    only = read_boundary_file("a.json", geojson({"a 1": SIX["25-00000"]}))
    with pytest.raises(InputError, match="No area"):
        boundaries(["A1", "A-1"], only)


def test_own_areas_take_their_name_from_the_file() -> None:
    feature = {"type": "Feature", "properties": {"code": "E1", "NAME": "Leeds"},
               "geometry": shapely.geometry.mapping(box(-1.6, 53.7, -1.4, 53.9))}
    body = json.dumps({"type": "FeatureCollection", "features": [feature]}).encode()
    found = boundaries(["E1"], read_boundary_file("uk.json", body))
    leeds = found.area("E1")
    assert leeds.name == "Leeds"
    # Outside the United States the plane is centred on the file: 0.2° is 22.2 km north–south.
    assert np.ptp(leeds.y) == pytest.approx(22.26, rel=0.01)
    assert np.ptp(leeds.x) == pytest.approx(22.26 * math.cos(math.radians(53.8)), rel=0.01)


def test_half_of_the_areas_missing_draws_the_others_and_lists_the_rest() -> None:
    half = {code: SIX[code] for code in list(SIX)[:3]}
    found = boundaries(SIX, read_boundary_file("half.json", geojson(half)))
    assert [area.code for area in found.areas] == list(half)
    assert found.missing == ("25-00003", "25-00004", "25-00005")
    assert "3 of 6 areas are missing: 25-00003; 25-00004; 25-00005." in found.notes
    named = read_boundary_file("one.json", geojson({"25-00503": SIX["25-00000"]}))
    assert boundaries(MA[:2], named).notes == (
        "1 of 2 areas is missing: Salem–Beverly–Gloucester.",
    )


def test_a_figure_eight_is_repaired_to_its_two_loops() -> None:
    eight = Polygon([(-71, 42), (-70.8, 42.2), (-70.8, 42), (-71, 42.2)])
    found = boundaries(["8"], read_boundary_file("eight.json", geojson({"8": eight})))
    assert found.notes == ("1 polygon of eight.json crossed itself and was repaired.",)
    shape = shape_of(found.area("8"))
    assert shape.is_valid
    # Two triangles of base 0.2° and height 0.1° each: half of the box.
    whole = boundaries(["b"], read_boundary_file(
        "b.json", geojson({"b": box(-71, 42, -70.8, 42.2)})
    ))
    assert shape.area == pytest.approx(shape_of(whole.area("b")).area / 2, rel=0.01)


def test_pieces_of_one_area_are_joined_and_holes_stay_open() -> None:
    west, east = box(-71.2, 42, -71.1, 42.1), box(-71.1, 42, -71, 42.1)
    features = [
        {"type": "Feature", "properties": {"c": "a"}, "geometry": shapely.geometry.mapping(s)}
        for s in (west, east)
    ]
    # The hole runs the same way round as the shell, as careless files have it.
    shell, hole_given = box(-72, 42, -71.5, 42.5), box(-71.8, 42.2, -71.7, 42.3)
    ring = Polygon(shell.exterior.coords, [hole_given.exterior.coords])
    features.append({"type": "Feature", "properties": {"c": "ring"},
                     "geometry": shapely.geometry.mapping(ring)})
    body = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    found = boundaries(["a", "ring"], read_boundary_file("a.json", body))
    assert len(found.area("a").rings) == 1
    assert any("several pieces" in note for note in found.notes)
    outer, hole = found.area("ring").rings

    def turns(r: tuple[np.ndarray, np.ndarray]) -> bool:
        return shapely.LinearRing(np.column_stack(r)).is_ccw

    assert turns(outer) != turns(hole)


def test_simplified_neighbours_still_touch() -> None:
    """A wavy border of 2,000 points becomes simpler, and the same for both sides: one area lies
    left of it, three lie right, so that simplifying each alone would leave gaps and overlaps."""
    t = np.linspace(0, 1, 2001)
    border = np.column_stack([-71 + 0.02 * np.sin(90 * t) + 0.01 * np.sin(333 * t), 42 + t])
    shapes = {"left": Polygon([*border, (-71.5, 43), (-71.5, 42)])}
    for name, a, b in (("low", 0, 700), ("middle", 700, 1300), ("high", 1300, 2000)):
        corners = [(-70.5, border[b, 1]), (-70.5, border[a, 1])]
        shapes[name] = Polygon([*border[a:b + 1], *corners])
    found = boundaries(shapes, read_boundary_file("wavy.json", geojson(shapes)))
    assert sum(len(area.x) for area in found.areas) < 400
    drawn = [shape_of(area) for area in found.areas]
    together = shapely.union_all(drawn)
    assert sum(s.area for s in drawn) - together.area < 1e-5 * together.area
    assert sum(Polygon(h).area for h in together.interiors) < 1e-5 * together.area


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.geojson", b"", "a.geojson is empty"),
        ("a.geojson", b"  \n ", "a.geojson is empty"),
        ("a.csv", b"PUMA,x\n1,2\n", "not a geographic file"),
        ("a.vrt", b"<OGRVRTDataSource><SrcDataSource>/etc/passwd", "not a geographic file"),
        ("a.png", b"\x89PNG\r\n", "not a geographic file"),
        ("a.json", b"{\"type\": \"FeatureColl", "cut off"),
        ("a.json", b"{\"a\":" * 100_000, "cut off"),
        ("a.json", b"{\"rows\": []}", "no list of features"),
        ("a.json", b"{\"type\": \"FeatureCollection\", \"features\": []}", "no areas at all"),
        ("a.json", b"{\"type\": \"FeatureCollection\", \"features\": [3]}", "cannot be understood"),
        ("a.shp", b"\x00\x00\x27\x0a rest", "one part of a shapefile"),
        ("a.zip", b"PK\x03\x04 not really", "cannot be unpacked"),
        ("a.gpkg", b"SQLite format 3\x00 not really", "cannot be read"),
    ],
)
def test_what_is_not_a_boundary_file_is_one_sentence(
    name: str, content: bytes, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        read_boundary_file(name, content)
    assert "\n" not in str(caught.value)


def test_points_instead_of_polygons_are_named() -> None:
    points = {"25-00503": shapely.Point(-71, 42), "25-00703": shapely.Point(-71, 43)}
    with pytest.raises(InputError, match="no areas, only Point: areas must be polygons"):
        read_boundary_file("towns.json", geojson(points))
    mixed = read_boundary_file("mixed.json", geojson(points | SIX))
    assert mixed.notes == ("2 rows of mixed.json without a polygon left out.",)


def test_coordinates_that_make_no_sense_are_one_sentence() -> None:
    flat = {"a": Polygon([(-71, 42), (-71, 42.1), (-71, 42.2)])}
    with pytest.raises(InputError, match="no polygon covers any ground"):
        read_boundary_file("flat.json", geojson(flat))
    broken = geojson({"a": SIX["25-00000"]}).replace(b"-71.5", b"Infinity")
    with pytest.raises(InputError, match="not numbers"):
        read_boundary_file("far.json", broken)
    with pytest.raises(InputError, match="cannot be understood"):
        read_boundary_file("nan.json", broken.replace(b"Infinity", b"NaN"))
    unknown = {"type": "name", "properties": {"name": "+init=/etc/passwd:x"}}
    with pytest.raises(InputError, match="coordinate system, cannot be understood"):
        read_boundary_file("crs.json", geojson(crs=unknown))


def test_no_matching_code_shows_what_the_file_has_and_what_is_wanted() -> None:
    other = read_boundary_file("towns.json", geojson({"Lowell": SIX["25-00000"]}))
    with pytest.raises(InputError, match=r"'PUMA' holds values like 'Lowell'.*like '25-00503'"):
        boundaries(MA, other)
    bare = {"type": "Feature", "properties": None,
            "geometry": shapely.geometry.mapping(SIX["25-00000"])}
    body = json.dumps({"type": "FeatureCollection", "features": [bare]}).encode()
    with pytest.raises(InputError, match="shapes but no column with codes"):
        boundaries(MA, read_boundary_file("bare.json", body))


def test_limits_are_kept_before_memory_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 500)
    with pytest.raises(InputError, match="the limit is"):
        files.read_here("big.json", geojson())
    monkeypatch.undo()
    monkeypatch.setattr(files, "MAX_POINTS", 20)
    with pytest.raises(InputError, match="30 points; the limit is 20"):
        files.read_here("big.json", geojson())
    monkeypatch.undo()
    monkeypatch.setattr(formats, "MAX_SHAPES", 5)
    with pytest.raises(InputError, match="6 areas with 1 columns; the limit is 5"):
        files.read_here("big.json", geojson())


def test_a_zip_bomb_is_refused_and_nothing_outside_the_archive_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MAX_UNPACKED_BYTES", 1_000_000)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.shp", bytes(2_000_000))
    assert len(bomb.getvalue()) < 5_000
    with pytest.raises(InputError, match="unpacks to 2 MB"):
        files.read_here("bomb.zip", bomb.getvalue())
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for i in range(formats.MAX_MEMBERS + 1):
            archive.writestr(f"{i}.txt", b"")
    with pytest.raises(InputError, match="201 files"):
        files.read_here("many.zip", many.getvalue())


def test_names_in_an_archive_decide_nothing(tmp_path: Path) -> None:
    good = zipfile.ZipFile(io.BytesIO(zipped_shapefile(frame(), tmp_path / "good")))
    climbing = io.BytesIO()
    target = tmp_path / "escaped"
    with zipfile.ZipFile(climbing, "w") as archive:
        for member in good.namelist():
            archive.writestr(f"../../../..{target}{member[-4:]}", good.read(member))
    file = read_boundary_file("../../etc/<b>towns</b>.zip", climbing.getvalue())
    assert file.name == "b.zip"
    assert len(boundaries(SIX, file).areas) == 6
    assert not list(tmp_path.glob("escaped*"))


def test_archives_without_exactly_one_whole_shapefile(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match="holds no shapefile"):
        read_boundary_file("a.zip", packed.getvalue())
    without = zipped_shapefile(frame(), tmp_path / "x", leave_out=".dbf")
    with pytest.raises(InputError, match=r"\.dbf part is missing"):
        read_boundary_file("a.zip", without)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.shp", b"1")
        archive.writestr("b.shp", b"2")
    with pytest.raises(InputError, match="holds 2 shapefiles"):
        read_boundary_file("a.zip", packed.getvalue())


def test_a_geopackage_whose_layer_is_computed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "six.gpkg"
    frame().to_file(path, layer="six")
    database = sqlite3.connect(path)
    database.execute("alter table six rename to hidden")
    database.execute(
        "create view six as with recursive r(n) as (select 1 union all select n from r) "
        "select n as fid, null as geom from r"
    )
    database.commit()
    database.close()
    with pytest.raises(InputError, match=r"no stored table|cannot be read"):
        read_boundary_file("six.gpkg", path.read_bytes())


def test_a_database_that_is_no_map_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    database = sqlite3.connect(path)
    database.execute("create table t (a)")
    database.commit()
    database.close()
    with pytest.raises(InputError, match="cannot be read"):
        read_boundary_file("x.gpkg", path.read_bytes())


# Official boundaries


def fake_pygris(monkeypatch: pytest.MonkeyPatch, codes: list[str], problem: str = "") -> None:
    """A stand-in with the one function that is used, answering in the Census Bureau's columns."""

    def pumas(state: str, cb: bool, year: int) -> gpd.GeoDataFrame:
        assert cb and year == 2019
        if problem:
            raise OSError(problem)
        mine = [code for code in codes if code.startswith(state)]
        return gpd.GeoDataFrame(
            {"STATEFP10": [state] * len(mine), "PUMACE10": [code[3:] for code in mine],
             "NAME10": ["a long name"] * len(mine)},
            geometry=[box(-80, 40, -79, 41)] * len(mine), crs="EPSG:4269",
        )

    module = types.ModuleType("pygris")
    module.pumas = pumas  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pygris", module)


def test_fetched_boundaries_are_drawn_from_then_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_pygris(monkeypatch, [*PLACES, "25-99999"])
    said: list[str] = []
    path = fetch_official(said.append, tmp_path)
    assert path == tmp_path / "official-2019.geojson"
    assert len(said) == len({code[:2] for code in PLACES}) + 1
    found = boundaries(PLACES)
    assert found.kind == "official" and found.missing == ()
    assert {area.code: area.name for area in found.areas} == PLACES
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []


def test_fetching_fails_in_one_line_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygris", None)
    assert main(["boundaries", "fetch"]) == 2
    said = capsys.readouterr().err
    assert "pip install pygris" in said and said.count("\n") == 1
    fake_pygris(monkeypatch, list(PLACES), problem="Name or service\nnot known")
    assert main(["boundaries", "fetch"]) == 2
    said = capsys.readouterr().err
    assert "Could not download" in said and "not known" in said and said.count("\n") == 1
    fake_pygris(monkeypatch, MA)
    with pytest.raises(InputError, match="lack 26 of 31 areas"):
        fetch_official(lambda line: None, tmp_path)
    assert not list(tmp_path.glob("official*"))


def test_the_command_line_says_which_map_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boundaries", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["source"] == "schematic" and len(answer["areas"]) == 31


# The real boundaries, where they are


def test_the_real_boundaries_are_drawn_small_and_sound_and_in_the_same_panels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if DATA_FOLDER is None:
        pytest.skip("SDC_DATA_DIR is not set, so the real boundaries cannot be found.")
    schematic = boundaries(PLACES)
    monkeypatch.setenv("SDC_DATA_DIR", DATA_FOLDER)
    found = boundaries(PLACES)
    assert found.kind == "folder" and found.missing == ()
    assert panels(found) == panels(schematic)
    drawn = go.Figure([go.Scatter(x=a.x, y=a.y, fill="toself") for a in found.areas])
    assert len(drawn.to_json()) < 120_000
    for area in found.areas:
        shape = shape_of(area)
        assert shape.is_valid and shape.contains(shapely.Point(area.centre))
        # The schematic map is good enough to brief with: right place, about the right size.
        sketch = shape_of(schematic.area(area.code))
        assert math.dist(area.centre, schematic.area(area.code).centre) < math.sqrt(shape.area)
        assert 0.6 < sketch.area / shape.area < 1.6

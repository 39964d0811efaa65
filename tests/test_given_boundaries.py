"""Boundary files that were made to do harm cost whoever gives them one sentence: they are read and
drawn by a process of its own, which has only so much time and memory and is stopped when its
visitor leaves."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from pyproj import CRS

from sdc_core.data.readers import apart
from sdc_core.errors import InputError
from sdc_core.geography import boundaries, given, read_boundary_file
from sdc_core.geography.drawing import outlines
from sdc_core.geography.files import read_here
from sdc_core.questions.map import compute
from sdc_core.questions.work import Work
from tests.hostile import boundary_files as made
from tests.page_driver import opened
from tests.test_own_data import one_sentence

CODE = made.CODE


def refusal(content: bytes, codes: list[str] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        boundaries(codes or [CODE], read_boundary_file("mine.dat", content))
    text = one_sentence(caught.value)
    assert "mine.dat" in text and len(text) < 400
    return text


def at_work() -> list[int]:
    """The processes that read a file just now: copies of the one that has the libraries loaded."""
    server = apart._server._process
    if server is None:
        return []
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != server.pid:
            try:
                stat = (entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[1]) == server.pid and stat[0] != "Z":
                found.append(int(entry.name))
    return found


def nobody_is_left(seconds: float = 5) -> bool:
    last = time.monotonic() + seconds
    while at_work() and time.monotonic() < last:
        time.sleep(0.05)
    return not at_work()


@pytest.mark.parametrize(
    "table", ["gpkg_contents", "gpkg_spatial_ref_sys", "gpkg_geometry_columns"])
def test_a_view_in_place_of_a_geopackages_own_tables_is_not_asked(table: str) -> None:
    """It would never end."""
    begun = time.process_time()
    assert "no stored table" in refusal(made.geopackage_with_endless(table))
    assert time.process_time() - begun < 5


def test_a_ring_that_crosses_itself_twenty_thousand_times_is_repaired() -> None:
    content = made.star(201)
    assert len(content) < 5_000
    file = read_boundary_file("mine.json", content)
    assert file.shapes.area.sum() == pytest.approx(made.ground(made.star_outline(201)), rel=0.01)
    assert file.notes == ("1 polygon of mine.json crossed itself and was repaired.",)


def test_a_ring_that_crosses_itself_two_million_times_ends_after_its_time(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "SECONDS", 2)
    content = made.star(2_001)
    assert len(content) < 50_000
    begun = time.monotonic()
    assert "takes more than 2 seconds" in refusal(content)
    assert time.monotonic() - begun < 10
    assert nobody_is_left()


def test_a_long_zigzag_crashes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "SECONDS", 4)
    assert "cannot be drawn" in refusal(made.zigzag(600_000))


def test_coordinates_of_400_digits_are_one_sentence() -> None:
    assert "coordinates of an area" in refusal(made.digits(400))


@pytest.mark.parametrize("scale", [1, 1_000_000])
def test_a_coordinate_system_without_a_surface_is_one_sentence(scale: int) -> None:
    """EPSG:4978 counts metres from the middle of the earth."""
    assert "no map of the earth's surface" in refusal(made.in_system(4978, scale))


GREEDY = {
    "memory": "x = bytearray(3_000_000_000); print('{}')",
    "time": "while True: pass",
    "crash": "import os; os.kill(os.getpid(), 11)",
    "nonsense": "print('[1')",
}


@pytest.mark.parametrize("what", list(GREEDY))
def test_whatever_becomes_of_the_process_is_one_sentence(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "process.py"
    program.write_text(GREEDY[what], encoding="utf-8")
    monkeypatch.setattr(given, "_PROGRAM", program)
    monkeypatch.setattr(given, "_MEMORY", 1_000_000_000)
    monkeypatch.setattr(given, "SECONDS", 1)
    assert "takes more than 1 seconds or 1 GB" in refusal(made.square())
    assert nobody_is_left()


def test_without_a_fork_each_file_has_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "_started", apart._OfItsOwn)
    found = boundaries([CODE], read_boundary_file("mine.json", made.square()))
    assert [area.code for area in found.areas] == [CODE]
    monkeypatch.setattr(given, "SECONDS", 2)
    assert "takes more than 2 seconds" in refusal(made.star(2_001))


def test_a_server_that_has_ended_is_started_again() -> None:
    assert len(boundaries([CODE], read_boundary_file("mine.json", made.square())).areas) == 1
    before = apart._server._process
    assert before is not None
    os.kill(before.pid, 9)
    before.wait()
    assert len(boundaries([CODE], read_boundary_file("mine.json", made.square())).areas) == 1
    assert apart._server._process is not before


class Left(Exception):
    pass


def test_work_that_nobody_waits_for_is_stopped() -> None:
    asked = threading.Event()

    def nobody() -> None:
        if at_work():
            asked.set()
            raise Left

    token = apart.still_wanted.set(nobody)
    try:
        with pytest.raises(Left):
            read_boundary_file("mine.json", made.star(2_001))
    finally:
        apart.still_wanted.reset(token)
    assert asked.is_set() and nobody_is_left()


def test_a_visitor_who_leaves_the_map_leaves_no_process_behind() -> None:
    """Streamlit ends the run of a visit that is over; what runs for it ends, too."""
    app = opened({"data": "ma2019-twin"}, "../pages/map.py")
    read_boundary_file("mine.json", made.square())  # the libraries are loaded by now
    upload = app.file_uploader(key="upload.map_boundaries")
    with pytest.raises(RuntimeError, match="timed out"):
        upload.set_value(("mine.json", made.star(2_001), "application/json")).run(timeout=3)
    assert nobody_is_left()


def test_a_refusal_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page runs again with every move of a slider; what took long to find is kept."""
    work, file = Work(), read_boundary_file("mine.json", made.square())
    asked: list[object] = []
    monkeypatch.setattr("sdc_core.geography.sources.outlines_apart",
                        lambda name, *_: asked.append(name) or given._apart(name, ["draw"], b""))
    for _ in range(2):
        with pytest.raises(InputError, match=r"mine\.json cannot be drawn"):
            compute.shapes_of(work, [CODE], file)
    assert asked == ["mine.json"]


def test_nothing_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database is unpacked into a folder, which is removed by whoever asked, even where the
    process that reads was killed."""
    program = tmp_path / "process.py"
    program.write_text("import sys, pathlib\npathlib.Path(sys.argv[3], 'x').write_text('x')\n"
                       "pathlib.Path(sys.argv[3]).with_name('seen').write_text('x')\n"
                       "while True: pass", encoding="utf-8")
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(unpacked))
    monkeypatch.setattr(given, "_PROGRAM", program)
    monkeypatch.setattr(given, "SECONDS", 1)
    assert "cannot be drawn" in refusal(made.square())
    assert [path.name for path in unpacked.iterdir()] == ["seen"]


def test_what_is_drawn_apart_is_what_is_drawn_here() -> None:
    """The same numbers come back through the other process."""
    here = read_here("mine.json", made.square())
    [outline] = outlines([[here.shapes.iloc[0]]], CRS.from_user_input(here.shapes.crs))
    [area] = boundaries([CODE], read_boundary_file("mine.json", made.square())).areas
    assert [ring.tolist() for pair in outline.rings for ring in pair] == [
        ring.tolist() for pair in area.rings for ring in pair]
    assert outline.centre == area.centre

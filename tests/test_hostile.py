"""Every hostile file and path, through Python, the command and the page: refused in one sentence,
or read right. None crashes, takes long, takes much memory, or is wrong in silence.

The files are made by `tests/hostile`, which also says what is right. There are no exceptions.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shapely import Polygon

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.data.catalogue import own_dataset
from sdc_core.geography import boundaries, given, read_boundary_file
from sdc_core.geography.shapes import Area
from sdc_core.questions import question
from sdc_core.questions.map import boundary_file
from tests.hostile import Case, boundary_files, data_files, paths
from tests.page_driver import TWIN, opened

SECONDS = 10  # that any of them may take
LONGEST = 1_003  # letters of a sentence: what it repeats is cut
MOST_MEMORY = 1_000_000  # kilobytes that this process may grow by, for all of them together
OF_BOUNDARIES = 2  # seconds of a processor, instead of 30, that a boundary file may take here


class TooLong(BaseException):
    pass


@contextmanager
def in_time() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooLong(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True, scope="module")
def no_more_memory_than_said() -> Iterator[None]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "SECONDS", OF_BOUNDARIES)
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)


def outcome(read: Callable[[], Any]) -> Any:
    """What was read, or the sentence why not."""
    with in_time():
        try:
            return read()
        except sdc.InputError as problem:
            sentence = str(problem)
    assert sentence.strip() and "\n" not in sentence and len(sentence) <= LONGEST, sentence
    assert "Traceback" not in sentence
    return sentence


def is_right(case: Case | paths.PathCase, found: Any, same: Callable[[Any], bool]) -> bool:
    if isinstance(found, str):
        return case.right is None or case.may_refuse
    return case.right is not None and same(found)


def told(case: Case | paths.PathCase, found: Any) -> str:
    return f"{case.id}: {str(found)[:300]} instead of {str(case.right)[:300]}"


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints; it ends well, or with one line on the error stream."""
    with in_time():
        try:
            code = main(list(arguments))
        except SystemExit as ended:  # what is no value of an option
            code = ended.code
    out, error = capsys.readouterr()
    assert code in (0, 2), arguments
    assert (code == 2) == (error.count("\n") == 1) and "Traceback" not in error, error
    assert len(error) <= LONGEST + 50
    return "" if code else out


# ----------------------------------------------------------------------------------------- corpus


def test_the_corpus_is_as_large_as_is_said() -> None:
    ids = [case.id for case in (*data_files.CASES, *boundary_files.CASES, *paths.CASES)]
    assert len(set(ids)) == len(ids)
    assert len(data_files.CASES) >= 190 and len(boundary_files.CASES) >= 190
    assert len(paths.CASES) >= 90


def values_of(data: sdc.Dataset) -> dict[str, list[str | None]]:
    found = {}
    for name in data.raw.names:
        texts, codes = data.raw.distinct(name)
        listed = [*texts.to_pylist(), None]
        found[name] = [listed[code] for code in codes]
    return found


@pytest.mark.parametrize("case", data_files.CASES, ids=lambda case: case.id)
def test_a_data_file_is_right_or_refused(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / case.name
    path.write_bytes(case.make())
    found = outcome(lambda: values_of(sdc.load_dataset(str(path))))
    assert is_right(case, found, lambda values: values == case.right), told(case, found)
    uploaded = outcome(lambda: values_of(own_dataset(path.read_bytes(), case.name)))
    assert uploaded == found  # on a page
    assert bool(command(capsys, "schema", "--dataset", str(path))) == isinstance(found, dict)


def ground(area: Area) -> float:
    """Square kilometres of what is drawn: outer rings minus holes."""
    whole = Polygon()
    for x, y in area.rings:
        whole = whole.symmetric_difference(Polygon(np.column_stack([x, y])))
    return float(whole.area)


@pytest.mark.parametrize("case", boundary_files.CASES, ids=lambda case: case.id)
def test_a_boundary_file_is_right_or_refused(case: Case) -> None:
    content = case.make()

    def drawn() -> float:
        file = read_boundary_file(case.name, content)
        return ground(boundaries([boundary_files.CODE], file).areas[0])

    found = outcome(drawn)
    assert is_right(case, found, lambda area: area == pytest.approx(case.right, rel=0.05)), told(
        case, found)


def counted(source: str) -> dict[str, int]:
    """How often each sex is in it, wherever the records are."""
    table = sdc.load_dataset(source).histogram(["sex"], "observed")
    return {str(label): int(n) for label, n in zip(
        table.domain.features[0].values, table.counts, strict=True)}


@pytest.mark.parametrize("case", paths.CASES, ids=lambda case: case.id[:40])
def test_a_path_is_right_or_refused(
    case: paths.PathCase, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = case.make(tmp_path)
    found = outcome(lambda: counted(path))
    assert is_right(case, found, lambda counts: counts == case.right), told(case, found)
    printed = command(capsys, "schema", "--dataset", path)
    assert bool(printed) == isinstance(found, dict)
    # no map is at any of them, and a page shows only the name of what is given to it
    refused = outcome(lambda: boundary_file(None).validate(path))  # type: ignore[arg-type]
    assert refused is None or isinstance(refused, str)
    assert isinstance(outcome(lambda: own_dataset(b"", path)), str)


# --------------------------------------------------------------------------- a page, and a command

SOME = ("text: UTF-16", "text: too many values", "text: zeros", "text: values: Markdown",
        "parquet: cut off", "parquet: days", "excel: entities in entities", "sav: half of it")
SOME_MAPS = ("geojson: a hole", "geojson: 400 digits", "geopackage: endless gpkg_contents",
             "geopackage: plain", "shapefile: names that climb",
             "shapefile: 2 thousand million points", "geojson: a star")


def test_files_on_a_page() -> None:
    """One visitor drops one after the other: a table or a sentence, and the page stands."""
    app = opened(TWIN, "../pages/your_data.py")
    for case in (case for case in data_files.CASES if case.id in SOME):
        app.file_uploader(key="upload").set_value((case.name, case.make(), "text/csv")).run()
        assert not app.exception, case.id
        assert bool(app.error) == (case.right is None), case.id
        assert all("\n" not in error.value for error in app.error)


def test_boundary_files_on_the_page() -> None:
    app = opened(TWIN, "../pages/map.py")
    for case in (case for case in boundary_files.CASES if case.id in SOME_MAPS):
        upload = app.file_uploader(key="upload.map_boundaries")
        upload.set_value((case.name, case.make(), "application/json")).run()
        assert not app.exception, case.id
        assert bool(app.error) == (case.right is None), case.id


def test_boundary_files_of_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert question("map").title == "Map"
    for case in (case for case in boundary_files.CASES if case.id in SOME_MAPS[:4]):
        path = tmp_path / os.path.basename(case.name)
        path.write_bytes(case.make())
        printed = command(capsys, "ask", "map", "--dataset", "ma2019-twin",
                          "--map_boundaries", str(path))
        assert bool(printed) == (case.right is not None), case.id

"""Files that are not what they are called: none is taken for real in silence, none takes a page
down, and none is left half-written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sdc_core as sdc
from sdc_core.data import CATALOGUE, catalogue, entry
from sdc_core.questions import QUESTIONS
from sdc_core.whole_file import write_whole
from tests.page_driver import answer, opened

ROOT = Path(__file__).resolve().parents[1]
TWINS = ROOT / "data" / "twins"
EXCERPT = (TWINS / "ma2019-twin.csv").read_bytes()  # of the right form, and not the real one


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only folder in which real files are looked for."""
    found = tmp_path / "real"
    found.mkdir()
    monkeypatch.setenv("SDC_DATA_DIR", str(found))
    monkeypatch.setattr(catalogue, "NIST_DIRECTORY", tmp_path / "none")
    catalogue._is_there.cache_clear()
    return found


def cut(body: bytes) -> bytes:
    return b"".join(body.splitlines(keepends=True)[:6_001])


WRONG: dict[str, tuple[bytes, str]] = {
    "cut off after a line": (cut(EXCERPT), "6,000 rows instead of 7,634"),
    "cut off within a line": (EXCERPT[:100_000], "rows instead of 7,634"),
    "empty": (b"", "0 rows instead of 7,634"),
    "of another year": (EXCERPT, "checksum"),
    "of zeros": (bytes(100), "0 rows"),
}


@pytest.mark.parametrize("kind", list(WRONG))
def test_what_is_not_the_real_file_is_not_taken_for_it(kind: str, folder: Path) -> None:
    body, why = WRONG[kind]
    (folder / "ma2019.csv").write_bytes(body)
    for name in ("tx2019", "national2019"):
        (folder / f"{name}.csv").write_bytes(b"")
    for dataset in ("ma2019", "all2019"):
        with pytest.raises(sdc.InputError, match=why) as refused:
            sdc.load_dataset(dataset)
        said = str(refused.value)
        assert "ma2019.csv is not Massachusetts 2019" in said and "\n" not in said
        assert "datasets fetch" in said and "ma2019-twin" in said
    assert len(sdc.load_dataset("ma2019-twin")) == 7634  # other data are there all the same


@pytest.mark.parametrize("dataset", ["svcensus", "pef", "bodyfat", "pima"])
def test_a_file_that_anybody_may_have_written_is_known_by_its_rows(
    dataset: str, folder: Path
) -> None:
    """R writes such a file in more than one way, so that no checksum is known."""
    known = entry(dataset)
    assert known.described is not None
    header = ",".join(c.name for c in known.described.columns if c.name != "bmi")
    row = ",".join("1" for _ in header.split(","))
    (folder / known.file).write_text(f"{header}\n{row}\n{row}\n")
    with pytest.raises(sdc.InputError, match=f"2 rows instead of {known.rows:,}"):
        sdc.load_dataset(dataset)


def test_a_twin_that_was_changed_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(TWINS, tmp_path / "twins")
    monkeypatch.setattr(catalogue, "TWIN_DIRECTORY", tmp_path / "twins")
    for known in CATALOGUE:
        if known.origin == "twin" and known.file:
            path = tmp_path / "twins" / known.file
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
            assert len(sdc.load_dataset(known.id)) == known.rows  # as a checkout on Windows is
            path.write_bytes(cut(path.read_bytes())[:-500])
            with pytest.raises(sdc.InputError, match="not as it comes with the program"):
                sdc.load_dataset(known.id)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.address)
def test_a_bad_file_costs_its_readers_one_sentence_on_every_page(
    question: object, folder: Path
) -> None:
    """And no other data set."""
    for known in CATALOGUE:
        if known.origin == "real" and known.file:
            (folder / known.file).write_bytes(bytes(range(256)))
    page = f"../pages/{question.address}.py"  # type: ignore[attr-defined]
    uses_data = "data" in question.uses  # type: ignore[attr-defined]
    app = opened({"data": "ma2019"}, page)
    wrong = [e.value.replace("\\", "") for e in app.error]
    if not uses_data:
        assert not any("ma2019.csv" in one for one in wrong) and answer(app)
        return
    assert len(wrong) == 1 and wrong[0].startswith("ma2019.csv is not Massachusetts 2019")
    app.selectbox(key="url.data").set_value("ma2019-twin").run()
    assert not app.exception and not any("ma2019.csv" in e.value for e in app.error)
    assert answer(app)


@pytest.mark.parametrize("place", ["brief", "teach"])
def test_brief_and_lessons_say_what_is_wrong_with_a_file(place: str, folder: Path) -> None:
    (folder / "ma2019.csv").write_bytes(b"\0")
    app = opened({"lesson": "who-pays", "step": "1"} if place == "teach" else None,
                 f"../pages/{place}.py")
    assert [e for e in app.error if "Massachusetts 2019" in e.value]


def test_a_file_that_goes_or_comes_back_while_the_app_runs(folder: Path) -> None:
    """Read again when it has changed, also if the new one is older; gone, a sentence."""
    (folder / "ma2019.csv").write_bytes(EXCERPT)
    app = opened({"data": "ma2019"}, "../pages/compare.py")
    assert "checksum" in app.error[0].value
    (folder / "ma2019.csv").unlink()
    app.run()  # within the second in which it is still taken to be there, or after it
    assert not app.exception
    assert app.error or "twin" in app.selectbox(key="url.data").value


def test_a_file_that_may_not_be_read_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the superuser, who may read everything, runs the tests."""
    def refuse(path: Path, *_: object) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    for name in ("ma2019.csv", "own.csv"):
        (folder / name).write_bytes(EXCERPT)
    monkeypatch.setattr(Path, "open", refuse)
    for source in ("ma2019", folder / "own.csv"):
        with pytest.raises(sdc.InputError, match="cannot be read: Permission denied"):
            sdc.load_dataset(source)


# ---- writing ------------------------------------------------------------------------------------

KILLED = """
import os, sys, time
from sdc_core import whole_file
real = os.replace
def waiting(*args):
    print("written", flush=True)
    time.sleep(60)
whole_file.os.replace = waiting
whole_file.write_whole(sys.argv[1], b"new" * 1000)
"""


def test_a_program_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", KILLED, str(target)], cwd=ROOT,
                          stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"written\n"
        program.send_signal(signal.SIGKILL)
    assert target.read_bytes() == b"old"


FULL = """
import resource, sys
from sdc_core.whole_file import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], b"new" * 1000)
except OSError as problem:
    print("refused")
"""


def test_a_full_disk_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", FULL, str(target)], cwd=ROOT, timeout=60,
                          capture_output=True, check=True)
    assert done.stdout == b"refused\n"
    assert target.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_links_stay_links_and_pipes_take_what_comes(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link.csv", tmp_path / "pipe"
    (tmp_path / "real.csv").write_bytes(b"old")
    link.symlink_to(tmp_path / "real.csv")
    write_whole(link, b"new")
    assert link.is_symlink() and (tmp_path / "real.csv").read_bytes() == b"new"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_whole(pipe, b"through")
        assert reader.communicate()[0] == b"through"
    assert pipe.is_fifo()


def test_nothing_writes_under_a_files_own_name_but_by_way_of_another() -> None:
    """Read from the source: a new way of writing has to be thought about here."""
    direct = {
        (path.relative_to(ROOT).as_posix(), line.strip())
        for package in ("sdc_core", "ui") for path in (ROOT / package).rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ".write_bytes(" in line or ".write_text(" in line
    }
    assert {path for path, _ in direct} <= {
        "sdc_core/whole_file.py",
        "sdc_core/report/pictures.py",  # a page for the browser, in a folder that is then removed
        "sdc_core/geography/formats.py",  # a map for its reader, likewise
        "ui/serve.py",  # settings for nginx, likewise
    }

"""The wheel in an environment of its own: what is in it, its command, and its dashboard, run from
another folder. Nothing is downloaded: packages that it needs are those of this environment."""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email import message_from_string
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

import sdc_core as sdc
from tests.checkout import copy_checkout
from tests.serving import serving

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow


class Elsewhere(NamedTuple):
    """A user who has the package in an environment of his own, works in a folder that is no
    checkout and has set nothing."""

    home: Path
    folder: Path
    settings: dict[str, str]

    def program(self, name: str) -> Path:
        return Path(sysconfig.get_path("scripts", vars={"base": str(self.home)})) / name

    def runs(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program("sdc-core"), *arguments], cwd=self.folder, env=self.settings | settings,
            capture_output=True, text=True, timeout=300)

    def hears(self, *arguments: str, **settings: str) -> Any:
        """The document that `sdc-core ... --json` prints."""
        done = self.runs(*arguments, "--json", **settings)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def pip(*arguments: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *map(str, arguments)],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a checkout in which things lie around that must not leave with it."""
    folder = copy_checkout(tmp_path_factory.mktemp("checkout"))
    for stranger in ("data/nist/ma2019.csv", "data/geo/official-2019.geojson",
                     "data/twins/mine.csv", "scratch.py", "pages/notes.txt"):
        (folder / stranger).parent.mkdir(exist_ok=True)
        (folder / stranger).write_text("1\n")
    pip("wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder / "dist",
        folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def user(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """With a fresh environment that sees the packages which are installed here."""
    folder = tmp_path_factory.mktemp("elsewhere")
    settings = {
        name: value for name, value in os.environ.items()
        if not name.startswith(("SDC_", "PYTHON", "STREAMLIT_", "XDG_"))
    }
    made = Elsewhere(tmp_path_factory.mktemp("home"), folder, settings | {"HOME": str(folder)})
    venv.create(made.home, symlinks=os.name != "nt")
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(made.home)}))
    (packages / "those-installed-here.pth").write_text(sysconfig.get_path("purelib"))
    pip("--python", made.program("python"), "install", "--no-deps", "--no-index", wheel)
    return made


def test_the_wheel_has_the_app_the_twins_and_the_map_and_nothing_that_lies_around(
    wheel: Path,
) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name.removeprefix("sdc_core/_bundled/") for name in names if "_bundled/" in name}
    pages = {f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")}
    ui = {f"ui/{path.name}" for path in (ROOT / "ui").glob("*.py")}
    assert inside == pages | ui | {
        "app.py", ".streamlit/config.toml", "data/README.md", "data/geo/README.md",
        "data/geo/schematic.geojson", "data/geo/us-outline.geojson", "data/twins/ma2019-twin.csv",
        "data/twins/national2019-twin.csv", "data/twins/svcensus-twin.csv",
        "data/twins/tx2019-twin.csv",
    }
    engine = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "sdc_core").rglob("*.py")
        if "build" not in path.parts
    }
    outside = {name for name in names if "_bundled/" not in name and ".dist-info/" not in name}
    assert outside == engine | {
        "sdc_core/report/picture.js", "sdc_core/papers/published.csv",
        "sdc_core/papers/last_run.json",
    }


def test_the_wheel_says_what_it_is_and_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        (file,) = (name for name in files.namelist() if name.endswith("METADATA"))
        said = message_from_string(files.read(file).decode())
    wanted = [
        line.split("  #")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert said.get_all("Requires-Dist") == wanted
    assert (said["Name"], said["Version"]) == ("sdc-core", sdc.__version__)
    assert said["Requires-Python"] == ">=3.11"


def test_the_command_works_from_another_folder(user: Elsewhere) -> None:
    listed = user.hears("datasets")
    assert {one["id"] for one in listed if one["here"]} == {
        "ma2019-twin", "tx2019-twin", "national2019-twin", "all2019-twin",
        "svcensus-twin"}
    study = sdc.Study(sdc.load_dataset("ma2019-twin"))
    found = user.hears("ask", "compare", "--dataset", "ma2019-twin")
    assert found["headline"] == sdc.ask("compare", study).headline
    drawn = user.hears("boundaries")
    assert (drawn["source"], len(drawn["areas"]), drawn["missing"]) == ("schematic", 31, [])


def test_the_command_is_called_by_its_name(user: Elsewhere) -> None:
    assert user.runs("--help").stdout.startswith("usage: sdc-core ")
    assert user.runs("nonsense").stderr.endswith("(see sdc-core --help)\n")


def test_it_is_imported_from_where_it_was_installed(user: Elsewhere) -> None:
    code = "import sdc_core; print(sdc_core.__file__, sdc_core.__version__)"
    said = subprocess.run([user.program("python"), "-c", code], cwd=user.folder, env=user.settings,
                          capture_output=True, text=True, timeout=300).stdout.split()
    assert Path(said[0]).is_relative_to(user.home) and said[1] == sdc.__version__


def test_real_files_go_into_a_folder_of_the_user(user: Elsewhere, tmp_path: Path) -> None:
    own = {"XDG_DATA_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "HOME": str(tmp_path)}
    asked = user.runs("evaluate", "--dataset", "ma2019", "--mechanism", "laplace", **own)
    assert (asked.returncode, asked.stdout) == (2, "")
    folder = Path(asked.stderr.partition("Put it in ")[2].partition(" or in the folder ")[0])
    assert folder.name == "nist" and folder.is_relative_to(tmp_path)
    like_the_engineers(folder)
    listed = user.hears("datasets", **own)
    assert [one["id"] for one in listed if one["here"] and one["origin"] == "real"] == ["svcensus"]


def like_the_engineers(folder: Path) -> None:
    """A file under the name of a real one whose checksum is not known: as many rows, other numbers
    than the twin's."""
    folder.mkdir(parents=True)
    with open(ROOT / "data" / "twins" / "svcensus-twin.csv", newline="") as twin:
        header, *rows = csv.reader(twin)
    with open(folder / "svcensus_qeML.csv", "w", newline="") as file:
        csv.writer(file).writerows([header, *itertools.islice(itertools.cycle(rows), 20_090)])


@pytest.fixture(scope="module")
def served(user: Elsewhere) -> Iterator[str]:
    like_the_engineers(user.folder / "real")
    start = [user.program("sdc-core"), "app", "--data-dir", "real", "--port"]
    with serving(start, user.folder, user.settings) as base:
        yield base


def visited(base: str, link: str) -> list[ForwardMsg]:
    """All that the app sends to a browser that opens it."""
    address = base.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(address, max_size=None, proxy=None) as line:
        opening = BackMsg()
        opening.rerun_script.query_string = link
        opening.rerun_script.page_name = "compare"
        line.send(opening.SerializeToString())
        sent: list[ForwardMsg] = []
        while not sent or sent[-1].WhichOneof("type") != "script_finished":
            sent.append(ForwardMsg.FromString(line.recv(timeout=120)))
    return sent


@pytest.mark.parametrize(
    ("link", "dataset"), [("data=svcensus", "svcensus"), ("", "ma2019-twin")]
)
def test_the_dashboard_shows_what_the_command_prints(
    user: Elsewhere, served: str, link: str, dataset: str
) -> None:
    """From another folder; also on the data of the folder that it was given."""
    sent = visited(served, link)
    shown = [one.delta.new_element for one in sent if one.WhichOneof("type") == "delta"]
    assert not [one for one in shown if one.WhichOneof("type") == "exception"]
    found = user.hears("ask", "compare", "--dataset", dataset, SDC_DATA_DIR="real")
    said = [unescape(re.sub("<[^>]+>", "", one.html.body)) for one in shown]
    assert [one for one in said if found["headline"] in one]
    assert Path(sent[0].new_session.main_script_path).is_relative_to(user.home)


def test_the_dashboard_is_configured_as_in_a_checkout(served: str) -> None:
    """Its look and its silence; and all of 127.* is this machine, so that what listens everywhere
    would answer on 127.0.0.2, too."""
    session = visited(served, "data=ma2019-twin")[0].new_session
    wanted = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert session.config.gather_usage_stats is wanted["browser"]["gatherUsageStats"] is False
    assert session.custom_theme.dark.primary_color == wanted["theme"]["dark"]["primaryColor"]
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", urlsplit(served).port or 0), 5).close()

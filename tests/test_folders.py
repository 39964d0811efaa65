"""Where bundled files are and where fetched ones go, in a checkout. The installed package is tried
in test_installed.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdc_core import folders
from sdc_core.cli import main
from sdc_core.data import catalogue
from sdc_core.geography import sources

ROOT = Path(__file__).resolve().parents[1]


def test_a_checkout_keeps_everything_in_its_own_folders() -> None:
    assert catalogue.TWIN_DIRECTORY == ROOT / "data" / "twins"
    assert catalogue.NIST_DIRECTORY == ROOT / "data" / "nist"
    assert sources.GEO_DIRECTORY == sources.OFFICIAL_DIRECTORY == ROOT / "data" / "geo"
    assert folders.bundled("app.py").read_text(encoding="utf-8").startswith('"""The app.')


def test_a_message_names_a_folder_of_the_checkout_shortly_and_others_in_full(
    tmp_path: Path,
) -> None:
    assert folders.shown(catalogue.NIST_DIRECTORY) == "data/nist"
    assert folders.shown(tmp_path) == str(tmp_path)


@pytest.mark.parametrize(
    ("platform", "environment", "wanted"),
    [
        ("linux", {}, "/home/ada/.local/share/sdc-core"),
        ("linux", {"XDG_DATA_HOME": "/srv/ada"}, "/srv/ada/sdc-core"),
        ("linux", {"XDG_DATA_HOME": "not/absolute"}, "/home/ada/.local/share/sdc-core"),
        ("darwin", {}, "/home/ada/Library/Application Support/sdc-core"),
        ("win32", {"LOCALAPPDATA": "/c/local"}, "/c/local/sdc-core"),
        ("win32", {}, "/home/ada/AppData/Local/sdc-core"),
    ],
)
def test_the_users_folder_is_where_each_system_keeps_such_data(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], wanted: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    assert folders.user_folder(platform, environment) == Path(wanted)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--port", "0"], "port must be in [1, 65535], got 0. Try 8501."),
        (["--port", "70000"], "got 70000"),
        (["--data-dir", "no/such/folder"], "data-dir must be a folder, got 'no/such/folder'. Give"),
    ],
)
def test_the_app_is_not_started_on_bad_input(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert main(["app", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and named in said.err

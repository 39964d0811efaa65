"""The locks say exactly what is installed: all that the lists ask for, by version and by hash."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
Pins = dict[str, dict[str, str]]  # package -> {marker: version}


def pins(file: str) -> Pins:
    """What a lock pins. A line that is neither a pin, a hash nor a comment is a mistake."""
    found: Pins = {}
    for entry in re.split(r"\n(?=\S)", (ROOT / file).read_text(encoding="utf-8").strip()):
        lines = [line.strip().rstrip("\\").strip() for line in entry.split("\n")]
        if lines[0].startswith("#"):
            continue
        hashes = [line for line in lines[1:] if not line.startswith("#")]
        assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", h) for h in hashes), entry
        one = Requirement(lines[0])
        version = str(one.specifier).removeprefix("==")
        assert str(one.specifier) == f"=={version}", entry
        found.setdefault(canonicalize_name(one.name), {})[str(one.marker or "")] = version
    return found


def asked_for(file: str) -> dict[str, str]:
    """The packages that a list names, with their versions."""
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text().splitlines()]
    named = [Requirement(line) for line in lines if line and not line.startswith("-r")]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in named}


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_a_lock_pins_what_its_list_asks_for(name: str) -> None:
    locked = pins(f"{name}.lock")
    wrong = {
        package: version for package, version in asked_for(f"{name}.txt").items()
        if set(locked.get(package, {}).values()) != {version}
    }
    assert wrong == {}, "the list has changed: make lock"


def test_what_is_tested_is_what_runs() -> None:
    app, everything = pins("requirements.lock"), pins("requirements-dev.lock")
    assert {package: everything.get(package) for package in app} == app


def test_a_lock_has_all_that_its_packages_need_here() -> None:
    """With hashes pip refuses anything that is not in the file, so nothing may be missing."""
    app = pins("requirements.lock")
    needed = [Requirement(line) for package in app for line in _requirements(package)]
    here = [one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})]
    assert len(here) > len(app)
    assert [name for name in here if canonicalize_name(name) not in app] == []


def _requirements(package: str) -> list[str]:
    try:
        return metadata.requires(package) or []
    except metadata.PackageNotFoundError:  # for another system than this one
        return []


@pytest.mark.parametrize("file", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_names_no_place_to_download_from(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.search(r"https?:|file:|index-url|find-links|@ ", text)


def test_the_project_has_a_licence_and_says_which() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert settings["license"] == "MIT" and text.startswith("MIT License")
    assert settings["license-files"] == ["LICENSE"]


def test_the_licence_of_every_package_is_listed() -> None:
    text = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", text, re.MULTILINE))
    del listed["package"], listed["---"]
    assert {canonicalize_name(name) for name in listed} == set(pins("requirements.lock"))
    assert all(re.search("BSD|MIT|Apache|MPL|PSF", licence) for licence in listed.values())

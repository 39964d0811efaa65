"""Where are the files that come with the project, and where is kept what was fetched?

In a checkout both lie in its own folders. Installed, the files that come with it are copied into
the package (setup.py says which), and a package is not written to: what is fetched goes into a
folder of the user's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_COPY = _PACKAGE / "_bundled"  # like the top of a checkout; only an installed package has it
_CHECKOUT = None if _COPY.is_dir() else _PACKAGE.parent


def bundled(path: str) -> Path:
    """A file or folder that comes with the project, named as in a checkout: `data/twins`."""
    return (_CHECKOUT or _COPY) / path


def fetched(name: str) -> Path:
    """The folder for downloads of a kind: `data/nist` in a checkout, else one of the user's own."""
    return (_CHECKOUT / "data" if _CHECKOUT else user_folder()) / name


def shown(folder: Path) -> str:
    """A folder as a message names it: short within a checkout, whole elsewhere."""
    if _CHECKOUT and folder.is_relative_to(_CHECKOUT):
        return folder.relative_to(_CHECKOUT).as_posix()
    return str(folder)


def user_folder(
    platform: str = sys.platform, environment: Mapping[str, str] = os.environ
) -> Path:
    """Where a program keeps data of its user's on this kind of machine."""
    if platform == "win32":
        local = environment.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "sdc-core"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "sdc-core"
    given = environment.get("XDG_DATA_HOME", "")
    # The XDG specification: a path that is not absolute is to be ignored.
    return (Path(given) if given.startswith("/") else Path.home() / ".local" / "share") / "sdc-core"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a program keeps what it could make again."""
    if sys.platform in ("win32", "darwin"):
        return user_folder() / "cache"
    given = environment.get("XDG_CACHE_HOME", "")
    return (Path(given) if given.startswith("/") else Path.home() / ".cache") / "sdc-core"

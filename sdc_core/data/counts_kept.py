"""Counts that are kept on disk: counted once, found again as long as the source is the same.

They are exact counts of confidential records. So they lie in a folder that only its owner can open,
and SDC_COUNTS=off keeps none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import pyarrow as pa

from sdc_core.folders import cache_folder
from sdc_core.whole_file import beside, put

MOST_BYTES = 1_000_000_000  # in all; those that were not asked for longest go first
_VERSION = "1"  # of how they are counted


def folder() -> Path | None:
    """Where they are; None where none are to be kept."""
    asked = os.environ.get("SDC_COUNTS", "")
    if asked == "off":
        return None
    return Path(asked) if asked else cache_folder() / "counts"


def name_of(fingerprint: str, statement: str) -> str:
    """One statement on one source."""
    return hashlib.sha256("\0".join((_VERSION, fingerprint, statement)).encode()).hexdigest()


def kept(name: str) -> pa.Table | None:
    place = folder()
    if place is None:
        return None
    path = place / f"{name}.arrow"
    try:
        with pa.ipc.open_file(pa.memory_map(str(path))) as file:
            found = file.read_all()
        path.touch()
    except (OSError, pa.ArrowException):  # not there, or not whole: counted anew
        return None
    return found


def keep(name: str, table: pa.Table) -> None:
    """A disk that is full or read-only keeps nothing, and that is all."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError, pa.ArrowException):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = place / f"{name}.arrow"
        with beside(target, mode=0o600) as file:
            with pa.ipc.new_file(file, table.schema) as out:
                out.write_table(table)
            put(file, target)
        _make_room(place)


def _make_room(place: Path) -> None:
    found = sorted(
        ((path.stat().st_mtime, path.stat().st_size, path) for path in place.glob("*.arrow")),
        reverse=True)
    size = 0
    for _, each, path in found:
        size += each
        if size > MOST_BYTES:
            path.unlink(missing_ok=True)

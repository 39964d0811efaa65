"""Files that are whole or not there: what is written appears under its name in one step, once all
of it is on the disk. A full disk or a program that is killed leaves what was there before. What is
read is a plain file of a size that is looked at first: a pipe or a device may never end."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PART = ".part"  # how names end under which a file is written


@contextmanager
def beside(target: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A file in the target's folder that is gone afterwards, unless it was put in the target's
    place: whatever goes wrong, the target is as it was and nothing is left beside it. `mode` says
    who may read it at most."""
    part = target.with_name(f".{uuid.uuid4().hex}{PART}")
    try:
        with open(part, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            yield file
    finally:
        part.unlink(missing_ok=True)


def put(file: IO[bytes], target: Path) -> None:
    """In the target's place, in one step, once all of it is on the disk."""
    file.flush()
    os.fsync(file.fileno())
    os.replace(file.name, target)


def write_whole(path: str | Path, content: bytes) -> None:
    """A file with this content, or what was there before."""
    target = Path(path).resolve()  # a link stays one, to the new file
    if target.exists() and not target.is_file():  # a pipe or a device takes what comes
        target.write_bytes(content)
        return
    with beside(target) as file:
        file.write(content)
        put(file, target)


def read_whole(path: str | Path, most: int) -> bytes:
    """All of a plain file of at most so many bytes; otherwise an OSError that says why not."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")
    if found.st_size > most:
        size = f"{found.st_size / 1e6:,.1f} MB, more than {most / 1e6:g}"
        raise OSError(errno.EFBIG, f"it is too large ({size})")
    with Path(path).open("rb") as file:  # no more: a file of the system says 0 and may never end
        return file.read(found.st_size)

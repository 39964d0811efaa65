"""Files that are read by a process of their own, since a few wrong bytes can crash what reads them
or make it ask for all memory: that ends the process, and costs who opened the file one sentence."""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

SECONDS = 120
_LIMITED = Path(__file__).with_name("limited.py")
_MOST_WRITTEN = 4_000_000_000
_LONGEST_LINE = 100_000_000


class Unreadable(Exception):
    """The process ended without an answer: it crashed, took too long, or spoke nonsense."""


def read_apart(
    program: Path, arguments: Sequence[str], content: bytes, memory: int, seconds: int = SECONDS,
) -> tuple[dict[str, Any], pa.Buffer]:
    """What a program of this folder says about the content (one line of JSON), and what follows.

    What it writes goes to a file that has no name, and is not copied into memory."""
    limits = (memory, seconds, _MOST_WRITTEN)
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(_LIMITED), *map(str, limits), str(program), *arguments],
                input=content, stdout=out, stderr=subprocess.DEVNULL, timeout=2 * seconds,
                check=False,
            )
            if done.returncode != 0:
                raise Unreadable
            answer = mmap.mmap(out.fileno(), 0, access=mmap.ACCESS_READ)
            line = answer.readline()[:_LONGEST_LINE]
            said = json.loads(line)
        except (ValueError, OSError, subprocess.TimeoutExpired):
            raise Unreadable from None
    if not isinstance(said, dict):
        raise Unreadable
    return said, pa.py_buffer(memoryview(answer))[len(line):]

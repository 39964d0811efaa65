"""Files that are read by a process of their own, since a few wrong bytes can crash what reads them
or make it ask for all memory: that ends the process, and costs who opened the file one sentence.
The process is stopped when nobody waits for it any more."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, Protocol

import pyarrow as pa

SECONDS = 120
_LIMITED = Path(__file__).with_name("limited.py")
_COMMAND = (sys.executable, "-P", str(_LIMITED))
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a copy has only one
_MOST_WRITTEN = 4_000_000_000
_LONGEST_LINE = 100_000_000
_LOOK = 0.2  # seconds after which it is asked again whether somebody still waits

# Called while a process is waited for; raises something where nobody waits any more. Whoever shows
# pages sets it, since only they know.
still_wanted: ContextVar[Callable[[], object]] = ContextVar("still_wanted", default=lambda: None)


class Unreadable(Exception):
    """The process ended without an answer: it crashed, took too long, or spoke nonsense."""


class _Process(Protocol):
    def ended(self, seconds: float) -> bool | None:
        """Has it ended, and well? None if it is still at work after so many seconds."""

    def kill(self) -> None: ...


def read_apart(
    program: Path, arguments: Sequence[str], content: bytes, memory: int, seconds: int = SECONDS,
    libraries: Sequence[str] = (),
) -> tuple[dict[str, Any], pa.Buffer]:
    """What a program says about the content (one line of JSON), and what follows.

    It has so many bytes of memory beyond its libraries, which are named to be loaded beforehand.
    What it writes goes to a file that has no name, and is not copied into memory."""
    order = {
        "program": str(program), "arguments": list(arguments), "memory": memory,
        "seconds": seconds, "written": _MOST_WRITTEN, "libraries": list(libraries),
    }
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
        try:
            given.write(content)
            given.seek(0)
            if not _ends_well(_started(order, given, out), 2 * seconds):
                raise Unreadable
            answer = mmap.mmap(out.fileno(), 0, access=mmap.ACCESS_READ)
            line = answer.readline()[:_LONGEST_LINE]
            said = json.loads(line)
        except (ValueError, OSError):
            raise Unreadable from None
    if not isinstance(said, dict):
        raise Unreadable
    return said, pa.py_buffer(memoryview(answer))[len(line):]


def _ends_well(process: _Process, seconds: float) -> bool:
    """Wait for it, as long as it may take and somebody wants to know."""
    last = time.monotonic() + seconds
    well = None
    try:
        while (well := process.ended(_LOOK)) is None and time.monotonic() < last:
            still_wanted.get()()
    finally:
        if well is None:
            process.kill()
    return bool(well)


def _started(order: dict[str, Any], given: IO[bytes], out: IO[bytes]) -> _Process:
    if hasattr(os, "fork") and hasattr(socket, "send_fds"):
        return _Copy(order, given, out)
    return _OfItsOwn(order, given, out)


class _OfItsOwn:
    """A process that loads its libraries itself."""

    def __init__(self, order: dict[str, Any], given: IO[bytes], out: IO[bytes]) -> None:
        self._process = subprocess.Popen(
            [*_COMMAND, json.dumps(order)], stdin=given, stdout=out, stderr=subprocess.DEVNULL)

    def ended(self, seconds: float) -> bool | None:
        try:
            return self._process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class _Copy:
    """A copy of a process that has them loaded."""

    def __init__(self, order: dict[str, Any], given: IO[bytes], out: IO[bytes]) -> None:
        self._order = json.dumps(order).encode(), given.fileno(), out.fileno()
        self._id = 0
        self._line = self._ask()

    def _ask(self) -> socket.socket:
        order, given, out = self._order
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            _server.ask(order, [given, out, theirs.fileno()])
        return ours

    def ended(self, seconds: float) -> bool | None:
        if not select.select([self._line], [], [], seconds)[0]:
            return None
        said = self._said()
        if said.isdigit():  # who it is comes first
            self._id = int(said)
            return self.ended(seconds)
        self._line.close()
        if not said and not self._id:  # the server ended before it read the order: once more
            self._id = -1
            self._line = self._ask()
            return self.ended(seconds)
        return said == b"done"

    def _said(self) -> bytes:
        try:
            return self._line.recv(100)
        except OSError:
            return b""

    def kill(self) -> None:
        """While its end of the line is open it is there; without a line it does not begin."""
        if self._id > 0 and not select.select([self._line], [], [], 0)[0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._id, signal.SIGKILL)
        self._line.close()


class _Server:
    """The process that makes copies of itself: started when it is first needed, and again where it
    has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, order: bytes, files: Sequence[int]) -> None:
        with self._lock:
            try:
                if self._orders is not None:
                    socket.send_fds(self._orders, [order], files)
                    return
            except OSError:  # it has ended
                pass
            if self._process is not None:
                self._process.wait()
            self._orders = self._new()
            socket.send_fds(self._orders, [order], files)

    def _new(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [*_COMMAND, "serve", str(theirs.fileno())], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True, env={**os.environ, **_ONE_THREAD},
            )
        return ours


_server = _Server()

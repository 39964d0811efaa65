"""How a test starts the app on a port of its own, waits until it answers, and ends it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
AS_MAKE_APP = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.port")


@contextmanager
def serving(
    command: Sequence[str | Path] = AS_MAKE_APP, cwd: Path = ROOT,
    environment: Mapping[str, str] = os.environ, patience: float = 120,
) -> Iterator[str]:
    """The address of an app that this command, which ends before the port, has started."""
    with started(command, cwd, environment, patience) as (address, _):
        yield address


@contextmanager
def started(
    command: Sequence[str | Path] = AS_MAKE_APP, cwd: Path = ROOT,
    environment: Mapping[str, str] = os.environ, patience: float = 120,
    says: int | IO[bytes] = subprocess.DEVNULL,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same with its process; what it says goes to a file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*map(str, command), str(port)], cwd=cwd, env=environment, stdout=says, stderr=says,
    )
    try:
        _wait(server, f"http://127.0.0.1:{port}/_stcore/health", patience)
        yield f"http://127.0.0.1:{port}", server
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait(server: subprocess.Popen[bytes], health: str, patience: float) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        assert server.poll() is None, f"the app ended by itself with exit code {server.poll()}"
        try:
            assert urllib.request.urlopen(health, timeout=1).read() == b"ok"
            return
        except OSError:
            time.sleep(0.25)
    raise AssertionError(f"the app did not answer within {patience:.0f} seconds")

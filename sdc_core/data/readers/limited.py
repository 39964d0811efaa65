"""Runs another program under limits that hold whatever a file says of itself: of memory, of time,
and of what is written. What goes beyond them ends one process and no other.

    python limited.py '{"program": "reader.py", "memory": …}'    one file, from standard input
    python limited.py serve 5                                    what is asked for on a socket

Libraries take a second to load, so a server loads them once and makes a copy of itself (a fork) for
each file. It has no threads, reads no file itself, and ends with the process that asks.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import runpy
import signal
import socket
import sys
from pathlib import Path
from typing import Any

_IDLE = 300  # seconds without a file after which it gives its memory back
_BEHIND = 5  # pages that others look at go first
_LONGEST_ORDER = 100_000
_PROJECT = str(Path(__file__).resolve().parents[3])


def run(order: dict[str, Any]) -> None:
    """This process becomes that program, with no more than it may have."""
    with contextlib.suppress(ImportError):  # not on every system
        import resource

        for kind, most in (
            (resource.RLIMIT_AS, order["memory"] + _taken()), (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, order["seconds"]), (resource.RLIMIT_FSIZE, order["written"]),
        ):
            with contextlib.suppress(ValueError, OSError):  # less is allowed already
                resource.setrlimit(kind, (most, most))
    sys.argv = [order["program"], *order["arguments"]]
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.flush()


def _taken() -> int:
    """Bytes of address space that the libraries have already."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def serve(orders: socket.socket) -> None:
    """An order comes with three open files: what is read, where answers go, and a line on which
    the copy says who it is and when it is done."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for copies that have ended
    orders.settimeout(_IDLE)
    while True:
        try:
            message, files, _, _ = socket.recv_fds(orders, _LONGEST_ORDER, 3)
        except TimeoutError:
            return
        if not message:  # whoever asked is gone, and nobody waits for the copies that are at work
            os.killpg(0, signal.SIGKILL)
        order = json.loads(message)
        for library in order["libraries"]:
            with contextlib.suppress(ImportError):  # the program will say so
                importlib.import_module(library)
        if os.fork() == 0:
            orders.close()
            _copy(order, files)
        for file in files:
            os.close(file)


def _copy(order: dict[str, Any], files: list[int]) -> None:
    """Never returns: libraries that stumble over their own threads as they end do not."""
    ended = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.nice(_BEHIND)
        line = socket.socket(fileno=files[2])
        line.send(b"%d" % os.getpid())
        os.dup2(files[0], 0)
        os.dup2(files[1], 1)
        run(order)
        line.send(b"done")
        ended = 0
    finally:
        os._exit(ended)


if __name__ == "__main__":
    sys.path.append(_PROJECT)  # behind everything that is installed
    if sys.argv[1] == "serve":
        serve(socket.socket(fileno=int(sys.argv[2])))
    else:
        run(json.loads(sys.argv[1]))
        os._exit(0)

"""Runs another program of this folder under limits that hold whatever a file says of itself: of
memory, of time, and of what is written. What goes beyond them ends this process and no other.

    python limited.py BYTES_OF_MEMORY SECONDS BYTES_WRITTEN program.py arguments ...

It is run by its path and imports nothing of the project, so that it starts at once.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import sys


def main(memory: int, seconds: int, written: int) -> None:
    with contextlib.suppress(ImportError):  # not on every system
        import resource

        for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds),
                           (resource.RLIMIT_FSIZE, written), (resource.RLIMIT_CORE, 0)):
            with contextlib.suppress(ValueError, OSError):  # less is allowed already
                resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
    sys.argv = sys.argv[4:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.flush()
    os._exit(0)  # all is said: libraries that stumble over their own threads as they end do not

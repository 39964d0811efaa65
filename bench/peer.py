"""Named peers, each in an environment of its own: how long do they take on the same input?

The environment of a peer is `.bench/<peer>`, made from the pins in `bench/peers/<peer>.txt` the
first time it is asked for, and again when the pins change. All pins are installed without their
dependencies, so that the file is the whole environment. A peer is asked by running
`bench/peers/<peer>.py` with that environment's Python on a temporary folder of CSV files; it prints
one JSON document. A peer that cannot be had is a line in `unavailable`, never a made-up number.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

PEERS = Path(__file__).with_name("peers")
ENVIRONMENTS = Path(__file__).resolve().parents[1] / ".bench"
LONGEST = 3600  # seconds that an installation or an answer may take
unavailable: list[str] = []


def ask(peer: str, tables: Mapping[str, pd.DataFrame], **arguments: Any) -> dict[str, Any] | None:
    """What the peer answers about these tables, or None (and a line why) where it cannot be had."""
    try:
        python = _environment(peer)
        with tempfile.TemporaryDirectory() as folder:
            for name, table in tables.items():
                table.to_csv(Path(folder, f"{name}.csv"), index=False)
            Path(folder, "arguments.json").write_text(json.dumps(arguments), encoding="utf-8")
            # -P: a peer's script has its package's name and must not import itself
            answer = _run([str(python), "-P", str(PEERS / f"{peer}.py"), folder])
        found: dict[str, Any] = json.loads(answer)
        return found
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        line = f"{peer} could not be asked, its comparison is left out: {_short(problem)}"
        print(line, file=sys.stderr)
        unavailable.append(line)
        return None


@functools.cache
def _environment(peer: str) -> Path:
    """The Python of the peer's environment, made if it is missing or its pins have changed."""
    home = ENVIRONMENTS / peer
    python = home / "bin" / "python"
    pins = (PEERS / f"{peer}.txt").read_text(encoding="utf-8")
    installed = home / "installed.txt"
    if not installed.is_file() or installed.read_text(encoding="utf-8") != pins:
        print(f"Installing {peer} into {home} (once)", file=sys.stderr)
        venv.create(home, clear=True, with_pip=True)
        _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
              "--no-deps", "-r", str(PEERS / f"{peer}.txt")])
        installed.write_text(pins, encoding="utf-8")
    return python


def _run(command: list[str]) -> str:
    outer = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST, check=True, env=outer
    )
    return done.stdout


def _short(problem: Exception) -> str:
    """The last line that says something."""
    said = getattr(problem, "stderr", None) or str(problem)
    lines = [line.strip() for line in str(said).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(problem).__name__

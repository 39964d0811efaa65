"""What does a text print as commands and code, and does it do what it says?

A fenced block is one of these, and anything else is an error, so that no sample goes untried:

- lines of commands after `$ `, each with what it prints below it; a line `…` stands for lines left
  out, and a command with nothing below it may print anything;
- `make` lines, which are not run: their targets must be in the Makefile;
- Python (```python) or JSON (```json).

All blocks run in one folder, in order, as a reader would run them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MAKE = re.compile(r"make ([a-z-]+)(?: [A-Z]+=\S+)*(?:\s+#.*)?")


class Block(NamedTuple):
    language: str
    text: str
    line: int


def blocks(text: str) -> list[Block]:
    """The fenced blocks, and the line each begins on."""
    return [
        Block(found[1], found[2], text[: found.start()].count("\n") + 1)
        for found in _FENCE.finditer(text)
    ]


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block, over several lines where they end in a backslash, and the lines
    printed below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command = re.match(r"(?:.*\\\n)*.*\n", part)
        assert command is not None
        yield command[0].rstrip("\n"), part[command.end():].splitlines()


def inline(text: str) -> list[str]:
    """The code within sentences, which may go over the end of a line."""
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", _FENCE.sub("", text))]


def targets(makefile: str) -> set[str]:
    return set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


class Reader:
    """Somebody who does what is printed, in a folder that is like a checkout with its .venv."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        # the reader's python3 and the checkout's own are the one that runs the tests
        for name in (".venv/bin/python", ".reader/python3"):
            program = checkout / name
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            program.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SDC_")}
        self.settings = kept | {
            "PATH": f"{checkout / '.reader'}{os.pathsep}{os.environ['PATH']}",
            # an environment that is made on the way finds what is installed here, and pip, which
            # would look for it on the network, is told not to
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }

    def problems(self, block: Block) -> list[str]:
        """What does not do as it says, each in a line that begins with where it stands."""
        if block.language == "python":
            found = self._python(block.text)
        elif block.language == "json":
            found = _json(block.text)
        elif block.language:
            found = [f"nobody knows how to try a block of {block.language!r}"]
        elif block.text.startswith("$ "):
            found = [p for one in commands(block.text) for p in self._command(*one)]
        else:
            found = self._make(block.text)
        return [f"line {block.line}: {problem}" for problem in found]

    def _python(self, code: str) -> list[str]:
        done = self._run([str(self.checkout / ".venv/bin/python"), "-"], code)
        return [] if done.returncode == 0 else [f"the code fails: {done.stderr.strip()}"]

    def _command(self, command: str, printed: list[str]) -> list[str]:
        done = self._run(["/bin/sh", "-c", command])
        if done.returncode:
            return [f"{command!r} ends with {done.returncode}: {done.stderr.strip()}"]
        if printed and not prints(printed, done.stdout):
            return [f"{command!r} prints\n{done.stdout}and not\n" + "\n".join(printed)]
        return []

    def _make(self, text: str) -> list[str]:
        known = targets((self.checkout / "Makefile").read_text(encoding="utf-8"))
        found = [(line, _MAKE.fullmatch(line)) for line in text.splitlines() if line]
        return [
            f"{line!r} is not a command after '$ ' nor a target of the Makefile"
            for line, target in found if target is None or target[1] not in known
        ]

    def _run(self, command: list[str], given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.checkout, env=self.settings, input=given,
                              capture_output=True, text=True, timeout=600)


def _json(text: str) -> list[str]:
    try:
        json.loads(text)
    except ValueError as problem:
        return [f"not JSON: {problem}"]
    return []


def prints(printed: list[str], output: str) -> bool:
    """Are these the lines of the output, where `…` stands for any number of them?"""
    wanted = "".join(r"(?:.*\n)*" if line == "…" else f"{re.escape(line)}\n" for line in printed)
    return re.fullmatch(wanted, output) is not None

"""`make bench`: every figure as a ratio against a peer or limit of the same run."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from bench import app, engine, kanonymity, swapping

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """# Speed

Made by `make bench`: each figure is the best of several runs, against a named peer or limit in the
same run, so that the ratio means the same on another machine.

{machine}

| what | measured | against | ratio | limit | |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> int:
    rows = [*engine.figures(), *swapping.figures(), *kanonymity.figures(), *app.figures()]
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}."
    text = HEAD.format(machine=machine) + "\n".join(f.row() for f in rows) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text)
    return 0 if all(f.kept for f in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

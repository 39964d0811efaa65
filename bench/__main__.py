"""`make bench`: every figure as a ratio against a peer or limit of the same run.

`python -m bench topdown quality` takes only those figures and leaves RESULTS.md as it is.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from bench import (
    app,
    classification,
    engine,
    kanonymity,
    microdata,
    peer,
    quality,
    reading,
    swapping,
    synthesis,
    topdown,
)
from bench import map as places

MODULES = {
    m.__name__.rpartition(".")[2]: m
    for m in (engine, reading, swapping, microdata, kanonymity, topdown, synthesis, quality,
              classification, places, app)
}
RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = """# Speed

Made by `make bench`: each figure is the best of several runs, against a named peer or limit in the
same run, so that the ratio means the same on another machine. Peers run in environments of their
own (`bench/peers`), on the same input.

{machine}

| what | measured | against | ratio | limit | |
| --- | --- | --- | --- | --- | --- |
"""


def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in MODULES]
    if unknown:
        print(f"There is no figure {unknown[0]!r}. There are: {', '.join(MODULES)}.")
        return 2
    rows = []
    for name in wanted or MODULES:
        for figure in MODULES[name].figures():
            rows.append(figure)
            print(figure.row(), flush=True)
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}."
    text = HEAD.format(machine=machine) + "\n".join(f.row() for f in rows) + "\n"
    if peer.unavailable:
        text += "\n" + "\n".join(f"- {line}" for line in peer.unavailable) + "\n"
    if not wanted:
        RESULTS.write_text(text, encoding="utf-8")
    return 0 if all(f.kept for f in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`make bench`: every figure as a ratio against a peer or limit of the same run.

`python -m bench topdown quality` takes only those figures, and writes only their sections of
RESULTS.md.
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
    frontier,
    hiding,
    kanonymity,
    microdata,
    peer,
    quality,
    reading,
    results,
    room,
    scale,
    swapping,
    synthesis,
    topdown,
)
from bench import map as places

MODULES = {
    m.__name__.rpartition(".")[2]: m
    for m in (engine, frontier, reading, swapping, microdata, kanonymity, topdown, synthesis,
              quality, classification, hiding, places, scale, app, room)
}
RESULTS = Path(__file__).with_name("RESULTS.md")


def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in MODULES]
    if unknown:
        print(f"There is no figure {unknown[0]!r}. There are: {', '.join(MODULES)}.")
        return 2
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}."
    kept = True
    for name in wanted or MODULES:
        figures, told = [], len(peer.unavailable)
        for figure in MODULES[name].figures():
            figures.append(figure)
            kept = kept and figure.kept
            print(figure.row(), flush=True)
        # after each, so that what was measured is there if a later one ends in an error
        picture = getattr(MODULES[name], "PICTURE", None)
        new = {name: results.section(figures, machine, peer.unavailable[told:], picture)}
        text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
        RESULTS.write_text(results.updated(text, new, MODULES), encoding="utf-8")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

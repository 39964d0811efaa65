"""How much memory does each page take, with a table as large as it allows?

One page at a time, in a process of its own that has no more than `ROOM`: the page as its visitor
sees it, with a file of their own, and then with everything run that waits to be asked for. The peak
is of the whole process, which before it opens a page takes some 300 MB.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd

from bench.measure import Figure
from sdc_core.questions import QUESTIONS

ROOM = 4_000_000_000  # bytes
LIMIT = 2_000.0  # megabytes that a page may take
PATIENCE = 280  # seconds; what takes longer has had its peak by then
SIZES = {"area": 50, "age": 20, "income": 10, "sex": 2, "race": 5, "kids": 2, "school": 10}
LARGE = {  # pages with a table of their own, made as large as their controls allow
    "classification": {"p_target": "sex", "p_from": "area,race,age,income", "p_by": ""},
    "funding": {"group": "race=r000,sex=s000,age=a000,income=i000,kids=k000"},
    "subgroups": {"g_order": "income,age", "g_y": "income", "g_x": "age", "g_by": "area,race,sex"},
}


def figures() -> Iterator[Figure]:
    for question in QUESTIONS:
        found = measured(question.address)
        peak = found["peak"]
        asked = f", then {found['asked']:,.0f} MB with all that waited" if found["waited"] else ""
        yield Figure(
            f"{question.title}: a table of {found['cells']:,} groups, of {question.most_cells:,}",
            f"{peak:,.0f} MB{asked}", f"limit of {LIMIT:,.0f} MB",
            max(peak, found["asked"]) / LIMIT, 1)


def measured(address: str) -> dict[str, float]:
    """Megabytes, and how large the table was."""
    done = subprocess.Popen(
        [sys.executable, "-m", "bench.memory", address], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    try:
        said, _ = done.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        done.kill()
        said, _ = done.communicate()
    return dict(json.loads(said.splitlines()[-1]))


def people(names: tuple[str, ...]) -> pd.DataFrame:
    rng, rows = np.random.default_rng(3), 100_000
    return pd.DataFrame({
        name: [f"{name[0]}{v:03d}" for v in np.r_[
            np.arange(SIZES[name]),
            rng.integers(0, SIZES[name], rows) * rng.integers(0, 2, rows)][:rows]]
        for name in names})


def names_for(most: int) -> tuple[str, ...]:
    """As many columns as a table of so many groups has."""
    names, cells = [], 1
    for name, size in SIZES.items():
        if cells * size <= most:
            names.append(name)
            cells *= size
    return tuple(names)


def page(address: str) -> None:
    """Open it and say what it took; run what waits, and say it again."""
    from sdc_core.questions import question
    from sdc_core.questions.question import MOST_CELLS
    from tests.page_driver import TWIN, opened, uploaded

    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    asked = question(address)
    names = names_for(min(asked.most_cells, MOST_CELLS))
    app = uploaded(opened(TWIN, unfolded=False), people(names))
    own = app.session_state["own-data"]
    app = uploaded(opened({
        "data": own.id, "own_features": ",".join(names), **LARGE.get(address, {}),
    }, f"{address}.py", unfolded=False), people(names))
    told = {"cells": int(np.prod([SIZES[n] for n in names])), "peak": peak(), "asked": 0.0,
            "waited": 0}
    print(json.dumps(told), flush=True)
    for button in [one for one in app.button if str(one.key).startswith("run.")]:
        app.button(key=button.key).click().run(timeout=600)
        print(json.dumps({**told, "asked": peak(), "waited": 1}), flush=True)
    assert not app.exception, [e.value for e in app.exception]


def peak() -> float:
    """Of this program alone: what the system calls a process's largest size begins with that of the
    process that started it."""
    with open("/proc/self/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024 * 1.048576


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    page(sys.argv[1])

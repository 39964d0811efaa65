"""Speed and size of the app: a slider move on every page, as the server sees it and until it is
painted, the start, and memory after every page.

`python -m bench.app compare` prints the sliders of one page, slowest first. Each page is measured
in a process of its own: in one process what a hundred visits to other pages have left behind slows
the last pages down, which is not what is asked here."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import SelectSlider

from bench import painted
from bench.measure import Figure, medians_taking_turns, milliseconds
from sdc_core.questions import QUESTIONS
from sdc_core.questions.question import Question
from tests import chromium
from tests.page_driver import CLOSED

ROOT = Path(__file__).resolve().parents[1]
TWIN = "ma2019-twin"  # it is everywhere, so figures are of the same table
MOVES = 15  # of each slider
PAGES = tuple(f"/{q.address}" for q in QUESTIONS)


def figures() -> Iterator[Figure]:
    for question in QUESTIONS:
        yield from _slowest_slider(question)
    yield slider_move("Subgroups (four methods, eight heat maps)", "subgroups", "m4.k",
                      data="national2019-twin")
    yield from painted.figures()
    yield from _served()


def _opened(page: str, unfolded: str = "", **link: str) -> AppTest:
    """The page; `unfolded` is what somebody has opened on it."""
    app = AppTest.from_file(str(ROOT / "tests" / "app_entry.py"), default_timeout=120).run()
    app.switch_page(f"../pages/{page}.py")
    for name, value in link.items():
        app.query_params[name] = value
    if unfolded:
        app.session_state[unfolded] = True
    return app.run()


def _slowest_slider(question: Question) -> Iterator[Figure]:
    """A page is as slow as the slowest of its sliders; one without sliders has nothing to move."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.app", question.address], cwd=ROOT, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    yield from (Figure(**one) for one in json.loads(done.stdout)[:1])


def sliders(question: Question) -> list[Figure]:
    """Each slider of a page, also where it has to be opened first, moved to values that were not
    computed before; slowest first."""
    where: dict[str, str] = {}
    for unfolded in ("", *CLOSED):
        page = _opened(question.address, unfolded, data=TWIN)
        for one in (*page.slider, *page.select_slider):
            where.setdefault(one.key, unfolded)
    found = [slider_move(question.title, question.address, key.removeprefix("url."), MOVES,
                         unfolded, data=TWIN) for key, unfolded in where.items()]
    return sorted(found, key=lambda one: -one.ratio)


def slider_move(
    what: str, page: str, control: str, moves: int = 30, unfolded: str = "", **link: str
) -> Figure:
    """Each move goes to a value that was not computed before."""
    trivial = AppTest.from_file(str(ROOT / "bench" / "trivial_app.py"), default_timeout=60).run()
    app = _opened(page, unfolded, **link)
    steps, values = itertools.cycle(range(11, 50)), _other_values(app, f"url.{control}")
    ours, peer = medians_taking_turns(
        moves,
        lambda: _widget(app, f"url.{control}").set_value(next(values)).run(),
        lambda: trivial.slider(key="steps").set_value(next(steps)).run(),
    )
    if app.exception:
        raise AssertionError(app.exception)
    return Figure(
        f"A slider move on {what}; {control} moves", milliseconds(ours),
        f"rerun of a trivial one-chart app, {milliseconds(peer)}", ours / peer, 10,
    )


def _widget(app: AppTest, key: str) -> Any:
    return next(one for one in (*app.slider, *app.select_slider) if one.key == key)


def _other_values(app: AppTest, key: str) -> Iterator[Any]:
    """Values of a slider from the present one on, round and round."""
    widget = _widget(app, key)
    if isinstance(widget, SelectSlider):
        options = [float(text.rstrip("%")) for text in widget.options]
        here = min(range(len(options)), key=lambda i: abs(options[i] - float(widget.value)))
        return itertools.cycle((*options[here + 1:], *options[:here]))
    step = widget.step or 1
    count = round((widget.max - widget.min) / step) + 1
    whole = isinstance(widget.value, int)
    every = [widget.min + i * step for i in range(count)]
    after = [v for v in every if v > widget.value] + [v for v in every if v < widget.value]
    return itertools.cycle(int(v) if whole else v for v in after)


def _served() -> list[Figure]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.perf_counter()
    server = subprocess.Popen(
        ["make", "app", f"PORT={port}"], cwd=ROOT, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    base = f"http://127.0.0.1:{port}"
    try:
        waited = _wait_for(f"{base}/_stcore/health", start)
        out = [
            Figure("App answering after `make app`, once installed", f"{waited:.2f} s",
                   "limit of 3 s", waited / 3, 1)
        ]
        if chromium.find():
            _open_every_page(base)
            used = _memory_of_group(server.pid)
            out.append(
                Figure("Memory after opening every page, two visitors", f"{used:.0f} MB",
                       "limit of 500 MB", used / 500, 1)
            )
        return out
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=10)


def _wait_for(url: str, start: float) -> float:
    while time.perf_counter() - start < 60:
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return time.perf_counter() - start
        except OSError:
            time.sleep(0.02)
    raise TimeoutError("the app did not answer within a minute")


def _open_every_page(base: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for _ in range(2):
            page = browser.new_page()
            for path in PAGES:
                page.goto(base + path)
                page.wait_for_selector(".answer", timeout=30_000)
                page.wait_for_timeout(1500)
        browser.close()


def _memory_of_group(group: int) -> float:
    """Resident memory, in MB, of all processes that `make app` started."""
    total = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if os.getpgid(int(status.parent.name)) == group:
                line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
                total += float(line.split()[1]) / 1024
        except (OSError, StopIteration):
            continue
    return total


if __name__ == "__main__":
    (asked,) = (one for one in QUESTIONS if one.address == sys.argv[1])
    print(json.dumps([dataclasses.asdict(one) for one in sliders(asked)]))

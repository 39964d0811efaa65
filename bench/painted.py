"""From the release of a slider to the new chart on the screen, in Chromium, on every page: against
a trivial app with one chart, in the same browser, taking turns. Pages whose chart waits to
be asked for are left out."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Locator, Page, TimeoutError, sync_playwright

from bench.measure import Figure, milliseconds
from sdc_core.questions import QUESTIONS
from tests import chromium
from tests.serving import AS_MAKE_APP, serving

ROOT = Path(__file__).resolve().parents[1]
TRIVIAL = (*AS_MAKE_APP[:4], str(ROOT / "bench" / "trivial_app.py"), *AS_MAKE_APP[5:])
MOVES = 5
_QUIET = 600  # milliseconds without a change: everything is drawn

# Notes when a key is released and when a drawing last changed; a change counts from the frame after
# it, which is when it is seen.
_WATCH = """() => {
  const drawings = '[data-testid=stPlotlyChart], [class*=st-key-drawing]';
  window.released = window.drawn = 0;
  document.addEventListener('keyup', () => { released = performance.now(); drawn = 0; }, true);
  new MutationObserver((changes) => {
    const element = (node) => node.closest ? node : node.parentElement;
    const inside = ({target}) => element(target)?.closest(drawings);
    if (!changes.some(inside)) return;
    requestAnimationFrame(() => setTimeout(() => { drawn = performance.now(); }));
  }).observe(document.body, {subtree: true, childList: true, attributes: true,
    characterData: true});
}"""
_SETTLED = f"""() => drawn > released && performance.now() - drawn > {_QUIET} &&
  document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""


def figures() -> Iterator[Figure]:
    if not chromium.find():
        return
    with serving() as ours, serving(TRIVIAL) as trivial, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page, peer = (browser.new_page(viewport={"width": 1440, "height": 900}) for _ in range(2))
        for question in QUESTIONS:
            _opened(page, f"{ours}/{question.address}?data=ma2019-twin")
            if _sliders(page).count():
                with suppress(TimeoutError):
                    yield _figure(question.title, page, _opened(peer, trivial))
        browser.close()


def _figure(title: str, page: Page, peer: Page) -> Figure:
    _moved(page), _moved(peer)  # the first of each warms up
    times = [(_moved(page), _moved(peer)) for _ in range(MOVES)]
    ours, theirs = (statistics.median(one) for one in zip(*times, strict=True))
    return Figure(
        f"From slider release to the new chart painted on {title}", milliseconds(ours),
        f"a trivial one-chart app in the same browser, {milliseconds(theirs)}", ours / theirs, None,
    )


def _sliders(page: Page) -> Locator:
    return page.get_by_test_id("stMain").get_by_role("slider")


def _opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("[data-testid=stPlotlyChart] .trace, [class*=st-key-drawing]",
                           timeout=120_000)
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'",
        timeout=120_000)
    page.wait_for_timeout(1500)
    page.evaluate(_WATCH)
    return page


def _moved(page: Page) -> float:
    """Seconds from releasing the first slider, one step on, to the last change of a drawing."""
    page.bring_to_front()
    _sliders(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(_SETTLED, timeout=20_000)
    seconds: float = page.evaluate("(drawn - released) / 1000")
    return seconds

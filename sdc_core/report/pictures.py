"""Pictures as files, made without a page: `picture.js` runs in the Chrome, Edge or Chromium of the
machine, which kaleido finds and starts. Nothing is fetched from anywhere.

Kaleido's own page draws plotly figures and nothing else, so it is its browser (choreographer) that
is used here, with the page that draws any panel.
"""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer
from sdc_core.report.picture import HIGH, PLOTLY, WIDE, Picture, pictures, workshop
from sdc_core.whole_file import write_whole

_NONE_HERE = (
    "Pictures by command need Chrome, Edge or Chromium on this machine, and none was found; the "
    "Picture button of a page makes the same one in any browser."
)
_FAILS = (
    "The browser that was found for pictures does not start; BROWSER_PATH may name another."
)
_SECONDS = 120.0  # that the browser may take for one picture
Made = TypeVar("Made")


def write_pictures(found: Answer, folder: str, svg: bool = False) -> list[str]:
    """One PNG a panel (or SVG) in a folder, 16:9; gives the paths. Panels that belong together are
    one picture."""
    wanted, kind = pictures(found), "svg" if svg else "png"
    made = drawn(wanted, kind)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = [Path(folder) / f"{one.name}.{kind}" for one in wanted]
        for path, content in zip(paths, made, strict=True):
            write_whole(path, content)
    except OSError as problem:
        raise InputError(f"{folder!r} cannot be written: {problem}.") from None
    return [str(path) for path in paths]


def drawn(wanted: Sequence[Picture], kind: str = "png") -> list[bytes]:
    """These pictures, as the contents of files."""

    async def draw(tab: Any) -> list[bytes]:
        await tab.send_command("Emulation.setDeviceMetricsOverride", {
            "width": WIDE, "height": HIGH, "deviceScaleFactor": 1, "mobile": False,
        })
        await asyncio.wait_for(_ready(tab), _SECONDS)
        return [await _one(tab, picture, kind) for picture in wanted]

    return _in_browser(workshop(PLOTLY.as_uri()), draw) if wanted else []


def printed(page: str) -> bytes:
    """A page of ours, which needs nothing from elsewhere, as a PDF on A4."""

    async def print_(tab: Any) -> bytes:
        await asyncio.wait_for(_laid_out(tab), _SECONDS)
        answer = await asyncio.wait_for(tab.send_command("Page.printToPDF", {
            "preferCSSPageSize": True, "printBackground": True,
        }), _SECONDS)
        return base64.b64decode(answer["result"]["data"])

    return _in_browser(page, print_)


def can_draw() -> bool:
    """Is there a browser on this machine that draws and prints?"""
    if importlib.util.find_spec("choreographer") is None:
        return False
    from choreographer.browsers.chromium import Chromium

    return bool(Chromium.find_browser(skip_local=False))


def _in_browser(page: str, use: Callable[[Any], Awaitable[Made]]) -> Made:
    """What `use` makes of a tab that shows the page. In a thread of its own, since a notebook runs
    a loop already and allows no second one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(_used(page, use))).result()


async def _used(page: str, use: Callable[[Any], Awaitable[Made]]) -> Made:
    if importlib.util.find_spec("choreographer") is None:
        raise InputError("Pictures by command need the package kaleido: pip install kaleido.")
    from choreographer import Browser
    from choreographer.errors import BrowserFailedError, ChromeNotFoundError

    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "page.html"
        file.write_text(page, encoding="utf-8")
        try:
            browser = Browser(headless=True)
            await asyncio.wait_for(browser.open(), _SECONDS)
        except ChromeNotFoundError:
            raise InputError(_NONE_HERE) from None
        except (BrowserFailedError, TimeoutError):
            raise InputError(_FAILS) from None
        try:
            return await use(await browser.create_tab(file.as_uri()))
        finally:
            await browser.close()


async def _laid_out(tab: Any) -> None:
    """Until the page is there, with its fonts and charts: a new tab is empty for a moment."""
    while not await _evaluated(
            tab, "document.readyState === 'complete' && document.fonts.status === 'loaded' && "
            "document.querySelector('main') && "
            "[...document.querySelectorAll('.plotly-graph-div')].every("
            "one => one.querySelector('.main-svg'))"):
        await asyncio.sleep(0.05)


async def _ready(tab: Any) -> None:
    """Asked again and again: the event that tells it may come before anybody listens."""
    while await _evaluated(tab, "typeof makePicture") != "function":
        await asyncio.sleep(0.05)


async def _one(tab: Any, picture: Picture, kind: str) -> bytes:
    call = f"makePicture({picture.to_json()}, {json.dumps([kind])})"
    text: str = (await asyncio.wait_for(_evaluated(tab, call), _SECONDS))[kind]
    return text.encode() if kind == "svg" else base64.b64decode(text.partition(",")[2])


async def _evaluated(tab: Any, expression: str) -> Any:
    answer = await tab.send_command("Runtime.evaluate", {
        "expression": expression, "awaitPromise": True, "returnByValue": True,
    })
    found = answer["result"]
    if "exceptionDetails" in found:
        raise RuntimeError(str(found["exceptionDetails"]))
    return found["result"].get("value")

"""Pictures as files, made without a page: `picture.js` runs in the Chrome, Edge or Chromium of the
machine, which kaleido finds and starts. Nothing is fetched from anywhere."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer
from sdc_core.report.picture import PLOTLY, Picture, pictures, workshop

_NONE_HERE = (
    "Pictures by command need Chrome, Edge or Chromium on this machine, and none was found; the "
    "Picture button of a page makes the same one in any browser."
)
_FAILS = (
    "The browser that was found for pictures does not start; BROWSER_PATH may name another."
)
_SECONDS = 120.0  # that the browser may take for one picture


def write_pictures(found: Answer, folder: str, svg: bool = False) -> list[str]:
    """One PNG a panel (or SVG) in a folder, 16:9; gives the paths. Panels that belong together are
    one picture."""
    wanted, kind = pictures(found), "svg" if svg else "png"
    # in a thread of its own, since a notebook runs a loop already and allows no second one
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(lambda: asyncio.run(_drawn(wanted, kind))).result()
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = [Path(folder) / f"{one.name}.{kind}" for one in wanted]
        for path, content in zip(paths, made, strict=True):
            path.write_bytes(content)
    except OSError as problem:
        raise InputError(f"{folder!r} cannot be written: {problem}.") from None
    return [str(path) for path in paths]


async def _drawn(wanted: Sequence[Picture], kind: str) -> list[bytes]:
    if importlib.util.find_spec("kaleido") is None:
        raise InputError("Pictures by command need the package kaleido: pip install kaleido.")
    from choreographer.errors import BrowserFailedError, ChromeNotFoundError
    from kaleido import Kaleido

    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "workshop.html"
        page.write_text(workshop(PLOTLY.as_uri()), encoding="utf-8")
        try:
            async with Kaleido(page_generator=page) as browser:
                (tab, *_) = browser.tabs.values()
                return [await _one(tab, picture, kind) for picture in wanted]
        except ChromeNotFoundError:
            raise InputError(_NONE_HERE) from None
        except BrowserFailedError:
            raise InputError(_FAILS) from None


async def _one(tab: Any, picture: Picture, kind: str) -> bytes:
    kinds = json.dumps([kind])
    call = tab.send_command("Runtime.evaluate", {
        "expression": f"makePicture({picture.to_json()}, {kinds})",
        "awaitPromise": True, "returnByValue": True,
    })
    answer = (await asyncio.wait_for(call, _SECONDS))["result"]
    if "exceptionDetails" in answer:
        raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", answer))
    text: str = answer["result"]["value"][kind]
    return text.encode() if kind == "svg" else base64.b64decode(text.partition(",")[2])

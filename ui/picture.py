"""A picture of a panel, made in the reader's own browser: a look at it first, then PNG or SVG.

The engine says what is in it and brings the script that draws it (`sdc_core/report/picture.py`);
here it is handed to the browser, only once somebody opens it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

from sdc_core.questions.answer import Answer, Panel
from sdc_core.report.picture import HIGH, PLOTLY, WIDE, picture, workshop

_LIBRARY = "library"
_MARKUP = """<div class="picture">
  <p role="status">Drawing the picture…</p><p class="files" hidden></p><img hidden></div>"""
_LOOK = """
.picture { width: min(34rem, 80vw); min-height: 15rem; font: 0.9rem var(--st-font);
  color: var(--st-text-color); }
.picture img { width: 100%; display: block; border: 1px solid var(--st-border-color); }
.picture img[hidden], .picture p[hidden] { display: none; }
.picture p { margin: .4rem 0; } .picture .files { display: flex; gap: 1rem; align-items: baseline; }
.picture a { color: var(--st-link-color); font-weight: 600; padding: .35rem 0; }
"""
# The workshop is a document of its own, so that the page's look does not show in a picture; it
# stays for the next one.
_SCRIPT = """
const ID = "picture-workshop";

function opened(page, size) {
  let frame = document.getElementById(ID);
  if (!frame) {
    frame = Object.assign(document.createElement("iframe"), {
      id: ID, title: "Pictures are drawn here", tabIndex: -1, srcdoc: page});
    frame.setAttribute("aria-hidden", "true");
    frame.style.cssText = "position:fixed;left:-9999px;top:0;border:0";
    frame.style.width = `${size[0]}px`, frame.style.height = `${size[1]}px`;
    frame.ready = new Promise((ready) => frame.addEventListener("load", ready));
    document.body.append(frame);
  }
  return frame.ready.then(() => frame.contentWindow);
}

const addresses = new WeakMap();  // of the files that a place offers, to be let go of

export default function ({parentElement, data}) {
  const place = parentElement.querySelector(".picture");
  const [status, files, image] = place.children;
  const described = JSON.parse(data.picture);
  let wanted = true;
  const drawn = opened(data.workshop, data.size).then(
    (shop) => shop.makePicture(described, ["png"]));
  drawn.then(async (made) => {
    const png = await (await fetch(made.png)).blob();
    const svg = new Blob([made.svg], {type: "image/svg+xml"});
    if (!wanted) return;
    (addresses.get(place) || []).forEach(URL.revokeObjectURL);
    const links = [["PNG", png], ["SVG", svg]].map(([kind, blob]) => Object.assign(
      document.createElement("a"), {
        href: URL.createObjectURL(blob), textContent: kind, title: `Save as ${kind}`,
        download: `${described.name}.${kind.toLowerCase()}`}));
    addresses.set(place, links.map((one) => one.href));
    image.src = links[0].href;
    image.alt = described.alt || described.title;
    files.replaceChildren("Save as", ...links);
    [status.hidden, image.hidden, files.hidden] = [true, false, false];
  }).catch((problem) => { status.textContent = `No picture could be drawn: ${problem.message}`; });
  return () => { wanted = false; };
}
"""


def draw(panel: Panel, drawn: Callable[[], Answer]) -> None:
    """`drawn` gives the answer as it looks on white."""
    found = drawn()
    st.components.v2.component("panel_picture", html=_MARKUP, css=_LOOK, js=_SCRIPT)(
        key=f"drawn.{panel.name}",
        data={"workshop": workshop(_library_url()), "size": [WIDE, HIGH],
              "picture": picture(found, found.panel(panel.name)).to_json()},
    )


def _library_url() -> str:
    """Where the browser finds plotly.js: the page's own copy of it cannot be reached, so the file
    is offered as the asset of a component."""
    declare_component(_LIBRARY, path=str(Path(PLOTLY).parent))
    return f"component/{__name__}.{_LIBRARY}/{PLOTLY.name}"

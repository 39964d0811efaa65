"""A brief as one HTML file: nothing is fetched from anywhere, charts stay interactive, it prints on
paper as it looks, and the app opens it again.

The column is as wide as what A4 leaves between its margins, so charts need not be drawn anew when
somebody prints.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import plotly.io

from sdc_core.questions.answer import Panel, TableView
from sdc_core.report.brief import Document, Item, Section
from sdc_core.report.brief_file import escaped
from sdc_core.report.picture import font_face, table_html, together

WIDE = 684  # pixels: A4 at 96 to the inch, less two margins of 14 mm
_HIGH = 270  # of a chart, unless it has rows that need more
_ALONE, _BESIDE, _GAP = 820, 400, 16  # how wide charts are drawn before they are made to fit
_FONT = "'Source Sans 3', system-ui, sans-serif"
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 'Source Sans 3', system-ui, sans-serif; width: 690px; max-width: 94vw;
  margin: 1.5rem auto; color: #1C2330; background: #fff; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.55rem; line-height: 1.2; margin: .2rem 0; }
h2 { font-size: 1.08rem; line-height: 1.3; margin: 1rem 0 .2rem; }
h3 { font-size: .95rem; margin: .8rem 0 .2rem; } p { margin: .25rem 0; }
.stamp b { display: inline-block; padding: 0 .45rem; border-radius: .25rem; color: #fff;
  background: #1F5F93; } .asked { font-size: 1.05rem; color: #41485A; }
.item, section { break-inside: avoid; } .said { max-width: 62em; }
.source, footer, .caption { color: #555B66; font-size: .82rem; }
.own { border-left: 3px solid #B9BEC8; padding-left: .6rem; }
.own::after { content: "The author's words."; color: #555B66; font-size: .78rem; }
.fill { min-height: 4.5rem; border: 1px dashed #9AA0AC; border-radius: .3rem; padding: .4rem .6rem;
  color: #6A7080; }
table { border-collapse: collapse; font-size: .8rem; }
td, th { padding: .1rem .5rem; text-align: left; border-bottom: 1px solid #ddd; }
.number { text-align: right; } .side { display: grid; align-items: start; }
.side > div { min-width: 0; overflow: hidden; }
pre { white-space: pre-wrap; font-size: .72rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; font-size: .8rem;
  margin: .3rem 0; } dt { color: #555B66; } dd { margin: 0; overflow-wrap: anywhere; }
@media print { @page { size: A4; margin: 12mm 14mm; }
  body { margin: 0; width: auto; max-width: none; font-size: 10pt; line-height: 1.36; }
  h2 { margin-top: .8rem; } .fill { min-height: 3.2rem; } .by-hand { display: none; }
  .stamp b { color: #1F5F93; background: none; border: 1.5px solid; } /* backgrounds are left out */
  .modebar-container, details:not([open]) { display: none !important; } .item { margin: 0; }
  .appendix { break-before: page; } }
@media screen and (max-width: 720px) { .side > div { overflow-x: auto; max-width: 94vw; }
  .side { grid-template-columns: 1fr !important; } }
"""
# On a phone charts are drawn anew, as wide as it is: made smaller, nobody could read them.
_ON_A_PHONE = """<script>
if (innerWidth < 720) for (const chart of document.querySelectorAll(".chart")) {
  const inside = chart.firstElementChild, drawn = chart.querySelector(".plotly-graph-div");
  const wide = Math.floor(innerWidth * 0.94);
  chart.style.width = inside.style.width = wide + "px";
  chart.style.height = drawn.layout.height + "px";
  inside.style.transform = "none";
  Plotly.relayout(drawn, {width: wide});
}
</script>"""


def as_html(document: Document, appendix_open: bool = False) -> str:
    """The whole file as text."""
    charts = Charts()
    parts = [
        f'<header><p class="stamp">{_stamps(document)}</p><h1>{html.escape(document.title)}</h1>'
        f'<p class="asked">{html.escape(document.asked)}</p></header>',
        *(_item(item, charts) for item in document.items),
        *(_section(section) for section in document.sections),
        _appendix(document, appendix_open),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(document.title)}</title><style>{font_face()}{_STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main>{document.brief.carried()}{_ON_A_PHONE}</body>"
        "</html>"
    )


def _stamps(document: Document) -> str:
    split = (stamp.partition(": ") for stamp in document.stamps)
    return " ".join(f"<b>{html.escape(kind)}</b> {html.escape(data)}" for kind, _, data in split)


class Charts:
    """The library goes into the file once, with the first chart."""

    def __init__(self) -> None:
        self._there = False

    def drawn(self, figure: Any, wide: int, room: float) -> str:
        """A chart drawn so wide and shown in so much room: its letters are no larger than the
        text's. Scaled by a transform, which the library knows of when it looks for the mouse."""
        described = figure.to_dict()
        layout = {**described["layout"], "width": wide, "autosize": False}
        layout.setdefault("height", _HIGH)
        layout["font"] = {**layout.get("font", {}), "family": _FONT}
        described = {"data": described["data"], "layout": layout}
        text: str = plotly.io.to_html(
            described, full_html=False, include_plotlyjs=not self._there, validate=False,
            config={"displaylogo": False, "responsive": False},
        )
        self._there = True
        scale = room / wide
        return (
            f'<div class="chart" style="width: {room:.0f}px; '
            f'height: {layout["height"] * scale:.0f}px">'
            f'<div style="width: {wide}px; transform: scale({scale:.4f}); transform-origin: 0 0">'
            f"{text}</div></div>"
        )


def _item(item: Item, charts: Charts) -> str:
    said = _paragraphs(item.said, item.own_words)
    drawn = "" if item.panel is None else panels_html(together(item.answer, item.panel), charts)
    return f'<article class="item"><h2>{html.escape(item.title)}</h2>{drawn}{said}</article>'


def panels_html(group: Sequence[Panel], charts: Charts) -> str:
    """Panels that are one picture together: their charts side by side."""
    figures = [figure for panel in group for figure in panel.figures]
    row = 3 if len(figures) == 3 else min(2, max(len(figures), 1))
    wide = _ALONE if row == 1 else _BESIDE
    room = WIDE if row == 1 else WIDE / row * _BESIDE / (_BESIDE + _GAP)
    grid = f' style="grid-template-columns: repeat({row}, 1fr)"' if row > 1 else ""
    inside = [charts.drawn(figure, wide, room) for figure in figures]
    for panel in group:
        if isinstance(panel.drawing, TableView):
            inside.append(table_html(panel.drawing, panel.drawing.most or 20))
        elif isinstance(panel.drawing, str):
            inside.append(panel.drawing)
    label = html.escape(" ".join(panel.alt for panel in group if panel.alt), quote=True)
    legend = "".join(panel.legend for panel in group)
    return (f'{legend}<div class="side"{grid} role="img" aria-label="{label}">{"".join(inside)}'
            "</div>")


def _paragraphs(said: tuple[str, ...], own_words: bool) -> str:
    text = "".join(map(escaped, said)) if own_words else "".join(
        f"<p>{html.escape(one)}</p>" for one in said)
    return f'<div class="own">{text}</div>' if own_words else text


def _section(section: Section) -> str:
    inside = ('<div class="fill">To be written by the author.</div>' if section.to_fill
              else _paragraphs(section.said, section.own_words))
    return f"<section><h2>{html.escape(section.title)}</h2>{inside}</section>"


def _appendix(document: Document, opened: bool) -> str:
    parts = []
    for headline, facts, code in document.appendix:
        listed = "".join(
            f"<dt>{html.escape(str(name))}</dt><dd>{html.escape(fact_text(value))}</dd>"
            for name, value in facts.items()
        )
        parts.append(f"<h3>{html.escape(headline)}</h3><dl>{listed}</dl>"
                     f"<pre>{html.escape(code)}</pre>")
    return (
        f'<details class="appendix"{" open" if opened else ""}><summary>Technical appendix: '
        f"settings, versions, data and code</summary>{''.join(parts)}</details>"
    )


def fact_text(value: Any) -> str:
    """A fact of the appendix on one line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {inner}" for name, inner in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, value)) or "none"
    return str(value)


_SLIDES = """
html { scroll-snap-type: y mandatory; } body { width: auto; max-width: none; margin: 0; }
.slide { min-height: 100vh; box-sizing: border-box; padding: 4vh 5vw; scroll-snap-align: start;
  display: flex; flex-direction: column; }
.slide h1, .slide h2 { font-size: clamp(1.5rem, 2.9vw, 4rem); margin: 0 0 1.2rem; }
.slide h1 { font-size: clamp(2rem, 4.4vw, 6rem); margin-top: 20vh; }
.slide p, .slide .fill { font-size: clamp(1.1rem, 1.9vw, 2.6rem); margin: .4rem 0 .8rem; }
.slide .side { width: 684px; }
.slide .foot { font-size: .95rem; color: #555B66; margin-top: auto; }
.notes { display: none; } body.speaking .notes { display: block; color: #41485A; }
@media print { .slide { break-after: page; } @page { size: A4 landscape; } }
"""
# Arrow and page keys, and so a clicker, go from slide to slide; n shows what to say.
_KEYS = """<script>
document.addEventListener("keydown", (event) => {
  if (event.key === "n") document.body.classList.toggle("speaking");
  const step = {ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1}[event.key];
  if (!step) return;
  event.preventDefault();
  const slides = [...document.querySelectorAll(".slide")];
  const here = slides.findIndex((one) => one.getBoundingClientRect().top > -innerHeight / 2);
  slides[Math.min(Math.max(here + step, 0), slides.length - 1)].scrollIntoView();
});
// A picture fills the room that its slide leaves: it is scaled, which the charts know of.
const fit = () => document.querySelectorAll(".slide .side").forEach((one) => {
  Object.assign(one.style, {transform: "none", marginBottom: 0});
  const slide = one.closest(".slide"), foot = slide.querySelector(".foot");
  const above = one.getBoundingClientRect().top - slide.getBoundingClientRect().top;
  const room = innerHeight * 0.94 - above - foot.offsetHeight;
  const scale = Math.max(Math.min(slide.clientWidth * 0.9 / one.offsetWidth,
    room / one.offsetHeight), 0.5);
  Object.assign(one.style, {transform: `scale(${scale})`, transformOrigin: "0 0",
    marginBottom: one.offsetHeight * (scale - 1) + "px"});
});
addEventListener("load", fit);
addEventListener("resize", fit);
</script>"""


def as_projector_page(document: Document) -> str:
    """The brief as slides in one HTML file: one answer a slide, what to say under it (key n)."""
    charts, stamps = Charts(), _stamps(document)

    def slide(inside: str, notes: str = "") -> str:
        said = f'<div class="notes">{notes}</div>' if notes else ""
        return f'<section class="slide">{inside}{said}<p class="foot stamp">{stamps}</p></section>'

    slides = [slide(f"<h1>{html.escape(document.title)}</h1><p>{html.escape(document.asked)}</p>",
                    "<p>Arrow keys go from slide to slide; n shows and hides what to say.</p>")]
    for item in document.items:
        drawn = "" if item.panel is None else panels_html(together(item.answer, item.panel), charts)
        said = _paragraphs(item.said, item.own_words)
        slides.append(slide(f"<h2>{html.escape(item.title)}</h2>{drawn or said}",
                            said if drawn else ""))
    slides += [slide(_section(section)) for section in document.sections]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(document.title)}</title>"
        f"<style>{font_face()}{_STYLE}{_SLIDES}</style></head>"
        f"<body><main>{''.join(slides)}</main>{document.brief.carried()}{_KEYS}</body></html>"
    )

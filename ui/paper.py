"""A page on paper: the answer, its charts and tables whole, how it was set and where it comes from;
no controls. The reader prints as always; what the screen leaves out waits in the page, unseen."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from sdc_core.questions.answer import Answer, Panel, TableView
from sdc_core.report.picture import footer, table_html
from sdc_core.words.glossary import used_in

_MOST_ROWS = 1000
STYLE = """<style>
@media screen {
  .on-paper, [data-testid="stElementContainer"]:has(> [data-testid="stHtml"] > .on-paper) {
    display: none; }
}
@media print {
  @page { size: A4 portrait; margin: 14mm; }
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"], .modebar,
  .stDownloadButton, .stPopover, .stButton, .stPageLink, .stButtonGroup, .stSlider, .stSelectbox,
  .stMultiSelect, .stNumberInput, .stCheckbox, .stTextArea, .stFileUploader, .stDataFrame,
  .st-key-own-controls, .st-key-aside, [class*="st-key-table-"], [class*="st-key-keep-"],
  [class*="st-key-offers-"], .st-key-about-brief, [data-testid="stColumn"]:has(.st-key-edit-brief),
  [data-testid="stElementContainer"]:has(.stDataFrame),
  .stExpander:has(> details:not([open])), [data-testid="stExpander"] summary svg {
    display: none !important; }
  html, body, #root, [data-testid="stApp"], [data-testid="stAppViewContainer"],
  [data-testid="stMain"] { position: static !important; height: auto !important;
    overflow: visible !important; background: #fff !important; }
  [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
  [data-testid="stApp"], [data-testid="stApp"] :not(svg *, [style*="color:"]) {
    color: #1C2330 !important; }
  [data-testid="stApp"] .stamp b { color: #fff !important; }
  .st-key-answer { min-height: 0 !important; }
  .answer { font-size: 1.3rem; } .answer-more { font-size: .95rem; }
  h1, h2, h3 { break-after: avoid; }
  [class*="st-key-drawing-"]:not(:has(table, .bars)), .printed-chart, .bars > div, tr, .stAlert,
  .stHtml details {
    break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .stPlotlyChart { position: absolute !important; height: 0 !important; overflow: hidden;
    visibility: hidden; }
  [data-testid="stElementContainer"]:has(.printed-chart), :has(> .printed-chart) {
    height: auto !important; }
  [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) { display: flex !important;
    flex-wrap: wrap; gap: .6rem; }
  [class*="st-key-beside-"] [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) {
    display: grid !important;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 200px), 1fr)); }
  [data-testid="stColumn"] { min-width: 0 !important; }
  .printed-chart { position: relative; width: 100%; visibility: visible; }
  .printed-chart svg { position: absolute; inset: 0; width: 100%; height: 100%; }
  .printed-chart svg text.ink { fill: #1C2330 !important; }
  .on-paper table { border-collapse: collapse; font-size: .72rem; margin: .3rem 0 .6rem; }
  .on-paper :is(td, th) { padding: .12rem .5rem; border-bottom: 1px solid #ccc; text-align: left; }
  .on-paper p { margin: .2rem 0; font-size: .85rem; }
}
</style>"""

# A chart is as wide as the screen and is drawn anew, too late, when it becomes as wide as paper:
# so its drawing is copied, and the copy scales. What is written on the page's ground becomes ink;
# what is written on a mark has the colour that is read there. Folded texts are opened, and folded
# again.
SCRIPT = """<script>
if (!window.printsWhole) {
  window.printsWhole = true;
  let folded = [];
  const rgb = (color) => {
    const one = document.createElement("i");
    one.style.color = color;
    return one.style.color;
  };
  const onGround = (chart) => {
    const { font, legend } = chart.querySelector(".js-plotly-plot")?._fullLayout ?? {};
    const page = getComputedStyle(document.querySelector("[data-testid=stApp]")).color;
    return new Set([page, font?.color, legend?.font?.color].filter(Boolean).map(rgb));
  };
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("[data-testid=stMain] details:not([open])")]
      .filter(one => !one.closest("[class*='st-key-table-'], [class*='st-key-open-'], .bar-opens"));
    folded.forEach(one => { one.open = true; });
    for (const chart of document.querySelectorAll(".stPlotlyChart")) {
      const layers = [...chart.querySelectorAll("svg.main-svg")];
      if (!layers.length) continue;
      const wide = layers[0].clientWidth, high = layers[0].clientHeight;
      const copy = document.createElement("div");
      copy.className = "printed-chart";
      copy.style.aspectRatio = `${wide} / ${high}`;
      copy.style.maxWidth = `${wide}px`;
      copy.innerHTML = layers.map(layer => layer.outerHTML
        .replaceAll(/\\bid="/g, 'id="paper-')  // what it refers to is in the copy as well
        .replaceAll(/url\\((?:&quot;|')?[^)#]*#([^)&']+)(?:&quot;|')?\\)/g, "url(#paper-$1)")
        .replaceAll(/href="#/g, 'href="#paper-')).join("");
      for (const drawn of copy.querySelectorAll(":scope > svg")) {
        drawn.setAttribute("viewBox", `0 0 ${wide} ${high}`);
        drawn.removeAttribute("style");
      }
      const ground = onGround(chart);
      for (const text of copy.querySelectorAll("svg text"))
        if (ground.has(text.style.fill)) text.classList.add("ink");
      chart.after(copy);
    }
  });
  window.addEventListener("afterprint", () => {
    document.querySelectorAll(".printed-chart").forEach(one => one.remove());
    folded.forEach(one => { one.open = false; });
  });
}
</script>"""


def _put(body: str) -> None:
    st.html(f'<div class="on-paper">{body}</div>')


def table(view: TableView) -> None:
    """All rows: on screen a table shows a part of them."""
    _put(table_html(view, _MOST_ROWS))


def folded(panel: Panel) -> None:
    """What a panel that is closed on screen has to say."""
    texts = [*(one.text for one in panel.notices), *panel.prose, panel.caption, panel.note]
    said = "".join(f"<p>{html.escape(text)}</p>" for text in texts if text)
    drawn = panel.drawing if isinstance(panel.drawing, str) else ""
    if isinstance(panel.drawing, TableView):
        drawn = table_html(panel.drawing, _MOST_ROWS)
    if said or drawn:
        _put(f"<h2>{html.escape(panel.title)}</h2>{said}{drawn}")


def about(found: Answer, sources: Sequence[str]) -> None:
    """How the answer was set, where it comes from, and what its words mean."""
    texts = [found.headline, found.more, *(
        text for panel in found.panels for text in (panel.caption, panel.note, *panel.prose))]
    lines = list(footer(found.provenance)) if found.provenance else []
    lines.append(("Method:", f"{'; '.join(sources)}."))
    facts = "".join(f"<p><b>{html.escape(k)}</b> {html.escape(v)}</p>" for k, v in lines)
    words = "".join(
        f"<p><b>{html.escape(term.title)}</b>: {html.escape(term.means)}</p>"
        for term in used_in(texts)
    )
    _put(f"<h2>About these numbers</h2>{facts}<h2>Words</h2>{words}")

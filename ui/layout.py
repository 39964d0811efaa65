"""How a page is laid out: the answer first, then a chart with its table, then detail."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.data import to_safe_csv
from sdc_core.narrative.compare import Tone, guarantee_chip, published_text
from sdc_core.privacy.guarantee import Guarantee

_MARKDOWN_SIGNS = "\\`*_{}[]()#+-.!|~<>$:"

_TONES: dict[Tone, tuple[str, str]] = {
    "strong": ("green", ":material/verified_user:"),
    "weak": ("orange", ":material/gpp_maybe:"),
    "none": ("gray", ":material/remove_moderator:"),
    "broken": ("red", ":material/gpp_bad:"),
}

# Printing: leave the controls out, so that what remains can be handed round.
_STYLE = """
<style>
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"],
  .stDownloadButton, .stPopover, .stButton { display: none !important; }
  [data-testid="stMain"] { overflow: visible !important; }
}
[data-testid="stMainBlockContainer"] { padding-top: 3.2rem; max-width: 1500px; }
/* On a tablet four cards in a row would be too narrow to read: let them wrap. */
[data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 205px); }
[class*="st-key-csv"] { margin-top: -4px; }  /* on one line with Table beside it */
.answer { font-size: 1.55rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em;
  margin: 0 0 .35rem 0; text-wrap: pretty; font-variant-numeric: tabular-nums; }
.answer-more { font-size: 1.05rem; line-height: 1.5; margin: 0; max-width: 62em;
  font-variant-numeric: tabular-nums; }
/* A finger cannot point without touching: the chart's buttons would always cover it. */
@media (hover: none) { .modebar-container { display: none !important; } }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding-top: 4.6rem; }
  .answer { font-size: 1.2rem; } .answer-more { font-size: .98rem; }
}
</style>
"""


def style() -> None:
    st.html(_STYLE)


def plain(text: str) -> str:
    """Text that Markdown shows as it is; labels may come from an uploaded file."""
    return "".join(f"\\{c}" if c in _MARKDOWN_SIGNS else c for c in text)


def answer(headline: str, more: str = "") -> None:
    """The page's answer: one sentence with numbers, and what it does not say yet."""
    second = f'<p class="answer-more">{html.escape(more)}</p>' if more else ""
    st.html(f'<p class="answer" role="heading" aria-level="1">{html.escape(headline)}</p>{second}')


def chart(
    name: str,
    title: str,
    caption: str,
    drawn: Sequence[go.Figure] | str,
    table: Callable[[], pd.DataFrame],
    alt: str,
) -> None:
    """A chart with a title, a sentence before it, its data as a table, and a CSV.

    `drawn` is one figure, several that stand side by side and stack on a narrow screen, or HTML.
    """
    if title:
        st.markdown(f"#### {title}")
    if caption:
        st.caption(plain(caption))
    if isinstance(drawn, str):
        st.html(drawn)
    else:
        _side_by_side(name, drawn, alt)
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        csv_button(name, table)
        shown = st.expander("Table", icon=":material/table:", key=f"table.{name}",
                            on_change="rerun", type="compact")
    if shown.open:
        shown.dataframe(table(), hide_index=True)


def csv_button(name: str, table: Callable[[], pd.DataFrame]) -> None:
    """The table as a file that a spreadsheet opens safely, made only when asked for."""
    st.download_button(
        "CSV", data=lambda: to_safe_csv(table()).encode("utf-8-sig"), file_name=f"{name}.csv",
        mime="text/csv", key=f"csv.{name}", on_click="ignore", icon=":material/download:",
        type="tertiary",
    )


def _side_by_side(name: str, figures: Sequence[go.Figure], alt: str) -> None:
    places = st.columns(len(figures)) if len(figures) > 1 else [st.container()]
    for i, (place, fig) in enumerate(zip(places, figures, strict=True)):
        place.plotly_chart(
            fig, key=f"chart.{name}.{i}", alt=alt, width="stretch",
            config={
                "displaylogo": False,
                "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d",
                                           "zoomOut2d", "pan2d"],
                "toImageButtonOptions": {"format": "png", "scale": 2, "filename": name},
            },
        )


def chip(guarantee: Guarantee) -> None:
    """The guarantee under a card: what is promised, with the reason a pointer away."""
    found = guarantee_chip(guarantee)
    color, icon = _TONES[found.tone]
    colors: Any = color
    st.badge(found.text, icon=icon, color=colors, help=guarantee.remark)


def verdict(place: DeltaGenerator, name: str, guarantee: Guarantee) -> None:
    """A guarantee in full: published and true δ, why they differ, and where it comes from."""
    with place:
        st.markdown(f"**{plain(name)}**")
        if guarantee.holds is False:
            st.error(plain(f"{published_text(guarantee)} {guarantee.remark}"),
                     icon=":material/gpp_bad:")
        else:
            st.markdown(plain(f"{published_text(guarantee)} {guarantee.remark}"))
        for fact in guarantee.invariants:
            st.markdown(plain(f"Published as it is, without protection: {fact}."))
        st.caption(plain(f"Neighbours: {guarantee.neighbours}. Source: {guarantee.citation}."))

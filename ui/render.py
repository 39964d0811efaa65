"""Any answer as a page: the sentence first, then panels, each with its picture, its numbers and its
words. Nothing is computed here."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from sdc_core.figures.theme import DescribedFigure
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions import question
from sdc_core.questions.answer import Action, Answer, Notice, Panel, See, TableView, Tone
from sdc_core.report.files import csv_bytes
from sdc_core.words.guarantees import Tone as PromiseTone
from sdc_core.words.guarantees import guarantee_chip
from ui import menu, opens, paper, picking, picture, pins, progress, state, terms
from ui.terms import plain

_TONES: dict[PromiseTone, tuple[str, str]] = {
    "strong": ("green", ":material/verified_user:"),
    "weak": ("orange", ":material/gpp_maybe:"),
    "none": ("gray", ":material/remove_moderator:"),
    "broken": ("red", ":material/gpp_bad:"),
}

STYLE = """<style>
[data-testid="stMain"] h2 { font-size: 1.35rem; line-height: 1.3; padding: .2rem 0 .3rem 0; }
[data-testid="stMain"] [data-testid="stMarkdown"] h3 { font-size: 1rem; line-height: 1.5;
  font-weight: 650; padding: 0; }
/* On a tablet four cards in a row would be too narrow to read: let them wrap. */
[data-testid="stMain"] [data-testid="stColumn"] { min-width: min(100%, 205px); }
/* Small charts: the last row's are as wide as the others', however few. */
[class*="st-key-beside-"] [data-testid="stHorizontalBlock"] { display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 205px), 1fr)); }
[class*="st-key-beside-"] [data-testid="stColumn"] { width: auto; min-width: 0; }
/* Grey text of Streamlit's is too pale to read for many: 4.2 to 1 where 4.5 is needed. */
[data-testid="stApp"] [data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
[data-testid="stExpander"] summary { opacity: .85; }
[data-testid="stMultiSelectTagsContainer"] > span > span, [data-testid="stMultiSelectTagsContainer"]
  > span > span * { color: inherit; }
[data-testid="stMultiSelectTagsContainer"] > span > span { background: rgb(127 140 160 / .25); }
[data-testid="stApp"] button[data-testid="stPopoverButton"]:is(:hover, :active, :focus) {
  color: inherit; }
/* on one line with Table beside them */
[class*="st-key-keep-"] { margin-top: -4px; position: relative; z-index: 1; }  /* over a map */
.st-key-stamp { height: 1.4rem; } .st-key-stamp > div { width: auto; }
.st-key-pin-headline button { min-height: 0; padding: 0; }
.stamp { font-size: .82rem; line-height: 1.25rem; margin: 0 0 .1rem; }
.stamp b { display: inline-block; padding: 0 .45rem; margin-right: .3rem; border-radius: .25rem;
  color: #fff; background: #1F5F93; } .stamp.twin b { background: #6C3FA0; }
.stamp.own b { background: #1C6E3D; }
.answer { font-size: 1.55rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em;
  margin: 0 0 .35rem 0; padding: 0; text-wrap: pretty; font-variant-numeric: tabular-nums; }
.answer-more { font-size: 1.05rem; line-height: 1.5; margin: 0; max-width: 62em;
  font-variant-numeric: tabular-nums; }
/* A finger cannot point without touching: the chart's buttons would always cover it. */
@media (hover: none) { .modebar-container { display: none !important; } }
@media (max-width: 640px) {
  .answer { font-size: 1.2rem; } .answer-more { font-size: .98rem; }
}
</style>
"""


def stamp(found: Answer, on_white: Callable[[], Answer] | None = None) -> None:
    """Which data, and whether of real people: beside the answer, on screen and on paper; and a pin
    for the answer."""
    about = found.provenance
    if about is None:
        return
    data, kind = about.stamp
    origin = "real" if about.own_data else about.dataset.origin
    with st.container(horizontal=True, key="stamp", gap="small"):
        st.html(f'<p class="stamp {origin}"><b>{html.escape(kind)}</b> {html.escape(data)}</p>')
        pins.button(found, pins.HEADLINE, on_white)


def headline(found: Answer) -> None:
    """The answer: one sentence with numbers, and what it does not say yet."""
    terms.begin()
    first = terms.in_html(found.headline)
    second = f'<p class="answer-more">{terms.in_html(found.first)}</p>' if found.first else ""
    st.html(f'<h1 class="answer">{first}</h1>{second}')


def more(text: str) -> None:
    """What is said once the first picture has been seen."""
    if text:
        st.html(f'<p class="answer-more">{terms.in_html(text)}</p>')


def see(leads: Sequence[See]) -> None:
    """Ways to other pages. Streamlit changes the page within the visit, so all that is set there
    and here, and the reader's file, go along."""
    if leads:
        with st.container(horizontal=True, gap="small"):
            for one in leads:
                label = f"{one.says} · {question(one.address).title}"
                menu.link_to(one.address, label, ":material/arrow_forward:")


_NOTICES: dict[Tone, Callable[..., Any]] = {
    "info": st.info, "warning": st.warning, "error": st.error,
}


def notices(listed: Sequence[Notice]) -> None:
    for one in listed:
        icon = f":material/{one.icon}:" if one.icon else None
        if one.tone != "quiet":
            _NOTICES[one.tone](terms.in_markdown(one.text), icon=icon)
        elif one.action is None:
            st.caption(terms.in_markdown(one.text))
        else:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(terms.in_markdown(one.text))
                _button(one.action, one.action.label)


Editors = Mapping[str, Callable[[Panel], None]]


class Around(NamedTuple):
    """What panels need of the page around them: `draw_control` draws one of the question's own
    controls; `editors` draw panels that can be changed; `on_white` gives the answer as it looks
    in a picture; `first` are the panels that are not one picture together with an earlier one;
    `answer` is what the panels are part of."""

    draw_control: Callable[[str], None]
    editors: Editors = {}
    first: Collection[str] = ()
    on_white: Callable[[], Answer] | None = None
    answer: Answer | None = None

    def pictured(self, panel: Panel) -> Callable[[], Answer] | None:
        """What a picture of the panel is made from, if it offers one: it has something to look at,
        and is the first of those that are one picture together."""
        if panel.drawing is None or not panel.pictured or panel.editor in self.editors or (
                panel.name not in self.first):
            return None
        return self.on_white


def panels(
    listed: Sequence[Panel], around: Around, after_first: Callable[[], None] = lambda: None,
) -> None:
    """The panels in reading order, as many in a row as their widths allow. `after_first` draws what
    is read after the first picture."""
    picking.prepare(listed)
    pictures = {panel.together or panel.name: panel.name for panel in reversed(listed)}
    around = around._replace(first=pictures.values())
    pending = True
    for row in _rows(listed):
        shares = [panel.width for panel in row]
        places: Sequence[AbstractContextManager[Any]] = (
            st.columns(shares, gap="medium") if len(row) > 1 else [nullcontext()])
        for place, panel in zip(places, row, strict=True):
            with place:
                _panel(panel, around)
        if pending and any(panel.drawing is not None for panel in row):
            after_first()
            pending = False
    if pending:
        after_first()


def _rows(listed: Sequence[Panel]) -> Iterator[list[Panel]]:
    row: list[Panel] = []
    for panel in listed:
        if row and sum(p.width for p in row) + panel.width > 1.0 + 1e-9:
            yield row
            row = []
        row.append(panel)
    if row:
        yield row


def _panel(panel: Panel, around: Around) -> None:
    if not panel.folded:
        _heading(panel, around.draw_control)
        _content(panel, around)
        return
    icon = f":material/{panel.icon}:" if panel.icon else None
    shown = st.expander(plain(panel.title), key=f"open.{panel.name}", on_change="rerun", icon=icon)
    if shown.open:
        with shown:
            _controls(panel, around.draw_control)
            _content(panel, around)
    else:
        paper.folded(panel)


def _heading(panel: Panel, draw_control: Callable[[str], None]) -> None:
    """The title, and beside it the controls of this panel."""
    if not (panel.title or panel.controls):
        return
    key = f"offers-{panel.name}" if _only_buttons(panel) else None  # not on paper
    beside = bool(key or panel.controls)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key) if (
            beside) else nullcontext():
        if panel.title:
            st.markdown(f"{'###' if panel.minor else '##'} {terms.in_markdown(panel.title)}",
                        anchors=False,
                        width="content" if beside else "stretch")
        for name in panel.controls:
            draw_control(name)


def _only_buttons(panel: Panel) -> bool:
    said = (panel.drawing, panel.caption, panel.note, panel.prose, panel.notices, panel.make_table)
    return bool(panel.actions) and not any(said)


def _controls(panel: Panel, draw_control: Callable[[str], None]) -> None:
    if panel.controls:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name in panel.controls:
                draw_control(name)


def _content(panel: Panel, around: Around) -> None:
    notices([one for one in panel.notices if one.tone == "error"])
    if around.answer is not None:
        progress.run_buttons([j for j in around.answer.waiting if j.panel == panel.name])
    for text in panel.prose:
        st.markdown(terms.in_markdown(text))
    if panel.drawing is not None:
        with st.container(key=f"drawing.{panel.name}", gap="xsmall"):
            if panel.legend:
                st.html(panel.legend)
            around.editors.get(panel.editor, drawing)(panel)
    elif panel.editor in around.editors:
        around.editors[panel.editor](panel)
    notices([one for one in panel.notices if one.tone != "error"])
    for text in (panel.caption, panel.note):
        if text:
            st.caption(terms.in_markdown(text))
    _take_away(panel, around)
    see(panel.see)
    if panel.actions:
        with st.container(horizontal=True):
            for number, action in enumerate(panel.actions):
                _button(action, f"{panel.name}-{number}")


def drawing(panel: Panel, name: str = "") -> None:
    """The panel's drawing; `name` is what it is called where that is not the panel's own page."""
    if isinstance(panel.drawing, str):
        st.html(panel.legend * bool(name) + panel.drawing)
    elif isinstance(panel.drawing, TableView):
        table(panel.drawing)
    else:
        _side_by_side(dataclasses.replace(panel, pick=None) if name else panel, name or panel.name)


def _take_away(panel: Panel, around: Around) -> None:
    """What opens to be saved or pinned, and the table, in one row."""
    pictured = around.pictured(panel)
    has_table = isinstance(panel.drawing, TableView) or panel.make_table is not None
    if pictured is None and not has_table:
        return
    table_open = False
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        if pictured is not None:
            _to_keep(panel, pictured, around.answer, has_table)
        else:
            csv_button(panel)
        if panel.make_table is not None:
            shown = st.expander("Table", icon=":material/table:", key=f"table.{panel.name}",
                                on_change="rerun", type="compact")
            table_open = bool(shown.open)
            if table_open:
                shown.dataframe(panel.table, hide_index=True)
    if table_open and panel.table is not None:
        paper.table(TableView(panel.table))


def _to_keep(
    panel: Panel, pictured: Callable[[], Answer], answer: Answer | None, has_table: bool
) -> None:
    """A look at the picture; it as a file, the numbers as a file, and a pin for the brief."""
    pinned = answer is not None and pins.has(answer, panel.name)
    shown = opens.popover("Save or pin", f"keep.{panel.name}",
                          ":material/keep:" if pinned else ":material/download:", type="tertiary")
    if not shown.open:
        return
    with shown:
        with st.container(horizontal=True, gap="small"):
            if has_table:
                csv_button(panel)
            if answer is not None:
                pins.button(answer, panel.name, pictured)
        picture.draw(panel, pictured)


def _button(action: Action, key: str) -> None:
    st.button(
        plain(action.label), key=f"action.{key}", on_click=_set_controls, args=(action,),
        disabled=action.disabled, type="primary" if action.primary else "tertiary",
        icon=f":material/{action.icon}:" if action.icon else None,
    )


def _set_controls(action: Action) -> None:
    for name, text in action.sets.items():
        state.put(name, text)


def table(view: TableView) -> None:
    looks = {
        name: st.column_config.Column(look.title, width=look.width, help=plain(look.help or ""))
        if look.format is None else
        st.column_config.NumberColumn(look.title, width=look.width, help=plain(look.help or ""),
                                      format=look.format)
        for name, look in view.looks.items()
    }
    frame = view.frame if view.most is None else view.frame.head(view.most)
    sizes: dict[str, Any] = {
        k: v for k, v in (("height", view.height), ("row_height", view.row_height),
                          ("width", view.width)) if v is not None
    }
    st.dataframe(frame, hide_index=True, column_config=looks, **sizes)
    paper.table(view)


def csv_button(panel: Panel) -> None:
    """The table as a file that a spreadsheet opens safely, made only when asked for."""
    st.download_button(
        "Numbers as CSV", data=lambda: csv_bytes(panel.table),
        file_name=f"{panel.name}.csv", mime="text/csv", key=f"csv.{panel.name}",
        on_click="ignore", icon=":material/download:", type="tertiary",
    )


_MODE_BAR = ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "pan2d"]


def _side_by_side(panel: Panel, name: str) -> None:
    figures = panel.figures
    if len(figures) == 1:
        _chart(figures[0], panel, f"{name}.0")
        return
    with st.container(key=f"beside.{name}"):
        places = st.columns(len(figures))
    for i, (place, figure) in enumerate(zip(places, figures, strict=True)):
        with place:
            _chart(figure, panel, f"{name}.{i}")


def _chart(figure: go.Figure, panel: Panel, name: str) -> None:
    fixed = ["zoom2d", "resetScale2d"] if panel.pick else []
    config = {
        "displaylogo": False, "modeBarButtonsToRemove": [*_MODE_BAR, *fixed],
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": panel.name},
    }
    if isinstance(figure, DescribedFigure):
        figure = figure.to_be_shown()
    if panel.pick is not None:
        picking.chart(figure, panel.pick, name, panel.alt, config)
        return
    st.plotly_chart(figure, key=f"chart.{name}", alt=panel.alt, width="stretch", config=config)


def promise(guarantee: Guarantee) -> None:
    """What is promised, with the reason a pointer away."""
    found = guarantee_chip(guarantee)
    color, icon = _TONES[found.tone]
    colors: Any = color
    st.badge(plain(found.text), icon=icon, color=colors, help=plain(guarantee.remark))


def promise_icon(guarantee: Guarantee) -> str:
    """The promise as a small sign."""
    return _TONES[guarantee_chip(guarantee).tone][1]

"""The editors of the page "Your data": the file, one table of columns, words for codes, records."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from sdc_core.data import Dataset, Role, Schema, Type
from sdc_core.data.editing import (
    DIFFERENT,
    DOMAIN,
    EDITABLE,
    MISSING_CODES,
    all_declared,
    described,
    edited,
    labels_of,
    relabelled,
)
from sdc_core.data.loading import fitted
from sdc_core.data.readers import ENCODINGS, SEPARATORS
from sdc_core.data.schema_file import schema_from
from sdc_core.errors import InputError
from sdc_core.questions.answer import Panel, TableView
from ui import opening, own_data, paper, render, sidebar, state
from ui.own_data import Own
from ui.terms import plain

_ROWS = 20
_DECLARING = (
    "**Declare all as shown**: what is seen becomes what may be. From then on a table has these "
    "groups whoever is in the data, and no promise lists them as read off it. That is honest for "
    "values which you would have listed without this file."
)


def file(panel: Panel) -> None:
    """Open one, or close it."""
    own = own_data.current()
    if own is None:
        opening.own_file()
        return
    drop, rest = st.columns([3, 1], vertical_alignment="bottom")
    with drop:
        opening.own_file()
    with rest, st.container(horizontal=True, gap="small"):
        _reading(own)
        st.button("Close the file", icon=":material/close:", on_click=own_data.forget,
                  type="tertiary", help="Forgets the records. What you said about its columns is "
                  "kept until you leave.")


def _reading(own: Own) -> None:
    """Encoding and separator, where the file has them: detected, and changeable."""
    reading = own.dataset.reading
    if reading is None or not reading.encoding:
        return
    with st.popover("Read it otherwise", icon=":material/translate:", type="tertiary"):
        _choice("encoding", "Encoding", ENCODINGS, reading.encoding, own)
        if reading.separator:
            _choice("separator", "Separator", SEPARATORS, reading.separator, own)


def _choice(name: str, title: str, known: Mapping[str, str], now: str, own: Own) -> None:
    options = [*known, *([] if now in known else [now])]
    key = f"read.{name}.{own.id}.{own.edition}"
    st.selectbox(
        plain(title), options, options.index(now), key=key, format_func=lambda o: known.get(o, o),
        on_change=lambda: own_data.read_as(**{name: st.session_state[key]}),
    )


def columns(panel: Panel) -> None:
    """One table that can be edited; of data of the catalogue it can be read."""
    data, own, view = sidebar.study().dataset, own_data.current(), panel.drawing
    assert isinstance(view, TableView)
    if own is None or data is not own.dataset:
        render.table(view)
        with st.container(horizontal=True):
            _save(data)
        return
    _buttons(own)
    fixed = [c for c in view.frame.columns if c not in EDITABLE]
    typed = _editor(view, f"columns.{own.id}.{own.edition}", fixed, _COLUMN_LOOKS)
    names, past = list(view.frame["column"]), own.past_schemas
    _apply(own, view.frame, typed,
           lambda data, row, cells: edited(data, names[row], cells, past), described)
    if own.problem:
        st.error(plain(own.problem), icon=":material/error:")
    st.caption(_DECLARING)


def labels(panel: Panel) -> None:
    """Words for the codes of one column."""
    data, own, view = sidebar.study().dataset, own_data.current(), panel.drawing
    assert isinstance(view, TableView)
    if own is None or data is not own.dataset:
        render.table(view)
        return
    name = state.used("label_of") or ""
    codes = zlib.crc32("\0".join(view.frame["code"]).encode())  # another list, another editor
    typed = _editor(view, f"labels.{own.id}.{name}.{codes}.{own.edition}", ["code"], {})
    _apply(
        own, view.frame, typed,
        lambda data, row, cells: relabelled(
            data, name, {str(view.frame["code"][row]): str(cells["label"] or "")}),
        lambda data: pd.DataFrame({"label": list(labels_of(data, name).values())}),
    )


def rows(panel: Panel) -> None:
    """The first records, as they stand in the file."""
    table = sidebar.study().dataset.raw.table
    st.dataframe(table.slice(0, _ROWS).to_pandas(), hide_index=True)


EDITORS: Mapping[str, Callable[[Panel], None]] = {
    "file": file, "columns": columns, "labels": labels, "rows": rows,
}

_COLUMN_LOOKS = {
    "column": st.column_config.TextColumn(pinned=True),
    DIFFERENT: st.column_config.NumberColumn("different", width=85, help="Different values, "
                                             "without those that mean missing."),
    "role": st.column_config.SelectboxColumn(options=[str(r) for r in Role], required=True),
    "type": st.column_config.SelectboxColumn(options=[str(t) for t in Type], required=True),
    DOMAIN: st.column_config.TextColumn(
        width="medium", help="All values that there may be (n, s, w), or the edges between bins "
        "(18, 65); (missing) where one may be missing; a value with a comma in quotes. Left empty, "
        "what occurs in the file is taken, and published by the shape of every table.",
    ),
    MISSING_CODES: st.column_config.TextColumn(
        "missing", width=95,
        help='Texts that stand for no value, such as NA, -9; "" is an empty cell.',
    ),
    "declared": st.column_config.CheckboxColumn(
        width=95, help="Were values or edges known before anybody looked at this file?"),
}


def _buttons(own: Own) -> None:
    data = own.dataset
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button("Undo", icon=":material/undo:", on_click=own_data.undo, disabled=not own.past,
                  key="schema.undo")
        st.button("Propose again", icon=":material/auto_fix_high:", key="schema.propose",
                  on_click=own_data.attempt, args=(lambda: data.proposed,),
                  disabled=data.schema == data.proposed,
                  help="All columns as they seemed at first; Undo brings back what you said.")
        st.button("Declare all as shown", icon=":material/verified:", key="schema.declare",
                  on_click=own_data.attempt, args=(all_declared, data))
        _save(data)
        with st.popover("Load a schema", icon=":material/upload:"):
            opening.once(
                "upload.schema", "A schema that was saved, or a dictionary: NIST's or csvw (JSON), "
                "SPSS or Stata", ["json", "sav", "zsav", "dta"], _take_schema,
            )


def _save(data: Dataset) -> None:
    st.download_button(
        "Save schema", data=lambda: data.schema.to_json().encode(), icon=":material/download:",
        file_name=f"{Path(data.title).stem if data.origin == 'own' else data.id}.schema.json",
        mime="application/json", on_click="ignore", key="schema.save",
        help="Next to the data it is taken by itself.",
    )


def _take_schema(content: bytes, name: str) -> None:
    own = own_data.current()
    if own is None:
        return
    data = own.dataset
    own_data.change(fitted(data.raw, schema_from(content, name), data.title))


Typed = dict[int, dict[str, Any]]  # by row and column


def _editor(view: TableView, key: str, fixed: list[str], looks: Mapping[str, Any]) -> Typed:
    """Draw it, and say what was typed into it since it stands there."""
    st.data_editor(
        view.frame, key=key, disabled=fixed, column_config=dict(looks), hide_index=True,
        height=view.height or "auto", width=view.width or "stretch", num_rows="fixed",
        on_change=state.touched,
    )
    paper.table(view)
    typed = st.session_state[key]["edited_rows"]
    return {
        int(row): {c: "" if v is None else v for c, v in cells.items()}
        for row, cells in typed.items()
    }


def _apply(
    own: Own, frame: pd.DataFrame, typed: Typed,
    change: Callable[[Dataset, int, dict[str, Any]], Schema],
    shown: Callable[[Dataset], pd.DataFrame],
) -> None:
    """All that was typed, or none of it and a sentence. The editor goes on as long as it shows what
    holds; else a new one takes its place."""
    new = {
        row: changed for row, cells in typed.items()
        if (changed := {c: v for c, v in cells.items() if v != frame[c][row]})
    }
    if not new:
        return
    try:
        data = own.dataset
        for row, cells in new.items():
            data = data.with_schema(change(data, row, cells))
        own_data.change(data.schema, typed=True)
    except InputError as problem:
        own_data.refuse(str(problem))
        st.rerun()
    after = shown(own.dataset)
    if any(v != after[c][row] for row, cells in typed.items() for c, v in cells.items()):
        own.edition += 1
    st.rerun()

"""The shared sidebar: which data, which features, which seed; own data; link, code, reset."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pandas as pd
import streamlit as st

from sdc_core.data import CATALOGUE, Column, Dataset, default_id, entry, load_dataset
from sdc_core.data.dataset import MAX_BINS
from sdc_core.data.loading import read_own_data, read_table
from sdc_core.errors import InputError
from sdc_core.parameters import Choice, Several, TypedInteger
from sdc_core.questions.answer import ORIGIN_WORDS
from sdc_core.questions.study import Study
from ui import state
from ui.render import plain

OWN = "own"
_OWN_DATA = "own-data"
_STUDY = "study"
_NOTICES = "notices"
_BY_DEFAULT = "data-by-default"

_BADGES = {
    "real": ("blue", ":material/fact_check:"),
    "twin": ("violet", ":material/content_copy:"),
    "own": ("green", ":material/lock:"),
}
SEED = TypedInteger(
    name="seed", title="Seed", default=7, low=0, high=2**31 - 1,
    help="Starts the random numbers of simulations: same seed, same release.",
)


def draw(own_table: bool, data: str) -> None:
    """Draw the sidebar and settle the study; on bad input say so and stop the page there.

    A question with a table of its own is not asked what to count by; `data` is what it starts on,
    as long as the reader has not chosen.
    """
    with st.sidebar:
        upload = st.session_state.get(_OWN_DATA)
        dataset = _choose_data(upload, default_id(data))
        features = dataset.default_features if own_table else _choose_features(dataset)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            seed = state.control("seed", SEED)
            st.button("Re-roll", on_click=_reroll, args=(seed,), help="Another seed")
        _own_data()
    if dataset.origin == "own" and upload:
        with st.expander("How your columns are read", icon=":material/table_edit:"):
            _correct_columns(upload)
    st.session_state[_NOTICES] = st.container()
    try:
        dataset.histogram(features)
    except InputError as problem:
        st.session_state.pop(_STUDY, None)
        st.error(plain(str(problem)), icon=":material/error:")
        state.finish()
        st.stop()
    st.session_state[_STUDY] = Study(dataset, features, seed)


def study() -> Study:
    """What the sidebar has settled: the data, the table, the seed."""
    found: Study = st.session_state[_STUDY]
    return found


def notices() -> None:
    """What was wrong with the link, at the top of the page, once all controls have been read."""
    with st.session_state[_NOTICES]:
        for problem in state.problems():
            st.warning(plain(problem), icon=":material/link_off:")


def footer(code: str) -> None:
    """Link, code and reset, at the foot of the sidebar; `code` recomputes what is on screen."""
    with st.sidebar, st.container(horizontal=True, gap="small"):
        link = st.popover("Link", icon=":material/link:", on_change="rerun", key="popover.link")
        if link.open:
            link.caption("Opens this page with the same data and settings.")
            link.code(state.full_link(), language=None, wrap_lines=True)
            if study().dataset.origin == "own":
                link.caption("Your own file is not part of the link: nothing leaves this machine.")
        python = st.popover("Code", icon=":material/code:", on_change="rerun", key="popover.code")
        if python.open:
            python.caption("The same numbers in Python.")
            python.code(code, language="python")
        st.button("Reset", icon=":material/restart_alt:", on_click=state.reset, args=(("data",),),
                  help="This page's controls as they were at first; the data stays.")


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def _read(dataset_id: str, path: str, changed: float) -> Dataset:
    return load_dataset(dataset_id)


def _catalogue_dataset(dataset_id: str) -> Dataset:
    """A data set of the catalogue, read once per file version, for all visitors."""
    path = entry(dataset_id).path()
    return _read(dataset_id, str(path), path.stat().st_mtime if path else 0.0)


def _choose_data(upload: tuple[str, Dataset] | None, default: str) -> Dataset:
    titles = {e.id: e.title for e in CATALOGUE if e.path()}
    if upload:
        titles[OWN] = upload[1].title
    wanted = st.query_params.get("data")
    if wanted == OWN and not upload:
        state.add_problem("The link was made with somebody's own file: upload it to see the same.")
        state.put("data", default)
    elif wanted and wanted not in titles and any(e.id == wanted for e in CATALOGUE):
        state.add_problem(
            f"The link asks for the real file {' or '.join(entry(wanted).files)}, which is not on "
            "this machine: its synthetic twin is shown and numbers will differ. To get it: "
            "python -m sdc_core datasets fetch."
        )
        state.put("data", f"{wanted}-twin")
    elif not wanted and st.session_state.get(_BY_DEFAULT):
        state.put("data", default)
    chosen = state.control("data", Choice(
        name="data", title="Data", default=default, choices=tuple(titles), titles=titles,
    ))
    st.session_state[_BY_DEFAULT] = chosen == default
    dataset = upload[1] if chosen == OWN and upload else _catalogue_dataset(chosen)
    text, (color, icon) = ORIGIN_WORDS[dataset.origin], _BADGES[dataset.origin]
    st.badge(text, color=color, icon=icon, help=plain(dataset.source))  # type: ignore[arg-type]
    return dataset


def _choose_features(dataset: Dataset) -> tuple[str, ...]:
    titles = {c.name: c.title for c in dataset.columns}
    name = "own_features" if dataset.origin == "own" else "features"
    chosen: tuple[str, ...] = state.control(name, features_param(name, dataset, titles))
    return chosen


def features_param(name: str, dataset: Dataset, titles: dict[str, str]) -> Several:
    return Several(
        name=name, title="Count people by", default=tuple(dataset.default_features),
        choices=tuple(dataset.features), titles=titles,
        help="The table has one cell for every combination of these features' values.",
    )


def _reroll(seed: int) -> None:
    state.put("seed", str((seed * 48271 + 11) % (2**31 - 1)))


def _own_data() -> None:
    with st.expander("Use your own data", icon=":material/upload_file:"):
        file = st.file_uploader(
            "A CSV or Parquet file", type=["csv", "tsv", "txt", "parquet"], key="upload",
            help="Read on this machine only: nothing is sent anywhere, and it is kept in memory "
            "only, until the app stops.",
        )
        if file is None:
            st.session_state.pop("upload-seen", None)
        elif st.session_state.get("upload-seen") != file.file_id:
            st.session_state["upload-seen"] = file.file_id
            _take_upload(file.getvalue(), file.name)
        if "upload-problem" in st.session_state and file is not None:
            st.error(plain(st.session_state["upload-problem"]))


def _take_upload(content: bytes, name: str) -> None:
    st.session_state.pop("upload-problem", None)
    try:
        dataset = read_own_data(read_table(content, name), name)
    except InputError as problem:
        st.session_state["upload-problem"] = str(problem)
        return
    key = f"own-{hashlib.sha256(content).hexdigest()[:16]}"
    st.session_state[_OWN_DATA] = (key, dataset)
    state.put("data", OWN)
    state.put("own_features", features_param("own_features", dataset, {}).text(
        dataset.default_features))
    st.rerun()


def _correct_columns(upload: tuple[str, Dataset]) -> None:
    """How each column is read, for the user to put right."""
    key, dataset = upload
    st.caption("Change what was guessed wrong: click into a cell.")
    shown = pd.DataFrame(
        [
            {"column": c.name, "read as": c.kind, "bins": c.bins, "note": c.note}
            for c in dataset.columns
        ]
    )
    edited = st.data_editor(
        shown, hide_index=True, key=f"columns.{key}", disabled=["column", "note"],
        column_config={
            "read as": st.column_config.SelectboxColumn(
                options=["categorical", "numeric", "identifier"], required=True,
                help="identifier: not used for counting",
            ),
            "bins": st.column_config.NumberColumn(
                min_value=2, max_value=MAX_BINS, step=1, required=True, help="for numbers",
            ),
        },
    )
    if edited.equals(shown):
        return
    try:
        changed = dataset.with_columns(_read_as(c, row) for c, row in zip(
            dataset.columns, edited.to_dict(orient="records"), strict=True))
    except InputError as problem:
        st.error(plain(str(problem)))
        return
    digest = hashlib.sha256(edited.to_csv().encode()).hexdigest()[:8]
    st.session_state[_OWN_DATA] = (f"{key.split('@')[0]}@{digest}", changed)
    st.rerun()


def _read_as(column: Column, row: dict[str, object]) -> Column:
    return replace(column, kind=row["read as"], bins=int(str(row["bins"])))  # type: ignore[arg-type]

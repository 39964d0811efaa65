"""Release: the table of this page, protected by one of its methods, as a file to take away."""

from __future__ import annotations

from typing import Any

import streamlit as st

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, distinct
from sdc_core.mechanisms.base import Generalises, Mechanism
from sdc_core.questions.question import Given
from sdc_core.release import FORMS, Form, release_file, zipped
from ui.terms import plain

_FORMS = {"table": "Table, a row a group", "records": "Records, a row a person"}
_FORMATS = {"csv": "CSV", "parquet": "Parquet"}


def packed(
    method: Mechanism, table: Histogram, seed: int, dataset: Dataset, form: Form, labels: bool,
    kind: str, reconstructed: bool,
) -> tuple[bytes, dict[str, Any]]:
    """The archive with file and provenance, and the provenance."""
    name = f"{dataset.id}-{method.name}-{form}.{kind}"
    released = method.release(table, seed)
    return zipped(release_file(released, name, form, labels, reconstructed, dataset))


def button(given: Given) -> None:
    """Opens what may be taken away of what is on the page; nothing is made before it is asked."""
    if given.chosen and st.button(
        "Release", icon=":material/file_save:", key="release.open", type="tertiary",
        help="This page's table, protected, as a file to take away.",
    ):
        _dialog(given)


@st.dialog("A release to take away", width="medium")
def _dialog(given: Given) -> None:
    st.caption("One release of this page's table, with this page's seed.")
    names = distinct([one.label() for one in given.methods])
    methods = dict(zip(names, given.methods, strict=True))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = methods[st.selectbox("Method", names, key="release.method")]
        form = st.segmented_control(
            "As", FORMS, default=FORMS[0], required=True, format_func=_FORMS.__getitem__,
            key="release.form",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = st.segmented_control(
            "Values", (False, True), default=False, required=True, key="release.labels",
            format_func={False: "Codes", True: "Labels"}.__getitem__,
        )
        kind = st.segmented_control(
            "File", tuple(_FORMATS), default="csv", required=True, key="release.kind",
            format_func=_FORMATS.__getitem__,
        )
    drawn_back = isinstance(method, Generalises) and st.toggle(
        "Single values, drawn back from the groups", key="release.reconstructed",
        help="As the papers do to compare tables. The result is not k-anonymous.",
    )
    call = (method, given.table, given.seed, given.dataset, form, labels, kind, drawn_back)
    _made(given, call)


def _made(given: Given, call: tuple[Any, ...]) -> None:
    """The button that makes the file, or what was made: what it is, what it promises, and it."""
    keep, place = given.work.keep, st.empty()
    if not keep.holds(packed, *call):
        if not place.button("Make the file", icon=":material/build:", key="release.make"):
            return
        try:
            with place, st.spinner("Making the file …"):
                keep(packed, *call)
        except InputError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
            return
        place.empty()
    archive, found = keep(packed, *call)
    st.markdown(plain(found["says"]))
    st.markdown(plain(found["guarantee"]["in_words"]))
    st.caption(plain(f"{found['for']} {found['private']['why']}"))
    st.download_button(
        "Download, with provenance", archive, file_name=f"{found['file']['name']}.zip",
        mime="application/zip", on_click="ignore", icon=":material/download:",
        key="release.download", type="primary",
    )

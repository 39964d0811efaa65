"""The shared sidebar: which data, which features, which seed; link, code, save, release, reset."""

from __future__ import annotations

import streamlit as st

from sdc_core.data import CATALOGUE, Dataset, default_id, entry
from sdc_core.parameters import Choice, Several
from sdc_core.questions.answer import ORIGIN_WORDS, Answer
from sdc_core.questions.question import Given, Question
from sdc_core.questions.study import DOMAIN, EMPTY_GROUPS, SEED, CountedAs, Study, counting
from ui import ledger, menu, opening, own_data, release, run_files, state
from ui.own_data import Own
from ui.terms import plain

_STUDY = "study"
_NOTICES = "notices"
_BY_DEFAULT = "data-by-default"

_BADGES = {
    "real": ("blue", ":material/fact_check:"),
    "twin": ("violet", ":material/content_copy:"),
    "own": ("green", ":material/lock:"),
}


def draw(asked: Question) -> None:
    """Draw the sidebar and settle the study; where nothing is counted by, say so and stop there.

    A question with a table of its own is not asked what to count by, one with data of its own not
    how to count them; `data` is what it starts on, as long as the reader has not chosen.
    """
    with st.sidebar:
        dataset = _choose_data(own_data.current(), default_id(asked.data))
        features = dataset.default_features if asked.own_table else _choose_features(dataset)
        empty, domain, counted = EMPTY_GROUPS.default, DOMAIN.default, CountedAs.RECORDS
        if not asked.own_data:
            empty = state.control(EMPTY_GROUPS.name, EMPTY_GROUPS)
            domain = state.control(DOMAIN.name, DOMAIN)
        if asked.weighted and (offered := counting(dataset)):
            counted = state.control(offered.name, offered)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            seed = state.control(SEED.name, SEED)
            st.button("Re-roll", on_click=_reroll, args=(seed,), help="Another seed")
        if not asked.takes_files:
            with st.expander("Use your own data", icon=":material/upload_file:"):
                opening.own_file()
                st.page_link(menu.file_of("your_data"), label="What its columns mean",
                             icon=":material/table_edit:")
    st.session_state[_NOTICES] = st.container()
    if not features:
        st.session_state.pop(_STUDY, None)
        st.error("Choose at least one feature to count by\\.", icon=":material/error:")
        state.finish()
        st.stop()
    st.session_state[_STUDY] = Study(dataset, features, seed, None, empty, domain, counted)


def study() -> Study:
    """What the sidebar has settled: the data, the table, the seed."""
    found: Study = st.session_state[_STUDY]
    return found


def notices() -> None:
    """What was wrong with the link, at the top of the page, once all controls have been read."""
    with st.session_state[_NOTICES]:
        for problem in state.problems():
            st.warning(plain(problem), icon=":material/link_off:")


def footer(found: Answer, given: Given) -> None:
    """Link, code, save, release and reset, at the foot of the sidebar, for what is on screen;
    `given` is what it was computed from."""
    with st.sidebar, st.container(horizontal=True, gap="small"):
        link = st.popover("Link", icon=":material/link:", on_change="rerun", key="popover.link")
        if link.open:
            link.caption("Opens this page with the same data and settings.")
            link.code(state.full_link(), language=None, wrap_lines=True)
            if study().dataset.origin == "own":
                link.caption("Your own file is not part of the link, only its checksum: whoever "
                             "opens the same file sees the same. Nothing leaves this machine.")
        python = st.popover("Code", icon=":material/code:", on_change="rerun", key="popover.code")
        if python.open:
            python.caption("The same numbers in Python.")
            python.code(found.code, language="python")
        run_files.popover(found)
        release.button(given)
        st.button("Reset", icon=":material/restart_alt:", on_click=state.reset,
                  args=(("data", own_data.SCHEMA, *own_data.READ_AS),),
                  help="This page's controls as they were at first; the data stays.")
        ledger.popover()


def _choose_data(own: Own | None, default: str) -> Dataset:
    titles = {e.id: e.title for e in CATALOGUE if e.path()}
    if own:
        titles[own.id] = own.dataset.title
    wanted = st.query_params.get("data")
    if wanted and wanted not in titles and any(e.id == wanted for e in CATALOGUE):
        state.add_problem(
            f"The link asks for the real file {' or '.join(entry(wanted).files)}, which is not on "
            f"this machine: {entry(entry(wanted).twin).title}, which is synthetic, is shown and "
            f"numbers will differ. {entry(wanted).how_to_get}."
        )
        state.give("data", entry(wanted).twin)
    elif not wanted and st.session_state.get(_BY_DEFAULT):
        state.give("data", default)
    chosen = state.control("data", Choice(
        name="data", title="Data", default=default, choices=tuple(titles), titles=titles,
    ))
    st.session_state[_BY_DEFAULT] = chosen == default
    if own and chosen == own.id:
        dataset = own.dataset
        for name, text in own.in_link().items():
            state.note(name, text)
    else:
        dataset = opening.catalogue_dataset(chosen)
    text, (color, icon) = ORIGIN_WORDS[dataset.origin], _BADGES[dataset.origin]
    st.badge(text, color=color, icon=icon, help=plain(dataset.source))  # type: ignore[arg-type]
    return dataset


def _choose_features(dataset: Dataset) -> tuple[str, ...]:
    titles = {c.name: c.title for c in dataset.columns}
    name = own_data.FEATURES if dataset.origin == "own" else "features"
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

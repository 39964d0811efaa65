"""The shared sidebar: which data, which table; link, save, code, reset; and, folded away, the rest.
"""

from __future__ import annotations

import contextlib
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.data import CATALOGUE, Dataset, default_id, entry
from sdc_core.errors import InputError
from sdc_core.parameters import Choice, Param, Several
from sdc_core.questions.answer import ORIGIN_WORDS, Answer
from sdc_core.questions.question import Given, Question
from sdc_core.questions.study import (
    DOMAIN,
    EMPTY_GROUPS,
    SEED,
    CountedAs,
    Study,
    counting,
    next_seed,
)
from sdc_core.words.numbers import lowered
from ui import ledger, menu, opening, opens, own_data, pins, release, run_files, state
from ui.own_data import Own
from ui.terms import plain

_STUDY = "study"
_NOTICES = "notices"
_ACTIONS = "actions"
_BY_DEFAULT = "data-by-default"

_BADGES = {
    "real": ("blue", ":material/fact_check:"),
    "twin": ("violet", ":material/content_copy:"),
    "own": ("green", ":material/lock:"),
}


def draw(asked: Question) -> None:
    """Draw the sidebar and settle the study; where that cannot be (a file that cannot be read,
    nothing to count by), say why and stop there: other data can still be chosen.

    What all pages share is settled on each of them, so that links and other pages keep it; only
    what the question hangs on is shown. `data` is what it starts on, as long as the reader has not
    chosen.
    """
    settled, problem = None, ""
    with st.sidebar, st.container(key="study", gap="xsmall"):
        try:
            settled = _settled(asked)
        except InputError as wrong:
            problem = str(wrong)
        if "data" in asked.uses and not (settled and asked.takes_files):
            with st.expander("Use your own data", icon=":material/upload_file:", type="compact"):
                opening.own_file()
                menu.link_to("your_data", "What its columns mean", ":material/table_edit:")
    st.session_state[_NOTICES] = st.container()
    st.session_state[_STUDY] = settled
    if settled is None:
        notices()
        st.error(plain(problem), icon=":material/error:")
        state.finish()
        st.stop()


def _settled(asked: Question) -> Study:
    dataset = _choose_data(own_data.current(), default_id(asked.data), "data" in asked.uses)
    features = dataset.default_features if asked.own_table else _choose_features(dataset)
    empty = _shared(EMPTY_GROUPS, asked)
    _draw_shared(EMPTY_GROUPS, asked)
    st.session_state[_ACTIONS] = st.container(key="actions", gap=None)
    domain, counted, seed = _further(asked, dataset)
    if not features:
        raise InputError("Choose at least one feature to count by.")
    found = Study(dataset, features, seed, None, empty, domain, counted)
    if dataset is opening.served_dataset():
        with st.spinner(plain(f"Counting {len(dataset):,} records …")), (
                contextlib.suppress(InputError)):
            found.table  # noqa: B018 (kept: what is wrong with it is said where it is used)
    return found


def _shared(param: Param, asked: Question) -> Any:
    """A setting of all pages: in the link of each. With data of its own, a question says nothing
    about how the reader's are counted."""
    if asked.own_data and param.name not in asked.uses:
        return param.default
    return state.settled(param.name, param)


def _draw_shared(param: Param, asked: Question) -> None:
    """In sight where it makes a difference."""
    if param.name in asked.uses:
        state.draw(param.name, param)


def _further(asked: Question, dataset: Dataset) -> tuple[Any, Any, Any]:
    """Groups, unit and seed: for those who look for them, folded away."""
    offered = counting(dataset) if asked.weighted else None
    counted: Any = state.settled(offered.name, offered) if offered else CountedAs.RECORDS
    domain, seed = _shared(DOMAIN, asked), _shared(SEED, asked)
    if offered is None and not {DOMAIN.name, SEED.name} & asked.uses:
        return domain, counted, seed  # nothing would open
    more = st.expander("More", icon=":material/tune:", type="compact", key="more",
                       on_change=state.touched)
    if more.open:
        with more:
            if offered:
                state.draw(offered.name, offered)
            _draw_shared(DOMAIN, asked)
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _draw_shared(SEED, asked)
                if SEED.name in asked.uses:
                    st.button("Re-roll", on_click=_reroll, args=(seed,), help="Another seed")
    return domain, counted, seed


def study() -> Study:
    """What the sidebar has settled: the data, the table, the seed."""
    found: Study = st.session_state[_STUDY]
    return found


def notices() -> None:
    """What was wrong with the link, at the top of the page, once all controls have been read."""
    with st.session_state[_NOTICES]:
        for problem in state.problems():
            st.warning(plain(problem), icon=":material/link_off:")


def actions(found: Answer, given: Given) -> None:
    """Link, save, code and reset, within the first screen, for what is on the page; `given` is what
    it was computed from."""
    place: DeltaGenerator = st.session_state[_ACTIONS]
    with place.container(horizontal=True, horizontal_alignment="distribute", gap=None):
        link = st.popover("Link", icon=":material/link:", on_change="rerun", key="popover.link",
                          type="tertiary")
        if link.open:
            link.caption("Opens this page with the same data and settings.")
            link.code(state.full_link(), language=None, wrap_lines=True)
            if own_data.is_open(study().dataset):
                link.caption("Your own file is not part of the link, only its checksum: whoever "
                             "opens the same file sees the same. Nothing leaves this machine.")
        run_files.popover(found)
        python = st.popover("Code", icon=":material/code:", on_change="rerun", key="popover.code",
                            type="tertiary")
        if python.open:
            python.caption("The same numbers in Python.")
            python.code(found.code, language="python")
        st.button("Reset", icon=":material/restart_alt:", on_click=state.reset, type="tertiary",
                  args=(("data", own_data.SCHEMA, *own_data.READ_AS),),
                  help="This page's controls as they were at first; the data stays.")
    with place.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        release.button(given)
        ledger.popover()
        number = len(pins.all_pins())
        menu.link_to("brief", f"Brief ({number})" if number else "Brief", ":material/description:")


def _choose_data(own: Own | None, default: str, in_sight: bool) -> Dataset:
    titles = {e.id: e.title for e in CATALOGUE if e.paths()}
    large = opening.served_dataset()
    if large:  # what the app was started with goes before what most pages start on
        titles = {opening.SERVED: large.title, **titles}
        default = opening.SERVED if default == default_id() else default
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
    param = Choice(
        name="data", title="Data", default=default, choices=tuple(titles), titles=titles,
    )
    chosen = state.settled("data", param)
    if in_sight:
        state.draw("data", param)
    st.session_state[_BY_DEFAULT] = chosen == default
    if own and chosen == own.id:
        dataset = own.dataset
        for name, text in own.in_link().items():
            state.note(name, text)
    elif large and chosen == opening.SERVED:
        dataset = large
    else:
        dataset = _of_catalogue(chosen, in_sight)
    if in_sight:
        _badge(dataset)
    return dataset


def _of_catalogue(chosen: str, in_sight: bool) -> Dataset:
    """What was chosen; a question that does not hang on it is answered all the same."""
    try:
        return opening.catalogue_dataset(chosen)
    except InputError:
        if in_sight:
            raise
        return opening.catalogue_dataset(entry(chosen).twin)


def _badge(dataset: Dataset) -> None:
    text, (color, icon) = ORIGIN_WORDS[dataset.origin], _BADGES[dataset.origin]
    st.badge(plain(text), color=color, icon=icon, help=plain(dataset.source))  # type: ignore[arg-type]


def _choose_features(dataset: Dataset) -> tuple[str, ...]:
    titles = {c.name: c.title for c in dataset.columns}
    name = own_data.FEATURES if own_data.is_open(dataset) else "features"
    param = features_param(name, dataset, titles)
    chosen: tuple[str, ...] = state.settled(name, param)
    named = ", ".join(lowered(titles[one]) for one in chosen)
    place = opens.popover(f"By {named or 'nothing yet'}", "popover.features",
                          ":material/table_rows:", width="stretch", help=param.title)
    if place.open:
        with place:
            state.draw(name, param)
    return chosen


def features_param(name: str, dataset: Dataset, titles: dict[str, str]) -> Several:
    return Several(
        name=name, title="Count people by", default=tuple(dataset.default_features),
        choices=tuple(dataset.features), titles=titles,
        help="The table has one cell for every combination of these features' values.",
    )


def _reroll(seed: int) -> None:
    state.put(SEED.name, SEED.text(next_seed(seed)))

"""The file of this visit: what was opened, how its columns are read, and links that wait for it.

The link names the file and its schema by their checksums; neither is in it. A schema that a visit
has seen is found again by its checksum, so Back undoes a correction, and a link brings it back
where the same file is open, as long as that visit lasts. Nothing outlives the visits that had it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from sdc_core.data import Dataset, Schema, default_id
from sdc_core.data.catalogue import own_dataset
from sdc_core.errors import InputError
from sdc_core.parameters import Several
from ui import menu, state
from ui.state import Link, UpToDate

OWN = "own"
FEATURES = "own_features"
SCHEMA = "schema"
READ_AS = ("encoding", "separator")
_OPEN = "own-data"
_WAITING = "own-data-link"
_LAST = "own-data-schemas"
_REMEMBERED = "own-data-remembered"
_SAID = "own-data-said"
_MOST_STEPS = 200  # that can be undone
_MOST_SCHEMAS = 500  # that a visit remembers
_LETTERS = 12  # of a checksum, in a link


@dataclass
class Own:
    """An open file. `past` is how it was read before, the newest last; `wanted` are the features
    that the reader asked for, also those that cannot be counted by just now; `edition` numbers the
    editor, since a new one forgets what was typed; `problem` is why the last change was not made.
    """

    content: bytes
    dataset: Dataset
    past: list[Dataset] = field(default_factory=list)
    wanted: tuple[str, ...] = ()
    edition: int = 0
    problem: str = ""

    @property
    def id(self) -> str:
        return own_id(self.dataset.file_sha256)

    @property
    def schema_id(self) -> str:
        return self.dataset.schema.digest[:_LETTERS]

    @property
    def past_schemas(self) -> list[Schema]:
        return [data.schema for data in self.past]

    def in_link(self) -> dict[str, str]:
        """How it is read, as a link says it."""
        return {SCHEMA: self.schema_id, **self.dataset.read_as}

    def read_anew(self, read_as: Mapping[str, str]) -> Dataset:
        """The same file with another encoding or separator, as it then seems."""
        return own_dataset(self.content, self.dataset.title, None, **read_as)


@dataclass(frozen=True)
class _Waiting:
    """A link that cannot be followed before its file is open."""

    id: str
    link: Link
    page: str


def own_id(file_sha256: str) -> str:
    """What a link calls a file."""
    return f"{OWN}-{file_sha256[:_LETTERS]}"


def current() -> Own | None:
    found: Own | None = st.session_state.get(_OPEN)
    return found


def is_open(data: Dataset) -> bool:
    """Is this the visitor's file?"""
    own = current()
    return own is not None and own.dataset is data


def forget() -> None:
    """Close the file (a button's callback)."""
    state.touched()
    st.session_state.pop(_OPEN, None)
    state.give("data", default_id())


_Remembered = tuple[str, str]  # the checksums of a file and of a schema, as links have them


@st.cache_resource(show_spinner=False)
def _seen() -> weakref.WeakValueDictionary[_Remembered, Schema]:
    """Schemas that some visit remembers: only who has the file and a link to the schema gets it,
    and it is gone with the last visit that had it."""
    return weakref.WeakValueDictionary()


def remember(file_sha256: str, schema: Schema) -> str:
    """The schema's name in a link to this file; a visit forgets its oldest first."""
    mine: dict[_Remembered, Schema] = st.session_state.setdefault(_REMEMBERED, {})
    key = own_id(file_sha256), schema.digest[:_LETTERS]
    mine.pop(key, None)
    mine[key] = _seen().setdefault(key, schema)
    while len(mine) > _MOST_SCHEMAS:
        del mine[next(iter(mine))]
    return key[1]


def say(sentence: str) -> None:
    """Something to be said on the page that comes next."""
    st.session_state.setdefault(_SAID, []).append(sentence)


def tell() -> None:
    """Say it."""
    for sentence in st.session_state.pop(_SAID, []):
        state.add_problem(sentence)


def linked(
    link: Link, page: str, origin: str = "The link was made with somebody's own file"
) -> UpToDate:
    """What a link to somebody's own file means here. One whose file is not open is put aside and
    followed when it is."""
    wanted = link.get("data", "")
    if wanted != OWN and not wanted.startswith(f"{OWN}-"):
        return link, []
    own = current()
    if own is None or wanted not in (OWN, own.id):
        st.session_state[_WAITING] = _Waiting(wanted, link, page)
        but = f", and not with {own.dataset.title} as it is open here" if own else ""
        return {}, [f"{origin}{but}. Open that file to see the same."]
    if not _is_read_as(own, link):
        return {**link, "data": own.id, **own.in_link()}, [
            f"The link was made with columns of {own.dataset.title} that were declared otherwise: "
            "load the schema that was saved then, or open its run file, to see the same."
        ]
    return {**link, "data": own.id}, []


def _is_read_as(own: Own, link: Link) -> bool:
    """Is it read as a link says, perhaps now? A link that says nothing about columns says nothing
    about how to read them."""
    if SCHEMA not in link:
        return True
    read_as = {key: link[key] for key in READ_AS if key in link}
    try:
        data = own.dataset if read_as == own.dataset.read_as else own.read_anew(read_as)
        if link[SCHEMA] != data.schema.digest[:_LETTERS]:
            known = _seen().get((own.id, link[SCHEMA]))
            if known is None:
                return False
            data = data.with_schema(known.for_columns(data.raw.names, data.title))
    except InputError:
        return False
    if data is not own.dataset:
        _go_on(own, data, own.wanted)
        own.edition += 1
    return True


def take(content: bytes, name: str) -> None:
    """Open a file: with a link that waits for it, as it was left, or as proposed."""
    before, digest = current(), hashlib.sha256(content).hexdigest()
    if before is not None and before.dataset.file_sha256 == digest:
        own = before
    else:
        read_as, schema = st.session_state.setdefault(_LAST, {}).get(digest, ({}, None))
        own = Own(content, own_dataset(content, name, **read_as))
        if schema is not None and schema != own.dataset.schema:
            own.past = [own.dataset]
            own.dataset = own.dataset.with_schema(schema)
        state.give(FEATURES, _texts(own.dataset).text(own.dataset.default_features))
    remember(digest, own.dataset.schema)
    st.session_state[_OPEN] = own
    state.give("data", own.id)
    waiting: _Waiting | None = st.session_state.pop(_WAITING, None)
    if waiting and waiting.id in (OWN, own.id):
        menu.open_link(waiting.page, {**waiting.link, "data": own.id})
    if waiting:
        say(f"{name} is another file than the link was made with, so it is shown as a new one.")


def _texts(data: Dataset) -> Several:
    return Several(name=FEATURES, title="", choices=data.schema.names)


def change(schema: Schema, typed: bool = False) -> None:
    """Read the file by another schema; an InputError leaves all as it was. `typed` changes are in
    the editor already."""
    own = current()
    if own is None or schema == own.dataset.schema:
        return
    data = own.dataset.with_schema(schema)
    if not data.features:
        raise InputError("Nothing would be left to count by. Give one column another role.")
    _step(own, data)
    own.edition += not typed


def read_as(**asked: str) -> None:
    """Read the file with another encoding or separator (a callback); what was said about columns
    stays where they are the same."""
    state.touched()
    own = current()
    if own is None:
        return
    try:
        data = own.read_anew({**own.dataset.read_as, **asked})
        said = own.dataset.schema != own.dataset.proposed
        if said and data.schema.names == own.dataset.schema.names:
            data = data.with_schema(own.dataset.schema)
    except InputError as problem:
        refuse(str(problem))
        return
    _step(own, data)
    own.edition += 1


def _step(own: Own, data: Dataset) -> None:
    """One change, which can be undone."""
    before = dataclasses.replace(own.dataset)  # without what was computed from it
    own.past = [*own.past, before][-_MOST_STEPS:]
    chosen = _chosen(own)
    _go_on(own, data, own.wanted if _countable(own.wanted, own.dataset) == chosen else chosen)


def undo() -> None:
    """One change back (a button's callback)."""
    state.touched()
    own = current()
    if own is not None and own.past:
        _go_on(own, own.past.pop(), own.wanted)
        own.edition += 1


def _go_on(own: Own, data: Dataset, wanted: tuple[str, ...]) -> None:
    """The data as read from now on. Features that cannot be counted by any more leave the table,
    and come back when they can."""
    own.dataset, own.wanted, own.problem = data, wanted, ""
    st.session_state.setdefault(_LAST, {})[data.file_sha256] = (data.read_as, data.schema)
    remember(data.file_sha256, data.schema)
    left = _countable(wanted, data) or data.default_features
    state.give(FEATURES, _texts(data).text(left))


def _chosen(own: Own) -> tuple[str, ...]:
    """What people are counted by now."""
    text = state.used(FEATURES)
    if text is None:
        return own.dataset.default_features
    found: tuple[str, ...] = _texts(own.dataset).salvage(text).value
    return found


def _countable(names: tuple[str, ...], data: Dataset) -> tuple[str, ...]:
    return tuple(n for n in names if n in data.features)


def attempt(make: Any, *args: Any) -> None:
    """A change that a button makes (its callback); what is wrong with it is said."""
    state.touched()
    try:
        change(make(*args))
    except InputError as problem:
        refuse(str(problem))


def refuse(problem: str) -> None:
    """Say why a change was not made, in an editor that shows what holds."""
    own = current()
    if own is not None:
        own.problem = problem
        own.edition += 1

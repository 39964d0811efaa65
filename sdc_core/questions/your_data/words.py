"""Sentences about what the columns of a file mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sdc_core.data import Dataset
from sdc_core.data.editing import undeclared
from sdc_core.data.excerpt import derived_among
from sdc_core.data.schema import Column, Role
from sdc_core.histogram import Histogram
from sdc_core.words.numbers import listed, lowered

KNOWN = (Role.QUASI, Role.PLACE)
_MOST_NAMES = 5
ROWS_CAPTION = (
    "Shown on the page only: they are people's records, so they are in no file that is made here."
)


def sentences(data: Dataset, counted: Histogram | None, domain: str) -> tuple[str, str]:
    """How much there is, what an outsider may know, and where the table's groups come from."""
    known, secret = (len(data.schema.by_role(*r)) for r in (KNOWN, (Role.SENSITIVE,)))
    derived = derived_among(data.schema.names)
    besides = f" (with {len(derived)} derived from others)" if derived else ""
    named = data.title if _in_memory(data) else data.source  # whose title has the number in it
    is_file = bool(Path(named).suffix)  # and is written as its owner wrote it
    title = named if is_file else named[:1].upper() + named[1:]
    first = (
        f"{title} has {_number(len(data), 'record')} and "
        f"{_number(len(data.columns), 'column')}{besides}; {_are(known, ' of them')} what an "
        f"outsider may know, {_are(secret)} sensitive"
    )
    if counted is None:
        return f"{first}; the table that is asked for cannot be made.", ""
    read_off = counted.domain.read_off
    groups = _number(len(counted), "group")
    are = "is" if len(counted) == 1 else "are"
    titles = {f.name: _title(f.name, f.title) for f in counted.domain.features}
    by = listed(list(titles.values()))
    if not read_off:
        return (
            f"{first}; the groups of the table are declared.",
            f"Counted by {by}, there {are} {groups}, whoever is in the data.",
        )
    some = listed([titles[name] for name in read_off])
    if domain == "observed":
        why = "because groups are to exist as seen"
    elif len(read_off) == len(titles):
        why = f"because {some} is not declared" if len(titles) == 1 else (
            "because none of these columns is declared")
    else:
        why = f"because of {some}"
    whole = len(read_off) == len(titles)
    return (
        f"{first}; the groups of the table are {'' if whole else 'partly '}read off the data.",
        f"Counted by {by}, there {are} {groups}. They are {'' if whole else 'partly '}read off "
        f"the data, {why}: that a rare value has a group tells that somebody has it, and every "
        "promise says so.",
    )


def _title(name: str, title: str) -> str:
    """A column inside a sentence: its title, or its name as the file writes it."""
    return name if title == name else lowered(title)


def _number(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _are(number: int, of_them: str = "") -> str:
    return f"{number or 'none'}{of_them} {'is' if number < 2 else 'are'}"


def undeclared_sentences(data: Dataset) -> Iterator[str]:
    """What occurs although it is not declared."""
    for column in data.columns:
        found = undeclared(data, column)
        if found:
            some = listed([repr(v) for v in found], _MOST_NAMES)
            one = len(found) == 1
            yield (
                f"{column.title}: {some} {'occurs' if one else 'occur'} in the file and "
                f"{'is' if one else 'are'} not among what is declared. A table counts "
                f"{'it' if one else 'them'} all the same, as read off the data. Declare "
                f"{'it' if one else 'them'}, or make {'it' if one else 'them'} a missing code."
            )


def reading_words(data: Dataset) -> str:
    """Where the records come from, and how they were read."""
    how = data.source if data.origin != "own" else str(data.reading or "")
    notes = data.reading.notes if data.reading else ()
    return " ".join([f"{data.title}: {how}." if how else f"{data.title}.", *notes])


def _in_memory(data: Dataset) -> bool:
    return data.looked_at is data


def columns_caption(data: Dataset) -> str:
    if data.origin != "own":
        return "Declared by the dictionary of this data set."
    if not _in_memory(data):
        return (
            "As the schema beside the records says, else proposed from some of them. To put it "
            "right, save the schema, edit it, and put it beside the records."
        )
    return (
        "Proposed from names and values, for you to put right: click into a cell. Values are "
        "divided by commas, as are the edges between bins; (missing) where a value may be missing."
    )


def labels_caption(column: Column, number: int) -> str:
    kind = "declared" if column.has_domain else "as seen in the file"
    return f"{_number(number, 'code')} of {_title(column.name, column.title)}, {kind}."

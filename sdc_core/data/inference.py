"""What the columns of a file probably mean: a proposal that its owner puts right.

Names are looked at in several languages, values as distinct ones. Codes stay codes: leading zeros,
one width, or whole numbers that repeat a lot are names, not quantities. What is proposed as a
domain is read off the data, and says so until somebody declares it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sdc_core.data.coding import round_edges
from sdc_core.data.column_types import FEW_LEVELS, typed, usual_decimal
from sdc_core.data.described import Described
from sdc_core.data.dictionary import FIVE_FEATURES, PLACES
from sdc_core.data.name_words import (
    BODIES,
    EITHER_WEIGHT,
    HOUSEHOLDS,
    NO_PLACES,
    OF_A_SURVEY,
    PERSONS,
    PLACE_WORDS,
    SENSITIVE,
    WEIGHTS,
    words,
)
from sdc_core.data.raw import Raw
from sdc_core.data.schema import MAX_LEVELS, NUMBERS, Column, Role, Schema, Type
from sdc_core.errors import InputError

_MOST_PLACES = 60  # more would make the first table large
_FEW_ROWS = 30  # below it nothing is called an identifier because it never repeats
_SHORT_TITLE = 3  # words: a longer one is a question, and may name anything


def inferred(raw: Raw, said: Mapping[str, Described] | None = None) -> Schema:
    """The whole proposal: types from values, roles from names and values; what a dictionary says
    about a column goes before what it looks like."""
    usual, told = usual_decimal(raw), said or {}
    columns = [
        _as_said(raw, typed(raw, name, usual, told[name].missing if name in told else ()),
                 told.get(name)) for name in raw.names
    ]
    proposed = _with_roles(raw, columns)
    return Schema(tuple(
        column if column.has_domain else with_proposed_edges(raw, column) for column in proposed))


def _as_said(raw: Raw, column: Column, said: Described | None) -> Column:
    """A column with what a dictionary says about it, as far as its values bear it out."""
    if said is None:
        return column
    kind = said.type or column.type
    if said.type is Type.CODE and column.type is Type.TEXT and not said.values:
        kind = Type.TEXT  # a dictionary says string, be it names or sentences
    values = {} if kind in NUMBERS else dict(said.values)
    missing = [*said.missing, *(m for m in column.missing if m not in said.missing)]
    found = dataclasses.replace(
        column, title=said.title or column.title, type=kind, values=values,
        missing=tuple(m for m in missing if m not in values), declared=bool(values),
        may_be_missing=bool(values) and said.may_be_missing,
        missing_label=said.missing_label or column.missing_label,
        decimal=said.decimal or column.decimal,
        note=said.note or ("" if said.type else column.note),
    )
    if kind in NUMBERS and not _has_numbers(raw, found):
        return dataclasses.replace(
            found, type=column.type, note=f"the dictionary calls it a {kind}, its values are not")
    return found


def _has_numbers(raw: Raw, column: Column) -> bool:
    """Can it be read as the numbers or dates that it is said to hold?"""
    try:
        return bool(np.isfinite(raw.numbers(column)).any())
    except InputError:
        return False


def place_among(names: Iterable[str]) -> str | None:
    """The first of these names that reads like a place."""
    parts = {name: set(words(name)) for name in names}
    parts = {name: found for name, found in parts.items() if not found & set(NO_PLACES)}
    return next((name for word in PLACE_WORDS for name in parts if word in parts[name]), None)


def _with_roles(raw: Raw, columns: list[Column]) -> list[Column]:
    """Roles by content first (known places), then by name; each of the single ones once."""
    found = {c.name: c for c in columns}

    def give(name: str, role: Role, note: str = "") -> None:
        found[name] = dataclasses.replace(found[name], role=role, note=note or found[name].note)

    for column in columns:
        named = _names(column)
        if not column.is_number and _levels(raw, column) == 0:
            give(column.name, Role.IGNORED, "all values are missing")
        elif column.type is Type.TEXT:
            give(column.name, Role.IGNORED)
        elif not _is_taken(found, Role.WEIGHT) and _is_weight(raw, column, named):
            give(column.name, Role.WEIGHT)
        elif not _is_taken(found, Role.HOUSEHOLD) and _is_household(raw, column, named):
            give(column.name, Role.HOUSEHOLD)
        elif _is_person(raw, column, named):
            role = Role.IGNORED if _is_taken(found, Role.PERSON) else Role.PERSON
            give(column.name, role, f"{_levels(raw, column):,} different values, one a record")
        elif not column.is_number and _levels(raw, column) > MAX_LEVELS:
            give(column.name, Role.IGNORED,
                 f"{_levels(raw, column):,} different values, too many for a group")
        elif named & set(SENSITIVE):
            give(column.name, Role.SENSITIVE)
    place = _place(raw, list(found.values()))
    if place:
        give(place, Role.PLACE)
    return list(found.values())


def _is_taken(found: dict[str, Column], role: Role) -> bool:
    """Has some column got this role already?"""
    return any(c.role is role for c in found.values())


def _names(column: Column) -> set[str]:
    """The words of its name, and of its title where that is short."""
    title = words(column.title)
    return {*words(column.name), *(title if len(title) <= _SHORT_TITLE + 1 else ())}


def _levels(raw: Raw, column: Column) -> int:
    """How many different values it has; those of numbers are not written as text for that."""
    if raw.is_numeric(column.name) and raw.count(column.name) > MAX_LEVELS:
        return raw.count(column.name)
    return len(raw.distinct(column.name).without(column.missing).texts)


def _is_weight(raw: Raw, column: Column, named: set[str]) -> bool:
    """A survey's weight, by its name. Where the name might as well be that of a body's weight it is
    none if a kin of that is in the file, or if people weigh as much: in doubt records are counted,
    which the reader can change."""
    if not named & set(WEIGHTS) or column.type not in (Type.WHOLE, Type.NUMBER):
        return False
    numbers = raw.numbers(column)
    known = numbers[np.isfinite(numbers)]
    if named & BODIES or not (known >= 0).all() or not known.sum() > 0:
        return False
    if named & (set(WEIGHTS) - EITHER_WEIGHT) or named & OF_A_SURVEY:
        return True
    kin = set().union(*(words(name) for name in raw.names)) & BODIES
    return not kin and not _as_people_weigh(known)


def _as_people_weigh(numbers: NDArray[np.float64]) -> bool:
    """In kilograms or pounds: means of 40 to 250, and two of three within two fifths of it."""
    mean, spread = float(numbers.mean()), float(numbers.std())
    return 40 <= mean <= 250 and 0 < spread < 0.4 * mean


def _is_household(raw: Raw, column: Column, named: set[str]) -> bool:
    """Named like one, and with people enough to a value that it is no group of another kind."""
    if not named & set(HOUSEHOLDS):
        return False
    return max(FEW_LEVELS + 1, len(raw) / 8) < _levels(raw, column) + 1


def _is_person(raw: Raw, column: Column, named: set[str]) -> bool:
    """Different in every record, and not a quantity."""
    if column.type in (Type.NUMBER, Type.DATE) or len(raw) < _FEW_ROWS:
        return False
    if column.is_number and not named & set(PERSONS) and not (
        column.name == raw.names[0] and (np.diff(raw.numbers(column)) == 1).all()
    ):  # neither called an identifier nor a running number
        return False
    return _levels(raw, column) >= len(raw)


def _place(raw: Raw, columns: list[Column]) -> str | None:
    """By content (the known places), else by name; among names the first of the likeliest."""
    able = [c for c in columns if c.kind == "categorical" and c.role is not Role.SENSITIVE]
    for column in able:
        texts = raw.distinct(column.name).without(column.missing).texts
        known = pc.is_in(texts, value_set=pa.array(list(PLACES)))
        if len(texts) and pc.mean(pc.cast(known, pa.float64())).as_py() > 0.5:
            return column.name
    short = {c.title: c.name for c in able if len(words(c.title)) <= _SHORT_TITLE + 1}
    return place_among(c.name for c in able) or short.get(place_among(short) or "")


def with_proposed_edges(raw: Raw, column: Column) -> Column:
    """Numbers get round edges; they are a proposal until somebody declares them."""
    if column.kind != "numeric":
        return column
    column = dataclasses.replace(column, declared=False)
    numbers = raw.numbers(column)
    missing = ~np.isfinite(numbers)
    edges = round_edges(numbers[~missing], column)
    return dataclasses.replace(
        column, edges=tuple(float(e) for e in edges), may_be_missing=bool(missing.any())
    )


def usual_features(raw: Raw, schema: Schema) -> tuple[str, ...]:
    """What people are counted by at first: the place if it has few values, what an outsider may
    know, and what is sensitive; few values each, so that the first chart is readable. Of a census
    excerpt, those of the papers."""
    size = {c.name: _size(raw, c) for c in schema if c.kind != "identifier"}
    if all(name in size for name in FIVE_FEATURES):
        return FIVE_FEATURES
    able = [n for n, levels in size.items() if levels > 1]
    place = [n for n in schema.by_role(Role.PLACE) if 1 < size.get(n, 0) <= _MOST_PLACES]
    known = sorted((n for n in schema.by_role(Role.QUASI) if n in able), key=lambda n: size[n])
    known = [n for n in known if size[n] <= FEW_LEVELS] or known[:1]
    secret = sorted((n for n in schema.by_role(Role.SENSITIVE) if n in able), key=lambda n: size[n])
    chosen = {*place[:1], *secret[:1], *known[: 3 - bool(place) - bool(secret)]}
    for name in (*able, *size):  # a table by one feature alone has nothing to compare
        if len(chosen) < 2:
            chosen.add(name)
    return tuple(n for n in schema.names if n in chosen)


def _size(raw: Raw, column: Column) -> int:
    return len(column.edges) + 1 if column.is_number else _levels(raw, column)

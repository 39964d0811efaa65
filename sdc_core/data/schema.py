"""Schema: what the columns of a file mean, declared once.

For each column its role, its type, its words, and its domain: the values that there may be, or the
edges between the bins of a number. A domain that is declared does not hang on who is in the data;
one that was only read off the data says so (`declared` is False). Saved as JSON next to the data.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from sdc_core.errors import InputError

Kind = Literal["categorical", "numeric", "identifier"]

MAX_LEVELS = 1000
DEFAULT_BINS = 5
MAX_BINS = 100
MISSING = "(missing)"  # how a declaration says that a value may be missing
FORMAT = "sdc-schema"
VERSION = 1
_LONGEST_LABEL = 60
_MOST_JSON = 20_000_000
_EPOCH = datetime.date(1970, 1, 1)
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)')  # quoted, or up to a comma


class Role(StrEnum):
    """What a column is to somebody who wants to find a person."""

    QUASI = "quasi-identifier"  # an outsider may know it
    SENSITIVE = "sensitive"  # an outsider would like to know it
    PLACE = "place"
    WEIGHT = "weight"  # for how many people a record stands
    HOUSEHOLD = "household id"
    PERSON = "person id"
    IGNORED = "ignored"


class Type(StrEnum):
    """How its values are to be read. A code is a name, whatever digits it is made of."""

    CODE = "code"
    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    DATE = "date"


NUMBERS = (Type.WHOLE, Type.NUMBER, Type.DATE)
_NOT_COUNTED = (Role.HOUSEHOLD, Role.PERSON, Role.IGNORED)


@dataclass(frozen=True)
class Column:
    """One column: role, type, words and domain.

    `values` are codes and their labels, in order; `edges` lie between the bins of a number (of a
    date: days since 1970). Without them codes are as seen in the file, and numbers cut into `bins`
    about equally filled bins. `missing` are texts that stand for no value.
    """

    name: str
    title: str
    role: Role = Role.QUASI
    type: Type = Type.CODE
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    edges: tuple[float, ...] = ()
    bins: int = DEFAULT_BINS
    missing: tuple[str, ...] = ()
    missing_label: str = "missing"
    may_be_missing: bool = False
    declared: bool = True
    unit: str = ""
    note: str = ""
    decimal: str = "."

    def __post_init__(self) -> None:
        object.__setattr__(self, "role", _member(Role, self.role, self.name, "role"))
        object.__setattr__(self, "type", _member(Type, self.type, self.name, "type"))
        if not 2 <= self.bins <= MAX_BINS:
            raise InputError(
                f"{self.name}: bins must be in [2, {MAX_BINS}], got {self.bins}. Try 5."
            )
        if any(a >= b for a, b in itertools.pairwise(self.edges)):
            raise InputError(f"{self.name}: edges must rise, got {list(self.edges)}.")
        if len(self.edges) >= MAX_BINS or not all(map(math.isfinite, self.edges)):
            raise InputError(f"{self.name}: at most {MAX_BINS - 1} edges, all finite.")
        if self.decimal not in (".", ","):
            raise InputError(f"{self.name}: the decimal sign is . or , and not {self.decimal!r}.")

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @property
    def kind(self) -> Kind:
        """What can be done with it: counted as it is, counted in bins, or not counted by."""
        if self.role in _NOT_COUNTED or self.type is Type.TEXT:
            return "identifier"
        return "numeric" if self.is_number else "categorical"

    @property
    def has_domain(self) -> bool:
        """Are its values, or the edges of its bins, given beforehand?"""
        return self.declared and bool(self.edges if self.is_number else self.values)

    @property
    def declaration(self) -> str:
        """Its values, or the edges of its bins, as one writes them; empty where it is as seen."""
        if not self.has_domain:
            return ""
        known = [self.edge_text(e) for e in self.edges] if self.is_number else self.values
        return ", ".join([*map(quoted, known), *[MISSING] * self.may_be_missing])

    def edge_text(self, edge: float) -> str:
        """An edge as one writes it: 18, 2.5, 1970-01-01."""
        if self.type is Type.DATE:
            return (_EPOCH + datetime.timedelta(days=int(edge))).isoformat()
        return f"{edge:.0f}" if edge == round(edge) else repr(edge)

    def redeclared(self, text: str) -> Column:
        """With these values or edges (`n, s, w` or `18, 65`; `(missing)` where one may be missing),
        whoever is in the data; as seen where there are none."""
        known, may_be_missing = parts(text)
        plain = dataclasses.replace(
            self, values={}, edges=(), declared=True, may_be_missing=may_be_missing
        )
        if self.is_number:
            return dataclasses.replace(plain, edges=tuple(self._edge(part) for part in known))
        words = {value: self.values.get(value, shortened(value)) for value in known}
        return dataclasses.replace(plain, values=words)

    def _edge(self, text: str | float | int) -> float:
        try:
            if self.type is Type.DATE:
                return float((datetime.date.fromisoformat(str(text)) - _EPOCH).days)
            return float(text)
        except ValueError:
            example = "1950-01-01, 1980-01-01" if self.type is Type.DATE else "18, 35, 65"
            raise InputError(
                f"{self.name}: edges between bins are {self.type}s, such as {example}; got "
                f"{shortened(str(text))!r}."
            ) from None

    def code(self) -> str:
        """The Python that makes it: `sdc.Column('age', 'Age', type='whole number')`."""
        usual = Column(self.name, self.title)
        changed = [
            f"{f.name}={_plain(getattr(self, f.name))!r}" for f in dataclasses.fields(self)
            if getattr(self, f.name) != getattr(usual, f.name)
        ]
        return f"sdc.Column({', '.join([repr(self.name), repr(self.title), *changed])})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is as usual is left out."""
        edges: list[Any] = [
            self.edge_text(e) if self.type is Type.DATE else e for e in self.edges
        ]
        usual = Column(self.name, self.name)
        out: dict[str, Any] = {
            "name": self.name, "title": self.title, "role": str(self.role), "type": str(self.type),
        }
        for name, value in {
            "values": dict(self.values), "edges": edges, "bins": self.bins,
            "missing": list(self.missing), "missing_label": self.missing_label,
            "may_be_missing": self.may_be_missing, "declared": self.declared, "unit": self.unit,
            "note": self.note, "decimal": self.decimal,
        }.items():
            default = getattr(usual, name)
            if value != (list(default) if isinstance(default, tuple) else default):
                out[name] = value
        return out

    @classmethod
    def from_dict(cls, given: object) -> Column:
        """From JSON, with one sentence where something is wrong."""
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise InputError("A schema's columns are objects with a name.")
        name = given["name"]
        wanted = {f.name: f for f in dataclasses.fields(cls)}
        unknown = [key for key in given if key not in wanted]
        if unknown:
            raise InputError(
                f"{shortened(name)}: a schema knows no {shortened(str(unknown[0]))!r}. It has: "
                f"{', '.join(wanted)}."
            )
        found: dict[str, Any] = {"title": name, **given}
        values = found.pop("values", {})
        if isinstance(values, list):  # codes without words
            values = {_text(v, name, "values"): shortened(str(v)) for v in values}
        if not isinstance(values, Mapping):
            raise InputError(f"{name}: values are codes with their labels, or a list of codes.")
        for key in ("missing", "edges"):
            if not isinstance(found.get(key, []), list):
                raise InputError(f"{name}: {key} must be a list.")
        for key, kind in (("may_be_missing", bool), ("declared", bool), ("bins", int)):
            if key in found and type(found[key]) is not kind:
                raise InputError(f"{name}: {key} cannot be {shortened(str(found[key]))!r}.")
        for key in ("title", "missing_label", "unit", "note", "decimal"):
            if key in found:
                found[key] = _text(found[key], name, key)
        edges = found.pop("edges", [])
        found["missing"] = tuple(_text(m, name, "missing") for m in found.get("missing", []))
        found["values"] = {
            _text(code, name, "values"): _text(label, name, "values")
            for code, label in values.items()
        }
        made = cls(**found)
        return dataclasses.replace(made, edges=tuple(made._edge(e) for e in edges))


@dataclass(frozen=True)
class Schema:
    """All columns of a file, in its order."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        names = [c.name for c in self.columns]
        twice = next((n for n in names if names.count(n) > 1), None) if len(
            set(names)) < len(names) else None
        if twice is not None:
            raise InputError(f"The schema names column {twice!r} twice.")
        for role in (Role.WEIGHT, Role.HOUSEHOLD, Role.PERSON, Role.PLACE):
            if len(self.by_role(role)) > 1 and role is not Role.PLACE:
                raise InputError(
                    f"Only one column can be the {role}; the schema has "
                    f"{' and '.join(self.by_role(role)[:2])}."
                )

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def column(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name == name), None)

    def by_role(self, *roles: Role) -> tuple[str, ...]:
        """The names of the columns that have one of these roles."""
        return tuple(c.name for c in self.columns if c.role in roles)

    def with_columns(self, changed: Iterable[Column]) -> Schema:
        new = {c.name: c for c in changed}
        return Schema(tuple(new.get(c.name, c) for c in self.columns))

    def for_columns(self, names: Sequence[str], file: str) -> Schema:
        """For a file with these columns: those that the schema does not name are ignored, and one
        that the file does not have is a mistake."""
        lacking = [n for n in self.names if n not in set(names)]
        if lacking:
            raise InputError(
                f"The schema names column {shortened(lacking[0])!r}, which {file} does not have."
            )
        known = {c.name: c for c in self.columns}
        return Schema(tuple(
            known.get(n) or Column(n, n, Role.IGNORED, note="not in the schema") for n in names
        ))

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT, "version": VERSION, "columns": [c.to_dict() for c in self.columns],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    @functools.cached_property
    def digest(self) -> str:
        """Names what it says."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @classmethod
    def from_dict(cls, given: object) -> Schema:
        columns = given.get("columns") if isinstance(given, Mapping) else None
        if not isinstance(columns, list) or not isinstance(given, Mapping) or not columns:
            raise InputError("A schema is JSON with a list of columns; this is something else.")
        if given.get("format", FORMAT) != FORMAT or given.get("version", VERSION) != VERSION:
            raise InputError(f"This schema is not {FORMAT} version {VERSION}.")
        return cls(tuple(Column.from_dict(one) for one in columns))

    @classmethod
    def from_json(cls, text: str) -> Schema:
        if len(text) > _MOST_JSON:
            raise InputError(f"A schema has at most {_MOST_JSON:,} characters.")
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as problem:
            reason = str(problem).splitlines()[0] if isinstance(problem, ValueError) else "too deep"
            raise InputError(f"The schema is not JSON: {shortened(reason)}.") from None
        return cls.from_dict(given)


def quoted(text: str) -> str:
    """A text as one part of several that commas divide: in quotes where it would not be one."""
    if '"' not in text and parts(text) == ([text], False):
        return text
    return '"' + text.replace('"', '""') + '"'


def parts(text: str) -> tuple[list[str], bool]:
    """The parts that commas divide, what is in quotes as it stands; and whether `(missing)` is
    one of them."""
    found, missing, at = [], False, 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            break
        at = match.end() + (match.end() == at)
        as_it_stands, plain = match.groups()
        if as_it_stands is not None:
            found.append(as_it_stands.replace('""', '"'))
        elif plain.strip() == MISSING:
            missing = True
        elif plain.strip():
            found.append(plain.strip())
    return found, missing


def shortened(label: str) -> str:
    """A value as a label that fits a sentence and a chart."""
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1].rstrip()}…"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, StrEnum) else (
        dict(value) if isinstance(value, Mapping) else value)


def _text(value: object, column: str, key: str) -> str:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise InputError(f"{column}: {key} holds {shortened(str(value))!r}, which is not text.")
    return str(value)


def _member(kind: Any, value: object, column: str, key: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise InputError(
            f"{shortened(column)}: the {key} must be one of {', '.join(kind)}; got "
            f"{shortened(str(value))!r}."
        ) from None

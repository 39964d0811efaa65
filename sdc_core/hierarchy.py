"""Hierarchies: how may the values of a feature be grouped, level by level, up to all together?

A user writes one line a feature, such as

    RAC1P: 1 | 2 | Other = 3, 5, 6, 7, 8, 9
    PUMA: North = 25-00503, 25-00703 | South = 25-01000 | 25-02800 > Coast = North, South | 25-02800

Groups stand between bars, values (codes or labels) between commas; a group may have a name, and a
further level follows after `>`, where groups of the level below go by name. Lines end with a new
line or a semicolon; what contains one of these signs goes in "quotation marks".
(Generalisation hierarchies: Samarati 2001; Sweeney 2002.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature
from sdc_core.keep import kept_in_visit, kept_with_first

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
EXAMPLE = "SEX: Any sex = 1, 2"

_SIGNS = ':;\n|>=,"'
_SHOWN = 12  # values that an error lists


@dataclass(frozen=True)
class Group:
    """Values, or groups of the level below, that are published as one; a name if it has one."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """What is written about one feature: its levels, from fine to coarse."""

    feature: str
    levels: tuple[tuple[Group, ...], ...]


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of one feature: `steps[0]` each value by itself, `steps[-1]` all together.

    `steps[level, value]` is the number of the value's group, `names[level][group]` its name ("" if
    it has none of its own). `given` says whether a user wrote it.
    """

    steps: Ints
    names: tuple[tuple[str, ...], ...]
    given: bool = True

    def __len__(self) -> int:
        return len(self.steps)

    def lowest(self, held: Bools) -> Ints:
        """The finest level at which the values of each row lie in one group."""
        level = np.full(len(held), len(self) - 1)
        for number in range(len(self) - 1, -1, -1):
            group = np.where(held, self.steps[number], -1)
            first = np.where(held, self.steps[number], held.shape[1]).min(axis=1)
            level[group.max(axis=1) == first] = number
        return level

    def widened(self, held: Bools, levels: Ints) -> Bools:
        """All values of the groups that the rows' values lie in, at the rows' levels."""
        group = self.steps[levels, held.argmax(axis=1)]
        return np.asarray(self.steps[levels] == group[:, None])

    def name(self, level: int, value: int) -> str:
        """The name of the group of this value at this level, "" if it has none."""
        return self.names[level][self.steps[level, value]]

    def sizes(self) -> Ints:
        """How many values the group of each value has (levels × values)."""
        return np.stack([np.bincount(step)[step] for step in self.steps])


# ---- reading ----------------------------------------------------------------------------------


@kept_in_visit
def parse(text: str) -> tuple[Line, ...]:
    """The lines of a text, or an InputError that says what does not read as a hierarchy."""
    lines = tuple(_line(part) for part in _split(text, ";\n") if part)
    for name, times in Counter(line.feature for line in lines).items():
        if times > 1:
            raise InputError(f"hierarchies names {name!r} twice. Give each feature one line.")
    return lines


def normal_text(text: str) -> str:
    """The same hierarchies in one way of writing, on one line."""
    return text_of(parse(text))


def text_of(lines: Sequence[Line]) -> str:
    """The lines as a text that reads back to the same lines."""
    def group(one: Group) -> str:
        members = ", ".join(map(_quoted, one.members))
        return f"{_quoted(one.name)} = {members}" if one.name else members

    def level(one: Sequence[Group]) -> str:
        return " | ".join(map(group, one))

    return "; ".join(
        f"{_quoted(line.feature)}: {' > '.join(map(level, line.levels))}" for line in lines
    )


def _split(text: str, marks: str, most: int = -1) -> list[str]:
    """Parts between the marks that are not within quotation marks."""
    parts: list[str] = []
    start, quoted = 0, False
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        if sign in marks and not quoted and (most < 0 or len(parts) < most):
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    if quoted:
        raise InputError(f"hierarchies has a quotation mark without its partner in {text!r}.")
    return [part.strip() for part in parts]


def _line(text: str) -> Line:
    feature, *rest = _split(text, ":", 1)
    if not rest or not feature:
        raise InputError(
            f"hierarchies: {text!r} does not say which feature it is about. Write the feature, a "
            f"colon and its groups, such as {EXAMPLE}."
        )
    levels = tuple(
        tuple(_group(group, text) for group in _split(level, "|"))
        for level in _split(rest[0], ">")
    )
    return Line(_plain(feature), levels)


def _group(text: str, line: str) -> Group:
    name, *rest = _split(text, "=", 1)
    members = tuple(_plain(part) for part in _split(rest[0] if rest else name, ","))
    if not all(members) or (rest and not name):
        raise InputError(
            f"hierarchies: a group or value is empty in {line!r}. Put values between commas and "
            f"groups between bars, such as {EXAMPLE}."
        )
    return Group(_plain(name) if rest else "", members)


def _plain(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"').strip()
    return text


def _quoted(text: str) -> str:
    inside = text.replace('"', '""')
    return f'"{inside}"' if any(sign in text for sign in _SIGNS) else text


# ---- against a table --------------------------------------------------------------------------


def ladders(text: str, domain: Domain) -> dict[str, Ladder]:
    """The levels of every feature that the text names, checked against the table's values."""
    return _ladders(domain, text)


@kept_with_first
def _ladders(domain: Domain, text: str) -> dict[str, Ladder]:
    titles = {f.title: f.name for f in domain.features}
    lines = [
        replace(line, feature=titles.get(line.feature, line.feature)) for line in parse(text)
    ]
    places = domain.axes([line.feature for line in lines], "hierarchies")
    return {
        line.feature: _ladder(domain.features[place], line.levels)
        for line, place in zip(lines, places, strict=True)
    }


def default_ladder(feature: Feature) -> Ladder:
    """Values → all; for bins of a number neighbours are joined two by two, again and again.

    Values outside the order (missing) stay by themselves until all are joined.
    """
    size = len(feature)
    steps = [np.arange(size)]
    inner = size - feature.unordered_tail
    width = 2
    while feature.ordered and width < 2 * inner:
        place = np.arange(size)
        joined = -(-inner // width)
        steps.append(np.where(place < inner, place // width, joined + place - inner))
        width *= 2
    if steps[-1].any():
        steps.append(np.zeros(size, dtype=np.int64))
    names = tuple(("",) * (int(step.max()) + 1) for step in steps)
    return Ladder(np.stack(steps).astype(np.int64), names, given=False)


def _ladder(feature: Feature, levels: Sequence[Sequence[Group]]) -> Ladder:
    size = len(feature)
    steps, names = [np.arange(size)], [("",) * size]
    known, below = _known(feature), dict[str, Ints]()
    for number, groups in enumerate(levels, start=1):
        held = [
            np.concatenate([one for member in group.members
                            for one in _meant(feature, member, known, below)])
            for group in groups
        ]
        where = f" at level {number}" if number > 1 else ""
        _each_value_once(feature, np.concatenate(held), where)
        step = np.empty(size, dtype=np.int64)
        for place, values in enumerate(held):
            step[values] = place
        _nested(feature, steps[-1], step, number)
        steps.append(step)
        names.append(tuple(group.name for group in groups))
        below = {g.name: values for g, values in zip(groups, held, strict=True) if g.name}
    if steps[-1].any():
        steps.append(np.zeros(size, dtype=np.int64))
        names.append(("",))
    return Ladder(np.stack(steps).astype(np.int64), tuple(names))


def _meant(
    feature: Feature, member: str, known: dict[str, int], below: dict[str, Ints]
) -> Iterator[Ints]:
    """The values that a word stands for: a group's name, a code, a label, or codes with blanks."""
    words = [member] if member in below or member in known else member.split()
    strange = [word for word in words if word not in below and word not in known]
    if strange:
        if len(strange) < len(words):
            member = strange[0]  # codes with blanks, one of them wrong
        commas = any("," in label and member in label for label in feature.labels)
        remedy = " A label with a comma goes in quotation marks." if commas else ""
        shown = [_worded(feature, place).replace("'", "") for place in range(len(feature))]
        values = ", ".join(shown[:_SHOWN]) + (", …" if len(feature) > _SHOWN else "")
        raise InputError(
            f"hierarchies: {feature.name} has no value {member!r}. It has: {values}.{remedy}"
        )
    for word in words:
        yield below[word] if word in below else np.array([known[word]])


def _known(feature: Feature) -> dict[str, int]:
    """Codes and labels; a code goes before a label, and a label that two values share is none."""
    times = Counter(feature.labels)
    labels = {label: place for place, label in enumerate(feature.labels) if times[label] == 1}
    return labels | {value: place for place, value in enumerate(feature.values)}


def _each_value_once(feature: Feature, named: Ints, where: str) -> None:
    times = np.bincount(named, minlength=len(feature))
    if (times > 1).any():
        raise InputError(
            f"hierarchies: {feature.name} names {_worded(feature, int(times.argmax()))} "
            f"more than once{where}. Leave it in one group."
        )
    if (times == 0).any():
        raise InputError(
            f"hierarchies: {feature.name} leaves out {_worded(feature, int(times.argmin()))}"
            f"{where}. Add it to one of the groups."
        )


def _nested(feature: Feature, below: Ints, above: Ints, number: int) -> None:
    """Values that were together must stay together."""
    first = np.unique(below, return_index=True)[1][below]  # of each value's group
    apart = np.flatnonzero(above != above[first])
    if len(apart):
        one = int(apart[below[apart].argmin()])
        raise InputError(
            f"hierarchies: {feature.name} is not nested: {_worded(feature, int(first[one]))} "
            f"and {_worded(feature, one)} are together at level {number - 1} and "
            f"apart at level {number}. Later levels may only join groups."
        )


def _worded(feature: Feature, place: int) -> str:
    value, label = feature.values[place], feature.labels[place]
    return repr(value) if label == value else f"{value!r} ({label})"

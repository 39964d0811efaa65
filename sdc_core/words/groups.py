"""How a group of people is called in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.words.numbers import counted, lowered

_NOUNS = {"male": "men", "female": "women"}


def group_name(labels: Sequence[str]) -> str:
    """Whom a group is about: `Black men`, `women of two or more races`, `men (renting)`."""
    nouns = [_NOUNS[label] for label in labels if label in _NOUNS]
    rest = [label for label in labels if label not in _NOUNS]
    if len(nouns) != 1:
        return ", ".join(labels)
    if len(rest) == 1 and rest[0].lower().endswith((" race", " races")):
        return f"{nouns[0]} of {lowered(rest[0])}"
    if len(rest) == 1 and rest[0][:1].isupper() and "," not in rest[0]:
        return f"{rest[0]} {nouns[0]}"
    return f"{nouns[0]} ({', '.join(rest)})" if rest else nouns[0]


def sized(name: str, people: int, weighted: bool = False) -> str:
    """`Black men (1,204 people)`; a name that ends in brackets gets no second pair."""
    size = people_text(people, weighted)
    return f"{name[:-1]}; {size})" if name.endswith(")") else f"{name} ({size})"


def people_word(weighted: bool) -> str:
    """What numbers of people are: records are one person each, unless they stand for others."""
    return "people represented" if weighted else "people"


def people_text(number: float | str, weighted: bool = False) -> str:
    """`164 people`, `1 person`, `2.5 people represented`: a number, or how it is written."""
    return counted(number, "person represented" if weighted else "person", people_word(weighted))


def who_is_counted(table: Histogram, weight: str | None) -> str:
    """`7,634 people`; where records have weights, whether these are used."""
    if table.weighted:
        return f"{table.total:,} records, which stand for {table.people.sum():,.0f} people,"
    return counted(table.total) + (" counted, without survey weights," if weight else "")

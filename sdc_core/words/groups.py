"""How a group of people is called in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.words.numbers import lowered

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


def sized(name: str, people: int) -> str:
    """`Black men (1,204 people)`; a name that ends in brackets gets no second pair."""
    if name.endswith(")"):
        return f"{name[:-1]}; {people:,} people)"
    return f"{name} ({people:,} people)"

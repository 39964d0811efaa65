"""Which columns suit a purpose: by role and sense, one rule for all questions.

What an outsider may know and what is sensitive is known by role; weights and ids are never chosen.
Where a question follows a paper it names the paper's own columns, which come first where the data
has them. Where nothing suits, the reader is asked instead of being shown nonsense (`CHOOSE`).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from sdc_core.data import Column, Dataset
from sdc_core.data.coding import bin_labels
from sdc_core.data.dictionary import PLACES
from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Feature
from sdc_core.metrics.subgroups import is_ordinal
from sdc_core.parameters import Choice

CHOOSE = ""  # no column has this name: nothing suits by itself
MOST_IN_A_CHART = 12  # values that make groups of people
MOST_ON_AN_AXIS = 40
MOST_CELLS = 2_000  # of a table that nobody asked for
MOST_OF_ONE = 0.9  # where nearly everybody answers alike, always saying so is hard to beat
# Codes of the census excerpts that go up with what they mean; those of race, say, do not.
_ORDERED_CODES = ("PINCP_DECILE", "EDU", "AGE_BIN", "INCOME_50K")
_IN_A_TABLE = ("RAC1P", "OWN_RENT", "SEX")  # by which the papers count
_FEWEST_PLACES = 3  # so many codes of a boundary file: two may be any yes and no


def titles(dataset: Dataset) -> dict[str, str]:
    return {c.name: c.title for c in dataset.columns}


def features(dataset: Dataset) -> list[Feature]:
    """All that people can be counted by and that says something about them: no weights."""
    found = (_feature(dataset, c.name) for c in dataset.columns if c.role is not Role.WEIGHT)
    return [one for one in found if one is not None]


def _feature(dataset: Dataset, name: str) -> Feature | None:
    try:
        return dataset.feature(name)
    except InputError:
        return None


def with_role(
    found: Iterable[Feature], *roles: Role, most: int | None = None, usual: Sequence[str] = ()
) -> list[str]:
    """The usual ones where they are there; else those that have one of these roles, the first role
    first, and no more than so many values."""
    listed = list(found)
    known = [n for n in usual if any(f.name == n for f in listed)]
    able = [f for f in listed if f.role in roles and (most is None or len(f) <= most)]
    return known or [f.name for f in sorted(able, key=lambda f: roles.index(Role(f.role)))]


def small_enough(found: Iterable[Feature], names: Sequence[str], cells: int) -> list[str]:
    """As many of these, in their order, as make a table of no more than so many cells; at least
    one."""
    size = {f.name: len(f) for f in found}
    products = itertools.accumulate((size[n] for n in names), lambda a, b: a * b)
    return [n for n, product in zip(names, products, strict=True) if product <= cells] or list(
        names[:1])


def sensitive_of(found: Sequence[Feature]) -> str:
    """What an outsider would like to know: by role, else what stands last."""
    return next(iter(with_role(found, Role.SENSITIVE)), found[-1].name)


def known_of(found: Sequence[Feature], wanted: str, usual: Sequence[str] = ()) -> list[str]:
    """What an outsider may know beforehand, of features that are not what is wanted."""
    others = {f.name: f for f in found if f.name != wanted}
    return (
        [n for n in usual if n in others]
        or [n for n, f in others.items() if f.role in (Role.QUASI, Role.PLACE)] or list(others)
    )


def one_of_them(
    name: str, title: str, able: Mapping[str, str], start: str | None, help: str = ""
) -> Choice:
    """A column to be chosen; where none suits by itself, that is for the reader to do."""
    chosen = {} if start in able else {CHOOSE: "choose a column"}
    return Choice(
        name=name, title=title, default=start if start in able and start else CHOOSE,
        choices=(*chosen, *able), titles={**chosen, **able}, help=help,
    )


# Places ------------------------------------------------------------------------------------------


def categories(dataset: Dataset) -> dict[str, str]:
    """Columns whose values could be places."""
    return {c.name: c.title for c in dataset.columns if c.kind == "categorical"}


def known_places(codes: Sequence[str]) -> int:
    """How many of these are places of the census excerpts, whose boundaries are at hand?"""
    return sum(code in PLACES for code in codes)


def place_of(
    dataset: Dataset, on_the_map: Callable[[Sequence[str]], int] = known_places
) -> str | None:
    """Where people are: by role, else by content, where `on_the_map` says how many of a column's
    codes have boundaries; None where neither tells."""
    if dataset.place is not None:
        return dataset.place
    able = [f for f in features(dataset)
            if f.name in categories(dataset) and f.role != Role.SENSITIVE]
    found = {f.name: on_the_map(f.values) for f in able}
    enough = [f.name for f in able if found[f.name] >= max(_FEWEST_PLACES, len(f) / 2)]
    return max(enough, key=lambda name: found[name], default=None)


# Axes and groups ---------------------------------------------------------------------------------


def ordered(dataset: Dataset) -> list[str]:
    """What can stand on an axis: binned numbers, and codes that are numbers. Where codes have words
    these say what they mean, and only some of those go up with it; two codes are a yes and no."""
    return [f.name for f in features(dataset) if _is_ordered(dataset.column(f.name), f)]


def _is_ordered(column: Column, feature: Feature) -> bool:
    if not is_ordinal(feature) or len(feature) > MOST_ON_AN_AXIS:
        return False
    if feature.ordered or column.name in _ORDERED_CODES:
        return True
    in_words = any(code != label for code, label in column.values.items())
    return not in_words and feature.role != Role.PLACE and answers(feature) > 2


def unordered(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    """An uploaded file's categories that could stand on an axis if somebody put them in order: for
    each feature its values as the data lists them, without what is missing."""
    if dataset.origin != "own":
        return {}
    known = ordered(dataset)
    return {
        f.name: f.values[: answers(f)] for f in features(dataset)
        if f.name not in known and len(f) <= MOST_ON_AN_AXIS and answers(f) > 1
    }


def answers(feature: Feature) -> int:
    """How many of its values say something: all but that it is missing, which comes last."""
    return len(feature) - feature.unordered_tail


def outcomes_first(dataset: Dataset, names: Iterable[str], usual: Sequence[str]) -> list[str]:
    """What is looked at, then what it may hang on: the usual ones, then what is sensitive, numbers
    before codes."""
    def rank(name: str) -> tuple[int, bool, bool]:
        column = dataset.column(name)
        place = usual.index(name) if name in usual else len(usual)
        return place, column.role is not Role.SENSITIVE, not column.is_number

    return sorted(names, key=rank)


def groups_among(found: Sequence[Feature], usual: Sequence[str]) -> list[str]:
    """What makes groups of people that a chart can show: the usual ones, or the first feature with
    few values that an outsider may know."""
    known = with_role(found, Role.QUASI, most=MOST_IN_A_CHART, usual=usual)
    if any(n in usual for n in known):
        return known
    return known[:1] or with_role(found, *Role, most=MOST_ON_AN_AXIS)[:1]


# Yes or no ---------------------------------------------------------------------------------------


def yes_or_no(dataset: Dataset) -> dict[str, str]:
    """What can be predicted: features with two values, and numbers, as above or below the middle
    one of their edges."""
    found = {}
    for feature in features(dataset):
        column = dataset.column(feature.name)
        if answers(feature) == 2:
            found[column.name] = column.title
        elif answers(feature) > 2 and column.is_number:
            edges = _halved(column).edges
            upper = bin_labels(np.array(edges), column.type)[1] if edges else "upper half"
            found[column.name] = f"{column.title}: {upper}"
    return found


def in_two(dataset: Dataset, name: str) -> Dataset:
    """The data with a number read as below, or from the middle one of its edges on. Which edge that
    is follows from the edges, not from who is in the data."""
    column = dataset.column(name)
    return dataset.with_columns([_halved(column)]) if column.is_number else dataset


def _halved(column: Column) -> Column:
    edges = column.edges[len(column.edges) // 2 :][:1]
    return dataclasses.replace(column, edges=edges, bins=2)


def to_predict(dataset: Dataset, able: Sequence[str], usual: str) -> str | None:
    """What is worth predicting: the usual one; else what is sensitive, a yes or no before a number;
    else the last yes or no. Nothing that nearly everybody answers alike."""
    if usual in able:
        return usual

    def some(role: Role, number: bool) -> list[Column]:
        listed = (dataset.column(name) for name in able)
        return [c for c in listed if c.role is role and c.is_number is number]

    wanted = (
        *some(Role.SENSITIVE, number=False), *some(Role.SENSITIVE, number=True),
        *reversed(some(Role.QUASI, number=False)),
    )
    return next((c.name for c in wanted if _largest_share(dataset, c.name) <= MOST_OF_ONE), None)


def _largest_share(dataset: Dataset, name: str) -> float:
    """Of the people who answer, how many give the more frequent one of the two answers?"""
    counts = in_two(dataset, name).histogram([name]).counts[:2]
    return float(counts.max() / counts.sum()) if counts.any() else 1.0


def of_a_table(dataset: Dataset, most: int, asked: Mapping[str, str]) -> list[Choice]:
    """What stands across a table with totals and, as pairs, down: to begin with the place, and two
    features that fit a table of so many cells. `asked` are the controls with their titles."""
    able = {f.name: f for f in features(dataset) if 1 < len(f) <= most // 4}
    if len(able) < 3:
        raise InputError(
            "This page counts people by three features with two values or more; the data have "
            f"{len(able)}. Choose another data set.")
    small = sorted(able, key=lambda n: len(able[n]))
    across = [n for n in (place_of(dataset), *small) if n in able]
    down = [n for n in dict.fromkeys((*_IN_A_TABLE, *small)) if n in able]
    triples = ((one, *pair) for one in across for pair in itertools.combinations(down, 2)
               if one not in pair)
    starts = next((names for names in triples
                   if math.prod(len(able[n]) for n in names) <= most), tuple(small[:3]))
    named = {name: f.title for name, f in able.items()}
    return [
        Choice(name=name, title=title, default=start, choices=tuple(able), titles=named)
        for (name, title), start in zip(asked.items(), starts, strict=True)
    ]


def check_different(names: Sequence[str]) -> None:
    """No feature may stand twice in one table."""
    if len(set(names)) < len(names):
        raise InputError(
            "Columns and rows must be three different features, got "
            f"{', '.join(names)}. Choose another for one of them.")

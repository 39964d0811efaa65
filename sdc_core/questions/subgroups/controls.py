"""What stands on the axes, what makes a group, and which groups are looked at: the reader's choice.

The table is counted by the group features, then what is upwards, then what is across.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from sdc_core.histogram import Histogram
from sdc_core.metrics.subgroups import in_order, largest_groups
from sdc_core.parameters import Choice, Several
from sdc_core.questions import columns
from sdc_core.questions.columns import titles
from sdc_core.questions.question import Given
from sdc_core.words.groups import group_name
from sdc_core.words.numbers import lowered

MOST_GROUPS = 4
_USUAL_AXES = ("PINCP_DECILE", "EDU")
_GROUPED_BY = ("RAC1P", "SEX")
_USUAL_GROUPS = ("1~1", "2~1")  # White men and Black men
Orders = Mapping[str, tuple[str, ...]]  # a feature's values, lowest first
Place = tuple[int, ...]  # a group's position in the values of each group feature


def to_put_in_order(given: Given) -> Several | None:
    unordered = columns.unordered(given.dataset)
    if not unordered:
        return None
    return Several(
        name="g_order", title="Categories to put in order", choices=tuple(unordered),
        titles=titles(given.dataset),
        help="Columns whose values you can rank, such as education. They can then stand on an "
        "axis.",
    )


def _for_axes(given: Given) -> list[str]:
    """What can stand on an axis, in the data's order; what the reader has put in order comes last.
    Nothing if it is not enough for two axes."""
    found = [*columns.ordered(given.dataset), *(given.get("g_order") or ())]
    return found if len(found) > 1 else []


def _usual_first(given: Given) -> list[str]:
    """An outcome, then what it may hang on: income and age, not postcode and age."""
    return columns.outcomes_first(given.dataset, _for_axes(given), _USUAL_AXES)


def upwards(given: Given) -> Choice | None:
    ordinal = _for_axes(given)
    if not ordinal:
        return None
    return Choice(
        name="g_y", title="Upwards", default=_usual_first(given)[0], choices=tuple(ordinal),
        titles=titles(given.dataset),
    )


def across(given: Given) -> Choice | None:
    rest = [n for n in _usual_first(given) if n != given.get("g_y")]
    if not rest:
        return None
    return Choice(
        name="g_x", title="Across", default=rest[0],
        choices=tuple(n for n in _for_axes(given) if n in rest), titles=titles(given.dataset),
    )


def grouped_by(given: Given) -> Several | None:
    if not has_axes(given):
        return None
    free = [n for n in given.dataset.features if n not in (given["g_y"], given["g_x"])]
    able = [f for f in columns.features(given.dataset) if f.name in free]
    return Several(
        name="g_by", title="Groups by", default=tuple(columns.groups_among(able, _GROUPED_BY)),
        choices=tuple(free), titles=titles(given.dataset),
        help="Each combination of these features' values is a group of people.",
    )


def orders_of_axes(given: Given) -> list[Several]:
    """For each axis whose values have no order of their own, the order the reader gives them."""
    if not has_axes(given):
        return []
    unordered, named = columns.unordered(given.dataset), titles(given.dataset)
    return [
        Several(
            name=f"{axis}_order", title=f"Order of {lowered(named[given[axis]])}, lowest first",
            default=unordered[given[axis]], choices=unordered[given[axis]],
            help="Remove values and add them again in the right order. Neighbours stand one step "
            "apart; whoever has a value that is left out is not in the chart.",
        )
        for axis in ("g_y", "g_x") if given[axis] in unordered
    ]


def has_axes(given: Given) -> bool:
    """Has the data two features for the axes?"""
    return given.get("g_x") is not None


def chosen_orders(given: Given) -> dict[str, tuple[str, ...]]:
    """The order of each axis that has none of its own, by the feature's name."""
    return {
        given[axis]: given[f"{axis}_order"] for axis in ("g_y", "g_x")
        if given.get(f"{axis}_order") is not None
    }


def counted(given: Given) -> Histogram:
    """The table; without axes the data's usual one, of which nothing is shown then."""
    if not has_axes(given):
        return given.study.table
    table = given.study.count((*given["g_by"], given["g_y"], given["g_x"]))
    return given.work.kept(_ordered, table, chosen_orders(given))


def _ordered(table: Histogram, orders: Orders) -> Histogram:
    for name, order in orders.items():
        table = in_order(table, name, order)
    return table


def groups(given: Given) -> Several | None:
    if not has_axes(given):
        return None
    table = counted(given)
    places = given.work.kept(places_of, table)
    usual = [n for n in _USUAL_GROUPS if n in places] or largest_groups(table, places)
    return Several(
        name="groups", title="Groups side by side", default=tuple(usual), choices=tuple(places),
        titles=given.work.kept(names_of, table),
    )


def places_of(table: Histogram) -> dict[str, Place]:
    """All groups of the table, by their names in a link."""
    by = table.domain.features[:-2]
    places = itertools.product(*(range(len(f)) for f in by))
    return {"~".join(f.values[i] for f, i in zip(by, p, strict=True)) or "all": p for p in places}


def names_of(table: Histogram) -> dict[str, str]:
    """Whom each group is about, in words, by its name in a link."""
    by = table.domain.features[:-2]
    return {
        name: group_name([f.labels[i] for f, i in zip(by, place, strict=True)]) or "everybody"
        for name, place in places_of(table).items()
    }


def shown_groups(given: Given) -> dict[str, Place]:
    """The groups to look at: what they are called, and where they are in the table."""
    places = given.work.kept(places_of, given.table)
    names = given.work.kept(names_of, given.table)
    return {names[one]: places[one] for one in given["groups"][:MOST_GROUPS]}


def view(given: Given) -> Choice | None:
    if not has_axes(given):
        return None
    return Choice(
        name="g_view", title="What is shown", default="average", choices=("average", "one"),
        titles={"average": "On average", "one": "One release"}, segments=True, label_hidden=True,
    )

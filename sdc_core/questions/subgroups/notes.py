"""What cannot be said about groups and axes, and what can be done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdc_core.metrics.subgroups import MethodResult
from sdc_core.words.numbers import listed

FEW_FOR_A_LINE = 30  # people: a line through fewer says little


def group_notes(results: Sequence[MethodResult]) -> list[str]:
    """What cannot be said: groups that are empty, tiny, or gone after a release."""
    notes: list[str] = []
    if not results:
        return notes
    for group in results[0].groups:
        if group.records == 0:
            notes.append(
                f"There are no {group.name} with both values in this data: there is no true line, "
                "and whoever a release shows is not real."
            )
        elif group.records == 1:
            notes.append(
                f"There is one person among {group.name} in this data, and no line goes through "
                "one alone.")
        elif group.true_line is None:
            notes.append(
                f"All {group.people:,} {group.name} stand at the same place along the axis, so no "
                "line can be drawn through them."
            )
        elif group.records < FEW_FOR_A_LINE:
            notes.append(
                f"Only {group.records} {group.name} are in this data: a line through so few says "
                "little."
            )
    for result in results:
        gone = [g.name for g in result.groups if not g.released.sum() > 0 and g.people]
        if gone:
            notes.append(
                f"After {result.mechanism.spoken()} nobody is left among {listed(gone)}, so there "
                "is no released line."
            )
    return notes


def axes_missing(ordered: Sequence[str], unordered: Sequence[str]) -> tuple[str, str]:
    """In place of an answer: what this data lacks for a line, and what can be done about it."""
    need = "This page needs two features whose values are numbers or have an order"
    here = f"{ordered[0]} is one, one more is needed" if ordered else "this data has none"
    if len(ordered) + len(unordered) < 2:
        return f"{need}: {here}.", (
            "Use another file, or correct above how its columns are read (a column of numbers has "
            "an order).")
    count = "one" if ordered else "two"
    return f"{need}: {here}.", (
        f"Categories that can be ranked, such as schools from low to high, will do: choose {count} "
        f"below under “Categories to put in order” (there are {listed(unordered, most=5)})."
        if len(unordered) > 1 else
        f"If the values of {unordered[0]} can be ranked, choose it below under “Categories to put "
        "in order”.")


def order_sentence(orders: Mapping[str, Sequence[str]], as_listed: Sequence[str]) -> str:
    """Which order is used where the data has none, and that a step is a step."""
    parts = [f"{title}: {' < '.join(order) or 'nothing chosen'}" for title, order in orders.items()]
    said = f"In order, one step between neighbours: {'; '.join(parts)}."
    if not as_listed:
        return said
    return (
        f"{said} This is merely how the data lists {listed(as_listed)}: give the true order above, "
        "or slopes mean nothing."
    )

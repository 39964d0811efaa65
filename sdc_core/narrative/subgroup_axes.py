"""What the Subgroups page says of its axes: what the data lacks, and which order is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdc_core.words.numbers import listed


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

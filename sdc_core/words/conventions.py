"""What methods that are compared do differently, besides what is compared: said in the same
sentence, as a clause at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sdc_core.words.numbers import listed, percent

_NEARLY_ALL = 0.995  # of the records


def empty_groups_clause(
    fills: Sequence[str], leaves: Sequence[str], puts: tuple[str, str],
    does_not: tuple[str, str] = ("leaves those at 0", "leave those at 0"), so_far: str = "",
) -> str:
    """Who shows people in groups that have nobody, and who does not; nothing where all are alike.
    `puts` and `does_not` are said of one method and of several; `so_far` says in how many releases,
    where that is all that is known."""
    if not fills or not leaves:
        return ""
    return (
        f"; {listed(fills)} {puts[len(fills) > 1]}, {listed(leaves)} {does_not[len(leaves) > 1]}"
        f"{so_far}"
    )


def share_clause(shares: Iterable[tuple[str, float]]) -> str:
    """Whose releases are made of a part of the records, as they are: those counts are too low by
    design, and no error beside them means the same."""
    parts = [(name, share) for name, share in shares if share < _NEARLY_ALL]
    return "".join(
        f"; {name} publishes {percent(share, 0)} of the records, not scaled up"
        for name, share in dict.fromkeys(parts)
    )


def share_aside(share: float) -> str:
    """The same beside the method's name: `, keeping 63% of the records,`."""
    return f", keeping {percent(share, 0)} of the records," if share < _NEARLY_ALL else ""


def former_clause(first: Sequence[bool], second: Sequence[bool], do: tuple[str, str]) -> str | None:
    """Which of two sides of a sentence does what the other does not: `; only the former fills empty
    groups`. Nothing where all do or none does; None where one side is itself divided. `do` is said
    of one method and of several."""
    if len({*first, *second}) < 2:
        return ""
    if len(set(first)) > 1 or len(set(second)) > 1:
        return None
    side, many = ("former", len(first) > 1) if first[0] else ("latter", len(second) > 1)
    return f"; only the {side} {do[many]}"

"""Which of several numbers over releases may be called the highest or the lowest?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sdc_core.metrics.over_releases import OverReleases
from sdc_core.words.chance import differ

Item = TypeVar("Item")


def apart(one: OverReleases, other: OverReleases) -> bool:
    """May one mean be called larger? Release by release where both have the same ones, whose
    random streams they share."""
    if len(one.each) == len(other.each):
        gap = one.minus(other)
        return differ(gap.mean, gap.error, 0.0, 0.0)
    return differ(one.mean, one.error, other.mean, other.error)


def ends(
    found: Sequence[Item], size: Callable[[Item], float], told: Callable[[Item, Item], bool]
) -> tuple[list[Item], list[Item]]:
    """All that may be the lowest, and all that may be the highest, in the order given; none where
    even the two ends cannot be told apart (`told`). What could be either is neither."""
    low, high = (end(found, key=size) for end in (min, max))
    if not told(low, high):
        return [], []
    lowest = [one for one in found if not told(one, low)]
    highest = [one for one in found if not told(one, high)]
    return (
        [one for one in lowest if one not in highest], [one for one in highest if one not in lowest]
    )


def unbeaten(
    found: Sequence[Item], size: Callable[[Item], float], told: Callable[[Item, Item], bool]
) -> list[Item]:
    """All that none of the others is told to be higher than, in the order given; all of them where
    nothing can be told."""
    sized = [(one, size(one)) for one in found]
    largest_first = sorted(sized, key=lambda one: -one[1])  # which is told soonest, if any is
    return [
        one for one, own in sized
        if not any(larger > own and told(other, one) for other, larger in largest_first)
    ]

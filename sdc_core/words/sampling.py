"""A method's error beside what the survey itself does not know, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.metrics.sampling import Yardstick
from sdc_core.words.numbers import counted, listed

_UNKNOWN = "what the survey itself does not know"
_MANY = {"person": "people", "record": "records"}


def yardstick_sentence(name: str, found: Yardstick, one: str = "person") -> str:
    """From which size of group on is the error below the survey's own?"""
    if not found.groups:
        return f"No group has anybody in it, so nothing can be compared with {_UNKNOWN}."
    lead = f"The error of {name} is smaller than {_UNKNOWN}"
    if found.smaller == found.groups:
        return f"{lead}, for groups of every size."
    if not found.smaller:
        return f"The error of {name} is not smaller than {_UNKNOWN}, for groups of any size."
    if found.smaller_from is None:
        return (
            f"{lead} for {found.smaller:,} of {counted(found.groups, 'group', 'groups')}, but not "
            "for the largest."
        )
    if found.larger_below:
        size = counted(found.smaller_from, one, _MANY[one])
        return f"{lead}, except for groups below {size}."
    return (
        f"{lead} for all groups of {found.smaller_from:,} or more {_MANY[one]}, and for some of "
        "the smaller ones."
    )


def yardstick_sentences(found: Sequence[tuple[str, Yardstick]], one: str = "person") -> str:
    """The same for several methods; those that differ in the size alone share a sentence. `one` is
    what sizes of groups are counted in."""
    alike = [(name, own.smaller_from) for name, own in found
             if own.larger_below and own.smaller_from is not None and own.smaller < own.groups]
    if len(alike) < 2:
        return " ".join(yardstick_sentence(name, own, one) for name, own in found)
    sizes = dict.fromkeys(size for _, size in alike)
    parts = [
        f"{size:,}{f' {_MANY[one]}' if not place else ''} "
        f"when {listed([name for name, own in alike if own == size])}"
        for place, size in enumerate(sizes)
    ]
    shared = {name for name, _ in alike}
    rest = [yardstick_sentence(name, own, one) for name, own in found if name not in shared]
    return " ".join([
        f"Errors are smaller than {_UNKNOWN}, except for groups below {listed(parts)}.", *rest,
    ])

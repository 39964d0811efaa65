"""Links made before all questions shared one set of methods, one rule for empty groups, one way to
say which groups exist and one unit to count in: what they mean today."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.questions.study import COUNT
from ui.state import Link, UpToDate

_KEPT = ".keep_zeros"
_MAP_COUNT = "map_count"  # when the map alone could count people represented
_COUNTED = {"persons": "records", "weighted": "represented"}


def brought_up_to_date(link: Link, old_slots: Sequence[str]) -> UpToDate:
    """The link as it would be written today, and what cannot be said in it any more."""
    new, changed = {}, []
    today = {old: f"m{number}" for number, old in enumerate(old_slots, start=1)}
    for name, text in link.items():
        slot, dot, setting = name.partition(".")
        new[f"{today.get(slot, slot)}{dot}{setting}"] = text
    if any(old in link for old in old_slots):  # a page with fewer methods had no more than these
        new |= {f"m{n}": new.get(f"m{n}", "none") for n in range(len(old_slots) + 1, 5)}
    if _MAP_COUNT in new:
        text = new.pop(_MAP_COUNT)
        new.setdefault(COUNT, _COUNTED.get(text, text))
    zeros = {name: new.pop(name) for name in list(new) if name.endswith(_KEPT)}
    # a link was always written in full, so one with methods and seed but no domain is an old one
    if "domain" not in new and {"data", "seed", "m1"} <= new.keys():
        new["domain"] = "observed"
    if zeros and "empty" not in new:
        kept = set(zeros.values())
        new["empty"] = "left" if "true" in kept else "treated"
        if len(kept) > 1:
            changed.append(
                "In this link some methods left empty groups at 0 and some did not. That is one "
                "setting for all methods now: left at 0."
            )
    return new, changed

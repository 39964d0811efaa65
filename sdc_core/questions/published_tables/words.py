"""What hiding in a table with totals takes, from whom, and against what, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sdc_core.margins.rules import Rule, Threshold
from sdc_core.questions.published_tables.against import Limit, Off
from sdc_core.questions.published_tables.compute import Published
from sdc_core.words.numbers import Sentences, counted, in_words, percent, sensible

LONGEST = 100  # letters of a headline
_NOUNS = {True: ("small count", "small counts"), False: ("risky sum", "risky sums")}


def headline(found: Published, rule: Rule) -> str:
    number, further = int(found.sensitive.cells.sum()), int(found.further.sum())
    if not number:
        return f"{_nothing(found)} ({said_of(found, rule)})."
    if found.hiding is None:
        return _beyond(found, number)
    exact, close, _ = found.undone(found.told)
    if exact or close:
        beside = f", even with {further:,} more hidden" if further else " though hidden"
        stays = "stays" if exact + close == 1 else "stay"
        return f"{exact + close:,} of {_what(found, number)} {stays} known too closely{beside}."
    if not further:
        beside = f"{_what(found, number)} {'is' if number == 1 else 'are'}"
        return f"{beside} hidden here, and that is enough: no others have to be."
    share = percent(found.share_hidden(), 0)
    of = "all numbers" if found.zeros else f"the {found.which}"
    short = f"{_what(found, number)} and {further:,} more are hidden: {share} of {of}"
    whose = _whose(found)
    return f"{short}{whose if len(short + whose) < LONGEST else ''}."


def _nothing(found: Published) -> str:
    if not found.table.counts_people:
        return "No sum is risky by this rule"
    return f"No number {'' if found.zeros else 'above 0 '}is small"


def _beyond(found: Published, number: int) -> str:
    """Which numbers nothing protects."""
    names = [found.table.name(int(cell)) for cell in np.flatnonzero(found.beyond)]
    if not names:
        return f"No safe choice was found for {_what(found, number)}."
    if number == 1:
        return f"{_what(found, 1)} cannot be protected: {names[0]}."
    many = "One" if len(names) == 1 else f"{len(names):,}"
    return f"{many} of {_what(found, number)} cannot be protected: {'; '.join(names[:2])}" + (
        f"; and {len(names) - 2:,} more." if len(names) > 2 else ".")


def said_of(found: Published, rule: Rule) -> str:
    """What the rule says of a number: fewer than 6 people."""
    if isinstance(rule, Threshold) and found.table.counts_people:
        return f"fewer than {counted(rule.k)}"
    return rule.sentence()


def _what(found: Published, number: int) -> str:
    one, many = _NOUNS[found.table.counts_people]
    return f"{number:,} {one if number == 1 else many}"


def _whose(found: Published) -> str:
    """Who loses the most, where that is one group or where several lose all."""
    able = [g for g in found.groups if g.numbers]
    if len(able) < 2:
        return ""
    most = max(able, key=lambda g: g.share)
    alike = [g for g in able if g.share == most.share]
    if most.share <= found.share_hidden() or len(alike) == len(able):
        return ""
    if most.share == 1:
        return f", all of those of {most.name}" if len(alike) == 1 else (
            f"; {len(alike)} groups lose all of theirs")
    return f", {percent(most.share, 0)} of those of {most.name}" if len(alike) == 1 else ""


def more(found: Published, rule: Rule, rivals: Sequence[Off]) -> Sentences:
    """How it comes about, and what noise does instead: on every number, and added up."""
    noise, added = rivals[:2]
    instead = (
        f"Noise on every number instead ({noise.promise}) is off by "
        f"{amount(found, noise.off.every)} a number{_apart(noise)}, or "
        f"{in_words(added.off.every)} where totals are sums of noisy numbers; it hides none.")
    counted_how = "" if found.zeros else f"Shares and errors are of the {found.which}."
    if not found.sensitive.cells.any():
        return Sentences(
            f"Every number is shown as it is. {instead}", _negative(added), counted_how)
    return Sentences(
        f"{_without(found)} {instead}", _lost(found), _chosen(found), _hidden_are(found, rule),
        _negative(added), counted_how)


def _apart(noise: Off) -> str:
    """What is cut off, and noise."""
    if not noise.cut:
        return ""
    return (f" ({in_words(noise.cut)} by what is cut off at the limit, {in_words(noise.noise)} by "
            "noise alone)")


def _negative(added: Off) -> str:
    if not added.below_zero:
        return ""
    return (
        f"Of the noisy numbers that add up, {percent(added.below_zero, 0)} are below 0 as drawn, "
        "zeros counted in."
    )


def amount(found: Published, number: float) -> str:
    """`7.1 people`, `4.4 million of income`."""
    if found.table.counts_people:
        return counted(number)
    return f"{in_words(number)} of {found.table.what}"


def _lost(found: Published) -> str:
    """The groups of which nothing is left."""
    gone = [g for g in found.groups if g.share == 1]
    if not gone or len(gone) == len(found.groups) or found.hiding is None:
        return ""
    return " ".join(
        f"Nothing {but}is shown of: {'; '.join(names)}." for but, names in (
            ("but zeros ", [g.name for g in gone if g.zeros_shown]),
            ("", [g.name for g in gone if not g.zeros_shown])) if names)


def _without(found: Published) -> str:
    """What would be known if only the sensitive numbers were hidden."""
    exact, close, safe = found.undone(found.alone)
    number = exact + close + safe
    plain = int((found.subtracted & found.sensitive.cells).sum())
    if not exact and not close and not found.shown.any():
        return "Nothing is shown that they could be computed back from."
    if not exact and not close:
        return f"The totals {_gives_none(number)} away, even with nothing else hidden."
    _, many = _NOUNS[found.table.counts_people]
    only = f"If only {'this one was' if number == 1 else f'the {many} were'} hidden"
    if not exact:
        return (f"{only}, {'it' if number == 1 else _all_of(close, number)} would be known too "
                "closely, though not exactly.")
    all_plain = f", {'' if exact == 1 else 'both ' if exact == 2 else 'all '}by subtraction"
    how = all_plain if plain == exact else "" if not plain else (
        f", {plain:,} of them by subtraction alone")
    back = f"{only}, {_all_of(exact, number)} could be computed back from the totals{how}"
    return back + (f"; {close:,} would be known too closely." if close else ".")


def _gives_none(number: int) -> str:
    return "do not give it" if number == 1 else (
        "give neither of them" if number == 2 else "give none of them")


def _all_of(some: int, number: int) -> str:
    """`it`, `both`, `all 6`, `2 of the 6`."""
    if some < number:
        return f"{some:,} of the {number:,}"
    return ("it", "both")[number - 1] if number < 3 else f"all {number:,}"


def least(found: Published) -> bool:
    """Is it proved that no safe choice hides less, or is there nothing to choose?"""
    hiding = found.hiding
    return hiding is None or not found.further.any() or hiding.weight <= hiding.bound * (1 + 1e-9)


def _chosen(found: Published) -> str:
    """How near to the least possible is what is hidden?"""
    hiding = found.hiding
    if hiding is None or not found.further.any():
        return ""
    zeros = "Some zeros had to be hidden as well. " if hiding.zeros_needed else ""
    if least(found):
        return (f"{zeros}Of all {_choices(found)}, none hides a smaller sum{_zeros_count(found)} "
                "(proved).")
    twice = " (people counted in totals and parts)" if found.table.counts_people else (
        " (totals and parts)")
    adds_up = in_words(float(found.table.values[found.hidden].sum()))
    said = f"{zeros}The hidden numbers add up to {adds_up}{twice}"
    if not found.looked_for_less:
        return f"{said}; " + (
            "nothing was proved in time about the least." if found.searched else
            "it was not looked for whether less would do.")
    return (f"{said}; of all {_choices(found)}, none hides less than {in_words(hiding.bound)}"
            f"{_zeros_count(found)} (proved), so less may do.")


def _zeros_count(found: Published) -> str:
    """What is least is so with zeros that are not for nothing."""
    zeros = bool((found.hidden & (found.table.values == 0)).any())
    return ", each hidden zero counted as the smallest other number" * zeros


def _choices(found: Published) -> str:
    """Among which choices the least is the least."""
    assert found.hiding is not None
    shown = ["zeros"] * (not found.zeros and not found.hiding.zeros_needed)
    shown += ["the overall total"] * (not found.hidden[0])
    return f"choices that leave {' and '.join(shown)} shown" if shown else "safe choices"


def _hidden_are(found: Published, rule: Rule) -> str:
    if found.hiding is None:
        return ""
    of = "with " if isinstance(rule, Threshold) else "of which "
    others = ", and others to protect them" if found.further.any() else ""
    return f"Hidden are numbers {of}{said_of(found, rule)}{others}."


def group_sentences(found: Published) -> tuple[str, ...]:
    """How much stands in the inner numbers that are hidden, where the total of all is shown."""
    inside, whole = (sum(one) for one in zip(
        *((g.hidden_amount, g.amount) for g in found.groups), strict=True))
    if not inside or found.hidden[0]:
        return ()
    one = found.table.counts_people and inside == 1
    return (f"{amount(found, inside)}, {percent(inside / whole)} of all, "
            f"{'stands' if one or not found.table.counts_people else 'stand'} in inner numbers "
            "that are hidden.",)


def limit_sentences(limit: Limit) -> tuple[str, ...]:
    """What is cut off."""
    return (f"For noise nobody counts with more than {limit.most:,.10g}: {percent(limit.share)} of "
            "the amounts are larger. What is cut off moves every release alike.",)


def way_sentences(
    found: Published, hiding: Off | None, rivals: Sequence[Off]
) -> tuple[str, ...]:
    """What hiding spares and what it puts off; and how sure the numbers are."""
    noise, said = rivals[0], []
    if hiding is not None and math.isnan(hiding.off.hidden):
        said.append("Nothing limits some hidden numbers from above, so what they can be has no "
                    "middle for a reader to take.")
    elif hiding is not None and found.hidden.any():
        said.append(
            "Who takes the middle of what a hidden number can be is off by "
            f"{amount(found, hiding.off.hidden)} on hidden numbers, and by nothing on the others; "
            f"noise on every number by {amount(found, noise.off.hidden)} on those that hiding "
            f"hides and by {amount(found, noise.off.every)} on all "
            f"{'' if found.zeros else 'of the '}{found.which}.")
    simulated = [one for one in rivals if one.releases]
    said += [
        f"{one.way}: an average over {one.releases} releases (± {sensible(2 * one.se.every)} for "
        "all numbers, two standard errors); all other errors are exact." for one in simulated]
    return tuple(said)


def bars_alt(found: Published) -> str:
    exact, close, safe = found.undone(found.alone)
    if found.hiding is None or not found.further.any():
        return (f"With these hidden, {counted(exact, 'number is', 'numbers are')} computed back, "
                f"{close} known too closely, {safe} safe.")
    said = (f"If only these were hidden, {exact} would be computed back, {close} known too "
            f"closely, {safe} safe.")
    exact, close, safe = found.undone(found.told)
    return (f"{said} With further ones hidden {exact} are computed back, {close} known too "
            f"closely, {safe} safe.")


def groups_alt(found: Published) -> str:
    return "Hidden: " + "; ".join(
        f"{g.name}: {percent(g.share, 0)} of {counted(g.numbers, 'number', 'numbers')}"
        for g in found.groups if g.numbers) + "."


def ways_alt(found: Published, ways: Sequence[Off]) -> str:
    return f"Off by, on average over all {found.which}: " + "; ".join(
        f"{one.way}: {amount(found, one.off.every)} ({in_words(one.off.inner)} for inner numbers)"
        for one in ways if not math.isnan(one.off.every)) + "."

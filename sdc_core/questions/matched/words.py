"""Matched comparison in sentences: who keeps most at the same level of protection?"""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.metrics.microdata.battery import Measure, Original, measure
from sdc_core.questions.lab_methods import additions, promises
from sdc_core.questions.matched.compute import Compared, compared_by
from sdc_core.words.numbers import (
    Sentences,
    at_the_start,
    counted,
    listed,
    lowered,
    percent,
    sensible,
)
from sdc_core.words.ranking import apart, ends

CLOSE = 0.05  # a match further off than this is said
FAR = 0.2  # levels further apart than this are not the same
UNDECIDED = ("nobody that can be told", "nobody, because only one method reaches the level",
             "nobody, because no method can be compared")
PLAIN: dict[str, str] = {  # what is changed, for a sentence that begins with a method
    "il1": "changes correlations", "il2": "changes the first component (signs as they come)",
    "il2_aligned": "changes the first component", "il3": "changes the regression's coefficients",
    "il2_second": "changes the second component (signs as they come)",
    "il2_second_aligned": "changes the second component",
    "coefficient": "changes the chosen coefficient", "r2_change": "changes R²",
    "dependence": "changes the dependence among all variables",
    "forest": "misleads a random forest",
}


def value_text(measure: Measure, number: float) -> str:
    return percent(number, 1) if measure.percent else sensible(number)


def full_title(one: Measure) -> str:
    """An aligned line's title by itself."""
    plain = one.name.removesuffix("_aligned")
    return one.title if plain == one.name else f"{measure(plain).title}, signs aligned"


def comparable(found: Sequence[Compared]) -> list[Compared]:
    """Those that reach the level, or nearly: only they are ranked."""
    return [one for one in found if _meets(one)]


def _meets(one: Compared) -> bool:
    """Reached, or as close as a match can be said to be; and not stepped over by far."""
    return one.off <= (FAR if one.reached else CLOSE)


def told(one: Compared, other: Compared, name: str) -> bool:
    return apart(one.loss(name), other.loss(name))


def measurable(found: Sequence[Compared], name: str) -> list[Compared]:
    """Ranked are those that reach the level and whose loss every release has: those that lack it
    are not just any releases."""
    return [one for one in comparable(found) if one.loss(name).complete]


def headline(found: Sequence[Compared], by: Measure, name: str, matched: bool) -> str:
    """Who loses least, and how much the others lose at most."""
    level = f"{lowered(by.title)} ({value_text(by, found[0].wanted)})"
    start = f"At the same {level}," if matched else "At the same index of P4's table,"
    if max(one.off for one in found) > FAR and not matched:
        return (
            f"{start} the methods are not equally strong on these data, so they cannot be ranked; "
            "match them instead."
        )
    ranked = measurable(found, name)
    if len(ranked) < 2:
        return (
            f"{start} fewer than two methods can be compared: choose another level or measure, or "
            "more methods."
        )
    least, _ = ends(ranked, lambda one: one.loss(name).mean, lambda a, b: told(a, b, name))
    if not least and not any(one.loss(name).error for one in ranked):
        what = lowered(measure(name).title)
        return f"{start} {what} is the same for all that can be compared ({_span(ranked, name)})."
    if not least:
        return f"{start} no method can be told to do better than the others: chance hides it."
    names = listed([one.mechanism.doing for one in least])
    verb = PLAIN[name] if len(least) == 1 else PLAIN[name].replace("s ", " ", 1)
    most = value_text(measure(name), max(one.loss(name).mean for one in ranked))
    others = "the others" if len(ranked) > len(least) + 1 else "the other"
    up_to = "up to " if len(ranked) > len(least) + 1 else ""
    return f"{start} {names} {verb} least ({_span(least, name)}; {others} {up_to}{most})."


def _span(found: Sequence[Compared], name: str) -> str:
    """`0.2`, or `0.2 to 0.25` of several that cannot be told apart."""
    means = [one.loss(name).mean for one in found]
    low, high = (value_text(measure(name), end) for end in (min(means), max(means)))
    return " to ".join(dict.fromkeys((low, high)))


def more(
    found: Sequence[Compared], by: Measure, name: str, original: Original, matched: bool
) -> Sentences:
    return Sentences(
        _how_often(found, name) if matched or max(one.off for one in found) <= FAR else "",
        _off(found, by) if matched else _as_listed(found, by),
        _beyond(found, by), _categories(original, found),
        additions(one.path for one in found), promises(one.path for one in found),
    )


def _how_often(found: Sequence[Compared], name: str) -> str:
    """Who is ahead on how many of the measures? One measure is one view."""
    wins: dict[str, int] = {}
    decided = 0
    for one in compared_by(name):
        ranked = measurable(found, one.name)
        if len(ranked) < 2:
            continue
        least, _ = ends(
            ranked, lambda c, n=one.name: c.loss(n).mean,  # type: ignore[misc]
            lambda a, b, n=one.name: told(a, b, n))  # type: ignore[misc]
        decided += 1
        if len(least) == 1:
            winner = least[0].mechanism.doing
            wins[winner] = wins.get(winner, 0) + 1
    if not decided:
        return ""
    parts = [
        f"{winner} does best on {count}"
        for winner, count in sorted(wins.items(), key=lambda w: -w[1])
    ]
    rest = decided - sum(wins.values())
    start = f"Of {counted(str(decided), 'measure', 'measures')} of what is kept"
    if not parts:
        return f"{start}, nobody does best on any by more than chance."
    others = {0: "", 1: "; the other one has no winner"}.get(
        rest, f"; the other {rest} have no winner")
    return f"{start}, {listed(parts)} by more than chance{others}."


def _off(found: Sequence[Compared], by: Measure) -> str:
    far = [one for one in comparable(found)[1:] if one.off > CLOSE]
    if not far:
        return ""
    parts = [
        f"{one.mechanism.spoken()} has {value_text(by, one.matched.mean)}" for one in far]
    return (
        f"Not all levels are the same: {listed(parts)}, against "
        f"{value_text(by, found[0].wanted)} wanted; the search found nothing closer."
    )


def _beyond(found: Sequence[Compared], by: Measure) -> str:
    out = [one for one in found if not _meets(one)]
    if not out:
        return ""
    parts = [f"{one.mechanism.doing} (reaches {value_text(by, one.matched.mean)})" for one in out]
    is_left = "is left" if len(out) == 1 else "are left"
    who = at_the_start(listed(parts))
    return f"{who} cannot be set to this level and {is_left} out of the ranking."


def _categories(original: Original, found: Sequence[Compared]) -> str:
    """Methods for numbers leave categories alone, which the others do not."""
    held = [v.title for v in original.records.variables if not v.numeric]
    numbers = [one.mechanism.doing for one in found if one.mechanism.acts_on == "numbers"]
    if not held or not numbers:
        return ""
    others = [one.mechanism.doing for one in found if one.mechanism.doing not in numbers]
    leaves = "leaves" if len(numbers) == 1 else "leave"
    return (
        f"{at_the_start(listed(others))} may change {listed(held, 4)}; {listed(numbers)} {leaves} "
        "categories as they were, for whoever knows them to find."
    )


def _as_listed(found: Sequence[Compared], by: Measure) -> str:
    parts = [f"{value_text(by, one.matched.mean)} for {one.mechanism.doing}" for one in found]
    same = all(one.off <= CLOSE for one in found)
    what = "is about the same level" if same else "is not the same level"
    return f"The same index {what} here: {lowered(by.title)} is {listed(parts)}."


def verdict(found: Sequence[Compared], name: str) -> str:
    """Who changes least, in a few words; only what chance does not explain."""
    ranked = measurable(found, name)
    if len(ranked) < 2:
        return UNDECIDED[1 if ranked else 2]
    least, _ = ends(ranked, lambda one: one.loss(name).mean, lambda a, b: told(a, b, name))
    return listed([one.mechanism.doing for one in least]) if least else UNDECIDED[0]


def turning_caption(verdicts: dict[str, str], left: Sequence[str] = ()) -> str:
    """Does it hang on what is matched?"""
    start = "The same comparison, matched in each measure in turn (10 releases)"
    if left:
        start += f", without {listed([*left])}, whose records are nobody's"
    start += "."
    known = {who for who in verdicts.values() if who not in UNDECIDED}
    if not known:
        return f"{start} In none of them can anybody be told to be ahead."
    parts = [f"by {lowered(title)} {who}" for title, who in verdicts.items()]
    if len(known) > 1:
        return f"{start} What is matched decides who is ahead: {listed(parts)}."
    if len(known) == len(set(verdicts.values())):
        return f"{start} Here all give the same answer: {known.pop()}."
    return f"{start} Ahead is, {listed(parts)}."


def settings_caption(found: Sequence[Compared], by: Measure, matched: bool) -> str:
    first = found[0].mechanism.doing
    how = (f"each method has the setting that comes closest to the level of {first}" if matched
           else "settings are those of P4's Table 3")
    return (
        f"{by.title}: {by.plain}; {how}. Lines show the level along a method's settings, marks the "
        f"settings that are compared, the dotted line the level of {first}."
    )

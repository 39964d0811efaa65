"""Three intruders in sentences: what they get right, person by person and on the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.intruders import Known, Outcome, Reading
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.intruders.compute import Attacked, Scene
from sdc_core.records import Records, Variable
from sdc_core.words.chance import differ
from sdc_core.words.numbers import Sentences, listed, lowered, percent, sensible

CELL, EXTREME, MEMBER = "cell", "extreme", "member"
INTRUDERS = {CELL: "small cell", EXTREME: "extreme", MEMBER: "who is in it"}
OUTCOMES: dict[Outcome, str] = {
    "right": "reads the right number", "wrong": "reads a wrong number",
    "several": "finds several that differ", "nobody": "finds nobody",
}
FEW, MANY = 0.1, 0.5  # of the attempts: a criterion is met, met in part, not met
RELATIONS = 0.05  # mean change of the correlations up to which they count as kept


def right(one: Attacked, intruder: str) -> OverReleases:
    return {CELL: one.cells["right"], EXTREME: one.extreme["right"],
            MEMBER: one.membership}[intruder]


def in_releases(one: OverReleases) -> str:
    """`3 of 20`; where nothing is random there is only one release, which was looked at twice."""
    releases, hits = len(one.each), round(float(one.each.sum()))
    return f"{hits} of {releases}" if releases > 2 else f"{round(hits / 2)} of 1"


def headline(found: Sequence[Attacked], at: Scene, people: int, wanted: str) -> str:
    """The first intruder, who is what most examples in the literature are about."""
    if not people:
        return ("Nobody is alone with what this intruder knows, so there is nobody to find that "
                "way; let the intruder know more.")
    shares = [(one.title, one.cells["right"]) for one in found]
    low, high = (end(shares, key=lambda s: s[1].mean) for end in (min, max))
    who = f"Of {people:,} people who are alone with what an intruder knows"
    what = f"the right {lowered(wanted)} is read off for"
    if not differ(low[1].mean, _error(low[1]), high[1].mean, _error(high[1])):
        ends = list(dict.fromkeys(percent(one[1].mean, 0) for one in (low, high)))
        if len(ends) == 1:
            return f"{who}, {what} about {ends[0]} after every method."
        return f"{who}, {what} {' to '.join(ends)}; which method does better may be chance."
    return (
        f"{who}, {what} {percent(low[1].mean, 0)} after {low[0]} and {percent(high[1].mean, 0)} "
        f"after {high[0]}.")


def _error(one: OverReleases) -> float:
    return one.error if math.isfinite(one.error) else 0.0


def more(found: Sequence[Attacked], at: Scene, wanted: str) -> Sentences:
    return Sentences(_extreme(found, at, wanted), _members(found), _coded(at), _not_the_same())


def _extreme(found: Sequence[Attacked], at: Scene, wanted: str) -> str:
    parts = [f"{one.title} {in_releases(one.extreme['right'])}" for one in found]
    title = lowered(variable(at.members, at.extreme).title)
    return (
        f"The {lowered(wanted)} of whoever has the largest {title} is read off rightly in so many "
        f"releases: {listed(parts)}."
    )


def _members(found: Sequence[Attacked]) -> str:
    told = [one for one in found if one.membership.mean - 2 * _error(one.membership) > 0.52]
    if not told:
        return ("Whether somebody is in the data cannot be told from the closest record after any "
                "of them.")
    parts = [f"{one.title} {percent(one.membership.mean, 0)}" for one in told]
    return (
        "Of somebody in the data and somebody not, the closest record tells which is which with "
        f"this chance (50% is a guess): {listed(parts)}."
    )


def _coded(at: Scene) -> str:
    return "The largest 2% of every number were cut off before each method." * at.top_coded


def _not_the_same() -> str:
    return ("Settings are of like name, not of like strength: Matched comparison sets methods to "
            "the same level.")


def left_out_sentence(methods: Sequence[Mechanism]) -> str:
    work = "works" if len(methods) == 1 else "work"
    return (
        f"{listed([m.title for m in methods])} {work} on a table, which would have too many groups "
        "with so many variables; choose fewer to see it."
    )


def variable(records: Records, name: str) -> Variable:
    return records.variables[records.names.index(name)]


def person_text(records: Records, known: Known, person: int) -> str:
    """What the intruder knows, in words: `women, doctorate, hardware engineers, age 44`."""
    parts = []
    for name, step in zip(known.names, known.steps, strict=True):
        one, value = variable(records, name), float(records.column(name)[person])
        if one.numeric:
            rough = round(value / step) * step if step else value
            parts.append(f"{lowered(one.title)} {sensible(rough)}")
        else:
            code = int(value)
            parts.append((one.labels or one.levels)[code])
    return ", ".join(parts)


def outcome_text(reading: Reading) -> str:
    said = OUTCOMES[reading.outcome]
    return f"{said}: {sensible(reading.read)}" if not math.isnan(reading.read) else said


def verdict(share: float, few: float = FEW, many: float = MANY) -> str:
    """A criterion by a share that should be small."""
    if math.isnan(share):
        return "not to be said"
    word = "yes" if share <= few else "in part" if share <= many else "no"
    return f"{word} ({percent(share, 0)})"


def mixed(one: Attacked) -> str:
    """Does it treat numbers and categories, and are the results possible?"""
    if all(v.numeric for v in one.first.variables):
        kind = "there are no categories"
    else:
        kind = f"changes numbers {'only' if one.categories == 0 else 'and categories'}"
    odd = f"; {percent(one.impossible, 0)} impossible" if one.impossible > 0.005 else ""
    return f"{kind}{odd}"


def relations_kept(one: Attacked) -> str:
    change = one.correlations.mean
    if math.isnan(change):
        return "not to be said"
    return f"{'yes' if change <= RELATIONS else 'no'} ({sensible(change)})"

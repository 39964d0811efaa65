"""Three intruders in sentences: what they get right, person by person and on the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata.intruders import CLOSE, Known, Outcome, Reading
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.intruders.compute import Attacked, Scene
from sdc_core.records import Records, Variable
from sdc_core.words.chance import differ, none_in
from sdc_core.words.numbers import (
    Sentences,
    at_the_start,
    counted,
    listed,
    lowered,
    percent,
    sensible,
)
from sdc_core.words.ranking import ends

CELL, EXTREME, MEMBER = "cell", "extreme", "member"
INTRUDERS = {CELL: "small cell", EXTREME: "extreme", MEMBER: "who is in it"}
NOTHING_READ: dict[Outcome, str] = {
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
    least, most = ends(found, lambda one: one.cells["right"].mean, _told)
    said = (f"Of {counted(f'{people:,}')} an intruder can single out, the "
            f"{lowered(wanted)} is read to within {percent(CLOSE)} for")
    if least:
        return f"{said} {_span(least)} after {_titles(least)}, and {_span(most)} after " + (
            f"{_titles(most)}.")
    if len(found) == 1:
        return f"{said} {_span(found)} after {_titles(found)}."
    chance = "" if " to " not in _span(found) else ", differences that may be chance"
    return f"{said} {_span(found)} after every method{chance}."


def _told(one: Attacked, other: Attacked) -> bool:
    """Do their shares differ, beyond chance and as they are written?"""
    a, b = one.cells["right"], other.cells["right"]
    return percent(a.mean, 0) != percent(b.mean, 0) and differ(
        a.mean, _error(a), b.mean, _error(b))


def _span(found: Sequence[Attacked]) -> str:
    shares = [one.cells["right"].mean for one in found]
    return " to ".join(dict.fromkeys(percent(end(shares), 0) for end in (min, max)))


def _titles(found: Sequence[Attacked]) -> str:
    """Of several that cannot be told apart the first by name: a headline has two lines."""
    others = len(found) - 1
    return f"{found[0].doing} and {others} more" if others else found[0].doing


def _error(one: OverReleases) -> float:
    return one.error if math.isfinite(one.error) else 0.0


def more(found: Sequence[Attacked], at: Scene, wanted: str) -> Sentences:
    return Sentences(_none_read(found), _extreme(found, at, wanted), _members(found), _coded(at),
                     _not_the_same())


def _none_read(found: Sequence[Attacked]) -> str:
    """What it excludes that nobody's number was read off, where releases are drawn at random."""
    drawn = [one for one in found if len(one.cells["right"].each) > 2]
    none = [one for one in drawn if one.cells["right"].mean == 0]
    if not none:
        return ""
    fewest = min(len(one.cells["right"].each) for one in none)
    return f"None is read off after {_titles(none)} {none_in(fewest)}."


def _extreme(found: Sequence[Attacked], at: Scene, wanted: str) -> str:
    parts = [f"{in_releases(one.extreme['right'])} after {one.doing}" for one in found]
    title = lowered(variable(at.members, at.extreme).title)
    return (
        f"The {lowered(wanted)} of whoever has the largest {title} is read off rightly in so many "
        f"releases: {listed(parts)}."
    )


def _members(found: Sequence[Attacked]) -> str:
    told = [one for one in found if one.membership.mean - 2 * _error(one.membership) > 0.52]
    if not told:
        chances = [one.membership.mean for one in found]
        span = " to ".join(dict.fromkeys(percent(end(chances), 0) for end in (min, max)))
        return ("Whether somebody is in the data can hardly be told from the closest record after "
                f"any of them: it is right with a chance of {span} (50% is a guess).")
    parts = [f"{percent(one.membership.mean, 0)} after {one.doing}" for one in told]
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
        f"{at_the_start(listed([m.doing for m in methods]))} {work} on a table, which would have "
        "too many groups with so many variables; choose fewer to see "
        f"{'it' if len(methods) == 1 else 'them'}."
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
    """`reads 30,471, within 10% of the truth`: how near counts as right stands beside it."""
    if math.isnan(reading.read):
        return NOTHING_READ[reading.outcome]
    read = f"reads {sensible(reading.read)}"
    if reading.outcome == "wrong":
        return f"{read}, more than {percent(CLOSE)} off the truth"
    near = "the truth" if reading.read == reading.truth else f"within {percent(CLOSE)} of the truth"
    return f"{read}, {near}"


def verdict(share: float, few: float = FEW, many: float = MANY) -> str:
    """A criterion by a share that should be small."""
    if math.isnan(share):
        return "not to be said"
    return f"{_met(share, few, many)} ({percent(share, 0)})"


def answered(share: float) -> str:
    """A criterion by a share that should be large."""
    return f"{_met(1 - share)} ({percent(share, 0)})"


def _met(share: float, few: float = FEW, many: float = MANY) -> str:
    return "yes" if share <= few else "in part" if share <= many else "no"


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

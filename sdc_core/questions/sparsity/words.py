"""What empty groups cost, in sentences: from the lines, the crossing and the marginals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.mechanisms.base import Doing, Mechanism
from sdc_core.metrics.sparsity import (
    CrossingByEpsilon,
    ErrorLine,
    Marginals,
    Measure,
    Sparsity,
    contrast,
    leaves_empty,
)
from sdc_core.parameters import EPSILON
from sdc_core.words.groups import people_text
from sdc_core.words.numbers import (
    Sentences,
    at_the_start,
    counted,
    listed,
    percent,
    sensible,
)

# Elsewhere the systematic error is about groups that have people: here it has another name.
ERROR_WORDS: dict[Measure, str] = {
    "l1_bias": "systematic error", "l1_error": "error of a release",
}
_LASTS = "is what is left when many releases are averaged"
MOST_DIGITS = 6

_NEGLIGIBLE = 0.005  # people: a difference that no reader would call one
_TWO_LINES = 200  # characters of a headline, about
_UNSEEN = 1e-3  # people: fewer are nobody
_NO_SLOPE = 1e-12  # rounding errors in what an empty group costs
_ASIDES = {Doing.NOISE: ", to empty ones as well", Doing.HIDING: ", which fills those in"}
_TO_EMPTY = {Doing.NOISE: "adds noise to {} as well", Doing.HIDING: "fills {} in like small counts"}


def to_empty(method: Mechanism, them: str = "them") -> str:
    """What a method does to empty groups: no comparison goes without it."""
    leaves = leaves_empty(method)
    if leaves is None:
        return f"{method.does}"
    return f"leaves {them} at 0" if leaves else _TO_EMPTY[method.does].format(them)


def sparsity_sentences(
    found: Sparsity, by_epsilon: CrossingByEpsilon | None, as_paper: bool = False,
    other: Sparsity | None = None,
) -> tuple[str, str]:
    """The answer: up to which share of empty groups does noise have less error? `as_paper` says
    that methods and conventions are those of the paper's figure; `other` is the same by the other
    error."""
    if not found.lines:
        return (
            "Choose a method that treats every count by itself to see what empty groups cost.", ""
        )
    if all(line.leaves_empty for line in found.lines):
        names = _named(found.lines)
        leave = "leaves" if len(names) == 1 else "all leave" if len(names) > 2 else "both leave"
        # of methods that cannot be drawn it is not known
        here = "nothing here" if not found.left_out else (
            f"{'it' if len(names) == 1 else 'them'} nothing")
        return (
            at_the_start(f"{listed(names)} {leave} empty groups at 0, so empty groups cost {here}, "
                         "however many there are."), _CHOOSE,
        )
    if found.pair is None or found.crossing is None:
        parts = list(dict.fromkeys(_slope(line) for line in found.lines))
        words = ERROR_WORDS[found.measure]
        return f"To the {words}, every empty group adds {listed(parts)}.", _CHOOSE
    second = found.pair[1]
    paper = _as_found(found) if as_paper else []
    beside = [] if other is None else [other_measure_sentence(found, other)]
    more = [_if_more(found), *beside, *_apart(found), *paper, *_break_even(by_epsilon, found)]
    if not second.leaves_empty:
        more.insert(0, "Both methods change empty groups here, so this does not set noise against "
                    "one that leaves them at 0.")
    verdict = _verdict(found)
    if len(verdict) > _TWO_LINES and "; " in verdict:  # when it would be otherwise is read next
        verdict, turns = verdict.rsplit("; ", 1)
        verdict, more = f"{verdict}.", [turns, *more]
    return at_the_start(verdict), Sentences(*(at_the_start(one) for one in more if one))


_CHOOSE = "Choose a method that adds noise and one that hides small counts to compare the two."


def _verdict(found: Sparsity) -> str:
    """Who has more error on this table, and from which share of empty groups on that would be
    otherwise; what each does to empty groups is said in the same sentence."""
    assert found.pair is not None and found.crossing is not None
    first, second = found.pair
    words, kind = ERROR_WORDS[found.measure], found.crossing.kind
    here, share = told_apart(found.share, found.crossing.share)
    lead = f"with {here} of groups empty" if found.share else "with no group empty"
    gap = first.at(found.empty) - second.at(found.empty)
    names = [f"{line.mechanism.spoken()}{_aside(line.mechanism)}" for line in found.pair]
    if kind == "equal" or abs(gap) <= _NEGLIGIBLE:
        return f"{lead}, {names[0]}, and {names[1]}, have practically the same {words}."
    now, then = ("more", "less") if gap > 0 else ("less", "more")
    turns = {
        "worse-above": f"below {share} it would have less" if gap > 0 else (
            f"from {share} on it would have more"),
        "better-above": f"above {share} it would have less" if gap > 0 else (
            f"up to {share} it would have more"),
        "always-better": "so it would however many were", "equal": "",
        "always-worse": "so it would however few were",
    }[kind]
    if share == "100%" and then == "more":
        turns = "so it would unless practically all were"
    return f"{lead}, {names[0]}, has {now} {words} than {names[1]}; {turns}."


def _aside(method: Mechanism) -> str:
    """What it does to empty groups, beside its name."""
    if leaves_empty(method):
        return ", which leaves those at 0"
    return _ASIDES[method.does]


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Two shares with as many digits as it takes to see which is larger."""
    for digits in range(MOST_DIGITS):
        said = percent(one, digits), percent(other, digits)
        if said[0] != said[1] or one == other:
            break
    return said


def _if_more(found: Sparsity) -> str:
    """Where they are level, who would have more if more groups were empty."""
    assert found.pair is not None
    first, second = found.pair
    if abs(first.at(found.empty) - second.at(found.empty)) > _NEGLIGIBLE:
        return ""
    slope = first.per_empty - second.per_empty
    if abs(slope) <= _NO_SLOPE:
        return "So they would however many groups were empty."
    more = (first if slope > 0 else second).mechanism.spoken()
    return f"With many more empty groups, {more} would have more."


def _slope(line: ErrorLine) -> str:
    return f"{_some(line.per_empty, line.weighted)} under {line.mechanism.spoken()}"


def _some(error: float, weighted: bool) -> str:
    """So many people; what nobody can see is no number to read."""
    if not error:
        return "none"
    return people_text(error, weighted) if error >= _UNSEEN else "practically none"


def _named(lines: Sequence[ErrorLine]) -> list[str]:
    """A method that was chosen twice is named once."""
    return list(dict.fromkeys(line.mechanism.spoken() for line in lines))


def _apart(found: Sparsity) -> list[str]:
    """People in their groups, and people where nobody is: the two parts of both errors."""
    assert found.pair is not None
    words = ERROR_WORDS[found.measure]
    have = "group that has" if found.people == 1 else "groups that have"
    among = [
        f"{_some(line.occupied, found.weighted)} under {line.mechanism.spoken()}"
        for line in found.pair
    ]
    said = [
        f"Among people, in the {_one(found.people)} {have} any, the {words} is {listed(among)}.",
        f"Every empty group adds {listed([_slope(line) for line in found.pair])}.",
    ]
    put = [
        f"{line.mechanism.spoken()} puts {people_text(found.empty * line.invented, found.weighted)}"
        for line in found.pair if found.empty * line.invented > _NEGLIGIBLE
    ]
    if put:
        where = "group that has" if found.empty == 1 else "groups that have"
        said.append(
            f"On average {listed(put)} into the {_one(found.empty)} {where} nobody.")
    return said


def _one(number: int) -> str:
    return "one" if number == 1 else f"{number:,}"


def other_measure_sentence(found: Sparsity, other: Sparsity) -> str:
    """Who has less by the other error, which may be another one: noise that averages out is still
    in every single release."""
    assert other.pair is not None and other.crossing is not None
    one, two = (line.mechanism.spoken() for line in other.pair)
    gap = other.pair[0].at(other.empty) - other.pair[1].at(other.empty)
    alike = other.crossing.kind == "equal" or abs(gap) <= _NEGLIGIBLE
    if other.measure == "l1_bias":
        said = f"{one} and {two} have practically the same" if alike else (
            f"{one} has {'more' if gap > 0 else 'less'} than {two}")
        return f"Of {ERROR_WORDS['l1_bias']}, which {_LASTS}, {said} on this table."
    off = f"{one} and {two} are practically as far off" if alike else (
        f"{one} is {'further' if gap > 0 else 'less far'} off than {two}")
    return (
        f"{at_the_start(ERROR_WORDS['l1_bias'])} {_LASTS}; in a single release, {off} on this "
        "table."
    )


def _as_found(found: Sparsity) -> list[str]:
    """The paper's finding, where what is shown is the paper's comparison."""
    assert found.pair is not None
    first, second = found.pair
    if not (first.per_empty > 0 and second.per_empty == 0):
        return []
    return [
        "Das, Tajeddine and Fioretto (Figure 4) found the same for tables of the Massachusetts "
        "excerpt: the more empty groups, the more systematic error noise has, while that of "
        "suppression stays."
    ]


def _break_even(found: CrossingByEpsilon | None, at: Sparsity) -> list[str]:
    """From which ε on would the method that adds noise have less error on this very table?"""
    if found is None:
        return []
    name = found.first.spoken(EPSILON)
    less = f"less {ERROR_WORDS[at.measure]} than {found.second.spoken()}"
    if found.break_even is None:
        most = sensible(found.crossings.values[-1])
        return [f"On this table no ε up to {most} gives {name} {less}."]
    if found.at_once:
        return [f"On this table {name} has {less} already at ε = {sensible(found.break_even)}."]
    return [
        f"On this table {name} has {less} from ε = {_rounded_up(found.break_even)} on. A larger ε "
        "is a weaker promise."
    ]


def _rounded_up(epsilon: float) -> str:
    """With the digits of `sensible`, and never below: at what is said it must be true."""
    scale = 10 ** (3 if epsilon < 0.1 else 2 if epsilon < 10 else 1)
    return sensible(math.ceil(epsilon * scale) / scale)


def added_caption(found: Sparsity) -> str:
    """What the first chart keeps and what it adds, and who is not in it."""
    said = (
        f"{_stay(found.people)}; empty groups are added "
        f"or taken away. This table has {_number(found.empty)}. Where a line starts, at "
        "the left, is the error among people; what it rises above that is in empty groups. Exact, "
        "not simulated."
    )
    return f"{said} {left_out_sentence(found)}".strip()


def _number(empty: int) -> str:
    return "no empty group" if not empty else counted(empty, "empty group", "empty groups")


def _stay(groups: int) -> str:
    if groups == 1:
        return "The one group with people in it stays as it is"
    return f"The {groups:,} groups with people in them stay as they are"


def left_out_sentence(found: Sparsity) -> str:
    if not found.left_out:
        return ""
    return (
        f"Not drawn as a line, since the table is treated as a whole and what an empty group adds "
        f"cannot be told: {_names(found.left_out)}."
    )


def epsilon_caption(found: CrossingByEpsilon) -> str:
    """The crossing moves with ε."""
    name = found.first.spoken(EPSILON)
    return (
        f"Shaded: {name} has the smaller error. The dot is this table at the present "
        f"ε; {found.second.spoken()} stays as it is and {to_empty(found.second, 'empty groups')}."
    )


def marginals_caption(found: Marginals) -> str:
    """What happened when the same people were counted by more features."""
    if not found.mechanisms:
        return (
            f"No exact error is known for {_names(found.left_out)}, so there is nothing to draw. "
            "Choose adding noise or hiding small counts, say."
        )
    parts = [
        "The same people counted by every combination of the chosen features: the line adds one at "
        "a time, in the order of the sidebar; faint marks are all others."
        if len(found.tables) > len(found.path)
        else "The same people counted by one feature, then one more at a time.",
        _who_leads(found, contrast(found.mechanisms)), _who_is_lacking(found),
    ]
    if found.left_out:
        parts.append(f"Not drawn, since no exact error is known: {_names(found.left_out)}.")
    richest = found.tables[-1]
    groups = counted(richest.groups, "group", "groups")
    parts.append(
        f"The table by all features has {groups}, {percent(richest.share, 0)} of them empty.")
    return " ".join(part for part in parts if part)


def _who_is_lacking(found: Marginals) -> str:
    """Methods that cannot treat some of the tables."""
    lacking = [
        m for i, m in enumerate(found.mechanisms) if any(t.errors[i] is None for t in found.tables)
    ]
    if not lacking:
        return ""
    needs, is_left = ("needs", "is left") if len(lacking) == 1 else ("need", "are left")
    return at_the_start(
        f"{_names(lacking)} {needs} features that some of these tables do not have, and {is_left} "
        "out there.")


def _who_leads(found: Marginals, pair: tuple[Mechanism, Mechanism] | None) -> str:
    """In how many of the tables has noise more error, in all groups and among people alone?"""
    if pair is None:
        return ""
    i, j = (found.mechanisms.index(one) for one in pair)
    known = [t for t in found.tables if t.errors[i] is not None and t.errors[j] is not None]
    if not known:
        return ""
    first, second = pair[0].spoken(), pair[1].spoken()
    words = ERROR_WORDS[found.measure]
    whole = [_gap(t.errors, i, j) for t in known]
    people = [_gap(t.people_errors, i, j) for t in known]
    shares = [t.share for t in known]
    names = (f"{first}, which {to_empty(pair[0], 'empty groups')},",
             f"{second}, which {to_empty(pair[1])},")
    both = " that have what both need" if len(known) < len(found.tables) else ""
    every = "this table" if len(known) == 1 else f"all {len(known)} tables{both}"
    said = _tally(whole, shares, f"{words} than {names[1]}", every)
    if said is None:
        told = at_the_start(
            f"{names[0]} and {names[1]} have practically the same {words} in {every}.")
    elif every in said:
        told = at_the_start(f"{names[0]} has {said}.")
    else:
        told = f"Of the {len(known)} tables{both}, {names[0]} has {said}."
    alone = _tally(people, None, f"than {second}", every) or f"practically as much in {every}"
    return f"{told} Among people alone, in groups that have any, {first} has {alone}."


def _gap(errors: Sequence[float | None], i: int, j: int) -> float:
    return (errors[i] or 0.0) - (errors[j] or 0.0)


def _tally(
    gaps: Sequence[float], shares: Sequence[float] | None, than: str, every: str
) -> str | None:
    """`more systematic error than B in 16 (37% empty on average), less in 4 and practically as much
    in 11`; None where it is all the same."""
    sides = {"more": [g > _NEGLIGIBLE for g in gaps], "less": [g < -_NEGLIGIBLE for g in gaps]}
    some = {side: inside for side, inside in sides.items() if any(inside)}
    if not some:
        return None
    for side, inside in some.items():
        if all(inside):
            return f"{side} {than} in {every}"
    parts: list[str] = []
    for side, inside in some.items():
        of = f" {than}" if not parts else ""
        average = "" if shares is None else f" ({_mean_share(shares, inside)})"
        parts.append(f"{side}{of} in {sum(inside)}{average}")
    even = len(gaps) - sum(map(sum, some.values()))
    return listed([*parts, f"practically as much in {even}"] if even else parts)


def _mean_share(shares: Sequence[float], inside: Sequence[bool]) -> str:
    """`37% empty on average`, `17% empty` of one table."""
    some = [share for share, yes in zip(shares, inside, strict=True) if yes]
    return f"{percent(sum(some) / len(some), 0)} empty{' on average' if len(some) > 1 else ''}"


def _names(mechanisms: Sequence[Mechanism]) -> str:
    return listed(list(dict.fromkeys(m.spoken() for m in mechanisms)))

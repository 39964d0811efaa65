"""What empty groups cost, in sentences: from the lines, the crossing and the marginals."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import (
    CrossingByEpsilon,
    ErrorLine,
    Marginals,
    Measure,
    Sparsity,
    contrast,
)
from sdc_core.words.numbers import listed, percent, sensible

ERROR_WORDS: dict[Measure, str] = {"l1_bias": "systematic error", "l1_error": "total error"}

_PAPER = "Das, Tajeddine and Fioretto"
_NEGLIGIBLE = 0.005  # people: a difference that no reader would call one
_NO_SLOPE = 1e-12  # rounding errors in what an empty group costs


def sparsity_sentences(
    found: Sparsity, by_epsilon: CrossingByEpsilon | None
) -> tuple[str, str]:
    """The answer: up to which share of empty groups is the DP method the better one?"""
    if not found.lines:
        return (
            "Choose a method that treats every count by itself to see what empty groups cost.", ""
        )
    if found.pair is None or found.crossing is None:
        steepest = max(found.lines, key=lambda line: line.per_empty)
        return (
            f"Every empty group adds {_people(steepest.per_empty)} of "
            f"{ERROR_WORDS[found.measure]} under {steepest.mechanism.label()}.",
            "Choose a DP method and a traditional one to see from where on which is better.",
        )
    return _headline(found), " ".join(
        [_slope_sentence(*found.pair, found.measure), *_break_even(by_epsilon)]
    )


def _headline(found: Sparsity) -> str:
    assert found.pair is not None and found.crossing is not None
    first, second = (line.mechanism.label() for line in found.pair)
    words, here = ERROR_WORDS[found.measure], percent(found.share, 0)
    start = f"With this table {first} has less {words} than {second}"
    kind, share = found.crossing.kind, percent(found.crossing.share, 0)
    gap = found.pair[0].at(found.empty) - found.pair[1].at(found.empty)
    if kind == "equal" or abs(gap) <= _NEGLIGIBLE:
        return _level(*found.pair, words, here)
    if kind == "worse-above":
        side = "so it is the worse one" if found.share > found.crossing.share else "so it still is"
        return f"{start} as long as fewer than {share} of the groups are empty; here {here} are, " \
               f"{side}."
    if kind == "better-above":
        side = "so it is" if found.share > found.crossing.share else "so it is the worse one"
        return f"{start} only if more than {share} of the groups are empty; here {here} are, " \
               f"{side}."
    if kind == "always-better":
        return f"{start} however many groups are empty; here {here} are."
    return (
        f"With this table {first} has more {words} than {second} however few groups are empty; "
        f"here {here} are."
    )


def _level(first: ErrorLine, second: ErrorLine, words: str, here: str) -> str:
    """No difference here that a reader would call one; who would be worse if more were empty."""
    one, other = first.mechanism.label(), second.mechanism.label()
    same = f"With this table {one} and {other} have practically the same {words}"
    slope = first.per_empty - second.per_empty
    if abs(slope) <= _NO_SLOPE:
        return f"{same}, however many groups are empty; here {here} are."
    return (
        f"{same}; here {here} of the groups are empty, and with many more of them "
        f"{one if slope > 0 else other} would have more."
    )


def _slope_sentence(first: ErrorLine, second: ErrorLine, measure: Measure) -> str:
    """The paper's finding, checked: noise pays for every empty group, suppression that leaves zeros
    alone does not."""
    parts = [
        f"{_people(line.per_empty)} under {line.mechanism.label()}"
        if line.per_empty > 0 else f"none under {line.mechanism.label()}"
        for line in (first, second)
    ]
    said = f"Every further empty group adds {parts[0]} and {parts[1]}"
    if first.per_empty > 0 and second.per_empty == 0:
        about = "" if measure == "l1_bias" else " for systematic error"
        return (
            f"{said}: the more empty groups, the worse for noise, as {_PAPER} (Figure 4) "
            f"found{about}."
        )
    if second.per_empty > 0:
        cost = "both" if first.per_empty > 0 else f"{second.mechanism.label()} only"
        return (
            f"{said}: unlike in {_PAPER} (Figure 4), where suppression leaves zeros alone and "
            f"its line is level, empty groups cost {cost}."
        )
    return (
        f"{said}, so the finding of {_PAPER} (Figure 4) that noise pays for empty groups does not "
        "show."
    )


def _break_even(found: CrossingByEpsilon | None) -> list[str]:
    """From which ε on would the DP method be ahead on this very table?"""
    if found is None:
        return []
    name, rival = found.first.title, found.second.label()
    if found.break_even is None:
        most = sensible(found.crossings.values[-1])
        return [f"On this table no ε up to {most} puts {name} ahead of {rival}."]
    epsilon = sensible(found.break_even)
    if found.at_once:
        return [f"On this table {name} is ahead of {rival} already at ε = {epsilon}."]
    return [f"On this table {name} is ahead of {rival} from ε = {epsilon} on."]


def added_caption(found: Sparsity) -> str:
    """What the first chart keeps and what it adds, and who is not in it."""
    said = (
        f"The {found.people:,} groups with people in them stay as they are; empty groups are added "
        f"or taken away. This table has {found.empty:,} empty ones. Exact, not simulated."
    )
    if found.left_out:
        said += (
            f" {_names(found.left_out)} cannot be drawn here: empty groups cannot simply be added "
            "to a table between whose groups people move."
        )
    return said


def epsilon_caption(found: CrossingByEpsilon) -> str:
    """The crossing moves with ε."""
    return (
        f"Shaded: {found.first.title} has the smaller error. The dot is this table at the present "
        f"ε; {found.second.label()} stays as it is."
    )


def marginals_caption(found: Marginals) -> str:
    """What happened when the same people were counted by more features."""
    if not found.mechanisms:
        return "None of these methods has an exact error; choose Laplace or suppression, say."
    parts = [
        "The same people counted by every combination of the chosen features: the line adds one at "
        "a time, in the order of the sidebar; faint marks are all others."
        if len(found.tables) > len(found.path)
        else "The same people counted by one feature, then one more at a time.",
        _who_leads(found, contrast(found.mechanisms)), _who_is_lacking(found),
    ]
    if found.left_out:
        parts.append(f"{_names(found.left_out)}: no exact error is known, so not drawn.")
    richest = found.tables[-1]
    parts.append(f"The fullest table has {richest.groups:,} groups, {percent(richest.share, 0)} of "
                 "them empty.")
    return " ".join(part for part in parts if part)


def _who_is_lacking(found: Marginals) -> str:
    """Methods that cannot treat some of the tables."""
    lacking = [
        m for i, m in enumerate(found.mechanisms) if any(t.errors[i] is None for t in found.tables)
    ]
    if not lacking:
        return ""
    needs, is_left = ("needs", "is left") if len(lacking) == 1 else ("need", "are left")
    return (
        f"{_names(lacking)} {needs} features that some of these tables do not have, and {is_left} "
        "out there."
    )


def _who_leads(found: Marginals, pair: tuple[Mechanism, Mechanism] | None) -> str:
    """In how many of the tables is the DP method worse, and do the sparser ones favour it?"""
    if pair is None:
        return ""
    i, j = (found.mechanisms.index(one) for one in pair)
    both = [
        (t.share, a - b) for t in found.tables
        if (a := t.errors[i]) is not None and (b := t.errors[j]) is not None
    ]
    worse = [share for share, gap in both if gap > _NEGLIGIBLE]
    better = [share for share, gap in both if gap < -_NEGLIGIBLE]
    if not both:
        return ""
    first, second, words = pair[0].label(), pair[1].label(), ERROR_WORDS[found.measure]
    every = "this table" if len(both) == 1 else f"all {len(both)} tables"
    if not worse and not better:
        return f"{first} and {second} have practically the same {words} in {every}."
    if len(both) in (len(worse), len(better)):
        side = "more" if worse else "less"
        return f"{first} has {side} {words} than {second} in {every}."
    sides = [(side, shares) for side, shares in (("more", worse), ("less", better)) if shares]
    parts = [
        f"{side}{'' if i else f' {words} than {second}'} in {len(shares)} "
        f"({percent(_mean(shares), 0)} empty on average)" for i, (side, shares) in enumerate(sides)
    ]
    even = len(both) - len(worse) - len(better)
    parts += [f"practically as much in {even}"] if even else []
    return f"Of the {len(both)} tables, {first} has {listed(parts)}."


def _people(number: float) -> str:
    said = sensible(number)
    return f"{said} {'person' if said == '1' else 'people'}"


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)


def _names(mechanisms: Sequence[Mechanism]) -> str:
    return listed([m.label() for m in mechanisms])

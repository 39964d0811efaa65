"""The sparse-tables page in words: computed from the lines, the crossing and the marginals."""

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
from sdc_core.words.numbers import listed, sensible

ERROR_WORDS: dict[Measure, str] = {"l1_bias": "systematic error", "l1_error": "total error"}

_PAPER = "Das, Tajeddine and Fioretto"
_NEGLIGIBLE = 0.005  # people: a difference that no reader would call one
_NO_SLOPE = 1e-12  # rounding errors in what an empty group costs


def percent(share: float) -> str:
    """`53%`, and `99.6%` where whole per cents would say that nothing or everything is left."""
    rounded = f"{100 * share:.0f}%"
    return f"{sensible(100 * share)}%" if rounded in ("0%", "100%") and 0 < share < 1 else rounded


def sparsity_sentences(
    found: Sparsity, by_epsilon: CrossingByEpsilon | None
) -> tuple[str, str]:
    """The page's answer: up to which share of empty groups is the DP method the better one?"""
    if not found.lines:
        return (
            "Choose a method that treats every count by itself to see what empty groups cost.", ""
        )
    if found.pair is None or found.crossing is None:
        steepest = max(found.lines, key=lambda line: line.per_empty)
        return (
            f"Every empty group adds {sensible(steepest.per_empty)} people of "
            f"{ERROR_WORDS[found.measure]} under {steepest.mechanism.label()}.",
            "Choose a DP method and a traditional one to see from where on which is better.",
        )
    return _headline(found), " ".join(
        [_slope_sentence(*found.pair, found.measure), *_break_even_sentences(found, by_epsilon)]
    )


def _headline(found: Sparsity) -> str:
    assert found.pair is not None and found.crossing is not None
    first, second = (line.mechanism.label() for line in found.pair)
    words, here = ERROR_WORDS[found.measure], percent(found.share)
    start = f"With this table {first} has less {words} than {second}"
    kind, share = found.crossing.kind, percent(found.crossing.share)
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
        f"{sensible(line.per_empty)} people under {line.mechanism.label()}"
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


def _break_even_sentences(found: Sparsity, by_epsilon: CrossingByEpsilon | None) -> list[str]:
    """From which ε on would the DP method be ahead on this very table?"""
    if by_epsilon is None:
        return []
    name, rival = by_epsilon.first.title, by_epsilon.second.label()
    if by_epsilon.break_even is None:
        return [f"On this table no ε up to {sensible(by_epsilon.epsilons[-1])} puts {name} ahead "
                f"of {rival}."]
    if by_epsilon.at_once:
        return [f"On this table {name} is ahead of {rival} already at "
                f"ε = {sensible(by_epsilon.break_even)}."]
    return [f"On this table {name} is ahead of {rival} from ε = "
            f"{sensible(by_epsilon.break_even)} on."]


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
    richest = found.tables[-1]
    said = (
        "The same people counted by every combination of the chosen features: the line adds one at "
        "a time, in the order of the sidebar; faint marks are all others. "
        if len(found.tables) > len(found.path)
        else "The same people counted by one feature, then one more at a time. "
    )
    said += _who_leads(found, contrast(found.mechanisms))
    if any(error is None for table in found.tables for error in table.errors):
        lacking = [
            m for i, m in enumerate(found.mechanisms)
            if any(t.errors[i] is None for t in found.tables)
        ]
        said += (
            f" {_names(lacking)} needs features that some of these tables do not have, and is left "
            "out there."
        )
    if found.left_out:
        said += f" {_names(found.left_out)}: no exact error is known, so not drawn."
    groups = f"{richest.groups:,} groups, {percent(richest.share)} of them empty"
    return f"{said} The fullest table has {groups}."


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
        f"({percent(_mean(shares))} empty on average)" for i, (side, shares) in enumerate(sides)
    ]
    even = len(both) - len(worse) - len(better)
    parts += [f"practically as much in {even}"] if even else []
    return f"Of the {len(both)} tables, {first} has {listed(parts)}."


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares)


def _names(mechanisms: Sequence[Mechanism]) -> str:
    return listed([m.label() for m in mechanisms])


METHOD = """
- **Empty share**: groups with nobody in them, out of all combinations of the chosen features'
  values that occur in the data.
- **Systematic error**, ‖bias‖₁: by how many people counts are wrong on average over releases, added
  over all groups. **Total error**, E‖x̃ − x‖₁: by how many people a single release is wrong.
- **Why noise pays for empty groups**: noise on a count of 0 goes up or down, and what falls below
  0 is put back to 0. So on average people appear where there are none. Suppression that leaves
  zeros alone publishes them exactly, and thereby tells everybody that nobody is there; suppression
  that fills them in (switch *Leave empty groups at 0* off) pays k/2 people for each.
- **The crossing** is exact: a method that treats each count by itself has the error
  Σ f(x) over the groups with people, plus z f(0) for z empty ones, and two straight lines meet at
  z = difference of the first parts / difference of the f(0).
- **Many features**: each mark is the table of the same people by some of the features. More
  features make smaller groups as well as more empty ones, so both ends of the comparison move.

Paper: Das, Tajeddine and Fioretto, §3.4 and Figure 4, which counts marginals of the
Massachusetts excerpt and averages simulated releases.
"""

"""How far off are the counts, who is moved, and what is promised?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.work import Level, Work
from sdc_core.metrics.error import by_group_size
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.guarantees import delta_text
from sdc_core.words.numbers import listed, sensible


def compare_sentences(
    table: Histogram, evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the Compare page: a headline about accuracy, a second one about protection."""
    if not evaluations:
        return "Choose a method to see what it does to the counts.", ""
    best, worst = _contrast(evaluations)
    cells = len(table)
    headline = (
        f"{best.mechanism.label()} puts a count off by {sensible(best.l1_error / cells)} on average"
    )
    if worst is not best:
        headline += f", {worst.mechanism.label()} by {sensible(worst.l1_error / cells)}"
        headline += _times(worst.l1_error, best.l1_error)
    headline += "."
    small = _small_group_sentence(table.counts, best, worst)
    return headline, f"{small}{_protection(evaluations, guarantees)}"


def _contrast(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, Evaluation]:
    """The two to set against each other: the best of each world if both are on screen (a DP
    mechanism and a traditional one, or its DP version), else the best and the worst."""
    ranked = sorted(evaluations, key=lambda e: e.l1_error)
    for other in ("sdc", "dp-sdc"):
        first = [next((e for e in ranked if e.mechanism.family == f), None) for f in ("dp", other)]
        if first[0] is not None and first[1] is not None:
            pair = sorted([first[0], first[1]], key=lambda e: e.l1_error)
            return pair[0], pair[1]
    return ranked[0], ranked[-1]


def _times(larger: float, smaller: float) -> str:
    """` (2.3 times as much)`, where a ratio says something."""
    if smaller <= 0 or larger / smaller < 1.1:
        return ""
    return f" ({sensible(larger / smaller)} times as much)"


def _small_group_sentence(
    counts: NDArray[np.int64], best: Evaluation, worst: Evaluation
) -> str:
    """Who is hit: people in groups of 1 to 5, the ones that disclosure control is about."""
    small = (counts >= 1) & (counts <= 5)
    if not small.any() or best is worst:
        return ""
    share = float(counts[small].sum()) / max(1, int(counts.sum()))
    parts = [
        f"{e.mechanism.label()} is off by {sensible(float(e.absolute_error[small].mean()))}"
        for e in (best, worst)
    ]
    groups = f"{int(small.sum()):,} groups" if small.sum() > 1 else "one group"
    return (
        f"For the {groups} of 1 to 5 people ({sensible(100 * share)}% of all people), "
        f"{parts[0]} and {parts[1]}. "
    )


def _protection(evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]) -> str:
    """One sentence on who promises what; the rest is on the cards."""
    named = [(e.mechanism.label(), g) for e, g in zip(evaluations, guarantees, strict=True)]
    everyone = [name for name, g in named if g.reliable]
    partly = [name for name, g in named if g.reliable_in_part]
    shaky = [
        f"{name} (except with probability {delta_text(g.delta_tight, g.log_rest_tight)})"
        for name, g in named
        if not g.reliable and name not in partly and g.formal and g.delta_tight <= 0.5
    ]
    rest = [n for n, g in named if not g.reliable and n not in partly and not (
        g.formal and g.delta_tight <= 0.5)]
    parts = []
    if everyone:
        verb = "keeps its" if len(everyone) == 1 else "keep their"
        parts.append(f"{listed(everyone)} {verb} privacy promise for everyone")
    if shaky:
        verb = "keeps its promise" if len(shaky) == 1 else "keep their promises"
        parts.append(f"{listed(shaky)} {verb}")
    if partly:
        verb = "promises" if len(partly) == 1 else "promise"
        parts.append(f"{listed(partly)} {verb} something only about what is not published exactly")
    if rest:
        verb = "makes" if len(rest) == 1 else "make"
        parts.append(f"{listed(rest)} {verb} no promise that holds for everyone")
    broken = [name for name, g in named if g.holds is False]
    failing = f" The published guarantee of {listed(broken)} is not true." if broken else ""
    return "; ".join(parts) + "." + failing


class Diverse(Protocol):
    """What `diversity_sentence` needs to know about published groups."""

    distinct: int
    entropy: float
    closeness: float


def diversity_sentence(found: Diverse) -> str:
    """What groups still give away about a sensitive feature (ℓ-diversity and t-closeness)."""
    if found.distinct <= 1:
        first = (
            "In at least one group everybody has the same value of the sensitive feature, so being "
            "known to be in it gives the value away"
        )
    else:
        first = f"Every group has at least {found.distinct} values of the sensitive feature"
    return (
        f"{first} (ℓ-diversity: {found.distinct} distinct, {sensible(found.entropy)} by entropy). "
        f"In the group that stands out most, {sensible(100 * found.closeness)}% of people would "
        "have to change their value to look like the whole table (t-closeness, total variation)."
    )


def burden_sentence(table: Histogram, evaluations: Sequence[Evaluation]) -> str:
    """Which way are small and empty groups moved, by whom?"""
    parts = []
    for evaluation in evaluations:
        sizes = by_group_size(table.counts, evaluation.bias, evaluation.absolute_error)
        worst = max(sizes, key=lambda size: abs(size.mean_bias))
        moved = worst.mean_bias
        if abs(moved) < 0.005:
            parts.append(f"{evaluation.mechanism.label()} moves no group size")
            continue
        way = "adds" if moved > 0 else "takes away"
        where = "to" if moved > 0 else "from"
        parts.append(
            f"{evaluation.mechanism.label()} {way} {sensible(abs(moved))} people {where} "
            f"{worst.title}"
        )
    return "On average " + "; ".join(parts) + "." if parts else ""


def work_sentence(work: Work, seed: int) -> str:
    """How many measurements were impossible, how far off they were, and what was put right."""
    top = work.levels[0]
    number = sum(level.measured.size for level in work.levels)
    negative = sum(level.negative for level in work.levels)
    true, measured, released = (int(x.sum()) for x in (top.true, top.measured, top.released))
    parts = [
        f"{negative:,} of {number:,} measured counts were negative in the release of seed {seed}; "
        "none is after post-processing."
        if negative else f"None of {number:,} measured counts was negative in the release of seed "
        f"{seed}.",
        *map(_level_sentence, work.levels),
        f"There are {true:,} people; the measured counts for {top.words} add up to {measured:,}, "
        f"the released ones to {released:,}.",
    ]
    if work.exact:
        parts.append(f"Taken from the data without noise: {'; '.join(work.exact)}.")
    else:
        parts.append("Nothing was taken from the data without noise.")
    return " ".join(parts)


def _level_sentence(level: Level) -> str:
    before, after = level.off_by(level.measured), level.off_by(level.released)
    return (
        f"Counts for {level.words} were off by {sensible(before)} on average as measured and by "
        f"{sensible(after)} as released."
    )

"""What an outsider learns who knows some features, in words."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.metrics.outsider import Risk
from sdc_core.words.numbers import listed, lowered, percent, sensible

SAME = 0.0005  # shares that differ by less are written alike, and not ranked
ALIKE = "always guessing the most common answer"


def gain_sentence(risks: Sequence[Risk]) -> str:
    """Does the release that helps guessing most help at all?"""
    worst = max(risks, key=lambda r: r.gain)
    if worst.gain < SAME:
        return (
            f"Guessing from a release is right no more often than {ALIKE} "
            f"({percent(worst.base, 1)})."
        )
    return (
        f"Guessing from the release of {worst.mechanism.label()} is right for "
        f"{percent(worst.right, 1)} of people, {ALIKE} for {percent(worst.base, 1)}."
    )


def risk_sentence(risks: Sequence[Risk], known: Sequence[str], sensitive: str) -> str:
    """What somebody who knows these features learns, in numbers."""
    if not risks:
        return ""
    worst = max(risks, key=lambda r: r.correct)
    knows = listed([lowered(k) for k in known])
    if not worst.original_unique:
        text = f"Nobody is alone with their {knows}, so there is no sure hit."
    else:
        are = "is" if worst.original_unique == 1 else "are"
        text = (
            f"Somebody who knows {knows} finds, in {worst.mechanism.label()}, "
            f"{sensible(worst.apparent)} people who look like a sure hit (of "
            f"{worst.original_unique:,} who {are} alone with these values), and is right about "
            f"{sensible(worst.correct)} of them."
        )
    top = max(risks, key=lambda r: r.right)
    alike = len(risks) > 1 and top.right - min(r.right for r in risks) < SAME
    which = "with every method" if alike else f"at most ({top.mechanism.label()})"
    return text + (
        f" Guessing “{lowered(sensitive)}” from the release is right for "
        f"{percent(top.right, 1)} of people {which}; the data itself would give "
        f"{percent(top.best, 1)}, {ALIKE} {percent(top.base, 1)}."
    )


def releases_sentence(risks: Sequence[Risk]) -> str:
    """How many releases stand behind the numbers; of some methods there may be fewer."""
    few, many = (end(r.releases for r in risks) for end in (min, max))
    number = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    return f"Averages over {number} release{'' if many == 1 else 's'}."


def group_sentence(risks: Sequence[Risk], by: str, what: str) -> str:
    """For whom does guessing from the release add most to always guessing the most common?"""
    if not risks or not getattr(risks[0], by):
        return ""
    worst = max(risks, key=lambda r: r.gain)
    rows = [g for g in getattr(worst, by) if g.people >= 5] or list(getattr(worst, by))
    top = max(rows, key=lambda g: g.right - g.base)
    gain = 100 * (top.right - top.base)
    if gain < 0.05:
        return f"By {what}, no group is guessed better from the release than by {ALIKE}."
    return (
        f"By {what}, the release of {worst.mechanism.label()} adds most for {top.title}: "
        f"{percent(top.right, 1)} right instead of {percent(top.base, 1)}."
    )


def nothing_gained(risks: Sequence[Risk], by: str) -> bool:
    """Is guessing from each release as good as the most common answer in each group, no more, no
    less, so that a chart would show ties alone?"""
    return all(abs(g.right - g.base) < SAME for r in risks for g in getattr(r, by))

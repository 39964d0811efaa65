"""The answer of the page "Who can be found?" in words: computed sentences without markup."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import HidesCells, Mechanism
from sdc_core.metrics.outsider import Risk
from sdc_core.metrics.reidentification import MatchCurve, Rule, UniqueMatches
from sdc_core.narrative.words import listed, sensible

HOW: dict[Rule, str] = {"at-least-once": "at least once", "exactly-once": "exactly once"}


def found_sentences(matches: Sequence[UniqueMatches], risks: Sequence[Risk]) -> tuple[str, str]:
    """How many unique people are in the releases as they are, and what does that mean?"""
    if not matches:
        return "Choose a method to see whom its release exposes.", ""
    unique = matches[0].unique
    if not unique:
        return (
            "Nobody is unique in this table, so nobody can be matched exactly.",
            "Count people by more features to see who stands out.",
        )
    ranked = sorted(matches, key=lambda m: -m.expected)
    most, least = ranked[0], ranked[-1]
    people = "person who is" if unique == 1 else "people who are"
    headline = (
        f"{_settings(most, matches)}{_count(most)} of {unique:,} {people} unique in the data "
        f"{_verb(most.expected)} {HOW[most.rule]} in the release of {most.mechanism.label()} "
        f"({sensible(100 * most.share)}%)"
    )
    if least is not most:
        headline += (
            f", {_count(least)} in that of {least.mechanism.label()} "
            f"({sensible(100 * least.share)}%)"
        )
    return headline + "; that is not the same as being found.", _not_found(matches, risks)


def _settings(first: UniqueMatches, matches: Sequence[UniqueMatches]) -> str:
    """`At ε = 1, ` where the sentence begins with a method that has an ε and all have the same."""
    if "epsilon" not in first.mechanism.settings():
        return ""
    values = {
        v for m in matches if (v := m.mechanism.settings().get("epsilon")) is not None
    }
    return f"At ε = {sensible(values.pop())}, " if len(values) == 1 else ""


def _count(m: UniqueMatches) -> str:
    return sensible(m.expected) if m.expected < 10 else f"{m.expected:.0f}"


def _verb(number: float) -> str:
    return "appears" if number == 1 else "appear"


def _not_found(matches: Sequence[UniqueMatches], risks: Sequence[Risk]) -> str:
    """What a match does not say: that there is somebody, and that an outsider gains from it."""
    parts = []
    empty = matches[0].empty
    muddled = max(matches, key=lambda m: m.made_up_share)
    if empty and muddled.made_up_share >= 0.005:
        parts.append(
            f"{muddled.mechanism.label()} shows {sensible(100 * muddled.made_up_share)}% of the "
            f"{empty:,} groups that are empty in the data in the same way, and nobody can see "
            "which are which."
        )
    sure = [m.mechanism.label() for m in matches if m.made_up_share < 0.005 <= m.share]
    if empty and sure:
        verb = "shows" if len(sure) == 1 else "show"
        parts.append(f"{listed(sure)} {verb} no empty group so: who is shown there is real.")
    if risks:
        worst = max(risks, key=lambda r: r.gain)
        parts.append(
            f"Guessing from the release of {worst.mechanism.label()} is right for "
            f"{100 * worst.right:.1f}% of people, guessing alike for all for "
            f"{100 * worst.base:.1f}%."
        )
    return " ".join(parts)


def suppression_sentence(
    table: Histogram, once: Sequence[UniqueMatches], at_least: Sequence[UniqueMatches]
) -> str:
    """Why the count of unique matches flatters methods that hide small groups.

    `once` and `at_least` are the matches under the two rules, in the same order.
    """
    text = []
    for strict, loose in zip(once, at_least, strict=True):
        one = strict.mechanism
        if not isinstance(one, HidesCells) or not strict.unique:
            continue
        hidden = one.hidden(table)
        exact = float((table.counts * (1 - hidden)).sum())
        alone = float(hidden[table.counts == 1].sum())
        text.append(
            f"{one.label()} hides {_whole(alone)} of the {strict.unique:,} unique people behind a "
            f"stand-in. Counted as appearing exactly once, as in P0, {_whole(strict.expected)} of "
            f"them are matched, which looks {_looks(strict.share)}; counted as appearing at least "
            f"once, as in SDNist, it is {_whole(loose.expected)}. Neither says anything about the "
            f"{_whole(exact)} people ({sensible(100 * exact / max(table.total, 1))}% of all) in "
            "groups that it publishes to the last person, nor about the fact that a stand-in tells "
            "that somebody is there."
        )
    return " ".join(text)


def _looks(share: float) -> str:
    return "perfect" if share < 0.005 else "good" if share < 0.2 else "poor"


def _whole(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 or number == round(number) else sensible(number)


def finding_sentence(curves: Sequence[MatchCurve]) -> str:
    """Does P0's reading of its Figure 5 hold here? (§7: matches of noise grow with ε; those of DP
    swapping hardly do and are more than noise's even for large ε; discrete Gaussian has fewer than
    Laplace.)"""
    moved = [c for c in curves if c.here is not None]
    noise = [c for c in moved if c.mechanism.family == "dp"]
    swaps = [
        c for c in moved
        if c.mechanism.family == "dp-sdc" and not isinstance(c.mechanism, HidesCells)
    ]
    parts = [_span(c) for c in (*noise, *swaps)]
    if not parts:
        return ""
    text = f"From the smallest to the largest value shown, matches go {'; '.join(parts)}."
    return text + _swap_verdict(noise, swaps) + _noise_verdict(noise)


def _span(curve: MatchCurve) -> str:
    first, last = curve.points[0], curve.points[-1]
    return (
        f"from {100 * first.share:.0f}% to {100 * last.share:.0f}% with {curve.mechanism.title}"
    )


def _swap_verdict(noise: Sequence[MatchCurve], swaps: Sequence[MatchCurve]) -> str:
    if not noise or not swaps:
        return ""
    swap = swaps[0]
    highest = np.max([[p.share for p in c.points] for c in noise], axis=0)
    above = np.array([p.share for p in swap.points]) >= highest
    shares = [p.share for p in swap.points]
    steady = " and hardly moves" if max(shares) - min(shares) < 0.1 else ""
    if above.all():
        return f" As in P0, {swap.mechanism.title} shows more of them throughout{steady}."
    if not above[0]:
        return f" Unlike in P0, {swap.mechanism.title} does not show more of them."
    crossing = swap.values[int(np.argmin(above))]
    return (
        f" As in P0, {swap.mechanism.title} shows more of them{steady}; unlike there, noise "
        f"overtakes it at about ε = {sensible(float(crossing))}."
    )


def _noise_verdict(noise: Sequence[MatchCurve]) -> str:
    if len(noise) < 2:
        return ""
    last = sorted(noise, key=lambda c: c.points[-1].share)
    low, high = last[0], last[-1]
    return (
        f" {low.mechanism.title} shows fewer than {high.mechanism.title} at the end: it adds more "
        "noise."
    )


def risk_sentence(risks: Sequence[Risk], known: Sequence[str], sensitive: str) -> str:
    """What somebody who knows these features learns, in numbers."""
    if not risks:
        return ""
    worst = max(risks, key=lambda r: r.correct)
    text = (
        f"Somebody who knows {listed([k.lower() for k in known])} finds, in "
        f"{worst.mechanism.label()}, {sensible(worst.apparent)} people who look like a sure "
        f"hit (of {worst.original_unique:,} who are alone with these values), and is right about "
        f"{sensible(worst.correct)} of them."
    )
    top = max(risks, key=lambda r: r.right)
    return text + (
        f" Guessing “{sensitive.lower()}” from the release is right for {100 * top.right:.1f}% "
        f"of people at most ({top.mechanism.label()}); the data itself would give "
        f"{100 * top.best:.1f}%, guessing alike for all {100 * top.base:.1f}%."
    )


def group_sentence(risks: Sequence[Risk], by: str, what: str) -> str:
    """For whom is guessing from the release most often right, beyond guessing alike for all?"""
    if not risks or not getattr(risks[0], by):
        return ""
    worst = max(risks, key=lambda r: r.gain)
    rows = [g for g in getattr(worst, by) if g.people >= 5] or list(getattr(worst, by))
    top = max(rows, key=lambda g: g.right - g.base)
    gain = 100 * (top.right - top.base)
    if gain < 0.05:
        return f"By {what}, no group is guessed better from the release than by guessing alike."
    return (
        f"By {what}, {worst.mechanism.label()} adds most for {top.title}: {100 * top.right:.1f}% "
        f"right instead of {100 * top.base:.1f}%."
    )


def unique_group_sentence(m: UniqueMatches, table: Histogram, axis: int) -> str:
    """Who is unique, and who of them is shown?"""
    rows = [row for row in m.by_value(table, axis) if row[2]]
    if not rows:
        return "Nobody is unique in this table."
    most = max(rows, key=lambda row: row[2] / row[1])
    largest = max(m.by_value(table, axis), key=lambda row: row[1])
    return (
        f"Being unique is not shared evenly: of {largest[1]:,} people with “{largest[0]}” "
        f"{largest[2]:,} are, of {most[1]:,} with “{most[0]}” {most[2]:,}."
    )


def empty_sentence(mechanism: Mechanism, empty: int, releases: int) -> str:
    """A release without anybody in it exposes nobody, and tells nothing."""
    if not empty:
        return ""
    share = "None" if empty == releases else f"{releases - empty:,}"
    return f"{mechanism.label()}: {share} of {releases:,} releases has people in it."

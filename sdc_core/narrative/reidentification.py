"""The answer of the page "Who can be found?" in words: computed sentences without markup."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import ExactMoments, HidesCells, Mechanism
from sdc_core.metrics.outsider import Risk
from sdc_core.metrics.reidentification import MatchCurve, Rule, UniqueMatches
from sdc_core.narrative.words import listed, sensible

HOW: dict[Rule, str] = {"at-least-once": "at least once", "exactly-once": "exactly once"}
VISIBLE = 0.005  # a difference of shares that a reader can see on the chart
STEADY = 0.1  # a share that moves by less than this along ε hardly moves


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
    if empty and muddled.made_up_share >= VISIBLE:
        parts.append(
            f"{muddled.mechanism.label()} shows {sensible(100 * muddled.made_up_share)}% of the "
            f"{empty:,} groups that are empty in the data in the same way, and nobody can see "
            "which are which."
        )
    if empty:
        parts += _hardly_made_up([m for m in matches if m.made_up_share < VISIBLE <= m.share])
    if risks:
        worst = max(risks, key=lambda r: r.gain)
        parts.append(
            f"Guessing from the release of {worst.mechanism.label()} is right for "
            f"{100 * worst.right:.1f}% of people, guessing alike for all for "
            f"{100 * worst.base:.1f}%."
        )
    return " ".join(parts)


def _hardly_made_up(matches: Sequence[UniqueMatches]) -> list[str]:
    """Who shows no empty group at all (which only a closed form can tell), and who a few?"""
    never = [m for m in matches if m.method == "exact" and m.made_up == 0]
    text = []
    if never:
        verb, they = ("shows", "it shows") if len(never) == 1 else ("show", "they show")
        names = listed([m.mechanism.label() for m in never])
        text.append(
            f"{names} {verb} no empty group so: where {they} somebody, there is somebody."
        )
    few = [m for m in matches if m not in never]
    if few:
        numbers = listed([f"{_few(m)} with {m.mechanism.label()}" for m in few])
        text.append(f"Of the {few[0].empty:,} empty groups, {numbers} are shown so.")
    return text


def _few(m: UniqueMatches) -> str:
    if m.made_up == 0:
        return f"none in {m.repetitions:,} releases"
    return "fewer than 0.01" if m.made_up < 0.01 else f"about {sensible(m.made_up)}"


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
            f"groups that it publishes to the last person{_telling(one, alone, loose)}."
        )
    return " ".join(text)


def _telling(one: HidesCells, alone: float, loose: UniqueMatches) -> str:
    """Does a stand-in tell that somebody is there? Not if empty groups get it, too, nor if it is
    zero, so that hidden people are not in the release."""
    shown_hidden = loose.expected - (loose.unique - alone)
    if one.hidden([0])[0] > 0 or shown_hidden < 1e-9:
        return ""
    return ", nor about the fact that a stand-in tells that somebody is there"


def _looks(share: float) -> str:
    return "perfect" if share < 0.005 else "good" if share < 0.2 else "poor"


def _whole(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 or number == round(number) else sensible(number)


def finding_sentence(curves: Sequence[MatchCurve]) -> str:
    """What P0 reads off its Figure 5, and what the methods on screen do.

    P0 (§7) has Laplace, discrete Gaussian and DP swapping: matches of noise grow with ε; those of
    DP swapping hardly do and are more than noise's even for large ε; discrete Gaussian, with its
    larger errors, has fewer than Laplace.
    """
    moved = [c for c in curves if c.here is not None and c.points[0].unique]
    noise = [c for c in moved if c.mechanism.family == "dp"]
    others = [
        c for c in moved
        if c.mechanism.family == "dp-sdc" and not isinstance(c.mechanism, HidesCells)
    ]
    if not noise and not others:
        return ""
    spans = "; ".join(_span(c) for c in (*noise, *others))
    parts = [f"From the smallest to the largest ε shown, matches go {spans}."]
    if noise and others:
        parts.append("In P0 (Figure 5), DP swapping shows more than noise, even at a large ε.")
        parts += [_against_noise(one, noise) for one in others]
    return " ".join([*parts, *_noise_verdict(noise)])


def _name(curve: MatchCurve) -> str:
    """The method without its ε, which runs along the axis."""
    one = curve.mechanism
    epsilon = next(p for p in one.params() if p.name == "epsilon")
    return one.label_without(epsilon)


def _shares(curve: MatchCurve) -> NDArray[np.float64]:
    return np.array([p.share for p in curve.points])


def _span(curve: MatchCurve) -> str:
    first, *_, last = _shares(curve)
    return f"from {100 * first:.0f}% to {100 * last:.0f}% with {_name(curve)}"


def _against_noise(one: MatchCurve, noise: Sequence[MatchCurve]) -> str:
    """At which ε does it show more unique people than every noise? A tie is not more."""
    shares = _shares(one)
    highest = np.max([_shares(c) for c in noise], axis=0)
    above = shares > highest + VISIBLE
    than = listed([_name(c) for c in noise])
    if above.all():
        text = f"shows more than {than} at every ε shown"
    elif above.any():
        text = f"shows more than {than} {_where_above(one, above)}"
    elif len(noise) == 1 and (shares < highest - VISIBLE).all():
        text = f"shows fewer than {than} at every ε shown"
    else:
        text = f"shows at no ε more than {than}"
    steady = "hardly moves and " if np.ptp(shares) < STEADY else ""
    return f"Here {_name(one)} {steady}{text}."


def _where_above(one: MatchCurve, above: NDArray[np.bool_]) -> str:
    """`up to about ε = 2.71` where it is overtaken once; else at how many of the values."""
    count = int(above.sum())
    if above[:count].all():
        return f"up to about ε = {sensible(float(one.values[count - 1]))}, not beyond"
    return f"at {count} of the {len(above)} values of ε shown"


def _noise_verdict(noise: Sequence[MatchCurve]) -> list[str]:
    """Which noise shows fewest at the largest ε, and is that because there is more of it?"""
    if len(noise) < 2:
        return []
    ranked = sorted(noise, key=lambda c: c.points[-1].share)
    low, high = ranked[0], ranked[-1]
    gap = high.points[-1].share - low.points[-1].share
    if gap < VISIBLE or _name(low) == _name(high):
        return []
    cause = "; its noise is larger" if _noisier(low, high) else ""
    return [
        "In P0, discrete Gaussian noise shows fewer than Laplace noise. Here "
        f"{_name(low)} shows fewer than {_name(high)} at ε = {sensible(float(low.values[-1]))}"
        f"{cause}."
    ]


def _noisier(low: MatchCurve, high: MatchCurve) -> bool:
    """Is the noise itself, before rounding and cutting off at zero, clearly larger?"""
    found = []
    for curve in (low, high):
        one = curve.points[-1].mechanism
        if "postprocess" in one.settings():
            one = one.replace(postprocess="none")
        if not (isinstance(one, ExactMoments) and one.is_exact):
            return False
        found.append(float(one.variance([1])[0]))
    return found[0] > 1.05 * found[1]


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
    """Who is unique most often, and who least? Nothing where all groups are alike."""
    rows = [(label, people, unique) for label, people, unique, _ in m.by_value(table, axis)]
    if not any(unique for _, _, unique in rows):
        return "Nobody is unique in this table."
    # of groups that are alike the larger one is named: its share says more
    least = min(rows, key=lambda row: (row[2] / row[1], -row[1]))
    most = max(rows, key=lambda row: (row[2] / row[1], row[1]))
    low, high = (sensible(100 * row[2] / row[1]) for row in (least, most))
    if low == high:
        return ""
    return (
        f"Being unique is not shared evenly: of {_with(least)} {_are(least[2])} unique ({low}%), "
        f"of {_with(most)} {_are(most[2])} ({high}%)."
    )


def _with(row: tuple[str, int, int]) -> str:
    label, people, _ = row
    return f"{people:,} {'person' if people == 1 else 'people'} with “{label}”"


def _are(number: int) -> str:
    return "nobody is" if not number else f"{number:,} {'is' if number == 1 else 'are'}"


def empty_sentence(mechanism: Mechanism, empty: int, releases: int) -> str:
    """A release without anybody in it exposes nobody, and tells nothing."""
    if not empty:
        return ""
    full = releases - empty
    words = "have people in them" if full > 1 else "has people in it"
    number = f"{full:,}" if full else "None"
    return f"{mechanism.label()}: {number} of {releases:,} releases {words}."

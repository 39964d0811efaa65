"""What Who can be found? found, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.curves import Curve
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing, ExactMoments, HidesCells, Mechanism
from sdc_core.metrics.outsider import Risk
from sdc_core.metrics.reidentification import Rule, UniqueMatches
from sdc_core.parameters import EPSILON
from sdc_core.questions.reidentification.outsider_words import SAME, gain_sentence
from sdc_core.words.numbers import listed, lowered, percent, sensible

HOW: dict[Rule, str] = {"at-least-once": "still visible", "exactly-once": "shown exactly once"}
MEANS: dict[Rule, str] = {
    "at-least-once": "visible does not yet mean identified",
    "exactly-once": "that does not yet mean identified",
}
VISIBLE = 0.005  # a difference of shares that a reader can see on the chart
STEADY = 0.1  # a share that moves by less than this along ε hardly moves


def found_sentences(
    matches: Sequence[UniqueMatches], risks: Sequence[Risk], more: Sequence[str] = ()
) -> tuple[str, str]:
    """How many unique people are in the releases as they are, and what does that mean? `more` are
    features that people are not counted by yet, for a table where nobody is unique."""
    if not matches:
        return "Choose a method to see whom its release exposes.", ""
    unique = matches[0].unique
    if not unique:
        return "Nobody is one of a kind in this table, so nobody can be matched.", _add(more)
    ranked = sorted(matches, key=lambda m: -m.expected)
    most, least = ranked[0], ranked[-1]
    tied = most.share - least.share < SAME
    names = listed([m.mechanism.label() for m in matches]) if tied else most.mechanism.label()
    headline = f"{_who(most)} {HOW[most.rule]} after {names}"
    if not tied:
        headline += f", {_part(least)} after {least.mechanism.label()}"
    return f"{headline}; {MEANS[most.rule]}.", _not_found(matches, risks)


def _add(more: Sequence[str]) -> str:
    """What would make people stand out."""
    if not more:
        return "People are counted by all features of this data already."
    *first, last = [lowered(title) for title in more]
    names = f"{', '.join(first)} or {last}" if first else last
    return f"Count people by more features in the sidebar, such as {names}, to see who stands out."


def _who(m: UniqueMatches) -> str:
    """`Everyone who is one of a kind (54 of 54) is`, `12 of the 54 people who are … (22%) are`."""
    if m.expected == 0:
        return f"Nobody who is one of a kind (0 of {m.unique:,}) is"
    if _complete(m):
        who = f"Everyone who is one of a kind ({m.unique:,} of {m.unique:,})"
        if m.unique == 1:
            who = "The one person who is one of a kind"
        return f"{who} is{f' in all {m.repetitions:,} releases' if m.repetitions else ''}"
    if m.unique == 1:
        return f"The one person who is one of a kind is in {_percent(m)} of releases"
    if m.share >= 0.99:  # not "54 of the 54" for 53.8
        return f"Nearly everyone who is one of a kind ({_percent(m)} of {m.unique:,}) is"
    return f"{_count(m)} of the {m.unique:,} people who are one of a kind ({_percent(m)}) are"


def _complete(m: UniqueMatches) -> bool:
    return m.unique - m.expected < 1e-9 * m.unique


def _part(m: UniqueMatches) -> str:
    """The same of a second method: `about half (27)`, `12 (22%)`, `nobody`."""
    if m.expected == 0:
        return "nobody"
    if m.unique == 1:
        return f"in {_percent(m)} of releases"
    about_half = abs(m.share - 0.5) < 0.05
    return f"about half ({_count(m)})" if about_half else f"{_count(m)} ({_percent(m)})"


def _percent(m: UniqueMatches) -> str:
    """A share that is not quite all is not written as all, nor one that is not quite none."""
    if m.share >= 0.9995 and not _complete(m):
        return "nearly 100%"
    return percent(m.share) if m.share >= 0.0005 or not m.share else "nearly 0%"


def _count(m: UniqueMatches) -> str:
    return sensible(m.expected) if m.expected < 10 else f"{m.expected:,.0f}"


def _not_found(matches: Sequence[UniqueMatches], risks: Sequence[Risk]) -> str:
    """What a match does not say: that there is somebody, and that an outsider gains from it."""
    parts = []
    empty = matches[0].empty
    muddled = max(matches, key=lambda m: m.made_up_share)
    if empty and muddled.made_up_share >= VISIBLE:
        parts.append(
            f"{muddled.mechanism.label()} shows {percent(muddled.made_up_share)} of the {empty:,} "
            "groups that are empty in the data in the same way, and nobody can see which are which."
        )
    if empty:
        parts += _hardly_made_up([m for m in matches if m.made_up_share < VISIBLE <= m.share])
    if risks:
        parts.append(gain_sentence(risks))
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
            f"stand-in. Counted as appearing exactly once, {_whole(strict.expected)} of them are "
            f"matched, which looks {_looks(strict.share)}; counted as appearing at least once, it "
            f"is {_whole(loose.expected)}. Neither says anything about the {_whole(exact)} people "
            f"({percent(exact / max(table.total, 1))} of all) in groups that it publishes to the "
            f"last person{_telling(one, alone, loose)}."
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


def finding_sentence(curves: Sequence[Curve[UniqueMatches]]) -> str:
    """What P0 reads off its Figure 5, and what the methods on screen do.

    P0 (§7) has Laplace, discrete Gaussian and DP swapping: matches of noise grow with ε; those of
    DP swapping hardly do and are more than noise's even for large ε; discrete Gaussian, with its
    larger errors, has fewer than Laplace.
    """
    moved = [c for c in curves if c.here is not None and c.points[0].unique]
    noise = [c for c in moved if c.mechanism.does is Doing.NOISE]
    others = [
        c for c in moved
        if c.mechanism.family == "dp-sdc" and not isinstance(c.mechanism, HidesCells)
    ]
    if not noise and not others:
        return ""
    spans = "; ".join(_span(c) for c in (*noise, *others))
    parts = [f"From the smallest to the largest ε shown, matches go {spans}."]
    if noise and others:
        parts.append(
            "In Das et al. 2024 (Figure 5), DP swapping shows more than noise, even at a large ε."
        )
        parts += [_against_noise(one, noise) for one in others]
    return " ".join([*parts, *_noise_verdict(noise)])


def _name(curve: Curve[UniqueMatches]) -> str:
    """The method without its ε, which runs along the axis."""
    return curve.mechanism.label_without(EPSILON)


def _shares(curve: Curve[UniqueMatches]) -> NDArray[np.float64]:
    return np.array([p.share for p in curve.points])


def _span(curve: Curve[UniqueMatches]) -> str:
    first, *_, last = _shares(curve)
    return f"from {percent(first, 0)} to {percent(last, 0)} with {_name(curve)}"


def _against_noise(one: Curve[UniqueMatches], noise: Sequence[Curve[UniqueMatches]]) -> str:
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


def _where_above(one: Curve[UniqueMatches], above: NDArray[np.bool_]) -> str:
    """`up to about ε = 2.71` where it is overtaken once; else at how many of the values."""
    count = int(above.sum())
    if above[:count].all():
        return f"up to about ε = {sensible(float(one.values[count - 1]))}, not beyond"
    return f"at {count} of the {len(above)} values of ε shown"


def _noise_verdict(noise: Sequence[Curve[UniqueMatches]]) -> list[str]:
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
        "In Das et al. 2024, discrete Gaussian noise shows fewer than Laplace noise. Here "
        f"{_name(low)} shows fewer than {_name(high)} at ε = {sensible(float(low.values[-1]))}"
        f"{cause}."
    ]


def _noisier(low: Curve[UniqueMatches], high: Curve[UniqueMatches]) -> bool:
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


def unique_group_sentence(m: UniqueMatches, table: Histogram, axis: int) -> str:
    """Who is unique most often, and who least? Nothing where all groups are alike."""
    rows = [(label, people, unique) for label, people, unique, _ in m.by_value(table, axis)]
    if not any(unique for _, _, unique in rows):
        return "Nobody is unique in this table."
    # of groups that are alike the larger one is named: its share says more
    least = min(rows, key=lambda row: (row[2] / row[1], -row[1]))
    most = max(rows, key=lambda row: (row[2] / row[1], row[1]))
    low, high = (percent(row[2] / row[1]) for row in (least, most))
    if low == high:
        return ""
    return (
        f"{_alone(least, ' people')} {'is' if least[2] <= 1 else 'are'} one of a kind ({low}), "
        f"but {lowered(_alone(most, ''))} {'is' if most[2] == 1 else 'are'} ({high})."
    )


def _alone(row: tuple[str, int, int], people_word: str) -> str:
    """`1 of 6,658 people with “White”`, `all 3 with “Asian”`, `nobody of 70 with “Black”`."""
    label, people, unique = row
    if people_word and people == 1:
        people_word = " person"
    if not unique:
        return f"None of {people:,}{people_word} with “{label}”"
    if unique == people:
        return f"{'The only one' if people == 1 else f'All {people:,}'} with “{label}”"
    return f"{unique:,} of {people:,}{people_word} with “{label}”"


def left_out_sentence(m: UniqueMatches, table: Histogram, axis: int) -> str:
    """Which groups the chart leaves out."""
    without = sum(not unique for _, _, unique, _ in m.by_value(table, axis))
    if not without:
        return ""
    groups = "1 group" if without == 1 else f"{without:,} groups"
    return f"{groups} with nobody who is one of a kind {'is' if without == 1 else 'are'} left out."


def empty_sentence(mechanism: Mechanism, empty: int, releases: int) -> str:
    """A release without anybody in it exposes nobody, and tells nothing."""
    if not empty:
        return ""
    full = releases - empty
    words = "have people in them" if full > 1 else "has people in it"
    number = f"{full:,}" if full else "None"
    return f"{mechanism.label()}: {number} of {releases:,} releases {words}."

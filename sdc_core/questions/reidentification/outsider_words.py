"""What an outsider learns who knows some features, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdc_core.metrics.outsider import GroupRisk, Risk
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.words.chance import STANDARD_ERRORS, at_most, differ
from sdc_core.words.numbers import counted, listed, lowered, percent, sensible
from sdc_core.words.ranking import apart, ends, unbeaten

SAME = 0.0005  # shares that differ by less are written alike, and not ranked
ALIKE = "always guessing the most common answer"
UNTOLD = "these releases cannot tell"
FEW = 5  # people: a smaller group is not called the one that is guessed best
NAMED = 3  # groups; of more that cannot be told apart the first are named


def gain_sentence(risks: Sequence[Risk]) -> str:
    """Does the release that helps guessing most help at all?"""
    common = f"{ALIKE} ({percent(risks[0].base, 1)})"
    if all(_no_help(r) for r in risks):
        return f"Guessing from a release is right no more often than {common}."
    if not any(_helps(r) for r in risks):
        return f"Whether guessing from a release is right more often than {common}, {UNTOLD}."
    most = _most(risks, lambda r: r.right, _share)
    first, *others = [f"{percent(r.right.mean, 1)} with {r.mechanism.spoken()}" for r in most]
    shares = listed([first.replace(" with ", " of people with ", 1), *others])
    if _unranked(most):
        shares += ", which these releases cannot rank"
    else:  # one number for all of them
        names = listed([r.mechanism.spoken() for r in most])
        shares = f"{percent(most[0].right.mean, 1)} of people with {names}"
    return (
        f"Guessing from the release is right for {shares}; {ALIKE} for "
        f"{percent(risks[0].base, 1)}."
    )


def _helps(group: GroupRisk) -> bool:
    """Is guessing from the release better than the most common answer, beyond chance?"""
    gain = group.gain
    return gain.mean >= SAME and differ(gain.mean, gain.error, 0.0, 0.0)


def _no_help(group: GroupRisk) -> bool:
    """Is it no better, beyond chance?"""
    return group.gain.mean + STANDARD_ERRORS * group.gain.error < SAME


def _share(number: float) -> str:
    return percent(number, 1)


def _most(
    risks: Sequence[Risk], of: Callable[[Risk], OverReleases], written: Callable[[float], str]
) -> list[Risk]:
    """All that may be the highest, beyond chance and as their numbers are written; all of them
    where nothing can be told."""
    _, most = ends(
        risks, lambda r: of(r).mean,
        lambda a, b: written(of(a).mean) != written(of(b).mean) and apart(of(a), of(b)),
    )
    return most or list(risks)


def _unranked(risks: Sequence[Risk]) -> bool:
    """Are several named whose numbers differ, though perhaps by chance?"""
    return len({percent(r.right.mean, 1) for r in risks}) > 1


def risk_sentence(risks: Sequence[Risk], known: Sequence[str], sensitive: str) -> str:
    """What somebody who knows these features learns, in numbers."""
    if not risks:
        return ""
    knows = listed([lowered(k) for k in known])
    top = _most(risks, lambda r: r.right, _share)
    best = max(top, key=lambda r: r.right.mean)
    names = listed([r.mechanism.spoken() for r in top])
    if len(risks) > 1 and len(top) == len(risks):
        which = "with every method"
        if _unranked(top):
            which = f"at most ({best.mechanism.spoken()}; these releases cannot rank the methods)"
    else:
        which = f"at most ({names}{'; not ranked' if _unranked(top) else ''})"
    return (
        f"{_hits(risks, knows)}{_certain(risks, lowered(sensitive))} Guessing "
        f"“{lowered(sensitive)}” from the release is right for "
        f"{percent(best.right.mean, 1)} of people {which}; the data itself would give "
        f"{percent(best.best, 1)}, {ALIKE} {percent(best.base, 1)}."
    )


def _hits(risks: Sequence[Risk], knows: str) -> str:
    """Who looks like a sure hit, and is one? The method with most, and those with about as many."""
    alone = risks[0].original_unique
    if not alone:
        return f"Nobody is alone with their {knows}, so there is no sure hit."
    among = f"(of {alone:,} who {'is' if alone == 1 else 'are'} alone with these values)"
    most = _most(risks, lambda r: r.correct, sensible)
    worst = max(most, key=lambda r: r.correct.mean)
    if worst.correct.mean == 0:
        return f"To somebody who knows {knows} no count points to the right person {among}" + (
            f"{_none_drawn([r for r in risks if not r.fixed])}."
        )
    others = [r.mechanism.spoken() for r in most if r is not worst]
    alike = ""
    if others:
        alike = f"; about as many, as far as these releases can tell, with {listed(others)}"
    return (
        f"Somebody who knows {knows} finds, in {worst.mechanism.spoken()}, "
        f"{_look_like_hits(worst.apparent.mean)} {among}, and is right "
        f"about {sensible(worst.correct.mean)} of them{alike}."
    )


def _look_like_hits(number: float) -> str:
    said = counted(number)
    return f"{said} who look{'s' * (said == '1 person')} like a sure hit"


def _none_drawn(drawn: Sequence[Risk]) -> str:
    """What no right hit in so many releases excludes; nothing where the release is fixed."""
    if not drawn:
        return ""
    fewest = min(r.releases for r in drawn)
    return (
        f", in {fewest:,} releases of {listed([r.mechanism.spoken() for r in drawn])} (any in at "
        f"most {percent(at_most(fewest))} of releases)"
    )


def _certain(risks: Sequence[Risk], sensitive: str) -> str:
    """Whose answer needs no guess? Methods with the same numbers share a sentence."""
    alone, no_hit = risks[0].original_unique, not any(r.correct.mean for r in risks)
    said = [(r, f"{_left(r.alone_certain.mean, r.certain.mean, alone)}{_smallest(r)}")
            for r in risks if r.certain.mean > 0]
    return "".join(
        f" {'Yet with' if alone and no_hit else 'With'} {names} only one answer is left above 0 "
        f"for {who}, and a 0 is real there: their {sensitive} is certain."
        for who, names in _alike(said).items()
    )


def certain_sentence(risks: Sequence[Risk]) -> str:
    """The same in brief, for the top of the page."""
    said = [(r, f"{counted(r.certain.mean)}{' on average' * bool(r.certain.error)}")
            for r in risks if r.certain.mean > 0]
    return " ".join(
        f"With {names} the outsider below can be certain about {who}, without a guess."
        for who, names in _alike(said).items()
    )


def _alike(said: Sequence[tuple[Risk, str]]) -> dict[str, str]:
    """Names of the methods of which the same is said."""
    alike: dict[str, list[str]] = {}
    for one, text in said:
        alike.setdefault(text, []).append(one.mechanism.spoken())
    return {text: listed(names) for text, names in alike.items()}


def _smallest(one: Risk) -> str:
    """How many of them are in the smallest groups of people with the same known values?"""
    few = one.by_size[0] if one.by_size else None
    if few is None or not 0 < few.certain.mean < one.certain.mean:
        return ""
    return f" ({sensible(few.certain.mean)} in {few.title.removeprefix('people in ')})"


def _left(one_left: float, everybody: float, alone: int) -> str:
    """`all 22 of them and 1,204 people altogether`."""
    together = counted(everybody)
    if not one_left:
        return together
    who = f"{sensible(one_left)} of them"
    if one_left == alone:
        who = "this person" if alone == 1 else f"all {alone:,} of them"
    return who if everybody == one_left else f"{who} and {together} altogether"


def releases_sentence(risks: Sequence[Risk]) -> str:
    """How many releases stand behind the numbers; of some methods there may be fewer, and of some
    one says all."""
    fixed = [r.mechanism.spoken() for r in risks if r.fixed]
    if len(fixed) == len(risks):
        return f"Nothing is drawn at random: every release of {listed(fixed)} is the same."
    few, many = (end(r.releases for r in risks) for end in (min, max))
    number = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    if many == 1:
        return "One release, so nothing is ranked."
    return f"Averages over {number} releases; a thin line is one standard error to both sides."


def group_sentence(risks: Sequence[Risk], by: str, what: str) -> str:
    """For whom does guessing from the release add most to always guessing the most common?"""
    if not risks or not getattr(risks[0], by):
        return ""
    everybody = [(r, g) for r in risks for g in getattr(r, by)]
    large = [(r, g) for r, g in everybody if g.people >= FEW] or everybody
    if len(large) < len(everybody):
        what += f", among groups of {FEW} or more people"
    helped = [(r, g) for r, g in large if _helps(g)]
    if all(_no_help(g) for _, g in large):
        return f"By {what}, no group is guessed better from the release than by {ALIKE}."
    if not helped:
        return f"By {what}, whether a group is guessed better than by {ALIKE}, {UNTOLD}."
    first = unbeaten(large, _gained, _gains_apart)
    groups = dict.fromkeys(g.title for _, g in large)
    most = [pair for pair in first if pair in helped]
    if not most or (len(first) == len(large) and len(groups) > 1):
        return f"By {what}, for whom a release adds most, {UNTOLD}."
    labels = list(dict.fromkeys(r.mechanism.spoken() for r, _ in most))
    named = listed([
        _guessed([(r, g) for r, g in most if g.title == title], alone=len(labels) == 1)
        for title in groups if any(g.title == title for _, g in most)
    ], NAMED)
    ranked = all(abs(_gained(pair) - _gained(most[0])) < SAME for pair in most)
    adds = f"the release of {labels[0]} adds" if len(labels) == 1 else "releases add"
    return f"By {what}, {adds} most for {named}{'' if ranked else ' (not ranked)'}."


Guessed = tuple[Risk, GroupRisk]  # a method's release, and a group that is guessed from it


def _gained(pair: Guessed) -> float:
    return pair[1].gain.mean


def _gains_apart(one: Guessed, other: Guessed) -> bool:
    return abs(_gained(one) - _gained(other)) >= SAME and apart(one[1].gain, other[1].gain)


def _guessed(pairs: Sequence[Guessed], alone: bool) -> str:
    """`men: 60.0% right instead of 50.0%`; with the names of methods where there are several."""
    shares: dict[str, list[str]] = {}
    for risk, group in pairs:
        shares.setdefault(percent(group.right.mean, 1), []).append(risk.mechanism.spoken())
    said = [f"{share} right" if alone else f"{share} right with {listed(names)}"
            for share, names in shares.items()]
    group = pairs[0][1]
    return f"{group.title}: {listed(said)} instead of {percent(group.base, 1)}"


def nothing_gained(risks: Sequence[Risk], by: str) -> bool:
    """Is guessing from each release as good as the most common answer in each group, no more, no
    less, so that a chart would show ties alone?"""
    return all(abs(g.gain.mean) < SAME for r in risks for g in getattr(r, by))

"""What Told apart found, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.mechanisms.base import Doing, HidesCells
from sdc_core.metrics.kmarginal import BEST, KMarginal
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.propensity import CLASSIFIERS, GIVES_AWAY, Reference
from sdc_core.metrics.sparsity import leaves_empty
from sdc_core.questions.told_apart.compute import RELEASES, CopyScores, Place, ToldApart
from sdc_core.words.chance import at_most, differ
from sdc_core.words.conventions import former_clause
from sdc_core.words.evaluations import releases_text
from sdc_core.words.numbers import (
    Sentences,
    at_the_start,
    counted,
    listed,
    lowered,
    percent,
    sensible,
)
from sdc_core.words.ranking import apart, ends

SURE = f"at least {100 * GIVES_AWAY:.0f}% sure"
NOT_FOUND = "nobody real is found by this: it tells where a record comes from, not whose it is"
NOBODY_HAS = "a combination of values that nobody has"
MODELS = (Doing.FITTING, Doing.REPAIRING)  # records follow from many measurements together
OTHER_SIZE = 2.0  # times as many or as few people: the yardstick, scaled for size, is rough by then
NAMED = 3  # places; of more that cannot be told apart the first are named


def told_apart_sentences(found: Sequence[ToldApart], classifier: str) -> tuple[str, str]:
    """Whose released records can be told from original ones, and whose cannot? One method at
    either end is named first, the others after it."""
    scored = [one for one in dict.fromkeys(found) if one.scores]  # one chosen twice is one
    if not scored:
        problem = next((f"{one.mechanism.label()}: {one.problem}" for one in found), "")
        return "There is no release to tell apart from the original.", problem
    means = (
        f"Recognised means that it is {SURE} ({lowered(CLASSIFIERS[classifier].title)}) that the "
        f"record is not original; {NOT_FOUND}."
    )
    rest = [none_sentence(scored, classifier), mistaken_sentence(scored, classifier),
            chance_sentence(scored)]
    told = [one for one in scored if is_told(one, classifier)]
    if not told:
        either = _after(scored[0]) if len(scored) == 1 else "after any of these methods"
        headline = f"A computer recognises no released record {either}."
        return headline, Sentences(means, _named_all(scored), *rest)
    headline, named = _ends(scored, told, classifier)
    others = listed([
        f"{_recognised(one, classifier)} {_after(one)}" for one in scored if one not in named
    ]) if len(named) < len(scored) else ""
    most = max(told, key=lambda one: _away(one, classifier))
    return headline, Sentences(
        means, f"Of the other methods: {others}." if others else "",
        who_sentence(most, classifier), *rest)


def _ends(
    scored: Sequence[ToldApart], told: Sequence[ToldApart], classifier: str
) -> tuple[str, list[ToldApart]]:
    """The sentence on the method whose records are recognised most and on the one whose are least,
    and which these are."""
    least, most = ends(
        scored, lambda one: _share(one, classifier).mean,
        lambda a, b: _told(_share(a, classifier), _share(b, classifier)),
    )
    sure = [one for one in most if is_told(one, classifier)]  # others are sure by mistake only
    first = max(sure or told, key=lambda one: _share(one, classifier).mean)
    share = _recognised(first, classifier)
    said = f"A computer recognises {share}{' of' * share.endswith('%')} records"
    if len(scored) == 1:
        return f"{said} {_after(first)}.", [first]
    rest = [one for one in scored if one is not first]
    second = min([one for one in least if one is not first] or rest,
                 key=lambda one: _share(one, classifier).mean)
    shares = [_recognised(one, classifier) for one in (first, second)]
    if shares[0] == shares[1]:
        said += f" {_after(first)} and about as many {_after(second)}"
    else:
        ranked = _told(_share(first, classifier), _share(second, classifier))
        chance = "" if ranked else ", a difference that may be chance"
        said += f" {_after(first)}, {shares[1]} {_after(second)}{chance}"
    return f"{said}{_empty_groups(first, second)}.", [first, second]


def _told(one: OverReleases, other: OverReleases) -> bool:
    """Do two shares differ, beyond chance and as they are written?"""
    return _rounded(one) != _rounded(other) and apart(one, other)


def _rounded(share: OverReleases) -> str:
    """Two digits: releases agree on no more, and a headline needs no more."""
    return percent(float(f"{share.mean:.2g}"))


def is_told(one: ToldApart, classifier: str) -> bool:
    """Are released records recognised more often than original ones are taken for them, beyond
    chance? Else whoever is that sure is wrong as often."""
    scores = one.scores[classifier]
    more = scores.beyond_mistakes
    return scores.away.mean > 0 and more.mean > 0 and (
        one.releases == 1 or differ(more.mean, more.error, 0.0, 0.0))


def _after(one: ToldApart) -> str:
    return f"after {one.mechanism.spoken()}"


def _named_all(found: Sequence[ToldApart]) -> str:
    """All methods and their settings, where the headline only counts them."""
    names = listed(list(dict.fromkeys(one.mechanism.spoken() for one in found)))
    return f"The methods: {names}." if len(found) > 1 else ""


def _names(found: Sequence[ToldApart]) -> str:
    return listed(list(dict.fromkeys(one.mechanism.spoken() for one in found)))


def _away(one: ToldApart, classifier: str) -> float:
    """Records that give themselves away, in the average release."""
    return one.scores[classifier].away.mean


def _share(one: ToldApart, classifier: str) -> OverReleases:
    return one.scores[classifier].share


def _recognised(one: ToldApart, classifier: str) -> str:
    """`5.3%`, `hardly any` (less than one record a release), `none`; or no more than the original
    records that are taken for released ones."""
    if not is_told(one, classifier):
        return "no more than by mistake" if _away(one, classifier) else "none"
    return "hardly any" if _away(one, classifier) < 1 else _rounded(_share(one, classifier))


def _empty_groups(first: ToldApart, second: ToldApart) -> str:
    """Releases with combinations that nobody has, invented or moved there, are not like those
    without: the same sentence says so."""
    fills = [one.invented.mean > 0 for one in (first, second)]
    clause = former_clause(fills[:1], fills[1:], ("fills empty groups", "fill empty groups")) or ""
    leaves = first if fills[1] else second
    if not clause or leaves_empty(leaves.mechanism):
        return clause
    # Of others than these the releases tell only what they did, not what they do.
    return clause.replace("only", "so far only")


def who_sentence(one: ToldApart, classifier: str) -> str:
    """Records of groups that have nobody are recognised first."""
    scores = one.scores[classifier]
    number, whole = sensible(scores.away.mean), scores.invented_share
    whose = "None of them has" if not whole else "All of them have" if whole == 1 else (
        f"{percent(whole, 0)} of them have")
    accused = sensible(scores.accused.mean)
    wrong = f"{counted(accused, 'original record', 'original records')} in each release"
    if not scores.accused.mean:
        wrong = f"no original record in {releases_text(one.releases)}"
    return (
        f"{at_the_start(_after(one))}, {number} record{' is' if number == '1' else 's are'} "
        f"recognised in each release on average. {whose} {NOBODY_HAS}; just as sure, the "
        f"computer takes {wrong} for {'a released one' if accused == '1' else 'released ones'}."
    )


def mistaken_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """Where the computer is sure of some records, and of as many original ones."""
    parts = [
        f"{sensible(_away(one, classifier))} in each release {_after(one)}, and of "
        f"{counted(one.scores[classifier].accused.mean, 'original one', 'original ones')} by "
        "mistake" for one in found if _away(one, classifier) and not is_told(one, classifier)
    ]
    return f"It is as sure of {'; of '.join(parts)}: that recognises nothing." if parts else ""


def none_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """What it excludes that so many releases have no such record."""
    none = [one for one in found if not _away(one, classifier)]
    if not none:
        return ""
    fewest = min(one.releases for one in none)
    if fewest == 1:
        return f"None after {_names(none)} in one release, which says little about others."
    return (
        f"None after {_names(none)} in {releases_text(fewest)}, so any at all in at most "
        f"{percent(at_most(fewest))} of releases."
    )


def chance_sentence(found: Sequence[ToldApart]) -> str:
    """Where the numbers come from, and which differences are said."""
    few, many = (end(one.releases for one in found) for end in (min, max))
    if many == 1:
        return "One release of each, so nothing is ranked."
    number = f"{many:,}" if few == many else f"{few:,} to {many:,}"
    ranked = "; methods are ranked only where they differ by more than chance"
    return f"Means over {number} releases{ranked if len(found) > 1 else ''}."


def ratio_sentence(found: Sequence[ToldApart], against: CopyScores) -> str:
    """What is pMSE measured by: where would an exact copy and a fresh sample lie?"""
    fresh = [
        f"{sensible(reference.fresh / reference.copy)} ({lowered(CLASSIFIERS[name].title)})"
        for name, reference in against.references.items() if reference.copy > 0
    ]
    sample = f"; a fresh sample of the same people would be at about {listed(fresh)}"
    return (
        "pMSE: how far scores stray, in multiples of an exact copy's, which by chance alone would "
        f"be {copies_sentence(against)}{sample if fresh else ''}.{_size_sentence(found)}"
    )


def copies_sentence(against: CopyScores) -> str:
    """Where the pMSE ratio of an exact copy lies, by classifier."""
    return listed([
        f"{_copy_range(reference)} ({lowered(CLASSIFIERS[name].title)})"
        for name, reference in against.references.items()
    ])


def _copy_range(reference: Reference) -> str:
    low, high = reference.copy_range(RELEASES)
    if not np.isfinite(high):
        return "not defined"
    return f"between {sensible(round(low, 2))} and {sensible(round(high, 2))}"


def _size_sentence(found: Sequence[ToldApart]) -> str:
    """The ratio is scaled for the size of a release, but only roughly."""
    times = [
        (one.mechanism.spoken(), one.released.mean / _people(one)) for one in found if one.scores
    ]
    far = [
        f"{label} releases {sensible(size)} times as many people as there are"
        for label, size in times if not 1 / OTHER_SIZE <= size <= OTHER_SIZE
    ]
    return f" {_capital(listed(far))}: there the ratio is rough." if far else ""


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _people(one: ToldApart) -> int:
    return next(iter(one.scores.values())).first.pair.people


def like_a_copy_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """Why do the two outlines differ even where the release is as good as the data itself?

    A score is learned from the other folds: where a group has by chance more original records in
    this fold, it has fewer in the others, so the two sides stray from 50 in opposite directions.
    """
    alike = [
        one.mechanism.spoken() for one in found
        if one.scores and _no_farther_than_a_copy(one, classifier)
    ]
    if not alike:
        return ""
    verb = "strays" if len(alike) == 1 else "stray"
    return (
        "Even an exact copy strays a little from 50, because a record is scored by what was "
        f"learned from the others, never from itself: {listed(alike)} {verb} no more than a copy "
        "may by chance."
    )


def _no_farther_than_a_copy(one: ToldApart, classifier: str) -> bool:
    """By its ratio, with what the folds' chance allows a copy over as many deals."""
    reference = one.scores[classifier].first.reference
    if reference is None:
        return False
    return one.scores[classifier].ratio.mean <= reference.copy_range(one.releases)[1]


PAPER = (
    "Das, Tajeddine and Fioretto (Figure 2) find the records of DP suppression clearly fake, a few "
    "of Laplace noise, and those of AIM closest to the original."
)


def finding_sentence(found: Sequence[ToldApart], classifier: str, paper: str = "") -> str:
    """Is hiding small counts easier to recognise than noise, and is a fitted model closer to the
    original? `paper` is what a paper says of just the methods on screen.

    P2 (§3.2, Fig 2) finds DP suppression's records clearly fake, Laplace's a few, and those of a
    fitted model (AIM) none. It is not clear whether its suppression fills empty groups: eq 1 does,
    Def 2 and §3.4 do not. It matters most, so methods that do and that do not are told apart.
    """
    scored = [one for one in found if one.scores]
    hiding = [(one, one.mechanism) for one in scored if isinstance(one.mechanism, HidesCells)]
    noise = [one for one in scored if one.mechanism.does is Doing.NOISE]
    parts = [paper]
    for fills, name in (
        (True, "Hiding small counts and filling empty groups"),
        (False, "Hiding small counts and leaving empty groups at 0"),
    ):
        group = [one for one, m in hiding if (m.hidden([0])[0] > 0) == fills]
        verdict = _verdict(group, noise, classifier)
        also = "" if fills else ", which is added to empty groups as well"
        if verdict:
            parts.append(f"{name} is {verdict} to recognise here than noise{also}.")
    return " ".join(filter(None, [*parts, _fitted_sentence(scored, classifier)]))


def _verdict(
    hiding: Sequence[ToldApart], noise: Sequence[ToldApart], classifier: str
) -> str:
    """Easier or harder? Only where all methods on screen agree, each pair beyond chance."""
    pairs = [
        sorted((one, n), key=lambda each: _share(each, classifier).mean)
        for one in hiding for n in noise
    ]
    if not pairs or not all(
        is_told(high, classifier) and _told(_share(low, classifier), _share(high, classifier))
        for low, high in pairs
    ):
        return ""
    easier = {high in hiding for _, high in pairs}
    return "" if len(easier) > 1 else "easier" if easier == {True} else "harder"


def _fitted_sentence(scored: Sequence[ToldApart], classifier: str) -> str:
    """Is a fitted model closer to the original than noise on every count? One of each, that with
    the smaller ratio."""
    known = [o for o in scored if np.isfinite(o.scores[classifier].ratio.mean)]
    ranked = sorted(known, key=lambda o: o.scores[classifier].ratio.mean)
    fitted = next((o for o in ranked if o.mechanism.does in MODELS), None)
    noise = next((o for o in ranked if o.mechanism.does is Doing.NOISE), None)
    if fitted is None or noise is None:
        return ""
    ours, theirs = (o.scores[classifier].ratio for o in (fitted, noise))
    verb, link = ("is closer to" if ours.mean < theirs.mean else "strays farther from"), "than"
    if sensible(ours.mean) == sensible(theirs.mean) or not apart(ours, theirs):
        verb, link = "is about as far from", "as"
    return (
        f"{_capital(fitted.mechanism.spoken())} {verb} the original {link} "
        f"{noise.mechanism.spoken()} "
        f"({sensible(ours.mean)} against {sensible(theirs.mean)} times a copy)."
    )


def marginal_sentence(found: Sequence[ToldApart], k: int, against: CopyScores, place: str) -> str:
    """What the k-marginal score says, in people, and where it is worst."""
    scored = [one for one in found if one.tables]
    if not scored:
        return ""
    worst, best = ends(
        scored, lambda one: one.tables[k].score.mean,
        lambda a, b: _misplaced(a, k) != _misplaced(b, k)
        and apart(a.tables[k].score, b.tables[k].score),
    )
    first, *others = [*best, *worst] or scored
    text = f"In {_tables(first.tables[k].first, place)}, {_puts(first, k, True)}"
    text += "".join(f", {_puts(one, k)}" for one in others)
    if not best and len(scored) > 1:
        same = len({_puts(one, k).removeprefix(one.mechanism.spoken()) for one in scored}) == 1
        text += ", the same" if same else ", differences that may be chance"
    text += (
        f"; a fresh sample of the same people would score about {int(against.fresh_scores[k])}. "
        f"{BEST:.0f} would mean that every table has the same shares."
    )
    last = min(worst or scored, key=lambda one: one.tables[k].score.mean)
    return text + _invented_sentence(scored, k) + _places_sentence(last, k, place)


def _misplaced(one: ToldApart, k: int) -> str:
    return percent(one.tables[k].misplaced)


def _puts(one: ToldApart, k: int, first: bool = False) -> str:
    score = int(one.tables[k].score.mean)
    if first:
        return (
            f"{one.mechanism.spoken()} puts {_misplaced(one, k)} of people in the wrong group "
            f"(score {score})"
        )
    return f"{one.mechanism.spoken()} {_misplaced(one, k)} ({score})"


def _invented_sentence(scored: Sequence[ToldApart], k: int) -> str:
    """How many of them are in groups that have nobody?"""
    some = [one for one in scored if one.tables[k].invented.mean > 0]
    if not some:
        return ""
    numbers = listed([
        f"{percent(one.tables[k].invented.mean)} after {one.mechanism.spoken()}" for one in some
    ])
    return f" Of all released people, these tables have {numbers} in groups that have nobody."


def _tables(score: KMarginal, place: str) -> str:
    """Which tables were compared: how many features they really have, and which if it is one."""
    by = f" by {lowered(place)}" if score.places else ""
    sets = [titles for titles, _ in score.by_set]
    if len(sets) == 1:
        return f"the table of {listed([lowered(title) for title in sets[0]])}{by}"
    features = "feature" if len(sets[0]) == 1 else "features"
    return f"the average table of {len(sets[0])} {features}{by}"


def no_places_sentence(place: str) -> str:
    """Why there is no score by place, and what would bring it; `place` is a feature or nothing."""
    if not place:
        return "No column of this data reads like a place, so there is no score by place."
    return (
        "People are not counted by place here, so there is no score by place: add "
        f"“{place}” in the sidebar to see it."
    )


def _places_sentence(one: ToldApart, k: int, place: str) -> str:
    """Where is it worst? SDNist's scores of places are on a scale of their own, which is said."""
    places = one.tables[k].places
    if len(places) < 2:
        return ""
    lowest, highest = ends(
        places, lambda p: p.score.mean,
        lambda a, b: int(a.score.mean) != int(b.score.mean) and apart(a.score, b.score),
    )
    if lowest:
        where = f"is lowest in {_scores(lowest)} and highest in {_scores(highest)}"
    elif len({int(p.score.mean) for p in places}) == 1:
        where = f"is {int(places[0].score.mean)} everywhere"
    else:
        where = "differs from place to place by no more than chance"
    return (
        f" By {lowered(place)}, the score after {one.mechanism.spoken()} {where}. A place's score "
        "counts both the people who are missing and those who are too many, the score for all only "
        "one of the two, so they are not on one scale."
    )


def _scores(places: Sequence[Place]) -> str:
    """`Salem (950)`; several that cannot be told apart are all named, the first few of many."""
    return listed([f"{p.name} ({int(p.score.mean)})" for p in places], NAMED)

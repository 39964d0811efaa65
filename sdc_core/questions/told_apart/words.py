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
from sdc_core.words.chance import at_most, none_in
from sdc_core.words.conventions import empty_groups_clause
from sdc_core.words.evaluations import releases_text
from sdc_core.words.numbers import Sentences, listed, lowered, percent, sensible
from sdc_core.words.ranking import apart, ends

SURE = f"at least {100 * GIVES_AWAY:.0f}% sure"
COMPUTER = "A computer that compares the original with the release"
NOT_FOUND = "Nobody real is found by this: it tells where a record comes from, not whose it is."
NOBODY_HAS = "a combination of values that nobody has"
MODELS = (Doing.FITTING, Doing.REPAIRING)  # records follow from many measurements together
OTHER_SIZE = 2.0  # times as many or as few people: the yardstick, scaled for size, is rough by then
NAMED = 3  # places; of more that cannot be told apart the first are named


def told_apart_sentences(found: Sequence[ToldApart], classifier: str) -> tuple[str, str]:
    """Whose released records can be told from original ones, and whose cannot?"""
    scored = [one for one in found if one.scores]
    if not scored:
        problem = next((f"{one.mechanism.label()}: {one.problem}" for one in found), "")
        return "There is no release to tell apart from the original.", problem
    sure = f"{lowered(CLASSIFIERS[classifier].title)}, {SURE}"
    if not any(_away(one, classifier) for one in scored):
        headline = (
            f"{COMPUTER} can tell of none of the records released by {_names(scored)} that it is "
            f"not original ({sure})."
        )
        return headline, none_sentence(scored, classifier)
    least, most = ends(
        scored, lambda one: _share(one, classifier).mean,
        lambda a, b: _told(_share(a, classifier), _share(b, classifier)),
    )
    named = [*most, *least] or scored
    told = _spotted(most or scored, classifier)
    headline = f"{COMPUTER} can tell that {told} are not original ({sure})"
    if not most and len(scored) > 1:
        same = len({percent(_share(one, classifier).mean) for one in scored}) == 1
        headline += ", the same share" if same else ", a difference that may be chance"
    if least:
        headline += f"; it can tell so of {_spotted(least, classifier, first=False)}"
    more = [
        NOT_FOUND,
        who_sentence(max(most or scored, key=lambda one: _away(one, classifier)), classifier),
        none_sentence(scored, classifier),
        chance_sentence(scored),
    ]
    return f"{headline}{_empty_groups(named)}.", Sentences(*more)


def _told(one: OverReleases, other: OverReleases) -> bool:
    """Do two shares differ, beyond chance and as they are written?"""
    return percent(one.mean) != percent(other.mean) and apart(one, other)


def _names(found: Sequence[ToldApart]) -> str:
    return listed([one.mechanism.label() for one in found])


def _away(one: ToldApart, classifier: str) -> float:
    """Records that give themselves away, in the average release."""
    return one.scores[classifier].away.mean


def _share(one: ToldApart, classifier: str) -> OverReleases:
    return one.scores[classifier].share


def _spotted(found: Sequence[ToldApart], classifier: str, first: bool = True) -> str:
    """`3.1% of the records released by A and 2.9% of those by B`; none of those by the last."""
    parts = [
        f"{percent(_share(one, classifier).mean)} of those by {one.mechanism.label()}"
        for one in found if _away(one, classifier) >= 1
    ]
    few = [one for one in found if 0 < _away(one, classifier) < 1]
    if few:
        of = " of those" if parts or not first else ""
        parts.append(f"less than one record a release{of} by {_names(few)}")
    none = [one for one in found if not _away(one, classifier)]
    if none:
        parts.append(f"none of those by {_names(none)}")
    if first:
        parts[0] = parts[0].replace("of those by", "of the records released by", 1)
    return listed(parts)


def _empty_groups(named: Sequence[ToldApart]) -> str:
    """Releases with combinations that nobody has, invented or moved there, are not like those
    without: the same sentence says so."""
    fill = [one for one in named if one.invented.mean > 0]
    leave = [one for one in named if one not in fill]
    # Of others than these the releases tell only what they did, not what they do.
    drawn = [one.releases for one in leave if not leaves_empty(one.mechanism)]
    return empty_groups_clause(
        [one.mechanism.label() for one in fill], [one.mechanism.label() for one in leave],
        (f"releases records with {NOBODY_HAS}", f"release records with {NOBODY_HAS}"),
        ("does not", "do not"), so_far=f" {none_in(min(drawn))}" if drawn else "",
    )


def who_sentence(one: ToldApart, classifier: str) -> str:
    """Records of groups that have nobody are recognised first."""
    scores = one.scores[classifier]
    number, whole = sensible(scores.away.mean), scores.invented_share
    whose = "None of them has" if not whole else "All of them have" if whole == 1 else (
        f"{percent(whole, 0)} of them have")
    accused = scores.accused.mean
    wrong = f"{sensible(accused)} original record{'' if accused == 1 else 's'} a release"
    if not accused:
        wrong = f"no original record in {releases_text(one.releases)}"
    return (
        f"{one.mechanism.label()}: {number} record{' is' if number == '1' else 's are'} recognised "
        f"a release. {whose} {NOBODY_HAS}; just as sure, the computer takes {wrong} for "
        f"{'a released one' if accused == 1 else 'released ones'}."
    )


def none_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """What it excludes that so many releases have no such record."""
    none = [one for one in found if not _away(one, classifier)]
    if not none:
        return ""
    fewest = min(one.releases for one in none)
    if fewest == 1:
        return f"{_names(none)}: one release says little about others."
    return (
        f"{_names(none)}: none in {releases_text(fewest)}, so any at all in at most "
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
        (one.mechanism.label(), one.released.mean / _people(one)) for one in found if one.scores
    ]
    far = [
        f"{label} releases {sensible(size)} times as many people as there are"
        for label, size in times if not 1 / OTHER_SIZE <= size <= OTHER_SIZE
    ]
    return f" {listed(far)}: there the ratio is rough." if far else ""


def _people(one: ToldApart) -> int:
    return next(iter(one.scores.values())).first.pair.people


def like_a_copy_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """Why do the two outlines differ even where the release is as good as the data itself?

    A score is learned from the other folds: where a group has by chance more original records in
    this fold, it has fewer in the others, so the two sides stray from 50 in opposite directions.
    """
    alike = [
        one.mechanism.label() for one in found
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
    pairs = [(_share(one, classifier), _share(n, classifier)) for one in hiding for n in noise]
    if not pairs or not all(_told(one, other) for one, other in pairs):
        return ""
    easier = {one.mean > other.mean for one, other in pairs}
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
    if not apart(ours, theirs):
        verb, link = "is about as far from", "as"
    return (
        f"{fitted.mechanism.label()} {verb} the original {link} {noise.mechanism.label()} "
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
        same = len({_puts(one, k).removeprefix(one.mechanism.label()) for one in scored}) == 1
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
            f"{one.mechanism.label()} puts {_misplaced(one, k)} of people in the wrong group "
            f"(score {score})"
        )
    return f"{one.mechanism.label()} {_misplaced(one, k)} ({score})"


def _invented_sentence(scored: Sequence[ToldApart], k: int) -> str:
    """How many of them are in groups that have nobody?"""
    some = [one for one in scored if one.tables[k].invented.mean > 0]
    if not some:
        return ""
    numbers = listed([
        f"{percent(one.tables[k].invented.mean)} with {one.mechanism.label()}" for one in some
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
        f" By {lowered(place)}, the score of {one.mechanism.label()} {where}. A place's score "
        "counts both the people who are missing and those who are too many, the score for all only "
        "one of the two, so they are not on one scale."
    )


def _scores(places: Sequence[Place]) -> str:
    """`Salem (950)`; several that cannot be told apart are all named, the first few of many."""
    return listed([f"{p.name} ({int(p.score.mean)})" for p in places], NAMED)

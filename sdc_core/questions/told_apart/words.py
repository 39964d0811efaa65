"""What Told apart found, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.mechanisms.base import Doing, HidesCells
from sdc_core.metrics.kmarginal import BEST, KMarginal
from sdc_core.metrics.propensity import CLASSIFIERS, GIVES_AWAY, Propensity, Reference
from sdc_core.questions.told_apart.compute import CopyScores, ToldApart
from sdc_core.words.numbers import listed, lowered, percent, sensible

SURE = f"at least {100 * GIVES_AWAY:.0f}% sure"
COMPUTER = "A computer that compares the two files"
MODELS = (Doing.FITTING, Doing.REPAIRING)  # records follow from many measurements together
OTHER_SIZE = 2.0  # times as many or as few people: the yardstick, scaled for size, is rough by then


def told_apart_sentences(found: Sequence[ToldApart], classifier: str) -> tuple[str, str]:
    """Whose released records can be told from original ones, and whose cannot?"""
    scored = [one for one in found if one.propensities]
    if not scored:
        problem = next((f"{one.mechanism.label()}: {one.problem}" for one in found), "")
        return "There is no release to tell apart from the original.", problem
    ranked = sorted(scored, key=lambda one: (_away(one, classifier),
                                             one.propensities[classifier].ratio))
    best, worst = ranked[0], ranked[-1]
    sure = f"{lowered(CLASSIFIERS[classifier].title)}, {SURE}"
    most, least = _away(worst, classifier), _away(best, classifier)
    if not most:
        names = listed([one.mechanism.label() for one in scored])
        return f"{COMPUTER} spots none of the records released by {names} ({sure}).", ""
    headline = (
        f"{COMPUTER} spots {most:,} of the {worst.released:,} records released by "
        f"{worst.mechanism.label()} ({sure})"
    )
    if worst is not best:
        number = f"{least:,} of the {best.released:,}" if least else "none of those"
        headline += f"; it spots {number} by {best.mechanism.label()}"
    return f"{headline}.", _why(worst, classifier)


def _away(one: ToldApart, classifier: str) -> int:
    return int(one.propensities[classifier].given_away().sum())


def _why(worst: ToldApart, classifier: str) -> str:
    """Records of people who are not there give themselves away first."""
    scores = worst.propensities[classifier]
    away = scores.given_away()
    total = int(away.sum())
    if not total:
        return ""
    nobody = _in_empty_groups(scores)
    accused = scores.accused()
    wrong = "nobody real" if not accused else (
        "one real person" if accused == 1 else f"{accused:,} real people")
    return f"{_whose(nobody, total)}; just as sure, it wrongly accuses {wrong}."


def _in_empty_groups(scores: Propensity) -> int:
    """How many records that give themselves away are of people who are not in the data?"""
    return int(scores.given_away()[scores.pair.original == 0].sum())


def _whose(nobody: int, total: int) -> str:
    """Are the records that give themselves away those of people who exist?"""
    if not nobody:
        return f"The data has people like {'it' if total == 1 else 'all of them'}"
    of_them = f"{nobody:,} of them" if nobody < total else "It" if total == 1 else "All of them"
    if nobody == 1:
        return f"{of_them} is an invented person, like nobody in the data"
    return f"{of_them} are invented people, like nobody in the data"


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
    low, high = reference.copy_range()
    if not np.isfinite(high):
        return "not defined"
    return f"between {sensible(round(low, 2))} and {sensible(round(high, 2))}"


def _size_sentence(found: Sequence[ToldApart]) -> str:
    """The ratio is scaled for the size of a release, but only roughly."""
    times = [
        (one.mechanism.label(), one.released / next(iter(one.propensities.values())).pair.people)
        for one in found if one.propensities
    ]
    far = [
        f"{label} releases {sensible(size)} times as many people as there are"
        for label, size in times if not 1 / OTHER_SIZE <= size <= OTHER_SIZE
    ]
    return f" {listed(far)}: there the ratio is rough." if far else ""


def like_a_copy_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """Why do the two outlines differ even where the release is as good as the data itself?

    A score is learned from the other folds: where a group has by chance more original records in
    this fold, it has fewer in the others, so the two sides stray from 50 in opposite directions.
    """
    alike = [
        one.mechanism.label() for one in found
        if one.propensities and _no_farther_than_a_copy(one.propensities[classifier])
    ]
    if not alike:
        return ""
    verb = "strays" if len(alike) == 1 else "stray"
    return (
        "Even an exact copy strays a little from 50, because a record is scored by what was "
        f"learned from the others, never from itself: {listed(alike)} {verb} no more than that."
    )


def _no_farther_than_a_copy(scores: Propensity) -> bool:
    """By its ratio, with what the folds' chance allows a copy."""
    if scores.reference is None:
        return False
    return scores.ratio <= scores.reference.copy_range(scores.deals)[1]


def finding_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """What P2 (§3.2, Fig 2) says of its three methods, and what the methods on screen do.

    P2 finds DP suppression's records clearly fake, Laplace's a few, and those of a fitted model
    (AIM) none. It is not clear whether its suppression fills empty groups: eq 1 does, Def 2 and
    §3.4 do not. It matters most, so methods that do and that do not are told apart.
    """
    scored = [one for one in found if one.propensities]
    hiding = [(one, one.mechanism) for one in scored if isinstance(one.mechanism, HidesCells)]
    filling = [one for one, m in hiding if m.hidden([0])[0] > 0]
    leaving = [one for one, m in hiding if m.hidden([0])[0] == 0]
    noise = [one for one in scored if one.mechanism.does is Doing.NOISE]
    fitted = _fitted_sentence(scored, classifier)
    if not hiding or not noise:
        return fitted
    parts = [
        *(f"{_percent(one, classifier)}{_where(one, classifier)}" for one in filling),
        *(f"{_percent(one, classifier)} (empty groups left alone)" for one in leaving),
        *(_percent(one, classifier) for one in noise),
    ]
    paper = (
        "Das, Tajeddine and Fioretto (Figure 2) find the records of DP suppression easier to "
        "recognise than those of Laplace noise."
    )
    if not any(_away(one, classifier) for one in (*filling, *leaving, *noise)):
        return " ".join(filter(None, (paper, "Here no record gives itself away.", fitted)))
    text = f"{paper} Records that give themselves away here: {', '.join(parts)}."
    verdict = _verdict(*(
        [_share(one, classifier) for one in group] for group in (filling, leaving, noise)
    ))
    return " ".join(part for part in (text, verdict, fitted) if part)


def _share(one: ToldApart, classifier: str) -> float:
    return _away(one, classifier) / max(one.released, 1)


def _percent(one: ToldApart, classifier: str) -> str:
    return f"{percent(_share(one, classifier))} with {one.mechanism.label()}"


def _where(one: ToldApart, classifier: str) -> str:
    """How many of them are in empty groups that the method filled?"""
    away = _away(one, classifier)
    if not away:
        return ""
    inside = percent(_in_empty_groups(one.propensities[classifier]) / away, 0)
    return f" ({inside} of them in empty groups, which it fills)"


def _verdict(
    filling: Sequence[float], leaving: Sequence[float], noise: Sequence[float]
) -> str:
    """Is hiding easier to recognise than noise? Only where all methods on screen agree."""
    more = [all(share > max(noise) for share in group) for group in (filling, leaving)]
    none = [all(share <= min(noise) for share in group) for group in (filling, leaving)]
    if all(more):
        return "So hiding is easier to recognise than noise here."
    if all(none):
        return "So hiding is not easier to recognise than noise here."
    if filling and leaving and more[0] and none[1]:
        return "So hiding is easier to recognise than noise only where it fills empty groups."
    return ""


def _fitted_sentence(scored: Sequence[ToldApart], classifier: str) -> str:
    """P2 finds a fitted model (AIM) closer to the original than noise on every count."""
    known = [o for o in scored if np.isfinite(o.propensities[classifier].ratio)]
    ranked = sorted(known, key=lambda o: o.propensities[classifier].ratio)
    fitted = next((o for o in ranked if o.mechanism.does in MODELS), None)
    noise = next((o for o in ranked if o.mechanism.does is Doing.NOISE), None)
    if fitted is None or noise is None:
        return ""
    ours, theirs = (o.propensities[classifier].ratio for o in (fitted, noise))
    verb = "is closer to" if ours < theirs else "strays farther from"
    if _alike(fitted.propensities[classifier], noise.propensities[classifier]):
        verb = "is about as far from"
    link = "as" if verb.startswith("is about") else "than"
    return (
        "Das, Tajeddine and Fioretto find AIM closer to the original than Laplace noise. Here "
        f"{fitted.mechanism.label()} {verb} the original {link} {noise.mechanism.label()} "
        f"({sensible(ours)} against {sensible(theirs)} times a copy)."
    )


def _alike(one: Propensity, other: Propensity) -> bool:
    """Do two ratios differ by no more than the folds' chance, which is known for a copy?"""
    if one.reference is None:
        return False
    reach = 2 * one.reference.ratio_spread(one.deals)
    return abs(one.ratio - other.ratio) <= reach * float(np.hypot(one.ratio, other.ratio))


def marginal_sentence(found: Sequence[ToldApart], k: int, against: CopyScores, place: str) -> str:
    """What the k-marginal score says, in people, and where it is worst."""
    scored = [one for one in found if one.marginals]
    if not scored:
        return ""
    ranked = sorted(scored, key=lambda one: -one.marginals[k].score)
    best, worst = ranked[0], ranked[-1]
    text = (
        f"In {_tables(best.marginals[k], place)}, {best.mechanism.label()} puts "
        f"{percent(best.marginals[k].misplaced)} of people in the wrong group (score "
        f"{int(best.marginals[k].score)})"
    )
    if worst is not best:
        text += (
            f", {worst.mechanism.label()} {percent(worst.marginals[k].misplaced)} "
            f"({int(worst.marginals[k].score)})"
        )
    text += (
        f"; a fresh sample of the same people would score {int(against.fresh_scores[k])}. "
        f"{BEST:.0f} would mean that every table agrees."
    )
    return text + _places_sentence(worst, k, place)


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


def _places_sentence(worst: ToldApart, k: int, place: str) -> str:
    """Where is it worst? SDNist's scores of places are on a scale of their own, which is said."""
    places = worst.marginals[k].places
    if len(places) < 2:
        return ""
    low, high = (pick(places, key=lambda p: p.score) for pick in (min, max))
    ends = (
        f"scores {int(low.score)} everywhere" if int(low.score) == int(high.score)
        else f"does worst in {low.name} ({int(low.score)}) and best in {high.name} "
        f"({int(high.score)})"
    )
    return (
        f" By {lowered(place)}, {worst.mechanism.label()} {ends}. A place's score counts both the "
        "people who are missing and those who are too many, the score for all only one of the two, "
        "so they are not on one scale."
    )

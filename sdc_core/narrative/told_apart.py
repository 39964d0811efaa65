"""The answer of the page "Told apart" in words: computed sentences, plain text without markup."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.mechanisms.base import HidesCells
from sdc_core.metrics.kmarginal import BEST
from sdc_core.metrics.propensity import CLASSIFIERS, GIVES_AWAY
from sdc_core.metrics.told_apart import ToldApart, Yardsticks
from sdc_core.narrative.words import listed, sensible

SURE = f"at least {100 * GIVES_AWAY:.0f}% sure"


def told_apart_sentences(
    found: Sequence[ToldApart], classifier: str, against: Yardsticks
) -> tuple[str, str]:
    """Whose released records can be told from original ones, and whose cannot?"""
    scored = [one for one in found if one.propensities]
    if not scored:
        problem = next((f"{one.mechanism.label()}: {one.problem}" for one in found), "")
        return "There is no release to tell apart from the original.", problem
    ranked = sorted(scored, key=lambda one: (_away(one, classifier),
                                             one.propensities[classifier].ratio))
    best, worst = ranked[0], ranked[-1]
    who = CLASSIFIERS[classifier].title.lower()
    most, least = _away(worst, classifier), _away(best, classifier)
    if not most:
        headline = (
            f"A {who} told to find the released records is never {SURE}: with "
            f"{listed([one.mechanism.label() for one in scored])} nobody gives themselves away."
        )
    else:
        headline = (
            f"A {who} told to find the released records of {worst.mechanism.label()} is {SURE} of "
            f"{most:,} of {worst.released:,}"
        )
        if worst is best:
            headline += "."
        elif least:
            headline += f"; in {best.mechanism.label()} {least:,} give themselves away."
        else:
            headline += f"; in {best.mechanism.label()} nobody gives themselves away."
    return headline, f"{_why(worst, classifier)}{ratio_sentence(scored, classifier, against)}"


def _away(one: ToldApart, classifier: str) -> int:
    return int(one.propensities[classifier].given_away().sum())


def _why(worst: ToldApart, classifier: str) -> str:
    """Records of people who are not there give themselves away first."""
    scores = worst.propensities[classifier]
    away = scores.given_away()
    total = int(away.sum())
    if not total:
        return ""
    nobody = int(away[scores.pair.original == 0].sum())
    whose = (
        f"{nobody:,} of them are people who do not exist, in groups that are empty in the data"
        if nobody else "All of them are in groups that exist in the data"
    )
    accused = scores.accused()
    wrong = "no original record" if not accused else (
        "one original record" if accused == 1 else f"{accused:,} original records")
    return f"{whose}; it takes {wrong} for released with the same certainty. "


def ratio_sentence(found: Sequence[ToldApart], classifier: str, against: Yardsticks) -> str:
    """How far is each release from an exact copy, and from a fresh sample of the same people?"""
    parts = [
        f"{sensible(one.propensities[classifier].ratio)} with {one.mechanism.label()}"
        for one in found if np.isfinite(one.propensities[classifier].ratio)
    ]
    if not parts:
        return ""
    reference = against.references[classifier]
    fresh = sensible(reference.fresh / reference.copy)
    return (
        "How far scores stray, in multiples of an exact copy (pMSE ratio): "
        f"{', '.join(parts)}; a fresh sample of the same people would be at {fresh}."
    )


def finding_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """Does what is on screen agree with P2 (§3.2, Fig 2)? It says that suppression's records are
    clearly fake, Laplace's a few, and those of a model that was fitted (AIM) none."""
    hiding = _most_exposed([o for o in found if isinstance(o.mechanism, HidesCells)], classifier)
    noise = _most_exposed([o for o in found if o.mechanism.family == "dp"], classifier)
    if hiding is None or noise is None:
        return ""
    words = " and ".join(
        f"{sensible(100 * share)}% of the records of {one.mechanism.label()}"
        for one, share in (hiding, noise)
    )
    first = (
        "As in P2 (Figure 2), hiding is easier to recognise" if hiding[1] > noise[1]
        else "Unlike in P2 (Figure 2), hiding is not easier to recognise here"
    )
    return f"{first}: {words} give themselves away.{_fitted_sentence(found, classifier)}"


def _fitted_sentence(found: Sequence[ToldApart], classifier: str) -> str:
    """P2 finds that a fitted model (AIM) is closer to the original than noise on every count."""
    private = [o for o in found if o.propensities and o.mechanism.family == "dp"]
    ranked = sorted(private, key=lambda o: o.propensities[classifier].ratio)
    fitted = next((o for o in ranked if o.mechanism.costly), None)
    noise = next((o for o in ranked if not o.mechanism.costly), None)
    if fitted is None or noise is None:
        return ""
    ratios = [o.propensities[classifier].ratio for o in (fitted, noise)]
    numbers = f"{sensible(ratios[0])} against {sensible(ratios[1])} times a copy"
    way = "As there" if ratios[0] < ratios[1] else "Unlike there"
    verb = "is closer to" if ratios[0] < ratios[1] else "strays farther from"
    return (
        f" {way}, {fitted.mechanism.label()} {verb} the original than {noise.mechanism.label()} "
        f"({numbers})."
    )


def _most_exposed(
    found: Sequence[ToldApart], classifier: str
) -> tuple[ToldApart, float] | None:
    shares = [(o, _away(o, classifier) / max(o.released, 1)) for o in found if o.propensities]
    return max(shares, key=lambda pair: pair[1], default=None)


def marginal_sentence(found: Sequence[ToldApart], k: int, against: Yardsticks, place: str) -> str:
    """What the k-marginal score says, in people, and where it is worst."""
    scored = [one for one in found if one.marginals]
    if not scored:
        return ""
    ranked = sorted(scored, key=lambda one: -one.marginals[k].score)
    best, worst = ranked[0], ranked[-1]
    text = (
        f"In the average table of {k} features, {best.mechanism.label()} puts "
        f"{sensible(100 * best.marginals[k].misplaced)}% of people in the wrong group (score "
        f"{int(best.marginals[k].score)})"
    )
    if worst is not best:
        text += (
            f", {worst.mechanism.label()} {sensible(100 * worst.marginals[k].misplaced)}% "
            f"({int(worst.marginals[k].score)})"
        )
    text += f"; a fresh sample of the same people would score {int(against.fresh_scores[k])}."
    places = worst.marginals[k].places
    if len(places) > 1:
        low = min(places, key=lambda p: p.score)
        high = max(places, key=lambda p: p.score)
        text += (
            f" By {place.lower()}, {worst.mechanism.label()} does worst in {low.name} "
            f"({int(low.score)}) and best in {high.name} ({int(high.score)})."
        )
    return text + f" {BEST:.0f} would mean that every table agrees."

"""What the charts of money and thresholds show, how sure it is, and what could not be computed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sdc_core.metrics.decisions import Decisions, Outcome
from sdc_core.questions.funding.words import (
    EVERYBODY,
    each,
    excluded,
    in_order_of,
    of_100,
    rule_words,
    units,
)
from sdc_core.words.chance import none_in
from sdc_core.words.evaluations import OF_MANY, releases_text, with_error
from sdc_core.words.numbers import at_the_start, counted, listed, lowered, sensible


def undefined_sentences(found: Decisions, who: str) -> list[str]:
    """What could not be computed, and for which method."""
    said = []
    for outcome in found.outcomes:
        name = at_the_start(outcome.mechanism.spoken())
        if outcome.money.undefined:
            said.append(
                f"{name}: {outcome.money.undefined} of {outcome.releases} releases have no {who} "
                "at all, so there is nothing to share by; those are left out of the money."
            )
        without = [p for p, n in zip(found.places, outcome.rule.undefined, strict=True) if n]
        if without:
            share = "its share is" if len(without) == 1 else "their shares are"
            said.append(
                f"{name}: some releases have nobody at all in {listed(without, most=4)}, so "
                f"{share} not defined there; those are left out of the rule."
            )
    return said


def money_caption(found: Decisions, who: str, groups: int, features: str) -> str:
    """What the bars are, how sure they are, and whom the methods add or lose."""
    said = (
        f"Gain or loss of {each(found)} against sharing by the true number of {who}"
        f"{', counted in people represented' * found.weighted}: "
        f"{_precision(found)}. {_less_than_moved(found)}{_order(found)}"
        f"People are counted by {features}: {counted(groups, 'group', 'groups')}, each "
        "with an error of its own. "
        f"{_added(found, who)}{_idle(found, who)}"
    )
    return said.strip()


def _less_than_moved(found: Decisions) -> str:
    """Why bars may not add up to what a method sends to the wrong places."""
    cancels = any(
        not o.certain and o.money.releases > 1
        and o.money.moved - np.maximum(o.money.gain, 0).sum() > max(0.5, 0.01 * o.money.moved)
        for o in found.outcomes
    )
    return (
        f"What a {units(found, 1)} gains in one release and loses in another cancels out in its "
        "bar, so bars add up to less than what a single release sends to the wrong "
        f"{units(found)}. " if cancels else ""
    )


def _order(found: Decisions) -> str:
    if not any(o.money.moved >= 0.5 for o in found.outcomes):
        return ""
    first = in_order_of(found)
    if first is None:
        return f"{units(found).capitalize()} stand in the order of the data: who gains is chance. "
    return (
        f"{units(found).capitalize()} stand in the order of their gain under "
        f"{first.mechanism.spoken()}. "
    )


def _idle(found: Decisions, who: str) -> str:
    """Methods that change nothing here, and why where it follows from what they alter."""
    area = lowered(found.area)
    why = f": the {area} is not altered" if who == EVERYBODY else (
        f": neither the {area} nor who counts among the {who} is altered")
    said = []
    for untouched, reason in ((True, why), (False, "")):
        names = [o.mechanism.spoken() for o in found.outcomes
                 if o.unchanged and o.certain and o.untouched == untouched]
        if names:
            verb = "changes" if len(names) == 1 else "change"
            said.append(at_the_start(f"{listed(names, most=4)} {verb} none of these numbers in any "
                                     f"release{reason}."))
    said += [
        at_the_start(f"{o.mechanism.spoken()} changed none of these numbers {none_in(o.releases)}.")
        for o in found.outcomes if o.unchanged and not o.certain
    ]
    return " ".join(said)


def _precision(found: Decisions) -> str:
    """`means over 200 releases ± one standard error for A and B; exact for C`, and what lines are
    where there are any."""
    behind: dict[str, list[str]] = {}
    for o in found.outcomes:
        drawn = o.money.releases
        how = "exact" if o.certain else "not defined" if not drawn else "one release" if (
            drawn == 1) else f"means over {drawn:,} releases ± one standard error"
        behind.setdefault(how, []).append(o.mechanism.spoken())
    if len(behind) == 1:
        said = next(iter(behind))
    else:
        said = "; ".join(f"{how} for {listed(names)}" for how, names in behind.items())
    lines = any(not o.certain and o.money.releases > 1 for o in found.outcomes)
    return f"{said}; lines span nine of ten releases" if lines else said


def _added(found: Decisions, who: str) -> str:
    """Members who are not there, or who vanish, by what the methods do to the data. What chance
    alone may do has no cause, and goes unsaid."""
    total = float(found.members.sum())
    by_cause: dict[str, list[str]] = {}
    for o in found.outcomes:
        size = abs(o.extra_members)
        if o.money.releases and size >= 0.005 * total and size > OF_MANY * o.extra_members_se:
            verb = "adds" if o.extra_members > 0 else "takes away"
            by_cause.setdefault(str(o.mechanism.does), []).append(
                f"{o.mechanism.spoken()} {verb} {with_error(size, o.extra_members_se)}")
    if not by_cause:
        return ""
    parts = [
        f"{listed(said)} ({'it' if len(said) == 1 else 'each'} {cause})"
        for cause, said in by_cause.items()
    ]
    represented = " (people represented)" * found.weighted
    return f"There are {total:,.0f} {who}{represented}: {'; '.join(parts)}. "


def rule_caption(found: Decisions, who: str, shown: int) -> str:
    """The sides as they are, and how many places each method flips."""
    holds = int(found.above.sum())
    have = "has" if holds == 1 else "have"
    rule = rule_words(found, who)
    of = " of the people represented" * found.weighted
    said = f"In truth {holds} of {len(found.places)} {units(found)} {have} {rule}{of}. "
    said += " ".join(_flips(o) for o in found.outcomes) + _certainty(found.outcomes)
    if shown < len(found.places):
        said += f" Shown are the {shown} {units(found)} nearest the threshold; the table has all."
    return said


def _certainty(outcomes: Sequence[Outcome]) -> str:
    """How far chances that were counted in so many releases can be trusted."""
    errors = [
        max(float(np.nan_to_num(o.rule.flip_se).max(initial=0.0)),
            math.sqrt(o.rule.any_flip * (1 - o.rule.any_flip) / o.releases))
        for o in outcomes
    ]
    said = ""
    if errors and max(errors) > 0:
        drawn = outcomes[errors.index(max(errors))].releases
        said = (
            f" Counted in {drawn} releases: ± {math.ceil(100 * max(errors))} of 100 at most (one "
            "standard error)."
        )
    none = sorted({o.releases for o in outcomes if not o.certain and o.rule.flips == 0})
    return said + "".join(f" {excluded(releases)}" for releases in none)


def _flips(outcome: Outcome) -> str:
    name, rule = at_the_start(outcome.mechanism.spoken()), outcome.rule
    if rule.flips == 0:
        drawn = "" if outcome.certain else f" in {releases_text(outcome.releases)}"
        return f"{name} flips none{drawn}."
    average = f", {sensible(rule.flips)} on average" if rule.flips > 1 else ""
    often = of_100(rule.any_flip, outcome.releases, outcome.certain)
    return f"{name} flips at least one {often}{average}."

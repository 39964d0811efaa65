"""Money and thresholds in words: dollars, place names, how many of 100 releases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.dataset import place_among
from sdc_core.histogram import Domain
from sdc_core.metrics.decisions import Decisions, Floats, Group, Outcome
from sdc_core.words.numbers import listed, lowered, percent, sensible

# How one says it, for what people ask about most; anything else is quoted as the data has it.
_NOUNS = {
    ("OWN_RENT", "0"): "people in group quarters",
    ("OWN_RENT", "1"): "people who own their home",
    ("OWN_RENT", "2"): "renters",
    ("SEX", "1"): "men and boys",
    ("SEX", "2"): "women and girls",
    ("RAC1P", "1"): "White residents",
    ("RAC1P", "2"): "Black residents",
    ("RAC1P", "6"): "Asian residents",
    ("INCOME_50K", "0"): "people with an income under $50,000",
    ("INCOME_50K", "1"): "people with an income of $50,000 or more",
}
EVERYBODY = "people"


def dollars(amount: float, signed: bool = False) -> str:
    """`$14,200`, `$1.2 million`, `−$900`: three digits, as many as the releases agree on."""
    size = abs(amount)
    sign = "−" if amount < 0 else "+" if signed else ""
    if size < 0.5:
        return "$0"
    for unit, word in ((1e9, " billion"), (1e6, " million")):
        if size >= 0.9995 * unit:
            return f"{sign}${float(f'{size / unit:.3g}'):,.10g}{word}"
    return f"{sign}${float(f'{size:.3g}'):,.0f}"


def group_words(group: Group, domain: Domain) -> str:
    """Who the members are: `renters`, `people listed as “Black” and “renting”`."""
    conditions = [(name, value) for name, values in group.wanted for value in values]
    if not conditions:
        return EVERYBODY
    if len(conditions) == 1 and conditions[0] in _NOUNS:
        return _NOUNS[conditions[0]]
    parts = []
    for name, values in group.wanted:
        (axis,) = domain.axes([name], "group")
        feature = domain.features[axis]
        labels = dict(zip(feature.values, feature.labels, strict=True))
        parts.append(" or ".join(f"“{labels[value]}”" for value in values))
    return f"people listed as {' and '.join(parts)}"


def of_100(chance: float) -> str:
    """`in 8 of 100 releases`, `in every release`, `in fewer than 1 of 100 releases`."""
    if math.isnan(chance):
        return "in unknown many releases"
    if chance >= 1:
        return "in every release"
    if chance <= 0:
        return "in no release"
    if chance < 0.01:
        return "in fewer than 1 of 100 releases"
    return f"in {min(99, round(100 * chance))} of 100 releases"


def units(found: Decisions, number: int = 2) -> str:
    """`place` or `places` where the column's title reads like one; others have categories."""
    is_place = place_among([found.area]) is not None
    one, many = ("place", "places") if is_place else ("category", "categories")
    return one if number == 1 else many


def _each(found: Decisions) -> str:
    if place_among([found.area]) is not None:
        return "each place"
    name = found.area if any(c.isupper() for c in found.area[1:]) else found.area.lower()
    return f"each category of {name}"


def decision_sentences(found: Decisions, who: str) -> tuple[str, str]:
    """The page's answer: who moves how much money, and which places change sides."""
    if not found.outcomes:
        return "Choose a method to see what it would do to money and thresholds.", ""
    shared = f"If {dollars(found.pot)} is shared by the number of {who} in {_each(found)}"
    ranked = sorted(
        (o for o in found.outcomes if o.money.releases), key=lambda o: -o.money.moved
    )
    if not ranked:
        return (
            f"{shared}, no release has anybody to share by: every one of them is empty of {who}.",
            _rule_sentence(found, who),
        )
    headline = f"{shared}, {_moves(ranked[0], found)}"
    if len(ranked) > 1:
        last = ranked[-1]
        headline += f"; {last.mechanism.label()} {_sends(last.money.moved)}"
    others = "; ".join(f"{o.mechanism.label()} {_amount(o.money.moved)}" for o in ranked[1:-1])
    between = f"In between: {others}. " if others else ""
    return f"{headline}.", between + _rule_sentence(found, who)


def _sends(moved: float) -> str:
    return "moves nothing" if moved < 0.5 else f"sends {dollars(moved)}"


def _amount(moved: float) -> str:
    return "nothing" if moved < 0.5 else dollars(moved)


def _moves(outcome: Outcome, found: Decisions) -> str:
    """`Suppression k=6 puts $14,200 in the wrong place, mostly from A to B`."""
    money, name = outcome.money, outcome.mechanism.label()
    if money.moved < 0.5:
        return f"{name} moves nothing"
    said = f"{name} sends {dollars(money.moved)} to the wrong {units(found)}"
    loser, winner = int(np.argmin(money.gain)), int(np.argmax(money.gain))
    steady = np.abs(money.gain) > np.maximum(3 * money.gain_se, 1e-9 * found.pot)
    if not (steady[loser] and steady[winner]):
        return f"{said} ({_steady_ones(found, money.gain, steady)})"
    lost = float(money.gain[loser] / money.gain[money.gain < 0].sum())
    won = float(money.gain[winner] / money.gain[money.gain > 0].sum())
    if lost + won - 1 > 0.5:  # at least so much of it goes from the one to the other
        return f"{said}, mostly from {found.places[loser]} to {found.places[winner]}"
    return (
        f"{said}, with {found.places[loser]} losing most ({percent(lost, 0)} of all losses) and "
        f"{found.places[winner]} gaining most ({percent(won, 0)} of all gains)"
    )


def _steady_ones(found: Decisions, gain: Floats, steady: NDArray[np.bool_]) -> str:
    """`only A loses and only B and C gain steadily`, or that who gains changes."""
    parts = []
    for some, one, many in ((steady & (gain < 0), "loses", "lose"),
                            (steady & (gain > 0), "gains", "gain")):
        names = [found.places[i] for i in np.flatnonzero(some)]
        if names:
            parts.append(f"only {listed(names, most=4)} {one if len(names) == 1 else many}")
    if not parts:
        return "who gains changes from release to release"
    return f"{' and '.join(parts)} steadily"


def rule_words(found: Decisions, who: str) -> str:
    return f"more than {found.percent:g}% {who}"


def _rule_sentence(found: Decisions, who: str) -> str:
    """The method under which most places change sides, and which of them how often."""
    limits = threshold_remark(found, who)
    if limits:
        return limits
    rule = f"The rule “{rule_words(found, who)}”"
    known = [o for o in found.outcomes if not np.isnan(o.rule.flip).all()]
    if not known:
        return f"{rule} cannot be applied: no release has people in any {units(found, 1)}."
    worst = max(known, key=lambda o: o.rule.flips)
    if worst.rule.flips == 0:
        every = f"every {units(found, 1)}"
        return f"{rule} gives {every} the same answer under every method, in every release."
    places = len(found.places)
    likely = [int(i) for i in np.argsort(-np.nan_to_num(worst.rule.flip), kind="stable")
              if worst.rule.flip[i] > 0]
    named = ", ".join(
        f"{found.places[i]} {of_100(float(worst.rule.flip[i]))}" for i in likely[:3]
    )
    more = ""
    if len(likely) > 3:
        rarer = worst.rule.flip[likely[3]] < worst.rule.flip[likely[2]]
        more = f" and {len(likely) - 3} more{' less often' if rarer else ''}"
    return (
        f"{rule} can flip {len(likely)} of {places} {units(found)} under "
        f"{worst.mechanism.label()}: {named}{more}."
    )


def threshold_remark(found: Decisions, who: str) -> str:
    """What to say where the rule itself decides nothing."""
    if who == EVERYBODY:
        return (
            "The rule says nothing here: without a group everybody is a member, and the share is "
            "100% everywhere. Choose a group."
        )
    if found.percent >= 100:
        return "No share can be more than 100%, so this rule applies nowhere and nothing can flip."
    if found.percent <= 0:
        return (
            f"“More than 0%” asks only whether there is anybody: a {units(found, 1)} flips where "
            f"the last of its {who} vanish or where some are invented."
        )
    return ""


def undefined_sentences(found: Decisions, who: str) -> list[str]:
    """What could not be computed, and for which method."""
    said = []
    for outcome in found.outcomes:
        name = outcome.mechanism.label()
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
    """What the bars are, how sure they are, and what the methods add that is not there."""
    drawn = " or ".join(f"{n:,}" for n in sorted({o.releases for o in found.outcomes}))
    said = (
        f"Gain or loss of {_each(found)} against sharing by the true number of {who}: means of "
        f"{drawn} releases ± one standard error; lines span nine of ten releases. {_order(found)}"
        f"People are counted by {features}: {groups:,} groups, each with an error of its own. "
        f"{_invention(found, who)}{_idle(found, who)}"
    )
    return said.strip()


def _order(found: Decisions) -> str:
    first = next((o for o in found.outcomes if o.money.releases), None)
    if first is None or first.money.moved < 0.5:
        return ""
    return (
        f"{units(found).capitalize()} stand in the order of their gain under "
        f"{first.mechanism.label()}. "
    )


def _idle(found: Decisions, who: str) -> str:
    """Methods that change nothing here, and why where it follows from what they alter."""
    area = lowered(found.area)
    why = f": the {area} is not altered" if who == EVERYBODY else (
        f": neither the {area} nor who counts among the {who} is altered")
    said = []
    for untouched, reason in ((True, why), (False, "")):
        names = [o.mechanism.label() for o in found.outcomes
                 if o.unchanged and o.untouched == untouched]
        if names:
            verb = "changes" if len(names) == 1 else "change"
            said.append(f"{listed(names, most=4)} {verb} none of these numbers in any "
                        f"release{reason}.")
    return " ".join(said)


def _invention(found: Decisions, who: str) -> str:
    """Why money moves: members who are not there, or who vanish, and whom that helps."""
    total = int(found.members.sum())
    changed = [
        o for o in found.outcomes if o.money.releases and abs(o.extra_members) >= 0.005 * total
    ]
    if not changed:
        return ""
    parts = [
        f"{o.mechanism.label()} {'adds' if o.extra_members > 0 else 'loses'} "
        f"{sensible(abs(o.extra_members))}" for o in changed
    ]
    said = f"To the {total:,} {who}, {listed(parts, most=4)}" if changed[0].extra_members > 0 else (
        f"Of the {total:,} {who}, {listed(parts, most=4)}")
    most = max(changed, key=lambda o: o.extra_members)
    helps_small = most.extra_members > 0 and len(found.places) > 2 and (
        np.std(most.money.gain) > 0 and np.std(found.members) > 0
        and np.corrcoef(most.money.gain, found.members)[0, 1] < -0.5
    )
    if not helps_small:
        return f"{said}. "
    return f"{said}: money goes from {units(found)} with many {who} to those with few. "


def rule_caption(found: Decisions, who: str, shown: int) -> str:
    """The sides as they are, and how many places each method flips."""
    holds = int(found.above.sum())
    have = "has" if holds == 1 else "have"
    rule = rule_words(found, who)
    said = f"In truth {holds} of {len(found.places)} {units(found)} {have} {rule}. "
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
    if not errors or max(errors) == 0:
        return ""
    drawn = outcomes[errors.index(max(errors))].releases
    return (
        f" Counted in {drawn} releases: ± {math.ceil(100 * max(errors))} of 100 at most (one "
        "standard error)."
    )


def _flips(outcome: Outcome) -> str:
    name, rule = outcome.mechanism.label(), outcome.rule
    if rule.flips == 0:
        return f"{name} flips none."
    average = f", {sensible(rule.flips)} on average" if rule.flips > 1 else ""
    return f"{name} flips at least one {of_100(rule.any_flip)}{average}."

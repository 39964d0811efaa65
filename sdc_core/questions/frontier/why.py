"""Why does a setting lie where it lies? What it does, whom it puts off, which attack succeeds and
why, what is promised, and what beats it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.metrics.attacks import Success
from sdc_core.metrics.error import by_group_size
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.frontier.compute import Attack
from sdc_core.questions.frontier.words import Found, share
from sdc_core.words.evaluations import releases_text, with_error
from sdc_core.words.guarantees import promise_sentence
from sdc_core.words.numbers import at_the_start, counted, sensible

_HARDLY = 0.05  # of those who are shown, beyond luck: less is nearly all luck
_IN_THOSE = " in the releases drawn"


def sentences(
    found: Found, number: int, guarantee: Guarantee, tried: Mapping[Attack, Success],
    sensitive: str,
) -> tuple[str, ...]:
    """The setting in a few paragraphs."""
    method = found.marks[number].mechanism
    attacks = [_ATTACKS[attack](one, found.table, sensitive) for attack, one in tried.items()]
    member = tried.get(Attack.MEMBER)
    if member is not None:
        attacks.append(_allowed(guarantee))
    return (
        f"What it does: {method.summary} {_errors(found, number)}",
        f"Attacks: {' '.join(filter(None, attacks))}",
        f"Promise: {at_the_start(promise_sentence(method.spoken(), guarantee))}",
        f"Beaten? {_beaten(found, number)}",
    )


def _errors(found: Found, number: int) -> str:
    what, table = found.marks[number].what, found.table
    groups, empty = int((table.counts > 0).sum()), int((table.counts == 0).sum())
    off = with_error(*what.where_people_are)
    said = f"Counts of groups that have people are off by {off} on average, " \
        f"{sensible(what.total)} in all {counted(groups, 'group', 'groups')}"
    drawn = f"n {releases_text(what.releases)}"
    if what.releases and not what.total:  # not seen is not known
        said = f"I{drawn} no count of a group that has people was off"
    if not empty:
        return f"{said}."
    put = f"on average {counted(with_error(*what.invented))} " \
        f"{'is' if what.invented == (1.0, 0.0) else 'are'}"
    if what.releases and not any(what.invented):
        put = f"i{drawn} nobody was"
    return f"{said}; {put} put into the {counted(empty, 'empty group', 'empty groups')}."


def _found(one: Success, table: Histogram, sensitive: str) -> str:
    alone, empty = int((table.counts == 1).sum()), int((table.counts == 0).sum())
    return (
        f"Of the {counted(alone, 'person', 'people')} who {'is' if alone == 1 else 'are'} one of a "
        f"kind the release shows {share(one.hits)}, and of the "
        f"{counted(empty, 'combination', 'combinations')} that nobody has {share(one.luck)}: "
        f"{_reason(one, bool(one.releases))}."
    )


def _reason(one: Success, drawn: bool) -> str:
    """What a claim is worth; `drawn` where that is only known of some releases."""
    if not one.hits and not one.luck:
        return f"nobody is shown{_IN_THOSE * drawn}"
    if not one.luck:
        shown = "everybody is shown" if one.hits == 1 else (
            "the others are safe only by not being shown")
        return f"whoever is shown is there{_IN_THOSE * drawn}, and {shown}"
    if one.advantage < _HARDLY * one.hits:
        return "being shown is nearly all luck"
    return "some who are shown are not there, so a claim may be wrong"


def _inferred(one: Success, table: Histogram, sensitive: str) -> str:
    chance = " beyond chance" if one.error else ""
    gains = f"that is no gain{chance}" if one.advantage <= 2 * one.error else (
        f"a gain of {share(one.advantage)} of the people")
    return (
        f"Guesses of {sensitive} from the release are right for {share(one.hits)} of the people; "
        f"the most frequent answer of the data for {share(one.luck)}: {gains}."
    )


def _member(one: Success, table: Histogram, sensitive: str) -> str:
    return (
        f"Somebody who knows all others claims to see a person who is there in {share(one.hits)} "
        f"of cases, and one who is not in {share(one.luck)}."
    )


_ATTACKS = {Attack.FIND: _found, Attack.INFER: _inferred, Attack.MEMBER: _member}


def most_allowed(guarantee: Guarantee) -> float | None:
    """What a promise allows any attack on membership to gain, hits minus luck: with ε for a person
    added or removed, (e^ε - 1 + 2δ)/(e^ε + 1). None where nothing is promised to everyone."""
    if not guarantee.reliable or guarantee.added_epsilon is None:
        return None
    factor = math.exp(-guarantee.added_epsilon)
    return min(1.0, (1 - factor + 2 * guarantee.delta_tight * factor) / (1 + factor))


def _allowed(guarantee: Guarantee) -> str:
    most = most_allowed(guarantee)
    if most is None:
        return ""
    return f"The promise allows any such attack to gain at most {share(most)}."


def _beaten(found: Found, number: int) -> str:
    beaters = found.beaters(number)
    others = found.settings - 1
    if beaters:
        best = beaters[0]
        place = found.places[best]
        by = len({found.marks[i].mechanism for i in beaters})
        return (
            f"By {by:,} of the {others:,} other settings shown. One of these is "
            f"{found.name(best)}: off by {found.off(best)}, {share(place.risk[0])} "
            f"{found.said.gain}."
        )
    if found.standing[number] == "within chance":
        return "Not for certain: another setting looks better, but chance may have made it so."
    return f"By none of the {others:,} other settings shown."


def size_table(table: Histogram, evaluation: Evaluation) -> pd.DataFrame:
    """How far off counts are, by the size of the group."""
    return pd.DataFrame([
        {
            "people in": row.title, "groups": row.groups, "people": row.people,
            "off by, on average": row.mean_error, "too high or low, on average": row.mean_bias,
        }
        for row in by_group_size(table.counts, evaluation.bias, evaluation.absolute_error)
    ])

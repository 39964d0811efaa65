"""What may be ranked: differences between releases of the same random streams, beyond two standard
errors, of 0.2 points or more. Everything else cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sdc_core.metrics.classification import GroupShift, Mean, Trained, paired
from sdc_core.words.chance import STANDARD_ERRORS, differ
from sdc_core.words.evaluations import OF_MANY

NOTHING = 0.0005  # differences that would be written as 0 points
WORTH_RANKING = 0.002  # two people in a thousand: nobody would choose a method for less
ENOUGH_RELEASES = 10  # a standard error from fewer is itself left to chance


def beyond_chance(difference: Mean, errors: float = STANDARD_ERRORS) -> bool:
    return (
        difference.releases >= ENOUGH_RELEASES and abs(difference.mean) >= WORTH_RANKING
        and differ(difference.mean, difference.se, 0.0, 0.0, errors)
    )


def lead(one: Trained, other: Trained) -> Mean:
    """How much more often the one is right than the other."""
    return paired(one.scores.accuracy, other.scores.accuracy)


def _is_ahead(one: Trained, other: Trained) -> bool:
    found = lead(one, other)
    return found.mean > 0 and beyond_chance(found)


class Behind(NamedTuple):
    """A method that is right less often than these."""

    method: Trained
    than: list[Trained]


class Standing(NamedTuple):
    """Methods that no other is ahead of (no two of them can be told apart), and the rest."""

    first: list[Trained]
    behind: list[Behind]


def standing(trained: Sequence[Trained]) -> Standing:
    known = [t for t in trained if not math.isnan(t.accuracy)]
    beaten = [Behind(t, [o for o in known if _is_ahead(o, t)]) for t in known]
    return Standing(
        [one.method for one in beaten if not one.than], [one for one in beaten if one.than])


def too_few(trained: Sequence[Trained]) -> bool:
    """Were there too few releases to rank anything?"""
    return any(len(t.scores.accuracy) < ENOUGH_RELEASES for t in trained)


def hurt(shifts: Sequence[GroupShift]) -> list[GroupShift]:
    """Groups for which the model is wrong more often after the release: picked from many, so that
    two standard errors would pass by chance all the time."""
    return [s for s in shifts if s.more.mean > 0 and beyond_chance(s.more, OF_MANY)]


def grows_more(one: GroupShift, other: GroupShift) -> bool:
    """Do the errors of one group grow more than those of another, whatever the methods?"""
    mine, theirs = one.more, other.more
    return mine.mean >= theirs.mean + WORTH_RANKING and differ(
        mine.mean, mine.se, theirs.mean, theirs.se)


def hurt_most(shifts: Sequence[GroupShift]) -> list[GroupShift]:
    """The one of them whose errors grow most, and all that cannot be told apart from it."""
    known = sorted(hurt(shifts), key=lambda s: -s.more.mean)
    return [s for s in known if s is known[0] or not beyond_chance(
        paired(known[0].runs - known[0].before, s.runs - s.before))]

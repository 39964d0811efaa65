"""Three intruders (P4 §2): what do they get right from a release of records?

- *Small cell*: knows that somebody is the only one with certain values (the only woman of 43 with a
  doctorate, say), looks for released records with these values and reads the number that is
  wanted. If there is none, or several that differ in it, nothing is read off.
- *Extreme record*: knows who has the largest value of a variable, takes the released record that
  has the largest value there, and reads the number that is wanted.
- *Membership*: knows all values of a person and wants to know whether the person is in the data;
  the closer the closest released record, the more likely. Tried on people who are in the data and
  on people who are not.

A number is read off rightly if it is within a tenth of the truth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, Ints
from sdc_core.metrics.microdata.recognised import class_sizes, distances_to_closest
from sdc_core.records import Records, Scale

Outcome = Literal["right", "wrong", "several", "nobody"]
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong", "several", "nobody")
CLOSE = 0.1


@dataclass(frozen=True)
class Known:
    """What an intruder knows of a person (numbers to the nearest `step` of each) and wants."""

    names: tuple[str, ...]
    wanted: str
    steps: tuple[float, ...]

    def keys(self, records: Records) -> Floats:
        """What the intruder sees of each record."""
        columns = records.values[:, list(records.axes(self.names, "known"))]
        steps = np.array(self.steps)
        return np.where(steps > 0, np.rint(columns / np.where(steps > 0, steps, 1)), columns)


def known_by(records: Records, names: tuple[str, ...], wanted: str) -> Known:
    """Numbers are known to about a fiftieth of their range, rounded to 1, 2 or 5 of a decimal
    place: an age in years, a height in inches, an income in thousands."""
    if wanted in names:
        raise InputError(f"The intruder knows {wanted} already; choose something else to look for.")
    if not names:
        raise InputError("An intruder who knows nothing finds nobody; choose what is known.")
    records.axes([wanted], "wanted")
    steps = [
        _step(records.values[:, j]) if records.variables[j].numeric else 0.0
        for j in records.axes(names, "known")
    ]
    return Known(names, wanted, tuple(steps))


def _step(column: Floats) -> float:
    span = float(np.nanmax(column) - np.nanmin(column)) / 50
    if span == 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(span))
    return float(power * min((1, 2, 5, 10), key=lambda digit: abs(digit - span / power)))


def alone(records: Records, known: Known) -> Ints:
    """Who is the only one with what the intruder knows?"""
    return np.flatnonzero(class_sizes(known.keys(records)) == 1)


def is_right(read: float, truth: float) -> bool:
    return abs(read - truth) <= CLOSE * abs(truth)


@dataclass(frozen=True)
class Reading:
    """What an intruder reads off a release for one person; off several records if they agree."""

    matches: int
    read: float  # not a number where nothing is read off
    truth: float

    @property
    def outcome(self) -> Outcome:
        if math.isnan(self.read):
            return "several" if self.matches else "nobody"
        return "right" if is_right(self.read, self.truth) else "wrong"


def _reading(values: Floats, truth: float) -> Reading:
    agree = len(values) > 0 and bool((values == values[0]).all())
    return Reading(len(values), float(values[0]) if agree else math.nan, truth)


def small_cell(original: Records, released: Records, known: Known, person: int) -> Reading:
    """One person who is alone with what is known."""
    mine = known.keys(original)[person]
    found = (known.keys(released) == mine).all(axis=1)
    return _reading(
        released.column(known.wanted)[found], float(original.column(known.wanted)[person]))


def small_cells(original: Records, released: Records, known: Known) -> dict[Outcome, float]:
    """Of all who are alone with what is known: for which share does the intruder read off the
    right number, a wrong one, find several records that differ, or nobody? No number where nobody
    is alone."""
    people = alone(original, known)
    if not len(people):
        return dict.fromkeys(OUTCOMES, math.nan)
    both = np.vstack([known.keys(original), known.keys(released)])
    _, codes = np.unique(both, axis=0, return_inverse=True)
    mine, theirs = codes.reshape(-1)[people], codes.reshape(-1)[len(original):]
    cells, numbers = int(codes.max()) + 1, released.column(known.wanted)
    least, most = np.full(cells, np.inf), np.full(cells, -np.inf)
    np.minimum.at(least, theirs, numbers)
    np.maximum.at(most, theirs, numbers)
    nobody, agree = np.isinf(least[mine]), least[mine] == most[mine]
    truth = original.column(known.wanted)[people]
    right = agree & (np.abs(least[mine] - truth) <= CLOSE * np.abs(truth))
    shares = (right, agree & ~right, ~agree & ~nobody, nobody)
    return {name: float(each.mean()) for name, each in zip(OUTCOMES, shares, strict=True)}


def extreme(original: Records, released: Records, variable: str, wanted: str) -> Reading:
    """Whoever has the largest value of a variable, the first of equals, is taken to have the
    released record with the largest value."""
    mine, theirs = original.column(variable), released.column(variable)
    truth = float(original.column(wanted)[int(np.nanargmax(mine))])
    return _reading(released.column(wanted)[theirs == np.nanmax(theirs)], truth)


def distances(members: Records, others: Records, released: Records) -> tuple[Floats, Floats]:
    """How far people in the data, and people who are not, are from the closest released record."""
    scale = Scale.of(members)
    points = scale.points(released)
    inside, outside = (
        distances_to_closest(scale.points(each), points).round(12) for each in (members, others))
    return inside, outside


def membership(members: Records, others: Records, released: Records) -> float:
    """The chance that of somebody who is in the data and somebody who is not, the first is closer
    to the release; a tie counts half. ½ means that nothing is learnt."""
    inside, outside = distances(members, others, released)
    ranks = rankdata(np.concatenate([-inside, -outside]))[: len(inside)]
    smaller = ranks.sum() - len(inside) * (len(inside) + 1) / 2
    return float(smaller / (len(inside) * len(outside)))

"""Unique matches along a parameter: how many people who are one of a kind a release shows."""

from __future__ import annotations

from sdc_core.curves import Curve, sweep
from sdc_core.experiment import Progress, released_people
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.reidentification import Rule, UniqueMatches, knows_chances, unique_matches
from sdc_core.parameters import Real
from sdc_core.questions.work import counted

POINTS = 13
REPETITIONS = 20  # of the points that have no closed form


def matches_along(
    base: Mechanism, param: Real, table: Histogram, rule: Rule, seed: int,
    progress: Progress | None = None,
) -> Curve[UniqueMatches]:
    """The mechanism at points along the parameter; people are drawn where nothing is exact."""

    def point(one: Mechanism) -> UniqueMatches:
        drawn = None if knows_chances(one) else released_people(one, table, REPETITIONS, seed)
        return unique_matches(one, table, rule, drawn)

    values = param.points(POINTS)
    return sweep(base, param, counted(point, len(values), progress), values)

"""The measures, an explicit tuple: adding one is an entry here, and a class if it is a new kind."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sdc_core.calibrate.measures import (
    RULE_PERCENT,
    Flips,
    Linkage,
    Measure,
    OfCells,
    OfEvaluation,
    OfPromise,
    UniqueShown,
    WorstPlace,
    all_groups,
    per_group,
    percent_per_group,
)
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.privacy.guarantee import Guarantee


def _epsilon(guarantee: Guarantee) -> float:
    """No promise is an ε without end; where nothing hangs on the data it is 0."""
    if not guarantee.formal:
        return math.inf
    return 0.0 if guarantee.epsilon is None else guarantee.epsilon


def _exceeds(guarantee: Guarantee) -> float:
    return math.nan if guarantee.exceeds is None else guarantee.exceeds


MEASURES: tuple[Measure, ...] = (
    OfCells(
        "mean_error", "how far off a count is", "people",
        "counts{of} to be off by {amount} on average",
        "E|x̃ − x|, the mean over groups: by how many people a released count is off, too high or "
        "too low, on average.", part="absolute_error", weigh=per_group,
    ),
    OfCells(
        "relative_error", "how far off a count is, in per cent", "%",
        "counts{of} to be off by {amount} on average",
        "E|x̃ − x| / x, the mean over groups: every group weighs the same, however many people it "
        "has.", part="absolute_error", weigh=percent_per_group, suggested=10.0,
    ),
    OfCells(
        "people_error", "the error in all", "people",
        "counts{of} to be off by {amount} in all",
        "E Σ|x̃ − x|: errors of all these groups added up, in one release.",
        part="absolute_error", weigh=all_groups, suggested=200.0,
    ),
    OfCells(
        "signed_error", "how much too high counts are", "people",
        "counts{of} to be too high by {amount} on average",
        "The mean bias: plus is too high, minus too low. Errors either way cancel.",
        part="bias", weigh=per_group, suggested=0.5, least=-math.inf,
    ),
    OfCells(
        "invented", "people put into empty groups", "people",
        "{amount} to be put where nobody is",
        "Σ bias over groups that have nobody, which is kept apart "
        "from the error of people.", part="bias", weigh=all_groups, of_empty=True, suggested=100.0,
        least=-math.inf,
    ),
    OfEvaluation(
        "fairness_alpha", "unfairness", "people",
        "the groups moved up most and least to be {amount} apart",
        "α = max bias − min bias over all groups (P0 Def. 1): how much further up the average "
        "release moves the one than the other.", suggested=2.0,
    ),
    WorstPlace(
        "worst_place", "the error in the place that is hit worst", "people per 1,000",
        "counts to be off by {amount} in the place that is hit worst",
        "1000 E Σ|x̃ − x| / n over a place's groups that have people; the largest of all places.",
        suggested=50.0,
    ),
    Flips(
        "flips", "places where a rule turns round", "of places",
        "{amount} of places to change sides under a rule for places where more than "
        f"{RULE_PERCENT:g}% are in one group ({{whom}})",
        "The share of places that would be on the other side of a rule about a group's share of "
        "the people, on average over releases.", percent=True, suggested=0.05,
    ),
    UniqueShown(
        "unique_shown", "how many who are one of a kind show", "of unique people",
        "{amount} of {whom} to show in the release",
        "The chance that somebody who is alone in the data with a combination of values is in the "
        "release as well. To show is not yet to be identified.", percent=True, suggested=0.5,
    ),
    Linkage(
        "linkage", "how many an outsider links rightly", "of people alone",
        "{amount} of people who are alone with what is known to be linked rightly by {whom}",
        "Found exactly once in the release with the known values, and right in everything else.",
        percent=True, suggested=0.1,
    ),
    OfPromise(
        "epsilon", "the promised limit ε", "", "the promised ε to be {amount}",
        "How far the chance of any outcome may move with one record: by e^ε. No promise counts as "
        "an ε without end. For swapping it holds only among data with the same invariants.",
        suggested=8.0, number=_epsilon,
    ),
    OfPromise(
        "delta", "the slack δ in the promise", "", "the slack δ in the promise to be {amount}",
        "The true δ at the ε that is set, not the published one.", suggested=1e-3,
        number=lambda guarantee: guarantee.delta_tight,
    ),
    OfPromise(
        "exceeds", "how often the odds move further than promised", "of releases",
        "the odds to move further than e^ε in {amount} of releases",
        "Pr[loss > ε] in the worst tables, which is not δ.", percent=True, suggested=1e-3,
        number=_exceeds,
    ),
    OfEvaluation(
        "people_bias", "the systematic error in all", "people",
        "the average release to be off by {amount} in all",
        "Σ|bias| over groups that have people.",
        everyday=False, suggested=100.0,
    ),
    OfEvaluation(
        "l1_error", "the error in all, empty groups included", "people",
        "all counts to be off by {amount} in all", "E‖x̃ − x‖₁, as some papers sum it.",
        everyday=False, suggested=500.0,
    ),
    OfEvaluation(
        "l1_bias", "the systematic error in all, empty groups included", "people",
        "the average release to be off by {amount} in all", "‖bias‖₁, as in the papers.",
        everyday=False, suggested=500.0,
    ),
    OfEvaluation(
        "max_variance", "the largest variance of a count", "people²",
        "the largest variance of a count to be {amount}", "max Var (P0 Table 1).", everyday=False,
        suggested=10.0,
    ),
)
_BY_NAME: Mapping[str, Measure] = {one.name: one for one in MEASURES}


def measure_named(name: str) -> Measure:
    if name not in _BY_NAME:
        raise InputError(f"measure must be one of {', '.join(_BY_NAME)}, got {name!r}.")
    return _BY_NAME[name]


def able(table: Histogram) -> list[Measure]:
    """The measures that make sense on this table."""
    return [one for one in MEASURES if one.whom(table)]

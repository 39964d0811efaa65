"""One axis for promises about different steps: per person, per household, per person added.

Two ε can be compared only if they are about the same step from one table to the next. A promise
about one step holds for several by group privacy: h steps of (ε, δ) are one of
(hε, δ (1 + e^ε + ... + e^((h-1)ε))). With δ = 0 that can be reached; else it is an upper bound.

A promise within invariants stays one: it covers those changes of a record that leave them as they
are, and says nothing about any other (δ is one where an exact count changes). Whoever sets it
beside others has to say so (`Guarantee.own_invariants`).
"""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from typing import Any

from sdc_core.privacy.guarantee import Guarantee, log_rest


class Unit(StrEnum):
    """What changes between two tables that are compared."""

    PERSON = "person"  # one record is replaced by another
    ADDED = "added"  # one record more or less: replacing one is two such steps
    HOUSEHOLD = "household"  # several records are replaced


def steps(guarantee: Guarantee, unit: Unit, people: int) -> int:
    """How many of the promise's own steps are needed; never fewer than to its nearest neighbour. A
    household is one step of a promise about whole households."""
    several = unit is Unit.HOUSEHOLD and not guarantee.per_household
    return max(people if several else 1, guarantee.distance)


def converted(guarantee: Guarantee, unit: Unit, people: int) -> Guarantee | None:
    """The promise for this unit; None where there is none, since the number of people shows.

    A method that promises nothing, or shows nothing, does so for every unit.
    """
    if guarantee.epsilon is None or not guarantee.formal:
        return guarantee
    if unit is Unit.ADDED:
        if guarantee.added_epsilon is None:
            return None
        return dataclasses.replace(
            guarantee, epsilon=guarantee.added_epsilon, **_only_known_without_slack(guarantee)
        )
    number = steps(guarantee, unit, people)
    if number == 1:
        return guarantee
    epsilon, published = guarantee.epsilon, guarantee.delta_published
    slack = group_slack(guarantee.delta_tight, epsilon, number)
    printed = None if published is None else group_slack(published, epsilon, number)
    return dataclasses.replace(
        guarantee, epsilon=number * epsilon, delta_tight=slack, log_rest_tight=log_rest(slack),
        delta_published=printed, log_rest_published=None if printed is None else log_rest(printed),
        distance=1, **_only_known_without_slack(guarantee),
    )


def _only_known_without_slack(guarantee: Guarantee) -> dict[str, Any]:
    """With δ = 0 there is nothing to lose; else what comes out is a bound."""
    sharp = guarantee.delta_tight == 0 and not guarantee.is_bound
    return {"is_bound": not sharp, "log_within": 0.0 if sharp else None}


def group_slack(delta: float, epsilon: float, number: int) -> float:
    """δ (1 + e^ε + ... + e^((h-1)ε)), at most one."""
    if delta == 0:
        return 0.0
    if number * epsilon > 700:
        return 1.0
    times = number if epsilon == 0 else math.expm1(number * epsilon) / math.expm1(epsilon)
    return min(1.0, delta * times)

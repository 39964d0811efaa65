"""What methods do to groups of people, on average or in one release."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import is_fixed
from sdc_core.metrics.subgroups import MethodResult, method_result
from sdc_core.questions.question import Given

REPETITIONS = 200  # where an average is not known by formula
Groups = Mapping[str, tuple[int, ...]]
Floats = NDArray[np.float64]


def results(given: Given, groups: Groups) -> list[MethodResult]:
    """One a method, but for those that have to be asked for first. A result shown again is the same
    object, so that its chart need not be drawn anew."""
    work, table, seed = given.work, given.table, given.seed
    if not groups:
        return []
    if given["g_view"] == "average":
        return [
            work.kept(on_average, table, groups, found)
            for found in work.evaluate(given.methods, table, seed, REPETITIONS)
        ]
    return [
        work.kept(one_release, table, groups, found.mechanism, found.rows[0], seed)
        for found in work.releases(given.methods, table, seed, 1)
    ]


def on_average(table: Histogram, groups: Groups, found: Evaluation) -> MethodResult:
    """What infinitely many releases would show on average, with standard errors where it is
    simulated."""
    method = found.mechanism
    how = "exact" if found.method == "exact" else (
        "exact slope, " * method.knows_mean + f"average of {found.repetitions} releases")

    def seen(bias: Floats, absolute_error: Floats) -> MethodResult:
        return method_result(table, groups, method, how, table.people + bias, absolute_error)

    def numbers(bias: Floats, absolute_error: Floats) -> Floats:
        return seen(bias, absolute_error).numbers()

    result = seen(found.bias, found.absolute_error).with_errors(found.error_of(numbers))
    return dataclasses.replace(
        result, releases=found.repetitions if found.method == "simulated" else 0,
        varies=not is_fixed(method, table))


def one_release(
    table: Histogram, groups: Groups, mechanism: Mechanism, row: NDArray[np.int64], seed: int
) -> MethodResult:
    how = f"one release, seed {seed}"
    return method_result(table, groups, mechanism, how, row * table.per_record)

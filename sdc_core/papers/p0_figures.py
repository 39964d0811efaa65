"""The numbers that P0's Figures 2 to 5 draw, as they come out here.

The text prints none of them, so nothing is judged: they stand beside what it says in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.experiment import released_people
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.classification import Scores, Task, mean_of, scores
from sdc_core.metrics.classifiers import MODELS
from sdc_core.metrics.reidentification import UniqueMatches, unique_matches
from sdc_core.metrics.subgroups import GroupResult, group_result
from sdc_core.papers.item import Attempt
from sdc_core.papers.p0_methods import (
    EPSILONS,
    counted,
    exact,
    suppression,
    swapping,
    the_four,
)
from sdc_core.papers.p0_table import ANY_DONOR, MUST_DIFFER, ZEROS_FILLED, ZEROS_KEPT
from sdc_core.papers.verdicts import Ours

THRESHOLDS = (4, 6, 8, 10)
SHARES = (0.1, 0.25, 0.5)


def figure_2(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("ma2019")
    table = counted(data)
    for keep_zeros, convention in ((True, ZEROS_KEPT), (False, ZEROS_FILLED)):
        for k in THRESHOLDS:
            versions = {"suppression": suppression(keep_zeros, k), **{
                f"dp-sup eps={e:g}": the_four(e, keep_zeros, k)["dp-sup"] for e in EPSILONS}}
            yield from _both(f"k={k}", versions, table, convention, data.id)
    for differ, convention in ((False, ANY_DONOR), (True, MUST_DIFFER)):
        for share in SHARES:
            attempt.tell(0.5)
            versions = {"swapping": swapping(share, differ), **{
                f"dp-swap eps={e:g}": the_four(
                    e, swap_rate=share, require_different=differ)["dp-swap"] for e in EPSILONS}}
            yield from _both(f"{share:.0%} swapped", versions, table, convention, data.id)


def _both(
    setting: str, versions: Mapping[str, Mechanism], table: Histogram, convention: str, dataset: str
) -> Iterator[Ours]:
    for name, method in versions.items():
        found = exact(table, method)
        for column, value in (("l1_error", found.l1_error), ("alpha", found.fairness_alpha)):
            yield Ours(f"{name}, {setting}", column, value, convention=convention, dataset=dataset)


# ---- Figure 3 -----------------------------------------------------------------------------------

WHITE_MEN, BLACK_MEN = ("1", "1"), ("2", "1")  # race and sex


def methods_of_figure_3(keep_zeros: bool) -> dict[str, Mechanism]:
    """Only race is swapped."""
    return the_four(2.0, keep_zeros, k=10, quasi_identifiers=("RAC1P",))


def by_income_and_education(data: Dataset) -> Histogram:
    return data.histogram(("RAC1P", "SEX", "PINCP_DECILE", "EDU"), "observed")


def people_of(table: Histogram, group: tuple[str, str]) -> tuple[int, ...]:
    """Where the group stands in the table; ValueError where nobody has these values."""
    return tuple(
        table.domain.features[axis].values.index(value) for axis, value in enumerate(group))


@kept_with_first
def heatmap(table: Histogram, method: Mechanism, place: tuple[int, ...]) -> GroupResult:
    """What releases do to the two-way table of one group, on average."""
    found = exact(table, method)
    return group_result(
        table, place, "", table.people + found.bias, found.absolute_error)


def misplaced(table: Histogram, method: Mechanism, place: tuple[int, ...]) -> float:
    """The people whom a release counts in the wrong cells, for every 1,000 of the group: what the
    colours of its heatmap add up to."""
    found = heatmap(table, method, place)
    return found.of_thousand(found.misplaced) or 0.0


def figure_3(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("national2019")
    table = by_income_and_education(data)
    for name, group in (("White men", WHITE_MEN), ("Black men", BLACK_MEN)):
        place = people_of(table, group)
        for keep_zeros, convention in ((True, ""), (False, ZEROS_FILLED)):
            for row, method in methods_of_figure_3(keep_zeros).items():
                if keep_zeros or row == "dp-sup":
                    change = heatmap(table, method, place).slope_change or 0.0
                    for column, value in (
                        ("misplaced of 1,000", misplaced(table, method, place)),
                        ("slope_change", change),
                    ):
                        yield Ours(f"{row}, {name}", column, value, convention=convention,
                                   dataset=data.id)


# ---- Figure 4 -----------------------------------------------------------------------------------

TARGET, PREDICTORS = "INCOME_50K", ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
LOGISTIC = MODELS["logistic"]


class Learning(NamedTuple):
    """A table, what is predicted in it, and how right a model is that learnt from the data."""

    table: Histogram
    task: Task
    from_the_data: float


@kept_with_first
def learning(data: Dataset) -> Learning:
    table = data.histogram((*PREDICTORS, TARGET), "observed")
    task = Task(table.domain, PREDICTORS, TARGET)
    own = scores(table, task, table.counts[None, :], LOGISTIC)
    return Learning(table, task, float(own.accuracy[0]))


@kept_with_first
def learnt(data: Dataset, method: Mechanism, releases: int, seed: int) -> NDArray[np.float64]:
    """Accuracy on the data, a number for each release that a model learnt from."""
    known = learning(data)
    rows = released_people(method, known.table, releases, seed)
    found: Scores = scores(known.table, known.task, rows, LOGISTIC, seed)
    return found.accuracy


def figure_4(attempt: Attempt) -> Iterator[Ours]:
    data, releases = attempt.data("ma2019"), attempt.either(200, 20)
    yield Ours("the data themselves", "accuracy", learning(data).from_the_data, dataset=data.id)
    methods = {f"{row} eps={e:g}": one for e in EPSILONS for row, one in the_four(e).items()}
    methods |= {"suppression": suppression(True), "swapping": swapping()}
    for number, (row, method) in enumerate(methods.items()):
        attempt.tell(number / len(methods))
        found = mean_of(learnt(data, method, releases, attempt.seed))
        yield Ours(row, "accuracy", found.mean, f"mean of {releases} releases", found.se,
                   dataset=data.id)


# ---- Figure 5 -----------------------------------------------------------------------------------


@kept_with_first
def shown_once(table: Histogram, method: Mechanism) -> UniqueMatches:
    """Singletons of both the data and the release, as the paper reads the metric."""
    return unique_matches(method, table, "exactly-once")


def figure_5(attempt: Attempt) -> Iterator[Ours]:
    for name in ("ma2019", "tx2019"):
        data = attempt.data(name)
        table = counted(data)
        for epsilon in EPSILONS:
            for row, method in the_four(epsilon).items():
                found = shown_once(table, method)
                yield Ours(f"{name}, {row} eps={epsilon:g}", "percent of unique people",
                           100 * found.share, found.method, dataset=data.id)
                yield Ours(f"{name}, {row} eps={epsilon:g}", "percent of all people",
                           100 * found.expected / found.people, found.method, dataset=data.id)

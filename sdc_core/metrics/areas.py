"""Where does a method hurt? Its error by place (P2 Figure 3).

The table has an area among its features; each area's numbers come from its own cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.data.dataset import Dataset, DomainChoice
from sdc_core.errors import InputError
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms.base import HidesCells, Mechanism

Floats = NDArray[np.float64]
Measure = Literal["l1_bias", "group_bias", "error_rate", "hidden_share"]


class Treatment(Protocol):
    """What a method does to each cell of a table on average; an `Evaluation` is one."""

    @property
    def mechanism(self) -> Mechanism: ...

    @property
    def bias(self) -> Floats: ...

    @property
    def absolute_error(self) -> Floats: ...


@dataclass(frozen=True)
class MeasureWords:
    """How a measure is called, in what it is counted, and whether it can be negative."""

    title: str
    symbol: str
    unit: str
    meaning: str
    noticeable: float  # sizes and differences below it are not worth a reader's time
    signed: bool = False
    weighable: bool = True


MEASURES: dict[Measure, MeasureWords] = {
    "l1_bias": MeasureWords(
        "Systematic error", "‖bias‖₁", "people",
        "How many people too many or too few the average release shows, added up over a place's "
        "groups", noticeable=0.5,
    ),
    "group_bias": MeasureWords(
        "One group too high or too low", "mean bias", "people per count",
        "How many people too high (+) or too low (−) the average release puts a count of the "
        "chosen group", noticeable=0.05, signed=True,
    ),
    "error_rate": MeasureWords(
        "Error of a release", "1000 E‖x̃ − x‖₁ / n", "people per 1,000",
        "How many people too many or too few a single release shows, added up over a place's "
        "groups, for every 1,000 people who live there", noticeable=0.5,
    ),
    "hidden_share": MeasureWords(
        "Hidden counts", "share suppressed", "% of counts",
        "How many of a place's groups that have people are hidden, in percent", noticeable=0.5,
        weighable=False,
    ),
}


@dataclass(frozen=True, eq=False)
class AreaComparison:
    """One measure for every area and up to two methods, in the order of the area's values."""

    area: Feature
    measure: Measure
    mechanisms: tuple[Mechanism, ...]
    values: tuple[Floats, ...]
    people: Floats
    weighted: bool
    group: tuple[str, ...] = ()
    group_people: Floats = field(default_factory=lambda: np.zeros(0))
    hides: tuple[bool, ...] = ()

    @property
    def words(self) -> MeasureWords:
        return MEASURES[self.measure]

    @property
    def difference(self) -> Floats:
        """Second method minus the first, area by area."""
        return self.values[1] - self.values[0]

    @property
    def excess(self) -> Floats:
        """By how much the second method is worse, area by area: for a signed measure sizes are
        compared, since too high and too low are both wrong."""
        return np.abs(self.values[1]) - np.abs(self.values[0])

    @property
    def largest(self) -> float:
        """The largest size on screen: the end of the colour scale that all methods share."""
        return float(max(np.abs(v).max() for v in self.values))

    def worst_first(self) -> NDArray[np.intp]:
        """Areas by the larger of the two methods' errors, worst first."""
        return np.argsort(-np.max(np.abs(np.stack(self.values)), axis=0), kind="stable")


def compare_areas(
    table: Histogram,
    area: str,
    treatments: Sequence[Treatment],
    measure: Measure = "l1_bias",
    group: Mapping[str, str] | None = None,
    weights: Floats | None = None,
) -> AreaComparison:
    """What does each method do to each area?

    With b the bias, e the expected absolute error and x the count of a cell, and sums over the
    cells of an area: ‖bias‖₁ = Σ|b|; the group's mean bias is the mean of b over the cells that
    fit `group` (feature → value); error per 1,000 people is 1000 Σe / Σx; the hidden share is the
    expected percentage of cells with x > 0 that are hidden. `weights` (people per record, see
    `mean_weights`) turn records into the people they stand for: b, e and x are multiplied by them.
    A share of cells has no use for them.
    """
    if not treatments:
        raise InputError("A map needs at least one method.")
    axis = table.domain.axes([area], "area")[0]
    counts = table.counts.astype(np.float64)
    used = weights if MEASURES[measure].weighable else None
    scale = np.ones_like(counts) if used is None else used
    inside = _cells_of_group(table, area, group or {})
    people = _by_area(table, axis, counts * scale)
    members = _by_area(table, axis, np.where(inside, counts * scale, 0.0))
    values, hides = [], []
    for one in treatments:
        hides.append(isinstance(one.mechanism, HidesCells))
        if measure == "l1_bias":
            found = _by_area(table, axis, np.abs(one.bias) * scale).sum(axis=1)
        elif measure == "error_rate":
            error = _by_area(table, axis, one.absolute_error * scale).sum(axis=1)
            found = 1000 * error / np.maximum(people.sum(axis=1), 1e-300)
        elif measure == "group_bias":
            moved = _by_area(table, axis, np.where(inside, one.bias * scale, 0.0))
            found = moved.sum(axis=1) / _by_area(table, axis, inside).sum(axis=1)
        else:
            found = _hidden_percent(table, axis, one.mechanism)
        values.append(found)
    return AreaComparison(
        table.domain.features[axis], measure, tuple(one.mechanism for one in treatments),
        tuple(values), people.sum(axis=1), used is not None,
        group_words(table, group or {}), members.sum(axis=1), tuple(hides),
    )


def group_words(table: Histogram, group: Mapping[str, str]) -> tuple[str, ...]:
    """The chosen group in words, in the order of the table's features."""
    return tuple(
        f.labels[f.values.index(group[f.name])]
        for f in table.domain.features if f.name in group
    )


def _cells_of_group(table: Histogram, area: str, group: Mapping[str, str]) -> NDArray[np.bool_]:
    inside = np.ones(table.domain.shape, dtype=bool)
    for name, value in group.items():
        axis = table.domain.axes([name], "group")[0]
        feature = table.domain.features[axis]
        if name == area:
            raise InputError(f"group must not fix {area!r}: that is the area itself.")
        if value not in feature.values:
            raise InputError(
                f"group: {name} has no value {value!r}. It has: {', '.join(feature.values)}."
            )
        shape = [1] * inside.ndim
        shape[axis] = len(feature)
        inside = inside & (np.arange(len(feature)) == feature.values.index(value)).reshape(shape)
    return np.asarray(inside.reshape(-1))


def _by_area(table: Histogram, axis: int, cells: NDArray[np.generic]) -> NDArray[np.generic]:
    """One row an area, one column a cell within it."""
    shaped = cells.reshape(table.domain.shape)
    return np.moveaxis(shaped, axis, 0).reshape(table.domain.shape[axis], -1)


def _hidden_percent(table: Histogram, axis: int, mechanism: Mechanism) -> Floats:
    """A mechanism without the capability hides nothing: that is 0, not unknown."""
    if not isinstance(mechanism, HidesCells):
        return np.zeros(table.domain.shape[axis])
    there = (table.counts > 0).astype(np.float64)
    hidden = _by_area(table, axis, there * mechanism.hidden(table)).sum(axis=1)
    return 100 * hidden / np.maximum(_by_area(table, axis, there).sum(axis=1), 1.0)


def mean_weights(
    dataset: Dataset, features: Sequence[str], area: str, weight: str,
    domain: DomainChoice = "observed",
) -> Floats:
    """How many people does one record of each cell stand for?

    The mean of the survey weight over the cell's records. A cell without records has none; a
    person who is wrongly put there is taken to stand for as many as the area's average record.
    """
    numbers = dataset.records[weight].to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise InputError(
            f"{weight} must be a number of at least 0 in every row to be used as a weight. "
            "Count persons instead."
        )
    coded = [dataset.coded(name, domain) for name in features]
    shape = tuple(len(feature) for _, feature in coded)
    cell = np.ravel_multi_index(tuple(codes.astype(np.intp) for codes, _ in coded), shape)
    size = int(np.prod(shape))
    records = np.bincount(cell, minlength=size).reshape(shape)
    total = np.bincount(cell, weights=numbers, minlength=size).reshape(shape)
    others = tuple(i for i, name in enumerate(features) if name != area)
    average = total.sum(axis=others, keepdims=True) / np.maximum(
        records.sum(axis=others, keepdims=True), 1
    )
    mean = np.where(records > 0, total / np.maximum(records, 1), average)
    return np.asarray(mean.reshape(-1), dtype=np.float64)


def cells_of_area(
    table: Histogram, area: str, code: str, treatments: Sequence[Treatment]
) -> pd.DataFrame:
    """Who within one area is moved, and by whom? Every group of the area: those with
    people first, the worst of them first."""
    axis = table.domain.axes([area], "area")[0]
    feature = table.domain.features[axis]
    cells = _by_area(table, axis, np.arange(len(table)))[feature.values.index(code)]
    size = np.max(np.abs(np.stack([one.bias[cells] for one in treatments])), axis=0)
    order = cells[np.lexsort((-size, table.counts[cells] == 0))]
    others = [(i, f) for i, f in enumerate(table.domain.features) if i != axis]
    positions = np.unravel_index(order, table.domain.shape)
    who = [
        ", ".join(f.labels[int(positions[i][row])] for i, f in others) or "everyone"
        for row in range(len(order))
    ]
    frame = pd.DataFrame({"who": who, "true count": table.counts[order]})
    for number, one in enumerate(treatments, start=1):
        frame[f"{number}. {one.mechanism.label()}"] = one.bias[order]
    return frame

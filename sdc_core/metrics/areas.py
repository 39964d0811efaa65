"""Where does a method hurt? Its error by place (P2 Figure 3).

The table has an area among its features; each area's numbers come from its own cells: those that
have people, and apart from them those that have nobody, where a method can only invent people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms.base import HidesCells, Mechanism

Floats = NDArray[np.float64]
Cells = Callable[[Floats, Floats], Floats]
Measure = Literal[
    "people_error", "people_bias", "error_rate", "invented", "group_bias", "hidden_share", "l1_bias"
]


class Treatment(Protocol):
    """What a method does to each cell of a table on average; an `Evaluation` is one."""

    @property
    def mechanism(self) -> Mechanism: ...

    @property
    def bias(self) -> Floats: ...

    @property
    def absolute_error(self) -> Floats: ...

    def error_of(self, statistic: Cells) -> Floats:
        """Standard errors of numbers that follow from bias and absolute error."""
        ...


@dataclass(frozen=True)
class MeasureWords:
    """How a measure is called, in what it is counted, whether it can be negative, and whether it is
    about people only, so that invented ones are told beside it."""

    title: str
    symbol: str
    unit: str
    meaning: str
    noticeable: float  # sizes and differences below it are not worth a reader's time
    signed: bool = False
    weighable: bool = True
    split: bool = True


MEASURES: dict[Measure, MeasureWords] = {
    "people_error": MeasureWords(
        "Error of a release", "E Σ|x̃ − x|, x > 0", "people",
        "How many people too many or too few a single release shows, added up over a place's "
        "groups that have people", noticeable=0.5,
    ),
    "people_bias": MeasureWords(
        "Systematic error", "Σ|bias|, x > 0", "people",
        "How many people too many or too few the average release shows, added up over a place's "
        "groups that have people", noticeable=0.5,
    ),
    "error_rate": MeasureWords(
        "Error of a release", "1000 E Σ|x̃ − x| / n, x > 0", "people per 1,000",
        "How many people too many or too few a single release shows, added up over a place's "
        "groups that have people, for every 1,000 people who live there", noticeable=0.5,
    ),
    "invented": MeasureWords(
        "People put into empty groups", "Σ bias, x = 0", "people",
        "How many people the average release puts into a place's groups that have nobody",
        noticeable=0.5, split=False,
    ),
    "group_bias": MeasureWords(
        "One group too high or too low", "mean bias, x > 0", "people per count",
        "How many people too high (+) or too low (−) the average release puts the counts of the "
        "chosen group that have people, on balance: one too high makes up for one too low",
        noticeable=0.05, signed=True,
    ),
    "hidden_share": MeasureWords(
        "Hidden counts", "share suppressed", "% of counts",
        "How many of a place's groups that have people are hidden, in percent", noticeable=0.5,
        weighable=False, split=False,
    ),
    "l1_bias": MeasureWords(
        "Systematic error, empty groups included", "‖bias‖₁", "people",
        "How many people too many or too few the average release shows, added up over all of a "
        "place's groups, those that have nobody included", noticeable=0.5,
    ),
}


@dataclass(frozen=True, eq=False)
class AreaComparison:
    """One measure for every area and up to two methods, in the order of the area's values.

    `invented` are the people put into an area's empty groups (of the chosen group, if there is
    one). `errors` are standard errors; `noise` is by how much chance alone makes a simulated value
    come out too large (a sum of absolute averages does). `shares` are the shares of the records
    that a method's releases are made of; `drawn` are the releases that its numbers were counted in,
    0 where they are known exactly.
    """

    area: Feature
    measure: Measure
    mechanisms: tuple[Mechanism, ...]
    values: tuple[Floats, ...]
    people: Floats
    weighted: bool
    group: tuple[str, ...] = ()
    group_people: Floats = field(default_factory=lambda: np.zeros(0))
    hides: tuple[bool, ...] = ()
    invented: tuple[Floats, ...] = ()
    errors: tuple[Floats, ...] = ()
    noise: tuple[Floats, ...] = ()
    shares: tuple[float, ...] = ()
    invented_errors: tuple[Floats, ...] = ()
    drawn: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        nothing = tuple(np.zeros(len(self.area)) for _ in self.values)
        for name in ("invented", "errors", "noise", "invented_errors"):
            object.__setattr__(self, name, getattr(self, name) or nothing)
        object.__setattr__(self, "drawn", self.drawn or (0,) * len(self.values))

    @property
    def words(self) -> MeasureWords:
        return MEASURES[self.measure]

    @property
    def estimated(self) -> bool:
        """Are some numbers means over releases? Chance would then put places in another order."""
        return any(errors.any() for errors in self.errors)

    @property
    def difference(self) -> Floats:
        """Second method minus the first, area by area."""
        return self.values[1] - self.values[0]

    @property
    def excess(self) -> Floats:
        """By how much the second method is worse, area by area: for a signed measure sizes are
        compared, since too high and too low are both wrong."""
        return np.abs(self.values[1]) - np.abs(self.values[0])

    def chance(self, standard_errors: float) -> Floats:
        """What chance alone may account for of the excess, area by area."""
        larger = np.where(self.excess > 0, self.noise[1], self.noise[0])
        return standard_errors * np.hypot(*self.errors) + larger

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
    measure: Measure = "people_error",
    group: Mapping[str, str] | None = None,
) -> AreaComparison:
    """What does each method do to each area?

    With b the bias, e the expected absolute error and x the count of a cell, and sums over the
    cells of an area that have people (x > 0): the error of a release is Σe, the systematic error
    Σ|b|, the error per 1,000 people 1000 Σe / Σx; the group's mean bias is the mean of b over those
    that fit `group` (feature → value), 0 where there are none; the hidden share is the expected
    percentage that is hidden. Over the cells with nobody, Σb people are invented. ‖bias‖₁ is Σ|b|
    over all cells. If the table has weights, b and e are in people represented, and x is made so; a
    share of cells has no use for them.
    """
    if not treatments:
        raise InputError("A map needs at least one method.")
    axis = table.domain.axes([area], "area")[0]
    counts = table.counts.astype(np.float64)
    weighted = table.weighted and MEASURES[measure].weighable
    living = table.people if weighted else counts
    inside = _cells_of_group(table, area, group or {})
    people = _sums(table, axis, living)
    there = counts > 0
    chosen = there & inside
    rate = 1000 / np.maximum(people, 1e-300)
    of_group = 1 / np.maximum(_sums(table, axis, chosen), 1.0)

    def sums(cells: NDArray[np.generic]) -> Floats:
        return _sums(table, axis, cells)

    by_cells: dict[Measure, Cells] = {
        "people_error": lambda b, e: sums(e * there),
        "people_bias": lambda b, e: sums(np.abs(b) * there),
        "error_rate": lambda b, e: rate * sums(e * there),
        "invented": lambda b, e: sums(b * ~there),
        "group_bias": lambda b, e: of_group * sums(b * chosen),
        "l1_bias": lambda b, e: sums(np.abs(b)),
    }
    added_up = {"people_bias": there, "l1_bias": np.ones_like(there)}.get(measure)
    values, errors, noise = [], [], []
    for one in treatments:
        statistic = by_cells.get(measure)
        if statistic is None:
            values.append(_hidden_percent(table, axis, one.mechanism))
            errors.append(np.zeros_like(values[-1]))
        else:
            values.append(statistic(one.bias, one.absolute_error))
            errors.append(one.error_of(statistic))
        noise.append(np.zeros_like(values[-1]))
        if added_up is not None:
            # an average of zero with a normal error of s has an absolute value of s √(2/π)
            noise[-1] = math.sqrt(2 / math.pi) * sums(one.error_of(lambda b, e: b) * added_up)
    empty = ~there & inside if measure == "group_bias" else ~there
    return AreaComparison(
        table.domain.features[axis], measure, tuple(one.mechanism for one in treatments),
        tuple(values), people, weighted, group_words(table, group or {}),
        sums(living * inside),
        tuple(isinstance(one.mechanism, HidesCells) for one in treatments),
        tuple(sums(one.bias * empty) for one in treatments), tuple(errors), tuple(noise),
        tuple(one.mechanism.share_of_records(table) for one in treatments),
        tuple(one.error_of(lambda b, e: sums(b * empty)) for one in treatments),
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


def _sums(table: Histogram, axis: int, cells: NDArray[np.generic]) -> Floats:
    """One number an area: the sum over its cells."""
    return np.asarray(_by_area(table, axis, cells).sum(axis=1), dtype=np.float64)


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


def cells_of_area(
    table: Histogram, area: str, code: str, treatments: Sequence[Treatment]
) -> pd.DataFrame:
    """Who within one area is moved, and by whom? Every group of the area, with its share of the
    area's people: those with people first, the worst of them first. Biases, and shares, are in
    people represented if the table has weights."""
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
    people = table.people[order]
    frame = pd.DataFrame({
        "who": who, "true count": table.counts[order],
        **({"people represented": people} if table.weighted else {}),
        "% of the place": 100 * people / max(people.sum(), 1e-300),
    })
    for number, one in enumerate(treatments, start=1):
        frame[f"{number}. {one.mechanism.label()}"] = one.bias[order]
        errors = one.error_of(lambda bias, _: bias)[order]
        if errors.any():
            frame[f"± {number}"] = errors
    return frame

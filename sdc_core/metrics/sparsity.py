"""What do empty groups cost? Error against the share of groups with nobody in them.

A method that treats every count by itself has an error that is a sum over the groups. So with the
same people and z empty groups its error is a straight line,
    error(z) = Σ_{x > 0} f(x) + z f(0),
where f(x) is |bias| or the expected absolute error of a group of x people. Two such lines cross at
most once, and where they do follows in closed form. (P2 §3.4, Figure 4, draws ‖bias‖₁ against the
share of empty groups z / (occupied + z).) The first part is what happens to people; the second
happens in groups that have nobody.

Where the table has weights, all is in people represented: f(x) of a group is multiplied by what a
record of it stands for, f(0) by what the average record does.

The second view counts the same people by more and more features, which leaves more groups empty.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from sdc_core.curves import Curve, sweep
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.households import Households
from sdc_core.mechanisms.base import CellMoments, Doing, ExactBias, ExactMoments, Mechanism
from sdc_core.parameters import EPSILON
from sdc_core.people import marginal

Measure = Literal["l1_bias", "l1_error"]
Kind = Literal["worse-above", "better-above", "always-better", "always-worse", "equal"]

# All combinations of the features are counted up to here; beyond, one feature is added at a time.
MOST_FEATURES = 6
MOST_GROUPS = 1_000_000  # in all those tables together
_NOTHING = 1e-12  # relative difference below which two errors are the same
_EPSILONS = 60  # points along ε


@dataclass(frozen=True)
class ErrorLine:
    """A method's error on the same people with any number of empty groups."""

    mechanism: Mechanism
    people: int  # groups with somebody in them
    occupied: float  # error in those, all together
    per_empty: float  # error in each empty group
    invented: float = 0.0  # people whom the average release puts into each empty group
    leaves_empty: bool = False  # no release ever changes an empty group
    weighted: bool = False  # in people represented

    def at(self, empty: float) -> float:
        return self.occupied + empty * self.per_empty

    def at_share(self, share: float) -> float:
        return self.at(empty_groups(share, self.people))


@dataclass(frozen=True)
class Crossing:
    """Where one method becomes worse (or better) than another as empty groups are added.

    `empty` is where the lines meet, not rounded to whole groups; without a crossing it is NaN, as
    is `share`.
    """

    kind: Kind
    empty: float
    share: float

    def better_between(self) -> tuple[float, float]:
        """The shares of empty groups between which the first method has the smaller error."""
        return {
            "worse-above": (0.0, self.share), "better-above": (self.share, 1.0),
            "always-better": (0.0, 1.0), "always-worse": (0.0, 0.0), "equal": (0.0, 0.0),
        }[self.kind]


@dataclass(frozen=True, eq=False)
class Sparsity:
    """All that the first view shows; `pair` are the two that are set against each other."""

    measure: Measure
    people: int
    empty: int
    lines: tuple[ErrorLine, ...]
    left_out: tuple[Mechanism, ...]
    pair: tuple[ErrorLine, ErrorLine] | None
    crossing: Crossing | None
    weighted: bool = False  # in people represented

    @property
    def share(self) -> float:
        return self.empty / (self.people + self.empty)


def empty_groups(share: float, people: int) -> float:
    """How many empty groups make this share of all groups, beside so many that are not empty?"""
    return people * share / (1 - share)


def treats_groups_alike(mechanism: Mechanism) -> bool:
    """Does its error in a group depend on that group's count alone, so that zeros can be added?"""
    return isinstance(mechanism, CellMoments)


def leaves_empty(mechanism: Mechanism) -> bool | None:
    """Does it publish every 0 as it is? None where that does not hang on the count alone."""
    if not isinstance(mechanism, CellMoments):
        return None
    return float(mechanism.moments(np.zeros(1))[2][0]) == 0


def error_line(mechanism: Mechanism, table: Histogram, measure: Measure) -> ErrorLine:
    """The line error(z) of a method that treats every count by itself."""
    if not isinstance(mechanism, CellMoments):
        raise InputError(
            f"{mechanism.name} moves people between groups, so empty groups cannot be added "
            "without saying which. Use a method that treats every count by itself, such as laplace."
        )
    sizes, which = table.sizes
    groups = np.bincount(which, table.per_record if table.weighted else None)[sizes > 0]
    sizes = sizes[sizes > 0]
    if not len(sizes):
        raise InputError("The table has nobody in it: there are only empty groups.")
    bias, _, absolute = mechanism.moments(np.concatenate([[0.0], sizes.astype(np.float64)]))
    each = np.abs(bias) if measure == "l1_bias" else absolute
    nobody = 1.0 if table.weights is None else table.weights.mean
    return ErrorLine(
        mechanism, int(np.count_nonzero(table.counts)), float(each[1:] @ groups),
        nobody * float(each[0]),
        nobody * float(bias[0]), float(absolute[0]) == 0, table.weighted,
    )


def crossing(first: ErrorLine, second: ErrorLine) -> Crossing:
    """From which share of empty groups on is the first method worse than the second?

    The lines meet at z = (occupied₂ − occupied₁) / (per_empty₁ − per_empty₂), if that is positive.
    """
    head_start = _difference(second.occupied, first.occupied)
    loss = _difference(first.per_empty, second.per_empty)
    if head_start == loss == 0:
        return Crossing("equal", math.nan, math.nan)
    if head_start >= 0 and loss <= 0:
        return Crossing("always-better", math.nan, math.nan)
    if head_start <= 0 and loss >= 0:
        return Crossing("always-worse", math.nan, math.nan)
    empty = head_start / loss
    kind: Kind = "worse-above" if loss > 0 else "better-above"
    return Crossing(kind, empty, empty / (first.people + empty))


def _difference(a: float, b: float) -> float:
    """a − b, with rounding errors taken for no difference."""
    return 0.0 if abs(a - b) <= _NOTHING * max(abs(a), abs(b)) else a - b


def contrast(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, Mechanism] | None:
    """The two to set against each other: the first that adds noise and the first traditional one
    (or, without one, the first DP version of a traditional method)."""
    first = next((m for m in mechanisms if m.does is Doing.NOISE), None)
    for family in ("sdc", "dp-sdc"):
        second = next((m for m in mechanisms if m.family == family), None)
        if first is not None and second is not None:
            return first, second
    return None


def sparsity(mechanisms: Sequence[Mechanism], table: Histogram, measure: Measure) -> Sparsity:
    """How does each method's error grow as empty groups are added to this table?"""
    alike = [m for m in mechanisms if treats_groups_alike(m)]
    lines = tuple(error_line(m, table, measure) for m in alike)
    two = contrast(alike)
    pair = None if two is None else (lines[alike.index(two[0])], lines[alike.index(two[1])])
    empty = int((table.counts == 0).sum())
    return Sparsity(
        measure, len(table) - empty, empty, lines,
        tuple(m for m in mechanisms if not treats_groups_alike(m)),
        pair, None if pair is None else crossing(*pair), table.weighted,
    )


@dataclass(frozen=True, eq=False)
class CrossingByEpsilon:
    """The crossing for every ε of the first method; the second stays as it is.

    `break_even` is the least ε from which the first is the better one on the present table (None:
    for no ε that is drawn), `at_once` says that it is so from the first ε on.
    """

    crossings: Curve[Crossing]
    second: Mechanism
    share: float
    break_even: float | None
    at_once: bool

    @property
    def first(self) -> Mechanism:
        return self.crossings.mechanism


def crossing_by_epsilon(found: Sparsity, table: Histogram) -> CrossingByEpsilon | None:
    """How does the crossing move with the first method's ε? None where it has no ε."""
    if found.pair is None or EPSILON.name not in found.pair[0].mechanism.settings():
        return None
    first, second = found.pair
    lines = sweep(
        first.mechanism, EPSILON, lambda m: error_line(m, table, found.measure),
        EPSILON.points(_EPSILONS),
    )

    def behind(line: ErrorLine) -> float:
        """By how many people the first method's error is the larger one on the present table."""
        return line.at(found.empty) - second.at(found.empty)

    def behind_at(epsilon: float) -> float:
        return behind(error_line(
            first.mechanism.replace(epsilon=epsilon), table, found.measure))

    ahead = next((i for i, line in enumerate(lines.points) if behind(line) < 0), None)
    break_even = None if ahead is None else float(lines.values[ahead])
    if ahead:
        break_even = float(brentq(behind_at, lines.values[ahead - 1], lines.values[ahead]))
    crossings = Curve(
        lines.mechanism, lines.values, tuple(crossing(line, second) for line in lines.points),
        lines.here,
    )
    return CrossingByEpsilon(crossings, second.mechanism, found.share, break_even, ahead == 0)


@dataclass(frozen=True, eq=False)
class MarginalTable:
    """The same people counted by some of the features, and each method's error there: in all
    groups, and in those that have people.

    `errors` has None where a method cannot treat this table (it lacks a feature to swap, say);
    `step` is the position in the sequence that adds one feature at a time, None off that path.
    """

    names: tuple[str, ...]
    title: str
    groups: int
    empty: int
    step: int | None
    errors: tuple[float | None, ...]
    people_errors: tuple[float | None, ...]

    @property
    def share(self) -> float:
        return self.empty / self.groups


@dataclass(frozen=True, eq=False)
class Marginals:
    """The tables from sparse in features to rich, and the methods that are drawn."""

    measure: Measure
    mechanisms: tuple[Mechanism, ...]
    left_out: tuple[Mechanism, ...]
    tables: tuple[MarginalTable, ...]
    weighted: bool = False  # in people represented

    @property
    def path(self) -> tuple[MarginalTable, ...]:
        """One feature more at each step, in the order in which they were chosen."""
        on_path = [t for t in self.tables if t.step is not None]
        return tuple(sorted(on_path, key=lambda t: len(t.names)))


def known_exactly(mechanism: Mechanism, measure: Measure) -> bool:
    """Is this error known without drawing releases?"""
    return mechanism.knows_mean if measure == "l1_bias" else mechanism.is_exact


def marginals(
    mechanisms: Sequence[Mechanism], table: Histogram, measure: Measure
) -> Marginals:
    """How large is the error when the same people are counted by one feature, by two, by more?"""
    drawn = tuple(m for m in mechanisms if known_exactly(m, measure))
    found = []
    for axes in _feature_sets(table.domain.shape):
        counted = _marginal_table(table, axes)
        nested = axes == tuple(range(len(axes)))
        errors = [_errors(m, counted, measure) for m in drawn]
        found.append(
            MarginalTable(
                counted.domain.names, " × ".join(f.title for f in counted.domain.features),
                len(counted), int((counted.counts == 0).sum()), len(axes) if nested else None,
                tuple(whole for whole, _ in errors), tuple(people for _, people in errors),
            )
        )
    return Marginals(
        measure, drawn, tuple(m for m in mechanisms if not known_exactly(m, measure)), tuple(found),
        table.weighted,
    )


def joined(parts: Sequence[Marginals]) -> Marginals:
    """Methods that were computed one by one (so that each can be kept), as one result."""
    tables = tuple(
        replace(
            same[0], errors=tuple(error for table in same for error in table.errors),
            people_errors=tuple(error for table in same for error in table.people_errors),
        )
        for same in zip(*(part.tables for part in parts), strict=True)
    )
    return Marginals(
        parts[0].measure, tuple(m for part in parts for m in part.mechanisms),
        tuple(m for part in parts for m in part.left_out), tables, parts[0].weighted,
    )


def _feature_sets(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    features = len(shape)
    together = math.prod(1 + values for values in shape)  # groups of all combinations, added up
    if features > MOST_FEATURES or together > MOST_GROUPS:
        return [tuple(range(order)) for order in range(1, features + 1)]
    return [
        axes for order in range(1, features + 1)
        for axes in itertools.combinations(range(features), order)
    ]


def _marginal_table(table: Histogram, axes: tuple[int, ...]) -> Histogram:
    counts: NDArray[np.int64] = marginal(table.counts, table.domain, axes).ravel().astype(np.int64)
    weights = table.weights and replace(
        table.weights, people=marginal(table.weights.people, table.domain, axes).ravel())
    domain = Domain(tuple(table.domain.features[a] for a in axes))
    known = table.find_households and functools.partial(_households, table, axes, domain.shape)
    return Histogram(counts, domain, weights, known)


def _households(table: Histogram, axes: tuple[int, ...], shape: tuple[int, ...]) -> Households:
    """Who lives with whom, where people are counted by these features alone."""
    assert table.households is not None
    codes = np.unravel_index(np.arange(len(table)), table.domain.shape)
    return table.households.mapped(np.ravel_multi_index(tuple(codes[a] for a in axes), shape))


def _errors(
    mechanism: Mechanism, table: Histogram, measure: Measure
) -> tuple[float, float] | tuple[None, None]:
    """The error in all groups, and in those that have people."""
    try:
        mechanism.check(table)
        if measure == "l1_bias" and isinstance(mechanism, ExactBias):
            each = np.abs(mechanism.bias(table))
        elif measure == "l1_error" and isinstance(mechanism, ExactMoments):
            each = mechanism.exact_moments(table)[2]
        else:
            return None, None
    except InputError:
        return None, None  # the table lacks a feature that the method needs
    each = each * table.per_record
    return float(each.sum()), float(each[table.counts > 0].sum())

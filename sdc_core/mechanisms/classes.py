"""Classes of records that look alike: what is published about them, and what may be drawn back.

A k-anonymous table lists, for each class, the values that occur in it and how many records it has.
To compare it with the original, records are drawn back into the original space (P1 Alg. 5): each
takes, feature by feature, one of the values of its class. Features outside the quasi-identifiers
stay with their record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from sdc_core.errors import InputError
from sdc_core.histogram import Feature
from sdc_core.mechanisms.mondrian import Floats, Ints, Partition, partition
from sdc_core.mechanisms.moves import Patterns, expected_absolute_error, expected_and_variance

MAX_NUMBERS = 1 << 26  # of a dense matrix of moves


@dataclass(frozen=True, eq=False)
class _Groups(Patterns):
    """Records of one row and one class: they all move alike."""

    group_rows: Ints
    group_sizes: Ints

    @property
    def rows(self) -> Ints:
        return self.group_rows

    @property
    def sizes(self) -> Ints:
        return self.group_sizes


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of one or several tables over the same patterns."""

    patterns: Patterns
    parts: Partition
    strict: bool

    @classmethod
    def of(cls, patterns: Patterns, counts: Ints, k: int, cuts: str) -> Classes:
        """Mondrian's classes; `counts` are the patterns' sizes, one row for each table."""
        ordered = [patterns.table.domain.features[i].ordered for i in patterns.qi_axes]
        found = partition(qi_codes(patterns), counts, ordered, k, cuts)
        return cls(patterns, found, cuts == "strict")

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def features(self) -> tuple[Feature, ...]:
        return tuple(self.patterns.table.domain.features[i] for i in self.patterns.qi_axes)

    @cached_property
    def values(self) -> list[Floats]:
        """For each quasi-identifier: how many records of each class have each value."""
        codes = qi_codes(self.patterns)[self.parts.patterns]
        out = []
        for j, feature in enumerate(self.features):
            index = self.parts.classes * len(feature) + codes[:, j]
            held = np.bincount(index, self.parts.sizes, minlength=len(self) * len(feature))
            out.append(held.reshape(len(self), len(feature)).astype(np.float64))
        return out

    @cached_property
    def chances(self) -> list[Floats]:
        """For each quasi-identifier: how a record of each class draws its value.

        Any of the values that occur, all alike. Bins of a number: N(μ, σ) rounded, with μ the
        middle and σ a quarter of the class's range; what falls outside goes to the end bins.
        """
        return [
            _bell(held > 0) if feature.ordered else _alike(held > 0)
            for feature, held in zip(self.features, self.values, strict=True)
        ]

    @cached_property
    def groups(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Table, row, class and size of all records that stand in one row and one class."""
        rows = self.patterns.rows[self.parts.patterns]
        height = len(self.patterns.matrix)
        key = (self.parts.tables * height + rows) * max(len(self), 1) + self.parts.classes
        found, which = np.unique(key, return_inverse=True)
        sizes = np.bincount(which.reshape(-1), self.parts.sizes, minlength=len(found))
        place, label = np.divmod(found, max(len(self), 1))
        return place // height, place % height, label, sizes.astype(np.int64)

    def draw(self, rngs: Sequence[np.random.Generator]) -> Floats:
        """One table of records drawn back for each table of classes, with its own generator.

        Feature by feature, a multinomial draw for all records that are alike so far.
        """
        tables, rows, labels, sizes = self.groups
        height, width = self.patterns.matrix.shape
        out = np.zeros((len(rngs), height * width))
        ends = np.searchsorted(tables, np.arange(len(rngs) + 1))
        for t, rng in enumerate(rngs):
            mine = slice(ends[t], ends[t + 1])
            cell, label, number = rows[mine], labels[mine], sizes[mine]
            for chance in self.chances:
                if not len(number):
                    break
                drawn = rng.multinomial(number, chance[label])
                which, value = np.nonzero(drawn)
                cell = cell[which] * chance.shape[1] + value
                label, number = label[which], drawn[which, value]
            out[t] = np.bincount(cell, number, minlength=height * width)
        return self.patterns.back(out.reshape(len(rngs), height, width))

    @cached_property
    def boxes(self) -> tuple[Ints, Ints, Floats]:
        """Class, combination of quasi-identifiers, and the chance of it, where it is not zero."""
        label = np.arange(len(self))
        column, chance = np.zeros(len(self), dtype=np.int64), np.ones(len(self))
        for law in self.chances:
            which, value = np.nonzero(law[label])
            chance = chance[which] * law[label[which], value]
            column = column[which] * law.shape[1] + value
            label = label[which]
        return label, column, chance

    def moments(self) -> tuple[Floats, Floats, Floats]:
        """Mean, variance and expected absolute error of each count, for classes of one table."""
        return self._disjoint_moments() if self.strict else self._overlapping_moments()

    def _disjoint_moments(self) -> tuple[Floats, Floats, Floats]:
        """Strict classes have no combination in common, so each count is binomial.

        With F the distribution function of Bin(n, π):
        E|Y - x| = 2 (x F_n(x) - n π F_{n-1}(x - 1)) + n π - x.
        """
        _, rows, labels, sizes = self.groups
        label, column, chance = self.boxes
        height, width = self.patterns.matrix.shape
        people = np.zeros((height, len(self)))
        people[rows, labels] = sizes
        n, p = np.zeros((height, width)), np.zeros(width)
        n[:, column], p[column] = people[:, label], chance
        x, mean = self.patterns.matrix, n * p
        below = x * binom.cdf(x, n, p) - mean * binom.cdf(x - 1, np.maximum(n - 1, 0), p)
        back = self.patterns.back
        return back(mean), back(mean * (1 - p)), back(np.maximum(2 * below + mean - x, 0.0))

    def _overlapping_moments(self) -> tuple[Floats, Floats, Floats]:
        """Relaxed classes may share a value: each count is a sum of binomials."""
        _, rows, labels, sizes = self.groups
        label, column, chance = self.boxes
        if (len(sizes) + len(self)) * self.patterns.n_q > MAX_NUMBERS:
            raise InputError(
                "This table is too large for exact figures with relaxed cuts. Use cuts=strict, or "
                "fewer quasi_identifiers."
            )
        law = np.zeros((len(self), self.patterns.n_q))
        law[label, column] = chance
        groups = _Groups(self.patterns.table, self.patterns.qi_axes, rows, sizes)
        mean, variance = expected_and_variance(groups, law[labels])
        return mean, variance, expected_absolute_error(groups, law[labels])

    def described(self) -> pd.DataFrame:
        """The generalised table: each class's values in words, and how many records it has."""
        columns = {
            feature.title: [_words(feature, row > 0) for row in held]
            for feature, held in zip(self.features, self.values, strict=True)
        }
        return pd.DataFrame({**columns, "count": self.parts.class_sizes})

    def by_class(self, axis: int) -> Floats:
        """Records of each class by the values of a feature that is no quasi-identifier."""
        shape, qi_axes = self.patterns.table.domain.shape, self.patterns.qi_axes
        rest = [i for i in range(len(shape)) if i not in qi_axes]
        codes = np.unravel_index(self.patterns.rows, tuple(shape[i] for i in rest))
        index = self.parts.classes * shape[axis] + codes[rest.index(axis)][self.parts.patterns]
        held = np.bincount(index, self.parts.sizes, minlength=len(self) * shape[axis])
        return held.reshape(len(self), shape[axis]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Diversity:
    """How much do classes say about a sensitive feature? Each class, and the worst of them.

    `distinct`: fewest different values in a class (distinct ℓ-diversity). `entropy`: least
    exp(entropy) of the values in a class (entropy ℓ-diversity; equals `distinct` if all values are
    equally frequent). `closeness`: largest total-variation distance, ½ Σ |p - q|, between a class
    and the whole table (t-closeness with all values equally far from each other, also for bins of
    a number, where the original definition counts steps).
    """

    distinct: int
    entropy: float
    closeness: float
    by_class: pd.DataFrame


def diversity(classes: Classes, sensitive: str) -> Diversity:
    """ℓ-diversity (Machanavajjhala et al. 2007) and t-closeness (Li, Li and Venkatasubramanian
    2007, with total variation as the distance) of one table's classes."""
    (axis,) = classes.patterns.table.domain.axes([sensitive], "sensitive")
    if axis in classes.patterns.qi_axes:
        raise InputError(
            f"sensitive must not be a quasi-identifier, got {sensitive!r}: its values are "
            "generalised themselves. Choose another feature, or fewer quasi_identifiers."
        )
    held = classes.by_class(axis)
    share = held / held.sum(axis=1, keepdims=True)
    whole = held.sum(axis=0) / held.sum()
    entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
    table = classes.described().assign(
        **{
            "distinct values": (held > 0).sum(axis=1),
            "entropy ℓ": np.exp(entropy),
            "distance t": 0.5 * np.abs(share - whole).sum(axis=1),
        }
    )
    return Diversity(
        int(table["distinct values"].min()), float(table["entropy ℓ"].min()),
        float(table["distance t"].max()), table,
    )


def qi_codes(patterns: Patterns) -> Ints:
    """Positions of each pattern in the values of each quasi-identifier (patterns × features)."""
    shape = tuple(patterns.table.domain.shape[i] for i in patterns.qi_axes)
    return np.stack(np.unravel_index(patterns.columns, shape), axis=1).astype(np.int64)


def _alike(held: np.ndarray) -> Floats:
    return held / held.sum(axis=1, keepdims=True)


def _bell(held: np.ndarray) -> Floats:
    """Chances of bins first..last under N((first + last)/2, (last - first)/4), rounded."""
    width = held.shape[1]
    first = held.argmax(axis=1)[:, None]
    last = (width - 1 - held[:, ::-1].argmax(axis=1))[:, None]
    spread = np.maximum((last - first) / 4, 1e-9)  # one bin only: all the weight is on it
    edges = np.arange(1, width)[None, :] - 0.5
    upto = norm.cdf((edges - (first + last) / 2) / spread)
    upto = np.where(edges < first, 0.0, np.where(edges > last, 1.0, upto))
    ends = np.ones((len(held), 1))
    law = np.diff(np.hstack([0 * ends, upto, ends]), axis=1)
    return law / law.sum(axis=1, keepdims=True)


def _words(feature: Feature, held: np.ndarray) -> str:
    """The values of a class in words: one, a range, a list, or any."""
    places = np.flatnonzero(held)
    if feature.ordered and len(places) > 1:
        whole = places[0] == 0 and places[-1] == len(feature) - 1
        span = f"{feature.labels[places[0]]} to {feature.labels[places[-1]]}"
        return "any" if whole else span
    if len(places) == len(feature) > 1:
        return "any"
    return " or ".join(feature.labels[i] for i in places)

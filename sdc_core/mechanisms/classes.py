"""Classes of records that look alike: what is published about them, and what may be drawn back.

A k-anonymous table lists, for each class, the values that occur in it and how many records it has.
To compare it with the original, records are drawn back into the original space (P1 Alg. 5): each
takes, feature by feature, one of the values of its class. Features outside the quasi-identifiers
stay with their record.

With a hierarchy the class is published as the smallest group of the hierarchy that holds all its
values, and a record may be drawn back as any value of that group: a reader cannot tell more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from sdc_core.errors import InputError
from sdc_core.hierarchy import Bools, Ladder, default_ladder
from sdc_core.histogram import Feature
from sdc_core.mechanisms.full_domain import generalise
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
    ladders: tuple[Ladder | None, ...]
    levels: tuple[int, ...] | None = None  # full-domain: one level a feature for all classes
    left_out: int = 0

    @classmethod
    def of(
        cls, patterns: Patterns, counts: Ints, k: int, cuts: str,
        hierarchies: Mapping[str, Ladder] | None = None,
    ) -> Classes:
        """Mondrian's classes; `counts` are the patterns' sizes, one row for each table."""
        features = [patterns.table.domain.features[i] for i in patterns.qi_axes]
        ladders = tuple((hierarchies or {}).get(feature.name) for feature in features)
        found = partition(
            qi_codes(patterns), counts, [feature.ordered for feature in features], k, cuts,
            [None if ladder is None else ladder.steps for ladder in ladders],
        )
        return cls(patterns, found, cuts == "strict", ladders)

    @classmethod
    def full_domain(
        cls, patterns: Patterns, k: int, limit: float, hierarchies: Mapping[str, Ladder]
    ) -> Classes:
        """The classes of full-domain generalisation, without the records that are left out."""
        features = [patterns.table.domain.features[i] for i in patterns.qi_axes]
        ladders = [hierarchies.get(f.name) or default_ladder(f) for f in features]
        found = generalise(qi_codes(patterns), patterns.sizes, ladders, k, limit)
        return cls(patterns, found.parts, True, tuple(ladders), found.levels, found.left_out)

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
    def class_levels(self) -> list[Ints | None]:
        """For each quasi-identifier with a hierarchy: the level at which each class stands."""
        fixed = self.levels or (None,) * len(self.ladders)
        return [
            None if ladder is None
            else ladder.lowest(held > 0) if level is None
            else np.full(len(self), level)
            for ladder, level, held in zip(self.ladders, fixed, self.values, strict=True)
        ]

    @cached_property
    def published(self) -> list[Bools]:
        """For each quasi-identifier: the values that each class is published with."""
        return [
            _shown(feature, held > 0) if ladder is None or levels is None
            else ladder.widened(held > 0, levels)
            for feature, held, ladder, levels in zip(
                self.features, self.values, self.ladders, self.class_levels, strict=True
            )
        ]

    @cached_property
    def chances(self) -> list[Floats]:
        """For each quasi-identifier: how a record of each class draws its value.

        Any of the values published, all alike. Bins of a number: N(μ, σ) rounded, with μ the
        middle and σ a quarter of the class's range; what falls outside goes to the end bins.
        """
        return [
            _drawn(feature, shown)
            for feature, shown in zip(self.features, self.published, strict=True)
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
            feature.title: [self.words(j, row) for row in range(len(self))]
            for j, feature in enumerate(self.features)
        }
        return pd.DataFrame({**columns, "count": self.parts.class_sizes})

    def published_table(self) -> pd.DataFrame:
        """The same, with a last line for people whom full-domain generalisation leaves out."""
        found = self.described()
        if self.left_out:
            blank = ["not published: groups smaller than k", *[""] * (len(self.features) - 1)]
            found.loc[len(found)] = [*blank, self.left_out]
        return found

    def sentence(self) -> str:
        """How many groups are published, how large, and who is missing (of one table)."""
        sizes, total = self.parts.class_sizes, self.patterns.table.total
        if not len(sizes):
            return f"None of {total:,} people is published: no group is large enough."
        lone, low, high = len(sizes) == 1, int(sizes.min()), int(sizes.max())
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        parts = [
            f"{len(sizes):,} {'group' if lone else 'groups'} of {span} "
            f"{'person' if high == 1 else 'people'} {'stands' if lone else 'stand'} for "
            f"{sizes.sum():,} of {total:,} people."
        ]
        if self.levels is not None:
            raised = [
                f"{feature.title} (step {level} of {len(ladder or ()) - 1})"
                for feature, ladder, level in zip(
                    self.features, self.ladders, self.levels, strict=True
                ) if level
            ]
            parts.append(
                f"Coarser for everybody: {', '.join(raised)}." if raised
                else "No feature had to be made coarser."
            )
            parts.append(
                f"Left out, because their group is smaller than k: {self.left_out:,} of {total:,} "
                f"people ({100 * self.left_out / total:.2g}%)." if self.left_out
                else "Nobody is left out."
            )
        return " ".join(parts)

    def words(self, j: int, row: int, codes: bool = False) -> str:
        """A class's values of one feature: the group's own name, or the values, in words or as
        codes."""
        shown, ladder, levels = self.published[j][row], self.ladders[j], self.class_levels[j]
        own = ""
        if ladder is not None and levels is not None:
            own = ladder.name(int(levels[row]), int(shown.argmax()))
        feature = self.features[j]
        return own or _words(feature, shown, feature.values if codes else feature.labels)

    def by_class(self, axis: int) -> Floats:
        """Records of each class by the values of a feature that is no quasi-identifier."""
        shape, qi_axes = self.patterns.table.domain.shape, self.patterns.qi_axes
        rest = [i for i in range(len(shape)) if i not in qi_axes]
        codes = np.unravel_index(self.patterns.rows, tuple(shape[i] for i in rest))
        index = self.parts.classes * shape[axis] + codes[rest.index(axis)][self.parts.patterns]
        held = np.bincount(index, self.parts.sizes, minlength=len(self) * shape[axis])
        return held.reshape(len(self), shape[axis]).astype(np.float64)


def qi_codes(patterns: Patterns) -> Ints:
    """Positions of each pattern in the values of each quasi-identifier (patterns × features)."""
    shape = tuple(patterns.table.domain.shape[i] for i in patterns.qi_axes)
    return np.stack(np.unravel_index(patterns.columns, shape), axis=1).astype(np.int64)


def _shown(feature: Feature, held: Bools) -> Bools:
    """What is published without a hierarchy: the values that occur, of a number their range."""
    if not feature.ordered:
        return held
    from_first = np.maximum.accumulate(held, axis=1)
    to_last = np.maximum.accumulate(held[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(from_first & to_last)


def _drawn(feature: Feature, shown: Bools) -> Floats:
    """Chances of the values that are published; a group that is no range of bins has no middle."""
    if not feature.ordered:
        return _alike(shown)
    law = _bell(shown)
    gaps = (np.diff(shown.astype(np.int8), axis=1, prepend=0) == 1).sum(axis=1) > 1
    law[gaps] = _alike(shown[gaps])
    return law


def _alike(held: Bools) -> Floats:
    return held / held.sum(axis=1, keepdims=True)


def _bell(held: Bools) -> Floats:
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


def _words(feature: Feature, shown: Bools, names: Sequence[str]) -> str:
    """The values of a class by their names: one, a range, a list, or any."""
    places = np.flatnonzero(shown).tolist()
    if len(places) == len(feature) > 1:
        return "any"
    if feature.ordered and len(places) > 1 and places[-1] - places[0] == len(places) - 1:
        return f"{names[places[0]]} to {names[places[-1]]}"
    return " or ".join(names[i] for i in places)

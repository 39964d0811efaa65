"""Permutation swapping: records that are alike exchange some of their values at random.

Question: what does swapping change, what does it leave exactly as it was, and what does it promise?
(Bailie, Gong and Meng 2023, P3.) Records that agree on the match features form a stratum. In each
stratum every record is selected with probability p (again, if exactly one was), and the swap values
of the selected are handed round by a uniform derangement: nobody keeps their own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing, Floats, Mechanism
from sdc_core.mechanisms.derangement import Ints, deranged_flows, uniform_derangement
from sdc_core.parameters import Real, Several
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection
from sdc_core.privacy.swap_rate import (
    SwapRateEpsilon,
    largest_stratum,
    swap_rate_to_epsilon,
)

SWAP_RATE = Real(
    name="swap_rate", title="Share of records swapped", symbol="p", default=0.05,
    low=0.0, high=1.0, slider=(0.01, 0.99), percent=True, stronger="up",
    help="The chance of each record to be selected for swapping. At 0.05 about one record in "
    "twenty exchanges its swap values with others like it. Offices rarely say what they use; 2% to "
    "10% is a common guess.",
)
MATCH = Several(
    name="match", title="Swap only among records that agree on",
    default=("SEX", "INCOME_50K"),
    help="Records exchange values only with records that are the same in these features. More "
    "features make smaller groups: less is changed, and more is published exactly. None means that "
    "everybody may swap with everybody.",
)
SWAP = Several(
    name="swap", title="Values that are swapped", default=("PUMA",),
    least=1, alters=True,
    help="The values that the selected records hand round among themselves; usually the place.",
)
HOLD = Several(
    name="hold", title="Values that stay with the record", default=(),
    help="Leave it empty for all the rest. If you name them, every feature of the table must have "
    "one role: match, swap or hold.",
)

MAX_RECORDS = 10**9  # numpy draws hypergeometric numbers up to here

# Records per pair of kinds above which counting flows between kinds is faster than shuffling.
_RECORDS_PER_FLOW = 40


@dataclass(frozen=True)
class PermutationSwapping(Mechanism):
    """What happens when a share p of the records hand round their swap values within their stratum?

    Kept exactly: every count by match and hold features, and every count by match and swap
    features. Changed: how hold and swap features go together.
    """

    name = "permutation-swapping"
    does = Doing.SWAPPING
    title = "Permutation swapping"
    family = "sdc"
    acts_on = "records"
    summary = "Some records hand round their values, such as the place, among records like them."
    citation = "Bailie, Gong and Meng 2023 (P3)"
    protection = Protection(
        what="The link between the swapped features and those that are neither swapped nor "
        "matched.",
        where="Only among data with the same invariants: counts by match and hold features, and "
        "counts by match and swap features, are released exactly.",
        unit="One record (a household, if records are households). Two records that trade places "
        "are two units, so 2ε.",
        measured="By odds: a factor of e^ε for every record that differs. No exceptions within "
        "the invariants.",
        how_much="ε = ln(b + 1) − ln(p/(1 − p)) for a swap rate p up to one half; b is the "
        "largest group of matching records. Larger groups cost more.",
    )

    swap_rate: float = SWAP_RATE.field()
    match: tuple[str, ...] = MATCH.field()
    swap: tuple[str, ...] = SWAP.field()
    hold: tuple[str, ...] = HOLD.field()

    def check(self, table: Histogram) -> None:
        if table.total >= MAX_RECORDS:
            raise InputError(
                f"The table has {table.total:,} records; permutation swapping stops at "
                f"{MAX_RECORDS:,}."
            )
        roles = {"match": self.match, "swap": self.swap, "hold": self.hold}
        taken: dict[str, str] = {}
        for role, names in roles.items():
            table.domain.axes(names, role)
            for name in names:
                if name in taken:
                    raise InputError(
                        f"{taken[name]} and {role} both name {name!r}; a feature has one role. "
                        f"Take it out of one of them."
                    )
                taken[name] = role
        idle = [name for name in table.domain.names if name not in taken]
        if self.hold and idle:
            raise InputError(
                f"{', '.join(idle)} has no role: add it to match, swap or hold, or leave hold "
                "empty for all the rest."
            )

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        self.check(table)
        patterns = _Patterns.of(table, self.match, self.swap)
        rows = np.tile(table.counts.astype(np.float64), (len(rngs), 1))
        for row, rng in zip(rows, rngs, strict=True):
            patterns.exchange(row, self.swap_rate, rng)
        return rows

    def bias(self, data: Histogram | Iterable[int]) -> Floats:
        """By how much is each count off on average? Exactly.

        A selected record receives the swap value of a uniformly random other record of its stratum,
        so with n records in it, x of the cell, x_h with the same hold values and n_s with the same
        swap values, the bias is P(selected) (x_h n_s - n x) / (n - 1).
        """
        table = data if isinstance(data, Histogram) else Histogram.from_counts(data)
        self.check(table)
        x = table.counts.reshape(table.domain.shape).astype(np.float64)
        match = table.domain.axes(self.match, "match")
        swap = table.domain.axes(self.swap, "swap")
        hold = tuple(a for a in range(x.ndim) if a not in match and a not in swap)
        n = x.sum(axis=hold + swap, keepdims=True)
        same_hold = x.sum(axis=swap, keepdims=True)
        same_swap = x.sum(axis=hold, keepdims=True)
        chance = selection_probability(self.swap_rate, n)
        return (chance * (same_hold * same_swap - n * x) / np.maximum(n - 1, 1)).ravel()

    def guarantee_from(self, facts: Facts) -> Guarantee:
        names: tuple[str, ...] = ()
        if facts.table is not None:
            names = facts.table.domain.names
            if facts._stratum_size is None:
                size = largest_stratum(facts.table, self.match).size
                facts = dataclasses.replace(facts, _stratum_size=size)
        promised = swap_rate_to_epsilon(self.swap_rate, facts.stratum_size)
        words: dict[str, Any] = {
            "neighbours": Neighbours.SAME_INVARIANTS,
            "invariants": self.published_exactly(facts.table), "citation": self.citation,
        }
        if math.isinf(promised.theorem):
            return Guarantee.of_log_rest(None, None, -math.inf, remark=self._no_promise(), **words)
        return Guarantee.of_delta(
            promised.theorem, 0.0, 0.0, remark=self._remark(promised, names), **words
        )

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        titles = {} if table is None else {f.name: f.title for f in table.domain.features}
        rest = self.hold or tuple(n for n in titles if n not in (*self.match, *self.swap))
        if table is None and not self.hold:
            rest = ("all features that are not swapped",)

        def words(names: Sequence[str]) -> str:
            return " × ".join(titles.get(name, name) for name in names)

        by_hold = words((*self.match, *rest))
        return (
            f"counts by {by_hold} (match and hold features)" if by_hold
            else "the number of records",
            f"counts by {words((*self.match, *self.swap))} (match and swap features)",
        )

    def _remark(self, promised: SwapRateEpsilon, names: Sequence[str]) -> str:
        if promised.stratum_size == 1:
            return (
                "An empty promise: no two records agree on the match features, so nothing is ever "
                "swapped, and the totals that are published exactly are the whole table."
            )
        if names and set(names) <= {*self.match, *self.swap}:
            return (
                "An empty promise: every feature is matched or swapped and none stays with the "
                "record, so the table comes out exactly as it was."
            )
        return (
            "The promise is about tables that agree in all the totals published exactly, and says "
            "nothing about what those totals reveal. It is counted per record that changes: for "
            "two records that exchange values the odds may move by twice this ε. The largest "
            f"stratum has {promised.stratum_size:,} records, and a larger one makes ε larger. The "
            f"exact worst case is ε = {promised.exact:.2f}; the theorem is on the safe side of it."
        )

    def _no_promise(self) -> str:
        if self.swap_rate == 0:
            return "No promise: at a swap rate of 0 nothing is swapped and the data come out as is."
        return (
            "No promise: at a swap rate of 1 every record for sure loses its own value, so some "
            "outcomes are impossible for one table and possible for its neighbour."
        )


def selection_probability(rate: float, n: Floats) -> Floats:
    """How likely is a record of a stratum of n to be swapped?

    [p - p (1-p)^(n-1)] / [1 - n p (1-p)^(n-1)]: selected, given that it is not alone; 0 if n < 2.
    """
    others_not = np.power(1 - rate, np.maximum(n - 1, 1))
    if 0 < rate < 1:
        somebody_else = -np.expm1(np.maximum(n - 1, 1) * np.log1p(-rate))
    else:
        somebody_else = 1 - others_not
    return np.where(n >= 2, rate * somebody_else / (1 - np.maximum(n, 2) * rate * others_not), 0.0)


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The occupied cells, ordered by stratum; a cell's number is its `rest` plus its `place`.

    Exchanging swap values then means adding one record's rest to another record's place.
    """

    rest: Ints
    place: Ints
    counts: Ints
    starts: Ints  # of each stratum that has at least two records
    stops: Ints

    @classmethod
    def of(cls, table: Histogram, match: Sequence[str], swap: Sequence[str]) -> _Patterns:
        cells = np.flatnonzero(table.counts)
        shape = table.domain.shape
        codes = np.unravel_index(cells, shape)

        def part(names: Sequence[str], role: str) -> Ints:
            axes = table.domain.axes(names, role)
            own = [c if a in axes else np.zeros_like(c) for a, c in enumerate(codes)]
            return np.ravel_multi_index(own, shape).astype(np.int64)

        stratum, place = part(match, "match"), part(swap, "swap")
        order = np.argsort(stratum, kind="stable")
        cells, stratum, place = cells[order], stratum[order], place[order]
        starts = np.flatnonzero(np.diff(stratum, prepend=-1))
        stops = np.append(starts[1:], len(cells))
        counts = table.counts[cells]
        sizes = np.add.reduceat(counts, starts) if len(starts) else np.zeros(0, dtype=np.int64)
        return cls(cells - place, place, counts, starts[sizes >= 2], stops[sizes >= 2])

    def exchange(self, row: Floats, rate: float, rng: np.random.Generator) -> None:
        """Swap within every stratum, in place."""
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            selected = rng.binomial(self.counts[start:stop], rate)
            while selected.sum() == 1:  # nobody to exchange with: select again
                selected = rng.binomial(self.counts[start:stop], rate)
            kinds = np.flatnonzero(selected)
            if len(kinds):
                number, kinds = selected[kinds], kinds + start
                self._hand_round(row, kinds, number, rng)

    def _hand_round(
        self, row: Floats, kinds: Ints, number: Ints, rng: np.random.Generator
    ) -> None:
        """A derangement of the selected records: `number` of each of these kinds."""
        rest, place = self.rest[kinds], self.place[kinds]
        row[rest + place] -= number
        if number.sum() > _RECORDS_PER_FLOW * len(kinds) ** 2:
            cells = rest[:, None] + place
            np.add.at(row, cells.ravel(), deranged_flows(number, rng).ravel())
        else:
            donors = uniform_derangement(int(number.sum()), rng)
            np.add.at(row, np.repeat(rest, number) + np.repeat(place, number)[donors], 1.0)

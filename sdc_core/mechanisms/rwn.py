"""Randomization within neighbourhoods: values are taken from similar records, one at a time.

Question: what happens when each value of a record may be replaced by that of somebody similar? For
each variable by itself a coin decides whether the record keeps its value or takes the value of a
random record of its neighbourhood. Different variables may have different donors. (P4 §4)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import Doing, Effort, Floats
from sdc_core.mechanisms.moves import Patterns, counts_that_stay
from sdc_core.mechanisms.moving import MAX_PATTERNS, Moving
from sdc_core.mechanisms.neighbour_tables import (
    NeighbouringTables,
    altered_domain,
    small_table,
)
from sdc_core.mechanisms.neighbours import (
    Neighbourhoods,
    all_neighbours,
    from_pairs,
    from_parts,
    from_sample,
)
from sdc_core.mechanisms.table_neighbours import points_of, shares_of_neighbours
from sdc_core.parameters import Choice, Integer, Param, Real, Several
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection
from sdc_core.records import Records, Scale

CHANGE = Real(
    name="q", title="Chance that a value is replaced", symbol="q", default=0.5,
    low=0.0, high=1.0, slider=(0.0, 1.0), percent=True, stronger="up",
    help="Each value of each record is replaced with this chance, whatever becomes of the record's "
    "other values. At 100% no record keeps a value of its own, but it may borrow the same one.",
)
NEAREST = Integer(
    name="k", title="Nearest records", symbol="k", default=5, low=1, high=10_000,
    slider=(1, 75), unit="records", stronger="up",
    help="Every record can take values from at least this many others, its nearest ones, however "
    "far away they are.",
)
RADIUS = Real(
    name="radius", title="Radius", symbol="r", default=0.0, low=0.0, high=100.0,
    slider=(0.0, 1.5), stronger="up",
    help="Values may also come from everybody within this distance. Numbers are scaled so that "
    "their range is 1, and two records that differ in one category are √2 apart.",
)
CHANGED = Several(
    name="variables", title="Variables that may change", symbol="V", default=(), alters=True,
    placeholder="all",
    help="Only these are replaced; all others stay with their record. Empty: all of them, as the "
    "paper does. Who is similar is always judged by all variables.",
)
SEARCH = Choice(
    name="search", title="Where similar records are looked for", default="all",
    choices=("all", "sample", "pairs", "parts"), advanced=True,
    titles={"all": "among all records", "sample": "in one random sample",
            "pairs": "among random pairs", "parts": "within random parts"},
    help="For files with very many records: the nearest of fewer records are less similar. On a "
    "table of counts all records are always looked at.",
)
LOOKED_AT = Integer(
    name="looked_at", title="Records looked at", symbol="m", default=1000, low=2, high=1_000_000,
    slider=(100, 10_000), advanced=True,
    help="With how many others a record is compared: the size of the sample or of the parts, or "
    "the number of pairs that each record is in.",
)
_SEARCHES: dict[str, Callable[..., Neighbourhoods]] = {
    "sample": from_sample, "pairs": from_pairs, "parts": from_parts,
}


@dataclass(frozen=True)
class Rwn(Moving):
    """What does taking single values from similar records do? (P4 §4)

    Donors are records of the original data. Each record moves by itself, so the expected number of
    records with any combination of values, and its variance, are exact.
    """

    name = "rwn"
    does = Doing.SWAPPING
    title = "RWN borrowing"
    plain = "Borrow values from similar records"
    doing = "borrowing values from similar records"
    family = "sdc"
    summary = "Replaces single values by those of random similar records, each variable by itself."
    citation = "Perry, Matloff and Tendick 2024 (P4) §4, §10"
    protection = Protection(
        what="Single values of a record, whichever variables may change.",
        where="As far as similar records differ: a replaced value is that of a similar record, so "
        "about where it lies is not hidden. Variables that may not change stay as they are.",
        unit="One value of one record; each is decided by itself.",
        measured="Not at all by odds. A coin decides: with chance q a value comes from somebody "
        "else, which says how often a value is the person's own, not what a release gives away.",
        how_much="q, and how many similar records there are. There is no ε; whoever shares all "
        "values with k others is published unchanged, so δ = 1.",
    )

    q: float = CHANGE.field()
    k: int = NEAREST.field()
    radius: float = RADIUS.field()
    variables: tuple[str, ...] = CHANGED.field()
    search: str = SEARCH.field()
    looked_at: int = LOOKED_AT.field()

    def relevant_params(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params() if p is not LOOKED_AT or self.search != "all")

    # On records

    def check_records(self, records: Records) -> None:
        records.axes(self.variables, "variables")
        self._refuse_few(len(records))

    def _refuse_few(self, number: int) -> None:
        if self.k > number - 1:
            raise InputError(
                f"k must be at most the number of other records, {max(number - 1, 0):,}, got "
                f"{self.k:,}. Ask for fewer neighbours."
            )

    def neighbourhoods(
        self, records: Records, rng: np.random.Generator | None = None
    ) -> Neighbourhoods:
        """Everybody's neighbours. They are random where not all records are looked at."""
        self.check_records(records)
        if self.search == "all":
            return _among_all(records, self.k, self.radius)
        points = Scale.of(records).points(records)
        rng = rng or np.random.default_rng(0)
        return _SEARCHES[self.search](points, self.k, self.radius, self.looked_at, rng)

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]:
        """One release a generator, record by record in the order of the file."""
        changed = records.axes(self.variables, "variables") or range(len(records.variables))
        for rng in rngs:
            near = self.neighbourhoods(records, rng)
            values = records.values.copy()
            for j in changed:
                replaced = rng.random(len(records)) < self.q
                pick = (rng.random(len(records)) * near.sizes).astype(np.int64)
                donor = near.members[near.starts[:-1] + pick]
                values[replaced, j] = records.values[donor[replaced], j]
            yield records.with_values(values)

    def expected_counts(self, records: Records, wanted: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the number of released records with each combination of values: one
        row of `wanted` a combination, one column a variable.

        Σ π and Σ π (1 - π), where π is a product over variables: (1 - q) if the value is the
        record's own, plus q times the share of its neighbours that have it.
        """
        if self.search != "all":
            raise InputError("Expected counts are known where neighbours are found among all.")
        near = self.neighbourhoods(records)
        changed = records.axes(self.variables, "variables") or range(len(records.variables))
        mean, variance = np.zeros(len(wanted)), np.zeros(len(wanted))
        for row, combination in enumerate(wanted):
            chance = np.ones(len(records))
            for j, value in enumerate(combination):
                column = records.values[:, j]
                own = (np.isnan(column) if np.isnan(value) else column == value).astype(np.float64)
                if j in changed:
                    held = np.add.reduceat(own[near.members], near.starts[:-1])
                    own = (1 - self.q) * own + self.q * held / near.sizes
                chance *= own
            mean[row], variance[row] = chance.sum(), (chance * (1 - chance)).sum()
        return mean, variance

    # On a table of counts

    def patterns(self, table: Histogram) -> Patterns:
        return _patterns(table, self.variables)

    def check(self, table: Histogram) -> None:
        patterns = self.patterns(table)
        self._refuse_few(table.total)
        self._refuse_many(patterns)
        self._refuse_wide(patterns)
        points_of(patterns)  # refuses a table whose records are all the same

    def effort(self, table: Histogram) -> Effort:
        """Each pattern is compared with each; with few neighbours a record reaches few cells."""
        patterns = self.patterns(table)
        number = min(len(patterns.sizes), MAX_PATTERNS)
        reached = number * patterns.n_q
        each = 1.2e-6 if self.radius > 0 else 6e-8
        return Effort(5e-8 * reached, each * reached, 7e-8 * number**2)

    def moves(self, patterns: Patterns) -> Floats:
        """A record's chances are a product over the features that may change."""
        self._refuse_few(patterns.table.total)
        near = shares_of_neighbours(patterns, self.k, self.radius)
        shape = [patterns.table.domain.shape[i] for i in patterns.qi_axes]
        codes = np.unravel_index(patterns.columns, shape)
        out = np.ones((len(patterns.sizes), 1))
        for levels, code in zip(shape, codes, strict=True):
            own = np.eye(levels)[code]
            chance = (1 - self.q) * own + self.q * (near @ own)
            out = (out[:, :, None] * chance[:, None, :]).reshape(len(out), -1)
        return np.minimum(out, 1.0)

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """Two groups whose members are each other's nearest records; one person moves over."""
        domain, at = altered_domain(self.variables, 2)
        before, after = (
            small_table(domain, (at(0, 0), self.k + 2 - moved), (at(1, 0), self.k + 1 + moved))
            for moved in (0, 1)
        )
        return [NeighbouringTables(
            before, after, f"one person moves between two groups, of {self.k + 2} and "
            f"{self.k + 1} people who agree in everything")]

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        if not self.variables:
            return ("the number of people",)
        return counts_that_stay(table, self.variables)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        within_reach = facts.table is not None and self.radius >= _diameter(facts.table)
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            is_bound=within_reach and self.q > 0,
            remark=self._remark(within_reach),
        )

    def _remark(self, within_reach: bool) -> str:
        if self.q == 0:
            return "No formal guarantee: with q = 0 every record is published as it is."
        bound = (
            f"What q does bound: each value is replaced with chance {self.q:.0%}, so it comes out "
            f"as the person's own with chance {1 - self.q:.0%}, or more where similar records "
            "share it. "
        )
        if within_reach:
            return (
                f"No formal guarantee. {bound}With this radius a value may come from anybody; how "
                "far below 1 that brings δ is not known."
            )
        return (
            f"No formal guarantee. {bound}That bounds no odds: {self.k + 1} people who agree in "
            "everything are each other's nearest records and always come out as they are, so "
            "two such groups show it for sure when one person moves from one to the other."
        )


@kept_with_first
def _among_all(records: Records, k: int, radius: float) -> Neighbourhoods:
    return all_neighbours(Scale.of(records).points(records), k, radius)


def _diameter(table: Histogram) -> float:
    """How far apart two records of the table can be."""
    squares = [
        (1.0 if f.ordered and not f.unordered_tail else 2.0) for f in table.domain.features
        if len(f) > 1
    ]
    return math.sqrt(sum(squares))


@kept_with_first
def _patterns(table: Histogram, variables: tuple[str, ...]) -> Patterns:
    axes = table.domain.axes(variables, "variables")
    return Patterns(table, axes or tuple(range(len(table.domain.features))))

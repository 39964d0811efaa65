"""Permutation swapping: records that are alike exchange some of their values at random.

Question: what does swapping change, what does it leave exactly as it was, and what does it promise?
(Bailie, Gong and Meng 2023, P3.) Records that agree on the match features form a stratum. In each
stratum every record is selected with probability p (again, if exactly one was), and the swap values
of the selected are handed round by a uniform derangement: nobody keeps their own. With households
as the unit the same is done to whole households.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc_core.data.schema import Role
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Histogram
from sdc_core.mechanisms import swap_units
from sdc_core.mechanisms.base import Doing, Effort, Floats, Mechanism, repetition_rng
from sdc_core.mechanisms.neighbour_tables import (
    OTHER,
    NeighbouringTables,
    Support,
    small_domain,
    small_table,
)
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.mechanisms.swap_units import SwapUnits
from sdc_core.parameters import Choice, Real, Several
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
    default=("SEX", "INCOME_50K"), roles=(Role.QUASI,), most=1,
    spare=2,  # one to be swapped, and one that it is swapped against
    help="Records exchange values only with records that are the same in these features. More "
    "features make smaller groups: less is changed, and more is published exactly. None means that "
    "everybody may swap with everybody.",
)
SWAP = Several(
    name="swap", title="Values that are swapped", default=("PUMA",),
    roles=(Role.PLACE, Role.QUASI), most=1, least=1, alters=True,
    help="The values that the selected records hand round among themselves; usually the place.",
)
HOLD = Several(
    name="hold", title="Values that stay with the record", default=(),
    help="Leave it empty for all the rest. If you name them, every feature of the table must have "
    "one role: match, swap or hold.",
)
UNIT = Choice(
    name="unit", title="What changes place", default="record", choices=("record", "household"),
    titles={"record": "single records", "household": "whole households"},
    help="Whole households exchange what all their members share, such as the place, with "
    "households of the same size whose members agree on the match features, one by one; so people "
    "who live together stay together. That needs a column that says who does (household id).",
)

MAX_RECORDS = 10**9  # numpy draws hypergeometric numbers up to here


@dataclass(frozen=True)
class PermutationSwapping(Mechanism):
    """What happens when a share p of the records hand round their swap values within their stratum?

    Kept exactly: every count by match and hold features, and every count by match and swap
    features. Changed: how hold and swap features go together. With whole households as the unit
    this holds of households, too: who lives together stays as it is.
    """

    name = "permutation-swapping"
    does = Doing.SWAPPING
    title = "Permutation swapping"
    plain = "Shuffle among matches"
    doing = "shuffling among matches"
    family = "sdc"
    acts_on = "records"
    summary = "Some records hand round their values, such as the place, among records like them."
    citation = "Bailie, Gong and Meng 2023 (P3)"
    protection = Protection(
        what="The link between the swapped features and those that are neither swapped nor "
        "matched.",
        where="Only among data with the same invariants: counts by match and hold features, and "
        "counts by match and swap features, are released exactly.",
        unit="One record, or one household if whole households are swapped. Two that trade places "
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
    unit: str = UNIT.field()

    def effort(self, table: Histogram) -> Effort:
        """Stratum by stratum, and the selected records one by one."""
        axes = table.domain.axes(self.match, "match")
        strata = min(math.prod(table.domain.shape[a] for a in axes), table.total)
        return Effort(2e-5 * strata + 2e-8 * (len(table) + table.total), 3e-8 * len(table))

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
        if self.whole_households:
            self._units(table)

    @property
    def whole_households(self) -> bool:
        return self.unit == "household"

    def _units(self, table: Histogram) -> SwapUnits:
        make = swap_units.households if self.whole_households else swap_units.records
        return make(table, self.match, self.swap)

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        self.check(table)
        units = self._units(table)
        rows = np.tile(table.counts.astype(np.float64), (len(rngs), 1))
        for row, rng in zip(rows, rngs, strict=True):
            units.exchange(row, self.swap_rate, rng)
        return rows

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves:
        self.check(table)
        if self.whole_households:
            raise InputError(
                "Whole households are not followed from record to record. Set unit=record."
            )
        units, rng = self._units(table), repetition_rng(seed, 0)
        moved = [(units.rest[kinds] + units.place[kinds], units.rest[kinds] + places,
                  np.broadcast_to(number, kinds.shape))
                 for _, _, kinds, places, number in units.handed_round(self.swap_rate, rng)]
        return RecordMoves.of_movers(table, moved)

    def support(self, table: Histogram) -> Support:
        """Counts by match and hold features and by match and swap features stay as they are."""
        numbers = np.arange(len(table)).reshape(table.domain.shape)
        match, swap = (table.domain.axes(names, "") for names in (self.match, self.swap))
        every = range(numbers.ndim)
        hold = [axis for axis in every if axis not in (*match, *swap)]
        sums: list[list[int]] = []
        for gone in (list(swap), hold):  # added up over these
            kept = [axis for axis in every if axis not in gone]
            size = math.prod(numbers.shape[axis] for axis in gone)
            sums += numbers.transpose(*kept, *gone).reshape(-1, size).tolist()
        return Support.of_sums(table, sums)

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """All of a stratum differ; two of them trade places, which is two units. And one record
        that changes alone, so that what is published exactly changes."""
        if self.whole_households:
            raise InputError(
                "An audit plays with small tables, which have no households. Try unit=record."
            )
        found = []
        for size in range(2, min(4, max(2, self._stratum_size(facts))) + 1):
            domain, at = self._small(size)
            people = [(i, i) for i in range(size)]
            traded = [(0, 1), (1, 0), *people[2:]]
            alone = [(0, 1), *people[1:]]
            before, after, other = (
                small_table(domain, *((at(*one), 1) for one in who))
                for who in (people, traded, alone)
            )
            found.append(NeighbouringTables(
                before, after, f"two of {size} people who match trade places"))
            found.append(NeighbouringTables(
                before, other, f"one of {size} people who match changes place alone", False))
        return found

    def _small(self, size: int) -> tuple[Domain, Callable[[int, int], tuple[int, ...]]]:
        """A domain with the features named here, of so many values held and swapped."""
        hold = self.hold or (OTHER,)
        wide = {hold[0]: size, self.swap[0]: size}
        domain = small_domain({n: wide.get(n, 1) for n in (*hold, *self.swap, *self.match)})
        between, behind = (0,) * (len(hold) - 1), (0,) * (len(self.swap) + len(self.match) - 1)
        return domain, lambda held, place: (held, *between, place, *behind)

    def bias(self, data: Histogram | Iterable[int]) -> Floats:
        """By how much is each count off on average? Exactly."""
        table = data if isinstance(data, Histogram) else Histogram.from_counts(data)
        self.check(table)
        return self._units(table).bias(self.swap_rate, len(table))

    def guarantee_from(self, facts: Facts) -> Guarantee:
        names: tuple[str, ...] = ()
        if facts.table is not None:
            names = facts.table.domain.names
        promised = swap_rate_to_epsilon(self.swap_rate, self._stratum_size(facts))
        empty = self._empty_promise(promised.stratum_size, names)
        if empty:  # no two tables agree in all that is published exactly
            return Guarantee.of_log_rest(
                None, None, -math.inf, neighbours=Neighbours.ONE_RECORD, remark=empty,
                invariants=("every count of the table",), citation=self.citation,
            )
        per = Neighbours.SAME_HOUSEHOLD_INVARIANTS if self.whole_households else (
            Neighbours.SAME_INVARIANTS)
        words: dict[str, Any] = {
            "neighbours": per, "distance": 2,
            "invariants": self.published_exactly(facts.table), "citation": self.citation,
        }
        if math.isinf(promised.theorem):
            # With four units or more some outcomes of a derangement of all are common to both.
            bound = self.swap_rate == 1 and promised.stratum_size > 3
            return Guarantee.of_log_rest(
                None, None, -math.inf, remark=self._no_promise(), is_bound=bound, **words)
        return Guarantee.of_delta(
            promised.theorem, 0.0, 0.0, remark=self._remark(promised), **words)

    def _stratum_size(self, facts: Facts) -> int:
        """As it was given, or that of the data."""
        if facts.table is None or facts._stratum_size is not None:
            return facts.stratum_size
        return self._largest(facts.table)

    def _largest(self, table: Histogram) -> int:
        """Units in the largest stratum."""
        if self.whole_households and table.total:
            return int(self._units(table).sizes.max())
        return largest_stratum(table, self.match).size

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        titles = {} if table is None else {f.name: f.title for f in table.domain.features}
        rest = self.hold or tuple(n for n in titles if n not in (*self.match, *self.swap))
        if table is None and not self.hold:
            rest = ("all features that are not swapped",)

        def words(names: Sequence[str]) -> str:
            return " × ".join(titles.get(name, name) for name in names)

        by_hold = words((*self.match, *rest))
        if self.whole_households:
            size = " and ".join(filter(None, ("size", words(self.match))))
            return (
                f"who lives together, by {by_hold or 'number'} (match and hold features)",
                f"households by their {size} and by {words(self.swap)} (match and swap features)",
            )
        return (
            f"counts by {by_hold} (match and hold features)" if by_hold
            else "the number of records",
            f"counts by {words((*self.match, *self.swap))} (match and swap features)",
        )

    @property
    def _unit(self) -> str:
        return "household" if self.whole_households else "record"

    def _empty_promise(self, stratum_size: int, names: Sequence[str]) -> str:
        """Why nothing is promised, where swapping changes no count."""
        what = self._unit
        if stratum_size == 1:
            return (
                f"An empty promise: no two {what}s agree on the match features, so nothing is ever "
                "swapped, and the totals that are published exactly are the whole table."
            )
        if names and set(names) <= {*self.match, *self.swap}:
            return (
                "An empty promise: every feature is matched or swapped and none stays with the "
                f"{what}, so the table comes out exactly as it was."
            )
        return ""

    def _remark(self, promised: SwapRateEpsilon) -> str:
        what = self._unit
        return (
            "The promise is about tables that agree in all the totals published exactly, and says "
            f"nothing about what those totals reveal. It is counted per {what} that changes, and "
            "nobody can exchange values alone: between the nearest tables the odds may move by "
            "twice this ε. The largest "
            f"stratum has {promised.stratum_size:,} {what}s, and a larger one makes ε larger. The "
            f"exact worst case is ε = {promised.exact:.2f}; the theorem is on the safe side of it."
        )

    def _no_promise(self) -> str:
        if self.swap_rate == 0:
            return "No promise: at a swap rate of 0 nothing is swapped and the data come out as is."
        return (
            "No promise: at a swap rate of 1 every record for sure loses its own value, so some "
            "outcomes are impossible for one table and possible for its neighbour."
        )

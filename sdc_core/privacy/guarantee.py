"""A guarantee as a fact that can be checked: published, true, and whether one bounds the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, as_counts


class Neighbours(StrEnum):
    """Which two data sets does a promise compare? The value is how it is said."""

    ONE_RECORD = "one person's record changes, so two counts change by one each"
    SAME_COMBINATIONS = f"{ONE_RECORD}; the same combinations occur before and after"
    SAME_AREA = "one person's record changes, but not its area"
    SAME_AREA_AND_COMBINATIONS = f"{SAME_AREA}; the same combinations occur before and after"
    SWAPPED_FEATURES = "one person's record changes, in swapped features only"
    SAME_INVARIANTS = (
        "data that agree on all invariants, per record that differs; an exchange between two "
        "records counts twice (2ε)"
    )
    SAME_HOUSEHOLD_INVARIANTS = (
        "data that agree on all invariants, per household that differs; an exchange between two "
        "households counts twice (2ε)"
    )


# Two formulas for one number may differ by rounding; anything more is a bound that fails.
ROUNDING = 1e-9
# Where nobody says how many people the data have, a δ is judged as if they were a million.
PEOPLE_IF_UNKNOWN = 1_000_000


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ) as the paper prints it and as it truly is.

    `delta_published` is None where no paper claims anything; `delta_tight` is the exact
    hockey-stick divergence at this ε, the worst over all neighbouring tables, or, where `is_bound`
    says so, an upper bound of it. `holds` says whether the published δ really bounds the true one;
    it is computed, never declared.

    Some δ are so near one that floating point cannot tell (1 - 1e-222), so ln(1 - δ) travels with
    them: -inf means that δ is one and nothing is promised. `log_within` likewise is the logarithm
    of the least chance, over neighbours, that the privacy loss of what is drawn is at most ε; None
    where it is not known. `exceeds`, one minus it, is never below δ: where the loss is finite, δ
    counts only what goes beyond ε. `as_drawn` says that it is known only for the noisy counts; what
    is made of them afterwards cannot make δ larger, but how often the loss is above ε it can.

    `invariants` are all that is published exactly; of these `read_off` were taken from the data
    because nobody declared them. `distance` is how many steps apart the nearest neighbours are.
    `added_epsilon` is an ε that holds with the same δ when a person is added or removed; None where
    the number of people is published, or where nothing is promised. `records` is how many people
    the data have, if known. `if_none_larger` says that δ was computed with the largest count of the
    data themselves: one person more can make a larger one, so that it is no promise to anybody,
    however small.
    """

    epsilon: float | None
    delta_published: float | None
    delta_tight: float
    log_rest_published: float | None
    log_rest_tight: float
    neighbours: Neighbours
    invariants: tuple[str, ...]
    citation: str
    remark: str
    log_within: float | None = None
    is_bound: bool = False
    distance: int = 1
    added_epsilon: float | None = None
    read_off: tuple[str, ...] = ()
    records: int | None = None
    as_drawn: bool = False
    if_none_larger: bool = False

    def __post_init__(self) -> None:
        """δ = 1 leaves no outcome within ε, and δ = 0 none beyond it."""
        settled = not self.formal or self.log_rest_tight == 0
        if self.log_within is None and settled and not self.is_bound:
            object.__setattr__(self, "log_within", self.log_rest_tight)
        if self.log_within is not None and not self.is_bound:  # two sums, each with its rounding
            object.__setattr__(self, "log_within", min(self.log_within, self.log_rest_tight))

    @classmethod
    def of_delta(
        cls, epsilon: float | None, published: float | None, tight: float, **words: Any
    ) -> Guarantee:
        """From δ itself, where it is not so near one."""
        log_published = None if published is None else log_rest(published)
        return cls(epsilon, published, tight, log_published, log_rest(tight), **words)

    @classmethod
    def of_log_rest(
        cls, epsilon: float | None, published: float | None, tight: float, **words: Any
    ) -> Guarantee:
        """From ln(1 - δ), for δ near one."""
        delta = None if published is None else -math.expm1(published)
        return cls(epsilon, delta, -math.expm1(tight), published, tight, **words)

    @property
    def holds(self) -> bool | None:
        """Does the published δ bound the true one? None where nothing was published, or where all
        that is known of the true one is a bound above it."""
        if self.delta_published is None or self.log_rest_published is None:
            return None
        if self.delta_published < 0.5:
            bounded = self.delta_tight <= self.delta_published * (1 + ROUNDING)
        else:
            slack = ROUNDING * (1 + abs(self.log_rest_published))
            bounded = self.log_rest_tight >= self.log_rest_published - slack
        return None if self.is_bound and not bounded else bounded

    @property
    def exceeds(self) -> float | None:
        """Pr[loss > ε], the largest over all neighbours: how often more than ε is given away."""
        return None if self.log_within is None else -math.expm1(self.log_within)

    @property
    def reliable(self) -> bool:
        """Is it a promise to rely on: for everyone, with a δ below one over the people?"""
        return self._kept and not self.conditional

    @property
    def reliable_in_part(self) -> bool:
        """The same, but only for what is not published exactly?"""
        return self._kept and self.conditional

    @property
    def _kept(self) -> bool:
        return self.small_delta and self.holds is not False and not self.if_none_larger

    @property
    def small_delta(self) -> bool:
        """Is δ below one over the people? A δ of 1/n allows to print one of n records as it is."""
        return self.delta_tight * (self.records or PEOPLE_IF_UNKNOWN) < 1

    @property
    def per_household(self) -> bool:
        """Is it about whole households, however many people live in one?"""
        return self.neighbours is Neighbours.SAME_HOUSEHOLD_INVARIANTS

    @property
    def conditional(self) -> bool:
        """Does the promise cover only what is not published exactly (invariants)?"""
        return self.formal and bool(self.invariants)

    @property
    def only_read_off(self) -> bool:
        """Is all that is published exactly read off the data, and nothing the method's own?"""
        return bool(self.read_off) and not self.own_invariants

    @property
    def own_invariants(self) -> tuple[str, ...]:
        """What the method itself publishes exactly: a promise holds only among data that agree in
        it, and says nothing about any other change of a record."""
        return tuple(fact for fact in self.invariants if fact not in self.read_off)

    @property
    def formal(self) -> bool:
        """Is anything promised at all, that is, is δ below one?"""
        return self.log_rest_tight > -math.inf

    def numbers(self) -> dict[str, Any]:
        """All of it by name, for tables and JSON."""
        return {
            "epsilon": self.epsilon, "delta_published": self.delta_published,
            "delta_tight": self.delta_tight, "delta_tight_is_a_bound": self.is_bound,
            "holds": self.holds, "loss_exceeds_epsilon": self.exceeds,
            "loss_is_of_noisy_counts": self.as_drawn,
            "ln_one_minus_delta_published": self.log_rest_published,
            "ln_one_minus_delta_tight": self.log_rest_tight,
            "neighbours": self.neighbours, "invariants": self.invariants,
            "read_off": self.read_off, "citation": self.citation, "remark": self.remark,
        }


def log_rest(delta: float) -> float:
    """ln(1 - δ)."""
    return math.log1p(-delta) if delta < 1 else -math.inf


@dataclass(frozen=True)
class Facts:
    """Facts of the data that a guarantee may need, asked for by name so that a gap is an error."""

    mechanism: str
    _cap: int | None = None
    _records: int | None = None
    _stratum_size: int | None = None
    _qi_domain_size: int | None = None
    table: Histogram | None = None
    cap_from_data: bool = False
    _used: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def of(
        cls,
        mechanism: str,
        data: Histogram | Iterable[int] | None,
        cap: int | None,
        records: int | None,
        stratum_size: int | None,
        qi_domain_size: int | None,
    ) -> Facts:
        for name, value, least in (
            ("records", records, 1), ("stratum_size", stratum_size, 1),
            ("qi_domain_size", qi_domain_size, 2),
        ):
            if value is not None and not (isinstance(value, (int, np.integer)) and value >= least):
                raise InputError(
                    f"{name} must be a whole number and at least {least}, got {value}."
                )
        if cap is not None and not (isinstance(cap, (int, np.integer)) and cap >= 1):
            raise InputError(
                f"cap must be a whole number and at least 1, got {cap}. It is the largest count."
            )
        from_data = data is not None and cap is None
        if data is not None:
            counts = as_counts(data)
            cap = cap if cap is not None else max(1, int(counts.max()))
            records = records if records is not None else int(counts.sum())
        table = data if isinstance(data, Histogram) else None
        return cls(mechanism, cap, records, stratum_size, qi_domain_size, table, from_data)

    def _need(self, value: int | None, name: str, meaning: str) -> int:
        if value is None:
            raise InputError(
                f"The guarantee of {self.mechanism} needs {meaning}: give data, or {name}=..."
            )
        return value

    @property
    def cap(self) -> int:
        """The cap, for a δ that is true only if no count is above it."""
        self._used.add("cap")
        return self._need(self._cap, "cap", "the largest count a cell may have (B)")

    def cap_up_to(self, enough: int) -> int:
        """The cap, for a printed formula in which counts beyond `enough` do not enter: then no cap
        has to be known."""
        if self._cap is None or self._cap >= enough:
            return enough
        self._used.add("printed cap")
        return self._cap

    @property
    def if_none_larger(self) -> bool:
        """Does a δ rest on the largest count of the data themselves?"""
        return self.cap_from_data and "cap" in self._used

    @property
    def known_records(self) -> int | None:
        return self._records

    def read_off(self, formal: bool) -> tuple[str, ...]:
        """What was taken from the data because nobody declared it, as it is listed; the largest
        count only where a promise (`formal`) rests on it."""
        found = []
        if self.table is not None:
            undeclared = [f for f in self.table.domain.features
                          if f.name in self.table.domain.read_off]
            values = [f.title for f in undeclared if not f.ordered]
            bins = [f.title for f in undeclared if f.ordered]
            found += [f"which values of {_and(values)} occur"] * bool(values)
            found += [f"where the bins of {_and(bins)} lie"] * bool(bins)
            found += ["the mean weight of each group"] * self.table.weighted
        if formal and self.cap_from_data and self._used:
            found.append(f"the largest count, {self._cap:,}")
        return tuple(found)

    @property
    def about_weights(self) -> str:
        """What weights do to a promise, where results are told in people represented."""
        weights = None if self.table is None else self.table.weights
        if weights is None:
            return ""
        return (
            "Promises are about records: one record stands for up to "
            f"{weights.largest:,.0f} people, on average for {weights.mean:,.1f}. The weights "
            f"themselves ({weights.column}) are not protected."
        )

    @property
    def records(self) -> int:
        return self._need(self._records, "records", "the number of records (m)")

    @property
    def stratum_size(self) -> int:
        return self._need(
            self._stratum_size, "stratum_size", "the size of the largest stratum (b)"
        )

    @property
    def qi_domain_size(self) -> int:
        return self._need(
            self._qi_domain_size, "qi_domain_size",
            "the number of combinations of quasi-identifiers (n_Q)",
        )


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

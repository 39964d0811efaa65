"""A guarantee as a fact that can be checked: published, tight, and whether one bounds the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
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


# Two formulas for one number may differ by rounding; anything more is a bound that fails.
ROUNDING = 1e-9
RELIABLE = 0.01  # a promise with a δ from here on is not one to rely on


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ) as the paper prints it and as it truly is.

    `delta_published` is None where no paper claims anything; `delta_tight` is the exact
    hockey-stick divergence at this ε, the worst over all neighbouring tables. `holds` says whether
    the published δ really bounds the tight one; it is computed, never declared.

    Some δ are so near one that floating point cannot tell (1 - 1e-222), so ln(1 - δ) travels with
    them: -inf means that δ is one and nothing is promised.
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

    @classmethod
    def of_delta(
        cls, epsilon: float | None, published: float | None, tight: float, **words: Any
    ) -> Guarantee:
        """From δ itself, where it is not so near one."""
        log_published = None if published is None else _log_rest(published)
        return cls(epsilon, published, tight, log_published, _log_rest(tight), **words)

    @classmethod
    def of_log_rest(
        cls, epsilon: float | None, published: float | None, tight: float, **words: Any
    ) -> Guarantee:
        """From ln(1 - δ), for δ near one."""
        delta = None if published is None else -math.expm1(published)
        return cls(epsilon, delta, -math.expm1(tight), published, tight, **words)

    @property
    def holds(self) -> bool | None:
        """Does the published δ bound the true one? None where nothing was published."""
        if self.delta_published is None or self.log_rest_published is None:
            return None
        if self.delta_published < 0.5:
            return self.delta_tight <= self.delta_published * (1 + ROUNDING)
        slack = ROUNDING * (1 + abs(self.log_rest_published))
        return self.log_rest_tight >= self.log_rest_published - slack

    @property
    def reliable(self) -> bool:
        """Is it a promise one can rely on: for everyone, and failing in less than one of 100?"""
        return self._rarely_fails and not self.conditional

    @property
    def reliable_in_part(self) -> bool:
        """The same, but only for what the untouched counts leave open?"""
        return self._rarely_fails and self.conditional

    @property
    def _rarely_fails(self) -> bool:
        return self.delta_tight < RELIABLE and self.holds is not False

    @property
    def conditional(self) -> bool:
        """Does the promise cover only what the untouched counts (invariants) leave open?"""
        return self.formal and bool(self.invariants)

    @property
    def formal(self) -> bool:
        """Is anything promised at all, that is, is δ below one?"""
        return self.log_rest_tight > -math.inf


def _log_rest(delta: float) -> float:
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
        if data is not None:
            counts = as_counts(data)
            cap = cap if cap is not None else max(1, int(counts.max()))
            records = records if records is not None else int(counts.sum())
        table = data if isinstance(data, Histogram) else None
        return cls(mechanism, cap, records, stratum_size, qi_domain_size, table)

    def _need(self, value: int | None, name: str, meaning: str) -> int:
        if value is None:
            raise InputError(
                f"The guarantee of {self.mechanism} needs {meaning}: give data, or {name}=..."
            )
        return value

    @property
    def cap(self) -> int:
        return self._need(self._cap, "cap", "the largest count a cell may have (B)")

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

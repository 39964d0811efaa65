"""What every mechanism declares, and what it may be able to do.

A mechanism is a frozen dataclass. Its fields are its parameters and each field carries a `Param`:
that one declaration gives validation, the error text, the widget, the URL key, the axis label and
the range that the property tests draw from.

What a mechanism can do is said by the methods it has (see the protocols at the end): without a
closed form it simply has no `bias`. Where that hangs on a setting, `is_exact` and `knows_mean` say
so, and asking all the same is an InputError.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, as_counts
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.parameters import Param, Real, Several
from sdc_core.people import Groups, as_records
from sdc_core.privacy.guarantee import Facts, Guarantee
from sdc_core.privacy.protection import Protection
from sdc_core.records import Records

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Family = Literal["dp", "sdc", "dp-sdc"]
ActsOn = Literal["cells", "records", "numbers"]  # numbers: of records, which no table of counts has


class Doing(StrEnum):
    """What a mechanism does to the data, for sentences about causes."""

    NOISE = "adds noise to every count"
    HIDING = "hides small counts"
    SWAPPING = "gives records the values of other records"
    REDRAWING = "draws new values for records at random"
    MERGING = "merges people into larger groups"
    SAMPLING = "keeps a random part of the records and merges people into larger groups"
    FITTING = "draws records from a model that is fitted to noisy counts"
    AVERAGING = "replaces numbers by the mean of similar records"
    BLURRING = "adds noise to the numbers of records"
    REPAIRING = "measures with noise and makes a consistent table of it"
    ROUNDING = "rounds counts up or down at random"
    SHIFTING = "shifts counts by a few people at random"


class Effort(NamedTuple):
    """About how many seconds a table takes on a usual machine: one release, all that is known in
    closed form, and what either needs once. For deciding whether to ask first, not for promising
    anything."""

    release: float
    moments: float
    once: float = 0.0

    def of(self, releases: int) -> float:
        """So many releases; none: the closed form."""
        return self.once + (releases * self.release if releases else self.moments)


FAMILY_TITLES: dict[Family, str] = {
    "dp": "Differential privacy",
    "sdc": "Traditional disclosure control",
    "dp-sdc": "DP version of a traditional method",
}


@dataclass(frozen=True)
class Release:
    """What a mechanism puts out: counts over the same domain, and how they came about."""

    mechanism: Mechanism
    histogram: Histogram
    counts: NDArray[Any]
    seed: int

    @property
    def hidden(self) -> Bools:
        """Which counts are hidden, with a stand-in in their place; none where nothing is."""
        if isinstance(self.mechanism, HidesCells):
            return self.mechanism.hidden_in(self.histogram, self.seed)
        return np.zeros(len(self.counts), dtype=np.bool_)

    def people(self) -> NDArray[np.int64]:
        """The counts as people, each of whom can be a record. Where they are not (counts that are
        hidden, below zero or not whole), a sentence that says so and what to do."""
        hidden = int(self.hidden.sum())
        if hidden:
            raise InputError(
                f"This release of {self.mechanism.name} hides {hidden:,} of {len(self.counts):,} "
                "counts, so it is not a list of people: what stands in for a hidden count is "
                "nobody. Take it as a table, which marks what is hidden."
            )
        if self.counts.dtype.kind != "i" or (self.counts < 0).any():
            tuned = "postprocess" in self.mechanism.settings()
            remedy = "Set postprocess so that counts are whole and not negative, or take" * tuned
            raise InputError(
                f"This release of {self.mechanism.name} has counts that are not whole people "
                f"(below zero, or fractions). {remedy or 'Take'} it as a table."
            )
        return self.counts

    @property
    def records(self) -> pd.DataFrame:
        """The release as records: every cell's values as often as its count says."""
        return as_records(self.people(), self.histogram.domain)


@dataclass(frozen=True)
class Declaration:
    """A mechanism as a catalogue entry: all a page or the command line needs to offer it."""

    name: str
    title: str
    plain: str
    family: Family
    acts_on: ActsOn
    summary: str
    params: tuple[Param, ...]
    counterpart: str | None
    citation: str
    exact: bool


@dataclass(frozen=True)
class Mechanism(ABC):
    """Base of all mechanisms: declarations, validation, and one release path.

    A subclass declares its class variables and parameters and writes `draw`. The samplers use
    floating-point noise: they are for study and demonstration, not for production release.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    proper_name: ClassVar[bool] = False  # the title keeps its capital within a sentence
    plain: ClassVar[str]  # what it does, in words that need no explanation: `Hide small counts`
    doing: ClassVar[str]  # the same as the subject of a sentence: `hiding small counts`
    family: ClassVar[Family]
    acts_on: ClassVar[ActsOn]
    summary: ClassVar[str]
    citation: ClassVar[str]
    protection: ClassVar[Protection]
    counterpart: ClassVar[str | None] = None
    does: ClassVar[Doing]
    slow: ClassVar[bool] = False  # takes so long on any table that a page asks before it starts

    def __post_init__(self) -> None:
        for param in self.params():
            object.__setattr__(self, param.name, param.validate(getattr(self, param.name)))

    @classmethod
    def params(cls) -> tuple[Param, ...]:
        return _declared_params(cls)

    @classmethod
    def declaration(cls) -> Declaration:
        return Declaration(
            cls.name, cls.title, cls.plain, cls.family, cls.acts_on, cls.summary, cls.params(),
            cls.counterpart, cls.citation, issubclass(cls, ExactMoments),
        )

    def settings(self) -> dict[str, Any]:
        return {param.name: getattr(self, param.name) for param in self.params()}

    def relevant_params(self) -> tuple[Param, ...]:
        """Parameters that change anything under the present settings (pages hide the rest)."""
        return self.params()

    def label(self) -> str:
        """Short name with the numbers that are tuned, and what is not as usual, for a legend:
        `Laplace ε=1`, `DP suppression ε=1 k=6 (one noisy threshold)`."""
        return " ".join([self.title, *self._numbers_and_options(None)])

    def label_without(self, param: Param) -> str:
        """The label without the parameter that runs along an axis, or that was said before."""
        return " ".join([self.title, *self._numbers_and_options(param.name)])

    def short_label(self, without: Param | None = None) -> str:
        """The label's name and numbers alone, for a sentence after one that had all of it."""
        numbers, _ = _label_parts(self, None if without is None else without.name)
        return " ".join([self.title, *numbers])

    def plain_label(self, without: Param | None = None) -> str:
        """What it does, then what it is called, then its settings, for charts and tables that are
        seen: `Hide small counts (suppression, k = 6)`."""
        named = self.title
        if not (self.proper_name or self.title[1:2].isupper()):
            named = self.title[:1].lower() + self.title[1:]
        return f"{self.plain} ({', '.join([named, *self._spaced(without)])})"

    def spoken(self, without: Param | None = None) -> str:
        """The subject of a sentence: `hiding small counts (k = 6)`."""
        settings = self._spaced(without)
        return f"{self.doing} ({', '.join(settings)})" if settings else self.doing

    def _spaced(self, without: Param | None) -> list[str]:
        parts = self._numbers_and_options(None if without is None else without.name)
        return [
            (part[1:-1] if part[:1] == "(" else part).replace("=", " = ") for part in parts
        ]

    def _numbers_and_options(self, left_out: str | None) -> list[str]:
        numbers, options = _label_parts(self, left_out)
        return [*numbers, *options]

    def code(self) -> str:
        """The Python that makes it: `sdc.mechanism('laplace', epsilon=1.0)`."""
        relevant = {p.name for p in self.relevant_params()}
        settings = [f"{k}={v!r}" for k, v in self.settings().items() if k in relevant]
        return f"sdc.mechanism({', '.join([repr(self.name), *settings])})"

    def replace(self, **changes: Any) -> Mechanism:
        return dataclasses.replace(self, **changes)

    @property
    def is_exact(self) -> bool:
        """Is everything about it known in closed form under the present settings?"""
        return issubclass(type(self), ExactMoments)  # looked up once a class, unlike isinstance

    @property
    def knows_mean(self) -> bool:
        """Is at least the expected table known, under the present settings?"""
        return issubclass(type(self), ExactBias)

    @property
    def altered_features(self) -> tuple[str, ...]:
        """The features whose values it hands round or coarsens, while all others stay with their
        record; empty for methods that change counts whatever the features are."""
        return tuple(
            name for p in self.params() if isinstance(p, Several) and p.alters
            for name in getattr(self, p.name)
        )

    def suited_to(self, table: Histogram) -> Mechanism:
        """The mechanism on this table: lists of features that stand as declared become those that
        the table has and, where it has none of them, those that suit by their roles. A feature has
        one role in a mechanism: what one list has taken is left out of the next."""
        features = table.domain.features
        lists = [p for p in self.params() if isinstance(p, Several)]
        untold = [p for p in lists if getattr(self, p.name) == p.default]
        taken = {n for p in lists if p not in untold for n in getattr(self, p.name)}
        suited = {}
        for param in untold:
            free = [f for f in features if f.name not in taken]
            suited[param.name] = param.offered(free or features).default
            taken |= {*suited[param.name]}
        return self.replace(**suited) if suited else self

    def effort(self, table: Histogram) -> Effort:
        """How long does a table of this size take?"""
        return Effort(5e-8 * len(table), 3e-8 * len(table))

    def check(self, table: Histogram) -> None:
        """Raise an InputError if this table cannot be treated with these settings."""
        return None

    @abstractmethod
    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        """One released table per generator, as rows of counts over the table's own domain."""

    def share_of_records(self, table: Histogram) -> float:
        """Which share of the records its releases are made of, on average; below one where some are
        left out and the rest is not scaled up, so that counts come out too low."""
        return 1.0

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        """What always comes out as it is (the invariants), by name where a table is given."""
        return ()

    @abstractmethod
    def guarantee_from(self, facts: Facts) -> Guarantee:
        """The guarantee, given the facts of the data that its formula needs."""

    def guarantee(
        self,
        data: Histogram | Iterable[int] | None = None,
        *,
        cap: int | None = None,
        records: int | None = None,
        stratum_size: int | None = None,
        qi_domain_size: int | None = None,
    ) -> Guarantee:
        """What the mechanism promises on this data: published, tight, and whether it holds.

        Facts that a formula needs (largest count, number of records, ...) are read off the data
        unless given. What is read off, the shape of the table and the mean weights of its groups
        included, is listed among what is published exactly: one person can change it.
        """
        if isinstance(data, Histogram):
            self.check(data)
        facts = Facts.of(self.name, data, cap, records, stratum_size, qi_domain_size)
        found = self.guarantee_from(facts)
        read_off = facts.read_off(found.formal)
        return dataclasses.replace(
            found, invariants=(*found.invariants, *read_off), read_off=read_off,
            records=facts.known_records, if_none_larger=found.formal and facts.if_none_larger,
            remark=f"{found.remark} {facts.about_weights}".strip(),
        )

    def release(self, data: Histogram | Iterable[int], seed: int) -> Release:
        histogram = data if isinstance(data, Histogram) else Histogram.from_counts(data)
        self.check(histogram)
        rng = repetition_rng(seed, 0)
        row = self.draw_tables(histogram, [rng])[0]
        whole = np.rint(row)
        counts = whole.astype(np.int64) if np.array_equal(whole, row) else row
        return Release(self, histogram, counts, seed)


@functools.cache
def _declared_params(cls: type[Mechanism]) -> tuple[Param, ...]:
    return tuple(f.metadata["param"] for f in dataclasses.fields(cls))


def _label_parts(method: Mechanism, left_out: str | None) -> tuple[list[str], list[str]]:
    """The numbers that are tuned, and what is not as usual. They stay with the method, which does
    not change: a page asks a hundred times for the names of a few."""
    said: dict[str | None, tuple[list[str], list[str]]] = vars(method).setdefault("_said", {})
    if left_out not in said:
        said[left_out] = _parts_of_label(method, left_out)
    return said[left_out]


def _parts_of_label(method: Mechanism, left_out: str | None) -> tuple[list[str], list[str]]:
    numbers, options = [], []
    for p in method.relevant_params():
        value = getattr(method, p.name)
        if p.of_study:
            continue
        if isinstance(p, Real):
            if p.stronger and p.name != left_out:
                numbers.append(p.short(value))
        elif said := p.in_name(value):
            options.append(said)
    return numbers, options


@dataclass(frozen=True)
class CellMechanism(Mechanism):
    """A mechanism that acts on counts, after tabulation; which people they are is all the same."""

    acts_on = "cells"

    @abstractmethod
    def draw(self, counts: NDArray[np.int64], rngs: Sequence[np.random.Generator]) -> Floats:
        """One released table per generator, as rows."""

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        return self.draw(table.counts, rngs)


def repetition_rng(seed: int, repetition: int) -> np.random.Generator:
    """The random stream of one repetition.

    Each repetition has a stream of its own, so asking for more repetitions never changes the
    earlier ones, and a sweep that reuses the streams gives smooth curves.
    """
    if not (isinstance(seed, (int, np.integer)) and seed >= 0):
        raise InputError(f"seed must be a whole number and at least 0, got {seed!r}. Try 7.")
    words: Any = _Seeded(_seed_words(int(seed), repetition))
    return np.random.Generator(np.random.PCG64(words))


@functools.lru_cache(maxsize=10_000)
def _seed_words(seed: int, repetition: int) -> NDArray[np.uint64]:
    """What numpy's own seed sequence gives its generator. A moved slider starts the same streams
    again, some hundreds of them, and finding the words is nine tenths of starting one."""
    sequence = np.random.SeedSequence(seed, spawn_key=(repetition,))
    return np.asarray(sequence.generate_state(4, np.uint64))


class _Seeded(ISeedSequence):
    """A seed sequence whose words are known."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[np.uint64]:
        return self._words


@runtime_checkable
class ExactBias(Protocol):
    """Mechanisms whose expected table is known exactly."""

    def bias(self, data: Histogram | Iterable[int]) -> Floats: ...


@runtime_checkable
class ExactMoments(Protocol):
    """Mechanisms with a closed form (or an exact sum) for each cell's moments."""

    def bias(self, data: Histogram | Iterable[int]) -> Floats: ...

    def variance(self, data: Histogram | Iterable[int]) -> Floats: ...

    def absolute_error(self, data: Histogram | Iterable[int]) -> Floats: ...

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        """Bias, variance and expected absolute error, each cell, in one go."""
        ...


@runtime_checkable
class ReleasesRecords(Protocol):
    """Mechanisms that change records one by one, numbers as numbers, and keep their order: record i
    of a release is what became of record i."""

    def check_records(self, records: Records) -> None: ...

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]:
        """One release a generator."""
        ...


@runtime_checkable
class MovesRecords(Protocol):
    """Mechanisms that say what becomes of each record of a table's cells, so that records can be
    handed their new values wherever they are."""

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves: ...


@runtime_checkable
class KnowsRho(Protocol):
    """Mechanisms whose privacy is known in zCDP's measure, which adds up more sharply than ε."""

    @property
    def rho(self) -> float: ...


@runtime_checkable
class HidesCells(Protocol):
    """Mechanisms that hide some counts and publish a stand-in for them."""

    def hidden(self, data: Histogram | Iterable[int]) -> Floats:
        """For each cell the chance that its count is hidden."""
        ...

    def hidden_in(self, data: Histogram | Iterable[int], seed: int) -> Bools:
        """Which counts the release of this seed hides."""
        ...

    def log_rest_marked(self, cap: int) -> float:
        """ln(1 - δ) where the release also says which counts are hidden, with counts up to the cap.
        That says more than the counts alone: a stand-in may look like a count that is shown."""
        ...


@runtime_checkable
class ChangesInSteps(Protocol):
    """Mechanisms whose release stays the same over a stretch of a parameter's values."""

    def same_up_to(self, param: str, table: Histogram) -> float | None:
        """The largest value of the parameter, at or above the present one, up to which nothing
        changes; None where that is not known."""
        ...


@runtime_checkable
class Generalises(Protocol):
    """Mechanisms that publish groups of people instead of counts in the original cells."""

    k: int
    quasi_identifiers: tuple[str, ...]

    def published_groups(self, table: Histogram, seed: int) -> Groups:
        """The people of the release of this seed, each known by the values of the group."""
        ...

    def generalised_table(self, table: Histogram, seed: int) -> pd.DataFrame: ...

    def groups_sentence(self, table: Histogram, seed: int) -> str: ...

    def diversity(self, table: Histogram, sensitive: str, seed: int) -> Any: ...


class MomentsInOneGo(ABC):
    """Mixin: each moment by itself, out of all of them."""

    @abstractmethod
    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        """Bias, variance and expected absolute error, each cell."""

    def bias(self, data: Histogram | Iterable[int]) -> Floats:
        return self.exact_moments(data)[0]

    def variance(self, data: Histogram | Iterable[int]) -> Floats:
        return self.exact_moments(data)[1]

    def absolute_error(self, data: Histogram | Iterable[int]) -> Floats:
        return self.exact_moments(data)[2]


class CellMoments(MomentsInOneGo):
    """Mixin: exact moments that depend on a cell's own count only.

    The subclass writes `moments(x) -> (bias, variance, absolute_error)`; plain arrays of counts
    are welcome because cells are exchangeable.
    """

    @property
    def at_once(self) -> tuple[str, ...]:
        """The parameters of which `moments` takes a whole column of values in place of one."""
        return ()

    @abstractmethod
    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Bias, variance and expected absolute error of a cell whose true count is x."""

    def moments_at(
        self, param: str, values: Floats, x: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """The same at many settings of a parameter, a row each: all in one go where that is
        possible."""
        if param not in self.at_once:
            rows = [self.replace(**{param: v}).moments(x) for v in values]  # type: ignore[attr-defined]
            bias, variance, absolute = (np.stack(part) for part in zip(*rows, strict=True))
            return bias, variance, absolute
        together = copy.copy(self)
        object.__setattr__(together, param, values[:, None])
        bias, variance, absolute = together.moments(x[None, :])
        return bias, variance, absolute

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        if not isinstance(data, Histogram):
            return self.moments(as_counts(data).astype(np.float64))
        sizes, which = data.sizes
        bias, variance, absolute = self.moments(sizes.astype(np.float64))
        return bias[which], variance[which], absolute[which]

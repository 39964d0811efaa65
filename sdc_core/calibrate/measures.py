"""What can be wished for: kinds of measures that a parameter is tuned by.

A measure goes from a mechanism on a table to a number with its standard error, and says whether
that is exact. What it is computed with lives in `metrics`, `experiment` and `privacy`; here is only
which number is meant, of whom, and what it is called.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.schema import Role
from sdc_core.experiment import Evaluation, Method, evaluate, released_people
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms.base import CellMoments, Mechanism
from sdc_core.metrics.areas import compare_areas
from sdc_core.metrics.decisions import Group, apply_rule, area_counts
from sdc_core.metrics.error import BANDS, band_title
from sdc_core.metrics.outsider import Knowledge, is_fixed, risk
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import knows_chances, unique_matches
from sdc_core.privacy.guarantee import Guarantee

Floats = NDArray[np.float64]
EVERYBODY = "all"
RULE_PERCENT = 25.0  # as on the page about money and rules


@dataclass(frozen=True)
class Reading:
    """What a measure is at one setting; not a number where it is not known or not allowed."""

    value: float
    error: float = 0.0
    method: Method = "exact"


@dataclass(frozen=True)
class Measure(ABC):
    """One number that a person may have a wish about. `phrase` is the wish within a sentence, with
    places for how much it may be and for whom it is about (`of`: only where that is not everybody);
    `percent` shows a share so."""

    name: str
    title: str
    unit: str
    phrase: str
    help: str
    percent: bool = False
    everyday: bool = True  # or only in papers' tables
    suggested: float = 1.0  # a wish to start with
    least: float = 0.0  # below which there is nothing to wish for
    points: int = 41  # settings that a scan reads, if not in one go

    def whom(self, table: Histogram) -> dict[str, str]:
        """Whom it can be about, in words; nobody where the table cannot tell."""
        return {EVERYBODY: "everybody"}

    @abstractmethod
    def is_exact(self, mechanism: Mechanism) -> bool:
        """Is it known without drawing a release?"""

    def seconds(self, mechanism: Mechanism, table: Histogram) -> float:
        """About how long an exact reading takes."""
        return mechanism.effort(table).of(0)

    @abstractmethod
    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        """The number, of `whom` (one of those the table has)."""


def _of_size(
    counts: NDArray[np.int64], low: int, high: int | None
) -> NDArray[np.bool_]:
    return np.asarray((counts >= low) & (counts <= (np.inf if high is None else high)))


def per_group(people: Floats, inside: NDArray[np.bool_]) -> Floats:
    return np.asarray(inside / max(1, int(inside.sum())), dtype=np.float64)


def percent_per_group(people: Floats, inside: NDArray[np.bool_]) -> Floats:
    """Every group weighs the same, however many people it has (as in MAPE)."""
    return 100 * per_group(people, inside) / np.where(inside, people, 1.0)


def all_groups(people: Floats, inside: NDArray[np.bool_]) -> Floats:
    return inside.astype(np.float64)


@dataclass(frozen=True)
class OfCells(Measure):
    """A sum over groups of what happens to each: of its expected absolute error, or of its bias.
    `weigh` gives each chosen group its weight; they are chosen by size."""

    part: Literal["absolute_error", "bias"] = "absolute_error"
    weigh: Callable[[Floats, NDArray[np.bool_]], Floats] = all_groups
    of_empty: bool = False

    def whom(self, table: Histogram) -> dict[str, str]:
        counts = table.counts
        if self.of_empty:
            return {EVERYBODY: "groups that have nobody"} if (counts == 0).any() else {}
        found = {EVERYBODY: "groups that have people"} if counts.any() else {}
        for low, high in BANDS[1:]:
            if _of_size(counts, low, high).any():
                found[f"{low}-{high}" if high else f"{low}-"] = band_title(low, high)
        return found

    def is_exact(self, mechanism: Mechanism) -> bool:
        return mechanism.is_exact

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        weights = self.weights(table, whom)
        found = evaluate(mechanism, table, repetitions, seed)
        value = float(getattr(found, self.part) @ weights)
        errors = found.error_of(lambda b, e: np.array([self._chosen(b, e) @ weights]))
        return Reading(value, float(errors[0]), found.method)

    def _chosen(self, bias: Floats, absolute: Floats) -> Floats:
        return bias if self.part == "bias" else absolute

    def weights(self, table: Histogram, whom: str) -> Floats:
        """What an error in each cell counts."""
        if self.of_empty:
            inside = table.counts == 0
        elif whom == EVERYBODY:
            inside = table.counts > 0
        else:
            low, _, high = whom.partition("-")
            inside = _of_size(table.counts, int(low), int(high) if high else None)
        return self.weigh(table.people, inside)

    def along(
        self, mechanism: CellMoments, table: Histogram, whom: str, param: str
    ) -> Callable[[Floats], Floats]:
        """Exact, at many settings in one go: moments for each different count, not for each cell,
        whose weights are added up beforehand."""
        sizes, which = table.sizes
        per_size = np.bincount(which, self.weights(table, whom) * table.per_record)
        used = per_size != 0
        counts, weights = sizes[used].astype(np.float64), per_size[used]

        def read(values: Floats) -> Floats:
            bias, _, absolute = mechanism.moments_at(param, values, counts)
            return np.asarray(self._chosen(bias, absolute) @ weights)

        return read


@dataclass(frozen=True)
class OfEvaluation(Measure):
    """One of the summary numbers of `evaluate`, by the same name."""

    def is_exact(self, mechanism: Mechanism) -> bool:
        return mechanism.is_exact

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        found = evaluate(mechanism, table, repetitions, seed)
        return Reading(
            getattr(found, self.name), getattr(found, f"{self.name}_se"), found.method)


@dataclass(frozen=True)
class WorstPlace(Measure):
    """The place whose people are hurt most; whom: by which feature places are told apart."""

    def whom(self, table: Histogram) -> dict[str, str]:
        return {f.name: f"people by {f.title}" for f in places(table)}

    def is_exact(self, mechanism: Mechanism) -> bool:
        return mechanism.is_exact

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        found: Evaluation = evaluate(mechanism, table, repetitions, seed)
        by_area = compare_areas(table, whom, [found], "error_rate")
        lived_in = np.where(by_area.people > 0, by_area.values[0], -np.inf)
        worst = int(np.argmax(lived_in))
        return Reading(
            float(lived_in[worst]), float(by_area.errors[0][worst]), found.method)


def places(table: Histogram) -> list[Feature]:
    return [f for f in table.domain.features if f.role == Role.PLACE]


@dataclass(frozen=True)
class Flips(Measure):
    """Places where a rule would apply though it should not, or the other way round; whom: whose
    share the rule looks at."""

    def whom(self, table: Histogram) -> dict[str, str]:
        where = places(table)[:1]
        return {
            f"{f.name}={value}": f"{f.title}: {label}"
            for f in table.domain.features if where and f not in where
            for value, label in zip(f.values, f.labels, strict=True)
        }

    def is_exact(self, mechanism: Mechanism) -> bool:
        return False

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        feature, _, value = whom.partition("=")
        area, group = places(table)[0].name, Group.of([(feature, value)])
        truth = area_counts(table.counts, table, area, group)
        rows = released_people(mechanism, table, 1 if is_fixed(mechanism, table) else repetitions,
                               seed)
        rule = apply_rule(truth.members[0], truth.everybody[0],
                          area_counts(rows, table, area, group), RULE_PERCENT)
        lived_in = max(1, int((truth.everybody[0] > 0).sum()))
        return _over(OverReleases(rule.each / lived_in), is_fixed(mechanism, table))


@dataclass(frozen=True)
class UniqueShown(Measure):
    """The share of the people who are one of a kind that the release shows as they are."""

    def whom(self, table: Histogram) -> dict[str, str]:
        alone = bool((table.counts == 1).any())
        return {EVERYBODY: "people who are one of a kind"} if alone else {}

    def is_exact(self, mechanism: Mechanism) -> bool:
        return knows_chances(mechanism)

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        rows = None if knows_chances(mechanism) else released_people(
            mechanism, table, repetitions, seed)
        found = unique_matches(mechanism, table, "at-least-once", rows)
        return Reading(found.share, found.share_error, found.method)


@dataclass(frozen=True)
class Linkage(Measure):
    """Of the people who are alone with what an outsider knows: the share that is found in the
    release, once and with all else right. Known is what identifies, as the table's roles say."""

    def whom(self, table: Histogram) -> dict[str, str]:
        if len(table.domain.features) < 2:
            return {}
        known, _ = _outsider(table)
        titles = {f.name: f.title for f in table.domain.features}
        return {EVERYBODY: f"somebody who knows {', '.join(titles[n] for n in known)}"}

    def is_exact(self, mechanism: Mechanism) -> bool:
        return False

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        fixed = is_fixed(mechanism, table)
        rows = released_people(mechanism, table, 1 if fixed else repetitions, seed)
        if not rows.any():
            return Reading(0.0, 0.0, "exact" if fixed else "simulated")
        known, sensitive = _outsider(table)
        found = risk(mechanism, table, rows, Knowledge.of(table.domain, known, sensitive, None))
        return _over(OverReleases(found.correct.each / max(1, found.original_unique)), fixed)


def _outsider(table: Histogram) -> tuple[list[str], str]:
    """What identifies, and what an outsider would like to know: by role, else what stands last."""
    features = table.domain.features
    wanted = next((f for f in features if f.role == Role.SENSITIVE), features[-1])
    others = [f for f in features if f is not wanted]
    known = [f.name for f in others if f.role in (Role.QUASI, Role.PLACE)]
    return known or [f.name for f in others], wanted.name


def _over(found: OverReleases, fixed: bool) -> Reading:
    return Reading(found.mean, 0.0 if fixed else found.error, "exact" if fixed else "simulated")


@dataclass(frozen=True)
class OfPromise(Measure):
    """A number of the guarantee, which is never simulated."""

    points: int = 33  # some take half a second, most next to none
    number: Callable[[Guarantee], float] = lambda guarantee: math.nan

    def is_exact(self, mechanism: Mechanism) -> bool:
        return True

    def seconds(self, mechanism: Mechanism, table: Histogram) -> float:
        return 0.01

    def read(
        self, mechanism: Mechanism, table: Histogram, whom: str, repetitions: int, seed: int
    ) -> Reading:
        return Reading(self.number(mechanism.guarantee(table)))

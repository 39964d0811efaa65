"""Every method at about ten settings: how far off its counts are, and what an attack gains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from sdc_core.data.schema import Role
from sdc_core.experiment import evaluate, released_people
from sdc_core.figures.theme import safe_label
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.attacks import (
    DRAWS,
    TURNS,
    Success,
    can_be_found,
    found,
    inferred,
    membership,
)
from sdc_core.metrics.outsider import Knowledge
from sdc_core.metrics.reidentification import knows_chances
from sdc_core.parameters import Real
from sdc_core.questions.columns import known_of, with_role
from sdc_core.questions.question import Given, fits, tunable_params
from sdc_core.questions.study import EmptyGroups, with_empty_groups
from sdc_core.questions.work import can_be_drawn
from sdc_core.words.guarantees import PromiseWord, promise_word

SETTINGS = 10  # of each method, along its main parameter
RELEASES = 20  # behind numbers that have no closed form
SLOW_RELEASES = 10


class Attack(StrEnum):
    FIND = "find"
    INFER = "infer"
    MEMBER = "member"


def knowledge(table: Histogram) -> Knowledge | None:
    """What the intruder knows and wants to infer; None where no feature is declared sensitive, or
    where there is nothing to infer it from."""
    features = table.domain.features
    wanted = next(iter(with_role(features, Role.SENSITIVE)), None)
    if wanted is None or len(features) < 2:
        return None
    return Knowledge.of(table.domain, known_of(features, wanted), wanted, None)


def offered(table: Histogram) -> list[Attack]:
    """The attacks that can be tried on this table."""
    able = {
        Attack.FIND: can_be_found(table), Attack.INFER: knowledge(table) is not None,
        Attack.MEMBER: table.total > 1,
    }
    return [attack for attack, can in able.items() if can]


@dataclass(frozen=True, eq=False)
class Assessed:
    """A method at one setting: its mean error in groups that have people and in all groups, the
    people it puts into empty groups, what the attack gains, and what is promised."""

    mechanism: Mechanism
    where_people_are: tuple[float, float]  # each with its standard error
    everywhere: tuple[float, float]
    total: float
    invented: tuple[float, float]
    releases: int  # behind the errors; none where they are exact
    success: Success
    promise: PromiseWord

    def off(self, everywhere: bool) -> tuple[float, float]:
        return self.everywhere if everywhere else self.where_people_are

    @cached_property
    def named(self) -> str:
        """Its name in charts; asked for at every move of any slider."""
        return safe_label(self.mechanism.plain_label())

    @cached_property
    def texts(self) -> dict[str, str]:
        """Its settings as a link writes them."""
        settings = self.mechanism.settings()
        return {p.name: p.text(settings[p.name]) for p in self.mechanism.params()
                if not p.of_study}


def releases_of(mechanism: Mechanism) -> int:
    """How many releases are drawn of a method, where some are."""
    return SLOW_RELEASES if mechanism.slow else RELEASES


def assessed(mechanism: Mechanism, table: Histogram, attack: Attack, seed: int) -> Assessed:
    """One setting. Exact wherever there is a closed form, else over a few releases."""
    errors = evaluate(mechanism, table, releases_of(mechanism), seed)
    groups = max(int((table.counts > 0).sum()), 1)
    return Assessed(
        mechanism,
        (errors.people_error / groups, errors.people_error_se / groups),
        (errors.l1_error / len(table), errors.l1_error_se / len(table)),
        errors.people_error, (errors.invented, errors.invented_se), errors.repetitions,
        attacked(mechanism, table, attack, seed), promise_word(mechanism.guarantee(table)),
    )


def attacked(mechanism: Mechanism, table: Histogram, attack: Attack, seed: int) -> Success:
    """What the attack gains from releases of this setting."""
    if attack is Attack.MEMBER:
        return membership(mechanism, table, seed)
    number, knows = releases_of(mechanism), knowledge(table)
    if attack is Attack.INFER and knows is not None:
        return inferred(mechanism, table, released_people(mechanism, table, number, seed), knows)
    exact = knows_chances(mechanism)
    return found(
        mechanism, table, None if exact else released_people(mechanism, table, number, seed))


@dataclass(frozen=True)
class Path:
    """A method and the settings that are tried; `slot` is its place in the method bar, if it has
    one, and `base` is how it is set apart from the parameter that moves."""

    base: Mechanism
    param: Real
    slot: str = ""

    def settings(self) -> list[Mechanism]:
        """Two digits are enough to read, and the ends of a range stay what they are."""
        values = dict.fromkeys(
            self.param.validate(float(f"{v:.2g}")) for v in self.param.points(SETTINGS))
        return [self.base.replace(**{self.param.name: value}) for value in values]


@dataclass(frozen=True, eq=False)
class Mark:
    """A setting on the chart; `slot` is its place in the method bar if it is the present one."""

    what: Assessed
    path: Path
    slot: str = ""

    @property
    def mechanism(self) -> Mechanism:
        return self.what.mechanism


def main_param(method: Mechanism) -> Real | None:
    """What a method is tuned by in the first place, as in the method bar."""
    return next(iter(tunable_params([method]).values()), None)


def paths(given: Given) -> list[Path]:
    """The methods of the bar as they are set there, then all others as they start."""
    out: dict[Mechanism, Path] = {}
    for method, slot in zip(given.methods, given.slots, strict=True):
        if path := _path(method, slot):
            out.setdefault(path.base, path)
    here = tuple(sorted({one.name for one in given.methods}))
    empty_groups = EmptyGroups(given.study.empty_groups)
    return [*out.values(), *given.work.kept(as_started, given.table, here, empty_groups)]


def as_started(table: Histogram, here: tuple[str, ...], empty_groups: EmptyGroups) -> list[Path]:
    """All methods but these that fit the table, as they start."""
    started = (with_empty_groups(cls().suited_to(table), empty_groups) for cls in FOR_TABLES
               if cls.name not in here)
    found = (_path(one) for one in started if fits(one, table))
    return [path for path in found if path]


def _path(method: Mechanism, slot: str = "") -> Path | None:
    param = main_param(method)
    if param is None:
        return None
    return Path(method.replace(**{param.name: param.default}), param, slot)


def fitting(path: Path, table: Histogram) -> list[Mechanism]:
    """Its settings that this table allows."""
    return [one for one in path.settings() if fits(one, table)]


def quick(path: Path, table: Histogram) -> bool:
    """Is it computed without being asked for?"""
    exact = path.base.is_exact
    return can_be_drawn(path.base, table, SETTINGS, 2 * RELEASES, exact)


def seconds(method: Mechanism, table: Histogram, attack: Attack = Attack.FIND) -> float:
    """About how long one of its settings takes."""
    effort, number = method.effort(table), releases_of(method)
    attacked = TURNS * DRAWS if attack is Attack.MEMBER else number
    if method.is_exact:
        return effort.once + max(effort.moments, number * effort.release)
    return effort.of(number + attacked)

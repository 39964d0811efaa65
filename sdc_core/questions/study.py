"""Study: what is asked about."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sdc_core.data import Dataset
from sdc_core.data.dataset import DomainChoice
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, TypedInteger


class EmptyGroups(StrEnum):
    """What methods do to groups that have nobody, where they can do both."""

    LEFT_AT_ZERO = "left"  # as offices do
    LIKE_ANY_OTHER = "treated"
    AS_SET = "as-set"  # each method as its own settings say, which no page does


class CountedAs(StrEnum):
    """In what errors and sums are told."""

    RECORDS = "records"
    REPRESENTED = "represented"  # people, as many as the survey's weights say


# The settings that all questions share. How empty groups are treated can turn a verdict round, so
# it is one setting, in sight on every page, and not one of a method's options.
EMPTY_GROUPS = Choice(
    name="empty", title="Empty groups, where counts are hidden", default="left",
    choices=("left", "treated"),
    titles={"left": "left at 0", "treated": "treated like any other"}, segments=True,
    help="Groups that have nobody. Offices that hide small counts usually leave zeros as they are; "
    "the papers' tables often do not. Left at 0, a zero proves that nobody is there, which breaks "
    "the promise of DP suppression. Methods that add noise always add it to empty groups as well, "
    "whatever is set here.",
)
DOMAIN = Choice(
    name="domain", title="Groups that exist", default="dictionary",
    choices=("dictionary", "observed"),
    titles={"dictionary": "as declared", "observed": "as seen"},
    segments=True,
    help="As declared: every value that the data dictionary knows, also where nobody has it. As "
    "seen in the file: only values that occur, which tells whether anybody has a rare one.",
)
SEED = TypedInteger(
    name="seed", title="Seed", default=7, low=0, high=2**31 - 1,
    help="Starts the random numbers of simulations: same seed, same release.",
)


def next_seed(seed: int) -> int:
    """Another seed: the next, and after the last the first."""
    return 0 if seed == SEED.high else seed + 1


COUNT = "count"  # the name of the setting that says in what results are told


def counting(dataset: Dataset) -> Choice | None:
    """In what errors and sums are told; None where the data have no weights: then in records."""
    if dataset.weight is None:
        return None
    return Choice(
        name=COUNT, title="Counted as", default="records", choices=("records", "represented"),
        titles={"records": "people counted", "represented": "people represented"}, segments=True,
        help="Each record of a survey stands for several people: "
        f"{dataset.weight} says for how many. Methods act on records either way. As people "
        "represented, an error of one record counts for as many people as the records of its group "
        "stand for on average, and in an empty group for as many as the average record.",
    )


# What a study's settings are called in a link.
IN_LINK = {
    "seed": SEED.name, "empty_groups": EMPTY_GROUPS.name, "domain": DOMAIN.name,
    "counted_as": COUNT,
}


@dataclass(frozen=True, eq=False)
class Study:
    """The data, what people are counted by, the seed, the methods, how empty groups are treated,
    and whether results are told in records or in the people they represent.

    Without features the data set's usual ones are taken; without methods a question takes the ones
    it suggests.
    """

    dataset: Dataset
    features: Sequence[str] = ()
    seed: int = 7
    methods: Sequence[Mechanism] | None = None
    empty_groups: EmptyGroups | str = EmptyGroups.LEFT_AT_ZERO
    domain: DomainChoice = "dictionary"
    counted_as: CountedAs | str = CountedAs.RECORDS

    def __post_init__(self) -> None:
        chosen = tuple(self.features) or tuple(self.dataset.default_features)
        object.__setattr__(self, "features", chosen)
        if self.methods is not None:
            object.__setattr__(self, "methods", tuple(self.methods))
        self._settle("empty_groups", EmptyGroups)
        self._settle("counted_as", CountedAs)

    def _settle(self, name: str, kind: type[StrEnum]) -> None:
        given = getattr(self, name)
        try:
            object.__setattr__(self, name, kind(given))
        except ValueError:
            raise InputError(f"{name} must be one of {', '.join(kind)}, got {given!r}.") from None

    def count(self, features: Iterable[str]) -> Histogram:
        """The table by these features; the same features give the same table."""
        return self.dataset.histogram(features, self.domain, self.represented)

    @property
    def represented(self) -> bool:
        """Are results told in people represented?"""
        return self.counted_as is CountedAs.REPRESENTED

    def in_records(self) -> Study:
        """The same study, told in records."""
        return dataclasses.replace(self, counted_as=CountedAs.RECORDS)

    @property
    def table(self) -> Histogram:
        return self.count(self.features)

    def treated(self, method: Mechanism) -> Mechanism:
        """The method with empty groups treated as this study says."""
        return with_empty_groups(method, EmptyGroups(self.empty_groups))

    def with_methods(self, methods: Iterable[Mechanism]) -> Study:
        return dataclasses.replace(self, methods=tuple(methods))


def with_empty_groups(method: Mechanism, empty_groups: EmptyGroups) -> Mechanism:
    """The method with empty groups treated so, if it can do both."""
    if empty_groups is EmptyGroups.AS_SET or not can_leave_empty_groups(method):
        return method
    return method.replace(keep_zeros=empty_groups is EmptyGroups.LEFT_AT_ZERO)


def can_leave_empty_groups(method: Mechanism) -> bool:
    """Can it do both: leave empty groups at 0, or treat them like any other?"""
    return "keep_zeros" in method.settings()

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


class EmptyGroups(StrEnum):
    """What methods do to groups that have nobody, where they can do both."""

    AS_SET = "as-set"  # each method as its own settings say
    LEFT_AT_ZERO = "left"  # as offices do
    LIKE_ANY_OTHER = "treated"


@dataclass(frozen=True, eq=False)
class Study:
    """The data, what people are counted by, the seed, the methods, how empty groups are treated.

    Without features the data set's usual ones are taken; without methods a question takes the ones
    it suggests.
    """

    dataset: Dataset
    features: Sequence[str] = ()
    seed: int = 7
    methods: Sequence[Mechanism] | None = None
    empty_groups: EmptyGroups | str = EmptyGroups.AS_SET
    domain: DomainChoice = "observed"

    def __post_init__(self) -> None:
        chosen = tuple(self.features) or tuple(self.dataset.default_features)
        object.__setattr__(self, "features", chosen)
        if self.methods is not None:
            object.__setattr__(self, "methods", tuple(self.methods))
        try:
            object.__setattr__(self, "empty_groups", EmptyGroups(self.empty_groups))
        except ValueError:
            known = ", ".join(EmptyGroups)
            raise InputError(
                f"empty_groups must be one of {known}, got {self.empty_groups!r}."
            ) from None

    def count(self, features: Iterable[str]) -> Histogram:
        """The table by these features; the same features give the same table."""
        return self.dataset.histogram(features, self.domain)

    @property
    def table(self) -> Histogram:
        return self.count(self.features)

    def treated(self, method: Mechanism) -> Mechanism:
        """The method with empty groups treated as this study says."""
        settings = method.settings()
        if self.empty_groups is EmptyGroups.AS_SET or "keep_zeros" not in settings:
            return method
        return method.replace(keep_zeros=self.empty_groups is EmptyGroups.LEFT_AT_ZERO)

    def with_methods(self, methods: Iterable[Mechanism]) -> Study:
        return dataclasses.replace(self, methods=tuple(methods))

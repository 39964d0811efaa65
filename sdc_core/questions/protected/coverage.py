"""Whom does each method's promise cover, on this table, with its default settings and what the
study says about empty groups?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import FAMILY_TITLES, Mechanism
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.protection import QUESTIONS
from sdc_core.questions.study import EmptyGroups, with_empty_groups
from sdc_core.words.guarantees import guarantee_chip


@dataclass(frozen=True)
class Coverage:
    """A method and its guarantee on the table, or why it has none there."""

    method: type[Mechanism]
    guarantee: Guarantee | None
    problem: str = ""

    @property
    def in_short(self) -> str:
        """The promise in a few words."""
        if self.guarantee is None:
            return "Does not fit this table"
        return guarantee_chip(self.guarantee).text


def coverage(
    methods: Iterable[type[Mechanism]], table: Histogram, empty_groups: EmptyGroups
) -> list[Coverage]:
    """The methods as they stand before anybody has tuned them; what becomes of empty groups is no
    setting of theirs."""
    found = []
    for method in methods:
        try:
            one = with_empty_groups(method().suited_to(table), empty_groups)
            found.append(Coverage(method, one.guarantee(table)))
        except InputError as problem:
            found.append(Coverage(method, None, str(problem)))
    return found


def coverage_table(covered: Sequence[Coverage]) -> pd.DataFrame:
    """The five answers of each method, one row each."""
    return pd.DataFrame(
        [
            {
                "Method": c.method.title,
                "Family": FAMILY_TITLES[c.method.family],
                **{q: getattr(c.method.protection, name) for name, q in QUESTIONS.items()},
                "On this table": c.in_short,
                "Source": c.method.citation,
            }
            for c in covered
        ]
    )

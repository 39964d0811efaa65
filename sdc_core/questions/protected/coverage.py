"""Whom does each method's promise cover, on this table, with its default settings?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import FAMILY_TITLES, Mechanism
from sdc_core.parameters import Several
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.protection import QUESTIONS
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


def coverage(methods: Iterable[type[Mechanism]], table: Histogram) -> list[Coverage]:
    """The methods as they stand before anybody has tuned them."""
    found = []
    for method in methods:
        try:
            found.append(Coverage(method, _fitted(method, table).guarantee(table)))
        except InputError as problem:
            found.append(Coverage(method, None, str(problem)))
    return found


def _fitted(method: type[Mechanism], table: Histogram) -> Mechanism:
    """With the settings that it is offered with on this table: a feature has one role, so what one
    list has taken is left out of the next."""
    features = {f.name: f.title for f in table.domain.features}
    free = dict(features)
    settings: dict[str, Any] = {}
    for param in method.params():
        if isinstance(param, Several):
            settings[param.name] = param.offered(free or features).default
            free = {name: free[name] for name in free if name not in settings[param.name]}
    return method(**settings)


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

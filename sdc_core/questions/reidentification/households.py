"""Which households can be found? Where the data say who lives together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from sdc_core.metrics.households import HouseholdRisk, household_risks, households_shown
from sdc_core.metrics.outsider import is_fixed
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import Rule
from sdc_core.questions.answer import ColumnLook, Panel, TableView
from sdc_core.questions.question import Given
from sdc_core.questions.reidentification.words import HOW
from sdc_core.questions.work import Released
from sdc_core.words.chance import none_in
from sdc_core.words.evaluations import with_error
from sdc_core.words.numbers import listed, percent


def households_panel(given: Given, released: Sequence[Released], rule: Rule) -> Iterator[Panel]:
    """How many households are exposed by a member, and how many by who lives in them."""
    risks = given.work.kept(household_risks, given.table)
    if not risks or not risks[0].households:
        return
    shown = {
        one.mechanism: given.work.kept(households_shown, given.table, one.rows, rule)
        for one in released
    }
    numbers = [
        f"{_mean(seen, is_fixed(one, given.table))} after {one.spoken()}"
        for one, seen in shown.items()
    ]
    looks = {f"{name} %": ColumnLook(format="%.1f") for name in ("with a unique person", "unique")}
    yield Panel(
        "households", "And whole households?",
        prose=tuple(filter(None, (
            households_sentence(risks[0]), shown_sentence(risks[0], numbers, HOW[rule])))),
        drawing=TableView(households_frame(risks), looks),
    )


def households_frame(risks: Sequence[HouseholdRisk]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "household of": "any size" if r.size is None else str(r.size),
            "households": r.households, "people": r.people,
            "with a unique person": r.with_unique,
            "with a unique person %": 100 * r.with_unique / r.households,
            "unique": r.unique, "unique %": 100 * r.unique / r.households,
        }
        for r in risks
    ])


def households_sentence(found: HouseholdRisk) -> str:
    """`Of 2,300 households, 410 (18%) have at least one member who is one of a kind, and 1,900
    (83%) are themselves one of a kind by who lives in them.`"""
    exposed, whole = (_of(n, found.households) for n in (found.with_unique, found.unique))
    members = f"{_have(found.with_unique)} at least one member who is one of a kind"
    more = (
        ": whoever knows a whole household can recognise it where no single person stands out"
        if found.unique > found.with_unique else "")
    return (
        f"Of {_households(found.households)}, {exposed} {members}, and {whole} "
        f"{_are(found.unique)} one of a kind by who lives in {_it(found.unique)}{more}."
    )


def shown_sentence(found: HouseholdRisk, numbers: Sequence[str], how: str) -> str:
    """How many of them a release still shows by such a member, method by method."""
    if not found.with_unique or not numbers:
        return ""
    if found.with_unique == 1:
        return (
            f"In which share of the releases drawn such a member shows{how} (± one standard "
            f"error): {listed(numbers)}."
        )
    return (
        f"So many of these still show such a member{how}, on average over the releases drawn (± "
        f"one standard error): {listed(numbers)}."
    )


def _mean(seen: OverReleases, fixed: bool) -> str:
    """What no release had is known of others only where all are the same."""
    if not seen.each.any() and not fixed:
        return f"none {none_in(len(seen.each))}"
    return with_error(seen.mean, seen.error)


def _of(part: int, whole: int) -> str:
    return f"{part:,} ({percent(part / whole)})"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _are(number: int) -> str:
    return "is itself" if number == 1 else "are themselves"


def _it(number: int) -> str:
    return "it" if number == 1 else "them"


def _households(number: int) -> str:
    return "one household" if number == 1 else f"{number:,} households"

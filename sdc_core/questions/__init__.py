"""The questions: an explicit tuple. Adding one is its folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer
from sdc_core.questions.classification import QUESTION as CLASSIFICATION
from sdc_core.questions.compare import QUESTION as COMPARE
from sdc_core.questions.delta_epsilon import QUESTION as DELTA_EPSILON
from sdc_core.questions.frontier import QUESTION as FRONTIER
from sdc_core.questions.funding import QUESTION as FUNDING
from sdc_core.questions.intruders import QUESTION as INTRUDERS
from sdc_core.questions.map import QUESTION as MAP
from sdc_core.questions.matched import QUESTION as MATCHED
from sdc_core.questions.microdata_lab import QUESTION as MICRODATA_LAB
from sdc_core.questions.protected import QUESTION as PROTECTED
from sdc_core.questions.published_tables import QUESTION as PUBLISHED_TABLES
from sdc_core.questions.question import Arguments, Given, Preset, Question, complete, settle
from sdc_core.questions.reidentification import QUESTION as REIDENTIFICATION
from sdc_core.questions.reproduce import QUESTION as REPRODUCE
from sdc_core.questions.sparsity import QUESTION as SPARSITY
from sdc_core.questions.study import Study
from sdc_core.questions.subgroups import QUESTION as SUBGROUPS
from sdc_core.questions.swap_rate import QUESTION as SWAP_RATE
from sdc_core.questions.swapping_changes import QUESTION as SWAPPING_CHANGES
from sdc_core.questions.theorems import QUESTION as THEOREMS
from sdc_core.questions.told_apart import QUESTION as TOLD_APART
from sdc_core.questions.tune import QUESTION as TUNE
from sdc_core.questions.undo import QUESTION as UNDO
from sdc_core.questions.work import Work
from sdc_core.questions.your_data import QUESTION as YOUR_DATA

QUESTIONS: tuple[Question, ...] = (
    COMPARE,
    MAP,
    TUNE,
    DELTA_EPSILON,
    SWAP_RATE,
    PROTECTED,
    THEOREMS,
    REPRODUCE,
    SWAPPING_CHANGES,
    TOLD_APART,
    SUBGROUPS,
    CLASSIFICATION,
    SPARSITY,
    REIDENTIFICATION,
    UNDO,
    PUBLISHED_TABLES,
    FRONTIER,
    FUNDING,
    MICRODATA_LAB,
    MATCHED,
    INTRUDERS,
    YOUR_DATA,
)

_BY_ADDRESS = {one.address: one for one in QUESTIONS}


def question(address: str) -> Question:
    if address not in _BY_ADDRESS:
        raise InputError(f"There is no question {address!r}. Known: {', '.join(_BY_ADDRESS)}.")
    return _BY_ADDRESS[address]


def ask(
    address: str, study: Study, controls: Mapping[str, Any] | None = None, *,
    work: Work | None = None, dark: bool = False, as_in: str = "", **named: Any,
) -> Answer:
    """The answer to a question about a study; the question's own controls go by name, as a mapping
    or as arguments. `as_in` names a paper whose methods and conventions are taken.

    The same object that the page shows: its numbers are equal because they are the same.
    """
    asked, values = question(address), {**(controls or {}), **named}
    given = Given(study, work or Work(), dark)
    settle(asked, given, Arguments(values))
    if as_in:
        given = Given(preset(asked, given, as_in).applied(study), given.work, dark)
        settle(asked, given, Arguments(values))
    return complete(asked, given)


def preset(asked: Question, given: Given, name: str) -> Preset:
    found = {one.name: one for one in asked.presets(given)}
    if name not in found:
        known = ", ".join(found) or "none"
        raise InputError(f"There is no preset {name!r} for {asked.address}. Known: {known}.")
    return found[name]

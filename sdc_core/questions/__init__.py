"""The questions: an explicit tuple. Adding one is its folder and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer
from sdc_core.questions.compare import QUESTION as COMPARE
from sdc_core.questions.delta_epsilon import QUESTION as DELTA_EPSILON
from sdc_core.questions.funding import QUESTION as FUNDING
from sdc_core.questions.question import Arguments, Given, Question, complete, settle
from sdc_core.questions.study import Study
from sdc_core.questions.work import Work

QUESTIONS: tuple[Question, ...] = (
    COMPARE,
    DELTA_EPSILON,
    FUNDING,
)

_BY_ADDRESS = {one.address: one for one in QUESTIONS}


def question(address: str) -> Question:
    if address not in _BY_ADDRESS:
        raise InputError(f"There is no question {address!r}. Known: {', '.join(_BY_ADDRESS)}.")
    return _BY_ADDRESS[address]


def ask(
    address: str, study: Study, controls: Mapping[str, Any] | None = None, *,
    work: Work | None = None, dark: bool = False, **named: Any,
) -> Answer:
    """The answer to a question about a study; the question's own controls go by name, as a mapping
    or as arguments.

    The same object that the page shows: its numbers are equal because they are the same.
    """
    asked = question(address)
    given = Given(study, work or Work(), dark)
    settle(asked, given, Arguments({**(controls or {}), **named}))
    return complete(asked, given)

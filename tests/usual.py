"""Answers with nothing set, on the twin of Massachusetts: computed once, read by many tests."""

from __future__ import annotations

import functools

import sdc_core as sdc
from sdc_core.questions.answer import Answer

STUDY = sdc.Study(sdc.load_dataset("ma2019-twin"))


@functools.cache
def usual_answer(address: str) -> Answer:
    return sdc.ask(address, STUDY)

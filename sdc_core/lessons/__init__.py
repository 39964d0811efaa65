"""Lessons: an explicit tuple. Adding one is its file and one line here."""

from __future__ import annotations

from sdc_core.errors import InputError
from sdc_core.lessons.attack import LESSON as ATTACK
from sdc_core.lessons.epsilon import LESSON as EPSILON
from sdc_core.lessons.lesson import Lesson, Scene, Shown, Step, filled
from sdc_core.lessons.seven_people import LESSON as SEVEN_PEOPLE
from sdc_core.lessons.who_pays import LESSON as WHO_PAYS

LESSONS: tuple[Lesson, ...] = (SEVEN_PEOPLE, EPSILON, ATTACK, WHO_PAYS)

__all__ = ["LESSONS", "Lesson", "Scene", "Shown", "Step", "filled", "lesson"]


def lesson(name: str) -> Lesson:
    for one in LESSONS:
        if one.name == name:
            return one
    raise InputError(f"There is no lesson {name!r}. Known: {', '.join(o.name for o in LESSONS)}.")

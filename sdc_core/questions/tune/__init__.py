"""Tune: what can you accept, for whom, and which settings give it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sdc_core.calibrate import Solution, about_seconds, solve, tunable_params
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Real
from sdc_core.questions import sources
from sdc_core.questions.answer import Action, Answer, Job, Panel, PickSettings, See
from sdc_core.questions.question import Control, Given, Question
from sdc_core.questions.tune import figures, words
from sdc_core.questions.tune.method import METHOD
from sdc_core.questions.tune.wish import (
    PRESETS,
    Asked,
    asked,
    by_slot,
    for_whom,
    how_much,
    sense,
    what,
)
from sdc_core.questions.work import METHODS, PATIENCE, about
from sdc_core.words.numbers import listed, lowered
from sdc_core.words.solutions import quoted, setting_text

REPETITIONS = 200
READINGS = 20  # of a measure, where each takes a while


class Row(NamedTuple):
    """A method with its name in the link and the settings that meet the wish."""

    slot: str
    method: Mechanism
    found: Solution

    @property
    def now(self) -> float:
        return float(self.method.settings()[self.found.param.name])

    def taking(self, value: float) -> dict[str, str]:
        """The control that takes a setting, and its text."""
        param = self.found.param
        return {f"{self.slot}.{param.name}": param.text(param.validate(value))}


def answer(given: Given) -> Answer:
    wish = asked(given)
    rows = solved(given)
    if not rows:
        return Answer(nothing_to_say(given), panels=(ask_instead(),))
    solutions = [one.found for one in rows]
    given.work.saw(*(one.repetitions for one in solutions))
    headline, more = words.answer_sentences(solutions, wish.like)
    return Answer(
        headline, more, (settings_that_do(rows, headline), ask_instead()),
        see=(See("compare", "What these settings do to counts"),),
    )


def nothing_to_say(given: Given) -> str:
    if given.work.waiting:
        return "This takes a while: start it below."
    return "Choose a method that has a number to be tuned, such as ε or k, in the bar."


def main_param(method: Mechanism) -> Real | None:
    """What its slider in the bar moves."""
    return next(iter(tunable_params(method)), None)


def solved(given: Given) -> list[Row]:
    """Which settings of each method meet the wish, but for the one that is the yardstick, those
    that have nothing to be tuned, and those that wait to be started. It does not depend on where
    the slider stands now, so it is kept while that moves."""
    wish = asked(given)
    named: dict[str, Any] = {
        "at_least": wish.at_least, "same_as": wish.like, "whom": wish.whom,
        "repetitions": REPETITIONS, "seed": given.seed}
    rows, waiting, seconds = [], [], 0.0
    for slot, method in by_slot(given).items():
        param = main_param(method)
        if param is None or method is wish.like:
            continue
        base = method.replace(**{param.name: param.default})
        call: tuple[Any, ...] = (base, given.table, param.name, wish.measure.name, wish.target)
        if not given.work.may_start(METHODS) and takes_long(given, base, wish) and not (
                given.work.keep.holds(solve, *call, **named)):
            waiting.append(method.title)
            seconds += about_seconds(base, param, wish.measure, given.table, REPETITIONS)
            continue
        told = f"{method.title} along {lowered(param.title)}"
        rows.append(Row(slot, method, given.work.told(told, solve, *call, **named)))
    if waiting:
        given.work.wait_for(Job(
            METHODS, f"Look along {listed(waiting)}", f"{listed(waiting)}: drawing releases at "
            f"about twenty settings takes {about(seconds)}. Moving any control cancels."))
    return rows


def takes_long(given: Given, base: Mechanism, wish: Asked) -> bool:
    """Does a page ask first?"""
    like = wish.like
    if like is not None and like.slow and not wish.measure.is_exact(like):
        return True
    if base.slow or not wish.measure.is_exact(base):
        return base.slow
    return READINGS * wish.measure.seconds(base, given.table) > PATIENCE


def settings_that_do(rows: Sequence[Row], headline: str) -> Panel:
    found = [one.found for one in rows]
    return Panel(
        "settings", "Which settings meet it?",
        "A line is the whole range of a setting, the thick part meets the wish; the upright is "
        "where it stands now. Click a mark, or a button, to take it to all pages. "
        f"{words.how_sentence(found)}",
        (figures.ranges(found, [one.now for one in rows]),),
        lambda: figures.solution_table(found),
        alt=f"{headline} {'; '.join(map(figures.row_text, found))}.",
        pick=PickSettings(tuple(
            rows[row].taking(value) for row, value in figures.marks(found))),
        actions=tuple(button for one in rows for button in take_button(one)),
    )


def take_button(row: Row) -> Iterator[Action]:
    """The setting at which the wish is only just met."""
    if row.found.just is not None:
        value = quoted(row.found, row.found.just)
        label = f"Take {setting_text(row.found.param, value)}: {lowered(row.method.plain)}"
        yield Action(label, row.taking(value), "check", disabled=value == row.now)


def ask_instead() -> Panel:
    return Panel("ask-instead", "Or ask", minor=True, actions=PRESETS)


QUESTION = Question(
    address="tune", title="Tune", section="Compare", icon="tune",
    asks="what can you accept, for whom, and which k, swap rate or ε gives it?",
    sentence="For counts to be off by at most so much, noise needs an ε of at least so much and "
    "hiding small counts allows a k up to so much; and this is what is promised there.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1, sources.P3),
    method_title="How are settings looked for?",
    controls=tuple(
        Control(one, after_methods=True, prominent=True)
        for one in (what, for_whom, sense, how_much)
    ),
    see=(See("swap_rate", "Why a swap rate has the ε that it has"),),
    most_cells=200_000,
)

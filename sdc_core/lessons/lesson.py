"""A lesson is data: steps that show something, words with blanks, and the numbers that fill them.

No number stands in a text. Each has a name there (`{hidden}`), and what a step shows gives the
number of that name, computed when the step is shown. So a text cannot say what the numbers do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.lessons.drawings import ways_panel
from sdc_core.questions import Study, ask
from sdc_core.questions.answer import Answer, Panel, See
from sdc_core.questions.work import Work


@dataclass(frozen=True)
class Scene:
    """What a step is shown with: the data, the seed (re-roll changes it), ε (one slider), and
    whether the page is dark."""

    dataset: Dataset = field(repr=False)
    seed: int = 7
    epsilon: float = 1.0
    work: Work = field(default_factory=Work, repr=False, compare=False)
    dark: bool = False


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step puts on the wall: before the class has guessed, and after (`beside` is another
    panel to compare that with); and the numbers that its texts name. `see` is the page where one
    can go on."""

    facts: Mapping[str, str]
    before: Panel | None = None
    after: Panel | None = None
    see: See | None = None
    beside: Panel | None = None


@dataclass(frozen=True)
class Step:
    """`says` is told, `asks` is put to the class, `answer` is revealed on demand; `minutes` is how
    long it usually takes. `rolls` says that chance decides what is seen, so that rolling again is
    worth it; `tunes` that ε does; `apart` that what is seen gives away answers of steps before, so
    that it stands on a sheet of its own."""

    title: str
    says: str
    asks: str
    answer: str
    show: Callable[[Scene], Shown]
    minutes: int = 5
    rolls: bool = False
    tunes: bool = False
    apart: bool = False


@dataclass(frozen=True)
class Lesson:
    name: str
    title: str
    goal: str
    steps: tuple[Step, ...]

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.steps)


def filled(text: str, facts: Mapping[str, str]) -> str:
    """The text with its numbers."""
    return text.format_map(facts)


def from_question(
    address: str, panel: str, says: str, facts: Callable[[Answer], Mapping[str, str]] | None = None,
    before: Callable[[Scene, Answer], Panel] | None = None, beside: str = "",
) -> Callable[[Scene], Shown]:
    """A step that shows an answer: its headline is the fact `headline`, its panel what is revealed
    (`beside` names another to compare it with). Before that the class sees what it chooses between,
    the methods unless `before` gives something else. The page of that question goes on from there.
    """

    def show(scene: Scene) -> Shown:
        study = Study(scene.dataset, seed=scene.seed)
        found = ask(address, study, work=scene.work, dark=scene.dark)
        named = {p.name: p for p in found.panels}
        if panel not in named:
            raise InputError(f"{address} has no panel {panel!r}. It has: {', '.join(named)}.")
        told = {"headline": found.headline, "first": found.first}
        first = before(scene, found) if before else (
            ways_panel(found.run.methods) if found.run and found.run.methods else None)
        return Shown({**told, **(facts(found) if facts else {})}, first, named[panel],
                     See(address, says), named.get(beside))

    return show

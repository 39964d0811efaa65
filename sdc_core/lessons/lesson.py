"""A lesson is data: steps that show something, words with blanks, and the numbers that fill them.

No number stands in a text. Each has a name there (`{hidden}`), and what a step shows gives the
number of that name, computed when the step is shown. So a text cannot say what the numbers do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.questions import Study, ask
from sdc_core.questions.answer import Panel, See
from sdc_core.questions.work import Work


@dataclass(frozen=True)
class Scene:
    """What a step is shown with: the data, the seed (re-roll changes it) and ε (one slider)."""

    dataset: Dataset = field(repr=False)
    seed: int = 7
    epsilon: float = 1.0
    work: Work = field(default_factory=Work, repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step puts on the wall: before the class has guessed, and after; and the numbers that
    its texts name. `see` is the page where one can go on."""

    facts: Mapping[str, str]
    before: Panel | None = None
    after: Panel | None = None
    see: See | None = None


@dataclass(frozen=True)
class Step:
    """`says` is told, `asks` is put to the class, `answer` is revealed on demand; `minutes` is how
    long it usually takes. `rolls` says that chance decides what is seen, so that rolling again is
    worth it; `tunes` that ε does."""

    title: str
    says: str
    asks: str
    answer: str
    show: Callable[[Scene], Shown]
    minutes: int = 5
    rolls: bool = False
    tunes: bool = False


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
    address: str, panel: str, says: str, facts: Callable[[Scene], Mapping[str, str]] | None = None,
    **controls: str,
) -> Callable[[Scene], Shown]:
    """A step that shows an answer: its headline is the fact `headline`, its panel what is revealed.
    The page of that question goes on from there."""

    def show(scene: Scene) -> Shown:
        study = Study(scene.dataset, seed=scene.seed)
        found = ask(address, study, dict(controls), work=scene.work)
        named = [p.name for p in found.panels]
        if panel not in named:
            raise InputError(f"{address} has no panel {panel!r}. It has: {', '.join(named)}.")
        told = {"headline": found.headline, "first": found.first}
        return Shown({**told, **(facts(scene) if facts else {})}, None, found.panel(panel),
                     See(address, says))

    return show

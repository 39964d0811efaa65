"""Question: a declaration, and one function from a study to an answer.

`ask` is the one way to an answer. It settles the question's own controls, the table, the methods
and their guarantees, in that order, and then lets the question answer. Where values come from is
the `Source`: arguments (Python, the command line) or a visit's link and widgets (the app).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, Param, Real
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.answer import Answer, Notice, Provenance
from sdc_core.questions.study import Study
from sdc_core.questions.work import Work

Methods = Mapping[str, Mechanism | None]  # by the name that a method has in the link


class Chosen(NamedTuple):
    """A method on the table, with what it promises there."""

    mechanism: Mechanism
    guarantee: Guarantee


@dataclass
class Given:
    """All that is settled when a question answers: the study, the question's own controls by name,
    the table, the methods; and what to compute with. `dark` is for drawings that have to know."""

    study: Study
    work: Work = field(default_factory=Work)
    dark: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Param] = field(default_factory=dict)
    _table: Histogram | None = None
    chosen: tuple[Chosen, ...] = ()

    def __getitem__(self, control: str) -> Any:
        """The value of one of the question's own controls."""
        return self.values[control]

    def get(self, control: str) -> Any:
        """The same for a control that may not have been offered: then None."""
        return self.values.get(control)

    @property
    def dataset(self) -> Dataset:
        return self.study.dataset

    @property
    def seed(self) -> int:
        return self.study.seed

    @property
    def table(self) -> Histogram:
        return self.study.table if self._table is None else self._table

    @property
    def methods(self) -> tuple[Mechanism, ...]:
        return tuple(one.mechanism for one in self.chosen)

    def guarantee(self, method: Mechanism) -> Guarantee:
        """What a chosen method promises on the table."""
        return next(one.guarantee for one in self.chosen if one.mechanism == method)

    def texts(self) -> dict[str, str]:
        """The question's own controls as a link writes them."""
        return {n: p.text(self.values[n]) for n, p in self.params.items() if p.linked}


Offered = Param | Sequence[Param] | None


@dataclass(frozen=True)
class Control:
    """One of the question's own controls. `offer` declares it for what is given so far: a `Param`,
    several, or None where there is nothing to choose.

    It stands above the methods, or below them (`after_methods`: it may then depend on them), or at
    the panels that name it. Controls of one `row` stand side by side, `width` pixels wide, as wide
    as their content or as there is room.
    """

    offer: Callable[[Given], Offered]
    after_methods: bool = False
    at_panel: bool = False
    row: int = 0
    width: int | Literal["stretch", "content"] = "stretch"


def usual_methods(given: Given) -> Methods:
    return {
        "m1": mechanism("laplace"), "m2": mechanism("discrete-gaussian"),
        "m3": mechanism("dp-suppression"), "m4": mechanism("suppression"),
    }


def no_methods(given: Given) -> Methods:
    return {}


def study_table(given: Given) -> Histogram:
    return given.study.table


def promise(given: Given, method: Mechanism) -> Guarantee:
    return method.guarantee(given.table)


@dataclass(frozen=True)
class Question:
    """One question that a person has.

    `sentence` is what it lets a person say. `data` is what it starts on if the reader has not
    chosen; with `own_table` it says itself what people are counted by; with `own_data` it is not
    about the reader's data at all, but about what that says. `methods` are those it suggests, by
    their names in a link; `guarantee` is how a method's promise is read off.
    """

    address: str
    title: str
    section: str
    icon: str
    asks: str
    sentence: str
    answer: Callable[[Given], Answer]
    method: str
    sources: tuple[str, ...]
    method_title: str = "What do these numbers mean, and how are they computed?"
    controls: tuple[Control, ...] = ()
    table: Callable[[Given], Histogram] = study_table
    methods: Callable[[Given], Methods] = usual_methods
    guarantee: Callable[[Given, Mechanism], Guarantee] = promise
    data: str = "ma2019"
    own_table: bool = False
    own_data: str = ""


class Source(Protocol):
    """Where the values of controls and the methods come from."""

    def value(self, control: Control, param: Param) -> Any: ...

    def methods(self, suggested: Methods, given: Given, question: Question) -> list[Chosen]: ...

    def settled(self) -> None:
        """All has been asked for."""
        ...


class Arguments:
    """Values given by name (`-` and `_` are one); what is not given is as declared, what is not
    known is a mistake."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._left = {_spelled(name): value for name, value in values.items()}
        self._known: list[str] = []

    def value(self, control: Control, param: Param) -> Any:
        self._known.append(param.name)
        name = _spelled(param.name)
        return param.validate(self._left.pop(name)) if name in self._left else param.default

    def methods(self, suggested: Methods, given: Given, question: Question) -> list[Chosen]:
        wanted = given.study.methods
        if wanted is None:
            treated = [given.study.treated(m) for m in suggested.values() if m is not None]
            wanted = [m for m in treated if _fits(m, given.table)]
        elif suggested:
            wanted = [given.study.treated(m) for m in wanted]
        else:
            wanted = []  # the question is not about methods of one's own choice
        for one in wanted:
            one.check(given.table)
        return [Chosen(one, question.guarantee(given, one)) for one in wanted]

    def settled(self) -> None:
        if self._left:
            known = ", ".join(self._known) or "no controls of its own"
            raise InputError(f"There is no control {next(iter(self._left))!r}. It has: {known}.")


def _fits(method: Mechanism, table: Histogram) -> bool:
    """Can the table be treated with it? A suggestion that does not fit is left out, as a card is
    whose settings do not fit."""
    try:
        method.check(table)
    except InputError:
        return False
    return True


def _spelled(name: str) -> str:
    return name.replace("-", "_")


def settle(question: Question, given: Given, source: Source) -> None:
    """The question's controls, its table, the methods and what they promise."""
    _ask_controls(question, given, source, after_methods=False)
    given._table = question.table(given)
    given.chosen = tuple(source.methods(question.methods(given), given, question))
    _ask_controls(question, given, source, after_methods=True)
    source.settled()


def _ask_controls(
    question: Question, given: Given, source: Source, after_methods: bool
) -> None:
    for control in question.controls:
        if control.after_methods == after_methods:
            for param in _listed(control.offer(given)):
                given.params[param.name] = param
                given.values[param.name] = source.value(control, param)


def _listed(offered: Offered) -> Iterator[Param]:
    if isinstance(offered, Param):
        yield offered
    elif offered is not None:
        yield from offered


def complete(question: Question, given: Given) -> Answer:
    """The answer, with the code that makes it and where it comes from."""
    found = question.answer(given)
    names = given.table.domain.names
    provenance = Provenance(
        given.dataset, names, given.seed, str(given.study.empty_groups),
        tuple(m.code() for m in given.methods), given.texts(), given.work.computed,
        question.own_data,
    )
    return dataclasses.replace(
        found, waiting=tuple(given.work.waiting), code=code_of(question, given),
        provenance=provenance,
    )


def cannot_answer(problem: InputError) -> Answer:
    """What a reader gets where the settings do not fit the data."""
    return Answer(
        "As it is set, this question cannot be answered on this data.",
        notices=(Notice(str(problem), "error", "error"),),
    )


def code_of(question: Question, given: Given) -> str:
    """Python that makes the answer again."""
    data, study = given.dataset, given.study
    source = data.id if data.origin != "own" else data.source
    lines = ["import sdc_core as sdc", "", "study = sdc.Study("]
    lines.append(f"    sdc.load_dataset({source!r}),")
    if not question.own_table:
        lines.append(f"    features={list(study.features)!r},")
    lines.append(f"    seed={study.seed},")
    if question.methods is not no_methods:
        lines += ["    methods=[", *(f"        {m.code()}," for m in given.methods), "    ],"]
    lines.append(")")
    changed = {
        n: given.values[n] for n, p in given.params.items()
        if p.linked and given.values[n] != p.default
    }
    keywords = {n: v for n, v in changed.items() if n.isidentifier()}
    others = {n: v for n, v in changed.items() if n not in keywords}
    arguments = [repr(question.address), "study", *(f"{n}={v!r}" for n, v in keywords.items())]
    if others:
        arguments.append(f"**{others!r}")
    return "\n".join([*lines, f"print(sdc.ask({', '.join(arguments)}))"])


def move_along(name: str, methods: Sequence[Mechanism]) -> Choice | None:
    """Which of the methods' parameters a chart moves along; None if they have none."""
    tunable = tunable_params(methods)
    if not tunable:
        return None
    return Choice(
        name=name, title="Move along", default=next(iter(tunable)), choices=tuple(tunable),
        titles={n: p.axis_title for n, p in tunable.items()}, segments=True, label_hidden=True,
    )


def tunable_params(methods: Sequence[Mechanism]) -> dict[str, Real]:
    return {
        p.name: p for m in methods for p in m.relevant_params()
        if isinstance(p, Real) and p.stronger
    }

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
from sdc_core.data.dataset import DomainChoice
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, fewer_features
from sdc_core.keep import visiting
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, Param, Real
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions import code
from sdc_core.questions.answer import Answer, Job, Notice, Provenance, See
from sdc_core.questions.run_file import Run
from sdc_core.questions.study import (
    DOMAIN,
    EMPTY_GROUPS,
    SEED,
    CountedAs,
    EmptyGroups,
    Study,
    can_leave_empty_groups,
)
from sdc_core.questions.work import TakesLong, Work, about
from sdc_core.words.numbers import listed, lowered

MOST_CELLS = 2_000_000  # of any table that a page shows: arrays of cells take 16 MB each
LONGEST_WAIT = 3.0  # seconds that an answer may take before a page asks whether to start
ANSWER = "answer"  # the key of the job that answers the question
MOVED = "moved"  # the key of the job that follows a control whose every move takes long
Methods = Mapping[str, Mechanism | None]  # by the name that a method has in the link
SLOTS = ("m1", "m2", "m3", "m4")  # those names, the same for all questions
SHARED = frozenset({"data", EMPTY_GROUPS.name, DOMAIN.name, SEED.name})  # settings, by name


class Chosen(NamedTuple):
    """A method on the table, with what it promises there."""

    mechanism: Mechanism
    guarantee: Guarantee


@dataclass
class Given:
    """All that is settled when a question answers: the study, the question's own controls by name,
    the table, the methods (and their names in a link, `slots`); and what to compute with. `dark` is
    for drawings that have to know."""

    study: Study
    work: Work = field(default_factory=Work)
    dark: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Param] = field(default_factory=dict)
    _table: Histogram | None = None
    chosen: tuple[Chosen, ...] = ()
    in_slots: tuple[str, ...] = ()  # the chosen methods' names in the link, where there is one
    on_request: tuple[str, ...] = ()  # controls that a page follows only when it is asked to

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

    @property
    def slots(self) -> tuple[str, ...]:
        """What each chosen method is called in a link, so that a click can set it."""
        return self.in_slots or tuple(f"m{i + 1}" for i in range(len(self.chosen)))

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

    It stands in one row above the first picture (`prominent`, `width` pixels wide, as wide as its
    content or as there is room), at the panels that name it (`at_panel`), or opens from that row.
    With `after_methods` it may depend on the methods. A move of it takes about so many `seconds`:
    where that is more than an instant, a page leaves what is shown in place until it is asked.
    """

    offer: Callable[[Given], Offered]
    after_methods: bool = False
    at_panel: bool = False
    prominent: bool = False
    width: int | Literal["stretch", "content"] = "stretch"
    seconds: float = 0.0


@dataclass(frozen=True)
class Preset:
    """Methods and conventions by the name of the paper that uses them, one click away.

    `name` is what Python and the command line call it (`as_in="das-2024-figure-2"`).
    """

    name: str
    title: str
    methods: tuple[Mechanism, ...]
    empty_groups: EmptyGroups = EmptyGroups.LIKE_ANY_OTHER
    domain: DomainChoice = "observed"
    counted_as: CountedAs = CountedAs.RECORDS  # no paper counts people represented

    def applied(self, study: Study) -> Study:
        return dataclasses.replace(
            study, methods=self.methods, empty_groups=self.empty_groups, domain=self.domain,
            counted_as=self.counted_as,
        )

    def is_on(self, study: Study, methods: Sequence[Mechanism]) -> bool:
        """Is what is shown what the paper does?"""
        wanted = self.applied(study)
        return (
            tuple(methods) == tuple(wanted.treated(m) for m in self.methods)
            and (study.empty_groups, study.domain, study.counted_as)
            == (wanted.empty_groups, wanted.domain, wanted.counted_as)
        )


def no_presets(given: Given) -> Sequence[Preset]:
    return ()


def usual_methods(given: Given) -> Methods:
    """One set of methods travels from page to page; this is where it starts."""
    names = ("laplace", "discrete-gaussian", "dp-suppression", "suppression")
    return {slot: mechanism(name) for slot, name in zip(SLOTS, names, strict=True)}


def no_methods(given: Given) -> Methods:
    return {}


def no_time(given: Given) -> float:
    return 0.0


def study_table(given: Given) -> Histogram:
    return given.study.table


def promise(given: Given, method: Mechanism) -> Guarantee:
    return given.work.kept(method.guarantee, given.table)


@dataclass(frozen=True)
class Question:
    """One question that a person has.

    `sentence` is what it lets a person say. `data` is what it starts on if the reader has not
    chosen; with `own_table` it says itself what people are counted by; with `own_data` it is not
    about the reader's data at all, but about what that says; `uses` are the settings shared by all
    pages that make a difference here, and so are in sight; `weighted` says that its numbers can
    be told in people represented (what a classifier sees, say, are records); with `takes_files` its
    page is where a file is opened, as the sidebar is on all others. `methods` are those all
    questions start with, by their names in a link (none where it is not about methods of one's own
    choice); `presets` are those of papers; `guarantee` is how a method's promise is read off. `see`
    are the questions that the method text mentions. `old_slots` is what methods were called in
    older links, before all questions shared them. It works up to `most_cells` groups of its table
    (`smaller` says where on the page to count by fewer features), and `seconds` is about how long
    it takes beyond what its methods do: where that is long, a page asks first.
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
    presets: Callable[[Given], Sequence[Preset]] = no_presets
    see: tuple[See, ...] = ()
    old_slots: tuple[str, ...] = ()
    guarantee: Callable[[Given, Mechanism], Guarantee] = promise
    data: str = "ma2019"
    own_table: bool = False
    own_data: str = ""
    uses: frozenset[str] = SHARED
    weighted: bool = False
    takes_files: bool = False
    most_cells: int = MOST_CELLS
    smaller: str = ""
    seconds: Callable[[Given], float] = no_time


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
            wanted = [m for m in treated if fits(m, given.table)]
        elif suggested:
            wanted = [given.study.treated(m).suited_to(given.table) for m in wanted]
        else:
            wanted = []  # the question is not about methods of one's own choice
        for one in wanted:
            one.check(given.table)
        return [Chosen(one, question.guarantee(given, one)) for one in wanted]

    def settled(self) -> None:
        if self._left:
            known = ", ".join(self._known) or "no controls of its own"
            raise InputError(f"There is no control {next(iter(self._left))!r}. It has: {known}.")


def fits(method: Mechanism, table: Histogram) -> bool:
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
    if not question.weighted:
        given.study = given.study.in_records()
    with visiting(given.work.keep):
        _ask_controls(question, given, source, after_methods=False)
        given._table = question.table(given)
        _refuse_large(question, given._table)
        given.chosen = tuple(source.methods(question.methods(given), given, question))
        _ask_controls(question, given, source, after_methods=True)
    source.settled()


def _refuse_large(question: Question, table: Histogram) -> None:
    """A table that would take too long or too much memory is refused at once, with what would make
    it feasible."""
    if len(table) > question.most_cells:
        raise InputError(
            f"This table has {len(table):,} groups; this page works up to {question.most_cells:,}. "
            "With more it would take more memory or time than one visitor has. "
            f"{fewer_features(table.domain, question.most_cells)} {question.smaller}".strip()
        )


def _ask_controls(
    question: Question, given: Given, source: Source, after_methods: bool
) -> None:
    for control in question.controls:
        if control.after_methods == after_methods:
            for param in _listed(control.offer(given)):
                given.params[param.name] = param
                given.values[param.name] = source.value(control, param)
                if control.seconds:
                    given.on_request += (param.name,)


def _listed(offered: Offered) -> Iterator[Param]:
    if isinstance(offered, Param):
        yield offered
    elif offered is not None:
        yield from offered


def complete(question: Question, given: Given) -> Answer:
    """The answer, with the code that makes it and where it comes from."""
    standing = _standing(question, given)
    if standing is not None:
        return _not_yet_followed(question, given, standing)
    with visiting(given.work.keep):
        found = _answer(question, given)
    _remember(question, given)
    names = given.table.domain.names
    provenance = Provenance(
        given.dataset, names, given.seed, str(given.study.empty_groups), given.study.domain,
        tuple(m.code() for m in given.methods), given.texts(), given.work.computed,
        question.own_data, str(given.study.counted_as), settings_in_words(question, given),
    )
    notices = (*_unlike(given.methods), *_about_weights(given.table), *found.notices)
    return dataclasses.replace(
        found, notices=notices, waiting=tuple(given.work.waiting),
        make_code=lambda: code_of(question, given), make_run=lambda: run_of(question, given),
        provenance=provenance,
    )


def _standing(question: Question, given: Given) -> Given | None:
    """What the answer that is shown was given for, where a control whose every move takes long was
    moved and nobody has asked for the new answer; None where there is nothing to wait for."""
    if not given.on_request or given.work.may_start(MOVED):
        return None
    keep = given.work.keep
    last = (given.work.visit or keep)(_last_followed, question.address, given.dataset)
    if not last or last == _followed(given) or keep.holds(_answered, *_settings(question, given)):
        return None
    return dataclasses.replace(given, values={**given.values, **last})


def _remember(question: Question, given: Given) -> None:
    """This is what is shown until something else is asked for."""
    if given.on_request:
        keep = given.work.keep
        keep(_answered, *_settings(question, given))
        (given.work.visit or keep)(_last_followed, question.address, given.dataset).update(
            _followed(given))


def _followed(given: Given) -> dict[str, Any]:
    return {name: given.values[name] for name in given.on_request}


def _settings(question: Question, given: Given) -> tuple[Any, ...]:
    """All that an answer hangs on."""
    return (
        question.address, given.dataset, given.table, given.methods, given.seed, given.texts())


def _answered(*settings: Any) -> bool:
    """That it was answered is kept as long as what was found."""
    return True


def _last_followed(address: str, data: Dataset) -> dict[str, Any]:
    """Where the controls stood that a page does not follow at once, when it did last."""
    return {}


def _not_yet_followed(question: Question, given: Given, standing: Given) -> Answer:
    """The answer as it stands, with its own settings, and a way to the one that is not there."""
    found = complete(question, standing)
    moved = [n for n in given.on_request if given.values[n] != standing.values[n]]
    now, shown = (
        ", ".join(f"{lowered(one.params[n].title)} {one.params[n].words(one.values[n])}"
                  for n in moved)
        for one in (given, standing)
    )
    seconds = sum(c.seconds for c in question.controls for p in _listed(c.offer(given))
                  if p.name in moved)
    return dataclasses.replace(found, waiting=(*found.waiting, Job(
        MOVED, f"Compute {now}", f"Still shown: {shown}. It takes {about(seconds)}.",
        at_controls=True)))


def settings_in_words(question: Question, given: Given) -> tuple[str, ...]:
    """How an answer was set, for a picture or paper: methods, the study's settings, and of the
    question's own controls the numbers and whatever is not as usual."""
    study, said = given.study, [m.plain_label() for m in given.methods]
    if not question.own_data:
        titles = (lowered(feature.title) for feature in given.table.domain.features)
        said.append(f"people counted by {', '.join(titles)}")
        if any(can_leave_empty_groups(m) for m in given.methods) or not given.methods:
            empty = EMPTY_GROUPS.titles.get(study.empty_groups, "as each method is set")
            said.append(f"empty groups {empty}")
        if study.domain != DOMAIN.default:
            said.append(f"groups {DOMAIN.words(study.domain)}")
        if study.represented:
            said.append("told in people represented")
    said += [
        f"{lowered(p.title)}: {p.words(given.values[n])}"
        for n, p in given.params.items()
        if p.linked and (p.numeric or given.values[n] != p.default)
    ]
    return tuple(said)


def _answer(question: Question, given: Given) -> Answer:
    """The answer; where it takes long, only once it is asked for, or was given before."""
    seconds, keep = question.seconds(given), given.work.keep
    same = (question.address, given.table, given.methods, given.seed)
    if seconds > LONGEST_WAIT and not (
        given.work.may_start(ANSWER) or keep.holds(_asked, *same)
    ):
        return _on_request(given, seconds)
    try:
        found = question.answer(given)
    except TakesLong as work:
        return _on_request(given, work.seconds)
    if seconds > LONGEST_WAIT:
        keep(_asked, *same)
    return found


def _on_request(given: Given, seconds: float) -> Answer:
    given.work.wait_for(Job(
        ANSWER, "Answer this", f"With {len(given.table):,} groups this takes {about(seconds)}. "
        "Moving any control cancels.",
    ))
    return Answer("This takes a while on these data: start it below.")


def _asked(address: str, table: Histogram, methods: Sequence[Mechanism], seed: int) -> bool:
    """That it was asked for is kept as long as what was found."""
    return True


def run_of(question: Question, given: Given) -> Run:
    """What a run file says."""
    files = tuple(
        n for n, p in given.params.items() if not p.linked and given.values[n] is not None)
    return Run.of(question.address, given.study.with_methods(given.methods), given.texts(), files)


def _unlike(methods: Sequence[Mechanism]) -> Iterator[Notice]:
    """Methods that treat empty groups differently although they could do alike."""
    able = [m for m in methods if can_leave_empty_groups(m)]
    leaving = [m for m in able if m.settings()["keep_zeros"]]
    filling = [m for m in able if m not in leaving]
    if leaving and filling:
        yield Notice(
            f"Empty groups: {_named(leaving)} leaves them at 0, {_named(filling)} treats them like "
            "any other. That alone can turn a comparison round.", "warning", "balance",
        )


def _about_weights(table: Histogram) -> Iterator[Notice]:
    """What counting people represented means for numbers and promises."""
    weights = table.weights
    if weights is not None:
        yield Notice(
            f"Counted in people represented ({weights.column}): the methods act on "
            f"{table.total:,} records, which stand for {table.people.sum():,.0f} people. An error "
            "of one record counts for as many people as the records of its group stand for on "
            f"average (in an empty group: {weights.mean:,.1f}). ε is about records: one stands for "
            f"up to {weights.largest:,.0f} people. The mean weights of the groups are read off "
            "the data and would have to be published as they are.", "quiet", "scale",
        )


def _named(methods: Sequence[Mechanism]) -> str:
    return listed([m.label() for m in methods])


def cannot_answer(problem: InputError) -> Answer:
    """What a reader gets where the settings do not fit the data."""
    return Answer(
        "As it is set, this question cannot be answered on this data.",
        notices=(Notice(str(problem), "error", "error"),),
    )


def code_of(question: Question, given: Given) -> str:
    """Python that makes the answer again, from any folder."""
    changed = {
        n: given.values[n] for n, p in given.params.items()
        if p.linked and given.values[n] != p.default
    }
    return code.asking(
        question.address, given.study, None if question.own_table else given.study.features,
        None if question.methods is no_methods else given.methods, changed,
    )


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

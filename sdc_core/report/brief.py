"""A brief as a document: what is on the page that a minister is given, whatever it is written as.

HTML, Word, Markdown, slides and PDF are written from this one description (`Document`), so that a
number cannot differ between them. What the author wrote is marked as the author's: everything else
is computed from the pinned answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.answer import Answer, Panel, Provenance
from sdc_core.questions.question import Question
from sdc_core.questions.rerun import run as run_again
from sdc_core.questions.work import Work
from sdc_core.report.brief_file import HEADLINE, Brief, Pin
from sdc_core.report.hurt import hurt_sentences
from sdc_core.words.guarantees import proved_sentence
from sdc_core.words.numbers import at_the_start, listed

UNTITLED = "How protecting these data changes them"
YOURS = "Recommendation"
_EVALUATED = 200  # releases of a method without a closed form, as on Compare


@dataclass(frozen=True, eq=False)
class Item:
    """One pinned answer, with its first picture, or one pinned panel. `said` are the author's words
    where there are any, and else what is `computed`."""

    answer: Answer
    title: str
    said: tuple[str, ...]
    panel: Panel | None
    own_words: bool
    computed: tuple[str, ...]

    @property
    def about(self) -> Provenance:
        """Where it comes from: what `ask` gives always says so."""
        if self.answer.provenance is None:
            raise InputError("An answer in a brief must say where it comes from.")
        return self.answer.provenance


@dataclass(frozen=True)
class Section:
    """A title and paragraphs; `own_words` says that the author wrote them in place of what is
    `computed`, `to_fill` that they are still to be written."""

    name: str
    title: str
    said: tuple[str, ...]
    own_words: bool = False
    to_fill: bool = False
    computed: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Document:
    """The brief as it is read: title, the question, which data (with real or synthetic), answers,
    sections; and for whoever doubts it, the appendix."""

    brief: Brief
    title: str
    asked: str
    stamps: tuple[str, ...]
    items: tuple[Item, ...]
    sections: tuple[Section, ...]

    @property
    def appendix(self) -> tuple[tuple[str, dict[str, Any], str], ...]:
        """Each different answer: its headline, all facts that make it again, and the code."""
        seen = {id(item.answer): item for item in self.items}
        return tuple(
            (item.answer.headline, item.about.facts(), item.answer.code) for item in seen.values()
        )


def answers_of(
    brief: Brief, data: Dataset | None = None, work: Work | None = None, dark: bool = False,
) -> list[Answer]:
    """The pinned answers, asked again; one asking serves all pins on it. `data` is the reader's own
    file, for runs that were made on one; `dark` is for a page, paper is white."""
    work, found = work or Work(), {}
    for pin in brief.pins:
        key = pin.same[0]
        if key not in found:
            own = None if pin.run.data.id else data
            found[key] = run_again(pin.run, own, work=work, dark=dark)
    return [found[pin.same[0]] for pin in brief.pins]


def compose(brief: Brief, answers: Sequence[Answer], work: Work | None = None) -> Document:
    """The document; `answers` are those of the pins, in their order."""
    if not brief.pins:
        raise InputError("A brief needs at least one pinned answer. Pin one on any page.")
    items = tuple(_item(pin, one) for pin, one in zip(brief.pins, answers, strict=True))
    studied = _Studied.of(brief.pins, items, work or Work())
    stamps = tuple(dict.fromkeys(_stamp(item.about) for item in items))
    asked = brief.asked or "What do the ways of protecting these data do to them, and to whom?"
    computed = {
        "hurt": ("Who is hurt", studied.hurt()),
        "promised": ("What is promised", studied.promised()),
        "limits": ("What this cannot say", tuple(_limits(items))),
    }
    sections = [
        Section(name, title, (own,) if (own := brief.texts.get(name, "").strip()) else said,
                bool(own), computed=said)
        for name, (title, said) in computed.items() if said
    ]
    mine = brief.texts.get("recommendation", "").strip()
    sections.append(Section("recommendation", YOURS, (mine,) if mine else (), bool(mine), not mine))
    return Document(brief, brief.title or UNTITLED, asked, stamps, items, tuple(sections))


def _item(pin: Pin, found: Answer) -> Item:
    said: tuple[str, ...]
    if pin.panel == HEADLINE:
        said, title = (found.first,), found.headline
        panel = next((p for p in found.panels if p.drawing is not None), None)
    else:
        names = [p.name for p in found.panels]
        if pin.panel not in names:
            raise InputError(
                f"The answer has no panel {pin.panel!r} at these settings. It has: "
                f"{listed(names)}."
            )
        panel = found.panel(pin.panel)
        title = panel.title or found.headline
        said = (panel.caption, *panel.prose, panel.note)
    own, computed = pin.words.strip(), tuple(dict.fromkeys(filter(None, said)))
    return Item(found, title, (own,) if own else computed, panel, bool(own), computed)


def _stamp(about: Provenance) -> str:
    data, kind = about.stamp
    return f"{kind}: {data}"


@dataclass(frozen=True, eq=False)
class _Studied:
    """The tables and methods that the pinned answers are about."""

    evaluations: tuple[tuple[Histogram, Evaluation], ...]
    methods: tuple[tuple[Mechanism, Histogram], ...]

    @classmethod
    def of(cls, pins: Sequence[Pin], items: Sequence[Item], work: Work) -> _Studied:
        tables: dict[object, Histogram] = {}  # each once, although every asking counts anew
        methods: dict[tuple[Mechanism, int], tuple[Mechanism, Histogram]] = {}
        evaluations = []
        for pin, item in zip(pins, items, strict=True):
            if item.about.own_data:
                continue  # not about the reader's table
            study = pin.run.study(item.about.dataset)
            about = (pin.run.data, study.features, study.domain, study.counted_as)
            table = tables.setdefault(about, study.table)
            for one in pin.run.methods:
                if (one, id(table)) not in methods:
                    methods[one, id(table)] = one, table
                    evaluations += [
                        (table, found)
                        for found in work.evaluate([one], table, study.seed, _EVALUATED)
                    ]
        return cls(tuple(evaluations), tuple(methods.values()))

    def hurt(self) -> tuple[str, ...]:
        tables = {id(table): table for table, _ in self.evaluations}
        return tuple(
            said for key, table in tables.items()
            for said in hurt_sentences(table, [e for t, e in self.evaluations if id(t) == key])
        )

    def promised(self) -> tuple[str, ...]:
        said = (
            proved_sentence(at_the_start(one.spoken()), one.guarantee(table))
            for one, table in self.methods
        )
        return tuple(dict.fromkeys(map(str, said)))


def _limits(items: Sequence[Item]) -> Iterator[str]:
    """What the numbers do not show, so that nobody reads it into them."""
    about = [item.about for item in items if not item.about.own_data]
    if any(one.dataset.origin == "twin" for one in about):
        yield ("The data are synthetic: the numbers show how the methods behave on a table of this "
               "kind, and nothing about real people.")
    if about:
        tables = dict.fromkeys(
            text for one in about for text in one.settings if text.startswith("people counted by"))
        yield (f"Errors are those of {'one table' if len(tables) == 1 else 'these tables'} "
               f"({'; '.join(tables)}); other tables of the same data have other errors.")
    simulated = dict.fromkeys(one.computed for one in about if one.seeded)
    if simulated:
        yield f"Some numbers are not exact, but {listed(list(simulated))}: another seed moves them."
    if len(items) > 1:
        yield ("Promises are about one release each; whoever publishes several about the same "
               "people gives away more: where there is an ε, they add up.")
    yield ("Nothing here says how large an error, or how strong a promise, is right: that is the "
           "reader's to decide.")


def suggested(asked: Sequence[Question], found: Sequence[Answer]) -> Brief:
    """What a brief starts with where nothing is pinned: these answers to these questions."""
    pins = tuple(Pin(answer.run) for answer in found if answer.run is not None)
    return Brief(asked=" ".join(at_the_start(one.asks) for one in asked), pins=pins)

"""What a reader gets: an answer with its panels. Page, command, picture and brief show this object,
so that a number cannot differ between them."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly
import plotly.graph_objects as go

from sdc_core.data import Dataset
from sdc_core.questions.run_file import Run
from sdc_core.version import __version__
from sdc_core.words.numbers import Sentences

Tone = Literal["info", "warning", "error", "quiet"]
ORIGIN_WORDS = {
    "real": "Real records", "twin": "Synthetic twin", "own": "Your data, stays here",
}

PUBLISHED = "Published numbers"  # of a question that is not about the reader's data
STORED = "as stored"  # how what was not computed now begins to say how it came about


@dataclass(frozen=True)
class Action:
    """A button that sets controls (names and texts, as in a link)."""

    label: str
    sets: Mapping[str, str]
    icon: str = ""
    disabled: bool = False
    primary: bool = False


@dataclass(frozen=True)
class See:
    """Another question that goes on where a sentence stops: its address and what is found there.
    Data, table and methods go along."""

    address: str
    says: str


@dataclass(frozen=True)
class Notice:
    """Something to know before reading on."""

    text: str
    tone: Tone = "info"
    icon: str = ""
    action: Action | None = None


@dataclass(frozen=True)
class Job:
    """Work that starts on request only: what the button says, and what is said beside it. With
    `at_controls` it stands beside the controls: what is shown is not yet what they say; with
    `panel` at the panel of that name."""

    key: str
    label: str
    note: str
    at_controls: bool = False
    panel: str = ""


@dataclass(frozen=True)
class ColumnLook:
    """How a column of a shown table is written."""

    title: str | None = None
    format: str | None = None
    width: int | None = None
    help: str | None = None


@dataclass(frozen=True, eq=False)
class TableView:
    """A table that is itself the picture; `most` rows of it are shown."""

    frame: pd.DataFrame
    looks: Mapping[str, ColumnLook] = field(default_factory=dict)
    most: int | None = None
    height: int | None = None
    row_height: int | None = None
    width: int | None = None


@dataclass(frozen=True)
class Pick:
    """A click on a mark sets a control: `texts` are what the marks stand for, in their order;
    clicking what is set already (`present`) sets it to `otherwise`."""

    control: str
    texts: tuple[str, ...]
    present: str = ""
    otherwise: str = ""

    def text_of(self, mark: int) -> str:
        return self.texts[mark] if 0 <= mark < len(self.texts) else ""

    def set_by(self, mark: int) -> Mapping[str, str]:
        """The controls that a click on this mark sets (names and texts, as in a link)."""
        text = self.text_of(mark)
        return {self.control: self.otherwise if text == self.present else text} if text else {}


@dataclass(frozen=True)
class PickSettings:
    """The same where every mark has controls of its own."""

    sets: tuple[Mapping[str, str], ...]

    def set_by(self, mark: int) -> Mapping[str, str]:
        return self.sets[mark] if 0 <= mark < len(self.sets) else {}


# Figures that stand side by side (and stack on a narrow screen), HTML, or a table.
Drawing = tuple[go.Figure, ...] | str | TableView | None


@dataclass(frozen=True, eq=False)
class Panel:
    """One thing to look at: a title, a sentence or two, a drawing, its numbers, and words for those
    who do not see it. `name` is the file name of its table and picture.

    `make_table` is called when somebody asks for the table. `prose` are paragraphs in full ink;
    `note` follows the drawing; `legend` is HTML above it. `width` is the share of the row that the
    panel takes; `folded` panels are opened by the reader; `minor` ones have a smaller title.
    `controls` are the question's own controls that stand here; `editor` names what a page offers in
    place of the drawing where a reader may change what it shows. `see` are the questions that its
    words mention. `spare_on_a_phone` are the pixels that a drawing of fixed height leaves empty
    where it is only as wide as a phone. Panels that say the same in `together` are one picture of
    that name.
    """

    name: str
    title: str = ""
    caption: str = ""
    drawing: Drawing = None
    make_table: Callable[[], pd.DataFrame] | None = field(default=None, repr=False)
    alt: str = ""
    prose: tuple[str, ...] = ()
    note: str = ""
    legend: str = ""
    notices: tuple[Notice, ...] = ()
    controls: tuple[str, ...] = ()
    editor: str = ""
    actions: tuple[Action, ...] = ()
    see: tuple[See, ...] = ()
    pick: Pick | PickSettings | None = None
    spare_on_a_phone: int = 0
    width: float = 1.0
    minor: bool = False
    folded: bool = False
    pictured: bool = True  # not where it has more rows than a picture can hold
    icon: str = ""
    together: str = ""

    @cached_property
    def table(self) -> pd.DataFrame | None:
        """The panel's numbers, as its CSV has them."""
        if self.make_table is not None:
            return self.make_table()
        return self.drawing.frame if isinstance(self.drawing, TableView) else None

    @property
    def figures(self) -> tuple[go.Figure, ...]:
        return self.drawing if isinstance(self.drawing, tuple) else ()


@dataclass(frozen=True, eq=False)
class Provenance:
    """Where an answer comes from: all that is needed to get it again, and to judge it."""

    dataset: Dataset = field(repr=False)
    features: tuple[str, ...]
    seed: int
    empty_groups: str
    domain: str
    methods: tuple[str, ...]
    controls: Mapping[str, str]
    computed: str  # `exact`, or how many releases stand behind the numbers
    own_data: str = ""  # what the numbers are about, where it is not the data set
    counted_as: str = "records"
    settings: tuple[str, ...] = ()  # how it was set, in words

    @property
    def digest(self) -> str:
        """Names the content of the data."""
        return self.dataset.digest

    @property
    def seeded(self) -> bool:
        """Do the numbers hang on the seed of the study?"""
        return self.computed != "exact" and not self.computed.startswith(STORED)

    @property
    def real(self) -> bool:
        return self.dataset.origin != "twin"

    @property
    def about(self) -> str:
        """The data in a few words."""
        words = f"{self.dataset.title}, {ORIGIN_WORDS[self.dataset.origin].lower()}"
        return self.own_data or words

    @property
    def stamp(self) -> tuple[str, str]:
        """The data's name, and whether they are of real people, as short as can be."""
        if self.own_data:
            return self.own_data.partition(":")[0], PUBLISHED
        return self.dataset.title, ORIGIN_WORDS[self.dataset.origin]

    def facts(self) -> dict[str, Any]:
        data = {"data": self.own_data} if self.own_data else {
            "data": self.dataset.title, "id": self.dataset.id,
            "origin": ORIGIN_WORDS[self.dataset.origin], "source": self.dataset.source,
            "sha256": self.digest, "rows": len(self.dataset),
        }
        return {
            **data, "features": list(self.features),
            "seed": self.seed, "empty groups": self.empty_groups, "domain": self.domain,
            "counted as": self.counted_as, "methods": list(self.methods),
            "controls": dict(self.controls), "computed": self.computed, "versions": versions(),
        }


def versions() -> dict[str, str]:
    """Of what the numbers were computed with."""
    return {
        "sdc_core": __version__, "python": platform.python_version(), "numpy": np.__version__,
        "pandas": pd.__version__, "plotly": plotly.__version__,
    }


@dataclass(frozen=True, eq=False)
class Answer:
    """A sentence with numbers, what it does not say yet, and panels in reading order.

    A question's function gives these; `ask` adds the code that makes the answer again, the run that
    can be saved, where it comes from, and the jobs that wait to be started. Where `more` is several
    `Sentences`, the first is read before the first picture and the others after it. `see` are the
    questions that these sentences lead to.
    """

    headline: str
    more: str = ""
    panels: tuple[Panel, ...] = ()
    notices: tuple[Notice, ...] = ()
    see: tuple[See, ...] = ()
    waiting: tuple[Job, ...] = ()
    make_code: Callable[[], str] | None = field(default=None, repr=False)
    make_run: Callable[[], Run] | None = field(default=None, repr=False)
    provenance: Provenance | None = None

    @property
    def first(self) -> str:
        """What is said before the first picture."""
        return self.more.parts[0] if isinstance(self.more, Sentences) else self.more

    @property
    def further(self) -> str:
        """What is said after it."""
        return " ".join(self.more.parts[1:]) if isinstance(self.more, Sentences) else ""

    @cached_property
    def code(self) -> str:
        """Python that makes the answer again."""
        return self.make_code() if self.make_code is not None else ""

    @cached_property
    def run(self) -> Run | None:
        """What a run file says, so that the answer can be had again."""
        return self.make_run() if self.make_run is not None else None

    def panel(self, name: str) -> Panel:
        return next(p for p in self.panels if p.name == name)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The numbers of all panels that have any, by name."""
        return {p.name: p.table for p in self.panels if p.table is not None}

    def __str__(self) -> str:
        """Headline first, then the tables."""
        parts = [self.headline, self.more, *(n.text for n in self.notices), *map(_said, self.see)]
        for panel in self.panels:
            words = (panel.title.upper(), panel.caption, *panel.prose)
            parts.append("\n".join(text for text in words if text))
            if panel.table is not None and len(panel.table):
                parts.append(panel.table.to_string(index=False, max_rows=60))
            parts += map(_said, panel.see)
        if self.provenance is not None:
            facts = self.provenance
            parts.append(f"{facts.about}; seed {facts.seed}; {facts.computed}.")
        return "\n\n".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; frames are rows of records."""
        return {
            "headline": self.headline, "more": self.more,
            "notices": [{"tone": n.tone, "text": n.text} for n in self.notices],
            "see": [{"question": s.address, "says": s.says} for s in self.see],
            "panels": [
                {
                    "name": p.name, "title": p.title, "caption": p.caption,
                    "prose": list(p.prose), "alt": p.alt, "table": p.table,
                }
                for p in self.panels
            ],
            "waiting": [job.label for job in self.waiting],
            "code": self.code,
            "provenance": self.provenance.facts() if self.provenance else None,
        }


def _said(one: See) -> str:
    return f"{one.says}: ask {one.address}."

"""Items of the papers: a table or figure whose numbers are made again, and claims that can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from sdc_core.data import Dataset, load_dataset
from sdc_core.data.catalogue import CATALOGUE, entry
from sdc_core.errors import InputError
from sdc_core.keep import Keep, visiting
from sdc_core.papers.published import Entry, published
from sdc_core.papers.verdicts import Judged, Ours, judged

TWIN = "-twin"
Tell = Callable[[float], None]


@dataclass(frozen=True)
class Attempt:
    """One attempt at making numbers again: how thorough, from which seed, and where to say how far
    it has come."""

    full: bool = True
    seed: int = 7
    tell: Tell = lambda share: None
    twins_only: bool = False

    def either(self, full: int, quick: int) -> int:
        """So many repetitions, records or points."""
        return full if self.full else quick

    def has(self, dataset: str) -> bool:
        known = next((one for one in CATALOGUE if one.id == dataset), None)
        return known is not None and known.path() is not None and (
            known.origin == "twin" or not self.twins_only)

    def data(self, wanted: str) -> Dataset:
        """The real data if it is here, else its synthetic twin."""
        if self.has(wanted):
            return _loaded(wanted)
        if not self.has(wanted + TWIN):
            raise InputError(f"{entry(wanted).title} is not on this machine and has no twin.")
        return _loaded(wanted + TWIN)


def _loaded(dataset: str) -> Dataset:
    """Many claims are tried on the same data, so it is kept while its files stay as they are."""
    files = tuple((str(one), one.stat().st_mtime) for one in entry(dataset).paths())
    return _OF_THE_CATALOGUE(_read, dataset, files)


_OF_THE_CATALOGUE = Keep()  # nothing of a visitor's is in it


def _read(dataset: str, files: tuple[tuple[str, float], ...]) -> Dataset:
    return load_dataset(dataset)


@dataclass(frozen=True)
class Item:
    """A table, figure or passage of a paper: which printed numbers, and how ours are made.

    A figure whose text prints no number has no entries, only claims; what `make` gives then are the
    numbers that it draws, and nothing is judged. Else `make` gives ours under one or several
    conventions; the one that the published file names is judged. `compared` gives the rows among
    which an order is read.
    """

    paper: str
    name: str  # as in the published file
    title: str
    about: str  # what is made again and how, in a sentence or two
    make: Callable[[Attempt], Iterable[Ours]] = lambda attempt: ()
    data: tuple[str, ...] = ()  # what it needs
    compared: Callable[[Entry], str] | None = None  # rows with the same word are compared
    missing: str = ""  # why some of its numbers are not made again, and what comes nearest
    see: str = ""  # the question that shows it live, as in a link: "compare?data=ma2019"

    @property
    def id(self) -> str:
        return f"{self.paper.lower()}-{self.name}"

    @property
    def entries(self) -> list[Entry]:
        return published(self.paper, self.name)

    def made(self, attempt: Attempt) -> tuple[list[Ours], str]:
        """Ours, or why there are none."""
        try:
            return list(self.make(attempt)), ""
        except InputError as problem:
            return [], str(problem)

    def judged(self, made: Iterable[Ours], problem: str = "") -> list[Judged]:
        if not self.entries:
            return []
        groups: dict[str, list[str]] = {}
        if self.compared:
            for one in self.entries:
                groups.setdefault(self.compared(one), []).append(one.row)
        compared = [tuple(dict.fromkeys(rows)) for rows in groups.values()]
        return judged(self.entries, made, compared, problem or self.missing)

    def judge(self, attempt: Attempt) -> list[Judged]:
        return self.judged(*self.made(attempt))


Empty = Literal["kept", "filled", ""]  # what suppression does with empty groups; "" if no matter
EVERYWHERE = ("ma2019", "tx2019", "national2019", "ma2019-twin", "tx2019-twin", "national2019-twin")
PRINTED = ("1940", "2020")  # counts that the papers print: no file is needed


@dataclass(frozen=True)
class Case:
    """Where a claim is tried."""

    attempt: Attempt
    dataset: str
    empty: Empty = ""

    @property
    def data(self) -> Dataset:
        return _loaded(self.dataset)

    @property
    def keep_zeros(self) -> bool:
        return self.empty == "kept"


@dataclass(frozen=True)
class Found:
    """Whether a claim holds in a case, or None where it is too close to call, and the numbers that
    say so, in one sentence."""

    holds: bool | None
    numbers: str


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that can be true or false of data: in our words, with where it stands,
    the item it belongs to (a table or figure, or the text), the data the paper says it of, and
    where else it is tried."""

    paper: str
    number: int
    item: str  # such as fig2, table1, text
    where: str  # such as "§7, Fig 4"
    sentence: str
    test: Callable[[Case], Found]
    about: tuple[str, ...] = ("ma2019",)
    tried_on: tuple[str, ...] = EVERYWHERE
    empty: tuple[Empty, ...] = ("kept", "filled")
    slow: bool = False  # only in a full run

    @property
    def id(self) -> str:
        return f"{self.paper.lower()}-claim-{self.number}"


@dataclass(frozen=True)
class Tried:
    """A claim where it was tried; `holds` is None where the case cannot be tried, and `numbers`
    then says why."""

    dataset: str
    empty: Empty
    holds: bool | None
    numbers: str


@dataclass(frozen=True)
class Finding:
    claim: Claim
    tried: tuple[Tried, ...]

    @property
    def on_its_data(self) -> list[Tried]:
        return [one for one in self.tried if one.dataset.removesuffix(TWIN) in self.claim.about]

    @property
    def fails(self) -> bool:
        return any(one.holds is False for one in self.tried)

    @property
    def decided(self) -> bool:
        return any(one.holds is not None for one in self.tried)

    @property
    def flips(self) -> bool:
        return {one.holds for one in self.tried} >= {True, False}


def find(claim: Claim, attempt: Attempt) -> Finding:
    """The claim on all data that is there, under each treatment of empty groups."""
    there = [
        one for one in dict.fromkeys((*claim.about, *claim.tried_on))
        if one in PRINTED or attempt.has(one)
    ]
    cases = [Case(attempt, one, empty) for one in there for empty in claim.empty]
    tried, kept = [], Keep()
    for number, case in enumerate(cases):
        attempt.tell(number / len(cases))
        try:
            with visiting(kept):
                found = claim.test(case)
            tried.append(Tried(case.dataset, case.empty, found.holds, found.numbers))
        except InputError as problem:
            tried.append(Tried(case.dataset, case.empty, None, str(problem)))
    return Finding(claim, tuple(tried))


"""A run over the papers, as a file keeps it: what was made, on what, when. What is printed is not
in it: numbers are judged anew whenever a record is read."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sdc_core.as_json import plain
from sdc_core.papers.every import CLAIMS, ITEMS
from sdc_core.papers.item import Claim, Finding, Item, Tried
from sdc_core.papers.published import published
from sdc_core.papers.theorems import TheoremCheck
from sdc_core.papers.verdicts import GOOD, Judged, Ours, Verdict, judged

LAST_RUN = Path(__file__).with_name("last_run.json")


NOT_RUN = "It was not run."
NO_ITEM = "Nothing here makes it again."


@dataclass(frozen=True)
class Table:
    """A table, figure or passage of a paper with its printed numbers judged; it has no item where
    nothing makes it again."""

    paper: str
    name: str
    title: str
    judged: tuple[Judged, ...]
    item: Item | None = None


@dataclass(frozen=True)
class Part:
    """What one item, one claim or the theorems came to."""

    seconds: float
    made: tuple[Ours, ...] = ()
    problem: str = ""
    tried: tuple[Tried, ...] = ()
    checks: tuple[TheoremCheck, ...] = ()


@dataclass(frozen=True)
class Record:
    """Parts by their ids, and how they were made. `whole`: it is about all that the papers print,
    so what is not in it was not made again."""

    parts: Mapping[str, Part]
    made: str = ""  # the day
    version: str = ""
    full: bool = True
    seed: int = 7
    seconds: float = 0.0
    data: tuple[str, ...] = field(default_factory=tuple)  # real data that were there
    whole: bool = False

    def judged(self, item: Item) -> list[Judged]:
        part = self.parts.get(item.id)
        return item.judged(part.made, part.problem) if part else item.judged((), NOT_RUN)

    @functools.cached_property
    def tables(self) -> tuple[Table, ...]:
        """What was run, judged; of a whole record everything that is printed, in the papers' order.
        """
        of_items = [
            Table(one.paper, one.name, one.title, tuple(self.judged(one)), one)
            for one in ITEMS if self.whole or one.id in self.parts
        ]
        if not self.whole:
            return tuple(of_items)
        known = {(one.paper, one.name) for one in of_items}
        others = dict.fromkeys((e.paper, e.item) for e in published())
        rest = [
            Table(paper, name, name, tuple(judged(published(paper, name), (), missing=NO_ITEM)))
            for paper, name in others if (paper, name) not in known
        ]
        return tuple(sorted([*of_items, *rest], key=lambda one: one.paper))

    @functools.cached_property
    def numbers(self) -> tuple[Judged, ...]:
        """Every printed number that the record is about."""
        return tuple(one for table in self.tables for one in table.judged)

    def finding(self, claim: Claim) -> Finding | None:
        part = self.parts.get(claim.id)
        return Finding(claim, part.tried) if part else None

    @property
    def items(self) -> list[Item]:
        return [one for one in ITEMS if one.id in self.parts]

    @property
    def findings(self) -> list[Finding]:
        """Those that fail somewhere first, then those that flip, as the papers have them."""
        found = [one for claim in CLAIMS if (one := self.finding(claim))]
        return sorted(found, key=lambda one: (not one.fails, one.flips, not one.decided))

    @property
    def theorems(self) -> tuple[TheoremCheck, ...]:
        part = self.parts.get(THEOREMS)
        return part.checks if part else ()

    def to_json(self) -> str:
        body = {
            "made": self.made, "version": self.version, "full": self.full, "seed": self.seed,
            "seconds": round(self.seconds, 1), "data": list(self.data), "whole": self.whole,
            "parts": {name: _shorter(asdict(part)) for name, part in sorted(self.parts.items())},
        }
        return json.dumps(plain(body), ensure_ascii=False, indent=1) + "\n"


THEOREMS = "theorems"


def _shorter(part: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty."""
    part["seconds"] = round(part["seconds"], 2)
    for name in ("made", "tried", "checks"):
        part[name] = [{k: v for k, v in one.items() if v not in (None, "")} for one in part[name]]
    return {k: v for k, v in part.items() if v}


def read(text: str) -> Record:
    body = json.loads(text)
    return Record(
        {name: _part(one) for name, one in body["parts"].items()}, body["made"], body["version"],
        body["full"], body["seed"], body["seconds"], tuple(body["data"]),
        body.get("whole", False),
    )


def _part(one: Mapping[str, Any]) -> Part:
    return Part(
        one.get("seconds", 0.0), tuple(_ours(made) for made in one.get("made", ())),
        one.get("problem", ""), tuple(_tried(t) for t in one.get("tried", ())),
        tuple(_check(c) for c in one.get("checks", ())),
    )


def _ours(one: Mapping[str, Any]) -> Ours:
    """No number is written as nothing, and so is the end of a range that has none."""
    known = {"how": "", **one}
    if known.get("value") is None:
        known["value"] = math.nan
    if possible := known.get("possible"):
        low, high = possible
        known["possible"] = (-math.inf if low is None else low, math.inf if high is None else high)
    return Ours(**known)


def _tried(one: Mapping[str, Any]) -> Tried:
    return Tried(one["dataset"], one.get("empty", ""), one.get("holds"), one.get("numbers", ""))


def _check(one: Mapping[str, Any]) -> TheoremCheck:
    said = dict.fromkeys((each.name for each in fields(TheoremCheck)), "")
    return TheoremCheck(**{**said, "printed": None, "exact": None, **one})


@functools.lru_cache(maxsize=2)
def _last(file: Path, changed: float) -> Record:
    return replace(read(file.read_text(encoding="utf-8")), whole=True)


def last_run() -> Record:
    """The full run on the papers' own data that comes with the program."""
    if not LAST_RUN.exists():
        return Record({}, whole=True)
    return _last(LAST_RUN, LAST_RUN.stat().st_mtime)



def verdicts(numbers: Iterable[Judged]) -> Counter[Verdict]:
    return Counter(one.verdict for one in numbers)


def good(numbers: Iterable[Judged]) -> tuple[int, int]:
    """How many match or are within tolerance, of how many results."""
    counts = verdicts(numbers)
    return sum(counts[one] for one in GOOD), sum(counts.values()) - counts[Verdict.GIVEN]

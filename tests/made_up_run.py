"""A run over papers that is made up: a few items and claims of which every outcome is known, in
place of the real ones. Nobody published these numbers; the papers' names stand for any papers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdc_core.papers import record, running, theorems
from sdc_core.papers.item import Attempt, Case, Claim, Found, Item, Tried
from sdc_core.papers.published import Entry
from sdc_core.papers.record import THEOREMS, Part, Record
from sdc_core.papers.theorems import TheoremCheck
from sdc_core.papers.verdicts import Ours, Verdict

PRINTED = sys.modules["sdc_core.papers.published"]  # by name it is the function in it
HOSTILE = '<img src=x onerror="window.hit=1">'


def entry(paper: str, item: str, row: str, column: str, value: str, **more: object) -> Entry:
    settled: dict[str, object] = {"truncated": False, "data": "ma2019", **more}
    return Entry(paper, item, row, column, value, **settled)  # type: ignore[arg-type]


# What is printed; what came out, by the rows' names; and the verdict that follows by hand.
ENTRIES = (
    entry("P0", "table1", "noise eps=1", "delta", "0.36", truncated=True),
    entry("P0", "table1", "noise eps=1", "l1_bias", "100", tolerance="5%", reason="chance of 200"),
    entry("P0", "table1", "noise eps=2", "delta", "0.13"),
    entry("P0", "table1", "noise eps=2", "l1_bias", "50"),
    entry("P0", "table1", "swap eps=1", "l1_bias", "9000"),
    entry("P0", "table1", "swap eps=2", "l1_bias", "300", convention="any donor"),
    entry("P1", "table2", "noise", "alpha", "3.5", data="tx2019"),
    entry("P1", "fig9", "noise", "alpha", "7", data="tx2019"),
    entry("P4", "text-9.5", "people", "rows", "12", data="svcensus"),
)
OURS = (
    Ours("noise eps=1", "delta", 0.3689, dataset="ma2019"),
    Ours("noise eps=1", "l1_bias", 104.0, "200 releases", 1.5, dataset="ma2019"),
    Ours("noise eps=2", "delta", 0.5, dataset="ma2019", why="another ε is meant"),
    Ours("noise eps=2", "l1_bias", 70.0, dataset="ma2019"),
    Ours("swap eps=1", "l1_bias", 400.0, possible=(0.0, 4000.0), dataset="ma2019",
         why="more records than there are would have to move"),
    Ours("swap eps=2", "l1_bias", 900.0, convention="any donor", dataset="ma2019",
         why="nothing like it came out"),
    Ours("swap eps=2", "l1_bias", 1200.0, convention="donors differ", dataset="ma2019"),
)
VERDICTS = {
    ("P0", "table1"): (Verdict.MATCH, Verdict.WITHIN, Verdict.DIFFERS, Verdict.ORDER,
                       Verdict.CANNOT_BE, Verdict.DIFFERS),
    ("P1", "table2"): (Verdict.NOT_JUDGED,),
    ("P1", "fig9"): (Verdict.NOT_MADE,),
    ("P4", "text-9.5"): (Verdict.NOT_MADE,),
}


def _by_epsilon(one: Entry) -> str:
    return "noise" if one.row.startswith("noise") else one.row


def _never(case: Case) -> Found:
    raise AssertionError("what is stored is not tried again")


def _made(attempt: Attempt) -> Iterator[Ours]:
    """Made again, everything is twice as large; where there is a twin only, on the twin."""
    data = attempt.data("ma2019")
    attempt.tell(0.5)
    for one in OURS:
        yield Ours(one.row, one.column, 2 * one.value, one.how, one.error, one.convention,
                   dataset=data.id)


ITEMS = (
    Item("P0", "table1", "Table 1: what four methods cost", "Made up for a test.", _made,
         ("ma2019",), _by_epsilon),
    Item("P1", "table2", "Table 2: Texas", "Made up, too."),
    Item("P1", "fig2", "Figure 2: no number in the text", "Only words.",
         missing="The paper came without its pictures."),
    Item("P4", "text-9.5", f"§9.5: {HOSTILE}", HOSTILE, missing="The file is lost."),
)
CLAIMS = (
    Claim("P0", 1, "table1", "§1", "Noise is below hiding.", _never),
    Claim("P1", 1, "fig2", "§2", f"Swapping is worst. {HOSTILE}", _never),
    Claim("P1", 2, "fig2", "§3", "Error falls with ε.", _never, empty=("",)),
    Claim("P4", 1, "text-9.5", "§9", "Women earn less.", _never, ("svcensus",), (), ("",)),
    Claim("P4", 2, "text-9.5", "§9", "Nothing changes.", _never, ("pima",), (), ("",)),
)
STORED = Record({
    "p0-table1": Part(12.0, OURS),
    "p1-table2": Part(3.0, (Ours("noise", "alpha", 3.4, dataset="tx2019-twin"),)),
    "p4-text-9.5": Part(0.1, problem="Engineers 2000 is not on this machine and has no twin."),
    "p0-claim-1": Part(1.0, tried=tuple(
        Tried(name, empty, True, f"2 against 3 on {name}")
        for name in ("ma2019", "ma2019-twin") for empty in ("kept", "filled"))),
    "p1-claim-1": Part(1.0, tried=(
        Tried("ma2019", "kept", True, "5 against 4"), Tried("ma2019", "filled", False, "3 < 4"),
        Tried("tx2019", "kept", False, "1"), Tried("tx2019", "filled", False, "2"))),
    "p1-claim-2": Part(1.0, tried=(Tried("ma2019", "", None, "too close to call"),)),
    "p4-claim-1": Part(1.0, tried=(Tried("svcensus", "", True, "8,595 less"),)),
    "p4-claim-2": Part(1.0, tried=(Tried("pima", "", False, "it does"),)),
    THEOREMS: Part(1.0, checks=(
        TheoremCheck("P0", "Theorem 2", "A bound.", 1.01, 1.10, "fails", "nine people", "k = 7"),
        TheoremCheck("P3", "Theorem 1", "An ε.", 15.4, 15.4, "holds", "", "p = 5%"),)),
}, "2026-01-02", "9.9", seconds=125.0, data=("ma2019", "tx2019"), whole=True)


def take_the_place_of_the_papers(
    patch: pytest.MonkeyPatch, folder: Path, stored: Record = STORED,
    entries: tuple[Entry, ...] = ENTRIES,
) -> None:
    """Until the test ends, the program knows these papers and this run alone."""
    file = folder / f"{abs(hash((entries, stored.to_json())))}.json"
    file.write_text(stored.to_json(), encoding="utf-8")
    patch.setattr(PRINTED, "_entries", lambda: entries)
    patch.setattr(record, "LAST_RUN", file)
    for module in (record, running):
        patch.setattr(module, "ITEMS", ITEMS)
        patch.setattr(module, "CLAIMS", CLAIMS)
    patch.setattr(theorems, "checks", lambda attempt: list(STORED.theorems))

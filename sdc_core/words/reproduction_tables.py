"""A run over the papers as tables of numbers, for files and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from sdc_core.papers.item import Finding
from sdc_core.papers.record import Record, good, verdicts
from sdc_core.papers.theorems import TheoremCheck
from sdc_core.papers.verdicts import GOOD, Judged, Verdict
from sdc_core.words.reproduction import (
    EMPTY,
    cases,
    claims_sentence,
    data_name,
    headline,
    made_sentence,
    more,
    numbers_of,
    outcome,
    said,
    short_name,
    table_id,
    table_sentence,
    table_title,
)

FINE, ALL = "match or within tolerance", "results"
NUMBERS = ("row", "column", "printed", "ours", "how", "verdict", "reason", "tolerance",
           "convention", "data", "other readings")


def by_table(found: Record) -> pd.DataFrame:
    """How many of each verdict a table has; only those that print numbers."""
    rows = []
    for one in found.tables:
        counts, (fine, number) = verdicts(one.judged), good(one.judged)
        if one.judged:
            name = one.title if one.item else short_name(one)
            rows.append({"paper": one.paper, "table": name, FINE: fine, ALL: number,
                         **{str(v): counts[v] for v in Verdict}})
    return pd.DataFrame(rows, columns=["paper", "table", FINE, ALL, *map(str, Verdict)])


def numbers_frame(numbers: Sequence[Judged]) -> pd.DataFrame:
    """A row for each printed number."""
    return pd.DataFrame([
        {
            "row": one.entry.row, "column": one.entry.column, "printed": one.entry.printed,
            "ours": said(one.ours, one.entry) if one.ours else "",
            "how": one.ours.how if one.ours else "",
            "verdict": str(one.verdict), "reason": one.reason,
            "tolerance": one.entry.tolerance, "convention": one.entry.convention,
            "data": (one.ours.dataset if one.ours else "") or one.entry.data,
            "other readings": "; ".join(
                f"{o.convention or 'as stated'}: {said(o, one.entry)}" for o in one.others),
        }
        for one in numbers
    ], columns=list(NUMBERS))


def claims_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """A row for each claim: where it holds, where not, and the numbers on the paper's own data."""
    return pd.DataFrame([
        {
            "paper": one.claim.paper, "where": one.claim.where, "claim": one.claim.sentence,
            "outcome": outcome(one.tried), "holds": cases(one, True),
            "does not": cases(one, False), "not decided": cases(one, None),
            "numbers": numbers_of(one),
        }
        for one in findings
    ], columns=["paper", "where", "claim", "outcome", "holds", "does not", "not decided",
                "numbers"])


def cases_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """A row for each claim on each data set under each treatment of empty groups."""
    return pd.DataFrame([
        {
            "paper": one.claim.paper, "where": one.claim.where, "claim": one.claim.sentence,
            "data": data_name(case.dataset), "empty groups": EMPTY[case.empty],
            "holds": {True: "yes", False: "no", None: "not decided"}[case.holds],
            "numbers": case.numbers,
        }
        for one in findings for case in one.tried
    ], columns=["paper", "where", "claim", "data", "empty groups", "holds", "numbers"])


def theorems_frame(checks: Sequence[TheoremCheck]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "paper": one.paper, "theorem": one.name, "claim": one.sentence,
            "printed": one.printed, "exact": one.exact, "verdict": str(one.verdict),
            "reason": one.reason, "setting": one.setting,
        }
        for one in checks
    ], columns=["paper", "theorem", "claim", "printed", "exact", "verdict", "reason", "setting"])


def by_paper(found: Record) -> pd.DataFrame:
    """How many of each verdict a paper has."""
    return by_table(found).drop(columns="table").groupby("paper", as_index=False).sum()


def as_dict(found: Record) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "headline": headline(found), "more": str(more(found)), "made": made_sentence(found),
        FINE: good(found.numbers)[0], ALL: good(found.numbers)[1],
        "numbers": len(found.numbers), "papers": by_paper(found),
        "items": {
            table_id(one): {
                "title": table_title(one), "about": one.item.about if one.item else "",
                "numbers": numbers_frame(one.judged),
            }
            for one in found.tables
        },
        "claims": [
            {"id": one.claim.id, "claim": one.claim.sentence, "where": one.claim.where,
             "outcome": outcome(one.tried), "tried": [asdict(t) for t in one.tried]}
            for one in found.findings
        ],
        "theorems": theorems_frame(found.theorems),
    }


def as_text(found: Record) -> str:
    """For a terminal: what a table came to, a line for each printed number and each claim."""
    lines = [headline(found), more(found), made_sentence(found)]
    for one in found.tables:
        lines += ["", f"{table_id(one)}  {table_title(one)}", table_sentence(one.judged)]
        lines += [f"  {_line(number)}" for number in one.judged]
        lines += [f"  {one.item.missing}"] if one.item and one.item.missing else []
    if found.findings:
        lines += ["", claims_sentence(found.findings)]
    for claim in found.findings:
        lines.append(f"  {claim.claim.paper} {claim.claim.where}: {claim.claim.sentence} "
                     f"{outcome(claim.tried).capitalize()}.")
        where = cases(claim, False)
        lines += [f"    Not on {where}."] if where else []
        lines += [f"    {numbers_of(claim)}"] if numbers_of(claim) else []
    if found.theorems:
        lines += ["", "Theorems and formulas as printed"]
    lines += [f"  {one.paper} {one.name}: {one.verdict}. {one.reason}" for one in found.theorems]
    return "\n".join(line for line in lines if line is not None)


def _line(one: Judged) -> str:
    ours = said(one.ours, one.entry) if one.ours else "–"
    reason = f" ({one.reason})" if one.reason and one.verdict not in GOOD else ""
    return (f"{one.entry.row}, {one.entry.column}: printed {one.entry.printed}, ours {ours}: "
            f"{one.verdict}{reason}")

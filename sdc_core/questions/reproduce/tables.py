"""Numbers beside numbers, claims and theorems as tables to read."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from sdc_core.figures.reading_table import reading_table, with_dot
from sdc_core.papers.item import EVERYWHERE, Finding, Tried
from sdc_core.papers.published import Entry
from sdc_core.papers.theorems import TheoremCheck
from sdc_core.papers.verdicts import GOOD, Judged, Verdict
from sdc_core.questions.reproduce.figures import COLORS
from sdc_core.words import reproduction as words
from sdc_core.words.numbers import at_the_start, in_words

_SIGNS: Mapping[bool | None, tuple[str, str, str]] = {
    True: ("✓", "holds", "inherit"), False: ("✗", "does not hold", "light-dark(#B01C33, #FF8E9B)"),
    None: ("?", "not decided", "inherit"),
}


# ---------------------------------------------------------------- numbers


def numbers_table(numbers: Sequence[Judged]) -> str:
    """Rows and columns as the paper has them: each number as printed, and ours under it."""
    columns = list(dict.fromkeys(one.entry.column for one in numbers))
    rows: dict[str, dict[str, Judged]] = {}
    for one in numbers:
        rows.setdefault(one.entry.row, {})[one.entry.column] = one
    heads = ("Printed, then ours", *map(words.column_name, columns))
    return reading_table("Printed numbers, and ours under them", heads, (
        f'<tr><th scope="row" class="keep">{_esc(words.row_name(row))}</th>'
        f"{''.join(_cell(found.get(column)) for column in columns)}</tr>"
        for row, found in rows.items()
    ))


def _cell(one: Judged | None) -> str:
    if one is None:
        return "<td></td>"
    ours = words.said(one.ours, one.entry) if one.ours else "–"
    verdict = "" if one.verdict in GOOD else f" {_esc(one.verdict)}"
    return (f'<td><span class="name">{_esc(one.entry.printed)}</span><br/>'
            f'<span class="keep">{with_dot(ours, COLORS[one.verdict])}</span>{verdict}</td>')


def reasons_table(numbers: Sequence[Judged]) -> str:
    """Why numbers are not those that are printed, and what other readings of the paper give. Those
    with the same to be said of them are one row."""
    groups: dict[tuple[Verdict, str, str], list[Judged]] = {}
    for one in numbers:
        if one.verdict is not Verdict.MATCH or one.others:
            key = (one.verdict, one.reason, one.entry.convention)
            groups.setdefault(key, []).append(one)
    if not groups:
        return ""
    heads = ("Verdict", "Numbers", "Why", "Other readings of the paper")
    order = list(Verdict)
    listed = sorted(groups.items(), key=lambda one: -order.index(one[0][0]))
    return reading_table("Why, and other readings", heads, (
        _reason(verdict, reason, convention, found)
        for (verdict, reason, convention), found in listed
    ))


def _reason(verdict: Verdict, reason: str, convention: str, found: Sequence[Judged]) -> str:
    why = " ".join(text for text in (
        _sentence(reason), _allowed([one.entry for one in found]),
        f"Read as: {convention}." if convention else "") if text)
    return (f'<tr><td class="keep">{with_dot(verdict, COLORS[verdict])}</td>'
            f"<td>{_esc(_which(found))}</td><td>{_esc(why) or '–'}</td>"
            f"<td>{_others(found) or '–'}</td></tr>")


def _allowed(entries: Sequence[Entry]) -> str:
    """How far these may be from what is printed: shares and amounts from the smallest on."""
    kinds: dict[bool, set[str]] = {}
    for one in entries:
        if one.tolerance:
            kinds.setdefault(one.tolerance.endswith("%"), set()).add(one.tolerance)
    said = []
    for found in kinds.values():
        least, *_, most = sorted([*found, *found], key=lambda text: float(text.rstrip("%")))
        said.append(least if least == most else f"{least} to {most}")
    return f"Allowed: {', '.join(said)}." if said else ""


def _sentence(text: str) -> str:
    text = text.strip()
    return at_the_start(text) + "." * (text[-1] not in ".!?") if text else ""


def _which(found: Sequence[Judged]) -> str:
    """The numbers by their rows: `laplace ε = 1: α, variance`."""
    by_columns: dict[tuple[str, ...], list[str]] = {}
    by_row: dict[str, list[str]] = {}
    for one in found:
        by_row.setdefault(one.entry.row, []).append(words.column_name(one.entry.column))
    for row, columns in by_row.items():
        by_columns.setdefault(tuple(columns), []).append(words.row_name(row))
    return "; ".join(f"{', '.join(rows)}: {', '.join(columns)}"
                     for columns, rows in by_columns.items())


def _others(found: Sequence[Judged]) -> str:
    """Each reading with its numbers, in the order of those that it is about."""
    readings: dict[str, list[str]] = {}
    for one in found:
        for other in one.others:
            readings.setdefault(other.convention or "as stated", []).append(
                words.said(other, one.entry))
    return "<br/>".join(f"{_esc(reading)}: {_esc(', '.join(values))}"
                        for reading, values in readings.items())


# ---------------------------------------------------------------- claims and theorems


def claims_table(findings: Sequence[Finding]) -> str:
    """A row a claim, a column a data set: with two signs, the first is with empty groups left at
    zero, the second with empty groups treated like any other."""
    datasets = [one for one in EVERYWHERE if any(
        case.dataset == one for claim in findings for case in claim.tried)]
    elsewhere = any(case.dataset not in datasets for claim in findings for case in claim.tried)
    heads = ("Claim", *map(words.data_name, datasets), *["Other data"] * elsewhere,
             "Numbers on the paper’s own data")
    return reading_table("Claims of the papers", heads, (
        _claim(one, datasets, elsewhere) for one in findings), tall=True)


def _claim(one: Finding, datasets: Sequence[str], elsewhere: bool) -> str:
    cells = "".join(
        f'<td class="keep">{_signs([c for c in one.tried if c.dataset == name])}</td>'
        for name in datasets)
    if elsewhere:
        others = dict.fromkeys(c.dataset for c in one.tried if c.dataset not in datasets)
        said = "<br/>".join(
            f"{_esc(words.data_name(name))}: {_signs([c for c in one.tried if c.dataset == name])}"
            for name in others)
        cells += f"<td>{said}</td>"
    return (
        f'<tr><th scope="row" class="wide">{_esc(one.claim.sentence)}<br/>'
        f'<span class="where">{_esc(one.claim.paper)} {_esc(one.claim.where)}: '
        f"{_esc(words.outcome(one.tried))}</span></th>{cells}"
        f'<td class="long">{_esc(words.numbers_of(one))}</td></tr>'
    )


def _signs(tried: Sequence[Tried]) -> str:
    return " ".join(_sign(one) for one in tried)


def _sign(one: Tried) -> str:
    sign, said, color = _SIGNS[one.holds]
    label = ", ".join(text for text in (said, words.EMPTY[one.empty]) if text)
    return (f'<b role="img" aria-label="{_esc(label)}" title="{_esc(label)}" '
            f'style="color:{color}">{sign}</b>')


def theorems_table(checks: Sequence[TheoremCheck]) -> str:
    heads = ("Theorem", "What it says", "Printed", "Exact", "Verdict", "Why, and where")
    return reading_table("Theorems as printed", heads, map(_theorem, checks))


def _theorem(one: TheoremCheck) -> str:
    numbers = "".join(
        f'<td class="number">{"–" if n is None else _esc(in_words(n))}</td>'
        for n in (one.printed, one.exact))
    return (
        f'<tr><th scope="row" class="keep"><span class="name">{_esc(one.paper)}</span> '
        f"{_esc(one.name)}</th><td>{_esc(one.sentence)}</td>{numbers}<td>{_esc(one.verdict)}</td>"
        f"<td>{_esc(_sentence(one.reason))} {_esc(_sentence(one.setting))}</td></tr>"
    )


def _esc(text: object) -> str:
    return html.escape(str(text))

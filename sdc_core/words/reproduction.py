"""What a run over the papers came to, in sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from sdc_core.data.catalogue import CATALOGUE
from sdc_core.papers.every import PAPERS
from sdc_core.papers.item import PRINTED, TWIN, Finding, Tried
from sdc_core.papers.published import Entry
from sdc_core.papers.record import Record, Table, good, verdicts
from sdc_core.papers.verdicts import Judged, Ours, Verdict
from sdc_core.words.numbers import Sentences, counted, listed, sensible

HELD, NOT, BOTH, OPEN = "holds", "does not hold", "holds in some", "not decided"
EMPTY = {"kept": "empty groups left at zero", "filled": "empty groups like any other", "": ""}
_REST = (
    (Verdict.ORDER, "comes out in the printed order only",
     "come out in the printed order only"),
    (Verdict.DIFFERS, "differs", "differ"),
    (Verdict.CANNOT_BE, "comes from no reading that was tried",
     "come from no reading that was tried"),
    (Verdict.NOT_MADE, "is not made again", "are not made again"),
    (Verdict.NOT_JUDGED, "was made on other data and is not judged",
     "were made on other data and are not judged"),
)
_WHAT = "(data, settings, or sums in which no method shows)"
_GIVEN = (f"number is an input, not a result {_WHAT}, and is not counted",
          f"numbers are inputs, not results {_WHAT}, and are not counted")
_ONE = {
    HELD: "holds wherever tried", NOT: "holds nowhere", OPEN: "could not be decided",
    BOTH: "holds on some data or treatment of empty groups and not on others",
}
_SEVERAL_CLAIMS = {one: _ONE[one].replace("holds", "hold") for one in (HELD, BOTH, NOT, OPEN)}
_SEVERAL = {**{one: str(one) for one in Verdict}, Verdict.DIFFERS: "differ"}
_COLUMNS = {"l1_bias": "‖bias‖₁", "delta": "δ", "alpha": "α", "epsilon": "ε", "eps": "ε"}
_KINDS = {"table": "Table", "fig": "Figure", "text": "Text", "thm": "Theorem"}
_LONGEST_NAME = 26


# ---------------------------------------------------------------- all of it


def headline(found: Record) -> str:
    counts, (fine, number) = verdicts(found.numbers), good(found.numbers)
    if not number:
        return claims_sentence(found.findings) or _theorems_sentence(found) or (
            "No printed number was made again.")
    if counts[Verdict.NOT_MADE] == number:
        return f"{_none_of(number)} made again yet."
    if counts[Verdict.NOT_JUDGED] + counts[Verdict.NOT_MADE] == number:
        return (f"{_none_of(number)} judged here: {counts[Verdict.NOT_JUDGED]:,} "
                f"{_was(counts[Verdict.NOT_JUDGED])} made on data that stand in for the paper's.")
    never = counts[Verdict.CANNOT_BE]
    more = f"; {never:,} {_come(never)} from no reading of the method that was tried" * bool(never)
    return (f"{fine:,} of {counted(f'{number:,}', 'printed result', 'printed results')} "
            f"{_come(fine)} out here as printed or within the stated tolerance{more}.")


def _none_of(number: int) -> str:
    return f"None of {counted(f'{number:,}', 'printed result is', 'printed results is')}"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _come(number: int) -> str:
    return "comes" if number == 1 else "come"


def badge(found: Record) -> str:
    """One line for the front page of the project."""
    counts, (fine, number) = verdicts(found.numbers), good(found.numbers)
    if counts[Verdict.NOT_MADE] == number:
        return f"none of {number:,} published results has been made again yet"
    return (f"{fine:,} of {number:,} published results match or are within a stated tolerance "
            f"({counts[Verdict.MATCH]:,} to the printed digit)")


def more(found: Record) -> Sentences:
    """What becomes of the others; then of what the papers say in words, and of their theorems."""
    if not found.numbers:
        return Sentences("")
    return Sentences(
        _rest_sentence(found), claims_sentence(found.findings), _theorems_sentence(found))


def _rest_sentence(found: Record) -> str:
    counts = verdicts(found.numbers)
    if counts[Verdict.NOT_MADE] == good(found.numbers)[1]:
        return "" if found.parts else "The full run over the papers does not come with this copy."
    rest = [f"{counts[one]:,} {single if counts[one] == 1 else several}"
            for one, single, several in _REST if counts[one]]
    matching, (fine, number) = counts[Verdict.MATCH], good(found.numbers)
    of_them = "all" if matching == fine else f"{matching:,} of them"
    exact = f"{of_them} to the printed digit{_of_formulas(found)}" * bool(matching)
    others = f"of the other {number - fine:,}, {listed(rest)}" if rest else ""
    inputs = counts[Verdict.GIVEN]
    given = f"{inputs:,} more printed {_GIVEN[inputs != 1]}" * bool(inputs)
    said = "; ".join(one for one in (exact, others, given) if one)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _of_formulas(found: Record) -> str:
    """How many matches say no more than that a formula was read rightly."""
    number = sum(one.entry.column == "delta" and one.verdict is Verdict.MATCH
                 for one in found.numbers)
    return (f" ({number:,} of these {'is' if number == 1 else 'are'} δ by the papers' own formulas)"
            * bool(number))


def claims_sentence(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    if len(findings) == 1:
        return f"The one claim in words {_ONE[outcome(findings[0].tried)]}."
    counts = Counter(outcome(one.tried) for one in findings)
    said = [text for number, text in (
        (counts[one], f"{counts[one]} {_ONE[one] if counts[one] == 1 else several}")
        for one, several in _SEVERAL_CLAIMS.items()
    ) if number]
    return (f"Of {counted(len(findings), 'claim', 'claims')} in words, {listed(said)}."
            f"{_where_it_counts(findings)}")


def _where_it_counts(findings: Sequence[Finding]) -> str:
    """Of those that hold on some data: how many do so wherever the paper says it?"""
    some = [one for one in findings if outcome(one.tried) == BOTH]
    fine = sum(_holds_on_its_data(one) for one in some)
    return (f" Of the {len(some)} that hold on some data, {fine} "
            f"{'holds' if fine == 1 else 'hold'} on all that the paper itself speaks of."
            ) * bool(fine)


def _holds_on_its_data(found: Finding) -> bool:
    own = [one for one in found.on_its_data if not one.dataset.endswith(TWIN)]
    return bool(own) and all(one.holds for one in own)


def _theorems_sentence(found: Record) -> str:
    if not found.theorems:
        return ""
    counts = Counter(one.verdict for one in found.theorems)
    said = [f"{verdict} ({number})" for verdict, number in counts.most_common()]
    return (f"Theorems and formulas as printed, {len(found.theorems)} in all: {listed(said)}.")


def made_sentence(found: Record) -> str:
    """When, how and on what it was made."""
    if not found.parts:
        return "There is no run yet."
    how = "in full" if found.full else "quickly (fewer releases than the papers draw)"
    where = f"on {listed([data_name(one) for one in found.data])} (real records)" if (
        found.data) else "on synthetic twins where it needs data, which is then not judged"
    when = f"{found.made}, version {found.version}: " if found.made else ""
    return f"Run of {when}made {how}, {where}, in {about_minutes(found.seconds)}."


def about_minutes(seconds: float) -> str:
    return f"{sensible(round(seconds, 1 if seconds < 10 else 0))} s" if seconds < 120 else (
        f"{round(seconds / 60)} minutes")


# ---------------------------------------------------------------- names


def table_id(one: Table) -> str:
    return f"{one.paper.lower()}-{one.name}"


def short_name(one: Table) -> str:
    """As one points at it: `Table 1`, `Figure 2`, `Text 9.1.2`."""
    head = one.title.partition(":")[0]
    if one.item and re.match(r"(Table|Figure|§)", head) and len(head) <= _LONGEST_NAME:
        return head
    kind = re.match(r"[a-z]+", one.name)
    rest = one.name[kind.end():].strip("-").replace("-", " ") if kind else one.name
    return f"{_KINDS.get(kind[0], kind[0].capitalize()) if kind else ''} {rest}".strip()


def table_title(one: Table) -> str:
    return f"{one.paper} {one.title if one.item else short_name(one)}"


def paper_name(paper: str) -> str:
    """Its authors in short."""
    authors = PAPERS[paper]
    return authors if len(authors) <= 20 else f"{re.split(',| and', authors)[0]} et al."


def data_name(dataset: str) -> str:
    """`Massachusetts`, `Texas twin`."""
    if dataset in PRINTED:
        return f"printed counts of {dataset}"
    known = next((one.title for one in CATALOGUE if one.id == dataset), dataset)
    return known.replace(" 2019", "")


def row_name(row: str) -> str:
    return re.sub(r"\beps(ilon)?=", "ε = ", row)


def column_name(column: str) -> str:
    return _COLUMNS.get(column, column.replace("_", " "))


# ---------------------------------------------------------------- one table, one claim


def as_printed(entry: Entry, value: float) -> str:
    """Ours, to the digits that the paper prints: cut off where it cuts off. What is not zero never
    looks like it."""
    if not math.isfinite(value):
        return "none"
    if entry.is_printed_as(value):
        return entry.printed
    if "E" in entry.printed.upper():
        return f"{value:.0E}"
    digits = max(0, -int(Decimal(entry.printed).as_tuple().exponent))
    if entry.truncated:
        nudged = value + math.copysign(1e-9, value)
        shown = math.trunc(nudged * 10**digits) / 10**digits
    else:
        shown = round(value, digits)
    return f"{shown:.{digits}f}" if shown or not value else sensible(value)


def said(ours: Ours, entry: Entry) -> str:
    text = as_printed(entry, ours.value)
    return f"{text} ± {sensible(ours.error)}" if ours.error else text


def table_sentence(numbers: Sequence[Judged]) -> str:
    if not numbers:
        return "The text prints no number of it; what it says in words is tried instead."
    counts = verdicts(numbers)
    parts = [f"{counts[one]} {_SEVERAL[one] if counts[one] > 1 else one}"
             for one in Verdict if counts[one]]
    if counts[Verdict.MATCH] == len(numbers):
        return f"{counted(len(numbers), 'number, and it matches', 'numbers, and all match')}."
    return f"{counted(len(numbers), 'number', 'numbers')}: {listed(parts)}."


def outcome(tried: Sequence[Tried]) -> str:
    known = {one.holds for one in tried if one.holds is not None}
    return OPEN if not known else HELD if known == {True} else NOT if known == {False} else BOTH


def numbers_of(found: Finding) -> str:
    """What the claim came to on the paper's own data, where it was tried there; and where it fails,
    if it holds on some of them and fails on some."""
    real = [one for one in found.on_its_data if not one.dataset.endswith(TWIN)]
    first = next(iter((*real, *found.on_its_data, *found.tried)), None)
    if first is None:
        return ""
    other = next((one for one in real if {one.holds, first.holds} == {True, False}), None)
    if other is None:
        return first.numbers
    where = f"on {data_name(other.dataset)}" if other.dataset != first.dataset else (
        f"with {EMPTY[other.empty]}")
    but = "fails" if first.holds else "holds"
    return f"{first.numbers.rstrip('.')}; it {but} {where}: {other.numbers}"


def cases(found: Finding, holds: bool | None) -> str:
    """Where it holds, or not, with the treatment of empty groups where that makes the difference.
    """
    by_data: dict[str, list[str]] = {}
    for one in found.tried:
        if one.holds is holds:
            by_data.setdefault(one.dataset, []).append(one.empty)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, kinds in by_data.items():
        alike.setdefault(tuple(kinds), []).append(data_name(name))
    every, said = len({one.dataset for one in found.tried}), []
    for treated, names in alike.items():
        where = "all data" if len(names) == every > 1 else listed(names)
        how = [EMPTY[kind] for kind in treated] if len(treated) < len(found.claim.empty) else []
        said.append(f"{where} ({listed(how)})" if how else where)
    return "; ".join(said)

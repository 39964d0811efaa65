"""What a printed number is worth beside ours: computed from the two, never declared.

A number matches if ours would be printed with the same digits. It is within tolerance if it is no
farther than the file of published numbers allows, for the reason that stands there. Failing that,
its order among the numbers it is to be compared with may still be the printed one; otherwise it
differs. It cannot be where it lies outside all that the method as described can give on the paper's
data, under every reading that was tried. What is no result (data, settings, sums in which no method
shows) is given: that it comes out again is no merit, and is not counted as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sdc_core.papers.published import Entry


class Verdict(StrEnum):
    MATCH = "match"
    WITHIN = "within tolerance"
    ORDER = "same order only"
    DIFFERS = "differs"
    CANNOT_BE = "cannot be"
    GIVEN = "given"
    NOT_MADE = "not made again"
    NOT_JUDGED = "not judged"  # other data stood in for the paper's


GOOD = (Verdict.MATCH, Verdict.WITHIN)


@dataclass(frozen=True)
class Ours:
    """A number of ours beside a printed one: `how` it was made (exact, or so many releases), the
    standard error where it was drawn, the convention it was made under, the range outside of which
    no reading that was tried can come, and the reason why it is not the printed one, where there is
    something to say beyond the tolerance's. Where the paper drew once, `spread` is the standard
    deviation of such a draw: of one release, or of the mean of as many as it had."""

    row: str
    column: str
    value: float
    how: str = "exact"
    error: float | None = None
    convention: str = ""
    possible: tuple[float, float] | None = None
    why: str = ""
    dataset: str = ""  # what it was made on; empty where no data is needed
    spread: float | None = None


@dataclass(frozen=True)
class Judged:
    """A printed number, ours beside it, and the verdict with its reason; `others` are ours under
    the other readings of the paper."""

    entry: Entry
    ours: Ours | None
    verdict: Verdict
    reason: str
    others: tuple[Ours, ...] = ()


def judged(
    entries: Iterable[Entry], made: Iterable[Ours], compared: Sequence[tuple[str, ...]] = (),
    missing: str = "",
) -> list[Judged]:
    """Each entry of an item with its verdict. `compared` are the rows among which an order is read,
    in every column; `missing` is why an entry has no number of ours."""
    of: dict[tuple[str, str], list[Ours]] = {}
    for one in made:
        of.setdefault((one.row, one.column), []).append(one)
    listed = list(entries)
    chosen = {}
    for entry in listed:
        readings = of.pop((entry.row, entry.column), [])
        own = next((o for o in readings if o.convention == entry.convention), None)
        chosen[entry] = (own, tuple(o for o in readings if o is not own))
    if of:
        raise ValueError(f"made, but not printed: {sorted(of)}")
    ours_at = {(e.row, e.column): (e.value, own.value) for e, (own, _) in chosen.items() if own}
    return [
        _judge(entry, own, others, _same_order(entry, ours_at, compared), missing)
        for entry, (own, others) in chosen.items()
    ]


def _judge(
    entry: Entry, own: Ours | None, others: tuple[Ours, ...], same_order: bool, missing: str
) -> Judged:
    if own is None:
        verdict = Verdict.GIVEN if entry.given else Verdict.NOT_MADE
        return Judged(entry, None, verdict, missing or entry.given, others)
    if own.dataset and own.dataset != entry.data:
        reason = f"made on {own.dataset}, which stands in for {entry.data}"
        return Judged(entry, own, Verdict.NOT_JUDGED, reason, others)
    verdict = _verdict(entry, own, same_order)
    if entry.given and verdict in GOOD:
        return Judged(entry, own, Verdict.GIVEN, entry.given, others)
    reasons = {Verdict.MATCH: "", Verdict.WITHIN: entry.reason or own.why}
    return Judged(entry, own, verdict, reasons.get(verdict, own.why or entry.reason), others)


def _verdict(entry: Entry, own: Ours, same_order: bool) -> Verdict:
    if own.possible and not own.possible[0] <= entry.value <= own.possible[1]:
        return Verdict.CANNOT_BE
    if entry.is_printed_as(own.value):
        return Verdict.MATCH
    if abs(own.value - entry.value) <= entry.leeway_of(own.spread, own.error):
        return Verdict.WITHIN
    return Verdict.ORDER if same_order else Verdict.DIFFERS


def _same_order(
    entry: Entry, at: dict[tuple[str, str], tuple[float, float]],
    compared: Sequence[tuple[str, ...]],
) -> bool:
    """Ours lies above and below the same ones as the printed number does, among those it is
    compared with; alone it has no order."""
    if (entry.row, entry.column) not in at:
        return False
    printed, ours = at[entry.row, entry.column]
    peers = [
        at[row, entry.column] for group in compared if entry.row in group for row in group
        if row != entry.row and (row, entry.column) in at
    ]
    return bool(peers) and all(_sign(a - printed) == _sign(b - ours) for a, b in peers)


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)

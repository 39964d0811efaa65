"""What can be worked out again, in sentences: hidden counts from totals, a table from noise."""

from __future__ import annotations

import numpy as np

from sdc_core.metrics.reconstruction import MOST_STEPS
from sdc_core.questions.undo.compute import RELEASES, AgainstNoise, Undone
from sdc_core.words.numbers import Sentences, counted, in_words, percent, sensible


def undo_sentences(found: Undone, k: int) -> tuple[str, Sentences]:
    """How many hidden counts can be computed back, and whose is one of them?"""
    number = int(found.hidden.sum())
    rule = f"suppression, k = {k}"
    if not number:
        return f"No count of this table is hidden ({rule}): there is nothing to undo.", Sentences(
            "Every count is shown as it is.")
    known, narrowed, rest = found.with_totals()
    if number == 1:
        headline = f"The one hidden count {'can' if known else 'cannot'} be computed back"
    else:
        share = {0: "None of the", number: "All"}.get(known, f"{known} of the")
        headline = f"{share} {number} hidden counts can be computed back"
    headline += " from the totals"
    example = _example(found)
    if example:
        headline += f", among them that of {example}" if known > 1 else f": {example}"
    return f"{headline}.", Sentences(
        _how(found, rule), _narrowed(narrowed, rest, found), _alone(found, number))


def _example(found: Undone) -> str:
    """The smallest group with people whose hidden count is known, and of those the one with the
    shortest name: `1 person in Salem (Black, renting)`."""
    named = [
        (int(found.table.counts[i, j]), f"in {found.columns[j]} ({found.rows[i]})")
        for i, j in np.argwhere(found.known & (found.table.counts > 0))
    ]
    if not named:
        return ""
    people, where = min(named, key=lambda one: (one[0], len(one[1]), one[1]))
    return f"{counted(people)} {where}"


def _how(found: Undone, rule: str) -> str:
    known, plain = int(found.known.sum()), int((found.known & found.subtracted).sum())
    if not known:
        return f"Counts are hidden if they are small ({rule}); totals are published exactly."
    bounded = known - plain
    parts = []
    if plain:
        parts.append(f"{plain} by subtraction alone")
    if bounded:
        parts.append(f"{bounded} since no other number fits all totals")
    return f"Hidden if small ({rule}), with exact totals: {' and '.join(parts)}."


def _narrowed(narrowed: int, rest: int, found: Undone) -> str:
    if not narrowed and not rest:
        return ""
    span = f"{found.table.low} to {found.table.high}"
    said = []
    if narrowed:
        more = " more" * bool(found.known.any())  # than were computed back
        said.append(f"{narrowed}{more} {'is' if narrowed == 1 else 'are'} narrowed down")
    if rest:
        said.append(f"of {rest} nothing is learnt but that {'it is' if rest == 1 else 'they are'} "
                    f"from {span}")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _alone(found: Undone, number: int) -> str:
    if found.known_by_rule:
        return "Even without totals the rule gives them away: only one number can be hidden."
    return (
        f"Without totals {'it stays' if number == 1 else 'all of them stay'} hidden, from "
        f"{found.table.low} to {found.table.high} people."
    )


def block_sentences(
    found: Undone, place: str, tables: int | None, noise: AgainstNoise, epsilon: float
) -> tuple[str, ...]:
    """Reconstruction of one place: hidden counts with totals against noise."""
    number, known = int(found.hidden.sum()), int(found.known.sum())
    cells = found.table.counts.size
    if tables is None:
        fit = f"More tables fit than could be counted in {in_words(MOST_STEPS)} steps"
    elif tables == 1:
        fit = "One table alone fits all that is published, so it is known in full"
    else:
        fit = f"{in_words(tables)} tables fit all that is published"
    hidden = f"{known} of {number} hidden counts are certain" if number else "no count is hidden"
    right, error = noise.right, noise.error
    se = float(error.std(ddof=1) / np.sqrt(len(error)))
    return (
        f"Small counts hidden, {place}: {fit[0].lower()}{fit[1:]}; {hidden}.",
        f"Noise instead (Laplace, ε = {sensible(epsilon)} for counts and totals together): the "
        f"best-fitting table has {percent(float(right.mean()), 0)} of {cells} counts right and is "
        f"off by {sensible(float(error.mean()))} ± {sensible(se)} people a count, on average over "
        f"{RELEASES} releases.",
    )


CLAIMS = (
    "Assumed known: the rule and k, all counts that are shown, all totals, exactly. Not claimed: "
    "that an office publishes these totals, or hides no further counts to protect the first "
    "(secondary suppression), which is what offices do against this attack. A count that is "
    "computed back tells how many people there are, not who they are."
)

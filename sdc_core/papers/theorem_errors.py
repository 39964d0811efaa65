"""Theorems on error and fairness (P0, P1): on Massachusetts, and on small tables where they are
known to break."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.neighbour_tables import small_domain, small_table
from sdc_core.papers.item import Attempt
from sdc_core.papers.theorem_check import (
    INVALID,
    LOOSE,
    NOT_HERE,
    SAYS_LITTLE,
    TIGHT,
    TheoremCheck,
)
from sdc_core.theorems import THEOREMS, Finding, Setting, Theorem, Verdict

Named = tuple[str, Setting]
_PAPERS = {"Das et al. 2024": "P0", "Zhu et al. 2023": "P1"}


def on_error_and_fairness(attempt: Attempt) -> Iterator[TheoremCheck]:
    data = attempt.data("ma2019")
    table = data.histogram(FIVE_FEATURES, "observed")
    real = (f"{data.title} by five features, ε = 1, k = 6, 25% swapped", Setting(table))
    for theorem in THEOREMS:
        yield check(theorem, real, _breaking())
        if (_PAPERS[theorem.paper], theorem.name) in _WITH_ZEROS_LEFT:
            name = f"{theorem.name}, zeros left alone as in Table 1"
            yield replace(check(theorem, ZEROS_LEFT, []), name=name)


def _breaking() -> list[Named]:
    """Tables on which one or the other does not hold."""
    return [
        ("one group of 9 people, k = 7, ε = 1", Setting(Histogram.from_counts([9]), k=7)),
        ("two groups of 3 and two of 1,000, k = 6, ε = 1", small((3, 1000), (3, 1000))),
    ]


def small(*rows: tuple[int, ...], keep_zeros: bool = False) -> Setting:
    """A table with these counts; race runs across, and is what is swapped."""
    domain = small_domain({"OTHER": len(rows), "RAC1P": len(rows[0])})
    people = [((r, c), n) for r, row in enumerate(rows) for c, n in enumerate(row)]
    return Setting(small_table(domain, *people), quasi_identifiers=("RAC1P",),
                   keep_zeros=keep_zeros)


# A theorem about the method as defined, which the paper's own table leaves zeros alone for.
_WITH_ZEROS_LEFT = {("P0", "Theorem 5")}
ZEROS_LEFT = ("groups of 0 and 1, zeros left alone, k = 6, ε = 1", small((0, 1), keep_zeros=True))


def check(theorem: Theorem, real: Named, others: list[Named]) -> TheoremCheck:
    """Where it fails, if it does; else on the real data, else wherever it applies."""
    tried = [(name, theorem.on(setting)) for name, setting in (real, *others)]
    fails = [one for one in tried if one[1].verdict is Verdict.FAILS]
    applies = [one for one in tried if one[1].verdict is not Verdict.DOES_NOT_APPLY]
    name, found = (fails or applies or tried)[0]
    reason = found.reason
    if fails and name != real[0]:
        reason = f"{reason} {_elsewhere(tried[0][1])}"
    return TheoremCheck(
        _PAPERS[theorem.paper], theorem.name, theorem.claim, found.printed, found.exact,
        _verdict(found), reason, name)


def _elsewhere(found: Finding) -> str:
    if found.printed is None or found.exact is None:
        return "On the real data it does not apply."
    return (f"On the real data it holds: printed {found.printed:,.4g}, exact {found.exact:,.4g}.")


def _verdict(found: Finding) -> str:
    if found.verdict is Verdict.HOLDS:
        return TIGHT if math.isclose(found.ratio or 0.0, 1.0, rel_tol=1e-6) else LOOSE
    return {Verdict.FAILS: INVALID, Verdict.SAYS_LITTLE: SAYS_LITTLE,
            Verdict.DOES_NOT_APPLY: NOT_HERE}[found.verdict]

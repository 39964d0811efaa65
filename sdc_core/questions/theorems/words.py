"""What the theorems say on a table, in sentences: how many hold, and how near they come."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdc_core.theorems import ROUNDING, SAYS_LITTLE, Finding, Setting, Verdict
from sdc_core.words.numbers import Sentences, in_words, listed, lowered, percent

_HOLDS = (Verdict.HOLDS, Verdict.SAYS_LITTLE)


def theorem_sentences(found: Sequence[Finding]) -> tuple[str, str]:
    """How many of the theorems hold here, and how near does the tightest bound come?"""
    hold = [f for f in found if f.verdict in _HOLDS]
    fail = [f for f in found if f.verdict is Verdict.FAILS]
    idle = [f for f in found if f.verdict is Verdict.DOES_NOT_APPLY]
    parts = [f"{len(hold) or 'none'} hold{'s' if len(hold) <= 1 else ''} on this table"]
    if fail:
        parts.append(f"{len(fail)} {'fails' if len(fail) == 1 else 'fail'}")
    if idle:
        parts.append(f"{len(idle)} {'does' if len(idle) == 1 else 'do'} not apply")
    headline = f"Of {len(found)} printed theorems on error and fairness, {listed(parts)}"
    bounds = _bounds(hold)
    if bounds:
        headline += f"; {_exactly(hold)}{_tightest(bounds, bool(_idle(hold)))}"
    more = (_failing(fail), _loosest(hold), _exact(hold), _nothing(hold))
    return f"{headline}.", Sentences(*more)


def _bounds(hold: Sequence[Finding]) -> list[Finding]:
    """Those that are a bound on something that happens, the tightest first."""
    idle = _idle(hold)
    bounds = [f for f in hold if f.theorem.kind == "bound" and f not in idle]
    return sorted(bounds, key=lambda f: f.ratio or 0.0)


def _idle(hold: Sequence[Finding]) -> list[Finding]:
    """Bounds on something that does not happen here: there is no multiple of 0 to quote."""
    return [f for f in hold if f.theorem.kind == "bound" and (
        math.isinf(f.ratio or 0.0) or f.exact == 0)]


def times_text(ratio: float) -> str:
    """How many times the exact value: `twice`, `25 times`, `1.4 billion times`. What only rounds to
    one is not called equal."""
    said = in_words(ratio)
    if said == "1":
        return "equal to" if abs(ratio - 1) <= ROUNDING else "almost equal to"
    return "twice" if said == "2" else f"{said} times"


def _exactly(hold: Sequence[Finding]) -> str:
    """The formulas that are no bounds, which a reader sees at 1 on the chart."""
    number = _values(hold)
    return f"{number} {'is' if number == 1 else 'are'} exact, and " * bool(number)


def _values(hold: Sequence[Finding]) -> int:
    return sum(f.theorem.kind == "value" for f in hold)


def _tightest(bounds: Sequence[Finding], others: bool) -> str:
    ratio = bounds[0].ratio or 1.0
    subject = "the tightest bound" if len(bounds) > 1 else "the one bound among them"
    if others:
        subject = f"the {'tightest' if len(bounds) > 1 else 'one'} bound on what happens here"
    return f"{subject} is {times_text(ratio)} the exact value"


def _failing(fail: Sequence[Finding]) -> str:
    if not fail:
        return ""
    compared = [f for f in fail if f.theorem.kind == "comparison"]
    bounds = [f for f in fail if f not in compared]
    parts = []
    if bounds:
        parts.append(f"{_titles(bounds)}: the exact value lies above what is printed")
    if compared:
        parts.append(
            f"{_titles(compared)}: the true unfairness of Laplace noise is larger than that of one "
            "of the others"
        )
    return f"What fails is {'; and '.join(parts)}."


def _titles(found: Sequence[Finding]) -> str:
    return listed([f.theorem.title for f in found])


def _exact(hold: Sequence[Finding]) -> str:
    number = _values(hold)
    if not number:
        return ""
    return f"Of those that hold, {number} give{'s' if number == 1 else ''} the exact value itself."


def _nothing(hold: Sequence[Finding]) -> str:
    number, all_of_them = len(_idle(hold)), sum(f.theorem.kind == "bound" for f in hold)
    if not number:
        return ""
    of = f"{number} of the {all_of_them} bounds" if all_of_them > 1 else "the one bound"
    return f"For {of} that hold{'s' * (all_of_them == 1)} the exact value is 0."


def _loosest(hold: Sequence[Finding]) -> str:
    little = [f for f in hold if f.verdict is Verdict.SAYS_LITTLE]
    if not little:
        return ""
    bounds = sum(f.theorem.kind == "bound" for f in hold)
    text = (
        f"{len(little)} of the {bounds} bounds that hold "
        f"{'is' if len(little) == 1 else 'are'} more than {SAYS_LITTLE:.0f} times too large, so "
        f"{'it says' if len(little) == 1 else 'they say'} little"
    )
    worst = _bounds(little)
    if len(worst) < 2:
        return f"{text}."
    times = times_text(worst[-1].ratio or 1.0)
    what = " on what happens here" if _idle(little) else ""
    return f"{text}; the loosest{what}, {worst[-1].theorem.title}, is {times} the exact value."


def setting_caption(setting: Setting) -> str:
    """With which settings the exact values were computed."""
    titles = {f.name: f.title for f in setting.table.domain.features}
    swapped = [lowered(titles[q]) for q in setting.quasi_identifiers if q in titles]
    empty = "left at 0" if setting.keep_zeros else "treated like all others"
    swaps = (
        f"; swapped {'is' if len(swapped) == 1 else 'are'} {listed(swapped)}, for "
        f"{percent(setting.swap_rate)} of the records where the paper has a swap rate, and "
        f"{'only one that differs' if setting.require_different else 'any other record'} may be "
        "the donor there"
        if swapped else ""
    )
    return (
        f"With ε = {setting.epsilon:g} and k = {setting.k}; empty groups are {empty}{swaps}. x₁ is "
        "the smallest and xₙ the largest count, m the number of people, p the chance of a count to "
        "be hidden, n_Q the number of combinations that are swapped."
    )

"""How far off are the counts, and what is promised? Sentences of Compare and about guarantees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.error import by_group_size
from sdc_core.narrative.words import listed, odds_factor, sensible
from sdc_core.privacy.guarantee import RELIABLE, Guarantee

Tone = Literal["strong", "weak", "none", "broken"]


def delta_text(delta: float, log_rest: float) -> str:
    """δ in words: 0, 3e-4, 0.36, 0.9994, `1 − 7e-223`, 1."""
    if log_rest == -math.inf:
        return "1"
    if delta < 0.99:
        return sensible(delta)
    if log_rest > math.log(1e-4):
        return f"{delta:.4f}"
    decades = log_rest / math.log(10)
    exponent = math.floor(decades)
    mantissa = round(10 ** (decades - exponent))
    if mantissa == 10:
        mantissa, exponent = 1, exponent + 1
    return f"1 − {mantissa}e{exponent}"


def delta_words(guarantee: Guarantee) -> str:
    """The true δ for a reader in a hurry: `0`, `1e-4`, `almost 1`, `1`."""
    if guarantee.formal and guarantee.delta_tight > 0.999:
        return "almost 1"
    return delta_text(guarantee.delta_tight, guarantee.log_rest_tight)


def promise_text(guarantee: Guarantee) -> str:
    """δ with the ε it belongs to, and whether it covers everything: `0 at ε=10.9, in part`."""
    at = f" at ε={sensible(guarantee.epsilon)}" if guarantee.epsilon is not None else ""
    return f"{delta_words(guarantee)}{at}{', in part' if guarantee.conditional else ''}"


@dataclass(frozen=True)
class Chip:
    """A guarantee in a few words, with a tone for its colour."""

    text: str
    tone: Tone


def guarantee_chip(guarantee: Guarantee) -> Chip:
    if guarantee.epsilon is None:
        return Chip("Reveals nothing" if guarantee.formal else "No formal guarantee", "none")
    tight = delta_words(guarantee)
    if guarantee.holds is False:
        return Chip(f"Bound fails: δ = {tight}", "broken")
    promise = f"ε = {sensible(guarantee.epsilon)}, δ = {tight}"
    if guarantee.conditional:
        return Chip(f"{promise}, in part", "weak")
    return Chip(promise, "strong" if guarantee.kept else "weak")


def promise_sentence(name: str, guarantee: Guarantee) -> str:
    """What the guarantee means to a person who knows no differential privacy."""
    if not guarantee.formal:
        return (
            f"{name} promises nothing: whoever knows everybody else in the table can, in some "
            "cases, tell for sure what one person's record says."
        )
    if guarantee.epsilon is None:
        return f"{name} publishes the same table whatever the data, so it reveals nothing."
    odds = f"{name} lets the odds of any outcome move by at most {odds_factor(guarantee.epsilon)}"
    if guarantee.conditional and guarantee.delta_tight <= 0.5:
        return (
            f"{odds}, but only between tables that agree on the counts it leaves untouched; about "
            "those it promises nothing."
        )
    if guarantee.delta_tight == 0:
        return f"{odds} when one person's record changes, always."
    tight = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
    if guarantee.delta_tight > 0.5:
        return (
            f"{odds}, but for some people that promise fails with probability {tight}: it is a "
            "promise in name only."
        )
    return f"{odds} when one person's record changes, except with probability {tight}."


def compare_sentences(
    histogram: Histogram, evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the Compare page: a headline about accuracy, a second one about protection."""
    if not evaluations:
        return "Choose a method to see what it does to the counts.", ""
    best, worst = _contrast(evaluations)
    cells = len(histogram)
    headline = (
        f"{best.mechanism.label()} puts a count off by {sensible(best.l1_error / cells)} on average"
    )
    if worst is not best:
        headline += f", {worst.mechanism.label()} by {sensible(worst.l1_error / cells)}"
        headline += _times(worst.l1_error, best.l1_error)
    headline += "."
    small = _small_group_sentence(histogram.counts, best, worst)
    return headline, f"{small}{_protection(evaluations, guarantees)}"


def _contrast(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, Evaluation]:
    """The two to set against each other: the best of each world if both are on screen (a DP
    mechanism and a traditional one, or its DP version), else the best and the worst."""
    ranked = sorted(evaluations, key=lambda e: e.l1_error)
    for other in ("sdc", "dp-sdc"):
        first = [next((e for e in ranked if e.mechanism.family == f), None) for f in ("dp", other)]
        if first[0] is not None and first[1] is not None:
            pair = sorted([first[0], first[1]], key=lambda e: e.l1_error)
            return pair[0], pair[1]
    return ranked[0], ranked[-1]


def _times(larger: float, smaller: float) -> str:
    """` (2.3 times as much)`, where a ratio says something."""
    if smaller <= 0 or larger / smaller < 1.1:
        return ""
    return f" ({sensible(larger / smaller)} times as much)"


def _small_group_sentence(
    counts: NDArray[np.int64], best: Evaluation, worst: Evaluation
) -> str:
    """Who is hit: people in groups of 1 to 5, the ones that disclosure control is about."""
    small = (counts >= 1) & (counts <= 5)
    if not small.any() or best is worst:
        return ""
    share = float(counts[small].sum()) / max(1, int(counts.sum()))
    parts = [
        f"{e.mechanism.label()} is off by {sensible(float(e.absolute_error[small].mean()))}"
        for e in (best, worst)
    ]
    groups = f"{int(small.sum()):,} groups" if small.sum() > 1 else "one group"
    return (
        f"For the {groups} of 1 to 5 people ({sensible(100 * share)}% of all people), "
        f"{parts[0]} and {parts[1]}. "
    )


def _protection(evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]) -> str:
    """One sentence on who promises what; the rest is on the cards."""
    named = [(e.mechanism.label(), g) for e, g in zip(evaluations, guarantees, strict=True)]
    kept = [name for name, g in named if g.kept]
    partly = [name for name, g in named if g.conditional and g.delta_tight < RELIABLE]
    shaky = [
        f"{name} (except with probability {delta_text(g.delta_tight, g.log_rest_tight)})"
        for name, g in named
        if not g.kept and name not in partly and g.formal and g.delta_tight <= 0.5
    ]
    rest = [n for n, g in named if not g.kept and n not in partly and not (
        g.formal and g.delta_tight <= 0.5)]
    parts = []
    if kept:
        verb = "keeps its" if len(kept) == 1 else "keep their"
        parts.append(f"{listed(kept)} {verb} privacy promise for everyone")
    if shaky:
        verb = "keeps its promise" if len(shaky) == 1 else "keep their promises"
        parts.append(f"{listed(shaky)} {verb}")
    if partly:
        verb = "promises" if len(partly) == 1 else "promise"
        parts.append(f"{listed(partly)} {verb} something only about what is not published exactly")
    if rest:
        verb = "makes" if len(rest) == 1 else "make"
        parts.append(f"{listed(rest)} {verb} no promise that holds for everyone")
    broken = [name for name, g in named if g.holds is False]
    failing = f" The published guarantee of {listed(broken)} is not true." if broken else ""
    return "; ".join(parts) + "." + failing


def precision_text(evaluation: Evaluation) -> str:
    """`exact`, or how many repetitions stand behind the numbers."""
    if evaluation.method == "exact":
        return "exact"
    return f"mean of {evaluation.repetitions} releases"


def precision_sentence(evaluations: Sequence[Evaluation], seed: int) -> str:
    """How the numbers on screen were obtained."""
    simulated = [e for e in evaluations if e.method == "simulated"]
    if not simulated:
        return "Numbers are exact, not simulated."
    means = f"means over {simulated[0].repetitions} releases (seed {seed}), ± one standard error"
    lead = "Numbers are" if len(simulated) == len(evaluations) else (
        "Numbers are exact; those with ± are"
    )
    return (
        f"{lead} {means}. Averages of so few releases are still noisy, which makes their "
        "systematic error, unfairness and largest variance come out too large."
    )


class Diverse(Protocol):
    """What `diversity_sentence` needs to know about published groups."""

    distinct: int
    entropy: float
    closeness: float


def diversity_sentence(found: Diverse) -> str:
    """What groups still give away about a sensitive feature (ℓ-diversity and t-closeness)."""
    if found.distinct <= 1:
        first = (
            "In at least one group everybody has the same value of the sensitive feature, so being "
            "known to be in it gives the value away"
        )
    else:
        first = f"Every group has at least {found.distinct} values of the sensitive feature"
    return (
        f"{first} (ℓ-diversity: {found.distinct} distinct, {sensible(found.entropy)} by entropy). "
        f"In the group that stands out most, {sensible(100 * found.closeness)}% of people would "
        "have to change their value to look like the whole table (t-closeness, total variation)."
    )


def published_text(guarantee: Guarantee) -> str:
    """Published and true δ beside each other, and whether the one bounds the other."""
    true = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
    if guarantee.delta_published is None or guarantee.log_rest_published is None:
        return f"No paper claims a δ; the true δ is {true}."
    published = delta_text(guarantee.delta_published, guarantee.log_rest_published)
    verdict = "holds" if guarantee.holds else "does not hold"
    return f"Published δ = {published}, true δ = {true}: the published bound {verdict}."


def burden_sentence(histogram: Histogram, evaluations: Sequence[Evaluation]) -> str:
    """Which way are small and empty groups moved, by whom?"""
    parts = []
    for evaluation in evaluations:
        sizes = by_group_size(histogram.counts, evaluation.bias, evaluation.absolute_error)
        worst = max(sizes, key=lambda size: abs(size.mean_bias))
        moved = worst.mean_bias
        if abs(moved) < 0.005:
            parts.append(f"{evaluation.mechanism.label()} moves no group size")
            continue
        way = "adds" if moved > 0 else "takes away"
        where = "to" if moved > 0 else "from"
        parts.append(
            f"{evaluation.mechanism.label()} {way} {sensible(abs(moved))} people {where} "
            f"{worst.title}"
        )
    return "On average " + "; ".join(parts) + "." if parts else ""


def privacy_sentences(
    mechanisms: Sequence[Mechanism], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the δ-versus-ε page: the strongest and the emptiest promise on screen."""
    if not mechanisms:
        return "Choose a method to see what it promises.", ""
    pairs = sorted(
        zip(mechanisms, guarantees, strict=True),
        key=lambda p: (not p[1].formal, p[1].conditional, -p[1].log_rest_tight),
    )
    strongest, emptiest = pairs[0], pairs[-1]
    headline = promise_sentence(strongest[0].label(), strongest[1])
    broken = [m.label() for m, g in zip(mechanisms, guarantees, strict=True) if g.holds is False]
    more = ""
    if emptiest is not strongest:
        more = promise_sentence(emptiest[0].label(), emptiest[1])
    if broken:
        verb = "does" if len(broken) == 1 else "do"
        more += f" The published guarantee of {listed(broken)} {verb} not hold: see below."
    return headline, more.strip()

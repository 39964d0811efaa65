"""What a guarantee says, in words that a reader who knows no differential privacy can quote."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.numbers import odds_factor, sensible

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
    return Chip(promise, "strong" if guarantee.reliable else "weak")


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


def published_text(guarantee: Guarantee) -> str:
    """Published and true δ beside each other, and whether the one bounds the other."""
    true = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
    if guarantee.delta_published is None or guarantee.log_rest_published is None:
        return f"No paper claims a δ; the true δ is {true}."
    published = delta_text(guarantee.delta_published, guarantee.log_rest_published)
    verdict = "holds" if guarantee.holds else "does not hold"
    return f"Published δ = {published}, true δ = {true}: the published bound {verdict}."

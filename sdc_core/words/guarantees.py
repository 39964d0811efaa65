"""What a guarantee says, in words that a reader who knows no differential privacy can quote."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.units import Unit, converted
from sdc_core.words.numbers import NO_LIMIT, Sentences, counted, listed, odds_factor, sensible

Tone = Literal["strong", "weak", "none", "broken"]
IN_NAME_ONLY = 0.5  # a δ above this leaves a promise in name only


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


def true_delta_text(guarantee: Guarantee) -> str:
    """The true δ in full, or that it is no more than this: `0.25`, `at most 0.63`."""
    text = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
    return f"at most {text}" if guarantee.is_bound else text


def exceeds_text(guarantee: Guarantee) -> str:
    """Pr[loss > ε] as a number: `0`, `0.001`, `not known`."""
    if guarantee.exceeds is None or guarantee.log_within is None:
        return "not known"
    return delta_text(guarantee.exceeds, guarantee.log_within)


def promise_text(guarantee: Guarantee) -> str:
    """δ with the ε it belongs to, and whether it covers everything: `0 at ε=2 × 10.9, in part`."""
    bound = "at most " if guarantee.is_bound else ""
    at = f" at ε={_times(guarantee)}" if guarantee.epsilon is not None else ""
    return f"{bound}{delta_words(guarantee)}{at}{_reach(guarantee)}"


def _times(guarantee: Guarantee) -> str:
    """ε as often as it counts between the nearest data: `1`, `2 × 10.9`."""
    times = f"{guarantee.distance} × " if guarantee.distance > 1 else ""
    return f"{times}{sensible(guarantee.epsilon or 0.0)}"


@dataclass(frozen=True)
class Chip:
    """A guarantee in a few words, with a tone for its colour."""

    text: str
    tone: Tone


def guarantee_chip(guarantee: Guarantee) -> Chip:
    if not guarantee.formal and guarantee.holds is not False:
        return Chip("No formal guarantee", "none")
    if guarantee.epsilon is None:
        seen = "Reveals only what is read off the data"
        return Chip(seen if guarantee.conditional else "Reveals nothing", "none")
    tight = delta_words(guarantee)
    if guarantee.holds is False:
        return Chip(f"Bound fails: δ = {tight}", "broken")
    is_ = "≤" if guarantee.is_bound else "="
    promise = f"ε = {_times(guarantee)}, δ {is_} {tight}{_reach(guarantee)}"
    return Chip(promise, "strong" if guarantee.reliable and not no_limit(guarantee) else "weak")


PromiseWord = Literal["holds", "holds in part", "too slack", "nearly empty", "broken", "none"]


def promise_word(guarantee: Guarantee) -> PromiseWord:
    """The promise in a word. It holds in part where it covers only what is not published exactly;
    it is too slack where δ is not below one over the people, since it would then allow to print
    somebody's record as it is; it is nearly empty where so much is allowed that hardly anything is
    excluded, or where it ends with the next larger count."""
    if guarantee.holds is False:
        return "broken"
    if not guarantee.formal:
        return "none"
    if guarantee.epsilon is not None and not means_something(guarantee):
        return "nearly empty"
    if not guarantee.small_delta:
        return "too slack"
    return "holds" if guarantee.reliable else "holds in part"


def _reach(guarantee: Guarantee) -> str:
    """What a promise leaves out, in a few words."""
    if not guarantee.conditional:
        return ""
    if guarantee.if_none_larger:
        return ", counts as seen"
    shape = guarantee.only_read_off and any(_SHAPE.match(fact) for fact in guarantee.read_off)
    return ", values as seen" if shape else ", in part"


_SHAPE = re.compile("which values|where the bins")
_LARGEST = "the largest count"  # the one fact that is assumed and does not show


def promise_sentence(name: str, guarantee: Guarantee) -> Sentences:
    """What the guarantee means to a person who knows no differential privacy."""
    broken = guarantee.holds is False
    if not guarantee.formal:
        claimed = f"breaks its published promise ({_claimed(guarantee)}) and so " * broken
        return Sentences(
            f"{name} {claimed}promises nothing: whoever knows everybody else in the table can, in "
            "some cases, tell for sure what one person's record says."
        )
    if guarantee.epsilon is None:
        reveals = "nothing else" if guarantee.conditional else "nothing"
        said = f"{name} publishes the same table whatever the data, so it reveals {reveals}."
        return Sentences(said, _read_off(guarantee).strip())
    total = guarantee.distance * guarantee.epsilon
    limits = "keeps odds within" if guarantee.delta_tight else (
        "lets the chance of any outcome move by at most")
    said = f"{name} {limits} {odds_factor(total)}{_step(guarantee, total)}{_slack(guarantee)}"
    if guarantee.conditional and not guarantee.only_read_off:
        said += (
            ", but only between tables that agree on the counts it leaves untouched; about those "
            "it promises nothing"
        )
    return Sentences(
        f"{said}.", _judgement(guarantee).strip(), _read_off(guarantee).strip(),
        f"It breaks its published promise: {_claimed(guarantee)} is too small a δ." * broken)


def proved_sentence(name: str, guarantee: Guarantee) -> Sentences:
    """The same for who cannot look further: where the published promise fails, with the reason,
    which is the counterexample."""
    if guarantee.holds is not False:
        return promise_sentence(name, guarantee)
    if guarantee.formal:
        return Sentences(*promise_sentence(name, guarantee).parts, guarantee.remark)
    claimed = f"breaks its published promise ({_claimed(guarantee)}) and so promises nothing"
    return Sentences(f"{name} {claimed}.", guarantee.remark)


def _claimed(guarantee: Guarantee) -> str:
    """What the paper promises: `ε = 1 with δ = 0.25`; with digits enough to differ from the truth
    where the two are not the same to the last."""
    published, log_rest = guarantee.delta_published or 0.0, guarantee.log_rest_published or 0.0
    delta = delta_text(published, log_rest)
    if delta == delta_text(guarantee.delta_tight, guarantee.log_rest_tight):
        delta = _told_apart(published, guarantee.delta_tight)[0]
    return f"ε = {_times(guarantee)} with δ = {delta}"


def _step(guarantee: Guarantee, total: float) -> str:
    if guarantee.distance == 1:
        return " when one person's record changes"
    steps = guarantee.distance
    return (
        f" between the nearest tables it compares, in which {steps} {changing(guarantee)} differ: "
        f"{steps}ε = {sensible(total)}"
    )


def changing(guarantee: Guarantee) -> str:
    """What a promise counts its steps in."""
    return "households" if guarantee.per_household else "records"


def _slack(guarantee: Guarantee) -> str:
    """δ, said as what it is, and beside it how often the odds move further."""
    if guarantee.delta_tight == 0:
        return " (δ = 0)" if guarantee.conditional else ", always"
    slack = f", with a slack of δ = {delta_text(guarantee.delta_tight, guarantee.log_rest_tight)}"
    if guarantee.is_bound:
        slack = slack.replace("of δ = ", "of at most δ = ")
    if guarantee.exceeds is None:
        return slack
    return (
        f"{slack}; in the worst tables they move further with a chance of "
        f"{exceeds_text(guarantee)}{_as_drawn(guarantee)}"
    )


def _as_drawn(guarantee: Guarantee) -> str:
    if not guarantee.as_drawn:
        return ""
    return " for the noisy counts, and what is made of them can make it larger"


def _judgement(guarantee: Guarantee) -> str:
    """Where the numbers sound like more than they are."""
    said = ""
    if guarantee.delta_tight > IN_NAME_ONLY:
        said = " With so much slack it is a promise in name only."
        if guarantee.is_bound:
            said = " No smaller slack is known, and with so much it is a promise in name only."
    elif not guarantee.small_delta:
        people = guarantee.records
        over = f"the {counted(people)}" if people else "a million people, if there are so many"
        said = f" That slack is not below one over {over}: too much to rely on."
    return said + " So large a factor limits nothing in practice." * no_limit(guarantee)


def no_limit(guarantee: Guarantee) -> bool:
    """Is the factor so large that it limits nothing in practice?"""
    return guarantee.distance * (guarantee.epsilon or 0.0) >= math.log(NO_LIMIT)


def _read_off(guarantee: Guarantee) -> str:
    if not guarantee.read_off:
        return ""
    taken = [fact for fact in guarantee.read_off if fact.startswith(_LARGEST)]
    shown = [fact for fact in guarantee.read_off if fact not in taken]
    said = ""
    if shown:
        verb = ("is", "it is") if len(shown) == 1 else ("are", "they are")
        said = (
            f" But {listed(shown)} {verb[0]} read off the data and published as {verb[1]}: one "
            "person alone can change that, and be seen by it."
        )
    if taken and guarantee.if_none_larger:
        said += (
            f" {'And' if said else 'But'} {listed(taken)}, is read off the data: one more person "
            "can make a larger one, about which this says nothing. So it is a promise to nobody."
        )
    elif taken:
        said += f" The printed δ is for {listed(taken)}, which is read off the data."
    return said


def outside_sentences(guarantee: Guarantee) -> list[str]:
    """What the promise leaves out, one sentence each: what shows, and what was only assumed."""
    return [
        f"Read off the data, not declared: {fact}." if fact.startswith(_LARGEST)
        else f"Published as it is, without protection: {fact}."
        for fact in guarantee.invariants
    ]


def means_something(guarantee: Guarantee) -> bool:
    """Is it a promise at all, and not in name only? A δ next to one allows nearly everything, and
    so does an ε that limits nothing; one that holds only as long as no count grows is to nobody."""
    return (
        guarantee.formal and guarantee.delta_tight <= IN_NAME_ONLY
        and not no_limit(guarantee) and not guarantee.if_none_larger
    )


def because_sentence(name: str, does: str, best: Guarantee, worst: Guarantee) -> str:
    """Why the one has less error than the other: it publishes as it is what the other protects."""
    if means_something(best) or not means_something(worst):
        return ""
    exact = best.own_invariants
    what = f"publishes {listed(exact)} exactly" if exact else does
    return f"{name} {what}, and {_hardly_promises(best)}."


def _hardly_promises(guarantee: Guarantee) -> str:
    if not guarantee.formal:
        return "promises nothing"
    if guarantee.delta_tight > IN_NAME_ONLY:
        delta = f"{'at most ' * guarantee.is_bound}{delta_words(guarantee)}"
        return f"its promise is nearly empty (δ is {delta})"
    if guarantee.if_none_larger:
        return "promises nothing once a count grows beyond the largest of the data"
    factor = odds_factor(guarantee.distance * (guarantee.epsilon or 0.0))
    return f"its promise limits nothing in practice ({factor})"


def deltas_text(names: Sequence[str], guarantees: Sequence[Guarantee]) -> str:
    """`with δ = 0 for A and almost 1 for B`, where methods at one ε do not promise the same with
    it; nothing where they do."""
    said = [_delta_and_reach(g) for g in guarantees]
    if len(set(said)) < 2:
        return ""
    parts = [f"{text} for {name}" for text, name in zip(said, names, strict=True)]
    return f"with δ = {listed(parts)}"


def _delta_and_reach(guarantee: Guarantee) -> str:
    """`0`, `at most 1e-6 (in part)`; of a promise in name only no more is said."""
    delta = f"{'at most ' * guarantee.is_bound}{delta_words(guarantee)}"
    reach = "in part" if guarantee.own_invariants and means_something(guarantee) else ""
    return f"{delta} ({reach})" if reach else delta


def household_sentence(named: Sequence[tuple[str, Guarantee]], largest: int) -> str:
    """What the promises are for a whole household, which is hurt as a whole: by group privacy, for
    the largest one there is."""
    if largest < 2:
        return ""
    parts = []
    for name, own in named:
        found = None if own.if_none_larger else converted(own, Unit.HOUSEHOLD, largest)
        if found is None or found.epsilon is None or found.delta_tight > IN_NAME_ONLY:
            continue
        at_most = "at most " * found.is_bound
        slack = delta_text(found.delta_tight, found.log_rest_tight)
        with_slack = f" with δ = {at_most}{slack}" if found.delta_tight else ""
        in_part = ", only among data that agree in what it keeps exact" * bool(own.own_invariants)
        worth = ", too much slack to rely on" * (not found.small_delta)
        worth += ", which limits nothing in practice" * no_limit(found)
        parts.append(f"ε = {sensible(found.epsilon)}{with_slack} under {name}{worth}{in_part}")
    if not parts:
        return ""
    return (
        f"For the largest household, {largest} people together, the promise is {listed(parts)}; "
        "that size is read off the data."
    )


def published_text(guarantee: Guarantee) -> str:
    """Published and true δ beside each other, and whether the one bounds the other."""
    tight = delta_text(guarantee.delta_tight, guarantee.log_rest_tight)
    if guarantee.delta_published is None or guarantee.log_rest_published is None:
        return f"No paper claims a δ; the true δ is {true_delta_text(guarantee)}."
    published = delta_text(guarantee.delta_published, guarantee.log_rest_published)
    if published == tight and guarantee.holds is False:
        published, tight = _told_apart(guarantee.delta_published, guarantee.delta_tight)
    verdict = {
        True: "the published bound holds", False: "the published bound does not hold",
        None: "whether the published bound holds is not known",
    }[guarantee.holds]
    true = f"true δ at most {tight} (upper bound)" if guarantee.is_bound else f"true δ = {tight}"
    return f"Published δ = {published}, {true}: {verdict}."


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two δ with as many digits as it takes to see that they differ."""
    texts, digits = (sensible(one), sensible(other)), 3
    while texts[0] == texts[1] and digits < 16:
        texts, digits = (f"{one:.{digits}f}", f"{other:.{digits}f}"), digits + 1
    return texts


def exceeds_sentence(guarantee: Guarantee) -> str:
    """How often more than ε is given away, which is not δ."""
    if guarantee.epsilon is None and guarantee.formal:
        return "What is published does not hang on anybody's record, so no odds ever move."
    if guarantee.exceeds is None:
        return "How often the odds move by more than e^ε is not known."
    among = "that agree in what is published exactly" * guarantee.conditional
    if guarantee.exceeds == 0:
        if guarantee.distance == 1:
            odds = "the odds never move by more than e^ε: Pr[loss > ε] = 0."
            return f"Among data {among}, {odds}" if among else f"T{odds[1:]}"
        loss = f"{guarantee.distance}ε"
        return (
            f"Between the nearest tables it compares, in which {guarantee.distance} "
            f"{changing(guarantee)} differ, the odds never move by more than e^({loss}): "
            f"Pr[loss > {loss}] = 0."
        )
    of = f", of those {among}," * bool(among)
    return (
        f"In the worst tables{of} the odds move by more than e^ε with a chance of "
        f"{exceeds_text(guarantee)}{_as_drawn(guarantee)}: Pr[loss > ε]."
    )

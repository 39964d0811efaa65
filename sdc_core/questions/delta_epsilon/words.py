"""What is promised: sentences of the question about δ and ε."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee, Neighbours
from sdc_core.privacy.units import Unit, converted, steps
from sdc_core.questions.delta_epsilon.compute import limits
from sdc_core.words.guarantees import (
    IN_NAME_ONLY,
    changing,
    delta_text,
    means_something,
    no_limit,
    promise_sentence,
    promise_word,
)
from sdc_core.words.numbers import Sentences, at_the_start, listed, odds_factor, percent, sensible

_OFTEN = 0.05  # a chance to move further that `with slack` would hide
_LONGEST = 165  # letters that fit in two lines of a headline


def privacy_sentences(
    mechanisms: Sequence[Mechanism], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the δ-versus-ε page: the strongest and the emptiest promise on screen. The
    emptiest stands in the headline if it fits there; what each says in full comes after."""
    if not mechanisms:
        return "Choose a method to see what it promises.", ""
    named = dict(zip(mechanisms, guarantees, strict=True))  # a method on two cards is named once
    pairs = sorted(named.items(), key=lambda p: _weakness(p[1]))
    strongest, emptiest = pairs[0], pairs[-1]
    if _weakness(emptiest[1]) == _weakness(strongest[1]):  # of what is as weak, who reads otherwise
        emptiest = next((p for p in pairs if _in_short(p[1]) != _in_short(strongest[1])), emptiest)
    headline = at_the_start(f"{strongest[0].spoken()} {_in_short(strongest[1])}")
    last = ""
    if _in_short(emptiest[1]) != _in_short(strongest[1]) or (
            _weakness(emptiest[1]) != _weakness(strongest[1])):
        last = f"{emptiest[0].spoken()} {_in_short(emptiest[1])}"
    elif len(pairs) > 1:
        last = f"the same goes for the other{'s' * (len(pairs) > 2)}"
    if last and len(f"{headline}; {last}.") <= _LONGEST:
        headline, last = f"{headline}; {last}", ""
    shown = pairs[:1] if emptiest[1] == strongest[1] else [strongest, emptiest]
    full = [part for m, g in shown
            for part in promise_sentence(at_the_start(m.spoken()), g).parts]
    return f"{headline}.", Sentences(
        at_the_start(f"{last}.") if last else "", _surer(strongest[1]), *full, _broken(pairs))


def _in_short(guarantee: Guarantee) -> str:
    """What a method does for a person, as the rest of a sentence about it."""
    word = promise_word(guarantee)
    if word == "none":
        return "promises nothing"
    if word == "broken":
        return "breaks its published promise"
    if guarantee.epsilon is None:
        return f"reveals nothing{_apart_from(guarantee)}"
    if guarantee.delta_tight > IN_NAME_ONLY:
        return "promises next to nothing"
    if guarantee.if_none_larger:
        return "promises nothing once a count grows"
    total = guarantee.distance * guarantee.epsilon
    if no_limit(guarantee):
        return "sets no limit in practice"
    limits = "keeps the odds about a person within" if guarantee.delta_tight else (
        "lets the odds about a person move by at most")
    said = f"{limits} {odds_factor(total)}{_apart_from(guarantee)}"
    if not guarantee.delta_tight:
        return said
    often = guarantee.exceeds or 0.0
    if guarantee.small_delta and often >= _OFTEN:  # little slack, used often
        least = "at least" if guarantee.as_drawn else "up to"
        return f"{said}, but for a chance of {least} {percent(often, 0)}"
    return f"{said}, with {'' if guarantee.small_delta else 'too much '}slack"


def _apart_from(guarantee: Guarantee) -> str:
    """What a promise leaves out, as said in passing."""
    if guarantee.own_invariants:
        return ", apart from what it publishes exactly"
    return ", apart from what is read off the data" if guarantee.read_off else ""


def _broken(pairs: Sequence[tuple[Mechanism, Guarantee]]) -> str:
    broken = [m.spoken() for m, g in pairs if g.holds is False]
    if not broken:
        return ""
    return f"The published guarantee of {listed(broken)} does not hold: see below."


def _surer(guarantee: Guarantee) -> str:
    """What the factor means for a reader of the table: by Bayes, and so only without slack, for
    any change of one record, and for somebody who knows all the others."""
    plain = guarantee.neighbours is Neighbours.ONE_RECORD and guarantee.distance == 1
    exact = guarantee.delta_tight == 0 and not guarantee.conditional
    if guarantee.epsilon is None or not (plain and exact) or no_limit(guarantee):
        return ""
    return (
        "So a reader of the table who knows everybody else cannot become surer of anything about a "
        f"person by more than {odds_factor(guarantee.epsilon)}."
    )


def conversion_sentence(guarantee: Guarantee, unit: Unit, people: int) -> str:
    """How the promise is converted for the chart; empty where it is drawn as it is."""
    if guarantee.epsilon is None or not guarantee.formal:
        return ""
    found = converted(guarantee, unit, people)
    if found is None:
        return (
            "On the chart: not drawn. The number of people is published, so whether a person was "
            "added shows."
        )
    return " ".join(filter(None, (
        _conversion(guarantee, found, unit, people), _within(guarantee))))


_SEEN = "where an exact count changes, δ is 1"


def _within(guarantee: Guarantee) -> str:
    """What the line on the chart leaves out."""
    if not guarantee.own_invariants:
        return ""
    return (
        "On the chart only among data that agree in what is published exactly; about any other "
        f"change of a record nothing is promised ({_SEEN})."
    )


def _conversion(guarantee: Guarantee, found: Guarantee, unit: Unit, people: int) -> str:
    if found is guarantee or found.epsilon is None or guarantee.epsilon is None:
        return ""
    new = sensible(found.epsilon)
    is_ = "≤" if found.is_bound else "="
    slack = delta_text(found.delta_tight, found.log_rest_tight)
    if unit is Unit.ADDED:
        how = (
            f"one count changes instead of two, so ε′ = ε/2 = {new}"
            if found.epsilon < guarantee.epsilon else
            f"one count changes instead of two, so ε′ = {new} as it is, and no worse"
        )
        return f"On the chart, for a person who is added or left out: {how}; δ′ {is_} {slack}."
    number = steps(guarantee, unit, people)
    powers = ["1", "e^ε", *(f"e^{i}ε" for i in range(2, number))]
    terms = " + ".join(powers if number < 4 else [*powers[:2], "…", powers[-1]])
    own_step = unit is Unit.PERSON or guarantee.per_household
    why = (
        f"its nearest tables differ in two {changing(guarantee)}" if own_step
        else f"{number} records change"
    )
    said = f"On the chart, since {why}: ε′ = {number}ε = {new}; "
    if not found.formal:
        return f"{said}δ ({terms}) is 1 or more, so nothing is promised (δ′ = 1)."
    return f"{said}δ′ {is_} δ ({terms}) = {slack}."


def household_size_sentence(together: int, largest: int | None) -> str:
    """Where the number of people who change together comes from; nothing where it was typed and
    the data do not say who lives together."""
    if largest is None or largest < 2:
        return ""
    if together == largest:
        return (
            f"h = {largest} is the largest household here: read off the data, so one household can "
            "change it."
        )
    larger = "larger" if together > largest else "smaller"
    return f"h = {together} is {larger} than the largest household here, {largest} people."


def missing_sentences(
    mechanisms: Sequence[Mechanism], curves: Sequence[Curve[Guarantee]], view: str
) -> list[str]:
    """Which methods are not on the chart, and why."""
    pairs = list(dict(zip(mechanisms, curves, strict=True)).items())
    seen = [m.spoken() for m, c in pairs if not c.points]
    unknown = [
        m.spoken() for m, c in pairs if c.points and all(g.exceeds is None for g in c.points)
    ] if view == "loss" else []
    said = []
    if seen:
        said.append(f"Not drawn, since the number of people is published: {listed(seen)}.")
    if unknown:
        said.append(f"Not drawn, since it is not known: {listed(unknown)}.")
    return said


def limit_sentences(curves: Sequence[Curve[Guarantee]]) -> list[str]:
    """Which lines are promises only among some data, and among which: no line without that stands
    for any change of a record."""
    limited = dict.fromkeys(
        f"{one.mechanism.spoken(EPSILON)}: {listed(facts)}"
        for one in curves if (facts := limits(one))
    )
    said = []
    if limited:
        said.append(
            "Dashes with two dots and hollow marks: only among data that agree in what the method "
            f"keeps exact ({'; '.join(limited)}). About any other change of a record such a line "
            f"promises nothing ({_SEEN}), so it cannot be set against the others."
        )
    read_off = dict.fromkeys(f for one in curves for g in one.points if g.formal
                             for f in g.read_off)
    if read_off:
        said.append(
            f"All lines are about data that agree in what is read off them: {'; '.join(read_off)}."
        )
    return said


def shared_line_sentence(groups: Sequence[Sequence[Mechanism]]) -> str:
    """Which lines lie on each other: the chart draws them one inside the other."""
    if not groups:
        return ""
    named = [listed([m.spoken(EPSILON) for m in group]) for group in groups]
    return f"Mostly or all along on one line, drawn one inside the other: {'; '.join(named)}."


def _weakness(guarantee: Guarantee) -> tuple[int, float, float]:
    """The less is promised, the larger: nothing, next to nothing, with too much slack, only in
    part; then more slack, a larger ε."""
    if not guarantee.formal:
        return 4, 0.0, 0.0
    empty = guarantee.epsilon is not None and not means_something(guarantee)
    level = 3 if empty else 2 if not guarantee.small_delta else int(bool(guarantee.own_invariants))
    epsilon = guarantee.distance * (guarantee.epsilon or 0.0)
    return level, -guarantee.log_rest_tight, epsilon

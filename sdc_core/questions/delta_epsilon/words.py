"""What is promised: sentences of the question about δ and ε."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy.guarantee import Guarantee, Neighbours
from sdc_core.privacy.units import Unit, converted, steps
from sdc_core.questions.delta_epsilon.compute import limits
from sdc_core.words.guarantees import changing, delta_text, no_limit, promise_sentence
from sdc_core.words.numbers import listed, odds_factor, sensible


def privacy_sentences(
    mechanisms: Sequence[Mechanism], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the δ-versus-ε page: the strongest and the emptiest promise on screen."""
    if not mechanisms:
        return "Choose a method to see what it promises.", ""
    pairs = sorted(zip(mechanisms, guarantees, strict=True), key=lambda p: _weakness(p[1]))
    strongest, emptiest = pairs[0], pairs[-1]
    headline = promise_sentence(strongest[0].label(), strongest[1]) + _surer(strongest[1])
    broken = [m.label() for m, g in zip(mechanisms, guarantees, strict=True) if g.holds is False]
    more = ""
    if emptiest is not strongest:
        more = promise_sentence(emptiest[0].label(), emptiest[1])
    if broken:
        verb = "does" if len(broken) == 1 else "do"
        more += f" The published guarantee of {listed(broken)} {verb} not hold: see below."
    return headline, more.strip()


def _surer(guarantee: Guarantee) -> str:
    """What the factor means for a reader of the table: by Bayes, and so only without slack, for
    any change of one record, and for somebody who knows all the others."""
    plain = guarantee.neighbours is Neighbours.ONE_RECORD and guarantee.distance == 1
    exact = guarantee.delta_tight == 0 and not guarantee.conditional
    if guarantee.epsilon is None or not (plain and exact) or no_limit(guarantee):
        return ""
    return (
        " So a reader of the table who knows everybody else cannot become surer of anything about "
        f"this person by more than {odds_factor(guarantee.epsilon)}."
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
    pairs = list(zip(mechanisms, curves, strict=True))
    seen = [m.label() for m, c in pairs if not c.points]
    unknown = [
        m.label() for m, c in pairs if c.points and all(g.exceeds is None for g in c.points)
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
    limited = [
        f"{one.mechanism.label()}: {listed(facts)}"
        for one in curves if (facts := limits(one))
    ]
    said = []
    if limited:
        said.append(
            "Dashes with dots and hollow marks: only among data that agree in what the method "
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


def _weakness(guarantee: Guarantee) -> tuple[bool, bool, bool, float, float]:
    """The less is promised, the larger: nothing, something only as long as no count grows, only in
    part, more slack, a larger ε."""
    if not guarantee.formal:
        return True, False, False, 0.0, 0.0
    epsilon = guarantee.distance * (guarantee.epsilon or 0.0)
    own = guarantee.conditional and not guarantee.only_read_off
    return False, guarantee.if_none_larger, own, -guarantee.log_rest_tight, epsilon

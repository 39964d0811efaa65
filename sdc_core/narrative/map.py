"""Where each method hurts, in sentences: who is worse, in how many places, and where most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.figures.places import signed_text, size_text
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.parameters import EPSILON
from sdc_core.metrics.areas import AreaComparison

PAPER_EPSILONS = (1.0, 4.0)  # P2 Figure 3 shows both
_NEGLIGIBLE = 0.005  # what a map writes as 0, in people, people per 1,000 or percent


def at_other_epsilon(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
    """The same methods at the other ε of P2 Figure 3; empty where that says nothing.

    Only where the methods have one ε in common and are exact, so that the sentence costs nothing.
    """
    present = {m.settings()[EPSILON.name] for m in mechanisms if _has_epsilon(m)}
    if len(present) != 1 or not all(m.is_exact for m in mechanisms):
        return ()
    other = next(e for e in reversed(PAPER_EPSILONS) if e not in present)
    return tuple(m.replace(epsilon=other) if _has_epsilon(m) else m for m in mechanisms)


def _has_epsilon(mechanism: Mechanism) -> bool:
    return EPSILON.name in {p.name for p in mechanism.relevant_params()}


def map_sentences(
    comparison: AreaComparison | None, other: AreaComparison | None = None, pinned: str = ""
) -> tuple[str, str]:
    """The answer of the Map page: what the two methods do to one place, who is worse in how many;
    then the same at the other ε of the paper's figure."""
    if comparison is None:
        return "Choose a method to see where it hurts.", ""
    place = _place(comparison, pinned)
    if len(comparison.values) == 1:
        return _one_method(comparison, place), ""
    headline = f"{_lead(comparison)}{_both(comparison, place)}; {_who(comparison, place)}."
    more = ""
    if other is not None:
        more = f"{_lead(other)}{_both(other, place, 'there')}; {_count(other)}."
    if comparison.measure == "group_bias" and comparison.group:
        members = comparison.group_people[place]
        more = (
            f"The group has {_people(members)} in {comparison.area.labels[place]}. {more}"
        ).strip()
    return headline, more


def _people(number: float) -> str:
    return "one person" if round(number) == 1 else f"{number:,.0f} people"


def _place(comparison: AreaComparison, pinned: str) -> int:
    """The pinned place, else where the two differ most, else the worst."""
    if pinned in comparison.area.values:
        return comparison.area.values.index(pinned)
    if len(comparison.values) == 2:
        return int(np.argmax(_by_loser(comparison)))
    return int(comparison.worst_first()[0])


def _loser(comparison: AreaComparison) -> int:
    """The method that is worse in more places; of a tie, the one that is worse by more."""
    excess, tolerance = comparison.excess, _tolerance(comparison)
    lead = int((excess > tolerance).sum()) - int((excess < -tolerance).sum())
    return int(lead > 0 or (lead == 0 and float(excess.sum()) >= 0))


def _tolerance(comparison: AreaComparison) -> float:
    """Below which two methods are the same in a place: what nobody could see in the numbers."""
    return max(_NEGLIGIBLE, 1e-9 * comparison.largest)


def _by_loser(comparison: AreaComparison) -> np.ndarray:
    """By how much the method that is worse in more places is worse, area by area."""
    return comparison.excess if _loser(comparison) else -comparison.excess


def _names(comparison: AreaComparison) -> list[str]:
    """Plain names if they tell the two apart, else with their settings; ε is said at the start."""
    common = _common_epsilon(comparison) is not None
    titles = [m.title for m in comparison.mechanisms]
    if len(set(titles)) == len(titles) and (common or not any(
            _has_epsilon(m) for m in comparison.mechanisms)):
        return titles
    labels = [m.label() for m in comparison.mechanisms]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({i})" for i, label in enumerate(labels, start=1)]
    return labels


def _common_epsilon(comparison: AreaComparison) -> float | None:
    found = [m.settings()[EPSILON.name] for m in comparison.mechanisms if _has_epsilon(m)]
    same = len(found) == len(comparison.mechanisms) and len(set(found)) == 1
    return float(found[0]) if same else None


def _lead(comparison: AreaComparison) -> str:
    epsilon = _common_epsilon(comparison)
    return "" if epsilon is None else f"At ε = {epsilon:g}, "


def _both(comparison: AreaComparison, place: int, where: str = "") -> str:
    names = _names(comparison)
    where = where or f"in {comparison.area.labels[place]}"
    first, second = (_does(comparison, i, place) for i in (0, 1))
    if comparison.measure in ("l1_bias", "error_rate"):
        short = size_text(float(comparison.values[1][place]))
        return f"{names[0]} {first} {where} and {names[1]} by {short}"
    if comparison.measure == "group_bias":
        return f"{names[0]} {first} {where} and {names[1]} {second}, {_group(comparison)}"
    return f"{names[0]} {first} {where} and {names[1]} {second}"


def _does(comparison: AreaComparison, method: int, place: int) -> str:
    """What one method does to one place: `is off by 63 people`, `hides 71% of the counts`."""
    value = float(comparison.values[method][place])
    weighted = " represented" if comparison.weighted else ""
    if comparison.measure == "l1_bias":
        return f"is off by {size_text(value)} people{weighted}"
    if comparison.measure == "error_rate":
        return f"is off by {size_text(value)} people for every 1,000{weighted}"
    if comparison.measure == "hidden_share":
        hides = comparison.hides[method]
        return f"hides {size_text(value)}% of the counts" if hides else "hides no counts"
    if size_text(value) == "0":
        return "puts a count neither too high nor too low"
    way = "too high" if value > 0 else "too low"
    return f"puts a count {size_text(abs(value))} people{weighted} {way}"


def _group(comparison: AreaComparison) -> str:
    counted = ", ".join(comparison.group)
    return f"for people counted as {counted}" if counted else "over all groups of people"


def _count(comparison: AreaComparison) -> str:
    """`DP suppression is worse in 5 of 5 places`."""
    places = len(comparison.area)
    worse = int((_by_loser(comparison) > _tolerance(comparison)).sum())
    if worse == 0:
        return "they are equally good everywhere" if places > 1 else "they are equally good"
    name = _names(comparison)[_loser(comparison)]
    return f"{name} is worse in {worse} of {places} place{'s' if places > 1 else ''}"


def _who(comparison: AreaComparison, place: int) -> str:
    said = _count(comparison)
    most = int(np.argmax(_by_loser(comparison)))
    if "worse" not in said or len(comparison.area) == 1:
        return said
    if most == place:
        return f"{said}, and most there"
    loser = _loser(comparison)
    figures = [
        signed_text(float(comparison.values[m][most])) if comparison.words.signed
        else size_text(float(comparison.values[m][most])) for m in (loser, 1 - loser)
    ]
    return (
        f"{said}, most in {comparison.area.labels[most]} ({figures[0]} against {figures[1]})"
    )


def _one_method(comparison: AreaComparison, place: int) -> str:
    names = _names(comparison)
    size = np.abs(comparison.values[0])
    best = int(np.argmin(size))
    places = comparison.area.labels
    said = f"{_lead(comparison)}{names[0]} {_does(comparison, 0, place)} in {places[place]}"
    other = _does(comparison, 0, best)
    if best == place or other == _does(comparison, 0, place):
        return f"{said}."
    return f"{said}; in {places[best]} it {other}."


def weight_sentence(comparison: AreaComparison, weight: str) -> str:
    """What is counted: survey records, or the people that they stand for."""
    if comparison.weighted:
        return (
            f"Weighted: an error of one record counts as many people as a record of that group "
            f"stands for in the survey ({weight}; {comparison.people.sum():,.0f} people in all; "
            "in an empty group, the place's average). The method itself works on records."
        )
    if not comparison.words.weighable:
        return "A share of counts, so survey weights play no part."
    return f"Persons as recorded, without survey weights ({comparison.people.sum():,.0f} in all)."

"""Where each method hurts, in sentences: who is worse, in how many places, and where most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.experiment import Evaluation
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import AreaComparison, Measure
from sdc_core.parameters import EPSILON
from sdc_core.words.evaluations import precision_text
from sdc_core.words.numbers import listed, size_text

PAPER_EPSILONS = (1.0, 4.0)  # P2 Figure 3 shows both


def at_other_epsilon(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
    """The same methods at the other ε of P2 Figure 3; empty where that says nothing.

    Only where two methods have one ε in common and are exact, so that the sentence costs nothing.
    """
    present = {m.settings()[EPSILON.name] for m in mechanisms if _has_epsilon(m)}
    if len(mechanisms) != 2 or len(present) != 1 or not all(m.is_exact for m in mechanisms):
        return ()
    other = next(e for e in reversed(PAPER_EPSILONS) if e not in present)
    return tuple(m.replace(epsilon=other) if _has_epsilon(m) else m for m in mechanisms)


def _has_epsilon(mechanism: Mechanism) -> bool:
    return EPSILON.name in {p.name for p in mechanism.relevant_params()}


def map_sentences(
    comparison: AreaComparison | None, other: AreaComparison | None = None, pinned: str = ""
) -> tuple[str, str]:
    """The answer of the map: who is worse in how many places and where most, of a pinned place
    what both do there; then the same at the other ε of the paper's figure."""
    if comparison is None:
        return "Choose a method to see where it hurts.", ""
    place = _place(comparison, pinned)
    if len(comparison.values) == 1:
        return _one_method(comparison, place), ""
    if not _is_noticed(comparison):
        return f"{_lead(comparison)}{_neither(comparison)}.", _other(other, place)
    widest = _who(comparison, place)
    if pinned in comparison.area.values:
        headline = f"{_lead(comparison)}{_both(comparison, place)}."
        more = f"{widest}. {_other(other, place)}"
    elif _ranked(comparison).any():
        group = f"{_group(comparison)}, " if comparison.measure == "group_bias" else ""
        headline, more = f"{_lead(comparison)}{group}{_who(comparison)}.", _other(
            other, place, "there")
    else:
        headline, more = f"{_lead(comparison)}{_both(comparison, place)}; {widest}.", _other(
            other, place, "there")
    if comparison.measure == "group_bias" and comparison.group:
        members = comparison.group_people[place]
        more = f"The group has {_people(members)} in {comparison.area.labels[place]}. {more}"
    return _sentence(headline), _sentence(more)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].strip()


def _other(other: AreaComparison | None, place: int, where: str = "") -> str:
    if other is None:
        return ""
    if not _is_noticed(other):
        return f"{_lead(other)}{_neither(other)}."
    return f"{_lead(other)}{_both(other, place, where)}; {_count(other)}."


def _is_noticed(comparison: AreaComparison) -> bool:
    return comparison.largest >= comparison.words.noticeable


def _neither(comparison: AreaComparison) -> str:
    """`neither Laplace nor DP suppression is off by a noticeable amount in any place`."""
    first, second = _names(comparison)
    does = {
        "l1_bias": "is off by a noticeable amount",
        "error_rate": "is off by a noticeable amount",
        "group_bias": "puts counts noticeably too high or too low",
        "hidden_share": "hides a noticeable share of the counts",
    }[comparison.measure]
    return f"neither {first} nor {second} {does} in any place"


def _people(number: float) -> str:
    return "one person" if round(number) == 1 else f"{number:,.0f} people"


def _place(comparison: AreaComparison, pinned: str) -> int:
    """The pinned place, else where the two differ most, else the worst."""
    if pinned in comparison.area.values:
        return comparison.area.values.index(pinned)
    if len(comparison.values) == 2 and _ranked(comparison).any():
        return int(np.argmax(_by_loser(comparison)))
    return int(comparison.worst_first()[0])


def _loser(comparison: AreaComparison) -> int:
    """The method that is worse in more places; of a tie, the one that is worse by more."""
    ranked = _ranked(comparison)
    lead = int((ranked > 0).sum()) - int((ranked < 0).sum())
    return int(lead > 0 or (lead == 0 and float(ranked.sum()) >= 0))


def _ranked(comparison: AreaComparison) -> np.ndarray:
    """By how much the second method is worse, area by area; 0 where the two read alike or are too
    close for anyone to care."""
    alike = np.array([
        size_text(abs(float(first))) == size_text(abs(float(second)))
        for first, second in zip(*comparison.values, strict=True)
    ])
    close = np.abs(comparison.excess) < comparison.words.noticeable
    return np.where(alike | close, 0.0, comparison.excess)


def _by_loser(comparison: AreaComparison) -> np.ndarray:
    """By how much the method that is worse in more places is worse, area by area."""
    return _ranked(comparison) if _loser(comparison) else -_ranked(comparison)


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
    """`DP suppression is worse than Laplace in all 5 places`, `… in 3 of 5 places, better in 1`."""
    places, ahead = len(comparison.area), _by_loser(comparison)
    worse, better = int((ahead > 0).sum()), int((ahead < 0).sum())
    if worse == 0:
        return f"they are about equally good{' everywhere' if places > 1 else ''}"
    names, loser = _names(comparison), _loser(comparison)
    hides = comparison.measure == "hidden_share"
    does = f"{'hides more counts' if hides else 'is worse'} than {names[1 - loser]}"
    if places == 1:
        return f"{names[loser]} {does}"
    many = f"{worse} of {places} places"
    if worse == places:
        many = "both places" if places == 2 else f"all {places} places"
    return f"{names[loser]} {does} in {many}" + (
        f", {'fewer' if hides else 'better'} in {better}" if better else "")


def _who(comparison: AreaComparison, told: int | None = None) -> str:
    """Who is worse in how many places, and where the gap is widest; `told` is the place whose
    numbers have been said."""
    ahead = _by_loser(comparison)
    if not (ahead > 0).any():
        return _count(comparison)
    most, loser = int(np.argmax(ahead)), _loser(comparison)
    figures = f"({_gap(comparison, loser, most)})"
    if len(comparison.area) == 1:
        return _count(comparison) + (
            "" if told == most else f" in {comparison.area.labels[most]} {figures}")
    if told == most:
        return f"{_count(comparison)}, and the gap is widest there"
    return f"{_count(comparison)}; the gap is widest in {comparison.area.labels[most]} {figures}"


def _gap(comparison: AreaComparison, loser: int, place: int) -> str:
    """`187 people off instead of 59`, `71% of the counts hidden instead of none`."""
    values = [float(comparison.values[m][place]) for m in (loser, 1 - loser)]
    worse, better = (size_text(abs(v)) for v in values)
    weighted = " represented" if comparison.weighted else ""
    if comparison.measure == "l1_bias":
        return f"{worse} people{weighted} off instead of {better}"
    if comparison.measure == "error_rate":
        return f"{worse} people{weighted} off for every 1,000 instead of {better}"
    if comparison.measure == "hidden_share":
        return f"{worse}% of the counts hidden instead of {f'{better}%' if values[1] else 'none'}"
    ways = ["too high" if v > 0 else "too low" for v in values]
    second = "none" if better == "0" else better
    if ways[0] != ways[1] and better != "0":
        second = f"{better} {ways[1]}"
    return f"a count {worse} people{weighted} {ways[0]} instead of {second}"


def _one_method(comparison: AreaComparison, place: int) -> str:
    names = _names(comparison)
    size = np.abs(comparison.values[0])
    best = int(np.argmin(size))
    places = comparison.area.labels
    said = f"{_lead(comparison)}{names[0]} {_does(comparison, 0, place)} in {places[place]}"
    if comparison.measure == "group_bias":
        said = f"{said}, {_group(comparison)}"
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


def precision_words(measure: Measure, evaluations: Sequence[Evaluation], seed: int) -> str:
    """How each method's numbers came about: a map has no room for standard errors."""
    rough = [e for e in evaluations if not _is_exact(measure, e)]
    if not rough:
        return "Numbers are exact, not simulated."
    said = "; ".join(
        f"{e.mechanism.label()}: {precision_text(e) if e in rough else 'exact'}"
        for e in evaluations
    )
    noisy = "Averages of so few releases are still noisy"
    if measure == "l1_bias":
        noisy += ", which makes their systematic error come out too large"
    return f"{said} (seed {seed}). {noisy}."


def _is_exact(measure: Measure, evaluation: Evaluation) -> bool:
    """Where only the mean is known exactly, so is what follows from it; a share of hidden counts is
    never simulated."""
    if measure in ("l1_bias", "group_bias") and evaluation.l1_bias_se == 0:
        return True
    return evaluation.method == "exact" or measure == "hidden_share"


def left_out_sentence(labels: Sequence[str]) -> str:
    """Said where a study has more methods than a map compares."""
    verb = "is" if len(labels) == 1 else "are"
    return f"A map compares two methods: {listed(labels)} {verb} left out."

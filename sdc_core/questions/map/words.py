"""Where each method hurts, in sentences: who is worse, in how many places, and where most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.keep import kept_with_first
from sdc_core.metrics.areas import AreaComparison, Measure
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.map.names import (
    deltas_sentence,
    full_names,
    has_epsilon,
    lead,
    with_promises,
)
from sdc_core.words.conventions import share_clause
from sdc_core.words.evaluations import OF_MANY, releases_text
from sdc_core.words.groups import people_text, people_word
from sdc_core.words.guarantees import because_sentence, means_something
from sdc_core.words.numbers import Sentences, at_the_start, size_text

_TWO_LINES = 184  # characters of a headline, about
_OFF: tuple[Measure, ...] = ("people_error", "people_bias", "error_rate", "l1_bias")
_WORSE: dict[Measure, tuple[str, str]] = {
    "invented": ("puts more people into empty groups", "fewer"),
    "hidden_share": ("hides more counts", "fewer"),
    "group_bias": ("leans further to one side", "less far"),  # a mean with signs hides errors
}


NO_PLACES = (
    "No column of this data is known to say where people live.",
    "Choose the area column above, or give boundaries below: a column that has their codes is "
    "found by itself, as is one whose role is place.",
)


def map_sentences(
    comparison: AreaComparison | None, other: AreaComparison | None = None, pinned: str = "",
    averaged: AreaComparison | None = None, promised: Sequence[Guarantee] = (),
) -> tuple[str, str]:
    """The answer of the map: who is worse in how many places and where most, of a pinned place
    what both do there; then what is invented there, what stays on average, and the same at the
    other ε of the paper's figure."""
    if comparison is None:
        return "Choose a method to see where it hurts.", ""
    place = _place(comparison, pinned)
    if pinned in comparison.area.values and _is_absent(comparison, place):
        nobody = f"Nobody counted as {', '.join(comparison.group)} lives in "
        return (f"{nobody}{comparison.area.labels[place]}.",
                _joined(_invented(comparison, place, also="")))
    beside = [_because(comparison, promised), deltas_sentence(comparison, promised),
              _members(comparison, place), _invented(comparison, place), _averaged(averaged)]
    start, part = lead(comparison), _part(comparison)
    names = with_promises(comparison, promised)
    if len(comparison.values) == 1:
        return _sentence(f"{_one_method(comparison, place)}{part}."), _joined(*beside)
    if not _is_noticed(comparison):
        said = f"{start}{_neither(comparison, names)}{part}."
        return _sentence(said), _joined(*beside, _other(comparison, other, promised, place))
    widest = _who(comparison, full_names(comparison), place)
    if pinned in comparison.area.values:
        headline = f"{start}{_both(comparison, place, names)}{part}."
        return _sentence(headline), _joined(
            f"{widest}.", *beside, _other(comparison, other, promised, place))
    if _ranked(comparison).any():
        group = f"{_group(comparison)}, " if comparison.measure == "group_bias" else ""
        headline = f"{start}{group}{_who(comparison, names)}{part}."
        if len(headline) > _TWO_LINES:  # where the gap is widest is read next
            headline = f"{start}{group}{_count(comparison, names)}{part}."
            beside.insert(0, f"{_widest(comparison)}.")
    else:
        headline = f"{start}{_both(comparison, place, names)}; {widest}{part}."
    return _sentence(headline), _joined(
        *beside, _other(comparison, other, promised, place, "there"))


def _part(comparison: AreaComparison) -> str:
    """Whose releases are made of a part of the records; no matter for shares of hidden counts."""
    if comparison.measure == "hidden_share":
        return ""
    return share_clause(zip(full_names(comparison), comparison.shares, strict=False))


def _is_absent(comparison: AreaComparison, place: int) -> bool:
    """Has the chosen group nobody there? Then there is no count of it to be put off."""
    return bool(comparison.group) and comparison.measure == "group_bias" and (
        comparison.group_people[place] == 0)


def _inhabited(comparison: AreaComparison) -> np.ndarray:
    """Where there is somebody whose count can be put off."""
    return np.array([not _is_absent(comparison, i) for i in range(len(comparison.area))])


def _joined(*parts: str) -> Sentences:
    return Sentences(*(_sentence(part) for part in parts if part))


def _members(comparison: AreaComparison, place: int) -> str:
    if comparison.measure != "group_bias" or not comparison.group:
        return ""
    members = _people(comparison.group_people[place], comparison.weighted)
    return f"The group has {members} in {comparison.area.labels[place]}."


def _invented(comparison: AreaComparison, place: int, also: str = " also") -> str:
    """`In Salem, Laplace also puts 60 people into groups that have nobody, Suppression nobody`; of
    the place where most are invented if there are none in the one that is told about."""
    most = np.max(np.abs(np.stack(comparison.invented)), axis=0)
    if not comparison.words.split or most.max() < 0.5:
        return ""
    if size_text(float(most[place])) == "0":
        place = int(np.argmax(most))
    names = full_names(comparison)
    counted = [
        _some(float(v[place]), comparison.weighted, _with_error(float(v[place]), float(e[place])))
        + (_so_far(comparison, i) if not v[place] else "")
        for i, (v, e) in enumerate(
            zip(comparison.invented, comparison.invented_errors, strict=True))
    ]
    rest = "".join(
        f", and {name} puts {some} there"
        for name, some in zip(names[1:], counted[1:], strict=True)
    )
    place_name = comparison.area.labels[place]
    if comparison.measure == "l1_bias":
        return (
            f"Of that, {names[0]} puts {counted[0]} into groups that have nobody in "
            f"{place_name}{rest}."
        )
    into = "its empty groups" if comparison.measure == "group_bias" and comparison.group else (
        "groups that have nobody")
    return f"In {place_name}, {names[0]}{also} puts {counted[0]} into {into}{rest}."


def _some(number: float, weighted: bool, size: str = "") -> str:
    kind = " represented" if weighted else ""
    if size_text(number) == "0":
        return "nobody"
    one = size_text(number) == "1"
    return f"one person{kind}" if one else f"{size or size_text(number)} people{kind}"


def _averaged(averaged: AreaComparison | None) -> str:
    """Who is worse when many releases are averaged."""
    if averaged is None or len(averaged.values) != 2:
        return ""
    names = full_names(averaged)
    told = _count(averaged, names) if _is_noticed(averaged) else _neither(averaged, names)
    return f"Averaged over many releases, again without empty groups, {told}."


def _sentence(text: str) -> str:
    return at_the_start(text.strip())


def _other(
    now: AreaComparison, other: AreaComparison | None, promised: Sequence[Guarantee], place: int,
    where: str = "",
) -> str:
    """The same at the other ε; called a promise only where there is one."""
    if other is None or all(
        np.allclose(a, b) for a, b in zip(now.values, other.values, strict=True)
    ):
        return ""
    names = full_names(other)
    said = _neither(other, names)
    if _is_noticed(other):
        said = f"{_both(other, place, names, where)}; {_count(other, names)}"
    more = _epsilon(other) > _epsilon(now)
    with_ = f"a {'larger' if more else 'smaller'} ε"
    if not promised or any(means_something(one) for one in promised):
        with_ = f"a {'weaker' if more else 'stronger'} promise"
    return f"With {with_}, {lead(other)}{said}."


def _epsilon(comparison: AreaComparison) -> float:
    """The one ε of a comparison that is told at two of them."""
    return max(float(m.settings()[EPSILON.name]) for m in comparison.mechanisms if has_epsilon(m))


def _because(comparison: AreaComparison, promised: Sequence[Guarantee]) -> str:
    """Why the one is nearer, where it promises nothing and the other does."""
    if len(promised) != 2 or comparison.measure not in _OFF or not _ranked(comparison).any():
        return ""
    loser = _loser(comparison)
    return because_sentence(
        full_names(comparison)[1 - loser], comparison.mechanisms[1 - loser].does,
        promised[1 - loser], promised[loser])


def _is_noticed(comparison: AreaComparison) -> bool:
    return comparison.largest >= comparison.words.noticeable


def _neither(comparison: AreaComparison, names: Sequence[str]) -> str:
    """`neither Laplace nor DP suppression k=6 is off by a noticeable amount in any place`."""
    first, second = names
    does = {
        "group_bias": "on balance puts counts noticeably too high or too low",
        "hidden_share": "hides a noticeable share of the counts" if any(comparison.hides) else (
            "hides counts"),
        "invented": "puts a noticeable number of people into empty groups",
    }.get(comparison.measure, "is off by a noticeable amount")
    return f"neither {first} nor {second} {does} in any place"


def _people(number: float, weighted: bool) -> str:
    return "one person" if round(number) == 1 else f"{number:,.0f} {people_word(weighted)}"


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
    ahead = int((ranked > 0).sum()) - int((ranked < 0).sum())
    return int(ahead > 0 or (ahead == 0 and float(ranked.sum()) >= 0))


@kept_with_first  # asked for by every sentence about the same comparison
def _apart(comparison: AreaComparison) -> np.ndarray:
    """By how much the second method is worse, area by area; 0 where the two read alike or are too
    close for anyone to care."""
    alike = np.array([
        size_text(abs(float(first))) == size_text(abs(float(second)))
        for first, second in zip(*comparison.values, strict=True)
    ])
    close = np.abs(comparison.excess) < comparison.words.noticeable
    return np.where(alike | close, 0.0, comparison.excess)


def _unsure(comparison: AreaComparison) -> np.ndarray:
    """Where they seem to be apart, but by no more than chance may do: of many places some are, so
    that two standard errors would not do."""
    apart = _apart(comparison)
    return (apart != 0) & (np.abs(apart) <= comparison.chance(OF_MANY))


def _ranked(comparison: AreaComparison) -> np.ndarray:
    """By how much the second method is worse, area by area, and 0 where that cannot be told."""
    return np.where(_unsure(comparison), 0.0, _apart(comparison))


def _by_loser(comparison: AreaComparison) -> np.ndarray:
    """By how much the method that is worse in more places is worse, area by area."""
    return _ranked(comparison) if _loser(comparison) else -_ranked(comparison)


def _both(comparison: AreaComparison, place: int, names: Sequence[str], where: str = "") -> str:
    where = where or f"in {comparison.area.labels[place]}"
    first, second = (_does(comparison, i, place) for i in (0, 1))
    if comparison.measure in _OFF:
        return f"{names[0]} {first} {where} and {names[1]} by {_size(comparison, 1, place)}"
    if comparison.measure == "invented":
        short = second.removesuffix(" into empty groups")
        return f"{names[0]} {first} {where} and {names[1]} {short} there"
    if comparison.measure == "group_bias":
        return f"{names[0]} {first} {where} and {names[1]} {second}, {_group(comparison)}"
    return f"{names[0]} {first} {where} and {names[1]} {second}"


def _size(comparison: AreaComparison, method: int, place: int) -> str:
    """`63`, or `63 ± 2` where it is a mean over releases."""
    error, value = (float(a[method][place]) for a in (comparison.errors, comparison.values))
    if value == error == 0:
        return f"0{_so_far(comparison, method)}"
    return _with_error(abs(value), error)


def _so_far(comparison: AreaComparison, method: int) -> str:
    """Of something that no release had: in how many that is."""
    drawn = comparison.drawn[method]
    return f" in {releases_text(drawn)}" if drawn else ""


def _with_error(value: float, error: float) -> str:
    return f"{size_text(value)} ± {size_text(error)}" if error else size_text(value)


def _does(comparison: AreaComparison, method: int, place: int) -> str:
    """What one method does to one place: `is off by 63 people`, `hides 71% of the counts`."""
    value, size = float(comparison.values[method][place]), _size(comparison, method, place)
    weighted = " represented" if comparison.weighted else ""
    if comparison.measure in _OFF:
        each = " for every 1,000" if comparison.measure == "error_rate" else ""
        if size.endswith("s"):  # no release was off
            return f"was off by nobody{size.removeprefix('0')}"
        return f"is off by {people_text(size)}{each}{weighted}"
    if comparison.measure == "invented":
        so_far = _so_far(comparison, method) if not value else ""
        return f"puts {_some(value, comparison.weighted, size)} into empty groups{so_far}"
    if comparison.measure == "hidden_share":
        return f"hides {size}% of the counts" if comparison.hides[method] else "hides no counts"
    if size_text(value) == "0":
        return "on balance puts counts neither too high nor too low"
    way = "too high" if value > 0 else "too low"
    return f"on balance puts a count {people_text(size)}{weighted} {way}"


def _group(comparison: AreaComparison) -> str:
    counted = ", ".join(comparison.group)
    return f"for people counted as {counted}" if counted else "over all groups of people"


def _count(comparison: AreaComparison, names: Sequence[str]) -> str:
    """`Suppression k=6 is worse than Laplace ε=1 in all 5 places`, `… in 3 of 5, better in 1`."""
    ahead, living = _by_loser(comparison), _inhabited(comparison)
    places = int(living.sum())
    worse, better = int((ahead > 0).sum()), int((ahead < 0).sum())
    unsure = int(_unsure(comparison).sum())
    some = " that have any" if places < len(comparison.area) else ""
    if worse == 0 and unsure:
        where = "" if places == 1 else " in any place" if unsure == places else (
            f" in {unsure} of {places} places and are about alike in the others")
        return f"they cannot be told apart from so few releases{where}"
    if worse == 0:
        alike = {"invented": "put about as many people there", "group_bias": (
            "lean about equally far")}.get(comparison.measure, "are about equally good")
        return f"they {alike}{' everywhere' if places > 1 else ''}"
    loser = _loser(comparison)
    more, less = _WORSE.get(comparison.measure, ("is worse", "better"))
    does = f"{more} than {names[1 - loser]}"
    if len(comparison.area) == 1:
        return f"{names[loser]} {does}"
    many = f"{worse} of {places} places{some}" if places > 1 else "the one place that has any"
    if worse == places > 1:
        many = f"{'both' if places == 2 else f'all {places}'} places{some}"
    even = places - worse - better - unsure
    return f"{names[loser]} {does} in {many}" + (f", {less} in {better}" if better else "") + (
        f", about alike in {even}" if even else "") + (
        f", and {unsure} cannot be told from so few releases" if unsure else "")


def _who(comparison: AreaComparison, names: Sequence[str], told: int | None = None) -> str:
    """Who is worse in how many places, and where the gap is widest; `told` is the place whose
    numbers have been said."""
    ahead, count = _by_loser(comparison), _count(comparison, names)
    if not (ahead > 0).any():
        return count
    most = int(np.argmax(ahead))
    if len(comparison.area) == 1:
        figures = f"({_gap(comparison, _loser(comparison), most)})"
        return count + (
            "" if told == most else f" in {comparison.area.labels[most]} {figures}")
    if told == most:
        widest = "widest" if _is_widest(comparison, most) else "among the widest"
        return f"{count}, and the gap is {widest} there"
    return f"{count}; {_widest(comparison)}"


def _widest(comparison: AreaComparison) -> str:
    """`the gap is widest in Salem (84 people off instead of 30)`."""
    most = int(np.argmax(_by_loser(comparison)))
    widest = "widest" if _is_widest(comparison, most) else "among the widest"
    figures = f"({_gap(comparison, _loser(comparison), most)})"
    return f"the gap is {widest} in {comparison.area.labels[most]} {figures}"


def _is_widest(comparison: AreaComparison, most: int) -> bool:
    """Is the gap wider there than in every other place, beyond a tie and beyond chance?"""
    gaps = comparison.excess if _loser(comparison) else -comparison.excess
    chance = comparison.chance(OF_MANY)
    ahead = np.delete(gaps[most] - gaps, most)
    tie = 1e-9 * max(1.0, abs(float(gaps[most])))
    return bool((ahead > np.hypot(chance[most], np.delete(chance, most)) + tie).all())


def _gap(comparison: AreaComparison, loser: int, place: int) -> str:
    """`187 people off instead of 59`, `71% of the counts hidden instead of none`."""
    values = [float(comparison.values[m][place]) for m in (loser, 1 - loser)]
    worse, better = (_size(comparison, m, place) for m in (loser, 1 - loser))
    weighted = " represented" if comparison.weighted else ""
    none = size_text(values[1]) == "0"
    if comparison.measure in _OFF:
        each = " for every 1,000" if comparison.measure == "error_rate" else ""
        return f"{people_text(worse)}{weighted} off{each} instead of {better}"
    if comparison.measure == "invented":
        return f"{people_text(worse)}{weighted} instead of {'nobody' if none else better}"
    if comparison.measure == "hidden_share":
        return f"{worse}% of the counts hidden instead of {f'{better}%' if values[1] else 'none'}"
    ways = ["too high" if v > 0 else "too low" for v in values]
    second = "none" if none else better
    if ways[0] != ways[1] and not none:
        second = f"{better} {ways[1]}"
    return f"a count on balance {people_text(worse)}{weighted} {ways[0]} instead of {second}"


def _one_method(comparison: AreaComparison, place: int) -> str:
    names = full_names(comparison)
    size = np.abs(comparison.values[0])
    absent = [_is_absent(comparison, i) for i in range(len(size))]
    best = int(np.argmin(np.where(absent, np.inf, size)))
    places = comparison.area.labels
    said = f"{lead(comparison)}{names[0]} {_does(comparison, 0, place)} in {places[place]}"
    if comparison.measure == "group_bias":
        said = f"{said}, {_group(comparison)}"
    each = {_does(comparison, 0, i) for i in range(len(size)) if not absent[i]}
    if len(each) == 1 and len(places) > 1:  # no place is worse than the others
        return said.replace(f" in {places[place]}", " in every place", 1)
    if best == place:
        return said
    return f"{said}; in {places[best]} it {_does(comparison, 0, best)}"

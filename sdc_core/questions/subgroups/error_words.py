"""How far off counts are for each group, and who is put where nobody is, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdc_core.metrics.subgroups import GroupResult, MethodResult
from sdc_core.words.chance import differ, none_in, times
from sdc_core.words.evaluations import with_error
from sdc_core.words.groups import people_word
from sdc_core.words.numbers import listed, sensible
from sdc_core.words.ranking import unbeaten

SAME = 0.005  # errors per 1,000 people (or ratios) that differ by less are the same


def tenths(number: float) -> str:
    """No more digits than tenths, in sentences and on bars alike: rounded once, from the number
    itself."""
    return sensible(number if abs(number) >= 99.95 else round(number, 1))


def spoken(results: Sequence[MethodResult]) -> str:
    return listed(list(dict.fromkeys(r.mechanism.spoken() for r in results)))


def rate_sentence(results: Sequence[MethodResult]) -> str:
    """The error in counts of cells that have people, of the method with the largest one: for every
    1,000 of each group, and how many times as much in one as in the other where that is beyond
    chance. Methods that may be as far off are named as well."""
    known = [r for r in results if _rated(r)]
    if not known:
        return ""
    worst = unbeaten(known, _rate, _told)
    most = max(worst, key=_rate)
    alike = [r for r in worst if _rates(r) == _rates(most)]
    if all(tenths(g.per_thousand or 0.0) == "0" for r in worst for g in _rated(r)):
        return _hardly_off(known)
    others = [r for r in worst if r not in alike]
    puts = "puts" if spoken(alike) == most.mechanism.spoken() else "put"
    said = (
        f"In cells that have people, {spoken(alike)} {puts} counts off by {listed(_rates(most))} "
        f"for every 1,000 {_people(results)}{_ratio(_rated(most))}"
    )
    if others:
        said += f"; these releases cannot tell it apart from {spoken(others)}"
    return f"{said}."


def _people(results: Sequence[MethodResult]) -> str:
    return people_word(any(g.weighted for r in results for g in r.groups))


def _rated(result: MethodResult) -> list[GroupResult]:
    """Groups that have people, the one with the smallest error first."""
    return sorted((g for g in result.groups if g.per_thousand is not None),
                  key=lambda g: g.per_thousand or 0.0)


def _rates(result: MethodResult) -> list[str]:
    return [f"{tenths(g.per_thousand or 0.0)} among {g.name}" for g in _rated(result)]


def _rate(result: MethodResult) -> float:
    """For every 1,000 people of all groups together."""
    return _per_thousand(result, lambda g: g.among_people)


def _per_thousand(result: MethodResult, number: Callable[[GroupResult], float]) -> float:
    groups = _rated(result)
    return 1000 * sum(map(number, groups)) / sum(g.people for g in groups)


def _told(one: MethodResult, other: MethodResult) -> bool:
    """May one be called further off? Errors of groups add up: one release has all of them."""
    if _rates(one) == _rates(other):
        return False
    errors = [_per_thousand(r, lambda g: g.among_people_se) for r in (one, other)]
    return differ(_rate(one), errors[0], _rate(other), errors[1])


def _ratio(groups: Sequence[GroupResult]) -> str:
    """`, 4 times as many as among men`: the last group beside the first."""
    low, high = groups[0], groups[-1]
    many = times(high.per_thousand or 0.0, high.per_thousand_se, low.per_thousand or 0.0,
                 low.per_thousand_se, tenths)
    than = "" if len(groups) == 2 else f" as among {low.name}"
    return f", {many} times as many{than}" if many else ""


def _hardly_off(results: Sequence[MethodResult]) -> str:
    """Where all would be written as 0; of what was drawn, what that excludes."""
    said = (
        f"In cells that have people, {spoken(results)} put{'s' * (len(results) == 1)} counts off "
        f"by less than 0.05 for every 1,000 {_people(results)}"
    )
    none = [r for r in results if r.releases and not _rate(r)]
    some = [r for r in results if r.releases and _rate(r)]
    if none:
        said += f"; {spoken(none)} by nothing {none_in(min(r.releases for r in none))}"
    if some:
        said += f"; {spoken(some)} as far as {min(r.releases for r in some):,} releases tell"
    return f"{said}."


def invented_sentence(results: Sequence[MethodResult]) -> str:
    """How many people each method puts into cells that have nobody, in all groups shown."""
    some, rest = [], []
    for result in results:
        number, error = sum(g.invented for g in result.groups), _invented_error(result)
        if number >= 0.5:
            count = with_error(float(round(number)), error)
            some.append(f"{count} by {result.mechanism.spoken()}")
        else:
            rest.append(result)
    if not some:
        return ""
    people = _people(results).capitalize()
    return f"{people} put into cells that have nobody: {listed(some)}{_few(rest)}."


def _invented_error(result: MethodResult) -> float:
    return sum(g.invented_se for g in result.groups)


def _few(results: Sequence[MethodResult]) -> str:
    """`, none by A, hardly any by B`: nobody at all, nobody in so many releases, as many too few as
    too many, or fewer than one half of a person."""
    kinds: dict[str, list[MethodResult]] = {}
    for result in results:
        empty = sum(g.misplaced - g.among_people for g in result.groups)
        kind = "none by {}"
        if empty > SAME:
            level = abs(sum(g.invented for g in result.groups)) <= SAME
            kind = "on balance none by {}" if level else "hardly any by {}"
        elif result.releases:
            kind = f"none by {{}} {none_in(result.releases)}"
        kinds.setdefault(kind, []).append(result)
    return "".join(f", {kind.format(spoken(some))}" for kind, some in kinds.items())

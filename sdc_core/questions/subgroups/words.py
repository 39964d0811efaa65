"""What a release does to groups of people and to the line within each, in sentences.

A slope says how two features go together in the data, not what one does to the other. Averages by
formula have no chance in them; one release has, so nothing is ranked there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sdc_core.histogram import Feature
from sdc_core.metrics.error import PEOPLE_FOR_A_HEADLINE
from sdc_core.metrics.subgroups import GroupResult, MethodResult, code_numbers
from sdc_core.questions.subgroups.error_words import (
    SAME,
    invented_sentence,
    rate_sentence,
    spoken,
    tenths,
)
from sdc_core.words.chance import STANDARD_ERRORS, differ
from sdc_core.words.groups import people_text, people_word, sized
from sdc_core.words.numbers import Sentences, listed, lowered, percent, points, sensible

_HARDLY = 0.02  # a line whose slope changes by less than this share hardly changes
_NOTHING = 0.0005  # of a slope: would be written as 0%
CANCELS = "What is too many in one release and too few in the next cancels out here."


def subgroup_sentences(
    results: Sequence[MethodResult], y: Feature, x: Feature, on_average: bool = True
) -> tuple[str, str]:
    """The answer: whose line changes, after what. Groups too small for a headline are left to the
    charts and the notes."""
    if not any(g.slope_change is not None for r in results for g in r.groups):
        return "There is no line to compare: choose groups of people and a method.", ""
    if not any(_large(r) for r in results):
        return (
            f"None of these groups has {PEOPLE_FOR_A_HEADLINE} {_counted(results)}, too few to say "
            "whose line a release changes; choose larger groups.", "")
    line = f"the line from {lowered(x.title)} to {lowered(y.title)}"
    said = _average_sentences if on_average else _release_sentences
    headline, more = said(results, line)
    if "flatter" in headline:
        more = Sentences(
            f"Flatter means: people who differ in {lowered(x.title)} differ less in "
            f"{lowered(y.title)} than they truly do.", *more.parts)
    return headline, Sentences(_left_out(results), *more.parts) if on_average else more


def _left_out(results: Sequence[MethodResult]) -> str:
    """Whose line changes more than that of all in the headline, and who is not there only because
    they are few: who looks at the chart sees them first."""
    reach = max(abs(g.slope_change or 0.0) for r in results for g in _large(r))
    found = [
        (r, g) for r in results for g in r.groups
        if g.slope_change is not None and g.records < PEOPLE_FOR_A_HEADLINE and _is_told(g)
        and _reach(g) >= _HARDLY and abs(g.slope_change) > reach + _NOTHING
    ]
    if not found:
        return ""
    result, group = max(found, key=lambda one: abs(one[1].slope_change or 0.0))
    names = [n for n in dict.fromkeys(_sized(g) for _, g in found) if n != _sized(group)]
    others = f"; {listed(names)} change more, too" if names else ""
    return (
        f"Too few for the headline (fewer than {PEOPLE_FOR_A_HEADLINE} {_counted(results)}), but "
        f"changed more: after {result.mechanism.spoken()} the line of {_sized(group)} "
        f"{_described(group)}{others}."
    )


def _large(result: MethodResult) -> list[GroupResult]:
    """Groups with a line before and after, and people enough for a headline."""
    return [g for g in result.groups
            if g.slope_change is not None and g.records >= PEOPLE_FOR_A_HEADLINE]


def _counted(results: Sequence[MethodResult]) -> str:
    """What the data have: people, or records that stand for people."""
    return "records" if _is_weighted(results) else "people"


def _is_weighted(results: Sequence[MethodResult]) -> bool:
    return any(g.weighted for r in results for g in r.groups)


def _average_sentences(results: Sequence[MethodResult], line: str) -> tuple[str, Sentences]:
    """The largest change there is beyond chance, by its cause: methods that do the same to the
    data, with the same effect, are named together."""
    worst, group = max(((r, g) for r in results for g in _large(r)),
                       key=lambda found: (_is_told(found[1]), abs(found[1].slope_change or 0.0)))
    reach = max(_reach(g) for r in results for g in _large(r))
    if reach < _HARDLY:
        return _hardly_moves(results, line, reach), Sentences(
            _who_hardly_moves(results), _errors(results))
    if _same_for_all(results, group):
        return _every_method(results, worst, group, line)
    same = [r for r in results if r.mechanism.does is worst.mechanism.does
            and _descriptions(r) == _descriptions(worst)]
    ordered = [group, *(g for g in _large(worst) if g is not group)]
    headline = _on_average(same, f"After {spoken(same)}, {line} {_said_of(ordered)}")
    slopes = [
        f"{_sized(g)} {_slopes([one for r in same for one in r.groups if one.name == g.name])}"
        for g in ordered
    ]
    others = [
        f"{_signed_percent(g)} after {r.mechanism.spoken()}"
        for r in results if r not in same for g in _large(r) if g.name == group.name
    ]
    return f"{headline}{_conventions(same)}.", Sentences(
        f"In numbers, for {'; for '.join(slopes)}.",
        f"For {group.name} its slope changes by {listed(others)}." if others else "",
        _errors(results))


def _said_of(groups: Sequence[GroupResult]) -> str:
    """`is 18% flatter for Black men; for White men it hardly changes`: the first two groups."""
    first, *others = groups
    said = f"{_described(first)} for {first.name}"
    return said + "".join(f"; for {g.name} it {_described(g)}" for g in others[:1])


def _same_for_all(results: Sequence[MethodResult], group: GroupResult) -> bool:
    """Does every one of several methods turn the line of this group most, and in this direction,
    beyond chance? Then it is not one method's doing."""
    for result in results:
        mine = [g for g in _large(result) if g.name == group.name]
        if not mine:
            return False
        change, error = mine[0].slope_change or 0.0, mine[0].slope_change_se
        alike = change * (group.slope_change or 0.0) > 0 and change > -1
        if not alike or abs(change) < _HARDLY or not differ(change, error, 0.0, 0.0):
            return False
        if not all(
            abs(change) > abs(g.slope_change or 0.0) + _NOTHING
            and differ(abs(change), error, abs(g.slope_change or 0.0), g.slope_change_se)
            for g in _large(result) if g.name != group.name
        ):
            return False
    return len(results) > 1


def _every_method(
    results: Sequence[MethodResult], worst: MethodResult, group: GroupResult, line: str
) -> tuple[str, Sentences]:
    """All methods first, then what each does."""
    turned = "flatter" if (group.slope_change or 0.0) < 0 else "steeper"
    found = sorted(((r, g) for r in results for g in r.groups if g.name == group.name),
                   key=lambda one: abs(one[1].slope_change or 0.0))
    sizes: dict[str, list[MethodResult]] = {}
    for result, one in found:
        size = _signed_percent(one)[1:]  # turned says which way
        sizes.setdefault(size, []).append(result)
    named = [f"{size} after {spoken(some)}" for size, some in sizes.items()]
    ends = [next(iter(sizes)), list(sizes)[-1]]
    span = f"by {ends[0]}" if ends[0] == ends[1] else f"by {ends[0]} to {ends[1]}"
    others = [g for g in _large(worst) if g.name != group.name]
    less = _less(results, group, [g.name for g in others])
    return (
        f"{_on_average(results, f'Every method here makes {line} {turned} for {group.name}, ')}"
        f"{span}{less}{_conventions(results)}.",
        Sentences(
            f"For {_sized(group)}: {listed(named)}.",
            f"For {'; for '.join(_among(results, g) for g in others)}." if others else "",
            _errors(results)),
    )


def _less(results: Sequence[MethodResult], group: GroupResult, others: Sequence[str]) -> str:
    """`, less for women`; a line that turns the other way is not one that turns less."""
    turned = group.slope_change or 0.0
    against = {
        g.name for r in results for g in _large(r)
        if (g.slope_change or 0.0) * turned < 0 and abs(g.slope_change or 0.0) >= _HARDLY
    }
    said = {"less": [name for name in others if name not in against],
            "less or the other way": [name for name in others if name in against]}
    return "".join(f", {how} for {listed(names)}" for how, names in said.items() if names)


def _cancels(result: MethodResult) -> bool:
    """Are single releases further off than their average?"""
    return any(
        g.among_people > float(np.abs(g.released - g.truth)[g.truth > 0].sum()) + SAME
        for g in result.groups
    )


def _on_average(named: Sequence[MethodResult], sentence: str) -> str:
    """The line is that of the average release, which is said unless every release is the same."""
    if not any(r.varies for r in named):
        return sentence
    return f"On average, {sentence[0].lower()}{sentence[1:]}"


def _conventions(named: Sequence[MethodResult]) -> str:
    """Methods that are compared and do not treat empty cells alike: said in the same sentence; who
    does what follows in the next ones."""
    sums = [(sum(g.invented for g in r.groups), r.mechanism.knows_mean) for r in named]
    fill = any(number >= 0.5 for number, _ in sums)
    leave = any(number <= SAME and known for number, known in sums)
    return "; some of them fill empty cells" * (fill and leave)


def _among(results: Sequence[MethodResult], group: GroupResult) -> str:
    """`White men (6,463 people; −2.5% to −0.7%)`: what all methods do to another group."""
    found = sorted((g for r in results for g in r.groups if g.name == group.name),
                   key=lambda g: g.slope_change or 0.0)
    ends = dict.fromkeys(_signed_percent(g) for g in (found[0], found[-1]))
    return f"{_sized(group).removesuffix(')')}; {' to '.join(ends)})"


def _hardly_moves(results: Sequence[MethodResult], line: str, reach: float) -> str:
    """No method changes any large group's line by much."""
    groups = dict.fromkeys(g.name for r in results for g in _large(r))
    moves = f"at most {_percent(reach)} on average" if reach >= _NOTHING else "not at all"
    whose, after = listed(list(groups), most=2), _counted_methods(results)
    return f"{line[0].upper()}{line[1:]} hardly changes: {moves} after {after}, for {whose}."


def _counted_methods(results: Sequence[MethodResult]) -> str:
    """One by name, several by their number: their names follow."""
    methods = dict.fromkeys(r.mechanism.spoken() for r in results if _large(r))
    return next(iter(methods)) if len(methods) == 1 else "every method here"


def _who_hardly_moves(results: Sequence[MethodResult]) -> str:
    groups = dict.fromkeys(_sized(g) for r in results for g in _large(r))
    methods = spoken([r for r in results if _large(r)])
    return f"So it is after {methods}, for {listed(list(groups))}."


def _release_sentences(results: Sequence[MethodResult], line: str) -> tuple[str, Sentences]:
    """One draw, described and not compared."""
    first = next(r for r in results if _large(r))
    once = (
        "This is a single draw of each method. Where a method leaves something to chance, its next "
        "release looks different, so methods and groups are not ranked here: “On average” does "
        "that."
    )
    slopes = [f"{_sized(g)} {_slopes([g])}" for g in _large(first)]
    return (
        f"In this one release of {first.mechanism.spoken()}, {line} {_said_of(_large(first))}.",
        Sentences(once, f"In numbers, for {'; for '.join(slopes)}.", invented_sentence(results)))


def _errors(results: Sequence[MethodResult]) -> str:
    return " ".join(filter(None, (rate_sentence(results), invented_sentence(results))))


def _sized(group: GroupResult) -> str:
    return sized(group.name, group.people, group.weighted)


def _reach(group: GroupResult) -> float:
    """How far the slope's change may go: two standard errors further than it seems."""
    return abs(group.slope_change or 0.0) + STANDARD_ERRORS * group.slope_change_se


def _is_told(group: GroupResult) -> bool:
    """Does its line change by more than chance may explain?"""
    return differ(group.slope_change or 0.0, group.slope_change_se, 0.0, 0.0)


def _descriptions(result: MethodResult) -> dict[str, str]:
    return {g.name: _described(g) for g in _large(result)}


def _described(group: GroupResult) -> str:
    """`is 18% flatter`."""
    change, error = group.slope_change or 0.0, group.slope_change_se
    if _reach(group) < _HARDLY:
        return "hardly changes"
    if not _is_told(group):
        return "changes by no more than chance may explain"
    if change < -1.005 and differ(change, error, -1.0, 0.0):  # else it would be 100% flatter
        return "points the other way"
    return f"is {_percent(abs(change))} {'flatter' if change < 0 else 'steeper'}"


def _slopes(groups: Sequence[GroupResult]) -> str:
    """`slope 0.31 instead of 0.62`, of one group after one or several methods."""
    after = dict.fromkeys(
        f"{slope_text(g.released_line.slope)}{_give_or_take(g.slope_se)}"
        for g in groups if g.released_line is not None)
    assert groups[0].true_line is not None
    return f"slope {' or '.join(after)} instead of {slope_text(groups[0].true_line.slope)}"


def _give_or_take(error: float, factor: float = 1.0) -> str:
    """One standard error, where a number is simulated."""
    if not 0 < error < math.inf:
        return ""
    number = factor * error
    return f" ± {tenths(number) if number >= 0.95 else sensible(number)}"


def _signed_percent(group: GroupResult) -> str:
    change = group.slope_change or 0.0
    if abs(change) < _NOTHING:
        return "0%"
    sign = "+" if change > 0 else "−"
    return f"{sign}{_percent(abs(change))}{_give_or_take(group.slope_change_se, 100)}"


def disparity_sentence(results: Sequence[MethodResult], on_average: bool = True) -> str:
    """Under the bars: the gap of every method, in their order: a list, not a ranking."""
    parts = [
        f"{points(r.slope_gap)}{_give_or_take(r.slope_gap_se, 100)} after {r.mechanism.spoken()}"
        for r in results if r.slope_gap is not None
    ]
    if not parts:
        return ""
    start = "Gap" if on_average else "In this one release, the gap"
    return f"{start} between the groups, how far apart their changes of slope are: {listed(parts)}."


def papers_sentence(results: Sequence[MethodResult]) -> str:
    """Das et al. (2024, §7) say two things about their Figure 3, the size of the errors and how
    differently they hit the groups; who comes out least here, by the same two?

    Only for the paper's own methods and conventions, whose averages are all known by formula.
    """
    parts = [f"in cells that have people, {_findings(results, lambda g: g.among_people)}"]
    in_all = _findings(results, lambda g: g.misplaced)
    parts.append(f"with people put into empty cells, {in_all}")
    return (
        "Das et al. (2024, Figure 3) find the smallest errors, and those that differ least between "
        f"the groups, under Laplace. Here, by the error for every 1,000 people: {'; '.join(parts)}."
    )


def _findings(results: Sequence[MethodResult], error: Callable[[GroupResult], float]) -> str:
    people = sum(g.people for g in results[0].groups)
    rates = {r: [g.of_thousand(error(g)) or 0.0 for g in r.groups] for r in results}
    least = _least([(r, 1000 * sum(map(error, r.groups)) / people) for r in results])
    alike = _least([(r, max(some) - min(some)) for r, some in rates.items()])
    return (
        f"errors are smallest under {listed(least.names)} ({sensible(least.size)}) and differ "
        f"least under {listed(alike.names)} (by {sensible(alike.size)})"
    )


class _Least(NamedTuple):
    names: list[str]
    size: float


def _least(sizes: Sequence[tuple[MethodResult, float]]) -> _Least:
    """The methods with the smallest number: all whose numbers a reader could not tell apart."""
    size = min(number for _, number in sizes)
    names = [r.mechanism.spoken() for r, number in sizes if number <= size + SAME]
    return _Least(list(dict.fromkeys(names)), size)


def heat_sentence(
    results: Sequence[MethodResult], on_average: bool, x: Feature, y: Feature
) -> str:
    """Before the heat maps: what a cell shows, and how far cells that have people are off."""
    what = "the average release" if on_average else "one release"
    simulated = [r for r in results if not r.mechanism.knows_mean]
    unsure = f"Averages of {spoken(simulated)} are simulated." if simulated and on_average else ""
    return " ".join(filter(None, (
        f"Each cell is {what} minus the truth, in {people_word(_is_weighted(results))}.",
        _largest_error(results, on_average, x, y),
        CANCELS if on_average and any(_cancels(r) for r in results) else "",
        unsure,
    )))


def _largest_error(
    results: Sequence[MethodResult], on_average: bool, x: Feature, y: Feature
) -> str:
    known = [r for r in results if r.mechanism.knows_mean]
    ranked = on_average and bool(known)  # else it would be another one's in the next draw
    errors = [(r, g, np.where(g.truth > 0, g.released - g.truth, 0.0))
              for r in (known if ranked else results) for g in r.groups]
    largest = max(float(np.abs(e).max(initial=0.0)) for _, _, e in errors)
    if not ranked:
        most = people_text(tenths(largest), _is_weighted(results))
        return f"Here no cell that has people is off by more than {most}."
    if largest < 0.05:
        under = "" if len(known) == len(results) else f" after {spoken(known)}"
        return (
            f"On average no cell that has people is off by as much as a tenth of a person{under}.")
    # numbers that are written alike count as equal
    cells = [(r, g, e, place) for r, g, e in errors for place in np.argwhere(
        np.abs(e) > largest - SAME)]
    result, group, error, (row, column) = cells[0]
    few = "too few" if error[row, column] < 0 else "too many"
    more = len(cells) - 1
    also = "" if not more else (
        "; one other cell is as far off" if more == 1 else f"; {more:,} other cells are as far off")
    of = "" if len(known) == len(results) else f", of {spoken(known)}"
    return (
        f"The largest average error in a cell that has people{of}: {result.mechanism.spoken()} "
        f"shows {people_text(tenths(largest), group.weighted)} {few} among {group.name} with "
        f"{_numbered(y)[row]}, "
        f"{_numbered(x)[column]} (truly {group.truth[row, column]:,.0f}){also}."
    )


def _numbered(feature: Feature) -> list[str]:
    """The values that are numbers, in the data's order, as in a two-way table."""
    return [said for said, number in zip(spoken_values(feature), code_numbers(feature), strict=True)
            if np.isfinite(number)]


def spoken_values(feature: Feature) -> list[str]:
    """The values in words: their labels, and where those are bare numbers, of what (`school 3`)."""
    return [f"{lowered(feature.title)} {label}" if _is_bare(label) else label
            for label in feature.labels]


def _is_bare(label: str) -> bool:
    return label.removeprefix("-").replace(".", "", 1).isdigit()


def slope_text(slope: float) -> str:
    """Two digits; what rounds to nothing has no sign."""
    text = f"{slope:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def _percent(share: float) -> str:
    """Whole per cents, and tenths where a whole one would be a large part of it."""
    return percent(round(share, 2 if share >= 0.095 else 3))

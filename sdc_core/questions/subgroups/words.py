"""What a release does to groups of people and to the line within each, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sdc_core.histogram import Feature
from sdc_core.mechanisms.base import Doing
from sdc_core.metrics.subgroups import GroupResult, MethodResult, code_numbers
from sdc_core.words.groups import sized
from sdc_core.words.numbers import listed, lowered, percent, points, sensible

ENOUGH_FOR_A_HEADLINE = 100  # people in a group
FEW_FOR_A_LINE = 30  # people: a line through fewer says little
_INCOME, _EDUCATION = "PINCP_DECILE", "EDU"
_HARDLY = 0.05  # a line whose slope changes by less than this share hardly changes
_SAME = 0.005  # errors per 1,000 people (or ratios) that differ by less are the same


def subgroup_sentences(
    results: Sequence[MethodResult], y: Feature, x: Feature
) -> tuple[str, str]:
    """The answer: whose line changes most under which method, and whose least. Groups too
    small for a headline are left to the charts and the notes."""
    known = [(abs(g.slope_change), r, g) for r in results for g in r.groups
             if g.slope_change is not None]
    if not known:
        return "There is no line to compare: choose groups of people and a method.", ""
    changes = [found for found in known if found[2].people >= ENOUGH_FOR_A_HEADLINE]
    if not changes:
        return (
            f"None of these groups has {ENOUGH_FOR_A_HEADLINE} people, too few to say whose line a "
            "release changes; choose larger groups.", "")
    _, worst, group = max(changes, key=lambda found: found[0])
    label = worst.mechanism.label()
    headline = _pays(label, group) if (y.name, x.name) == (_INCOME, _EDUCATION) else ""
    if not headline:
        what = f"line of {lowered(y.title)} on {lowered(x.title)}"
        headline = f"After {label}, the {what} of {_sized(group)} {_changed(group)}"
    others = [g for g in worst.groups if g is not group and g.slope_change is not None
              and g.people >= ENOUGH_FOR_A_HEADLINE]
    if others:
        least = min(others, key=lambda g: abs(g.slope_change or 0.0))
        headline += f"; for {_sized(least)} the line {_changed(least)}"
    return f"{headline}.", _gentlest(results, worst)


def _pays(label: str, group: GroupResult) -> str:
    """The slope of income tenth on education in everyday words, where they fit: nothing if the
    line hardly changes, points the other way or pointed downwards from the start."""
    change = group.slope_change or 0.0
    assert group.true_line is not None
    if group.true_line.slope <= 0 or abs(change) < _HARDLY or change < -1.005:
        return ""
    word = "less" if change < 0 else "more"
    return (
        f"After {label}, education seems to pay {_percent(abs(change))} {word} for {_sized(group)} "
        f"than it truly does (slope {_both_slopes(group)})"
    )


def _sized(group: GroupResult) -> str:
    return sized(group.name, group.people)


def tenths(number: float) -> str:
    """No more digits than tenths, in sentences and on bars alike: rounded once, from the number
    itself."""
    return sensible(number if abs(number) >= 99.95 else round(number, 1))


def _gentlest(results: Sequence[MethodResult], worst: MethodResult) -> str:
    """The method that treats the groups most alike, and the errors per 1,000 people."""
    ranked = sorted((r for r in results if r.slope_gap is not None),
                    key=lambda r: r.slope_gap or 0.0)
    said = ""
    if ranked and ranked[0] is not worst:
        best = ranked[0]
        leaves = "leaves them as they are"
        change = max(abs(g.slope_change or 0.0) for g in best.groups)
        said = (
            f"{best.mechanism.label()} treats the lines of these groups most alike: it "
            f"{f'changes no slope by more than {_percent(change)}' if change >= 0.0005 else leaves}"
            ". "
        )
    return f"{said}{rate_sentence(worst)}"


def rate_sentence(result: MethodResult) -> str:
    """The disparity in counts: people misplaced for every 1,000, in each group, least first, so
    that the last is so many times the first."""
    known = sorted((g for g in result.groups if g.per_thousand is not None),
                   key=lambda g: g.per_thousand or 0.0)
    if not known:
        return ""
    rates = [f"{tenths(g.per_thousand or 0.0)} among {g.name}" for g in known]
    sentence = (
        f"For every 1,000 people, {result.mechanism.label()} puts counts off by {listed(rates)}"
    )
    ratio = result.error_ratio
    if ratio is None or ratio <= 1.1:
        return f"{sentence}."
    than = "" if len(known) == 2 else f" as among {known[0].name}"
    return f"{sentence}, {sensible(ratio)} times as many{than}."


def disparity_sentence(results: Sequence[MethodResult]) -> str:
    """Under the bars: the gap of every method, widest first."""
    known = sorted((r for r in results if r.slope_gap is not None),
                   key=lambda r: -(r.slope_gap or 0.0))
    if not known:
        return ""
    parts = [f"{r.mechanism.label()} {points(r.slope_gap or 0.0)}" for r in known]
    return f"Gap between the groups in how far the slope changes: {listed(parts)}."


def papers_sentence(results: Sequence[MethodResult]) -> str:
    """Das et al. (2024, §7) say two things about their Figure 3, the size of the errors and how
    differently they hit the groups; who comes out least here, by the same two?

    Only where a method of pure noise (such as the paper's Laplace) stands beside one that does
    something else.
    """
    known = [r for r in results if any(g.per_thousand is not None for g in r.groups)]
    noise = [r for r in known if r.mechanism.does is Doing.NOISE]
    if not noise or len(noise) == len(known):
        return ""
    least = _least([(r, 1000 * _total_rate(r)) for r in known])
    ours = min(noise, key=_total_rate)
    against = "" if ours.mechanism.label() in least.names else (
        f", against {_rates(ours)} under {ours.mechanism.label()}")
    alike = _least([(r, gap) for r in known if (gap := r.error_gap) is not None])
    both = ", and those that differ least between the groups," if alike.names else ""
    said = (
        f"Das et al. (2024, Figure 3) find the smallest errors{both} under Laplace. Here the "
        f"errors are smallest under {listed(least.names)} ({sensible(least.size)} for every 1,000 "
        f"people{against})"
    )
    if not alike.names:
        return f"{said}."
    said += (
        f"; the groups' errors differ least under {listed(alike.names)} "
        f"(by {sensible(alike.size)} for every 1,000 people)"
    )
    ratios = [(r, ratio) for r in known if (ratio := r.error_ratio) is not None]
    closest = _least(ratios)
    if len(ratios) < len(known) or set(closest.names) & set(alike.names):
        return f"{said}."
    return f"{said}, and by ratio under {listed(closest.names)} ({sensible(closest.size)} times)."


class _Least(NamedTuple):
    names: list[str]
    size: float


def _least(sizes: Sequence[tuple[MethodResult, float]]) -> _Least:
    """The methods with the smallest number: all whose numbers a reader could not tell apart."""
    size = min((number for _, number in sizes), default=math.nan)
    names = [r.mechanism.label() for r, number in sizes if number <= size + _SAME]
    return _Least(list(dict.fromkeys(names)), size)


def heat_sentence(
    results: Sequence[MethodResult], on_average: bool, x: Feature, y: Feature
) -> str:
    """Before the heat maps: what a cell shows, and where the largest error of all stands."""
    what = "the average release" if on_average else "one release"
    start = f"Each cell is {what} minus the truth, in people."
    found = [(abs(error := g.released - g.truth).max(initial=0.0), r, g, error)
             for r in results for g in r.groups]
    largest, result, group, error = max(found, key=lambda one: one[0])
    if largest < 0.05:
        return f"{start} No cell is off by a person or more."
    row, column = np.unravel_index(int(np.abs(error).argmax()), error.shape)
    rows, columns = _numbered(y), _numbered(x)
    few = "too few" if error[row, column] < 0 else "too many"
    simulated = [r.mechanism.label() for r in results if not r.mechanism.knows_mean]
    unsure = f" Averages of {listed(simulated)} are simulated." if simulated and on_average else ""
    return (
        f"{start} The largest error: {result.mechanism.label()} shows "
        f"{tenths(float(largest))} {few} among {group.name} with {rows[row]}, "
        f"{columns[column]} (truly {group.truth[row, column]:,.0f}).{unsure}"
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


def group_notes(results: Sequence[MethodResult]) -> list[str]:
    """What cannot be said: groups that are empty, tiny, or gone after a release."""
    notes: list[str] = []
    if not results:
        return notes
    for group in results[0].groups:
        if group.people == 0:
            notes.append(
                f"There are no {group.name} with both values in this data: there is no true line, "
                "and whoever a release shows is not real."
            )
        elif group.true_line is None:
            notes.append(
                f"All {group.people:,} {group.name} stand at the same place along the axis, so no "
                "line can be drawn through them."
            )
        elif group.people < FEW_FOR_A_LINE:
            notes.append(
                f"Only {group.people} {group.name} are in this data: a line through so few says "
                "little."
            )
    for result in results:
        gone = [g.name for g in result.groups if not g.released.sum() > 0 and g.people]
        if gone:
            notes.append(
                f"After {result.mechanism.label()} nobody is left among {listed(gone)}, so there "
                "is no released line."
            )
    return notes


def _changed(group: GroupResult) -> str:
    """`is half as steep as in truth (0.31 instead of 0.62)`."""
    change = group.slope_change or 0.0
    slopes = f"({_both_slopes(group)})"
    if abs(change) < _HARDLY:
        return f"hardly changes {slopes}"
    if change < -1.005:  # else it would be written as 100% less steep
        return f"points the other way {slopes}"
    word = "less steep" if change < 0 else "steeper"
    return f"is {_percent(abs(change))} {word} than in truth {slopes}"


def _both_slopes(group: GroupResult) -> str:
    assert group.true_line is not None and group.released_line is not None
    return (f"{slope_text(group.released_line.slope)} instead of "
            f"{slope_text(group.true_line.slope)}")


def slope_text(slope: float) -> str:
    """Two digits; what rounds to nothing has no sign."""
    text = f"{slope:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def _total_rate(result: MethodResult) -> float:
    return sum(g.misplaced for g in result.groups) / max(1, sum(g.people for g in result.groups))


def _rates(result: MethodResult) -> str:
    return sensible(1000 * _total_rate(result))


def _percent(share: float) -> str:
    """Whole per cents, and tenths where a whole one would be a large part of it."""
    return percent(round(share, 2 if share >= 0.095 else 3))


def axes_missing(ordered: Sequence[str], unordered: Sequence[str]) -> tuple[str, str]:
    """In place of an answer: what this data lacks for a line, and what can be done about it."""
    need = "This page needs two features whose values are numbers or have an order"
    here = f"{ordered[0]} is one, one more is needed" if ordered else "this data has none"
    if len(ordered) + len(unordered) < 2:
        return f"{need}: {here}.", (
            "Use another file, or correct above how its columns are read (a column of numbers has "
            "an order).")
    count = "one" if ordered else "two"
    return f"{need}: {here}.", (
        f"Categories that can be ranked, such as schools from low to high, will do: choose {count} "
        f"below under “Categories to put in order” (there are {listed(unordered, most=5)})."
        if len(unordered) > 1 else
        f"If the values of {unordered[0]} can be ranked, choose it below under “Categories to put "
        "in order”.")


def order_sentence(orders: Mapping[str, Sequence[str]], as_listed: Sequence[str]) -> str:
    """Which order is used where the data has none, and that a step is a step."""
    parts = [f"{title}: {' < '.join(order) or 'nothing chosen'}" for title, order in orders.items()]
    said = f"In order, one step between neighbours: {'; '.join(parts)}."
    if not as_listed:
        return said
    return (
        f"{said} This is merely how the data lists {listed(as_listed)}: give the true order above, "
        "or slopes mean nothing."
    )

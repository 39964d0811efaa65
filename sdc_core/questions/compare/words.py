"""How far off are the counts, who is moved, and what is promised?"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_in_visit
from sdc_core.mechanisms.work import Level, Work
from sdc_core.metrics.error import GroupSize, by_group_size
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.compare.empty_words import invented_sentence
from sdc_core.words.chance import differ, none_in, times
from sdc_core.words.conventions import share_aside
from sdc_core.words.evaluations import OF_MANY, mean_is_exact, or_none_seen, with_error
from sdc_core.words.groups import people_text, people_word
from sdc_core.words.guarantees import (
    IN_NAME_ONLY,
    because_sentence,
    no_limit,
    true_delta_text,
)
from sdc_core.words.numbers import Sentences, at_the_start, counted, listed, odds_factor, sensible

_TWO_LINES = 184  # characters of a headline, about
_NOBODY = 1e-3  # an error in people that nobody can see, added up over all groups


def compare_sentences(
    table: Histogram, evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]
) -> tuple[str, Sentences]:
    """The answer of the Compare page: how far off counts of people are; then for small groups, on
    average, in empty groups; and what is promised.

    The headline is about groups that have people: what a method does to empty ones is a convention,
    and is said by itself.
    """
    if not evaluations:
        return "Choose a method to see what it does to the counts.", Sentences()
    named = {e.mechanism: (e, g) for e, g in zip(evaluations, guarantees, strict=True)}
    evaluations = [e for e, _ in named.values()]  # a method on two cards is named once
    guarantees = [g for _, g in named.values()]
    best, worst = _contrast(evaluations)
    promised = dict(zip((id(e) for e in evaluations), guarantees, strict=True))
    protection = _protection(evaluations, guarantees)
    more = [
        at_the_start(because_sentence(_name(best), best.mechanism.does, promised[id(best)],
                               promised[id(worst)])),
        at_the_start(protection),
        invented_sentence(table, evaluations),
        _small_group_sentence(table, best, worst),
        _averaged_sentence(table, best, worst),
        *(_also_sentence(one, evaluations) for one in dict.fromkeys((best, worst))),
    ]
    headline = _headline(table, best, worst)
    if len(headline) > _TWO_LINES:  # what is left out stands beside the charts
        headline = re.sub(r" ± (?:\d|[.,](?=\d))+", "", headline)
    if len(headline) > _TWO_LINES:  # shorter, and still of the average count
        headline = re.sub(r"puts a count off by (.+?) on average", r"is off by \1 a count",
                          headline)
    return at_the_start(headline), Sentences(*more)


def _name(evaluation: Evaluation) -> str:
    """The subject of a sentence: `hiding small counts (k = 6)`."""
    return evaluation.mechanism.spoken()


def _contrast(evaluations: Sequence[Evaluation]) -> tuple[Evaluation, Evaluation]:
    """The two to set against each other: the best of each world if both are on screen (a DP
    mechanism and a traditional one, or its DP version), else the best and the worst."""
    ranked = sorted(evaluations, key=lambda e: e.people_error)
    for other in ("sdc", "dp-sdc"):
        first = [next((e for e in ranked if e.mechanism.family == f), None) for f in ("dp", other)]
        if first[0] is not None and first[1] is not None:
            pair = sorted([first[0], first[1]], key=lambda e: e.people_error)
            return pair[0], pair[1]
    return ranked[0], ranked[-1]


def _headline(table: Histogram, best: Evaluation, worst: Evaluation) -> str:
    """`hiding small counts (k = 6) puts a count off by 0.73 on average, adding noise (ε = 1) by
    1.76`: by how much in all is told beside its chart."""
    groups = max(1, int((table.counts > 0).sum()))
    where = "in groups that have people, " if groups < len(table) else ""
    first, second = (
        f"{_name(e)}{share_aside(e.mechanism.share_of_records(table))}" for e in (best, worst))
    if worst is best:
        return f"{where}{first} {_off(best, groups)}."
    said = f"{where}{first} {_off(best, groups)}, {second} "
    if worst.people_error < _NOBODY:
        drawn = [e.repetitions for e in (best, worst) if e.method == "simulated"]
        if len(drawn) == 1:  # of the one it is known, of the other it was not seen
            return f"{said}{_off(worst, groups)}."
        puts = f"put a count off {none_in(min(drawn))}" if drawn else (
            f"puts a count off{' noticeably' if worst.people_error else ''}")
        return f"{where}neither {first} nor {second} {puts}."
    if best.people_error < _NOBODY:
        return f"{said}{_off(worst, groups)}."
    each = _each(worst, groups)
    if not differ(worst.people_error, worst.people_error_se, best.people_error,
                  best.people_error_se):
        if worst.people_error_se or best.people_error_se:
            return f"{said}by {each}: too few releases to tell."
        return f"{said}by as much."
    return f"{said}by {'about as much' if each == _each(best, groups) else each}."


def _off(evaluation: Evaluation, groups: int) -> str:
    """`puts a count off by 0.73 on average`. Not `leaves it as it is` where nothing is off: what is
    hidden may be put back by what it was."""
    if evaluation.people_error == 0:
        if evaluation.method == "simulated":
            return f"put no count off {none_in(evaluation.repetitions)}"
        return "puts no count off"
    if evaluation.people_error < _NOBODY:
        return "puts no count off noticeably"
    unit = " people represented" if evaluation.weighted else ""
    return f"puts a count off by {_each(evaluation, groups)}{unit} on average"


def _each(evaluation: Evaluation, groups: int) -> str:
    return with_error(evaluation.people_error / groups, evaluation.people_error_se / groups)


def totals_sentence(evaluations: Sequence[Evaluation]) -> str:
    """What that adds up to, and how many times as much: `Over all groups that have people, hiding
    small counts (k = 6) is off by 164 people and adding noise (ε = 1) by 393, 2.4 times as
    much.`"""
    best, worst = _contrast(evaluations)
    lead = f"Over all groups that have people, {_name(best)} is off by"
    if best is worst:
        return f"{lead} {_total_people(best)}."
    ratio = ""
    if best.people_error >= _NOBODY:
        ratio = times(
            worst.people_error, worst.people_error_se, best.people_error, best.people_error_se)
    as_much = f", {ratio} times as much" if ratio else ""
    return f"{lead} {_total_people(best)} and {_name(worst)} by {_total(worst)}{as_much}."


def _total_people(evaluation: Evaluation) -> str:
    """`164 people`, `0 people in 200 releases`, `next to nothing`."""
    number, among, releases = _total(evaluation).partition(" in ")
    if not number[0].isdigit():
        return number
    return f"{people_text(number, evaluation.weighted)}{among}{releases}"


def _small_group_sentence(table: Histogram, best: Evaluation, worst: Evaluation) -> str:
    """Who is hit: people in groups of 1 to 5, the ones that disclosure control is about."""
    counts, people = table.counts, table.people
    small = (counts >= 1) & (counts <= 5)
    if not small.any() or best is worst:
        return ""

    def mean_error(bias: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(error[small].mean())

    share = float(people[small].sum() / people.sum())
    parts = [
        f"{_name(e)} is off by "
        + _readable(e, float(e.absolute_error[small].mean()), float(e.error_of(mean_error)))
        for e in (best, worst)
    ]
    several = int(small.sum()) > 1
    groups = f"{int(small.sum()):,} groups" if several else "one group"
    of_all = f"{sensible(100 * share)}% of all {people_word(table.weighted)}"
    return (
        f"For the {groups} of 1 to 5 {'records' if table.weighted else 'people'} ({of_all}), "
        f"{parts[0]} and {parts[1]}{' a group' * several}."
    )


def _averaged_sentence(table: Histogram, best: Evaluation, worst: Evaluation) -> str:
    """What stays when many releases are averaged, where that is known and less than before: an
    order of methods by the one need not be their order by the other."""
    pair = list(dict.fromkeys((best, worst)))
    cancels = any(e.people_bias < 0.9 * e.people_error for e in pair)
    if not cancels or not all(mean_is_exact(e) for e in pair):
        return ""
    left = [
        f"{people_text(e.people_bias, best.weighted)} in all" if e.people_bias >= _NOBODY
        else "nothing"
        for e in pair
    ]
    rest = "".join(
        f", {_name(e)} by {much}" for e, much in zip(pair[1:], left[1:], strict=True))
    again = ", again without empty groups" if (table.counts == 0).any() else ""
    return f"Averaged over many releases{again}, {_name(pair[0])} would be off by {left[0]}{rest}."


def _also_sentence(shown: Evaluation, evaluations: Sequence[Evaluation]) -> str:
    """Other versions of a method in the headline: the cause is what they do, not their label."""
    others = [
        f"{_name(e)} {e.mechanism.does} as well, and is off by {_total(e)} in all"
        for e in evaluations
        if e.mechanism.does is shown.mechanism.does
        and e.mechanism.family != shown.mechanism.family
    ]
    return at_the_start(f"{'; '.join(others)}.") if others else ""


def _total(evaluation: Evaluation) -> str:
    """The error over all groups that have people."""
    return _readable(evaluation, evaluation.people_error, evaluation.people_error_se)


def _readable(evaluation: Evaluation, error: float, unsure: float) -> str:
    """An error with its own; what nobody can see is no number to read."""
    return "next to nothing" if 0 < error < _NOBODY else or_none_seen(evaluation, error, unsure)


def _protection(evaluations: Sequence[Evaluation], guarantees: Sequence[Guarantee]) -> str:
    """One sentence on who promises what; the rest is on the cards."""
    named = [(_name(e), g) for e, g in zip(evaluations, guarantees, strict=True)]
    kept = [(name, g) for name, g in named if not no_limit(g)]
    everyone = [name for name, g in kept if g.reliable]
    seen = [name for name, g in kept if g.reliable_in_part and g.only_read_off]
    partly = [name for name, g in kept if g.reliable_in_part and not g.only_read_off]
    wide = [f"{name} ({_width(g)})" for name, g in named
            if no_limit(g) and (g.reliable or g.reliable_in_part)]
    shaky = [
        f"{name} (δ {true_delta_text(g)})" if g.is_bound else f"{name} (δ = {true_delta_text(g)})"
        for name, g in named
        if not g.small_delta and g.delta_tight <= IN_NAME_ONLY and not g.if_none_larger
    ]
    rest = [name for name, g in named if not (g.reliable or g.reliable_in_part) and (
        g.small_delta or g.delta_tight > IN_NAME_ONLY or g.if_none_larger)]
    parts = []
    if everyone:
        verb = "keeps its" if len(everyone) == 1 else "keep their"
        parts.append(f"{listed(everyone)} {verb} privacy promise for everyone")
    if seen:
        verb = "keeps its" if len(seen) == 1 else "keep their"
        parts.append(f"{listed(seen)} {verb} privacy promise but for what is read off the data, "
                     "which one person alone can change")
    if wide:
        verb = "keeps a promise" if len(wide) == 1 else "keep promises"
        parts.append(f"{listed(wide)} {verb} so wide as to limit nothing in practice")
    if shaky:
        verb = "leaves" if len(shaky) == 1 else "leave"
        parts.append(f"{listed(shaky)} {verb} a slack of one over the number of people or "
                     "more, too much to rely on")
    if partly:
        verb = "promises" if len(partly) == 1 else "promise"
        parts.append(f"{listed(partly)} {verb} something only about what is not published exactly")
    if rest:
        verb = "makes" if len(rest) == 1 else "make"
        parts.append(f"{listed(rest)} {verb} no promise that holds for everyone")
    broken = [name for name, g in named if g.holds is False]
    failing = f" The published guarantee of {listed(broken)} is not true." if broken else ""
    return "; ".join(parts) + "." + failing


def _width(guarantee: Guarantee) -> str:
    """`a factor of 3 billion, and only about what is not published exactly`."""
    factor = odds_factor(guarantee.distance * (guarantee.epsilon or 0.0))
    in_part = guarantee.conditional and not guarantee.only_read_off
    return factor + ", and only about what is not published exactly" * in_part


class Diverse(Protocol):
    """What `diversity_sentence` needs to know about published groups."""

    distinct: int
    entropy: float
    closeness: float


def diversity_sentence(found: Diverse) -> str:
    """What groups still give away about a sensitive feature (ℓ-diversity and t-closeness)."""
    if found.distinct <= 1:
        first = (
            "In at least one group everybody has the same value of the sensitive feature, so being "
            "known to be in it gives the value away"
        )
    else:
        first = f"Every group has at least {found.distinct} values of the sensitive feature"
    return (
        f"{first} (ℓ-diversity: {found.distinct} distinct, {sensible(found.entropy)} by entropy). "
        f"In the group that stands out most, {sensible(100 * found.closeness)}% of people would "
        "have to change their value to look like the whole table (t-closeness, total variation)."
    )


def burden_sentence(table: Histogram, evaluations: Sequence[Evaluation]) -> str:
    """Which way are groups that have people moved, and of which size the most? Only what stands out
    from chance: the one size of several is picked for being extreme."""
    parts = []
    for evaluation in {e.mechanism: e for e in evaluations}.values():  # on two cards: named once
        label = _name(evaluation)
        sizes, errors = _sizes_moved(table, evaluation)
        found = [
            size for size, error in zip(sizes, errors, strict=True)
            if abs(size.mean_bias) >= 0.005 and abs(size.mean_bias) > OF_MANY * error
        ]
        if not found:
            chance = " noticeably" * any(abs(size.mean_bias) > 1e-9 for size in sizes)
            if not mean_is_exact(evaluation):
                chance = " beyond what chance does" if errors.any() else (
                    f" {none_in(evaluation.repetitions)}")
            parts.append(f"{label} moves no size of group up or down{chance}")
            continue
        most = max(found, key=lambda size: abs(size.mean_bias))
        moved = sensible(abs(most.mean_bias))
        several = most.groups > 1
        people = f"{people_text(moved, table.weighted)}{' a group' * several}"
        way = f"adds {people} to" if most.mean_bias > 0 else f"takes {people} from"
        sized = most.title if several else most.title.replace("groups", "one group", 1)
        part = f"{label} {way} the {sized}{' records' * table.weighted}"
        if sensible(most.mean_error) != moved:  # what goes up and what goes down cancels
            part += (f" (a release moves {'a single one' if several else 'it'} by "
                     f"{sensible(most.mean_error)} on average, up or down)")
        parts.append(part)
    return "On balance " + "; ".join(parts) + "." if parts else ""


@kept_in_visit  # one method is moved, the others stay as they are
def _sizes_moved(
    table: Histogram, evaluation: Evaluation
) -> tuple[list[GroupSize], NDArray[np.float64]]:
    """Sizes of groups that somebody is in, and how far their mean bias is off by chance."""
    return (_sizes_with_people(table, evaluation.bias, evaluation.absolute_error),
            evaluation.error_of(functools.partial(_mean_biases, table)))


def _sizes_with_people(
    table: Histogram, bias: NDArray[np.float64], error: NDArray[np.float64]
) -> list[GroupSize]:
    return [size for size in by_group_size(table.counts, bias, error) if size.people]


def _mean_biases(
    table: Histogram, bias: NDArray[np.float64], error: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.array([size.mean_bias for size in _sizes_with_people(table, bias, error)])


def chance_sentence(evaluations: Sequence[Evaluation]) -> str:
    """How far from zero marks of single groups may stand by chance alone."""
    reach = {
        _name(e): OF_MANY * float(e.error_of(lambda bias, _: bias).max())
        for e in evaluations
    }
    parts = [f"{label} ±{sensible(far)}" for label, far in reach.items() if far > 0]
    return f"What single groups may be moved by chance alone: {listed(parts)}." if parts else ""


def work_sentence(work: Work, seed: int) -> str:
    """How many measurements were impossible, how far off they were, and what was put right."""
    top = work.levels[0]
    number = sum(level.measured.size for level in work.levels)
    negative = sum(level.negative for level in work.levels)
    true, measured, released = (int(x.sum()) for x in (top.true, top.measured, top.released))
    parts = [
        f"{negative:,} of {number:,} measured counts were negative in the release of seed {seed}; "
        "none is after post-processing."
        if negative else f"None of {number:,} measured counts was negative in the release of seed "
        f"{seed}.",
        *map(_level_sentence, work.levels),
        f"There {'is' if true == 1 else 'are'} {counted(true)}; the measured counts for "
        f"{top.words} add up to {measured:,}, the released ones to {released:,}.",
    ]
    if work.exact:
        parts.append(f"Taken from the data without noise: {'; '.join(work.exact)}.")
    else:
        parts.append("Nothing was taken from the data without noise.")
    return " ".join(parts)


def _level_sentence(level: Level) -> str:
    before, after = level.off_by(level.measured), level.off_by(level.released)
    return (
        f"Counts for {level.words} were off by {sensible(before)} on average as measured and by "
        f"{sensible(after)} as released."
    )

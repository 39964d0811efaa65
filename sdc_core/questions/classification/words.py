"""How well models trained on releases predict, and for whom, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Doing
from sdc_core.metrics.classification import (
    PEOPLE_FOR_A_RATE,
    GroupErrors,
    GroupShift,
    Scores,
    Trained,
    TruthAndGuessing,
    mean_of,
    paired,
)
from sdc_core.metrics.error import PEOPLE_FOR_A_HEADLINE
from sdc_core.metrics.sparsity import leaves_empty
from sdc_core.parameters import Real
from sdc_core.questions.classification import ranking
from sdc_core.questions.classification.ranking import NOTHING
from sdc_core.words.chance import STANDARD_ERRORS, at_most, differ
from sdc_core.words.conventions import empty_groups_clause
from sdc_core.words.evaluations import OF_MANY
from sdc_core.words.groups import group_name, sized
from sdc_core.words.numbers import Sentences, listed, percent, points

MOST_GROUPS = 14  # that are drawn
MOST_IN_A_HEADLINE = 2  # groups
MOST_HURT = 4  # groups of one method in a caption
_MUCH = 0.02  # of flattery that cannot be excluded: too much to call it none
NOTHING_TO_PREDICT = (
    "This page predicts a feature that has exactly two values from others, and this data has no "
    "such pair: use another file, or correct above how its columns are read."
)
NOTHING_WORTH = (
    "Choose what to predict: nothing in this data is marked as sensitive, and of what has two "
    "values nearly everybody has the same."
)
NO_METHOD = "Choose a method to see what a model learns from its release."


def tenths(share: float) -> str:
    """`72.6%`; what is not quite all is not written as all, nor what is not quite nothing."""
    share = round(share, 12)  # halves are rounded alike, whether they are means or not
    text = percent(share, 1)
    if (text == "100.0%" and share < 1) or (text == "0.0%" and share > 0):
        return f"nearly {text.replace('.0', '')}"
    return text


def prediction_sentences(
    trained: Sequence[Trained], against: TruthAndGuessing,
    shifts: Sequence[Sequence[GroupShift]], empty: int = 0,
) -> tuple[str, str]:
    """The page's answer: the first method against truth and guessing, and whom it costs; then which
    methods cost least, as far as they can be told apart. `empty` groups have nobody."""
    first = trained[0]
    if math.isnan(first.accuracy):
        return f"After {first.mechanism.spoken()} no records are left to learn from.", ""
    right, truly = tenths(first.accuracy), tenths(against.truth.accuracy[0])
    headline = f"After {first.mechanism.spoken()}, a model is right for {right} of people"
    headline += f" instead of {truly}" if right != truly else ", as often as without it"
    worst = ranking.hurt_most(shifts[0])
    found = mean_of(first.scores.accuracy)
    if found.mean < against.guessing - NOTHING and differ(
            found.mean, found.se, against.guessing, 0.0):  # what it does for whom matters less then
        headline += f", less often than by always saying “{against.guess}”"
    elif worst:
        points_more = apart_as_shown(worst[0].wrong, worst[0].before)
        headline += f", and {points_more} more often wrong about {_whom(worst[0].labels)}"
    guess = (
        "Trained on a release and asked about the real people, on average; always saying "
        f"“{against.guess}” is right for {tenths(against.guessing)}."
    )
    return f"{headline}.", Sentences(guess, _hurt_sentence(worst), cost_sentence(trained, empty))


def _hurt_sentence(worst: Sequence[GroupShift]) -> str:
    """Whom the first method costs most, with their number, and all that cannot be told apart."""
    parts = [
        f"for {_hurt(s)} it is wrong {tenths(s.wrong)} of the time instead of {tenths(s.before)}"
        for s in worst[:MOST_IN_A_HEADLINE]
    ]
    if len(worst) > MOST_IN_A_HEADLINE:
        more = len(worst) - MOST_IN_A_HEADLINE
        groups = "group" if more == 1 else "groups"
        parts.append(f"no telling these apart from {more} more {groups}")
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}." if said else ""


def apart_as_shown(one: float, other: float) -> str:
    """By how many points two shares differ as they are written, in tenths of a per cent, so that
    whoever subtracts the two gets the same."""
    first, second = (float(f"{100 * round(share, 12):.1f}") for share in (one, other))
    return points((first - second) / 100)


def cost_sentence(trained: Sequence[Trained], empty: int = 0) -> str:
    """Which methods cost least: one, or several that cannot be told apart. The others by what they
    do to the data; and what each does to groups that have nobody, where there are any."""
    known = [t for t in trained if not math.isnan(t.accuracy)]
    if len(known) < 2:
        return ""
    conventions = _conventions(known) if empty else ""
    if ranking.too_few(known):
        number = min(len(t.scores.accuracy) for t in known)
        return (
            f"From {number} release{'s' * (number > 1)} of each no method can be said to cost more "
            f"or less than another ({_span(known)} right){conventions}."
        )
    first, behind = ranking.standing(known)
    if not behind:
        return (
            f"No telling {_names(first)} apart ({_span(first)} right): they differ by less "
            f"than 0.2 points, or by no more than chance{conventions}."
        )
    least = f"{_names(first, 'or')} costs least{', no telling which' * (len(first) > 1)} (" \
            f"{_span(first)} right)"
    accuracy = [t.accuracy for t in known]
    return (
        f"Of these methods, {'; '.join([least, *_costing_more(first, behind)])}"
        f"{conventions}. All lie within "
        f"{apart_as_shown(max(accuracy), min(accuracy))} of each other."
    )


def _conventions(trained: Sequence[Trained]) -> str:
    """Methods that are ranked and do not treat empty groups alike: said in the same sentence."""
    leaves = {t.mechanism.spoken(): leaves_empty(t.mechanism) for t in trained}
    there = "people into groups that have nobody"
    return empty_groups_clause(
        [name for name, left in leaves.items() if left is False],
        [name for name, left in leaves.items() if left],
        (f"also puts {there}", f"also put {there}"),
    )


def _costing_more(first: Sequence[Trained], behind: Sequence[ranking.Behind]) -> list[str]:
    """`X and Y cost more`, than all that is ahead or than some."""
    behind_whom: dict[str, list[Trained]] = {}
    for one in behind:
        than = "" if all(f in one.than for f in first) else f" than {_names(one.than)}"
        behind_whom.setdefault(than, []).append(one.method)
    return [
        f"{_names(some)} {'cost' if len(some) > 1 else 'costs'} more{than} ({_span(some)} right)"
        for than, some in behind_whom.items()
    ]


def _names(trained: Sequence[Trained], word: str = "and") -> str:
    *rest, last = (t.mechanism.spoken() for t in trained)
    return f"{', '.join(rest)} {word} {last}" if rest else last


def _span(trained: Sequence[Trained]) -> str:
    """`72.6%`, or `72.6% to 72.9%`."""
    ends = [tenths(end(t.accuracy for t in trained)) for end in (min, max)]
    return " to ".join(dict.fromkeys(ends))


def precision_note(
    trained: Sequence[Trained], against: TruthAndGuessing, people: int
) -> str:
    """How sure these numbers are, and that the baseline is tested on its own people."""
    numbers = " or ".join(str(n) for n in sorted({len(t.scores.accuracy) for t in trained}))
    right = float(against.truth.accuracy[0])
    lost, gain = right - against.unseen, right - against.guessing
    flattery = (
        f"the test on its own people flatters it by {apart_as_shown(right, against.unseen)}")
    unsure = STANDARD_ERRORS * against.unseen_se or at_most(people)
    found = lost >= NOTHING and differ(lost, against.unseen_se, 0.0, 0.0)
    if people < PEOPLE_FOR_A_RATE or (not found and unsure > _MUCH):
        few = "1 person is" if people == 1 else f"{people:,} people are"
        flattery = f"{few} too few to say how far the test on its own people flatters it"
    elif not found:
        flattery = "the test on its own people does not flatter it beyond chance"
    said = (
        f"Averages of {numbers} releases, thin lines one standard error. Trained on the truth, the "
        f"model is right for {tenths(right)} of the people it learnt from and for "
        f"{tenths(against.unseen)} of people it has not seen: {flattery}."
    )
    return said if gain < NOTHING else (
        f"{said} What it gains over always saying “{against.guess}” is "
        f"{apart_as_shown(right, against.guessing)}.")


def papers_sentence(trained: Sequence[Trained]) -> str:
    """P0's finding (noise well ahead of the DP versions of traditional methods) beside ours. Only
    for the paper's own task, methods and conventions."""
    noise = [t for t in trained if t.mechanism.does is Doing.NOISE]
    rest = [t for t in trained if t not in noise]
    parts = [f"{one.mechanism.label()} is {_against(one, rest)}" for one in noise]
    return (
        "Das et al. (2024, Figure 4) find Laplace and discrete Gaussian noise well ahead of DP "
        "suppression and DP swapping, except at ε = 0.5, with ages cut into five groups of equal "
        f"size. Here, with the age groups of the data, {'; '.join(parts)}."
    )


def _against(one: Trained, others: Sequence[Trained]) -> str:
    """`0.6 points ahead of X and not to be told apart from Y`."""
    parts = []
    for other in others:
        found = ranking.lead(one, other)
        where = "not to be told apart from" if not ranking.beyond_chance(found) else (
            f"{points(abs(found.mean))} {'ahead of' if found.mean > 0 else 'behind'}")
        parts.append(f"{where} {other.mechanism.label()}")
    return listed(parts)


def sweep_sentence(param: Real, curves: Sequence[Curve[Scores]]) -> str:
    """Under the lines: from one end of the parameter to the other, who becomes right how much more
    or less often? The ends are given beforehand, so that no chance extreme is picked."""
    moves, slight, stays = [], [], []
    lines: dict[str, Curve[Scores]] = {}
    for curve in curves:
        lines.setdefault(curve.mechanism.spoken(param), curve)  # one for two cards
    values = max((c.values for c in curves if c.here is not None), key=max, default=())
    for label, curve in lines.items():
        low, high = curve.points[0].accuracy, curve.points[-1].accuracy
        moved = paired(high, low)
        if curve.here is None or not moved.releases:
            continue
        if curve.values[-1] != values[-1]:  # the data allow no more
            label += f" (up to {param.short(curve.values[-1])})"
        if ranking.beyond_chance(moved):
            ends = [tenths(mean_of(end).mean) for end in (low, high)]
            moves.append(f"from {ends[0]} to {ends[1]} after {label}")
        elif abs(moved.mean) + STANDARD_ERRORS * moved.se < ranking.WORTH_RANKING:
            slight.append(label)  # in every release, perhaps: that is no chance
        else:
            stays.append(label)
    if not (moves or slight or stays):
        return ""
    start = f"From {param.short(values[0])} to {param.short(values[-1])} the share that is right "
    said = [f"goes {listed(moves)}"] if moves else []
    if slight:
        said.append(f"moves by less than {points(ranking.WORTH_RANKING)} after {listed(slight)}")
    if stays:
        said.append(f"does not move beyond chance after {listed(stays)}")
    return f"{start}{'; it '.join(said)}."


def group_sentence(
    before: GroupErrors, shifts: Sequence[Sequence[GroupShift]], trained: Sequence[Trained],
    small: Sequence[Sequence[GroupShift]] = (),
) -> str:
    """Before the group chart: whom even the truth gets wrong more often than others, and whom each
    release costs; `small` are the groups with too few people for a headline."""
    large = np.flatnonzero(before.people >= PEOPLE_FOR_A_RATE)
    if not len(large):
        return f"No group has {PEOPLE_FOR_A_RATE} people: error rates would say little."
    said = _before_any_release(before, large)
    costs = []
    for one, found in zip(trained, shifts, strict=True):
        some = [f"{group_name(s.labels)} (+{apart_as_shown(s.wrong, s.before)})"
                for s in ranking.hurt(found)]
        if some:
            costs.append(f"after {one.mechanism.spoken()}, {listed(some, most=MOST_HURT)}")
    if costs:
        said += (
            " Wrong more often after the release, beyond chance, among groups of "
            f"{PEOPLE_FOR_A_HEADLINE} people or more: {'; '.join(costs)}."
        )
    return f"{said}{_small_group(shifts, trained, small)}"


def _small_group(
    shifts: Sequence[Sequence[GroupShift]], trained: Sequence[Trained],
    small: Sequence[Sequence[GroupShift]],
) -> str:
    """The small group whose errors grow most, where that is more than in any large one, beyond
    chance: a reader sees it in the chart. How many people it is tells how little can be
    concluded."""
    found = [(one, s) for one, some in zip(trained, small, strict=False)
             for s in ranking.hurt(some)]
    if not found:
        return ""
    worst = max((s for _, s in found), key=lambda s: s.more.mean)
    if not all(ranking.grows_more(worst, s) for some in shifts for s in ranking.hurt(some)):
        return ""
    mine = [(one, s) for one, s in found if s.labels == worst.labels]
    level = any(not ranking.grows_more(worst, s) for _, s in found if s.labels != worst.labels)
    which = "one of the small groups that change" if level else "the small group that changes"
    rates = [tenths(end(s.wrong for _, s in mine)) for end in (min, max)]
    under = "every method" if 1 < len(mine) == len(trained) else _names([one for one, _ in mine])
    extra = round(worst.more.mean * worst.people)
    weight = "That is more than chance explains in a group of its size."
    if worst.more.mean <= OF_MANY * worst.chance:
        weight = (
            f"So it is for these people; but it is up to {extra:,} "
            f"{'person' if extra == 1 else 'people'} more, in {which} most, and too few to say it "
            "of others like them."
        )
    return (
        f" In a small group it is more: about {_hurt(worst)} the model is wrong "
        f"{' to '.join(dict.fromkeys(rates))} of the time instead of {tenths(worst.before)}, "
        f"after {under}. {weight}"
    )


def _before_any_release(before: GroupErrors, large: NDArray[np.intp]) -> str:
    """Two groups that are predicted differently well, of those that differ by more than chance
    makes groups of their size the two furthest apart, which are picked from many."""
    rates, errors = before.mean, before.chance
    pairs = [(a, b) for a in large for b in large
             if rates[a] > rates[b] and differ(rates[a], errors[a], rates[b], errors[b], OF_MANY)]
    if pairs:
        most, least = max(pairs, key=lambda pair: rates[pair[0]] - rates[pair[1]])
        return (
            f"Even trained on the truth, the model is wrong about {tenths(rates[most])} of "
            f"{_named(before, most)} and {tenths(rates[least])} of {_named(before, least)}."
        )
    if len(large) == 1:
        return (f"Even trained on the truth, the model is wrong about "
                f"{tenths(rates[large[0]])} of {_named(before, large[0])}.")
    ends = dict.fromkeys(tenths(end) for end in (rates[large].min(), rates[large].max()))
    return (
        f"Trained on the truth, the model is wrong about {' to '.join(ends)} of each group of "
        f"{PEOPLE_FOR_A_RATE} people or more, no further apart than chance puts groups of their "
        "size."
    )


def left_to_the_table(before: GroupErrors) -> str:
    """Which groups the chart leaves out."""
    if (before.people >= PEOPLE_FOR_A_RATE).sum() > MOST_GROUPS:
        return f"The {MOST_GROUPS} largest groups are drawn; all are in the table."
    return f"Groups of fewer than {PEOPLE_FOR_A_RATE} people are in the table only."


def _named(before: GroupErrors, group: int) -> str:
    return sized(_whom(before.labels[group]), int(before.people[group]))


def _hurt(shift: GroupShift) -> str:
    return sized(_whom(shift.labels), shift.people)


def _whom(labels: Sequence[str]) -> str:
    """`Black women`; without a noun in it a value is quoted: `people listed as “renting”`."""
    name = group_name(labels)
    return name if name != ", ".join(labels) else f"people listed as “{name}”"


def release_notes(trained: Sequence[Trained]) -> list[str]:
    """Releases that nothing, or only one thing, could be learnt from."""
    notes = []
    for one in trained:
        total = len(one.scores.accuracy)
        if one.scores.empty:
            notes.append(
                f"{one.scores.empty} of {total} releases of {one.mechanism.label()} "
                f"{'holds' if one.scores.empty == 1 else 'hold'} no records: no model can be "
                "trained on such a release, which is left out of its averages."
            )
        if one.scores.one_class:
            notes.append(
                f"In {one.scores.one_class} of {total} releases of {one.mechanism.label()} all "
                "people have the same class: the model then always says that class."
            )
    return notes

"""How well models trained on releases predict, and for whom, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Doing
from sdc_core.metrics.classification import (
    PEOPLE_FOR_A_HEADLINE,
    PEOPLE_FOR_A_RATE,
    GroupErrors,
    GroupShift,
    Scores,
    Trained,
    TruthAndGuessing,
    band,
)
from sdc_core.parameters import Real
from sdc_core.words.groups import group_name, sized
from sdc_core.words.numbers import listed, percent, points

NOTHING = 0.0005  # differences that would be written as 0 points
MOST_GROUPS = 14  # that are drawn
NOTHING_TO_PREDICT = (
    "This page predicts a feature that has exactly two values from others, and this data has no "
    "such pair: use another file, or correct above how its columns are read."
)
NO_METHOD = "Choose a method to see what a model learns from its release."


def prediction_sentences(
    trained: Sequence[Trained], against: TruthAndGuessing, shifts: Sequence[GroupShift | None]
) -> tuple[str, str]:
    """The page's answer: the first method against truth and guessing, whom it costs; then the
    weakest of the others."""
    first, shift = trained[0], shifts[0]
    if math.isnan(first.accuracy):
        return f"{first.mechanism.label()} releases no records: nothing can be learnt.", ""
    headline = (
        f"A model trained on the release of {first.mechanism.label()} is right for "
        f"{percent(first.accuracy, 1)} of people, against "
        f"{percent(against.truth.accuracy[0], 1)} when trained on the truth and "
        f"{percent(against.guessing, 1)} by always saying “{against.guess}”"
    )
    if shift is not None and shift.wrong - shift.before >= NOTHING:
        headline += (
            f"; for {_hurt(shift)} it is wrong "
            f"{points(shift.wrong - shift.before)} more often ({percent(shift.wrong, 1)} "
            f"instead of {percent(shift.before, 1)})"
        )
    return f"{headline}.", _weakest(trained, shifts)


def _weakest(trained: Sequence[Trained], shifts: Sequence[GroupShift | None]) -> str:
    known = [(t, s) for t, s in zip(trained, shifts, strict=True) if not math.isnan(t.accuracy)]
    if len(known) < 2:
        return ""
    worst, shift = min(known, key=lambda pair: pair[0].accuracy)
    best, _ = max(known, key=lambda pair: pair[0].accuracy)
    if best.accuracy - worst.accuracy < NOTHING:
        names = listed([t.mechanism.label() for t, _ in known])
        return f"{names} cost the same, to within 0.1 points ({percent(best.accuracy, 1)} right)."
    said = (
        f"Of these methods, {best.mechanism.label()} costs least "
        f"({percent(best.accuracy, 1)} right) and {worst.mechanism.label()} most "
        f"({percent(worst.accuracy, 1)})."
    )
    if shift is not None and worst is not trained[0] and shift.wrong - shift.before >= NOTHING:
        said += (
            f" After {worst.mechanism.label()}, {_hurt(shift)} are predicted wrong "
            f"{percent(shift.wrong, 1)} of the time instead of {percent(shift.before, 1)}."
        )
    return said


def precision_note(against: TruthAndGuessing, repetitions: int) -> str:
    """How sure these numbers are, and that the baseline is tested on its own people."""
    lost = float(against.truth.accuracy[0]) - against.unseen
    flattery = "the test on its own people does not flatter it" if lost < NOTHING else (
        f"the test on its own people flatters it by {points(lost)}")
    return (
        f"Averages of {repetitions} releases. Trained on the truth, the model is right for "
        f"{percent(against.truth.accuracy[0], 1)} of the people it learnt from and for "
        f"{percent(against.unseen, 1)} of people it has not seen: {flattery}."
    )


def papers_sentence(trained: Sequence[Trained], against: TruthAndGuessing) -> str:
    """P0's finding (noise well ahead of traditional methods and their DP versions) beside ours."""
    known = [t for t in trained if not math.isnan(t.accuracy)]
    noise = [t for t in known if t.mechanism.does is Doing.NOISE]
    rest = [t for t in known if t.mechanism.family != "dp"]
    if not noise or not rest:
        return ""
    ours = max(noise, key=lambda t: t.accuracy)
    start = (
        "Das et al. (2024, Figure 4) find noise well ahead of suppression and swapping, except at "
        "ε = 0.5."
    )
    parts = []
    for other in rest:
        lead = ours.accuracy - other.accuracy
        where = f"{points(abs(lead))} {'ahead of' if lead >= 0 else 'behind'}"
        level = abs(lead) < NOTHING
        parts.append(f"{'level with' if level else where} {other.mechanism.label()}")
    gain = float(against.truth.accuracy[0]) - against.guessing
    spread = max(t.accuracy for t in known) - min(t.accuracy for t in known)
    verdict = ""
    if gain > 0:
        verdict = (
            f" All methods lie within {points(max(spread, 0.001))}; what the model gains over "
            f"always saying the same is {points(gain)}."
        )
    return f"{start} Here {ours.mechanism.label()} is {listed(parts)}.{verdict}"


def sweep_sentence(param: Real, curves: Sequence[Curve[Scores]]) -> str:
    """Under the lines: how much each method's accuracy moves along the parameter."""
    moves = []
    for curve in curves:
        mean = band(curve.points, "accuracy").mean
        if curve.here is not None and len(mean) > 1 and not any(map(math.isnan, mean)):
            moves.append((curve.mechanism.label_without(param), max(mean) - min(mean)))
    if not moves:
        return ""
    parts = [f"{label} by {points(move)}" for label, move in sorted(moves, key=lambda m: -m[1])]
    return f"Along this range of {param.axis_title} the accuracy moves: {listed(parts)}."


def group_sentence(
    before: GroupErrors, shifts: Sequence[GroupShift | None], trained: Sequence[Trained]
) -> str:
    """Before the group chart: whom even the truth gets wrong most, and whom each release costs."""
    large = np.flatnonzero(before.people >= PEOPLE_FOR_A_RATE)
    if not len(large):
        return f"No group has {PEOPLE_FOR_A_RATE} people: error rates would say little."
    rates = before.mean
    most, least = large[np.argmax(rates[large])], large[np.argmin(rates[large])]
    said = (
        f"Even trained on the truth, the model is wrong about {percent(rates[most], 1)} of "
        f"{_named(before, most)}"
    )
    if most != least:
        said += f" and {percent(rates[least], 1)} of {_named(before, least)}"
    said += "."
    hurt = [
        f"{t.mechanism.label()} {group_name(s.labels)} (+{points(s.wrong - s.before)})"
        for t, s in zip(trained, shifts, strict=True)
        if s is not None and s.wrong - s.before >= NOTHING
    ]
    if not hurt:
        return said
    return (
        f"{said} Hurt most by the release, among groups of {PEOPLE_FOR_A_HEADLINE} people or more: "
        f"{'; '.join(hurt)}."
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
                f"{one.scores.empty} of {total} releases of {one.mechanism.label()} hold no "
                "records: no model can be trained on them, and they are left out of its averages."
            )
        if one.scores.one_class:
            notes.append(
                f"In {one.scores.one_class} of {total} releases of {one.mechanism.label()} all "
                "people have the same class: the model then always says that class."
            )
    return notes

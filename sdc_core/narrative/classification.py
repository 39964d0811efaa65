"""How well models trained on releases predict, and for whom, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sdc_core.data.dataset import Dataset
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.classification import (
    ENOUGH_PEOPLE,
    HEADLINE_PEOPLE,
    GroupErrors,
    GroupShift,
    Trained,
    Yardsticks,
)
from sdc_core.words.groups import group_name, sized
from sdc_core.words.numbers import listed, points

METHOD = """
- **Training and test:** each method releases the whole table, counted by everything named above.
  A model learns from the released people and is asked about the real ones. People with the same
  values count as one pattern with a weight, which gives the same model as their single records.
- **Logistic regression** has a weight for every value of every feature, with the usual mild penalty
  (½ of the sum of squared weights). It finds one answer for given data, without chance. The
  **random forest** has 25 trees, each on its own random sample of the records.
- **Trained on the truth** means learnt from the original and tested on the same people, as in the
  paper. That flatters it a little; the five-fold figure beside it does not. Models trained on a
  release are tested on people whose (protected) data they learnt from, so they share that flattery
  in part.
- **Balanced** accuracy is the average of the shares that are right among the people of either
  class: whoever always says the same gets 50%.
- **Bands** hold the middle 80% of the releases. A release with people of one class only gives a
  model that always says that class.
- **In the paper:** Das et al. (2024, Figure 4) predict an income of $50,000 or more from race, age
  in five groups, sex and tenure on the Massachusetts data, at ε = 0.5, 1, 2 and 4, with k = 6 and a
  swap rate of 25%. Children count as under $50,000.
"""
_NOTHING = 0.0005  # differences that would be written as 0 points
NOTHING_TO_PREDICT = (
    "This page predicts a feature that has exactly two values from others, and this data has no "
    "such pair: use another file, or correct above how its columns are read."
)


def prediction_sentences(
    trained: Sequence[Trained], yard: Yardsticks, shifts: Sequence[GroupShift | None]
) -> tuple[str, str]:
    """The page's answer: the first method against truth and guessing, whom it costs; then the
    weakest of the others."""
    if not trained:
        return "Choose a method to see what a model learns from its release.", ""
    first, shift = trained[0], shifts[0]
    if math.isnan(first.accuracy):
        return f"{first.mechanism.label()} releases no records: nothing can be learnt.", ""
    headline = (
        f"A model trained on the release of {first.mechanism.label()} is right for "
        f"{percent(first.accuracy)} of people, against {percent(yard.baseline.accuracy[0])} when "
        f"trained on the truth and {percent(yard.majority)} by always saying “"
        f"{yard.majority_label}”"
    )
    if shift is not None and shift.wrong - shift.before >= _NOTHING:
        headline += (
            f"; for {_hurt(shift)} it is wrong "
            f"{points(shift.wrong - shift.before)} more often ({percent(shift.wrong)} "
            f"instead of {percent(shift.before)})"
        )
    return f"{headline}.", _weakest(trained, shifts)


def _weakest(trained: Sequence[Trained], shifts: Sequence[GroupShift | None]) -> str:
    known = [(t, s) for t, s in zip(trained, shifts, strict=True) if not math.isnan(t.accuracy)]
    if len(known) < 2:
        return ""
    worst, shift = min(known, key=lambda pair: pair[0].accuracy)
    best, _ = max(known, key=lambda pair: pair[0].accuracy)
    if best.accuracy - worst.accuracy < _NOTHING:
        names = listed([t.mechanism.label() for t, _ in known])
        return f"{names} cost the same, to within 0.1 points ({percent(best.accuracy)} right)."
    said = (
        f"Of these methods, {best.mechanism.label()} costs least ({percent(best.accuracy)} right) "
        f"and {worst.mechanism.label()} most ({percent(worst.accuracy)})."
    )
    if shift is not None and worst is not trained[0] and (
        shift.wrong - shift.before >= _NOTHING
    ):
        said += (
            f" After {worst.mechanism.label()}, {_hurt(shift)} are predicted wrong "
            f"{percent(shift.wrong)} of the time instead of {percent(shift.before)}."
        )
    return said


def precision_note(yard: Yardsticks, repetitions: int) -> str:
    """How sure these numbers are, and that the baseline is tested on its own people."""
    lost = float(yard.baseline.accuracy[0]) - yard.unseen
    flattery = "the test on its own people does not flatter it" if lost < _NOTHING else (
        f"the test on its own people flatters it by {points(lost)}")
    return (
        f"Averages of {repetitions} releases. Trained on the truth, the model is right for "
        f"{percent(yard.baseline.accuracy[0])} of the people it learnt from and for "
        f"{percent(yard.unseen)} of people it has not seen: {flattery}."
    )


def papers_sentence(trained: Sequence[Trained], yard: Yardsticks) -> str:
    """P0's finding (noise well ahead of the DP versions of traditional methods) beside ours."""
    noise = [t for t in trained if t.mechanism.family == "dp" and not math.isnan(t.accuracy)]
    rest = [t for t in trained if t.mechanism.family != "dp" and not math.isnan(t.accuracy)]
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
        level = abs(lead) < _NOTHING
        parts.append(f"{'level with' if level else where} {other.mechanism.label()}")
    gain = float(yard.baseline.accuracy[0]) - yard.majority
    spread = max(t.accuracy for t in (*noise, *rest)) - min(t.accuracy for t in (*noise, *rest))
    verdict = ""
    if gain > 0:
        verdict = (
            f" All methods lie within {points(max(spread, 0.001))}; what the model gains over "
            f"always saying the same is {points(gain)}."
        )
    return f"{start} Here {ours.mechanism.label()} is {listed(parts)}.{verdict}"


def sweep_sentence(
    name: str, curves: Sequence[tuple[str, Sequence[float | int], Sequence[float]]]
) -> str:
    """Under the lines: how much each method's accuracy moves along the parameter."""
    moves = [(label, max(ys) - min(ys)) for label, _, ys in curves
             if len(ys) > 1 and not any(math.isnan(y) for y in ys)]
    if not moves:
        return ""
    parts = [f"{label} by {points(move)}" for label, move in sorted(moves, key=lambda m: -m[1])]
    return f"Along this range of {name} the accuracy moves: {listed(parts)}."


def group_sentence(before: GroupErrors, shifts: Sequence[GroupShift | None],
                   trained: Sequence[Trained]) -> str:
    """Before the group chart: whom even the truth gets wrong most, and whom each release costs."""
    large = np.flatnonzero(before.people >= ENOUGH_PEOPLE)
    if not len(large):
        return f"No group has {ENOUGH_PEOPLE} people: error rates would say little."
    rates = before.mean
    most, least = large[np.argmax(rates[large])], large[np.argmin(rates[large])]
    said = (
        f"Even trained on the truth, the model is wrong about {percent(rates[most])} of "
        f"{_named(before, most)}"
    )
    if most != least:
        said += f" and {percent(rates[least])} of {_named(before, least)}"
    said += "."
    hurt = [
        f"{t.mechanism.label()} {group_name(s.labels)} (+{points(s.wrong - s.before)})"
        for t, s in zip(trained, shifts, strict=True)
        if s is not None and s.wrong - s.before >= _NOTHING
    ]
    if not hurt:
        return said
    return (
        f"{said} Hurt most by the release, among groups of {HEADLINE_PEOPLE} people or more: "
        f"{'; '.join(hurt)}."
    )


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


def prediction_code(
    dataset: Dataset, features: Sequence[str], predictors: Sequence[str], target: str, model: str,
    mechanisms: Sequence[Mechanism], repetitions: int, seed: int,
) -> str:
    """A script that prints the page's accuracies with the engine alone."""
    source = dataset.id if dataset.origin != "own" else dataset.source
    return "\n".join([
        "import sdc_core as sdc",
        "from sdc_core.metrics.classification import scores, task, yardsticks",
        "from sdc_core.metrics.classifiers import MODELS",
        "",
        f"table = sdc.load_dataset({source!r}).histogram({list(features)!r})",
        f"what = task(table.domain, {list(predictors)!r}, {target!r})",
        f"model = MODELS[{model!r}]",
        f"print(yardsticks(table, what, model, {seed}))",
        "for mechanism in [",
        *(f"    {one.code()}," for one in mechanisms),
        "]:",
        f"    released = sdc.released_people(mechanism, table, {repetitions}, {seed})",
        f"    found = scores(table, what, released, model, {seed})",
        "    print(mechanism.label(), found.accuracy.mean(), found.balanced.mean())",
    ])


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"

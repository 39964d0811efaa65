"""Models trained on releases: at the present settings, and along a parameter."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence

import numpy as np

from sdc_core.curves import Curve, sweep
from sdc_core.errors import InputError
from sdc_core.experiment import Progress, released_people
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.classification import Scores, Task, Trained, scores, scores_of_each
from sdc_core.metrics.classifiers import Model
from sdc_core.parameters import Real
from sdc_core.questions.answer import Job
from sdc_core.questions.work import Work, about

PRESENT = 100  # releases at the present settings: what is ranked must not hang on chance
REPETITIONS = 20  # at each point of a line
AT_ONCE = 3  # releases for a slow model, too few to rank anything
FEW_POINTS, MANY_POINTS = 4, 9
TRAINING = "training"  # the key of the job that trains slow models along a parameter


def who_answered(table: Histogram, target: str) -> Histogram:
    """The people whose answer is known: that it is missing is nothing to predict."""
    (axis,) = table.domain.axes([target], "target")
    feature = table.domain.features[axis]
    if not feature.unordered_tail:
        return table
    known = slice(len(feature) - feature.unordered_tail)
    new = dataclasses.replace(
        feature, values=feature.values[known], labels=feature.labels[known], unordered_tail=0)
    features = (*table.domain.features[:axis], new, *table.domain.features[axis + 1 :])
    cube = table.counts.reshape(table.domain.shape)
    cells = cube[(slice(None),) * axis + (known,)].ravel()
    return Histogram(cells, dataclasses.replace(table.domain, features=features))


def learnt(
    mechanism: Mechanism, table: Histogram, repetitions: int, seed: int, what: Task, model: Model,
    progress: Progress | None = None,
) -> Scores:
    """How right are models about the truth that learnt from releases of this mechanism?"""
    rows = released_people(mechanism, table, repetitions, seed, progress)
    return scores(table, what, rows, model, seed)


def learnt_along(
    settings: tuple[Mechanism, ...], table: Histogram, repetitions: int, seed: int, what: Task,
    model: Model,
) -> dict[Mechanism, Scores]:
    """The same at each of these settings, but for those that the data refuse."""
    rows = {}
    for one in settings:
        with contextlib.suppress(InputError):
            rows[one] = released_people(one, table, repetitions, seed)
    found = scores_of_each(table, what, [*rows.values()], model, seed) if rows else []
    return dict(zip(rows, found, strict=True))


def releases_at_once(model: Model) -> int:
    return AT_ONCE if model.slow else PRESENT


def trained_now(
    work: Work, methods: Sequence[Mechanism], table: Histogram, seed: int, what: Task, model: Model
) -> list[Trained]:
    """The methods as they are set; those that have to be asked for first are left out."""
    made = work.by_method(methods, learnt, table, releases_at_once(model), seed, what, model)
    found = [work.kept(Trained, *one) for one in made]
    work.saw(*(len(one.scores.accuracy) for one in found))
    return found


def trained_along(
    work: Work, methods: Sequence[Mechanism], param: Real, table: Histogram, seed: int, what: Task,
    model: Model,
) -> list[Curve[Scores]] | None:
    """The methods along a parameter; None while a slow model waits to be asked for. A slow model
    keeps each setting by itself, so what is done stays when the rest is cancelled; others take all
    settings of a method in one go."""
    values = line_values(param, few=model.slow)
    rest = (table, REPETITIONS, seed, what, model)
    lines = [
        tuple(m.replace(**{param.name: v}) for v in values) if param.name in m.settings() else (m,)
        for m in methods
    ]
    each = dict.fromkeys((one,) for line in lines for one in line) if model.slow else (
        dict.fromkeys(lines))
    missing = [some for some in each if not work.keep.holds(learnt_along, some, *rest)]
    if missing and model.slow and not work.may_start(TRAINING):
        work.wait_for(Job(
            TRAINING, f"Train {len(missing) * REPETITIONS} models",
            f"{REPETITIONS} releases of {len(missing)} settings take "
            f"{about(len(missing) * REPETITIONS * model.seconds(*what.size))}. Moving any control "
            "cancels; what is done is kept.",
        ))
        return None
    made = work.each(
        lambda i: f"{REPETITIONS} models at each {param.title.lower()}", learnt_along,
        [(some, *rest) for some in each],
    )
    work.saw(REPETITIONS)
    known = {one: found for scored in made for one, found in scored.items()}
    return [
        sweep(method, param, known.__getitem__, values if len(line) == 1 else [
            value for value, one in zip(values, line, strict=True) if one in known])
        for method, line in zip(methods, lines, strict=True)
    ]


def line_values(param: Real, few: bool) -> tuple[float | int, ...]:
    """Values to draw a line through; few where each takes long (ε: 0.5, 1, 2, 4 as in P0)."""
    if not few:
        return param.points(MANY_POINTS)
    if not param.log:
        return param.points(FEW_POINTS)
    low, high = param.range
    return tuple(float(f"{v:.3g}") for v in np.geomspace(10 * low, high / 5, FEW_POINTS))

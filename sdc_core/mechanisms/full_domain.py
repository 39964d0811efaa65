"""Full-domain generalisation: every feature at one level, the same for everybody.

Question: how coarse must each feature be for all combinations to have k records, if a few records
may be left out? A feature climbs its levels as a whole (see `hierarchy.Ladder`); a choice of levels
is allowed if the records in combinations that are still smaller than k are at most the suppression
limit, and these are not published. Of all allowed choices the one with the least information loss
is taken. (Samarati 2001; Sweeney 2002; LeFevre, DeWitt and Ramakrishnan 2005.)

Information loss (Iyengar 2002): a record loses, for each feature, (g - 1)/(V - 1) when its value
is published as a group of g out of V values, and 1 for each feature when it is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.errors import InputError
from sdc_core.hierarchy import Ints, Ladder
from sdc_core.mechanisms.mondrian import Partition

MAX_CHOICES = 1 << 17


@dataclass(frozen=True, eq=False)
class Generalisation:
    """The level of each feature, the classes of those published, and how many are left out.

    `loss` is the information loss, as a share of losing everything about everybody.
    """

    levels: tuple[int, ...]
    parts: Partition
    left_out: int
    loss: float


def generalise(
    codes: Ints, counts: Ints, ladders: Sequence[Ladder], k: int, limit: float
) -> Generalisation:
    """The choice of levels with the least loss among those that leave out at most the limit.

    `codes` (patterns × features) and `counts` are as in `mondrian.partition`, for one table. Among
    equal losses the fewest left out, then the lowest levels of the first features. One level for
    all (everything joined) is always allowed, because the table has at least k records.
    """
    total = int(counts.sum())
    if total < k:
        raise InputError(f"k = {k} is more than the {total} records. Try a smaller k.")
    found, which = np.unique(codes, axis=0, return_inverse=True)
    which = which.reshape(-1)
    people = np.bincount(which, counts).astype(np.int64)
    costs = _costs(found, people, ladders)
    most = math.floor(limit * total + 1e-9)
    best: tuple[int, int, tuple[int, ...]] | None = None
    for least, levels in _choices(costs):
        if best is not None and least > best[0]:
            break  # leaving out records only adds to the loss
        label, sizes = _classes(found, people, ladders, levels)
        small = sizes[label] < k
        left_out = int(people[small].sum())
        if left_out > most:
            continue
        loss = _loss(found, people, ladders, levels, small)
        candidate = (loss, left_out, levels)
        best = candidate if best is None else min(best, candidate)
    assert best is not None  # the top level of all is one class of `total` >= k
    loss, left_out, levels = best
    label, sizes = _classes(found, people, ladders, levels)
    whole = total * sum(_weights(ladders)[j] * (len(a.steps[0]) - 1) for j, a in enumerate(ladders))
    return Generalisation(
        levels, _parts(label[which], (sizes >= k)[label[which]], counts), left_out,
        loss / whole if whole else 0.0,
    )


def _weights(ladders: Sequence[Ladder]) -> list[int]:
    """Whole numbers in proportion to 1/(V - 1), so that equal losses are exactly equal."""
    spans = [max(ladder.steps.shape[1] - 1, 1) for ladder in ladders]
    return [math.lcm(*spans) // span for span in spans]


def _costs(found: Ints, people: Ints, ladders: Sequence[Ladder]) -> list[list[int]]:
    """For each feature and level, what all records lose if nobody is left out."""
    return [
        [weight * int((people * (sizes[found[:, j]] - 1)).sum()) for sizes in ladder.sizes()]
        for j, (ladder, weight) in enumerate(zip(ladders, _weights(ladders), strict=True))
    ]


def _choices(costs: Sequence[Sequence[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """All choices of levels with the least that each loses, in that order."""
    if math.prod(map(len, costs)) > MAX_CHOICES:
        raise InputError(
            f"These features have {math.prod(map(len, costs)):,} choices of levels; full-domain "
            f"can try {MAX_CHOICES:,}. Use fewer quasi_identifiers, or algorithm=mondrian."
        )
    choices: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for levels in costs:
        choices = [
            (least + cost, (*chosen, level))
            for least, chosen in choices for level, cost in enumerate(levels)
        ]
    return sorted(choices)


def _classes(
    found: Ints, people: Ints, ladders: Sequence[Ladder], levels: Sequence[int]
) -> tuple[Ints, Ints]:
    """The class of each combination of values at these levels, and each class's records."""
    label = np.zeros(len(found), dtype=np.int64)
    for j, (ladder, level) in enumerate(zip(ladders, levels, strict=True)):
        step = ladder.steps[level]
        label = label * (int(step.max()) + 1) + step[found[:, j]]
    _, label = np.unique(label, return_inverse=True)
    label = label.reshape(-1)
    return label, np.bincount(label, people).astype(np.int64)


def _loss(
    found: Ints, people: Ints, ladders: Sequence[Ladder], levels: Sequence[int],
    left_out: np.ndarray,
) -> int:
    """What is lost in all, in the unit of `_weights`."""
    loss = 0
    for j, (ladder, weight) in enumerate(zip(ladders, _weights(ladders), strict=True)):
        width = ladder.steps.shape[1]
        size = np.where(left_out, width, ladder.sizes()[levels[j]][found[:, j]])
        loss += weight * int((people * (size - 1)).sum())
    return loss


def _parts(label: Ints, kept: np.ndarray, counts: Ints) -> Partition:
    """The patterns that are published, with classes numbered as they first occur."""
    patterns = np.flatnonzero(kept & (counts > 0))
    classes, first, which = np.unique(label[patterns], return_index=True, return_inverse=True)
    number = np.empty(len(classes), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(classes))
    return Partition(
        np.zeros(len(patterns), dtype=np.int64), patterns, number[which.reshape(-1)],
        counts[patterns].astype(np.int64),
    )

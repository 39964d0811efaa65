"""What else has to be hidden so that nobody can work out what must not be published?

Hiding the sensitive numbers of a table alone is of little use: sums give them away. Further numbers
are hidden until an attacker who knows everything else, and can add up, is left with an interval as
wide as the rule asks for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from sdc_core.errors import InputError
from sdc_core.margins.attack import NOTHING_NEGATIVE, SOMEBODY, Known, intervals
from sdc_core.margins.cleaning import cleaned
from sdc_core.margins.heuristic import NoWay, Task, chosen
from sdc_core.margins.moves import Progress, silent
from sdc_core.margins.optimal import improved
from sdc_core.margins.rules import Sensitive
from sdc_core.margins.table import Bools, Floats, MarginTable

Weighing = Literal["numbers", "cells"]
Method = Literal["best", "optimal", "heuristic"]


@dataclass(frozen=True, eq=False)
class Hiding:
    """What is hidden of a table, and what an attacker is left with.

    `low` and `high` are the intervals of an attacker who knows beforehand what `known` says.
    `weight` is that of all hidden cells, and nothing
    safe weighs less than `bound`, which is proved: nothing that hides no zeros, and not the total
    of all, unless these are hidden here. `method` is "optimal" if the two are the same.
    `zeros_needed` says that zeros had to be hidden though that was not wished, since nothing else
    would do.
    """

    table: MarginTable
    sensitive: Sensitive
    hidden: Bools
    low: Floats
    high: Floats
    method: str
    weight: float
    bound: float
    known: Known
    zeros_needed: bool = False

    @property
    def further(self) -> Bools:
        """Hidden to protect others."""
        return self.hidden & ~self.sensitive.cells

    @property
    def safe(self) -> Bools:
        """Which sensitive cells have an interval as wide as the rule asks for?"""
        return self.sensitive.cells & self.sensitive.protects(
            self.table.values, self.low, self.high)

    @property
    def gap(self) -> float:
        """By which share the weight of all hidden cells, the sensitive ones included, may be above
        the least possible."""
        return 0.0 if self.weight <= self.bound else (
            self.weight / self.bound - 1 if self.bound > 0 else float("inf"))


def hide(
    table: MarginTable, sensitive: Sensitive, *, weights: Weighing | Floats = "numbers",
    method: Method = "best", seconds: float = 60.0, known: Known | None = None,
    hide_zeros: bool = False, progress: Progress | None = None,
) -> Hiding:
    """The table with as little hidden as is found within `seconds`, so that all is safe.

    `weights` say what is lost with a cell: its number without the sign (a zero counts as the
    smallest of the others), 1, or what is given. Zeros and the total of all are hidden only where
    nothing else will do, zeros first. The method "heuristic" takes what is found first and proves
    nothing; "best" and "optimal" go on until it is the best, or the time is over.

    What an attacker knows beforehand is, unless it is said, what the table tells: no number is
    negative; and in a table of people where every zero is shown, whatever is hidden is at least 1.
    Where nothing protects from somebody who knows that, zeros are hidden as well.
    """
    if known is None:
        return _hide_as_seen(
            table, sensitive, weights=weights, method=method, seconds=seconds,
            hide_zeros=hide_zeros, progress=progress)
    told, end = progress or silent, time.monotonic() + seconds
    if method not in get_args(Method):
        raise InputError(f"The method must be one of {', '.join(get_args(Method))}, got "
                         f"{method!r}.")
    task = _task(table, sensitive, _weights(table, weights), known, hide_zeros)
    try:
        found = chosen(
            task, sensitive.cells,
            (lambda share: told(0.9 * share)) if method == "heuristic" else silent)
    except NoWay as error:
        raise InputError(
            f"{table.name(error.cell)} cannot be protected, whatever else is hidden. Ask for less "
            "protection, or merge values.") from None
    bound, hidden = task.weight(sensitive.cells), cleaned(task, found)
    if method != "heuristic":
        hidden, bound = improved(task, hidden, end - time.monotonic(), told)
    low, high = intervals(table, hidden, known)
    if not sensitive.protects(table.values, low, high).all():  # numbers of too different size
        hidden = found.hidden
        low, high = intervals(table, hidden, known)
    # showing what an attacker knows anyway changes nothing
    pinned = hidden & ~sensitive.cells & (high - low <= 1e-9 * np.maximum(1, np.abs(table.values)))
    hidden &= ~pinned
    low[pinned] = high[pinned] = table.values[pinned]
    told(1.0)
    weight = task.weight(hidden)
    best = weight <= bound * (1 + 1e-6)
    return Hiding(
        table, sensitive, hidden, low, high, "optimal" if best else "heuristic", weight,
        weight if best else bound, known,
        zeros_needed=not hide_zeros and bool((
            hidden & ~sensitive.cells & (table.values == 0)).any()))


def _hide_as_seen(
    table: MarginTable, sensitive: Sensitive, hide_zeros: bool, **how: Any
) -> Hiding:
    """As a reader sees it: a hidden number of people is no zero, unless zeros are hidden, too."""
    zeros = table.values == 0
    if hide_zeros or not table.counts_people or (zeros & sensitive.cells).any():
        return hide(table, sensitive, known=NOTHING_NEGATIVE, hide_zeros=hide_zeros, **how)

    def with_zeros() -> Hiding | None:
        found = hide(table, sensitive, known=NOTHING_NEGATIVE, hide_zeros=True, **how)
        return replace(found, zeros_needed=True) if (found.hidden & zeros).any() else None

    try:
        found = hide(table, sensitive, known=SOMEBODY, **how)
    except InputError:
        if other := with_zeros():
            return other
        raise
    return (with_zeros() if found.further[0] and zeros.any() else None) or found


def _weights(table: MarginTable, weights: Weighing | Floats) -> Floats:
    if isinstance(weights, str):
        if weights == "cells":
            return np.ones(len(table))
        if weights != "numbers":
            raise InputError(f"Weights must be 'numbers', 'cells' or one number for each cell, got "
                             f"{weights!r}.")
        size = np.abs(table.values)
        smallest = float(size[size > 0].min(initial=np.inf))
        return np.where(size > 0, size, smallest if np.isfinite(smallest) else 1.0)
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != table.values.shape or not np.isfinite(found).all() or (found < 0).any():
        raise InputError(f"Weights must be {len(table):,} numbers of 0 or more, one for each cell, "
                         "or 'numbers' or 'cells'.")
    return found


def _task(
    table: MarginTable, sensitive: Sensitive, weights: Floats, known: Known, hide_zeros: bool
) -> Task:
    """What may be hidden: all that can be as an attacker expects; at first no zeros, and not the
    total of all."""
    known.check(table, sensitive.cells)
    able = (table.values >= known.low) & (table.values <= known.high)
    not_total = np.arange(len(table)) > 0
    pools = [able & not_total & (table.values != 0), able & not_total, able]
    return Task(table, sensitive, pools[hide_zeros:], weights, known)

"""Small tables at random, and attacks on them that share nothing with the engine's."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from sdc_core.margins.rules import Sensitive, Threshold
from sdc_core.margins.table import Axis, Bools, Floats, MarginTable

SHAPES = (((6, False),), ((2, False), (3, False)), ((3, False), (3, False)), ((5, True),),
          ((2, False), (2, False), (2, False)), ((4, True), (2, False)), ((4, True), (4, True)))


def axis(name: str, leaves: int, hierarchy: bool) -> Axis:
    """Flat, or in two groups."""
    half = leaves // 2
    parents = (-1, 0, 0, *[1] * half, *[2] * (leaves - half)) if hierarchy else (
        -1, *[0] * leaves)
    codes = tuple(f"{name}{i}" for i in range(len(parents)))
    return Axis(name, name, codes, codes, parents)


def some_table(seed: int, shapes: int = len(SHAPES)) -> MarginTable:
    """Counts, every third time sums of money; with zeros or without."""
    rng = np.random.default_rng(seed)
    axes = tuple(axis("abc"[i], *one) for i, one in enumerate(SHAPES[rng.integers(shapes)]))
    size = int(np.prod([len(a.leaves) for a in axes]))
    values = rng.poisson(rng.choice([3, 8, 15]), size) * (rng.random(size) > rng.choice([0, 0.2]))
    if seed % 3:
        return MarginTable.of_leaves(axes, values)
    return MarginTable.of_leaves(axes, values * rng.uniform(0.5, 2, size), values, "turnover")


def some_sensitive(table: MarginTable, seed: int) -> Sensitive:
    """By a threshold; every other time any cells, totals too, to be protected on each side."""
    rng = np.random.default_rng([seed, 1])
    if seed % 2:
        return Threshold(int(rng.integers(2, 7))).sensitive(table)
    cells = (rng.random(len(table)) < 0.15) & (table.values > 0)
    below, above = rng.uniform(0, 0.4, 2)
    if table.counts_people:  # no hidden one is known to be 0, so a sum of ones cannot fall
        below = 0.0
    return Sensitive(cells, below * table.values, above * table.values, np.zeros(len(table)))


def attacked(
    table: MarginTable, hidden: Bools, cells: Bools, low: float = 0.0, high: float | None = None
) -> tuple[Floats, Floats]:
    """Least and largest of these cells, by one program from scratch for each end."""
    sums, places = table.sums.toarray(), np.flatnonzero(hidden)
    unknown, right = sums[:, hidden], -sums[:, ~hidden] @ table.values[~hidden]
    ends = table.values.copy(), table.values.copy()
    for cell, (side, sign) in itertools.product(np.flatnonzero(cells), enumerate((1.0, -1.0))):
        found = linprog(sign * (places == cell), A_eq=unknown, b_eq=right, bounds=(low, high))
        assert found.status in (0, 3), found.message
        ends[side][cell] = sign * (found.fun if found.status == 0 else -np.inf)
    return ends


def unsafe(
    table: MarginTable, sensitive: Sensitive, hidden: Bools, least: float = 0.0
) -> list[int]:
    """Sensitive cells that are shown, or of which more can be known than may be, if all hidden
    numbers are known to be at least so much."""
    low, high = attacked(table, hidden, sensitive.cells & hidden, least)
    slack = 1e-6 * np.maximum(1, np.abs(table.values))
    lost = ((table.values - low < sensitive.below - slack)
            | (high - table.values < sensitive.above - slack)
            | (high - low < sensitive.wide - slack) | ~hidden)
    return [int(cell) for cell in np.flatnonzero(sensitive.cells & lost)]


def free_cells(table: MarginTable, sensitive: Sensitive) -> NDArray[np.int64]:
    """What may be hidden and need not be: no zeros, and not the total of all."""
    return np.flatnonzero(
        ~sensitive.cells & (table.values != 0) & (np.arange(len(table)) > 0))


def least_weight(
    table: MarginTable, sensitive: Sensitive, weights: Floats, no_more: float, least: float = 0.0
) -> float:
    """The least that any safe choice weighs, by trying them all from the lightest on, up to a
    weight."""
    free = free_cells(table, sensitive)
    choices = np.tile(sensitive.cells, (2 ** len(free), 1))
    choices[:, free] = (np.arange(len(choices))[:, None] >> np.arange(len(free))) & 1 == 1
    heavy = choices @ weights
    choices, heavy = choices[heavy <= no_more * (1 + 1e-9)], heavy[heavy <= no_more * (1 + 1e-9)]
    # a sensitive cell that is the only unknown of a sum is lost at a glance
    sums = np.abs(table.sums.toarray())
    needs = sensitive.cells & (sensitive.below + sensitive.above + sensitive.wide > 1e-3)
    lost = ((choices @ sums.T == 1) & (sums @ needs > 0)).any(axis=1)
    for number in np.argsort(heavy, kind="stable"):
        if not lost[number] and not unsafe(table, sensitive, choices[number], least):
            return float(heavy[number])
    return np.inf

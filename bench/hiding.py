"""Hiding further cells of a table with totals, and attacking it: 10,000 numbers in hierarchies."""

from __future__ import annotations

import time

import numpy as np
from scipy.optimize import linprog

from bench.measure import Figure, best_of, milliseconds
from sdc_core.margins.attack import intervals
from sdc_core.margins.hide import Hiding, hide
from sdc_core.margins.rules import Threshold
from sdc_core.margins.table import Axis, Bools, MarginTable

GROUPS, PARTS = 9, 10  # with the groups and the total 100 codes
K = 5
SAMPLE = 10  # hidden numbers that the peer attacks, each with two programs
SECONDS = 60.0


def figures() -> list[Figure]:
    table = _table()
    sensitive = Threshold(K).sensitive(table)
    found: list[Hiding] = []
    seconds = best_of(
        2, lambda: found.append(hide(table, sensitive, method="heuristic")), time.process_time)
    hidden = found[0].hidden
    # nobody has to hide so much: every fifth of the others as well, so that most hang together
    more = hidden | ((np.arange(len(table)) % 5 == 0) & (np.arange(len(table)) > 0))
    some, many = (best_of(3, lambda h=h: intervals(table, h), time.process_time)
                  for h in (hidden, more))
    begun = time.perf_counter()
    best = hide(table, sensitive, seconds=SECONDS)
    took = time.perf_counter() - begun
    what = (f"{len(table):,} numbers with two hierarchies, {int(sensitive.cells.sum())} of them "
            f"below {K}")
    return [
        Figure(f"Further cells to hide, heuristic; {what}",
               f"{milliseconds(seconds)}, {int(found[0].further.sum())} further",
               "limit of 5 s of one core", seconds / 5, 1),
        Figure(f"Attack on all {int(hidden.sum()):,} hidden numbers; {what}",
               milliseconds(some), "limit of 5 s of one core", some / 5, 1),
        Figure(f"Attack where {int(more.sum()):,} numbers are hidden; {what}",
               milliseconds(many), "limit of 5 s of one core", many / 5, None),
        _against_scipy(table, hidden, some),
        Figure(f"Weight above the proved bound after {SECONDS:.0f} s; {what}",
               f"{best.gap:.2%} ({best.weight:,.0f} against {best.bound:,.0f}, {took:.0f} s; the "
               f"heuristic by itself {found[0].weight:,.0f})", "5%", best.gap / 0.05, 1),
    ]


def _axis(name: str) -> Axis:
    parents = [-1]
    for _ in range(GROUPS):
        parents += [0, *[len(parents)] * PARTS]
    codes = tuple(f"{name}{i}" for i in range(len(parents)))
    return Axis(name, name, codes, codes, tuple(parents))


def _table() -> MarginTable:
    """People by two variables that hang together a little, large groups and small ones."""
    rng = np.random.default_rng(1)
    size = GROUPS * PARTS
    mean = 45 * np.outer(rng.lognormal(0, 0.7, size), rng.lognormal(0, 0.7, size))
    counts = rng.poisson(mean * rng.gamma(2, 0.5, mean.shape))
    return MarginTable.of_leaves((_axis("a"), _axis("b")), counts.ravel())


def _against_scipy(table: MarginTable, hidden: Bools, seconds: float) -> Figure:
    """Time for each hidden number, against two programs from scratch for each of a sample."""
    places = np.flatnonzero(hidden)
    sums = table.sums[:, places]
    rows = np.flatnonzero(np.diff(sums.indptr))
    unknown, right = sums[rows], sums[rows] @ table.values[places]
    picked = np.linspace(0, len(places) - 1, SAMPLE).astype(int)
    low, high = intervals(table, hidden)

    def peer() -> list[float]:
        return [sign * float(linprog(
            sign * (np.arange(len(places)) == one), A_eq=unknown, b_eq=right, bounds=(0, None),
        ).fun) for one in picked for sign in (1, -1)]

    theirs = peer()
    ours = np.column_stack([low[places[picked]], high[places[picked]]]).ravel()
    same = np.allclose(ours, theirs, rtol=1e-6, atol=1e-6)
    each, own = best_of(1, peer, time.process_time) / SAMPLE, seconds / len(places)
    return Figure(
        f"Attack a number, against programs from scratch on {SAMPLE} "
        f"({'the same' if same else 'other'} intervals)",
        milliseconds(own), f"scipy linprog, {milliseconds(each)}", each / own, 10, at_least=True)

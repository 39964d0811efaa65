"""Speed of TopDown: one release and twenty, whichever numbers have to come out exactly."""

from __future__ import annotations

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.tables import five_feature_table
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.topdown import INVARIANTS

LIMIT = 5.0


def figures() -> list[Figure]:
    known, table = five_feature_table("national2019")
    rows = []
    for number, runs in ((1, 3), (20, 1)):
        rngs = [repetition_rng(7, r) for r in range(number)]
        methods = {e: sdc.mechanism("topdown", invariants=e) for e in INVARIANTS.choices}
        taken = {
            exact: best_of(runs, lambda m=chosen, r=rngs: m.draw_tables(table, r))
            for exact, chosen in methods.items()
        }
        slowest = max(taken, key=lambda e: taken[e])
        many = "one release" if number == 1 else f"{number} releases"
        rows.append(
            Figure(f"TopDown, {many}, five features; slowest with {slowest!r} exact ({known})",
                   milliseconds(taken[slowest]), f"limit of {milliseconds(LIMIT)}",
                   taken[slowest] / LIMIT, 1)
        )
    return rows

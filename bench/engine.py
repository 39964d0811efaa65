"""Speed of the engine: exact against simulated, simulation against bare numpy, counting."""

from __future__ import annotations

import math
import statistics

import numpy as np

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.tables import five_feature_table
from sdc_core.calibrate import tunable_params
from sdc_core.histogram import count_codes
from sdc_core.mechanisms import mechanisms
from sdc_core.mechanisms.base import CellMechanism, Mechanism, repetition_rng

REPETITIONS = 200


def figures() -> list[Figure]:
    known, table = five_feature_table("national2019")
    where = f"{known}, {len(table):,} cells"
    return [*_exact(table, where), *_solving(), _laplace(table, where), _counting()]


def _exact(table: sdc.Histogram, where: str) -> list[Figure]:
    """The slowest exact mechanism, in time and against its own 200 simulated repetitions."""
    rows = []
    for declared in mechanisms():
        chosen = sdc.mechanism(declared.name)
        if isinstance(chosen, CellMechanism) and _is_random(chosen, table):
            exact = best_of(20, lambda m=chosen: sdc.evaluate(m, table))
            drawn = best_of(
                3, lambda m=chosen: sdc.evaluate(m, table, REPETITIONS, simulate=True)
            )
            rows.append((declared.name, exact, drawn))
    slowest = max(rows, key=lambda row: row[1])
    closest = min(rows, key=lambda row: row[2] / row[1])
    return [
        Figure(
            f"Exact evaluation of one mechanism on counts ({where}); slowest: {slowest[0]}",
            milliseconds(slowest[1]), "limit of 20 ms", slowest[1] / 0.020, 1,
        ),
        Figure(
            f"Exact against {REPETITIONS} repetitions, mechanisms on counts; closest: {closest[0]}",
            milliseconds(closest[1]), f"simulated, {milliseconds(closest[2])}",
            closest[2] / closest[1], 100, at_least=True,
        ),
    ]


def _solving() -> list[Figure]:
    """Which setting keeps the mean error below one, against moving that slider once to a place
    where it has not been before."""
    known, table = five_feature_table("ma2019")
    rows = []
    for name in ("laplace", "geometric", "discrete-gaussian", "suppression", "dp-suppression",
                 "k-anonymity", "swapping"):
        chosen = sdc.mechanism(name).suited_to(table)
        param = tunable_params(chosen)[0]
        settings = [chosen.replace(**{param.name: v}) for v in param.points(13)[3:]]
        sdc.evaluate(chosen, table)  # patterns of the table, which a slider finds ready
        moves = [best_of(1, lambda m=m: sdc.evaluate(m, table)) for m in settings]
        solving = best_of(5, lambda m=chosen, p=param.name: sdc.solve(
            m, table, p, "mean_error", 1.0))
        rows.append((name, solving, statistics.median(moves)))
    slowest = max(rows, key=lambda row: row[1] / row[2])
    longest = max(rows, key=lambda row: row[1])
    where = f"{known}, {len(table):,} cells"
    return [
        Figure(
            f"Solving for a mean error over the whole range ({where}), slider moves' engine time; "
            f"most: {slowest[0]}", milliseconds(slowest[1]),
            f"one evaluation, {milliseconds(slowest[2])}", slowest[1] / slowest[2], 20,
        ),
        Figure(
            f"The same; longest: {longest[0]}", milliseconds(longest[1]),
            f"one evaluation, {milliseconds(longest[2])}", longest[1] / longest[2], 20,
        ),
    ]


def _is_random(chosen: Mechanism, table: sdc.Histogram) -> bool:
    """Of a fixed rule, 200 repetitions are one."""
    first, second = chosen.draw_tables(table, [repetition_rng(1, 0), repetition_rng(1, 1)])
    return not np.array_equal(first, second)


def _laplace(table: sdc.Histogram, where: str) -> Figure:
    chosen = sdc.mechanism("laplace")
    ours = best_of(9, lambda: sdc.evaluate(chosen, table, REPETITIONS, simulate=True))
    rng = np.random.default_rng(7)
    peer = best_of(9, lambda: rng.laplace(0.0, 2.0, (REPETITIONS, len(table))))
    return Figure(
        f"{REPETITIONS} simulated Laplace repetitions with all summaries ({where})",
        milliseconds(ours), f"numpy drawing as many numbers, {milliseconds(peer)}", ours / peer, 2,
    )


def _counting() -> Figure:
    rng = np.random.default_rng(7)
    shape = (20, 9, 2, 3, 2)
    columns = [rng.integers(0, size, 10_000_000).astype(np.int16) for size in shape]
    ready = [c.astype(np.int64) for c in columns]

    def peer_count() -> np.ndarray:
        index = ready[0]
        for codes, size in zip(ready[1:], shape[1:], strict=True):
            index = index * size + codes
        return np.bincount(index, minlength=math.prod(shape))

    if not np.array_equal(count_codes(columns, shape), peer_count()):
        raise AssertionError("the two counts differ")
    ours = best_of(5, lambda: count_codes(columns, shape))
    peer = best_of(5, peer_count)
    return Figure(
        "Histogram of 10 million rows × 5 coded columns", milliseconds(ours),
        f"numpy mixed-radix index and bincount on ready codes, {milliseconds(peer)}",
        ours / peer, 3,
    )

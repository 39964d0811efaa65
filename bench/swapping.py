"""Speed of swapping: by patterns against record by record, and permuting against a shuffle."""

from __future__ import annotations

import dataclasses

import numpy as np

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.tables import five_feature_table
from sdc_core.data.census1940 import massachusetts_1940
from sdc_core.mechanisms.base import repetition_rng

RATE = 0.25
RECORD_SWAP_SECONDS = 0.42  # sdcMicro's recordSwap on national2019, measured once in R/C++


def figures() -> list[Figure]:
    return [
        *_donors(), *_expected_tables(), _repetitions(), _traditional(), _permutation(),
    ]


def _donors() -> list[Figure]:
    known, table = five_feature_table("ma2019")
    chosen = sdc.mechanism("dp-swapping", swap_rate=RATE)
    ours = best_of(9, lambda: chosen.draw_tables(table, [repetition_rng(7, 0)]))
    peer = best_of(1, lambda: _record_by_record(table, np.random.default_rng(7)))
    return [
        Figure(
            f"One dp-swapping repetition at 25% ({known})", milliseconds(ours),
            f"donor search record by record, distances vectorised, {milliseconds(peer)}",
            peer / ours, 300, at_least=True,
        )
    ]


def _record_by_record(table: sdc.Histogram, rng: np.random.Generator) -> np.ndarray:
    """The mechanism as one would first write it: for each chosen record, all other records."""
    cells = np.repeat(np.arange(len(table)), table.counts)
    codes = np.stack(np.unravel_index(cells, table.domain.shape), axis=1)
    qis = list(table.domain.axes(("RAC1P", "SEX"), "quasi_identifiers"))
    rate = 1.0 / (2 * codes.shape[1])
    released = codes.copy()
    for i in np.flatnonzero(rng.random(len(codes)) < RATE):
        noisy = -(codes != codes[i]).sum(axis=1) + rng.exponential(1 / rate, len(codes))
        noisy[i] = -np.inf
        released[i, qis] = codes[noisy.argmax(), qis]
    return released


def _expected_tables() -> list[Figure]:
    rows = []
    for name, limit in (("ma2019", 0.3), ("national2019", 3.0)):
        known, table = five_feature_table(name)

        def cold(table: sdc.Histogram = table) -> object:
            anew = dataclasses.replace(table)  # nothing is kept with it
            return sdc.evaluate(sdc.mechanism("dp-swapping", swap_rate=RATE), anew)

        seconds = best_of(3, cold)
        rows.append(
            Figure(f"Exact table, variance and error of dp-swapping, from nothing ({known})",
                   milliseconds(seconds), f"limit of {milliseconds(limit)}", seconds / limit, 1)
        )
    return rows


def _repetitions() -> Figure:
    known, table = five_feature_table("national2019")
    chosen = sdc.mechanism("dp-swapping", swap_rate=RATE)
    seconds = best_of(1, lambda: sdc.evaluate(chosen, table, 200, simulate=True))
    return Figure(f"200 dp-swapping repetitions ({known})", milliseconds(seconds),
                  "limit of 10 s", seconds / 10, 1)


def _traditional() -> Figure:
    known, table = five_feature_table("national2019")
    slowest = max(
        best_of(3, lambda m=m: m.draw_tables(table, [repetition_rng(7, 0)]))
        for m in (sdc.mechanism("swapping", swap_rate=RATE, paired=p) for p in (False, True))
    )
    return Figure(
        f"Traditional swapping at 25%, the slower of taking and exchanging ({known}). sdcMicro "
        "swaps whole households by risk within hierarchies and moved 56% when asked for 25%; ours "
        "draws single records alike",
        milliseconds(slowest), "sdcMicro recordSwap, 420 ms, measured elsewhere",
        slowest / RECORD_SWAP_SECONDS, 1,
    )


def _permutation() -> Figure:
    table = massachusetts_1940()
    chosen = sdc.mechanism(
        "permutation-swapping", swap_rate=0.5, match=(), swap=("COUNTY",), hold=("TENURE",)
    )
    ours = best_of(3, lambda: chosen.draw_tables(table, [repetition_rng(7, 0)]))
    rng = np.random.default_rng(7)
    numbers = np.arange(table.total)
    peer = best_of(3, lambda: rng.shuffle(numbers))
    return Figure(
        f"Permutation swapping of {table.total:,} dwellings at 50%", milliseconds(ours),
        f"one numpy shuffle of as many numbers, {milliseconds(peer)}", ours / peer, 6,
    )

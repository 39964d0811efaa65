"""Speed of k-anonymity: Mondrian on patterns against anonypy's on records, and repetitions."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np
import pandas as pd

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.tables import five_feature_table
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms import kanonymity
from sdc_core.mechanisms.mondrian import partition_records

K = 6


def figures() -> list[Figure]:
    return [*_against_anonypy(), *_exact(), *_repetitions()]


def _against_anonypy() -> list[Figure]:
    """From records to classes, all five features; a line says so where anonypy is missing."""
    if importlib.util.find_spec("anonypy") is None:
        print("k-anonymity: anonypy is not installed, so the comparison with it is left out.")
        return []
    known, table = five_feature_table("ma2019")
    cells = np.repeat(np.arange(len(table)), table.counts)
    codes = np.stack(np.unravel_index(cells, table.domain.shape), axis=1)
    codes = np.random.default_rng(7).permutation(codes)
    frame = pd.DataFrame(codes, columns=list(FIVE_FEATURES)).astype("category")
    mondrian = importlib.import_module("anonypy.mondrian")
    ours = best_of(9, lambda: partition_records(codes, [False] * len(FIVE_FEATURES), K))
    peer = best_of(3, lambda: mondrian.Mondrian(frame, list(FIVE_FEATURES)).partition(K))
    return [
        Figure(
            f"Mondrian at k = {K} from records, five features ({known})", milliseconds(ours),
            f"anonypy's Mondrian, {milliseconds(peer)}", peer / ours, 25, at_least=True,
        )
    ]


def _exact() -> list[Figure]:
    rows = []
    for name, limit in (("ma2019", 0.1), ("national2019", 0.5)):
        known, table = five_feature_table(name)

        def cold(table: sdc.Histogram = table) -> object:
            kanonymity._patterns.cache_clear()
            kanonymity._classes.cache_clear()
            chosen = sdc.mechanism("k-anonymity", k=K, quasi_identifiers=FIVE_FEATURES)
            return sdc.evaluate(chosen, table)

        seconds = best_of(3, cold)
        rows.append(
            Figure(f"Exact moments of k-anonymity, five features, from nothing ({known})",
                   milliseconds(seconds), f"limit of {milliseconds(limit)}", seconds / limit, 1)
        )
    return rows


def _repetitions() -> list[Figure]:
    rows = []
    for name, limit in (("ma2019", 3.0), ("national2019", 10.0)):
        known, table = five_feature_table(name)
        chosen = sdc.mechanism("dp-k-anonymity", k=K, quasi_identifiers=FIVE_FEATURES)
        seconds = best_of(1, lambda c=chosen, t=table: sdc.evaluate(c, t, 200))
        rows.append(
            Figure(f"200 dp-k-anonymity repetitions, five features ({known})",
                   milliseconds(seconds), f"limit of {milliseconds(limit)}", seconds / limit, 1)
        )
    return rows

"""Methods for records: neighbourhoods against scikit-learn's search, partitions against the full
search, growth with rows, rank swapping and MDAV against sdcMicro, and the whole Microdata lab.

sdcMicro is in no Debian package, so its two figures were measured elsewhere, on this kind of
machine with nothing else to do, and say so. What stands beside them is processor time (of one
thread): on a busy machine a clock on the wall would time whatever else runs.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

import sdc_core as sdc
from bench.measure import Figure, best_of, medians_taking_turns, milliseconds
from bench.tables import found
from sdc_core.data import entry
from sdc_core.data.microdata import microdata
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.microaggregation import Microaggregation
from sdc_core.mechanisms.neighbours import _search, from_parts, from_sample
from sdc_core.mechanisms.rank_swapping import RankSwapping
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.records import Records, Scale

SDCMICRO_RANK_SWAP = 20.8  # seconds, three columns of 100,000 rows
SDCMICRO_MDAV = 3.2  # seconds, 27,253 rows of three columns
K = 5
LOOKED_AT = 1000


def figures() -> list[Figure]:
    return [_exact(), *_large(), _growth(), _rank_swapping(), _mdav(), _lab()]


def _exact() -> Figure:
    """A release from nothing against the search for neighbours alone."""
    known = found("ma2019")
    records = microdata(sdc.load_dataset(known))
    points = Scale.of(records).points(records)

    def ours() -> None:
        fresh = records.with_values(records.values.copy())  # nothing kept from before
        next(Rwn(q=0.5, k=K).draw_records(fresh, [repetition_rng(1, 0)]))

    def theirs() -> None:
        NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(points).kneighbors(
            points, return_distance=False)

    own, peer = medians_taking_turns(5, ours, theirs)
    return Figure(
        f"RWN, exact, one release from nothing, {len(records):,} records with "
        f"{points.shape[1]} coordinates ({known})", milliseconds(own),
        f"scikit-learn's brute-force search for the {K} nearest alone, {milliseconds(peer)}",
        own / peer, 1.5,
    )


def _large() -> list[Figure]:
    """Fifty categories with two levels; of the full search a tenth of the rows is timed."""
    rng = np.random.default_rng(1)
    points = np.eye(2)[rng.integers(0, 2, (100_000, 50))].reshape(100_000, 100)
    everybody, some = np.arange(len(points)), np.arange(0, len(points), 10)
    full = 10 * best_of(1, lambda: [None for _ in _search(points, some, everybody, K, 0.0)])
    rows = []
    for words, search in (("within random parts", from_parts), ("in a random sample", from_sample)):
        taken = best_of(2, lambda s=search: s(points, K, 0.0, LOOKED_AT, np.random.default_rng(2)))
        rows.append(Figure(
            f"Neighbours {words} of {LOOKED_AT:,}, 100,000 rows with 100 one-hot coordinates",
            milliseconds(taken), f"full search, {milliseconds(full)} (ten times a tenth of it)",
            full / taken, 10, at_least=True,
        ))
    return rows


def _growth() -> Figure:
    """Time a row, at a million and at a hundred thousand."""
    method = Rwn(q=0.5, k=K, search="parts", looked_at=LOOKED_AT)
    each = {}
    for rows in (100_000, 1_000_000):
        rng = np.random.default_rng(3)
        records = Records.of(np.column_stack(
            [rng.normal(size=(rows, 4)), rng.integers(0, 90, (rows, 2))]))
        each[rows] = best_of(
            2, lambda r=records: next(method.draw_records(r, [repetition_rng(1, 0)]))) / rows
    few, many = each.values()
    return Figure(
        f"RWN within random parts of {LOOKED_AT:,}: time a row at 1,000,000 rows of six columns",
        f"{1e6 * many:.3g} µs ({many * 1_000_000:.3g} s in all)",
        f"at 100,000 rows, {1e6 * few:.3g} µs", many / few, 1.5,
    )


def _rank_swapping() -> Figure:
    rng = np.random.default_rng(4)
    records = Records.of(rng.lognormal(size=(100_000, 3)))
    taken = best_of(
        5, lambda: next(RankSwapping(p=0.1).draw_records(records, [repetition_rng(1, 0)])),
        time.process_time)
    return Figure(
        "Rank swapping of three columns of 100,000 rows, processor time", milliseconds(taken),
        f"sdcMicro rankSwap, {SDCMICRO_RANK_SWAP:g} s, measured elsewhere",
        SDCMICRO_RANK_SWAP / taken, 50, at_least=True,
    )


def _mdav() -> Figure:
    known = found("national2019")
    records = microdata(sdc.load_dataset(known), ["AGEP", "PINCP", "POVPIP"])
    whole = Records.of(np.nan_to_num(records.values))
    taken = best_of(3, lambda: Microaggregation(k=3).clusters(whole), time.process_time)
    return Figure(
        f"MDAV with clusters of 3, {len(whole):,} rows of three columns ({known}), processor time",
        milliseconds(taken), f"sdcMicro mdav, {SDCMICRO_MDAV:g} s, measured elsewhere",
        SDCMICRO_MDAV / taken, 3, at_least=True,
    )


def _lab() -> Figure:
    """The page with as many releases at each level as P4 has."""
    known = "bodyfat" if entry("bodyfat").path() else entry("bodyfat").twin
    study = sdc.Study(sdc.load_dataset(known))
    seconds = best_of(1, lambda: sdc.ask("microdata_lab", study, ml_releases="100"))
    return Figure(
        f"Microdata lab, all methods, 100 releases at each level ({known})", f"{seconds:.1f} s",
        "limit of 20 s", seconds / 20, 1,
    )

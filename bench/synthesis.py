"""Synthetic data: speed and total variation of AIM and MST against smartnoise-synth's.

At the same ε the two promise different things: ours that one record may change to any other, the
peer's that one record may be there or not, for which √2 less noise is enough. So total variation is
compared with ours given the ε at which it adds the same noise; what it is at the same ε stands
beside it. The peer's default workload is pairs, ours goes up to triples: its result with triples is
given too. Its fitted model is what counts, since the rows that mbi 1.1.0 draws by default do not
follow it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.peer import ask
from bench.tables import five_feature_table
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.synthesis import zcdp_rho

EPSILON = 4.0
SEEDS = 20
WORDS = {"aim": "AIM", "mst": "MST"}
FASTER = {"aim": 10, "mst": 1}
PEER_RUNS = {"aim": 3, "aim, triples": 2, "mst": 5}  # its AIM takes half a minute a run


def figures() -> list[Figure]:
    known, table = five_feature_table("ma2019")
    ours = {name: _distances(name, EPSILON, table) for name in WORDS}
    apart = _independent(table)
    what = f"at ε = {EPSILON:g}: five-way total variation of its rows, {SEEDS} seeds ({known})"
    rows = [
        Figure(f"AIM {what}", _mean(ours["aim"]), "limit of 0.05",
               float(np.mean(ours["aim"])) / 0.05, 1),
        Figure(f"MST {what}", _mean(ours["mst"]),
               f"independent columns without noise, {apart:.3f}",
               float(np.mean(ours["mst"])) / apart, 0.5),
    ]
    records = sdc.load_dataset(known).records[list(FIVE_FEATURES)]
    delta = sdc.mechanism("aim").delta
    answer = ask("smartnoise", {"records": records}, epsilon=EPSILON, delta=delta, runs=PEER_RUNS)
    if answer is None:
        return rows
    same_noise = brentq(
        lambda e: zcdp_rho(e, delta) - 2 * zcdp_rho(EPSILON, delta), EPSILON, 3 * EPSILON
    )
    for name in WORDS:
        rows.append(_speed(name, known, answer[name]["seconds"]))
        rows.append(_gap(name, ours[name], same_noise, _distances(name, same_noise, table), answer))
    return rows


def _distances(name: str, epsilon: float, table: sdc.Histogram) -> list[float]:
    """Total variation between releases and data, over all features together."""
    truth = table.counts / table.total
    rngs = [repetition_rng(7, r) for r in range(SEEDS)]
    tables = sdc.mechanism(name, epsilon=epsilon).draw_tables(table, rngs)
    return [float(np.abs(t.reshape(-1) / t.sum() - truth).sum() / 2) for t in tables]


def _speed(name: str, known: str, peer: float) -> Figure:
    data = sdc.load_dataset(known)
    chosen = sdc.mechanism(name, epsilon=EPSILON)
    seconds = best_of(5, lambda: chosen.draw_tables(
        data.histogram(FIVE_FEATURES, "observed"), [repetition_rng(7, 0)]))
    return Figure(
        f"{WORDS[name]} at ε = {EPSILON:g}, five features, one release ({known})",
        milliseconds(seconds), f"smartnoise-synth 1.0.8 {WORDS[name]}, {milliseconds(peer)}",
        peer / seconds, FASTER[name], at_least=True,
    )


def _gap(
    name: str, ours: Sequence[float], same_noise: float, as_quiet: Sequence[float],
    answer: dict[str, Any],
) -> Figure:
    """How much further our rows are from the data than its model, in standard errors."""
    theirs = answer[name]["distances"]
    more = "".join(
        f"; {WORDS[name]}{which.removeprefix(name)} {_mean(found['distances']['model'])}"
        for which, found in answer.items() if which.startswith(name) and which != name
    )
    error = math.hypot(_error(as_quiet), _error(theirs["model"]))
    return Figure(
        f"{WORDS[name]}: total variation beyond the peer's at the same noise, in standard errors. "
        f"Its ε = {EPSILON:g} covers one record more or less, which is our ε = {same_noise:.2f}",
        f"{_mean(as_quiet)} (at our ε = {EPSILON:g}: {_mean(ours)})",
        f"smartnoise-synth 1.0.8 {WORDS[name]}: fitted model {_mean(theirs['model'])}, rows drawn "
        f"from it one by one {_mean(theirs['sampled'])}, rows as it gives them "
        f"{_mean(theirs['rows'])}{more}",
        float(np.mean(as_quiet) - np.mean(theirs["model"])) / error, 2,
    )


def _independent(table: sdc.Histogram) -> float:
    """Total variation if every column were right but unlinked with the others."""
    truth = table.counts.reshape(table.domain.shape) / table.total
    axes = range(truth.ndim)
    columns = [truth.sum(axis=tuple(b for b in axes if b != a)) for a in axes]
    return float(np.abs(functools.reduce(np.multiply.outer, columns) - truth).sum() / 2)


def _error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.4f} ± {_error(values):.4f}"

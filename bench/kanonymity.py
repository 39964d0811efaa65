"""Speed of k-anonymity: Mondrian on patterns against anonypy's on records, and repetitions."""

from __future__ import annotations

import dataclasses

import numpy as np

import sdc_core as sdc
from bench import halving
from bench.measure import Figure, best_of, milliseconds
from bench.peer import ask
from bench.tables import five_feature_table, found
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms.mondrian import partition_records

K = 6
QUASI_IDENTIFIERS = ("RAC1P", "SEX", "OWN_RENT", "AGEP")


def figures() -> list[Figure]:
    return [*_against_anonypy(), *_exact(), *_repetitions()]


def _against_anonypy() -> list[Figure]:
    """From records to classes, with the peer's cuts, size by size, and with the engine's.

    Two readings: all codes as numbers, as they come from a CSV file, and only age as a number.
    """
    known = found("ma2019")
    records = sdc.load_dataset(known).records[list(QUASI_IDENTIFIERS)].astype(np.int64)
    codes = records.to_numpy()
    rows = []
    for words, numeric in (("all as numbers", QUASI_IDENTIFIERS), ("age as a number", ("AGEP",))):
        answer = ask("anonypy", {"records": records}, numeric=numeric, k=[5, K], runs=3)
        if answer is None:
            return rows
        flags = [name in numeric for name in QUASI_IDENTIFIERS]
        sizes = {k: halving.class_sizes(codes, flags, k) for k in (5, K)}
        equal = all(np.array_equal(sizes[k], answer[str(k)]["sizes"]) for k in sizes)
        classes = ", ".join(f"{len(sizes[k])} at k = {k}" for k in sizes)
        theirs = ", ".join(f"{len(answer[str(k)]['sizes'])} at k = {k}" for k in sizes)
        peer = answer[str(K)]["seconds"]
        same = best_of(9, lambda f=flags: halving.class_sizes(codes, f, K))
        own = best_of(9, lambda f=flags: partition_records(codes, f, K))
        finer = partition_records(codes, flags, K).max() + 1
        what = f"race, sex, tenure, age in years, {words} ({known})"
        against = f"anonypy 0.2.1, {milliseconds(peer)}"
        rows += [
            Figure(f"Mondrian from records at k = {K}, its cuts on patterns, {what}",
                   milliseconds(same), against, peer / same, 25, at_least=True),
            Figure(f"Mondrian from records at k = {K}, the engine's finer cuts ({finer} classes), "
                   f"{what}", milliseconds(own), against, peer / own, 25, at_least=True),
            Figure(f"The same class sizes with its cuts at both k (1: yes), {what}",
                   f"{classes}", f"anonypy, {theirs}", equal, 1, at_least=True),
        ]
    return rows


def _exact() -> list[Figure]:
    rows = []
    for name, limit in (("ma2019", 0.1), ("national2019", 0.5)):
        known, table = five_feature_table(name)

        def cold(table: sdc.Histogram = table) -> object:
            anew = dataclasses.replace(table)  # nothing is kept with it
            chosen = sdc.mechanism("k-anonymity", k=K, quasi_identifiers=FIVE_FEATURES)
            return sdc.evaluate(chosen, anew)

        seconds = best_of(3, cold)
        rows.append(
            Figure(f"Exact moments of k-anonymity, five features, from nothing ({known})",
                   milliseconds(seconds), f"limit of {milliseconds(limit)}", seconds / limit, 1)
        )
    return rows


def _repetitions() -> list[Figure]:
    rows = []
    for name, features, limit in (
        ("ma2019", FIVE_FEATURES, 3.0), ("national2019", FIVE_FEATURES, 10.0),
        ("ma2019", QUASI_IDENTIFIERS, 30.0),
    ):
        known = found(name)
        data = sdc.load_dataset(known)
        if "AGEP" in features:  # by years, the rarest ages together
            ages = data.records["AGEP"].nunique()
            data = data.with_columns([dataclasses.replace(data.column("AGEP"), bins=ages)])
        table = data.histogram(features, "observed")
        chosen = sdc.mechanism("dp-k-anonymity", k=K, quasi_identifiers=features)
        seconds = best_of(1, lambda c=chosen, t=table: sdc.evaluate(c, t, 200))
        rows.append(
            Figure(f"200 dp-k-anonymity repetitions, {', '.join(features)}, {len(table):,} cells "
                   f"({known})", milliseconds(seconds), f"limit of {milliseconds(limit)}",
                   seconds / limit, 1)
        )
    return rows

"""What P4 says in words of whom methods protect from whom (§6.5, §9.1, §10.3), tried on its
files."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from sdc_core.data.microdata import microdata
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata import intruders, recognised
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p4_body import people, rwn
from sdc_core.papers.p4_claims_text import (
    CLUSTER,
    FILES,
    OF_ENGINEERS,
    OF_NUMBERS,
    over,
    rank_swapping,
)
from sdc_core.papers.p4_engineers import pscr, wages
from sdc_core.record_experiment import record_releases

NO_BETTER = 0.05  # by so much more often right than off a random record is not by chance


def _right_readings(case: Case, method: Mechanism) -> float:
    """How often whoever knows who has the largest value of one variable reads another one off
    rightly, over all pairs of numbers."""
    records = people(case.data)
    pairs = [*itertools.permutations(records.names, 2)]
    return over(case, records, method, lambda one: float(np.mean([
        intruders.extreme(records, one, a, b).outcome == "right" for a, b in pairs])), 2, 10).mean


def _by_guess(case: Case) -> float:
    """The same for whoever takes a random record for that person's."""
    values = people(case.data).values
    truths = values[values.argmax(axis=0)]  # a row for each variable that is largest
    close = np.abs(values[:, None, :] - truths) <= intruders.CLOSE * np.abs(truths)
    shares = close.mean(axis=0)
    return float(shares[~np.eye(len(truths), dtype=bool)].mean())


def _extremes_stay(case: Case) -> Found:
    as_run, bare = (_right_readings(case, rank_swapping(tails)) for tails in (True, False))
    guess = _by_guess(case)
    return Found(as_run > guess + NO_BETTER, "Another number is read off rightly in "
                 f"{as_run:.0%} of attempts with sdcMicro's tails, in {bare:.0%} without, in "
                 f"{guess:.0%} off a random record; five points more than that is no help.")


def _extremes_hidden(name: str) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        method = rwn(0.5) if name == "rwn" else mechanism("microaggregation", k=CLUSTER)
        right, guess = _right_readings(case, method), _by_guess(case)
        return Found(right < guess + NO_BETTER, "Another number is read off rightly in "
                     f"{right:.0%} of attempts, in {guess:.0%} off a random record; less than five "
                     "points more counts as well.")
    return test


def _members_hidden(case: Case) -> Found:
    records = people(case.data)
    order = np.random.default_rng(case.attempt.seed).permutation(len(records))
    inside, outside = (records.rows(np.sort(half)) for half in np.array_split(order, 2))
    chances = {
        title: over(case, inside, method, lambda one: intruders.membership(inside, outside, one))
        for title, method in (
            ("RWN", rwn(0.8)), ("microaggregation", mechanism("microaggregation", k=14)))}
    said = ", ".join(f"{one.mean:.2f} with {title}" for title, one in chances.items())
    return Found(all(one.mean < 0.75 for one in chances.values()), "Who of two is in the data is "
                 f"told with chance {said}; below 0.75, nearer to guessing, counts as well.")


def _hidden_in_a_crowd(case: Case) -> Found:
    whole = wages(case.data)
    (out, *_) = record_releases(mechanism("rwn", k=10, q=1.0), whole.records, 2, case.attempt.seed)
    found = recognised.closest(whole.points, whole.scale.points(out))
    there = found.distance < 1e-9
    alone = float(found.chances()[there].mean())
    return Found(alone < 0.5, f"{there.mean():.0%} have a released record just like them; it is "
                 f"their own with chance {alone:.0%} (k = 10, q = 100%).")


def _sample_protects(case: Case) -> Found:
    whole, seed = wages(case.data), case.attempt.seed
    by_sample = OverReleases(np.array([
        recognised.self_closest_record(whole.points, whole.scale.points(one))
        for one in record_releases(
            mechanism("rwn", k=10, q=0.5, search="sample", looked_at=1000), whole.records, 2, seed)
    ]))
    by_all = pscr(case.data, 10, 0.5, 2, seed)
    return Found(by_sample.mean < by_all.mean - 0.005, f"{by_sample.mean:.1%} are recognised with "
                 f"neighbours from a sample of 1,000, {by_all.mean:.1%} with all.")


def _alike_in_clusters(case: Case) -> Found:
    records = microdata(case.data)
    (out, *_) = record_releases(mechanism("microaggregation", k=CLUSTER), records, 2, 7)
    sizes = recognised.class_sizes(out.values.round(9))
    return Found(int(sizes.min()) >= CLUSTER, f"The smallest group of equal records has "
                 f"{int(sizes.min())} (k = {CLUSTER}).")


def _claim(
    number: int, where: str, sentence: str, test: Callable[[Case], Found],
    about: tuple[str, ...], besides: tuple[str, ...] = (), slow: bool = False, item: str = "text",
) -> Claim:
    return Claim("P4", number, item, where, sentence, test, about, besides, ("",), slow)


CLAIMS: tuple[Claim, ...] = (
    _claim(41, "§6.5", "Rank swapping does not solve the case of somebody who knows who has the "
           "largest value, read as: another value of theirs is read off more often than by guess.",
           _extremes_stay, OF_NUMBERS[:1], FILES),
    _claim(42, "§6.5", "RWN helps well against somebody who knows who has the largest value.",
           _extremes_hidden("rwn"), OF_NUMBERS[:1], ("pima", "svcensus-twin"), True),
    _claim(43, "§6.5", "Microaggregation helps well against somebody who knows who has the largest "
           "value.", _extremes_hidden("microaggregation"), OF_NUMBERS[:1],
           ("pima", "svcensus-twin")),
    _claim(44, "§6.5", "Microaggregation, and RWN that changes enough, hide who is in the data.",
           _members_hidden, OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(46, "§9.1.2", "Microaggregation of k records makes all of them like k − 1 others, "
           "read as: in all variables (§6.4 warns of those outside the clusters).",
           _alike_in_clusters, OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(47, "§9.1.5", "Where there are categories and few values, a released record just like a "
           "person's need not be a risk.", _hidden_in_a_crowd, OF_ENGINEERS[:1], OF_ENGINEERS[1:],
           True),
    _claim(48, "§10.3.1", "Neighbours from a random sample potentially protect better (said of a "
           "sample for each record; tried with one sample for all).", _sample_protects,
           OF_ENGINEERS[:1], OF_ENGINEERS[1:], True),
)

"""What P4 says of methods in words alone (§4 to §7, §9.1, §10), tried on its files."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from sdc_core.data.microdata import microdata
from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.microdata import relations
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p4_body import people, rwn
from sdc_core.papers.p4_engineers import e_to_the_census_epsilon
from sdc_core.papers.p4_told import above, below, every
from sdc_core.record_experiment import record_releases
from sdc_core.records import Records

FILES = ("bodyfat", "pima", "svcensus", "svcensus-twin")
OF_NUMBERS = ("bodyfat", "pima")
OF_ENGINEERS = ("svcensus", "svcensus-twin")
RANGE = 0.27  # index 6 of Table 3, its middle
CLUSTER = 7


def over(
    case: Case, records: Records, method: Mechanism, of: Callable[[Records], float],
    quick: int = 3, full: int = 20,
) -> OverReleases:
    return OverReleases(np.array([of(one) for one in record_releases(
        method, records, case.attempt.either(full, quick), case.attempt.seed)]))


def rank_swapping(tails: bool = True, **settings: object) -> Mechanism:
    share = 0.05 if tails else 0.0
    given = settings or {"p": RANGE}
    return mechanism("rank-swapping", top=share, bottom=share, **given)


def _same_columns(before: Records, after: Records) -> float:
    """The share of columns that have the same numbers, whoever has them."""
    return float(np.mean([
        np.array_equal(np.sort(a), np.sort(b))
        for a, b in zip(before.values.T, after.values.T, strict=True)]))


def _keeps_columns(case: Case) -> Found:
    records = people(case.data)
    as_run, bare = (
        over(case, records, rank_swapping(tails),
             lambda one: _same_columns(records, one), 2, 2).mean
        for tails in (True, False))
    return Found(as_run == 1, f"With sdcMicro's tails, which P4 runs, {as_run:.0%} of the columns "
                 f"keep their numbers; without tails {bare:.0%}.")


def _new_values(before: Records, after: Records) -> float:
    return float(np.mean([
        ~np.isin(b, a) for a, b in zip(before.values.T, after.values.T, strict=True)]))


def _lost_values(before: Records, after: Records) -> float:
    pairs = [(np.unique(a), np.unique(b)) for a, b in
             zip(before.values.T, after.values.T, strict=True)]
    return 1 - sum(len(b) for _, b in pairs) / sum(len(a) for a, _ in pairs)


def _invents_nothing(case: Case) -> Found:
    records = microdata(case.data)
    new = over(case, records, rwn(0.0), lambda one: _new_values(records, one), 2, 5)
    lost = over(case, records, rwn(0.0), lambda one: _lost_values(records, one), 2, 5)
    return Found(new.mean == 0 and lost.mean > 0, f"{new.mean:.0%} of released values are new; "
                 f"{lost.mean:.1%} of all different values disappear (k = 5, q = 1).")


def _invents(case: Case) -> Found:
    records = people(case.data)
    new = over(case, records, mechanism("microaggregation", k=CLUSTER),
                lambda one: _new_values(records, one), 2, 2)
    return Found(new.mean > 0.5, f"{new.mean:.0%} of released numbers are nobody's (k = 7).")


def _variation(before: Records, after: Records) -> float:
    return float((after.values.var(axis=0) / before.values.var(axis=0)).mean())


def _averaging_narrows(case: Case) -> Found:
    records = people(case.data)
    (out, *_) = record_releases(mechanism("microaggregation", k=CLUSTER), records, 2, 7)
    ratio = out.values.var(axis=0) / records.values.var(axis=0)
    return Found(bool((ratio < 1).all()), f"Variances are {ratio.min():.0%} to {ratio.max():.0%} "
                 "of what they were (k = 7).")


def _borrowing_keeps_width(case: Case) -> Found:
    records = people(case.data)
    found = [over(case, records, rwn(r), lambda one: _variation(records, one), 10, 60)
             for r in (0.0, 0.5)]
    narrower = [below(one, 0.98) for one in found]
    return Found(every(None if n is None else not n for n in narrower),
                 f"Variances are {found[0].mean:.1%} of what they were at radius 0 and "
                 f"{found[1].mean:.1%} at radius 0.5, on average; 98% counts as kept.")


def _below_nought(case: Case) -> Found:
    records = people(case.data)
    low = [j for j in range(len(records.names)) if records.values[:, j].min() == 0]
    if not low:
        raise InputError("No measurement is 0 for anybody.")
    noise = mechanism("noise-addition", share=0.5)
    negative = over(case, records, noise, lambda one: float((one.values[:, low] < 0).mean()))
    before = records.values[:, low].mean(axis=0)
    shift = over(case, records, noise, lambda one: float(
        (np.maximum(one.values[:, low], 0).mean(axis=0) / before - 1).mean()))
    return Found(every([above(negative, 0.0), above(shift, 0.0)]),
                 f"Noise of half a deviation: {negative.mean:.1%} are below 0; cut off there, "
                 f"means grow by {shift.mean:.1%}.")


def _like_the_data(case: Case) -> Found:
    records = people(case.data)
    before = relations.correlations(records.values)
    upper = np.triu_indices(len(before), 1)

    def growth(structure: str) -> OverReleases:
        noise = mechanism("noise-addition", share=0.5, structure=structure)
        return over(case, records, noise, lambda one: float((
            np.abs(relations.correlations(one.values)) - np.abs(before))[upper].mean()), 10, 60)
    kept, lost = growth("correlated"), growth("independent")
    return Found(every([abs(kept.mean) < 0.01, below(lost, 0.0)]), "Mean growth of |r|: "
                 f"{kept.mean:+.3f} with the data's own covariance, {lost.mean:+.3f} without.")


def _keeps_as_asked(case: Case) -> Found:
    records = people(case.data)
    before = np.abs(relations.correlations(records.values))
    strong = np.triu(before > 0.3, 1)
    levels = [
        over(case, records, rank_swapping(rule="correlation", r0=r0), lambda one: float((
            relations.correlations(one.values) / relations.correlations(records.values)
        )[strong].mean()), 5, 40) for r0 in (0.1, 0.5, 0.9)]
    said = ", ".join(f"{one.mean:.2f}" for one in levels)
    return Found(every(above(b, a) for a, b in itertools.pairwise(levels)),
                 f"Of correlations above 0.3 are left, at R0 = 0.1, 0.5, 0.9: {said}.")


def share_changed(records: Records, method: Rwn) -> float:
    """The expected share of released values that differ from the record's own, exactly."""
    near, same = method.neighbourhoods(records), []
    for column in records.values.T:
        owners = np.repeat(column, near.sizes)
        alike = (column[near.members] == owners).astype(np.float64)
        same.append((np.add.reduceat(alike, near.starts[:-1]) / near.sizes).mean())
    return method.q * (1 - float(np.mean(same)))


def _somebody_elses(case: Case) -> Found:
    found = share_changed(microdata(case.data), Rwn(k=10, q=0.5))
    return Found(found > 0.45, f"At q = 50% (k = 10), {found:.1%} of released values are not the "
                 "person's own: neighbours often have the same.")


def _census_epsilon(case: Case) -> Found:
    return Found(e_to_the_census_epsilon() > 300, f"e^19.61 is {e_to_the_census_epsilon():.1f} "
                 "million.")


def _nearer_with_smaller(case: Case) -> Found:
    records = people(case.data)
    losses = [
        over(case, records, rwn(r, k=1), lambda one: relations.correlation_change(
            records.values, one.values), 5, 40) for r in (0.8, 0.4, 0.2)]
    said = ", ".join(f"{one.mean:.3f}" for one in losses)
    return Found(every(below(b, a) for a, b in itertools.pairwise(losses)),
                 f"IL₁ at radius 0.8, 0.4, 0.2 (k = 1, q = 1): {said}.")


def _claim(
    number: int, where: str, sentence: str, test: Callable[[Case], Found],
    about: tuple[str, ...], besides: tuple[str, ...] = (), slow: bool = False, item: str = "text",
) -> Claim:
    return Claim("P4", number, item, where, sentence, test, about, besides, ("",), slow)


CLAIMS: tuple[Claim, ...] = (
    _claim(31, "§4.2", "Rank swapping keeps the distribution of each variable (said of standard "
           "rank swapping; tried as sdcMicro runs it, which averages the tails).", _keeps_columns,
           OF_NUMBERS[:1], FILES),
    _claim(32, "§4.2, §4.3", "RWN releases no value that nobody has, and some may disappear.",
           _invents_nothing, OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(33, "§4.3", "Microaggregation releases values that nobody has.", _invents,
           OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(34, "§4.3", "Microaggregation lessens the variation of the data.", _averaging_narrows,
           OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(35, "§4.3", "RWN does not lessen the variation of the data.", _borrowing_keeps_width,
           OF_NUMBERS[:1], ("pima", "svcensus-twin"), True),
    _claim(36, "§6.1", "Noise makes numbers negative that cannot be; cut off at 0 they are too "
           "large on average.", _below_nought, ("pima", "svcensus"), ("svcensus-twin",)),
    _claim(37, "§6.3", "Noise with the data's own covariance keeps correlations; independent noise "
           "does not.", _like_the_data, OF_NUMBERS[:1], ("pima", "svcensus-twin")),
    _claim(38, "§6.3", "Rank swapping keeps correlations to the extent that its user asks for.",
           _keeps_as_asked, OF_NUMBERS[:1], ("pima",)),
    _claim(39, "§6.4", "With chance q a released value is not the person's own.", _somebody_elses,
           ("bodyfat", "svcensus"), ("pima", "svcensus-twin"), True),
    _claim(40, "§6.4", "e^19.61 is more than 300 million.", _census_epsilon, OF_NUMBERS[:1], (),
           item="text-6.4"),
    _claim(45, "§7", "The smaller the radius, the closer are relations to what they were.",
           _nearer_with_smaller, OF_NUMBERS[:1], ("pima",)),
)

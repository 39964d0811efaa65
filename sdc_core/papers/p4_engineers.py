"""P4 on programmers and engineers, and on the Pima study: Table 1, Figures 2 to 4, §9.5."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.data.microdata import microdata
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.on_records import draw_records
from sdc_core.metrics.microdata import prediction, recognised, relations
from sdc_core.metrics.microdata.arrays import Ints
from sdc_core.metrics.microdata.battery import Original, Pair, Task
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.item import Attempt
from sdc_core.papers.verdicts import Ours
from sdc_core.record_experiment import record_releases
from sdc_core.records import Records

Floats = NDArray[np.float64]

WIDTHS = (5, 25)  # years to which ages are rounded
KEPT = (0.1, 0.9)  # R0
EVERY, HALF = "q = 100%", "q = 50%"
OWN_BINS, FIRST_BINS = "bins of the release", "bins of the original"
LEAF_5 = "smallest leaf 5"
NEAREST = (5, 10, 25, 50)  # §9.5
CHANCES = (0.25, 0.5, 0.75, 1.0)  # q of Figures 2 to 4; the paper's are in a legend without text
TENS = (10, 20, 30, 40, 50, 60, 70)  # k of Figure 4
P4_SPLITS, P4_KEPT_OUT = 25, 1000
_DEGREE = {"zzzOther": 1.0, "14": 2.0, "16": 3.0}


@kept_with_first
def ordinal(data: Dataset, years: int) -> Records:
    """Table 1's file: age rounded, education in its order, weeks and sex, all as numbers."""
    found = data.records
    sex = "gender" if "gender" in found else "sex"
    man = found[sex].astype(str).isin(["male", "1"])
    return Records.of(np.column_stack([
        (found["age"] / years).round() * years, found["educ"].astype(str).map(_DEGREE),
        found["wkswrkd"], man + 1.0,
    ]), ["age", "educ", "wkswrkd", sex])


@kept_with_first
def mka(data: Dataset, years: int, method: Mechanism, releases: int, seed: int) -> OverReleases:
    return OverReleases(np.array([
        recognised.mean_k_anonymity(one.values)
        for one in record_releases(method, ordinal(data, years), releases, seed)]))


def table_1(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("svcensus")
    for place, years in enumerate(WIDTHS):
        itself = recognised.mean_k_anonymity(ordinal(data, years).values)
        yield Ours(f"none m={years}", "mka", itself, dataset=data.id)
        for r0 in KEPT:
            swap = mechanism("rank-swapping", rule="correlation", r0=r0)
            drawn = mka(data, years, swap, attempt.either(20, 8), attempt.seed)
            yield _released(f"rank-swap R0={r0:.2f} m={years}", drawn, data)
        attempt.tell((place + 0.3) / len(WIDTHS))
        if attempt.full:
            every, half = (
                mka(data, years, mechanism("rwn", k=10, q=q), 20, attempt.seed) for q in (1.0, 0.5))
            why = f"q is not printed; with q = 50% it is {half.mean:,.2f}"
            yield _released(f"rwn m={years}", every, data, EVERY, why)
            yield _released(f"rwn m={years}", half, data, HALF)


def _released(
    row: str, drawn: OverReleases, data: Dataset, convention: str = "", why: str = ""
) -> Ours:
    number = len(drawn.known)
    spread = float(drawn.known.std(ddof=1))
    return Ours(row, "mka", drawn.mean, f"mean of {number} releases", drawn.error, convention,
                why=why, dataset=data.id, spread=spread)


def sizes(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("svcensus")
    yield Ours("svcensus", "rows", float(len(data)), dataset=data.id)
    yield Ours("svcensus", "columns", float(len(data.columns)), dataset=data.id)
    occupations = data.records["occ"].nunique()
    yield Ours("svcensus", "occupations", float(occupations), dataset=data.id)


@kept_with_first
def wages(data: Dataset) -> Original:
    """The wage explained by all other variables; the coefficient looked at is that of men, since
    women come first in the order of codes."""
    sex = "gender=male" if "gender" in microdata(data).names else "sex=2"
    return Original(microdata(data), Task("wageinc", sex))


def gap_of(data: Dataset, records: Records) -> float:
    """What women earn more (below 0: less) than men who are otherwise alike."""
    fitted = wages(data).regression(records)
    womens = -1.0 if "gender" in microdata(data).names else 1.0
    return womens * float(fitted.coefficients[wages(data).coefficient])


def wage_gap(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("svcensus")
    yield Ours("unperturbed", "coef_female_usd", gap_of(data, microdata(data)), dataset=data.id)


def borrowing(k: int, q: float) -> Mechanism:
    return mechanism("rwn", k=k, q=q)


@kept_with_first
def gaps(data: Dataset, k: int, q: float, releases: int, seed: int) -> OverReleases:
    """The wage gap in releases of RWN."""
    return OverReleases(np.array([
        gap_of(data, one)
        for one in record_releases(borrowing(k, q), microdata(data), releases, seed)]))


@kept_with_first
def pscr(data: Dataset, k: int, q: float, releases: int, seed: int) -> OverReleases:
    """The share of people whose own record is the closest to them."""
    whole = wages(data)
    return OverReleases(np.array([
        recognised.self_closest_record(whole.points, Pair(whole, one).points)
        for one in record_releases(borrowing(k, q), microdata(data), releases, seed)]))


def spread_of_gaps(data: Dataset, k: int, releases: int, seed: int) -> float:
    """How far the lines of Figure 4 are apart at k, in dollars."""
    levels = [gaps(data, k, q, releases, seed).mean for q in CHANCES]
    return max(levels) - min(levels)


def figure_4(attempt: Attempt) -> Iterator[Ours]:
    """The two tens at which the lines are closest to one another."""
    data = attempt.data("svcensus")
    if not attempt.full:
        return
    spreads: dict[int, float] = {}
    for k in TENS:
        attempt.tell(len(spreads) / len(TENS))
        spreads[k] = spread_of_gaps(data, k, 10, attempt.seed)
    low, high = sorted(sorted(TENS, key=spreads.__getitem__)[:2])
    how = "lines of 10 releases each; apart by " + ", ".join(
        f"${spread:,.0f} at {k}" for k, spread in spreads.items())
    yield Ours("all q", "k_where_lines_meet_low", float(low), how, dataset=data.id)
    yield Ours("all q", "k_where_lines_meet_high", float(high), how, dataset=data.id)


def figure_2(attempt: Attempt) -> Iterator[Ours]:
    """Utility: the wage gap at three k and two q."""
    data = attempt.data("svcensus")
    for k in (5, 25, 75) if attempt.full else ():
        for q in CHANCES[::3]:
            drawn = gaps(data, k, q, 10, attempt.seed)
            yield Ours(f"k={k}", f"wage_gap q={q:g}", drawn.mean,
                       f"mean of {len(drawn.known)} releases", drawn.error, dataset=data.id)


def figure_3(attempt: Attempt) -> Iterator[Ours]:
    """Privacy: the share of people whose own record is the closest, at three k and three q."""
    data = attempt.data("svcensus")
    for k in (5, 25, 75) if attempt.full else ():
        for q in CHANCES[:3]:
            drawn = pscr(data, k, q, 2, attempt.seed)
            yield Ours(f"k={k}", f"self_closest q={q:g}", drawn.mean, "mean of 2 releases",
                       drawn.error, dataset=data.id)


# §9.5 ---------------------------------------------------------------------------------------------


@kept_with_first
def dependence(data: Dataset, k: int, releases: int, seed: int) -> dict[str, OverReleases]:
    """Total correlation of releases with q = ½, in bins of their own and in those of the
    original."""
    whole, found = wages(data), {OWN_BINS: [], FIRST_BINS: []}  # type: ignore[var-annotated]
    for one in record_releases(borrowing(k, 0.5), microdata(data), releases, seed):
        found[OWN_BINS].append(relations.total_correlation(in_own_bins(one)))
        found[FIRST_BINS].append(relations.total_correlation(whole.binned(one)))
    return {name: OverReleases(np.array(values)) for name, values in found.items()}


def in_own_bins(records: Records) -> Ints:
    return np.column_stack([
        relations.bins(column) if variable.numeric else column.astype(np.int64)
        for variable, column in zip(records.variables, records.values.T, strict=True)])


def total_correlations(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("pef")
    itself = relations.total_correlation(in_own_bins(microdata(data)))
    for convention in (OWN_BINS, FIRST_BINS):
        yield Ours("unperturbed", "total_correlation", itself, convention=convention,
                   dataset=data.id)
    for k in NEAREST if attempt.full else NEAREST[:1]:
        releases = attempt.either(40, 5)
        for convention, drawn in dependence(data, k, releases, attempt.seed).items():
            yield Ours(
                f"k={k}", "total_correlation", drawn.mean, f"mean of {releases} releases",
                drawn.error, convention, dataset=data.id, spread=float(drawn.known.std(ddof=1)))


def misclassified(
    data: Dataset, target: str, k: int, splits: int, trees: int, leaf: int = prediction.LEAF
) -> OverReleases:
    """The error of a forest that learnt from a release (k = 0: from the records) of those that were
    not kept out, on those that were."""
    records = microdata(data)

    def protect(rows: Ints, repetition: int) -> tuple[Floats, Floats]:
        learnt = records.rows(rows)
        if k:
            (learnt,) = draw_records(borrowing(k, 0.5), learnt, [repetition_rng(7, repetition)])
        return _inputs(learnt, target), learnt.column(target)

    return prediction.forest_errors(
        _inputs(records, target), records.column(target), protect, splits, leaf, trees)


def _inputs(records: Records, target: str) -> Floats:
    columns: list[Floats] = []
    for variable, column in zip(records.variables, records.values.T, strict=True):
        if variable.name != target:
            columns += [column] if variable.numeric else [
                (column == level).astype(np.float64) for level in range(1, len(variable.levels))]
    return np.column_stack(columns)


_NOT_FOUND = "with the leaf that fits the error before release no error here is as high as printed"


def _forests(attempt: Attempt, dataset: str, target: str) -> Iterator[Ours]:
    data = attempt.data(dataset)
    large = len(data) > 5000
    splits = attempt.either(8 if large else P4_SPLITS, 1 if large else 4)
    trees = attempt.either(40, 15)
    for k in (0, *NEAREST) if attempt.full or not large else (0,):
        attempt.tell(k / 100)
        drawn = misclassified(data, target, k, splits, trees)
        tried = P4_KEPT_OUT if large else len(data) // 5
        one = math.sqrt(drawn.mean * (1 - drawn.mean) / tried)  # of a split, by chance
        yield Ours(
            f"k={k}" if k else "unperturbed", "misclassification_rate", drawn.mean,
            f"mean of {splits} splits", one / math.sqrt(splits), LEAF_5,
            why=_NOT_FOUND if large and k >= 25 else "",
            dataset=data.id, spread=one / math.sqrt(P4_SPLITS))


def forests_pef(attempt: Attempt) -> Iterator[Ours]:
    return _forests(attempt, "pef", "occ")


def forests_pima(attempt: Attempt) -> Iterator[Ours]:
    return _forests(attempt, "pima", "diabetes")


def text_9_5(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("pef")
    first = next(_forests(attempt, "pef", "occ"))
    yield Ours("pef unperturbed", "misclassification_rate_pct", 100 * first.value, first.how,
               100 * (first.error or 0.0), LEAF_5, dataset=data.id,
               spread=100 * (first.spread or 0.0))
    yield Ours("pef", "rows", float(len(data)), dataset=data.id)
    if attempt.has("pima"):
        yield Ours("pima", "rows", float(len(attempt.data("pima"))), dataset="pima")


@functools.cache
def e_to_the_census_epsilon() -> float:
    """In millions."""
    return math.exp(19.61) / 1e6


def text_6_4(attempt: Attempt) -> Iterator[Ours]:
    yield Ours("exp(19.61)", "at_least_millions", 100 * math.floor(e_to_the_census_epsilon() / 100),
               f"exact: {e_to_the_census_epsilon():.1f} million, in whole hundreds of millions as "
               "the paper says it")

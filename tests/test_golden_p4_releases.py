"""P4's numbers and claims about releases, on P4's files.

P4 leaves several settings open: the scale of its distances, q and radius behind Table 1, how ties
of rank are broken. What is fixed here, and how far that can carry, stands beside each test.
"""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.data.microdata import microdata
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.microdata import prediction, recognised, relations
from sdc_core.metrics.microdata.arrays import Scale, scaled
from sdc_core.metrics.microdata.battery import Original, Pair, Task
from sdc_core.papers.p4_body import CLUSTERS, RADII, RANGES
from sdc_core.record_experiment import Measured, measure_releases, record_releases
from sdc_core.records import Records

pytestmark = pytest.mark.skipif(
    "SDC_DATA_DIR" not in os.environ, reason="SDC_DATA_DIR is not set: it names the real files")


def rwn(**settings) -> Mechanism:
    return sdc.mechanism("rwn", **settings)


# Table 3 and what is drawn from it ---------------------------------------------------------------

RELEASES = 20  # P4 has 100: standard errors here are 2.2 times as large


@functools.cache
def body() -> Original:
    return Original(microdata(sdc.load_dataset("bodyfat")), Task("siri"))


@functools.cache
def along(method: str) -> tuple[Measured, ...]:
    settings = {
        "rwn": [rwn(k=5, q=1.0, radius=r) for r in RADII],
        "rank": [sdc.mechanism("rank-swapping", p=p) for p in RANGES],
        "micro": [sdc.mechanism("microaggregation", k=int(k)) for k in CLUSTERS],
    }[method]
    return tuple(measure_releases(one, body(), repetitions=RELEASES) for one in settings)


def means(method: str, name: str) -> np.ndarray:
    return np.array([one.mean(name) for one in along(method)])


METHODS = ("rwn", "rank", "micro")


def test_table_3_is_the_papers() -> None:
    assert (RADII[0], RADII[-1]) == (0.25, 0.95) and (RANGES[0], RANGES[-1]) == (0.12, 0.54)
    assert (CLUSTERS[0], CLUSTERS[-1]) == (2, 16)
    assert len(RADII) == len(RANGES) == len(CLUSTERS) == 15


def closeness(by: Scale) -> dict[str, np.ndarray]:
    """DCR at every index, on one of the scales that P4 may have taken."""
    found = {}
    for method in METHODS:
        levels = []
        for one in along(method):
            releases = record_releases(one.mechanism, body().records, 8, 7)
            levels.append(np.mean([
                recognised.distance_to_closest(*scaled(body().records.values, r.values, by))
                for r in releases]))
        found[method] = np.array(levels)
    return found


@pytest.mark.slow
def test_figure_9_methods_are_comparable_in_own_units_and_on_no_other_scale() -> None:
    """Comparable at indices 3 to 7: within 5% of one another in the units of the file; with
    numbers scaled to their range or deviation RWN is 10% or more above the others."""
    apart = {}
    for by in ("none", "range", "sd"):
        found = closeness(by)
        middle = np.array([found[m][2:7] for m in METHODS])
        apart[by] = (middle.max(axis=0) / middle.min(axis=0)).max() - 1
        ends = (found["rwn"][11], found["rank"][14], found["micro"][12])  # 12, 15 and 13
        if by == "none":
            assert max(ends) / min(ends) < 1.05, "equal at indices 12, 15 and 13"
            first = np.array([found[m][0] for m in METHODS])
            assert first.max() / first.min() > 1.2, "not comparable below index 3"
    assert apart["none"] < 0.05 and min(apart["range"], apart["sd"]) > 0.1


def test_figure_10_rwn_has_the_lowest_interval_risk() -> None:
    """By deviation far lower than both others; by robust distance lowest on average."""
    risk = {m: means(m, "interval") for m in METHODS}
    assert (risk["rwn"] < 0.4 * np.minimum(risk["rank"], risk["micro"])).all()
    robust = {m: means(m, "interval_robust").mean() for m in METHODS}
    assert robust["rwn"] < robust["micro"] < robust["rank"]


def test_figure_11_microaggregation_changes_correlations_more_at_first_and_less_at_last() -> None:
    change = {m: means(m, "il1") for m in METHODS}
    assert max(change["rwn"][2], change["rank"][2]) < change["micro"][2]  # comparable from 3 on
    assert change["micro"][-1] < change["rank"][-1] < change["rwn"][-1]


def test_figure_12_microaggregation_strengthens_correlations_and_the_others_weaken_them() -> None:
    growth = {m: means(m, "growth") for m in METHODS}
    assert (growth["micro"] > 0).all() and growth["micro"][-1] > 5 * growth["micro"][0] > 0
    assert (growth["rank"] < 0).all() and (np.diff(growth["rank"]) < 0.005).all()
    assert (growth["rwn"][3:] < 0).all() and (np.diff(growth["rwn"][2:]) < 0).all()
    # Not so for the smallest radii: there RWN smooths, and correlations grow a little.
    assert 0 < growth["rwn"][0] < 0.02


def test_figure_13_second_component_suffers_most_under_rwn_and_signs_hide_it() -> None:
    """With signs aligned. As P4 computes it, without, a component that comes out turned round
    makes the first one look as if it were lost, for all methods alike."""
    first = {m: means(m, "il2_aligned") for m in METHODS}
    second = {m: means(m, "il2_second_aligned") for m in METHODS}
    assert all(first[m].max() < 0.04 for m in METHODS)
    assert second["rwn"][-1] > 2 * max(second["rank"][-1], second["micro"][-1])
    assert (means("rwn", "il2") >= first["rwn"] - 1e-12).all()
    assert means("rwn", "il2").max() > 5 * first["rwn"].max()


def test_figure_14_coefficients_and_r_squared() -> None:
    change = {m: means(m, "il3") for m in METHODS}
    ratio = change["rwn"] / change["rank"]
    assert (ratio > 0.6).all() and (ratio < 1.1).all()  # similar levels of loss
    jumps = np.abs(np.diff(change["micro"])).mean()
    assert jumps > 3 * np.abs(np.diff(change["rwn"])).mean()  # jagged
    r2 = {m: means(m, "r2") for m in METHODS}
    truth = body().fit.r_squared
    assert (r2["micro"] > truth).all() and r2["micro"][-1] > 0.99
    assert (r2["rwn"] < truth).all() and (np.diff(r2["rwn"]) < 0.005).all()
    assert (r2["rank"] < truth).all() and (np.diff(r2["rank"]) < 0.005).all()
    assert r2["rank"][-1] > r2["rwn"][-1] + 0.05


def test_figure_7_minimal_perturbation_takes_the_outliers_pull_away() -> None:
    """The largest Cook's distance falls by far already with radius 0 (k = 5, q = 1)."""
    largest = [
        Pair(body(), released).fit.cooks_distances.max()
        for released in record_releases(rwn(k=5, q=1.0, radius=0.0), body().records, RELEASES, 7)]
    assert np.mean(largest) < 0.5 * body().fit.cooks_distances.max()


def test_figure_8_the_outlier_keeps_the_largest_score_and_stands_out_less() -> None:
    """P4 shows one release at each radius. Of 20 here at radius 0, most keep it, not all."""
    before = body().components.scores(body().numbers(body().records))[:, 0]
    kept, share = [], []
    for released in record_releases(rwn(k=5, q=1.0), body().records, RELEASES, 7):
        pair = Pair(body(), released)
        scores = np.abs(pair.components.scores(pair.numbers[1])[:, 0])
        kept.append(int(scores.argmax()) == 36)
        share.append(scores[36] / np.sort(scores)[-2])
    others = np.sort(np.abs(before))[-2]
    assert int(np.abs(before).argmax()) == 36
    assert np.mean(share) < 0.9 * np.abs(before[36]) / others  # stands out less
    assert 0.6 < np.mean(kept) < 1


def test_figure_1_one_man_has_the_same_five_neighbours_whatever_the_radius() -> None:
    near = {r: rwn(k=5, radius=r).neighbourhoods(body().records) for r in (0.1, 0.5, 0.9)}
    assert all(near[r].sizes[36] == 5 for r in near)
    assert near[0.1].sizes.max() == 5 < near[0.5].sizes.max()


# Table 1 ------------------------------------------------------------------------------------------


@functools.cache
def ordinal(years: int) -> Records:
    """Age rounded, education in its order, weeks and sex as numbers."""
    people = sdc.load_dataset("svcensus").records
    degree = people["educ"].astype(str).map({"zzzOther": 1, "14": 2, "16": 3})
    return Records.of(np.column_stack([
        (people["age"] / years).round() * years, degree, people["wkswrkd"],
        (people["gender"].astype(str) == "male") + 1,
    ]), ["age", "educ", "wkswrkd", "gender"])


def mka(method: Mechanism, years: int, releases: int = 3) -> list[float]:
    return [recognised.mean_k_anonymity(r.values)
            for r in record_releases(method, ordinal(years), releases, 7)]


@pytest.mark.slow
@pytest.mark.parametrize(("years", "r0", "printed"), [
    (5, 0.1, 451.79), (5, 0.9, 467.55), (25, 0.1, 1566.30), (25, 0.9, 1603.99)])
def test_table_1_rank_swapping(years: int, r0: float, printed: float) -> None:
    """Ties are many (ages in steps of 25 years), and in which order they stand decides who changes
    with whom: with sdcMicro's order within three deviations of the one release that P4 has, which
    is 1.5% here, and below what the file itself has."""
    found = np.mean(mka(sdc.mechanism("rank-swapping", rule="correlation", r0=r0), years))
    assert found == pytest.approx(printed, rel=0.015)
    assert found < recognised.mean_k_anonymity(ordinal(years).values)


@pytest.mark.slow
@pytest.mark.parametrize(("years", "printed"), [(5, 483.22), (25, 1700.49)])
def test_table_1_rwn(years: int, printed: float) -> None:
    """k = 10; q is not printed. What is printed lies between q = ½ and q = 1, and the whole
    difference that q makes is half a per cent: RWN leaves MKA as it is."""
    half, whole = (np.mean(mka(rwn(k=10, q=q), years, 2)) for q in (0.5, 1.0))
    assert half - 0.5 < printed < whole + 0.5
    none = recognised.mean_k_anonymity(ordinal(years).values)
    assert none < half < whole < 1.006 * none


# Figures 2 to 4 -----------------------------------------------------------------------------------


@functools.cache
def engineers() -> Original:
    return Original(microdata(sdc.load_dataset("svcensus")), Task("wageinc", "gender=male"))


@functools.cache
def privacy_and_gap(k: int, q: float) -> tuple[float, float]:
    """PSCR and the wage gap, means of 4 releases (P4: 10)."""
    closest, gaps = [], []
    for released in record_releases(rwn(k=k, q=q), engineers().records, 4, 7):
        pair = Pair(engineers(), released)
        closest.append(recognised.self_closest_record(engineers().points, pair.points))
        gaps.append(pair.fit.coefficients[engineers().coefficient])
    return float(np.mean(closest)), float(np.mean(gaps))


@pytest.mark.slow
def test_figure_3_q_matters_more_for_privacy_than_k() -> None:
    """Over its range in the figure (5 to 75) k moves PSCR less than q does from .25 to .75."""
    by_k = [privacy_and_gap(k, 0.5)[0] for k in (5, 25, 75)]
    by_q = [privacy_and_gap(25, q)[0] for q in (0.25, 0.5, 0.75)]
    assert by_k == sorted(by_k, reverse=True) and by_q == sorted(by_q, reverse=True)
    assert by_q[0] - by_q[-1] > 2 * (by_k[0] - by_k[-1])


@pytest.mark.slow
def test_figure_4_the_wage_gap_is_the_same_for_every_q_at_k_around_50() -> None:
    """At 50 the lines for q from .25 to 1 lie within $400 and around the true $8,596; at 75 they
    are more than twice as far apart. Standard errors of 4 releases are about $100."""
    spread = {}
    for k in (50, 75):
        gaps = [privacy_and_gap(k, q)[1] for q in (0.25, 0.5, 1.0)]
        spread[k] = max(gaps) - min(gaps)
        if k == 50:
            assert np.mean(gaps) == pytest.approx(8595.6, abs=250)
    assert spread[50] < 400 < spread[75]


# Section 9.5 --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("k", "printed"), [(5, 1.181), (10, 1.176), (25, 1.146), (50, 1.133)])
def test_total_correlation_of_released_pef(k: int, printed: float) -> None:
    """P4 has one release; single ones differ by about .003 here. Tolerance .012."""
    data = microdata(sdc.load_dataset("pef"))
    original = Original(data, Task("wageinc"))
    found = [relations.total_correlation(original.binned(released))
             for released in record_releases(rwn(k=k, q=0.5), data, 2, 7)]
    assert np.mean(found) == pytest.approx(printed, abs=0.012)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "printed"), [(5, 0.242), (10, 0.233), (25, 0.245), (50, 0.241)])
def test_random_forest_on_released_pima(k: int, printed: float) -> None:
    """A fifth is kept out (1,000 of 768 cannot be); 25 splits, whose mean has a standard error of
    about .006, and the printed one, too: three of the difference are .025."""
    data = microdata(sdc.load_dataset("pima"))
    inputs, target = data.values[:, :-1], data.values[:, -1]

    def protect(rows: np.ndarray, repetition: int) -> tuple[np.ndarray, np.ndarray]:
        (released,) = rwn(k=k, q=0.5).draw_records(
            data.rows(rows), [np.random.default_rng(repetition)])
        return released.values[:, :-1], released.values[:, -1]

    found = prediction.forest_errors(inputs, target, protect)
    assert found.mean == pytest.approx(printed, abs=0.025)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "printed"), [(5, 0.627), (10, 0.645), (25, 0.682), (50, 0.659)])
def test_random_forest_on_released_pef(k: int, printed: float) -> None:
    """With a smallest leaf of 5, the one that gives .630 for the file itself. Three splits with
    1,000 tried each have a standard error of .009, P4's 25 one of .003: three of the difference are
    .028. At k = 25 what is printed does not come out: it lies above what is printed for k = 50, and
    nothing here does so; that the error hardly rises, P4's claim, holds all the same."""
    data = microdata(sdc.load_dataset("pef"))
    occupation = data.column("occ")
    others = data.select([n for n in data.names if n != "occ"])
    design = Original(others, Task("wageinc"))

    def inputs(records: Records) -> np.ndarray:
        kept = records.select(others.names)
        return np.column_stack([design.design(kept), kept.column("wageinc")])

    def protect(rows: np.ndarray, repetition: int) -> tuple[np.ndarray, np.ndarray]:
        (released,) = rwn(k=k, q=0.5).draw_records(
            data.rows(rows), [np.random.default_rng(repetition)])
        return inputs(released), released.column("occ")

    found = prediction.forest_errors(inputs(data), occupation, protect, repetitions=3)
    if k == 25:
        assert found.mean < printed - 0.028
    else:
        assert found.mean == pytest.approx(printed, abs=0.028)
    assert found.mean < 0.628 + 0.028

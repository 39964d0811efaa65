"""Empty groups: lines and crossings against brute force, marginals against pandas."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import (
    Crossing,
    ErrorLine,
    Measure,
    contrast,
    crossing,
    crossing_by_epsilon,
    error_line,
    joined,
    leaves_empty,
    marginals,
    sparsity,
)

LAPLACE = sdc.mechanism("laplace", postprocess="clip")
SUPPRESSION = sdc.mechanism("suppression", keep_zeros=True)
FILLING = sdc.mechanism("suppression")
TOY = sdc.Histogram.from_counts([0, 0, 1, 4, 20])
FIVE = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
PAIRS: list[tuple[Mechanism, Mechanism]] = [
    (sdc.mechanism("laplace", epsilon=e, postprocess=p), sdc.mechanism(
        "suppression", k=k, keep_zeros=kept))
    for e, p in ((0.3, "round"), (1.0, "clip"), (4.0, "round"), (2.0, "none"))
    for k, kept in ((3, True), (6, True), (6, False), (10, True))
] + [(sdc.mechanism("discrete-gaussian", epsilon=4.0), sdc.mechanism(
    "dp-suppression", variant="P2", keep_zeros=True, k=10))]


def with_zeros(counts: list[int], empty: int) -> list[int]:
    return [c for c in counts if c > 0] + [0] * empty


def test_the_line_of_a_toy_by_hand() -> None:
    """Clipped Laplace at ε = 1 has bias e^(-x/2); suppression at k = 6 publishes 3 for 1 and 4."""
    noise = error_line(LAPLACE, TOY, "l1_bias")
    assert noise.people == 3
    assert noise.per_empty == pytest.approx(1.0)
    assert noise.occupied == pytest.approx(math.exp(-0.5) + math.exp(-2) + math.exp(-10))
    hidden = error_line(SUPPRESSION, TOY, "l1_bias")
    assert (hidden.occupied, hidden.per_empty) == (2 + 1, 0)
    assert error_line(FILLING, TOY, "l1_bias").per_empty == 3
    found = crossing(noise, hidden)
    assert found.kind == "worse-above"
    assert found.empty == pytest.approx(3 - noise.occupied)
    assert found.share == pytest.approx(found.empty / (3 + found.empty))


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
@pytest.mark.parametrize("mechanism", [m for pair in PAIRS for m in pair], ids=Mechanism.label)
def test_the_line_is_what_evaluate_says_of_a_table_with_that_many_zeros(
    mechanism: Mechanism, measure: Measure
) -> None:
    line = error_line(mechanism, TOY, measure)
    for empty in (0, 1, 2, 17, 300):
        table = with_zeros(TOY.counts.tolist(), empty)
        whole = getattr(sdc.evaluate(mechanism, table), measure)
        assert line.at(empty) == pytest.approx(whole, rel=1e-12, abs=1e-12)
        assert line.at_share(empty / (3 + empty)) == pytest.approx(whole)


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda m: m.label())
def test_the_crossing_is_where_brute_force_over_zeros_finds_it(
    first: Mechanism, second: Mechanism, measure: Measure
) -> None:
    counts = [1, 2, 2, 3, 5, 5, 8, 9, 30, 200]
    table = sdc.Histogram.from_counts(counts)
    found = crossing(error_line(first, table, measure), error_line(second, table, measure))
    low, high = found.better_between()
    for empty in range(0, 400):
        each = [
            getattr(sdc.evaluate(m, with_zeros(counts, empty)), measure) for m in (first, second)
        ]
        share = empty / (len(counts) + empty)
        better = low <= share < high and (found.kind != "better-above" or share > low)
        if not math.isclose(*each, rel_tol=1e-9):
            assert (each[0] < each[1]) == better, (empty, each, found)


def test_every_kind_of_crossing() -> None:
    def line(occupied: float, per_empty: float) -> ErrorLine:
        return ErrorLine(LAPLACE, 10, occupied, per_empty)

    assert crossing(line(1, 1), line(3, 0)) == Crossing("worse-above", 2, 2 / 12)
    assert crossing(line(3, 0), line(1, 1)) == Crossing("better-above", 2, 2 / 12)
    assert crossing(line(1, 0), line(3, 1)).kind == "always-better"
    assert crossing(line(1, 1), line(1, 0)).kind == "always-worse"
    assert crossing(line(3, 1), line(1, 0)).better_between() == (0, 0)
    assert crossing(line(1, 1), line(1, 1)).kind == "equal"
    assert crossing(line(0.1 + 0.2, 1), line(0.3, 1)).kind == "equal"


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=12), st.floats(0.1, 5), st.integers(2, 12)
)
def test_two_methods_swapped_round_cross_at_the_same_place(
    counts: list[int], epsilon: float, k: int
) -> None:
    table = sdc.Histogram.from_counts(counts)
    one = error_line(sdc.mechanism("laplace", epsilon=epsilon), table, "l1_bias")
    two = error_line(sdc.mechanism("suppression", k=k, keep_zeros=True), table, "l1_bias")
    there, back = crossing(one, two), crossing(two, one)
    opposite = {"worse-above": "better-above", "always-better": "always-worse", "equal": "equal"}
    opposite |= {b: a for a, b in opposite.items()}
    assert back.kind == opposite[there.kind]
    assert there.empty == pytest.approx(back.empty, nan_ok=True)


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
def test_break_even_epsilon_is_where_the_errors_are_equal(measure: Measure) -> None:
    counts = [0] * 40 + [1, 2, 2, 3, 3, 5, 5, 8, 9, 30]
    table = sdc.Histogram.from_counts(counts)
    found = crossing_by_epsilon(sparsity([LAPLACE, SUPPRESSION], table, measure), table)
    assert found is not None and found.break_even is not None and not found.at_once

    def behind(epsilon: float) -> bool:
        each = [sdc.evaluate(m, counts) for m in (LAPLACE.replace(epsilon=epsilon), SUPPRESSION)]
        return getattr(each[0], measure) > getattr(each[1], measure)

    assert behind(found.break_even * 0.9999)
    assert not behind(found.break_even * 1.0001)
    epsilons = found.crossings.values
    assert (epsilons[0], epsilons[-1], len(epsilons)) == (0.05, 20, 60)
    assert (found.first, found.second, found.crossings.here) == (LAPLACE, SUPPRESSION, 1.0)
    assert [behind(e) for e in epsilons] == [e < found.break_even for e in epsilons]
    for epsilon, one in zip(epsilons, found.crossings.points, strict=True):
        low, high = one.better_between()
        assert (low <= found.share < high) == (not behind(epsilon))


def test_break_even_may_not_exist_or_be_everywhere() -> None:
    table = sdc.Histogram.from_counts([100, 200])  # nothing is hidden: suppression is perfect
    found = crossing_by_epsilon(sparsity([LAPLACE, SUPPRESSION], table, "l1_error"), table)
    assert found is not None and found.break_even is None and not found.at_once
    small = sdc.Histogram.from_counts([1] * 9)
    exact = sdc.mechanism("laplace", postprocess="none")
    at_once = crossing_by_epsilon(sparsity([exact, FILLING], small, "l1_bias"), small)
    assert at_once is not None and at_once.at_once and at_once.break_even == 0.05


def test_methods_that_move_people_are_left_out_and_said() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    swapping = sdc.mechanism("swapping")
    found = sparsity([swapping, LAPLACE, SUPPRESSION], table, "l1_bias")
    assert found.left_out == (swapping,)
    assert [line.mechanism for line in found.lines] == [LAPLACE, SUPPRESSION]
    with pytest.raises(sdc.InputError, match="moves people between groups"):
        error_line(swapping, table, "l1_bias")
    with pytest.raises(sdc.InputError, match="nobody in it"):
        error_line(LAPLACE, sdc.Histogram.from_counts([0, 0]), "l1_bias")


def test_contrast_takes_the_first_of_each_world() -> None:
    gaussian, private = sdc.mechanism("discrete-gaussian"), sdc.mechanism("dp-suppression")
    assert contrast([SUPPRESSION, gaussian, LAPLACE]) == (gaussian, SUPPRESSION)
    assert contrast([private, LAPLACE]) == (LAPLACE, private)
    assert contrast([private, LAPLACE, SUPPRESSION]) == (LAPLACE, SUPPRESSION)
    assert contrast([LAPLACE]) is None
    assert contrast([SUPPRESSION, private]) is None
    fitted = sdc.mechanism("aim")  # of the DP family, but it does not add noise to every count
    assert contrast([fitted, LAPLACE, SUPPRESSION]) == (LAPLACE, SUPPRESSION)
    assert contrast([fitted, SUPPRESSION]) is None


def test_marginals_are_the_tables_that_pandas_counts() -> None:
    data = sdc.load_dataset("ma2019-twin")
    found = marginals([LAPLACE, SUPPRESSION], data.histogram(FIVE, "observed"), "l1_bias")
    assert len(found.tables) == 31
    assert [len(t.names) for t in found.path] == [1, 2, 3, 4, 5]
    assert [t.names for t in found.path] == [FIVE[:n] for n in range(1, 6)]
    for table in found.tables:
        names = list(table.names)
        occupied = data.records.groupby(names, observed=True).size().to_numpy()
        groups = math.prod(data.records[n].nunique() for n in names)
        assert (table.groups, table.empty) == (groups, groups - len(occupied))
        noise = np.exp(-occupied / 2).sum() + table.empty
        hidden = np.abs(3 - occupied[occupied < 6]).sum()
        assert table.errors == pytest.approx((noise, hidden))
        assert table.people_errors == pytest.approx((np.exp(-occupied / 2).sum(), hidden))


def test_a_method_is_missing_where_the_table_lacks_what_it_needs() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(("PUMA", "RAC1P", "SEX"))
    swapping = sdc.mechanism("swapping", quasi_identifiers=("SEX",))
    paired = sdc.mechanism("swapping", quasi_identifiers=("SEX",), paired=True)
    found = marginals([swapping, paired, LAPLACE], table, "l1_error")
    assert found.mechanisms == (swapping, LAPLACE)
    assert found.left_out == (paired,)
    for one in found.tables:
        fits = "SEX" in one.names and len(one.names) > 1
        assert (one.errors[0] is not None) == fits
        assert one.errors[1] is not None
    parts = [marginals([m], table, "l1_error") for m in (swapping, paired, LAPLACE)]
    together = joined(parts)
    assert (together.mechanisms, together.left_out) == (found.mechanisms, found.left_out)
    for parts_of in ("errors", "people_errors"):
        assert [getattr(t, parts_of) for t in together.tables] == [
            getattr(t, parts_of) for t in found.tables]
    for one in found.tables:
        for whole, people in zip(one.errors, one.people_errors, strict=True):
            assert (whole is None) == (people is None)
            assert whole is None or people is None or 0 <= people <= whole + 1e-9


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
@pytest.mark.parametrize("mechanism", [
    LAPLACE, SUPPRESSION, FILLING, sdc.mechanism("laplace", postprocess="none"),
    sdc.mechanism("dp-suppression"), sdc.mechanism("suppression", k=1),
    sdc.mechanism("dp-suppression", variant="P1-noisy-threshold"),
], ids=lambda m: m.code() if isinstance(m, Mechanism) else str(m))
def test_people_and_people_who_are_not_there_are_told_apart(
    mechanism: Mechanism, measure: Measure
) -> None:
    """Against `evaluate` on the table with and without its empty groups, and against releases."""
    line = error_line(mechanism, TOY, measure)
    people = [c for c in TOY.counts.tolist() if c]
    assert line.occupied == pytest.approx(getattr(sdc.evaluate(mechanism, people), measure))
    assert line.invented == pytest.approx(float(sdc.evaluate(mechanism, [0]).bias[0]))
    table = sdc.Histogram.from_counts([0, 0, 0, 9])
    rngs = [np.random.default_rng(r) for r in range(300)]
    drawn = mechanism.draw_tables(table, rngs)[:, :3]
    assert line.leaves_empty == leaves_empty(mechanism) == (not drawn.any())


def test_methods_that_move_people_neither_leave_nor_fill() -> None:
    assert leaves_empty(sdc.mechanism("swapping")) is None


def test_many_features_are_added_one_at_a_time() -> None:
    features = tuple(sdc.Feature(f"f{i}", f"F{i}", ("a", "b"), ("a", "b")) for i in range(7))
    counts = np.zeros(128, dtype=np.int64)
    counts[::3] = 4
    table = sdc.Histogram(counts, sdc.Domain(features))
    found = marginals([LAPLACE], table, "l1_bias")
    assert [len(t.names) for t in found.tables] == [1, 2, 3, 4, 5, 6, 7]
    wide = [sdc.Feature(f"w{i}", f"W{i}", *[tuple(map(str, range(200)))] * 2) for i in range(3)]
    large = sdc.Histogram(np.ones(8_000_000, dtype=np.int64), sdc.Domain(tuple(wide)))
    assert [t.groups for t in marginals([], large, "l1_bias").tables] == [200, 40_000, 8_000_000]


def test_the_papers_finding_on_the_real_massachusetts(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """P2 Figure 4: as empty groups are added, Laplace's bias grows and suppression's stays, so that
    Laplace ends up worse. Recomputed from the records and the printed formulas alone."""
    data = real_data("ma2019")
    counts = data.records.groupby(list(FIVE), observed=True).size().to_numpy()
    groups = math.prod(data.records[n].nunique() for n in FIVE)
    noise_each = np.exp(-counts / 2) / (4 * math.sinh(0.25))
    hidden = np.abs(3 - counts[counts < 6]).sum()
    meets = (hidden - noise_each.sum()) * 4 * math.sinh(0.25)
    table = data.histogram(FIVE, "observed")
    found = sparsity(
        [sdc.mechanism("laplace"), SUPPRESSION], table, "l1_bias"
    )
    assert found.crossing is not None and found.crossing.kind == "worse-above"
    assert found.crossing.empty == pytest.approx(meets)
    assert found.share == pytest.approx(1 - len(counts) / groups)
    assert found.share > found.crossing.share

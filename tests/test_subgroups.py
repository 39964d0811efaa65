"""Subgroups: lines and errors by hand, against numpy and statsmodels, and on the real data."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics import subgroups as metrics
from sdc_core.people import expand

SEX = Feature("SEX", "Sex", ("1", "2"), ("male", "female"))
TENTH = Feature("TENTH", "Income tenth", ("0", "1", "2", "N"), ("lowest", "middle", "top", "none"))
SCHOOL = Feature("SCHOOL", "Schooling", ("1", "2", "N"), ("little", "much", "child"))
DOMAIN = Domain((SEX, TENTH, SCHOOL))


def table(men: list[list[int]], women: list[list[int]]) -> Histogram:
    """Each group as rows (tenth 0, 1, 2, none) by columns (schooling 1, 2, child)."""
    return Histogram(np.array([men, women], dtype=np.int64).ravel(), DOMAIN)


TOY = table(
    [[3, 1, 9], [1, 1, 0], [0, 2, 0], [5, 0, 7]],
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]],
)


def test_the_line_of_a_toy_is_the_one_worked_out_by_hand() -> None:
    """Men: x = 1 has y = 0, 0, 0, 1 (mean 1/4), x = 2 has y = 0, 1, 2, 2 (mean 5/4): the line
    through two means has slope 1 and intercept −3/4. The nines, fives and sevens stand under N."""
    found = metrics.group_result(TOY, (0,), "men", TOY.counts.astype(float))
    assert found.people == 8
    assert found.true_line is not None
    assert found.true_line.slope == pytest.approx(1.0)
    assert found.true_line.intercept == pytest.approx(-0.75)
    assert found.slope_change == pytest.approx(0.0)
    assert found.misplaced == 0 and found.per_thousand == 0


def test_errors_of_a_toy_are_those_worked_out_by_hand() -> None:
    """Two men move from (top, much) to (lowest, much): x = 2 then has mean 1/4, the line is level;
    4 of 8 people are counted in the wrong place. Errors under N do not count."""
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[0, 2, 1] -= 2
    released[0, 0, 1] += 2
    released[0, 3, 2] += 100
    found = metrics.group_result(TOY, (0,), "men", released.ravel())
    assert found.released_line is not None
    assert found.released_line.slope == pytest.approx(0.0)
    assert found.slope_change == pytest.approx(-1.0)
    assert found.per_thousand == pytest.approx(500.0)
    expected = metrics.group_result(TOY, (0,), "men", released.ravel(), np.full(24, 0.5))
    assert expected.misplaced == pytest.approx(6 * 0.5)  # six cells are numbers
    assert expected.per_thousand == pytest.approx(1000 * 5 * 0.5 / 8)  # one of them has nobody
    assert (expected.slope_se, expected.among_people_se) == (0, 0)


def test_people_and_invented_people_are_counted_apart() -> None:
    """Women have nobody in (lowest, much) and (middle, little): 3 and 2 are put there, one woman of
    (top, little) is lost, and 9 girls without a number do not count."""
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[1] += [[0, 3, 0], [2, 0, 0], [-1, 0, 0], [0, 0, 9]]
    found = metrics.group_result(TOY, (1,), "women", released.ravel())
    assert (found.misplaced, found.among_people, found.invented) == (6, 1, 5)
    assert found.per_thousand == 250 and found.of_thousand(found.invented) == 1250


def test_standard_errors_belong_to_their_group_and_number() -> None:
    groups = {"men": (0,), "women": (1,)}
    found = metrics.method_result(
        TOY, groups, sdc.mechanism("mst"), "simulated", TOY.counts, np.full(24, 0.5))
    assert found.numbers() == pytest.approx(np.array([[1.0, 2.5, 0.0], [0.5, 2.0, 0.0]]))
    men, women = found.with_errors(np.array([[0.3, 0.4, 0.6], [0.1, 0.2, 0.5]])).groups
    assert (men.slope_se, men.among_people_se, men.invented_se) == (0.3, 0.4, 0.6)
    assert women.invented_se == 0.5
    assert women.slope_change_se == pytest.approx(0.1 / 0.5)
    assert women.per_thousand_se == pytest.approx(1000 * 0.2 / 4)
    nobody = metrics.method_result(TOY, groups, sdc.mechanism("mst"), "simulated", 0 * TOY.counts)
    assert np.isnan(nobody.numbers()[:, 0]).all()  # no line
    unknown = found.with_errors(np.array([[math.nan, 0.4, 0.0], [0.1, 0.2, 0.0]])).groups[0]
    assert unknown.slope_se == math.inf


@given(st.lists(st.integers(0, 30), min_size=24, max_size=24))
def test_lines_agree_with_numpy_and_statsmodels_on_records(counts: list[int]) -> None:
    data = Histogram(np.array(counts, dtype=np.int64), DOMAIN)
    found = metrics.group_result(data, (1,), "women", data.counts.astype(float))
    people = expand(data.counts, DOMAIN)
    people = people[(people[:, 0] == 1) & (people[:, 1] < 3) & (people[:, 2] < 2)]
    x, y = people[:, 2] + 1.0, people[:, 1].astype(float)
    if len(np.unique(x)) < 2:
        assert found.true_line is None
        return
    assert found.true_line is not None
    slope, intercept = np.polyfit(x, y, 1)
    assert found.true_line.slope == pytest.approx(slope, abs=1e-9)
    assert found.true_line.intercept == pytest.approx(intercept, abs=1e-9)
    cells = found.truth.ravel()
    weighted = sm.WLS(
        np.repeat([0.0, 1.0, 2.0], 2), sm.add_constant(np.tile([1.0, 2.0], 3)), weights=cells
    ).fit()
    assert found.true_line.slope == pytest.approx(weighted.params[1], abs=1e-9)


def test_a_shuffled_copy_has_no_slope() -> None:
    """Where tenth and schooling are independent within the group, the line is level."""
    cube = TOY.counts.reshape(2, 4, 3).astype(float)
    known = cube[0, :3, :2]
    cube[0, :3, :2] = np.outer(known.sum(axis=1), known.sum(axis=0)) / known.sum()
    found = metrics.group_result(TOY, (0,), "men", cube.ravel())
    assert found.released_line is not None
    assert found.released_line.slope == pytest.approx(0.0, abs=1e-12)
    assert found.slope_change == pytest.approx(-1.0)


def test_codes_that_are_not_numbers_are_left_out() -> None:
    odd = Feature("A", "A", ("1", "x", "2.5", "nan", "inf", ""), ("a", "b", "c", "d", "e", "f"))
    numbers = metrics.code_numbers(odd)
    assert numbers[0] == 1 and numbers[2] == 2.5
    assert np.isnan(numbers[[1, 3, 4, 5]]).all()
    assert metrics.is_ordinal(odd)
    assert not metrics.is_ordinal(Feature("B", "B", ("1", "x"), ("a", "b")))


def test_disparity_is_how_differently_groups_are_treated() -> None:
    """Men: 4 of 8 are misplaced and the line goes level (all of the slope is gone). Women: half a
    person in each of the 4 cells that have people, for 4 women, and the line as it was."""
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[0, 2, 1] -= 2
    released[0, 0, 1] += 2
    error = np.abs(released - TOY.counts.reshape(2, 4, 3))
    error[1, :3, :2] = 0.5
    found = metrics.method_result(
        TOY, {"men": (0,), "women": (1,)}, sdc.mechanism("laplace"), "exact", released.ravel(),
        error.ravel(),
    )
    assert [g.name for g in found.groups] == ["men", "women"]
    assert [g.people for g in found.groups] == [8, 4]
    assert [g.per_thousand for g in found.groups] == pytest.approx([500, 500])
    assert found.slope_gap == pytest.approx(1.0) and found.slope_gap_se == 0
    unsure = dataclasses.replace(found, groups=tuple(
        dataclasses.replace(g, slope_se=se) for g, se in zip(found.groups, (0.3, 0.2), strict=True)
    ))
    women = found.groups[1].true_line
    assert women is not None
    assert unsure.slope_gap_se == pytest.approx(math.hypot(0.3, 0.2 / women.slope))
    alone = dataclasses.replace(found, groups=found.groups[:1])
    assert alone.slope_gap is None and alone.slope_gap_se == 0


def test_a_line_that_turns_round_counts_by_how_far_it_turned() -> None:
    """+50% and −50% are alike in size but not in direction: they are 100 points apart."""
    group = metrics.group_result(TOY, (0,), "men", TOY.counts.astype(float))
    assert group.true_line is not None
    steeper, flatter = (
        dataclasses.replace(group, released_line=metrics.Line(share * group.true_line.slope, 0.0))
        for share in (1.5, 0.5)
    )
    assert steeper.slope_change == pytest.approx(0.5)
    assert flatter.slope_change == pytest.approx(-0.5)
    both = metrics.MethodResult(sdc.mechanism("laplace"), "exact", (steeper, flatter))
    assert both.slope_gap == pytest.approx(1.0)
    level = dataclasses.replace(group, true_line=metrics.Line(0.0, 1.0))
    assert level.slope_change is None  # no share of nothing


def test_the_largest_groups_come_first() -> None:
    counts = np.zeros((3, 2, 2), dtype=np.int64)
    counts[0, 0, 0], counts[1, 1, 1], counts[2, 0, 1] = 5, 9, 7
    place = Feature("P", "Place", ("a", "b", "c"), ("A", "B", "C"))
    two = Feature("T", "T", ("0", "1"), ("0", "1"))
    table = Histogram(counts.ravel(), Domain((place, two, dataclasses.replace(two, name="U"))))
    assert metrics.largest_groups(table, {"a": (0,), "b": (1,), "c": (2,)}) == ["b", "c"]


def test_categories_in_an_order_of_the_readers_own() -> None:
    """Alphabetical school values; by hand: none, school, college are 0, 1, 2, and `other` has no
    place. Incomes are 0, 1, 2 with them, so the line is y = x, whatever the data's order."""
    school = Feature("EDU", "Education", ("college", "none", "other", "school"), tuple("CNOS"))
    income = Feature("INC", "Income", ("0", "1", "2"), ("low", "middle", "high"))
    domain = Domain((SEX, income, school))
    counts = np.zeros((2, 3, 4), dtype=np.int64)
    counts[0, 2, 0], counts[0, 0, 1], counts[0, 1, 3], counts[0, 0, 2] = 5, 7, 11, 3
    data = Histogram(counts.ravel(), domain)
    assert not metrics.is_ordinal(school)
    ordered = metrics.in_order(data, "EDU", ["none", "school", "college"])
    axis = ordered.domain.features[2]
    assert axis.values == ("none", "school", "college", "other")
    assert axis.labels == ("N", "S", "C", "O")
    assert ordered.total == data.total
    assert ordered.counts.reshape(2, 3, 4)[0].tolist() == [[7, 0, 0, 3], [0, 11, 0, 0],
                                                           [0, 0, 5, 0]]
    found = metrics.group_result(ordered, (0,), "men", ordered.counts)
    assert found.people == 23 and found.true_line is not None
    assert found.true_line.slope == pytest.approx(1) and found.true_line.at(0) == pytest.approx(0)
    for order, problem in (
        (["none"], "at least two"), (["none", "none"], "at least two"), (["x", "none"], "no value"),
    ):
        with pytest.raises(sdc.InputError, match=problem):
            metrics.in_order(data, "EDU", order)


def test_values_in_order_stand_one_step_apart() -> None:
    bins = Feature("A", "A", ("0", "1", "2", "N"), tuple("abcd"), ordered=True, unordered_tail=1)
    assert metrics.code_numbers(bins)[:3].tolist() == [0, 1, 2]
    assert math.isnan(metrics.code_numbers(bins)[3])
    schools = dataclasses.replace(bins, values=("none", "school", "college", "university"),
                                  unordered_tail=0)
    assert metrics.code_numbers(schools).tolist() == [0, 1, 2, 3]


def test_the_papers_findings_on_the_national_data(real_data) -> None:  # type: ignore[no-untyped-def]
    """P0 Figure 3, P2 Figure 1: Laplace treats White and Black men most alike and its lines stay;
    suppression turns the line of Black men far more than that of White men; DP swapping by race
    makes the largest errors, and among Black men. Unlike P0, suppression that leaves zeros alone
    puts fewer people in the wrong place than Laplace."""
    dataset = real_data("national2019")
    data = dataset.histogram(["RAC1P", "SEX", "PINCP_DECILE", "EDU"])
    groups = {"White men": (0, 0), "Black men": (1, 0)}
    methods = [
        sdc.mechanism("laplace", epsilon=2.0),
        sdc.mechanism("suppression", k=10, keep_zeros=True),
        sdc.mechanism("dp-suppression", epsilon=2.0, k=10, keep_zeros=True),
        sdc.mechanism("dp-swapping", epsilon=2.0, swap_rate=0.25, quasi_identifiers=("RAC1P",)),
    ]
    found = []
    for one in methods:
        evaluation = sdc.evaluate(one, data)
        found.append(metrics.method_result(
            data, groups, one, "exact", data.counts + evaluation.bias, evaluation.absolute_error))
    records = dataset.records
    for name, race in (("White men", "1"), ("Black men", "2")):
        some = records[(records["RAC1P"] == race) & (records["SEX"] == "1")
                       & (records["PINCP_DECILE"] != "N") & (records["EDU"] != "N")]
        slope = np.polyfit(some["EDU"].astype(str).astype(float),
                           some["PINCP_DECILE"].astype(str).astype(float), 1)[0]
        group = next(g for g in found[0].groups if g.name == name)
        assert group.people == len(some)
        assert group.true_line is not None
        assert group.true_line.slope == pytest.approx(slope)
    _, suppression, dp_suppression, _ = found
    gaps = [r.slope_gap or 0.0 for r in found]
    assert min(gaps) == gaps[0] < 0.03
    for one in (suppression, dp_suppression):
        white, black = (abs(g.slope_change or 0.0) for g in one.groups)
        assert white < 0.03 and black > 0.15
    worst = max((g.per_thousand or 0.0, r.mechanism.name, g.name) for r in found for g in r.groups)
    assert worst[1:] == ("dp-swapping", "Black men")
    rates = np.array([[1000 * g.misplaced / g.people for g in r.groups] for r in found])
    assert (rates[:3, 1] > 2 * rates[:3, 0]).all()
    assert 1.5 < rates[3, 1] / rates[3, 0] < 2  # swapping: large errors for White men as well
    assert np.argmin(rates[:, 1] - rates[:, 0]) == 0 and np.argmin(rates[:, 1] / rates[:, 0]) == 3
    assert np.argmin([sum(g.misplaced for g in r.groups) for r in found]) == 1

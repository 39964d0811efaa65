"""Subgroups: lines and errors by hand, against numpy and statsmodels, and on the real data."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.figures import subgroups as figures
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics import subgroups as metrics
from sdc_core.narrative import subgroups as words
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
    assert expected.per_thousand == pytest.approx(1000 * 6 * 0.5 / 8)  # six cells are numbers


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


def results(truth: Histogram, released: np.ndarray) -> list[metrics.MethodResult]:
    groups = {"men": (0,), "women": (1,)}
    return [metrics.method_result(truth, groups, sdc.mechanism("laplace"), "exact", released)]


def test_disparity_is_the_gap_between_groups() -> None:
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[0, 2, 1] -= 2
    released[0, 0, 1] += 2
    (found,) = results(TOY, released.ravel())
    assert "has 100 people" in words.subgroup_sentences([found], TENTH, SCHOOL)[0]  # none has
    crowd = Histogram(50 * TOY.counts, DOMAIN)
    (found,) = results(crowd, 50 * released.ravel())
    men, women = (g.people for g in found.groups)
    assert found.slope_gap == pytest.approx(1.0)  # men's line is level, women's as it was
    assert found.error_ratio is None  # no error at all among women
    headline, _ = words.subgroup_sentences([found], TENTH, SCHOOL)
    assert f"men ({men} people) is 100% less steep than in truth (0.00 instead of 1.00)" in headline
    assert f"for women ({women} people) the line hardly changes" in headline
    assert "100 points" in words.disparity_sentence([found])


def test_a_tiny_group_makes_no_headline() -> None:
    """The women's line turns round, but they are few; the men's is what the headline is about."""
    men = [[90, 10, 0], [10, 90, 0], [0, 0, 0], [0, 0, 0]]
    data = table(men, [[30, 0, 0], [0, 30, 0], [0, 0, 0], [0, 0, 0]])
    released = table([[80, 20, 0], [20, 80, 0], [0, 0, 0], [0, 0, 0]],
                     [[0, 30, 0], [30, 0, 0], [0, 0, 0], [0, 0, 0]])
    headline, _ = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    assert "of men (200 people) is 25% less steep" in headline  # 0.6 instead of 0.8
    assert "women" not in headline.replace("men (200", "")


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([[80, 20, 0], [20, 80, 0]], "education seems to pay 25% less for men (200 people) than "
         "it truly does (slope 0.60 instead of 0.80)"),
        ([[100, 0, 0], [0, 100, 0]], "education seems to pay 25% more for men"),
        ([[20, 80, 0], [80, 20, 0]], "of men (200 people) points the other way"),
        ([[90, 10, 0], [10, 90, 0]], "of men (200 people) hardly changes (0.80 instead of 0.80)"),
    ],
)
def test_income_and_education_are_said_in_everyday_words_where_they_fit(
    after: list[list[int]], said: str
) -> None:
    nobody = [[0, 0, 0]] * 4
    data = table([[90, 10, 0], [10, 90, 0], *nobody[:2]], nobody)
    released = table([*after, *nobody[:2]], nobody)
    income = dataclasses.replace(TENTH, name="PINCP_DECILE")
    education = dataclasses.replace(SCHOOL, name="EDU")
    headline, _ = words.subgroup_sentences(results(data, released.counts), income, education)
    assert said in headline
    other, _ = words.subgroup_sentences(results(data, released.counts), education, income)
    assert "pay" not in other  # only for income on education


def test_sentence_and_bar_round_a_number_alike() -> None:
    """1,168.52 errors for every 1,000: rounding twice would show 1,168."""
    data = table([[50, 50, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0]] * 4)
    wrong = np.zeros(data.counts.size)
    wrong[0] = 116.852
    found = metrics.method_result(
        data, {"men": (0,)}, sdc.mechanism("laplace"), "exact", data.counts, wrong)
    assert "off by 1,169 among men" in words.rate_sentence(found)
    assert "<b>1,169</b>" in figures.disparity_bars([found], "words")


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


def test_the_code_puts_categories_in_the_readers_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Income rises by 1 a school; in the order of the alphabet the line would not be y = x."""
    schools = ["none", "school", "college"]
    rows = [f"{school},{income}" for income, school in enumerate(schools) for _ in range(40)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["education,income", *rows]))
    data = sdc.load_dataset(str(file))
    assert metrics.unordered_features(data) == {"education": ("college", "none", "school")}
    assert metrics.unordered_features(sdc.load_dataset("ma2019-twin")) == {}
    code = words.subgroup_code(data, ["income", "education"], {"education": schools},
                               [sdc.mechanism("laplace", epsilon=1.0)])
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "code", "exec"), {})  # noqa: S102 - the page offers it to be run
    assert "true_line=Line(slope=1" in capsys.readouterr().out.replace("0.9999999999", "1")


def test_values_in_order_stand_one_step_apart() -> None:
    bins = Feature("A", "A", ("0", "1", "2", "N"), tuple("abcd"), ordered=True, unordered_tail=1)
    assert metrics.code_numbers(bins)[:3].tolist() == [0, 1, 2]
    assert math.isnan(metrics.code_numbers(bins)[3])
    schools = dataclasses.replace(bins, values=("none", "school", "college", "university"),
                                  unordered_tail=0)
    assert metrics.code_numbers(schools).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("women", "said"),
    [
        ([[0, 0, 4], [0, 0, 0], [0, 0, 0], [1, 0, 0]], "no women with both values"),
        ([[3, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], "All 3 women stand at the same place"),
        ([[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]], "Only 3 women"),
    ],
)
def test_empty_and_tiny_groups_are_said_and_the_rest_stays(
    women: list[list[int]], said: str
) -> None:
    data = table([[60, 20, 9], [20, 20, 0], [0, 40, 0], [5, 0, 7]], women)
    found = results(data, data.counts.astype(float) + 0.25)
    notes = words.group_notes(found)
    assert len(notes) == 1 and said in notes[0]
    assert found[0].groups[0].slope_change is not None
    headline, _ = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert "of men" in headline
    drawn = figures.heat_maps(found, TENTH, SCHOOL)
    assert len(go.Figure(drawn[0].to_dict()).data) >= 4
    assert figures.disparity_bars(found, "words")


def test_a_group_that_is_gone_after_release_is_said() -> None:
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[1] = 0
    found = results(TOY, released.ravel())
    assert any("nobody is left among women" in note for note in words.group_notes(found))
    assert found[0].groups[1].slope_change is None
    assert "unknown" in figures.disparity_bars(found, "words")
    assert words.subgroup_sentences([], TENTH, SCHOOL)[0].startswith("There is no line")


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (("White", "male"), "White men"), (("female",), "women"),
        (("Two or more races", "female"), "women of two or more races"),
        (("American Indian or Alaska Native, tribe not given", "male"),
         "men (American Indian or Alaska Native, tribe not given)"),
        (("renting", "aged 19–36"), "renting, aged 19–36"), ((), ""),
    ],
)
def test_groups_have_names_in_words(labels: tuple[str, ...], name: str) -> None:
    assert words.group_name(labels) == name


def test_heat_maps_share_one_symmetric_scale_and_are_valid() -> None:
    released = TOY.counts.astype(float)
    released[0] += 4
    released[13] -= 1  # a woman
    found = results(TOY, released)
    second = dataclasses.replace(found[0], mechanism=sdc.mechanism("suppression"))
    charts = figures.heat_maps([*found, second], TENTH, SCHOOL)
    assert len(charts) == 2
    for chart in charts:
        assert len(go.Figure(chart.to_dict()).data) == len(chart.data)  # plotly finds it valid
    maps = [t for c in charts for t in c.data if t["type"] == "heatmap"]
    assert len(maps) == 4
    for one in maps:
        assert one["zmax"] == -one["zmin"] == pytest.approx(math.sqrt(4))
        assert np.shape(one["z"]) == (3, 2)
    assert one["z"][0, 1] == pytest.approx(-1.0)
    assert maps[0]["z"][0, 0] == pytest.approx(2.0)
    assert "slope 1.00 →" in charts[0].layout.annotations[0].text
    legend = figures.legend(found, TENTH, SCHOOL)
    assert "4 too many" in legend and "Schooling (1 little … 2 much)" in legend
    frame = figures.cell_table(found, TENTH, SCHOOL)
    assert len(frame) == 12 and frame["released"].sum() - frame["true"].sum() == pytest.approx(3)
    assert figures.subgroup_table(found)["people"].tolist() == [8, 4]


def test_the_largest_error_is_found_and_named() -> None:
    released = TOY.counts.astype(float)
    released[13] -= 1
    said = words.heat_sentence(results(TOY, released), True, SCHOOL, TENTH)
    assert "1 too few among women with lowest, much (truly 0)" in said
    same = words.heat_sentence(results(TOY, TOY.counts.astype(float)), True, SCHOOL, TENTH)
    assert "No cell is off" in same


def errors_of(**misplaced: tuple[float, float]) -> list[metrics.MethodResult]:
    """Methods with so much error among 8 men and 4 women."""
    (found,) = results(TOY, TOY.counts.astype(float))
    men, women = found.groups
    return [
        metrics.MethodResult(
            sdc.mechanism(name.replace("_", "-")), "exact",
            (dataclasses.replace(men, misplaced=a), dataclasses.replace(women, misplaced=b)),
        )
        for name, (a, b) in misplaced.items()
    ]


def test_the_least_error_and_the_least_difference_are_named_with_their_measure() -> None:
    """Per 1,000: Laplace 500 and 1,000, in all 667; Geometric 125 and 750, in all 333; suppression
    250 and 500, in all 333 too. The groups differ by 500, 625 and 250, and 2, 6 and 2 times."""
    three = errors_of(laplace=(4, 4), geometric=(1, 3), suppression=(2, 2))
    said = words.papers_sentence(three)
    assert "smallest under Geometric ε=1 and Suppression k=6 (333 for every 1,000 people)" in said
    assert "errors differ least under Suppression k=6 (by 250 for every 1,000 people)." in said
    assert "here too" not in said and "s there" not in said and "lines" not in said
    ratio = words.papers_sentence(errors_of(laplace=(4, 4), suppression=(1, 1.5)))
    assert "least under Suppression k=6 (by 250 for" in ratio
    assert "by ratio under Laplace ε=1 (2 times)" in ratio
    one = words.papers_sentence([
        dataclasses.replace(r, groups=r.groups[:1]) for r in three])
    assert "differ" not in one and "smallest under Geometric ε=1 (125 for" in one
    assert words.papers_sentence(three[:2]) == "" == words.papers_sentence(three[2:])


def test_a_method_without_any_error_counts_as_the_best() -> None:
    said = words.papers_sentence(errors_of(laplace=(0.1, 0.1), suppression=(0, 0)))
    assert "smallest under Suppression k=6 (0 for every 1,000 people, against 16.7 under" in said
    assert "differ least under Suppression k=6 (by 0 for" in said and "ratio" not in said


@pytest.mark.parametrize("groups", [("women", "men"), ("men", "women")])
def test_the_last_group_is_so_many_times_the_first(groups: tuple[str, str]) -> None:
    (found,) = errors_of(laplace=(2, 4))
    order = [next(g for g in found.groups if g.name == name) for name in groups]
    said = words.rate_sentence(dataclasses.replace(found, groups=tuple(order)))
    assert "off by 250 among men and 1,000 among women, 4 times as many." in said
    third = dataclasses.replace(order[0], name="others", misplaced=order[0].people * 0.5)
    said = words.rate_sentence(dataclasses.replace(found, groups=(*order, third)))
    assert said.endswith(
        "250 among men, 500 among others and 1,000 among women, 4 times as many as among men.")


def test_a_level_line_has_no_sign() -> None:
    assert [words.slope_text(s) for s in (-0.004, 0.0, 0.004, -0.006, -1.0)] == [
        "0.00", "0.00", "0.00", "−0.01", "−1.00"]


def test_only_one_paper_swaps() -> None:
    (text,) = [line for line in words.METHOD.split("- ") if line.startswith("**In the papers")]
    assert "only the former have DP swapping, with a swap rate of 25%" in " ".join(text.split())


def test_the_papers_findings_on_the_national_data(real_data) -> None:  # type: ignore[no-untyped-def]
    """P0 Figure 3, P2 Figure 1: Laplace treats White and Black men most alike and its lines stay;
    suppression turns the line of Black men far more than that of White men; DP swapping by race
    makes the largest errors, and among Black men. Unlike P0, suppression that leaves zeros alone
    puts fewer people in the wrong place than Laplace, which the page's sentence says."""
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
    laplace, suppression, dp_suppression, swapping = found
    gaps = [r.slope_gap or 0.0 for r in found]
    assert min(gaps) == gaps[0] < 0.03
    for one in (suppression, dp_suppression):
        white, black = (abs(g.slope_change or 0.0) for g in one.groups)
        assert white < 0.03 and black > 0.15
    worst = max((g.per_thousand or 0.0, r.mechanism.name, g.name) for r in found for g in r.groups)
    assert worst[1:] == ("dp-swapping", "Black men")
    assert all((r.error_ratio or 0.0) > 2 for r in found)
    said = words.papers_sentence(found)
    rates = np.array([[1000 * g.misplaced / g.people for g in r.groups] for r in found])
    assert np.argmin(rates[:, 1] - rates[:, 0]) == 0 and np.argmin(rates[:, 1] / rates[:, 0]) == 3
    hidden = sum(g.misplaced for g in suppression.groups) / sum(g.people for g in laplace.groups)
    assert f"smallest under Suppression k=10 zeros kept ({1000 * hidden:.1f} for every" in said
    assert f"differ least under Laplace ε=2 (by {rates[0, 1] - rates[0, 0]:.1f} for every" in said
    assert f"by ratio under DP swapping ε=2 25% ({rates[3, 1] / rates[3, 0]:.2f} times)" in said
    assert laplace.groups[1].per_thousand is not None and swapping.error_ratio is not None

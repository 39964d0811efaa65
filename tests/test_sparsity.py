"""Empty groups: lines and crossings against brute force, marginals against pandas, sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.figures import sparsity as figures
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import (
    Crossing,
    ErrorLine,
    Measure,
    contrast,
    crossing,
    crossing_by_epsilon,
    error_line,
    marginals,
    side_by_side,
    sparsity,
)
from sdc_core.narrative.sparsity import (
    added_caption,
    epsilon_caption,
    marginals_caption,
    percent,
    sparsity_sentences,
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
    assert [behind(e) for e in found.epsilons] == [e < found.break_even for e in found.epsilons]
    for epsilon, one in zip(found.epsilons, found.crossings, strict=True):
        low, high = one.better_between()
        assert (low <= found.share < high) == (not behind(epsilon))


def test_break_even_may_not_exist_or_be_everywhere() -> None:
    table = sdc.Histogram.from_counts([100, 200])  # nothing is hidden: suppression is perfect
    found = crossing_by_epsilon(sparsity([LAPLACE, SUPPRESSION], table, "l1_error"), table)
    assert found is not None and found.break_even is None
    small = sdc.Histogram.from_counts([1] * 9)
    exact = sdc.mechanism("laplace", postprocess="none")
    at_once = crossing_by_epsilon(sparsity([exact, FILLING], small, "l1_bias"), small)
    assert at_once is not None and at_once.at_once


def test_methods_that_move_people_are_left_out_and_said() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    swapping = sdc.mechanism("swapping")
    found = sparsity([swapping, LAPLACE, SUPPRESSION], table, "l1_bias")
    assert found.left_out == (swapping,)
    assert [line.mechanism for line in found.lines] == [LAPLACE, SUPPRESSION]
    assert "Swapping 25% cannot be drawn here" in added_caption(found)
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


def test_marginals_are_the_tables_that_pandas_counts() -> None:
    data = sdc.load_dataset("ma2019-twin")
    found = marginals([LAPLACE, SUPPRESSION], data.histogram(FIVE), "l1_bias")
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
    joined = side_by_side(parts)
    assert (joined.mechanisms, joined.left_out) == (found.mechanisms, found.left_out)
    assert [t.errors for t in joined.tables] == [t.errors for t in found.tables]
    said = marginals_caption(found)
    assert "needs features that some of these tables do not have" in said
    assert "no exact error is known" in said


def test_many_features_are_added_one_at_a_time() -> None:
    features = tuple(sdc.Feature(f"f{i}", f"F{i}", ("a", "b"), ("a", "b")) for i in range(7))
    counts = np.zeros(128, dtype=np.int64)
    counts[::3] = 4
    table = sdc.Histogram(counts, sdc.Domain(features))
    found = marginals([LAPLACE], table, "l1_bias")
    assert [len(t.names) for t in found.tables] == [1, 2, 3, 4, 5, 6, 7]
    assert "one more at a time" in marginals_caption(found)
    wide = [sdc.Feature(f"w{i}", f"W{i}", *[tuple(map(str, range(200)))] * 2) for i in range(3)]
    large = sdc.Histogram(np.ones(8_000_000, dtype=np.int64), sdc.Domain(tuple(wide)))
    assert [t.groups for t in marginals([], large, "l1_bias").tables] == [200, 40_000, 8_000_000]


def test_sentences_say_which_side_this_table_is_on() -> None:
    dense, sparse = ([1, 1, 2, 4, 20] + [0] * n for n in (1, 50))
    for counts, words in ((dense, "so it still is"), (sparse, "so it is the worse one")):
        table = sdc.Histogram.from_counts(counts)
        found = sparsity([LAPLACE, SUPPRESSION], table, "l1_bias")
        assert found.crossing is not None
        headline, more = sparsity_sentences(found, crossing_by_epsilon(found, table))
        assert words in headline
        assert f"fewer than {percent(found.crossing.share)}" in headline
        assert f"here {percent(counts.count(0) / len(counts))} are" in headline
        assert "as Das, Tajeddine and Fioretto (Figure 4) found" in more
    filled = sparsity([LAPLACE, FILLING], TOY, "l1_bias")
    assert "unlike in Das, Tajeddine and Fioretto" in sparsity_sentences(filled, None)[1]
    total = sparsity([LAPLACE, SUPPRESSION], sdc.Histogram.from_counts([100, 0]), "l1_error")
    assert "however few groups are empty" in sparsity_sentences(total, None)[0]
    assert "Choose a DP method and" in sparsity_sentences(sparsity([LAPLACE], TOY, "l1_bias"),
                                                          None)[1]
    assert "Choose a method" in sparsity_sentences(sparsity([], TOY, "l1_bias"), None)[0]


DRAWN = sdc.mechanism("laplace", postprocess="none")  # no bias at all


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (LAPLACE, SUPPRESSION, "as Das, Tajeddine and Fioretto (Figure 4) found"),
        (LAPLACE, FILLING, "cost both."),
        (DRAWN, FILLING, "cost Suppression k=6 only."), (DRAWN, SUPPRESSION, "does not show."),
    ],
)
def test_whom_empty_groups_cost(first: Mechanism, second: Mechanism, said: str) -> None:
    _, more = sparsity_sentences(sparsity([first, second], TOY, "l1_bias"), None)
    assert said in more
    for one in (first, second):
        free = sdc.evaluate(one, [0]).l1_bias == 0
        assert (f"none under {one.label()}" in more) == free


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
@pytest.mark.parametrize("counts", [[100, 200], [100, 200, 0], [1, 4, 9, 0, 0], [3, 3, 3]])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_headline_and_caption_say_what_the_errors_on_this_table_say(
    counts: list[int], measure: Measure, first: Mechanism, second: Mechanism
) -> None:
    """Both are compared with the errors that evaluate gives for the very table."""
    table = sdc.Histogram.from_counts(counts)
    one, two = (getattr(sdc.evaluate(m, table), measure) for m in (first, second))
    headline, _ = sparsity_sentences(sparsity([first, second], table, measure), None)
    caption = marginals_caption(marginals([first, second], table, measure))
    same = abs(one - two) <= 0.005
    assert ("practically the same" in headline) == same
    assert ("practically the same" in caption) == same
    if not same:
        word = "more" if one > two else "less"
        assert f"{first.label()} has {word} " in caption and "in this table" in caption
        worse = "so it is the worse one" in headline or "however few" in headline
        assert worse == (one > two)
    elif "would have more" in headline:
        many = [*counts, *[0] * 10_000]
        errors = {m.label(): getattr(sdc.evaluate(m, many), measure) for m in (first, second)}
        assert f"{max(errors, key=lambda m: errors[m])} would have more" in headline


def test_the_caption_counts_tables_as_one_would() -> None:
    data = sdc.load_dataset("ma2019-twin")
    mixed = 0
    for pair in ([LAPLACE, FILLING], [LAPLACE, SUPPRESSION], [DRAWN, SUPPRESSION]):
        for features in (1, 2, 5):
            found = marginals(pair, data.histogram(FIVE[:features]), "l1_bias")
            said = marginals_caption(found)
            gaps = [t.errors[0] - t.errors[1] for t in found.tables]  # type: ignore[operator]
            numbers = {
                "more": sum(g > 0.005 for g in gaps), "less": sum(g < -0.005 for g in gaps),
                "as much": sum(abs(g) <= 0.005 for g in gaps),
            }
            assert " 1 tables" not in said and " in 0" not in said
            if len(gaps) in numbers.values():
                assert "in this table" in said or f"in all {len(gaps)} tables" in said
                continue
            mixed += 1
            assert f"Of the {len(gaps)} tables, " in said
            for word, number in numbers.items():
                assert bool(re.search(rf"{word}[^(,]* in {number}\b", said)) == (number > 0)
    assert mixed >= 2


def test_percent_never_rounds_to_nothing_or_all() -> None:
    assert [percent(s) for s in (0.0, 0.004, 0.531, 0.996, 1.0)] == [
        "0%", "0.4%", "53%", "99.6%", "100%"]


def test_figures_are_valid_and_carry_the_numbers() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    methods = [LAPLACE, sdc.mechanism("dp-suppression"), SUPPRESSION]
    found = sparsity(methods, table, "l1_bias")
    by_epsilon = crossing_by_epsilon(found, table)
    assert by_epsilon is not None
    by_features = marginals(methods, table, "l1_bias")
    charts = [
        figures.added_zeros(found), figures.crossing_chart(by_epsilon),
        figures.marginal_chart(by_features),
        figures.added_zeros(sparsity([SUPPRESSION], sdc.Histogram.from_counts([9]), "l1_bias")),
    ]
    for chart in charts:
        assert len(go.Figure(chart.to_dict()).data) == len(chart.data) > 0
    first = charts[0].data[0]
    assert first.y[0] == pytest.approx(found.lines[0].occupied)
    notes = [a.text for a in charts[0].layout.annotations]
    assert found.crossing is not None
    assert f"<b>equal at {found.crossing.share:.0%}</b>" in notes
    rows = figures.added_zeros_table(found)
    here = rows[rows["this table"] == "yes"].iloc[0]
    assert here["1. " + LAPLACE.label()] == pytest.approx(sdc.evaluate(LAPLACE, table).l1_bias)
    assert len(figures.marginal_frame(by_features)) == 31
    assert len(figures.crossing_table(by_epsilon)) == len(by_epsilon.epsilons)
    assert by_epsilon.second.label() in epsilon_caption(by_epsilon)


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
    table = data.histogram(FIVE)
    found = sparsity(
        [sdc.mechanism("laplace"), SUPPRESSION], table, "l1_bias"
    )
    assert found.crossing is not None and found.crossing.kind == "worse-above"
    assert found.crossing.empty == pytest.approx(meets)
    assert found.share == pytest.approx(1 - len(counts) / groups)
    headline, more = sparsity_sentences(found, crossing_by_epsilon(found, table))
    assert f"fewer than {100 * meets / (meets + len(counts)):.0f}% of the groups" in headline
    assert "the worse one" in headline and "as Das, Tajeddine and Fioretto (Figure 4) found" in more

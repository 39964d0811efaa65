"""δ versus ε: published thin, true thick, failures in red, each at its own method and height.

DP suppression below k = 6 with counts up to B = 12 has closed forms at every ε: published
1 − δ = ¼ e^(−6ε), true 1 − δ = p(12) p(11) = ¼ e^(−5.5ε). Laplace noise never fails, suppression
always may, and left alone empty groups break the published bound.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.figures.theme import FAILURE, styles
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.privacy.units import Unit, converted
from sdc_core.questions import delta_epsilon
from sdc_core.questions.answer import Answer
from sdc_core.questions.delta_epsilon.compute import privacy_curve
from sdc_core.questions.delta_epsilon.words import conversion_sentence, privacy_sentences
from sdc_core.questions.question import Given
from sdc_core.questions.work import Work
from sdc_core.words.guarantees import guarantee_chip
from sdc_core.words.numbers import Sentences, sensible
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said
from tests.reading import only, traces

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("cap", "view", "unit", "attack"),
    columns={
        "delta-epsilon": (
            "mechanism", "epsilon", "delta_published", "delta_true", "ln(1 - delta_published)",
            "ln(1 - delta_true)", "delta_true is", "only among data that agree in",
            "Pr[loss > epsilon]", "Pr is of", "holds",
        ),
    },
)

NOISE = sdc.mechanism("laplace")
PRIVATE = sdc.mechanism("dp-suppression")
BROKEN = sdc.mechanism("dp-suppression", k=7, keep_zeros=True)
HIDING = sdc.mechanism("suppression")
METHODS = [NOISE, PRIVATE, BROKEN, HIDING]
NAMES = [
    "Add noise (Laplace)", "Hide below a noisy limit (DP suppression, k = 6)",
    "Hide below a noisy limit (DP suppression, k = 7)", "Hide small counts (suppression, k = 6)",
]
LARGEST = 40


def people() -> sdc.Dataset:
    """40 in Ash, 7 in Birch, 3 in Cedar, by sex."""
    rows = [("Ash", "f")] * LARGEST + [("Birch", "m")] * 7 + [("Cedar", "f")] * 3
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "sex"]))


def asked(
    methods: Sequence[Mechanism] = METHODS, work: Work | None = None, **controls: Any
) -> Answer:
    study = sdc.Study(people(), methods=methods, empty_groups="as-set")
    return sdc.ask("delta_epsilon", study, {"cap": 12, **controls}, work=work)


def published(epsilon: Any, cap: int = 12, k: int = 6) -> Any:
    """ln(1 − δ) as Theorem 1 prints it."""
    return math.log(0.25) - epsilon * (cap - k)


def true(epsilon: Any, cap: int = 12) -> Any:
    """ln(1 − δ) as it is: the chances that B and that B − 1 are hidden."""
    return math.log(0.25) - epsilon * (cap - 6 + cap - 1 - 6) / 2


def named(trace: Any) -> str:
    """The name of a line on one line: a legend breaks it."""
    return str(trace.name).replace("<br>", " ")


def thick(answer_: Answer) -> list[Any]:
    return [t for t in only(answer_.panels[0]).data if t.mode == "lines" and t.line.width > 3]


def thin(answer_: Answer) -> list[Any]:
    return [t for t in only(answer_.panels[0]).data if t.mode == "lines" and t.line.width < 2]


# ---------------------------------------------------------------- the chart


def test_thick_lines_are_true_and_thin_ones_published() -> None:
    found = asked()
    chart = only(found.panels[0])
    foot = chart.layout.yaxis.tickvals[0]
    x = np.array(thick(found)[0].x)
    assert (x[0], x[-1]) == (0.05, 20) and len(x) == 80 and (np.diff(x) > 0).all()
    delta_true, delta_published = -np.expm1(true(x)), -np.expm1(published(x))
    heights = {
        NAMES[0]: np.full(80, foot),  # never fails: at the foot
        NAMES[1]: np.log10(delta_true),
        NAMES[2]: np.zeros(80),  # δ is 1
        NAMES[3]: np.zeros(80),
    }
    assert [named(t) for t in thick(found)] == NAMES
    for line, style in zip(thick(found), styles(METHODS), strict=True):
        assert list(line.y) == pytest.approx(list(heights[named(line)]), abs=1e-9)
        assert list(line.x) == list(x)
        assert (line.line.color, line.line.dash) == (style.color, style.dash)
    drawn = {t.name: t for t in thin(found)}
    assert list(drawn) == [f"{n}, published" for n in NAMES[:3]]  # nobody claims it of the last
    for name, style in zip(NAMES[:3], styles(METHODS), strict=False):
        line = drawn[f"{name}, published"]
        printed = -np.expm1(published(x, k=7)) if name == NAMES[2] else delta_published
        expected = np.full(80, foot) if name == NAMES[0] else np.log10(printed)
        assert list(line.y) == pytest.approx(list(expected), abs=1e-9)
        assert (line.line.color, line.line.dash) == (style.color, "dot")


def test_red_crosses_stand_where_the_published_bound_fails_and_nowhere_else() -> None:
    chart = only(asked().panels[0])
    (crosses,) = traces(chart, mode="markers", marker__color=FAILURE)
    assert crosses.marker.symbol == "x" and crosses.name == "published bound fails"
    x = np.array(crosses.x)
    every = np.array(thick(asked())[2].x)
    assert set(x) <= set(every) and len(x) == len(every) // 5  # at every ε; a few mark the line
    assert (np.diff(np.log(x)) < 0.5).all() and x[0] == every[0]
    assert list(crosses.y) == pytest.approx(list(np.log10(-np.expm1(published(x, k=7)))), abs=1e-9)
    assert not traces(only(asked([NOISE, PRIVATE, HIDING]).panels[0]), marker__color=FAILURE)
    two = only(asked([BROKEN, BROKEN.replace(k=5)]).panels[0])
    both = traces(two, mode="markers", marker__color=FAILURE)
    assert [t.showlegend for t in both] == [None, False]  # one entry for all failures


def test_marks_stand_at_the_present_epsilon() -> None:
    """ln(1 − δ) is a straight line in ε, so that between two points nothing is lost."""
    chosen = [sdc.mechanism("laplace", epsilon=0.3), sdc.mechanism("dp-suppression", epsilon=2.5)]
    chart = only(asked([*chosen, HIDING], view="rest").panels[0])
    marks = [t for t in chart.data if t.mode == "markers"]
    assert [list(t.x) for t in marks] == [[0.3], [2.5]]  # a method without ε has none
    heights = [t.y[0] for t in marks]
    assert heights == pytest.approx([0.0, true(2.5) / math.log(10)], abs=1e-6)
    colors = [(s.color, s.symbol) for s in styles(chosen)]
    assert [(t.marker.color, t.marker.symbol) for t in marks] == colors


def test_what_is_left_of_the_promise() -> None:
    """1 − δ instead of δ: 1 for Laplace, at the foot for δ = 1, out of reach below 1e-40."""
    found = asked(view="rest")
    chart = only(found.panels[0])
    foot = chart.layout.yaxis.tickvals[0]
    assert foot == pytest.approx(-42)
    assert chart.layout.yaxis.title.text == "1 − δ: how much of the promise is left"
    assert chart.layout.yaxis.ticktext[0] == "0 (nothing)"
    x = np.array(thick(found)[0].x)
    lines = {named(t): t for t in [*thick(found), *thin(found)]}
    assert list(lines[NAMES[0]].y) == pytest.approx([0.0] * 80)
    for name in NAMES[2:]:
        assert set(lines[name].y) == {foot}
    for name, log_rest in ((NAMES[1], true(x)), (f"{NAMES[1]}, published", published(x))):
        decades = log_rest / math.log(10)
        expected = [d if d >= -40 else None for d in decades]
        assert None in expected
        drawn = [None if y is None or math.isnan(y) else y for y in lines[name].y]
        assert [y is None for y in drawn] == [e is None for e in expected]
        assert [y for y in drawn if y is not None] == pytest.approx(
            [e for e in expected if e is not None])


@pytest.mark.parametrize("view", ["delta", "rest"])
def test_the_axis_is_read_upwards_in_powers_of_ten(view: str) -> None:
    chart = only(asked(view=view).panels[0])
    low, high = chart.layout.yaxis.range
    assert low < chart.layout.yaxis.tickvals[0] < 0 < high
    for text, value in list(zip(chart.layout.yaxis.ticktext, chart.layout.yaxis.tickvals,
                                strict=True))[1:]:
        assert float(text) == pytest.approx(10.0**value)
    assert chart.layout.xaxis.type == "log" and chart.layout.xaxis.title.text == "Privacy loss (ε)"
    assert chart.layout.xaxis.range == pytest.approx((math.log10(0.05), math.log10(20)))
    if view == "delta":
        assert chart.layout.yaxis.title.text == "δ: slack in the promise"
        assert chart.layout.yaxis.ticktext[0] == "0 (none)"


def test_pointing_at_a_line_says_published_and_true_in_that_order() -> None:
    found = asked()
    for line in (thick(found)[1], thin(found)[1]):
        assert line.hovertemplate.startswith(f"{NAMES[1]}<br>ε = %{{x:.3g}}<br>")
        assert ("published δ: %{customdata[0]}<br>true δ: %{customdata[1]}<br>"
                "Pr[loss > ε]: %{customdata[2]}") in line.hovertemplate
        seen = 0
        for epsilon, (printed, real, further) in zip(line.x, line.customdata, strict=True):
            if true(epsilon) < math.log(0.01) and published(epsilon) > math.log(1e-4):
                assert printed == f"{-math.expm1(published(epsilon)):.4f}"
                assert real == f"{-math.expm1(true(epsilon)):.4f}"
                assert printed > real
                assert further in (real, "1")  # the odds are infinite where a count shows
                seen += 1
        assert seen > 5
    assert set(map(tuple, thick(found)[3].customdata)) == {("none", "1", "1")}
    assert set(map(tuple, thick(found)[0].customdata)) == {("0", "0", "0")}


def test_noise_that_is_least_for_its_delta_has_that_delta() -> None:
    """Analytic calibration takes the least noise for (ε, δ): the true δ is the one asked for."""
    method = sdc.mechanism("discrete-gaussian", calibration="analytic", delta=1e-5)
    (line,) = thick(asked([method]))
    assert list(line.y) == pytest.approx([-5.0] * 80, abs=0.02)


# ---------------------------------------------------------------- the table


def test_the_table_keeps_published_and_true_apart() -> None:
    table = asked().panels[0].table
    assert table is not None
    assert list(table.columns) == [
        "mechanism", "epsilon", "delta_published", "delta_true", "ln(1 - delta_published)",
        "ln(1 - delta_true)", "delta_true is", "only among data that agree in",
        "Pr[loss > epsilon]", "Pr is of", "holds"]
    by_name = dict(list(table.groupby("mechanism", sort=False)))
    assert list(by_name) == NAMES and all(len(rows) == 80 for rows in by_name.values())
    private = by_name[NAMES[1]]
    epsilon = private["epsilon"].to_numpy()
    for column, expected in {
        "delta_published": -np.expm1(published(epsilon)), "delta_true": -np.expm1(true(epsilon)),
        "ln(1 - delta_published)": published(epsilon), "ln(1 - delta_true)": true(epsilon),
    }.items():
        assert list(private[column]) == pytest.approx(list(expected), rel=1e-9)
    broken = by_name[NAMES[2]]
    assert list(broken["delta_published"]) == pytest.approx(
        list(-np.expm1(published(epsilon, k=7))))
    assert set(table["delta_true is"]) == {"exact"}
    assert set(by_name[NAMES[0]]["Pr[loss > epsilon]"]) == {0.0}
    assert (private["Pr[loss > epsilon]"] >= private["delta_true"] - 1e-12).all()
    assert set(broken["delta_true"]) == {1.0}
    assert {name: set(rows["holds"]) for name, rows in by_name.items()} == dict(zip(
        NAMES, ({"yes"}, {"yes"}, {"no"}, {"nothing published"}), strict=True))
    assert by_name[NAMES[3]]["delta_published"].isna().all()
    assert set(by_name[NAMES[3]]["delta_true"]) == {1.0}


# ---------------------------------------------------------------- sentences and verdicts


def test_the_sentences_are_about_the_strongest_and_the_emptiest_promise() -> None:
    found = asked([HIDING, PRIVATE, NOISE])
    assert found.headline == (
        "Adding noise (ε = 1) lets the odds about a person move by at most a factor of "
        f"{math.e:.2f}, apart from what is read off the data.")
    assert found.first == "Hiding small counts (k = 6) promises nothing."
    assert found.further.startswith(
        f"Adding noise (ε = 1) lets the chance of any outcome move by at most a factor of "
        f"{math.e:.2f} when one person's record changes (δ = 0). But which values of town and sex "
        "occur is read off the data and published as it is: one person alone can change that, and "
        "be seen by it. Hiding small counts (k = 6) promises nothing: whoever")
    weak = asked([PRIVATE])
    number = f"{-math.expm1(true(1.0)):.4f}"  # the odds are infinite whenever a count shows
    assert (f"with a slack of δ = {number}; in the worst tables they move further with a chance of "
            f"{number}.") in weak.more
    assert weak.headline == (
        "Hiding below a noisy limit (ε = 1, k = 6) promises next to nothing.")
    assert "in name only" in weak.more and weak.more.count("promise") == 1


def test_what_the_factor_means_is_said_only_where_bayes_gives_it() -> None:
    """By enumeration for one yes-or-no answer: what a reader believes after randomised response
    with odds of e^ε is at most e^ε times what was believed before, and comes near that."""
    p = math.e / (1 + math.e)
    prior = [10.0**-i for i in range(1, 7)]
    after = [p * q / (p * q + (1 - p) * (1 - q)) / q for q in prior]
    assert 2.7 < max(after) <= math.e
    ma = asked([NOISE]).more  # own data: which values occur shows, so nothing is added
    assert "surer" not in ma
    bare = NOISE.guarantee(cap=5)
    said = privacy_sentences([NOISE], [bare])[1]
    assert isinstance(said, Sentences)
    assert said.parts[0].endswith("who knows everybody else cannot become surer of anything about "
                                  "a person by more than a factor of 2.72.")
    for other in (
        dataclasses.replace(bare, epsilon=50.0), GAUSSIAN.guarantee(cap=5),
        dataclasses.replace(bare, invariants=("counts by town",)),
        dataclasses.replace(bare, neighbours=Neighbours.SWAPPED_FEATURES),
        dataclasses.replace(bare, distance=2),
    ):
        assert "surer" not in privacy_sentences([NOISE], [other])[1]


def test_removing_negatives_can_make_a_larger_loss_far_more_likely() -> None:
    """The printed noise at ε = 4, counts (7, 0) against (6, 1), by enumeration: 0.18 of what is
    drawn goes beyond ε, and 0.80 of what is published."""
    epsilon, sigma = 4.0, 0.5
    weights = {z: math.exp(-z * z / (2 * sigma**2)) for z in range(-11, 12)}
    whole = sum(weights.values())

    def law(count: int, least: int) -> dict[int, float]:
        out: dict[int, float] = {}
        for z, weight in weights.items():
            shown = max(count + z, least)
            out[shown] = out.get(shown, 0.0) + weight / whole
        return out

    def beyond(least: int) -> float:
        """Pr[loss > ε]; the other table's law ends where its chance is below 1e-100."""
        mine, other = (law(7, least), law(0, least)), (law(6, least), law(1, least))
        return sum(
            a * b for (x, a), (y, b) in itertools.product(mine[0].items(), mine[1].items())
            if x in other[0] and y in other[1]
            and math.log(a * b / (other[0][x] * other[1][y])) > epsilon * (1 + 1e-9)
        )

    printed = GAUSSIAN.replace(epsilon=epsilon, calibration="printed")
    found = printed.guarantee(cap=7)
    plain = printed.replace(postprocess="none").guarantee(cap=7)
    assert plain.exceeds == pytest.approx(beyond(-99), rel=1e-9)
    assert beyond(0) > 4 * beyond(-99) and found.exceeds >= beyond(0) * (1 - 1e-9)
    assert "far more often" not in found.remark and "negatives" not in plain.remark
    assert f"for which the chance is {beyond(-99):.3g}." in found.remark
    said = asked([printed]).panel("verdict-1").prose[0]
    assert f"more than e^ε with a chance of {sensible(found.exceeds)}: Pr[loss > ε]." in said


@pytest.mark.parametrize("epsilon", [50.0, 61.0, 64.0, 77.0, 100.0])
@pytest.mark.parametrize("calibration", ["table1", "printed"])
def test_a_larger_loss_is_never_less_likely_than_the_slack(
    epsilon: float, calibration: str,
) -> None:
    found = GAUSSIAN.replace(epsilon=epsilon, calibration=calibration).guarantee(cap=5)
    assert found.exceeds is not None and found.exceeds >= found.delta_tight


def test_swaps_between_two_records_are_bounded_by_twice_epsilon() -> None:
    found = asked([sdc.mechanism("permutation-swapping", swap=("town",), match=())])
    said = found.panel("verdict-1").prose[0]
    assert "the odds never move by more than e^(2ε): Pr[loss > 2ε] = 0." in said
    assert "more than e^ε:" not in said


def test_of_two_that_never_fail_the_smaller_epsilon_is_the_stronger() -> None:
    weak, strong = (sdc.mechanism("laplace", epsilon=e) for e in (10, 0.1))
    for chosen in ([weak, strong], [strong, weak]):
        found = asked(chosen)
        assert found.headline.startswith("Adding noise (ε = 0.1) lets the odds about a person move "
                                         f"by at most {100 * math.expm1(0.1):.1f}%")
        assert found.first.startswith("Adding noise (ε = 10) ")


def test_a_promise_within_invariants_comes_after_one_for_everyone() -> None:
    uniform = sdc.mechanism("dp-swapping-uniform", epsilon=0.1, quasi_identifiers=("sex",))
    found = asked([uniform, sdc.mechanism("laplace", epsilon=5)])
    assert found.headline.startswith("Adding noise (ε = 5) ")
    assert found.first == (
        "Redrawing values at random (ε = 0.1) lets the odds about a person move by at most 10.5%, "
        "apart from what it publishes exactly.")
    assert "leaves untouched" in found.further


def test_a_bound_that_fails_is_said() -> None:
    assert asked().more.endswith(
        " The published guarantee of hiding below a noisy limit (ε = 1, k = 7) does not hold: see "
        "below.")
    two = [BROKEN, BROKEN.replace(k=5)]
    assert asked(two).more.endswith(
        "The published guarantee of hiding below a noisy limit (ε = 1, k = 7) and hiding below a "
        "noisy limit (ε = 1, k = 5) does not hold: see below.")
    assert "hold" not in asked([NOISE, PRIVATE]).more


def test_each_method_has_its_own_verdict() -> None:
    found = asked()
    heading, *verdicts = found.panels[2:]
    assert heading.title == "At the present settings" and heading.table is None
    assert [p.name for p in verdicts] == [f"verdict-{n}" for n in (1, 2, 3, 4)]
    assert [p.title for p in verdicts] == [m.plain_label() for m in METHODS]
    assert sum(p.width for p in verdicts) == pytest.approx(1)  # side by side
    printed, real = -math.expm1(published(1.0)), -math.expm1(true(1.0))
    seven = -math.expm1(published(1.0, k=7))
    spoken = [" ".join([*(n.text for n in p.notices), *p.prose]) for p in verdicts]
    assert spoken[0].startswith("Published δ = 0, true δ = 0: the published bound holds.")
    assert spoken[1].startswith(
        f"Published δ = {printed:.4f}, true δ = {real:.4f}: the published bound holds.")
    assert spoken[2].startswith(
        f"Published δ = {seven:.4f}, true δ = 1: the published bound does not hold.")
    assert "(0, 2)" in spoken[2]  # the counterexample
    assert spoken[3].startswith("No paper claims a δ; the true δ is 1.")
    assert "Published as it is, without protection: every count of 6 or more." in verdicts[3].prose
    assert [[n.tone for n in p.notices] for p in verdicts] == [[], [], ["error"], []]
    for panel, method in zip(verdicts, METHODS, strict=True):
        assert panel.note.endswith(f"Source: {method.citation}.")
        assert panel.note.startswith("Neighbours: one person's record changes")


# ---------------------------------------------------------------- the controls


def test_the_largest_count_is_read_off_the_data_unless_it_is_given() -> None:
    memory = Work()
    asked(work=memory)  # what was computed for B = 12 must not come back
    found = asked(work=memory, cap=None)
    x = np.array(thick(found)[1].x)
    table = found.panels[0].table
    assert table is not None
    rows = table[table["mechanism"] == NAMES[1]]
    assert list(rows["ln(1 - delta_true)"]) == pytest.approx(list(true(x, LARGEST)))
    assert list(rows["ln(1 - delta_published)"]) == pytest.approx(list(published(x, LARGEST)))
    digits = [f"{math.exp(f(1.0, LARGEST)):.0e}" for f in (published, true)]
    said = found.panel("verdict-2").prose[0]
    assert f"Published δ = 1 − {digits[0]}, true δ = 1 − {digits[1]}" in said
    assert [n.tone for n in found.notices] == ["warning"]  # the methods differ in empty groups
    assert "Read off the data, not declared: the largest count, 40." in (
        found.panel("verdict-2").prose)
    assert not any("largest count" in line for line in asked().panel("verdict-2").prose)


@pytest.mark.parametrize("cap", [1, 3, 7, 8])
def test_no_guarantee_is_said_to_fail_that_nobody_published(cap: int) -> None:
    """Theorem 1 is about largest counts above k = 7; with zeros left alone δ is 1 either way."""
    found = asked([BROKEN], cap=cap)
    panel = found.panel("verdict-1")
    said = " ".join([*panel.prose, *(n.text for n in panel.notices)])
    claimed = cap > 7
    assert ("No paper claims a δ; the true δ is 1." in said) is not claimed
    assert ("The published guarantee fails" in said) is claimed
    assert bool(panel.notices) is claimed and "never come out alike. The true δ is 1." in said
    assert ("published guarantee" in found.more) is claimed
    assert guarantee_chip(BROKEN.guarantee(cap=cap)).text == (
        "Bound fails: δ = 1" if claimed else "No formal guarantee")


@pytest.mark.parametrize(("cap", "warned"), [(12, True), (39, True), (40, False), (41, False)])
def test_tables_smaller_than_the_data_are_said_to_be(cap: int, warned: bool) -> None:
    found = asked([NOISE, PRIVATE, HIDING], cap=cap)
    assert [n.tone for n in found.notices] == (["quiet"] if warned else [])
    if warned:
        assert found.notices[0].text.startswith(
            f"B = {cap} is below the largest group of this data (40 people)")


def test_a_promise_of_one_epsilon_is_not_drawn_at_smaller_ones() -> None:
    """Permutation swapping promises the ε that its swap rate buys per record, its nearest tables
    differ in two, and it promises nothing below twice that ε."""
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("a", "b")) for n in ("place", "sex", "race"))
    table = sdc.Histogram(np.arange(8), sdc.Domain(features))
    chosen = sdc.mechanism("permutation-swapping", match=("sex",), swap=("place",))
    curve = privacy_curve(chosen, table)
    promised = chosen.guarantee(table).epsilon
    assert promised is not None and 0.05 < promised < 20
    assert curve.here == curve.values[0] == 2 * promised
    assert conversion_sentence(chosen.guarantee(table), Unit.PERSON, 1) == (
        "On the chart, since its nearest tables differ in two records: ε′ = 2ε = "
        f"{2 * promised:.1f}; δ′ = δ (1 + e^ε) = 0. On the chart only among data "
        "that agree in what is published exactly; about any other change of a record nothing is "
        "promised (where an exact count changes, δ is 1).")
    assert list(curve.values) == sorted(curve.values) and curve.values[-1] == 20
    everywhere = privacy_curve(sdc.mechanism("suppression"), table)
    assert everywhere.here is None and everywhere.values[0] == 0.05


def test_no_method_and_bad_controls() -> None:
    found = asked([], cap=5)
    assert found.headline.startswith("Choose a method") and not found.panels
    assert len(found.notices) == 1  # B is too small all the same
    for controls, words in (
        ({"cap": 0}, "cap must be in [1, 1e+07], got 0"), ({"cap": 2.5}, "cap must be a whole"),
        ({"view": "log"}, "view must be one of delta, rest"),
        ({"unit": "town"}, "unit must be one of person, added, household"),
        ({"unit": "household", "together": 1}, "together must be in [2, 10]"),
    ):
        with pytest.raises(sdc.InputError, match=re.escape(words)):
            asked(**controls)


def test_the_code_makes_the_same_answer() -> None:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX", "OWN_RENT"), 3, METHODS)
    found = sdc.ask("delta_epsilon", study, cap=12, view="rest")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(found.code, {})  # noqa: S102
    assert printed.getvalue() == f"{found}\n"


# ---------------------------------------------------------------- the page

PAGE = "../pages/delta_epsilon.py"


def test_the_page_shows_where_the_published_bound_fails() -> None:
    app = opened({**TWIN, "cap": "12", "view": "rest"}, PAGE)  # empty groups left at 0
    assert any("does not hold" in e.value for e in app.error)
    assert "does not hold: see below" in answer(app)
    assert link(app)["view"] == "rest" and link(app)["cap"] == "12"
    fine = opened({**TWIN, "cap": "12", "empty": "treated"}, PAGE)
    assert not fine.error and not fine.warning
    printed, real = -math.expm1(published(1.0)), -math.expm1(true(1.0))
    assert f"Published δ = {printed:.4f}, true δ = {real:.4f}: the published bound holds." in (
        said(fine))


def test_the_page_by_default_takes_the_largest_group() -> None:
    """Also on the cards: the chip under DP suppression speaks of the same B."""
    app = opened({**TWIN, "empty": "treated"}, PAGE)
    assert not app.error and not app.warning and link(app)["cap"] == "auto"
    assert app.number_input(key="url.cap").value is None
    records = sdc.load_dataset("ma2019-twin").records
    largest = int(records.groupby(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"], observed=True).size().max())
    assert f"{largest:,}, from the data" in app.number_input(key="url.cap").placeholder
    assert "ε = 1, δ = almost 1" in said(app)
    small = opened({**TWIN, "empty": "treated", "cap": "3"}, PAGE)
    assert f"B = 3 is below the largest group of this data ({largest:,} people)" in said(small)
    hidden = 1 - math.exp(-2) / 2  # p(2), the least of what counts up to 3 can show
    assert f"ε = 1, δ = {1 - hidden**2:.2f}" in said(small)


def test_the_two_views_are_called_what_they_show() -> None:
    titles = delta_epsilon.view(Given(sdc.Study(sdc.load_dataset("ma2019-twin")))).titles
    assert "δ" in titles["delta"] and "1 − δ" not in titles["delta"]
    assert "1 − δ" in titles["rest"] and "Pr[loss > ε]" in titles["loss"]


# ---------------------------------------------------------------- how often odds move further


def noise_law(sigma: float) -> np.ndarray:
    """The noise's law on whole numbers, written down again."""
    z = np.arange(-math.ceil(14 * sigma) - 3, math.ceil(14 * sigma) + 4)
    law = np.exp(-(z**2) / (2 * sigma**2))
    return law / law.sum()


def noise_exceeds(epsilon: float) -> float:
    """Pr[loss > ε] of P0's noise (σ² = 20/ε), two counts moved by one each, by convolution."""
    law = noise_law(math.sqrt(20 / epsilon))
    both = np.convolve(law, law)
    w = np.arange(len(both)) - (len(both) - 1) // 2
    return float(both[(1 - w) * epsilon / 20 > epsilon * (1 + 1e-9)].sum())


def published_exceeds(epsilon: float) -> float:
    """The same where negatives are set to 0: a count that is never cut off falls and one of b
    rises, for the worst b."""
    law = noise_law(math.sqrt(20 / epsilon))
    reach = len(law) // 2

    def shown(count: int) -> np.ndarray:
        values = np.maximum(np.arange(-reach, reach + 1) + count, 0)
        return np.bincount(values, weights=law, minlength=2 * reach + 2)

    def loss(here: np.ndarray, there: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(here) - np.log(there)

    falls = loss(law[:-1], law[1:])
    worst = 0.0
    for b in range(reach // 3):
        rises = loss(shown(b), shown(b + 1))
        beyond = np.nan_to_num(falls)[:, None] + np.nan_to_num(rises)[None, :] > epsilon + 1e-9
        worst = max(worst, float(law[:-1] @ beyond @ shown(b)))
    return worst


def noise_delta(epsilon: float) -> float:
    law = noise_law(math.sqrt(20 / epsilon))
    both = np.convolve(law, law)
    w = np.arange(len(both)) - (len(both) - 1) // 2
    loss = (1 - w) * epsilon / 20
    return float((both * np.maximum(-np.expm1(np.minimum(epsilon - loss, 0)), 0)).sum())


GAUSSIAN = sdc.mechanism("discrete-gaussian")


def test_the_chance_of_a_larger_loss_has_a_view_of_its_own() -> None:
    drawn = GAUSSIAN.replace(postprocess="none")
    found = asked([NOISE, drawn, PRIVATE, sdc.mechanism("mst")], view="loss")
    chart = only(found.panels[0])
    assert chart.layout.yaxis.title.text.startswith("Pr[loss > ε]: chance that odds move")
    assert chart.layout.yaxis.ticktext[0] == "0 (never)"
    foot = chart.layout.yaxis.tickvals[0]
    lines = {named(t): t for t in thick(found)}
    gaussian = thick(found)[1]
    assert list(lines) == [NAMES[0], named(gaussian), NAMES[1]] and not thin(found)
    assert set(lines[NAMES[0]].y) == {foot}
    for x, y in list(zip(gaussian.x, gaussian.y, strict=True))[::9]:
        expected = noise_exceeds(x)
        if expected > 1e-15:
            assert y == pytest.approx(math.log10(expected), abs=1e-6)
    assert ("Not drawn, since it is not known: drawing records from a simple model (ε = 1)."
            in found.panels[0].caption)
    assert "Not drawn" not in asked([NOISE], view="loss").panels[0].caption


def test_delta_and_the_chance_of_a_larger_loss_are_said_apart() -> None:
    """At ε = 0.1 they are 0.009 and 0.165: who reads δ as the chance is off by far."""
    for epsilon in (0.1, 0.5, 1.0):
        method = GAUSSIAN.replace(epsilon=epsilon)
        found = asked([method])
        delta, further = noise_delta(epsilon), noise_exceeds(epsilon)
        assert further > 5 * delta
        slack = sensible(delta)
        at = published_exceeds(epsilon)
        assert 1.03 * further < at < 1.2 * further
        assert (f"with a slack of δ = {slack}; in the worst tables they move further with a chance "
                f"of {sensible(at)}.") in found.more
        assert delta * 50 < 1  # little slack, and at ε = 0.1 used in one release of six
        assert found.headline.endswith(
            ", with slack." if at < 0.05 else f", but for a chance of up to {100 * at:.0f}%.")
        plain = asked([method.replace(postprocess="none")])
        assert f"a chance of {sensible(further)}." in plain.more
        said_so = found.panel("verdict-1").prose[0]
        assert f"true δ = {slack}" in said_so
        assert f"more than e^ε with a chance of {sensible(at)}: Pr[loss > ε]." in said_so
        assert "fail" not in said_so and "except with" not in found.headline
    seen = asked([NOISE]).panel("verdict-1").prose[0]  # own data: the values are read off
    assert ("Among data that agree in what is published exactly, the odds never move by more than "
            "e^ε: Pr[loss > ε] = 0.") in seen and "without exception" not in seen
    declared = sdc.ask("delta_epsilon", sdc.Study(
        sdc.load_dataset("ma2019-twin"), ["SEX"], methods=[NOISE])).panel("verdict-1").prose[0]
    assert "The odds never move by more than e^ε: Pr[loss > ε] = 0." in declared
    mst = asked([sdc.mechanism("mst")])
    assert "How often the odds move by more than e^ε is not known." in (
        mst.panel("verdict-1").prose[0])
    assert "with a slack of at most δ = 1e-6" in mst.more


def test_an_upper_bound_is_named_on_the_chart_and_in_the_table() -> None:
    bounds = [sdc.mechanism("mst"), sdc.mechanism("dp-k-anonymity", quasi_identifiers=("sex",))]
    found = asked([NOISE, *bounds])
    assert [named(t) for t in thick(found)] == [
        NAMES[0], "Draw records from a simple model (MST synthetic data): upper bound",
        "Sample, then merge (DP k-anonymity, k = 6): upper bound"]
    assert all(row[1].startswith("at most ") for row in thick(found)[1].customdata)
    table = found.panels[0].table
    assert table is not None
    for name, rows in table.groupby("mechanism"):
        assert set(rows["delta_true is"]) == {"exact" if name == NAMES[0] else "upper bound"}
    for number in (2, 3):
        said_so = found.panel(f"verdict-{number}").prose[0]
        assert "true δ at most" in said_so and "(upper bound)" in said_so
        assert "true δ =" not in said_so
    alone = asked([bounds[1].replace(k=1)])  # nothing is merged: exact
    assert named(thick(alone)[0]) == "Sample, then merge (DP k-anonymity, k = 1)"
    assert f"true δ = {1 - math.exp(-1):.2f}" in alone.panel("verdict-1").prose[0]


# ---------------------------------------------------------------- one unit for all


def test_a_household_has_its_own_epsilon_and_slack() -> None:
    """h steps of (ε, δ): hε, and δ (1 + e^ε + e^2ε), which is at most that."""
    found = asked([NOISE, GAUSSIAN], unit="household", together=3)
    laplace, gaussian = thick(found)
    plain = thick(asked([NOISE, GAUSSIAN]))
    assert list(laplace.x) == pytest.approx([3 * x for x in plain[0].x])
    assert named(laplace) == NAMES[0]
    assert named(gaussian) == "Add bell-shaped noise (discrete Gaussian): upper bound"
    for x, y, before in list(zip(gaussian.x, gaussian.y, plain[1].x, strict=True))[::9]:
        expected = min(1.0, noise_delta(before) * sum(math.exp(i * before) for i in range(3)))
        assert x == pytest.approx(3 * before)
        if expected > 1e-15:
            assert y == pytest.approx(math.log10(expected), abs=1e-6)
    marks = [t for t in only(found.panels[0]).data if t.mode == "markers"]
    assert [m.x[0] for m in marks] == pytest.approx([3, 3])
    delta = noise_delta(1.0) * (1 + math.e + math.exp(2))
    assert found.panel("verdict-2").prose[-1] == (
        "On the chart, since 3 records change: ε′ = 3ε = 3; δ′ ≤ δ (1 + e^ε + e^2ε) = "
        f"{sensible(delta)}.")
    assert found.panel("verdict-1").prose[-1].endswith("δ′ = δ (1 + e^ε + e^2ε) = 0.")
    five = asked([NOISE], unit="household", together=5).panel("verdict-1").prose[-1]
    assert "ε′ = 5ε = 5; δ′ = δ (1 + e^ε + … + e^4ε) = 0." in five


def test_a_slack_of_more_than_one_promises_nothing() -> None:
    """DP k-anonymity at ε = 1 has δ = 1 - 1/e: for three people (1 + e + e²) times that."""
    found = asked([sdc.mechanism("dp-k-anonymity", k=1, quasi_identifiers=("sex",))],
                  unit="household", together=3)
    assert (1 - math.exp(-1)) * (1 + math.e + math.exp(2)) > 1
    assert found.panel("verdict-1").prose[-1] == (
        "On the chart, since 3 records change: ε′ = 3ε = 3; δ (1 + e^ε + e^2ε) is 1 or "
        "more, so nothing is promised (δ′ = 1).")


@pytest.mark.parametrize(("unit", "converted_too"), [
    ("person", False), ("added", True), ("household", True)])
def test_what_the_paper_prints_is_said_to_be_converted_where_it_is(
    unit: str, converted_too: bool
) -> None:
    found = asked([NOISE, GAUSSIAN], unit=unit)
    assert ("what the paper prints, converted like the rest," in found.panels[0].caption) is (
        converted_too)


def test_a_bound_that_decides_nothing_is_not_called_unpublished() -> None:
    """Uniform swapping of whole groups, three people: printed and true δ are bounds then, the true
    one above the printed one, and whether the printed one holds is not known."""
    method = sdc.mechanism("dp-swapping-uniform", epsilon=0.2, unit="cell",
                           quasi_identifiers=("town",))
    found = asked([method], unit="household", together=2)
    table = found.panels[0].table
    assert table is not None and table["delta_published"].notna().all()
    undecided = table[table["delta_true"] > table["delta_published"] + 1e-6]
    assert len(undecided) and set(undecided["holds"]) == {"not known"}
    assert "nothing published" not in set(table["holds"])


def test_three_people_who_move_together_reach_three_epsilon_and_stay_below_the_slack() -> None:
    """The discrete Gaussian, three records from one cell to another, by enumeration."""
    epsilon, sigma = 1.0, math.sqrt(20)
    law = noise_law(sigma)
    padded = np.pad(law, 3)
    here, there = np.outer(law, law), np.outer(padded[6:], padded[:-6])
    exact = float(np.maximum(here - math.exp(3 * epsilon) * there, 0)[3:-3, 3:-3].sum())
    bound = converted(GAUSSIAN.guarantee(records=9), Unit.HOUSEHOLD, 3)
    assert bound is not None and bound.is_bound and bound.exceeds is None
    assert 0 < exact <= bound.delta_tight == pytest.approx(
        noise_delta(1.0) * (1 + math.e + math.exp(2)))
    # moving by three costs a loss of (3 - w)·3/σ², not three times (1 - w)/σ²
    pure = converted(NOISE.guarantee(), Unit.HOUSEHOLD, 3)
    assert pure is not None and (pure.epsilon, pure.delta_tight, pure.is_bound) == (3, 0, False)


def test_who_is_added_changes_one_count_or_is_seen() -> None:
    found = asked([NOISE, GAUSSIAN, sdc.mechanism("mst"), HIDING], unit="added")
    plain = asked([NOISE, GAUSSIAN])
    lines = {named(t): t for t in thick(found)}
    assert list(lines[NAMES[0]].x) == pytest.approx([x / 2 for x in thick(plain)[0].x])
    assert "Add bell-shaped noise (discrete Gaussian): upper bound" in lines and NAMES[3] in lines
    # one count with noise of scale 2/ε: the log-ratio is ε/2 and no more
    z = np.arange(-40, 41)
    ratio = np.abs(np.abs(z - 1) - np.abs(z)) * 1.0 / 2
    assert ratio.max() == 0.5
    law = noise_law(math.sqrt(20))
    one = np.maximum(law[1:] - math.e * law[:-1], 0).sum()
    assert one <= noise_delta(1.0)  # no worse, as is said
    assert ("Not drawn, since the number of people is published: drawing records from a simple "
            "model (ε = 1).") in found.panels[0].caption
    said_so = [found.panel(f"verdict-{i}").prose[-1] for i in (1, 2, 3)]
    assert "one count changes instead of two, so ε′ = ε/2 = 0.5; δ′ = 0." in said_so[0]
    assert f"ε′ = 1 as it is, and no worse; δ′ ≤ {sensible(noise_delta(1.0))}." in (
        said_so[1])
    assert said_so[2].startswith("On the chart: not drawn. The number of people is published")
    assert "On the chart" not in found.panel("verdict-4").prose[-1]  # δ = 1 for everybody


def test_the_axis_reaches_as_far_as_the_units_need() -> None:
    far = only(asked([NOISE], unit="household", together=10).panels[0]).layout.xaxis
    assert far.range[1] == pytest.approx(math.log10(200)) and 200 in far.tickvals
    near = only(asked([NOISE]).panels[0]).layout.xaxis
    assert near.range[1] == pytest.approx(math.log10(20)) and max(near.tickvals) == 20


# ---------------------------------------------------------------- promises among some data only

UNIFORM = sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("sex",))
AREAS = sdc.mechanism("topdown", geography=("town",), invariants="areas")
PERMUTED = sdc.mechanism("permutation-swapping", match=(), swap=("town",))
LIMITED = "only among data that agree in what it keeps exact"


def marks(answer_: Answer) -> list[Any]:
    return [t for t in only(answer_.panels[0]).data
            if t.mode == "markers" and t.legendgroup != "fails"]


def test_a_promise_within_invariants_is_not_drawn_as_one_for_any_change() -> None:
    """Uniform DP swapping has δ = 0 among data with the same counts by town, where it lies exactly
    on Laplace. Whoever moves to another town is told apart for sure, by enumeration: the released
    towns are the true ones."""
    found = asked([NOISE, UNIFORM, AREAS, PERMUTED])
    before, after = (
        sdc.Histogram(np.array(counts), sdc.Domain((
            sdc.Feature("town", "town", ("a", "b"), ("a", "b")),
            sdc.Feature("sex", "sex", ("f", "m"), ("f", "m")),
        ))) for counts in ([2, 1, 1, 1], [1, 1, 2, 1])
    )
    towns = [{tuple(UNIFORM.release(t, seed).counts.reshape(2, 2).sum(axis=1)) for seed in range(9)}
             for t in (before, after)]
    assert towns == [{(3, 2)}, {(2, 3)}]  # δ is 1 for this change
    laplace, *limited = thick(found)
    assert list(limited[0].y) == list(laplace.y)  # the very same height
    assert named(laplace) == NAMES[0] and laplace.line.dash == "solid"
    for line in limited:
        assert LIMITED in line.name.replace("<br>", " ") and line.line.dash.startswith("12px")
    symbols = [m.marker.symbol for m in marks(found)]
    assert not symbols[0].endswith("-open") and all(s.endswith("-open") for s in symbols[1:])
    caption = found.panels[0].caption
    assert "hollow marks: only among data that agree in what the method keeps exact (" in caption
    for fact in ("counts by town", "the number of people by town", "(match and hold features)"):
        assert fact in caption
    assert "where an exact count changes, δ is 1" in caption
    table = found.panels[0].table
    assert table is not None
    among = {name: set(rows["only among data that agree in"])
             for name, rows in table.groupby("mechanism")}
    redrawn = among["Redraw values at random (uniform DP swapping)"]
    assert all("counts by town" in facts for facts in redrawn)
    assert all("counts by" not in facts for facts in among[NAMES[0]])
    for number in (2, 3, 4):
        assert found.panel(f"verdict-{number}").prose[-1].endswith(
            "about any other change of a record nothing is promised (where an exact count changes, "
            "δ is 1).")
    assert "On the chart" not in " ".join(found.panel("verdict-1").prose)


def test_nothing_is_marked_where_every_promise_covers_any_change() -> None:
    found = asked([NOISE, GAUSSIAN, sdc.mechanism("topdown", geography=("town",))])
    assert "hollow" not in found.panels[0].caption
    assert not any("agree" in t.name for t in thick(found))
    assert not any(m.marker.symbol.endswith("-open") for m in marks(found))
    # read off own data, for all methods alike
    assert ("All lines are about data that agree in what is read off them: which values of town "
            "and sex occur.") in found.panels[0].caption


def test_who_is_added_is_drawn_where_nothing_is_exact() -> None:
    """TopDown without invariants publishes no number of people."""
    free = sdc.mechanism("topdown", geography=("town",), invariants="none")
    found = asked([free, free.replace(invariants="total")], unit="added")
    assert [named(t) for t in thick(found)] == [
        "Add noise that adds up (TopDown, exact: nothing): upper bound"]
    assert ("Not drawn, since the number of people is published: adding noise that "
            "adds up (ε = 1)."
            in found.panels[0].caption)
    assert "Nothing is published exactly." in found.panel("verdict-1").prose[0]
    assert "so ε′ = 1 as it is, and no worse; δ′ ≤ " in found.panel("verdict-1").prose[-1]


def test_topdown_is_a_bound_and_its_chance_is_of_the_noisy_counts() -> None:
    method = sdc.mechanism("topdown", geography=("town",))
    found = asked([method, GAUSSIAN], view="loss")
    assert named(thick(found)[0]) == "Add noise that adds up (TopDown): of the noisy counts"
    said_so = found.panel("verdict-1").prose[0]
    assert "true δ at most 1e-6 (upper bound)" in said_so and "true δ =" not in said_so
    assert "for the noisy counts, and what is made of them can make it larger" in said_so
    table = found.panels[0].table
    assert table is not None
    of = table.groupby("mechanism")["Pr is of"].unique()
    assert list(of["Add noise that adds up (TopDown)"]) == ["noisy counts"]
    assert list(of["Add bell-shaped noise (discrete Gaussian)"]) == ["what is published"]


# ---------------------------------------------------------------- lines on each other, headlines


def on_one_line(answer_: Answer) -> str:
    return answer_.panels[0].caption.partition("drawn one inside the other: ")[2].partition(".")[0]


def test_lines_that_lie_on_each_other_are_drawn_one_inside_the_other() -> None:
    """Laplace and geometric noise have δ = 0; both kinds of hiding next to or at 1: two pairs on
    two lines. Each under another is wider, each on top as all lines are; colours differ."""
    whole = sdc.mechanism("geometric")
    found = asked([NOISE, HIDING, whole, BROKEN])
    noise, hiding, geometric, broken = thick(found)
    assert list(noise.y) == list(geometric.y) and list(hiding.y) == list(broken.y)
    for under, top in ((noise, geometric), (hiding, broken)):
        assert under.line.width >= top.line.width + 4 and under.line.color != top.line.color
        assert under.opacity == top.opacity == 1
    alone = thick(asked([NOISE, GAUSSIAN]))
    assert [t.line.width for t in alone] == [geometric.line.width] * 2
    sizes = [m.marker.size for m in marks(found)]
    assert sizes[0] > sizes[1] and len(sizes) == 3  # hiding counts has no ε to mark
    assert on_one_line(found) == (
        "adding noise and adding whole-number noise; hiding small counts (k = 6) and hiding below "
        "a noisy limit (k = 7)")
    assert on_one_line(asked([NOISE, GAUSSIAN])) == ""


def test_three_on_one_line_are_three_widths() -> None:
    found = asked([HIDING, BROKEN, BROKEN.replace(k=5)])
    widths = [t.line.width for t in thick(found)]
    assert widths[0] > widths[1] > widths[2] and len({*widths}) == 3
    first, second, third = thick(found)
    assert second.line.color == third.line.color != first.line.color
    assert second.opacity < 0.7 < first.opacity == third.opacity  # pale under its own colour


def test_the_same_method_at_another_epsilon_is_one_line_with_two_marks() -> None:
    found = asked([NOISE, NOISE.replace(epsilon=5.0)])
    (line,) = thick(found)
    assert line.opacity == 1 and [m.x[0] for m in marks(found)] == [1, 5]
    assert on_one_line(found) == "" and len(thin(found)) == 1
    table = found.panels[0].table
    assert table is not None and len(table) >= 160  # all points of both are in the table


EVERY = [
    sdc.mechanism(one.name, **{
        "topdown": {"geography": ("town",)}, "protected-suppression": {"across": ("town",)},
        "permutation-swapping": {"match": (), "swap": ("town",)},
    }.get(one.name, {"quasi_identifiers": ("sex",)} if any(
        p.name == "quasi_identifiers" for p in one.params()) else {}))
    for one in FOR_TABLES
]


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 50.0])
def test_headlines_fit_two_lines_and_need_no_symbol_for_the_promise(epsilon: float) -> None:
    """Every pair of methods, whatever their promise: short, plain, and the weaker one is never said
    to promise more (the order is that of what is promised)."""
    table = people().histogram(["town", "sex"])
    chosen = [m.replace(epsilon=epsilon) if "epsilon" in m.settings() else m for m in EVERY]
    promised = [m.guarantee(table) for m in chosen]
    for (one, its), (other, others) in itertools.permutations(
            zip(chosen, promised, strict=True), 2):
        headline, more = privacy_sentences([one, other], [its, others])
        assert len(headline) <= 165, headline
        assert not re.search(r"δ|\de-\d|−|ℓ|b = ", headline), headline
        named_first = one if headline.lower().startswith(one.spoken().lower()) else other
        assert headline.lower().startswith(named_first.spoken().lower())
        assert isinstance(more, Sentences) and more.parts[0].count(". ") == 0, more.parts[0]
        weaker = other if named_first is one else one
        said_so = f"{headline} {more}".lower()
        assert weaker.spoken().lower() in said_so or "the same goes for the other" in said_so
        if "promises nothing" in headline.partition(";")[0]:  # then nobody promises anything
            assert not its.formal and not others.formal


def test_another_epsilon_moves_the_mark_and_computes_no_new_curve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, data = Work(), people()

    def asked_again(method: Mechanism) -> Answer:
        study = sdc.Study(data, methods=[method], empty_groups="as-set")
        return sdc.ask("delta_epsilon", study, {"cap": 12, "view": "rest"}, work=memory)

    first = asked_again(PRIVATE)

    def refuse(*given: Any) -> Any:
        raise AssertionError("computed again")

    monkeypatch.setattr("sdc_core.questions.delta_epsilon.compute.sweep", refuse)
    moved = asked_again(PRIVATE.replace(epsilon=2.5))
    assert list(thick(moved)[0].y) == list(thick(first)[0].y)
    (mark,) = marks(moved)
    assert mark.x[0] == 2.5
    assert mark.y[0] == pytest.approx(true(2.5) / math.log(10), abs=1e-6)
    with pytest.raises(AssertionError, match="computed again"):
        asked_again(PRIVATE.replace(k=5))


def test_the_same_goes_only_for_who_is_said_the_same_of() -> None:
    """Suppression has no published promise to break, and who breaks one does not go unsaid."""
    table = people().histogram(["town", "sex"])
    swapped = sdc.mechanism("dp-swapping", quasi_identifiers=("sex",))
    merging = sdc.mechanism("k-anonymity", quasi_identifiers=("sex",))
    for chosen in itertools.permutations([swapped, HIDING, merging]):
        promised = [one.guarantee(table) for one in chosen]
        assert not any(one.formal for one in promised)
        broken = [one.holds is False for one in promised]
        assert broken == [one is swapped for one in chosen]
        headline, more = privacy_sentences(chosen, promised)
        assert "the same goes" not in headline
        said_so = f"{headline} {more}".lower()
        assert f"{swapped.spoken()} breaks its published promise" in said_so
        assert not any(f"{one.spoken()} breaks" in said_so for one in chosen if one is not swapped)
    level = [HIDING, merging]
    headline, _ = privacy_sentences(level, [one.guarantee(table) for one in level])
    assert headline == "Hiding small counts (k = 6) promises nothing; the same goes for the other."


def test_odds_that_often_move_further_are_not_said_to_be_kept() -> None:
    """Bell-shaped noise at ε = 0.01: δ = 0.008 is below one over 120 people, and yet the loss is
    larger than ε in two of five releases."""
    records = pd.DataFrame({"town": ["Ash", "Birch"] * 60, "sex": ["f"] * 80 + ["m"] * 40})
    table = sdc.load_dataset(records).histogram(["town", "sex"])
    noise = sdc.mechanism("discrete-gaussian", epsilon=0.01)
    found = noise.guarantee(table)
    assert found.small_delta and 0 < found.delta_tight < 1 / 120 and found.exceeds is not None
    assert found.exceeds > 0.4
    headline, _ = privacy_sentences([noise], [found])
    assert f", but for a chance of up to {100 * found.exceeds:.0f}%" in headline
    usual = noise.replace(epsilon=1.0)
    headline, _ = privacy_sentences([usual], [usual.guarantee(table)])
    assert "with slack" in headline and "chance" not in headline


def test_the_first_named_is_who_promises_most() -> None:
    """From a promise to rely on, by one with too much slack, to one that limits nothing and one
    that is none: in whatever order they are shown, and a method on two cards once."""
    table = people().histogram(["town", "sex"])
    loose = sdc.mechanism("discrete-gaussian", calibration="analytic", epsilon=0.1, delta=0.25)
    tight = sdc.mechanism("discrete-gaussian", calibration="analytic", delta=0.01)
    order = [NOISE, tight, loose, NOISE.replace(epsilon=100.0), HIDING]
    promised = {one: one.guarantee(table) for one in order}
    assert promised[tight].delta_tight < 1 / table.total < 0.2 < promised[loose].delta_tight
    says = {NOISE: "move by at most a factor of 2.72", tight: "within a factor of 2.72",
            loose: ", with too much slack",
            order[3]: "sets no limit in practice", HIDING: "promises nothing"}
    for one, other in itertools.permutations(order, 2):
        first, last = sorted((one, other), key=order.index)
        headline, more = privacy_sentences(
            [one, other, one], [promised[m] for m in (one, other, one)])
        assert headline.lower().startswith(first.spoken())
        assert says[first] in headline.partition(";")[0]
        rest = f"{headline.partition(';')[2]} {more}".lower()
        assert f"{last.spoken()} " in rest and says[last] in rest and "the others" not in rest
    alone, _ = privacy_sentences([NOISE, NOISE], [promised[NOISE]] * 2)
    assert ";" not in alone


@pytest.mark.parametrize(("view", "shown", "good"), [
    ("delta", "slack, δ", "Low"), ("rest", "what is left, 1 − δ", "High"),
    ("loss", "larger loss, Pr[loss > ε]", "Low"),
])
def test_title_caption_and_alternative_text_are_of_what_is_drawn(
    view: str, shown: str, good: str
) -> None:
    """The best of the four methods, Laplace noise, lies at the good end of every axis."""
    sampled = sdc.mechanism("dp-k-anonymity", quasi_identifiers=("sex",))
    found = asked([NOISE, PRIVATE, HIDING, sampled], view=view)
    panel = found.panels[0]
    assert panel.alt.startswith(f"A line a method, along ε: {shown}. {found.headline}")
    assert f" {good} is good." in panel.caption
    ends = {named(t).split(":")[0]: t.y[40] for t in thick(found) if t.y[40] is not None}
    best = max if good == "High" else min
    assert ends[NAMES[0]] == best(ends.values()) != ends[NAMES[1]]
    assert ("published" in panel.title.lower()) is (view != "loss") is bool(thin(found))
    bounds = [named(t).split(": ")[1] for t in thick(found) if "merge" in t.name]
    assert bounds == {"delta": ["upper bound"], "rest": ["lower bound"], "loss": []}[view]
    assert (f"{'a lower' if view == 'rest' else 'an upper'} bound of it" in panel.caption) is (
        view != "loss")
    assert ("what the true δ leaves" in panel.caption) is (view == "rest")


def test_what_is_not_drawn_or_limited_is_named_once_for_two_cards() -> None:
    drawn = sdc.mechanism("mst")
    caption = asked([drawn, drawn], unit="added").panels[0].caption
    assert caption.count(drawn.spoken()) == 1 and "the number of people is published" in caption
    part = sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("sex",))
    caption = asked([part, part.replace(epsilon=2.0)]).panels[0].caption
    assert caption.count("redrawing values at random") == 1  # one line with two marks


@pytest.mark.parametrize("cap", [12, 39, 40, 50])
def test_a_cap_below_the_data_is_said_to_leave_them_out(cap: int) -> None:
    notices = [n.text for n in asked([NOISE], cap=cap).notices]
    said_so = [n for n in notices if "smaller tables than yours" in n]
    assert bool(said_so) is (cap < LARGEST)
    assert all(f"B = {cap} is below the largest group of this data ({LARGEST} people)" in n
               for n in said_so)


def test_what_ends_or_is_nothing_is_said_in_short() -> None:
    def short_of(**changes: Any) -> str:
        bare = {"delta_published": None, "log_rest_published": None, **changes}
        own = dataclasses.replace(NOISE.guarantee(records=1000), **bare)
        return privacy_sentences([NOISE], [own])[0]

    assert short_of(if_none_larger=True, invariants=("the largest count, 4",),
                    read_off=("the largest count, 4",)).endswith("promises nothing once a count "
                                                                "grows.")
    assert short_of(epsilon=None).endswith(" reveals nothing.")
    often = {"delta_tight": 1e-4, "log_rest_tight": math.log1p(-1e-4),
             "log_within": math.log1p(-0.2)}
    assert short_of(**often).endswith("but for a chance of up to 20%.")
    assert short_of(**often, as_drawn=True).endswith("but for a chance of at least 20%.")
    part = sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("sex",))
    caption = asked([part]).panels[0].caption
    assert "About any other change of a record such a line promises nothing" in caption
    assert "so it cannot be set against the others." in caption
# ---------------------------------------------------------------- the attack


ATTACKED = [NOISE, BROKEN, HIDING, sdc.mechanism("geometric", epsilon=2.0)]


def triangles(answer_: Answer) -> list[Any]:
    return [t for t in only(answer_.panels[0]).data if t.legendgroup == "attack"]


def test_nothing_is_attacked_unless_somebody_asks() -> None:
    found = asked()
    assert not triangles(found) and found.panel("attack").table is None
    assert found.panel("attack").prose == () and "attack" not in found.tables()


def test_marks_stand_where_the_attack_puts_them() -> None:
    """Left of the method's own mark where the theorem holds; at δ = 1, in red, where it fails."""
    found = asked(ATTACKED, attack="4000")
    chart = only(found.panels[0])
    foot = chart.layout.yaxis.tickvals[0]
    noise, broken, hiding, whole = triangles(found)
    for mark, chosen in ((noise, NOISE), (whole, ATTACKED[3])):
        own = sdc.audit(chosen, cap=12, delta=0.0, effort=4000, seed=7)
        assert mark.x[0] == own.epsilon_low() and mark.y[0] == foot
        assert 0.5 * chosen.epsilon < mark.x[0] < chosen.epsilon
        assert mark.marker.symbol == "triangle-right" and mark.marker.color != FAILURE
    assert (broken.x[0], broken.y[0]) == (1.0, 0.0) and broken.marker.color == FAILURE
    assert broken.marker.symbol == hiding.marker.symbol == "triangle-up"
    assert (hiding.x[0], hiding.y[0]) == (20, 0.0) and hiding.marker.color != FAILURE
    assert [t.showlegend for t in triangles(found)] == [None, False, False, False]
    assert "Triangles: an attack shows" in found.panels[0].caption


def test_sentences_say_what_somebody_who_tries_can_tell() -> None:
    found = asked(ATTACKED, attack="4000")
    noise, broken, hiding, whole = found.panel("attack").prose
    low = sensible(sdc.audit(NOISE, cap=12, effort=4000).epsilon_low())
    assert "who tried 4,000 times could already tell two tables apart" in noise
    assert f"odds of at least e^{low}" in noise and "The promise allows e^1." in noise
    assert "a single release tells two tables apart for sure" in broken
    printed = f"{-math.expm1(published(1.0, k=7)):.4f}"
    assert f"So the published promise (ε = 1, δ = {printed}) is broken" in broken
    assert "no ε holds" in hiding and "broken" not in hiding
    assert "adding whole-number noise (ε = 2)" in whole.lower()
    assert all(one in found.panels[0].alt for one in (noise, broken, hiding, whole))
    shown = found.panel("attack").drawing.frame  # what fits a page
    assert shown["the attack shows"].tolist()[:3] == [
        f"ε of at least {low}", "no ε is enough", "no ε is enough"]
    assert shown["promised"].tolist() == ["ε = 1", "ε = 1", "nothing", "ε = 2"]
    assert shown["tries"].tolist() == ["4,000", "none needed", "none needed", "4,000"]
    assert shown["more than published"].tolist() == ["no", "yes", "no", "no"]
    assert shown["slack granted, δ"].tolist() == ["0", "any below 1", "any below 1", "0"]
    for row, one in enumerate(ATTACKED):
        limit = sdc.audit(one, cap=12, effort=4000)
        said = "–" if limit.certain else f"ε = {sensible(limit.most_shown)}"
        assert shown["can show at most"][row] == said
    frame = found.panel("attack").table
    assert frame is not None
    assert frame["published bound broken"].tolist() == ["no", "yes", "no", "no"]
    assert frame["no epsilon suffices"].tolist() == ["no", "yes", "yes", "no"]
    assert frame["tries"].tolist() == [4000, 0, 0, 4000]
    assert found.provenance is not None and "4,000 releases" in found.provenance.computed


def test_more_tries_only_tighten_the_mark() -> None:
    few, many = (triangles(asked([NOISE], attack=tries))[0].x[0] for tries in ("4000", "32000"))
    assert few < many <= 1


def test_a_delta_that_is_nearly_one_is_bounded_upwards() -> None:
    """DP suppression, B = 12: true δ 0.99898 at ε = 1; the mark is below it, at the present ε."""
    mark = triangles(asked([PRIVATE], attack="4000"))[0]
    assert mark.x[0] == 1.0 and mark.marker.symbol == "triangle-up"
    assert 0.98 < 10 ** mark.y[0] <= -math.expm1(true(1.0))
    said_ = asked([PRIVATE], attack="4000").panel("attack").prose[0]
    assert "it is certain from which of two tables they come" in said_ and "broken" not in said_


def test_the_attack_is_about_one_person_and_about_delta() -> None:
    for controls in ({"unit": Unit.ADDED.value}, {"view": "loss"}):
        found = asked([NOISE], attack="4000", **controls)
        assert not triangles(found) and found.panel("attack").table is not None
        assert "choose these to see it here" in found.panels[0].caption


def test_what_a_promise_leaves_out_has_a_row_of_its_own() -> None:
    method = sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("town",))
    found = asked([method], attack="4000")
    frame = found.panel("attack").table
    assert frame is not None and frame["the promise covers it"].tolist() == ["yes", "no"]
    assert "the promise does not cover this" in found.panel("attack").prose[1]
    assert len(triangles(found)) == 1


def test_slow_methods_wait_for_a_click() -> None:
    slow = sdc.mechanism("mst")
    found = asked([NOISE, slow], work=Work(started=()), attack="4000")
    assert [job.label for job in found.waiting] == ["Attack MST synthetic data"]
    assert "500 tries" in found.waiting[0].note
    assert len(triangles(found)) == 1 and len(found.panel("attack").prose) == 1


def test_what_cannot_be_attacked_is_said() -> None:
    method = sdc.mechanism("k-anonymity", k=2, quasi_identifiers=("town",),
                           hierarchies="town: Woods = Ash, Birch | Cedar")
    found = asked([NOISE, method], attack="4000")
    assert len(found.panel("attack").prose) == 2
    assert "Try without hierarchies" in found.panel("attack").prose[1]

"""δ versus ε: published thin, true thick, failures in red, each at its own method and height.

DP suppression below k = 6 with counts up to B = 12 has closed forms at every ε: published
1 − δ = ¼ e^(−6ε), true 1 − δ = p(12) p(11) = ¼ e^(−5.5ε). Laplace noise never fails, suppression
always may, and left alone empty groups break the published bound.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.figures.theme import FAILURE, styles
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions import delta_epsilon
from sdc_core.questions.answer import Answer
from sdc_core.questions.delta_epsilon.compute import privacy_curve
from sdc_core.questions.question import Given
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said
from tests.reading import only, traces

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("cap", "view"),
    columns={
        "delta-epsilon": (
            "mechanism", "epsilon", "delta_published", "delta_true", "ln(1 - delta_published)",
            "ln(1 - delta_true)", "holds",
        ),
    },
)

NOISE = sdc.mechanism("laplace")
PRIVATE = sdc.mechanism("dp-suppression")
BROKEN = sdc.mechanism("dp-suppression", keep_zeros=True)
HIDING = sdc.mechanism("suppression")
METHODS = [NOISE, PRIVATE, BROKEN, HIDING]
NAMES = ["Laplace", "DP suppression k=6", "DP suppression k=6 zeros kept", "Suppression k=6"]
LARGEST = 40


def people() -> sdc.Dataset:
    """40 in Ash, 7 in Birch, 3 in Cedar, by sex."""
    rows = [("Ash", "f")] * LARGEST + [("Birch", "m")] * 7 + [("Cedar", "f")] * 3
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "sex"]))


def asked(
    methods: Sequence[Mechanism] = METHODS, work: Work | None = None, **controls: Any
) -> Answer:
    study = sdc.Study(people(), methods=methods)
    return sdc.ask("delta_epsilon", study, {"cap": 12, **controls}, work=work)


def published(epsilon: Any, cap: int = 12) -> Any:
    """ln(1 − δ) as Theorem 1 prints it."""
    return math.log(0.25) - epsilon * (cap - 6)


def true(epsilon: Any, cap: int = 12) -> Any:
    """ln(1 − δ) as it is: the chances that B and that B − 1 are hidden."""
    return math.log(0.25) - epsilon * (cap - 6 + cap - 1 - 6) / 2


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
    assert [t.name for t in thick(found)] == NAMES
    for line, style in zip(thick(found), styles(METHODS), strict=True):
        assert list(line.y) == pytest.approx(list(heights[line.name]), abs=1e-9)
        assert list(line.x) == list(x)
        assert (line.line.color, line.line.dash) == (style.color, style.dash)
    drawn = {t.name: t for t in thin(found)}
    assert list(drawn) == [f"{n}, published" for n in NAMES[:3]]  # nobody claims it of the last
    for name, style in zip(NAMES[:3], styles(METHODS), strict=False):
        line = drawn[f"{name}, published"]
        expected = np.full(80, foot) if name == "Laplace" else np.log10(delta_published)
        assert list(line.y) == pytest.approx(list(expected), abs=1e-9)
        assert (line.line.color, line.line.dash) == (style.color, "dot")


def test_red_crosses_stand_where_the_published_bound_fails_and_nowhere_else() -> None:
    chart = only(asked().panels[0])
    (crosses,) = traces(chart, mode="markers", marker__color=FAILURE)
    assert crosses.marker.symbol == "x" and crosses.name == "published bound fails"
    x = np.array(crosses.x)
    assert len(x) == 80  # of the method that leaves zeros alone, at every ε
    assert list(crosses.y) == pytest.approx(list(np.log10(-np.expm1(published(x)))), abs=1e-9)
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
    lines = {t.name: t for t in [*thick(found), *thin(found)]}
    assert list(lines["Laplace"].y) == pytest.approx([0.0] * 80)
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
        assert chart.layout.yaxis.title.text == "δ: chance that the promise fails"
        assert chart.layout.yaxis.ticktext[0] == "0 (never)"


def test_pointing_at_a_line_says_published_and_true_in_that_order() -> None:
    found = asked()
    for line in (thick(found)[1], thin(found)[1]):
        assert line.hovertemplate.startswith("DP suppression k=6<br>ε = %{x:.3g}<br>")
        assert "published δ: %{customdata[0]}<br>true δ: %{customdata[1]}" in line.hovertemplate
        seen = 0
        for epsilon, (printed, real) in zip(line.x, line.customdata, strict=True):
            if true(epsilon) < math.log(0.01) and published(epsilon) > math.log(1e-4):
                assert printed == f"{-math.expm1(published(epsilon)):.4f}"
                assert real == f"{-math.expm1(true(epsilon)):.4f}"
                assert printed > real
                seen += 1
        assert seen > 5
    assert set(map(tuple, thick(found)[3].customdata)) == {("none", "1")}
    assert set(map(tuple, thick(found)[0].customdata)) == {("0", "0")}


def test_noise_that_is_least_for_its_delta_fails_that_often() -> None:
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
        "ln(1 - delta_true)", "holds"]
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
    assert list(broken["delta_published"]) == pytest.approx(list(-np.expm1(published(epsilon))))
    assert set(broken["delta_true"]) == {1.0}
    assert {name: set(rows["holds"]) for name, rows in by_name.items()} == dict(zip(
        NAMES, ({"yes"}, {"yes"}, {"no"}, {"nothing published"}), strict=True))
    assert by_name[NAMES[3]]["delta_published"].isna().all()
    assert set(by_name[NAMES[3]]["delta_true"]) == {1.0}


# ---------------------------------------------------------------- sentences and verdicts


def test_the_sentences_are_about_the_strongest_and_the_emptiest_promise() -> None:
    found = asked([HIDING, PRIVATE, NOISE])
    assert found.headline == (
        "Laplace ε=1 lets the odds of any outcome move by at most a factor of "
        f"{math.e:.2f} when one person's record changes, always.")
    assert found.more.startswith("Suppression k=6 promises nothing")
    weak = asked([PRIVATE])
    assert f"fails with probability {-math.expm1(true(1.0)):.4f}" in weak.headline
    assert "in name only" in weak.headline and not weak.more


def test_of_two_that_never_fail_the_smaller_epsilon_is_the_stronger() -> None:
    weak, strong = (sdc.mechanism("laplace", epsilon=e) for e in (10, 0.1))
    for chosen in ([weak, strong], [strong, weak]):
        found = asked(chosen)
        assert found.headline.startswith("Laplace ε=0.1 lets the odds of any outcome move by at "
                                         f"most {100 * math.expm1(0.1):.1f}%")
        assert found.more.startswith("Laplace ε=10 ")


def test_a_promise_within_invariants_comes_after_one_for_everyone() -> None:
    uniform = sdc.mechanism("dp-swapping-uniform", epsilon=0.1, quasi_identifiers=("sex",))
    found = asked([uniform, sdc.mechanism("laplace", epsilon=5)])
    assert found.headline.startswith("Laplace ε=5 ")
    assert found.more.startswith(uniform.label()) and "leaves untouched" in found.more


def test_a_bound_that_fails_is_said() -> None:
    assert asked().more.endswith(
        f" The published guarantee of {BROKEN.label()} does not hold: see below.")
    two = [BROKEN, BROKEN.replace(k=5)]
    assert asked(two).more.endswith(
        f"The published guarantee of {two[0].label()} and {two[1].label()} do not hold: see below.")
    assert "hold" not in asked([NOISE, PRIVATE]).more


def test_each_method_has_its_own_verdict() -> None:
    found = asked()
    heading, *verdicts = found.panels[1:]
    assert heading.title == "At the present settings" and heading.table is None
    assert [p.name for p in verdicts] == [f"verdict-{n}" for n in (1, 2, 3, 4)]
    assert [p.title for p in verdicts] == [m.label() for m in METHODS]
    assert sum(p.width for p in verdicts) == pytest.approx(1)  # side by side
    printed, real = -math.expm1(published(1.0)), -math.expm1(true(1.0))
    spoken = [" ".join([*p.prose, *(n.text for n in p.notices)]) for p in verdicts]
    assert spoken[0].startswith("Published δ = 0, true δ = 0: the published bound holds.")
    assert spoken[1].startswith(
        f"Published δ = {printed:.4f}, true δ = {real:.4f}: the published bound holds.")
    assert spoken[2].startswith(
        f"Published δ = {printed:.4f}, true δ = 1: the published bound does not hold.")
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
    assert not found.notices


@pytest.mark.parametrize(("cap", "warned"), [(12, True), (39, True), (40, False), (41, False)])
def test_tables_smaller_than_the_data_are_said_to_be(cap: int, warned: bool) -> None:
    found = asked(cap=cap)
    assert [n.tone for n in found.notices] == (["quiet"] if warned else [])
    if warned:
        assert found.notices[0].text.startswith(
            f"B = {cap} is below the largest group of this data (40 people)")


def test_a_promise_of_one_epsilon_is_not_drawn_at_smaller_ones() -> None:
    """Permutation swapping promises the ε that its swap rate buys, and nothing below it."""
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("a", "b")) for n in ("place", "sex", "race"))
    table = sdc.Histogram(np.arange(8), sdc.Domain(features))
    chosen = sdc.mechanism("permutation-swapping", match=("sex",), swap=("place",))
    curve = privacy_curve(chosen, table)
    promised = chosen.guarantee(table).epsilon
    assert promised is not None and 0.05 < promised < 20
    assert curve.here == curve.values[0] == promised
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
    app = opened({**TWIN, "cap": "12", "m3.keep_zeros": "true", "view": "rest"}, PAGE)
    assert any("does not hold" in e.value for e in app.error)
    assert "does not hold: see below" in answer(app)
    assert link(app)["view"] == "rest" and link(app)["cap"] == "12"
    fine = opened({**TWIN, "cap": "12"}, PAGE)
    assert not fine.error and not fine.warning
    printed, real = -math.expm1(published(1.0)), -math.expm1(true(1.0))
    assert f"Published δ = {printed:.4f}, true δ = {real:.4f}: the published bound holds." in (
        said(fine))


def test_the_page_by_default_takes_the_largest_group() -> None:
    """Also on the cards: the chip under DP suppression speaks of the same B."""
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning and link(app)["cap"] == "auto"
    assert app.number_input(key="url.cap").value is None
    records = sdc.load_dataset("ma2019-twin").records
    largest = int(records.groupby(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"], observed=True).size().max())
    assert f"{largest:,}, from the data" in app.number_input(key="url.cap").placeholder
    assert "ε = 1, δ = almost 1" in said(app)
    small = opened({**TWIN, "cap": "3"}, PAGE)
    assert f"B = 3 is below the largest group of this data ({largest:,} people)" in said(small)
    hidden = 1 - math.exp(-2) / 2  # p(2), the least of what counts up to 3 can show
    assert f"ε = 1, δ = {1 - hidden**2:.2f}" in said(small)


def test_the_two_views_are_called_what_they_show() -> None:
    titles = delta_epsilon.view(Given(sdc.Study(sdc.load_dataset("ma2019-twin")))).titles
    assert "δ" in titles["delta"] and "1 − δ" not in titles["delta"]
    assert "1 − δ" in titles["rest"]

"""Figures carry the numbers of the results they draw, in the look that the palette fixes."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.experiment import sweep
from sdc_core.figures import compare, privacy, theme
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.theme import FAILURE, SHADES, safe_label, styles
from sdc_core.parameters import EPSILON, THRESHOLD
from sdc_core.questions.delta_epsilon.compute import privacy_curve

TABLE = sdc.Histogram.from_counts([0, 0, 1, 3, 7, 40])
CHOSEN = [sdc.mechanism("laplace"), sdc.mechanism("dp-suppression"), sdc.mechanism("suppression")]
EVALUATIONS = [sdc.evaluate(m, TABLE) for m in CHOSEN]
GUARANTEES = [m.guarantee(TABLE) for m in CHOSEN]


def test_every_figure_is_valid_plotly() -> None:
    """The engine skips plotly's own validation for speed, so it is done here."""
    curves = [sweep(m, THRESHOLD, lambda m: sdc.evaluate(m, TABLE)) for m in CHOSEN]
    promises = [privacy_curve(m, TABLE, cap=12) for m in CHOSEN]
    drawn = [
        *compare.bias_by_count(TABLE, EVALUATIONS),
        *compare.sweep_lines(THRESHOLD, curves, tuple(compare.METRICS), [True] * 3),
        privacy.privacy_curves(promises, "delta"),
        privacy.privacy_curves(promises, "rest"),
    ]
    for chart in drawn:
        checked = go.Figure(chart.to_dict())
        assert len(checked.data) == len(chart.data) > 0
    with pytest.raises(ValueError, match="colour"):
        go.Figure({"data": [{"type": "scatter", "line": {"colour": "red"}}]})


def test_bars_are_the_summary_numbers_in_family_colours() -> None:
    panels = compare.summary_panels(EVALUATIONS, GUARANTEES)
    assert len(panels) == 5
    for panel, metric in zip(panels, compare.METRICS, strict=False):
        assert panel.values == [getattr(e, metric) for e in EVALUATIONS]
        assert panel.top == max(panel.values)
    assert panels[4].values == [g.delta_tight for g in GUARANTEES]
    assert panels[4].top == 1  # a probability fills the bar only at one
    drawn = compare.summary_bars(EVALUATIONS, GUARANTEES, "in words")
    assert 'aria-label="in words"' in drawn
    colours = re.findall(r"background:(#\w+)", drawn.split("</style>")[1])
    assert colours[:3] == [SHADES["dp"][0], SHADES["dp-sdc"][0], SHADES["sdc"][0]]
    widths = [float(w) for w in re.findall(r"width:([\d.]+)%", drawn.split("</style>")[1])]
    errors = [e.l1_error for e in EVALUATIONS]
    assert widths[:3] == pytest.approx([100 * e / max(errors) for e in errors], abs=0.01)


def test_a_millionth_of_a_person_does_not_fill_a_bar() -> None:
    """Counts of a million: clipping changes next to nothing, and the bars show next to nothing."""
    calm = [sdc.evaluate(sdc.mechanism("laplace", postprocess="clip"), [10**6, 10**6])]
    bias = compare.summary_panels(calm, [CHOSEN[0].guarantee(TABLE)])[1]
    assert bias.title == "Systematic error"
    assert bias.values[0] / bias.top < 1e-6


def test_simulated_bars_show_their_standard_error() -> None:
    simulated = [sdc.evaluate(CHOSEN[0], TABLE, repetitions=50, simulate=True)]
    drawn = compare.summary_bars(simulated, GUARANTEES[:1], "")
    assert drawn.count('class="whisker"') == 4
    assert "±" in drawn
    assert 'class="whisker"' not in compare.summary_bars(EVALUATIONS, GUARANTEES, "")


def test_bars_show_names_from_a_file_as_they_are() -> None:
    panel = Panel("<i>t", "<u>", [1.0], [0.0], ["<b>"], 1.0)
    drawn = bars([panel], ["<script>x</script>"], styles(CHOSEN[:1]), '"><img>')
    for markup in ("<i>t", "<u>", "<b><b>", "<script>", "<img>"):
        assert markup not in drawn


def test_bias_panels_share_one_symmetric_scale_and_hold_every_cell() -> None:
    charts = compare.bias_by_count(TABLE, EVALUATIONS)
    ranges = {tuple(chart.layout.yaxis.range) for chart in charts}
    assert len(ranges) == 1
    low, high = ranges.pop()
    assert low == -high
    assert high > max(np.abs(e.bias).max() for e in EVALUATIONS)
    points = compare.bias_points(TABLE, EVALUATIONS[0], compare.Who(TABLE))
    assert sum(p["groups"] for p in points) == len(TABLE)
    (zero,) = (p for p in points if p["true count"] == 0)
    assert zero["groups"] == 2
    assert zero["bias"] == pytest.approx(1 / (4 * math.sinh(0.25)))
    assert zero["who"] == "cell 1; cell 2"


def test_worst_cells_come_first() -> None:
    table = compare.worst_cells(TABLE, EVALUATIONS)
    worst = table.filter(like="bias").abs().max(axis=1)
    assert worst.is_monotonic_decreasing
    assert len(table) == len(TABLE)


def test_sweep_draws_the_counterpart_dashed_and_marks_the_present() -> None:
    curves = [sweep(m, THRESHOLD, lambda m: sdc.evaluate(m, TABLE)) for m in CHOSEN]
    chart = compare.sweep_lines(THRESHOLD, curves, ("l1_error",), [True] * 3)[0]
    lines = {t.name: t for t in chart.data if t.mode == "lines"}
    assert lines["Suppression"].line.dash == "dash"
    assert lines["DP suppression ε=1"].line.dash == "solid"
    assert len(set(lines["Laplace ε=1"].y)) == 1  # no k: a level line
    marks = [t for t in chart.data if t.mode == "markers"]
    assert [list(m.x) for m in marks] == [[6.0], [6.0]]
    at_six = sdc.evaluate(sdc.mechanism("suppression", k=6), TABLE).l1_error
    assert marks[1].y[0] == pytest.approx(at_six)
    assert len(compare.sweep_table(THRESHOLD, curves)) == 3 * len(curves[0].values)


def test_privacy_chart_true_thick_published_thin_failures_red() -> None:
    broken = sdc.mechanism("dp-suppression", keep_zeros=True)
    curves = [privacy_curve(m, TABLE, cap=12) for m in (CHOSEN[0], broken)]
    chart = privacy.privacy_curves(curves, "delta")
    widths = [t.line.width for t in chart.data if t.mode == "lines"]
    assert max(widths) > 2 * min(widths)
    failing = [t for t in chart.data if t.mode == "markers" and t.marker.color == FAILURE]
    assert len(failing) == 1
    assert len(failing[0].x) == len(curves[1].epsilons)
    holding = privacy.privacy_curves([privacy_curve(CHOSEN[1], TABLE, cap=12)], "delta")
    assert not [t for t in holding.data if t.mode == "markers" and t.marker.color == FAILURE]


def test_privacy_chart_puts_zero_on_the_floor_and_nothing_else() -> None:
    gaussian = sdc.mechanism("discrete-gaussian")
    chart = privacy.privacy_curves([privacy_curve(m, TABLE) for m in (CHOSEN[0], gaussian)],
                                   "delta")
    laplace, _, true = chart.data[0], chart.data[1], chart.data[3]
    assert set(laplace.y) == {privacy.FLOOR}
    assert privacy.FLOOR not in set(true.y)
    at_one = true.y[int(np.argmin(np.abs(np.array(true.x) - 1)))]
    assert at_one == pytest.approx(math.log10(1.06959e-4), abs=0.15)


def test_labels_from_a_file_cannot_smuggle_markup() -> None:
    assert safe_label("<a href='x'>b</a>") == "&lt;a href='x'&gt;b&lt;/a&gt;"


def test_two_of_a_family_differ_in_shade_and_symbol() -> None:
    first, second = styles([sdc.mechanism("laplace"), sdc.mechanism("geometric")])
    assert first.color != second.color
    assert {first.color, second.color} <= set(SHADES["dp"])
    assert first.symbol != second.symbol


def test_curve_label_leaves_out_what_runs_along_the_axis() -> None:
    both = sdc.mechanism("dp-suppression", epsilon=2, k=5)
    assert compare.curve_label(both, EPSILON) == "DP suppression k=5"
    assert compare.curve_label(both, THRESHOLD) == "DP suppression ε=2"


def test_a_promise_of_one_epsilon_is_not_drawn_at_smaller_ones() -> None:
    """Permutation swapping promises the ε that its swap rate buys, and nothing below it."""
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("a", "b")) for n in ("place", "sex", "race"))
    table = sdc.Histogram(np.arange(8), sdc.Domain(features))
    chosen = sdc.mechanism("permutation-swapping", match=("sex",), swap=("place",))
    curve = privacy_curve(chosen, table)
    promised = chosen.guarantee(table).epsilon
    assert curve.here == promised
    assert min(curve.epsilons) == promised


def test_a_described_figure_is_a_plotly_figure_to_whoever_reads_it() -> None:
    x = np.arange(60)
    fig = theme.figure([theme.scatter(x=x, y=[1.0] * 60, line={"width": 2})], 300, bargap=0.2)
    assert isinstance(fig, go.Figure)
    assert fig.data[0].line.width == 2 and list(fig.data[0].x) == list(x)
    assert fig.layout.height == 300 and fig.layout.bargap == 0.2
    given = fig.to_dict()
    given["layout"]["height"] = 1
    given["data"][0]["line"]["width"] = 9
    assert fig.layout.height == 300 and fig.data[0].line.width == 2  # what it gave was a copy
    drawn = json.loads(fig.to_json())
    assert drawn["data"][0]["x"] == x.tolist() and drawn["layout"]["height"] == 300


def test_a_misspelt_setting_is_found_when_the_figure_is_read() -> None:
    fig = theme.figure([theme.scatter(x=[1], y=[1], colour="red")], 300)
    with pytest.raises(ValueError, match="colour"):
        _ = fig.data

"""Pages about single records, read back: every line, mark, bar and menu of Microdata lab, Matched
comparison and Three intruders beside the tables that other tests compute again."""

from __future__ import annotations

import functools
import re

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.metrics.microdata.battery import measure
from sdc_core.questions.answer import Answer
from sdc_core.questions.intruders.words import INTRUDERS
from sdc_core.questions.matched.words import full_title
from sdc_core.questions.microdata_lab.compute import RWN_PATHS
from sdc_core.words.numbers import percent, sensible
from tests.hover import hover
from tests.html_bars import aria_label, read_bars
from tests.test_question_matched import called


@functools.cache
def people() -> sdc.Dataset:
    """Seventy made-up people; the last is far from all others."""
    rng = np.random.default_rng(8)
    age = rng.integers(20, 70, 70)
    pay = (1000 + 30 * age + rng.normal(0, 200, 70)).round(1)
    pay[-1] = 9000
    return sdc.load_dataset(pd.DataFrame({
        "age": age, "pay": pay, "height": rng.normal(170, 9, 70).round(1),
        "sex": rng.choice(["f", "m"], 70),
    }))


@functools.cache
def asked(address: str, **controls: object) -> Answer:
    return sdc.ask(address, sdc.Study(people(), seed=3), {"lab_outcome": "pay", **controls})


def lab(**controls: object) -> Answer:
    return asked("microdata_lab", **controls)


# --- Microdata lab ---

MADE = [sdc.mechanism(n) for n in ("rwn", "rank-swapping", "microaggregation", "noise-addition")]


def test_a_mark_of_the_trade_off_says_method_setting_and_both_numbers() -> None:
    panel = lab().panel("lab-trade-off")
    table, (chart,) = panel.table, panel.figures
    privacy, utility = measure("pscr"), measure("il1")
    for trace in chart.data:
        rows = table[table["method"] == trace.name].reset_index()
        for i, row in rows.iterrows():
            label, across, up = hover(trace, i).split("<br>")
            assert label.startswith(trace.name)
            assert across == f"{privacy.title}: {percent(row['privacy'])}"
            assert up == f"{utility.title}: {sensible(row['utility'])}"
        np.testing.assert_allclose(trace.error_x.array, rows["privacy, standard error"].fillna(0))
        assert trace.error_x.color == trace.error_y.color == trace.line.color == trace.marker.color
    widths = {trace.name: (trace.line.width, trace.marker.size) for trace in chart.data}
    assert max(widths, key=widths.__getitem__) == "RWN borrowing"  # what is looked at closely
    assert len(set(widths.values())) == 2 and chart.layout.showlegend
    assert chart.layout.title.text.startswith(f"<b>{utility.title}</b>")
    assert f"against {privacy.title.lower()}" in chart.layout.title.text
    assert chart.layout.xaxis.tickformat == ".0%" and chart.layout.yaxis.tickformat is None
    assert chart.layout.xaxis.rangemode == chart.layout.yaxis.rangemode == "tozero"


def test_each_other_method_that_can_be_measured_has_one_sentence() -> None:
    found = lab()
    shown = {trace.name for trace in found.panel("lab-trade-off").figures[0].data}
    assert "k-anonymity" not in shown and len(shown) == 4
    assert found.more.count(" from ") >= 3 and "cannot be measured" not in found.more
    for name in shown:
        doing = next(m.doing for m in MADE if m.title == name)
        said = f"{doing[:1].upper()}{doing[1:]}, "
        assert (said in found.headline) == (name == "RWN borrowing")
        assert found.more.count(said) == (name != "RWN borrowing")
    assert "smaller means more protection" in found.more  # fewer are recognised
    assert "smaller means that more is kept" in found.more
    assert "larger means more protection" in lab(ml_privacy="dcr").more
    assert "mean of 5 releases" in found.more


@pytest.mark.parametrize("level", [1, 5])
def test_the_neighbourhoods_with_radius_k_and_the_exposed_record(level: int) -> None:
    panel = lab(ml_level=level).panel("lab-neighbourhoods")
    (chart,), table = panel.figures, panel.table
    sizes, closest = table["records to borrow from"], table["closest"]
    radius, k, marks, exposed = chart.data
    wanted = RWN_PATHS["radius"].values[level - 1]
    assert set(radius.y) == {wanted} and set(k.x) == {5}
    assert sorted(radius.x) == list(chart.layout.xaxis.range)  # from side to side
    assert sorted(k.y) == list(chart.layout.yaxis.range)  # from top to bottom
    assert chart.layout.xaxis.range[0] == chart.layout.yaxis.range[0] == 0
    assert max(sizes) < chart.layout.xaxis.range[1] < 1.2 * max(sizes)
    reach = max(closest.max(), wanted)
    assert reach < chart.layout.yaxis.range[1] < 1.2 * reach
    np.testing.assert_array_equal(marks.x, sizes)
    np.testing.assert_allclose(marks.y, closest, atol=1e-4)
    assert hover(radius) == f"radius {wanted:g}" and hover(k) == "k = 5"
    assert hover(marks, 3) == f"borrows from {sizes[3]:,}; the closest is {marks.y[3]:.3g} away"
    assert exposed.x[0] == sizes[69] and exposed.y[0] == pytest.approx(closest[69])
    assert f"the record in the middle of all from {int(np.median(sizes))}, and one from " in (
        panel.caption)
    assert f"and one from {sizes.max()}. " in panel.caption
    assert panel.caption.endswith(f"can borrow from {sizes[69]}.")


def test_components_are_drawn_in_their_order_with_before_and_after() -> None:
    panel = lab(ml_level=6).panel("lab-components")
    (chart,), table = panel.figures, panel.table
    for trace, column in zip(chart.data, ("original", "release"), strict=True):
        assert list(trace.x) == list(table["component"]) == [1, 2, 3]
        np.testing.assert_allclose(trace.y, table[column])
        assert column in trace.name
        assert hover(trace, 1) == f"{trace.name}, component 2: {table[column][1]:.1%}"
    assert chart.layout.xaxis.title.text == "component" and chart.layout.showlegend
    first = [table[c][0] for c in ("original", "release")]
    assert f"has {percent(first[0])} of the variance" in panel.caption
    assert f"in this release {percent(first[1])}: it has " in panel.caption
    assert ("has less of it" in panel.caption) == (first[1] < first[0])


def test_both_pictures_of_the_exposed_record_have_the_same_axes_and_hold_all() -> None:
    panel = lab(ml_level=6).panel("lab-outlier")
    before, after = panel.figures
    for letter in "xy":
        ends = [chart.layout[f"{letter}axis"].range for chart in (before, after)]
        assert ends[0] == ends[1]
        seen = np.concatenate([chart.data[0][letter] for chart in (before, after)])
        low, high = ends[0]
        room = seen.max() - seen.min()
        assert low < seen.min() and high > seen.max() and high - low < 1.25 * room
    for chart, where in ((before, "original"), (after, "release")):
        row = panel.table.set_index("where").loc[where]
        cloud, mark = chart.data
        assert len(cloud.x) == 70 and mark.marker.symbol == "triangle-up"
        np.testing.assert_allclose(
            [mark.x[0], mark.y[0]], [row["component 1"], row["component 2"]], atol=1e-6)
        np.testing.assert_allclose([cloud.x[69], cloud.y[69]], [mark.x[0], mark.y[0]], atol=1e-3)
        assert where in chart.layout.title.text.lower()
    assert before.data[0].marker.color != after.data[0].marker.color
    anew = lab(ml_method="k-anonymity").panel("lab-outlier").table.set_index("where")
    assert anew.loc["release"].isna().all() and not anew.loc["original"][:2].isna().any()


@pytest.mark.parametrize("width", [9, 10])
def test_numbers_stand_in_a_matrix_up_to_nine_variables(width: int) -> None:
    wide = pd.DataFrame(np.random.default_rng(1).normal(size=(60, width))).rename(
        columns="x{}".format)
    found = sdc.ask("microdata_lab", sdc.Study(sdc.load_dataset(wide)), {
        "lab_vars": tuple(wide.columns), "ml_method": "rwn"})
    for chart in found.panel("lab-correlations").figures:
        trace = chart.data[0]
        assert (trace.text is not None) == (width <= 9)
        if trace.text is not None:
            assert trace.text[2][5] == f"{trace.z[2][5]:.2f}" and trace.texttemplate == "%{text}"
        assert chart.layout.yaxis.autorange == "reversed"  # the diagonal runs down
        assert list(trace.x) == list(trace.y) == list(wide.columns)
        assert hover(trace, 2, 5) == f"x2 and x5: {trace.z[2][5]:.2f}"
        ends = dict(trace.colorscale)
        assert ends[0.0].upper() == "#D45A22" and ends[1.0].upper() == "#2B7BBA"
    table = found.panel("lab-correlations").table
    assert (table["first"] < table["second"]).all() and len(table) == width * (width - 1) / 2
    row = table.iloc[7]
    there = wide.corr().loc[row["first"], row["second"]]
    assert row["original"] == pytest.approx(there)


# --- Matched comparison ---


@pytest.mark.parametrize("by", ["dcr", "pscr"])
def test_levels_are_drawn_along_each_methods_settings(by: str) -> None:
    found = asked("matched", mc_by=by, mc_releases="10")
    losses, levels = found.panel("matched").table, found.panel("matched-levels").table
    times, sign = (100, "%") if measure(by).percent else (1, "")
    assert times == {"dcr": 1, "pscr": 100}[by]
    charts = found.panel("matched-levels").figures
    assert len(charts) == len(losses)
    for chart, row in zip(charts, losses.to_dict("records"), strict=True):
        wanted, line, mark = chart.data
        title = re.sub("<.*?>", "", chart.layout.title.text.replace("<br>", " "))
        assert title == called(row["method"])[0]
        mine = levels[[called(m)[0] == title for m in levels["method"]]].set_index("value")
        assert mark.x == (row["value"],) and mark.y[0] == pytest.approx(times * row["level"])
        assert hover(mark, 0) == f"{row['method']}<br>{times * row['level']:.3g}{sign}"
        np.testing.assert_allclose(wanted.y, times * row["wanted"])
        assert sorted(wanted.x) == [min(line.x), max(line.x)]  # from end to end
        assert list(line.x) == sorted({*line.x}) and set(mine.index) <= set(line.x)
        for x, y in zip(line.x, line.y, strict=True):
            level = mine["level"][x] if x in mine.index else row["level"]
            if x != row["value"]:
                assert y == pytest.approx(times * level)
        assert (chart.layout.xaxis.type == "log") == (
            min(line.x) > 0 and max(line.x) / min(line.x) > 20)
        assert set(chart.layout.xaxis.tickvals) <= set(mine.index)
        assert chart.layout.yaxis.ticksuffix == sign
    tops = {chart.layout.yaxis.range for chart in charts}
    assert len(tops) == 1  # one scale
    highest = times * levels["level"].max()
    assert highest < tops.pop()[1] < 1.2 * highest


def test_losses_are_drawn_with_the_ranked_measure_first() -> None:
    found = asked("matched", mc_by="dcr", mc_releases="10", mc_keeps="r2_change")
    panel = found.panel("matched")
    read = read_bars(panel.drawing)
    assert aria_label(panel.drawing) == found.headline
    names = [c for c in panel.table.columns if f"{c}, standard error" in panel.table.columns]
    ordered = ["r2_change", *(name for name in names if name != "r2_change")]
    for bars, name in zip(read, ordered, strict=True):
        values = panel.table[name]
        assert (bars.title, bars.note) == (full_title(measure(name)), measure(name).plain)
        assert [bar.label for bar in bars.rows] == [called(m)[0] for m in panel.table["method"]]
        lengths = np.array([bar.length for bar in bars.rows])
        np.testing.assert_allclose(lengths / lengths.max(), values / values.max(), atol=2e-3)


# --- Three intruders ---


@pytest.mark.parametrize(("intruder", "menu", "says", "column"), [
    ("cell", "small cell", "Looked for: the only record with", "records that match"),
    ("extreme", "extreme", "Looked for: whoever has the largest", "records that match"),
    ("member", "who is in it", "Asked: is this person in the data", "closest record at"),
])
def test_the_menu_of_intruders_does_what_its_words_say(
    intruder: str, menu: str, says: str, column: str
) -> None:
    assert INTRUDERS[intruder] == menu
    panel = asked("intruders", in_play=intruder).panel("intruders-play")
    assert panel.caption.startswith(says) and column in panel.table
    assert panel.controls == ("in_play", "in_person")


def test_bars_of_intruders_stand_under_what_they_know() -> None:
    panel = asked("intruders").panel("intruders")
    read = read_bars(panel.drawing)
    wanted = (
        ("Knows a small cell", "people who are alone", "small cell: right %"),
        ("Knows who has the largest value", "of releases", "extreme: right %"),
        ("Asks who is in the data", "50: guess", "membership %"),
    )
    for bars, (title, note, column) in zip(read, wanted, strict=True):
        assert bars.title == title and note in bars.note
        np.testing.assert_allclose([b.length for b in bars.rows], panel.table[column], atol=0.01)

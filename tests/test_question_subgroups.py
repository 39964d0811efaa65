"""Subgroups, as shown: which number stands at which group, method and cell; which way sentences
compare; which controls matter. Expected values come from plain numpy on the counts."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray

import sdc_core as sdc
from sdc_core.data import default_id
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics import subgroups as metrics
from sdc_core.questions.answer import Answer
from sdc_core.questions.subgroups import figures, notes, words
from sdc_core.questions.subgroups.method import METHOD
from sdc_core.questions.work import Work
from sdc_core.words.groups import group_name, sized
from tests.contract import Contract
from tests.hover import hover
from tests.html_bars import aria_label, read_bars
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from tests.shorthand import short

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("g_y", "g_x", "g_by", "groups", "g_view"),
    columns={
        "subgroups": ("method", "group", "Income tenth", "Education", "true", "released"),
        "disparity": (
            "method", "group", "people", "released people", "true slope", "released slope",
            "change of slope, %", "error per 1,000 people",
            "error per 1,000 people, cells with people", "people put into empty cells",
            "released slope, standard error",
            "error per 1,000 people, cells with people, standard error", "how",
        ),
    },
    quick={"g_by": "SEX"},
    fewer={"subgroups.compute.REPETITIONS": 20},
)

PAGE = "../pages/subgroups.py"
NATIONAL = {"data": "national2019-twin"}
GREY, BLUE, ORANGE, PURPLE = "#8A8F98", "#2B7BBA", "#E8871E", "#B871F3"

# ---------------------------------------------------------------- a small town, read back in full

# Rows are incomes 0, 1, 2; columns schools 1, 2, 3, 4.
TOWN = {
    "men": np.array([[60, 30, 9, 2], [20, 40, 30, 4], [3, 5, 40, 57]]),
    "women": np.array([[50, 20, 5, 0], [10, 20, 20, 9], [0, 8, 10, 40]]),
}
INCOMES, SCHOOLS = np.arange(3.0), np.arange(1.0, 5.0)
ADDS, WHOLE = "adding noise (ε = 1)", "adding whole-number noise (ε = 1)"
HIDES = "hiding small counts (k = 6)"
SIMPLE, FITTED = (f"drawing records from a {kind} model (ε = 1)" for kind in ("simple", "fitted"))
NOISE = sdc.mechanism("laplace", epsilon=2.0, postprocess="none")  # each count off by 2/ε = 1
HIDING = sdc.mechanism("suppression", k=20, keep_zeros=True)  # 10 for 1 to 19


def records(tables: Mapping[str, NDArray[Any]]) -> pd.DataFrame:
    """One row a person; besides, seven of each sex whose school is no number."""
    rows = []
    for sex, table in zip(("male", "female"), tables.values(), strict=True):
        for (income, school), people in np.ndenumerate(table):
            rows += [(sex, str(income), str(school + 1))] * int(people)
        rows += [(sex, "1", "N")] * 7
    return pd.DataFrame(rows, columns=["sex", "income", "school"])


DATA = sdc.load_dataset(records(TOWN))
STUDY = sdc.Study(DATA, methods=[NOISE, HIDING])


@functools.cache
def asked(dark: bool = False, **controls: Any) -> Answer:
    return sdc.ask("subgroups", STUDY, dark=dark, **controls)


def after(method: Any, true: NDArray[Any]) -> NDArray[Any]:
    """The average release, by what the methods are."""
    return true if method is NOISE else np.where((true > 0) & (true < 20), 10, true)


def misplaced(method: Any, true: NDArray[Any]) -> float:
    return 12.0 if method is NOISE else float(np.abs(after(method, true) - true).sum())


def among_people(method: Any, true: NDArray[Any]) -> float:
    """The same without cells that have nobody, where only noise errs."""
    return float((true > 0).sum()) if method is NOISE else misplaced(method, true)


def line_of(table: NDArray[Any]) -> tuple[float, float]:
    """Slope and intercept through single people, by numpy."""
    y, x = (axis.ravel() for axis in np.meshgrid(INCOMES, SCHOOLS, indexing="ij"))
    slope, start = np.polyfit(np.repeat(x, table.ravel()), np.repeat(y, table.ravel()), 1)
    return float(slope), float(start)


def slope_of(table: NDArray[Any]) -> float:
    """Of people in fractions: numpy's fit with weights, which enter it squared."""
    y, x = (axis.ravel() for axis in np.meshgrid(INCOMES, SCHOOLS, indexing="ij"))
    return float(np.polyfit(x, y, 1, w=np.sqrt(table.ravel()))[0])


def change(method: Any, group: str) -> float:
    return line_of(after(method, TOWN[group]))[0] / line_of(TOWN[group])[0] - 1


def panels_of(chart: Any) -> list[dict[str, Any]]:
    """The panels of a chart from top to bottom: heat map, lines, and the text above each."""
    layout, found = chart.layout.to_plotly_json(), []
    for name in [n for n in layout if n.startswith("yaxis")]:
        tail = name.removeprefix("yaxis")
        mine = [t for t in chart.data if (t.yaxis or "y") == f"y{tail}"]
        low, high = layout[name]["domain"]
        (note,) = [n for n in layout["annotations"] if high <= n["y"] < high + 0.1 * (high - low)]
        found.append({
            "bottom": low, "note": note["text"], "y": layout[name], "x": layout[f"xaxis{tail}"],
            "heat": next(t for t in mine if t.type == "heatmap"),
            **{t.name: t for t in mine if t.name},
        })
    return sorted(found, key=lambda panel: -panel["bottom"])


def test_every_cell_of_every_heat_map_is_released_minus_true() -> None:
    charts = asked().panel("subgroups").figures
    assert len(charts) == 2
    for chart, method in zip(charts, (NOISE, HIDING), strict=True):
        for panel, (group, true) in zip(panels_of(chart), TOWN.items(), strict=True):
            released = after(method, true)
            error = released - true
            heat = panel["heat"]
            assert list(heat.y) == INCOMES.tolist() and list(heat.x) == SCHOOLS.tolist()
            for (i, j), off in np.ndenumerate(error):
                assert heat.z[i][j] == pytest.approx(np.sign(off) * math.sqrt(abs(off)), abs=6e-4)
                assert hover(heat, i, j) == (
                    f"income {i}, school {j + 1}<br>true {true[i, j]}, released {released[i, j]}"
                    f"<br>{off:+} people"
                )
            assert panel["note"].startswith(f"<b>{group}</b>")


def test_all_panels_share_one_scale_that_ends_at_the_largest_error() -> None:
    """Ten are published for two men: eight too many."""
    for chart in asked().panel("subgroups").figures:
        for panel in panels_of(chart):
            assert (panel["heat"].zmin, panel["heat"].zmax) == pytest.approx(
                (-math.sqrt(8), math.sqrt(8)))
    legend = asked().panel("subgroups").legend
    assert re.search(r"8 people too few <span[^>]*></span> 8 too many", legend)


def test_too_few_is_purple_and_too_many_is_green_as_on_the_map() -> None:
    for dark, ends in ((False, ("#762A83", "#1B7837")), (True, ("#DDBDEB", "#BDE6B4"))):
        shown = asked(dark).panel("subgroups")
        for chart in shown.figures:
            colours = [t.colorscale for t in chart.data if t.type == "heatmap"]
            assert all((c[0][1], c[-1][1]) == ends for c in colours)
            assert all((c[0][0], c[-1][0]) == (0, 1) for c in colours)
        drawn = re.search(r"linear-gradient\(90deg,(.*?)\)", shown.legend)
        assert drawn is not None
        stops = drawn.group(1).split(",")
        assert (stops[0], stops[-1]) == ends


def test_an_error_below_half_a_person_does_not_fill_the_scale() -> None:
    exact = sdc.Study(DATA, methods=[NOISE])
    found = sdc.ask("subgroups", exact).panel("subgroups")
    assert found.figures[0].data[0].zmax == pytest.approx(math.sqrt(0.5))
    assert "On average no cell that has people is off by as much as a tenth of a person." in (
        found.caption)


def test_the_true_line_is_grey_and_the_released_one_in_the_methods_colour() -> None:
    charts = asked().panel("subgroups").figures
    looks = ((NOISE, BLUE, "solid"), (HIDING, ORANGE, "dash"))
    for chart, (method, colour, dash) in zip(charts, looks, strict=True):
        for panel, true in zip(panels_of(chart), TOWN.values(), strict=True):
            for name, table, look in (
                ("true line", true, (GREY, "solid")),
                ("released line", after(method, true), (colour, dash)),
            ):
                slope, start = line_of(table)
                line = panel[name]
                assert list(line.x) == [1, 4]
                assert list(line.y) == pytest.approx([start + slope, start + 4 * slope])
                assert (line.line.color, line.line.dash) == look
                assert hover(line, 0) == f"{name}: slope {slope:.2f}"
            before, behind = (line_of(t)[0] for t in (true, after(method, true)))
            assert panel["note"].endswith(f"slope {before:.2f} → {behind:.2f}")


def test_axes_say_what_is_across_and_upwards() -> None:
    shown = asked().panel("subgroups")
    for chart in shown.figures:
        top, bottom = panels_of(chart)
        for panel in (top, bottom):
            assert panel["x"]["tickvals"] == [1, 2, 3, 4]
            assert panel["x"]["ticktext"] == ["1", "2", "3", "4"]
            assert panel["y"]["tickvals"] == [0, 1, 2] and panel["y"]["range"] == [-0.5, 2.5]
            assert panel["y"]["ticktext"] == ["0", "1", "2"]  # as the data calls them
            assert panel["x"]["range"] == [0.5, 4.5]
        assert bottom["x"]["title"]["text"] == "school" and "title" not in top["x"]
        assert bottom["x"]["showticklabels"] and not top["x"]["showticklabels"]
    assert "Across: school (1 … 4). Upwards: income (0 … 2)." in shown.legend
    assert "by school and income" in shown.alt and asked().headline in shown.alt
    turned = asked(g_y="school", g_x="income").panel("subgroups")
    assert "Across: income (0 … 2). Upwards: school (1 … 4)." in turned.legend
    assert np.shape(turned.figures[0].data[0].z) == (4, 3)


def test_each_chart_bears_the_name_of_its_method() -> None:
    names = [c.layout.title.text for c in asked().panel("subgroups").figures]
    for text, title, setting in zip(
        names, ("Add noise", "Hide small counts"),
        ("Laplace, ε = 2, as drawn", "suppression, k = 20"), strict=True,
    ):
        assert text.startswith(f"<b>{title}</b>") and f">{setting}<" in text


def test_the_table_of_cells_has_every_cell_of_every_method_once() -> None:
    table = asked().panel("subgroups").table
    assert list(table.columns) == ["method", "group", "income", "school", "true", "released"]
    assert len(table) == 2 * 2 * 12
    for method in (NOISE, HIDING):
        for group, true in TOWN.items():
            mine = table[(table["method"] == method.label()) & (table["group"] == group)]
            for column, expected in (("true", true), ("released", after(method, true))):
                cells = mine.pivot(index="income", columns="school", values=column)
                assert list(cells.index) == ["0", "1", "2"]
                assert list(cells.columns) == ["1", "2", "3", "4"]
                assert cells.to_numpy() == pytest.approx(expected)


def test_the_bars_are_changes_of_slope_errors_and_their_gap() -> None:
    shown = asked().panel("disparity")
    bars = read_bars(shown.drawing)
    assert [(b.title, b.note) for b in bars] == [
        ("Slope changes by", "men"), ("Slope changes by", "women"),
        ("Counts off by", "men, of every 1,000, in cells that have people"),
        ("Counts off by", "women, of every 1,000, in cells that have people"),
        ("Invented", "men, for every 1,000, in cells that have nobody"),
        ("Invented", "women, for every 1,000, in cells that have nobody"),
        ("Gap between groups", "how far apart changes of slope are, points"),
    ]
    changes = {g: [100 * change(m, g) for m in (NOISE, HIDING)] for g in TOWN}
    rates = {
        g: [1000 * among_people(m, true) / true.sum() for m in (NOISE, HIDING)]
        for g, true in TOWN.items()
    }
    gap = abs(changes["men"][1] - changes["women"][1])
    assert changes["men"][1] < 0
    expected = [
        (changes["men"], max(map(abs, changes["men"] + changes["women"])), "%"),
        (changes["women"], max(map(abs, changes["men"] + changes["women"])), "%"),
        (rates["men"], max(rates["men"] + rates["women"]), ""),
        (rates["women"], max(rates["men"] + rates["women"]), ""),
        ([0.0, 0.0], 1.0, ""), ([0.0, 0.0], 1.0, ""),  # noise as drawn invents as it takes away
        ([0.0, gap], gap, ""),
    ]
    for drawn, (numbers, top, unit) in zip(bars, expected, strict=True):
        assert [row.label for row in drawn.rows] == [NOISE.plain_label(), HIDING.plain_label()]
        assert [row.colour for row in drawn.rows] == [BLUE, ORANGE]
        lengths = [100 * abs(number) / top for number in numbers]
        assert [row.length for row in drawn.rows] == pytest.approx(lengths, abs=0.01)
        for row, number in zip(drawn.rows, numbers, strict=True):
            assert row.text.endswith(unit)
            read = float(row.text.removesuffix(unit).replace("−", "-").replace(",", ""))
            assert read == pytest.approx(number, abs=0.051)
    assert aria_label(shown.drawing) == shown.alt
    assert shown.alt.startswith("Gap between the groups")


def test_the_table_of_groups_has_slopes_and_errors_under_their_names() -> None:
    table = asked().panel("disparity").table
    assert list(table.columns) == [
        "method", "group", "people", "released people", "true slope", "released slope",
        "change of slope, %", "error per 1,000 people",
        "error per 1,000 people, cells with people", "people put into empty cells",
        "released slope, standard error",
        "error per 1,000 people, cells with people, standard error", "how",
    ]
    rows = iter(table.itertuples(index=False))
    for method in (NOISE, HIDING):
        for group, true in TOWN.items():
            label, name, *numbers, how = next(rows)
            assert (label, name, how) == (method.label(), group, "exact")
            released = after(method, true)
            assert numbers == pytest.approx([
                true.sum(), released.sum(), line_of(true)[0], line_of(released)[0],
                100 * change(method, group), 1000 * misplaced(method, true) / true.sum(),
                1000 * among_people(method, true) / true.sum(), 0, 0, 0,
            ])
    assert next(rows, None) is None


def test_the_headline_is_the_largest_change_by_its_cause_and_then_the_other_group() -> None:
    """Suppression turns the men's line by a quarter and the women's by less than 5%."""
    men, women = change(HIDING, "men"), change(HIDING, "women")
    assert men < -0.2 and 0.02 < abs(women) < 0.05
    slopes = {g: [line_of(t)[0] for t in (after(HIDING, TOWN[g]), TOWN[g])] for g in TOWN}
    texts = {g: f"slope {a:.2f} instead of {b:.2f}" for g, (a, b) in slopes.items()}
    turned = "flatter" if women < 0 else "steeper"
    assert asked().headline == (
        f"After {HIDING.spoken()}, the line from school to income is {-100 * men:.0f}% flatter for "
        f"men; for women it is {100 * abs(women):.1f}% {turned}."
    )
    rates = {g: 1000 * among_people(HIDING, t) / t.sum() for g, t in TOWN.items()}
    assert asked().more == (
        "Flatter means: people who differ in school differ less in income than they truly do. "
        f"In numbers, for men (300 people) {texts['men']}; for women (192 people) "
        f"{texts['women']}. "
        f"For men its slope changes by 0% after {NOISE.spoken()}. In cells that have people, "
        f"{HIDING.spoken()} puts counts off by {rates['women']:.1f} among women and "
        f"{rates['men']:.0f} among men for every 1,000 people, "
        f"{rates['men'] / rates['women']:.2f} times as many."
    )


def test_captions_name_the_largest_error_and_list_the_gaps() -> None:
    assert asked().panel("subgroups").caption == (
        "Each cell is the average release minus the truth, in people. The largest average "
        f"error in a cell that has people: {HIDING.spoken()} shows 8 people too many among men "
        "with income 0, school 4 (truly 2). What is too many in one release and too few in the "
        "next cancels out here."
    )
    gap = 100 * abs(change(HIDING, "men") - change(HIDING, "women"))
    assert asked().panel("disparity").caption == (
        "Gap between the groups, how far apart their changes of slope are: 0 points after "
        f"{NOISE.spoken()} and {gap:.1f} points after {HIDING.spoken()}."
    )


def test_an_average_is_called_one_where_releases_differ() -> None:
    """Suppression at 20 is the same every time; noise of scale 1 leaves the average as it is, and
    puts single counts off by 1, so that its largest average error says nothing about a release."""
    alone = sdc.ask("subgroups", STUDY.with_methods([HIDING]))
    assert alone.headline.startswith("After hiding") and "cancels" not in (
        alone.panel("subgroups").caption)
    drawn = sdc.ask("subgroups", STUDY.with_methods([
        sdc.mechanism("dp-suppression", k=20, keep_zeros=True)]))
    assert drawn.headline.startswith(
        "On average, after hiding below a noisy limit (ε = 1, k = 20), the line")
    both = sdc.ask("subgroups", STUDY.with_methods([
        HIDING, sdc.mechanism("dp-suppression", k=20, keep_zeros=True)]))
    assert both.headline.startswith(("On average, every method here", "On average, after hiding"))
    noise = sdc.ask("subgroups", STUDY.with_methods([NOISE])).panel("subgroups").caption
    assert noise == (
        "Each cell is the average release minus the truth, in people. On average no cell that has "
        "people is off by as much as a tenth of a person. What is too many in one release and too "
        "few in the next cancels out here."
    )


def test_people_in_empty_cells_are_told_apart_from_errors_about_people() -> None:
    """Laplace noise that is cut off at zero puts e^(-1/b)… people into an empty cell on average;
    here by brute force over many draws. Women have two empty cells, men none."""
    cut = sdc.mechanism("laplace", epsilon=0.2)
    found = sdc.ask("subgroups", sdc.Study(DATA, methods=[cut, HIDING]))
    table = DATA.histogram(["sex", "income", "school"])
    empty = [i for i, (n, where) in enumerate(zip(table.counts, np.ndindex(table.domain.shape),
             strict=True)) if n == 0 and where[2] < 4]
    assert len(empty) == 2
    rng = np.random.default_rng(3)
    drawn = cut.draw_tables(Histogram.from_counts([0] * 50_000), [rng])[0]
    invented = 2 * drawn.mean()
    mine = found.panel("disparity").table.set_index(["method", "group"])
    assert mine.loc[(cut.label(), "women"), "people put into empty cells"] == pytest.approx(
        invented, rel=0.05)
    assert mine.loc[(cut.label(), "men"), "people put into empty cells"] == 0
    assert mine.loc[(HIDING.label(), "women"), "people put into empty cells"] == 0
    both = mine.loc[(cut.label(), "women")]
    assert (both["error per 1,000 people"] - both["error per 1,000 people, cells with people"]
            ) * 0.192 == pytest.approx(both["people put into empty cells"])
    assert (f"People put into cells that have nobody: {invented:.0f} by {cut.spoken()}, none by "
            f"{HIDING.spoken()}.") in found.more
    bars = {(b.title, b.note.split(",")[0]): b for b in read_bars(found.panel("disparity").drawing)}
    assert [r.length for r in bars["Invented", "women"].rows] == [100, 0]
    assert [r.length for r in bars["Invented", "men"].rows] == [0, 0]


def invents(*numbers: float) -> list[metrics.MethodResult]:
    (found,) = results(TOY, TOY.counts.astype(float))
    names = ("laplace", "geometric", "suppression")
    return [
        metrics.MethodResult(sdc.mechanism(name), "exact", (
            dataclasses.replace(found.groups[0], invented=number / 2, misplaced=abs(number) / 2),
            dataclasses.replace(found.groups[1], invented=number / 2, misplaced=abs(number) / 2)))
        for name, number in zip(names, numbers, strict=False)
    ]


@pytest.mark.parametrize(("numbers", "said"), [
    ((0, 0, 0), ""), ((0.49, 0, 0), ""), ((-3, 0, 0), ""),
    ((2.4, 0.6, 0), f"2 by {ADDS} and 1 by {WHOLE}, none by {HIDES}."),
    ((253, 0.3, 0), f"253 by {ADDS}, hardly any by {WHOLE}, none by {HIDES}."),
    ((253, 0.3, 0.4), f"253 by {ADDS}, hardly any by {WHOLE} and {HIDES}."),
    ((1, 2, 3), f"1 by {ADDS}, 2 by {WHOLE} and 3 by {HIDES}."),
    ((12,), f"12 by {ADDS}."),
])
def test_who_invents_how_many(numbers: tuple[float, ...], said: str) -> None:
    start = "People put into cells that have nobody: " if said else ""
    assert words.invented_sentence(invents(*numbers)) == f"{start}{said}"


# ---------------------------------------------------------------- causes, chance and ranking


def with_slopes(
    name: str, *shares: float, se: float = 0.0, how: str = "exact", times: int = 50,
    **settings: Any
) -> metrics.MethodResult:
    """A method after which the slopes of 400 men and 200 women (`times` 50) are these shares of the
    true."""
    (same,) = results(Histogram(times * TOY.counts, DOMAIN), float(times) * TOY.counts)
    changed = []
    for group, share in zip(same.groups, shares, strict=False):
        assert group.true_line is not None
        slope = group.true_line.slope
        changed.append(dataclasses.replace(
            group, released_line=metrics.Line(share * slope, 0.0), slope_se=se * slope))
    return metrics.MethodResult(sdc.mechanism(name, **settings), how, tuple(changed))


def test_a_dp_version_that_does_the_same_is_named_with_its_cause_not_alone() -> None:
    """−18.3% against −18.2%: both hide small counts, and both are said to."""
    pair = [with_slopes("dp-suppression", 0.817, 1.0), with_slopes("laplace", 0.985, 1.0),
            with_slopes("suppression", 0.818, 1.0)]
    for order in (pair, pair[::-1]):
        headline, more = words.subgroup_sentences(order, TENTH, SCHOOL)
        first, second = (r.mechanism.spoken() for r in order if r is not pair[1])
        assert headline == (
            f"After {first} and {second}, the line from schooling to income tenth is 18% flatter "
            "for men; for women it hardly changes.")
        assert "In numbers, for men (400 people) slope 0.82 instead of 1.00; for women (20" in more
        assert "For men its slope changes by −1.5% after adding noise (ε = 1). In cells" in more


STILL = ("geometric", 1.0, 1.0)  # changes no line, so that it is not every method


def test_methods_of_one_kind_that_differ_are_not_lumped_together() -> None:
    still = with_slopes(*STILL)
    apart = [with_slopes("dp-suppression", 0.80, 1.0), with_slopes("suppression", 0.90, 1.0), still]
    headline, more = words.subgroup_sentences(apart, TENTH, SCHOOL)
    assert headline.startswith("After hiding below a noisy limit (ε = 1, k = 6), the line")
    assert "its slope changes by −10% after hiding small counts (k = 6) and 0% after" in more
    elsewhere = [with_slopes("dp-suppression", 0.80, 1.0), with_slopes("suppression", 0.80, 1.1),
                 still]
    headline, _ = words.subgroup_sentences(elsewhere, TENTH, SCHOOL)  # the women fare differently
    assert headline.startswith("After hiding below a noisy limit (ε = 1, k = 6), the line")
    other = [with_slopes("laplace", 0.80, 1.0), with_slopes("suppression", 0.80, 1.0), still]
    headline, more = words.subgroup_sentences(other, TENTH, SCHOOL)
    assert headline.startswith("After adding noise (ε = 1), the line")
    assert "−20% after hiding small counts (k = 6)" in more  # as much, and said so


def test_swap_rates_that_differ_are_said() -> None:
    rates = [
        with_slopes("swapping", share, 1.0, swap_rate=rate) for share, rate in
        ((0.8, 0.5), (0.9, 0.25), (0.8, 0.1))
    ]
    headline, more = words.subgroup_sentences([*rates, with_slopes(*STILL)], TENTH, SCHOOL)
    assert headline.startswith(
        "After swapping similar records (50%) and swapping similar records (10%), the line")
    assert "its slope changes by −10% after swapping similar records (25%) and 0% after" in more


def test_what_every_method_does_is_not_put_down_to_one() -> None:
    found = [with_slopes("laplace", 0.94, 0.99), with_slopes("geometric", 0.88, 0.975),
             with_slopes("suppression", 0.95, 1.001), with_slopes("dp-suppression", 0.95, 1.0)]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert headline == (
        "Every method here makes the line from schooling to income tenth flatter for men, by 5% to "
        "12%, less for women."
    )
    assert more.startswith(
        "Flatter means: people who differ in schooling differ less in income tenth than they truly "
        "do. For men (400 people): 5% after hiding small counts (k = 6) and hiding below a noisy "
        "limit (ε = 1, k = 6), 6% after adding noise (ε = 1) and 12% after adding whole-number "
        "noise (ε = 1). For women (200 people; −2.5% to +0.1%). In cells that have people, ")
    same = [with_slopes("laplace", 1.1, 1.0), with_slopes("suppression", 1.1, 1.0)]
    headline, more = words.subgroup_sentences(same, TENTH, SCHOOL)
    assert headline.endswith("steeper for men, by 10%, less for women.")
    assert "Flatter" not in more and "For women (200 people; 0%)." in more
    alone = [with_slopes("laplace", 0.9), with_slopes("suppression", 0.8)]
    assert words.subgroup_sentences(alone, TENTH, SCHOOL)[0].endswith(
        "flatter for men, by 10% to 20%.")


def test_who_is_left_out_of_the_headline_and_changes_more_is_named() -> None:
    """160 men stand there, 80 women are too few and change more."""
    found = [with_slopes("laplace", 0.95, 0.4, times=20),
             with_slopes("suppression", 0.96, 0.6, times=20)]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert "women" not in headline
    assert more.startswith(
        "Too few for the headline (fewer than 100 people), but changed more: after adding noise "
        "(ε = 1) the line of women (80 people) is 60% flatter. Flatter means")
    _, once = words.subgroup_sentences(found, TENTH, SCHOOL, on_average=False)
    assert "Too few" not in once  # a single release ranks nobody
    for women, error in ((0.96, 0.0), (0.95, 0.0), (0.4, 0.5)):  # less, as much, by chance alone
        calm = [with_slopes("laplace", 0.95, women, times=20, se=error)]
        assert "Too few" not in words.subgroup_sentences(calm, TENTH, SCHOOL)[1]


def inventing(result: metrics.MethodResult, people: float) -> metrics.MethodResult:
    """The same, with so many people in cells that have nobody."""
    first, *rest = result.groups
    groups = (dataclasses.replace(first, invented=people), *rest)
    return dataclasses.replace(result, groups=groups)


def test_a_headline_says_who_fills_empty_cells_and_who_does_not() -> None:
    """Flatter by 5% without a person in an empty cell, and by 12% with 37 of them."""
    noise, hiding = with_slopes("geometric", 0.88, 0.975), with_slopes("suppression", 0.95, 1.001)
    found = [inventing(noise, 37.0), hiding]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert headline.endswith("; some of them fill empty cells.")
    assert f"People put into cells that have nobody: 37 by {WHOLE}, none by {HIDES}" in more
    for alike in ([noise, hiding], [inventing(noise, 37.0), inventing(hiding, 9.0)]):
        assert "empty cells" not in words.subgroup_sentences(alike, TENTH, SCHOOL)[0]
    hardly = [inventing(noise, 37.0), inventing(hiding, 0.1)]  # neither the one nor the other
    assert "empty cells" not in words.subgroup_sentences(hardly, TENTH, SCHOOL)[0]


def test_on_the_national_data_the_headline_says_it(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Noise shows people in cells of White and of Black men that have nobody; hiding leaves them at
    0: as the page starts, by counting the cells."""
    data = real_data("national2019")
    found = sdc.ask("subgroups", sdc.Study(data))
    men = data.records[(data.records["SEX"] == "1") & data.records["RAC1P"].isin(["1", "2"])]
    cells = men.groupby(["RAC1P", "PINCP_DECILE", "EDU"], observed=False).size()
    assert (cells == 0).any()
    assert found.headline.endswith("; some of them fill empty cells.")
    assert len(found.headline) <= 165
    assert re.search(
        rf"cells that have nobody: \d+ by {re.escape(ADDS)} and \d+ by adding bell-shaped noise "
        rf"\(ε = 1\), none by hiding below a noisy limit \(ε = 1, k = 6\) and {re.escape(HIDES)}",
        found.more)


@pytest.mark.parametrize("other", [
    {"shares": (1.05, 1.0)},  # the other way
    {"shares": (0.95, 0.90)},  # another group most
    {"shares": (0.95, 0.95)},  # none most
    {"shares": (0.95, 1.06)},  # another group most, the other way
    {"shares": (0.985, 1.0)},  # hardly
    {"shares": (-0.2, 1.0)},  # points the other way, which is more than flatter
    {"shares": (0.9, 1.0), "se": 0.06},  # within chance
    {"shares": (0.9, 0.94), "se": 0.03},  # beyond chance, but not more than the other group
])
def test_one_method_that_does_otherwise_is_enough(other: dict[str, Any]) -> None:
    first = with_slopes("laplace", 0.8, 1.0)
    second = with_slopes("suppression", *other["shares"], se=other.get("se", 0.0))
    for order in ([first, second], [second, first]):
        assert "Every method" not in words.subgroup_sentences(order, TENTH, SCHOOL)[0]
    assert "Every method" not in words.subgroup_sentences([first], TENTH, SCHOOL)[0]  # one is one


def test_where_no_line_moves_nobody_is_ranked() -> None:
    """Changes of at most 1.4%, and none at all."""
    slight = [with_slopes("laplace", 0.986, 1.003), with_slopes("suppression", 1.01, 0.99)]
    headline, more = words.subgroup_sentences(slight, TENTH, SCHOOL)
    assert headline == (
        "The line from schooling to income tenth hardly changes: at most 1.4% on average after "
        "every method here, for men and women.")
    assert more.startswith(
        "So it is after adding noise (ε = 1) and hiding small counts (k = 6), for men (400 people) "
        "and women (200 people).") and "slope" not in more
    still = [with_slopes("laplace", 1.0)]
    headline, _ = words.subgroup_sentences(still, TENTH, SCHOOL)
    assert headline.endswith("hardly changes: not at all after adding noise (ε = 1), for men.")


@pytest.mark.parametrize(("share", "se", "said"), [
    (0.80, 0.05, ("is 20% flatter for men.", "slope 0.80 ± 0.05 instead of 1.00")),
    (0.80, 0.11, ("by no more than chance may explain", "slope 0.80 ± 0.11 instead of 1.00")),
    (0.99, 0.001, None), (0.99, 0.01, ("changes by no more than chance may explain", "")),
    (1.2, 0.05, ("is 20% steeper for men.", "")),
    (-0.2, 0.05, ("points the other way for men.", "slope −0.20 ± 0.05 instead")),
    (-0.2, 0.15, ("is 120% flatter for men.", "slope −0.20 ± 0.15 instead")),
    (0.80, math.inf, ("no more than chance may explain", "slope 0.80 instead of 1.00")),
])
def test_a_simulated_line_is_said_to_change_only_beyond_chance(
    share: float, se: float, said: tuple[str, str] | None
) -> None:
    found = [with_slopes("mst", share, se=se, how="average of 20 releases")]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    if said is None:
        assert "hardly changes: at most 1.2% on average" in headline
    else:
        assert said[0] in headline and said[1] in more


def test_simulated_numbers_beside_exact_ones_bear_their_error() -> None:
    found = [with_slopes("suppression", 0.7, 1.0), with_slopes("mst", 0.9, 1.0, se=0.02)]
    assert "its slope changes by −10% ± 2 after drawing records" in words.subgroup_sentences(
        [*found, with_slopes(*STILL)], TENTH, SCHOOL)[1]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert headline.endswith("by 10% ± 2 to 30%, less for women.")
    assert "10% ± 2 after drawing records from a simple model (ε = 1) and 30% after hiding" in more
    assert words.disparity_sentence(found).endswith(
        f"30 points after {HIDES} and 10 points ± "
        f"{100 * math.hypot(.02, .02):.1f} after {SIMPLE}.")


def test_thin_lines_on_the_bars_are_standard_errors_and_stay_on_their_scale() -> None:
    """Women halve by 50 ± 20 points: bars end at 70."""
    found = [with_slopes("laplace", 0.9, 0.9), with_slopes("mst", 0.9, 0.5, se=0.2),
             with_slopes("aim", 0.9, 0.9, se=math.inf)]
    drawing = figures.disparity_bars(found, "words")
    women = read_bars(drawing)[1]
    lengths = [row.length for row in women.rows]
    assert lengths == pytest.approx([100 / 7, 500 / 7, 100 / 7], abs=0.01)
    part = drawing.split("<h3>")[2]
    (left, width), = re.findall(r'whisker" style="left:([\d.]+)%;width:([\d.]+)%', part)
    assert (float(left), float(width)) == pytest.approx((300 / 7, 400 / 7), abs=0.01)


@pytest.mark.parametrize("seed", range(12))
def test_one_release_is_described_and_ranks_nothing(seed: int) -> None:
    """Which of two draws is ahead changes with the seed, so no word compares them."""
    noisy = [sdc.mechanism("geometric", epsilon=0.3), sdc.mechanism("laplace", epsilon=0.3)]
    study = sdc.Study(DATA, seed=seed, methods=[*noisy, HIDING])
    found = sdc.ask("subgroups", study, g_view="one")
    table = DATA.histogram(["sex", "income", "school"])
    row = sdc.released_people(noisy[0], table, 1, seed=seed)[0].reshape(table.domain.shape)
    assert found.headline.startswith(
        f"In this one release of {noisy[0].spoken()}, the line from school to income ")
    for sex, name in (("male", "men"), ("female", "women")):
        cells = row[table.domain.features[0].values.index(sex), :, :4]
        slopes = [line_of(one)[0] for one in (cells, TOWN[name])]
        text = "slope {:.2f} instead of {:.2f}".format(*slopes).replace("-", "−")
        assert re.search(rf"for {name} \(\d+ people\) {text}", found.more)
        turned = slopes[0] / slopes[1] - 1
        if -1 < turned <= -0.02 or turned >= 0.02:
            assert ("flatter" if turned < 0 else "steeper") in found.headline
    assert "not ranked here" in found.more
    everything = " ".join((found.headline, found.more, *(p.caption for p in found.panels)))
    for word in ("most", "least", "best", "worst", "smallest", "times as many", "Das et al."):
        assert not re.search(rf"\b{word}\b", everything)
    gaps = found.panel("disparity").caption
    assert gaps.startswith("In this one release, the gap between the groups")
    places = [gaps.index(m.spoken()) for m in (*noisy, HIDING)]
    assert places == sorted(places)  # as the cards stand, whatever the numbers


def test_averages_by_formula_say_the_same_whatever_the_seed() -> None:
    said = set()
    for seed in range(12):
        found = sdc.ask("subgroups", sdc.Study(DATA, seed=seed, methods=[
            sdc.mechanism("geometric", epsilon=0.3), HIDING]))
        said.add((found.headline, found.more, *(p.caption for p in found.panels)))
    assert len(said) == 1


def test_no_word_says_that_one_feature_causes_another() -> None:
    income = dataclasses.replace(TENTH, name="PINCP_DECILE")
    education = dataclasses.replace(SCHOOL, name="EDU")
    for share in (0.8, 1.2, -0.5):
        headline, more = words.subgroup_sentences(
            [with_slopes("suppression", share, 1.0)], income, education)
        assert "the line from schooling to income tenth" in headline
        assert not re.search(r"\b(pays?|effect|return|causes?|leads?)\b", f"{headline} {more}")
    assert "not what one does to the other" in " ".join(METHOD.split())


# ---------------------------------------------------------------- what the reader chooses


def test_one_release_is_that_of_the_studys_seed() -> None:
    noisy = sdc.mechanism("geometric", epsilon=0.5)
    for seed in (3, 4):
        study = sdc.Study(DATA, seed=seed, methods=[noisy])
        found = sdc.ask("subgroups", study, g_view="one")
        table = DATA.histogram(["sex", "income", "school"])
        row = sdc.released_people(noisy, table, 1, seed=seed)[0].reshape(table.domain.shape)
        men = row[table.domain.features[0].values.index("male"), :, :4]
        cells = found.panel("subgroups").table
        mine = cells[cells["group"] == "men"]
        assert mine["released"].to_numpy() == pytest.approx(men.ravel())
        assert found.panel("subgroups").caption.startswith("Each cell is one release minus")
        numbers = found.panel("disparity").table
        assert set(numbers["how"]) == {f"one release, seed {seed}"}
        assert numbers["error per 1,000 people"][0] == pytest.approx(
            1000 * np.abs(men - TOWN["men"]).sum() / 300)
        women = row[table.domain.features[0].values.index("female"), :, :4]
        nobody = TOWN["women"] == 0
        assert numbers["people put into empty cells"][1] == women[nobody].sum()
        assert numbers["error per 1,000 people, cells with people"][1] == pytest.approx(
            1000 * np.abs(women - TOWN["women"])[~nobody].sum() / 192)


def test_groups_are_those_chosen_in_their_order_four_at_most() -> None:
    one = asked(groups="female,male")
    assert [p["note"].split("</b>")[0] for p in panels_of(one.panel("subgroups").figures[0])] == [
        "<b>women", "<b>men"]
    assert [b.note for b in read_bars(one.panel("disparity").drawing)][:2] == ["women", "men"]
    alone = asked(groups="female")
    assert [b.title for b in read_bars(alone.panel("disparity").drawing)] == [
        "Slope changes by", "Counts off by", "Invented"]  # no gap with oneself
    assert "; for " not in alone.headline
    nobody = asked(groups="")
    assert "no line to compare" in nobody.headline and not nobody.panels
    everybody = asked(g_by="")
    assert set(everybody.panel("disparity").table["group"]) == {"everybody"}
    assert set(everybody.panel("disparity").table["people"]) == {492}
    many = sdc.Study(sdc.load_dataset("ma2019-twin"), methods=[HIDING])
    found = sdc.ask("subgroups", many, g_by="AGE_BIN", groups="0,1,2,3,4")
    assert len(set(found.panel("disparity").table["group"])) == 4
    assert "The first 4 are shown." in [n.text for n in found.notices]
    four = sdc.ask("subgroups", many, g_by="AGE_BIN", groups="0,1,2,3")
    assert not [n for n in four.notices if "are shown" in n.text]


def test_unknown_choices_are_refused_by_name() -> None:
    for controls, problem in (
        ({"groups": "martians"}, "groups has no 'martians'"), ({"g_y": "sex"}, "g_y must be one"),
        ({"g_view": "two"}, "g_view must be one of average, one"),
    ):
        with pytest.raises(sdc.InputError, match=problem):
            sdc.ask("subgroups", STUDY, **controls)


def test_it_starts_on_the_papers_groups_with_the_usual_methods() -> None:
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("national2019-twin")))
    (notice,) = found.notices
    assert notice.text.startswith("This page starts on the national data, as in the papers")
    assert notice.tone == "quiet" and notice.action is None
    assert found.provenance is not None
    assert found.provenance.features == ("RAC1P", "SEX", "PINCP_DECILE", "EDU")
    table = found.panel("disparity").table
    assert list(dict.fromkeys(table["group"])) == ["White men", "Black men"]
    assert list(dict.fromkeys(table["method"])) == [
        "Laplace ε=1", "Discrete Gaussian ε=1", "DP suppression ε=1 k=6", "Suppression k=6"]
    assert "Das et al." not in found.panel("disparity").caption
    for race, group in (("1", "White men"), ("2", "Black men")):
        people = sdc.load_dataset("national2019-twin").records
        some = people[(people["RAC1P"] == race) & (people["SEX"] == "1")
                      & (people["PINCP_DECILE"] != "N") & (people["EDU"] != "N")]
        assert set(table[table["group"] == group]["people"]) == {len(some)}


def test_the_preset_is_what_the_paper_did() -> None:
    """Das et al. 2024, Figure 3: four methods, ε = 2, k = 10, 25% of the records take the race
    of any other record, zeros untouched."""
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("national2019-twin")),
                    as_in="das-2024-figure-3")
    assert found.provenance is not None
    assert found.provenance.empty_groups == "left"
    assert list(dict.fromkeys(found.panel("disparity").table["method"])) == [
        "Laplace ε=2", "Discrete Gaussian ε=2", "DP suppression ε=2 k=10",
        "DP swapping ε=2 25% (any donor)"]
    assert "quasi_identifiers=('RAC1P',)" in found.provenance.methods[3]
    assert "keep_zeros=True" in found.provenance.methods[2]
    assert "Das et al." not in found.panel("disparity").caption  # this is not the paper's data
    own = sdc.ask("subgroups", sdc.Study(DATA), as_in="das-2024-figure-3")
    assert own.provenance is not None
    assert "quasi_identifiers=('sex',)" in own.provenance.methods[3]  # there is no race


def test_other_data_offers_the_papers_data() -> None:
    (notice,) = asked().notices
    assert notice.text == "This is your data; the papers show the national data."
    assert notice.tone == "quiet" and notice.action is not None
    assert notice.action.label == "Show the national data"
    assert notice.action.sets == {"data": default_id("national2019")}
    twin = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("ma2019-twin"), methods=[HIDING]))
    assert twin.notices[0].text.endswith("the national data, where all groups are larger.")


def test_a_method_that_takes_long_waits_and_the_rest_is_shown() -> None:
    study = sdc.Study(DATA, methods=[HIDING, sdc.mechanism("mst")])
    for view, number in (("average", "20 releases take"), ("one", "1 release takes")):
        found = sdc.ask("subgroups", study, g_view=view, work=Work(started=()))
        (job,) = found.waiting
        assert job.label.startswith("Run MST") and number in job.note
        assert set(found.panel("disparity").table["method"]) == {HIDING.label()}
    nobody = sdc.ask("subgroups", study, groups="", work=Work(started=()))
    assert not nobody.waiting  # nothing to run it for


def test_a_simulated_average_says_so() -> None:
    """Paired swapping has no formula for its mean."""
    paired = sdc.mechanism("swapping", quasi_identifiers=("sex",), paired=True)
    small = {g: np.minimum(t, 3) for g, t in TOWN.items()}
    study = sdc.Study(sdc.load_dataset(records(small)), methods=[HIDING, paired])
    found = sdc.ask("subgroups", study)
    assert list(found.panel("disparity").table["how"]) == ["exact"] * 2 + [
        "average of 200 releases"] * 2
    assert f"Averages of {paired.spoken()} are simulated." in found.panel("subgroups").caption
    table = found.panel("disparity").table.set_index("method")
    for column in ("released slope, standard error",
                   "error per 1,000 people, cells with people, standard error"):
        assert (table.loc[HIDING.label(), column] == 0).all()
        assert (table.loc[paired.label(), column] > 0).all()
    data = study.dataset.histogram(["sex", "income", "school"])
    draws = paired.draw_tables(data, [np.random.default_rng(np.random.SeedSequence(
        7, spawn_key=(r,))) for r in range(200)]).reshape(200, *data.domain.shape)
    men = data.domain.features[0].values.index("male")
    true = data.counts.reshape(data.domain.shape)[men, :, :4]
    off = np.abs(draws[:, men, :, :4] - true)[:, true > 0].sum(axis=1)
    mine = table[table["group"] == "men"].loc[paired.label()]
    assert mine["error per 1,000 people, cells with people"] == pytest.approx(
        1000 * off.mean() / true.sum())
    parts = off.reshape(20, 10).mean(axis=1)
    assert mine["error per 1,000 people, cells with people, standard error"] == pytest.approx(
        1000 * parts.std(ddof=1) / math.sqrt(20) / true.sum())
    tables = draws[:, men, :, :4].reshape(20, 10, 3, 4).mean(axis=1)
    without = [slope_of(np.delete(tables, i, axis=0).mean(axis=0)) for i in range(20)]
    assert mine["released slope, standard error"] == pytest.approx(
        math.sqrt(19 / 20 * np.square(np.array(without) - np.mean(without)).sum()))
    one = sdc.ask("subgroups", study, g_view="one").panel("subgroups").caption
    assert "simulated" not in one


# ---------------------------------------------------------------- categories put in order

RANKS = ("none", "school", "college")


@pytest.fixture
def ranked(tmp_path: Path) -> sdc.Dataset:
    """Incomes 0, 1, 2 with none, school and college, and 3 where the school is not known."""
    rows = [f"{school},{income},{home}" for income, school in enumerate((*RANKS, "unknown"))
            for home in ("own", "rent") for _ in range(60)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["education,income,home", *rows]))
    return sdc.load_dataset(str(file))


def test_categories_stand_in_the_readers_order(ranked: sdc.Dataset) -> None:
    found = sdc.ask("subgroups", sdc.Study(ranked, methods=[HIDING]), g_order="education",
                    g_x="education", g_x_order=",".join(RANKS), g_by="home")
    table = found.panel("disparity").table
    assert table["true slope"].to_numpy() == pytest.approx([1.0, 1.0])
    assert set(table["people"]) == {180}  # `unknown` has no place
    chart = found.panel("subgroups").figures[0]
    bottom = panels_of(chart)[-1]
    assert bottom["x"]["ticktext"] == ["1", "2", "3"]
    assert "Across: education (1 none … 3 college)." in found.panel("subgroups").legend
    assert hover(bottom["heat"], 1, 1).startswith("income 1, school<br>true 60")
    (_, order) = found.notices
    assert order.tone == "quiet"
    assert order.text == (
        "In order, one step between neighbours: education: none < school < college.")
    turned = sdc.ask("subgroups", sdc.Study(ranked, methods=[HIDING]), g_order="education",
                     g_x="education", g_x_order="college,school,none", g_by="home")
    assert turned.panel("disparity").table["true slope"].to_numpy() == pytest.approx([-1.0, -1.0])


def test_an_order_that_is_only_the_datas_own_is_said_to_mean_nothing(ranked: sdc.Dataset) -> None:
    found = sdc.ask("subgroups", sdc.Study(ranked, methods=[HIDING]), g_order="education",
                    g_y="education")
    text = found.notices[1].text
    assert "education: college < none < school < unknown." in text
    assert "merely how the data lists education" in text
    with pytest.raises(sdc.InputError, match="at least two"):
        sdc.ask("subgroups", sdc.Study(ranked), g_order="education", g_x_order="none",
                g_x="education")


def test_the_code_makes_the_answer_again(
    ranked: sdc.Dataset, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = sdc.ask("subgroups", sdc.Study(ranked, methods=[HIDING]), g_order="education",
                    g_x="education", g_x_order=",".join(RANKS), g_by="home", groups="rent")
    exec(compile(found.code, "code", "exec"), {})  # noqa: S102 - the page offers it to be run
    assert capsys.readouterr().out.strip() == str(found).strip()


@pytest.mark.parametrize(
    ("columns", "here", "advice"),
    [
        ({"town": list("ab") * 40, "kind": list("cdef") * 20}, "this data has none",
         "choose two below under “Categories to put in order” (there are town and kind)"),
        ({"n": [1, 2] * 40, "t": list("xy") * 40}, "this data has none",  # 1 and 2: a yes and no
         "choose two below under “Categories to put in order” (there are n and t)"),
        ({"n": [1, 2, 3, 4] * 20, "t": list("xy") * 40}, "n is one, one more is needed",
         "If the values of t can be ranked, choose it below"),
        ({"n": [1, 2, 3, 4] * 20, "t": list("xy") * 40, "u": list("xy") * 40},
         "n is one, one more is needed", "choose one below under"),
        ({"n": [1, 2, 3, 4] * 20, "t": ["x"] * 80}, "n is one, one more is needed",
         "Use another file, or correct above how its columns are read"),
    ],
)
def test_data_without_two_axes_is_told_what_it_lacks(
    columns: dict[str, list[Any]], here: str, advice: str
) -> None:
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset(pd.DataFrame(columns))))
    assert "needs two features" in found.headline and here in found.headline
    assert advice in found.more
    assert not found.panels
    assert found.provenance is not None
    assert set(found.provenance.controls) <= {"g_order"}  # nothing else can be chosen
    assert found.notices[0].action is not None


# ---------------------------------------------------------------- sentences, from results by hand

SEX = Feature("SEX", "Sex", ("1", "2"), ("male", "female"))
TENTH = Feature("TENTH", "Income tenth", ("0", "1", "2", "N"), ("lowest", "middle", "top", "none"))
SCHOOL = Feature("SCHOOL", "Schooling", ("1", "2", "N"), ("little", "much", "child"))
SCHOOL_ONLY = dataclasses.replace(SCHOOL, values=("1", "2"), labels=("little", "much"))
DOMAIN = Domain((SEX, TENTH, SCHOOL))
NOBODY = [[0, 0, 0]] * 4


def table(men: list[list[int]], women: list[list[int]]) -> Histogram:
    """Each group as rows (tenth 0, 1, 2, none) by columns (schooling 1, 2, child)."""
    return Histogram(np.array([men, women], dtype=np.int64).ravel(), DOMAIN)


TOY = table(
    [[3, 1, 9], [1, 1, 0], [0, 2, 0], [5, 0, 7]],
    [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]],
)


def results(truth: Histogram, released: NDArray[Any]) -> list[metrics.MethodResult]:
    groups = {"men": (0,), "women": (1,)}
    return [metrics.method_result(truth, groups, sdc.mechanism("laplace"), "exact", released)]


def drawn(found: list[metrics.MethodResult], y: Feature = TENTH, x: Feature = SCHOOL) -> Any:
    (look,) = figures.styles([found[0].mechanism])
    return figures.heat_map(found[0], look, y, x, figures.error_scale(found, False))


def test_a_tiny_group_makes_no_headline() -> None:
    """The women's line turns round, but they are few; the men's is what the headline is about."""
    men = [[90, 10, 0], [10, 90, 0], [0, 0, 0], [0, 0, 0]]
    data = table(men, [[30, 0, 0], [0, 30, 0], [0, 0, 0], [0, 0, 0]])
    released = table([[80, 20, 0], [20, 80, 0], [0, 0, 0], [0, 0, 0]],
                     [[0, 30, 0], [30, 0, 0], [0, 0, 0], [0, 0, 0]])
    headline, _ = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    assert "is 25% flatter for men" in headline  # 0.6 instead of 0.8
    assert "women" not in headline


def test_of_three_groups_the_most_changed_comes_first_and_all_are_named() -> None:
    """Slopes are 0.8 in truth; after the release 0.4, 0.6 and 0.68."""
    sexes = dataclasses.replace(SEX, values=("1", "2", "3"), labels=("male", "female", "other"))
    before = [[90, 10], [10, 90]]
    after = [[[70, 30], [30, 70]], [[80, 20], [20, 80]], [[84, 16], [16, 84]]]
    tenth = dataclasses.replace(TENTH, values=("0", "1"), labels=("low", "high"))
    data = Histogram(np.array([before] * 3, dtype=np.int64).ravel(),
                     Domain((sexes, tenth, SCHOOL_ONLY)))
    found = metrics.method_result(
        data, {"men": (0,), "women": (1,), "others": (2,)}, sdc.mechanism("laplace"), "exact",
        np.array(after).ravel())
    headline, more = words.subgroup_sentences([found], tenth, SCHOOL_ONLY)
    assert headline.endswith("is 50% flatter for men; for women it is 25% flatter.")
    assert (
        "In numbers, for men (200 people) slope 0.40 instead of 0.80; for women (200 people) slope "
        "0.60 instead of 0.80; for others (200 people) slope 0.68 instead of 0.80." in more)


@pytest.mark.parametrize(("women", "enough"), [(99, False), (100, True)])
def test_a_hundred_people_are_enough_for_a_headline(women: int, enough: bool) -> None:
    data = table(NOBODY, [[women - 10, 0, 0], [0, 10, 0], [0, 0, 0], [0, 0, 0]])
    released = table(NOBODY, [[women - 10, 5, 0], [0, 5, 0], [0, 0, 0], [0, 0, 0]])
    headline, more = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    if enough:
        assert "is 50% flatter for women" in headline and "women (100 people)" in more
    else:
        assert headline.startswith("None of these groups has 100 people") and not more


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([[80, 20, 0], [20, 80, 0]], "is 25% flatter for men"),
        ([[100, 0, 0], [0, 100, 0]], "is 25% steeper for men"),
        ([[20, 80, 0], [80, 20, 0]], "points the other way for men"),
        ([[90, 10, 0], [10, 90, 0]], "hardly changes: not at all"),
        ([[93, 7, 0], [7, 93, 0]], "is 7.5% steeper for men"),
        ([[87, 13, 0], [13, 87, 0]], "is 7.5% flatter for men"),
        ([[89, 11, 0], [11, 89, 0]], "is 2.5% flatter for men"),
    ],
)
def test_how_a_line_changes_is_said_in_plain_words(after: list[list[int]], said: str) -> None:
    data = table([[90, 10, 0], [10, 90, 0], *NOBODY[:2]], NOBODY)
    released = table([*after, *NOBODY[:2]], NOBODY)
    headline, _ = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    assert said in headline


def test_a_line_that_falls_can_be_flatter_too() -> None:
    data = table([[10, 90, 0], [90, 10, 0], *NOBODY[:2]], NOBODY)
    released = table([[20, 80, 0], [80, 20, 0], *NOBODY[:2]], NOBODY)
    headline, more = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    assert "is 25% flatter for men" in headline and "slope −0.60 instead of −0.80" in more


@pytest.mark.parametrize(
    ("after", "text"), [([[100, 0, 0], [0, 100, 0]], "+25%"), ([[80, 20, 0], [20, 80, 0]], "−25%")]
)
def test_a_bar_says_which_way_the_slope_changes(after: list[list[int]], text: str) -> None:
    data = table([[90, 10, 0], [10, 90, 0], *NOBODY[:2]], NOBODY)
    found = results(data, table([*after, *NOBODY[:2]], NOBODY).counts)
    slope, _, counts, _, _, _, gap = read_bars(figures.disparity_bars(found, "words"))
    assert (slope.rows[0].text, slope.rows[0].length) == (text, 100)
    assert counts.rows[0].text == "200"  # 40 of 200
    assert gap.rows[0].text == "unknown" and gap.rows[0].length == 0  # there are no women


@pytest.mark.parametrize(("labels", "title"), [
    (("School 1", "other", "most"), "School"),
    (("none", "School 1", "School 2"), "School (1 none … 3 School 2)"),
])
def test_an_axis_names_its_ends_unless_its_labels_bear_its_title(
    labels: tuple[str, ...], title: str
) -> None:
    school = dataclasses.replace(
        SCHOOL, title="School", values=("1", "2", "3"), labels=labels)
    assert figures._Axis(school).words() == title


def test_sentence_and_bar_round_a_number_alike() -> None:
    """1,168.52 errors for every 1,000: rounding twice would show 1,168."""
    data = table([[50, 50, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], NOBODY)
    wrong = np.zeros(data.counts.size)
    wrong[0] = 116.852
    found = metrics.method_result(
        data, {"men": (0,)}, sdc.mechanism("laplace"), "exact", data.counts, wrong)
    assert "off by 1,169 among men" in words.rate_sentence([found])
    assert read_bars(figures.disparity_bars([found], "words"))[1].rows[0].text == "1,169"


@pytest.mark.parametrize(
    ("women", "said"),
    [
        ([[0, 0, 4], [0, 0, 0], [0, 0, 0], [1, 0, 0]], "no women with both values"),
        ([[3, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], "All 3 women stand at the same place"),
        ([[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]], "Only 3 women"),
        ([[20, 1, 0], [0, 0, 0], [0, 8, 0], [0, 0, 0]], "Only 29 women"),
        ([[20, 1, 0], [0, 0, 0], [0, 9, 0], [0, 0, 0]], None),
    ],
)
def test_empty_and_tiny_groups_are_said_and_the_rest_stays(
    women: list[list[int]], said: str | None
) -> None:
    data = table([[60, 20, 9], [20, 20, 0], [0, 40, 0], [5, 0, 7]], women)
    found = results(data, data.counts.astype(float) + 0.25)
    told = notes.group_notes(found)
    assert len(told) == (0 if said is None else 1)
    assert said is None or said in told[0]
    headline, more = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert "for men" in headline and "for men (160 people)" in more
    men, others = panels_of(drawn(found))
    assert {"true line", "released line"} <= set(men)
    assert ("true line" in others) == (len(np.flatnonzero(np.sum(women, axis=0)[:2])) == 2)
    assert "slope no line →" in others["note"] or "true line" in others


def test_a_group_that_never_was_is_not_said_to_be_gone() -> None:
    data = table([[60, 20, 0], [20, 20, 0], [0, 40, 0], [0, 0, 0]], NOBODY)
    (note,) = notes.group_notes(results(data, data.counts.astype(float)))
    assert note.startswith("There are no women")


def test_a_group_that_is_gone_after_release_is_said() -> None:
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[1] = 0
    found = results(TOY, released.ravel())
    assert notes.group_notes(found)[-1] == (
        f"After {ADDS} nobody is left among women, so there is no released line.")
    bars = read_bars(figures.disparity_bars(found, "words"))
    assert [b.rows[0].text for b in bars] == ["0%", "unknown", "0", "1,000", "0", "0", "unknown"]
    assert panels_of(drawn(found))[1]["note"].endswith("→ no line")
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
    assert group_name(labels) == name


def test_a_size_goes_into_the_brackets_that_are_there() -> None:
    assert sized("Black men", 1204) == "Black men (1,204 people)"
    assert sized("men (renting)", 12) == "men (renting; 12 people)"


def test_heat_maps_are_valid_and_leave_out_what_is_no_number() -> None:
    released = TOY.counts.astype(float)
    released[0] += 4
    released[13] -= 1  # a woman
    released[2] += 99  # a child
    found = results(TOY, released)
    chart = drawn(found)
    assert len(go.Figure(chart.to_dict()).data) == len(chart.data) == 10
    men, women = (panel["heat"] for panel in panels_of(chart))
    assert np.shape(men.z) == np.shape(women.z) == (3, 2)
    assert men.z[0][0] == pytest.approx(2.0) and women.z[0][1] == pytest.approx(-1.0)
    assert men.zmax == pytest.approx(2.0)
    legend = figures.legend(found, TENTH, SCHOOL, figures.error_scale(found, False))
    assert "Schooling (1 little … 2 much)" in legend and "(1 lowest … 3 top)" in legend


def test_codes_that_the_data_lists_in_another_order_are_drawn_by_size() -> None:
    """Rows 2, 0, 1 of the data stand at heights 2, 0, 1, and so do their words and numbers."""
    mixed = Feature("T", "Tenth", ("2", "0", "1"), ("top", "lowest", "middle"))
    counts = np.array([[[5, 6], [1, 2], [3, 4]]] * 2, dtype=np.int64)
    data = Histogram(counts.ravel(), Domain((SEX, mixed, SCHOOL_ONLY)))
    found = results(data, counts.ravel() + np.array([0, 0, 9, 0, 0, 0] * 2))
    heat = panels_of(drawn(found, mixed, SCHOOL_ONLY))[0]["heat"]
    assert list(heat.y) == [0, 1, 2]
    assert hover(heat, 0, 0) == "lowest, little<br>true 1, released 10<br>+9 people"
    assert hover(heat, 2, 1) == "top, much<br>true 6, released 6<br>+0 people"
    frame = figures.cell_table(found, mixed, SCHOOL_ONLY)
    row = frame[(frame["group"] == "men") & (frame["Tenth"] == "lowest")].iloc[0]
    assert (row["Schooling"], row["true"], row["released"]) == ("little", 1, 10)
    assert "9 people too many among men with lowest, little (truly 1); one other cell is as" in (
        words.heat_sentence(found, True, SCHOOL_ONLY, mixed))


@pytest.mark.parametrize("view", ["average", "one"])
def test_a_method_that_is_chosen_twice_is_said_once(view: str) -> None:
    """Neither every method, nor another cell that is as far off, nor two gaps: it is the same."""
    twice, once = (
        sdc.ask("subgroups", STUDY.with_methods(methods), g_view=view)
        for methods in ([HIDING, HIDING], [HIDING]))
    assert "very method" not in twice.headline and HIDING.spoken() in twice.headline
    assert (twice.headline, twice.more) == (once.headline, once.more)
    for panel in twice.panels:
        assert panel.caption == once.panel(panel.name).caption
    assert len(twice.panel("subgroups").figures) == 2  # each card has its chart


def test_one_person_is_not_all_of_them() -> None:
    """With one woman there is no line, and `all 1 women` would not be said."""
    alone = {"men": TOWN["men"], "women": np.zeros((3, 4), dtype=int)}
    alone["women"][1, 2] = 1
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset(records(alone)), methods=[HIDING]))
    (said,) = (n.text for n in found.notices if "women" in n.text)
    assert said.startswith("There is one person among women in this data, and no line goes through")


def test_the_largest_error_is_found_and_named() -> None:
    """Where there are people: 5 in an empty cell are no error about people."""
    released = TOY.counts.astype(float)
    released[13] += 5  # nobody is there
    released[15 + 1] -= 0.8
    said = words.heat_sentence(results(TOY, released), True, SCHOOL, TENTH)
    assert said.endswith(f"The largest average error in a cell that has people: {ADDS} "
                         "shows 0.8 people too few among women with middle, much (truly 1).")
    same = words.heat_sentence(results(TOY, TOY.counts.astype(float)), True, SCHOOL, TENTH)
    assert same.endswith(
        "On average no cell that has people is off by as much as a tenth of a person.")
    released[0] += 0.8
    released[18] -= 0.8
    once = words.heat_sentence(results(TOY, released), False, SCHOOL, TENTH)
    assert once == ("Each cell is one release minus the truth, in people. Here no cell that has "
                    "people is off by more than 0.8 people.")
    tied = words.heat_sentence(results(TOY, released), True, SCHOOL, TENTH)
    assert "0.8 people too many among men with lowest, little (truly 3); 2 other cells are" in tied


def errors_of(**errors: tuple[float, float]) -> list[metrics.MethodResult]:
    """Methods with so much error among 8 men and 4 women, half as much again with empty cells."""
    (found,) = results(TOY, TOY.counts.astype(float))
    men, women = found.groups
    return [
        metrics.MethodResult(sdc.mechanism(name.replace("_", "-")), "exact", (
            dataclasses.replace(men, among_people=a, misplaced=1.5 * a),
            dataclasses.replace(women, among_people=b, misplaced=1.5 * b)))
        for name, (a, b) in errors.items()
    ]


def test_the_least_error_and_the_least_difference_are_named_with_their_measure() -> None:
    """Per 1,000: Laplace 500 and 1,000, in all 667; Geometric 125 and 750, in all 333; suppression
    250 and 500, in all 333 too. The groups differ by 500, 625 and 250."""
    said = short(words.papers_sentence(
        errors_of(laplace=(4, 4), geometric=(1, 3), suppression=(2, 2))))
    assert said.endswith(
        "in cells that have people, errors are smallest under Geometric ε=1 and Suppression k=6 "
        "(333) and differ least under Suppression k=6 (by 250); with people put into empty cells, "
        "errors are smallest under Geometric ε=1 and Suppression k=6 (500) and differ least under "
        "Suppression k=6 (by 375).")
    none = short(words.papers_sentence(errors_of(laplace=(0.1, 0.1), suppression=(0, 0))))
    assert "smallest under Suppression k=6 (0) and differ least under Suppression k=6 (by 0" in none


@pytest.mark.parametrize("groups", [("women", "men"), ("men", "women")])
def test_the_last_group_is_so_many_times_the_first(groups: tuple[str, str]) -> None:
    (found,) = errors_of(laplace=(2, 4))
    order = [next(g for g in found.groups if g.name == name) for name in groups]
    said = words.rate_sentence([dataclasses.replace(found, groups=tuple(order))])
    assert said.endswith(
        "250 among men and 1,000 among women for every 1,000 people, 4 times as many.")
    third = dataclasses.replace(order[0], name="others", among_people=order[0].people * 0.5)
    said = words.rate_sentence([dataclasses.replace(found, groups=(*order, third))])
    assert said.endswith(
        "250 among men, 500 among others and 1,000 among women for every 1,000 people, 4 times as "
        "many as among men.")
    unsure = tuple(dataclasses.replace(g, among_people_se=1.4) for g in order)
    said = words.rate_sentence([dataclasses.replace(found, groups=unsure)])
    assert said.endswith("1,000 among women for every 1,000 people.")  # 750 apart, ± 391


def test_the_method_that_is_furthest_off_is_the_one_with_the_largest_error() -> None:
    """Whatever method turns a line most. Of 12 people in all: Laplace 6, suppression 0.0003."""
    found = errors_of(dp_suppression=(0.0001, 0.0002), laplace=(4, 2), geometric=(1, 4))
    tilted = dataclasses.replace(found[0], groups=tuple(
        dataclasses.replace(
            g, truth=50 * g.truth, records=50 * g.people, released_line=metrics.Line(0.01, 0.0))
        for g in found[0].groups))
    others = [dataclasses.replace(r, groups=tuple(
        dataclasses.replace(
            g, truth=50 * g.truth, records=50 * g.people, among_people=50 * g.among_people)
        for g in r.groups)) for r in found[1:]]
    headline, more = words.subgroup_sentences([tilted, *others], TENTH, SCHOOL)
    assert headline.startswith("After hiding below a noisy limit (ε = 1, k = 6)")
    assert (f"In cells that have people, {ADDS} puts counts off by 500 among men and 500 among "
            "women for every 1,000 people.") in more


@pytest.mark.parametrize(("men", "women", "said"), [
    (0.0001, 0.00013, "put{s} counts off by less than 0.05 for every 1,000 people."),  # written 0
    (0.0001, 0.4, "0 among men and 100 among women for every 1,000 people."),
    (0.002, 0.0044, "0.2 among men and 1.1 among women for every 1,000 people."),  # 4.4, not 5.5
    (0.008, 0.0088, "1 among men and 2.2 among women for every 1,000 people, 2.2 times as many."),
])
def test_a_ratio_is_one_of_numbers_that_can_be_read(men: float, women: float, said: str) -> None:
    """Errors of 8 men and of 4 women; what stands there must give the same ratio."""
    sentence = words.rate_sentence(errors_of(laplace=(men, women)))
    assert sentence.endswith(said.format(s="s"))
    written = re.findall(r"([\d.]+) (?:among|times)", sentence)
    if "times" in sentence:
        low, high, ratio = map(float, written)
        assert high / low == pytest.approx(ratio, rel=0.05)
        assert 2 * women / men == pytest.approx(ratio, rel=0.006)
    tie = words.rate_sentence(errors_of(laplace=(men, women), geometric=(men, women)))
    assert f"{ADDS} and {WHOLE} put counts off by" in tie and tie.endswith(
        said.format(s=""))


def test_methods_that_may_be_as_far_off_are_named() -> None:
    """6 ± 1 and 5 ± 1 people of 12 cannot be told apart, 2 can."""
    exact = errors_of(laplace=(4, 2), geometric=(3, 2), suppression=(1, 1))
    drawn = [dataclasses.replace(r, releases=20, groups=tuple(
        dataclasses.replace(g, among_people_se=0.5) for g in r.groups)) for r in exact]
    assert words.rate_sentence([*drawn[:2], exact[2]]) == (
        f"In cells that have people, {ADDS} puts counts off by 500 among men and 500 among "
        f"women for every 1,000 people; these releases cannot tell it apart from {WHOLE}.")
    assert "tell" not in words.rate_sentence(exact)


def test_a_simulated_zero_among_groups_says_what_it_excludes() -> None:
    still = dataclasses.replace(errors_of(mst=(0, 0))[0], releases=20)
    noise = errors_of(laplace=(0.0001, 0.0001))[0]
    some = dataclasses.replace(errors_of(aim=(0.0001, 0.0001))[0], releases=20)
    assert words.rate_sentence([noise, still, some]) == (
        f"In cells that have people, {ADDS}, {SIMPLE} and {FITTED} "
        f"put counts off by less than 0.05 for every 1,000 people; {SIMPLE} by "
        f"nothing in 20 releases (any in at most 15% of releases); {FITTED} as far as "
        "20 releases tell.")
    first, never = invents(12, 0)
    none = dataclasses.replace(never, releases=20)
    assert words.invented_sentence([first, none]).endswith(
        f"12 by {ADDS}, none by {WHOLE} in 20 releases (any in at most 15% of releases).")
    level = dataclasses.replace(never, groups=tuple(
        dataclasses.replace(g, misplaced=g.among_people + 3) for g in never.groups))
    assert words.invented_sentence([first, level]).endswith(
        f"12 by {ADDS}, on balance none by {WHOLE}.")
    rough = dataclasses.replace(first, releases=20, groups=tuple(
        dataclasses.replace(g, invented_se=0.5) for g in first.groups))
    assert words.invented_sentence([rough]).endswith(f"12 ± 1 by {ADDS}.")


def test_no_ratio_of_nothing_where_next_to_nothing_is_changed() -> None:
    """Suppression below 1 changes nothing, Laplace at ε = 100 a count in 10²¹."""
    methods = [sdc.mechanism("suppression", k=1), sdc.mechanism("laplace", epsilon=100.0)]
    said = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("ma2019-twin"), methods=methods)).more
    assert 2 * math.exp(-25) < 1e-10  # rounding takes noise of scale 1/50 away
    assert said.endswith("In cells that have people, hiding small counts (k = 1) and "
                         "adding noise (ε = 100) put counts off "
                         "by less than 0.05 for every 1,000 people.")


def test_a_simulated_cell_is_not_called_the_worst() -> None:
    """Its average is left to chance; of the methods whose average is known the worst is named."""
    released = TOY.counts.astype(float)
    released[0] += 0.6
    (known,) = results(TOY, released)
    released[0] += 5
    (drawn,) = results(TOY, released)
    drawn = dataclasses.replace(drawn, mechanism=sdc.mechanism("mst"))
    both = words.heat_sentence([drawn, known], True, SCHOOL, TENTH)
    assert (f"The largest average error in a cell that has people, of {ADDS}: {ADDS} "
            "shows 0.6 people too many among men") in both
    assert both.endswith(f"Averages of {SIMPLE} are simulated.")
    alone = words.heat_sentence([drawn], True, SCHOOL, TENTH)
    assert "Here no cell that has people is off by more than 5.6 people." in alone


def test_the_headline_is_about_a_change_beyond_chance() -> None:
    found = [with_slopes("suppression", 0.8, 1.0), with_slopes("mst", 0.5, 1.0, se=0.3),
             with_slopes(*STILL)]
    for order in (found, found[::-1]):
        assert words.subgroup_sentences(order, TENTH, SCHOOL)[0].startswith(
            "After hiding small counts (k = 6), the line")


def test_gaps_are_listed_as_the_cards_stand() -> None:
    still, apart = with_slopes("laplace", 1.0, 1.0), with_slopes("suppression", 0.5, 1.0)
    assert words.disparity_sentence([still, apart]) == (
        "Gap between the groups, how far apart their changes of slope are: 0 points after "
        f"{ADDS} and 50 points after {HIDES}.")
    assert words.disparity_sentence([apart, still]).endswith(
        f"50 points after {HIDES} and 0 points after {ADDS}.")
    assert words.disparity_sentence([with_slopes("laplace", 0.5)]) == ""  # one group has no gap


def test_groups_that_change_in_opposite_ways_are_far_apart() -> None:
    """−5.9% and +22.2% are 28.1 points apart, not 16.3, in the sentence and on the bar."""
    found = [with_slopes("laplace", 0.941, 1.222, se=0.01), with_slopes("suppression", 0.9, 0.8)]
    error = 100 * math.hypot(0.01, 0.01)
    assert words.disparity_sentence(found).endswith(
        f"28.1 points ± {error:.1f} after {ADDS} and 10 points after {HIDES}.")
    gap = read_bars(figures.disparity_bars(found, "words"))[-1]
    assert [row.text for row in gap.rows] == ["28.1", "10"]


def test_a_level_line_has_no_sign() -> None:
    assert [words.slope_text(s) for s in (-0.004, 0.0, 0.004, -0.006, -1.0)] == [
        "0.00", "0.00", "0.00", "−0.01", "−1.00"]


def test_only_one_paper_swaps() -> None:
    (text,) = [line for line in METHOD.split("- **") if line.startswith("In the papers")]
    former, latter = " ".join(text.split()).split("The former have ")[1].split("; the latter ")
    assert "DP swapping of race with a swap rate of 25%" in former and "discrete Gaussian" in former
    assert latter.startswith("Laplace noise and DP suppression.")


def test_the_papers_findings_on_the_national_data(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Said with the paper's data, methods and conventions alone. Unlike in the paper, DP
    suppression that leaves zeros alone puts fewer people in the wrong place than Laplace; as in the
    paper, Laplace's errors differ least. Errors of single cells by the methods' own formulas."""
    data = real_data("national2019")
    men = data.records[data.records["SEX"] == "1"]
    study = sdc.Study(data)
    found = sdc.ask("subgroups", study, as_in="das-2024-figure-3")
    methods = [
        sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("discrete-gaussian", epsilon=2.0),
        sdc.mechanism("dp-suppression", epsilon=2.0, k=10, keep_zeros=True),
    ]
    rates = {m.label(): [] for m in methods}
    people, errors = [], {m.label(): 0.0 for m in methods}
    for race in ("1", "2"):
        some = men[(men["RAC1P"] == race) & (men["PINCP_DECILE"] != "N") & (men["EDU"] != "N")]
        counts = some.groupby(["PINCP_DECILE", "EDU"], observed=True).size().to_numpy()
        counts = counts[counts > 0]
        people.append(len(some))
        for one in methods:
            error = one.absolute_error(counts).sum()  # type: ignore[attr-defined]
            rates[one.label()].append(1000 * error / len(some))
            errors[one.label()] += 1000 * error
    least = min(errors, key=errors.__getitem__)
    assert least == methods[2].label()
    black_white = {label: b - a for label, (a, b) in rates.items()}
    caption = short(found.panel("disparity").caption)
    assert caption.endswith(".") and (
        f"in cells that have people, errors are smallest under {least} "
        f"({errors[least] / sum(people):.1f}) and differ least under Laplace ε=2 (by "
        f"{black_white['Laplace ε=2']:.1f})") in caption
    shown = found.panel("disparity").table
    swapped = shown[shown["method"] == "DP swapping ε=2 25% (any donor)"]
    assert swapped["error per 1,000 people, cells with people"].min() > errors[least] / sum(people)
    usual = {m.label(): m for m in methods}
    for changed in (
        sdc.ask("subgroups", study), sdc.ask("subgroups", study, as_in="das-2024-figure-3",
                                             groups="2~1,1~1"),
        sdc.ask("subgroups", study, as_in="das-2024-figure-3", g_view="one"),
        sdc.ask("subgroups", dataclasses.replace(study, domain="observed",
                                                 methods=tuple(usual.values()))),
    ):
        assert "Das et al." not in changed.panel("disparity").caption


# ---------------------------------------------------------------- the page


def test_the_page_shows_the_answer() -> None:
    app = opened(NATIONAL, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("national2019-twin")))
    assert found.headline in answer(app) and found.more in answer(app)
    for panel in found.panels:
        assert panel.title in said(app) and panel.caption in said(app)
    assert len(app.get("plotly_chart")) == 4
    assert not [b for b in app.button if b.label == "Show the national data"]


def test_other_data_offers_the_national_one() -> None:
    app = opened(TWIN, PAGE)
    assert "the papers show the national data" in said(app)
    next(b for b in app.button if b.label == "Show the national data").click().run()
    assert not app.exception
    assert link(app)["data"] == default_id("national2019")


def test_deep_link_and_one_release() -> None:
    wanted = {**NATIONAL, "g_y": "EDU", "g_x": "AGE_BIN", "g_by": "SEX", "groups": "2,1",
              "g_view": "one", "seed": "3", "m1": "geometric", "m1.epsilon": "0.5",
              "m1.postprocess": "clip", "m2": "none", "m3": "none", "m4": "none"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    one = sdc.mechanism("geometric", epsilon=0.5)
    study = sdc.Study(sdc.load_dataset("national2019-twin"), seed=3, methods=[one])
    found = sdc.ask("subgroups", study, g_y="EDU", g_x="AGE_BIN", g_by="SEX", groups="2,1",
                    g_view="one")
    assert found.headline in answer(app)
    assert "the line from age" in answer(app)


def test_a_slow_method_waits_for_its_button() -> None:
    app = opened({**TWIN, "m4": "mst", "g_by": "SEX", "groups": "1"}, PAGE)
    assert any(b.label.startswith("Run MST") for b in app.button)
    assert len(app.get("plotly_chart")) == 3


def test_a_bad_link_is_explained() -> None:
    app = opened({**TWIN, "groups": "99~1", "g_y": "RAC1P"}, PAGE)
    problems = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "groups has no '99~1'" in problems and "g_y must be one of" in problems
    assert "no line to compare" in answer(app)


def test_empty_and_tiny_groups_in_own_data() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "income": [*rng.integers(0, 5, 197), 0, 1, 2],
        "school": [*rng.integers(1, 4, 197), 1, 2, 3],
        "town": ["big"] * 197 + ["tiny"] * 3, "kind": ["a"] * 100 + ["b"] * 100,
    })
    app = uploaded(opened(TWIN, PAGE), frame)
    app.multiselect(key="url.g_by").set_value(["town", "kind"]).run()
    app.multiselect(key="url.groups").set_value(["big~a", "tiny~a", "tiny~b"]).run()
    assert not app.exception
    assert "no tiny, a with both values" in said(app)
    assert "Only 3 tiny, b" in said(app)
    assert len(app.get("plotly_chart")) == 4


def test_categories_of_own_data_can_be_put_in_order() -> None:
    rng = np.random.default_rng(2)
    schools = ["none", "school", "college", "university"]
    level = rng.integers(0, 4, 800)
    frame = pd.DataFrame({
        "education": [schools[i] for i in level], "housing": rng.choice(["own", "rent"], 800),
        "income": 20_000 + 8_000 * level + rng.normal(0, 9_000, 800),
    })
    app = uploaded(opened({**TWIN, "m4": "none"}, PAGE), frame)
    assert "income is one, one more is needed" in answer(app).lower()
    assert [b.label for b in app.button if b.label == "Show the national data"]
    app.multiselect(key="url.g_order").set_value(["education"]).run()
    assert not app.exception
    assert "merely how the data lists education" in said(app)
    app.multiselect(key="url.g_x_order").set_value(schools).run()
    app.multiselect(key="url.g_by").set_value(["housing"]).run()
    app.multiselect(key="url.groups").set_value(["own", "rent"]).run()
    assert not app.exception and not app.error
    assert "none < school < college < university" in said(app)
    assert "merely" not in said(app)
    assert link(app)["g_x_order"] == "none,school,college,university"
    assert len(app.get("plotly_chart")) == 3
    owners = int((frame["housing"] == "own").sum())
    assert f"own ({owners} people)" in answer(app)
    app.multiselect(key="url.g_x_order").set_value(["none"]).run()
    assert any("at least two" in e.value for e in app.error)
    assert "cannot be answered" in answer(app)


def test_it_starts_on_the_national_data_unless_the_reader_has_chosen() -> None:
    def went_to(page: str) -> str:
        app.switch_page(page)
        app.query_params.clear()  # as a browser does when a page is chosen in the menu
        return link(app.run())["data"]

    app = opened({}, "../pages/compare.py")
    assert link(app)["data"] == default_id("ma2019")
    assert went_to(PAGE) == default_id("national2019")
    assert went_to("../pages/sparsity.py") == default_id("ma2019")  # nobody has chosen
    app.selectbox(key="url.data").set_value("tx2019-twin").run()
    assert went_to(PAGE) == "tx2019-twin"


def test_a_line_that_turns_the_other_way_does_not_turn_less() -> None:
    found = [with_slopes("laplace", 0.8, 1.1), with_slopes("suppression", 0.7, 0.95)]
    headline, _ = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert headline.endswith(
        "flatter for men, by 20% to 30%, less or the other way for women.")
    alike = [with_slopes("laplace", 0.8, 0.9), with_slopes("suppression", 0.7, 0.95)]
    assert words.subgroup_sentences(alike, TENTH, SCHOOL)[0].endswith(", less for women.")

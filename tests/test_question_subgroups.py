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
from sdc_core.questions.subgroups import figures, words
from sdc_core.questions.subgroups.method import METHOD
from sdc_core.questions.work import Work
from sdc_core.words.groups import group_name, sized
from tests.contract import Contract
from tests.hover import hover
from tests.html_bars import aria_label, read_bars
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("s1", "s2", "s3", "s4"),
    controls=("g_y", "g_x", "g_by", "groups", "g_view"),
    columns={
        "subgroups": ("method", "group", "Income tenth", "Education", "true", "released"),
        "disparity": (
            "method", "group", "people", "released people", "true slope", "released slope",
            "change of slope, %", "error per 1,000 people", "how",
        ),
    },
    quick={"g_by": "SEX"},
)

PAGE = "../pages/subgroups.py"
NATIONAL = {"data": "national2019-twin"}
GREY, BLUE, ORANGE, PURPLE = "#8A8F98", "#2B7BBA", "#E8871E", "#8A55B8"

# ---------------------------------------------------------------- a small town, read back in full

# Rows are incomes 0, 1, 2; columns schools 1, 2, 3, 4.
TOWN = {
    "men": np.array([[60, 30, 9, 2], [20, 40, 30, 4], [3, 5, 40, 57]]),
    "women": np.array([[50, 20, 5, 0], [10, 20, 20, 9], [0, 8, 10, 40]]),
}
INCOMES, SCHOOLS = np.arange(3.0), np.arange(1.0, 5.0)
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


def line_of(table: NDArray[Any]) -> tuple[float, float]:
    """Slope and intercept through single people, by numpy."""
    y, x = (axis.ravel() for axis in np.meshgrid(INCOMES, SCHOOLS, indexing="ij"))
    slope, start = np.polyfit(np.repeat(x, table.ravel()), np.repeat(y, table.ravel()), 1)
    return float(slope), float(start)


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
    assert "No cell is off by a person or more" in found.caption


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
        names, ("Laplace", "Suppression"), ("ε=2 as drawn", "k=20 zeros kept"), strict=True
    ):
        assert text.startswith(f"<b>{title}</b>") and setting in text


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
        ("Counts off by", "men, of every 1,000"), ("Counts off by", "women, of every 1,000"),
        ("Gap between groups", "in how far slopes change, points"),
    ]
    changes = {g: [100 * change(m, g) for m in (NOISE, HIDING)] for g in TOWN}
    rates = {
        g: [1000 * misplaced(m, true) / true.sum() for m in (NOISE, HIDING)]
        for g, true in TOWN.items()
    }
    gap = abs(changes["men"][1]) - abs(changes["women"][1])
    assert gap > 0 and changes["men"][1] < 0
    expected = [
        (changes["men"], max(map(abs, changes["men"] + changes["women"])), "%"),
        (changes["women"], max(map(abs, changes["men"] + changes["women"])), "%"),
        (rates["men"], max(rates["men"] + rates["women"]), ""),
        (rates["women"], max(rates["men"] + rates["women"]), ""),
        ([0.0, gap], gap, ""),
    ]
    for drawn, (numbers, top, unit) in zip(bars, expected, strict=True):
        assert [row.label for row in drawn.rows] == [NOISE.label(), HIDING.label()]
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
        "change of slope, %", "error per 1,000 people", "how",
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
            ])
    assert next(rows, None) is None


def test_the_headline_names_the_worst_method_and_group_and_then_the_least() -> None:
    """Suppression turns the men's line by a quarter and the women's hardly."""
    assert abs(change(HIDING, "men")) > 0.2 > 0.05 > abs(change(HIDING, "women")) > 0
    before, behind = (line_of(t)[0] for t in (TOWN["men"], after(HIDING, TOWN["men"])))
    headline = asked().headline
    assert headline.startswith(
        f"After {HIDING.label()}, the line of income on school of men (300 people) is "
        f"{-100 * change(HIDING, 'men'):.0f}% less steep than in truth ({behind:.2f} instead of "
        f"{before:.2f}); for women (192 people) the line hardly changes"
    )
    rates = {g: 1000 * misplaced(HIDING, t) / t.sum() for g, t in TOWN.items()}
    assert f"{NOISE.label()} treats the lines of these groups most alike: it leaves them as they " \
           "are." in asked().more
    assert (
        f"For every 1,000 people, {HIDING.label()} puts counts off by {rates['women']:.1f} among "
        f"women and {rates['men']:.0f} among men, {rates['men'] / rates['women']:.2f} times as many"
    ) in asked().more


def test_captions_name_the_largest_error_and_the_gap() -> None:
    assert asked().panel("subgroups").caption == (
        "Each cell is the average release minus the truth, in people. The largest error: "
        f"{HIDING.label()} shows 8 too many among men with income 0, school 4 (truly 2)."
    )
    gap = 100 * (abs(change(HIDING, "men")) - abs(change(HIDING, "women")))
    caption = asked().panel("disparity").caption
    assert caption.startswith(
        f"Gap between the groups in how far the slope changes: {HIDING.label()} {gap:.1f} points "
        f"and {NOISE.label()} 0 points."
    )
    people = sum(t.sum() for t in TOWN.values())
    least = {m: 1000 * sum(misplaced(m, t) for t in TOWN.values()) / people
             for m in (NOISE, HIDING)}
    assert least[NOISE] < least[HIDING]
    assert f"smallest under {NOISE.label()} ({least[NOISE]:.1f} for every 1,000" in caption
    rates = [1000 * misplaced(NOISE, t) / t.sum() for t in TOWN.values()]
    assert f"differ least under {NOISE.label()} (by {rates[1] - rates[0]:.1f} for" in caption


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


def test_groups_are_those_chosen_in_their_order_four_at_most() -> None:
    one = asked(groups="female,male")
    assert [p["note"].split("</b>")[0] for p in panels_of(one.panel("subgroups").figures[0])] == [
        "<b>women", "<b>men"]
    assert [b.note for b in read_bars(one.panel("disparity").drawing)][:2] == ["women", "men"]
    alone = asked(groups="female")
    assert [b.title for b in read_bars(alone.panel("disparity").drawing)] == [
        "Slope changes by", "Counts off by"]  # no gap with oneself
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


def test_it_starts_as_the_papers_have_it() -> None:
    found = sdc.ask("subgroups", sdc.Study(sdc.load_dataset("national2019-twin")))
    assert not found.notices
    assert found.provenance is not None
    assert found.provenance.features == ("RAC1P", "SEX", "PINCP_DECILE", "EDU")
    table = found.panel("disparity").table
    assert list(dict.fromkeys(table["group"])) == ["White men", "Black men"]
    assert list(dict.fromkeys(table["method"])) == [
        "Laplace ε=2", "Suppression k=10 zeros kept", "DP suppression ε=2 k=10 zeros kept",
        "DP swapping ε=2 25%",
    ]
    for race, group in (("1", "White men"), ("2", "Black men")):
        people = sdc.load_dataset("national2019-twin").records
        some = people[(people["RAC1P"] == race) & (people["SEX"] == "1")
                      & (people["PINCP_DECILE"] != "N") & (people["EDU"] != "N")]
        assert set(table[table["group"] == group]["people"]) == {len(some)}


def test_the_usual_methods_fit_data_without_races() -> None:
    """Swapping by race cannot be; the first feature of the table is swapped instead."""
    found = sdc.ask("subgroups", sdc.Study(DATA))
    assert found.provenance is not None
    assert "quasi_identifiers=('sex',)" in found.provenance.methods[3]


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
    assert f"Averages of {paired.label()} are simulated." in found.panel("subgroups").caption
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
        ({"n": [1, 2] * 40, "t": list("xy") * 40}, "n is one, one more is needed",
         "If the values of t can be ranked, choose it below"),
        ({"n": [1, 2] * 40, "t": list("xy") * 40, "u": list("xy") * 40},
         "n is one, one more is needed", "choose one below under"),
        ({"n": [1, 2] * 40, "t": ["x"] * 80}, "n is one, one more is needed",
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
    assert "of men (200 people) is 25% less steep" in headline  # 0.6 instead of 0.8
    assert "women" not in headline


def test_of_three_groups_the_most_and_the_least_changed_are_named() -> None:
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
    headline, _ = words.subgroup_sentences([found], tenth, SCHOOL_ONLY)
    assert "of men (200 people) is 50% less steep" in headline
    assert "for others (200 people) the line is 15% less steep" in headline
    assert "women" not in headline


@pytest.mark.parametrize(("women", "enough"), [(99, False), (100, True)])
def test_a_hundred_people_are_enough_for_a_headline(women: int, enough: bool) -> None:
    data = table(NOBODY, [[women - 10, 0, 0], [0, 10, 0], [0, 0, 0], [0, 0, 0]])
    released = table(NOBODY, [[women - 10, 5, 0], [0, 5, 0], [0, 0, 0], [0, 0, 0]])
    headline, more = words.subgroup_sentences(results(data, released.counts), TENTH, SCHOOL)
    if enough:
        assert "of women (100 people) is 50% less steep than in truth" in headline
    else:
        assert headline.startswith("None of these groups has 100 people") and not more


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([[80, 20, 0], [20, 80, 0]], "education seems to pay 25% less for men (200 people) than "
         "it truly does (slope 0.60 instead of 0.80)"),
        ([[100, 0, 0], [0, 100, 0]], "education seems to pay 25% more for men"),
        ([[20, 80, 0], [80, 20, 0]], "of men (200 people) points the other way"),
        ([[90, 10, 0], [10, 90, 0]], "of men (200 people) hardly changes (0.80 instead of 0.80)"),
        ([[93, 7, 0], [7, 93, 0]], "education seems to pay 7.5% more for men"),
        ([[87, 13, 0], [13, 87, 0]], "education seems to pay 7.5% less for men"),
        ([[89, 11, 0], [11, 89, 0]], "of men (200 people) hardly changes (0.78 instead of 0.80)"),
    ],
)
def test_income_and_education_are_said_in_everyday_words_where_they_fit(
    after: list[list[int]], said: str
) -> None:
    data = table([[90, 10, 0], [10, 90, 0], *NOBODY[:2]], NOBODY)
    released = table([*after, *NOBODY[:2]], NOBODY)
    income = dataclasses.replace(TENTH, name="PINCP_DECILE")
    education = dataclasses.replace(SCHOOL, name="EDU")
    headline, _ = words.subgroup_sentences(results(data, released.counts), income, education)
    assert said in headline
    other, _ = words.subgroup_sentences(results(data, released.counts), education, income)
    assert "pay" not in other  # only for income on education


def test_where_income_falls_with_education_nothing_pays() -> None:
    data = table([[10, 90, 0], [90, 10, 0], *NOBODY[:2]], NOBODY)
    released = table([[20, 80, 0], [80, 20, 0], *NOBODY[:2]], NOBODY)
    income = dataclasses.replace(TENTH, name="PINCP_DECILE")
    education = dataclasses.replace(SCHOOL, name="EDU")
    headline, _ = words.subgroup_sentences(results(data, released.counts), income, education)
    assert "is 25% less steep than in truth (−0.60 instead of −0.80)" in headline


@pytest.mark.parametrize(
    ("after", "text"), [([[100, 0, 0], [0, 100, 0]], "+25%"), ([[80, 20, 0], [20, 80, 0]], "−25%")]
)
def test_a_bar_says_which_way_the_slope_changes(after: list[list[int]], text: str) -> None:
    data = table([[90, 10, 0], [10, 90, 0], *NOBODY[:2]], NOBODY)
    found = results(data, table([*after, *NOBODY[:2]], NOBODY).counts)
    slope, _, counts, _, gap = read_bars(figures.disparity_bars(found, "words"))
    assert (slope.rows[0].text, slope.rows[0].length) == (text, 100)
    assert counts.rows[0].text == "200"  # 40 of 200
    assert gap.rows[0].text == "unknown" and gap.rows[0].length == 0  # there are no women


def test_sentence_and_bar_round_a_number_alike() -> None:
    """1,168.52 errors for every 1,000: rounding twice would show 1,168."""
    data = table([[50, 50, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]], NOBODY)
    wrong = np.zeros(data.counts.size)
    wrong[0] = 116.852
    found = metrics.method_result(
        data, {"men": (0,)}, sdc.mechanism("laplace"), "exact", data.counts, wrong)
    assert "off by 1,169 among men" in words.rate_sentence(found)
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
    notes = words.group_notes(found)
    assert len(notes) == (0 if said is None else 1)
    assert said is None or said in notes[0]
    headline, _ = words.subgroup_sentences(found, TENTH, SCHOOL)
    assert "of men (160 people)" in headline
    men, others = panels_of(drawn(found))
    assert {"true line", "released line"} <= set(men)
    assert ("true line" in others) == (len(np.flatnonzero(np.sum(women, axis=0)[:2])) == 2)
    assert "slope no line →" in others["note"] or "true line" in others


def test_a_group_that_never_was_is_not_said_to_be_gone() -> None:
    data = table([[60, 20, 0], [20, 20, 0], [0, 40, 0], [0, 0, 0]], NOBODY)
    (note,) = words.group_notes(results(data, data.counts.astype(float)))
    assert note.startswith("There are no women")


def test_a_group_that_is_gone_after_release_is_said() -> None:
    released = TOY.counts.reshape(2, 4, 3).astype(float)
    released[1] = 0
    found = results(TOY, released.ravel())
    assert words.group_notes(found)[-1] == (
        "After Laplace ε=1 nobody is left among women, so there is no released line.")
    bars = read_bars(figures.disparity_bars(found, "words"))
    assert [b.rows[0].text for b in bars] == ["0%", "unknown", "0", "1,000", "unknown"]
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
    assert "9 too many among men with lowest, little (truly 1)" in words.heat_sentence(
        found, True, SCHOOL_ONLY, mixed)


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
    ratio = words.papers_sentence(errors_of(laplace=(4, 4), suppression=(1, 1.5)))
    assert "least under Suppression k=6 (by 250 for" in ratio
    assert "by ratio under Laplace ε=1 (2 times)" in ratio
    one = words.papers_sentence([
        dataclasses.replace(r, groups=r.groups[:1]) for r in three])
    assert "differ" not in one and "smallest under Geometric ε=1 (125 for" in one
    assert words.papers_sentence(three[:2]) == "" == words.papers_sentence(three[2:])


def test_synthetic_data_is_not_taken_for_noise() -> None:
    """AIM is of the DP family, but what it publishes is drawn from a model."""
    assert words.papers_sentence(errors_of(aim=(1, 1), suppression=(2, 2))) == ""
    said = words.papers_sentence(errors_of(laplace=(2, 2), aim=(4, 4)))
    assert "smallest under Laplace ε=1 (333 for" in said
    behind = words.papers_sentence(errors_of(laplace=(2, 2), aim=(1, 1)))
    assert "(167 for every 1,000 people, against 333 under Laplace ε=1)" in behind


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


def test_the_gentlest_method_is_named_with_its_largest_change() -> None:
    """One method halves the men's slope; the other makes it 20% and the women's 19% steeper."""
    (same,) = results(Histogram(50 * TOY.counts, DOMAIN), 50.0 * TOY.counts)
    men, women = same.groups
    assert men.true_line is not None and women.true_line is not None

    def with_slopes(name: str, *shares: float) -> metrics.MethodResult:
        return metrics.MethodResult(sdc.mechanism(name), "exact", tuple(
            dataclasses.replace(g, released_line=metrics.Line(share * line.slope, 0.0))
            for g, share, line in ((men, shares[0], men.true_line),
                                   (women, shares[1], women.true_line))
        ))

    hard, gentle = with_slopes("suppression", 0.5, 1.0), with_slopes("laplace", 1.2, 1.19)
    headline, more = words.subgroup_sentences([gentle, hard], TENTH, SCHOOL)
    assert headline.startswith("After Suppression k=6, ")
    assert more.startswith("Laplace ε=1 treats the lines of these groups most alike: it changes no "
                           "slope by more than 20%.")
    slight = with_slopes("laplace", 1.004, 1.0)
    assert "changes no slope by more than 0.4%" in words.subgroup_sentences(
        [slight, hard], TENTH, SCHOOL)[1]
    assert "most alike" not in words.subgroup_sentences([hard], TENTH, SCHOOL)[1]


def test_the_widest_gap_comes_first() -> None:
    (same,) = results(TOY, TOY.counts.astype(float))
    assert same.groups[0].true_line is not None
    half = dataclasses.replace(same.groups[0], released_line=metrics.Line(
        0.5 * same.groups[0].true_line.slope, 0.0))
    apart = metrics.MethodResult(sdc.mechanism("suppression"), "exact", (half, same.groups[1]))
    assert words.disparity_sentence([same, apart]).endswith(
        "slope changes: Suppression k=6 50 points and Laplace ε=1 0 points.")


def test_a_level_line_has_no_sign() -> None:
    assert [words.slope_text(s) for s in (-0.004, 0.0, 0.004, -0.006, -1.0)] == [
        "0.00", "0.00", "0.00", "−0.01", "−1.00"]


def test_only_one_paper_swaps() -> None:
    (text,) = [line for line in METHOD.split("- ") if line.startswith("**In the papers")]
    assert "only the former have DP swapping, with a swap rate of 25%" in " ".join(text.split())


def test_the_papers_findings_on_the_national_data(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Unlike in the paper, suppression that leaves zeros alone puts fewer people in the wrong place
    than Laplace, which the caption says. Suppression's error from the records alone: half of
    k = 10 for every count of 1 to 9."""
    data = real_data("national2019")
    men = data.records[data.records["SEX"] == "1"]
    rates, people = {}, {}
    for group, race in (("White men", "1"), ("Black men", "2")):
        some = men[(men["RAC1P"] == race) & (men["PINCP_DECILE"] != "N") & (men["EDU"] != "N")]
        counts = some.groupby(["PINCP_DECILE", "EDU"], observed=True).size().to_numpy()
        rates[group] = np.abs(5 - counts[(counts > 0) & (counts < 10)]).sum()
        people[group] = len(some)
    found = sdc.ask("subgroups", sdc.Study(data))
    overall = 1000 * sum(rates.values()) / sum(people.values())
    caption = found.panel("disparity").caption
    assert f"smallest under Suppression k=10 zeros kept ({overall:.1f} for every" in caption
    assert "differ least under Laplace ε=2 (by" in caption
    assert "by ratio under DP swapping ε=2 25% (" in caption
    shown = found.panel("disparity").table
    mine = shown[shown["method"] == "Suppression k=10 zeros kept"].set_index("group")
    for group in rates:
        assert mine.loc[group, "error per 1,000 people"] == pytest.approx(
            1000 * rates[group] / people[group])


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
              "g_view": "one", "seed": "3", "s1": "geometric", "s1.epsilon": "0.5", "s2": "none",
              "s3": "none", "s4": "none"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    one = sdc.mechanism("geometric", epsilon=0.5)
    study = sdc.Study(sdc.load_dataset("national2019-twin"), seed=3, methods=[one])
    found = sdc.ask("subgroups", study, g_y="EDU", g_x="AGE_BIN", g_by="SEX", groups="2,1",
                    g_view="one")
    assert found.headline in answer(app)
    assert "of education on age" in answer(app)


def test_a_slow_method_waits_for_its_button() -> None:
    app = opened({**TWIN, "s4": "mst", "g_by": "SEX", "groups": "1"}, PAGE)
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
    app = uploaded(opened({**TWIN, "s4": "none"}, PAGE), frame)
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

    app = opened()
    assert link(app)["data"] == default_id("ma2019")
    assert went_to(PAGE) == default_id("national2019")
    assert went_to("../pages/sparsity.py") == default_id("ma2019")  # nobody has chosen
    app.selectbox(key="url.data").set_value("tx2019-twin").run()
    assert went_to(PAGE) == "tx2019-twin"

"""The Map's answer read back: its numbers against those worked out by hand from the counts, what it
is drawn on, and what each control changes."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.geography import read_boundary_file, sources
from sdc_core.metrics.areas import MEASURES
from sdc_core.questions import question
from sdc_core.questions.answer import Answer
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.map_towns import (
    DP_HIDES,
    HIDES,
    TOWNS,
    UNITS,
    asked,
    by_hand,
    cells,
    figure,
    filled,
    people,
    squares,
    study,
    trace,
    views,
)

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("map1", "map2"),
    controls=("map_measure", "map_count", "map_place", "map_view"),
    columns={
        "map": ("place", "code", "people", "<method>, people", "difference"),
    },
)

# --- the numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("measure", list(MEASURES))
@pytest.mark.parametrize("features", [("sex", "home"), ("sex", "town", "home")])
def test_every_place_has_its_own_numbers(measure: str, features: tuple[str, ...]) -> None:
    """Wherever the area stands among the features, and where it does not."""
    table = sdc.ask("map", study(features), map_measure=measure).panel("map").table
    first, second = (f"{n}. {m}, {UNITS[measure]}" for n, m in ((1, HIDES), (2, DP_HIDES)))
    assert list(table) == ["place", "code", "people", first, second, "difference"]
    expected = by_hand(measure)
    order = sorted(TOWNS, key=lambda town: -max(map(abs, expected[town])))
    assert table["place"].tolist() == table["code"].tolist() == order
    assert table["people"].tolist() == [{"Aston": 30, "Barton": 13, "Corby": 55}[t] for t in order]
    for row, town in zip(table.itertuples(index=False), order, strict=True):
        assert row[3:5] == pytest.approx(expected[town])
        assert row[5] == pytest.approx(expected[town][1] - expected[town][0])


@pytest.mark.parametrize("measure", list(MEASURES))
def test_people_represented(measure: str) -> None:
    """Errors count as the people that a record stands for; a share of counts does not change."""
    found = asked(map_measure=measure, map_count="weighted")
    table = found.panel("map").table.set_index("place")
    expected, share = by_hand(measure, weighted=True), measure == "hidden_share"
    plain, heavy = people().groupby("town").size(), people().groupby("town")["PWGTP"].sum()
    for town in TOWNS:
        assert table.loc[town].iloc[2:4].tolist() == pytest.approx(expected[town])
        assert table.loc[town, "people"] == round(plain[town] if share else heavy[town])
    assert all("(weighted)" in c for c in table.columns[2:4]) != share
    caption = found.panel("map-view").caption
    total = f"{people()['PWGTP'].sum():,.0f} people in all"
    assert (total in caption and "PWGTP" in caption) != share
    kind = "people counted" if share else "people represented"
    hover = trace(figure(found, "first"), "places").text
    assert all(text.endswith(kind) for text in hover)


@pytest.mark.parametrize(
    "group", [{}, {"home": "rent"}, {"home": "rent", "sex": "m"}, {"sex": "f"}])
def test_one_group_too_high_or_too_low(group: dict[str, str]) -> None:
    controls = {f"map_group.{name}": value for name, value in group.items()}
    found = asked(map_measure="group_bias", **controls)
    table = found.panel("map").table.set_index("place")
    expected = by_hand("group_bias", group)
    counted = cells()
    for name, value in group.items():
        counted = counted[counted[name] == value]
    members = counted.groupby("town")["count"].sum()
    who = ", ".join(group[f] for f in ("sex", "home") if f in group)  # in the table's order
    hover = dict(zip(found.panel("map-first").pick.texts, trace(
        figure(found, "first"), "places").text, strict=True))
    for town in TOWNS:
        assert table.loc[town].tolist()[-3:-1] == pytest.approx(expected[town])
        if group:
            assert table.loc[town, who] == members[town]
            assert hover[town].endswith(f"<br>{members[town]} of them {who}")
        else:
            assert "of them" not in hover[town]
    said = f"people counted as {who}" if group else "over all groups of people"
    assert said in found.headline.replace("Over", "over")


def test_in_the_census_the_group_is_black_renters() -> None:
    twin = sdc.Study(sdc.load_dataset("ma2019-twin"), ("RAC1P", "OWN_RENT"))
    by_itself = sdc.ask("map", twin, map_measure="group_bias")
    chosen = sdc.ask("map", twin, {"map_group.RAC1P": "2", "map_group.OWN_RENT": "2"},
                     map_measure="group_bias")
    assert "people counted as Black, renting" in by_itself.headline
    assert by_itself.headline == chosen.headline
    anybody = sdc.ask("map", twin, {"map_group.RAC1P": "*", "map_group.OWN_RENT": "*"},
                      map_measure="group_bias")
    assert "over all groups of people, " in anybody.headline


def test_the_headline_compares_the_two_and_tells_the_other_epsilon() -> None:
    """The first hides whatever is below 5 and is worse where that is more than the second does."""
    now, then = by_hand("l1_bias"), by_hand("l1_bias", epsilon=4.0)
    for numbers in (now, then):
        worse = [town for town in TOWNS if numbers[town][0] - numbers[town][1] >= 0.5]
        better = [town for town in TOWNS if numbers[town][1] - numbers[town][0] >= 0.5]
        assert (worse, better) == (["Aston", "Barton"], ["Corby"])
    found = asked()
    assert found.headline == (
        f"{HIDES} is worse than {DP_HIDES} in 2 of 3 places, better in 1; the gap is widest in "
        f"Barton ({now['Barton'][0]:g} people off instead of {now['Barton'][1]:.2f})."
    )
    fours = DP_HIDES.replace("ε=1", "ε=4")
    assert found.more == (
        f"{HIDES} is off by {then['Barton'][0]:g} people there and {fours} by "
        f"{then['Barton'][1]:.2f}; {HIDES} is worse than {fours} in 2 of 3 places, better in 1."
    )
    pinned = asked(map_place="Corby")
    assert pinned.headline.startswith(f"{HIDES} is off by 0 people in Corby and {DP_HIDES} by ")
    assert f"{fours} by {then['Corby'][1]:.2f}" in pinned.more


def test_who_in_the_pinned_place() -> None:
    found = asked(map_place="Barton")
    panel = found.panel("map-cells")
    assert panel.title == "Who in Barton?"
    assert list(panel.table) == ["who", "true count", f"1. {HIDES}", f"2. {DP_HIDES}"]
    here = cells()[cells()["town"] == "Barton"].set_index(["sex", "home"])
    assert panel.table["true count"].tolist() == [4, 4, 4, 1]  # the worst first
    for row in panel.table.itertuples(index=False):
        cell = here.loc[tuple(row[0].split(", "))]
        assert row[1] == cell["count"]
        assert row[2:4] == pytest.approx((cell["bias 1"], cell["bias 2"]))
    aston = asked(map_place="Aston").panel("map-cells").table
    assert aston["true count"].tolist()[-1] == 0  # whoever is not there comes last
    assert aston["who"].tolist()[-1] == "m, rent"
    looks = panel.drawing.looks
    assert set(looks) == {f"1. {HIDES}", f"2. {DP_HIDES}"}
    assert all(look.format == "%+.2f" and "minus true" in look.help for look in looks.values())
    assert "map-cells" not in [p.name for p in asked().panels]


# --- what it is drawn on ---------------------------------------------------------------------


def test_which_view_is_the_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    assert "Worst place on top." in views(sdc.ask("map", study()))  # nobody knows these towns
    census = sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX",))
    assert "Schematic boundaries." in views(sdc.ask("map", census))
    pumas = people().replace({"town": {"Aston": "25-00503", "Barton": "25-00703",
                                       "Corby": "25-01000"}})
    known = study(("PUMA", "sex"), records=pumas.rename(columns={"town": "PUMA"}))
    assert "Schematic boundaries." in views(sdc.ask("map", known))
    path = tmp_path / "towns.geojson"
    path.write_bytes(squares(TOWNS))
    mine = sdc.ask("map", study(), map_boundaries=str(path))
    assert "Boundaries from towns.geojson." in views(mine)
    assert len(filled(figure(mine, "first"))) == 3


def test_files_are_told_apart_and_one_that_comes_later_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.setattr(sources, "GEO_DIRECTORY", tmp_path)
    bundled = Path(__file__).parents[1] / "data" / "geo"
    for name in (sources.SCHEMATIC, sources.OUTLINE):
        shutil.copy(bundled / name, tmp_path / name)
    work, census = Work(), sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX",))
    codes = list(census.dataset.coded("PUMA")[1].values)

    def asked_again(**controls: Any) -> Answer:
        return sdc.ask("map", census, controls, work=work)

    assert "Schematic boundaries." in views(asked_again())
    official = tmp_path / "official-2019.geojson"
    official.write_bytes(squares(codes))
    later = asked_again()
    assert "US Census Bureau boundaries 2019." in views(later)
    official.write_bytes(squares(codes[:-1]))
    os.utime(official, ns=(1, 1))
    assert len(filled(figure(asked_again(), "first"))) == 5  # not all are in it: the next has them
    assert "Schematic boundaries." in views(asked_again())
    official.unlink()
    for name, some in (("a.json", codes), ("b.json", codes[:3])):
        file = read_boundary_file(name, squares(some))
        found = asked_again(map_boundaries=file)
        assert f"Boundaries from {name}." in views(found)
        assert sorted(filled(figure(found, "first"))) == sorted(some)
    assert "2 of 5 areas are missing" in views(found)
    assert "Schematic boundaries." in views(asked_again())


def test_places_without_shapes_are_bars_with_the_reason() -> None:
    found = asked("map")
    (notice,) = found.panel("map-view").notices
    assert notice.tone == "warning" and "no boundaries for 'Aston' and 2 other areas" in notice.text
    assert found.panel("map").figures and "map-first" not in [p.name for p in found.panels]
    assert found.headline == asked("bars").headline


# --- what else can be chosen -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "meaning"),
    [
        ("l1_bias", "too many or too few the average release shows, added up over a place's groups "
                    "(‖bias‖₁)."),
        ("group_bias", "too high (+) or too low (−) the average release puts a count of the chosen "
                       "group (mean bias)."),
        ("error_rate", "a single release shows, added up over a place's groups, for every 1,000 "
                       "people who live there (1000 E‖x̃ − x‖₁ / n)."),
        ("hidden_share", "of a place's groups that have people are hidden, in percent (share "
                         "suppressed)."),
    ],
)
def test_the_caption_says_what_is_shown(measure: str, meaning: str) -> None:
    said = views(asked(map_measure=measure))
    assert f"{meaning} " in said and "Equal tiles, no map. Numbers are exact" in said
    counted = "survey weights play no part" if measure == "hidden_share" else "(98 in all)"
    assert counted in said


def test_own_data_can_have_its_area_in_any_column() -> None:
    found = sdc.ask("map", study(), map_area="home", map_view="tiles")
    assert set(found.panel("map").table["place"]) == {"own", "rent"}
    alone = people()[["home", "sex"]]
    assert set(sdc.ask("map", study(("sex",), records=alone)).panel("map").table["place"]) == {
        "f", "m"}  # no column reads like a place: the first that is counted by
    with pytest.raises(InputError, match="no control 'map_area'"):
        sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX",)), map_area="SEX")


def test_what_is_kept_depends_on_all_that_it_is_made_of() -> None:
    """One visit, several studies: nothing may be taken from before."""
    work = Work()
    doubled = people().assign(PWGTP=people()["PWGTP"] * 2)

    def people_in(records: pd.DataFrame, **controls: Any) -> list[int]:
        found = sdc.ask("map", study(records=records), controls, work=work, map_count="weighted")
        return sorted(found.panel("map").table["people"])

    once = people_in(people())
    assert people_in(doubled) == [2 * n for n in once]
    homes = people().groupby("home")["PWGTP"].sum()
    assert people_in(people(), map_area="home") == sorted(round(n) for n in homes)


def test_weights_fit_a_table_over_the_whole_dictionary() -> None:
    twin = sdc.load_dataset("ma2019-twin")
    whole = sdc.Study(twin, ("RAC1P", "SEX"), domain="dictionary")
    found = sdc.ask("map", whole, map_count="weighted").panel("map").table.set_index("code")
    sums = twin.records.assign(PUMA=twin.records["PUMA"].astype(str)).groupby("PUMA")["PWGTP"].sum()
    assert found["people"].to_dict() == sums.round().astype(int).to_dict()


def test_weights_that_are_none_are_said_and_persons_counted() -> None:
    records = people()
    records.loc[3, "PWGTP"] = np.nan
    found = sdc.ask("map", study(records=records), map_count="weighted")
    (notice,) = found.notices
    assert notice.tone == "error" and "PWGTP must be a number" in notice.text
    assert found.panel("map").table["people"].sum() == 98
    with pytest.raises(InputError, match="no control 'map_count'"):
        sdc.ask("map", study(records=people().drop(columns="PWGTP")), map_count="weighted")


def test_a_third_method_is_left_out_by_name() -> None:
    methods = [sdc.mechanism("suppression", k=k) for k in (5, 3, 9, 8)]
    found = sdc.ask("map", study(methods=methods))
    (notice,) = found.notices
    assert notice.text.endswith("Suppression k=9 and Suppression k=8 are left out.")
    assert list(found.panel("map").table)[3:5] == [
        "1. Suppression k=5, people", "2. Suppression k=3, people"]
    (notice,) = sdc.ask("map", study(methods=methods[:3])).notices
    assert notice.text.endswith("Suppression k=9 is left out.")
    assert sdc.ask("map", study(methods=methods[:2])).notices == ()


def test_without_a_method_there_is_nothing_to_see() -> None:
    none = sdc.ask("map", sdc.Study(sdc.load_dataset(people()), ("sex",), methods=[]))
    assert none.headline.startswith("Choose a method") and none.panels == ()


def test_how_the_numbers_came_about_is_said_for_each_method() -> None:
    """What is known exactly is not called simulated: a permutation's mean, not its spread."""
    methods = [sdc.mechanism("laplace", epsilon=1.0),
               sdc.mechanism("permutation-swapping", match=("sex",), swap=("town",))]
    both = sdc.Study(sdc.load_dataset(people()), ("town", "sex"), seed=3, methods=methods)
    assert "Numbers are exact, not simulated." in views(sdc.ask("map", both))
    spread = views(sdc.ask("map", both, map_measure="error_rate"))
    assert "Laplace ε=1: exact; " in spread and "mean of 200 releases (seed 3)." in spread
    assert "too large" not in spread
    drawn = sdc.Study(both.dataset, ("town", "sex"), methods=[
        sdc.mechanism("swapping", quasi_identifiers=("sex",), paired=True)])
    assert "systematic error come out too large" in views(sdc.ask("map", drawn))
    assert "exact" in views(sdc.ask("map", drawn, map_measure="hidden_share"))


def test_the_code_gives_the_same_answer() -> None:
    twin = sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX", "RAC1P"))
    found = sdc.ask("map", twin, {"map_group.SEX": "2"}, map_measure="group_bias",
                    map_place="25-02800", map_view="bars")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(found.code, {})  # noqa: S102
    assert printed.getvalue() == f"{found}\n"


def test_questions_load_without_the_libraries_for_shapes() -> None:
    """They take a second, and the app and the command line start with all questions."""
    script = (
        "import sys, sdc_core.questions; "
        "print([m for m in ('geopandas', 'shapely', 'pyogrio', 'pyproj') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                         cwd=Path(__file__).parents[1])
    assert run.stdout.strip() == "[]"


def test_the_paper_is_cited_for_what_it_says() -> None:
    text = " ".join(question("map").method.split())
    assert "§3.4 says that suppression does not touch them" in text
    assert any("P2" in source and "Figure 3" in source for source in question("map").sources)

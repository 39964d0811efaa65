"""The Map's answer read back: its numbers against those worked out by hand from the counts, what it
is drawn on, and what each control changes."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
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
    SPLIT,
    TITLES,
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
from tests.shorthand import shortened

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("map_one", "map_other", "map_measure", "map_place", "map_view"),
    columns={
        "map": (
            "place", "code", "people", "% of all people", "<method>, error of a release, people",
            "difference", "<method>, people put into empty groups",
        ),
    },
    fewer={"map.REPETITIONS": 20},
)

# --- the numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("measure", list(MEASURES))
@pytest.mark.parametrize("features", [("sex", "home"), ("sex", "town", "home")])
@pytest.mark.parametrize("empty", ["left", "treated"])
def test_every_place_has_its_own_numbers(
    measure: str, features: tuple[str, ...], empty: str
) -> None:
    """Wherever the area stands among the features, and where it does not."""
    asking = study(features, empty=empty)
    table = sdc.ask("map", asking, map_measure=measure).panel("map").table
    shown = f"{TITLES[measure][0].lower()}{TITLES[measure][1:]}, {UNITS[measure]}"
    first, second = (f"{n}. {m}, {shown}" for n, m in ((1, HIDES), (2, DP_HIDES)))
    beside = [f"{n}. {m}, people put into empty groups" for n, m in ((1, HIDES), (2, DP_HIDES))]
    assert list(table) == ["place", "code", "people", "% of all people", first, second,
                           "difference", *(beside if measure in SPLIT else [])]
    expected, invented = by_hand(measure, empty=empty), by_hand("invented", empty=empty)
    order = sorted(TOWNS, key=lambda town: -max(map(abs, expected[town])))
    assert table["place"].tolist() == table["code"].tolist() == order
    living = {"Aston": 30, "Barton": 13, "Corby": 55}
    assert table["people"].tolist() == [living[t] for t in order]
    assert table["% of all people"].tolist() == pytest.approx(
        [100 * living[t] / 98 for t in order])
    for row, town in zip(table.itertuples(index=False), order, strict=True):
        assert row[4:6] == pytest.approx(expected[town])
        assert row[6] == pytest.approx(expected[town][1] - expected[town][0])
        if measure in SPLIT:
            assert row[7:9] == pytest.approx(invented[town])
    assert (invented["Aston"][0] > 0) == (empty == "treated") and invented["Corby"] == (0, 0)


@pytest.mark.parametrize("measure", list(MEASURES))
def test_people_represented(measure: str) -> None:
    """Errors count as the people that a record stands for; a share of counts does not change."""
    found = asked(map_measure=measure, counted="represented")
    table = found.panel("map").table.set_index("place")
    expected, share = by_hand(measure, weighted=True), measure == "hidden_share"
    plain, heavy = people().groupby("town").size(), people().groupby("town")["PWGTP"].sum()
    for town in TOWNS:
        assert table.loc[town].iloc[3:5].tolist() == pytest.approx(expected[town])
        if measure in SPLIT:
            assert table.loc[town].iloc[6:8].tolist() == pytest.approx(
                by_hand("invented", weighted=True)[town])
        assert table.loc[town, "people"] == round(plain[town] if share else heavy[town])
    assert all("people represented" in c for c in table.columns[3:5]) != share
    caption = found.panel("map-view").caption
    total = f"{people()['PWGTP'].sum():,.0f} people in all"
    assert (total in caption and "PWGTP" in caption) != share
    kind = "people counted" if share else "people represented"
    hover = trace(figure(found, "first"), "places").text
    counted = plain if share else heavy
    for town, text in zip(found.panel("map-first").pick.texts, hover, strict=True):
        said, whole = f"{counted[town]:,.0f} {kind}, ", 100 * counted[town] / counted.sum()
        assert float(text.split(said)[1].removesuffix("% of all")) == pytest.approx(whole, rel=0.01)


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
        numbers = table.loc[town, [c for c in table if "too high" in c]].tolist()
        assert numbers == pytest.approx(expected[town])
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
    records = twin.dataset.records.astype(str)
    black = records[(records["RAC1P"] == "2") & (records["OWN_RENT"] == "2")]
    living = black.groupby("PUMA", observed=True).size()
    assert by_itself.panel("map").table.set_index("code")["Black, renting"].to_dict() == {
        place: living.get(place, 0) for place in sorted(records["PUMA"].unique())}
    assert by_itself.headline == chosen.headline
    anybody = sdc.ask("map", twin, {"map_group.RAC1P": "*", "map_group.OWN_RENT": "*"},
                      map_measure="group_bias")
    assert "over all groups of people" in anybody.headline.lower()


def test_the_headline_compares_the_two_and_tells_the_other_epsilon() -> None:
    """The first hides whatever is below 5 and is worse where that is more than the second does.
    Whom they invent is a sentence of its own: in Aston one group has nobody."""
    now, then = by_hand("people_error"), by_hand("people_error", epsilon=4.0)
    for numbers in (now, then):
        worse = [town for town in TOWNS if numbers[town][0] - numbers[town][1] >= 0.5]
        better = [town for town in TOWNS if numbers[town][1] - numbers[town][0] >= 0.5]
        assert (worse, better) == (["Barton"], ["Corby"])
    assert now["Barton"][0] - now["Barton"][1] > now["Corby"][1] - now["Corby"][0]
    found = asked()
    assert found.headline == (
        f"In groups that have people, {HIDES} is worse than {DP_HIDES} in 1 of 3 places, better in "
        "1, about alike in 1."
    )
    widest = (
        f"The gap is widest in Barton ({now['Barton'][0]:g} people off instead of "
        f"{now['Barton'][1]:.2f})."
    )
    fours = DP_HIDES.replace("ε=1", "ε=4")
    aston = by_hand("invented")["Aston"]
    invented = (
        f"In Aston, {HIDES} also puts {aston[0]:g} people into groups that have nobody, and "
        f"{DP_HIDES} puts {aston[1]:.2f} people there."
    )
    rest = (
        f"With a larger ε, in groups that have people, {HIDES} is off by "
        f"{then['Barton'][0]:g} people there and {fours} "
        f"by {then['Barton'][1]:.2f}; {HIDES} is worse than {fours} in 1 of 3 places, better in 1, "
        "about alike in 1."
    )
    assert found.more == f"{widest} {invented} {rest}"  # Barton has no empty group
    assert asked(empty="left").more == f"{widest} {rest}"
    assert asked(empty="left").headline == found.headline
    pinned = asked(map_place="Corby")
    assert pinned.headline.startswith(
        f"In groups that have people, {HIDES} is off by 0 people in Corby and {DP_HIDES} by ")
    assert f"{fours} by {then['Corby'][1]:.2f}" in pinned.more
    assert invented in asked(map_place="Aston").more


def test_what_stays_on_average_is_told_where_noise_cancels() -> None:
    """Noise of 2 a count in four groups with people a town, or three, against hiding; on average
    noise as drawn is off by nothing."""
    noise = sdc.mechanism("laplace", epsilon=1, postprocess="none")
    hides = sdc.mechanism("suppression", k=5)
    found = shortened(sdc.ask("map", study(methods=[noise, hides])))
    assert {t: v[0] for t, v in by_hand("people_error").items()} == {
        "Aston": 1, "Barton": 7, "Corby": 0}
    assert found.headline.startswith(
        "In groups that have people, Laplace ε=1 as drawn is worse than Suppression k=5 in all 3 "
        "places; the gap is widest in Corby (8 people off instead of 0).")
    assert ("Averaged over many releases, again without empty groups, Suppression k=5 is worse "
            "than Laplace ε=1 as drawn in 2 of 3 places, about alike in 1.") in found.more
    for measure in MEASURES:
        told = "Averaged over" in sdc.ask("map", study(methods=[noise, hides]),
                                          map_measure=measure).more
        assert told == (measure in ("people_error", "error_rate"))
    assert "Averaged over" not in asked().more  # nothing cancels there


def test_who_in_the_pinned_place() -> None:
    found = asked(map_place="Barton")
    panel = found.panel("map-cells")
    assert panel.title == "Who in Barton?"
    assert list(panel.table) == [
        "who", "true count", "% of the place", f"1. {HIDES}", f"2. {DP_HIDES}"]
    assert panel.table["% of the place"].tolist() == pytest.approx(
        [100 * n / 13 for n in (4, 4, 4, 1)])
    here = cells()[cells()["town"] == "Barton"].set_index(["sex", "home"])
    assert panel.table["true count"].tolist() == [4, 4, 4, 1]  # the worst first
    for row in panel.table.itertuples(index=False):
        cell = here.loc[tuple(row[0].split(", "))]
        assert row[1] == cell["count"]
        assert row[3:5] == pytest.approx((cell["bias 1"], cell["bias 2"]))
    aston = asked(map_place="Aston").panel("map-cells").table
    assert aston["true count"].tolist()[-1] == 0  # whoever is not there comes last
    assert aston["who"].tolist()[-1] == "m, rent"
    looks = panel.drawing.looks
    assert set(looks) == {"% of the place", f"1. {HIDES}", f"2. {DP_HIDES}"}
    assert all(looks[m].format == "%+.2f" and "minus true" in looks[m].help
               for m in (f"1. {HIDES}", f"2. {DP_HIDES}"))
    assert "groups with people first, the largest error of these on top. " in panel.caption
    assert panel.caption.endswith("into a group with a true count of 0 is invented.")
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
    monkeypatch.setattr(sources, "OFFICIAL_DIRECTORY", tmp_path)
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
        ("people_error", "too many or too few a single release shows, added up over a place's "
                         "groups that have people (E Σ|x̃ − x|, x > 0)."),
        ("people_bias", "too many or too few the average release shows, added up over a place's "
                        "groups that have people (Σ|bias|, x > 0)."),
        ("invented", "the average release puts into a place's groups that have nobody (Σ bias, x = "
                     "0)."),
        ("l1_bias", "added up over all of a place's groups, those that have nobody included "
                    "(‖bias‖₁)."),
        ("group_bias", "too high (+) or too low (−) the average release puts the counts of the "
                       "chosen group that have people, on balance: one too high makes up for one "
                       "too low (mean bias, x > 0)."),
        ("error_rate", "a single release shows, added up over a place's groups that have people, "
                       "for every 1,000 people who live there (1000 E Σ|x̃ − x| / n, x > 0)."),
        ("hidden_share", "of a place's groups that have people are hidden, in percent (share "
                         "suppressed)."),
    ],
)
def test_the_caption_says_what_is_shown(measure: str, meaning: str) -> None:
    said = views(asked(map_measure=measure))
    assert f"{meaning} " in said and "Equal tiles, no map. Numbers are exact" in said
    apart = "Invented are people who are put into groups that have nobody"
    assert (f"{apart}; they are counted apart. " in said) == (
        measure in SPLIT and measure != "l1_bias")
    assert (apart in said) == (measure in SPLIT)
    counted = "survey weights play no part" if measure == "hidden_share" else "(98 in all)"
    assert counted in said


def test_own_data_can_have_its_area_in_any_column() -> None:
    found = sdc.ask("map", study(), map_area="home", map_view="tiles")
    assert set(found.panel("map").table["place"]) == {"own", "rent"}


def test_no_column_is_taken_for_the_place_that_is_none() -> None:
    """Neither sex nor home is where people live: whoever reads has to say."""
    alone = people()[["home", "sex"]]
    found = sdc.ask("map", study(("sex",), records=alone))
    assert found.headline == "No column of this data is known to say where people live."
    assert "Choose the area column" in found.more and found.panels == ()
    assert found.provenance is not None and found.provenance.controls["map_area"] == ""
    assert found.provenance.features == ("sex",)  # not counted by anything else meanwhile
    chosen = sdc.ask("map", study(("sex",), records=alone), map_area="home")
    assert set(chosen.panel("map").table["place"]) == {"own", "rent"}
    with pytest.raises(InputError, match="no control 'map_area'"):
        sdc.ask("map", sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX",)), map_area="SEX")


def test_what_is_kept_depends_on_all_that_it_is_made_of() -> None:
    """One visit, several studies: nothing may be taken from before."""
    work = Work()
    doubled = people().assign(PWGTP=people()["PWGTP"] * 2)

    def people_in(records: pd.DataFrame, **controls: Any) -> list[int]:
        weighted = study(records=records, counted="represented")
        found = sdc.ask("map", weighted, controls, work=work)
        return sorted(found.panel("map").table["people"])

    once = people_in(people())
    assert people_in(doubled) == [2 * n for n in once]
    homes = people().groupby("home")["PWGTP"].sum()
    assert people_in(people(), map_area="home") == sorted(round(n) for n in homes)


def test_weights_fit_a_table_over_the_whole_dictionary() -> None:
    twin = sdc.load_dataset("ma2019-twin")
    whole = sdc.Study(twin, ("RAC1P", "SEX"), domain="dictionary", counted_as="represented")
    found = sdc.ask("map", whole).panel("map").table.set_index("code")
    sums = twin.records.assign(PUMA=twin.records["PUMA"].astype(str)).groupby("PUMA")["PWGTP"].sum()
    assert found["people"].to_dict() == sums.round().astype(int).to_dict()


def test_weights_that_are_none_are_refused_in_a_sentence() -> None:
    records = people()
    records.loc[3, "PWGTP"] = np.nan
    with pytest.raises(InputError, match=r"PWGTP must be a number.*Count records instead"):
        sdc.ask("map", study(records=records, counted="represented"))
    without = people().drop(columns="PWGTP")
    with pytest.raises(InputError, match=r"no weight column.*Count records, or give"):
        sdc.ask("map", study(records=without, counted="represented"))


def test_two_of_several_methods_are_compared() -> None:
    """The first and the last, unless others are chosen."""
    methods = [sdc.mechanism("suppression", k=k) for k in (5, 3, 9, 8)]

    def compared(number: int, **chosen: str) -> list[str]:
        found = sdc.ask("map", study(methods=methods[:number]), chosen)
        columns = [c for c in found.panel("map").table if c.endswith("release, people")]
        return [c.split(",")[0] for c in columns]

    assert compared(4) == ["1. Suppression k=5", "2. Suppression k=8"]
    assert compared(3) == ["1. Suppression k=5", "2. Suppression k=9"]
    assert compared(4, map_one="3", map_other="2") == ["1. Suppression k=9", "2. Suppression k=3"]
    assert compared(4, map_one="3", map_other="3") == ["1. Suppression k=9"]
    assert compared(2) == ["1. Suppression k=5", "2. Suppression k=3"]
    with pytest.raises(InputError, match="no control 'map_one'"):
        compared(2, map_one="1")


def test_the_papers_figure_is_a_preset_and_hangs_on_one_reading(
    real_data: Callable[[str], sdc.Dataset],
) -> None:
    """P2 Figure 3: Laplace and DP suppression by equation 1, k = 6, on all 31 places. By that
    equation empty groups are filled in, and suppression is worse everywhere at ε = 1; left at 0,
    as the paper's Definition 2 has it, Laplace is. By pandas, all groups added up."""
    for name in ("ma2019", "tx2019", "national2019"):
        real_data(name)
    data = sdc.load_dataset("all2019")
    found = sdc.ask("map", sdc.Study(data), map_measure="l1_bias",
                    as_in="das-tajeddine-fioretto-figure-3")
    assert found.provenance is not None
    assert (found.provenance.empty_groups, found.provenance.domain) == ("treated", "observed")
    assert [sdc.mechanism("laplace").code(), sdc.mechanism(
        "dp-suppression", variant="P2", k=6).code()] == list(found.provenance.methods)
    hiding = "hiding below a noisy limit (k = 6, small counts always hidden"
    assert re.search(re.escape(hiding) + r"[^)]*\) is worse than adding noise( \([^)]*\))? in all "
                     "31 places", found.headline)
    table = found.panel("map").table.set_index("code").filter(like="included")
    names = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
    records = data.records[names].astype(str)
    groups = math.prod(records[n].nunique() for n in names[1:])
    for place, there in list(records.groupby("PUMA"))[::7]:
        sizes = there.groupby(names[1:]).size().to_numpy()
        empties = groups - len(sizes)
        noise = 1 / (4 * math.sinh(0.25))  # rounded, without negatives: t / (4 sinh ε/4)
        laplace = noise * (np.exp(-sizes / 2).sum() + empties)
        hides = np.where(sizes < 6, 1.0, np.exp(-np.abs(sizes - 6) / 2) / 2)
        hidden = (np.abs(3 - sizes) * hides).sum() + 3 * empties
        assert table.loc[place].tolist() == pytest.approx([laplace, hidden])
    left = sdc.Study(data, empty_groups="left", domain="observed", methods=[
        sdc.mechanism("laplace"), sdc.mechanism("dp-suppression", variant="P2")])
    turned = sdc.ask("map", left, map_measure="l1_bias").headline
    assert re.search(r"adding noise( \([^)]*\))? is worse than " + re.escape(hiding) + r"[^)]*\) "
                     "in all 31 places", turned)


def test_187_people_off_in_salem_are_47_in_their_groups_and_140_who_do_not_exist(
    real_data: Callable[[str], sdc.Dataset],
) -> None:
    """Once one number: what hiding below a noisy limit does to counts of people there, and 3 in
    each empty group with the chance that 0 is hidden. By pandas; left at 0, nobody is invented."""
    data = real_data("ma2019")
    names = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
    records = data.records[names].astype(str)
    sizes = records[records["PUMA"] == "25-00703"].groupby(names[1:]).size().to_numpy()
    empties = math.prod(records[n].nunique() for n in names[1:]) - len(sizes)
    chance = np.where(sizes < 6, 1 - np.exp(-np.abs(6 - sizes) / 2) / 2,
                      np.exp(-np.abs(6 - sizes) / 2) / 2)
    off = float((np.abs(3 - sizes) * chance).sum())
    invented = 3 * empties * (1 - math.exp(-3) / 2)
    assert [round(n) for n in (off, invented, off + invented)] == [47, 140, 187]
    methods = [sdc.mechanism("dp-suppression"), sdc.mechanism("laplace")]
    for empty, many in (("treated", "140 people"), ("left", "nobody")):
        study = sdc.Study(data, methods=methods, empty_groups=empty, domain="observed")
        found = sdc.ask("map", study, map_place="25-00703")
        assert "187" not in found.headline
        assert "in groups that have people, hiding" in found.headline
        assert "is off by 47 people in Salem–Beverly–Gloucester and " in found.headline
        assert re.search(r"In Salem–Beverly–Gloucester, hiding below a noisy limit \(k = 6\) also "
                         rf"puts {many} into groups that have nobody, and adding noise puts ",
                         found.more)


@pytest.mark.parametrize("cards", [2, 3])
def test_the_same_method_twice_is_one_map(cards: int) -> None:
    hides = sdc.mechanism("suppression", k=5)
    alone, twice = (sdc.ask("map", study(methods=[hides] * n)) for n in (1, cards))
    assert (twice.headline, twice.more) == (alone.headline, alone.more)
    assert [p.name for p in twice.panels] == [p.name for p in alone.panels]


def test_one_place_of_one_group() -> None:
    """Five people become 3, and noise as drawn is off by 2 as well."""
    alone = pd.DataFrame({"town": ["Aston"] * 5, "sex": ["f"] * 5})
    methods = [sdc.mechanism("laplace", epsilon=1, postprocess="none"),
               sdc.mechanism("suppression", k=6)]
    found = shortened(sdc.ask("map", study(("sex",), methods, alone)))
    assert found.headline == (
        "In groups that have people, Laplace ε=1 as drawn is off by 2 people in Aston and "
        "Suppression "
        "k=6 by 2; they are about equally good.")
    assert found.more.startswith("Averaged over many releases, again without empty groups, "
                                 "Suppression k=6 is worse than Laplace ε=1 as drawn. ")
    assert "nobody" not in found.more


def test_without_a_method_there_is_nothing_to_see() -> None:
    none = sdc.ask("map", sdc.Study(sdc.load_dataset(people()), ("sex",), methods=[]))
    assert none.headline.startswith("Choose a method") and none.panels == ()


def test_how_the_numbers_came_about_is_said_for_each_method() -> None:
    """What is known exactly is not called simulated: a permutation's mean, not its spread."""
    methods = [sdc.mechanism("laplace", epsilon=1.0),
               sdc.mechanism("permutation-swapping", match=("sex",), swap=("town",))]
    both = sdc.Study(sdc.load_dataset(people()), ("town", "sex", "home"), seed=3, methods=methods)
    for measure in ("people_bias", "invented", "group_bias", "l1_bias"):
        known = views(sdc.ask("map", both, map_measure=measure))
        assert "Numbers are exact, not simulated." in known
    spread = views(sdc.ask("map", both, map_measure="error_rate"))
    assert "adding noise (ε = 1): exact; " in spread and "mean of 200 releases (seed 3)." in spread
    assert "too large" not in spread and "± one standard error" in spread
    found = sdc.ask("map", both)
    assert views(found).count("mean of 200 releases") == 1
    table = found.panel("map").table
    assert "± 2" in table and "± 1" not in table and (table["± 2"] > 0).all()
    drawn = sdc.Study(both.dataset, ("town", "sex"), methods=[
        sdc.mechanism("swapping", quasi_identifiers=("sex",), paired=True)])
    assert "systematic error come out too large" in views(
        sdc.ask("map", drawn, map_measure="people_bias"))
    assert "too large" not in views(sdc.ask("map", drawn))
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
    assert "its Definition 2 of suppression and its §3.4 leave them as they are" in text
    assert any("P2" in source and "Figure 3" in source for source in question("map").sources)

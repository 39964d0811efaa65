"""Risk against error, as shown: the frontier against a plain scan; marks, rows and sentences read
back and compared with numbers computed another way; what a click sets."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.questions.answer import Answer
from sdc_core.questions.frontier import compute, figures, words
from sdc_core.questions.frontier.compute import Attack
from sdc_core.questions.frontier.pareto import Place, beaten_by, standings
from sdc_core.words.guarantees import promise_word
from tests.contract import Contract
from tests.page_driver import TWIN, answer, declared, link, opened
from tests.page_driver import said as said_on
from ui import picking, state

CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("f_attack", "f_error", "f_slow", "f_why"),
    columns={
        "frontier": (
            "method", "setting", "parameter", "value", "in the method bar",
            "mean error, groups with people", "its standard error",
            "total error, groups with people", "mean error, all groups",
            "standard error, all groups", "people put into empty groups", "attack", "attack gains",
            "standard error of the gain", "right claims", "by luck", "releases, error",
            "releases, attack", "promise", "standing",
        ),
        "why": (
            "people in", "groups", "people", "off by, on average", "too high or low, on average",
        ),
    },
    fewer={
        "frontier.compute.RELEASES": 4,
        "frontier.compute.SLOW_RELEASES": 3,
        "frontier.compute.SETTINGS": 4,
    },
)
PAGE = "../pages/frontier.py"
SLOW = {"topdown", "mst", "aim", "protected-suppression"}

# ---------------------------------------------------------------- the frontier by a plain scan

sure = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12)
numbers = st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.3, 0.7]))
unsure = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=10)


@drawn(sure)
def test_of_exact_numbers_the_frontier_is_what_a_scan_finds(points: list[tuple[int, int]]) -> None:
    places = [Place((e, 0.0), (r, 0.0)) for e, r in points]
    for (e, r), found in zip(points, standings(places), strict=True):
        dominated = any(a <= e and b <= r and (a, b) != (e, r) for a, b in points)
        assert found == ("beaten" if dominated else "on")


@drawn(unsure)
def test_only_what_is_beaten_beyond_two_standard_errors_is_beaten(points: list[Any]) -> None:
    places = [Place(*point) for point in points]

    def far_below(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return other[0] - one[0] > 2 * math.sqrt(one[1] ** 2 + other[1] ** 2)

    def at_most(one: tuple[float, float], other: tuple[float, float]) -> bool:
        """For certain: the same exact number, or an exact zero, below which nothing is."""
        return one[1] == 0 and (one[0] == 0 or (one == other))

    def beats(one: Place, other: Place) -> bool:
        wins = [far_below(one.error, other.error), far_below(one.risk, other.risk)]
        holds = [at_most(one.error, other.error), at_most(one.risk, other.risk)]
        return any(wins) and all(w or h for w, h in zip(wins, holds, strict=True))

    found = standings(places)
    for i, place in enumerate(places):
        by = [j for j, other in enumerate(places) if beats(other, place)]
        assert beaten_by(place, places) == by
        assert (found[i] == "beaten") is bool(by)
        looks = any(
            q.error[0] <= place.error[0] and q.risk[0] <= place.risk[0]
            and (q.error[0], q.risk[0]) != (place.error[0], place.risk[0]) for q in places)
        if not by:
            assert (found[i] == "within chance") is looks


# ---------------------------------------------------------------- a small file, read back in full

RNG = np.random.default_rng(5)
SMALL = pd.DataFrame({
    "town": RNG.choice(["Ash", "Birch", "Cedar", "Elm"], 160, p=[0.6, 0.25, 0.1, 0.05]),
    "sex": RNG.choice(["f", "m"], 160),
    "job": RNG.choice(["farmer", "baker", "smith"], 160, p=[0.7, 0.2, 0.1]),
    "income": RNG.choice(["low", "high"], 160),
})


def small(sensitive: bool = True) -> sdc.Dataset:
    data = sdc.load_dataset(SMALL)
    role = sdc.Role.SENSITIVE if sensitive else sdc.Role.QUASI
    return data.with_columns([replace(data.column("income"), role=role)])


METHODS = [sdc.mechanism("laplace", epsilon=1.0), sdc.mechanism("suppression", k=4),
           sdc.mechanism("k-anonymity", k=3)]


def asked(methods: Any = METHODS, data: sdc.Dataset | None = None, **controls: Any) -> Answer:
    study = sdc.Study(data or small(), ["town", "sex", "job", "income"], methods=methods)
    return sdc.ask("frontier", study, controls)


@pytest.fixture(scope="module")
def found() -> Answer:
    return asked()


@pytest.fixture(scope="module")
def rows(found: Answer) -> pd.DataFrame:
    table = found.panel("frontier").table
    assert table is not None
    return table


def marks_of(found: Answer) -> Any:
    (figure,) = found.panel("frontier").figures
    return next(trace for trace in figure.data if trace.name == "settings")


def test_all_methods_are_there_at_about_ten_settings(rows: pd.DataFrame) -> None:
    by_path = rows[rows["in the method bar"] == "no"].groupby("method").size()
    quick = {cls.plain for cls in FOR_TABLES if cls.name not in SLOW}
    assert set(by_path.index) == quick and len(quick) >= 8
    assert by_path.min() >= 9 and by_path.max() <= 10
    present = rows[rows["in the method bar"] != "no"]
    assert list(present["setting"]) == ["Laplace ε=1", "Suppression k=4", "k-anonymity k=3"]
    assert list(present["in the method bar"]) == ["m1", "m2", "m3"]


def test_rows_say_what_formulas_say(rows: pd.DataFrame) -> None:
    """Laplace and suppression by hand: the mean error, and what finding people gains."""
    table = small().histogram(["town", "sex", "job", "income"])
    somebody = table.counts > 0
    for row in rows[rows["method"] == "Add noise"].to_dict("records"):
        q = math.exp(-row["value"] / 2)
        noise, shortfall = math.sqrt(q) / (1 - q), math.sqrt(q) / (2 * (1 - q))
        error = noise - shortfall * q ** table.counts[somebody]
        assert row["mean error, groups with people"] == pytest.approx(error.mean())
        assert row["total error, groups with people"] == pytest.approx(error.sum())
        everywhere = (noise - shortfall * q ** table.counts).mean()
        assert row["mean error, all groups"] == pytest.approx(everywhere)
        # whole people: at least one is shown if the noise rounds to 1 - x or more
        hits, luck = 1 - math.exp(-row["value"] / 4) / 2, math.exp(-row["value"] / 4) / 2
        assert row["right claims"] == pytest.approx(hits)
        assert row["by luck"] == pytest.approx(luck)
        assert row["attack gains"] == pytest.approx(hits - luck)
        # in part, since the values of this file were read off it; beyond a factor of a million
        # it limits nothing
        assert row["promise"] == ("holds in part" if row["value"] < 13 else "nearly empty")
    for row in rows[rows["method"] == "Hide small counts"].to_dict("records"):
        k = row["value"]
        error = np.where(table.counts < k, abs(k // 2 - table.counts), 0)[somebody]
        assert row["mean error, groups with people"] == pytest.approx(error.mean())
        assert row["people put into empty groups"] == 0  # left at 0
        assert (row["right claims"], row["by luck"]) == (1, 0) and row["promise"] == "none"


def test_the_standing_of_a_row_is_that_of_a_scan(rows: pd.DataFrame) -> None:
    columns = ["mean error, groups with people", "its standard error", "attack gains",
               "standard error of the gain"]
    places = [Place((a, b), (c, d)) for a, b, c, d in rows[columns].to_numpy()]
    said = [words.STANDINGS[one] for one in standings(places)]
    assert list(rows["standing"]) == said
    assert {"on the frontier", "beaten"} <= set(said)


def test_every_row_is_a_mark_where_it_belongs(found: Answer, rows: pd.DataFrame) -> None:
    marks = marks_of(found)
    assert len(marks.x) == len(rows)
    large = [size == max(marks.marker.size) for size in marks.marker.size]
    assert large == [slot != "no" for slot in rows["in the method bar"]]
    for i, row in enumerate(rows.to_dict("records")):
        assert marks.x[i] == pytest.approx(
            max(row["mean error, groups with people"], figures.FLOOR))
        assert marks.y[i] == pytest.approx(row["attack gains"])
        assert ("open" in marks.marker.symbol[i]) is (
            row["promise"] not in ("holds", "holds in part")), row["setting"]
        reach = 2 * row["standard error of the gain"]
        assert marks.error_y.array[i] == pytest.approx(min(reach, 1 - row["attack gains"]))
        assert marks.error_y.arrayminus[i] == pytest.approx(min(reach, row["attack gains"]))
        assert marks.error_x.array[i] == pytest.approx(2 * row["its standard error"])
        assert row["standing"] in marks.text[i] and f"promise: {row['promise']}" in marks.text[i]
    assert "Laplace, ε = 1)" in marks.text[-3]
    assert marks.hovertemplate == "%{text}<extra></extra>"


def test_the_step_line_and_the_rings_are_what_the_rows_say(
    found: Answer, rows: pd.DataFrame
) -> None:
    (figure,) = found.panel("frontier").figures
    line, rings = (next(t for t in figure.data if t.name == name) for name in (
        "frontier: not beaten", "within chance of it"))
    assert line.line.shape == "hv"
    for trace, standing in ((line, "on the frontier"), (rings, "within chance of the frontier")):
        some = rows[rows["standing"] == standing]
        places = {(max(x, figures.FLOOR), y) for x, y in zip(
            some["mean error, groups with people"], some["attack gains"], strict=True)}
        assert set(zip(trace.x or (), trace.y or (), strict=True)) == places
    xs, ys = list(line.x), list(line.y)
    assert xs == sorted(xs)
    assert all(b <= a + 0.05 for a, b in itertools.pairwise(ys))


def number(text: str) -> float:
    return float(text.replace(",", "")) if text else math.nan


BEATS = re.compile(
    r"^(?P<winner>.+?\))(?P<unlike> would beat| beats) "
    r"(?P<loser>.+?\)): off by (?P<low>[\d.]+), not (?P<high>[\d.]+) "
    r"a group, with (?P<found>[\d.]+)%, not (?P<lost>[\d.]+)%, of unique people shown")


def test_the_headline_names_two_settings_and_their_numbers(
    found: Answer, rows: pd.DataFrame
) -> None:
    said = BEATS.match(found.headline)
    assert said, found.headline
    assert said["loser"] == "hiding small counts (k = 4)"
    loser = rows[(rows["setting"] == "Suppression k=4")].iloc[-1]
    assert number(said["high"]) == pytest.approx(
        loser["mean error, groups with people"], rel=0.01)
    assert number(said["lost"]) == 100 and loser["standing"] == "beaten"
    winners = rows[np.isclose(rows["attack gains"], number(said["found"]) / 100, atol=0.006)
                   & np.isclose(rows["mean error, groups with people"], number(said["low"]),
                                rtol=0.02)]
    assert len(winners) and "on the frontier" in set(winners["standing"])
    best = rows[(rows["mean error, groups with people"] < loser["mean error, groups with people"])]
    assert winners["attack gains"].min() == pytest.approx(best["attack gains"].min())
    assert winners.iloc[0]["people put into empty groups"] > 0.5
    assert loser["people put into empty groups"] == 0
    present = rows[rows["in the method bar"] != "no"]
    assert said["unlike"] == (
        " beats" if set(winners["setting"]) & set(present["setting"]) else " would beat")
    empty = winners.iloc[0]["promise"] == "nearly empty"
    fills = "it fills empty groups and promises next to nothing" if empty else (
        "only the former fills empty groups")
    assert re.search(rf" shown( beyond luck)?; {fills}\.$", found.headline)


def test_where_the_bar_stands_is_said(found: Answer, rows: pd.DataFrame) -> None:
    spoken = {"Laplace ε=1": "adding noise (ε = 1)", "Suppression k=4":
              "hiding small counts (k = 4)", "k-anonymity k=3": "merging small groups"}
    lead = {"on the frontier": "On the frontier as set", "beaten": "Beaten",
            "within chance of the frontier": "Within chance of it"}
    for row in rows[rows["in the method bar"] != "no"].to_dict("records"):
        part = next(p for p in re.split(r"(?<=\.) (?=[A-Z])", str(found.more))
                    if p.startswith(lead[row["standing"]]))
        assert spoken[row["setting"]] in part


def test_a_setting_is_explained_with_its_numbers(found: Answer) -> None:
    table = small().histogram(["town", "sex", "job", "income"])
    alone, empty = int((table.counts == 1).sum()), int((table.counts == 0).sum())
    hiding = asked(f_why="2").panel("why")
    said = " ".join(hiding.prose)
    assert f"Of the {alone} people who are one of a kind the release shows 100%" in said
    assert f"of the {empty} combinations that nobody has 0%: whoever is shown is there" in said
    assert "promises nothing" in said and "Beaten? By " in said
    base = re.search(r"the most frequent answer of the data for (\d+)%", said)
    most = SMALL["income"].value_counts().max()
    assert base and abs(int(base[1]) - 100 * most / len(SMALL)) <= 0.5
    shown = hiding.table
    assert shown is not None
    few = (table.counts > 0) & (table.counts <= 5)
    off = np.where(table.counts < 4, np.abs(2 - table.counts), 0)
    row = shown[shown["people in"] == "groups of 1 to 5"].iloc[0]
    assert row["off by, on average"] == pytest.approx(off[few].mean())
    assert row["groups"] == few.sum() and row["people"] == table.counts[few].sum()
    noise = " ".join(asked(data=declared(small())).panel("why").prose)
    assert f"gain at most {words.share(math.tanh(0.25))}" in noise
    assert "to gain at most" not in " ".join(found.panel("why").prose)  # values are read off
    assert "Adds Laplace noise" in noise and "a factor of 2.72" in noise


# ---------------------------------------------------------------- what a click sets


def test_a_click_takes_a_setting_to_the_bar_and_explains_it(
    found: Answer, rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    pick = found.panel("frontier").pick
    assert pick is not None and len(pick.sets) == len(rows)
    places = {"Add noise": ("m1", "1"), "Hide small counts": ("m2", "2")}
    for i, row in enumerate(rows.to_dict("records")):
        sets = pick.set_by(i)
        slot, place = places.get(row["method"], ("m4", "4"))  # the one that is free
        if row["method"] == "Merge small groups":
            slot, place = "m3", "3"
        assert sets["f_why"] == place
        assert float(sets[f"{slot}.{row['parameter']}"]) == row["value"]
        built = sdc.mechanism(sets[slot])
        assert built.plain == row["method"]
        assert {k.split(".")[1] for k in sets if "." in k} <= set(built.settings())
    assert pick.set_by(len(rows)) == {}
    put: dict[str, str] = {}
    monkeypatch.setattr(picking, "st", SimpleNamespace(
        session_state={"k": {"selection": {"points": [{"point_index": 3}]}}}))
    monkeypatch.setattr(state, "put", put.__setitem__)
    picking._picked("k", pick)
    assert put == dict(pick.set_by(3))


def test_where_all_places_are_taken_the_last_one_gives_way() -> None:
    four = [*METHODS, sdc.mechanism("geometric", epsilon=0.5)]
    found = asked(four)
    table, pick = found.panel("frontier").table, found.panel("frontier").pick
    assert table is not None and pick is not None
    number = int(table.index[table["method"] == "Swap similar records"][0])
    assert pick.set_by(number)["m4"] == "swapping" and pick.set_by(number)["f_why"] == "4"
    assert marks_of(found).marker.size.count(max(marks_of(found).marker.size)) == 4


def test_a_clicked_setting_follows_to_other_pages() -> None:
    app = opened({**TWIN, "features": "RAC1P,SEX,OWN_RENT", "m1": "laplace", "m1.epsilon": "0.72",
                  "f_why": "1"}, PAGE)
    assert "adding noise (ε = 0.72)" in answer(app)
    app.switch_page("../pages/compare.py").run()
    assert link(app)["m1.epsilon"] == "0.72" and "ε = 0.72" in said_on(app)


def test_a_line_joins_a_methods_settings_in_their_order(found: Answer, rows: pd.DataFrame) -> None:
    """Without the setting of the bar, which would turn the line round at its end."""
    line = next(t for t in found.panel("frontier").figures[0].data if t.name == "path laplace")
    own = rows[(rows["parameter"] == "epsilon") & rows["setting"].str.startswith("Laplace")]
    steps = own[own["in the method bar"] == "no"].sort_values("value")
    errors = steps["mean error, groups with people"].clip(lower=figures.FLOOR).tolist()
    assert len(own) == len(steps) + 1 and list(line.x) == pytest.approx(errors)
    assert list(line.y) == pytest.approx(steps["attack gains"].tolist())


# ---------------------------------------------------------------- what takes long


def test_slow_methods_wait_for_run() -> None:
    quick = {**TWIN, "features": "RAC1P,SEX,OWN_RENT"}
    app = opened({**quick, "f_slow": "true"}, PAGE)
    (label,) = [b.label for b in app.button if b.label.startswith("Run")]
    assert label == (
        "Run TopDown, MST synthetic data, AIM synthetic data and Protected suppression")
    one = opened({**quick, "m4": "mst"}, PAGE)
    assert [b.label for b in one.button if b.label.startswith("Run")] == ["Run MST synthetic data"]
    adds = [b.label for b in opened(quick, PAGE).button if b.label.startswith("Add ")]
    assert "Add 4 methods that take longer" in adds


def test_waiting_times_count_all_releases_that_are_drawn() -> None:
    """Ten for the error, and ten or, with people left out ten times, four times ten."""
    table = small().histogram(["town", "sex"])
    for name in ("mst", "aim", "topdown"):
        slow = sdc.mechanism(name).suited_to(table)
        each = slow.effort(table).release
        assert compute.seconds(slow, table, Attack.FIND) == pytest.approx(20 * each)
        assert compute.seconds(slow, table, Attack.MEMBER) == pytest.approx(50 * each)


def test_slow_methods_are_on_the_chart_where_they_are_asked_for() -> None:
    study = sdc.Study(small(), ["town", "sex"], methods=[sdc.mechanism("topdown", epsilon=1.0)])
    table = sdc.ask("frontier", study, f_attack="member").panel("frontier").table
    assert table is not None
    (row,) = table[table["method"] == sdc.mechanism("topdown").plain].to_dict("records")
    assert row["releases, error"] == 10 and row["releases, attack"] == 10
    assert row["in the method bar"] == "m1"


# ---------------------------------------------------------------- tables of all kinds


def only(counts: list[int]) -> sdc.Study:
    """People in groups of these sizes."""
    groups = np.repeat(list("abcdefgh")[: len(counts)], counts)
    data = sdc.load_dataset(pd.DataFrame({"group": groups, "other": groups}))
    return sdc.Study(data, ["group"], methods=[sdc.mechanism("laplace")])


def test_without_a_sensitive_column_inference_is_not_offered() -> None:
    found = asked(data=small(sensitive=False))
    assert any("infer a sensitive answer (no feature that people are counted by is declared "
               "sensitive)" in notice.text for notice in found.notices)
    with pytest.raises(sdc.InputError, match="f_attack must be one of find, member"):
        asked(data=small(sensitive=False), f_attack="infer")


def test_where_nobody_is_one_of_a_kind_another_attack_is_tried() -> None:
    found = sdc.ask("frontier", only([5, 9, 30]))
    assert any("nobody is one of a kind" in notice.text for notice in found.notices)
    assert "people told to be there" in found.headline
    table = found.panel("frontier").table
    assert table is not None and set(table["attack"]) == {"member"}


def test_where_no_group_is_empty_no_claim_could_be_wrong() -> None:
    said = [notice.text for notice in sdc.ask("frontier", only([1, 9, 30])).notices]
    assert any("every group has people, so no claim could be wrong" in text for text in said)


def test_one_method_zero_error_and_ties() -> None:
    """Nothing hidden and nothing changed: no error and all risk, which nothing beats but a tie."""
    found = asked([sdc.mechanism("suppression", k=2)], f_error="people")
    table = found.panel("frontier").table
    assert table is not None
    identity = table[(table["method"] == "Borrow values from similar records")
                     & (table["value"] == 0)].iloc[0]
    assert identity["mean error, groups with people"] == 0
    assert identity["attack gains"] == pytest.approx(1)
    assert identity["standing"] == "on the frontier"
    marks = marks_of(found)
    assert min(marks.x) == figures.FLOOR
    assert len(found.headline) > 40 and "nan" not in found.headline
    twice = asked([METHODS[0], METHODS[0]])
    assert "2 methods" not in twice.headline
    assert str(twice.more).count("adding noise (ε = 1)") == 1


def test_without_methods_in_the_bar_all_others_are_compared() -> None:
    found = asked([])
    assert found.headline.startswith("Some settings of ") and "are not beaten" in found.headline
    assert [panel.name for panel in found.panels] == ["frontier"]


def test_nobody_or_one_person_is_a_sentence() -> None:
    assert "too few people" in sdc.ask("frontier", only([1])).headline


def test_empty_groups_can_be_in_the_error(rows: pd.DataFrame) -> None:
    found = asked(f_error="all")
    assert marks_of(found).x == pytest.approx(
        np.maximum(rows["mean error, all groups"], figures.FLOOR))


def test_not_beaten_says_so_with_one_method() -> None:
    found = asked([sdc.mechanism("suppression", k=2)])  # who is alone is filled in with one
    assert found.headline.startswith("Hiding small counts (k = 2) is not beaten: of ")
    assert "whatever has less error than it has more unique people shown" in found.headline
    rows = found.panel("frontier").table
    assert rows is not None
    own = rows[rows["in the method bar"] == "m1"].iloc[0]
    better = rows[rows["mean error, groups with people"]
                  < own["mean error, groups with people"] - 1e-9]
    assert (better["attack gains"] > own["attack gains"]).all()
    assert found.headline.endswith("; some fill empty groups, others do not.")


@pytest.mark.parametrize(("errors", "said"), [
    (4.0, "Adding noise (ε = 2){} hiding small counts (k = 4): off by 1, not 2 a group, with "
          "20%, not 60%, of unique people shown beyond luck."),
    (2.5, "Adding noise (ε = 2){} hiding small counts (k = 4): off by 1, not 2 a "),
    (1.5, "Hiding small counts (k = 4) is not beaten: of 2 settings shown, whatever has less error "
          "than it has more unique people shown, as far as can be told."),
])
def test_the_verb_follows_how_far_two_settings_are_apart(errors: float, said: str) -> None:
    """By so many standard errors of the difference; one that is picked from many needs three. A
    setting that is not in the bar is a suggestion, of the same method or of another."""
    methods = sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("suppression", k=4)
    what: Any = SimpleNamespace(invented=(0.0, 0.0), promise="holds")
    places = [Place((1.0, 0.0), (0.2, 0.4 / errors)), Place((2.0, 0.0), (0.6, 0.0))]
    far = Place((9.0, 0.0), (0.9, 0.0))
    table = small().histogram(["town", "sex"])
    other = methods[0].replace(epsilon=1.0)
    for slots, sure, unsure in (
        (("", "m1", ""), " would beat", " might beat"),
        (("", "m1", "m2"), " would beat", " might beat"),
        (("m2", "m1", ""), " beats", " seems to beat"),
    ):
        marks: Any = [SimpleNamespace(mechanism=m, what=what, slot=slot)
                      for m, slot in zip((*methods, other), slots, strict=True)]
        if "2 settings" in said:
            marks, all_of_them = marks[:2], places
            if "m2" in slots:
                continue
        else:
            all_of_them = [*places, far]
        headline = words.headline(words.Found(
            marks, all_of_them, standings(all_of_them), False, table,
            words.attack_words(Attack.FIND, "")))
        assert headline.startswith(said.format(sure if errors > 3 else unsure))


@pytest.mark.parametrize("share, text", [
    (0.0, "0%"), (0.00434, "0.43%"), (0.0919, "9.2%"), (0.714, "71%"), (0.996, "99.6%"),
    (0.9999, "nearly 100%"), (1.0, "100%"),
])
def test_shares_have_two_digits(share: float, text: str) -> None:
    assert words.share(share) == text


def test_a_promise_fills_a_mark_only_if_it_holds() -> None:
    """As the method bar says it: broken where zeros are left alone, whole with noise."""
    broken = sdc.mechanism("dp-suppression", keep_zeros=True)
    table = small().histogram(["town", "sex", "job", "income"])
    assert promise_word(broken.guarantee(table)) == "broken" not in figures.KEPT

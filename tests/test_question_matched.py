"""Matched comparison, as shown: levels, losses and verdicts read back and computed another way."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import cKDTree
from sklearn.ensemble import RandomForestClassifier

import sdc_core as sdc
from sdc_core.data.microdata import microdata
from sdc_core.keep import Keep
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.on_records import draw_records
from sdc_core.metrics.microdata.battery import MEASURES, Original, Task, measured
from sdc_core.metrics.microdata.prediction import kept_out
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.p4_body import RADII
from sdc_core.questions.answer import Answer
from sdc_core.questions.matched import words
from sdc_core.questions.matched.compute import UTILITY, Compared, table_3
from sdc_core.questions.matched.figures import loss_bars
from sdc_core.questions.question import MOVED
from sdc_core.questions.work import Work
from sdc_core.record_experiment import Measured
from sdc_core.records import Records, Scale
from tests.contract import Contract
from tests.html_bars import read_bars

QUICK = tuple(m for m in UTILITY if not m.costly)
LOSSES = tuple(
    column for m in QUICK for column in (m.name, f"{m.name}, standard error"))
CONTRACT = Contract(
    slots=(),
    controls=("mc_by", "mc_level", "mc_keeps", "mc_releases", "lab_methods", "lab_vars",
              "lab_outcome", "lab_coefficient"),
    columns={
        "matched": ("method", "setting", "value", "matched", "level", "standard error", "wanted",
                    "reached", "releases", *LOSSES),
        "matched-levels": ("method", "setting", "value", "level", "standard error"),
    },
    quick={"lab_vars": "AGEP,PINCP", "lab_outcome": "PINCP", "lab_coefficient": "AGEP",
           "mc_releases": "10"},
)


def people(rows: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    age = rng.uniform(20, 65, rows).round(2)
    sex = rng.choice(["f", "m"], rows)
    wage = (900 * age + 9000 * (sex == "m") + rng.normal(0, 9000, rows)).round(1)
    return pd.DataFrame({"age": age, "sex": sex, "wage": wage,
                         "hours": (36 + age / 20 + rng.normal(0, 4, rows)).round(2)})


DATA = sdc.load_dataset(people())


ON_NUMBERS = "rank-swapping,microaggregation,noise-addition"


@functools.cache
def asked(**controls: Any) -> Answer:
    return sdc.ask("matched", sdc.Study(DATA), **{
        "mc_releases": "10", "lab_methods": ON_NUMBERS, **controls})


def original() -> Original:
    return Original(microdata(DATA, ("age", "sex", "wage", "hours")), Task("wage", "sex=m"))


def remeasured(row: pd.Series, name: str) -> OverReleases:
    """The row's method drawn and measured anew, by hand."""
    kind = {"RWN": "rwn", "Rank": "rank-swapping", "Microaggregation": "microaggregation",
            "Noise": "noise-addition"}[row["method"].split()[0]]
    fixed = {"q": 1.0, "k": 5} if kind == "rwn" else {}
    whole = row["setting"] == "k"
    method = sdc.mechanism(
        kind, **fixed, **{row["setting"]: int(row["value"]) if whole else row["value"]})
    records = original().records
    found = []
    for repetition in range(10):
        (made,) = method.draw_records(records, [repetition_rng(7, repetition)])
        found.append(measured(original(), made, [name])[0][name])
    return OverReleases(np.array(found))


def test_levels_are_matched_and_losses_are_those_of_releases_drawn_again() -> None:
    table = asked().panels[0].table
    assert table is not None and len(table) == 4
    assert table["value"][0] == RADII[3] and table["matched"].unique().tolist() == ["dcr"]
    assert table["wanted"].nunique() == 1
    for _, row in table.iterrows():
        assert row["reached"]
        level = remeasured(row, "dcr")
        assert row["level"] == pytest.approx(level.each[:3].mean())  # three releases in a search
        close = 0.06 if row["setting"] == "k" else 0.02
        assert row["level"] == pytest.approx(row["wanted"], rel=close)
        for name in ("il1", "coefficient", "r2_change"):
            again = remeasured(row, name)
            assert row[name] == pytest.approx(again.mean)
    assert table["releases"].tolist() == [10, 10, 2, 10]  # microaggregation has one release


# How a method is called in the table, on a chart, and in a sentence.
CALLED = (
    ("RWN borrowing", "Borrow values from similar records",
     "borrowing values from similar records"),
    ("Rank swapping", "Swap values of close rank", "swapping values of close rank"),
    ("Microaggregation", "Average similar records", "averaging similar records"),
    ("Noise on records", "Add noise to numbers", "adding noise to numbers"),
    ("k-anonymity", "Merge small groups", "merging small groups"),
)


def called(label: str) -> tuple[str, str]:
    """A table's method as on a chart and as in a sentence."""
    return next((plain, doing) for title, plain, doing in CALLED if label.startswith(title))


def test_the_headline_names_who_changes_least_and_most_of_the_table() -> None:
    for name in ("il1", "coefficient", "dependence"):
        found = asked(mc_keeps=name)
        table = found.panels[0].table
        assert table is not None
        said = re.search(
            r"\), (.+?) changes? .* least \(([^)]+); the others? (up to )?([^)]+)\)",
            found.headline)
        ordered = table.sort_values(name)
        if said is None:
            assert "chance hides it" in found.headline
            continue
        least, low, up_to, high = said.groups()
        assert called(ordered["method"].iloc[0])[1] in re.split(", | and ", least)
        assert bool(up_to) == (len(ordered) > len(re.split(", | and ", least)) + 1)
        low, high = low.split(" to ")[0], high.split(" to ")[-1]
        assert float(low.replace(",", "")) == pytest.approx(ordered[name].iloc[0], rel=0.08)
        assert float(high.replace(",", "")) == pytest.approx(ordered[name].iloc[-1], rel=0.08)
        assert len(found.headline) <= 195  # two lines


def test_bars_show_the_table_with_the_chosen_measure_first() -> None:
    found = asked(mc_keeps="il3").panels[0]
    assert found.table is not None
    shown = read_bars(found.drawing)
    assert shown[0].title == "Change of coefficients (IL₃)" and len(shown) == len(QUICK)
    names = {m.title: m.name for m in UTILITY if not m.name.endswith("aligned")}
    for panel in (p for p in shown if p.title in names):
        values = found.table[names[panel.title]]
        most = (values + found.table[f"{names[panel.title]}, standard error"]).max()
        assert [bar.label for bar in panel.rows] == [called(m)[0] for m in found.table["method"]]
        for bar, value in zip(panel.rows, values, strict=True):
            assert bar.length == pytest.approx(100 * value / most, abs=0.01)
            assert float(bar.text.split(" ±")[0].replace(",", "")) == pytest.approx(
                value, rel=0.06)


def test_charts_show_the_levels_and_mark_what_is_compared() -> None:
    panel, table = asked().panels[1], asked().panels[0].table
    assert table is not None and panel.table is not None
    for figure, (_, row) in zip(panel.figures, table.iterrows(), strict=True):
        wanted, line, mark = figure.data
        assert set(wanted.y) == {row["wanted"]}
        assert (mark.x[0], mark.y[0]) == (row["value"], row["level"])
        name = figure.layout.title.text[3:-4].replace("<br>", " ")
        assert name == called(row["method"])[0]
        levels = panel.table[[row["method"].startswith(m) for m in panel.table["method"]]]
        for _, one in levels.iterrows():
            place = list(line.x).index(one["value"])
            assert line.y[place] == one["level"]


def test_as_in_table_3_nothing_is_searched_and_levels_are_told() -> None:
    found = asked(mc_by="table-3", mc_level=6)
    table = found.panels[0].table
    assert table is not None and [p.name for p in found.panels] == ["matched", "matched-levels"]
    assert table["value"].tolist() == [path.values[5] for path in table_3()] == [0.5, 0.27, 7.0]
    assert "The same index is not the same level here" in found.more
    for level in table["level"]:
        assert words.value_text(words_measure("dcr_units"), level) in found.more
    apart = (table["level"] / table["wanted"] - 1).abs().max()
    assert apart > 0.2 and "cannot be ranked" in found.headline and "ahead" not in found.more


def words_measure(name: str):
    return next(m for m in MEASURES if m.name == name)


def test_what_is_matched_is_tried_in_turn() -> None:
    found = asked()
    table = found.panels[2].table
    assert table is not None and table["matched"].tolist() == [
        "Distance to closest record", "Self-closest record", "Interval risk (deviation)"]
    own = found.panels[0].table
    assert own is not None
    methods = [c for c in table.columns if c not in ("matched", "least")]
    for method in methods:  # ten releases there as here
        row = own[own["method"].str.startswith(method)].iloc[0]
        assert table[method][0] == pytest.approx(row["il1"])
    for (_, row), by in zip(table.iterrows(), ("dcr", "pscr", "interval"), strict=True):
        alone = asked(mc_by=by).panels[0].table
        assert alone is not None
        lacking = {m for m in methods if np.isnan(row[m])}
        assert lacking == {
            m for m in methods if not _at_level(alone[alone["method"].str.startswith(m)].iloc[0])}


def _at_level(row: pd.Series) -> bool:
    return abs(row["level"] / row["wanted"] - 1) <= (0.2 if row["reached"] else 0.05)


def test_the_page_asks_before_it_searches_in_other_measures() -> None:
    """The button counts for one run, after which the page is drawn anew: what was found stays until
    something else is asked."""
    keep = Keep()

    def on_a_page(*started: str, **controls: Any) -> Answer:
        return sdc.ask("matched", sdc.Study(DATA), **{
            "mc_releases": "10", "lab_methods": ON_NUMBERS, **controls,
            "work": Work(keep, started=started)})

    def waits(found: Answer) -> bool:
        assert (found.panels[2].table is None) == bool(found.waiting)
        return [job.key for job in found.waiting] == ["matched-by"]

    assert waits(on_a_page())
    clicked = on_a_page("matched-by").panels[2].table
    again = on_a_page()
    assert not waits(again) and clicked is not None
    pd.testing.assert_frame_equal(clicked, again.panels[2].table)
    assert waits(on_a_page(mc_keeps="il2"))
    pd.testing.assert_frame_equal(clicked, on_a_page(mc_by="pscr").panels[2].table)


def test_a_page_follows_the_level_when_it_is_asked_to() -> None:
    """Until then the answer before it stands, whole and with its own settings."""
    keep = Keep()
    setting = {"mc_releases": "10", "lab_methods": "rank-swapping"}

    def at(level: int, *started: str, **more: str) -> Answer:
        return sdc.ask("matched", sdc.Study(DATA), {**setting, **more}, mc_level=level,
                       work=Work(keep, started=started))

    def same(one: Answer, other: Answer) -> bool:
        assert one.run is not None and other.run is not None
        return (one.headline, one.more, one.run.to_json()) == (
            other.headline, other.more, other.run.to_json()) and all(
            table.equals(other.tables()[name]) for name, table in one.tables().items())

    first, still = at(4), at(6)
    assert MOVED not in [job.key for job in first.waiting] and same(still, first)
    assert still.provenance is not None and still.provenance.controls["mc_level"] == "4"
    job = still.waiting[-1]
    assert (job.key, job.label, job.at_controls) == (MOVED, "Compute level 6", True)
    assert job.note.startswith("Still shown: level 4. ")
    followed = at(6, MOVED)
    alone = sdc.ask("matched", sdc.Study(DATA), setting, mc_level=6)
    assert followed.headline == alone.headline != first.headline
    assert followed.tables()["matched"].equals(alone.tables()["matched"])
    for level in (4, 6):  # what was answered does not wait
        assert MOVED not in [one.key for one in at(level).waiting]
    other = at(9, mc_keeps="il2")  # another control is followed, at the level that is shown
    assert other.waiting[-1].label == "Compute level 9" and other.provenance is not None
    assert other.provenance.controls["mc_keeps"] == "il2"
    assert other.provenance.controls["mc_level"] == "6"


def test_categories_missing_values_and_samples_are_said() -> None:
    assert ("Borrowing values from similar records may change sex; swapping values of close rank, "
            "averaging similar records and adding noise to numbers "
            "leave categories as they were") in asked().more
    numbers = sdc.ask("matched", sdc.Study(DATA), mc_releases="10", lab_vars="age,wage,hours")
    assert "may change" not in numbers.more
    with_gaps = people()
    with_gaps.loc[:9, "hours"] = np.nan
    found = sdc.ask("matched", sdc.Study(sdc.load_dataset(with_gaps)), mc_releases="10")
    assert [n.text for n in found.notices if "150 of 160 records have all" in n.text]


@pytest.mark.parametrize(("frame", "says"), [
    (people()[["age", "sex"]], "at least two variables that are numbers"),
    (people()[["sex"]].assign(b="x"), "at least two variables that are numbers"),
    (people().head(2), "There are only 2 records, and 10 are needed here."),
    (pd.concat([people().head(1)] * 60, ignore_index=True),
     "All records are the same in every variable"),
])
def test_what_cannot_be_compared_is_one_sentence(frame: pd.DataFrame, says: str) -> None:
    found = sdc.ask("matched", sdc.Study(sdc.load_dataset(frame)), mc_releases="10")
    assert says in found.headline and found.panels == ()


def test_a_column_without_values_is_not_among_the_variables() -> None:
    found = sdc.ask("matched", sdc.Study(sdc.load_dataset(people().assign(hours=np.nan))),
                    mc_releases="10")
    assert found.provenance is not None
    assert found.provenance.controls["lab_vars"] == "age,sex,wage"


# Sentences where a careless version is false ------------------------------------------------------


def made(losses: dict[str, list[float]], reached: dict[str, bool] | None = None,
         level: dict[str, float] | None = None) -> list[Compared]:
    names = {"rwn": "radius", "rank-swapping": "p", "microaggregation": "k"}
    found = []
    for name, each in losses.items():
        path = next(p for p in table_3() if p.base.name == name)
        over = {m.name: OverReleases(np.array(each)) for m in UTILITY}
        found.append(Compared(
            path.at(path.values[3]), path, path.values[3],
            OverReleases(np.full(3, (level or {}).get(name, 0.5))), 0.5,
            (reached or {}).get(name, True), Measured(path.at(path.values[3]), over, {})))
        assert names[name] == path.param
    return found


BY = words_measure("dcr")


def test_within_chance_nobody_is_ahead() -> None:
    noisy = made({"rwn": [0.1, 0.3, 0.2, 0.2], "rank-swapping": [0.3, 0.1, 0.25, 0.2]})
    assert words.headline(noisy, BY, "il1", True).endswith(
        ", no method can be told to do better than the others: chance hides it.")
    assert words.verdict(noisy, "il1") == "nobody that can be told"
    assert "nobody does best on any by more than chance." in words.more(
        noisy, BY, "il1", original(), True)


def test_who_cannot_be_set_to_the_level_is_not_ranked() -> None:
    found = made(
        {"rwn": [0.3] * 4, "rank-swapping": [0.2] * 4, "microaggregation": [0.01] * 2},
        reached={"microaggregation": False}, level={"microaggregation": 0.2})
    said = words.headline(found, BY, "il1", True)
    assert "swapping values of close rank changes correlations least (0.2; the other 0.3)" in said
    left = "Averaging similar records (reaches 0.2) cannot be set to this level and is left out"
    assert left in (
        words.more(found, BY, "il1", original(), True))


def test_a_match_that_is_off_is_said() -> None:
    found = made({"rwn": [0.3] * 4, "microaggregation": [0.01] * 2},
                 level={"microaggregation": 0.55})
    assert ("averaging similar records (k = 5) has 0.55, against 0.5 wanted; the search found "
            "nothing closer.") in words.more(found, BY, "il1", original(), True)
    close = made({"rwn": [0.3] * 4, "microaggregation": [0.01] * 2},
                 level={"microaggregation": 0.51})
    assert "wanted" not in words.more(close, BY, "il1", original(), True)


def test_two_that_are_equally_good_are_both_named() -> None:
    found = made({"rwn": [0.1] * 4, "rank-swapping": [0.1] * 4, "microaggregation": [0.4] * 4})
    assert "borrowing values from similar records and swapping values of close rank change " \
           "correlations least (0.1; the other 0.4)." in words.headline(found, BY, "il1", True)


def test_where_nobody_is_ahead_nobody_is_named() -> None:
    """Two that are level on all measures but one; one that is alone; none that can be set."""
    level = made({"rwn": [0.1] * 4, "rank-swapping": [0.1] * 4})
    level[0].measured.over["il1"] = OverReleases(np.full(4, 0.05))
    number = len(words.compared_by("il1"))
    assert (f"Of {number} measures of what is kept, borrowing values from similar records does "
            f"best on 1 by more than chance; the other {number - 1} have no winner.") in words.more(
        level, BY, "il1", original(), True)
    even = made({"rwn": [0.1] * 4, "rank-swapping": [0.1] * 4})
    assert "nobody does best on any by more than chance." in words.more(
        even, BY, "il1", original(), True)
    alone = made({"rwn": [0.1] * 4})
    assert words.verdict(alone, "il1") == "nobody, because only one method reaches the level"
    none = made({"rwn": [0.1] * 4}, reached={"rwn": False}, level={"rwn": 0.2})
    assert words.verdict(none, "il1") == "nobody, because no method can be compared"


def test_components_are_called_by_their_number() -> None:
    for name, said in words.PLAIN.items():
        if name.startswith("il2"):
            assert (" second component" in said) is ("second" in name)
            assert (" first component" in said) is ("second" not in name)


def test_verdicts_that_agree_are_said_once() -> None:
    same = words.turning_caption({"A": "Rank swapping", "B": "Rank swapping"})
    assert same.endswith("Here all give the same answer: Rank swapping.")
    unlike = words.turning_caption({"Closest": "RWN", "Risk": "Rank swapping"})
    assert "by closest RWN and by risk Rank swapping" in unlike


def test_nobody_is_called_the_most_of_two_that_chance_may_exchange() -> None:
    found = made({"rwn": [0.1] * 4, "rank-swapping": [0.3, 0.5, 0.3, 0.5],
                  "microaggregation": [0.45, 0.4, 0.35, 0.48]})
    high = np.mean([0.45, 0.4, 0.35, 0.48])
    assert "borrowing values from similar records changes correlations least (0.1; the others up " \
           f"to {high:g})." in words.headline(found, BY, "il1", True)


# Methods that go by way of a table ----------------------------------------------------------------


SYNTHETIC = "k-anonymity,mst,aim"


def remade(kind: str, setting: str, value: float, repetition: int) -> Records:
    """One release by way of a table, made here from the mechanism itself."""
    fixed = {"quasi_identifiers": ("age", "sex", "hours")} if kind == "k-anonymity" else {}
    method = sdc.mechanism(
        kind, **fixed, **{setting: int(value) if setting == "k" else value})
    return next(draw_records(method, original().records, [repetition_rng(7, repetition)]))


def test_k_anonymity_and_synthetic_records_join_with_numbers_of_their_own_releases() -> None:
    found = asked(lab_methods=SYNTHETIC)
    table = found.panels[0].table
    assert table is not None
    kinds = ["rwn", "k-anonymity", "mst", "aim"]
    assert [m.split()[0].lower() for m in table["method"]] == kinds
    for kind, (_, row) in zip(kinds[1:], table.iloc[1:].iterrows(), strict=True):
        made = [remade(kind, row["setting"], row["value"], r) for r in range(10)]
        real = original().records
        upper = np.triu_indices(3, 1)
        numbers = [0, 2, 3]
        change = [np.abs(np.corrcoef(one.values[:, numbers].T) - np.corrcoef(
            real.values[:, numbers].T))[upper].mean() for one in made]
        assert row["il1"] == pytest.approx(np.mean(change))
        near = [cKDTree(Scale.of(real).points(one)).query(Scale.of(real).points(real))[0].mean()
                for one in made[:3]]
        assert row["level"] == pytest.approx(np.mean(near))
    for title in ("noise on records", "k-anonymity", "MST synthetic data"):
        said = title in found.more.partition("P4 has no experiment with")[2]
        assert said is (title != "noise on records")
    assert "read off the data, and no promise covers that" in found.more


def test_what_cannot_be_had_of_synthetic_records_is_one_sentence() -> None:
    for by, title in (("pscr", "self-closest record"), ("interval", "interval risk (deviation)")):
        found = asked(lab_methods=SYNTHETIC + ",rank-swapping", mc_by=by)
        assert found.panels[0].table["method"].str.split().str[0].tolist() == ["RWN", "Rank"]
        (note,) = [n.text for n in found.notices if "drawn anew" in n.text]
        assert note.startswith(
            f"k-anonymity, MST synthetic data and AIM synthetic data have no {title}: ")
    turned = asked(lab_methods="k-anonymity,rank-swapping").panels[2]
    assert "without merging small groups, whose records are nobody's" in turned.caption
    assert "k-anonymity" not in turned.table.columns


def test_a_page_asks_before_it_runs_what_is_slow_and_ranks_the_others_meanwhile() -> None:
    found = sdc.ask("matched", sdc.Study(DATA), mc_releases="10",
                    lab_methods="mst,microaggregation", work=Work(started=()))
    assert [(job.key, job.label) for job in found.waiting] == [
        ("methods", "Run MST synthetic data"), ("matched-by", "Match in other measures, too")]
    assert [m.split()[0] for m in found.panels[0].table["method"]] == ["RWN", "Microaggregation"]
    by_pscr = sdc.ask("matched", sdc.Study(DATA), mc_by="pscr", lab_methods="mst",
                      work=Work(started=()))
    assert [job.key for job in by_pscr.waiting] == ["matched-by"]  # there is nothing to run
    usual = sdc.ask("matched", sdc.Study(DATA), mc_releases="10", work=Work(started=()))
    assert [job.key for job in usual.waiting] == ["matched-by"]  # nothing slow by itself
    assert [n.text for n in usual.notices if "MST" in n.text] == [
        "MST synthetic data and AIM synthetic data can join: choose them under “Compared with RWN "
        "borrowing”."]
    assert not [n for n in (*found.notices, *by_pscr.notices) if "can join" in n.text]


def test_a_forest_is_tried_on_people_who_are_in_no_release() -> None:
    found = asked(lab_methods="microaggregation", mc_keeps="forest", mc_by="dcr")
    table, bars = found.panels[0].table, read_bars(found.panels[0].drawing)
    assert table is not None and bars[0].title == "Error of a random forest"
    assert any("32 are kept out of all releases" in n.text for n in found.notices)
    learnt, out = kept_out(160, 2024)
    records = microdata(DATA, ("age", "sex", "wage", "hours"))
    inputs, wage = records.values[:, [0, 1, 3]], records.values[:, 2]
    middle = np.median(wage[learnt])
    (released,) = sdc.mechanism("microaggregation", k=int(table["value"][1])).draw_records(
        records.rows(learnt), [repetition_rng(7, 0)])
    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0).fit(
        released.values[:, [0, 1, 3]], released.values[:, 2] > middle)
    wrong = (forest.predict(inputs[out]) != (wage[out] > middle)).mean()
    assert table["forest"][1] == pytest.approx(wrong)
    assert "mislead" in found.headline or "chance hides it" in found.headline


def test_table_3_leaves_out_what_so_few_records_do_not_allow() -> None:
    found = sdc.ask("matched", sdc.Study(sdc.load_dataset(people(14))), mc_releases="10",
                    mc_by="table-3", mc_level=15)
    assert [m.split()[0] for m in found.panels[0].table["method"]] == ["RWN", "Rank"]
    assert any("Microaggregation (these records are too few for its setting" in n.text
               for n in found.notices)


def test_a_loss_that_some_releases_lack_is_not_ranked() -> None:
    found = made({"rwn": [0.3, 0.3, 0.3], "rank-swapping": [0.2, 0.2, 0.2],
                  "microaggregation": [0.1, np.nan, 0.1]})
    said = words.headline(found, BY, "il1", True)
    assert "swapping values of close rank changes correlations least" in said
    assert "averaging" not in said
    drawn = read_bars(loss_bars(found, "il1", "x"))[0].rows[2]
    assert drawn.text.endswith("(2 of 3 releases)")


def test_methods_that_change_nothing_are_the_same_and_chance_is_not_blamed() -> None:
    found = made({"rwn": [0.0] * 4, "rank-swapping": [0.0] * 4, "microaggregation": [0.0] * 2})
    said = words.headline(found, BY, "il1", True)
    assert said.endswith("change of correlations (IL₁) is the same for all that can be compared "
                         "(0).") and "chance" not in said


def test_a_method_far_off_the_level_is_not_called_equally_strong() -> None:
    """Whole settings may step over the level by far."""
    found = made({"rwn": [0.3] * 4, "rank-swapping": [0.2] * 4, "microaggregation": [0.01] * 2},
                 level={"microaggregation": 0.7})
    assert "averaging" not in words.headline(found, BY, "il1", True)
    assert "Averaging similar records (reaches 0.7) cannot be set to this level" in words.more(
        found, BY, "il1", original(), True)


def test_one_method_alone_is_not_ranked() -> None:
    alone = asked(lab_methods="")
    assert "fewer than two methods can be compared" in alone.headline
    assert len(alone.panels[0].table) == 1 and "additions" not in alone.more


def test_what_is_matched_decides_only_where_two_are_named() -> None:
    nobody = words.UNDECIDED[0]
    assert "In none of them can anybody" in words.turning_caption({"A": nobody, "B": nobody})
    one = words.turning_caption({"Closest": "RWN", "Risk": nobody})
    assert "decides" not in one and f"by closest RWN and by risk {nobody}" in one
    assert "same answer: RWN" in words.turning_caption({"A": "RWN", "B": "RWN"})
    assert "decides who is ahead" in words.turning_caption({"A": "RWN", "B": "Rank swapping"})


def test_a_path_that_ends_next_to_the_level_is_not_said_to_miss_it() -> None:
    """Its weakest setting is a hair stronger than what is wanted."""
    found = made({"rwn": [0.3] * 4, "rank-swapping": [0.2] * 4},
                 reached={"rank-swapping": False}, level={"rank-swapping": 0.501})
    said = words.headline(found, BY, "il1", True)
    assert "swapping values of close rank changes correlations least" in said
    assert "cannot be set" not in words.more(found, BY, "il1", original(), True)
